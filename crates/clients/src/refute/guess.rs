//! Guessed inputs: a list of values to start with, and a way to go on after it.

use std::collections::BTreeSet;

use program::arithmetic;
use program::interpret::{FILE_BYTE, InputValue, Inputs, Request};
use program::{ExprKind, FloatFormat, IntegerType, Program, Terminator, Type};

/// How many bytes a file has that is the same byte again and again.
const LONG_FILE: usize = 3000;

/// Floating point numbers that are large for both formats, of which the first swallow steps of one.
const LARGE: [f64; 5] = [1e9, 1e30, -1e30, f64::INFINITY, f64::NEG_INFINITY];

/// Where the constants of a program and its neighbours are kept, to guess from.
pub(super) struct Pool {
    values: Vec<i128>,
}

/// What a run gets from outside.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Guess {
    /// The first values.
    pub prefix: Vec<InputValue>,
    /// All further values.
    pub then: Then,
    /// Standard input.
    pub standard_input: Vec<u8>,
    /// The command line, program name first.
    pub arguments: Vec<Vec<u8>>,
}

/// How a guess goes on after its first values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Then {
    /// Always with the same number.
    Same(i128),
    /// With random values from this seed.
    Random(u64),
}

/// The inputs of one run of a guess.
pub(super) struct Guessing<'a> {
    guess: &'a Guess,
    pool: &'a Pool,
    random: Random,
    style: Style,
    given: Vec<i128>,
    next: usize,
    /// What is left of the file that is being read, the next byte last, if it was begun.
    file: Option<Vec<u8>>,
    /// How many bytes of standard input were read.
    pub bytes_read: usize,
    /// Whether standard input was examined.
    pub reads_standard_input: bool,
}

/// What random inputs look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    Plain,
    /// Bytes are the characters of a text.
    Text,
    /// Choices are mostly yes: loops that ask whether to go on go on for long.
    Stubborn,
}

impl Pool {
    const LARGEST: usize = 600;

    /// The constants of the program and small numbers.
    pub fn of(program: &Program) -> Self {
        let mut constants = BTreeSet::new();
        for body in program.functions.values().filter_map(|function| function.body()) {
            for expression in body.expressions.values() {
                if let (ExprKind::Integer(value), Type::Integer(_)) = (expression.kind, expression.ty) {
                    constants.insert(value);
                }
            }
            for block in body.blocks.values() {
                if let Terminator::Switch { cases, .. } = &block.terminator {
                    constants.extend(cases.iter().flat_map(|case| [case.low, case.high]));
                }
            }
        }
        let near = constants.iter().flat_map(|value| [value.wrapping_sub(1), *value, value.wrapping_add(1)]);
        let values: BTreeSet<i128> = near.chain(-2..=12).collect();
        let mut values: Vec<i128> = values.into_iter().collect();
        values.sort_by_key(|value| (value.unsigned_abs(), *value < 0));
        values.truncate(Self::LARGEST);
        Self { values }
    }

    /// The values, small ones first.
    pub fn values(&self) -> &[i128] {
        &self.values
    }
}

impl Guess {
    /// All inputs are zero, standard input is empty, and so is the command line.
    pub fn zeros() -> Self {
        Self {
            prefix: Vec::new(),
            then: Then::Same(0),
            standard_input: Vec::new(),
            arguments: vec![b"program".to_vec()],
        }
    }

    /// The inputs for one run.
    pub fn inputs<'a>(&'a self, pool: &'a Pool) -> Guessing<'a> {
        let seed = match self.then {
            Then::Same(_) => 0,
            Then::Random(seed) => seed,
        };
        Guessing {
            guess: self,
            pool,
            random: Random::new(seed),
            style: match seed % 4 {
                0 => Style::Text,
                1 => Style::Stubborn,
                _ => Style::Plain,
            },
            given: Vec::new(),
            next: 0,
            file: None,
            bytes_read: 0,
            reads_standard_input: false,
        }
    }
}

impl Guessing<'_> {
    fn random(&mut self, ty: Type) -> InputValue {
        match ty {
            Type::Bool => InputValue::Integer(self.truth()),
            Type::Integer(integer) => {
                let value = match self.style {
                    Style::Text if integer.width == 8 => self.character(),
                    Style::Stubborn if integer.width == 8 => self.truth(),
                    _ => self.integer(integer),
                };
                let value = arithmetic::wrap(integer, value);
                self.given.push(value);
                InputValue::Integer(value)
            }
            // A float gets the number that the integer stands for, now and then a fraction, and at times one so large that
            // steps of one get lost, or infinity.
            Type::Float(format @ (FloatFormat::Double | FloatFormat::Single))
                if self.random.below(8) == 0 =>
            {
                float(format, LARGE[self.random.below(LARGE.len() as u64) as usize])
            }
            Type::Float(format @ (FloatFormat::Double | FloatFormat::Single))
                if self.random.below(3) == 0 =>
            {
                float(format, (self.random.below(20_001) as f64 - 10_000.0) / 64.0)
            }
            Type::Float(_) => InputValue::Integer(self.pick()),
            Type::Pointer => InputValue::Null,
        }
    }

    /// The next byte of a file, or the end: a text as for standard input, or the same byte for a while.
    fn file_byte(&mut self) -> InputValue {
        let (then, random) = (self.guess.then, &mut self.random);
        let left = self.file.get_or_insert_with(|| match then {
            Then::Same(value) => vec![value as u8; if value == 0 { 0 } else { LONG_FILE }],
            Then::Random(_) => text(random),
        });
        let byte = left.pop();
        if byte.is_none() {
            self.file = None;
        }
        InputValue::Integer(byte.map_or(-1, i128::from))
    }

    fn integer(&mut self, ty: IntegerType) -> i128 {
        match self.random.below(16) {
            0..=5 => self.random.below(24) as i128 - 4,
            6..=9 => self.pick(),
            // A value that was given before, or one beside it: programs compare their inputs.
            10 | 11 if !self.given.is_empty() => {
                let at = self.random.below(self.given.len() as u64) as usize;
                self.given[at].wrapping_add(self.random.below(3) as i128 - 1)
            }
            12 => [ty.minimum(), ty.maximum(), ty.minimum() + 1, ty.maximum().wrapping_sub(1)]
                [self.random.below(4) as usize],
            13 => self.random.below(2001) as i128 - 1000,
            _ => {
                // Numbers of every length are equally likely.
                let bits = (u128::from(self.random.next()) << 64 | u128::from(self.random.next())) as i128;
                bits >> (128 - 1 - self.random.below(u64::from(ty.width)).min(126))
            }
        }
    }

    /// Yes or no.
    fn truth(&mut self) -> i128 {
        let chances = if self.style == Style::Stubborn { 16 } else { 2 };
        i128::from(self.random.below(chances) != 0)
    }

    /// A character of a text: the end of it is rare, so that texts get long.
    fn character(&mut self) -> i128 {
        match self.random.below(64) {
            0 => 0,
            1..=15 => self.pick(),
            _ => i128::from(b' ') + self.random.below(95) as i128,
        }
    }

    fn pick(&mut self) -> i128 {
        let values = self.pool.values();
        values[self.random.below(values.len() as u64) as usize]
    }
}

