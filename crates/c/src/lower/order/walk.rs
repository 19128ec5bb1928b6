//! Walks the typed tree: the effects of whole expressions, and of all functions of a unit.
//!
//! The effects of a function are those of its body, and of the functions that it calls; what it does with its own
//! automatic objects by their names is nobody else's business. Calls are resolved to a fixed point over the call graph, in
//! an order in which callees come first as far as they can.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use rucc_ast::{BinaryOp, UnaryOp};
use rucc_sema::{
    AsmOperandList, Base, Const, Conversion, DeclFlags, DeclId, DeclKind, ExprId, ExprKind, InitList, Stmt,
    StmtId, StorageDuration,
};
use rucc_types::{ArrayLen, TypeId, TypeKind};

use super::effects::{Accesses, Effects, Flags, Location, Names};
use super::fails;
use super::library;
use crate::frontend::Unit;
use crate::lower::recognise::means_an_error;

/// The effects of all functions of a unit.
pub(in crate::lower) struct UnitEffects<'a> {
    pub(super) names: Names<'a>,
    functions: HashMap<DeclId, Rc<Effects>>,
}

/// The effects of a function's body without those of the functions of the unit that it calls.
#[derive(Default)]
struct Summary {
    effects: Effects,
    calls: BTreeSet<DeclId>,
    /// Whether there are declarations in it: lowered twice, they would be two.
    declares: bool,
}

impl<'a> UnitEffects<'a> {
    pub(in crate::lower) fn new(unit: &'a Unit) -> Self {
        let mut names = Names::new(unit);
        let mut summaries: HashMap<DeclId, Summary> = HashMap::new();
        let mut order = Vec::new();
        // Declarations at file scope first: those in functions stand for the same objects.
        for &decl in unit.tast.top_level() {
            names.enter(decl);
        }
        for &decl in unit.tast.top_level() {
            let entered = names.enter(decl);
            let mut walk = Walk { names: &mut names, summary: Summary::default() };
            match unit.tast[decl].body {
                Some(body) => {
                    if unit.tast[entered].name.is_some_and(|name| means_an_error(unit.names.resolve(name))) {
                        walk.flag(Flags::ERROR);
                    }
                    walk.statement(body);
                    walk.parameters(decl);
                    walk.drop_automatic();
                    let summary = walk.summary;
                    summaries.insert(entered, summary);
                    order.push(entered);
                }
                // What initialises objects at file scope takes addresses.
                None => walk.declaration(decl),
            }
        }
        let closed = close(&order, &mut summaries);
        let functions = closed.into_iter().map(|(decl, effects)| (decl, Rc::new(effects))).collect();
        Self { names, functions }
    }

    /// What a call of an expression may do.
    pub(super) fn call(&self, callee: ExprId) -> Rc<Effects> {
        match called(self.names.unit, callee) {
            Some(decl) => match self.functions.get(&self.names.one(decl)) {
                Some(effects) => Rc::clone(effects),
                None => undefined(self.names.unit, decl).into(),
            },
            None => library::anything().into(),
        }
    }

    /// What evaluating a whole expression may do.
    pub(super) fn expression(&self, expression: ExprId) -> Effects {
        let Summary { mut effects, calls, .. } = self.summary(expression);
        self.rename(&mut effects);
        for decl in calls {
            if let Some(callee) = self.functions.get(&self.names.one(decl)) {
                effects.join(callee);
            } else {
                effects.join(&library::anything());
            }
        }
        effects
    }

    /// Whether an expression can be lowered several times.
    pub(super) fn can_repeat(&self, expression: ExprId) -> bool {
        !self.summary(expression).declares
    }

    fn summary(&self, expression: ExprId) -> Summary {
        let mut names = Names::new(self.names.unit);
        let mut walk = Walk { names: &mut names, summary: Summary::default() };
        walk.value(expression);
        walk.summary
    }

    /// Names objects by the declarations that stand for them.
    fn rename(&self, effects: &mut Effects) {
        for objects in [&mut effects.direct.reads, &mut effects.direct.writes] {
            objects.named = objects.named.iter().map(|&decl| self.names.one(decl)).collect();
        }
    }
}

