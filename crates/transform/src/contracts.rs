//! Calls of functions replaced by what their contracts say.
//!
//! ```text
//! entry:  choice ──► as before, where each call  t := f(a)  becomes  check requires(a); globals of f := any; t := any;
//!           │                                                         assume ensures(a, t)
//!           └──────► for each f:  a := any; assume requires(a); t := body of f(a); check ensures(a, t)
//! ```
//!
//! So one function holds all that must be shown: the program under the contracts, and each contract under the contracts
//! (Hoare's rule for recursive procedures, 1971). A contracted function computes: it has no memory but its own objects, so
//! that it is enough to say what its result and the variables of the program are when it returns.

use std::collections::{BTreeMap, BTreeSet};

use base::Location;
use evidence::names::{local_names, variable_names};
use evidence::{Contract, Moment, RESULT, Side};
use program::interpret::Integers;
use program::library::effects_of;
use program::outside::Changeable;
use program::{
    Block, BlockId, Body, Callee, Case, Check, Definition, ExprId, ExprKind, FunctionId, IntegerType,
    Obligation, Origin, Program, Statement, StatementKind, Terminator, Type, VariableId,
};

use crate::call_graph::CallGraph;
use crate::clauses::{Numbers, Scope};
use crate::frames::{Frame, Frames, named_object};
use crate::pieces::{any, assign, assume, block, variable};

/// Functions that end the run at once, and run nothing of the program before.
const END_AT_ONCE: [&str; 6] =
    ["abort", "__assert_fail", "_exit", "_Exit", "reach_error", "__VERIFIER_error"];

/// What the variables of a function are at its call and at its return, in the body in which a contract is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    /// What holds the value at the call: of parameters of the function, and of variables of the program.
    pub before: BTreeMap<VariableId, VariableId>,
    /// What holds the result.
    pub result: Option<VariableId>,
    /// What holds numbers in memory.
    pub elements: Numbers,
}

/// Contracts as conditions in a body.
#[derive(Clone, Debug)]
pub struct Contracts<'a> {
    program: &'a Program,
    integers: Integers,
    of: BTreeMap<FunctionId, &'a Contract>,
}

impl<'a> Contracts<'a> {
    /// Contracts of functions of a program.
    pub const fn new(
        program: &'a Program,
        integers: Integers,
        of: BTreeMap<FunctionId, &'a Contract>,
    ) -> Self {
        Self { program, integers, of }
    }

    /// Contracts of the functions that they name. Nothing if there is no such function, or one has two.
    pub fn named(program: &'a Program, integers: Integers, contracts: &'a [Contract]) -> Option<Self> {
        let named = |contract: &'a Contract| Some((program.function_named(&contract.function)?, contract));
        let of: BTreeMap<FunctionId, &Contract> = contracts.iter().map(named).collect::<Option<_>>()?;
        (of.len() == contracts.len()).then_some(Self { program, integers, of })
    }

    /// What holds at a call or at its return, each with its note. Variables of the program without a value before are as they
    /// are now. Nothing if a clause cannot be written.
    pub(crate) fn written(
        &self,
        function: FunctionId,
        at: At,
        body: &mut Body,
        values: &Values,
    ) -> Option<Vec<(String, ExprId)>> {
        let callee = self.program.functions[function].body()?;
        let mut numbers = values.elements.clone();
        // Names of variables of the program are not needed as a rule, and there may be many.
        let names = match values.before.keys().any(|variable| variable.is_global()) {
            true => variable_names(self.program, callee),
            false => local_names(callee),
        };
        for (name, variable) in names {
            if name == RESULT {
                return None;
            }
            let Some(&before) = values.before.get(&variable) else { continue };
            let ty = body.variables[before].ty;
            if variable.is_global() && at == At::Return {
                numbers.add(Moment::Now, name.clone(), variable, ty);
            }
            numbers.add(Moment::Start, name, before, ty);
        }
        if let Some(result) = values.result {
            numbers.add(Moment::Now, RESULT.to_owned(), result, body.variables[result].ty);
        }
        let side = if at == At::Call { Side::Requires } else { Side::Ensures };
        let contract = self.of.get(&function)?;
        let mut scope = Scope { numbers: &numbers, bits: self.integers == Integers::Machine, body };
        let clauses = contract.clauses(side).iter().enumerate();
        clauses.map(|(place, clause)| Some((contract.note(side, place), scope.formula(clause)?))).collect()
    }
}

