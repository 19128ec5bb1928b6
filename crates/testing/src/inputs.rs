//! Pseudo-random inputs of runs.

use std::collections::BTreeSet;

use program::interpret::{InputValue, Inputs, Request};
use program::{ExprKind, FloatFormat, IntegerType, Program, Type, arithmetic};

/// Pseudo-random values that favour the interesting ones: zero, small numbers, limits of types, powers of two and
/// their neighbours, and the constants of the program. The same seed gives the same values on every machine.
#[derive(Clone, PartialEq, Debug)]
pub struct SeededInputs {
    random: Random,
    constants: Vec<i128>,
    text: TextStyle,
    bytes_left: u32,
}

/// What standard input looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TextStyle {
    Lines,
    LongLine,
    Numbers,
    AnyBytes,
}

impl SeededInputs {
    /// Inputs for a program.
    pub fn new(seed: u64, program: &Program) -> Self {
        Self::with_constants(seed, constants_of(program))
    }

    /// Inputs that favour these constants.
    pub fn with_constants(seed: u64, constants: Vec<i128>) -> Self {
        let mut random = Random(seed ^ 0x6c6f_6f70_7363_6f70);
        let text = match random.below(4) {
            0 => TextStyle::Lines,
            1 => TextStyle::LongLine,
            2 => TextStyle::Numbers,
            _ => TextStyle::AnyBytes,
        };
        let bytes_left = match random.below(4) {
            0 => 0,
            1 => random.below(16) as u32,
            2 => random.below(300) as u32,
            _ => random.below(5000) as u32,
        };
        Self { random, constants, text, bytes_left }
    }

    fn integer(&mut self, ty: IntegerType) -> i128 {
        let random = &mut self.random;
        let value = match random.below(16) {
            0 | 1 => 0,
            2 => 1,
            3 => -1,
            4..=6 => random.below(21) as i128 - 5,
            7 => random.below(2001) as i128 - 1000,
            8 => [ty.minimum(), ty.maximum(), ty.minimum() + 1, ty.maximum() - 1][random.below(4) as usize],
            9 => {
                let power = 1i128 << random.below(u64::from(ty.width).min(126));
                let near = power + random.below(3) as i128 - 1;
                if random.below(4) == 0 { -near } else { near }
            }
            10..=12 if !self.constants.is_empty() => {
                let constant = self.constants[random.below(self.constants.len() as u64) as usize];
                let sign = if random.below(8) == 0 { -1 } else { 1 };
                constant.wrapping_mul(sign).wrapping_add(random.below(3) as i128 - 1)
            }
            _ => {
                let bits = i128::from(random.next()) << 64 | i128::from(random.next());
                // A uniform choice of the magnitude, not of the number, so that numbers of all sizes occur.
                bits >> random.below(120)
            }
        };
        arithmetic::wrap(ty, value)
    }

    fn double(&mut self) -> f64 {
        let random = &mut self.random;
        match random.below(12) {
            0 | 1 => 0.0,
            2 => 1.0,
            3 => -1.0,
            4 => 0.5,
            5 => [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.0][random.below(4) as usize],
            6 => [f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::EPSILON][random.below(4) as usize],
            7 | 8 => random.below(2001) as f64 - 1000.0,
            9 | 10 => (random.next() as f64 / u64::MAX as f64 - 0.5) * 200.0,
            _ => f64::from_bits(random.next()),
        }
    }
}

impl Inputs for SeededInputs {
    fn value(&mut self, request: &Request<'_>) -> InputValue {
        match request.ty {
            Type::Bool => InputValue::Integer(self.random.below(2) as i128),
            Type::Integer(ty) => InputValue::Integer(self.integer(ty)),
            Type::Float(FloatFormat::Double) => InputValue::Float(u128::from(self.double().to_bits())),
            Type::Float(FloatFormat::Single) => {
                InputValue::Float(u128::from((self.double() as f32).to_bits()))
            }
            Type::Float(_) => InputValue::Integer(self.random.below(2001) as i128 - 1000),
            Type::Pointer => InputValue::Null,
        }
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes_left = self.bytes_left.checked_sub(1)?;
        let random = &mut self.random;
        Some(match self.text {
            TextStyle::Lines if random.below(12) == 0 => b'\n',
            TextStyle::Numbers => b"0123456789012345 \n- "[random.below(20) as usize],
            TextStyle::AnyBytes => random.below(256) as u8,
            TextStyle::Lines | TextStyle::LongLine => b' ' + random.below(95) as u8,
        })
    }
}

/// The integers that stand in the bodies of a program, at most a thousand, in order.
fn constants_of(program: &Program) -> Vec<i128> {
    let mut constants = BTreeSet::new();
    for expr in program.bodies().flat_map(|body| body.expressions.values()) {
        if let (ExprKind::Integer(value), Type::Integer(_)) = (expr.kind, expr.ty)
            && constants.len() < 1000
        {
            constants.insert(value);
        }
    }
    constants.into_iter().collect()
}

/// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014): small, fast, and good enough to choose inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below the limit, which is not zero.
    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

#[cfg(test)]
mod tests {
    use base::Location;

    use super::*;

    fn request(ty: Type) -> Request<'static> {
        Request { name: "test", ty, location: Location::unknown() }
    }

    #[test]
    fn seeded_inputs_are_repeatable_and_fit_their_type() {
        let mut first = SeededInputs::with_constants(5, vec![4711]);
        let mut second = first.clone();
        let ty = IntegerType { width: 16, signed: true };
        let mut seen = BTreeSet::new();
        for _ in 0..20_000 {
            let value = first.value(&request(Type::Integer(ty)));
            assert_eq!(value, second.value(&request(Type::Integer(ty))));
            let InputValue::Integer(value) = value else { panic!("an integer was asked for") };
            assert!(arithmetic::is_normal(ty, value));
            seen.insert(value);
        }
        for expected in [0, 1, -1, 4711, 32767, -32768, 256] {
            assert!(seen.contains(&expected), "{expected}");
        }
    }

    #[test]
    fn standard_input_ends() {
        for seed in 0..50 {
            let mut inputs = SeededInputs::with_constants(seed, Vec::new());
            assert!((0..10_000).any(|_| inputs.byte().is_none()));
        }
    }
}
