//! What runs before and after `main`: constructors and destructors.
//!
//! The program starts in `main`, so `main` calls the constructors first, and the destructors before it returns; a call of
//! `exit` calls the destructors, too. Numbered constructors come first, in the order of their numbers, then the others in
//! the order of their definitions; destructors come in the opposite order. Where that is not the whole story, `main` is not
//! represented, and the reason is named.

use base::Location;
use program::{
    Body, Callee, Definition, ExprKind, FunctionId, Initial, LocalId, Pointer, Program, Statement,
    StatementKind, Terminator,
};

/// Functions that never return and end the program without its destructors, or violate a property.
const WITHOUT_DESTRUCTORS: [&str; 14] = [
    "abort",
    "_exit",
    "_Exit",
    "quick_exit",
    "__assert_fail",
    "__assert",
    "__assert_rtn",
    "__assert_perror_fail",
    "__VERIFIER_error",
    "reach_error",
    "__stack_chk_fail",
    "__builtin_trap",
    "__builtin_unreachable",
    "longjmp",
];

/// Functions that register others to be called at the end.
const REGISTERING: [&str; 4] = ["atexit", "on_exit", "at_quick_exit", "__cxa_atexit"];

/// The place of a function in the order: its number, or after all that have one.
type Order = (bool, u16);

/// When a function runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// Its place in the order.
    pub(super) order: Order,
    /// The file that defines it, by number.
    pub(super) file: usize,
    /// The function.
    pub(super) function: FunctionId,
}

/// What runs before and after `main`.
#[derive(Default)]
pub(super) struct Startup {
    /// How many files there are.
    pub(super) files: usize,
    /// Constructors, in the order of the files.
    pub(super) before: Vec<Place>,
    /// Destructors, in the order of the files.
    pub(super) after: Vec<Place>,
    /// What `main` cannot be represented with.
    pub(super) refused: Option<(String, Location)>,
}

impl Startup {
    /// A function that has the same place in the order as one of another file, if one has.
    fn undecided(&self) -> Option<FunctionId> {
        let same = |pair: &[Place]| pair[0].order == pair[1].order && pair[0].file != pair[1].file;
        let lists = [&self.before, &self.after];
        lists
            .into_iter()
            .find_map(|list| list.windows(2).find(|pair| same(pair)).map(|pair| pair[1].function))
    }
}

/// The place in the order that a number stands for.
pub(super) fn order(number: Option<u16>) -> Order {
    (number.is_none(), number.unwrap_or_default())
}

