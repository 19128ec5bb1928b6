//! Least solutions, as far as widening lets them be, of equations on a graph: one element for each node.
//!
//! Up: the recursive strategy of Bourdoncle (1993, section 3) on a weak topological order. A component is repeated until its
//! head is stable, inner components each time they are come to; heads are joined a few times and widened after that.
//! Down: a few passes that take what the equations give, then passes that narrow at heads.
//! At the end all equations are checked once more: a result that is not a solution is an error and never an answer. If it is
//! the passes down that spoilt it (operations of a domain need not be monotone), the result from before them is taken.

use base::{Budget, Index};

use crate::order::{Edge, Graph, Node, Order};
use crate::{Constraint, Lattice};

/// How often a head is joined before it is widened.
const DELAY: usize = 2;
/// How many passes take what the equations give, without narrowing.
const DESCENTS: usize = 2;
/// How many passes narrow, at most. They end when nothing changes.
const NARROWINGS: usize = 2;

/// An element for each node, or nothing where no path leads.
pub type Solution<L> = Vec<Option<L>>;

/// Why there is no solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The budget was spent.
    Stopped(base::Stop),
    /// The recheck found that what holds before an edge gives more than what holds behind it: a domain breaks its laws.
    NotStable(Edge),
    /// The recheck found that a node does not contain what it starts with: a domain breaks its laws.
    NotStarted(Node),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Stopped(stop) => stop.fmt(f),
            Failure::NotStable(edge) => write!(f, "no solution at edge {edge}"),
            Failure::NotStarted(node) => write!(f, "no solution at start {node}"),
        }
    }
}

/// Solves the equations: a node contains what it starts with, and what its edges make of the nodes that they leave.
///
/// The transfer function gives what an edge makes of an element. Every call of it is one step of the budget. The limits are
/// what a widening should try to keep.
pub fn solve<L: Lattice>(
    graph: &Graph,
    starts: &[(Node, L)],
    transfer: impl FnMut(Edge, &L) -> L,
    limits: &[Constraint],
    budget: &mut Budget,
) -> Result<Solution<L>, Failure> {
    let roots: Vec<Node> = starts.iter().map(|(node, _)| *node).collect();
    let order = Order::of(graph, &roots);
    let mut engine =
        Engine { graph, starts, transfer, limits, budget, order, values: vec![None; graph.nodes()] };
    engine.ascend()?;
    let upper = engine.values.clone();
    engine.descend()?;
    match engine.recheck() {
        Err(Failure::NotStable(_) | Failure::NotStarted(_)) => {
            engine.values = upper;
            engine.recheck()?;
        }
        outcome => outcome?,
    }
    Ok(engine.values)
}

struct Engine<'a, L, T> {
    graph: &'a Graph,
    starts: &'a [(Node, L)],
    transfer: T,
    limits: &'a [Constraint],
    budget: &'a mut Budget,
    order: Order,
    values: Solution<L>,
}

/// A component that is being repeated.
struct Component<L> {
    /// The position of its head.
    head: usize,
    /// The position behind it.
    end: usize,
    /// What comes to the head from outside, which does not change meanwhile.
    entry: Option<L>,
    /// How often it was repeated.
    rounds: usize,
}

