//! The modular form of each function by itself, held against the modular form of the whole program.
//!
//! They must have the same blocks and statements. The whole program also says that calls and stores change variables
//! that the function does not mention. Every variable must have the same name in evidence.

use std::collections::BTreeMap;

use evidence::names::variable_names;
use program::{Body, ExprKind, FunctionId, Program, Statement, StatementKind, VariableId};
use transform::{ModularFunctions, modular};

/// Compares both forms of all functions. Counts the functions, and the variables of the program that they keep.
///
/// # Errors
/// How they differ.
pub fn compare(program: &Program) -> Result<(usize, usize), String> {
    let (functions, whole) = (ModularFunctions::of(program), modular(program));
    let (mut compared, mut kept) = (0, 0);
    for (id, description) in whole.functions.iter() {
        let Some(body) = description.body() else { continue };
        let alone = functions.function(id).ok_or("it has no form of its own")?;
        program::verify::verify(&alone).map_err(|defects| defects[0].describe(&alone))?;
        difference(&whole, body, &alone).map_err(|what| format!("{}: {what}", description.name))?;
        compared += 1;
        kept += alone.globals.len();
    }
    Ok((compared, kept))
}

fn difference(whole: &Program, body: &Body, alone: &Program) -> Result<(), String> {
    let own = alone.functions.values().next().and_then(|function| function.body()).ok_or("it has no body")?;
    let named: BTreeMap<String, VariableId> = variable_names(whole, body).into_iter().collect();
    let mut numbers = BTreeMap::new();
    for (name, variable) in variable_names(alone, own) {
        let same = *named.get(&name).ok_or(format!("{name} is new"))?;
        let global = |program: &Program, id: VariableId| {
            id.is_global().then(|| program.globals[base::Index::index(id)].clone())
        };
        let (old, new) = (global(whole, same), global(alone, variable));
        let start = |one: &Option<program::GlobalVariable>| {
            one.as_ref().map(|one| (one.initial, one.exported, one.variable.location))
        };
        if start(&old) != start(&new) || !variable.is_global() && variable != same {
            return Err(format!("{name} is another variable"));
        }
        numbers.insert(variable, same);
    }
    let is_known = |statement: &Statement| match statement.kind {
        StatementKind::Input { target, .. } => numbers.values().any(|&known| known == target),
        _ => true,
    };
    let same = renumbered(own, &numbers);
    let mut expected = body.clone();
    for (_, block) in expected.blocks.iter_mut() {
        block.statements.retain(is_known);
    }
    if same == expected { Ok(()) } else { Err(format!("{same:?}\nis not\n{expected:?}")) }
}

fn renumbered(body: &Body, numbers: &BTreeMap<VariableId, VariableId>) -> Body {
    let mut body = body.clone();
    for (_, expression) in body.expressions.iter_mut() {
        if let ExprKind::Variable(variable) = &mut expression.kind {
            *variable = numbers[variable];
        }
    }
    for statement in body.blocks.iter_mut().flat_map(|(_, block)| &mut block.statements) {
        if let Some(target) = statement.kind.target_mut() {
            *target = numbers[target];
        }
    }
    body
}

/// The names under which evidence speaks of the variables that a function keeps.
pub fn names(program: &Program, function: FunctionId) -> Vec<String> {
    let Some(alone) = ModularFunctions::of(program).function(function) else { return Vec::new() };
    let body = alone.functions.values().next().and_then(|function| function.body());
    let all = body.map(|body| variable_names(&alone, body)).unwrap_or_default();
    all.into_iter().filter(|(_, variable)| variable.is_global()).map(|(name, _)| name).collect()
}