/// The effects of all functions, with those that they call.
fn close(order: &[DeclId], summaries: &mut HashMap<DeclId, Summary>) -> HashMap<DeclId, Effects> {
    let order = callees_first(order, summaries);
    let mut closed: HashMap<DeclId, Effects> =
        summaries.iter().map(|(&decl, summary)| (decl, summary.effects.clone())).collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for decl in &order {
            let mut effects = closed.remove(decl).unwrap_or_default();
            for callee in &summaries[decl].calls {
                if let Some(callee) = closed.get(callee) {
                    changed |= effects.join(callee);
                }
            }
            closed.insert(*decl, effects);
        }
    }
    closed
}

/// The functions, callees first. Of functions that call each other in a circle, one is marked: it may go on for ever.
fn callees_first(roots: &[DeclId], summaries: &mut HashMap<DeclId, Summary>) -> Vec<DeclId> {
    let (mut order, mut seen, mut open) = (Vec::new(), HashSet::new(), HashSet::new());
    let mut circular = BTreeSet::new();
    for &root in roots {
        let mut stack = vec![(root, false)];
        while let Some((decl, done)) = stack.pop() {
            if done {
                open.remove(&decl);
                order.push(decl);
            } else if seen.insert(decl) {
                open.insert(decl);
                stack.push((decl, true));
                for &callee in summaries[&decl].calls.iter().filter(|callee| summaries.contains_key(callee)) {
                    if open.contains(&callee) {
                        circular.insert(callee);
                    }
                    stack.push((callee, false));
                }
            }
        }
    }
    for decl in circular {
        if let Some(summary) = summaries.get_mut(&decl) {
            summary.effects.flags = summary.effects.flags.with(Flags::LOOPS);
        }
    }
    order
}

/// The function that an expression names.
fn called(unit: &Unit, callee: ExprId) -> Option<DeclId> {
    let mut expression = callee;
    loop {
        match unit.tast[expression].kind {
            ExprKind::Convert { kind: Conversion::FunctionDecay | Conversion::Pointer, operand } => {
                expression = operand;
            }
            ExprKind::Decl(decl) if unit.tast[decl].kind == DeclKind::Function => return Some(decl),
            _ => return None,
        }
    }
}

/// The effects of a function that the unit does not define.
fn undefined(unit: &Unit, decl: DeclId) -> Effects {
    let declared = &unit.tast[decl];
    let Some(name) = declared.name.map(|name| unit.names.resolve(name)) else { return library::anything() };
    let name = rucc_sema::library_name(name).unwrap_or(name);
    let takes_pointers = match unit.kind(declared.ty) {
        TypeKind::Function(signature) => {
            let parameters = &unit.types.signature(signature).params;
            parameters.iter().any(|&ty| matches!(unit.kind(ty), TypeKind::Pointer(_)))
        }
        _ => true,
    };
    let mut effects = library::effects_of(name, takes_pointers, declared.effects);
    if declared.flags.contains(DeclFlags::NORETURN) {
        effects.flags = effects.flags.with(Flags::ENDS);
    }
    effects
}

/// A walk over a part of the tree that gathers its effects.
struct Walk<'w, 'a> {
    names: &'w mut Names<'a>,
    summary: Summary,
}

impl Walk<'_, '_> {
    fn read(&mut self, location: Location) {
        self.summary.effects.direct.reads.add(location);
    }

    fn write(&mut self, location: Location) {
        self.summary.effects.direct.writes.add(location);
    }

    fn location(&mut self, lvalue: ExprId) -> Location {
        match self.names.location(lvalue) {
            Location::Named(decl) => Location::Named(self.names.enter(decl)),
            other => other,
        }
    }

    fn anything(&mut self) {
        self.summary.effects.join(&library::anything());
    }

    /// Forgets what the function does to its own automatic objects by name: others cannot see it.
    fn drop_automatic(&mut self) {
        let unit = self.names.unit;
        let Effects { direct, called, .. } = &mut self.summary.effects;
        for objects in [&mut direct.reads, &mut direct.writes] {
            objects.named.retain(|&decl| unit.tast[decl].duration != StorageDuration::Automatic);
        }
        // Seen from outside, all of it happens in a call.
        called.join(direct);
        *direct = Accesses::default();
    }

