//! Where the boxes of a graph go: a layered layout.
//!
//! The method is that of Sugiyama, Tagawa and Toda (1981) in its simplest form: edges that close a cycle are turned
//! round, every box gets a layer below all its predecessors, long edges pass through points in the layers between,
//! the order within each layer follows the mean position of the neighbours, and so do the final positions.
//! An edge that spans very many layers is drawn straight, so that the cost stays linear in the drawn picture.

use crate::graph::Graph;

/// The width of a character, the height of a line, and the margin around text, in pixels.
pub(crate) const CHARACTER: f64 = 7.0;
pub(crate) const LINE: f64 = 14.0;
pub(crate) const MARGIN: f64 = 8.0;

const GAP_ACROSS: f64 = 24.0;
const GAP_DOWN: f64 = 44.0;
const SWEEPS: usize = 8;
const LONGEST_ROUTED: usize = 60;

/// Where everything is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layout {
    /// The whole picture's width.
    pub width: f64,
    /// The whole picture's height.
    pub height: f64,
    /// The boxes, in the graph's order.
    pub boxes: Vec<Rectangle>,
    /// For each edge in the graph's order the points it passes, from its start to its end.
    pub routes: Vec<Vec<(f64, f64)>>,
}

/// A box by its centre and size.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rectangle {
    /// The centre, from the left.
    pub x: f64,
    /// The centre, from the top.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

/// Lays a graph out. Edges whose ends do not exist get no route.
pub fn layout(graph: &Graph) -> Layout {
    let mut state = Layers::of(graph);
    state.order();
    state.place();
    state.finish(graph)
}

/// A box or a point of a long edge.
#[derive(Clone, Default)]
struct Item {
    layer: usize,
    width: f64,
    height: f64,
    x: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

struct Layers {
    items: Vec<Item>,
    layers: Vec<Vec<usize>>,
    /// For each edge of the graph: the items it passes from top to bottom, and whether it points upwards.
    chains: Vec<(Vec<usize>, bool)>,
}

impl Layers {
    fn of(graph: &Graph) -> Self {
        let count = graph.nodes.len();
        let downward = orient(graph);
        let ranks = ranks(count, &downward);
        let mut items: Vec<Item> = graph
            .nodes
            .iter()
            .zip(&ranks)
            .map(|(node, &layer)| {
                let columns = node.lines.iter().map(|line| line.chars().count()).max().unwrap_or(0).max(2);
                let width = columns as f64 * CHARACTER + 2.0 * MARGIN;
                let height = node.lines.len().max(1) as f64 * LINE + MARGIN;
                Item { layer, width, height, ..Item::default() }
            })
            .collect();
        let mut chains = Vec::with_capacity(downward.len());
        for &edge in &downward {
            let Some((top, bottom, reversed)) = edge else {
                chains.push((Vec::new(), false));
                continue;
            };
            let mut chain = vec![top];
            let span = ranks[bottom].saturating_sub(ranks[top]);
            if (2..=LONGEST_ROUTED).contains(&span) {
                for layer in ranks[top] + 1..ranks[bottom] {
                    chain.push(items.len());
                    items.push(Item { layer, width: 4.0, ..Item::default() });
                }
            }
            chain.push(bottom);
            for pair in chain.windows(2) {
                if pair[0] != pair[1] {
                    items[pair[0]].below.push(pair[1]);
                    items[pair[1]].above.push(pair[0]);
                }
            }
            chains.push((chain, reversed));
        }
        let mut layers = vec![Vec::new(); items.iter().map(|item| item.layer + 1).max().unwrap_or(0)];
        for (id, item) in items.iter().enumerate() {
            layers[item.layer].push(id);
        }
        Self { items, layers, chains }
    }

    /// Orders every layer by the mean position of the neighbours, downwards and upwards in turn.
    fn order(&mut self) {
        let mut position = vec![0.0; self.items.len()];
        for layer in &self.layers {
            layer.iter().enumerate().for_each(|(at, &id)| position[id] = at as f64);
        }
        for (at, downwards) in self.sweeps() {
            let wanted = |id: usize| mean(self.near(id, downwards).map(|other| position[other]));
            let keyed = self.layers[at].iter().map(|&id| (wanted(id).unwrap_or(position[id]), id));
            let mut keyed: Vec<(f64, usize)> = keyed.collect();
            keyed.sort_by(|left, right| left.0.total_cmp(&right.0));
            self.layers[at] = keyed.into_iter().map(|(_, id)| id).collect();
            self.layers[at].iter().enumerate().for_each(|(at, &id)| position[id] = at as f64);
        }
    }

