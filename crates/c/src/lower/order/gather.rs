//! The evaluations in an expression that C does not put in an order.
//!
//! An evaluation is a read of an object, a side effect (an assignment, `++`), a call, or an expression that has an order of
//! its own (`&&`, `||`, `?:`, the comma, a statement expression), which is one evaluation here. The order in which they
//! are gathered is the one that GCC takes on the usual machines.

use std::rc::Rc;

use rucc_ast::{BinaryOp, UnaryOp};
use rucc_sema::{Conversion, ExprId, ExprKind, ExprList};

use super::effects::{Accesses, Effects, Location};
use super::fails::{access_may_fail, may_fail};
use super::walk::{self, UnitEffects};

/// What an evaluation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// The value of an lvalue.
    Read { lvalue: ExprId },
    /// The value that a compound assignment starts from: of its left side.
    Start { lvalue: ExprId },
    /// A side effect on an lvalue.
    Step { lvalue: ExprId },
    /// A call, or a builtin that is like one.
    Call,
    /// An expression that has an order of its own.
    Ordered,
    /// An operator that may go wrong, and does nothing else.
    Operator,
}

/// One evaluation.
#[derive(Debug)]
pub(super) struct Evaluation {
    pub(super) node: ExprId,
    pub(super) kind: Kind,
    /// The evaluations from the next one to here give values that this one needs.
    pub(super) end: usize,
    /// The innermost call that needs the value of this one.
    pub(super) call: Option<usize>,
    /// Which element of an initialiser it belongs to.
    pub(super) element: usize,
    pub(super) effects: Rc<Effects>,
}

/// The evaluations of an expression.
pub(super) struct Gathering<'g, 'a> {
    pub(super) unit: &'g UnitEffects<'a>,
    pub(super) evaluations: Vec<Evaluation>,
    /// The evaluations in the order that GCC takes.
    pub(super) usual: Vec<usize>,
    /// All expressions that are examined: they need no look of their own.
    pub(super) nodes: Vec<ExprId>,
    pub(super) element: usize,
}

impl<'g, 'a> Gathering<'g, 'a> {
    pub(super) fn new(unit: &'g UnitEffects<'a>) -> Self {
        Self { unit, evaluations: Vec::new(), usual: Vec::new(), nodes: Vec::new(), element: 0 }
    }

    /// Adds an evaluation that needs what the function gathers; the parent needs its value.
    fn add(
        &mut self,
        (node, kind): (ExprId, Kind),
        effects: impl Into<Rc<Effects>>,
        parent: Option<usize>,
        inside: impl FnOnce(&mut Self, Option<usize>),
    ) {
        let index = self.evaluations.len();
        let (element, effects) = (self.element, effects.into());
        let call = parent.and_then(|parent| match self.evaluations[parent].kind {
            Kind::Call => Some(parent),
            _ => self.evaluations[parent].call,
        });
        self.evaluations.push(Evaluation { node, kind, end: index + 1, call, element, effects });
        inside(self, Some(index));
        self.evaluations[index].end = self.evaluations.len();
        self.usual.push(index);
    }

    /// Works out what the expressions with an order of their own do; most stand alone, and nobody needs to know.
    pub(super) fn look_inside(&mut self) {
        for evaluation in self.evaluations.iter_mut().filter(|evaluation| evaluation.kind == Kind::Ordered) {
            evaluation.effects = self.unit.expression(evaluation.node).into();
        }
    }

    fn read(&mut self, node: ExprId, lvalue: ExprId, parent: Option<usize>) {
        let location = self.unit.names.location(lvalue);
        if location == Location::Nowhere {
            return self.place(lvalue, parent);
        }
        let effects = reading(location).failing(access_may_fail(&self.unit.names, lvalue));
        self.add((node, Kind::Read { lvalue }), effects, parent, |this, index| this.place(lvalue, index));
    }

