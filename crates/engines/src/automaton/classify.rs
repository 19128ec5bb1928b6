//! The four types of loops (Table 1): by whether all conditions are on induction variables, and by whether all executions
//! are sequential or periodic.

use base::Budget;
use loops::{Criterion, LoopForest, LoopId, PostDominators, Slice};
use program::interpret::Integers;
use program::{Body, Program};

use super::Automaton;
use super::trace::{Traces, Traversal};

/// The type of a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LoopType {
    /// Only conditions on induction variables; sequential or periodic.
    One,
    /// Only conditions on induction variables; irregular.
    Two,
    /// Other conditions as well; sequential or periodic.
    Three,
    /// Other conditions as well; irregular.
    Four,
}

impl LoopType {
    /// Its number in the paper.
    pub const fn number(self) -> u8 {
        match self {
            LoopType::One => 1,
            LoopType::Two => 2,
            LoopType::Three => 3,
            LoopType::Four => 4,
        }
    }

    /// The types of the loops of a function, in the order of the forest, each examined for when it is left (section
    /// 7.1). Nothing for a loop with too many paths. Each may cost as much as the budget says.
    pub fn of_loops(
        program: &Program,
        body: &Body,
        forest: &LoopForest,
        integers: Integers,
        budget: &Budget,
    ) -> Vec<Option<Self>> {
        let dominators = PostDominators::of(forest.graph());
        let one = |id: LoopId| {
            let slice = Slice::of(body, forest, &dominators, id, Criterion::Exits);
            let mut part = budget.clone();
            let mut automaton = Automaton::of(program, body, forest, id, &slice, integers, &mut part)?;
            let traces = Traversal::rough_traces(&mut automaton, &mut part);
            Some(automaton.classify(&traces))
        };
        forest.iter().map(|(id, _)| one(id)).collect()
    }
}

impl Automaton {
    /// The type of the loop, by its traces.
    pub fn classify(&self, traces: &Traces) -> LoopType {
        let irregular = !traces.complete || traces.irregular;
        match (self.has_other_conditions(), irregular) {
            (false, false) => LoopType::One,
            (false, true) => LoopType::Two,
            (true, false) => LoopType::Three,
            (true, true) => LoopType::Four,
        }
    }

    /// Whether a condition is not one on induction variables that move monotonically.
    fn has_other_conditions(&self) -> bool {
        self.paths.iter().zip(&self.segments).any(|(path, segment)| {
            path.partial
                || segment.as_ref().is_some_and(|segment| {
                    path.conditions.iter().any(|atom| {
                        let sequence = segment.form.sequence(&self.definitions, &atom.number);
                        sequence.and_then(|sequence| sequence.steps()).is_none()
                    })
                })
        })
    }
}
