//! What a part of an object holds when the program starts.

use crate::arithmetic::wrap;
use crate::expression::ExprId;
use crate::expression::ObjectRef;
use crate::function::Body;
use crate::program::{GlobalObject, Initial, Pointer, Value};
use crate::types::{DataModel, Type};

/// The value of a type that starts at an offset, if the object's initial bytes are known and mean such a value.
pub fn value_at(object: &GlobalObject, offset: u64, ty: Type, model: DataModel) -> Option<Value> {
    let Initial::Bytes { bytes, pointers } = &object.initial else { return None };
    let end = offset.checked_add(ty.bytes(model)).filter(|&end| end <= object.size)?;
    let pointer_bytes = model.pointer_bytes();
    let first = pointers.partition_point(|&(at, _)| at + pointer_bytes <= offset);
    if let Some(&(at, pointer)) = pointers.get(first).filter(|&&(at, _)| at < end) {
        return (ty == Type::Pointer && at == offset).then_some(Value::Pointer(pointer));
    }
    let byte = |at: u64| usize::try_from(at).ok().and_then(|at| bytes.get(at)).copied().unwrap_or(0);
    let bits = (offset..end).rev().fold(0u128, |bits, at| bits << 8 | u128::from(byte(at)));
    match ty {
        Type::Integer(integer) => Some(Value::Integer(wrap(integer, bits as i128))),
        Type::Float(format) => Some(Value::Float(bits & (u128::MAX >> (128 - format.bits())))),
        Type::Pointer => (bits == 0).then_some(Value::Null),
        Type::Bool => None,
    }
}

/// The value as an expression.
pub fn expression(body: &mut Body, model: DataModel, value: Value, ty: Type) -> Option<ExprId> {
    Some(match value {
        Value::Integer(value) => body.integer(ty, value),
        Value::Float(bits) => body.expression(crate::expression::ExprKind::Float(bits), ty),
        Value::Null => body.null(),
        Value::Pointer(Pointer::Function(function)) => body.function_address(function),
        Value::Pointer(Pointer::Object(object, offset)) => {
            let start = body.address(ObjectRef::Global(object));
            let offset = body.integer(model.offset_type(), i128::from(offset));
            body.offset(start, offset)
        }
        Value::Unknown => return None,
    })
}
