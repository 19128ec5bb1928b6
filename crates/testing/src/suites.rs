//! Test suites against the compiled program: does each test reach what it claims?
//!
//! The program is compiled with counters (`--coverage`) and run on each test by itself; `gcov` tells which lines and how many
//! branches of each were taken. A line of which a test claims two branches must have two that are taken. Lines for which the
//! compiler has no code, or fewer branches than we know (it has folded some), are left out of that, and so are tests that end
//! where no counter is written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use base::Budget;
use clients::tests::{Method, Refusal, Request, Wanted, tests};
use evidence::{Goal, Suite, Target, Test, TestOutcome};
use program::Program;

use crate::interpretation::translate;
use crate::system::{Compiler, Scratch, run};

/// How long a test may run, compiled.
const LIMIT: Duration = Duration::from_secs(60);

/// What was compared.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Tests that were run.
    pub tests: usize,
    /// Claims that were examined.
    pub claims: usize,
    /// Claims that could not be compared.
    pub skipped: usize,
    /// What is wrong.
    pub problems: Vec<String>,
}

/// Makes a suite for a program as the front end made it.
pub fn suite(program: &Program, wanted: Wanted, method: Method, limit: Duration) -> Result<Suite, Refusal> {
    let request = Request { function: String::from("main"), wanted, method };
    tests(program, &request, &Budget::unlimited().within(limit), &mut |_| {})
}

/// A compiler whose coverage counters work here, if `gcov` is there to read them.
pub fn compiler() -> Option<Compiler> {
    let gcov = Command::new("gcov").arg("--version").output().is_ok_and(|output| output.status.success());
    let found = Compiler::named("gcc").filter(|gcc| gcov && gcc.supports(&FLAGS));
    if found.is_none() {
        println!("skipped: no gcc with gcov");
    }
    found
}

const FLAGS: [&str; 5] = ["-g", "-O0", "--coverage", "-fprofile-abs-path", "-Wl,-u,__gcov_dump"];

/// Runs every test of a suite, compiled with the driver that is made for it, and compares.
pub fn check(compiler: &Compiler, source: &Path, program: &Program, suite: &Suite) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for (number, test) in suite.tests.iter().enumerate() {
        if test.outcome == TestOutcome::GoesOn {
            tally.skipped += test.reaches.len();
            continue;
        }
        let scratch = Scratch::new("suite").map_err(|error| error.to_string())?;
        let Some(lines) = counted(compiler, source, program, suite, test, &scratch)? else {
            tally.skipped += test.reaches.len();
            continue;
        };
        tally.tests += 1;
        compare(source, suite, number, &lines, &mut tally);
    }
    Ok(tally)
}

/// Asks for every line of a file, one after the other, and compares. What cannot be compiled is a problem, too.
pub fn check_lines(compiler: &Compiler, source: &Path, limit: Duration) -> Tally {
    let mut tally = Tally::default();
    let Ok(program) = translate(source, &[]) else { return tally };
    let text = fs::read_to_string(source).unwrap_or_default();
    for line in 1..=text.lines().count() as u32 {
        let file = source.display().to_string();
        let Ok(suite) = suite(&program, Wanted::Line { file, line }, Method::All, limit) else { continue };
        match check(compiler, source, &program, &suite) {
            Ok(more) => {
                tally.tests += more.tests;
                tally.claims += more.claims;
                tally.skipped += more.skipped;
                tally.problems.extend(more.problems);
            }
            Err(problem) => tally.problems.push(format!("{}:{line}: {problem}", source.display())),
        }
    }
    tally
}

/// What the compiler's counters say of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Line {
    /// Whether the compiler has code for it.
    known: bool,
    visited: bool,
    branches: usize,
    taken: usize,
}

