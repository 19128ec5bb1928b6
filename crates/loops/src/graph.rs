//! The control-flow graph of a body as plain numbers, for algorithms that ask for edges again and again.

use base::Index;
use program::{BlockId, Body};

/// An edge of a control-flow graph. A switch can have several that look the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// Where it leaves.
    pub from: BlockId,
    /// Where it leads.
    pub to: BlockId,
}

/// The control-flow graph of a body: the blocks that control can reach, and the edges between them.
#[derive(Clone, Debug)]
pub struct Graph {
    successors: Adjacency,
    predecessors: Adjacency,
    order: Vec<BlockId>,
    position: Vec<Option<u32>>,
}

/// Lists of neighbours, one after another in one vector.
#[derive(Clone, Debug)]
struct Adjacency {
    first: Vec<u32>,
    blocks: Vec<BlockId>,
}

impl Adjacency {
    /// The neighbours of each block in the order of the edges, each of which goes from its first to its second block.
    fn of(blocks: usize, edges: impl Iterator<Item = (BlockId, BlockId)> + Clone) -> Self {
        let mut first = vec![0u32; blocks + 1];
        edges.clone().for_each(|(from, _)| first[from.index() + 1] += 1);
        for block in 0..blocks {
            first[block + 1] += first[block];
        }
        let mut next = first.clone();
        let mut targets = vec![BlockId::new(0); first[blocks] as usize];
        for (from, to) in edges {
            targets[next[from.index()] as usize] = to;
            next[from.index()] += 1;
        }
        Self { first, blocks: targets }
    }

    fn of_block(&self, block: BlockId) -> &[BlockId] {
        let index = block.index();
        &self.blocks[self.first[index] as usize..self.first[index + 1] as usize]
    }
}

impl Graph {
    /// The graph of a body.
    pub fn of(body: &Body) -> Self {
        let order = body.reverse_post_order();
        let mut position = vec![None; body.blocks.len()];
        for (place, block) in order.iter().enumerate() {
            position[block.index()] = Some(place as u32);
        }
        let edges = order
            .iter()
            .flat_map(|&from| body.blocks[from].terminator.successors().map(move |to| (from, to)))
            .collect::<Vec<_>>();
        let successors = Adjacency::of(body.blocks.len(), edges.iter().copied());
        let predecessors = Adjacency::of(body.blocks.len(), edges.iter().map(|&(from, to)| (to, from)));
        Self { successors, predecessors, order, position }
    }

    /// How many blocks the body has, reachable or not.
    pub fn block_count(&self) -> usize {
        self.position.len()
    }

    /// Where control enters.
    pub fn entry(&self) -> BlockId {
        BlockId::new(0)
    }

    /// The blocks that control can reach, in reverse post-order.
    pub fn reverse_post_order(&self) -> &[BlockId] {
        &self.order
    }

    /// The place of a block in the reverse post-order, if control can reach it.
    pub fn position(&self, block: BlockId) -> Option<usize> {
        self.position[block.index()].map(|place| place as usize)
    }

    /// The blocks that control can go to from a block, once for each edge. None if control cannot reach the block.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        self.successors.of_block(block)
    }

    /// The reachable blocks that control can come from, once for each edge.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        self.predecessors.of_block(block)
    }

    /// All edges between reachable blocks.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.order.iter().flat_map(|&from| self.successors(from).iter().map(move |&to| Edge { from, to }))
    }
}
