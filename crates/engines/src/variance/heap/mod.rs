//! The variance analysis that shapes induce: SonarTerm (section 6 of the paper).
//!
//! The program is a graph of linear commands as for the other domains, with steps on pointers and list cells on the same
//! edges. SEED copies the numbers and the length of every segment; the isolated part then runs from there; a disjunct of the
//! variance assertion is a symbolic heap with what relates its lengths and numbers to those before. WELLFOUNDED looks for
//! ranks over them.
//!
//! ```text
//! Numeric + actions ─► invariance over Shapes<Polyhedra> ─► for each shape at a cutpoint: SEED, isolated run, ranks
//! ```
//!
//! Deviation: disjuncts that go from one shape to another that no state has as well need no rank, since no chain has two of
//! them. Lengths only count if they are numbers of the state: those of segments with a known end, while the shape is the same.
//!
//! What is shown here is about runs that do nothing undefined. Whether every run ends is for the kernel to say, which takes the
//! same fixpoints as evidence of another form (`proof.rs`).

mod actions;
mod proof;
mod vocabulary;

use base::{Budget, Index};
use domains::fixpoint::Solution;
use domains::order::Edge;
use domains::shape::{Action, Heap, Shape, Target};
use domains::{Dimension, Domain, Expression, Polyhedra, Shapes};
use program::interpret::Integers;
use program::{FunctionId, Program, Type};

use self::actions::Actions;
use self::vocabulary::Vocabulary;
use super::analysis::{Stopped, ranks, run};
use super::command::{Command, apply};
use super::cutpoints::{Cutpoint, Forests};
use super::isolate::{Isolated, Related, Spoken, conditions};
use super::numeric::{Numeric, Scope, mentions};

/// A program with lists.
pub struct HeapProgram {
    /// Its graph, and what it does to numbers that are no pointers.
    pub numeric: Numeric,
    actions: Actions,
}

/// What was found at a cutpoint, in words.
#[derive(Clone, Debug)]
pub struct HeapVariance {
    /// The place.
    pub cutpoint: Cutpoint,
    /// The invariance assertion: one of these conjunctions holds. None if no run comes here.
    pub invariants: Vec<Vec<String>>,
    /// The variance assertion: one of these holds between a visit and every later one in the same isolated run.
    pub assertions: Vec<HeapAssertion>,
    /// Whether the local termination predicate was shown. The kernel has not confirmed it.
    pub holds: bool,
}

/// A disjunct of a variance assertion.
#[derive(Clone, Debug)]
pub struct HeapAssertion {
    /// What holds, in words.
    pub holds: Vec<String>,
    /// Why it is well-founded, if that was found.
    pub ranking: Option<evidence::Ranking>,
}

type Element = Shapes<Polyhedra>;

impl HeapProgram {
    /// The graph of a program whose runs start in a function. Nothing if it has no body, or no pointer to a next cell.
    pub fn of(
        program: &Program,
        function: FunctionId,
        integers: Integers,
        line: Option<u32>,
    ) -> Option<Self> {
        let scope = Scope { line, ..Scope::default() };
        let mut numeric = Numeric::of(program, function, integers, &scope)?;
        let actions = Actions::of(program, &numeric)?;
        let is_pointer = |dimension: Dimension| {
            numeric.meanings[dimension.index()].is_some_and(|meaning| meaning.ty == Type::Pointer)
        };
        let commands = numeric.commands.iter().map(|commands| without(commands, &is_pointer)).collect();
        numeric.commands = commands;
        Some(Self { numeric, actions })
    }

    /// The variance analysis at some cutpoints.
    ///
    /// # Errors
    /// If the budget ends before the invariance analysis does.
    pub fn analyse(
        &self,
        program: &Program,
        forests: &Forests,
        cutpoints: &[Cutpoint],
        budget: &mut Budget,
    ) -> Result<Vec<HeapVariance>, Stopped> {
        let invariants = self.invariance(budget)?;
        let at = |cutpoint: &Cutpoint| {
            let place = Place {
                heap: self,
                vocabulary: Vocabulary::of(program, &self.numeric, &self.actions.pointers, cutpoint.frame),
                isolated: Isolated::of(&self.numeric, forests, cutpoint),
                cutpoint,
            };
            place.variance(invariants[cutpoint.node.index()].as_ref(), budget)
        };
        Ok(cutpoints.iter().map(at).collect())
    }

    /// The invariance analysis of the whole program.
    fn invariance(&self, budget: &mut Budget) -> Result<Solution<Element>, Stopped> {
        let start = Element::top(self.actions.pointers.len(), self.numeric.dimensions());
        let mut limits = Vec::new();
        self.numeric.commands.iter().for_each(|commands| conditions(commands, &mut limits));
        run(&self.numeric.graph, start, &limits, budget, |edge, element| {
            step(&self.numeric.commands[edge.index()], &self.actions.edges[edge.index()], element)
        })
    }
}

