//! Several translation units become one program: names with external linkage are shared, `static` ones are kept
//! apart, a definition wins over a declaration.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use base::{FileId, Location};
use program::{
    Callee, DataModel, Definition, ExprKind, Function, FunctionId, GlobalObject, Initial, ObjectId, Program,
    StatementKind, Type,
};

use super::recognise;
use super::startup::{self, Startup};
use super::symbols::{self, Entity, Symbols};
use crate::{Diagnostic, Severity};

/// The program while units are added to it.
#[derive(Default)]
pub(crate) struct Linker {
    pub(super) program: Program,
    /// Everything with external linkage, by name.
    functions: HashMap<String, FunctionId>,
    objects: HashMap<String, (ObjectId, Strength)>,
    /// All names that are taken, external or not.
    function_names: HashMap<String, u32>,
    object_names: HashMap<String, u32>,
    literals: HashMap<Vec<u8>, ObjectId>,
    files: HashMap<String, FileId>,
    last_file: Option<FileId>,
    diagnostics: Vec<Diagnostic>,
    pub(super) symbols: Symbols,
    pub(super) startup: Startup,
    /// Definitions of functions that the linker does not see.
    inline: HashSet<FunctionId>,
}

/// How much a definition of a function counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Weight {
    /// There is only one.
    Strong,
    /// Another one wins.
    Weak,
    /// The linker does not see it: whether a call goes here or to another one is the compiler's choice.
    Inline,
}

/// How much of a definition the best declaration of an object so far was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Strength {
    Declared,
    Weak,
    Tentative,
    Defined,
}

impl Linker {
    /// An empty program.
    pub(crate) fn new(data_model: DataModel) -> Self {
        Self { program: Program { data_model, ..Program::default() }, ..Self::default() }
    }

    /// The whole program, and what the units disagree about.
    pub(crate) fn finish(mut self) -> (Program, Vec<Diagnostic>) {
        let objects: HashSet<ObjectId> = self.defined_objects();
        let weak = self.objects.values().filter(|(_, strength)| *strength == Strength::Weak);
        self.symbols.weakly_defined.extend(weak.map(|(id, _)| Entity::Object(*id)));
        symbols::resolve(&mut self.program, std::mem::take(&mut self.symbols), &|id| objects.contains(&id));
        self.leave_inline();
        startup::complete(&mut self.program, std::mem::take(&mut self.startup));
        recognise::recognise(&mut self.program);
        reconcile_calls(&mut self.program);
        self.program.world.open |= program::outside::is_open(&self.program);
        (self.program, self.diagnostics)
    }

    /// An inline definition may be the one that is called, or that of another file: it is not known which.
    fn leave_inline(&mut self) {
        for &id in &self.inline {
            let function = &mut self.program.functions[id];
            if function.body().is_some() {
                let reason =
                    String::from("an inline definition: another file may define the function otherwise");
                function.definition = match program::interpret::is_library_function(&function.name) {
                    true => Definition::External,
                    false => Definition::Unsupported { reason, location: function.location },
                };
            }
        }
    }

    /// The objects with external linkage that a file defines, and all others.
    fn defined_objects(&self) -> HashSet<ObjectId> {
        let declared: HashSet<ObjectId> = self
            .objects
            .values()
            .filter_map(|&(id, strength)| (strength == Strength::Declared).then_some(id))
            .collect();
        self.program.objects.ids().filter(|id| !declared.contains(id)).collect()
    }

    pub(super) fn file(&mut self, name: &str) -> FileId {
        // Neighbouring places are in the same file nearly always.
        if let Some(last) = self.last_file.filter(|&last| self.program.files[last] == name) {
            return last;
        }
        let file = match self.files.get(name) {
            Some(&file) => file,
            None => {
                let file = Arc::make_mut(&mut self.program.files).push(name.to_owned());
                self.files.insert(name.to_owned(), file);
                file
            }
        };
        self.last_file = Some(file);
        file
    }

    /// The function with external linkage and this name, or a new one with this signature.
    pub(super) fn external_function(&mut self, function: Function) -> FunctionId {
        if let Some(&id) = self.functions.get(&function.name) {
            let known = &mut self.program.functions[id];
            known.no_return |= function.no_return;
            let was_unprototyped = known.variadic && known.parameters.is_empty();
            if matches!(known.definition, Definition::External) && was_unprototyped {
                known.parameters = function.parameters;
                known.variadic = function.variadic;
                known.result = function.result;
            }
            return id;
        }
        let name = function.name.clone();
        let id = self.new_function(function);
        self.functions.insert(name, id);
        id
    }

    /// A function that only its unit can name.
    pub(super) fn new_function(&mut self, mut function: Function) -> FunctionId {
        function.name = unique(&mut self.function_names, function.name);
        self.program.functions.push(function)
    }

