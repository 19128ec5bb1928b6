//! Turns memory objects into variables where that changes nothing: objects whose address is only ever the direct
//! target of a read or write at a constant offset, local ones and those that live as long as the program.
//!
//! ```text
//! t0 := load &i            t0 := i
//! store &p + 8, t0   ─►    p.y := t0
//! ```
//!
//! An object becomes one variable for each range of bytes that the program reads or writes; the ranges must be
//! disjoint, and each must be accessed with one type (or with the two signs of one integer width). The steps:
//!
//! 1. `scan` collects how the program uses each object, and which ones escape;
//! 2. `partition` finds the parts of each object, carries them along copies between objects, and gives up on objects
//!    whose parts clash, or that are copied (`copies`) while they may lack a value;
//! 3. here the parts get their variables: the parameter itself where the object is just a parameter's home;
//! 4. `rewrite` puts the variables in place of the accesses, and constants in place of reads of constant objects.
//!
//! `begin` statements of promoted objects stay for [`super::definite`], which needs to know where a variable loses
//! its value, and removes them.
//!
//! A function whose body could not be represented may use the address of any global object; that it may also
//! have handed one out is not considered here, as nothing that depends on such a function is ever proved.

mod copies;
mod initial;
mod partition;
mod rewrite;
mod scan;

use std::collections::{BTreeMap, HashSet};

use base::Index;

use crate::expression::{ExprKind, ObjectRef, VariableId};
use crate::function::{Body, FieldName, LocalId, Origin, Variable};
use crate::passes::expressions::reads;
use crate::program::{FunctionId, GlobalVariable, ObjectId, Program, Value};
use crate::statement::StatementKind;
use crate::types::{DataModel, Type};

/// The variables that each promoted local object of a function has become, by the object's number. Those that hold
/// parameters from the start are left out.
pub type PromotedLocals = BTreeMap<LocalId, Vec<VariableId>>;

/// A part of an object and the variable that it has become.
#[derive(Clone, Copy, Debug)]
struct Part {
    ty: Type,
    variable: VariableId,
}

/// The parts of each promoted object by their offsets; nothing for objects that stay in memory.
type Parts = Vec<Option<BTreeMap<u64, Part>>>;

/// Promotes the objects of a whole program. Says for every function with a body what became of its local objects.
pub fn promote(program: &mut Program) -> Vec<(FunctionId, PromotedLocals)> {
    let nodes = Nodes::of(program);
    let uses = scan::scan(program, &nodes);
    let partition = partition::partition(program, &nodes, &uses);
    let mut parts: Parts = vec![None; nodes.count];
    let mut names = program.globals.iter().map(|global| global.variable.name.clone()).collect();
    for object in program.objects.ids() {
        let node = nodes.number(FunctionId::new(0), ObjectRef::Global(object));
        if let Some(types) = &partition[node] {
            parts[node] = Some(new_globals(program, object, types, &mut names));
        }
    }
    let mut promoted = Vec::new();
    let Program { functions, objects, globals, data_model, .. } = program;
    for (function, description) in functions.iter_mut() {
        if let Some(body) = description.body_mut() {
            let first = nodes.first_local[function.index()];
            let range = first..first + body.locals.len();
            let locals = new_locals(body, *data_model, &partition[range.clone()], &mut parts[range]);
            let outside = rewrite::Outside { function, nodes: &nodes, parts: &parts, objects, globals };
            rewrite::Rewrite { body, outside, data_model: *data_model }.run();
            promoted.push((function, locals));
        }
    }
    promoted
}

/// Numbers for all objects of a program: those that live as long as it, then those of each function.
struct Nodes {
    first_local: Vec<usize>,
    count: usize,
}

impl Nodes {
    fn of(program: &Program) -> Self {
        let mut count = program.objects.len();
        let mut first_local = Vec::with_capacity(program.functions.len());
        for function in program.functions.values() {
            first_local.push(count);
            count += function.body().map_or(0, |body| body.locals.len());
        }
        Self { first_local, count }
    }

    /// The number of an object as a function names it.
    fn number(&self, function: FunctionId, object: ObjectRef) -> usize {
        match object {
            ObjectRef::Global(object) => object.index(),
            ObjectRef::Local(local) => self.first_local[function.index()] + local.index(),
        }
    }
}

