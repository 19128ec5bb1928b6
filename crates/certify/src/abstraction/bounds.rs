//! How many iterations an abstracted loop makes.
//!
//! An *iteration* is one execution of the loop's body: one of a loop that tests first (`while`, `for`) begins whenever
//! control enters the body, with the whole condition behind it; one of any other loop (`do`, `goto`) begins at the
//! head. All but the last one of a visit come back to the head: these are the complete iterations of the abstract loop,
//! R(X, X'). The last one leaves from within the body, and is there or not: a loop that is left by its condition has
//! made complete iterations alone. All commands count iterations in this sense.
//!
//! Proof rule (Proteus, section 7.1, in parts that pay for each other; amortised as in Sinn, Zuleger and Veith, CAV
//! 2014). The evidence is a list of ranks r₁ … rₙ over the state X and the state X0 at entry, and what raises them. The
//! potential of a component is pᵢ(X) = max(rᵢ(X), 0). Every complete iteration must *spend* some component j, by its
//! stride cⱼ ≥ 1:
//!
//! ```text
//! R(X, X') ⇒ ⋁ⱼ  rⱼ(X) ≥ 1 ∧ rⱼ(X') ≤ rⱼ(X) − cⱼ
//!               ∧  pᵢ(X') ≤ pᵢ(X)            for i < j
//!               ∧  pᵢ(X') ≤ pᵢ(X) + mᵢⱼ(X0)  for i > j, where mᵢⱼ = max(most, 0), and zero if no raise is listed
//! ```
//!
//! Let qᵢ = ⌈pᵢ / cᵢ⌉: how often i can be spent. A complete iteration that spends j has qⱼ(X') ≤ qⱼ(X) − 1, because
//! rⱼ(X) is positive and falls by at least cⱼ; where pᵢ falls or stays, qᵢ does; where pᵢ is raised by mᵢⱼ, qᵢ is by at
//! most ⌈mᵢⱼ / cᵢ⌉. Give each complete iteration one such j, and let Nⱼ be how many complete iterations have it. All of
//! them together in one visit of the loop: 0 ≤ qⱼ(last) ≤ qⱼ(X0) − Nⱼ + Σ_{l<j} Nₗ·⌈mⱼₗ / cⱼ⌉, so **Nⱼ ≤ qⱼ(X0) +
//! Σ_{l<j} Nₗ·⌈mⱼₗ(X0) / cⱼ⌉**. The sum of all Nⱼ bounds the complete iterations. It is made of products and quotients,
//! but only linear queries were asked.
//!
//! A raise may be *afresh*: then j is the only component that raises i, nothing raises j, a complete iteration that
//! spends j has pᵢ(X') ≤ mᵢⱼ if rⱼ(X') ≥ 1 and pᵢ(X') ≤ 0 otherwise, and the same holds of X0. Between two complete
//! iterations that spend j (and before the first) i is spent at most ⌈mᵢⱼ / cᵢ⌉ times, and not at all once pⱼ is zero.
//! pⱼ is positive at the beginning of at most qⱼ(X0) of these stretches, because nothing raises it. So **Nᵢ ≤
//! qⱼ(X0)·⌈mᵢⱼ(X0) / cᵢ⌉**.
//!
//! The last iteration need not be complete. If iterations begin only where some rⱼ(X) ≥ 1, it can be counted as one
//! more that spends j: the inequalities above hold with it, since qⱼ(last) ≥ 1. Otherwise there is one iteration more.
//!
//! A bound is *exact* if each time that control leaves the loop it has made just as many iterations; a run that ends
//! within the loop is none that leaves it. That is shown for one component: every complete iteration has
//! r(X') = r(X) − c, and the loop is left only where r(X) ≤ 0. Then q falls one by one and is zero in the end. An incomplete iteration comes last either in all cases or in none: in none if
//! iterations begin only where r(X) ≥ 1; in all if one has begun wherever the loop is left.
//!
//! A bound can be *restated* over values that were there earlier: those when the function was entered, or when an outer
//! loop was. The kernel checks, at the entry of the loop, that no potential and no raise is greater than what it is
//! replaced by; since counts are sums of products of these, none is greater then. In each iteration of an outer loop an
//! inner one is entered at most once: the product of both restated bounds, over the same values, is one for all visits.
//! An inner loop in the condition of the outer one is entered once more: control comes to a condition after the last
//! iteration, too.
//!
//! All this is about runs without undefined behaviour, as far as the obligations of the claim go: others end the run.

