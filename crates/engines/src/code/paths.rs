//! The paths from a loop's head: back to it, and out of the loop.

use std::collections::{BTreeSet, VecDeque};

use base::Index;
use program::{BlockId, Check, ExprId, ExprKind, Obligation, StatementKind, Terminator, Type, VariableId};

use super::translate::{Values, Words};
use super::{Code, Duty, Pass};
use crate::linear::{Condition, Linear};

/// How many blocks are passed on all paths together, and on one of them.
const BLOCKS: usize = 600;
const LONGEST: usize = 60;

/// How many conditions, duties and passes are kept.
const MOST: usize = 120;

/// How far before and behind the loop the tests of a function are looked at, in blocks.
const NEAR: usize = 100;

/// A path on its way.
#[derive(Clone)]
struct Path {
    block: BlockId,
    values: Values,
    conditions: Vec<Condition>,
    passed: BTreeSet<BlockId>,
    outside: bool,
    stored: bool,
    /// Whether all tests are among the conditions.
    exact: bool,
}

struct Walk<'a> {
    words: &'a Words<'a>,
    head: BlockId,
    blocks: &'a [BlockId],
    code: Code,
}

/// Follows the paths from a loop's head.
pub(super) fn follow(words: &Words<'_>, head: BlockId, blocks: &[BlockId]) -> Code {
    let mut walk = Walk { words, head, blocks, code: Code::default() };
    let start = Path {
        block: head,
        values: Values::new(),
        conditions: Vec::new(),
        passed: BTreeSet::new(),
        outside: false,
        stored: false,
        exact: true,
    };
    let mut open = VecDeque::from([start]);
    let mut budget = BLOCKS;
    walk.code.complete = true;
    while let Some(path) = open.pop_front() {
        if budget == 0 || path.passed.len() >= LONGEST {
            walk.code.complete &= path.outside;
            continue;
        }
        budget -= 1;
        walk.pass(path, &mut open);
    }
    walk.code
}

impl Walk<'_> {
    /// Takes a path through its block.
    fn pass(&mut self, mut path: Path, open: &mut VecDeque<Path>) {
        let block = &self.words.body.blocks[path.block];
        path.passed.insert(path.block);
        if path.block != self.head
            && let Some(assigned) = self.words.assigned.get(&path.block)
        {
            path.values.extend(assigned.iter().map(|variable| (*variable, None)));
            path.stored = true;
        }
        for statement in &block.statements {
            self.statement(&mut path, &statement.kind);
        }
        match &block.terminator {
            Terminator::Goto(next) => self.go(path, *next, Some(Condition::TRUE), open),
            Terminator::Branch { condition, then, otherwise } => {
                let condition = self.words.condition(&path.values, *condition);
                let opposite = condition.as_ref().map(Condition::negated);
                self.go(path.clone(), *then, condition, open);
                self.go(path, *otherwise, opposite, open);
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.words.number(&path.values, *value);
                for case in cases.iter().take(12) {
                    let range = value.as_ref().and_then(|value| {
                        let low = Condition::at_most(&Linear::constant(case.low), value)?;
                        let high = Condition::at_most(value, &Linear::constant(case.high))?;
                        let one = Condition::equal(value, &Linear::constant(case.low))?;
                        Some(if case.low == case.high { one } else { Condition::all(vec![low, high]) })
                    });
                    self.go(path.clone(), case.target, range, open);
                }
                self.go(path, *default, None, open);
            }
            Terminator::Return(_) | Terminator::Unreachable => {}
        }
    }

    /// Goes on to another block.
    fn go(&mut self, mut path: Path, next: BlockId, condition: Option<Condition>, open: &mut VecDeque<Path>) {
        path.exact &= condition.is_some();
        if let Some(condition) = condition {
            match &condition {
                Condition::Any(parts) if parts.is_empty() => return,
                Condition::All(parts) if parts.is_empty() => {}
                _ => {
                    keep(&mut self.code.met, condition.clone());
                    path.conditions.push(condition);
                }
            }
        }
        let inside = self.blocks.binary_search(&next).is_ok();
        if next == self.head && !path.outside {
            if self.code.passes.len() < MOST {
                self.code.passes.push(Pass {
                    conditions: path.conditions,
                    after: path.values,
                    exact: path.exact,
                });
            } else {
                self.code.complete = false;
            }
            return;
        }
        if !inside && !path.outside {
            path.outside = true;
            keep(&mut self.code.exits, path.conditions.clone());
        }
        if path.passed.contains(&next) {
            return;
        }
        path.block = next;
        open.push_back(path);
    }

    fn statement(&mut self, path: &mut Path, statement: &StatementKind) {
        let words = self.words;
        match statement {
            StatementKind::Assign { target, value } => {
                let value = words.number(&path.values, *value);
                path.values.insert(*target, value);
            }
            StatementKind::Load { target, pointer, .. } => {
                let ty = words.program.variable(words.body, *target).ty;
                let value = if path.stored { None } else { words.element(&path.values, *pointer, ty) };
                path.values.insert(*target, value);
            }
            StatementKind::Assume { condition } => {
                if let Some(condition) = words.condition(&path.values, *condition) {
                    keep(&mut self.code.met, condition.clone());
                    path.conditions.push(condition);
                }
            }
            StatementKind::Check(Check::Holds { obligation, condition, .. }) => {
                let overflow = *obligation == Obligation::SignedOverflow;
                if (words.overflow || !overflow)
                    && let Some(must) = words.condition(&path.values, *condition)
                {
                    self.duty(path, must, overflow);
                }
            }
            StatementKind::Call { callee, arguments, target } => {
                for argument in arguments {
                    if let Some(must) = truth(words, &path.values, *argument) {
                        self.duty(path, must, false);
                    }
                }
                if words.calls_code(*callee) {
                    let globals = (0..words.program.globals.len()).map(VariableId::global);
                    path.values.extend(globals.map(|global| (global, None)));
                }
                path.stored = true;
                path.values.extend(target.map(|target| (target, None)));
            }
            other => {
                path.stored |= matches!(
                    other,
                    StatementKind::Store { .. } | StatementKind::Copy { .. } | StatementKind::Fill { .. }
                );
                path.values.extend(other.target().map(|target| (target, None)));
            }
        }
    }

    fn duty(&mut self, path: &mut Path, must: Condition, overflow: bool) {
        if must == Condition::TRUE {
            return;
        }
        let conditions = path.conditions.clone();
        keep(&mut self.code.duties, Duty { conditions, must, outside: path.outside, overflow });
    }
}

