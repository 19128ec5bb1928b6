//! Proofs made by hand, right and wrong; proofs of a solver, as they are and corrupted, against brute force.

use base::{Budget, Stop};
use batsat::{Callbacks, Lit, SolverInterface, Var, lbool};

use super::*;
use crate::random::Random;
use crate::solver::sat::{Batsat, Sat, SatAnswer};

/// A clause in the manner of DIMACS: variables from one, negative if negated.
fn clause(numbers: &[i32]) -> Vec<SatLiteral> {
    numbers.iter().map(|number| SatLiteral::new(number.unsigned_abs() - 1, *number < 0)).collect()
}

fn accepts(axioms: &[&[i32]], learnt: &[&[i32]], assumptions: &[i32]) -> bool {
    let mut checker = Checker::default();
    axioms.iter().for_each(|axiom| checker.add_axiom(&clause(axiom)));
    learnt.iter().for_each(|learnt| checker.learn(clause(learnt)));
    checker.is_refuted(clause(assumptions), &mut Budget::unlimited()) == Ok(true)
}

const SQUARE: [&[i32]; 4] = [&[1, 2], &[1, -2], &[-1, 2], &[-1, -2]];

#[test]
fn right_proofs_are_accepted() {
    assert!(accepts(&SQUARE, &[&[1]], &[]));
    assert!(accepts(&SQUARE, &[&[-2], &[]], &[]));
    assert!(accepts(&SQUARE, &[], &[1]));
    assert!(accepts(&[&[]], &[], &[]));
    assert!(accepts(&[&[1], &[-1]], &[], &[]));
    assert!(accepts(&[&[1, 1], &[-1, -1, -1]], &[], &[]));
    assert!(accepts(&[&[-1, 2], &[-2, 3]], &[&[-1, 3]], &[1, -3]));
    assert!(accepts(&[], &[], &[5, -5]));
    assert!(accepts(&[&[1, 2, 3], &[-1, 4], &[-2, 4], &[-3, 4]], &[&[4, 3]], &[-4]));
}

#[test]
fn a_clause_that_does_not_follow_is_refused() {
    assert!(!accepts(&[&[1, 2], &[-1]], &[&[-2]], &[]));
    assert!(!accepts(&SQUARE[..3], &[&[-1]], &[]));
    assert!(!accepts(&[&[1, 2]], &[&[3]], &[-3]));
    // It does follow, but needs a step in between.
    assert!(!accepts(&SQUARE, &[&[3], &[]], &[]));
}

#[test]
fn a_claim_that_does_not_follow_is_refused() {
    assert!(!accepts(&[], &[], &[]));
    assert!(!accepts(&[&[1, 2]], &[], &[1]));
    assert!(!accepts(&[&[1, 2]], &[&[1, 2]], &[]));
    assert!(!accepts(&[&[1, -1]], &[], &[]));
    // The core lacks an assumption.
    assert!(accepts(&[&[-1, -2]], &[], &[1, 2]));
    assert!(!accepts(&[&[-1, -2]], &[], &[1]));
}

#[test]
fn without_an_axiom_or_with_another_the_proof_is_refused() {
    for (changed, axiom) in SQUARE.iter().enumerate() {
        let mut axioms = SQUARE.to_vec();
        axioms.remove(changed);
        for learnt in [[1], [-1], [2], [-2]] {
            assert!(!accepts(&axioms, &[&learnt], &[]));
            for literal in 0..axiom.len() {
                let mut flipped = axiom.to_vec();
                flipped[literal] *= -1;
                let axioms: Vec<&[i32]> = axioms.iter().copied().chain([&*flipped]).collect();
                assert!(!accepts(&axioms, &[&learnt], &[]));
            }
        }
    }
}

#[test]
fn who_was_wrong_once_is_not_believed_again() {
    let mut checker = Checker::default();
    checker.add_axiom(&clause(&[1, 2]));
    checker.learn(clause(&[1]));
    let budget = &mut Budget::unlimited();
    assert_eq!(checker.is_refuted(clause(&[-1]), budget), Ok(false));
    checker.add_axiom(&clause(&[-1]));
    checker.add_axiom(&clause(&[-2]));
    assert_eq!(checker.is_refuted([], budget), Ok(false));
}

