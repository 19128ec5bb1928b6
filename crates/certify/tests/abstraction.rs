//! Invariants of the loops of C programs: which ones the kernel takes, and which ones it must refuse.

mod source;

use base::Budget;
use evidence::{AbstractionMode, Formula, Overflow, ProofMode, Property};
use loopscope_certify::Candidate;
use loopscope_certify::abstraction::{Abstraction, Batch, Effort, Finding};
use program::interpret::{Integers, ObligationSet};
use program::{Obligation, Program};

use self::source::{opened, program};

fn abstraction(program: &Program, steps: u64) -> Abstraction<'_> {
    let checks = ObligationSet::ALL.without(Obligation::SignedOverflow).without(Obligation::Uninitialised);
    let abstract_loops = Some(AbstractionMode { iterations: steps, decided: 0 });
    let mode = ProofMode { calls: 50, abstract_loops, ..ProofMode::abstraction(steps, Overflow::Wraps) };
    opened(program, "main", Property::Obligations(checks), Integers::Machine, mode)
}

/// Puts invariants to the kernel, each alone or all together. A loop is given by its number, in the order of the text.
fn accepted(
    program: &Program,
    steps: u64,
    batch: Batch,
    invariants: &[(usize, &str)],
    together: bool,
) -> Vec<bool> {
    let mut abstraction = abstraction(program, steps);
    let mut heads: Vec<_> = abstraction
        .abstract_loops()
        .iter()
        .map(|abstract_loop| (abstract_loop.location, abstract_loop.head))
        .collect();
    heads.sort();
    heads.dedup();
    // Iterations before an abstract loop have abstract loops of their own over the loops inside; the last one is inside
    // the abstract loop.
    let last = |abstraction: &Abstraction<'_>, number: usize| {
        let place = abstraction
            .abstract_loops()
            .iter()
            .rposition(|abstract_loop| abstract_loop.head == heads[number].1);
        place.expect("the loop is abstracted")
    };
    let candidate = |&(number, text): &(usize, &str)| {
        let formula: Formula = text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"));
        Candidate { abstract_loop: last(&abstraction, number), formula }
    };
    let candidates: Vec<Candidate> = invariants.iter().map(candidate).collect();
    let effort = Effort { batch, ..Effort::default() };
    let mut answers = vec![false; candidates.len()];
    for nest in abstraction.nests() {
        let here: Vec<usize> =
            (0..candidates.len()).filter(|&place| nest.contains(&candidates[place].abstract_loop)).collect();
        let groups: Vec<&[usize]> = if together { vec![&here] } else { here.chunks(1).collect() };
        for group in groups {
            let asked: Vec<Candidate> = group.iter().map(|&place| candidates[place].clone()).collect();
            let some = abstraction.accept(&nest, &asked, effort, &mut Budget::unlimited());
            group.iter().zip(some).for_each(|(&place, answer)| answers[place] = answer);
        }
    }
    answers
}

/// All invariants of the first list hold, in whichever way they are asked; none of the second does, alone or with
/// others.
fn check(text: &str, hold: &[(usize, &str)], refused: &[(usize, &str)]) {
    let program = program(text);
    for batch in [Batch::All, Batch::Single] {
        for (answer, invariant) in accepted(&program, 1, batch, hold, true).into_iter().zip(hold) {
            assert!(answer, "{invariant:?} is refused: {text}");
        }
        for steps in [1, 2] {
            for together in [false, true] {
                let answers = accepted(&program, steps, batch, refused, together);
                for (answer, invariant) in answers.into_iter().zip(refused) {
                    assert!(!answer, "{invariant:?} is accepted with {steps} iterations: {text}");
                }
            }
        }
    }
}

#[test]
fn invariants_hold_at_entry_and_are_kept() {
    check(
        "int main(void) { int i = 0, n = nondet(); while (i < n) i++; return i; }",
        &[
            (0, "i >= 0"),
            (0, "i >= entry(i)"),
            (0, "i <= n || i == 0"),
            (0, "n == entry(n)"),
            (0, "entry(i) == 0"),
        ],
        &[
            (0, "i <= n"),
            (0, "i > 0"),
            (0, "i == 0"),
            (0, "i < n"),
            (0, "n >= 0"),
            (0, "i <= 100"),
            (0, "i % 2 == 0"),
            (0, "i != 7"),
            (0, "i > entry(i)"),
            (0, "i == entry(n)"),
            (0, "!(i > 3)"),
        ],
    );
}