/// When clauses hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum At {
    /// What a caller must see to.
    Call,
    /// What the function sees to.
    Return,
}

/// The functions behind an entry that can have a contract, and that calls lead back to.
pub fn contractible(program: &Program, entry: FunctionId) -> Vec<FunctionId> {
    let calls = CallGraph::of(program);
    let recursive: Vec<FunctionId> = calls.behind(entry).filter(|&one| calls.in_circle(one)).collect();
    if recursive.contains(&entry) {
        return Vec::new();
    }
    let frames = Frames::of(program);
    recursive.into_iter().filter(|&one| footprint(program, &calls, &frames, one).is_some()).collect()
}

/// The program in which calls are what contracts say, and in which the entry also calls every contracted function anyhow.
///
/// **Theorem.** Let a run of the old program from its entry do what an obligation forbids that stands in it or in what it calls.
/// Then the new program has a run from the entry that does so, or on which a check of a contract fails. For: take the
/// first of these events in the old run, with all calls of contracted functions annotated. It happens in a call of a
/// contracted function, or outside of all; consider the innermost one. That call began with what is required, all
/// calls in it that have returned gave what is ensured, and no other event came before. So the new program makes this call,
/// from the entry, step by step the same up to the event.
///
/// **Lost:** what ends, and what memory is lost. The new program goes on after a call that does not return.
///
/// Nothing if the program is open, or a function has memory other than its own, or a clause cannot be written.
pub fn by_contracts(program: &Program, entry: FunctionId, contracts: &Contracts<'_>) -> Option<Program> {
    let calls = CallGraph::of(program);
    let speaks_of_objects = contracts.of.values().any(|contract| !contract.objects.is_empty());
    if program.world.open || contracts.of.contains_key(&entry) || calls.in_circle(entry) || speaks_of_objects
    {
        return None;
    }
    let frames = Frames::of(program);
    let footprints: BTreeMap<FunctionId, Footprint> = contracts
        .of
        .keys()
        .map(|&one| Some((one, footprint(program, &calls, &frames, one)?)))
        .collect::<Option<_>>()?;
    let mut result = program.clone();
    let contracted = Contracted { program, footprints: &footprints, contracts };
    for (_, function) in result.functions.iter_mut() {
        if let Some(body) = function.body_mut() {
            contracted.replace_calls(body)?;
        }
    }
    contracted.call_all(&mut result, entry)?;
    Some(result)
}

/// Lets a body assume after each call what is ensured of the numbers that the call was given and of its result.
///
/// **Theorem.** If that holds of all calls that return, the body has the same runs.
pub fn assume_results(program: &Program, body: &mut Body, contracts: &Contracts<'_>) {
    let blocks: Vec<BlockId> = body.blocks.ids().collect();
    for block in blocks {
        let old = std::mem::take(&mut body.blocks[block].statements);
        let mut new = Vec::with_capacity(old.len());
        for statement in old {
            let conditions = ensured(program, body, contracts, &statement, &mut new).unwrap_or_default();
            let location = statement.location;
            new.push(statement);
            new.extend(conditions.into_iter().map(|condition| assume(condition, location)));
        }
        body.blocks[block].statements = new;
    }
}

