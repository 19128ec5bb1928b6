//! All elements that were visited satisfy what was written to them, or what was asked about them, in the iteration that
//! visited them.

use evidence::{Element, Expression, Formula, Integer, Moment, Name};

use super::is_kept;
use super::stretch::{Visit, is_changed, is_fixed};
use crate::linear::{Condition, InEvidence, Linear};
use crate::paths::{
    Base, GuardedPath, Places, Value, is_unnamed, rewrite, rewrite_formula, spoken, spoken_in,
};
use crate::view::View;

/// An element may be what one of so many ways has made of it.
const MOST_CASES: usize = 6;

/// What may be true of all elements that were visited.
pub(super) fn bodies(view: &View<'_>, visit: &Visit<'_>, name: &Name) -> Vec<Formula> {
    let invariants = Invariants { view, visit, name, places: visit.places(view, name) };
    let ways = view.iteration.ways.iter().enumerate();
    let ways = ways.filter(|(place, way)| way.back && visit.walker.moving.contains(place));
    let ways: Vec<(Vec<Formula>, Vec<Formula>)> = ways.map(|(_, way)| invariants.of_way(way)).collect();
    let mut bodies: Vec<Formula> = Vec::new();
    for invariant in ways.iter().flat_map(|(own, _)| own) {
        if !bodies.contains(invariant) {
            bodies.push(invariant.clone());
        }
    }
    if ways.len() > 1 && ways.len() <= MOST_CASES && ways.iter().all(|(own, _)| !own.is_empty()) {
        let mut cases: Vec<Formula> =
            ways.into_iter().map(|(own, context)| all(own.into_iter().chain(context).collect())).collect();
        cases.sort();
        cases.dedup();
        let says_nothing = cases.len() == 2 && are_opposites(&cases[0], &cases[1]);
        if cases.len() > 1 && !says_nothing {
            bodies.push(Formula::Any(cases));
        }
    }
    bodies
}

fn are_opposites(one: &Formula, other: &Formula) -> bool {
    let other = Condition::parse(other).map(|other| other.negated());
    Condition::parse(one).is_some_and(|one| other == Some(one))
}

fn all(mut invariants: Vec<Formula>) -> Formula {
    if invariants.len() == 1 { invariants.remove(0) } else { Formula::All(invariants) }
}

struct Invariants<'a, 'v> {
    view: &'a View<'v>,
    visit: &'a Visit<'a>,
    name: &'a Name,
    places: Places,
}

impl Invariants<'_, '_> {
    /// What a way makes true of the element that it visits, and what else is true of elements when it is taken.
    fn of_way(&self, way: &GuardedPath) -> (Vec<Formula>, Vec<Formula>) {
        let element = Expression::Element(self.visit.element(self.name));
        let places = self.places_of(way);
        let mut invariants: Vec<Formula> = Vec::new();
        let mut stored = way.accesses.iter().rev().filter(|access| access.stored.is_some());
        let stored = stored.find(|access| {
            access.position.offset == self.visit.offset
                && access.position.base == Base::Buffer(self.visit.buffer.clone())
        });
        match stored.and_then(|access| access.stored.as_ref()) {
            Some(Value::Number(value)) => {
                let value = value.expression();
                let then = rewrite(&at_entry(self.view, &value), &places).expression();
                invariants.push(element.clone().equals(then.clone()));
                invariants.extend(self.wrapped(&element, then));
                // What was asked of the value is true of the element.
                let written = Places::from([(value.clone(), Linear::variable(element.clone()))]);
                for condition in way.formulas().filter(|asked| spoken_in(asked).contains(&&value)) {
                    invariants.push(rewrite_formula(&rewrite_formula(&condition, &written), &places));
                }
            }
            Some(_) => {}
            None if is_changed(self.view, &self.visit.buffer) => {
                invariants.push(is_kept(&self.visit.element(self.name)));
            }
            None => {}
        }
        let mut context = Vec::new();
        for condition in way.formulas() {
            let old = rewrite_formula(&formula_at_entry(self.view, &condition), &places);
            if self.speaks_of_visit(&condition) {
                invariants.push(old);
            } else if spoken_in(&old).iter().any(|part| matches!(part, Expression::Element(_))) {
                context.push(old);
            }
        }
        let is_invariant = |invariant: &Formula| {
            let mut spoken = spoken_in(invariant).into_iter();
            spoken.all(|part| match part {
                Expression::Element(_)
                    if *part == element
                        || places.values().any(|place| *place == Linear::variable(part.clone())) =>
                {
                    true
                }
                part => is_fixed(self.view, part),
            })
        };
        invariants.retain(|invariant| is_invariant(invariant) && !is_trivial(invariant));
        context.retain(is_invariant);
        (invariants, context)
    }

    /// What numbers of a way were in the iteration that visited an element: an unspecified number is where it was
    /// stored.
    fn places_of(&self, way: &GuardedPath) -> Places {
        let mut places = self.places.clone();
        for access in &way.accesses {
            if let (Some(Value::Number(value)), Some(element)) = (&access.stored, access.element())
                && is_unnamed(&value.expression())
            {
                let index = Box::new(rewrite(&element.index, &self.places).expression());
                let element = Expression::Element(Element { index, ..element });
                places.entry(value.expression()).or_insert(Linear::variable(element));
            }
        }
        places
    }

    /// That an element is a number but for a multiple of what does not fit it.
    fn wrapped(&self, element: &Expression, value: Expression) -> Option<Formula> {
        let computed = matches!(value, Expression::Sum(_) | Expression::Product(_));
        let several = spoken(&value).iter().any(|part| match part {
            Expression::Quantity { quantity, .. } => quantity.variable != *self.name,
            _ => true,
        });
        let modulus = Integer::ONE << (8 * usize::from(self.visit.bytes));
        (computed && several).then(|| (element.clone() - value).remainder(modulus).equals(0))
    }

    /// Whether a condition speaks of the element that is visited.
    fn speaks_of_visit(&self, condition: &Formula) -> bool {
        let here = self.visit.here();
        spoken_in(condition).into_iter().any(|part| match part {
            Expression::Element(element) => element.buffer == here.buffer && element.index == here.index,
            _ => false,
        })
    }
}

/// Whether an invariant says that something is itself.
fn is_trivial(invariant: &Formula) -> bool {
    matches!(invariant, Formula::Compare { left, right, .. } if left == right)
}

/// An expression with elements of arrays that the loop changes as they were at entry.
fn at_entry(view: &View<'_>, expression: &Expression) -> Expression {
    let formula = formula_at_entry(view, &expression.clone().equals(0));
    match formula {
        Formula::Compare { left, .. } => left,
        _ => expression.clone(),
    }
}

fn formula_at_entry(view: &View<'_>, formula: &Formula) -> Formula {
    let mut places = Places::new();
    for part in spoken_in(formula) {
        if let Expression::Element(element) = part
            && is_changed(view, &element.buffer)
        {
            let old = Element { moment: Moment::Entry, ..element.clone() };
            places.insert(part.clone(), Linear::variable(Expression::Element(old)));
        }
    }
    rewrite_formula(formula, &places)
}
