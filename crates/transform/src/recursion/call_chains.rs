//! A program with recursion as one function without calls: it has a run for every chain of calls.
//!
//! A run that does not end has a call that does not return, in it perhaps another, and so on. If these are finitely many,
//! the last one goes on for ever, though all that it calls returns. If they are infinitely many, they are a chain without
//! an end. Both are infinite runs of the function that is made here, which follows such calls ([`super::stations`]) and,
//! where calls return, lets them give any value. So if all its runs end, those of the program do.
//!
//! What a call that returns has done to memory is not known. [`ChainMemory::Kept`] has no calls that return: it is for
//! programs with recursion in which nothing that could go on for ever comes after them. There the calls of functions that
//! do not lead to a recursion are left as they are. [`ChainMemory::Dropped`] is for all others, with recursion or
//! without: functions stand on their own, and nothing is known of memory. What is known of pointers is that each access
//! is to the object in which the pointer began to walk: a run that goes wrong there has ended. Pointers that are moved and
//! not used for an access may be anywhere.

use std::collections::{BTreeMap, BTreeSet};

use program::library::effects_of;
use program::{
    BlockId, Body, Callee, Definition, ExprKind, FunctionId, Program, Statement, StatementKind, Type,
    VariableId,
};

use super::stations::{Cut, Joined, Part, Plan};
use crate::call_graph::CallGraph;
use crate::modular::{Moves, modular_where};

/// What a chain of calls keeps of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChainMemory {
    /// All of it. What is done after a call has returned cannot go on for ever.
    Kept,
    /// Nothing. Calls may also return, and then give any value.
    Dropped,
}

/// The program in which the body of a function follows chains of calls.
///
/// **Theorem.** If a run from the function does not end in the old program, there is one from it that does not end in the new
/// one.
///
/// **Lost:** runs that end, what calls that return have done and, if it is dropped, memory. Nothing if there is neither
/// recursion nor memory behind the function, so that this tells nothing new, or if what it does is not of a kind that
/// can be examined so.
pub fn call_chains(program: &Program, entry: FunctionId, kept: ChainMemory) -> Option<Program> {
    // Whoever has the address of the function that is replaced would call what replaces it.
    if program.names_function(entry) {
        return None;
    }
    // What others may have written is asked of the whole program: chains leave out what comes after calls.
    let entered = match program::outside::starts_fresh(program, entry) {
        true => None,
        false => Some(program::outside::entered_anytime(program)),
    };
    let program = entered.as_ref().unwrap_or(program);
    let calls = CallGraph::of(program);
    let reached: BTreeSet<FunctionId> = calls.behind(entry).collect();
    if reached.contains(&entry) {
        return call_chains(&has_no_callers(program, entry)?, entry, kept);
    }
    let in_circle = |function: &FunctionId| calls.in_circle(*function);
    let is_recursive =
        |function: &FunctionId| in_circle(function) || calls.behind(*function).any(|one| in_circle(&one));
    let has_recursion = reached.iter().any(in_circle);
    let is_any = match kept {
        ChainMemory::Kept => has_recursion,
        ChainMemory::Dropped => {
            let mut all = reached.iter().chain([&entry]).filter_map(|&one| program.functions[one].body());
            has_recursion || all.any(uses_memory)
        }
    };
    if !is_any {
        return None;
    }
    let followed: Vec<FunctionId> = match kept {
        ChainMemory::Kept => reached.iter().copied().filter(is_recursive).collect(),
        ChainMemory::Dropped => reached.iter().copied().collect(),
    };
    let plan = Plan::new(program, calls.groups(followed.iter().copied()))?;
    let bodies = || followed.iter().chain([&entry]).map(|&function| program.functions[function].body());
    for body in bodies() {
        let is_fit = match kept {
            ChainMemory::Kept => are_last(program, body?, &plan),
            ChainMemory::Dropped => stands_alone(program, body?),
        };
        if !is_fit {
            return None;
        }
    }
    let mut cut = program.clone();
    let mut parts: BTreeMap<FunctionId, Part> = BTreeMap::new();
    let how = if kept == ChainMemory::Kept { Cut::Follow } else { Cut::Choice };
    for &function in followed.iter().chain([&entry]) {
        parts.insert(function, plan.cut_calls(cut.functions[function].body_mut()?, how)?);
    }
    if kept == ChainMemory::Dropped {
        // A run begins with the values that variables have at the start, unless others may have run before.
        let globals = if program::outside::starts_fresh(program, entry) {
            cut.globals.clone()
        } else {
            program::outside::entered_anytime(&cut).globals
        };
        cut = modular_where(&cut, Moves::Any);
        for (now, before) in cut.globals.iter_mut().zip(globals) {
            if !matches!(before.initial, program::Value::Pointer(_)) {
                *now = before;
            }
        }
    }
    let body = joined(&cut, entry, &followed, &plan, &parts, kept)?;
    // A function that is called in another way keeps its body.
    let mut result = if kept == ChainMemory::Kept { program.clone() } else { cut };
    result.functions[entry].definition = Definition::Body(Box::new(body));
    Some(result)
}

