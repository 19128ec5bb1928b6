//! Places in memory: indices, members, and what stands there; values as numbers, pointers and statements.

use std::sync::Arc;

use evidence::{Comparison, Element, Expression, Formula, Integer, Moment, Name, Quantity, STORED};
use program::annotation::{CType, Shape};

use super::number::{INT, Linear, Number, Range};
use super::reader::{Reader, null};
use super::scope::Side;
use super::value::{Place, Pointer, Read, Root, Trouble, Truth, Value};

impl Reader<'_> {
    /// What an index or a range of them after a pointer gives.
    pub(super) fn indexed(&mut self, at: usize, pointer: Pointer) -> Read<Pointer> {
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

    pub(super) fn member(&mut self, place: Place) -> Read<Place> {
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
    pub(super) fn moment_of(&self, name: &Name) -> Moment {
        self.moment.unwrap_or_else(|| self.scope.moment(name))
    }

    /// The pointer that stands at a place.
    pub(super) fn stored(&self, at: usize, place: &Place, to: Arc<CType>) -> Read<Pointer> {
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
    pub(super) fn element(
        &self,
        at: usize,
        place: &Place,
        integer: program::IntegerType,
    ) -> Read<Expression> {
        let refuse = |reason: &str| Err(Trouble::new(at, reason));
        let bytes = integer.width / 8;
        let is_in_memory = !matches!(place.root, Root::Variable(_));
        if is_in_memory && ![1, 2, 4, 8].contains(&bytes) {
            return refuse("numbers of this width are not supported");
        }
        // Contracts speak of what parameters point to, and of variables without addresses.
        let is_given = match &place.root {
            Root::Behind { pointer, .. } => self.scope.is_parameter(pointer),
            Root::Object(_) => false,
            Root::Variable(_) | Root::Null => true,
        };
        if self.scope.side != Side::Loop && !is_given {
            return refuse("memory is only supported in contracts if a parameter points to it");
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
                // In contracts, parameters are what they were at the call, and memory is examined when the text says.
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
    pub(super) fn number_of(&self, formula: Formula) -> Number {
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
