//! Invariants of loop heads, from the invariance analysis alone: octagons, and polyhedra where there are few numbers.
//!
//! Known imprecision: one convex set for each head, memory is anything, and signed operations do not overflow.

use std::time::Duration;

use base::{Budget, Index, Location};
use domains::fixpoint::Solution;
use domains::polyhedra::Polyhedra;
use domains::{Constraint, Domain, Octagon};
use evidence::{Formula, Moment};
use program::interpret::Integers;
use program::{BlockId, FunctionId, Program};

use super::analysis::{invariance, visible};
use super::isolate::{Spoken, is_small};
use super::numeric::{Numeric, Scope};
use super::vocabulary::Names;

/// More numbers are too many for octagons, and for polyhedra.
const OCTAGON: usize = 24;
const POLYHEDRA: usize = 14;

/// No larger graph is analysed.
const NODES: usize = 400;

/// What each analysis may take.
const STEPS: u64 = 20_000;
const TIME: Duration = Duration::from_millis(60);

/// What holds at the heads of the loops of a program.
#[derive(Debug)]
pub struct Invariants {
    numeric: Numeric,
    octagons: Solution<Octagon>,
    polyhedra: Solution<Polyhedra>,
}

impl Invariants {
    /// The invariants of the runs that start in a function. Nothing if the analysis is too large.
    pub fn of(program: &Program, function: FunctionId, integers: Integers, scope: &Scope) -> Option<Self> {
        let numeric = Numeric::of(program, function, integers, scope)?;
        let budget = || Budget::steps(STEPS).within(TIME);
        let size = numeric.dimensions();
        if size > OCTAGON || numeric.graph.nodes() > NODES {
            return None;
        }
        let octagons = invariance(&numeric, &mut budget()).ok()?;
        let polyhedra = (size <= POLYHEDRA).then(|| invariance(&numeric, &mut budget()).ok()).flatten();
        Some(Self { numeric, octagons, polyhedra: polyhedra.unwrap_or_default() })
    }

    /// What holds at a loop head of a function that was called like this.
    pub fn at(
        &self,
        program: &Program,
        (function, head): (FunctionId, BlockId),
        stack: &[(FunctionId, Location)],
    ) -> Vec<Formula> {
        let mut found = Vec::new();
        for (frame, copy) in self.numeric.frames.iter().enumerate() {
            if !copy.is_call(function, stack) {
                continue;
            }
            let Some(node) = self.numeric.node_of(frame, head) else { continue };
            let names = Names::of(program, &self.numeric, frame);
            for constraint in self.constraints(frame, node.index()) {
                let related = constraint.renamed(Spoken::Now);
                let is_far = related.expression.terms().len() > 1 && !is_small(&related.tightened());
                if !is_far {
                    found.extend(names.formula(&related, Moment::Now, Moment::Entry));
                }
            }
        }
        found
    }

    /// The constraints of the polyhedron, and those of the octagon that do not follow from it.
    fn constraints(&self, frame: usize, node: usize) -> Vec<Constraint> {
        let octagon = self.octagons[node].as_ref();
        let mut found = octagon.map(|it| visible(&self.numeric, frame, it)).unwrap_or_default();
        if let Some(Some(polyhedron)) = self.polyhedra.get(node) {
            found.retain(|constraint| !polyhedron.satisfies(constraint));
            found.extend(visible(&self.numeric, frame, polyhedron));
        }
        found
    }
}
