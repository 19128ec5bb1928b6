//! The body of a loop as polynomials: what a pass computes, modulo the size of the type.
//!
//! Sums and products of bits are those of ℤ modulo 2^w, so a term of bits is congruent to a polynomial over the state
//! without any condition. Only where bits are made wider their number must be the polynomial's: an interval that contains
//! the polynomial's number decides that. A choice between two terms is decided by the solver: under the condition of the
//! path only one of them may be left.

use std::collections::BTreeMap;

use evidence::Integer;
use logic::{Binary, Node, Term, Terms, Unary, Value};

use crate::polynomial::{Polynomial, Unknown};
use crate::question::Questions;
use crate::relation::{Kind, Relation};
use crate::wide::Range;

/// Choices that the solver is asked about for one term.
const MOST_CHOICES: u32 = 50;

/// The polynomial over the state before that a pass along this path computes for a term: the term's number for integers,
/// a number with the same low bits for bits. Nothing if there is none that is found.
pub(crate) fn polynomial(questions: &mut Questions<'_>, root: Term, pass: &[Term]) -> Option<Polynomial> {
    let mut done: BTreeMap<Term, Computed> = BTreeMap::new();
    let mut chosen: BTreeMap<Term, Term> = BTreeMap::new();
    let mut stack = vec![root];
    while let Some(&top) = stack.last() {
        if done.contains_key(&top) {
            stack.pop();
            continue;
        }
        let node = questions.terms.node(top);
        let operands: Vec<Term> = match node {
            Node::Ite(condition, then, otherwise) => {
                if !chosen.contains_key(&top) {
                    let may_ask = (chosen.len() as u32) < MOST_CHOICES;
                    let taken = may_ask.then(|| decided(questions, condition, pass))??;
                    chosen.insert(top, if taken { then } else { otherwise });
                }
                vec![chosen[&top]]
            }
            node => node.operands().collect(),
        };
        let before = stack.len();
        stack.extend(operands.iter().filter(|operand| !done.contains_key(operand)));
        if stack.len() == before {
            let parts: Vec<&Computed> = operands.iter().map(|operand| &done[operand]).collect();
            let computed = operation(questions.terms, questions.relation, top, node, &parts)?;
            done.insert(top, computed);
            stack.pop();
        }
    }
    done.remove(&root).map(|computed| computed.polynomial)
}

/// Whether a condition is always true, or always false, on the path.
fn decided(questions: &mut Questions<'_>, condition: Term, pass: &[Term]) -> Option<bool> {
    if questions.counterexample(pass, condition) == Ok(None) {
        return Some(true);
    }
    let not = questions.terms.not(condition);
    (questions.counterexample(pass, not) == Ok(None)).then_some(false)
}

/// A polynomial, and what its number is between if the state has limits.
#[derive(Clone)]
struct Computed {
    polynomial: Polynomial,
    range: Option<Range>,
}

impl Computed {
    fn constant(number: Integer) -> Self {
        Self { polynomial: Polynomial::constant(number.clone()), range: Some((number.clone(), number)) }
    }

    fn add(&self, other: &Self) -> Option<Self> {
        let range = self.range.as_ref().zip(other.range.as_ref()).map(|(a, b)| (&a.0 + &b.0, &a.1 + &b.1));
        Some(Self { polynomial: self.polynomial.add(&other.polynomial)?, range })
    }

    fn multiply(&self, other: &Self) -> Option<Self> {
        let range = self.range.as_ref().zip(other.range.as_ref()).map(|(a, b)| {
            let corners = [&a.0 * &b.0, &a.0 * &b.1, &a.1 * &b.0, &a.1 * &b.1];
            let (low, high) = (corners.iter().min().cloned(), corners.iter().max().cloned());
            (low.unwrap_or_default(), high.unwrap_or_default())
        });
        Some(Self { polynomial: self.polynomial.multiply(&other.polynomial)?, range })
    }

    fn negate(&self) -> Option<Self> {
        self.multiply(&Self::constant(Integer::NEG_ONE))
    }

    /// The same if its number is of this type, so that the bits say it.
    fn of_type(&self, width: u32, signed: bool) -> Option<Self> {
        let (low, high) = Kind::Machine { width, signed }.range()?;
        self.range.as_ref().is_some_and(|range| low <= range.0 && range.1 <= high).then(|| self.clone())
    }
}

fn operation(
    terms: &Terms,
    relation: &Relation,
    term: Term,
    node: Node,
    parts: &[&Computed],
) -> Option<Computed> {
    match (node, parts) {
        (Node::Symbol(_), []) => part_of_state(relation, term),
        (Node::Constant(_), []) => match terms.known(term)? {
            Value::BitVector(bits) => Some(Computed::constant(bits.signed())),
            Value::Integer(number) => Some(Computed::constant(number.clone())),
            _ => None,
        },
        (Node::Ite(..), [only]) => Some((*only).clone()),
        (Node::Unary(Unary::Negate | Unary::BitNegate, _), [a]) => a.negate(),
        (Node::Unary(Unary::BitNot, _), [a]) => a.negate()?.add(&Computed::constant(Integer::NEG_ONE)),
        (Node::Unary(Unary::Extract { low: 0, .. }, _), [a]) => Some((*a).clone()),
        (Node::Unary(Unary::SignExtend(_), inner), [a]) => a.of_type(terms.width(inner), true),
        (Node::Unary(Unary::ZeroExtend(_), inner), [a]) => a.of_type(terms.width(inner), false),
        (Node::Binary(Binary::Add | Binary::BitAdd, ..), [a, b]) => a.add(b),
        (Node::Binary(Binary::BitSubtract, ..), [a, b]) => a.add(&b.negate()?),
        (Node::Binary(Binary::Multiply | Binary::BitMultiply, ..), [a, b]) => a.multiply(b),
        (Node::Binary(Binary::ShiftLeft, _, by), [a, _]) => {
            let by = usize::try_from(&terms.known_bits(by)?.unsigned()).ok()?;
            let is_short = by < terms.width(term) as usize;
            is_short.then(|| a.multiply(&Computed::constant(Integer::ONE << by)))?
        }
        _ => None,
    }
}

fn part_of_state(relation: &Relation, term: Term) -> Option<Computed> {
    let part = relation.before().iter().position(|symbol| *symbol == term)?;
    let kind = relation.state()[part].kind;
    let is_number = matches!(kind, Kind::Machine { .. } | Kind::Mathematical);
    is_number.then(|| Computed { polynomial: Polynomial::unknown(Unknown::Part(part)), range: kind.range() })
}