    /// Gives a function its definition. A second one is an error, unless one of them is weak or an inline one.
    pub(super) fn define_function(&mut self, id: FunctionId, function: Function, weight: Weight) {
        let known = &mut self.program.functions[id];
        let weak = Entity::Function(id);
        if known.is_defined() && (weight == Weight::Inline || self.inline.contains(&id)) {
            // The same header in two files defines the same function.
            if known.location != function.location {
                let reason = String::from("an inline definition beside another one");
                known.definition = Definition::Unsupported { reason, location: known.location };
            }
            return;
        }
        if known.is_defined() && weight == Weight::Weak {
            return;
        }
        if known.is_defined() && !self.symbols.weakly_defined.remove(&weak) {
            let place = self.program.describe(function.location);
            let message =
                format!("multiple definition of `{}`: the one at {place} is left out", function.name);
            self.diagnostics.push(Diagnostic::new(Severity::Error, message));
            return;
        }
        match weight {
            Weight::Strong => {}
            Weight::Weak => _ = self.symbols.weakly_defined.insert(weak),
            Weight::Inline => _ = self.inline.insert(id),
        }
        let name = std::mem::take(&mut known.name);
        let no_return = known.no_return;
        *known = Function { name, no_return: no_return | function.no_return, ..function };
    }

    /// The object with external linkage and this name, and whether this declaration is the strongest so far: it gives
    /// size and contents then.
    pub(super) fn external_object(&mut self, object: GlobalObject, strength: Strength) -> (ObjectId, bool) {
        let Some(&(id, known)) = self.objects.get(&object.name) else {
            let name = object.name.clone();
            let id = self.new_object(object);
            self.objects.insert(name, (id, strength));
            return (id, true);
        };
        self.compare(&self.program.objects[id], known, &object, strength).into_iter().for_each(|problem| {
            self.diagnostics.push(problem);
        });
        let size = object.size.max(self.program.objects[id].size);
        let is_stronger = strength > known;
        if is_stronger {
            self.objects.insert(object.name.clone(), (id, strength));
            let name = std::mem::take(&mut self.program.objects[id].name);
            self.program.objects[id] = GlobalObject { name, ..object };
        }
        self.program.objects[id].size = size;
        (id, is_stronger)
    }

    /// What two declarations of one object in two files disagree about.
    fn compare(
        &self,
        known: &GlobalObject,
        known_strength: Strength,
        object: &GlobalObject,
        strength: Strength,
    ) -> Option<Diagnostic> {
        let place = self.program.describe(object.location);
        let name = &object.name;
        if known_strength == Strength::Defined && strength == Strength::Defined {
            let message = format!("multiple definition of `{name}`: the one at {place} is left out");
            return Some(Diagnostic::new(Severity::Error, message));
        }
        // Memory that only a declaration promises is not there.
        let (promised, defined) = match (known_strength, strength) {
            (Strength::Declared, Strength::Declared) => return None,
            (Strength::Declared, _) => (known.size, object.size),
            (_, Strength::Declared) => (object.size, known.size),
            _ => return None,
        };
        (promised > defined).then(|| {
            let message =
                format!("`{name}` has {defined} bytes, and is declared with {promised}; see {place}");
            Diagnostic::new(Severity::Error, message)
        })
    }

    /// An object that only its unit can name.
    pub(super) fn new_object(&mut self, mut object: GlobalObject) -> ObjectId {
        object.name = unique(&mut self.object_names, object.name);
        self.program.objects.push(object)
    }

    /// The object of a string literal; equal literals are one object.
    pub(super) fn literal(&mut self, bytes: Vec<u8>, alignment: u64) -> ObjectId {
        if let Some(&id) = self.literals.get(&bytes) {
            return id;
        }
        let id = self.new_object(GlobalObject {
            name: String::from("literal"),
            size: bytes.len() as u64,
            alignment,
            writable: false,
            exported: false,
            thread_local: false,
            initial: Initial::Bytes { bytes: bytes.clone(), pointers: Vec::new() },
            location: Location::unknown(),
            element: None,
            fields: Vec::new(),
        });
        self.literals.insert(bytes, id);
        id
    }
}

/// The name itself if it is free, else with a number.
fn unique(taken: &mut HashMap<String, u32>, name: String) -> String {
    match taken.get_mut(&name) {
        None => {
            taken.insert(name.clone(), 0);
            name
        }
        Some(count) => {
            *count += 1;
            let numbered = format!("{name}.{count}");
            unique(taken, numbered)
        }
    }
}

/// Calls through declarations without a prototype may pass other types than the definition takes: integers are
/// converted as the definition says; whatever else disagrees becomes a call through a pointer, which nothing is
/// assumed about.
fn reconcile_calls(program: &mut Program) {
    let signature = |function: &Function| (function.parameters.clone(), function.variadic, function.result);
    let signatures: Vec<_> = program.functions.values().map(signature).collect();
    for body in program.bodies_mut() {
        for block in body.blocks.ids() {
            let mut statements = std::mem::take(&mut body.blocks[block].statements);
            for statement in &mut statements {
                let StatementKind::Call { callee, arguments, target } = &mut statement.kind else { continue };
                let Callee::Function(id) = *callee else { continue };
                let (parameters, variadic, result) = &signatures[base::Index::index(id)];
                for (argument, &parameter) in arguments.iter_mut().zip(parameters) {
                    if let (Type::Integer(_), Type::Integer(_)) = (body.type_of(*argument), parameter) {
                        *argument = body.convert(parameter, *argument);
                    }
                }
                let agrees = arguments
                    .iter()
                    .map(|&argument| body.type_of(argument))
                    .take(parameters.len())
                    .eq(parameters.iter().copied())
                    && (arguments.len() == parameters.len() || *variadic)
                    && target.is_none_or(|target| {
                        !target.is_global() && *result == Some(body.variables[target].ty)
                    });
                if !agrees {
                    *callee = Callee::Pointer(body.expression(ExprKind::Function(id), Type::Pointer));
                }
            }
            body.blocks[block].statements = statements;
        }
    }
}
