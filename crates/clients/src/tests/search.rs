//! Targets that no guess has reached: models of the program with its loops abstracted or unrolled, tried as runs.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use base::{Budget, Index, Stop};
use certify::abstraction::{AbstractStep, AbstractTrace, Abstraction, Effort, Finding, Obstacle};
use certify::{Claim, Subject};
use encoding::Incompleteness;
use evidence::{Overflow, Place, ProofMode, Property, Reason};
use program::interpret::ObligationSet;
use program::{MarkId, Program};

use super::collect::Collection;
use super::stubs::stand_in;
use super::targets::{Spot, marked};
use super::{Method, Progress};
use crate::refute::{Query, entry};

/// How many steps a run on suggested inputs may take: behind deep loops is far away.
const STEPS: u64 = 2_000_000_000;

/// How many models are tried for a target in one encoding.
const TRIED: usize = 4;

/// No loop is unrolled further.
const DEEPEST: u64 = 1 << 24;

/// The share of a stage's time in which invariants are looked for.
const SUMMARISING: f64 = 0.6;

/// What is known of a target that no run has reached.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum State {
    /// The kernel has proved that no run comes to it.
    Unreachable,
    /// It is not known, for this reason.
    Open(Reason),
}

/// How a program is encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Encoding {
    /// Loops are abstracted, with so many iterations at once. A run ends where signed arithmetic overflows, so that
    /// models should not have any; but that no path has one is often harder to prove than that none comes to a target.
    Abstraction { steps: u64, overflow: Overflow },
    /// The same, with unproved invariants: it takes little time, and a run tells whether a model is right. Nothing is
    /// proved by it.
    Supposing { steps: u64 },
    /// Loops are followed for so many iterations.
    Unrolled { iterations: u64 },
}

/// What is tried, and the share of the time that is left for it.
const STAGES: [(Encoding, f64); 11] = [
    (Encoding::Unrolled { iterations: 2 }, 0.2),
    (Encoding::Supposing { steps: 1 }, 0.2),
    (Encoding::Supposing { steps: 2 }, 0.2),
    (Encoding::Abstraction { steps: 1, overflow: Overflow::Excluded }, 0.4),
    (Encoding::Abstraction { steps: 1, overflow: Overflow::Wraps }, 0.3),
    (Encoding::Unrolled { iterations: 8 }, 0.3),
    (Encoding::Abstraction { steps: 2, overflow: Overflow::Excluded }, 0.4),
    (Encoding::Unrolled { iterations: 32 }, 0.4),
    (Encoding::Abstraction { steps: 3, overflow: Overflow::Excluded }, 0.5),
    (Encoding::Unrolled { iterations: 128 }, 0.7),
    (Encoding::Unrolled { iterations: 1024 }, 1.0),
];

/// The search for inputs of all targets that are open.
pub(super) struct Search<'a, 'c> {
    program: &'a Program,
    spots: &'a [Spot],
    /// Functions that tests stand in for.
    stubs: &'a BTreeSet<String>,
    query: &'a Query,
    collection: &'a mut Collection<'c>,
    states: Vec<State>,
    effort: Effort,
}

/// What an encoding says of a target.
enum Found {
    /// A run reaches it.
    Reached,
    /// No path of the encoding comes to it.
    Held,
    /// It is not known.
    Open(Reason),
}

impl<'a, 'c> Search<'a, 'c> {
    pub fn new(
        program: &'a Program,
        spots: &'a [Spot],
        stubs: &'a BTreeSet<String>,
        query: &'a Query,
        collection: &'a mut Collection<'c>,
    ) -> Self {
        let open = State::Open(Reason::NoRun { place: None });
        let states = vec![open; spots.len()];
        Self { program, spots, stubs, query, collection, states, effort: Effort::default() }
    }

    /// Tries one encoding after the other until no target is open or the time is up.
    pub fn run(&mut self, method: Method, budget: &Budget, progress: &mut dyn FnMut(Progress)) {
        match method {
            Method::All => {
                for (encoding, share) in STAGES {
                    if self.stage(encoding, &mut budget.share(share), progress).is_break() {
                        break;
                    }
                }
            }
            Method::Unrolling => {
                let mut iterations = 1;
                while iterations <= DEEPEST {
                    let encoding = Encoding::Unrolled { iterations };
                    if self.stage(encoding, &mut budget.clone(), progress).is_break() {
                        break;
                    }
                    iterations *= 2;
                }
            }
        }
        if let Err(stop) = budget.clone().spend(0) {
            for target in self.open() {
                self.states[target] = State::Open(Reason::Budget { stop });
            }
        }
    }

