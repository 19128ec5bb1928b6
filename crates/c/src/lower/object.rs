//! Automatic objects: where they live, when their life starts, and how large they are.

use program::{ExprId, FieldName, LocalId, LocalObject, ObjectRef, StatementKind};
use rucc_diag::Span;
use rucc_sema::{DeclId, StorageDuration};
use rucc_types::{ArrayLen, TypeId, TypeKind};

use super::body::BodyLowering;
use super::scope::Leaving;
use super::{Lowered, unsupported};
use crate::frontend::Unit;

impl BodyLowering<'_, '_> {
    /// Whether the object of a declaration lives as long as the program.
    pub(super) fn is_static(&self, decl: DeclId) -> bool {
        self.unit.tast[decl].duration != StorageDuration::Automatic
    }

    /// A pointer to the object of a declaration.
    pub(super) fn object_address(&mut self, decl: DeclId, span: Span) -> Lowered<ExprId> {
        let object = if self.is_static(decl) {
            let name = self.name.clone();
            let owner =
                if self.unit.tast[decl].linkage == rucc_sema::Linkage::None { name.as_str() } else { "" };
            ObjectRef::Global(self.owner.object(decl, owner))
        } else {
            match self.locals.get(&decl) {
                Some(&local) => ObjectRef::Local(local),
                None => return unsupported("an object of another function", span),
            }
        };
        Ok(self.builder.body.address(object))
    }

    /// The local object of a declaration that is reached: its life starts here, unless a jump can pass this place.
    pub(super) fn declare_local(&mut self, decl: DeclId) -> Lowered<LocalId> {
        let (ty, span) = (self.unit.tast[decl].ty, self.unit.tast.decl_span(decl));
        if let Some(&local) = self.locals.get(&decl) {
            let kind = if self.hoisted.contains(&decl) {
                if let Some(scope) = self.scopes.last_mut() {
                    scope.leaving.push(Leaving::Forget(local));
                }
                StatementKind::Forget { object: local }
            } else {
                StatementKind::Begin { object: local, size: None }
            };
            self.builder.push(kind);
            return Ok(local);
        }
        self.measure(ty)?;
        let variable = is_variable_length(self.unit, ty);
        let size = match self.unit.size(ty) {
            Some(size) => Some(size.max(self.unit.tast.extent(decl))),
            None if variable => None,
            None => return unsupported("an object of incomplete type", span),
        };
        let dynamic = if size.is_none() { Some(self.size_of(ty, span)?) } else { None };
        let local = self.new_local(decl, size);
        if !self.hoisted.contains(&decl) {
            self.builder.push(StatementKind::Begin { object: local, size: dynamic });
            if let Some(scope) = self.scopes.last_mut() {
                scope.leaving.push(Leaving::End(local));
            }
        }
        Ok(local)
    }

    fn new_local(&mut self, decl: DeclId, size: Option<u64>) -> LocalId {
        let unit = self.unit;
        let declared = &unit.tast[decl];
        let name = declared.name.map_or("compound literal", |name| unit.names.resolve(name)).to_owned();
        let local = self.builder.body.locals.push(LocalObject {
            name,
            size,
            alignment: u64::from(declared.alignment.unwrap_or(0)).max(unit.alignment(declared.ty)),
            scope: self.scopes.last().map(|scope| scope.id),
            location: self.builder.location,
            fields: unit.fields(declared.ty),
        });
        self.locals.insert(decl, local);
        local
    }

    /// The objects that jumps can enter the scope of live from the start.
    pub(super) fn begin_hoisted(&mut self) {
        let mut declarations: Vec<DeclId> = self.hoisted.iter().copied().collect();
        declarations.sort_by_key(|decl| decl.raw());
        for decl in declarations {
            let ty = self.unit.tast[decl].ty;
            let automatic = !self.is_static(decl) && self.unit.tast[decl].kind == rucc_sema::DeclKind::Object;
            match self.unit.size(ty) {
                Some(size) if automatic && !is_variable_length(self.unit, ty) => {
                    self.at(self.unit.tast.decl_span(decl));
                    let local = self.new_local(decl, Some(size.max(self.unit.tast.extent(decl))));
                    self.builder.push(StatementKind::Begin { object: local, size: None });
                }
                _ => {
                    self.hoisted.remove(&decl);
                }
            }
        }
    }

