//! The isolated part of a numeric program, with ghost dimensions for the state that it starts in (ISOLATE and SEED).
//!
//! ```text
//!   start ──┬─► first steps ─► … ─► cutpoint ──┐       edges of the start are copies of those of the cutpoint (STEP);
//!           │                 ▲                │       what comes to the cutpoint is the variance assertion
//!           └ ─ never ─ ─ ─ ─ ┼────────────────┘
//! ```
//!
//! Only what the part speaks of is kept. A variable that the part does not change needs no ghost: it is its own. The edge
//! that is never taken makes the cutpoint the head of the weak topological order.

use std::collections::{BTreeMap, BTreeSet};

use base::Index;
use domains::order::{Edge, Graph, Node};
use domains::{Constraint, Dimension, Domain, Expression};
use logic::numbers::Rational;
use logic::numbers::linear::Relation;

use super::command::Command;
use super::cutpoints::{Cutpoint, Forests};
use super::numeric::{Numeric, changes, inner_edges, mentions};

/// A number that a variance assertion speaks of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Spoken {
    /// A dimension of the program, now.
    Now(Dimension),
    /// The same at the earlier visit.
    Before(Dimension),
}

impl std::fmt::Display for Spoken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Spoken::Now(dimension) => dimension.fmt(f),
            Spoken::Before(dimension) => write!(f, "{dimension}@before"),
        }
    }
}

/// A linear constraint between a state and an earlier one.
pub type Related = logic::numbers::linear::Constraint<Spoken>;

/// Whether the constant of a constraint is no limit of a machine type, or near to one.
pub(super) fn is_small(constraint: &Related) -> bool {
    let limit = Rational::from(1 << 30);
    constraint.expression.constant_part().absolute() < limit
}

/// A tightened constraint as text, the first number, which is one of now if there is one, to the left. Nothing if it
/// speaks of what has no name.
pub(super) fn text(tight: &Related, name: impl Fn(Spoken) -> Option<String>) -> Option<String> {
    let is_left = tight.expression.terms().first()?.1.is_positive();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (spoken, coefficient) in tight.expression.terms() {
        let name = name(*spoken)?;
        let size = coefficient.absolute();
        let term = if size.is_one() { name } else { format!("{size}*{name}") };
        if coefficient.is_positive() == is_left { left.push(term) } else { right.push(term) }
    }
    let number = tight.expression.constant_part().clone();
    let number = if is_left { -number } else { number };
    let mut sum = right.join(" + ");
    if sum.is_empty() {
        sum = number.to_string();
    } else if number.is_positive() {
        sum = format!("{sum} + {number}");
    } else if number.is_negative() {
        sum = format!("{sum} - {}", number.absolute());
    }
    let symbol = match (tight.relation, is_left) {
        (Relation::Equal, _) => "==",
        (_, true) => "<=",
        (_, false) => ">=",
    };
    Some(format!("{} {symbol} {sum}", left.join(" + ")))
}

/// The isolated part around a cutpoint.
pub(super) struct Isolated {
    /// The graph; runs start at node zero.
    pub graph: Graph,
    /// What edges do, over local dimensions.
    pub commands: Vec<Vec<Command>>,
    /// The edge of the program that an edge stands for.
    pub origins: Vec<Option<Edge>>,
    /// The cutpoint.
    pub root: Node,
    /// The dimensions of the program that are kept, by local dimension.
    kept: Vec<Dimension>,
    /// Those of them that have a ghost, in the order of the ghosts.
    seeded: Vec<Dimension>,
    /// Conditions of the part, for widening.
    pub conditions: Vec<Constraint>,
}

impl Isolated {
    /// Isolates the loop around a cutpoint.
    pub fn of(numeric: &Numeric, forests: &Forests, cutpoint: &Cutpoint) -> Self {
        let forest = &forests[&numeric.frames[cutpoint.frame].function];
        let is_in = |node: Node| {
            numeric.is_within(node, cutpoint.frame, |block| forest.contains(cutpoint.within, block))
        };
        let edges = inner_edges(&numeric.graph, is_in);
        let (mut mentioned, mut changed) = (BTreeSet::new(), BTreeSet::new());
        for edge in &edges {
            mentions(&numeric.commands[edge.index()], &mut |dimension| _ = mentioned.insert(dimension));
            changes(&numeric.commands[edge.index()], &mut |dimension| _ = changed.insert(dimension));
        }
        let kept: Vec<Dimension> = mentioned.into_iter().collect();
        changed.retain(|dimension| numeric.is_visible(cutpoint.frame, *dimension));
        let seeded: Vec<Dimension> = changed.into_iter().collect();
        let mut part = Self {
            graph: Graph::new(0),
            commands: Vec::new(),
            origins: Vec::new(),
            root: Node::new(1),
            kept,
            seeded,
            conditions: Vec::new(),
        };
        part.build(numeric, cutpoint, &edges);
        part
    }

