//! Tests of the loop forest, among them one against its definition.

use std::collections::BTreeSet;

use super::*;
use crate::graphs::{body_from_edges, random_edges};

type Blocks = BTreeSet<usize>;

fn blocks(forest: &LoopForest, id: LoopId) -> Blocks {
    forest.blocks(id).iter().map(|block| block.index()).collect()
}

fn forest(count: usize, edges: &[(usize, usize)]) -> LoopForest {
    LoopForest::of(&body_from_edges(count, edges))
}

/// Each loop as its head, its blocks, its depth and whether it is reducible.
fn loops(forest: &LoopForest) -> Vec<(usize, Vec<usize>, u32, bool)> {
    let describe = |(id, item): (LoopId, &Loop)| {
        (item.head.index(), blocks(forest, id).into_iter().collect(), item.depth, item.reducible)
    };
    forest.iter().map(describe).collect()
}

#[test]
fn nested_loops() {
    let forest = forest(6, &[(0, 1), (1, 2), (2, 3), (3, 2), (3, 4), (4, 1), (1, 5)]);
    assert_eq!(loops(&forest), [(1, vec![1, 2, 3, 4], 1, true), (2, vec![2, 3], 2, true)]);
    let (outer, inner) = (LoopId::new(0), LoopId::new(1));
    assert_eq!((forest[inner].parent, &forest[outer].children[..]), (Some(outer), &[inner][..]));
    assert_eq!(forest.with_head(BlockId::new(2)), Some(inner));
    assert_eq!(forest.with_head(BlockId::new(3)), None);
    assert_eq!(forest.blocks(outer)[0], BlockId::new(1));
}

#[test]
fn the_innermost_loop_of_a_block_is_that_of_the_paper() {
    // The example of the variance paper: a loop with two others in it, the first of which has one inside.
    let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 4), (4, 6), (6, 2), (2, 7), (7, 1), (1, 8)];
    let forest = forest(9, &edges);
    let innermost = |block| forest.innermost(BlockId::new(block)).map(|id| blocks(&forest, id));
    assert_eq!(innermost(1), Some(Blocks::from([1, 2, 3, 4, 5, 6, 7])));
    assert_eq!(innermost(3), Some(Blocks::from([2, 3, 4, 5, 6])));
    assert_eq!(innermost(5), Some(Blocks::from([4, 5])));
    assert_eq!(innermost(8), None);
}

#[test]
fn loops_that_share_a_head_are_one() {
    let forest = forest(5, &[(0, 1), (1, 2), (2, 1), (2, 3), (3, 1), (3, 4)]);
    assert_eq!(loops(&forest), [(1, vec![1, 2, 3], 1, true)]);
    assert_eq!(forest[LoopId::new(0)].back_edges.len(), 2);
}

#[test]
fn a_block_that_jumps_to_itself_is_a_loop() {
    let forest = forest(4, &[(0, 1), (1, 1), (1, 2), (2, 3)]);
    assert_eq!(loops(&forest), [(1, vec![1], 1, true)]);
    assert_eq!(forest.innermost(BlockId::new(2)), None);
}

#[test]
fn exits_are_edges() {
    let forest = forest(6, &[(0, 1), (0, 2), (2, 1), (1, 3), (3, 1), (1, 4), (3, 5)]);
    let id = LoopId::new(0);
    let pairs = |edges: Vec<Edge>| -> Vec<(usize, usize)> {
        edges.iter().map(|edge| (edge.from.index(), edge.to.index())).collect()
    };
    assert_eq!(pairs(forest.exit_edges(id)), [(1, 4), (3, 5)]);
    assert_eq!(pairs(forest[id].back_edges.clone()), [(3, 1)]);
}

#[test]
fn a_loop_with_two_entries_is_irreducible() {
    let forest = forest(4, &[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3)]);
    let (_, item) = forest.iter().next().unwrap();
    assert!(!item.reducible);
    assert_eq!(item.entries.len(), 2);
    assert_eq!(item.entries[0], item.head);
}

#[test]
fn a_jump_into_an_inner_loop_makes_that_one_irreducible() {
    let forest = forest(7, &[(0, 1), (1, 2), (1, 3), (2, 3), (3, 4), (4, 2), (4, 5), (5, 1), (5, 6)]);
    let found = loops(&forest);
    assert_eq!(found.len(), 2);
    assert_eq!((&found[0].1[..], found[0].3), (&[1, 2, 3, 4, 5][..], true));
    assert_eq!((&found[1].1[..], found[1].3), (&[2, 3, 4][..], false));
}

