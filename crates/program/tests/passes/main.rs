//! Tests of the passes on texts, before and after, and on random programs.

mod random;

use loopscope_program::Program;
use loopscope_program::passes::simplify;
use loopscope_program::text::print;
use loopscope_program::verify::verify;
use parser::parse;

fn simplified(text: &str) -> Program {
    let mut program = parse(text).unwrap();
    assert_eq!(verify(&program), Ok(()), "before");
    simplify(&mut program);
    assert_eq!(verify(&program), Ok(()), "after:\n{}", print(&program));
    program
}

/// Checks that the program becomes the one that stands after `---`.
fn check(text: &str) {
    let (before, after) = text.split_once("---\n").unwrap();
    let trim = |text: &str| {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    };
    let result = print(&simplified(before));
    assert_eq!(trim(&result), trim(after), "got:\n{result}");
}

#[test]
fn a_counting_loop_reads_as_it_was_written() {
    check(
        r#"
        data_model LP64
        function f(%n: i32) -> i32 {
          temporary %t0: i32
          temporary %t1: i32
          temporary %t2: i32
          temporary %t3: i32
          object n: 4 align 4
          object i: 4 align 4
        b0:
          begin n
          store &n := %n
          begin i
          store &i := 0:i32
          goto b1
        b1: loop for
          %t0 := load &i
          %t1 := load &n
          if i32(%t0 < %t1) != 0:i32 goto b2 else b3
        b2:
          goto b4
        b4:
          %t2 := load &i
          check signed-overflow !overflows(%t2 + 1:i32)
          store &i := %t2 + 1:i32
          goto b1
        b3:
          %t3 := load &i
          end i
          end n
          return %t3
        }
        ---
        data_model LP64
        function f(%n: i32) -> i32 {
          variable %i: i32
        b0:
          %i := 0:i32
          goto b1
        b1: loop for
          if %i < %n goto b2 else b3
        b2:
          check signed-overflow !overflows(%i + 1:i32)
          %i := %i + 1:i32
          goto b1
        b3:
          return %i
        }
        "#,
    );
}

#[test]
fn a_value_taken_before_an_increment_is_kept() {
    check(
        r#"
        data_model LP64
        function f() -> i32 {
          temporary %t0: i32
          temporary %t1: i32
          temporary %t2: i32
          object i: 4 align 4
          object a: 8 align 4
        b0:
          begin a
          begin i
          store &i := 0:i32
          %t0 := load &i
          check signed-overflow !overflows(%t0 + 1:i32)
          store &i := %t0 + 1:i32
          check writable &a + (i64(%t0) * 4:i64), 4:u64
          store &a + (i64(%t0) * 4:i64) := 7:i32
          %t1 := load &a
          %t2 := load &i
          return %t1 + %t2
        }
        ---
        data_model LP64
        function f() -> i32 {
          temporary %t0: i32
          temporary %t1: i32
          variable %i: i32
          object a: 8 align 4
        b0:
          begin a
          %i := 0:i32
          %t0 := %i
          check signed-overflow !overflows(%i + 1:i32)
          %i := %i + 1:i32
          check writable &a + (i64(%t0) * 4:i64), 4:u64
          store &a + (i64(%t0) * 4:i64) := 7:i32
          %t1 := load &a
          return %t1 + %i
        }
        "#,
    );
}

#[test]
fn structs_become_their_fields_and_copies_assignments() {
    check(
        r#"
        data_model LP64
        object $origin: 8 align 4 = x"0100000002" fields { x: i32 at 0, y: i32 at 4 }
        object $"template": 8 align 4 readonly = x"0500000006"
        function f() -> i32 {
          temporary %t0: i32
          temporary %t1: u32
          temporary %t2: i32
          object p: 8 align 4 fields { x: i32 at 0, y: i32 at 4 }
          object q: 8 align 4
          object r: 8 align 4
        b0:
          begin p
          begin q
          begin r
          fill &p, 0:u8, 8:u64
          copy &p, &$origin, 8:u64
          copy &q, &p, 8:u64
          copy &r, &$template, 8:u64
          %t0 := load &q
          %t1 := load &q + 4:i64
          %t2 := load &r + 4:i64
          store &$origin + 4:i64 := 1:i32
          return %t0 + (i32(%t1) + %t2)
        }
        ---
        data_model LP64
        variable $origin.x: i32 = 1:i32
        variable $origin.y: i32 = 2:i32
        function f() -> i32 {
          variable %p.x: i32
          variable %p.y: i32
          variable %q.0: i32
          variable %q.4: u32
          variable %r.4: i32
        b0:
          %p.x := 0:i32
          %p.y := 0:i32
          %p.x := $origin.x
          %p.y := $origin.y
          %q.0 := %p.x
          %q.4 := u32(%p.y)
          %r.4 := 6:i32
          $origin.y := 1:i32
          return %q.0 + (i32(%q.4) + %r.4)
        }
        "#,
    );
}

