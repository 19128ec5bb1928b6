//! Removes what no run can notice: temporaries that are never read, checks that hold always, objects that are only
//! born and buried, and the variables and expressions that nothing mentions any more.
//!
//! A read of memory has no effect of its own (the check in front of it has, and stays); inputs and calls stay, without
//! their target if nobody wants it. Variables of the source keep their assignments even where nobody reads them.

use base::{Arena, Index};

use crate::expression::{ExprId, ExprKind, ObjectRef, VariableId};
use crate::function::{BlockId, Body, LocalId, LocalObject, Origin, Variable};
use crate::passes::expressions;
use crate::statement::{Check, Obligation, StatementKind};

/// Removes what is dead from a body.
pub fn remove(body: &mut Body) {
    let live = live_temporaries(body);
    remove_statements(body, &live);
    remove_locals(body);
    expressions::compact(body);
    remove_variables(body);
}

/// Whether the statement does nothing but give its target a value.
fn only_assigns(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::Assign { .. } | StatementKind::Load { .. })
}

/// Which variables are needed: all but the temporaries that only other such temporaries read.
fn live_temporaries(body: &Body) -> Vec<bool> {
    let is_temporary =
        |variable: VariableId| !variable.is_global() && body.variables[variable].origin == Origin::Temporary;
    let mut definitions: Vec<Vec<(BlockId, usize)>> = vec![Vec::new(); body.variables.len()];
    let mut needed: Vec<ExprId> = Vec::new();
    let mut live: Vec<bool> =
        body.variables.values().map(|variable| variable.origin != Origin::Temporary).collect();
    let mut fresh: Vec<VariableId> = Vec::new();
    for (id, block) in body.blocks.iter() {
        for (position, statement) in block.statements.iter().enumerate() {
            match statement.kind.target() {
                Some(target) if only_assigns(&statement.kind) && is_temporary(target) => {
                    definitions[target.index()].push((id, position));
                }
                _ => statement.kind.visit_operands(|operand| needed.push(operand)),
            }
            if let StatementKind::Check(Check::Defined { variable }) = statement.kind
                && is_temporary(variable)
                && !std::mem::replace(&mut live[variable.index()], true)
            {
                fresh.push(variable);
            }
        }
        needed.extend(block.terminator.operand());
    }
    let mut seen = vec![false; body.expressions.len()];
    loop {
        while let Some(expression) = needed.pop() {
            if std::mem::replace(&mut seen[expression.index()], true) {
                continue;
            }
            if let ExprKind::Variable(variable) = body.expressions[expression].kind
                && is_temporary(variable)
                && !std::mem::replace(&mut live[variable.index()], true)
            {
                fresh.push(variable);
            }
            needed.extend(body.expressions[expression].operands());
        }
        let Some(variable) = fresh.pop() else { return live };
        for &(block, position) in &definitions[variable.index()] {
            body.blocks[block].statements[position].kind.visit_operands(|operand| needed.push(operand));
        }
    }
}

fn remove_statements(body: &mut Body, live: &[bool]) {
    let expressions = &body.expressions;
    let is_dead = |variable: VariableId| !variable.is_global() && !live[variable.index()];
    let is_true = |condition: ExprId| matches!(expressions[condition].kind, ExprKind::Integer(1));
    for (_, block) in body.blocks.iter_mut() {
        block.statements.retain_mut(|statement| match &mut statement.kind {
            StatementKind::Assign { target, .. } | StatementKind::Load { target, .. } => !is_dead(*target),
            StatementKind::Call { target, .. } | StatementKind::Unknown { target, .. } => {
                *target = target.filter(|&target| !is_dead(target));
                true
            }
            StatementKind::Assume { condition } => !is_true(*condition),
            StatementKind::Check(Check::Holds { obligation, condition, .. }) => {
                *obligation == Obligation::Assertion || !is_true(*condition)
            }
            _ => true,
        });
    }
}

/// Drops local objects that no expression names, with their births and deaths.
fn remove_locals(body: &mut Body) {
    let used = expressions::used(body);
    let mut named = vec![false; body.locals.len()];
    for (id, expr) in body.expressions.iter() {
        if let ExprKind::Object(ObjectRef::Local(local)) = expr.kind {
            named[local.index()] |= used[id.index()];
        }
    }
    if named.iter().all(|&named| named) {
        return;
    }
    let (locals, renamed) = keep::<LocalId, LocalObject>(std::mem::take(&mut body.locals), &named);
    body.locals = locals;
    for (_, block) in body.blocks.iter_mut() {
        block.statements.retain_mut(|statement| match &mut statement.kind {
            StatementKind::Begin { object, .. }
            | StatementKind::End { object }
            | StatementKind::Forget { object } => match renamed[object.index()] {
                Some(name) => {
                    *object = name;
                    true
                }
                None => false,
            },
            _ => true,
        });
    }
    for (_, expr) in body.expressions.iter_mut() {
        if let ExprKind::Object(ObjectRef::Local(local)) = &mut expr.kind {
            match renamed[local.index()] {
                Some(name) => *local = name,
                // Nobody uses this expression; the compaction that follows drops it.
                None => expr.kind = ExprKind::Null,
            }
        }
    }
}

/// Drops variables that nothing mentions. All expressions that are left are used.
fn remove_variables(body: &mut Body) {
    let mut mentioned = vec![false; body.variables.len()];
    let mut mention = |variable: VariableId| {
        if !variable.is_global() {
            mentioned[variable.index()] = true;
        }
    };
    body.parameters.iter().copied().for_each(&mut mention);
    for expr in body.expressions.values() {
        if let ExprKind::Variable(variable) = expr.kind {
            mention(variable);
        }
    }
    for statement in body.statements() {
        statement.kind.target().into_iter().for_each(&mut mention);
        if let StatementKind::Check(Check::Defined { variable }) = statement.kind {
            mention(variable);
        }
    }
    if mentioned.iter().all(|&mentioned| mentioned) {
        return;
    }
    let (variables, renamed) = keep::<VariableId, Variable>(std::mem::take(&mut body.variables), &mentioned);
    body.variables = variables;
    rename_variables(body, |variable| {
        if variable.is_global() { variable } else { renamed[variable.index()].unwrap_or(variable) }
    });
}

/// Gives every variable that the body mentions its new name.
fn rename_variables(body: &mut Body, renamed: impl Fn(VariableId) -> VariableId) {
    let rename = |variable: &mut VariableId| *variable = renamed(*variable);
    body.parameters.iter_mut().for_each(rename);
    for (_, expr) in body.expressions.iter_mut() {
        if let ExprKind::Variable(variable) = &mut expr.kind {
            rename(variable);
        }
    }
    for (_, block) in body.blocks.iter_mut() {
        for statement in &mut block.statements {
            statement.kind.target_mut().into_iter().for_each(rename);
            if let StatementKind::Check(Check::Defined { variable }) = &mut statement.kind {
                rename(variable);
            }
        }
    }
}

/// The items to keep, in order, and the new index of each old one.
pub fn keep<I: Index, T>(items: Arena<I, T>, kept: &[bool]) -> (Arena<I, T>, Vec<Option<I>>) {
    let (mut rest, mut renamed) = (Arena::new(), Vec::with_capacity(kept.len()));
    for (item, &kept) in items.into_values().into_iter().zip(kept) {
        renamed.push(kept.then(|| rest.push(item)));
    }
    (rest, renamed)
}
