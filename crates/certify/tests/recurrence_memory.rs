//! Sets that runs need not leave, where iterations change memory, move pointers, or are calls: what changes must be
//! seen.
//!
//! Numbers in memory are large here: small ones side by side look like addresses, and what looks so is not known.

mod source;

use base::Budget;
use evidence::{Expression, Formula};
use logic::solver::Embedded;
use loopscope_certify::Refusal;
use loopscope_certify::recurrence::{IterationMode, Reached, encode};
use program::Program;
use program::interpret::{Arguments, FixedInputs, Head, InputValue, Integers, Machine, Observer, Options};

/// Keeps the state at one arrival at a head of a function.
struct Arrival<'p> {
    program: &'p Program,
    function: &'p str,
    left: u32,
    state: Option<Reached>,
}

impl Observer for Arrival<'_> {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        if self.program.functions[head.function()].name != self.function {
            return;
        }
        if self.left == 1 {
            self.state = Reached::of(self.program, head);
        }
        self.left = self.left.saturating_sub(1);
    }
}

#[derive(Clone, Copy)]
struct Asked<'a> {
    function: &'a str,
    arrival: u32,
    inputs: &'a [i128],
    any_overflow: bool,
    choices: &'a [&'a str],
}

const PLAIN: Asked<'static> =
    Asked { function: "main", arrival: 1, inputs: &[], any_overflow: false, choices: &[] };

fn ask(asked: Asked<'_>, text: &str, set: &str) -> Result<(), Refusal> {
    // What is asked for is read in the iteration, and not carried to its head.
    let text = format!("#define WHILE(c) for (;;) if (!(c)) break; else\n{text}");
    let program = source::program(&text);
    let machine = Machine::watched(&program, &Options::default());
    let mut watcher =
        Arrival { program: &program, function: asked.function, left: asked.arrival, state: None };
    let values = asked.inputs.iter().map(|&number| InputValue::Integer(number)).collect();
    let main = program.function_named("main").expect("there is a main");
    let mut given = FixedInputs::new(values, Vec::new());
    machine.observe(main, &Arguments::FromInputs, &mut given, &mut watcher, &mut Budget::steps(5000));
    let state = watcher.state.expect("a run comes to the loop");
    let any_overflow = asked.any_overflow;
    let mode = IterationMode { integers: Integers::Machine, period: 1, inner: 8, any_overflow };
    let mut budget = Budget::steps(20_000_000);
    let mut iteration = encode(&program, &state, mode, &mut budget)?;
    let set: Formula = set.parse().expect("the set is a formula");
    let number = |text: &&str| text.parse().expect("the choice is a number");
    let choices: Vec<Expression> = asked.choices.iter().map(number).collect();
    let mut solver: Embedded = Embedded::new();
    iteration.is_closed(&set, &choices, &mut solver, &mut budget).map(drop)
}

fn main_of(text: &str) -> String {
    format!("#include <stdlib.h>\n#include <string.h>\nint main(void) {{ {text} return 0; }}")
}

#[track_caller]
fn accepted(text: &str, set: &str) {
    assert_eq!(ask(PLAIN, &main_of(text), set), Ok(()), "{text}");
}

#[track_caller]
fn refused(text: &str) {
    let answer = ask(PLAIN, &main_of(text), "true");
    assert!(answer.is_err(), "{text}");
}

#[test]
fn memory_that_stays_is_known_and_what_changes_is_not() {
    accepted("int a[2] = {999, 999}; unsigned i = 0; WHILE (a[i & 1] > 0) i++;", "true");
    refused("int a[2] = {995, 995}; unsigned i = 0; WHILE (a[i & 1] > 0) { a[i & 1]--; i++; }");
    refused("int a[2] = {999, 0}; unsigned i = 0; WHILE (a[i & 1] > 0) i++;");
    refused("int a[2] = {995, 995}; unsigned i = 0; WHILE (a[0] > 0) { a[i & 1]--; i++; }");
    refused("char a[4] = {1, 1, 1, 1}; unsigned i = 0; WHILE (a[i & 3]) { memset(a, 0, 4); i++; }");
    refused(
        "char a[4] = {1, 1, 1, 1}, b[4] = {0}; unsigned i = 0; WHILE (a[i & 3]) { memcpy(a, b, 4); i++; }",
    );
    // One cell is written, another one is examined.
    accepted(
        "int a[2] = {999, 999}; unsigned i = 0; WHILE (a[0] > 0) { a[1] = a[1] * 3u + i; i++; }",
        "true",
    );
    refused("int a[2] = {999, 999}; unsigned i = 0; WHILE (a[1] > 0) { a[1] = a[1] * 3u + i; i++; }");
    refused("int a[100] = {999}; unsigned i = 0; WHILE (a[0]) { a[i % 100] = 0; i++; }");
}