/// The name and type of the variable that a part becomes.
fn describe(
    object: &str,
    size: u64,
    fields: &[FieldName],
    offset: u64,
    ty: Type,
    bytes: u64,
) -> (String, Type) {
    let field = fields.iter().find(|field| field.offset == offset && partition::same_bits(field.ty, ty));
    let ty = field.map_or(ty, |field| field.ty);
    let name = match field {
        Some(field) => format!("{object}.{}", field.name),
        None if offset == 0 && bytes == size => object.to_owned(),
        None => format!("{object}.{offset}"),
    };
    (name, ty)
}

/// The name, with a number if another global variable has it already.
fn unique(name: String, names: &mut HashSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}.{number}"));
    let name =
        std::iter::once(name.clone()).chain(numbered).find(|name| !names.contains(name)).unwrap_or(name);
    names.insert(name.clone());
    name
}

/// Adds the variables for an object that lives as long as the program.
fn new_globals(
    program: &mut Program,
    object: ObjectId,
    types: &BTreeMap<u64, Type>,
    names: &mut HashSet<String>,
) -> BTreeMap<u64, Part> {
    let model = program.data_model;
    let object = &program.objects[object];
    let part = |(&offset, &ty): (&u64, &Type)| {
        let (name, ty) = describe(&object.name, object.size, &object.fields, offset, ty, ty.bytes(model));
        let name = unique(name, names);
        let variable = VariableId::global(program.globals.len());
        let initial = initial::value_at(object, offset, ty, model).unwrap_or(Value::Unknown);
        let description =
            Variable { name, ty, origin: Origin::Source, scope: None, location: object.location };
        let exported = object.exported;
        program.globals.push(GlobalVariable { variable: description, exported, initial });
        (offset, Part { ty, variable })
    };
    types.iter().map(part).collect()
}

/// Adds the variables for the local objects of a body.
fn new_locals(
    body: &mut Body,
    model: DataModel,
    partition: &[Option<BTreeMap<u64, Type>>],
    parts: &mut [Option<BTreeMap<u64, Part>>],
) -> PromotedLocals {
    let homes = parameter_homes(body);
    let mut promoted = PromotedLocals::new();
    for (local, types) in body.locals.ids().zip(partition) {
        let Some(types) = types else { continue };
        let object = &body.locals[local];
        let (mut own, mut forgotten) = (BTreeMap::new(), Vec::new());
        for (&offset, &ty) in types {
            let home = homes.get(&local).filter(|&&home| types.len() == 1 && body.variables[home].ty == ty);
            let variable = home.copied().unwrap_or_else(|| {
                let (size, bytes) = (object.size.unwrap_or(0), ty.bytes(model));
                let (name, ty) = describe(&object.name, size, &object.fields, offset, ty, bytes);
                let (scope, location) = (object.scope, object.location);
                let variable =
                    body.variables.push(Variable { name, ty, origin: Origin::Source, scope, location });
                forgotten.push(variable);
                variable
            });
            own.insert(offset, Part { ty: body.variables[variable].ty, variable });
        }
        parts[local.index()] = Some(own);
        promoted.insert(local, forgotten);
    }
    promoted
}

/// Local objects that are no more than the home of a parameter: the first thing that happens to them, in the entry
/// block, is that they get the value of a parameter that nobody else reads.
fn parameter_homes(body: &Body) -> BTreeMap<LocalId, VariableId> {
    let reads = reads(body);
    let mut begins = vec![0u32; body.locals.len()];
    let mut assigned = vec![false; body.variables.len()];
    for statement in body.statements() {
        match (&statement.kind, statement.kind.target()) {
            (StatementKind::Begin { object, .. }, _) => begins[object.index()] += 1,
            (_, Some(target)) if !target.is_global() => assigned[target.index()] = true,
            _ => {}
        }
    }
    let mut homes = BTreeMap::new();
    let mut touched = vec![false; body.locals.len()];
    for statement in &body.blocks[body.entry()].statements {
        if let StatementKind::Begin { object, .. } = statement.kind {
            begins[object.index()] -= 1;
        }
        if let StatementKind::Store { pointer, value } = statement.kind
            && let ExprKind::Object(ObjectRef::Local(local)) = body.expressions[pointer].kind
            && let ExprKind::Variable(parameter) = body.expressions[value].kind
            && body.parameters.contains(&parameter)
            && reads[parameter.index()] == 1
            && !assigned[parameter.index()]
            && begins[local.index()] == 0
            && !touched[local.index()]
        {
            homes.insert(local, parameter);
        }
        statement.kind.visit_operands(|operand| {
            if let Some((ObjectRef::Local(local), _)) = scan::direct(body, operand) {
                touched[local.index()] = true;
            }
        });
    }
    homes
}
