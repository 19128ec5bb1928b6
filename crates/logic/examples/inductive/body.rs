//! Random loop bodies: what one iteration makes of the variables, as terms; and candidate invariants about them.

use crate::support::random::Random;
use loopscope_logic::{Binary, Sort, Term, Terms};

/// One iteration of a loop.
pub struct Body {
    pub terms: Terms,
    width: u32,
    /// The variables before and after the iteration.
    before: Vec<Term>,
    after: Vec<Term>,
    /// The guard of the loop, and what the iteration does.
    pub relation: Vec<Term>,
}

impl Body {
    /// A body of 10 to 40 statements over 8 to 20 variables of this width.
    pub fn random(random: &mut Random, width: u32) -> Self {
        let mut terms = Terms::new();
        let count = random.between(8, 20) as usize;
        let sort = Sort::BitVector(width);
        let before: Vec<Term> = (0..count).map(|n| terms.fresh(format!("v{n}"), sort)).collect();
        let after: Vec<Term> = (0..count).map(|n| terms.fresh(format!("v{n}'"), sort)).collect();
        let statements = random.between(10, 40);
        let mut run = Run { terms: &mut terms, random, width, state: before.clone() };
        // The loop runs while v0 < v1, and adds one to v0 at the end; v1 stays as it is.
        run.block(statements - 1);
        let one = run.terms.bits(width, 1);
        run.state[0] = run.terms.binary(Binary::BitAdd, before[0], one);
        let state = run.state;
        let mut relation = vec![terms.binary(Binary::SignedLess, before[0], before[1])];
        for (&variable, &value) in after.iter().zip(&state) {
            relation.push(terms.equal(variable, value));
        }
        Self { terms, width, before, after, relation }
    }

    /// Terms that can be true together with the relation exactly if a candidate invariant is not preserved by the
    /// iteration.
    pub fn candidate(&mut self, random: &mut Random) -> Vec<Term> {
        let count = self.before.len();
        let x = random.below(count as u64) as usize;
        let y = (x + 1 + random.below(count as u64 - 1) as usize) % count;
        match random.below(7) {
            0 => {
                // x' >= x
                vec![self.terms.binary(Binary::SignedLess, self.after[x], self.before[x])]
            }
            1 => {
                // x' - x == c
                let difference = self.terms.binary(Binary::BitSubtract, self.after[x], self.before[x]);
                let constant = self.terms.signed_bits(self.width, random.between(-1, 4).into());
                vec![self.terms.differ(difference, constant)]
            }
            2 => {
                // x + y <= c, in a width in which the sum does not wrap
                let bound = random.pick(&[0, 10, 64, 100]);
                self.kept(|terms, state| {
                    let wide = terms.width(state[x]) + 2;
                    let (x, y) = (terms.resize(state[x], wide, true), terms.resize(state[y], wide, true));
                    let sum = terms.binary(Binary::BitAdd, x, y);
                    let bound = terms.signed_bits(wide, bound);
                    terms.binary(Binary::SignedLessEqual, sum, bound)
                })
            }
            3 => {
                // 0 <= v0 <= v1, the counter of the loop, or another variable below it
                let x = if random.percent(50) { 0 } else { x };
                self.kept(|terms, state| {
                    let zero = terms.bits(terms.width(state[x]), 0);
                    let low = terms.binary(Binary::SignedLessEqual, zero, state[x]);
                    let high = terms.binary(Binary::SignedLessEqual, state[x], state[1]);
                    terms.and(low, high)
                })
            }
            4 => self.kept(|terms, state| terms.equal(state[x], state[y])),
            5 => {
                // 0 <= x <= c
                let bound = random.pick(&[15, 31, 63, 100]);
                self.kept(|terms, state| {
                    let bound = terms.bits(terms.width(state[x]), bound);
                    terms.binary(Binary::UnsignedLessEqual, state[x], bound)
                })
            }
            _ => self.kept(|terms, state| terms.binary(Binary::SignedLessEqual, state[x], state[y])),
        }
    }

