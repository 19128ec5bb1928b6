//! What a run tells of itself.

use loopscope_program::interpret::{InputValue, Options, Run, TraceEvent};

use super::Setup;

/// Fills a buffer in a loop, in a function of its own.
const FILL: &str = "data_model LP64
    function fill(%buffer: ptr, %count: i32) -> i32 {
      parameter %buffer: ptr
      parameter %count: i32
      variable %i: i32
      temporary %t: i32
    b0:
      %i := 0:i32
      goto b1
    b1: loop for
      if %i < %count goto b2 else b3
    b2:
      store %buffer + i64(%i) := 120:i8
      %t := %i + 1:i32
      %i := %t
      goto b1
    b3:
      return %i
    }
    function main() -> i32 {
      variable %n: i32
      object buffer: 4 align 1
    b0:
      begin buffer
      %n := input nondet
      %n := call fill(&buffer, %n)
      return %n
    }";

fn traced(text: &str, value: i128) -> Run {
    let options = Options { trace: true, ..Options::default() };
    let values = vec![InputValue::Integer(value)];
    Setup { options, values, ..Setup::default() }.run(text).0
}

/// The steps in a few words each.
fn words(run: &Run) -> Vec<String> {
    let trace = run.trace.as_ref().expect("a trace was asked for");
    let word = |event: &TraceEvent| match event {
        TraceEvent::Enter { arguments } => format!("enter {}", arguments.len()),
        TraceEvent::Return { value } => format!("return {}", value.as_deref().unwrap_or("nothing")),
        TraceEvent::Assign { name, value } | TraceEvent::Store { name, value } => format!("{name} = {value}"),
        TraceEvent::Input { name, value, .. } => format!("{name} {value:?}"),
        TraceEvent::Call { name, arguments } => format!("{name}({})", arguments.join(", ")),
        TraceEvent::Iteration { number, .. } => format!("iteration {number}"),
        TraceEvent::Leave { iterations, .. } => format!("leave {iterations}"),
    };
    trace.steps.iter().map(|step| word(&step.event)).collect()
}

#[test]
fn a_run_is_told_in_the_names_of_the_source() {
    let run = traced(FILL, 2);
    assert_eq!(
        words(&run),
        [
            "enter 0",
            "nondet Integer(2)",
            "n = 2",
            "enter 2",
            "i = 0",
            "iteration 1",
            "buffer[0] = 120 'x'",
            "i = 1",
            "iteration 2",
            "buffer[1] = 120 'x'",
            "i = 2",
            "iteration 3",
            "leave 3",
            "return 2",
            "n = 2",
            "return 2",
        ]
    );
    let depths: Vec<usize> = run.trace.iter().flat_map(|trace| &trace.steps).map(|step| step.depth).collect();
    assert_eq!(depths, [1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1]);
}

#[test]
fn a_violation_ends_the_trace() {
    let run = traced(FILL, 5);
    assert!(super::violated(&run).is_some());
    assert_eq!(words(&run).last().map(String::as_str), Some("iteration 5"));
}

#[test]
fn a_trace_changes_nothing_else() {
    let mut rendered = traced(FILL, 3);
    assert!(rendered.trace.take().is_some());
    let values = vec![InputValue::Integer(3)];
    let plain = Setup { values, ..Setup::default() }.run(FILL).0;
    assert_eq!(rendered, plain);
}

#[test]
fn of_a_long_run_the_start_and_the_end_are_kept() {
    let text = "data_model LP64
        function main() -> i32 {
          variable %i: i32
        b0:
          %i := 0:i32
          goto b1
        b1: loop while
          %i := %i + 1:i32
          if %i == 5000:i32 goto b2 else b1
        b2:
          return %i
        }";
    let run = traced(text, 0);
    let trace = run.trace.as_ref().expect("a trace was asked for");
    // The entry, the first assignment, two steps an iteration, the end of the loop and the return.
    assert_eq!(trace.steps.len() as u64 + trace.omitted, 2 + 10_000 + 2);
    assert_eq!(trace.omitted_after, 200);
    let words = words(&run);
    assert_eq!(words[199], "i = 99");
    assert_eq!(words[words.len() - 4..], ["iteration 5000", "i = 5000", "leave 5000", "return 5000"]);
}

#[test]
fn memory_is_named_by_its_object_or_by_the_pointer_to_it() {
    let text = "data_model LP64
        external malloc(u64) -> ptr
        function main() -> i32 {
          variable %p: ptr
          temporary %t: ptr
          object a: 8 align 4
          object x: 4 align 4
        b0:
          begin a
          begin x
          store &x := 1:i32
          %t := &a + 4:i64
          store %t := 2:i32
          store %t + 1:i64 := 3:i16
          fill &a, 0:u8, 8:u64
          %p := call malloc(16:u64)
          store %p := 4:i32
          store %p + 8:i64 := 5:i64
          return 0:i32
        }";
    let words = words(&traced(text, 0));
    for expected in ["x = 1", "a[1] = 2", "byte 5 of a = 3", "a = 8 bytes of 0", "malloc(16)", "*p = 4"] {
        assert!(words.iter().any(|word| word == expected), "`{expected}` is missing in {words:?}");
    }
    assert!(words.iter().any(|word| word == "*(p + 8 bytes) = 5"), "{words:?}");
    assert!(words.iter().any(|word| word == "p = &heap#1"), "{words:?}");
}

#[test]
fn iterations_are_counted_for_each_call() {
    let text = "data_model LP64
        function twice() -> i32 {
          variable %j: i32
        b0:
          %j := 0:i32
          goto b1
        b1: loop do
          %j := %j + 1:i32
          if %j == 2:i32 goto b2 else b1
        b2:
          return %j
        }
        function main() -> i32 {
          variable %i: i32
          temporary %t: i32
        b0:
          %i := 0:i32
          goto b1
        b1: loop do
          %t := call twice()
          %i := %i + %t
          if %i == 4:i32 goto b2 else b1
        b2:
          return %i
        }";
    let inner = ["enter 0", "j = 0", "iteration 1", "j = 1", "iteration 2", "j = 2", "leave 2", "return 2"];
    let mut expected = vec!["enter 0", "i = 0", "iteration 1"];
    expected.extend(inner);
    expected.extend(["i = 2", "iteration 2"]);
    expected.extend(inner);
    expected.extend(["i = 4", "leave 2", "return 4"]);
    assert_eq!(words(&traced(text, 0)), expected);
}
