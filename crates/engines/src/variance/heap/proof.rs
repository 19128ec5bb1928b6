//! What the fixpoints over shapes say as evidence for the kernel: the symbolic heaps at the heads of all loops, with ranks.
//!
//! ```text
//! invariants ─► for each symbolic heap at a head: the paths to the next heads, with numbers before and after ─► ranks
//! ```
//!
//! Ranks are looked for in each strongly connected part of the graph of symbolic heaps, for all of them together (Alias, Darte,
//! Feautrier and Gonnord, SAS 2010): the quantities of the linear program are the numbers of every symbolic heap, and those
//! of the others are zero. So no assertion about an inner loop has to speak of the state before it.
//!
//! Nothing is trusted: the kernel checks all of it on its own (`certify::shapes`).

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Index};
use domains::shape::{Heap, Target};
use domains::{Constraint, Dimension, Domain, Expression, Polyhedra};
use evidence::{
    ShapeHeap, ShapeHome, ShapeNumber, ShapeObject, ShapePart, ShapeSum, ShapeTarget, ShapeVariable, Shapes,
    ShapesAt,
};
use logic::numbers::linear::Relation;
use logic::numbers::{Linear, Rational};
use program::{Callee, ExprKind, Program, StatementKind, Type};

use super::super::cutpoints::{Cutpoint, Forests, heads};
use super::actions::{Home, Key};
use super::{Element, HeapProgram, seeded, step};
use crate::ranking::synthesis::{Rank, Ranks, Step, synthesise_unnested};

/// More paths from one symbolic heap are not followed.
const PATHS: usize = 400;

/// A symbolic heap at a head: the head, and the place among those there.
type Place = (usize, usize);

/// A number of a symbolic heap, or one.
type Quantity = (Place, Option<Dimension>);

/// A path from one symbolic heap to another.
struct Path {
    from: Place,
    to: Place,
    constraints: Vec<Constraint>,
    before: BTreeMap<Dimension, Linear<Dimension>>,
    after: BTreeMap<Dimension, Linear<Dimension>>,
}

impl HeapProgram {
    /// Evidence that every run ends. Nothing if none is found.
    pub fn proof(&self, program: &Program, forests: &Forests, budget: &mut Budget) -> Option<Shapes> {
        if !self.numeric.gaps.is_empty() {
            return None;
        }
        let cutpoints = heads(program, &self.numeric, forests);
        let invariants = self.invariance(budget).ok()?;
        let heaps: Vec<Vec<Heap<Polyhedra>>> = cutpoints
            .iter()
            .map(|cutpoint| {
                let all = invariants[cutpoint.node.index()].iter().flat_map(domains::Shapes::heaps);
                all.map(|heap| self.spoken(cutpoint, heap)).collect()
            })
            .collect();
        let work = ShapeProof { program, heap: self, cutpoints: &cutpoints, heaps: &heaps };
        let mut paths = Vec::new();
        for (at, all) in heaps.iter().enumerate() {
            for place in 0..all.len() {
                paths.extend(work.paths((at, place), budget)?);
            }
        }
        let ranks = work.ranks(&paths, budget)?;
        work.evidence(&ranks)
    }

    /// A symbolic heap without the numbers that the kernel has no name for.
    fn spoken(&self, cutpoint: &Cutpoint, mut heap: Heap<Polyhedra>) -> Heap<Polyhedra> {
        let chain = self.chain(cutpoint.frame);
        for at in 0..heap.base {
            let is_named = self.numeric.meanings[at].is_some_and(|meaning| {
                matches!(meaning.ty, Type::Integer(_) | Type::Bool)
                    && meaning.frame.is_none_or(|frame| chain.contains(&frame))
            });
            if !is_named {
                heap.numbers.forget(Dimension(at as u32));
            }
        }
        heap
    }

    /// The active copies of functions, the outermost first.
    fn chain(&self, frame: usize) -> Vec<usize> {
        let mut chain = vec![frame];
        while let Some((caller, _)) = chain.last().and_then(|last| self.numeric.frames[*last].caller) {
            chain.push(caller);
        }
        chain.reverse();
        chain
    }
}

struct ShapeProof<'a> {
    program: &'a Program,
    heap: &'a HeapProgram,
    cutpoints: &'a [Cutpoint],
    heaps: &'a [Vec<Heap<Polyhedra>>],
}

