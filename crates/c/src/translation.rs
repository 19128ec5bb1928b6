//! The whole way of the crate: several translation units become one program.

use program::Program;

use crate::frontend;
use crate::guard::on_deep_stack;
use crate::lower::Linker;
use crate::{Diagnostic, Input};

/// What became of some translation units.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Translation {
    /// The program that they make together.
    pub program: Program,
    /// What there is to say about them, unit by unit.
    pub diagnostics: Vec<Diagnostic>,
}

/// Translates the inputs and links them into one program. What cannot be read or lowered is left out, and said.
pub fn translate(inputs: &[Input]) -> Translation {
    let mut translation = Translation::default();
    let mut linker =
        Linker::new(inputs.first().map_or_else(Default::default, |input| input.options.data_model));
    for input in inputs {
        let diagnostics = on_deep_stack(|| match frontend::check(input) {
            Ok(unit) => {
                linker.add(&unit);
                unit.diagnostics
            }
            Err(diagnostics) => diagnostics,
        });
        translation.diagnostics.extend(diagnostics.unwrap_or_else(|message| {
            let path = input.path.display();
            vec![Diagnostic::error(format!("internal error while reading `{path}`: {message}"))]
        }));
    }
    let (program, disagreements) = linker.finish();
    translation.program = program;
    translation.diagnostics.extend(disagreements);
    translation
}
