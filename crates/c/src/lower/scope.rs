//! Scopes and what happens when they are left: lives end, cleanup functions are called.
//!
//! A jump to a label or a case can enter a scope past declarations: the objects of those live as long as the function.

use std::collections::HashSet;

use program::{BlockId, Callee, FunctionId, LocalId, ObjectRef, Scope, ScopeId, StatementKind};
use rucc_diag::Span;
use rucc_sema::{DeclId, Stmt, StmtId, Tast};

use super::body::BodyLowering;

/// A scope that is open where the lowering stands.
pub(super) struct OpenScope {
    pub(super) id: ScopeId,
    /// What happens when it is left, in reverse order.
    pub(super) leaving: Vec<Leaving>,
}

/// Something that happens when a scope is left.
#[derive(Clone, Copy)]
pub(super) enum Leaving {
    /// The life of an object ends.
    End(LocalId),
    /// The value of an object that lives as long as the function is of no use any more.
    Forget(LocalId),
    /// The function that the attribute `cleanup` names is called with a pointer to the object.
    Cleanup(LocalId, FunctionId),
}

/// Where `break` or `continue` goes, and how many scopes stay open there.
#[derive(Clone, Copy)]
pub(super) struct JumpTarget {
    pub(super) block: BlockId,
    pub(super) scopes: usize,
}

impl BodyLowering<'_, '_> {
    /// Opens a scope of the source.
    pub(super) fn open_scope(&mut self, span: Span) {
        self.at(span);
        let scope =
            Scope { parent: self.scopes.last().map(|scope| scope.id), location: self.builder.location };
        let id = self.builder.body.scopes.push(scope);
        self.scopes.push(OpenScope { id, leaving: Vec::new() });
    }

    /// Closes the innermost scope: its objects end.
    pub(super) fn close_scope(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            self.leave_scope(&scope.leaving);
        }
    }

    /// Closes the innermost scope, but leaves its objects to the one around it.
    pub(super) fn dissolve_scope(&mut self) {
        if let Some(scope) = self.scopes.pop()
            && let Some(outer) = self.scopes.last_mut()
        {
            outer.leaving.extend(scope.leaving);
        }
    }

    /// How many scopes are open.
    pub(super) fn open_scopes(&self) -> usize {
        self.scopes.len()
    }

    /// Jumps out of scopes: the objects of those that do not stay open end.
    pub(super) fn jump(&mut self, target: JumpTarget) {
        let left: Vec<Leaving> =
            self.scopes[target.scopes..].iter().flat_map(|scope| scope.leaving.iter().copied()).collect();
        self.leave_scope(&left);
        self.builder.goto(target.block);
    }

    fn leave_scope(&mut self, leaving: &[Leaving]) {
        for &step in leaving.iter().rev() {
            match step {
                Leaving::End(object) => self.builder.push(StatementKind::End { object }),
                Leaving::Forget(object) => self.builder.push(StatementKind::Forget { object }),
                Leaving::Cleanup(object, function) => {
                    let arguments = vec![self.builder.body.address(ObjectRef::Local(object))];
                    let callee = Callee::Function(function);
                    self.builder.push(StatementKind::Call { target: None, callee, arguments });
                }
            }
        }
    }

    /// Calls all functions that the attribute `cleanup` names in open scopes: the function is left.
    pub(super) fn clean_up(&mut self) {
        let cleanups: Vec<Leaving> = self
            .scopes
            .iter()
            .flat_map(|scope| scope.leaving.iter().copied())
            .filter(|step| matches!(step, Leaving::Cleanup(..)))
            .collect();
        self.leave_scope(&cleanups);
    }

    /// Whether leaving an open scope calls a function.
    pub(super) fn has_cleanup(&self) -> bool {
        self.scopes.iter().flat_map(|scope| &scope.leaving).any(|step| matches!(step, Leaving::Cleanup(..)))
    }

    /// From here on, leaving the scope of the object calls the function with a pointer to it.
    pub(super) fn add_cleanup(&mut self, object: LocalId, function: DeclId) {
        let function = self.owner.function(function);
        if let Some(scope) = self.scopes.last_mut() {
            scope.leaving.push(Leaving::Cleanup(object, function));
        }
    }
}

/// The declarations that a jump to a label or a case can pass: those before it in a block around it.
pub(super) fn hoisted(tast: &Tast, body: StmtId) -> HashSet<DeclId> {
    let mut scan = JumpScan { tast, open: Vec::new(), hoisted: HashSet::new() };
    scan.statement(body, 0);
    scan.hoisted
}

struct JumpScan<'t> {
    tast: &'t Tast,
    open: Vec<DeclId>,
    hoisted: HashSet<DeclId>,
}

impl JumpScan<'_> {
    /// Walks a statement; `switch` is how many of the open declarations stand outside the innermost switch.
    fn statement(&mut self, statement: StmtId, switch: usize) {
        match self.tast[statement] {
            Stmt::Block(list) => {
                let outer = self.open.len();
                for &child in &self.tast[list] {
                    self.statement(child, switch);
                }
                self.open.truncate(outer);
            }
            Stmt::Decls(list) => self.open.extend_from_slice(&self.tast[list]),
            Stmt::If { then, otherwise, .. } => {
                self.statement(then, switch);
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise, switch);
                }
            }
            Stmt::While { body, .. } | Stmt::DoWhile { body, .. } => self.statement(body, switch),
            Stmt::For { init, body, .. } => {
                let outer = self.open.len();
                if let Some(init) = init {
                    self.statement(init, switch);
                }
                self.statement(body, switch);
                self.open.truncate(outer);
            }
            Stmt::Switch { body, .. } => self.statement(body, self.open.len()),
            Stmt::Case { body, .. } | Stmt::Default { body } => {
                self.hoisted.extend(self.open.iter().skip(switch));
                self.statement(body, switch);
            }
            Stmt::Label { body, .. } => {
                self.hoisted.extend(self.open.iter());
                self.statement(body, switch);
            }
            _ => {}
        }
    }
}
