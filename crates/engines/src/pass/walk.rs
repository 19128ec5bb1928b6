//! The ways through a loop, followed block by block.

use std::collections::{BTreeMap, BTreeSet};

use evidence::expression::constant;
use evidence::{Comparison, Expression, Moment, Quantity};
use program::{BlockId, Check, ExprId, StatementKind, Terminator, Type, VariableId};

use super::evaluate::{decided, evaluate, opposite, truth};
use super::{Access, Base, Linear, Position, UNNAMED, Value, Way};
use crate::view::View;

/// No more ways are looked at.
const WAYS: usize = 24;

/// No more blocks are looked at.
const BLOCKS: usize = 2_000;

/// No more numbers of a copy are looked at.
const COPIED: usize = 8;

/// No more passes are looked at through an inner loop whose passes are known.
const PASSES: usize = 16;

/// A way that is not at its end.
struct Open {
    block: BlockId,
    visited: BTreeMap<BlockId, usize>,
    way: Way,
}

/// The ways through a loop, up to a limit.
pub fn ways(view: &View<'_>) -> Vec<Way> {
    let inside: BTreeSet<BlockId> = view.blocks.iter().copied().collect();
    let mut ways = Vec::new();
    let mut open = vec![Open { block: view.head, visited: BTreeMap::new(), way: Way::default() }];
    let mut blocks = 0;
    while let Some(mut next) = open.pop() {
        blocks += 1;
        if ways.len() >= WAYS || blocks > BLOCKS {
            break;
        }
        let visits = next.visited.entry(next.block).or_insert(0);
        *visits += 1;
        // An inner loop that is leapt over is looked at once; the passes of others are known, like their branches.
        let leapt = view.inner.iter().any(|(head, _)| *head == next.block);
        if *visits > if leapt { 1 } else { PASSES } {
            continue;
        }
        enter(view, next.block, &mut next.way);
        for statement in &view.body.blocks[next.block].statements {
            follow(view, &statement.kind, &mut next.way);
        }
        for (target, way) in leave(view, next.block, &next.way) {
            if target == view.head {
                ways.push(Way { back: true, ..way });
            } else if inside.contains(&target) {
                open.push(Open { block: target, visited: next.visited.clone(), way });
            } else {
                ways.push(way);
            }
        }
    }
    ways
}

/// What an inner loop changes is not known where it is entered.
fn enter(view: &View<'_>, block: BlockId, way: &mut Way) {
    for (_, blocks) in view.inner.iter().filter(|(head, _)| *head == block) {
        let statements = blocks.iter().flat_map(|&block| &view.body.blocks[block].statements);
        for target in statements.filter_map(|statement| statement.kind.target()) {
            way.after.insert(target, Value::Unknown);
        }
    }
}

fn follow(view: &View<'_>, statement: &StatementKind, way: &mut Way) {
    match statement {
        StatementKind::Assign { target, value } => {
            let value = evaluate(view, &way.after, *value);
            assign(view, way, *target, value);
        }
        StatementKind::Load { target, pointer, .. } => load(view, way, *target, *pointer),
        StatementKind::Store { pointer, value } => {
            let ty = view.body.expressions[*value].ty;
            let stored = evaluate(view, &way.after, *value);
            if let Some(access) = access(view, way, *pointer, ty) {
                way.accesses.push(Access { stored: Some(stored), ..access });
            }
        }
        StatementKind::Copy { destination, source, size } => copy(view, way, [*destination, *source, *size]),
        StatementKind::Assume { condition } | StatementKind::Check(Check::Holds { condition, .. }) => {
            let asked = evaluate(view, &way.after, *condition);
            way.conditions.extend(truth(&asked));
        }
        other => {
            if let Some(target) = other.target() {
                assign(view, way, target, Value::Unknown);
            }
        }
    }
}

/// Gives a variable a value. A number that is not known gets a name of its own, so that it is known again when it is
/// stored.
fn assign(view: &View<'_>, way: &mut Way, target: VariableId, value: Value) {
    let value = match (value, view.program.variable(view.body, target).ty) {
        (Value::Unknown, Type::Integer(_)) => {
            way.unnamed += 1;
            Value::Number(Linear::atom(
                Quantity::value(&*format!("{UNNAMED}{}", way.unnamed)).at(Moment::Now),
            ))
        }
        (value, _) => value,
    };
    way.after.insert(target, value);
}

