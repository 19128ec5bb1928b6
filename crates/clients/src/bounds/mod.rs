//! How many iterations the loops of a program make (Proteus, section 7.1).
//!
//! Every function is analysed modularly, with any arguments and in any memory ([`transform::modular`]). A loop's bound
//! is over the values at its entry; where these follow from what the function was given, the bound is restated over
//! that, and nested loops are multiplied out. Each number that is given was checked by the kernel.
//!
//! Runs are those without undefined behaviour: a signed overflow ends a run. A function that is called returns.

pub(crate) mod normal;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use base::Budget;
use certify::abstraction::{Abstraction, Batch, Effort, Reference, Restated};
use certify::{ModularFunctions, ModularProgram, Subject};
use engines::bounding::{self, Found, Growths, Missing, Others};
use engines::ranking::Target;
use evidence::{
    Aspect, BoundsReport, Count, Expression, Integer, IterationBound, LoopBound, Overflow, Place, ProofMode,
};
use loops::{LoopForest, LoopId, LoopName, LoopNames};
use program::interpret::Integers;
use program::{FunctionId, Program};

use crate::functions::{Examined, Rounds, TIME_IS_OVER, Turn, Watch, wanted};

use self::normal::normal;
use crate::results::Results;

/// What a query may cost: there are many of them, and each is small.
const EFFORT: Effort = Effort { batch: Batch::All, steps: 1_000, time: Duration::from_secs(2) };

/// How long a loop may take.
pub(crate) const LOOP_TIME: Duration = Duration::from_secs(2);

/// The bounds of a program's loops, function by function.
pub struct Bounds<'p> {
    program: &'p Program,
    functions: Arc<ModularFunctions<'p>>,
    results: Results,
    integers: Integers,
    names: BTreeMap<FunctionId, Vec<LoopName>>,
    /// How long a loop may take.
    pub loop_time: Duration,
}

impl<'p> Bounds<'p> {
    /// The loops of a program.
    pub fn new(program: &'p Program, integers: Integers) -> Self {
        Self::sharing(program, Arc::new(ModularFunctions::of(program)), integers)
    }

    /// The same, with what all functions need to know of the program.
    pub(crate) fn sharing(
        program: &'p Program,
        functions: Arc<ModularFunctions<'p>>,
        integers: Integers,
    ) -> Self {
        let mut all = LoopNames::new();
        let mut names = BTreeMap::new();
        for (function, description) in program.functions.iter() {
            let Some(body) = description.body() else { continue };
            let found = all.of_function(program, function, &LoopForest::of(body));
            if !found.is_empty() {
                names.insert(function, found);
            }
        }
        Self { program, functions, results: Results::default(), integers, names, loop_time: LOOP_TIME }
    }

    /// The functions that have loops.
    pub fn functions(&self) -> Vec<FunctionId> {
        self.names.keys().copied().collect()
    }

