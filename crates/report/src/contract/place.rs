//! Places in memory, in ACSL and in C: numbers, and what pointers point to.

use std::sync::Arc;

use evidence::{Element, Expression, Formula, Moment, Name, Part, Pointee, Quantity};
use program::IntegerType;
use program::annotation::{CType, Shape};

use super::text::Printer;
use crate::annotations::number::{Linear, Range};

/// What numbers of bytes are called in C.
const UNSIGNED: [(u8, &str); 4] =
    [(1, "unsigned char"), (2, "unsigned short"), (4, "unsigned int"), (8, "unsigned long long")];
const SIGNED: [(u8, &str); 4] = [(1, "signed char"), (2, "short"), (4, "int"), (8, "long long")];

impl Printer<'_> {
    /// A number in memory.
    pub(super) fn element(&mut self, element: &Element) -> Option<String> {
        let is_now = element.moment == self.memory();
        // What stands in `\\old` is all of that time.
        if !is_now && !self.is_old(&element.index) {
            return None;
        }
        let moment = self.scope.moment(&element.buffer);
        let pointer = self.variable(&element.buffer, moment)?;
        let (_, _, ty) = self.scope.named(&element.buffer)?;
        let to = Arc::clone(ty.pointee()?);
        let offset = Linear::of((*element.index).clone()).times(&element.bytes.into());
        let wanted = IntegerType { width: element.bytes * 8, signed: element.signed };
        let text = match (&to.shape, offset.small()) {
            (Shape::Integer(integer), Some(0)) if *integer == wanted => format!("*{pointer}"),
            (Shape::Integer(integer), _) if *integer == wanted => {
                format!("{pointer}[{}]", self.number(&element.index)?)
            }
            (Shape::Record(_), Some(offset)) => {
                match member(&to, offset, &|ty| ty.shape == Shape::Integer(wanted)) {
                    Some(path) => format!("{pointer}->{}", path.strip_prefix('.')?),
                    None => self.casted(&pointer, wanted, &element.index)?,
                }
            }
            _ => self.casted(&pointer, wanted, &element.index)?,
        };
        let text = self.then(text, is_now, element.moment)?;
        Some(if text.starts_with('*') { format!("({text})") } else { text })
    }

    /// Whether all variables of an expression are examined at the call, but for those that quantifiers bind.
    fn is_old(&self, expression: &Expression) -> bool {
        let mut is_old = true;
        Part::Number(expression).walk(&mut |part| {
            is_old &= match part {
                Part::Number(Expression::Quantity { quantity, moment }) => {
                    *moment == Moment::Start || self.scope.bound.contains_key(&quantity.variable)
                }
                Part::Number(Expression::Element(element)) => element.moment == Moment::Start,
                _ => true,
            };
        });
        is_old
    }

    fn casted(&mut self, pointer: &str, wanted: IntegerType, index: &Expression) -> Option<String> {
        let names = if wanted.signed { SIGNED } else { UNSIGNED };
        let (_, name) = names.iter().find(|(bytes, _)| bytes * 8 == wanted.width)?;
        Some(format!("(({name} *){pointer})[{}]", self.number(index)?))
    }

    /// A pointer of a contract, and what it points to.
    fn pointer(&self, object: &Pointee) -> Option<(String, Arc<CType>)> {
        let pointer = self.variable(&object.parameter, self.scope.moment(&object.parameter))?;
        let (_, _, ty) = self.scope.named(&object.parameter)?;
        let to = Arc::clone(ty.pointee()?);
        let Some(field) = object.field else { return Some((pointer, to)) };
        let path = member(&to, field, &|ty| matches!(ty.shape, Shape::Pointer(_)))?;
        let found = at(&to, field, &|ty| matches!(ty.shape, Shape::Pointer(_)))?;
        Some((format!("{pointer}->{}", path.strip_prefix('.')?), Arc::clone(found.pointee()?)))
    }

    /// The pointer to so many values, or to bytes, and how many there are.
    fn counted(&self, object: &Pointee) -> Option<(String, Linear)> {
        let (pointer, to) = self.pointer(object)?;
        let bytes = Linear::of(object.bytes.clone());
        let size = to.size.filter(|&size| size > 0 && to.text != "void");
        Some(match size.and_then(|size| bytes.divided(size)) {
            Some(count) => (pointer, count),
            None => (format!("(char *){pointer}"), bytes),
        })
    }

    /// What is required of a pointer.
    pub(super) fn valid(&mut self, object: &Pointee) -> Option<Vec<String>> {
        let (pointer, to) = self.pointer(object)?;
        let bytes = Linear::of(object.bytes.clone());
        if self.is_c() {
            let size = self.number(&object.bytes)?;
            let mut found = vec![format!("__CPROVER_is_fresh({pointer}, {size})")];
            // C cuts sizes off; no object is larger than half of them.
            let most = Range::of(IntegerType { width: 63, signed: false });
            if !self.scope.range(&object.bytes).within(&Range { least: None, ..most }) {
                found.push(self.formula(&object.bytes.clone().at_most(i64::MAX))?);
            }
            found.extend(if object.terminated { Some(self.terminated(object)?) } else { None });
            return Some(found);
        }
        let word = if to.constant { "\\valid_read" } else { "\\valid" };
        if object.terminated
            && object.field.is_none()
            && bytes == Linear::of(Pointee::string_bytes(&object.parameter))
        {
            let word = if to.constant { "valid_read_string" } else { "valid_string" };
            return Some(vec![format!("{word}({pointer})")]);
        }
        if bytes.small() == Some(0) {
            let not_null = object.not_null.then(|| format!("{pointer} != \\null"));
            return (!object.terminated).then(|| not_null.into_iter().collect());
        }
        let mut found = vec![format!("{word}({})", self.area(object)?)];
        if object.not_null && bytes.small().is_none_or(|bytes| bytes == 0) {
            found.push(format!("{pointer} != \\null"));
        }
        found.extend(if object.terminated { Some(self.terminated(object)?) } else { None });
        Some(found)
    }

    /// All bytes behind a pointer, as ACSL names them.
    fn area(&mut self, object: &Pointee) -> Option<String> {
        let (pointer, count) = self.counted(object)?;
        if count.small() == Some(1) {
            return Some(pointer);
        }
        let last = count.minus(&Linear::of(Expression::Constant(1.into()))).expression();
        Some(format!("{pointer} + (0 .. {})", self.number(&last)?))
    }

    /// A zero byte is among those that a parameter points to.
    fn terminated(&mut self, object: &Pointee) -> Option<String> {
        let name = self.free();
        let is_zero = byte(object, &name, Moment::Start)?.equals(0);
        let zero = Expression::Constant(0.into());
        self.formula(&!Formula::every(&name, zero, object.bytes.clone(), !is_zero))
    }

    /// A name for a number that a quantifier of our own binds.
    fn free(&self) -> String {
        let mut name = String::from("place");
        while !self.scope.is_free(&name) {
            name.push('_');
        }
        name
    }

    /// Pointers lead to different objects. CBMC's fresh objects are.
    pub(super) fn separated(&mut self, objects: &[&Pointee]) -> Option<Option<String>> {
        let areas = objects.iter().filter(|object| Linear::of(object.bytes.clone()).small() != Some(0));
        let areas: Vec<&&Pointee> = areas.collect();
        if self.is_c() || areas.len() < 2 {
            return Some(None);
        }
        let areas: Option<Vec<String>> = areas.into_iter().map(|object| self.area(object)).collect();
        Some(Some(format!("\\separated({})", areas?.join(", "))))
    }

    /// What may be assigned of what a pointer points to.
    pub(super) fn changed(&mut self, object: &Pointee) -> Option<String> {
        let (pointer, count) = self.counted(object)?;
        let number = self.number(&object.bytes)?;
        let last = count.minus(&Linear::of(Expression::Constant(1.into()))).expression();
        Some(match (self.is_c(), count.small()) {
            (_, Some(1)) => format!("*{pointer}"),
            (true, _) => format!("__CPROVER_object_upto({pointer}, {number})"),
            (false, _) => format!("*({pointer} + (0 .. {}))", self.number(&last)?),
        })
    }

    /// What a pointer points to is as it was.
    pub(super) fn unchanged(&mut self, object: &Pointee) -> Option<String> {
        let name = self.free();
        let (old, new) = (byte(object, &name, Moment::Start)?, byte(object, &name, Moment::Now)?);
        let zero = Expression::Constant(0.into());
        self.formula(&Formula::every(&name, zero, object.bytes.clone(), new.equals(old)))
    }
}

