//! What the linker makes of names that C alone does not explain: assembler names, aliases, weak symbols, and symbols that
//! the linker itself defines.
//!
//! Two names of one function or object become one. Where that cannot be said for certain (a weak definition may be replaced
//! by another file, a weak reference may be null, `__start_x` is the address of some other object) every function that uses
//! the name is not represented, with the reason.

use std::collections::{BTreeMap, BTreeSet};

use base::Location;
use program::{Body, Definition, ExprKind, FunctionId, Initial, ObjectId, ObjectRef, Pointer, Program};

/// What headers of the C library put in front of the name of a function to choose a version of it.
const VERSIONS: [&str; 5] = ["__isoc99_", "__isoc23_", "__xpg_", "__posix_", "__"];

/// Symbols that linkers define: addresses in the middle of other things.
const DEFINED_BY_LINKERS: [&str; 9] = [
    "end",
    "_end",
    "etext",
    "_etext",
    "edata",
    "_edata",
    "__bss_start",
    "__data_start",
    "__executable_start",
];

const WEAK_DEFINITION: &str = "a weak definition, which another file may replace";
const WEAK_REFERENCE: &str = "a weak symbol that none of the files defines: its address may be null";
const OF_THE_LINKER: &str = "a symbol that the linker defines";
const OTHER_SIZE: &str = "an alias of an object of another size";

/// A function or an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Entity {
    Function(FunctionId),
    Object(ObjectId),
}

/// How one name stands for another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Alias {
    /// Always.
    Strong,
    /// Unless a file defines it.
    Weak,
    /// If a file defines the other one: `weakref`.
    Reference,
}

/// What is known of the names of a program besides what they name.
#[derive(Default)]
pub(super) struct Symbols {
    /// Other names: what has the name, what it stands for, and how.
    pub(super) aliases: Vec<(Entity, Entity, Alias)>,
    /// Functions of the library, and the assembler names of the versions that are meant.
    pub(super) versions: Vec<(FunctionId, String)>,
    /// What is only defined weakly.
    pub(super) weakly_defined: BTreeSet<Entity>,
    /// What is only declared weakly.
    pub(super) weakly_declared: BTreeSet<Entity>,
    /// What may not be used, and why.
    pub(super) refused: BTreeMap<Entity, String>,
}

/// Whether an assembler name is that of a version of the library function which the C name means.
pub(super) fn is_version(name: &str, assembler: &str) -> bool {
    let plain = assembler.strip_suffix("64").unwrap_or(assembler);
    assembler != name
        && (plain == name || VERSIONS.iter().any(|version| plain.strip_prefix(version) == Some(name)))
}

/// Makes names one that are one, and takes out the functions that use a name which nobody can explain. `is_defined` says of
/// an object whether a file defines it.
pub(super) fn resolve(program: &mut Program, symbols: Symbols, is_defined: &dyn Fn(ObjectId) -> bool) {
    let Symbols { mut aliases, versions, weakly_defined, weakly_declared, mut refused } = symbols;
    // A version that the program defines itself is no function of the library.
    for (name, version) in versions {
        let own = program.function_named(&version).filter(|own| program.functions[*own].is_defined());
        aliases.extend(own.map(|own| (Entity::Function(name), Entity::Function(own), Alias::Strong)));
    }
    let has_definition = |program: &Program, entity: Entity| match entity {
        Entity::Function(function) => program.functions[function].is_defined(),
        Entity::Object(object) => is_defined(object),
    };
    let mut meanings = BTreeMap::new();
    for (name, meaning, alias) in aliases {
        let is_defined = has_definition(program, name) && !weakly_defined.contains(&name);
        if alias != Alias::Reference && is_defined {
            if alias == Alias::Strong {
                refused.insert(name, String::from("an alias that has a definition of its own"));
            }
        } else if alias == Alias::Weak {
            refused.insert(name, WEAK_DEFINITION.to_owned());
        } else if alias == Alias::Reference && !has_definition(program, meaning) {
            refused.insert(name, WEAK_REFERENCE.to_owned());
        } else if size(program, name) != size(program, meaning) {
            refused.insert(name, OTHER_SIZE.to_owned());
        } else {
            // What has another name that other files know is known to them.
            if let (Entity::Object(name), Entity::Object(meaning)) = (name, meaning) {
                program.objects[meaning].exported |= program.objects[name].exported;
            }
            meanings.insert(name, meaning);
        }
    }
    for entity in weakly_defined.into_iter().filter(|entity| !meanings.contains_key(entity)) {
        refused.entry(entity).or_insert_with(|| WEAK_DEFINITION.to_owned());
    }
    for entity in weakly_declared {
        if !has_definition(program, entity) && !meanings.contains_key(&entity) {
            refused.entry(entity).or_insert_with(|| WEAK_REFERENCE.to_owned());
        }
    }
    for (object, item) in program.objects.iter() {
        if !is_defined(object) && is_of_the_linker(&item.name) {
            refused.insert(Entity::Object(object), OF_THE_LINKER.to_owned());
        }
    }
    refuse(program, &refused);
    rename(program, &meanings);
}