impl ShapeProof<'_> {
    /// The paths from a symbolic heap to the next heads.
    fn paths(&self, from: Place, budget: &mut Budget) -> Option<Vec<Path>> {
        let heap = &self.heaps[from.0][from.1];
        let numbers = numbers(heap);
        let base = heap.base + numbers.len();
        let now = |number: &Dimension| match number.index().checked_sub(heap.base) {
            Some(location) => Dimension((base + location) as u32),
            None => *number,
        };
        let start = seeded(heap, base, |number| number, heap.base, numbers.iter().map(now));
        let mut found = Vec::new();
        let mut left = vec![(self.cutpoints[from.0].node, Element::of(start))];
        let mut count = 0;
        while let Some((node, element)) = left.pop() {
            for edge in self.heap.numeric.graph.outgoing(node) {
                budget.spend(10).ok()?;
                count += 1;
                if count > PATHS {
                    return None;
                }
                let (commands, actions) =
                    (&self.heap.numeric.commands[edge.index()], &self.heap.actions.edges[edge.index()]);
                let next = step(commands, actions, &element);
                let node = self.heap.numeric.graph.target(*edge);
                match self.cutpoints.iter().position(|cutpoint| cutpoint.node == node) {
                    None => left.push((node, next)),
                    Some(at) => {
                        for end in next.heaps() {
                            found.push(self.path(from, &numbers, at, &end)?);
                        }
                    }
                }
            }
        }
        Some(found)
    }

    fn path(&self, from: Place, numbers: &[Dimension], at: usize, end: &Heap<Polyhedra>) -> Option<Path> {
        let dimensions = self.heap.numeric.dimensions();
        let weakened = |heap: &Heap<Polyhedra>| end.weakened(&heap.shape);
        let exact = self.heaps[at].iter().position(|heap| heap.shape == end.shape);
        let place = exact.or_else(|| self.heaps[at].iter().position(|heap| weakened(heap).is_some()))?;
        let known = weakened(&self.heaps[at][place])?;
        let ghosts = (dimensions..).map(|ghost| Linear::variable(Dimension(ghost as u32)));
        let before = numbers.iter().copied().zip(ghosts).collect();
        let target = &self.heaps[at][place];
        let now = |number: Dimension| match number.index().checked_sub(target.base) {
            Some(location) => Dimension((end.base + location) as u32),
            None => number,
        };
        let after = self::numbers(target).into_iter();
        let after = after.map(|number| (number, Linear::variable(now(number)))).collect();
        let constraints = known.constraints().iter().map(Constraint::tightened).collect();
        Some(Path { from, to: (at, place), constraints, before, after })
    }

    /// Ranks for each symbolic heap on a circle.
    fn ranks(&self, paths: &[Path], budget: &mut Budget) -> Option<BTreeMap<Place, Vec<ShapeSum>>> {
        let mut found = BTreeMap::new();
        for part in parts(paths) {
            let inside: Vec<&Path> =
                paths.iter().filter(|path| part.contains(&path.from) && part.contains(&path.to)).collect();
            let quantities: Vec<Quantity> = part
                .iter()
                .flat_map(|place| {
                    let all = numbers(&self.heaps[place.0][place.1]).into_iter().map(Some);
                    all.chain([None]).map(|number| (*place, number))
                })
                .collect();
            let of = |place: Place, numbers: &BTreeMap<Dimension, Linear<Dimension>>| {
                let number = |(at, number): &Quantity| match number {
                    _ if *at != place => Linear::zero(),
                    None => Linear::constant(1),
                    Some(number) => numbers.get(number).cloned().unwrap_or_else(Linear::zero),
                };
                quantities.iter().map(number).collect::<Vec<_>>()
            };
            let steps: Vec<Step<Dimension>> = inside
                .iter()
                .map(|path| Step {
                    constraints: path.constraints.clone(),
                    before: of(path.from, &path.before),
                    after: of(path.to, &path.after),
                })
                .collect();
            let ranks = match synthesise_unnested(&steps, &[], budget)? {
                Ranks::Linear(rank) => vec![rank],
                Ranks::Lexicographic(ranks) => ranks,
                Ranks::Nested(_) => return None,
            };
            for place in part {
                let sums: Option<Vec<ShapeSum>> =
                    ranks.iter().map(|rank| self.rank(place, rank, &quantities)).collect();
                found.insert(place, sums?);
            }
        }
        Some(found)
    }

    /// The part of a rank that speaks of one symbolic heap.
    fn rank(&self, place: Place, rank: &Rank, quantities: &[Quantity]) -> Option<ShapeSum> {
        let Rank::Plain(rank) = rank else { return None };
        let mut sum = ShapeSum { parts: Vec::new(), constant: rank.constant_part().to_integer()? };
        for (quantity, factor) in rank.terms() {
            let factor = factor.to_integer()?;
            match quantities[*quantity] {
                (at, _) if at != place => {}
                (_, None) => sum.constant += factor,
                (_, Some(number)) => {
                    sum.parts.push(ShapePart { factor, number: self.number(place, number)? });
                }
            }
        }
        Some(sum)
    }

    fn number(&self, place: Place, number: Dimension) -> Option<ShapeNumber> {
        let heap = &self.heaps[place.0][place.1];
        if let Some(location) = number.index().checked_sub(heap.base) {
            return Some(ShapeNumber::Length(location));
        }
        let meaning = self.heap.numeric.meanings[number.index()]?;
        let variable =
            self.variable(self.cutpoints[place.0].frame, meaning.frame, meaning.variable.index())?;
        Some(ShapeNumber::Variable(variable))
    }

    fn variable(&self, active: usize, frame: Option<usize>, variable: usize) -> Option<ShapeVariable> {
        let frame = match frame {
            None => None,
            Some(frame) => Some(self.heap.chain(active).iter().position(|one| *one == frame)?),
        };
        Some(ShapeVariable { frame, variable })
    }

    fn evidence(&self, ranks: &BTreeMap<Place, Vec<ShapeSum>>) -> Option<Shapes> {
        let link = u64::try_from(self.heap.actions.link).ok()?;
        let mut cutpoints = Vec::new();
        for (at, cutpoint) in self.cutpoints.iter().enumerate() {
            let mut heaps = Vec::new();
            for place in 0..self.heaps[at].len() {
                let ranks = ranks.get(&(at, place)).cloned().unwrap_or_default();
                heaps.push(self.symbolic((at, place), ranks)?);
            }
            let calls = self.calls(cutpoint.frame);
            cutpoints.push(ShapesAt { calls, block: cutpoint.head.index(), heaps });
        }
        Some(Shapes { link, size: self.size(link)?, cutpoints })
    }

    fn symbolic(&self, (at, place): Place, ranks: Vec<ShapeSum>) -> Option<ShapeHeap> {
        let heap = &self.heaps[at][place];
        let chain = self.heap.chain(self.cutpoints[at].frame);
        let target = |target: &Target| match target {
            Target::Null => ShapeTarget::Null,
            Target::Location(location) => ShapeTarget::Segment(*location),
            Target::Unknown => ShapeTarget::Unknown,
        };
        let mut pointers = Vec::new();
        let mut objects: BTreeMap<ShapeHome, Vec<(i64, ShapeTarget)>> = BTreeMap::new();
        for (depth, frame) in chain.iter().enumerate() {
            let body = self.program.functions[self.heap.numeric.frames[*frame].function].body()?;
            let own = 0..body.locals.len();
            objects.extend(own.map(|object| (ShapeHome { frame: Some(depth), object }, Vec::new())));
        }
        let home = |(frame, object): Home| {
            let depth = |frame: usize| chain.iter().position(|one| *one == frame);
            Some(ShapeHome { frame: frame.map(|frame| depth(frame).ok_or(())).transpose().ok()?, object })
        };
        for (key, value) in self.heap.actions.pointers.iter().zip(&heap.shape.variables) {
            match key {
                _ if *value == Target::Unknown => {}
                Key::Variable(frame, variable) => {
                    let variable = self.variable(self.cutpoints[at].frame, *frame, variable.index())?;
                    pointers.push((variable, target(value)));
                }
                Key::Held(holder, offset) => {
                    let held = objects.entry(home(*holder)?).or_default();
                    held.push((i64::try_from(*offset).ok()?, target(value)));
                }
            }
        }
        for ((frame, variable), (holder, offset)) in &self.heap.actions.bound {
            if chain.contains(frame) {
                let variable = self.variable(self.cutpoints[at].frame, Some(*frame), variable.index())?;
                let target = ShapeTarget::Object(home(*holder)?, i64::try_from(*offset).ok()?);
                pointers.push((variable, target));
            }
        }
        let objects = objects.into_iter().map(|(home, pointers)| ShapeObject { home, pointers }).collect();
        let mut invariants = Vec::new();
        for constraint in heap.numbers.constraints() {
            let constraint = constraint.tightened();
            invariants.push(self.sum((at, place), &constraint.expression, -1)?);
            if constraint.relation == Relation::Equal {
                invariants.push(self.sum((at, place), &constraint.expression, 1)?);
            }
        }
        let segments = heap.shape.segments.iter().map(target).collect();
        Some(ShapeHeap { pointers, segments, objects, invariants, ranks })
    }

    /// An expression with whole coefficients, or its negation.
    fn sum(&self, place: Place, expression: &Expression, sign: i64) -> Option<ShapeSum> {
        let scaled = expression.scaled(&Rational::from(sign));
        let mut parts = Vec::new();
        for (number, factor) in scaled.terms() {
            parts.push(ShapePart { factor: factor.to_integer()?, number: self.number(place, *number)? });
        }
        Some(ShapeSum { parts, constant: scaled.constant_part().to_integer()? })
    }

    /// The statements that made the active calls.
    fn calls(&self, frame: usize) -> Vec<(usize, usize)> {
        let call = |frame: usize| self.heap.numeric.call_of(frame);
        let calls = self.heap.chain(frame).into_iter().filter_map(call);
        calls.map(|call| (call.block.index(), call.statements.end)).collect()
    }

    /// The least size of what is allocated and has room for a link.
    fn size(&self, link: u64) -> Option<u64> {
        let least = link + self.program.data_model.pointer_bytes();
        let mut sizes = BTreeSet::new();
        let functions: BTreeSet<_> = self.heap.numeric.frames.iter().map(|frame| frame.function).collect();
        for function in functions {
            let body = self.program.functions[function].body()?;
            let constant = |expression: &program::ExprId| match body.expressions[*expression].kind {
                ExprKind::Integer(number) => u64::try_from(number).ok(),
                _ => None,
            };
            for statement in body.blocks.values().flat_map(|block| &block.statements) {
                let size = match &statement.kind {
                    StatementKind::Allocate { size, .. } => constant(size),
                    StatementKind::Call { callee: Callee::Function(callee), arguments, .. } => {
                        match (self.program.functions[*callee].name.as_str(), arguments.as_slice()) {
                            ("malloc", [size]) => constant(size),
                            ("calloc", [count, size]) => {
                                constant(count).zip(constant(size)).and_then(|(a, b)| a.checked_mul(b))
                            }
                            _ => None,
                        }
                    }
                    _ => None,
                };
                sizes.extend(size.filter(|size| *size >= least));
            }
        }
        sizes.first().copied()
    }
}

