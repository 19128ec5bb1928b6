//! Proves that every run ends: each loop gets an argument why it is left, supported by facts.
//!
//! An overflow of signed numbers is undefined, so that a loop that ends because a number wraps need not end. A proof that
//! there is no overflow settles that. If there may be one, two proofs are asked for: that every run ends if numbers wrap, and
//! that every run ends if they have no limits. Then it ends whatever an overflow does to a number, and also if it stops
//! the program.

use base::Budget;
use certify::leaps::{Effort, Leaping};
use encoding::LooseEnd;
use evidence::{Evidence, Place, Reason, Verdict};
use program::interpret::{Integers, ObligationSet};
use program::{FunctionId, Obligation, Program};

use super::Progress;
use super::leap::encode_needing;
use crate::refute::{Question, entry};

/// What an overflow is taken to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    /// There is none, which is to be proved.
    None,
    /// The number wraps.
    Wraps,
    /// The number has no limits.
    Unlimited,
}

/// Proves that every run ends, or gives the reasons why it does not. A leap takes so many passes.
pub(super) fn endings(
    program: &Program,
    question: &Question,
    steps: u64,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    let function = entry(program, &question.function).map_err(|reason| vec![reason])?;
    let mut work = Work { program, question, function, steps, effort: Effort::default() };
    // Each group is a proof if all readings in it are: the first one that is done counts.
    let groups: &[&[Reading]] = match question.integers {
        Integers::Mathematical => &[&[Reading::Unlimited]],
        Integers::Machine => &[&[Reading::None], &[Reading::Unlimited, Reading::Wraps]],
    };
    let mut attempts: Vec<Vec<Attempt<'_>>> = Vec::new();
    // Many loops need no facts.
    for group in groups {
        let mut part = share(budget, 0.3);
        let (attempts_of_group, proved) = work.quickly(group, &mut part);
        if proved && let Some(evidence) = evidence(&attempts_of_group) {
            return Ok(Verdict::Proved { evidence: Box::new(evidence) });
        }
        attempts.push(attempts_of_group);
    }
    let mut reasons = Vec::new();
    for (group, mut attempts) in groups.iter().zip(attempts) {
        let mut part = share(budget, if groups.len() > 1 { 0.5 } else { 1.0 });
        while attempts.len() < group.len() {
            let Some(next) = work.attempt(group[attempts.len()], &mut part) else { break };
            attempts.push(next);
        }
        for attempt in &mut attempts {
            work.with_facts(attempt, &mut part, progress);
            if attempt.evidence.is_none() {
                break;
            }
        }
        if attempts.len() == group.len()
            && let Some(evidence) = evidence(&attempts)
        {
            return Ok(Verdict::Proved { evidence: Box::new(evidence) });
        }
        if let Some(attempt) = attempts.iter_mut().find(|attempt| attempt.evidence.is_none()) {
            reasons.extend(work.reasons(attempt, &mut part));
        }
    }
    reasons.dedup();
    Err(reasons)
}

fn share(budget: &Budget, share: f64) -> Budget {
    match budget.remaining_time() {
        Some(time) => budget.clone().within(time.mul_f64(share)),
        None => budget.clone(),
    }
}

/// The evidence of several proofs: that of the last, if all are done.
fn evidence(attempts: &[Attempt<'_>]) -> Option<Evidence> {
    let all: Option<Vec<&Evidence>> = attempts.iter().map(|attempt| attempt.evidence.as_ref()).collect();
    all?.last().copied().cloned()
}

/// An attempt to prove that every run ends.
struct Attempt<'p> {
    leaping: Leaping<'p>,
    /// The loops without an argument.
    open: Vec<usize>,
    evidence: Option<Evidence>,
}

struct Work<'p, 'a> {
    program: &'p Program,
    question: &'a Question,
    function: FunctionId,
    steps: u64,
    effort: Effort,
}

impl<'p> Work<'p, '_> {
    /// Attempts the proofs of a group without facts, and says whether all are done. The first that is not ends it.
    fn quickly(&mut self, group: &[Reading], budget: &mut Budget) -> (Vec<Attempt<'p>>, bool) {
        let mut attempts = Vec::new();
        for &reading in group {
            let Some(mut attempt) = self.attempt(reading, budget) else { return (attempts, false) };
            self.rank(&mut attempt, budget);
            let is_done = attempt.evidence.is_some();
            attempts.push(attempt);
            if !is_done {
                return (attempts, false);
            }
        }
        (attempts, true)
    }

    fn attempt(&self, reading: Reading, budget: &mut Budget) -> Option<Attempt<'p>> {
        let needed = match reading {
            Reading::None => ObligationSet::EMPTY.with(Obligation::SignedOverflow),
            Reading::Wraps | Reading::Unlimited => ObligationSet::EMPTY,
        };
        let integers = if reading == Reading::Unlimited { Integers::Mathematical } else { Integers::Machine };
        let question = Question { integers, ..self.question.clone() };
        let leaping =
            encode_needing(self.program, &question, self.function, self.steps, needed, budget).ok()?;
        let open = (0..leaping.leaps().len()).collect();
        Some(Attempt { leaping, open, evidence: None })
    }

    /// Looks for a rank of every loop that has none yet, and then for a proof.
    fn rank(&self, attempt: &mut Attempt<'p>, budget: &mut Budget) {
        let Attempt { leaping, open, evidence } = attempt;
        open.retain(|&leap| !engines::ranking::rank(self.program, leaping, leap, self.effort, budget));
        if open.is_empty() && evidence.is_none() {
            let certificate = leaping.prove_termination(self.effort, budget);
            *evidence = certificate.map(|certificate| certificate.into_evidence());
        }
    }

    fn with_facts(&self, attempt: &mut Attempt<'p>, budget: &mut Budget, progress: &mut dyn FnMut(Progress)) {
        if attempt.evidence.is_some() {
            return;
        }
        engines::summarise(self.program, &mut attempt.leaping, self.effort, budget, &mut |now| {
            progress(Progress::Summarising(now.done, now.all));
        });
        self.rank(attempt, budget);
    }

    /// Why an attempt is no proof.
    fn reasons(&self, attempt: &mut Attempt<'p>, budget: &mut Budget) -> Vec<Reason> {
        let place = |location| Place::of(self.program, location);
        let leaping = &mut attempt.leaping;
        let mut reasons: Vec<Reason> = Vec::new();
        for &leap in &attempt.open {
            let location = leaping.leaps()[leap].location;
            let reason = Reason::NoRank { place: place(location) };
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        if let Ok(Some((end, location, _))) = leaping.open_end(self.effort, budget) {
            let place = place(location);
            let unfinished = |what: &str, passes| Reason::Unfinished {
                what: what.to_owned(),
                passes,
                place: place.clone(),
            };
            reasons.push(match end {
                LooseEnd::Loop => unfinished("a loop", 0),
                LooseEnd::Recursion => unfinished("a recursion", 2),
                LooseEnd::Unsupported(construct) => Reason::Unsupported { construct, place },
            });
        }
        let demands: Vec<usize> = (0..leaping.demands().len()).collect();
        if let Ok(violated) = leaping.violated(&demands, self.effort, budget)
            && let Some(&demand) = violated.first()
        {
            let demand = &leaping.demands()[demand];
            reasons.push(Reason::Undefined { obligation: demand.obligation, place: place(demand.location) });
        }
        reasons
    }
}
