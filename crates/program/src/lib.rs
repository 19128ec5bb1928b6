//! The program representation: typed control-flow graphs with explicit obligations.
//!
//! ```text
//! Program ─┬─ objects    bytes that live as long as the program
//!          ├─ globals    scalars that live as long as the program and have no address
//!          └─ functions ── Body ─┬─ variables    scalars without an address
//!                                ├─ locals       objects with an address and a lifetime
//!                                ├─ expressions  pure trees over variables
//!                                └─ blocks ── statements ── terminator
//! ```
//!
//! A pointer is an object and an offset. Whatever can go wrong is a check statement in front of the statement
//! that it guards. The crate knows nothing of C's syntax, and nothing of analyses.

pub mod annotation;
pub mod arithmetic;
pub mod builder;
pub mod expression;
pub mod float;
mod flow;
pub mod function;
pub mod interpret;
pub mod library;
pub mod order;
pub mod outside;
pub mod passes;
pub mod program;
pub mod statement;
pub mod text;
pub mod types;
pub mod verify;

pub use annotation::Annotations;
pub use builder::BodyBuilder;
pub use expression::{BinaryOp, Expr, ExprId, ExprKind, ObjectRef, OverflowOp, UnaryOp, VariableId};
pub use function::{
    Block, BlockId, Body, Definition, FieldName, Function, LocalId, LocalObject, LoopKind, LoopStatement,
    Origin, Scope, ScopeId, Variable,
};
pub use outside::World;
pub use program::{FunctionId, GlobalObject, GlobalVariable, Initial, ObjectId, Pointer, Program, Value};
pub use statement::{
    CHOSEN_BY_COMPILER, Callee, Case, Check, MarkId, ORDER_OF_EVALUATION, ORDER_OF_FAILURES, Obligation,
    Statement, StatementKind, Terminator, VariadicOp,
};
pub use types::{DataModel, FloatFormat, IntegerType, Type};
