//! Conditions: short circuits become branches, and `a ? b : c` takes one arm.

use program::{BlockId, ExprId, StatementKind, Type};
use rucc_ast::{BinaryOp, UnaryOp};
use rucc_sema::{self as sema, Conversion, ExprKind};

use super::Lowered;
use super::body::BodyLowering;

impl BodyLowering<'_, '_> {
    /// Ends the current block: control goes to one block if the condition holds, else to the other.
    pub(super) fn branch_on(
        &mut self,
        condition: sema::ExprId,
        then: BlockId,
        otherwise: BlockId,
    ) -> Lowered<()> {
        let span = self.unit.tast.expr_span(condition);
        match self.unit.tast[condition].kind {
            ExprKind::Binary { op: op @ (BinaryOp::LogAnd | BinaryOp::LogOr), lhs, rhs } => {
                let middle = self.builder.new_block();
                let (yes, no) = if op == BinaryOp::LogAnd { (middle, otherwise) } else { (then, middle) };
                self.branch_on(lhs, yes, no)?;
                self.builder.switch_to(middle);
                self.branch_on(rhs, then, otherwise)
            }
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.branch_on(operand, otherwise, then),
            ExprKind::Convert { kind: Conversion::Bool, operand }
                if self.unit.scalar(self.unit.tast[operand].ty).is_some() =>
            {
                self.branch_on(operand, then, otherwise)
            }
            // What is widened from a truth value is zero when the truth value is.
            ExprKind::Convert { kind: Conversion::Arithmetic, operand } if self.is_truth(operand) => {
                self.branch_on(operand, then, otherwise)
            }
            ExprKind::Expect { value, .. } => self.branch_on(value, then, otherwise),
            _ => {
                let value = self.value(condition)?;
                let truth = self.builder.body.nonzero(value);
                self.at(span);
                self.builder.branch(truth, then, otherwise);
                Ok(())
            }
        }
    }

    /// Whether an expression is zero or one by its form.
    fn is_truth(&self, expression: sema::ExprId) -> bool {
        match self.unit.tast[expression].kind {
            ExprKind::Binary { op, .. } => matches!(
                op,
                BinaryOp::LogAnd
                    | BinaryOp::LogOr
                    | BinaryOp::Lt
                    | BinaryOp::Gt
                    | BinaryOp::Le
                    | BinaryOp::Ge
                    | BinaryOp::Eq
                    | BinaryOp::Ne
            ),
            ExprKind::Unary { op: UnaryOp::Not, .. } | ExprKind::Convert { kind: Conversion::Bool, .. } => {
                true
            }
            ExprKind::Convert { kind: Conversion::Arithmetic, operand } => self.is_truth(operand),
            _ => false,
        }
    }

    /// The value of a short circuit as a number of this type: zero or one.
    pub(super) fn short_circuit(&mut self, expression: sema::ExprId, ty: Type) -> Lowered<ExprId> {
        let result = self.temporary(ty);
        let (yes, no, next) = (self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        self.branch_on(expression, yes, no)?;
        for (block, truth) in [(yes, 1), (no, 0)] {
            self.builder.switch_to(block);
            let value = self.builder.body.integer(ty, truth);
            self.builder.push(StatementKind::Assign { target: result, value });
            self.builder.goto(next);
        }
        self.builder.switch_to(next);
        Ok(self.builder.body.read(result))
    }

    /// The value of `condition ? then : otherwise`.
    pub(super) fn conditional(
        &mut self,
        condition: sema::ExprId,
        then: sema::ExprId,
        otherwise: sema::ExprId,
        ty: Type,
    ) -> Lowered<ExprId> {
        let result = self.temporary(ty);
        self.in_both_arms(condition, then, otherwise, |lowering, arm| {
            let value = lowering.value(arm)?;
            lowering.builder.push(StatementKind::Assign { target: result, value });
            Ok(())
        })?;
        Ok(self.builder.body.read(result))
    }

    /// Lowers each arm in a block of its own; control goes on where both meet.
    pub(super) fn in_both_arms(
        &mut self,
        condition: sema::ExprId,
        then: sema::ExprId,
        otherwise: sema::ExprId,
        mut arm: impl FnMut(&mut Self, sema::ExprId) -> Lowered<()>,
    ) -> Lowered<()> {
        let (yes, no, next) = (self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        // GNU's `a ?: b` has one node for `a` in the condition and in the arm: it is worked out once.
        let shared = self.shared_node(condition, then);
        if let Some(node) = shared {
            let value = self.value(node)?;
            let variable = self.temporary(self.builder.body.type_of(value));
            self.builder.push(StatementKind::Assign { target: variable, value });
            self.known.insert(node, variable);
        }
        self.branch_on(condition, yes, no)?;
        for (block, expression) in [(yes, then), (no, otherwise)] {
            self.builder.switch_to(block);
            arm(self, expression)?;
            self.builder.goto(next);
        }
        if let Some(node) = shared {
            self.known.remove(&node);
        }
        self.builder.switch_to(next);
        Ok(())
    }

    fn shared_node(&self, condition: sema::ExprId, then: sema::ExprId) -> Option<sema::ExprId> {
        let scalar = |node: &sema::ExprId| self.unit.scalar(self.unit.tast[*node].ty).is_some();
        self.conversions(then)
            .find(|&node| self.conversions(condition).any(|outer| outer == node))
            .filter(scalar)
    }

    /// An expression and what is under each conversion on it.
    fn conversions(&self, expression: sema::ExprId) -> impl Iterator<Item = sema::ExprId> + '_ {
        std::iter::successors(Some(expression), |&expression| match self.unit.tast[expression].kind {
            ExprKind::Convert { operand, kind } if kind != Conversion::Lvalue => Some(operand),
            _ => None,
        })
    }
}
