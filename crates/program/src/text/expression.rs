//! Prints expressions, statements and ends of blocks.

use std::fmt::Write;

use base::Index;

use super::literal;
use super::print::Printer;
use super::symbols::{self, BINARY, NAMED, OVERFLOW, PREFIX};
use crate::expression::{Expr, ExprId, ExprKind, ObjectRef, UnaryOp};
use crate::function::Body;
use crate::statement::{Callee, Check, Statement, StatementKind, Terminator, VariadicOp};

/// An expression of more nodes than this gets a name of its own.
pub const LARGE: usize = 100;

/// Which expressions of a body are large, counting a large operand as one node. What is not large is at most
/// [`LARGE`] deep, so that printing may recurse.
pub fn large_expressions(body: &Body) -> Vec<bool> {
    let mut nodes: Vec<usize> = Vec::with_capacity(body.expressions.len());
    for (_, expr) in body.expressions.iter() {
        let below = |operand: ExprId| match nodes.get(operand.index()) {
            Some(&count) if count <= LARGE => count,
            _ => 1,
        };
        let count = 1 + expr.operands().map(below).sum::<usize>();
        nodes.push(count);
    }
    nodes.into_iter().map(|count| count > LARGE).collect()
}

/// Where an expression stands: how much it must be protected from what is around it.
#[derive(Clone, Copy, PartialEq)]
enum Position {
    /// Alone: infix needs no parentheses.
    Alone,
    /// Beside an operator.
    Operand,
    /// Right behind a prefix operator, which must not run into a number.
    Prefixed,
}

