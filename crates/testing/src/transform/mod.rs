//! Holds the theorems of program transformations against runs: whatever an old program does, the new one can do.
//!
//! ```text
//! C text ─► program with probes ─┬─► a run, place by place ─► a path: one call, or a chain of calls
//!                                └─► transformed ─► a run that is given what it asks for from the path:
//!                                                   does it come by the same probes with the same values?
//! ```
//!
//! | transformation           | what is replayed                                                                     |
//! |--------------------------|--------------------------------------------------------------------------------------|
//! | `modular`                | single calls, whoever makes them                                                     |
//! | `self_calls_as_loop`     | chains of calls of a function by itself: modularly; with memory as long as no call   |
//! |                          | has returned, if the function has no objects of its own                              |
//! | `mutual_calls_as_loop`   | chains of calls of a circle, whichever of its functions they begin in                |
//! | `call_chains`, dropped   | chains of calls by name from the function                                            |
//! | `call_chains`, kept      | the run up to where the first call that is followed returns, with its memory         |
//! | `assume_at_entry`        | the run up to the first call in which the condition does not hold                    |
//! | `CallGraph`              | each call by name is in it                                                           |
//!
//! Heads of recursion loops and stations are counted: control must be there once for each call of the chain. Pointers of
//! programs without memory are compared as numbers: objects lie at addresses that are chosen here, far from each other.
//! So two objects are never neighbours, and no address is in the upper half.
//!
//! Some functions have a part of their own ([`part`]): `outside_…` are those of other files, `unsupported_…` those that could
//! not be represented, and what a `hidden_…` does is done by the store before it: so exported variables change at stores
//! through unknown pointers, which the interpreter cannot do itself.
//!
//! Not covered: infinite runs as such (only what they do in so many steps, any number of them), runs after the first
//! thing that is undefined (runs in which addresses of different objects are compared count as such), `longjmp`, and what
//! the tests of a program's chains leave out with memory: what comes after a call that was followed.

mod probes;
pub mod programs;
mod record;
mod replay;

use std::collections::BTreeSet;
use std::path::Path;

use base::Index;
use program::interpret::{ObligationSet, Options, Outcome};
use program::{BinaryOp, Callee, Definition, FunctionId, Obligation, Program, StatementKind, Type};
use transform::{
    CallGraph, ChainMemory, assume_at_entry, call_chains, modular, mutual_calls_as_loop, self_calls_as_loop,
};

use self::probes::{HIDDEN, add_probes, add_sign, known_floats, visible};
use self::record::{Old, Recording, record};
use self::replay::{New, Pointers};
use crate::interpretation::{Form, program_of};
use crate::random::Random;

/// What was replayed of one transformation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Part {
    /// Replays.
    pub runs: usize,
    /// Replays that asked for what nobody can know.
    pub lost: usize,
    /// Places that were compared.
    pub places: usize,
    /// Values that were compared.
    pub values: usize,
    /// The longest chain of calls.
    pub longest: usize,
}

/// What came of programs, in numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Runs of old programs.
    pub runs: usize,
    /// Runs that do something undefined, so that nothing follows from them.
    pub doubtful: usize,
    /// What was replayed, by transformation.
    pub parts: std::collections::BTreeMap<&'static str, Part>,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: &Tally) {
        self.runs += other.runs;
        self.doubtful += other.doubtful;
        for (&name, part) in &other.parts {
            let own = self.parts.entry(name).or_default();
            own.runs += part.runs;
            own.lost += part.lost;
            own.places += part.places;
            own.values += part.values;
            own.longest = own.longest.max(part.longest);
        }
    }

    /// What was replayed of a transformation.
    pub fn part(&self, name: &str) -> Part {
        self.parts.get(name).copied().unwrap_or_default()
    }
}

/// What may be done to new programs before they run, to see whether that is noticed.
pub type Damage = fn(&mut Program);

/// How much is examined.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Places of an old run.
    pub events: usize,
    /// Calls of each function that are replayed, and chains of each transformation.
    pub calls: usize,
    /// What is done to new programs.
    pub damage: Damage,
}

impl Default for Limits {
    fn default() -> Self {
        Self { events: 1500, calls: 6, damage: |_| {} }
    }
}

