//! A function that is entered only where a condition holds.

use program::{ExprId, FunctionId, Program};

use crate::pieces::assume;

/// Lets a function begin with the assumption of a condition, which is an expression of its body. Nothing if the function
/// has no body.
///
/// **Theorem.** The runs that start in the function are those of the old program whose variables fulfil the condition at
/// entry, step by step the same. No edge leads to the entry block, so that the condition is asked once per call.
///
/// **Lost:** all other calls. What is proved of the function says nothing of them.
pub fn assume_at_entry(program: &mut Program, function: FunctionId, condition: ExprId) -> Option<()> {
    let body = program.functions[function].body_mut()?;
    let entry = body.entry();
    let assumption = assume(condition, body.blocks[entry].location);
    body.blocks[entry].statements.insert(0, assumption);
    Some(())
}
