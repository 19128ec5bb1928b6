//! Random candidates for facts: most are wrong, some are right, and the kernel must tell.

use certify::Candidate;
use engines::View;
use evidence::{Aspect, Comparison, Element, Expression, Formula, Moment, Name, Quantity, constant};

use crate::random::Random;

/// Random candidates for a loop.
pub fn candidates(random: &mut Random, view: &View<'_>, leap: usize, count: usize) -> Vec<Candidate> {
    let mut guesser = Guesser { random, view };
    (0..count).filter_map(|_| guesser.formula(2)).map(|formula| Candidate { leap, formula }).collect()
}

struct Guesser<'a, 'v> {
    random: &'a mut Random,
    view: &'a View<'v>,
}

impl Guesser<'_, '_> {
    fn moment(&mut self) -> Moment {
        if self.random.chance(25) { Moment::Entry } else { Moment::Now }
    }

    fn comparison(&mut self) -> Comparison {
        *self.random.pick(&Comparison::ALL)
    }

    fn variable(&mut self) -> Option<Expression> {
        if self.view.numbers.is_empty() {
            return None;
        }
        let name = self.random.pick(&self.view.numbers).name.clone();
        let moment = self.moment();
        Some(Quantity::value(name).at(moment))
    }

    fn aspect(&mut self) -> Option<Expression> {
        let moment = self.moment();
        if !self.view.pointers.is_empty() && self.random.chance(60) {
            let variable = self.random.pick(&self.view.pointers).name.clone();
            let aspect = *self.random.pick(&[
                Aspect::Offset,
                Aspect::Offset,
                Aspect::Offset,
                Aspect::Size,
                Aspect::Length,
            ]);
            return Some(Quantity { variable, aspect }.at(moment));
        }
        if self.view.buffers.is_empty() {
            return self.variable();
        }
        let variable = self.random.pick(&self.view.buffers).name.clone();
        let aspect = *self.random.pick(&[Aspect::Terminated, Aspect::Length, Aspect::Size]);
        Some(Quantity { variable, aspect }.at(moment))
    }

    /// That a pointer points to nothing, or to the same object as another one, or not.
    fn pointing(&mut self) -> Option<Formula> {
        if self.view.pointers.is_empty() {
            return None;
        }
        let variable = self.random.pick(&self.view.pointers).name.clone();
        let left = Quantity { variable, aspect: Aspect::Object }.at(Moment::Now);
        let comparison = *self.random.pick(&[Comparison::Equal, Comparison::Differ]);
        let names = self.view.pointers.iter().map(|pointer| &pointer.name);
        let names: Vec<&Name> = names.chain(self.view.buffers.iter().map(|buffer| &buffer.name)).collect();
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
        if self.view.buffers.is_empty() {
            return None;
        }
        let buffer = self.random.pick(&self.view.buffers);
        let (buffer, cell): (Name, u64) = (buffer.name.clone(), buffer.cell);
        let bytes = if self.random.chance(80) { cell as u8 } else { *self.random.pick(&[1, 2, 4]) };
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
