//! The cost of a function that calls itself.
//!
//! The calls of the function by itself in one call of it are a tree. Let D bound its depth: the nested calls are the
//! iterations of a loop ([`transform::recursion`]), of which the kernel shows a bound over what the first call was given. Let each
//! call make at most k calls of itself, and cost W besides these. Both hold in every call of the tree. W is a formula
//! over what that call is given; so every sum in it is a probe at the entry of the function, in the loop: what bounds it
//! there bounds it in every nested call, over what the first one was given.
//!
//! There are at most D calls if k is one, and Σ kⁱ ≤ k^D for i < D if it is more. So all of it costs at most W for each
//! call, and one for each but the first.

use base::{Budget, Index, Location};
use evidence::expression::constant;
use evidence::{Expression, Integer};
use loops::LoopForest;
use program::order::{Element, order};
use program::{BlockId, Body, Statement, StatementKind};
use transform::{Probe, Read};

use super::Missing;
use super::calls::Call;
use super::formula::{Sum, upper};
use super::function::{Cost, Function, Given};
use crate::bounds::normal::normal;
use crate::bounds::{LOOP_TIME, search};

impl Function<'_, '_> {
    /// The cost of a function that calls itself, and others.
    pub fn recursive(&self, own: &[Call], others: &[Call], budget: &mut Budget) -> Result<Cost, Missing> {
        if let Some(call) = own.iter().find(|call| !call.by_name) {
            let reason = String::from("a call through a pointer may be one of the function by itself");
            return Err(Missing { reason, location: call.location });
        }
        let blocks: Vec<(BlockId, Location)> = own.iter().map(|call| (call.block, call.location)).collect();
        let alone = self.cost(others, &blocks, budget)?;
        let most =
            most_on_a_path(self.body, own).map_or_else(|| Expression::Sum(alone.visits.clone()), constant);
        let Expression::Constant(most) = normal(&most) else {
            let reason = String::from("it calls itself in a loop");
            return Err(Missing { reason, location: own[0].location });
        };
        let mut sums: Vec<Sum> = Vec::new();
        let seen = upper(&alone.cost.iterations, &mut |sum| {
            sums.push(sum.clone());
            Some(constant(0))
        });
        let not_monotone = || self.missing("the cost of a call may fall where its parts grow");
        seen.ok_or_else(not_monotone)?;
        let probes: Option<Vec<Probe>> =
            sums.iter().map(|sum| self.probe_at_entry(&alone.cost, sum)).collect();
        let probes =
            probes.ok_or_else(|| self.missing("its cost is not about what it is given as numbers"))?;
        let modular = self.search.modular.recursion_with_probes(self.function, &probes);
        let refused = || self.missing("a function is called in another way than it is defined");
        let (program, heads) = modular.ok_or_else(refused)?;
        let body = program.body().ok_or_else(refused)?;
        let forest = LoopForest::of(body);
        let bounds = search(&program, self.search.integers, &forest, LOOP_TIME, budget);
        let bound = |head: BlockId| bounds.get(forest.with_head(head)?.index())?.as_ref().ok();
        let at_start = |head: BlockId| Some(bound(head)?.start.as_ref()?.iterations.clone());
        let depth = at_start(heads[0]).ok_or_else(|| {
            self.missing("no bound of the depth of its calls was found in what it is given")
        })?;
        let each = upper(&alone.cost.iterations, &mut |sum| {
            let place = sums.iter().position(|one| one == sum)?;
            at_start(*heads.get(place + 1)?)
        });
        let each =
            each.ok_or_else(|| self.missing("no bound of what its nested calls are given was found"))?;
        let count = match most {
            most if most <= Integer::ONE => depth,
            most => depth.power_of(most),
        };
        let by_type = alone.cost.by_type || bound(heads[0]).is_some_and(|depth| depth.by_type);
        let iterations = normal(&Expression::Sum(vec![count.clone() * each, count, constant(-1)]));
        let names = self.given(&program);
        self.check(&iterations, &names)?;
        Ok(Cost { iterations, by_type, names })
    }

    /// A sum of what the function is given, at its entry.
    fn probe_at_entry(&self, cost: &Cost, sum: &Sum) -> Option<Probe> {
        let read = |(quantity, factor): &(evidence::Quantity, i64)| {
            let variable = match *cost.names.get(&quantity.variable)? {
                Given::Parameter(place) => *self.body.parameters.get(place)?,
                Given::Global(global) => global,
            };
            Some((*factor, Read::Variable(variable)))
        };
        let terms = sum.terms.iter().map(read).collect::<Option<_>>()?;
        Some(Probe { block: self.body.entry(), place: 0, terms, constant: sum.constant })
    }
}

/// How many of some calls there are at most on one way through a body. Nothing if one stands in a loop.
fn most_on_a_path(body: &Body, calls: &[Call]) -> Option<u64> {
    let elements = order(body);
    let blocks = |element: &Element| match element {
        Element::Block(block) => vec![*block],
        Element::Component(component) => component.blocks.clone(),
    };
    let mut place = vec![usize::MAX; body.blocks.len()];
    for (number, element) in elements.iter().enumerate() {
        blocks(element).into_iter().for_each(|block| place[block.index()] = number);
    }
    let mut most = vec![0; elements.len()];
    for (number, element) in elements.iter().enumerate() {
        let own = calls.iter().filter(|call| place[call.block.index()] == number).count() as u64;
        if own > 0 && matches!(element, Element::Component(_)) {
            return None;
        }
        most[number] += own;
        let ends = |statement: &Statement| {
            matches!(statement.kind, StatementKind::Assume { condition }
            if body.constant(condition) == Some(0))
        };
        for block in blocks(element) {
            if body.blocks[block].statements.iter().any(ends) {
                continue;
            }
            for next in body.blocks[block].terminator.successors() {
                let next = place[next.index()];
                if next > number {
                    most[next] = most[next].max(most[number]);
                }
            }
        }
    }
    Some(most.into_iter().max().unwrap_or(0))
}
