//! Numbers along paths: polynomials over what variables hold at some state, and over quotients and remainders of such.
//!
//! Integers are those of mathematics here (the paper's assumption): whether a machine integer wraps is for the kernel to
//! find out.

use std::collections::BTreeMap;
use std::fmt;

use base::Index;
use evidence::expression::constant;
use evidence::{Comparison, Expression, Formula, Integer};
use logic::numbers::Rational;
use program::VariableId;

/// What a number can depend on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// What a variable holds: its number, or its offset if it is a pointer.
    Held(VariableId),
    /// A number with a definition, by its place in [`Definitions`].
    Defined(u32),
    /// How often a path, or a cycle of paths, was passed.
    Iterations,
    /// The same for a path in a cycle.
    Inner,
    /// What a variable holds now, where [`Symbol::Held`] is what it held at entry.
    Now(VariableId),
}

/// A number.
pub type Polynomial = logic::numbers::Polynomial<Symbol>;

/// What numbers are made of that are no polynomials.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Definition {
    /// Any number: an input, or something that is not understood. No two uses are the same.
    Any,
    /// The quotient by a positive number, rounded down.
    Quotient(Polynomial, Integer),
    /// What remains of that division.
    Remainder(Polynomial, Integer),
}

/// The least and the greatest numbers that variables can hold.
pub type Ranges = BTreeMap<VariableId, (Integer, Integer)>;

/// All definitions, and what is known of variables.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    pub(super) all: Vec<Definition>,
    /// What the types of variables allow.
    pub ranges: Ranges,
}

/// A condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// The number.
    pub number: Polynomial,
    /// Whether it must be zero; else it must not be negative.
    pub zero: bool,
}

/// What variables hold, as numbers over an earlier state. A variable that is not in it holds what it held there.
pub type Values = BTreeMap<VariableId, Polynomial>;

impl Definitions {
    /// Some number.
    pub fn any(&mut self) -> Polynomial {
        self.all.push(Definition::Any);
        Polynomial::variable(Symbol::Defined(self.all.len() as u32 - 1))
    }

    /// The quotient by a positive number.
    pub fn quotient(&mut self, dividend: &Polynomial, divisor: &Integer) -> Polynomial {
        if *divisor == Integer::ONE {
            return dividend.clone();
        }
        match dividend.as_constant() {
            Some(known) => Polynomial::constant((known / &Rational::from(divisor)).floor()),
            None => self.defined(Definition::Quotient(dividend.clone(), divisor.clone())),
        }
    }

    /// The remainder of a division by a positive number. One inside of another is left out: `(x % 7 + 1) % 7` is
    /// `(x + 1) % 7`.
    pub fn remainder(&mut self, dividend: &Polynomial, divisor: &Integer) -> Polynomial {
        let whole = dividend.monomials().all(|(_, factor)| factor.to_integer().is_some());
        let dividend = &dividend.mapped(|symbol| match symbol {
            Symbol::Defined(place) => match self.of(place) {
                Definition::Remainder(inner, by) if whole && by % divisor == Integer::ZERO => inner.clone(),
                _ => Polynomial::variable(symbol),
            },
            _ => Polynomial::variable(symbol),
        });
        match dividend.as_constant() {
            Some(known) => {
                let whole = (known / &Rational::from(divisor)).floor() * divisor;
                Polynomial::constant(known - &Rational::from(&whole))
            }
            None => self.defined(Definition::Remainder(dividend.clone(), divisor.clone())),
        }
    }

    fn defined(&mut self, definition: Definition) -> Polynomial {
        let place = self.all.iter().position(|known| *known == definition);
        let place = place.unwrap_or_else(|| {
            self.all.push(definition);
            self.all.len() - 1
        });
        Polynomial::variable(Symbol::Defined(place as u32))
    }

    /// What a symbol stands for.
    pub fn of(&self, place: u32) -> &Definition {
        &self.all[place as usize]
    }

    /// Whether a number depends on one that can be anything.
    pub fn is_open(&self, number: &Polynomial) -> bool {
        number.variables().into_iter().any(|symbol| match symbol {
            Symbol::Defined(place) => match self.of(place) {
                Definition::Any => true,
                Definition::Quotient(inner, _) | Definition::Remainder(inner, _) => self.is_open(inner),
            },
            _ => false,
        })
    }

