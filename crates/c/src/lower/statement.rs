//! Statements: sequences, loops, switches and jumps.

use program::{BlockId, Case, LoopKind, LoopStatement, StatementKind, Terminator, Type};
use rucc_diag::Span;
use rucc_sema::{CaseList, DeclId, DeclKind, ExprId, Stmt, StmtId};

use super::body::BodyLowering;
use super::scope::JumpTarget;
use super::{Lowered, unsupported};

impl BodyLowering<'_, '_> {
    /// Lowers a statement.
    pub(super) fn statement(&mut self, statement: StmtId) -> Lowered<()> {
        let unit = self.unit;
        let span = unit.tast.stmt_span(statement);
        self.at(span);
        match unit.tast[statement] {
            Stmt::Error => unsupported("a statement with errors", span),
            Stmt::Empty => Ok(()),
            Stmt::Expr(expression) => self.discard(expression),
            Stmt::Block(list) => {
                self.open_scope(span);
                for &child in &unit.tast[list] {
                    self.statement(child)?;
                }
                self.close_scope();
                Ok(())
            }
            Stmt::Decls(list) => unit.tast[list].iter().try_for_each(|&decl| self.declaration(decl)),
            Stmt::If { cond, then, otherwise } => self.if_statement(cond, then, otherwise),
            Stmt::While { cond, body } => self.while_loop(cond, body, span),
            Stmt::DoWhile { body, cond } => self.do_loop(body, cond, span),
            Stmt::For { init, cond, step, body } => self.for_loop(init, cond, step, body, span),
            Stmt::Switch { cond, body, cases, default } => self.switch(cond, body, cases, default),
            Stmt::Case { case, body } => {
                let Some(&block) = self.cases.get(&case) else {
                    return unsupported("a case outside its switch", span);
                };
                self.labelled(block, body)
            }
            Stmt::Default { body } => {
                let Some(&block) = self.defaults.get(&statement).or_else(|| self.defaults.get(&body)) else {
                    return unsupported("a default outside its switch", span);
                };
                self.labelled(block, body)
            }
            Stmt::Label { label, body } => {
                let block = self.label(label);
                self.labelled(block, body)
            }
            Stmt::Goto(_) | Stmt::IndirectGoto(_) if self.has_cleanup() => {
                unsupported("a goto in the scope of the attribute cleanup", span)
            }
            Stmt::Goto(label) => {
                let block = self.label(label);
                self.builder.goto(block);
                Ok(())
            }
            Stmt::IndirectGoto(target) => self.indirect_goto(target, span),
            Stmt::Asm(asm) => self.inline_assembler(asm, span),
            Stmt::Break => self.leave(self.breaks.last().copied(), span),
            Stmt::Continue => self.leave(self.continues.last().copied(), span),
            Stmt::Return(value) => self.return_statement(value),
        }
    }

    fn labelled(&mut self, block: BlockId, body: StmtId) -> Lowered<()> {
        self.builder.goto(block);
        self.builder.switch_to(block);
        self.statement(body)
    }

    fn leave(&mut self, target: Option<JumpTarget>, span: Span) -> Lowered<()> {
        match target {
            Some(target) => {
                self.jump(target);
                Ok(())
            }
            None => unsupported("a jump out of nothing", span),
        }
    }

    fn declaration(&mut self, decl: DeclId) -> Lowered<()> {
        let declared = &self.unit.tast[decl];
        self.at(self.unit.tast.decl_span(decl));
        match declared.kind {
            // A function that a block only declares may be defined outside.
            DeclKind::Function if declared.body.is_some() && !self.unit.tast.top_level().contains(&decl) => {
                unsupported("a nested function", self.unit.tast.decl_span(decl))
            }
            DeclKind::Function => Ok(()),
            DeclKind::Type => self.measure(declared.ty),
            DeclKind::Object if self.is_static(decl) => Ok(()),
            DeclKind::Object => {
                let local = self.declare_local(decl)?;
                if let Some(init) = declared.init {
                    self.initialise(local, declared.ty, init)?;
                    self.mark_filled(decl, local);
                }
                if let Some(function) = declared.cleanup {
                    self.add_cleanup(local, function);
                }
                Ok(())
            }
        }
    }

    fn if_statement(&mut self, condition: ExprId, then: StmtId, otherwise: Option<StmtId>) -> Lowered<()> {
        let then_block = self.builder.new_block();
        let next = self.builder.new_block();
        let otherwise_block = if otherwise.is_some() { self.builder.new_block() } else { next };
        self.branch_on(condition, then_block, otherwise_block)?;
        self.builder.switch_to(then_block);
        self.statement(then)?;
        self.builder.goto(next);
        if let Some(otherwise) = otherwise {
            self.builder.switch_to(otherwise_block);
            self.statement(otherwise)?;
            self.builder.goto(next);
        }
        self.builder.switch_to(next);
        Ok(())
    }

    /// A block that every iteration of a loop passes, and control is in it now.
    fn loop_head(&mut self, kind: LoopKind, span: Span) -> BlockId {
        let head = self.builder.new_block();
        self.builder.goto(head);
        self.builder.switch_to(head);
        self.at(span);
        let location = self.builder.location;
        self.builder.body.blocks[head].loop_statement = Some(LoopStatement { kind, location });
        if let (Some(function), Some(scope)) = (self.owner.defining, self.scopes.last()) {
            self.owner.loops.insert(span.lo, (function, scope.id));
        }
        head
    }

