//! Expressions that give a scalar, and expressions that are evaluated for their effects.

use program::{ExprId, ExprKind as Node, StatementKind, Type, UnaryOp as Op};
use rucc_ast::{BinaryOp, UnaryOp};
use rucc_diag::Span;
use rucc_sema::{self as sema, Base, Const, Conversion, DeclKind, ExprKind, Stmt, StmtId};
use rucc_types::{TypeId, TypeKind};

use super::body::BodyLowering;
use super::{Lowered, unsupported};

impl BodyLowering<'_, '_> {
    /// The value of a scalar expression.
    pub(super) fn value(&mut self, expression: sema::ExprId) -> Lowered<ExprId> {
        if let Some(&variable) = self.known.get(&expression) {
            return Ok(self.builder.body.read(variable));
        }
        if let Some(plan) = self.order_of(expression, false) {
            return self.in_order(expression, &plan, |lowering| lowering.value(expression));
        }
        let unit = self.unit;
        let span = unit.tast.expr_span(expression);
        let ty = unit.tast[expression].ty;
        let scalar = unit.scalar(ty);
        match unit.tast[expression].kind {
            ExprKind::Error => unsupported("an expression with errors", span),
            ExprKind::Const(constant) => self.constant(unit.tast[constant], ty, span),
            ExprKind::Str(_)
            | ExprKind::Decl(_)
            | ExprKind::Member { .. }
            | ExprKind::Subscript { .. }
            | ExprKind::CompoundLiteral(_) => {
                let place = self.place(expression)?;
                self.read(place, span)
            }
            ExprKind::Call { callee, args } => match self.call(callee, args, None, span)? {
                Some(value) => Ok(value),
                None => self.no_scalar(ty, span),
            },
            ExprKind::Unary { op, operand } => self.unary(op, operand, ty, span),
            ExprKind::Binary { op, lhs, rhs } => self.binary(expression, op, lhs, rhs, span),
            ExprKind::Assign { op: None, lhs, rhs, .. } => self.assign(lhs, rhs, span),
            ExprKind::Assign { op: Some(op), computation, lhs, rhs } => {
                self.compound_assign(op, computation, lhs, rhs, span)
            }
            ExprKind::Cond { cond, then, otherwise } => match scalar {
                Some(scalar) => self.conditional(cond, then, otherwise, scalar),
                None => self.no_scalar(ty, span),
            },
            ExprKind::Comma { lhs, rhs } => {
                self.discard(lhs)?;
                self.value(rhs)
            }
            ExprKind::Cast(operand) => self.cast(operand, ty, span),
            ExprKind::Convert { kind, operand } => self.conversion(kind, operand, ty, span),
            ExprKind::StmtExpr(body) => match self.statement_expression(body)? {
                Some(last) => {
                    let value = self.simple_value(last)?;
                    self.dissolve_scope();
                    Ok(value)
                }
                None => unsupported("a statement expression without a value", span),
            },
            ExprKind::LabelAddr(label) => self.constant_address(Base::Label(label), span),
            ExprKind::VaArg { list } => match scalar {
                Some(scalar) => {
                    let target = self.temporary(scalar);
                    self.next_argument(list, target)?;
                    Ok(self.builder.body.read(target))
                }
                None => self.no_scalar(ty, span),
            },
            _ => match self.builtin(expression)? {
                Some(value) => Ok(value),
                None => self.no_scalar(ty, span),
            },
        }
    }

    /// The value of an operand in another type.
    fn cast(&mut self, operand: sema::ExprId, ty: TypeId, span: Span) -> Lowered<ExprId> {
        let from = self.unit.tast[operand].ty;
        if self.unit.scalar(ty).is_none() {
            return self.no_scalar(ty, span);
        }
        if self.is_vector(from) {
            let place = self.place(operand)?;
            return self.read(super::place::Place { ty, ..place }, span);
        }
        if self.is_complex(from) {
            return self.complex_to_scalar(operand, ty, span);
        }
        let value = self.value(operand)?;
        self.convert(value, ty, span)
    }

