//! Which parts each object has, and which objects can do without memory.
//!
//! Parts are carried along copies between objects until nothing changes, so that a copy becomes one assignment for
//! each part. An object that cannot be promoted keeps all objects that it is copied from or to in memory, too.

use std::collections::BTreeMap;

use base::Index;

use super::copies::sources_without_value;
use super::scan::{Range, Uses};
use super::{Nodes, initial};
use crate::program::{GlobalObject, Initial, ObjectId, Program};
use crate::types::{DataModel, Type};

/// The parts of an object: their types, by offset.
pub type PartTypes = BTreeMap<u64, Type>;

/// An object with more parts is rather an array, and stays in memory.
const MOST_PARTS: usize = 64;

/// Whether a value of one type can stand for one of the other, bit by bit, with a conversion at most.
pub fn same_bits(one: Type, other: Type) -> bool {
    match (one, other) {
        (Type::Integer(a), Type::Integer(b)) => {
            a.width == b.width && (a.signed == b.signed || a.width % 8 == 0)
        }
        _ => one == other,
    }
}

/// The parts of every object that can be promoted; nothing for the others.
pub fn partition(program: &Program, nodes: &Nodes, uses: &Uses) -> Vec<Option<PartTypes>> {
    let mut partition = Partition::start(program, nodes, uses);
    for &(node, offset, ty) in &uses.accesses {
        partition.insert(node, offset, ty);
    }
    partition.carry_parts();
    partition.check_ranges();
    for node in sources_without_value(program, nodes, uses, &partition.parts) {
        partition.reject(node);
    }
    partition.carry_rejections();
    partition.parts
}

struct Partition<'a> {
    program: &'a Program,
    uses: &'a Uses,
    /// The sizes of objects, by number.
    sizes: Vec<i128>,
    parts: Vec<Option<PartTypes>>,
    /// The copies that each object takes part in, by their places in `uses`.
    copies: BTreeMap<usize, Vec<usize>>,
    /// Parts that have not been carried along copies.
    fresh: Vec<(usize, u64, Type)>,
    rejected: Vec<usize>,
}

impl<'a> Partition<'a> {
    fn start(program: &'a Program, nodes: &Nodes, uses: &'a Uses) -> Self {
        let of_program = program.objects.values().map(|object| {
            let known = object.writable && matches!(object.initial, Initial::Bytes { .. });
            (i128::from(object.size), known)
        });
        let of_functions = program
            .bodies()
            .flat_map(|body| body.locals.values())
            .map(|local| (local.size.map_or(-1, i128::from), local.size.is_some()));
        let mut partition = Self {
            program,
            uses,
            sizes: Vec::with_capacity(nodes.count),
            parts: Vec::with_capacity(nodes.count),
            copies: BTreeMap::new(),
            fresh: Vec::new(),
            rejected: Vec::new(),
        };
        for (node, (size, candidate)) in of_program.chain(of_functions).enumerate() {
            partition.sizes.push(size);
            partition.parts.push(Some(PartTypes::new()));
            if !candidate || uses.escapes[node] {
                partition.reject(node);
            }
        }
        for (number, (to, from)) in uses.copies.iter().enumerate() {
            partition.copies.entry(to.node).or_default().push(number);
            partition.copies.entry(from.node).or_default().push(number);
        }
        partition
    }

    fn reject(&mut self, node: usize) {
        if self.parts[node].take().is_some() {
            self.rejected.push(node);
        }
    }

    fn model(&self) -> DataModel {
        self.program.data_model
    }

    /// Adds a part to an object; gives the object up if it cannot have it.
    fn insert(&mut self, node: usize, offset: i128, ty: Type) {
        let model = self.model();
        let end = offset + i128::from(ty.bytes(model));
        let Some(parts) = &mut self.parts[node] else { return };
        if offset < 0 || end > self.sizes[node] || ty == Type::Bool {
            return self.reject(node);
        }
        let start = offset as u64;
        if let Some(&known) = parts.get(&start) {
            if !same_bits(known, ty) {
                self.reject(node);
            }
            return;
        }
        let before = parts.range(..start).next_back().is_none_or(|(at, ty)| at + ty.bytes(model) <= start);
        let after = parts.range(start..).next().is_none_or(|(&at, _)| i128::from(at) >= end);
        if before && after && parts.len() < MOST_PARTS {
            parts.insert(start, ty);
            self.fresh.push((node, start, ty));
        } else {
            self.reject(node);
        }
    }

