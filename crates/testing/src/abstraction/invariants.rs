//! What a formula says of a state of a run: the meaning of invariants, written down a second time.

use std::collections::BTreeMap;

use certify::abstraction::Named;
use evidence::{Aspect, Comparison, Element, Expression, Formula, Integer, Moment, Name, Quantity};
use program::interpret::{ObjectKind, Pointed};

use super::record::{Memory, Visit};

/// The states that an invariant of a loop speaks of.
pub struct States<'a> {
    /// What names stand for.
    pub names: &'a BTreeMap<Name, Named>,
    /// The state in which the loop was entered.
    pub entry: &'a Visit,
    /// The state at the head.
    pub now: &'a Visit,
}

type Bound = Vec<(Name, Integer)>;

impl States<'_> {
    /// Whether a formula holds, if that can be told.
    pub fn holds(&self, formula: &Formula) -> Option<bool> {
        self.formula(formula, &mut Vec::new())
    }

    /// The value of a number, if that can be told.
    pub fn value(&self, expression: &Expression) -> Option<Integer> {
        self.number(expression, &mut Vec::new())
    }

    fn formula(&self, formula: &Formula, bound: &mut Bound) -> Option<bool> {
        Some(match formula {
            Formula::True => true,
            Formula::False => false,
            Formula::Compare { left, comparison, right } => {
                let (left, right) = (self.number(left, bound)?, self.number(right, bound)?);
                match comparison {
                    Comparison::Equal => left == right,
                    Comparison::Differ => left != right,
                    Comparison::Less => left < right,
                    Comparison::LessEqual => left <= right,
                    Comparison::Greater => left > right,
                    Comparison::GreaterEqual => left >= right,
                }
            }
            Formula::Not(inner) => !self.formula(inner, bound)?,
            Formula::All(parts) => return self.decide(parts, bound, false),
            Formula::Any(parts) => return self.decide(parts, bound, true),
            Formula::Every { name, from, to, body } => {
                let (mut number, to) = (self.number(from, bound)?, self.number(to, bound)?);
                if &to - &number > Integer::from(1000) {
                    return None;
                }
                let mut unknown = false;
                while number < to {
                    bound.push((name.clone(), number.clone()));
                    let truth = self.formula(body, bound);
                    bound.pop();
                    match truth {
                        Some(false) => return Some(false),
                        Some(true) => {}
                        None => unknown = true,
                    }
                    number += 1;
                }
                return (!unknown).then_some(true);
            }
        })
    }

    fn decide(&self, parts: &[Formula], bound: &mut Bound, decides: bool) -> Option<bool> {
        let mut unknown = false;
        for part in parts {
            match self.formula(part, bound) {
                Some(truth) if truth == decides => return Some(decides),
                Some(_) => {}
                None => unknown = true,
            }
        }
        (!unknown).then_some(!decides)
    }

    fn numbers(&self, parts: &[Expression], bound: &mut Bound) -> Option<Vec<Integer>> {
        parts.iter().map(|part| self.number(part, bound)).collect()
    }

    fn number(&self, expression: &Expression, bound: &mut Bound) -> Option<Integer> {
        Some(match expression {
            Expression::Constant(number) => number.clone(),
            Expression::Quantity { quantity, moment } => {
                let found = bound.iter().rev().find(|(name, _)| *name == quantity.variable);
                match found {
                    Some((_, number)) if quantity.aspect == Aspect::Value => number.clone(),
                    _ => self.quantity(quantity, self.visit(*moment)?)?,
                }
            }
            Expression::Sum(parts) => self.numbers(parts, bound)?.into_iter().sum(),
            Expression::Product(parts) => self.numbers(parts, bound)?.into_iter().product(),
            Expression::Quotient { dividend, divisor } => {
                let (dividend, one) = (self.number(dividend, bound)?, Integer::from(1));
                let rounded = &dividend / divisor;
                if dividend < Integer::ZERO && &rounded * divisor != dividend {
                    rounded - one
                } else {
                    rounded
                }
            }
            Expression::Remainder { dividend, divisor } => {
                let remainder = self.number(dividend, bound)? % divisor;
                if remainder < Integer::ZERO { remainder + divisor } else { remainder }
            }
            Expression::Minimum(parts) => self.numbers(parts, bound)?.into_iter().min()?,
            Expression::Maximum(parts) => self.numbers(parts, bound)?.into_iter().max()?,
            Expression::Power { base, exponent } => {
                let exponent =
                    usize::try_from(&self.number(exponent, bound)?).ok().filter(|power| *power < 500)?;
                base.pow(exponent)
            }
            Expression::Select { condition, then, otherwise } => {
                let chosen = if self.formula(condition, bound)? { then } else { otherwise };
                self.number(chosen, bound)?
            }
            Expression::Element(element) => self.element(element, bound)?,
            Expression::Counter => return None,
        })
    }

    fn visit(&self, moment: Moment) -> Option<&Visit> {
        match moment {
            Moment::Entry => Some(self.entry),
            Moment::Now => Some(self.now),
            Moment::Next | Moment::Start => None,
        }
    }

    fn object<'v>(&self, name: &Name, visit: &'v Visit) -> Option<(u64, &'v Memory)> {
        let number = match *self.names.get(name)? {
            Named::Variable(variable) => match visit.pointers.get(&variable)? {
                Pointed::Object(number, _) => *number,
                Pointed::Address(_) => return None,
            },
            Named::Local(local) => *visit.locals.get(&local)?,
            Named::Global(object) => {
                let wanted = ObjectKind::Global(object);
                *visit.objects.iter().find(|(_, memory)| memory.kind == wanted)?.0
            }
        };
        visit.objects.get(&number).map(|memory| (number, memory))
    }

    fn quantity(&self, quantity: &Quantity, visit: &Visit) -> Option<Integer> {
        let pointer = || match *self.names.get(&quantity.variable)? {
            Named::Variable(variable) => visit.pointers.get(&variable).copied(),
            _ => None,
        };
        match quantity.aspect {
            Aspect::Value => match *self.names.get(&quantity.variable)? {
                Named::Variable(variable) => {
                    visit.numbers.get(&variable).map(|number| Integer::from(*number))
                }
                _ => None,
            },
            Aspect::Offset => Some(match pointer()? {
                Pointed::Object(_, offset) => offset.into(),
                Pointed::Address(0) => Integer::ZERO,
                Pointed::Address(_) => return None,
            }),
            Aspect::Object => match pointer() {
                Some(Pointed::Address(_)) => Some(Integer::ZERO),
                // What points to an object that is gone points to nothing that lasts.
                _ => self.object(&quantity.variable, visit).map(|(number, _)| number.into()),
            },
            Aspect::Size => {
                self.object(&quantity.variable, visit).map(|(_, memory)| memory.bytes.len().into())
            }
            Aspect::Terminated => {
                let (_, memory) = self.object(&quantity.variable, visit)?;
                if memory.bytes.contains(&Some(0)) {
                    return Some(Integer::from(1));
                }
                (!memory.bytes.contains(&None)).then_some(Integer::ZERO)
            }
            Aspect::Length => {
                let (_, memory) = self.object(&quantity.variable, visit)?;
                let first = memory.bytes.iter().position(|byte| byte.is_none_or(|byte| byte == 0))?;
                memory.bytes[first].map(|_| first.into())
            }
            _ => None,
        }
    }

    fn element(&self, element: &Element, bound: &mut Bound) -> Option<Integer> {
        let index = usize::try_from(&self.number(&element.index, bound)?).ok()?;
        let (_, memory) = self.object(&element.buffer, self.visit(element.moment)?)?;
        let size = usize::from(element.bytes);
        let first = index.checked_mul(size)?;
        let bytes = memory.bytes.get(first..first.checked_add(size)?)?;
        if memory.pointers.range(first.saturating_sub(7)..first + size).next().is_some() {
            return None;
        }
        let mut number = 0i128;
        for byte in bytes.iter().rev() {
            number = number << 8 | i128::from((*byte)?);
        }
        let bits = 8 * size;
        if element.signed && number >> (bits - 1) & 1 == 1 {
            number -= 1 << bits;
        }
        Some(number.into())
    }
}
