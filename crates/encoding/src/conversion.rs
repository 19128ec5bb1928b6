//! Conversions between types as terms.

use logic::{BitVector, Sort, Term, Unary};
use program::{FloatFormat, IntegerType, Type, arithmetic, float};

use crate::encoder::Encoder;
use crate::value::{OBJECT_WIDTH, OFFSET_WIDTH, Pointer, Value};

impl Encoder<'_> {
    /// The value in another type.
    pub(crate) fn convert(&mut self, from: Type, to: Type, value: Value) -> Value {
        if from == to {
            return value;
        }
        if let Type::Pointer = from {
            let pointer = self.as_pointer(value);
            return self.convert_pointer(to, pointer);
        }
        let term = self.as_term(value);
        let known = self.terms.known_bits(term).and_then(BitVector::to_u128);
        let mathematical = self.is_mathematical();
        let terms = &mut self.terms;
        Value::Scalar(match (from, to) {
            (Type::Bool, Type::Integer(ty)) => {
                let (one, zero) = (self.constant(ty, 1), self.constant(ty, 0));
                self.terms.ite(term, one, zero)
            }
            (Type::Integer(ty), Type::Bool) => {
                let zero = self.constant(ty, 0);
                self.terms.differ(term, zero)
            }
            (Type::Integer(_), Type::Integer(_)) if mathematical => term,
            (Type::Integer(source), Type::Integer(ty)) => terms.resize(term, ty.width.into(), source.signed),
            (Type::Float(format), Type::Bool) => match known {
                Some(bits) => terms.bool(!float::is_zero(format, bits)),
                None => {
                    // Zero has two forms, which differ in the sign alone.
                    let magnitude = terms.extract(format.bits() - 2, 0, term);
                    let zero = terms.bits(format.bits() - 1, 0);
                    terms.differ(magnitude, zero)
                }
            },
            (Type::Float(format), Type::Integer(ty)) => match known {
                Some(bits)
                    if let Some(number) = float::exact_integer(format, bits)
                        && (mathematical || arithmetic::is_normal(ty, number)) =>
                {
                    self.constant(ty, number)
                }
                // A number that the type cannot hold becomes anything.
                _ => {
                    let sort = self.integer_sort(ty);
                    self.terms.fresh("floating point number as an integer", sort)
                }
            },
            (Type::Float(source), Type::Float(format)) => match known {
                Some(bits) => terms.bits(format.bits(), float::convert(source, format, bits)),
                None => match (source, format) {
                    (FloatFormat::Single, FloatFormat::Double) => self.widened(term),
                    (FloatFormat::Double, FloatFormat::Single) => self.narrowed(term),
                    _ => terms.fresh("floating point conversion", Sort::BitVector(format.bits())),
                },
            },
            (Type::Integer(ty), Type::Float(format)) => {
                let number = self.known_integer(ty, term);
                self.number_as_float(format, ty, number)
            }
            (Type::Bool, Type::Float(format)) => {
                let ty = IntegerType { width: 8, signed: false };
                let number = self.terms.known_bool(term).map(i128::from);
                self.number_as_float(format, ty, number)
            }
            (Type::Integer(ty), Type::Pointer) => {
                let offset = self.as_offset(term, ty.signed);
                let address = 8 * self.program.data_model.pointer_bytes() as u32;
                let offset = self.terms.resize(offset, address, false);
                let offset = self.terms.resize(offset, OFFSET_WIDTH, false);
                let object = self.terms.bits(OBJECT_WIDTH, 0);
                return Value::Pointer(Pointer { object, offset });
            }
            (Type::Bool, Type::Pointer) => {
                let (one, zero) = (terms.bits(OFFSET_WIDTH, 1), terms.bits(OFFSET_WIDTH, 0));
                let offset = terms.ite(term, one, zero);
                return Value::Pointer(Pointer { object: terms.bits(OBJECT_WIDTH, 0), offset });
            }
            _ => return self.arbitrary("conversion", to),
        })
    }

    pub(crate) fn known_integer(&self, ty: IntegerType, term: Term) -> Option<i128> {
        match self.terms.known(term)? {
            logic::Value::BitVector(bits) if ty.signed => bits.to_i128(),
            logic::Value::BitVector(bits) => bits.to_u128().map(|bits| bits as i128),
            logic::Value::Integer(number) => i128::try_from(number).ok(),
            _ => None,
        }
    }

    fn number_as_float(&mut self, format: FloatFormat, ty: IntegerType, number: Option<i128>) -> Term {
        let ty = if self.is_mathematical() { IntegerType { width: 128, signed: true } } else { ty };
        match number {
            Some(number) => self.terms.bits(format.bits(), float::from_integer(format, ty, number)),
            None => self.terms.fresh("integer as a floating point number", Sort::BitVector(format.bits())),
        }
    }

    pub(crate) fn convert_pointer(&mut self, to: Type, pointer: Pointer) -> Value {
        let terms = &mut self.terms;
        match to {
            Type::Bool => {
                let null = pointer.is_null(terms);
                Value::Scalar(terms.not(null))
            }
            Type::Integer(ty) => {
                let none = terms.bits(OBJECT_WIDTH, 0);
                let plain = terms.equal(pointer.object, none);
                let address = if self.is_mathematical() {
                    self.terms.unary(Unary::UnsignedToInteger, pointer.offset)
                } else {
                    self.terms.resize(pointer.offset, ty.width.into(), false)
                };
                if self.terms.is_true(plain) {
                    return Value::Scalar(address);
                }
                let sort = self.terms.sort(address);
                let unknown = self.terms.fresh("address", sort);
                Value::Scalar(self.terms.ite(plain, address, unknown))
            }
            _ => self.arbitrary("conversion", to),
        }
    }

    pub(crate) fn reinterpret(&mut self, from: Type, to: Type, value: Value) -> Value {
        let term = self.as_term(value);
        match (from, to) {
            _ if !self.is_mathematical() => Value::Scalar(term),
            (Type::Float(_), Type::Integer(ty)) => self.bits_value(ty, term),
            (Type::Integer(_), Type::Float(format)) => {
                Value::Scalar(self.terms.unary(Unary::IntegerToBits(format.bits()), term))
            }
            (Type::Integer(_), Type::Integer(ty)) => {
                let bits = self.terms.unary(Unary::IntegerToBits(ty.width.into()), term);
                self.bits_value(ty, bits)
            }
            _ => Value::Scalar(term),
        }
    }
}
