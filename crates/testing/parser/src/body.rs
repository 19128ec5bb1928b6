//! Parses bodies of functions: declarations, blocks, statements.

use std::collections::HashMap;

use base::Index;
use program::text::symbols::ORIGINS;
use program::{
    Block, BlockId, Body, Callee, Case, Check, DataModel, ExprId, LocalId, LocalObject, LoopStatement,
    Obligation, Origin, Scope, Statement, StatementKind, Terminator, Type, Variable, VariableId, VariadicOp,
};

use crate::TextError;
use crate::cursor::Cursor;
use crate::items::Globals;
use crate::lex::{Name, Token};
use crate::words::LOOPS;

/// Parses one body.
pub struct BodyParser<'a> {
    pub(super) cursor: &'a mut Cursor,
    pub(super) globals: &'a Globals,
    pub(super) model: DataModel,
    pub(super) body: Body,
    variables: HashMap<Name, VariableId>,
    pub(super) locals: HashMap<Name, LocalId>,
    /// Blocks by label, numbered as they are first mentioned, with the place of that.
    labels: HashMap<Name, BlockId>,
    mentions: Vec<(Name, TextError)>,
    /// Where the labelled blocks stand in the text.
    positions: HashMap<BlockId, BlockId>,
    /// Expressions with a name of their own.
    pub(super) shared: HashMap<usize, ExprId>,
    pub(super) depth: usize,
}

impl<'a> BodyParser<'a> {
    /// A parser that stands before the opening brace of a body.
    pub fn new(cursor: &'a mut Cursor, globals: &'a Globals, model: DataModel) -> Self {
        Self {
            cursor,
            globals,
            model,
            body: Body::default(),
            variables: HashMap::new(),
            locals: HashMap::new(),
            labels: HashMap::new(),
            mentions: Vec::new(),
            positions: HashMap::new(),
            shared: HashMap::new(),
            depth: 0,
        }
    }

    /// The body with its braces.
    pub fn body(mut self, parameters: Vec<(Name, Type)>) -> Result<Body, TextError> {
        self.cursor.expect("{")?;
        self.declarations(parameters)?;
        loop {
            self.block()?;
            if self.cursor.accept("}") {
                break;
            }
        }
        self.number_blocks()?;
        Ok(self.body)
    }

    fn declarations(&mut self, parameters: Vec<(Name, Type)>) -> Result<(), TextError> {
        let mut declared: Vec<(Name, Variable)> = Vec::new();
        while !self.is_label() {
            if self.cursor.accept_word("scope") {
                self.scope()?;
            } else if self.cursor.accept_word("object") {
                self.local_object()?;
            } else if let Some(origin) = self.cursor.accept_item(&ORIGINS) {
                declared.push(self.variable_declaration(origin)?);
            } else {
                return Err(self.cursor.expected("a declaration or a block"));
            }
        }
        let names: Vec<Name> = parameters.iter().map(|(name, _)| name.clone()).collect();
        let implicit =
            parameters.into_iter().filter(|(name, _)| !declared.iter().any(|(other, _)| other == name));
        let implicit: Vec<(Name, Variable)> =
            implicit.map(|(name, ty)| (name.clone(), parameter(name, ty))).collect();
        for (name, variable) in implicit.into_iter().chain(declared) {
            let id = self.body.variables.push(variable);
            if self.variables.insert(name.clone(), id).is_some() {
                return Err(self
                    .cursor
                    .error(format!("expected one declaration of \"%{}\" before this", name.text)));
            }
        }
        self.body.parameters = names.iter().map(|name| self.variables[name]).collect();
        Ok(())
    }

    fn scope(&mut self) -> Result<(), TextError> {
        let expected = self.body.scopes.len();
        if !self.cursor.is_word(&format!("s{expected}")) {
            return Err(self.cursor.expected(&format!("scope s{expected}")));
        }
        self.cursor.next();
        let parent = self.cursor.scope()?;
        let location = self.cursor.place();
        self.body.scopes.push(Scope { parent, location });
        Ok(())
    }