#[test]
fn what_is_learnt_after_a_claim_counts_for_the_next() {
    let mut checker = Checker::default();
    let budget = &mut Budget::unlimited();
    checker.add_axiom(&clause(&[-1, 2]));
    assert_eq!(checker.is_refuted(clause(&[1, -2]), budget), Ok(true));
    assert_eq!(checker.is_refuted(clause(&[1]), budget), Ok(false));
    checker.add_axiom(&clause(&[-1, -2, 3]));
    checker.learn(clause(&[-1, 3]));
    assert_eq!(checker.is_refuted(clause(&[1, -3]), budget), Ok(true));
    checker.add_axiom(&clause(&[-3]));
    assert_eq!(checker.is_refuted(clause(&[1]), budget), Ok(true));
    assert_eq!(checker.is_refuted([], budget), Ok(false));
}

#[test]
fn the_budget_ends_the_check_and_it_goes_on_later() {
    let (axioms, proof) = (pigeons(6), recorded(&pigeons(6), 42).expect("a refutation"));
    let mut checker = Checker::default();
    axioms.iter().for_each(|axiom| checker.add_axiom(axiom));
    proof.iter().for_each(|learnt| checker.learn(learnt.iter().copied()));
    let mut budget = Budget::unlimited().within(std::time::Duration::ZERO);
    let mut stops = 0;
    let end = loop {
        match checker.is_refuted([], &mut budget) {
            Err(stop) => assert_eq!(stop, Stop::Time),
            Ok(end) => break end,
        }
        stops += 1;
    };
    assert!(end && stops > 0, "{stops}");
}

/// One pigeon too many for so many holes.
fn pigeons(holes: u32) -> Vec<Vec<SatLiteral>> {
    let at = |pigeon: u32, hole: u32| SatLiteral::new(pigeon * holes + hole, false);
    let mut clauses = Vec::new();
    for pigeon in 0..=holes {
        clauses.push((0..holes).map(|hole| at(pigeon, hole)).collect());
        for (other, hole) in (0..pigeon).flat_map(|other| (0..holes).map(move |hole| (other, hole))) {
            clauses.push(vec![!at(pigeon, hole), !at(other, hole)]);
        }
    }
    clauses
}

const VARIABLES: u32 = 12;

/// Random clauses of three literals; with about 4.3 for each variable, half of such sets are satisfiable.
fn three_sat(random: &mut Random, clauses: u64) -> Vec<Vec<SatLiteral>> {
    let mut literal = || SatLiteral::new(random.below(u64::from(VARIABLES)) as u32, random.below(2) == 0);
    (0..clauses).map(|_| vec![literal(), literal(), literal()]).collect()
}

fn brute(clauses: &[Vec<SatLiteral>], assumptions: &[SatLiteral]) -> bool {
    (0..1_u32 << VARIABLES).any(|values| {
        let holds = |literal: &SatLiteral| (values >> literal.variable() & 1 == 0) == literal.is_negated();
        assumptions.iter().all(holds) && clauses.iter().all(|clause| clause.iter().any(holds))
    })
}

/// What a solver learns.
#[derive(Default)]
struct Recorder(Vec<Vec<SatLiteral>>);

impl Callbacks for Recorder {
    fn on_new_clause(&mut self, clause: &[Lit], _: batsat::ClauseKind) {
        self.0.push(clause.iter().map(|lit| SatLiteral::new(lit.var().idx(), !lit.sign())).collect());
    }
}

/// What a solver learns until it has refuted these clauses, if it does.
fn recorded(clauses: &[Vec<SatLiteral>], variables: u32) -> Option<Vec<Vec<SatLiteral>>> {
    let mut solver = batsat::Solver::new(batsat::SolverOpts::default(), Recorder::default());
    for _ in 0..variables {
        solver.new_var_default();
    }
    for clause in clauses {
        let lit =
            |literal: &SatLiteral| Lit::new(Var::unsafe_from_idx(literal.variable()), !literal.is_negated());
        solver.add_clause_reuse(&mut clause.iter().map(lit).collect());
    }
    (solver.solve_limited(&[]) == lbool::FALSE).then(|| std::mem::take(&mut solver.cb_mut().0))
}