use std::collections::BTreeSet;

use base::Budget;
use encoding::{AbstractLoop, Guard, Incompleteness, State};
use evidence::expression::constant;
use evidence::{
    Amortised, Comparison, Expression, Formula, Integer, Moment, Quantity, Raise, Restatement, Spent,
};
use logic::{Ignorance, Model, Term};

use super::sums::Sum;
use super::{Abstraction, Effort};
use crate::wide::{Number, compare, expression_in};

/// What was found out about a bound.
#[derive(Clone, Debug)]
pub enum Bounding {
    /// It holds.
    Bounded(Box<Bounded>),
    /// This complete iteration contradicts it, as far as the invariants tell.
    Iteration(Box<Model>),
    /// The solver does not know.
    NotKnown(Ignorance),
    /// It says nothing that can be checked, for this reason.
    Refused(String),
}

/// A bound that was checked. Nothing else makes one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounded {
    abstract_loop: usize,
    evidence: Amortised,
    last: bool,
    exact: bool,
}

/// Of which values a restated bound speaks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reference {
    /// Those when the function was entered: as values at the start.
    Start,
    /// Those when this loop was entered, which is the loop itself or one around it: as values at entry.
    Entry(usize),
}

/// A bound over other values, checked as well.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restated {
    abstract_loop: usize,
    reference: Reference,
    counts: Vec<Expression>,
    last: bool,
    exact: bool,
}

impl Bounded {
    /// The loop.
    pub const fn abstract_loop(&self) -> usize {
        self.abstract_loop
    }

    /// What was shown.
    pub const fn evidence(&self) -> &Amortised {
        &self.evidence
    }

    /// Whether the last iteration comes on top of what the components count.
    pub const fn has_last(&self) -> bool {
        self.last
    }

    /// Whether there are just as many iterations each time that the loop is left.
    pub const fn is_exact(&self) -> bool {
        self.exact
    }

    /// How often each component is spent in one visit of the loop, over the state at entry.
    pub fn counts(&self) -> Vec<Expression> {
        let at_entry = |spent: &Spent| {
            let moved = spent.rank.with_moments(&|moment| match moment {
                Moment::Start => Some(Moment::Start),
                _ => Some(Moment::Entry),
            });
            moved.unwrap_or_else(|| spent.rank.clone())
        };
        let components = &self.evidence.components;
        let potentials: Vec<Expression> = components.iter().map(at_entry).collect();
        let raises = |spent: &Spent| spent.raised.iter().map(|raise| raise.most.clone()).collect();
        counts(components, &potentials, &components.iter().map(raises).collect::<Vec<_>>())
    }

    /// How many iterations one visit of the loop makes at most, over the state at entry.
    pub fn total(&self) -> Expression {
        total(self.counts(), self.last)
    }
}

impl Restated {
    /// The loop.
    pub const fn abstract_loop(&self) -> usize {
        self.abstract_loop
    }

    /// Of which values it speaks.
    pub const fn reference(&self) -> Reference {
        self.reference
    }

    /// How often each component is spent in one visit of the loop.
    pub fn counts(&self) -> &[Expression] {
        &self.counts
    }

    /// How many iterations one visit of the loop makes at most.
    pub fn total(&self) -> Expression {
        total(self.counts.clone(), self.last)
    }

    /// Whether there are just as many iterations each time that the loop is left.
    pub const fn is_exact(&self) -> bool {
        self.exact
    }
}

