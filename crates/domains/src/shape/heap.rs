//! One symbolic heap, and what steps make of it: a list of cases.
//!
//! Before a cell is examined or changed, its segment is unfolded: either it is the only one, or the rest of the segment
//! starts at a location of its own.

use super::{Action, Operand, Pointer, Shape, Target};
use crate::{Constraint, Dimension, Domain, Expression};

/// A graph, and the numbers that belong to it: those of ordinary variables, then the length of each segment.
#[derive(Clone, Debug)]
pub struct Heap<N> {
    /// The graph.
    pub shape: Shape,
    /// The numbers. All lengths are at least one.
    pub numbers: N,
    /// How many of the numbers are those of ordinary variables.
    pub base: usize,
}

impl<N: Domain> Heap<N> {
    /// No pointer is known.
    pub fn top(variables: usize, numbers: N) -> Self {
        let shape = Shape { variables: vec![Target::Unknown; variables], segments: Vec::new() };
        let base = numbers.dimensions();
        Self { shape, numbers, base }
    }

    /// The length of the segment of a location.
    pub fn length(&self, location: usize) -> Dimension {
        Dimension((self.base + location) as u32)
    }

    /// What steps make of it.
    pub fn run(self, actions: &[Action]) -> Vec<Self> {
        let mut cases = vec![self];
        for action in actions {
            cases = cases.into_iter().flat_map(|case| case.step(action)).collect();
        }
        cases
    }

    fn step(mut self, action: &Action) -> Vec<Self> {
        match *action {
            Action::Allocate(target, content) => self.allocate(target, content),
            Action::Assign(target, value) => {
                self.shape.variables[target.index()] = self.value(value);
                vec![self]
            }
            Action::Load(target, from) => self.load(target, from),
            Action::Store(to, value) => self.store(to, value),
            Action::Touch(pointer) => {
                match self.value(Operand::Variable(pointer)) {
                    Target::Null => return Vec::new(),
                    Target::Unknown => self.havoc(),
                    Target::Location(_) => {}
                }
                vec![self]
            }
            Action::Free(operand) => self.free(operand),
            Action::Same(left, right) => self.same(left, right),
            Action::Different(left, right) => {
                let (a, b) = (self.value(left), self.value(right));
                if a == b && a != Target::Unknown { Vec::new() } else { vec![self] }
            }
            Action::Havoc => {
                self.havoc();
                vec![self]
            }
            Action::Either(ref ways) => ways.iter().flat_map(|way| self.clone().run(way)).collect(),
        }
    }

    fn value(&self, operand: Operand) -> Target {
        match operand {
            Operand::Null => Target::Null,
            Operand::Variable(pointer) => self.shape.variables[pointer.index()],
            Operand::Unknown => Target::Unknown,
        }
    }

    /// A new location with a segment of a certain length.
    fn add(&mut self, end: Target, length: &Expression) -> usize {
        let location = self.shape.segments.len();
        self.shape.segments.push(end);
        self.numbers.resize(self.base + location + 1);
        self.numbers.assign(self.length(location), length);
        location
    }

    fn allocate(mut self, target: Pointer, content: Operand) -> Vec<Self> {
        let mut nothing = self.clone();
        nothing.shape.variables[target.index()] = Target::Null;
        let end = self.value(content);
        let location = self.add(end, &Expression::constant(1));
        self.shape.variables[target.index()] = Target::Location(location);
        vec![self, nothing]
    }

    /// The cases in which the segment of a location is its one cell.
    fn unfold(self, location: usize) -> Vec<Self> {
        let length = Expression::variable(self.length(location));
        let one = Expression::constant(1);
        let (mut last, mut more) = (self.clone(), self);
        last.numbers.assume(&Constraint::equal(&length, &one));
        more.numbers.assume(&Constraint::less(&one, &length));
        let mut cases = Vec::new();
        if !more.numbers.is_bottom() {
            let end = more.shape.segments[location];
            let rest = more.add(end, &(&length - &one));
            more.shape.segments[location] = Target::Location(rest);
            more.numbers.assign(more.length(location), &one);
            cases.push(more);
        }
        if !last.numbers.is_bottom() {
            cases.push(last);
        }
        cases
    }

    fn load(mut self, target: Pointer, from: Pointer) -> Vec<Self> {
        match self.value(Operand::Variable(from)) {
            Target::Null => Vec::new(),
            Target::Unknown => {
                self.shape.variables[target.index()] = Target::Unknown;
                vec![self]
            }
            Target::Location(location) => {
                let mut cases = self.unfold(location);
                for case in &mut cases {
                    case.shape.variables[target.index()] = case.shape.segments[location];
                }
                cases
            }
        }
    }

    fn store(mut self, to: Pointer, value: Operand) -> Vec<Self> {
        match self.value(Operand::Variable(to)) {
            Target::Null => Vec::new(),
            Target::Unknown => {
                self.havoc();
                vec![self]
            }
            Target::Location(location) => {
                let mut cases = self.unfold(location);
                for case in &mut cases {
                    case.shape.segments[location] = case.value(value);
                }
                cases
            }
        }
    }

    fn free(mut self, operand: Operand) -> Vec<Self> {
        match self.value(operand) {
            Target::Null => vec![self],
            Target::Unknown => {
                self.havoc();
                vec![self]
            }
            Target::Location(location) => {
                let mut cases = self.unfold(location);
                for case in &mut cases {
                    // The address can come back as another cell: whoever has it knows nothing.
                    let all = case.shape.variables.iter_mut().chain(&mut case.shape.segments);
                    all.filter(|target| **target == Target::Location(location))
                        .for_each(|target| *target = Target::Unknown);
                }
                cases
            }
        }
    }

    fn same(mut self, left: Operand, right: Operand) -> Vec<Self> {
        match (self.value(left), self.value(right)) {
            (Target::Unknown, known) => self.learn(left, known),
            (known, Target::Unknown) => self.learn(right, known),
            (a, b) if a != b => return Vec::new(),
            _ => {}
        }
        vec![self]
    }

    fn learn(&mut self, operand: Operand, target: Target) {
        if let Operand::Variable(pointer) = operand {
            self.shape.variables[pointer.index()] = target;
        }
    }

    /// Cells are no longer followed. Null stays null.
    fn havoc(&mut self) {
        for target in &mut self.shape.variables {
            if matches!(target, Target::Location(_)) {
                *target = Target::Unknown;
            }
        }
    }
}
