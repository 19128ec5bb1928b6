//! A modular function as a program of its own.
//!
//! The body of a modular function has no calls and no addresses. So the program needs no other function and no object, and
//! of the variables that live as long as the program only those that the body mentions. They get new numbers, and keep
//! the names by which evidence speaks of them: the third `count` of the whole program is `count#3` here, too.

use std::collections::BTreeMap;

use program::{Body, Definition, ExprKind, Function, Program, VariableId};

use super::functions::{ModularFunctions, mentioned};

/// The program that holds one modular function, which has number zero.
pub(super) fn alone(functions: &ModularFunctions<'_>, function: &Function, mut body: Body) -> Program {
    let whole = functions.program();
    let numbers: BTreeMap<VariableId, VariableId> =
        mentioned(&body).into_iter().enumerate().map(|(place, id)| (id, VariableId::global(place))).collect();
    let globals = numbers.keys().map(|&id| {
        let mut global = functions.global(id);
        let before = functions.namesakes(id);
        if before > 0 {
            let name = &global.variable.name;
            let own = body.variables.values().filter(|variable| variable.name == *name).count();
            global.variable.name = format!("{name}#{}", own + before + 1);
        }
        global
    });
    let globals = globals.collect();
    renumber(&mut body, &numbers);
    let mut program = Program {
        data_model: whole.data_model,
        world: whole.world,
        files: whole.files.clone(),
        globals,
        ..Program::default()
    };
    program.functions.push(Function {
        name: function.name.clone(),
        location: function.location,
        parameters: function.parameters.clone(),
        aggregates: function.aggregates.clone(),
        result: function.result,
        variadic: function.variadic,
        no_return: function.no_return,
        definition: Definition::Body(Box::new(body)),
    });
    program
}

fn renumber(body: &mut Body, numbers: &BTreeMap<VariableId, VariableId>) {
    let renumber = |variable: &mut VariableId| {
        if let Some(&number) = numbers.get(variable) {
            *variable = number;
        }
    };
    for (_, expression) in body.expressions.iter_mut() {
        if let ExprKind::Variable(variable) = &mut expression.kind {
            renumber(variable);
        }
    }
    for statement in body.blocks.iter_mut().flat_map(|(_, block)| &mut block.statements) {
        if let Some(target) = statement.kind.target_mut() {
            renumber(target);
        }
    }
}