    fn variable_declaration(&mut self, origin: Origin) -> Result<(Name, Variable), TextError> {
        let name = self.cursor.local_name()?;
        self.cursor.expect(":")?;
        let ty = self.cursor.ty()?;
        let scope = self.cursor.scope()?;
        let location = self.cursor.place();
        let variable = Variable { name: name.text.clone(), ty, origin, scope, location };
        Ok((name, variable))
    }

    fn local_object(&mut self) -> Result<(), TextError> {
        let name = self.cursor.name()?;
        self.cursor.expect(":")?;
        let size = if self.cursor.accept_word("unsized") { None } else { Some(self.cursor.number()?) };
        self.cursor.expect_word("align")?;
        let alignment = self.cursor.number()?;
        let fields = self.cursor.fields()?;
        let scope = self.cursor.scope()?;
        let location = self.cursor.place();
        let text = name.text.clone();
        let local =
            self.body.locals.push(LocalObject { name: text, size, alignment, scope, location, fields });
        match self.locals.insert(name, local) {
            None => Ok(()),
            Some(_) => Err(self.cursor.error("expected a new name for the object before this")),
        }
    }

    /// Whether a block starts here.
    fn is_label(&self) -> bool {
        matches!(self.cursor.peek(), Token::Word(_)) && *self.cursor.peek_at(1) == Token::Symbol(":")
    }

    /// The label of a block, which may stand later.
    fn label(&mut self) -> Result<BlockId, TextError> {
        let mention = self.cursor.expected("the label of a block");
        let Token::Word(name) = self.cursor.next() else { return Err(mention) };
        let next = BlockId::new(self.labels.len());
        let id = *self.labels.entry(name.clone()).or_insert(next);
        if id == next {
            self.mentions.push((name, mention));
        }
        Ok(id)
    }

    fn block(&mut self) -> Result<(), TextError> {
        if !self.is_label() {
            return Err(self.cursor.expected("a block"));
        }
        let twice = self.cursor.expected("a new label");
        let label = self.label()?;
        if self.positions.insert(label, BlockId::new(self.body.blocks.len())).is_some() {
            return Err(twice);
        }
        self.cursor.expect(":")?;
        let mut loop_statement = None;
        if self.cursor.accept_word("loop") {
            let kind =
                self.cursor.accept_item(&LOOPS).ok_or_else(|| self.cursor.expected("a kind of loop"))?;
            loop_statement = Some(LoopStatement { kind, location: self.cursor.place() });
        }
        let body_of = self.cursor.accept_word("body").then(|| self.cursor.place());
        let mut statements = Vec::new();
        loop {
            if let Some(terminator) = self.terminator()? {
                let location = self.cursor.place();
                self.body.blocks.push(Block { statements, terminator, location, loop_statement, body_of });
                return Ok(());
            }
            if self.cursor.accept_word("let") {
                self.definition()?;
                continue;
            }
            let kind = self.statement()?;
            statements.push(Statement { kind, location: self.cursor.place() });
        }
    }

    /// Gives the blocks the numbers of their order in the text.
    fn number_blocks(&mut self) -> Result<(), TextError> {
        for (label, (name, mention)) in self.mentions.iter().enumerate() {
            if !self.positions.contains_key(&BlockId::new(label)) {
                let message = format!("expected a block with the label \"{}\", found none", name.text);
                return Err(TextError { message, ..mention.clone() });
            }
        }
        for (_, block) in self.body.blocks.iter_mut() {
            block.terminator.for_each_target(|target| *target = self.positions[target]);
        }
        Ok(())
    }

    /// `let #0 = …` after its keyword.
    fn definition(&mut self) -> Result<(), TextError> {
        let Token::Shared(number) = *self.cursor.peek() else {
            return Err(self.cursor.expected("a name like #0"));
        };
        self.cursor.next();
        self.cursor.expect("=")?;
        let value = self.expression()?;
        self.shared.insert(number, value);
        Ok(())
    }

