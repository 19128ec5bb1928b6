//! Steps on symbolic heaps against steps on concrete ones, and what becomes of loops.

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Index};
use logic::numbers::Rational;

use super::*;
use crate::fixpoint::solve;
use crate::laws::Random;
use crate::order::{Edge, Graph, Node};
use crate::{Dimension, Expression, Octagon, Polyhedra};

const X: Pointer = Pointer(0);
const Y: Pointer = Pointer(1);
const Z: Pointer = Pointer(2);

fn variable(pointer: Pointer) -> Operand {
    Operand::Variable(pointer)
}

/// A concrete state: addresses are positive, and null is zero.
#[derive(Clone, Debug)]
struct Concrete {
    variables: Vec<u32>,
    cells: BTreeMap<u32, u32>,
    number: i64,
}

impl Concrete {
    fn random(random: &mut Random, variables: usize) -> Self {
        let count = 1 + random.below(6);
        let cells = (0..count).map(|at| (at as u32 + 1, random.below(count + 1) as u32)).collect();
        let variables = (0..variables).map(|_| random.below(count + 2) as u32).collect();
        Self { variables, cells, number: random.within(3) }
    }

    fn value(&self, operand: Operand, random: &mut Random) -> u32 {
        match operand {
            Operand::Null => 0,
            Operand::Variable(pointer) => self.variables[pointer.index()],
            // Addresses of cells are more interesting than others.
            Operand::Unknown => random.below(self.cells.len() + 3) as u32,
        }
    }

    /// Takes a step. Gives whether the run goes on.
    fn step(&mut self, action: &Action, random: &mut Random) -> bool {
        match *action {
            Action::Allocate(target, content) => {
                let content = self.value(content, random);
                let free = (1..).find(|address| !self.cells.contains_key(address)).unwrap_or_default();
                let address = if random.below(4) == 0 { 0 } else { free };
                if address != 0 {
                    self.cells.insert(address, content);
                }
                self.variables[target.index()] = address;
                true
            }
            Action::Assign(target, value) => {
                self.variables[target.index()] = self.value(value, random);
                true
            }
            Action::Load(target, from) => match self.cells.get(&self.variables[from.index()]) {
                Some(next) => {
                    self.variables[target.index()] = *next;
                    true
                }
                None => false,
            },
            Action::Store(to, value) => {
                let value = self.value(value, random);
                let cell = self.cells.get_mut(&self.variables[to.index()]);
                cell.map(|cell| *cell = value).is_some()
            }
            Action::Touch(pointer) => {
                let address = self.variables[pointer.index()];
                // What is no cell can be the inside of one.
                let is_cell = self.cells.contains_key(&address);
                address != 0 && (is_cell || self.step(&Action::Havoc, random))
            }
            Action::Free(operand) => {
                let address = self.value(operand, random);
                address == 0 || self.cells.remove(&address).is_some()
            }
            Action::Same(left, right) => self.value(left, random) == self.value(right, random),
            Action::Different(left, right) => self.value(left, random) != self.value(right, random),
            Action::Havoc => {
                let addresses: Vec<u32> = self.cells.keys().copied().collect();
                for address in addresses {
                    match random.below(3) {
                        0 => _ = self.cells.remove(&address),
                        1 => _ = self.cells.insert(address, random.below(9) as u32),
                        _ => {}
                    }
                }
                true
            }
            Action::Either(ref ways) => {
                let way = &ways[random.below(ways.len())];
                way.iter().all(|action| self.step(action, random))
            }
        }
    }

    fn is_in<N: Domain>(&self, element: &Shapes<N>) -> bool {
        element.heaps().any(|heap| {
            let mut places = vec![None; heap.shape.segments.len()];
            for (target, address) in heap.shape.variables.iter().zip(&self.variables) {
                let fits = match target {
                    Target::Unknown => true,
                    Target::Null => *address == 0,
                    Target::Location(at) => *address != 0 && *places[*at].get_or_insert(*address) == *address,
                };
                if !fits {
                    return false;
                }
            }
            self.matches(&heap, &places, &mut BTreeSet::new(), &mut Vec::new())
        })
    }

