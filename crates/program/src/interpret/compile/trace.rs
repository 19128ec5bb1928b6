//! The operations that are there only for the trace of a run: see [`super::super::trace`].

use base::{Arena, Index};

use super::super::code::{Op, Register, TracePoint};
use super::Compiler;
use crate::expression::{ExprId, ExprKind, VariableId};
use crate::function::{BlockId, Body, Origin};

/// For each block the loops that control may just have left when it comes there, and then the loop whose head it is.
pub(super) fn loop_points(body: &Body, heads: &[bool]) -> Arena<BlockId, Vec<TracePoint>> {
    let mut points: Arena<BlockId, Vec<TracePoint>> = body.blocks.ids().map(|_| Vec::new()).collect();
    let order = body.reverse_post_order();
    let mut position = vec![0; body.blocks.len()];
    order.iter().enumerate().for_each(|(number, block)| position[block.index()] = number);
    let predecessors = body.predecessors();
    // Inner loops come later in the order, and are left first.
    for &head in order.iter().rev().filter(|head| heads[head.index()]) {
        let inside = members(head, &predecessors, &position);
        for &block in &order {
            if !inside[block.index()] && predecessors[block].iter().any(|from| inside[from.index()]) {
                points[block].push(TracePoint::Leave { head });
            }
        }
    }
    for &head in order.iter().filter(|head| heads[head.index()]) {
        points[head].push(TracePoint::Iteration { head });
    }
    points
}

/// The blocks of the loops with this head: those from which control comes back to it without passing it.
fn members(head: BlockId, predecessors: &Arena<BlockId, Vec<BlockId>>, position: &[usize]) -> Vec<bool> {
    let mut inside = vec![false; position.len()];
    inside[head.index()] = true;
    let comes_back = |from: &&BlockId| position[from.index()] >= position[head.index()];
    let mut stack: Vec<BlockId> = predecessors[head].iter().filter(comes_back).copied().collect();
    while let Some(block) = stack.pop() {
        if !std::mem::replace(&mut inside[block.index()], true) {
            stack.extend(&predecessors[block]);
        }
    }
    inside
}

impl Compiler<'_> {
    /// Notes something for the trace, if there is one.
    pub(super) fn trace(&mut self, point: TracePoint) {
        if self.options.trace {
            self.code.points.push(point);
            self.emit(Op::Trace { point: self.code.points.len() as u32 - 1 });
        }
    }

    /// Notes that a variable got a value, if the source knows the variable.
    pub(super) fn trace_assignment(&mut self, variable: VariableId, from: Register) {
        if self.is_of_source(variable) {
            self.trace(TracePoint::Assign { variable, from });
        }
    }

    /// The pointer variable of the source that an expression starts from, and whether what is added is always the
    /// same.
    pub(super) fn reached_through(&self, mut pointer: ExprId) -> (Option<VariableId>, bool) {
        let mut fixed = true;
        loop {
            match self.body.expressions[pointer].kind {
                ExprKind::Offset(inner, by) => {
                    fixed &= matches!(self.body.expressions[by].kind, ExprKind::Integer(_));
                    pointer = inner;
                }
                ExprKind::Variable(variable) if self.is_of_source(variable) => {
                    return (Some(variable), fixed);
                }
                _ => return (None, fixed),
            }
        }
    }

    fn is_of_source(&self, variable: VariableId) -> bool {
        self.program.variable(self.body, variable).origin != Origin::Temporary
    }
}
