//! What the passes share about expressions: which ones are used, and an arena without the others.
//!
//! An operand stands before the expressions that use it, so one walk over the arena from its end sees every use of
//! an expression before the expression itself. That keeps these walks linear where expressions share operands.

use base::{Arena, Index};

use crate::expression::{Expr, ExprId, ExprKind};
use crate::function::Body;
use crate::statement::{Check, StatementKind};

/// Which expressions are operands of statements and terminators, directly or inside other expressions.
pub fn used(body: &Body) -> Vec<bool> {
    let mut used = vec![false; body.expressions.len()];
    for block in body.blocks.values() {
        for statement in &block.statements {
            statement.kind.visit_operands(|operand| used[operand.index()] = true);
        }
        if let Some(operand) = block.terminator.operand() {
            used[operand.index()] = true;
        }
    }
    close_over_operands(body, &mut used);
    used
}

/// Marks the operands of marked expressions.
pub fn close_over_operands(body: &Body, marked: &mut [bool]) {
    for (id, expr) in body.expressions.iter().rev() {
        if marked[id.index()] {
            expr.operands().for_each(|operand| marked[operand.index()] = true);
        }
    }
}

/// How often each expression is evaluated, counting every place in the text of the body; saturates.
pub fn occurrences(body: &Body) -> Vec<u32> {
    let mut count = vec![0u32; body.expressions.len()];
    for block in body.blocks.values() {
        for statement in &block.statements {
            statement
                .kind
                .visit_operands(|operand| count[operand.index()] = count[operand.index()].saturating_add(1));
        }
        if let Some(operand) = block.terminator.operand() {
            count[operand.index()] = count[operand.index()].saturating_add(1);
        }
    }
    for (id, expr) in body.expressions.iter().rev() {
        let own = count[id.index()];
        expr.operands()
            .for_each(|operand| count[operand.index()] = count[operand.index()].saturating_add(own));
    }
    count
}

/// How often each local variable is read, counting every place in the text of the body; saturates. A query whether it
/// is defined counts as two, because nothing can stand in for the variable there.
pub fn reads(body: &Body) -> Vec<u32> {
    let occurrences = occurrences(body);
    let mut reads = vec![0u32; body.variables.len()];
    for (id, expr) in body.expressions.iter() {
        if let ExprKind::Variable(variable) = expr.kind
            && !variable.is_global()
        {
            reads[variable.index()] = reads[variable.index()].saturating_add(occurrences[id.index()]);
        }
    }
    for statement in body.statements() {
        if let StatementKind::Check(Check::Defined { variable }) = statement.kind
            && !variable.is_global()
        {
            reads[variable.index()] = reads[variable.index()].saturating_add(2);
        }
    }
    reads
}

/// How many statements give each variable of a body a value.
pub fn assignments(body: &Body) -> Vec<usize> {
    let mut assignments = vec![0; body.variables.len()];
    for statement in body.statements() {
        if let Some(target) = statement.kind.target().filter(|target| !target.is_global()) {
            assignments[target.index()] += 1;
        }
    }
    assignments
}

/// The same expression over other operands.
pub fn with_operands(kind: ExprKind, mut replace: impl FnMut(ExprId) -> ExprId) -> ExprKind {
    match kind {
        ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::Null
        | ExprKind::Variable(_)
        | ExprKind::Object(_)
        | ExprKind::Function(_) => kind,
        ExprKind::Unary(op, a) => ExprKind::Unary(op, replace(a)),
        ExprKind::Convert(a) => ExprKind::Convert(replace(a)),
        ExprKind::Reinterpret(a) => ExprKind::Reinterpret(replace(a)),
        ExprKind::Binary(op, a, b) => ExprKind::Binary(op, replace(a), replace(b)),
        ExprKind::Overflows(op, a, b) => ExprKind::Overflows(op, replace(a), replace(b)),
        ExprKind::Offset(a, b) => ExprKind::Offset(replace(a), replace(b)),
        ExprKind::Difference(a, b) => ExprKind::Difference(replace(a), replace(b)),
        ExprKind::Select(a, b, c) => ExprKind::Select(replace(a), replace(b), replace(c)),
    }
}

/// Drops the expressions that nobody uses; the others keep their order.
pub fn compact(body: &mut Body) {
    let used = used(body);
    let mut renamed: Vec<Option<ExprId>> = vec![None; used.len()];
    let mut kept: Arena<ExprId, Expr> = Arena::new();
    let new_name =
        |renamed: &[Option<ExprId>], old: ExprId| renamed[old.index()].expect("operands come first");
    for (id, expr) in body.expressions.iter().filter(|(id, _)| used[id.index()]) {
        let kind = with_operands(expr.kind, |operand| new_name(&renamed, operand));
        renamed[id.index()] = Some(kept.push(Expr { kind, ty: expr.ty }));
    }
    for (_, block) in body.blocks.iter_mut() {
        for statement in &mut block.statements {
            statement.kind.for_each_operand(|operand| *operand = new_name(&renamed, *operand));
        }
        if let Some(operand) = block.terminator.operand_mut() {
            *operand = new_name(&renamed, *operand);
        }
    }
    body.expressions = kept;
}