    /// The layers in the order in which they are visited, again and again: downwards and upwards in turn.
    fn sweeps(&self) -> Vec<(usize, bool)> {
        let count = self.layers.len();
        let sweep = |downwards: bool| {
            (0..count).map(move |step| (if downwards { step } else { count - 1 - step }, downwards))
        };
        (0..SWEEPS).flat_map(|number| sweep(number % 2 == 0)).collect()
    }

    /// The neighbours of an item in the layer that was visited before.
    fn near(&self, id: usize, downwards: bool) -> impl Iterator<Item = usize> {
        let item = &self.items[id];
        if downwards { &item.above } else { &item.below }.iter().copied()
    }

    /// Moves every item towards the mean of its neighbours, as far as the ones beside it allow.
    fn place(&mut self) {
        for layer in &self.layers {
            let mut x = 0.0;
            for &id in layer {
                self.items[id].x = x + self.items[id].width / 2.0;
                x += self.items[id].width + GAP_ACROSS;
            }
        }
        for (at, downwards) in self.sweeps() {
            let x = |id: usize| self.items[id].x;
            let wanted = |&id: &usize| mean(self.near(id, downwards).map(x)).unwrap_or(x(id));
            let wanted: Vec<f64> = self.layers[at].iter().map(wanted).collect();
            self.settle(at, &wanted);
        }
    }

    /// Puts the items of a layer near the wanted positions without overlap: the mean of pushing everything to the
    /// right and pushing everything to the left.
    fn settle(&mut self, layer: usize, wanted: &[f64]) {
        let ids = &self.layers[layer];
        let apart =
            |left: usize, right: usize| (self.items[left].width + self.items[right].width) / 2.0 + GAP_ACROSS;
        let mut from_left = wanted.to_vec();
        for at in 1..ids.len() {
            from_left[at] = from_left[at].max(from_left[at - 1] + apart(ids[at - 1], ids[at]));
        }
        let mut from_right = wanted.to_vec();
        for at in (1..ids.len()).rev() {
            from_right[at - 1] = from_right[at - 1].min(from_right[at] - apart(ids[at - 1], ids[at]));
        }
        for (at, &id) in ids.iter().enumerate() {
            self.items[id].x = (from_left[at] + from_right[at]) / 2.0;
        }
    }

    fn finish(self, graph: &Graph) -> Layout {
        let left = self.items.iter().map(|item| item.x - item.width / 2.0).fold(f64::INFINITY, f64::min);
        let right = self.items.iter().map(|item| item.x + item.width / 2.0).fold(0.0, f64::max);
        let left = if left.is_finite() { left } else { 0.0 };
        let mut tops = Vec::with_capacity(self.layers.len());
        let mut y = GAP_DOWN;
        for layer in &self.layers {
            let height = layer.iter().map(|&id| self.items[id].height).fold(0.0, f64::max);
            tops.push((y, height));
            y += height + GAP_DOWN;
        }
        let centre = |id: usize| {
            let item = &self.items[id];
            let (top, height) = tops[item.layer];
            (item.x - left + GAP_ACROSS, top + height / 2.0)
        };
        let boxes: Vec<Rectangle> = (0..graph.nodes.len())
            .map(|id| {
                let (x, y) = centre(id);
                Rectangle { x, y, width: self.items[id].width, height: self.items[id].height }
            })
            .collect();
        let routes =
            self.chains.iter().map(|(chain, reversed)| route(chain, *reversed, &boxes, centre)).collect();
        Layout { width: right - left + 2.0 * GAP_ACROSS, height: y, boxes, routes }
    }
}

/// The points of one edge: it leaves the bottom of the upper box and enters the top of the lower one.
fn route(
    chain: &[usize],
    reversed: bool,
    boxes: &[Rectangle],
    centre: impl Fn(usize) -> (f64, f64),
) -> Vec<(f64, f64)> {
    let [first, .., last] = chain else { return Vec::new() };
    let (top, bottom) = (boxes[*first], boxes[*last]);
    if first == last {
        // An edge to the same box is a small loop at its right side.
        let x = top.x + top.width / 2.0;
        let (up, down) = (top.y - top.height / 4.0, top.y + top.height / 4.0);
        return vec![(x, down), (x + 18.0, down), (x + 18.0, up), (x, up)];
    }
    let shift = if reversed { 6.0 } else { 0.0 };
    let mut points = vec![(top.x + shift, top.y + top.height / 2.0)];
    points.extend(chain[1..chain.len() - 1].iter().map(|&id| centre(id)));
    points.push((bottom.x + shift, bottom.y - bottom.height / 2.0));
    if reversed {
        points.reverse();
    }
    points
}

/// For each edge its upper and its lower end, and whether it points upwards: so that no cycle is left.
fn orient(graph: &Graph) -> Vec<Option<(usize, usize, bool)>> {
    let count = graph.nodes.len();
    let mut outgoing = vec![Vec::new(); count];
    for (at, edge) in graph.edges.iter().enumerate() {
        if edge.from < count && edge.to < count {
            outgoing[edge.from].push(at);
        }
    }
    let mut oriented = vec![None; graph.edges.len()];
    // 0: not seen, 1: on the path, 2: done.
    let mut state = vec![0u8; count];
    for root in 0..count {
        if state[root] != 0 {
            continue;
        }
        state[root] = 1;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let Some(&edge) = outgoing[*node].get(*next) else {
                state[*node] = 2;
                stack.pop();
                continue;
            };
            *next += 1;
            let (from, to) = (graph.edges[edge].from, graph.edges[edge].to);
            let upwards = state[to] == 1;
            oriented[edge] = Some(if upwards { (to, from, true) } else { (from, to, false) });
            if state[to] == 0 {
                state[to] = 1;
                stack.push((to, 0));
            }
        }
    }
    oriented
}

