//! How many iterations the loops of a program make (Proteus, section 7.1).
//!
//! Every function is looked at on its own, with any arguments and in any memory ([`certify::standalone`]). A loop's bound is
//! over the values at its entry; where these follow from what the function was given, the bound is restated over that, and
//! nested loops are multiplied out. Each number that is given was checked by the kernel.
//!
//! Runs are those without undefined behaviour: a signed overflow ends a run. A function that is called returns.

mod normal;

use std::time::Duration;

use base::Budget;
use certify::leaps::{Batch, Bounded, Effort, Leaping, Reference, Restated};
use certify::standalone::standalone;
use certify::unrolling::{Claim, Depth};
use encoding::Leaps;
use engines::bounding::{self, Missing};
use evidence::{BoundsReport, Count, Expression, Integer, IterationBound, LoopBound, Place};
use loops::{LoopForest, LoopId, LoopNames};
use program::interpret::{Integers, ObligationSet};
use program::{FunctionId, Obligation, Program};

pub use self::normal::{degree, normal};

/// What a question may cost: there are many of them, and each is small.
const EFFORT: Effort = Effort { batch: Batch::All, steps: 1_500, time: Duration::from_millis(400) };

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Only this function.
    pub function: Option<String>,
    /// What integers are.
    pub integers: Integers,
}

/// The bounds of a program's loops, function by function.
pub struct Bounds<'p> {
    program: &'p Program,
    alone: Program,
    integers: Integers,
    names: LoopNames,
}

impl<'p> Bounds<'p> {
    /// The loops of a program.
    pub fn new(program: &'p Program, integers: Integers) -> Self {
        Self { program, alone: standalone(program), integers, names: LoopNames::new() }
    }

    /// The functions that have loops.
    pub fn functions(&self) -> Vec<FunctionId> {
        let has_loops = |function: &FunctionId| {
            self.program.functions[*function].body().is_some_and(|body| !LoopForest::of(body).is_empty())
        };
        self.program.functions.ids().filter(has_loops).collect()
    }

    /// The loops of a function. Their places in the list count from `first`.
    pub fn of_function(&mut self, function: FunctionId, first: usize, budget: &Budget) -> Vec<LoopBound> {
        let Some(body) = self.program.functions[function].body() else { return Vec::new() };
        let forest = LoopForest::of(body);
        let names = self.names.of_function(self.program, function, &forest);
        let found = self.bounds(function, &forest, &mut budget.clone());
        let mut loops = Vec::new();
        for ((id, item), outcome) in forest.iter().zip(found) {
            let index = base::Index::index(id);
            let (bound, missing) = match outcome {
                Ok(bound) => (Some(bound), None),
                Err(why) => (None, Some(why)),
            };
            loops.push(LoopBound {
                function: self.program.functions[function].name.clone(),
                name: names[index].to_string(),
                place: Place::of(self.program, names[index].location),
                depth: item.depth,
                around: item.parent.map(|parent| first + base::Index::index(parent)),
                bound,
                missing,
            });
        }
        loops
    }

    fn bounds(
        &self,
        function: FunctionId,
        forest: &LoopForest,
        budget: &mut Budget,
    ) -> Vec<Result<IterationBound, String>> {
        let claim = Claim {
            function,
            integers: self.integers,
            checks: ObligationSet::EMPTY,
            needed: ObligationSet::EMPTY.with(Obligation::SignedOverflow),
        };
        let depth = Depth { passes: 0, recursion: 1, calls: 1 };
        let leaps = Leaps { steps: 1, decided: 0, any_overflow: false };
        let leaping = Leaping::new(&self.alone, &claim, depth, leaps, budget);
        let Ok(leaping) = leaping else {
            return forest.iter().map(|_| Err(String::from("the function is too large for the time"))).collect();
        };
        Work { program: &self.alone, leaping, forest, bounded: Vec::new() }.all(budget)
    }
}

/// All bounds of a program.
pub fn bounds(program: &Program, request: &Request, budget: &Budget) -> BoundsReport {
    let mut bounds = Bounds::new(program, request.integers);
    let mut report = BoundsReport::default();
    for function in bounds.functions() {
        if request.function.as_ref().is_none_or(|name| *name == program.functions[function].name) {
            let first = report.loops.len();
            report.loops.extend(bounds.of_function(function, first, budget));
        }
    }
    report
}

/// The loops of one function.
struct Work<'a> {
    program: &'a Program,
    leaping: Leaping<'a>,
    forest: &'a LoopForest,
    /// The bounds so far, by loop.
    bounded: Vec<Option<Bounded>>,
}

impl Work<'_> {
    fn all(mut self, budget: &mut Budget) -> Vec<Result<IterationBound, String>> {
        let mut found = Vec::new();
        for (id, _) in self.forest.iter() {
            let bounded = self.bound(id, budget);
            self.bounded.push(bounded.as_ref().ok().cloned());
            found.push(bounded.map(|bounded| self.report(id, &bounded, budget)));
        }
        found
    }

    fn bound(&mut self, id: LoopId, budget: &mut Budget) -> Result<Bounded, String> {
        let head = self.forest[id].head;
        let mut leaps = (0..self.leaping.leaps().len()).filter(|&leap| self.leaping.leaps()[leap].head == head);
        let Some(leap) = leaps.next() else { return Err(String::from("control never comes to it")) };
        if leaps.next().is_some() {
            return Err(String::from("control comes into the middle of it"));
        }
        drop(leaps);
        if budget.remaining_time().is_some_and(|time| time.is_zero()) {
            return Err(String::from("the time is over"));
        }
        bounding::bound(self.program, &mut self.leaping, leap, EFFORT, budget).map_err(|missing| match missing {
            Missing::NoRank => String::from("no number was found that every iteration makes less"),
            Missing::NoRaise => String::from("it is not known how much one way through it gives another back"),
            Missing::NotKnown => String::from("the solver does not know"),
            Missing::Refused(why) => why,
        })
    }

    fn report(&mut self, id: LoopId, bounded: &Bounded, budget: &mut Budget) -> IterationBound {
        let start = self.restated(bounded, Reference::Start, budget);
        let total = self.multiplied(id, Reference::Start, budget);
        let outermost = self.forest.ancestors(id).last().filter(|&outer| outer != id);
        let outermost = outermost.and_then(|outer| self.bounded[base::Index::index(outer)].clone());
        let nest = match (&total, outermost) {
            (None, Some(outermost)) => self.multiplied(id, Reference::Entry(outermost.leap()), budget),
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

    fn restated(&mut self, bounded: &Bounded, reference: Reference, budget: &mut Budget) -> Option<Restated> {
        bounding::restate(self.program, &mut self.leaping, bounded, reference, EFFORT, budget)
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
            let bounded = self.bounded[base::Index::index(one)].clone()?;
            restated.push(self.restated(&bounded, reference, budget)?);
        }
        self.leaping.multiplied(&restated)
    }
}

/// Whether a number has a constant that only the limit of a machine type explains.
fn is_by_type(rank: &Expression) -> bool {
    let limit = Integer::from((1i64 << 31) - 2);
    match rank {
        Expression::Constant(number) => *number >= limit || *number <= -limit,
        Expression::Sum(parts) => parts.iter().any(is_by_type),
        Expression::Quotient { dividend, .. } => is_by_type(dividend),
        _ => false,
    }
}
