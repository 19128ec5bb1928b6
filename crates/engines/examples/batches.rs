//! Compares two ways of putting candidates to the kernel, on the same loops in one run: one at a time, as in LoopFrog, and
//! all at once, split by the models that break them.
//!
//! ```text
//! cargo run --release -p loopscope-engines --example batches -- [FILE.c...]
//! ```
//!
//! Without files, some loops of our own. Both ways must accept the same invariants, unless a query was too hard for
//! one.

mod common;

use std::time::Duration;

use base::Budget;
use certify::Candidate;
use certify::abstraction::{Batch, Effort};
use common::{abstraction, milliseconds, program, read, timed};
use loopscope_engines::proposers::ROUNDS;
use loopscope_engines::shared::Shared;
use loopscope_engines::summarise::propose;
use program::Program;

/// Loops that fill arrays, move pointers, count, and nest.
const TEXTS: [(&str, &str); 5] = [
    ("fill", "int main(void) { int n = nondet(), a[100], i; for (i = 0; i < 100 && i < n; i++) a[i] = 3; return i; }"),
    (
        "copy",
        "int main(void) { char s[40], t[30]; int i = 0; while (i < 39) { s[i] = nondet(); i++; } s[39] = 0; i = 0;
          while (s[i] && i < 29) { t[i] = s[i]; i++; } t[i] = 0; return t[0]; }",
    ),
    (
        "pointers",
        "int main(void) { char a[60], *p = a, *end = a + 59; int n = 0; while (p < end && nondet()) { *p++ = '/'; n++; }
          *p = 0; for (p = a; *p; p++) if (*p == '/') *p = 0; return n; }",
    ),
    (
        "nest",
        "int main(void) { int m[8][8], s = 0, i, j; for (i = 0; i < 8; i++) for (j = 0; j <= i; j++) { m[i][j] = i - j; s++; }
          int k = nondet(); while (k > 0 && s > 0) { k -= 2; s--; } return s; }",
    ),
    (
        "counters",
        "int main(void) { unsigned x = 0, y = nondet(), z = 0; int w = nondet(); while (x < y) { x++; z += 2; if (w > 3) w--; }
          while (z > 1) { z -= 2; x--; } return w; }",
    ),
];

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    println!(
        "         program  loops  candidates   one at a time: invariants       ms   batches: invariants       ms   ratio"
    );
    let mut sums = [Duration::ZERO; 2];
    if files.is_empty() {
        for (name, text) in TEXTS {
            compare(name, &program(&format!("extern int nondet(void);\n{text}\n")), &mut sums);
        }
    }
    for file in &files {
        let name: String = file.chars().rev().take(16).collect::<Vec<_>>().into_iter().rev().collect();
        compare(&name, &read(file.as_ref()), &mut sums);
    }
    let [single, batch] = sums.map(milliseconds);
    println!("all: {single:.0} ms one at a time, {batch:.0} ms in batches, ratio {:.1}", single / batch);
}

fn compare(name: &str, program: &Program, sums: &mut [Duration; 2]) {
    let Some(main) = program.function_named("main") else { return };
    let mut invariants = [0; 2];
    let mut times = [Duration::ZERO; 2];
    let (mut loops, mut candidates) = (0, 0);
    for (way, batch) in [Batch::Single, Batch::All].into_iter().enumerate() {
        let mut budget = Budget::unlimited();
        let Some(mut abstraction) = abstraction(program, main, &mut budget) else { return };
        loops = abstraction.abstract_loops().len();
        let mut shared = Shared::of(program, &abstraction, &budget);
        let effort = Effort { batch, ..Effort::default() };
        let nests = abstraction.nests();
        let all: Vec<Vec<Candidate>> = nests
            .iter()
            .map(|nest| {
                let rounds = ROUNDS.iter();
                rounds.flat_map(|round| propose(&mut abstraction, nest, round, &mut shared)).collect()
            })
            .collect();
        candidates = all.iter().map(Vec::len).sum();
        for (nest, candidates) in nests.iter().zip(&all) {
            let (time, accepted) = timed(|| abstraction.accept(nest, candidates, effort, &mut budget));
            times[way] += time;
            invariants[way] += accepted.iter().filter(|accepted| **accepted).count();
        }
        sums[way] += times[way];
    }
    let [single, batch] = times.map(milliseconds);
    println!(
        "{name:>16} {loops:6} {candidates:11} {:22} {single:8.1} {:16} {batch:8.1} {:7.1}",
        invariants[0],
        invariants[1],
        single / batch.max(0.001)
    );
}