    /// What the loops of a function are called.
    pub fn names(&self, function: FunctionId) -> &[LoopName] {
        self.names.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The loops of a function.
    pub fn of_function(&self, function: FunctionId, budget: &Budget) -> Vec<LoopBound> {
        self.within(function, self.loop_time, budget)
    }

    fn within(&self, function: FunctionId, loop_time: Duration, budget: &Budget) -> Vec<LoopBound> {
        let Some(body) = self.program.functions[function].body() else { return Vec::new() };
        let forest = LoopForest::of(body);
        let found = self.bounds(function, &forest, loop_time, &mut budget.clone());
        self.listed(function, &forest, found)
    }

    /// The loops of a function once more, with what was known of them.
    pub(crate) fn better(
        &self,
        function: FunctionId,
        known: &[LoopBound],
        turn: Turn,
        budget: &Budget,
    ) -> Vec<LoopBound> {
        let found = self.within(function, turn.loop_time, &turn.limited(budget));
        let is_worse = |new: &LoopBound, old: &LoopBound| new.bound.is_none() && old.bound.is_some();
        let better =
            |(new, old): (LoopBound, &LoopBound)| if is_worse(&new, old) { old.clone() } else { new };
        found.into_iter().zip(known).map(better).collect()
    }

    /// The loops of a function without bounds, for one reason.
    pub fn unbounded(&self, function: FunctionId, why: &str) -> Vec<LoopBound> {
        let Some(body) = self.program.functions[function].body() else { return Vec::new() };
        let forest = LoopForest::of(body);
        let found = forest.iter().map(|_| Err(why.to_owned())).collect();
        self.listed(function, &forest, found)
    }

    fn listed(
        &self,
        function: FunctionId,
        forest: &LoopForest,
        found: Vec<Result<IterationBound, String>>,
    ) -> Vec<LoopBound> {
        let names = self.names(function);
        let mut loops = Vec::new();
        for ((id, item), outcome) in forest.iter().zip(found) {
            let index = base::Index::index(id);
            loops.push(LoopBound {
                function: self.program.functions[function].name.clone(),
                name: names[index].to_string(),
                place: Place::of(self.program, names[index].location),
                depth: item.depth,
                around: item.parent.map(base::Index::index),
                missing: outcome.as_ref().err().cloned(),
                bound: outcome.ok(),
            });
        }
        loops
    }

    fn bounds(
        &self,
        function: FunctionId,
        forest: &LoopForest,
        loop_time: Duration,
        budget: &mut Budget,
    ) -> Vec<Result<IterationBound, String>> {
        let Some(alone) = self.functions.function(function) else { return Vec::new() };
        let mut found = search(&alone, self.integers, forest, loop_time, budget);
        let is_open = |one: &Result<IterationBound, String>| one.as_ref().map_or(true, |bound| bound.by_type);
        if found.iter().any(is_open)
            && self.integers == Integers::Machine
            && let Some(alone) = self.results.function(self.program, &self.functions, function, budget)
        {
            let again = search(&alone, self.integers, forest, loop_time, budget);
            for (one, again) in found.iter_mut().zip(again) {
                if is_open(one) && !is_open(&again) {
                    *one = again;
                }
            }
        }
        found
    }
}

/// The bounds of the loops of a modular function.
pub(crate) fn search(
    alone: &ModularProgram,
    integers: Integers,
    forest: &LoopForest,
    loop_time: Duration,
    budget: &mut Budget,
) -> Vec<Result<IterationBound, String>> {
    let subject = Subject::modular(alone, integers);
    let abstraction = Abstraction::new(&subject, ProofMode::modular(Overflow::Excluded), budget);
    let Ok(abstraction) = abstraction else {
        let why = "the function is too large for the time";
        return forest.iter().map(|_| Err(why.to_owned())).collect();
    };
    BoundSearch {
        abstraction,
        forest,
        found: Vec::new(),
        growths: Growths::default(),
        restated: BTreeMap::new(),
        loop_time,
    }
    .all(budget)
}

/// The loops of several functions in one list.
fn arranged(functions: Vec<Vec<LoopBound>>) -> BoundsReport {
    let mut report = BoundsReport::default();
    for loops in functions {
        let first = report.loops.len();
        let moved = |one: LoopBound| LoopBound { around: one.around.map(|around| first + around), ..one };
        report.loops.extend(loops.into_iter().map(moved));
    }
    report
}

/// The bounds of a program's loops, or of those of the function with this name, several functions at a time.
pub fn run(
    program: &Program,
    integers: Integers,
    function: Option<&str>,
    budget: &Budget,
    watch: Watch<'_>,
) -> BoundsReport {
    let bounds = Bounds::new(program, integers);
    let functions = wanted(program, bounds.functions(), function);
    let nothing = functions.iter().map(|&function| (function, bounds.unbounded(function, TIME_IS_OVER)));
    let mut known: BTreeMap<FunctionId, Vec<LoopBound>> = nothing.collect();
    let rounds = Rounds { program, functions: &functions, most: bounds.loop_time, budget, watch };
    for function in rounds.run(&mut known, &Search { bounds: &bounds, budget }) {
        known.entry(function).and_modify(|loops| cut_short(loops));
    }
    arranged(known.into_values().collect())
}

/// The search for the bounds of functions in rounds.
struct Search<'a, 'p> {
    bounds: &'a Bounds<'p>,
    budget: &'a Budget,
}

impl Examined<Vec<LoopBound>> for Search<'_, '_> {
    fn open(&self, known: &Vec<LoopBound>) -> usize {
        open(known)
    }

    fn work(&self, function: FunctionId, known: &Vec<LoopBound>, turn: Turn) -> Vec<LoopBound> {
        self.bounds.better(function, known, turn, self.budget)
    }

    fn failed(&self, function: FunctionId, _: &Vec<LoopBound>, problem: &str) -> Vec<LoopBound> {
        self.bounds.unbounded(function, problem)
    }
}

/// How many loops have no bound.
pub(crate) fn open(loops: &[LoopBound]) -> usize {
    loops.iter().filter(|one| one.bound.is_none()).count()
}

/// Says of the loops without a bound that the time is over.
pub(crate) fn cut_short(loops: &mut [LoopBound]) {
    for one in loops.iter_mut().filter(|one| one.bound.is_none()) {
        one.missing = Some(TIME_IS_OVER.to_owned());
    }
}

/// The loops of one function.
struct BoundSearch<'a> {
    abstraction: Abstraction<'a>,
    forest: &'a LoopForest,
    /// The bounds so far, by loop.
    found: Vec<Option<Rc<Found>>>,
    /// What loops do to numbers.
    growths: Growths,
    /// The bounds over earlier values so far.
    restated: BTreeMap<(LoopId, Reference), Option<Restated>>,
    loop_time: Duration,
}

