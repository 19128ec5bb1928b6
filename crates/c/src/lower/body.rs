//! One function body while it is lowered: where its names live, its scopes and jumps, and the checks it makes.

use std::collections::{HashMap, HashSet};

use program::{
    BlockId, Body, BodyBuilder, Callee, Case, Check, DataModel, ExprId, ExprKind, FunctionId, LocalId, LocalObject, ObjectRef, Obligation,
    Origin, Scope, ScopeId, StatementKind, Terminator, Type, Variable, VariableId,
};
use rucc_diag::Span;
use rucc_sema::{CaseId, DeclId, LabelId, Stmt, StmtId, StorageDuration, Tast};
use rucc_types::{ArrayLen, TypeId, TypeKind};

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
    name: String,
    /// The type of its result, and the pointer to it if it is an aggregate.
    pub(super) result: TypeId,
    pub(super) result_pointer: Option<VariableId>,
    /// Where automatic objects live.
    pub(super) locals: HashMap<DeclId, LocalId>,
    /// The objects that jumps can enter the scope of: they live as long as the function.
    hoisted: HashSet<DeclId>,
    /// Objects that their declaration fills, so that no read of them can find them unwritten.
    filled: HashSet<LocalId>,
    scopes: Vec<OpenScope>,
    pub(super) breaks: Vec<JumpTarget>,
    pub(super) continues: Vec<JumpTarget>,
    labels: HashMap<LabelId, BlockId>,
    pub(super) cases: HashMap<CaseId, BlockId>,
    pub(super) defaults: HashMap<StmtId, BlockId>,
    /// Labels whose address is taken, and the blocks that end with a jump to an address.
    pub(super) addressed: Vec<LabelId>,
    pub(super) indirect_jumps: Vec<(BlockId, ExprId)>,
    /// Values that were worked out before: sizes of variable length arrays, and `a` of GNU's `a ?: b`.
    pub(super) known: HashMap<rucc_sema::ExprId, VariableId>,
    temporaries: u32,
}

/// A scope that is open where the lowering stands.
struct OpenScope {
    id: ScopeId,
    /// What happens when it is left, in reverse order.
    leaving: Vec<Leaving>,
}

/// Something that happens when a scope is left.
#[derive(Clone, Copy)]
enum Leaving {
    /// The life of an object ends.
    End(LocalId),
    /// The function that the attribute `cleanup` names is called with a pointer to the object.
    Cleanup(LocalId, FunctionId),
}

/// Where `break` or `continue` goes, and how many scopes stay open there.
#[derive(Clone, Copy)]
pub(super) struct JumpTarget {
    pub(super) block: BlockId,
    pub(super) scopes: usize,
}

impl<'u, 'a> BodyLowering<'u, 'a> {
    /// Lowers the body of a function definition.
    pub(super) fn lower(owner: &'u mut UnitLowering<'a>, decl: DeclId) -> Lowered<Body> {
        let unit = owner.unit;
        let span = unit.tast.decl_span(decl);
        let (Some(body), TypeKind::Function(signature)) = (unit.tast[decl].body, unit.kind(unit.tast[decl].ty)) else {
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
        // C99 gives `main` a zero; elsewhere the caller must not look at the result.
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
        self.holds(Obligation::Unreachable, never, Some("a jump to an address that is no label of the function"));
        self.builder.end(Terminator::Unreachable);
    }

    /// All labels that the function has placed: any of them may be in a table that a jump reads.
    fn unit_labels(&self) -> Vec<LabelId> {
        let mut labels: Vec<LabelId> = self.labels.keys().copied().chain(self.addressed.iter().copied()).collect();
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

    /// Opens a scope of the source.
    pub(super) fn open_scope(&mut self, span: Span) {
        self.at(span);
        let scope = Scope { parent: self.scopes.last().map(|scope| scope.id), location: self.builder.location };
        let id = self.builder.body.scopes.push(scope);
        self.scopes.push(OpenScope { id, leaving: Vec::new() });
    }

    /// Closes the innermost scope: its objects end.
    pub(super) fn close_scope(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            self.leave_scope(&scope.leaving);
        }
    }

    /// Closes the innermost scope, but leaves its objects to the one around it.
    pub(super) fn dissolve_scope(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            if let Some(outer) = self.scopes.last_mut() {
                outer.leaving.extend(scope.leaving);
            }
        }
    }

    /// How many scopes are open.
    pub(super) fn open_scopes(&self) -> usize {
        self.scopes.len()
    }

    /// Jumps out of scopes: the objects of those that do not stay open end.
    pub(super) fn jump(&mut self, target: JumpTarget) {
        let left: Vec<Leaving> =
            self.scopes[target.scopes..].iter().flat_map(|scope| scope.leaving.iter().copied()).collect();
        self.leave_scope(&left);
        self.builder.goto(target.block);
    }

    fn leave_scope(&mut self, leaving: &[Leaving]) {
        for &step in leaving.iter().rev() {
            match step {
                Leaving::End(object) => self.builder.push(StatementKind::End { object }),
                Leaving::Cleanup(object, function) => {
                    let arguments = vec![self.builder.body.address(ObjectRef::Local(object))];
                    let callee = Callee::Function(function);
                    self.builder.push(StatementKind::Call { target: None, callee, arguments });
                }
            }
        }
    }

