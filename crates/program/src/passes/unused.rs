//! Removes what no function of the program refers to: objects (string literals above all), and functions that are
//! only declared. Functions with a body stay, whoever calls them, and so does `main`.

use base::Index;

use crate::expression::{ExprKind, ObjectRef};
use crate::passes::dead::keep;
use crate::passes::expressions::compact;
use crate::program::{FunctionId, Initial, ObjectId, Pointer, Program, Value};

/// Removes what nothing refers to.
pub fn remove(program: &mut Program) {
    program.bodies_mut().for_each(compact);
    let used = Used::by(program);
    if used.functions.iter().chain(&used.objects).all(|&used| used) {
        return;
    }
    let (objects, object_names) = keep::<ObjectId, _>(std::mem::take(&mut program.objects), &used.objects);
    let (functions, function_names) =
        keep::<FunctionId, _>(std::mem::take(&mut program.functions), &used.functions);
    (program.objects, program.functions) = (objects, functions);
    let object = |old: ObjectId| object_names[old.index()].expect("what is referred to is kept");
    let function = |old: FunctionId| function_names[old.index()].expect("what is referred to is kept");
    program.rename(object, function);
}

/// What is referred to.
struct Used {
    objects: Vec<bool>,
    functions: Vec<bool>,
    /// Objects whose initial values have not been examined.
    fresh: Vec<ObjectId>,
}

impl Used {
    fn by(program: &Program) -> Self {
        // A program that declares `main` starts there, wherever it is.
        let functions = program.functions.values().map(|f| f.is_defined() || f.name == "main").collect();
        let mut used = Self { objects: vec![false; program.objects.len()], functions, fresh: Vec::new() };
        for body in program.bodies() {
            for expr in body.expressions.values() {
                match expr.kind {
                    ExprKind::Object(ObjectRef::Global(object)) => used.pointer(Pointer::Object(object, 0)),
                    ExprKind::Function(function) => used.pointer(Pointer::Function(function)),
                    _ => {}
                }
            }
            let called = body.statements().filter_map(|statement| statement.kind.called());
            called.for_each(|function| used.pointer(Pointer::Function(function)));
        }
        for global in &program.globals {
            if let Value::Pointer(pointer) = global.initial {
                used.pointer(pointer);
            }
        }
        while let Some(object) = used.fresh.pop() {
            if let Initial::Bytes { pointers, .. } = &program.objects[object].initial {
                pointers.iter().for_each(|&(_, pointer)| used.pointer(pointer));
            }
        }
        used
    }

    fn pointer(&mut self, pointer: Pointer) {
        match pointer {
            Pointer::Object(object, _) => {
                if !std::mem::replace(&mut self.objects[object.index()], true) {
                    self.fresh.push(object);
                }
            }
            Pointer::Function(function) => self.functions[function.index()] = true,
        }
    }
}
