//! The paths from a loop's head: back to it, and out of the loop.

use std::collections::{BTreeSet, VecDeque};

use base::Index;
use program::{
    BlockId, Check, ExprId, ExprKind, Obligation, Origin, StatementKind, Terminator, Type, VariableId,
};

use super::vocabulary::Vocabulary;
use super::{Code, PathObligation};
use crate::linear::{Condition, InEvidence};
use crate::paths::{GuardedPath, Value};

/// How many blocks are passed on all paths together, and on one of them.
const BLOCKS: usize = 600;
const LONGEST: usize = 60;

/// How many conditions, path obligations and iterations are kept.
const MOST: usize = 120;

/// How far before and behind the loop the tests of a function are analysed, in blocks.
const NEAR: usize = 100;

/// A path on its way.
#[derive(Clone)]
struct Open {
    block: BlockId,
    path: GuardedPath,
    passed: BTreeSet<BlockId>,
    outside: bool,
}

struct Walk<'a> {
    vocabulary: &'a Vocabulary<'a>,
    head: BlockId,
    blocks: &'a [BlockId],
    code: Code,
}

/// Follows the paths from a loop's head.
pub(super) fn follow(vocabulary: &Vocabulary<'_>, head: BlockId, blocks: &[BlockId]) -> Code {
    let mut walk = Walk { vocabulary, head, blocks, code: Code::default() };
    let mut open = VecDeque::from([Open {
        block: head,
        path: GuardedPath::default(),
        passed: BTreeSet::new(),
        outside: false,
    }]);
    let mut budget = BLOCKS;
    walk.code.complete = true;
    while let Some(next) = open.pop_front() {
        if budget == 0 || next.passed.len() >= LONGEST {
            walk.code.complete &= next.outside;
            continue;
        }
        budget -= 1;
        walk.iteration(next, &mut open);
    }
    walk.code
}

impl Walk<'_> {
    /// Takes a path through its block.
    fn iteration(&mut self, mut open: Open, all: &mut VecDeque<Open>) {
        open.passed.insert(open.block);
        if open.block != self.head
            && let Some(assigned) = self.vocabulary.assigned.get(&open.block)
        {
            open.path.updates.extend(assigned.iter().map(|variable| (*variable, Value::Unknown)));
            open.path.stored = true;
        }
        for statement in &self.vocabulary.start.body.blocks[open.block].statements {
            if !self.statement(&mut open, &statement.kind) {
                return;
            }
        }
        for (next, condition) in open.path.branches(&self.vocabulary.start, open.block) {
            self.go(open.clone(), next, condition, all);
        }
    }

    /// Goes on to another block.
    fn go(&mut self, mut open: Open, next: BlockId, condition: Option<Condition>, all: &mut VecDeque<Open>) {
        if !self.restrict(&mut open, condition) {
            return;
        }
        if next == self.head && !open.outside {
            if self.code.iterations.len() < MOST {
                self.code.iterations.push(GuardedPath { back: true, ..open.path });
            } else {
                self.code.complete = false;
            }
            return;
        }
        if self.blocks.binary_search(&next).is_err() && !open.outside {
            open.outside = true;
            keep(&mut self.code.exits, open.path.conditions.clone());
        }
        if !open.passed.contains(&next) {
            open.block = next;
            all.push_back(open);
        }
    }

    /// Notes a condition that is met, and adds it to the path. Tells whether the path can be taken.
    fn restrict(&mut self, open: &mut Open, condition: Option<Condition>) -> bool {
        let known = open.path.conditions.len();
        let possible = open.path.restrict(condition);
        open.path.conditions[known..].iter().for_each(|met| keep(&mut self.code.met, met.clone()));
        possible
    }

    /// Does what a statement does. Tells whether the path goes on.
    fn statement(&mut self, open: &mut Open, statement: &StatementKind) -> bool {
        let vocabulary = self.vocabulary;
        match statement {
            StatementKind::Assume { condition } => {
                if let Some(condition) = open.path.value(&vocabulary.start, *condition).truth() {
                    return self.restrict(open, Some(condition));
                }
            }
            StatementKind::Check(Check::Holds { obligation, condition, .. }) => {
                let overflow = *obligation == Obligation::SignedOverflow;
                if (vocabulary.overflow || !overflow)
                    && let Some(must) = open.path.value(&vocabulary.start, *condition).truth()
                {
                    self.path_obligation(open, must, overflow);
                }
            }
            other => {
                if let StatementKind::Call { arguments, .. } = other {
                    for argument in arguments {
                        if let Some(must) = truth(vocabulary, &open.path, *argument) {
                            self.path_obligation(open, must, false);
                        }
                    }
                }
                open.path.execute(&vocabulary.start, other);
            }
        }
        true
    }

    fn path_obligation(&mut self, open: &Open, must: Condition, overflow: bool) {
        if must != Condition::TRUE {
            let conditions = open.path.conditions.clone();
            keep(
                &mut self.code.path_obligations,
                PathObligation { conditions, must, outside: open.outside, overflow },
            );
        }
    }
}

