//! A run that a witness tells of, made once more: nothing is looked for.
//!
//! The inputs are those of the witness, and the run counts by the same rules as any other: it must be clean, violate the
//! property, and be the same when it is repeated. For a run that never ends the kernel checks the claimed set of states
//! once more.

use base::Budget;
use evidence::{Counterexample, Expression, Formula, Reason};
use program::Program;
use program::interpret::{DiscardedOutput, Inputs, Machine};

use super::guess::Guess;
use super::nontermination::check;
use super::record::{options, violation};
use super::{Query, Tried, entry};

/// What a run is given.
pub struct Given<'a> {
    /// The command line, program name first; empty if the run takes none.
    pub arguments: Vec<Vec<u8>>,
    /// The values that it asks for.
    pub inputs: &'a mut dyn Inputs,
    /// All that standard input holds.
    pub standard_input: Vec<u8>,
}

/// What is claimed of a run that never ends: the set of states that it does not leave.
#[derive(Clone, PartialEq, Debug)]
pub struct Recurrence {
    /// The step at which it comes into the set.
    pub step: u64,
    /// How many iterations lead from a state of the set to the next one.
    pub iterations: u32,
    /// The set.
    pub set: Formula,
    /// What is chosen for the inputs of these iterations.
    pub choices: Vec<Expression>,
}

/// Makes a run, and gives it as evidence if it violates the property. With a set of states, it is one that never ends.
///
/// # Errors
/// If it does not: the reason.
pub fn confirm(
    program: &Program,
    query: &Query,
    given: Given<'_>,
    recurrence: Option<&Recurrence>,
    budget: &Budget,
) -> Result<Counterexample, Reason> {
    let function = entry(program, &query.function)?;
    let words = if given.arguments.is_empty() { vec![b"program".to_vec()] } else { given.arguments };
    let arguments = query.arguments(&words);
    let machine = Machine::new(program, &options(query));
    // The beginning of a run that never ends shows what its inputs are.
    let mut part = match recurrence {
        Some(recurrence) => budget.part(recurrence.step.saturating_add(1)),
        None => budget.clone(),
    };
    let run = machine.run(function, &arguments, given.inputs, &mut DiscardedOutput, &mut part);
    let standard_input = given.standard_input;
    let not_confirmed = |what: String| Reason::NotConfirmed { what, place: None };
    if let Some(recurrence) = recurrence {
        let prefix = run.inputs.iter().map(|input| input.value).collect();
        let guess = Guess { prefix, standard_input, arguments: words, ..Guess::zeros() };
        let what = "the run may leave the set of states that it is said to stay in";
        return check(program, query, function, &guess, recurrence, budget)
            .ok_or_else(|| not_confirmed(what.to_owned()));
    }
    let words = query.taken(program, function, &words);
    let tried = Tried { run: &run, arguments: &arguments, words, standard_input: &standard_input };
    let unviolated = || not_confirmed(format!("the run does not violate {}", query.property.name()));
    violation(&machine, program, query, function, tried).map_err(|reason| reason.unwrap_or_else(unviolated))
}
