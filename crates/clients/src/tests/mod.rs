//! Inputs that reach each branch of a program, or one line of it, also behind loops of millions of iterations.
//!
//! ```text
//! program as lowered ─ marks on all targets ─► runs on guessed inputs ─► targets that are still open
//!        │                                          ▲                               │
//!        └─ marks on those ─► loops abstracted, or unrolled ─► a model that comes to one ─► its inputs
//!                                         └─► no model, and nothing else can go wrong: unreachable, proved
//! ```
//!
//! Symbolic execution that follows a loop iteration by iteration needs as many queries as the loop has iterations (Xie
//! and others, IEEE TSE 2017, section 7.3 and Table 6). A loop that is abstracted costs one, whatever its number of
//! iterations: the invariants that the kernel has accepted for its head relate what comes out of it to what went in. A
//! model of the program with such abstract loops need not be a run, so that each is tried in the interpreter, and only
//! what a run has reached is called reached.
//!
//! Deviation: the paper puts a disjunctive summary in the place of a loop, which is exact where it can be made.
//! Invariants are weaker but hold for every loop; that a model is not a run costs another try, never a wrong test.
//!
//! Undefined functions are stood in for (`stubs.rs`): a test says what they return.
//!
//! Known imprecision: a target behind something that the interpreter only guesses at, or behind uninitialised memory,
//! is not called reached; a run whose inputs the source does not ask for by a function cannot be a test.

mod collect;
mod search;
mod stubs;
mod targets;

use base::Budget;
use evidence::{Place, Reach, Reason, Suite, Target};
use program::interpret::{Integers, Machine, ObligationSet};
use program::{Obligation, Program};

pub use self::targets::Wanted;

use self::collect::Collection;
use self::search::{Search, State};
use self::targets::{lines, marked, spots};
use crate::Property;
use crate::refute::{self, Query, entry, options};

/// The steps of the runs on guessed inputs.
const GUESSING: u64 = 10_000_000;

/// What is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The function that tests start in. `main` gets a command line, every other function arbitrary arguments.
    pub function: String,
    /// What is to be reached.
    pub wanted: Wanted,
    /// How inputs are looked for.
    pub method: Method,
}

/// How inputs are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// By runs on guessed inputs, by havoc abstraction of loops, and by unwinding them.
    #[default]
    All,
    /// By following loops iteration by iteration, deeper and deeper, and nothing else: what symbolic execution does
    /// without summaries. It is there to be compared with.
    Unrolling,
}

/// What is going on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// So many runs were made.
    Runs(u64),
    /// Invariants were found for so many of so many nests of loops.
    Summarising(usize, usize),
    /// Targets are looked for where loops are followed for so many iterations.
    Unrolling(u64),
    /// So many of so many targets are settled.
    Settled(usize, usize),
}

/// Why there is no suite.
#[derive(Clone, PartialEq, Debug)]
pub enum Refusal {
    /// The function to start in cannot be run.
    Entry(Reason),
    /// The line has no code.
    NoCode {
        /// The next line that has, if there is one.
        next: Option<u32>,
        /// Whether the file has any.
        known: bool,
    },
}

/// Looks for tests. The program is as it was lowered, without clean-up passes.
///
/// # Errors
/// If there is nothing to start from, or nothing at the line that is asked for.
pub fn tests(
    program: &Program,
    request: &Request,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Suite, Refusal> {
    let function = entry(program, &request.function).map_err(Refusal::Entry)?;
    let spots = spots(program, function, &request.wanted);
    if let (Wanted::Line { file, line }, []) = (&request.wanted, &spots[..]) {
        let lines = lines(program, file);
        return Err(Refusal::NoCode { next: lines.range(line..).next().copied(), known: !lines.is_empty() });
    }
    // Whoever reads what is uninitialised, or fails an assertion, does not go on.
    let ends = [Obligation::Assertion, Obligation::ReachError, Obligation::Uninitialised];
    let query = Query {
        property: Property::Obligations(ends.into_iter().collect::<ObligationSet>()),
        function: request.function.clone(),
        integers: Integers::Machine,
    };
    let stubs = stubs::stubs(program);
    let mut runnable = marked(program, &spots, |_| true);
    stubs::stand_in(&mut runnable, &stubs);
    program::passes::simplify(&mut runnable);
    let machine = Machine::new(&runnable, &options(&query));
    let start = entry(&runnable, &request.function).map_err(Refusal::Entry)?;
    let mut collection = Collection::new(&runnable, &machine, start, spots.len());
    if request.method == Method::All && !spots.is_empty() {
        let part = budget.part(GUESSING);
        let mut watch = |tried: &refute::Tried<'_>| collection.look_at(tried);
        refute::explore(&runnable, &query, start, &part, &mut watch, &mut |runs| {
            progress(Progress::Runs(runs));
        });
    }
    let mut search = Search::new(program, &spots, &stubs, &query, &mut collection);
    search.run(request.method, budget, progress);
    let states = search.states();
    let tests = collection.tests();
    let status = |target: usize, state: State| {
        let test = tests.iter().position(|test| test.reaches.contains(&target));
        match (test, state) {
            (Some(test), _) => Reach::Reached { test: test + 1 },
            (None, State::Unreachable) => Reach::Unreachable,
            (None, State::Open(reason)) => Reach::Open { reason },
        }
    };
    let targets = spots.iter().zip(states).enumerate().map(|(target, (spot, state))| Target {
        function: program.functions[spot.function].name.clone(),
        place: Place::of(program, spot.location),
        goal: spot.goal.clone(),
        status: status(target, state),
    });
    let (entry, targets, runs) = (request.function.clone(), targets.collect(), collection.runs);
    Ok(Suite { entry, targets, tests, stubs: stubs.into_iter().collect(), runs })
}
