//! Formulas of evidence as conditions of a body.
//!
//! A condition speaks of integer variables, each at a moment, and of numbers in memory that were loaded into a variable before.
//! Anything else is refused. Its numbers do not wrap: they are computed wide enough from numbers of at most 64 bits, with few and
//! small coefficients. The remainder of a sum by a power of two can be compared with a number, unless integers are
//! mathematical.

use std::collections::BTreeMap;

use evidence::{Aspect, Comparison, Element, Expression, Formula, Integer, Moment};
use program::{BinaryOp, Body, ExprId, ExprKind, IntegerType, Type, UnaryOp, VariableId};

/// The widest numbers that sums are made of, the largest coefficients, and how many summands there are at most: a sum
/// needs no more than 64 + 31 + 5 bits and a sign, and a constant no more than 96.
const WIDEST: u8 = 64;
const COEFFICIENT: i128 = 1 << 31;
const SUMMANDS: usize = 32;

/// The type of a number that conditions can speak of.
pub(crate) fn integer(ty: Type) -> Option<IntegerType> {
    match ty {
        Type::Integer(ty) if ty.width <= WIDEST => Some(ty),
        _ => None,
    }
}

/// A number at a moment: the name of a variable, or the text of an element.
type Key = (Moment, String);

/// No product of more numbers.
const FACTORS: usize = 2;

/// What is added up: a coefficient, and the numbers that it is multiplied with.
type Summand = (i128, Vec<Key>);

/// What the numbers of a condition stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers(BTreeMap<Key, (VariableId, IntegerType)>);

impl Numbers {
    /// A variable holds the number of this name at a moment. What is no number that conditions can speak of is left out.
    pub fn add(&mut self, moment: Moment, name: String, variable: VariableId, ty: Type) {
        if let Some(ty) = integer(ty) {
            self.0.insert((moment, name), (variable, ty));
        }
    }

    /// A variable holds what stands in memory.
    pub fn add_element(&mut self, element: &Element, variable: VariableId) {
        let ty = element_type(element);
        self.0.insert(element_key(element), (variable, ty));
    }
}

/// The type of a number in memory.
pub(crate) fn element_type(element: &Element) -> IntegerType {
    IntegerType { width: element.bytes.saturating_mul(8), signed: element.signed }
}

fn element_key(element: &Element) -> Key {
    (element.moment, Expression::Element(element.clone()).to_string())
}

/// A body in which conditions are written.
pub(crate) struct Scope<'a> {
    pub numbers: &'a Numbers,
    /// Whether numbers have bits.
    pub bits: bool,
    pub body: &'a mut Body,
}

