//! Closed forms: what variables hold after `k` iterations along one path, or through one cycle of paths (section 4.2).
//!
//! A number is a sum of products of a polynomial in `k` and a power of `k`. Solved are systems of recurrences in which
//! each variable is its own old value times a constant plus a number that depends on variables solved before: constant,
//! arithmetic and geometric sequences, sums of known sequences, and all combinations. A variable that does not depend
//! on its own old value (`x = c`, `x = y`) follows the others one iteration behind: the form is right from the second
//! state on. So is the one of a counter that turns (`x = (x + c) % m`). Variables that depend on each other are solved
//! together where the result is a polynomial.

use std::collections::BTreeMap;

use evidence::Integer;
use logic::numbers::Rational;
use program::VariableId;

use super::number::{Definition, Definitions, Polynomial, Symbol, Values};

/// Higher powers of the number of iterations are not examined.
const DEEPEST: u32 = 8;

/// A number as a function of the number of iterations: for each base a polynomial in [`Symbol::Iterations`] that is
/// multiplied with the base to the power of the number of iterations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sequence(BTreeMap<Integer, Polynomial>);

/// What variables hold after a number of iterations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClosedForm {
    /// The sequences of the variables that change.
    pub sequences: BTreeMap<VariableId, Sequence>,
    /// Counters that turn. Nothing else depends on them.
    pub turning: BTreeMap<VariableId, Turning>,
    /// Variables that change in a way that is not understood.
    pub unknown: Vec<VariableId>,
    /// Variables that follow others one iteration behind: their forms are right after one iteration or more.
    pub late: Vec<VariableId>,
    /// Whether others depend on these. Then all forms are right from the state after one iteration on only: they count
    /// the iterations after it, and start with the values there.
    pub delayed: bool,
}

/// What an iteration does to a counter that turns: `x = (x + step) % divisor`, with a step that the iterations do not
/// change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turning {
    step: Polynomial,
    divisor: Integer,
}

impl Turning {
    /// What a counter holds after one iteration or more.
    pub fn at(
        &self,
        definitions: &mut Definitions,
        counter: VariableId,
        start: &Values,
        iterations: &Polynomial,
    ) -> Polynomial {
        let moved = &Polynomial::variable(Symbol::Held(counter))
            + &(&self.step * &Polynomial::variable(Symbol::Iterations));
        let moved = definitions.after(&moved, start, iterations);
        definitions.remainder(&moved, &self.divisor)
    }
}

impl Sequence {
    /// One and the same number.
    pub fn constant(number: Polynomial) -> Self {
        let mut sequence = Self(BTreeMap::new());
        sequence.add(Integer::ONE, &number);
        sequence
    }

