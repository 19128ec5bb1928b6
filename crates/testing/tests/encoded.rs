//! The encoding of programs allows what their runs do.

use loopscope_testing::encoded::{Agreement, compare};
use loopscope_testing::interpretation::Form;

#[test]
fn encodings_of_generated_programs_allow_their_runs() {
    let (mut allowed, mut exact) = (0, 0);
    for seed in 1..=40 {
        for form in Form::ALL {
            let all =
                compare(&std::env::temp_dir(), seed, form, 3).unwrap_or_else(|problem| panic!("{problem}"));
            for (number, one) in all.into_iter().enumerate() {
                match one {
                    Agreement::Allows { exactly } => {
                        (allowed, exact) = (allowed + 1, exact + u32::from(exactly))
                    }
                    Agreement::Alarms | Agreement::Skipped => {}
                    Agreement::Contradicts(what) => panic!("seed {seed} ({form}), run {number}: {what}"),
                }
            }
        }
    }
    assert!(allowed > 60 && exact > 40, "{allowed} runs compared, {exact} exactly");
}
