//! `loopscope terminates`: arguments, runs that never end, reasons, recursions, exit codes.

use crate::common::{Answer, command_on};

fn terminates(source: &str, more: &[&str]) -> Answer {
    command_on("terminates", source, more)
}

#[test]
fn a_counting_loop_stops_whoever_calls_it() {
    let answer = terminates("void f(int n) { for (int i = 0; i < n; i++) ; }", &[]);
    assert_eq!(answer.code, Some(0), "{}", answer.error);
    answer.says(&["a.c:1 for in f: stops: each iteration decreases", "n"]);
    assert_eq!(answer.last_line(), "1 loop: 1 stop, 0 may run for ever, 0 unknown");
}

#[test]
fn a_constant_number_of_iterations_is_said() {
    let answer = terminates("extern void g(int); void f(void) { for (int i = 0; i < 10; i++) g(i); }", &[]);
    answer.says(&["stops after at most 10 iterations"]);
}

#[test]
fn counters_may_be_in_memory() {
    let text = "struct s { int k; int n; };
        void field(struct s *s) { for (s->n = 0; s->n < 10; s->n++) ; }
        void pointer(int *p) { while (*p > 0) --*p; }
        int by_value(struct s s) { int r = 0; while (s.n > 0) { s.n--; r++; } return r; }
        struct s g;
        void global(void) { for (g.n = 0; g.n < 10; g.n++) ; }
        void element(struct s *t, int i) { for (t[i].n = 0; t[i].n < 10; t[i].n++) ; }
        void out(int *count, int n) { *count = 0; while (*count < n) (*count)++; }
        void beside(struct s *s) { int b[10]; for (s->n = 0; s->n < 10; s->n++) b[s->n] = s->k; }";
    let answer = terminates(text, &[]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.output, answer.error);
    assert_eq!(answer.last_line(), "7 loops: 7 stop, 0 may run for ever, 0 unknown");
}