    /// That an invariant holds before the iteration, and not after it.
    fn kept(&mut self, invariant: impl Fn(&mut Terms, &[Term]) -> Term) -> Vec<Term> {
        let before = invariant(&mut self.terms, &self.before);
        let after = invariant(&mut self.terms, &self.after);
        vec![before, self.terms.not(after)]
    }
}

/// A run through random statements, from symbols to terms.
struct Run<'a> {
    terms: &'a mut Terms,
    random: &'a mut Random,
    width: u32,
    state: Vec<Term>,
}

impl Run<'_> {
    fn block(&mut self, mut statements: i64) {
        while statements > 0 {
            if statements > 3 && self.random.percent(30) {
                let inside = self.random.between(2, statements.min(10) - 1);
                self.branch(inside);
                statements -= inside + 1;
            } else {
                self.assignment();
                statements -= 1;
            }
        }
    }

    /// A branch with so many statements on its two sides, merged behind it.
    fn branch(&mut self, statements: i64) {
        let condition = self.condition();
        let before = self.state.clone();
        let first = self.random.between(1, statements);
        self.block(first);
        let then = std::mem::replace(&mut self.state, before);
        self.block(statements - first);
        for (variable, then) in self.state.iter_mut().zip(then) {
            *variable = self.terms.ite(condition, then, *variable);
        }
    }

    fn condition(&mut self) -> Term {
        let (x, y) = (self.variable(), self.variable());
        match self.random.below(6) {
            0 => self.terms.binary(Binary::SignedLess, x, y),
            1 => self.terms.binary(Binary::UnsignedLess, x, y),
            2 | 3 => {
                let constant = self.constant();
                self.terms.binary(Binary::SignedLess, x, constant)
            }
            4 => {
                let constant = self.constant();
                self.terms.equal(x, constant)
            }
            _ => {
                let (one, zero) = (self.terms.bits(self.width, 1), self.terms.bits(self.width, 0));
                let low = self.terms.binary(Binary::BitAnd, x, one);
                self.terms.equal(low, zero)
            }
        }
    }

    /// A new value for a variable, but for the first two, which belong to the loop.
    fn assignment(&mut self) {
        use Binary::*;
        let target = self.random.between(2, self.state.len() as i64 - 1) as usize;
        let (old, x, y) = (self.state[target], self.variable(), self.variable());
        let value = match self.random.below(100) {
            0..=24 => {
                let step = self.terms.bits(self.width, self.random.between(1, 4) as u128);
                self.terms.binary(BitAdd, old, step)
            }
            25..=36 => self.terms.binary(BitAdd, x, y),
            37..=44 => {
                let constant = self.constant();
                self.terms.binary(BitAdd, x, constant)
            }
            45..=50 => self.terms.binary(BitSubtract, x, y),
            51..=58 => x,
            59..=64 => self.constant(),
            65..=74 => {
                let mask = self.terms.bits(self.width, (1 << self.random.between(1, 6)) - 1);
                self.terms.binary(BitAnd, x, mask)
            }
            75..=82 => {
                let op = self.random.pick(&[ShiftRight, ShiftRightSigned, ShiftLeft]);
                let by = self.terms.bits(self.width, self.random.between(1, 4) as u128);
                self.terms.binary(op, x, by)
            }
            83..=88 => {
                let factor = self.random.pick(&[3, 5, 10, 100]);
                let factor = self.terms.bits(self.width, factor);
                self.terms.binary(BitMultiply, x, factor)
            }
            89..=94 => {
                let op = self.random.pick(&[BitXor, BitOr]);
                self.terms.binary(op, x, y)
            }
            _ => {
                let less = self.terms.binary(SignedLess, x, y);
                self.terms.ite(less, x, y)
            }
        };
        self.state[target] = value;
    }

    fn variable(&mut self) -> Term {
        self.random.pick(&self.state)
    }

    fn constant(&mut self) -> Term {
        let number = self.random.pick(&[-1, 0, 1, 2, 7, 10, 16, 50, 100]);
        self.terms.signed_bits(self.width, number)
    }
}
