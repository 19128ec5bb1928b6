//! What the iterations of a loop test, as formulas over the state at the head.
//!
//! Bits are read as numbers that do not wrap: this only serves guessing.

use std::collections::{BTreeMap, BTreeSet};

use certify::Kind;
use certify::recurrence::Iteration;
use evidence::{Comparison, Expression, Formula, Integer, Moment, Name, Quantity};
use logic::numbers::Rational;
use logic::{Binary, Node, Term, Unary};

use crate::linear::{Condition, InEvidence, Linear};

/// Terms that are nested deeper are given up.
const DEEPEST: u32 = 12;

/// No more conditions are listed.
const MOST: usize = 60;

/// The conditions that are tested on the way, each in the order in which it is made, with neither it nor its opposite
/// preferred.
pub(super) fn tested(iteration: &Iteration<'_>) -> Vec<Formula> {
    let relation = iteration.relation();
    let mut roots = vec![relation.continues()];
    roots.extend(relation.after());
    let reader = Reader { iteration, inputs: Vec::new() };
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for term in iteration.terms().reachable(&roots) {
        if let Some(formula) = reader.condition(term)
            && !matches!(formula, Formula::True | Formula::False)
            && seen.insert(format!("{formula}"))
        {
            found.push(formula);
            if found.len() == MOST {
                break;
            }
        }
    }
    found
}

/// What inputs are compared with: the place of the input, and a number over the state that it may be on the border of.
pub(super) fn limits_of_inputs(iteration: &Iteration<'_>) -> Vec<(usize, Expression)> {
    let relation = iteration.relation();
    let reader = Reader { iteration, inputs: iteration.input_symbols() };
    let names: BTreeMap<Name, usize> = (0..reader.inputs.len()).map(|at| (input_name(at), at)).collect();
    let mut found = Vec::new();
    for term in iteration.terms().reachable(&[relation.continues()]) {
        let formula = reader.condition(term);
        let Some(number) =
            formula.as_ref().and_then(Condition::parse).and_then(|test| test.number().cloned())
        else {
            continue;
        };
        let mentioned: Vec<usize> =
            number.names().iter().filter_map(|name| names.get(name).copied()).collect();
        let [input] = mentioned[..] else { continue };
        let own = Quantity::value(input_name(input)).at(Moment::Now);
        let factor = number.coefficient(own.clone());
        if *factor != Rational::ONE && *factor != Rational::MINUS_ONE {
            continue;
        }
        let rest = number.substituted(own, &Linear::zero()).scaled(&-factor);
        for shift in [0, 1, -1] {
            let limit = (input, rest.shifted(shift).expression());
            if !found.contains(&limit) && found.len() < MOST {
                found.push(limit);
            }
        }
    }
    found
}

/// What an input is called among the parts of the state.
fn input_name(place: usize) -> Name {
    Name::from(format!("?{place}").as_str())
}

struct Reader<'a, 'p> {
    iteration: &'a Iteration<'p>,
    /// The inputs that count as parts of the state.
    inputs: Vec<Term>,
}

impl Reader<'_, '_> {
    fn condition(&self, term: Term) -> Option<Formula> {
        let Node::Binary(op, left, right) = self.iteration.terms().node(term) else { return None };
        let comparison = match op {
            Binary::Equal => Comparison::Equal,
            Binary::Less | Binary::SignedLess | Binary::UnsignedLess => Comparison::Less,
            Binary::LessEqual | Binary::SignedLessEqual | Binary::UnsignedLessEqual => Comparison::LessEqual,
            _ => return None,
        };
        let signed = !matches!(op, Binary::UnsignedLess | Binary::UnsignedLessEqual);
        let (left, right) = (self.number(left, signed, 0)?, self.number(right, signed, 0)?);
        Some(left.compare(comparison, right))
    }

    fn number(&self, term: Term, signed: bool, depth: u32) -> Option<Expression> {
        if depth > DEEPEST {
            return None;
        }
        let terms = self.iteration.terms();
        let deeper = |term, signed| self.number(term, signed, depth + 1);
        if let Some(known) = terms.known_integer(term) {
            return Some(Expression::Constant(known.clone()));
        }
        if let Some(known) = terms.known_bits(term) {
            let number = if signed { known.signed() } else { known.unsigned().into() };
            return Some(Expression::Constant(number));
        }
        Some(match terms.node(term) {
            Node::Symbol(_) => {
                if let Some(place) = self.inputs.iter().position(|symbol| *symbol == term) {
                    return Some(Quantity::value(input_name(place)).at(Moment::Now));
                }
                let relation = self.iteration.relation();
                let place = relation.before().iter().position(|symbol| *symbol == term)?;
                let part = &relation.state()[place];
                if part.kind == Kind::Boolean {
                    return None;
                }
                part.quantity.at(Moment::Now)
            }
            Node::Unary(Unary::Negate | Unary::BitNegate, inner) => negative(deeper(inner, signed)?),
            Node::Unary(Unary::SignExtend(_) | Unary::SignedToInteger, inner) => deeper(inner, true)?,
            Node::Unary(Unary::ZeroExtend(_) | Unary::UnsignedToInteger, inner) => deeper(inner, false)?,
            Node::Unary(Unary::Extract { low: 0, .. }, inner) => deeper(inner, signed)?,
            Node::Binary(Binary::Add | Binary::BitAdd, a, b) => deeper(a, signed)? + deeper(b, signed)?,
            Node::Binary(Binary::BitSubtract, a, b) => deeper(a, signed)? + negative(deeper(b, signed)?),
            Node::Binary(Binary::Multiply | Binary::BitMultiply, a, b) => {
                // A factor of all ones is minus one, whatever is compared.
                Expression::Product(vec![deeper(a, true)?, deeper(b, true)?])
            }
            Node::Binary(Binary::Modulo, a, b) => deeper(a, signed)?
                .remainder(terms.known_integer(b).filter(|by| **by > Integer::ZERO)?.clone()),
            Node::Binary(Binary::UnsignedRemainder, a, b) => {
                let by: Integer = terms.known_bits(b)?.unsigned().into();
                deeper(a, false)?.remainder(Some(by).filter(|by| *by > Integer::ZERO)?)
            }
            _ => return None,
        })
    }
}

fn negative(expression: Expression) -> Expression {
    Expression::Product(vec![Expression::Constant(Integer::from(-1)), expression])
}
