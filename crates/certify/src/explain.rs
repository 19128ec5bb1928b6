//! Values of models as people write them, and as inputs for runs; why a proof is none. No proof rests on anything in here.

use base::{Budget, Location};
use encoding::{Encoder, IncompletePath, Incompleteness, Input, Value, VerificationCondition};
use evidence::{Place, Property, Reason};
use logic::evaluate::Evaluation;
use logic::{Ignorance, Model, Sort, Term};
use program::interpret::InputValue;
use program::{FunctionId, Obligation, Origin, Program, Type};

use crate::Abstraction;
use crate::abstraction::Effort;
use crate::answer::Examination;
use crate::query::Queries;
use crate::relation::{Component, Kind};

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

/// The assignments on the way, in order.
pub(crate) fn trace(encoder: &Encoder<'_>, evaluation: &mut Evaluation<'_>) -> Vec<TraceStep> {
    let program = encoder.program;
    let mut steps = Vec::new();
    for event in &encoder.findings.events {
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
            value: shown(encoder, event.value, variable.ty, evaluation),
            location: event.location,
        });
    }
    steps
}

/// A value as people write it.
pub(crate) fn shown(encoder: &Encoder<'_>, value: Value, ty: Type, values: &mut Evaluation<'_>) -> String {
    match value {
        Value::Unset => String::from("?"),
        Value::Scalar(term) => match (values.value(term), ty) {
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
            let object = number(values.value(pointer.object)).unwrap_or(0) as u32;
            let offset = values.value(pointer.offset).as_bits().map(|bits| bits.signed());
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
        let Some(term) = input.value.term() else { continue };
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

/// A path that is not followed to its end, as a reason for not knowing. So many iterations of a loop are followed.
pub fn unfinished(end: &Incompleteness, iterations: u64, place: Option<Place>) -> Reason {
    match end {
        Incompleteness::Loop => Reason::Unfinished { what: String::from("a loop"), iterations, place },
        Incompleteness::Recursion => {
            Reason::Unfinished { what: String::from("a recursion"), iterations, place }
        }
        Incompleteness::Unsupported(construct) => Reason::Unsupported { construct: construct.clone(), place },
    }
}

impl Abstraction<'_> {
    /// Why the claim cannot be concluded: loops without an argument, a path that is not followed, what may be violated. Empty
    /// if neither of these stands in the way.
    pub fn missing(&mut self, effort: Effort, budget: &mut Budget) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = Vec::new();
        if self.claim().property == Property::Termination {
            let open =
                (0..self.abstract_loops().len()).filter(|&abstract_loop| !self.is_argued(abstract_loop));
            let no_rank = open.map(|abstract_loop| Reason::NoRank {
                place: self.place(self.abstract_loops()[abstract_loop].location),
            });
            reasons.extend(no_rank);
            reasons.dedup();
        }
        match self.open_end(effort, budget) {
            Ok(None) => {}
            Ok(Some((end, location, _))) => reasons.push(unfinished(&end, 0, self.place(location))),
            Err(_) => reasons.push(Reason::Undecided { place: None }),
        }
        let all: Vec<usize> = (0..self.vcs().len()).collect();
        match self.violated(&all, effort, budget) {
            Ok(violated) => reasons.extend(violated.first().map(|&vc| {
                let vc = &self.vcs()[vc];
                let place = self.place(vc.location);
                match vc.asked {
                    true => {
                        let what = format!("that there is no {} there", vc.obligation);
                        Reason::NotConfirmed { what, place }
                    }
                    false => Reason::Undefined { obligation: vc.obligation, place },
                }
            })),
            Err(_) => reasons.push(Reason::Undecided { place: None }),
        }
        reasons
    }

    fn place(&self, location: Location) -> Option<Place> {
        Place::of(self.encoder().program, location)
    }
}

impl Queries<'_> {
    /// The states of a model in the words of the source.
    pub(crate) fn describe(&self, model: &Model) -> Vec<(String, String)> {
        let relation = self.relation;
        let mut values = Evaluation::new(self.terms, model);
        let mut state = Vec::new();
        let steps = values.is_true(relation.continues());
        for (at, component) in relation.state().iter().enumerate() {
            let mut show = |name: String, term: Term| {
                if let Some(value) = readable(component.kind, values.value(term)) {
                    state.push((name, value));
                }
            };
            show(component.quantity.to_string(), relation.before()[at]);
            if steps {
                show(format!("{}'", component.quantity), relation.after()[at]);
            }
        }
        for (symbol, value) in model.iter() {
            if !self.state_symbols().any(|ours| ours == symbol) {
                let name = &self.terms.symbol(symbol).name;
                let shown = readable(self.kind_by_name(name, value.sort()), value);
                state.extend(shown.map(|value| (name.clone(), value)));
            }
        }
        state
    }

    /// The kind of a symbol that is not of the state: `first(x)` is of the kind of x, and a counter has no sign. The
    /// sign of an input is not known.
    fn kind_by_name(&self, name: &str, sort: Sort) -> Kind {
        let is_part = |component: &&Component| name.ends_with(&format!("({})", component.quantity));
        match (self.relation.state().iter().find(is_part), sort) {
            (Some(component), _) => component.kind,
            (None, Sort::BitVector(width)) => Kind::Machine { width, signed: !name.starts_with('#') },
            (None, Sort::Bool) => Kind::Boolean,
            (None, _) => Kind::Mathematical,
        }
    }

    fn state_symbols(&self) -> impl Iterator<Item = logic::SymbolId> + '_ {
        self.relation.before().iter().filter_map(|term| self.terms.as_symbol(*term))
    }
}