    fn terminator(&mut self) -> Result<Option<Terminator>, TextError> {
        Ok(Some(if self.cursor.accept_word("goto") {
            Terminator::Goto(self.label()?)
        } else if self.cursor.accept_word("if") {
            let condition = self.expression()?;
            self.cursor.expect_word("goto")?;
            let then = self.label()?;
            self.cursor.expect_word("else")?;
            Terminator::Branch { condition, then, otherwise: self.label()? }
        } else if self.cursor.accept_word("switch") {
            self.switch()?
        } else if self.cursor.accept_word("return") {
            let ends =
                self.is_label() || matches!(self.cursor.peek(), Token::Symbol("}") | Token::Location(_));
            Terminator::Return(if ends { None } else { Some(self.expression()?) })
        } else if self.cursor.accept_word("unreachable") {
            Terminator::Unreachable
        } else {
            return Ok(None);
        }))
    }

    fn switch(&mut self) -> Result<Terminator, TextError> {
        let value = self.expression()?;
        let ty = Some(self.body.type_of(value));
        self.cursor.expect("{")?;
        let mut cases = Vec::new();
        while !self.cursor.accept_word("default") {
            let low = self.cursor.untyped_integer(ty)?;
            let high = if self.cursor.accept("..") { self.cursor.untyped_integer(ty)? } else { low };
            self.cursor.expect(":")?;
            cases.push(Case { low, high, target: self.label()? });
            self.cursor.expect(",")?;
        }
        self.cursor.expect(":")?;
        let default = self.label()?;
        self.cursor.accept(",");
        self.cursor.expect("}")?;
        Ok(Terminator::Switch { value, cases, default })
    }

    fn statement(&mut self) -> Result<StatementKind, TextError> {
        if matches!(self.cursor.peek(), Token::Local(_) | Token::Global(_)) {
            let (target, _) = self.variable()?;
            self.cursor.expect(":=")?;
            return self.assignment(target);
        }
        let Token::Word(word) = self.cursor.peek().clone() else {
            return Err(self.cursor.expected("a statement"));
        };
        let before = self.cursor.expected("a statement");
        self.cursor.next();
        Ok(match word.text.as_str() {
            "store" => {
                let pointer = self.expression()?;
                self.cursor.expect(":=")?;
                StatementKind::Store { pointer, value: self.expression()? }
            }
            "copy" => {
                let (destination, source, size) = self.three_expressions()?;
                StatementKind::Copy { destination, source, size }
            }
            "fill" => {
                let (destination, byte, size) = self.three_expressions()?;
                StatementKind::Fill { destination, byte, size }
            }
            "begin" => {
                let object = self.local()?;
                let size = if self.cursor.accept(",") { Some(self.expression()?) } else { None };
                StatementKind::Begin { object, size }
            }
            "end" => StatementKind::End { object: self.local()? },
            "forget" => StatementKind::Forget { object: self.local()? },
            "call" => self.call(None)?,
            "variadic" => self.variadic()?,
            "assume" => StatementKind::Assume { condition: self.expression()? },
            "check" => StatementKind::Check(self.check()?),
            "unknown" => StatementKind::Unknown { what: self.cursor.text()?, target: None },
            "mark" => StatementKind::Mark(Index::new(self.cursor.number::<u32>()? as usize)),
            _ => return Err(before),
        })
    }

    /// What stands behind `%x :=`.
    fn assignment(&mut self, target: VariableId) -> Result<StatementKind, TextError> {
        let Token::Word(word) = self.cursor.peek().clone() else {
            return Ok(StatementKind::Assign { target, value: self.expression()? });
        };
        let is_statement = ["load", "allocate", "call", "variadic", "input", "volatile", "unknown"]
            .contains(&word.text.as_str());
        if is_statement {
            self.cursor.next();
        }
        Ok(match word.text.as_str() {
            "load" => {
                let overlaid = self.cursor.accept_word("overlaid");
                StatementKind::Load { target, pointer: self.expression()?, overlaid }
            }
            "allocate" => StatementKind::Allocate { target, size: self.expression()? },
            "call" => self.call(Some(target))?,
            "variadic" => {
                self.cursor.expect_word("next")?;
                StatementKind::Variadic { operation: VariadicOp::Next(target), list: self.expression()? }
            }
            "input" => StatementKind::Input { target, name: self.cursor.name()?.text },
            "volatile" => StatementKind::Volatile { target, value: self.expression()? },
            "unknown" => StatementKind::Unknown { what: self.cursor.text()?, target: Some(target) },
            _ => StatementKind::Assign { target, value: self.expression()? },
        })
    }

