//! The elements that a loop has come by: where they start, where they end, and which index belongs to which iteration.

use evidence::expression::constant;
use evidence::{Comparison, Element, Expression, Formula, Integer, Moment, Name, Quantity};
use logic::numbers::Rational;

use crate::iteration::Walker;
use crate::linear::{InEvidence, Linear};
use crate::paths::{Access, Base, Places, is_unnamed, spoken};
use crate::view::View;

/// A place in an array that every iteration, or every iteration of some ways, comes to: each at another element.
#[derive(Clone, PartialEq, Debug)]
pub struct Visit<'a> {
    /// What moves.
    pub walker: &'a Walker,
    /// The array.
    pub buffer: Name,
    /// The bytes of an element.
    pub bytes: u8,
    /// Whether elements can be negative.
    pub signed: bool,
    /// The offset that is visited, in bytes.
    pub offset: Linear,
    /// Whether some way writes there.
    pub written: bool,
}

/// All visits of a loop, each once.
pub fn visits<'a>(view: &'a View<'_>) -> Vec<Visit<'a>> {
    let mut visits: Vec<Visit<'a>> = Vec::new();
    for (place, way) in view.iteration.ways.iter().enumerate() {
        for access in way.accesses.iter().filter(|_| way.back) {
            let Some(visit) = visit(view, place, access) else { continue };
            let same = |other: &&mut Visit<'_>| {
                other.buffer == visit.buffer && other.bytes == visit.bytes && other.offset == visit.offset
            };
            match visits.iter_mut().find(same) {
                Some(other) => other.written |= visit.written,
                None => visits.push(visit),
            }
        }
    }
    visits
}

/// The visit that an access makes on a way.
fn visit<'a>(view: &'a View<'_>, way: usize, access: &Access) -> Option<Visit<'a>> {
    let Base::Buffer(buffer) = &access.position.base else { return None };
    let offset = &access.position.offset;
    let mut walker = None;
    for (part, _) in offset.terms() {
        match view.iteration.walker(part) {
            Some(found) if walker.is_none() && found.moving.contains(&way) => walker = Some(found),
            Some(_) => return None,
            None if is_fixed(view, part) => {}
            None => return None,
        }
    }
    let walker = walker?;
    let advance = offset.coefficient(walker.now.clone()).numerator() * &walker.step;
    let whole = &advance % Integer::from(access.bytes) == Integer::ZERO;
    whole.then(|| Visit {
        walker,
        buffer: buffer.clone(),
        bytes: access.bytes,
        signed: access.signed,
        offset: offset.clone(),
        written: access.stored.is_some(),
    })
}

/// Whether a number stays what it is as long as the loop runs.
pub fn is_fixed(view: &View<'_>, expression: &Expression) -> bool {
    spoken(expression).into_iter().all(|part| match part {
        Expression::Quantity { moment: Moment::Entry, .. } => true,
        unnamed if is_unnamed(unnamed) => false,
        Expression::Quantity { quantity, .. } => {
            let name = &quantity.variable;
            let number = view.numbers.iter().find(|number| number.name == *name);
            let pointer = view.pointers.iter().find(|pointer| pointer.name == *name);
            number.is_none_or(|number| !number.changed) && pointer.is_none_or(|pointer| !pointer.changed)
        }
        Expression::Element(element) => element.moment == Moment::Entry || !is_changed(view, &element.buffer),
        _ => true,
    })
}

/// Whether the loop changes an object.
pub fn is_changed(view: &View<'_>, buffer: &Name) -> bool {
    view.buffers.iter().any(|other| other.name == *buffer && other.changed)
}

