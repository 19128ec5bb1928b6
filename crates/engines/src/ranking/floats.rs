//! Loops that floating point numbers count: an order of the places of such a number in its type, with the limits that show
//! that steps do not get lost.
//!
//! A step gets lost in a number that is too large for it, in infinity, and in the least number. So the kernel is first
//! offered limits of every such number that the loop changes: the constants of the function, the largest numbers of the
//! type, and the number at entry. Then the templates are tried ([`super::templates`]), which need no linear iteration.

use std::collections::BTreeSet;

use base::Budget;
use certify::abstraction::Named;
use evidence::expression::constant;
use evidence::{Aspect, Expression, Formula, Moment};
use program::{Body, ExprKind, FloatFormat, Type, float};

use super::measured::with_places;
use super::{Target, templates};

/// No more constants are taken.
const MOST: usize = 8;

/// Looks for an order of floating point numbers that shows that a loop is left, and has the kernel accept it. Gives whether
/// that was done.
pub fn fit(target: &mut Target<'_, '_>, budget: &mut Budget) -> bool {
    let limits = limits(target);
    if limits.is_empty() {
        return false;
    }
    target.offer(limits, budget);
    templates::fit(target, budget)
}

/// Limits of the floating point numbers that a loop changes.
fn limits(target: &mut Target<'_, '_>) -> Vec<Formula> {
    let program = target.abstraction.program();
    let function = target.abstraction.abstract_loops()[target.abstract_loop].function;
    let Some(body) = program.functions[function].body() else { return Vec::new() };
    let measured = with_places(target);
    let names = target.abstraction.names(function);
    let mut found = Vec::new();
    for one in measured.iter().filter(|one| one.before != one.after) {
        let Expression::Quantity { quantity, .. } = &one.expression else { continue };
        let Some(Named::Variable(variable)) = names.get(&quantity.variable).copied() else { continue };
        let Type::Float(format) = program.variable(body, variable).ty else { continue };
        if quantity.aspect != Aspect::Place {
            continue;
        }
        let (now, entry) = (quantity.at(Moment::Now), quantity.at(Moment::Entry));
        for limit in [entry].into_iter().chain(places(body, format).into_iter().map(constant)) {
            found.push(now.clone().at_most(limit.clone()));
            found.push(now.clone().at_least(limit));
        }
    }
    found
}

/// The places of the constants of a function, and of the largest numbers, in the order of a format.
fn places(body: &Body, format: FloatFormat) -> BTreeSet<i128> {
    let largest = match format {
        FloatFormat::Single => u128::from(f32::MAX.to_bits()),
        FloatFormat::Double => u128::from(f64::MAX.to_bits()),
        _ => return BTreeSet::new(),
    };
    let constants =
        body.expressions.iter().filter_map(|(_, expression)| match (expression.kind, expression.ty) {
            (ExprKind::Float(bits), Type::Float(from)) => Some(float::convert(from, format, bits)),
            (ExprKind::Convert(number), Type::Float(_)) => {
                let (Type::Integer(ty), number) = (body.type_of(number), body.constant(number)?) else {
                    return None;
                };
                Some(float::from_integer(format, ty, number))
            }
            _ => None,
        });
    let sign = 1u128 << (format.bits() - 1);
    let finite = |bits: &u128| bits & !sign <= largest;
    let place = |bits: u128| {
        let size = i128::try_from(bits & !sign).unwrap_or_default();
        if bits & sign == 0 { size } else { -size }
    };
    let chosen: BTreeSet<i128> = constants.filter(finite).map(place).take(MOST).collect();
    // A negative constant is a positive one with an operation.
    chosen.into_iter().chain([0, place(largest)]).flat_map(|limit| [limit, -limit]).collect()
}