#[test]
fn machine_numbers_wrap_and_those_of_invariants_do_not() {
    check(
        "int main(void) { unsigned char c = nondet(); unsigned n = nondet(), u = 0; int x = 5, y = 3;
           while (n--) { c++; x += 3; y += 2; u -= 1; } return c; }",
        &[(0, "c <= 255"), (0, "c >= 0"), (0, "n <= entry(n)"), (0, "y % 2 == 1"), (0, "x + 1 > x")],
        &[
            (0, "c >= entry(c)"),
            (0, "c <= entry(c)"),
            (0, "c < 255"),
            (0, "x >= 5"),
            (0, "x % 3 == 2"),
            (0, "y >= 3"),
            (0, "u == 0"),
            (0, "u + n == entry(u) + entry(n)"),
            (0, "c + n == entry(c) + entry(n)"),
        ],
    );
}

#[test]
fn an_invariant_belongs_to_one_loop_of_a_nest() {
    check(
        "int main(void) { int i = 0, j = 50, s = 0, n = nondet();
           while (i < n) { j = 0; while (j < 10) { j++; s++; } i++; } return s; }",
        &[
            (1, "j <= 10"),
            (1, "j >= 0"),
            (1, "i < n"),
            (0, "j == 10 || j == 50"),
            (0, "i >= 0"),
            (1, "i >= 0"),
        ],
        &[
            (0, "j <= 10"),
            (0, "i < n"),
            (1, "j < 10"),
            (1, "j == entry(j) + 1"),
            (0, "s == 0"),
            (1, "s == entry(s)"),
        ],
    );
}

#[test]
fn what_supports_each_other_falls_together() {
    check(
        "int main(void) { int x = 0, y = 0, z = 0; while (nondet()) { x = y; y = z; if (nondet()) z = 1; } return x; }",
        &[(0, "z == 0 || z == 1"), (0, "y == 0 || y == 1"), (0, "x == 0 || x == 1")],
        &[(0, "x == 0"), (0, "y == 0"), (0, "z == 0"), (0, "x == y"), (0, "y == z")],
    );
}

#[test]
fn callees_change_memory() {
    check(
        "int g[2], counter; static void touch(int *p) { *p += 1; counter = counter + 1; }
         static void set(int *p, int v) { *p = v; }
         int main(void) { int x = 4; while (nondet()) { touch(g); set(&x, nondet()); } return x; }",
        &[(0, "g.s4[1] == 0"), (0, "g.s4[1] == entry(g.s4[1])")],
        &[
            (0, "g.s4[0] == 0"),
            (0, "g.s4[0] == entry(g.s4[0])"),
            (0, "counter == 0"),
            (0, "counter == entry(counter)"),
            (0, "x.s4[0] == 4"),
            (0, "x.s4[0] == entry(x.s4[0])"),
        ],
    );
}

#[test]
fn what_was_written_ends_where_it_ends() {
    check(
        "int main(void) { int a[100], i; for (i = 0; i < 100; i++) a[i] = 0; return i; }",
        &[(0, "i >= 0"), (0, "i <= 100"), (0, "every(k, 0, i, a.s4[k] == 0)")],
        &[
            (0, "every(k, 0, i + 1, a.s4[k] == 0)"),
            (0, "every(k, 0, 100, a.s4[k] == 0)"),
            (0, "every(k, i, 100, a.s4[k] == 0)"),
            (0, "every(k, 0, i, a.s4[k] == 1)"),
            (0, "every(k, 0, i, a.s4[k] == entry(a.s4[k]))"),
            (0, "every(k, 0, 1, a.s4[k] == 0)"),
            (0, "a.s4[0] == 0"),
        ],
    );
    check(
        "int main(void) { int a[100] = {0}, i; for (i = 0; i < 100; i++) { a[i] = i & 1 ? 0 : 2; a[nondet() & 3] = 5; }
           return i; }",
        &[(0, "every(k, 0, 100, a.s4[k] >= 0)"), (0, "i >= 0")],
        &[(0, "every(k, 0, i, a.s4[k] <= 2)"), (0, "every(k, 0, 100, a.s4[k] == 0)"), (0, "a.s4[3] != 5")],
    );
}

#[test]
fn pointers_may_get_another_object() {
    check(
        "int main(void) { int a[4], b[4], *p = a, *q = b, *r = a; while (nondet()) { p = nondet() ? a : b; if (nondet()) q = 0; r = p; }
           return p == r; }",
        &[(0, "object(p) != 0"), (0, "offset(p) == 0")],
        &[
            (0, "object(p) == object(a)"),
            (0, "object(p) == entry(object(p))"),
            (0, "object(q) != 0"),
            (0, "object(q) == object(b)"),
            (0, "object(r) == object(a)"),
            (0, "object(p) != object(b)"),
        ],
    );
    check(
        "int main(void) { char s[10], *p = s; while (p < s + 9 && nondet()) p++; return *p; }",
        &[(0, "offset(p) >= 0"), (0, "offset(p) <= 9"), (0, "object(p) == object(s)"), (0, "size(p) == 10")],
        &[
            (0, "offset(p) <= 8"),
            (0, "offset(p) == 0"),
            (0, "offset(p) > 0"),
            (0, "offset(p) < 9"),
            (0, "size(p) == 9"),
        ],
    );
}

