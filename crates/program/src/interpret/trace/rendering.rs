//! Makes words of the steps that a trace has kept.

use super::super::machine::Execution;
use super::super::memory::{Kind, Object};
use super::super::value::{Handle, Slot};
use super::{Kept, KeptEvent, Place, Trace, TraceEvent, TraceStep};
use crate::function::{BlockId, FieldName};
use crate::program::{FunctionId, Program};
use crate::types::Type;

/// A string literal is written out up to so many characters.
const LONGEST: usize = 40;

impl Execution<'_> {
    /// The trace of the run, if one was asked for.
    pub fn finished_trace(&mut self) -> Option<Box<Trace>> {
        let tracer = self.tracer.take()?;
        let mut teller = Teller { execution: self, unnamed: Vec::new() };
        let steps =
            tracer.first.iter().chain(&tracer.last).filter_map(|kept| teller.rendered(kept)).collect();
        let omitted_after = tracer.first.len();
        Some(Box::new(Trace { steps, omitted: tracer.omitted, omitted_after }))
    }
}

/// Tells steps, and knows which object is which.
struct Teller<'e, 'm> {
    execution: &'e Execution<'m>,
    /// Objects without a name, which are numbered in the order in which they are met.
    unnamed: Vec<Handle>,
}

impl Teller<'_, '_> {
    fn rendered(&mut self, kept: &Kept) -> Option<TraceStep> {
        let &Kept { function, depth, mut location, .. } = kept;
        let body = self.execution.program.functions[function].body()?;
        let mut at_loop = |head: BlockId| {
            let block = &body.blocks[head];
            location = block.loop_statement.map_or(block.location, |statement| statement.location);
            block.loop_statement.map(|statement| statement.kind)
        };
        let event = match &kept.event {
            KeptEvent::Enter(values) => {
                let named = body.parameters.iter().zip(values).map(|(&parameter, &value)| {
                    let variable = &body.variables[parameter];
                    (variable.name.clone(), self.rendered_value(variable.ty, value))
                });
                TraceEvent::Enter { arguments: named.collect() }
            }
            KeptEvent::Return(value) => {
                let value = self.execution.program.functions[function].result.zip(*value);
                TraceEvent::Return { value: value.map(|(ty, value)| self.rendered_value(ty, value)) }
            }
            &KeptEvent::Assign(variable, value) => {
                let variable = self.execution.program.variable(body, variable);
                TraceEvent::Assign {
                    name: variable.name.clone(),
                    value: self.rendered_value(variable.ty, value),
                }
            }
            KeptEvent::Store { place, ty, value } => TraceEvent::Store {
                name: self.rendered_place(function, place),
                value: self.rendered_value(*ty, *value),
            },
            KeptEvent::Copy { to, from } => {
                let value = format!("{} bytes from {}", to.size, self.rendered_value(Type::Pointer, *from));
                TraceEvent::Store { name: self.rendered_range(to), value }
            }
            KeptEvent::Fill { to, byte } => TraceEvent::Store {
                name: self.rendered_range(to),
                value: format!("{} bytes of {byte}", to.size),
            },
            KeptEvent::Input { name, ty, value } => {
                TraceEvent::Input { name: name.clone(), ty: *ty, value: *value }
            }
            KeptEvent::Call { function, arguments } => {
                let arguments = arguments.iter().map(|&(ty, value)| self.rendered_value(ty, value)).collect();
                TraceEvent::Call { name: self.execution.program.functions[*function].name.clone(), arguments }
            }
            &KeptEvent::Iteration { head, number } => TraceEvent::Iteration { kind: at_loop(head), number },
            &KeptEvent::Leave { head, iterations } => TraceEvent::Leave { kind: at_loop(head), iterations },
        };
        Some(TraceStep { function, depth, location, event })
    }

