//! What loops compute, by cases: path dependency automata, confirmed by the kernel (Xie and others, TSE 2019).
//!
//! Each function stands on its own ([`transform::modular`]): anybody calls it, with any arguments, in any memory, and what
//! it calls returns. Everything is said of runs on which nothing undefined
//! happens: signed integers do not overflow, unsigned ones may wrap. A case is confirmed if the kernel has accepted its
//! invariant at the head of the loop and what it says about the end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use base::{Budget, Location};
use certify::abstraction::{Batch, Count, Edge, Effort, Named};
use certify::{Abstraction, Candidate, ModularFunctions, Subject};
use encoding::Value;
use engines::automaton::vocabulary::{self, Vocabulary};
use engines::automaton::{Atom, Automaton, Counted, Found, Traces};
use evidence::{
    Case, CaseReport, Expression, Formula, LoopReport, Name, Overflow, Place, ProofMode, Quantity,
    SkippedFunction, Strength, SummaryReport,
};
use loops::{Criterion, LoopForest, LoopId, LoopName, LoopNames, PostDominators, Slice};
use program::interpret::Integers;
use program::{Body, FunctionId, Origin, Program, StatementKind, Type, Variable, VariableId};

use crate::functions::{Ration, Watch, for_each_function, wanted};

/// How much may be spent on a query: cases of a trace with many phases are not easy.
const EFFORT: Effort = Effort { batch: Batch::All, steps: 100_000, time: Duration::from_secs(4) };

/// What an automaton and its traces may cost.
const STEPS: u64 = 300_000;
const TIME: Duration = Duration::from_secs(3);

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Only this function.
    pub function: Option<String>,
    /// Only loops that stand on this line.
    pub line: Option<u32>,
    /// Only what happens to these variables; all of the source if there are none.
    pub variables: Vec<String>,
    /// What integers are.
    pub integers: Integers,
}

/// What is said of the loops of one function, or why nothing is.
type Summarised = Result<Vec<LoopReport>, SkippedFunction>;

/// Summarises the loops of a program, several functions at a time.
pub fn summarize(program: &Program, request: &Request, budget: &Budget, watch: Watch<'_>) -> SummaryReport {
    let summaries = Summaries::of(program, Arc::new(ModularFunctions::of(program)));
    let functions = wanted(program, summaries.names.keys().copied().collect(), request.function.as_deref());
    let most = budget.remaining_time().unwrap_or(Duration::MAX);
    summaries.all(&functions, request, most, budget, watch)
}

/// The loops of a program, ready to be summarised function by function.
pub(crate) struct Summaries<'p> {
    program: &'p Program,
    modular: Arc<ModularFunctions<'p>>,
    names: BTreeMap<FunctionId, Vec<LoopName>>,
}

impl<'p> Summaries<'p> {
    pub(crate) fn of(program: &'p Program, modular: Arc<ModularFunctions<'p>>) -> Self {
        let mut all = LoopNames::new();
        let mut names = BTreeMap::new();
        for (function, description) in program.functions.iter() {
            let Some(body) = description.body() else { continue };
            let found = all.of_function(program, function, &LoopForest::of(body));
            if !found.is_empty() {
                names.insert(function, found);
            }
        }
        Self { program, modular, names }
    }

    /// The loops of some functions. None gets more time than this, nor more than the time that is left allows for all.
    pub(crate) fn all(
        &self,
        functions: &[FunctionId],
        request: &Request,
        most: Duration,
        budget: &Budget,
        watch: Watch<'_>,
    ) -> SummaryReport {
        let left = Ration::of(functions.len());
        let work = |function| {
            let part = budget.clone().within(left.next(budget, most));
            self.function(function, request, part)
        };
        let skipped = |function: FunctionId, reason: String| {
            Err(SkippedFunction { function: self.program.functions[function].name.clone(), reason })
        };
        let failed = |function, problem: &str| skipped(function, problem.to_owned());
        let mut report = SummaryReport { loops: Vec::new(), skipped: Vec::new() };
        for one in for_each_function(self.program, functions, watch, work, failed) {
            match one {
                Ok(loops) => report.loops.extend(loops),
                Err(skipped) => report.skipped.push(skipped),
            }
        }
        report
    }

