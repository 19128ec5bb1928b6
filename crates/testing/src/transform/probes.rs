//! Programs that show what they do: names that say which variable is meant, and a probe before every statement.
//!
//! A probe is a check of something true. Transformations leave it where it is, so that it tells which place of the old
//! program a place of the new one is. To be seen by an observer, who sees heads of loops alone, each becomes the head of a
//! loop that is never repeated. What a floating point variable holds is seen in a shadow: an integer with its bits.

use std::collections::{BTreeMap, HashMap};

use base::{Index, Location};
use program::{
    Block, BlockId, Body, Callee, Check, ExprId, FunctionId, Obligation, Origin, Program, Statement,
    StatementKind, Terminator, Type, Value, Variable, VariableId,
};

/// Calls of functions with such a name are what a store does that nobody sees: no probe stands before them.
pub const HIDDEN: &str = "hidden_";

/// A place of a program.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Its function.
    pub function: FunctionId,
    /// Its block.
    pub block: BlockId,
    /// The variable that the statement changes.
    pub target: Option<VariableId>,
    /// The function that the statement calls by name.
    pub calls: Option<FunctionId>,
}

/// Gives variables and objects of functions names of their own, and puts probes before statements and ends of blocks. Gives
/// the probes by their numbers.
pub fn add_probes(program: &mut Program) -> Vec<Probe> {
    let names: BTreeMap<FunctionId, String> =
        program.functions.iter().map(|(id, function)| (id, function.name.clone())).collect();
    let mut probes = Vec::new();
    for (function, description) in program.functions.iter_mut() {
        let Some(body) = description.body_mut() else { continue };
        for (id, variable) in body.variables.iter_mut() {
            variable.name = format!("v{}.{}", function.index(), id.index());
        }
        for (id, local) in body.locals.iter_mut() {
            local.name = format!("l{}.{}", function.index(), id.index());
        }
        let truth = body.boolean(true);
        for (block, content) in body.blocks.iter_mut() {
            let mut statements = Vec::new();
            for statement in std::mem::take(&mut content.statements) {
                let calls = match statement.kind {
                    StatementKind::Call { callee: Callee::Function(callee), .. } => Some(callee),
                    _ => None,
                };
                if !calls.is_some_and(|callee| names[&callee].starts_with(HIDDEN)) {
                    let target = statement.kind.target();
                    statements.push(mark(truth, &probe_note(probes.len())));
                    probes.push(Probe { function, block, target, calls });
                }
                statements.push(statement);
            }
            statements.push(mark(truth, &probe_note(probes.len())));
            probes.push(Probe { function, block, target: None, calls: None });
            content.statements = statements;
        }
    }
    probes
}

fn probe_note(number: usize) -> String {
    format!("probe {number}")
}

/// A check that always holds and has a note.
fn mark(truth: ExprId, note: &str) -> Statement {
    let check = Check::Holds { obligation: Obligation::Assertion, condition: truth, note: Some(note.into()) };
    Statement { kind: StatementKind::Check(check), location: Location::unknown() }
}

/// Lets a block begin with a sign that control is there.
pub fn add_sign(body: &mut Body, block: BlockId, number: usize) {
    let truth = body.boolean(true);
    body.blocks[block].statements.insert(0, mark(truth, &format!("sign {number}")));
}

/// What an observer sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// A probe, by its number.
    Probe(usize),
    /// A sign, by its number.
    Sign(usize),
}

/// What a statement shows.
pub fn seen(statement: &Statement) -> Option<Seen> {
    let StatementKind::Check(Check::Holds { note: Some(note), .. }) = &statement.kind else { return None };
    let (what, number) = note.split_once(' ')?;
    let number = number.parse().ok()?;
    match what {
        "probe" => Some(Seen::Probe(number)),
        "sign" => Some(Seen::Sign(number)),
        _ => None,
    }
}

/// A program whose probes are heads of loops.
pub struct Visible {
    /// The program.
    pub program: Program,
    /// What the heads are.
    pub heads: HashMap<(FunctionId, BlockId), Seen>,
    /// The variables that have the bits of floating point variables.
    pub shadows: HashMap<(FunctionId, VariableId), VariableId>,
}

