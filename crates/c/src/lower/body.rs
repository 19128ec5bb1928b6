//! One function body while it is lowered: where its names live, its scopes and jumps, and the checks it makes.

use std::collections::{HashMap, HashSet};

use program::{
    BlockId, Body, BodyBuilder, Case, Check, DataModel, ExprId, ExprKind, LocalId, ObjectRef, Obligation,
    Origin, StatementKind, Terminator, Type, Variable, VariableId,
};
use rucc_diag::Span;
use rucc_sema::{CaseId, DeclId, LabelId, StmtId};
use rucc_types::{TypeId, TypeKind};

use super::scope::{JumpTarget, OpenScope, hoisted};
use super::unit::{UnitLowering, default_promotion};
use super::{Lowered, unsupported};
use crate::frontend::Unit;

/// A function body while it is lowered.
pub(super) struct BodyLowering<'u, 'a> {
    pub(super) owner: &'u mut UnitLowering<'a>,
    pub(super) unit: &'a Unit,
    pub(super) builder: BodyBuilder,
    pub(super) model: DataModel,
    /// The function's name, for its static objects.
    pub(super) name: String,
    /// The type of its result, and the pointer to it if it is an aggregate.
    pub(super) result: TypeId,
    pub(super) result_pointer: Option<VariableId>,
    /// Where automatic objects live.
    pub(super) locals: HashMap<DeclId, LocalId>,
    /// The objects that jumps can enter the scope of: they live as long as the function.
    pub(super) hoisted: HashSet<DeclId>,
    /// Objects that their declaration fills, so that no read of them can find them unwritten.
    pub(super) filled: HashSet<LocalId>,
    pub(super) scopes: Vec<OpenScope>,
    pub(super) breaks: Vec<JumpTarget>,
    pub(super) continues: Vec<JumpTarget>,
    labels: HashMap<LabelId, BlockId>,
    pub(super) cases: HashMap<CaseId, BlockId>,
    pub(super) defaults: HashMap<StmtId, BlockId>,
    /// Labels whose address is taken, and the blocks that end with a jump to an address.
    pub(super) addressed: Vec<LabelId>,
    pub(super) indirect_jumps: Vec<(BlockId, ExprId)>,
    /// Values that were worked out before, or pointers to those that are aggregates: sizes of variable length arrays, `a`
    /// of GNU's `a ?: b`, and parts of expressions whose order matters.
    pub(super) known: HashMap<rucc_sema::ExprId, VariableId>,
    /// The order in which parts of expressions are evaluated.
    pub(super) orders: super::order::Orders,
    temporaries: u32,
}

impl<'u, 'a> BodyLowering<'u, 'a> {
    /// Lowers the body of a function definition.
    pub(super) fn lower(owner: &'u mut UnitLowering<'a>, decl: DeclId) -> Lowered<Body> {
        let unit = owner.unit;
        let span = unit.tast.decl_span(decl);
        let (Some(body), TypeKind::Function(signature)) =
            (unit.tast[decl].body, unit.kind(unit.tast[decl].ty))
        else {
            return unsupported("a definition without a function type", span);
        };
        let signature = unit.types.signature(signature);
        let mut lowering = BodyLowering {
            unit,
            builder: BodyBuilder::new(),
            model: owner.linker.program.data_model,
            name: unit.tast[decl].name.map_or_else(String::new, |name| unit.names.resolve(name).to_owned()),
            result: signature.ret,
            result_pointer: None,
            locals: HashMap::new(),
            hoisted: hoisted(&unit.tast, body),
            filled: HashSet::new(),
            scopes: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            labels: HashMap::new(),
            cases: HashMap::new(),
            defaults: HashMap::new(),
            addressed: Vec::new(),
            indirect_jumps: Vec::new(),
            known: HashMap::new(),
            orders: super::order::Orders::default(),
            temporaries: 0,
            owner,
        };
        lowering.open_scope(span);
        lowering.parameters(decl, signature.prototyped)?;
        lowering.begin_hoisted();
        lowering.statement(body)?;
        lowering.fall_off_the_end();
        lowering.patch_indirect_jumps();
        Ok(lowering.builder.finish())
    }

