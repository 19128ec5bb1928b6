//! What follows from equalities of the same terms.
//!
//! That `x = y` and `y = z` make `x = z` takes a SAT solver that sees nothing but bits very long to find out. Indices and
//! elements of arrays are compared with each other a lot, so it is told.

use rustc_hash::FxHashMap;

use super::gates::Literal;
use super::translate::Translator;
use crate::terms::Term;

/// The equalities between indices and between elements in one query.
#[derive(Default)]
pub(crate) struct Equalities {
    neighbours: FxHashMap<Term, Vec<Term>>,
    added: usize,
}

/// No more triangles than this: they are a help, not a need.
const MOST: usize = 20_000;

impl Equalities {
    /// Takes note of an equality, and gives clauses that connect it with two others that were asked for before.
    pub(crate) fn add(
        &mut self,
        translator: &Translator,
        (a, b): (Term, Term),
        ab: Literal,
    ) -> Vec<[Literal; 3]> {
        let mut clauses = Vec::new();
        if ab.known().is_some() || self.neighbours.get(&a).is_some_and(|others| others.contains(&b)) {
            return clauses;
        }
        for (a, b) in [(a, b), (b, a)] {
            for &c in self.neighbours.get(&a).map_or(&[][..], Vec::as_slice) {
                let (Some(ac), Some(bc)) = (translator.known_equal(a, c), translator.known_equal(b, c))
                else {
                    continue;
                };
                self.added += 1;
                if self.added <= MOST {
                    clauses.extend([[!ab, !ac, bc], [!ab, !bc, ac], [!ac, !bc, ab]]);
                }
            }
        }
        self.neighbours.entry(a).or_default().push(b);
        self.neighbours.entry(b).or_default().push(a);
        clauses
    }
}
