//! Cutpoints: blocks of which every cycle passes one (Berdine, Chawdhary, Cook, Distefano, O'Hearn, *Variance analyses
//! from invariance analyses*, POPL 2007, Definition 3).
//!
//! The usual choice is the heads of all loops; [`crate::forest`] says why they are enough, in irreducible graphs too.
//! Where the paper has a location for every command, ours are blocks: a cutpoint stands for the start of its block.
//! Recursive calls, which the paper cuts as well, are no matter of a single function's graph.

use base::Index;
use program::BlockId;

use crate::forest::LoopForest;
use crate::graph::Graph;

/// A set of blocks of which every cycle passes one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cutpoints {
    blocks: Vec<BlockId>,
    is_cutpoint: Vec<bool>,
}

impl Cutpoints {
    /// The heads of all loops.
    pub fn heads(forest: &LoopForest) -> Self {
        Self::from_blocks(forest.graph(), forest.iter().map(|(_, item)| item.head))
    }

    /// The given blocks, if they cut every cycle.
    pub fn chosen(graph: &Graph, blocks: impl IntoIterator<Item = BlockId>) -> Option<Self> {
        let cutpoints = Self::from_blocks(graph, blocks);
        cutpoints.cut_every_cycle(graph).then_some(cutpoints)
    }

    /// The cutpoints, in order.
    pub fn blocks(&self) -> &[BlockId] {
        &self.blocks
    }

    /// Whether a block is a cutpoint.
    pub fn contains(&self, block: BlockId) -> bool {
        self.is_cutpoint[block.index()]
    }

    fn from_blocks(graph: &Graph, blocks: impl IntoIterator<Item = BlockId>) -> Self {
        let mut is_cutpoint = vec![false; graph.block_count()];
        blocks.into_iter().for_each(|block| is_cutpoint[block.index()] = true);
        let blocks = (0..is_cutpoint.len()).filter(|&index| is_cutpoint[index]).map(BlockId::new).collect();
        Self { blocks, is_cutpoint }
    }

    /// Without the cutpoints, no cycle is left.
    fn cut_every_cycle(&self, graph: &Graph) -> bool {
        let rest = graph.reverse_post_order().iter().copied().filter(|&block| !self.contains(block));
        is_acyclic(graph.block_count(), rest, |block, visit| {
            graph
                .successors(block)
                .iter()
                .filter(|&&next| !self.contains(next))
                .for_each(|&next| visit(next));
        })
    }
}

/// Whether a graph has no cycle: blocks that nothing leads to are taken away until none is left. The successors that
/// are visited must be among the blocks.
pub(crate) fn is_acyclic(
    count: usize,
    blocks: impl Iterator<Item = BlockId> + Clone,
    successors: impl Fn(BlockId, &mut dyn FnMut(BlockId)),
) -> bool {
    let mut incoming = vec![0u32; count];
    blocks.clone().for_each(|block| successors(block, &mut |next| incoming[next.index()] += 1));
    let mut free: Vec<BlockId> = blocks.clone().filter(|block| incoming[block.index()] == 0).collect();
    let mut taken = 0;
    while let Some(block) = free.pop() {
        taken += 1;
        successors(block, &mut |next| {
            incoming[next.index()] -= 1;
            if incoming[next.index()] == 0 {
                free.push(next);
            }
        });
    }
    taken == blocks.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphs::{body_from_edges, random_edges};

    #[test]
    fn heads_cut_every_cycle_of_random_graphs() {
        for seed in 0..2_000 {
            let (count, edges) = random_edges(seed);
            let forest = LoopForest::of(&body_from_edges(count, &edges));
            assert!(Cutpoints::heads(&forest).cut_every_cycle(forest.graph()), "{edges:?}");
        }
    }

    #[test]
    fn a_set_that_misses_a_cycle_is_refused() {
        let body = body_from_edges(4, &[(0, 1), (1, 2), (2, 1), (2, 3), (3, 3)]);
        let graph = Graph::of(&body);
        let block = BlockId::new;
        assert!(Cutpoints::chosen(&graph, [block(2)]).is_none());
        let cutpoints = Cutpoints::chosen(&graph, [block(3), block(2)]).unwrap();
        assert_eq!(cutpoints.blocks(), [block(2), block(3)]);
    }
}
