//! Which variables of a body may be read before they are assigned: only those need a flag at run time.
//!
//! Most variables are read only after an assignment in the same block: the data flow is asked about the others alone.

use base::Index;

use crate::expression::{ExprId, ExprKind, VariableId};
use crate::flow::{Event, Events, Flow, Query};
use crate::function::Body;
use crate::statement::{Check, StatementKind};

/// For each variable of the body whether it may be read before it is assigned.
pub(super) fn maybe_unassigned(body: &Body) -> Vec<bool> {
    let blocks = Reader::new(body).blocks();
    let mut numbers = vec![None; body.variables.len()];
    let mut asked = Vec::new();
    for &(variable, is_read) in blocks.iter().flatten() {
        if is_read && numbers[variable].is_none() {
            numbers[variable] = Some(asked.len());
            asked.push(variable);
        }
    }
    let mut result = vec![false; body.variables.len()];
    if asked.is_empty() {
        return result;
    }
    let mut events = Events::new(asked.len(), |at| body.parameters.contains(&Index::new(asked[at])));
    for block in blocks {
        for (variable, is_read) in block {
            let event = if is_read { Event::Use } else { Event::Assign };
            numbers[variable].into_iter().for_each(|at| events.push(event(at)));
        }
        events.end_block();
    }
    let mut flow = Flow::new(body);
    for group in events.groups() {
        flow.answer(group, Query::Surely, |_, event, is_assigned| {
            if let Event::Use(at) = event {
                result[asked[at]] |= !is_assigned;
            }
        });
    }
    result
}

/// Lists what blocks read and assign.
struct Reader<'a> {
    body: &'a Body,
    /// The last statement that each expression was seen in.
    seen: Vec<u32>,
    statement: u32,
    stack: Vec<ExprId>,
    /// For each variable the last block, counted from one, that assigned it.
    assigned: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn new(body: &'a Body) -> Self {
        let (seen, assigned) = (vec![0; body.expressions.len()], vec![0; body.variables.len()]);
        Self { body, seen, statement: 0, stack: Vec::new(), assigned }
    }

    /// For each block, in order: the variables that it reads before it assigns them, and those that it assigns.
    fn blocks(mut self) -> Vec<Vec<(usize, bool)>> {
        let mut blocks = Vec::with_capacity(self.body.blocks.len());
        for block in self.body.blocks.values() {
            let number = blocks.len() + 1;
            let mut found = Vec::new();
            for statement in &block.statements {
                if let StatementKind::Check(Check::Defined { variable }) = statement.kind {
                    self.read(variable, number, &mut found);
                }
                self.read_all(&statement.kind.operands(), number, &mut found);
                if let Some(target) = statement.kind.target().filter(|target| !target.is_global()) {
                    self.assigned[target.index()] = number;
                    found.push((target.index(), false));
                }
            }
            self.read_all(block.terminator.operand().as_slice(), number, &mut found);
            blocks.push(found);
        }
        blocks
    }

    fn read_all(&mut self, roots: &[ExprId], block: usize, found: &mut Vec<(usize, bool)>) {
        self.statement += 1;
        self.stack.extend_from_slice(roots);
        while let Some(id) = self.stack.pop() {
            if std::mem::replace(&mut self.seen[id.index()], self.statement) == self.statement {
                continue;
            }
            let expr = &self.body.expressions[id];
            if let ExprKind::Variable(variable) = expr.kind {
                self.read(variable, block, found);
            }
            self.stack.extend(expr.operands());
        }
    }

    fn read(&self, variable: VariableId, block: usize, found: &mut Vec<(usize, bool)>) {
        if !variable.is_global() && self.assigned[variable.index()] != block {
            found.push((variable.index(), true));
        }
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
