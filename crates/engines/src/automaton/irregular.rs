//! Loops whose paths alternate irregularly: path counters (Algorithm 5), and intervals for what an iteration adds where
//! that is not one number (section 5.3).
//!
//! In which order paths are taken is not examined, only how often: after k1 iterations along the first path, k2 along
//! the second and so on, a variable to which each path adds something holds `x + c1 k1 + c2 k2 + …`. The algorithm
//! keeps the counters as unknowns of the summary, and says that the loop was not yet to be left before its last
//! iteration.
//!
//! Deviation: the counters are shown to people, but eliminated (by projection of a polyhedron) for the kernel. What is
//! left are invariants over the states at entry and now, which it can check.

use base::Budget;
use domains::{Constraint, Dimension, Domain, Polyhedra};
use evidence::{Expression, Formula, Integer, Moment, Quantity, Update};
use logic::numbers::linear::Relation;
use logic::numbers::{Linear, Rational};
use program::VariableId;

use super::Automaton;
use super::number::{Atom, Polynomial, Symbol};
use super::path::{Path, Tail};
use super::vocabulary::Vocabulary;

/// More variables are not related with each other.
const VARIABLES: usize = 6;

/// More choices of conditions that fail are not examined.
const CHOICES: usize = 64;

/// More paths are not counted.
const PATHS: usize = 8;

/// What is known however the paths of a loop alternate.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    /// What variables hold, over the state at entry and counters: `k1` for the iterations along the path `q1`.
    pub effect: Vec<Update>,
    /// What holds at the head, over the states at entry and now.
    pub invariants: Vec<Formula>,
    /// What holds where the loop is left.
    pub left: Option<Formula>,
}

/// What a path adds to a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Added {
    /// Always the same number.
    Constant(Rational),
    /// A number with these limits, as far as they are known.
    Between(Option<Integer>, Option<Integer>),
}

impl Automaton {
    /// What holds however the paths alternate. Nothing is said about variables without a word.
    pub fn counted(&self, vocabulary: &Vocabulary, budget: &mut Budget) -> Counted {
        let paths: Vec<(usize, &Path)> =
            self.paths.iter().enumerate().filter(|(_, path)| matches!(path.tail, Tail::Head(_))).collect();
        if paths.is_empty() || paths.len() > PATHS {
            return Counted { left: self.left(vocabulary, budget), ..Counted::default() };
        }
        let mut added: Vec<(VariableId, Vec<Added>)> = Vec::new();
        for variable in self.changed().into_iter().filter(|variable| vocabulary.contains_key(variable)) {
            let along: Option<Vec<Added>> =
                paths.iter().map(|(_, path)| self.added(path, variable, budget)).collect();
            added.extend(along.map(|along| (variable, along)));
        }
        let effect = added.iter().filter_map(|(variable, along)| {
            Some(Update {
                quantity: vocabulary.get(variable)?.clone(),
                value: value(*variable, along, &paths, vocabulary)?,
            })
        });
        let effect = effect.collect();
        added.truncate(VARIABLES);
        let mut invariants = related(&added, vocabulary);
        invariants.extend(self.last_iteration(&added, &paths, vocabulary, budget));
        Counted { effect, invariants, left: self.left(vocabulary, budget) }
    }

    /// What a path adds to a variable, if it adds something whatever the variable holds.
    fn added(&self, path: &Path, variable: VariableId, budget: &mut Budget) -> Option<Added> {
        let symbol = Symbol::Held(variable);
        let Some(update) = path.updates.get(&variable) else { return Some(Added::Constant(Rational::ZERO)) };
        let [more, factor] = &update.coefficients_in(symbol)[..] else { return None };
        if !factor.as_constant().is_some_and(Rational::is_one)
            || self.definitions.variables(more).contains(&variable)
        {
            return None;
        }
        if let Some(known) = more.as_constant() {
            return Some(Added::Constant(known.clone()));
        }
        let limits = self.limits(path, more, budget);
        (limits != (None, None)).then_some(Added::Between(limits.0, limits.1))
    }

    /// The limits of a number along a path: the best ones among numbers that its conditions speak of.
    fn limits(
        &self,
        path: &Path,
        number: &Polynomial,
        budget: &mut Budget,
    ) -> (Option<Integer>, Option<Integer>) {
        let mut tried: Vec<Integer> = [-1, 0, 1].map(Integer::from).to_vec();
        let conditions = [&path.conditions[..], &path.left_out].concat();
        for atom in &conditions {
            if let Some(constant) = atom.number.evaluate(|_| Rational::ZERO).to_integer() {
                tried.extend([constant.clone(), -constant.clone(), &constant + 1, -constant - 1]);
            }
        }
        tried.sort();
        tried.dedup();
        let mut never = |atom: Atom| self.definitions.never(&[&conditions, &[atom]], budget);
        let constant = |number: &Integer| Polynomial::constant(number.clone());
        let least = tried.iter().rev().find(|least| never(Atom::above(&constant(least), number))).cloned();
        let greatest = tried.iter().find(|greatest| never(Atom::above(number, &constant(greatest)))).cloned();
        (least, greatest)
    }

