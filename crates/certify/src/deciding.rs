//! What decided a query, in a word: for tables and charts that compare the ways to an answer.
//!
//! The word is read off the evidence, so that it says what the answer rests on and not who was asked first.

use evidence::{Chains, Evidence, Failure, ProofMode, Ranking, Summary, Termination};

use crate::verdict::Verdict;

impl Verdict {
    /// What the answer rests on: `only-run`, `unrolling`, `invariants`, `linear-rank`, … Nothing if there is no answer.
    pub fn decided_by(&self) -> Option<&'static str> {
        match self {
            Verdict::Proved(certificate) => Some(proof_by(certificate.evidence(), certificate.mode())),
            Verdict::Refuted { counterexample } => Some(match counterexample.failure {
                Failure::Violation { .. } => "run",
                Failure::Repetition { .. } => "repeated-state",
                Failure::Recurrence { .. } => "recurrent-set",
            }),
            Verdict::Unknown { .. } => None,
        }
    }
}

fn proof_by(evidence: &Evidence, mode: &ProofMode) -> &'static str {
    match (evidence, mode) {
        (_, ProofMode { only_run: true, .. }) => "only-run",
        (_, ProofMode { chains: Some(Chains::WithMemory), .. }) => "chains-of-calls",
        (_, ProofMode { chains: Some(Chains::WithoutMemory), .. }) => "chains-without-memory",
        (_, ProofMode { abstract_loops: Some(abstraction_mode), .. }) if abstraction_mode.iterations > 1 => {
            "several-iterations"
        }
        (Evidence::Loops(loops), _) => loops.iter().map(rests_on).max().unwrap_or(Grounds::Paths).name(),
        (other, _) => other.form(),
    }
}

/// What a proof by havoc abstraction rests on, the simplest first: the loop that needs most decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Grounds {
    Paths,
    Invariants,
    Linear,
    Lexicographic,
    Phases,
    Transition,
}

impl Grounds {
    const fn name(self) -> &'static str {
        match self {
            Grounds::Paths => "paths",
            Grounds::Invariants => "invariants",
            Grounds::Linear => "linear-rank",
            Grounds::Lexicographic => "lexicographic-rank",
            Grounds::Phases => "rank-in-phases",
            Grounds::Transition => "transition-invariant",
        }
    }
}

fn rests_on(summary: &Summary) -> Grounds {
    match &summary.termination {
        None if summary.invariants.is_empty() => Grounds::Paths,
        None => Grounds::Invariants,
        Some(Termination::Ranking(Ranking::Linear(_))) => Grounds::Linear,
        Some(Termination::Ranking(Ranking::Lexicographic(_))) => Grounds::Lexicographic,
        Some(Termination::Ranking(Ranking::Multiphase(_) | Ranking::Nested(_))) => Grounds::Phases,
        Some(Termination::Disjunctive { .. }) => Grounds::Transition,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::expression::now;
    use evidence::{AbstractionMode, Reason, Unrolling};

    fn summary(termination: Option<Termination>) -> Summary {
        let name = String::from("main");
        Summary { name, place: None, invariants: Vec::new(), cases: Vec::new(), termination, bound: None }
    }

    #[test]
    fn the_loop_that_needs_most_decides() {
        let abstraction_mode = |iterations| Some(AbstractionMode { iterations, decided: 0 });
        let abstract_loops =
            |iterations| ProofMode { abstract_loops: abstraction_mode(iterations), ..ProofMode::default() };
        let unrolling = Evidence::Unrolling(Unrolling { depth: 3 });
        assert_eq!(proof_by(&unrolling.clone(), &ProofMode::default()), "unrolling");
        let only_run = ProofMode { only_run: true, ..ProofMode::default() };
        assert_eq!(proof_by(&unrolling, &only_run), "only-run");
        let linear = summary(Some(Termination::Ranking(Ranking::Linear(now("i")))));
        let phases = summary(Some(Termination::Ranking(Ranking::Nested(vec![now("i"), now("j")]))));
        assert_eq!(proof_by(&Evidence::Loops(vec![summary(None)]), &abstract_loops(1)), "paths");
        assert_eq!(
            proof_by(&Evidence::Loops(vec![phases, linear.clone()]), &abstract_loops(1)),
            "rank-in-phases"
        );
        let chains = ProofMode { chains: Some(Chains::WithMemory), ..abstract_loops(1) };
        assert_eq!(proof_by(&Evidence::Loops(vec![linear.clone()]), &chains), "chains-of-calls");
        assert_eq!(proof_by(&Evidence::Loops(vec![linear]), &abstract_loops(2)), "several-iterations");
        let reason = Reason::NoEntry { function: String::from("main") };
        assert_eq!(Verdict::unknown(reason).decided_by(), None);
    }
}