    fn parameters(&mut self, decl: DeclId) {
        let unit = self.names.unit;
        for &parameter in &unit.tast[unit.tast[decl].params] {
            self.lengths(unit.tast[parameter].ty);
        }
    }

    fn statement(&mut self, statement: StmtId) {
        let unit = self.names.unit;
        match unit.tast[statement] {
            Stmt::Error | Stmt::Empty | Stmt::Break | Stmt::Continue => {}
            Stmt::Expr(value) => self.value(value),
            Stmt::Block(list) => unit.tast[list].iter().for_each(|&child| self.statement(child)),
            Stmt::Decls(list) => unit.tast[list].iter().for_each(|&decl| self.declaration(decl)),
            Stmt::If { cond, then, otherwise } => {
                self.value(cond);
                self.statement(then);
                otherwise.into_iter().for_each(|otherwise| self.statement(otherwise));
            }
            Stmt::While { cond, body } | Stmt::DoWhile { body, cond } => {
                self.repeats();
                self.value(cond);
                self.statement(body);
            }
            Stmt::For { init, cond, step, body } => {
                self.repeats();
                init.into_iter().for_each(|init| self.statement(init));
                cond.into_iter().chain(step).for_each(|value| self.value(value));
                self.statement(body);
            }
            Stmt::Switch { cond, body, .. } => {
                self.value(cond);
                self.statement(body);
            }
            Stmt::Case { body, .. } | Stmt::Default { body } | Stmt::Label { body, .. } => {
                self.statement(body);
            }
            Stmt::Goto(_) => self.repeats(),
            Stmt::IndirectGoto(target) => {
                self.repeats();
                self.value(target);
            }
            Stmt::Asm(asm) => {
                let asm = unit.tast[asm];
                self.anything();
                self.operands_of_assembler(asm.outputs);
                self.operands_of_assembler(asm.inputs);
            }
            Stmt::Return(value) => value.into_iter().for_each(|value| self.value(value)),
        }
    }

    fn repeats(&mut self) {
        self.flag(Flags::LOOPS);
    }

    /// Assembler may keep the addresses of its operands.
    fn operands_of_assembler(&mut self, operands: AsmOperandList) {
        let unit = self.names.unit;
        for operand in &unit.tast[operands] {
            let location = self.location(operand.value);
            self.take(location);
            self.write(location);
            self.value(operand.value);
        }
    }

    fn declaration(&mut self, decl: DeclId) {
        self.summary.declares = true;
        let unit = self.names.unit;
        let declared = &unit.tast[decl];
        self.lengths(declared.ty);
        if let Some(init) = declared.init {
            self.entries(init);
            if declared.duration == StorageDuration::Automatic {
                self.write(Location::Named(decl));
            }
        }
        if let Some(function) = declared.cleanup {
            self.names.taken.insert(decl);
            self.call(Some(function));
        }
    }

    fn entries(&mut self, init: InitList) {
        let unit = self.names.unit;
        unit.tast[init].iter().for_each(|entry| self.value(entry.value));
    }

    /// The lengths of variable length arrays in a type.
    fn lengths(&mut self, ty: TypeId) {
        let unit = self.names.unit;
        match unit.kind(ty) {
            TypeKind::Array { elem, len } => {
                if let ArrayLen::Variable(length) = len {
                    self.value(unit.tast.vla_size(length));
                }
                self.lengths(elem);
            }
            TypeKind::Pointer(pointee) if crate::lower::object::is_variable_length(unit, pointee) => {
                self.lengths(pointee);
            }
            _ => {}
        }
    }

    fn take(&mut self, location: Location) {
        if let Location::Named(decl) = location {
            self.names.taken.insert(decl);
        }
    }

    fn call(&mut self, function: Option<DeclId>) {
        let Some(decl) = function else { return self.anything() };
        let decl = self.names.enter(decl);
        let unit = self.names.unit;
        // Another declaration of the name may have the body: the fixed point knows only those with one.
        if unit.tast[decl].body.is_some() {
            self.summary.calls.insert(decl);
        } else {
            self.summary.effects.join(&undefined(unit, decl));
        }
    }

    fn flag(&mut self, flag: Flags) {
        let flags = &mut self.summary.effects.flags;
        *flags = flags.with(flag);
    }

