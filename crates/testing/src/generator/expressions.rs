//! Expressions without side effects and without undefined behaviour.
//!
//! Every expression carries the interval of the values it can take. A signed operation is written only if the
//! interval of its mathematical result fits the type; otherwise its operands are made smaller first, or it is done
//! on unsigned integers and converted back.

use super::Generator;
use super::types::{INTEGERS, Scalar};

/// An expression: its text, its type, and, for an integer, the values it can take.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub text: String,
    pub ty: Scalar,
    pub low: i128,
    pub high: i128,
}

impl Value {
    /// An expression of which nothing but the type is known.
    pub fn any(text: String, ty: Scalar) -> Self {
        let (low, high) = if ty.is_float() { (0, 0) } else { ty.range() };
        Self { text, ty, low, high }
    }

    fn within(text: String, ty: Scalar, low: i128, high: i128) -> Self {
        Self { text, ty, low, high }
    }

    /// The values after a conversion that C makes by itself.
    pub fn converted(&self, ty: Scalar) -> Value {
        let mut value = self.clone();
        if self.ty.is_float() || ty.is_float() {
            return Value::any(value.text, ty);
        }
        let (low, high) = ty.range();
        value.ty = ty;
        if ty == Scalar::Bool {
            (value.low, value.high) = (0, 1);
        } else if self.low < low || self.high > high {
            (value.low, value.high) = (low, high);
        }
        value
    }

    /// The values after a written cast.
    pub fn cast(&self, ty: Scalar) -> Value {
        Value { text: format!("(({}){})", ty.name(), self.text), ..self.converted(ty) }
    }
}

impl Generator {
    /// An integer or floating expression.
    pub(super) fn expression(&mut self, depth: usize) -> Value {
        if self.random.chance(12) { self.float(depth) } else { self.integer(depth) }
    }

    /// An integer expression.
    pub(super) fn integer(&mut self, depth: usize) -> Value {
        if depth == 0 {
            return if self.random.chance(25) { self.constant() } else { self.read() };
        }
        match self.random.below(20) {
            0..=7 => self.arithmetic(depth),
            8..=9 => self.unary(depth),
            10..=11 => self.comparison(depth),
            12 => self.logical(depth),
            13 => self.conditional(depth),
            14..=15 => {
                let ty = *self.random.pick(&INTEGERS);
                self.integer(depth - 1).cast(ty)
            }
            16 => self.size(),
            17 => self.statement_expression(depth),
            18 => self.pure_call(depth).unwrap_or_else(|| self.read()),
            _ => {
                let value = self.float(depth - 1);
                double_to_int(&value.text)
            }
        }
    }

    /// A floating expression. It can be infinite or not a number.
    pub(super) fn float(&mut self, depth: usize) -> Value {
        let ty = if self.random.chance(40) { Scalar::Float } else { Scalar::Double };
        if depth == 0 {
            let literal =
                *self.random.pick(&["0.5", "1.25", "-3.0", "1e3", "0x1.8p4", "0.1", "2.7182818", "-1e-3"]);
            let suffix = if ty == Scalar::Float && !literal.contains('p') { "f" } else { "" };
            return match self.random.below(3) {
                0 => Value::any(format!("(({}){}{})", ty.name(), literal, suffix), ty),
                _ => match self.place(false) {
                    Some(place) => Value::any(format!("(({}){})", ty.name(), place.value().text), ty),
                    None => Value::any(
                        format!("({literal}{suffix})"),
                        if suffix == "f" { ty } else { Scalar::Double },
                    ),
                },
            };
        }
        let left = if self.random.chance(70) { self.float(depth - 1) } else { self.integer(depth - 1) };
        let right = self.float(depth - 1);
        let operator = *self.random.pick(&["+", "-", "*", "+", "-", "*", "/"]);
        let common = left.ty.common(right.ty);
        match self.random.below(8) {
            0 => Value::any(format!("(-{})", right.text), right.ty),
            1 => {
                let condition = self.integer(depth - 1);
                Value::any(format!("({} ? {} : {})", condition.text, left.text, right.text), common)
            }
            _ => Value::any(format!("({} {operator} {})", left.text, right.text), common),
        }
    }

