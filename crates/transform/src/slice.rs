//! Parts of a program: what runs from a function can come to.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::{Arena, Index};
use program::interpret::is_library_object;
use program::{
    Definition, ExprKind, Function, FunctionId, GlobalObject, Initial, ObjectId, ObjectRef, Pointer, Program,
    Value, VariableId,
};

use crate::call_graph::callees;

/// What can be come to from a function, by calls, names and initial values.
#[derive(Debug, Default)]
struct Reached {
    functions: BTreeSet<FunctionId>,
    objects: BTreeSet<ObjectId>,
}

/// A program, to be cut into parts.
#[derive(Debug)]
pub(crate) struct Slices {
    program: Program,
}

impl Slices {
    /// Keeps a program to cut parts from.
    pub fn of(program: Program) -> Self {
        Self { program }
    }

    /// The part of the program behind a function. Everything keeps its number; what runs from the function cannot come to
    /// is empty.
    ///
    /// **Theorem.** A run from the function in the program is one in the part, as long as it follows no address that it got
    /// from outside.
    pub fn behind(&self, function: FunctionId) -> Program {
        let whole = &self.program;
        let reached = self.reached(function);
        let mut functions = Arena::default();
        for (id, function) in whole.functions.iter() {
            functions.push(match reached.functions.contains(&id) {
                true => function.clone(),
                false => undefined(function),
            });
        }
        let mut objects = Arena::default();
        for (id, object) in whole.objects.iter() {
            // What the library has, its models may use.
            objects.push(match reached.objects.contains(&id) || is_library_object(&object.name) {
                true => object.clone(),
                false => empty(object),
            });
        }
        Program {
            data_model: whole.data_model,
            world: whole.world,
            files: Arc::clone(&whole.files),
            functions,
            objects,
            globals: whole.globals.clone(),
            annotations: Arc::clone(&whole.annotations),
        }
    }
}

impl Slices {
    /// Whether runs from a function can come to objects that can be written.
    pub fn has_writable_objects(&self, function: FunctionId) -> bool {
        let objects = self.reached(function).objects;
        objects.into_iter().any(|object| self.program.objects[object].writable)
    }

    fn reached(&self, start: FunctionId) -> Reached {
        let mut reached = Reached::default();
        let mut left = vec![Item::Function(start)];
        while let Some(item) = left.pop() {
            match item {
                Item::Function(function) if reached.functions.insert(function) => {
                    self.add_named(function, &mut left);
                }
                Item::Object(object) if reached.objects.insert(object) => {
                    if let Initial::Bytes { pointers, .. } = &self.program.objects[object].initial {
                        left.extend(pointers.iter().map(|(_, pointer)| Item::of(*pointer)));
                    }
                }
                _ => {}
            }
        }
        reached
    }

    /// Adds what a function names.
    fn add_named(&self, function: FunctionId, left: &mut Vec<Item>) {
        let Some(body) = self.program.functions[function].body() else { return };
        let value = |variable: VariableId| {
            let global = variable.is_global().then(|| &self.program.globals[variable.index()])?;
            match global.initial {
                Value::Pointer(pointer) => Some(Item::of(pointer)),
                _ => None,
            }
        };
        left.extend(body.expressions.values().filter_map(|expression| match expression.kind {
            ExprKind::Function(function) => Some(Item::Function(function)),
            ExprKind::Object(ObjectRef::Global(object)) => Some(Item::Object(object)),
            ExprKind::Variable(variable) => value(variable),
            _ => None,
        }));
        left.extend(callees(body).into_iter().map(Item::Function));
    }
}

/// Something that has a name in a program.
#[derive(Clone, Copy)]
enum Item {
    Function(FunctionId),
    Object(ObjectId),
}

impl Item {
    fn of(pointer: Pointer) -> Self {
        match pointer {
            Pointer::Object(object, _) => Self::Object(object),
            Pointer::Function(function) => Self::Function(function),
        }
    }
}

/// A function without its body.
fn undefined(function: &Function) -> Function {
    Function {
        name: function.name.clone(),
        location: function.location,
        parameters: function.parameters.clone(),
        aggregates: function.aggregates.clone(),
        result: function.result,
        variadic: function.variadic,
        no_return: function.no_return,
        definition: Definition::External,
    }
}

/// An object without its contents.
fn empty(object: &GlobalObject) -> GlobalObject {
    GlobalObject {
        name: object.name.clone(),
        size: 0,
        alignment: object.alignment,
        writable: object.writable,
        exported: object.exported,
        thread_local: object.thread_local,
        initial: Initial::Bytes { bytes: Vec::new(), pointers: Vec::new() },
        location: object.location,
        element: None,
        fields: Vec::new(),
    }
}
