//! Puts the values of temporaries in place of the temporaries, so that expressions read as they were written.
//!
//! ```text
//! t0 := i
//! check !overflows(t0 + 1)   ─►   check !overflows(i + 1)
//! i := t0 + 1                     i := i + 1
//! ```
//!
//! The pass walks through each block and knows for each temporary an expression that has the same value, as long as
//! no variable in it is assigned. What is small (a variable, a constant, a conversion of one, a place in an object)
//! stands in for every use; any other expression only if the temporary is read once in the whole body, so that
//! nothing is ever computed twice, or if addresses are to be shown. Constants are known in all blocks if the temporary is assigned only once.
//!
//! A call may change every global variable; an object that is begun or ended changes what its address means. The
//! assignments that nobody needs afterwards are left to [`super::dead`].

use std::collections::HashMap;

use base::Index;

use super::expressions::{assignments, reads, with_operands};
use crate::expression::{BinaryOp, Expr, ExprId, ExprKind, ObjectRef, VariableId};
use crate::function::{Body, LocalId, Origin};
use crate::statement::{Statement, StatementKind, Terminator};
use crate::types::Type;

/// An expression of more nodes stays in its temporary.
const LARGEST: u32 = 64;

/// Propagates values through a body.
pub fn propagate(body: &mut Body) {
    run(body, false);
}

/// Puts addresses in place of the temporaries that hold them, however often they are used, so that an access shows
/// where it goes. What is written to memory may be a global variable.
pub fn show_addresses(body: &mut Body) {
    run(body, true);
}

fn run(body: &mut Body, addresses: bool) {
    let reads = reads(body);
    let assignments = assignments(body);
    let mut sizes = Vec::new();
    measure(body, &mut sizes);
    let known = vec![None; body.variables.len()];
    let met_unknown = vec![0; body.variables.len()];
    let rewritten = vec![(0, ExprId::new(0)); body.expressions.len()];
    let mut pass = Propagate {
        body,
        reads,
        assignments,
        sizes,
        known,
        local_known: Vec::new(),
        dependants: HashMap::new(),
        rewritten,
        generation: 1,
        met_unknown,
        addresses,
    };
    for block in pass.body.reverse_post_order() {
        let mut statements = std::mem::take(&mut pass.body.blocks[block].statements);
        let mut terminator =
            std::mem::replace(&mut pass.body.blocks[block].terminator, Terminator::Unreachable);
        pass.block(&mut statements, &mut terminator);
        pass.body.blocks[block].statements = statements;
        pass.body.blocks[block].terminator = terminator;
    }
}

/// What an expression depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Cause {
    Variable(VariableId),
    AnyGlobal,
    Lifetime(LocalId),
}

struct Propagate<'a> {
    body: &'a mut Body,
    reads: Vec<u32>,
    assignments: Vec<usize>,
    /// The number of nodes of each expression, as a tree.
    sizes: Vec<u32>,
    /// What each variable is known to equal.
    known: Vec<Option<ExprId>>,
    /// The variables that are known in this block only.
    local_known: Vec<VariableId>,
    /// The variables whose knowledge ends when something changes. It may hold variables that it ended for already.
    dependants: HashMap<Cause, Vec<VariableId>>,
    /// What each expression has become, and in which generation of knowledge.
    rewritten: Vec<(u32, ExprId)>,
    generation: u32,
    /// In which generation a variable was last met while nothing was known about it.
    met_unknown: Vec<u32>,
    /// Whether it is about addresses.
    addresses: bool,
}

