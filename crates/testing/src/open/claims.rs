//! What Loopscope claims of a part on its own, and of the whole program.

use std::path::Path;
use std::time::Duration;

use base::Budget;
use certify::Stopping;
use clients::Verdict;
use clients::alarms::{Alarms, Request as Listed, USUAL};
use clients::bounds::Bounds;
use clients::refute::Query;
use clients::summarize::{Request as Summarised, summarize};
use clients::tests::{Method, Request as Tested, Wanted, tests};
use clients::variance::{Domain, Request as Varied, variance};
use clients::{Property, verify};
use evidence::{Argued, CaseReport, Count, Goal, Reach, Strength, Target};
use program::interpret::Integers;
use program::{Obligation, Program};

use super::project::Project;
use crate::interpretation::{Form, describe, prepare};
use crate::termination;

/// So many iterations are followed (`whole.c`).
const MOST_ITERATIONS: u64 = 1_000_000;

/// A claim, and which answer it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    /// What is claimed.
    pub what: What,
    /// The command and its answer.
    pub by: String,
}

/// What is claimed of all runs.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// A loop stops.
    Stops(usize),
    /// A loop makes at most so many iterations in a visit.
    AtMost(usize, Box<Count>),
    /// What a loop does in a case.
    Case(usize, Box<CaseReport>),
    /// All runs end.
    Ends,
    /// No run calls the error function; or not on this line.
    NoError(Option<u32>),
    /// Every access is good.
    GoodAccesses,
    /// No signed operation overflows.
    NoOverflow,
    /// The only run calls the error function.
    Error,
    /// The only run never ends.
    Nontermination,
}

/// What was asked, and the claims.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Claimed {
    /// How many queries were asked.
    pub queries: usize,
    /// The claims.
    pub claims: Vec<Claim>,
}

/// Asks what can be asked of a project in a folder; a lot decides on some of the queries. Each may take so long.
///
/// # Errors
/// If the part is no program for us: nothing is claimed then.
pub fn claims(project: &Project, folder: &Path, lot: u64, time: Duration) -> Result<Claimed, String> {
    let (raw, part) = read(project, folder, &["part.c"])?;
    let whole = if lot % 4 == 2 { read(project, folder, &["part.c", "rest.c"]).ok() } else { None };
    let mut asker = Asker { project, program: &part, time, claimed: Claimed::default() };
    asker.stopping();
    asker.bounds();
    match lot % 3 {
        0 => asker.summaries(),
        1 => asker.variance(),
        _ => {}
    }
    for property in ["unreach-call", "memsafety", "no-overflow", "termination"] {
        asker.verdict(property);
    }
    match (lot % 4, &whole) {
        (0, _) => asker.alarms(),
        (1, _) => asker.tests(&raw),
        (_, Some((_, whole))) => {
            asker.program = whole;
            asker.whole();
        }
        _ => {}
    }
    Ok(asker.claimed)
}

/// Files of a project as a program, as it is read and with the clean-up passes.
fn read(project: &Project, folder: &Path, files: &[&str]) -> Result<(Program, Program), String> {
    let inputs: Vec<c::Input> = if project.flags.is_empty() {
        files.iter().map(|file| c::Input::new(folder.join(file))).collect()
    } else {
        let database = folder.join("compile_commands.json");
        let (listed, _) = c::compile_commands(&database).map_err(|problem| describe(&problem))?;
        let is_wanted = |input: &c::Input| files.iter().any(|file| input.path.ends_with(file));
        listed.into_iter().filter(is_wanted).collect()
    };
    let translation = c::translate(&inputs);
    let is_error = |one: &&c::Diagnostic| one.severity == c::Severity::Error;
    if let Some(error) = translation.diagnostics.iter().find(is_error) {
        return Err(describe(error));
    }
    let mut read = translation.program;
    // Nothing is assumed that a machine may not keep.
    read.world.failing_allocation = true;
    let mut program = read.clone();
    prepare(&mut program, Form::Simplified)?;
    Ok((read, program))
}

struct Asker<'a> {
    project: &'a Project,
    program: &'a Program,
    time: Duration,
    claimed: Claimed,
}

