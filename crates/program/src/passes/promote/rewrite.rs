//! Puts variables in place of the accesses to promoted objects, and constants in place of reads of constant objects.

use std::collections::BTreeMap;

use base::{Arena, Index, Location};

use super::scan::{direct, known_size};
use super::{Nodes, Part, Parts, initial};
use crate::expression::{Expr, ExprId, ExprKind, ObjectRef, VariableId};
use crate::function::Body;
use crate::program::{FunctionId, GlobalObject, GlobalVariable, ObjectId};
use crate::statement::{Check, Statement, StatementKind};
use crate::types::{DataModel, Type};

/// Rewrites one body.
pub struct Rewrite<'a> {
    pub body: &'a mut Body,
    pub outside: Outside<'a>,
    pub data_model: DataModel,
}

/// What there is around the body.
pub struct Outside<'a> {
    pub function: FunctionId,
    pub nodes: &'a Nodes,
    pub parts: &'a Parts,
    pub objects: &'a Arena<ObjectId, GlobalObject>,
    pub globals: &'a [GlobalVariable],
}

impl<'a> Outside<'a> {
    fn parts(&self, object: ObjectRef) -> Option<&'a BTreeMap<u64, Part>> {
        self.parts[self.nodes.number(self.function, object)].as_ref()
    }
}

/// A place in a promoted object.
struct Place<'a> {
    parts: &'a BTreeMap<u64, Part>,
    offset: u64,
}

impl<'a> Place<'a> {
    /// The parts in a range from this place on.
    fn range(&self, size: u64) -> impl Iterator<Item = (u64, Part)> + use<'a> {
        let start = self.offset;
        self.parts.range(start..start.saturating_add(size)).map(move |(offset, part)| (offset - start, *part))
    }

    /// The part that starts here.
    fn part(&self) -> Option<Part> {
        self.parts.get(&self.offset).copied()
    }
}

impl<'a> Rewrite<'a> {
    /// Rewrites all statements.
    pub fn run(mut self) {
        let mut blocks = std::mem::take(&mut self.body.blocks);
        for (_, block) in blocks.iter_mut() {
            let mut statements = Vec::with_capacity(block.statements.len());
            for statement in block.statements.drain(..) {
                if !self.replace(&statement, &mut statements) {
                    statements.push(statement);
                }
            }
            block.statements = statements;
        }
        self.body.blocks = blocks;
    }

    /// Adds what stands for the statement, if it accesses something that is no longer in memory.
    fn replace(&mut self, statement: &Statement, out: &mut Vec<Statement>) -> bool {
        let replaced = match statement.kind {
            StatementKind::Load { target, pointer, .. } => self.load(target, pointer),
            StatementKind::Store { pointer, value } => self.store(pointer, value),
            StatementKind::Check(Check::Writable { pointer, .. } | Check::Accessible { pointer, .. }) => {
                self.place(pointer).map(|_| Vec::new())
            }
            StatementKind::Check(Check::Readable { pointer, size }) => self.ask(pointer, size),
            StatementKind::Fill { destination, size, .. } => self.clear(destination, size),
            StatementKind::Copy { destination, source, size } => self.copy(destination, source, size),
            StatementKind::End { object } => self.outside.parts(ObjectRef::Local(object)).map(|_| Vec::new()),
            _ => None,
        };
        let Some(kinds) = replaced else { return false };
        let location: Location = statement.location;
        out.extend(kinds.into_iter().map(|kind| Statement { kind, location }));
        true
    }

    fn place(&self, pointer: ExprId) -> Option<Place<'a>> {
        let (object, offset) = direct(self.body, pointer)?;
        Some(Place { parts: self.outside.parts(object)?, offset: u64::try_from(offset).ok()? })
    }

    /// The value that a constant object holds.
    fn constant_at(&mut self, pointer: ExprId, offset: u64, ty: Type) -> Option<ExprId> {
        let (ObjectRef::Global(object), start) = direct(self.body, pointer)? else { return None };
        let object = &self.outside.objects[object];
        let offset = u64::try_from(start).ok()?.checked_add(offset)?;
        // A run is to see that the value is read as one of another type.
        if !object.may_be_read_as(offset.into(), ty) {
            return None;
        }
        let value = initial::value_at(object, offset, ty, self.data_model).filter(|_| !object.writable)?;
        initial::expression(self.body, self.data_model, value, ty)
    }

    fn read(&mut self, part: Part, ty: Type) -> ExprId {
        let value = self.body.expressions.push(Expr { kind: ExprKind::Variable(part.variable), ty: part.ty });
        self.body.convert(ty, value)
    }

    fn load(&mut self, target: VariableId, pointer: ExprId) -> Option<Vec<StatementKind>> {
        let ty = match target.is_global() {
            true => self.outside.globals[target.index()].variable.ty,
            false => self.body.variables[target].ty,
        };
        let value = match self.place(pointer) {
            Some(place) => self.read(place.part()?, ty),
            None => self.constant_at(pointer, 0, ty)?,
        };
        Some(vec![StatementKind::Assign { target, value }])
    }

    fn store(&mut self, pointer: ExprId, value: ExprId) -> Option<Vec<StatementKind>> {
        let Part { ty, variable: target } = self.place(pointer)?.part()?;
        if self.body.expressions[value].kind == ExprKind::Variable(target) {
            // The parameter moves into its home, which it is itself.
            return Some(Vec::new());
        }
        let value = self.body.convert(ty, value);
        Some(vec![StatementKind::Assign { target, value }])
    }

    fn ask(&mut self, pointer: ExprId, size: ExprId) -> Option<Vec<StatementKind>> {
        let place = self.place(pointer)?;
        let size = known_size(self.body, size);
        let locals = place.range(size).filter(|(_, part)| !part.variable.is_global());
        Some(
            locals
                .map(|(_, part)| StatementKind::Check(Check::Defined { variable: part.variable }))
                .collect(),
        )
    }

    fn clear(&mut self, destination: ExprId, size: ExprId) -> Option<Vec<StatementKind>> {
        let place = self.place(destination)?;
        let size = known_size(self.body, size);
        let zero = |(_, part): (u64, Part)| StatementKind::Assign {
            target: part.variable,
            value: self.body.zero(part.ty),
        };
        Some(place.range(size).map(zero).collect())
    }

    fn copy(&mut self, destination: ExprId, source: ExprId, size: ExprId) -> Option<Vec<StatementKind>> {
        let to = self.place(destination)?;
        let from = self.place(source);
        let size = known_size(self.body, size);
        let mut assigns = Vec::new();
        for (offset, part) in to.range(size) {
            let value = match &from {
                Some(from) => self.read(*from.parts.get(&(from.offset + offset))?, part.ty),
                None => self.constant_at(source, offset, part.ty)?,
            };
            assigns.push(StatementKind::Assign { target: part.variable, value });
        }
        Some(assigns)
    }
}