#[test]
fn objects_on_the_heap_change_like_others() {
    accepted("int *p = malloc(8); p[0] = 993; p[1] = 0; WHILE (p[0] > 0) p[1] = p[0];", "true");
    refused("int *p = malloc(8); p[0] = 993; p[1] = 0; WHILE (p[0] > 0) { p[0]--; p[1]++; }");
    refused("int *p = malloc(8), *q = p; p[0] = 993; p[1] = 0; WHILE (p[0] > 0) { q[0]--; q[1]++; }");
    refused("int *p = malloc(4); *p = 1; WHILE (*p) { free(p); p = malloc(4); *p = 0; }");
    refused("int *p = malloc(4); *p = 1; WHILE (1) { p = malloc(4); *p = 1; }");
    refused("int *p = malloc(4); *p = 1; WHILE (*p) free(p);");
    // What is uninitialised may be anything.
    refused("int *p = malloc(4); WHILE (*p == 0) ;");
    refused("int *p = malloc(4); WHILE (*p != 0) ;");
    refused("int *p = malloc(4); WHILE (*p == *(p + 0) && *p >= 0) ;");
}

#[test]
fn pointers_that_move_are_not_where_they_were() {
    refused("int a = 1, b = 0, *p = &a; WHILE (*p) p = &b;");
    refused("int a[4] = {999, 999, 999, 0}, *p = a; WHILE (*p) p++;");
    refused("int a[4] = {999, 999, 999, 999}, *p = a; WHILE (*p) p++;");
    accepted(
        "int a[2] = {999, 999}, *p = a; WHILE (*p) p = p == a ? a + 1 : a;",
        "offset(p) == 0 || offset(p) == 4",
    );
    refused("int a = 1, *p = &a; WHILE (p) p = 0;");
    refused("int a[4] = {1}, *p = 0, *q = a; WHILE (!p) p = q;");
}

#[test]
fn pointers_in_memory_move_too() {
    accepted("int x[2] = {999, 999}, *t[2] = {x, x}; unsigned i = 0; WHILE (*t[i & 1]) i++;", "true");
    refused(
        "int x[2] = {999, 999}, *t[2] = {x, x}; unsigned i = 0; WHILE (*t[i & 1]) { i++; t[i & 1] = x + 2; }",
    );
    refused(
        "int x[2] = {999, 999}, y[2] = {0}, *t[2] = {x, x}; unsigned i = 0; WHILE (*t[i & 1]) { i++; t[i & 1] = y; }",
    );
    refused("int x[2] = {999, 0}, *t[2] = {x, x + 1}; unsigned i = 0; WHILE (*t[i & 1]) i++;");
    let list =
        "struct node { struct node *next; long value; } c = {0, 0}, b = {&c, 1}, a = {&b, 2}, *p = &a;";
    refused(&format!("{list} WHILE (p) p = p->next;"));
    refused(&format!("{list} WHILE (a.next) a.next = a.next->next;"));
    refused(&format!("{list} struct node **q = &a.next; WHILE (*q) q = &(*q)->next;"));
    refused(&format!("{list} WHILE (p->value) p = p->next;"));
    refused(&format!("{list} c.next = &a; WHILE (p->value) p = p->next;"));
    let ring =
        "struct node { struct node *next; long value; } b = {0, 1}, a = {&b, 2}, *p = &a; b.next = &a;";
    refused(&format!("{ring} WHILE (p) {{ p = p->next; b.next = 0; }}"));
    refused("char *t[2] = {\"x\", 0}, **p = t; WHILE (*p) p++;");
    refused("char s[3] = {1, 1, 0}, *t[2] = {s, s + 2}; unsigned i = 0; WHILE (*t[i & 1]) i++;");
    refused("char s[3] = {1, 1, 0}, *t[2] = {s, s + 1}; unsigned i = 0; WHILE (*t[i & 1]) { t[1]++; i++; }");
}