impl Propagate<'_> {
    fn block(&mut self, statements: &mut [Statement], terminator: &mut Terminator) {
        for statement in statements.iter_mut() {
            statement.kind.for_each_operand(|operand| *operand = self.rewrite(*operand));
            self.forget_after(&statement.kind);
            if let StatementKind::Assign { target, value } = statement.kind {
                self.learn(target, value);
            }
        }
        if let Some(operand) = terminator.operand_mut() {
            *operand = self.rewrite(*operand);
        }
        for variable in std::mem::take(&mut self.local_known) {
            self.known[variable.index()] = None;
        }
        self.dependants = HashMap::new();
        self.generation += 1;
    }

    /// Remembers what a temporary equals from now on.
    fn learn(&mut self, target: VariableId, value: ExprId) {
        if !self.is_temporary(target) {
            return;
        }
        let expr = self.body.expressions[value];
        let everywhere = expr.is_constant() && self.assignments[target.index()] == 1;
        let often = self.reads[target.index()] == 1 || self.addresses && expr.ty == Type::Pointer;
        let fits = often && self.sizes[value.index()] <= LARGEST;
        if !everywhere && !fits && !self.is_small(value) {
            return;
        }
        let mut causes = Vec::new();
        self.causes(value, &mut causes);
        if causes.contains(&Cause::Variable(target)) {
            return;
        }
        self.known[target.index()] = Some(value);
        if self.met_unknown[target.index()] == self.generation {
            self.generation += 1;
        }
        if !everywhere {
            self.local_known.push(target);
            causes.into_iter().for_each(|cause| self.dependants.entry(cause).or_default().push(target));
        }
    }

    fn is_temporary(&self, variable: VariableId) -> bool {
        !variable.is_global() && self.body.variables[variable].origin == Origin::Temporary
    }

    /// Whether an expression may be written several times instead of a temporary.
    fn is_small(&self, expression: ExprId) -> bool {
        let expr = self.body.expressions[expression];
        match expr.kind {
            ExprKind::Variable(_) | ExprKind::Object(_) => true,
            ExprKind::Convert(inner) => self.sizes[inner.index()] == 1,
            ExprKind::Offset(base, by) => self.body.constant(by).is_some() && self.sizes[base.index()] == 1,
            _ => expr.is_constant(),
        }
    }

    fn causes(&self, expression: ExprId, causes: &mut Vec<Cause>) {
        let mut stack = vec![expression];
        while let Some(expression) = stack.pop() {
            let expr = self.body.expressions[expression];
            match expr.kind {
                ExprKind::Variable(variable) => {
                    causes.push(Cause::Variable(variable));
                    causes.extend(variable.is_global().then_some(Cause::AnyGlobal));
                }
                ExprKind::Object(ObjectRef::Local(local)) => causes.push(Cause::Lifetime(local)),
                _ => stack.extend(expr.operands()),
            }
        }
    }

    /// Forgets what does not hold after the statement.
    fn forget_after(&mut self, kind: &StatementKind) {
        if let Some(target) = kind.target() {
            self.forget(Cause::Variable(target));
            if !target.is_global() && self.known[target.index()].take().is_some() {
                self.generation += 1;
            }
        }
        match kind {
            StatementKind::Call { .. } | StatementKind::Unknown { .. } => self.forget(Cause::AnyGlobal),
            StatementKind::Begin { object, .. } | StatementKind::End { object } => {
                self.forget(Cause::Lifetime(*object));
            }
            StatementKind::Store { .. } | StatementKind::Copy { .. } | StatementKind::Fill { .. }
                if self.addresses =>
            {
                self.forget(Cause::AnyGlobal);
            }
            _ => {}
        }
    }

    fn forget(&mut self, cause: Cause) {
        for variable in self.dependants.remove(&cause).into_iter().flatten() {
            if self.known[variable.index()].take().is_some() {
                self.generation += 1;
            }
        }
    }

    /// The expression with everything known put in.
    fn rewrite(&mut self, root: ExprId) -> ExprId {
        // Depth-first with a stack of its own: expressions can be deeper than the machine's stack.
        let mut stack = vec![root];
        while let Some(&expression) = stack.last() {
            if self.done(expression).is_some() {
                stack.pop();
                continue;
            }
            let expr = self.body.expressions[expression];
            let before = stack.len();
            stack.extend(expr.operands().filter(|&operand| self.done(operand).is_none()));
            if stack.len() > before {
                continue;
            }
            let new = self.rebuild(expression, expr);
            measure(self.body, &mut self.sizes);
            self.rewritten.resize(self.body.expressions.len(), (0, root));
            self.rewritten[expression.index()] = (self.generation, new);
            stack.pop();
        }
        self.done(root).unwrap_or(root)
    }

    fn done(&self, expression: ExprId) -> Option<ExprId> {
        let (generation, new) = self.rewritten[expression.index()];
        (generation == self.generation).then_some(new)
    }

    /// An expression over operands that have been rewritten.
    fn rebuild(&mut self, expression: ExprId, expr: Expr) -> ExprId {
        if let ExprKind::Variable(variable) = expr.kind {
            if variable.is_global() {
                return expression;
            }
            return self.known[variable.index()].unwrap_or_else(|| {
                self.met_unknown[variable.index()] = self.generation;
                expression
            });
        }
        let kind = with_operands(expr.kind, |operand| self.done(operand).unwrap_or(operand));
        if kind == expr.kind {
            return expression;
        }
        let body = &mut *self.body;
        match kind {
            ExprKind::Unary(op, a) => body.unary(op, a),
            ExprKind::Binary(op, a, b) => {
                compare_with_zero(body, op, a, b).unwrap_or_else(|| body.binary(op, a, b))
            }
            ExprKind::Overflows(op, a, b) => body.overflows(op, a, b),
            ExprKind::Convert(a) => body.convert(expr.ty, a),
            ExprKind::Reinterpret(a) => body.reinterpret(expr.ty, a),
            ExprKind::Offset(a, b) => body.offset(a, b),
            ExprKind::Select(a, b, c) => body.select(a, b, c),
            _ => body.expression(kind, expr.ty),
        }
    }
}

/// What a comparison of a widened `bool` with zero comes to.
fn compare_with_zero(body: &mut Body, op: BinaryOp, left: ExprId, right: ExprId) -> Option<ExprId> {
    let ExprKind::Convert(inner) = body.expressions[left].kind else { return None };
    if body.type_of(inner) != Type::Bool || body.constant(right) != Some(0) {
        return None;
    }
    match op {
        BinaryOp::NotEqual => Some(inner),
        BinaryOp::Equal => Some(body.unary(crate::expression::UnaryOp::Not, inner)),
        _ => None,
    }
}

/// Works out the sizes of new expressions; saturates.
fn measure(body: &Body, sizes: &mut Vec<u32>) {
    for index in sizes.len()..body.expressions.len() {
        let operands = body.expressions[ExprId::new(index)].operands();
        let size = operands.fold(1u32, |sum, operand| sum.saturating_add(sizes[operand.index()]));
        sizes.push(size);
    }
}
