//! What a run says about a property.

use base::Location;
use evidence::{Alarm, Failure, Place, Reason};
use program::interpret::{FILE_BYTE, ObligationSet, Outcome, Run, Violation};
use program::{Obligation, Program};

use super::record::input;
use crate::Property;

/// What a program does with longer words, which nobody would type, is left to alarms.
pub(super) const LONGEST_WORD: usize = 64;

/// So many inputs of a run are listed in an alarm.
const LISTED: usize = 64;

/// What one run says.
pub(super) enum Judgement {
    /// It violates the property, and nothing speaks against it.
    Violates(Failure),
    /// It says nothing, for this reason.
    Nothing(Reason),
    /// It is a good run as far as it goes.
    Good,
}

/// The obligations that end a run: those of the property, and all after whose failure a C program may do anything. A run
/// that goes on for ever only because nobody stopped it at a failed assertion shows nothing about termination.
pub(super) fn checks(property: &Property) -> ObligationSet {
    let mut asked = property.obligations();
    if *property == Property::Termination {
        asked = asked.with(Obligation::Assertion);
    }
    Obligation::ALL.into_iter().filter(|&kind| asked.contains(kind) || is_undefined(kind)).collect()
}

/// The obligations whose failure is of no interest: neither asked for nor undefined.
pub(super) fn ignored(property: &Property) -> ObligationSet {
    let checks = checks(property);
    Obligation::ALL.into_iter().filter(|&kind| !checks.contains(kind)).collect()
}

/// Whether a C program may do anything after this has failed.
///
/// An uninitialised value is one that the run may choose: it becomes an input, and is listed as one. That is how the
/// competition on software verification reads C, and how C itself reads memory without trap representations.
const fn is_undefined(obligation: Obligation) -> bool {
    use Obligation::*;
    !matches!(obligation, Assertion | ReachError | Leak | Uninitialised)
}

/// Whether an obligation is about the use of memory.
const fn is_of_memory(obligation: Obligation) -> bool {
    use Obligation::*;
    matches!(
        obligation,
        OutOfBounds | Null | Dangling | Uninitialised | StringTermination | InvalidFree | Leak
    )
}

/// Whether an input is what some file holds, or whether it is there. A program may expect something of its files that
/// is written nowhere, and no compiled program can be given them by a driver: a run that goes wrong with them is an
/// alarm.
fn is_of_file(name: &str) -> bool {
    name.starts_with(FILE_BYTE) || name == "fopen"
}

/// A violation in a run that is no refutation.
fn alarm(program: &Program, violation: &Violation, run: &Run) -> Reason {
    let function = violation.stack.last().map(|&(function, _)| program.functions[function].name.clone());
    let alarm = Alarm {
        obligation: violation.obligation,
        place: Place::of(program, violation.location),
        function: function.unwrap_or_default(),
        inputs: run.inputs.iter().take(LISTED).map(|record| input(program, record)).collect(),
        steps: Vec::new(),
        access: None,
        operation: None,
        missing: None,
    };
    Reason::Alarm { alarm: Box::new(alarm) }
}

/// What a run with these [`checks`] says about the property. The words are those of the command line.
pub(super) fn judge(program: &Program, property: &Property, run: &Run, words: &[Vec<u8>]) -> Judgement {
    let failure = match &run.outcome {
        Outcome::Violation(violation) if property.obligations().contains(violation.obligation) => {
            violated(program, violation)
        }
        Outcome::Violation(violation) => {
            return undefined(program, violation.obligation, violation.location);
        }
        Outcome::Repeats(repetition) if *property == Property::Termination => Failure::Repetition {
            function: program.functions[repetition.function].name.clone(),
            place: Place::of(program, repetition.location),
            first_step: repetition.first_step,
            period: repetition.period_steps,
        },
        Outcome::Unsupported { reason, location } => {
            let place = Place::of(program, *location);
            return Judgement::Nothing(Reason::Unsupported { construct: reason.clone(), place });
        }
        Outcome::Exit(_)
        | Outcome::Aborted
        | Outcome::AssumptionFailed
        | Outcome::Stopped(_)
        | Outcome::Repeats(_) => return Judgement::Good,
    };
    clean(program, run, words, failure)
}

/// What a run says that was stopped on its way and is shown to go on for ever.
pub(super) fn judge_infinite(program: &Program, run: &Run, words: &[Vec<u8>], failure: Failure) -> Judgement {
    match run.outcome {
        Outcome::Stopped(_) => clean(program, run, words, failure),
        _ => Judgement::Good,
    }
}

/// A failure, unless something speaks against the run.
fn clean(program: &Program, run: &Run, words: &[Vec<u8>], failure: Failure) -> Judgement {
    if let Some((what, location)) = &run.imprecise {
        return Judgement::Nothing(Reason::Imprecise {
            what: what.clone(),
            place: Place::of(program, *location),
        });
    }
    // A pointer outside its object is wrong use of memory, and nothing else.
    let is_memory = |failure: &Failure| matches!(failure, Failure::Violation { obligation, .. } if is_of_memory(*obligation));
    if let Some(location) = run.stray.filter(|_| !is_memory(&failure)) {
        return undefined(program, Obligation::OutOfBounds, location);
    }
    let file = run.inputs.iter().find(|input| is_of_file(&input.name));
    let long_word = words.iter().any(|word| word.len() > LONGEST_WORD);
    if file.is_some() || long_word {
        return Judgement::Nothing(match &run.outcome {
            Outcome::Violation(violation) => alarm(program, violation, run),
            _ => {
                let name = file.map_or("a long word", |input| input.name.as_str());
                let what = format!("{name}, which a violating run needs");
                Reason::Imprecise { what, place: file.and_then(|input| Place::of(program, input.location)) }
            }
        });
    }
    // Every kind is either checked or ignored, so that this is never met; but it is cheap to be sure.
    if let Some(violation) = &run.undefined {
        return undefined(program, violation.obligation, violation.location);
    }
    Judgement::Violates(failure)
}

/// That something undefined comes first.
fn undefined(program: &Program, obligation: Obligation, location: Location) -> Judgement {
    Judgement::Nothing(Reason::Undefined { obligation, place: Place::of(program, location) })
}

fn violated(program: &Program, violation: &Violation) -> Failure {
    let frame = |&(function, location): &(_, _)| {
        let name: &program::Function = &program.functions[function];
        (name.name.clone(), Place::of(program, location))
    };
    Failure::Violation {
        obligation: violation.obligation,
        message: violation.message.clone(),
        place: Place::of(program, violation.location),
        stack: violation.stack.iter().rev().map(frame).collect(),
    }
}