/// Whether a section holds functions that run before or after `main`.
pub(super) fn runs_by_itself(section: &str) -> bool {
    let names = [".init_array", ".preinit_array", ".fini_array", ".ctors", ".dtors"];
    if section == ".init" || section == ".fini" {
        return true;
    }
    names
        .iter()
        .any(|name| section == *name || section.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

/// Makes `main` call what runs before and after it.
pub(super) fn complete(program: &mut Program, mut startup: Startup) {
    let Some(main) = program.function_named("main").filter(|main| program.functions[*main].body().is_some())
    else {
        return;
    };
    startup.before.sort_by_key(|place| place.order);
    startup.after.sort_by_key(|place| place.order);
    startup.after.reverse();
    if let Some(function) = startup.undecided() {
        let reason = String::from("constructors or destructors of two files whose order the linker decides");
        startup.refused.get_or_insert((reason, program.functions[function].location));
    }
    let before: Vec<FunctionId> = startup.before.iter().map(|place| place.function).collect();
    let after: Vec<FunctionId> = startup.after.iter().map(|place| place.function).collect();
    if let Some((reason, location)) = startup.refused.or_else(|| obstacle(program, main, &before, &after)) {
        program.functions[main].definition = Definition::Unsupported { reason, location };
        return;
    }
    let exit = program.function_named("exit").filter(|exit| !program.functions[*exit].is_defined());
    let (before, after) = (calls(program, &before), calls(program, &after));
    if let Some(body) = program.functions[main].body_mut() {
        let entry = body.entry();
        body.blocks[entry].statements.splice(0..0, before);
        let locals: Vec<LocalId> = if after.is_empty() { Vec::new() } else { body.locals.ids().collect() };
        for (_, block) in body.blocks.iter_mut() {
            if let (Terminator::Return(_), Some(first)) = (&block.terminator, after.first()) {
                // Destructors run when `main` is over, and its objects with it.
                let location = first.location;
                let end = |&object: &LocalId| Statement { kind: StatementKind::End { object }, location };
                block.statements.extend(locals.iter().map(end));
                block.statements.extend(after.iter().cloned());
            }
        }
    }
    let Some(exit) = exit.filter(|_| !after.is_empty()) else { return };
    for body in program.bodies_mut() {
        for (_, block) in body.blocks.iter_mut() {
            let statements = std::mem::take(&mut block.statements);
            for statement in statements {
                if statement.kind.called() == Some(exit) {
                    block.statements.extend(after.iter().cloned());
                }
                block.statements.push(statement);
            }
        }
    }
}

/// Calls without arguments, each at the place of the function.
fn calls(program: &Program, functions: &[FunctionId]) -> Vec<Statement> {
    let call = |&function: &FunctionId| Statement {
        kind: StatementKind::Call { target: None, callee: Callee::Function(function), arguments: Vec::new() },
        location: program.functions[function].location,
    };
    functions.iter().map(call).collect()
}

/// What keeps `main` from calling these functions, if anything does.
fn obstacle(
    program: &Program,
    main: FunctionId,
    before: &[FunctionId],
    after: &[FunctionId],
) -> Option<(String, Location)> {
    let &first = before.iter().chain(after).next()?;
    let location = program.functions[first].location;
    let refused = |reason: &str| Some((reason.to_owned(), location));
    if before.iter().chain(after).any(|function| !program.functions[*function].parameters.is_empty()) {
        return refused("a constructor or destructor with parameters");
    }
    if before.contains(&main) || after.contains(&main) || is_used(program, main) {
        return refused("a constructor or destructor, and a use of main in the program itself");
    }
    if after.is_empty() {
        return None;
    }
    if allocates(program, main) {
        return refused("a destructor, and alloca in main");
    }
    for (id, function) in program.functions.iter().filter(|(_, function)| !function.is_defined()) {
        let name = function.name.as_str();
        let may_end = function.no_return && name != "exit" && !WITHOUT_DESTRUCTORS.contains(&name);
        if (may_end || REGISTERING.contains(&name)) && (is_used(program, id) || is_mentioned(program, id)) {
            return refused(&format!("a destructor, and a use of {name}"));
        }
        let from_destructor = || after.iter().any(|&destructor| program.may_call(destructor, id));
        if name == "exit" && (is_mentioned(program, id) || from_destructor()) {
            return refused("a destructor, and a use of exit that is more than a call of it");
        }
    }
    None
}

/// Whether a function makes objects that live until it returns.
fn allocates(program: &Program, function: FunctionId) -> bool {
    let body = program.functions[function].body();
    body.into_iter()
        .flat_map(Body::statements)
        .any(|statement| matches!(statement.kind, StatementKind::Allocate { .. }))
}

/// Whether a function is called or its address is taken.
fn is_used(program: &Program, function: FunctionId) -> bool {
    let is_called = |body: &Body| body.statements().any(|one| one.kind.called() == Some(function));
    program.bodies().any(is_called) || is_mentioned(program, function)
}

/// Whether the address of a function is taken.
fn is_mentioned(program: &Program, function: FunctionId) -> bool {
    let is_in_a_table = |initial: &Initial| match initial {
        Initial::Bytes { pointers, .. } => pointers.iter().any(|(_, to)| *to == Pointer::Function(function)),
        Initial::Unknown => false,
    };
    program.bodies().any(|body| body.expressions.values().any(|one| one.kind == ExprKind::Function(function)))
        || program.objects.values().any(|object| is_in_a_table(&object.initial))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_of_functions_that_run_by_themselves_are_known() {
        assert!(
            runs_by_itself(".init_array")
                && runs_by_itself(".ctors.65435")
                && runs_by_itself(".preinit_array")
        );
        assert!(runs_by_itself(".init") && !runs_by_itself(".init.text") && !runs_by_itself(".data"));
    }

    #[test]
    fn numbers_come_before_what_has_none() {
        assert!(order(Some(101)) < order(Some(65535)) && order(Some(65535)) < order(None));
    }
}