    /// An integer constant, in one of its many spellings.
    pub(super) fn constant(&mut self) -> Value {
        let small = self.random.range(-20, 100);
        match self.random.below(10) {
            0..=3 => constant(small as i128, Scalar::Int, &format!("{small}")),
            4 => {
                let character = self.random.range(b'a' as i64, b'z' as i64);
                constant(character as i128, Scalar::Int, &format!("'{}'", character as u8 as char))
            }
            5 => {
                let byte = self.random.range(-128, 127);
                constant(byte as i128, Scalar::Int, &format!("'\\x{:x}'", byte as u8))
            }
            6 => {
                let word = self.random.next() as u32;
                constant(word as i128, Scalar::UnsignedInt, &format!("{word:#x}u"))
            }
            7 => {
                let number = self.random.range(0, 0o7777);
                constant(number as i128, Scalar::Long, &format!("0{number:o}L"))
            }
            8 => {
                let word = self.random.next();
                constant(word as i128, Scalar::UnsignedLongLong, &format!("{word:#X}uLL"))
            }
            _ => match self.random.below(4) {
                0 => constant(i32::MIN as i128, Scalar::Int, "-2147483647 - 1"),
                1 => constant(i32::MAX as i128, Scalar::Int, "0x7fffffff"),
                2 => constant(i64::MAX as i128, Scalar::Long, "9223372036854775807"),
                _ => {
                    let index = self.random.below(self.enumerators.len());
                    match self.enumerators.get(index) {
                        Some((name, value)) => constant(*value as i128, Scalar::Int, name),
                        None => constant(1, Scalar::Int, "1"),
                    }
                }
            },
        }
    }

    /// The value of something in scope.
    fn read(&mut self) -> Value {
        match self.place(false) {
            Some(place) if !place.ty.is_float() => place.value(),
            _ => self.constant(),
        }
    }