impl BoundSearch<'_> {
    fn all(mut self, budget: &mut Budget) -> Vec<Result<IterationBound, String>> {
        let mut found = Vec::new();
        for (id, _) in self.forest.iter() {
            let mut part = budget.clone().within(self.loop_time);
            let one = self.bound(id, &mut part).map(Rc::new);
            self.found.push(one.as_ref().ok().cloned());
            let mut part = bounding::part_of_time(&part);
            found.push(one.map(|one| self.report(id, &one, &mut part)));
        }
        found
    }

    fn bound(&mut self, id: LoopId, budget: &mut Budget) -> Result<Found, String> {
        let head = self.forest[id].head;
        let mut abstract_loops = (0..self.abstraction.abstract_loops().len())
            .filter(|&abstract_loop| self.abstraction.abstract_loops()[abstract_loop].head == head);
        let Some(abstract_loop) = abstract_loops.next() else {
            return Err(String::from("control never comes to it"));
        };
        if abstract_loops.next().is_some() {
            return Err(String::from("control comes into the middle of it"));
        }
        drop(abstract_loops);
        if budget.remaining_time().is_some_and(|time| time.is_zero()) {
            return Err(TIME_IS_OVER.to_owned());
        }
        let target = &mut Target { abstraction: &mut self.abstraction, abstract_loop, effort: EFFORT };
        bounding::bound(target, budget).map_err(|missing| match missing {
            Missing::NoRank => String::from("no number was found that every iteration makes less"),
            Missing::NoRaise => {
                String::from("it is not known how much one way through it gives another back")
            }
            Missing::NotKnown => String::from("the solver does not know"),
            Missing::Refused(why) => why,
        })
    }

    fn report(&mut self, id: LoopId, found: &Found, budget: &mut Budget) -> IterationBound {
        let bounded = &found.bounded;
        let start = self.restated(id, found, Reference::Start, budget);
        let total = self.multiplied(id, Reference::Start, budget);
        let outermost = self.forest.ancestors(id).last().filter(|&outer| outer != id);
        let outermost = outermost.and_then(|outer| self.found[base::Index::index(outer)].clone());
        let nest = match (&total, outermost) {
            (None, Some(outermost)) => {
                self.multiplied(id, Reference::Entry(outermost.bounded.abstract_loop()), budget)
            }
            _ => None,
        };
        let count = |iterations: &Expression, exact| Count { iterations: normal(iterations), exact };
        let is_alone = self.forest[id].parent.is_none();
        let start = start.map(|start| count(&start.total(), start.is_exact()));
        IterationBound {
            visit: count(&bounded.total(), bounded.is_exact()),
            parts: bounded.counts().iter().map(normal).collect(),
            total: total.map(|total| {
                let exact = is_alone && start.as_ref().is_some_and(|start| start.exact);
                count(&total, exact)
            }),
            start,
            nest: nest.map(|nest| count(&nest, false)),
            by_type: bounded.evidence().components.iter().any(|spent| is_by_type(&spent.rank)),
            evidence: bounded.evidence().clone(),
        }
    }

    fn restated(
        &mut self,
        id: LoopId,
        found: &Found,
        reference: Reference,
        budget: &mut Budget,
    ) -> Option<Restated> {
        if let Some(known) = self.restated.get(&(id, reference)) {
            return known.clone();
        }
        let others = Others { found: &self.found, growths: &mut self.growths };
        let one = bounding::restate(&mut self.abstraction, found, others, reference, EFFORT, budget);
        // What the time did not suffice for is tried again.
        if one.is_some() || budget.spend(0).is_ok() {
            self.restated.insert((id, reference), one.clone());
        }
        one
    }

    /// The bound for all visits of a loop: those of the loops around it and its own, multiplied.
    fn multiplied(&mut self, id: LoopId, reference: Reference, budget: &mut Budget) -> Option<Expression> {
        let mut chain: Vec<LoopId> = self.forest.ancestors(id).collect();
        if !chain.contains(&id) {
            chain.insert(0, id);
        }
        chain.reverse();
        let mut restated = Vec::new();
        for one in chain {
            let found = self.found[base::Index::index(one)].clone()?;
            restated.push(self.restated(one, &found, reference, budget)?);
        }
        self.abstraction.multiplied(&restated)
    }
}

/// Whether only the limits of a machine type, or of addresses, explain a rank.
fn is_by_type(rank: &Expression) -> bool {
    is_large(rank) || pointers(rank) != Integer::ZERO
}

/// How many pointers a sum has more than it subtracts: none if it is a distance.
fn pointers(rank: &Expression) -> Integer {
    match rank {
        Expression::Quantity { quantity, .. } if quantity.aspect == Aspect::Offset => Integer::ONE,
        Expression::Sum(parts) => parts.iter().map(pointers).sum(),
        Expression::Product(parts) => match &parts[..] {
            [Expression::Constant(factor), other] => factor * pointers(other),
            _ => Integer::ZERO,
        },
        Expression::Select { then, .. } => pointers(then),
        _ => Integer::ZERO,
    }
}

fn is_large(rank: &Expression) -> bool {
    let limit = Integer::from((1i64 << 31) - 2);
    match rank {
        Expression::Constant(number) => *number >= limit || *number <= -limit,
        Expression::Sum(parts) => parts.iter().any(is_large),
        Expression::Select { then, .. } => is_large(then),
        _ => false,
    }
}
