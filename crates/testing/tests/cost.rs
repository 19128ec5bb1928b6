//! No call makes more iterations than its cost says, and costs are what people expect.

use base::Budget;
use loopscope_testing::interpretation::{Form, program_of};
use program::FunctionId;
use program::interpret::Integers;

use loopscope_testing::cost::{Tally, check, check_text};

#[test]
fn runs_of_generated_functions_keep_to_their_costs() {
    let folder = std::env::temp_dir();
    let mut tally = Tally::default();
    for seed in 1..=150 {
        match check(&folder, seed) {
            Ok(more) => tally.add(&more),
            Err(message) => panic!("seed {seed}: {message}"),
        }
    }
    assert!(tally.known > 100 && tally.formulas > 20, "{tally:?}");
    assert!(tally.moments > 1000 && tally.reached > 30, "{tally:?}");
}

#[test]
fn what_calls_count_adds_up() {
    let bodies = [
        "static void g(int n) { for (int i = 0; i < n; i++) { /*body*/ } }
         static void f(A a, B b, C c) { for (int i = 0; i < a; i++) { /*body*/ g(i); } g(b); }",
        "static int g(int n) { for (int i = 0; i < n; i++) { /*body*/ } return n; }
         static void f(A a, B b, C c) { while (g(b) < 100 && a > 0) { /*body*/ a--; } }",
        "static void f(A a, B b, C c) { while (({ int j = 0; while (j < 3) { /*body*/ j++; } a > 0; })) { /*body*/ a--; } }",
        "static void g(int n) { for (int i = 0; i < n; i++) { /*body*/ } if (n > 0) { /*again*/ g(n - 1); } }
         static void f(A a, B b, C c) { g(a); g(b - 1); }",
        "static int g(int n) { if (n > 1) { int x; /*again*/ x = g(n - 1); /*again*/ return x + g(n - 2); } return 1; }
         static void f(A a, B b, C c) { g(a); }",
        "static void g(void) { for (int i = 0; i < shared; i++) { /*body*/ } }
         static void f(A a, B b, C c) { g(); shared = b; g(); }",
        "static void g(int n) { for (int i = 0; i < n; i++) { /*body*/ } }
         static void h(int n) { for (int i = n; i > 0; i -= 2) { /*body*/ } }
         static void (*table[2])(int) = { g, h };
         static void f(A a, B b, C c) { table[b > 0](a); for (int i = 0; i < c; i++) { /*body*/ table[i & 1](b); } }",
        "static void g(unsigned char n) { for (unsigned char i = 0; i < n; i++) { /*body*/ } }
         static void f(A a, B b, C c) { for (unsigned i = a; i > 250; i += 3) { /*body*/ g(i + b); } }",
    ];
    let mut tally = Tally::default();
    for body in bodies {
        for types in [["int", "int", "int"], ["unsigned char", "signed char", "long"]] {
            let [a, b, c] = types;
            let text = format!("typedef {a} A; typedef {b} B; typedef {c} C;\n{body}");
            for seed in 0..5 {
                let more = check_text(&std::env::temp_dir(), &text, seed);
                tally.add(&more.unwrap_or_else(|message| panic!("{message}")));
            }
        }
    }
    assert!(tally.formulas >= 65 && tally.reached > 100, "{tally:?}");
}

/// A number of what a function was given.
fn plain(number: &evidence::Expression) -> String {
    number.with_moments(&|_| Some(evidence::Moment::Now)).map(|now| now.to_string()).unwrap_or_default()
}

/// What is said of each function of a text: its cost and class, or why there is none.
fn costs(text: &str) -> Vec<String> {
    let program = program_of(&std::env::temp_dir(), text, Form::Simplified).expect("it is a program");
    let all: Vec<FunctionId> =
        program.functions.iter().filter(|(_, function)| function.is_defined()).map(|(id, _)| id).collect();
    let told = clients::cost::of(&program, Integers::Machine, &all, &Budget::unlimited(), &|_| {});
    let words = |one: evidence::FunctionCost| match (one.cost, one.missing) {
        (Some(cost), _) => {
            let class = cost.class.map_or_else(|| String::from("by type"), |class| class.to_string());
            format!("{}: {} {class}", one.function, plain(&cost.iterations))
        }
        (None, missing) => {
            format!("{}: {}", one.function, missing.map(|missing| missing.reason).unwrap_or_default())
        }
    };
    told.into_iter().map(words).collect()
}