/// What a call ensures of its result. What it is given is saved before it.
fn ensured(
    program: &Program,
    body: &mut Body,
    contracts: &Contracts<'_>,
    statement: &Statement,
    new: &mut Vec<Statement>,
) -> Option<Vec<ExprId>> {
    let StatementKind::Call { target: Some(target), callee: Callee::Function(callee), arguments } =
        &statement.kind
    else {
        return None;
    };
    let callee_body = program.functions[*callee].body().filter(|_| contracts.of.contains_key(callee))?;
    let is_result = program.functions[*callee].result == Some(program.variable(body, *target).ty);
    if !is_result || arguments.len() != callee_body.parameters.len() {
        return None;
    }
    let mut values = Values { result: Some(*target), ..Values::default() };
    for (&parameter, &argument) in callee_body.parameters.iter().zip(arguments) {
        let original = &callee_body.variables[parameter];
        if matches!(original.ty, Type::Integer(_)) && body.expressions[argument].ty == original.ty {
            let saved = saved(body, original, statement.location);
            values.before.insert(parameter, saved);
            new.push(assign(saved, argument, statement.location));
        }
    }
    let conditions = contracts.written(*callee, At::Return, body, &values)?;
    Some(conditions.into_iter().map(|(_, condition)| condition).collect())
}

/// Lets a body of a function check at each return what is ensured of its result. Nothing if that cannot be written.
///
/// **Theorem.** The body has the same runs up to a check that fails. If none fails, what is ensured holds of all calls that
/// return.
pub fn check_results(
    function: FunctionId,
    body: &mut Body,
    ty: Type,
    contracts: &Contracts<'_>,
) -> Option<()> {
    let entry = body.entry();
    let location = body.blocks[entry].location;
    let mut values = Values::default();
    let mut first = Vec::new();
    for parameter in body.parameters.clone() {
        let original = body.variables[parameter].clone();
        if matches!(original.ty, Type::Integer(_)) {
            let saved = saved(body, &original, location);
            values.before.insert(parameter, saved);
            let value = body.read(parameter);
            first.push(assign(saved, value, location));
        }
    }
    let result = variable(body, String::from("$result"), ty, Origin::Temporary, location);
    values.result = Some(result);
    let conditions = contracts.written(function, At::Return, body, &values)?;
    body.blocks[entry].statements.splice(0..0, first);
    let blocks: Vec<BlockId> = body.blocks.ids().collect();
    for block in blocks {
        let Terminator::Return(value) = body.blocks[block].terminator else { continue };
        let location = body.blocks[block].location;
        let checks = conditions.iter().map(|(note, condition)| check(*condition, note.clone(), location));
        let given = match value.filter(|&value| body.expressions[value].ty == ty) {
            Some(value) => assign(result, value, location),
            None => any(result, "contract", location),
        };
        let checks: Vec<Statement> = [given].into_iter().chain(checks).collect();
        body.blocks[block].statements.extend(checks);
    }
    Some(())
}

/// A variable for the value that another one has at a call.
fn saved(body: &mut Body, original: &program::Variable, location: Location) -> VariableId {
    let name = format!("$before_{}", original.name);
    variable(body, name, original.ty, Origin::Temporary, location)
}

/// Which variables of the program a function and all behind it use, and which of them they change.
struct Footprint {
    used: BTreeSet<VariableId>,
    changed: BTreeSet<VariableId>,
}

/// The footprint of a function that computes: of numbers, without memory but its own.
fn footprint(
    program: &Program,
    calls: &CallGraph,
    frames: &Frames,
    function: FunctionId,
) -> Option<Footprint> {
    let description = &program.functions[function];
    let is_number = |ty: Type| ty != Type::Pointer;
    let types = description.parameters.iter().chain(&description.result);
    if description.variadic || description.no_return || !types.copied().all(is_number) {
        return None;
    }
    let mut used = BTreeSet::new();
    for one in calls.behind(function).chain([function]) {
        let body = program.functions[one].body()?;
        if !body.statements().all(|statement| computes(program, body, statement)) {
            return None;
        }
        let mentioned = body.expressions.values().filter_map(|expression| match expression.kind {
            ExprKind::Variable(variable) => Some(variable),
            _ => None,
        });
        let targets = body.statements().filter_map(|statement| statement.kind.target());
        used.extend(mentioned.chain(targets).filter(|variable| variable.is_global()));
    }
    let is_plain =
        |&variable: &VariableId| is_number(program.globals[base::Index::index(variable)].variable.ty);
    let changed = match frames.of_function(function) {
        Frame::Only { globals, exported: false, memory: false } => globals.clone(),
        _ => return None,
    };
    used.iter().all(is_plain).then_some(Footprint { used, changed })
}

