//! A program in C that calls functions in ways that their contracts allow.

use std::fmt::Write;

use evidence::{Contract, Element, Expression, Formula, Moment, Pointee, RESULT};
use program::{FunctionId, Program, Type};

/// The variable of the generated programs.
const SEEN: &str = "seen";

/// So many calls of a function are tried.
const CALLS: usize = 400;

const PRELUDE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef __int128 wide;
static unsigned long state;
static unsigned long random_bits(void) {
    state ^= state << 13; state ^= state >> 7; state ^= state << 17;
    return state;
}
static long number(void) {
    switch (random_bits() % 16) {
    case 0: return (long)random_bits();
    case 1: return 0x7fffffff;
    case 2: return -1 - (long)0x7fffffff;
    case 3: return (long)(random_bits() % 300);
    default: return (long)(random_bits() % 12) - 3;
    }
}
static char *object(wide size, int is_string) {
    char *made = malloc(size);
    for (wide place = 0; place < size; place++)
        made[place] = place % 4 == 0 || is_string ? random_bits() % 14 : random_bits() % 8 ? 0 : -1;
    if (is_string) made[random_bits() % (size_t)size] = 0;
    return made;
}
static char *copy(const char *from, wide size) {
    char *made = malloc(size);
    memcpy(made, from, size);
    return made;
}
static int failed(const char *what) {
    printf("not so: %s\n", what);
    exit(9);
}
"#;

/// The functions, and a `main` that calls those with contracts. Nothing if a contract cannot be written in C.
pub(super) fn text(functions: &str, program: &Program, contracts: &[Contract], seed: u64) -> Option<String> {
    let mut text = format!("{PRELUDE}\n{}", functions.replace("unsigned long strlen(const char *);\n", ""));
    text = text.replace("void *memcpy(void *, const void *, unsigned long);\n", "");
    for contract in contracts {
        caller(&mut text, program, contract)?;
    }
    _ = writeln!(text, "int main(void) {{\n    int made = 0;\n    state = {}ul;", seed.wrapping_mul(2) | 1);
    for contract in contracts {
        _ = writeln!(text, "    for (int k = 0; k < {CALLS}; k++) made += call_{}();", contract.function);
    }
    text.push_str("    printf(\"%d\\n\", made);\n    return 0;\n}\n");
    Some(text)
}

/// A function that makes one call, and says whether it did.
fn caller(text: &mut String, program: &Program, contract: &Contract) -> Option<()> {
    let function: FunctionId = program.function_named(&contract.function)?;
    let body = program.functions[function].body()?;
    _ = writeln!(text, "static int call_{}(void) {{\n    int is_made = 0;", contract.function);
    let mut arguments = Vec::new();
    for &parameter in &body.parameters {
        let variable = &body.variables[parameter];
        match variable.ty {
            Type::Pointer => _ = writeln!(text, "    char *{} = 0;", variable.name),
            Type::Integer(ty) => {
                let sign = if ty.signed { "" } else { "unsigned " };
                let name = match ty.width {
                    8 => "char",
                    16 => "short",
                    32 => "int",
                    _ => "long",
                };
                let sign = if ty.signed && ty.width == 8 { "signed " } else { sign };
                _ = writeln!(text, "    {sign}{name} {} = number();", variable.name);
            }
            _ => return None,
        }
        let cast = if variable.ty == Type::Pointer { "(void *)" } else { "" };
        arguments.push(format!("{cast}{}", variable.name));
    }
    let (nested, direct): (Vec<&Pointee>, Vec<&Pointee>) =
        contract.objects.iter().partition(|object| object.field.is_some());
    for object in direct.iter().chain(&nested) {
        make(text, object)?;
    }
    let requires = contract.requires.iter().map(formula).collect::<Option<Vec<_>>>()?;
    for clause in requires {
        _ = writeln!(text, "    if (!({clause})) goto end;");
    }
    for object in contract.objects.iter().filter(|object| !object.changed) {
        let name = name(object);
        _ = writeln!(text, "    char *old_{name} = copy({name}, size_{name});");
    }
    let returns = program.functions[function].result.is_some();
    let result = if returns { "wide result = " } else { "" };
    _ = writeln!(text, "    wide old_{SEEN} = {SEEN};");
    _ = writeln!(text, "    {result}{}({});\n    is_made = 1;", contract.function, arguments.join(", "));
    for clause in &contract.ensures {
        let condition = ensured(clause)?;
        _ = writeln!(text, "    if (!({condition})) failed(\"{clause}\");");
    }
    for object in contract.objects.iter().filter(|object| !object.changed) {
        let name = name(object);
        _ = writeln!(
            text,
            "    if (memcmp(old_{name}, {name}, size_{name})) failed(\"{name} changed\");\n    free(old_{name});"
        );
    }
    text.push_str("end:\n");
    for object in nested.iter().chain(&direct) {
        _ = writeln!(text, "    free({});", name(object));
    }
    text.push_str("    return is_made;\n}\n");
    Some(())
}

