//! Which variables of a body may be read before they are assigned: only those need a flag at run time.
//!
//! A forward must-analysis over the blocks. Most variables are read only after an assignment in the same block and
//! never enter it. A body for which the sets would be too large gets a flag for every variable that does.

use base::Index;

use crate::expression::{ExprId, ExprKind, VariableId};
use crate::function::{BlockId, Body};
use crate::statement::{Check, StatementKind};

/// The sets of a body may have this many bits together.
const SET_LIMIT: usize = 1 << 28;

/// For each variable of the body whether it may be read before it is assigned.
pub(super) fn maybe_unassigned(body: &Body) -> Vec<bool> {
    let sets = BlockSets::collect(body);
    let mut candidates = vec![None; body.variables.len()];
    let mut count = 0;
    for &variable in sets.exposed.iter().flatten() {
        let number = &mut candidates[variable];
        if number.is_none() {
            *number = Some(count);
            count += 1;
        }
    }
    let mut result = vec![false; body.variables.len()];
    if count * body.blocks.len() > SET_LIMIT {
        candidates.iter().zip(&mut result).for_each(|(candidate, result)| *result = candidate.is_some());
        return result;
    }
    let assigned = assigned_on_entry(body, &sets, &candidates, count);
    for (exposed, assigned) in sets.exposed.iter().zip(&assigned) {
        for &variable in exposed {
            if let Some(number) = candidates[variable] {
                result[variable] |= !assigned.contains(number);
            }
        }
    }
    result
}

/// The local variables that each block reads before assigning them, and those that it assigns.
struct BlockSets {
    exposed: Vec<Vec<usize>>,
    assigned: Vec<Vec<usize>>,
}

impl BlockSets {
    fn collect(body: &Body) -> Self {
        let mut reader =
            Reader { body, seen: vec![0; body.expressions.len()], statement: 0, stack: Vec::new() };
        let mut last_block = vec![usize::MAX; body.variables.len()];
        let mut sets = Self { exposed: Vec::new(), assigned: Vec::new() };
        for (id, block) in body.blocks.iter() {
            let number = id.index();
            let mut exposed = Vec::new();
            let mut assigned = Vec::new();
            if number == 0 {
                for parameter in &body.parameters {
                    last_block[parameter.index()] = 0;
                    assigned.push(parameter.index());
                }
            }
            for statement in &block.statements {
                let mut read = |variable: VariableId| {
                    if !variable.is_global() && last_block[variable.index()] != number {
                        exposed.push(variable.index());
                    }
                };
                if let StatementKind::Check(Check::Defined { variable }) = statement.kind {
                    read(variable);
                }
                reader.read(&statement.kind.operands(), &mut read);
                if let Some(target) = statement.kind.target().filter(|target| !target.is_global()) {
                    last_block[target.index()] = number;
                    assigned.push(target.index());
                }
            }
            reader.read(block.terminator.operand().as_slice(), &mut |variable| {
                if !variable.is_global() && last_block[variable.index()] != number {
                    exposed.push(variable.index());
                }
            });
            exposed.sort_unstable();
            exposed.dedup();
            sets.exposed.push(exposed);
            sets.assigned.push(assigned);
        }
        sets
    }
}

/// Finds the variables of expressions, examining shared operands once for each statement.
struct Reader<'a> {
    body: &'a Body,
    seen: Vec<u32>,
    statement: u32,
    stack: Vec<ExprId>,
}

impl Reader<'_> {
    fn read(&mut self, roots: &[ExprId], visit: &mut impl FnMut(VariableId)) {
        self.statement += 1;
        self.stack.extend_from_slice(roots);
        while let Some(id) = self.stack.pop() {
            if std::mem::replace(&mut self.seen[id.index()], self.statement) == self.statement {
                continue;
            }
            let expr = &self.body.expressions[id];
            if let ExprKind::Variable(variable) = expr.kind {
                visit(variable);
            }
            self.stack.extend(expr.operands());
        }
    }
}

/// For each block the candidates that are assigned on every way to it.
fn assigned_on_entry(
    body: &Body,
    sets: &BlockSets,
    candidates: &[Option<usize>],
    count: usize,
) -> Vec<BitSet> {
    let mut on_entry: Vec<BitSet> = body.blocks.ids().map(|_| BitSet::full(count)).collect();
    on_entry[0] = BitSet::empty(count);
    let order = body.reverse_post_order();
    let mut changed = count > 0;
    while changed {
        changed = false;
        for &block in &order {
            let mut on_exit = on_entry[block.index()].clone();
            for &variable in &sets.assigned[block.index()] {
                if let Some(number) = candidates[variable] {
                    on_exit.insert(number);
                }
            }
            for successor in body.blocks[block].terminator.successors() {
                let successor: BlockId = successor;
                changed |= on_entry[successor.index()].intersect(&on_exit);
            }
        }
    }
    on_entry
}

#[derive(Clone)]
struct BitSet(Vec<u64>);

impl BitSet {
    fn empty(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn full(count: usize) -> Self {
        Self(vec![u64::MAX; count.div_ceil(64)])
    }

    fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 != 0
    }

    /// Keeps what is in the other set, too, and says whether something went.
    fn intersect(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (mine, others) in self.0.iter_mut().zip(&other.0) {
            changed |= *mine & !others != 0;
            *mine &= others;
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use base::Location;

    use super::*;
    use crate::builder::BodyBuilder;
    use crate::function::{Origin, Variable};
    use crate::statement::Terminator;
    use crate::types::Type;

    #[test]
    fn only_a_variable_with_an_unassigned_way_is_flagged() {
        let mut builder = BodyBuilder::new();
        let mut variable = |name: &str, ty| {
            builder.new_variable(Variable {
                name: name.to_owned(),
                ty,
                origin: Origin::Source,
                scope: None,
                location: Location::unknown(),
            })
        };
        let (c, x, y) =
            (variable("c", Type::Bool), variable("x", Type::signed(32)), variable("y", Type::signed(32)));
        builder.body.parameters.push(c);
        let (then, join) = (builder.new_block(), builder.new_block());
        let one = builder.body.integer(Type::signed(32), 1);
        builder.push(StatementKind::Assign { target: y, value: one });
        let condition = builder.body.read(c);
        builder.branch(condition, then, join);
        builder.switch_to(then);
        builder.push(StatementKind::Assign { target: x, value: one });
        builder.goto(join);
        builder.switch_to(join);
        let (read_x, read_y) = (builder.body.read(x), builder.body.read(y));
        let sum = builder.body.binary(crate::BinaryOp::Add, read_x, read_y);
        builder.end(Terminator::Return(Some(sum)));
        assert_eq!(maybe_unassigned(&builder.finish()), [false, true, false]);
    }
}
