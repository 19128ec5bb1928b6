//! Lets the arms of a conditional expression assign the variable that gets its value.
//!
//! ```text
//! b1: t := x           b1: m := x
//!     goto b3              goto b3
//! b2: t := y     ─►    b2: m := y
//!     goto b3              goto b3
//! b3: m := t           b3:
//! ```

use base::Index;

use super::{blocks, expressions};
use crate::expression::{ExprKind, VariableId};
use crate::function::{BlockId, Body, Origin};
use crate::statement::{StatementKind, Terminator};

/// A conditional expression in an arm of another one takes a round of its own; deeper nests are left as they are.
const ROUNDS: usize = 4;

/// Replaces temporaries that only carry a value from several blocks to one assignment.
pub fn coalesce(body: &mut Body) {
    for _ in 0..ROUNDS {
        let found = carriers(body);
        if found.is_empty() {
            return;
        }
        for carrier in found {
            carrier.replace(body);
        }
        blocks::tidy(body);
    }
}

/// A temporary to replace.
struct Carrier {
    /// The blocks that give it a value, as their last statement.
    arms: Vec<BlockId>,
    /// Where the arms meet, and the first statement takes the value.
    join: BlockId,
    /// The variable that gets the value.
    target: VariableId,
}

fn carriers(body: &Body) -> Vec<Carrier> {
    let reads = expressions::reads(body);
    let assignments = expressions::assignments(body);
    let predecessors = body.predecessors();
    let mut found = Vec::new();
    let mut is_changed = vec![false; body.blocks.len()];
    for (join, block) in body.blocks.iter() {
        let Some(StatementKind::Assign { target, value }) = block.statements.first().map(|first| &first.kind)
        else {
            continue;
        };
        let ExprKind::Variable(temporary) = body.expressions[*value].kind else { continue };
        let arms = &predecessors[join];
        let carries = |&arm: &BlockId| {
            let block = &body.blocks[arm];
            let last = block.statements.last().and_then(|last| last.kind.target());
            last == Some(temporary) && block.terminator == Terminator::Goto(join) && !is_changed[arm.index()]
        };
        let is_temporary = !temporary.is_global() && body.variables[temporary].origin == Origin::Temporary;
        if is_temporary
            && reads[temporary.index()] == 1
            && arms.len() > 1
            && assignments[temporary.index()] == arms.len()
            && arms.iter().all(carries)
            && !is_changed[join.index()]
        {
            // What another replacement has changed is examined again in the next round.
            arms.iter().chain([&join]).for_each(|block| is_changed[block.index()] = true);
            found.push(Carrier { arms: arms.clone(), join, target: *target });
        }
    }
    found
}

impl Carrier {
    fn replace(self, body: &mut Body) {
        for arm in self.arms {
            let statements = &mut body.blocks[arm].statements;
            let Some(last) = statements.last_mut() else { continue };
            last.kind.target_mut().into_iter().for_each(|target| *target = self.target);
            if let StatementKind::Assign { value, .. } = last.kind
                && body.expressions[value].kind == ExprKind::Variable(self.target)
            {
                statements.pop();
            }
        }
        body.blocks[self.join].statements.remove(0);
    }
}
