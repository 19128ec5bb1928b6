//! Words for messages: objects, faults, expressions and values in the names of the source.

use base::Index;

use super::machine::{Execution, Step};
use super::memory::Object;
use super::memory::{Fault, Kind};
use super::value::Slot;
use crate::expression::{ExprId, ExprKind, ObjectRef, UnaryOp, VariableId};
use crate::float;
use crate::function::Body;
use crate::statement::Obligation;
use crate::text::symbols::{self, BINARY, OVERFLOW};
use crate::types::Type;

/// How deep an expression is written out before it is cut short.
const DEPTH: usize = 6;

impl Execution<'_> {
    /// The name of an object without quotes.
    pub fn plain_name(&self, kind: Kind) -> String {
        match kind {
            Kind::None => String::from("nothing"),
            Kind::Global(id) => self.program.objects[id].name.clone(),
            Kind::Local(function, id) => {
                let body = self.program.functions[function].body();
                body.map_or_else(String::new, |body| body.locals[id].name.clone())
            }
            Kind::Heap(location) => format!("heap memory from {}", self.program.describe(location)),
            Kind::Alloca(location) => format!("alloca memory from {}", self.program.describe(location)),
            Kind::Provided(name) => String::from(name),
            Kind::Function(id) => self.program.functions[id].name.clone(),
        }
    }

    /// The name of an object for a sentence.
    pub fn object_name(&self, kind: Kind) -> String {
        let name = self.plain_name(kind);
        match kind {
            Kind::Heap(_) | Kind::Alloca(_) | Kind::None => name,
            Kind::Function(_) => format!("function `{name}`"),
            _ => format!("`{name}`"),
        }
    }

    /// Which obligation a fault breaks, and how to say it.
    ///
    /// An object that is declared without a size, and defined elsewhere, may be of any size: the run cannot go on.
    pub fn describe_fault(
        &self,
        fault: Fault,
        verb: &str,
        pointer: Slot,
        size: u64,
    ) -> Step<(Obligation, String)> {
        let object = self.memory.object(pointer.handle());
        if let Some(object) = object.filter(|object| object.unknown && object.size == 0) {
            let name = self.object_name(object.kind);
            return self.unsupported(format!("the size of {name}, which is defined elsewhere"));
        }
        let name = object
            .map_or_else(|| String::from("memory that was freed"), |object| self.object_name(object.kind));
        let bytes = if size == 1 { String::from("1 byte") } else { format!("{size} bytes") };
        Ok(match fault {
            Fault::Null if pointer.is_null() => {
                (Obligation::Null, format!("{verb} of {bytes} through a null pointer"))
            }
            Fault::Null => {
                let message = format!("{verb} of {bytes} at offset {} from a null pointer", pointer.offset());
                (Obligation::Null, message)
            }
            Fault::Wild => {
                let message = format!("{verb} of {bytes} at address {:#x}, where no object is", pointer.low);
                (Obligation::OutOfBounds, message)
            }
            Fault::Dangling => {
                let message = format!("{verb} of {bytes} in {name}, whose life has ended");
                (Obligation::Dangling, message)
            }
            Fault::OutOfBounds => {
                let whole = object.map_or(0, |object: &Object| object.size);
                let offset = pointer.offset();
                let message =
                    format!("{verb} of {bytes} at index {offset} is outside {name} ({whole} bytes)");
                (Obligation::OutOfBounds, message)
            }
            Fault::ReadOnly => {
                (Obligation::OutOfBounds, format!("{verb} of {bytes} to {name}, which is read-only"))
            }
            Fault::NotData => {
                (Obligation::OutOfBounds, format!("{verb} of {bytes} of {name}, which is no data"))
            }
        })
    }

    /// The value of a slot for people.
    pub fn value_text(&self, ty: Type, slot: Slot) -> String {
        match ty {
            Type::Bool => String::from(if slot.low == 0 { "false" } else { "true" }),
            Type::Integer(integer) => {
                let number = self.form.read(integer, slot);
                if integer.signed || self.form.mathematical {
                    number.to_string()
                } else {
                    (number as u128).to_string()
                }
            }
            Type::Float(format) => float::to_double(format, slot.bits()).to_string(),
            Type::Pointer if slot.is_null() => String::from("null"),
            Type::Pointer => match self.memory.object(slot.handle()) {
                Some(object) if slot.offset() == 0 => format!("&{}", self.plain_name(object.kind)),
                Some(object) => format!("&{} + {}", self.plain_name(object.kind), slot.offset()),
                None => format!("{:#x}", self.memory.address(slot)),
            },
        }
    }

    /// An expression of the current function as the source would write it, and the values of its variables.
    pub fn expression_with_values(&self, body: &Body, id: ExprId) -> (String, String) {
        let mut variables: Vec<VariableId> = Vec::new();
        collect_variables(body, id, DEPTH + 2, &mut variables);
        let values: Vec<String> = variables
            .iter()
            .map(|&variable| {
                let description = self.program.variable(body, variable);
                let slot = self.variable_slot(variable);
                format!("{} = {}", description.name, self.value_text(description.ty, slot))
            })
            .collect();
        (self.expression_text(body, id, DEPTH), values.join(", "))
    }

    /// What a variable of the current function holds.
    pub fn variable_slot(&self, variable: VariableId) -> Slot {
        if variable.is_global() {
            return self.globals[variable.index()];
        }
        let first = self.frames.last().map_or(0, |frame| frame.code.first_variable);
        self.register(first + variable.index() as u32)
    }

    fn expression_text(&self, body: &Body, id: ExprId, depth: usize) -> String {
        if depth == 0 {
            return String::from("...");
        }
        let text = |id| self.expression_text(body, id, depth - 1);
        match body.expressions[id].kind {
            ExprKind::Integer(value) => value.to_string(),
            ExprKind::Float(bits) => match body.expressions[id].ty {
                Type::Float(format) => float::to_double(format, bits).to_string(),
                _ => bits.to_string(),
            },
            ExprKind::Null => String::from("null"),
            ExprKind::Variable(variable) => self.program.variable(body, variable).name.clone(),
            ExprKind::Object(ObjectRef::Global(object)) => format!("&{}", self.program.objects[object].name),
            ExprKind::Object(ObjectRef::Local(local)) => format!("&{}", body.locals[local].name),
            ExprKind::Function(function) => self.program.functions[function].name.clone(),
            ExprKind::Unary(op, operand) => match op {
                UnaryOp::Negate => format!("-{}", text(operand)),
                UnaryOp::Complement => format!("~{}", text(operand)),
                UnaryOp::Not => format!("!{}", text(operand)),
                UnaryOp::CountOnes => format!("popcount({})", text(operand)),
                UnaryOp::LeadingZeros => format!("clz({})", text(operand)),
                UnaryOp::TrailingZeros => format!("ctz({})", text(operand)),
                UnaryOp::SwapBytes => format!("bswap({})", text(operand)),
            },
            ExprKind::Binary(op, left, right) => {
                format!("({} {} {})", text(left), symbols::name(&BINARY, op).unwrap_or("?"), text(right))
            }
            ExprKind::Overflows(op, left, right) => {
                format!("{} {} {}", text(left), symbols::name(&OVERFLOW, op).unwrap_or("?"), text(right))
            }
            // Conversions say little to a reader and would hide the rest.
            ExprKind::Convert(operand) | ExprKind::Reinterpret(operand) => {
                self.expression_text(body, operand, depth - 1)
            }
            ExprKind::Offset(pointer, by) => format!("({} + {})", text(pointer), text(by)),
            ExprKind::Difference(left, right) => format!("({} - {})", text(left), text(right)),
            ExprKind::Select(condition, then, otherwise) => {
                format!("({} ? {} : {})", text(condition), text(then), text(otherwise))
            }
        }
    }
}

fn collect_variables(body: &Body, id: ExprId, depth: usize, variables: &mut Vec<VariableId>) {
    if let ExprKind::Variable(variable) = body.expressions[id].kind
        && !variables.contains(&variable)
    {
        variables.push(variable);
    }
    if depth > 0 {
        for operand in body.expressions[id].operands() {
            collect_variables(body, operand, depth - 1, variables);
        }
    }
}
