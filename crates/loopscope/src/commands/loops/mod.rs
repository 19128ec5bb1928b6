//! `loopscope loops`: the table of all loops, as the source has them.

pub mod summary;
pub mod table;
mod text;

use std::path::PathBuf;

use clap::Args;
use loops::LoopNames;
use program::Program;
use report::message::Severity;
use serde_json::Value;

use self::summary::FunctionSummary;
use super::shared::*;
use crate::arguments::{OutputArguments, SourceArguments};

/// Print a table of all loops as they are written: depth, exits, what they change and call
#[derive(Args, Debug)]
pub struct Arguments {
    /// The C files, which together make one program. `.i` files are preprocessed already; `-` is standard input
    pub files: Vec<PathBuf>,
    /// Only this function
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// How to read the files.
    #[command(flatten)]
    pub source: SourceArguments,
    /// How to show the result.
    #[command(flatten)]
    pub output: OutputArguments,
}

impl Command for Arguments {
    const NAME: &'static str = "loops";

    fn run(&self, terminal: &Terminal, _: &Interrupt) -> ExitStatus {
        let (prepared, functions) = self.functions(terminal)?;
        let json = summary::json(&functions, &prepared.messages);
        let text = text::render(&functions, terminal.width());
        Ok(self.print(&prepared, &functions, &json, &text, terminal))
    }
}

impl Arguments {
    /// Reads the program, and lists those of its functions that are asked for.
    pub fn functions(&self, terminal: &Terminal) -> Result<(Prepared, Vec<FunctionSummary>), Vec<Message>> {
        terminal.progress("reading the source");
        let mut prepared = prepared(&self.files, &self.source, Form::Clean)?;
        let mut functions = summaries(&prepared.program, &mut prepared.messages);
        terminal.progress("");
        if let Some(wanted) = &self.function {
            functions.retain(|function| function.name == *wanted);
            if functions.is_empty() {
                prepared.messages.push(Message::error(format!("the program has no function `{wanted}`")));
            }
        }
        Ok((prepared, functions))
    }

    /// Prints what is to be said about these functions, and says how the process ends.
    pub fn print(
        &self,
        prepared: &Prepared,
        functions: &[FunctionSummary],
        json: &Value,
        text: &str,
        terminal: &Terminal,
    ) -> u8 {
        let left_out = not_analysed(prepared, self.function.as_deref());
        terminal.messages(&prepared.messages);
        if self.output.json {
            terminal.print(&document(json, &left_out));
        } else if !functions.is_empty() || prepared.errors().next().is_none() {
            terminal.print(&(text.to_owned() + &lines(&prepared.skipped)));
        }
        prepared.code(exit::with_parts_left_out(exit::DONE, left_out.len()))
    }
}

/// All functions; one whose loops make us stumble is left out, and said.
fn summaries(program: &Program, messages: &mut Vec<Message>) -> Vec<FunctionSummary> {
    let mut names = LoopNames::new();
    let mut functions = Vec::new();
    for (id, function) in program.functions.iter() {
        match guarded(|| summary::summary(program, id, &mut names)) {
            Ok(found) => functions.extend(found),
            Err(problem) => {
                let message = internal_error(&format!("function `{}`", function.name), &problem);
                messages.push(Message { severity: Severity::Warning, ..message });
            }
        }
    }
    functions
}