    fn parameters(&mut self, decl: DeclId, prototyped: bool) -> Lowered<()> {
        let unit = self.unit;
        if !unit.is_void(self.result) && unit.scalar(self.result).is_none() {
            if !unit.is_aggregate(self.result) {
                return unsupported("a result of this type", unit.tast.decl_span(decl));
            }
            let pointer = self.parameter("result", Type::Pointer);
            self.result_pointer = Some(pointer);
        }
        let mut incoming = Vec::new();
        for &parameter in &unit.tast[unit.tast[decl].params] {
            let (ty, span) = (unit.tast[parameter].ty, unit.tast.decl_span(parameter));
            self.at(span);
            let name = unit.tast[parameter].name.map_or("unnamed", |name| unit.names.resolve(name));
            let scalar = unit.scalar(ty);
            if scalar.is_none() && !unit.is_aggregate(ty) {
                return unsupported("a parameter of this type", span);
            }
            let passed = match scalar {
                Some(scalar) if !prototyped => default_promotion(scalar),
                Some(scalar) => scalar,
                None => Type::Pointer,
            };
            incoming.push((parameter, self.parameter(name, passed), scalar));
        }
        // The lengths in parameter types are worked out in order, before the body.
        for (parameter, variable, scalar) in incoming {
            let span = unit.tast.decl_span(parameter);
            self.at(span);
            let ty = unit.tast[parameter].ty;
            let local = self.declare_local(parameter)?;
            self.filled.insert(local);
            let address = self.builder.body.address(ObjectRef::Local(local));
            let value = self.builder.body.read(variable);
            match scalar {
                Some(scalar) => {
                    let value = self.builder.body.convert(scalar, value);
                    self.builder.push(StatementKind::Store { pointer: address, value });
                }
                None => {
                    let size = self.size_of(ty, span)?;
                    self.builder.push(StatementKind::Copy { destination: address, source: value, size });
                }
            }
            if let Some(written) = unit.tast.adjusted_from(parameter) {
                self.measure(written)?;
            }
            self.measure(ty)?;
        }
        Ok(())
    }

    fn parameter(&mut self, name: &str, ty: Type) -> VariableId {
        let location = self.builder.location;
        let scope = self.scopes.last().map(|scope| scope.id);
        let variable = Variable { name: name.to_owned(), ty, origin: Origin::Parameter, scope, location };
        let id = self.builder.new_variable(variable);
        self.builder.body.parameters.push(id);
        id
    }

    fn fall_off_the_end(&mut self) {
        if self.builder.is_ended() {
            return;
        }
        // C99 gives `main` a zero; elsewhere the caller must not examine the result.
        let value = match self.unit.scalar(self.result) {
            Some(ty) if self.name == "main" => Some(self.builder.body.integer(ty, 0)),
            _ => None,
        };
        self.builder.end(Terminator::Return(value));
    }

    /// Ends every jump to an address with a switch over the labels whose address is taken.
    fn patch_indirect_jumps(&mut self) {
        let jumps = std::mem::take(&mut self.indirect_jumps);
        if jumps.is_empty() {
            return;
        }
        let labels: Vec<LabelId> = self.unit_labels();
        let mut cases: Vec<Case> = Vec::new();
        for label in labels {
            let number = self.owner.label(label);
            let target = self.label(label);
            if cases.iter().all(|case| case.low != number) {
                cases.push(Case { low: number, high: number, target });
            }
        }
        let nowhere = self.builder.new_block();
        for (block, value) in jumps {
            self.builder.switch_to(block);
            self.builder.end(Terminator::Switch { value, cases: cases.clone(), default: nowhere });
        }
        self.builder.switch_to(nowhere);
        let never = self.builder.body.boolean(false);
        self.holds(
            Obligation::Unreachable,
            never,
            Some("a jump to an address that is no label of the function"),
        );
        self.builder.end(Terminator::Unreachable);
    }

    /// All labels that the function has placed: any of them may be in a table that a jump reads.
    fn unit_labels(&self) -> Vec<LabelId> {
        let mut labels: Vec<LabelId> =
            self.labels.keys().copied().chain(self.addressed.iter().copied()).collect();
        labels.sort_by_key(|label| label.raw());
        labels.dedup();
        labels.retain(|&label| self.unit.tast[label].stmt.is_some());
        labels
    }

    /// Statements from here on come from this place.
    pub(super) fn at(&mut self, span: Span) {
        let location = self.owner.location(span);
        if location.is_known() {
            self.builder.location = location;
        }
    }

    /// A new temporary variable.
    pub(super) fn temporary(&mut self, ty: Type) -> VariableId {
        let name = format!("t{}", self.temporaries);
        self.temporaries += 1;
        let location = self.builder.location;
        self.builder.new_variable(Variable { name, ty, origin: Origin::Temporary, scope: None, location })
    }

