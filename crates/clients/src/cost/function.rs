//! The cost of one function from the costs of those that it calls.

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Index, Location};
use certify::ModularProgram;
use certify::abstraction::{Named, names};
use evidence::expression::constant;
use evidence::{Aspect, Expression, IterationBound, Name, Part};
use loops::{LoopForest, LoopId, LoopNames};
use program::{BlockId, Body, FunctionId, Type, VariableId};
use transform::{Probe, Read};

use super::calls::Call;
use super::formula::{Sum, greatest, upper};
use super::{Known, Missing, Search};
use crate::bounds::normal::normal;
use crate::bounds::{LOOP_TIME, search};

/// A formula with more parts says nothing to anybody.
const LARGEST: usize = 400;

/// A function with more sums in the costs of its callees takes too long.
const MOST_PROBES: usize = 40;

/// What a call of a function costs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cost {
    /// How much, over what the function was given.
    pub iterations: Expression,
    /// Whether it is the range of a machine type alone that ends a loop.
    pub by_type: bool,
    /// What the names in it mean.
    pub names: BTreeMap<Name, Given>,
}

/// What a function was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Given {
    /// A parameter, by its place.
    Parameter(usize),
    /// A variable of the program.
    Global(VariableId),
}

/// A function whose callees have costs.
pub(super) struct Function<'a, 'p> {
    pub search: &'a Search<'p>,
    pub function: FunctionId,
    pub body: &'a Body,
    pub known: &'a Known,
}

/// What a function does itself and by its calls.
pub(super) struct Own {
    /// The cost.
    pub cost: Cost,
    /// How often control comes to some blocks.
    pub visits: Vec<Expression>,
}

/// The loops of a modular function, and what is known of them.
struct Loops {
    forest: LoopForest,
    bounds: Vec<Result<IterationBound, String>>,
}

/// What a formula needs to know at a call.
type Asked = BTreeMap<(usize, FunctionId, Sum), usize>;

impl Function<'_, '_> {
    /// The cost of a function that makes some calls, and how often control comes to some blocks.
    pub fn cost(
        &self,
        calls: &[Call],
        blocks: &[(BlockId, Location)],
        budget: &mut Budget,
    ) -> Result<Own, Missing> {
        let forest = LoopForest::of(self.body);
        let mut probes = Vec::new();
        let asked = self.asked(calls, &mut probes)?;
        if probes.len() > MOST_PROBES {
            return Err(self.missing("it calls functions with many different costs"));
        }
        if forest.is_empty() && probes.is_empty() {
            let nothing = Loops { forest, bounds: Vec::new() };
            return self.combined(calls, blocks, &asked, &[], &nothing, BTreeMap::new());
        }
        let modular = self.search.modular.with_probes(self.function, &probes);
        let (program, heads) = modular.ok_or_else(|| self.missing("a number that is too large"))?;
        let loops = self.loops(&program, budget)?;
        self.combined(calls, blocks, &asked, &heads, &loops, self.given(&program))
    }

    pub(super) fn missing(&self, reason: &str) -> Missing {
        Missing { reason: reason.to_owned(), location: self.search.program.functions[self.function].location }
    }

    fn loops(&self, program: &ModularProgram, budget: &mut Budget) -> Result<Loops, Missing> {
        let body = program.body().ok_or_else(|| self.missing("its code is not here"))?;
        let forest = LoopForest::of(body);
        let bounds = search(program, self.search.integers, &forest, LOOP_TIME, budget);
        Ok(Loops { forest, bounds })
    }

    /// The numbers that the costs of callees need at their calls, each a probe.
    fn asked(&self, calls: &[Call], probes: &mut Vec<Probe>) -> Result<Asked, Missing> {
        let mut asked = Asked::new();
        for (place, call) in calls.iter().enumerate() {
            for &callee in &call.callees {
                let missing = |reason| Missing { reason, location: call.location };
                let name = &self.search.program.functions[callee].name;
                let Some(Ok(cost)) = self.known.get(&callee) else {
                    return Err(missing(format!("the cost of {name} is not known")));
                };
                let mut sums = BTreeSet::new();
                let bound = upper(&cost.iterations, &mut |sum| {
                    sums.insert(sum.clone());
                    Some(constant(0))
                });
                bound.ok_or_else(|| missing(format!("the cost of {name} may fall where its parts grow")))?;
                for sum in sums {
                    let probe = self.probe(call, callee, cost, &sum);
                    let probe = probe.ok_or_else(|| {
                        missing(format!("the cost of {name} is not about what it is given as numbers"))
                    })?;
                    asked.insert((place, callee, sum), probes.len());
                    probes.push(probe);
                }
            }
        }
        Ok(asked)
    }