#[test]
fn pointers_to_what_an_iteration_made_point_to_nothing_in_the_next() {
    check(
        "int main(void) { int a = 0, *p = &a, *h = 0; while (nondet()) { int y = 0; p = &y; *p = 1; } return p == h; }",
        &[(0, "object(h) == 0")],
        &[(0, "object(p) != object(h)"), (0, "object(p) != 0"), (0, "offset(p) == 0")],
    );
}

#[test]
fn terminators_are_overwritten() {
    check(
        "int main(void) { char s[10] = {0}, t[10] = {0}; unsigned n = nondet();
           while (nondet()) { s[n % 10] = 'x'; t[n % 9] = 'x'; n++; } return s[0]; }",
        &[(0, "t.s1[9] == 0"), (0, "terminated(t) == 1")],
        &[
            (0, "terminated(s) == 1"),
            (0, "s.s1[9] == 0"),
            (0, "length(t) == 0"),
            (0, "length(t) == entry(length(t))"),
        ],
    );
}

/// Queries are asked without memory first: what they refuse may hold, and what they take does.
#[test]
fn what_memory_contains_may_matter() {
    check(
        "static const int steps[3] = {1, 2, -1};
         int main(void) { int x = 0, y = 0, n = 0;
           while (n < 10 && nondet()) { unsigned k = nondet(); x += steps[k % 2]; y += steps[k % 3]; n++; }
           return x + y; }",
        &[(0, "n >= 0"), (0, "n <= 10"), (0, "x >= n"), (0, "x <= 2 * n")],
        &[(0, "n <= 9"), (0, "x <= n"), (0, "y >= 0"), (0, "y >= n"), (0, "steps.s4[0] == steps.s4[1]")],
    );
}

/// Without memory an index that was read from there may be anything; so may one that really is.
#[test]
fn verification_conditions_without_memory_hold_with_it() {
    let program = program(
        "int t[100], u[100]; int main(void) { int i = nondet(), j = nondet() & 63; if (i < 0 || i >= 100) return 0;
           u[i] = 1; t[i] = nondet(); if (t[j] >= 0 && t[j] < 100) u[t[j]] = 2; u[t[j]] = 3; u[j + i % 36] = 4; u[j + i % 38] = 5;
           return 0; }",
    );
    let mut abstraction = abstraction(&program, 1);
    let (effort, mut budget) = (Effort::default(), Budget::unlimited());
    let vcs: Vec<usize> = (0..abstraction.vcs().len()).collect();
    let (mut held, mut violated) = (0, 0);
    for vc in vcs {
        let holds = abstraction.hold_without_memory(&[vc], effort, &mut budget);
        let found = abstraction.examine(vc, effort, &mut budget);
        assert!(!holds || matches!(found, Finding::Holds), "{:?}", abstraction.vcs()[vc]);
        held += usize::from(holds);
        violated += usize::from(matches!(found, Finding::Violated(_)));
    }
    assert!(held > 0, "none holds without memory");
    assert_eq!(violated, 2, "an index from memory, and one that is too large");
}

#[test]
fn what_is_no_invariant_about_a_head_is_refused() {
    check(
        "int main(void) { int i = 0; while (nondet()) { int t[2] = {1, 1}; i += t[i & 1]; } return i; }",
        &[],
        &[
            (0, "zzz == 0"),
            (0, "i' >= i"),
            (0, "#iterations >= 0"),
            (0, "t.s4[0] == 1"),
            (0, "offset(i) == 0"),
            (0, "i.s4[0] == 0"),
            (0, "false"),
        ],
    );
}

#[test]
fn loops_that_are_entered_in_the_middle_have_no_other_invariants() {
    check(
        "int main(void) { int i = nondet() & 7, x = 0; if (i > 3) goto middle; for (;;) { x = 1; middle: x++; i++; if (i > 20) break; }
           return x; }",
        &[(0, "i <= 20"), (0, "i >= 0")],
        &[(0, "x == 0"), (0, "x <= 1"), (0, "i <= 3"), (0, "x == 2"), (0, "i == entry(i)")],
    );
}
