//! The loop forest of a control-flow graph, reducible or not, in almost linear time.
//!
//! The method is Tarjan's and Havlak's: a depth-first search, then its blocks from the last to the first, each asked
//! which blocks come back to it; what was found is collapsed into its head. It follows Ramalingam, *Identifying loops
//! in almost linear time* (TOPLAS 21(2), 1999), section 5: edges that are neither of the search tree nor back edges
//! are left out until the lowest common ancestor of their ends has its turn, which makes irreducible graphs cost no
//! more than others.
//!
//! What comes out:
//! - Two loops are disjoint, or one lies inside the other.
//! - A block is the head of at most one loop. Loops of the source that share a head (`continue` as an inner loop,
//!   two back edges) are one loop here.
//! - Every cycle lies inside the loop whose head is the first of its blocks in the search, and passes that head. So
//!   the heads cut every cycle, those of irreducible loops too.
//! - The head of a reducible loop dominates it. An irreducible loop can also be entered elsewhere; which of its
//!   entries is the head, and so how its inside is told in inner loops, depends on the order of the search, which is
//!   that of [`Body::reverse_post_order`].
//!
//! A statement like `do … while (0)` has no back edge, and is no loop.

mod search;

#[cfg(test)]
mod tests;

use base::{Arena, Index, index_type};
use program::{BlockId, Body};

use self::search::Found;
use crate::graph::{Edge, Graph};

index_type!(
    /// A loop of a function. Outer loops come before inner ones.
    LoopId,
    "loop"
);

/// A loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The block that every iteration passes; the only entry of a reducible loop.
    pub head: BlockId,
    /// The blocks at which control can enter, the head first if control can.
    pub entries: Vec<BlockId>,
    /// The edges from inside to the head.
    pub back_edges: Vec<Edge>,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// The loops directly inside it.
    pub children: Vec<LoopId>,
    /// How many loops it is in, itself included: 1 for an outermost one.
    pub depth: u32,
    /// Whether control enters at the head only.
    pub reducible: bool,
    /// Where its blocks stand in the layout.
    first: u32,
    count: u32,
}

/// The loops of a function.
#[derive(Clone, Debug)]
pub struct LoopForest {
    graph: Graph,
    loops: Arena<LoopId, Loop>,
    innermost: Vec<Option<LoopId>>,
    /// All blocks in loops, those of each loop in one piece.
    layout: Vec<BlockId>,
    place: Vec<u32>,
}

impl LoopForest {
    /// The loops of a body.
    pub fn of(body: &Body) -> Self {
        let graph = Graph::of(body);
        let found = search::find(&graph);
        let mut forest = Self::number(graph, found);
        forest.lay_out();
        forest.find_entries();
        forest
    }