    /// A sum of what a callee is given, in terms of the caller.
    fn probe(&self, call: &Call, callee: FunctionId, cost: &Cost, sum: &Sum) -> Option<Probe> {
        let parameters = &self.search.program.functions[callee].parameters;
        let mut terms = Vec::new();
        for (quantity, factor) in &sum.terms {
            let (read, ty) = match *cost.names.get(&quantity.variable)? {
                Given::Parameter(place) => {
                    let argument = *call.arguments.get(place)?;
                    let ty = self.body.type_of(argument);
                    if parameters.get(place) != Some(&ty) {
                        return None;
                    }
                    (Read::Expression(argument), ty)
                }
                Given::Global(global) => {
                    (Read::Variable(global), self.search.program.globals[global.index()].variable.ty)
                }
            };
            if !fits(quantity.aspect, ty) {
                return None;
            }
            terms.push((*factor, read));
        }
        Some(Probe { block: call.block, place: call.place, terms, constant: sum.constant })
    }

    /// The sum of all.
    fn combined(
        &self,
        calls: &[Call],
        blocks: &[(BlockId, Location)],
        asked: &Asked,
        heads: &[BlockId],
        loops: &Loops,
        names: BTreeMap<Name, Given>,
    ) -> Result<Own, Missing> {
        let forest = LoopForest::of(self.body);
        let mut parts = Vec::new();
        let mut by_type = false;
        for (id, item) in forest.iter() {
            let bound = self.bound(&forest, id, loops)?;
            if !item.reducible {
                let (name, location) = self.name(&forest, id);
                return Err(Missing { reason: format!("control comes into the middle of {name}"), location });
            }
            by_type |= bound.by_type;
            parts.push(self.total(&forest, id, loops)?);
            debug_assert!(loops.forest.with_head(item.head).is_some());
        }
        for (place, call) in calls.iter().enumerate() {
            if call.is_repeated && call.callees.iter().all(|callee| self.is_only_of_arguments(*callee)) {
                continue;
            }
            let often = self.visits(&forest, call.block, loops)?;
            let mut dearest = Vec::new();
            for &callee in &call.callees {
                let Some(Ok(cost)) = self.known.get(&callee) else {
                    return Err(self.missing("a callee without a cost"));
                };
                by_type |= cost.by_type;
                let there = upper(&cost.iterations, &mut |sum| {
                    let &probe = asked.get(&(place, callee, sum.clone()))?;
                    Some(start(loops, *heads.get(probe)?)?.clone())
                });
                dearest.push(there.ok_or_else(|| self.not_given(call, callee))?);
            }
            parts.push(often * greatest(dearest));
        }
        let visits =
            blocks.iter().map(|&(block, _)| self.visits(&forest, block, loops)).collect::<Result<_, _>>()?;
        let iterations = normal(&Expression::Sum(parts));
        self.check(&iterations, &names)?;
        Ok(Own { cost: Cost { iterations, by_type, names }, visits })
    }

    /// Whether a callee costs as much wherever it is given the same.
    fn is_only_of_arguments(&self, callee: FunctionId) -> bool {
        let Some(Ok(cost)) = self.known.get(&callee) else { return false };
        let mut is_only = true;
        Part::Number(&cost.iterations).walk(&mut |part| {
            if let Part::Number(Expression::Quantity { quantity, .. }) = part {
                is_only &= matches!(cost.names.get(&quantity.variable), Some(Given::Parameter(_)));
            }
        });
        is_only
    }

    fn not_given(&self, call: &Call, callee: FunctionId) -> Missing {
        let functions = &self.search.program.functions;
        let (own, callee) = (&functions[self.function].name, &functions[callee].name);
        let reason = format!("no bound of what {callee} is given was found in what {own} is given");
        Missing { reason, location: call.location }
    }

