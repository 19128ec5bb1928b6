//! No run makes more iterations than the bounds of its loops say.

use loopscope_testing::bounds::{Tally, check, check_text};

#[test]
fn runs_of_generated_functions_keep_their_bounds() {
    let folder = std::env::temp_dir();
    let mut tally = Tally::default();
    for seed in 1..=120 {
        match check(&folder, seed) {
            Ok(more) => tally.add(&more),
            Err(message) => panic!("seed {seed}: {message}"),
        }
    }
    assert!(tally.bounded > 60 && tally.exact > 3, "{tally:?}");
    assert!(tally.visits > 500 && tally.reached > 100 && tally.exact_visits > 25, "{tally:?}");
    assert!(tally.totals > 100, "{tally:?}");
}

#[test]
fn an_iteration_is_an_execution_of_the_body() {
    let loops = [
        "int i = 1, n = a; while (i == 1 && n < 0 || n > 0) { /*body*/ n--; }",
        "int i = 0; while (i < a && i < b) { /*body*/ i++; }",
        "int i = 0; while (i < a || i < b) { /*body*/ i++; }",
        "int i = 0; for (; i < a ? i < b : 0; i++) { /*body*/ }",
        "int i = 0; for (;;) { /*body*/ if (i >= a) break; i++; }",
        "int i = 0; while (1) { /*body*/ i++; if (i > a) break; i++; }",
        "int i = 0; while (i++ < a) { /*body*/ continue; }",
        "int i = 0; while ((nondet(), i < a)) { /*body*/ i++; }",
        "int i = 0; do { /*body*/ i++; } while (i < a && i < b);",
        "int i = 0; while (i < a || b > 3) { /*body*/ break; }",
        "int i = 0; while (i < a) { /*body*/ if (i == b) break; i++; }",
        "int i = 0; while (({ int j = 0; while (j < 3) { /*body*/ j++; } i < a; })) { /*body*/ i++; }",
        "int i = 0; while (i < a) { /*body*/ int j = 0; while (j < 3 && j < b) { /*body*/ j++; } i += 1; }",
    ];
    held(&loops);
}

#[test]
fn numbers_that_wrap_are_counted_right() {
    let loops = [
        "unsigned char i = a; while (i != 3) { /*body*/ i++; }",
        "unsigned char i = a; do { /*body*/ i--; } while (i != 0);",
        "signed char i = a; while (i > -100) { /*body*/ i -= 3; }",
        "unsigned short i = 0; while (i < a) { /*body*/ i += 7; if (i > 200) break; }",
        "unsigned char i = a, j = b; while (i < 200 && j > 3) { /*body*/ if (nondet()) i++; else j--; }",
        "for (unsigned char i = 0; i < a; i++) { /*body*/ for (unsigned char j = i; j < b; j++) { /*body*/ nondet(); } }",
    ];
    held(&loops);
}

fn held(loops: &[&str]) {
    for text in loops {
        let text = format!(
            "extern int nondet(void);\nvoid f(unsigned char a, unsigned char b) {{ {text} }}\n\
            int main(void) {{ f(nondet(), nondet()); return 0; }}"
        );
        for seed in 0..20 {
            check_text(&std::env::temp_dir(), &text, seed).unwrap_or_else(|message| panic!("{message}"));
        }
    }
}