    /// A value that can be used many times: the expression itself if it is a leaf, else a temporary that holds it.
    pub(super) fn simple(&mut self, value: ExprId) -> ExprId {
        if self.is_leaf(value) {
            return value;
        }
        let variable = self.temporary(self.builder.body.type_of(value));
        self.builder.push(StatementKind::Assign { target: variable, value });
        self.builder.body.read(variable)
    }

    /// The value of an expression, kept as [`BodyLowering::simple`] does.
    pub(super) fn simple_value(&mut self, expression: rucc_sema::ExprId) -> Lowered<ExprId> {
        let value = self.value(expression)?;
        Ok(self.simple(value))
    }

    /// The address of a place, kept as [`BodyLowering::simple`] does.
    pub(super) fn simple_address(&mut self, expression: rucc_sema::ExprId) -> Lowered<ExprId> {
        let pointer = self.place(expression)?.pointer;
        Ok(self.simple(pointer))
    }

    fn is_leaf(&self, value: ExprId) -> bool {
        let body = &self.builder.body;
        match body.expressions[value].kind {
            ExprKind::Variable(_)
            | ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Null
            | ExprKind::Object(_)
            | ExprKind::Function(_) => true,
            ExprKind::Convert(inner) => body.expressions[inner].operands().next().is_none(),
            ExprKind::Offset(base, by) => {
                matches!(body.expressions[base].kind, ExprKind::Object(_)) && body.constant(by).is_some()
            }
            _ => false,
        }
    }

    /// A number of bytes.
    pub(super) fn bytes(&mut self, size: u64) -> ExprId {
        self.builder.body.integer(self.model.size_type(), i128::from(size))
    }

    /// An obligation that a condition holds; nothing is said of what always holds.
    pub(super) fn holds(&mut self, obligation: Obligation, condition: ExprId, note: Option<&str>) {
        if self.builder.body.constant(condition) != Some(1) {
            let note = note.map(Box::from);
            self.builder.push(StatementKind::Check(Check::Holds { obligation, condition, note }));
        }
    }

    /// The obligation to read so many bytes, where the object is not certain to hold them.
    pub(super) fn check_readable(&mut self, pointer: ExprId, size: ExprId) {
        match self.direct(pointer, size) {
            Some(ObjectRef::Local(local)) if !self.filled.contains(&local) => {}
            Some(_) => return,
            None => {}
        }
        self.builder.push(StatementKind::Check(Check::Readable { pointer, size }));
    }

    /// The obligation to write so many bytes, where the object is not certain to hold them.
    pub(super) fn check_writable(&mut self, pointer: ExprId, size: ExprId) {
        if self.direct(pointer, size).is_none() {
            self.builder.push(StatementKind::Check(Check::Writable { pointer, size }));
        }
    }

    /// The obligation that so many bytes are there, where the object is not certain to hold them.
    pub(super) fn check_accessible(&mut self, pointer: ExprId, size: ExprId) {
        if self.direct(pointer, size).is_none() {
            self.builder.push(StatementKind::Check(Check::Accessible { pointer, size }));
        }
    }

    /// The object that a pointer goes to, if it is named, alive where it is named, and holds all the bytes.
    fn direct(&self, pointer: ExprId, size: ExprId) -> Option<ObjectRef> {
        let body = &self.builder.body;
        let (object, offset) = match body.expressions[pointer].kind {
            ExprKind::Object(object) => (object, 0),
            ExprKind::Offset(base, by) => match body.expressions[base].kind {
                ExprKind::Object(object) => (object, body.constant(by)?),
                _ => return None,
            },
            _ => return None,
        };
        let end = offset.checked_add(body.constant(size)?)?;
        let whole = match object {
            ObjectRef::Local(local) => body.locals[local].size?,
            ObjectRef::Global(global) => {
                let object = &self.owner.linker.program.objects[global];
                // What is declared without a size may be of any size.
                if object.size == 0 { return None } else { object.size }
            }
        };
        (0 <= offset && end <= i128::from(whole)).then_some(object)
    }

    /// The block of a label.
    pub(super) fn label(&mut self, label: LabelId) -> BlockId {
        match self.labels.get(&label) {
            Some(&block) => block,
            None => {
                let block = self.builder.new_block();
                self.labels.insert(label, block);
                block
            }
        }
    }
}

impl Unit {
    /// Whether a type is `void`.
    pub(super) fn is_void(&self, ty: TypeId) -> bool {
        matches!(self.kind(ty), TypeKind::Void)
    }
}
