//! In which order the loops of a program are analysed, and how the time is divided.
//!
//! ```text
//! the only run ─► modular functions ─► runs of `main` ─► infinite runs ─► conditions under which a loop stops
//!                 loops, then functions     proofs, then      of what `main`
//!                                           infinite runs     does not reach
//! ```
//!
//! Each stage gets a share of the time that the stages before it have left.

use std::collections::BTreeSet;
use std::time::Duration;

use base::{Budget, guarded};
use certify::{Stopping, TerminationReport};
use program::interpret::Integers;
use program::{FunctionId, Program, Type};

use super::{Answers, Conditions, Stage, Terminates, forever, open_in};
use crate::functions::{
    Examined, Progress, Ration, Rounds, TIME_IS_OVER, Turn, Watch, for_each_function, reached, wanted,
};

/// The share of the time in which a program without inputs may end.
const RUNNING: f64 = 0.25;

/// The share for modular functions, if there is a `main`.
const ALONE: f64 = 0.5;

/// The same, if there is none.
const WITHOUT_MAIN: f64 = 0.8;

/// The share of that for loops one by one, before whole functions are analysed.
const EACH: f64 = 0.7;

/// The share for proofs about runs of `main`, and that of what is left for runs that never end.
const PROVING: f64 = 0.7;
const NONTERMINATION: f64 = 0.8;

/// The share for infinite runs of functions that no run of `main` leads to, and how long one may take.
const OTHERS: f64 = 0.5;
const LONGEST: Duration = Duration::from_secs(1);

/// The share of what is left in which conditions are looked for.
const CONDITIONS: f64 = 0.9;

/// Whether the loops of a program stop; all of them, or those of the function with this name.
pub fn run(
    program: &Program,
    integers: Integers,
    function: Option<&str>,
    budget: &Budget,
    watch: Watch<'_>,
) -> TerminationReport {
    let terminates = Terminates::new(program, integers);
    let functions = wanted(program, terminates.functions(), function);
    let answers = terminates.all_answers(&functions, budget, watch);
    let conditions = terminates.all_conditions(&answers, &budget.share(CONDITIONS), watch);
    terminates.report(answers, conditions)
}

/// The search in modular functions in rounds.
struct Alone<'a, 'p> {
    terminates: &'a Terminates<'p>,
    stage: Stage,
    budget: &'a Budget,
}

impl Examined<Vec<Stopping>> for Alone<'_, '_> {
    fn open(&self, known: &Vec<Stopping>) -> usize {
        open_in(known)
    }

    fn work(&self, function: FunctionId, known: &Vec<Stopping>, turn: Turn) -> Vec<Stopping> {
        let mut found = known.clone();
        self.terminates.improve_in(turn, function, self.stage, &mut found, self.budget);
        found
    }

    fn failed(&self, function: FunctionId, known: &Vec<Stopping>, problem: &str) -> Vec<Stopping> {
        match self.stage {
            Stage::Loops => self.terminates.all_unknown(function, problem),
            Stage::Function => known.clone(),
        }
    }
}

impl Terminates<'_> {
    /// All that is found out about the loops of some functions.
    fn all_answers(&self, functions: &[FunctionId], budget: &Budget, watch: Watch<'_>) -> Answers {
        let main = self.program.function_named("main");
        let main = main.filter(|main| self.program.functions[*main].body().is_some());
        let reached = main.map(|main| reached(self.program, main)).unwrap_or_default();
        watch(Progress::OnlyRun);
        // A bug of ours costs what it was about to find.
        let run = main.and_then(|main| {
            guarded(|| self.only_run(main, &budget.share(RUNNING))).unwrap_or_default().map(|run| (main, run))
        });
        let part = budget.share(if main.is_some() { ALONE } else { WITHOUT_MAIN });
        // What is seen in the only run needs no analysis.
        let mut answers = self.all_alone(functions, run.is_none(), &part, watch);
        if let Some((main, run)) = &run {
            self.followed(*main, run, &mut answers);
        } else if let Some(main) = main {
            self.in_runs_of_main(main, &reached, &mut answers, budget, watch);
        }
        self.in_other_runs(&reached, &mut answers, budget, watch);
        answers
    }

    /// Every modular function: its loops one by one and then, if that is wanted, all of what is open together.
    fn all_alone(
        &self,
        functions: &[FunctionId],
        thoroughly: bool,
        budget: &Budget,
        watch: Watch<'_>,
    ) -> Answers {
        let unknown = functions.iter().map(|&function| (function, self.all_unknown(function, TIME_IS_OVER)));
        let mut answers: Answers = unknown.collect();
        let stages: &[Stage] = if thoroughly { &[Stage::Loops, Stage::Function] } else { &[Stage::Loops] };
        for &stage in stages {
            let budget = &budget.share(if stage == Stage::Loops { EACH } else { 1.0 });
            let rounds = Rounds { program: self.program, functions, most: self.loop_time, budget, watch };
            for function in rounds.run(&mut answers, &Alone { terminates: self, stage, budget }) {
                answers.entry(function).and_modify(|all| self.cut_short(function, all));
            }
        }
        answers
    }

    /// What is open, in runs of `main`.
    fn in_runs_of_main(
        &self,
        main: FunctionId,
        reached: &BTreeSet<FunctionId>,
        answers: &mut Answers,
        budget: &Budget,
        watch: Watch<'_>,
    ) {
        let is_open = |answers: &Answers| Self::open(answers).iter().any(|one| reached.contains(one));
        if is_open(answers) {
            watch(Progress::Runs("main"));
            let part = budget.share(PROVING);
            _ = guarded(|| self.in_runs(main, answers, &part));
        }
        if is_open(answers) {
            let part = budget.share(NONTERMINATION);
            _ = guarded(|| self.run_for_ever(main, answers, &part));
        }
    }

    /// What is open, in infinite runs of functions that no run of `main` leads to.
    fn in_other_runs(
        &self,
        reached: &BTreeSet<FunctionId>,
        answers: &mut Answers,
        budget: &Budget,
        watch: Watch<'_>,
    ) {
        // What a pointer to nothing in particular leads to shows nothing.
        let is_runnable = |function: &FunctionId| {
            !reached.contains(function)
                && !self.program.functions[*function].parameters.contains(&Type::Pointer)
        };
        let functions: Vec<FunctionId> = Self::open(answers).into_iter().filter(is_runnable).collect();
        let (budget, ration) = (&budget.share(OTHERS), Ration::of(functions.len()));
        let run = |function| {
            let part = budget.clone().within(ration.next(budget, LONGEST));
            forever::refute(self, function, &part)
        };
        let found = for_each_function(self.program, &functions, watch, run, |_, _| None);
        forever::put_in(answers, found.into_iter().flatten());
    }

    /// Conditions under which loops stop that do not always stop.
    fn all_conditions(&self, answers: &Answers, budget: &Budget, watch: Watch<'_>) -> Conditions {
        let is_open = |answer: &Stopping| !answer.stops();
        let open = answers.iter().filter(|(_, all)| all.iter().any(is_open));
        let functions: Vec<FunctionId> = open.map(|(function, _)| *function).collect();
        let ration = Ration::of(functions.len());
        let look = |function| {
            let part = budget.clone().within(ration.next(budget, Duration::MAX));
            self.conditions(function, answers, &part)
        };
        let found = for_each_function(self.program, &functions, watch, look, |_, _| Conditions::new());
        found.into_iter().flatten().collect()
    }
}
