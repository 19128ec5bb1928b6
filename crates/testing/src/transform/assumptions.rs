//! Functions that are entered only where a condition holds: the same run, up to the first call in which it does not.

use base::Index;
use evidence::expression::constant;
use evidence::names::local_names;
use evidence::{Moment, Quantity};
use program::interpret::Outcome;
use program::{FunctionId, Type};
use transform::assuming;

use super::Tally;
use super::examined::{Examined, options};
use super::probes::{known_floats, visible};
use super::record::{Call, Old, Recording, record};
use crate::random::Random;

impl Examined<'_> {
    pub(super) fn assumptions(
        &self,
        main: FunctionId,
        recording: &Recording,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let mut random = Random::new(self.seed);
        for function in self.called(recording) {
            let Some(body) = self.old.program.functions[function].body() else { continue };
            let of_function = |call: &&Call| call.function == function;
            let Some(parameter) = body
                .parameters
                .iter()
                .copied()
                .find(|&one| matches!(body.variables[one].ty, Type::Integer(_)))
            else {
                continue;
            };
            let given: Vec<(usize, i128)> = recording
                .calls
                .iter()
                .filter(of_function)
                .filter_map(|call| {
                    let first = *call.events.first()?;
                    Some((first, recording.events[first].values[parameter.index()]?))
                })
                .collect();
            if given.is_empty() {
                continue;
            }
            let bound = random.pick(&given).1;
            let names = local_names(body);
            let (name, _) =
                names.iter().find(|(_, one)| *one == parameter).ok_or("a parameter without a name")?;
            let condition = Quantity::value(name.as_str()).at(Moment::Start).at_most(constant(bound));
            let Some(mut assumed) = assuming(&self.old.program, function, &condition) else { continue };
            (self.limits.damage)(&mut assumed);
            let seen = visible(assumed.clone(), &known_floats(&assumed));
            let new = Old { program: assumed, visible: seen, probes: self.old.probes.clone() };
            let shown = record(&new, main, self.seed, self.limits.events, &options());
            let end = given.iter().find(|(_, value)| *value > bound).map(|(event, _)| *event);
            self.compare(recording, &shown, end)
                .map_err(|message| format!("assuming of {}: {message}", self.name(function)))?;
            let part = tally.parts.entry("assuming").or_default();
            part.runs += 1;
            part.places += shown.events.len();
        }
        Ok(())
    }

    /// Whether two runs do the same until an event of the first, where an assumption ends the second.
    fn compare(&self, old: &Recording, new: &Recording, end: Option<usize>) -> Result<(), String> {
        let expected = end.unwrap_or(old.events.len());
        for (place, (one, other)) in old.events[..expected].iter().zip(&new.events).enumerate() {
            if one.probe != other.probe || one.call != other.call || one.values != other.values {
                return Err(format!("event {place} is another one"));
            }
        }
        if new.events.len() != expected {
            return Err(format!("{} events instead of {expected}", new.events.len()));
        }
        let is_cut = new.run.as_ref().is_some_and(|run| run.outcome == Outcome::AssumptionFailed);
        // A run with more events has gone on for some steps that are not recorded.
        let has_more = old.events.len() >= self.limits.events;
        let was_cut = old.run.as_ref().is_some_and(|run| run.outcome == Outcome::AssumptionFailed);
        if is_cut != (end.is_some() || was_cut) && (end.is_some() || !has_more) {
            return Err(String::from("it is not where the condition fails that the run ends"));
        }
        Ok(())
    }
}
