//! Builds function bodies: expressions with their types worked out and constants folded, blocks one after another.

use base::{Arena, Location};

use crate::arithmetic;
use crate::expression::{BinaryOp, Expr, ExprId, ExprKind, ObjectRef, OverflowOp, UnaryOp, VariableId};
use crate::function::{Block, BlockId, Body, Variable};
use crate::program::FunctionId;
use crate::statement::{Statement, StatementKind, Terminator};
use crate::types::{DataModel, Type};

/// Constructors of expressions.
impl Body {
    /// Adds an expression as it is.
    pub fn expression(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        self.expressions.push(Expr { kind, ty })
    }

    /// An integer, wrapped into its type; for `bool` any value but zero is true.
    pub fn integer(&mut self, ty: Type, value: i128) -> ExprId {
        let value = match ty {
            Type::Integer(integer) => arithmetic::wrap(integer, value),
            _ => i128::from(value != 0),
        };
        self.expression(ExprKind::Integer(value), ty)
    }

    /// True or false.
    pub fn boolean(&mut self, value: bool) -> ExprId {
        self.expression(ExprKind::Integer(i128::from(value)), Type::Bool)
    }

    /// The zero of a type, false or the null pointer.
    pub fn zero(&mut self, ty: Type) -> ExprId {
        match ty {
            Type::Float(_) => self.expression(ExprKind::Float(0), ty),
            Type::Pointer => self.null(),
            Type::Integer(_) | Type::Bool => self.integer(ty, 0),
        }
    }

    /// The null pointer.
    pub fn null(&mut self) -> ExprId {
        self.expression(ExprKind::Null, Type::Pointer)
    }

    /// The value of a local variable.
    ///
    /// # Panics
    /// If the variable is a global one: its type is the program's to know.
    pub fn read(&mut self, variable: VariableId) -> ExprId {
        assert!(!variable.is_global());
        let ty = self.variables[variable].ty;
        self.expression(ExprKind::Variable(variable), ty)
    }

    /// A pointer to an object.
    pub fn address(&mut self, object: ObjectRef) -> ExprId {
        self.expression(ExprKind::Object(object), Type::Pointer)
    }

    /// A pointer to a function.
    pub fn function_address(&mut self, function: FunctionId) -> ExprId {
        self.expression(ExprKind::Function(function), Type::Pointer)
    }

    /// An operation on one operand.
    pub fn unary(&mut self, op: UnaryOp, operand: ExprId) -> ExprId {
        let Expr { kind, ty } = self.expressions[operand];
        match (kind, ty) {
            (ExprKind::Integer(value), Type::Integer(integer)) => {
                let value = arithmetic::unary(op, integer, value);
                self.integer(ty, value)
            }
            (ExprKind::Integer(value), Type::Bool) if op == UnaryOp::Not => self.boolean(value == 0),
            (ExprKind::Unary(UnaryOp::Not, inner), Type::Bool) if op == UnaryOp::Not => inner,
            _ => self.expression(ExprKind::Unary(op, operand), ty),
        }
    }

