//! Compares the encoding of programs as terms with the interpreter: whatever a run does, the encoding must allow, unless
//! it says that the run may violate something before.
//!
//! The programs are generated; their functions get inputs as arguments, so that terms have symbols in them. The inputs
//! of a run are then put in for the symbols. Where the encoding is exact, nothing is left but constants; where it allows
//! more than the run, a solver says whether it allows the run.

use std::fmt::Write;
use std::path::Path;

use base::Budget;
use encoding::{Axioms, Encoder, Options, Value};
use logic::solver::Embedded;
use logic::substitute::Substitution;
use logic::{Answer, Solver, Term, Terms};
use program::Program;
use program::interpret::{Arguments, DiscardedOutput, InputValue, Integers, ObligationSet, Outcome, Run};

use crate::generator::generate;
use crate::inputs::SeededInputs;
use crate::interpretation::{Form, prepare, translate};

/// What one comparison gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// The encoding allows the run; whether it allows nothing else.
    Allows {
        /// Whether the encoding gives the same without a choice.
        exactly: bool,
    },
    /// The encoding does not have the run, but says that something may go wrong on it.
    Alarms,
    /// The encoding or the run did not get to its end.
    Skipped,
    /// The run does what the encoding says it cannot do.
    Contradicts(String),
}

/// The generated program of a seed, with a `main` that calls its functions with inputs.
pub fn program_text(seed: u64) -> String {
    let text = generate(seed).replace("int main(", "int unused_main(");
    let mut main =
        String::from("\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int r = 0;\n");
    let all: Vec<(&str, usize)> = text.lines().filter_map(pure_function).collect();
    // Not the same functions for every seed: some cannot be encoded, and hide those after them.
    let start = seed as usize % all.len().max(1);
    let calls = all.iter().cycle().skip(start).take(all.len().min(2));
    for (name, parameters) in calls {
        let inputs = vec!["__VERIFIER_nondet_int()"; *parameters].join(", ");
        let _ = writeln!(main, "    r = (int)((unsigned)r * 31u + (unsigned)({name}({inputs})));");
    }
    main.push_str("    return r & 127;\n}\n");
    text + &main
}

/// The name of a function that takes numbers alone, and how many, if a line starts its definition.
fn pure_function(line: &str) -> Option<(&str, usize)> {
    let head = line.strip_prefix("static ")?.strip_suffix(") {")?;
    let (before, parameters) = head.split_once('(')?;
    let (result, name) = before.rsplit_once(' ')?;
    let number = ["p", "feature", "f"].iter().find_map(|prefix| name.strip_prefix(prefix))?;
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit())
        && !result.contains(['*', 'v'])
        && !result.contains("struct")
        && !parameters.contains(['*', '(', '['])
        && !parameters.contains("struct")
        && parameters != "void";
    is_plain.then(|| (name, parameters.split(',').count()))
}

/// Compares some runs of the program of a seed with its encoding.
pub fn compare(folder: &Path, seed: u64, form: Form, runs: u64) -> Result<Vec<Agreement>, String> {
    let source = folder.join(format!("encoded-{seed}.c"));
    std::fs::write(&source, program_text(seed)).map_err(|error| error.to_string())?;
    let mut program = translate(&source, &[])?;
    let _ = std::fs::remove_file(&source);
    prepare(&mut program, form)?;
    Ok(compare_program(&program, runs))
}

/// Compares some runs of a program with its encoding.
pub fn compare_program(program: &Program, runs: u64) -> Vec<Agreement> {
    let Some(main) = program.function_named("main") else { return Vec::new() };
    let checks = ObligationSet::ALL;
    let options = Options {
        integers: Integers::Machine,
        checks,
        needed: ObligationSet::EMPTY,
        iterations: 80,
        abstract_loops: None,
        call_depth: 20,
        recursion: 10,
        any_overflow: false,
        outside_returns: true,
        kept_pointers: false,
        trace: false,
    };
    let mut encoder = Encoder::new(program, options, Budget::steps(300_000));
    let Ok(returned) = encoder.run(main) else { return vec![Agreement::Skipped; runs as usize] };
    (0..runs)
        .map(|number| {
            let mut inputs = SeededInputs::new(number, program);
            let options = program::interpret::Options { checks, ..Default::default() };
            let arguments = Arguments::CommandLine(vec![b"program".to_vec()]);
            let run = program::interpret::run(
                program,
                main,
                &arguments,
                &options,
                &mut inputs,
                &mut DiscardedOutput,
                &mut Budget::steps(2_000_000),
            );
            judge(&mut encoder, returned.as_ref(), &run)
        })
        .collect()
}