    /// An access to an lvalue may go wrong.
    fn access(&mut self, lvalue: ExprId) -> Location {
        if fails::access_may_fail(self.names, lvalue) {
            self.flag(Flags::FAILS);
        }
        self.location(lvalue)
    }

    /// An expression whose value is taken, or that is evaluated for its effects.
    fn value(&mut self, expression: ExprId) {
        let unit = self.names.unit;
        if fails::may_fail(unit, expression) {
            self.flag(Flags::FAILS);
        }
        match unit.tast[expression].kind {
            ExprKind::Convert { kind: Conversion::Lvalue, operand } => self.read_place(operand),
            ExprKind::Decl(_)
            | ExprKind::Member { .. }
            | ExprKind::Subscript { .. }
            | ExprKind::Unary { op: UnaryOp::Deref, .. } => self.read_place(expression),
            ExprKind::Unary { op: UnaryOp::AddrOf, operand }
            | ExprKind::Convert { kind: Conversion::ArrayDecay, operand } => {
                let location = self.location(operand);
                self.take(location);
                self.place(operand);
            }
            ExprKind::Convert { kind: Conversion::FunctionDecay, operand } => self.place(operand),
            ExprKind::Const(constant) => {
                if let Const::Address(address) = unit.tast[constant]
                    && let Base::Decl(decl) = address.base
                {
                    let decl = self.names.enter(decl);
                    self.names.taken.insert(decl);
                }
            }
            ExprKind::Unary {
                op: UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec,
                operand,
            } => {
                let location = self.access(operand);
                self.read(location);
                self.write(location);
                self.place(operand);
            }
            ExprKind::Assign { op, lhs, rhs, .. } => {
                let location = self.access(lhs);
                self.write(location);
                if op.is_some() {
                    self.read(location);
                }
                self.place(lhs);
                self.value(rhs);
            }
            ExprKind::Call { callee, args } => {
                let function = called(unit, callee);
                if function.is_none() {
                    self.value(callee);
                }
                unit.tast[args].iter().for_each(|&argument| self.value(argument));
                self.call(function);
            }
            ExprKind::VaArg { list } | ExprKind::VaStart { list } | ExprKind::VaEnd { list } => {
                self.argument_list(list);
            }
            ExprKind::VaCopy { dst, src } => {
                self.argument_list(dst);
                self.argument_list(src);
            }
            ExprKind::CompoundLiteral(decl) => self.declaration(decl),
            ExprKind::StmtExpr(body) => {
                self.summary.declares = true;
                self.statement(body);
            }
            kind => {
                self.summary.effects.join(&builtin(kind));
                operands(unit, kind).into_iter().for_each(|operand| self.value(operand));
            }
        }
    }

    /// A variable argument list that is stepped: often one with a name.
    fn argument_list(&mut self, list: ExprId) {
        let location = self.names.pointee(list);
        self.read(location);
        self.write(location);
        self.pointer(list);
    }

    /// An lvalue of which only the place is worked out.
    fn place(&mut self, expression: ExprId) {
        let unit = self.names.unit;
        match unit.tast[expression].kind {
            ExprKind::Decl(_) | ExprKind::Str(_) => {}
            ExprKind::Member { base, .. } => self.place(base),
            ExprKind::Convert { kind: Conversion::Lvalue, operand } => self.read_place(operand),
            ExprKind::Subscript { base, index } => {
                self.pointer(base);
                self.value(index);
            }
            ExprKind::Unary { op: UnaryOp::Deref, operand } => self.pointer(operand),
            _ => self.value(expression),
        }
    }

    fn read_place(&mut self, operand: ExprId) {
        let location = self.access(operand);
        self.read(location);
        self.place(operand);
    }

    /// A pointer that is followed at once: an array that decays for that gives its address to nobody.
    fn pointer(&mut self, pointer: ExprId) {
        let unit = self.names.unit;
        match unit.tast[pointer].kind {
            ExprKind::Convert { kind: Conversion::ArrayDecay, operand }
            | ExprKind::Unary { op: UnaryOp::AddrOf, operand } => self.place(operand),
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs } => {
                self.pointer(lhs);
                self.pointer(rhs);
            }
            _ => self.value(pointer),
        }
    }
}

