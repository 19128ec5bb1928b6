//! The models of library functions in the encoding allow what those of the interpreter do.

use loopscope_testing::encoded::Agreement;
use loopscope_testing::interpretation::Form;
use loopscope_testing::library::{compare, program_text};

#[test]
fn models_in_the_encoding_allow_what_the_interpreter_does() {
    let many = std::env::var("LIBRARY_PROGRAMS").ok().and_then(|number| number.parse().ok());
    let last = many.unwrap_or(150);
    let (mut allowed, mut exact, mut skipped) = (0, 0, 0);
    for seed in 1..=last {
        let form = if seed % 2 == 0 { Form::Plain } else { Form::Simplified };
        let all =
            compare(&std::env::temp_dir(), seed, form, 3).unwrap_or_else(|problem| panic!("{problem}"));
        for (number, one) in all.into_iter().enumerate() {
            match one {
                Agreement::Allows { exactly } => (allowed, exact) = (allowed + 1, exact + u64::from(exactly)),
                Agreement::Skipped => skipped += 1,
                Agreement::Contradicts(what) => {
                    panic!("seed {seed} ({form}), run {number}: {what}\n{}", program_text(seed))
                }
            }
        }
    }
    println!("{allowed} runs allowed, {exact} of them exactly, {skipped} skipped");
    assert!(allowed >= last && exact >= last / 2, "{allowed} runs compared, {exact} exactly");
}
