//! What the passes through a loop test, as formulas over the state at the head.
//!
//! Bits are read as numbers that do not wrap: this only serves guessing.

use std::collections::BTreeSet;

use certify::Kind;
use certify::recurrence::Pass;
use evidence::{Comparison, Expression, Formula, Integer, Moment};
use logic::{Binary, Node, Term, Unary};

/// Terms that are nested deeper are given up.
const DEEPEST: u32 = 12;

/// No more conditions are listed.
const MOST: usize = 60;

/// The conditions that are tested on the way, each in the order in which it is made, with neither it nor its opposite
/// preferred.
pub(super) fn tested(pass: &Pass<'_>) -> Vec<Formula> {
    let relation = pass.relation();
    let mut roots = vec![relation.continues()];
    roots.extend(relation.after());
    let reader = Reader { pass };
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for term in pass.terms().reachable(&roots) {
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

struct Reader<'a, 'p> {
    pass: &'a Pass<'p>,
}

impl Reader<'_, '_> {
    fn condition(&self, term: Term) -> Option<Formula> {
        let Node::Binary(op, left, right) = self.pass.terms().node(term) else { return None };
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
        let terms = self.pass.terms();
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
                let relation = self.pass.relation();
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