    fn arithmetic(&mut self, depth: usize) -> Value {
        let operator = *self.random.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "+", "-"]);
        let left = self.integer(depth - 1);
        let right = self.integer(depth - 1);
        self.binary(operator, left, right)
    }

    /// The two operands under the operator, changed where they must be for the result to be defined.
    pub(super) fn binary(&mut self, operator: &str, left: Value, right: Value) -> Value {
        match operator {
            "<<" | ">>" => self.shift(operator, left, right),
            "/" | "%" => self.division(operator, left, right),
            _ => {
                if let Some(value) = exact(operator, &left, &right) {
                    return value;
                }
                if self.random.chance(50) {
                    let ty = left.ty.common(right.ty).unsigned();
                    let wrapped =
                        exact(operator, &left.cast(ty), &right).expect("unsigned arithmetic is defined");
                    return if self.random.chance(50) { wrapped.cast(left.ty.promoted()) } else { wrapped };
                }
                let (left, right) = (self.reduced(left), self.reduced(right));
                exact(operator, &left, &right).unwrap_or(left)
            }
        }
    }

    /// The value made small: within some thousands around zero.
    fn reduced(&mut self, value: Value) -> Value {
        let ty = value.ty.promoted();
        let mask = *self.random.pick(&[7i128, 15, 63, 255, 1023]);
        if value.low >= -mask && value.high <= mask {
            return value.converted(ty);
        }
        match self.random.below(3) {
            0 => Value::within(format!("({} & {mask})", value.text), ty, 0, mask),
            1 if ty.is_signed() => Value::within(format!("({} % {})", value.text, mask + 1), ty, -mask, mask),
            1 => Value::within(format!("({} % {})", value.text, mask + 1), ty, 0, mask),
            _ => {
                let small = *self.random.pick(&[Scalar::SignedChar, Scalar::UnsignedChar, Scalar::Char]);
                value.cast(small).converted(Scalar::Int)
            }
        }
    }

    fn shift(&mut self, operator: &str, left: Value, right: Value) -> Value {
        let ty = left.ty.promoted();
        let left = left.converted(ty);
        let most = *self.random.pick(&[3, 7, ty.bits() as i128 - 1]);
        let right = if right.low >= 0 && right.high <= most {
            right
        } else {
            Value::within(format!("({} & {most})", right.text), right.ty.promoted(), 0, most)
        };
        if operator == ">>" {
            // A negative left operand is shifted arithmetically by all compilers that we compare with.
            return Value::within(
                format!("({} >> {})", left.text, right.text),
                ty,
                left.low.min(0),
                left.high.max(0),
            );
        }
        if !ty.is_signed() {
            return Value::any(format!("({} << {})", left.text, right.text), ty);
        }
        let high = left.high.checked_mul(1 << right.high.min(64));
        match high {
            Some(high) if left.low >= 0 && high <= ty.range().1 => {
                Value::within(format!("({} << {})", left.text, right.text), ty, 0, high)
            }
            _ => Value::any(format!("({} << {})", left.cast(ty.unsigned()).text, right.text), ty.unsigned()),
        }
    }

    fn division(&mut self, operator: &str, left: Value, right: Value) -> Value {
        let right = if right.low > 0 || right.high < -1 {
            right
        } else if self.random.chance(20) {
            let divisor = -self.random.range(2, 40);
            constant(divisor as i128, Scalar::Int, &divisor.to_string())
        } else {
            let mask = *self.random.pick(&[7i128, 63, 511]);
            Value::within(format!("(({} & {mask}) + 1)", right.text), right.ty.promoted(), 1, mask + 1)
        };
        let ty = left.ty.common(right.ty);
        let (a, b) = (left.converted(ty), right.converted(ty));
        if b.low <= 0 && b.high >= -1 {
            return a;
        }
        let most =
            if operator == "/" { a.low.abs().max(a.high.abs()) } else { b.low.abs().max(b.high.abs()) - 1 };
        let low = if a.low >= 0 && b.low >= 0 { 0 } else { -most };
        Value::within(format!("({} {operator} {})", a.text, b.text), ty, low, most).clamped()
    }

    fn unary(&mut self, depth: usize) -> Value {
        let value = self.integer(depth - 1);
        let ty = value.ty.promoted();
        let value = value.converted(ty);
        match self.random.below(4) {
            0 if ty.is_signed() => Value::within(format!("(~{})", value.text), ty, !value.high, !value.low),
            0 => Value::any(format!("(~{})", value.text), ty),
            1 => Value::within(format!("(!{})", value.text), Scalar::Int, 0, 1),
            2 => Value::within(format!("(+{})", value.text), ty, value.low, value.high),
            _ if !ty.is_signed() => Value::any(format!("(-{})", value.text), ty),
            _ if value.low > ty.range().0 => {
                Value::within(format!("(-{})", value.text), ty, -value.high, -value.low)
            }
            _ => Value::any(format!("(-{})", value.cast(ty.unsigned()).text), ty.unsigned()),
        }
    }

    fn comparison(&mut self, depth: usize) -> Value {
        let operator = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        Value::within(format!("({} {operator} {})", left.text, right.text), Scalar::Int, 0, 1)
    }

    fn logical(&mut self, depth: usize) -> Value {
        let operator = *self.random.pick(&["&&", "||"]);
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        Value::within(format!("({} {operator} {})", left.text, right.text), Scalar::Int, 0, 1)
    }

    fn conditional(&mut self, depth: usize) -> Value {
        let condition = self.expression(depth - 1);
        let (then, other) = (self.integer(depth - 1), self.integer(depth - 1));
        let ty = then.ty.common(other.ty);
        let (a, b) = (then.converted(ty), other.converted(ty));
        let text = format!("({} ? {} : {})", condition.text, a.text, b.text);
        Value::within(text, ty, a.low.min(b.low), a.high.max(b.high))
    }

    fn size(&mut self) -> Value {
        let ty = *self.random.pick(&INTEGERS);
        let text = match self.random.below(3) {
            0 => format!("sizeof({})", ty.name()),
            // A bit-field has no size, its promoted value has.
            1 => format!("sizeof(+{})", self.integer(1).text),
            _ => format!("(sizeof({}[{}]) / 2)", ty.name(), self.random.range(1, 30)),
        };
        Value::within(text, Scalar::UnsignedLong, 0, 512)
    }

    /// `({ declaration; expression; })`, which sees its own variable.
    fn statement_expression(&mut self, depth: usize) -> Value {
        if !self.in_function {
            return self.constant();
        }
        let first = self.integer(depth - 1);
        let name = self.fresh("s");
        let ty = first.ty.promoted();
        let inner = Value::within(name.clone(), ty, first.low, first.high);
        let second = self.integer(depth - 1);
        let operator = *self.random.pick(&["+", "^", "-", "|"]);
        let result = self.binary(operator, inner, second);
        let text = format!("({{ {} {name} = {}; {}; }})", ty.name(), first.text, result.text);
        Value { text, ..result }
    }

    fn pure_call(&mut self, depth: usize) -> Option<Value> {
        if self.pure_functions.is_empty() || !self.in_function {
            return None;
        }
        let index = self.random.below(self.pure_functions.len());
        let function = self.pure_functions[index].clone();
        if !self.afford(function.cost) {
            return None;
        }
        let arguments: Vec<String> =
            function.parameters.iter().map(|ty| self.argument(*ty, depth.min(2) - 1)).collect();
        let call = format!("{}({})", function.name, arguments.join(", "));
        if function.result.is_float() {
            return Some(double_to_int(&call));
        }
        Some(Value::any(call, function.result))
    }

    /// An expression that can be passed as, or assigned to, this type.
    pub(super) fn argument(&mut self, ty: Scalar, depth: usize) -> String {
        if ty.is_float() && self.random.chance(60) {
            self.float(depth).text
        } else {
            self.integer(depth).text
        }
    }

    /// An index into an array of this length.
    pub(super) fn index(&mut self, length: usize) -> String {
        if self.in_function
            && self.random.chance(60)
            && let Some(counter) = self.counter_below(length)
        {
            return counter;
        }
        if !self.in_function || self.random.chance(20) {
            return self.random.below(length).to_string();
        }
        self.nesting += 1;
        let value = if self.nesting > 2 { self.constant() } else { self.integer(1) };
        self.nesting -= 1;
        if value.low >= 0 && value.high < length as i128 {
            value.text
        } else if length.is_power_of_two() && self.random.chance(70) {
            format!("{} & {}", value.text, length - 1)
        } else {
            format!("(unsigned){} % {length}", value.text)
        }
    }
}