    /// Gathers an expression whose value is taken, or that is evaluated for its effects.
    pub(super) fn value(&mut self, expression: ExprId, parent: Option<usize>) {
        self.nodes.push(expression);
        let unit = self.unit.names.unit;
        match unit.tast[expression].kind {
            ExprKind::Convert { kind: Conversion::Lvalue, operand } => self.read(expression, operand, parent),
            ExprKind::Decl(_)
            | ExprKind::Member { .. }
            | ExprKind::Subscript { .. }
            | ExprKind::Unary { op: UnaryOp::Deref, .. } => self.read(expression, expression, parent),
            ExprKind::Unary { op: UnaryOp::AddrOf, operand }
            | ExprKind::Convert { kind: Conversion::ArrayDecay | Conversion::FunctionDecay, operand } => {
                self.place(operand, parent);
            }
            ExprKind::Unary {
                op: UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec,
                operand,
            } => {
                let location = self.unit.names.location(operand);
                let may_fail = may_fail(unit, expression) || access_may_fail(&self.unit.names, operand);
                let mut effects = reading(location).failing(may_fail);
                effects.direct.writes.add(location);
                let kind = Kind::Step { lvalue: operand };
                self.add((expression, kind), effects, parent, |this, index| this.place(operand, index));
            }
            ExprKind::Assign { op, lhs, rhs, .. } => self.assignment(expression, op, lhs, rhs, parent),
            ExprKind::Call { callee, args } => self.call(expression, callee, args, parent),
            ExprKind::Binary { op: BinaryOp::LogAnd | BinaryOp::LogOr, .. }
            | ExprKind::Cond { .. }
            | ExprKind::Comma { .. }
            | ExprKind::CompoundLiteral(_)
            | ExprKind::StmtExpr(_) => {
                self.add((expression, Kind::Ordered), Effects::default(), parent, |_, _| {});
            }
            ExprKind::VaArg { list } => {
                let location = self.unit.names.pointee(list);
                let mut called = writing(location);
                called.reads.add(location);
                let effects = Effects { called, ..Effects::default() };
                self.add((expression, Kind::Call), effects, parent, |this, index| this.value(list, index));
            }
            kind => {
                let operands = match kind {
                    // A variable that stands alone is read when the other side is done.
                    ExprKind::Binary { lhs, rhs, .. } if self.is_variable(lhs) => vec![rhs, lhs],
                    kind => walk::operands(unit, kind),
                };
                let effects = walk::builtin(kind);
                let effect = match effects == Effects::default() {
                    true if may_fail(unit, expression) => Some((Kind::Operator, effects.failing(true))),
                    true => None,
                    false => Some((Kind::Call, effects)),
                };
                let Some((kind, effects)) = effect else {
                    return operands.into_iter().for_each(|operand| self.value(operand, parent));
                };
                self.add((expression, kind), effects, parent, |this, index| {
                    operands.into_iter().for_each(|operand| this.value(operand, index));
                });
            }
        }
    }

    fn is_variable(&self, expression: ExprId) -> bool {
        let tast = &self.unit.names.unit.tast;
        match tast[expression].kind {
            ExprKind::Convert { kind: Conversion::Lvalue, operand } => {
                matches!(tast[operand].kind, ExprKind::Decl(_))
            }
            _ => false,
        }
    }

    /// Gathers an lvalue of which only the place is worked out, or a value that is an aggregate.
    pub(super) fn place(&mut self, expression: ExprId, parent: Option<usize>) {
        self.nodes.push(expression);
        let unit = self.unit.names.unit;
        match unit.tast[expression].kind {
            ExprKind::Decl(_) | ExprKind::Str(_) => {}
            ExprKind::Member { base, .. } => self.place(base, parent),
            ExprKind::Subscript { base, index } if unit.is_aggregate(unit.tast[base].ty) => {
                self.place(base, parent);
                self.value(index, parent);
            }
            ExprKind::Subscript { base, index } => {
                self.value(base, parent);
                self.value(index, parent);
            }
            ExprKind::Unary { op: UnaryOp::Deref, operand } => self.value(operand, parent),
            _ => self.value(expression, parent),
        }
    }

    fn assignment(
        &mut self,
        node: ExprId,
        op: Option<BinaryOp>,
        lhs: ExprId,
        rhs: ExprId,
        parent: Option<usize>,
    ) {
        let location = self.unit.names.location(lhs);
        let names = &self.unit.names;
        let may_fail = may_fail(names.unit, node) || access_may_fail(names, lhs);
        let effects = Effects { direct: writing(location), ..Effects::default() }.failing(may_fail);
        let is_call = matches!(self.unit.names.unit.tast[rhs].kind, ExprKind::Call { .. });
        let is_last = is_call || self.is_variable(rhs);
        self.add((node, Kind::Step { lvalue: lhs }), effects, parent, |this, index| match op {
            None if is_last => {
                this.place(lhs, index);
                this.value(rhs, index);
            }
            None => {
                this.value(rhs, index);
                this.place(lhs, index);
            }
            Some(_) => {
                this.value(rhs, index);
                let start = Kind::Start { lvalue: lhs };
                let effects = reading(location).failing(access_may_fail(&this.unit.names, lhs));
                this.add((lhs, start), effects, index, |this, index| this.place(lhs, index));
            }
        });
    }

    fn call(&mut self, node: ExprId, callee: ExprId, args: ExprList, parent: Option<usize>) {
        let effects = self.unit.call(callee);
        let arguments = &self.unit.names.unit.tast[args];
        self.add((node, Kind::Call), effects, parent, |this, index| {
            this.value(callee, index);
            arguments.iter().rev().for_each(|&argument| this.value(argument, index));
        });
    }
}

fn reading(location: Location) -> Effects {
    let mut direct = Accesses::default();
    direct.reads.add(location);
    Effects { direct, ..Effects::default() }
}

fn writing(location: Location) -> Accesses {
    let mut direct = Accesses::default();
    direct.writes.add(location);
    direct
}
