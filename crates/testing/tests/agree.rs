//! No two commands contradict each other on the same program. `examples/agree.rs` does the same for any number of programs.

use std::fs;
use std::path::Path;
use std::time::Duration;

use loopscope_testing::agree::{Counts, check};
use loopscope_testing::system::Scratch;
use loopscope_testing::{bounds, corpus, open, termination};

/// How long a query may take. No assertion hangs on it: hard queries are unknown.
const TIME: Duration = Duration::from_millis(100);

#[derive(Default)]
struct Asked {
    counts: Counts,
    problems: Vec<String>,
}

impl Asked {
    fn file(&mut self, path: &Path) {
        // What cannot be read has no answers.
        for one in check(path, TIME, &mut self.counts).unwrap_or_default() {
            let text = fs::read_to_string(path).unwrap_or_default();
            self.problems.push(format!("{}: {one}\n{text}", path.display()));
        }
    }

    fn texts(&mut self, texts: impl Iterator<Item = String>) {
        let scratch = Scratch::new("agree").unwrap();
        for (number, text) in texts.enumerate() {
            let path = scratch.path().join(format!("text{number}.c"));
            fs::write(&path, text).unwrap();
            self.file(&path);
        }
    }

    fn agree(&self) {
        println!("{:?}", self.counts);
        assert!(self.problems.is_empty(), "{}", self.problems.join("\n"));
    }
}

#[test]
fn commands_agree_on_the_corpus() {
    let mut asked = Asked::default();
    corpus::programs(&corpus::folder()).unwrap().iter().for_each(|path| asked.file(path));
    asked.agree();
    let Counts { verdicts: [proved, refuted], cycles: [stop, infinite], certified, states, .. } =
        asked.counts;
    assert!(proved > 50 && refuted > 20 && certified > 20, "{:?}", asked.counts);
    assert!(stop > 20 && infinite > 5 && states > 100, "{:?}", asked.counts);
}

#[test]
fn commands_agree_on_generated_programs() {
    let mut asked = Asked::default();
    asked.texts((1..=12).map(bounds::text));
    asked.texts((1..=12).map(termination::recursive));
    asked.texts((1..=12).map(|seed| open::Project::of(7 * seed).part));
    asked.agree();
}
