//! Makes words of the steps that a trace has kept.

use super::super::machine::Execution;
use super::super::memory::Kind;
use super::super::value::Slot;
use super::{Kept, KeptEvent, Place, Trace, TraceEvent, TraceStep};
use crate::function::{BlockId, FieldName};
use crate::program::FunctionId;
use crate::types::Type;

impl Execution<'_> {
    /// The trace of the run, if one was asked for.
    pub fn finished_trace(&mut self) -> Option<Box<Trace>> {
        let tracer = self.tracer.take()?;
        let steps = tracer.first.iter().chain(&tracer.last).filter_map(|kept| self.told(kept)).collect();
        let omitted_after = tracer.first.len();
        Some(Box::new(Trace { steps, omitted: tracer.omitted, omitted_after }))
    }

    fn told(&self, kept: &Kept) -> Option<TraceStep> {
        let &Kept { function, depth, mut location, .. } = kept;
        let body = self.program.functions[function].body()?;
        let mut at_loop = |head: BlockId| {
            let block = &body.blocks[head];
            location = block.loop_statement.map_or(block.location, |statement| statement.location);
            block.loop_statement.map(|statement| statement.kind)
        };
        let event = match &kept.event {
            KeptEvent::Enter(values) => {
                let named = body.parameters.iter().zip(values).map(|(&parameter, &value)| {
                    let variable = &body.variables[parameter];
                    (variable.name.clone(), self.told_value(variable.ty, value))
                });
                TraceEvent::Enter { arguments: named.collect() }
            }
            KeptEvent::Return(value) => {
                let value = self.program.functions[function].result.zip(*value);
                TraceEvent::Return { value: value.map(|(ty, value)| self.told_value(ty, value)) }
            }
            &KeptEvent::Assign(variable, value) => {
                let variable = self.program.variable(body, variable);
                TraceEvent::Assign { name: variable.name.clone(), value: self.told_value(variable.ty, value) }
            }
            KeptEvent::Store { place, ty, value } => TraceEvent::Store {
                name: self.told_place(function, place),
                value: self.told_value(*ty, *value),
            },
            KeptEvent::Copy { to, from } => {
                let value = format!("{} bytes from {}", to.size, self.told_value(Type::Pointer, *from));
                TraceEvent::Store { name: self.told_range(to), value }
            }
            KeptEvent::Fill { to, byte } => {
                TraceEvent::Store { name: self.told_range(to), value: format!("{} bytes of {byte}", to.size) }
            }
            KeptEvent::Input { name, ty, value } => {
                TraceEvent::Input { name: name.clone(), ty: *ty, value: *value }
            }
            KeptEvent::Call { function, arguments } => {
                let arguments = arguments.iter().map(|&(ty, value)| self.told_value(ty, value)).collect();
                TraceEvent::Call { name: self.program.functions[*function].name.clone(), arguments }
            }
            &KeptEvent::Pass { head, number } => TraceEvent::Pass { kind: at_loop(head), number },
            &KeptEvent::Leave { head, passes } => TraceEvent::Leave { kind: at_loop(head), passes },
        };
        Some(TraceStep { function, depth, location, event })
    }

    /// A value, and the character that it is if it is one.
    fn told_value(&self, ty: Type, value: Slot) -> String {
        let text = self.value_text(ty, value);
        match ty {
            Type::Integer(integer) if integer.width == 8 && (0x20..0x7f).contains(&value.low) => {
                format!("{text} '{}'", value.low as u8 as char)
            }
            _ => text,
        }
    }

    /// The name of a piece of memory that one value was written to.
    fn told_place(&self, function: FunctionId, place: &Place) -> String {
        if let (Some((variable, distance)), Some(body)) =
            (place.through, self.program.functions[function].body())
        {
            let name = &self.program.variable(body, variable).name;
            let size = place.size.max(1) as i64;
            return match distance {
                0 if place.fixed => format!("*{name}"),
                _ if !place.fixed && distance % size == 0 => format!("{name}[{}]", distance / size),
                _ => format!("*({name} + {distance} bytes)"),
            };
        }
        let Some(object) = self.memory.object(place.pointer.handle()) else {
            return format!("*{}", self.value_text(Type::Pointer, place.pointer));
        };
        let (name, offset) = (self.plain_name(object.kind), place.pointer.offset());
        let fields = self.fields(object.kind);
        if let Some(field) = fields.iter().find(|field| {
            field.offset as i64 == offset && field.ty.bytes(self.program.data_model) == place.size
        }) {
            return format!("{name}.{}", field.name);
        }
        let size = place.size.max(1);
        match offset {
            0 if object.size == place.size => name,
            _ if fields.is_empty() && object.size % size == 0 && offset % size as i64 == 0 => {
                format!("{}[{}]", bracketed(name), offset / size as i64)
            }
            _ => format!("byte {offset} of {name}"),
        }
    }

    /// The name of a piece of memory of any size.
    fn told_range(&self, place: &Place) -> String {
        match self.memory.object(place.pointer.handle()) {
            Some(object) if place.pointer.offset() == 0 => self.plain_name(object.kind),
            Some(object) => format!("byte {} of {}", place.pointer.offset(), self.plain_name(object.kind)),
            None => format!("*{}", self.value_text(Type::Pointer, place.pointer)),
        }
    }

    fn fields(&self, kind: Kind) -> &[FieldName] {
        match kind {
            Kind::Global(id) => &self.program.objects[id].fields,
            Kind::Local(function, id) => {
                self.program.functions[function].body().map_or(&[], |body| &body.locals[id].fields)
            }
            _ => &[],
        }
    }
}

/// A name of several words must not melt with what follows.
fn bracketed(name: String) -> String {
    if name.contains(' ') { format!("({name})") } else { name }
}