    /// Gives both sides of every copy the same parts.
    fn carry_parts(&mut self) {
        let uses = self.uses;
        while let Some((node, offset, ty)) = self.fresh.pop() {
            let copies = self.copies.get(&node).cloned().unwrap_or_default();
            for (to, from) in copies.into_iter().map(|number| uses.copies[number]) {
                let (own, other) = if to.node == node { (to, from) } else { (from, to) };
                match self.position(own, offset, ty) {
                    Position::Outside => {}
                    Position::Inside => {
                        self.insert(other.node, i128::from(offset) - own.offset + other.offset, ty)
                    }
                    Position::Across => self.reject(node),
                }
            }
        }
    }

    /// Gives up objects of which a range is used that cannot be told in parts.
    fn check_ranges(&mut self) {
        let uses = self.uses;
        for &range in &uses.writable {
            self.check(range, |this, _| this.is_in_bounds(range));
        }
        for &range in &uses.cleared {
            self.check(range, |this, parts| this.is_in_bounds(range) && this.covered(range, parts).is_some());
        }
        for &range in &uses.asked {
            self.check(range, |this, parts| {
                this.is_in_bounds(range) && this.covered(range, parts) == Some(range.size)
            });
        }
        for &(to, from) in &uses.copies {
            self.check(to, |this, parts| this.is_in_bounds(to) && this.covered(to, parts).is_some());
            self.check(from, |this, parts| this.is_in_bounds(from) && this.covered(from, parts).is_some());
        }
        for object in self.program.objects.ids() {
            let description = &self.program.objects[object];
            let model = self.model();
            let known =
                |(&offset, &ty): (&u64, &Type)| initial::value_at(description, offset, ty, model).is_some();
            if self.parts[object.index()].as_ref().is_some_and(|parts| !parts.iter().all(known)) {
                self.reject(object.index());
            }
        }
    }

    fn check(&mut self, range: Range, accept: impl FnOnce(&Self, &PartTypes) -> bool) {
        if self.parts[range.node].as_ref().is_some_and(|parts| !accept(self, parts)) {
            self.reject(range.node);
        }
    }

    fn is_in_bounds(&self, range: Range) -> bool {
        let end = range.offset.checked_add(range.size);
        range.size >= 0 && range.offset >= 0 && end.is_some_and(|end| end <= self.sizes[range.node])
    }

    /// How many bytes of the range belong to parts; nothing if a part lies across its edge.
    fn covered(&self, range: Range, parts: &PartTypes) -> Option<i128> {
        let mut sum = 0;
        for (&offset, &ty) in parts {
            match self.position(range, offset, ty) {
                Position::Outside => {}
                Position::Inside => sum += i128::from(ty.bytes(self.model())),
                Position::Across => return None,
            }
        }
        Some(sum)
    }

    fn position(&self, range: Range, offset: u64, ty: Type) -> Position {
        let (start, end) = (i128::from(offset), i128::from(offset) + i128::from(ty.bytes(self.model())));
        let (first, last) = (range.offset, range.offset.saturating_add(range.size));
        if end <= first || last <= start {
            Position::Outside
        } else if first <= start && end <= last {
            Position::Inside
        } else {
            Position::Across
        }
    }

    /// Gives up what is copied from or to an object that stays in memory, unless it is a copy of constants.
    fn carry_rejections(&mut self) {
        let uses = self.uses;
        while let Some(node) = self.rejected.pop() {
            let copies = self.copies.get(&node).cloned().unwrap_or_default();
            for (to, from) in copies.into_iter().map(|number| uses.copies[number]) {
                if to.node == node {
                    self.reject(from.node);
                } else if !self.is_copy_of_constants(to, from) {
                    self.reject(to.node);
                }
            }
        }
    }

    fn is_copy_of_constants(&self, to: Range, from: Range) -> bool {
        let (Some(object), Some(parts)) = (constant_object(self.program, from.node), &self.parts[to.node])
        else {
            return false;
        };
        let inside = parts.iter().filter(|&(&offset, &ty)| self.position(to, offset, ty) == Position::Inside);
        let value = |(&offset, &ty): (&u64, &Type)| {
            let offset = u64::try_from(i128::from(offset) - to.offset + from.offset).ok()?;
            initial::value_at(object, offset, ty, self.model())
        };
        inside.map(value).all(|value| value.is_some())
    }
}

/// The object with this number, if it lives as long as the program and nobody may write it.
pub fn constant_object(program: &Program, node: usize) -> Option<&GlobalObject> {
    let known = node < program.objects.len();
    known.then(|| &program.objects[ObjectId::new(node)]).filter(|object| !object.writable)
}

/// Where a part lies in relation to a range of bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Outside,
    Inside,
    Across,
}