    /// Whether a formula is small and says only what the function was given.
    pub(super) fn check(&self, formula: &Expression, names: &BTreeMap<Name, Given>) -> Result<(), Missing> {
        let (mut size, mut is_given) = (0, true);
        Part::Number(formula).walk(&mut |part| {
            size += 1;
            match part {
                Part::Number(Expression::Quantity { quantity, .. }) => {
                    is_given &= names.contains_key(&quantity.variable);
                }
                Part::Number(Expression::Element(_) | Expression::Counter) => is_given = false,
                _ => {}
            }
        });
        if size > LARGEST {
            return Err(self.missing("the formula is too large"));
        }
        if is_given { Ok(()) } else { Err(self.missing("it is about more than what the function is given")) }
    }

    /// What the names of a modular function mean that it was given.
    pub(super) fn given(&self, modular: &ModularProgram) -> BTreeMap<Name, Given> {
        let (Some(body), program) = (modular.body(), self.search.program) else { return BTreeMap::new() };
        let mut found = BTreeMap::new();
        for (name, named) in names(modular.program(), body) {
            let Named::Variable(variable) = named else { continue };
            if !variable.is_global() {
                let place = self.body.parameters.iter().position(|&parameter| parameter == variable);
                found.extend(place.map(|place| (name, Given::Parameter(place))));
                continue;
            }
            // Only names that cannot be taken for others.
            let own = &modular.program().globals[variable.index()].variable.name;
            let is_it = |place: &usize| program.globals[*place].variable.name == *own;
            let mut same = (0..program.globals.len()).filter(is_it);
            if let (Some(place), None, true) = (same.next(), same.next(), name.as_str() == own.as_str()) {
                found.insert(name, Given::Global(VariableId::global(place)));
            }
        }
        found
    }

    fn bound<'l>(
        &self,
        forest: &LoopForest,
        id: LoopId,
        loops: &'l Loops,
    ) -> Result<&'l IterationBound, Missing> {
        let head = forest[id].head;
        let same = loops.forest.with_head(head).and_then(|same| loops.bounds.get(same.index()));
        let (name, location) = self.name(forest, id);
        let missing = |reason: String| Missing { reason, location };
        match same {
            Some(Ok(bound)) => Ok(bound),
            Some(Err(why)) => Err(missing(format!("no bound of {name}: {why}"))),
            None => Err(missing(format!("no bound of {name}"))),
        }
    }

    fn name(&self, forest: &LoopForest, id: LoopId) -> (String, Location) {
        let names = LoopNames::new().of_function(self.search.program, self.function, forest);
        let name = &names[id.index()];
        (name.to_string(), name.location)
    }

    /// How many iterations a loop makes in all its visits.
    fn total(&self, forest: &LoopForest, id: LoopId, loops: &Loops) -> Result<Expression, Missing> {
        let total = self.bound(forest, id, loops)?.total.as_ref();
        let total = total.map(|total| total.iterations.clone());
        total.ok_or_else(|| {
            let (name, location) = self.name(forest, id);
            let reason = format!("no bound of {name} was found in what the function is given");
            Missing { reason, location }
        })
    }

    /// How often control comes to a block.
    fn visits(&self, forest: &LoopForest, block: BlockId, loops: &Loops) -> Result<Expression, Missing> {
        match forest.innermost(block) {
            None => Ok(constant(1)),
            Some(id) => self.visits_in(forest, id, block, loops),
        }
    }

    /// How often control comes to a block of a loop that is in no loop inside, or is the head of one: at most once in
    /// each iteration, and before iterations once more in each visit of the loop.
    fn visits_in(
        &self,
        forest: &LoopForest,
        id: LoopId,
        block: BlockId,
        loops: &Loops,
    ) -> Result<Expression, Missing> {
        let total = self.total(forest, id, loops)?;
        let head = forest[id].head;
        if !self.body.before_iterations(head, forest.blocks(id)).contains(&block) {
            return Ok(total);
        }
        let entries = match forest[id].parent {
            None => constant(1),
            Some(parent) => self.visits_in(forest, parent, head, loops)?,
        };
        Ok(total + entries)
    }
}

/// Whether a number of this kind can be read of a value of this type.
fn fits(aspect: Aspect, ty: Type) -> bool {
    match ty {
        Type::Integer(_) => aspect == Aspect::Value,
        Type::Pointer => aspect == Aspect::Offset,
        Type::Bool | Type::Float(_) => false,
    }
}

/// How many iterations a loop makes in one visit, over what the function was given.
fn start(loops: &Loops, head: BlockId) -> Option<&Expression> {
    let id = loops.forest.with_head(head)?;
    let bound = loops.bounds.get(id.index())?.as_ref().ok()?;
    bound.start.as_ref().map(|start| &start.iterations)
}
