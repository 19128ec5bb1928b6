//! Files that let a violating run be seen again: its inputs, and the driver that gives them to the compiled program.

use std::path::Path;

use clients::Verdict;
use evidence::{Counterexample, Integers};
use report::message::Message;

use super::Arguments;
use crate::pipeline::{Form, prepare};
use crate::replay::save;
use crate::sources::inputs;

/// Writes the files that were asked for, if the verdict is a violation. The answer is what there is to say about it;
/// an error is a file that cannot be written.
pub fn write(arguments: &Arguments, verdict: &Verdict) -> Result<Vec<Message>, Vec<Message>> {
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

/// Why the compiled program may do something else with the same inputs.
fn limits(counterexample: &Counterexample, arguments: &Arguments) -> Vec<Message> {
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