    fn function(&self, function: FunctionId, request: &Request, mut budget: Budget) -> Summarised {
        let name = &self.program.functions[function].name;
        let skipped = |reason: String| SkippedFunction { function: name.clone(), reason };
        budget.spend(0).map_err(|stop| skipped(format!("encoding it: {stop}")))?;
        let source = self.program.functions[function].body();
        let (Some(source), Some(alone)) = (source, self.modular.function(function)) else {
            return Ok(Vec::new());
        };
        let Some(body) = alone.body() else { return Ok(Vec::new()) };
        let forest = LoopForest::of(body);
        let subject = Subject::modular(&alone, request.integers);
        let mode = ProofMode::modular(Overflow::Excluded);
        let mut abstraction = Abstraction::new(&subject, mode, &mut budget)
            .map_err(|stop| skipped(format!("encoding it: {stop}")))?;
        let program = alone.program();
        let names = self.names.get(&function).map_or(&[][..], Vec::as_slice);
        let function = alone.function();
        let vocabulary = vocabulary_of(program, body, &abstraction.names(function));
        let work = Summarizer {
            program,
            function,
            body,
            source,
            forest: &forest,
            names,
            request,
            budget,
            abstraction,
            vocabulary,
        };
        Ok(work.function())
    }
}

struct Summarizer<'p, 'a> {
    program: &'p Program,
    function: FunctionId,
    body: &'p Body,
    /// The body as it is in the program.
    source: &'p Body,
    forest: &'a LoopForest,
    names: &'a [LoopName],
    request: &'a Request,
    budget: Budget,
    abstraction: Abstraction<'a>,
    /// The variables that are spoken of, by their names in evidence.
    vocabulary: Vocabulary,
}

/// A loop on its way.
struct Open {
    id: LoopId,
    abstract_loop: usize,
    automaton: Automaton,
    traces: Traces,
    cases: Vec<Found>,
    /// What is known without cases.
    counted: Counted,
    /// Which of its candidates the kernel accepted: the invariants of its cases, then what is known without cases.
    accepted: Vec<bool>,
    /// What it accepted on the way of cases whose invariants it refused.
    path_invariants: Vec<Formula>,
    /// The cases that are confirmed with that alone, by their places.
    settled: BTreeMap<usize, CaseReport>,
}

impl Open {
    /// Whether a case goes round in circles, by its place.
    fn is_cyclic(&self, case: usize) -> bool {
        let found = self.cases.get(case);
        found.is_some_and(|found| found.traces.iter().any(|&trace| self.traces.traces[trace].is_cyclic()))
    }

    /// A case with what was accepted on its way, in the place of its own invariant.
    fn on_the_way(&self, found: &Found, vocabulary: &Vocabulary) -> Found {
        let mut found = found.clone();
        found.case.invariant = Formula::All(self.path_invariants.clone());
        found.made = self.automaton.made(vocabulary);
        found
    }
}

