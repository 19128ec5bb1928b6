//! All that is known of each loop, within a few seconds.
//!
//! ```text
//! how many iterations ─► does it stop, where no bound says so ─► what it computes, by cases
//! ```
//!
//! Each function is analysed modularly, several at a time. Cheap queries come first for all functions, so that what the
//! time does not suffice for is the summaries.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use base::Budget;
use certify::{ModularFunctions, Stopping};
use evidence::{LoopBound, LoopReport};
use program::interpret::Integers;
use program::{FunctionId, Program};

use crate::bounds::{self, Bounds, open};
use crate::functions::{Examined, Rounds, TIME_IS_OVER, Turn, Watch};
use crate::summarize::{Request, Summaries};
use crate::terminates::{Stage, Terminates};

/// How long a loop may take for its bound, and as long again to show that it stops.
const LOOP_TIME: Duration = Duration::from_secs(1);

/// The share of the time for bounds and arguments.
const COUNTING: f64 = 0.8;

/// How long the summaries of a function may take.
const SUMMARY_TIME: Duration = Duration::from_secs(1);

/// What is known of a loop.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Findings {
    /// How many iterations it makes.
    pub bound: Option<LoopBound>,
    /// Whether it stops.
    pub stopping: Option<Stopping>,
    /// What it does.
    pub summary: Option<LoopReport>,
}

/// What is known of loops, by their names.
pub type AllFindings = BTreeMap<String, Findings>;

/// What is found out about the loops of some functions.
pub fn run(program: &Program, functions: &[FunctionId], budget: &Budget, watch: Watch<'_>) -> AllFindings {
    let mut all = AllFindings::new();
    if functions.is_empty() {
        return all;
    }
    let modular = Arc::new(ModularFunctions::of(program));
    let bounds = Bounds::sharing(program, modular.clone(), Integers::Machine);
    let terminates = Terminates::sharing(program, modular.clone(), Integers::Machine);
    for (loops, stoppings) in counted(program, functions, &bounds, &terminates, budget, watch) {
        for (one, stopping) in loops.into_iter().zip(stoppings) {
            let known = all.entry(one.name.clone()).or_default();
            (known.bound, known.stopping) = (Some(one), stopping);
        }
    }
    let request = Request { function: None, line: None, variables: Vec::new(), integers: Integers::Machine };
    let summaries = Summaries::of(program, modular);
    for one in summaries.all(functions, &request, SUMMARY_TIME, budget, watch).loops {
        let known = all.entry(one.name.clone()).or_default();
        known.summary = Some(one);
    }
    all
}

/// The bounds of the loops of a function, and for those without one whether they stop.
type Counted = (Vec<LoopBound>, Vec<Option<Stopping>>);

fn counted(
    program: &Program,
    functions: &[FunctionId],
    bounds: &Bounds<'_>,
    terminates: &Terminates<'_>,
    budget: &Budget,
    watch: Watch<'_>,
) -> Vec<Counted> {
    let budget = &budget.share(COUNTING);
    let unknown = |&function: &FunctionId| {
        let stopping = terminates.all_unknown(function, TIME_IS_OVER);
        (function, (bounds.unbounded(function, TIME_IS_OVER), stopping.into_iter().map(Some).collect()))
    };
    let mut known: BTreeMap<FunctionId, Counted> = functions.iter().map(unknown).collect();
    let search = Search { bounds, terminates, budget };
    for function in (Rounds { program, functions, most: LOOP_TIME, budget, watch }).run(&mut known, &search) {
        if let Some((loops, stoppings)) = known.get_mut(&function) {
            bounds::cut_short(loops);
            let mut answers: Vec<Stopping> = stoppings.iter().flatten().cloned().collect();
            terminates.cut_short(function, &mut answers);
            *stoppings = answers.into_iter().map(Some).collect();
        }
    }
    known.into_values().collect()
}

/// The search for bounds and arguments in rounds.
struct Search<'a, 'p> {
    bounds: &'a Bounds<'p>,
    terminates: &'a Terminates<'p>,
    budget: &'a Budget,
}

impl Search<'_, '_> {
    /// What is open: a loop without a bound that is not known to stop.
    fn is_open(bound: &LoopBound, stopping: &Option<Stopping>) -> bool {
        bound.bound.is_none() && !matches!(stopping, Some(stopping) if stopping.stops())
    }
}

impl Examined<Counted> for Search<'_, '_> {
    fn open(&self, (loops, stoppings): &Counted) -> usize {
        loops.iter().zip(stoppings).filter(|(one, stopping)| Self::is_open(one, stopping)).count()
    }

    fn work(&self, function: FunctionId, (loops, stoppings): &Counted, turn: Turn) -> Counted {
        let budget = turn.limited(self.budget);
        let half = Turn { limit: turn.limit.map(|limit| limit / 2), ..turn };
        let loops = self.bounds.better(function, loops, half, &budget);
        if open(&loops) == 0 {
            return (loops, vec![None; stoppings.len()]);
        }
        let mut answers: Vec<Stopping> = stoppings.iter().flatten().cloned().collect();
        self.terminates.improve_in(turn, function, Stage::Loops, &mut answers, &budget);
        (loops, answers.into_iter().map(Some).collect())
    }

    fn failed(&self, function: FunctionId, _: &Counted, problem: &str) -> Counted {
        let stoppings = self.terminates.all_unknown(function, problem);
        (self.bounds.unbounded(function, problem), stoppings.into_iter().map(Some).collect())
    }
}
