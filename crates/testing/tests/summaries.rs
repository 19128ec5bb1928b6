//! No run does something else than the summary of its loop says.

use std::time::Duration;

use loopscope_testing::summaries::{Tally, check, check_text};

const TIME: Duration = Duration::from_secs(3);

#[test]
fn runs_of_generated_functions_keep_to_summaries() {
    let folder = std::env::temp_dir();
    let mut tally = Tally::default();
    for seed in 1..=80 {
        match check(&folder, seed, TIME) {
            Ok(more) => tally.add(&more),
            Err(message) => panic!("seed {seed}: {message}"),
        }
    }
    assert!(tally.with_cases > 120 && tally.exact > 60 && tally.with_invariants > 15, "{tally:?}");
    assert!(
        tally.entries > 800 && tally.ends > 300 && tally.counts > 400 && tally.invariants > 500,
        "{tally:?}"
    );
}

#[test]
fn numbers_that_wrap_or_turn_around_do_what_is_said() {
    let loops = [
        "unsigned char i = a; while (i != 3) { /*body*/ i++; }",
        "signed char i = a; short s = b; while (i > -100) { /*body*/ i -= 3; s += 7; }",
        "unsigned char i = a, j = b; while (i < 200 && j > 3) { /*body*/ if (nondet()) i++; else j--; }",
        "unsigned char i = a, j = b, t; for (int k = 0; k < 9; k++) { /*body*/ t = i; i = j; j = t; }",
        "int s = b; for (int k = 0; k < a; k++) { /*body*/ s = 7 - s; }",
        "unsigned char i = a; for (int k = 0; k < b; k++) { /*body*/ i = (i + 3) % 7; }",
        "int i = a, j = b, t; for (int k = 0; k < b; k++) { /*body*/ t = j; j = 2 * j - i; i = t; }",
        "int i = 0; do { /*body*/ i++; } while (i < a && i < b);",
        "int i = 0; for (;;) { /*body*/ if (i >= a) break; i++; }",
        "int i = 0; while (i < a || i < b) { /*body*/ i++; if (i == 7) break; }",
        "int i = 0; while (i < a) { /*body*/ switch (b) { case 0: i++; break; case 2: i += 2; break; case 4: i += 3; break; \
            case 6: i += 4; break; case 8: i += 5; break; case 10: i += 6; break; default: i += 7; } }",
        "int x = a, z = b; while (x < 40) { /*body*/ if (z > x) x++; else z++; }",
    ];
    for text in loops {
        let text = format!(
            "extern int nondet(void);\nvoid f(unsigned char a, unsigned char b) {{ {text}\n\
            for (int probe = 0; probe < 1; probe++) nondet(); }}\n\
            int main(void) {{ f(nondet(), nondet()); return 0; }}"
        );
        for seed in 0..4 {
            check_text(&std::env::temp_dir(), &text, seed, TIME)
                .unwrap_or_else(|message| panic!("{message}"));
        }
    }
}