/// The same program, in which a copy of the function is called in its place: runs start in a function that nobody calls.
/// Nothing if a function is called through a pointer: it may be this one.
fn has_no_callers(program: &Program, entry: FunctionId) -> Option<Program> {
    let mut changed = program.clone();
    let mut copy = program.functions[entry].clone();
    copy.name.push_str(" (called)");
    let copy = changed.functions.push(copy);
    for (_, function) in changed.functions.iter_mut() {
        let Some(body) = function.body_mut() else { continue };
        for (_, block) in body.blocks.iter_mut() {
            for statement in &mut block.statements {
                match &mut statement.kind {
                    StatementKind::Call { callee: Callee::Function(callee), .. } if *callee == entry => {
                        *callee = copy;
                    }
                    StatementKind::Call { callee: Callee::Pointer(..), .. } => return None,
                    _ => {}
                }
            }
        }
    }
    Some(changed)
}

fn joined(
    cut: &Program,
    entry: FunctionId,
    followed: &[FunctionId],
    plan: &Plan,
    parts: &BTreeMap<FunctionId, Part>,
    kept: ChainMemory,
) -> Option<Body> {
    let first = cut.functions[entry].body()?;
    let (locals, scopes) = (first.locals.clone(), first.scopes.clone());
    let base = Body { locals, scopes, ..Body::default() };
    let mut joined = Joined::new(plan, base, cut.functions[entry].location);
    let variables = joined.add_first(first, &parts[&entry])?;
    joined.body.parameters =
        first.parameters.iter().map(|parameter| variables[base::Index::index(*parameter)]).collect();
    let is_any = |ty| kept == ChainMemory::Dropped || ty != Type::Pointer;
    for &function in followed {
        let body = cut.functions[function].body()?;
        let mut pointers = body.variables.iter().filter(|(_, variable)| !is_any(variable.ty));
        if pointers.any(|(id, _)| !body.parameters.contains(&id) && is_read_first(body, id)) {
            return None;
        }
        joined.add_function(function, body, &parts[&function], is_any, cut.functions[function].location)?;
    }
    Some(joined.finish()?.0)
}

/// Whether nothing that could go on for ever comes after the calls that are followed.
fn are_last(program: &Program, body: &Body, plan: &Plan) -> bool {
    let ends = |statement: &Statement| ends(program, statement);
    body.blocks.iter().all(|(_, block)| {
        let mut statements = block.statements.iter();
        while let Some(statement) = statements.next() {
            if plan.called(statement).is_some() {
                return statements.all(ends) && is_quiet(body, block.terminator.successors(), &ends);
            }
        }
        true
    })
}

/// Whether every run that starts at some blocks ends, since there are neither loops nor calls.
fn is_quiet(body: &Body, starts: impl Iterator<Item = BlockId>, ends: &impl Fn(&Statement) -> bool) -> bool {
    let order = body.reverse_post_order();
    let places: BTreeMap<BlockId, usize> =
        order.into_iter().enumerate().map(|(place, block)| (block, place)).collect();
    let mut left: Vec<BlockId> = starts.collect();
    let mut seen: BTreeSet<BlockId> = left.iter().copied().collect();
    while let Some(block) = left.pop() {
        if !body.blocks[block].statements.iter().all(ends) {
            return false;
        }
        for next in body.blocks[block].terminator.successors() {
            // Every loop has an edge against the order.
            if places.get(&next) <= places.get(&block) {
                return false;
            }
            if seen.insert(next) {
                left.push(next);
            }
        }
    }
    true
}

/// Whether a statement ends, whatever the state: it is neither an unknown thing nor a call of anything but functions of the
/// library that return.
fn ends(program: &Program, statement: &Statement) -> bool {
    match statement.kind {
        StatementKind::Call { callee: Callee::Function(callee), .. } => {
            program.functions[callee].body().is_none() && returns(program, callee)
        }
        StatementKind::Call { .. } | StatementKind::Unknown { .. } => false,
        _ => true,
    }
}

/// Whether a function is defined, or known to return or to end the run.
fn returns(program: &Program, function: FunctionId) -> bool {
    let function = &program.functions[function];
    match function.definition {
        Definition::Body(_) => true,
        Definition::External => {
            effects_of(&function.name).returns || function.name.starts_with("__VERIFIER_")
        }
        Definition::Unsupported { .. } => false,
    }
}