fn load(view: &View<'_>, way: &mut Way, target: VariableId, pointer: ExprId) {
    let ty = view.program.variable(view.body, target).ty;
    let Some(access) = access(view, way, pointer, ty) else {
        return assign(view, way, target, Value::Unknown);
    };
    let value = content(way, &access);
    way.accesses.push(access);
    assign(view, way, target, value);
}

/// Copies few numbers of the width that their object seems to have.
fn copy(view: &View<'_>, way: &mut Way, [destination, source, size]: [ExprId; 3]) {
    let (Value::Pointer(to), Value::Pointer(from), Value::Number(size)) = (
        evaluate(view, &way.after, destination),
        evaluate(view, &way.after, source),
        evaluate(view, &way.after, size),
    ) else {
        return;
    };
    let cell = |base: &Base| match base {
        Base::Buffer(name) => {
            view.buffers.iter().find(|buffer| buffer.name == *name).map(|buffer| buffer.cell)
        }
        Base::Target(_) => None,
    };
    let (Some(cell), Some(size)) = (cell(&to.base), size.known().and_then(|size| u64::try_from(size).ok()))
    else {
        return;
    };
    let Ok(bytes @ (1 | 2 | 4 | 8)) = u8::try_from(cell) else { return };
    for place in (0..size).step_by(cell as usize).take(COPIED) {
        let moved = |position: &Position| Position {
            base: position.base.clone(),
            offset: position.offset.plus(&Linear::constant(place)),
        };
        let read = Access { position: moved(&from), bytes, signed: true, stored: None };
        let stored = Some(content(way, &read));
        way.accesses.push(read);
        way.accesses.push(Access { position: moved(&to), bytes, signed: true, stored });
    }
}

/// What is read.
fn content(way: &Way, access: &Access) -> Value {
    let same = |other: &&Access| other.position == access.position && other.bytes == access.bytes;
    let stored = way.accesses.iter().rev().filter(|other| other.stored.is_some()).find(same);
    match (stored, access.element()) {
        (Some(Access { stored: Some(value), .. }), _) => value.clone(),
        (_, Some(element)) => Value::Number(Linear::atom(Expression::Element(element))),
        _ => Value::Unknown,
    }
}

/// The access through a pointer to a number of a type.
fn access(view: &View<'_>, way: &Way, pointer: ExprId, ty: Type) -> Option<Access> {
    let Value::Pointer(position) = evaluate(view, &way.after, pointer) else { return None };
    let (bytes, signed) = match ty {
        Type::Integer(integer) => (integer.width.div_ceil(8), integer.signed),
        _ => return None,
    };
    matches!(bytes, 1 | 2 | 4 | 8).then_some(Access { position, bytes, signed, stored: None })
}

/// The blocks that control can go to, each with the way so far.
fn leave(view: &View<'_>, block: BlockId, way: &Way) -> Vec<(BlockId, Way)> {
    match &view.body.blocks[block].terminator {
        Terminator::Goto(target) => vec![(*target, way.clone())],
        Terminator::Branch { condition, then, otherwise } => {
            let asked = truth(&evaluate(view, &way.after, *condition));
            match asked.as_ref().and_then(decided) {
                Some(true) => return vec![(*then, way.clone())],
                Some(false) => return vec![(*otherwise, way.clone())],
                None => {}
            }
            let (mut yes, mut no) = (way.clone(), way.clone());
            yes.conditions.extend(asked.clone());
            no.conditions.extend(asked.map(opposite));
            // The first one is looked at last.
            vec![(*otherwise, no), (*then, yes)]
        }
        Terminator::Switch { value, cases, default } => {
            let value = evaluate(view, &way.after, *value);
            let mut all = vec![(*default, way.clone())];
            for case in cases {
                let mut here = way.clone();
                if let Value::Number(number) = &value {
                    let number = || number.expression();
                    here.conditions.push(number().compare(Comparison::GreaterEqual, constant(case.low)));
                    here.conditions.push(number().compare(Comparison::LessEqual, constant(case.high)));
                }
                all.push((case.target, here));
            }
            all
        }
        Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
    }
}
