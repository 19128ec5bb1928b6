//! Which variables of a function matter for where control goes.
//!
//! A variable matters if a branch, an assumption or a check of interest asks for it, or if its value can come into one
//! that matters; the order of statements is not examined. A variable that only ever holds unknown values and is
//! examined once, next to a known number, decides nothing that could be remembered, and is left out:
//! `while (nondet())`.

use std::collections::{BTreeMap, BTreeSet};

use program::interpret::ObligationSet;
use program::{Body, Callee, ExprId, ExprKind, Program, StatementKind, Terminator, Type, VariableId};

/// The variables of a function that matter, also for checks of some kinds.
pub(super) fn relevant(program: &Program, body: &Body, checks: ObligationSet) -> BTreeSet<VariableId> {
    let mut flows: BTreeMap<VariableId, BTreeSet<VariableId>> = BTreeMap::new();
    let mut wanted: Vec<VariableId> = Vec::new();
    let want = |expression: ExprId, wanted: &mut Vec<VariableId>| {
        body.for_each_variable(expression, &mut |variable| wanted.push(variable));
    };
    for (_, block) in body.blocks.iter() {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Assign { target, value } => {
                    let sources = flows.entry(*target).or_default();
                    body.for_each_variable(*value, &mut |variable| _ = sources.insert(variable));
                }
                StatementKind::Assume { condition } => want(*condition, &mut wanted),
                StatementKind::Check(check)
                    if check.obligations().iter().any(|obligation| checks.contains(*obligation)) =>
                {
                    check.visit_operands(&mut |operand| want(operand, &mut wanted));
                }
                StatementKind::Call { callee: Callee::Function(function), arguments, .. }
                    if program.functions[*function].body().is_some() =>
                {
                    arguments.iter().for_each(|argument| want(*argument, &mut wanted));
                }
                _ => {}
            }
        }
        match &block.terminator {
            Terminator::Branch { condition: operand, .. }
            | Terminator::Switch { value: operand, .. }
            | Terminator::Return(Some(operand)) => want(*operand, &mut wanted),
            _ => {}
        }
    }
    // Other functions may examine the variables of the program.
    wanted.extend((0..program.globals.len()).map(VariableId::global));
    let mut found = BTreeSet::new();
    while let Some(variable) = wanted.pop() {
        if found.insert(variable) {
            wanted.extend(flows.get(&variable).into_iter().flatten());
        }
    }
    let idle = idle(body);
    let is_number = |variable: &VariableId| {
        matches!(program.variable(body, *variable).ty, Type::Bool | Type::Integer(_) | Type::Pointer)
    };
    found.retain(|variable| !idle.contains(variable) && is_number(variable));
    found
}

/// Variables that only hold unknown values, and are examined once, next to a known number.
fn idle(body: &Body) -> BTreeSet<VariableId> {
    let mut uses: BTreeMap<VariableId, usize> = BTreeMap::new();
    let mut tested: BTreeSet<VariableId> = BTreeSet::new();
    let mut set: BTreeSet<VariableId> = body.parameters.iter().copied().collect();
    let mut look = |expression: ExprId| {
        body.for_each_variable(expression, &mut |variable| *uses.entry(variable).or_default() += 1);
        if let ExprKind::Binary(op, left, right) = body.expressions[expression].kind
            && op.is_comparison()
        {
            let kinds = [body.expressions[left].kind, body.expressions[right].kind];
            if let [ExprKind::Variable(variable), ExprKind::Integer(_)]
            | [ExprKind::Integer(_), ExprKind::Variable(variable)] = kinds
            {
                tested.insert(variable);
            }
        }
    };
    for (_, block) in body.blocks.iter() {
        for statement in &block.statements {
            statement.kind.visit_operands(&mut look);
            match &statement.kind {
                StatementKind::Assign { target, .. } => _ = set.insert(*target),
                StatementKind::Call { target: Some(target), .. } => _ = set.insert(*target),
                _ => {}
            }
        }
        block.terminator.operand().into_iter().for_each(&mut look);
    }
    tested.retain(|variable| {
        uses.get(variable) == Some(&1) && !set.contains(variable) && !variable.is_global()
    });
    tested
}