    /// What is known of each target that no run reaches.
    pub fn states(self) -> Vec<State> {
        self.states
    }
}

/// One encoding.
impl Search<'_, '_> {
    /// The targets that no run has reached and that may be reachable.
    fn open(&self) -> Vec<usize> {
        let is_open = |target: &usize| {
            !self.collection.is_reached(*target) && matches!(self.states[*target], State::Open(_))
        };
        (0..self.spots.len()).filter(is_open).collect()
    }

    /// Encodes the program once and asks for all open targets. Breaks if nothing is left to do.
    fn stage(
        &mut self,
        encoding: Encoding,
        budget: &mut Budget,
        progress: &mut dyn FnMut(Progress),
    ) -> ControlFlow<()> {
        let open = self.open();
        if open.is_empty() || budget.spend(0).is_err() {
            return ControlFlow::Break(());
        }
        let mut program = marked(self.program, self.spots, |target| open.contains(&target));
        // Proofs are made without anybody standing in for functions; so one encoding at least must be.
        let is_whole = self.stubs.is_empty()
            || matches!(encoding, Encoding::Abstraction { overflow: Overflow::Wraps, .. });
        if !is_whole {
            stand_in(&mut program, self.stubs);
        }
        program::passes::simplify(&mut program);
        let Ok(subject) = self.subject(&program) else { return ControlFlow::Continue(()) };
        let encoded = self.encode(&subject, encoding, budget, progress);
        let Ok(mut abstraction) = encoded else { return ControlFlow::Continue(()) };
        let again = match encoding {
            Encoding::Abstraction { steps, .. } => steps > 1,
            Encoding::Supposing { .. } => true,
            Encoding::Unrolled { .. } => false,
        };
        if again && abstraction.abstract_loops().is_empty() {
            // Without loops every encoding is the same.
            return ControlFlow::Continue(());
        }
        let held = self.targets(&program, &mut abstraction, budget, progress);
        if !held.is_empty() {
            let state = match self.stubs.first().filter(|_| !is_whole) {
                None => self.settle(&program, &mut abstraction, &held, budget),
                Some(name) => {
                    let what = format!("{name}, an undefined function");
                    State::Open(Reason::Imprecise { what, place: None })
                }
            };
            for target in held {
                // What is known of the whole program tells more.
                if is_whole || self.states[target] == State::Open(Reason::NoRun { place: None }) {
                    self.states[target] = state.clone();
                }
            }
        }
        if matches!(encoding, Encoding::Abstraction { overflow: Overflow::Excluded, .. })
            && !self.open().is_empty()
        {
            // What the kernel could not prove may be true all the same.
            let supposed = engines::equations(&program, &mut abstraction, budget);
            if !supposed.is_empty() {
                abstraction.suppose(&supposed);
                self.targets(&program, &mut abstraction, budget, progress);
            }
        }
        ControlFlow::Continue(())
    }

    /// Asks an encoding for all open targets. Gives those to which no path of it comes.
    fn targets(
        &mut self,
        program: &Program,
        abstraction: &mut Abstraction<'_>,
        budget: &mut Budget,
        progress: &mut dyn FnMut(Progress),
    ) -> Vec<usize> {
        let open = self.open();
        let mut held = Vec::new();
        for (done, &target) in open.iter().enumerate() {
            progress(Progress::Settled(self.spots.len() - open.len() + done, self.spots.len()));
            if budget.spend(0).is_err() {
                break;
            }
            if self.collection.is_reached(target) {
                continue;
            }
            match self.target(program, abstraction, target, budget) {
                Found::Reached => {}
                Found::Held => held.push(target),
                Found::Open(reason) => self.states[target] = State::Open(reason),
            }
        }
        held
    }

