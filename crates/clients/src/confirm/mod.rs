//! Proves a property from what a witness says about the loops, and from nothing else.
//!
//! ```text
//! manner ─► the program as terms ─► claimed facts, checked ─► claimed arguments why loops are left, checked ─► property
//! ```
//!
//! Nothing is looked for: no proposer and no engine runs, and the kernel accepts or refuses. So a proof is checked in a
//! fraction of the time in which it was found, by a process that knows nothing of how it was found.
//!
//! Known imprecision: the kernel's questions have limits. A claim that is true can be refused because a question about it
//! is too hard on its own.

mod shorten;

use std::time::Duration;

use base::Budget;
use certify::claimed::chains;
use certify::leaps::{Effort, Ending};
use certify::shapes::check_shapes;
use certify::unrolling::{Claim, Depth, Examination, examine};
use certify::{Candidate, Leaping};
use encoding::{Leaps, LooseEnd};
use evidence::{Formula, Manner, Place, Reason, Shapes, Summary, Termination, Verdict};
use logic::solver::Embedded;
use program::interpret::Integers;
use program::{BlockId, FunctionId, Program};

use crate::Property;
use crate::refute::{Question, entry};
use crate::verify::{needed_for, ordered_for};

pub use self::shorten::needed;

/// A proof as a witness tells it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Proof {
    /// How the program is looked at.
    pub manner: Manner,
    /// What is claimed of loops.
    pub claims: Vec<Claimed>,
    /// In place of all that: the shapes of lists, with ranks.
    pub shapes: Option<Shapes>,
}

impl Proof {
    /// The proof that evidence about loops is.
    pub fn of(summaries: &[Summary], manner: Manner) -> Self {
        let mut claims = Vec::new();
        for (leap, summary) in summaries.iter().enumerate() {
            let of = Of::Leap(leap);
            let facts = summary.facts.iter().map(|fact| Statement::Fact(fact.formula.clone()));
            let argument = summary.termination.iter().map(|argument| Statement::Left(argument.clone()));
            claims.extend(facts.chain(argument).map(|what| Claimed { of, what }));
        }
        Self { manner, claims, shapes: None }
    }
}

/// What is claimed of a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Claimed {
    /// Of which one.
    pub of: Of,
    /// What is claimed.
    pub what: Statement,
}

/// The loop of which something is claimed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    /// The loop with this head, wherever it is called from.
    Loop(FunctionId, BlockId),
    /// One leap over it, by its place in the list of leaps.
    Leap(usize),
}

/// What is claimed.
#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    /// It holds whenever control is at the head.
    Fact(Formula),
    /// Why it is left.
    Left(Termination),
}

/// What came of a check.
#[derive(Clone, PartialEq, Debug)]
pub struct Confirmation {
    /// The verdict: proved, or unknown.
    pub verdict: Verdict,
    /// The claims that the kernel did not accept, by their places in the list.
    pub refused: Vec<usize>,
}

/// How much is spent on a question: more than where claims are guesses, since a claim of a witness is worth it.
const EFFORT: Effort =
    Effort { batch: certify::leaps::Batch::All, steps: 80_000, time: Duration::from_secs(8) };

/// How often claims that were refused are tried again after others were accepted.
const AGAIN: usize = 3;

/// Checks a proof.
pub fn confirm(program: &Program, question: &Question, proof: &Proof, budget: &Budget) -> Confirmation {
    let program = &*ordered_for(program, question.property);
    confirm_with(program, question, proof, EFFORT, budget)
}

fn confirm_with(
    program: &Program,
    question: &Question,
    proof: &Proof,
    effort: Effort,
    budget: &Budget,
) -> Confirmation {
    let function = match entry(program, &question.function) {
        Ok(function) => function,
        Err(reason) => return unknown(reason, Vec::new()),
    };
    let any_overflow = proof.manner.leaps.is_some_and(|leaps| leaps.any_overflow);
    let Some(kept) = proof.manner.chains else {
        let confirmation = confirm_from(program, function, question, proof, effort, budget);
        let is_proved = matches!(confirmation.verdict, Verdict::Proved { .. });
        if !is_proved || !wraps(question, proof.manner) {
            return confirmation;
        }
        // A loop that ends only because a number wraps need not end.
        let unbounded = Question { integers: Integers::Mathematical, ..question.clone() };
        return match confirm_from(program, function, &unbounded, proof, effort, budget).verdict {
            Verdict::Proved { .. } => confirmation,
            _ => {
                let what = String::from("that every run ends if numbers have no bounds, too");
                unknown(Reason::NotConfirmed { what, place: None }, Vec::new())
            }
        };
    };
    let is_told = any_overflow || question.integers == Integers::Mathematical;
    let is_meant = question.property == Property::Termination && proof.manner.leaps.is_some() && is_told;
    match chains(program, function, kept).filter(|_| is_meant) {
        Some(chained) => confirm_from(&chained, function, question, proof, effort, budget),
        None => {
            let what = String::from("that chains of calls tell whether every run ends");
            unknown(Reason::NotConfirmed { what, place: None }, Vec::new())
        }
    }
}