    /// That nothing has changed yet, or that the last iteration was along one of the paths: its condition held before
    /// it.
    fn last_iteration(
        &self,
        added: &[(VariableId, Vec<Added>)],
        paths: &[(usize, &Path)],
        vocabulary: &Vocabulary,
        budget: &mut Budget,
    ) -> Option<Formula> {
        let mut ways: Vec<Vec<Atom>> = Vec::new();
        for (place, (_, path)) in paths.iter().enumerate() {
            if path.tail != Tail::Head(self.head) {
                continue;
            }
            let before = path.conditions.iter().filter_map(|atom| before(atom, path, place, added));
            ways.push(before.filter(|atom| self.stated(atom, vocabulary).is_some()).collect());
        }
        if ways.is_empty() || self.is_always(&ways, budget) {
            return None;
        }
        let mut parts = vec![unchanged(added, vocabulary)];
        for (place, way) in ways.iter().enumerate() {
            let stronger = |(other, weaker): (usize, &Vec<Atom>)| {
                other != place
                    && weaker.iter().all(|atom| self.definitions.follows(&[way], atom, budget))
                    && (other < place || ways[other] != *way)
            };
            if !ways.iter().enumerate().any(stronger) {
                parts.push(Formula::All(
                    way.iter().filter_map(|atom| self.stated(atom, vocabulary)).collect(),
                ));
            }
        }
        Some(Formula::Any(parts))
    }