impl Printer<'_> {
    /// An expression for people to read: `…` stands for what is deeper than a hundred nodes.
    pub fn expression(&self, id: ExprId) -> String {
        let mut out = String::new();
        self.tree(&mut out, id, Position::Alone);
        out
    }

    /// A statement for people to read, without its place.
    pub fn statement(&self, statement: &Statement) -> String {
        let e = |id: &ExprId| self.root(*id);
        match &statement.kind {
            StatementKind::Assign { target, value } => format!("{} := {}", self.variable(*target), e(value)),
            StatementKind::Load { target, pointer, overlaid } => {
                let overlaid = if *overlaid { "overlaid " } else { "" };
                format!("{} := load {overlaid}{}", self.variable(*target), e(pointer))
            }
            StatementKind::Store { pointer, value } => format!("store {} := {}", e(pointer), e(value)),
            StatementKind::Copy { destination, source, size } => {
                format!("copy {}, {}, {}", e(destination), e(source), e(size))
            }
            StatementKind::Fill { destination, byte, size } => {
                format!("fill {}, {}, {}", e(destination), e(byte), e(size))
            }
            StatementKind::Begin { object, size: None } => format!("begin {}", self.local(*object)),
            StatementKind::Begin { object, size: Some(size) } => {
                format!("begin {}, {}", self.local(*object), e(size))
            }
            StatementKind::End { object } => format!("end {}", self.local(*object)),
            StatementKind::Forget { object } => format!("forget {}", self.local(*object)),
            StatementKind::Allocate { target, size } => {
                format!("{} := allocate {}", self.variable(*target), e(size))
            }
            StatementKind::Call { target, callee, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(e).collect();
                format!("{}call {}({})", self.target(*target), self.callee(*callee), arguments.join(", "))
            }
            StatementKind::Variadic { operation, list } => match operation {
                VariadicOp::Start => format!("variadic start {}", e(list)),
                VariadicOp::Next(target) => {
                    format!("{} := variadic next {}", self.variable(*target), e(list))
                }
                VariadicOp::CopyFrom(source) => format!("variadic copy {}, {}", e(list), e(source)),
                VariadicOp::End => format!("variadic end {}", e(list)),
            },
            StatementKind::Input { target, name } => {
                format!("{} := input {}", self.variable(*target), literal::name(name, None))
            }
            StatementKind::Volatile { target, value } => {
                format!("{} := volatile {}", self.variable(*target), e(value))
            }
            StatementKind::Assume { condition } => format!("assume {}", e(condition)),
            StatementKind::Check(check) => self.check(check),
            StatementKind::Unknown { what, target } => {
                format!("{}unknown {}", self.target(*target), literal::quoted(what))
            }
            StatementKind::Mark(mark) => format!("mark {}", mark.index()),
        }
    }

    /// The end of a block for people to read, without its place.
    pub fn terminator(&self, terminator: &Terminator) -> String {
        match terminator {
            Terminator::Goto(target) => format!("goto {target}"),
            Terminator::Branch { condition, then, otherwise } => {
                format!("if {} goto {then} else {otherwise}", self.root(*condition))
            }
            Terminator::Switch { value, cases, default } => {
                let ty = self.body.expressions.get(*value).map_or(crate::Type::Bool, |expr| expr.ty);
                let mut out = format!("switch {} {{ ", self.root(*value));
                for case in cases {
                    out.push_str(&literal::integer(ty, case.low));
                    if case.low != case.high {
                        let _ = write!(out, "..{}", literal::integer(ty, case.high));
                    }
                    let _ = write!(out, ": {}, ", case.target);
                }
                let _ = write!(out, "default: {default} }}");
                out
            }
            Terminator::Return(None) => String::from("return"),
            Terminator::Return(Some(value)) => format!("return {}", self.root(*value)),
            Terminator::Unreachable => String::from("unreachable"),
        }
    }

    fn check(&self, check: &Check) -> String {
        let e = |id: &ExprId| self.root(*id);
        match check {
            Check::Holds { obligation, condition, note: None } => {
                format!("check {obligation} {}", e(condition))
            }
            Check::Holds { obligation, condition, note: Some(note) } => {
                format!("check {obligation} {}, {}", e(condition), literal::quoted(note))
            }
            Check::Readable { pointer, size } => format!("check readable {}, {}", e(pointer), e(size)),
            Check::Writable { pointer, size } => format!("check writable {}, {}", e(pointer), e(size)),
            Check::Accessible { pointer, size } => format!("check accessible {}, {}", e(pointer), e(size)),
            Check::Defined { variable } => format!("check defined {}", self.variable(*variable)),
            Check::Terminated { pointer } => format!("check terminated {}", e(pointer)),
            Check::Freeable { pointer } => format!("check freeable {}", e(pointer)),
        }
    }

    fn target(&self, target: Option<crate::VariableId>) -> String {
        target.map_or_else(String::new, |target| format!("{} := ", self.variable(target)))
    }

    fn callee(&self, callee: Callee) -> String {
        match callee {
            Callee::Function(function) => self.function(function),
            Callee::Pointer(pointer) => {
                let mut out = String::from("*");
                self.operand(&mut out, pointer, Position::Operand);
                out
            }
        }
    }

    /// An expression that a statement uses: by its name if it has one.
    fn root(&self, id: ExprId) -> String {
        let mut out = String::new();
        match self.labels.get(&id) {
            Some(label) => {
                let _ = write!(out, "#{label}");
            }
            None => self.tree(&mut out, id, Position::Alone),
        }
        out
    }

    fn operand(&self, out: &mut String, id: ExprId, position: Position) {
        match self.labels.get(&id) {
            Some(label) => {
                let _ = write!(out, "#{label}");
            }
            None if self.is_large(id) => out.push('…'),
            None => self.tree(out, id, position),
        }
    }

    fn tree(&self, out: &mut String, id: ExprId, position: Position) {
        match self.body.expressions.get(id) {
            // An operand that does not stand before its user could be that user's user: better not to look.
            Some(expr) if expr.operands().all(|operand| operand < id) => self.node(out, expr, position),
            _ => {
                let _ = write!(out, "<{id}>");
            }
        }
    }

    fn node(&self, out: &mut String, expr: &Expr, position: Position) {
        match expr.kind {
            ExprKind::Integer(value) => number(out, literal::typed_integer(expr.ty, value), position),
            ExprKind::Float(bits) => number(out, literal::typed_float(expr.ty, bits), position),
            ExprKind::Null => out.push_str("null"),
            ExprKind::Variable(variable) => out.push_str(&self.variable(variable)),
            ExprKind::Object(ObjectRef::Local(local)) => {
                let _ = write!(out, "&{}", self.local(local));
            }
            ExprKind::Object(ObjectRef::Global(object)) => {
                let _ = write!(out, "&${}", self.object(object));
            }
            ExprKind::Function(function) => {
                let _ = write!(out, "function({})", self.function(function));
            }
            ExprKind::Unary(op, operand) => self.unary(out, op, operand, expr.ty),
            ExprKind::Binary(op, left, right) => {
                self.infix(out, symbols::name(&BINARY, op).unwrap_or("?"), left, right, position);
            }
            ExprKind::Offset(left, right) => self.infix(out, "+", left, right, position),
            ExprKind::Difference(left, right) => self.infix(out, "-", left, right, position),
            ExprKind::Overflows(op, left, right) => {
                out.push_str("overflows(");
                self.infix(out, symbols::name(&OVERFLOW, op).unwrap_or("?"), left, right, Position::Alone);
                out.push(')');
            }
            ExprKind::Convert(operand) => self.call(out, &expr.ty.to_string(), None, &[operand]),
            ExprKind::Reinterpret(operand) => self.call(out, "reinterpret", Some(expr.ty), &[operand]),
            ExprKind::Select(condition, then, otherwise) => {
                self.call(out, "select", None, &[condition, then, otherwise]);
            }
        }
    }

    fn infix(&self, out: &mut String, symbol: &str, left: ExprId, right: ExprId, position: Position) {
        let parentheses = position != Position::Alone;
        if parentheses {
            out.push('(');
        }
        self.operand(out, left, Position::Operand);
        let _ = write!(out, " {symbol} ");
        self.operand(out, right, Position::Operand);
        if parentheses {
            out.push(')');
        }
    }

    fn unary(&self, out: &mut String, op: UnaryOp, operand: ExprId, ty: crate::Type) {
        match symbols::name(&PREFIX, op) {
            Some(symbol) => {
                out.push_str(symbol);
                self.operand(out, operand, Position::Prefixed);
            }
            None => {
                let same = self.body.expressions[operand].ty == ty;
                let name = symbols::name(&NAMED, op).unwrap_or("?");
                self.call(out, name, (!same).then_some(ty), &[operand]);
            }
        }
    }

    fn call(&self, out: &mut String, name: &str, ty: Option<crate::Type>, operands: &[ExprId]) {
        let _ = write!(out, "{name}(");
        if let Some(ty) = ty {
            let _ = write!(out, "{ty}, ");
        }
        for (index, operand) in operands.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            self.operand(out, *operand, Position::Alone);
        }
        out.push(')');
    }
}

fn number(out: &mut String, text: String, position: Position) {
    if position == Position::Prefixed && text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        let _ = write!(out, "({text})");
    } else {
        out.push_str(&text);
    }
}
