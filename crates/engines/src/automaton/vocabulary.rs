//! Traces as cases of a summary, in the words of evidence.
//!
//! The invariant of a case says in which phase of its trace a state at the head can be: after so many iterations of a
//! step, all variables have the values of the closed form. How many iterations there were is read off a variable that
//! moves evenly with them, so that nothing has to be counted.

use std::collections::{BTreeMap, BTreeSet};

use evidence::{Case, Expression, Formula, Integer, Moment, Quantity, Update};
use logic::numbers::Rational;
use program::VariableId;

use super::Automaton;
use super::closed_form::sum;
use super::number::{Atom, Polynomial, Symbol, Values};
use super::path::Tail;
use super::segment::Segment;
use super::trace::{End, Step, Trace};
use crate::unique;

/// So many iterations are examined one by one.
const FEW: usize = 3;

/// What evidence calls variables.
pub type Vocabulary = BTreeMap<VariableId, Quantity>;

/// A set of states at the head: values over the state at entry and numbers of iterations, and the ranges of these.
#[derive(Clone, Debug, Default)]
struct Phase {
    values: Values,
    ranges: Vec<Atom>,
    /// How many iterations were made, if that is understood.
    made: Option<Polynomial>,
}

impl Automaton {
    /// A trace as a case, with how many iterations were made, over the states at entry and now. Nothing is said about
    /// variables without a word.
    pub fn case(&mut self, trace: &Trace, vocabulary: &Vocabulary) -> Option<(Case, Option<Expression>)> {
        let guard = trace.conditions.iter().map(|atom| self.formula(atom, vocabulary));
        let guard = Formula::All(guard.collect::<Option<Vec<_>>>()?);
        let changed = self.changed();
        let mut exact = trace.exact;
        let mut effect = Vec::new();
        for variable in changed.iter().filter(|_| trace.end != End::Never) {
            let Some(quantity) = vocabulary.get(variable) else { continue };
            let held = Polynomial::variable(Symbol::Held(*variable));
            let number = trace.after.get(variable).unwrap_or(&held);
            match self.expression(number, vocabulary) {
                Some(value) => effect.push(Update { quantity: quantity.clone(), value }),
                None => exact = false,
            }
        }
        let relation = self.multiplied_out(trace, vocabulary, &changed);
        let iterations = self.iterations(trace).and_then(|number| self.expression(&number, vocabulary));
        let (parts, made) = self.phase_formulas(trace, vocabulary, &changed)?;
        let case = Case { guard, invariant: Formula::Any(parts), effect, relation, iterations, exact };
        Some((case, made))
    }

    /// The part of an effect that has divisions in it, once more without them.
    fn multiplied_out(
        &self,
        trace: &Trace,
        vocabulary: &Vocabulary,
        changed: &BTreeSet<VariableId>,
    ) -> Formula {
        let mut parts = Vec::new();
        for variable in changed {
            let Some(value) = trace.after.get(variable) else { continue };
            if value.monomials().any(|(_, factor)| !factor.is_integer()) {
                let now = Polynomial::variable(Symbol::Now(*variable));
                parts.extend(self.formula(&Atom::equal(&now, value), vocabulary));
            }
        }
        if parts.is_empty() { Formula::True } else { Formula::All(parts) }
    }

    /// A condition in words.
    pub(super) fn formula(&self, atom: &Atom, vocabulary: &Vocabulary) -> Option<Formula> {
        self.definitions.formula(atom, &|symbol| named_symbol(symbol, vocabulary))
    }

    /// A number in words.
    pub(super) fn expression(&self, number: &Polynomial, vocabulary: &Vocabulary) -> Option<Expression> {
        self.definitions.expression(number, &|symbol| named_symbol(symbol, vocabulary))
    }

    /// Of a trace that need not be the only one: when it can be taken, as far as that can be said over the state at entry,
    /// and its phases.
    pub(super) fn open_case(
        &mut self,
        trace: &Trace,
        vocabulary: &Vocabulary,
    ) -> Option<(Vec<Formula>, Formula)> {
        let guard = trace.conditions.iter().filter_map(|atom| self.formula(atom, vocabulary)).collect();
        let changed = self.changed();
        let (parts, _) = self.phase_formulas(trace, vocabulary, &changed)?;
        Some((guard, Formula::Any(parts)))
    }

    /// The phases of a trace, and how many iterations were made in them.
    fn phase_formulas(
        &mut self,
        trace: &Trace,
        vocabulary: &Vocabulary,
        changed: &BTreeSet<VariableId>,
    ) -> Option<(Vec<Formula>, Option<Expression>)> {
        let phases = self.phases(trace)?.into_iter().map(|phase| self.phase(phase, vocabulary, changed));
        let phases = unique(phases);
        let mut made = phases.last().and_then(|(_, made)| made.clone());
        for (phase, one) in phases.iter().rev().skip(1) {
            let one = made.zip(one.clone());
            made = one.map(|(rest, one)| Expression::select(phase.clone(), one, rest));
        }
        Some((phases.into_iter().map(|(phase, _)| phase).collect(), made))
    }

