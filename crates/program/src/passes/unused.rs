//! Removes what no function of the program refers to: objects (string literals above all), and functions that are
//! only declared. Functions with a body stay, whoever calls them, and so does `main`.

use base::Index;

use crate::expression::{ExprKind, ObjectRef};
use crate::passes::dead::keep;
use crate::passes::expressions::compact;
use crate::program::{FunctionId, Initial, ObjectId, Pointer, Program, Value};
use crate::statement::{Callee, StatementKind};

/// Removes what nothing refers to.
pub fn remove(program: &mut Program) {
    super::for_each_body(program, compact);
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
    rename(program, &object, &function);
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
        for body in program.functions.values().filter_map(|function| function.body()) {
            for expr in body.expressions.values() {
                match expr.kind {
                    ExprKind::Object(ObjectRef::Global(object)) => used.pointer(Pointer::Object(object, 0)),
                    ExprKind::Function(function) => used.pointer(Pointer::Function(function)),
                    _ => {}
                }
            }
            for statement in body.blocks.values().flat_map(|block| &block.statements) {
                if let StatementKind::Call { callee: Callee::Function(function), .. } = statement.kind {
                    used.pointer(Pointer::Function(function));
                }
            }
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

/// Gives everything that refers to objects and functions their new names.
fn rename(
    program: &mut Program,
    object: &impl Fn(ObjectId) -> ObjectId,
    function: &impl Fn(FunctionId) -> FunctionId,
) {
    let rename_pointer = |pointer: &mut Pointer| match pointer {
        Pointer::Object(name, _) => *name = object(*name),
        Pointer::Function(name) => *name = function(*name),
    };
    for (_, item) in program.objects.iter_mut() {
        if let Initial::Bytes { pointers, .. } = &mut item.initial {
            pointers.iter_mut().for_each(|(_, pointer)| rename_pointer(pointer));
        }
    }
    for global in &mut program.globals {
        if let Value::Pointer(pointer) = &mut global.initial {
            rename_pointer(pointer);
        }
    }
    super::for_each_body(program, |body| {
        for (_, expr) in body.expressions.iter_mut() {
            match &mut expr.kind {
                ExprKind::Object(ObjectRef::Global(name)) => *name = object(*name),
                ExprKind::Function(name) => *name = function(*name),
                _ => {}
            }
        }
        for statement in body.blocks.iter_mut().flat_map(|(_, block)| &mut block.statements) {
            if let StatementKind::Call { callee: Callee::Function(name), .. } = &mut statement.kind {
                *name = function(*name);
            }
        }
    });
}