/// Whether signed numbers may wrap on the way.
fn wraps(question: &Question, manner: Manner) -> bool {
    question.integers == Integers::Machine
        && question.property == Property::Termination
        && manner.leaps.is_some_and(|leaps| leaps.wraps)
}

fn confirm_from(
    program: &Program,
    function: FunctionId,
    question: &Question,
    proof: &Proof,
    effort: Effort,
    budget: &Budget,
) -> Confirmation {
    let any_overflow = proof.manner.leaps.is_some_and(|leaps| leaps.any_overflow);
    let checks = question.property.obligations();
    let claim = Claim {
        function,
        integers: question.integers,
        checks,
        needed: needed_for(question.property, any_overflow || wraps(question, proof.manner)),
    };
    let mut budget = budget.clone();
    if let Some(claimed) = &proof.shapes {
        return shapes(program, question, function, claimed, &mut budget);
    }
    if proof.manner.only_run {
        return only_run(program, question, function, proof.manner, &mut budget);
    }
    match proof.manner.leaps {
        None => followed(program, &claim, proof.manner, &mut budget),
        Some(leapt) => {
            let leaps = Leaps {
                steps: leapt.passes.clamp(1, MOST_PASSES),
                decided: leapt.decided.min(MOST_DECIDED),
                any_overflow,
            };
            let depth = depth(proof.manner);
            match Leaping::new(program, &claim, depth, leaps, &mut budget) {
                Ok(leaping) => {
                    let (manner, claims) = (proof.manner, &proof.claims);
                    Work { program, question, manner, claims, leaping, effort, budget }.confirmation()
                }
                Err(stop) => unknown(Reason::Budget { stop }, Vec::new()),
            }
        }
    }
}

/// A witness that asks for more has lost all measure.
const MOST_PASSES: u64 = 64;
const MOST_DECIDED: u64 = 1 << 16;
const MOST_FOLLOWED: u64 = 1 << 20;
const MOST_CALLS: usize = 200;

fn depth(manner: Manner) -> Depth {
    Depth {
        passes: manner.passes.min(MOST_FOLLOWED),
        recursion: manner.recursion.min(MOST_CALLS),
        calls: manner.calls.min(MOST_CALLS),
    }
}

fn unknown(reason: Reason, refused: Vec<usize>) -> Confirmation {
    Confirmation { verdict: Verdict::unknown(reason), refused }
}

/// The proof that the only run of a program ends.
fn only_run(
    program: &Program,
    question: &Question,
    function: FunctionId,
    manner: Manner,
    budget: &mut Budget,
) -> Confirmation {
    let wanted = question.property == Property::Termination;
    let run = certify::only_run::only_run(program, function, question.integers, budget).filter(|_| wanted);
    match run {
        Some(run) => {
            let evidence = Box::new(run.certificate.into_evidence());
            Confirmation { verdict: Verdict::Proved { evidence, manner }, refused: Vec::new() }
        }
        None => {
            let what = String::from("that the program has only one run, and that it ends");
            unknown(Reason::NotConfirmed { what, place: None }, Vec::new())
        }
    }
}

/// The proof that every run ends by the shapes of lists.
fn shapes(
    program: &Program,
    question: &Question,
    function: FunctionId,
    claimed: &Shapes,
    budget: &mut Budget,
) -> Confirmation {
    let not_confirmed = |what: String| unknown(Reason::NotConfirmed { what, place: None }, Vec::new());
    if question.property != Property::Termination {
        return not_confirmed(String::from("that shapes of lists show another property than termination"));
    }
    match check_shapes(program, function, question.integers, claimed, budget) {
        Ok(certificate) => {
            let evidence = Box::new(certificate.into_evidence());
            let verdict = Verdict::Proved { evidence, manner: Manner::default() };
            Confirmation { verdict, refused: Vec::new() }
        }
        Err(refusal) => not_confirmed(refusal.to_string()),
    }
}

/// A proof that follows all runs to their ends.
fn followed(program: &Program, claim: &Claim, manner: Manner, budget: &mut Budget) -> Confirmation {
    let mut solver: Embedded = Embedded::new();
    let place = |location| Place::of(program, location);
    match examine(program, claim, depth(manner), &mut solver, budget) {
        Examination::Proved(certificate) => {
            let evidence = Box::new(certificate.into_evidence());
            Confirmation { verdict: Verdict::Proved { evidence, manner }, refused: Vec::new() }
        }
        Examination::Suspect(suspect) => {
            let what = format!("that there is no {} there", suspect.obligation);
            unknown(Reason::NotConfirmed { what, place: place(suspect.location) }, Vec::new())
        }
        Examination::Unfinished { end, location, .. } => {
            unknown(unfinished(&end, manner.passes, place(location)), Vec::new())
        }
        Examination::Undefined { obligation, location, .. } => {
            unknown(Reason::Undefined { obligation, place: place(location) }, Vec::new())
        }
        Examination::NotKnown(_) => unknown(Reason::Undecided { place: None }, Vec::new()),
    }
}

