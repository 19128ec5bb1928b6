//! Loops over arrays, strings and pointers: invariants that must be found, programs that must be proved, and near
//! misses of them that must not.

use std::time::Duration;

use base::Budget;
use certify::Abstraction;
use certify::abstraction::Effort;
use certify::{Claim, Subject};
use evidence::{AbstractionMode, Overflow, ProofMode, Property};
use program::interpret::{Integers, ObligationSet};
use program::{Obligation, Program};

/// What an analysis of a C program gave.
struct Outcome {
    /// The invariants of each loop.
    invariants: Vec<Vec<String>>,
    /// Whether nothing can be violated.
    proved: bool,
}

fn program(name: &str, text: &str) -> Program {
    let path = std::env::temp_dir().join(format!("loopscope-memory-{name}-{}.c", std::process::id()));
    let header = "extern int nondet_int(void); extern char nondet_char(void); extern void *malloc(unsigned long);\n\
                  extern void reach_error(void);\n\
                  static void check(int condition) { if (!condition) reach_error(); }\n";
    std::fs::write(&path, format!("{header}{text}")).expect("the folder for temporary files can be written");
    let mut program = c::translate(&[c::Input::new(&path)]).program;
    let _ = std::fs::remove_file(&path);
    program::passes::simplify(&mut program);
    program
}

/// Assertions and accesses to memory are examined together.
fn analyse(name: &str, text: &str) -> Outcome {
    use Obligation::{Assertion, Dangling, Null, OutOfBounds, ReachError};
    let program = program(name, text);
    let function = program.function_named("main").expect("there is a main");
    let checks: ObligationSet = [Assertion, ReachError, OutOfBounds, Null, Dangling].into_iter().collect();
    let property = Property::Obligations(checks);
    let subject = Subject::of(&program, Claim { function, property, integers: Integers::Machine });
    let mut budget = Budget::unlimited().within(Duration::from_secs(120));
    let abstract_loops = Some(AbstractionMode { iterations: 1, decided: 64 });
    let mode = ProofMode { abstract_loops, ..ProofMode::abstraction(1, Overflow::Wraps) };
    let mut abstraction = Abstraction::new(&subject, mode, &mut budget).expect("it is small");
    let effort = Effort { time: Duration::from_secs(20), ..Effort::default() };
    loopscope_engines::summarise(&program, &mut abstraction, effort, &mut budget, &mut |_| {});
    let invariants = (0..abstraction.abstract_loops().len())
        .map(|abstract_loop| abstraction.invariants(abstract_loop).iter().map(ToString::to_string).collect())
        .collect();
    Outcome { invariants, proved: abstraction.conclude(effort, &mut budget).is_some() }
}

/// The program is proved, and its loops have these invariants, each with the number of its loop.
fn proves(name: &str, text: &str, invariants: &[(usize, &str)]) {
    let outcome = analyse(name, text);
    for (place, invariant) in invariants {
        let found = &outcome.invariants[*place];
        assert!(found.iter().any(|other| other == invariant), "{name}: {invariant} is missing in {found:#?}");
    }
    assert!(outcome.proved, "{name} is not proved with {:#?}", outcome.invariants);
}

/// The program violates something: it must not be proved.
fn leaves_open(name: &str, text: &str) {
    let outcome = analyse(name, text);
    assert!(!outcome.proved, "{name} is wrong and proved with {:#?}", outcome.invariants);
}

#[test]
fn arrays_hold_what_was_written() {
    proves(
        "fill",
        "int a[1000]; int main(void) { int i; for (i = 0; i < 1000; i++) a[i] = 7;
         for (i = 0; i < 1000; i++) check(a[i] == 7); return 0; }",
        &[(0, "every(k, 0, i, a.s4[k] == 7)")],
    );
    proves(
        "linear",
        "int main(void) { long a[500]; for (int i = 0; i < 500; i++) a[i] = 2 * i + 1;
         for (int i = 0; i < 500; i++) check(a[i] == 2 * i + 1); return 0; }",
        &[(0, "every(k, 0, i, a.s8[k] == 2 * k + 1)")],
    );
    proves(
        "backwards",
        "int main(void) { short a[300]; int i; for (i = 299; i >= 0; i--) a[i] = -3;
         for (i = 0; i < 300; i++) check(a[i] == -3); return 0; }",
        &[(0, "every(k, i + 1, 300, a.s2[k] == -3)")],
    );
    leaves_open(
        "not_all",
        "int main(void) { int a[1000]; int i; for (i = 0; i < 999; i++) a[i] = 7;
         for (i = 0; i < 1000; i++) check(a[i] == 7); return 0; }",
    );
}

