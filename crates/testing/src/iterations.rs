//! How often the bodies of loops are executed in a run, told by loops of one iteration that the run has in them.
//!
//! A text says `/*body*/` where a body begins. What is analysed is the text as it is; what is run has a loop there, over a
//! variable `begun`. So nothing hangs on what the front end says about where a body begins.

use std::collections::{BTreeMap, BTreeSet};

use loops::{LoopForest, LoopId, LoopNames};
use program::{Body, FunctionId, Program};

/// The text that is run.
pub(crate) fn with_counts(text: &str) -> String {
    text.replace("/*body*/", "for (int begun = 0; begun < 1; begun++) nondet();")
}

/// The loops of a function of the program that is run.
pub(crate) struct Counted {
    /// The loops of the function.
    pub(crate) forest: LoopForest,
    /// Those that tell that a body is executed.
    pub(crate) bodies: BTreeSet<LoopId>,
    /// The same loops of the program that is analysed.
    pub(crate) analysed: BTreeMap<LoopId, LoopId>,
}

impl Counted {
    /// The loops of a function in the program that is run and in the one that is analysed.
    pub(crate) fn of(
        run: &Program,
        function: FunctionId,
        analysed: &Program,
        same: FunctionId,
    ) -> Option<Self> {
        let body = run.functions[function].body()?;
        let (forest, other) = (LoopForest::of(body), LoopForest::of(analysed.functions[same].body()?));
        let counts = |&id: &LoopId| forest[id].children.is_empty() && is_count(body, &forest, id);
        let bodies: BTreeSet<LoopId> = forest.iter().map(|(id, _)| id).filter(counts).collect();
        let mut own = in_order(run, function, &forest);
        own.retain(|id| !bodies.contains(id));
        let others = in_order(analysed, same, &other);
        let analysed = own.into_iter().zip(others).collect();
        Some(Self { forest, bodies, analysed })
    }

    /// Whether the executions of a loop's body are counted.
    pub(crate) fn is_counted(&self, id: LoopId) -> bool {
        self.forest[id].children.iter().any(|child| self.bodies.contains(child))
    }
}

/// How often a body was executed, if the head of the loop in it was visited so often: twice each time.
pub(crate) const fn executed(visits: u64) -> u64 {
    visits.div_ceil(2)
}

fn is_count(body: &Body, forest: &LoopForest, id: LoopId) -> bool {
    let statements = forest.blocks(id).iter().flat_map(|&block| &body.blocks[block].statements);
    let mut targets = statements.filter_map(|statement| statement.kind.target());
    targets.any(|target| !target.is_global() && body.variables[target].name.starts_with("begun"))
}

/// The loops in the order of the source.
fn in_order(program: &Program, function: FunctionId, forest: &LoopForest) -> Vec<LoopId> {
    let names = LoopNames::new().of_function(program, function, forest);
    let mut all: Vec<_> =
        forest.iter().map(|(id, _)| id).zip(names.iter().map(|name| name.location)).collect();
    all.sort_by_key(|(_, location)| (location.line, location.column));
    all.into_iter().map(|(id, _)| id).collect()
}
