//! Looks for a run that violates a property.
//!
//! Method: the interpreter runs the program on guessed inputs. First zeros, then the same number everywhere, then
//! mixtures that favour the constants of the program, and variations of inputs that made the program do something
//! new. Many short runs come first; the ones that did not end are tried again with more steps. The search gives up
//! when runs stop showing anything new, so that a question that it cannot answer costs little. Everything is
//! counted in steps: the same question gets the same answer on every machine, unless the time runs out.
//!
//! A run counts only if it is clean and can be repeated. Clean: nothing was guessed by the interpreter, and nothing
//! that C leaves undefined came before the violation, for after that a program may do anything. Repeated: the same
//! inputs, given as a fixed list, lead to the same end.
//!
//! Known imprecision: the search sees nothing of the program but its constants; a violation behind a condition that
//! no guess satisfies is not found.

mod guess;
mod judge;
mod search;

use base::Budget;
use evidence::{Reason, Verdict};
use program::interpret::Integers;
use program::{Definition, FunctionId, Program};

use crate::property::Property;
use evidence::Place;

/// What is asked about a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// The property.
    pub property: Property,
    /// The function that runs start in. `main` gets a command line, every other function arbitrary arguments.
    pub function: String,
    /// What integers are.
    pub integers: Integers,
}

/// Looks for a run that violates the property: refuted with that run, or unknown with the reason.
///
/// `progress` is told now and then how many runs were tried.
pub fn refute(program: &Program, question: &Question, budget: &Budget, progress: &mut dyn FnMut(u64)) -> Verdict {
    match entry(program, &question.function) {
        Ok(function) => search::Search::new(program, question, function, budget.clone()).run(progress),
        Err(reason) => Verdict::unknown(reason),
    }
}

/// The function to start in, if it can be run.
fn entry(program: &Program, name: &str) -> Result<FunctionId, Reason> {
    let id = program.function_named(name);
    let missing = || Reason::NoEntry { function: name.to_owned() };
    let id = id.ok_or_else(missing)?;
    match &program.functions[id].definition {
        Definition::Body(_) => Ok(id),
        Definition::External => Err(missing()),
        Definition::Unsupported { reason, location } => {
            Err(Reason::Unsupported { construct: reason.clone(), place: Place::of(program, *location) })
        }
    }
}
