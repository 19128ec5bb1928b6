//! The calls in a function, and which functions they may call.

use std::collections::BTreeSet;

use base::Location;
use program::library::effects_of;
use program::{
    Block, BlockId, Body, Callee, Definition, ExprId, ExprKind, FunctionId, Initial, ORDER_OF_FAILURES,
    Pointer, Program, Statement, StatementKind, Terminator, Type, Value,
};

use super::Missing;

/// A call of functions with bodies.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The block.
    pub block: BlockId,
    /// The statement's place in it.
    pub place: usize,
    /// Whether it names what it calls.
    pub by_name: bool,
    /// Those that it may call.
    pub callees: Vec<FunctionId>,
    /// Whether the run makes the same call elsewhere instead, with the same arguments, and goes on.
    pub is_repeated: bool,
    /// What they are given.
    pub arguments: Vec<ExprId>,
    /// Where it stands.
    pub location: Location,
}

/// The functions whose addresses the program uses: calls through pointers lead to these.
pub(super) struct Addressed(Vec<FunctionId>);

impl Addressed {
    /// Those of a program.
    pub fn of(program: &Program) -> Self {
        let mut found = BTreeSet::new();
        for body in program.bodies() {
            found.extend(body.expressions.values().filter_map(|expression| match expression.kind {
                ExprKind::Function(function) => Some(function),
                _ => None,
            }));
        }
        for object in program.objects.values() {
            if let Initial::Bytes { pointers, .. } = &object.initial {
                found.extend(pointers.iter().filter_map(|(_, pointer)| match pointer {
                    Pointer::Function(function) => Some(*function),
                    Pointer::Object(..) => None,
                }));
            }
        }
        found.extend(program.globals.iter().filter_map(|global| match global.initial {
            Value::Pointer(Pointer::Function(function)) => Some(function),
            _ => None,
        }));
        Self(found.into_iter().collect())
    }

    /// Those that may take such arguments: a call of any other one is undefined. Without a prototype, arguments may be wider
    /// than parameters.
    fn taking<'a>(
        &'a self,
        program: &'a Program,
        body: &'a Body,
        arguments: &'a [ExprId],
    ) -> impl Iterator<Item = FunctionId> + 'a {
        let fits = move |function: &FunctionId| {
            let function = &program.functions[*function];
            let count = function.parameters.len();
            let alike = |(&one, &ty): (&ExprId, &Type)| {
                std::mem::discriminant(&body.type_of(one)) == std::mem::discriminant(&ty)
            };
            let are_alike = arguments.iter().zip(&function.parameters).all(alike);
            are_alike && (arguments.len() == count || function.variadic && arguments.len() > count)
        };
        self.0.iter().copied().filter(fits)
    }
}

/// The calls in a body of functions with bodies. Functions of the library that call nothing back make no iterations.
///
/// # Errors
/// If something may call what is not here.
pub(super) fn calls(program: &Program, body: &Body, addressed: &Addressed) -> Result<Vec<Call>, Missing> {
    let mut found = Vec::new();
    let predecessors = body.predecessors();
    for (block, item) in body.blocks.iter() {
        let is_repeated = is_repeated(body, block, &predecessors[block]);
        for (place, statement) in item.statements.iter().enumerate() {
            let location = statement.location;
            let missing = |reason: String| Missing { reason, location };
            let (callee, arguments) = match &statement.kind {
                StatementKind::Unknown { what, .. } => return Err(missing(what.clone())),
                StatementKind::Call { callee, arguments, .. } => (*callee, arguments),
                _ => continue,
            };
            let all: Vec<FunctionId> = match callee {
                Callee::Function(function) => vec![function],
                Callee::Pointer(_) if program.world.open => {
                    return Err(missing(String::from(
                        "a call through a pointer may lead to code that is not here",
                    )));
                }
                Callee::Pointer(_) => addressed.taking(program, body, arguments).collect(),
            };
            let mut callees = Vec::new();
            for function in all {
                match &program.functions[function].definition {
                    Definition::Body(_) => callees.push(function),
                    _ if makes_none(program, function) => {}
                    Definition::Unsupported { reason, .. } => {
                        let name = &program.functions[function].name;
                        return Err(missing(format!("a call of {name}, which is not analysed: {reason}")));
                    }
                    Definition::External => {
                        let name = &program.functions[function].name;
                        return Err(missing(format!("a call of {name}, whose code is not here")));
                    }
                }
            }
            if !callees.is_empty() {
                let by_name = callee.function().is_some();
                let arguments = arguments.clone();
                found.push(Call { block, place, by_name, callees, is_repeated, arguments, location });
            }
        }
    }
    Ok(found)
}

