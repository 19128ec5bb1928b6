//! Recursion as a loop and chains of calls where memory is kept: a run of the new program does the same with the same inputs,
//! until the first call that is followed returns.

use std::collections::BTreeSet;

use program::FunctionId;
use transform::{CallGraph, ChainMemory, call_chains, self_calls_as_loop};

use super::Tally;
use super::examined::{Examined, options, sign_stations};
use super::new::{NewProgram, Pointers};
use super::probes::{add_sign, known_floats, visible};
use super::record::{Old, Recording, record};

impl Examined<'_> {
    /// The same in a run that starts in the function, with its memory, until a call returns.
    pub(super) fn recursion_with_memory(
        &self,
        function: FunctionId,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let has_objects = self.part.functions[function].body().is_none_or(|body| !body.locals.is_empty());
        if self.is_less || has_objects || self.name(function) == "main" {
            return Ok(());
        }
        let mut nested = self.part.clone();
        let head = self_calls_as_loop(&mut nested.functions[function], function);
        let (Some(head), Some(body)) = (head, nested.functions[function].body_mut()) else { return Ok(()) };
        add_sign(body, head, 0);
        let recording = record(&self.old, function, self.seed, self.limits.events, &options());
        if recording.is_doubtful() {
            return Ok(());
        }
        let path = self.until_return(&recording, &BTreeSet::from([function]));
        let calls: BTreeSet<usize> = path.iter().map(|&event| recording.events[event].call).collect();
        let own = calls.iter().filter(|&&call| recording.calls[call].function == function).count();
        let Some(new) = self.new_program(nested, function, Pointers::Objects) else { return Ok(()) };
        self.replay("self_calls_as_loop with memory", &new, &recording, &[(path, own)], tally)
    }

    /// Chains that keep memory, in runs that start in `main` and in others.
    pub(super) fn with_memory(&self, main: FunctionId, tally: &mut Tally) -> Result<(), String> {
        if self.is_less {
            return Ok(());
        }
        let graph = CallGraph::of(&self.part);
        let entries: Vec<FunctionId> = graph.behind(main).chain([main]).collect();
        for entry in entries {
            let Some(mut made) = call_chains(&self.part, entry, ChainMemory::Kept) else { continue };
            let Some(body) = made.functions[entry].body_mut() else { continue };
            sign_stations(body);
            let entered = match program::outside::starts_fresh(&self.part, entry) {
                true => self.old.program.clone(),
                false => program::outside::entered_anytime(&self.old.program),
            };
            let seen = visible(entered.clone(), &known_floats(&entered));
            let old = Old { program: entered, visible: seen, probes: self.old.probes.clone() };
            let recording = record(&old, entry, self.seed, self.limits.events, &options());
            if recording.is_doubtful() {
                continue;
            }
            let is_recursive = |function: &FunctionId| {
                graph.in_circle(*function) || graph.behind(*function).any(|one| graph.in_circle(one))
            };
            let followed: BTreeSet<FunctionId> = graph.behind(entry).filter(is_recursive).collect();
            let path = self.until_return(&recording, &followed);
            let calls: BTreeSet<usize> = path.iter().map(|&event| recording.events[event].call).collect();
            let followed =
                calls.iter().filter(|&&call| call > 0 && followed.contains(&recording.calls[call].function));
            let signs = followed.count();
            self.comes_to_an_end(&recording, path.len(), calls.iter().copied())?;
            (self.limits.damage)(&mut made);
            let Some(new) = NewProgram::new(&old, made, entry, Pointers::Objects) else { continue };
            self.replay("call_chains with memory", &new, &recording, &[(path, signs)], tally)?;
        }
        Ok(())
    }

    /// The events of a run until a call of one of these functions has returned.
    fn until_return(&self, recording: &Recording, followed: &BTreeSet<FunctionId>) -> Vec<usize> {
        let mut calling: BTreeSet<usize> = BTreeSet::new();
        let mut path = Vec::new();
        for (place, event) in recording.events.iter().enumerate() {
            if calling.contains(&event.call) {
                break;
            }
            path.push(place);
            if self.old.probes[event.probe].calls.is_some_and(|callee| followed.contains(&callee)) {
                calling.insert(event.call);
            }
        }
        path
    }

    /// Whether calls make no other calls and come by no place again, once a call that was followed has returned: only then
    /// may a chain leave out what comes then.
    fn comes_to_an_end(
        &self,
        recording: &Recording,
        returned: usize,
        calls: impl Iterator<Item = usize>,
    ) -> Result<(), String> {
        for call in calls {
            let function = recording.calls[call].function;
            let mut seen = BTreeSet::new();
            for &event in recording.calls[call].events.iter().filter(|event| **event >= returned) {
                let probe = recording.events[event].probe;
                let calls = self.old.probes[probe].calls;
                if !seen.insert(probe)
                    || calls.is_some_and(|callee| self.part.functions[callee].body().is_some())
                {
                    return Err(format!("{} goes on after the call that is followed", self.name(function)));
                }
            }
        }
        Ok(())
    }
}
