//! C files through our own front end and interpreter, in this process.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use base::Budget;
use program::Program;
use program::interpret::{Arguments, CollectedOutput, FixedInputs, ObligationSet, Options, Outcome, Run};

/// What a run of the interpreter gave.
#[derive(Clone, PartialEq, Debug)]
pub struct Interpretation {
    /// How it went.
    pub run: Run,
    /// What the program wrote to standard output.
    pub output: Vec<u8>,
}

/// Whether a program is cleaned up before it runs. Both ways must give the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As the front end made it.
    Plain,
    /// After the clean-up passes.
    Simplified,
}

impl Form {
    /// Both forms.
    pub const ALL: [Form; 2] = [Form::Plain, Form::Simplified];
}

impl std::fmt::Display for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Form::Plain => "plain",
            Form::Simplified => "simplified",
        })
    }
}

/// Translates a C file that must not give any diagnostics.
pub fn translate(source: &Path, include: &[PathBuf]) -> Result<Program, String> {
    let mut input = c::Input::new(source);
    input.options.system_include = include.to_vec();
    let translation = c::translate(&[input]);
    let errors: Vec<String> = translation.diagnostics.iter().map(describe).collect();
    if errors.is_empty() { Ok(translation.program) } else { Err(errors.join("\n")) }
}

/// A diagnostic in one line.
pub fn describe(diagnostic: &c::Diagnostic) -> String {
    let place = diagnostic
        .place
        .as_ref()
        .map_or_else(String::new, |place| format!("{}:{}: ", place.path, place.line));
    format!("{place}{:?}: {}", diagnostic.severity, diagnostic.message)
}

/// Brings the program into this form, and checks that it is still a proper one.
pub fn prepare(program: &mut Program, form: Form) -> Result<(), String> {
    if form == Form::Simplified {
        program::passes::simplify(program);
    }
    program::verify::verify(program).map_err(|defects| {
        let lines: Vec<String> = defects.iter().take(5).map(|defect| defect.describe(program)).collect();
        format!("the {form} program is not well-formed: {}", lines.join("; "))
    })
}

/// A text as a program in this form.
///
/// # Errors
/// Why it is none.
pub fn program_of(folder: &Path, text: &str, form: Form) -> Result<Program, String> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let source = folder.join(format!("text-{}-{number}.c", std::process::id()));
    std::fs::write(&source, text).map_err(|error| error.to_string())?;
    let translated = translate(&source, &[]);
    let _ = std::fs::remove_file(&source);
    let mut program = translated?;
    prepare(&mut program, form)?;
    Ok(program)
}

/// Runs `main` without inputs, with so many steps at most.
pub fn interpret(program: &Program, checks: ObligationSet, steps: u64) -> Result<Interpretation, String> {
    let main = program.function_named("main").ok_or("the program has no main")?;
    let options = Options { checks, ..Options::default() };
    let arguments = Arguments::CommandLine(vec![b"program".to_vec()]);
    let (mut inputs, mut output, mut budget) =
        (FixedInputs::default(), CollectedOutput::default(), Budget::steps(steps));
    let run =
        program::interpret::run(program, main, &arguments, &options, &mut inputs, &mut output, &mut budget);
    Ok(Interpretation { run, output: output.output })
}

/// How a run ended, in words.
pub fn outcome(program: &Program, run: &Run) -> String {
    match &run.outcome {
        Outcome::Violation(violation) => {
            format!(
                "{} at {}: {}",
                violation.obligation,
                program.describe(violation.location),
                violation.message
            )
        }
        Outcome::Unsupported { reason, location } => format!("{reason} at {}", program.describe(*location)),
        other => format!("{other:?}"),
    }
}