#[test]
fn unreachable_blocks_are_in_no_loop() {
    let forest = forest(4, &[(0, 1), (2, 3), (3, 2), (3, 1)]);
    assert!(forest.is_empty());
    assert_eq!(forest.innermost(BlockId::new(2)), None);
}

/// The blocks that are reachable from a block inside a set, in at least one step.
fn reach(graph: &Graph, from: usize, inside: &Blocks) -> Blocks {
    let mut seen = Blocks::new();
    let mut stack = vec![from];
    while let Some(block) = stack.pop() {
        for next in graph.successors(BlockId::new(block)).iter().map(|next| next.index()) {
            if inside.contains(&next) && seen.insert(next) {
                stack.push(next);
            }
        }
    }
    seen
}

/// By the definition: a strongly connected part is a loop; its head taken away, what is strongly connected in the
/// rest are the loops inside. Any head will do to ask whether the forest is one of those that are right.
fn check_definition(forest: &LoopForest) {
    let graph = forest.graph();
    let all: Blocks = graph.reverse_post_order().iter().map(|block| block.index()).collect();
    let mut open = vec![(all, None)];
    let mut count = 0;
    while let Some((region, parent)) = open.pop() {
        let mut rest = region.clone();
        while let Some(block) = rest.pop_first() {
            let mut component = reach(graph, block, &region);
            component.retain(|&other| reach(graph, other, &region).contains(&block));
            if component.is_empty() {
                continue;
            }
            rest.retain(|other| !component.contains(other));
            let of_component =
                |(id, item): &(LoopId, &Loop)| item.parent == parent && blocks(forest, *id) == component;
            let (id, item) = forest.iter().find(of_component).expect("every component is a loop");
            count += 1;
            let entered = |block: &&usize| {
                let sources = graph.predecessors(BlockId::new(**block));
                sources.iter().any(|from| !component.contains(&from.index()))
            };
            let entries: Blocks = component.iter().filter(entered).copied().collect();
            assert_eq!(item.entries.iter().map(|entry| entry.index()).collect::<Blocks>(), entries);
            assert_eq!(item.reducible, entries == Blocks::from([item.head.index()]));
            assert!(entries.contains(&item.head.index()));
            let exits = component.iter().flat_map(|&block| graph.successors(BlockId::new(block)));
            let exits = exits.filter(|next| !component.contains(&next.index())).count();
            assert_eq!(forest.exit_edges(id).len(), exits);
            component.remove(&item.head.index());
            open.push((component, Some(id)));
        }
    }
    assert_eq!(count, forest.len(), "every loop is a component");
}

#[test]
fn random_graphs_agree_with_the_definition() {
    for seed in 0..3_000 {
        let (count, edges) = random_edges(seed);
        let forest = forest(count, &edges);
        check_definition(&forest);
        for (id, item) in forest.iter() {
            if let Some(parent) = item.parent {
                assert!(parent < id && blocks(&forest, parent).is_superset(&blocks(&forest, id)));
            }
            assert_eq!(forest.blocks(id)[0], item.head);
        }
    }
}

#[test]
fn deep_and_long_functions_take_linear_time() {
    // A nest of a third of the blocks, in which every loop is also left from its innermost point.
    let depth = 30_000;
    let mut edges: Vec<(usize, usize)> = (0..depth).map(|block| (block, block + 1)).collect();
    edges.extend((1..depth).flat_map(|level| [(depth + level, level), (depth + level - 1, depth + level)]));
    let deep = forest(2 * depth + 1, &edges);
    assert_eq!(deep.len(), depth - 1);
    // Many loops one after another, each entered twice.
    let edges: Vec<(usize, usize)> = (0..33_000)
        .map(|index| index * 3)
        .flat_map(|start| {
            [(start, start + 1), (start, start + 2), (start + 1, start + 2), (start + 2, start + 1)]
        })
        .chain((0..33_000).map(|index| (index * 3 + 2, index * 3 + 3)))
        .collect();
    let long = forest(99_001, &edges);
    assert_eq!(long.len(), 33_000);
    assert!(long.iter().all(|(_, item)| !item.reducible));
}