impl Scope<'_> {
    /// A formula as a condition. Nothing if it speaks of something else.
    pub fn formula(&mut self, formula: &Formula) -> Option<ExprId> {
        Some(match formula {
            Formula::True => self.body.boolean(true),
            Formula::False => self.body.boolean(false),
            Formula::Not(inner) => {
                let inner = self.formula(inner)?;
                self.body.unary(UnaryOp::Not, inner)
            }
            Formula::All(parts) => self.joined(parts, BinaryOp::And, true)?,
            Formula::Any(parts) => self.joined(parts, BinaryOp::Or, false)?,
            Formula::Compare { left, comparison, right } => self.compare(left, *comparison, right)?,
            Formula::Every { .. } => return None,
        })
    }

    /// An expression as a signed number that is wide enough for its value, and that has at least so many bits.
    pub fn number_of(&mut self, expression: &Expression, least: u8) -> Option<ExprId> {
        let summands = summands_of(expression)?;
        let ty = self.wide(summands.iter())?;
        self.sum(&summands, IntegerType { width: ty.width.max(least), ..ty })
    }

    fn joined(&mut self, parts: &[Formula], op: BinaryOp, neutral: bool) -> Option<ExprId> {
        let parts: Vec<ExprId> = parts.iter().map(|part| self.formula(part)).collect::<Option<_>>()?;
        let joined = parts.into_iter().reduce(|all, part| self.body.binary(op, all, part));
        Some(joined.unwrap_or_else(|| self.body.boolean(neutral)))
    }

    fn compare(&mut self, left: &Expression, comparison: Comparison, right: &Expression) -> Option<ExprId> {
        let (left, right) = match (left, right) {
            (Expression::Remainder { dividend, divisor }, Expression::Constant(number)) => {
                self.remainder(dividend, divisor, number)?
            }
            _ => {
                let (left, right) = (summands_of(left)?, summands_of(right)?);
                let ty = match self.own_type(&left, &right) {
                    Some(ty) => ty,
                    None => self.wide(left.iter().chain(&right))?,
                };
                (self.sum(&left, ty)?, self.sum(&right, ty)?)
            }
        };
        Some(match comparison {
            Comparison::Equal => self.body.binary(BinaryOp::Equal, left, right),
            Comparison::Differ => self.body.binary(BinaryOp::NotEqual, left, right),
            Comparison::Less => self.body.binary(BinaryOp::Less, left, right),
            Comparison::LessEqual => self.body.binary(BinaryOp::LessEqual, left, right),
            Comparison::Greater => self.body.binary(BinaryOp::Less, right, left),
            Comparison::GreaterEqual => self.body.binary(BinaryOp::LessEqual, right, left),
        })
    }

    /// A type in which these summands can be added and subtracted in any order.
    fn wide<'f>(&self, summands: impl Iterator<Item = &'f Summand>) -> Option<IntegerType> {
        let mut most: u128 = 0;
        for (coefficient, keys) in summands {
            let widths = keys.iter().map(|key| Some(u32::from(self.number(key)?.1.width)));
            let width: u32 = widths.sum::<Option<u32>>()?;
            most = most.checked_add(coefficient.unsigned_abs().checked_mul(1u128.checked_shl(width)?)?)?;
        }
        // A sign, and room for the difference of both sides.
        let width = 128 - most.leading_zeros() + 2;
        let width = u8::try_from(width).ok().filter(|width| *width <= 128)?;
        Some(IntegerType { width, signed: true })
    }

    /// The remainder of a sum by a power of two, and a number to compare it with.
    fn remainder(
        &mut self,
        dividend: &Expression,
        divisor: &Integer,
        number: &Integer,
    ) -> Option<(ExprId, ExprId)> {
        let divisor = u128::try_from(divisor).ok().filter(|divisor| divisor.is_power_of_two())?;
        let number = i128::try_from(number).ok().filter(|number| (0..1 << 64).contains(number))?;
        let width =
            u8::try_from(divisor.trailing_zeros()).ok().filter(|width| (1..=WIDEST).contains(width))?;
        if !self.bits || number.unsigned_abs() >= divisor {
            return None;
        }
        let summands = summands_of(dividend)?;
        let ty = self.wide(summands.iter())?;
        let sum = self.sum(&summands, IntegerType { width: ty.width.max(width), ..ty })?;
        let ty = Type::Integer(IntegerType { width, signed: false });
        Some((self.body.convert(ty, sum), self.body.integer(ty, number)))
    }

    fn number(&self, key: &Key) -> Option<(VariableId, IntegerType)> {
        self.numbers.0.get(key).copied()
    }

    /// The type of the variables, if each side is one variable of it or a constant that it has: then nothing is
    /// computed, and the comparison is a small query.
    fn own_type(&self, left: &[Summand], right: &[Summand]) -> Option<IntegerType> {
        let mut own = None;
        for side in [left, right] {
            if let [(1, keys)] = side
                && let [key] = &keys[..]
            {
                let (_, ty) = self.number(key)?;
                if *own.get_or_insert(ty) != ty {
                    return None;
                }
            }
        }
        let own = own?;
        let fits = |side: &[Summand]| match side {
            [] => true,
            [(number, keys)] if keys.is_empty() => program::arithmetic::wrap(own, *number) == *number,
            [(1, keys)] => keys.len() == 1,
            _ => false,
        };
        (fits(left) && fits(right)).then_some(own)
    }

    fn sum(&mut self, summands: &[Summand], ty: IntegerType) -> Option<ExprId> {
        let ty = Type::Integer(ty);
        let mut parts = Vec::new();
        for (coefficient, keys) in summands {
            let mut factors = Vec::new();
            if *coefficient != 1 || keys.is_empty() {
                factors.push(self.body.integer(ty, *coefficient));
            }
            for key in keys {
                let (variable, own) = self.number(key)?;
                let value = self.body.expression(ExprKind::Variable(variable), Type::Integer(own));
                factors.push(self.body.convert(ty, value));
            }
            let product = factors.into_iter();
            parts.extend(product.reduce(|one, other| self.body.binary(BinaryOp::Multiply, one, other)));
        }
        let sum = parts.into_iter().reduce(|sum, part| self.body.binary(BinaryOp::Add, sum, part));
        Some(sum.unwrap_or_else(|| self.body.integer(ty, 0)))
    }
}

/// The summands of an expression with products of two numbers at most, if it is a small one.
fn summands_of(expression: &Expression) -> Option<Vec<Summand>> {
    let mut found = Vec::new();
    collect(expression, 1, &mut found)?;
    let is_small = |(coefficient, keys): &Summand| {
        let most = if keys.is_empty() { 1 << 95 } else { COEFFICIENT };
        (-most..=most).contains(coefficient) && keys.len() <= FACTORS
    };
    (found.len() <= SUMMANDS && found.iter().all(is_small)).then_some(found)
}

fn collect(expression: &Expression, factor: i128, found: &mut Vec<Summand>) -> Option<()> {
    match expression {
        Expression::Constant(number) => {
            found.push((i128::try_from(number).ok()?.checked_mul(factor)?, Vec::new()));
        }
        Expression::Quantity { quantity, moment } if quantity.aspect == Aspect::Value => {
            found.push((factor, vec![(*moment, quantity.variable.to_string())]));
        }
        Expression::Element(element) => found.push((factor, vec![element_key(element)])),
        Expression::Sum(parts) => {
            for part in parts {
                collect(part, factor, found)?;
            }
        }
        Expression::Product(parts) => {
            let mut product = vec![(factor, Vec::new())];
            for part in parts {
                let mut summands = Vec::new();
                collect(part, 1, &mut summands)?;
                product = multiplied(&product, &summands)?;
            }
            found.extend(product);
        }
        _ => return None,
    }
    Some(())
}

fn multiplied(one: &[Summand], other: &[Summand]) -> Option<Vec<Summand>> {
    let pairs = one.iter().flat_map(|left| other.iter().map(move |right| (left, right)));
    let product = |((left, ours), (right, theirs)): (&Summand, &Summand)| {
        Some((left.checked_mul(*right)?, ours.iter().chain(theirs).cloned().collect()))
    };
    let product: Vec<Summand> = pairs.map(product).collect::<Option<_>>()?;
    (product.len() <= SUMMANDS).then_some(product)
}