    /// Whether segments from the given one on can be laid out in the cells that are left.
    fn matches<N: Domain>(
        &self,
        heap: &Heap<N>,
        places: &[Option<u32>],
        used: &mut BTreeSet<u32>,
        lengths: &mut Vec<i64>,
    ) -> bool {
        let at = lengths.len();
        let Some(end) = heap.shape.segments.get(at) else {
            // Cells of segments are not named by others.
            let value = |dimension: Dimension| match dimension.index().checked_sub(heap.base) {
                None => Rational::from(self.number),
                Some(at) => Rational::from(lengths[at]),
            };
            return heap.numbers.constraints().iter().all(|constraint| constraint.holds(value));
        };
        let Some(mut address) = places[at] else { return false };
        let mut taken = used.clone();
        for length in 1.. {
            // A segment may start at its own place and at no other's.
            let is_other = length > 1 && places.contains(&Some(address));
            let Some(next) = self.cells.get(&address).filter(|_| !is_other && !taken.contains(&address))
            else {
                return false;
            };
            taken.insert(address);
            let mut places = places.to_vec();
            let fits = match end {
                Target::Unknown => true,
                Target::Null => *next == 0,
                Target::Location(at) => *next != 0 && *places[*at].get_or_insert(*next) == *next,
            };
            lengths.push(length);
            if fits && self.matches(heap, &places, &mut taken.clone(), lengths) {
                return true;
            }
            lengths.pop();
            address = *next;
        }
        false
    }
}

fn random_operand(random: &mut Random, variables: usize) -> Operand {
    match random.below(8) {
        0 => Operand::Null,
        1..=2 => Operand::Unknown,
        _ => variable(Pointer(random.below(variables) as u32)),
    }
}

fn random_action(random: &mut Random, variables: usize) -> Action {
    let pointer = Pointer(random.below(variables) as u32);
    let operand = random_operand(random, variables);
    match random.below(20) {
        0..=3 => Action::Allocate(pointer, operand),
        4..=6 => Action::Assign(pointer, operand),
        7..=10 => Action::Load(pointer, Pointer(random.below(variables) as u32)),
        11..=12 => Action::Store(pointer, operand),
        13 => Action::Touch(pointer),
        14 => Action::Free(operand),
        15 => Action::Same(variable(pointer), operand),
        16..=17 => Action::Different(variable(pointer), operand),
        18 => Action::Either(vec![
            vec![Action::Same(variable(pointer), Operand::Null)],
            vec![Action::Different(variable(pointer), operand)],
        ]),
        _ if random.below(4) == 0 => Action::Havoc,
        _ => Action::Assign(pointer, Operand::Null),
    }
}

#[test]
fn steps_keep_all_concrete_heaps() {
    for seed in 0..4000 {
        let random = &mut Random(seed);
        let variables = 1 + random.below(4);
        let mut element = Shapes::<Polyhedra>::top(variables, 1);
        let mut states: Vec<Concrete> = (0..12).map(|_| Concrete::random(random, variables)).collect();
        // Lists that are known are more interesting than those that are not.
        let mut start: Vec<Action> =
            (0..variables as u32).map(|at| Action::Assign(Pointer(at), Operand::Null)).collect();
        start.extend((0..5).map(|_| random_action(random, variables)));
        for action in
            start.into_iter().chain((0..8).map(|_| random_action(random, variables)).collect::<Vec<_>>())
        {
            let before = element.clone();
            element.act(std::slice::from_ref(&action));
            states.retain_mut(|state| state.step(&action, random));
            if random.below(4) == 0 {
                element = element.join(&before);
            }
            for state in &states {
                assert!(state.is_in(&element), "seed {seed}: {action:?} gives {state:?}, not in {element:?}");
            }
        }
    }
}

/// A program: what each edge does, and by how much it changes the number.
struct Code {
    graph: Graph,
    edges: Vec<(Vec<Action>, i64)>,
}