    /// What holds at the end of a trace. A number that can be anything is read off a variable.
    pub(super) fn open_effect(&mut self, trace: &Trace, vocabulary: &Vocabulary) -> Vec<Formula> {
        let ranges = trace.conditions.iter().filter(|atom| self.definitions.is_open(&atom.number));
        let mut phase = Phase { values: trace.after.clone(), ranges: ranges.cloned().collect(), made: None };
        let opens: Vec<Symbol> = phase
            .values
            .values()
            .flat_map(Polynomial::variables)
            .filter(|symbol| self.definitions.is_open(&Polynomial::variable(*symbol)))
            .collect();
        let mut used = BTreeSet::new();
        for open in opens {
            self.eliminate(&mut phase, open, vocabulary, &mut used);
        }
        let changed = self.changed();
        match self.phase_parts(&phase, vocabulary, &changed, &used).0 {
            Formula::All(parts) => parts,
            other => vec![other],
        }
    }

    /// The variables that the loop changes.
    pub fn changed(&self) -> BTreeSet<VariableId> {
        self.paths.iter().flat_map(|path| path.updates.keys().copied()).collect()
    }

    /// How many iterations of the loop itself a trace makes: its complete iterations, and one more if it leaves from
    /// within the body.
    pub fn iterations(&mut self, trace: &Trace) -> Option<Polynomial> {
        let End::Left(last) = trace.end else { return None };
        let mut all = Polynomial::constant(i64::from(self.paths[last].begun));
        for (step, start) in trace.steps.iter().zip(&trace.starts) {
            all = &all + &self.iterations_of(step, start)?;
        }
        Some(self.definitions.decided(&all, &trace.conditions))
    }

    fn iterations_of(&mut self, step: &Step, start: &Values) -> Option<Polynomial> {
        match step {
            Step::Once { path } | Step::Repeat { path, .. }
                if self.paths[*path].tail != Tail::Head(self.head) =>
            {
                Some(Polynomial::zero())
            }
            Step::Once { .. } => Some(Polynomial::constant(1)),
            Step::Repeat { iterations, .. } => Some(iterations.clone()),
            Step::Cycle { steps, starts, segment, iterations, delayed, .. } => {
                let once = self.iterations_within(steps, starts)?;
                if once.as_constant().is_some() {
                    return Some(&once * iterations);
                }
                let mut all = Polynomial::zero();
                let (mut base, mut rest) = (start.clone(), iterations.clone());
                if *delayed || segment.is_late(&self.definitions, &once) {
                    all = self.definitions.substitute(&once, start);
                    base = self.definitions.follow(start, &segment.updates);
                    rest = iterations - &Polynomial::constant(1);
                }
                let sequence = segment.form.sequence(&self.definitions, &once)?.polynomial()?;
                Some(&all + &self.definitions.after(&sum(&sequence), &base, &rest))
            }
        }
    }

    /// The phases of a trace at the head of the loop.
    fn phases(&mut self, trace: &Trace) -> Option<Vec<Phase>> {
        let mut phases = Vec::new();
        let mut made = Some(Polynomial::zero());
        for (place, step) in trace.steps.iter().enumerate() {
            let start = &trace.starts[place];
            let infinite = trace.end == End::Never && place + 1 == trace.steps.len();
            let from = Phase { values: start.clone(), ranges: Vec::new(), made: made.clone() };
            match step {
                Step::Once { path } if self.paths[*path].head == self.head => phases.push(from),
                Step::Repeat { path, iterations, delayed, .. } if self.paths[*path].head == self.head => {
                    let segment = self.segments[*path].clone()?;
                    let last = (!infinite).then(|| iterations.clone());
                    let once = Polynomial::constant(1);
                    let counter = Symbol::Iterations;
                    phases.extend(self.repeated(&segment, &from, last, *delayed, counter, &once)?);
                }
                Step::Once { .. } | Step::Repeat { .. } => {}
                Step::Cycle { steps, starts, segment, iterations, delayed, .. } => {
                    let last = (!infinite).then(|| iterations - &Polynomial::constant(1));
                    let once = self.iterations_within(steps, starts)?;
                    for around in self.repeated(segment, &from, last, *delayed, Symbol::Iterations, &once)? {
                        phases.extend(self.within(steps, starts, &around)?);
                    }
                }
            }
            let iterations = self.iterations_of(step, start);
            made = made.zip(iterations).map(|(made, iterations)| &made + &iterations);
        }
        if let (Some(last), End::Left(path)) = (trace.starts.last(), trace.end)
            && self.paths[path].head == self.head
        {
            phases.push(Phase { values: last.clone(), ranges: Vec::new(), made });
        }
        Some(phases)
    }