/// What the object of a pointee is called.
fn name(object: &Pointee) -> String {
    match object.field {
        None => object.parameter.to_string(),
        Some(field) => format!("{}_{field}", object.parameter),
    }
}

/// Makes an object, or ends the call.
fn make(text: &mut String, object: &Pointee) -> Option<()> {
    let bytes = if object.is_string() { String::from("0") } else { number(&object.bytes, Moment::Start)? };
    let name = name(object);
    _ = writeln!(text, "    wide size_{name} = {bytes};\n    if (size_{name} < 0) size_{name} = 0;");
    if object.terminated {
        _ = writeln!(text, "    size_{name} += (size_{name} == 0) + random_bits() % 9;");
    }
    _ = writeln!(text, "    if (size_{name} > 100000) return 0;");
    let made = format!("object(size_{name}, {})", u8::from(object.terminated));
    match object.field {
        None => _ = writeln!(text, "    {name} = {made};"),
        Some(field) => {
            _ = writeln!(
                text,
                "    char *{name} = {made};\n    memcpy({} + {field}, &{name}, 8);",
                object.parameter
            );
        }
    }
    Some(())
}

fn formula(formula: &Formula) -> Option<String> {
    written(formula, &|expression| number(expression, Moment::Start))
}

/// What is ensured: parameters are as they were, and the function cannot change them.
fn ensured(formula: &Formula) -> Option<String> {
    written(formula, &|expression| match expression {
        Expression::Quantity { quantity, moment } if quantity.variable.as_str() == RESULT => {
            (*moment == Moment::Now).then(|| String::from("result"))
        }
        Expression::Quantity { quantity, moment } if quantity.variable.as_str() == SEEN => {
            let is_now = *moment == Moment::Now;
            Some(if is_now { format!("(wide){SEEN}") } else { format!("old_{SEEN}") })
        }
        other => number(other, Moment::Start),
    })
}

fn written(formula: &Formula, leaf: &dyn Fn(&Expression) -> Option<String>) -> Option<String> {
    let list = |parts: &[Formula], between: &str, none: &str| -> Option<String> {
        let parts: Vec<String> =
            parts.iter().map(|part| Some(format!("({})", written(part, leaf)?))).collect::<Option<_>>()?;
        Some(if parts.is_empty() { none.to_owned() } else { parts.join(between) })
    };
    Some(match formula {
        Formula::True => String::from("1"),
        Formula::False => String::from("0"),
        Formula::Compare { left, comparison, right } => {
            format!("{} {} {}", computed(left, leaf)?, comparison.symbol(), computed(right, leaf)?)
        }
        Formula::Not(inner) => format!("!({})", written(inner, leaf)?),
        Formula::All(parts) => list(parts, " && ", "1")?,
        Formula::Any(parts) => list(parts, " || ", "0")?,
        Formula::Every { .. } => return None,
    })
}

/// A number in a type that is wide enough.
fn computed(expression: &Expression, leaf: &dyn Fn(&Expression) -> Option<String>) -> Option<String> {
    let join = |parts: &[Expression], between: &str, none: &str| -> Option<String> {
        let parts: Vec<String> = parts.iter().map(|part| computed(part, leaf)).collect::<Option<_>>()?;
        Some(if parts.is_empty() { none.to_owned() } else { format!("({})", parts.join(between)) })
    };
    match expression {
        Expression::Constant(number) => Some(format!("(wide){number}")),
        Expression::Sum(parts) => join(parts, " + ", "(wide)0"),
        Expression::Product(parts) => join(parts, " * ", "(wide)1"),
        Expression::Remainder { dividend, divisor } => {
            let dividend = computed(dividend, leaf)?;
            Some(format!("((({dividend} % (wide){divisor}) + (wide){divisor}) % (wide){divisor})"))
        }
        other => leaf(other),
    }
}

/// A number at the call.
fn number(expression: &Expression, at: Moment) -> Option<String> {
    match expression {
        Expression::Quantity { quantity, moment } if *moment == at => {
            Some(format!("(wide){}", quantity.variable))
        }
        Expression::Element(Element { buffer, index, bytes, signed, moment }) if *moment == at => {
            let sign = if *signed { "signed" } else { "unsigned" };
            let ty = match bytes {
                1 => "char",
                2 => "short",
                4 => "int",
                _ => "long",
            };
            Some(format!("(wide)((({sign} {ty} *){buffer})[{index}])"))
        }
        Expression::Sum(_) | Expression::Product(_) | Expression::Constant(_) => {
            computed(expression, &|leaf| match leaf {
                Expression::Quantity { .. } | Expression::Element(_) => number(leaf, at),
                _ => None,
            })
        }
        _ => None,
    }
}