impl Code {
    fn new(nodes: usize) -> Self {
        Self { graph: Graph::new(nodes), edges: Vec::new() }
    }

    fn edge(&mut self, from: usize, to: usize, actions: Vec<Action>, change: i64) {
        self.graph.connect(Node::new(from), Node::new(to));
        self.edges.push((actions, change));
    }

    fn solve<N: Domain>(&self, variables: usize) -> Vec<Option<Shapes<N>>> {
        let number = Dimension(0);
        let transfer = |edge: Edge, element: &Shapes<N>| {
            let (actions, change) = &self.edges[edge.index()];
            let mut next = element.clone();
            let sum = &Expression::variable(number) + &Expression::constant(*change);
            next.change(|numbers| numbers.assign(number, &sum));
            next.act(actions);
            next
        };
        let starts = [(Node::new(0), Shapes::top(variables, 1))];
        solve(&self.graph, &starts, transfer, &[], &mut Budget::steps(50_000)).expect("a solution")
    }
}

fn check_random_program<N: Domain + std::fmt::Debug>(seed: u64) {
    let random = &mut Random(seed);
    let (nodes, variables) = (2 + random.below(4), 1 + random.below(3));
    let mut code = Code::new(nodes + 1);
    let nulls = (0..variables as u32).map(|at| Action::Assign(Pointer(at), Operand::Null)).collect();
    code.edge(0, 1, nulls, 0);
    for _ in 0..nodes + random.below(4) {
        let actions = (0..1 + random.below(3)).map(|_| random_action(random, variables)).collect();
        code.edge(1 + random.below(nodes), 1 + random.below(nodes), actions, random.within(1));
    }
    let solution = code.solve::<N>(variables);
    for _ in 0..6 {
        let (mut node, mut state) = (Node::new(0), Concrete::random(random, variables));
        for _ in 0..15 {
            let element = solution[node.index()].as_ref();
            assert!(
                element.is_some_and(|element| state.is_in(element)),
                "seed {seed}: {state:?} at {node} is not in {element:?}"
            );
            let edges = code.graph.outgoing(node);
            if edges.is_empty() {
                break;
            }
            let edge = edges[random.below(edges.len())];
            let (actions, change) = &code.edges[edge.index()];
            state.number += change;
            if !actions.iter().all(|action| state.step(action, random)) {
                break;
            }
            node = code.graph.target(edge);
        }
    }
}

#[test]
fn random_list_programs_stay_in_their_invariants() {
    (0..600).for_each(check_random_program::<Octagon>);
    (0..60).for_each(check_random_program::<Polyhedra>);
}

/// `x = NULL; while (…) { y = malloc(); y->next = x; x = y; }`, then `y = x; while (y != NULL) y = y->next;`
fn builds_and_walks() -> Code {
    let mut code = Code::new(4);
    code.edge(0, 1, vec![Action::Assign(X, Operand::Null), Action::Assign(Y, Operand::Null)], 0);
    let push = vec![
        Action::Allocate(Y, Operand::Unknown),
        Action::Different(variable(Y), Operand::Null),
        Action::Store(Y, variable(X)),
        Action::Assign(X, variable(Y)),
        Action::Assign(Y, Operand::Null),
    ];
    code.edge(1, 1, push, 0);
    code.edge(1, 2, vec![Action::Assign(Y, variable(X))], 0);
    code.edge(2, 2, vec![Action::Different(variable(Y), Operand::Null), Action::Load(Y, Y)], 0);
    code.edge(2, 3, vec![Action::Same(variable(Y), Operand::Null)], 0);
    code
}

#[test]
fn a_list_is_built_and_walked() {
    let solution = builds_and_walks().solve::<Octagon>(2);
    let graphs = |node: usize| -> Vec<Shape> {
        solution[node].as_ref().expect("reached").heaps().map(|heap| heap.shape).collect()
    };
    use Target::{Location, Null};
    let shape = |variables: [Target; 2], segments: &[Target]| Shape {
        variables: variables.to_vec(),
        segments: segments.to_vec(),
    };
    assert_eq!(graphs(1), [shape([Null, Null], &[]), shape([Location(0), Null], &[Null])]);
    let walking = [
        shape([Null, Null], &[]),
        shape([Location(0), Null], &[Null]),
        shape([Location(0), Location(0)], &[Null]),
        shape([Location(0), Location(1)], &[Location(1), Null]),
    ];
    assert_eq!(graphs(2), walking);
    assert_eq!(graphs(3), walking[..2]);
}

