//! The interpreter agrees with the system compiler on a fixed number of generated programs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use loopscope_testing::differential::{Comparison, Origin, compare};
use loopscope_testing::system::Compiler;

const PROGRAMS: u64 = 60;

#[test]
fn generated_programs_do_the_same_compiled_and_interpreted() {
    let Some(compiler) = Compiler::system() else {
        println!("no C compiler on this machine: nothing compared");
        return;
    };
    let (next, problems) = (AtomicU64::new(1), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > PROGRAMS {
                        return;
                    }
                    let problem = match compare(&Origin::Own, seed, &compiler) {
                        Comparison::Same => continue,
                        Comparison::Skipped(reason) => format!("seed {seed}: {reason}"),
                        Comparison::Different { what, program } => {
                            format!("seed {seed}: {}: {what}", program.display())
                        }
                    };
                    problems.lock().unwrap().push(problem);
                }
            });
        }
    });
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
