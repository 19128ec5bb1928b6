//! Compiles expressions: operands first, each once for a statement, into scratch registers or straight to a target.

use base::Index;

use super::Compiler;
use crate::expression::{BinaryOp, ExprId, ExprKind, ObjectRef, OverflowOp, UnaryOp, VariableId};
use crate::interpret::code::{General, GeneralKind, Op, Register};
use crate::interpret::value::Slot;
use crate::program::Value;
use crate::types::{FloatFormat, Type};

impl Compiler<'_> {
    /// Computes an expression and says where its value is.
    pub fn value(&mut self, root: ExprId) -> Register {
        self.compute_operands(root);
        self.node(root, None)
    }

    /// Computes an expression into a register.
    pub fn value_into(&mut self, root: ExprId, to: Register) {
        self.compute_operands(root);
        let from = self.node(root, Some(to));
        if from != to {
            self.emit(Op::Move { to, from });
        }
    }

    /// Computes everything that an expression needs, operands before their users.
    fn compute_operands(&mut self, root: ExprId) {
        let body = self.body;
        self.stack.extend(body.expressions[root].operands());
        if self.stack.is_empty() {
            return;
        }
        self.nodes.clear();
        while let Some(id) = self.stack.pop() {
            let (statement, register) = self.computed[id.index()];
            // A node that waits to be computed carries the greatest register.
            if statement == self.statement && register == Register::MAX {
                continue;
            }
            if statement != self.statement {
                self.computed[id.index()] = (self.statement, Register::MAX);
                self.nodes.push(id);
                self.stack.extend(body.expressions[id].operands());
            }
        }
        let mut nodes = std::mem::take(&mut self.nodes);
        nodes.sort_unstable();
        for &id in &nodes {
            self.computed[id.index()].0 = 0;
            self.node(id, None);
        }
        self.nodes = nodes;
    }

    fn operand(&self, id: ExprId) -> Register {
        self.computed[id.index()].1
    }

    /// Computes one expression whose operands are computed.
    fn node(&mut self, id: ExprId, to: Option<Register>) -> Register {
        let (statement, register) = self.computed[id.index()];
        if statement == self.statement {
            return register;
        }
        let register = match self.constant_slot(id) {
            Some(slot) => self.intern(slot),
            None => self.operation(id, to),
        };
        self.computed[id.index()] = (self.statement, register);
        register
    }

    fn operation(&mut self, id: ExprId, to: Option<Register>) -> Register {
        let expr = self.body.expressions[id];
        match expr.kind {
            ExprKind::Variable(variable) => self.read_variable(variable),
            ExprKind::Object(ObjectRef::Local(local)) => {
                self.emit_to(to, |to| Op::LocalObject { to, local: local.index() as u32 })
            }
            ExprKind::Unary(op, operand) => self.unary(op, expr.ty, operand, to),
            ExprKind::Binary(op, left, right) => self.binary(op, expr.ty, left, right, to),
            ExprKind::Overflows(op, left, right) => self.overflows(op, left, right, to),
            ExprKind::Convert(operand) => self.convert(expr.ty, operand, to),
            ExprKind::Reinterpret(operand) => {
                self.general(GeneralKind::Reinterpret, expr.ty, operand, operand, to)
            }
            ExprKind::Offset(pointer, by) if !self.options.form.mathematical => {
                let (pointer, by) = (self.operand(pointer), self.operand(by));
                self.emit_to(to, |to| Op::Offset { to, pointer, by })
            }
            ExprKind::Offset(pointer, by) => self.general(GeneralKind::Offset, expr.ty, pointer, by, to),
            ExprKind::Difference(left, right) => {
                self.general(GeneralKind::Difference, expr.ty, left, right, to)
            }
            ExprKind::Select(condition, then, otherwise) => {
                let (condition, then) = (self.operand(condition), self.operand(then));
                let otherwise = self.operand(otherwise);
                let to = to.filter(|&to| to != condition && to != then).unwrap_or_else(|| self.scratch());
                self.emit(Op::Move { to, from: otherwise });
                self.emit(Op::MoveIf { to, condition, from: then });
                to
            }
            // Constants are in registers already.
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Null
            | ExprKind::Function(_)
            | ExprKind::Object(ObjectRef::Global(_)) => 0,
        }
    }

    fn read_variable(&mut self, variable: VariableId) -> Register {
        if variable.is_global() {
            let global = variable.index() as u32;
            let unknown = self.program.globals[variable.index()].initial == Value::Unknown;
            return self.emit_to(None, |to| match unknown {
                true => Op::GetUnknownGlobal { to, global },
                false => Op::GetGlobal { to, global },
            });
        }
        if let Some(flag) = self.code.flags[variable.index()] {
            self.emit(Op::Ensure { variable: variable.index() as u32, flag });
        }
        self.variable(variable)
    }

    fn general(
        &mut self,
        kind: GeneralKind,
        ty: Type,
        left: ExprId,
        right: ExprId,
        to: Option<Register>,
    ) -> Register {
        let (from, right_type) = (self.body.type_of(left), self.body.type_of(right));
        let (left, right) = (self.operand(left), self.operand(right));
        self.code.general.push(General { kind, ty, from, right_type, left, right });
        let general = self.code.general.len() as u32 - 1;
        self.emit_to(to, |to| Op::General { to, general })
    }

    /// Emits an operation into a register: a scratch one, unless one is wanted.
    fn emit_to(&mut self, to: Option<Register>, op: impl FnOnce(Register) -> Op) -> Register {
        let to = to.unwrap_or_else(|| self.scratch());
        self.emit(op(to));
        to
    }

    /// For a type whose values need only half a slot: whether it is signed, and how many of 64 bits are unused.
    fn small(&self, ty: Type) -> Option<(bool, u8)> {
        match ty {
            Type::Bool => Some((false, 63)),
            Type::Integer(integer) if self.options.form.is_small(integer) => {
                Some((integer.signed, 64 - integer.width))
            }
            _ => None,
        }
    }

    fn unary(&mut self, op: UnaryOp, ty: Type, operand: ExprId, to: Option<Register>) -> Register {
        let (zero, ones) = (self.intern(Slot::NULL), self.intern(Slot::small(u64::MAX)));
        match (op, self.small(ty)) {
            (UnaryOp::Not, Some(_)) => {
                let from = self.operand(operand);
                self.emit_to(to, |to| Op::Not { to, from })
            }
            // The complement is -1 minus the number.
            (UnaryOp::Negate | UnaryOp::Complement, Some((signed, shift))) => {
                let left = if op == UnaryOp::Negate { zero } else { ones };
                let right = self.operand(operand);
                self.emit_to(to, |to| match signed {
                    true => Op::SubtractS { shift, to, left, right },
                    false => Op::SubtractU { shift, to, left, right },
                })
            }
            _ => self.general(GeneralKind::Unary(op), ty, operand, operand, to),
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        ty: Type,
        left: ExprId,
        right: ExprId,
        to: Option<Register>,
    ) -> Register {
        let from = self.body.type_of(left);
        let (a, b) = (self.operand(left), self.operand(right));
        let shift_right_is_small = self.small(self.body.type_of(right)).is_some();
        match (from, self.small(from)) {
            (_, Some((signed, shift))) if shift_right_is_small => {
                self.emit_to(to, |to| small_binary(op, signed, shift, to, a, b))
            }
            (Type::Float(FloatFormat::Double), _) => {
                self.emit_to(to, |to| Op::Double { op, to, left: a, right: b })
            }
            (Type::Pointer, _) if op == BinaryOp::Equal => {
                self.emit_to(to, |to| Op::PointerEqual { to, left: a, right: b })
            }
            (Type::Pointer, _) if op == BinaryOp::NotEqual => {
                self.emit_to(to, |to| Op::PointerNotEqual { to, left: a, right: b })
            }
            _ => self.general(GeneralKind::Binary(op), ty, left, right, to),
        }
    }

    fn overflows(&mut self, op: OverflowOp, left: ExprId, right: ExprId, to: Option<Register>) -> Register {
        let (a, b) = (self.operand(left), self.operand(right));
        match (op, self.small(self.body.type_of(left))) {
            (OverflowOp::Add, Some((true, shift))) => {
                self.emit_to(to, |to| Op::OverflowsAdd { shift, to, left: a, right: b })
            }
            (OverflowOp::Subtract, Some((true, shift))) => {
                self.emit_to(to, |to| Op::OverflowsSubtract { shift, to, left: a, right: b })
            }
            (OverflowOp::Multiply, Some((true, shift))) => {
                self.emit_to(to, |to| Op::OverflowsMultiply { shift, to, left: a, right: b })
            }
            _ => self.general(GeneralKind::Overflows(op), Type::Bool, left, right, to),
        }
    }

    fn convert(&mut self, ty: Type, operand: ExprId, to: Option<Register>) -> Register {
        let from_type = self.body.type_of(operand);
        let from = self.operand(operand);
        match (self.small(from_type), self.small(ty)) {
            (None, Some(_)) if from_type == Type::Pointer && ty == Type::Bool => {
                let null = self.intern(Slot::NULL);
                self.emit_to(to, |to| Op::PointerNotEqual { to, left: from, right: null })
            }
            (Some(_), Some(_)) if ty == Type::Bool => self.emit_to(to, |to| Op::IsNotZero { to, from }),
            (Some((from_signed, from_shift)), Some((signed, shift))) => {
                let same = shift == 0
                    || (from_signed == signed && shift <= from_shift)
                    || (!from_signed && signed && shift < from_shift);
                match (same, signed) {
                    (true, _) => from,
                    (_, true) => self.emit_to(to, |to| Op::WrapS { shift, to, from }),
                    (_, false) => self.emit_to(to, |to| Op::WrapU { shift, to, from }),
                }
            }
            _ => self.general(GeneralKind::Convert, ty, operand, operand, to),
        }
    }
}

