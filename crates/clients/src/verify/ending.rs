//! Proves that every run ends: each loop gets an argument why it is left, supported by facts.
//!
//! An overflow of signed numbers is undefined, so that a loop that ends because a number wraps need not end. A proof that
//! there is no overflow settles that. If there may be one, every run must end whatever number an overflow gives; or it must
//! end on machines whose numbers wrap and, for the same reasons, if numbers have no bounds: then it is not wrapping that
//! ends it, nor does wrapping keep it from ending.

use base::Budget;
use certify::claimed::chains;
use certify::leaps::{Effort, Leaping};
use encoding::{Leaps, LooseEnd};
use engines::ranking;
use evidence::{Chains, Evidence, Manner, Place, Reason, Verdict};
use program::interpret::{Integers, ObligationSet};
use program::{FunctionId, Obligation, Program};

use super::Progress;
use super::leap::{DECIDED, encode_needing, manner};
use crate::Property;
use crate::confirm::{Proof, confirm};
use crate::refute::{Question, entry};
use crate::variance::{self, Domain};

/// The domains whose variance analyses are asked, in this order.
const DOMAINS: [Domain; 2] = [Domain::Octagon, Domain::Polyhedra];

/// What an overflow is taken to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Overflow {
    /// There is none, which is to be proved.
    None,
    /// It gives any number.
    Any,
    /// It wraps.
    Wraps,
}

/// Proves that every run of a program with recursion ends, from its chains of calls. An overflow may come after calls that
/// are not followed to their ends, so that every run must end whatever it gives.
pub(super) fn chained(
    program: &Program,
    question: &Question,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    let mut reasons = Vec::new();
    if question.property != Property::Termination {
        return Err(reasons);
    }
    let entry = entry(program, &question.function).map_err(|reason| vec![reason])?;
    for kept in [Chains::WithMemory, Chains::WithoutMemory] {
        let Some(one) = chains(program, entry, kept) else { continue };
        let part = share(budget, if kept == Chains::WithMemory { 0.5 } else { 1.0 });
        // Ranks of addresses rest on the limits of the address space, unless plainer ones are looked for.
        let plainly = kept == Chains::WithoutMemory;
        let way = Way { steps: 1, plainly, overflows: whatever(question.integers) };
        match endings_in(&one, question, way, &part, progress) {
            Ok(Verdict::Proved { evidence, manner }) => {
                return Ok(Verdict::Proved { evidence, manner: Manner { chains: Some(kept), ..manner } });
            }
            Ok(_) => {}
            Err(more) => reasons.extend(more),
        }
    }
    Err(reasons)
}

/// What an overflow is taken to do where nothing is proved of it.
const fn whatever(integers: Integers) -> &'static [Overflow] {
    match integers {
        Integers::Mathematical => &[Overflow::None],
        Integers::Machine => &[Overflow::Any],
    }
}

/// Proves that every run ends, or gives the reasons why it does not. A leap takes so many passes.
pub(super) fn endings(
    program: &Program,
    question: &Question,
    steps: u64,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    let overflows: &[Overflow] = match question.integers {
        Integers::Mathematical => &[Overflow::None],
        Integers::Machine => &[Overflow::None, Overflow::Any],
    };
    endings_in(program, question, Way { steps, plainly: false, overflows }, budget, progress)
}

/// Proves that every run ends though signed numbers may overflow: if they wrap, and for the same reasons if they have no
/// bounds.
pub(super) fn wrapping(
    program: &Program,
    question: &Question,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    if question.property != Property::Termination || question.integers != Integers::Machine {
        return Err(Vec::new());
    }
    let way = Way { steps: 1, plainly: true, overflows: &[Overflow::Wraps] };
    // That there may be an overflow is what was found before.
    let found = endings_in(program, question, way, budget, progress).map_err(|_| Vec::new())?;
    let Verdict::Proved { evidence, manner } = &found else { return Err(Vec::new()) };
    let Evidence::Loops(summaries) = &**evidence else { return Err(Vec::new()) };
    match confirm(program, question, &Proof::of(summaries, *manner), budget).verdict {
        Verdict::Proved { .. } => Ok(found),
        _ => Err(Vec::new()),
    }
}

/// How a program is looked at.
struct Way<'a> {
    /// How many passes a leap takes.
    steps: u64,
    /// Whether ranks are to be plain, for people.
    plainly: bool,
    overflows: &'a [Overflow],
}

