//! Makes a proof shorter: drops the invariants that it does not need.
//!
//! Whoever finds a proof takes every invariant that holds; few of them matter. Method (Zeller's delta debugging, by
//! halves): parts of the list of invariants are left out, larger ones first, and the proof is checked without them.
//! Invariants that C cannot say and long ones come first in the list, so that what is left is short in this sense, too.

use base::Budget;
use certify::Certificate;
use certify::abstraction::Effort;
use certify::gate::check_parts;
use evidence::{Evidence, Proof, Statement};
use program::Program;

/// The same certificate with fewer invariants. Nothing if it is not about invariants, or there is no time.
pub fn shorter(program: &Program, certificate: &Certificate, budget: &Budget) -> Option<Certificate> {
    let Evidence::Loops(summaries) = certificate.evidence() else { return None };
    let proof = Proof::of(summaries, *certificate.mode());
    let (mut invariants, others): (Vec<usize>, Vec<usize>) = (0..proof.claims.len())
        .partition(|&place| matches!(proof.claims[place].what, Statement::LoopInvariant(_)));
    invariants.sort_by_key(|&place| match &proof.claims[place].what {
        Statement::LoopInvariant(formula) => {
            let text = formula.to_string();
            std::cmp::Reverse((text.contains("entry(") || text.contains("every("), text.len()))
        }
        Statement::Left(_) => std::cmp::Reverse((false, 0)),
    });
    let mut shortest = None;
    let mut is_enough = |kept: &[usize]| {
        let mut places: Vec<usize> = kept.iter().chain(&others).copied().collect();
        places.sort_unstable();
        let claims = places.iter().map(|&place| proof.claims[place].clone()).collect();
        let shorter = Proof { mode: proof.mode, claims, shapes: None };
        let (refused, result) =
            check_parts(program, *certificate.claim(), &shorter, Effort::default(), budget);
        match result {
            Ok(certificate) if refused.is_empty() => shortest = Some(certificate),
            _ => return false,
        }
        true
    };
    let mut size = invariants.len();
    while size > 0 {
        let mut at = 0;
        while at < invariants.len() {
            if budget.clone().spend(0).is_err() {
                size = 0;
                break;
            }
            let mut fewer = invariants.clone();
            fewer.drain(at..invariants.len().min(at + size));
            if is_enough(&fewer) {
                invariants = fewer;
            } else {
                at += size;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    shortest
}

#[cfg(test)]
mod tests {
    use super::*;
    use certify::Verdict;
    use evidence::{Claimed, Of, Overflow, ProofMode, Property};
    use program::interpret::Integers;

    use crate::refute::Query;

    const PROGRAM: &str = "data_model LP64
        function main() -> i32 {
          variable %i: i32
          variable %j: i32
          variable %n: i32
        b0:
          %n := input nondet
          %i := 0:i32
          %j := 0:i32
          goto b1
        b1: loop while
          if %i < %n goto b2 else b3
        b2:
          %i := (%i + 1:i32)
          %j := (%j + 1:i32)
          goto b1
        b3:
          check assertion %i == %j
          return 0:i32
        }";

    #[test]
    fn what_a_proof_does_not_need_is_found() {
        let program = parser::parse(PROGRAM).expect("the test's program parses");
        let query = Query {
            property: Property::UnreachCall,
            function: String::from("main"),
            integers: Integers::Machine,
        };
        let invariants = ["i >= -5", "i == j", "j >= -5", "i <= 2147483647", "i < entry(i)"];
        let invariant = |text: &&str| Claimed {
            of: Of::AbstractLoop(0),
            what: Statement::LoopInvariant(text.parse().expect("the test's invariants parse")),
        };
        let mode = ProofMode::abstraction(1, Overflow::Wraps);
        let proof = Proof { mode, claims: invariants.iter().map(invariant).collect(), shapes: None };
        let budget = Budget::unlimited();
        let confirmation = super::super::confirm(&program, &query, &proof, &budget);
        let Verdict::Proved(certificate) = &confirmation.verdict else { panic!("{confirmation:?}") };
        assert!(confirmation.refused.contains(&4) && !confirmation.refused.contains(&1), "{confirmation:?}");
        let shorter = shorter(&program, certificate, &budget).expect("some invariants are of no use");
        let Evidence::Loops(loops) = shorter.evidence() else { panic!("{shorter:?}") };
        let invariants: Vec<String> =
            loops[0].invariants.iter().map(|invariant| invariant.formula.to_string()).collect();
        assert_eq!(invariants, ["i == j"]);
        let without = Proof { claims: proof.claims[2..].to_vec(), ..proof };
        let confirmation = super::super::confirm(&program, &query, &without, &budget);
        assert!(matches!(confirmation.verdict, Verdict::Unknown { .. }), "{confirmation:?}");
    }
}
