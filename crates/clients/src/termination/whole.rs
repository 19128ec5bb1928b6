//! Proves that every run of a program ends.
//!
//! An overflow of signed numbers is undefined, so that a loop that ends because a number wraps need not end. A proof that
//! there is no overflow settles that. If there may be one, every run must end whatever number an overflow gives; or it must
//! end on machines whose numbers wrap and, for the same reasons, if numbers have no bounds: then it is not wrapping that
//! ends it, nor does wrapping keep it from ending. The kernel checks what each reading asks for.

use base::Budget;
use certify::abstraction::Effort;
use certify::{Abstraction, Certificate, Claim, Subject, Verdict};
use evidence::{Chains, Overflow, ProofMode, Reason};
use program::Program;
use program::interpret::Integers;

use super::{Prover, Step, Technique};
use crate::variance::Domain;
use crate::verify::Progress;

/// Many loops need no invariants.
const QUICK: &[Step] = &[(Technique::Rank, 1.0), (Technique::Conclude, 1.0)];

/// What is tried for the others.
const THOROUGH: &[Step] = &[
    (Technique::Floats, 0.1),
    (Technique::Variance(&[Domain::Octagon, Domain::Polyhedra]), 0.3),
    (Technique::Rank, 1.0),
    (Technique::Conclude, 1.0),
    (Technique::Invariants, 1.0),
    (Technique::Template, 1.0),
    (Technique::Conclude, 1.0),
];

/// Proves that every run of a program with recursion ends, from its chains of calls. An overflow may come after calls that
/// are not followed to their ends, so that every run must end whatever it gives.
pub(crate) fn chained(
    program: &Program,
    claim: Claim,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    let mut reasons = Vec::new();
    for kept in [Chains::WithMemory, Chains::WithoutMemory] {
        let Some(subject) = Subject::of_chains(program, claim, kept) else { continue };
        let part = budget.share(if kept == Chains::WithMemory { 0.5 } else { 1.0 });
        let overflow = match claim.integers {
            Integers::Mathematical => Overflow::Excluded,
            Integers::Machine => Overflow::Any,
        };
        // Ranks of addresses rest on the limits of the address space, unless plainer ones are looked for.
        let way = Way { steps: 1, plain: kept == Chains::WithoutMemory, overflows: &[overflow] };
        match prove(&subject, way, &part, progress) {
            Ok(certificate) => return Ok(Verdict::Proved(certificate)),
            Err(more) => reasons.extend(more),
        }
    }
    Err(reasons)
}

/// Proves that every run ends, or gives the reasons why it does not. An abstract loop takes so many iterations.
pub(crate) fn plain(
    program: &Program,
    claim: Claim,
    steps: u64,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    let overflows: &[Overflow] = match claim.integers {
        Integers::Mathematical => &[Overflow::Excluded],
        Integers::Machine => &[Overflow::Excluded, Overflow::Any],
    };
    let way = Way { steps, plain: false, overflows };
    prove(&Subject::of(program, claim), way, budget, progress).map(Verdict::Proved)
}

/// Proves that every run ends though signed numbers may overflow: if they wrap, and for the same reasons if they have no
/// bounds.
pub(crate) fn wrapping(
    program: &Program,
    claim: Claim,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    if claim.integers != Integers::Machine {
        return Err(Vec::new());
    }
    let way = Way { steps: 1, plain: true, overflows: &[Overflow::Wraps] };
    // That there may be an overflow is what was found before.
    let found = prove(&Subject::of(program, claim), way, budget, progress);
    found.map(Verdict::Proved).map_err(|_| Vec::new())
}

/// How a program is examined.
struct Way<'a> {
    /// How many iterations an abstract loop takes.
    steps: u64,
    /// Whether ranking functions are to be plain.
    plain: bool,
    /// The readings of overflow that are tried.
    overflows: &'a [Overflow],
}

fn prove(
    subject: &Subject<'_>,
    Way { steps, plain, overflows }: Way<'_>,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Certificate, Vec<Reason>> {
    let effort = Effort::default();
    let mut attempts: Vec<Abstraction<'_>> = Vec::new();
    for &overflow in overflows {
        let mut part = budget.share(0.3);
        let Ok(abstraction) = Abstraction::new(subject, ProofMode::abstraction(steps, overflow), &mut part)
        else {
            continue;
        };
        let mut prover = prover(subject, abstraction, plain, progress);
        if let Some(certificate) = prover.run(QUICK, &prover.all(), &mut part) {
            return Ok(certificate);
        }
        attempts.push(prover.abstraction);
    }
    let mut reasons = Vec::new();
    let count = attempts.len();
    for (place, abstraction) in attempts.into_iter().enumerate() {
        let mut part = budget.share(if place + 1 < count { 0.5 } else { 1.0 });
        let mut prover = prover(subject, abstraction, plain, progress);
        if let Some(certificate) = prover.run(THOROUGH, &prover.all(), &mut part) {
            return Ok(certificate);
        }
        reasons.extend(prover.abstraction.missing(effort, &mut part));
    }
    reasons.dedup();
    Err(reasons)
}

fn prover<'p, 'a>(
    subject: &'p Subject<'_>,
    abstraction: Abstraction<'p>,
    plain: bool,
    progress: &'a mut dyn FnMut(Progress),
) -> Prover<'p, 'a> {
    let effort = Effort::default();
    Prover {
        program: subject.program(),
        function: subject.claim().function,
        abstraction,
        plain,
        effort,
        template_effort: effort,
        loop_time: None,
        progress,
    }
}

impl Prover<'_, '_> {
    fn all(&self) -> Vec<usize> {
        (0..self.abstraction.abstract_loops().len()).collect()
    }
}
