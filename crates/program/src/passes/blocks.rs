//! Tidies the control-flow graph: decided branches become jumps, empty blocks that only lead on are skipped, chains
//! become one block, blocks that control cannot reach go, and no edge leads to the entry.
//!
//! A block that is the head of a loop statement is never skipped nor merged into the block before it: it carries the
//! loop's name.

use base::{Arena, Index};

use crate::arithmetic::compare;
use crate::expression::{ExprKind, UnaryOp};
use crate::function::{Block, BlockId, Body};
use crate::statement::{Case, Terminator};
use crate::types::Type;

/// Tidies the control-flow graph of a body.
pub fn tidy(body: &mut Body) {
    decide_branches(body);
    skip_empty_blocks(body);
    // Skipping can make both sides of a branch one.
    decide_branches(body);
    body.remove_unreachable_blocks();
    merge_chains(body);
    body.remove_unreachable_blocks();
    free_the_entry(body);
}

/// Turns a branch that always goes one way into a jump, and a branch on a negation round.
fn decide_branches(body: &mut Body) {
    let expressions = &body.expressions;
    for (_, block) in body.blocks.iter_mut() {
        let decided = match &mut block.terminator {
            Terminator::Branch { condition, then, otherwise } => {
                while let ExprKind::Unary(UnaryOp::Not, inner) = expressions[*condition].kind {
                    *condition = inner;
                    std::mem::swap(then, otherwise);
                }
                match expressions[*condition].kind {
                    ExprKind::Integer(0) => Some(*otherwise),
                    ExprKind::Integer(_) => Some(*then),
                    _ => (then == otherwise).then_some(*then),
                }
            }
            Terminator::Switch { value, cases, default } => match expressions[*value].kind {
                ExprKind::Integer(number) => {
                    let holds = |case: &&Case| match expressions[*value].ty {
                        Type::Integer(ty) => {
                            compare(ty, case.low, number).is_le() && compare(ty, number, case.high).is_le()
                        }
                        _ => case.low <= number && number <= case.high,
                    };
                    Some(cases.iter().find(holds).map_or(*default, |case| case.target))
                }
                _ => cases.iter().all(|case| case.target == *default).then_some(*default),
            },
            _ => None,
        };
        if let Some(target) = decided {
            block.terminator = Terminator::Goto(target);
        }
    }
}

/// Leads every edge past empty blocks that only jump on. Empty blocks that jump in a circle stay, and so do those that
/// tell where a loop or its body begins.
fn skip_empty_blocks(body: &mut Body) {
    let next = |block: BlockId| match &body.blocks[block] {
        Block {
            statements,
            terminator: Terminator::Goto(target),
            loop_statement: None,
            body_of: None,
            ..
        } if statements.is_empty() => Some(*target),
        _ => None,
    };
    let mut end: Arena<BlockId, Option<BlockId>> = body.blocks.ids().map(|_| None).collect();
    let mut on_path = vec![false; body.blocks.len()];
    for start in body.blocks.ids() {
        let (mut path, mut block) = (Vec::new(), start);
        let last = loop {
            if let Some(known) = end[block] {
                break known;
            }
            match next(block) {
                Some(target) if !on_path[block.index()] => {
                    on_path[block.index()] = true;
                    path.push(block);
                    block = target;
                }
                _ => break block,
            }
        };
        for block in path {
            on_path[block.index()] = false;
            end[block] = Some(last);
        }
    }
    for (_, block) in body.blocks.iter_mut() {
        block.terminator.for_each_target(|target| *target = end[*target].unwrap_or(*target));
    }
}

/// Appends to each block the blocks that only it leads to. Leaves the appended ones empty and unreachable.
fn merge_chains(body: &mut Body) {
    let mut incoming: Arena<BlockId, u32> = body.blocks.ids().map(|_| 0).collect();
    for block in body.blocks.values() {
        block.terminator.successors().for_each(|target| incoming[target] += 1);
    }
    let entry = body.entry();
    let merges = |blocks: &Arena<BlockId, Block>, from: BlockId| match blocks[from].terminator {
        Terminator::Goto(to) => {
            let single = incoming[to] == 1 && to != entry && to != from;
            let marked = blocks[from].body_of.is_some() && blocks[to].body_of.is_some();
            (single && !marked && blocks[to].loop_statement.is_none()).then_some(to)
        }
        _ => None,
    };
    let mut is_tail = vec![false; body.blocks.len()];
    for from in body.blocks.ids() {
        if let Some(to) = merges(&body.blocks, from) {
            is_tail[to.index()] = true;
        }
    }
    // Every chain is collected from its first block on, so that each statement moves once.
    for head in body.blocks.ids().filter(|head| !is_tail[head.index()]) {
        while let Some(tail) = merges(&body.blocks, head) {
            let tail = &mut body.blocks[tail];
            let statements = std::mem::take(&mut tail.statements);
            let terminator = std::mem::replace(&mut tail.terminator, Terminator::Unreachable);
            let (location, body_of) = (tail.location, tail.body_of.take());
            let head = &mut body.blocks[head];
            head.statements.extend(statements);
            (head.terminator, head.location) = (terminator, location);
            head.body_of = head.body_of.or(body_of);
        }
    }
}

/// Puts an empty block in front of an entry that control can come back to.
fn free_the_entry(body: &mut Body) {
    let entry = body.entry();
    if !body.blocks.values().any(|block| block.terminator.successors().any(|target| target == entry)) {
        return;
    }
    let shifted = |block: BlockId| BlockId::new(block.index() + 1);
    let location = body.blocks[entry].location;
    let first = Block {
        statements: Vec::new(),
        terminator: Terminator::Goto(shifted(entry)),
        location,
        loop_statement: None,
        body_of: None,
    };
    let blocks = std::mem::take(&mut body.blocks).into_values().into_iter().map(|mut block| {
        block.terminator.for_each_target(|target| *target = shifted(*target));
        block
    });
    body.blocks = std::iter::once(first).chain(blocks).collect();
}