/// Nⱼ for all components, in order.
fn counts(components: &[Spent], potentials: &[Expression], raises: &[Vec<Expression>]) -> Vec<Expression> {
    let mut counts: Vec<Expression> = Vec::new();
    for (place, spent) in components.iter().enumerate() {
        let often = |number: &Expression, spent: &Spent| divided(natural(number), &spent.stride);
        if let [Raise { by, afresh: true, .. }] = spent.raised[..] {
            counts.push(product(often(&potentials[by], &components[by]), often(&raises[place][0], spent)));
            continue;
        }
        let mut parts = vec![often(&potentials[place], spent)];
        for (raise, most) in spent.raised.iter().zip(&raises[place]) {
            parts.push(product(counts[raise.by].clone(), often(most, spent)));
        }
        counts.push(sum(parts));
    }
    counts
}

fn total(mut counts: Vec<Expression>, last: bool) -> Expression {
    counts.extend(last.then(|| constant(1)));
    sum(counts)
}

fn sum(mut parts: Vec<Expression>) -> Expression {
    parts.retain(|part| *part != constant(0));
    match parts.len() {
        0 => constant(0),
        1 => parts.swap_remove(0),
        _ => Expression::Sum(parts),
    }
}

fn product(left: Expression, right: Expression) -> Expression {
    if left == constant(0) || right == constant(0) {
        return constant(0);
    }
    match (left == constant(1), right == constant(1)) {
        (true, _) => right,
        (_, true) => left,
        _ => left * right,
    }
}

/// The quotient, rounded up.
fn divided(number: Expression, by: &Integer) -> Expression {
    if *by == Integer::ONE {
        return number;
    }
    (number + Expression::Constant(by - Integer::ONE)).quotient(by.clone())
}

/// The number, or zero if it is negative.
fn natural(number: &Expression) -> Expression {
    match number {
        Expression::Constant(known) => Expression::Constant(known.clone().max(Integer::ZERO)),
        other => Expression::Maximum(vec![other.clone(), constant(0)]),
    }
}

impl<'p> Abstraction<'p> {
    /// Checks a bound on the iterations of a loop.
    pub fn bound(
        &mut self,
        abstract_loop: usize,
        evidence: &Amortised,
        effort: Effort,
        budget: &mut Budget,
    ) -> Bounding {
        match BoundCheck::about(self, abstract_loop, effort, budget).bound(evidence) {
            Ok(bounded) => Bounding::Bounded(Box::new(bounded)),
            Err(why) => why,
        }
    }

    /// Whether a formula over X holds wherever an iteration begins in a complete iteration from X.
    pub fn begins_only_where(
        &mut self,
        abstract_loop: usize,
        formula: &Formula,
        effort: Effort,
        budget: &mut Budget,
    ) -> bool {
        BoundCheck::about(self, abstract_loop, effort, budget).begins_only_where(formula)
    }

    /// Checks that a bound can be restated over other values. Nothing if that is not so, or not known.
    pub fn restate(
        &mut self,
        bounded: &Bounded,
        restatement: &Restatement,
        reference: Reference,
        effort: Effort,
        budget: &mut Budget,
    ) -> Option<Restated> {
        let components = &bounded.evidence.components;
        let fits = restatement.potentials.len() == components.len()
            && restatement.raises.len() == components.len()
            && restatement.raises.iter().zip(components).all(|(one, spent)| one.len() == spent.raised.len());
        if !fits || !self.is_around(reference, bounded.abstract_loop) {
            return None;
        }
        let mut exact = bounded.exact;
        let mut check = BoundCheck::about(self, bounded.abstract_loop, effort, budget);
        for (place, spent) in components.iter().enumerate() {
            let mut pairs = vec![(&spent.rank, &restatement.potentials[place])];
            let raises = spent.raised.iter().map(|raise| &raise.most);
            pairs.extend(raises.zip(&restatement.raises[place]));
            for (own, other) in pairs {
                let mut ask = |comparison| check.compares(own, comparison, other, reference);
                if exact && ask(Comparison::Equal) {
                    continue;
                }
                exact = false;
                if !ask(Comparison::LessEqual) {
                    return None;
                }
            }
        }
        let counts = counts(components, &restatement.potentials, &restatement.raises);
        Some(Restated { abstract_loop: bounded.abstract_loop, reference, counts, last: bounded.last, exact })
    }

