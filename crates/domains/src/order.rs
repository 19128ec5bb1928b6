//! Graphs, and weak topological orders of their nodes: components within components, each with a head.
//!
//! Bourdoncle, Efficient chaotic iteration strategies with widenings, 1993. Every cycle goes through the head of a component
//! that contains it, and every edge that goes back in the order leads to such a head. The order is flat:
//!
//! ```text
//!     0 (1 2 (3 4) 5) 6          position  0 1 2 3 4 5 6
//!                                end       - 6 - 5 - - -      a head's component ends before this position
//! ```
//!
//! Components are found as strongly connected components, again and again without their heads. Nothing is recursive, so that
//! neither long nor deeply nested graphs exhaust the stack.

use base::{Index, index_type};

index_type!(
    /// A node of a graph.
    Node,
    "n"
);
index_type!(
    /// An edge of a graph.
    Edge,
    "e"
);

/// A graph with numbered nodes and edges. There can be several edges between two nodes.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    edges: Vec<(Node, Node)>,
    outgoing: Vec<Vec<Edge>>,
    incoming: Vec<Vec<Edge>>,
}

impl Graph {
    /// A graph with so many nodes and no edges.
    pub fn new(nodes: usize) -> Self {
        Self { edges: Vec::new(), outgoing: vec![Vec::new(); nodes], incoming: vec![Vec::new(); nodes] }
    }

    /// Adds an edge. Edges are numbered in the order in which they come.
    pub fn connect(&mut self, from: Node, to: Node) -> Edge {
        let edge = Edge::new(self.edges.len());
        self.edges.push((from, to));
        self.outgoing[from.index()].push(edge);
        self.incoming[to.index()].push(edge);
        edge
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.outgoing.len()
    }

    /// All edges.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + use<> {
        (0..self.edges.len()).map(Edge::new)
    }

    /// Where an edge leaves.
    pub fn source(&self, edge: Edge) -> Node {
        self.edges[edge.index()].0
    }

    /// Where an edge leads.
    pub fn target(&self, edge: Edge) -> Node {
        self.edges[edge.index()].1
    }

    /// The edges that leave a node.
    pub fn outgoing(&self, node: Node) -> &[Edge] {
        &self.outgoing[node.index()]
    }

    /// The edges that lead to a node.
    pub fn incoming(&self, node: Node) -> &[Edge] {
        &self.incoming[node.index()]
    }
}

/// A weak topological order of the nodes that can be reached.
#[derive(Clone, Debug)]
pub struct Order {
    nodes: Vec<Node>,
    ends: Vec<Option<usize>>,
    positions: Vec<Option<usize>>,
}

impl Order {
    /// The order of the nodes that can be reached from the starts.
    pub fn of(graph: &Graph, starts: &[Node]) -> Self {
        Search::new(graph).run(starts)
    }

    /// How many nodes are in it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no node is in it.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node at a position.
    pub fn node(&self, position: usize) -> Node {
        self.nodes[position]
    }

    /// The position of a node, if it can be reached.
    pub fn position(&self, node: Node) -> Option<usize> {
        self.positions[node.index()]
    }

    /// If the node at a position is the head of a component, the position behind that component.
    pub fn component_end(&self, position: usize) -> Option<usize> {
        self.ends[position]
    }

    /// Whether a node is the head of a component.
    pub fn is_head(&self, node: Node) -> bool {
        self.position(node).is_some_and(|position| self.ends[position].is_some())
    }
}

