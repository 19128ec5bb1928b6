//! Unrolls loops and calls deeper and deeper until all runs are covered, a violation is found, or the time is up.

use base::{Budget, Stop};
use certify::explain::unfinished;
use certify::unrolling::{Examination, SuspectInput, examine};
use certify::{Claim, Subject, Verdict};
use encoding::Incompleteness;
use evidence::{Overflow, Place, ProofMode, Property, Reason};
use logic::Ignorance;
use program::{FunctionId, Program};

use super::Progress;
use crate::refute::{Leads, Query, entry, replay};

/// No loop is unrolled further.
const DEEPEST: u64 = 1 << 20;

/// How many steps a run to a loop that is not unrolled far enough may take, for each iteration of it that is: it need
/// not go wrong at all, and the next one will be longer.
const STEPS_OF_A_ITERATION: u64 = 50_000;

/// Proves or refutes, or gives the reasons why neither. Takes note of inputs with which loops make many iterations.
pub(crate) fn unroll(
    program: &Program,
    query: &Query,
    budget: &Budget,
    leads: &mut Leads,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    let function = entry(program, &query.function).map_err(|reason| vec![reason])?;
    let claim = Claim { function, property: query.property, integers: query.integers };
    let subject = Subject::of(program, claim);
    let program = subject.program();
    let mut work =
        Unroller { program, query, subject: &subject, budget: budget.clone(), leads, reasons: Vec::new() };
    let mut iterations = 2;
    while iterations <= DEEPEST {
        progress(Progress::Unrolling(iterations));
        match work.at_depth(iterations, function) {
            Step::Answer(verdict) => return Ok(verdict),
            Step::Deeper => iterations *= 2,
            Step::End => break,
        }
    }
    Err(work.reasons)
}

struct Unroller<'a> {
    program: &'a Program,
    query: &'a Query,
    subject: &'a Subject<'a>,
    budget: Budget,
    leads: &'a mut Leads,
    /// Why the last examination did not answer.
    reasons: Vec<Reason>,
}

enum Step {
    Answer(Verdict),
    Deeper,
    End,
}

impl Unroller<'_> {
    fn at_depth(&mut self, iterations: u64, function: FunctionId) -> Step {
        // An overflow is undefined, so that a loop that ends because a number wraps need not end; but where values are asked
        // for, programs rely on wrapping.
        let overflow = match self.query.property {
            Property::Termination => Overflow::Excluded,
            _ => Overflow::Wraps,
        };
        let place = |location| Place::of(self.program, location);
        match examine(self.subject, ProofMode::unrolled(iterations, overflow), &mut self.budget) {
            Examination::Proved(certificate) => Step::Answer(Verdict::Proved(certificate)),
            Examination::Suspect(suspect) => match self.replay(function, &suspect.inputs, u64::MAX) {
                Ok(verdict) => Step::Answer(verdict),
                Err(reason) => {
                    let reason = reason.unwrap_or(Reason::NotReplayed { place: place(suspect.location) });
                    self.reasons = vec![reason];
                    // Further iterations only add to a violation that cannot be shown.
                    Step::End
                }
            },
            Examination::Unfinished { end, location, further, inputs } => {
                // A run that leads there may go wrong there.
                if let Ok(verdict) = self.replay(function, &inputs, iterations * STEPS_OF_A_ITERATION) {
                    return Step::Answer(verdict);
                }
                if end == Incompleteness::Loop {
                    self.leads.suggest(self.program, self.query, function, &inputs);
                }
                self.reasons = vec![unfinished(&end, iterations, place(location))];
                if further { Step::Deeper } else { Step::End }
            }
            Examination::Undefined { obligation, location, inputs, further } => {
                if let Ok(verdict) = self.replay(function, &inputs, iterations * STEPS_OF_A_ITERATION) {
                    return Step::Answer(verdict);
                }
                self.reasons = vec![Reason::Undefined { obligation, place: place(location) }];
                if further { Step::Deeper } else { Step::End }
            }
            Examination::NotKnown(Ignorance::Stopped(Stop::Time | Stop::Steps | Stop::Interrupted)) => {
                Step::End
            }
            Examination::NotKnown(why) => {
                self.reasons.push(Reason::Unsupported { construct: why.to_string(), place: None });
                Step::End
            }
        }
    }

    fn replay(
        &self,
        function: FunctionId,
        inputs: &[SuspectInput],
        steps: u64,
    ) -> Result<Verdict, Option<Reason>> {
        let found = replay(self.program, self.query, function, inputs, &self.budget.part(steps))?;
        Ok(Verdict::Refuted { counterexample: Box::new(found) })
    }
}