    fn add(&mut self, base: Integer, number: &Polynomial) {
        let sum = match self.0.get(&base) {
            Some(old) => old + number,
            None => number.clone(),
        };
        if sum.is_zero() {
            self.0.remove(&base);
        } else {
            self.0.insert(base, sum);
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        other.0.iter().for_each(|(base, number)| sum.add(base.clone(), number));
        sum
    }

    fn times(&self, other: &Self) -> Self {
        let mut product = Self(BTreeMap::new());
        for (left, one) in &self.0 {
            for (right, two) in &other.0 {
                product.add(left * right, &(one * two));
            }
        }
        product
    }

    /// As a polynomial in the number of iterations, if it is one.
    pub fn polynomial(&self) -> Option<Polynomial> {
        match self.0.len() {
            0 => Some(Polynomial::zero()),
            1 => self.0.get(&Integer::ONE).cloned(),
            _ => None,
        }
    }

    /// Its value before the first iteration and what every iteration adds, if it moves evenly.
    pub fn steps(&self) -> Option<(Polynomial, Polynomial)> {
        let polynomial = self.polynomial()?;
        match &polynomial.coefficients_in(Symbol::Iterations)[..] {
            [first] => Some((first.clone(), Polynomial::zero())),
            [first, step] => Some((first.clone(), step.clone())),
            _ => None,
        }
    }

    /// The number for a state at the start, if it is a polynomial.
    pub fn at(
        &self,
        definitions: &mut Definitions,
        start: &Values,
        iterations: &Polynomial,
    ) -> Option<Polynomial> {
        Some(definitions.after(&self.polynomial()?, start, iterations))
    }

    /// The sequence one iteration earlier.
    fn delayed(&self) -> Option<Self> {
        let before = &Polynomial::variable(Symbol::Iterations) - &Polynomial::constant(1);
        let mut earlier = Self(BTreeMap::new());
        for (base, number) in &self.0 {
            if *base == Integer::ZERO {
                return None;
            }
            let number = number.substituted(Symbol::Iterations, &before);
            earlier.add(base.clone(), &number.scaled(&Rational::from(base).reciprocal()));
        }
        Some(earlier)
    }
}

impl ClosedForm {
    /// The closed form of a step.
    pub fn of(definitions: &Definitions, step: &Values) -> Self {
        let mut form = Self::default();
        let changed = |variable: &VariableId| step.contains_key(variable);
        let mut open: Vec<VariableId> = step.keys().copied().collect();
        loop {
            let before = open.len();
            open.retain(|variable| {
                let number = &step[variable];
                let others = definitions.variables(number);
                let ready = others
                    .iter()
                    .all(|other| other == variable || !changed(other) || form.sequences.contains_key(other));
                if !ready {
                    return true;
                }
                if let Some(turning) = form.turning(definitions, *variable, number) {
                    form.turning.insert(*variable, turning);
                    form.late.push(*variable);
                    return false;
                }
                match form.solve(definitions, *variable, number) {
                    Some(sequence) => _ = form.sequences.insert(*variable, sequence),
                    None => form.unknown.push(*variable),
                }
                false
            });
            if open.len() == before {
                let solved =
                    open.iter().find_map(|variable| form.together(definitions, step, &open, *variable));
                let Some(solved) = solved else { break };
                open.retain(|variable| !solved.contains_key(variable));
                form.sequences.extend(solved);
            }
        }
        form.unknown.extend(open);
        form
    }

    /// Solves all variables that one depends on together with it: `x' = A x + b`, with numbers `b` that the iterations
    /// do not change, where some power of `N = A - 1` is zero. Then `x` is
    /// `sum of (k over i) N^i x + (k over i + 1) N^i b`.
    fn together(
        &self,
        definitions: &Definitions,
        step: &Values,
        open: &[VariableId],
        one: VariableId,
    ) -> Option<BTreeMap<VariableId, Sequence>> {
        let mut all = vec![one];
        let mut next = 0;
        while let Some(variable) = all.get(next) {
            if all.len() > DEEPEST as usize {
                return None;
            }
            for other in definitions.variables(&step[variable]) {
                if open.contains(&other) && !all.contains(&other) {
                    all.push(other);
                } else if !open.contains(&other) && step.contains_key(&other) {
                    return None;
                }
            }
            next += 1;
        }
        // The rows of `N`, and `b`.
        let (mut rows, mut rest) = (Vec::new(), Vec::new());
        for variable in &all {
            let mut remaining = step[variable].clone();
            let mut row = Vec::new();
            for other in &all {
                let factor = match &remaining.coefficients_in(Symbol::Held(*other))[..] {
                    [_] => Rational::ZERO,
                    [_, factor] => factor.as_constant()?.clone(),
                    _ => return None,
                };
                let held = Polynomial::variable(Symbol::Held(*other));
                remaining = remaining.plus_scaled(&-factor.clone(), &held);
                row.push(if other == variable { factor - Rational::ONE } else { factor });
            }
            if definitions.is_open(&remaining)
                || definitions.variables(&remaining).iter().any(|one| all.contains(one))
            {
                return None;
            }
            rows.push(row);
            rest.push(remaining);
        }
        let times = |vector: &[Polynomial]| -> Vec<Polynomial> {
            let product = |row: &Vec<Rational>| {
                let parts = row.iter().zip(vector);
                parts.fold(Polynomial::zero(), |sum, (factor, number)| sum.plus_scaled(factor, number))
            };
            rows.iter().map(product).collect()
        };
        let mut moved: Vec<Polynomial> =
            all.iter().map(|variable| Polynomial::variable(Symbol::Held(*variable))).collect();
        let mut sums = vec![Polynomial::zero(); all.len()];
        let iterations = Polynomial::variable(Symbol::Iterations);
        // Iterations over `power`.
        let mut choices = Polynomial::constant(1);
        for power in 0..=all.len() as i64 {
            let fewer = &iterations - &Polynomial::constant(power);
            let more = (&choices * &fewer).scaled(&Rational::from(power + 1).reciprocal());
            for (sum, (moved, rest)) in sums.iter_mut().zip(moved.iter().zip(&rest)) {
                *sum = &*sum + &(&(&choices * moved) + &(&more * rest));
            }
            (moved, rest, choices) = (times(&moved), times(&rest), more);
        }
        let vanishes = moved.iter().chain(&rest).all(Polynomial::is_zero);
        vanishes.then(|| all.into_iter().zip(sums.into_iter().map(Sequence::constant)).collect())
    }

