//! `loopscope run`: interprets a program as if it were compiled and started.

mod arguments;

use std::io::{Read, Write};
use std::path::Path;

use base::{Location, Stop};
use clients::Property;
use clients::refute::Query;
use evidence::Place;
use program::interpret::{
    Arguments as CommandLine, InputValue, Inputs, ObligationSet, Options, Outcome, Output, Request, Run,
    Stream, Violation,
};
use program::{Definition, FloatFormat, FunctionId, Obligation, Program, Type};
use report::inputs::{Inputs as FileInputs, Value};
use report::message::{Severity, SourceLine};

pub use self::arguments::Arguments;
use super::shared::*;
use crate::replay::{self, Recorded};
use crate::sources::Lines;

impl Command for Arguments {
    const NAME: &'static str = "run";

    fn run(&self, terminal: &Terminal, interrupt: &Interrupt) -> ExitStatus {
        let prepared = prepared(&self.files, &self.source, Form::Clean)?;
        terminal.messages(&prepared.messages);
        if prepared.errors().next().is_some() {
            return Ok(exit::BAD_INPUT);
        }
        let wish = Wish::of(self)?;
        let function = match entry(&prepared.program, &wish.function)? {
            Ok(function) => function,
            Err(unsupported) => {
                terminal.messages(&[unsupported]);
                return Ok(exit::CANNOT_GO_ON);
            }
        };
        Ok(match guarded(|| interpret(&prepared.program, function, wish, self.step_limit, interrupt)) {
            Ok(run) => status(&prepared.program, &run, terminal),
            Err(problem) => {
                terminal.messages(&[internal_error("the run", &problem)]);
                exit::CANNOT_GO_ON
            }
        })
    }
}

/// The function to run, or why it cannot be run although it is there.
fn entry(program: &Program, name: &str) -> Result<Result<FunctionId, Message>, Vec<Message>> {
    let help = "name the function to run with --function NAME";
    let missing = || vec![Message::error(format!("the program has no function `{name}`")).help(help)];
    let id = program.function_named(name).ok_or_else(missing)?;
    match &program.functions[id].definition {
        Definition::Body(_) => Ok(Ok(id)),
        Definition::External => Err(missing()),
        Definition::Unsupported { reason, location } => {
            let text = format!("function `{name}` cannot be run: {reason}");
            Ok(Err(with_place(Message::error(text), program, *location)))
        }
    }
}

/// The run that the user wants: what the command line says, then what a file of inputs says.
struct Wish {
    function: String,
    options: Options,
    arguments: CommandLine,
    inputs: Given,
}

impl Wish {
    fn of(arguments: &Arguments) -> Result<Self, Vec<Message>> {
        let (inputs, values) = given(arguments.inputs.as_deref())?;
        let function = arguments.function.clone().or(inputs.function).unwrap_or_else(|| String::from("main"));
        let integers = arguments.integers.map_or_else(|| inputs.integers.into(), Into::into);
        let property = inputs.property.as_deref().map(Property::from_name).transpose();
        let property = property.map_err(|error| vec![Message::error(error.to_string())])?;
        let options = match property {
            Some(property) if arguments.checks.is_empty() => {
                let memory = Options::default().memory;
                let query = Query { property, function: function.clone(), integers };
                Options { memory, ..clients::refute::options(&query) }
            }
            _ => Options { integers, checks: checks(&arguments.checks), ..Options::default() },
        };
        let words = if arguments.arguments.is_empty() && !inputs.arguments.is_empty() {
            inputs.arguments
        } else {
            words(arguments)
        };
        let arguments =
            if function == "main" { CommandLine::CommandLine(words) } else { CommandLine::FromInputs };
        Ok(Self { function, options, arguments, inputs: values })
    }
}

fn interpret(
    program: &Program,
    function: FunctionId,
    mut wish: Wish,
    step_limit: Option<u64>,
    interrupt: &Interrupt,
) -> Run {
    let mut budget = Budget::steps(step_limit.unwrap_or(u64::MAX)).interrupted_by(interrupt.clone());
    let Wish { options, arguments, inputs, .. } = &mut wish;
    program::interpret::run(program, function, arguments, options, inputs, &mut Direct, &mut budget)
}

/// The command line of the program.
fn words(arguments: &Arguments) -> Vec<Vec<u8>> {
    let name = arguments.files.first();
    let name = name.map_or_else(|| b"program".to_vec(), |file| file.as_os_str().as_encoded_bytes().to_vec());
    let words = arguments.arguments.iter().map(|word| word.as_encoded_bytes().to_vec());
    std::iter::once(name).chain(words).collect()
}

/// What `--inputs` gives: what the file says of the run, and the inputs themselves.
fn given(text: Option<&str>) -> Result<(FileInputs, Given), Vec<Message>> {
    let Some(text) = text else { return Ok((FileInputs::default(), Given::NOTHING)) };
    let listed: Result<Vec<Listed>, String> = text.split(',').map(|value| listed(value.trim())).collect();
    match listed {
        Ok(values) => Ok((FileInputs::default(), Given::Listed { values, next: 0 })),
        Err(_) if Path::new(text).exists() || !text.contains(',') => {
            let mut inputs = replay::read(Path::new(text), "the inputs in", report::inputs::read)?;
            let values = std::mem::take(&mut inputs.values);
            let bytes = std::mem::take(&mut inputs.standard_input);
            Ok((inputs, Given::Recorded(Recorded::new(values, bytes))))
        }
        Err(problem) => Err(vec![
            Message::error(format!("--inputs: {problem}"))
                .help("give values such as 3,-1,0.5 or the name of a file of inputs"),
        ]),
    }
}

