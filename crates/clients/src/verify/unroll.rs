//! Unrolls loops and calls deeper and deeper until all runs are covered, a violation is found, or the time is up.

use base::{Budget, Stop};
use certify::explain::unfinished;
use certify::unrolling::{Examination, SuspectInput, examine};
use certify::{Claim, Subject, Verdict};
use encoding::LooseEnd;
use evidence::{Manner, Overflow, Place, Property, Reason};
use logic::Ignorance;
use program::{FunctionId, Program};

use super::Progress;
use crate::refute::{Leads, Question, entry, replay};

/// No loop is unrolled further.
const DEEPEST: u64 = 1 << 20;

/// How many steps a run to a loop that is not unrolled far enough may take, for each pass of it that is: it need not
/// go wrong at all, and the next one will be longer.
const STEPS_OF_A_PASS: u64 = 50_000;

/// Proves or refutes, or gives the reasons why neither.
pub(crate) fn unroll(
    program: &Program,
    question: &Question,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    unroll_for_leads(program, question, budget, &mut Leads::default(), progress)
}

/// The same; also takes note of inputs with which loops make many passes.
pub(super) fn unroll_for_leads(
    program: &Program,
    question: &Question,
    budget: &Budget,
    leads: &mut Leads,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    let function = entry(program, &question.function).map_err(|reason| vec![reason])?;
    let claim = Claim { function, property: question.property, integers: question.integers };
    let subject = Subject::of(program, claim);
    let program = subject.program();
    let mut work =
        Work { program, question, subject: &subject, budget: budget.clone(), leads, reasons: Vec::new() };
    let mut passes = 2;
    while passes <= DEEPEST {
        progress(Progress::Unrolling(passes));
        match work.at_depth(passes, function) {
            Step::Answer(verdict) => return Ok(verdict),
            Step::Deeper => passes *= 2,
            Step::End => break,
        }
    }
    Err(work.reasons)
}

struct Work<'a> {
    program: &'a Program,
    question: &'a Question,
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

impl Work<'_> {
    fn at_depth(&mut self, passes: u64, function: FunctionId) -> Step {
        // An overflow is undefined, so that a loop that ends because a number wraps need not end; but where values are asked
        // for, programs rely on wrapping.
        let overflow = match self.question.property {
            Property::Termination => Overflow::Excluded,
            _ => Overflow::Wraps,
        };
        let place = |location| Place::of(self.program, location);
        match examine(self.subject, Manner::unrolled(passes, overflow), &mut self.budget) {
            Examination::Proved(certificate) => Step::Answer(Verdict::Proved(certificate)),
            Examination::Suspect(suspect) => match self.replay(function, &suspect.inputs, u64::MAX) {
                Ok(verdict) => Step::Answer(verdict),
                Err(reason) => {
                    let reason = reason.unwrap_or(Reason::NotReplayed { place: place(suspect.location) });
                    self.reasons = vec![reason];
                    // Further passes only add to a violation that cannot be shown.
                    Step::End
                }
            },
            Examination::Unfinished { end, location, further, inputs } => {
                // A run that leads there may go wrong there.
                if let Ok(verdict) = self.replay(function, &inputs, passes * STEPS_OF_A_PASS) {
                    return Step::Answer(verdict);
                }
                if end == LooseEnd::Loop {
                    self.leads.suggest(self.program, self.question, function, &inputs);
                }
                self.reasons = vec![unfinished(&end, passes, place(location))];
                if further { Step::Deeper } else { Step::End }
            }
            Examination::Undefined { obligation, location, inputs, further } => {
                if let Ok(verdict) = self.replay(function, &inputs, passes * STEPS_OF_A_PASS) {
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
        let found = replay(self.program, self.question, function, inputs, &self.budget.part(steps))?;
        Ok(Verdict::Refuted { counterexample: Box::new(found) })
    }
}