fn size(program: &Program, entity: Entity) -> Option<u64> {
    match entity {
        Entity::Function(_) => None,
        Entity::Object(object) => Some(program.objects[object].size),
    }
}

fn is_of_the_linker(name: &str) -> bool {
    name.starts_with("__start_") || name.starts_with("__stop_") || DEFINED_BY_LINKERS.contains(&name)
}

/// Takes out the refused functions and all that use something that is refused.
fn refuse(program: &mut Program, refused: &BTreeMap<Entity, String>) {
    if refused.is_empty() {
        return;
    }
    for (id, function) in program.functions.iter_mut() {
        let location = function.location;
        let own = refused.get(&Entity::Function(id)).cloned().filter(|_| function.is_defined());
        let used = || {
            let (entity, place) = function.body().and_then(|body| first_use(body, refused))?;
            Some((refused.get(&entity)?.clone(), place.unwrap_or(location)))
        };
        if let Some((reason, location)) = own.map(|reason| (reason, location)).or_else(used) {
            function.definition = Definition::Unsupported { reason, location };
        }
    }
    // What else may stand in a table is not known.
    let is_refused = |pointer: &Pointer| refused.contains_key(&entity_of(*pointer));
    for (_, object) in program.objects.iter_mut() {
        if matches!(&object.initial, Initial::Bytes { pointers, .. } if pointers.iter().any(|(_, to)| is_refused(to)))
        {
            object.initial = Initial::Unknown;
        }
    }
}

fn entity_of(pointer: Pointer) -> Entity {
    match pointer {
        Pointer::Object(object, _) => Entity::Object(object),
        Pointer::Function(function) => Entity::Function(function),
    }
}

/// What a body uses that is refused, and where if that is easy to say.
fn first_use(body: &Body, refused: &BTreeMap<Entity, String>) -> Option<(Entity, Option<Location>)> {
    for statement in body.statements() {
        let mut found = statement.kind.called().map(Entity::Function);
        statement.kind.visit_operands(|operand| found = found.or(named(&body.expressions[operand].kind)));
        if let Some(found) = found.filter(|found| refused.contains_key(found)) {
            return Some((found, Some(statement.location)));
        }
    }
    let names = body.expressions.values().filter_map(|expression| named(&expression.kind));
    names.into_iter().find(|name| refused.contains_key(name)).map(|name| (name, None))
}

fn named(kind: &ExprKind) -> Option<Entity> {
    match *kind {
        ExprKind::Function(function) => Some(Entity::Function(function)),
        ExprKind::Object(ObjectRef::Global(object)) => Some(Entity::Object(object)),
        _ => None,
    }
}

/// Puts what aliases stand for in their place.
fn rename(program: &mut Program, meanings: &BTreeMap<Entity, Entity>) {
    if meanings.is_empty() {
        return;
    }
    let meaning = |mut entity: Entity| {
        // A chain of aliases that comes back to itself is no program.
        for _ in 0..=meanings.len() {
            match meanings.get(&entity) {
                Some(next) => entity = *next,
                None => break,
            }
        }
        entity
    };
    let object = |id: ObjectId| match meaning(Entity::Object(id)) {
        Entity::Object(other) => other,
        Entity::Function(_) => id,
    };
    let function = |id: FunctionId| match meaning(Entity::Function(id)) {
        Entity::Function(other) => other,
        Entity::Object(_) => id,
    };
    program.rename(object, function);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_choose_versions_of_library_functions() {
        assert!(is_version("scanf", "__isoc99_scanf") && is_version("lseek", "lseek64"));
        assert!(is_version("strtol", "__isoc23_strtol") && is_version("sigsetjmp", "__sigsetjmp"));
        assert!(!is_version("h", "g") && !is_version("g", "g") && !is_version("__fread_alias", "fread"));
    }
}