#[test]
fn variables_of_the_program_change_in_callees() {
    let text =
        "int g = 5; static void less(void) { g--; } int main(void) { WHILE (g > 0) less(); return 0; }";
    assert!(ask(PLAIN, text, "true").is_err());
    assert!(ask(PLAIN, text, "g >= 1").is_err());
    let text = "int g[2] = {995, 995}; static void less(int *p) { (*p)--; }
        int main(void) { unsigned i = 0; WHILE (g[i & 1] > 0) { less(g + (i & 1)); i++; } return 0; }";
    assert!(ask(PLAIN, text, "true").is_err());
    let text =
        "int g = 5; static void same(void) { g = g | 1; } int main(void) { WHILE (g > 0) same(); return 0; }";
    assert_eq!(ask(PLAIN, text, "g == 5"), Ok(()));
}

#[test]
fn locals_of_an_iteration_are_others_in_the_next() {
    refused(
        "unsigned i = 0; WHILE (1) { int t[2]; if (i > 0 && t[i & 1] == 7) break; t[0] = t[1] = 7; i++; }",
    );
    refused("int *p = 0; WHILE (1) { int t[2] = {1, 0}; if (p && p[1] == 0) break; p = t; }");
}

#[test]
fn calls_come_back_to_the_entry() {
    let calls =
        |body: &str| format!("static void f(unsigned n) {{ {body} }} int main(void) {{ f(7); return 0; }}");
    for arrival in [1, 2] {
        let asked = Asked { function: "f", arrival, ..PLAIN };
        assert_eq!(ask(asked, &calls("if (n % 2 == 1) f(n + 2);"), "n % 2 == 1"), Ok(()));
        for (body, set) in [
            ("if (n > 0) f(n - 1);", "n >= 1"),
            ("if (n > 0) f(n - 1);", "true"),
            ("if (n % 2 == 1) f(n + 2);", "true"),
            ("if (n % 2 == 1) f(n + 2);", "n >= 1"),
            ("unsigned k = n; if (k > 0) f(k - 1);", "true"),
            ("unsigned k; if (n == 7) k = 3; else k = 0; if (k) f(n - 1);", "true"),
            ("static unsigned left = 9; if (left > 0) { left--; f(n); }", "true"),
        ] {
            assert!(ask(asked, &calls(body), set).is_err(), "{body} {set}");
        }
    }
}

#[test]
fn an_overflow_may_give_anything() {
    let asked = Asked { any_overflow: true, inputs: &[3], ..PLAIN };
    let text = main_of("int x = nondet(); WHILE (x > 0) x = x + 1;");
    assert!(ask(asked, &text, "x >= 1").is_err(), "the next number may be negative");
    let text = main_of("int x = nondet(), y = 1; WHILE (y > 0) x = x + 1;");
    assert_eq!(ask(asked, &text, "true"), Ok(()));
    let text = main_of("int x = nondet(), y = 1; WHILE (y > 0) { x = x + 1; y = x / -1 < 9; y = 1; }");
    assert!(ask(asked, &text, "true").is_err(), "a quotient that overflows stops the machine");
}

#[test]
fn truths_are_chosen_like_numbers() {
    let text = "extern _Bool nondet_bool(void); extern unsigned char nondet_uchar(void);
        int main(void) { WHILE (nondet_bool() || nondet_uchar() == 255) ; return 0; }";
    let asked = |choices| Asked { choices, inputs: &[1, 0, 1, 0], ..PLAIN };
    assert_eq!(ask(asked(&["1", "0"]), text, "true"), Ok(()));
    assert_eq!(ask(asked(&["0", "255"]), text, "true"), Ok(()));
    assert_eq!(ask(asked(&["0", "-1"]), text, "true"), Ok(()));
    assert!(ask(asked(&["0", "0"]), text, "true").is_err());
    assert!(ask(asked(&["0", "256"]), text, "true").is_err());
    assert!(ask(asked(&["1"]), text, "true").is_err());
}