    /// How many iterations all visits of a loop make together, over the values of one reference: the product of the bounds
    /// of the loop and of those around it, the outermost first. Over the values at the entry of a loop: all visits
    /// until that loop is left.
    pub fn multiplied(&self, restated: &[Restated]) -> Option<Expression> {
        let first = restated.first()?;
        let mut outer = match first.reference {
            Reference::Start => None,
            Reference::Entry(abstract_loop) => self.abstract_loops()[abstract_loop].outer,
        };
        let (mut visits, mut total) = (constant(1), None);
        for (place, one) in restated.iter().enumerate() {
            if one.reference != first.reference || self.abstract_loops()[one.abstract_loop].outer != outer {
                return None;
            }
            if let Some(outer) = outer.filter(|_| place > 0) {
                let around = restated[place - 1].total();
                let is_before = self.comes_before_iterations(outer, one.abstract_loop)?;
                visits = product(visits, if is_before { around + 1 } else { around });
            }
            outer = Some(one.abstract_loop);
            total = Some(product(visits.clone(), one.total()));
        }
        total
    }

    /// Whether control can come to an inner loop in the condition of an outer one.
    fn comes_before_iterations(&self, outer: usize, inner: usize) -> Option<bool> {
        let [outer, inner] = [outer, inner].map(|one| &self.abstract_loops()[one]);
        if outer.function != inner.function {
            return None;
        }
        let body = self.program.functions[outer.function].body()?;
        Some(body.before_iterations(outer.head, &outer.blocks).contains(&inner.head))
    }

    /// Whether the values of a reference are there already when a loop is entered, and stay as they are until then.
    fn is_around(&self, reference: Reference, abstract_loop: usize) -> bool {
        let Reference::Entry(outer) = reference else { return true };
        let mut at = Some(abstract_loop);
        while let Some(one) = at {
            if one == outer {
                return self.abstract_loops()[one].function == self.abstract_loops()[abstract_loop].function;
            }
            at = self.abstract_loops()[one].outer;
        }
        false
    }

    /// That an iteration has begun in this complete iteration.
    pub(super) fn begun(&mut self, abstract_loop: usize) -> Term {
        let one = self.abstract_loops()[abstract_loop].clone();
        match one.entries.last() {
            Some(entry) => self.one_way(&one.inside, entry),
            None => self.encoder.terms.bool(false),
        }
    }

    /// That control goes by one of some guards since the entry.
    fn one_way(&mut self, guards: &[Guard], entry: &State) -> Term {
        let terms = &mut self.encoder.terms;
        let ways: Vec<Term> = guards.iter().map(|guard| terms.all(&guard.since(&entry.guard))).collect();
        terms.any(&ways)
    }

    fn number_at_entry(&mut self, abstract_loop: usize, number: &Expression) -> Option<Number> {
        let entry = self.abstract_loops()[abstract_loop].entries.first()?.clone();
        self.with_interpretation(abstract_loop, &entry, None, |interpretation| {
            expression_in(interpretation, &natural(number))
        })
        .ok()
    }
}

/// What is asked about one loop, and how.
struct BoundCheck<'a, 'p> {
    abstraction: &'a mut Abstraction<'p>,
    one: AbstractLoop,
    /// Its place in the list of abstract loops.
    place: usize,
    effort: Effort,
    budget: &'a mut Budget,
}