    fn build(&mut self, numeric: &Numeric, cutpoint: &Cutpoint, edges: &[Edge]) {
        let graph = &numeric.graph;
        let mut numbers: BTreeMap<Node, Node> = BTreeMap::from([(cutpoint.node, self.root)]);
        for node in edges.iter().flat_map(|edge| [graph.source(*edge), graph.target(*edge)]) {
            let next = Node::new(numbers.len() + 1);
            numbers.entry(node).or_insert(next);
        }
        self.graph = Graph::new(numbers.len() + 1);
        let start = Node::new(0);
        let never = Constraint::at_most(&Expression::constant(1), &Expression::zero());
        self.connect(start, self.root, vec![Command::Assume(never)], None);
        for edge in edges.iter().filter(|edge| graph.source(**edge) == cutpoint.node) {
            let commands = self.localised(&numeric.commands[edge.index()]);
            self.connect(start, numbers[&graph.target(*edge)], commands, Some(*edge));
        }
        for edge in edges {
            let commands = self.localised(&numeric.commands[edge.index()]);
            conditions(&commands, &mut self.conditions);
            self.connect(numbers[&graph.source(*edge)], numbers[&graph.target(*edge)], commands, Some(*edge));
        }
    }

    fn connect(&mut self, from: Node, to: Node, commands: Vec<Command>, origin: Option<Edge>) {
        self.graph.connect(from, to);
        self.commands.push(commands);
        self.origins.push(origin);
    }

    fn local(&self, dimension: Dimension) -> Option<Dimension> {
        self.kept.binary_search(&dimension).ok().map(|at| Dimension(at as u32))
    }

    fn localised(&self, commands: &[Command]) -> Vec<Command> {
        let dimension = |dimension: Dimension| self.local(dimension).unwrap_or(dimension);
        let rename = |expression: &Expression| expression.renamed(dimension);
        let command = |command: &Command| match command {
            Command::Assign(target, value) => Command::Assign(dimension(*target), rename(value)),
            Command::Forget(target) => Command::Forget(dimension(*target)),
            Command::Assume(constraint) => Command::Assume(constraint.renamed(dimension)),
            Command::Fit(expression, limits) => Command::Fit(rename(expression), limits.clone()),
            Command::Wrap(target, limits) => Command::Wrap(dimension(*target), limits.clone()),
            Command::Either(ways) => Command::Either(ways.iter().map(|way| self.localised(way)).collect()),
        };
        commands.iter().map(command).collect()
    }

    /// The diagonal relation on an invariance assertion: what is known now, and that the ghosts are the same (SEED).
    pub fn seed<D: Domain>(&self, invariant: &D) -> D {
        let mut rest = invariant.clone();
        for at in 0..rest.dimensions() {
            let dimension = Dimension(at as u32);
            if self.local(dimension).is_none() {
                rest.forget(dimension);
            }
        }
        let mut seed = D::top(self.kept.len() + self.seeded.len());
        for constraint in rest.constraints() {
            seed.assume(&constraint.renamed(|dimension| self.local(dimension).unwrap_or(dimension)));
        }
        for (ghost, dimension) in self.seeded.iter().enumerate() {
            if let Some(local) = self.local(*dimension) {
                seed.assign(Dimension((self.kept.len() + ghost) as u32), &Expression::variable(local));
            }
        }
        seed
    }

    /// The numbers that a rank may speak of: each before and now.
    pub fn quantities(&self, is_wanted: impl Fn(Dimension) -> bool) -> Vec<(Dimension, Spoken, Spoken)> {
        let wanted = self.kept.iter().copied().filter(|dimension| is_wanted(*dimension));
        let quantity = |dimension: Dimension| {
            let is_seeded = self.seeded.contains(&dimension);
            let before = if is_seeded { Spoken::Before(dimension) } else { Spoken::Now(dimension) };
            (dimension, before, Spoken::Now(dimension))
        };
        wanted.map(quantity).collect()
    }

    /// What the local dimensions are: those of the program that are kept, and the ghosts.
    pub fn layout(&self) -> Vec<Spoken> {
        let now = self.kept.iter().copied().map(Spoken::Now);
        now.chain(self.seeded.iter().copied().map(Spoken::Before)).collect()
    }

    /// What an element says, over dimensions of the program now and before. Some of them are left out.
    pub fn spoken<D: Domain>(&self, element: &D, is_hidden: impl Fn(Dimension) -> bool) -> Vec<Related> {
        let (mut rest, layout) = (element.clone(), self.layout());
        for (at, Spoken::Now(dimension) | Spoken::Before(dimension)) in layout.iter().enumerate() {
            if is_hidden(*dimension) {
                rest.forget(Dimension(at as u32));
            }
        }
        let name = |local: Dimension| layout[local.index()];
        rest.constraints().iter().map(|constraint| constraint.renamed(name)).collect()
    }
}

/// So many conditions are kept for widening.
const LIMITS: usize = 80;

/// The conditions among commands, and what is weaker by one, each of them once.
pub(super) fn conditions(commands: &[Command], found: &mut Vec<Constraint>) {
    for command in commands {
        match command {
            Command::Assume(constraint) if constraint.relation != Relation::Equal => {
                let exact = constraint.tightened();
                // A step after the condition, by one, often breaks it by just that.
                let expression = &exact.expression - &Expression::constant(1);
                for limit in [exact, Constraint { expression, relation: Relation::AtMost }] {
                    if limit.known().is_none() && !found.contains(&limit) && found.len() < LIMITS {
                        found.push(limit);
                    }
                }
            }
            Command::Either(ways) => ways.iter().for_each(|way| conditions(way, found)),
            _ => {}
        }
    }
}