    /// Whether every number moves as a polynomial of the number of iterations.
    pub fn is_even(&self) -> bool {
        self.unknown.is_empty()
            && self.turning.is_empty()
            && self.sequences.values().all(|sequence| sequence.polynomial().is_some())
    }

    /// The sequence of a number of the state.
    pub fn sequence(&self, definitions: &Definitions, number: &Polynomial) -> Option<Sequence> {
        let mut sum = Sequence(BTreeMap::new());
        for (monomial, factor) in number.monomials() {
            let mut product = Sequence::constant(Polynomial::constant(factor.clone()));
            for (symbol, exponent) in monomial.powers() {
                let one = match symbol {
                    Symbol::Held(variable) if self.is_irregular(variable) => return None,
                    Symbol::Held(variable) => match self.sequences.get(variable) {
                        Some(sequence) => sequence.clone(),
                        None => Sequence::constant(Polynomial::variable(*symbol)),
                    },
                    Symbol::Defined(_) => {
                        let number = Polynomial::variable(*symbol);
                        let moves = |variable: &VariableId| {
                            self.sequences.contains_key(variable) || self.is_irregular(variable)
                        };
                        let moved = definitions.variables(&number).iter().any(moves);
                        if definitions.is_open(&number)
                            || (moved && !self.keeps_remainder(definitions, *symbol))
                        {
                            return None;
                        }
                        Sequence::constant(number)
                    }
                    Symbol::Iterations | Symbol::Inner | Symbol::Now(_) => return None,
                };
                for _ in 0..*exponent {
                    product = product.times(&one);
                }
            }
            sum = sum.plus(&product);
        }
        let deep = |number: &Polynomial| {
            number.degree_in(Symbol::Iterations) > DEEPEST || number.degree() > 3 * DEEPEST
        };
        (!sum.0.values().any(deep)).then_some(sum)
    }

    /// Whether a variable changes, and not in a sequence.
    fn is_irregular(&self, variable: &VariableId) -> bool {
        self.unknown.contains(variable) || self.turning.contains_key(variable)
    }

    /// Whether `x' = (x + step) % divisor`, with a step that stays.
    fn turning(
        &mut self,
        definitions: &Definitions,
        variable: VariableId,
        number: &Polynomial,
    ) -> Option<Turning> {
        let mut symbols = number.variables().into_iter();
        let (Some(symbol @ Symbol::Defined(place)), None) = (symbols.next(), symbols.next()) else {
            return None;
        };
        let Definition::Remainder(inner, divisor) = definitions.of(place) else { return None };
        if *number != Polynomial::variable(symbol) {
            return None;
        }
        let step = inner - &Polynomial::variable(Symbol::Held(variable));
        if definitions.is_open(&step) || definitions.variables(&step).contains(&variable) {
            return None;
        }
        let late = definitions.variables(&step).iter().any(|other| self.late.contains(other));
        let (step, by) = self.sequence(definitions, &step)?.steps()?;
        if !by.is_zero() {
            return None;
        }
        self.delayed |= late;
        Some(Turning { step, divisor: divisor.clone() })
    }