/// A byte that a parameter points to, by the number that a quantifier binds.
fn byte(object: &Pointee, name: &str, moment: Moment) -> Option<Expression> {
    let index = Box::new(Quantity::value(name).at(Moment::Now));
    let buffer = object.field.is_none().then(|| object.parameter.clone())?;
    Some(Expression::Element(Element { buffer, index, bytes: 1, signed: false, moment }))
}

/// Whether a formula says that a zero byte is among so many.
pub(crate) fn says_terminated(formula: &Formula) -> Option<(&Name, &Expression)> {
    let Formula::Not(every) = formula else { return None };
    let Formula::Every { name, from, to, body } = &**every else { return None };
    let Formula::Not(body) = &**body else { return None };
    let Formula::Compare { left: Expression::Element(element), comparison, right } = &**body else {
        return None;
    };
    let is_zero = *comparison == evidence::Comparison::Equal && *right == Expression::Constant(0.into());
    let is_each = *element.index == Quantity::value(name.as_str()).at(Moment::Now);
    let fits = is_zero && is_each && element.bytes == 1 && *from == Expression::Constant(0.into());
    fits.then_some((&element.buffer, to))
}

/// Whether a formula says that so many bytes are as they were.
pub(crate) fn says_unchanged(formula: &Formula) -> Option<(&Name, &Expression)> {
    let Formula::Every { name, from, to, body } = formula else { return None };
    let Formula::Compare { left: Expression::Element(new), comparison, right: Expression::Element(old) } =
        &**body
    else {
        return None;
    };
    let is_each = *new.index == Quantity::value(name.as_str()).at(Moment::Now) && new.index == old.index;
    let is_same = new.buffer == old.buffer && new.bytes == 1 && old.bytes == 1 && new.signed == old.signed;
    let moments = new.moment == Moment::Now && old.moment == Moment::Start;
    let fits = is_each && is_same && moments && *comparison == evidence::Comparison::Equal;
    (fits && *from == Expression::Constant(0.into())).then_some((&new.buffer, to))
}