/// The numbers of a symbolic heap of which something is known.
fn numbers(heap: &Heap<Polyhedra>) -> Vec<Dimension> {
    let mut found: BTreeSet<Dimension> =
        (0..heap.shape.segments.len()).map(|location| heap.length(location)).collect();
    for constraint in heap.numbers.constraints() {
        found.extend(constraint.expression.terms().iter().map(|(number, _)| *number));
    }
    found.into_iter().collect()
}

/// The strongly connected parts with a circle.
fn parts(paths: &[Path]) -> Vec<BTreeSet<Place>> {
    let reached = |from: Place| {
        let (mut found, mut left) = (BTreeSet::new(), vec![from]);
        while let Some(place) = left.pop() {
            let next = paths.iter().filter(|path| path.from == place).map(|path| path.to);
            left.extend(next.filter(|next| found.insert(*next)));
        }
        found
    };
    let places: BTreeSet<Place> = paths.iter().map(|path| path.from).collect();
    let reached: BTreeMap<Place, BTreeSet<Place>> =
        places.iter().map(|place| (*place, reached(*place))).collect();
    let mut parts: Vec<BTreeSet<Place>> = Vec::new();
    for place in places {
        if !reached[&place].contains(&place) || parts.iter().any(|part| part.contains(&place)) {
            continue;
        }
        let both = |other: &Place| reached.get(other).is_some_and(|back| back.contains(&place));
        parts.push(reached[&place].iter().copied().filter(both).collect());
    }
    parts
}