    /// Whether a symbol is a remainder that iterations do not change, since what is divided moves by multiples of the
    /// divisor.
    fn keeps_remainder(&self, definitions: &Definitions, symbol: Symbol) -> bool {
        let Symbol::Defined(place) = symbol else { return false };
        let Definition::Remainder(inner, divisor) = definitions.of(place) else { return false };
        let steps = self.sequence(definitions, inner).and_then(|sequence| sequence.steps());
        let step = steps.and_then(|(_, step)| step.as_constant().and_then(Rational::to_integer));
        step.is_some_and(|step| step % divisor == Integer::ZERO)
    }

    /// Solves `x' = factor * x + rest`.
    fn solve(
        &mut self,
        definitions: &Definitions,
        variable: VariableId,
        number: &Polynomial,
    ) -> Option<Sequence> {
        let symbol = Symbol::Held(variable);
        let (factor, rest) = match &number.coefficients_in(symbol)[..] {
            [rest] => (Integer::ZERO, rest.clone()),
            [rest, factor] => (factor.as_constant()?.to_integer()?, rest.clone()),
            _ => return None,
        };
        let others = definitions.variables(&rest);
        if others.contains(&variable) {
            return None;
        }
        self.delayed |= others.iter().any(|other| self.late.contains(other));
        let rest = self.sequence(definitions, &rest)?;
        if factor == Integer::ZERO {
            self.late.push(variable);
            return rest.delayed();
        }
        let mut sequence = Sequence(BTreeMap::new());
        let mut first = Polynomial::variable(symbol);
        for (base, number) in &rest.0 {
            let particular = particular(base, &factor, number);
            first = &first - &particular.substituted(Symbol::Iterations, &Polynomial::zero());
            sequence.add(base.clone(), &particular);
        }
        sequence.add(factor, &first);
        Some(sequence)
    }
}

/// The sum of the values of a polynomial in the number of iterations, from zero iterations up to and without all of
/// them.
pub fn sum(number: &Polynomial) -> Polynomial {
    let found = particular(&Integer::ONE, &Integer::ONE, number);
    &found - &found.substituted(Symbol::Iterations, &Polynomial::zero())
}

/// A polynomial Q in the number of iterations `k` with `base * Q(k + 1) - factor * Q(k) = number(k)`.
fn particular(base: &Integer, factor: &Integer, number: &Polynomial) -> Polynomial {
    let given = number.coefficients_in(Symbol::Iterations);
    let same = base == factor;
    let degree = given.len() - 1 + usize::from(same);
    let mut found = vec![Polynomial::zero(); degree + 1];
    let (base, factor) = (Rational::from(base), Rational::from(factor));
    for place in (0..=degree).rev() {
        // The coefficient of the power `row` in the equation gives the one of the power `place`.
        let row = if same { place.checked_sub(1) } else { Some(place) };
        let Some(row) = row else { break };
        let mut rest = given.get(row).cloned().unwrap_or_else(Polynomial::zero);
        for (higher, coefficient) in found.iter().enumerate().skip(place + 1) {
            let times = &base * &Rational::from(binomial(higher, row));
            rest = rest.plus_scaled(&-times, coefficient);
        }
        let divisor = if same { &base * &Rational::from(place as i64) } else { &base - &factor };
        found[place] = rest.scaled(&divisor.reciprocal());
    }
    let iterations = Polynomial::variable(Symbol::Iterations);
    found.iter().rev().fold(Polynomial::zero(), |sum, coefficient| &(&sum * &iterations) + coefficient)
}

fn binomial(of: usize, choose: usize) -> i64 {
    (0..choose).fold(1, |product, place| product * (of - place) as i64 / (place as i64 + 1))
}

#[cfg(test)]
mod tests {
    use base::Index;

    use super::*;

    fn held(place: usize) -> Polynomial {
        Polynomial::variable(Symbol::Held(VariableId::new(place)))
    }

