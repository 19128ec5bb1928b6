//! Expressions as terms, with the meaning that [`program::arithmetic`] gives them.
//!
//! What has no exact term is a fresh symbol, which can only make more runs possible: floating point operations on
//! unknown operands, bitwise operations on mathematical integers, addresses as numbers, and comparisons of pointers to
//! different objects that C does not define.

use logic::{Binary, BitVector, Sort, Term, Unary};
use program::interpret::Integers;
use program::{
    BinaryOp, Body, Expr, ExprId, ExprKind, FloatFormat, IntegerType, ObjectRef, OverflowOp, Type, UnaryOp,
    arithmetic, float,
};
use rustc_hash::FxHashMap;

use crate::encoder::Encoder;
use crate::memory::Kind;
use crate::state::{State, merge_values};
use crate::value::{OBJECT_WIDTH, OFFSET_WIDTH, Pointer, Value, anything};

impl Encoder<'_> {
    /// The value of an expression of a body in a state.
    pub(crate) fn expression(&mut self, body: &Body, state: &mut State, id: ExprId) -> Value {
        let expr = &body.expressions[id];
        if expr.operands().next().is_none() {
            return self.leaf(body, state, expr);
        }
        let mut done: FxHashMap<ExprId, Value> = FxHashMap::default();
        let mut stack = vec![id];
        while let Some(&top) = stack.last() {
            if done.contains_key(&top) {
                stack.pop();
                continue;
            }
            let expr = &body.expressions[top];
            let before = stack.len();
            stack.extend(expr.operands().filter(|operand| !done.contains_key(operand)));
            if stack.len() == before {
                let mut operands = [Value::Unset; 3];
                let mut types = [Type::Bool; 3];
                for (place, operand) in expr.operands().enumerate() {
                    operands[place] = done[&operand];
                    types[place] = body.expressions[operand].ty;
                }
                let value = if expr.operands().next().is_none() {
                    self.leaf(body, state, expr)
                } else {
                    self.operation(state, expr, operands, types)
                };
                done.insert(top, value);
                stack.pop();
            }
        }
        done[&id]
    }

    /// The term of an expression that is no pointer.
    pub(crate) fn scalar(&mut self, body: &Body, state: &mut State, id: ExprId) -> Term {
        let value = self.expression(body, state, id);
        self.as_term(value)
    }

    /// The pointer of an expression that is one.
    pub(crate) fn pointer(&mut self, body: &Body, state: &mut State, id: ExprId) -> Pointer {
        let value = self.expression(body, state, id);
        self.as_pointer(value)
    }

    /// An expression of the size type as bits as wide as an offset.
    pub(crate) fn size(&mut self, body: &Body, state: &mut State, id: ExprId) -> Term {
        let term = self.scalar(body, state, id);
        self.as_offset(term, false)
    }

    pub(crate) fn as_offset(&mut self, term: Term, signed: bool) -> Term {
        match self.terms.sort(term) {
            Sort::Integer => {
                let bits = self.terms.unary(Unary::IntegerToBits(OFFSET_WIDTH), term);
                let op = if signed { Unary::SignedToInteger } else { Unary::UnsignedToInteger };
                let back = self.terms.unary(op, bits);
                let fits = self.terms.equal(back, term);
                if self.terms.is_true(fits) {
                    return bits;
                }
                // No offset and no size is so large: nothing is known of what it does.
                let unknown = self.terms.fresh("beyond all addresses", Sort::BitVector(OFFSET_WIDTH));
                self.terms.ite(fits, bits, unknown)
            }
            _ => self.terms.resize(term, OFFSET_WIDTH, signed),
        }
    }

    pub(crate) fn as_term(&mut self, value: Value) -> Term {
        match value {
            Value::Scalar(term) => term,
            // A verified program never takes a pointer for a number.
            Value::Pointer(pointer) => pointer.offset,
            Value::Unset => self.terms.fresh("unset", Sort::Bool),
        }
    }

    pub(crate) fn as_pointer(&mut self, value: Value) -> Pointer {
        match value {
            Value::Pointer(pointer) => pointer,
            _ => Pointer::null(&mut self.terms),
        }
    }

    /// An arbitrary value of a type.
    pub(crate) fn arbitrary(&mut self, name: &str, ty: Type) -> Value {
        anything(&mut self.terms, name, ty, self.options.integers)
    }

    pub(crate) fn integer_sort(&self, integer: IntegerType) -> Sort {
        match self.options.integers {
            Integers::Machine => Sort::BitVector(integer.width.into()),
            Integers::Mathematical => Sort::Integer,
        }
    }

    pub(crate) fn is_mathematical(&self) -> bool {
        self.options.integers == Integers::Mathematical
    }

    /// An integer constant of a type.
    pub(crate) fn constant(&mut self, integer: IntegerType, number: i128) -> Term {
        match self.options.integers {
            Integers::Machine => self.terms.signed_bits(integer.width.into(), number),
            Integers::Mathematical if !integer.signed && integer.width == 128 => {
                self.terms.integer(number as u128)
            }
            Integers::Mathematical => self.terms.integer(number),
        }
    }

    fn leaf(&mut self, body: &Body, state: &mut State, expr: &Expr) -> Value {
        match (expr.kind, expr.ty) {
            (ExprKind::Integer(number), Type::Integer(integer)) => {
                Value::Scalar(self.constant(integer, number))
            }
            (ExprKind::Integer(number), _) => Value::Scalar(self.terms.bool(number != 0)),
            (ExprKind::Float(bits), Type::Float(format)) => {
                Value::Scalar(self.terms.bits(format.bits(), bits))
            }
            (ExprKind::Variable(variable), _) => self.read_variable(body, state, variable),
            (ExprKind::Object(ObjectRef::Global(object)), _) => {
                let number = self.global_number(object);
                Value::Pointer(Pointer::to(&mut self.terms, number, 0))
            }
            (ExprKind::Object(ObjectRef::Local(local)), _) => Value::Pointer(Pointer {
                object: state.objects[base::Index::index(local)],
                offset: self.terms.bits(OFFSET_WIDTH, 0),
            }),
            (ExprKind::Function(function), _) => {
                let number = self.function_number(function);
                Value::Pointer(Pointer::to(&mut self.terms, number, 0))
            }
            _ => Value::Pointer(Pointer::null(&mut self.terms)),
        }
    }

    fn operation(&mut self, state: &State, expr: &Expr, operands: [Value; 3], types: [Type; 3]) -> Value {
        let [a, b, c] = operands;
        match expr.kind {
            ExprKind::Unary(op, _) => {
                let operand = self.as_term(a);
                Value::Scalar(self.unary(op, types[0], expr.ty, operand))
            }
            ExprKind::Binary(op, ..) => Value::Scalar(match types[0] {
                Type::Bool => {
                    let (a, b) = (self.as_term(a), self.as_term(b));
                    self.boolean_binary(op, a, b)
                }
                Type::Integer(ty) => {
                    let (a, b) = (self.as_term(a), self.as_term(b));
                    self.integer_binary(op, ty, types[1], a, b)
                }
                Type::Float(format) => {
                    let (a, b) = (self.as_term(a), self.as_term(b));
                    self.float_binary(op, format, a, b)
                }
                Type::Pointer => {
                    let (a, b) = (self.as_pointer(a), self.as_pointer(b));
                    self.pointer_binary(state, op, a, b)
                }
            }),
            ExprKind::Overflows(op, ..) => {
                let (a, b) = (self.as_term(a), self.as_term(b));
                Value::Scalar(match types[0] {
                    Type::Integer(ty) if !self.is_mathematical() => self.overflows(op, ty, types[1], a, b),
                    _ => self.terms.bool(false),
                })
            }
            ExprKind::Convert(_) => self.convert(types[0], expr.ty, a),
            ExprKind::Reinterpret(_) => self.reinterpret(types[0], expr.ty, a),
            ExprKind::Offset(..) => {
                let (pointer, by) = (self.as_pointer(a), self.as_term(b));
                let by = self.as_offset(by, true);
                let offset = self.terms.binary(Binary::BitAdd, pointer.offset, by);
                Value::Pointer(Pointer { offset, ..pointer })
            }
            ExprKind::Difference(..) => {
                let (a, b) = (self.as_pointer(a), self.as_pointer(b));
                self.difference(expr.ty, a, b)
            }
            ExprKind::Select(..) => {
                let condition = self.as_term(a);
                merge_values(&mut self.terms, condition, b, c)
            }
            _ => Value::Unset,
        }
    }

    fn boolean_binary(&mut self, op: BinaryOp, a: Term, b: Term) -> Term {
        let terms = &mut self.terms;
        match op {
            BinaryOp::And => terms.and(a, b),
            BinaryOp::Or => terms.or(a, b),
            BinaryOp::Xor | BinaryOp::NotEqual => terms.differ(a, b),
            BinaryOp::Equal => terms.equal(a, b),
            BinaryOp::Less => {
                let not = terms.not(a);
                terms.and(not, b)
            }
            BinaryOp::LessEqual => terms.implies(a, b),
            _ => terms.fresh("boolean arithmetic", Sort::Bool),
        }
    }

    fn unary(&mut self, op: UnaryOp, from: Type, to: Type, operand: Term) -> Term {
        let mathematical = self.is_mathematical();
        let terms = &mut self.terms;
        match (op, from) {
            (UnaryOp::Not, _) => terms.not(operand),
            (UnaryOp::Negate, Type::Float(format)) => {
                let sign = terms.value(&logic::Value::BitVector(BitVector::minimum(format.bits())));
                terms.binary(Binary::BitXor, operand, sign)
            }
            (_, Type::Integer(ty)) if mathematical => self.mathematical_unary(op, ty, operand),
            (UnaryOp::Negate, _) => terms.unary(Unary::BitNegate, operand),
            (UnaryOp::Complement, _) => terms.unary(Unary::BitNot, operand),
            (UnaryOp::SwapBytes, _) => {
                let width = terms.width(operand);
                let mut result = terms.extract(7, 0, operand);
                for byte in 1..width / 8 {
                    let part = terms.extract(8 * byte + 7, 8 * byte, operand);
                    result = terms.binary(Binary::Concat, result, part);
                }
                result
            }
            (UnaryOp::CountOnes | UnaryOp::LeadingZeros | UnaryOp::TrailingZeros, _) => {
                let width = match to {
                    Type::Integer(ty) => ty.width.into(),
                    _ => terms.width(operand),
                };
                self.count_bits(op, operand, width)
            }
        }
    }

    fn count_bits(&mut self, op: UnaryOp, operand: Term, result: u32) -> Term {
        let terms = &mut self.terms;
        let width = terms.width(operand);
        let mut count = terms.bits(result, if op == UnaryOp::CountOnes { 0 } else { width.into() });
        let one = terms.bits(1, 1);
        for step in 0..width {
            // The last bit that is looked at is the one that decides.
            let place = if op == UnaryOp::LeadingZeros { step } else { width - 1 - step };
            let bit = terms.extract(place, place, operand);
            count = if op == UnaryOp::CountOnes {
                let bit = terms.resize(bit, result.max(1), false);
                terms.binary(Binary::BitAdd, count, bit)
            } else {
                let zeros = if op == UnaryOp::LeadingZeros { width - 1 - place } else { place };
                let (set, zeros) = (terms.equal(bit, one), terms.bits(result, zeros.into()));
                terms.ite(set, zeros, count)
            };
        }
        if op != UnaryOp::CountOnes {
            // Where no bit is set, compilers give whatever the machine gives.
            let zero = terms.bits(width, 0);
            let (empty, anything) =
                (terms.equal(operand, zero), terms.fresh("no bit is set", Sort::BitVector(result)));
            count = terms.ite(empty, anything, count);
        }
        count
    }

    fn mathematical_unary(&mut self, op: UnaryOp, ty: IntegerType, operand: Term) -> Term {
        let terms = &mut self.terms;
        match op {
            UnaryOp::Negate => terms.unary(Unary::Negate, operand),
            UnaryOp::Complement if ty.signed => {
                let negative = terms.unary(Unary::Negate, operand);
                let one = terms.integer(-1);
                terms.binary(Binary::Add, negative, one)
            }
            _ => terms.fresh("bits of a number", Sort::Integer),
        }
    }

    fn integer_binary(&mut self, op: BinaryOp, ty: IntegerType, right: Type, a: Term, b: Term) -> Term {
        if self.is_mathematical() {
            return self.mathematical_binary(op, ty, a, b);
        }
        let terms = &mut self.terms;
        let signed = ty.signed;
        let by_sign = |when_signed, otherwise| if signed { when_signed } else { otherwise };
        let plain = match op {
            BinaryOp::Add => Binary::BitAdd,
            BinaryOp::Subtract => Binary::BitSubtract,
            BinaryOp::Multiply => Binary::BitMultiply,
            BinaryOp::And => Binary::BitAnd,
            BinaryOp::Or => Binary::BitOr,
            BinaryOp::Xor => Binary::BitXor,
            BinaryOp::Equal => Binary::Equal,
            BinaryOp::NotEqual => return terms.differ(a, b),
            BinaryOp::Less => by_sign(Binary::SignedLess, Binary::UnsignedLess),
            BinaryOp::LessEqual => by_sign(Binary::SignedLessEqual, Binary::UnsignedLessEqual),
            BinaryOp::Divide | BinaryOp::Remainder => {
                let op = match op {
                    BinaryOp::Divide => by_sign(Binary::SignedDivide, Binary::UnsignedDivide),
                    _ => by_sign(Binary::SignedRemainder, Binary::UnsignedRemainder),
                };
                let zero = terms.bits(ty.width.into(), 0);
                let by_zero = terms.equal(b, zero);
                let result = terms.binary(op, a, b);
                return terms.ite(by_zero, zero, result);
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                let (defined, by) = self.shift_distance(ty, right, b);
                let op = match op {
                    BinaryOp::ShiftLeft => Binary::ShiftLeft,
                    _ => by_sign(Binary::ShiftRightSigned, Binary::ShiftRight),
                };
                let zero = self.terms.bits(ty.width.into(), 0);
                let shifted = self.terms.binary(op, a, by);
                return self.terms.ite(defined, shifted, zero);
            }
        };
        terms.binary(plain, a, b)
    }

    /// Whether a shift is defined, and how far it goes in the width of the shifted type.
    fn shift_distance(&mut self, ty: IntegerType, right: Type, by: Term) -> (Term, Term) {
        let terms = &mut self.terms;
        let by = match right {
            // Wide enough for the width itself, so that a negative distance is a large one.
            Type::Integer(right) => terms.resize(by, u32::from(right.width).max(16), right.signed),
            _ => by,
        };
        let limit = terms.bits(terms.width(by), ty.width.into());
        let defined = terms.binary(Binary::UnsignedLess, by, limit);
        (defined, terms.resize(by, ty.width.into(), false))
    }

    fn mathematical_binary(&mut self, op: BinaryOp, ty: IntegerType, a: Term, b: Term) -> Term {
        let terms = &mut self.terms;
        match op {
            BinaryOp::Add => terms.binary(Binary::Add, a, b),
            BinaryOp::Subtract => {
                let b = terms.unary(Unary::Negate, b);
                terms.binary(Binary::Add, a, b)
            }
            BinaryOp::Multiply => terms.binary(Binary::Multiply, a, b),
            BinaryOp::Equal => terms.equal(a, b),
            BinaryOp::NotEqual => terms.differ(a, b),
            BinaryOp::Less => terms.binary(Binary::Less, a, b),
            BinaryOp::LessEqual => terms.binary(Binary::LessEqual, a, b),
            BinaryOp::Divide | BinaryOp::Remainder => {
                let zero = terms.integer(0);
                let negative = terms.binary(Binary::Less, a, zero);
                let minus_a = terms.unary(Unary::Negate, a);
                let magnitude = terms.ite(negative, minus_a, a);
                let op = if op == BinaryOp::Divide { Binary::Divide } else { Binary::Modulo };
                let result = terms.binary(op, magnitude, b);
                let minus = terms.unary(Unary::Negate, result);
                let result = terms.ite(negative, minus, result);
                let by_zero = terms.equal(b, zero);
                terms.ite(by_zero, zero, result)
            }
            _ => self.mathematical_bits(op, ty, a, b),
        }
    }

    /// Bitwise operations on numbers: exact where one operand is known and of the right form.
    fn mathematical_bits(&mut self, op: BinaryOp, ty: IntegerType, a: Term, b: Term) -> Term {
        let terms = &mut self.terms;
        let number = |terms: &logic::Terms, term| {
            terms.known_integer(term).and_then(|number| i128::try_from(number).ok())
        };
        let (left, right) = (number(terms, a), number(terms, b));
        match (op, left, right) {
            (BinaryOp::ShiftLeft | BinaryOp::ShiftRight, _, Some(by))
                if !arithmetic::shift_is_defined(ty, by) =>
            {
                terms.integer(0)
            }
            (BinaryOp::ShiftLeft, _, Some(by)) if by < 127 => {
                let factor = terms.integer(1i128 << by);
                terms.binary(Binary::Multiply, a, factor)
            }
            (BinaryOp::ShiftRight, _, Some(by)) if by < 127 => {
                let divisor = terms.integer(1i128 << by);
                terms.binary(Binary::Divide, a, divisor)
            }
            (BinaryOp::And, Some(x), Some(y)) => terms.integer(x & y),
            (BinaryOp::Or, Some(x), Some(y)) => terms.integer(x | y),
            (BinaryOp::Xor, Some(x), Some(y)) => terms.integer(x ^ y),
            (BinaryOp::And, _, Some(mask)) if mask >= 0 && (mask & (mask + 1)) == 0 && mask < i128::MAX => {
                let modulus = terms.integer(mask + 1);
                terms.binary(Binary::Modulo, a, modulus)
            }
            (BinaryOp::And, Some(mask), _) if mask >= 0 && (mask & (mask + 1)) == 0 && mask < i128::MAX => {
                let modulus = terms.integer(mask + 1);
                terms.binary(Binary::Modulo, b, modulus)
            }
            _ => terms.fresh("bits of a number", Sort::Integer),
        }
    }

    fn overflows(&mut self, op: OverflowOp, ty: IntegerType, right: Type, a: Term, b: Term) -> Term {
        let width = u32::from(ty.width);
        match op {
            OverflowOp::Add | OverflowOp::Subtract => {
                let op = if op == OverflowOp::Add { Binary::BitAdd } else { Binary::BitSubtract };
                // Two more bits hold every sum and difference, with its sign, of signed and unsigned numbers.
                let terms = &mut self.terms;
                let (a, b) = (terms.resize(a, width + 2, ty.signed), terms.resize(b, width + 2, ty.signed));
                let exact = terms.binary(op, a, b);
                let (low, high) = limits(ty);
                let (low, high) =
                    (terms.value(&logic::Value::BitVector(low)), terms.value(&logic::Value::BitVector(high)));
                let below = terms.binary(Binary::SignedLess, exact, low);
                let above = terms.binary(Binary::SignedLess, high, exact);
                terms.or(below, above)
            }
            OverflowOp::Multiply if ty.signed => self.terms.binary(Binary::SignedMultiplyOverflows, a, b),
            OverflowOp::Multiply => self.terms.binary(Binary::UnsignedMultiplyOverflows, a, b),
            OverflowOp::Divide if ty.signed => {
                let terms = &mut self.terms;
                let least = terms.value(&logic::Value::BitVector(BitVector::minimum(width)));
                let minus_one = terms.value(&logic::Value::BitVector(BitVector::ones(width)));
                let (a, b) = (terms.equal(a, least), terms.equal(b, minus_one));
                terms.and(a, b)
            }
            OverflowOp::Divide => self.terms.bool(false),
            OverflowOp::ShiftLeft => {
                let (defined, by) = self.shift_distance(ty, right, b);
                let terms = &mut self.terms;
                let back = if ty.signed { Binary::ShiftRightSigned } else { Binary::ShiftRight };
                let shifted = terms.binary(Binary::ShiftLeft, a, by);
                let back = terms.binary(back, shifted, by);
                let mut lost = terms.differ(back, a);
                if ty.signed {
                    let zero = terms.bits(width, 0);
                    let negative = terms.binary(Binary::SignedLess, a, zero);
                    lost = terms.or(negative, lost);
                }
                terms.and(defined, lost)
            }
        }
    }

    fn float_binary(&mut self, op: BinaryOp, format: FloatFormat, a: Term, b: Term) -> Term {
        let bits =
            |terms: &logic::Terms, term| terms.known_bits(term).and_then(|bits: &BitVector| bits.to_u128());
        let known = bits(&self.terms, a).zip(bits(&self.terms, b));
        if !op.is_comparison() {
            return match known {
                Some((a, b)) => self.terms.bits(format.bits(), float::binary(op, format, a, b)),
                None => self.terms.fresh("floating point result", Sort::BitVector(format.bits())),
            };
        }
        let Some((a, b)) = known else { return self.terms.fresh("floating point comparison", Sort::Bool) };
        let order = float::compare(format, a, b);
        let truth = match op {
            BinaryOp::Equal => order.is_some_and(std::cmp::Ordering::is_eq),
            BinaryOp::NotEqual => order.is_none_or(std::cmp::Ordering::is_ne),
            BinaryOp::Less => order.is_some_and(std::cmp::Ordering::is_lt),
            _ => order.is_some_and(std::cmp::Ordering::is_le),
        };
        self.terms.bool(truth)
    }

    fn pointer_binary(&mut self, state: &State, op: BinaryOp, a: Pointer, b: Pointer) -> Term {
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
    /// all other cases nobody knows. Two objects that nobody can write may share their bytes, as string literals do.
    fn pointers_equal(&mut self, state: &State, same: Term, a: Pointer, b: Pointer) -> Term {
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
    fn is_inside(&mut self, state: &State, pointer: Pointer) -> (Term, Term) {
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

    fn difference(&mut self, ty: Type, a: Pointer, b: Pointer) -> Value {
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
                Some(bits) => {
                    let number = match float::exact_integer(format, bits) {
                        Some(number) if mathematical => number,
                        _ => float::to_integer(format, bits, ty),
                    };
                    self.constant(ty, number)
                }
                None => {
                    let sort = self.integer_sort(ty);
                    self.terms.fresh("floating point number as an integer", sort)
                }
            },
            (Type::Float(source), Type::Float(format)) => match known {
                Some(bits) => terms.bits(format.bits(), float::convert(source, format, bits)),
                None => terms.fresh("floating point conversion", Sort::BitVector(format.bits())),
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

    fn known_integer(&self, ty: IntegerType, term: Term) -> Option<i128> {
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

    fn convert_pointer(&mut self, to: Type, pointer: Pointer) -> Value {
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

    fn reinterpret(&mut self, from: Type, to: Type, value: Value) -> Value {
        let term = self.as_term(value);
        match (from, to) {
            _ if !self.is_mathematical() => Value::Scalar(term),
            (Type::Float(_), Type::Integer(ty)) => {
                let op = if ty.signed { Unary::SignedToInteger } else { Unary::UnsignedToInteger };
                Value::Scalar(self.terms.unary(op, term))
            }
            (Type::Integer(_), Type::Float(format)) => {
                Value::Scalar(self.terms.unary(Unary::IntegerToBits(format.bits()), term))
            }
            (Type::Integer(_), Type::Integer(ty)) => {
                let bits = self.terms.unary(Unary::IntegerToBits(ty.width.into()), term);
                let op = if ty.signed { Unary::SignedToInteger } else { Unary::UnsignedToInteger };
                Value::Scalar(self.terms.unary(op, bits))
            }
            _ => Value::Scalar(term),
        }
    }
}

/// The limits of a type in two more bits.
fn limits(ty: IntegerType) -> (BitVector, BitVector) {
    let width = u32::from(ty.width);
    if ty.signed {
        let low = BitVector::minimum(width);
        (low.sign_extend(2), low.not().sign_extend(2))
    } else {
        (BitVector::zero(width + 2), BitVector::ones(width).zero_extend(2))
    }
}
