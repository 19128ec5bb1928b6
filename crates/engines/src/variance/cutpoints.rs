//! The places of a numeric program at which variance is looked for: loop heads, or the code of one line.
//!
//! Definition 3 of the paper asks for a place on every cycle. Ours are the heads of all loops of all copies of functions. A
//! place in the body is not needed for termination, but can be asked for: its isolated part (Definitions 4 to 6) is the
//! innermost loop around it, as in the paper's example, where assertions are about the first line of a loop's body. For
//! loop heads as cutpoints the definitions give that loop: it is strongly connected, and every cycle that leaves it passes
//! the head of a loop around it. It may be irreducible: the paper asks that one location dominates the isolated part, but
//! the proofs of its Propositions 1 and 2 need only that the parts nest and cover every cycle.

use std::collections::BTreeMap;

use base::{Index, Location};
use domains::order::Node;
use loops::{LoopForest, LoopId};
use program::{BlockId, FunctionId, Program};

use super::numeric::Numeric;

/// A place that every iteration of a loop comes to, or may come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cutpoint {
    /// The node.
    pub node: Node,
    /// The copy of the function, by its place in the list.
    pub frame: usize,
    /// The loop that control stays in: the isolated part.
    pub within: LoopId,
    /// The head of that loop.
    pub head: BlockId,
    /// Whether the place is the head itself.
    pub is_head: bool,
    /// Where the loop stands.
    pub loop_location: Location,
    /// Where the loop's body starts.
    pub body_location: Location,
    /// Where the place is.
    pub location: Location,
}

/// The loops of the functions of a numeric program.
pub type Forests = BTreeMap<FunctionId, LoopForest>;

/// The loops of all functions of which there are copies.
pub fn forests(program: &Program, numeric: &Numeric) -> Forests {
    let mut forests = Forests::new();
    for frame in &numeric.frames {
        if let Some(body) = program.functions[frame.function].body() {
            forests.entry(frame.function).or_insert_with(|| LoopForest::of(body));
        }
    }
    forests
}

/// The heads of all loops, in the order of copies, outer loops before inner ones.
pub fn heads(program: &Program, numeric: &Numeric, forests: &Forests) -> Vec<Cutpoint> {
    let mut found = Vec::new();
    for (frame, copy) in numeric.frames.iter().enumerate() {
        let forest = &forests[&copy.function];
        for (id, one) in forest.iter() {
            if let Some(node) = numeric.node_of(frame, one.head) {
                found.push(cutpoint(program, numeric, forest, (frame, id), node));
            }
        }
    }
    found
}

/// The places at which code of a line starts, and the heads of loops whose body starts there.
pub fn at_line(program: &Program, numeric: &Numeric, forests: &Forests, line: u32) -> Vec<Cutpoint> {
    let heads = heads(program, numeric, forests);
    let mut found: Vec<Cutpoint> = Vec::new();
    for (index, spot) in numeric.spots.iter().enumerate() {
        // The first node is before everything.
        if spot.location.line != line || index == 0 {
            continue;
        }
        let node = Node::new(index);
        // A jump to a loop is no code of its own.
        if !heads.iter().any(|head| head.node == node)
            && heads.iter().any(|head| head.loop_location == spot.location)
        {
            continue;
        }
        let forest = &forests[&numeric.frames[spot.frame].function];
        let Some(within) = forest.innermost(spot.block) else { continue };
        let place = cutpoint(program, numeric, forest, (spot.frame, within), node);
        // What follows in the same block, or in a block that only this one leads to, is the same place.
        let is_new = |other: &Cutpoint| other.frame != place.frame || other.within != place.within;
        if found.iter().all(is_new) {
            found.push(place);
        }
    }
    for head in heads {
        let is_new = |other: &Cutpoint| other.frame != head.frame || other.within != head.within;
        if (head.loop_location.line == line || head.body_location.line == line) && found.iter().all(is_new) {
            found.push(head);
        }
    }
    found.sort_by_key(|place| (place.frame, place.within));
    found
}

fn cutpoint(
    program: &Program,
    numeric: &Numeric,
    forest: &LoopForest,
    (frame, within): (usize, LoopId),
    node: Node,
) -> Cutpoint {
    let head = forest[within].head;
    let spot = &numeric.spots[node.index()];
    let is_head = spot.is_start && spot.block == head;
    let loop_location = program.functions[numeric.frames[frame].function]
        .body()
        .map_or(spot.location, |body| loops::name::statement_of(body, forest, within).location);
    let starts = numeric.spots.iter().filter(|other| {
        other.frame == frame && other.location.is_known() && forest.contains(within, other.block)
    });
    let after =
        |location: &Location| (location.line, location.column) > (loop_location.line, loop_location.column);
    let inside = starts.map(|other| other.location).filter(after);
    // The condition stands on the line of the keyword, as a rule; the body comes after it.
    let body_location = inside
        .clone()
        .filter(|location| location.line > loop_location.line)
        .min()
        .or_else(|| inside.min())
        .unwrap_or(loop_location);
    Cutpoint { node, frame, within, head, is_head, loop_location, body_location, location: spot.location }
}