#[test]
fn what_is_aliased_overlapping_or_out_of_bounds_stays_in_memory() {
    check(
        r#"
        data_model LP64
        external use(ptr)
        function f() -> i32 {
          temporary %t0: i32
          temporary %t1: f32
          temporary %t2: i32
          object taken: 4 align 4
          object pun: 4 align 4
          object outside: 4 align 4
        b0:
          begin taken
          begin pun
          begin outside
          store &taken := 1:i32
          call use(&taken)
          store &pun := 1:i32
          %t1 := load &pun
          store &outside + 4:i64 := i32(%t1)
          %t0 := load &taken
          return %t0
        }
        ---
        data_model LP64
        external use(ptr)
        function f() -> i32 {
          temporary %t0: i32
          temporary %t1: f32
          object taken: 4 align 4
          object pun: 4 align 4
          object outside: 4 align 4
        b0:
          begin taken
          begin pun
          begin outside
          store &taken := 1:i32
          call use(&taken)
          store &pun := 1:i32
          %t1 := load &pun
          store &outside + 4:i64 := i32(%t1)
          %t0 := load &taken
          return %t0
        }
        "#,
    );
}

#[test]
fn globals_become_variables_that_calls_may_change() {
    check(
        r#"
        data_model LP64
        object $count: 4 align 4 = x"05"
        object $next: 8 align 8 = x"" pointers { 0: &$cell }
        object $cell: 4 align 4
        object $unused: 4 align 4
        object $total: 4 align 4
        object $limit: 4 align 4 readonly = x"0a"
        external never(i32)
        external g()
        function f() -> i32 {
          temporary %t0: i32
          temporary %t1: i32
          temporary %t2: ptr
          temporary %t3: i32
        b0:
          %t0 := load &$count
          call g()
          %t1 := load &$count
          %t2 := load &$next
          check readable %t2, 4:u64
          %t3 := load %t2
          %t1 := load &$limit
          store &$total := %t0 + (%t1 + %t3)
          return %t1
        }
        ---
        data_model LP64
        object $cell: 4 align 4
        variable $count: i32 = 5:i32
        variable $next: ptr = &$cell
        variable $total: i32 = 0:i32
        external g()
        function f() -> i32 {
          temporary %t0: i32
          temporary %t3: i32
        b0:
          %t0 := $count
          call g()
          check readable $next, 4:u64
          %t3 := load $next
          $total := %t0 + (10:i32 + %t3)
          return 10:i32
        }
        "#,
    );
}

#[test]
fn results_of_calls_inputs_and_loads_go_where_they_are_wanted() {
    check(
        r#"
        data_model LP64
        external g() -> i32
        function f(%p: ptr) -> i32 {
          temporary %t0: i32
          temporary %t1: i32
          temporary %t2: ptr
          temporary %t3: i32
          temporary %t4: i32
          temporary %t5: i32
          object p: 8 align 8
          object x: 4 align 4
          object y: 4 align 4
        b0:
          begin p
          store &p := %p
          begin x
          begin y
          %t0 := call g()
          store &x := %t0
          %t1 := input nondet_int
          store &y := %t1
          %t5 := call g()
          %t2 := load &p
          check readable %t2, 4:u64
          %t3 := load %t2
          store &x := %t3
          %t4 := load &x
          return %t4
        }
        ---
        data_model LP64
        external g() -> i32
        function f(%p: ptr) -> i32 {
          variable %x: i32
          variable %y: i32
        b0:
          %x := call g()
          %y := input nondet_int
          call g()
          check readable %p, 4:u64
          %x := load %p
          return %x
        }
        "#,
    );
}