/// How C names the part of a type at an offset that is wanted.
fn member(ty: &CType, offset: u64, wanted: &dyn Fn(&CType) -> bool) -> Option<String> {
    match &ty.shape {
        _ if offset == 0 && wanted(ty) => Some(String::new()),
        Shape::Record(members) => members.iter().find_map(|one| {
            let inner = offset.checked_sub(one.offset).filter(|&inner| inner < one.ty.size.unwrap_or(0))?;
            Some(format!(".{}{}", one.name, member(&one.ty, inner, wanted)?))
        }),
        Shape::Array(element) => {
            let size = element.size.filter(|&size| size > 0)?;
            Some(format!("[{}]{}", offset / size, member(element, offset % size, wanted)?))
        }
        _ => None,
    }
}

/// The part of a type at an offset that is wanted.
fn at<'a>(ty: &'a CType, offset: u64, wanted: &dyn Fn(&CType) -> bool) -> Option<&'a CType> {
    match &ty.shape {
        _ if offset == 0 && wanted(ty) => Some(ty),
        Shape::Record(members) => members.iter().find_map(|one| {
            let inner = offset.checked_sub(one.offset).filter(|&inner| inner < one.ty.size.unwrap_or(0))?;
            at(&one.ty, inner, wanted)
        }),
        Shape::Array(element) => {
            let size = element.size.filter(|&size| size > 0)?;
            at(element, offset % size, wanted)
        }
        _ => None,
    }
}
