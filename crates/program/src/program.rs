//! A whole program: its functions, and what lives as long as it runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::{Arena, FileId, Location, index_type};

use crate::annotation::Annotations;
use crate::expression::{ExprKind, ObjectRef, VariableId};
use crate::function::{Body, FieldName, Function, Variable};
use crate::outside::World;
use crate::statement::{Callee, StatementKind};
use crate::types::{DataModel, Type};

index_type!(
    /// A function of a program.
    FunctionId,
    "function"
);

index_type!(
    /// An object that lives as long as the program.
    ObjectId,
    "object"
);

/// A program. Once [`crate::verify`] accepts it, nobody changes it any more.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// How wide pointers are.
    pub data_model: DataModel,
    /// How it is connected with the world outside.
    pub world: World,
    /// The names of the source files, as `#line` gives them. Programs that are made of parts of this one share them.
    pub files: Arc<Arena<FileId, String>>,
    /// The functions, defined or only declared.
    pub functions: Arena<FunctionId, Function>,
    /// The objects that live as long as the program.
    pub objects: Arena<ObjectId, GlobalObject>,
    /// The variables that live as long as the program: global scalars whose address nobody takes.
    pub globals: Vec<GlobalVariable>,
    /// What stands in the source besides C. No run depends on it.
    pub annotations: Arc<Annotations>,
}

/// An object that lives as long as the program.
#[derive(Clone, PartialEq, Debug)]
pub struct GlobalObject {
    /// Its name, unique in the program (`count`, `main.cache`, or `"text"` numbered for a string literal).
    pub name: String,
    /// Its size in bytes. Zero for an object with unknown contents: it is declared without a size, and may be of any.
    pub size: u64,
    /// Its address is a multiple of this.
    pub alignment: u64,
    /// Whether the program may write it.
    pub writable: bool,
    /// Whether other units can name it.
    pub exported: bool,
    /// Whether every thread has its own.
    pub thread_local: bool,
    /// What it holds when the program starts.
    pub initial: Initial,
    /// Where it is defined.
    pub location: Location,
    /// The type with which it is declared, if that is a scalar or an array of them.
    pub element: Option<Type>,
    /// The names of its scalar parts, as for [`crate::LocalObject::fields`].
    pub fields: Vec<FieldName>,
}

impl GlobalObject {
    /// Whether what the declaration puts at an offset may be read with a type.
    pub fn may_be_read_as(&self, offset: i128, ty: Type) -> bool {
        let field = self.fields.iter().find(|field| i128::from(field.offset) == offset).map(|field| field.ty);
        self.element.or(field).is_none_or(|declared| declared.may_be_read_as(ty))
    }
}

/// What an object holds when the program starts.
#[derive(Clone, PartialEq, Debug)]
pub enum Initial {
    /// These bytes, zeros after them, and pointers over them.
    Bytes {
        /// The first bytes; all after them are zero.
        bytes: Vec<u8>,
        /// Pointers that stand in the object, at rising offsets.
        pointers: Vec<(u64, Pointer)>,
    },
    /// It is not known: it is defined elsewhere.
    Unknown,
}

/// A pointer that is known before the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pointer {
    /// Into an object, so many bytes from its start.
    Object(ObjectId, i64),
    /// To a function.
    Function(FunctionId),
}

/// A variable that lives as long as the program.
#[derive(Clone, PartialEq, Debug)]
pub struct GlobalVariable {
    /// The variable.
    pub variable: Variable,
    /// Whether other units can name it, and know its address.
    pub exported: bool,
    /// What it holds when the program starts.
    pub initial: Value,
}

/// A value that is known before the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// An integer in the normal form of its type.
    Integer(i128),
    /// A floating point number, as the bits of its format.
    Float(u128),
    /// The null pointer.
    Null,
    /// A pointer to something.
    Pointer(Pointer),
    /// It is not known: it is defined elsewhere.
    Unknown,
}

impl Program {
    /// The bodies of the functions that have one.
    pub fn bodies(&self) -> impl Iterator<Item = &Body> {
        self.functions.values().filter_map(Function::body)
    }

    /// The bodies of the functions that have one, to change.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Body> {
        self.functions.iter_mut().filter_map(|(_, function)| function.body_mut())
    }

    /// Whether a function's address stands in a body, or in what something holds at the start.
    pub fn names_function(&self, function: FunctionId) -> bool {
        let is_it = |pointer: Pointer| pointer == Pointer::Function(function);
        let in_body = |body: &Body| {
            body.expressions.values().any(|expression| expression.kind == ExprKind::Function(function))
        };
        let in_object = |object: &GlobalObject| match &object.initial {
            Initial::Bytes { pointers, .. } => pointers.iter().any(|(_, pointer)| is_it(*pointer)),
            Initial::Unknown => false,
        };
        let in_global = |global: &GlobalVariable| match global.initial {
            Value::Pointer(pointer) => is_it(pointer),
            _ => false,
        };
        self.bodies().any(in_body)
            || self.objects.values().any(in_object)
            || self.globals.iter().any(in_global)
    }

    /// Gives objects and functions other names wherever something refers to them.
    pub fn rename(
        &mut self,
        object: impl Fn(ObjectId) -> ObjectId,
        function: impl Fn(FunctionId) -> FunctionId,
    ) {
        let rename_pointer = |pointer: &mut Pointer| match pointer {
            Pointer::Object(name, _) => *name = object(*name),
            Pointer::Function(name) => *name = function(*name),
        };
        for (_, item) in self.objects.iter_mut() {
            if let Initial::Bytes { pointers, .. } = &mut item.initial {
                pointers.iter_mut().for_each(|(_, pointer)| rename_pointer(pointer));
            }
        }
        for global in &mut self.globals {
            if let Value::Pointer(pointer) = &mut global.initial {
                rename_pointer(pointer);
            }
        }
        for body in self.bodies_mut() {
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
        }
    }

    /// Whether a call of one function may lead to a call of another one, by names alone: calls through pointers do not
    /// count.
    pub fn may_call(&self, from: FunctionId, to: FunctionId) -> bool {
        let mut seen = BTreeSet::new();
        let mut stack = vec![from];
        while let Some(function) = stack.pop() {
            let Some(body) = self.functions[function].body() else { continue };
            for called in body.statements().filter_map(|statement| statement.kind.called()) {
                if called == to {
                    return true;
                }
                if seen.insert(called) {
                    stack.push(called);
                }
            }
        }
        false
    }

    /// The function with this name.
    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        self.functions.iter().find(|(_, function)| function.name == name).map(|(id, _)| id)
    }

    /// A variable as a body of this program names it.
    pub fn variable<'a>(&'a self, body: &'a Body, id: VariableId) -> &'a Variable {
        if id.is_global() { &self.globals[base::Index::index(id)].variable } else { &body.variables[id] }
    }

    /// A place as `file:line:column`.
    pub fn describe(&self, location: Location) -> String {
        match self.files.get(location.file) {
            Some(file) if location.is_known() => format!("{file}:{}:{}", location.line, location.column),
            _ => String::from("<unknown>"),
        }
    }
}

impl Initial {
    /// All zeros.
    pub const fn zero() -> Self {
        Initial::Bytes { bytes: Vec::new(), pointers: Vec::new() }
    }
}