    /// Says where an iteration of a loop that tests first begins, and goes on there.
    fn begin_body(&mut self, head: BlockId, body: BlockId) {
        let blocks = &mut self.builder.body.blocks;
        blocks[body].body_of = blocks[head].loop_statement.map(|statement| statement.location);
        self.builder.switch_to(body);
    }

    fn loop_body(&mut self, body: StmtId, exit: BlockId, next: BlockId) -> Lowered<()> {
        let scopes = self.open_scopes();
        self.breaks.push(JumpTarget { block: exit, scopes });
        self.continues.push(JumpTarget { block: next, scopes });
        self.statement(body)?;
        self.breaks.pop();
        self.continues.pop();
        self.builder.goto(next);
        Ok(())
    }

    fn while_loop(&mut self, condition: ExprId, body: StmtId, span: Span) -> Lowered<()> {
        let head = self.loop_head(LoopKind::While, span);
        let body_block = self.builder.new_block();
        let exit = self.builder.new_block();
        self.branch_on(condition, body_block, exit)?;
        self.begin_body(head, body_block);
        self.loop_body(body, exit, head)?;
        self.builder.switch_to(exit);
        Ok(())
    }

    fn do_loop(&mut self, body: StmtId, condition: ExprId, span: Span) -> Lowered<()> {
        let head = self.loop_head(LoopKind::Do, span);
        let test = self.builder.new_block();
        let exit = self.builder.new_block();
        self.loop_body(body, exit, test)?;
        self.builder.switch_to(test);
        self.branch_on(condition, head, exit)?;
        self.builder.switch_to(exit);
        Ok(())
    }

    fn for_loop(
        &mut self,
        init: Option<StmtId>,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        span: Span,
    ) -> Lowered<()> {
        self.open_scope(span);
        if let Some(init) = init {
            self.statement(init)?;
        }
        let head = self.loop_head(LoopKind::For, span);
        let body_block = self.builder.new_block();
        let step_block = self.builder.new_block();
        let exit = self.builder.new_block();
        match condition {
            Some(condition) => self.branch_on(condition, body_block, exit)?,
            None => self.builder.goto(body_block),
        }
        self.begin_body(head, body_block);
        self.loop_body(body, exit, step_block)?;
        self.builder.switch_to(step_block);
        if let Some(step) = step {
            self.discard(step)?;
        }
        self.builder.goto(head);
        self.builder.switch_to(exit);
        self.close_scope();
        Ok(())
    }

    fn switch(
        &mut self,
        condition: ExprId,
        body: StmtId,
        cases: CaseList,
        default: Option<StmtId>,
    ) -> Lowered<()> {
        let value = self.value(condition)?;
        let Type::Integer(integer) = self.builder.body.type_of(value) else {
            return unsupported(
                "a switch over something that is no integer",
                self.unit.tast.expr_span(condition),
            );
        };
        let exit = self.builder.new_block();
        let mut ranges = Vec::new();
        for (id, case) in cases.iter().zip(&self.unit.tast[cases]) {
            let block = self.builder.new_block();
            self.cases.insert(id, block);
            let (low, high) =
                (program::arithmetic::wrap(integer, case.low), program::arithmetic::wrap(integer, case.high));
            if program::arithmetic::compare(integer, low, high).is_le() {
                ranges.push(Case { low, high, target: block });
            }
        }
        let default = match default {
            Some(statement) => {
                let block = self.builder.new_block();
                self.defaults.insert(statement, block);
                block
            }
            None => exit,
        };
        self.builder.end(Terminator::Switch { value, cases: ranges, default });
        // What stands before the first case cannot be reached, but may declare objects.
        let before = self.builder.new_block();
        self.builder.switch_to(before);
        self.breaks.push(JumpTarget { block: exit, scopes: self.open_scopes() });
        self.statement(body)?;
        self.breaks.pop();
        self.builder.goto(exit);
        self.builder.switch_to(exit);
        Ok(())
    }

    fn indirect_goto(&mut self, target: ExprId, span: Span) -> Lowered<()> {
        let pointer = self.value(target)?;
        self.at(span);
        let address = self.builder.body.convert(self.model.size_type(), pointer);
        let address = self.simple(address);
        let block = self.builder.current();
        if !self.builder.is_ended() {
            self.indirect_jumps.push((block, address));
        }
        // The block gets its end when all labels are known; what follows starts a new one.
        let next = self.builder.new_block();
        self.builder.switch_to(next);
        Ok(())
    }

    fn return_statement(&mut self, value: Option<ExprId>) -> Lowered<()> {
        let result = match (value, self.result_pointer) {
            (Some(value), Some(pointer)) => {
                let destination = self.builder.body.read(pointer);
                self.copy_to(destination, value)?;
                None
            }
            (Some(value), None) if self.unit.scalar(self.result).is_some() => {
                let value = self.value(value)?;
                Some(if self.has_cleanup() { self.simple(value) } else { value })
            }
            (Some(value), None) => {
                self.discard(value)?;
                None
            }
            (None, _) => None,
        };
        self.clean_up();
        self.builder.end(Terminator::Return(result));
        Ok(())
    }

    /// A statement that nothing is known about.
    pub(super) fn unknown(&mut self, what: &str, ty: Option<Type>) -> Option<program::ExprId> {
        let target = ty.map(|ty| self.temporary(ty));
        self.builder.push(StatementKind::Unknown { what: what.to_owned(), target });
        target.map(|target| self.builder.body.read(target))
    }
}