/// Whether a statement uses no memory but that of its function, and calls only what computes or ends the run at once.
fn computes(program: &Program, body: &Body, statement: &Statement) -> bool {
    let is_own = |pointer: ExprId| matches!(named_object(body, pointer), Some(program::ObjectRef::Local(_)));
    match &statement.kind {
        StatementKind::Load { pointer, .. } | StatementKind::Store { pointer, .. } => is_own(*pointer),
        StatementKind::Fill { destination, .. } => is_own(*destination),
        StatementKind::Copy { destination, source, .. } => is_own(*destination) && is_own(*source),
        StatementKind::Call { callee: Callee::Function(callee), .. } => {
            let callee = &program.functions[*callee];
            match callee.definition {
                Definition::Body(_) => true,
                Definition::External => {
                    let is_number = |ty: &Type| *ty != Type::Pointer;
                    END_AT_ONCE.contains(&callee.name.as_str())
                        || effects_of(&callee.name).defined
                            && !effects_of(&callee.name).ends
                            && callee.parameters.iter().chain(&callee.result).all(is_number)
                }
                Definition::Unsupported { .. } => false,
            }
        }
        StatementKind::Call { callee: Callee::Pointer(_), .. }
        | StatementKind::Allocate { .. }
        | StatementKind::Variadic { .. }
        | StatementKind::Mark(_)
        | StatementKind::Unknown { .. } => false,
        StatementKind::Check(check) => match check {
            Check::Readable { pointer, .. }
            | Check::Writable { pointer, .. }
            | Check::Accessible { pointer, .. } => is_own(*pointer),
            Check::Holds { .. } | Check::Defined { .. } => true,
            Check::Terminated { .. } | Check::Freeable { .. } => false,
        },
        StatementKind::Assign { .. }
        | StatementKind::Begin { .. }
        | StatementKind::End { .. }
        | StatementKind::Forget { .. }
        | StatementKind::Input { .. }
        | StatementKind::Volatile { .. }
        | StatementKind::Assume { .. } => true,
    }
}

struct Contracted<'a> {
    program: &'a Program,
    footprints: &'a BTreeMap<FunctionId, Footprint>,
    contracts: &'a Contracts<'a>,
}