impl<'a, 'p> BoundCheck<'a, 'p> {
    fn about(
        abstraction: &'a mut Abstraction<'p>,
        place: usize,
        effort: Effort,
        budget: &'a mut Budget,
    ) -> Self {
        let one = abstraction.abstract_loops()[place].clone();
        Self { abstraction, one, place, effort, budget }
    }

    /// The bound, if it holds; else what was found out instead.
    fn bound(mut self, evidence: &Amortised) -> Result<Bounded, Bounding> {
        self.check_shape(evidence).map_err(Bounding::Refused)?;
        if let Some(&end) = self.abstraction.open_ends(self.effort, self.budget).first() {
            let end = &self.abstraction.incomplete_paths()[end];
            let place = self.abstraction.program.describe(end.location);
            let why = match &end.reason {
                Incompleteness::Unsupported(what) => what.clone(),
                Incompleteness::Loop => String::from("a loop that is not followed"),
                Incompleteness::Recursion => String::from("a recursion"),
            };
            return Err(Bounding::Refused(format!("{why}, at {place}")));
        }
        for afresh in afresh(evidence) {
            if !self.at_entry(&afresh)? {
                return Err(Bounding::Refused(String::from("not so at entry: a raise is afresh")));
            }
        }
        let unchanged = self.unchanged(evidence);
        let spends = spends(evidence, &unchanged).map_err(Bounding::Refused)?;
        if let Some(model) = self.in_iterations(&spends)? {
            return Err(Bounding::Iteration(Box::new(model)));
        }
        let last = !self.counts_last(evidence);
        let exact = self.is_exact(evidence, &unchanged, last);
        Ok(Bounded { abstract_loop: self.place, evidence: evidence.clone(), last, exact })
    }

    fn check_shape(&self, evidence: &Amortised) -> Result<(), String> {
        if self.one.entries.len() != 1 || self.one.starts.len() != 1 {
            return Err(String::from("an abstract loop that does not stand for all complete iterations"));
        }
        for (place, spent) in evidence.components.iter().enumerate() {
            let mut by: Vec<usize> = spent.raised.iter().map(|raise| raise.by).collect();
            by.sort_unstable();
            by.dedup();
            if spent.stride < Integer::ONE {
                return Err(String::from("a stride that is not positive"));
            }
            if by.len() != spent.raised.len() || by.iter().any(|&by| by >= place) {
                return Err(String::from("a component that is not raised by earlier ones, once by each"));
            }
            let is_alone =
                |raise: &Raise| spent.raised.len() == 1 && evidence.components[raise.by].raised.is_empty();
            if !spent.raised.iter().all(|raise| !raise.afresh || is_alone(raise)) {
                return Err(String::from("a raise afresh that is not the only one"));
            }
            for raise in &spent.raised {
                let fixed = raise.most.with_moments(&|moment| match moment {
                    Moment::Entry | Moment::Start => Some(moment),
                    Moment::Now | Moment::Next => None,
                });
                fixed.ok_or("a raise that changes from iteration to iteration")?;
            }
        }
        Ok(())
    }

    /// A complete iteration that contradicts a formula over X and X'.
    fn in_iterations(&mut self, formula: &Formula) -> Result<Option<Model>, Bounding> {
        let (Some(again), Some(start)) = (&self.one.again, self.one.starts.last()) else { return Ok(None) };
        let claim = self.abstraction.relation(self.place, formula, &start.state, again);
        let hypotheses = self.abstraction.iteration(self.place);
        self.small_first(hypotheses, claim.map_err(Bounding::Refused)?).map_err(Bounding::NotKnown)
    }

    fn counterexample(&mut self, hypotheses: Vec<Term>, goal: Term) -> Result<Option<Model>, Ignorance> {
        self.abstraction.counterexample(self.place, hypotheses, goal, self.effort, self.budget)
    }