/// Examines a program in one run of `main`, whose inputs a seed gives.
///
/// # Errors
/// A run that the new program does not have.
pub fn check(folder: &Path, text: &str, seed: u64, limits: &Limits) -> Result<Tally, String> {
    let form = Form::ALL[usize::from(seed % 4 != 0)];
    let whole = program_of(folder, text, form)?;
    let examined = Examined::new(whole, seed, limits);
    let main = examined.old.program.function_named("main").ok_or("no main")?;
    let mut tally = Tally::default();
    let recording = record(&examined.old, main, seed, limits.events, &options());
    tally.runs += 1;
    if recording.is_doubtful() {
        tally.doubtful += 1;
        return Ok(tally);
    }
    examined.single_calls(&recording, &mut tally)?;
    examined.recursion(&recording, &mut tally)?;
    examined.circles(&recording, &mut tally)?;
    examined.chains(&recording, &mut tally)?;
    examined.call_graph(&recording, &mut tally)?;
    examined.assumptions(main, &recording, &mut tally)?;
    examined.with_memory(main, &mut tally)?;
    Ok(tally)
}

fn options() -> Options {
    // Nothing undefined happens in the runs that theorems speak of. Memory that is lost is not undefined, and values that
    // nobody has written are inputs.
    let checks = ObligationSet::ALL.without(Obligation::Leak).without(Obligation::Uninitialised);
    let ignored = ObligationSet::EMPTY.with(Obligation::Uninitialised);
    Options { checks, ignored, memory: 1 << 24, call_depth: 60, ..Options::default() }
}

/// The part of a program that is transformed, and whether it is less than all.
pub fn part(whole: &Program) -> (Program, bool) {
    let mut part = whole.clone();
    let mut is_less = false;
    let hidden: BTreeSet<FunctionId> =
        whole.functions.iter().filter(|(_, one)| one.name.starts_with(HIDDEN)).map(|(id, _)| id).collect();
    for (_, function) in part.functions.iter_mut() {
        if function.body().is_some() && function.name.starts_with("unsupported_") {
            let reason = String::from("it is not looked at");
            function.definition = Definition::Unsupported { reason, location: function.location };
            is_less = true;
        }
        if function.body().is_some()
            && ["outside_", HIDDEN].iter().any(|name| function.name.starts_with(name))
        {
            function.definition = Definition::External;
            is_less = true;
        }
        for (_, block) in function.body_mut().into_iter().flat_map(|body| body.blocks.iter_mut()) {
            block.statements.retain(|statement| match statement.kind {
                StatementKind::Call { callee: Callee::Function(callee), .. } => !hidden.contains(&callee),
                _ => true,
            });
        }
    }
    part.world.open |= is_less;
    (part, is_less)
}

/// A program without the bodies of all functions but one.
fn only(program: &Program, function: FunctionId) -> Program {
    let mut one = Program { functions: base::Arena::new(), ..Program::default() };
    one.data_model = program.data_model;
    one.files.clone_from(&program.files);
    one.objects.clone_from(&program.objects);
    one.globals.clone_from(&program.globals);
    for (id, other) in program.functions.iter() {
        let definition = if id == function { other.definition.clone() } else { Definition::External };
        one.functions.push(program::Function {
            name: other.name.clone(),
            location: other.location,
            parameters: other.parameters.clone(),
            aggregates: other.aggregates.clone(),
            result: other.result,
            variadic: other.variadic,
            no_return: other.no_return,
            definition,
        });
    }
    one
}

/// A program that is examined.
struct Examined<'l> {
    old: Old,
    part: Program,
    is_less: bool,
    limits: &'l Limits,
    seed: u64,
}

impl<'l> Examined<'l> {
    fn new(mut whole: Program, seed: u64, limits: &'l Limits) -> Self {
        let probes = add_probes(&mut whole);
        let visible = visible(whole.clone(), &known_floats(&whole));
        let (part, is_less) = part(&whole);
        Self { old: Old { program: whole, visible, probes }, part, is_less, limits, seed }
    }

