//! What an answer assumes beyond ISO C, for the program at hand.
//!
//! `docs/semantics.md` explains each assumption and names the option that drops it. Only assumptions that the functions
//! behind the entry can depend on are listed.

use evidence::Property;
use program::interpret::{Integers, is_library_function};
use program::{Body, Definition, ExprKind, Initial, Obligation, Program, StatementKind, Type, Value, World};

use crate::functions::reached;
use crate::refute::Query;

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

/// Functions that choose a locale.
const LOCALES: [&str; 3] = ["setlocale", "uselocale", "newlocale"];

/// The assumptions of an answer to a query, as ends of the sentence "assuming that …".
pub fn assumptions(program: &Program, query: &Query) -> Vec<String> {
    assumptions_in(program, program.world, query)
}

/// The same in a world with other options.
pub fn assumptions_in(program: &Program, world: World, query: &Query) -> Vec<String> {
    let Some(entry) = program.function_named(&query.function) else { return Vec::new() };
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
    let allocates = external.iter().any(|name| ALLOCATING.contains(name));
    add(allocates && !world.failing_allocation, "allocation succeeds (--malloc-may-fail)");
    let has_arguments = program::outside::is_start(program, entry)
        && program.functions[entry].body().is_some_and(|body| !body.parameters.is_empty());
    add(has_arguments && !world.empty_command_line, "argc is at least 1 (--argc-may-be-zero)");
    add(world.closed_by_user, "no code outside the given files changes what they define (--whole-program)");
    add(world.ordinary_volatile, "volatile objects change only as the program says (--ordinary-volatile)");
    let overflow_wraps = query.integers == Integers::Machine
        && !matches!(query.property, Property::NoOverflow | Property::Termination);
    add(overflow_wraps && bodies.iter().any(|body| may_overflow(body)), "signed arithmetic wraps around");
    let floats = bodies.iter().any(|body| computes_with_floats(body));
    add(floats && !world.rounding, "floating point numbers round to nearest");
    add(external.iter().any(|name| LOCALES.contains(name)), "characters are those of the C locale");
    add(has_names_of_others(program), "variables of different names are different objects");
    let undefined: Vec<&str> =
        external.into_iter().filter(|name| !is_library_function(name)).take(3).collect();
    if !undefined.is_empty() {
        found
            .push(format!("undefined functions return and call back nothing here: {}", undefined.join(", ")));
    }
    found
}

/// Whether the linker may give two names to one object: one of them is defined elsewhere.
fn has_names_of_others(program: &Program) -> bool {
    let objects = program.objects.values().filter(|object| object.exported);
    let globals = program.globals.iter().filter(|global| global.exported);
    let unknown = objects.clone().filter(|object| object.initial == Initial::Unknown).count()
        + globals.clone().filter(|global| global.initial == Value::Unknown).count();
    unknown > 0 && objects.count() + globals.count() > 1
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
