//! What a call of a function costs, as a formula over what the function is given.
//!
//! *Counted* are the iterations of all loops of the program, in the function and in all that it calls, until the call
//! returns or the run ends; and the calls of a function by itself, which are the iterations of its recursion. What
//! functions of the library do that call nothing back is not counted, and nothing that runs after `exit` was called, in
//! signal handlers or in other threads.
//!
//! **Theorem.** Take a run of the program on which nothing undefined happens (no signed number overflows), and a call in it
//! of a function with a cost C. At each moment of the call, at most C was counted in it, where C is read over ℤ at what
//! parameters and variables of the program held when the function was entered.
//!
//! *Proof*, by induction over calls, callees first. What a function does between its calls is a run of its modular
//! program, in which memory and results of calls are arbitrary ([`transform::modular`]): so the kernel's bounds hold in it
//! ([`clients::bounds`](crate::bounds)), whatever was read and whatever wrapped.
//!
//! ```text
//! C(f)  =  Σ of its loops: iterations in all visits  +  Σ of its calls: how often × max of the callees' costs there
//! ```
//!
//! - *How often* a call is made: control comes to a block of a loop (with one entry) at most once in each iteration, and once more if it
//!   stands in the loop's condition (`Body::before_iterations`); else at most once in each entry of the function.
//! - *The costs there*: a cost C(g) is made of sums, products of natural numbers, quotients and extremes. Each grows with its
//!   parts. So if every linear sum in C(g) is replaced by what is at least as large, the result is at least C(g)
//!   ([`formula`]). For each sum, the kernel bounds a loop that stands before the call and makes just as many iterations
//!   as the sum says of the arguments ([`transform::with_probes`]), over what f was given.
//! - A call through a pointer costs as much as the dearest of the functions that it may call. These are the ones whose address
//!   is used and that can take such arguments; in a program that other code may enter, they are not known.
//! - *Recursion* ([`recursion`]): the calls of a function by itself are a tree, whose depth is the bound of a loop.
//!
//! If a part is not known, neither is the sum: a function of which the code is not here, assembler, a loop without a bound, a
//! number that does not come from what the function was given, and functions that call each other.
//!
//! Known imprecision: what a function reads from memory is nothing that it was given; several functions that call each other
//! have no cost; costs of calls in a loop are multiplied, not added up.

mod calls;
mod class;
mod formula;
mod function;
mod recursion;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base::{Budget, Index, Location};
use certify::ModularFunctions;
use evidence::{Aspect, CallCost, FunctionCost, MissingCost, Place, Quantity};
use program::interpret::Integers;
use program::{FunctionId, Program, Type};
use transform::CallGraph;

use self::calls::{Addressed, Call, calls};
use self::formula::readable;
use self::function::{Cost, Function, Given};
use crate::bounds::normal::normal;
use crate::functions::{Progress, Ration, TIME_IS_OVER, Watch, for_each_function};

/// The most time that a function gets.
const FUNCTION_TIME: Duration = Duration::from_secs(20);

/// Why a cost is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Missing {
    reason: String,
    location: Location,
}

/// What is known of the functions so far.
type Known = BTreeMap<FunctionId, Result<Cost, Missing>>;

/// What calls of some functions cost. Functions that they call are examined first, several at a time.
pub fn of(
    program: &Program,
    integers: Integers,
    functions: &[FunctionId],
    budget: &Budget,
    watch: Watch<'_>,
) -> Vec<FunctionCost> {
    let all = Calls::behind(program, functions);
    let search = Search { program, integers, modular: ModularFunctions::of(program), all, budget };
    let known = search.run(watch);
    functions.iter().map(|function| search.described(*function, known.get(function))).collect()
}

/// The calls of some functions, and of all that they call.
struct Calls(BTreeMap<FunctionId, Result<Vec<Call>, Missing>>);

impl Calls {
    fn behind(program: &Program, functions: &[FunctionId]) -> Self {
        let addressed = Addressed::of(program);
        let mut found = BTreeMap::new();
        let mut left = functions.to_vec();
        while let Some(function) = left.pop() {
            if found.contains_key(&function) {
                continue;
            }
            let Some(body) = program.functions[function].body() else { continue };
            let calls = calls(program, body, &addressed);
            left.extend(calls.iter().flatten().flat_map(|call| &call.callees));
            found.insert(function, calls);
        }
        Self(found)
    }

