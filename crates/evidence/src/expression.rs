//! What evidence says about the numbers of a loop: expressions and formulas over ℤ.
//!
//! A variable of the program stands for the number that it holds, and nothing in here wraps: `x + 1 > x` is true. It is
//! the kernel that computes wide enough for that. The text form is in `text.rs`.

use dashu_int::IBig;
use serde::{Deserialize, Serialize};

use crate::decimal;
use crate::name::Name;

/// An exact integer without limits.
pub type Integer = IBig;

/// After the name of an object that holds a pointer at its start, or of a pointer to where one stands: the pointer there.
pub const STORED: &str = "#stored";

/// A number that a program's state holds: a variable, seen under an aspect.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Quantity {
    /// The variable.
    pub variable: Name,
    /// What of it.
    pub aspect: Aspect,
}

/// Which number of a variable is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Aspect {
    /// Its value.
    Value,
    /// How many bytes a pointer points behind the start of its object.
    Offset,
    /// How many bytes the object has that a pointer points to.
    Size,
    /// The number of the object that a pointer points to: zero if it points to none. Numbers are the kernel's own and
    /// mean nothing but equality.
    Object,
    /// Whether an object, or the object that a pointer points to, holds a zero byte: one if so, else zero.
    Terminated,
    /// The offset of the first zero byte in an object, or in the object that a pointer points to, if there is one.
    Length,
    /// The place of a floating point number in the order of its type: how many numbers lie between zero and it, negative if
    /// it is below zero. Both zeros have place 0, and what is no number has one beyond the infinities.
    Place,
}

/// When a quantity is examined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// When the loop's head was reached first. For a closed form: before the first iteration that it counts.
    Entry,
    /// At the head. For what is said about the end of a loop: when the loop was left.
    Now,
    /// At the head after one iteration more.
    Next,
    /// When the function was entered in which the loop stands.
    Start,
}

/// A number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expression {
    /// A known number.
    Constant(#[serde(with = "decimal")] Integer),
    /// A number of the state.
    Quantity {
        /// Which one.
        quantity: Quantity,
        /// When.
        moment: Moment,
    },
    /// How many iterations were made so far.
    Counter,
    /// The sum of all; zero of none.
    Sum(Vec<Expression>),
    /// The product of all; one of none.
    Product(Vec<Expression>),
    /// The quotient, rounded down, by a positive number.
    Quotient {
        /// What is divided.
        dividend: Box<Expression>,
        /// By what.
        #[serde(with = "decimal")]
        divisor: Integer,
    },
    /// What remains of that division: from zero up, below the divisor.
    Remainder {
        /// What is divided.
        dividend: Box<Expression>,
        /// By what.
        #[serde(with = "decimal")]
        divisor: Integer,
    },
    /// The least of at least one.
    Minimum(Vec<Expression>),
    /// The greatest of at least one.
    Maximum(Vec<Expression>),
    /// A known number to a power that is not negative.
    Power {
        /// The number.
        #[serde(with = "decimal")]
        base: Integer,
        /// The power, as a rule the counter.
        exponent: Box<Expression>,
    },
    /// One of two numbers.
    Select {
        /// Which one.
        condition: Box<Formula>,
        /// The number if the condition holds.
        then: Box<Expression>,
        /// The number if it does not.
        otherwise: Box<Expression>,
    },
    /// A number in memory.
    Element(Element),
}

/// A number in memory: one of those that an object holds, side by side.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Element {
    /// The object, or a pointer to it.
    pub buffer: Name,
    /// Which number, counted from the object's start.
    pub index: Box<Expression>,
    /// How many bytes a number takes.
    pub bytes: u8,
    /// Whether numbers can be negative.
    pub signed: bool,
    /// When it is examined.
    pub moment: Moment,
}

