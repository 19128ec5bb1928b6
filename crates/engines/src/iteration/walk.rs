//! The ways through a loop, followed block by block.

use std::collections::{BTreeMap, BTreeSet};

use program::{BlockId, Check, Obligation, StatementKind};

use crate::linear::Condition;
use crate::paths::{GuardedPath, Start, Value};
use crate::view::View;

/// No more ways are examined.
const WAYS: usize = 24;

/// No more blocks are examined.
const BLOCKS: usize = 2_000;

/// No more iterations are examined through an inner loop whose iterations are known.
const ITERATIONS: usize = 16;

/// A way that is not at its end.
struct Open {
    block: BlockId,
    visited: BTreeMap<BlockId, usize>,
    way: GuardedPath,
}

/// The ways through a loop, up to a limit.
pub fn ways(view: &View<'_>, start: &Start<'_>) -> Vec<GuardedPath> {
    let inside: BTreeSet<BlockId> = view.blocks.iter().copied().collect();
    let mut ways = Vec::new();
    let mut open = vec![Open { block: view.head, visited: BTreeMap::new(), way: GuardedPath::default() }];
    let mut blocks = 0;
    while let Some(mut next) = open.pop() {
        blocks += 1;
        if ways.len() >= WAYS || blocks > BLOCKS {
            break;
        }
        let visits = next.visited.entry(next.block).or_insert(0);
        *visits += 1;
        // An inner loop that is abstracted is examined once; the iterations of others are known, like their branches.
        let abstraction_mode = view.inner.iter().any(|(head, _)| *head == next.block);
        if *visits > if abstraction_mode { 1 } else { ITERATIONS } {
            continue;
        }
        enter(view, next.block, &mut next.way);
        for statement in &view.body.blocks[next.block].statements {
            follow(start, &statement.kind, &mut next.way);
        }
        for (target, way) in leave(start, next.block, &next.way) {
            if target == view.head {
                ways.push(GuardedPath { back: true, ..way });
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
fn enter(view: &View<'_>, block: BlockId, way: &mut GuardedPath) {
    for (_, blocks) in view.inner.iter().filter(|(head, _)| *head == block) {
        let statements = blocks.iter().flat_map(|&block| &view.body.blocks[block].statements);
        for target in statements.filter_map(|statement| statement.kind.target()) {
            way.updates.insert(target, Value::Unknown);
        }
    }
}

fn follow(start: &Start<'_>, statement: &StatementKind, way: &mut GuardedPath) {
    match statement {
        StatementKind::Check(Check::Holds { obligation: Obligation::SignedOverflow, .. }) => {}
        StatementKind::Assume { condition } | StatementKind::Check(Check::Holds { condition, .. }) => {
            if let Some(condition) = way.value(start, *condition).truth() {
                way.restrict(Some(condition));
            }
        }
        other => way.execute(start, other),
    }
}

/// The blocks that control can go to, each with the way so far. The first one is examined last.
fn leave(start: &Start<'_>, block: BlockId, way: &GuardedPath) -> Vec<(BlockId, GuardedPath)> {
    let next = |(target, condition): (BlockId, Option<Condition>)| {
        let mut way = way.clone();
        way.restrict(condition).then_some((target, way))
    };
    way.branches(start, block).into_iter().rev().filter_map(next).collect()
}
