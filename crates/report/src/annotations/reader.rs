//! Expressions of ACSL and of CBMC, read from the left with the precedence of C.
//!
//! Where the two differ: ACSL computes over ℤ and reads `a <= b < c` as two comparisons; CBMC computes as C does. What is not
//! understood is an error at its place.

use std::sync::Arc;

use evidence::{
    Aspect, Comparison, Element, Expression, Formula, Integer, Moment, Name, Part, Quantity, STORED,
};
use program::annotation::{CType, Language, Shape, Word};

use super::number::{INT, Linear, Number, Range};
use super::scope::{Scope, Side};
use super::types;
use super::value::{Fact, Place, Pointer, Read, Root, Trouble, Truth, Value};
use crate::cursor::Cursor;

/// So many macros are expanded in a clause.
const MOST_MACROS: u32 = 200;

/// A value has no more parts. Some operations repeat their operands, so that a short text could make a huge one.
const LARGEST: usize = 10_000;

/// Reads one expression.
pub(crate) struct Reader<'a> {
    pub cursor: Cursor<'a>,
    pub scope: &'a Scope<'a>,
    pub language: Language,
    /// When things are examined, if the text says so.
    pub moment: Option<Moment>,
    /// The numbers that quantifiers bind: how each is called here and in evidence.
    pub bound: Vec<(String, Name, Range, Option<program::IntegerType>)>,
    /// How many macros were expanded so far.
    pub macros: u32,
}

impl<'a> Reader<'a> {
    /// A reader of a text.
    pub fn new(text: &'a str, scope: &'a Scope<'a>, language: Language) -> Self {
        Self { cursor: Cursor::new(text), scope, language, moment: None, bound: Vec::new(), macros: 0 }
    }

    pub fn is_c(&self) -> bool {
        self.language == Language::Cprover
    }

    pub fn trouble<T>(&self, reason: impl Into<String>) -> Read<T> {
        Err(Trouble::new(self.cursor.at, reason))
    }

    pub fn need(&mut self, token: &str) -> Read<()> {
        if self.cursor.eat(token) { Ok(()) } else { self.trouble(format!("expected `{token}`")) }
    }

    /// Where the next word begins.
    pub fn here(&mut self) -> usize {
        self.cursor.rest();
        self.cursor.at
    }

    /// Reads a predicate to the end of the text.
    pub fn whole(&mut self) -> Read<Truth> {
        self.label();
        let at = self.here();
        let value = self.expression()?;
        self.end()?;
        self.truth(at, value)
    }

    pub fn end(&mut self) -> Read<()> {
        if self.cursor.rest().is_empty() { Ok(()) } else { self.trouble("expected an operator or the end") }
    }

    /// Skips a name in front of a predicate.
    fn label(&mut self) {
        loop {
            let mut ahead = self.cursor.clone();
            if self.is_c() || ahead.word().is_none() || ahead.rest().starts_with("::") || !ahead.eat(":") {
                return;
            }
            self.cursor = ahead;
        }
    }

    /// Goes one level deeper for a part.
    fn nested(&mut self, part: impl FnOnce(&mut Self) -> Read<Value>) -> Read<Value> {
        if !self.cursor.deeper() {
            return self.trouble("this is nested too deeply");
        }
        let value = part(self);
        self.cursor.back();
        value.and_then(|value| self.bounded(value))
    }

    /// A value that is not too large.
    fn bounded(&self, value: Value) -> Read<Value> {
        let mut parts = 0usize;
        let mut count = |_: Part<'_>| parts += 1;
        match &value {
            Value::Truth(truth) => Part::Formula(&truth.formula).walk(&mut count),
            Value::Number(number) => Part::Number(&number.expression()).walk(&mut count),
            _ => {}
        }
        if parts > LARGEST { self.trouble("this becomes too large") } else { Ok(value) }
    }

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

