//! Where paths of the encoding go: which incomplete paths and which verification conditions control can come to.

use base::Budget;
use logic::evaluate::Evaluation;
use logic::{Ignorance, Term};

use super::{Abstraction, Effort};

impl Abstraction<'_> {
    /// Which of the incomplete paths control may come to, by their places in the list. What the solver does not know it
    /// may.
    pub fn open_ends(&mut self, effort: Effort, budget: &mut Budget) -> Vec<usize> {
        let conditions: Vec<Term> = self.incomplete_paths().iter().map(|end| end.reached).collect();
        let mut found = self.true_ones(&conditions, effort, budget);
        found.sort_unstable();
        found
    }

    /// Which of some verification conditions control may come to. What the solver does not know it may.
    pub fn reachable(&mut self, vcs: &[usize], effort: Effort, budget: &mut Budget) -> Vec<usize> {
        let guards: Vec<Term> = vcs.iter().map(|&vc| self.vcs[vc].guard.term()).collect();
        self.true_ones(&guards, effort, budget).into_iter().map(|place| vcs[place]).collect()
    }

    /// Whether control may go on after a verification condition. If not, what comes after it alone is not examined by
    /// anybody.
    pub fn goes_on(&mut self, vc: usize, effort: Effort, budget: &mut Budget) -> bool {
        let (guard, condition) = (self.vcs[vc].guard.term(), self.vcs[vc].condition);
        !matches!(self.model(&[guard, condition], effort, budget), Ok(None))
    }

    /// Whether a verification condition is about an access that may be one to an object outside the program. Then the
    /// encoding takes it for violated, and has lost runs on which it is not.
    pub fn may_be_outside(&mut self, vc: usize, effort: Effort, budget: &mut Budget) -> bool {
        let guard = self.vcs[vc].guard.term();
        let Some((pointer, _)) = self.vcs[vc].access else {
            return false;
        };
        let Some(outside) = self.encoder.may_be_outside(pointer) else { return false };
        !matches!(self.model(&[guard, outside], effort, budget), Ok(None))
    }

    /// Which of some conditions may be true: a model shows it, or the solver does not know.
    fn true_ones(&mut self, conditions: &[Term], effort: Effort, budget: &mut Budget) -> Vec<usize> {
        let mut found = Vec::new();
        let mut left: Vec<usize> = (0..conditions.len()).collect();
        while !left.is_empty() {
            let Ok(more) = self.some_true(conditions, &left, effort, budget) else {
                // A smaller query may know more.
                let unknown =
                    |place: &usize| !matches!(self.model(&[conditions[*place]], effort, budget), Ok(None));
                found.extend(left.iter().copied().filter(unknown));
                break;
            };
            if more.is_empty() {
                break;
            }
            left.retain(|place| !more.contains(place));
            found.extend(more);
        }
        found
    }

    /// Those of some conditions that a model makes true: none if none can be.
    fn some_true(
        &mut self,
        conditions: &[Term],
        places: &[usize],
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<Vec<usize>, Ignorance> {
        let some = places.iter().map(|&place| conditions[place]);
        let Some(model) = self.any(some, effort, budget)? else { return Ok(Vec::new()) };
        let mut values = Evaluation::new(&self.encoder.terms, &model);
        Ok(places.iter().copied().filter(|&place| values.is_true(conditions[place])).collect())
    }
}