/// The conditions that the function tests, read as if all variables had their values at the head.
pub(super) fn tests(words: &Words<'_>, blocks: &[BlockId]) -> Vec<Condition> {
    let mut found = Vec::new();
    // In a function of many blocks only those that are near count, so that the work does not grow with the function.
    let first = blocks.first().map_or(0, |block| block.index().saturating_sub(NEAR));
    let end = blocks.last().map_or(0, |block| block.index() + NEAR).min(words.body.blocks.len());
    let near = (first..end).map(BlockId::new);
    let ids = near.filter(|block| blocks.binary_search(block).is_err());
    // The loop's own tests come first.
    for block in blocks.iter().copied().chain(ids) {
        let block = &words.body.blocks[block];
        let mut values = Values::new();
        for statement in &block.statements {
            let test = match &statement.kind {
                StatementKind::Assume { condition } => words.condition(&values, *condition),
                StatementKind::Check(Check::Holds { obligation, condition, .. })
                    if words.overflow || *obligation != Obligation::SignedOverflow =>
                {
                    words.condition(&values, *condition)
                }
                StatementKind::Assign { target, value } => {
                    if !is_source(words, *target) {
                        let value = words.number(&values, *value);
                        values.insert(*target, value);
                    }
                    None
                }
                StatementKind::Call { arguments, .. } => {
                    for argument in arguments {
                        truth(words, &values, *argument).into_iter().for_each(|test| keep(&mut found, test));
                    }
                    None
                }
                _ => None,
            };
            test.into_iter().for_each(|test| keep(&mut found, test));
        }
        if let Terminator::Branch { condition, .. } = &block.terminator {
            words.condition(&values, *condition).into_iter().for_each(|test| keep(&mut found, test));
        }
    }
    found
}

fn is_source(words: &Words<'_>, variable: VariableId) -> bool {
    words.program.variable(words.body, variable).origin != program::Origin::Temporary
}

/// An argument that is a truth value: an assertion or an assumption, as a rule.
fn truth(words: &Words<'_>, values: &Values, argument: ExprId) -> Option<Condition> {
    if let Some(condition) = words.condition(values, argument) {
        return Some(condition);
    }
    let expression = &words.body.expressions[argument];
    match expression.kind {
        ExprKind::Variable(variable) if !is_source(words, variable) && expression.ty != Type::Pointer => {
            match words.variable(values, variable)?.known() {
                Some(0) => Some(Condition::FALSE),
                _ => None,
            }
        }
        _ => None,
    }
}

fn keep<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if list.len() < MOST && !list.contains(&item) {
        list.push(item);
    }
}