    fn equivalence(&mut self) -> Read<Value> {
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

    fn implication(&mut self) -> Read<Value> {
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

    fn disjunction(&mut self) -> Read<Value> {
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

    fn conjunction(&mut self) -> Read<Value> {
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
    fn bits(&mut self) -> Read<Value> {
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

    fn equality(&mut self) -> Read<Value> {
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
    fn compared(
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

    fn compare(&mut self, at: usize, left: Value, comparison: Comparison, right: Value) -> Read<Truth> {
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
    fn same(&self, at: usize, left: &Pointer, comparison: Comparison, right: &Pointer) -> Read<Truth> {
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

    fn shifted(&mut self) -> Read<Value> {
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

    fn sum(&mut self) -> Read<Value> {
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

    fn moved(&self, at: usize, pointer: Pointer, by: &Number) -> Read<Pointer> {
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

    fn product(&mut self) -> Read<Value> {
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

    fn prefixed(&mut self) -> Read<Value> {
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
    fn converted(&mut self, at: usize, value: Value, ty: Arc<CType>) -> Read<Value> {
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

    fn postfix(&mut self) -> Read<Value> {
        let at = self.here();
        let mut value = self.primary()?;
        loop {
            let rest = self.cursor.rest();
            if rest.starts_with("++") || rest.starts_with("--") && !rest.starts_with("-->") {
                return self.trouble("assignments are not supported");
            } else if self.cursor.eat("[") {
                let pointer = self.pointer(at, value)?;
                let pointer = self.indexed(at, pointer)?;
                self.need("]")?;
                value = Value::Place(pointer.target());
            } else if self.cursor.eat("->") {
                let pointer = self.pointer(at, value)?;
                value = Value::Place(self.member(pointer.target())?);
            } else if rest.starts_with('.') && !rest.starts_with("..") {
                self.cursor.at += 1;
                let Value::Place(place) = value else { return self.trouble("this has no members") };
                value = Value::Place(self.member(place)?);
            } else {
                return Ok(value);
            }
        }
    }

    /// What an index or a range of them after a pointer gives.
    fn indexed(&mut self, at: usize, pointer: Pointer) -> Read<Pointer> {
        let place = self.here();
        if self.cursor.rest().starts_with("..") {
            return self.trouble("a range without limits is not supported here");
        }
        let from = self.expression()?;
        let from = self.number(place, from)?;
        let count = if self.cursor.eat("..") { Some(self.until(&from)?) } else { None };
        let moved = self.moved(at, pointer, &from)?;
        Ok(Pointer { count, ..moved })
    }

    /// How many numbers there are from one to the one that comes next in the text.
    pub fn until(&mut self, from: &Number) -> Read<Number> {
        let place = self.here();
        let to = self.expression()?;
        let to = self.number(place, to)?;
        Ok(to.plus(&from.negated()).plus(&Number::known(Integer::ONE)))
    }

    fn member(&mut self, place: Place) -> Read<Place> {
        let at = self.here();
        let Some(name) = self.cursor.word() else { return self.trouble("expected the name of a member") };
        if let Root::Variable(variable) = &place.root {
            let inner = format!("{variable}.{name}");
            return match self.scope.place(&inner).map_err(|reason| Trouble::new(at, reason))? {
                Some(place) => Ok(place),
                None => Err(Trouble::new(at, format!("there is no member `{name}`"))),
            };
        }
        match place.ty.members().iter().find(|member| member.name == name) {
            Some(member) => {
                let offset = place.offset.plus(&Number::known(member.offset.into()).linear);
                Ok(Place { offset, ty: Arc::clone(&member.ty), ..place })
            }
            None => Err(Trouble::new(
                at,
                format!("`{}` has no member `{name}` that is known here", place.ty.text),
            )),
        }
    }

    fn primary(&mut self) -> Read<Value> {
        let at = self.here();
        let rest = self.cursor.rest();
        if self.cursor.eat("(") {
            self.label();
            let value = self.expression()?;
            let value = if self.cursor.eat("..") {
                let from = self.number(at, value)?;
                let count = self.until(&from)?;
                Value::Range(from, count)
            } else {
                value
            };
            self.need(")")?;
            return Ok(value);
        }
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            return match self.cursor.literal() {
                Some((number, suffix)) if !is_fraction(self.cursor.rest()) => {
                    Ok(Value::Number(types::literal(number, suffix, rest, self.is_c())))
                }
                _ => Err(Trouble::new(at, "only whole numbers are supported")),
            };
        }
        if rest.starts_with('\'') {
            return types::character(self);
        }
        if rest.starts_with('\\') {
            self.cursor.at += 1;
            let Some(word) = self.cursor.word() else {
                return Err(Trouble::new(at, "expected a word of ACSL"));
            };
            return self.built_in(at, word);
        }
        let Some(word) = self.cursor.word() else {
            return Err(Trouble::new(at, "expected a number, a variable or `(`"));
        };
        self.named(at, word)
    }

    /// What a word stands for.
    fn named(&mut self, at: usize, word: &str) -> Read<Value> {
        if word == "sizeof" {
            return types::size(self, at);
        }
        if let Some(value) = self.called(at, word)? {
            return Ok(value);
        }
        if let Some((_, name, range, ty)) = self.bound.iter().rev().find(|(spelled, ..)| spelled == word) {
            let quantity = Quantity::value(name.as_str()).at(Moment::Now);
            return Ok(Value::Number(Number::new(quantity, range.clone(), ty.filter(|_| self.is_c()))));
        }
        if let Some(place) = self.scope.place(word).map_err(|reason| Trouble::new(at, reason))? {
            return Ok(Value::Place(place));
        }
        match self.scope.word(word) {
            Some(Word::Number(number)) => {
                let ty = Some(INT).filter(|_| self.is_c());
                Ok(Value::Number(Number { ty, ..Number::known(Integer::from(*number)) }))
            }
            Some(Word::Macro(text)) => self.expanded(at, word, text),
            Some(Word::Type(_)) => Err(Trouble::new(at, format!("`{word}` is a type"))),
            None if self.cursor.rest().starts_with('(') => {
                Err(Trouble::new(at, format!("`{word}` is not known here, or not supported")))
            }
            None => Err(Trouble::new(at, format!("`{word}` is not known here"))),
        }
    }

    /// What a macro stands for: one value, in parentheses if it is more than a word.
    fn expanded(&mut self, at: usize, word: &str, text: &str) -> Read<Value> {
        let refuse = |reason: String| Err(Trouble::new(at, reason));
        if self.macros >= MOST_MACROS {
            return refuse(format!("the macro `{word}` is too large"));
        }
        let mut inner = Reader {
            cursor: self.cursor.inside(text),
            scope: self.scope,
            language: self.language,
            moment: self.moment,
            bound: self.bound.clone(),
            macros: self.macros + 1,
        };
        let value = inner.tight();
        self.macros = inner.macros;
        match value {
            Ok(value) if inner.end().is_ok() => Ok(value),
            Ok(_) => refuse(format!("the macro `{word}` is not one value in parentheses")),
            Err(Trouble { reason, .. }) => refuse(format!("the macro `{word}` is not read: {reason}")),
        }
    }

    /// A value that is no place any more.
    pub fn loaded(&mut self, at: usize, value: Value) -> Read<Value> {
        let Value::Place(place) = value else { return Ok(value) };
        let refuse = |reason: String| Err(Trouble::new(at, reason));
        if place.count.is_some() {
            return refuse(String::from("a range is only supported in what is said of memory"));
        }
        match (&place.ty.shape, &place.root) {
            (Shape::Array(_) | Shape::Record(_), Root::Variable(_)) => {
                refuse(format!("a value of type `{}` is not supported", place.ty.text))
            }
            (Shape::Array(to), _) => {
                let to = Arc::clone(to);
                Ok(Value::Pointer(Pointer { to, root: place.root, offset: place.offset, count: None }))
            }
            (Shape::Pointer(to), _) => self.stored(at, &place, Arc::clone(to)).map(Value::Pointer),
            (Shape::Integer(integer), _) => {
                let expression = self.element(at, &place, *integer)?;
                let mut range = Range::of(*integer);
                if let Expression::Quantity { quantity, moment: Moment::Start } = &expression
                    && let Some(limit) = self.scope.limits.get(quantity)
                {
                    range = range.meet(limit);
                }
                let ty = Some(*integer).filter(|_| self.is_c());
                Ok(Value::Number(Number::new(expression, range, ty)))
            }
            _ => refuse(format!("a value of type `{}` is not supported", place.ty.text)),
        }
    }

    /// The moment at which a variable is examined here.
    fn moment_of(&self, name: &Name) -> Moment {
        self.moment.unwrap_or_else(|| self.scope.moment(name))
    }

    /// The pointer that stands at a place.
    fn stored(&self, at: usize, place: &Place, to: Arc<CType>) -> Read<Pointer> {
        let root = match &place.root {
            Root::Variable(name) => {
                Root::Behind { pointer: name.clone(), moment: self.moment_of(name), field: None }
            }
            Root::Behind { pointer, moment, field: None } => match place.offset.small() {
                Some(field) => Root::Behind { pointer: pointer.clone(), moment: *moment, field: Some(field) },
                None => return Err(Trouble::new(at, "pointers in arrays are not supported")),
            },
            _ => return Err(Trouble::new(at, "what this pointer points to is too far away")),
        };
        Ok(Pointer { root, offset: Linear::default(), to, count: None })
    }

    /// The number that stands at a place.
    fn element(&self, at: usize, place: &Place, integer: program::IntegerType) -> Read<Expression> {
        let refuse = |reason: &str| Err(Trouble::new(at, reason));
        let bytes = integer.width / 8;
        let is_in_memory = !matches!(place.root, Root::Variable(_));
        if is_in_memory && ![1, 2, 4, 8].contains(&bytes) {
            return refuse("numbers of this width are not supported");
        }
        let moment_of_memory = self.moment.unwrap_or(match self.scope.side {
            Side::Before => Moment::Start,
            Side::After | Side::Loop => Moment::Now,
        });
        let (buffer, base) = match &place.root {
            Root::Variable(name) => return Ok(Quantity::value(name.as_str()).at(self.moment_of(name))),
            Root::Object(name) => (name.clone(), Linear::default()),
            Root::Null => return refuse("nothing is where the null pointer points"),
            Root::Behind { pointer, moment, field } => {
                let is_loop = self.scope.side == Side::Loop;
                if is_loop && *moment != moment_of_memory {
                    return refuse("memory at another time than its pointer is not supported");
                }
                match field {
                    Some(0) if is_loop => {
                        (Name::from(format!("{pointer}{STORED}").as_str()), Linear::default())
                    }
                    Some(_) => return refuse("what a pointer in memory points to is not supported here"),
                    // Elements count from the start of the object, in contracts from the pointer.
                    None if is_loop => {
                        let start = Quantity::offset(pointer.as_str()).at(*moment);
                        (
                            pointer.clone(),
                            Linear::of(start.quotient(integer.width / 8)).times(&(integer.width / 8).into()),
                        )
                    }
                    None => (pointer.clone(), Linear::default()),
                }
            }
        };
        let index = base.plus(&place.offset).divided(bytes.into());
        let Some(index) = index else {
            return refuse("numbers that do not lie at a multiple of their size are not supported");
        };
        Ok(Expression::Element(Element {
            buffer,
            index: Box::new(index.expression()),
            bytes,
            signed: integer.signed,
            moment: moment_of_memory,
        }))
    }

    /// A value as a number.
    pub fn number(&mut self, at: usize, value: Value) -> Read<Number> {
        match self.loaded(at, value)? {
            Value::Number(number) => Ok(number),
            Value::Truth(truth) => truth.only().map(|formula| self.number_of(formula)),
            _ => Err(Trouble::new(at, "a pointer stands where a number is needed")),
        }
    }

    /// One if a formula holds, else zero.
    fn number_of(&self, formula: Formula) -> Number {
        let range = Range { least: Some(Integer::ZERO), greatest: Some(Integer::ONE) };
        let expression = Expression::select(formula, 1.into(), 0.into());
        Number::new(expression, range, Some(INT).filter(|_| self.is_c()))
    }

    /// A value as a pointer.
    pub fn pointer(&mut self, at: usize, value: Value) -> Read<Pointer> {
        match self.loaded(at, value)? {
            Value::Pointer(pointer) => Ok(pointer),
            _ => Err(Trouble::new(at, "a number stands where a pointer is needed")),
        }
    }

    /// A value as a statement.
    pub fn truth(&mut self, at: usize, value: Value) -> Read<Truth> {
        match self.loaded(at, value)? {
            Value::Truth(truth) => Ok(truth),
            Value::Number(number) => Ok(Truth::plain(number.truth())),
            Value::Pointer(pointer) => self.same(at, &pointer, Comparison::Differ, &null()),
            _ => Err(Trouble::new(at, "this has no value")),
        }
    }
}

/// Whether a number goes on behind a point.
fn is_fraction(rest: &str) -> bool {
    rest.starts_with('.') && !rest.starts_with("..")
}

/// The null pointer.
pub(crate) fn null() -> Pointer {
    let to = Arc::new(CType { size: Some(1), ..CType::other("void") });
    Pointer { root: Root::Null, offset: Linear::default(), to, count: None }
}

/// The second if the first.
pub(crate) fn implies(left: Formula, right: Formula) -> Formula {
    (!left).or(right)
}

/// All of some formulas, without those that always hold.
pub(crate) fn all(parts: Vec<Formula>) -> Formula {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Formula::True => {}
            Formula::All(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    match flat.len() {
        0 => Formula::True,
        1 => flat.remove(0),
        _ => Formula::All(flat),
    }
}
