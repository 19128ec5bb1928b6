//! Looks for a run that violates a property.
//!
//! Method: the interpreter runs the program on guessed inputs. First zeros, then the same number everywhere, then
//! mixtures that favour the constants of the program, and variations of inputs that made the program do something new.
//! Many short runs come first; the ones that did not end are tried again with more steps. The search gives up when runs
//! stop showing anything new, so that a query that it cannot answer costs little. Everything is counted in steps: the
//! same query gets the same answer on every machine, unless the time runs out.
//!
//! A run counts only if it is clean and can be repeated. Clean: nothing was guessed by the interpreter, and nothing
//! that C leaves undefined came before the violation, for after that a program may do anything. Repeated: the same
//! inputs, given as a fixed list, lead to the same end.
//!
//! Known imprecision: the search sees nothing of the program but its constants; a violation behind a condition that
//! no guess satisfies is not found.

mod confirm;
mod guess;
mod judge;
mod nontermination;
mod record;
mod replay;
mod search;

pub use confirm::{Given, Recurrence, confirm};
pub use record::options;

use base::Budget;
use certify::Verdict;
use certify::unrolling::SuspectInput;
use evidence::{Place, Reason};
use program::interpret::{Arguments, DiscardedOutput, FixedInputs, Integers, Machine, Run};
use program::{Definition, FunctionId, Program};

use evidence::Property;

pub(crate) use record::{input, shown};
pub(crate) use replay::{follow, replay};

/// What is asked about a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    /// The property.
    pub property: Property,
    /// The function that runs start in. `main` gets a command line, every other function arbitrary arguments.
    pub function: String,
    /// What integers are.
    pub integers: Integers,
}

impl Query {
    /// What the function is started with: `main` with some words, program name first.
    pub(crate) fn arguments(&self, words: &[Vec<u8>]) -> Arguments {
        match (self.function.as_str(), words) {
            ("main", []) => Arguments::CommandLine(vec![b"program".to_vec()]),
            ("main", words) => Arguments::CommandLine(words.to_vec()),
            _ => Arguments::FromInputs,
        }
    }

    /// Whether the function takes the words of a command line.
    fn takes_words(&self, program: &Program, function: FunctionId) -> bool {
        self.function == "main" && !program.functions[function].parameters.is_empty()
    }

    /// Of some words those that the function takes.
    fn taken<'w>(&self, program: &Program, function: FunctionId, words: &'w [Vec<u8>]) -> &'w [Vec<u8>] {
        if self.takes_words(program, function) { words } else { &[] }
    }
}

/// Looks for a run that violates the property: refuted with that run, or unknown with the reason.
///
/// `progress` is told now and then how many runs were tried.
pub fn refute(program: &Program, query: &Query, budget: &Budget, progress: &mut dyn FnMut(u64)) -> Verdict {
    match entry(program, &query.function) {
        Ok(function) => search::Search::new(program, query, function, budget.clone()).run(progress).0,
        Err(reason) => Verdict::unknown(reason),
    }
}

/// The same; also gives what starts runs that did not end or showed something new.
pub(crate) fn refute_for_leads(
    program: &Program,
    query: &Query,
    budget: &Budget,
    progress: &mut dyn FnMut(u64),
) -> (Verdict, Leads) {
    match entry(program, &query.function) {
        Ok(function) => {
            let search = search::Search::new(program, query, function, budget.clone());
            let (verdict, guesses) = search.run(progress);
            (verdict, Leads { guesses: nontermination::distinct(guesses) })
        }
        Err(reason) => (Verdict::unknown(reason), Leads::default()),
    }
}

/// How runs may start that never end.
#[derive(Default)]
pub(crate) struct Leads {
    guesses: Vec<guess::Guess>,
}

impl Leads {
    /// Adds the run that some inputs suggest.
    pub fn suggest(
        &mut self,
        program: &Program,
        query: &Query,
        function: FunctionId,
        inputs: &[SuspectInput],
    ) {
        self.guesses.insert(0, replay::guess(program, query, function, inputs));
    }
}

/// Looks for a run that starts in one of these ways and can be shown to go on for ever.
pub(crate) fn infinite_run(
    program: &Program,
    query: &Query,
    leads: &mut Leads,
    budget: &Budget,
) -> Option<Verdict> {
    let function = entry(program, &query.function).ok()?;
    // What was tried once is not tried again.
    let guesses = std::mem::take(&mut leads.guesses);
    let found = nontermination::search(program, query, function, &guesses, budget)?;
    Some(Verdict::Refuted { counterexample: Box::new(found) })
}

/// A run that was made, and all that is needed to make it again.
#[derive(Clone, Copy)]
pub(crate) struct Tried<'a> {
    pub run: &'a Run,
    pub arguments: &'a Arguments,
    /// The words of the command line; none if the function takes none.
    pub words: &'a [Vec<u8>],
    /// What was read from standard input.
    pub standard_input: &'a [u8],
}

