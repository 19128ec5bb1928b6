//! Variance analyses as a client: local termination predicates, one by one, and whether the whole program ends.
//!
//! The analysis is that of [`engines::variance`]; what it finds is put to the kernel, which also says whether nothing
//! undefined happens and no path is left out when it comes to the whole program.

use base::Budget;
use certify::abstraction::{Abstraction, Effort};
use certify::{Claim, Subject};
use engines::variance::{
    self, Cutpoint, DomainName, Forests, Names, Numeric, Scope, Variance, offer_arguments, offer_invariants,
};
use evidence::{
    CutpointReport, GapReport, Overflow, Place, ProofMode, Property, Reason, Strength, VarianceAssertion,
    VarianceReport,
};
use program::interpret::Integers;
use program::{FunctionId, Program};

use crate::refute::entry;
use crate::termination::loops::blocks;

mod shapes;

pub use engines::variance::DomainName as Domain;

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The function that runs start in.
    pub function: String,
    /// The domain.
    pub domain: DomainName,
    /// What integers are.
    pub integers: Integers,
    /// Only the cutpoints of this line.
    pub line: Option<u32>,
}

/// Analyses a program.
///
/// # Errors
/// If the function cannot be analysed, or the budget ends.
pub fn variance(program: &Program, request: &Request, budget: &Budget) -> Result<VarianceReport, Reason> {
    let function = entry(program, &request.function)?;
    let mut budget = budget.clone();
    if request.domain == DomainName::Shape
        && let Some(outcome) = shapes::analyse(program, function, request, &mut budget)
    {
        return outcome;
    }
    let found = find(program, function, request, &mut budget)?;
    let claim = Claim { function, property: Property::Termination, integers: request.integers };
    let subject = Subject::of(program, claim);
    let effort = Effort::default();
    let abstraction =
        Abstraction::new(&subject, ProofMode::abstraction(1, Overflow::Excluded), &mut budget).ok();
    let mut confirmed = vec![false; found.variances.len()];
    let mut whole = false;
    if let Some(mut abstraction) = abstraction {
        let Found { numeric, variances, .. } = &found;
        offer_invariants(program, numeric, variances, &mut abstraction, effort, &mut budget);
        offer_arguments(program, numeric, variances, &mut abstraction, effort, &mut budget);
        // A place in a body comes up once in an iteration, so that its loop speaks for it.
        let is_left = |variance: &Variance| {
            let Cutpoint { frame, within, .. } = variance.cutpoint;
            let function = numeric.frames[frame].function;
            let (function, blocks) = blocks(function, &found.forests[&function], within);
            abstraction.stops(function, &blocks, effort, &mut budget).is_some()
        };
        confirmed = variances.iter().map(is_left).collect();
        whole = request.line.is_none() && abstraction.conclude(effort, &mut budget).is_some();
    }
    let strengths: Vec<Strength> = found.variances.iter().zip(&confirmed).map(strength).collect();
    let all = found.numeric.gaps.is_empty() && strengths.iter().all(|one| *one != Strength::NotShown);
    let terminates = match (whole, all) {
        (true, _) => Strength::Confirmed,
        (false, true) => Strength::Shown,
        (false, false) => Strength::NotShown,
    };
    let chosen = found.variances.iter().zip(&strengths).zip(&found.kept).filter(|(_, kept)| **kept);
    let cutpoints =
        chosen.map(|((one, strength), _)| report(program, &found.numeric, one, *strength)).collect();
    Ok(reported(program, request, &found.numeric, cutpoints, terminates))
}

/// The report on some cutpoints, with what the analysis does not follow.
fn reported(
    program: &Program,
    request: &Request,
    numeric: &Numeric,
    cutpoints: Vec<CutpointReport>,
    terminates: Strength,
) -> VarianceReport {
    let gap =
        |gap: &variance::Gap| GapReport { what: gap.what.clone(), place: Place::of(program, gap.location) };
    VarianceReport {
        function: request.function.clone(),
        domain: request.domain.name().to_owned(),
        integers: request.integers.into(),
        cutpoints,
        terminates: request.line.is_none().then_some(terminates),
        gaps: numeric.gaps.iter().map(gap).collect(),
    }
}

