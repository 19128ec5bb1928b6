//! Lvalues and aggregates: where an object is, reading and writing it, bit-fields included.

use program::{BinaryOp, ExprId, IntegerType, StatementKind, Type};
use rucc_ast::UnaryOp;
use rucc_diag::Span;
use rucc_sema::{self as sema, Conversion, ExprKind};
use rucc_types::{Qualifiers, RecordKind, TypeId, TypeKind};

use super::body::BodyLowering;
use super::{Lowered, unsupported};

/// Where an object is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Its first byte; for a bit-field, the first byte that holds a bit of it.
    pub(super) pointer: ExprId,
    /// Its C type.
    pub(super) ty: TypeId,
    /// Which bits of the bytes it is, if it is a bit-field.
    pub(super) bits: Option<Bits>,
    /// Whether its bytes may have been written as something else: it lies in a union, or is a bit-field.
    pub(super) overlaid: bool,
}

/// Which bits of some bytes a bit-field is.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    /// How many bits of the first byte stand below it.
    shift: u32,
    /// The bits of the field, and how they are read.
    field: IntegerType,
    /// All bytes that hold a bit of it, as one number.
    container: IntegerType,
}

impl Bits {
    /// So many bits, of which so many stand below the field in its first byte.
    pub(super) fn new(shift: u32, width: u32, signed: bool) -> Self {
        Self {
            shift,
            field: IntegerType { width: width as u8, signed },
            container: IntegerType { width: (shift + width).next_multiple_of(8) as u8, signed: false },
        }
    }
}

