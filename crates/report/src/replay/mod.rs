//! A driver in C that gives the compiled program the inputs of a run: see [`crate::inputs`] for the file that it reads.
//!
//! Most of the driver is the same for all programs (`replay.c`). What follows is made for the program at hand: one
//! definition for every function that no unit defines and that verifiers take for an input.
//!
//! Known imprecision: a run that starts in another function than `main` has no driver, because nothing calls it; and
//! an external variable stays undefined.

use std::fmt::Write;

use evidence::Test;
use program::{Definition, FloatFormat, Function, IntegerType, Program, Type};

/// What is the same for all programs.
const COMMON: &str = include_str!("replay.c");

/// The driver for a program.
pub fn driver(program: &Program) -> String {
    let mut text = String::from(COMMON);
    for function in program.functions.values().filter(|function| is_input(function)) {
        definition(&mut text, &function.name, function.result);
    }
    text
}

/// The driver for one test of a program: its inputs are in it. `compile` says how to use it.
pub fn test_driver(program: &Program, entry: &str, test: &Test, compile: &str) -> String {
    let inputs = crate::inputs::write_test(entry, test);
    let lines = inputs.lines().map(|line| format!("    {}", c_string(line)));
    let mut text = format!("/* A test that Loopscope has made. To run it:\n *   {compile}\n */\n");
    let _ = writeln!(text, "#define LOOPSCOPE_OWN_INPUTS \\\n{}", lines.collect::<Vec<_>>().join(" \\\n"));
    text + &driver(program)
}

/// A line as a C string that ends with the line.
fn c_string(line: &str) -> String {
    let mut text = String::from("\"");
    for byte in line.bytes() {
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
            // Three question marks could be read as another character.
            b'?' => text.push_str("\\?"),
            b' '..=b'~' => text.push(char::from(byte)),
            // Octal digits end after three, which hexadecimal ones never do.
            _ => _ = write!(text, "\\{byte:03o}"),
        }
    }
    text + "\\n\""
}

/// Whether the function is an input by its name, and nobody defines it.
fn is_input(function: &Function) -> bool {
    let name = function.name.to_ascii_lowercase();
    let by_name = ["__verifier_nondet", "nondet", "unknown"].iter().any(|prefix| name.starts_with(prefix));
    by_name && matches!(function.definition, Definition::External)
}

fn definition(text: &mut String, name: &str, result: Option<Type>) {
    let Some(ty) = result else {
        let _ = writeln!(text, "void {name}(void) {{}}");
        return;
    };
    let c_type = c_type(ty);
    let _ = match ty {
        Type::Float(_) => writeln!(
            text,
            "{c_type} {name}(void) {{\n    union {{ loopscope_bits bits; {c_type} value; }} both = \
             {{loopscope_value(\"{name}\")}};\n    return both.value;\n}}"
        ),
        // The byte that holds a `_Bool` is known as one by its name only, and must be zero or one.
        Type::Integer(IntegerType { width: 8, .. }) if name.to_ascii_lowercase().ends_with("bool") => {
            writeln!(text, "_Bool {name}(void) {{ return loopscope_value(\"{name}\") != 0; }}")
        }
        Type::Pointer => {
            writeln!(
                text,
                "{c_type}{name}(void) {{ return (void *)(unsigned long)loopscope_value(\"{name}\"); }}"
            )
        }
        _ => writeln!(text, "{c_type} {name}(void) {{ return ({c_type})loopscope_value(\"{name}\"); }}"),
    };
}

/// A type as C names it, where `int` has 32 bits.
fn c_type(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "_Bool",
        Type::Pointer => "void *",
        Type::Float(FloatFormat::Single) => "float",
        Type::Float(FloatFormat::Double) => "double",
        Type::Float(FloatFormat::Half) => "_Float16",
        Type::Float(FloatFormat::Extended | FloatFormat::Quad) => "long double",
        Type::Integer(IntegerType { width, signed }) => match (width, signed) {
            (..=8, true) => "signed char",
            (..=8, false) => "unsigned char",
            (..=16, true) => "short",
            (..=16, false) => "unsigned short",
            (..=32, true) => "int",
            (..=32, false) => "unsigned",
            (..=64, true) => "long long",
            (..=64, false) => "unsigned long long",
            (_, true) => "__int128",
            (_, false) => "unsigned __int128",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_that_nobody_defines_are_defined() {
        let program = program::text::parse(
            "data_model LP64
            external __VERIFIER_nondet_int() -> i32
            external nondet_double() -> f64
            external unknown1() -> ptr
            external malloc(i64) -> ptr
            function __VERIFIER_nondet_bool() -> i32 { b0: return 0:i32 }",
        )
        .unwrap();
        let driver = driver(&program);
        let tail = driver.rsplit("asks for. */").next().unwrap();
        assert!(
            tail.contains(
                "int __VERIFIER_nondet_int(void) { return (int)loopscope_value(\"__VERIFIER_nondet_int\"); }"
            ),
            "{tail}"
        );
        assert!(tail.contains("double nondet_double(void) {"), "{tail}");
        assert!(tail.contains("void *unknown1(void) {"), "{tail}");
        assert!(!tail.contains("malloc") && !tail.contains("nondet_bool"), "{tail}");
    }
}
