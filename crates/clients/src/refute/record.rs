//! A run as evidence: what is needed to repeat it, and what happened in it, in the words of the source.

use evidence::{Argument, Counterexample, Failure, InputCycle, Place, Reason};
use program::interpret::{InputRecord, InputValue, Machine, Options, Outcome, Run, TraceEvent};
use program::{FloatFormat, FunctionId, LoopKind, Program, Type};

use super::judge::{Judgement, checks, ignored, judge};
use super::{Query, Tried};

/// A run of more steps is not told: the longest runs take seconds, and their story is that of their loops.
const LONGEST_TOLD: u64 = 20_000_000;

/// How a run is made that is to answer a query: what is checked, and what ends it.
pub fn options(query: &Query) -> Options {
    Options {
        integers: query.integers,
        checks: checks(&query.property),
        ignored: ignored(&query.property),
        memory: 1 << 28,
        detect_repetition: query.property == crate::Property::Termination,
        ..Options::default()
    }
}

/// A run as evidence, if it violates the property and can be repeated; otherwise what it says, if anything.
pub(super) fn violation(
    machine: &Machine<'_>,
    program: &Program,
    query: &Query,
    function: FunctionId,
    tried: Tried<'_>,
) -> Result<Counterexample, Option<Reason>> {
    let failure = match judge(program, &query.property, tried.run, tried.words) {
        Judgement::Violates(failure) => failure,
        Judgement::Nothing(reason) => return Err(Some(reason)),
        Judgement::Good => return Err(None),
    };
    // The replay is short, and worth more than the deadline.
    let steps = tried.run.steps.saturating_add(1000);
    if tried.again(machine, function, steps) != *tried.run {
        return Err(Some(Reason::NotReplayed { place: failure.place().cloned() }));
    }
    Ok(counterexample(program, query, tried, failure, steps))
}

/// The evidence of a run that was made with so many steps, and stopped if it did not end before.
pub(super) fn counterexample(
    program: &Program,
    query: &Query,
    tried: Tried<'_>,
    failure: Failure,
    steps: u64,
) -> Counterexample {
    let Tried { run, words, standard_input, .. } = tried;
    Counterexample {
        property: query.property.name().to_owned(),
        entry: query.function.clone(),
        arguments: words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect(),
        integers: query.integers.into(),
        inputs: run.inputs.iter().map(|record| input(program, record)).collect(),
        trace: trace(program, query, tried, steps),
        standard_input: standard_input.to_vec(),
        failure,
        cycle: repeated(run),
        steps: run.steps,
    }
}

/// The inputs between a state and its return.
fn repeated(run: &Run) -> Option<InputCycle> {
    let Outcome::Repeats(repetition) = &run.outcome else { return None };
    let first = repetition.first_inputs;
    let count = run.inputs.len().checked_sub(first).filter(|count| *count > 0)?;
    Some(InputCycle { first, growth: vec![0; count] })
}

/// What happened in a run: it is made once more, and told this time.
fn trace(program: &Program, query: &Query, tried: Tried<'_>, steps: u64) -> evidence::Trace {
    let run = tried.run;
    let Some(function) = program.function_named(&query.function).filter(|_| run.steps <= LONGEST_TOLD) else {
        return evidence::Trace::default();
    };
    // A run that was stopped need not come to its end here, either.
    let detect_repetition = options(query).detect_repetition && !matches!(run.outcome, Outcome::Stopped(_));
    let options = Options { trace: true, detect_repetition, ..options(query) };
    let mut described = tried.again(&Machine::new(program, &options), function, steps);
    // The trace of another run would only confuse.
    let trace = described.trace.take().filter(|_| described == *run).unwrap_or_default();
    let steps = trace.steps.into_iter().map(|step| evidence::TraceStep {
        function: program.functions[step.function].name.clone(),
        depth: step.depth,
        place: Place::of(program, step.location),
        event: event(step.event),
    });
    evidence::Trace { steps: steps.collect(), omitted: trace.omitted, omitted_after: trace.omitted_after }
}

fn event(event: TraceEvent) -> evidence::TraceEvent {
    use evidence::TraceEvent as EvidenceEvent;
    let statement = |kind: Option<LoopKind>| String::from(kind.map_or("goto", LoopKind::name));
    match event {
        TraceEvent::Enter { arguments } => {
            let named = arguments.into_iter().map(|(name, value)| Argument { name, value });
            EvidenceEvent::Enter { arguments: named.collect() }
        }
        TraceEvent::Return { value } => EvidenceEvent::Return { value },
        TraceEvent::Assign { name, value } => EvidenceEvent::Assign { name, value },
        TraceEvent::Store { name, value } => EvidenceEvent::Store { name, value },
        TraceEvent::Input { name, ty, value } => EvidenceEvent::Input { name, value: shown(value, ty) },
        TraceEvent::Call { name, arguments } => EvidenceEvent::Call { name, arguments },
        TraceEvent::Iteration { kind, number } => {
            EvidenceEvent::Iteration { statement: statement(kind), number }
        }
        TraceEvent::Leave { kind, iterations } => {
            EvidenceEvent::Leave { statement: statement(kind), iterations }
        }
    }
}

/// An input as evidence.
pub(crate) fn input(program: &Program, record: &InputRecord) -> evidence::InputValue {
    evidence::InputValue {
        name: record.name.clone(),
        ty: record.ty.to_string(),
        value: shown(record.value, record.ty),
        place: Place::of(program, record.location),
    }
}

/// A value as people write it.
pub(crate) fn shown(value: InputValue, ty: Type) -> String {
    match (value, ty) {
        (InputValue::Integer(value), Type::Integer(ty)) if !ty.signed && ty.width == 128 => {
            (value as u128).to_string()
        }
        (InputValue::Integer(value), _) => value.to_string(),
        (InputValue::Float(bits), Type::Float(FloatFormat::Double)) => {
            format!("{:?}", f64::from_bits(bits as u64))
        }
        (InputValue::Float(bits), Type::Float(FloatFormat::Single)) => {
            format!("{:?}", f32::from_bits(bits as u32))
        }
        (InputValue::Float(bits), _) => format!("bits {bits:#x}"),
        (InputValue::Null, Type::Pointer) => String::from("null"),
        (InputValue::Null, _) => String::from("0"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_people_do() {
        let double = Type::Float(FloatFormat::Double);
        assert_eq!(shown(InputValue::Float(u128::from(0.5f64.to_bits())), double), "0.5");
        assert_eq!(shown(InputValue::Integer(-1), Type::unsigned(128)), u128::MAX.to_string());
        assert_eq!(shown(InputValue::Integer(-1), Type::signed(32)), "-1");
        assert_eq!(shown(InputValue::Null, Type::Pointer), "null");
    }
}
