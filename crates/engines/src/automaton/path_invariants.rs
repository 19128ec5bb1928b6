//! What holds on the way of a case, where its phases are too hard to confirm as a whole.
//!
//! The phases of a trace (section 5) say everything about a state in one formula, which grows with the steps of the
//! trace. For cycles in cycles much less is enough to show the effect and the number of iterations:
//!
//! - *Parts.* What one phase says of one variable often holds in all of them.
//! - *Ends.* Where a variable ends at a number that stays (`i = n`), what the others end with, as a function of that number,
//!   is what they hold on the way as a function of the variable: `k = n * (n - 1) / 2` at the end is `k = i * (i - 1) / 2`
//!   before.
//! - *Marks.* A path leaves its condition behind. While no other path disturbs it, a variable holds what it held at entry,
//!   or that is so: `x == entry(x) || x <= z`.
//! - *Turns.* Where iterations turn numbers around (swaps, `x = -x`), how many of them were made says how they are
//!   turned.
//! - *Counts.* A sum of variables that moves by one with every iteration counts the iterations.
//!
//! All of it is guessed; the kernel decides.

use evidence::{Expression, Formula, Integer};
use logic::numbers::Rational;
use program::VariableId;

use super::Automaton;
use super::number::{Atom, Polynomial, Symbol, Values};
use super::path::{Path, Tail};
use super::trace::{Step, Trace};
use super::vocabulary::Vocabulary;
use crate::null_space::null_space;
use crate::unique;

/// So many invariants are guessed for a case.
const MOST: usize = 60;

impl Automaton {
    /// Invariants of the head on the way of a trace, if it is taken from a state with the condition.
    pub fn path_invariants(
        &mut self,
        trace: &Trace,
        condition: &Formula,
        vocabulary: &Vocabulary,
    ) -> Vec<Formula> {
        let unless = |invariant: Formula| (!condition.clone()).or(invariant);
        let mut invariants: Vec<Formula> = Vec::new();
        invariants.extend(self.directions().iter().filter_map(|atom| self.formula(atom, vocabulary)));
        if let Some((_, Formula::Any(phases))) = self.open_case(trace, vocabulary) {
            let parts = phases.into_iter().flat_map(|phase| match phase {
                Formula::All(parts) => parts,
                other => vec![other],
            });
            invariants.extend(parts.map(unless));
        }
        for (unchanged, atom) in self.ends(trace).into_iter().chain(self.marks()) {
            let (Some(first), Some(then)) =
                (self.formula(&unchanged, vocabulary), self.formula(&atom, vocabulary))
            else {
                continue;
            };
            invariants.extend([first.or(then.clone()), unless(then)]);
        }
        invariants.extend(self.turns(trace, vocabulary).map(unless));
        let mut invariants = unique(invariants);
        invariants.truncate(MOST);
        invariants
    }

    /// How many iterations were made, over the states at entry and now, if a sum of variables moves by one with each.
    pub fn made(&self, vocabulary: &Vocabulary) -> Option<Expression> {
        let paths: Vec<&Path> = self.going_on().collect();
        let even: Vec<VariableId> = self
            .changed()
            .into_iter()
            .filter(|variable| vocabulary.contains_key(variable))
            .filter(|variable| paths.iter().all(|path| step(path, *variable).is_some()))
            .collect();
        let rows: Vec<Vec<i128>> = paths
            .iter()
            .map(|path| {
                let steps = even.iter().filter_map(|variable| step(path, *variable));
                steps.chain([-i128::from(path.tail == Tail::Head(self.head))]).collect()
            })
            .collect();
        let vector = null_space(rows.iter().map(Vec::as_slice), even.len() + 1)
            .into_iter()
            .find(|vector| vector[even.len()].abs() == 1)?;
        let sign = vector[even.len()];
        let mut made = Polynomial::zero();
        for (variable, factor) in even.iter().zip(&vector) {
            let moved = &Polynomial::variable(Symbol::Now(*variable))
                - &Polynomial::variable(Symbol::Held(*variable));
            made = made.plus_scaled(&Rational::new(sign * factor, 1), &moved);
        }
        self.expression(&made, vocabulary)
    }

    fn going_on(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().filter(|path| matches!(path.tail, Tail::Head(_)))
    }

    /// In which direction variables move that always move in one.
    fn directions(&self) -> Vec<Atom> {
        let mut found = Vec::new();
        for variable in self.changed() {
            let steps: Option<Vec<i128>> = self.going_on().map(|path| step(path, variable)).collect();
            let Some(steps) = steps else { continue };
            let (now, before) =
                (Polynomial::variable(Symbol::Now(variable)), Polynomial::variable(Symbol::Held(variable)));
            found.extend(steps.iter().all(|step| *step >= 0).then(|| Atom::at_least(&now, &before)));
            found.extend(steps.iter().all(|step| *step <= 0).then(|| Atom::at_least(&before, &now)));
        }
        found
    }

    /// What variables hold on the way, read off a variable that ends at a number which stays: unless it has not moved.
    fn ends(&self, trace: &Trace) -> Vec<(Atom, Atom)> {
        let changed = self.changed();
        let mut found = Vec::new();
        for (counter, end) in &trace.after {
            let symbols = end.variables();
            let [limit @ Symbol::Held(stays)] = symbols[..] else { continue };
            if changed.contains(&stays) || end != &Polynomial::variable(limit) {
                continue;
            }
            let now = Polynomial::variable(Symbol::Now(*counter));
            found.push((unmoved(*counter), Atom::at_least(end, &now)));
            found.push((unmoved(*counter), Atom::at_least(&now, end)));
            for (variable, value) in trace.after.iter().filter(|(other, _)| *other != counter) {
                let held = Polynomial::variable(Symbol::Now(*variable));
                let value = value.substituted(limit, &now);
                found.push((unmoved(*counter), Atom::equal(&held, &value)));
            }
        }
        found
    }

