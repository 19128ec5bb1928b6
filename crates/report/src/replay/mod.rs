//! A driver in C that gives the compiled program the inputs of a run: see [`crate::inputs`] for the file that it reads.
//!
//! Most of the driver is the same for all programs (`replay.c`). What follows is made for the program at hand: one
//! definition for every function that no unit defines and that verifiers take for an input.
//!
//! Known imprecision: a violating run that starts in another function than `main` has no driver, because nothing calls it (a
//! test has); a function that is `static` cannot be called by a driver at all, nor one that is given a struct; and an
//! external variable stays undefined.

use std::fmt::Write;

use evidence::{Suite, Test};
use program::interpret::only_prints;
use program::{Definition, FloatFormat, Function, IntegerType, Program, Type};

/// What is the same for all programs.
const COMMON: &str = include_str!("replay.c");

/// The driver for a program.
pub fn driver(program: &Program) -> String {
    let mut text = String::from(COMMON);
    for function in program.functions.values().filter(|function| is_input(function)) {
        definition(&mut text, &function.name, function.result);
    }
    for function in program.functions.values().filter(|function| only_prints(function)) {
        let _ = writeln!(text, "LOOPSCOPE_WEAK void {}() {{}}", function.name);
    }
    text
}

/// The driver for one test of a program: its inputs are in it, and where the test starts in another function than `main`, a
/// `main` that calls it. `compile` says how to use it.
pub fn test_driver(program: &Program, suite: &Suite, test: &Test, compile: &str) -> String {
    let entry = suite.entry.as_str();
    let inputs = crate::inputs::write_test(entry, test);
    let lines = inputs.lines().map(|line| format!("    {}", c_string(line)));
    let mut text = format!("/* A test that Loopscope has made. To run it:\n *   {compile}\n */\n");
    let _ = writeln!(text, "#define LOOPSCOPE_OWN_INPUTS \\\n{}", lines.collect::<Vec<_>>().join(" \\\n"));
    text.push_str(&driver(program));
    for function in program.functions.values().filter(|function| suite.stubs.contains(&function.name)) {
        definition(&mut text, &function.name, function.result);
    }
    let function = program.functions.values().find(|function| function.name == entry);
    if let Some(function) = function.filter(|_| entry != "main") {
        call(&mut text, function, test);
    }
    text
}

/// Adds a `main` that calls a function with the arguments of a test. Whoever compiles a program that has a `main` of its own
/// gives that another name.
fn call(text: &mut String, function: &Function, test: &Test) {
    let given = test.inputs.iter().filter(|input| input.name.starts_with("parameter "));
    let parameters = function.parameters.iter().map(|&ty| c_type(ty));
    let result = function.result.map_or("void", c_type);
    let types: Vec<&str> = parameters.collect();
    let signature = if types.is_empty() { String::from("void") } else { types.join(", ") };
    let _ = writeln!(text, "\n#undef main\n{result} {}({signature});", function.name);
    let values: Vec<String> =
        given.zip(&function.parameters).map(|(input, &ty)| argument(&input.value, ty)).collect();
    let call = format!("{}({})", function.name, values.join(", "));
    let _ = writeln!(text, "int main(void) {{\n    {call};\n    return 0;\n}}");
}

/// A value as an argument in C.
fn argument(value: &str, ty: Type) -> String {
    let c_type = c_type(ty);
    match ty {
        Type::Pointer => String::from("(void *)0"),
        Type::Float(_) => match value {
            "NaN" => String::from("__builtin_nan(\"\")"),
            "inf" => String::from("__builtin_inf()"),
            "-inf" => String::from("-__builtin_inf()"),
            _ => format!("({c_type}){value}"),
        },
        // The bits: a negative number at the limit of its type has no constant of its own.
        _ => match value.parse::<i128>() {
            Ok(number) => format!("({c_type}){:#x}ull /* {value} */", number as u64),
            Err(_) => format!("({c_type}){value}"),
        },
    }
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

/// Whether the function is an input by its name, and it is undefined.
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
    fn a_driver_calls_the_function_that_is_tested() {
        let text = "data_model LP64\nfunction f(%x: i32, %y: f64, %p: ptr) -> i32 { b0: return %x }";
        let program = parser::parse(text).unwrap();
        let input = |name: &str, value: &str| evidence::InputValue {
            name: format!("parameter {name}"),
            ty: String::from("i32"),
            value: value.to_owned(),
            place: None,
        };
        let test = Test {
            arguments: Vec::new(),
            inputs: vec![input("x", "-1"), input("y", "0.5"), input("p", "null")],
            standard_input: Vec::new(),
            outcome: evidence::TestOutcome::Exit { status: 0 },
            steps: 1,
            reaches: Vec::new(),
        };
        let suite = |entry: &str| Suite {
            entry: entry.to_owned(),
            targets: Vec::new(),
            tests: Vec::new(),
            stubs: Vec::new(),
            runs: 0,
        };
        let driver = test_driver(&program, &suite("f"), &test, "cc");
        assert!(driver.contains("int f(int, double, void *);"), "{driver}");
        assert!(
            driver.contains("f((int)0xffffffffffffffffull /* -1 */, (double)0.5, (void *)0);"),
            "{driver}"
        );
        assert!(!test_driver(&program, &suite("main"), &test, "cc").contains("int main(void)"));
    }

    #[test]
    fn inputs_without_a_definition_are_defined() {
        let program = parser::parse(
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