fn unfinished(end: &LooseEnd, passes: u64, place: Option<Place>) -> Reason {
    let unfinished = |what: &str| Reason::Unfinished { what: what.to_owned(), passes, place: place.clone() };
    match end {
        LooseEnd::Loop => unfinished("a loop"),
        LooseEnd::Recursion => unfinished("a recursion"),
        LooseEnd::Unsupported(construct) => {
            Reason::Unsupported { construct: construct.clone(), place: place.clone() }
        }
    }
}

struct Work<'p, 'a> {
    program: &'p Program,
    question: &'a Question,
    manner: Manner,
    claims: &'a [Claimed],
    leaping: Leaping<'p>,
    effort: Effort,
    budget: Budget,
}

impl Work<'_, '_> {
    fn confirmation(mut self) -> Confirmation {
        let mut refused = vec![false; self.claims.len()];
        for nest in self.leaping.nests() {
            self.facts(&nest, &mut refused);
        }
        for leap in 0..self.leaping.leaps().len() {
            self.ending(leap, &mut refused);
        }
        let refused: Vec<usize> = (0..refused.len()).filter(|&place| refused[place]).collect();
        let (effort, budget) = (self.effort, &mut self.budget);
        let certificate = match self.question.property {
            Property::Termination => self.leaping.prove_termination(effort, budget),
            _ => self.leaping.prove(effort, budget),
        };
        if let Some(certificate) = certificate {
            let evidence = Box::new(certificate.into_evidence());
            return Confirmation { verdict: Verdict::Proved { evidence, manner: self.manner }, refused };
        }
        unknown(self.missing(), refused)
    }

    fn is_about(&self, claimed: &Claimed, leap: usize) -> bool {
        match claimed.of {
            Of::Leap(place) => place == leap,
            Of::Loop(function, head) => {
                let leap = &self.leaping.leaps()[leap];
                (leap.function, leap.head) == (function, head)
            }
        }
    }

    /// Takes the facts that are claimed of the loops of a nest.
    fn facts(&mut self, nest: &[usize], refused: &mut [bool]) {
        let mut left: Vec<(usize, Candidate)> = Vec::new();
        for &leap in nest {
            for (place, claimed) in self.claims.iter().enumerate() {
                if let Statement::Fact(formula) = &claimed.what
                    && self.is_about(claimed, leap)
                {
                    left.push((place, Candidate { leap, formula: formula.clone() }));
                }
            }
        }
        for _ in 0..AGAIN {
            let candidates: Vec<Candidate> = left.iter().map(|(_, candidate)| candidate.clone()).collect();
            if candidates.is_empty() {
                return;
            }
            let count = left.len();
            let accepted = self.leaping.accept(nest, &candidates, self.effort, &mut self.budget);
            let known = |place: usize| {
                self.leaping.facts(candidates[place].leap).contains(&candidates[place].formula)
            };
            let keep: Vec<bool> = (0..count).map(|place| !accepted[place] && !known(place)).collect();
            let mut keep = keep.into_iter();
            left.retain(|_| keep.next().unwrap_or(false));
            if left.len() == count {
                break;
            }
        }
        left.iter().for_each(|(place, _)| refused[*place] = true);
    }

    /// Takes the first argument that shows that a loop is left.
    fn ending(&mut self, leap: usize, refused: &mut [bool]) {
        for (place, claimed) in self.claims.iter().enumerate() {
            if self.leaping.ending(leap).is_some() {
                return;
            }
            if let Statement::Left(argument) = &claimed.what
                && self.is_about(claimed, leap)
                && !matches!(self.leaping.ends(leap, argument, self.effort, &mut self.budget), Ending::Left)
            {
                refused[place] = true;
            }
        }
    }

    /// What the proof does not show.
    fn missing(&mut self) -> Reason {
        let place = |location| Place::of(self.program, location);
        let leaps = 0..self.leaping.leaps().len();
        if self.question.property == Property::Termination
            && let Some(open) = leaps
                .into_iter()
                .find(|&leap| !self.leaping.is_never_repeated(leap) && self.leaping.ending(leap).is_none())
        {
            return Reason::NoRank { place: place(self.leaping.leaps()[open].location) };
        }
        if let Ok(Some((end, location, _))) = self.leaping.open_end(self.effort, &mut self.budget) {
            return unfinished(&end, 0, place(location));
        }
        let all: Vec<usize> = (0..self.leaping.demands().len()).collect();
        match self.leaping.violated(&all, self.effort, &mut self.budget) {
            Ok(violated) => match violated.first() {
                Some(&demand) => {
                    let demand = &self.leaping.demands()[demand];
                    let what = format!("that there is no {} there", demand.obligation);
                    Reason::NotConfirmed { what, place: place(demand.location) }
                }
                None => Reason::Undecided { place: None },
            },
            Err(_) => Reason::Undecided { place: None },
        }
    }
}
