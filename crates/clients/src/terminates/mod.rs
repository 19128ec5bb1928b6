//! Whether the loops and recursions of a program stop, one by one (LoopFrog 2, with all that proves or refutes here).
//!
//! ```text
//! every function modularly ─► runs from `main`, where there is one ─► a run that goes on for ever, replayed
//!   rank ─ templates ─ invariants  rank ─ invariants, with callers known  (refute, for what is open)
//! ```
//!
//! A loop *stops* if no run that does nothing undefined makes infinitely many iterations of it in one visit; that inner
//! loops and callees stop is said on their own lines (local termination predicates). First every function is analysed
//! modularly, with any arguments and in any memory ([`transform::modular`]): what is shown there holds wherever it is
//! called. What is open then, and can be reached from `main`, is analysed in runs of `main`, where callers are known.
//! The kernel accepts each argument. What is still open may have a run that never ends: that is one which the
//! interpreter has replayed.
//!
//! What does not always stop may stop under a condition on the values with which its function is entered
//! ([`conditions`]).
//!
//! Cheapest of all is a program without inputs: it has one run, which the kernel makes ([`certify::only_run`]).
//!
//! Known imprecision: a recursion is a circle of calls by name. Calls through pointers are taken to return.

mod cause;
mod conditions;
mod context;
mod forever;
mod modular_functions;
mod order;
mod recursion;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

pub use self::conditions::Conditions;
pub use self::modular_functions::Stage;
pub use self::order::run;
use base::{Budget, Index};
use certify::only_run::{OnlyRun, only_run};
use certify::{CycleReport, ModularFunctions, ModularProgram, Stopping, TerminationReport};
use evidence::{CycleKind, Place};
use loops::{LoopForest, LoopId, LoopName, LoopNames};
use program::interpret::Integers;
use program::{Body, FunctionId, Program};
use transform::CallGraph;

use crate::functions::{TIME_IS_OVER, Turn};
use crate::results::Results;
use crate::termination::loops::Missing;

/// How long a loop of a modular function may take.
const LOOP_TIME: Duration = Duration::from_secs(2);

/// The answers for the loops of functions, in the order of their forests; after them comes the one for the recursion whose
/// first function it is.
pub type Answers = BTreeMap<FunctionId, Vec<Stopping>>;

/// The loops of a program.
pub struct Terminates<'p> {
    program: &'p Program,
    modular: Arc<ModularFunctions<'p>>,
    results: Results,
    integers: Integers,
    functions: BTreeMap<FunctionId, Shape>,
    /// How long a loop of a modular function may take.
    pub loop_time: Duration,
}

/// What comes again in a function.
struct Shape {
    forest: LoopForest,
    names: Vec<LoopName>,
    /// The functions that call each other, if it is the first of them.
    circle: Option<Vec<FunctionId>>,
}

impl Shape {
    fn len(&self) -> usize {
        self.names.len() + usize::from(self.circle.is_some())
    }
}

impl<'p> Terminates<'p> {
    /// The loops of a program.
    pub fn new(program: &'p Program, integers: Integers) -> Self {
        Self::sharing(program, Arc::new(ModularFunctions::of(program)), integers)
    }

    /// The same, with what all functions need to know of the program.
    pub(crate) fn sharing(
        program: &'p Program,
        modular: Arc<ModularFunctions<'p>>,
        integers: Integers,
    ) -> Self {
        let mut all = LoopNames::new();
        let mut functions = BTreeMap::new();
        for (function, description) in program.functions.iter() {
            let Some(body) = description.body() else { continue };
            let forest = LoopForest::of(body);
            let names = all.of_function(program, function, &forest);
            functions.insert(function, Shape { forest, names, circle: None });
        }
        for circle in CallGraph::of(program).circles() {
            if let Some(shape) = functions.get_mut(&circle[0]) {
                shape.circle = Some(circle);
            }
        }
        functions.retain(|_, shape| shape.len() > 0);
        Self { program, modular, results: Results::default(), integers, functions, loop_time: LOOP_TIME }
    }

    /// The functions that have loops or call themselves.
    pub fn functions(&self) -> Vec<FunctionId> {
        self.functions.keys().copied().collect()
    }

    /// What the loops of a function are called.
    pub fn names(&self, function: FunctionId) -> &[LoopName] {
        self.functions.get(&function).map_or(&[], |shape| &shape.names)
    }

