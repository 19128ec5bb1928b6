//! The whole way of the crate: several translation units become one program.

use std::path::PathBuf;

use program::Program;

use crate::frontend::{self, Unit};
use crate::guard::on_deep_stack;
use crate::lower::{Count, Linker};
use crate::{Diagnostic, Input};

/// What became of some translation units.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Translation {
    /// The program that they make together.
    pub program: Program,
    /// What there is to say about them, unit by unit.
    pub diagnostics: Vec<Diagnostic>,
    /// The units that could be read, in the order of the inputs.
    pub units: Vec<UnitSummary>,
}

/// What became of one translation unit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UnitSummary {
    /// The file.
    pub path: PathBuf,
    /// How many functions it defines.
    pub functions: usize,
    /// How many of them were lowered.
    pub lowered: usize,
    /// How many of them were not.
    pub unsupported: usize,
    /// How many bytes the file has, without what it includes.
    pub source_bytes: u64,
}

/// Translates the inputs and links them into one program. What cannot be read or lowered is left out, and said.
pub fn translate(inputs: &[Input]) -> Translation {
    let mut translation = Translation::default();
    let mut linker =
        Linker::new(inputs.first().map_or_else(Default::default, |input| input.options.data_model));
    for input in inputs {
        match on_deep_stack(|| {
            let unit = frontend::check(input)?;
            let count = linker.add(&unit);
            Ok::<_, Vec<Diagnostic>>((unit, count))
        }) {
            Ok(Ok((unit, count))) => translation.add(unit, count),
            Ok(Err(diagnostics)) => translation.diagnostics.extend(diagnostics),
            Err(message) => translation.diagnostics.push(internal_error(input, &message)),
        }
    }
    let (program, disagreements) = linker.finish();
    translation.program = program;
    translation.diagnostics.extend(disagreements);
    translation
}

/// What there is to say about an input before it is lowered: a check of its syntax and types.
pub fn diagnose(input: &Input) -> Vec<Diagnostic> {
    match on_deep_stack(|| frontend::check(input)) {
        Ok(Ok(unit)) => unit.diagnostics,
        Ok(Err(diagnostics)) => diagnostics,
        Err(message) => vec![internal_error(input, &message)],
    }
}

impl Translation {
    fn add(&mut self, unit: Unit, count: Count) {
        self.diagnostics.extend(unit.diagnostics);
        self.units.push(UnitSummary {
            path: unit.path,
            functions: count.functions,
            lowered: count.lowered,
            unsupported: count.functions - count.lowered,
            source_bytes: unit.source_bytes,
        });
    }
}

fn internal_error(input: &Input, message: &str) -> Diagnostic {
    Diagnostic::error(format!("internal error while reading `{}`: {message}", input.path.display()))
}