/// Compiles the program with the test's driver, runs it and reads the counters. None if there are none.
fn counted(
    compiler: &Compiler,
    source: &Path,
    program: &Program,
    suite: &Suite,
    test: &Test,
    scratch: &Scratch,
) -> Result<Option<BTreeMap<u32, Line>>, String> {
    let text = |error: std::io::Error| error.to_string();
    let folder = scratch.path();
    let (driver, executable) = (folder.join("driver.c"), folder.join("test"));
    fs::write(&driver, report::replay::test_driver(program, suite, test, "")).map_err(text)?;
    // The driver has no counters: only the program is of interest.
    let object = folder.join("driver.o");
    compiler.compile(&driver, &object, &["-c"])?;
    let object = object.display().to_string();
    compiler.compile(source, &executable, &FLAGS.into_iter().chain([object.as_str()]).collect::<Vec<_>>())?;
    let ended = run(&mut Command::new(&executable), folder, LIMIT).map_err(text)?;
    if ended.timed_out {
        return Err(format!("a test that ends with {} goes on in the compiled program", test.outcome));
    }
    if let TestOutcome::Exit { status } = test.outcome
        && ended.status != Some(status & 0xff)
    {
        return Err(format!("the test ends with {}, compiled it ends with {ended:?}", test.outcome));
    }
    let counters = |entry: fs::DirEntry| {
        let path = entry.path();
        path.extension().is_some_and(|extension| extension == "gcda").then_some(path)
    };
    let found: Vec<PathBuf> = fs::read_dir(folder).map_err(text)?.flatten().filter_map(counters).collect();
    let Some(counters) = found.first() else { return Ok(None) };
    let report = Command::new("gcov").args(["-b", "-c", "-t"]).arg(counters).current_dir(folder).output();
    let report = report.map_err(text)?;
    Ok(Some(lines_of(&String::from_utf8_lossy(&report.stdout), source)))
}

/// The lines of a file in the report of `gcov`.
fn lines_of(report: &str, source: &Path) -> BTreeMap<u32, Line> {
    let mut lines = BTreeMap::new();
    let (mut here, mut last) = (false, 0);
    let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for text in report.lines() {
        if let Some((_, file)) = text.split_once("0:Source:") {
            here = file.rsplit('/').next() == Some(&name);
        }
        if !here {
            continue;
        }
        if text.starts_with("branch") {
            let line: &mut Line = lines.entry(last).or_default();
            line.branches += 1;
            let taken = text.split("taken ").nth(1).and_then(|rest| rest.split(' ').next());
            line.taken += usize::from(taken.is_some_and(|count| count != "0"));
        } else if let Some((count, rest)) = text.split_once(':')
            && let Some((number, _)) = rest.split_once(':')
            && let Ok(number) = number.trim().parse::<u32>()
            && number > 0
        {
            last = number;
            let count = count.trim();
            let visited = count.starts_with(|first: char| first.is_ascii_digit());
            let line = lines.entry(number).or_default();
            line.visited |= visited;
            line.known |= count != "-";
        }
    }
    lines
}

/// Compares what a test claims with the counters.
fn compare(source: &Path, suite: &Suite, number: usize, lines: &BTreeMap<u32, Line>, tally: &mut Tally) {
    let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_here = |target: &&Target| {
        target.place.as_ref().is_some_and(|place| place.file.rsplit('/').next() == Some(&name))
    };
    let is_condition = |target: &Target| matches!(target.goal, Goal::Condition { .. });
    let line_of = |target: &Target| target.place.as_ref().map_or(0, |place| place.line);
    let mut all: BTreeMap<u32, usize> = BTreeMap::new();
    for target in suite.targets.iter().filter(is_here).filter(|target| is_condition(target)) {
        *all.entry(line_of(target)).or_default() += 1;
    }
    let mut claimed: BTreeMap<u32, usize> = BTreeMap::new();
    let reached = suite.tests[number].reaches.iter().map(|&target| &suite.targets[target]);
    for target in reached.filter(is_here) {
        *claimed.entry(line_of(target)).or_default() += usize::from(is_condition(target));
    }
    for (line, claims) in claimed {
        let counted = lines.get(&line).copied().unwrap_or_default();
        let problem = |what: &str| format!("{name}:{line}: test {} {what}", number + 1);
        tally.claims += claims.max(1);
        if !counted.known {
            // A declaration, or a word such as `do`.
            tally.skipped += claims.max(1);
        } else if !counted.visited && counted.branches == 0 {
            tally.problems.push(problem("does not come there, compiled"));
        } else if claims > 0 && counted.branches < all.get(&line).copied().unwrap_or(0) {
            tally.skipped += claims;
        } else if counted.taken < claims {
            let what = format!("takes {} branches there, compiled, not {claims}", counted.taken);
            tally.problems.push(problem(&what));
        }
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn counters_are_read() {
        let report = "        -:    0:Source:/tmp/a.c\n        1:    3:int main(void)\nfunction main called 1\n        \
                      2:    5:  if (x)\nbranch  0 taken 1 (fallthrough)\nbranch  1 taken 0\n    #####:    6:    f();\n        \
                      -:    0:Source:/tmp/b.h\n        7:    9:x\n";
        let lines = lines_of(report, Path::new("a.c"));
        assert_eq!(lines[&5], Line { known: true, visited: true, branches: 2, taken: 1 });
        assert!(lines[&3].visited && !lines[&6].visited && !lines.contains_key(&9));
    }
}