impl Inputs for Guessing<'_> {
    fn value(&mut self, request: &Request<'_>) -> InputValue {
        let fixed = self.guess.prefix.get(self.next).copied();
        self.next += 1;
        if let Some(value) = fixed {
            if let InputValue::Integer(value) = value {
                self.given.push(value);
            }
            return value;
        }
        if request.name.starts_with(FILE_BYTE) {
            return self.file_byte();
        }
        match self.guess.then {
            // An address that nobody made is no pointer: the only pointer that can be guessed is null.
            Then::Same(_) if request.ty == Type::Pointer => InputValue::Null,
            Then::Same(value) => InputValue::Integer(value),
            Then::Random(_) => self.random(request.ty),
        }
    }

    fn byte(&mut self) -> Option<u8> {
        self.reads_standard_input = true;
        let byte = self.guess.standard_input.get(self.bytes_read).copied();
        self.bytes_read += usize::from(byte.is_some());
        byte
    }
}

/// A number in one of the two formats.
fn float(format: FloatFormat, number: f64) -> InputValue {
    InputValue::Float(match format {
        FloatFormat::Single => (number as f32).to_bits().into(),
        _ => number.to_bits().into(),
    })
}

/// Something to read on standard input.
pub(super) fn text(random: &mut Random) -> Vec<u8> {
    let length = [0, 1, 5, 30, 300, 3000][random.below(6) as usize];
    let style = random.below(4);
    let mut text: Vec<u8> = (0..length)
        .map(|_| match style {
            0 => b"0123456789 \n-"[random.below(13) as usize],
            1 => b'a' + random.below(26) as u8,
            2 if random.below(10) == 0 => b'\n',
            2 => b' ' + random.below(95) as u8,
            _ => random.below(256) as u8,
        })
        .collect();
    if random.below(2) == 0 {
        text.push(b'\n');
    }
    text
}

/// A word of a command line.
pub(super) fn word(random: &mut Random) -> Vec<u8> {
    let length = [0, 1, 2, 6, 12, 300][random.below(6) as usize];
    let digits = random.below(2) == 0;
    (0..length)
        .map(|_| if digits { b'0' + random.below(10) as u8 } else { b'a' + random.below(26) as u8 })
        .collect()
}

/// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6c6f_6f70)
    }

    /// The next number.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below the limit; zero for the limit zero.
    pub const fn below(&mut self, limit: u64) -> u64 {
        if limit == 0 { 0 } else { self.next() % limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Location;

    fn request(ty: Type) -> Request<'static> {
        Request { name: "test", ty, location: Location::unknown() }
    }

    #[test]
    fn a_guess_gives_its_prefix_and_goes_on() {
        let pool = Pool { values: vec![0, 1] };
        let guess = Guess { prefix: vec![InputValue::Integer(7)], then: Then::Same(3), ..Guess::zeros() };
        let mut inputs = guess.inputs(&pool);
        let int = Type::signed(32);
        assert_eq!(inputs.value(&request(int)), InputValue::Integer(7));
        assert_eq!(inputs.value(&request(int)), InputValue::Integer(3));
        assert_eq!(inputs.value(&request(Type::Pointer)), InputValue::Null);
        assert!(!inputs.reads_standard_input);
        assert_eq!((inputs.byte(), inputs.bytes_read), (None, 0));
        assert!(inputs.reads_standard_input);
    }

    #[test]
    fn random_guesses_repeat_and_fit_the_type() {
        let pool = Pool { values: vec![4711] };
        let guess = Guess { then: Then::Random(2), ..Guess::zeros() };
        let (mut first, mut second) = (guess.inputs(&pool), guess.inputs(&pool));
        let ty = IntegerType { width: 8, signed: true };
        let mut seen = BTreeSet::new();
        for _ in 0..2000 {
            let value = first.value(&request(Type::Integer(ty)));
            assert_eq!(value, second.value(&request(Type::Integer(ty))));
            let InputValue::Integer(value) = value else { panic!("an integer was asked for") };
            assert!(arithmetic::is_normal(ty, value));
            seen.insert(value);
        }
        assert!(seen.contains(&-128) && seen.contains(&127) && seen.contains(&arithmetic::wrap(ty, 4711)));
    }
}
