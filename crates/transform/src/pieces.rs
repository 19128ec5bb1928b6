//! The statements and blocks that new programs are made of.

use base::Location;
use program::{
    Block, Body, ExprId, Origin, Statement, StatementKind, Terminator, Type, Variable, VariableId,
};

/// A variable gets any value.
pub(crate) fn any(target: VariableId, name: &str, location: Location) -> Statement {
    Statement { kind: StatementKind::Input { target, name: String::from(name) }, location }
}

/// A variable gets the value of an expression.
pub(crate) fn assign(target: VariableId, value: ExprId, location: Location) -> Statement {
    Statement { kind: StatementKind::Assign { target, value }, location }
}

/// Runs go on only where a condition holds.
pub(crate) fn assume(condition: ExprId, location: Location) -> Statement {
    Statement { kind: StatementKind::Assume { condition }, location }
}

/// A block that is neither the head nor the body of a loop of the source.
pub(crate) fn block(statements: Vec<Statement>, terminator: Terminator, location: Location) -> Block {
    Block { statements, terminator, location, loop_statement: None, body_of: None }
}

/// A new variable of a body.
pub(crate) fn variable(
    body: &mut Body,
    name: String,
    ty: Type,
    origin: Origin,
    location: Location,
) -> VariableId {
    body.variables.push(Variable { name, ty, origin, scope: None, location })
}