#[test]
fn only_checks_that_may_fail_stay() {
    check(
        r#"
        data_model LP64
        function f(%c: i32) -> i32 {
          temporary %t0: i32
          temporary %t1: i32
          object x: 4 align 4
          object y: 4 align 4
        b0:
          begin x
          begin y
          if %c != 0:i32 goto b1 else b2
        b1:
          store &x := 1:i32
          store &y := 1:i32
          goto b3
        b2:
          store &x := 2:i32
          goto b3
        b3:
          check readable &x, 4:u64
          %t0 := load &x
          check readable &y, 4:u64
          %t1 := load &y
          check readable &y, 4:u64
          check assertion true
          check division-by-zero true
          return %t0 + %t1
        }
        ---
        data_model LP64
        function f(%c: i32) -> i32 {
          variable %x: i32
          variable %y: i32
        b0:
          if %c != 0:i32 goto b1 else b2
        b1:
          %x := 1:i32
          %y := 1:i32
          goto b3
        b2:
          %x := 2:i32
          goto b3
        b3:
          check defined %y
          check assertion true
          return %x + %y
        }
        "#,
    );
}

#[test]
fn a_variable_that_is_declared_in_a_loop_forgets_its_value() {
    check(
        r#"
        data_model LP64
        function f(%n: i32) {
          temporary %t0: i32
          object x: 4 align 4
        b0:
          goto b1
        b1: loop while
          begin x
          if %n == 0:i32 goto b2 else b3
        b2:
          store &x := 1:i32
          goto b3
        b3:
          check readable &x, 4:u64
          %t0 := load &x
          end x
          if %t0 == 0:i32 goto b1 else b4
        b4:
          return
        }
        ---
        data_model LP64
        function f(%n: i32) {
          variable %x: i32
          temporary %x.defined: bool
        b0:
          %x.defined := false
          goto b1
        b1: loop while
          %x := input "uninitialised x"
          %x.defined := false
          if %n == 0:i32 goto b2 else b3
        b2:
          %x := 1:i32
          %x.defined := true
          goto b3
        b3:
          check uninitialised %x.defined
          if %x == 0:i32 goto b1 else b4
        b4:
          return
        }
        "#,
    );
}

#[test]
fn an_object_that_is_copied_without_a_value_stays_in_memory() {
    let program = simplified(
        r#"
        data_model LP64
        function f() -> i32 {
          temporary %t0: i32
          object p: 8 align 4
          object q: 8 align 4
          object r: 8 align 4
          object s: 8 align 4
        b0:
          begin p
          begin q
          begin r
          begin s
          store &p := 1:i32
          copy &q, &p, 8:u64
          check readable &q + 4:i64, 4:u64
          %t0 := load &q + 4:i64
          store &r + 4:i64 := %t0
          copy &s, &r, 8:u64
          %t0 := load &s + 4:i64
          return %t0
        }
        "#,
    );
    let text = print(&program);
    assert!(text.contains("copy &q, &p, 8:u64") && text.contains("%s.4 := %r.4"), "{text}");
}

#[test]
fn blocks_are_merged_skipped_and_dropped() {
    check(
        r#"
        data_model LP64
        function f(%c: i32) -> i32 {
          temporary %t0: bool
        b0:
          %t0 := true
          goto b1
        b1:
          if %t0 goto b2 else b8
        b2:
          if !(%c == 0:i32) goto b3 else b4
        b3:
          goto b5
        b4:
          goto b5
        b5:
          goto b6
        b6: loop while
          goto b7
        b7:
          switch %c { 1: b6, 2: b9, default: b10 }
        b8:
          return 1:i32
        b9:
          goto b9
        b10:
          goto b11
        b11:
          return 2:i32
        }
        ---
        data_model LP64
        function f(%c: i32) -> i32 {
        b0:
          goto b1
        b1: loop while
          switch %c { 1: b1, 2: b2, default: b3 }
        b2:
          goto b2
        b3:
          return 2:i32
        }
        "#,
    );
}

