//! Makes a proof shorter: drops the invariants and the clauses of contracts that it does not need.
//!
//! Whoever finds a proof takes every invariant that holds; few of them matter. Method (Zeller's delta debugging, by
//! halves): parts of the list of invariants are left out, larger ones first, and the proof is checked without them.
//! Invariants that C cannot say and long ones come first in the list, so that what is left is short in this sense, too.

use base::Budget;
use certify::Certificate;
use certify::abstraction::Effort;
use certify::gate::check_parts;
use evidence::{Contract, Formula, Proof, Side, Statement};
use program::Program;

/// A part that a proof may do without.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// A claim about a loop, by its place.
    Claim(usize),
    /// A clause of a contract: the contract, the side, and its place there.
    Clause(usize, Side, usize),
}

/// The same certificate with fewer invariants and clauses of contracts. Nothing if it has none, or there is no time.
pub fn shorter(program: &Program, certificate: &Certificate, budget: &Budget) -> Option<Certificate> {
    let proof = Proof::of(certificate.evidence(), *certificate.mode())?;
    let mut pieces: Vec<Piece> = pieces(&proof);
    pieces.sort_by_key(|&piece| {
        let text = formula(&proof, piece).to_string();
        std::cmp::Reverse((text.contains("entry(") || text.contains("every("), text.len()))
    });
    let mut shortest = None;
    let mut is_enough = |kept: &[Piece]| {
        let (refused, result) =
            check_parts(program, *certificate.claim(), &only(&proof, kept), Effort::default(), budget);
        match result {
            Ok(certificate) if refused.is_empty() => shortest = Some(certificate),
            _ => return false,
        }
        true
    };
    let mut size = pieces.len();
    while size > 0 {
        let mut at = 0;
        while at < pieces.len() {
            if budget.clone().spend(0).is_err() {
                size = 0;
                break;
            }
            let mut fewer = pieces.clone();
            fewer.drain(at..pieces.len().min(at + size));
            if is_enough(&fewer) {
                pieces = fewer;
            } else {
                at += size;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    shortest
}

/// The parts that a proof may do without: arguments why loops are left are all needed.
fn pieces(proof: &Proof) -> Vec<Piece> {
    let is_invariant = |place: &usize| matches!(proof.claims[*place].what, Statement::LoopInvariant(_));
    let mut pieces: Vec<Piece> = (0..proof.claims.len()).filter(is_invariant).map(Piece::Claim).collect();
    for (number, contract) in proof.contracts.iter().enumerate() {
        for side in [Side::Requires, Side::Ensures] {
            let places = 0..contract.clauses(side).len();
            pieces.extend(places.map(|place| Piece::Clause(number, side, place)));
        }
    }
    pieces
}

fn formula(proof: &Proof, piece: Piece) -> &Formula {
    match piece {
        Piece::Claim(place) => match &proof.claims[place].what {
            Statement::LoopInvariant(formula) => formula,
            Statement::Left(_) => &Formula::True,
        },
        Piece::Clause(contract, side, place) => &proof.contracts[contract].clauses(side)[place],
    }
}

/// A proof with those of its pieces that are kept, and all that is no piece.
fn only(proof: &Proof, kept: &[Piece]) -> Proof {
    let is_kept = |piece: Piece| kept.contains(&piece);
    let claims = proof.claims.iter().enumerate().filter(|(place, claim)| {
        !matches!(claim.what, Statement::LoopInvariant(_)) || is_kept(Piece::Claim(*place))
    });
    let contracts = proof.contracts.iter().enumerate().map(|(number, contract)| {
        let side = |side: Side| {
            let places = 0..contract.clauses(side).len();
            let places = places.filter(|&place| is_kept(Piece::Clause(number, side, place)));
            places.map(|place| contract.clauses(side)[place].clone()).collect()
        };
        let (requires, ensures) = (side(Side::Requires), side(Side::Ensures));
        Contract { requires, ensures, ..contract.clone() }
    });
    let (claims, contracts) = (claims.map(|(_, claim)| claim.clone()).collect(), contracts.collect());
    Proof { claims, contracts, ..proof.clone() }
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
        let proof = Proof { mode, claims: invariants.iter().map(invariant).collect(), ..Proof::default() };
        let budget = Budget::unlimited();
        let confirmation = super::super::confirm(&program, &query, &proof, &budget);
        let Verdict::Proved(certificate) = &confirmation.verdict else { panic!("{confirmation:?}") };
        assert!(confirmation.refused.contains(&4) && !confirmation.refused.contains(&1), "{confirmation:?}");
        let shorter = shorter(&program, certificate, &budget).expect("some invariants are of no use");
        let loops = shorter.evidence().loops();
        let invariants: Vec<String> =
            loops[0].invariants.iter().map(|invariant| invariant.formula.to_string()).collect();
        assert_eq!(invariants, ["i == j"]);
        let without = Proof { claims: proof.claims[2..].to_vec(), ..proof };
        let confirmation = super::super::confirm(&program, &query, &without, &budget);
        assert!(matches!(confirmation.verdict, Verdict::Unknown { .. }), "{confirmation:?}");
    }
}