/// A statement that is true or false.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Formula {
    /// Always.
    True,
    /// Never.
    False,
    /// A comparison of numbers.
    Compare {
        /// The left one.
        left: Expression,
        /// How they compare.
        comparison: Comparison,
        /// The right one.
        right: Expression,
    },
    /// Not this.
    Not(Box<Formula>),
    /// All of these.
    All(Vec<Formula>),
    /// One of these or more.
    Any(Vec<Formula>),
    /// It holds for all numbers from one up to and without another.
    Every {
        /// What the number is called in the body.
        name: Name,
        /// The first number.
        from: Expression,
        /// The number after the last one.
        to: Expression,
        /// What holds.
        body: Box<Formula>,
    },
}

/// How two numbers compare.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// They are equal.
    Equal,
    /// They differ.
    Differ,
    /// The left one is less.
    Less,
    /// The left one is less, or they are equal.
    LessEqual,
    /// The left one is greater.
    Greater,
    /// The left one is greater, or they are equal.
    GreaterEqual,
}

impl Comparison {
    /// All of them.
    pub const ALL: [Comparison; 6] = [
        Comparison::Equal,
        Comparison::Differ,
        Comparison::Less,
        Comparison::LessEqual,
        Comparison::Greater,
        Comparison::GreaterEqual,
    ];

    /// Whether two numbers compare in this way.
    pub fn holds<T: Ord>(self, left: &T, right: &T) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::Differ => left != right,
            Comparison::Less => left < right,
            Comparison::LessEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterEqual => left >= right,
        }
    }

    /// The comparison with its sides exchanged.
    pub const fn turned(self) -> Self {
        match self {
            Comparison::Equal | Comparison::Differ => self,
            Comparison::Less => Comparison::Greater,
            Comparison::LessEqual => Comparison::GreaterEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterEqual => Comparison::LessEqual,
        }
    }

    /// As C writes it.
    pub const fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::Differ => "!=",
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        }
    }
}

impl Quantity {
    /// The value of a variable.
    pub fn value(variable: impl Into<Name>) -> Self {
        Self { variable: variable.into(), aspect: Aspect::Value }
    }

    /// The offset of a pointer.
    pub fn offset(variable: impl Into<Name>) -> Self {
        Self { variable: variable.into(), aspect: Aspect::Offset }
    }

    /// The size of the object that a pointer points to.
    pub fn size(variable: impl Into<Name>) -> Self {
        Self { variable: variable.into(), aspect: Aspect::Size }
    }

    /// This quantity at a moment.
    pub fn at(&self, moment: Moment) -> Expression {
        Expression::Quantity { quantity: self.clone(), moment }
    }
}

/// The value of a variable at the head.
pub fn now(variable: &str) -> Expression {
    Quantity::value(variable).at(Moment::Now)
}

/// The value of a variable at loop entry.
pub fn entry(variable: &str) -> Expression {
    Quantity::value(variable).at(Moment::Entry)
}

/// The value of a variable after one iteration more.
pub fn next(variable: &str) -> Expression {
    Quantity::value(variable).at(Moment::Next)
}

/// A known number.
pub fn constant(number: impl Into<Integer>) -> Expression {
    Expression::Constant(number.into())
}

impl Expression {
    /// A comparison with another number.
    pub fn compare(self, comparison: Comparison, right: impl Into<Expression>) -> Formula {
        Formula::Compare { left: self, comparison, right: right.into() }
    }

    /// `self == right`
    pub fn equals(self, right: impl Into<Expression>) -> Formula {
        self.compare(Comparison::Equal, right)
    }

    /// `self < right`
    pub fn below(self, right: impl Into<Expression>) -> Formula {
        self.compare(Comparison::Less, right)
    }

    /// `self <= right`
    pub fn at_most(self, right: impl Into<Expression>) -> Formula {
        self.compare(Comparison::LessEqual, right)
    }

    /// `self > right`
    pub fn above(self, right: impl Into<Expression>) -> Formula {
        self.compare(Comparison::Greater, right)
    }

