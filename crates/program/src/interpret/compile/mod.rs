//! Compiles a body into operations on registers: see [`super::code`].
//!
//! Statements are compiled one by one. The expressions of a statement are computed in the order of the arena, so
//! an operand that is shared is computed once and no depth of nesting is a problem.

mod expressions;
mod trace;

use std::collections::HashMap;

use base::Index;

use super::code::{CallSite, CallTarget, Code, Op, Origin, Register, SwitchTable, TracePoint};
use super::definite;
use super::memory::{AS_ANYTHING, written_as};
use super::value::{Handle, IntegerForm, Slot};
use crate::expression::{ExprId, ExprKind, ObjectRef, UnaryOp, VariableId};
use crate::function::{Block, Body};
use crate::program::{FunctionId, ObjectId, Program};
use crate::statement::{Callee, Check, Obligation, StatementKind, Terminator, VariadicOp};
use crate::types::{FloatFormat, Type};

/// The handle of a global object: global objects come first in memory.
pub(super) fn object_handle(object: ObjectId) -> Handle {
    Handle::new(1 + object.index(), 0)
}

/// The handle of a function: functions come after the global objects.
pub(super) fn function_handle(program: &Program, function: FunctionId) -> Handle {
    Handle::new(1 + program.objects.len() + function.index(), 0)
}

/// How to compile.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompileOptions {
    pub form: IntegerForm,
    /// Whether to mark the heads of loops.
    pub mark_heads: bool,
    /// Whether to mark the entry, too, if the function may call itself.
    pub mark_entry: bool,
    /// Whether uninitialised variables get their values at loop heads already, for somebody who looks on.
    pub early_inputs: bool,
    /// Whether to note what happens.
    pub trace: bool,
    /// Whether failed assertions and reached errors matter: if not, the program itself sees to what follows.
    pub assertions: bool,
    pub errors: bool,
}

/// Compiles the body of a function.
pub(super) fn compile(program: &Program, function: FunctionId, body: &Body, options: CompileOptions) -> Code {
    let mut compiler = Compiler::new(program, function, body, options);
    let mut heads = if options.mark_heads { loop_heads(body) } else { vec![false; body.blocks.len()] };
    heads[body.entry().index()] |= options.mark_entry && program.may_call(function, function);
    let points = options.trace.then(|| trace::loop_points(body, &loop_heads(body)));
    let mut starts = Vec::with_capacity(body.blocks.len());
    for (id, block) in body.blocks.iter() {
        starts.push(compiler.code.ops.len() as u32);
        compiler.origin = Origin { block: id.index() as u32, statement: 0 };
        if heads[id.index()] {
            if options.early_inputs {
                compiler.ask_for_all();
            }
            compiler.emit(Op::Head);
        }
        if id == body.entry() {
            compiler.trace(TracePoint::Enter);
        }
        points.iter().for_each(|points| points[id].iter().for_each(|&point| compiler.trace(point)));
        compiler.block(block);
    }
    compiler.resolve_targets(&starts);
    compiler.code.frame_size = compiler.most_scratch as usize;
    compiler.code
}

/// The blocks that an edge leads back to.
fn loop_heads(body: &Body) -> Vec<bool> {
    let order = body.reverse_post_order();
    let mut position = vec![0; body.blocks.len()];
    order.iter().enumerate().for_each(|(number, block)| position[block.index()] = number);
    let mut heads = vec![false; body.blocks.len()];
    for &block in &order {
        for successor in body.blocks[block].terminator.successors() {
            heads[successor.index()] |= position[successor.index()] <= position[block.index()];
        }
    }
    heads
}

struct Compiler<'a> {
    program: &'a Program,
    body: &'a Body,
    options: CompileOptions,
    code: Code,
    origin: Origin,
    /// The register of each constant.
    constants: HashMap<u128, Register>,
    /// For each expression the statement for which it was last computed, and where it is.
    computed: Vec<(u32, Register)>,
    statement: u32,
    next_scratch: Register,
    most_scratch: Register,
    nodes: Vec<ExprId>,
    stack: Vec<ExprId>,
}

impl<'a> Compiler<'a> {
    fn new(program: &'a Program, function: FunctionId, body: &'a Body, options: CompileOptions) -> Self {
        let code = Code {
            function,
            ops: Vec::new(),
            origins: Vec::new(),
            constants: Vec::new(),
            first_variable: 0,
            flags: Vec::new(),
            first_scratch: 0,
            frame_size: 0,
            general: Vec::new(),
            calls: Vec::new(),
            switches: Vec::new(),
            points: Vec::new(),
        };
        let mut compiler = Self {
            program,
            body,
            options,
            code,
            origin: Origin { block: 0, statement: 0 },
            constants: HashMap::new(),
            computed: vec![(0, 0); body.expressions.len()],
            statement: 0,
            next_scratch: 0,
            most_scratch: 0,
            nodes: Vec::new(),
            stack: Vec::new(),
        };
        compiler.lay_out_frame();
        compiler
    }

