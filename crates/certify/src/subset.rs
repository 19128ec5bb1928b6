//! Many candidates for invariants at once: which of them are inductive together.
//!
//! Method: Houdini (Flanagan and Leino). All candidates that are left are assumed together, and asked for together after
//! a pass; a model shows candidates that a pass breaks, those are dropped, and the question is asked again. What is left
//! in the end is the greatest subset that is inductive. Where the solver does not know, candidates are asked for one by
//! one, and those that it does not know are dropped.

use base::Budget;
use evidence::Formula;
use logic::evaluate::Evaluation;
use logic::{Solver, Term, Terms};

use crate::invariant::at_entry;
use crate::question::Questions;
use crate::relation::Relation;
use crate::wide::Scope;

/// Which candidates hold at entry and are preserved together: their conjunction is an invariant that holds whenever the
/// head is reached. With `established` false they need not hold at entry. Candidates may not count passes.
pub fn inductive_subset(
    terms: &mut Terms,
    relation: &Relation,
    candidates: &[Formula],
    established: bool,
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Vec<bool> {
    let mut questions = Questions { terms, relation, solver, budget };
    let mut left: Vec<Candidate> = Vec::new();
    for (index, formula) in candidates.iter().enumerate() {
        left.extend(Candidate::new(&mut questions, index, formula));
    }
    if established {
        let mut hypotheses = at_entry(questions.terms, relation);
        hypotheses.push(relation.initially());
        keep_proved(&mut questions, &mut left, &hypotheses, |candidate| candidate.at_entry, false);
    }
    keep_proved(&mut questions, &mut left, &relation.pass(), |candidate| candidate.after, true);
    let mut kept = vec![false; candidates.len()];
    for candidate in left {
        kept[candidate.index] = true;
    }
    kept
}

struct Candidate {
    index: usize,
    at_entry: Term,
    now: Term,
    after: Term,
}

impl Candidate {
    /// A candidate as terms, or nothing if it cannot be one.
    fn new(questions: &mut Questions<'_>, index: usize, formula: &Formula) -> Option<Self> {
        let relation = questions.relation;
        let head = Scope::head(relation);
        let at_entry = questions.formula(&head.with_entry(relation.before()), formula).ok()?;
        let now = questions.formula(&head, formula).ok()?;
        let after = questions.formula(&head.with_now(relation.after()), formula).ok()?;
        Some(Self { index, at_entry, now, after })
    }
}

/// Drops candidates until all goals of the rest follow from the hypotheses and, if asked, from the rest themselves.
fn keep_proved(
    questions: &mut Questions<'_>,
    left: &mut Vec<Candidate>,
    hypotheses: &[Term],
    goal: fn(&Candidate) -> Term,
    together: bool,
) {
    while !left.is_empty() {
        let mut all = hypotheses.to_vec();
        all.extend(left.iter().map(|candidate| candidate.now).filter(|_| together));
        let goals: Vec<Term> = left.iter().map(goal).collect();
        let every = questions.terms.all(&goals);
        match questions.counterexample(&all, every) {
            Ok(None) => return,
            Ok(Some(model)) => {
                let mut values = Evaluation::new(questions.terms, &model);
                left.retain(|candidate| values.is_true(goal(candidate)));
            }
            Err(_) => {
                let before = left.len();
                left.retain(|candidate| questions.counterexample(&all, goal(candidate)) == Ok(None));
                if left.len() == before {
                    // Each one follows from all of them: that is what was asked.
                    return;
                }
            }
        }
    }
}
