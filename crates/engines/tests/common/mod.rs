//! What tests of automata share: the automaton, the traces and the cases of a C function's loop.

#![allow(dead_code, reason = "every test uses its own part")]

use std::collections::BTreeMap;

use base::Budget;
use engines::automaton::vocabulary::{Vocabulary, entry_is};
use engines::automaton::{Atom, Automaton, Found, Traces};
use evidence::{Integer, Quantity};
use loops::{Criterion, LoopForest, PostDominators, Slice};
use loopscope_engines as engines;
use program::interpret::Integers;
use program::{Program, VariableId};

fn program(text: &str) -> Program {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("loopscope-automaton-{}-{number}.c", std::process::id()));
    std::fs::write(&path, text).expect("the folder for temporary files can be written");
    let mut program = c::translate(&[c::Input::new(&path)]).program;
    let _ = std::fs::remove_file(&path);
    program::passes::simplify(&mut program);
    program
}

/// The automaton of the first, outermost loop of `f`, its traces, and the cases that they make.
pub struct Analysis {
    pub automaton: Automaton,
    pub traces: Traces,
    pub found: Vec<Found>,
    pub vocabulary: Vocabulary,
}

/// The same from any state at entry.
pub fn analyse(text: &str) -> Analysis {
    analyse_from(text, &[])
}

/// The same, with what some variables hold at entry.
pub fn analyse_from(text: &str, entry: &[(&str, i64)]) -> Analysis {
    analyse_for(text, entry, None)
}

/// The same for some variables of interest, to which the loop is sliced.
pub fn analyse_for(text: &str, entry: &[(&str, i64)], interest: Option<&[&str]>) -> Analysis {
    let program = program(text);
    let function = program.function_named("f").expect("there is a function f");
    let body = program.functions[function].body().expect("it has a body");
    let forest = LoopForest::of(body);
    let (id, _) = forest.iter().next().expect("it has a loop");
    let name = |variable: VariableId| program.variable(body, variable).name.as_str();
    let variables: Vec<VariableId> = body
        .variables
        .ids()
        .filter(|variable| interest.is_none_or(|names| names.contains(&name(*variable))))
        .collect();
    let dominators = PostDominators::of(forest.graph());
    let slice = Slice::of(body, &forest, &dominators, id, Criterion::Variables(&variables));
    let mut budget = Budget::steps(100_000);
    let automaton = Automaton::of(&program, body, &forest, id, &slice, Integers::Mathematical, &mut budget);
    let mut automaton = automaton.expect("it is small").connected(&mut budget);
    let vocabulary: Vocabulary = body
        .variables
        .ids()
        .filter(|variable| program.variable(body, *variable).origin != program::Origin::Temporary)
        .map(|variable| (variable, Quantity::value(program.variable(body, variable).name.as_str())))
        .collect::<BTreeMap<_, _>>();
    let known: Vec<Atom> = vocabulary
        .iter()
        .filter_map(|(variable, quantity)| {
            let (_, number) = entry.iter().find(|(name, _)| quantity.variable.as_str() == *name)?;
            Some(entry_is(*variable, &Integer::from(*number)))
        })
        .collect();
    assert_eq!(known.len(), entry.len(), "all of them are variables");
    let traces = automaton.traces(&known, &mut budget);
    let found = automaton.cases(&traces, &known, &vocabulary, &mut budget).unwrap_or_default();
    Analysis { automaton, traces, found, vocabulary }
}

/// The cases in words: when, what, how often.
pub fn cases(text: &str) -> (u8, Vec<String>) {
    cases_from(text, &[])
}

/// The same, with what some variables hold at entry.
pub fn cases_from(text: &str, entry: &[(&str, i64)]) -> (u8, Vec<String>) {
    let Analysis { automaton, traces, found, .. } = analyse_from(text, entry);
    let described = found.iter().map(|found| {
        let case = &found.case;
        let effect: Vec<String> = case.effect.iter().map(ToString::to_string).collect();
        let iterations = case.iterations.as_ref().map_or_else(|| String::from("?"), ToString::to_string);
        let what = if found.never { String::from("never left") } else { effect.join(", ") };
        format!("{}: {what} [{iterations}]", case.guard)
    });
    (automaton.classify(&traces), described.collect())
}
