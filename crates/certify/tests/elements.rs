//! Invariants about what stands in memory, in the words of another type, of another object, or of a pointer that moves.

mod source;

use base::Budget;
use evidence::{Formula, Overflow, ProofMode, Property};
use loopscope_certify::Candidate;
use loopscope_certify::abstraction::Effort;
use program::interpret::{Integers, ObligationSet};

/// Whether the kernel takes each of some invariants about the only loop, on its own.
fn accepted(text: &str, invariants: &[&str]) -> Vec<bool> {
    let program = source::program(text);
    let nothing = Property::Obligations(ObligationSet::EMPTY);
    let mode = ProofMode { calls: 5, ..ProofMode::modular(Overflow::Wraps) };
    let ask = |invariant: &&str| {
        let mut abstraction = source::opened(&program, "main", nothing, Integers::Machine, mode);
        let formula: Formula = invariant.parse().unwrap_or_else(|error| panic!("{invariant}: {error:?}"));
        let candidate = Candidate { abstract_loop: 0, formula };
        abstraction.accept(&[0], &[candidate], Effort::default(), &mut Budget::unlimited()) == [true]
    };
    invariants.iter().map(ask).collect()
}

#[track_caller]
fn check(text: &str, hold: &[&str], refused: &[&str]) {
    for (answer, invariant) in accepted(text, hold).into_iter().zip(hold) {
        assert!(answer, "{invariant} is refused: {text}");
    }
    for (answer, invariant) in accepted(text, refused).into_iter().zip(refused) {
        assert!(!answer, "{invariant} is accepted: {text}");
    }
}

#[test]
fn elements_have_the_width_and_the_sign_that_is_said() {
    check(
        "int g[2] = {258, -1}, k; int main(void) { while (nondet()) { k++; g[k & 1] = g[k & 1]; } return 0; }",
        &[
            "g.s4[0] == 258",
            "g.u1[0] == 2",
            "g.u1[1] == 1",
            "g.u2[0] == 258",
            "g.u4[1] == 4294967295",
            "g.s1[4] == -1",
        ],
        &[
            "g.u1[0] == 258",
            "g.u1[0] == 1",
            "g.u1[1] == 2",
            "g.u1[1] == 255",
            "g.s4[0] == 2",
            "g.s4[1] == 4294967295",
            "g.u4[1] == -1",
            "g.u2[0] == 2",
            "g.u2[1] == 258",
            "g.s8[0] == 258",
        ],
    );
}

#[test]
fn a_byte_of_a_number_that_changes_changes() {
    check(
        "int g[2], k; int main(void) { while (nondet()) { k++; g[0] += 1; g[1] += 256; } return g[k & 1]; }",
        &["g.u1[4] == 0"],
        &[
            "g.u1[0] == 0",
            "g.u1[1] == 0",
            "g.u1[5] == 0",
            "g.u1[5] == entry(g.u1[5])",
            "g.u2[2] == 0",
            "g.s4[1] == 0",
        ],
    );
}

#[test]
fn all_elements_are_those_of_the_range() {
    check(
        "char s[8]; int main(void) { unsigned i = 0; while (i < 8) { s[i] = 5; i++; } return 0; }",
        &["every(k, 0, i, s.s1[k] == 5)", "every(k, i, 8, s.s1[k] == 0)"],
        &[
            "every(k, 0, i + 1, s.s1[k] == 5)",
            "every(k, 0, 8, s.s1[k] == 5)",
            "every(k, 0, 8, s.s1[k] == 0)",
            "every(k, i - 1, 8, s.s1[k] == 0)",
            "every(k, 0, i, s.s1[k] == 0)",
            "!(every(k, 0, 8, s.s1[k] == 0))",
            "every(k, 0, i, s.s1[k] == 5) && every(k, 0, 8, s.s1[k] == 0)",
            "every(k, 0, i, every(j, 0, 8, s.s1[j] == s.s1[k]))",
        ],
    );
}

#[test]
fn a_pointer_names_one_object_only_if_it_has_one() {
    check(
        "int a[4] = {7, 7, 7, 7}, b[4] = {9, 9, 9, 9}; int main(void) { int *p = a, k = 0; while (nondet()) { p = nondet() ? a : b; k++; a[k & 3] = 7; b[k & 3] = 9; }
           return *p; }",
        &["a.s4[1] == 7", "b.s4[1] == 9", "offset(p) == 0"],
        &["p.s4[1] == 7", "p.s4[1] == 9", "size(p) == 15", "object(p) == object(a)", "offset(a) == 0", "a == 0"],
    );
}

#[test]
fn a_pointer_in_memory_is_where_it_was_put() {
    check(
        "int a[4], b[4], *held[2]; static void put(int **where, int *what) { *where = what; }
         int main(void) { put(held, a); while (nondet()) put(held + 1, b); return *held[nondet() & 1]; }",
        &["object(held#stored) == object(a)", "offset(held#stored) == 0"],
        &["object(held#stored) == object(b)", "object(held#stored) == 0", "offset(held#stored) == 4"],
    );
    check(
        "int a[4], b[4], *held[2]; static void put(int **where, int *what) { *where = what; }
         int main(void) { put(held, a); while (nondet()) put(held, nondet() ? b : a + 1); return *held[nondet() & 1]; }",
        &["object(held#stored) != 0"],
        &[
            "object(held#stored) == object(a)",
            "object(held#stored) == entry(object(held#stored))",
            "offset(held#stored) == 0",
            "offset(held#stored) == entry(offset(held#stored))",
        ],
    );
}

#[test]
fn a_pointer_in_memory_to_what_an_iteration_made_is_none_in_the_next() {
    check(
        "#include <stdlib.h>
         int a[4], *held[2]; static void put(int **where, int *what) { *where = what; }
         int main(void) { put(held, a); while (nondet()) put(held, malloc(4)); return *held[nondet() & 1]; }",
        &[],
        &[
            "object(held#stored) != 0",
            "object(held#stored) == object(a)",
            "offset(held#stored) == 0",
            "object(held#stored) == entry(object(held#stored))",
        ],
    );
}

#[test]
fn truths_are_one_or_zero() {
    check(
        "int main(void) { _Bool b = 0; int n = 0; while (nondet()) { b = n > 3; n = nondet(); } return b; }",
        &["b <= 1", "b >= 0", "b == 0 || b == 1"],
        &["b == 0", "b == 1", "b < 1", "b == entry(b)"],
    );
}
