//! Path dependency automata: what a loop computes, by cases, from the paths through it and from which can follow which
//! (Xie and others, *Automatic loop summarization via path dependency analysis*, TSE 2019).
//!
//! ```text
//! loop, sliced ─► paths ─► closed forms ─► automaton (Algorithm 1) ─► traces (Algorithms 2 to 4) ─► cases of a summary
//! ```
//!
//! Deviations from the paper: state counters are solved for as quotients where they are, so that a trace is one formula over
//! the state at entry; a cycle is composed symbolically and treated like a path; and nothing is believed: integers are
//! those of mathematics here, and every case goes to the kernel, which knows machine integers.

mod cases;
mod classify;
mod closed_form;
mod irregular;
mod number;
mod path;
mod path_invariants;
mod possible;
mod remainders;
mod segment;
mod show;
mod trace;
pub mod vocabulary;

use std::collections::BTreeSet;

use base::Budget;
use loops::{LoopForest, LoopId, Slice};
use program::interpret::Integers;
use program::{BlockId, Body, Program, Type, VariableId};

pub use self::cases::Found;
pub use self::closed_form::{ClosedForm, Sequence};
pub use self::irregular::Counted;
pub use self::number::{Atom, Definition, Definitions, Polynomial, Ranges, Symbol, Values};
pub use self::path::{Path, Tail};
pub use self::segment::{Ends, Segment};
pub use self::trace::{End, Step, Trace, Traces};

use self::segment::Context;
use self::trace::Traversal;

/// A path dependency automaton.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The head of the loop.
    pub head: BlockId,
    /// The paths, which are the states.
    pub paths: Vec<Path>,
    /// For those that can be taken again and again, what that does.
    pub segments: Vec<Option<Segment>>,
    /// Which path can follow which.
    pub transitions: Vec<Transition>,
    /// What numbers are made of.
    pub definitions: Definitions,
    /// Variables whose numbers can wrap.
    wrapping: BTreeSet<VariableId>,
}

/// That a path can follow another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The first path, by its place.
    pub from: usize,
    /// The second one.
    pub to: usize,
    /// How often the first one is taken before, over the state at its start, if it is understood.
    pub counter: Option<Polynomial>,
    /// When that is so, over the same state.
    pub guard: Vec<Atom>,
}

impl Automaton {
    /// The automaton of a loop, its paths alone: traces need no more. Nothing if the loop has too many paths.
    pub fn of(
        program: &Program,
        body: &Body,
        forest: &LoopForest,
        id: LoopId,
        slice: &Slice,
        integers: Integers,
        budget: &mut Budget,
    ) -> Option<Self> {
        let (ranges, wrapping) = ranges(program, body, integers);
        let mut definitions = Definitions { ranges, ..Definitions::default() };
        let mut paths = path::paths(program, body, forest, id, slice, &mut definitions)?;
        paths.retain(|path| !definitions.never(&[&path.conditions], budget));
        let segments = paths.iter().map(|path| segment(&mut definitions, path)).collect();
        let head = forest[id].head;
        Some(Self { head, paths, segments, transitions: Vec::new(), definitions, wrapping })
    }

    /// The same with the transitions: which path can follow which (Algorithm 1).
    #[must_use]
    pub fn connected(mut self, budget: &mut Budget) -> Self {
        for from in 0..self.paths.len() {
            for to in 0..self.paths.len() {
                let follows = self.paths[from].tail == Tail::Head(self.paths[to].head);
                if from != to && follows {
                    let transition = self.transition(from, to, budget);
                    self.transitions.extend(transition);
                }
            }
        }
        self
    }

    /// How a path can follow another one, if it can: the first way that is found.
    fn transition(&mut self, from: usize, to: usize, budget: &mut Budget) -> Option<Transition> {
        let (known, definitions) = (&self.paths[from].conditions, &mut self.definitions);
        let once = definitions.follow(&Values::new(), &self.paths[from].updates);
        let mut ways = vec![(Vec::new(), once, Polynomial::constant(1))];
        if let Some(segment) = &self.segments[from] {
            let leaves = segment.leave(&mut Context { definitions, known, budget }, &Values::new());
            ways = leaves.ways.into_iter().map(|way| (way.conditions, way.after, way.iterations)).collect();
        }
        for (conditions, values, counter) in ways {
            let then = definitions.moved(&self.paths[to].conditions, &values);
            let guard = [known.clone(), conditions, then].concat();
            if !definitions.never(&[&guard], budget) {
                let counter = Some(counter).filter(|counter| !definitions.is_open(counter));
                return Some(Transition { from, to, counter, guard });
            }
        }
        None
    }

    /// All traces, under a condition on the state at entry.
    pub fn traces(&mut self, precondition: &[Atom], budget: &mut Budget) -> Traces {
        Traversal::traces(self, precondition, budget)
    }
}

/// A path that can be taken again and again. One that turns numbers around (`x = -x`, a swap) is none: two or more
/// iterations together are, and make a cycle.
fn segment(definitions: &mut Definitions, path: &Path) -> Option<Segment> {
    if !path.is_iterative() {
        return None;
    }
    let one = Segment::new(definitions, path.conditions.clone(), path.updates.clone(), path.partial);
    (one.form.is_even() || trace::turn(definitions, &path.updates).is_none()).then_some(one)
}

/// What the types of variables allow; and the variables of unsigned types, and of types that are narrower than what is
/// computed in.
fn ranges(program: &Program, body: &Body, integers: Integers) -> (Ranges, BTreeSet<VariableId>) {
    let globals = (0..program.globals.len()).map(VariableId::global);
    let (mut ranges, mut wrapping) = (Ranges::new(), BTreeSet::new());
    for variable in body.variables.ids().chain(globals) {
        match program.variable(body, variable).ty {
            Type::Bool => _ = ranges.insert(variable, (0.into(), 1.into())),
            Type::Integer(ty) if integers == Integers::Machine => {
                let kind = certify::Kind::Machine { width: ty.width.into(), signed: ty.signed };
                ranges.extend(kind.range().map(|range| (variable, range)));
                if !ty.signed || ty.width < 32 {
                    wrapping.insert(variable);
                }
            }
            _ => {}
        }
    }
    (ranges, wrapping)
}
