//! Holds answers about termination against each other: what is proved to stop, no run may go on for ever in.
//!
//! ```text
//! seed ─► f(parameters) with loops or calls of itself, and a main that calls it ─┬─► arguments, whoever calls f
//!                                                                               └─► a run of main that never ends
//! ```
//!
//! The two sides share nothing: arguments come from the kernel and the solver, runs from the interpreter. Types are narrow,
//! so that numbers wrap.

use std::path::Path;
use std::time::Duration;

use base::Budget;
use certify::{Stopping, TerminationReport};
use clients::terminates::{Answers, Conditions, Stage, Terminates};
use evidence::Moment;
use program::Program;
use program::interpret::Integers;

use crate::agree::contradictions::contradicts;
use crate::interpretation::{Form, program_of};
use crate::random::Random;

/// The steps in which a run that never ends is looked for, and how long that may take.
const STEPS: u64 = 400_000;
const TIME: Duration = Duration::from_secs(1);

/// What came of programs, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Loops and recursions.
    pub cycles: usize,
    /// Those that are proved to stop.
    pub stop: usize,
    /// Those in which a run goes on for ever.
    pub for_ever: usize,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: &Tally) {
        self.cycles += other.cycles;
        self.stop += other.stop;
        self.for_ever += other.for_ever;
    }
}

/// Examines a program: the loops of `f`, which `main` calls.
///
/// # Errors
/// A loop that is proved to stop and in which a run goes on for ever.
pub fn check(folder: &Path, text: &str) -> Result<Tally, String> {
    let program = program_of(folder, text, Form::Simplified)?;
    let main = program.function_named("main").ok_or("no main")?;
    let terminates = Terminates::new(&program, Integers::Machine);
    let functions = terminates.functions();
    let unknown = functions.iter().map(|&function| (function, terminates.all_unknown(function, "not tried")));
    let mut runs: Answers = unknown.collect();
    terminates.run_for_ever(main, &mut runs, &Budget::steps(STEPS).within(TIME));
    let mut tally = Tally::default();
    for (function, seen) in runs {
        let proved = terminates.modular(function, &Budget::unlimited().within(2 * TIME));
        for (place, (proved, seen)) in proved.iter().zip(&seen).enumerate() {
            tally.cycles += 1;
            tally.stop += usize::from(proved.stops());
            let Stopping::MayRunForEver { counterexample } = seen else { continue };
            tally.for_ever += 1;
            if contradicts(proved, counterexample) {
                let name = &program.functions[function].name;
                return Err(format!("loop {place} of {name} is proved to stop by {proved:?}\n{text}"));
            }
        }
    }
    Ok(tally)
}

/// What `loopscope terminates` says of a program: each function modularly, then runs of `main`, then runs that never
/// end. Each step may take so long.
pub fn report(program: &Program, time: Duration) -> TerminationReport {
    let budget = || Budget::unlimited().within(time);
    let mut terminates = Terminates::new(program, Integers::Machine);
    terminates.loop_time = time;
    let mut answers = Answers::new();
    for function in terminates.functions() {
        let mut found = terminates.modular(function, &budget());
        terminates.improve(function, Stage::Function, &mut found, &budget());
        answers.insert(function, found);
    }
    let main = program.function_named("main").filter(|main| program.functions[*main].body().is_some());
    if let Some(main) = main.filter(|_| !Terminates::open(&answers).is_empty()) {
        match terminates.only_run(main, &budget()) {
            Some(run) => terminates.followed(main, &run, &mut answers),
            None => {
                terminates.in_runs(main, &mut answers, &budget());
                terminates.run_for_ever(main, &mut answers, &budget());
            }
        }
    }
    terminates.report(answers, Conditions::default())
}

/// Looks for conditions under which the loops of a function `f` of `a` and `b` stop, and for runs that never end although
/// they hold. Gives how many conditions there were.
///
/// # Errors
/// A condition, and that there is such a run.
pub fn check_conditions(folder: &Path, function: &str, types: [&str; 2]) -> Result<usize, String> {
    let program = program_of(folder, function, Form::Simplified)?;
    let id = program.function_named("f").ok_or("no f")?;
    let terminates = Terminates::new(&program, Integers::Machine);
    let budget = Budget::unlimited().within(2 * TIME);
    let answers = Answers::from([(id, terminates.modular(id, &budget))]);
    let conditions = terminates.conditions(id, &answers, &budget);
    for one in conditions.values() {
        let now = one.condition().with_moments(&|_| Some(Moment::Now)).ok_or("no condition at entry")?;
        let [a, b] = types;
        let text = format!(
            "extern int nondet(void);\n{function}\nint main(void) {{ {a} a = nondet(); {b} b = nondet(); \
            if ({now}) f(a, b); return 0; }}\n"
        );
        let guarded = program_of(folder, &text, Form::Simplified)?;
        let main = guarded.function_named("main").ok_or("no main")?;
        let runs = Terminates::new(&guarded, Integers::Machine);
        let unknown = runs.functions().into_iter().map(|one| (one, runs.all_unknown(one, "not tried")));
        let mut found: Answers = unknown.collect();
        runs.run_for_ever(main, &mut found, &Budget::steps(STEPS).within(TIME));
        if found.values().flatten().any(|seen| matches!(seen, Stopping::MayRunForEver { .. })) {
            return Err(format!("the loop does not stop if {now}\n{text}"));
        }
    }
    Ok(conditions.len())
}

/// A function with a loop on two narrow numbers, and their types.
pub fn looping(seed: u64) -> (String, [&'static str; 2]) {
    let mut random = Random::new(seed);
    let types = ["signed char", "unsigned char", "short"];
    let conditions = ["a > 0", "b > 0", "a != b", "a < b", "a <= b", "b != 7", "a < 100", "a != 0"];
    let values = ["a - 1", "a + 1", "a - b", "a + b", "a / 2", "a - 2", "b - a", "b"];
    let types = [*random.pick(&types), *random.pick(&types)];
    let mut iteration = format!("a = {};", random.pick(&values));
    if random.below(2) == 0 {
        let (condition, other) = (*random.pick(&conditions), *random.pick(&values));
        iteration = format!("if ({condition}) {iteration} else a = {other};");
    }
    let [a, b] = types;
    (format!("void f({a} a, {b} b) {{ while ({}) {{ {iteration} }} }}", random.pick(&conditions)), types)
}

/// A function that calls itself, and a main that calls it.
pub fn recursive(seed: u64) -> String {
    let mut random = Random::new(seed);
    let types = ["signed char", "unsigned char", "short", "unsigned"];
    let conditions = ["a > 0", "b > 0", "a != b", "a < b", "b != 7", "a > b && b > 0", "a < 100", "nondet()"];
    let values =
        ["a", "b", "a - 1", "b - 1", "a + 1", "b + 1", "a / 2", "b - a", "a - 2", "3", "nondet()", "a & b"];
    let mut call = || {
        let condition = *random.pick(&conditions);
        format!("if ({condition}) f({}, {});", random.pick(&values), random.pick(&values))
    };
    let (first, second) = (call(), call());
    let (one, other) = (*random.pick(&types), *random.pick(&types));
    format!(
        "extern int nondet(void);\nvoid f({one} a, {other} b) {{ {first} else {second} }}\n\
        int main(void) {{ f(nondet(), nondet()); return 0; }}\n"
    )
}
