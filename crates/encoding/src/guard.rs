//! The condition under which control is at a place.
//!
//! A guard is a chain of conditions, the newest first. Two guards that came from one share its tail, so that what they
//! add to it is found quickly: where two paths meet again, only the difference matters.
//!
//! ```text
//!        ┌─ c ── ok    then branch
//! g ─────┤                              they meet under g ∧ (c ∧ ok ∨ ¬c), and values are chosen by c
//!        └─ ¬c         else branch
//! ```

use std::rc::Rc;

use logic::{Term, Terms};

/// A condition under which control is at a place.
#[derive(Clone, Debug)]
pub struct Guard(Rc<Link>);

#[derive(Debug)]
struct Link {
    /// The condition that this link adds.
    condition: Term,
    /// The whole conjunction.
    whole: Term,
    depth: u32,
    rest: Option<Guard>,
}

impl Guard {
    /// The guard that always holds, or another one to start from.
    pub fn new(condition: Term) -> Self {
        Self(Rc::new(Link { condition, whole: condition, depth: 0, rest: None }))
    }

    /// The guard as one term.
    pub fn term(&self) -> Term {
        self.0.whole
    }

    /// The guard and one more condition.
    pub fn and(&self, terms: &mut Terms, condition: Term) -> Self {
        if terms.is_true(condition) {
            return self.clone();
        }
        let whole = terms.and(self.0.whole, condition);
        if whole == self.0.whole {
            return self.clone();
        }
        Self(Rc::new(Link { condition, whole, depth: self.0.depth + 1, rest: Some(self.clone()) }))
    }

    /// All conditions, the oldest first.
    pub fn conditions(&self) -> Vec<Term> {
        let mut conditions = Vec::new();
        let mut guard = Some(self);
        while let Some(next) = guard {
            conditions.push(next.0.condition);
            guard = next.0.rest.as_ref();
        }
        conditions.reverse();
        conditions
    }

    /// Either of two guards that exclude each other, and a condition that tells the first from the second wherever
    /// one of them holds.
    pub fn or(terms: &mut Terms, first: &Self, second: &Self) -> (Self, Term) {
        let common = Self::common(first, second);
        let (mut left, mut right) = (first.since(&common), second.since(&common));
        // A side that adds nothing holds whenever the common part does: then the other cannot hold with it.
        let choice = match (left.first(), right.first()) {
            (Some(&a), Some(&b)) if terms.not(a) == b => a,
            _ => terms.all(&left),
        };
        if let (Some(&a), Some(&b)) = (left.first(), right.first())
            && terms.not(a) == b
        {
            // With c ∧ p on one side and ¬c ∧ q on the other, c → p and ¬c → q say it in smaller pieces.
            (left, right) = (left[1..].to_vec(), right[1..].to_vec());
            let (p, q) = (terms.all(&left), terms.all(&right));
            let (p, q) = (terms.implies(a, p), terms.or(a, q));
            let joined = common.and(terms, p).and(terms, q);
            return (joined, choice);
        }
        let (p, q) = (terms.all(&left), terms.all(&right));
        let either = terms.or(p, q);
        (common.and(terms, either), choice)
    }

    fn common(first: &Self, second: &Self) -> Self {
        let (mut a, mut b) = (first, second);
        while !Rc::ptr_eq(&a.0, &b.0) {
            let (down_a, down_b) = (a.0.depth >= b.0.depth, b.0.depth >= a.0.depth);
            match (down_a, down_b, &a.0.rest, &b.0.rest) {
                (true, _, Some(rest), _) if a.0.depth > b.0.depth => a = rest,
                (_, true, _, Some(rest)) if b.0.depth > a.0.depth => b = rest,
                (_, _, Some(rest_a), Some(rest_b)) => (a, b) = (rest_a, rest_b),
                // Guards of one encoding share their start; others have only what is always true in common.
                _ => return a.clone(),
            }
        }
        a.clone()
    }

    /// The conditions that were added since a guard that this one came from, the oldest first.
    pub fn since(&self, start: &Self) -> Vec<Term> {
        let mut conditions = Vec::new();
        let mut guard = self;
        while !Rc::ptr_eq(&guard.0, &start.0) {
            conditions.push(guard.0.condition);
            match &guard.0.rest {
                Some(rest) => guard = rest,
                None => break,
            }
        }
        conditions.reverse();
        conditions
    }
}

impl Drop for Link {
    /// Long chains are taken apart link by link: dropping them at once would need as many calls as they have links.
    fn drop(&mut self) {
        let mut rest = self.rest.take();
        while let Some(guard) = rest {
            match Rc::try_unwrap(guard.0) {
                Ok(mut link) => rest = link.rest.take(),
                Err(_) => break,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Sort;

    #[test]
    fn branches_that_meet_leave_nothing_behind() {
        let mut terms = Terms::new();
        let always = terms.bool(true);
        let start = Guard::new(always);
        let (g, c) = (terms.fresh("g", Sort::Bool), terms.fresh("c", Sort::Bool));
        let not_c = terms.not(c);
        let start = start.and(&mut terms, g);
        let (then, otherwise) = (start.and(&mut terms, c), start.and(&mut terms, not_c));
        let (joined, choice) = Guard::or(&mut terms, &then, &otherwise);
        assert_eq!((joined.term(), choice), (g, c));
    }

    #[test]
    fn a_long_chain_can_be_dropped() {
        let mut terms = Terms::new();
        let mut guard = Guard::new(terms.bool(true));
        for number in 0..200_000 {
            let condition = terms.fresh(format!("c{number}"), Sort::Bool);
            guard = guard.and(&mut terms, condition);
        }
        drop(guard);
    }
}