    /// An operation on two operands.
    pub fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let (a, b) = (self.expressions[left], self.expressions[right]);
        let ty = if op.is_comparison() { Type::Bool } else { a.ty };
        if let (ExprKind::Integer(x), ExprKind::Integer(y), Type::Integer(integer)) = (a.kind, b.kind, a.ty) {
            let value = arithmetic::binary(op, integer, x, y);
            return self.integer(ty, value);
        }
        self.expression(ExprKind::Binary(op, left, right), ty)
    }

    /// Whether an operation leaves its type's range.
    pub fn overflows(&mut self, op: OverflowOp, left: ExprId, right: ExprId) -> ExprId {
        let (a, b) = (self.expressions[left], self.expressions[right]);
        if let (ExprKind::Integer(x), ExprKind::Integer(y), Type::Integer(integer)) = (a.kind, b.kind, a.ty) {
            let value = arithmetic::overflows(op, integer, x, y);
            return self.boolean(value);
        }
        self.expression(ExprKind::Overflows(op, left, right), Type::Bool)
    }

    /// The value in another type.
    pub fn convert(&mut self, ty: Type, operand: ExprId) -> ExprId {
        let Expr { kind, ty: from } = self.expressions[operand];
        if from == ty {
            return operand;
        }
        match (kind, from, ty) {
            (ExprKind::Integer(value), _, Type::Integer(_) | Type::Bool) => self.integer(ty, value),
            (ExprKind::Integer(0), _, Type::Pointer) => self.null(),
            // A boolean that was widened and is asked again whether it is zero.
            (ExprKind::Convert(inner), Type::Integer(_), Type::Bool)
                if self.expressions[inner].ty == Type::Bool =>
            {
                inner
            }
            _ => self.expression(ExprKind::Convert(operand), ty),
        }
    }

    /// Whether a value is not zero, and not null: the comparison that it was made of, if it was.
    pub fn nonzero(&mut self, value: ExprId) -> ExprId {
        let ty = self.type_of(value);
        let zero = match ty {
            Type::Bool => return value,
            Type::Integer(_) => {
                let asked = self.convert(Type::Bool, value);
                if !matches!(self.expressions[asked].kind, ExprKind::Convert(_)) {
                    return asked;
                }
                self.integer(ty, 0)
            }
            Type::Pointer | Type::Float(_) => self.zero(ty),
        };
        self.binary(BinaryOp::NotEqual, value, zero)
    }

    /// The same bits as another type.
    pub fn reinterpret(&mut self, ty: Type, operand: ExprId) -> ExprId {
        let Expr { kind, ty: from } = self.expressions[operand];
        match (kind, from, ty) {
            _ if from == ty => operand,
            (ExprKind::Integer(value), Type::Integer(integer), Type::Float(_)) => {
                let bits = arithmetic::wrap(integer.with_sign(false), value) as u128;
                self.expression(ExprKind::Float(bits), ty)
            }
            (ExprKind::Float(bits), _, Type::Integer(_)) => self.integer(ty, bits as i128),
            _ => self.expression(ExprKind::Reinterpret(operand), ty),
        }
    }

    /// A pointer moved by bytes. Constant moves of one pointer are added up.
    pub fn offset(&mut self, pointer: ExprId, bytes: ExprId) -> ExprId {
        let (base, by) = (self.expressions[pointer], self.expressions[bytes]);
        match (base.kind, by.kind) {
            (_, ExprKind::Integer(0)) => pointer,
            (ExprKind::Offset(inner, first), ExprKind::Integer(_))
                if matches!(self.expressions[first].kind, ExprKind::Integer(_)) =>
            {
                let sum = self.binary(BinaryOp::Add, first, bytes);
                self.offset(inner, sum)
            }
            _ => self.expression(ExprKind::Offset(pointer, bytes), Type::Pointer),
        }
    }

    /// How many bytes the first pointer is after the second.
    pub fn difference(&mut self, model: DataModel, left: ExprId, right: ExprId) -> ExprId {
        self.expression(ExprKind::Difference(left, right), model.offset_type())
    }

    /// One of two values.
    pub fn select(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        match self.expressions[condition].kind {
            ExprKind::Integer(0) => otherwise,
            ExprKind::Integer(_) => then,
            _ => {
                let ty = self.expressions[then].ty;
                self.expression(ExprKind::Select(condition, then, otherwise), ty)
            }
        }
    }

    /// The value of an integer or boolean constant.
    pub fn constant(&self, expression: ExprId) -> Option<i128> {
        match self.expressions[expression].kind {
            ExprKind::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// The type of an expression.
    pub fn type_of(&self, expression: ExprId) -> Type {
        self.expressions[expression].ty
    }
}

/// Builds the blocks of a body: statements go to the current block until it is ended.
///
/// A block that was made but never filled ends as unreachable; [`BodyBuilder::finish`] drops blocks that control
/// cannot reach.
#[derive(Debug)]
pub struct BodyBuilder {
    /// The body so far.
    pub body: Body,
    /// Where the next statement comes from.
    pub location: Location,
    current: BlockId,
    ended: Vec<bool>,
}

impl Default for BodyBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl BodyBuilder {
    /// A body with an empty entry block, which is the current one.
    pub fn new() -> Self {
        let mut builder = Self {
            body: Body::default(),
            location: Location::unknown(),
            current: base::Index::new(0),
            ended: Vec::new(),
        };
        builder.current = builder.new_block();
        builder
    }

    /// Adds a variable.
    pub fn new_variable(&mut self, variable: Variable) -> VariableId {
        self.body.variables.push(variable)
    }

    /// Makes an empty block.
    pub fn new_block(&mut self) -> BlockId {
        self.ended.push(false);
        self.body.blocks.push(Block {
            statements: Vec::new(),
            terminator: Terminator::Unreachable,
            location: self.location,
            loop_statement: None,
            body_of: None,
        })
    }

    /// The block that statements go to.
    pub fn current(&self) -> BlockId {
        self.current
    }

    /// Whether the current block has its end already: what follows cannot be reached.
    pub fn is_ended(&self) -> bool {
        self.ended[base::Index::index(self.current)]
    }

    /// Goes on in another block.
    pub fn switch_to(&mut self, block: BlockId) {
        self.current = block;
    }

    /// Adds a statement to the current block; after the block's end it is dropped.
    pub fn push(&mut self, kind: StatementKind) {
        if !self.is_ended() {
            let statement = Statement { kind, location: self.location };
            self.body.blocks[self.current].statements.push(statement);
        }
    }

    /// Ends the current block; a second end is dropped.
    pub fn end(&mut self, terminator: Terminator) {
        if !self.is_ended() {
            self.ended[base::Index::index(self.current)] = true;
            let block = &mut self.body.blocks[self.current];
            block.terminator = terminator;
            block.location = self.location;
        }
    }

    /// Ends the current block with a jump.
    pub fn goto(&mut self, target: BlockId) {
        self.end(Terminator::Goto(target));
    }

    /// Ends the current block with a branch; a constant condition makes a jump.
    pub fn branch(&mut self, condition: ExprId, then: BlockId, otherwise: BlockId) {
        match self.body.constant(condition) {
            Some(value) => self.goto(if value == 0 { otherwise } else { then }),
            None => self.end(Terminator::Branch { condition, then, otherwise }),
        }
    }

    /// The body, without the blocks that control cannot reach.
    pub fn finish(self) -> Body {
        let mut body = self.body;
        body.remove_unreachable_blocks();
        body
    }
}

impl Body {
    /// Drops the blocks that control cannot reach; the others keep their order.
    pub fn remove_unreachable_blocks(&mut self) {
        let mut kept = vec![false; self.blocks.len()];
        for block in self.reverse_post_order() {
            kept[base::Index::index(block)] = true;
        }
        if kept.iter().all(|&kept| kept) {
            return;
        }
        let mut names: Vec<Option<BlockId>> = Vec::with_capacity(kept.len());
        let mut next = 0;
        for &kept in &kept {
            names.push(kept.then(|| base::Index::new(next)));
            next += usize::from(kept);
        }
        let blocks = std::mem::take(&mut self.blocks).into_values();
        self.blocks = blocks
            .into_iter()
            .zip(&names)
            .filter(|(_, name)| name.is_some())
            .map(|(mut block, _)| {
                block.terminator.for_each_target(|target| {
                    *target = names[base::Index::index(*target)]
                        .expect("a reachable block leads to reachable blocks");
                });
                block
            })
            .collect::<Arena<BlockId, Block>>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_fold() {
        let mut body = Body::default();
        let a = body.integer(Type::signed(8), 100);
        let sum = body.binary(BinaryOp::Add, a, a);
        assert_eq!(body.constant(sum), Some(-56));
        let overflow = body.overflows(OverflowOp::Add, a, a);
        assert_eq!(body.constant(overflow), Some(1));
        let wide = body.convert(Type::unsigned(32), sum);
        assert_eq!(body.constant(wide), Some(0xffff_ffc8));
    }

    #[test]
    fn unreachable_blocks_are_dropped() {
        let mut builder = BodyBuilder::new();
        let dead = builder.new_block();
        let last = builder.new_block();
        builder.goto(last);
        builder.switch_to(dead);
        builder.goto(last);
        builder.switch_to(last);
        builder.end(Terminator::Return(None));
        let body = builder.finish();
        assert_eq!(body.blocks.len(), 2);
        assert_eq!(body.blocks[body.entry()].terminator, Terminator::Goto(base::Index::new(1)));
    }
}
