//! All obligations on the runs that start in one function.
//!
//! ```text
//! quick runs ─► loops abstracted, invariants found ─► each VC: holds, or a counterexample ─► replayed ─► the worst of each place
//!                                            └─► ends of the encoding: what may come after them is unknown
//! if something is unknown then: all runs up to growing depths
//! ```
//!
//! *Proved* and *unreachable* are what the kernel certifies ([`Abstraction::obligations`]), and are meant as usual:
//! unless an earlier obligation fails. Everything starts as unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use base::{Budget, Location, Stop};
use certify::abstraction::after::After;
use certify::abstraction::obligations::{ObligationKey as Key, checks, statements_of};
use certify::abstraction::{Abstraction, Effort, Finding};
use certify::unrolling::SuspectInput;
use certify::{Claim, ObligationCertificate, Runs, Status, Subject, Verdict};
use encoding::{IncompletePath, Incompleteness};
use evidence::{Contract, Counterexample, Failure, Overflow, Place, ProofMode, Property, Reason};
use logic::Ignorance;
use program::interpret::ObligationSet;
use program::{FunctionId, Obligation, Program};

use super::Progress;
use super::abstract_trace::alarm;
use crate::refute::{self, Leads, Query, replay};
use crate::verify::unroll;

/// The steps of the quick runs at the start.
const QUICK: u64 = 5_000_000;

/// How many abstract counterexamples of a round are tried as runs.
const REPLAYS: usize = 40;

/// How many iterations the abstract loops take, from one try to the next, and the share of the time that is left for
/// each. Most of what can be proved is proved with one iteration.
const ROUNDS: [(u64, f64); 2] = [(1, 0.7), (2, 0.5)];

/// If more obligations are unknown, it is of no use to examine all runs up to some depth: that proves all or nothing,
/// and takes long in a program as large as that.
const MANY: usize = 100;

/// So many verification conditions are asked about together at first.
const TOGETHER: usize = 32;

/// How far conditions bring in others in the first queries that look into memory.
const CLOSE: [usize; 2] = [1, 2];

/// No query gets less time than this, however many are left.
const LEAST: Duration = Duration::from_millis(50);

/// Obligations that fail by being reached: that nothing comes after them is as it should be.
const CALLED: ObligationSet = ObligationSet::EMPTY
    .with(Obligation::Assertion)
    .with(Obligation::ReachError)
    .with(Obligation::Unreachable)
    .with(Obligation::Sequence)
    .with(Obligation::Leak);

/// What was found out about obligations, and whether it was asked for.
pub(crate) type Statuses = BTreeMap<Key, (Status, bool)>;

/// What was found out about the obligations on the runs from one function.
#[derive(Debug, Default)]
pub struct Examined {
    /// What was found out, and whether it was asked for.
    pub(super) statuses: Statuses,
    /// The functions that the encoding comes to: it speaks of all their checks.
    pub(super) visited: BTreeSet<FunctionId>,
    /// What hides what comes after it, and what that is.
    pub(super) hidden: Vec<(Reason, After)>,
    /// Obligations that hold on no path as far as anybody knows, and what comes after them.
    pub(super) behind: Vec<(Reason, After)>,
    /// Why there is no answer about the function as a whole.
    pub(super) failed: Option<Reason>,
    /// What the function requires of its callers.
    pub(super) contract: Option<Contract>,
}

impl Examined {
    /// Nothing can be said of a function, nor of what it calls.
    pub(super) fn failed(program: &Program, query: &Query, root: FunctionId, reason: Reason) -> Self {
        let mut examined = Self { visited: BTreeSet::from([root]), ..Self::default() };
        for (key, _) in checks(program, root, query.property.obligations()) {
            let status = Status::Unknown { reason: reason.clone() };
            examined.statuses.insert(key, (status, true));
        }
        examined.hidden.push((reason.clone(), After::entries(program, [root])));
        examined.failed = Some(reason);
        examined
    }
}

