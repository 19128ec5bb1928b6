//! The interpreter on programs in text form: every kind of obligation, memory, calls, the library, repetition.

mod calls;
mod inputs;
mod library;
mod marks;
mod mathematical;
mod memory;
mod obligations;
mod repetition;
mod trace;

use base::Budget;
use loopscope_program::interpret::{
    Arguments, CollectedOutput, FixedInputs, InputValue, ObligationSet, Options, Outcome, Run, run,
};
use loopscope_program::{Obligation, Program};

/// A run to be set up.
struct Setup {
    options: Options,
    values: Vec<InputValue>,
    stdin: Vec<u8>,
    arguments: Arguments,
    steps: u64,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            options: Options::default(),
            values: Vec::new(),
            stdin: Vec::new(),
            arguments: Arguments::CommandLine(vec![b"program".to_vec()]),
            steps: 10_000_000,
        }
    }
}

impl Setup {
    /// Runs `main`, or else the first function with a body.
    fn run(&self, text: &str) -> (Run, CollectedOutput) {
        let program: Program = parser::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let function = program
            .function_named("main")
            .or_else(|| program.functions.iter().find(|(_, f)| f.body().is_some()).map(|(id, _)| id))
            .expect("a function to run");
        let mut inputs = FixedInputs::new(self.values.clone(), self.stdin.clone());
        let mut output = CollectedOutput::default();
        let mut budget = Budget::steps(self.steps);
        let run =
            run(&program, function, &self.arguments, &self.options, &mut inputs, &mut output, &mut budget);
        (run, output)
    }
}

/// Runs with every kind of obligation checked and no inputs.
fn checked(text: &str) -> Run {
    Setup::default().run(text).0
}

/// Runs with these kinds of obligations checked and no inputs.
fn checking(checks: &[Obligation], text: &str) -> Run {
    let checks: ObligationSet = checks.iter().copied().collect();
    Setup { options: Options { checks, ..Options::default() }, ..Setup::default() }.run(text).0
}

/// The obligation that a run violates.
fn violated(run: &Run) -> Option<Obligation> {
    match &run.outcome {
        Outcome::Violation(violation) => Some(violation.obligation),
        _ => None,
    }
}

/// The message of the violation that a run ends with.
fn message(run: &Run) -> &str {
    match &run.outcome {
        Outcome::Violation(violation) => &violation.message,
        other => panic!("no violation but {other:?}"),
    }
}