impl<'p> Summarizer<'p, '_> {
    fn function(mut self) -> Vec<LoopReport> {
        let mut opens: BTreeMap<usize, Open> = BTreeMap::new();
        let mut reports = Vec::new();
        for nest in self.abstraction.nests() {
            let is_own = |one: &&usize| self.abstraction.abstract_loops()[**one].function == self.function;
            let own: Vec<usize> = nest.iter().filter(is_own).copied().collect();
            for &abstract_loop in &own {
                let Some(id) = self.loop_of(abstract_loop) else { continue };
                opens.extend(self.open(abstract_loop, id).map(|open| (abstract_loop, open)));
            }
            // Where a case goes round in circles, its invariant is hard, and simpler invariants are often enough.
            self.offer(&nest, &mut opens, false);
            self.offer_path_invariants(&nest, &mut opens, true);
            self.settle(&nest, &mut opens);
            self.offer(&nest, &mut opens, true);
            self.offer_path_invariants(&nest, &mut opens, false);
            // Whether a loop is left for sure hangs on the loops in it.
            let mut described = Vec::new();
            for &abstract_loop in own.iter().rev() {
                let Some(id) = self.loop_of(abstract_loop) else { continue };
                let mut report = match opens.remove(&abstract_loop) {
                    Some(open) => self.report(open),
                    None => self.nothing(abstract_loop, id),
                };
                let abstract_loops = self.abstraction.abstract_loops();
                let ends = |one: usize| described.iter().any(|(other, ends)| *other == one && *ends);
                let mut inner =
                    (0..abstract_loops.len()).filter(|&one| abstract_loops[one].outer == Some(abstract_loop));
                if !inner.all(ends) {
                    report.cases.iter_mut().for_each(|case| case.case.exact = false);
                }
                described.push((abstract_loop, is_exact(&report)));
                reports.push(report);
            }
        }
        reports.sort_by_key(|report| report.place.as_ref().map(|place| (place.line, place.column)));
        reports.retain(|report: &LoopReport| {
            let line = report.place.as_ref().map(|place| place.line);
            self.request.line.is_none_or(|wanted| line == Some(wanted))
        });
        reports
    }

    fn loop_of(&self, abstract_loop: usize) -> Option<LoopId> {
        self.forest.with_head(self.abstraction.abstract_loops()[abstract_loop].head)
    }

    fn open(&mut self, abstract_loop: usize, id: LoopId) -> Option<Open> {
        let dominators = PostDominators::of(self.forest.graph());
        let mut budget = self.budget.part(STEPS).within(TIME);
        let vocabulary = &self.vocabulary;
        let names = &self.request.variables;
        let is_wanted = |quantity: &Quantity| {
            names.is_empty() || names.iter().any(|name| quantity.variable.as_str() == name)
        };
        let wanted = vocabulary.iter().filter(|(_, quantity)| is_wanted(quantity));
        let wanted: Vec<VariableId> = wanted.map(|(variable, _)| *variable).collect();
        let effects = Criterion::Effects(&wanted);
        let automaton = [effects, Criterion::Exits].into_iter().find_map(|criterion| {
            let slice = Slice::of(self.body, self.forest, &dominators, id, criterion);
            let integers = self.request.integers;
            Automaton::of(self.program, self.body, self.forest, id, &slice, integers, &mut budget)
        });
        let mut automaton = automaton?.connected(&mut budget);
        let known = self.known_at_entry(abstract_loop);
        let traces = automaton.traces(&known, &mut budget);
        let cases = automaton.cases(&traces, &known, vocabulary, &mut budget).unwrap_or_default();
        let counted =
            if cases.is_empty() { automaton.counted(vocabulary, &mut budget) } else { Counted::default() };
        let accepted = vec![false; cases.len() + counted.invariants.len()];
        Some(Open {
            id,
            abstract_loop,
            automaton,
            traces,
            cases,
            counted,
            accepted,
            path_invariants: Vec::new(),
            settled: BTreeMap::new(),
        })
    }

    /// Variables whose value at entry is one number.
    fn known_at_entry(&self, abstract_loop: usize) -> Vec<Atom> {
        let entries = &self.abstraction.abstract_loops()[abstract_loop].entries;
        let Some(entry) = entries.first() else { return Vec::new() };
        let terms = &self.abstraction.encoder().terms;
        let mut known = Vec::new();
        for &variable in self.vocabulary.keys() {
            let Value::Scalar(term) = entry.variable(variable) else { continue };
            let signed = match self.program.variable(self.body, variable).ty {
                Type::Integer(ty) => ty.signed,
                _ => false,
            };
            let number = match terms.known(term) {
                Some(logic::Value::BitVector(bits)) if signed => bits.to_i128().map(Into::into),
                Some(logic::Value::BitVector(bits)) => bits.to_u128().map(Into::into),
                Some(logic::Value::Integer(number)) => Some(number.clone()),
                Some(logic::Value::Bool(truth)) => Some(i64::from(*truth).into()),
                _ => None,
            };
            known.extend(number.map(|number| vocabulary::entry_is(variable, &number)));
        }
        known
    }

    /// Puts the invariants of the cases of a nest to the kernel: those that go round in circles, or the others.
    fn offer(&mut self, nest: &[usize], opens: &mut BTreeMap<usize, Open>, circles: bool) {
        let mut candidates = Vec::new();
        let mut places = Vec::new();
        // Inner loops first: what they do is part of the iterations of those around them.
        for &abstract_loop in nest.iter().rev() {
            let Some(open) = opens.get(&abstract_loop) else { continue };
            let cases = open.cases.iter().map(|found| vocabulary::invariant(&found.case));
            for (place, formula) in cases.chain(open.counted.invariants.iter().cloned()).enumerate() {
                if open.is_cyclic(place) != circles || open.settled.contains_key(&place) {
                    continue;
                }
                candidates.push(Candidate { abstract_loop, formula });
                places.push((abstract_loop, place));
            }
        }
        let accepted = self.accept(nest, &candidates);
        for ((abstract_loop, place), accepted) in places.into_iter().zip(accepted) {
            if let Some(open) = opens.get_mut(&abstract_loop) {
                open.accepted[place] = accepted;
            }
        }
    }

    /// Asks the kernel about the cases that go round in circles, with what it has accepted on their way.
    fn settle(&mut self, nest: &[usize], opens: &mut BTreeMap<usize, Open>) {
        for &abstract_loop in nest.iter().rev() {
            let Some(open) = opens.get_mut(&abstract_loop) else { continue };
            for (place, found) in open.cases.iter().enumerate() {
                if found.never || !open.is_cyclic(place) {
                    continue;
                }
                let report = self.case(abstract_loop, &open.on_the_way(found, &self.vocabulary));
                if report.strength == Strength::Confirmed && report.counted == Strength::Confirmed {
                    open.settled.insert(place, report);
                }
            }
        }
    }

    /// Puts simpler invariants to the kernel: on the way of cases that go round in circles, or where it has not
    /// accepted the invariant of a case.
    fn offer_path_invariants(
        &mut self,
        nest: &[usize],
        opens: &mut BTreeMap<usize, Open>,
        circles_only: bool,
    ) {
        let mut candidates: Vec<Candidate> = Vec::new();
        for &abstract_loop in nest.iter().rev() {
            let Some(open) = opens.get_mut(&abstract_loop) else { continue };
            for (place, found) in open.cases.iter().enumerate() {
                let done = open.accepted[place] || open.settled.contains_key(&place);
                if done || found.never || (circles_only && !open.is_cyclic(place)) {
                    continue;
                }
                let trace = &open.traces.traces[found.traces[0]];
                let guard = &found.case.guard;
                let invariants = open.automaton.path_invariants(trace, guard, &self.vocabulary);
                candidates.extend(invariants.into_iter().map(|formula| Candidate { abstract_loop, formula }));
            }
        }
        let accepted = self.accept(nest, &candidates);
        for (candidate, _) in candidates.into_iter().zip(accepted).filter(|(_, accepted)| *accepted) {
            if let Some(open) = opens.get_mut(&candidate.abstract_loop) {
                open.path_invariants.push(candidate.formula);
            }
        }
    }

    fn report(&mut self, mut open: Open) -> LoopReport {
        let abstract_loop = open.abstract_loop;
        let mut report = self.nothing(abstract_loop, open.id);
        report.why = None;
        report.kind = Some(open.automaton.classify(&open.traces));
        report.automaton = Some(open.automaton.report(&self.vocabulary));
        report.others = self.others(&open);
        let guards = Formula::Any(open.cases.iter().map(|found| found.case.guard.clone()).collect());
        report.covered = strength(self.holds_at(abstract_loop, Edge::Entry, &guards));
        let cases = std::mem::take(&mut open.cases);
        for (place, mut found) in cases.into_iter().enumerate() {
            if !open.accepted[place] {
                found = open.on_the_way(&found, &self.vocabulary);
            }
            let case = match open.settled.remove(&place) {
                Some(case) => case,
                None => self.case(abstract_loop, &found),
            };
            let describe =
                |&trace: &usize| open.automaton.describe(&open.traces.traces[trace], &self.vocabulary);
            let traces = found.traces.iter().map(describe);
            report.cases.push(CaseReport { traces: traces.collect(), never: found.never, ..case });
        }
        if report.cases.is_empty() {
            report.covered = Strength::NotShown;
            let why = if open.traces.complete && !open.traces.irregular {
                "what its paths depend on, or how often one is taken, has no simple form"
            } else {
                "the paths of the loop alternate in a way that is not periodic"
            };
            report.why = Some(String::from(why));
            self.without_cases(open, &mut report);
        }
        report
    }

    /// What a loop may change that its automaton does not speak of: by names, and memory as a whole.
    fn others(&self, open: &Open) -> Vec<String> {
        let vocabulary = &self.vocabulary;
        let described = open.automaton.changed();
        // Where a case is an effect, it names what is followed.
        let followed = |variable: &VariableId| {
            let is_named = |found: &Found| {
                let effect = &found.case.effect;
                found.never
                    || found.case.relation != Formula::True
                    || effect.iter().any(|update| vocabulary.get(variable) == Some(&update.quantity))
            };
            described.contains(variable)
                && vocabulary.contains_key(variable)
                && open.cases.iter().all(is_named)
        };
        let name = |variable: VariableId| self.program.variable(self.body, variable).name.clone();
        let unnamed =
            described.iter().filter(|variable| vocabulary.contains_key(variable) && !followed(variable));
        let mut others: BTreeSet<String> = unnamed.map(|&variable| name(variable)).collect();
        let statements = |body: &'p Body| {
            let blocks = self.forest.blocks(open.id).iter().filter_map(|&block| body.blocks.get(block));
            blocks.flat_map(|block| &block.statements)
        };
        let memory = statements(self.source).any(|statement| {
            matches!(
                statement.kind,
                StatementKind::Store { .. }
                    | StatementKind::Copy { .. }
                    | StatementKind::Fill { .. }
                    | StatementKind::Call { .. }
                    | StatementKind::Unknown { .. }
            )
        });
        for statement in statements(self.body) {
            let Some(target) = statement.kind.target() else { continue };
            if is_of_source(self.program.variable(self.body, target)) && !followed(&target) {
                others.insert(name(target));
            }
        }
        others.into_iter().chain(memory.then(|| String::from("memory"))).collect()
    }

    /// What is known of a loop whatever the order of its paths.
    fn without_cases(&mut self, open: Open, report: &mut LoopReport) {
        let Counted { effect, invariants, left } = open.counted;
        report.counted = effect;
        let confirmed = invariants.into_iter().zip(&open.accepted).filter(|(_, accepted)| **accepted);
        let invariants: Vec<Formula> =
            confirmed.map(|(invariant, _)| invariant).chain(left.clone()).collect();
        for invariant in invariants {
            if self.holds_at(open.abstract_loop, Edge::Exit, &invariant) {
                report.left.push(invariant);
            } else if Some(&invariant) != left.as_ref() {
                report.invariants.push(invariant);
            }
        }
    }

    /// Asks the kernel about a case, with what it has accepted at the head.
    fn case(&mut self, abstract_loop: usize, found: &Found) -> CaseReport {
        let case = &found.case;
        let effect = if found.never {
            Formula::False
        } else {
            // What has divisions in it stands in the relation without them.
            let updates = case.effect.iter().filter(|update| {
                !matches!(update.value, Expression::Quotient { .. }) || case.relation == Formula::True
            });
            let updates =
                updates.map(|update| update.quantity.at(evidence::Moment::Now).equals(update.value.clone()));
            Formula::All(updates.chain([case.relation.clone()]).collect())
        };
        let effect = (!case.guard.clone()).or(effect);
        let holds = self.holds_at(abstract_loop, Edge::Exit, &effect);
        let counted = match (&found.made, &case.iterations) {
            (Some(made), Some(total)) => {
                let count = Count { guard: &case.guard, made, total };
                self.abstraction.counts(abstract_loop, &count, EFFORT, &mut self.budget) == Ok(true)
            }
            _ => false,
        };
        let exact = case.exact && holds && (found.never || counted);
        CaseReport {
            case: Case { exact, ..case.clone() },
            traces: Vec::new(),
            never: false,
            strength: strength(holds),
            counted: strength(counted),
        }
    }

    /// Which candidates the kernel accepts.
    fn accept(&mut self, nest: &[usize], candidates: &[Candidate]) -> Vec<bool> {
        if candidates.is_empty() {
            return Vec::new();
        }
        self.abstraction.accept(nest, candidates, EFFORT, &mut self.budget)
    }

    /// Whether the kernel shows that a formula holds on an edge of a loop.
    fn holds_at(&mut self, abstract_loop: usize, edge: Edge, formula: &Formula) -> bool {
        self.abstraction.holds_at(abstract_loop, edge, formula, EFFORT, &mut self.budget) == Ok(true)
    }

    /// A loop of which nothing is said.
    fn nothing(&self, abstract_loop: usize, id: LoopId) -> LoopReport {
        let name = self.forest.iter().position(|(other, _)| other == id).map(|place| &self.names[place]);
        let abstract_loop = &self.abstraction.abstract_loops()[abstract_loop];
        let location = name.map_or(abstract_loop.location, |name| name.location);
        LoopReport {
            function: self.program.functions[self.function].name.clone(),
            name: name.map(ToString::to_string).unwrap_or_default(),
            place: Place::of(self.program, location),
            kind: None,
            automaton: None,
            cases: Vec::new(),
            covered: Strength::NotShown,
            counted: Vec::new(),
            invariants: Vec::new(),
            left: Vec::new(),
            why: Some(String::from("the loop has too many paths")),
            others: Vec::new(),
        }
    }
}

