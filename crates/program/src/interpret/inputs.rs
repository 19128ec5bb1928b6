//! Where the values come from that a program does not compute itself: nondeterministic values, parameters,
//! uninitialised variables, results of unknown functions, and standard input.

use base::Location;

use crate::types::Type;

/// Gives a run its inputs.
pub trait Inputs {
    /// A value of the requested type. One that does not fit the type is wrapped into it.
    fn value(&mut self, request: &Request<'_>) -> InputValue;

    /// The next byte of standard input, or nothing at its end; after the end it is not asked again.
    fn byte(&mut self) -> Option<u8>;
}

/// What a run asks for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Request<'a> {
    /// Who asks: `__VERIFIER_nondet_int`, `parameter n`, `uninitialised x`, `return of foo`.
    pub name: &'a str,
    /// The type of the value.
    pub ty: Type,
    /// Where the program asks.
    pub location: Location,
}

/// A value from outside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InputValue {
    /// An integer. For a pointer it is an address, for a float the number it stands for.
    Integer(i128),
    /// A floating point number, as the bits of its format.
    Float(u128),
    /// The null pointer; of other types, zero.
    Null,
}

/// An input that a run has got.
#[derive(Clone, PartialEq, Debug)]
pub struct InputRecord {
    /// Who asked.
    pub name: String,
    /// Where.
    pub location: Location,
    /// What it got, as a value of the type.
    pub value: InputValue,
    /// The type that was asked for.
    pub ty: Type,
}

/// A list of values, then those of a cycle again and again, or zeros; and a standard input of given bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FixedInputs {
    values: Vec<InputValue>,
    cycle: Vec<(InputValue, i64)>,
    next_value: usize,
    bytes: Vec<u8>,
    next_byte: usize,
}

impl FixedInputs {
    /// These values, whoever asks, and these bytes on standard input.
    pub fn new(values: Vec<InputValue>, bytes: Vec<u8>) -> Self {
        Self { values, cycle: Vec::new(), next_value: 0, bytes, next_byte: 0 }
    }

    /// And after the values these, again and again: each with the number that it grows by from one time to the next.
    #[must_use]
    pub fn with_cycle(mut self, cycle: Vec<(InputValue, i64)>) -> Self {
        self.cycle = cycle;
        self
    }
}

/// A value that grows, the so manieth time that it comes; only integers do.
fn grown(value: InputValue, growth: i64, round: usize) -> InputValue {
    match value {
        InputValue::Integer(first) => {
            InputValue::Integer(first.wrapping_add(i128::from(growth).wrapping_mul(round as i128)))
        }
        InputValue::Float(_) | InputValue::Null => value,
    }
}

impl Inputs for FixedInputs {
    fn value(&mut self, _request: &Request<'_>) -> InputValue {
        let place = self.next_value;
        self.next_value += 1;
        if let Some(value) = self.values.get(place) {
            return *value;
        }
        let beyond = place - self.values.len();
        let (Some(round), Some(place)) =
            (beyond.checked_div(self.cycle.len()), beyond.checked_rem(self.cycle.len()))
        else {
            return InputValue::Null;
        };
        let (value, growth) = self.cycle[place];
        grown(value, growth, round)
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.next_byte).copied();
        self.next_byte += usize::from(byte.is_some());
        byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(ty: Type) -> Request<'static> {
        Request { name: "test", ty, location: Location::unknown() }
    }

    #[test]
    fn fixed_inputs_end_in_zeros() {
        let mut inputs = FixedInputs::new(vec![InputValue::Integer(7)], b"a".to_vec());
        assert_eq!(inputs.value(&request(Type::signed(32))), InputValue::Integer(7));
        assert_eq!(inputs.value(&request(Type::signed(32))), InputValue::Null);
        assert_eq!((inputs.byte(), inputs.byte()), (Some(b'a'), None));
    }
}