impl Contracted<'_> {
    /// Puts contracts in the places of calls.
    fn replace_calls(&self, body: &mut Body) -> Option<()> {
        let blocks: Vec<BlockId> = body.blocks.ids().collect();
        for block in blocks {
            let old = std::mem::take(&mut body.blocks[block].statements);
            let mut new = Vec::with_capacity(old.len());
            for statement in old {
                match statement.kind {
                    StatementKind::Call { target, callee: Callee::Function(callee), arguments }
                        if self.footprints.contains_key(&callee) =>
                    {
                        self.replace(body, (target, callee, &arguments), statement.location, &mut new)?;
                    }
                    _ => new.push(statement),
                }
            }
            body.blocks[block].statements = new;
        }
        Some(())
    }

    fn replace(
        &self,
        body: &mut Body,
        (target, callee, arguments): (Option<VariableId>, FunctionId, &[ExprId]),
        location: Location,
        new: &mut Vec<Statement>,
    ) -> Option<()> {
        let mut values = self.values(body, callee, location)?;
        let parameters = self.program.functions[callee].body()?.parameters.clone();
        if arguments.len() != parameters.len() {
            return None;
        }
        for (parameter, &argument) in parameters.iter().zip(arguments) {
            let given = values.before[parameter];
            if body.expressions[argument].ty != body.variables[given].ty {
                return None;
            }
            new.push(assign(given, argument, location));
        }
        self.save_globals(body, callee, &values, location, new);
        let required = self.contracts.written(callee, At::Call, body, &values)?;
        new.extend(required.into_iter().map(|(note, condition)| check(condition, note, location)));
        let changed = &self.footprints[&callee].changed;
        new.extend(changed.iter().map(|&global| any(global, "contract", location)));
        values.result = self.result(body, callee, location);
        new.extend(values.result.map(|result| any(result, "contract", location)));
        let ensured = self.contracts.written(callee, At::Return, body, &values)?;
        new.extend(ensured.into_iter().map(|(_, condition)| assume(condition, location)));
        match (target, values.result) {
            (Some(target), Some(result)) => {
                let value = body.read(result);
                new.push(assign(target, value, location));
                Some(())
            }
            (Some(_), None) => None,
            (None, _) => Some(()),
        }
    }

    /// Lets the entry call each contracted function anyhow, or do what it did.
    fn call_all(&self, result: &mut Program, entry: FunctionId) -> Option<()> {
        let changeable = Changeable::of(self.program).globals;
        let returned = result.functions[entry].result;
        let location = result.functions[entry].location;
        let body = result.functions[entry].body_mut()?;
        let first = body.entry();
        let original: Block = body.blocks[first].clone();
        let default = body.blocks.push(original);
        let mut cases = Vec::new();
        for (&function, footprint) in self.footprints {
            let mut values = self.values(body, function, location)?;
            let parameters = &self.program.functions[function].body()?.parameters;
            let given: Vec<VariableId> =
                parameters.iter().map(|parameter| values.before[parameter]).collect();
            let globals = footprint.used.iter().filter(|global| changeable.contains(global));
            let mut statements: Vec<Statement> =
                globals.chain(&given).map(|&one| any(one, "contract", location)).collect();
            self.save_globals(body, function, &values, location, &mut statements);
            let required = self.contracts.written(function, At::Call, body, &values)?;
            statements.extend(required.into_iter().map(|(_, condition)| assume(condition, location)));
            values.result = self.result(body, function, location);
            let arguments = given.iter().map(|&one| body.read(one)).collect();
            let callee = Callee::Function(function);
            let call = StatementKind::Call { target: values.result, callee, arguments };
            statements.push(Statement { kind: call, location });
            let ensured = self.contracts.written(function, At::Return, body, &values)?;
            statements.extend(ensured.into_iter().map(|(note, condition)| check(condition, note, location)));
            let value = returned.map(|ty| body.zero(ty));
            let case = body.blocks.push(block(statements, Terminator::Return(value), location));
            let number = i128::try_from(cases.len()).ok()? + 1;
            cases.push(Case { low: number, high: number, target: case });
        }
        let ty = Type::Integer(IntegerType { width: 32, signed: false });
        let choice = variable(body, String::from("$contract"), ty, Origin::Temporary, location);
        let value = body.read(choice);
        let choose = vec![any(choice, "contract", location)];
        body.blocks[first] = block(choose, Terminator::Switch { value, cases, default }, location);
        Some(())
    }

    /// Variables for the values at a call.
    fn values(&self, body: &mut Body, function: FunctionId, location: Location) -> Option<Values> {
        let callee = self.program.functions[function].body()?;
        let mut before = BTreeMap::new();
        let globals = &self.footprints[&function].used;
        for &one in callee.parameters.iter().chain(globals) {
            before.insert(one, saved(body, self.program.variable(callee, one), location));
        }
        Some(Values { before, ..Values::default() })
    }

    fn save_globals(
        &self,
        body: &mut Body,
        function: FunctionId,
        values: &Values,
        location: Location,
        new: &mut Vec<Statement>,
    ) {
        for &global in &self.footprints[&function].used {
            let ty = self.program.globals[base::Index::index(global)].variable.ty;
            let value = body.expression(ExprKind::Variable(global), ty);
            new.push(assign(values.before[&global], value, location));
        }
    }

    fn result(&self, body: &mut Body, function: FunctionId, location: Location) -> Option<VariableId> {
        let description = &self.program.functions[function];
        let name = format!("$result_{}", description.name);
        description.result.map(|ty| variable(body, name, ty, Origin::Temporary, location))
    }
}

pub(crate) fn check(condition: ExprId, note: String, location: Location) -> Statement {
    let check = Check::Holds { obligation: Obligation::Contract, condition, note: Some(note.into()) };
    Statement { kind: StatementKind::Check(check), location }
}
