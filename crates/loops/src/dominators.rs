//! Post-dominators.
//!
//! The method is the simple version of Lengauer and Tarjan, *A fast algorithm for finding dominators in a flowgraph*
//! (TOPLAS 1(1), 1979), with path compression: O(edges · log blocks) on every graph. The iterative method of Cooper,
//! Harvey and Kennedy is shorter, but quadratic where thousands of blocks jump to one label, as real functions do.

use base::Index;
use program::BlockId;

use crate::graph::Graph;

/// Which blocks control must pass on its way from a block to the end of the function.
///
/// Control leaves at every block without a successor. Where it can never leave (an infinite loop), the block of each
/// such region that comes last in the reverse post-order counts as leaving, too.
#[derive(Clone, Debug)]
pub struct PostDominators {
    /// The closest post-dominator of each block; the end is a block of its own, after all others.
    immediate: Vec<Option<u32>>,
    end: usize,
}

impl PostDominators {
    /// The post-dominators of all reachable blocks.
    pub fn of(graph: &Graph) -> Self {
        let end = graph.block_count();
        let ends = ends(graph);
        let predecessors = |block: usize| {
            if block == end {
                ends.clone()
            } else {
                graph.predecessors(BlockId::new(block)).iter().map(|before| before.index()).collect()
            }
        };
        Self { immediate: Search::of(end + 1, end, predecessors).dominators(), end }
    }

    /// The closest block that control must pass after this one. None where control can leave without passing any.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        let index = self.immediate[block.index()]? as usize;
        (index != self.end).then(|| BlockId::new(index))
    }
}

/// The blocks at which control leaves.
fn ends(graph: &Graph) -> Vec<usize> {
    let order = graph.reverse_post_order();
    let mut ends: Vec<usize> = order
        .iter()
        .filter(|&&block| graph.successors(block).is_empty())
        .map(|block| block.index())
        .collect();
    let mut leaves = vec![false; graph.block_count()];
    let mut stack = ends.clone();
    let mut rest = order.iter().rev();
    loop {
        while let Some(block) = stack.pop() {
            if !std::mem::replace(&mut leaves[block], true) {
                stack.extend(graph.predecessors(BlockId::new(block)).iter().map(|before| before.index()));
            }
        }
        let Some(block) = rest.find(|block| !leaves[block.index()]) else { return ends };
        ends.push(block.index());
        stack.push(block.index());
    }
}

const NONE: u32 = u32::MAX;

/// A depth-first search; nodes go by the numbers that it gives them.
struct Search {
    nodes: Vec<usize>,
    parent: Vec<u32>,
    predecessors: Vec<Vec<u32>>,
    count: usize,
}

impl Search {
    fn of(count: usize, root: usize, successors: impl Fn(usize) -> Vec<usize>) -> Self {
        let mut number = vec![NONE; count];
        let mut search = Self { nodes: Vec::new(), parent: Vec::new(), predecessors: Vec::new(), count };
        let mut stack = vec![(root, NONE)];
        while let Some((node, from)) = stack.pop() {
            if number[node] == NONE {
                number[node] = search.nodes.len() as u32;
                search.nodes.push(node);
                search.parent.push(from);
                search.predecessors.push(Vec::new());
                stack.extend(successors(node).into_iter().map(|next| (next, number[node])));
            }
            if from != NONE {
                search.predecessors[number[node] as usize].push(from);
            }
        }
        search
    }

    /// The immediate dominator of each node.
    fn dominators(&self) -> Vec<Option<u32>> {
        let size = self.nodes.len();
        let mut forest = Forest::new(size);
        let mut dominator = vec![0u32; size];
        let mut bucket: Vec<Vec<u32>> = vec![Vec::new(); size];
        for node in (1..size as u32).rev() {
            let parent = self.parent[node as usize];
            for &before in &self.predecessors[node as usize] {
                let best = forest.evaluate(before);
                let own = &mut forest.semi[node as usize];
                *own = (*own).min(best.1);
            }
            bucket[forest.semi[node as usize] as usize].push(node);
            forest.ancestor[node as usize] = parent;
            for below in std::mem::take(&mut bucket[parent as usize]) {
                let (best, semi) = forest.evaluate(below);
                dominator[below as usize] = if semi < forest.semi[below as usize] { best } else { parent };
            }
        }
        let mut immediate = vec![None; self.count];
        for node in 1..size {
            if dominator[node] != forest.semi[node] {
                dominator[node] = dominator[dominator[node] as usize];
            }
            immediate[self.nodes[node]] = Some(self.nodes[dominator[node] as usize] as u32);
        }
        immediate
    }
}