#[test]
fn random_clauses_are_decided_as_by_brute_force() {
    let mut random = Random::new(1);
    let (mut refuted, mut satisfied) = (0, 0);
    for _ in 0..100 {
        let mut sat = Batsat::default();
        (0..VARIABLES).for_each(|_| _ = sat.new_variable());
        let mut clauses = Vec::new();
        // More and more clauses, and some assumptions each time.
        for more in [40, 8, 8] {
            for clause in three_sat(&mut random, more) {
                sat.add_clause(&clause);
                clauses.push(clause);
            }
            let assumptions: Vec<SatLiteral> = three_sat(&mut random, 1).remove(0);
            for assumptions in [&[], &*assumptions] {
                let answer = sat.solve(assumptions, &mut Budget::unlimited());
                if brute(&clauses, assumptions) {
                    assert_eq!(answer, SatAnswer::Satisfiable);
                    satisfied += 1;
                } else {
                    assert_eq!(answer, SatAnswer::Unsatisfiable);
                    let core: Vec<_> = assumptions.iter().copied().filter(|one| sat.in_core(*one)).collect();
                    assert!(!brute(&clauses, &core));
                    refuted += 1;
                }
            }
        }
    }
    assert!(refuted > 100 && satisfied > 100, "{refuted} {satisfied}");
}

/// Changes one clause: a literal flipped, lost or exchanged, or the whole clause lost, or moved to the end.
fn corrupt(clauses: &mut Vec<Vec<SatLiteral>>, random: &mut Random) {
    let place = random.below(clauses.len() as u64) as usize;
    let clause = &mut clauses[place];
    let literal = random.below(clause.len().max(1) as u64) as usize;
    match random.below(5) {
        0 if !clause.is_empty() => clause[literal] = !clause[literal],
        1 if !clause.is_empty() => _ = clause.remove(literal),
        2 if !clause.is_empty() => {
            clause[literal] = SatLiteral::new(random.below(u64::from(VARIABLES)) as u32, false);
        }
        3 => _ = clauses.remove(place),
        _ => {
            let moved = clauses.remove(place);
            clauses.push(moved);
        }
    }
}

#[test]
fn corrupted_proofs_are_refused_or_still_right() {
    let mut random = Random::new(2);
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..600 {
        let mut axioms = three_sat(&mut random, 60);
        let Some(mut proof) = recorded(&axioms, VARIABLES) else { continue };
        let check = |axioms: &[Vec<SatLiteral>], proof: &[Vec<SatLiteral>]| {
            let mut checker = Checker::default();
            axioms.iter().for_each(|axiom| checker.add_axiom(axiom));
            proof.iter().for_each(|learnt| checker.learn(learnt.iter().copied()));
            checker.is_refuted([], &mut Budget::unlimited()) == Ok(true)
        };
        assert!(check(&axioms, &proof), "the proof as it was");
        if proof.is_empty() || random.below(3) == 0 {
            corrupt(&mut axioms, &mut random);
        } else {
            corrupt(&mut proof, &mut random);
        }
        if check(&axioms, &proof) {
            accepted += 1;
            assert!(!brute(&axioms, &[]), "accepted, and satisfiable: {axioms:?} {proof:?}");
        } else {
            refused += 1;
        }
    }
    assert!(refused > 50 && accepted > 50, "{refused} {accepted}");
}

/// A solver that lies: clauses of its proof have wrong ones among them, and more axioms and claims come later.
#[test]
fn whoever_lies_never_has_a_wrong_claim_accepted() {
    let mut random = Random::new(3);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..400 {
        let mut checker = Checker::default();
        let mut axioms = Vec::new();
        for more in [44, 8, 8] {
            for axiom in three_sat(&mut random, more) {
                checker.add_axiom(&axiom);
                axioms.push(axiom);
            }
            let lies = random.below(3);
            for learnt in recorded(&axioms, VARIABLES).unwrap_or_default() {
                checker.learn(learnt);
                if random.below(20) < lies {
                    checker.learn(three_sat(&mut random, 1).remove(0));
                }
            }
            let assumptions = three_sat(&mut random, 1).remove(0);
            for assumptions in [&[], &*assumptions] {
                if checker.is_refuted(assumptions.iter().copied(), &mut Budget::unlimited()) == Ok(true) {
                    assert!(!brute(&axioms, assumptions), "accepted, and satisfiable: {axioms:?}");
                    accepted += 1;
                } else {
                    refused += usize::from(!brute(&axioms, assumptions));
                }
            }
        }
    }
    assert!(accepted > 50 && refused > 50, "{accepted} {refused}");
}

#[test]
fn clauses_do_not_justify_each_other() {
    // Each follows from the other, and neither from the axioms.
    assert!(!accepts(&[], &[&[1, -2], &[-1, 2]], &[1, -2]));
    assert!(!accepts(&[], &[&[-1, 2], &[-1, 2]], &[1, -2]));
    // A clause does not follow from one after it.
    assert!(accepts(&[&[-1, 3], &[-3, 2]], &[&[-1, 2], &[-1, 2, 4]], &[1, -2]));
    assert!(!accepts(&SQUARE, &[&[], &[1]], &[]));
}
