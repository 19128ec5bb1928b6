//! Bounds over earlier values: those when the function was entered, or when an outer loop was.
//!
//! What a loop finds at entry is a term of the encoding. Read along a model it is a sum of unknowns; if each of these is a
//! quantity of the earlier state, the sum of the quantities is what the kernel is asked about.

use std::collections::BTreeMap;

use base::Budget;
use certify::leaps::{Bounded, Effort, Leaping, Named, Reference, Restated};
use encoding::State;
use evidence::expression::constant;
use evidence::{Aspect, Expression, Integer, Moment, Quantity, Restatement};
use logic::numbers::Linear;
use logic::{Model, Term};
use program::{Program, Type};

use crate::ranking::implicant::Reader;

/// A bound restated over the values of a reference, if that can be shown.
pub fn restate(
    program: &Program,
    leaping: &mut Leaping<'_>,
    bounded: &Bounded,
    reference: Reference,
    effort: Effort,
    budget: &mut Budget,
) -> Option<Restated> {
    let known = quantities(program, leaping, bounded.leap(), reference);
    let components = &bounded.evidence().components.clone();
    let mut restatement = Restatement { potentials: Vec::new(), raises: Vec::new() };
    for spent in components {
        restatement.potentials.push(rewritten(leaping, bounded.leap(), &spent.rank, &known)?);
        let raises = spent.raised.iter().map(|raise| rewritten(leaping, bounded.leap(), &raise.most, &known));
        restatement.raises.push(raises.collect::<Option<_>>()?);
    }
    leaping.restate(bounded, &restatement, reference, effort, budget)
}

/// The quantities of the earlier state by their terms.
fn quantities(
    program: &Program,
    leaping: &mut Leaping<'_>,
    leap: usize,
    reference: Reference,
) -> BTreeMap<Term, Expression> {
    let function = leaping.leaps()[leap].function;
    let (state, moment, of): (Option<State>, Moment, usize) = match reference {
        Reference::Start => (leaping.encoder().start.clone().map(|(_, state)| state), Moment::Start, leap),
        Reference::Entry(outer) => (leaping.leaps()[outer].entries.first().cloned(), Moment::Entry, outer),
    };
    let (Some(state), Some(body)) = (state, program.functions[function].body()) else { return BTreeMap::new() };
    let names = leaping.names(function);
    let mut found = BTreeMap::new();
    for (name, named) in names.iter() {
        let Named::Variable(variable) = *named else { continue };
        let aspect = match program.variable(body, variable).ty {
            Type::Integer(_) | Type::Bool => Aspect::Value,
            Type::Pointer => Aspect::Offset,
            Type::Float(_) => continue,
        };
        let now = Quantity { variable: name.clone(), aspect }.at(Moment::Now);
        if let Some(term) = leaping.number(of, &now, &state) {
            let expression = now.with_moments(&|_| Some(moment)).unwrap_or(now);
            found.entry(term).or_insert(expression);
        }
    }
    found
}

/// A number of the state at entry in terms of earlier quantities.
fn rewritten(
    leaping: &mut Leaping<'_>,
    leap: usize,
    number: &Expression,
    known: &BTreeMap<Term, Expression>,
) -> Option<Expression> {
    let all = |leaping: &mut Leaping<'_>, parts: &[Expression]| -> Option<Vec<Expression>> {
        parts.iter().map(|part| rewritten(leaping, leap, part, known)).collect()
    };
    Some(match number {
        Expression::Constant(_) => number.clone(),
        Expression::Sum(parts) => Expression::Sum(all(leaping, parts)?),
        Expression::Product(parts) => Expression::Product(all(leaping, parts)?),
        Expression::Maximum(parts) => Expression::Maximum(all(leaping, parts)?),
        Expression::Minimum(parts) => Expression::Minimum(all(leaping, parts)?),
        Expression::Quotient { dividend, divisor } => {
            rewritten(leaping, leap, dividend, known)?.quotient(divisor.clone())
        }
        Expression::Select { condition, then, otherwise } => match &**condition {
            evidence::Formula::Compare { left, comparison, right } => {
                let left = rewritten(leaping, leap, left, known)?;
                let right = rewritten(leaping, leap, right, known)?;
                Expression::Select {
                    condition: Box::new(left.compare(*comparison, right)),
                    then: Box::new(rewritten(leaping, leap, then, known)?),
                    otherwise: Box::new(rewritten(leaping, leap, otherwise, known)?),
                }
            }
            _ => return None,
        },
        other => quantity(leaping, leap, other, known)?,
    })
}

fn quantity(
    leaping: &mut Leaping<'_>,
    leap: usize,
    number: &Expression,
    known: &BTreeMap<Term, Expression>,
) -> Option<Expression> {
    let entry = leaping.leaps()[leap].entries.first()?.clone();
    let term = leaping.number(leap, number, &entry)?;
    if let Some(same) = known.get(&term) {
        return Some(same.clone());
    }
    let model = Model::default();
    let mut reader = Reader::new(&leaping.encoder().terms, &model);
    let sum = reader.number(term, true);
    let mut unknowns: BTreeMap<Term, Expression> = BTreeMap::new();
    for (&earlier, expression) in known {
        let alone = reader.number(earlier, true);
        if let [(unknown, one)] = alone.terms()
            && *one == logic::numbers::Rational::from(1)
            && alone == Linear::variable(*unknown)
        {
            unknowns.entry(*unknown).or_insert_with(|| expression.clone());
        }
    }
    let mut parts = Vec::new();
    for (unknown, coefficient) in sum.terms() {
        let part = unknowns.get(unknown)?.clone();
        let coefficient = coefficient.to_integer()?;
        parts.push(if coefficient == Integer::ONE { part } else { Expression::Constant(coefficient) * part });
    }
    let offset = sum.constant_part().to_integer()?;
    if offset != Integer::ZERO || parts.is_empty() {
        parts.push(constant(offset));
    }
    Some(if parts.len() == 1 { parts.swap_remove(0) } else { Expression::Sum(parts) })
}
