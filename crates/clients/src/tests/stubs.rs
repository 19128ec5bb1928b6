//! Undefined functions: a test stands in for them.
//!
//! A driver can define such a function, so that it returns what the test says and does nothing else. With that the program is
//! complete, and a run of it is certain where it otherwise could only guess. What no run of the program with such functions
//! does, a run with the real ones may do all the same: proofs are made without them.

use std::collections::BTreeSet;

use program::interpret::is_library_function;
use program::{Callee, Definition, Function, Origin, Program, StatementKind, Type, Variable};
use transform::callees;

/// What the driver itself calls: it would call itself.
const OF_DRIVER: [&str; 12] = [
    "open",
    "read",
    "write",
    "close",
    "mmap",
    "fstat",
    "lseek",
    "dup2",
    "memfd_create",
    "execve",
    "abort",
    "_exit",
];

/// The functions that a test stands in for, by name.
pub(super) fn stubs(program: &Program) -> BTreeSet<String> {
    let bodies = program.functions.values().filter_map(|function| function.body());
    let called: BTreeSet<_> = bodies.flat_map(callees).collect();
    let functions = called.into_iter().map(|function| &program.functions[function]);
    functions.filter(|function| has_stub(function)).map(|function| function.name.clone()).collect()
}

fn has_stub(function: &Function) -> bool {
    matches!(function.definition, Definition::External)
        && !function.no_return
        && function.result != Some(Type::Pointer)
        && !is_library_function(&function.name)
        && !function.name.starts_with("__")
        && !OF_DRIVER.contains(&function.name.as_str())
}

/// Lets calls of these functions be inputs that the functions ask for.
pub(super) fn stand_in(program: &mut Program, stubs: &BTreeSet<String>) {
    if stubs.is_empty() {
        return;
    }
    let of = |function: &Function| (function.name.clone(), function.result);
    let signatures: Vec<(String, Option<Type>)> = program.functions.values().map(of).collect();
    for (_, function) in program.functions.iter_mut() {
        let Some(body) = function.body_mut() else { continue };
        let variables = &mut body.variables;
        for (_, block) in body.blocks.iter_mut() {
            block.statements.retain_mut(|statement| {
                let StatementKind::Call { target, callee: Callee::Function(callee), .. } = statement.kind
                else {
                    return true;
                };
                let (name, result) = &signatures[base::Index::index(callee)];
                let (true, &Some(ty)) = (stubs.contains(name), result) else { return !stubs.contains(name) };
                // A value that nobody wants is asked for as well.
                let target = target.unwrap_or_else(|| {
                    let (name, location) = (format!("of {name}"), statement.location);
                    variables.push(Variable { name, ty, origin: Origin::Temporary, scope: None, location })
                });
                statement.kind = StatementKind::Input { target, name: name.clone() };
                true
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_what_undefined_become_inputs() {
        let text = "data_model LP64
            external sensor(i32) -> i32
            external notify()
            external find() -> ptr
            external strlen(ptr) -> u64
            external unused() -> i32
            function main() -> i32 {
              variable %x: i32
              variable %p: ptr
            b0:
              %x := call sensor(3:i32)
              call sensor(4:i32)
              call notify()
              %p := call find()
              return %x
            }";
        let mut program = parser::parse(text).expect("the test's program parses");
        let stubs = stubs(&program);
        assert_eq!(stubs.iter().map(String::as_str).collect::<Vec<_>>(), ["notify", "sensor"]);
        stand_in(&mut program, &stubs);
        program::verify::verify(&program).expect("the program is well formed");
        let text = program::text::print(&program);
        assert_eq!(text.matches("input sensor").count(), 2, "{text}");
        assert!(!text.contains("call notify") && text.contains("call find"), "{text}");
    }
}