/// Makes probes visible. Some of the program's variables are floating point numbers whose values are always known.
pub fn visible(mut program: Program, globals: &[VariableId]) -> Visible {
    let formats: Vec<(VariableId, Type)> =
        globals.iter().map(|&global| (global, program.globals[global.index()].variable.ty)).collect();
    let (mut heads, mut shadows) = (HashMap::new(), HashMap::new());
    for (function, description) in program.functions.iter_mut() {
        let Some(body) = description.body_mut() else { continue };
        let own = add_shadows(body, &formats);
        shadows.extend(own.iter().map(|(&variable, &(shadow, _))| ((function, variable), shadow)));
        let blocks: Vec<BlockId> = body.blocks.ids().collect();
        for block in blocks {
            for (head, seen) in split(body, block) {
                heads.insert((function, head), seen);
            }
        }
    }
    Visible { program, heads, shadows }
}

/// The floating point variables of the program whose values are known from the start.
pub fn known_floats(program: &Program) -> Vec<VariableId> {
    let is_known = |(_, global): &(usize, &program::GlobalVariable)| {
        matches!(global.variable.ty, Type::Float(_)) && global.initial != Value::Unknown
    };
    program.globals.iter().enumerate().filter(is_known).map(|(place, _)| VariableId::global(place)).collect()
}

/// Sets shadows after the statements that set their variables. Gives each variable's shadow and its new value.
fn add_shadows(
    body: &mut Body,
    globals: &[(VariableId, Type)],
) -> BTreeMap<VariableId, (VariableId, ExprId)> {
    let locals: Vec<(VariableId, Type)> = body.variables.iter().map(|(id, one)| (id, one.ty)).collect();
    let mut shadows = BTreeMap::new();
    for &(variable, ty) in locals.iter().chain(globals) {
        let Type::Float(format) = ty else { continue };
        let bits = Type::unsigned(u8::try_from(format.bits()).unwrap_or(128));
        let (origin, location) = (Origin::Temporary, Location::unknown());
        let name = format!("bits {variable:?}");
        let shadow = body.variables.push(Variable { name, ty: bits, origin, scope: None, location });
        let value = body.expression(program::ExprKind::Variable(variable), ty);
        let value = body.expression(program::ExprKind::Reinterpret(value), bits);
        shadows.insert(variable, (shadow, value));
    }
    if shadows.is_empty() {
        return shadows;
    }
    let set = |(target, value): (VariableId, ExprId)| Statement {
        kind: StatementKind::Assign { target, value },
        location: Location::unknown(),
    };
    let entry = body.entry();
    for (block, content) in body.blocks.iter_mut() {
        let mut statements = Vec::new();
        if block == entry {
            let first = shadows.iter().filter(|(one, _)| one.is_global() || body.parameters.contains(one));
            statements.extend(first.map(|(_, &shadow)| set(shadow)));
        }
        for statement in std::mem::take(&mut content.statements) {
            let target = statement.kind.target();
            let is_call = matches!(statement.kind, StatementKind::Call { .. });
            statements.push(statement);
            let changed =
                shadows.iter().filter(|(one, _)| target == Some(**one) || (is_call && one.is_global()));
            statements.extend(changed.map(|(_, &shadow)| set(shadow)));
        }
        content.statements = statements;
    }
    shadows
}

/// Splits a block at its probes.
fn split(body: &mut Body, block: BlockId) -> Vec<(BlockId, Seen)> {
    let statements = std::mem::take(&mut body.blocks[block].statements);
    let end = std::mem::replace(&mut body.blocks[block].terminator, Terminator::Unreachable);
    let location = body.blocks[block].location;
    let mut heads: Vec<(BlockId, Seen)> = Vec::new();
    let (mut current, mut is_head) = (block, false);
    let empty = Block {
        statements: Vec::new(),
        terminator: Terminator::Unreachable,
        location,
        loop_statement: None,
        body_of: None,
    };
    let leave = |body: &mut Body, current: BlockId, is_head: bool, next: BlockId| {
        let condition = body.boolean(false);
        body.blocks[current].terminator = match is_head {
            true => Terminator::Branch { condition, then: current, otherwise: next },
            false => Terminator::Goto(next),
        };
    };
    for statement in statements {
        match seen(&statement) {
            Some(seen) => {
                let next = body.blocks.push(empty.clone());
                leave(body, current, is_head, next);
                heads.push((next, seen));
                (current, is_head) = (next, true);
            }
            None => body.blocks[current].statements.push(statement),
        }
    }
    if is_head {
        let next = body.blocks.push(empty);
        leave(body, current, true, next);
        current = next;
    }
    body.blocks[current].terminator = end;
    heads
}