fn readable(kind: Kind, value: &logic::Value) -> Option<String> {
    match (kind, value) {
        (Kind::Machine { signed: true, .. }, logic::Value::BitVector(bits)) => {
            Some(bits.signed().to_string())
        }
        (Kind::Machine { signed: false, .. }, logic::Value::BitVector(bits)) => {
            Some(bits.unsigned().to_string())
        }
        (_, logic::Value::Integer(number)) => Some(number.to_string()),
        (_, logic::Value::Bool(truth)) => Some(truth.to_string()),
        _ => None,
    }
}

/// Why an examination of whole runs is no proof.
pub(crate) fn reason_of(program: &Program, examination: Examination, iterations: u64) -> Reason {
    let place = |location| Place::of(program, location);
    match examination {
        Examination::Suspect(suspect) => {
            let what = format!("that there is no {} there", suspect.obligation);
            Reason::NotConfirmed { what, place: place(suspect.location) }
        }
        Examination::Unfinished { end, location, .. } => unfinished(&end, iterations, place(location)),
        Examination::Undefined { obligation, location, .. } => {
            Reason::Undefined { obligation, place: place(location) }
        }
        Examination::Proved(_) | Examination::NotKnown(_) => Reason::Undecided { place: None },
    }
}

/// The violation that a model shows.
pub(crate) fn suspect(encoder: &Encoder<'_>, asked: &[VerificationCondition], model: &Model) -> Examination {
    let mut evaluation = Evaluation::new(&encoder.terms, model);
    // The order of the verification conditions is that of execution: the first is the one that a run meets.
    let Some(vc) = asked.iter().find(|vc| evaluation.is_true(vc.violated)) else {
        return Examination::NotKnown(Ignorance::Failed(String::from("a model that satisfies nothing")));
    };
    let inputs = inputs(&encoder.findings.inputs, &mut evaluation);
    let trace = trace(encoder, &mut evaluation);
    Examination::Suspect(Box::new(Suspect {
        obligation: vc.obligation,
        location: vc.location,
        inputs,
        trace,
    }))
}

/// What stands in the way of a proof, as a model shows it.
pub(crate) fn open_end(
    encoder: &Encoder<'_>,
    needed: &[VerificationCondition],
    incomplete: &[IncompletePath],
    model: &Model,
) -> Examination {
    let mut evaluation = Evaluation::new(&encoder.terms, model);
    let inputs = inputs(&encoder.findings.inputs, &mut evaluation);
    let further =
        incomplete.iter().any(|end| matches!(end.reason, Incompleteness::Loop | Incompleteness::Recursion));
    if let Some(end) = incomplete.iter().find(|end| evaluation.is_true(end.reached)) {
        let (end, location) = (end.reason.clone(), end.location);
        return Examination::Unfinished { end, location, further, inputs };
    }
    match needed.iter().find(|vc| evaluation.is_true(vc.violated)) {
        Some(vc) => {
            Examination::Undefined { obligation: vc.obligation, location: vc.location, inputs, further }
        }
        None => Examination::NotKnown(Ignorance::Failed(String::from("a model that satisfies nothing"))),
    }
}