    /// The variables that a number depends on.
    pub fn variables(&self, number: &Polynomial) -> Vec<VariableId> {
        let mut variables = Vec::new();
        for symbol in number.variables() {
            match symbol {
                Symbol::Held(variable) => variables.push(variable),
                Symbol::Defined(place) => match self.of(place) {
                    Definition::Any => {}
                    Definition::Quotient(inner, _) | Definition::Remainder(inner, _) => {
                        variables.extend(self.variables(inner));
                    }
                },
                Symbol::Iterations | Symbol::Inner | Symbol::Now(_) => {}
            }
        }
        variables
    }

    /// A number over a state as one over the state over which the values are. What can be anything is something new.
    pub fn substitute(&mut self, number: &Polynomial, values: &Values) -> Polynomial {
        self.replace(number, &mut |symbol| match symbol {
            Symbol::Held(variable) => values.get(&variable).cloned(),
            _ => None,
        })
    }

    /// The same for all numbers of some conditions.
    pub fn moved(&mut self, conditions: &[Atom], values: &Values) -> Vec<Atom> {
        conditions.iter().map(|atom| atom.of(self, values)).collect()
    }

    /// A number over a state and the iterations since then, for values there and a number of iterations. Both at once:
    /// the values may speak of iterations of their own.
    pub fn after(&mut self, number: &Polynomial, start: &Values, iterations: &Polynomial) -> Polynomial {
        self.replace(number, &mut |symbol| match symbol {
            Symbol::Held(variable) => start.get(&variable).cloned(),
            Symbol::Iterations => Some(iterations.clone()),
            _ => None,
        })
    }

    /// A number with another one in the place of a symbol.
    pub fn with(&mut self, number: &Polynomial, symbol: Symbol, by: &Polynomial) -> Polynomial {
        self.replace(number, &mut |found| (found == symbol).then(|| by.clone()))
    }

    fn replace(
        &mut self,
        number: &Polynomial,
        by: &mut dyn FnMut(Symbol) -> Option<Polynomial>,
    ) -> Polynomial {
        let mut found = BTreeMap::new();
        for symbol in number.variables() {
            let value = match symbol {
                _ if let Some(value) = by(symbol) => value,
                Symbol::Defined(place) => match self.of(place).clone() {
                    Definition::Any => Polynomial::variable(symbol),
                    Definition::Quotient(inner, divisor) => {
                        let inner = self.replace(&inner, by);
                        self.quotient(&inner, &divisor)
                    }
                    Definition::Remainder(inner, divisor) => {
                        let inner = self.replace(&inner, by);
                        self.remainder(&inner, &divisor)
                    }
                },
                _ => Polynomial::variable(symbol),
            };
            found.insert(symbol, value);
        }
        number.mapped(|symbol| found[&symbol].clone())
    }

    /// The values after a step, over the state before the values that it starts with.
    pub fn follow(&mut self, values: &Values, step: &Values) -> Values {
        let mut after = values.clone();
        for (variable, number) in step {
            let number = self.substitute(number, values);
            after.insert(*variable, number);
        }
        after
    }

    /// A number as an expression. Nothing if it depends on one that can be anything.
    pub fn expression(
        &self,
        number: &Polynomial,
        held: &dyn Fn(Symbol) -> Option<Expression>,
    ) -> Option<Expression> {
        let common = number.denominator();
        let mut parts = Vec::new();
        let mut known = Integer::ZERO;
        // What is added comes before what is taken away.
        let (added, taken): (Vec<_>, Vec<_>) =
            number.monomials().rev().partition(|(_, factor)| factor.is_positive());
        for (monomial, factor) in added.into_iter().chain(taken) {
            let factor = (factor * &Rational::from(&common)).to_integer()?;
            let mut factors = Vec::new();
            for (symbol, exponent) in monomial.powers() {
                let one = self.symbol(*symbol, held)?;
                factors.extend((0..*exponent).map(|_| one.clone()));
            }
            match factors.len() {
                0 => known = factor,
                _ if factor != Integer::ONE => {
                    factors.insert(0, constant(factor));
                    parts.push(Expression::Product(factors));
                }
                1 => parts.extend(factors),
                _ => parts.push(Expression::Product(factors)),
            }
        }
        let falls =
            !number.monomials().any(|(monomial, factor)| factor.is_positive() && monomial.degree() > 0);
        if falls && known > Integer::ZERO {
            parts.insert(0, constant(known));
        } else if known != Integer::ZERO || parts.is_empty() {
            parts.push(constant(known));
        }
        let sum = if parts.len() == 1 { parts.remove(0) } else { Expression::Sum(parts) };
        Some(if common == Integer::ONE { sum } else { sum.quotient(common) })
    }