    fn call(&mut self, target: Option<VariableId>) -> Result<StatementKind, TextError> {
        let callee = if self.cursor.accept("*") {
            Callee::Pointer(self.operand()?)
        } else {
            Callee::Function(self.cursor.function(self.globals)?)
        };
        self.cursor.expect("(")?;
        let mut arguments = Vec::new();
        if !self.cursor.accept(")") {
            loop {
                arguments.push(self.expression()?);
                if self.cursor.accept(")") {
                    break;
                }
                self.cursor.expect(",")?;
            }
        }
        Ok(StatementKind::Call { target, callee, arguments })
    }

    fn variadic(&mut self) -> Result<StatementKind, TextError> {
        let operations = [(0, "start"), (1, "copy"), (2, "end")];
        let operation = self.cursor.accept_item(&operations);
        let operation = operation.ok_or_else(|| self.cursor.expected("start, copy or end"))?;
        let list = self.expression()?;
        let operation = match operation {
            0 => VariadicOp::Start,
            1 => {
                self.cursor.expect(",")?;
                VariadicOp::CopyFrom(self.expression()?)
            }
            _ => VariadicOp::End,
        };
        Ok(StatementKind::Variadic { operation, list })
    }

    fn check(&mut self) -> Result<Check, TextError> {
        let start = self.cursor.expected("a kind of check");
        let Token::Word(word) = self.cursor.next() else { return Err(start) };
        Ok(match word.text.as_str() {
            "readable" => {
                let (pointer, size) = self.two_expressions()?;
                Check::Readable { pointer, size }
            }
            "writable" => {
                let (pointer, size) = self.two_expressions()?;
                Check::Writable { pointer, size }
            }
            "accessible" => {
                let (pointer, size) = self.two_expressions()?;
                Check::Accessible { pointer, size }
            }
            "defined" => Check::Defined { variable: self.variable()?.0 },
            "terminated" => Check::Terminated { pointer: self.expression()? },
            "freeable" => Check::Freeable { pointer: self.expression()? },
            _ => {
                let mut name = word.text;
                // The names of obligations are words with hyphens between them, and none is the start of another one: a
                // minus after a whole name belongs to the condition.
                while Obligation::from_name(&name).is_none()
                    && let (Token::Symbol("-"), Token::Word(next)) =
                        (self.cursor.peek(), self.cursor.peek_at(1))
                {
                    name = format!("{name}-{}", next.text);
                    self.cursor.next();
                    self.cursor.next();
                }
                let obligation = Obligation::from_name(&name).ok_or(start)?;
                let condition = self.expression()?;
                let note = if self.cursor.accept(",") { Some(self.cursor.text()?.into()) } else { None };
                Check::Holds { obligation, condition, note }
            }
        })
    }

    fn two_expressions(&mut self) -> Result<(ExprId, ExprId), TextError> {
        let first = self.expression()?;
        self.cursor.expect(",")?;
        Ok((first, self.expression()?))
    }

    fn three_expressions(&mut self) -> Result<(ExprId, ExprId, ExprId), TextError> {
        let (first, second) = self.two_expressions()?;
        self.cursor.expect(",")?;
        Ok((first, second, self.expression()?))
    }

    fn local(&mut self) -> Result<LocalId, TextError> {
        let unknown = self.cursor.expected("a local object");
        let name = self.cursor.name()?;
        self.locals.get(&name).copied().ok_or(unknown)
    }

    /// A variable of the body or of the program.
    pub(super) fn variable(&mut self) -> Result<(VariableId, Type), TextError> {
        let found = match self.cursor.peek() {
            Token::Local(name) => self.variables.get(name).map(|id| (*id, self.body.variables[*id].ty)),
            Token::Global(name) => self.globals.variables.get(name).copied(),
            _ => None,
        };
        let found = found.ok_or_else(|| self.cursor.expected("a declared variable"))?;
        self.cursor.next();
        Ok(found)
    }
}

fn parameter(name: Name, ty: Type) -> Variable {
    Variable {
        name: name.text,
        ty,
        origin: Origin::Parameter,
        scope: None,
        location: base::Location::unknown(),
    }
}
