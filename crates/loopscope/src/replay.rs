//! Files that let a violating run be seen again: its inputs, and the driver that gives them to the compiled program.

use std::path::Path;

use clients::Verdict;
use evidence::{Counterexample, Integers};
use program::interpret::{InputValue, Request};
use program::{FloatFormat, Type};
use report::inputs::{Inputs, Value, Values};
use report::message::Message;

use crate::arguments::VerifyArguments;
use crate::pipeline::{Form, prepare};
use crate::sources::inputs;

/// Writes the files that were asked for, if the verdict is a violation. The answer is what there is to say about it;
/// an error is a file that cannot be written.
pub fn write(arguments: &VerifyArguments, verdict: &Verdict) -> Result<Vec<Message>, Vec<Message>> {
    let wanted: Vec<&Path> = arguments.inputs.iter().chain(&arguments.driver).map(AsRef::as_ref).collect();
    let Verdict::Refuted { counterexample } = verdict else {
        let not_written = |path: &&Path| {
            Message::warning(format!("`{}` is not written: there is no violating run", path.display()))
        };
        return Ok(wanted.iter().map(not_written).collect());
    };
    let mut problems = Vec::new();
    if let Some(path) = &arguments.inputs {
        problems.extend(save(path, &report::inputs::write(counterexample)));
    }
    if let Some(path) = &arguments.driver {
        // A cleaned-up program has lost the functions that only unreachable code calls, which a linker wants, too.
        let program = prepare(&inputs(&arguments.files, &arguments.source)?.read, Form::Raw).program;
        problems.extend(save(path, &report::replay::driver(&program)));
    }
    if problems.is_empty() { Ok(limits(counterexample, arguments)) } else { Err(problems) }
}

/// Writes a file, or says why it cannot be written.
pub fn save(path: &Path, text: &str) -> Option<Message> {
    let error = std::fs::write(path, text).err()?;
    Some(Message::error(format!("cannot write `{}`: {error}", path.display())))
}

/// Why the compiled program may do something else with the same inputs.
fn limits(counterexample: &Counterexample, arguments: &VerifyArguments) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut limit = |text: &str| messages.push(Message::warning(format!("the compiled program: {text}")));
    if arguments.driver.is_none() {
        return messages;
    }
    if counterexample.entry != "main" {
        limit(&format!("nothing calls `{}` there, where the run starts", counterexample.entry));
    }
    if counterexample.integers == Integers::Mathematical {
        limit("its integers have bounds, those of the run have none");
    }
    messages
}

/// Reads a file of inputs.
pub fn read(path: &Path) -> Result<Inputs, Vec<Message>> {
    let failed = |problem: String| vec![Message::error(problem)];
    let text = std::fs::read_to_string(path)
        .map_err(|error| failed(format!("cannot read the inputs in `{}`: {error}", path.display())))?;
    report::inputs::read(&text)
        .map_err(|problem| failed(format!("{}:{}: {}", path.display(), problem.line, problem.text)))
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
