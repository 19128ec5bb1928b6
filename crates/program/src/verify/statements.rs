//! The types in statements and ends of blocks: invariants 18 to 27.

use super::{Context, Place, Verifier};
use crate::arithmetic;
use crate::expression::{ExprId, VariableId};
use crate::program::FunctionId;
use crate::statement::{Callee, Case, Check, StatementKind, Terminator, VariadicOp};
use crate::types::Type;

impl<'a> Verifier<'a> {
    /// What holds for one statement. Types are examined only if all that it names exists.
    pub(super) fn statement(&mut self, context: Context<'a>, place: Place, statement: &StatementKind) {
        if !self.names_in_statement_exist(context, place, statement) {
            return;
        }
        let size = context.program.data_model.size_type();
        match statement {
            StatementKind::Assign { target, value } | StatementKind::Volatile { target, value } => {
                let (of, to) = (context.type_of(*value), context.variable(*target));
                self.require(of == to, 19, place, || format!("{} is assigned to {}", shown(of), shown(to)));
            }
            StatementKind::Load { target, pointer, .. } => {
                self.accesses(context, place, *pointer, context.variable(*target));
            }
            StatementKind::Store { pointer, value } => {
                self.accesses(context, place, *pointer, context.type_of(*value));
            }
            StatementKind::Copy { destination, source, size: bytes } => {
                let types = [Type::Pointer, Type::Pointer, size];
                self.have_types(context, 21, place, &[*destination, *source, *bytes], &types);
            }
            StatementKind::Fill { destination, byte, size: bytes } => {
                let types = [Type::Pointer, Type::unsigned(8), size];
                self.have_types(context, 21, place, &[*destination, *byte, *bytes], &types);
            }
            StatementKind::Allocate { target, size: bytes } => {
                self.have_types(context, 21, place, &[*bytes], &[size]);
                self.target_has_type(context, 21, place, *target, Type::Pointer);
            }
            StatementKind::Begin { object, size: bytes } => {
                let is_sized = context.body.locals[*object].size.is_some();
                self.require(is_sized == bytes.is_none(), 22, place, || {
                    String::from("there must be exactly one size")
                });
                self.have_types(context, 22, place, bytes.as_slice(), &[size]);
            }
            StatementKind::Call { target, callee, arguments } => {
                self.call(context, place, *target, *callee, arguments);
            }
            StatementKind::Variadic { operation, list } => self.variadic(context, place, *operation, *list),
            StatementKind::Assume { condition } => self.is_condition(context, place, *condition),
            StatementKind::Check(check) => self.check(context, place, check),
            StatementKind::End { .. }
            | StatementKind::Forget { .. }
            | StatementKind::Input { .. }
            | StatementKind::Unknown { .. }
            | StatementKind::Mark(_) => {}
        }
    }

    /// What holds for the end of a block.
    pub(super) fn terminator(&mut self, context: Context<'a>, place: Place, terminator: &Terminator) {
        for target in terminator.successors() {
            let exists = context.body.blocks.get(target).is_some();
            self.require(exists, 18, place, || format!("{target} does not exist"));
        }
        if let Some(operand) = terminator.operand()
            && context.type_of(operand).is_none()
        {
            return self.require(false, 18, place, || format!("{operand} does not exist"));
        }
        match terminator {
            Terminator::Branch { condition, .. } => self.is_condition(context, place, *condition),
            Terminator::Switch { value, cases, .. } => self.switch(context, place, *value, cases),
            Terminator::Return(Some(value)) => {
                let (of, to) = (context.type_of(*value), context.function.result);
                self.require(of == to, 27, place, || {
                    format!("{} is returned instead of {}", shown(of), shown(to))
                });
            }
            Terminator::Return(None) | Terminator::Goto(_) | Terminator::Unreachable => {}
        }
    }

    /// Invariant 18 for statements.
    fn names_in_statement_exist(
        &mut self,
        context: Context<'a>,
        place: Place,
        statement: &StatementKind,
    ) -> bool {
        let mut missing: Vec<String> = Vec::new();
        statement.visit_operands(|operand| {
            if context.type_of(operand).is_none() {
                missing.push(operand.to_string());
            }
        });
        let read = match statement {
            StatementKind::Check(Check::Defined { variable }) => Some(*variable),
            _ => statement.target(),
        };
        missing.extend(
            read.filter(|variable| context.variable(*variable).is_none()).map(|id| format!("{id:?}")),
        );
        match statement {
            StatementKind::Begin { object, .. }
            | StatementKind::End { object }
            | StatementKind::Forget { object }
                if context.body.locals.get(*object).is_none() =>
            {
                missing.push(object.to_string());
            }
            StatementKind::Call { callee: Callee::Function(function), .. }
                if context.program.functions.get(*function).is_none() =>
            {
                missing.push(function.to_string());
            }
            _ => {}
        }
        self.require(missing.is_empty(), 18, place, || format!("{} does not exist", missing.join(", ")));
        missing.is_empty()
    }

