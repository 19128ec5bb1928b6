//! What the variables of a tableau are equal to: rationals, or rationals with an infinitely small part.

use super::rational::Rational;

/// A number that can be compared, added and multiplied by rationals.
pub trait Quantity: Clone + Ord + std::fmt::Debug {
    /// Zero.
    fn zero() -> Self;
    /// `self += factor * other`.
    fn add_scaled(&mut self, factor: &Rational, other: &Self);

    /// The difference.
    fn minus(&self, other: &Self) -> Self {
        let mut difference = self.clone();
        difference.add_scaled(&Rational::MINUS_ONE, other);
        difference
    }

    /// The product with a rational.
    fn scaled(&self, factor: &Rational) -> Self {
        let mut product = Self::zero();
        product.add_scaled(factor, self);
        product
    }
}

impl Quantity for Rational {
    fn zero() -> Self {
        Rational::ZERO
    }

    fn add_scaled(&mut self, factor: &Rational, other: &Self) {
        self.add_product(factor, other);
    }

    fn minus(&self, other: &Self) -> Self {
        self - other
    }

    fn scaled(&self, factor: &Rational) -> Self {
        self * factor
    }
}

/// A rational plus a multiple of a positive number that is smaller than every positive rational, so that `x < 3` is
/// `x <= 3 - epsilon` (Dutertre and de Moura 2006, section 5).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Near {
    /// The rational part.
    pub real: Rational,
    /// How often the infinitely small number is added.
    pub epsilon: Rational,
}

impl From<Rational> for Near {
    fn from(real: Rational) -> Self {
        Self { real, epsilon: Rational::ZERO }
    }
}

impl Quantity for Near {
    fn zero() -> Self {
        Self::from(Rational::ZERO)
    }

    fn add_scaled(&mut self, factor: &Rational, other: &Self) {
        self.real.add_product(factor, &other.real);
        self.epsilon.add_product(factor, &other.epsilon);
    }
}