/// The conditions that the function tests, read as if all variables had their values at the head.
pub(super) fn tests(vocabulary: &Vocabulary<'_>, blocks: &[BlockId]) -> Vec<Condition> {
    let mut found = Vec::new();
    // In a function of many blocks only those that are near count, so that the work does not grow with the function.
    let first = blocks.first().map_or(0, |block| block.index().saturating_sub(NEAR));
    let end = blocks.last().map_or(0, |block| block.index() + NEAR).min(vocabulary.start.body.blocks.len());
    let near = (first..end).map(BlockId::new);
    let ids = near.filter(|block| blocks.binary_search(block).is_err());
    // The loop's own tests come first.
    for block in blocks.iter().copied().chain(ids) {
        let block = &vocabulary.start.body.blocks[block];
        let mut path = GuardedPath::default();
        let mut tests = Vec::new();
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Assume { condition } => {
                    tests.extend(path.value(&vocabulary.start, *condition).truth())
                }
                StatementKind::Check(Check::Holds { obligation, condition, .. })
                    if vocabulary.overflow || *obligation != Obligation::SignedOverflow =>
                {
                    tests.extend(path.value(&vocabulary.start, *condition).truth());
                }
                StatementKind::Assign { target, .. } if !is_source(vocabulary, *target) => {
                    path.execute(&vocabulary.start, &statement.kind);
                }
                StatementKind::Call { arguments, .. } => {
                    tests.extend(arguments.iter().filter_map(|argument| truth(vocabulary, &path, *argument)));
                }
                _ => {}
            }
        }
        if let Terminator::Branch { condition, .. } = &block.terminator {
            tests.extend(path.value(&vocabulary.start, *condition).truth());
        }
        tests.into_iter().for_each(|test| keep(&mut found, test));
    }
    found
}

fn is_source(vocabulary: &Vocabulary<'_>, variable: VariableId) -> bool {
    vocabulary.start.program.variable(vocabulary.start.body, variable).origin != Origin::Temporary
}

/// An argument that is a truth value: an assertion or an assumption, as a rule.
fn truth(vocabulary: &Vocabulary<'_>, path: &GuardedPath, argument: ExprId) -> Option<Condition> {
    let expression = &vocabulary.start.body.expressions[argument];
    match (path.value(&vocabulary.start, argument), expression.kind) {
        (value, _) if expression.ty == Type::Bool => value.truth(),
        (Value::Truth(condition), _) => Some(condition),
        (Value::Number(number), ExprKind::Variable(variable))
            if number.known() == Some(0) && !is_source(vocabulary, variable) =>
        {
            Some(Condition::FALSE)
        }
        _ => None,
    }
}

fn keep<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if list.len() < MOST && !list.contains(&item) {
        list.push(item);
    }
}
