//! Tests of the text form. Random programs go there and back in `tests/round_trip.rs` of the crate `program`.

use base::Index;
use program::text::{Printer, print, print_function};
use program::{
    BinaryOp, Body, BodyBuilder, Definition, ExprId, ExprKind, Function, FunctionId, Origin, StatementKind,
    Terminator, Type, Variable, VariableId,
};

use super::*;

/// The example of the module's documentation.
#[test]
fn the_documented_example_is_a_fixed_point() {
    let documentation = include_str!("../../../program/src/text/mod.rs");
    let example = documentation.split("//! ```text\n").nth(1).and_then(|rest| rest.split("//! ```").next());
    let lines = example.into_iter().flat_map(str::lines).map(|line| line.trim_start_matches("//!"));
    let text: String = lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect();
    let program = parse(&text).unwrap();
    assert_eq!(print(&program), text);
    assert_eq!(parse(&print(&program)).unwrap(), program);
}

/// A program with one function that assigns an expression to its variable `%x`.
fn assigning(build: impl FnOnce(&mut Body, ExprId) -> ExprId) -> Program {
    let mut builder = BodyBuilder::new();
    let location = base::Location::unknown();
    let (name, ty) = (String::from("x"), Type::signed(32));
    let target = builder.new_variable(Variable { name, ty, origin: Origin::Source, scope: None, location });
    let read = builder.body.read(target);
    let value = build(&mut builder.body, read);
    builder.push(StatementKind::Assign { target, value });
    builder.end(Terminator::Return(None));
    let definition = Definition::Body(Box::new(builder.finish()));
    let mut program = Program::default();
    program.functions.push(Function {
        name: String::from("main"),
        location,
        parameters: Vec::new(),
        result: None,
        variadic: false,
        no_return: false,
        aggregates: Default::default(),
        definition,
    });
    program
}

fn assert_fixed_point(program: &Program) -> Program {
    let text = print(program);
    let parsed = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(print(&parsed), text);
    assert_eq!(parse(&text).as_ref(), Ok(&parsed));
    parsed
}

/// The text of the first statement of a program's first function.
fn first_statement(program: &Program) -> String {
    let body = program.functions[FunctionId::new(0)].body().unwrap();
    Printer::new(program, body).statement(&body.blocks[body.entry()].statements[0])
}

#[test]
fn deep_expressions_go_there_and_back() {
    let program = assigning(|body, x| (0..100_000).fold(x, |deep, _| body.binary(BinaryOp::Add, x, deep)));
    let parsed = assert_fixed_point(&program);
    let body = parsed.functions[FunctionId::new(0)].body().unwrap();
    let additions = body.expressions.values().filter(|expr| matches!(expr.kind, ExprKind::Binary(..)));
    assert_eq!(additions.count(), 100_000);
    assert!(first_statement(&parsed).len() < 2000);
}

#[test]
fn shared_expressions_do_not_explode() {
    let program =
        assigning(|body, x| (0..1000).fold(x, |shared, _| body.binary(BinaryOp::Add, shared, shared)));
    assert_fixed_point(&program);
    assert!(print(&program).len() < 1_000_000);
}

#[test]
fn deep_texts_are_refused() {
    let nested = format!("{}%x{}", "(".repeat(100_000), ")".repeat(100_000));
    for deep in [nested, "-".repeat(100_000), "i32(".repeat(100_000), "select(true, %x, ".repeat(100_000)] {
        let text = format!("function f(%x: i32) {{ b0: %x := {deep} return }}");
        let message = parse(&text).unwrap_err().message;
        assert_eq!(message, "expected an expression at most 500 deep, found a deeper one");
    }
}

