//! Each invariant has a program that breaks it and no other.

use base::{FileId, Index, Location};

use loopscope_program::verify::{Defect, verify};
use loopscope_program::{
    BlockId, Body, Check, ExprId, ExprKind, Function, FunctionId, Initial, LocalId, ObjectId, ObjectRef,
    Pointer, Program, ScopeId, StatementKind, Terminator, Type, Value, VariableId,
};
use parser::parse;

/// A healthy program with one of everything that the tests break.
const HEALTHY: &str = r#"
file 0 "a.c"
object $table: 24 align 8 = "ab" pointers { 8: &$table + 4, 16: function(main) } fields { x: i32 at 0 } @0:1:1
variable $count: i32 = 3:i32 @0:2:1
external printf(ptr, ...) -> i32 @0:3:1
unsupported odd() because "reason" @0:4:1
function main(%n: i32, %p: ptr) -> i32 @0:5:1 {
  scope s0 @0:5:2
  scope s1 in s0 @0:6:2
  parameter %n: i32 in s0 @0:5:3
  parameter %p: ptr in s0 @0:5:4
  variable %i: i32 in s1 @0:6:3
  object buffer: 16 align 4 fields { y: i32 at 12 } in s1 @0:6:4
b0:
  %i := 0:i32 @0:7:1
  goto b1 @0:7:2
b1: loop for @0:8:1
  if %i < %n goto b2 else b3
b2:
  %i := %i + 1:i32
  goto b1
b3:
  %i := call printf(%p, %i)
  return %i
}
"#;