    /// Evaluates an expression for its effects.
    pub(super) fn discard(&mut self, expression: sema::ExprId) -> Lowered<()> {
        if self.known.contains_key(&expression) {
            return Ok(());
        }
        if let Some(plan) = self.order_of(expression, false) {
            return self.in_order(expression, &plan, |lowering| lowering.discard(expression));
        }
        let unit = self.unit;
        let span = unit.tast.expr_span(expression);
        let ty = unit.tast[expression].ty;
        match unit.tast[expression].kind {
            ExprKind::Convert { kind: Conversion::Void | Conversion::Lvalue, operand } => {
                self.discard(operand)
            }
            ExprKind::Convert { operand, .. } | ExprKind::Cast(operand) => self.discard(operand),
            ExprKind::Const(_) | ExprKind::Str(_) | ExprKind::Decl(_) | ExprKind::LabelAddr(_) => Ok(()),
            ExprKind::Comma { lhs, rhs } => {
                self.discard(lhs)?;
                self.discard(rhs)
            }
            ExprKind::Call { callee, args } => {
                let result = if unit.is_aggregate(ty) { Some(self.scratch(ty, span)?) } else { None };
                self.call(callee, args, result, span).map(drop)
            }
            ExprKind::Cond { cond, then, otherwise } => {
                self.in_both_arms(cond, then, otherwise, |lowering, arm| lowering.discard(arm))
            }
            ExprKind::Binary { op: BinaryOp::LogAnd | BinaryOp::LogOr, .. } => {
                let next = self.builder.new_block();
                self.branch_on(expression, next, next)?;
                self.builder.switch_to(next);
                Ok(())
            }
            ExprKind::StmtExpr(body) => {
                if let Some(last) = self.statement_expression(body)? {
                    self.discard(last)?;
                }
                self.close_scope();
                Ok(())
            }
            ExprKind::Member { .. } | ExprKind::Subscript { .. } | ExprKind::CompoundLiteral(_) => {
                self.place(expression).map(drop)
            }
            ExprKind::Unary { op: UnaryOp::Deref, operand } => self.discard(operand),
            ExprKind::Assign { op: None, lhs, rhs, .. } if unit.is_void(ty) => {
                self.copy_byte(lhs, rhs, unit.tast.expr_span(expression))
            }
            _ if unit.is_aggregate(ty) => self.place(expression).map(drop),
            _ if unit.is_void(ty) => self.builtin(expression).map(drop),
            _ => self.value(expression).map(drop),
        }
    }

    /// Lowers a statement expression up to its last expression, which is its value if there is one. Its scope is
    /// left open: the caller closes it when it has the value.
    pub(super) fn statement_expression(&mut self, body: StmtId) -> Lowered<Option<sema::ExprId>> {
        let unit = self.unit;
        let span = unit.tast.stmt_span(body);
        self.open_scope(span);
        let Stmt::Block(list) = unit.tast[body] else {
            self.statement(body)?;
            return Ok(None);
        };
        let Some((&last, rest)) = unit.tast[list].split_last() else { return Ok(None) };
        for &statement in rest {
            self.statement(statement)?;
        }
        let mut last = last;
        loop {
            match unit.tast[last] {
                Stmt::Expr(value) => return Ok(Some(value)),
                Stmt::Label { label, body } => {
                    let block = self.label(label);
                    self.builder.goto(block);
                    self.builder.switch_to(block);
                    last = body;
                }
                _ => {
                    self.statement(last)?;
                    return Ok(None);
                }
            }
        }
    }

    /// A constant of a C type.
    pub(super) fn constant(&mut self, constant: Const, ty: TypeId, span: Span) -> Lowered<ExprId> {
        let Some(scalar) = self.unit.scalar(ty) else { return self.no_scalar(ty, span) };
        match constant {
            Const::Int(value) => match scalar {
                Type::Pointer => {
                    let address = self.builder.body.integer(self.model.size_type(), value);
                    Ok(self.builder.body.convert(Type::Pointer, address))
                }
                Type::Float(_) => unsupported("a number of another type", span),
                _ => Ok(self.builder.body.integer(scalar, value)),
            },
            Const::Float(value) => Ok(self.builder.body.expression(Node::Float(value.to_bits()), scalar)),
            Const::Address(address) => {
                let pointer = self.constant_address(address.base, span)?;
                let offset = self.builder.body.integer(self.model.offset_type(), address.offset);
                let pointer = self.builder.body.offset(pointer, offset);
                Ok(self.convert_scalar(pointer, scalar))
            }
            Const::Apart { to, from } => {
                let apart = self.owner.label(to) - self.owner.label(from);
                Ok(self.builder.body.integer(scalar, apart))
            }
            Const::Complex { .. } | Const::ComplexInt { .. } => unsupported("a complex number", span),
        }
    }

    fn constant_address(&mut self, base: Base, span: Span) -> Lowered<ExprId> {
        match base {
            Base::Decl(decl) if self.unit.tast[decl].kind == DeclKind::Function => {
                let function = self.owner.function(decl);
                Ok(self.builder.body.function_address(function))
            }
            Base::Decl(decl) => self.object_address(decl, span),
            Base::Str(string) => {
                let literal = self.owner.string(string);
                Ok(self.builder.body.address(program::ObjectRef::Global(literal)))
            }
            Base::Label(label) => {
                self.addressed.push(label);
                let number = self.owner.label(label);
                let address = self.builder.body.integer(self.model.size_type(), number);
                Ok(self.builder.body.convert(Type::Pointer, address))
            }
            Base::Absolute => Ok(self.builder.body.null()),
        }
    }

