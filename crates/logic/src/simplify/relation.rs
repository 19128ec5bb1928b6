//! Two comparisons of the same terms, taken together.
//!
//! A comparison of `x` and `y` says which of less, equal and greater is possible: a set of three. A comparison of `x` with
//! a constant says in which interval `x` is. Both kinds meet and join as sets.

use super::comparison::limits;
use super::shape::orders;
use crate::node::{Binary, Node, Unary};
use crate::terms::{Term, Terms};
use crate::value::Value;
use crate::{BitVector, Integer};

/// The conjunction or disjunction of two comparisons, if it is at most one comparison.
pub fn together(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let (first, second) = (comparison(terms, a)?, comparison(terms, b)?);
    if let Some((x, y, order, either)) = same_pair(&first, &second) {
        let set = if op == Binary::And { first.set & either } else { first.set | either };
        return Some(term_of_set(terms, x, y, order, set));
    }
    intervals(terms, op, (a, &first), (b, &second))
}

/// Which order a comparison is about. Equality is about all of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Any,
    Unsigned,
    Signed,
    Number,
}

const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;

struct Comparison {
    left: Term,
    right: Term,
    order: Order,
    /// What `left` can be to `right`.
    set: u8,
}

fn comparison(terms: &Terms, term: Term) -> Option<Comparison> {
    let (node, negated) = match terms.node(term) {
        Node::Unary(Unary::Not, inner) => (terms.node(inner), true),
        node => (node, false),
    };
    let Node::Binary(op, left, right) = node else { return None };
    let (order, set) = match op {
        Binary::Equal => (Order::Any, EQUAL),
        Binary::UnsignedLess => (Order::Unsigned, LESS),
        Binary::UnsignedLessEqual => (Order::Unsigned, LESS | EQUAL),
        Binary::SignedLess => (Order::Signed, LESS),
        Binary::SignedLessEqual => (Order::Signed, LESS | EQUAL),
        Binary::Less => (Order::Number, LESS),
        Binary::LessEqual => (Order::Number, LESS | EQUAL),
        _ => return None,
    };
    let set = if negated { set ^ (LESS | EQUAL | GREATER) } else { set };
    Some(Comparison { left, right, order, set })
}

/// The pair that both compare, in one order, and the second's set for it.
fn same_pair(first: &Comparison, second: &Comparison) -> Option<(Term, Term, Order, u8)> {
    let order = match (first.order, second.order) {
        (Order::Any, order) | (order, Order::Any) => order,
        (a, b) if a == b => a,
        _ => return None,
    };
    let (x, y) = (first.left, first.right);
    if (x, y) == (second.left, second.right) {
        return Some((x, y, order, second.set));
    }
    ((x, y) == (second.right, second.left)).then(|| {
        let swapped = second.set & EQUAL | (second.set & LESS) << 2 | (second.set & GREATER) >> 2;
        (x, y, order, swapped)
    })
}

fn term_of_set(terms: &mut Terms, x: Term, y: Term, order: Order, set: u8) -> Term {
    const BELOW: u8 = LESS | EQUAL;
    const ABOVE: u8 = GREATER | EQUAL;
    const UNEQUAL: u8 = LESS | GREATER;
    let (less, less_equal) = match order {
        Order::Unsigned => (Binary::UnsignedLess, Binary::UnsignedLessEqual),
        Order::Signed => (Binary::SignedLess, Binary::SignedLessEqual),
        Order::Number | Order::Any => (Binary::Less, Binary::LessEqual),
    };
    match set {
        0 => terms.bool(false),
        LESS => terms.binary(less, x, y),
        EQUAL => terms.equal(x, y),
        GREATER => terms.binary(less, y, x),
        BELOW => terms.binary(less_equal, x, y),
        ABOVE => terms.binary(less_equal, y, x),
        UNEQUAL => terms.differ(x, y),
        _ => terms.bool(true),
    }
}

/// The numbers that a comparison with a constant leaves: those from low to high, or all but those.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Interval {
    low: i128,
    high: i128,
    inside: bool,
}

impl Interval {
    /// The other numbers of a whole range.
    fn complement(self, whole: Self) -> Self {
        if !self.inside {
            Self { inside: true, ..self }
        } else if self.low == whole.low && self.high < whole.high {
            Self { low: self.high + 1, high: whole.high, inside: true }
        } else if self.high == whole.high && self.low > whole.low {
            Self { low: whole.low, high: self.low - 1, inside: true }
        } else {
            Self { inside: false, ..self }
        }
    }

