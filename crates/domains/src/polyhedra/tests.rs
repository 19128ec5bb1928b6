//! Polyhedra against the laws of domains, and against brute force.

use super::Polyhedra;
use crate::laws;

#[test]
fn polyhedra_obey_the_laws() {
    laws::check::<Polyhedra>(1);
}