    fn conversion(
        &mut self,
        kind: Conversion,
        operand: sema::ExprId,
        ty: TypeId,
        span: Span,
    ) -> Lowered<ExprId> {
        match kind {
            Conversion::Lvalue => {
                let place = self.place(operand)?;
                self.read(place, span)
            }
            Conversion::ArrayDecay | Conversion::FunctionDecay => {
                let place = self.place(operand)?;
                self.address_of(place, span)
            }
            Conversion::Arithmetic | Conversion::Bool if self.is_complex(self.unit.tast[operand].ty) => {
                self.complex_to_scalar(operand, ty, span)
            }
            Conversion::Arithmetic | Conversion::Pointer if self.is_vector(self.unit.tast[operand].ty) => {
                let place = self.place(operand)?;
                self.read(super::place::Place { ty, ..place }, span)
            }
            Conversion::Arithmetic | Conversion::Pointer => {
                let value = self.value(operand)?;
                self.convert(value, ty, span)
            }
            Conversion::Bool => {
                let value = self.value(operand)?;
                let truth = self.builder.body.nonzero(value);
                Ok(self.builder.body.convert(Type::unsigned(8), truth))
            }
            Conversion::NullPointer => {
                self.discard(operand)?;
                Ok(self.builder.body.null())
            }
            Conversion::Void => unsupported("a value of type void", span),
            Conversion::Broadcast => unsupported("a vector", span),
            Conversion::Hardbool => unsupported("the attribute hardbool", span),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: sema::ExprId, ty: TypeId, span: Span) -> Lowered<ExprId> {
        match op {
            UnaryOp::Plus => self.value(operand),
            UnaryOp::Minus => {
                let value = self.value(operand)?;
                Ok(self.negate(value, span))
            }
            UnaryOp::BitNot => {
                let value = self.value(operand)?;
                match self.builder.body.type_of(value) {
                    Type::Integer(_) => Ok(self.builder.body.unary(Op::Complement, value)),
                    _ => unsupported("a complex number", span),
                }
            }
            UnaryOp::Not => {
                let value = self.value(operand)?;
                let truth = self.builder.body.nonzero(value);
                let negated = self.builder.body.unary(Op::Not, truth);
                let scalar = self.unit.scalar(ty).unwrap_or(Type::signed(32));
                Ok(self.builder.body.convert(scalar, negated))
            }
            UnaryOp::Deref => {
                let pointer = self.value(operand)?;
                let overlaid = self.is_overlaid(operand);
                self.read(super::place::Place { pointer, ty, bits: None, overlaid }, span)
            }
            UnaryOp::AddrOf => {
                let place = self.place(operand)?;
                self.address_of(place, span)
            }
            UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec => {
                self.step(op, operand, ty, span)
            }
            UnaryOp::Real | UnaryOp::Imag => self.part_of(op, operand),
        }
    }

    /// `++` and `--`: the arithmetic is done in the promoted type, as `x = x + 1` would.
    fn step(&mut self, op: UnaryOp, operand: sema::ExprId, ty: TypeId, span: Span) -> Lowered<ExprId> {
        let unit = self.unit;
        let mut place = self.place(operand)?;
        place.pointer = self.simple(place.pointer);
        let old = self.read(place, span)?;
        let old = self.simple(old);
        let down = matches!(op, UnaryOp::PreDec | UnaryOp::PostDec);
        self.at(span);
        let new = match self.builder.body.type_of(old) {
            Type::Pointer => {
                let TypeKind::Pointer(element) = unit.kind(ty) else { return self.no_scalar(ty, span) };
                let size = self.size_of(element, span)?;
                let one = self.builder.body.integer(self.model.offset_type(), 1);
                self.move_pointer(old, one, size, down)
            }
            Type::Integer(integer) => {
                let wide = if integer.width < 32 { Type::signed(32) } else { Type::Integer(integer) };
                let value = self.builder.body.convert(wide, old);
                let one = self.builder.body.integer(wide, 1);
                let operator = if down { BinaryOp::Sub } else { BinaryOp::Add };
                let sum = self.arithmetic(operator, value, one, span)?;
                self.convert(sum, ty, span)?
            }
            Type::Float(_) => {
                let float = self.builder.body.type_of(old);
                let one = self.builder.body.integer(Type::signed(32), 1);
                let one = self.builder.body.convert(float, one);
                let operator = if down { BinaryOp::Sub } else { BinaryOp::Add };
                self.arithmetic(operator, old, one, span)?
            }
            Type::Bool => return self.no_scalar(ty, span),
        };
        let stored = self.write(place, new, span)?;
        Ok(if op.is_postfix() { old } else { stored })
    }

    fn binary(
        &mut self,
        expression: sema::ExprId,
        op: BinaryOp,
        lhs: sema::ExprId,
        rhs: sema::ExprId,
        span: Span,
    ) -> Lowered<ExprId> {
        let unit = self.unit;
        let ty = unit.tast[expression].ty;
        let Some(scalar) = unit.scalar(ty) else { return self.no_scalar(ty, span) };
        if matches!(op, BinaryOp::LogAnd | BinaryOp::LogOr) {
            return self.short_circuit(expression, scalar);
        }
        if self.is_complex(unit.tast[lhs].ty) || self.is_complex(unit.tast[rhs].ty) {
            let truth = self.complex_comparison(op, lhs, rhs, span)?;
            return Ok(self.builder.body.convert(scalar, truth));
        }
        let left = self.value(lhs)?;
        let right = self.value(rhs)?;
        self.at(span);
        if let Some(truth) = self.comparison(op, left, right) {
            return Ok(self.builder.body.convert(scalar, truth));
        }
        self.pointer_or_number(op, (left, unit.tast[lhs].ty), (right, unit.tast[rhs].ty), span)
    }

    /// A sum, difference or other operation whose operands may be pointers.
    fn pointer_or_number(
        &mut self,
        op: BinaryOp,
        (left, left_type): (ExprId, TypeId),
        (right, right_type): (ExprId, TypeId),
        span: Span,
    ) -> Lowered<ExprId> {
        let element = |ty: TypeId| match self.unit.kind(ty) {
            TypeKind::Pointer(element) => Some(element),
            _ => None,
        };
        match (op, element(left_type), element(right_type)) {
            (BinaryOp::Sub, Some(element), Some(_)) => {
                let difference = self.builder.body.difference(self.model, left, right);
                let size = self.size_of(element, span)?;
                let size = self.builder.body.convert(self.model.offset_type(), size);
                if self.builder.body.constant(size).is_some_and(|size| size <= 1) {
                    return Ok(difference);
                }
                Ok(self.builder.body.binary(program::BinaryOp::Divide, difference, size))
            }
            (BinaryOp::Add | BinaryOp::Sub, Some(element), None) => {
                let size = self.size_of(element, span)?;
                Ok(self.move_pointer(left, right, size, op == BinaryOp::Sub))
            }
            (BinaryOp::Add, None, Some(element)) => {
                let size = self.size_of(element, span)?;
                Ok(self.move_pointer(right, left, size, false))
            }
            _ => self.arithmetic(op, left, right, span),
        }
    }

    fn assign(&mut self, lhs: sema::ExprId, rhs: sema::ExprId, span: Span) -> Lowered<ExprId> {
        let value = self.simple_value(rhs)?;
        let mut place = self.place(lhs)?;
        if self.is_stepped(lhs) {
            place.pointer = self.simple(place.pointer);
            self.check_stepped(lhs, place.pointer);
        }
        self.write(place, value, span)
    }

    /// Copies a value of type `void`. Compilers refuse that, but old programs do it: where GNU C computes with pointers to
    /// `void`, what they point to is a byte.
    fn copy_byte(&mut self, lhs: sema::ExprId, rhs: sema::ExprId, span: Span) -> Lowered<()> {
        let from = self.simple_address(rhs)?;
        self.at(span);
        let byte = self.load(from, Type::unsigned(8));
        let to = self.simple_address(lhs)?;
        self.at(span);
        self.store(to, byte);
        Ok(())
    }

    fn compound_assign(
        &mut self,
        op: BinaryOp,
        computation: TypeId,
        lhs: sema::ExprId,
        rhs: sema::ExprId,
        span: Span,
    ) -> Lowered<ExprId> {
        let unit = self.unit;
        let ty = unit.tast[lhs].ty;
        let right = self.simple_value(rhs)?;
        let mut place = self.place(lhs)?;
        place.pointer = self.simple(place.pointer);
        let old = match self.known.get(&lhs) {
            Some(&variable) => self.builder.body.read(variable),
            None => self.read(place, span)?,
        };
        let left =
            if unit.scalar(ty) == Some(Type::Pointer) { old } else { self.convert(old, computation, span)? };
        let left_type = if unit.scalar(ty) == Some(Type::Pointer) { ty } else { computation };
        self.at(span);
        let result = self.pointer_or_number(op, (left, left_type), (right, unit.tast[rhs].ty), span)?;
        let result = self.convert(result, ty, span)?;
        self.write(place, result, span)
    }

    /// Stores a value through a pointer, behind the check that it can be written.
    pub(super) fn store(&mut self, pointer: ExprId, value: ExprId) {
        let size = self.bytes(self.builder.body.type_of(value).bytes(self.model));
        self.check_writable(pointer, size);
        self.builder.push(StatementKind::Store { pointer, value });
    }
}