    /// Calls all functions that the attribute `cleanup` names in open scopes: the function is left.
    pub(super) fn clean_up(&mut self) {
        let cleanups: Vec<Leaving> = self
            .scopes
            .iter()
            .flat_map(|scope| scope.leaving.iter().copied())
            .filter(|step| matches!(step, Leaving::Cleanup(..)))
            .collect();
        self.leave_scope(&cleanups);
    }

    /// Whether leaving an open scope calls a function.
    pub(super) fn has_cleanup(&self) -> bool {
        self.scopes.iter().flat_map(|scope| &scope.leaving).any(|step| matches!(step, Leaving::Cleanup(..)))
    }

    /// From here on, leaving the scope of the object calls the function with a pointer to it.
    pub(super) fn add_cleanup(&mut self, object: LocalId, function: DeclId) {
        let function = self.owner.function(function);
        if let Some(scope) = self.scopes.last_mut() {
            scope.leaving.push(Leaving::Cleanup(object, function));
        }
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

    /// Whether the object of a declaration lives as long as the program.
    pub(super) fn is_static(&self, decl: DeclId) -> bool {
        self.unit.tast[decl].duration != StorageDuration::Automatic
    }

    /// A pointer to the object of a declaration.
    pub(super) fn object_address(&mut self, decl: DeclId, span: Span) -> Lowered<ExprId> {
        let object = if self.is_static(decl) {
            let name = self.name.clone();
            let owner = if self.unit.tast[decl].linkage == rucc_sema::Linkage::None { name.as_str() } else { "" };
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
            if !self.hoisted.contains(&decl) {
                self.builder.push(StatementKind::Begin { object: local, size: None });
            }
            return Ok(local);
        }
        self.measure(ty)?;
        let variable = is_variable_length(self.unit, ty);
        let size = match self.unit.size(ty) {
            Some(size) => Some(size.max(self.unit.tast.extent(decl))),
            None if variable => None,
            None => return unsupported("an object of incomplete type", span),
        };
        let dynamic = if variable { Some(self.size_of(ty, span)?) } else { None };
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
    fn begin_hoisted(&mut self) {
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
        let object = self.builder.body.locals.push(LocalObject {
            name: format!("value {}", self.builder.body.locals.len()),
            size: Some(size),
            alignment: self.unit.alignment(ty),
            scope: self.scopes.last().map(|scope| scope.id),
            location: self.builder.location,
            fields: self.unit.fields(ty),
        });
        self.filled.insert(object);
        self.builder.push(StatementKind::Begin { object, size: None });
        if let Some(scope) = self.scopes.last_mut() {
            scope.leaving.push(Leaving::End(object));
        }
        Ok(self.builder.body.address(ObjectRef::Local(object)))
    }

    /// Says that the declaration of an object writes all of it.
    pub(super) fn mark_filled(&mut self, local: LocalId) {
        self.filled.insert(local);
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

impl Unit {
    /// Whether a type is `void`.
    pub(super) fn is_void(&self, ty: TypeId) -> bool {
        matches!(self.kind(ty), TypeKind::Void)
    }
}

/// The declarations that a jump to a label or a case can pass: those before it in a block around it.
fn hoisted(tast: &Tast, body: StmtId) -> HashSet<DeclId> {
    let mut scan = JumpScan { tast, open: Vec::new(), hoisted: HashSet::new() };
    scan.statement(body, 0);
    scan.hoisted
}

struct JumpScan<'t> {
    tast: &'t Tast,
    open: Vec<DeclId>,
    hoisted: HashSet<DeclId>,
}

impl JumpScan<'_> {
    /// Walks a statement; `switch` is how many of the open declarations stand outside the innermost switch.
    fn statement(&mut self, statement: StmtId, switch: usize) {
        match self.tast[statement] {
            Stmt::Block(list) => {
                let outer = self.open.len();
                for &child in &self.tast[list] {
                    self.statement(child, switch);
                }
                self.open.truncate(outer);
            }
            Stmt::Decls(list) => self.open.extend_from_slice(&self.tast[list]),
            Stmt::If { then, otherwise, .. } => {
                self.statement(then, switch);
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise, switch);
                }
            }
            Stmt::While { body, .. } | Stmt::DoWhile { body, .. } => self.statement(body, switch),
            Stmt::For { init, body, .. } => {
                let outer = self.open.len();
                if let Some(init) = init {
                    self.statement(init, switch);
                }
                self.statement(body, switch);
                self.open.truncate(outer);
            }
            Stmt::Switch { body, .. } => self.statement(body, self.open.len()),
            Stmt::Case { body, .. } | Stmt::Default { body } => {
                self.hoisted.extend(self.open.iter().skip(switch));
                self.statement(body, switch);
            }
            Stmt::Label { body, .. } => {
                self.hoisted.extend(self.open.iter());
                self.statement(body, switch);
            }
            _ => {}
        }
    }
}