/// Examines all obligations on the runs that start in a function.
pub(super) fn examine(
    program: &Program,
    query: &Query,
    root: FunctionId,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Examined {
    let claim = Claim { function: root, property: query.property, integers: query.integers };
    examine_runs(program, &Subject::of(program, claim), query, budget, progress)
}

/// Examines all obligations on the calls of a function that meet a contract.
pub(super) fn examine_calls(
    contract: Contract,
    subject: &Subject<'_>,
    kinds: ObligationSet,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Examined {
    let (program, Claim { function: caller, integers, .. }) = (subject.program(), subject.claim());
    let function = program.functions[caller].name.clone();
    let query = Query { property: Property::Obligations(kinds), function, integers };
    let mut examined = examine_runs(program, subject, &query, budget, progress);
    // The function that makes the calls stands in no source.
    examined.statuses.retain(|(function, ..), _| *function != caller);
    examined.visited.remove(&caller);
    Examined { contract: Some(contract), ..examined }
}

/// What is known of the obligations on the runs of a subject, and why what else there is may not be known.
pub(crate) fn examine_subject(
    subject: &Subject<'_>,
    query: &Query,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> (Statuses, Vec<Reason>) {
    let Examined { statuses, hidden, failed, .. } =
        examine_runs(subject.program(), subject, query, budget, progress);
    (statuses, hidden.into_iter().map(|(reason, _)| reason).chain(failed).collect())
}

fn examine_runs(
    program: &Program,
    subject: &Subject<'_>,
    query: &Query,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Examined {
    let root = subject.claim().function;
    let mut work = Examiner {
        program,
        subject,
        query,
        root,
        budget: budget.clone(),
        abstract_traces: Vec::new(),
        runs: Vec::new(),
    };
    work.quick_runs();
    let mut examined: Option<Examined> = None;
    for (steps, share) in ROUNDS {
        let mut part = work.budget.share(share);
        let round = match work.round(steps, &mut part, progress) {
            Ok(round) => round,
            Err(stop) if examined.is_none() => {
                let reason = Reason::Budget { stop };
                examined = Some(Examined::failed(program, query, root, reason));
                break;
            }
            Err(_) => break,
        };
        work.try_abstract_traces();
        let Some(first) = &mut examined else {
            examined = Some(round);
            continue;
        };
        improve(first, round);
        if first.statuses.values().all(|(status, _)| !may_improve(status)) {
            break;
        }
    }
    let mut examined = examined.unwrap_or_default();
    work.unroll(&mut examined);
    work.add_runs(&mut examined);
    examined
}

/// Whether abstraction of more iterations can say more.
fn may_improve(status: &Status) -> bool {
    matches!(status, Status::Unknown { reason: Reason::Alarm { .. } | Reason::Budget { .. } })
}

/// Takes over what another round has proved.
fn improve(first: &mut Examined, round: Examined) {
    for (key, (status, _)) in round.statuses {
        if let Some((known, _)) = first.statuses.get_mut(&key)
            && may_improve(known)
            && status.holds()
        {
            *known = status;
        }
    }
}

struct Examiner<'a> {
    program: &'a Program,
    /// The runs that proofs speak of.
    subject: &'a Subject<'a>,
    query: &'a Query,
    root: FunctionId,
    budget: Budget,
    /// The obligations that abstract counterexamples violate, and the inputs of the abstract counterexamples, which are
    /// still to be tried as runs.
    abstract_traces: Vec<(Key, Vec<SuspectInput>)>,
    /// The runs that violate something.
    runs: Vec<Counterexample>,
}

impl Examiner<'_> {
    fn quick_runs(&mut self) {
        let part = self.budget.part(QUICK).share(0.1);
        if let Verdict::Refuted { counterexample } =
            refute::refute(self.program, self.query, &part, &mut |_| {})
        {
            self.runs.push(*counterexample);
        }
    }

    /// Tries abstract counterexamples as runs. That waits until all verification conditions are examined: a run may
    /// take long.
    fn try_abstract_traces(&mut self) {
        let budget = self.budget.share(0.3);
        for (key, inputs) in std::mem::take(&mut self.abstract_traces) {
            let part = budget.share(0.2);
            if part.remaining_time().is_some_and(|time| time.is_zero()) {
                return;
            }
            if !self.runs.iter().any(|run| self.shows(run, key)) {
                let run = replay(self.program, self.query, self.root, &inputs, &part);
                self.runs.extend(run.ok());
            }
        }
    }

    /// Examines all runs up to growing depths if something is still unknown: that may prove it all, or show a run.
    fn unroll(&mut self, examined: &mut Examined) {
        let open = |status: &Status| matches!(status, Status::Unknown { .. });
        let count = examined.statuses.values().filter(|(status, _)| open(status)).count();
        if count == 0 || count > MANY {
            return;
        }
        let (budget, mut leads) = (self.budget.share(0.9), Leads::default());
        match unroll(self.program, self.query, &budget, &mut leads, &mut |_| {}) {
            // It would speak of the program with a caller.
            Ok(Verdict::Proved(_)) if self.subject.runs() != Runs::OfProgram => {}
            Ok(Verdict::Proved(certificate)) => {
                examined.statuses.retain(|_, (_, asked)| *asked);
                for (&key, (status, _)) in &mut examined.statuses {
                    let is_seen = |reason: &Reason| *reason != unseen(self.program, key);
                    if matches!(status, Status::Unknown { reason } if is_seen(reason))
                        && let Some(certificate) = ObligationCertificate::by_program(&certificate, key.2)
                    {
                        *status = Status::from(certificate);
                    }
                }
                examined.hidden.clear();
                examined.failed = None;
            }
            Ok(Verdict::Refuted { counterexample }) => self.runs.push(*counterexample),
            _ => {}
        }
    }

    fn round(
        &mut self,
        steps: u64,
        budget: &mut Budget,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Examined, Stop> {
        let mut abstraction =
            Abstraction::new(self.subject, ProofMode::abstraction(steps, Overflow::Wraps), budget)?;
        let effort = Effort::default();
        // Time must be left to examine the obligations.
        let mut part = budget.share(0.5);
        engines::summarise(self.program, &mut abstraction, effort, &mut part, &mut |now| {
            progress(Progress::Summarising(now.done, now.all));
        });
        let examined = Examined::default();
        let mut round = Round { work: self, abstraction, effort, budget, examined, held: Vec::new() };
        round.ends();
        round.vcs(progress);
        round.certified();
        let mut examined = round.examined;
        hide(self.program, &mut examined.statuses, &examined.hidden);
        hide(self.program, &mut examined.statuses, &examined.behind);
        // What nobody asked for is of interest only if it may fail.
        examined.statuses.retain(|_, (status, asked)| *asked || !status.holds());
        Ok(examined)
    }

    /// Whether a run violates this obligation.
    fn shows(&self, run: &Counterexample, key: Key) -> bool {
        violation_key(self.program, run) == Some(key)
    }

    /// Says what runs have shown.
    fn add_runs(&mut self, examined: &mut Examined) {
        for run in std::mem::take(&mut self.runs) {
            if let Some(key) = violation_key(self.program, &run) {
                add(&mut examined.statuses, key, Status::Refuted { counterexample: Box::new(run) }, true);
            }
        }
    }
}

/// A round: the program with its loops abstracted, and what is found out about it.
struct Round<'w, 'a> {
    work: &'w mut Examiner<'a>,
    abstraction: Abstraction<'w>,
    effort: Effort,
    budget: &'w mut Budget,
    examined: Examined,
    /// The verification conditions that hold.
    held: Vec<usize>,
}

impl Round<'_, '_> {
    /// The ends of the encoding that control may come to.
    fn ends(&mut self) {
        for (end, after) in self.abstraction.after_ends(self.effort, self.budget) {
            let found = (reason(self.work.program, &self.abstraction.incomplete_paths()[end]), after);
            if !self.examined.hidden.contains(&found) {
                self.examined.hidden.push(found);
            }
        }
    }

    /// What the kernel certifies of the checks in the functions that the encoding comes to. What it does not is unknown.
    fn certified(&mut self) {
        let (program, round) = (self.work.program, &mut self.examined);
        let encoder = self.abstraction.encoder();
        let kinds = self.work.query.property.obligations();
        round.visited = encoder.reached.keys().map(|&(function, _)| function).collect();
        let certified = self.abstraction.obligations(kinds, self.effort, self.budget);
        let encoder = self.abstraction.encoder();
        for (key, certificate) in certified {
            let status = match certificate {
                Some(certificate) => Status::from(certificate),
                None if round.statuses.contains_key(&key) => continue,
                None => {
                    let undecided = || match encoder.required.contains_key(&key) {
                        true => Reason::Undecided { place: Place::of(program, key.1) },
                        false => unseen(program, key),
                    };
                    let known =
                        hiding(program, &round.hidden, key).or_else(|| hiding(program, &round.behind, key));
                    Status::Unknown { reason: known.cloned().unwrap_or_else(undecided) }
                }
            };
            add(&mut round.statuses, key, status, true);
        }
    }

    /// Examines all verification conditions, many at once as long as the solver knows. The time is shared among the
    /// queries that are left, so that a hard one does not keep the others waiting; those that got too little are asked
    /// once more.
    fn vcs(&mut self, progress: &mut dyn FnMut(Progress)) {
        let vcs = self.close();
        let all = self.held.len() + vcs.len();
        let mut chunks: Vec<Vec<usize>> = vcs.chunks(TOGETHER).rev().map(<[usize]>::to_vec).collect();
        let mut postponed: Vec<usize> = Vec::new();
        while let Some(mut chunk) = chunks.pop() {
            chunk.retain(|&vc| !self.is_alarm(vc));
            if chunk.is_empty() {
                continue;
            }
            progress(Progress::Examining(self.held.len(), all));
            if self.budget.spend(0).is_err() {
                postponed.extend(chunk);
                continue;
            }
            let share = self.fair(chunks.len() + postponed.len() + 2);
            match self.abstraction.violated(&chunk, share, self.budget) {
                Ok(violated) if violated.is_empty() => self.held.extend(chunk),
                Ok(violated) => {
                    violated.iter().for_each(|&vc| self.violated(vc, share));
                    chunks.push(chunk.into_iter().filter(|vc| !violated.contains(vc)).collect());
                }
                // A smaller query may know more.
                Err(_) if chunk.len() > 1 => {
                    let (first, second) = chunk.split_at(chunk.len() / 2);
                    chunks.extend([second.to_vec(), first.to_vec()]);
                }
                Err(_) => postponed.push(chunk[0]),
            }
        }
        let count = postponed.len();
        for (place, vc) in postponed.into_iter().enumerate() {
            let share = self.fair(count - place);
            self.violated(vc, share);
        }
    }

    /// Finds the verification conditions that hold for reasons close by: first those that hold whatever memory contains,
    /// then small queries; together and then one by one. Gives the others.
    fn close(&mut self) -> Vec<usize> {
        let mut others: Vec<usize> = (0..self.abstraction.vcs().len()).collect();
        for rounds in [None].into_iter().chain(CLOSE.map(Some)) {
            let mut left = Vec::new();
            let count = others.len().div_ceil(TOGETHER);
            for (place, chunk) in others.chunks(TOGETHER).enumerate() {
                let share = self.fair(4 * (count - place));
                if self.hold(chunk, rounds, share) {
                    self.held.extend(chunk);
                    continue;
                }
                let alone = Effort { time: LEAST, ..self.effort };
                for &vc in chunk {
                    let holds = self.hold(&[vc], rounds, alone);
                    if holds { &mut self.held } else { &mut left }.push(vc);
                }
            }
            others = left;
        }
        others
    }

    /// Whether verification conditions hold for reasons so close by, or whatever memory contains.
    fn hold(&mut self, vcs: &[usize], rounds: Option<usize>, effort: Effort) -> bool {
        match rounds {
            Some(rounds) => self.abstraction.hold_closely(vcs, rounds, effort, self.budget),
            None => self.abstraction.hold_without_memory(vcs, effort, self.budget),
        }
    }

    /// The effort for one of so many queries that the time that is left is for.
    fn fair(&self, queries: usize) -> Effort {
        let effort = self.effort;
        let left = self.budget.remaining_time();
        let time = left.map_or(effort.time, |time| time.div_f64(queries.max(1) as f64));
        Effort { time: time.max(LEAST).min(effort.time), ..effort }
    }

    /// Whether an obligation is known to be violated by some abstract counterexample.
    fn is_alarm(&self, vc: usize) -> bool {
        let status = self.examined.statuses.get(&self.abstraction.key(vc));
        matches!(status, Some((Status::Unknown { reason: Reason::Alarm { .. } }, _)))
    }

    /// Examines one verification condition that may be violated.
    fn violated(&mut self, vc: usize, effort: Effort) {
        let is_alarm = self.is_alarm(vc);
        let Self { work, abstraction, budget, .. } = self;
        if is_alarm {
            if abstraction.may_be_outside(vc, effort, budget) {
                self.note_behind(vc);
            }
            return;
        }
        let reason = match abstraction.examine(vc, effort, budget) {
            Finding::Holds => return self.held.push(vc),
            Finding::Violated(abstract_trace) => {
                if work.abstract_traces.len() < REPLAYS {
                    work.abstract_traces.push((abstraction.key(vc), abstract_trace.inputs.clone()));
                }
                let is_behind = !abstraction.goes_on(vc, effort, budget)
                    || abstraction.may_be_outside(vc, effort, budget);
                let alarm = alarm(work.program, abstraction, work.root, vc, &abstract_trace);
                if is_behind {
                    self.note_behind(vc);
                }
                Reason::Alarm { alarm: Box::new(alarm) }
            }
            Finding::NotKnown(why) => {
                let is_behind = abstraction.may_be_outside(vc, effort, budget);
                let place = Place::of(work.program, abstraction.vcs()[vc].location);
                let reason = match (why, budget.spend(0)) {
                    (_, Err(stop)) => Reason::Budget { stop },
                    (Ignorance::Stopped(_), _) => Reason::Undecided { place },
                    (other, _) => Reason::Unsupported { construct: other.to_string(), place },
                };
                if is_behind {
                    self.note_behind(vc);
                }
                reason
            }
        };
        let (key, asked) = (self.abstraction.key(vc), self.abstraction.vcs()[vc].asked);
        add(&mut self.examined.statuses, key, Status::Unknown { reason }, asked);
    }

    /// Control never goes on after a verification condition, or not on all runs on which it could: it is not known what
    /// comes after it.
    fn note_behind(&mut self, vc: usize) {
        let vc = &self.abstraction.vcs()[vc];
        if vc.stack.is_empty() || CALLED.contains(vc.obligation) {
            return;
        }
        let place = Place::of(self.work.program, vc.location);
        let reason = Reason::Behind { obligation: vc.obligation, place };
        self.examined.behind.push((reason, After::place(self.work.program, &vc.stack)));
    }
}

/// What may come after some ends is unknown.
pub(super) fn hide(program: &Program, statuses: &mut Statuses, ends: &[(Reason, After)]) {
    if ends.is_empty() {
        return;
    }
    for (&key, (status, _)) in statuses {
        if status.holds()
            && let Some(reason) = hiding(program, ends, key)
        {
            *status = Status::Unknown { reason: reason.clone() };
        }
    }
}

/// Adds what was found out about an instance of an obligation: the worst counts.
pub(super) fn add(statuses: &mut Statuses, key: Key, status: Status, asked: bool) {
    let worst = match statuses.remove(&key) {
        Some((known, was_asked)) => (known.worse(status), was_asked || asked),
        None => (status, asked),
    };
    statuses.insert(key, worst);
}

/// Why nothing can be said about an obligation, if it may come after something that is not followed.
pub(super) fn hiding<'a>(
    program: &Program,
    hidden: impl IntoIterator<Item = &'a (Reason, After)>,
    key: Key,
) -> Option<&'a Reason> {
    let function = key.0;
    let places = statements_of(program, key);
    let comes_after = |after: &After| match places.is_empty() {
        true => after.touches(function),
        false => places.iter().any(|&(block, statement)| after.contains(function, block, statement)),
    };
    hidden.into_iter().find(|(_, after)| comes_after(after)).map(|(reason, _)| reason)
}

/// The obligation that a run violates.
fn violation_key(program: &Program, run: &Counterexample) -> Option<Key> {
    let Failure::Violation { obligation, place, stack, .. } = &run.failure else { return None };
    let function = match stack.first() {
        Some((name, _)) => program.function_named(name)?,
        None => program.function_named(&run.entry)?,
    };
    let location = match place {
        Some(Place { file, line, column }) => {
            let (file, _) = program.files.iter().find(|(_, name)| *name == file)?;
            Location::new(file, *line, *column)
        }
        None => Location::unknown(),
    };
    Some((function, location, *obligation))
}

/// That the encoding has no word about a check.
fn unseen(program: &Program, (_, location, _): Key) -> Reason {
    let construct = String::from("a check that has no formula");
    Reason::Unsupported { construct, place: Place::of(program, location) }
}

/// An end of the encoding as a reason.
fn reason(program: &Program, end: &IncompletePath) -> Reason {
    let place = Place::of(program, end.location);
    match &end.reason {
        Incompleteness::Unsupported(construct) => Reason::Unsupported { construct: construct.clone(), place },
        Incompleteness::Loop => Reason::Unfinished { what: String::from("a loop"), iterations: 0, place },
        Incompleteness::Recursion => {
            Reason::Unfinished { what: String::from("a recursion"), iterations: 2, place }
        }
    }
}
