//! Names, objects, global variables, parameters and scopes: invariants 1 and 4 to 8.

use std::collections::HashSet;

use base::Index;

use super::{Context, Place, Verifier};
use crate::arithmetic;
use crate::expression::VariableId;
use crate::function::{Body, FieldName, LocalId, LocalObject, ScopeId};
use crate::program::{GlobalObject, GlobalVariable, Initial, ObjectId, Pointer, Value};
use crate::types::Type;

impl Verifier<'_> {
    /// Invariant 1.
    pub(super) fn names(&mut self) {
        let program = self.program;
        let mut seen = HashSet::new();
        for (id, function) in program.functions.iter() {
            self.function = Some(id);
            self.require(seen.insert(&function.name), 1, Place::Head, || {
                format!("{} exists twice", function.name)
            });
        }
        self.function = None;
        let mut seen = HashSet::new();
        for (id, object) in program.objects.iter() {
            let is_new = seen.insert(&object.name);
            self.require(is_new, 1, Place::Object(id), || format!("{} exists twice", object.name));
        }
        let mut seen = HashSet::new();
        for (index, global) in program.globals.iter().enumerate() {
            let (name, place) = (&global.variable.name, Place::Variable(VariableId::global(index)));
            self.require(seen.insert(name), 1, place, || format!("{name} exists twice"));
        }
    }

    /// What holds for one object of the program.
    pub(super) fn object(&mut self, id: ObjectId, object: &GlobalObject) {
        let place = Place::Object(id);
        self.location(place, object.location);
        self.layout(place, object.alignment, Some(object.size), &object.fields);
        self.initial(place, object);
    }

    /// What holds for one local object.
    pub(super) fn local(&mut self, id: LocalId, local: &LocalObject) {
        let place = Place::Local(id);
        self.location(place, local.location);
        self.layout(place, local.alignment, local.size, &local.fields);
    }

    /// Invariant 4.
    fn layout(&mut self, place: Place, alignment: u64, size: Option<u64>, fields: &[FieldName]) {
        self.require(alignment.is_power_of_two(), 4, place, || format!("{alignment} is no alignment"));
        for field in fields {
            let end = field.offset.checked_add(field.ty.bytes(self.program.data_model));
            let inside = end.is_some_and(|end| size.is_none_or(|size| end <= size));
            self.require(inside, 4, place, || format!("the field {} leaves the object", field.name));
        }
    }

    /// Invariant 5.
    fn initial(&mut self, place: Place, object: &GlobalObject) {
        let Initial::Bytes { bytes, pointers } = &object.initial else { return };
        let fits = u64::try_from(bytes.len()).is_ok_and(|length| length <= object.size);
        self.require(fits, 5, place, || format!("{} bytes do not fit into {}", bytes.len(), object.size));
        let mut free = 0;
        for (offset, pointer) in pointers {
            self.require(*offset >= free, 5, place, || {
                format!("the pointer at {offset} is not behind the last one")
            });
            let end = offset.checked_add(self.program.data_model.pointer_bytes());
            let inside = end.is_some_and(|end| end <= object.size);
            self.require(inside, 5, place, || format!("the pointer at {offset} leaves the object"));
            self.require(self.exists(*pointer), 5, place, || {
                format!("the pointer at {offset} points to nothing")
            });
            free = end.unwrap_or(u64::MAX);
        }
    }

    fn exists(&self, pointer: Pointer) -> bool {
        match pointer {
            Pointer::Object(object, _) => self.program.objects.get(object).is_some(),
            Pointer::Function(function) => self.program.functions.get(function).is_some(),
        }
    }

    /// Invariant 6, and what holds for every variable.
    pub(super) fn global(&mut self, id: VariableId, global: &GlobalVariable) {
        let (place, ty) = (Place::Variable(id), global.variable.ty);
        self.type_exists(place, ty);
        self.location(place, global.variable.location);
        self.require(global.variable.scope.is_none(), 6, place, || {
            String::from("a global variable has no scope")
        });
        let fits = match global.initial {
            Value::Integer(value) => is_integer_of(ty, value),
            Value::Float(bits) => is_float_of(ty, bits),
            Value::Null => ty == Type::Pointer,
            Value::Pointer(pointer) => ty == Type::Pointer && self.exists(pointer),
            Value::Unknown => true,
        };
        self.require(fits, 6, place, || format!("{:?} is no value of type {ty}", global.initial));
    }

    /// Invariant 7.
    pub(super) fn parameters(&mut self, context: Context<'_>) {
        let (declared, variables) = (&context.function.parameters, &context.body.parameters);
        self.require(declared.len() == variables.len(), 7, Place::Head, || {
            format!("{} parameters are declared, and the body has {}", declared.len(), variables.len())
        });
        let mut seen = HashSet::new();
        for (ty, variable) in declared.iter().zip(variables) {
            let found = if variable.is_global() { None } else { context.variable(*variable) };
            self.require(found == Some(*ty), 7, Place::Head, || {
                format!("{variable:?} is no parameter of type {ty}")
            });
            self.require(seen.insert(variable), 7, Place::Head, || {
                format!("{variable:?} is a parameter twice")
            });
        }
    }

    /// Invariant 8.
    pub(super) fn scopes(&mut self, body: &Body) {
        for (id, scope) in body.scopes.iter() {
            let place = Place::Scope(id);
            self.location(place, scope.location);
            let holds = scope.parent.map_or(id.index() == 0, |parent| parent < id);
            self.require(holds, 8, place, || String::from("the scope around it does not stand before it"));
        }
        let exists = |scope: Option<ScopeId>| scope.is_none_or(|scope| body.scopes.get(scope).is_some());
        for (id, variable) in body.variables.iter() {
            self.require(exists(variable.scope), 8, Place::Variable(id), || {
                String::from("its scope does not exist")
            });
        }
        for (id, local) in body.locals.iter() {
            self.require(exists(local.scope), 8, Place::Local(id), || {
                String::from("its scope does not exist")
            });
        }
    }
}

/// Whether an integer or boolean is in the normal form of its type.
pub(super) fn is_integer_of(ty: Type, value: i128) -> bool {
    match ty {
        Type::Bool => matches!(value, 0 | 1),
        Type::Integer(integer) => (1..=128).contains(&integer.width) && arithmetic::is_normal(integer, value),
        Type::Float(_) | Type::Pointer => false,
    }
}

/// Whether a float has no more bits than its type.
pub(super) fn is_float_of(ty: Type, bits: u128) -> bool {
    match ty {
        Type::Float(format) => format.bits() == 128 || bits >> format.bits() == 0,
        _ => false,
    }
}
