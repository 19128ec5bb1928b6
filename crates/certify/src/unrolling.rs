//! The whole program, with its loops and calls unrolled: if no violation and no loose end can be reached, all runs were
//! looked at and none violates.
//!
//! Proof rule (bounded model checking with unwinding assertions; LoopFrog's baseline): the encoding of a program allows
//! at least the program's runs, up to its loose ends. If neither a violated demand nor a loose end is satisfiable, then
//! every run of the program is one of the encoding, ends, and violates nothing. A demand that nobody asked for but
//! that the encoding needs (an access in bounds, a divisor that is not zero) must hold as well: after such a
//! violation a program may do anything.

use base::{Budget, Location};
use encoding::{Demand, Encoder, Loose, LooseEnd, Options};
use evidence::{Evidence, Manner, Overflow, Property, Unrolling};
use logic::evaluate::Evaluation;
use logic::{Answer, Ignorance, Model, Solver, Term};
use program::Obligation;

use crate::answer::Certificate;
pub use crate::explain::{SuspectInput, TraceStep};
use crate::explain::{inputs, trace};
use crate::subject::{Claim, Runs, Subject, needed, within_limits};

/// What an examination has found.
#[derive(Clone, Debug)]
pub enum Examination {
    /// The claim holds.
    Proved(Certificate),
    /// The encoding violates an obligation: the inputs are worth a run.
    Suspect(Box<Suspect>),
    /// Some runs go on where the unrolling ends.
    Unfinished {
        /// Why it ends.
        end: LooseEnd,
        /// Where.
        location: Location,
        /// Whether unrolling further can help.
        further: bool,
        /// Inputs that lead there.
        inputs: Vec<SuspectInput>,
    },
    /// Some runs may have undefined behaviour that nobody asked about.
    Undefined {
        /// Its kind.
        obligation: Obligation,
        /// Where.
        location: Location,
        /// Inputs that lead there.
        inputs: Vec<SuspectInput>,
        /// Whether runs also go on where the unrolling ends.
        further: bool,
    },
    /// The solver or the encoder did not finish.
    NotKnown(Ignorance),
}

/// Inputs with which the encoding violates an obligation.
#[derive(Clone, PartialEq, Debug)]
pub struct Suspect {
    /// Its kind.
    pub obligation: Obligation,
    /// Where it stands.
    pub location: Location,
    /// The inputs, in the order in which a run asks for them.
    pub inputs: Vec<SuspectInput>,
    /// The assignments on the way, in order.
    pub trace: Vec<TraceStep>,
}

/// Examines all runs of a program up to a depth. Reading overflow as wrapping shows nothing of termination.
pub fn examine(
    subject: &Subject<'_>,
    manner: Manner,
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Examination {
    let (program, claim) = (subject.program(), subject.claim());
    let is_termination = claim.property == Property::Termination;
    if subject.runs() != Runs::OfProgram || (is_termination && manner.overflow != Overflow::Excluded) {
        return Examination::NotKnown(Ignorance::Failed(String::from("not a claim about whole runs")));
    }
    let manner = Manner { leaps: None, chains: subject.chains(), ..within_limits(manner) };
    let options = Options {
        integers: claim.integers,
        checks: claim.property.obligations(),
        needed: needed(&manner),
        passes: manner.passes,
        leaps: None,
        call_depth: manner.calls,
        recursion: manner.recursion,
        any_overflow: false,
        outside_returns: true,
        kept_pointers: false,
        trace: true,
    };
    let mut encoder = Encoder::new(program, options, budget.clone());
    let encoded = encoder.run(claim.function);
    *budget = encoder.budget.clone();
    if let Err(stop) = encoded {
        return Examination::NotKnown(Ignorance::Stopped(stop));
    }
    Questions { encoder: &mut encoder, solver, budget }.answer(claim, manner)
}

struct Questions<'a, 'p> {
    encoder: &'a mut Encoder<'p>,
    solver: &'a mut dyn Solver,
    budget: &'a mut Budget,
}

impl Questions<'_, '_> {
    fn answer(mut self, claim: Claim, manner: Manner) -> Examination {
        let demands = std::mem::take(&mut self.encoder.findings.demands);
        let (asked, needed): (Vec<Demand>, Vec<Demand>) = demands.into_iter().partition(|one| one.asked);
        let violated: Vec<Term> = asked.iter().map(|demand| demand.violated).collect();
        match self.any(&violated) {
            Answer::Unsatisfiable => {}
            Answer::Satisfiable => {
                let model = self.solver.model(&self.encoder.terms);
                return self.suspect(&asked, &model);
            }
            Answer::Unknown(why) => return Examination::NotKnown(why),
        }
        let loose = std::mem::take(&mut self.encoder.findings.loose);
        let mut open: Vec<Term> = needed.iter().map(|demand| demand.violated).collect();
        open.extend(loose.iter().map(|end| end.reached));
        match self.any(&open) {
            Answer::Unsatisfiable => {
                let evidence = Evidence::Unrolling(Unrolling { depth: manner.passes });
                Examination::Proved(Certificate::new(claim, manner, evidence))
            }
            Answer::Satisfiable => {
                let model = self.solver.model(&self.encoder.terms);
                self.open_end(&needed, &loose, &model)
            }
            Answer::Unknown(why) => Examination::NotKnown(why),
        }
    }

    /// Whether one of some conditions can be true.
    fn any(&mut self, conditions: &[Term]) -> Answer {
        let terms = &mut self.encoder.terms;
        let some = terms.any(conditions);
        let normal = logic::normal::normal(terms, some);
        if terms.is_false(normal) {
            return Answer::Unsatisfiable;
        }
        self.solver.push();
        for fact in self.encoder.knowledge.about(terms, &[some]) {
            self.solver.assert(terms, fact);
        }
        self.solver.assert(terms, some);
        let answer = self.solver.check(terms, &[], self.budget);
        self.solver.pop();
        answer
    }

    fn suspect(&self, asked: &[Demand], model: &Model) -> Examination {
        let mut evaluation = Evaluation::new(&self.encoder.terms, model);
        // The order of the demands is that of execution: the first is the one that a run meets.
        let Some(demand) = asked.iter().find(|demand| evaluation.is_true(demand.violated)) else {
            return Examination::NotKnown(Ignorance::Failed(String::from("a model that satisfies nothing")));
        };
        let inputs = inputs(&self.encoder.findings.inputs, &mut evaluation);
        let trace = trace(self.encoder, &mut evaluation);
        Examination::Suspect(Box::new(Suspect {
            obligation: demand.obligation,
            location: demand.location,
            inputs,
            trace,
        }))
    }

    fn open_end(&self, needed: &[Demand], loose: &[Loose], model: &Model) -> Examination {
        let mut evaluation = Evaluation::new(&self.encoder.terms, model);
        let inputs = inputs(&self.encoder.findings.inputs, &mut evaluation);
        let further = loose.iter().any(|end| matches!(end.reason, LooseEnd::Loop | LooseEnd::Recursion));
        if let Some(end) = loose.iter().find(|end| evaluation.is_true(end.reached)) {
            let (end, location) = (end.reason.clone(), end.location);
            return Examination::Unfinished { end, location, further, inputs };
        }
        match needed.iter().find(|demand| evaluation.is_true(demand.violated)) {
            Some(demand) => Examination::Undefined {
                obligation: demand.obligation,
                location: demand.location,
                inputs,
                further,
            },
            None => Examination::NotKnown(Ignorance::Failed(String::from("a model that satisfies nothing"))),
        }
    }
}
