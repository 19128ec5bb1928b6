//! Remainders: a number leaves the same remainder as at entry by the step with which the loop changes it (LoopFrog,
//! section 4.1: equality modulo a constant).

use evidence::expression::constant;
use evidence::{Formula, Integer};

use super::numbers::{Variable, changed, seen};
use crate::linear::{InEvidence, greatest_common};
use crate::view::View;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    for variable in changed(view) {
        for modulus in moduli(view, &variable) {
            candidates.push(same_remainder(&variable, modulus));
        }
    }
}

/// That a variable leaves the same remainder as at entry.
fn same_remainder(variable: &Variable<'_>, modulus: i128) -> Formula {
    let divisor = Integer::from(modulus);
    match variable.entry.known() {
        Some(entry) => variable.expression().remainder(divisor).equals(constant(entry.rem_euclid(modulus))),
        None => (&variable.now - &variable.entry).expression().remainder(divisor).equals(0),
    }
}

/// By what a variable may leave the same remainder: the greatest common divisor of its steps, and what runs show.
fn moduli(view: &View<'_>, variable: &Variable<'_>) -> Vec<i128> {
    let mut moduli = Vec::new();
    let steps = view.code.steps(variable.number.variable, &variable.now);
    let changes = seen(view, &(&variable.now - &variable.entry));
    for numbers in [steps, changes].into_iter().flatten() {
        let divisor =
            numbers.iter().fold(0u128, |divisor, step| greatest_common(divisor, step.unsigned_abs()));
        if (2..=1 << 20).contains(&divisor) && !moduli.contains(&(divisor as i128)) {
            moduli.push(divisor as i128);
        }
    }
    moduli
}
