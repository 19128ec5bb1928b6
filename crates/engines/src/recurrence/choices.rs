//! Guesses at how the environment chooses inputs so that passes go on: constants first, then numbers of the state.

use std::collections::BTreeSet;

use certify::recurrence::Pass;
use evidence::{Expression, Formula, Integer};
use program::Type;

use super::candidates::now;

/// Constants that are tried for all inputs.
const CONSTANTS: [i64; 7] = [1, 0, -1, 2, 3, 10, 100];

/// How many mixtures are tried.
const MIXTURES: usize = 60;

/// Choices for all inputs of the passes, those that were seen in a run first.
pub(super) fn proposals(pass: &Pass<'_>, tested: &[Formula]) -> Vec<Vec<Expression>> {
    let inputs = pass.inputs();
    if inputs.is_empty() {
        return vec![Vec::new()];
    }
    let mut numbers: Vec<Expression> = CONSTANTS.iter().map(|&number| Expression::from(number)).collect();
    numbers.extend(constants(tested).into_iter().take(12).map(Expression::Constant));
    let mut all: Vec<Vec<Expression>> =
        numbers.iter().map(|number| vec![number.clone(); inputs.len()]).collect();
    let changing = (0..pass.parts().len()).filter(|&part| pass.parts()[part].changes).take(8);
    for part in changing {
        let part = now(pass, part);
        numbers.extend([part.clone(), part.clone() + 1, part.clone() - 1, -part]);
    }
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..MIXTURES {
        let choice = inputs.iter().map(|(_, ty)| {
            // Steele, Lea and Flood's SplitMix64 (OOPSLA 2014).
            random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (random ^ random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            let few = if *ty == Type::Bool { 2 } else { numbers.len() };
            numbers[((mixed ^ mixed >> 31) % few as u64) as usize].clone()
        });
        let choice: Vec<Expression> = choice.collect();
        if !all.contains(&choice) {
            all.push(choice);
        }
    }
    all
}

/// The constants in some conditions, and their neighbours.
fn constants(tested: &[Formula]) -> BTreeSet<Integer> {
    let mut found = BTreeSet::new();
    for formula in tested {
        if let Formula::Compare { left, right, .. } = formula {
            for side in [left, right] {
                if let Expression::Constant(number) = side {
                    found.extend([number.clone(), number + Integer::ONE, number - Integer::ONE]);
                }
            }
        }
    }
    found
}
