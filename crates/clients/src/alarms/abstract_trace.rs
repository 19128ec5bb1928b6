//! The abstract counterexample of a violation as an alarm: what matters of it, in the names of the source.

use std::collections::BTreeSet;

use certify::abstraction::{AbstractStep, AbstractTrace, Abstraction};
use certify::unrolling::SuspectInput;
use evidence::{Access, Alarm, AlarmStep, Change, InputValue, MissingInvariant, Name, Place};
use program::{FunctionId, Program};

use super::matter::matters;
use crate::refute::shown;

/// The abstract counterexample of a violated verification condition as an alarm.
pub(crate) fn alarm(
    program: &Program,
    abstraction: &Abstraction<'_>,
    entry: FunctionId,
    vc: usize,
    abstract_trace: &AbstractTrace,
) -> Alarm {
    let vc = &abstraction.vcs()[vc];
    let function = vc.stack.last().map_or(entry, |&(function, _)| function);
    let functions = abstraction.encoder().reached.keys().map(|(function, _)| *function).collect();
    let names = Names::of(program, &functions, function, vc.location);
    let mut teller = Teller { program, names, steps: Vec::new(), missing: None };
    abstract_trace.steps.iter().for_each(|step| teller.tell(step, abstract_trace.inside));
    if teller.steps.is_empty() {
        // Nothing that happens seems to matter: then it is better to tell all.
        teller = Teller { program, names: Names(None), steps: Vec::new(), missing: None };
        abstract_trace.steps.iter().for_each(|step| teller.tell(step, abstract_trace.inside));
    }
    teller.alarm(vc, function, abstract_trace)
}

/// The variables that matter, by function and name; all if there is no list.
struct Names(Option<BTreeSet<(FunctionId, String)>>);

impl Names {
    fn of(
        program: &Program,
        functions: &BTreeSet<FunctionId>,
        function: FunctionId,
        location: base::Location,
    ) -> Self {
        let variables = matters(program, functions, function, location);
        let named = variables.into_iter().filter_map(|(function, variable)| {
            let body = program.functions[function].body()?;
            Some((function, program.variable(body, variable).name.clone()))
        });
        Self(Some(named.collect()))
    }

    fn contains(&self, function: FunctionId, name: &str) -> bool {
        // A second variable of the same name carries a number.
        let plain = name.split_once('#').map_or(name, |(plain, _)| plain);
        self.0.as_ref().is_none_or(|names| names.contains(&(function, plain.to_owned())))
    }
}

struct Teller<'a> {
    program: &'a Program,
    names: Names,
    steps: Vec<AlarmStep>,
    missing: Option<MissingInvariant>,
}

impl Teller<'_> {
    fn tell(&mut self, step: &AbstractStep, inside: Option<usize>) {
        let name = |function: FunctionId| self.program.functions[function].name.clone();
        match step {
            AbstractStep::Assignment(step) => {
                if self.names.contains(step.function, &step.variable) {
                    self.steps.push(AlarmStep::Assignment {
                        function: name(step.function),
                        variable: step.variable.clone(),
                        value: step.value.clone(),
                        place: Place::of(self.program, step.location),
                    });
                }
            }
            AbstractStep::AbstractLoop { abstract_loop, function, location, values, iterations } => {
                let matter =
                    |(name, ..): &&(Name, String, String)| self.names.contains(*function, name.as_str());
                let changes: Vec<Change> = values.iter().filter(matter).map(change).collect();
                if changes.is_empty() && inside != Some(*abstract_loop) {
                    return;
                }
                let place = Place::of(self.program, *location);
                let state = changes.iter().map(|change| format!("{} == {}", change.variable, change.after));
                let state = state.collect::<Vec<_>>().join(", ");
                if !state.is_empty() && (inside.is_none() || inside == Some(*abstract_loop)) {
                    self.missing = Some(MissingInvariant { place: place.clone(), state });
                }
                let iterations = iterations.map(|iterations| iterations.to_string());
                self.steps.push(AlarmStep::AbstractLoop {
                    function: name(*function),
                    place,
                    iterations,
                    changes,
                });
            }
        }
    }

    fn alarm(
        self,
        vc: &encoding::VerificationCondition,
        function: FunctionId,
        abstract_trace: &AbstractTrace,
    ) -> Alarm {
        let access = abstract_trace.access.as_ref().map(|access| Access {
            object: access.object.as_ref().map(|object| object.name.clone()),
            offset: access.offset.to_string(),
            bytes: access.bytes.to_string(),
            size: access.object.as_ref().map(|object| object.bytes.to_string()),
        });
        Alarm {
            obligation: vc.obligation,
            place: Place::of(self.program, vc.location),
            function: self.program.functions[function].name.clone(),
            inputs: abstract_trace.inputs.iter().map(|input| given(self.program, input)).collect(),
            steps: self.steps,
            access,
            operation: abstract_trace.operation.clone(),
            missing: self.missing,
        }
    }
}

fn change((variable, before, after): &(Name, String, String)) -> Change {
    Change { variable: variable.to_string(), before: before.clone(), after: after.clone() }
}

fn given(program: &Program, input: &SuspectInput) -> InputValue {
    InputValue {
        name: input.name.clone(),
        ty: input.ty.to_string(),
        value: shown(input.value, input.ty),
        place: Place::of(program, input.location),
    }
}