/// Whether a body has memory that it forgets when it stands on its own.
fn uses_memory(body: &Body) -> bool {
    let mut statements = body.blocks.iter().flat_map(|(_, block)| &block.statements);
    statements.any(|one| matches!(one.kind, StatementKind::Load { .. } | StatementKind::Store { .. }))
}

/// Whether a body can stand on its own: it calls what it names, and nothing calls it back.
fn stands_alone(program: &Program, body: &Body) -> bool {
    let is_plain = |kind: ExprKind| !matches!(kind, ExprKind::Function(_));
    let mut statements = body.blocks.iter().flat_map(|(_, block)| &block.statements);
    body.expressions.iter().all(|(_, expression)| is_plain(expression.kind))
        && statements.all(|statement| match statement.kind {
            StatementKind::Call { callee: Callee::Function(callee), .. } => returns(program, callee),
            StatementKind::Call { .. } | StatementKind::Unknown { .. } => false,
            _ => true,
        })
}

/// Whether a variable may be read before it is written.
fn is_read_first(body: &Body, variable: VariableId) -> bool {
    let reads = |expression| {
        let mut found = false;
        body.for_each_variable(expression, &mut |one| found |= one == variable);
        found
    };
    let mut seen = BTreeSet::from([body.entry()]);
    let mut left = vec![body.entry()];
    'blocks: while let Some(block) = left.pop() {
        let block = &body.blocks[block];
        for statement in &block.statements {
            let mut is_read = false;
            statement.kind.clone().for_each_operand(|operand| is_read |= reads(*operand));
            if is_read {
                return true;
            }
            if statement.kind.target() == Some(variable) {
                continue 'blocks;
            }
        }
        if block.terminator.operand().is_some_and(reads) {
            return true;
        }
        left.extend(block.terminator.successors().filter(|next| seen.insert(*next)));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str, kept: ChainMemory) -> Option<Program> {
        let program = parser::parse(text).expect("the test's program parses");
        let main = program.function_named("main").expect("it is there");
        call_chains(&program, main, kept)
    }

    const DOWN: &str = "data_model LP64
        function down(%n: i32) { b0: if 0:i32 < %n goto b1 else b2
          b1: call down(%n - 1:i32) goto b2
          b2: return }
        function main() -> i32 { variable %x: i32
          b0: %x := input any call down(%x) return 0:i32 }";

    fn has_loop(program: &Program) -> bool {
        let main = program.function_named("main").expect("it is there");
        let body = program.functions[main].body().expect("it has a body");
        let is_back = |block: BlockId| {
            let mut left = vec![block];
            let mut seen = BTreeSet::new();
            while let Some(one) = left.pop() {
                left.extend(body.blocks[one].terminator.successors().filter(|next| seen.insert(*next)));
            }
            seen.contains(&block)
        };
        body.blocks.ids().any(is_back)
    }

    #[test]
    fn runs_may_start_in_the_recursion() {
        for kept in [ChainMemory::Kept, ChainMemory::Dropped] {
            let program = parser::parse(DOWN).expect("the test's program parses");
            let down = program.function_named("down").expect("it is there");
            let chained = call_chains(&program, down, kept).expect("calls are last, and there is no memory");
            let body = chained.functions[down].body().expect("it has a body");
            let calls = body.blocks.values().flat_map(|block| &block.statements);
            assert!(calls.into_iter().all(|one| !matches!(one.kind, StatementKind::Call { .. })), "{kept:?}");
            assert_eq!(body.parameters.len(), 1, "{kept:?}");
        }
    }

    #[test]
    fn calls_are_jumps() {
        for kept in [ChainMemory::Kept, ChainMemory::Dropped] {
            assert!(has_loop(&made(DOWN, kept).expect("calls are last, and there is no memory")), "{kept:?}");
        }
    }

    #[test]
    fn with_memory_calls_must_be_last() {
        let twice = DOWN.replace("call down(%x)", "call down(%x) call down(%x)");
        assert!(made(&twice, ChainMemory::Kept).is_none());
        assert!(made(&twice, ChainMemory::Dropped).is_some());
        let in_a_loop = DOWN.replace("call down(%x) return 0:i32", "goto b1 b1: call down(%x) goto b1");
        assert!(made(&in_a_loop, ChainMemory::Kept).is_none());
    }

    #[test]
    fn without_recursion_there_is_nothing_to_do() {
        let flat = DOWN.replace("call down(%n - 1:i32)", "");
        assert!(made(&flat, ChainMemory::Kept).is_none());
        assert!(made(&flat, ChainMemory::Dropped).is_none());
    }

    #[test]
    fn what_may_not_return_is_refused() {
        let outside = DOWN.replace("call down(%x)", "call down(%x) call elsewhere()");
        let outside = format!("{outside} external elsewhere()");
        assert!(made(&outside, ChainMemory::Kept).is_none());
        assert!(made(&outside, ChainMemory::Dropped).is_none());
    }
}
