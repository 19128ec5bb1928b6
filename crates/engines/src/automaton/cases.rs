//! The cases of a summary: traces that come out alike are one case, under a condition as simple as can be found.

use base::Budget;
use evidence::{Case, Expression, Formula};
use program::VariableId;

use super::Automaton;
use super::number::{Atom, Polynomial, Symbol};
use super::trace::{End, Trace, Traces};
use super::vocabulary::Vocabulary;

/// A case of a summary, and how it came about.
#[derive(Clone, Debug)]
pub struct Found {
    /// The case.
    pub case: Case,
    /// How many iterations were made, over the states at entry and now.
    pub made: Option<Expression>,
    /// The traces that it stands for, by their places.
    pub traces: Vec<usize>,
    /// Whether the loop is never left.
    pub never: bool,
    /// When it applies, each of these being one way.
    pub conditions: Vec<Vec<Atom>>,
}

impl Automaton {
    /// The cases that traces make, if they are all traces there are. Where conditions were left out, several traces can be
    /// taken from one state, and there is one case for all.
    pub fn cases(
        &mut self,
        traces: &Traces,
        precondition: &[Atom],
        vocabulary: &Vocabulary,
        budget: &mut Budget,
    ) -> Option<Vec<Found>> {
        if !traces.complete || traces.traces.is_empty() {
            return None;
        }
        let (alone, shared) = self.alone(traces, precondition, budget);
        let mut groups: Vec<(usize, Vec<usize>, Vec<Vec<Atom>>)> = Vec::new();
        // The longest traces have the most general effects.
        let mut order = alone;
        order.sort_by_key(|&place| std::cmp::Reverse(traces.traces[place].steps.len()));
        for place in order {
            let trace = &traces.traces[place];
            let like = groups.iter().position(|(first, ..)| {
                self.is_like(&traces.traces[*first], trace, precondition, vocabulary, budget)
            });
            match like {
                Some(like) => {
                    groups[like].1.push(place);
                    groups[like].2.push(trace.conditions.clone());
                }
                None => groups.push((place, vec![place], vec![trace.conditions.clone()])),
            }
        }
        groups.sort_by_key(|(_, places, _)| places.iter().min().copied());
        let mut found = Vec::new();
        for (first, places, conditions) in groups {
            let conditions = self.joined(conditions, precondition, budget);
            found.push(self.group(traces, first, places, conditions, vocabulary)?);
        }
        if !shared.is_empty() {
            let others: Vec<Formula> = found.iter().map(|found| !found.case.guard.clone()).collect();
            found.push(self.together(traces, shared, others, vocabulary)?);
        }
        Some(found)
    }

    /// The traces that are the only ones from the states from which they are taken, and the others.
    fn alone(&self, traces: &Traces, precondition: &[Atom], budget: &mut Budget) -> (Vec<usize>, Vec<usize>) {
        let all = &traces.traces;
        if all.iter().all(|trace| trace.exact) {
            return ((0..all.len()).collect(), Vec::new());
        }
        (0..all.len()).partition(|&place| {
            all[place].exact
                && (0..all.len()).filter(|other| *other != place).all(|other| {
                    let both = [precondition, &all[place].conditions, &all[other].conditions];
                    self.definitions.never(&both, budget)
                })
        })
    }

    /// Whether a trace comes out as another one says, where it is taken.
    fn is_like(
        &mut self,
        general: &Trace,
        special: &Trace,
        precondition: &[Atom],
        vocabulary: &Vocabulary,
        budget: &mut Budget,
    ) -> bool {
        let (End::Left(one), End::Left(other)) = (general.end, special.end) else { return false };
        if self.paths[one].tail != self.paths[other].tail {
            return false;
        }
        let changed: Vec<VariableId> =
            self.changed().into_iter().filter(|variable| vocabulary.contains_key(variable)).collect();
        let mut differences = Vec::new();
        for variable in changed {
            let held = Polynomial::variable(Symbol::Held(variable));
            let value = |trace: &Trace| trace.after.get(&variable).unwrap_or(&held).clone();
            differences.push(&value(general) - &value(special));
        }
        let (Some(one), Some(other)) = (self.iterations(general), self.iterations(special)) else {
            return false;
        };
        differences.push(&one - &other);
        let equalities = equalities(&special.conditions);
        let under = |difference: Polynomial| {
            equalities.iter().fold(difference, |number, (symbol, value)| number.substituted(*symbol, value))
        };
        differences.into_iter().map(under).filter(|difference| !difference.is_zero()).all(|difference| {
            let same = Atom { number: difference, zero: true };
            self.definitions.follows(&[precondition, &special.conditions], &same, budget)
        })
    }