    /// A model of some hypotheses in which a goal is false. Those hypotheses that have to do with the goal are asked first:
    /// as a rule they are enough. If all are too many for the solver, a model of those is better than none.
    fn small_first(&mut self, hypotheses: Vec<Term>, goal: Term) -> Result<Option<Model>, Ignorance> {
        let not = self.abstraction.encoder.terms.not(goal);
        let (terms, axioms) = (&self.abstraction.encoder.terms, &self.abstraction.encoder.axioms);
        let part = self.abstraction.symbols.relevant(terms, axioms, &[not], &hypotheses);
        if part.len() == hypotheses.len() {
            return self.counterexample(hypotheses, goal);
        }
        match self.counterexample(part, goal) {
            Ok(None) => Ok(None),
            Ok(Some(model)) => {
                // What has nothing to do with the goal seldom helps.
                let quick = Effort { steps: self.effort.steps / 4, ..self.effort };
                let all = self.abstraction.counterexample(self.place, hypotheses, goal, quick, self.budget);
                all.or(Ok(Some(model)))
            }
            Err(_) => self.counterexample(hypotheses, goal),
        }
    }

    /// Whether a formula over X holds wherever control goes by some guards of a complete iteration.
    fn along(&mut self, guards: &[Guard], formula: &Formula) -> bool {
        let (Some(entry), Some(start)) = (self.one.entries.last(), self.one.starts.last()) else {
            return false;
        };
        let claim = self.abstraction.relation(self.place, formula, &start.state, &start.state);
        let hypotheses = match guards {
            [only] => only.since(&entry.guard),
            _ => vec![self.abstraction.one_way(guards, entry)],
        };
        claim.is_ok_and(|claim| matches!(self.small_first(hypotheses, claim), Ok(None)))
    }

    /// Whether a formula over X0 holds at entry.
    fn at_entry(&mut self, formula: &Formula) -> Result<bool, Bounding> {
        let Some(entry) = self.one.entries.first() else { return Ok(false) };
        let claim =
            self.abstraction.relation(self.place, formula, entry, entry).map_err(Bounding::Refused)?;
        Ok(self.counterexample(Vec::new(), claim).map_err(Bounding::NotKnown)?.is_none())
    }

    /// Whether the last iteration can be counted like a complete iteration.
    fn counts_last(&mut self, evidence: &Amortised) -> bool {
        let one = Sum::default().shifted(&Integer::ONE);
        let positive = |spent: &Spent| one.clone().plus(&Sum::of(&spent.rank), -1).at_most_zero();
        self.begins_only_where(&Formula::Any(evidence.components.iter().map(positive).collect()))
    }

    fn begins_only_where(&mut self, formula: &Formula) -> bool {
        let guards = self.one.inside.clone();
        self.along(&guards, formula)
    }

    fn is_exact(&mut self, evidence: &Amortised, unchanged: &BTreeSet<Quantity>, last: bool) -> bool {
        let [Spent { rank, stride, .. }] = &evidence.components[..] else { return false };
        let sum = Sum::of(rank);
        let Some(next) = sum.next(unchanged) else { return false };
        let one_by_one = next.plus(&sum, -1).shifted(stride).compared(Comparison::Equal);
        let left: Vec<Guard> = self.one.exits.iter().map(|state| state.guard.clone()).collect();
        self.along(&left, &sum.at_most_zero())
            && matches!(self.in_iterations(&one_by_one), Ok(None))
            && (!last || self.is_left_begun(&left))
    }

    /// Whether an iteration has begun wherever the loop is left.
    fn is_left_begun(&mut self, left: &[Guard]) -> bool {
        let begun = self.abstraction.begun(self.place);
        left.iter().all(|exit| {
            let hypotheses = exit.since(&self.one.entries[0].guard);
            matches!(self.counterexample(hypotheses, begun), Ok(None))
        })
    }

