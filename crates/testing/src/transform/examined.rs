//! One run of a program, held against the theorem of each transformation.

use std::collections::BTreeSet;

use program::interpret::{ObligationSet, Options};
use program::{Definition, FunctionId, Obligation, Program};
use transform::{CallGraph, ChainMemory, ModularFunctions};
use transform::{call_chains, modular, mutual_calls_as_loop, self_calls_as_loop};

use super::new::{NewProgram, Pointers};
use super::probes::{add_probes, add_sign, known_floats, visible};
use super::record::{Old, Recording, record};
use super::replay::replay;
use super::{Limits, Tally, only, part};
use crate::random::Random;

/// How old and new programs run.
pub fn options() -> Options {
    // Nothing undefined happens in the runs that theorems speak of. Memory that is lost is not undefined, and
    // uninitialised values are inputs.
    let checks = ObligationSet::ALL.without(Obligation::Leak).without(Obligation::Uninitialised);
    let ignored = ObligationSet::EMPTY.with(Obligation::Uninitialised);
    Options { checks, ignored, memory: 1 << 24, call_depth: 60, ..Options::default() }
}

/// A program that is examined.
pub struct Examined<'l> {
    pub(super) old: Old,
    pub(super) part: Program,
    pub(super) is_less: bool,
    pub(super) limits: &'l Limits,
    pub(super) seed: u64,
}

impl<'l> Examined<'l> {
    /// Puts probes into a program.
    pub fn new(mut whole: Program, seed: u64, limits: &'l Limits) -> Self {
        let probes = add_probes(&mut whole);
        let visible = visible(whole.clone(), &known_floats(&whole));
        let (part, is_less) = part(&whole);
        Self { old: Old { program: whole, visible, probes }, part, is_less, limits, seed }
    }

    /// Runs a function, and replays what it does.
    ///
    /// # Errors
    /// A run that a new program does not have.
    pub fn run(&self, main: FunctionId, tally: &mut Tally) -> Result<(), String> {
        let recording = record(&self.old, main, self.seed, self.limits.events, &options());
        tally.runs += 1;
        if recording.is_doubtful() {
            tally.doubtful += 1;
            return Ok(());
        }
        self.single_calls(&recording, tally)?;
        self.recursion(&recording, tally)?;
        self.circles(&recording, tally)?;
        self.chains(&recording, tally)?;
        self.call_graph(&recording, tally)?;
        self.assumptions(main, &recording, tally)?;
        self.with_memory(main, tally)
    }

    pub(super) fn name(&self, function: FunctionId) -> &str {
        &self.old.program.functions[function].name
    }

    /// Some of the calls of a run for which something holds: the longest and others.
    fn sample(&self, recording: &Recording, is_wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut calls: Vec<usize> = (0..recording.calls.len()).filter(|&call| is_wanted(call)).collect();
        let mut random = Random::new(self.seed);
        let mut chosen = BTreeSet::new();
        chosen.extend(calls.iter().copied().max_by_key(|&call| recording.calls[call].events.len()));
        chosen.extend(calls.iter().copied().max_by_key(|&call| chain(recording, call, |_| true).len()));
        while chosen.len() < self.limits.calls && !calls.is_empty() {
            chosen.insert(calls.swap_remove(random.below(calls.len())));
        }
        chosen.into_iter().collect()
    }

    /// Replays paths, and looks whether control comes by the signs as often as it should.
    pub(super) fn replay(
        &self,
        what: &'static str,
        new: &NewProgram<'_>,
        recording: &Recording,
        paths: &[(Vec<usize>, usize)],
        tally: &mut Tally,
    ) -> Result<(), String> {
        let machine = new.machine(&options());
        let part = tally.parts.entry(what).or_default();
        for (path, signs) in paths.iter().filter(|(path, _)| !path.is_empty()) {
            let shown = replay(new, &machine, recording, path)
                .map_err(|message| format!("{what} of {}: {message}", self.name(new.entry)))?;
            let Some(shown) = shown else {
                part.lost += 1;
                continue;
            };
            if shown.signs != *signs {
                let name = self.name(new.entry);
                return Err(format!("{what} of {name}: {} heads for {signs} calls", shown.signs));
            }
            part.runs += 1;
            part.places += shown.places;
            part.values += shown.values;
            part.longest = part.longest.max(*signs);
        }
        Ok(())
    }

