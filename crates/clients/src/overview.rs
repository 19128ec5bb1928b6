//! All that is known of each loop, within a few seconds.
//!
//! ```text
//! how many iterations ─► does it stop, where no bound says so ─► what it computes, by cases
//! ```
//!
//! Each function is analysed modularly, several at a time. Cheap queries come first for all functions, so that what the
//! time does not suffice for is the summaries.

use std::collections::BTreeMap;
use std::time::Duration;

use base::Budget;
use certify::Stopping;
use evidence::{LoopBound, LoopReport};
use program::interpret::Integers;
use program::{FunctionId, Program};

use crate::bounds::Bounds;
use crate::functions::{Watch, for_each_function};
use crate::summarize::{Request, summarize};
use crate::terminates::Terminates;

/// How long a loop may take for its bound, and as long again to show that it stops.
const LOOP_TIME: Duration = Duration::from_secs(1);

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
    let mut bounds = Bounds::new(program, Integers::Machine);
    bounds.loop_time = LOOP_TIME;
    let mut terminates = Terminates::new(program, Integers::Machine);
    terminates.loop_time = LOOP_TIME;
    let counted = for_each_function(
        program,
        functions,
        watch,
        |function| counted(&bounds, &terminates, function, budget),
        |_, _| (Vec::new(), Vec::new()),
    );
    for (loops, stoppings) in counted {
        for (one, stopping) in loops.into_iter().zip(stoppings) {
            let known = all.entry(one.name.clone()).or_default();
            (known.bound, known.stopping) = (Some(one), stopping);
        }
    }
    let work = |function: FunctionId| summarised(program, function, budget);
    for one in for_each_function(program, functions, watch, work, |_, _| Vec::new()).into_iter().flatten() {
        let known = all.entry(one.name.clone()).or_default();
        known.summary = Some(one);
    }
    all
}

/// The bounds of a function's loops, and where there are none whether they stop.
fn counted(
    bounds: &Bounds<'_>,
    terminates: &Terminates<'_>,
    function: FunctionId,
    budget: &Budget,
) -> (Vec<LoopBound>, Vec<Option<Stopping>>) {
    let loops = bounds.of_function(function, budget);
    let stopping = match loops.iter().all(|one| one.bound.is_some()) {
        true => vec![None; loops.len()],
        false => terminates.modular(function, budget).into_iter().map(Some).collect(),
    };
    (loops, stopping)
}

fn summarised(program: &Program, function: FunctionId, budget: &Budget) -> Vec<LoopReport> {
    let request = Request {
        function: Some(program.functions[function].name.clone()),
        line: None,
        variables: Vec::new(),
        integers: Integers::Machine,
    };
    summarize(program, &request, &budget.clone().within(SUMMARY_TIME), &mut |_| {}).loops
}