#[test]
fn a_segment_unfolds_into_one_cell_or_more() {
    let mut element = Shapes::<Polyhedra>::top(3, 0);
    let push = [
        Action::Allocate(Y, variable(X)),
        Action::Different(variable(Y), Operand::Null),
        Action::Assign(X, variable(Y)),
    ];
    element.act(&[Action::Assign(X, Operand::Null), Action::Assign(Z, Operand::Null)]);
    (0..3).for_each(|_| element.act(&push));
    element.act(&[Action::Assign(Y, Operand::Null)]);
    let heaps: Vec<_> = element.heaps().collect();
    assert_eq!(heaps.len(), 1);
    let length = Expression::variable(heaps[0].length(0));
    assert_eq!(heaps[0].numbers.range(&length).value(), Some(&Rational::from(3)));
    // The third cell is the last one.
    element.act(&[Action::Load(Y, X), Action::Load(Y, Y), Action::Load(Z, Y)]);
    assert!(element.heaps().all(|heap| heap.shape.variables[Z.index()] == Target::Null));
    // A write to the last cell makes a ring of three, and freeing a cell makes what led to it unknown.
    element.act(&[Action::Store(Y, variable(X)), Action::Assign(Y, Operand::Null)]);
    let ring: Vec<_> = element.heaps().collect();
    assert_eq!((ring.len(), &ring[0].shape.segments[..]), (1, &[Target::Location(0)][..]));
    assert_eq!(ring[0].numbers.range(&length).value(), Some(&Rational::from(3)));
    element.act(&[Action::Load(Y, X), Action::Free(variable(X))]);
    let rest: Vec<_> = element.heaps().collect();
    assert_eq!(rest[0].shape.variables, [Target::Unknown, Target::Location(0), Target::Null]);
    assert_eq!(rest[0].shape.segments, [Target::Unknown]);
}

#[test]
fn lattice_laws_hold_of_elements_of_programs() {
    for seed in 0..80 {
        let random = &mut Random(seed);
        let element = |random: &mut Random| {
            let mut element = Shapes::<Octagon>::top(3, 1);
            element.act(&[X, Y, Z].map(|pointer| Action::Assign(pointer, Operand::Null)));
            (0..random.below(9)).for_each(|_| element.act(&[random_action(random, 3)]));
            element
        };
        let (a, b) = (element(random), element(random));
        let join = a.join(&b);
        assert!(a.is_included(&a) && a.is_included(&join) && b.is_included(&join));
        assert!(join.is_included(&a.widen(&join, &[])));
        assert!(a.is_included(&Shapes::top(3, 1)) && Shapes::bottom(3, 1).is_included(&a));
        let narrowed = join.narrow(&a);
        assert!(a.is_included(&narrowed) && narrowed.is_included(&join));
        let (mut current, mut growths) = (a, 0);
        for _ in 0..60 {
            let next = element(random);
            if !next.is_included(&current) {
                current = current.widen(&current.join(&next), &[]);
                growths += 1;
            }
        }
        assert!(growths < 60, "widening ends");
    }
}

#[test]
fn many_graphs_make_variables_unknown() {
    let mut element = Shapes::<Octagon>::top(8, 0);
    let pointers: Vec<Pointer> = (0..8).map(Pointer).collect();
    let both = |pointer: &Pointer| Action::Allocate(*pointer, Operand::Null);
    element.act(&pointers.iter().map(both).collect::<Vec<_>>());
    assert!(element.heaps().count() <= SHAPES && element.heaps().count() > 1);
    let same = element.join(&element);
    assert!(same.is_included(&element));
}
