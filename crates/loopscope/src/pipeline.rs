//! The way of a program through Loopscope, in one place:
//!
//! ```text
//! C files ─ translate ─► program ─ simplify ─► program ─ verify ─► program ─► loops, clients ─► reports
//! ```
//!
//! Each step is guarded: a bug of ours costs the function, or the step, in which it shows, never the whole answer.

use base::guarded;
use program::{Definition, Program};
use report::message::{Message, Severity, SourceLine};
use report::not_analysed::NotAnalysed;

use crate::exit;

/// A program that is ready to be analysed, and what there was to say on the way.
#[derive(Debug, Default)]
pub struct Prepared {
    /// The program: whatever of the input is healthy.
    pub program: Program,
    /// What there is to say about the input.
    pub messages: Vec<Message>,
    /// The files of the input that were not read.
    pub skipped: Vec<NotAnalysed>,
}

/// How far a program is prepared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As it is lowered from the source.
    Raw,
    /// With the clean-up passes.
    Clean,
}

/// Reads C files and makes a program of them that analyses can rely on.
pub fn prepare(inputs: &[c::Input], form: Form) -> Prepared {
    let mut prepared = translate(inputs);
    if form == Form::Clean {
        simplify(&mut prepared);
    }
    verify(&mut prepared);
    prepared
}

impl Prepared {
    /// The same, if these files are left out.
    pub fn without(mut self, skipped: Vec<NotAnalysed>) -> Self {
        let warning = |part: &NotAnalysed| {
            let file = part.file.as_deref().unwrap_or_default();
            Message::warning(format!("`{file}` is not analysed: {}", part.reason))
        };
        self.messages.extend(skipped.iter().map(warning));
        self.skipped.extend(skipped);
        self
    }

    /// The errors among the messages.
    pub fn errors(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| message.severity == Severity::Error)
    }

    /// An exit code, unless errors in the source are what the process has to tell.
    pub fn code(&self, code: u8) -> u8 {
        if self.errors().next().is_some() { exit::BAD_INPUT } else { code }
    }
}

fn translate(inputs: &[c::Input]) -> Prepared {
    match guarded(|| c::translate(inputs)) {
        Ok(translation) => {
            let messages = messages_of(&translation.diagnostics);
            Prepared { program: translation.program, messages, ..Prepared::default() }
        }
        Err(problem) => {
            let messages = vec![internal_error("reading the source", &problem)];
            Prepared { messages, ..Prepared::default() }
        }
    }
}

fn simplify(prepared: &mut Prepared) {
    let mut program = prepared.program.clone();
    match guarded(move || {
        program::passes::simplify(&mut program);
        program
    }) {
        Ok(program) => prepared.program = program,
        // The passes only make the program nicer: it is as true without them.
        Err(problem) => {
            let message = internal_error("simplifying the program", &problem);
            prepared.messages.push(Message { severity: Severity::Warning, ..message });
        }
    }
}

/// Takes the functions out that break the invariants of the representation: no analysis may see them.
fn verify(prepared: &mut Prepared) {
    let program = &mut prepared.program;
    let defects = match guarded(|| program::verify::verify(program)) {
        Ok(Ok(())) => return,
        Ok(Err(defects)) => defects,
        Err(problem) => {
            prepared.messages.push(internal_error("verifying the program", &problem));
            prepared.program = Program::default();
            return;
        }
    };
    let described: Vec<_> =
        defects.iter().map(|defect| (defect.function, defect.describe(program))).collect();
    let mut last = None;
    for (function, problem) in described {
        let Some(id) = function else {
            prepared.messages.push(internal_error("the globals of the program", &problem));
            prepared.program = Program::default();
            return;
        };
        // One message a function is enough.
        if last.replace(id) != function {
            let function = &mut prepared.program.functions[id];
            let message = internal_error(&format!("function `{}`", function.name), &problem);
            prepared.messages.push(Message { severity: Severity::Warning, ..message });
            let reason = format!("internal error, please report: {problem}");
            function.definition = Definition::Unsupported { reason, location: function.location };
        }
    }
}

/// A message about a bug of ours.
pub fn internal_error(place: &str, problem: &str) -> Message {
    Message::error(format!("internal error at {place}: {problem}"))
        .help("this is a bug in Loopscope; please report it with the input that shows it")
}

fn message_of(diagnostic: &c::Diagnostic) -> Message {
    Message {
        severity: match diagnostic.severity {
            c::Severity::Note => Severity::Note,
            c::Severity::Warning => Severity::Warning,
            c::Severity::Error => Severity::Error,
        },
        text: diagnostic.message.clone(),
        source: diagnostic.place.as_ref().map(|place| SourceLine {
            path: place.path.clone(),
            line: place.line,
            column: place.column,
            length: place.length,
            text: place.text.clone(),
        }),
        help: diagnostic.help.clone(),
        notes: diagnostic.notes.iter().map(message_of).collect(),
    }
}

/// Messages of the front end as ours.
pub fn messages_of(diagnostics: &[c::Diagnostic]) -> Vec<Message> {
    diagnostics.iter().map(message_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_that_breaks_an_invariant_is_taken_out_and_the_others_stay() {
        let text = "data_model LP64
            function broken() -> i32 { variable %x: i32 b0: %x := 1:i64 return %x }
            function good() -> i32 { b0: return 0:i32 }";
        let program = parser::parse(text).expect("the text is well formed");
        let mut prepared = Prepared { program, ..Prepared::default() };
        verify(&mut prepared);
        let function = |name: &str| {
            let id = prepared.program.function_named(name).expect("it is still there");
            &prepared.program.functions[id].definition
        };
        assert!(
            matches!(function("broken"), Definition::Unsupported { reason, .. } if reason.contains("please report"))
        );
        assert!(matches!(function("good"), Definition::Body(_)));
        assert_eq!(prepared.messages.len(), 1);
        assert!(prepared.messages[0].text.contains("internal error at function `broken`"));
    }
}