impl BodyLowering<'_, '_> {
    /// The place of an lvalue, or of a value that is an aggregate.
    pub(super) fn place(&mut self, expression: sema::ExprId) -> Lowered<Place> {
        let unit = self.unit;
        let span = unit.tast.expr_span(expression);
        let ty = unit.tast[expression].ty;
        if let Some(&variable) = self.known.get(&expression).filter(|_| unit.is_aggregate(ty)) {
            return Ok(Place { pointer: self.builder.body.read(variable), ty, bits: None, overlaid: false });
        }
        if let Some(plan) = self.order_of(expression, true) {
            return self.in_order(expression, &plan, |lowering| lowering.place(expression));
        }
        let pointer = match unit.tast[expression].kind {
            ExprKind::Error => return unsupported("an expression with errors", span),
            ExprKind::Str(string) => {
                let literal = self.owner.string(string);
                self.builder.body.address(program::ObjectRef::Global(literal))
            }
            ExprKind::Decl(decl) if unit.tast[decl].kind == sema::DeclKind::Function => {
                let function = self.owner.function(decl);
                self.builder.body.function_address(function)
            }
            ExprKind::Decl(decl) if unit.tast[decl].register.is_some() => {
                return unsupported("a variable in a machine register", span);
            }
            ExprKind::Decl(decl) => self.object_address(decl, span)?,
            // The type of the expression has the qualifiers of the whole structure, too.
            ExprKind::Member { base, field } => {
                return self.member(base, field, span).map(|place| Place { ty, ..place });
            }
            ExprKind::Subscript { base, index } => self.subscript(base, index, span)?,
            ExprKind::Unary { op: UnaryOp::Deref, operand } => self.value(operand)?,
            ExprKind::CompoundLiteral(decl) => self.compound_literal(decl, span)?,
            ExprKind::Call { callee, args } => {
                let result = self.scratch(ty, span)?;
                self.call(callee, args, Some(result), span)?;
                result
            }
            ExprKind::Cond { cond, then, otherwise } => self.conditional_place(cond, then, otherwise)?,
            ExprKind::Comma { .. } | ExprKind::Assign { op: None, .. } | ExprKind::StmtExpr(_) => {
                return self.last_place(expression);
            }
            ExprKind::VaArg { list } => {
                let pointer = self.temporary(Type::Pointer);
                self.next_argument(list, pointer)?;
                self.builder.body.read(pointer)
            }
            ExprKind::Convert { kind: Conversion::Lvalue, operand } => return self.place(operand),
            ExprKind::Unary { op: op @ (UnaryOp::Real | UnaryOp::Imag), operand } => {
                return self.part_place(op, operand, span);
            }
            ExprKind::Assign { op: Some(op), lhs, rhs, .. } if self.is_complex(ty) => {
                return self.complex_assign(op, lhs, rhs, span);
            }
            ExprKind::Const(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Complex { .. }
            | ExprKind::Convert { .. }
            | ExprKind::Cast(_)
                if self.is_complex(ty) =>
            {
                self.complex(expression)?
            }
            ExprKind::Convert { operand, .. } | ExprKind::Cast(operand)
                if self.is_same_object(expression, operand) =>
            {
                return Ok(Place { ty, ..self.place(operand)? });
            }
            _ if self.is_vector(ty) => self.vector(expression)?,
            // GNU's cast to a union: an object of the union with the value in it.
            ExprKind::Cast(operand)
                if unit.is_aggregate(ty) && unit.scalar(unit.tast[operand].ty).is_some() =>
            {
                self.union_of(operand, ty, span)?
            }
            _ => return unsupported("the place of this expression", span),
        };
        Ok(Place { pointer, ty, bits: None, overlaid: self.is_overlaid(expression) })
    }

    /// Whether a conversion of an aggregate is the operand's object, seen in another type.
    fn is_same_object(&self, expression: sema::ExprId, operand: sema::ExprId) -> bool {
        let unit = self.unit;
        let is_spread =
            matches!(unit.tast[expression].kind, ExprKind::Convert { kind: Conversion::Broadcast, .. });
        let is_aggregate = |expression: sema::ExprId| unit.is_aggregate(unit.tast[expression].ty);
        is_aggregate(expression) && is_aggregate(operand) && !is_spread
    }

    /// An object of a union with a value in it.
    fn union_of(&mut self, value: sema::ExprId, ty: TypeId, span: Span) -> Lowered<ExprId> {
        let object = self.scratch(ty, span)?;
        let value = self.value(value)?;
        self.builder.push(StatementKind::Store { pointer: object, value });
        Ok(object)
    }

    /// The place that several steps give at last.
    fn last_place(&mut self, expression: sema::ExprId) -> Lowered<Place> {
        let tast = &self.unit.tast;
        match tast[expression].kind {
            ExprKind::Comma { lhs, rhs } => {
                self.discard(lhs)?;
                self.place(rhs)
            }
            ExprKind::Assign { lhs, rhs, .. } => {
                let place = self.place(lhs)?;
                self.copy_to(place.pointer, rhs)?;
                Ok(place)
            }
            ExprKind::StmtExpr(body) => match self.statement_expression(body)? {
                Some(last) => {
                    let place = self.place(last)?;
                    self.dissolve_scope();
                    Ok(place)
                }
                None => unsupported("a statement expression without a value", tast.expr_span(expression)),
            },
            _ => unsupported("the place of this expression", tast.expr_span(expression)),
        }
    }

    /// Whether an lvalue names a part of a union or of a vector.
    pub(super) fn is_overlaid(&self, lvalue: sema::ExprId) -> bool {
        let tast = &self.unit.tast;
        match tast[lvalue].kind {
            ExprKind::Member { base, .. } => match self.unit.kind(tast[base].ty) {
                TypeKind::Record(record) => {
                    self.unit.types.record_info(record).kind == RecordKind::Union || self.is_overlaid(base)
                }
                _ => false,
            },
            ExprKind::Subscript { base, .. } => {
                matches!(self.unit.kind(tast[base].ty), TypeKind::Vector { .. }) || self.is_overlaid(base)
            }
            ExprKind::Convert { kind: Conversion::ArrayDecay, operand } => self.is_overlaid(operand),
            ExprKind::Unary { op: UnaryOp::Deref, operand } => self.is_overlaid(operand),
            ExprKind::Binary { op: rucc_ast::BinaryOp::Add | rucc_ast::BinaryOp::Sub, lhs, rhs, .. } => {
                self.is_overlaid(lhs) || self.is_overlaid(rhs)
            }
            _ => false,
        }
    }

    fn member(&mut self, base: sema::ExprId, field: u32, span: Span) -> Lowered<Place> {
        let unit = self.unit;
        let TypeKind::Record(record) = unit.kind(unit.tast[base].ty) else {
            return unsupported("a member of something that is no structure", span);
        };
        let info = unit.types.record_info(record);
        if info.reverse || info.variable.is_some() {
            return unsupported("a structure of variable size or reversed storage order", span);
        }
        let Some(field) = info.fields.get(field as usize).copied() else {
            return unsupported("an unknown member", span);
        };
        // What is written as a number may be read as an address.
        if info.kind == RecordKind::Union && unit.scalar(field.ty) == Some(Type::Pointer) {
            self.owner.linker.program.world.open = true;
        }
        let base = self.place(base)?;
        let Some(width) = field.bits else {
            return Ok(Place {
                pointer: self.displace(base.pointer, field.offset),
                ty: field.ty,
                bits: None,
                overlaid: base.overlaid || info.kind == RecordKind::Union,
            });
        };
        let start = u64::from(field.bit) + field.offset * 8;
        let (Some(Type::Integer(declared)), shift) = (unit.scalar(field.ty), (start % 8) as u32) else {
            return unsupported("a bit-field of this type", span);
        };
        let bits = Bits::new(shift, width, declared.signed);
        let pointer = self.displace(base.pointer, start / 8);
        Ok(Place { pointer, ty: field.ty, bits: Some(bits), overlaid: true })
    }

    fn subscript(&mut self, base: sema::ExprId, index: sema::ExprId, span: Span) -> Lowered<ExprId> {
        let unit = self.unit;
        let base_type = unit.tast[base].ty;
        if let TypeKind::Vector { elem, .. } = unit.kind(base_type) {
            let pointer = self.place(base)?.pointer;
            let index = self.value(index)?;
            let size = self.size_of(elem, span)?;
            return Ok(self.move_pointer(pointer, index, size, false));
        }
        let TypeKind::Pointer(element) = unit.kind(base_type) else {
            return unsupported("a subscript of something that is no pointer", span);
        };
        let pointer = self.value(base)?;
        let index = self.value(index)?;
        self.at(span);
        let size = self.size_of(element, span)?;
        Ok(self.move_pointer(pointer, index, size, false))
    }

    /// A pointer moved by a constant number of bytes.
    pub(super) fn displace(&mut self, pointer: ExprId, bytes: u64) -> ExprId {
        let by = self.builder.body.integer(self.model.offset_type(), i128::from(bytes));
        self.builder.body.offset(pointer, by)
    }

    /// A pointer moved by so many elements, forwards or backwards.
    pub(super) fn move_pointer(
        &mut self,
        pointer: ExprId,
        count: ExprId,
        size: ExprId,
        backwards: bool,
    ) -> ExprId {
        let body = &mut self.builder.body;
        let offset_type = self.model.offset_type();
        let count = body.convert(offset_type, count);
        let size = body.convert(offset_type, size);
        let bytes =
            if body.constant(size) == Some(1) { count } else { body.binary(BinaryOp::Multiply, count, size) };
        let bytes = if backwards { body.unary(program::UnaryOp::Negate, bytes) } else { bytes };
        body.offset(pointer, bytes)
    }

    /// Reads the scalar at a place.
    pub(super) fn read(&mut self, place: Place, span: Span) -> Lowered<ExprId> {
        let Some(ty) = self.unit.scalar(place.ty) else { return self.no_scalar(place.ty, span) };
        let pointer = self.simple(place.pointer);
        self.at(span);
        let value = match place.bits {
            None => self.load_from(pointer, ty, place.overlaid),
            Some(bits) => {
                let raw = self.load_from(pointer, Type::Integer(bits.container), true);
                let value = self.extract(raw, bits);
                self.builder.body.convert(ty, value)
            }
        };
        Ok(if self.is_volatile(place.ty) { self.observed(value) } else { value })
    }

    /// Whether objects of a type may be changed by the world outside.
    fn is_volatile(&self, ty: TypeId) -> bool {
        self.unit.types.object_quals(ty).has(Qualifiers::VOLATILE)
    }

    /// A value that was read from a volatile object.
    fn observed(&mut self, value: ExprId) -> ExprId {
        let target = self.temporary(self.builder.body.type_of(value));
        self.builder.push(StatementKind::Volatile { target, value });
        self.builder.body.read(target)
    }

    fn extract(&mut self, raw: ExprId, bits: Bits) -> ExprId {
        let body = &mut self.builder.body;
        let shift = body.integer(Type::signed(32), i128::from(bits.shift));
        let shifted = if bits.shift == 0 { raw } else { body.binary(BinaryOp::ShiftRight, raw, shift) };
        body.convert(Type::Integer(bits.field), shifted)
    }

    /// Loads a value into a temporary, behind the check that it can be read.
    pub(super) fn load(&mut self, pointer: ExprId, ty: Type) -> ExprId {
        self.load_from(pointer, ty, false)
    }

    /// The same for what may have been written as something else.
    pub(super) fn load_from(&mut self, pointer: ExprId, ty: Type, overlaid: bool) -> ExprId {
        let size = self.bytes(ty.bytes(self.model));
        self.check_readable(pointer, size);
        self.load_unchecked(pointer, ty, overlaid)
    }

    fn load_unchecked(&mut self, pointer: ExprId, ty: Type, overlaid: bool) -> ExprId {
        let target = self.temporary(ty);
        self.builder.push(StatementKind::Load { target, pointer, overlaid });
        self.builder.body.read(target)
    }

    /// Writes a scalar of the place's type to a place, and gives the value that a read would find there.
    pub(super) fn write(&mut self, place: Place, value: ExprId, span: Span) -> Lowered<ExprId> {
        let pointer = self.simple(place.pointer);
        let value = self.simple(value);
        self.at(span);
        let Some(bits) = place.bits else {
            let size = self.bytes(self.builder.body.type_of(value).bytes(self.model));
            self.check_writable(pointer, size);
            self.builder.push(StatementKind::Store { pointer, value });
            return Ok(value);
        };
        let container = Type::Integer(bits.container);
        let size = self.bytes(container.bytes(self.model));
        self.check_writable(pointer, size);
        // The bytes around the field need not have been written before: they are kept as they are.
        let raw = self.load_unchecked(pointer, container, true);
        let body = &mut self.builder.body;
        let field = body.convert(Type::Integer(bits.field), value);
        let unsigned = body.convert(Type::Integer(bits.field.with_sign(false)), field);
        let wide = body.convert(container, unsigned);
        let shift = body.integer(Type::signed(32), i128::from(bits.shift));
        let placed = if bits.shift == 0 { wide } else { body.binary(BinaryOp::ShiftLeft, wide, shift) };
        let ones = bits.field.with_sign(false).maximum();
        let mask = body.integer(container, !(ones << bits.shift));
        let kept = body.binary(BinaryOp::And, raw, mask);
        let merged = body.binary(BinaryOp::Or, kept, placed);
        self.builder.push(StatementKind::Store { pointer, value: merged });
        let ty = self.builder.body.type_of(value);
        Ok(self.builder.body.convert(ty, field))
    }

    /// Copies an aggregate to a place in memory.
    pub(super) fn copy_to(&mut self, destination: ExprId, value: sema::ExprId) -> Lowered<()> {
        let unit = self.unit;
        let (ty, span) = (unit.tast[value].ty, unit.tast.expr_span(value));
        let destination = self.simple(destination);
        let place = self.place(value)?;
        if self.is_volatile(place.ty) {
            self.unknown("a copy of a volatile object", None);
        }
        let source = place.pointer;
        let source = self.simple(source);
        self.at(span);
        let mut size = self.size_of(ty, span)?;
        // A string literal fills an array that may be shorter than it.
        if let (ExprKind::Str(string), Some(bytes)) = (unit.tast[value].kind, unit.size(ty)) {
            let literal = unit.tast[string].bytes(&unit.target).len() as u64;
            size = self.bytes(bytes.min(literal));
        }
        if self.builder.body.constant(size) == Some(0) {
            return Ok(());
        }
        self.check_accessible(source, size);
        self.check_writable(destination, size);
        self.builder.push(StatementKind::Copy { destination, source, size });
        Ok(())
    }

    /// The address of a place, as a value.
    pub(super) fn address_of(&mut self, place: Place, span: Span) -> Lowered<ExprId> {
        match place.bits {
            None => Ok(place.pointer),
            Some(_) => unsupported("the address of a bit-field", span),
        }
    }

    /// The reason why a type has no scalar values.
    pub(super) fn no_scalar<T>(&self, ty: TypeId, span: Span) -> Lowered<T> {
        match self.unit.kind(ty) {
            TypeKind::Complex(_) => unsupported("a complex number", span),
            TypeKind::Vector { .. } => unsupported("a vector", span),
            TypeKind::Float(_) => unsupported("a decimal floating point number", span),
            TypeKind::BitInt { .. } => unsupported("an integer of more than 128 bits", span),
            TypeKind::Void => unsupported("a value of type void", span),
            _ => unsupported("a value of this type", span),
        }
    }

    fn conditional_place(
        &mut self,
        condition: sema::ExprId,
        then: sema::ExprId,
        otherwise: sema::ExprId,
    ) -> Lowered<ExprId> {
        let pointer = self.temporary(Type::Pointer);
        self.in_both_arms(condition, then, otherwise, |lowering, arm| {
            let value = lowering.place(arm)?.pointer;
            lowering.builder.push(StatementKind::Assign { target: pointer, value });
            Ok(())
        })?;
        Ok(self.builder.body.read(pointer))
    }
}