fn endings_in(
    program: &Program,
    question: &Question,
    Way { steps, plainly, overflows }: Way<'_>,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    let function = entry(program, &question.function).map_err(|reason| vec![reason])?;
    let work = Work { program, question, function, steps, plainly, effort: Effort::default() };
    let proved = |evidence, overflow| {
        let mut manner = manner(work.leaps(overflow));
        if let Some(leaps) = &mut manner.leaps {
            leaps.wraps = overflow == Overflow::Wraps;
        }
        Ok(Verdict::Proved { evidence: Box::new(evidence), manner })
    };
    let mut attempts: Vec<Attempt<'_>> = Vec::new();
    // Many loops need no facts.
    for &overflow in overflows {
        let mut part = share(budget, 0.3);
        let Some(mut attempt) = work.attempt(overflow, &mut part) else { continue };
        work.rank(&mut attempt, &mut part);
        if let Some(evidence) = attempt.evidence {
            return proved(evidence, overflow);
        }
        attempts.push(attempt);
    }
    let mut reasons = Vec::new();
    let count = attempts.len();
    for (place, attempt) in attempts.iter_mut().enumerate() {
        let mut part = share(budget, if place + 1 < count { 0.5 } else { 1.0 });
        work.with_facts(attempt, &mut part, progress);
        if let Some(evidence) = attempt.evidence.take() {
            return proved(evidence, attempt.overflow);
        }
        reasons.extend(work.reasons(attempt, &mut part));
    }
    reasons.dedup();
    Err(reasons)
}

/// Proves that the only run of a program ends, if it has no other.
pub(super) fn only_run(program: &Program, question: &Question, budget: &Budget) -> Option<Verdict> {
    if question.property != Property::Termination {
        return None;
    }
    let function = entry(program, &question.function).ok()?;
    let run = certify::only_run::only_run(program, function, question.integers, &mut budget.clone())?;
    let manner = Manner { only_run: true, ..Manner::default() };
    Some(Verdict::Proved { evidence: Box::new(run.certificate.into_evidence()), manner })
}

fn share(budget: &Budget, share: f64) -> Budget {
    match budget.remaining_time() {
        Some(time) => budget.clone().within(time.mul_f64(share)),
        None => budget.clone(),
    }
}

/// What must hold besides.
pub(super) const fn needed(may_overflow: bool) -> ObligationSet {
    if may_overflow { ObligationSet::EMPTY } else { ObligationSet::EMPTY.with(Obligation::SignedOverflow) }
}

/// An attempt to prove that every run ends.
struct Attempt<'p> {
    leaping: Leaping<'p>,
    overflow: Overflow,
    /// The loops without an argument.
    open: Vec<usize>,
    evidence: Option<Evidence>,
}

struct Work<'p, 'a> {
    program: &'p Program,
    question: &'a Question,
    function: FunctionId,
    steps: u64,
    /// Whether ranks are to be plain, for people.
    plainly: bool,
    effort: Effort,
}

impl<'p> Work<'p, '_> {
    fn attempt(&self, overflow: Overflow, budget: &mut Budget) -> Option<Attempt<'p>> {
        let needed = needed(overflow != Overflow::None);
        let (program, question) = (self.program, self.question);
        let leaping =
            encode_needing(program, question, self.function, needed, self.leaps(overflow), budget).ok()?;
        let open = (0..leaping.leaps().len()).collect();
        Some(Attempt { leaping, overflow, open, evidence: None })
    }

    const fn leaps(&self, overflow: Overflow) -> Leaps {
        let any_overflow = matches!(overflow, Overflow::Any);
        Leaps { steps: self.steps, decided: DECIDED, any_overflow }
    }

    /// Looks for a rank of every loop that has none yet, and then for a proof.
    fn rank(&self, attempt: &mut Attempt<'p>, budget: &mut Budget) {
        let Attempt { leaping, open, evidence, .. } = attempt;
        let look = if self.plainly { ranking::rank_plainly } else { ranking::rank };
        open.retain(|&leap| !look(self.program, leaping, leap, self.effort, budget));
        if open.is_empty() && evidence.is_none() {
            let certificate = leaping.prove_termination(self.effort, budget);
            *evidence = certificate.map(|certificate| certificate.into_evidence());
        }
    }

    fn with_facts(&self, attempt: &mut Attempt<'p>, budget: &mut Budget, progress: &mut dyn FnMut(Progress)) {
        if attempt.evidence.is_some() {
            return;
        }
        let Attempt { leaping, open, .. } = attempt;
        for &leap in &*open {
            let mut part = share(budget, 0.1);
            ranking::floats::fit(self.program, leaping, leap, self.effort, &mut part);
        }
        let mut part = share(budget, 0.3);
        variance::argue(self.program, self.function, &mut attempt.leaping, &DOMAINS, self.effort, &mut part);
        self.rank(attempt, budget);
        if attempt.evidence.is_some() {
            return;
        }
        engines::summarise(self.program, &mut attempt.leaping, self.effort, budget, &mut |now| {
            progress(Progress::Summarising(now.done, now.all));
        });
        for &leap in &attempt.open {
            let found = ranking::rank(self.program, &mut attempt.leaping, leap, self.effort, budget);
            if !found {
                let leaping = &mut attempt.leaping;
                ranking::templates::fit(self.program, leaping, leap, self.effort, budget);
            }
        }
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