    fn symbol(&self, symbol: Symbol, held: &dyn Fn(Symbol) -> Option<Expression>) -> Option<Expression> {
        match symbol {
            Symbol::Held(_) | Symbol::Now(_) | Symbol::Iterations | Symbol::Inner => held(symbol),
            Symbol::Defined(place) => match self.of(place) {
                Definition::Any => None,
                Definition::Quotient(inner, divisor) => {
                    Some(self.expression(inner, held)?.quotient(divisor.clone()))
                }
                Definition::Remainder(inner, divisor) => {
                    Some(self.expression(inner, held)?.remainder(divisor.clone()))
                }
            },
        }
    }

    /// A condition as a formula, its parts on the sides where they are positive.
    pub fn formula(&self, atom: &Atom, held: &dyn Fn(Symbol) -> Option<Expression>) -> Option<Formula> {
        let scaled = atom.number.scaled(&Rational::from(atom.number.denominator()));
        let (mut left, mut right) = (Polynomial::zero(), Polynomial::zero());
        for (monomial, factor) in scaled.monomials() {
            let mut part = Polynomial::constant(factor.absolute());
            for (symbol, exponent) in monomial.powers() {
                part = &part * &Polynomial::variable(*symbol).power(*exponent);
            }
            if factor.is_positive() { left = &left + &part } else { right = &right + &part }
        }
        let comparison = if atom.zero { Comparison::Equal } else { Comparison::GreaterEqual };
        // `x >= y + 1` reads better as `x > y`.
        let one = Polynomial::constant(1);
        let (right, comparison) = match constant_part(&right) {
            part if !atom.zero && part >= Rational::ONE && right != one => {
                (&right - &one, Comparison::Greater)
            }
            _ => (right, comparison),
        };
        Some(self.expression(&left, held)?.compare(comparison, self.expression(&right, held)?))
    }
}

impl Atom {
    /// `left >= right`
    pub fn at_least(left: &Polynomial, right: &Polynomial) -> Self {
        Self { number: left - right, zero: false }
    }

    /// `left > right`
    pub fn above(left: &Polynomial, right: &Polynomial) -> Self {
        Self { number: &(left - right) - &Polynomial::constant(1), zero: false }
    }

    /// `left == right`
    pub fn equal(left: &Polynomial, right: &Polynomial) -> Self {
        Self { number: left - right, zero: true }
    }

    /// Whether it holds, if that does not depend on anything.
    pub fn known(&self) -> Option<bool> {
        let known = self.number.as_constant()?;
        Some(if self.zero { known.is_zero() } else { !known.is_negative() })
    }

    /// The ways in which it does not hold, of which one at most is so.
    pub fn negated(&self) -> Vec<Self> {
        let less = Self { number: &-&self.number - &Polynomial::constant(1), zero: false };
        let more = Self { number: &self.number - &Polynomial::constant(1), zero: false };
        if self.zero { vec![less, more] } else { vec![less] }
    }

    /// The same of another state.
    pub fn of(&self, definitions: &mut Definitions, values: &Values) -> Self {
        Self { number: definitions.substitute(&self.number, values), zero: self.zero }
    }
}

fn constant_part(number: &Polynomial) -> Rational {
    number
        .monomials()
        .next()
        .filter(|(monomial, _)| monomial.degree() == 0)
        .map_or(Rational::ZERO, |(_, factor)| factor.clone())
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Symbol::Held(variable) => write!(f, "v{}", variable.index()),
            Symbol::Defined(place) => write!(f, "d{place}"),
            Symbol::Iterations => write!(f, "k"),
            Symbol::Inner => write!(f, "j"),
            Symbol::Now(variable) => write!(f, "w{}", variable.index()),
        }
    }
}
