//! The start of a run: memory as the program's initial values say, and the arguments of the first function.

use super::compile::{function_handle, object_handle};
use super::library::Library;
use super::machine::{Execution, Step};
use super::memory::{AS_ANYTHING, Kind, written_as};
use super::value::Slot;
use crate::program::{FunctionId, GlobalObject, Initial, Pointer, Value};
use crate::types::Type;

impl Execution<'_> {
    /// Lays out the objects and functions of the program, then fills the objects.
    pub fn start_memory(&mut self) -> Step<()> {
        let program = self.program;
        for (id, object) in program.objects.iter() {
            let reserved = self.memory.reserve(Kind::Global(id), object.size, object.alignment);
            let handle = self.room(reserved)?;
            debug_assert_eq!(handle, object_handle(id));
        }
        for (id, _) in program.functions.iter() {
            let created = self.memory.create(Kind::Function(id), 0, 16);
            let handle = self.room(created)?;
            debug_assert_eq!(handle, function_handle(program, id));
        }
        for (id, object) in program.objects.iter() {
            let begun = self.memory.begin(object_handle(id));
            self.room(begun)?;
            self.fill(object_handle(id).index(), object);
        }
        self.library = Library::new(self)?;
        for global in &program.globals {
            let stream = self.library.stream(&global.variable.name);
            let known = global.initial != Value::Unknown || stream.is_some();
            self.global_known.push(known);
            self.globals.push(match (global.initial, global.variable.ty) {
                (Value::Integer(value), Type::Integer(ty)) => self.form.write(ty, value),
                (Value::Integer(value), _) => Slot::truth(value != 0),
                (Value::Float(bits), _) => Slot::wide(bits),
                (Value::Null, _) => Slot::NULL,
                (Value::Pointer(pointer), _) => self.known_pointer(pointer),
                (Value::Unknown, _) => stream.unwrap_or(Slot::NULL),
            });
        }
        Ok(())
    }

    fn known_pointer(&self, pointer: Pointer) -> Slot {
        match pointer {
            Pointer::Object(object, offset) => Slot::pointer(object_handle(object), offset),
            Pointer::Function(function) => Slot::pointer(function_handle(self.program, function), 0),
        }
    }

    fn fill(&mut self, index: usize, global: &GlobalObject) {
        let width = self.program.data_model.pointer_bytes() as usize;
        self.memory.objects[index].writable = global.writable;
        let Initial::Bytes { bytes, pointers } = &global.initial else {
            self.memory.objects[index].unknown = true;
            return;
        };
        let addresses: Vec<(usize, u64)> = pointers
            .iter()
            .map(|&(offset, pointer)| (offset as usize, self.memory.address(self.known_pointer(pointer))))
            .collect();
        let object = &mut self.memory.objects[index];
        object.written = vec![global.element.map_or(AS_ANYTHING, written_as); object.bytes.len()];
        for field in &global.fields {
            let (offset, size) = (field.offset as usize, field.ty.bytes(self.program.data_model) as usize);
            if let Some(part) = object.written.get_mut(offset..offset + size) {
                part.fill(written_as(field.ty));
            }
        }
        let given = bytes.len().min(object.bytes.len());
        object.bytes[..given].copy_from_slice(&bytes[..given]);
        for (offset, address) in addresses {
            if let Some(place) = object.bytes.get_mut(offset..offset + width) {
                place.copy_from_slice(&address.to_le_bytes()[..width]);
            }
        }
    }

    /// An object that the interpreter provides, with these bytes.
    pub fn provide(&mut self, name: &'static str, bytes: &[u8]) -> Step<Slot> {
        let created = self.memory.create(Kind::Provided(name), bytes.len() as u64, 16);
        let handle = self.room(created)?;
        self.memory.objects[handle.index()].write(0, bytes);
        Ok(Slot::pointer(handle, 0))
    }

    /// The arguments of `main`: the number of words, the words, and an empty environment.
    pub fn command_line(&mut self, parameters: &[Type], words: &[Vec<u8>]) -> Step<Vec<(Type, Slot)>> {
        let width = self.program.data_model.pointer_bytes() as usize;
        let mut table = Vec::new();
        for word in words {
            let mut bytes = word.clone();
            bytes.push(0);
            let pointer = self.provide("argument of main", &bytes)?;
            table.extend_from_slice(&self.memory.address(pointer).to_le_bytes()[..width]);
        }
        table.extend_from_slice(&[0; 8][..width]);
        let mut values = Vec::new();
        for (number, &ty) in parameters.iter().enumerate() {
            let value = match (number, ty) {
                (0, Type::Integer(integer)) => self.form.write(integer, words.len() as i128),
                (1, Type::Pointer) => self.provide("argv", &table)?,
                (2, Type::Pointer) => self.provide("envp", &[0; 8][..width])?,
                _ => Slot::NULL,
            };
            values.push((ty, value));
        }
        Ok(values)
    }

    /// An aggregate that somebody passes by value: what is in it is an input when it is read.
    fn aggregate(&mut self, size: u64) -> Step<Slot> {
        let created = self.memory.create(Kind::Provided("an argument"), size, 16);
        let handle = self.room(created)?;
        self.memory.objects[handle.index()].unknown = true;
        Ok(Slot::pointer(handle, 0))
    }

    /// Every parameter as an input.
    pub fn parameters_from_inputs(&mut self, function: FunctionId) -> Step<Vec<(Type, Slot)>> {
        let signature = &self.program.functions[function];
        let body = signature.body();
        let mut values = Vec::new();
        for (number, &ty) in signature.parameters.iter().enumerate() {
            let name =
                body.and_then(|body| Some(body.variables[*body.parameters.get(number)?].name.as_str()));
            let name =
                name.map_or_else(|| format!("parameter {}", number + 1), |name| format!("parameter {name}"));
            let value = match signature.aggregates.get(&number) {
                Some(&size) => self.aggregate(size)?,
                None => self.ask(&name, ty),
            };
            values.push((ty, value));
        }
        Ok(values)
    }
}
