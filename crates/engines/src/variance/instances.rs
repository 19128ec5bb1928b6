//! The variance analyses that Loopscope offers: one line for each domain.
//!
//! OctaTerm and PolyTerm of the paper are the octagons and the polyhedra; intervals show how little a domain without
//! relations does. Shapes (SonarTerm) need to know what a program does to lists, and have an entry of their own
//! ([`super::HeapProgram`]); of a program without lists they know what the polyhedra know.

use base::Budget;
use domains::{Congruences, Dimension, Intervals, Octagon, Product};

use super::analysis::{Stopped, Variance, analyse};
use super::cutpoints::{Cutpoint, Forests};
use super::numeric::Numeric;

/// A domain by its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum DomainName {
    /// Limits of single numbers.
    Interval,
    /// Limits of sums and differences of two numbers: OctaTerm.
    #[default]
    Octagon,
    /// Octagons with remainders.
    Congruence,
    /// All linear constraints: PolyTerm.
    Polyhedra,
    /// Lists with lengths, over polyhedra: SonarTerm.
    Shape,
}

impl DomainName {
    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interval => "interval",
            Self::Octagon => "octagon",
            Self::Congruence => "congruence",
            Self::Polyhedra => "polyhedra",
            Self::Shape => "shape",
        }
    }
}

/// The variance analysis that a domain induces.
///
/// # Errors
/// If the budget ends before the invariance analysis does.
pub fn analyse_with(
    domain: DomainName,
    numeric: &Numeric,
    forests: &Forests,
    cutpoints: &[Cutpoint],
    is_named: &dyn Fn(Dimension) -> bool,
    budget: &mut Budget,
) -> Result<Vec<Variance>, Stopped> {
    let run = match domain {
        DomainName::Interval => analyse::<Intervals>,
        DomainName::Octagon => analyse::<Octagon>,
        DomainName::Congruence => analyse::<Product<Octagon, Congruences>>,
        DomainName::Polyhedra | DomainName::Shape => analyse::<domains::polyhedra::Polyhedra>,
    };
    run(numeric, forests, cutpoints, is_named, budget)
}
