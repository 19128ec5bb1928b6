//! Calls: arguments, results that are aggregates, function pointers, and variable argument lists.

use program::{Callee, ExprId, StatementKind, Type, VariableId, VariadicOp};
use rucc_diag::Span;
use rucc_sema::{self as sema, Conversion, DeclKind, ExprKind, ExprList};
use rucc_types::TypeKind;

use super::body::BodyLowering;
use super::{Lowered, unsupported};

impl BodyLowering<'_, '_> {
    /// Calls a function. A result that is an aggregate goes to the given place; a scalar result is the answer.
    pub(super) fn call(
        &mut self,
        callee: sema::ExprId,
        args: ExprList,
        result: Option<ExprId>,
        span: Span,
    ) -> Lowered<Option<ExprId>> {
        let unit = self.unit;
        let function_type = match unit.kind(unit.tast[callee].ty) {
            TypeKind::Pointer(function) => unit.kind(function),
            kind => kind,
        };
        let TypeKind::Function(signature) = function_type else {
            return unsupported("a call of something that is no function", span);
        };
        let signature = unit.types.signature(signature);
        let returned = unit.scalar(signature.ret);
        if returned.is_none() && !unit.is_void(signature.ret) && !unit.is_aggregate(signature.ret) {
            return self.no_scalar(signature.ret, span);
        }
        let target_function = self.callee(callee)?;
        let mut arguments: Vec<ExprId> = result.into_iter().collect();
        for (index, &argument) in unit.tast[args].iter().enumerate() {
            let variadic = index >= signature.params.len() || !signature.prototyped;
            arguments.push(self.argument(argument, variadic)?);
        }
        self.at(span);
        let target = returned.map(|ty| self.temporary(ty));
        let kind = StatementKind::Call { target, callee: target_function, arguments };
        self.builder.push(kind);
        let value = target.map(|target| self.builder.body.read(target));
        match value {
            // A function that is not ours may give any byte, but C knows only two values of this type.
            Some(value) if unit.is_bool(signature.ret) => self.convert(value, signature.ret, span).map(Some),
            value => Ok(value),
        }
    }

    fn callee(&mut self, callee: sema::ExprId) -> Lowered<Callee> {
        let unit = self.unit;
        let mut expression = callee;
        while let ExprKind::Convert { kind: Conversion::FunctionDecay | Conversion::Pointer, operand }
        | ExprKind::Cast(operand) = unit.tast[expression].kind
        {
            // A cast function pointer may be called with other types than the function has.
            if matches!(unit.tast[expression].kind, ExprKind::Cast(_)) {
                break;
            }
            expression = operand;
        }
        if let ExprKind::Decl(decl) = unit.tast[expression].kind
            && unit.tast[decl].kind == DeclKind::Function
        {
            return Ok(Callee::Function(self.owner.function(decl)));
        }
        self.simple_value(callee).map(Callee::Pointer)
    }

    /// The value of an argument. An aggregate is passed as a pointer: the callee copies it on entry, but an argument
    /// of a variable list is only copied later, so the caller makes a copy of it now.
    fn argument(&mut self, argument: sema::ExprId, variadic: bool) -> Lowered<ExprId> {
        let unit = self.unit;
        let (ty, span) = (unit.tast[argument].ty, unit.tast.expr_span(argument));
        if unit.scalar(ty).is_some() {
            return self.simple_value(argument);
        }
        if !unit.is_aggregate(ty) {
            return self.no_scalar(ty, span);
        }
        if variadic {
            let copy = self.scratch(ty, span)?;
            self.copy_to(copy, argument)?;
            return Ok(copy);
        }
        let pointer = self.simple_address(argument)?;
        self.at(span);
        let size = self.size_of(ty, span)?;
        self.check_accessible(pointer, size);
        Ok(pointer)
    }

    /// Reads the next argument of a variable list into a variable.
    pub(super) fn next_argument(&mut self, list: sema::ExprId, target: VariableId) -> Lowered<()> {
        self.variadic(VariadicOp::Next(target), list)
    }

    /// An operation on a variable argument list.
    pub(super) fn variadic(&mut self, operation: VariadicOp, list: sema::ExprId) -> Lowered<()> {
        let pointer = self.list_pointer(list)?;
        self.builder.push(StatementKind::Variadic { operation, list: pointer });
        Ok(())
    }

    /// The pointer to a variable argument list.
    pub(super) fn list_pointer(&mut self, list: sema::ExprId) -> Lowered<ExprId> {
        let pointer = self.simple_value(list)?;
        debug_assert_eq!(self.builder.body.type_of(pointer), Type::Pointer);
        Ok(pointer)
    }
}
