//! The whole program, with its loops and calls unrolled: if no violation and no loose end can be reached, all runs were
//! looked at and none violates.
//!
//! Proof rule (bounded model checking with unwinding assertions; LoopFrog's baseline): the encoding of a program allows
//! at least the program's runs, up to its loose ends. If neither a violated demand nor a loose end is satisfiable, then
//! every run of the program is one of the encoding, ends, and violates nothing. A demand that nobody asked for but
//! that the encoding needs (an access in bounds, a divisor that is not zero) must hold as well: after such a
//! violation a program may do anything.

use base::{Budget, Location};
use encoding::{Demand, Encoder, Input, Loose, LooseEnd, Options, Value};
use evidence::{Evidence, Manner, Overflow, Property, Unrolling};
use logic::evaluate::Evaluation;
use logic::{Answer, Ignorance, Model, Solver, Term};
use program::interpret::InputValue;
use program::{FunctionId, Obligation, Origin, Type};

use crate::answer::Certificate;
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

/// One value from outside.
#[derive(Clone, PartialEq, Debug)]
pub struct SuspectInput {
    /// Who asks for it.
    pub name: String,
    /// Where.
    pub location: Location,
    /// Its type.
    pub ty: Type,
    /// The value.
    pub value: InputValue,
}

/// A variable of the source gets a value.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceStep {
    /// The function.
    pub function: FunctionId,
    /// The variable's C name.
    pub variable: String,
    /// Its value as people write it.
    pub value: String,
    /// Where.
    pub location: Location,
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
        let trace = self.trace(&mut evaluation);
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

    fn trace(&self, evaluation: &mut Evaluation<'_>) -> Vec<TraceStep> {
        let program = self.encoder.program;
        let mut steps = Vec::new();
        for event in &self.encoder.findings.events {
            if !evaluation.is_true(event.happens) {
                continue;
            }
            let Some(body) = program.functions[event.function].body() else { continue };
            let variable = program.variable(body, event.variable);
            if variable.origin == Origin::Temporary {
                continue;
            }
            steps.push(TraceStep {
                function: event.function,
                variable: variable.name.clone(),
                value: shown(self.encoder, event.value, variable.ty, evaluation),
                location: event.location,
            });
        }
        steps
    }
}

/// A value as people write it.
pub(crate) fn shown(
    encoder: &Encoder<'_>,
    value: Value,
    ty: Type,
    evaluation: &mut Evaluation<'_>,
) -> String {
    match value {
        Value::Unset => String::from("?"),
        Value::Scalar(term) => match (evaluation.value(term), ty) {
            (logic::Value::Bool(truth), _) => u8::from(*truth).to_string(),
            (logic::Value::BitVector(bits), Type::Integer(ty)) if ty.signed => bits.signed().to_string(),
            (logic::Value::BitVector(bits), Type::Float(program::FloatFormat::Double)) => {
                format!("{:?}", f64::from_bits(bits.to_u128().unwrap_or(0) as u64))
            }
            (logic::Value::BitVector(bits), Type::Float(program::FloatFormat::Single)) => {
                format!("{:?}", f32::from_bits(bits.to_u128().unwrap_or(0) as u32))
            }
            (logic::Value::BitVector(bits), _) => bits.unsigned().to_string(),
            (logic::Value::Integer(number), _) => number.to_string(),
            (logic::Value::Array(_), _) => String::from("?"),
        },
        Value::Pointer(pointer) => {
            let number = |value: &logic::Value| value.as_bits().and_then(|bits| bits.to_u128());
            let object = number(evaluation.value(pointer.object)).unwrap_or(0) as u32;
            let offset = evaluation.value(pointer.offset).as_bits().map(|bits| bits.signed());
            let offset = offset.unwrap_or_default();
            match (object, offset.is_zero()) {
                (0, true) => String::from("null"),
                (0, false) => format!("address {offset}"),
                // A pointer of which nothing is known can have any number.
                _ if object >= encoder.object_count() => String::from("a pointer to no object"),
                (_, true) => format!("&{}", encoder.object(object).name),
                (_, false) => format!("&{} + {offset} bytes", encoder.object(object).name),
            }
        }
    }
}

/// The inputs of the run that a model describes.
pub(crate) fn inputs(all: &[Input], evaluation: &mut Evaluation<'_>) -> Vec<SuspectInput> {
    let mut found = Vec::new();
    for input in all {
        if !evaluation.is_true(input.asked) {
            continue;
        }
        let term = match input.value {
            Value::Scalar(term) => term,
            Value::Pointer(pointer) => pointer.offset,
            Value::Unset => continue,
        };
        let value = match (evaluation.value(term), input.ty) {
            (logic::Value::Bool(truth), _) => InputValue::Integer((*truth).into()),
            (logic::Value::BitVector(bits), Type::Float(_)) => InputValue::Float(bits.to_u128().unwrap_or(0)),
            (logic::Value::BitVector(bits), Type::Integer(ty)) if ty.signed => {
                InputValue::Integer(bits.to_i128().unwrap_or(0))
            }
            (logic::Value::BitVector(bits), _) => InputValue::Integer(bits.to_u128().unwrap_or(0) as i128),
            (logic::Value::Integer(number), _) => match i128::try_from(number) {
                Ok(number) => InputValue::Integer(number),
                Err(_) => InputValue::Null,
            },
            (logic::Value::Array(_), _) => InputValue::Null,
        };
        found.push(SuspectInput { name: input.name.clone(), location: input.location, ty: input.ty, value });
    }
    found
}