    /// The states before each of the iterations of a segment, and after the last one. One iteration of it makes `once`
    /// iterations of the loop, over the state before it.
    fn repeated(
        &mut self,
        segment: &Segment,
        from: &Phase,
        iterations: Option<Polynomial>,
        delayed: bool,
        counter: Symbol,
        once: &Polynomial,
    ) -> Option<Vec<Phase>> {
        if let Some(few) = iterations.as_ref().and_then(few) {
            return Some(self.one_by_one(segment, from, few, once));
        }
        let mut phases = Vec::new();
        let (mut base, mut iterations, mut made) = (from.values.clone(), iterations, from.made.clone());
        let count = Polynomial::variable(counter);
        let one = Polynomial::constant(1);
        let mut ranges = vec![Atom { number: count.clone(), zero: false }];
        if delayed || segment.is_late(&self.definitions, once) {
            phases.push(Phase { ranges: Vec::new(), ..from.clone() });
            let first = self.definitions.substitute(once, &from.values);
            made = made.map(|made| &made + &first);
            base = self.definitions.follow(&from.values, &segment.updates);
            iterations = iterations.map(|iterations| &iterations - &one);
        } else if !segment.form.late.is_empty() {
            // The form is right after one iteration or more.
            phases.push(Phase { ranges: Vec::new(), ..from.clone() });
            ranges = vec![Atom::above(&count, &Polynomial::zero())];
        }
        let all = segment.form.sequence(&self.definitions, once).and_then(|sequence| sequence.polynomial());
        let all = all.map(|all| self.definitions.after(&sum(&all), &base, &count));
        made = made.zip(all).map(|(made, all)| &made + &all);
        let values = segment.after(&mut self.definitions, &base, &count);
        if iterations.is_none() {
            // The iterations never end: what they ask for holds before each of them.
            let now =
                self.changed().into_iter().map(|one| (one, Polynomial::variable(Symbol::Now(one)))).collect();
            ranges.extend(self.definitions.moved(&segment.conditions, &now));
        }
        ranges.extend(iterations.map(|iterations| Atom::at_least(&iterations, &count)));
        phases.push(Phase { values, ranges, made });
        Some(phases)
    }

    /// The same for few iterations, each by itself: no counter is needed for them.
    fn one_by_one(
        &mut self,
        segment: &Segment,
        from: &Phase,
        iterations: usize,
        once: &Polynomial,
    ) -> Vec<Phase> {
        let mut phases = vec![Phase { ranges: Vec::new(), ..from.clone() }];
        for _ in 0..iterations {
            let Some(last) = phases.last().cloned() else { break };
            let more = self.definitions.substitute(once, &last.values);
            let made = last.made.map(|made| &made + &more);
            let values = self.definitions.follow(&last.values, &segment.updates);
            phases.push(Phase { values, ranges: Vec::new(), made });
        }
        phases
    }

    /// How many iterations one iteration of a cycle makes, over the state at its start.
    fn iterations_within(&mut self, steps: &[Step], starts: &[Values]) -> Option<Polynomial> {
        let mut once = Polynomial::zero();
        for (step, start) in steps.iter().zip(starts) {
            once = &once + &self.iterations_of(step, start)?;
        }
        Some(once)
    }

    /// The states at the head in one iteration of a cycle that starts in a phase.
    fn within(&mut self, steps: &[Step], starts: &[Values], around: &Phase) -> Option<Vec<Phase>> {
        let mut phases = Vec::new();
        let mut made = around.made.clone();
        for (step, start) in steps.iter().zip(starts) {
            let values = self.definitions.follow(&around.values, start);
            let from = Phase { values, ranges: Vec::new(), made: made.clone() };
            let found = match step {
                Step::Once { path } if self.paths[*path].head == self.head => vec![from],
                Step::Repeat { path, iterations, delayed, .. } if self.paths[*path].head == self.head => {
                    let segment = self.segments[*path].clone()?;
                    let iterations = self.definitions.substitute(iterations, &around.values);
                    let once = Polynomial::constant(1);
                    self.repeated(&segment, &from, Some(iterations), *delayed, Symbol::Inner, &once)?
                }
                _ => Vec::new(),
            };
            for mut phase in found {
                phase.ranges.extend(around.ranges.iter().cloned());
                phases.push(phase);
            }
            let iterations = self.iterations_of(step, start);
            let iterations =
                iterations.map(|iterations| self.definitions.substitute(&iterations, &around.values));
            made = made.zip(iterations).map(|(made, iterations)| &made + &iterations);
        }
        Some(phases)
    }

