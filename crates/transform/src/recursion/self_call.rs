//! A function that calls itself, as a loop: each iteration is a call in a call.
//!
//! ```text
//! b0: goto head            head: the body; each call f(a, b) of itself becomes
//!                            either   parameters := a, b; all other variables := any; goto head
//!                            or       the call returns, and gives any value
//! ```
//!
//! A chain of calls, each made while the one before is active, is a run of this function that goes to the head at each of
//! them. So if every run comes to the head only finitely often, there is no infinite chain: the recursion stops, as long
//! as what the function does between its calls stops. What the caller's variables hold is of no interest to the callee;
//! its own start with any value, and its objects have new addresses. Memory stays as it is at the call.

use base::Location;
use program::{
    BlockId, Body, Callee, Function, FunctionId, LoopKind, LoopStatement, Origin, Program, Statement,
    StatementKind, Terminator, Type, VariableId,
};

use crate::pieces::{any, assign, block, variable};

/// A program whose only function is a loop of calls in calls.
#[derive(Clone, Debug)]
pub struct RecursionLoop {
    /// The program.
    pub program: Program,
    /// The head of the loop.
    pub head: BlockId,
}

/// Makes a loop of the calls of a function, which has this number, by itself. Gives the head of the loop.
///
/// **Theorem.** For every chain of calls of the function by itself, each made while the one before is active, the new function
/// has a run that comes to the head once for each of them, with the arguments of the call in the parameters. So if no run
/// comes to the head infinitely often, no such chain is infinite.
///
/// **Lost:** what calls that return give and do. Nothing if it does not call itself, or not as it is
/// defined: then the function is of no use any more.
pub fn self_calls_as_loop(function: &mut Function, own: FunctionId) -> Option<BlockId> {
    let location = function.location;
    if function.variadic {
        return None;
    }
    let body = function.body_mut()?;
    let head = move_entry(body, location);
    let mut calls = 0;
    let mut left: Vec<BlockId> = body.blocks.ids().collect();
    while let Some(block) = left.pop() {
        let is_own = |statement: &Statement| matches!(statement.kind, StatementKind::Call { callee: Callee::Function(callee), .. } if callee == own);
        let Some(place) = body.blocks[block].statements.iter().position(is_own) else { continue };
        left.push(split(body, block, place, head)?);
        calls += 1;
    }
    (calls > 0).then_some(head)
}

/// Puts an empty block before the entry, so that jumps can lead there.
fn move_entry(body: &mut Body, location: Location) -> BlockId {
    let entry = body.entry();
    let statement = LoopStatement { kind: LoopKind::Do, location };
    let mut moved = body.blocks[entry].clone();
    moved.loop_statement = Some(statement);
    let head = body.blocks.push(moved);
    body.blocks[entry] = block(Vec::new(), Terminator::Goto(head), location);
    head
}

/// Makes a choice of a call by the function of itself. Gives the block that goes on after it.
fn split(body: &mut Body, block: BlockId, place: usize, head: BlockId) -> Option<BlockId> {
    let statement = &body.blocks[block].statements[place];
    let StatementKind::Call { arguments, .. } = &statement.kind else { return None };
    let (arguments, location) = (arguments.clone(), statement.location);
    let mut enter = Vec::new();
    let mut given = Vec::new();
    // All are computed before any parameter changes.
    for (&parameter, &argument) in body.parameters.clone().iter().zip(&arguments) {
        let ty = body.variables[parameter].ty;
        if body.expressions[argument].ty != ty {
            return None;
        }
        let copy = temporary(body, ty, location);
        enter.push(assign(copy, argument, location));
        given.push(assign(parameter, body.read(copy), location));
    }
    if arguments.len() != body.parameters.len() {
        return None;
    }
    enter.extend(given);
    let own: Vec<VariableId> = body.variables.ids().filter(|one| !body.parameters.contains(one)).collect();
    enter.extend(own.into_iter().map(|target| any(target, "another call", location)));
    let begins = body.locals.ids().map(|object| StatementKind::Begin { object, size: None });
    enter.extend(begins.map(|kind| Statement { kind, location }));
    Some(choice(body, block, place, enter, Terminator::Goto(head))?.1)
}

/// Makes a choice of a call: to follow it, by some statements and a jump, or to go on after it. Gives the two blocks.
pub(super) fn choice(
    body: &mut Body,
    block: BlockId,
    place: usize,
    enter: Vec<Statement>,
    terminator: Terminator,
) -> Option<(BlockId, BlockId)> {
    let mut after = body.blocks[block].statements.split_off(place);
    let (location, end) = (after[0].location, body.blocks[block].location);
    let chosen = temporary(body, Type::Bool, location);
    let enter = body.blocks.push(self::block(enter, terminator, location));
    // The block that goes on keeps the call: elsewhere it is one that returns.
    let unknown = body.null();
    let StatementKind::Call { callee, .. } = &mut after[0].kind else { return None };
    *callee = Callee::Pointer(unknown);
    let terminator = body.blocks[block].terminator.clone();
    let after = body.blocks.push(self::block(after, terminator, end));
    body.blocks[block].statements.push(any(chosen, "elsewhere", location));
    let condition = body.read(chosen);
    body.blocks[block].terminator = Terminator::Branch { condition, then: enter, otherwise: after };
    Some((enter, after))
}

fn temporary(body: &mut Body, ty: Type, location: Location) -> VariableId {
    let name = format!("call{}", body.variables.len());
    variable(body, name, ty, Origin::Temporary, location)
}
