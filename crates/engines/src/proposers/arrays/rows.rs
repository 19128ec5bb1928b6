//! Rows of arrays with two dimensions: when an outer loop moves on to the next row, the rows before are done.

use evidence::{Expression, Formula, Integer};
use logic::numbers::Rational;

use super::stretch::{self, Visit};
use super::{carried, unused_name, written};
use crate::iteration::Walker;
use crate::linear::{InEvidence, Linear};
use crate::paths::spoken_in;
use crate::view::View;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    for inner in &view.within {
        between(view, inner, candidates);
    }
    for outer in &view.around {
        between(outer, view, candidates);
    }
}

/// What an inner loop does to one row, an outer one does to all.
fn between(outer: &View<'_>, inner: &View<'_>, candidates: &mut Vec<Formula>) {
    let name = unused_name(inner);
    for visit in stretch::visits(inner) {
        for walker in outer.iteration.walkers.iter().filter(|walker| walker.always) {
            let Some((from, to)) = rows(&visit, walker) else { continue };
            let mut bodies = written::bodies(inner, &visit, &name);
            bodies.extend(carried::bodies(inner, &visit, &name));
            let bodies = bodies.into_iter().filter(|body| !spoken_in(body).contains(&&walker.now));
            candidates
                .extend(bodies.map(|body| Formula::every(name.as_str(), from.clone(), to.clone(), body)));
        }
    }
}

/// Where the rows start and where the one starts that the outer loop has come to.
fn rows(visit: &Visit<'_>, walker: &Walker) -> Option<(Expression, Expression)> {
    let (Expression::Constant(inner), Expression::Constant(outer)) = (&visit.walker.entry, &walker.entry)
    else {
        return None;
    };
    if !(visit.offset.coefficient(walker.now.clone()) * &Rational::from(&walker.step)).is_positive() {
        return None;
    }
    let here = visit.offset.substituted(visit.walker.now.clone(), &Linear::constant(inner));
    let first = here.substituted(walker.now.clone(), &Linear::constant(outer));
    let unit = Integer::from(visit.bytes);
    Some((first.quotient(&unit), here.quotient(&unit)))
}
