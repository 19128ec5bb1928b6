//! Functions: a signature, and a body that is a control-flow graph over variables, local objects and expressions.

use std::collections::{BTreeMap, BTreeSet};

use base::{Arena, Location, index_type};

use crate::expression::{Expr, ExprId, VariableId};
use crate::statement::{Statement, Terminator};
use crate::types::Type;

index_type!(
    /// A block of a function.
    BlockId,
    "b"
);

index_type!(
    /// A local object of a function.
    LocalId,
    "local"
);

index_type!(
    /// A scope of a function: a C block with declarations.
    ScopeId,
    "scope"
);

/// A function of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name, unique in the program: a `static` one that is not the first of its name carries its file's.
    pub name: String,
    /// Where it is defined, or declared.
    pub location: Location,
    /// The types of its parameters. An aggregate is a pointer to a copy that the caller made.
    pub parameters: Vec<Type>,
    /// The sizes of the aggregates among the parameters, by position, the place for an aggregate result included. Such a
    /// parameter always points to an object of this size.
    pub aggregates: BTreeMap<usize, u64>,
    /// The type of its result. An aggregate is written through a pointer that comes before all parameters.
    pub result: Option<Type>,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// Whether a call never comes back.
    pub no_return: bool,
    /// What it does.
    pub definition: Definition,
}

/// What is known of what a function does.
#[derive(Clone, PartialEq, Debug)]
pub enum Definition {
    /// Its body.
    Body(Box<Body>),
    /// Nothing: it is defined elsewhere.
    External,
    /// It has a body that could not be represented.
    Unsupported {
        /// Which construct is the reason.
        reason: String,
        /// Where that construct stands.
        location: Location,
    },
}

/// The body of a function.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Body {
    /// The variables that hold the parameters on entry, in order.
    pub parameters: Vec<VariableId>,
    /// All variables, parameters included.
    pub variables: Arena<VariableId, Variable>,
    /// The objects that the function can create.
    pub locals: Arena<LocalId, LocalObject>,
    /// The scopes, outer before inner; the first is the function's own.
    pub scopes: Arena<ScopeId, Scope>,
    /// All expressions; an operand stands before the expression that uses it.
    pub expressions: Arena<ExprId, Expr>,
    /// The blocks. Control enters at the first one, and no edge leads back to it.
    pub blocks: Arena<BlockId, Block>,
}

/// A variable: it holds one value and has no address.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its C name (`i`, `point.x`), or a name made for a value that C does not name (`t12`).
    pub name: String,
    /// The type of its values.
    pub ty: Type,
    /// What it stands for.
    pub origin: Origin,
    /// The scope that declares it.
    pub scope: Option<ScopeId>,
    /// Where it is declared.
    pub location: Location,
}

/// What a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// A variable of the source, or a scalar part of one.
    Source,
    /// A parameter of the source.
    Parameter,
    /// A value in the middle of an expression.
    Temporary,
}

/// An object of a function: it lives from `begin` to `end`, and has an address.
#[derive(Clone, PartialEq, Debug)]
pub struct LocalObject {
    /// Its C name, or a name made for an object that C does not name.
    pub name: String,
    /// Its size in bytes, if it always has the same.
    pub size: Option<u64>,
    /// Its address is a multiple of this.
    pub alignment: u64,
    /// The scope that declares it.
    pub scope: Option<ScopeId>,
    /// Where it is declared.
    pub location: Location,
    /// The names of its scalar parts, at rising offsets, if it is a struct and they are known. They only serve to
    /// name the variables that the parts become, and are part of the text form.
    pub fields: Vec<FieldName>,
}

/// The name of a scalar part of an object: `x`, or `origin.y` for a part of a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldName {
    /// Where the part starts in the object, in bytes.
    pub offset: u64,
    /// The type of the part's value.
    pub ty: Type,
    /// Its name, without that of the object.
    pub name: String,
}

/// A scope of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scope {
    /// The scope around it.
    pub parent: Option<ScopeId>,
    /// Where it starts.
    pub location: Location,
}

/// A block: statements without jumps, and an end.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// The statements, in order.
    pub statements: Vec<Statement>,
    /// How it ends.
    pub terminator: Terminator,
    /// Where the end stands in the source.
    pub location: Location,
    /// The loop statement of the source whose head this block is: where each iteration passes.
    pub loop_statement: Option<LoopStatement>,
    /// The loop statement, by its place, whose body begins here, if it tests first: an iteration of it begins whenever
    /// control enters this block. An iteration of any other loop begins at its head.
    pub body_of: Option<Location>,
}

