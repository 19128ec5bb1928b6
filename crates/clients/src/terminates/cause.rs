//! Why nothing was found that shows that a loop is left: what its exits hang on, at a place of the source.

use base::Location;
use loops::{Criterion, LoopForest, LoopId, PostDominators, Slice};
use program::{Body, Callee, Program, StatementKind, Type, VariableId};

/// The likely cause in words, and where it stands.
pub(super) fn cause(
    program: &Program,
    body: &Body,
    forest: &LoopForest,
    id: LoopId,
    head: Location,
) -> (String, Location) {
    if forest.exit_edges(id).is_empty() {
        return (String::from("no way leads out of it"), head);
    }
    let slice = Slice::of(body, forest, &PostDominators::of(forest.graph()), id, Criterion::Exits);
    let (mut call, mut load) = (None, None);
    for &(block, place) in &slice.statements {
        let statement = &body.blocks[block].statements[place];
        let (found, on) = match &statement.kind {
            StatementKind::Call { target: Some(_), callee, .. } => {
                let name = match callee {
                    Callee::Function(function) => program.functions[*function].name.as_str(),
                    Callee::Pointer(_) => "a function that a pointer names",
                };
                (&mut call, format!("what {name} gives"))
            }
            StatementKind::Input { name, .. } => (&mut call, format!("what {name} gives")),
            StatementKind::Load { .. } => (&mut load, String::from("memory, of which not enough is known")),
            _ => continue,
        };
        found.get_or_insert((format!("when it is left depends on {on}"), statement.location));
    }
    let is_float = |variable: &VariableId| matches!(program.variable(body, *variable).ty, Type::Float(_));
    let float = slice.variables.iter().find(|variable| is_float(variable)).map(|&variable| {
        let name = &program.variable(body, variable).name;
        let what =
            format!("when it is left depends on the floating point number {name}, whose steps may get lost");
        (what, head)
    });
    let no_rank = || (String::from("no number was found that every iteration makes less"), head);
    call.or(float).or(load).unwrap_or_else(no_rank)
}
