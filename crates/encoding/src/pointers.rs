//! Operations on pointers as terms.

use logic::{Binary, Sort, Term, Unary};
use program::{BinaryOp, Type};

use crate::encoder::Encoder;
use crate::memory::Kind;
use crate::state::State;
use crate::value::{OBJECT_WIDTH, OFFSET_WIDTH, Pointer, Value};

impl Encoder<'_> {
    pub(crate) fn pointer_binary(&mut self, state: &State, op: BinaryOp, a: Pointer, b: Pointer) -> Term {
        let same = self.terms.equal(a.object, b.object);
        match op {
            BinaryOp::Equal => self.pointers_equal(state, same, a, b),
            BinaryOp::NotEqual => {
                let equal = self.pointers_equal(state, same, a, b);
                self.terms.not(equal)
            }
            _ => {
                let terms = &mut self.terms;
                let op = if op == BinaryOp::Less { Binary::SignedLess } else { Binary::SignedLessEqual };
                let ordered = terms.binary(op, a.offset, b.offset);
                if terms.is_true(same) {
                    return ordered;
                }
                let unknown = terms.fresh("order of pointers", Sort::Bool);
                terms.ite(same, ordered, unknown)
            }
        }
    }

    /// Pointers to different objects are different if both are alive and the offsets are inside, or if one is null; in
    /// all other cases it is not known. Two read-only objects may share their bytes, as string literals do.
    pub(crate) fn pointers_equal(&mut self, state: &State, same: Term, a: Pointer, b: Pointer) -> Term {
        let offsets = self.terms.equal(a.offset, b.offset);
        if self.terms.is_true(same) {
            return offsets;
        }
        let (inside_a, own_a) = self.is_inside(state, a);
        let (inside_b, own_b) = self.is_inside(state, b);
        let terms = &mut self.terms;
        let (null_a, null_b) = (a.is_null(terms), b.is_null(terms));
        let both = terms.and(inside_a, inside_b);
        let apart = terms.or(own_a, own_b);
        let both = terms.and(both, apart);
        // An object is never at the null address, wherever a pointer to it points.
        let certain = terms.any(&[both, null_a, null_b]);
        let different = if terms.is_true(certain) {
            terms.bool(false)
        } else {
            let unknown = terms.fresh("comparison of addresses", Sort::Bool);
            let uncertain = terms.not(certain);
            terms.and(uncertain, unknown)
        };
        terms.ite(same, offsets, different)
    }

    /// Whether a pointer points into a live object, and into one that shares its bytes with no other.
    pub(crate) fn is_inside(&mut self, state: &State, pointer: Pointer) -> (Term, Term) {
        let (mut inside, mut own) = (Vec::new(), Vec::new());
        for number in self.candidates(pointer.object) {
            let is_function = matches!(self.objects[number as usize].kind, Kind::Function(_));
            let alive = match state.contents(number) {
                Some(contents) => contents.alive,
                None if is_function => self.terms.bool(true),
                None => continue,
            };
            let index = number as usize;
            let size = self.objects[index].size;
            let terms = &mut self.terms;
            let number = terms.bits(OBJECT_WIDTH, number.into());
            let here = terms.equal(pointer.object, number);
            let zero = terms.bits(OFFSET_WIDTH, 0);
            let below = terms.binary(Binary::UnsignedLess, pointer.offset, size);
            let start = terms.equal(pointer.offset, zero);
            let within = terms.or(below, start);
            let inside_this = terms.all(&[here, alive, within]);
            inside.push(inside_this);
            if is_function || self.objects[index].writable {
                own.push(inside_this);
            }
        }
        (self.terms.any(&inside), self.terms.any(&own))
    }

    pub(crate) fn difference(&mut self, ty: Type, a: Pointer, b: Pointer) -> Value {
        let terms = &mut self.terms;
        let same = terms.equal(a.object, b.object);
        let mut bytes = terms.binary(Binary::BitSubtract, a.offset, b.offset);
        if !terms.is_true(same) {
            let unknown = terms.fresh("distance of pointers", Sort::BitVector(OFFSET_WIDTH));
            bytes = terms.ite(same, bytes, unknown);
        }
        Value::Scalar(match ty {
            Type::Integer(_) if self.is_mathematical() => self.terms.unary(Unary::SignedToInteger, bytes),
            Type::Integer(ty) => self.terms.resize(bytes, ty.width.into(), true),
            _ => bytes,
        })
    }
}