/// A search for components. The nodes of a part share a number; the others are not examined.
struct Search<'a> {
    graph: &'a Graph,
    part: Vec<u32>,
    parts: u32,
    /// When a node was found in the current part; zero if it was not.
    found: Vec<u32>,
    lowest: Vec<u32>,
    is_open: Vec<bool>,
    clock: u32,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph) -> Self {
        let count = graph.nodes();
        let (part, found, lowest, is_open) =
            (vec![0; count], vec![0; count], vec![0; count], vec![false; count]);
        Self { graph, part, parts: 0, found, lowest, is_open, clock: 0 }
    }

    fn run(mut self, starts: &[Node]) -> Order {
        let mut order =
            Order { nodes: Vec::new(), ends: Vec::new(), positions: vec![None; self.graph.nodes()] };
        // Parts that are still to be ordered: where they begin, the nodes to start from, and their number.
        let mut work = vec![(0, starts.to_vec(), 0)];
        while let Some((begin, starts, part)) = work.pop() {
            let mut components = self.components(&starts, part);
            // A component is complete before those that lead to it.
            components.reverse();
            let length: usize = components.iter().map(Vec::len).sum();
            if order.nodes.len() < begin + length {
                order.nodes.resize(begin + length, Node::new(0));
                order.ends.resize(begin + length, None);
            }
            let mut position = begin;
            for component in components {
                let head = component[0];
                let size = component.len();
                order.nodes[position] = head;
                order.positions[head.index()] = Some(position);
                if size > 1 || self.leads_to(head, head) {
                    order.ends[position] = Some(position + size);
                    work.extend(self.without_head(&component, position));
                }
                position += size;
            }
        }
        order
    }

    /// The rest of a component as a part of its own.
    fn without_head(&mut self, component: &[Node], position: usize) -> Option<(usize, Vec<Node>, u32)> {
        let (head, rest) = component.split_first().filter(|(_, rest)| !rest.is_empty())?;
        self.parts += 1;
        for node in rest {
            self.part[node.index()] = self.parts;
            self.found[node.index()] = 0;
        }
        let targets = self.graph.outgoing(*head).iter().map(|edge| self.graph.target(*edge));
        let starts = targets.filter(|node| node != head && self.part[node.index()] == self.parts).collect();
        // The head leaves every part.
        self.part[head.index()] = u32::MAX;
        Some((position + 1, starts, self.parts))
    }

    fn leads_to(&self, from: Node, to: Node) -> bool {
        self.graph.outgoing(from).iter().any(|edge| self.graph.target(*edge) == to)
    }

    /// The strongly connected components of a part (Tarjan 1972), each with the node first that the search came to first.
    fn components(&mut self, starts: &[Node], part: u32) -> Vec<Vec<Node>> {
        let (mut components, mut open) = (Vec::new(), Vec::new());
        for start in starts {
            if self.found[start.index()] != 0 || self.part[start.index()] != part {
                continue;
            }
            self.discover(*start, &mut open);
            let mut path = vec![(*start, 0)];
            while let Some((node, next)) = path.last_mut() {
                let node = *node;
                if let Some(edge) = self.graph.outgoing(node).get(*next) {
                    *next += 1;
                    let target = self.graph.target(*edge);
                    if self.part[target.index()] != part {
                        continue;
                    }
                    if self.found[target.index()] == 0 {
                        self.discover(target, &mut open);
                        path.push((target, 0));
                    } else if self.is_open[target.index()] {
                        self.lower(node, self.found[target.index()]);
                    }
                } else {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        self.lower(*parent, self.lowest[node.index()]);
                    }
                    components.extend(self.complete(node, &mut open));
                }
            }
        }
        components
    }

    fn discover(&mut self, node: Node, open: &mut Vec<Node>) {
        self.clock += 1;
        self.found[node.index()] = self.clock;
        self.lowest[node.index()] = self.clock;
        self.is_open[node.index()] = true;
        open.push(node);
    }

    fn lower(&mut self, node: Node, found: u32) {
        let lowest = &mut self.lowest[node.index()];
        *lowest = found.min(*lowest);
    }

    /// The component that a node, of which everything has been seen, is the first node of.
    fn complete(&mut self, node: Node, open: &mut Vec<Node>) -> Option<Vec<Node>> {
        if self.lowest[node.index()] != self.found[node.index()] {
            return None;
        }
        let first = open.iter().rposition(|other| *other == node)?;
        let component = open.split_off(first);
        component.iter().for_each(|node| self.is_open[node.index()] = false);
        Some(component)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Random;

    fn graph(nodes: usize, edges: &[(usize, usize)]) -> Graph {
        let mut graph = Graph::new(nodes);
        for (from, to) in edges {
            graph.connect(Node::new(*from), Node::new(*to));
        }
        graph
    }

    fn text(order: &Order) -> String {
        let (mut text, mut ends) = (Vec::new(), Vec::new());
        for position in 0..order.len() {
            let open = if order.component_end(position).is_some() { "(" } else { "" };
            ends.extend(order.component_end(position));
            let close = ends.iter().filter(|end| **end == position + 1).count();
            ends.retain(|end| *end != position + 1);
            text.push(format!("{open}{}{}", order.node(position).index(), ")".repeat(close)));
        }
        text.join(" ")
    }

    #[test]
    fn the_example_of_the_paper() {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (1, 7), (2, 7), (4, 6), (5, 4), (6, 2)];
        let order = Order::of(&graph(8, &edges), &[Node::new(0)]);
        assert_eq!(text(&order), "0 1 (2 3 (4 5) 6) 7");
        assert!(order.is_head(Node::new(4)) && !order.is_head(Node::new(5)));
    }

    #[test]
    fn self_loops_are_components_and_unreachable_nodes_are_left_out() {
        let order = Order::of(&graph(4, &[(0, 1), (1, 1), (3, 1)]), &[Node::new(0)]);
        assert_eq!(text(&order), "0 (1)");
        assert_eq!(order.position(Node::new(3)), None);
    }

    #[test]
    fn edges_go_back_to_heads_only() {
        for seed in 0..300 {
            let random = &mut Random(seed);
            let nodes = 1 + random.below(12);
            let edges: Vec<_> =
                (0..random.below(30)).map(|_| (random.below(nodes), random.below(nodes))).collect();
            let graph = graph(nodes, &edges);
            let order = Order::of(&graph, &[Node::new(0)]);
            for edge in graph.edges() {
                let Some(from) = order.position(graph.source(edge)) else { continue };
                let to = order.position(graph.target(edge)).expect("what can be reached is in the order");
                let is_in = order.component_end(to).is_some_and(|end| to <= from && from < end);
                assert!(from < to || is_in, "{edges:?}: {}", text(&order));
            }
            let mut seen: Vec<_> = (0..order.len()).map(|position| order.node(position)).collect();
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), order.len());
        }
    }

    #[test]
    fn long_and_deep_graphs_need_no_stack() {
        let count = 3_000;
        let edges: Vec<_> = (1..count).flat_map(|node| [(node - 1, node), (node, node - 1)]).collect();
        assert_eq!(Order::of(&graph(count, &edges), &[Node::new(0)]).len(), count);
    }
}
