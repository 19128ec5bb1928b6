//! The laws of lattices and domains, written once and applied to every domain by random tests.
//!
//! A test follows a set of concrete points through the operations that made an element: whatever the domain answers must be
//! true of all of them. [`check`] holds for every domain; [`check_exact`] asks more of domains whose joins are the least and
//! whose constraints say everything.

use std::collections::BTreeSet;

use logic::numbers::Rational;
use logic::numbers::linear::Relation;

use crate::{Constraint, Dimension, Domain, Expression};

/// A deterministic source of random numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a limit that is not zero.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// A number from `-size` to `size`.
    pub(crate) fn within(&mut self, size: i64) -> i64 {
        (self.next() % (2 * size as u64 + 1)) as i64 - size
    }
}

pub(crate) type Point = Vec<i64>;

/// An element, and some of its points: those that the operations which made it must have kept.
#[derive(Clone)]
pub(crate) struct Sample<D> {
    pub(crate) element: D,
    pub(crate) points: BTreeSet<Point>,
}

/// More points than this are not followed.
const POINTS: usize = 200;

/// A step of a program.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Assume(Constraint),
    Assign(Dimension, Expression),
    Forget(Dimension),
}

/// Checks everything that holds in every domain.
///
/// # Panics
/// If something does not hold.
pub(crate) fn check<D: Domain>(seed: u64) {
    for round in 0..20 {
        let random = &mut Random(seed.wrapping_mul(1000) + round);
        let dimensions = 1 + random.below(3);
        let (a, b) = (sample::<D>(random, dimensions), sample::<D>(random, dimensions));
        a.verify("a random element");
        order(&a, &b);
        queries(random, &a);
        sizes(random, &a);
        widening(random, &a, &b);
        narrowing(&a, &b);
        loops(random, dimensions, &a);
    }
}

/// Checks what holds if joins are the least upper bounds, meets the greatest lower bounds, and constraints say all.
///
/// # Panics
/// If something does not hold.
pub(crate) fn check_exact<D: Domain>(seed: u64) {
    for round in 0..20 {
        let random = &mut Random(seed.wrapping_mul(1000) + round);
        let dimensions = 1 + random.below(3);
        let [a, b, c] = [(); 3].map(|()| sample::<D>(random, dimensions).element);
        same(&a.join(&b), &b.join(&a), "join commutes");
        same(&a.meet(&b), &b.meet(&a), "meet commutes");
        same(&a.join(&b).join(&c), &a.join(&b.join(&c)), "join is associative");
        same(&a.meet(&b).meet(&c), &a.meet(&b.meet(&c)), "meet is associative");
        same(&a.join(&a.meet(&b)), &a, "join absorbs meet");
        same(&a.meet(&a.join(&b)), &a, "meet absorbs join");
        let mut again = D::top(dimensions);
        a.constraints().iter().for_each(|constraint| again.assume(constraint));
        same(&again, &a, "constraints say everything");
        assert!(
            a.constraints().iter().all(|constraint| a.satisfies(constraint)),
            "constraints are satisfied"
        );
    }
}

/// Both are included in each other.
///
/// # Panics
/// If they are not.
pub(crate) fn same<D: Domain>(a: &D, b: &D, law: &str) {
    assert!(a.is_included(b) && b.is_included(a), "{law}: {:?} and {:?}", a.constraints(), b.constraints());
}

/// Whether a point can be in an element.
pub(crate) fn may_contain<D: Domain>(element: &D, point: &[i64]) -> bool {
    let mut element = element.clone();
    for (at, value) in point.iter().enumerate() {
        let variable = Expression::variable(Dimension(at as u32));
        element.assume(&Constraint::equal(&variable, &Expression::constant(*value)));
    }
    !element.is_bottom()
}

impl<D: Domain> Sample<D> {
    /// Does a step with the element and the points.
    pub(crate) fn step(&mut self, random: &mut Random, step: &Step) {
        match step {
            Step::Assume(constraint) => {
                self.element.assume(constraint);
                self.points.retain(|point| constraint.holds(|dimension| value(point, dimension)));
            }
            Step::Assign(target, expression) => {
                self.element.assign(*target, expression);
                let moved = std::mem::take(&mut self.points).into_iter().filter_map(|mut point| {
                    let new = expression.evaluate(|dimension| value(&point, dimension));
                    point[target.index()] = i64::try_from(&new.to_integer()?).ok()?;
                    Some(point)
                });
                self.points = moved.collect();
            }
            Step::Forget(dimension) => {
                self.element.forget(*dimension);
                for mut point in self.points.clone().into_iter().take(POINTS / 4) {
                    point[dimension.index()] = random.within(20);
                    self.points.insert(point);
                }
            }
        }
    }