    /// Conditions of which one holds, as few and as simple as they can be made.
    fn joined(&self, mut ways: Vec<Vec<Atom>>, known: &[Atom], budget: &mut Budget) -> Vec<Vec<Atom>> {
        let mut place = 0;
        while place < ways.len() {
            let mut joined = None;
            'search: for other in 0..ways.len() {
                if other == place {
                    continue;
                }
                for simpler in simpler(&ways[place]) {
                    if self.is_union(&simpler, &ways[place], &ways[other], known, budget) {
                        joined = Some((other, simpler));
                        break 'search;
                    }
                }
            }
            match joined {
                Some((other, simpler)) => {
                    ways[place] = simpler;
                    ways.remove(other);
                    place = 0;
                }
                None => place += 1,
            }
        }
        ways
    }

    /// Whether conditions hold exactly where those of one of two others do.
    fn is_union(
        &self,
        whole: &[Atom],
        one: &[Atom],
        other: &[Atom],
        known: &[Atom],
        budget: &mut Budget,
    ) -> bool {
        let mut follows =
            |given: &[Atom], atom: &Atom| self.definitions.follows(&[known, given], atom, budget);
        other.len() < 20
            && whole.iter().all(|atom| follows(other, atom))
            && one.iter().flat_map(Atom::negated).all(|first| {
                let outside = [whole, &[first]].concat();
                other.iter().all(|atom| follows(&outside, atom))
            })
    }

    fn group(
        &mut self,
        traces: &Traces,
        first: usize,
        places: Vec<usize>,
        conditions: Vec<Vec<Atom>>,
        vocabulary: &Vocabulary,
    ) -> Option<Found> {
        let general = &traces.traces[first];
        let never = general.end == End::Never;
        let (mut case, mut made) = self.case(general, vocabulary)?;
        if places.len() > 1 {
            let mut parts = vec![case.guard.clone().and(case.invariant)];
            for &place in places.iter().filter(|place| **place != first) {
                let (one, one_made) = self.case(&traces.traces[place], vocabulary)?;
                let both = made.zip(one_made);
                made = both.map(|(rest, then)| Expression::select(one.guard.clone(), then, rest));
                parts.push(one.guard.and(one.invariant));
            }
            case.invariant = Formula::Any(parts);
        }
        case.guard = self.guard(&conditions, vocabulary)?;
        Some(Found { case, made, traces: places, never, conditions })
    }

    fn guard(&self, conditions: &[Vec<Atom>], vocabulary: &Vocabulary) -> Option<Formula> {
        let mut ways = Vec::new();
        for way in conditions {
            let mut way: Vec<Formula> =
                way.iter().map(|atom| self.formula(atom, vocabulary)).collect::<Option<_>>()?;
            ways.push(if way.len() == 1 { way.remove(0) } else { Formula::All(way) });
        }
        Some(if ways.len() == 1 { ways.remove(0) } else { Formula::Any(ways) })
    }

    /// Traces as one case, where others do not apply.
    fn together(
        &mut self,
        traces: &Traces,
        places: Vec<usize>,
        others: Vec<Formula>,
        vocabulary: &Vocabulary,
    ) -> Option<Found> {
        let mut invariant = Vec::new();
        let mut relation = Vec::new();
        for trace in places.iter().map(|&place| &traces.traces[place]) {
            let (guard, phases) = self.open_case(trace, vocabulary)?;
            invariant.push(Formula::All([guard.clone(), vec![phases]].concat()));
            if trace.end != End::Never {
                let effect = self.open_effect(trace, vocabulary);
                relation.push(Formula::All([guard, effect].concat()));
            }
        }
        let case = Case {
            guard: Formula::All(others),
            invariant: Formula::Any(invariant),
            effect: Vec::new(),
            relation: Formula::Any(relation),
            iterations: None,
            exact: false,
        };
        Some(Found { case, made: None, traces: places, never: false, conditions: vec![Vec::new()] })
    }
}

/// Variables that conditions give a value, over the others.
fn equalities(conditions: &[Atom]) -> Vec<(Symbol, Polynomial)> {
    let mut found: Vec<(Symbol, Polynomial)> = Vec::new();
    for (place, atom) in conditions.iter().enumerate() {
        let both = atom.zero || conditions[..place].iter().any(|other| other.number == -&atom.number);
        let number = found
            .iter()
            .fold(atom.number.clone(), |number, (symbol, value)| number.substituted(*symbol, value));
        if !both {
            continue;
        }
        let solved = number.variables().into_iter().find_map(|symbol| {
            let [rest, factor] = &number.coefficients_in(symbol)[..] else { return None };
            let factor = factor.as_constant().filter(|factor| factor.absolute().is_one())?;
            Some((symbol, rest.scaled(&-factor.reciprocal())))
        });
        found.extend(solved);
    }
    found
}

/// Conditions that are a little simpler: without one of them, or with one that asks for one less.
fn simpler(conditions: &[Atom]) -> Vec<Vec<Atom>> {
    let mut all = Vec::new();
    for place in 0..conditions.len() {
        let mut fewer = conditions.to_vec();
        fewer.remove(place);
        all.push(fewer);
    }
    for (place, atom) in conditions.iter().enumerate().filter(|(_, atom)| !atom.zero) {
        let mut weaker = conditions.to_vec();
        weaker[place] = Atom { number: &atom.number + &Polynomial::constant(1), zero: false };
        all.push(weaker);
    }
    all
}