#[test]
fn costs_of_callees_are_those_of_what_they_are_given() {
    let text = "static unsigned p(unsigned m) { unsigned s = 0; for (unsigned i = 0; i < m; i++) s += i; return s; }
        unsigned sum(unsigned n, unsigned m) { return p(n) + p(m) + p(10); }
        unsigned square(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += p(n); return s; }
        unsigned triangle(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += p(i); return s; }
        unsigned condition(unsigned n, unsigned m) { while (p(m) < 100 && n > 0) n--; return n; }
        unsigned twice(int n) { int k = 0; for (int i = 0; i < n; i++) k += 2; return p(k); }
        static int walk(int *b, int *e) { int s = 0; for (; b < e; b++) s += *b; return s; }
        int walks(int *b, unsigned n) { return walk(b, b + n); }";
    let expected = [
        "p: m O(m)",
        "sum: m + n + 10 O(m + n)",
        "square: n * n + n O(n^2)",
        "triangle: n * max(n - 1, 0) + n O(n^2)",
        "condition: m * n + m + n O(m*n)",
        "twice: 3 * max(n, 0) O(n)",
        "walk: (max(offset(e) - offset(b), 0) + 3) / 4 O((e - b))",
        "walks: n O(n)",
    ];
    assert_eq!(costs(text), expected);
}

#[test]
fn recursion_counts_calls() {
    let text = "static int p(int m) { int s = 0; for (int i = 0; i < m; i++) s += i; return s; }
        int chain(unsigned n) { return n == 0 ? 0 : chain(n - 1) + 1; }
        int work(int n) { int s = p(n); return n <= 0 ? s : s + work(n - 1); }
        int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        int odd(int n); int even(int n) { return n <= 0 ? 1 : odd(n - 1); }
        int odd(int n) { return n <= 0 ? 0 : even(n - 1); }
        int loop(int n) { int s = 0; for (int i = 0; i < n; i++) s += loop(n - 1); return s; }";
    let found = costs(text);
    let of = |name: &str| {
        found.iter().find_map(|one| one.strip_prefix(&format!("{name}: "))).expect("every function is there")
    };
    assert_eq!(of("chain"), "n O(n)");
    assert_eq!(of("work"), "max(n, 0) * max(n, 0) + 2 * max(n, 0) O(n^2)");
    assert_eq!(of("fib"), "2 ** (max(n, 0) + 1) - 1 O(2^n)");
    assert_eq!(of("even"), "functions that call each other");
    assert_eq!(of("loop"), "it calls itself in a loop");
}

#[test]
fn what_is_not_known_has_a_reason() {
    let text = "extern void away(void);
        extern void *memset(void *, int, unsigned long);
        void known(char *p) { memset(p, 0, 10); }
        void calls(void) { away(); }
        void behind(void) { calls(); }
        void pointer(void (*p)(void)) { p(); }
        void assembler(void) { __asm__ volatile(\"nop\"); }
        void endless(int n) { while (n != 0) { n++; n--; } }
        int memory(int *p) { int s = 0; for (int i = 0; i < *p; i++) s++; return s; }";
    let expected = [
        "known: 0 O(1)",
        "calls: a call of away, whose code is not here",
        "behind: the cost of calls is not known",
        "pointer: a call through a pointer may lead to code that is not here",
        "assembler: inline assembler",
    ];
    let found = costs(text);
    assert_eq!(found[..expected.len()], expected);
    assert!(found[5].contains("no number was found"), "{found:?}");
    assert!(found[6].contains("in what the function is given"), "{found:?}");
}
