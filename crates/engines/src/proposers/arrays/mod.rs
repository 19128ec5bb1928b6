//! What arrays hold: invariants about all elements that a loop has come by (LoopFrog, section 4.1, asks for such
//! templates to be added; the invariants are those of array summaries as in Gopan, Reps and Sagiv 2005).
//!
//! ```text
//!        from              to = where the next iteration looks
//!  ┌──────┬──────────────────┬──────────────┐
//!  │ kept │ written, or met  │     kept     │      an index that rises by one in each iteration
//!  └──────┴──────────────────┴──────────────┘
//! ```
//!
//! An access `a[i + 3]` is a *visit* if `i` moves by the same number in every iteration, or in some iterations and not
//! at all in the others, and nothing else in the index changes. Each file makes invariants of the visits of a loop:
//! what was written (`written`), what was asked (`written`, too), what was not touched (`kept`), how elements compare
//! with a number that is carried along (`carried`), what holds unless a flag is set (`flags`), how neighbours compare
//! (`order`), and rows of arrays with two dimensions (`rows`).

mod carried;
mod flags;
mod order;
mod preserved;
mod rows;
mod stretch;
mod written;

use evidence::{Comparison, Element, Expression, Formula, Moment, Name};

use crate::paths::speaks_of_entry;
use crate::view::View;

/// No loop gets more invariants about arrays.
const MOST: usize = 160;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let mut found = Vec::new();
    own(view, &mut found);
    rows::propose(view, &mut found);
    // What an outer loop has done so far stays while an inner one runs.
    for outer in &view.around {
        let mut theirs = Vec::new();
        own(outer, &mut theirs);
        found.extend(theirs.into_iter().filter(|formula| !speaks_of_entry(formula)));
    }
    found.truncate(MOST);
    candidates.extend(found);
}

fn own(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let visits = stretch::visits(view);
    candidates.extend(visits.iter().filter_map(stretch::Visit::in_step));
    let name = unused_name(view);
    for bodies in [written::bodies, carried::bodies] {
        for visit in &visits {
            candidates.extend(bodies(view, visit, &name).into_iter().map(|body| visit.every(&name, body)));
        }
    }
    order::propose(view, &visits, candidates);
    preserved::propose(view, &visits, candidates);
    flags::propose(view, &visits, candidates);
}

/// A name that no variable has, for the number that stands for all.
fn unused_name(view: &View<'_>) -> Name {
    let used = |name: &str| {
        let name = Name::from(name);
        let numbers = view.numbers.iter().map(|number| &number.name);
        numbers.chain(view.pointers.iter().map(|pointer| &pointer.name)).any(|other| *other == name)
    };
    let name = ["k", "l", "m", "k#all"].into_iter().find(|name| !used(name));
    Name::from(name.unwrap_or("k#any"))
}

/// An element is what it was at entry.
fn is_kept(element: &Element) -> Formula {
    let entry = Element { moment: Moment::Entry, ..element.clone() };
    Expression::Element(element.clone()).compare(Comparison::Equal, Expression::Element(entry))
}