    /// The loops of a modular function.
    pub fn modular(&self, function: FunctionId, budget: &Budget) -> Vec<Stopping> {
        let mut answers = self.all_unknown(function, TIME_IS_OVER);
        self.improve(function, Stage::Loops, &mut answers, budget);
        answers
    }

    /// Looks once more at what is open in a modular function.
    pub fn improve(&self, function: FunctionId, stage: Stage, answers: &mut [Stopping], budget: &Budget) {
        let turn = Turn::unlimited(self.loop_time);
        self.improve_in(turn, function, stage, answers, budget);
    }

    /// The same, with so much time.
    pub(crate) fn improve_in(
        &self,
        turn: Turn,
        function: FunctionId,
        stage: Stage,
        answers: &mut [Stopping],
        budget: &Budget,
    ) {
        let budget = &turn.limited(budget);
        let Some((shape, body)) = self.shape(function) else { return };
        let is_open = |answer: &Stopping| matches!(answer, Stopping::Unknown { .. });
        let open = shape.forest.iter().zip(&*answers).filter(|(_, answer)| is_open(answer));
        let wanted: Vec<LoopId> = open.map(|((id, _), _)| id).collect();
        if !wanted.is_empty()
            && let Some(alone) = self.modular.function(function)
        {
            let search = |program: &ModularProgram, wanted: Vec<LoopId>| {
                let (forest, integers, candidates) = (&shape.forest, self.integers, Vec::new());
                let query =
                    modular_functions::Query { program, forest, wanted, candidates, integers, turn, stage };
                modular_functions::arguments(&query, &mut budget.clone())
            };
            let mut found = search(&alone, wanted.clone());
            let open: Vec<usize> = (0..found.len()).filter(|&place| found[place].is_err()).collect();
            if !open.is_empty()
                && self.integers == Integers::Machine
                && let Some(alone) = self.results.function(self.program, &self.modular, function, budget)
            {
                let again = search(&alone, open.iter().map(|&place| wanted[place]).collect());
                for (place, again) in open.into_iter().zip(again).filter(|(_, again)| again.is_ok()) {
                    found[place] = again;
                }
            }
            for (id, outcome) in wanted.into_iter().zip(found) {
                answers[id.index()] = match outcome {
                    Ok(found) if let Some(stops) = found.stops() => Stopping::Stops(stops),
                    Ok(_) | Err(Missing::NoArgument) => {
                        let head = shape.names[id.index()].location;
                        let (reason, location) = cause::cause(self.program, body, &shape.forest, id, head);
                        Stopping::Unknown { reason, place: Place::of(self.program, location) }
                    }
                    Err(Missing::Reason(reason)) => self.unknown(function, id.index(), reason),
                };
            }
        }
        if let (Some(circle), Some(answer)) = (&shape.circle, answers.get_mut(shape.names.len()))
            && is_open(answer)
        {
            *answer = self.circle(function, circle, stage, turn, budget);
        }
    }

    /// A recursion on its own.
    fn circle(
        &self,
        function: FunctionId,
        circle: &[FunctionId],
        stage: Stage,
        turn: Turn,
        budget: &Budget,
    ) -> Stopping {
        let reason = match recursion::argument(self, circle, stage, turn, &mut budget.clone()) {
            Ok(found) if let Some(stops) = found.stops() => return Stopping::Stops(stops),
            Err(Missing::Reason(reason)) => reason,
            Ok(_) | Err(Missing::NoArgument) => {
                String::from("no number was found that every nested call makes less")
            }
        };
        self.unknown(function, self.names(function).len(), reason)
    }

    /// The loops of a function, all unknown for one reason.
    pub fn all_unknown(&self, function: FunctionId, reason: &str) -> Vec<Stopping> {
        let Some((shape, _)) = self.shape(function) else { return Vec::new() };
        (0..shape.len()).map(|place| self.unknown(function, place, reason.to_owned())).collect()
    }

    /// Says of the loops without an answer that the time is over.
    pub(crate) fn cut_short(&self, function: FunctionId, answers: &mut [Stopping]) {
        for (place, answer) in answers.iter_mut().enumerate() {
            if matches!(answer, Stopping::Unknown { .. }) {
                *answer = self.unknown(function, place, TIME_IS_OVER.to_owned());
            }
        }
    }

