//! A run that a witness tells of, made once more: nothing is looked for.
//!
//! The inputs are those of the witness, and the run counts by the same rules as any other: it must be clean, violate the
//! property, and be the same when it is repeated. For a run that never ends the kernel checks the claimed set of states
//! once more.

use base::Budget;
use evidence::{Counterexample, Expression, Formula, Reason};
use program::interpret::{Arguments, DiscardedOutput, FixedInputs, Inputs, Machine, Run};
use program::{FunctionId, Program};

use super::guess::Guess;
use super::judge::{Judgement, judge};
use super::nontermination::check;
use super::record::{counterexample, options};
use super::{Query, entry};

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
    let words = if given.arguments.is_empty() { vec![b"program".to_vec()] } else { given.arguments.clone() };
    let arguments = match query.function.as_str() {
        "main" => Arguments::CommandLine(words.clone()),
        _ => Arguments::FromInputs,
    };
    let machine = Machine::new(program, &options(query));
    // The beginning of a run that never ends shows what its inputs are.
    let mut part = match recurrence {
        Some(recurrence) => budget.part(recurrence.step.saturating_add(1)),
        None => budget.clone(),
    };
    let run = machine.run(function, &arguments, given.inputs, &mut DiscardedOutput, &mut part);
    let work = Work { program, query, function, arguments, words, standard_input: given.standard_input };
    match recurrence {
        Some(recurrence) => work.nontermination(&run, recurrence, budget),
        None => work.repeated(&machine, &run),
    }
}

struct Work<'a> {
    program: &'a Program,
    query: &'a Query,
    function: FunctionId,
    arguments: Arguments,
    words: Vec<Vec<u8>>,
    standard_input: Vec<u8>,
}

impl Work<'_> {
    fn repeated(&self, machine: &Machine<'_>, run: &Run) -> Result<Counterexample, Reason> {
        let none: &[Vec<u8>] = &[];
        let is_given = !self.program.functions[self.function].parameters.is_empty();
        let words = if is_given && self.query.function == "main" { &self.words[..] } else { none };
        let found = match judge(self.program, &self.query.property, run, words) {
            Judgement::Violates(found) => found,
            Judgement::Nothing(reason) => return Err(reason),
            Judgement::Good => {
                let what = format!("the run does not violate {}", self.query.property.name());
                return Err(Reason::NotConfirmed { what, place: None });
            }
        };
        let values = run.inputs.iter().map(|input| input.value).collect();
        let mut fixed = FixedInputs::new(values, self.standard_input.clone());
        let mut again = Budget::steps(run.steps.saturating_add(1000));
        let repeated =
            machine.run(self.function, &self.arguments, &mut fixed, &mut DiscardedOutput, &mut again);
        if repeated != *run {
            return Err(Reason::NotReplayed { place: found.place().cloned() });
        }
        let bytes = self.standard_input.clone();
        Ok(counterexample(self.program, self.query, words, bytes, run, found))
    }

    fn nontermination(
        &self,
        run: &Run,
        recurrence: &Recurrence,
        budget: &Budget,
    ) -> Result<Counterexample, Reason> {
        let guess = Guess {
            prefix: run.inputs.iter().map(|input| input.value).collect(),
            standard_input: self.standard_input.clone(),
            arguments: self.words.clone(),
            ..Guess::zeros()
        };
        check(self.program, self.query, self.function, &guess, recurrence, budget).ok_or_else(|| {
            let what = String::from("the run may leave the set of states that it is said to stay in");
            Reason::NotConfirmed { what, place: None }
        })
    }
}