    /// A value, and the character or the string literal that it is if it is one.
    fn rendered_value(&mut self, ty: Type, value: Slot) -> String {
        let text = self.execution.value_text(ty, value);
        match ty {
            Type::Integer(integer) if integer.width == 8 && (0x20..0x7f).contains(&value.low) => {
                format!("{text} '{}'", value.low as u8 as char)
            }
            Type::Pointer => match self.execution.memory.object(value.handle()) {
                Some(object) => literal(object, value.offset()).unwrap_or_else(|| {
                    let name = self.name(value.handle(), object.kind);
                    match value.offset() {
                        0 => format!("&{name}"),
                        offset => format!("&{name} + {offset}"),
                    }
                }),
                None => text,
            },
            _ => text,
        }
    }

    /// The name of an object. One that the source does not name has a number.
    fn name(&mut self, handle: Handle, kind: Kind) -> String {
        let word = match kind {
            Kind::Heap(_) => "heap",
            Kind::Alloca(_) => "alloca",
            _ => return self.execution.plain_name(kind),
        };
        let known = self.unnamed.iter().position(|unnamed| *unnamed == handle);
        let number = known.unwrap_or_else(|| {
            self.unnamed.push(handle);
            self.unnamed.len() - 1
        });
        format!("{word}#{}", number + 1)
    }

    /// The name of a piece of memory that one value was written to.
    fn rendered_place(&mut self, function: FunctionId, place: &Place) -> String {
        if let (Some((variable, distance)), Some(body)) =
            (place.through, self.execution.program.functions[function].body())
        {
            let name = &self.execution.program.variable(body, variable).name;
            let size = place.size.max(1) as i64;
            return match distance {
                0 if place.fixed => format!("*{name}"),
                _ if !place.fixed && distance % size == 0 => format!("{name}[{}]", distance / size),
                _ => format!("*({name} + {distance} bytes)"),
            };
        }
        let Some(object) = self.execution.memory.object(place.pointer.handle()) else {
            return format!("*{}", self.execution.value_text(Type::Pointer, place.pointer));
        };
        let (name, offset) = (self.name(place.pointer.handle(), object.kind), place.pointer.offset());
        let fields = fields(self.execution.program, object.kind);
        if let Some(field) = fields.iter().find(|field| {
            field.offset as i64 == offset && field.ty.bytes(self.execution.program.data_model) == place.size
        }) {
            return format!("{name}.{}", field.name);
        }
        let size = place.size.max(1);
        match offset {
            0 if object.size == place.size => name,
            _ if fields.is_empty() && object.size % size == 0 && offset % size as i64 == 0 => {
                format!("{name}[{}]", offset / size as i64)
            }
            _ => format!("byte {offset} of {name}"),
        }
    }

    /// The name of a piece of memory of any size.
    fn rendered_range(&mut self, place: &Place) -> String {
        let Some(object) = self.execution.memory.object(place.pointer.handle()) else {
            return format!("*{}", self.execution.value_text(Type::Pointer, place.pointer));
        };
        let name = self.name(place.pointer.handle(), object.kind);
        match place.pointer.offset() {
            0 => name,
            offset => format!("byte {offset} of {name}"),
        }
    }
}

/// The string literal that starts in an object, if the object is a constant and a short text.
fn literal(object: &Object, offset: i64) -> Option<String> {
    let bytes = object.bytes.get(usize::try_from(offset).ok()?..)?;
    let text = &bytes[..bytes.iter().position(|&byte| byte == 0)?];
    let is_text = text.iter().all(|&byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    let constant = matches!(object.kind, Kind::Global(_)) && !object.writable;
    (constant && is_text && text.len() <= LONGEST).then(|| format!("\"{}\"", text.escape_ascii()))
}

/// The names of the parts of an object.
fn fields(program: &Program, kind: Kind) -> &[FieldName] {
    match kind {
        Kind::Global(id) => &program.objects[id].fields,
        Kind::Local(function, id) => {
            program.functions[function].body().map_or(&[], |body| &body.locals[id].fields)
        }
        _ => &[],
    }
}
