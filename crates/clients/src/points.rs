//! The loop statements of a program, with the variables that a witness can speak of at each.

use base::Location;
use evidence::names::variable_names;
use evidence::{Name, Place, Point, Visible};
use program::{BlockId, Body, FunctionId, LoopKind, Origin, Program, ScopeId, Type, VariableId};

/// All loop statements: where each is in the program, and how the source sees it. A loop of jumps is no statement.
pub fn points(program: &Program) -> Vec<(FunctionId, BlockId, Point)> {
    let mut points = Vec::new();
    for (id, function) in program.functions.iter() {
        let Some(body) = function.body() else { continue };
        let mut variables = None;
        for (head, block) in body.blocks.iter() {
            let Some(statement) = block.loop_statement.filter(|one| one.kind != LoopKind::Goto) else {
                continue;
            };
            let Some(place) = Place::of(program, statement.location) else { continue };
            let variables = variables.get_or_insert_with(|| visible(program, body)).clone();
            let (function, keyword) = (function.name.clone(), statement.kind.name());
            let called = Place::of(program, block.location);
            points.push((id, head, Point { function, place, head: called, keyword, variables }));
        }
    }
    points
}

fn visible(program: &Program, body: &Body) -> Vec<Visible> {
    let mut all = Vec::new();
    for (name, id) in variable_names(program, body) {
        let variable = program.variable(body, id);
        let (least, greatest) = match variable.ty {
            Type::Integer(ty) if ty.width < 128 => (ty.minimum(), ty.maximum()),
            Type::Bool => (0, 1),
            _ => continue,
        };
        if variable.origin == Origin::Temporary || !is_spelled(&variable.name) {
            continue;
        }
        all.push(Visible {
            name: Name::new(&name),
            spelling: variable.name.clone(),
            least,
            greatest,
            scope: scope(program, body, id, variable.scope),
            declared: Place::of(program, variable.location),
        });
    }
    all
}

/// Where the scope of a variable begins, if it is not that of the whole function.
fn scope(program: &Program, body: &Body, id: VariableId, scope: Option<ScopeId>) -> Option<Place> {
    if id.is_global() {
        return None;
    }
    let scope = &body.scopes[scope?];
    scope.parent?;
    let location: Location = scope.location;
    Place::of(program, location)
}

/// Whether a name is one of C: `i`, `point.x`.
fn is_spelled(name: &str) -> bool {
    name.split('.').all(|part| {
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
        part.chars().all(letters) && part.starts_with(|c: char| !c.is_ascii_digit())
    })
}
