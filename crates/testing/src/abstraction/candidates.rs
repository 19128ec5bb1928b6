//! Random candidate invariants: most are wrong, some are right, and the kernel must tell.

use std::collections::BTreeMap;

use certify::Candidate;
use certify::abstraction::Named;
use evidence::expression::constant;
use evidence::{Aspect, Comparison, Element, Expression, Formula, Moment, Name, Quantity};
use program::{FunctionId, Program, Type};

use crate::random::Random;

/// What can be spoken of in a function.
pub struct Vocabulary {
    numbers: Vec<Name>,
    pointers: Vec<Name>,
    /// Objects, each with the bytes of an element.
    buffers: Vec<(Name, u8)>,
}

impl Vocabulary {
    /// That of a function.
    pub fn of(program: &Program, function: FunctionId, names: &BTreeMap<Name, Named>) -> Option<Self> {
        let body = program.functions[function].body()?;
        let mut words = Self { numbers: Vec::new(), pointers: Vec::new(), buffers: Vec::new() };
        for (name, named) in names {
            let name = name.clone();
            match *named {
                Named::Variable(variable) => match program.variable(body, variable).ty {
                    Type::Integer(_) | Type::Bool => words.numbers.push(name),
                    Type::Pointer => words.pointers.push(name),
                    Type::Float(_) => {}
                },
                Named::Local(local) => words.buffers.push((name, body.locals[local].alignment.min(8) as u8)),
                Named::Global(object) => {
                    words.buffers.push((name, program.objects[object].alignment.min(8) as u8))
                }
            }
        }
        Some(words)
    }
}

/// Random candidates for a loop.
pub fn candidates(
    random: &mut Random,
    words: &Vocabulary,
    abstract_loop: usize,
    count: usize,
) -> Vec<Candidate> {
    let mut guesser = Guesser { random, words };
    (0..count)
        .filter_map(|_| guesser.formula(2))
        .map(|formula| Candidate { abstract_loop, formula })
        .collect()
}

struct Guesser<'a> {
    random: &'a mut Random,
    words: &'a Vocabulary,
}

impl Guesser<'_> {
    fn moment(&mut self) -> Moment {
        if self.random.chance(25) { Moment::Entry } else { Moment::Now }
    }

    fn comparison(&mut self) -> Comparison {
        *self.random.pick(&Comparison::ALL)
    }

    fn variable(&mut self) -> Option<Expression> {
        if self.words.numbers.is_empty() {
            return None;
        }
        let name = self.random.pick(&self.words.numbers).clone();
        let moment = self.moment();
        Some(Quantity::value(name).at(moment))
    }

    fn aspect(&mut self) -> Option<Expression> {
        let moment = self.moment();
        if !self.words.pointers.is_empty() && self.random.chance(60) {
            let variable = self.random.pick(&self.words.pointers).clone();
            let aspect = *self.random.pick(&[
                Aspect::Offset,
                Aspect::Offset,
                Aspect::Offset,
                Aspect::Size,
                Aspect::Length,
            ]);
            return Some(Quantity { variable, aspect }.at(moment));
        }
        if self.words.buffers.is_empty() {
            return self.variable();
        }
        let variable = self.random.pick(&self.words.buffers).0.clone();
        let aspect = *self.random.pick(&[Aspect::Terminated, Aspect::Length, Aspect::Size]);
        Some(Quantity { variable, aspect }.at(moment))
    }

    /// That a pointer points to nothing, or to the same object as another one, or not.
    fn pointing(&mut self) -> Option<Formula> {
        if self.words.pointers.is_empty() {
            return None;
        }
        let variable = self.random.pick(&self.words.pointers).clone();
        let left = Quantity { variable, aspect: Aspect::Object }.at(Moment::Now);
        let comparison = *self.random.pick(&[Comparison::Equal, Comparison::Differ]);
        let buffers = self.words.buffers.iter().map(|(name, _)| name);
        let names: Vec<&Name> = self.words.pointers.iter().chain(buffers).collect();
        let right = if self.random.chance(30) {
            constant(0)
        } else {
            let variable = (*self.random.pick(&names)).clone();
            let moment = self.moment();
            Quantity { variable, aspect: Aspect::Object }.at(moment)
        };
        Some(left.compare(comparison, right))
    }

    fn element(&mut self, index: Expression) -> Option<Expression> {
        if self.words.buffers.is_empty() {
            return None;
        }
        let (buffer, cell) = self.random.pick(&self.words.buffers).clone();
        let bytes = if self.random.chance(80) { cell } else { *self.random.pick(&[1, 2, 4]) };
        let (signed, moment) = (self.random.chance(70), self.moment());
        Some(Expression::Element(Element { buffer, index: Box::new(index), bytes, signed, moment }))
    }

    fn number(&mut self) -> Option<Expression> {
        Some(match self.random.below(12) {
            0..=5 => self.variable()?,
            6 => self.aspect()?,
            7 => {
                let index = self.random.range(0, 4);
                self.element(constant(index))?
            }
            8 => {
                let (left, right) = (self.variable()?, self.variable()?);
                if self.random.chance(50) { left + right } else { left - right }
            }
            9 => {
                let divisor = self.random.range(2, 4);
                self.variable()?.remainder(divisor)
            }
            10 => self.variable()? * self.random.range(-3, 4),
            _ => {
                let (left, right) = (self.variable()?, self.variable()?);
                Expression::Minimum(vec![left, right])
            }
        })
    }

    fn formula(&mut self, depth: usize) -> Option<Formula> {
        let comparison = self.comparison();
        Some(match self.random.below(15) {
            14 => self.pointing()?,
            // What is likely to hold.
            0..=2 => {
                let name = self.variable()?;
                let Expression::Quantity { quantity, .. } = name else { return None };
                quantity.at(Moment::Now).compare(comparison, quantity.at(Moment::Entry))
            }
            3 | 4 => self.aspect()?.compare(comparison, constant(self.random.range(-1, 9))),
            5 | 6 => {
                let number = self.random.range(-2, 12);
                self.number()?.compare(comparison, constant(number))
            }
            7 => {
                let (left, right) = (self.aspect()?, self.aspect()?);
                left.compare(comparison, right)
            }
            8 | 9 if depth > 0 => self.every()?,
            10 if depth > 0 => self.formula(depth - 1)?.or(self.formula(depth - 1)?),
            11 if depth > 0 => !self.formula(depth - 1)?,
            _ => {
                let (left, right) = (self.number()?, self.number()?);
                left.compare(comparison, right)
            }
        })
    }

    fn every(&mut self) -> Option<Formula> {
        let index = Quantity::value("k").at(Moment::Now);
        let element = self.element(index)?;
        let (from, to) = match self.random.below(4) {
            0 => (constant(0), self.variable()?),
            1 => (self.variable()?, constant(self.random.range(1, 6))),
            2 => (constant(0), self.variable()? + self.random.range(-1, 1)),
            _ => (constant(0), constant(self.random.range(1, 6))),
        };
        let comparison = self.comparison();
        let right = match self.random.below(3) {
            0 => self.variable()?,
            _ => constant(self.random.range(-1, 6)),
        };
        Some(Formula::every("k", from, to, element.compare(comparison, right)))
    }
}