/// A loop statement of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoopStatement {
    /// Its keyword.
    pub kind: LoopKind,
    /// Where the keyword stands.
    pub location: Location,
}

/// What makes a loop in the source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LoopKind {
    /// `for`.
    For,
    /// `while`.
    While,
    /// `do`.
    Do,
    /// A jump back.
    Goto,
}

impl LoopKind {
    /// Its keyword.
    pub const fn name(self) -> &'static str {
        match self {
            LoopKind::For => "for",
            LoopKind::While => "while",
            LoopKind::Do => "do",
            LoopKind::Goto => "goto",
        }
    }

    /// Whether it tests before its body, and not after it.
    pub const fn tests_first(self) -> bool {
        matches!(self, LoopKind::For | LoopKind::While)
    }
}

impl std::fmt::Display for LoopKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Function {
    /// Whether the program defines it, represented or not.
    pub fn is_defined(&self) -> bool {
        !matches!(self.definition, Definition::External)
    }

    /// The body, if there is one.
    pub fn body(&self) -> Option<&Body> {
        match &self.definition {
            Definition::Body(body) => Some(body),
            _ => None,
        }
    }

    /// The body, if there is one, to change.
    pub fn body_mut(&mut self) -> Option<&mut Body> {
        match &mut self.definition {
            Definition::Body(body) => Some(body),
            _ => None,
        }
    }
}

impl Body {
    /// All statements, block by block.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        self.blocks.values().flat_map(|block| &block.statements)
    }

    /// Where control enters.
    pub fn entry(&self) -> BlockId {
        base::Index::new(0)
    }

    /// The blocks from which control can come to each block, each once for every edge, in order.
    pub fn predecessors(&self) -> Arena<BlockId, Vec<BlockId>> {
        let mut predecessors: Arena<BlockId, Vec<BlockId>> = self.blocks.ids().map(|_| Vec::new()).collect();
        for (id, block) in self.blocks.iter() {
            for successor in block.terminator.successors() {
                predecessors[successor].push(id);
            }
        }
        predecessors
    }

    /// The blocks of a loop to which control comes from its head before an iteration begins: those of the condition of a
    /// loop that tests first. They can be passed once more than there are iterations.
    pub fn before_iterations(&self, head: BlockId, blocks: &[BlockId]) -> BTreeSet<BlockId> {
        let statement = self.blocks[head].loop_statement.filter(|one| one.kind.tests_first());
        let Some(place) = statement.map(|one| one.location) else { return BTreeSet::new() };
        let is_body = |block: BlockId| self.blocks[block].body_of == Some(place);
        if is_body(head) {
            return BTreeSet::new();
        }
        let mut before = BTreeSet::from([head]);
        if blocks.iter().any(|&block| is_body(block)) {
            let own: BTreeSet<BlockId> = blocks.iter().copied().collect();
            let mut left = vec![head];
            while let Some(block) = left.pop() {
                let next = self.blocks[block].terminator.successors();
                let stays = |next: &BlockId| own.contains(next) && !is_body(*next);
                left.extend(next.filter(stays).filter(|&next| before.insert(next)));
            }
        }
        before
    }

    /// The blocks that control can reach, in reverse post-order: a block before those it leads to, but for back edges.
    pub fn reverse_post_order(&self) -> Vec<BlockId> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::with_capacity(self.blocks.len());
        let mut stack =
            vec![(self.entry(), self.blocks[self.entry()].terminator.successors().collect::<Vec<_>>())];
        seen[0] = true;
        while let Some((block, rest)) = stack.last_mut() {
            match rest.pop() {
                Some(next) => {
                    let index = base::Index::index(next);
                    if !seen[index] {
                        seen[index] = true;
                        stack.push((next, self.blocks[next].terminator.successors().collect()));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// Calls the function on every variable that the expression reads, in order of occurrence.
    pub fn for_each_variable(&self, expression: ExprId, visit: &mut impl FnMut(VariableId)) {
        let mut stack = vec![expression];
        while let Some(id) = stack.pop() {
            let expr = &self.expressions[id];
            if let crate::ExprKind::Variable(variable) = expr.kind {
                visit(variable);
            }
            let first = stack.len();
            stack.extend(expr.operands());
            stack[first..].reverse();
        }
    }
}