/// The layer of each node: one more than that of its lowest predecessor.
fn ranks(count: usize, edges: &[Option<(usize, usize, bool)>]) -> Vec<usize> {
    let mut below = vec![Vec::new(); count];
    let mut missing = vec![0usize; count];
    for &(top, bottom, _) in edges.iter().flatten() {
        if top != bottom {
            below[top].push(bottom);
            missing[bottom] += 1;
        }
    }
    let mut ranks = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|&node| missing[node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &next in &below[node] {
            ranks[next] = ranks[next].max(ranks[node] + 1);
            missing[next] -= 1;
            if missing[next] == 0 {
                ready.push(next);
            }
        }
    }
    ranks
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0usize), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, Node};

    fn graph(count: usize, edges: &[(usize, usize)]) -> Graph {
        let node =
            |at: usize| Node { name: format!("b{at}"), lines: vec![format!("b{at}")], ..Node::default() };
        let edge = |&(from, to): &(usize, usize)| Edge { from, to, ..Edge::default() };
        Graph {
            nodes: (0..count).map(node).collect(),
            edges: edges.iter().map(edge).collect(),
            ..Graph::default()
        }
    }

    fn overlap(a: &Rectangle, b: &Rectangle) -> bool {
        let (dx, dy) = ((a.x - b.x).abs(), (a.y - b.y).abs());
        dx * 2.0 < a.width + b.width - 0.5 && dy * 2.0 < a.height + b.height - 0.5
    }

    #[test]
    fn a_loop_is_drawn_downwards_with_one_edge_back() {
        let drawn = layout(&graph(4, &[(0, 1), (1, 2), (2, 1), (1, 3)]));
        assert!(drawn.boxes[0].y < drawn.boxes[1].y && drawn.boxes[1].y < drawn.boxes[2].y);
        let back = &drawn.routes[2];
        assert!(back[0].1 > back[back.len() - 1].1, "the back edge ends above its start");
    }

    #[test]
    fn boxes_never_overlap_and_stay_inside() {
        let mut edges: Vec<(usize, usize)> = (0..299).map(|at| (at, at + 1)).collect();
        edges.extend((0..300).step_by(3).map(|at| (at, (at * 7919 + 13) % 300)));
        let drawn = layout(&graph(300, &edges));
        for (at, a) in drawn.boxes.iter().enumerate() {
            assert!(a.x - a.width / 2.0 >= 0.0 && a.x + a.width / 2.0 <= drawn.width);
            assert!(drawn.boxes[at + 1..].iter().all(|b| !overlap(a, b)));
        }
    }

    #[test]
    fn thousands_of_boxes_are_no_problem() {
        let edges: Vec<(usize, usize)> =
            (0..4999).flat_map(|at| [(at, at + 1), (at, 4999), (at + 1, at / 2)]).collect();
        assert_eq!(layout(&graph(5000, &edges)).boxes.len(), 5000);
    }

    #[test]
    fn an_empty_graph_and_wrong_edges_are_drawn_too() {
        assert!(layout(&graph(0, &[])).boxes.is_empty());
        assert!(layout(&graph(1, &[(0, 9)])).routes[0].is_empty());
    }
}
