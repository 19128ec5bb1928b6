//! Guessed inputs for sample runs: small numbers, constants of the program, numbers that were given before, and now and
//! then any number.

use std::collections::BTreeSet;

use program::arithmetic;
use program::interpret::{InputValue, Inputs, Request};
use program::{ExprKind, IntegerType, Program, Type};

/// The inputs of one run.
pub(super) struct Guesses {
    state: u64,
    style: Style,
    constants: Vec<i128>,
    given: Vec<i128>,
    bytes: usize,
    asked: bool,
}

/// What the numbers of a run look like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Always the same.
    Same(i128),
    /// From zero up, small.
    Small,
    /// Small ones, constants, and numbers from before.
    Mixed,
    /// As mixed, and large ones.
    Any,
}

impl Guesses {
    /// The inputs of the run with this number.
    pub fn new(number: u64, program: &Program) -> Self {
        let style = match number {
            0 => Style::Same(0),
            1 => Style::Same(1),
            2 => Style::Same(5),
            _ => [Style::Small, Style::Mixed, Style::Small, Style::Any][(number % 4) as usize],
        };
        let state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x7361_6d70_6c65;
        let bytes = [0, 3, 20, 200][(number / 4 % 4) as usize];
        Self { state, style, constants: constants(program), given: Vec::new(), bytes, asked: false }
    }

    /// Whether standard input was examined.
    pub fn asked(&self) -> bool {
        self.asked
    }

    /// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014).
    fn random(&mut self, limit: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % limit.max(1)
    }

    fn integer(&mut self, ty: IntegerType) -> i128 {
        let small = i128::from(self.random(11));
        match (self.style, self.random(16)) {
            (Style::Same(value), _) => value,
            (Style::Small, 0..=13) => small,
            (Style::Mixed | Style::Any, 0..=4) => small - 3,
            (Style::Mixed, 5..=7) | (Style::Any, 5 | 6) => i128::from(self.random(40)) - 8,
            (_, 8..=10) if !self.given.is_empty() => {
                let place = self.random(self.given.len() as u64) as usize;
                self.given[place] + i128::from(self.random(3)) - 1
            }
            (Style::Any, 11..) => match self.random(3) {
                0 => [ty.minimum(), ty.maximum(), ty.maximum() / 2][self.random(3) as usize],
                _ => arithmetic::wrap(ty, i128::from(self.random(u64::MAX)) >> self.random(60)),
            },
            _ if self.constants.is_empty() => small,
            _ => {
                let place = self.random(self.constants.len() as u64) as usize;
                self.constants[place].wrapping_add(i128::from(self.random(3)) - 1)
            }
        }
    }
}

impl Inputs for Guesses {
    fn value(&mut self, request: &Request<'_>) -> InputValue {
        match request.ty {
            Type::Bool => InputValue::Integer(i128::from(self.random(8) != 0)),
            Type::Integer(ty) => {
                let value = self.integer(ty);
                if self.given.len() < 64 {
                    self.given.push(value);
                }
                InputValue::Integer(arithmetic::wrap(ty, value))
            }
            Type::Float(_) => InputValue::Integer(i128::from(self.random(20)) - 4),
            Type::Pointer => InputValue::Null,
        }
    }

    fn byte(&mut self) -> Option<u8> {
        self.asked = true;
        self.bytes = self.bytes.checked_sub(1)?;
        Some(b"abc xyz019-./\n%="[self.random(16) as usize])
    }
}

/// The constants of a program, the small ones first.
fn constants(program: &Program) -> Vec<i128> {
    let mut found = BTreeSet::new();
    for body in program.functions.values().filter_map(|function| function.body()) {
        let numbers =
            body.expressions.values().filter_map(|expression| match (expression.kind, expression.ty) {
                (ExprKind::Integer(value), Type::Integer(_)) => Some(value),
                _ => None,
            });
        found.extend(numbers.take(1000));
    }
    let mut constants: Vec<i128> = found.into_iter().collect();
    constants.sort_by_key(|value| value.unsigned_abs());
    constants.truncate(64);
    constants
}
