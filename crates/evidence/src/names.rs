//! The names by which evidence speaks of the variables of a function.

use std::collections::BTreeMap;

use program::{Body, Program, VariableId};

/// The variables of a body, each under the name that it has in [`variable_names`].
pub fn local_names(body: &Body) -> Vec<(String, VariableId)> {
    named(body.variables.iter().map(|(id, variable)| (id, variable.name.as_str())))
}

/// The variables that a body can name, each under a name of its own: the second `i` is `i#2`.
pub fn variable_names(program: &Program, body: &Body) -> Vec<(String, VariableId)> {
    let globals = (0..program.globals.len()).map(VariableId::global);
    let all = body.variables.ids().chain(globals);
    named(all.map(|variable| (variable, program.variable(body, variable).name.as_str())))
}

fn named<'a>(variables: impl Iterator<Item = (VariableId, &'a str)>) -> Vec<(String, VariableId)> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names = Vec::new();
    for (variable, name) in variables {
        let count = seen.entry(name).or_default();
        *count += 1;
        names.push((if *count == 1 { name.to_owned() } else { format!("{name}#{count}") }, variable));
    }
    names
}