/// The part of the search tree that has been worked through, with the smallest semidominator on each path.
struct Forest {
    semi: Vec<u32>,
    ancestor: Vec<u32>,
    label: Vec<u32>,
}

impl Forest {
    fn new(size: usize) -> Self {
        let numbers: Vec<u32> = (0..size as u32).collect();
        Self { semi: numbers.clone(), ancestor: vec![NONE; size], label: numbers }
    }

    /// The node with the smallest semidominator on the path up from this one, the path's root left out, and that
    /// semidominator. Shortens the path.
    fn evaluate(&mut self, node: u32) -> (u32, u32) {
        if self.ancestor[node as usize] == NONE {
            return (node, self.semi[node as usize]);
        }
        let mut path = Vec::new();
        let mut next = node;
        while self.ancestor[self.ancestor[next as usize] as usize] != NONE {
            path.push(next);
            next = self.ancestor[next as usize];
        }
        while let Some(below) = path.pop() {
            let above = self.ancestor[below as usize];
            if self.semi_of_label(above) < self.semi_of_label(below) {
                self.label[below as usize] = self.label[above as usize];
            }
            self.ancestor[below as usize] = self.ancestor[above as usize];
        }
        (self.label[node as usize], self.semi_of_label(node))
    }

    fn semi_of_label(&self, node: u32) -> u32 {
        self.semi[self.label[node as usize] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphs::{graph_from_edges, random_edges};

    /// A block dominates another if the other cannot be reached without it.
    fn reaches_without(graph: &Graph, without: BlockId, target: BlockId) -> bool {
        let mut seen = vec![false; graph.block_count()];
        let mut stack = vec![graph.entry()];
        while let Some(block) = stack.pop() {
            if block != without && !std::mem::replace(&mut seen[block.index()], true) {
                stack.extend(graph.successors(block));
            }
        }
        seen[target.index()]
    }

    /// The immediate dominators of a graph, forwards.
    fn dominators(graph: &Graph) -> Vec<Option<u32>> {
        let successors =
            |block: usize| graph.successors(BlockId::new(block)).iter().map(|next| next.index()).collect();
        Search::of(graph.block_count(), graph.entry().index(), successors).dominators()
    }

    /// Whether the first block is the second, or its immediate dominator, or that one's, and so on.
    fn is_above(immediate: &[Option<u32>], first: BlockId, second: BlockId) -> bool {
        let up = |block: &usize| immediate[*block].map(|above| above as usize);
        std::iter::successors(Some(second.index()), up).any(|block| block == first.index())
    }

    #[test]
    fn dominators_are_what_cannot_be_avoided() {
        for seed in 0..200 {
            let (count, edges) = random_edges(seed);
            let graph = graph_from_edges(count, &edges);
            let immediate = dominators(&graph);
            for &a in graph.reverse_post_order() {
                for &b in graph.reverse_post_order() {
                    let expected = !reaches_without(&graph, a, b);
                    assert_eq!(is_above(&immediate, a, b), expected, "{a} {b} in {edges:?}");
                }
            }
        }
    }

    #[test]
    fn post_dominators_are_dominators_backwards() {
        let graph = graph_from_edges(6, &[(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 5)]);
        let after = PostDominators::of(&graph);
        let block = BlockId::new;
        assert_eq!(after.immediate(block(1)), Some(block(4)));
        assert_eq!(after.immediate(block(5)), None);
        let is_after = |first, second| is_above(&after.immediate, block(first), block(second));
        assert!(is_after(4, 0) && !is_after(2, 1));
    }

    #[test]
    fn infinite_loops_have_post_dominators_too() {
        let graph = graph_from_edges(4, &[(0, 1), (1, 2), (2, 1), (0, 3)]);
        let after = PostDominators::of(&graph);
        let block = BlockId::new;
        assert!(is_above(&after.immediate, block(2), block(1)));
        assert_eq!(after.immediate(block(0)), None);
    }

    #[test]
    fn a_long_ladder_to_one_label_is_fast() {
        let count = 100_000;
        let edges: Vec<(usize, usize)> =
            (0..count - 2).flat_map(|block| [(block, block + 1), (block, count - 1)]).collect();
        let graph = graph_from_edges(count, &edges);
        assert_eq!(dominators(&graph)[count - 1], Some(0));
        let after = PostDominators::of(&graph);
        assert_eq!(after.immediate(BlockId::new(0)), None);
    }
}
