//! What an answer takes for granted beyond ISO C, for the program at hand.
//!
//! `docs/semantics.md` explains each assumption and names the option that drops it. Only assumptions that the functions
//! behind the entry can depend on are listed.

use std::collections::BTreeSet;

use certify::standalone::Calls;
use program::interpret::is_library_function;
use program::{Body, Callee, Definition, ExprKind, FunctionId, Obligation, Program, StatementKind, Type};

use crate::Property;

/// Functions that give new memory, or null.
const ALLOCATING: [&str; 9] = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "strdup",
    "strndup",
];

/// The assumptions of an answer about runs that start in a function, as ends of the sentence "assuming that …".
pub fn assumptions(program: &Program, entry: &str, property: Property) -> Vec<String> {
    let Some(entry) = program.function_named(entry) else { return Vec::new() };
    let reached = reached(program, entry);
    let bodies: Vec<&Body> = reached.iter().filter_map(|&id| program.functions[id].body()).collect();
    let external: Vec<&str> = reached
        .iter()
        .map(|&id| &program.functions[id])
        .filter(|function| matches!(function.definition, Definition::External))
        .map(|function| function.name.as_str())
        .collect();
    let mut found = Vec::new();
    let mut add = |is_so: bool, text: &str| found.extend(is_so.then(|| text.to_owned()));
    let world = program.world;
    let allocates = external.iter().any(|name| ALLOCATING.contains(name));
    add(allocates && !world.failing_allocation, "allocation succeeds (--malloc-may-fail)");
    let has_arguments = program::outside::is_start(program, entry)
        && program.functions[entry].body().is_some_and(|body| !body.parameters.is_empty());
    add(has_arguments && !world.empty_command_line, "argc is at least 1 (--argc-may-be-zero)");
    add(world.closed_by_user, "no code outside the given files changes what they define (--whole-program)");
    add(world.ordinary_volatile, "volatile objects change only as the program says (--ordinary-volatile)");
    let overflow_wraps = !matches!(property, Property::NoOverflow | Property::Termination);
    add(overflow_wraps && bodies.iter().any(|body| may_overflow(body)), "signed arithmetic wraps around");
    let floats = bodies.iter().any(|body| computes_with_floats(body));
    add(floats && !world.rounding, "floating point numbers round to nearest");
    let undefined: Vec<&str> =
        external.into_iter().filter(|name| !is_library_function(name)).take(3).collect();
    if !undefined.is_empty() {
        found
            .push(format!("undefined functions return and call back nothing here: {}", undefined.join(", ")));
    }
    found
}

/// The functions that runs from an entry may come to.
fn reached(program: &Program, entry: FunctionId) -> BTreeSet<FunctionId> {
    let mut reached: BTreeSet<FunctionId> = Calls::of(program).behind(entry).collect();
    reached.insert(entry);
    let called: Vec<FunctionId> = reached.iter().copied().collect();
    for body in called.into_iter().filter_map(|id| program.functions[id].body()) {
        for statement in body.blocks.values().flat_map(|block| &block.statements) {
            if let StatementKind::Call { callee: Callee::Function(callee), .. } = statement.kind {
                reached.insert(callee);
            }
        }
    }
    reached
}

fn may_overflow(body: &Body) -> bool {
    body.blocks.values().flat_map(|block| &block.statements).any(|statement| {
        matches!(&statement.kind, StatementKind::Check(check)
            if check.obligations().contains(&Obligation::SignedOverflow))
    })
}

fn computes_with_floats(body: &Body) -> bool {
    body.expressions.values().any(|expression| {
        matches!(expression.kind, ExprKind::Binary(..) | ExprKind::Convert(_))
            && matches!(expression.ty, Type::Float(_))
    })
}