#[test]
fn arrays_are_copied_and_mapped() {
    proves(
        "copy",
        "int main(void) { int a[1000], b[1000]; int i; for (i = 0; i < 1000; i++) a[i] = nondet_int();
         for (i = 0; i < 1000; i++) b[i] = a[i]; for (i = 0; i < 1000; i++) check(a[i] == b[i]); return 0; }",
        &[(1, "every(k, 0, i, b.s4[k] == a.s4[k])")],
    );
    proves(
        "reverse",
        "int main(void) { int a[100], b[100]; int i; for (i = 0; i < 100; i++) a[i] = nondet_int();
         for (i = 0; i < 100; i++) b[99 - i] = a[i];
         for (i = 0; i < 100; i++) check(b[i] == a[99 - i]); return 0; }",
        &[],
    );
    proves(
        "add",
        "int main(void) { int a[1000]; int i, c = nondet_int(); for (i = 0; i < 1000; i++) a[i] = 5;
         for (i = 0; i < 1000; i++) a[i] = a[i] + c; for (i = 0; i < 1000; i++) check(a[i] == 5 + c); return 0; }",
        &[(1, "every(k, i, 1000, a.s4[k] == entry(a.s4[k]))")],
    );
    leaves_open(
        "shifted",
        "int main(void) { int a[1000], b[1000]; int i; for (i = 0; i < 1000; i++) a[i] = nondet_int();
         for (i = 0; i < 999; i++) b[i] = a[i + 1]; b[999] = 0;
         for (i = 0; i < 1000; i++) check(a[i] == b[i]); return 0; }",
    );
}

#[test]
fn steps_and_branches_are_followed() {
    proves(
        "pairs",
        "int main(void) { int a[400]; int i; for (i = 0; i < 200; i++) { a[2 * i] = 1; a[2 * i + 1] = 2; }
         for (i = 0; i < 200; i++) { check(a[2 * i] == 1); check(a[2 * i + 1] == 2); } return 0; }",
        &[(0, "every(k, 0, i, a.s4[2 * k + 1] == 2)")],
    );
    proves(
        "signs",
        "int main(void) { int a[1000], b[1000]; int i; for (i = 0; i < 1000; i++) a[i] = nondet_int();
         for (i = 0; i < 1000; i++) if (a[i] >= 0) b[i] = 1; else b[i] = 0;
         for (i = 0; i < 1000; i++) { if (a[i] < 0) check(b[i] == 0); } return 0; }",
        &[],
    );
    proves(
        "structs",
        "struct pair { int first, second; }; struct pair a[300];
         int main(void) { int i; for (i = 0; i < 300; i++) { a[i].first = i; a[i].second = 9; }
         for (i = 0; i < 300; i++) check(a[i].first == i && a[i].second == 9); return 0; }",
        &[],
    );
}

#[test]
fn searches_know_what_they_have_seen() {
    proves(
        "maximum",
        "int main(void) { int a[1000]; int i, most; for (i = 0; i < 1000; i++) a[i] = nondet_int();
         most = a[0]; for (i = 1; i < 1000; i++) if (a[i] > most) most = a[i];
         for (i = 0; i < 1000; i++) check(a[i] <= most); return 0; }",
        &[(1, "every(k, 1, i, a.s4[k] <= most)")],
    );
    proves(
        "find",
        "int main(void) { int a[1000]; int i, x = nondet_int(), found = 0; for (i = 0; i < 1000; i++) a[i] = nondet_int();
         for (i = 0; i < 1000; i++) if (a[i] == x) found = 1;
         if (!found) for (i = 0; i < 1000; i++) check(a[i] != x); return 0; }",
        &[],
    );
    proves(
        "first",
        "int main(void) { int a[1000]; int i, j, x = nondet_int(); for (i = 0; i < 1000; i++) a[i] = nondet_int();
         for (i = 0; i < 1000 && a[i] != x; i++) ;
         for (j = 0; j < i; j++) check(a[j] != x); return 0; }",
        &[(1, "every(k, 0, i, a.s4[k] != x)")],
    );
}

#[test]
fn rows_are_done_one_after_the_other() {
    proves(
        "rows",
        "int a[70][80]; int main(void) { int i, j; for (i = 0; i < 70; i++) for (j = 0; j < 80; j++) a[i][j] = 4;
         for (i = 0; i < 70; i++) for (j = 0; j < 80; j++) check(a[i][j] == 4); return 0; }",
        &[(0, "every(k, 0, 80 * i, a.s4[k] == 4)")],
    );
}