    fn lay_out_frame(&mut self) {
        self.intern(Slot::NULL);
        self.intern(Slot::small(u64::MAX));
        for id in self.body.expressions.ids() {
            if let Some(slot) = self.constant_slot(id) {
                self.intern(slot);
            }
        }
        let mut next = self.code.constants.len() as Register;
        self.code.first_variable = next;
        next += self.body.variables.len() as Register;
        for needed in definite::maybe_unassigned(self.body) {
            self.code.flags.push(needed.then_some(next));
            next += Register::from(needed);
        }
        self.code.first_scratch = next;
        (self.next_scratch, self.most_scratch) = (next, next);
    }

    /// Asks for the values of all variables that may be read before they are assigned, if they are not.
    fn ask_for_all(&mut self) {
        for (variable, flag) in self.code.flags.clone().into_iter().enumerate() {
            if let Some(flag) = flag {
                self.emit(Op::Ensure { variable: variable as u32, flag });
            }
        }
    }

    fn intern(&mut self, slot: Slot) -> Register {
        let constants = &mut self.code.constants;
        *self.constants.entry(slot.bits()).or_insert_with(|| {
            constants.push(slot);
            constants.len() as Register - 1
        })
    }

    fn constant_slot(&self, id: ExprId) -> Option<Slot> {
        let expr = &self.body.expressions[id];
        Some(match expr.kind {
            ExprKind::Integer(value) => match expr.ty {
                Type::Integer(ty) => self.options.form.write(ty, value),
                _ => Slot::truth(value != 0),
            },
            ExprKind::Float(bits) => Slot::wide(bits),
            ExprKind::Null => Slot::NULL,
            ExprKind::Object(ObjectRef::Global(object)) => Slot::pointer(object_handle(object), 0),
            ExprKind::Function(function) => Slot::pointer(function_handle(self.program, function), 0),
            _ => return None,
        })
    }

    fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.origins.push(self.origin);
    }

    fn scratch(&mut self) -> Register {
        let register = self.next_scratch;
        self.next_scratch += 1;
        self.most_scratch = self.most_scratch.max(self.next_scratch);
        register
    }

    fn start_statement(&mut self, number: usize) {
        self.origin.statement = number as u32;
        self.statement += 1;
        self.next_scratch = self.code.first_scratch;
    }

    fn variable(&self, variable: VariableId) -> Register {
        self.code.first_variable + variable.index() as Register
    }

    fn block(&mut self, block: &Block) {
        let first = self.code.ops.len();
        for (number, statement) in block.statements.iter().enumerate() {
            self.start_statement(number);
            self.statement(&statement.kind);
        }
        self.start_statement(block.statements.len());
        // A call is a step of its own, so that calls without end take steps without end.
        let calls = &self.code.ops[first..];
        let calls = calls.iter().filter(|op| matches!(op, Op::Call { .. })).count();
        let mut steps = (block.statements.len() + 1).saturating_sub(calls);
        if steps > usize::from(u16::MAX) {
            self.emit(Op::Steps { count: (steps - 1) as u32 });
            steps = 1;
        }
        self.terminator(&block.terminator, steps as u16);
    }

    /// Blocks stand in for the places of their first operations until all are known.
    fn resolve_targets(&mut self, starts: &[u32]) {
        let place = |target: &mut u32| *target = starts[*target as usize];
        for op in &mut self.code.ops {
            match op {
                Op::Goto { target, .. } => place(target),
                Op::Branch { then, otherwise, .. } => {
                    place(then);
                    place(otherwise);
                }
                _ => {}
            }
        }
        for table in &mut self.code.switches {
            table.cases.iter_mut().for_each(|(_, _, target)| place(target));
            place(&mut table.default);
        }
    }
}

