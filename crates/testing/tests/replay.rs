//! Violations that we find show in the compiled program, too, when the driver gives it the inputs of the run.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use base::Budget;
use clients::Property;
use clients::Verdict;
use clients::refute::{Query, refute};
use evidence::Counterexample;
use loopscope_testing::corpus::{Claim, annotations, folder, programs};
use loopscope_testing::interpretation::{Form, prepare, translate};
use loopscope_testing::system::{Compiler, Ended, Scratch, run};
use program::interpret::Integers;
use program::{ORDER_OF_EVALUATION, Program};

const SANITIZE: [&str; 4] = ["-g", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// A program that is still running after this time makes iterations without end: the way to its loop takes no time at
/// all.
const NONTERMINATION: Duration = Duration::from_millis(700);

/// A compiler whose sanitizers work here.
fn compiler() -> Option<Compiler> {
    let compilers = ["gcc", "clang", "cc"].into_iter().filter_map(Compiler::named);
    let found =
        compilers.into_iter().find(|compiler| cfg!(target_os = "linux") && compiler.supports(&SANITIZE));
    if found.is_none() {
        println!("skipped: no compiler with address and undefined behaviour sanitizers");
    }
    found
}

/// A violating run of `main`, and the program as the front end made it.
fn violation(source: &Path, property: Property) -> Option<(Program, Counterexample)> {
    let program = translate(source, &[]).unwrap();
    let mut simplified = program.clone();
    prepare(&mut simplified, Form::Simplified).unwrap();
    let query = Query { property, function: String::from("main"), integers: Integers::Machine };
    match refute(&simplified, &query, &Budget::steps(20_000_000), &mut |_| {}) {
        Verdict::Refuted { counterexample } => Some((program, *counterexample)),
        _ => None,
    }
}

/// How the compiled program ends with the inputs of the run.
fn replay(compiler: &Compiler, source: &Path, program: &Program, counterexample: &Counterexample) -> Ended {
    let scratch = Scratch::new("replay").unwrap();
    let file = |name: &str| scratch.path().join(name);
    fs::write(file("inputs"), report::inputs::write(counterexample)).unwrap();
    fs::write(file("driver.c"), report::replay::driver(program)).unwrap();
    let driver = file("driver.c").display().to_string();
    let flags: Vec<&str> = SANITIZE.into_iter().chain([driver.as_str()]).collect();
    compiler.compile(source, &file("program"), &flags).unwrap();
    let mut command = Command::new(file("program"));
    let limit =
        if counterexample.property == "termination" { NONTERMINATION } else { Duration::from_secs(20) };
    command.env("ASAN_OPTIONS", "detect_stack_use_after_return=1");
    run(command.env("LOOPSCOPE_INPUTS", file("inputs")), scratch.path(), limit).unwrap()
}

/// Whether a process ended as a program does that violates the property.
fn shows(property: Property, ended: &Ended) -> bool {
    if property == Property::Termination {
        return ended.timed_out;
    }
    let signs: &[&str] = match property {
        Property::UnreachCall => &["Assertion", "loopscope: "],
        Property::NoOverflow => &["runtime error: signed integer overflow", "cannot be represented"],
        _ => &["AddressSanitizer", "LeakSanitizer", "runtime error: "],
    };
    ended.status != Some(0) && signs.iter().any(|sign| ended.error.contains(sign))
}

#[test]
fn violations_of_the_corpus_show_in_the_compiled_program() {
    let Some(compiler) = compiler() else { return };
    let (mut problems, mut shown, mut infinite) = (Vec::new(), 0, 0);
    for path in programs(&folder()).unwrap() {
        for annotation in annotations(&fs::read_to_string(&path).unwrap()).unwrap() {
            let Claim::Fails(property, _) = annotation.claim else { continue };
            let Some((program, counterexample)) = violation(&path, property) else { continue };
            // Compilers choose an order of evaluation by themselves.
            if counterexample.inputs.iter().any(|input| input.name == ORDER_OF_EVALUATION) {
                continue;
            }
            let ended = replay(&compiler, &path, &program, &counterexample);
            if shows(property, &ended) {
                shown += 1;
                infinite += usize::from(property == Property::Termination);
            } else {
                problems.push(format!("{} {}: {ended:?}", path.display(), property.name()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(shown - infinite >= 3, "only {shown} violations were examined");
    assert!(infinite >= 3, "only {infinite} runs that never end were examined");
}

#[test]
fn values_words_and_standard_input_reach_the_compiled_program() {
    let Some(compiler) = compiler() else { return };
    let scratch = Scratch::new("inputs").unwrap();
    let source = scratch.path().join("all.c");
    // The run below is made by hand: nobody would find it by guessing.
    let text = r#"
        #include <stdio.h>
        #include <string.h>
        extern int __VERIFIER_nondet_int(void);
        extern unsigned long __VERIFIER_nondet_ulong(void);
        extern double nondet_double(void);
        extern float __VERIFIER_nondet_float(void);
        extern _Bool __VERIFIER_nondet_bool(void);
        extern char __VERIFIER_nondet_char(void);
        extern void *__VERIFIER_nondet_pointer(void);
        extern void reach_error(void);
        extern void __VERIFIER_assume(int);
        /* Programs have their own versions of library functions. */
        size_t strlen(const char *text) { return 4711; }
        int main(int argc, char **argv) {
            char line[20];
            __VERIFIER_assume(argc == 3 && !strcmp(argv[1], "a \"b\" \\ #") && !strcmp(argv[2], ""));
            __VERIFIER_assume(__VERIFIER_nondet_int() == -5);
            __VERIFIER_assume(__VERIFIER_nondet_ulong() == 18446744073709551615u);
            __VERIFIER_assume(nondet_double() == 0.1 && __VERIFIER_nondet_float() == -2.5f);
            __VERIFIER_assume(__VERIFIER_nondet_bool() && __VERIFIER_nondet_char() == -1);
            __VERIFIER_assume(!__VERIFIER_nondet_pointer() && __VERIFIER_nondet_int() == 0);
            __VERIFIER_assume(fgets(line, 20, stdin) && !strcmp(line, "one\n"));
            __VERIFIER_assume(getchar() == 0xff && getchar() == EOF);
            reach_error();
        }"#;
    fs::write(&source, text).unwrap();
    let program = translate(&source, &[]).unwrap();
    let inputs = "[run]\nfunction = main\n\n[arguments]\n\"program\"\n\"a \\\"b\\\" \\\\ #\"\n\"\"\n\n[values]\n\
        __VERIFIER_nondet_int = -5    # i32\n(uninitialised x) = 3\n__VERIFIER_nondet_ulong = 18446744073709551615\n\
        nondet_double = 0x3fb999999999999a\n__VERIFIER_nondet_float = 0xc0200000\n__VERIFIER_nondet_bool = 1\n\
        __VERIFIER_nondet_char = -1\n__VERIFIER_nondet_pointer = null\n\n[standard input]\n\"one\\n\"\n\"\\xff\"\n";
    fs::write(scratch.path().join("inputs"), inputs).unwrap();
    fs::write(scratch.path().join("driver.c"), report::replay::driver(&program)).unwrap();
    let driver = scratch.path().join("driver.c").display().to_string();
    let executable = scratch.path().join("program");
    compiler.compile(&source, &executable, &["-g", &driver]).unwrap();
    let mut command = Command::new(&executable);
    command.env("LOOPSCOPE_INPUTS", scratch.path().join("inputs"));
    let ended = run(&mut command, scratch.path(), Duration::from_secs(20)).unwrap();
    assert!(ended.error.contains("reach_error is called"), "{ended:?}");
    assert!(ended.error.contains("values of uninitialised memory are left out"), "{ended:?}");
}