    /// All runs of a program, of which nothing is claimed but which marks they come by.
    fn subject<'p>(&self, program: &'p Program) -> Result<Subject<'p>, Stop> {
        let Ok(function) = entry(program, &self.query.function) else { return Err(Stop::Steps) };
        // A failed assertion ends a run only if what it calls does not return: the program says so itself.
        let property = Property::Obligations(ObligationSet::EMPTY);
        let claim = Claim { function, property, integers: self.query.integers };
        Ok(Subject::of(program, claim))
    }

    /// The program with its loops abstracted, and with invariants of them, or unrolled.
    fn encode<'p>(
        &self,
        subject: &'p Subject<'_>,
        encoding: Encoding,
        budget: &mut Budget,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Abstraction<'p>, Stop> {
        let program = subject.program();
        match encoding {
            Encoding::Unrolled { iterations } => {
                progress(Progress::Unrolling(iterations));
                Abstraction::new(subject, ProofMode::unrolled(iterations, Overflow::Excluded), budget)
            }
            Encoding::Supposing { steps } | Encoding::Abstraction { steps, .. } => {
                let overflow = match encoding {
                    Encoding::Abstraction { overflow, .. } => overflow,
                    _ => Overflow::Excluded,
                };
                let mut abstraction =
                    Abstraction::new(subject, ProofMode::abstraction(steps, overflow), budget)?;
                if matches!(encoding, Encoding::Supposing { .. }) {
                    let supposed = engines::equations(program, &mut abstraction, budget);
                    abstraction.suppose(&supposed);
                    return Ok(abstraction);
                }
                let mut part = budget.share(SUMMARISING);
                engines::summarise(program, &mut abstraction, self.effort, &mut part, &mut |now| {
                    progress(Progress::Summarising(now.done, now.all));
                });
                Ok(abstraction)
            }
        }
    }

    /// Asks an encoding for a target.
    fn target(
        &mut self,
        program: &Program,
        abstraction: &mut Abstraction<'_>,
        target: usize,
        budget: &mut Budget,
    ) -> Found {
        let mut instances = abstraction.iterations(MarkId::new(target));
        let undecided = Reason::Undecided { place: Place::of(program, self.spots[target].location) };
        let mut reason = None;
        for _ in 0..TRIED {
            let Ok(violated) = abstraction.violated(&instances, self.effort, budget) else {
                return Found::Open(undecided);
            };
            let Some(&instance) = violated.first() else {
                return reason.map_or(Found::Held, Found::Open);
            };
            instances.retain(|other| *other != instance);
            match abstraction.examine(instance, self.effort, budget) {
                Finding::Holds => {}
                Finding::NotKnown(_) => reason = Some(undecided.clone()),
                Finding::Violated(abstract_trace) => {
                    self.collection.follow(self.query, &abstract_trace.inputs, &mut budget.part(STEPS));
                    if self.collection.is_reached(target) {
                        return Found::Reached;
                    }
                    reason = Some(Reason::NoRun { place: last_loop(program, abstraction, &abstract_trace) });
                }
            }
        }
        Found::Open(reason.unwrap_or(undecided))
    }

    /// What is known of targets to which no path of an encoding comes.
    fn settle(
        &self,
        program: &Program,
        abstraction: &mut Abstraction<'_>,
        targets: &[usize],
        budget: &mut Budget,
    ) -> State {
        let marks: Vec<MarkId> = targets.iter().map(|&target| MarkId::new(target)).collect();
        let place = |location| Place::of(program, location);
        match abstraction.prove_never_passed(&marks, self.effort, budget) {
            Ok(_) => State::Unreachable,
            Err(Obstacle::Passed) => State::Open(Reason::Undecided { place: None }),
            Err(Obstacle::VerificationCondition(vc)) => {
                let vc = &abstraction.vcs()[vc];
                let obligation = vc.obligation;
                State::Open(Reason::Undefined { obligation, place: place(vc.location) })
            }
            Err(Obstacle::OpenEnd) => {
                let end = abstraction.open_end(self.effort, budget).ok().flatten();
                let unfinished = |what: &str, location| Reason::Unfinished {
                    what: what.to_owned(),
                    iterations: abstraction.encoder().options.iterations,
                    place: place(location),
                };
                State::Open(match end {
                    Some((Incompleteness::Unsupported(construct), location, _)) => {
                        Reason::Unsupported { construct, place: place(location) }
                    }
                    Some((Incompleteness::Loop, location, _)) => unfinished("a loop", location),
                    Some((Incompleteness::Recursion, location, _)) => unfinished("a recursion", location),
                    None => Reason::Undecided { place: None },
                })
            }
        }
    }
}

/// The last abstract loop of a counterexample: what is known of it may allow too much.
fn last_loop(
    program: &Program,
    abstraction: &Abstraction<'_>,
    abstract_trace: &AbstractTrace,
) -> Option<Place> {
    let last = abstract_trace.steps.iter().rev().find_map(|step| match step {
        AbstractStep::AbstractLoop { abstract_loop, .. } => Some(*abstract_loop),
        AbstractStep::Assignment(_) => None,
    });
    Place::of(program, abstraction.abstract_loops()[last?].location)
}
