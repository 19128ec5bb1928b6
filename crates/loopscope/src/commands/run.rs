//! `loopscope run`: interprets a program as if it were compiled and started.

use std::io::{Read, Write};

use base::{Budget, Interrupt, Location, Stop};
use program::interpret::{
    Arguments, InputValue, Inputs, ObligationSet, Options, Outcome, Output, Request, Run, Stream, Violation,
};
use program::{Definition, FloatFormat, FunctionId, Obligation, Program, Type};
use report::message::{Message, Severity, SourceLine};

use super::Ending;
use crate::arguments::RunArguments;
use crate::exit;
use crate::guard::guarded;
use crate::pipeline::{Form, internal_error, prepare};
use crate::sources::inputs;
use crate::terminal::Terminal;

/// Runs the program, and says how the process ends.
pub fn execute(arguments: &RunArguments, terminal: &Terminal, interrupt: &Interrupt) -> Ending {
    let inputs = inputs(&arguments.files, &arguments.source)?;
    let prepared = prepare(&inputs, Form::Clean);
    terminal.messages(&prepared.messages);
    if prepared.errors().next().is_some() {
        return Ok(exit::BAD_INPUT);
    }
    let function = entry(&prepared.program, &arguments.function)?;
    Ok(match guarded(|| interpret(&prepared.program, function, arguments, interrupt)) {
        Ok(run) => ending(&prepared.program, &run, terminal),
        Err(problem) => {
            terminal.messages(&[internal_error("the run", &problem)]);
            exit::CANNOT_GO_ON
        }
    })
}

fn entry(program: &Program, name: &str) -> Result<FunctionId, Vec<Message>> {
    let help = "name the function to run with --function NAME";
    let missing = || vec![Message::error(format!("the program has no function `{name}`")).help(help)];
    let id = program.function_named(name).ok_or_else(missing)?;
    match &program.functions[id].definition {
        Definition::Body(_) => Ok(id),
        Definition::External => Err(missing()),
        Definition::Unsupported { reason, location } => {
            let text = format!("function `{name}` cannot be run: {reason}");
            Err(vec![with_place(Message::error(text), program, *location)])
        }
    }
}

fn interpret(
    program: &Program,
    function: FunctionId,
    arguments: &RunArguments,
    interrupt: &Interrupt,
) -> Run {
    let options = Options {
        integers: arguments.integers.into(),
        checks: checks(&arguments.checks),
        ..Options::default()
    };
    let values = if arguments.function == "main" {
        let words = arguments.arguments.iter().map(|word| word.as_encoded_bytes().to_vec());
        let name = arguments
            .files
            .first()
            .map_or_else(|| b"program".to_vec(), |file| file.as_os_str().as_encoded_bytes().to_vec());
        Arguments::CommandLine(std::iter::once(name).chain(words).collect())
    } else {
        Arguments::FromInputs
    };
    let mut inputs = Given { values: arguments.inputs.iter().map(String::as_str).collect(), next: 0 };
    let mut budget =
        Budget::steps(arguments.step_limit.unwrap_or(u64::MAX)).interrupted_by(interrupt.clone());
    let mut output = Direct;
    program::interpret::run(program, function, &values, &options, &mut inputs, &mut output, &mut budget)
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
fn ending(program: &Program, run: &Run, terminal: &Terminal) -> u8 {
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
    let Some(path) = program.files.get(location.file).filter(|_| location.is_known()) else { return message };
    let text = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().nth(location.line as usize - 1).unwrap_or_default().to_owned();
    message.at(SourceLine {
        path: path.clone(),
        line: location.line,
        column: location.column,
        length: 1,
        text: line,
    })
}

/// Values from the command line, and the real standard input.
struct Given<'a> {
    values: Vec<&'a str>,
    next: usize,
}

impl Inputs for Given<'_> {
    fn value(&mut self, request: &Request<'_>) -> InputValue {
        let text = self.values.get(self.next).copied().unwrap_or("0").trim();
        self.next += 1;
        let float = text.parse::<f64>().unwrap_or(0.0);
        match request.ty {
            Type::Float(FloatFormat::Double) => InputValue::Float(u128::from(float.to_bits())),
            Type::Float(FloatFormat::Single) => InputValue::Float(u128::from((float as f32).to_bits())),
            Type::Pointer if text == "0" || text == "null" => InputValue::Null,
            _ => InputValue::Integer(text.parse::<i128>().unwrap_or(float as i128)),
        }
    }

    fn byte(&mut self) -> Option<u8> {
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
