//! Isolation: the part of a function in which control stays in the loop around a place (Berdine et al., POPL 2007,
//! Definitions 4 to 6).
//!
//! Definition 4 collects the strongly connected subgraphs that are SCCs or, "intuitively, inner loops" of them, and
//! that fit a set of cutpoints; Definition 5 takes the smallest one around a place; Definition 6 keeps the edges inside
//! it and makes the place its root. We take the subgraphs from the loop forest, whose loops are strongly connected, and
//! test the paper's third condition on them: a cycle that is not inside the subgraph must have a cutpoint outside of
//! it. With the heads of all loops as cutpoints every loop passes that test, and the answer is the innermost loop.
//!
//! Deviations: the paper asks (second condition) that one location dominates the whole subgraph, which leaves
//! irreducible inner loops out, so that they can only be examined together with the loop around them. The proofs of its
//! Propositions 1 and 2 need no dominance, only that the subgraphs nest and cover every cycle, which holds for the
//! loops of the forest; so irreducible loops are isolated like others. In the paper's example the set for location 82
//! should, by its own Definition 5, be {82..90}, which contains 82, and not {81..91}.
//!
//! Seeding the isolated part with the states that reach its root is up to the analysis that uses it.

use program::BlockId;

use crate::cutpoints::{Cutpoints, is_acyclic};
use crate::forest::{LoopForest, LoopId};

/// A part of a function in which control stays in one loop (Definition 6).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Isolation {
    /// Where runs of this part start.
    pub root: BlockId,
    /// The loop that control stays in.
    pub within: LoopId,
}

impl Isolation {
    /// The smallest part around a block that fits the cutpoints. None if the block is in no loop.
    ///
    /// Takes time in proportion to the size of the outermost loop around the block, for each loop around it that has to
    /// be tried; with the heads of loops as cutpoints only in proportion to their number.
    pub fn of(forest: &LoopForest, cutpoints: &Cutpoints, root: BlockId) -> Option<Self> {
        let innermost = forest.innermost(root)?;
        let within = forest.ancestors(innermost).find(|&id| fits(forest, cutpoints, id))?;
        Some(Self { root, within })
    }

    /// The blocks of this part (Definition 5, LP).
    pub fn blocks<'a>(&self, forest: &'a LoopForest) -> &'a [BlockId] {
        forest.blocks(self.within)
    }

    /// The blocks that control can go to from a block without leaving this part.
    pub fn successors<'a>(
        &self,
        forest: &'a LoopForest,
        block: BlockId,
    ) -> impl Iterator<Item = BlockId> + use<'a> {
        let within = self.within;
        let targets = forest.graph().successors(block).iter().copied();
        targets.filter(move |&target| forest.contains(within, target))
    }
}

/// Condition 3 of Definition 4: every cycle lies inside the loop, or has a cutpoint outside of it.
///
/// Only cycles that share a block with the loop need a look: another one has a cutpoint, and that one is outside. They
/// all lie in the outermost loop around this one. A cycle that breaks the condition is one that is left when the loop
/// is seen as one block and the cutpoints outside of it are taken away.
fn fits(forest: &LoopForest, cutpoints: &Cutpoints, id: LoopId) -> bool {
    let mut around = forest.ancestors(id).skip(1);
    if around.all(|outer| cutpoints.contains(forest[outer].head)) {
        return true;
    }
    let Some(outermost) = forest.ancestors(id).last() else { return true };
    let head = forest[id].head;
    let stands_for = |block: BlockId| if forest.contains(id, block) { head } else { block };
    let is_left = |block: BlockId| {
        forest.contains(id, block) || (forest.contains(outermost, block) && !cutpoints.contains(block))
    };
    let blocks = forest.blocks(outermost).iter().copied();
    let blocks = blocks.filter(|&block| is_left(block) && stands_for(block) == block);
    let count = forest.graph().block_count();
    is_acyclic(count, blocks, |block, visit| {
        let own = [block];
        let inside: &[BlockId] = if block == head { forest.blocks(id) } else { &own };
        for &next in inside.iter().flat_map(|&block| forest.graph().successors(block)) {
            let next_stands_for = stands_for(next);
            if is_left(next) && !(block == head && next_stands_for == head) {
                visit(next_stands_for);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use base::Index;

    use super::*;
    use crate::graphs::{body_from_edges, graph_from_edges};

    /// Two loops in a third one, like the program of the paper's Fig. 2:
    /// 1 is the outer head, 2 the head of a loop with a loop 4-5 inside.
    const EDGES: &[(usize, usize)] =
        &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 4), (4, 6), (6, 2), (2, 7), (7, 1), (1, 8)];

    fn blocks(isolation: &Isolation, forest: &LoopForest) -> Vec<usize> {
        let mut blocks: Vec<usize> = isolation.blocks(forest).iter().map(|block| block.index()).collect();
        blocks.sort_unstable();
        blocks
    }

    #[test]
    fn with_heads_as_cutpoints_the_innermost_loop_is_isolated() {
        let forest = LoopForest::of(&body_from_edges(9, EDGES));
        let cutpoints = Cutpoints::heads(&forest);
        let isolate = |block| Isolation::of(&forest, &cutpoints, BlockId::new(block));
        assert_eq!(blocks(&isolate(1).unwrap(), &forest), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(blocks(&isolate(3).unwrap(), &forest), [2, 3, 4, 5, 6]);
        assert_eq!(blocks(&isolate(5).unwrap(), &forest), [4, 5]);
        assert_eq!(isolate(8), None);
        let inner = isolate(3).unwrap();
        let next: Vec<BlockId> = inner.successors(&forest, BlockId::new(2)).collect();
        assert_eq!(next, [BlockId::new(3)]);
    }

    #[test]
    fn a_cutpoint_inside_an_inner_loop_merges_it_with_the_outer_one() {
        let graph = graph_from_edges(9, EDGES);
        // The only cutpoint of the loop at 2 is inside the loop at 4, so the two cannot be told apart.
        let chosen = [1, 4].map(BlockId::new);
        let cutpoints = Cutpoints::chosen(&graph, chosen).unwrap();
        let forest = LoopForest::of(&body_from_edges(9, EDGES));
        let isolation = Isolation::of(&forest, &cutpoints, BlockId::new(5)).unwrap();
        assert_eq!(blocks(&isolation, &forest), [2, 3, 4, 5, 6]);
    }

    #[test]
    fn irreducible_inner_loops_are_isolated() {
        let edges = &[(0, 1), (1, 2), (1, 3), (2, 3), (3, 2), (3, 4), (4, 1), (4, 5)];
        let forest = LoopForest::of(&body_from_edges(6, edges));
        let cutpoints = Cutpoints::heads(&forest);
        let isolation = Isolation::of(&forest, &cutpoints, BlockId::new(2)).unwrap();
        assert_eq!(blocks(&isolation, &forest), [2, 3]);
    }
}
