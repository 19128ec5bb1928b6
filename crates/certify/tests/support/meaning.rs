//! What expressions and formulas mean on plain numbers, written a second time for the tests.

use evidence::{Comparison, Expression, Formula, Integer, Moment};

/// What names mean on plain numbers.
#[derive(Clone, Copy)]
pub struct Meaning<'a> {
    pub names: &'a [String],
    pub entry: &'a [i128],
    pub now: &'a [i128],
    pub next: &'a [i128],
    pub iterations: i128,
}

impl Meaning<'_> {
    pub fn number(&self, expression: &Expression) -> i128 {
        let small = |number: &Integer| i128::try_from(number).expect("the numbers of the test are small");
        match expression {
            Expression::Constant(number) => small(number),
            Expression::Quantity { quantity, moment } => {
                let at =
                    self.names.iter().position(|name| *name == quantity.to_string()).expect("a variable");
                match moment {
                    Moment::Entry | Moment::Start => self.entry[at],
                    Moment::Now => self.now[at],
                    Moment::Next => self.next[at],
                }
            }
            Expression::Counter => self.iterations,
            Expression::Sum(parts) => parts.iter().map(|part| self.number(part)).sum(),
            Expression::Product(parts) => parts.iter().map(|part| self.number(part)).product(),
            Expression::Quotient { dividend, divisor } => self.number(dividend).div_euclid(small(divisor)),
            Expression::Remainder { dividend, divisor } => self.number(dividend).rem_euclid(small(divisor)),
            Expression::Minimum(parts) => parts.iter().map(|part| self.number(part)).min().expect("a part"),
            Expression::Maximum(parts) => parts.iter().map(|part| self.number(part)).max().expect("a part"),
            Expression::Power { base, exponent } => {
                small(base).pow(u32::try_from(self.number(exponent)).expect("a small power"))
            }
            Expression::Select { condition, then, otherwise } => {
                self.number(if self.holds(condition) { then } else { otherwise })
            }
            Expression::Element(element) => panic!("{element} is in no memory here"),
        }
    }

    pub fn holds(&self, formula: &Formula) -> bool {
        match formula {
            Formula::True => true,
            Formula::False => false,
            Formula::Compare { left, comparison, right } => {
                let (left, right) = (self.number(left), self.number(right));
                match comparison {
                    Comparison::Equal => left == right,
                    Comparison::Differ => left != right,
                    Comparison::Less => left < right,
                    Comparison::LessEqual => left <= right,
                    Comparison::Greater => left > right,
                    Comparison::GreaterEqual => left >= right,
                }
            }
            Formula::Not(inner) => !self.holds(inner),
            Formula::All(parts) => parts.iter().all(|part| self.holds(part)),
            Formula::Any(parts) => parts.iter().any(|part| self.holds(part)),
            Formula::Every { .. } => panic!("{formula} is about memory"),
        }
    }
}