#[test]
fn the_arms_of_a_conditional_assign_its_target() {
    check(
        r#"
        data_model LP64
        function f(%a: i32) -> i32 {
          temporary %t0: i32
          temporary %t1: i32
          temporary %t2: i32
          object m: 4 align 4
        b0:
          begin m
          store &m := 0:i32
          goto b1
        b1: loop while
          %t1 := load &m
          if %t1 < %a goto b2 else b3
        b2:
          %t0 := %a
          goto b4
        b3:
          %t2 := load &m
          %t0 := %t2
          goto b4
        b4:
          store &m := %t0
          goto b1
        }
        ---
        data_model LP64
        function f(%a: i32) -> i32 {
          variable %m: i32
        b0:
          %m := 0:i32
          goto b1
        b1: loop while
          if %m < %a goto b2 else b1
        b2:
          %m := %a
          goto b1
        }
        "#,
    );
}

#[test]
fn parts_that_overlap_stay_in_memory() {
    let program = simplified(
        r#"
        data_model LP64
        function f(%a: i64) -> i32 {
          temporary %t0: i32
          object both: 8 align 8
        b0:
          begin both
          store &both := %a
          %t0 := load &both + 4:i64
          return %t0
        }
        "#,
    );
    assert!(print(&program).contains("load &both"));
}

#[test]
fn an_arm_that_does_something_else_last_keeps_its_temporary() {
    let program = simplified(
        r#"
        data_model LP64
        function f(%a: i32) -> i32 {
          temporary %t0: i32
          variable %m: i32
        b0:
          if %a == 0:i32 goto b1 else b2
        b1:
          %t0 := 1:i32
          %m := 9:i32
          goto b3
        b2:
          %t0 := %m
          goto b3
        b3:
          %m := %t0
          return %m
        }
        "#,
    );
    assert!(print(&program).contains("%m := %t0"));
}

#[test]
fn addresses_do_not_move_across_lifetimes() {
    let program = simplified(
        r#"
        data_model LP64
        external use(ptr)
        function f() {
          temporary %t0: ptr
          object x: 4 align 4
        b0:
          begin x
          %t0 := &x
          end x
          begin x
          call use(%t0)
          return
        }
        "#,
    );
    assert!(print(&program).contains("call use(%t0)"));
}

/// A sum of many terms shares its operands: rewriting it must not copy them again and again.
#[test]
fn long_sums_and_long_blocks_take_linear_time() {
    let terms = 20_000;
    let mut builder = loopscope_program::BodyBuilder::new();
    let ty = loopscope_program::Type::signed(32);
    let variable = |name: &str, origin| loopscope_program::Variable {
        name: name.to_owned(),
        ty,
        origin,
        scope: None,
        location: base::Location::unknown(),
    };
    let x = builder.new_variable(variable("x", loopscope_program::Origin::Source));
    let zero = builder.body.integer(ty, 0);
    builder.push(loopscope_program::StatementKind::Assign { target: x, value: zero });
    let mut sum = builder.body.read(x);
    for _ in 0..terms {
        let t = builder.new_variable(variable("t", loopscope_program::Origin::Temporary));
        let value = builder.body.read(x);
        builder.push(loopscope_program::StatementKind::Assign { target: t, value });
        let t = builder.body.read(t);
        let overflow = builder.body.overflows(loopscope_program::OverflowOp::Add, sum, t);
        let condition = builder.body.unary(loopscope_program::UnaryOp::Not, overflow);
        let obligation = loopscope_program::Obligation::SignedOverflow;
        let check = loopscope_program::Check::Holds { obligation, condition, note: None };
        builder.push(loopscope_program::StatementKind::Check(check));
        sum = builder.body.binary(loopscope_program::BinaryOp::Add, sum, t);
    }
    builder.end(loopscope_program::Terminator::Return(Some(sum)));
    let mut program = Program::default();
    program.functions.push(loopscope_program::Function {
        name: String::from("f"),
        location: base::Location::unknown(),
        parameters: Vec::new(),
        result: Some(ty),
        variadic: false,
        no_return: false,
        aggregates: Default::default(),
        definition: loopscope_program::Definition::Body(Box::new(builder.finish())),
    });
    simplify(&mut program);
    assert_eq!(verify(&program), Ok(()));
    let body = program.functions.values().next().and_then(|function| function.body()).unwrap();
    assert_eq!(body.variables.len(), 1);
    assert!(body.expressions.len() < 10 * terms, "{}", body.expressions.len());
}