    /// All points are in the element, whichever way it is asked.
    pub(crate) fn verify(&self, what: &str) {
        assert!(self.points.is_empty() || !self.element.is_bottom(), "{what}: not empty");
        let constraints = self.element.constraints();
        for point in &self.points {
            for constraint in &constraints {
                assert!(
                    constraint.holds(|dimension| value(point, dimension)),
                    "{what}: {constraint} at {point:?}"
                );
            }
        }
        for point in self.points.iter().take(8) {
            assert!(may_contain(&self.element, point), "{what}: {point:?} is in {constraints:?}");
        }
    }
}

fn value(point: &[i64], dimension: Dimension) -> Rational {
    Rational::from(point[dimension.index()])
}

pub(crate) fn expression(random: &mut Random, dimensions: usize) -> Expression {
    let terms: Vec<_> = (0..random.below(4))
        .map(|_| (Dimension(random.below(dimensions) as u32), Rational::from(random.within(2))))
        .collect();
    Expression::new(terms, random.within(6))
}

pub(crate) fn constraint(random: &mut Random, dimensions: usize) -> Constraint {
    let relation = [Relation::AtMost, Relation::AtMost, Relation::Less, Relation::Equal][random.below(4)];
    let mut expression = expression(random, dimensions);
    if random.below(8) == 0 {
        expression = expression.scaled(&Rational::new(1, 3));
    }
    Constraint { expression, relation }
}

pub(crate) fn step(random: &mut Random, dimensions: usize) -> Step {
    let dimension = Dimension(random.below(dimensions) as u32);
    match random.below(7) {
        0..=2 => Step::Assume(constraint(random, dimensions)),
        3..=5 => Step::Assign(dimension, expression(random, dimensions)),
        _ => Step::Forget(dimension),
    }
}

/// An element made by random operations, and points of it.
pub(crate) fn sample<D: Domain>(random: &mut Random, dimensions: usize) -> Sample<D> {
    let points = (0..40).map(|_| (0..dimensions).map(|_| random.within(8)).collect()).collect();
    let mut sample = Sample { element: D::top(dimensions), points };
    for _ in 0..random.below(8) {
        let before = sample.clone();
        let step = step(random, dimensions);
        sample.step(random, &step);
        sample.verify(&format!("{step:?}"));
        if sample.points.is_empty() && random.below(4) != 0 {
            sample = before;
        } else if random.below(4) == 0 {
            sample = joined(&sample, &before);
        }
    }
    sample
}

fn joined<D: Domain>(a: &Sample<D>, b: &Sample<D>) -> Sample<D> {
    let points = a.points.union(&b.points).take(POINTS).cloned().collect();
    Sample { element: a.element.join(&b.element), points }
}

fn order<D: Domain>(a: &Sample<D>, b: &Sample<D>) {
    let (x, y, dimensions) = (&a.element, &b.element, a.element.dimensions());
    let (top, bottom) = (D::top(dimensions), D::bottom(dimensions));
    assert!(bottom.is_bottom() && !top.is_bottom(), "bottom is empty, top is not");
    assert!(x.is_included(x), "inclusion is reflexive");
    assert!(bottom.is_included(x) && x.is_included(&top), "everything is between bottom and top");
    same(&x.join(&bottom), x, "bottom is neutral in joins");
    same(&x.meet(&top), x, "top is neutral in meets");
    same(&x.join(x), x, "join is idempotent");
    assert!(x.meet(&bottom).is_bottom(), "nothing is in bottom");
    let (join, meet) = (joined(a, b), x.meet(y));
    join.verify("join");
    assert!(x.is_included(&join.element) && y.is_included(&join.element), "join is an upper bound");
    assert!(meet.is_included(x) && meet.is_included(y), "meet is a lower bound");
    let common = a.points.iter().filter(|point| may_contain(y, point)).cloned();
    // A point that the domain cannot tell from those of the other set need not be in the meet, unless it is one of them.
    let points = common.filter(|point| b.points.contains(point)).collect();
    Sample { element: meet, points }.verify("meet");
    if x.is_included(y) {
        Sample { element: y.clone(), points: a.points.clone() }.verify("inclusion");
    }
}

