//! How far loops drive the numbers that they change, in terms of earlier values.
//!
//! Let a loop have a bound with the rank r, which every iteration lowers by c or more, and let no iteration raise x by more than
//! m·c. Then x + m·max(r + c − 1, 0) never rises. So x is at most what this was at the loop's entry. If the loop never
//! raises x at all, m is zero. The same holds of −x. All this is guessed, and offered to the kernel as an invariant; what
//! follows from it, the kernel checks where it is used.

use std::collections::BTreeMap;

use base::Budget;
use certify::abstraction::{Abstraction, Effort, Named};
use evidence::expression::constant;
use evidence::{Aspect, Expression, Integer, Moment, Quantity, Spent};
use logic::Term;
use program::{BinaryOp, Body, ExprId, ExprKind, StatementKind, Type, VariableId};

use super::Found;
use crate::ranking::Target;

/// So many ways by which a number may grow are tried.
const MOST: usize = 3;

/// A number that a loop changes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Changed {
    /// The abstract loop.
    pub abstract_loop: usize,
    /// The variable.
    pub variable: VariableId,
    /// The number, at the head.
    pub now: Expression,
}

/// What was found out about the numbers of a function's loops.
#[derive(Debug, Default)]
pub struct Growths {
    /// By the number and whether it grows upwards: m, if the kernel has accepted one.
    known: BTreeMap<(Changed, bool), Option<Integer>>,
}

/// The numbers that some loops change, by their terms at the heads.
pub(super) fn changed(abstraction: &mut Abstraction<'_>, loops: &[usize]) -> BTreeMap<Term, Changed> {
    let mut found = BTreeMap::new();
    for &abstract_loop in loops {
        let one = &abstraction.abstract_loops()[abstract_loop];
        let Some(state) = one.starts.last().map(|start| start.state.clone()) else { continue };
        let (function, variables) = (one.function, one.changed.variables.clone());
        let (program, names) = (abstraction.program(), abstraction.names(function));
        let Some(body) = program.functions[function].body() else { continue };
        for (name, named) in names.iter() {
            let Named::Variable(variable) = *named else { continue };
            let aspect = match program.variable(body, variable).ty {
                Type::Integer(_) => Aspect::Value,
                Type::Pointer => Aspect::Offset,
                Type::Bool | Type::Float(_) => continue,
            };
            if !variables.contains(&variable) {
                continue;
            }
            let now = Quantity { variable: name.clone(), aspect }.at(Moment::Now);
            if let Some(term) = abstraction.number(abstract_loop, &now, &state) {
                found.entry(term).or_insert(Changed { abstract_loop, variable, now });
            }
        }
    }
    found
}

impl Growths {
    /// A sum at the entry of the loop that the number, or its opposite, never exceeds; in two parts, of which the second is
    /// that or zero. And by how much it may come closer to it in an iteration.
    pub(super) fn limit(
        &mut self,
        abstraction: &mut Abstraction<'_>,
        changed: &Changed,
        upwards: bool,
        around: Option<&Found>,
        effort: Effort,
        budget: &mut Budget,
    ) -> Option<(Expression, Expression, Integer)> {
        let key = (changed.clone(), upwards);
        if !self.known.contains_key(&key) {
            // Conversions keep a number only if it stays within limits on both sides.
            for upwards in [upwards, !upwards] {
                let target = &mut Target { abstraction, abstract_loop: changed.abstract_loop, effort };
                let found = search(target, changed, upwards, around, budget);
                self.known.insert((changed.clone(), upwards), found);
            }
        }
        let by = self.known.get(&key).cloned().flatten()?;
        let rest = rest(around, &by).filter(|_| by > Integer::ZERO).unwrap_or_else(|| constant(0));
        let entry = |number: &Expression| number.with_moments(&|_| Some(Moment::Entry));
        Some((signed(entry(&changed.now)?, upwards), entry(&rest)?, by * stride(around)))
    }
}

fn only(around: Option<&Found>) -> Option<&Spent> {
    match &around?.bounded.evidence().components[..] {
        [only] => Some(only),
        _ => None,
    }
}

fn stride(around: Option<&Found>) -> Integer {
    only(around).map_or(Integer::ONE, |spent| spent.stride.clone())
}

/// m·(r + c − 1)
fn rest(around: Option<&Found>, by: &Integer) -> Option<Expression> {
    let spent = only(around)?;
    let more = Expression::Constant(&spent.stride - Integer::ONE);
    Some(Expression::Product(vec![Expression::Constant(by.clone()), spent.rank.clone() + more]))
}

fn search(
    target: &mut Target<'_, '_>,
    changed: &Changed,
    upwards: bool,
    around: Option<&Found>,
    budget: &mut Budget,
) -> Option<Integer> {
    let entry = |number: &Expression| number.with_moments(&|_| Some(Moment::Entry));
    let number = signed(changed.now.clone(), upwards);
    let mut ways = vec![Integer::ZERO];
    if only(around).is_some() {
        ways.extend(steps(target, changed.variable).into_iter().map(|step| ceiling(step, &stride(around))));
        ways.dedup();
    }
    for by in ways {
        let total = match rest(around, &by).filter(|_| by > Integer::ZERO) {
            Some(rest) => number.clone() + Expression::Maximum(vec![rest, constant(0)]),
            None => number.clone(),
        };
        let before = entry(&total)?;
        if target.offer(vec![total.at_most(before)], budget) {
            return Some(by);
        }
    }
    None
}

fn signed(number: Expression, upwards: bool) -> Expression {
    if upwards { number } else { -number }
}

fn ceiling(number: u128, by: &Integer) -> Integer {
    (Integer::from(number) + by - Integer::ONE) / by
}

/// By how much the statements of a loop change a variable at once, and all of them together.
fn steps(target: &Target<'_, '_>, variable: VariableId) -> Vec<u128> {
    let one = &target.abstraction.abstract_loops()[target.abstract_loop];
    let Some(body) = target.abstraction.program().functions[one.function].body() else { return Vec::new() };
    let statements = one.blocks.iter().flat_map(|&block| &body.blocks[block].statements);
    let values = statements.filter_map(|statement| match statement.kind {
        StatementKind::Assign { target, value } if target == variable => Some(value),
        _ => None,
    });
    let steps: Vec<u128> = values.filter_map(|value| step(body, value)).filter(|&step| step > 0).collect();
    let sum = steps.iter().sum();
    let mut all: Vec<u128> = steps.into_iter().chain([sum]).filter(|&step| step > 0).collect();
    all.sort_unstable();
    all.dedup();
    if all.len() > MOST {
        all.drain(1..all.len() + 1 - MOST);
    }
    all
}

/// By how much a value differs from what it is made of.
fn step(body: &Body, value: ExprId) -> Option<u128> {
    match body.expressions[value].kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            body.constant(right).or_else(|| body.constant(left)).map(i128::unsigned_abs)
        }
        ExprKind::Offset(_, bytes) => body.constant(bytes).map(i128::unsigned_abs),
        ExprKind::Convert(inner) => step(body, inner),
        _ => None,
    }
}

/// The loops that come before another one, or are around it.
pub(super) fn before(abstraction: &Abstraction<'_>, abstract_loop: usize) -> Vec<usize> {
    let function = abstraction.abstract_loops()[abstract_loop].function;
    (0..abstract_loop).filter(|&one| abstraction.abstract_loops()[one].function == function).collect()
}