/// The numbers of the broken invariants, each once.
fn broken(program: &Program) -> Vec<u8> {
    let mut numbers: Vec<u8> = match verify(program) {
        Ok(()) => Vec::new(),
        Err(defects) => defects.iter().map(|defect| defect.invariant).collect(),
    };
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The healthy program after a change.
#[track_caller]
fn changed(invariant: u8, change: impl FnOnce(&mut Program)) {
    let mut program = parse(HEALTHY).unwrap();
    change(&mut program);
    assert_eq!(broken(&program), [invariant]);
}

/// The healthy program with a change in the body of its main function.
#[track_caller]
fn changed_body(invariant: u8, change: impl FnOnce(&mut Body)) {
    changed(invariant, |program| change(main(program).body_mut().unwrap()));
}

fn main(program: &mut Program) -> &mut Function {
    let id = program.function_named("main").unwrap();
    &mut program.functions[id]
}

/// The healthy program with another text in one place.
#[track_caller]
fn replaced(invariant: u8, old: &str, new: &str) {
    assert!(HEALTHY.contains(old), "{old}");
    assert_eq!(broken(&parse(&HEALTHY.replacen(old, new, 1)).unwrap()), [invariant], "{new}");
}

/// A statement in a function with these variables and objects.
fn with_statement(statement: &str) -> Program {
    let text = format!(
        "object $o: 8 align 8
        external f(i32) -> i32
        external variadic(i32, ...)
        external nothing()
        function main(%i: i32, %u: u8, %n: u64, %o: i64, %p: ptr, %b: bool, %x: f64, %s: f32) -> i32 {{
          object fixed: 4 align 4
          object dynamic: unsized align 4
        b0:
          {statement}
          return
        }}"
    );
    parse(&text).unwrap_or_else(|error| panic!("{statement}: {error}"))
}

#[track_caller]
fn refused(invariant: u8, statements: &[&str]) {
    for statement in statements {
        assert_eq!(broken(&with_statement(statement)), [invariant], "{statement}");
    }
}

#[track_caller]
fn accepted(statements: &[&str]) {
    for statement in statements {
        let program = with_statement(statement);
        let described =
            |defects: Vec<Defect>| defects.iter().map(|d| d.describe(&program)).collect::<Vec<_>>();
        assert_eq!(verify(&program).map_err(described), Ok(()), "{statement}");
    }
}

#[test]
fn a_healthy_program_has_no_defects() {
    assert_eq!(broken(&parse(HEALTHY).unwrap()), []);
    assert_eq!(broken(&Program::default()), []);
}

#[test]
fn invariant_1_names_are_unique() {
    changed(1, |program| main(program).name = String::from("printf"));
    changed(1, |program| {
        let twin = program.objects.values().next().unwrap().clone();
        program.objects.push(twin);
    });
    changed(1, |program| program.globals.push(program.globals[0].clone()));
}

#[test]
fn invariant_2_places_are_in_files() {
    for place in
        ["@0:1:1", "@0:2:1", "@0:3:1", "@0:4:1", "@0:5:1", "@0:5:2", "@0:5:3", "@0:6:4", "@0:7:1", "@0:8:1"]
    {
        replaced(2, place, "@1:1:1");
    }
    changed_body(2, |body| {
        body.blocks.iter_mut().last().unwrap().1.location = Location::new(FileId::new(1), 0, 0);
    });
}

#[test]
fn invariant_3_integers_have_a_width() {
    changed(3, |program| {
        let odd = program.function_named("odd").unwrap();
        program.functions[odd].result = Some(Type::signed(0));
    });
    changed_body(3, |body| {
        let variable = body.variables.values().next().unwrap().clone();
        body.variables.push(loopscope_program::Variable { ty: Type::unsigned(129), ..variable });
    });
}

#[test]
fn invariant_4_objects_have_a_layout() {
    replaced(4, "24 align 8", "24 align 0");
    replaced(4, "16 align 4", "16 align 3");
    replaced(4, "y: i32 at 12", "y: i32 at 13");
    replaced(4, "x: i32 at 0", "x: i32 at 18446744073709551615");
}

#[test]
fn invariant_5_initial_values_fit_into_their_objects() {
    replaced(5, "\"ab\"", "\"more than twenty-four bytes\"");
    replaced(5, "16: function(main)", "17: function(main)");
    replaced(5, "16: function(main)", "9: function(main)");
    changed(5, |program| {
        let (_, object) = program.objects.iter_mut().next().unwrap();
        let pointer = Pointer::Object(ObjectId::new(7), 0);
        object.initial = Initial::Bytes { bytes: Vec::new(), pointers: vec![(0, pointer)] };
    });
}

#[test]
fn invariant_6_global_variables_start_with_a_value_of_their_type() {
    for initial in [Value::Integer(1 << 31), Value::Float(0), Value::Null] {
        changed(6, |program| program.globals[0].initial = initial);
    }
    changed(6, |program| program.globals[0].variable.scope = Some(ScopeId::new(0)));
    changed(6, |program| {
        let mut pointer = program.globals[0].clone();
        pointer.variable.name = String::from("pointer");
        pointer.variable.ty = Type::Pointer;
        pointer.initial = Value::Pointer(Pointer::Function(FunctionId::new(9)));
        program.globals.push(pointer);
    });
}

#[test]
fn invariant_7_parameters_are_variables() {
    changed(7, |program| main(program).parameters.truncate(1));
    changed(7, |program| main(program).parameters[1] = Type::Bool);
    changed_body(7, |body| body.parameters[0] = VariableId::new(9));
    changed_body(7, |body| body.parameters[0] = VariableId::global(0));
    changed(7, |program| {
        let function = main(program);
        function.parameters[0] = Type::Pointer;
        let body = function.body_mut().unwrap();
        body.parameters[0] = body.parameters[1];
    });
}

#[test]
fn invariant_8_scopes_are_nested() {
    replaced(8, "scope s1 in s0", "scope s1 in s1");
    replaced(8, "scope s1 in s0", "scope s1");
    replaced(8, "parameter %n: i32 in s0", "parameter %n: i32 in s2");
    replaced(8, "in s1 @0:6:4", "in s2 @0:6:4");
}

#[test]
fn invariant_9_operands_stand_before_their_users() {
    let names = [
        ExprKind::Convert(ExprId::new(99)),
        ExprKind::Variable(VariableId::new(9)),
        ExprKind::Variable(VariableId::global(9)),
        ExprKind::Object(ObjectRef::Local(LocalId::new(9))),
        ExprKind::Object(ObjectRef::Global(ObjectId::new(9))),
        ExprKind::Function(FunctionId::new(9)),
    ];
    for kind in names {
        changed_body(9, |body| {
            body.expression(kind, Type::Pointer);
        });
    }
    changed_body(9, |body| {
        let itself = ExprId::new(body.expressions.len());
        body.expression(ExprKind::Convert(itself), Type::Bool);
    });
}

#[test]
fn invariant_10_leaves_have_their_types() {
    refused(10, &["%u := 256:u8", "%u := -1:u8", "assume 2:bool", "%s := 0x100000000:f32", "%p := 0:ptr"]);
    let leaves = [
        (ExprKind::Float(0), Type::signed(32)),
        (ExprKind::Null, Type::signed(64)),
        (ExprKind::Variable(VariableId::new(0)), Type::Bool),
        (ExprKind::Function(FunctionId::new(0)), Type::Bool),
    ];
    for (kind, ty) in leaves {
        changed_body(10, |body| {
            body.expression(kind, ty);
        });
    }
}

#[test]
fn invariant_11_unary_operations_have_their_types() {
    accepted(&["%i := count_ones(i32, %n)", "%x := -%x", "%n := swap_bytes(%n)", "%b := !%b"]);
    refused(11, &["%b := -%b", "%p := ~%p", "%x := ~%x", "%i := !%i", "%p := leading_zeros(%p)"]);
    refused(11, &["%b := count_ones(bool, %i)", "%u := swap_bytes(u8, %n)"]);
}

#[test]
fn invariant_12_binary_operations_have_their_types() {
    accepted(&["%n := %n << %u", "%b := %b & %b", "%b := %b == %b", "%b := %p < %p", "%x := %x / %x"]);
    refused(12, &["%i := %i + %u", "%b := %b + %b", "%x := %x % %x", "%x := %x & %x", "%p := %p * %p"]);
    refused(12, &["%i := %i << %x", "%x := %x >> %i", "%b := %b < %b", "%b := %i == %u"]);
    changed_body(12, |body| {
        let two = body.integer(Type::signed(32), 2);
        body.expression(ExprKind::Binary(loopscope_program::BinaryOp::Less, two, two), Type::signed(32));
    });
}

#[test]
fn invariant_13_integers_overflow() {
    accepted(&["assume overflows(%i << %u)", "assume overflows(%n + %n)"]);
    refused(13, &["assume overflows(%x + %x)", "assume overflows(%i * %u)", "assume overflows(%i << %p)"]);
}

#[test]
fn invariant_14_conversions_are_between_types_that_have_one() {
    accepted(&[
        "%x := f64(%b)",
        "%p := ptr(%i)",
        "%b := bool(%p)",
        "%b := bool(%x)",
        "%s := f32(%x)",
        "%n := u64(%p)",
    ]);
    refused(14, &["%x := f64(%p)", "%p := ptr(%x)", "%p := ptr(%b)"]);
}

#[test]
fn invariant_15_reinterpretations_keep_the_bits() {
    accepted(&["%x := reinterpret(f64, %n)", "%i := reinterpret(i32, %s)"]);
    refused(15, &["%s := reinterpret(f32, %n)", "%n := reinterpret(u64, %p)", "%u := reinterpret(u8, %b)"]);
}

#[test]
fn invariant_16_pointers_move_by_offsets() {
    accepted(&["%p := %p + %o", "%o := %p - %p"]);
    refused(16, &["%p := %p + %n", "%p := %p + %i", "%o := %p - %o"]);
    replaced(12, "1:i32", "1:i64");
}

#[test]
fn invariant_17_selections_ask_a_bool() {
    accepted(&["%i := select(%b, %i, 1:i32)"]);
    refused(17, &["%i := select(%i, %i, %i)", "%i := select(%b, %i, %n)"]);
}

#[test]
fn invariant_18_statements_name_what_exists() {
    changed_body(18, |body| {
        let check = StatementKind::Check(Check::Defined { variable: VariableId::new(9) });
        body.blocks.iter_mut().next().unwrap().1.statements[0].kind = check;
    });
    changed_body(18, |body| {
        let end = StatementKind::End { object: LocalId::new(9) };
        body.blocks.iter_mut().next().unwrap().1.statements[0].kind = end;
    });
    changed_body(18, |body| {
        let assume = StatementKind::Assume { condition: ExprId::new(99) };
        body.blocks.iter_mut().next().unwrap().1.statements[0].kind = assume;
    });
    changed_body(18, |body| {
        let callee = loopscope_program::Callee::Function(FunctionId::new(9));
        let call = StatementKind::Call { target: None, callee, arguments: Vec::new() };
        body.blocks.iter_mut().next().unwrap().1.statements[0].kind = call;
    });
    changed_body(18, |body| {
        body.blocks.iter_mut().last().unwrap().1.terminator = Terminator::Return(Some(ExprId::new(99)));
    });
    changed_body(18, |body| {
        body.blocks.iter_mut().last().unwrap().1.terminator = Terminator::Goto(BlockId::new(9));
    });
}

#[test]
fn invariant_19_assignments_keep_the_type() {
    refused(19, &["%i := %u", "%b := %i", "%p := %n"]);
}

#[test]
fn invariant_20_memory_holds_no_bool() {
    accepted(&["%i := load %p", "store &$o := %x"]);
    refused(20, &["%b := load %p", "%i := load %n", "store %p := %b", "store %n := %i"]);
}

#[test]
fn invariant_21_memory_operations_take_pointers_and_sizes() {
    accepted(&["copy %p, &fixed, %n", "fill %p, %u, 4:u64", "%p := allocate %n", "check readable %p, %n"]);
    refused(
        21,
        &["copy %p, %p, %o", "copy %n, %p, %n", "fill %p, %i, %n", "fill %p, %u, %i", "%n := allocate %n"],
    );
    refused(
        21,
        &["%p := allocate %i", "check readable %p, %i", "check writable %n, %n", "check terminated %n"],
    );
    refused(21, &["check freeable %n"]);
}

#[test]
fn invariant_22_objects_have_one_size() {
    accepted(&["begin fixed", "begin dynamic, %n", "end dynamic"]);
    refused(22, &["begin fixed, %n", "begin dynamic", "begin dynamic, %i"]);
}

#[test]
fn invariant_23_conditions_are_bools() {
    refused(23, &["assume %i", "check assertion %p", "if %i goto b1 else b1 b1:"]);
}

#[test]
fn invariant_24_calls_fit_their_functions() {
    accepted(&["%i := call f(%i)", "call f(1:i32)", "call variadic(%i, %x, %p)", "%i := call *%p(%i)"]);
    refused(24, &["call f()", "call f(%i, %i)", "call f(%u)", "%u := call f(%i)", "call variadic()"]);
    refused(24, &["%i := call nothing()", "call variadic(%u, %i)", "call *%n()"]);
}

#[test]
fn invariant_25_argument_lists_are_pointers() {
    accepted(&["variadic start %p", "%x := variadic next %p", "variadic copy %p, &fixed", "variadic end %p"]);
    refused(25, &["variadic start %n", "%x := variadic next %i", "variadic copy %p, %n", "variadic end %b"]);
}

#[test]
fn invariant_26_switches_have_disjoint_ranges() {
    accepted(&["switch %i { -1: b1, 5..7: b1, 0..4: b1, default: b1 } b1:"]);
    refused(26, &["switch %x { default: b1 } b1:", "switch %u { 256: b1, default: b1 } b1:"]);
    refused(
        26,
        &["switch %u { 5..4: b1, default: b1 } b1:", "switch %u { 1..5: b1, 5: b1, default: b1 } b1:"],
    );
}

#[test]
fn invariant_27_returns_have_the_type_of_the_result() {
    replaced(27, "-> i32 @0:5:1", "-> u32 @0:5:1");
    replaced(27, "-> i32 @0:5:1", "@0:5:1");
}

#[test]
fn invariant_28_no_edge_leads_to_the_entry() {
    replaced(28, "goto b1\nb3", "goto b0\nb3");
    changed_body(28, |body| body.blocks = base::Arena::new());
}

#[test]
fn invariant_29_control_reaches_every_block() {
    replaced(29, "goto b2 else b3", "goto b2 else b2");
}

#[test]
fn defects_say_where_and_what() {
    let program = with_statement("%i := %i + %u");
    let defects = verify(&program).unwrap_err();
    let described: Vec<String> = defects.iter().map(|defect| defect.describe(&program)).collect();
    let expected =
        "main: e2 `%i + %u`: the operands have the types (i32, u8), and the result i32 (invariant 12)";
    assert_eq!(described, [expected]);
    assert!(defects[0].to_string().ends_with("(invariant 12)"));
}
