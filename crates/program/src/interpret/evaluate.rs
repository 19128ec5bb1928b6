//! Expressions without an operation of their own: wide and mathematical integers, floats, pointers, conversions.

use super::code::{General, GeneralKind};
use super::machine::{Execution, Step};
use super::memory::Kind;
use super::value::Slot;
use crate::arithmetic;
use crate::expression::{BinaryOp, UnaryOp};
use crate::float;
use crate::types::{FloatFormat, IntegerType, Type};

/// Integers that are only numbers.
const NUMBER: IntegerType = IntegerType { width: 128, signed: true };

impl Execution<'_> {
    /// Computes an expression.
    pub fn general(&mut self, general: &General, left: Slot, right: Slot) -> Step<Slot> {
        match general.kind {
            GeneralKind::Unary(op) => self.unary(op, general.ty, left),
            GeneralKind::Binary(op) => match general.from {
                Type::Float(format) => Ok(float_binary(op, format, left, right)),
                Type::Pointer => self.pointer_binary(op, left, right),
                Type::Bool => {
                    Ok(Slot::small(arithmetic::binary(op, NUMBER, left.low.into(), right.low.into()) as u64))
                }
                Type::Integer(ty) => {
                    let right_number = self.form.number(general.right_type, right);
                    self.integer_binary(op, ty, self.form.read(ty, left), right_number)
                }
            },
            GeneralKind::Overflows(op) => Ok(match general.from {
                Type::Integer(ty) if !self.form.mathematical => {
                    let right_number = self.form.number(general.right_type, right);
                    Slot::truth(arithmetic::overflows(op, ty, self.form.read(ty, left), right_number))
                }
                _ => Slot::truth(false),
            }),
            GeneralKind::Convert => self.convert(general.from, general.ty, left),
            GeneralKind::Reinterpret => Ok(self.reinterpret(general.from, general.ty, left)),
            GeneralKind::Offset => {
                let by = self.form.number(general.right_type, right);
                match i64::try_from(by) {
                    Ok(by) => Ok(left.moved(by)),
                    Err(_) => self.unsupported("a pointer moved beyond all addresses"),
                }
            }
            GeneralKind::Difference => self.difference(general.ty, left, right),
        }
    }

    fn unary(&mut self, op: UnaryOp, ty: Type, operand: Slot) -> Step<Slot> {
        Ok(match ty {
            Type::Float(format) => Slot::wide(float::negate(format, operand.bits())),
            Type::Integer(integer) => {
                let number = self.form.read(integer, operand);
                let result = if self.form.mathematical && op == UnaryOp::Negate {
                    self.within_limits(number.checked_neg())?
                } else if self.form.mathematical && op == UnaryOp::Complement && integer.signed {
                    !number
                } else {
                    arithmetic::unary(op, integer, number)
                };
                self.form.write(integer, result)
            }
            Type::Bool | Type::Pointer => Slot::truth(operand.low == 0),
        })
    }

    fn within_limits(&self, number: Option<i128>) -> Step<i128> {
        match number {
            Some(number) => Ok(number),
            None => self.unsupported("integer beyond 128 bits"),
        }
    }

    fn integer_binary(&mut self, op: BinaryOp, ty: IntegerType, left: i128, right: i128) -> Step<Slot> {
        let result = if self.form.mathematical {
            self.mathematical_binary(op, ty, left, right)?
        } else {
            arithmetic::binary(op, ty, left, right)
        };
        Ok(if op.is_comparison() { Slot::truth(result != 0) } else { self.form.write(ty, result) })
    }

    /// The operation on numbers: it does not wrap.
    fn mathematical_binary(&mut self, op: BinaryOp, ty: IntegerType, left: i128, right: i128) -> Step<i128> {
        match op {
            BinaryOp::Add => self.within_limits(left.checked_add(right)),
            BinaryOp::Subtract => self.within_limits(left.checked_sub(right)),
            BinaryOp::Multiply => self.within_limits(left.checked_mul(right)),
            BinaryOp::Divide if right != 0 => self.within_limits(left.checked_div(right)),
            BinaryOp::ShiftLeft if arithmetic::shift_is_defined(ty, right) && right < 127 => {
                self.within_limits(left.checked_mul(1 << right))
            }
            BinaryOp::ShiftRight if arithmetic::shift_is_defined(ty, right) => Ok(left >> right),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => Ok(0),
            _ => Ok(arithmetic::binary(op, NUMBER, left, right)),
        }
    }

    /// Takes note of the value of a pointer that is used after the life of its object, or outside of it.
    #[inline]
    pub fn use_pointer(&mut self, pointer: Slot) {
        let has_meaning = pointer.high == 0 || self.memory.locate(pointer, 0).is_ok();
        if !has_meaning && self.stray.is_none() {
            self.stray = Some(self.location());
        }
    }

    /// Whether two pointers are the same address.
    #[inline]
    pub fn same_pointer(&mut self, left: Slot, right: Slot) -> Step<bool> {
        self.use_pointer(left);
        self.use_pointer(right);
        if left.high == right.high { Ok(left.low == right.low) } else { self.same_address(left, right) }
    }

    /// Whether two pointers into different objects, or into none, are the same address.
    fn same_address(&mut self, left: Slot, right: Slot) -> Step<bool> {
        if !left.handle().is_none() && !right.handle().is_none() && self.may_meet(left, right) {
            self.guess(|| String::from("comparison of addresses of different objects"));
        }
        Ok(self.memory.address(left) == self.memory.address(right))
    }

    /// Whether the layout of a real machine may make two pointers to different objects equal: one of the objects
    /// is gone, or one pointer is outside its object or at its end, or both are read-only objects, which may
    /// share their bytes as string literals do.
    fn may_meet(&self, left: Slot, right: Slot) -> bool {
        let is_read_only = |pointer: Slot| {
            let object = self.memory.object(pointer.handle());
            object.is_some_and(|object| !object.writable && !matches!(object.kind, Kind::Function(_)))
        };
        let outside = [left, right].into_iter().any(|pointer| {
            let inside = |size| pointer.low < size || (size == 0 && pointer.low == 0);
            !self.memory.is_alive(pointer.handle())
                || self.memory.object(pointer.handle()).is_none_or(|object| !inside(object.size))
        });
        outside || (left.high != right.high && is_read_only(left) && is_read_only(right))
    }

    fn pointer_binary(&mut self, op: BinaryOp, left: Slot, right: Slot) -> Step<Slot> {
        self.use_pointer(left);
        self.use_pointer(right);
        let order = if left.high == right.high && left.high != 0 {
            left.offset().cmp(&right.offset())
        } else {
            if left.high != 0 && right.high != 0 {
                self.guess(|| String::from("order of pointers to different objects"));
            }
            self.memory.address(left).cmp(&self.memory.address(right))
        };
        Ok(Slot::truth(match op {
            BinaryOp::Equal => order.is_eq(),
            BinaryOp::NotEqual => order.is_ne(),
            BinaryOp::Less => order.is_lt(),
            _ => order.is_le(),
        }))
    }

    fn difference(&mut self, ty: Type, left: Slot, right: Slot) -> Step<Slot> {
        self.use_pointer(left);
        self.use_pointer(right);
        let bytes = if left.high == right.high {
            if left.high == 0 && left.low != right.low {
                self.guess(|| String::from("distance of pointers to no object"));
            }
            left.low.wrapping_sub(right.low)
        } else {
            self.guess(|| String::from("distance of pointers to different objects"));
            self.memory.address(left).wrapping_sub(self.memory.address(right))
        };
        Ok(match ty {
            Type::Integer(ty) => self.form.write(ty, arithmetic::wrap(ty, i128::from(bytes as i64))),
            _ => Slot::small(bytes),
        })
    }

    /// The value in another type.
    pub fn convert(&mut self, from: Type, to: Type, value: Slot) -> Step<Slot> {
        Ok(match (from, to) {
            _ if from == to => value,
            (Type::Float(format), Type::Bool) => Slot::truth(!float::is_zero(format, value.bits())),
            (Type::Pointer, Type::Bool) => {
                self.use_pointer(value);
                Slot::truth(self.memory.address(value) != 0)
            }
            (Type::Integer(_) | Type::Bool, Type::Bool) => Slot::truth(value.bits() != 0),
            (Type::Bool, Type::Integer(ty)) => self.form.write(ty, i128::from(value.low != 0)),
            (Type::Integer(source), Type::Integer(ty)) => {
                let number = self.form.read(source, value);
                let number = if self.form.mathematical { number } else { arithmetic::wrap(ty, number) };
                self.form.write(ty, number)
            }
            (Type::Float(format), Type::Integer(ty)) => {
                let number = match float::exact_integer(format, value.bits()) {
                    Some(number) if self.form.mathematical => number,
                    Some(number) if arithmetic::is_normal(ty, number) => number,
                    _ => {
                        self.guess(|| String::from("a conversion of a number that its type cannot hold"));
                        float::to_integer(format, value.bits(), ty)
                    }
                };
                self.form.write(ty, number)
            }
            (Type::Pointer, Type::Integer(ty)) => {
                if value.high != 0 {
                    self.guess(|| String::from("address of an object as a number"));
                }
                self.form.write(ty, arithmetic::wrap(ty, i128::from(self.memory.address(value))))
            }
            (Type::Bool, Type::Float(format)) => {
                Slot::wide(float::from_integer(format, NUMBER, i128::from(value.low != 0)))
            }
            (Type::Integer(ty), Type::Float(format)) => {
                let ty = if self.form.mathematical { NUMBER } else { ty };
                Slot::wide(float::from_integer(format, ty, self.form.read(ty, value)))
            }
            (Type::Float(source), Type::Float(format)) => {
                Slot::wide(float::convert(source, format, value.bits()))
            }
            (Type::Integer(ty), Type::Pointer) => {
                let address = arithmetic::wrap(self.address_type(), self.form.read(ty, value));
                self.memory.resolve(address as u64)
            }
            (Type::Bool, Type::Pointer) => self.memory.resolve(value.low),
            // No program that is verified converts these.
            (Type::Pointer, Type::Float(_))
            | (Type::Float(_), Type::Pointer)
            | (Type::Pointer, Type::Pointer) => Slot::NULL,
        })
    }

    fn address_type(&self) -> IntegerType {
        IntegerType { width: self.program.data_model.pointer_bytes() as u8 * 8, signed: false }
    }

    fn reinterpret(&self, from: Type, to: Type, value: Slot) -> Slot {
        let bits = match from {
            Type::Integer(ty) => arithmetic::wrap(ty.with_sign(false), self.form.read(ty, value)) as u128,
            _ => value.bits(),
        };
        match to {
            Type::Integer(ty) => self.form.write(ty, arithmetic::wrap(ty, bits as i128)),
            _ => Slot::wide(bits),
        }
    }

    /// A value that is passed as one type and taken as another; nothing if no machine would make sense of that.
    pub fn iteration(&mut self, from: Type, to: Type, value: Slot) -> Step<Slot> {
        match (from, to) {
            _ if from == to => Ok(value),
            (
                Type::Integer(_) | Type::Bool | Type::Pointer,
                Type::Integer(_) | Type::Bool | Type::Pointer,
            ) => {
                // Functions that are declared without parameters get what is narrower than an `int` as an `int`.
                let narrow = Type::integer(to).is_some_and(|to| to.width < 32);
                if !from.may_be_read_as(to) && !narrow {
                    self.guess(|| format!("a value passed as {from} and taken as {to}"));
                }
                self.convert(from, to, value)
            }
            _ => self.unsupported(format!("a value passed as {from} and taken as {to}")),
        }
    }
}

fn float_binary(op: BinaryOp, format: FloatFormat, left: Slot, right: Slot) -> Slot {
    if !op.is_comparison() {
        return Slot::wide(float::binary(op, format, left.bits(), right.bits()));
    }
    let order = float::compare(format, left.bits(), right.bits());
    Slot::truth(match op {
        BinaryOp::Equal => order.is_some_and(std::cmp::Ordering::is_eq),
        BinaryOp::NotEqual => order.is_none_or(std::cmp::Ordering::is_ne),
        BinaryOp::Less => order.is_some_and(std::cmp::Ordering::is_lt),
        _ => order.is_some_and(std::cmp::Ordering::is_le),
    })
}
