//! Products of unknown numbers, and divisions by them.
//!
//! They start as unknowns. When one has a value that does not fit its operands, it is told what it is for the value
//! that one operand has just now: if `y = 5` then `x * y = 5 * x`, which is linear. This finds models and decides small
//! ranges; it proves nothing in general, so that the search is given up after some rounds.

use dashu_int::ops::UnsignedAbs;

use super::numbers::{Form, Sum};
use super::query::Query;
use crate::Value;
use crate::evaluate;
use crate::node::{Binary, Node};
use crate::solver::sat::Sat;

/// Corrects what came out wrong; whether something did.
pub(crate) fn refine<S: Sat>(query: &mut Query<'_, S>) -> bool {
    let mut wrong = false;
    for index in 0..query.state.opaque.len() {
        let (term, unknown) = query.state.opaque[index];
        let Node::Binary(op, a, b) = query.terms.node(term) else { continue };
        let (left, right) = (query.value(a), query.value(b));
        let result = query.state.linear.value(unknown);
        if evaluate::binary(op, &left, &right) == Value::Integer(result) {
            continue;
        }
        wrong = true;
        // The operand whose value is used: the divisor, or the factor nearer to zero.
        let magnitude = |value: &Value| value.as_integer().map(|number| number.clone().unsigned_abs());
        let left_is_known = op == Binary::Multiply && magnitude(&left) < magnitude(&right);
        let (known, value, other) = if left_is_known { (a, left, b) } else { (b, right, a) };
        let Value::Integer(value) = value else { continue };
        let constant = Form::Sum(Sum::constant(value.clone()));
        let (known, other) =
            (query.translator.number(query.terms, known), query.translator.number(query.terms, other));
        let is_value = query.translator.equal_numbers(&known, &constant);
        let result = match op {
            Binary::Multiply => Form::Sum(query.translator.sum(&other).scaled(&value.into())),
            _ => query.translator.euclidean(term, &other, &constant, op == Binary::Divide),
        };
        let is_result = query.translator.equal_numbers(&Form::Sum(Sum::variable(unknown)), &result);
        query.add(&[!is_value, is_result]);
    }
    wrong
}