impl Asker<'_> {
    fn budget(&self) -> Budget {
        Budget::unlimited().within(self.time)
    }

    fn claim(&mut self, what: What, by: String) {
        self.claimed.claims.push(Claim { what, by });
    }

    /// The number of the watched loop on a line.
    fn number(&self, line: Option<u32>) -> Option<usize> {
        self.project.loops().find(|(other, _)| Some(*other) == line).map(|(_, number)| number)
    }

    /// What `terminates` says: each function modularly, and then in runs of `main`.
    fn stopping(&mut self) {
        let report = termination::report(self.program, self.time);
        for cycle in report.cycles {
            let line = cycle.place.as_ref().map(|place| place.line);
            let Some(number) = self.number(line) else { continue };
            self.claimed.queries += 1;
            if let Stopping::Stops(stops) = &cycle.answer {
                let why = match stops.why() {
                    // A run that takes so long counts as non-terminating.
                    Argued::Argument { iterations: Some(most), .. } if *most > MOST_ITERATIONS.into() => {
                        continue;
                    }
                    Argued::Argument { argument, .. } => format!("{argument:?}"),
                    other => format!("{other:?}"),
                };
                let by = format!("terminates: {} stops, in runs of {:?}: {why}", cycle.name, stops.entry());
                self.claim(What::Stops(number), by);
            }
        }
    }

    /// What `bounds` says.
    fn bounds(&mut self) {
        let mut bounds = Bounds::new(self.program, Integers::Machine);
        bounds.loop_time = self.time;
        for function in bounds.functions() {
            for one in bounds.of_function(function, &self.budget()) {
                let Some(number) = self.number(one.place.as_ref().map(|place| place.line)) else { continue };
                self.claimed.queries += 1;
                let Some(bound) = &one.bound else { continue };
                for count in [Some(&bound.visit), bound.start.as_ref()].into_iter().flatten() {
                    let exactly = if count.exact { "exactly" } else { "at most" };
                    let by = format!("bounds: {} makes {exactly} {} iterations", one.name, count.iterations);
                    self.claim(What::AtMost(number, Box::new(count.clone())), by);
                }
            }
        }
    }

    /// What `summarize` says.
    fn summaries(&mut self) {
        let integers = Integers::Machine;
        let request = Summarised { function: None, line: None, variables: Vec::new(), integers };
        for one in summarize(self.program, &request, &self.budget(), &|_| {}).loops {
            let Some(number) = self.number(one.place.as_ref().map(|place| place.line)) else { continue };
            self.claimed.queries += 1;
            for case in one.cases {
                let (guard, never) = (&case.case.guard, case.never);
                let iterations = case.case.iterations.as_ref().map(ToString::to_string);
                let by = format!(
                    "summarize: {} if {guard}: complete iterations {iterations:?}, never left: {never}",
                    one.name
                );
                self.claim(What::Case(number, Box::new(case)), by);
            }
        }
    }

    /// What `variance` says.
    fn variance(&mut self) {
        let function = self.project.entry.to_owned();
        let request = Varied { function, domain: Domain::Octagon, integers: Integers::Machine, line: None };
        let Ok(report) = variance(self.program, &request, &self.budget()) else { return };
        for one in report.cutpoints {
            let Some(number) = self.number(one.around.as_ref().map(|place| place.line)) else { continue };
            self.claimed.queries += 1;
            if one.head && one.local_termination == Strength::Confirmed {
                self.claim(What::Stops(number), format!("variance: the loop at {:?} is left", one.around));
            }
        }
        if report.terminates == Some(Strength::Confirmed) {
            self.claim(What::Ends, String::from("variance: every run ends"));
        }
    }

    fn ask(&mut self, property: Property, function: &str) -> Verdict {
        self.claimed.queries += 1;
        let query = Query { property, function: function.to_owned(), integers: Integers::Machine };
        verify(self.program, &query, &self.budget(), &mut |_| {})
    }

    /// What `verify` says of the part.
    fn verdict(&mut self, name: &str) {
        let Ok(property) = Property::from_name(name) else { return };
        let entry = self.project.entry;
        if matches!(self.ask(property, entry), Verdict::Proved(_)) {
            self.claim(proved(name), format!("verify --property {name} --function {entry} part.c: TRUE"));
        }
    }

    /// What `verify` says of the whole program, which has one run unless it has choices.
    fn whole(&mut self) {
        for name in ["unreach-call", "termination"] {
            let Ok(property) = Property::from_name(name) else { continue };
            let by = format!("verify --property {name} part.c rest.c");
            match self.ask(property, "main") {
                Verdict::Proved(_) => self.claim(proved(name), format!("{by}: TRUE")),
                Verdict::Refuted { .. } if !self.project.has_choices => {
                    let what = if name == "termination" { What::Nontermination } else { What::Error };
                    self.claim(what, format!("{by}: FALSE"));
                }
                _ => {}
            }
        }
    }

    /// What `alarms` says of error calls.
    fn alarms(&mut self) {
        let function = Some(self.project.entry.to_owned());
        let request = Listed { kinds: USUAL, function, integers: Integers::Machine };
        let Ok(mut alarms) = Alarms::new(self.program, &request) else { return };
        while let Some(function) = alarms.next_function() {
            let examined = alarms.examine(function, &self.budget(), &mut |_| {});
            alarms.add(function, examined);
        }
        for one in alarms.finish().obligations() {
            if one.obligation != Obligation::ReachError {
                continue;
            }
            self.claimed.queries += 1;
            // What is proved under a contract is no claim about other calls.
            let is_claimed = ["proved", "unreachable"].contains(&one.status.name());
            if let (true, Some(place)) = (is_claimed, &one.place) {
                self.claim(
                    What::NoError(Some(place.line)),
                    format!("alarms: line {} is {}", place.line, one.status.name()),
                );
            }
        }
    }

    /// What `tests` says of branches that call the error function.
    fn tests(&mut self, raw: &Program) {
        let function = self.project.entry.to_owned();
        let request = Tested { function, wanted: Wanted::Branches, method: Method::All };
        let Ok(suite) = tests(raw, &request, &self.budget(), &mut |_| {}) else { return };
        let line_of = |target: &Target| target.place.as_ref().map(|place| place.line);
        for target in &suite.targets {
            // A line with several conditions does not tell which one leads to the error.
            let others = suite.targets.iter().filter(|other| line_of(other) == line_of(target)).count();
            let Some(line) = line_of(target).filter(|_| others == 2) else { continue };
            self.claimed.queries += 1;
            if target.status == Reach::Unreachable && target.goal == (Goal::Condition { holds: true }) {
                self.claim(What::NoError(Some(line)), format!("tests: line {line}: true is unreachable"));
            }
        }
    }
}

/// What a `TRUE` means.
fn proved(property: &str) -> What {
    match property {
        "unreach-call" => What::NoError(None),
        "memsafety" => What::GoodAccesses,
        "no-overflow" => What::NoOverflow,
        _ => What::Ends,
    }
}
