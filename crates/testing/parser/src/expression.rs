//! Parses expressions and works out their types.

use program::text::symbols::{BINARY, NAMED, OVERFLOW, PREFIX};
use program::{BinaryOp, ExprId, ExprKind, ObjectRef, Type, UnaryOp};

use crate::body::BodyParser;
use crate::cursor::Constant;
use crate::lex::{Name, Token};
use crate::{TextError, words};

/// How deep expressions may be nested in the text. The printer stays far below.
const DEEPEST: usize = 500;

impl BodyParser<'_> {
    /// An operand, or two with an operator between them.
    pub fn expression(&mut self) -> Result<ExprId, TextError> {
        let left = self.operand()?;
        let Token::Symbol(symbol) = self.cursor.peek() else { return Ok(left) };
        let Some(op) = words::item(&BINARY, symbol) else { return Ok(left) };
        self.cursor.next();
        let right = self.operand()?;
        if matches!(self.cursor.peek(), Token::Symbol(symbol) if words::item(&BINARY, symbol).is_some()) {
            return Err(self.cursor.expected("parentheses around infix operands"));
        }
        let ty = self.type_of(left);
        Ok(match op {
            BinaryOp::Add if ty == Type::Pointer => self.push(ExprKind::Offset(left, right), Type::Pointer),
            BinaryOp::Subtract if ty == Type::Pointer => {
                self.push(ExprKind::Difference(left, right), self.model.offset_type())
            }
            _ if op.is_comparison() => self.push(ExprKind::Binary(op, left, right), Type::Bool),
            _ => self.push(ExprKind::Binary(op, left, right), ty),
        })
    }

    /// An expression that needs no parentheses beside an operator.
    pub fn operand(&mut self) -> Result<ExprId, TextError> {
        if self.depth == DEEPEST {
            return Err(self
                .cursor
                .error(format!("expected an expression at most {DEEPEST} deep, found a deeper one")));
        }
        self.depth += 1;
        let result = self.operand_at_depth();
        self.depth -= 1;
        result
    }

    fn operand_at_depth(&mut self) -> Result<ExprId, TextError> {
        match self.cursor.peek().clone() {
            Token::Symbol("(") => {
                self.cursor.next();
                let inner = self.expression()?;
                self.cursor.expect(")")?;
                Ok(inner)
            }
            Token::Symbol("-") if matches!(self.cursor.peek_at(1), Token::Number(_)) => self.constant(),
            Token::Symbol(symbol) => match words::item(&PREFIX, symbol) {
                Some(op) => {
                    self.cursor.next();
                    let operand = self.operand()?;
                    let ty = self.type_of(operand);
                    Ok(self.push(ExprKind::Unary(op, operand), ty))
                }
                None => Err(self.cursor.expected("an expression")),
            },
            Token::Number(_) => self.constant(),
            Token::Local(_) | Token::Global(_) => {
                let (variable, ty) = self.variable()?;
                Ok(self.push(ExprKind::Variable(variable), ty))
            }
            Token::LocalAddress(name) => {
                let local = self.locals.get(&name).copied();
                let local = local.ok_or_else(|| self.cursor.expected("a local object"))?;
                self.cursor.next();
                Ok(self.push(ExprKind::Object(ObjectRef::Local(local)), Type::Pointer))
            }
            Token::GlobalAddress(_) => {
                let object = self.cursor.global_object(self.globals)?;
                Ok(self.push(ExprKind::Object(ObjectRef::Global(object)), Type::Pointer))
            }
            Token::Shared(number) => {
                let shared = self.shared.get(&number).copied();
                let shared =
                    shared.ok_or_else(|| self.cursor.expected("an expression that has this name"))?;
                self.cursor.next();
                Ok(shared)
            }
            Token::Word(word) => self.named(&word),
            _ => Err(self.cursor.expected("an expression")),
        }
    }

    fn constant(&mut self) -> Result<ExprId, TextError> {
        Ok(match self.cursor.constant()? {
            (Constant::Integer(value), ty) => self.push(ExprKind::Integer(value), ty),
            (Constant::Float(bits), ty) => self.push(ExprKind::Float(bits), ty),
        })
    }

    /// An expression that starts with a word.
    fn named(&mut self, word: &Name) -> Result<ExprId, TextError> {
        let text = word.text.as_str();
        if matches!(text, "true" | "false") {
            return self.constant();
        }
        if let Some(op) = words::item(&NAMED, text) {
            self.cursor.next();
            return self.bit_operation(op);
        }
        if let Some(ty) = words::type_named(text) {
            self.cursor.next();
            self.cursor.expect("(")?;
            let operand = self.expression()?;
            self.cursor.expect(")")?;
            return Ok(self.push(ExprKind::Convert(operand), ty));
        }
        match text {
            "null" => {
                self.cursor.next();
                Ok(self.push(ExprKind::Null, Type::Pointer))
            }
            "function" => {
                self.cursor.next();
                let function = self.cursor.function_in_parentheses(self.globals)?;
                Ok(self.push(ExprKind::Function(function), Type::Pointer))
            }
            "overflows" => self.overflows(),
            "reinterpret" => {
                self.cursor.next();
                self.cursor.expect("(")?;
                let ty = self.cursor.ty()?;
                self.cursor.expect(",")?;
                let operand = self.expression()?;
                self.cursor.expect(")")?;
                Ok(self.push(ExprKind::Reinterpret(operand), ty))
            }
            "select" => self.select(),
            _ => Err(self.cursor.expected("an expression")),
        }
    }

    /// `(x)`, or `(i32, x)` where the result has another type than the operand.
    fn bit_operation(&mut self, op: UnaryOp) -> Result<ExprId, TextError> {
        self.cursor.expect("(")?;
        let mut result = None;
        if *self.cursor.peek_at(1) == Token::Symbol(",") {
            result = Some(self.cursor.ty()?);
            self.cursor.expect(",")?;
        }
        let operand = self.expression()?;
        self.cursor.expect(")")?;
        let ty = result.unwrap_or_else(|| self.type_of(operand));
        Ok(self.push(ExprKind::Unary(op, operand), ty))
    }

    fn overflows(&mut self) -> Result<ExprId, TextError> {
        self.cursor.next();
        self.cursor.expect("(")?;
        let left = self.operand()?;
        let op = match self.cursor.peek() {
            Token::Symbol(symbol) => words::item(&OVERFLOW, symbol),
            _ => None,
        };
        let op = op.ok_or_else(|| self.cursor.expected("an operator that can overflow"))?;
        self.cursor.next();
        let right = self.operand()?;
        self.cursor.expect(")")?;
        Ok(self.push(ExprKind::Overflows(op, left, right), Type::Bool))
    }

    fn select(&mut self) -> Result<ExprId, TextError> {
        self.cursor.next();
        self.cursor.expect("(")?;
        let condition = self.expression()?;
        self.cursor.expect(",")?;
        let then = self.expression()?;
        self.cursor.expect(",")?;
        let otherwise = self.expression()?;
        self.cursor.expect(")")?;
        let ty = self.type_of(then);
        Ok(self.push(ExprKind::Select(condition, then, otherwise), ty))
    }

    fn push(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        self.body.expression(kind, ty)
    }

    fn type_of(&self, expression: ExprId) -> Type {
        self.body.type_of(expression)
    }
}