/// The operation on two integers of at most 64 bits.
fn small_binary(op: BinaryOp, signed: bool, shift: u8, to: Register, left: Register, right: Register) -> Op {
    match (op, signed) {
        (BinaryOp::Add, true) => Op::AddS { shift, to, left, right },
        (BinaryOp::Add, false) => Op::AddU { shift, to, left, right },
        (BinaryOp::Subtract, true) => Op::SubtractS { shift, to, left, right },
        (BinaryOp::Subtract, false) => Op::SubtractU { shift, to, left, right },
        (BinaryOp::Multiply, true) => Op::MultiplyS { shift, to, left, right },
        (BinaryOp::Multiply, false) => Op::MultiplyU { shift, to, left, right },
        (BinaryOp::Divide, true) => Op::DivideS { shift, to, left, right },
        (BinaryOp::Divide, false) => Op::DivideU { to, left, right },
        (BinaryOp::Remainder, true) => Op::RemainderS { to, left, right },
        (BinaryOp::Remainder, false) => Op::RemainderU { to, left, right },
        (BinaryOp::And, _) => Op::And { to, left, right },
        (BinaryOp::Or, _) => Op::Or { to, left, right },
        (BinaryOp::Xor, _) => Op::Xor { to, left, right },
        (BinaryOp::ShiftLeft, true) => Op::ShiftLeftS { shift, to, left, right },
        (BinaryOp::ShiftLeft, false) => Op::ShiftLeftU { shift, to, left, right },
        (BinaryOp::ShiftRight, true) => Op::ShiftRightS { shift, to, left, right },
        (BinaryOp::ShiftRight, false) => Op::ShiftRightU { shift, to, left, right },
        (BinaryOp::Equal, _) => Op::Equal { to, left, right },
        (BinaryOp::NotEqual, _) => Op::NotEqual { to, left, right },
        (BinaryOp::Less, true) => Op::LessS { to, left, right },
        (BinaryOp::Less, false) => Op::LessU { to, left, right },
        (BinaryOp::LessEqual, true) => Op::LessEqualS { to, left, right },
        (BinaryOp::LessEqual, false) => Op::LessEqualU { to, left, right },
    }
}