/// The variables that are spoken of, by their names in evidence.
fn vocabulary_of(program: &Program, body: &Body, names: &BTreeMap<Name, Named>) -> Vocabulary {
    let mut vocabulary = Vocabulary::new();
    for (name, named) in names.iter() {
        let Named::Variable(variable) = *named else { continue };
        let description = program.variable(body, variable);
        let quantity = match description.ty {
            Type::Pointer => Quantity::offset(name.clone()),
            Type::Float(_) => continue,
            _ => Quantity::value(name.clone()),
        };
        if is_of_source(description) {
            vocabulary.insert(variable, quantity);
        }
    }
    vocabulary
}

/// Whether a variable is for people: what was added to the program is not.
fn is_of_source(variable: &Variable) -> bool {
    variable.origin != Origin::Temporary && variable.location != Location::unknown()
}

/// Whether the kernel has confirmed that a loop does what its cases say, whatever the state at entry, and is left.
fn is_exact(report: &LoopReport) -> bool {
    let sure = |case: &CaseReport| case.case.exact && !case.never;
    report.covered == Strength::Confirmed && !report.cases.is_empty() && report.cases.iter().all(sure)
}

const fn strength(confirmed: bool) -> Strength {
    if confirmed { Strength::Confirmed } else { Strength::Shown }
}
