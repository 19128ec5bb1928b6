//! Files of inputs, as a run takes them.

use std::path::Path;

use program::interpret::{InputValue, Request};
use program::{FloatFormat, Type};
use report::inputs::{Problem, Value, Values};
use report::message::Message;

/// Writes a file, or says why it cannot be written.
pub fn save(path: &Path, text: &str) -> Option<Message> {
    let error = std::fs::write(path, text).err()?;
    Some(Message::error(format!("cannot write `{}`: {error}", path.display())))
}

/// Reads a file, which is `what` in messages.
pub fn read<T>(path: &Path, what: &str, parse: fn(&str) -> Result<T, Problem>) -> Result<T, Vec<Message>> {
    let failed = |problem: String| vec![Message::error(problem)];
    let text = std::fs::read_to_string(path)
        .map_err(|error| failed(format!("cannot read {what} `{}`: {error}", path.display())))?;
    parse(&text).map_err(|problem| failed(format!("{}:{}: {}", path.display(), problem.line, problem.text)))
}

/// The values and the standard input of a file, for a run.
#[derive(Default)]
pub struct Recorded {
    values: Values,
    next: usize,
    bytes: std::vec::IntoIter<u8>,
}

impl Recorded {
    /// What a file holds.
    pub fn new(values: Values, standard_input: Vec<u8>) -> Self {
        Self { values, next: 0, bytes: standard_input.into_iter() }
    }
}

impl program::interpret::Inputs for Recorded {
    fn value(&mut self, request: &Request<'_>) -> InputValue {
        let value = self.values.at(self.next);
        self.next += 1;
        value_of(value, request.ty)
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes.next()
    }
}

/// A value of a file as one of the type that the program asks for.
pub fn value_of(value: Value, ty: Type) -> InputValue {
    match (value, ty) {
        (Value::Null, _) => InputValue::Null,
        (Value::Integer(value), Type::Float(FloatFormat::Double)) => {
            InputValue::Float(u128::from((value as f64).to_bits()))
        }
        (Value::Integer(value), Type::Float(FloatFormat::Single)) => {
            InputValue::Float(u128::from((value as f32).to_bits()))
        }
        (Value::Integer(value), _) => InputValue::Integer(value),
        (Value::Bits(bits), Type::Float(_)) => InputValue::Float(bits),
        (Value::Bits(bits), _) => InputValue::Integer(bits as i128),
    }
}