/// A value of the command line.
fn listed(text: &str) -> Result<Listed, String> {
    report::inputs::read_value(text)
        .map(Listed::Exact)
        .or_else(|problem| text.parse::<f64>().map(Listed::Number).map_err(|_| problem))
}

/// The kinds to check; nothing means all but leaks.
fn checks(names: &[String]) -> ObligationSet {
    if names.is_empty() {
        return ObligationSet::ALL.without(Obligation::Leak);
    }
    names.iter().fold(ObligationSet::EMPTY, |set, name| match Obligation::from_name(name) {
        Some(obligation) => set.with(obligation),
        None if name == "all" => ObligationSet::ALL,
        None => set,
    })
}

/// Says how the run ended, if it did not end as a program ends.
fn status(program: &Program, run: &Run, terminal: &Terminal) -> u8 {
    if let Some(violation) = &run.undefined {
        let note = describe(program, violation, Severity::Warning);
        terminal.messages(&[note.help("the run went on, but after undefined behaviour it means little")]);
    }
    let (message, code) = match &run.outcome {
        // A status has eight bits.
        Outcome::Exit(status) => return *status as u8,
        Outcome::Aborted => return exit::ABORTED,
        Outcome::Violation(violation) => (describe(program, violation, Severity::Error), exit::VIOLATION),
        Outcome::AssumptionFailed => (Message::error("an assumption does not hold"), exit::ASSUMPTION),
        Outcome::Stopped(stop) => {
            let help = match stop {
                Stop::Steps => "raise --step-limit to let it run longer",
                Stop::Time | Stop::Interrupted => "start it again to let it run to its end",
            };
            (Message::error(format!("stopped after {} steps: {stop}", run.steps)).help(help), exit::STOPPED)
        }
        Outcome::Repeats(repetition) => {
            let message = Message::error("the program never ends: its state came back");
            (with_place(message, program, repetition.location), exit::STOPPED)
        }
        Outcome::Unsupported { reason, location } => {
            let message = Message::error(format!("the interpreter cannot go on: {reason}"));
            (with_place(message, program, *location), exit::CANNOT_GO_ON)
        }
    };
    terminal.messages(&[message]);
    code
}

fn describe(program: &Program, violation: &Violation, severity: Severity) -> Message {
    let text = format!("{} ({})", violation.message, violation.obligation);
    let mut message = with_place(Message::new(severity, text), program, violation.location);
    message.notes = violation
        .stack
        .iter()
        .rev()
        .map(|&(function, location)| {
            let name = &program.functions[function].name;
            Message::new(Severity::Note, format!("in {name} at {}", program.describe(location)))
        })
        .collect();
    message
}

/// The message with the place, and with the line if the file can still be read.
fn with_place(message: Message, program: &Program, location: Location) -> Message {
    let Some(place) = Place::of(program, location) else { return message };
    let text = Lines::default().at(&place).unwrap_or_default();
    let Place { file: path, line, column } = place;
    message.at(SourceLine { path, line, column, length: 1, text })
}

/// What a run is given.
enum Given {
    /// What a file holds.
    Recorded(Recorded),
    /// Values, zeros after them, and the real standard input.
    Listed { values: Vec<Listed>, next: usize },
}

impl Given {
    const NOTHING: Self = Self::Listed { values: Vec::new(), next: 0 };
}

/// A value that was given.
#[derive(Clone, Copy)]
enum Listed {
    /// As files and integers are written.
    Exact(Value),
    /// As people write a number with a fraction.
    Number(f64),
}

impl Inputs for Given {
    fn value(&mut self, request: &Request<'_>) -> InputValue {
        let (values, next) = match self {
            Self::Recorded(recorded) => return recorded.value(request),
            Self::Listed { values, next } => (values, next),
        };
        let value = values.get(*next).copied().unwrap_or(Listed::Exact(Value::Null));
        *next += 1;
        match (value, request.ty) {
            (Listed::Exact(value), ty) => replay::value_of(value, ty),
            (Listed::Number(value), Type::Float(FloatFormat::Single)) => {
                InputValue::Float(u128::from((value as f32).to_bits()))
            }
            (Listed::Number(value), Type::Float(FloatFormat::Double)) => {
                InputValue::Float(u128::from(value.to_bits()))
            }
            (Listed::Number(value), _) => InputValue::Integer(value as i128),
        }
    }

    fn byte(&mut self) -> Option<u8> {
        if let Self::Recorded(recorded) = self {
            return recorded.byte();
        }
        // What the program has written may be a question that the user is to answer now.
        let _ = std::io::stdout().flush();
        let mut byte = [0];
        match std::io::stdin().lock().read(&mut byte) {
            Ok(1) => Some(byte[0]),
            _ => None,
        }
    }
}

/// Writes to the real streams. A program whose reader has gone goes on as one that ignores the signal.
struct Direct;

impl Output for Direct {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        let _ = match stream {
            Stream::Output => std::io::stdout().write_all(bytes),
            Stream::Error => std::io::stderr().write_all(bytes),
        };
    }
}