    /// The functions, callees first, in groups of which each needs only those before it.
    fn levels(&self) -> Vec<Vec<Vec<FunctionId>>> {
        let callees = |calls: &Result<Vec<Call>, Missing>| -> BTreeSet<FunctionId> {
            calls.iter().flatten().flat_map(|call| call.callees.iter().copied()).collect()
        };
        let called = self.0.iter().map(|(&function, calls)| (function, callees(calls))).collect();
        let graph = CallGraph::of_calls(called);
        let mut levels: Vec<Vec<Vec<FunctionId>>> = Vec::new();
        let mut level_of: BTreeMap<FunctionId, usize> = BTreeMap::new();
        for circle in graph.callees_first() {
            let behind = circle.iter().flat_map(|&function| graph.called(function));
            let level = behind.filter_map(|callee| level_of.get(&callee)).max().map_or(0, |level| level + 1);
            level_of.extend(circle.iter().map(|&function| (function, level)));
            if levels.len() <= level {
                levels.push(Vec::new());
            }
            levels[level].push(circle);
        }
        levels
    }
}

struct Search<'p> {
    program: &'p Program,
    integers: Integers,
    modular: ModularFunctions<'p>,
    all: Calls,
    budget: &'p Budget,
}

impl Search<'_> {
    fn run(&self, watch: Watch<'_>) -> Known {
        let mut known = Known::new();
        let (count, done) = (self.all.0.len(), AtomicUsize::new(0));
        let ration = Ration::of(count);
        let watch = |progress: Progress<'_>| {
            if let Progress::Function(name, ..) = progress {
                watch(Progress::Function(name, done.fetch_add(1, Ordering::Relaxed) + 1, count));
            }
        };
        for level in self.all.levels() {
            let (circles, alone): (Vec<_>, Vec<_>) = level.into_iter().partition(|circle| circle.len() > 1);
            for function in circles.into_iter().flatten() {
                let location = self.program.functions[function].location;
                let reason = String::from("functions that call each other");
                known.insert(function, Err(Missing { reason, location }));
            }
            let alone: Vec<FunctionId> = alone.into_iter().flatten().collect();
            let work = |function: FunctionId| {
                let mut part = self.budget.clone().within(ration.next(self.budget, FUNCTION_TIME));
                self.cost(function, &known, &mut part)
            };
            let failed = |function: FunctionId, problem: &str| {
                let location = self.program.functions[function].location;
                Err(Missing { reason: problem.to_owned(), location })
            };
            let found = for_each_function(self.program, &alone, &watch, work, failed);
            known.extend(alone.into_iter().zip(found));
        }
        known
    }

    fn cost(&self, function: FunctionId, known: &Known, budget: &mut Budget) -> Result<Cost, Missing> {
        let location = self.program.functions[function].location;
        let over = || Missing { reason: TIME_IS_OVER.to_owned(), location };
        let Some(body) = self.program.functions[function].body() else { return Err(over()) };
        let calls = self.all.0.get(&function).cloned().unwrap_or_else(|| Err(over()))?;
        budget.spend(0).map_err(|_| over())?;
        let is_own = |call: &Call| call.callees.contains(&function);
        let (own, others): (Vec<Call>, Vec<Call>) = calls.into_iter().partition(is_own);
        let one = Function { search: self, function, body, known };
        match own.is_empty() {
            true => Ok(one.cost(&others, &[], budget)?.cost),
            false => one.recursive(&own, &others, budget),
        }
    }

    /// Whether what a function was given is never negative.
    fn is_unsigned(&self, function: FunctionId, cost: &Cost, quantity: &Quantity) -> bool {
        let ty = match cost.names.get(&quantity.variable) {
            Some(Given::Parameter(place)) => self.program.functions[function].parameters.get(*place).copied(),
            Some(Given::Global(global)) => Some(self.program.globals[global.index()].variable.ty),
            None => None,
        };
        let is_value = quantity.aspect == Aspect::Value && self.integers == Integers::Machine;
        is_value && matches!(ty, Some(Type::Integer(integer)) if !integer.signed)
    }

    fn described(&self, function: FunctionId, found: Option<&Result<Cost, Missing>>) -> FunctionCost {
        let description = &self.program.functions[function];
        let place = Place::of(self.program, description.location);
        let (cost, missing) = match found {
            Some(Ok(cost)) => {
                let unsigned = |quantity: &Quantity| self.is_unsigned(function, cost, quantity);
                let iterations = normal(&readable(&cost.iterations, &unsigned));
                let class = class::class(&iterations).filter(|_| !cost.by_type);
                (Some(CallCost { iterations, class }), None)
            }
            Some(Err(missing)) => {
                let place = Place::of(self.program, missing.location);
                (None, Some(MissingCost { reason: missing.reason.clone(), place }))
            }
            None => (
                None,
                Some(MissingCost { reason: String::from("its code is not here"), place: place.clone() }),
            ),
        };
        FunctionCost { function: description.name.clone(), place, cost, missing }
    }
}
