//! Holds variance analyses against runs: generated programs are analysed and then run.
//!
//! What an analysis says of a loop's head must be so at every visit of a run that does nothing undefined, and between
//! every two visits of a run that has not left the loop in between. No kernel stands in between here: it is the
//! domains, the translation and the fixpoints that are examined.

use std::path::Path;

use base::Budget;
use certify::abstraction::names;
use engines::variance::{
    DomainName, Names, Numeric, Related, Scope, Variance, analyse_with, forests, heads, is_of_source,
};
use evidence::{Formula, Moment};
use loops::LoopForest;
use program::interpret::{Integers, ObligationSet, Options};
use program::{BlockId, FunctionId, Program};

use crate::abstraction::invariants::States;
use crate::abstraction::record::{Recording, Visit, record};
use crate::abstraction::{tree, writer};
use crate::interpretation::{Form, prepare, translate};

/// How much was examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Heads of loops that were analysed.
    pub heads: usize,
    /// Visits at which invariance assertions were examined.
    pub visits: usize,
    /// Pairs of visits at which variance assertions were examined.
    pub pairs: usize,
}

/// Analyses the program of a seed with a domain, and runs it.
///
/// # Errors
/// What a run refutes.
pub fn check(folder: &Path, seed: u64, domain: DomainName, counts: &mut Counts) -> Result<(), String> {
    let source = folder.join(format!("variance-{}-{seed}.c", std::process::id()));
    std::fs::write(&source, tree::text(&writer::program(seed))).map_err(|error| error.to_string())?;
    let translated = translate(&source, &[]);
    let _ = std::fs::remove_file(&source);
    let Ok(mut program) = translated else { return Ok(()) };
    if prepare(&mut program, Form::Simplified).is_err() {
        return Ok(());
    }
    let Some(main) = program.function_named("main") else { return Ok(()) };
    let Some(numeric) = Numeric::of(&program, main, Integers::Machine, &Scope::default()) else {
        return Ok(());
    };
    let all = forests(&program, &numeric);
    let cutpoints = heads(&program, &numeric, &all);
    let is_named = |dimension| is_of_source(&program, &numeric, dimension);
    let mut budget = Budget::steps(200_000);
    let Ok(variances) = analyse_with(domain, &numeric, &all, &cutpoints, &is_named, &mut budget) else {
        return Ok(());
    };
    let options =
        Options { checks: ObligationSet::ALL, memory: 1 << 22, call_depth: 50, ..Options::default() };
    for number in 0..4 {
        let recording = record(&program, main, &options, seed.wrapping_mul(31).wrapping_add(number), 4_000);
        if recording.run.imprecise.is_some() {
            continue;
        }
        for variance in
            variances.iter().filter(|variance| numeric.frames[variance.cutpoint.frame].caller.is_none())
        {
            let head = Head { program: &program, main, numeric: &numeric, variance };
            head.compare(&recording, counts).map_err(|message| format!("run {number}: {message}"))?;
        }
    }
    counts.heads += variances.len();
    Ok(())
}

/// What is said of a loop's head.
struct Head<'a> {
    program: &'a Program,
    main: FunctionId,
    numeric: &'a Numeric,
    variance: &'a Variance,
}

impl Head<'_> {
    fn compare(&self, recording: &Recording, counts: &mut Counts) -> Result<(), String> {
        let Some(body) = self.program.functions[self.main].body() else { return Ok(()) };
        let (words, named) =
            (Names::of(self.program, self.numeric, self.variance.cutpoint.frame), names(self.program, body));
        let invariant = self.disjunction(&words, Moment::Now, |related| {
            self.variance.invariants.iter().map(|all| all.iter().map(related).collect()).collect()
        });
        let variance: Option<Formula> = any(self.variance.assertions.iter().map(|assertion| {
            let parts = assertion.constraints.iter();
            parts.filter_map(|related| words.formula(related, Moment::Now, Moment::Entry)).collect()
        }));
        let outside = self.outside(body);
        let head = self.variance.cutpoint.head;
        let mut earlier: Vec<&Visit> = Vec::new();
        for visit in recording.visits.iter().filter(|visit| visit.function == self.main) {
            if outside.contains(&visit.head) {
                earlier.clear();
            }
            if visit.head != head {
                continue;
            }
            let here = |formula: &Option<Formula>, entry| {
                let states = States { names: &named, entry, now: visit };
                formula.as_ref().map_or(Some(false), |formula| states.holds(formula))
            };
            counts.visits += 1;
            if here(&invariant, visit) == Some(false) {
                return Err(self.message("is at", visit, visit));
            }
            // The first visits and the last ones say most.
            let tried: Vec<&Visit> =
                earlier.iter().take(3).chain(earlier.iter().rev().take(3)).copied().collect();
            for before in tried {
                counts.pairs += 1;
                if here(&variance, before) == Some(false) {
                    return Err(self.message("comes after", before, visit));
                }
            }
            earlier.push(visit);
        }
        Ok(())
    }

    fn disjunction(
        &self,
        words: &Names,
        now: Moment,
        parts: impl FnOnce(&dyn Fn(&domains::Constraint) -> Related) -> Vec<Vec<Related>>,
    ) -> Option<Formula> {
        let related = |constraint: &domains::Constraint| Related {
            expression: constraint.expression.renamed(engines::variance::Spoken::Now),
            relation: constraint.relation,
        };
        any(parts(&related)
            .into_iter()
            .map(|all| all.iter().filter_map(|related| words.formula(related, now, Moment::Entry)).collect()))
    }

    /// The heads of the loops that are not in this one: a run that is there has left it.
    fn outside(&self, body: &program::Body) -> Vec<BlockId> {
        let forest = LoopForest::of(body);
        let within = self.variance.cutpoint.within;
        let heads = forest.iter().map(|(_, other)| other.head);
        heads.filter(|&head| !forest.contains(within, head)).collect()
    }

    fn message(&self, what: &str, before: &Visit, now: &Visit) -> String {
        let place = self.program.describe(self.variance.cutpoint.location);
        format!("{place}: {:?} {what} {:?}, against {:?}", now.numbers, before.numbers, self.variance)
    }
}

/// One of these conjunctions. Nothing if there is none, which never holds.
fn any(parts: impl Iterator<Item = Vec<Formula>>) -> Option<Formula> {
    let parts: Vec<Formula> = parts.map(Formula::All).collect();
    (!parts.is_empty()).then_some(Formula::Any(parts))
}
