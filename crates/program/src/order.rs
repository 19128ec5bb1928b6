//! A weak topological order of the blocks of a body (Bourdoncle, 1993).
//!
//! Every edge leads forward in the order or back to the head of a component around it. Components are found by taking
//! strongly connected components, cutting each at its first block, and going on inside; graphs that no loop statement
//! makes are no special case.

use crate::function::{BlockId, Body};
use base::Index;

/// One element of an order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Element {
    /// A block that is passed once.
    Block(BlockId),
    /// A loop.
    Component(Component),
}

/// A loop: the head, and the rest of it in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// Where each pass starts.
    pub head: BlockId,
    /// The other blocks and the loops inside.
    pub rest: Vec<Element>,
    /// All blocks of the loop, sorted.
    pub blocks: Vec<BlockId>,
}

/// The order of the blocks that control can reach.
pub fn order(body: &Body) -> Vec<Element> {
    let blocks = body.reverse_post_order();
    let mut position = vec![usize::MAX; body.blocks.len()];
    for (place, block) in blocks.iter().enumerate() {
        position[block.index()] = place;
    }
    decompose(body, &position, &blocks)
}

/// The order of some blocks (in reverse post-order), looking only at edges between them.
fn decompose(body: &Body, position: &[usize], blocks: &[BlockId]) -> Vec<Element> {
    let mut elements = Vec::new();
    for mut members in components(body, blocks) {
        members.sort_unstable_by_key(|block| position[block.index()]);
        let head = members[0];
        let repeats = body.blocks[head].terminator.successors().any(|next| next == head);
        if members.len() == 1 && !repeats {
            elements.push(Element::Block(head));
            continue;
        }
        let rest = decompose(body, position, &members[1..]);
        members.sort_unstable();
        elements.push(Element::Component(Component { head, rest, blocks: members }));
    }
    elements
}

/// The strongly connected components of a part of the graph, in topological order (Tarjan, without recursion).
fn components(body: &Body, blocks: &[BlockId]) -> Vec<Vec<BlockId>> {
    const NONE: usize = usize::MAX;
    let mut number = vec![NONE; body.blocks.len()];
    let mut low = vec![NONE; body.blocks.len()];
    let mut inside = vec![false; body.blocks.len()];
    blocks.iter().for_each(|block| inside[block.index()] = true);
    let mut open: Vec<BlockId> = Vec::new();
    let mut is_open = vec![false; body.blocks.len()];
    let mut found = Vec::new();
    let mut count = 0;
    for &root in blocks {
        if number[root.index()] != NONE {
            continue;
        }
        let successors = |block: BlockId| -> Vec<BlockId> {
            body.blocks[block].terminator.successors().filter(|next| inside[next.index()]).collect()
        };
        let mut stack = vec![(root, successors(root))];
        (number[root.index()], low[root.index()]) = (count, count);
        count += 1;
        open.push(root);
        is_open[root.index()] = true;
        while let Some((block, rest)) = stack.last_mut() {
            let block = *block;
            if let Some(next) = rest.pop() {
                if number[next.index()] == NONE {
                    (number[next.index()], low[next.index()]) = (count, count);
                    count += 1;
                    open.push(next);
                    is_open[next.index()] = true;
                    stack.push((next, successors(next)));
                } else if is_open[next.index()] {
                    low[block.index()] = low[block.index()].min(number[next.index()]);
                }
                continue;
            }
            stack.pop();
            if let Some((parent, _)) = stack.last() {
                low[parent.index()] = low[parent.index()].min(low[block.index()]);
            }
            if low[block.index()] == number[block.index()] {
                let start = open.iter().rposition(|&other| other == block).unwrap_or(0);
                let members = open.split_off(start);
                members.iter().for_each(|member| is_open[member.index()] = false);
                found.push(members);
            }
        }
    }
    found.reverse();
    found
}
