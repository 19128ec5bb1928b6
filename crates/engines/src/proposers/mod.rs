//! The proposers: each guesses invariants of one kind. To add one, write a file with a function of this type and list
//! it in [`ROUNDS`].

use evidence::Formula;

use crate::view::View;

mod abstraction;
mod arrays;
mod cases;
mod differences;
mod equations;
mod guards;
mod indices;
mod intervals;
mod monotone;
mod numbers;
mod parity;
mod pointers;
mod preconditions;
mod preserved;
mod signs;
mod stored;
mod strings;
mod traces;
mod values;
mod wrapping;

/// A proposer: examines a loop and adds formulas that may hold whenever control is at its head.
pub type Proposer = fn(&View<'_>, &mut Vec<Formula>);

/// Proposers of equations, which pin down what a loop computes. Whoever looks for inputs may suppose them before they are
/// proved: a few short runs seldom keep an equation by chance, whereas they keep all kinds of limits.
pub const EQUATIONS: &[Proposer] = &[equations::propose];

/// All proposers, in rounds: a later round is for loops of which the invariants of the earlier ones do not say enough.
pub const ROUNDS: &[&[Proposer]] = &[
    &[abstraction::propose],
    &[
        values::propose,
        signs::propose,
        monotone::propose,
        equations::propose,
        guards::propose,
        indices::propose,
        pointers::propose,
        stored::propose,
        strings::propose,
        arrays::propose,
    ],
    &[intervals::propose, differences::propose, parity::propose, preconditions::propose],
    &[traces::propose],
    &[cases::propose, cases::phases, wrapping::propose, differences::slopes],
    &[preserved::propose],
    &[equations::quadratic],
];
