//! The names by which evidence speaks of the variables of a function.

use std::collections::BTreeMap;

use program::{Body, Program, VariableId};

/// The variables that a body can name, each under a name of its own: the second `i` is `i#2`.
pub fn variable_names(program: &Program, body: &Body) -> Vec<(String, VariableId)> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let globals = (0..program.globals.len()).map(VariableId::global);
    let mut names = Vec::new();
    for variable in body.variables.ids().chain(globals) {
        let name = program.variable(body, variable).name.as_str();
        let count = seen.entry(name).or_default();
        *count += 1;
        names.push((if *count == 1 { name.to_owned() } else { format!("{name}#{count}") }, variable));
    }
    names
}
