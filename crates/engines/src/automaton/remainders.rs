//! Numbers with fewer divisions: `d * (e / d)` is `e - e % d`, and a condition often says what remains.
//!
//! So `2 * ((n - i - 2) / 2) + i + 3` is `n + 1 - (n - i) % 2`, and `n` where `n - i` is odd. Every number that comes out is
//! equal to the one that went in, for all states; where conditions are used, for all states on which they hold.

use evidence::Integer;
use logic::numbers::Rational;

use super::number::{Atom, Definition, Definitions, Polynomial, Symbol};

impl Definitions {
    /// A number with remainders in the place of multiples of quotients.
    pub fn with_remainders(&mut self, number: &Polynomial) -> Polynomial {
        let mut simpler = number.clone();
        for symbol in number.variables() {
            let Some((dividend, divisor)) = self.quotient_of(symbol) else { continue };
            let [_, factor] = &simpler.coefficients_in(symbol)[..] else { continue };
            let times = factor.as_constant().map(|factor| factor / &Rational::from(&divisor));
            if times.is_some_and(|times| times.is_integer()) {
                let whole = &dividend - &self.what_remains(&dividend, &divisor);
                simpler = simpler.substituted(symbol, &whole.scaled(&Rational::from(&divisor).reciprocal()));
            }
        }
        simpler
    }

    /// A number without the quotients and remainders that conditions decide.
    pub fn decided(&mut self, number: &Polynomial, conditions: &[Atom]) -> Polynomial {
        let mut simpler = number.clone();
        for symbol in number.variables() {
            let Some((dividend, divisor)) = self.quotient_of(symbol) else { continue };
            let rest = self.what_remains(&dividend, &divisor);
            if let Some(rest) = self.known_rest(&rest, conditions) {
                let whole = &dividend - &rest;
                simpler = simpler.substituted(symbol, &whole.scaled(&Rational::from(&divisor).reciprocal()));
            }
        }
        let simpler = self.with_remainders(&simpler);
        self.known_rest(&simpler, conditions).unwrap_or(simpler)
    }

    /// A number in which remainders that conditions decide are what they say. Nothing if there is none.
    fn known_rest(&self, number: &Polynomial, conditions: &[Atom]) -> Option<Polynomial> {
        let mut found = None;
        for symbol in number.variables() {
            let Some(value) = self.remainder_under(symbol, conditions) else { continue };
            let simpler = found.as_ref().unwrap_or(number).substituted(symbol, &Polynomial::constant(value));
            found = Some(simpler);
        }
        found
    }

    /// The one value that conditions leave to a remainder.
    fn remainder_under(&self, symbol: Symbol, conditions: &[Atom]) -> Option<Integer> {
        let Symbol::Defined(place) = symbol else { return None };
        let Definition::Remainder(_, divisor) = self.of(place) else { return None };
        let (mut low, mut high) = (Integer::ZERO, divisor - Integer::ONE);
        for atom in conditions.iter().filter(|atom| atom.number.variables() == [symbol]) {
            let [constant, factor] = &atom.number.coefficients_in(symbol)[..] else { continue };
            let (Some(constant), Some(factor)) = (constant.as_constant(), factor.as_constant()) else {
                continue;
            };
            let limit = -&(constant / factor);
            if atom.zero || !factor.is_negative() {
                low = low.max(limit.ceil());
            }
            if atom.zero || factor.is_negative() {
                high = high.min(limit.floor());
            }
        }
        (low == high).then_some(low)
    }

    fn quotient_of(&self, symbol: Symbol) -> Option<(Polynomial, Integer)> {
        let Symbol::Defined(place) = symbol else { return None };
        match self.of(place) {
            Definition::Quotient(dividend, divisor)
                if dividend.monomials().all(|(_, factor)| factor.is_integer()) =>
            {
                Some((dividend.clone(), divisor.clone()))
            }
            _ => None,
        }
    }

    /// The remainder of a whole number, with a constant in the dividend that is less than the divisor, and none if the
    /// divisor is two: what is odd is one more than what is even.
    fn what_remains(&mut self, dividend: &Polynomial, divisor: &Integer) -> Polynomial {
        let constants = dividend.monomials().filter(|(monomial, _)| monomial.degree() == 0);
        let constant = constants.map(|(_, factor)| factor.clone()).next().unwrap_or(Rational::ZERO);
        let less = (&constant / &Rational::from(divisor)).floor() * divisor;
        let rest = &constant - &Rational::from(&less);
        let two = Integer::ONE + Integer::ONE;
        if *divisor == two {
            let even = self.remainder(&(dividend - &Polynomial::constant(constant)), divisor);
            return if rest.is_zero() { even } else { &Polynomial::constant(1) - &even };
        }
        self.remainder(&(dividend - &Polynomial::constant(less)), divisor)
    }
}

#[cfg(test)]
mod tests {
    use base::Index;
    use program::VariableId;

    use super::*;

    fn held(place: usize) -> Polynomial {
        Polynomial::variable(Symbol::Held(VariableId::new(place)))
    }

    /// The value for numbers of the first two variables.
    fn value(definitions: &Definitions, number: &Polynomial, state: [i64; 2]) -> Rational {
        number.evaluate(|symbol| match symbol {
            Symbol::Held(variable) => Rational::from(state[variable.index()]),
            Symbol::Defined(place) => match definitions.of(place) {
                Definition::Quotient(inner, divisor) => {
                    let quotient = &value(definitions, inner, state) / &Rational::from(divisor);
                    Rational::from(&quotient.floor())
                }
                Definition::Remainder(inner, divisor) => {
                    let inner = value(definitions, inner, state);
                    let whole = (&inner / &Rational::from(divisor)).floor() * divisor;
                    &inner - &Rational::from(&whole)
                }
                Definition::Any => Rational::ZERO,
            },
            _ => Rational::ZERO,
        })
    }

    #[test]
    fn numbers_remain_what_they_are() {
        let (n, i) = (held(0), held(1));
        for divisor in 2i64..5 {
            for constant in -4i64..5 {
                let mut definitions = Definitions::default();
                let distance = &(&n - &i) + &Polynomial::constant(constant);
                let quotient = definitions.quotient(&distance, &Integer::from(divisor));
                let number = &quotient.scaled(&Rational::from(divisor)) + &i;
                let simpler = definitions.with_remainders(&number);
                assert!(!simpler.variables().contains(&quotient.variables()[0]));
                let last = definitions.what_remains(&distance, &Integer::from(divisor));
                let atom = Atom { number: &last - &Polynomial::constant(divisor - 1), zero: false };
                let decided = definitions.decided(&(&quotient + &n), std::slice::from_ref(&atom));
                assert_eq!(decided.variables().len(), 2, "the condition leaves one remainder");
                for state in [[7, 0], [8, 3], [9, -4], [-5, 6], [0, 0], [11, 10]] {
                    let at = |number: &Polynomial| value(&definitions, number, state);
                    assert_eq!(at(&number), at(&simpler));
                    if !at(&atom.number).is_negative() {
                        assert_eq!(at(&decided), at(&(&quotient + &n)));
                    }
                }
            }
        }
    }
}