#[test]
fn strings_are_walked_to_their_ends() {
    const TEXT: &str = "char s[100]; for (int i = 0; i < 99; i++) s[i] = nondet_char(); s[99] = 0;";
    proves(
        "length",
        &format!("int main(void) {{ {TEXT} int n = 0; while (s[n] != 0) n++; return n; }}"),
        &[(1, "n <= length(s)"), (1, "every(k, 0, n, s.s1[k] != 0)")],
    );
    proves(
        "string_copy",
        &format!(
            "void copy(char *d, const char *s) {{ while ((*d++ = *s++)) ; }}
             int main(void) {{ char t[100]; {TEXT} copy(t, s); return 0; }}"
        ),
        &[(1, "offset(s) <= length(s)")],
    );
    leaves_open(
        "string_copy_too_small",
        &format!(
            "void copy(char *d, const char *s) {{ while ((*d++ = *s++)) ; }}
             int main(void) {{ char t[99]; {TEXT} copy(t, s); return 0; }}"
        ),
    );
    proves(
        "bounded_copy",
        &format!(
            "int main(void) {{ char t[80]; {TEXT} int i = 0; while (s[i] != 0 && i < 79) {{ t[i] = s[i]; i++; }}
             t[i] = 0; return 0; }}"
        ),
        &[],
    );
    leaves_open(
        "bounded_copy_off_by_one",
        &format!(
            "int main(void) {{ char t[80]; {TEXT} int i = 0; while (s[i] != 0 && i < 80) {{ t[i] = s[i]; i++; }}
             t[i] = 0; return 0; }}"
        ),
    );
    proves(
        "filtered_copy",
        &format!(
            "int main(void) {{ char t[100]; {TEXT} int i, j = 0;
             for (i = 0; s[i] != 0; i++) if (s[i] != ' ') t[j++] = s[i];
             t[j] = 0; return 0; }}"
        ),
        &[],
    );
}

/// LoopFrog's running example (Fig. 1): slashes become terminators. As Example 4 says, what is terminated stays so, and
/// where no slash is, the pointer ends at the terminator.
#[test]
fn slashes_become_terminators() {
    proves(
        "replace",
        "char a[100]; int main(void) { for (int i = 0; i < 99; i++) a[i] = nondet_char(); a[99] = 0;
         char *p = a; while (*p != 0) { if (*p == '/') *p = 0; p++; } return 0; }",
        &[
            (1, "terminated(a) == 1"),
            (1, "entry(terminated(a)) == 0 || terminated(a) == 1"),
            (1, "offset(p) <= entry(length(a))"),
        ],
    );
    proves(
        "replace_nothing",
        "char a[100]; int main(void) {
         for (int i = 0; i < 99; i++) { a[i] = nondet_char(); if (a[i] == '/') a[i] = '-'; } a[99] = 0;
         char *p = a; while (*p != 0) { if (*p == '/') *p = 0; p++; }
         for (int j = 0; j < p - a; j++) check(a[j] != 0); check(*p == 0); return 0; }",
        &[(1, "offset(p) <= length(a)")],
    );
}

#[test]
fn pointers_walk_in_their_objects() {
    proves(
        "end",
        "int main(void) { int a[200]; int *p = a, *end = a + 200; while (p < end) *p++ = 1;
         for (p = a; p != end; p++) check(*p == 1); return 0; }",
        &[(0, "offset(p) <= 800")],
    );
    proves(
        "heap",
        "int main(void) { int n = nondet_int(); if (n < 1 || n > 100000) return 0;
         int *a = malloc(n * sizeof(int)); if (!a) return 0;
         for (int i = 0; i < n; i++) a[i] = 3; for (int i = 0; i < n; i++) check(a[i] == 3); return 0; }",
        &[(0, "every(k, 0, i, a.s4[k] == 3)")],
    );
    proves(
        "together",
        "int main(void) { char a[500], b[500]; char *p = a, *q = b; int n = 0;
         while (n < 500) { *p++ = 1; *q++ = 2; n++; } check(p - a == n && q - b == n); return 0; }",
        &[],
    );
    leaves_open(
        "past_the_end",
        "int main(void) { int a[200]; int *p = a, *end = a + 200; while (p <= end) *p++ = 1; return 0; }",
    );
}

#[test]
fn pointers_in_memory_keep_step() {
    let text = |most: u32| {
        format!(
            "static void fill(char **out, int most) {{ int n = 0;
             while (nondet_int()) {{ if (++n > most) break; *(*out)++ = 'x'; }} }}
             int main(void) {{ char a[40]; char *end = a; fill(&end, {most}); return 0; }}"
        )
    };
    proves("stored", &text(40), &[]);
    leaves_open("stored_too_far", &text(41));
}

#[test]
fn links_lead_to_elements_or_nowhere() {
    let text = |next: &str| {
        format!(
            "struct element {{ struct element *next; int number; }};
             int main(void) {{ struct element last = {{0, 2}}, first = {{&last, 1}}; int sum = 0;
             for (struct element *e = &first; e; e = {next}) sum ^= e->number; return sum; }}"
        )
    };
    proves("list", &text("e->next"), &[]);
    leaves_open("list_off", &text("e + nondet_int()"));
}