    /// The control-flow graph that the loops are in.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// All loops, outer ones before inner ones, otherwise in the order of their heads.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (LoopId, &Loop)> + ExactSizeIterator {
        self.loops.iter()
    }

    /// How many loops there are.
    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// The innermost loop around a block.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block.index()]
    }

    /// The loop with this head.
    pub fn with_head(&self, block: BlockId) -> Option<LoopId> {
        self.innermost(block).filter(|&id| self.loops[id].head == block)
    }

    /// The loop and all loops around it, from the inside out.
    pub fn ancestors(&self, id: LoopId) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(Some(id), |&id| self.loops[id].parent)
    }

    /// The blocks of a loop: its head, its own blocks in reverse post-order, then those of the loops inside.
    pub fn blocks(&self, id: LoopId) -> &[BlockId] {
        let Loop { first, count, .. } = self.loops[id];
        &self.layout[first as usize..(first + count) as usize]
    }

    /// Whether a block is in a loop, or in a loop inside it.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        let Loop { first, count, .. } = self.loops[id];
        self.innermost(block).is_some() && (first..first + count).contains(&self.place[block.index()])
    }

    /// The edges that lead out of a loop. Takes time in proportion to the loop's size.
    pub fn exit_edges(&self, id: LoopId) -> Vec<Edge> {
        let outside = |from: BlockId| {
            let targets = self.graph.successors(from).iter().filter(move |&&to| !self.contains(id, to));
            targets.map(move |&to| Edge { from, to })
        };
        self.blocks(id).iter().flat_map(|&from| outside(from)).collect()
    }

    /// Gives the loops their numbers, in the order of their heads in the reverse post-order.
    fn number(graph: Graph, found: Vec<Found>) -> Self {
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|&index| graph.position(found[index].head));
        let mut name = vec![LoopId::new(0); found.len()];
        for (number, &index) in order.iter().enumerate() {
            name[index] = LoopId::new(number);
        }
        let mut loops: Arena<LoopId, Loop> = Arena::new();
        let mut innermost = vec![None; graph.block_count()];
        for &index in &order {
            let Found { head, parent, ref own, reducible } = found[index];
            let parent = parent.map(|parent| name[parent]);
            let depth = parent.map_or(1, |parent| loops[parent].depth + 1);
            let of_head = graph.predecessors(head).iter().map(|&from| Edge { from, to: head });
            let id = loops.push(Loop {
                head,
                entries: Vec::new(),
                // Those from outside are taken out as soon as all blocks have their places.
                back_edges: of_head.collect(),
                parent,
                children: Vec::new(),
                depth,
                reducible,
                first: 0,
                count: own.len() as u32,
            });
            own.iter().for_each(|block| innermost[block.index()] = Some(id));
            if let Some(parent) = parent {
                loops[parent].children.push(id);
            }
        }
        let place = vec![0; graph.block_count()];
        Self { graph, loops, innermost, layout: Vec::new(), place }
    }

    /// Puts the blocks of each loop in one piece: its own, then those of its children.
    fn lay_out(&mut self) {
        let mut next: Vec<u32> = self.loops.values().map(|item| item.count).collect();
        for id in self.loops.ids().rev() {
            if let Some(parent) = self.loops[id].parent {
                self.loops[parent].count += self.loops[id].count;
            }
        }
        let mut free = 0;
        for id in self.loops.ids() {
            let Loop { parent, count, .. } = self.loops[id];
            let own = next[id.index()];
            // What is left in `next` of a loop is where its next child goes.
            let start = match parent {
                Some(parent) => &mut next[parent.index()],
                None => &mut free,
            };
            let first = *start;
            *start += count;
            self.loops[id].first = first;
            next[id.index()] = first + own;
        }
        self.layout = vec![self.graph.entry(); free as usize];
        let mut next: Vec<u32> = self.loops.values().map(|item| item.first).collect();
        for &block in self.graph.reverse_post_order() {
            if let Some(id) = self.innermost[block.index()] {
                self.place[block.index()] = next[id.index()];
                self.layout[next[id.index()] as usize] = block;
                next[id.index()] += 1;
            }
        }
    }

    /// Finds where control comes into each loop, and which edges to its head come from inside.
    fn find_entries(&mut self) {
        let mut entries: Vec<Vec<BlockId>> = vec![Vec::new(); self.loops.len()];
        for Edge { from, to } in self.graph.edges() {
            let Some(innermost) = self.innermost(to) else { continue };
            for id in self.ancestors(innermost).take_while(|&id| !self.contains(id, from)) {
                entries[id.index()].push(to);
            }
        }
        for (id, mut entries) in self.loops.ids().zip(entries) {
            let head = self.loops[id].head;
            entries.sort_by_key(|&entry| (entry != head, self.graph.position(entry)));
            entries.dedup();
            let mut back_edges = std::mem::take(&mut self.loops[id].back_edges);
            back_edges.retain(|edge| self.contains(id, edge.from));
            self.loops[id].entries = entries;
            self.loops[id].back_edges = back_edges;
        }
    }
}

impl std::ops::Index<LoopId> for LoopForest {
    type Output = Loop;
    fn index(&self, id: LoopId) -> &Loop {
        &self.loops[id]
    }
}
