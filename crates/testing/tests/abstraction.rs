//! No run of a program refutes what was said about its loops.

use evidence::AbstractionMode;
use loopscope_testing::abstraction::{Counts, Setting, check, check_text, shrunk, tree};
use loopscope_testing::interpretation::Form;
use program::interpret::ObligationSet;

#[test]
fn runs_of_generated_programs_are_as_their_summaries_say() {
    let folder = std::env::temp_dir();
    let mut counts = Counts::default();
    for seed in 1..=200 {
        match check(&folder, seed) {
            Ok(more) => counts.add(&more),
            Err(message) => panic!("seed {seed}: {message}\n{}", tree::text(&shrunk(&folder, seed))),
        }
    }
    assert!(counts.invariants > 1000 && counts.looked_at > 20_000, "{counts:?}");
    assert!(counts.ranked > 3 && counts.iterations > 300, "{counts:?}");
    assert!(counts.allowed > 1000 && counts.proved > 50 && counts.violations > 50, "{counts:?}");
    assert!(counts.skipped + counts.lost < counts.allowed / 20, "{counts:?}");
}

/// Examines a program in all ways.
fn all_ways(text: &str) {
    for steps in 1..=3 {
        for form in Form::ALL {
            for seed in 0..4 {
                let abstract_loops = AbstractionMode { iterations: steps, decided: 0 };
                let setting = Setting {
                    abstract_loops,
                    form,
                    checks: ObligationSet::ALL,
                    runs: 6,
                    ..Setting::of(seed)
                };
                if let Err(message) = check_text(&std::env::temp_dir(), text, setting) {
                    panic!("{steps} iterations in an abstract loop, {form}, seed {seed}: {message}");
                }
            }
        }
    }
}

#[test]
fn a_loop_that_is_entered_in_the_middle_may_be_left_in_its_first_iteration() {
    all_ways(
        "extern int __VERIFIER_nondet_int(void);
        unsigned g = 5;
        int main(void) {
            unsigned char n = __VERIFIER_nondet_int() % 5;
            for (;;) {
                if (n + 5 || g) goto middle;
                again: {
                    n = -2;
                    middle: ;
                }
                if (n & 1) goto again;
            }
        }",
    );
}

#[test]
fn a_pointer_that_was_never_written_points_nowhere() {
    all_ways(
        "extern int __VERIFIER_nondet_int(void);
        int main(void) {
            int a[3] = {1, 2, 3}, n = __VERIFIER_nondet_int() & 7, *p;
            for (int i = 0; i < n; i++) {
                p = &a[i % 3];
                *p += 1;
            }
            while (__VERIFIER_nondet_int()) {}
        }",
    );
}

#[test]
fn objects_that_begin_and_end_in_an_iteration_are_others_in_the_next() {
    all_ways(
        "extern int __VERIFIER_nondet_int(void);
        extern int unknown_int(void);
        int *p, g;
        static void keep(int *q, int n) { if (n & 1) p = q; else p = &g; }
        int main(void) {
            int n = __VERIFIER_nondet_int() & 7;
            while (n-- > 0) {
                int t[2] = {n, 1};
                keep(t, n);
                *p += 2;
                for (int i = 0; i < 2; i++) g += t[i];
                p = 0;
            }
            while (unknown_int()) {}
        }",
    );
}
