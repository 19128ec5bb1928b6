//! Lets a statement give its value directly to the variable that the next statement would copy it to.
//!
//! ```text
//! t := call f()   ─►   x := call f()
//! x := t
//! ```
//!
//! What a compiler chooses keeps its variable: the name of that says who chooses.

use base::Index;

use super::expressions::reads;
use crate::expression::ExprKind;
use crate::function::{Body, Origin};
use crate::statement::{CHOSEN_BY_COMPILER, ORDER_OF_FAILURES, Statement, StatementKind};

/// Takes out the temporaries between a statement and the assignment right after it.
pub fn shorten(body: &mut Body) {
    let reads = reads(body);
    let mut blocks = std::mem::take(&mut body.blocks);
    for (_, block) in blocks.iter_mut() {
        let statements = std::mem::take(&mut block.statements);
        let mut shortened: Vec<Statement> = Vec::with_capacity(statements.len());
        for statement in statements {
            if let StatementKind::Assign { target, value } = statement.kind
                && let ExprKind::Variable(temporary) = body.expressions[value].kind
                && !temporary.is_global()
                && body.variables[temporary].origin == Origin::Temporary
                && ![CHOSEN_BY_COMPILER, ORDER_OF_FAILURES].contains(&body.variables[temporary].name.as_str())
                && reads[temporary.index()] == 1
                && let Some(last) = shortened.last_mut()
                && let Some(given) = last.kind.target_mut()
                && *given == temporary
            {
                *given = target;
            } else {
                shortened.push(statement);
            }
        }
        block.statements = shortened;
    }
    body.blocks = blocks;
}