    /// An object that C has no name for, alive until the innermost scope closes.
    pub(super) fn scratch(&mut self, ty: TypeId, span: Span) -> Lowered<ExprId> {
        let Some(size) = self.unit.size(ty) else { return unsupported("a value of variable size", span) };
        Ok(self.unnamed(size, self.unit.alignment(ty), self.unit.fields(ty)))
    }

    /// An object of a size that C has no name for, alive until the innermost scope closes.
    pub(super) fn unnamed(&mut self, size: u64, alignment: u64, fields: Vec<FieldName>) -> ExprId {
        let object = self.builder.body.locals.push(LocalObject {
            name: format!("value {}", self.builder.body.locals.len()),
            size: Some(size),
            alignment,
            scope: self.scopes.last().map(|scope| scope.id),
            location: self.builder.location,
            fields,
        });
        self.filled.insert(object);
        self.builder.push(StatementKind::Begin { object, size: None });
        if let Some(scope) = self.scopes.last_mut() {
            scope.leaving.push(Leaving::End(object));
        }
        self.builder.body.address(ObjectRef::Local(object))
    }

    /// Says that the declaration of an object writes all of it, so that no later read needs to ask; unless a jump can
    /// pass the declaration.
    pub(super) fn mark_filled(&mut self, decl: DeclId, local: LocalId) {
        if !self.hoisted.contains(&decl) {
            self.filled.insert(local);
        }
    }

    /// Works out the lengths of the variable length arrays in a type, where its declaration is reached.
    pub(super) fn measure(&mut self, ty: TypeId) -> Lowered<()> {
        match self.unit.kind(ty) {
            TypeKind::Pointer(pointee) => self.measure_if_variable(pointee),
            TypeKind::Array { elem, len } => {
                if let ArrayLen::Variable(length) = len {
                    let count = self.unit.tast.vla_size(length);
                    let value = self.value(count)?;
                    let variable = self.temporary(self.builder.body.type_of(value));
                    self.builder.push(StatementKind::Assign { target: variable, value });
                    self.known.insert(count, variable);
                }
                self.measure(elem)
            }
            TypeKind::Record(record) if self.unit.types.record_info(record).variable.is_some() => {
                unsupported("a structure of variable size", Span::DUMMY)
            }
            _ => Ok(()),
        }
    }

    fn measure_if_variable(&mut self, ty: TypeId) -> Lowered<()> {
        if is_variable_length(self.unit, ty) { self.measure(ty) } else { Ok(()) }
    }

    /// How many bytes a type has, as an expression.
    pub(super) fn size_of(&mut self, ty: TypeId, span: Span) -> Lowered<ExprId> {
        if let Some(size) = self.unit.size(ty) {
            return Ok(self.bytes(size));
        }
        let size_type = self.model.size_type();
        match self.unit.kind(ty) {
            TypeKind::Array { elem, len: ArrayLen::Variable(length) } => {
                let count = self.unit.tast.vla_size(length);
                let count = self.value(count)?;
                let count = self.builder.body.convert(size_type, count);
                let element = self.size_of(elem, span)?;
                Ok(self.builder.body.binary(program::BinaryOp::Multiply, count, element))
            }
            TypeKind::Array { elem, len: ArrayLen::Fixed(count) } => {
                let count = self.bytes(count);
                let element = self.size_of(elem, span)?;
                Ok(self.builder.body.binary(program::BinaryOp::Multiply, count, element))
            }
            _ => unsupported("a type of unknown size", span),
        }
    }
}

/// Whether the size of a type is only known when its declaration is reached.
pub(super) fn is_variable_length(unit: &Unit, ty: TypeId) -> bool {
    match unit.kind(ty) {
        TypeKind::Array { len: ArrayLen::Variable(_), .. } => true,
        TypeKind::Array { elem, .. } => is_variable_length(unit, elem),
        TypeKind::Pointer(pointee) => is_variable_length(unit, pointee),
        _ => false,
    }
}