impl<L: Lattice, T: FnMut(Edge, &L) -> L> Engine<'_, L, T> {
    fn ascend(&mut self) -> Result<(), Failure> {
        let mut open: Vec<Component<L>> = Vec::new();
        let mut position = 0;
        while position < self.order.len() || !open.is_empty() {
            if let Some(component) = open.last_mut().filter(|component| component.end == position) {
                let head = component.head;
                if self.repeat(component)? {
                    position = head + 1;
                } else {
                    open.pop();
                }
                continue;
            }
            let node = self.order.node(position);
            match self.order.component_end(position) {
                None => self.values[node.index()] = self.incoming(node, |_| true)?,
                Some(end) => open.push(self.enter(position, end)?),
            }
            position += 1;
        }
        Ok(())
    }

    /// Comes to a component from outside. What its head was before stays part of it, so that it only grows.
    fn enter(&mut self, head: usize, end: usize) -> Result<Component<L>, Failure> {
        let node = self.order.node(head);
        let entry = self.incoming(node, |source| !(head..end).contains(&source))?;
        self.values[node.index()] = match (self.values[node.index()].take(), &entry) {
            (Some(old), Some(entry)) if !entry.is_included(&old) => Some(old.join(entry)),
            (old, entry) => old.or_else(|| entry.clone()),
        };
        Ok(Component { head, end, entry, rounds: 0 })
    }

    /// Brings the head of a component up to date at its end, and says whether the component must be repeated.
    fn repeat(&mut self, component: &mut Component<L>) -> Result<bool, Failure> {
        let node = self.order.node(component.head);
        let back = self.incoming(node, |source| (component.head..component.end).contains(&source))?;
        let Some(back) = back else { return Ok(false) };
        // Nothing came to the head but what was not there a moment ago: a start inside of the component.
        let Some(old) = self.values[node.index()].take() else {
            self.values[node.index()] = Some(back);
            return Ok(true);
        };
        if back.is_included(&old) && component.entry.as_ref().is_none_or(|entry| entry.is_included(&old)) {
            self.values[node.index()] = Some(old);
            return Ok(false);
        }
        let mut next = old.join(&back);
        if let Some(entry) = &component.entry {
            next = next.join(entry);
        }
        if component.rounds >= DELAY {
            next = old.widen(&next, self.limits);
        }
        component.rounds += 1;
        self.values[node.index()] = Some(next);
        Ok(true)
    }

    fn descend(&mut self) -> Result<(), Failure> {
        for pass in 0..DESCENTS + NARROWINGS {
            let mut is_changed = false;
            for position in 0..self.order.len() {
                let node = self.order.node(position);
                let next = self.incoming(node, |_| true)?;
                if self.order.component_end(position).is_none() {
                    self.values[node.index()] = next;
                    continue;
                }
                let (Some(old), Some(next)) = (&self.values[node.index()], next) else { continue };
                if next.is_included(old) && !old.is_included(&next) {
                    is_changed = true;
                    let lower = if pass < DESCENTS { next } else { old.narrow(&next) };
                    self.values[node.index()] = Some(lower);
                }
            }
            if !is_changed {
                break;
            }
        }
        Ok(())
    }

    /// What comes to a node: its start, and its edges from nodes at certain positions.
    fn incoming(&mut self, node: Node, counts: impl Fn(usize) -> bool) -> Result<Option<L>, Failure> {
        let mut sum: Option<L> = None;
        let mut add = |next: L| {
            if !next.is_bottom() {
                sum = Some(sum.take().map_or_else(|| next.clone(), |sum| sum.join(&next)));
            }
        };
        // A start comes from outside of everything.
        if counts(usize::MAX) {
            let starts = self.starts.iter().filter(|(start, _)| *start == node);
            starts.for_each(|(_, element)| add(element.clone()));
        }
        for edge in self.graph.incoming(node) {
            let source = self.graph.source(*edge);
            let is_counted = self.order.position(source).is_some_and(&counts);
            if let Some(element) = self.values[source.index()].as_ref().filter(|_| is_counted) {
                self.budget.spend(1).map_err(Failure::Stopped)?;
                add((self.transfer)(*edge, element));
            }
        }
        Ok(sum)
    }

    fn recheck(&mut self) -> Result<(), Failure> {
        let holds = |value: &Option<L>, part: &L| {
            part.is_bottom() || value.as_ref().is_some_and(|value| part.is_included(value))
        };
        for (node, element) in self.starts {
            if !holds(&self.values[node.index()], element) {
                return Err(Failure::NotStarted(*node));
            }
        }
        for edge in self.graph.edges() {
            let Some(element) = &self.values[self.graph.source(edge).index()] else { continue };
            self.budget.spend(1).map_err(Failure::Stopped)?;
            let next = (self.transfer)(edge, element);
            if !holds(&self.values[self.graph.target(edge).index()], &next) {
                return Err(Failure::NotStable(edge));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{self, Random, Step};
    use crate::{
        Congruences, Dimension, Disjunction, Domain, Expression, Intervals, Octagon, Product, Range,
    };

    /// A program: what each edge does, one step after another.
    struct Code {
        graph: Graph,
        steps: Vec<Vec<Step>>,
    }

    impl Code {
        fn new(nodes: usize) -> Self {
            Self { graph: Graph::new(nodes), steps: Vec::new() }
        }

        fn edge(&mut self, from: usize, to: usize, steps: Vec<Step>) {
            self.graph.connect(Node::new(from), Node::new(to));
            self.steps.push(steps);
        }

        fn solve<D: Domain>(&self, start: D) -> Result<Solution<D>, Failure> {
            let transfer = |edge: Edge, element: &D| {
                let mut element = element.clone();
                for step in &self.steps[edge.index()] {
                    match step {
                        Step::Assume(constraint) => element.assume(constraint),
                        Step::Assign(target, value) => element.assign(*target, value),
                        Step::Forget(dimension) => element.forget(*dimension),
                    }
                }
                element
            };
            solve(&self.graph, &[(Node::new(0), start)], transfer, &[], &mut Budget::steps(100_000))
        }
    }

    fn variable(at: u32) -> Expression {
        Expression::variable(Dimension(at))
    }

    fn set(at: u32, value: &Expression) -> Step {
        Step::Assign(Dimension(at), value.clone())
    }

    fn plus(expression: &Expression, number: i64) -> Expression {
        expression + &Expression::constant(number)
    }

    fn less(left: &Expression, right: &Expression) -> Step {
        Step::Assume(Constraint::less(left, right))
    }

    fn at_most(left: &Expression, right: &Expression) -> Step {
        Step::Assume(Constraint::at_most(left, right))
    }

    /// `for (i = 0; i < 10; i++) for (j = i; j < 10; j++);` with nodes for the two heads and the end.
    fn nested() -> Code {
        let (i, j, ten) = (variable(0), variable(1), Expression::constant(10));
        let mut code = Code::new(4);
        code.edge(0, 1, vec![set(0, &Expression::zero())]);
        code.edge(1, 2, vec![less(&i, &ten), set(1, &i)]);
        code.edge(2, 2, vec![less(&j, &ten), set(1, &plus(&j, 1))]);
        code.edge(2, 1, vec![at_most(&ten, &j), set(0, &plus(&i, 1))]);
        code.edge(1, 3, vec![at_most(&ten, &i)]);
        code
    }

    fn range(least: i64, greatest: i64) -> Range {
        Range { least: Some(least.into()), greatest: Some(greatest.into()) }
    }

    #[test]
    fn nested_loops_have_exact_limits() {
        let solution = nested().solve(Octagon::top(2)).expect("a solution");
        let at = |node: usize| solution[node].as_ref().expect("reached");
        assert_eq!(at(1).range(&variable(0)), range(0, 10));
        assert_eq!(at(2).range(&variable(1)), range(0, 10));
        assert!(at(2).satisfies(&Constraint::at_most(&variable(0), &variable(1))));
        assert_eq!(at(3).range(&variable(0)), range(10, 10));
    }

    #[test]
    fn unreachable_nodes_have_no_element() {
        let mut code = nested();
        code.edge(3, 0, vec![less(&variable(0), &Expression::zero())]);
        let solution = code.solve(Octagon::top(2)).expect("a solution");
        assert!(solution.iter().all(Option::is_some));
        let mut code = Code::new(3);
        code.edge(0, 1, vec![less(&variable(0), &variable(0))]);
        code.edge(2, 1, Vec::new());
        let solution = code.solve(Octagon::top(1)).expect("a solution");
        assert!(solution[1].is_none() && solution[2].is_none());
    }

    #[test]
    fn the_budget_ends_the_search() {
        let code = nested();
        let outcome = solve(
            &code.graph,
            &[(Node::new(0), Octagon::top(2))],
            |_, element| element.clone(),
            &[],
            &mut Budget::steps(3),
        );
        assert_eq!(outcome.err(), Some(Failure::Stopped(base::Stop::Steps)));
    }

    #[test]
    fn a_solution_that_is_none_is_not_returned() {
        // A transfer function that gives more each time it is asked.
        let mut graph = Graph::new(2);
        graph.connect(Node::new(0), Node::new(1));
        let mut calls = 0;
        let transfer = |_, _: &Octagon| {
            calls += 1;
            let mut element = Octagon::top(1);
            element.assign(Dimension(0), &Expression::constant(calls));
            element
        };
        let starts = [(Node::new(0), Octagon::top(1))];
        let outcome = solve(&graph, &starts, transfer, &[], &mut Budget::unlimited());
        assert_eq!(outcome.err(), Some(Failure::NotStable(Edge::new(0))));
    }

    /// Solves a random program and runs it.
    fn check_random_program<D: Domain>(seed: u64) {
        let random = &mut Random(seed);
        let (nodes, dimensions) = (2 + random.below(5), 1 + random.below(3));
        let mut code = Code::new(nodes);
        for _ in 0..nodes + random.below(6) {
            let steps = (0..random.below(3)).map(|_| laws::step(random, dimensions)).collect();
            code.edge(random.below(nodes), random.below(nodes), steps);
        }
        let start = laws::sample::<D>(random, dimensions);
        let solution = code.solve(start.element.clone()).expect("a solution");
        let (mut run, mut node) = (start, Node::new(0));
        for _ in 0..20 {
            match &solution[node.index()] {
                Some(element) => {
                    laws::Sample { element: element.clone(), points: run.points.clone() }.verify("a run");
                }
                None => assert!(run.points.is_empty(), "a run came to an unreachable node"),
            }
            let edges = code.graph.outgoing(node);
            if edges.is_empty() || run.points.is_empty() {
                break;
            }
            let edge = edges[random.below(edges.len())];
            code.steps[edge.index()].iter().for_each(|step| run.step(random, step));
            node = code.graph.target(edge);
        }
    }

    #[test]
    fn random_programs_stay_in_their_invariants() {
        (0..100).for_each(check_random_program::<Octagon>);
        (0..100).for_each(check_random_program::<Product<Intervals, Congruences>>);
        (0..50).for_each(check_random_program::<Disjunction<Octagon, (), 3>>);
    }
}