    /// `self >= right`
    pub fn at_least(self, right: impl Into<Expression>) -> Formula {
        self.compare(Comparison::GreaterEqual, right)
    }

    /// The quotient by a positive number, rounded down.
    pub fn quotient(self, divisor: impl Into<Integer>) -> Self {
        Expression::Quotient { dividend: Box::new(self), divisor: divisor.into() }
    }

    /// The remainder by a positive number, from zero up.
    pub fn remainder(self, divisor: impl Into<Integer>) -> Self {
        Expression::Remainder { dividend: Box::new(self), divisor: divisor.into() }
    }

    /// One of two numbers: the first one if a condition holds.
    pub fn select(condition: Formula, then: Self, otherwise: Self) -> Self {
        let [then, otherwise] = [then, otherwise].map(Box::new);
        Expression::Select { condition: Box::new(condition), then, otherwise }
    }

    /// A known number to this power.
    pub fn power_of(self, base: impl Into<Integer>) -> Self {
        Expression::Power { base: base.into(), exponent: Box::new(self) }
    }
}

/// Moving expressions from a moment to another.
impl Expression {
    /// The same number of the state after one iteration more. Nothing if it speaks of that state already.
    pub fn at_next(&self) -> Option<Self> {
        self.with_moments(&|moment| match moment {
            Moment::Entry | Moment::Start => Some(moment),
            Moment::Now => Some(Moment::Next),
            Moment::Next => None,
        })
    }

    /// The same with other moments, if each has one.
    pub fn with_moments(&self, change: &dyn Fn(Moment) -> Option<Moment>) -> Option<Self> {
        let all = |expressions: &[Expression]| -> Option<Vec<Expression>> {
            expressions.iter().map(|expression| expression.with_moments(change)).collect()
        };
        let boxed = |expression: &Expression| expression.with_moments(change).map(Box::new);
        Some(match self {
            Expression::Constant(_) | Expression::Counter => self.clone(),
            Expression::Quantity { quantity, moment } => quantity.at(change(*moment)?),
            Expression::Sum(parts) => Expression::Sum(all(parts)?),
            Expression::Product(parts) => Expression::Product(all(parts)?),
            Expression::Minimum(parts) => Expression::Minimum(all(parts)?),
            Expression::Maximum(parts) => Expression::Maximum(all(parts)?),
            Expression::Quotient { dividend, divisor } => {
                Expression::Quotient { dividend: boxed(dividend)?, divisor: divisor.clone() }
            }
            Expression::Remainder { dividend, divisor } => {
                Expression::Remainder { dividend: boxed(dividend)?, divisor: divisor.clone() }
            }
            Expression::Power { base, exponent } => {
                Expression::Power { base: base.clone(), exponent: boxed(exponent)? }
            }
            Expression::Select { condition, then, otherwise } => Expression::Select {
                condition: Box::new(condition.with_moments(change)?),
                then: boxed(then)?,
                otherwise: boxed(otherwise)?,
            },
            Expression::Element(element) => Expression::Element(Element {
                index: boxed(&element.index)?,
                moment: change(element.moment)?,
                ..element.clone()
            }),
        })
    }
}

impl Formula {
    /// The same with other moments, if each has one.
    pub fn with_moments(&self, change: &dyn Fn(Moment) -> Option<Moment>) -> Option<Self> {
        let all = |formulas: &[Formula]| -> Option<Vec<Formula>> {
            formulas.iter().map(|formula| formula.with_moments(change)).collect()
        };
        Some(match self {
            Formula::True | Formula::False => self.clone(),
            Formula::Compare { left, comparison, right } => {
                left.with_moments(change)?.compare(*comparison, right.with_moments(change)?)
            }
            Formula::Not(formula) => !formula.with_moments(change)?,
            Formula::All(parts) => Formula::All(all(parts)?),
            Formula::Any(parts) => Formula::Any(all(parts)?),
            Formula::Every { name, from, to, body } => Formula::Every {
                name: name.clone(),
                from: from.with_moments(change)?,
                to: to.with_moments(change)?,
                body: Box::new(body.with_moments(change)?),
            },
        })
    }
}