    /// The quantities of some ranks that a complete iteration leaves alone.
    fn unchanged(&mut self, evidence: &Amortised) -> BTreeSet<Quantity> {
        let (Some(again), Some(start)) = (&self.one.again, self.one.starts.last()) else {
            return BTreeSet::new();
        };
        let sums: Vec<Sum> = evidence.components.iter().map(|spent| Sum::of(&spent.rank)).collect();
        let mut quantities: BTreeSet<Quantity> = sums.iter().flat_map(Sum::quantities).cloned().collect();
        quantities.retain(|quantity| {
            let now = quantity.at(Moment::Now);
            let before = self.abstraction.number(self.place, &now, &start.state);
            before.is_some() && before == self.abstraction.number(self.place, &now, again)
        });
        quantities
    }

    /// Whether a number of the state at entry, or zero, compares so with one of the reference, or zero.
    fn compares(
        &mut self,
        own: &Expression,
        comparison: Comparison,
        other: &Expression,
        reference: Reference,
    ) -> bool {
        let is_spoken_of = |moment: Moment| match (reference, moment) {
            (Reference::Start, Moment::Start) | (Reference::Entry(_), Moment::Entry | Moment::Start) => {
                Some(moment)
            }
            _ => None,
        };
        let around = match reference {
            Reference::Start => self.place,
            Reference::Entry(outer) => outer,
        };
        if other.with_moments(&is_spoken_of).is_none() {
            return false;
        }
        let left = self.abstraction.number_at_entry(self.place, own);
        let Some((left, right)) = left.zip(self.abstraction.number_at_entry(around, other)) else {
            return false;
        };
        compare(&mut self.abstraction.encoder.terms, &left, comparison, &right)
            .is_ok_and(|claim| matches!(self.counterexample(Vec::new(), claim), Ok(None)))
    }
}

/// That a complete iteration spends some component.
fn spends(evidence: &Amortised, unchanged: &BTreeSet<Quantity>) -> Result<Formula, String> {
    let wrong = || String::from("a rank that speaks of the state after the complete iteration");
    let after = |sum: &Sum| sum.next(unchanged).ok_or_else(wrong);
    let sums: Vec<Sum> = evidence.components.iter().map(|spent| Sum::of(&spent.rank)).collect();
    let mut ways = Vec::new();
    for (place, spent) in evidence.components.iter().enumerate() {
        let next = after(&sums[place])?;
        let positive = Sum::default().shifted(&Integer::ONE).plus(&sums[place], -1);
        let less = next.clone().plus(&sums[place], -1).shifted(&spent.stride);
        let mut all = vec![positive.at_most_zero(), less.at_most_zero()];
        for (other, component) in evidence.components.iter().enumerate() {
            if other == place {
                continue;
            }
            let then = after(&sums[other])?;
            let change = then.clone().plus(&sums[other], -1);
            let raise = component.raised.iter().find(|raise| raise.by == place);
            all.push(match raise {
                None => change.at_most_zero().or(then.at_most_zero()),
                Some(Raise { most, afresh: true, .. }) => fresh(&then, &next, most),
                Some(Raise { most, .. }) => {
                    let most = Sum::of(&natural(most));
                    change.plus(&most, -1).at_most_zero().or(then.plus(&most, -1).at_most_zero())
                }
            });
        }
        ways.push(Formula::All(all));
    }
    Ok(Formula::Any(ways))
}

/// What holds at entry of components that are raised afresh.
fn afresh(evidence: &Amortised) -> Vec<Formula> {
    let mut all = Vec::new();
    for spent in &evidence.components {
        for raise in spent.raised.iter().filter(|raise| raise.afresh) {
            let by = &evidence.components[raise.by].rank;
            all.push(fresh(&Sum::of(&spent.rank), &Sum::of(by), &raise.most));
        }
    }
    all
}

/// A rank is at most a number, and not positive if another rank is not.
fn fresh(rank: &Sum, by: &Sum, most: &Expression) -> Formula {
    let within = rank.clone().plus(&Sum::of(&natural(most)), -1).at_most_zero();
    let positive = Sum::default().shifted(&Integer::ONE).plus(by, -1).at_most_zero();
    rank.at_most_zero().or(within.and(positive))
}