    /// Compares a closed form with iterations one by one.
    fn check(steps: &[(usize, Polynomial)]) -> ClosedForm {
        let definitions = &mut Definitions::default();
        let step: Values =
            steps.iter().map(|(place, number)| (VariableId::new(*place), number.clone())).collect();
        let form = ClosedForm::of(definitions, &step);
        assert!(form.unknown.is_empty(), "{form:?}");
        let mut values: Values = Values::new();
        for iterations in 1i64..6 {
            values = definitions.follow(&values, &step);
            let start = if form.delayed { definitions.follow(&Values::new(), &step) } else { Values::new() };
            let count = iterations - i64::from(form.delayed);
            for (variable, sequence) in &form.sequences {
                let mut number = Polynomial::zero();
                for (base, polynomial) in &sequence.0 {
                    let at = polynomial.substituted(Symbol::Iterations, &Polynomial::constant(count));
                    let power = (0..count).fold(Rational::ONE, |power, _| &power * &Rational::from(base));
                    number = number.plus_scaled(&power, &definitions.substitute(&at, &start));
                }
                assert_eq!(number, values[variable], "{variable:?} after {iterations}");
            }
        }
        form
    }

    #[test]
    fn sequences_of_the_paper() {
        let (x, y, z) = (held(0), held(1), held(2));
        let one = Polynomial::constant(1);
        check(&[(0, &x + &Polynomial::constant(3))]);
        check(&[(0, x.scaled(&Rational::from(2)))]);
        check(&[(0, Polynomial::constant(7)), (1, &y + &x)]);
        // Example 4: m := m + (i - j), j := j + 1.
        check(&[(0, &(&x + &z) - &y), (1, &y + &one)]);
        // Sums of sums, and a geometric one that grows by a counter.
        check(&[(0, &x + &one), (1, &y + &x), (2, &(&z + &y) + &(&x * &x))]);
        check(&[
            (0, &x + &one),
            (1, &y.scaled(&Rational::from(3)) + &x),
            (2, &z.scaled(&Rational::from(-1)) + &y),
        ]);
        // One iteration behind.
        let form = check(&[(0, &x + &one), (1, &x * &x), (2, &z + &y)]);
        assert!(form.delayed);
        let form = check(&[(0, &x + &one), (1, &x * &x), (2, &z + &one)]);
        assert!(!form.delayed && form.late == [VariableId::new(1)]);
    }

    #[test]
    fn several_at_once() {
        let (x, y, z) = (held(0), held(1), held(2));
        let two = Rational::from(2);
        // Each takes the other's place, and the distance stays.
        check(&[(0, y.clone()), (1, &y.scaled(&two) - &x)]);
        check(&[(0, &(&x.scaled(&two) - &y) + &z), (1, &x + &Polynomial::constant(3))]);
        check(&[(0, y.clone()), (1, &y.scaled(&two) - &x), (2, &z + &x)]);
        let grows = Values::from([(VariableId::new(0), &x + &y), (VariableId::new(1), x.clone())]);
        assert_eq!(ClosedForm::of(&Definitions::default(), &grows).unknown.len(), 2);
    }

    #[test]
    fn counters_turn() {
        let mut definitions = Definitions::default();
        let (x, y) = (held(0), held(1));
        let turned = definitions.remainder(&(&x + &Polynomial::constant(3)), &Integer::from(7));
        let step = Values::from([(VariableId::new(0), turned), (VariableId::new(1), &y + &x)]);
        let form = ClosedForm::of(&definitions, &step);
        assert_eq!(form.unknown, [VariableId::new(1)]);
        assert_eq!(form.late, [VariableId::new(0)]);
        let mut values = Values::from([(VariableId::new(0), Polynomial::constant(5))]);
        let start = values.clone();
        for iterations in 1..10i64 {
            values = definitions.follow(&values, &step);
            let counter = VariableId::new(0);
            let iterations = Polynomial::constant(iterations);
            assert_eq!(
                form.turning[&counter].at(&mut definitions, counter, &start, &iterations),
                values[&counter]
            );
        }
    }

    #[test]
    fn what_depends_on_itself_otherwise_is_not_understood() {
        let (x, y) = (held(0), held(1));
        let step = Values::from([(VariableId::new(0), &x * &x), (VariableId::new(1), &y + &x)]);
        let form = ClosedForm::of(&Definitions::default(), &step);
        assert_eq!(form.unknown, [VariableId::new(0), VariableId::new(1)]);
    }
}