/// Whether the encoding allows a run.
fn judge(
    encoder: &mut Encoder<'_>,
    returned: Option<&(encoding::State, Option<Value>)>,
    run: &Run,
) -> Agreement {
    if run.imprecise.is_some() {
        return Agreement::Skipped;
    }
    let mut fixed =
        Fixed { substitution: inputs(encoder, run), axioms: encoder.axioms.clone(), solver: Embedded::new() };
    let incomplete: Vec<Term> = encoder.findings.incomplete.iter().map(|end| end.reached).collect();
    let terms = &mut encoder.terms;
    let unfinished = terms.any(&incomplete);
    match fixed.truth(terms, unfinished) {
        Truth::Never => {}
        _ => return Agreement::Skipped,
    }
    let mut others = None;
    let claim = match &run.outcome {
        Outcome::Exit(status) => {
            let Some((state, Some(Value::Scalar(result)))) = returned else {
                // The program ends by a call.
                return Agreement::Skipped;
            };
            let status = terms.signed_bits(32, i128::from(*status));
            let same = terms.equal(*result, status);
            let different = terms.not(same);
            others = Some(terms.and(state.guard.term(), different));
            terms.and(state.guard.term(), same)
        }
        Outcome::Violation(violation) => {
            let same: Vec<Term> = encoder
                .findings
                .vcs
                .iter()
                .filter(|vc| {
                    // Where a program ends is no place in its text.
                    let here = vc.location == violation.location
                        || violation.obligation == program::Obligation::Leak;
                    vc.obligation == violation.obligation && here
                })
                .map(|vc| vc.violated)
                .collect();
            terms.any(&same)
        }
        _ => return Agreement::Skipped,
    };
    match fixed.truth(terms, claim) {
        Truth::Always => Agreement::Allows { exactly: true },
        Truth::Sometimes => {
            let exactly = others.is_some_and(|others| matches!(fixed.truth(terms, others), Truth::Never));
            Agreement::Allows { exactly }
        }
        Truth::Unknown => Agreement::Skipped,
        Truth::Never => {
            // The encoding may have lost the run where it could not say that something is safe.
            let vcs: Vec<Term> = encoder.findings.vcs.iter().map(|vc| vc.violated).collect();
            let some = terms.any(&vcs);
            match fixed.truth(terms, some) {
                Truth::Never => Agreement::Contradicts(format!("{:?}", run.outcome)),
                _ => Agreement::Alarms,
            }
        }
    }
}

/// The inputs of a run in place of the symbols that stand for them.
fn inputs(encoder: &mut Encoder<'_>, run: &Run) -> Substitution {
    let mut left: Vec<Option<&program::interpret::InputRecord>> = run.inputs.iter().map(Some).collect();
    let mut pairs = Vec::new();
    let all: Vec<_> = encoder.findings.inputs.iter().map(|i| (i.name.clone(), i.location, i.value)).collect();
    for (name, location, value) in all {
        let Value::Scalar(symbol) = value else { continue };
        let found =
            left.iter().position(|input| input.is_some_and(|i| i.name == name && i.location == location));
        let Some(record) = found.and_then(|at| left[at].take()) else { continue };
        let number = match record.value {
            InputValue::Integer(number) => number,
            InputValue::Float(bits) => bits as i128,
            InputValue::Null => 0,
        };
        if let logic::Sort::BitVector(width) = encoder.terms.sort(symbol) {
            pairs.push((symbol, encoder.terms.signed_bits(width, number)));
        }
    }
    Substitution::new(pairs)
}

struct Fixed {
    substitution: Substitution,
    /// What is known of symbols.
    axioms: Axioms,
    solver: Embedded,
}

enum Truth {
    Always,
    Sometimes,
    Never,
    Unknown,
}

impl Fixed {
    /// Whether a condition holds with the inputs put in.
    fn truth(&mut self, terms: &mut Terms, condition: Term) -> Truth {
        let invariants = self.axioms.about(terms, &[condition]);
        let condition = self.substitution.apply(terms, condition);
        match terms.known_bool(condition) {
            Some(true) => return Truth::Always,
            Some(false) => return Truth::Never,
            None => {}
        }
        let mut budget = Budget::steps(1_000_000);
        let mut asked = vec![condition];
        asked.extend(invariants.into_iter().map(|invariant| self.substitution.apply(terms, invariant)));
        match self.solver.check(terms, &asked, &mut budget) {
            Answer::Satisfiable => Truth::Sometimes,
            Answer::Unsatisfiable => Truth::Never,
            Answer::Unknown(_) => Truth::Unknown,
        }
    }
}
