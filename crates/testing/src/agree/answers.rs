//! The answers of all commands about one program.

use std::time::Duration;

use base::Budget;
use certify::{Listing, TerminationReport};
use clients::alarms::{ALL, Alarms, Request as Listed};
use clients::bounds;
use clients::confirm::confirm;
use clients::refute::Query;
use clients::summarize::{Request as Summarised, summarize};
use clients::tests::{Method, Request as Tested, Wanted, tests};
use clients::variance::{Domain, Request as Varied, variance};
use clients::{Proof, Verdict};
use clients::{Property, verify};
use evidence::{BoundsReport, Suite, SummaryReport, VarianceReport};
use program::Program;
use program::interpret::Integers;

use crate::termination;

/// The properties that are asked for.
pub const PROPERTIES: [&str; 4] = ["unreach-call", "memsafety", "no-overflow", "termination"];

/// What all commands say of a program, as far as they say something in time.
pub struct Answers {
    /// `verify`, with what `certify` makes of its proof.
    pub verdicts: Vec<Judged>,
    /// `terminates`.
    pub termination: TerminationReport,
    /// `bounds`.
    pub bounds: BoundsReport,
    /// `summarize`.
    pub summaries: SummaryReport,
    /// `variance`.
    pub variance: Option<VarianceReport>,
    /// `alarms`.
    pub listing: Option<Listing>,
    /// `tests`.
    pub suite: Option<Suite>,
}

/// An answer of `verify`.
pub struct Judged {
    /// The name of the property.
    pub name: &'static str,
    /// The property.
    pub property: Property,
    /// The answer.
    pub verdict: Verdict,
    /// What comes of checking the proof, if it is one about loops.
    pub certified: Option<Verdict>,
}

/// A program in both forms, and where its runs start.
pub struct Subject<'a> {
    /// As the front end made it.
    pub raw: &'a Program,
    /// After the clean-up passes.
    pub program: &'a Program,
    /// The function that runs start in.
    pub entry: &'a str,
}

impl Subject<'_> {
    /// Asks everybody. Each query may take so long.
    pub fn ask(&self, time: Duration) -> Answers {
        let budget = || Budget::unlimited().within(time);
        let (integers, function) = (Integers::Machine, self.entry.to_owned());
        let verdicts = PROPERTIES.into_iter().filter_map(|name| self.verdict(name, &budget())).collect();
        let everything = Summarised { function: None, line: None, variables: Vec::new(), integers };
        let varied = Varied { function: function.clone(), domain: Domain::Octagon, integers, line: None };
        let tested = Tested { function, wanted: Wanted::Branches, method: Method::All };
        Answers {
            verdicts,
            termination: termination::report(self.program, time),
            bounds: bounds::run(self.program, integers, None, &budget(), &|_| {}),
            summaries: summarize(self.program, &everything, &budget(), &|_| {}),
            variance: variance(self.program, &varied, &budget()).ok(),
            listing: self.listing(&budget()),
            suite: tests(self.raw, &tested, &budget(), &mut |_| {}).ok(),
        }
    }

    fn verdict(&self, name: &'static str, budget: &Budget) -> Option<Judged> {
        let property = Property::from_name(name).ok()?;
        let query = Query { property, function: self.entry.to_owned(), integers: Integers::Machine };
        let verdict = verify(self.program, &query, budget, &mut |_| {});
        let certified = match &verdict {
            Verdict::Proved(certificate) => Proof::of(certificate.evidence(), *certificate.mode())
                .map(|proof| confirm(self.program, &query, &proof, budget).verdict),
            _ => None,
        };
        Some(Judged { name, property, verdict, certified })
    }

    fn listing(&self, budget: &Budget) -> Option<Listing> {
        let function = Some(self.entry.to_owned());
        let request = Listed { kinds: ALL, function, integers: Integers::Machine };
        let mut alarms = Alarms::new(self.program, &request).ok()?;
        while let Some(function) = alarms.next_function() {
            let examined = alarms.examine(function, budget, &mut |_| {});
            alarms.add(function, examined);
        }
        Some(alarms.finish())
    }

    /// Whether `tests` says that no run comes to a line.
    pub fn is_unreachable(&self, file: &str, line: u32, time: Duration) -> bool {
        let wanted = Wanted::Line { file: file.to_owned(), line };
        let request = Tested { function: self.entry.to_owned(), wanted, method: Method::All };
        let suite = tests(self.raw, &request, &Budget::unlimited().within(time), &mut |_| {});
        suite.is_ok_and(|suite| {
            suite.targets.iter().any(|target| target.status == evidence::Reach::Unreachable)
        })
    }
}