/// Commands without those that speak of certain numbers, which are nobody's then.
fn without(commands: &[Command], is_left_out: &dyn Fn(Dimension) -> bool) -> Vec<Command> {
    let mut kept = Vec::new();
    for command in commands {
        let mut speaks = false;
        mentions(std::slice::from_ref(command), &mut |dimension| speaks |= is_left_out(dimension));
        match command {
            _ if !speaks => kept.push(command.clone()),
            Command::Assign(target, _) if !is_left_out(*target) => kept.push(Command::Forget(*target)),
            Command::Either(ways) => {
                kept.push(Command::Either(ways.iter().map(|way| without(way, is_left_out)).collect()));
            }
            _ => {}
        }
    }
    kept
}

fn step(commands: &[Command], actions: &[Action], element: &Element) -> Element {
    let mut next = element.clone();
    if !commands.is_empty() {
        next.change(|numbers| apply(commands, numbers));
    }
    next.act(actions);
    next
}

/// A symbolic heap with other ordinary numbers before the lengths, as many as said. From some number on they are copies of
/// these (SEED).
fn seeded(
    heap: &Heap<Polyhedra>,
    base: usize,
    name: impl Fn(Dimension) -> Dimension,
    first: usize,
    copied: impl Iterator<Item = Dimension>,
) -> Heap<Polyhedra> {
    let name = |dimension: Dimension| match dimension.index().checked_sub(heap.base) {
        Some(location) => Dimension((base + location) as u32),
        None => name(dimension),
    };
    let mut numbers = Polyhedra::top(base + heap.shape.segments.len());
    for constraint in heap.numbers.constraints() {
        numbers.assume(&constraint.renamed(name));
    }
    for (ghost, number) in (first..).zip(copied) {
        numbers.assign(Dimension(ghost as u32), &Expression::variable(number));
    }
    Heap { shape: heap.shape.clone(), numbers, base }
}

/// The analysis at one cutpoint.
struct Place<'a> {
    heap: &'a HeapProgram,
    vocabulary: Vocabulary,
    isolated: Isolated,
    cutpoint: &'a Cutpoint,
}