fn queries<D: Domain>(random: &mut Random, a: &Sample<D>) {
    for _ in 0..6 {
        let dimensions = a.element.dimensions();
        let (asked, claim) = (expression(random, dimensions), constraint(random, dimensions));
        let (range, is_satisfied) = (a.element.range(&asked), a.element.satisfies(&claim));
        for point in &a.points {
            let found = asked.evaluate(|dimension| value(point, dimension));
            assert!(range.contains(&found), "range of {asked}: {range:?} contains {found} at {point:?}");
            assert!(
                !is_satisfied || claim.holds(|dimension| value(point, dimension)),
                "{claim} at {point:?}"
            );
        }
        assert!(!a.element.is_bottom() || range.is_empty(), "the range of nothing is empty");
    }
    for at in 0..a.element.dimensions() {
        let dimension = Dimension(at as u32);
        let range = a.element.refine(dimension, crate::Range::default());
        assert!(a.points.iter().all(|point| range.contains(&value(point, dimension))), "refined range");
    }
}

fn sizes<D: Domain>(random: &mut Random, a: &Sample<D>) {
    let dimensions = a.element.dimensions();
    let mut larger = a.clone();
    larger.element.resize(dimensions + 2);
    assert_eq!(larger.element.dimensions(), dimensions + 2);
    let extended = a.points.iter().map(|point| [&point[..], &[random.within(9), random.within(9)]].concat());
    larger.points = extended.collect();
    larger.verify("more dimensions");
    larger.element.resize(dimensions);
    same(&larger.element, &a.element, "resizing there and back");
    if dimensions > 1 {
        let mut smaller = a.clone();
        smaller.element.resize(dimensions - 1);
        smaller.points = a.points.iter().map(|point| point[..dimensions - 1].to_vec()).collect();
        smaller.verify("fewer dimensions");
    }
}

fn widening<D: Domain>(random: &mut Random, a: &Sample<D>, b: &Sample<D>) {
    let dimensions = a.element.dimensions();
    let limits: Vec<Constraint> = (0..random.below(4)).map(|_| constraint(random, dimensions)).collect();
    let widened = a.element.widen(&a.element.join(&b.element), &limits);
    assert!(a.element.is_included(&widened) && b.element.is_included(&widened), "widening is an upper bound");
    let points = a.points.union(&b.points).cloned().collect();
    let mut widened = Sample { element: widened, points };
    widened.verify("widening");
    // Domains can keep what they have found out about an element: it must not outlive a change.
    for _ in 0..3 {
        queries(random, &widened);
        let step = step(random, dimensions);
        widened.step(random, &step);
        widened.verify(&format!("{step:?} after widening"));
    }
    let (mut current, mut growths) = (a.element.clone(), 0);
    for round in 0..30 {
        let mut next = sample::<D>(random, dimensions).element;
        let shift =
            Expression::variable(Dimension(0)).plus_scaled(&Rational::ONE, &Expression::constant(round));
        next.assign(Dimension(0), &shift);
        if !next.is_included(&current) {
            current = current.widen(&current.join(&next), &limits);
            growths += 1;
        }
    }
    assert!(growths < 25, "a sequence of widenings ends");
}

fn narrowing<D: Domain>(a: &Sample<D>, b: &Sample<D>) {
    let next = a.element.meet(&b.element);
    let narrowed = a.element.narrow(&next);
    assert!(next.is_included(&narrowed) && narrowed.is_included(&a.element), "narrowing stays between");
}

/// Iterates a random loop until nothing changes, and runs it.
fn loops<D: Domain>(random: &mut Random, dimensions: usize, start: &Sample<D>) {
    let body: Vec<Step> = (0..1 + random.below(3)).map(|_| step(random, dimensions)).collect();
    let mut head = start.element.clone();
    let apply = |element: &D| {
        let mut element = element.clone();
        for step in &body {
            match step {
                Step::Assume(constraint) => element.assume(constraint),
                Step::Assign(target, value) => element.assign(*target, value),
                Step::Forget(dimension) => element.forget(*dimension),
            }
        }
        element
    };
    let mut rounds = 0;
    loop {
        let next = apply(&head);
        if next.is_included(&head) {
            break;
        }
        head = head.widen(&head.join(&next), &[]);
        rounds += 1;
        assert!(rounds < 100, "the loop {body:?} becomes stable");
    }
    let mut run = start.clone();
    for _ in 0..4 {
        Sample { element: head.clone(), points: run.points.clone() }.verify("a run stays in the invariant");
        body.iter().for_each(|step| run.step(random, step));
    }
}
