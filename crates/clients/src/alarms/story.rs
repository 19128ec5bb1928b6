//! The story of a violation as an alarm: what matters of it, in the names of the source.

use std::collections::BTreeSet;

use certify::leaps::{Leaping, Story, StoryStep};
use certify::unrolling::SuspectInput;
use evidence::{Access, Alarm, AlarmStep, Change, InputValue, MissingFact, Name, Place};
use program::{FunctionId, Program};

use super::matter::matters;
use crate::refute::shown;

/// The story of a violated demand as an alarm.
pub(crate) fn alarm(
    program: &Program,
    leaping: &Leaping<'_>,
    entry: FunctionId,
    demand: usize,
    story: &Story,
) -> Alarm {
    let demand = &leaping.demands()[demand];
    let function = demand.stack.last().map_or(entry, |&(function, _)| function);
    let names = Names::of(program, function, demand.location);
    let mut teller = Teller { program, names: &names, steps: Vec::new(), missing: None };
    story.steps.iter().for_each(|step| teller.tell(step, story.inside));
    if teller.steps.is_empty() {
        // Nothing that happens seems to matter: then it is better to tell all.
        let names = Names(None);
        teller = Teller { program, names: &names, steps: Vec::new(), missing: None };
        story.steps.iter().for_each(|step| teller.tell(step, story.inside));
        return teller.alarm(demand, function, story);
    }
    teller.alarm(demand, function, story)
}

/// The variables that matter, by function and name; all if there is no list.
struct Names(Option<BTreeSet<(FunctionId, String)>>);

impl Names {
    fn of(program: &Program, function: FunctionId, location: base::Location) -> Self {
        let variables = matters(program, function, location);
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
    names: &'a Names,
    steps: Vec<AlarmStep>,
    missing: Option<MissingFact>,
}

impl Teller<'_> {
    fn tell(&mut self, step: &StoryStep, inside: Option<usize>) {
        let name = |function: FunctionId| self.program.functions[function].name.clone();
        match step {
            StoryStep::Assignment(step) => {
                if self.names.contains(step.function, &step.variable) {
                    self.steps.push(AlarmStep::Assignment {
                        function: name(step.function),
                        variable: step.variable.clone(),
                        value: step.value.clone(),
                        place: Place::of(self.program, step.location),
                    });
                }
            }
            StoryStep::Leap { leap, function, location, values, passes } => {
                let matter =
                    |(name, ..): &&(Name, String, String)| self.names.contains(*function, name.as_str());
                let changes: Vec<Change> = values.iter().filter(matter).map(change).collect();
                if changes.is_empty() && inside != Some(*leap) {
                    return;
                }
                let place = Place::of(self.program, *location);
                let state = changes.iter().map(|change| format!("{} == {}", change.variable, change.after));
                let state = state.collect::<Vec<_>>().join(", ");
                if !state.is_empty() && (inside.is_none() || inside == Some(*leap)) {
                    self.missing = Some(MissingFact { place: place.clone(), state });
                }
                let passes = passes.map(|passes| passes.to_string());
                self.steps.push(AlarmStep::Leap { function: name(*function), place, passes, changes });
            }
        }
    }

    fn alarm(self, demand: &encoding::Demand, function: FunctionId, story: &Story) -> Alarm {
        let access = story.access.as_ref().map(|access| Access {
            object: access.object.as_ref().map(|object| object.name.clone()),
            offset: access.offset.to_string(),
            bytes: access.bytes.to_string(),
            size: access.object.as_ref().map(|object| object.bytes.to_string()),
        });
        Alarm {
            obligation: demand.obligation,
            place: Place::of(self.program, demand.location),
            function: self.program.functions[function].name.clone(),
            inputs: story.inputs.iter().map(|input| given(self.program, input)).collect(),
            steps: self.steps,
            access,
            operation: story.operation.clone(),
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