impl Place<'_> {
    /// Lines 5 to 13 of Fig. 1.
    fn variance(&self, invariant: Option<&Element>, budget: &mut Budget) -> HeapVariance {
        let mut found = HeapVariance {
            cutpoint: self.cutpoint.clone(),
            invariants: Vec::new(),
            assertions: Vec::new(),
            holds: true,
        };
        for q in invariant.into_iter().flat_map(Shapes::heaps) {
            found.invariants.push(self.invariant(&q));
            let start = Shapes::of(self.seed(&q));
            let transfer = |edge: Edge, element: &Element| {
                let origin = self.isolated.origins[edge.index()];
                let actions = origin.map_or(&[][..], |origin| &self.heap.actions.edges[origin.index()]);
                step(&self.isolated.commands[edge.index()], actions, element)
            };
            let limits = &self.isolated.conditions;
            let Ok(mut grown) = run(&self.isolated.graph, start, limits, budget, transfer) else {
                found.holds = false;
                continue;
            };
            for r in grown[self.isolated.root.index()].take().iter().flat_map(Shapes::heaps) {
                found.assertions.push(self.assertion(&q.shape, &r, budget));
            }
        }
        found.holds &= found.assertions.iter().all(|assertion| assertion.ranking.is_some());
        found
    }

    /// Whether the function of the cutpoint can speak of a number.
    fn is_visible(&self, dimension: Dimension) -> bool {
        self.heap.numeric.is_visible(self.cutpoint.frame, dimension)
    }

    /// The number that stands for the length of a segment in what is said.
    fn length(&self, location: usize) -> Dimension {
        Dimension((self.heap.numeric.dimensions() + location) as u32)
    }

    /// What is known now, and that all numbers and lengths were the same before (SEED).
    fn seed(&self, q: &Heap<Polyhedra>) -> Heap<Polyhedra> {
        let layout = self.isolated.layout();
        let local = |dimension: Dimension| {
            let at = layout.iter().position(|other| *other == Spoken::Now(dimension));
            at.map(|at| Dimension(at as u32))
        };
        let count = q.shape.segments.len();
        let base = layout.len() + count;
        let mut rest = q.clone();
        for dimension in (0..q.base).map(|at| Dimension(at as u32)) {
            if local(dimension).is_none() {
                rest.numbers.forget(dimension);
            }
        }
        let ghosts = layout.iter().filter_map(|spoken| match spoken {
            Spoken::Before(dimension) => local(*dimension),
            Spoken::Now(_) => None,
        });
        let lengths = (0..count).map(|location| Dimension((base + location) as u32));
        let first = base - count - ghosts.clone().count();
        seeded(&rest, base, |dimension| local(dimension).unwrap_or(dimension), first, ghosts.chain(lengths))
    }

    /// What a symbolic heap of the second run says, now and before.
    fn related(&self, r: &Heap<Polyhedra>) -> Vec<Related> {
        let layout = self.isolated.layout();
        let mut rest = r.numbers.clone();
        for (at, spoken) in layout.iter().enumerate() {
            let (Spoken::Now(dimension) | Spoken::Before(dimension)) = spoken;
            if !self.is_visible(*dimension) {
                rest.forget(Dimension(at as u32));
            }
        }
        let name = |dimension: Dimension| match layout.get(dimension.index()) {
            Some(spoken) => *spoken,
            None if dimension.index() < r.base => {
                Spoken::Before(self.length(dimension.index() - layout.len()))
            }
            None => Spoken::Now(self.length(dimension.index() - r.base)),
        };
        rest.constraints().iter().map(|constraint| constraint.renamed(name)).collect()
    }

    /// A disjunct with the reason why it is well-founded, if there is one (WELLFOUNDED).
    fn assertion(&self, before: &Shape, r: &Heap<Polyhedra>, budget: &mut Budget) -> HeapAssertion {
        let constraints = self.related(r);
        let now = &r.shape;
        let mut holds = self.vocabulary.shape(now);
        if before != now {
            holds.push(format!("before: {}", self.vocabulary.shape(before).join(", ")));
        }
        let lengths = self.heap.numeric.dimensions();
        holds.extend(constraints.iter().filter_map(|one| self.vocabulary.text(one, before, now, lengths)));
        if before != now && excludes(before, now) {
            let rank = format!("visits with {}", self.vocabulary.shape(before).join(" and "));
            let rank = evidence::Quantity::value(rank.as_str()).at(evidence::Moment::Now);
            return HeapAssertion { holds, ranking: Some(evidence::Ranking::Linear(rank)) };
        }
        let mut quantities = self.isolated.quantities(|dimension| self.is_visible(dimension));
        if before == now {
            let known = (0..now.segments.len()).filter(|location| is_number_of_state(now, *location));
            quantities.extend(known.map(|location| {
                let length = self.length(location);
                (length, Spoken::Before(length), Spoken::Now(length))
            }));
        }
        let ranks = ranks(&constraints, &quantities, budget);
        let dimensions: Vec<Dimension> = quantities.into_iter().map(|(dimension, ..)| dimension).collect();
        let ranking = ranks.and_then(|ranks| self.vocabulary.ranking(&ranks, &dimensions, now, lengths));
        HeapAssertion { holds, ranking }
    }

    fn invariant(&self, q: &Heap<Polyhedra>) -> Vec<String> {
        let mut rest = q.numbers.clone();
        for at in 0..q.base {
            let dimension = Dimension(at as u32);
            if !self.is_visible(dimension) {
                rest.forget(dimension);
            }
        }
        let mut holds = self.vocabulary.shape(&q.shape);
        let constraints = rest.constraints();
        let texts = constraints.iter().map(|constraint| constraint.renamed(Spoken::Now));
        holds.extend(texts.filter_map(|one| self.vocabulary.text(&one, &q.shape, &q.shape, q.base)));
        holds
    }
}

/// Whether no state has both shapes.
///
/// Of the variables that both know, one can be null here and not there, or two be equal here and not there. If both know the
/// same variables and the ends of all segments, a state has only one normal form.
fn excludes(one: &Shape, two: &Shape) -> bool {
    let is_known = |target: &Target| *target != Target::Unknown;
    let pairs: Vec<(Target, Target)> =
        one.variables.iter().copied().zip(two.variables.iter().copied()).collect();
    let both: Vec<&(Target, Target)> = pairs.iter().filter(|(a, b)| is_known(a) && is_known(b)).collect();
    let differs = both.iter().any(|(a, b)| {
        (*a == Target::Null) != (*b == Target::Null) || both.iter().any(|(c, d)| (a == c) != (b == d))
    });
    let same_known = pairs.iter().all(|(a, b)| is_known(a) == is_known(b));
    differs || same_known && one != two && one.segments.iter().chain(&two.segments).all(is_known)
}

/// Whether the length of a segment is a number that the state determines.
fn is_number_of_state(shape: &Shape, location: usize) -> bool {
    let is_named = |target: Target| target == Target::Null || shape.variables.contains(&target);
    let is_clear = shape.segments.iter().all(|end| *end != Target::Unknown);
    is_clear
        || is_named(Target::Location(location)) && {
            let end = shape.segments[location];
            end != Target::Unknown && is_named(end)
        }
}