    /// Makes the run of a program that takes no inputs, which starts in a function.
    pub fn only_run(&self, entry: FunctionId, budget: &Budget) -> Option<OnlyRun> {
        only_run(self.program, entry, self.integers, &mut budget.clone())
    }

    /// Puts in what such a run has shown of open loops.
    pub fn followed(&self, entry: FunctionId, run: &OnlyRun, answers: &mut Answers) {
        context::followed(self, entry, run, answers);
    }

    /// Examines what is open in runs that start in a function, and puts the answers in.
    pub fn in_runs(&self, entry: FunctionId, answers: &mut Answers, budget: &Budget) {
        context::prove(self, entry, answers, budget);
    }

    /// Looks for a run that starts in a function and never leaves some open loop, and puts the answer in.
    pub fn run_for_ever(&self, entry: FunctionId, answers: &mut Answers, budget: &Budget) {
        forever::put_in(answers, forever::refute(self, entry, budget));
    }

    /// Conditions on the values at function entry under which loops stop that do not stop in all runs.
    pub fn conditions(&self, function: FunctionId, answers: &Answers, budget: &Budget) -> Conditions {
        conditions::conditions(self, function, answers, budget)
    }

    /// The functions among some that have a loop without an argument.
    pub fn open(answers: &Answers) -> Vec<FunctionId> {
        let is_open = |answer: &Stopping| matches!(answer, Stopping::Unknown { .. });
        answers.iter().filter(|(_, all)| all.iter().any(is_open)).map(|(function, _)| *function).collect()
    }

    /// All answers in one list, with the conditions of those that do not always stop.
    pub fn report(&self, answers: Answers, mut conditions: Conditions) -> TerminationReport {
        let mut report = TerminationReport::default();
        for (function, answers) in answers {
            let Some((shape, _)) = self.shape(function) else { continue };
            let first = report.cycles.len();
            let mut answers = answers.into_iter();
            for (((id, item), name), answer) in shape.forest.iter().zip(&shape.names).zip(answers.by_ref()) {
                report.cycles.push(CycleReport {
                    function: self.program.functions[function].name.clone(),
                    name: name.to_string(),
                    kind: CycleKind::Loop,
                    place: Place::of(self.program, name.location),
                    depth: item.depth,
                    around: item.parent.map(|parent| first + parent.index()),
                    answer,
                    stops_if: conditions.remove(&(function, id.index())),
                });
            }
            if let (Some(circle), Some(answer)) = (&shape.circle, answers.next()) {
                let stops_if = conditions.remove(&(function, shape.names.len()));
                report.cycles.push(CycleReport { stops_if, ..self.recursion(function, circle, answer) });
            }
        }
        report
    }

    fn recursion(&self, function: FunctionId, circle: &[FunctionId], answer: Stopping) -> CycleReport {
        let description = &self.program.functions[function];
        let place = Place::of(self.program, description.location);
        let at = place.as_ref().map(|place| format!("{}:{} ", place.file, place.line)).unwrap_or_default();
        let others: Vec<&str> =
            circle[1..].iter().map(|&other| self.program.functions[other].name.as_str()).collect();
        let others = if others.is_empty() { String::new() } else { format!(" with {}", others.join(", ")) };
        CycleReport {
            function: description.name.clone(),
            name: format!("{at}recursion{others}"),
            kind: CycleKind::Recursion,
            place,
            depth: 1,
            around: None,
            answer,
            stops_if: None,
        }
    }

    fn shape(&self, function: FunctionId) -> Option<(&Shape, &'p Body)> {
        Some((self.functions.get(&function)?, self.program.functions[function].body()?))
    }

    /// That nothing is known of a loop, by its place in the forest; of a recursion, which comes after the loops.
    fn unknown(&self, function: FunctionId, place: usize, reason: String) -> Stopping {
        let name = self.names(function).get(place);
        let location = name.map_or(self.program.functions[function].location, |name| name.location);
        Stopping::Unknown { reason, place: Place::of(self.program, location) }
    }
}

/// How many answers are missing.
pub(crate) fn open_in(answers: &[Stopping]) -> usize {
    answers.iter().filter(|answer| matches!(answer, Stopping::Unknown { .. })).count()
}