    /// The numbers in both, if that is an interval too.
    fn meet(self, other: Self) -> Option<Self> {
        match (self.inside, other.inside) {
            (true, true) => {
                Some(Self { low: self.low.max(other.low), high: self.high.min(other.high), inside: true })
            }
            (false, false) => (self == other).then_some(self),
            (false, true) => other.meet(self),
            (true, false) if other.low <= self.low && self.high <= other.high => {
                Some(Self { low: 1, high: 0, inside: true })
            }
            (true, false) if other.high < self.low || self.high < other.low => Some(self),
            (true, false) if other.low <= self.low => Some(Self { low: other.high + 1, ..self }),
            (true, false) if self.high <= other.high => Some(Self { high: other.low - 1, ..self }),
            (true, false) => None,
        }
    }
}

/// Two comparisons of one term with constants.
fn intervals(
    terms: &mut Terms,
    op: Binary,
    (a, first): (Term, &Comparison),
    (b, second): (Term, &Comparison),
) -> Option<Term> {
    let order = match (first.order, second.order) {
        (Order::Any, order) | (order, Order::Any) => order,
        (a, b) if a == b => a,
        _ => return None,
    };
    let subject =
        |c: &Comparison| orders(c.left, c.right).into_iter().find(|(_, k)| terms.known(*k).is_some());
    let (x, y) = (subject(first)?.0, subject(second)?.0);
    if x != y || terms.sort(x) == crate::Sort::Bool {
        return None;
    }
    let order =
        if order == Order::Any && terms.sort(x) == crate::Sort::Integer { Order::Number } else { order };
    let whole = whole(terms, x, order)?;
    let (i, j) = (interval(terms, first, order, whole)?, interval(terms, second, order, whole)?);
    let conjunction = op == Binary::And;
    let side = |interval: Interval| if conjunction { interval } else { interval.complement(whole) };
    let (i, j) = (side(i), side(j));
    let met = i.meet(j)?;
    if met == i {
        return Some(a);
    }
    if met == j {
        return Some(b);
    }
    if met.inside && met.low > met.high {
        return Some(terms.bool(!conjunction));
    }
    term_of_interval(terms, x, order, whole, side(met))
}

/// All numbers that a term could be.
fn whole(terms: &Terms, x: Term, order: Order) -> Option<Interval> {
    let (low, high) = match terms.sort(x) {
        // Numbers beyond these are not seen: a constant that large has no interval.
        crate::Sort::Integer => (i128::MIN, i128::MAX),
        crate::Sort::BitVector(width) => limits(width, order == Order::Signed)?,
        _ => return None,
    };
    Some(Interval { low, high, inside: true })
}

fn interval(terms: &Terms, comparison: &Comparison, order: Order, whole: Interval) -> Option<Interval> {
    let read = |term: Term| match terms.known(term)? {
        Value::BitVector(bits) if order == Order::Signed => bits.to_i128(),
        Value::BitVector(bits) => i128::try_from(bits.to_u128()?).ok(),
        Value::Integer(number) => {
            i128::try_from(number).ok().filter(|n| *n > i128::MIN + 1 && *n < i128::MAX - 1)
        }
        _ => None,
    };
    let (number, set) = match read(comparison.right) {
        Some(number) => (number, comparison.set),
        None => {
            let set = comparison.set;
            (read(comparison.left)?, set & EQUAL | (set & LESS) << 2 | (set & GREATER) >> 2)
        }
    };
    let below = if set & EQUAL != 0 { number } else { number - 1 };
    let above = if set & EQUAL != 0 { number } else { number + 1 };
    Some(match (set & LESS != 0, set & GREATER != 0) {
        (true, false) => Interval { high: below, ..whole },
        (false, true) => Interval { low: above, ..whole },
        (false, false) => Interval { low: number, high: number, inside: true },
        (true, true) => Interval { low: number, high: number, inside: false },
    })
}

fn term_of_interval(
    terms: &mut Terms,
    x: Term,
    order: Order,
    whole: Interval,
    interval: Interval,
) -> Option<Term> {
    let constant = |terms: &mut Terms, number: i128| match terms.sort(x) {
        crate::Sort::BitVector(width) => {
            terms.value(&Value::BitVector(BitVector::from_signed(width, number)))
        }
        _ => terms.integer(Integer::from(number)),
    };
    let less_equal = match order {
        Order::Signed => Binary::SignedLessEqual,
        Order::Unsigned => Binary::UnsignedLessEqual,
        Order::Number => Binary::LessEqual,
        Order::Any => return None,
    };
    if interval.low == interval.high {
        let number = constant(terms, interval.low);
        return Some(if interval.inside { terms.equal(x, number) } else { terms.differ(x, number) });
    }
    if !interval.inside {
        return None;
    }
    if interval.low == whole.low {
        let number = constant(terms, interval.high);
        return Some(terms.binary(less_equal, x, number));
    }
    if interval.high == whole.high {
        let number = constant(terms, interval.low);
        return Some(terms.binary(less_equal, number, x));
    }
    None
}