    /// A phase as a formula over the states at entry and now.
    fn phase(
        &mut self,
        mut phase: Phase,
        vocabulary: &Vocabulary,
        changed: &BTreeSet<VariableId>,
    ) -> (Formula, Option<Expression>) {
        let mut used = BTreeSet::new();
        for counter in [Symbol::Iterations, Symbol::Inner, Symbol::Iterations] {
            self.eliminate(&mut phase, counter, vocabulary, &mut used);
        }
        self.phase_parts(&phase, vocabulary, changed, &used)
    }

    fn phase_parts(
        &self,
        phase: &Phase,
        vocabulary: &Vocabulary,
        changed: &BTreeSet<VariableId>,
        used: &BTreeSet<VariableId>,
    ) -> (Formula, Option<Expression>) {
        let mut parts = Vec::new();
        for variable in changed.iter().filter(|variable| !used.contains(*variable)) {
            let Some(quantity) = vocabulary.get(variable) else { continue };
            let held = Polynomial::variable(Symbol::Held(*variable));
            let value = phase.values.get(variable).unwrap_or(&held);
            if value.monomials().all(|(_, factor)| factor.is_integer()) {
                let value = self.expression(value, vocabulary);
                parts.extend(value.map(|value| quantity.at(Moment::Now).equals(value)));
            } else {
                // Multiplied out there is no division for a solver to think about.
                let now = Polynomial::variable(Symbol::Now(*variable));
                parts.extend(self.formula(&Atom::equal(&now, value), vocabulary));
            }
        }
        let ranges = phase.ranges.iter().filter(|atom| atom.known() != Some(true));
        parts.extend(ranges.filter_map(|atom| self.formula(atom, vocabulary)));
        let made = phase.made.as_ref().and_then(|made| self.expression(made, vocabulary));
        (Formula::All(parts), made)
    }

    /// Reads a number of iterations off a variable that moves evenly with it.
    fn eliminate(
        &mut self,
        phase: &mut Phase,
        counter: Symbol,
        vocabulary: &Vocabulary,
        used: &mut BTreeSet<VariableId>,
    ) {
        let mut best: Option<(VariableId, Polynomial, Integer)> = None;
        for (variable, value) in &phase.values {
            if used.contains(variable) || !vocabulary.contains_key(variable) {
                continue;
            }
            let [rest, step] = &value.coefficients_in(counter)[..] else { continue };
            let Some(step) = step.as_constant().and_then(Rational::to_integer) else { continue };
            // A number that depends on the other counter would only move the question.
            let open = [Symbol::Iterations, Symbol::Inner].into_iter().any(|other| rest.degree_in(other) > 0)
                || self.definitions.is_open(rest);
            let size = |number: &Integer| if *number < Integer::ZERO { -number } else { number.clone() };
            if !open && best.as_ref().is_none_or(|(_, _, other)| size(&step) < size(other)) {
                best = Some((*variable, rest.clone(), step));
            }
        }
        let Some((variable, rest, step)) = best else { return };
        used.insert(variable);
        let moved = &Polynomial::variable(Symbol::Now(variable)) - &rest;
        let (moved, size) = if step < Integer::ZERO { (-&moved, -step) } else { (moved, step) };
        let iterations = self.definitions.quotient(&moved, &size);
        if size != Integer::ONE {
            let remainder = self.definitions.remainder(&moved, &size);
            phase.ranges.push(Atom { number: remainder, zero: true });
        }
        for value in phase.values.values_mut() {
            *value = self.definitions.with(value, counter, &iterations);
        }
        if let Some(made) = &mut phase.made {
            *made = self.definitions.with(made, counter, &iterations);
        }
        for atom in &mut phase.ranges {
            atom.number = self.definitions.with(&atom.number, counter, &iterations);
        }
    }
}

/// What variables hold now, and held at entry, in words.
fn named_symbol(symbol: Symbol, vocabulary: &Vocabulary) -> Option<Expression> {
    match symbol {
        Symbol::Held(variable) => Some(vocabulary.get(&variable)?.at(Moment::Entry)),
        Symbol::Now(variable) => Some(vocabulary.get(&variable)?.at(Moment::Now)),
        _ => None,
    }
}

/// A number of iterations that is known and small.
fn few(iterations: &Polynomial) -> Option<usize> {
    let known = iterations.as_constant()?.to_integer()?;
    usize::try_from(&known).ok().filter(|known| *known <= FEW)
}

/// That a case applies to a loop: what holds at its head then.
pub fn invariant(case: &Case) -> Formula {
    match &case.guard {
        Formula::All(parts) if parts.is_empty() => case.invariant.clone(),
        guard => (!guard.clone()).or(case.invariant.clone()),
    }
}

/// That a variable holds a number at entry.
pub fn entry_is(variable: VariableId, number: &Integer) -> Atom {
    Atom::equal(&Polynomial::variable(Symbol::Held(variable)), &Polynomial::constant(number.clone()))
}