impl Value {
    fn clamped(mut self) -> Self {
        let (low, high) = self.ty.range();
        self.low = self.low.max(low);
        self.high = self.high.min(high);
        self
    }
}

/// A floating expression made an integer, by a function that takes care of large values.
fn double_to_int(text: &str) -> Value {
    Value::within(format!("double_to_int({text})"), Scalar::Int, -1_000_000_000, 1_000_000_000)
}

fn constant(value: i128, ty: Scalar, text: &str) -> Value {
    Value::within(format!("({text})"), ty, value, value)
}

/// The operation as C does it, if no value of the operands makes it leave its type.
pub(super) fn exact(operator: &str, left: &Value, right: &Value) -> Option<Value> {
    let ty = left.ty.common(right.ty);
    let text = format!("({} {operator} {})", left.text, right.text);
    if ty.is_float() {
        return Some(Value::any(text, ty));
    }
    let (a, b) = (left.converted(ty), right.converted(ty));
    let (least, most) = ty.range();
    let (low, high) = match operator {
        "+" => (a.low + b.low, a.high + b.high),
        "-" => (a.low - b.high, a.high - b.low),
        "*" => {
            let corners = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
            let products: Option<Vec<i128>> = corners.iter().map(|(x, y)| x.checked_mul(*y)).collect();
            match products {
                Some(products) => (*products.iter().min()?, *products.iter().max()?),
                None => (i128::MIN, i128::MAX),
            }
        }
        _ => bitwise_range(operator, &a, &b),
    };
    if low >= least && high <= most {
        return Some(Value::within(text, ty, low, high));
    }
    if ty.is_signed() { None } else { Some(Value::any(text, ty)) }
}

/// The smallest range of whole bits that holds the result of `&`, `|` or `^`.
fn bitwise_range(operator: &str, a: &Value, b: &Value) -> (i128, i128) {
    if operator == "&" && (a.low >= 0 || b.low >= 0) {
        let high = if a.low < 0 {
            b.high
        } else if b.low < 0 {
            a.high
        } else {
            a.high.min(b.high)
        };
        return (0, high);
    }
    let largest =
        [a.low, a.high, b.low, b.high].map(|x| if x < 0 { !x } else { x }).into_iter().max().unwrap_or(0);
    let all = (1i128 << (128 - largest.leading_zeros())) - 1;
    if a.low >= 0 && b.low >= 0 { (0, all) } else { (-all - 1, all) }
}
