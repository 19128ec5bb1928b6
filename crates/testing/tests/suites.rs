//! Tests that we make reach what they claim in the compiled program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clients::tests::{Method, Wanted};
use evidence::Reach;
use loopscope_testing::corpus::folder;
use loopscope_testing::interpretation::translate;
use loopscope_testing::suites::{check, check_lines, compiler, suite};
use loopscope_testing::system::{Compiler, Scratch, run};

/// How long may be looked for tests; nobody measures it here.
const LIMIT: Duration = Duration::from_secs(60);

/// The programs whose target is behind a deep loop.
fn deep() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tests");
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

#[test]
fn branches_behind_deep_loops_are_reached_in_the_compiled_program() {
    let Some(compiler) = Compiler::system().filter(|_| cfg!(target_os = "linux")) else { return };
    let programs = deep();
    assert_eq!(programs.len(), 7);
    for source in programs {
        let text = fs::read_to_string(&source).unwrap();
        let line = 1 + text.lines().position(|line| line.contains("/* target */")).unwrap() as u32;
        let program = translate(&source, &[]).unwrap();
        let file = source.display().to_string();
        let suite = suite(&program, Wanted::Line { file, line }, Method::All, LIMIT).unwrap();
        assert!(matches!(suite.targets[0].status, Reach::Reached { test: 1 }), "{suite:?}");
        let scratch = Scratch::new("deep").unwrap();
        let (driver, executable) = (scratch.path().join("driver.c"), scratch.path().join("test"));
        fs::write(&driver, report::replay::test_driver(&program, &suite, &suite.tests[0], "")).unwrap();
        let driver = driver.display().to_string();
        compiler.compile(&source, &executable, &["-O1", &driver]).unwrap();
        let ended = run(&mut Command::new(&executable), scratch.path(), Duration::from_secs(60)).unwrap();
        assert_eq!(ended.status, Some(42), "{} {ended:?}", source.display());
    }
}

#[test]
fn lines_are_visited_in_the_compiled_program() {
    let Some(compiler) = compiler() else { return };
    let mut claims = 0;
    for name in ["break-out", "goto-loop", "statement-expression"] {
        let tally = check_lines(&compiler, &folder().join(name).with_extension("c"), Duration::from_secs(2));
        assert!(tally.problems.is_empty(), "{name}: {:?}", tally.problems);
        claims += tally.claims;
    }
    assert!(claims >= 15, "only {claims} lines were compared");
}

#[test]
fn suites_of_the_corpus_take_the_branches_that_they_claim() {
    let Some(compiler) = compiler() else { return };
    let mut claims = 0;
    for name in
        ["switch-in-loop", "two-counters", "wrap-around", "struct-array", "command-words-ok", "matrix"]
    {
        let source = folder().join(name).with_extension("c");
        let program = translate(&source, &[]).unwrap();
        let suite = suite(&program, Wanted::Branches, Method::All, Duration::from_secs(5)).unwrap();
        let tally = check(&compiler, &source, &program, &suite).unwrap();
        assert!(tally.problems.is_empty(), "{name}: {:?}", tally.problems);
        claims += tally.claims - tally.skipped;
    }
    assert!(claims >= 20, "only {claims} claims were compared");
}
