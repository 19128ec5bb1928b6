//! Makes a proof shorter: drops the facts that it does not need.
//!
//! Whoever finds a proof takes every fact that holds; few of them matter. Method (Zeller's delta debugging, by halves): parts
//! of the list of facts are left out, larger ones first, and the proof is checked without them. Facts that C cannot say and
//! long ones come first in the list, so that what is left is short in this sense, too.

use base::Budget;
use certify::leaps::Effort;
use evidence::Verdict;
use program::Program;

use super::{Proof, Statement, confirm_with};
use crate::refute::Question;

/// The places of those claims of a proof that are enough for it, in order. Without time these are all.
pub fn needed(program: &Program, question: &Question, proof: &Proof, budget: &Budget) -> Vec<usize> {
    let (mut facts, others): (Vec<usize>, Vec<usize>) =
        (0..proof.claims.len()).partition(|&place| matches!(proof.claims[place].what, Statement::Fact(_)));
    facts.sort_by_key(|&place| match &proof.claims[place].what {
        Statement::Fact(formula) => {
            let text = formula.to_string();
            std::cmp::Reverse((text.contains("entry(") || text.contains("every("), text.len()))
        }
        Statement::Left(_) => std::cmp::Reverse((false, 0)),
    });
    let is_enough = |kept: &[usize]| {
        let mut places: Vec<usize> = kept.iter().chain(&others).copied().collect();
        places.sort_unstable();
        let claims = places.iter().map(|&place| proof.claims[place].clone()).collect();
        let shorter = Proof { manner: proof.manner, claims };
        let confirmation = confirm_with(program, question, &shorter, Effort::default(), budget);
        matches!(confirmation.verdict, Verdict::Proved { .. }) && confirmation.refused.is_empty()
    };
    let mut size = facts.len();
    while size > 0 {
        let mut at = 0;
        while at < facts.len() {
            if budget.clone().spend(0).is_err() {
                size = 0;
                break;
            }
            let mut fewer = facts.clone();
            fewer.drain(at..facts.len().min(at + size));
            if is_enough(&fewer) {
                facts = fewer;
            } else {
                at += size;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    facts.extend(others);
    facts.sort_unstable();
    facts
}