/// Statements.
impl Compiler<'_> {
    /// Where a statement puts the new value of a variable; [`Compiler::assigned`] follows.
    fn target(&mut self, variable: VariableId) -> Register {
        if variable.is_global() { self.scratch() } else { self.variable(variable) }
    }

    fn assigned(&mut self, variable: VariableId, register: Register) {
        if variable.is_global() {
            self.emit(Op::SetGlobal { global: variable.index() as u32, from: register });
        } else if let Some(flag) = self.code.flags[variable.index()] {
            self.emit(Op::Mark { flag });
        }
        self.trace_assignment(variable, register);
    }

    fn type_of(&self, variable: VariableId) -> Type {
        self.program.variable(self.body, variable).ty
    }

    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Assign { target, value } | StatementKind::Volatile { target, value } => {
                let to = self.target(*target);
                self.value_into(*value, to);
                let is_kept =
                    self.program.variable(self.body, *target).origin != crate::function::Origin::Temporary;
                if is_kept && matches!(self.body.expressions[*value].kind, ExprKind::Offset(..)) {
                    self.emit(Op::Moved { pointer: to });
                }
                self.assigned(*target, to);
            }
            StatementKind::Load { target, pointer, overlaid } => {
                let pointer = self.value(*pointer);
                let to = self.target(*target);
                let op = self.load(self.type_of(*target), *overlaid, to, pointer);
                self.emit(op);
                self.assigned(*target, to);
            }
            StatementKind::Store { pointer, value } => {
                let ty = self.body.type_of(*value);
                let (through, fixed) = self.reached_through(*pointer);
                let (pointer, value) = (self.value(*pointer), self.value(*value));
                let op = self.store(ty, pointer, value);
                self.emit(op);
                self.trace(TracePoint::Store { pointer, through, fixed, value, ty });
            }
            StatementKind::Copy { destination, source, size } => {
                let (destination, source) = (self.value(*destination), self.value(*source));
                let size = self.value(*size);
                self.emit(Op::Copy { destination, source, size });
                self.trace(TracePoint::Copy { destination, source, size });
            }
            StatementKind::Fill { destination, byte, size } => {
                let (destination, byte) = (self.value(*destination), self.value(*byte));
                let size = self.value(*size);
                self.emit(Op::Fill { destination, byte, size });
                self.trace(TracePoint::Fill { destination, byte, size });
            }
            StatementKind::Begin { object, size } => {
                let size = size.map(|size| self.value(size));
                self.emit(Op::Begin { local: object.index() as u32, size });
            }
            StatementKind::Forget { object } => self.emit(Op::Forget { local: object.index() as u32 }),
            StatementKind::End { object } => self.emit(Op::End { local: object.index() as u32 }),
            StatementKind::Allocate { target, size } => {
                let size = self.value(*size);
                let to = self.target(*target);
                self.emit(Op::Allocate { to, size });
                self.assigned(*target, to);
            }
            StatementKind::Call { target, callee, arguments } => self.call(*target, *callee, arguments),
            StatementKind::Variadic { operation, list } => self.variadic(*operation, *list),
            StatementKind::Input { target, .. } => {
                let to = self.target(*target);
                let ty = self.type_of(*target);
                self.emit(Op::Input { to, ty });
                self.assigned(*target, to);
            }
            StatementKind::Assume { condition } => {
                let condition = self.value(*condition);
                self.emit(Op::Assume { condition });
            }
            StatementKind::Check(check) => self.check(check),
            StatementKind::Unknown { target, .. } => {
                let to = target.map(|target| self.target(target));
                self.emit(Op::Unknown { to });
                if let (Some(target), Some(to)) = (target, to) {
                    self.assigned(*target, to);
                }
            }
            StatementKind::Mark(mark) => self.emit(Op::Iteration { mark: mark.index() as u32 }),
        }
    }

    fn load(&self, ty: Type, overlaid: bool, to: Register, pointer: Register) -> Op {
        let kind = if overlaid { AS_ANYTHING } else { written_as(ty) };
        match ty {
            Type::Integer(integer)
                if self.options.form.is_small(integer) && matches!(integer.width, 8 | 16 | 32 | 64) =>
            {
                let bytes = integer.width / 8;
                if integer.signed {
                    Op::LoadS { bytes, kind, to, pointer }
                } else {
                    Op::LoadU { bytes, kind, to, pointer }
                }
            }
            Type::Float(FloatFormat::Double) => Op::LoadU { bytes: 8, kind, to, pointer },
            Type::Float(FloatFormat::Single) => Op::LoadU { bytes: 4, kind, to, pointer },
            _ => Op::LoadGeneral { kind, to, pointer, ty },
        }
    }

    fn store(&self, ty: Type, pointer: Register, value: Register) -> Op {
        let kind = written_as(ty);
        match ty {
            Type::Integer(integer)
                if self.options.form.is_small(integer) && matches!(integer.width, 8 | 16 | 32 | 64) =>
            {
                Op::Store { bytes: integer.width / 8, kind, pointer, value }
            }
            Type::Float(FloatFormat::Double) => Op::Store { bytes: 8, kind, pointer, value },
            Type::Float(FloatFormat::Single) => Op::Store { bytes: 4, kind, pointer, value },
            _ => Op::StoreGeneral { pointer, value, ty },
        }
    }

    fn call(&mut self, target: Option<VariableId>, callee: Callee, arguments: &[ExprId]) {
        let callee = match callee {
            Callee::Function(function) => CallTarget::Function(function),
            Callee::Pointer(pointer) => CallTarget::Pointer(self.value(pointer)),
        };
        let arguments =
            arguments.iter().map(|&argument| (self.body.type_of(argument), self.value(argument))).collect();
        let to = target.map(|target| (self.type_of(target), self.target(target)));
        self.code.calls.push(CallSite { callee, arguments, target: to });
        let site = self.code.calls.len() as u32 - 1;
        self.trace(TracePoint::Call { site });
        self.emit(Op::Call { site });
        if let (Some(target), Some((_, to))) = (target, to) {
            self.assigned(target, to);
        }
    }

    fn variadic(&mut self, operation: VariadicOp, list: ExprId) {
        let list = self.value(list);
        match operation {
            VariadicOp::Start => self.emit(Op::VariadicStart { list }),
            VariadicOp::Next(target) => {
                let to = self.target(target);
                let ty = self.type_of(target);
                self.emit(Op::VariadicNext { to, list, ty });
                self.assigned(target, to);
            }
            VariadicOp::CopyFrom(source) => {
                let source = self.value(source);
                self.emit(Op::VariadicCopy { list, source });
            }
            VariadicOp::End => self.emit(Op::VariadicEnd { list }),
        }
    }

    fn check(&mut self, check: &Check) {
        match check {
            Check::Holds { obligation, condition, .. } => {
                let matters = match obligation {
                    Obligation::Assertion => self.options.assertions,
                    Obligation::ReachError => self.options.errors,
                    _ => true,
                };
                if matters {
                    let (condition, expected) = self.without_negation(*condition);
                    let condition = self.value(condition);
                    self.emit(Op::CheckHolds { expected, condition });
                }
            }
            Check::Readable { pointer, size } => {
                let (pointer, size) = (self.value(*pointer), self.value(*size));
                self.emit(Op::CheckReadable { pointer, size });
            }
            Check::Writable { pointer, size } => {
                let (pointer, size) = (self.value(*pointer), self.value(*size));
                self.emit(Op::CheckWritable { pointer, size });
            }
            Check::Accessible { pointer, size } => {
                let (pointer, size) = (self.value(*pointer), self.value(*size));
                self.emit(Op::CheckAccessible { pointer, size });
            }
            Check::Defined { variable } => {
                if !variable.is_global()
                    && let Some(flag) = self.code.flags[variable.index()]
                {
                    self.emit(Op::CheckDefined { variable: variable.index() as u32, flag });
                }
            }
            Check::Terminated { pointer } => {
                let pointer = self.value(*pointer);
                self.emit(Op::CheckTerminated { pointer });
            }
            Check::Freeable { pointer } => {
                let pointer = self.value(*pointer);
                self.emit(Op::CheckFreeable { pointer });
            }
        }
    }

    /// The condition under all negations, and which value of it makes the whole true.
    fn without_negation(&self, mut condition: ExprId) -> (ExprId, bool) {
        let mut expected = true;
        while let ExprKind::Unary(UnaryOp::Not, inner) = self.body.expressions[condition].kind {
            (condition, expected) = (inner, !expected);
        }
        (condition, expected)
    }

    fn terminator(&mut self, terminator: &Terminator, steps: u16) {
        match terminator {
            Terminator::Goto(target) => self.emit(Op::Goto { steps, target: target.index() as u32 }),
            Terminator::Branch { condition, then, otherwise } => {
                let (condition, expected) = self.without_negation(*condition);
                let condition = self.value(condition);
                let (then, otherwise) = if expected { (then, otherwise) } else { (otherwise, then) };
                let (then, otherwise) = (then.index() as u32, otherwise.index() as u32);
                self.emit(Op::Branch { steps, condition, then, otherwise });
            }
            Terminator::Switch { value, cases, default } => {
                let ty = self.body.type_of(*value);
                let value = self.value(*value);
                let mut cases: Vec<_> =
                    cases.iter().map(|case| (case.low, case.high, case.target.index() as u32)).collect();
                cases.sort_unstable();
                self.code.switches.push(SwitchTable { ty, cases, default: default.index() as u32 });
                self.emit(Op::Switch { steps, value, table: self.code.switches.len() as u32 - 1 });
            }
            Terminator::Return(value) => {
                let value = value.map(|value| self.value(value));
                self.trace(TracePoint::Return { value });
                self.emit(Op::Return { steps, value });
            }
            Terminator::Unreachable => self.emit(Op::Unreachable { steps }),
        }
    }
}