    /// What the paths that leave the loop ask for, if they change nothing of it.
    fn left(&self, vocabulary: &Vocabulary, budget: &mut Budget) -> Option<Formula> {
        let mut ways: Vec<Vec<Atom>> = Vec::new();
        for path in self.paths.iter().filter(|path| !matches!(path.tail, Tail::Head(_))) {
            let kept = |atom: &&Atom| {
                let variables = self.definitions.variables(&atom.number);
                !variables.iter().any(|variable| path.updates.contains_key(variable))
            };
            let stated = |atom: &&Atom| self.stated(atom, vocabulary).is_some();
            let way: Vec<Atom> = path.conditions.iter().filter(kept).filter(stated).cloned().collect();
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        if self.is_always(&ways, budget) {
            return None;
        }
        let said = |way: Vec<Atom>| way.iter().filter_map(|atom| self.stated(atom, vocabulary)).collect();
        let mut ways: Vec<Formula> = ways.into_iter().map(said).map(Formula::All).collect();
        match ways.len() {
            0 => None,
            1 => ways.pop(),
            _ => Some(Formula::Any(ways)),
        }
    }

    /// Whether one of some ways is always open, so that to say it is no news.
    fn is_always(&self, ways: &[Vec<Atom>], budget: &mut Budget) -> bool {
        // Each choice of a condition that fails in every way is asked about.
        let mut choices: Vec<Vec<Atom>> = vec![Vec::new()];
        for way in ways {
            let fails: Vec<Atom> = way.iter().flat_map(Atom::negated).collect();
            let more = |choice: &Vec<Atom>| -> Vec<Vec<Atom>> {
                fails.iter().map(|atom| [choice.as_slice(), std::slice::from_ref(atom)].concat()).collect()
            };
            choices = choices.iter().flat_map(more).collect();
            if choices.len() > CHOICES {
                return false;
            }
        }
        !ways.is_empty() && choices.iter().all(|choice| self.definitions.never(&[choice], budget))
    }

    /// A condition on the state now. What the loop does not change is as it was at entry.
    fn stated(&self, atom: &Atom, vocabulary: &Vocabulary) -> Option<Formula> {
        let changed = self.changed();
        self.definitions.formula(atom, &|symbol| match symbol {
            Symbol::Held(variable) if changed.contains(&variable) => {
                Some(vocabulary.get(&variable)?.at(Moment::Now))
            }
            Symbol::Held(variable) => Some(vocabulary.get(&variable)?.at(Moment::Entry)),
            _ => None,
        })
    }
}

/// A condition before an iteration as one on the state after it, if what it speaks of moves by constants.
fn before(atom: &Atom, path: &Path, place: usize, added: &[(VariableId, Vec<Added>)]) -> Option<Atom> {
    let mut number = atom.number.clone();
    for symbol in number.variables() {
        let Symbol::Held(variable) = symbol else { return None };
        if !path.updates.contains_key(&variable) {
            continue;
        }
        let (_, along) = added.iter().find(|(other, _)| *other == variable)?;
        let Added::Constant(step) = &along[place] else { return None };
        let old = &Polynomial::variable(symbol) - &Polynomial::constant(step.clone());
        number = number.substituted(symbol, &old);
    }
    Some(Atom { number, zero: atom.zero })
}

/// That no variable has moved.
fn unchanged(added: &[(VariableId, Vec<Added>)], vocabulary: &Vocabulary) -> Formula {
    let same = added.iter().filter_map(|(variable, _)| vocabulary.get(variable));
    Formula::All(same.map(|quantity| quantity.at(Moment::Now).equals(quantity.at(Moment::Entry))).collect())
}

/// What a variable holds after so many iterations along each path.
fn value(
    variable: VariableId,
    along: &[Added],
    paths: &[(usize, &Path)],
    vocabulary: &Vocabulary,
) -> Option<Expression> {
    let mut sum = vocabulary.get(&variable)?.at(Moment::Entry);
    for (added, (path, _)) in along.iter().zip(paths) {
        let Added::Constant(step) = added else { return None };
        let step = step.to_integer()?;
        if step != Integer::ZERO {
            let counter = Quantity::value(format!("k{path}").as_str()).at(Moment::Entry);
            sum = sum + if step == Integer::ONE { counter } else { Expression::Constant(step) * counter };
        }
    }
    Some(sum)
}

/// How variables have moved against each other, whatever the counters are.
fn related(added: &[(VariableId, Vec<Added>)], vocabulary: &Vocabulary) -> Vec<Formula> {
    let Some(paths) = added.first().map(|(_, along)| along.len()) else { return Vec::new() };
    let variables = added.len();
    let between =
        added.iter().flat_map(|(_, along)| along).filter(|one| matches!(one, Added::Between(..))).count();
    if between > VARIABLES {
        return Vec::new();
    }
    let dimension = |place: usize| Linear::variable(Dimension(place as u32));
    let mut set = Polyhedra::top(variables + paths + between);
    for path in 0..paths {
        set.assume(&Constraint::at_most(&Linear::zero(), &dimension(variables + path)));
    }
    let mut total = variables + paths;
    for (place, (_, along)) in added.iter().enumerate() {
        let mut sum = Linear::zero();
        for (path, one) in along.iter().enumerate() {
            let counter = dimension(variables + path);
            match one {
                Added::Constant(step) => sum = sum.plus_scaled(step, &counter),
                Added::Between(least, greatest) => {
                    let own = dimension(total);
                    total += 1;
                    if let Some(least) = least {
                        set.assume(&Constraint::at_most(&counter.scaled(&Rational::from(least)), &own));
                    }
                    if let Some(greatest) = greatest {
                        set.assume(&Constraint::at_most(&own, &counter.scaled(&Rational::from(greatest))));
                    }
                    sum = sum.plus_scaled(&Rational::ONE, &own);
                }
            }
        }
        set.assume(&Constraint::equal(&dimension(place), &sum));
    }
    for place in variables..variables + paths + between {
        set.forget(Dimension(place as u32));
    }
    let quantities: Option<Vec<&Quantity>> =
        added.iter().map(|(variable, _)| vocabulary.get(variable)).collect();
    let Some(quantities) = quantities else { return Vec::new() };
    set.constraints().iter().filter_map(|constraint| formula(constraint, &quantities)).collect()
}

/// A constraint on how far variables have moved, over the states at entry and now.
fn formula(constraint: &Constraint, quantities: &[&Quantity]) -> Option<Formula> {
    let expression = constraint.expression.scaled(&constraint.expression.primitive_factor());
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (dimension, factor) in expression.terms() {
        let quantity = quantities.get(dimension.index())?;
        let factor = factor.to_integer()?;
        let (now, entry) = (quantity.at(Moment::Now), quantity.at(Moment::Entry));
        let is_positive = factor > Integer::ZERO;
        let size = if is_positive { factor } else { -factor };
        let times = |number: Expression| {
            if size == Integer::ONE { number } else { Expression::Constant(size.clone()) * number }
        };
        left.push(times(if is_positive { now.clone() } else { entry.clone() }));
        right.push(times(if is_positive { entry } else { now }));
    }
    let constant = expression.constant_part().to_integer()?;
    if constant > Integer::ZERO {
        left.push(Expression::Constant(constant));
    } else if constant < Integer::ZERO {
        right.push(Expression::Constant(-constant));
    }
    let sum = |parts: Vec<Expression>| {
        parts.into_iter().reduce(|sum, part| sum + part).unwrap_or(Expression::from(0))
    };
    let (left, right) = (sum(left), sum(right));
    Some(match constraint.relation {
        Relation::AtMost => right.at_least(left),
        Relation::Less => left.below(right),
        Relation::Equal => left.equals(right),
    })
}