/// What a builtin does besides evaluating its operands.
pub(super) fn builtin(kind: ExprKind) -> Effects {
    let called = match kind {
        ExprKind::VaArg { .. }
        | ExprKind::VaStart { .. }
        | ExprKind::VaEnd { .. }
        | ExprKind::VaCopy { .. }
        | ExprKind::Overflow { stores: true, .. }
        | ExprKind::Atomic { .. } => Accesses::memory(true, true),
        ExprKind::Trap | ExprKind::Unreachable => {
            return Effects { flags: Flags::ENDS, ..Effects::default() };
        }
        ExprKind::Jump { .. }
        | ExprKind::XState { .. }
        | ExprKind::Apply { .. }
        | ExprKind::Eflags { .. }
        | ExprKind::TimeStamp { .. }
        | ExprKind::Error => return library::anything(),
        _ => Accesses::default(),
    };
    Effects { called, ..Effects::default() }
}

/// The operands of an operator or builtin whose values it takes, in the order of the source.
pub(super) fn operands(unit: &Unit, kind: ExprKind) -> Vec<ExprId> {
    match kind {
        ExprKind::Subscript { base: lhs, index: rhs }
        | ExprKind::Binary { lhs, rhs, .. }
        | ExprKind::Comma { lhs, rhs }
        | ExprKind::VaCopy { dst: lhs, src: rhs }
        | ExprKind::Complex { real: lhs, imag: rhs }
        | ExprKind::Expect { value: lhs, hint: rhs, .. }
        | ExprKind::XState { address: lhs, mask: rhs, .. }
        | ExprKind::Apply { function: lhs, args: rhs, .. } => vec![lhs, rhs],
        ExprKind::Classify { lhs, rhs, .. }
        | ExprKind::Sign { lhs, rhs, .. }
        | ExprKind::Elementwise { lhs, rhs, .. } => [Some(lhs), rhs].into_iter().flatten().collect(),
        ExprKind::Shuffle { lhs, rhs, mask } => [Some(lhs), rhs, Some(mask)].into_iter().flatten().collect(),
        ExprKind::Cond { cond, then, otherwise } => vec![cond, then, otherwise],
        ExprKind::Cast(operand)
        | ExprKind::Convert { operand, .. }
        | ExprKind::Unary { operand, .. }
        | ExprKind::ConvertVector { operand }
        | ExprKind::Abs { operand }
        | ExprKind::ByteSwap { operand }
        | ExprKind::BitCount { operand, .. }
        | ExprKind::VaArg { list: operand }
        | ExprKind::VaStart { list: operand }
        | ExprKind::VaEnd { list: operand }
        | ExprKind::Prefetch { address: operand, .. }
        | ExprKind::ObjectSize { address: operand, .. }
        | ExprKind::ConstantP { value: operand }
        | ExprKind::Alloca { size: operand }
        | ExprKind::Jump { buffer: operand, .. } => vec![operand],
        ExprKind::TimeStamp { aux: operand } | ExprKind::Eflags { value: operand } => {
            operand.into_iter().collect()
        }
        ExprKind::FpClassify { value, answers } => {
            std::iter::once(value).chain(unit.tast[answers].iter().copied()).collect()
        }
        ExprKind::ShuffleVector { operands } => unit.tast[operands].to_vec(),
        ExprKind::Overflow { args, .. } | ExprKind::Atomic { args, .. } => unit.tast[args].to_vec(),
        ExprKind::Call { .. }
        | ExprKind::Assign { .. }
        | ExprKind::Member { .. }
        | ExprKind::Error
        | ExprKind::Const(_)
        | ExprKind::Str(_)
        | ExprKind::Decl(_)
        | ExprKind::CompoundLiteral(_)
        | ExprKind::StmtExpr(_)
        | ExprKind::LabelAddr(_)
        | ExprKind::Unreachable
        | ExprKind::Trap
        | ExprKind::FrameAddress { .. }
        | ExprKind::ThreadPointer
        | ExprKind::SpEntry
        | ExprKind::CpuModel { .. }
        | ExprKind::ApplyArgs => Vec::new(),
    }
}
