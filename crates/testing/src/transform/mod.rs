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
//! Uninitialised values are inputs, as in proofs. A chain with memory leaves out what comes after a call: the old
//! run must come by no place twice there, and make no call of a function with a body.
//!
//! Not covered:
//!
//! - infinite runs as such: only the first steps of a run are replayed, some thousands of them;
//! - runs in which something is undefined or a guess, like the order of addresses of different objects;
//! - pointers that others make of numbers, and objects that are neighbours;
//! - `self_calls_as_loop` with memory and objects of the function: the interpreter gives an object that begins again the
//!   place that it had, the theorem a new one;
//! - calls with memory of which one has returned, `longjmp`, and inline assembler.

pub mod alone;
mod assumptions;
mod examined;
mod memory;
mod new;
mod probes;
pub mod programs;
mod record;
mod replay;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use program::{Callee, Definition, FunctionId, Program, StatementKind};

use self::examined::Examined;
use self::probes::HIDDEN;
use crate::interpretation::{Form, program_of};

/// What was replayed of one transformation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Part {
    /// Replays.
    pub runs: usize,
    /// Replays that asked for an unknown value.
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
    pub parts: BTreeMap<&'static str, Part>,
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
    let form = Form::ALL[usize::from(!seed.is_multiple_of(4))];
    let whole = program_of(folder, text, form)?;
    let main = whole.function_named("main").ok_or("no main")?;
    let mut tally = Tally::default();
    Examined::new(whole, seed, limits).run(main, &mut tally)?;
    Ok(tally)
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