/// Whether a block only makes calls that the run could have made elsewhere instead, and ends the run. Where C leaves the order
/// of evaluation open, the program may stop in one operand before the others are evaluated; or it evaluates all of them.
fn is_repeated(body: &Body, block: BlockId, predecessors: &[BlockId]) -> bool {
    let Terminator::Goto(next) = body.blocks[block].terminator else { return false };
    let is_choice = |from: &BlockId| {
        let Block { statements, terminator, .. } = &body.blocks[*from];
        let Some(StatementKind::Volatile { target, .. }) = statements.last().map(|last| &last.kind) else {
            return false;
        };
        let is_read = |value: ExprId| body.expressions[value].kind == ExprKind::Variable(*target);
        !target.is_global()
            && body.variables[*target].name == ORDER_OF_FAILURES
            && terminator.operand().is_some_and(is_read)
            && terminator.successors().any(|other| other == next)
    };
    let mut ends = false;
    for statement in &body.blocks[block].statements {
        match &statement.kind {
            StatementKind::Check(_) => {}
            StatementKind::Assume { condition } => ends |= body.constant(*condition) == Some(0),
            StatementKind::Call { callee, arguments, .. } => {
                let makes_it = |other: &Statement| {
                    matches!(&other.kind, StatementKind::Call { callee: own, arguments: given, .. }
                        if own == callee && callee.function().is_some() && given.len() == arguments.len()
                            && given.iter().zip(arguments).all(|(&one, &other)| are_same(body, one, other)))
                };
                // What comes before it there must leave the values as they are.
                let all = &body.blocks[next].statements;
                let Some(place) = all.iter().position(makes_it) else { return false };
                let mut read = BTreeSet::new();
                arguments
                    .iter()
                    .for_each(|&one| body.for_each_variable(one, &mut |variable| _ = read.insert(variable)));
                let is_changed =
                    |other: &Statement| other.kind.target().is_some_and(|target| read.contains(&target));
                if read.iter().any(|variable| variable.is_global()) || all[..place].iter().any(is_changed) {
                    return false;
                }
            }
            _ => return false,
        }
    }
    ends && !predecessors.is_empty() && predecessors.iter().all(is_choice)
}

/// Whether two expressions are the same.
fn are_same(body: &Body, one: ExprId, other: ExprId) -> bool {
    use ExprKind::{Binary, Convert, Difference, Offset, Unary};
    let (one, other) = (body.expressions[one], body.expressions[other]);
    let same = |one: ExprId, other: ExprId| are_same(body, one, other);
    one.ty == other.ty
        && match (one.kind, other.kind) {
            (Unary(first, a), Unary(second, b)) => first == second && same(a, b),
            (Binary(first, a, b), Binary(second, c, d)) => first == second && same(a, c) && same(b, d),
            (Offset(a, b), Offset(c, d)) | (Difference(a, b), Difference(c, d)) => same(a, c) && same(b, d),
            (Convert(a), Convert(b)) => same(a, b),
            (one, other) => one == other,
        }
}

/// Whether a function belongs to the library, and calls no function of the program.
fn makes_none(program: &Program, function: FunctionId) -> bool {
    let function = &program.functions[function];
    let effects = effects_of(&function.name);
    matches!(function.definition, Definition::External)
        && (effects.defined || effects.output || effects.returns || effects.ends)
}