    pub(super) fn new_program<'s>(
        &'s self,
        mut program: Program,
        entry: FunctionId,
        pointers: Pointers,
    ) -> Option<NewProgram<'s>> {
        (self.limits.damage)(&mut program);
        NewProgram::new(&self.old, program, entry, pointers)
    }

    /// The functions with calls that have a body in the part.
    pub(super) fn called(&self, recording: &Recording) -> BTreeSet<FunctionId> {
        let functions = recording.calls.iter().map(|call| call.function);
        functions.filter(|&function| self.part.functions[function].body().is_some()).collect()
    }

    fn single_calls(&self, recording: &Recording, tally: &mut Tally) -> Result<(), String> {
        let made = modular(&self.part);
        for function in self.called(recording) {
            let Some(new) = self.new_program(only(&made, function), function, Pointers::Numbers) else {
                continue;
            };
            let calls = self.sample(recording, |call| recording.calls[call].function == function);
            let paths: Vec<_> = calls.iter().map(|&call| (recording.calls[call].events.clone(), 0)).collect();
            self.replay("modular", &new, recording, &paths, tally)?;
        }
        Ok(())
    }

    fn recursion(&self, recording: &Recording, tally: &mut Tally) -> Result<(), String> {
        let (functions, mut all) = (ModularFunctions::of(&self.part), modular(&self.part));
        for function in self.called(recording) {
            let mut nested = self.part.functions[function].clone();
            let Some(head) = self_calls_as_loop(&mut nested, function) else { continue };
            let Some(body) = nested.body_mut() else { continue };
            add_sign(body, head, 0);
            functions.rewrite(body, &functions.all_observed());
            all.functions[function] = nested;
            let made = only(&all, function);
            let Some(new) = self.new_program(made, function, Pointers::Numbers) else { continue };
            let is_own = |call: usize| recording.calls[call].function == function;
            let paths: Vec<_> = self
                .sample(recording, is_own)
                .into_iter()
                .map(|call| chain(recording, call, is_own))
                .map(|chain| (path(recording, &chain), chain.len()))
                .collect();
            self.replay("self_calls_as_loop", &new, recording, &paths, tally)?;
            self.recursion_with_memory(function, tally)?;
        }
        Ok(())
    }

    fn circles(&self, recording: &Recording, tally: &mut Tally) -> Result<(), String> {
        let (functions, mut all) = (ModularFunctions::of(&self.part), modular(&self.part));
        for circle in CallGraph::of(&self.part).circles().iter().filter(|circle| circle.len() > 1) {
            for first in 0..circle.len() {
                let mut turned = circle.clone();
                turned.rotate_left(first);
                let first = turned[0];
                let nested = mutual_calls_as_loop(&functions, &turned, &functions.all_observed());
                let Some((mut body, head)) = nested else { continue };
                add_sign(&mut body, head, 0);
                all.functions[first].definition = Definition::Body(Box::new(body));
                let made = only(&all, first);
                let Some(new) = self.new_program(made, first, Pointers::Numbers) else { continue };
                let is_in = |call: usize| circle.contains(&recording.calls[call].function);
                let paths = self.paths_from(recording, first, is_in);
                let paths: Vec<_> =
                    paths.into_iter().map(|chain| (path(recording, &chain), chain.len())).collect();
                self.replay("mutual_calls_as_loop", &new, recording, &paths, tally)?;
            }
        }
        Ok(())
    }

    /// Chains of some calls that begin in a function.
    fn paths_from(
        &self,
        recording: &Recording,
        first: FunctionId,
        is_in: impl Fn(usize) -> bool + Copy,
    ) -> Vec<Vec<usize>> {
        let from_first = |call: usize| {
            let chain = chain(recording, call, is_in);
            let start = chain.iter().position(|&one| recording.calls[one].function == first)?;
            Some(chain[start..].to_vec())
        };
        let calls = self.sample(recording, |call| is_in(call) && from_first(call).is_some());
        calls.into_iter().filter_map(from_first).collect()
    }

    fn chains(&self, recording: &Recording, tally: &mut Tally) -> Result<(), String> {
        for entry in self.called(recording) {
            let Some(mut made) = call_chains(&self.part, entry, ChainMemory::Dropped) else { continue };
            let Some(body) = made.functions[entry].body_mut() else { continue };
            sign_stations(body);
            let Some(new) = self.new_program(only(&made, entry), entry, Pointers::Numbers) else { continue };
            let is_in = |call: usize| self.part.functions[recording.calls[call].function].body().is_some();
            let paths = self.paths_from(recording, entry, is_in);
            let paths: Vec<_> =
                paths.into_iter().map(|chain| (path(recording, &chain), chain.len() - 1)).collect();
            self.replay("call_chains without memory", &new, recording, &paths, tally)?;
        }
        Ok(())
    }

    fn call_graph(&self, recording: &Recording, tally: &mut Tally) -> Result<(), String> {
        let graph = CallGraph::of(&self.old.program);
        for call in &recording.calls {
            let Some(caller) = call.caller.map(|caller| recording.calls[caller].function) else { continue };
            tally.parts.entry("CallGraph").or_default().runs += 1;
            if !graph.lead(caller, call.function) {
                return Err(format!(
                    "no call leads from {} to {}",
                    self.name(caller),
                    self.name(call.function)
                ));
            }
        }
        Ok(())
    }
}

/// Puts signs at the stations of chains: they are the last blocks, as many as there are numbers of called functions.
pub fn sign_stations(body: &mut program::Body) {
    let stations = body.variables.values().filter(|variable| variable.name == "which").count();
    let blocks: Vec<program::BlockId> = body.blocks.ids().rev().take(stations).collect();
    for (number, block) in blocks.into_iter().enumerate() {
        add_sign(body, block, number);
    }
}

/// The calls that lead to one by names, outermost first, as far as they are of some kind.
fn chain(recording: &Recording, call: usize, is_in: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut chain = vec![call];
    let mut current = call;
    while let Some(caller) = recording.calls[current].caller.filter(|&caller| is_in(caller)) {
        chain.push(caller);
        current = caller;
    }
    chain.reverse();
    chain
}

/// The events of a chain of calls: of each but the last up to where the next is made.
fn path(recording: &Recording, chain: &[usize]) -> Vec<usize> {
    let mut path = Vec::new();
    for (place, &call) in chain.iter().enumerate() {
        let events = &recording.calls[call].events;
        let next = chain.get(place + 1).and_then(|&next| recording.calls[next].events.first());
        let end = next.map_or(events.len(), |next| events.partition_point(|event| event < next));
        path.extend(&events[..end]);
    }
    path
}
