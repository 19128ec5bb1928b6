//! Programs that take no inputs: they have one run, and the interpreter makes it.
//!
//! Proof rule: if a run asks for nothing from outside (no value, no byte of standard input, no command line, no
//! uninitialised memory), calls no function of which C leaves open what it gives, and comes to its end without anything
//! undefined or guessed, then it is the only run, and what is seen in it holds of all runs. Everything that C leaves
//! undefined is checked on the way.
//!
//! Functions of the library count only if the standard says all that they do; what `rand`, `time`, `getenv` or `sin`
//! give is the machine's choice. Allocation succeeds, as everywhere here. What an output function returns is arbitrary,
//! so that one counts only where nobody examines it.

use std::collections::{BTreeMap, BTreeSet};

use base::Budget;
use evidence::{Argued, Evidence, ProofMode, Property, Unrolling};
use program::interpret::{
    Arguments, Head, InputValue, Inputs, Integers, Machine, ObligationSet, Observer, Options, Outcome,
    Request,
};
use program::library::effects_of;
use program::{BlockId, Body, Callee, ExprKind, FunctionId, Obligation, Program, StatementKind};

use crate::answer::Certificate;
use crate::stopping::Stops;
use crate::subject::Claim;

/// The one run of a program.
#[derive(Clone, Debug)]
pub struct OnlyRun {
    certificate: Certificate,
    entry: String,
    heads: BTreeSet<(FunctionId, BlockId)>,
}

impl OnlyRun {
    /// That there is no other, and that it ends.
    pub fn certificate(self) -> Certificate {
        self.certificate
    }

    /// The heads of loops that it came to, and the entries of functions that may call themselves.
    pub const fn heads(&self) -> &BTreeSet<(FunctionId, BlockId)> {
        &self.heads
    }

    /// That a loop is left, or a recursion, by its head.
    pub fn stops(&self, head: (FunctionId, BlockId)) -> Stops {
        let why = if self.heads.contains(&head) { Argued::Followed } else { Argued::NotReached };
        Stops { why, entry: Some(self.entry.clone()), unless_overflow: false }
    }

    /// What is known of a loop that this run came to, without the condition that nothing overflows: nothing does.
    pub fn without_overflow(&self, known: &Stops, head: (FunctionId, BlockId)) -> Option<Stops> {
        let stops = Stops { why: known.why.clone(), ..self.stops(head) };
        (known.unless_overflow && self.heads.contains(&head)).then_some(stops)
    }
}

/// Makes the run of a program that takes no inputs. Gives nothing if it may have another one, or does not end in time.
pub fn only_run(
    program: &Program,
    function: FunctionId,
    integers: Integers,
    budget: &mut Budget,
) -> Option<OnlyRun> {
    let body = program.functions[function].body()?;
    // Whoever enters another function may have changed what it reads.
    if !program::outside::starts_fresh(program, function)
        || !ignores_parameters(body)
        || !is_defined(program, function)
    {
        return None;
    }
    let unwritten = ObligationSet::EMPTY.with(Obligation::Uninitialised);
    let options = Options {
        integers,
        checks: Obligation::ALL.into_iter().filter(|&kind| is_undefined(kind)).collect(),
        ignored: unwritten.with(Obligation::Leak),
        memory: 1 << 28,
        ..Options::default()
    };
    let arguments = match program.functions[function].name.as_str() {
        "main" => Arguments::CommandLine(vec![b"program".to_vec()]),
        _ => Arguments::FromInputs,
    };
    let (mut nothing, mut heads) = (Nothing { asked: false }, Heads::default());
    let run =
        Machine::watched(program, &options).observe(function, &arguments, &mut nothing, &mut heads, budget);
    let is_only = run.inputs.is_empty()
        && !nothing.asked
        && run.imprecise.is_none()
        && run.undefined.is_none()
        && run.stray.is_none()
        && !program.world.rounding;
    if !is_only || !matches!(run.outcome, Outcome::Exit(_) | Outcome::Aborted) {
        return None;
    }
    let depth = heads.visits.values().copied().max().unwrap_or(0);
    let claim = Claim { function, property: Property::Termination, integers };
    let mode = ProofMode { only_run: true, ..ProofMode::default() };
    let certificate = Certificate::new(claim, mode, Evidence::Unrolling(Unrolling { depth }));
    let entry = program.functions[function].name.clone();
    Some(OnlyRun { certificate, entry, heads: heads.visits.into_keys().collect() })
}

/// Failed assertions, too: what comes after them is nobody's word.
fn is_undefined(kind: Obligation) -> bool {
    !matches!(kind, Obligation::Leak | Obligation::Uninitialised)
}

fn ignores_parameters(body: &Body) -> bool {
    let is_parameter =
        |kind: ExprKind| matches!(kind, ExprKind::Variable(one) if body.parameters.contains(&one));
    !body.expressions.iter().any(|(_, expression)| is_parameter(expression.kind))
}

/// Whether every function that may be called is one whose effects are defined.
fn is_defined(program: &Program, entry: FunctionId) -> bool {
    let mut seen = BTreeSet::from([entry]);
    let mut left = vec![entry];
    while let Some(function) = left.pop() {
        let Some(body) = program.functions[function].body() else {
            // Its address is taken: it is not known whether its result is examined.
            if !effects_of(&program.functions[function].name).defined {
                return false;
            }
            continue;
        };
        let mut add = |function: FunctionId| {
            if seen.insert(function) {
                left.push(function);
            }
        };
        for (_, expression) in body.expressions.iter() {
            if let ExprKind::Function(function) = expression.kind {
                add(function);
            }
        }
        for statement in body.blocks.iter().flat_map(|(_, block)| &block.statements) {
            match &statement.kind {
                StatementKind::Call { target, callee: Callee::Function(function), .. } => {
                    let name = program.functions[*function].name.as_str();
                    if !(target.is_none() && effects_of(name).output) {
                        add(*function);
                    }
                }
                StatementKind::Unknown { .. } | StatementKind::Volatile { .. } => return false,
                _ => {}
            }
        }
    }
    true
}

/// Inputs that are not there.
struct Nothing {
    asked: bool,
}

impl Inputs for Nothing {
    fn value(&mut self, _request: &Request<'_>) -> InputValue {
        self.asked = true;
        InputValue::Null
    }

    fn byte(&mut self) -> Option<u8> {
        self.asked = true;
        None
    }
}

/// The heads that a run comes to.
#[derive(Default)]
struct Heads {
    visits: BTreeMap<(FunctionId, BlockId), u64>,
}

impl Observer for Heads {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        *self.visits.entry((head.function(), head.block())).or_default() += 1;
    }
}