    /// How numbers are turned around in a cycle of paths that are taken once each, by a variable that counts the
    /// iterations.
    fn turns(&mut self, trace: &Trace, vocabulary: &Vocabulary) -> Option<Formula> {
        let place = trace.steps.iter().position(|step| matches!(step, Step::Cycle { .. }))?;
        let Step::Cycle { steps, .. } = &trace.steps[place] else { return None };
        let order = trace.steps[..place].iter().chain(steps.iter().cycle());
        let order: Vec<usize> = order.take(steps.len() + 1).map(once).collect::<Option<_>>()?;
        let paths: Vec<Path> = order.iter().map(|&path| self.paths[path].clone()).collect();
        let moves = |variable: VariableId| {
            let first = step(&paths[0], variable).filter(|step| step.abs() == 1)?;
            paths.iter().all(|path| step(path, variable) == Some(first)).then_some((variable, first))
        };
        let (counter, by) = paths[0].updates.keys().find_map(|variable| moves(*variable))?;
        let moved =
            &Polynomial::variable(Symbol::Now(counter)) - &Polynomial::variable(Symbol::Held(counter));
        let moved = if by == 1 { moved } else { -&moved };
        let rest = self.definitions.remainder(&moved, &Integer::from(steps.len() as i64));
        let mut states = vec![Values::new()];
        for path in &paths {
            let next = self.definitions.follow(&states[states.len() - 1], &path.updates);
            states.push(next);
        }
        let (again, back) = (states.pop()?, states.pop()?);
        let held = |variable: VariableId| Polynomial::variable(Symbol::Held(variable));
        let turned = again.iter().filter(|(one, number)| {
            vocabulary.contains_key(one) && states.get(1).and_then(|first| first.get(one)) == Some(*number)
        });
        let turned: Vec<VariableId> = turned.map(|(one, _)| *one).collect();
        let mut ways = Vec::new();
        for (made, values) in states.iter().enumerate() {
            let mut parts =
                vec![self.formula(&Atom::equal(&rest, &Polynomial::constant(made as i64)), vocabulary)?];
            for &variable in &turned {
                let value = if made == 0 { back.get(&variable) } else { values.get(&variable) };
                let value = value.cloned().unwrap_or_else(|| held(variable));
                let holds = Atom::equal(&Polynomial::variable(Symbol::Now(variable)), &value);
                let holds = self.formula(&holds, vocabulary)?;
                let at_entry = made == 0 && value != held(variable);
                parts.push(if at_entry {
                    self.formula(&unmoved(counter), vocabulary)?.or(holds)
                } else {
                    holds
                });
            }
            ways.push(Formula::All(parts));
        }
        (!turned.is_empty()).then_some(Formula::Any(ways))
    }

    /// What paths leave behind, as long as the variable that they move has been moved by them alone.
    fn marks(&self) -> Vec<(Atom, Atom)> {
        let mut found = Vec::new();
        for path in self.going_on() {
            let moved: Vec<(VariableId, Option<i128>)> =
                path.updates.keys().map(|variable| (*variable, step(path, *variable))).collect();
            let step = |variable: VariableId| {
                moved.iter().find(|(one, _)| *one == variable).map_or(Some(0), |(_, step)| *step)
            };
            let after = |number: &Polynomial| {
                number.mapped(|symbol| match symbol {
                    Symbol::Held(variable) => {
                        let now = Polynomial::variable(Symbol::Now(variable));
                        &now - &Polynomial::constant(Rational::new(step(variable).unwrap_or(0), 1))
                    }
                    other => Polynomial::variable(other),
                })
            };
            let understood = |number: &Polynomial| {
                !self.definitions.is_open(number)
                    && self.definitions.variables(number).into_iter().all(|variable| step(variable).is_some())
            };
            let simple = path.conditions.iter().filter(|atom| understood(&atom.number));
            let atoms: Vec<Atom> =
                simple.map(|atom| Atom { number: after(&atom.number), zero: atom.zero }).collect();
            let mut left = atoms.clone();
            for (place, one) in atoms.iter().enumerate() {
                for other in atoms[..place].iter().filter(|other| !one.zero && !other.zero) {
                    let both = &one.number + &other.number;
                    let size = |number: &Polynomial| number.variables().len();
                    let drops = size(&both) <= size(&one.number).max(size(&other.number));
                    left.extend(drops.then_some(Atom { number: both, zero: false }));
                }
            }
            for (variable, _) in &moved {
                let speaks = |atom: &&Atom| atom.number.variables().contains(&Symbol::Now(*variable));
                found.extend(left.iter().filter(speaks).map(|atom| (unmoved(*variable), atom.clone())));
            }
        }
        found
    }
}

/// The path of a step that is taken once.
fn once(step: &Step) -> Option<usize> {
    match step {
        Step::Once { path } => Some(*path),
        Step::Repeat { path, iterations, .. } => (*iterations == Polynomial::constant(1)).then_some(*path),
        Step::Cycle { .. } => None,
    }
}

/// What a path adds to a variable, if that is always the same.
fn step(path: &Path, variable: VariableId) -> Option<i128> {
    let Some(update) = path.updates.get(&variable) else { return Some(0) };
    let added = update - &Polynomial::variable(Symbol::Held(variable));
    i128::try_from(added.as_constant()?.to_integer()?).ok()
}

/// That a variable holds what it held at entry.
fn unmoved(variable: VariableId) -> Atom {
    Atom::equal(&Polynomial::variable(Symbol::Now(variable)), &Polynomial::variable(Symbol::Held(variable)))
}
