//! Operators of ACSL and C, with the precedence of C; below them all are the conditional and the arrows of ACSL.

use std::sync::Arc;

use evidence::{Aspect, Comparison, Expression, Formula, Integer, Quantity};
use program::annotation::{CType, Shape};

use super::number::{Number, Range};
use super::reader::{Reader, all, implies, null};
use super::scope::Side;
use super::types;
use super::value::{Fact, Pointer, Read, Root, Trouble, Truth, Value};

impl Reader<'_> {
    /// Any expression.
    pub fn expression(&mut self) -> Read<Value> {
        self.nested(|reader| {
            let at = reader.here();
            let condition = reader.equivalence()?;
            if !reader.cursor.eat("?") {
                return Ok(condition);
            }
            let condition = reader.truth(at, condition)?.only()?;
            let at = reader.here();
            let then = reader.expression()?;
            let then = reader.number(at, then)?;
            reader.need(":")?;
            let at = reader.here();
            let otherwise = reader.expression()?;
            let otherwise = reader.number(at, otherwise)?;
            let (then, otherwise) = if reader.is_c() { then.common(&otherwise) } else { (then, otherwise) };
            let range = then.range.join(&otherwise.range);
            let value = Expression::select(condition, then.expression(), otherwise.expression());
            Ok(Value::Number(Number::new(value, range, then.ty.filter(|_| reader.is_c()))))
        })
    }

    pub(super) fn equivalence(&mut self) -> Read<Value> {
        let at = self.here();
        let mut value = self.implication()?;
        while self.cursor.eat("<==>") {
            let left = self.truth(at, value)?.only()?;
            let at = self.here();
            let right = self.implication()?;
            let right = self.truth(at, right)?.only()?;
            let both = implies(left.clone(), right.clone()).and(implies(right, left));
            value = self.bounded(Value::Truth(Truth::plain(both)))?;
        }
        Ok(value)
    }

    pub(super) fn implication(&mut self) -> Read<Value> {
        self.nested(|reader| {
            let at = reader.here();
            let value = reader.disjunction()?;
            if !reader.cursor.eat("==>") {
                return Ok(value);
            }
            let left = reader.truth(at, value)?.only()?;
            let at = reader.here();
            let right = reader.implication()?;
            let right = reader.truth(at, right)?.only()?;
            Ok(Value::Truth(Truth::plain(implies(left, right))))
        })
    }

    pub(super) fn disjunction(&mut self) -> Read<Value> {
        let at = self.here();
        let first = self.conjunction()?;
        if !self.cursor.rest().starts_with("||") {
            return Ok(first);
        }
        let mut parts = vec![self.truth(at, first)?.only()?];
        while self.cursor.eat("||") {
            let at = self.here();
            let part = self.conjunction()?;
            parts.push(self.truth(at, part)?.only()?);
        }
        Ok(Value::Truth(Truth::plain(Formula::Any(parts))))
    }

    pub(super) fn conjunction(&mut self) -> Read<Value> {
        let at = self.here();
        let first = self.bits()?;
        if !self.cursor.rest().starts_with("&&") {
            return Ok(first);
        }
        let mut parts = vec![self.truth(at, first)?];
        while self.cursor.eat("&&") {
            let at = self.here();
            let part = self.bits()?;
            parts.push(self.truth(at, part)?);
        }
        let facts = parts.iter().flat_map(|part| part.facts.clone()).collect();
        let formulas = parts.into_iter().map(|part| part.formula).collect();
        Ok(Value::Truth(Truth { formula: all(formulas), facts }))
    }

    /// Operations on bits are not read.
    pub(super) fn bits(&mut self) -> Read<Value> {
        let value = self.equality()?;
        let rest = self.cursor.rest();
        let is_bit = |sign: char| rest.starts_with(sign) && !rest[1..].starts_with(sign);
        if rest.starts_with("-->") || rest.starts_with("<--") || is_bit('^') || is_bit('&') || is_bit('|') {
            return self.trouble("operations on bits are not supported");
        }
        if rest.starts_with("^^") {
            return self.trouble("`^^` is not supported");
        }
        Ok(value)
    }

    pub(super) fn equality(&mut self) -> Read<Value> {
        if !self.is_c() {
            let all = [
                Comparison::LessEqual,
                Comparison::GreaterEqual,
                Comparison::Equal,
                Comparison::Differ,
                Comparison::Less,
                Comparison::Greater,
            ];
            return self.compared(&all, Self::shifted);
        }
        self.compared(&[Comparison::Equal, Comparison::Differ], |reader| {
            let order =
                [Comparison::LessEqual, Comparison::GreaterEqual, Comparison::Less, Comparison::Greater];
            reader.compared(&order, Self::shifted)
        })
    }

    /// Values between which comparisons stand: each with the next one in ACSL, from the left in C.
    pub(super) fn compared(
        &mut self,
        comparisons: &[Comparison],
        part: impl Fn(&mut Self) -> Read<Value>,
    ) -> Read<Value> {
        let mut at = self.here();
        let mut left = part(self)?;
        let mut found = Vec::new();
        loop {
            let rest = self.cursor.rest();
            let is_other = ["==>", "<==>", "<<", ">>", "<--"].iter().any(|sign| rest.starts_with(sign));
            let next =
                comparisons.iter().find(|comparison| !is_other && rest.starts_with(comparison.symbol()));
            let Some(&comparison) = next else { break };
            self.cursor.eat(comparison.symbol());
            if !found.is_empty() && (self.is_c() || comparison == Comparison::Differ) {
                return self.trouble("several comparisons in a row are not supported here");
            }
            let next = self.here();
            let right = part(self)?;
            found.push(self.compare(at, left, comparison, right.clone())?);
            (left, at) = (right, next);
        }
        match found.len() {
            0 => Ok(left),
            1 => Ok(Value::Truth(found.remove(0))),
            _ => {
                let facts = found.iter().flat_map(|one| one.facts.clone()).collect();
                let formula = all(found.into_iter().map(|one| one.formula).collect());
                Ok(Value::Truth(Truth { formula, facts }))
            }
        }
    }

    pub(super) fn compare(
        &mut self,
        at: usize,
        left: Value,
        comparison: Comparison,
        right: Value,
    ) -> Read<Truth> {
        let (left, right) = (self.loaded(at, left)?, self.loaded(at, right)?);
        let (left, right) = match (left, right) {
            (Value::Pointer(left), Value::Pointer(right)) => return self.same(at, &left, comparison, &right),
            // C compares pointers with 0, ACSL also with \null.
            (Value::Pointer(left), Value::Number(zero)) | (Value::Number(zero), Value::Pointer(left))
                if zero.linear.small() == Some(0) =>
            {
                return self.same(at, &left, comparison, &null());
            }
            (left, right) => (self.number(at, left)?, self.number(at, right)?),
        };
        let (left, right) = if self.is_c() { left.common(&right) } else { (left, right) };
        let formula = match (left.linear.known(), right.linear.known()) {
            (Some(left), Some(right)) if comparison.holds(left, right) => Formula::True,
            (Some(_), Some(_)) => Formula::False,
            _ => left.expression().compare(comparison, right.expression()),
        };
        Ok(Truth::plain(formula))
    }

    /// Pointers compared.
    pub(super) fn same(
        &self,
        at: usize,
        left: &Pointer,
        comparison: Comparison,
        right: &Pointer,
    ) -> Read<Truth> {
        let trouble = |reason: &str| Err(Trouble::new(at, reason));
        if left.root == right.root && left.root != Root::Null {
            let formula = left.offset.expression().compare(comparison, right.offset.expression());
            return Ok(Truth::plain(formula));
        }
        let is_equal = match comparison {
            Comparison::Equal => true,
            Comparison::Differ => false,
            _ => return trouble("the order of pointers to different objects is not supported"),
        };
        let (pointer, other) = if left.root == Root::Null { (right, left) } else { (left, right) };
        if other.root == Root::Null && !is_equal && self.scope.side == Side::Before {
            return Ok(Truth::fact(at, Fact::NotNull(pointer.clone())));
        }
        let aspect = |pointer: &Pointer, aspect: Aspect| match &pointer.root {
            Root::Behind { pointer: name, moment, field: None } if pointer.offset.small() == Some(0) => {
                Some(Quantity { variable: name.clone(), aspect }.at(*moment))
            }
            _ => None,
        };
        let Some(object) = aspect(pointer, Aspect::Object) else {
            return trouble("comparing this pointer is not supported");
        };
        let formula = match other.root {
            Root::Null => object.equals(0),
            _ => match (
                aspect(other, Aspect::Object),
                aspect(pointer, Aspect::Offset),
                aspect(other, Aspect::Offset),
            ) {
                (Some(other), Some(own), Some(others)) => object.equals(other).and(own.equals(others)),
                _ => return trouble("comparing these pointers is not supported"),
            },
        };
        Ok(Truth::plain(if is_equal { formula } else { !formula }))
    }

    pub(super) fn shifted(&mut self) -> Read<Value> {
        let at = self.here();
        let mut value = self.sum()?;
        loop {
            let rest = self.cursor.rest();
            let is_left = rest.starts_with("<<");
            if !is_left && !rest.starts_with(">>") {
                return Ok(value);
            }
            self.cursor.at += 2;
            let left = self.number(at, value)?;
            let place = self.here();
            let by = self.sum()?;
            let by = self.number(place, by)?;
            let Some(by) = by.linear.small().filter(|&by| by < 64) else {
                return Err(Trouble::new(place, "shifts by numbers that are not known are not supported"));
            };
            let factor = Integer::ONE << by as usize;
            let ty = left.promoted().ty.filter(|_| self.is_c());
            let result = match (is_left, left.range.is_natural()) {
                (true, _) => left.times(&Number::known(factor)),
                (false, true) => left.quotient(&factor),
                (false, false) => {
                    return Err(Trouble::new(at, "shifts of negative numbers are not supported"));
                }
            };
            value = Value::Number(result.resulting(ty));
        }
    }

    pub(super) fn sum(&mut self) -> Read<Value> {
        let at = self.here();
        let mut value = self.product()?;
        loop {
            let rest = self.cursor.rest();
            let is_sum = rest.starts_with('+');
            if !is_sum && !rest.starts_with('-') || rest.starts_with("-->") {
                return Ok(value);
            }
            self.cursor.at += 1;
            let place = self.here();
            let right = self.product()?;
            value = match (self.loaded(at, value)?, self.loaded(place, right)?) {
                (Value::Pointer(pointer), Value::Range(from, count)) if is_sum => {
                    let moved = self.moved(at, pointer, &from)?;
                    Value::Pointer(Pointer { count: Some(count), ..moved })
                }
                (Value::Pointer(pointer), Value::Number(by))
                | (Value::Number(by), Value::Pointer(pointer))
                    if is_sum =>
                {
                    Value::Pointer(self.moved(at, pointer, &by)?)
                }
                (Value::Pointer(pointer), Value::Number(by)) => {
                    Value::Pointer(self.moved(at, pointer, &by.negated())?)
                }
                (Value::Pointer(one), Value::Pointer(other)) if !is_sum && one.root == other.root => {
                    let apart = one.to.size.and_then(|size| one.offset.minus(&other.offset).divided(size));
                    let Some(apart) = apart else {
                        return Err(Trouble::new(at, "the difference of these pointers is not supported"));
                    };
                    Value::Number(Number { linear: apart, range: Range::default(), ty: None })
                }
                (left, right) => {
                    let (left, right) = (self.number(at, left)?, self.number(place, right)?);
                    let (left, right) = if self.is_c() { left.common(&right) } else { (left, right) };
                    let ty = left.ty.filter(|_| self.is_c());
                    let right = if is_sum { right } else { right.negated() };
                    Value::Number(left.plus(&right).resulting(ty))
                }
            };
        }
    }

    pub(super) fn moved(&self, at: usize, pointer: Pointer, by: &Number) -> Read<Pointer> {
        if pointer.count.is_some() {
            return Err(Trouble::new(at, "a range of pointers cannot be moved"));
        }
        let size = pointer.to.size.filter(|&size| size > 0);
        let Some(size) = size else {
            return Err(Trouble::new(at, format!("the size of `{}` is not known", pointer.to.text)));
        };
        let offset = pointer.offset.plus(&by.linear.times(&size.into()));
        Ok(Pointer { offset, ..pointer })
    }

    pub(super) fn product(&mut self) -> Read<Value> {
        let at = self.here();
        let mut value = self.tight()?;
        loop {
            let rest = self.cursor.rest();
            let Some(sign) = rest.chars().next().filter(|sign| "*/%".contains(*sign)) else {
                return Ok(value);
            };
            self.cursor.at += 1;
            let left = self.number(at, value)?;
            let place = self.here();
            let right = self.tight()?;
            let right = self.number(place, right)?;
            let (left, right) = if self.is_c() { left.common(&right) } else { (left, right) };
            let ty = left.ty.filter(|_| self.is_c());
            let result = match sign {
                '*' => left.times(&right),
                _ => {
                    let divisor = right.linear.known().filter(|number| **number > Integer::ZERO);
                    let Some(divisor) = divisor else {
                        return Err(Trouble::new(
                            place,
                            "only division by a known positive number is supported",
                        ));
                    };
                    if sign == '/' { left.quotient(divisor) } else { left.remainder(divisor) }
                }
            };
            value = self.bounded(Value::Number(result.resulting(ty)))?;
        }
    }

    /// A part that binds more tightly than operators between two.
    pub fn tight(&mut self) -> Read<Value> {
        self.nested(Self::prefixed)
    }

    pub(super) fn prefixed(&mut self) -> Read<Value> {
        let at = self.here();
        let rest = self.cursor.rest();
        if rest.starts_with("++") || rest.starts_with("--") {
            return self.trouble("assignments are not supported");
        }
        match rest.chars().next() {
            Some('!') => {
                self.cursor.at += 1;
                let inner = self.here();
                let value = self.tight()?;
                if let Value::Pointer(pointer) = self.loaded(inner, value.clone())? {
                    return self.same(at, &pointer, Comparison::Equal, &null()).map(Value::Truth);
                }
                let inner = self.truth(inner, value)?.only()?;
                Ok(Value::Truth(Truth::plain(!inner)))
            }
            Some(sign @ ('-' | '+')) => {
                self.cursor.at += 1;
                let value = self.tight()?;
                let number = self.number(at, value)?;
                let ty = number.promoted().ty.filter(|_| self.is_c());
                let number = if sign == '-' { number.negated() } else { number };
                Ok(Value::Number(number.resulting(ty)))
            }
            Some('~') => self.trouble("operations on bits are not supported"),
            Some('*') => {
                self.cursor.at += 1;
                let value = self.tight()?;
                let pointer = self.pointer(at, value)?;
                Ok(Value::Place(pointer.target()))
            }
            Some('&') => {
                self.cursor.at += 1;
                match self.tight()? {
                    Value::Place(place) => Ok(Value::Pointer(place.address())),
                    _ => Err(Trouble::new(at, "this has no address")),
                }
            }
            Some('(') => match types::cast(self)? {
                Some(ty) => {
                    let value = self.tight()?;
                    self.converted(at, value, ty)
                }
                None => self.postfix(),
            },
            _ => self.postfix(),
        }
    }

    /// A value as a cast makes it.
    pub(super) fn converted(&mut self, at: usize, value: Value, ty: Arc<CType>) -> Read<Value> {
        let value = self.loaded(at, value)?;
        match (&ty.shape, value) {
            (Shape::Pointer(to), Value::Pointer(pointer)) => {
                Ok(Value::Pointer(Pointer { to: Arc::clone(to), ..pointer }))
            }
            (Shape::Pointer(to), Value::Number(number)) if number.linear.small() == Some(0) => {
                Ok(Value::Pointer(Pointer { to: Arc::clone(to), ..null() }))
            }
            (Shape::Integer(integer), value @ (Value::Number(_) | Value::Truth(_))) => {
                if ty.text == "_Bool" || ty.text == "bool" {
                    let truth = self.truth(at, value)?.only()?;
                    return Ok(Value::Number(self.number_of(truth)));
                }
                let number = self.number(at, value)?.converted(*integer);
                Ok(Value::Number(if self.is_c() { number } else { Number { ty: None, ..number } }))
            }
            // `integer` and `boolean` of ACSL.
            (Shape::Other, value @ Value::Number(_)) if ty.text == types::INTEGER => Ok(value),
            _ => Err(Trouble::new(at, format!("a conversion to `{}` is not supported here", ty.text))),
        }
    }
}
