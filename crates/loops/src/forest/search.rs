//! The search for loops: Ramalingam's variant of Havlak's algorithm, see [`super`].

use base::Index;
use program::BlockId;

use crate::graph::Graph;

/// Finds the loops of a graph, inner ones before outer ones.
pub(super) fn find(graph: &Graph) -> Vec<Found> {
    Finder::find(graph)
}

/// A loop as the search finds it: inner ones before outer ones.
pub(super) struct Found {
    pub head: BlockId,
    /// The loop around it, by its place among those found.
    pub parent: Option<usize>,
    /// The blocks that are in no loop inside it.
    pub own: Vec<BlockId>,
    pub reducible: bool,
}

/// The search. Blocks go by the numbers that the depth-first search gives them.
struct Finder<'a> {
    graph: &'a Graph,
    tree: Tree,
    /// The representative of each block: itself, or a step towards the head of the outermost loop found around it.
    collapsed: Disjoint,
    /// Edges of the graph of representatives besides those of the tree: where control comes from.
    sources: Vec<Vec<u32>>,
    loops: Vec<Found>,
    /// The innermost loop of each block as far as found.
    innermost: Vec<Option<usize>>,
    /// The head for which a block was last put into a loop.
    taken: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<'a> Finder<'a> {
    fn find(graph: &'a Graph) -> Vec<Found> {
        let tree = Tree::of(graph);
        let count = tree.blocks.len();
        let late = late_edges(graph, &tree);
        let mut finder = Self {
            graph,
            tree,
            collapsed: Disjoint::new(count),
            sources: vec![Vec::new(); count],
            loops: Vec::new(),
            innermost: vec![None; count],
            taken: vec![NONE; count],
        };
        for block in (0..count as u32).rev() {
            for &(from, to) in &late[block as usize] {
                let (source, target) = (finder.collapsed.find(from), finder.collapsed.find(to));
                finder.sources[target as usize].push(source);
                finder.enter(to);
            }
            finder.find_loop(block);
        }
        finder.loops
    }

    /// An edge leads to a block from outside of all loops found around it: those of which it is not the head are
    /// irreducible.
    fn enter(&mut self, to: u32) {
        let own = self.innermost[to as usize];
        let mut next = match own {
            Some(own) if self.loops[own].head == self.tree.blocks[to as usize] => self.loops[own].parent,
            _ => own,
        };
        while let Some(id) = next {
            self.loops[id].reducible = false;
            next = self.loops[id].parent;
        }
    }

    /// Collects what comes back to a block.
    fn find_loop(&mut self, head: u32) {
        let block = self.tree.blocks[head as usize];
        let (mut body, mut is_loop) = (Vec::new(), false);
        self.taken[head as usize] = head;
        for &from in self.graph.predecessors(block) {
            let from = self.tree.number[from.index()];
            if self.tree.is_ancestor(head, from) {
                is_loop = true;
                self.take(from, head, &mut body);
            }
        }
        if !is_loop {
            return;
        }
        let mut done = 0;
        while done < body.len() {
            let member = body[done] as usize;
            done += 1;
            self.take(self.tree.parent[member], head, &mut body);
            for source in std::mem::take(&mut self.sources[member]) {
                self.take(source, head, &mut body);
            }
        }
        let id = self.loops.len();
        let mut own = vec![block];
        for member in body {
            match self.innermost[member as usize] {
                Some(inner) => self.loops[inner].parent = Some(id),
                None => {
                    self.innermost[member as usize] = Some(id);
                    own.push(self.tree.blocks[member as usize]);
                }
            }
            self.collapsed.join(member, head);
        }
        self.innermost[head as usize] = Some(id);
        self.loops.push(Found { head: block, parent: None, own, reducible: true });
    }

    /// Puts what stands for a block into the body of a loop, once.
    fn take(&mut self, block: u32, head: u32, body: &mut Vec<u32>) {
        let block = self.collapsed.find(block);
        if std::mem::replace(&mut self.taken[block as usize], head) != head {
            body.push(block);
        }
    }
}

/// The edges that are neither of the search tree nor back edges, by the lowest common ancestor of their ends.
fn late_edges(graph: &Graph, tree: &Tree) -> Vec<Vec<(u32, u32)>> {
    let count = tree.blocks.len();
    let mut late = vec![Vec::new(); count];
    // The ancestor of a block that is the lowest of those up to a number: when that number has its turn, all blocks
    // behind it are joined to their parents.
    let mut ancestors = Disjoint::new(count);
    let mut crossing: Vec<Vec<u32>> = vec![Vec::new(); count];
    for from in 0..count as u32 {
        for &to in graph.successors(tree.blocks[from as usize]) {
            let to = tree.number[to.index()];
            if tree.is_ancestor(from, to) {
                if from != to && tree.parent[to as usize] != from {
                    late[from as usize].push((from, to));
                }
            } else if !tree.is_ancestor(to, from) {
                crossing[to as usize].push(from);
            }
        }
    }
    for to in (0..count as u32).rev() {
        for &from in &crossing[to as usize] {
            late[ancestors.find(from) as usize].push((from, to));
        }
        if to > 0 {
            ancestors.join(to, tree.parent[to as usize]);
        }
    }
    late
}

/// A depth-first search tree; its blocks are numbered in the order in which they are met.
struct Tree {
    blocks: Vec<BlockId>,
    number: Vec<u32>,
    parent: Vec<u32>,
    /// The last number below each block.
    last: Vec<u32>,
}

impl Tree {
    fn of(graph: &Graph) -> Self {
        let mut tree = Self {
            blocks: Vec::new(),
            number: vec![NONE; graph.block_count()],
            parent: Vec::new(),
            last: Vec::new(),
        };
        // Like the reverse post-order, it follows the last edge first.
        let mut stack = vec![(tree.meet(graph.entry(), 0), graph.successors(graph.entry()))];
        while let Some((number, rest)) = stack.last_mut() {
            let number = *number;
            match rest.split_last() {
                Some((&next, others)) => {
                    *rest = others;
                    if tree.number[next.index()] == NONE {
                        stack.push((tree.meet(next, number), graph.successors(next)));
                    }
                }
                None => {
                    tree.last[number as usize] = tree.blocks.len() as u32 - 1;
                    stack.pop();
                }
            }
        }
        tree
    }

    fn meet(&mut self, block: BlockId, parent: u32) -> u32 {
        let number = self.blocks.len() as u32;
        self.number[block.index()] = number;
        self.blocks.push(block);
        self.parent.push(parent);
        self.last.push(number);
        number
    }

    /// Whether the first block is above the second one, or the same.
    fn is_ancestor(&self, above: u32, below: u32) -> bool {
        above <= below && below <= self.last[above as usize]
    }
}

/// Disjoint sets of numbers, each with a representative.
struct Disjoint(Vec<u32>);

impl Disjoint {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    /// The representative of a number. Shortens the way to it.
    fn find(&mut self, number: u32) -> u32 {
        let mut number = number;
        while self.0[number as usize] != number {
            let up = self.0[number as usize];
            self.0[number as usize] = self.0[up as usize];
            number = up;
        }
        number
    }

    /// Joins a representative to another set, which keeps its own.
    fn join(&mut self, number: u32, to: u32) {
        self.0[number as usize] = to;
    }
}