impl Tried<'_> {
    /// The run with its own inputs as a fixed list, and so many steps.
    pub fn again(&self, machine: &Machine<'_>, function: FunctionId, steps: u64) -> Run {
        let values = self.run.inputs.iter().map(|input| input.value).collect();
        let mut inputs = FixedInputs::new(values, self.standard_input.to_vec());
        machine.run(function, self.arguments, &mut inputs, &mut DiscardedOutput, &mut Budget::steps(steps))
    }
}

/// What somebody thinks of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Interest {
    /// It shows nothing new.
    None,
    /// It shows something new.
    New,
    /// No more runs are needed.
    Enough,
}

/// Somebody who sees all runs of a search.
pub(crate) type Watch<'a> = dyn FnMut(&Tried<'_>) -> Interest + 'a;

/// Makes the runs that a search for a violation would make, while somebody watches. Gives their number.
pub(crate) fn explore<'a>(
    program: &'a Program,
    query: &'a Query,
    function: FunctionId,
    budget: &Budget,
    watch: &'a mut Watch<'a>,
    progress: &mut dyn FnMut(u64),
) -> u64 {
    search::Search::new(program, query, function, budget.clone()).explore(watch, progress)
}

/// The function to start in, if it can be run.
pub(crate) fn entry(program: &Program, name: &str) -> Result<FunctionId, Reason> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::Failure;

    fn ask(text: &str, property: &str) -> Verdict {
        let program = parser::parse(text).expect("the test's program parses");
        let property = Property::from_name(property).expect("the test's property is known");
        let query = Query { property, function: String::from("main"), integers: Integers::Machine };
        refute(&program, &query, &Budget::unlimited(), &mut |_| {})
    }

    /// A program that fails an assertion after these statements.
    fn guarded(statements: &str) -> String {
        format!(
            "data_model LP64
            function main() -> i32 {{
              variable %x: i32
              variable %y: i32
            b0:
              {statements}
            b1:
              check assertion false
              return 0:i32
            b2:
              return 0:i32
            }}"
        )
    }

    #[test]
    fn a_number_of_the_program_is_guessed() {
        let verdict =
            ask(&guarded("%x := input nondet  if %x == 123456:i32 goto b1 else b2"), "unreach-call");
        let Verdict::Refuted { counterexample } = verdict else { panic!("{verdict:?}") };
        assert_eq!(counterexample.inputs[0].value, "123456");
        assert!(matches!(counterexample.failure, Failure::Violation { .. }));
    }

    #[test]
    fn two_inputs_that_depend_on_each_other_are_guessed() {
        let text = guarded(
            "%x := input nondet  %y := input nondet  assume 100:i32 < %x  assume %y == (%x + 1:i32)  goto b1",
        );
        assert!(matches!(ask(&text, "unreach-call"), Verdict::Refuted { .. }));
    }

    #[test]
    fn the_answer_is_the_same_every_time() {
        let text = guarded("%x := input nondet  %y := input nondet  if (%x * %y) == 391:i32 goto b1 else b2");
        assert_eq!(ask(&text, "unreach-call"), ask(&text, "unreach-call"));
    }

    #[test]
    fn undefined_behaviour_of_another_kind_ends_the_search_with_a_reason() {
        let text = guarded("%x := 1:i32  check signed-overflow %x == 2:i32  goto b1");
        let Verdict::Unknown { reason, also } = ask(&text, "unreach-call") else {
            panic!("this is no refutation")
        };
        assert!(
            matches!(reason, Reason::NotProved { runs: 1, .. }),
            "one run is enough without inputs: {reason:?}"
        );
        assert!(matches!(
            also[..],
            [Reason::Undefined { obligation: program::Obligation::SignedOverflow, .. }]
        ));
        assert!(matches!(ask(&text, "no-overflow"), Verdict::Refuted { .. }));
    }

    #[test]
    fn a_state_that_comes_back_refutes_termination() {
        let text = "data_model LP64
            function main() -> i32 {
              variable %x: i32
            b0:
              %x := input nondet
              goto b1
            b1: loop while
              if %x == 5:i32 goto b1 else b2
            b2:
              return 0:i32
            }";
        let Verdict::Refuted { counterexample } = ask(text, "termination") else {
            panic!("it never ends for 5")
        };
        assert!(matches!(counterexample.failure, Failure::Repetition { .. }));
    }

    #[test]
    fn what_cannot_be_run_is_said() {
        let verdict = ask("data_model LP64 external main() -> i32", "termination");
        assert!(matches!(verdict, Verdict::Unknown { reason: Reason::NoEntry { .. }, .. }));
        let verdict =
            ask("data_model LP64 unsupported main() -> i32 because \"nested function\"", "termination");
        assert!(matches!(verdict, Verdict::Unknown { reason: Reason::Unsupported { .. }, .. }));
    }
}