/// A part of an expression or a formula.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// A number.
    Number(&'a Expression),
    /// A condition.
    Formula(&'a Formula),
}

impl<'a> Part<'a> {
    /// It and all its parts, outer ones first.
    pub fn walk(self, visit: &mut dyn FnMut(Part<'a>)) {
        visit(self);
        match self {
            Part::Number(expression) => expression.walk_inside(visit),
            Part::Formula(formula) => formula.walk_inside(visit),
        }
    }
}

impl Expression {
    fn walk_inside<'a>(&'a self, visit: &mut dyn FnMut(Part<'a>)) {
        match self {
            Expression::Constant(_) | Expression::Quantity { .. } | Expression::Counter => {}
            Expression::Sum(parts)
            | Expression::Product(parts)
            | Expression::Minimum(parts)
            | Expression::Maximum(parts) => parts.iter().for_each(|part| Part::Number(part).walk(visit)),
            Expression::Quotient { dividend: inner, .. }
            | Expression::Remainder { dividend: inner, .. }
            | Expression::Power { exponent: inner, .. }
            | Expression::Element(Element { index: inner, .. }) => Part::Number(inner).walk(visit),
            Expression::Select { condition, then, otherwise } => {
                Part::Formula(condition).walk(visit);
                Part::Number(then).walk(visit);
                Part::Number(otherwise).walk(visit);
            }
        }
    }
}

impl Formula {
    fn walk_inside<'a>(&'a self, visit: &mut dyn FnMut(Part<'a>)) {
        match self {
            Formula::True | Formula::False => {}
            Formula::Compare { left, right, .. } => {
                [left, right].into_iter().for_each(|side| Part::Number(side).walk(visit));
            }
            Formula::Not(inner) => Part::Formula(inner).walk(visit),
            Formula::All(parts) | Formula::Any(parts) => {
                parts.iter().for_each(|part| Part::Formula(part).walk(visit));
            }
            Formula::Every { from, to, body, .. } => {
                [from, to].into_iter().for_each(|limit| Part::Number(limit).walk(visit));
                Part::Formula(body).walk(visit);
            }
        }
    }
}

impl Formula {
    /// It holds for all numbers from one up to and without another.
    pub fn every(name: &str, from: Expression, to: Expression, body: Formula) -> Self {
        Formula::Every { name: name.into(), from, to, body: Box::new(body) }
    }

    /// This and another.
    pub fn and(self, other: Formula) -> Self {
        Formula::All(vec![self, other])
    }

    /// This or another.
    pub fn or(self, other: Formula) -> Self {
        Formula::Any(vec![self, other])
    }
}

impl std::ops::Not for Formula {
    type Output = Formula;

    fn not(self) -> Formula {
        Formula::Not(Box::new(self))
    }
}

impl From<i64> for Expression {
    fn from(number: i64) -> Self {
        constant(number)
    }
}

impl<T: Into<Expression>> std::ops::Add<T> for Expression {
    type Output = Expression;

    fn add(self, right: T) -> Expression {
        Expression::Sum(vec![self, right.into()])
    }
}

impl<T: Into<Expression>> std::ops::Sub<T> for Expression {
    type Output = Expression;

    fn sub(self, right: T) -> Expression {
        Expression::Sum(vec![self, -right.into()])
    }
}

impl<T: Into<Expression>> std::ops::Mul<T> for Expression {
    type Output = Expression;

    fn mul(self, right: T) -> Expression {
        Expression::Product(vec![self, right.into()])
    }
}

impl std::ops::Neg for Expression {
    type Output = Expression;

    fn neg(self) -> Expression {
        match self {
            Expression::Constant(number) => Expression::Constant(-number),
            other => Expression::Product(vec![constant(-1), other]),
        }
    }
}