#[test]
fn callees_change_no_more_than_they_can() {
    let text = "static int i, other; extern void outside(void);
        static void work(int n) { if (n > 0) { other++; work(n - 1); } }
        void counts(void) { for (i = 0; i < 10; i++) work(i); }
        void field(int *p) { for (*p = 0; *p < 10; ++*p) work(*p); }
        static void changes(void) { i = 0; }
        void never(void) { for (i = 0; i < 10; i++) changes(); }
        void unknown(void) { for (i = 0; i < 10; i++) outside(); }
        void reset(void) { changes(); }
        extern int printf(const char *, ...);
        void prints(int *p) { for (*p = 0; *p < 10; ++*p) printf(\"%d\", *p); }
        void prints_back(int *p) { for (*p = 0; *p < 10; ++*p) printf(\"%n\", p); }";
    let answer = terminates(text, &[]);
    for stops in ["counts", "field", "prints"] {
        answer.says(&[&format!("for in {stops}: stops after at most 10")]);
    }
    for open in ["for in never: may run for ever", "for in unknown: unknown", "for in prints_back: unknown"] {
        answer.says(&[open]);
    }
}

#[test]
fn loops_are_answered_from_what_callees_give() {
    let text = "extern int outside(void);
        static int step(int n) { return n > 5 ? 2 : 1; }
        static int next(int i) { return i + 1; }
        static int zero(int n) { return n > 3 ? 0 : 1; }
        static int down(int n) { return n <= 0 ? 1 : down(n - 1); }
        static int twice(int n) { return step(n) + step(n - 1); }
        static int wild(int *p) { return *p; }
        void a(int n) { for (int i = 0; i < n; i += step(n)); }
        void b(int n) { int i = 0; while (i < n) i = next(i); }
        void c(int n) { for (int i = 0; i < n; i += down(n)); }
        void d(int n) { for (int i = 0; i < n; i += twice(n)); }
        void e(int n) { for (int i = 0; i < n; i += zero(n)); }
        void f(int n) { while (n > 0) n -= wild(&n); }
        void g(int n) { while (n > 0) n -= outside(); }";
    let answer = terminates(text, &[]);
    for stops in ["for in a", "while in b", "for in c", "for in d"] {
        answer.says(&[&format!("{stops}: stops unless a signed number overflows")]);
    }
    answer.says(&["for in e: may run for ever"]);
    for open in ["while in f: unknown", "while in g: unknown"] {
        answer.says(&[open]);
    }
}

#[test]
fn counters_in_memory_that_others_may_write_are_not_counted_on() {
    let text = "struct s { int k; int n; }; extern void f(void);
        void through_another(struct s *s, int *p) { for (s->n = 0; s->n < 10; s->n++) *p = 0; }
        void through_a_byte(int *p) { char *low = (char *)p + 1; while (*p > 0) { --*p; *low = 1; } }
        void in_a_call(struct s *s) { for (s->n = 0; s->n < 10; s->n++) f(); }
        void in_another_element(struct s *t, int i, int j) { for (t[i].n = 0; t[i].n < 9; t[i].n++) t[j].n = 0; }
        struct s *shown;
        void through_a_place_that_moves(void) { for (shown->n = 0; shown->n < 9; shown->n++) shown++; }
        void to_itself(int **p) { for (**p = 0; **p < 9; ++**p) *p = 0; }";
    let answer = terminates(text, &[]);
    assert!(answer.last_line().starts_with("6 loops: 0 stop"), "{}{}", answer.output, answer.error);
}

#[test]
fn templates_need_no_linear_iteration() {
    let text =
        "unsigned gcd(unsigned a, unsigned b) { while (b) { unsigned t = a % b; a = b; b = t; } return a; }
        int ones(unsigned x) { int c = 0; while (x) { x &= x - 1; c++; } return c; }
        void wraps(unsigned char i, unsigned char n) { while (i != n) i++; }";
    let answer = terminates(text, &[]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.output, answer.error);
    assert_eq!(answer.last_line(), "3 loops: 3 stop, 0 may run for ever, 0 unknown");
}

#[test]
fn what_hangs_on_overflows_is_said() {
    let text = "void f(int x) { while (x != 0) x -= 2; }";
    terminates(text, &[]).says(&["stops unless a signed number overflows"]);
    let answer = terminates(text, &["--integers", "mathematical"]);
    assert_eq!(answer.code, Some(1), "{}{}", answer.output, answer.error);
    answer.says(&["may run for ever, in a run of f"]);
}

#[test]
fn a_run_that_never_ends_belongs_to_the_loop_that_goes_round() {
    let text = "int main(void) {
        for (;;) {
            for (int i = 0; i < 3; i++) ;
        }
    }";
    let answer = terminates(text, &[]);
    assert_eq!(answer.code, Some(1), "{}", answer.error);
    answer.says(&["a.c:2 for in main: may run for ever, in a run of main"]);
    answer.says(&["a.c:3 for in main: stops after at most 3 iterations"]);
    answer.says(&["the state comes back every"]);
}

#[test]
fn callers_help_where_a_function_alone_may_run_for_ever() {
    let text = "extern int nondet(void);
        static void f(unsigned n) { while (n != 0) n -= 2; }
        int main(void) { if (nondet()) f(4); else f(10); return 0; }";
    let answer = terminates(text, &[]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.output, answer.error);
    answer.says(&["in f: stops in runs of main"]);
    // Without main nobody says that the number is even.
    let answer = terminates("void f(unsigned n) { while (n != 0) n -= 2; }", &[]);
    assert_eq!(answer.code, Some(1), "{}{}", answer.output, answer.error);
    answer.says(&["may run for ever, in a run of f"]);
}

#[test]
fn a_program_without_inputs_is_run() {
    let text = "static unsigned next(unsigned x) { return x % 2 ? 3 * x + 1 : x / 2; }
        int main(void) { unsigned x = 27; while (x != 1) x = next(x); return 0; }";
    let answer = terminates(text, &[]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.output, answer.error);
    answer.says(&["in main: stops in runs of main: all its iterations were unwound"]);
    // What `rand` gives is the machine's choice.
    let text = "extern int rand(void);
        int main(void) { unsigned x = 27; while (x != 1) x = rand() ? x % 2 ? 3 * x + 1 : x / 2 : x; return 0; }";
    assert_ne!(terminates(text, &[]).code, Some(0));
}

#[test]
fn recursions_have_their_own_line() {
    let text = "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        int ack(int m, int n) {
            if (m <= 0) return n + 1;
            if (n <= 0) return ack(m - 1, 1);
            return ack(m - 1, ack(m, n - 1));
        }
        int odd(int n);
        int even(int n) { return n == 0 ? 1 : odd(n - 1); }
        int odd(int n) { return n == 0 ? 0 : even(n - 1); }
        void down(int n) { if (n != 3) down(n); }";
    let answer = terminates(text, &[]);
    assert_eq!(answer.code, Some(1), "{}{}", answer.output, answer.error);
    answer.says(&["a.c:1 recursion in fib: stops: each nested call decreases n"]);
    answer.says(&["recursion in ack: stops: each nested call decreases the first that it changes of: m; n"]);
    answer.says(&["recursion with even in odd: stops unless a signed number overflows"]);
    answer.says(&["recursion in down: may run for ever"]);
}

#[test]
fn what_is_unknown_has_a_reason_and_a_place() {
    let text = "struct list { struct list *next; };
        extern int get(void);
        void f(struct list *p) { while (p) p = p->next; }
        void g(void) { while (get() != 0) ; }";
    let answer = terminates(text, &["--function", "f"]);
    assert_eq!(answer.code, Some(3), "{}{}", answer.output, answer.error);
    answer.says(&["in f: unknown: when it is left depends on memory", "at a.c:3:"]);
    let answer = terminates(text, &["--function", "f", "--require-termination"]);
    assert_eq!(answer.code, Some(1), "{}", answer.error);
    let answer = terminates(text, &["--function", "h"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.error.contains("no function `h`"), "{}", answer.error);
}

#[test]
fn tools_get_json() {
    let answer = terminates("void f(unsigned n) { while (n > 0) n--; }", &["--json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.error);
    for piece in
        [r#""schema": 2"#, r#""answer": "stops""#, r#""kind": "loop""#, r#""unless_overflow": false"#]
    {
        assert!(answer.output.contains(piece), "{piece} is not in {}", answer.output);
    }
}

#[test]
fn a_condition_on_the_arguments_is_said() {
    let text = "int wait(int x, int d) { while (x > 0) x = x - d; return x; }
        unsigned upto(unsigned n) { unsigned s = 0; for (unsigned i = 0; i <= n; i++) s += i; return s; }
        void spin(int x) { while (x) ; }";
    let answer = terminates(text, &[]);
    assert_eq!(answer.code, Some(1), "{}{}", answer.output, answer.error);
    answer.says(&["stops if d > 0: "]);
    answer.says(&["stops if n != 4294967295: each iteration decreases"]);
    answer.says(&["stops if x == 0: no iteration leads to another one"]);
    let json = terminates(text, &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.output).expect("it is JSON");
    let found = &json["cycles"][0]["stops_if"];
    assert_eq!(found["condition"]["compare"]["comparison"], "greater", "{found}");
    assert_eq!(found["why"]["why"], "argument", "{found}");
}

#[test]
fn a_condition_on_two_arguments_or_on_the_outermost_call_is_said() {
    let text = "int gcd(int x, int y) { while (x != y) { if (x > y) x -= y; else y -= x; } return x; }
        int fact(int n) { return n == 0 ? 1 : n * fact(n - 1); }
        int count(int i, int n) { while (i != n) i++; return i; }";
    let answer = terminates(text, &["--integers", "mathematical"]);
    answer.says(&["stops if x > 0 and y > 0: each iteration decreases x + y"]);
    answer.says(&["stops if n >= 0: each nested call decreases n"]);
    answer.says(&["stops if i <= n: each iteration decreases"]);
    assert!(
        !answer.output.contains("overflows"),
        "numbers without limits do not overflow: {}",
        answer.output
    );
}

#[test]
fn functions_that_call_each_other_stop() {
    let text = "int is_odd(unsigned n);
        int is_even(unsigned n) { if (n == 0) return 1; return is_odd(n - 1); }
        int is_odd(unsigned n) { if (n == 0) return 0; return is_even(n - 1); }
        int pong(int n);
        int ping(int n) { if (n < 0) return 0; return pong(n); }
        int pong(int n) { return ping(n); }";
    let answer = terminates(text, &[]);
    answer.says(&["recursion with", "stops: each nested call decreases n, which is not negative before it"]);
    answer.says(&["recursion with", "may run for ever"]);
    assert_eq!(answer.last_line(), "0 loops and 2 recursions: 1 stop, 1 may run for ever, 0 unknown");
}

#[test]
fn the_only_run_shows_that_nothing_overflows() {
    let text = "int total(int x, int d) { int s = 0; while (x != 0) { x -= d; s++; } return s; }
        int main(void) { return total(10, 2); }";
    let answer = terminates(text, &[]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.output, answer.error);
    assert!(!answer.output.contains("overflows"), "{}", answer.output);
}

#[test]
fn loops_on_floating_point_numbers() {
    let text = "void count(void) { for (float x = 0; x < 10; x += 1) ; }
        void half(float x) { if (x < 1e10f) while (x > 1) x /= 2; }
        void tenth(float x) { if (x < 1e10) while (x > 0.5) x = x * 0.1; }
        void infinite(float x) { while (x > 1) x /= 2; }
        void lost(float x) { for (; x < 10; x += 1) ; }
        void both(float x, float y) { while (x < y) x += y; }";
    let answer = terminates(text, &[]);
    answer.says(&["for in count: stops: every iteration has place of x in its type after the iteration >"]);
    answer.says(&["while in half: stops: every iteration has place of x in its type after the iteration <"]);
    answer.says(&["while in tenth: stops: "]);
    answer.says(&["while in infinite: may run for ever"]);
    answer.says(&["for in lost: may run for ever"]);
    assert!(!answer.output.contains("both: stops"), "{}", answer.output);
}