#[test]
fn expressions_read_like_c() {
    let statements = [
        "%x := -5:i32",
        "%x := -(5:i32)",
        "%x := %x - -5:i32",
        "%x := -%x",
        "%x := ~(%x & 7:i32)",
        "%x := (%x << 1:u8) ^ %y",
        "%f := (%f * 0.1:f64) + 1e300:f64",
        "%f := 0x7ff8000000000000:f64",
        "%f := -0.0:f64",
        "%f := f64(%x)",
        "%p := (%p + 4:i64) + (i64(%x) * 4:i64)",
        "%x := i32(%p - null)",
        "%x := select(%p == null, %x, count_ones(i32, u64(%p)))",
        "%w := 340282366920938463463374607431768211455:u128",
        "check signed-overflow !overflows(%x + %y)",
        "check division-by-zero %y != 0:i32",
        "check assertion %x < %y, \"x < y\"",
        "%x := call *(%p + 8:i64)(%x, %f)",
        "%p := function(f)",
    ];
    for text in statements {
        let head = "function f(%x: i32, %y: i32, %f: f64, %p: ptr, %w: u128) {";
        let program =
            parse(&format!("{head} b0: {text} return }}")).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(first_statement(&program), text);
    }
}

#[test]
fn errors_say_where_and_what() {
    let in_body = |text: &str| format!("function f(%x: i32) {{\nb0:\n  {text}\n}}");
    let expect = |text: &str, error: &str| assert_eq!(parse(text).unwrap_err().to_string(), error, "{text}");
    expect("functio f()", "1:1: expected a declaration, found \"functio\"");
    expect("function f(%x: i0) {", "1:16: expected a type, found \"i0\"");
    expect("function f() {}", "1:15: expected a declaration or a block, found \"}\"");
    expect("data_model LP128", "1:12: expected LP64 or ILP32, found \"LP128\"");
    expect("file 1 \"a.c\"", "1:6: expected file number 0, found \"1\"");
    expect("external f()\nexternal f()", "2:10: expected a new name, found \"f\"");
    expect("external \"f", "1:10: expected a closing quote, found the end of the text");
    expect(&in_body("%y := 1:i32"), "3:3: expected a declared variable, found \"%y\"");
    expect(&in_body("%x := 1"), "4:1: expected \":\", found \"}\"");
    expect(&in_body("%x := %x + %x + %x"), "3:17: expected parentheses around infix operands, found \"+\"");
    expect(&in_body("%x := é"), "3:9: expected a token, found 'é'");
    expect(&in_body("goto b7"), "3:8: expected a block with the label \"b7\", found none");
    expect(&in_body("call g()"), "3:8: expected a function, found \"g\"");
    expect(&in_body("check overflow %x"), "3:9: expected a kind of check, found \"overflow\"");
    expect(&in_body("%x := 1.5:i32"), "3:9: expected a number of type i32, found \"1.5\"");
    expect(&in_body("return %x @0:1"), "3:17: expected \":\" in a place, as in @0:12:5");
    expect(&in_body("goto b0 b0: return"), "3:11: expected a new label, found \"b0\"");
    expect(&in_body("jump b0"), "3:3: expected a statement, found \"jump\"");
    expect(&in_body("%x := load"), "4:1: expected an expression, found \"}\"");
}

#[test]
fn defective_programs_can_be_printed() {
    let program = assigning(|body, x| {
        body.expression(ExprKind::Variable(VariableId::new(7)), Type::signed(32));
        let itself = ExprId::new(body.expressions.len());
        body.expression(ExprKind::Binary(BinaryOp::Add, x, itself), Type::signed(32))
    });
    assert!(print(&program).contains("%x := <e2>"), "{}", print(&program));
    let body = program.functions[FunctionId::new(0)].body().unwrap();
    let printer = Printer::new(&program, body);
    assert_eq!(printer.expression(ExprId::new(1)), "<v7>");
    assert_eq!(printer.expression(ExprId::new(99)), "<e99>");
    assert_eq!(printer.terminator(&Terminator::Goto(Index::new(9))), "goto b9");
    assert_eq!(print_function(&program, FunctionId::new(9)), "");
}

#[test]
fn labels_may_have_any_order() {
    let text = "function f() { start: goto last first: return last: goto first }";
    let program = parse(text).unwrap();
    assert_eq!(
        print(&program),
        "data_model LP64\nfunction f() {\nb0:\n  goto b2\nb1:\n  return\nb2:\n  goto b1\n}\n"
    );
}
