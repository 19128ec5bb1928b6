//! What is said about the loops of a program: the one source of the table and of its JSON form.

use std::collections::{BTreeMap, BTreeSet};

use base::Index;
use evidence::Place;
use loops::{LoopFeatures, LoopForest, LoopId, LoopName, LoopNames};
use program::{
    Body, Definition, ExprId, ExprKind, FunctionId, ObjectRef, Origin, Program, StatementKind, VariableId,
};
use report::message::Message;
use serde::Serialize;
use serde_json::{Value, json};

/// How many steps a pointer is followed to what it points to.
const LONGEST_CHAIN: usize = 32;

/// A function and its loops.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FunctionSummary {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub place: Option<Place>,
    /// Whether it could be examined.
    #[serde(flatten)]
    pub status: Status,
    /// Its loops, in the order of the source, outer before inner.
    pub loops: Vec<LoopSummary>,
}

/// Whether a function could be examined.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Status {
    /// It could.
    Analysed,
    /// It could not.
    Unsupported {
        /// Why.
        reason: String,
        /// Where the reason stands.
        #[serde(rename = "reason_place")]
        place: Option<Place>,
    },
}

/// A loop.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LoopSummary {
    /// Its name, which stays the same as long as the source does: `sort.c:12 for`.
    pub name: String,
    /// Where it stands.
    pub place: Option<Place>,
    /// What makes it a loop: `for`, `while`, `do` or `goto`.
    pub kind: String,
    /// How many loops it is in, itself included.
    pub depth: usize,
    /// How many edges leave it.
    pub exits: usize,
    /// Whether control can enter it at more than one place.
    pub irreducible: bool,
    /// The variables and the memory that it changes, as the source names them.
    pub changes: Vec<String>,
    /// The functions that it calls.
    pub calls: Vec<String>,
}

impl FunctionSummary {
    /// Its name and place, for a heading.
    pub fn title(&self) -> String {
        match &self.place {
            Some(place) => format!("{} ({}:{})", self.name, place.file, place.line),
            None => self.name.clone(),
        }
    }
}

impl LoopSummary {
    /// Its place without folders and column.
    pub fn short_place(&self) -> String {
        self.place.as_ref().map_or_else(|| String::from("?"), Place::short)
    }
}

/// What there is to say about a function and its loops; nothing if it is defined elsewhere.
///
/// `names` gives the loops names that are unique in the program: use one for all functions.
pub fn summary(program: &Program, function: FunctionId, names: &mut LoopNames) -> Option<FunctionSummary> {
    let description = program.functions.get(function)?;
    let (status, loops) = match &description.definition {
        Definition::External => return None,
        Definition::Unsupported { reason, location } => {
            let place = Place::of(program, *location);
            (Status::Unsupported { reason: reason.clone(), place }, Vec::new())
        }
        Definition::Body(body) => {
            let forest = LoopForest::of(body);
            let names = names.of_function(program, function, &forest);
            let order = in_source_order(&forest, &names);
            let view = View { program, body, forest: &forest, meaning: meaning_of_temporaries(body) };
            (Status::Analysed, order.iter().map(|&id| view.summary(id, &names[id.index()])).collect())
        }
    };
    let place = Place::of(program, description.location);
    Some(FunctionSummary { name: description.name.clone(), place, status, loops })
}

/// The loops in the order of the source, each followed by those inside it.
fn in_source_order(forest: &LoopForest, names: &[LoopName]) -> Vec<LoopId> {
    let place = |id: &LoopId| (names[id.index()].location, *id);
    let mut stack: Vec<LoopId> =
        forest.iter().filter(|(_, item)| item.parent.is_none()).map(|(id, _)| id).collect();
    stack.sort_by_key(|id| std::cmp::Reverse(place(id)));
    let mut order = Vec::with_capacity(forest.len());
    while let Some(id) = stack.pop() {
        order.push(id);
        let mut children = forest[id].children.clone();
        children.sort_by_key(|id| std::cmp::Reverse(place(id)));
        stack.extend(children);
    }
    order
}

/// A function with what is needed to describe its loops.
struct View<'a> {
    program: &'a Program,
    body: &'a Body,
    forest: &'a LoopForest,
    meaning: BTreeMap<VariableId, ExprId>,
}

impl View<'_> {
    fn summary(&self, id: LoopId, name: &LoopName) -> LoopSummary {
        let Self { program, body, forest, .. } = *self;
        let invariants = LoopFeatures::of(program, body, forest, id);
        let variables =
            invariants.changed_in_source(body).map(|variable| program.variable(body, variable).name.clone());
        let mut changes: Vec<String> = variables.collect();
        let mut known: BTreeSet<String> = changes.iter().cloned().collect();
        for statement in forest.blocks(id).iter().flat_map(|&block| &body.blocks[block].statements) {
            if let StatementKind::Store { pointer: target, .. }
            | StatementKind::Copy { destination: target, .. }
            | StatementKind::Fill { destination: target, .. } = statement.kind
            {
                let name = self.memory_name(target);
                if known.insert(name.clone()) {
                    changes.push(name);
                }
            }
        }
        let unknowns = invariants.unknowns.iter().map(|what| format!("({what})"));
        LoopSummary {
            name: name.to_string(),
            place: Place::of(program, name.location),
            kind: name.kind.to_string(),
            depth: name.depth as usize,
            exits: invariants.exits,
            irreducible: !forest[id].reducible,
            changes,
            calls: invariants.calls.iter().map(ToString::to_string).chain(unknowns).collect(),
        }
    }

    /// What people call the memory that a pointer points to: an object by its name, and otherwise by the pointer's.
    fn memory_name(&self, pointer: ExprId) -> String {
        let Self { program, body, .. } = *self;
        let mut at = pointer;
        // Around a loop a temporary can stand for itself: the search must end all the same.
        for _ in 0..LONGEST_CHAIN {
            match body.expressions[at].kind {
                ExprKind::Offset(base, _) => at = base,
                ExprKind::Object(ObjectRef::Local(object)) => return body.locals[object].name.clone(),
                ExprKind::Object(ObjectRef::Global(object)) => return program.objects[object].name.clone(),
                ExprKind::Variable(id) => match self.meaning.get(&id) {
                    Some(&value) => at = value,
                    None if is_temporary(body, id) => break,
                    None => return format!("*{}", program.variable(body, id).name),
                },
                _ => break,
            }
        }
        String::from("memory")
    }
}

/// The values of the temporaries that are assigned once: what they stand for in the source.
fn meaning_of_temporaries(body: &Body) -> BTreeMap<VariableId, ExprId> {
    let mut meaning = BTreeMap::new();
    let mut twice = BTreeSet::new();
    for statement in body.blocks.values().flat_map(|block| &block.statements) {
        let Some(target) = statement.kind.target().filter(|&target| is_temporary(body, target)) else {
            continue;
        };
        match statement.kind {
            StatementKind::Assign { value, .. }
                if !twice.contains(&target) && !meaning.contains_key(&target) =>
            {
                meaning.insert(target, value);
            }
            _ => {
                meaning.remove(&target);
                twice.insert(target);
            }
        }
    }
    meaning
}

fn is_temporary(body: &Body, variable: VariableId) -> bool {
    !variable.is_global() && body.variables[variable].origin == Origin::Temporary
}

/// What the JSON form has: functions and their loops, and what there is to say about the input.
pub fn json(functions: &[FunctionSummary], messages: &[Message]) -> Value {
    json!({"functions": functions, "messages": messages})
}