/// Invariants and arguments of variance analyses for the loops of an abstracted program: domain by domain until every
/// loop has an argument. Gives whether every one has.
pub fn argue(
    program: &Program,
    function: FunctionId,
    abstraction: &mut Abstraction<'_>,
    domains: &[DomainName],
    effort: Effort,
    budget: &mut Budget,
) -> bool {
    let is_open = |abstraction: &Abstraction<'_>| {
        (0..abstraction.abstract_loops().len()).any(|abstract_loop| !abstraction.is_argued(abstract_loop))
    };
    for domain in domains {
        if !is_open(abstraction) {
            return true;
        }
        let integers = abstraction.encoder().options.integers;
        let request = Request { function: String::new(), domain: *domain, integers, line: None };
        let Ok(found) = find(program, function, &request, budget) else { continue };
        offer_invariants(program, &found.numeric, &found.variances, abstraction, effort, budget);
        offer_arguments(program, &found.numeric, &found.variances, abstraction, effort, budget);
    }
    !is_open(abstraction)
}

/// What an analysis found.
struct Found {
    numeric: Numeric,
    forests: Forests,
    variances: Vec<Variance>,
    /// Which of them were asked for.
    kept: Vec<bool>,
}

/// Analyses the heads of all loops, and what was asked for besides.
fn find(
    program: &Program,
    function: FunctionId,
    request: &Request,
    budget: &mut Budget,
) -> Result<Found, Reason> {
    let scope = Scope { line: request.line, ..Scope::default() };
    let numeric = Numeric::of(program, function, request.integers, &scope)
        .ok_or_else(|| Reason::NoEntry { function: request.function.clone() })?;
    let forests = variance::forests(program, &numeric);
    let mut cutpoints: Vec<Cutpoint> = variance::heads(program, &numeric, &forests);
    let mut kept = vec![request.line.is_none(); cutpoints.len()];
    if let Some(line) = request.line {
        for place in variance::at_line(program, &numeric, &forests, line) {
            match cutpoints.iter().position(|other| *other == place) {
                Some(at) => kept[at] = true,
                None => {
                    cutpoints.push(place);
                    kept.push(true);
                }
            }
        }
    }
    let is_named = |dimension| variance::is_of_source(program, &numeric, dimension);
    let variances = variance::analyse_with(request.domain, &numeric, &forests, &cutpoints, &is_named, budget);
    let variances = variances.map_err(|failure| reason(request.domain, failure))?;
    Ok(Found { numeric, forests, variances, kept })
}

/// Why an analysis has no result.
fn reason(domain: DomainName, failure: variance::Stopped) -> Reason {
    match failure {
        variance::Stopped::Stopped(stop) => Reason::Budget { stop },
        other => Reason::Internal {
            at: format!("the fixpoint of the {} domain", domain.name()),
            message: other.to_string(),
        },
    }
}

const fn strength((variance, confirmed): (&Variance, &bool)) -> Strength {
    match (confirmed, variance.holds) {
        (true, _) => Strength::Confirmed,
        (false, true) => Strength::Shown,
        (false, false) => Strength::NotShown,
    }
}

fn report(program: &Program, numeric: &Numeric, variance: &Variance, strength: Strength) -> CutpointReport {
    let names = Names::of(program, numeric, variance.cutpoint.frame);
    let assertion = |assertion: &variance::Assertion| VarianceAssertion {
        holds: assertion.shown.iter().filter_map(|one| names.text(one)).collect(),
        ranking: names.ranking(assertion),
    };
    CutpointReport {
        invariants: variance.invariants.iter().map(|way| names.invariant(way)).collect(),
        variances: variance.assertions.iter().map(assertion).collect(),
        local_termination: strength,
        ..place(program, numeric, &variance.cutpoint)
    }
}

/// A cutpoint of which nothing is said.
fn place(program: &Program, numeric: &Numeric, cutpoint: &Cutpoint) -> CutpointReport {
    let frame = &numeric.frames[cutpoint.frame];
    let name = |function: FunctionId| program.functions[function].name.clone();
    let callers = frame.stack.iter().map(|(function, _)| name(*function));
    CutpointReport {
        function: name(frame.function),
        callers: callers.take(frame.stack.len().saturating_sub(1)).collect(),
        place: Place::of(program, cutpoint.location),
        around: Place::of(program, cutpoint.loop_location),
        body_line: cutpoint.body_location.line,
        head: cutpoint.is_head,
        invariants: Vec::new(),
        variances: Vec::new(),
        local_termination: Strength::NotShown,
    }
}
