//! All elements that were visited satisfy what was written to them, or what was asked about them, in the pass that
//! visited them.

use evidence::{Element, Expression, Formula, Moment, Name};

use super::stretch::{Visit, is_changed, is_fixed};
use super::{is_kept, unused_name};
use crate::pass::{Base, Linear, Places, Value, Way, rewrite, rewrite_formula, spoken_in};
use crate::view::View;

/// An element may be what one of so many ways has made of it.
const MOST_CASES: usize = 6;

pub(super) fn propose(view: &View<'_>, visits: &[Visit<'_>], candidates: &mut Vec<Formula>) {
    let name = unused_name(view);
    for visit in visits {
        candidates.extend(bodies(view, visit, &name).into_iter().map(|body| visit.every(&name, body)));
    }
}

/// What may be true of all elements that were visited.
pub(super) fn bodies(view: &View<'_>, visit: &Visit<'_>, name: &Name) -> Vec<Formula> {
    let facts = Facts { view, visit, name, places: visit.places(view, name) };
    let ways = view.pass.ways.iter().enumerate();
    let ways = ways.filter(|(place, way)| way.back && visit.walker.moving.contains(place));
    let ways: Vec<Vec<Formula>> = ways.map(|(_, way)| facts.of_way(way)).collect();
    let mut bodies: Vec<Formula> = Vec::new();
    for fact in ways.iter().flatten() {
        if !bodies.contains(fact) {
            bodies.push(fact.clone());
        }
    }
    if ways.len() > 1 && ways.len() <= MOST_CASES && ways.iter().all(|facts| !facts.is_empty()) {
        let mut cases: Vec<Formula> = ways.into_iter().map(all).collect();
        cases.sort();
        cases.dedup();
        if cases.len() > 1 {
            bodies.push(Formula::Any(cases));
        }
    }
    bodies
}

fn all(mut facts: Vec<Formula>) -> Formula {
    if facts.len() == 1 { facts.remove(0) } else { Formula::All(facts) }
}

struct Facts<'a, 'v> {
    view: &'a View<'v>,
    visit: &'a Visit<'a>,
    name: &'a Name,
    places: Places,
}

impl Facts<'_, '_> {
    /// What a way makes true of the element that it visits.
    fn of_way(&self, way: &Way) -> Vec<Formula> {
        let element = self.visit.element(self.name);
        let mut facts: Vec<Formula> = Vec::new();
        let stored = way.accesses.iter().rev().find(|access| {
            access.stored.is_some()
                && access.position.offset == self.visit.offset
                && access.position.base == Base::Buffer(self.visit.buffer.clone())
        });
        match stored.and_then(|access| access.stored.as_ref()) {
            Some(Value::Number(value)) => {
                let value = value.expression();
                let then = rewrite(&at_entry(self.view, &value), &self.places);
                facts.push(Expression::Element(element.clone()).equals(then.expression()));
                // What was asked of the value is true of the element.
                let written =
                    Places::from([(value.clone(), Linear::atom(Expression::Element(element.clone())))]);
                for condition in way.conditions.iter().filter(|asked| spoken_in(asked).contains(&&value)) {
                    facts.push(rewrite_formula(&rewrite_formula(condition, &written), &self.places));
                }
            }
            Some(_) => {}
            None if is_changed(self.view, &self.visit.buffer) => facts.push(is_kept(&element)),
            None => {}
        }
        for condition in way.conditions.iter().filter(|condition| self.speaks_of_visit(condition)) {
            let old = formula_at_entry(self.view, condition);
            facts.push(rewrite_formula(&old, &self.places));
        }
        facts.retain(|fact| {
            let mut spoken = spoken_in(fact).into_iter();
            spoken.all(|part| is_fixed(self.view, part) || *part == Expression::Element(element.clone()))
        });
        facts
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
            places.insert(part.clone(), Linear::atom(Expression::Element(old)));
        }
    }
    rewrite_formula(formula, &places)
}
