//! `loopscope terminates`: does each loop and recursion stop, and why?

use std::time::{Duration, Instant};

use base::{Budget, Interrupt};
use clients::terminates::{Answers, Conditions, Stage, Terminates};
use evidence::Stopping;
use program::{FunctionId, Program, Type};
use report::message::Message;
use report::not_analysed::{lines, with_list};

use super::threads::for_each_function;
use super::{Ending, not_analysed, read, require_function, time_left};
use crate::arguments::TerminatesArguments;
use crate::exit;
use crate::guard::guarded;
use crate::pipeline::Form;
use crate::terminal::Terminal;

/// The share of the time that runs of `main` get for proofs, and that of what is left for runs that never end.
const PROVING: f64 = 0.7;
const ENDLESS: f64 = 0.8;

/// The share of the time in which a program without inputs may end.
const RUNNING: f64 = 0.25;

/// The share of the time for functions on their own, if there is a `main`.
const ALONE: f64 = 0.5;

/// The share of the time, and at most how long, for an endless run of a function that no run of `main` leads to.
const OTHERS: f64 = 0.2;
const LONGEST: Duration = Duration::from_secs(1);

/// The share of what is left of the time in which conditions are looked for.
const CONDITIONS: f64 = 0.9;

/// Prints the answers, and says how the process ends.
pub fn execute(arguments: &TerminatesArguments, terminal: &Terminal, interrupt: &Interrupt) -> Ending {
    let start = Instant::now();
    let prepared = read(&arguments.files, &arguments.source, Form::Clean, terminal)?;
    let program = &prepared.program;
    require_function(program, arguments.function.as_deref())?;
    let budget = time_left(arguments.time_limit, start, interrupt);
    let terminates = guarded(|| Terminates::new(program, arguments.integers.into()))
        .map_err(|problem| vec![Message::error(format!("internal error: {problem}"))])?;
    let wanted = |function: &FunctionId| {
        arguments.function.as_ref().is_none_or(|name| *name == program.functions[*function].name)
    };
    let functions: Vec<FunctionId> = terminates.functions().into_iter().filter(wanted).collect();
    let found = answers(program, &terminates, &functions, &budget, terminal);
    let conditions = conditions(program, &terminates, &found, &budget, terminal);
    let report = terminates.report(found, conditions);
    terminal.progress("");
    let left_out = not_analysed(&prepared, arguments.function.as_deref());
    if arguments.output.json {
        terminal.print(&(with_list(&report::terminates::termination_json(&report), &left_out) + "\n"));
    } else {
        terminal.print(&(report::terminates::termination(&report) + &lines(&left_out)));
    }
    let code = exit::of_termination(&report, left_out.len(), arguments.require_termination);
    Ok(if prepared.errors().next().is_some() { exit::BAD_INPUT } else { code })
}

/// All that is found out about the loops of some functions.
fn answers(
    program: &Program,
    terminates: &Terminates<'_>,
    functions: &[FunctionId],
    budget: &Budget,
    terminal: &Terminal,
) -> Answers {
    let main = program.function_named("main").filter(|main| program.functions[*main].body().is_some());
    let reached = main.map(|main| terminates.reached(main)).unwrap_or_default();
    terminal.progress("the run of a program without inputs");
    let run = main.and_then(|main| {
        guarded(|| terminates.only_run(main, &share(budget, RUNNING)))
            .unwrap_or_default()
            .map(|run| (main, run))
    });
    let part = if main.is_some() { share(budget, ALONE) } else { budget.clone() };
    let alone = for_each_function(
        program,
        functions,
        terminal,
        |function| terminates.alone(function, &part),
        |function, problem| terminates.all_unknown(function, problem),
    );
    let mut answers: Answers = functions.iter().copied().zip(alone).collect();
    // What is seen in the only run needs no analysis.
    let open = if run.is_some() { Vec::new() } else { Terminates::open(&answers) };
    let better = for_each_function(
        program,
        &open,
        terminal,
        |function| {
            let mut found = answers[&function].clone();
            terminates.improve(function, Stage::Function, &mut found, &part);
            found
        },
        |function, _| answers[&function].clone(),
    );
    answers.extend(open.into_iter().zip(better));
    let is_open = |answers: &Answers| Terminates::open(answers).iter().any(|one| reached.contains(one));
    if let Some((main, run)) = &run {
        terminates.followed(*main, run, &mut answers);
    } else if let Some(main) = main.filter(|_| is_open(&answers)) {
        terminal.progress("runs of main");
        let part = share(budget, PROVING);
        // A bug of ours costs what it was about to find.
        _ = guarded(|| terminates.in_runs(main, &mut answers, &part));
        if is_open(&answers) {
            let part = share(budget, ENDLESS);
            _ = guarded(|| terminates.run_for_ever(main, &mut answers, &part));
        }
    }
    // What a pointer to nothing in particular leads to shows nothing.
    let is_runnable = |function: &FunctionId| {
        !reached.contains(function) && !program.functions[*function].parameters.contains(&Type::Pointer)
    };
    for function in Terminates::open(&answers).into_iter().filter(is_runnable) {
        terminal.progress(&format!("runs of {}", program.functions[function].name));
        let part = share(budget, OTHERS).within(LONGEST);
        _ = guarded(|| terminates.run_for_ever(function, &mut answers, &part));
    }
    answers
}

/// Conditions under which loops stop that do not always stop.
fn conditions(
    program: &Program,
    terminates: &Terminates<'_>,
    answers: &Answers,
    budget: &Budget,
    terminal: &Terminal,
) -> Conditions {
    let is_open = |answer: &Stopping| !answer.stops();
    let open = answers.iter().filter(|(_, all)| all.iter().any(is_open));
    let functions: Vec<FunctionId> = open.map(|(function, _)| *function).collect();
    let part = share(budget, CONDITIONS);
    let look = |function| terminates.conditions(function, answers, &part);
    let found = for_each_function(program, &functions, terminal, look, |_, _| Conditions::new());
    found.into_iter().flatten().collect()
}

fn share(budget: &Budget, share: f64) -> Budget {
    match budget.remaining_time() {
        Some(time) => budget.clone().within(time.mul_f64(share)),
        None => budget.clone(),
    }
}