    fn name(&self, function: FunctionId) -> &str {
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
    fn replay(
        &self,
        what: &'static str,
        new: &New<'_>,
        recording: &Recording,
        paths: &[(Vec<usize>, usize)],
        tally: &mut Tally,
    ) -> Result<(), String> {
        let machine = new.machine(&options());
        let part = tally.parts.entry(what).or_default();
        for (path, signs) in paths.iter().filter(|(path, _)| !path.is_empty()) {
            let shown = new
                .replay(&machine, recording, path)
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

    fn new_program<'s>(
        &'s self,
        mut program: Program,
        entry: FunctionId,
        pointers: Pointers,
    ) -> Option<New<'s>> {
        (self.limits.damage)(&mut program);
        New::new(&self.old, program, entry, pointers)
    }

    /// The functions with calls that have a body in the part.
    fn called(&self, recording: &Recording) -> BTreeSet<FunctionId> {
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
        for function in self.called(recording) {
            let Some(mut nested) = self_calls_as_loop(&self.part, function) else { continue };
            let Some(body) = nested.program.functions[function].body_mut() else { continue };
            add_sign(body, nested.head, 0);
            let made = only(&modular(&nested.program), function);
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

    /// The same in a run that starts in the function, with its memory, until a call returns.
    fn recursion_with_memory(&self, function: FunctionId, tally: &mut Tally) -> Result<(), String> {
        let has_objects = self.part.functions[function].body().is_none_or(|body| !body.locals.is_empty());
        if self.is_less || has_objects || self.name(function) == "main" {
            return Ok(());
        }
        let Some(mut nested) = self_calls_as_loop(&self.part, function) else { return Ok(()) };
        let Some(body) = nested.program.functions[function].body_mut() else { return Ok(()) };
        add_sign(body, nested.head, 0);
        let recording = record(&self.old, function, self.seed, self.limits.events, &options());
        if recording.is_doubtful() {
            return Ok(());
        }
        let path = self.until_return(&recording, &BTreeSet::from([function]));
        let calls: BTreeSet<usize> = path.iter().map(|&event| recording.events[event].call).collect();
        let own = calls.iter().filter(|&&call| recording.calls[call].function == function).count();
        let Some(new) = self.new_program(nested.program, function, Pointers::Objects) else { return Ok(()) };
        self.replay("self_calls_as_loop with memory", &new, &recording, &[(path, own)], tally)
    }

    fn circles(&self, recording: &Recording, tally: &mut Tally) -> Result<(), String> {
        for circle in CallGraph::of(&self.part).circles().iter().filter(|circle| circle.len() > 1) {
            for first in 0..circle.len() {
                let mut turned = circle.clone();
                turned.rotate_left(first);
                let first = turned[0];
                let Some(mut nested) = mutual_calls_as_loop(&self.part, &turned) else { continue };
                let Some(body) = nested.program.functions[first].body_mut() else { continue };
                add_sign(body, nested.head, 0);
                let made = only(&nested.program, first);
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

    /// Chains that keep memory, in runs that start in `main` and in others.
    fn with_memory(&self, main: FunctionId, tally: &mut Tally) -> Result<(), String> {
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
            let Some(new) = New::new(&old, made, entry, Pointers::Objects) else { continue };
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

    fn assumptions(&self, main: FunctionId, recording: &Recording, tally: &mut Tally) -> Result<(), String> {
        let mut random = Random::new(self.seed);
        for function in self.called(recording) {
            let mut assumed = self.old.program.clone();
            let Some(body) = assumed.functions[function].body_mut() else { continue };
            let of_function = |call: &&record::Call| call.function == function;
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
            let (value, bound_value) =
                (body.read(parameter), body.integer(body.variables[parameter].ty, bound));
            let condition = body.binary(BinaryOp::LessEqual, value, bound_value);
            assume_at_entry(&mut assumed, function, condition).ok_or("no body to assume anything in")?;
            (self.limits.damage)(&mut assumed);
            let seen = visible(assumed.clone(), &known_floats(&assumed));
            let new = Old { program: assumed, visible: seen, probes: self.old.probes.clone() };
            let shown = record(&new, main, self.seed, self.limits.events, &options());
            let end = given.iter().find(|(_, value)| *value > bound).map(|(event, _)| *event);
            self.compare(recording, &shown, end)
                .map_err(|message| format!("assume_at_entry of {}: {message}", self.name(function)))?;
            let part = tally.parts.entry("assume_at_entry").or_default();
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
        // A run that is stopped has gone on for some steps that are not recorded.
        let was_stopped = old.run.as_ref().is_some_and(|run| matches!(run.outcome, Outcome::Stopped(_)));
        let was_cut = old.run.as_ref().is_some_and(|run| run.outcome == Outcome::AssumptionFailed);
        if is_cut != (end.is_some() || was_cut) && (end.is_some() || !was_stopped) {
            return Err(String::from("it is not where the condition fails that the run ends"));
        }
        Ok(())
    }
}

/// Puts signs at the stations of chains: they are the last blocks, as many as there are numbers of called functions.
fn sign_stations(body: &mut program::Body) {
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