    /// Invariant 20.
    fn accesses(&mut self, context: Context<'a>, place: Place, pointer: ExprId, moved: Option<Type>) {
        self.have_types(context, 20, place, &[pointer], &[Type::Pointer]);
        self.require(moved != Some(Type::Bool), 20, place, || String::from("a bool is never in memory"));
    }

    /// Invariant 23.
    fn is_condition(&mut self, context: Context<'a>, place: Place, condition: ExprId) {
        self.have_types(context, 23, place, &[condition], &[Type::Bool]);
    }

    /// Invariants 21 and 23 for checks.
    fn check(&mut self, context: Context<'a>, place: Place, check: &Check) {
        match check {
            Check::Holds { condition, .. } => self.is_condition(context, place, *condition),
            Check::Readable { pointer, size }
            | Check::Writable { pointer, size }
            | Check::Accessible { pointer, size } => {
                let types = [Type::Pointer, context.program.data_model.size_type()];
                self.have_types(context, 21, place, &[*pointer, *size], &types);
            }
            Check::Terminated { pointer } | Check::Freeable { pointer } => {
                self.have_types(context, 21, place, &[*pointer], &[Type::Pointer]);
            }
            Check::Defined { .. } => {}
        }
    }

    /// Invariant 24.
    fn call(
        &mut self,
        context: Context<'a>,
        place: Place,
        target: Option<VariableId>,
        callee: Callee,
        arguments: &[ExprId],
    ) {
        match callee {
            Callee::Pointer(pointer) => self.have_types(context, 24, place, &[pointer], &[Type::Pointer]),
            Callee::Function(function) => self.direct_call(context, place, target, function, arguments),
        }
    }

    fn direct_call(
        &mut self,
        context: Context<'a>,
        place: Place,
        target: Option<VariableId>,
        function: FunctionId,
        arguments: &[ExprId],
    ) {
        let callee = &context.program.functions[function];
        let (passed, declared) = (arguments.len(), callee.parameters.len());
        let fits = passed == declared || callee.variadic && passed > declared;
        self.require(fits, 24, place, || format!("{passed} arguments for {declared} parameters"));
        self.have_types(context, 24, place, arguments, &callee.parameters);
        match (target, callee.result) {
            (Some(target), Some(result)) => self.target_has_type(context, 24, place, target, result),
            (Some(_), None) => self.require(false, 24, place, || String::from("there is no result")),
            (None, _) => {}
        }
    }

    /// Invariant 25.
    fn variadic(&mut self, context: Context<'a>, place: Place, operation: VariadicOp, list: ExprId) {
        self.have_types(context, 25, place, &[list], &[Type::Pointer]);
        if let VariadicOp::CopyFrom(source) = operation {
            self.have_types(context, 25, place, &[source], &[Type::Pointer]);
        }
    }

    /// Invariant 26.
    fn switch(&mut self, context: Context<'a>, place: Place, value: ExprId, cases: &[Case]) {
        let ty = context.type_of(value).and_then(Type::integer).filter(|ty| (1..=128).contains(&ty.width));
        let Some(ty) = ty else {
            return self.require(false, 26, place, || String::from("the value is no integer"));
        };
        for case in cases {
            let normal = arithmetic::is_normal(ty, case.low) && arithmetic::is_normal(ty, case.high);
            let ordered = arithmetic::compare(ty, case.low, case.high).is_le();
            self.require(normal && ordered, 26, place, || {
                format!("{}..{} is no range of {ty}", case.low, case.high)
            });
        }
        let mut sorted: Vec<&Case> = cases.iter().collect();
        sorted.sort_by(|a, b| arithmetic::compare(ty, a.low, b.low));
        for pair in sorted.windows(2) {
            let apart = arithmetic::compare(ty, pair[0].high, pair[1].low).is_lt();
            self.require(apart, 26, place, || format!("two ranges hold {}", pair[1].low));
        }
    }

    /// The expressions have these types; expressions or types left over are not examined.
    fn have_types(
        &mut self,
        context: Context<'a>,
        invariant: u8,
        place: Place,
        found: &[ExprId],
        types: &[Type],
    ) {
        for (id, ty) in found.iter().zip(types) {
            let of = context.type_of(*id);
            self.require(of == Some(*ty), invariant, place, || {
                format!("{id} is {} instead of {ty}", shown(of))
            });
        }
    }

    fn target_has_type(
        &mut self,
        context: Context<'a>,
        invariant: u8,
        place: Place,
        target: VariableId,
        ty: Type,
    ) {
        let of = context.variable(target);
        self.require(of == Some(ty), invariant, place, || {
            format!("the target is {} instead of {ty}", shown(of))
        });
    }
}

fn shown(ty: Option<Type>) -> String {
    ty.map_or_else(|| String::from("nothing"), |ty| ty.to_string())
}