impl Visit<'_> {
    /// The element that is visited.
    pub fn here(&self) -> Element {
        self.element_at(self.offset.quotient(&self.unit()))
    }

    /// The element that belongs to the number that stands for all.
    pub fn element(&self, name: &Name) -> Element {
        let number = Linear::variable(Quantity::value(name.clone()).at(Moment::Now));
        self.element_at(if self.counts_elements() {
            number.expression()
        } else {
            self.offset.substituted(self.walker.now.clone(), &number).quotient(&self.unit())
        })
    }

    /// The element with an index.
    pub fn element_at(&self, index: Expression) -> Element {
        Element {
            buffer: self.buffer.clone(),
            index: Box::new(index),
            bytes: self.bytes,
            signed: self.signed,
            moment: Moment::Now,
        }
    }

    fn unit(&self) -> Integer {
        Integer::from(self.bytes)
    }

    fn factor(&self) -> Integer {
        self.offset.coefficient(self.walker.now.clone()).numerator()
    }

    /// Whether the number that stands for all is the index of an element; else it is what the walker was.
    fn counts_elements(&self) -> bool {
        self.walker.pointer || self.factor() == self.unit() || self.factor() == -self.unit()
    }

    /// Whether later iterations visit later elements.
    fn rises(&self) -> bool {
        self.factor() * &self.walker.step > Integer::ZERO
    }

    /// The first index that was visited and the one after the last, in rising order.
    pub fn indices(&self) -> (Expression, Expression) {
        let first = self.offset.substituted(self.walker.now.clone(), &entry(self.walker));
        let after = |offset: &Linear| offset.shifted(i64::from(self.bytes)).quotient(&self.unit());
        if self.rises() {
            (first.quotient(&self.unit()), self.offset.quotient(&self.unit()))
        } else {
            (after(&self.offset), after(&first))
        }
    }

    /// How many elements the array has.
    pub fn count(&self, view: &View<'_>) -> Expression {
        let buffer = view.buffers.iter().find(|buffer| buffer.name == self.buffer);
        match buffer.and_then(|buffer| buffer.size) {
            Some(size) => constant(size / u64::from(self.bytes)),
            None => Quantity::size(self.buffer.clone()).at(Moment::Now).quotient(self.unit()),
        }
    }

    /// Says of all that was visited what a formula says of one.
    pub fn every(&self, name: &Name, body: Formula) -> Formula {
        let (from, to) = if self.counts_elements() {
            self.indices()
        } else if self.walker.step > Integer::ZERO {
            (self.walker.entry.clone(), self.walker.now.clone())
        } else {
            let after = |number: Linear| number.shifted(1).expression();
            (after(Linear::variable(self.walker.now.clone())), after(entry(self.walker)))
        };
        let body = match self.skipped(name) {
            Some(skipped) => skipped.or(body),
            None => body,
        };
        Formula::every(name.as_str(), from, to, body)
    }

    /// That no visit belongs to a number: it lies between two.
    pub fn skipped(&self, name: &Name) -> Option<Formula> {
        let advance =
            if self.counts_elements() { self.factor() * &self.walker.step } else { self.walker.step.clone() };
        let advance = if advance < Integer::ZERO { -advance } else { advance };
        let stride = if self.counts_elements() { advance / self.unit() } else { advance };
        if stride <= Integer::ONE {
            return None;
        }
        let number = Linear::variable(Quantity::value(name.clone()).at(Moment::Now));
        let first = entry(self.walker);
        let first = if self.counts_elements() {
            self.offset.substituted(self.walker.now.clone(), &first).over(&self.unit())?
        } else {
            first
        };
        let distance = (&number - &first).expression();
        Some(distance.remainder(stride).compare(Comparison::Differ, 0))
    }

    /// That what moves is where steps of its length lead.
    pub fn in_step(&self) -> Option<Formula> {
        let step = self.walker.step.clone();
        let step = if step < Integer::ZERO { -step } else { step };
        let distance = &Linear::variable(self.walker.now.clone()) - &entry(self.walker);
        (step > Integer::ONE).then(|| distance.expression().remainder(step).equals(0))
    }

    /// What moved numbers were in the iteration that a number stands for.
    pub fn places(&self, view: &View<'_>, name: &Name) -> Places {
        let number = Linear::variable(Quantity::value(name.clone()).at(Moment::Now));
        let then = if self.counts_elements() {
            let rest = self.offset.substituted(self.walker.now.clone(), &Linear::zero());
            quotient(&(&number.scaled(&self.unit().into()) - &rest), &self.factor())
        } else {
            number
        };
        let passed = &then - &entry(self.walker);
        let mut places = Places::new();
        for other in &view.iteration.walkers {
            if other.moving == self.walker.moving {
                let distance = quotient(&passed.scaled(&Rational::from(&other.step)), &self.walker.step);
                places.insert(other.now.clone(), &entry(other) + &distance);
            }
        }
        places.insert(self.walker.now.clone(), then);
        places
    }
}

fn entry(walker: &Walker) -> Linear {
    match &walker.entry {
        Expression::Constant(known) => Linear::constant(known),
        other => Linear::variable(other.clone()),
    }
}

/// The quotient by a number that is not zero, which leaves no remainder where it matters.
fn quotient(number: &Linear, by: &Integer) -> Linear {
    if let Some(whole) = number.over(by) {
        return whole;
    }
    if *by < Integer::ZERO {
        return quotient(&-number, &-by);
    }
    Linear::variable(number.expression().quotient(by.clone()))
}
