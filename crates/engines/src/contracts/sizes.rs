//! How large the objects must be that pointers lead to: what explains how far they were followed.

use std::collections::BTreeSet;

use evidence::Expression;
use evidence::expression::constant;

use super::sampling::{LARGE, Row};

/// A size is a multiple of a number and no more than this.
const MOST_ADDED: i128 = 64;

/// The sizes that elements usually have.
const USUAL: [i128; 4] = [1, 2, 4, 8];

/// A number explains a size only if so many different ones were seen.
const DIFFERENT: usize = 3;

/// What is guessed of an object.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Size {
    /// It has so many bytes.
    pub bytes: Expression,
    /// It holds a string.
    pub terminated: bool,
}

/// A guess, with what it allows beyond what was seen.
struct Candidate {
    size: Size,
    /// The bytes that it has and that were not needed, in all rows.
    slack: i128,
    /// How much there is to read.
    length: usize,
}

/// How large an object is as far as rows show: the guesses that explain them best come first.
pub(super) fn sizes(
    numbers: &[Expression],
    rows: &[Row],
    object: usize,
    strides: &BTreeSet<u64>,
) -> Vec<Size> {
    let extents: Vec<(&Row, i128)> =
        rows.iter().filter_map(|row| Some((row, i128::from(*row.extents.as_ref()?.get(object)?)))).collect();
    let Some(most) = extents.iter().map(|(_, extent)| *extent).max() else { return Vec::new() };
    let mut found = Vec::new();
    let mut add =
        |bytes: Expression, terminated: bool, length: usize, size: &dyn Fn(&Row) -> Option<i128>| {
            let slacks = extents.iter().map(|(row, extent)| Some((size(row)?.max(0) - extent, *extent)));
            let Some(slacks) = slacks.collect::<Option<Vec<_>>>() else { return };
            if slacks.iter().all(|(slack, _)| *slack >= 0) {
                // Where nothing was needed, nothing is known.
                let needed = slacks.iter().filter(|(_, extent)| *extent > 0);
                let slack = needed.fold(0i128, |sum, (slack, _)| sum.saturating_add(*slack));
                found.push(Candidate { size: Size { bytes, terminated }, slack, length });
            }
        };
    add(constant(most), false, 0, &|_| Some(most));
    let different: BTreeSet<i128> = extents.iter().map(|(_, extent)| *extent).collect();
    if different.len() >= DIFFERENT {
        add(constant(0), true, 1, &|row| Some(i128::from(row.ends[object]?) + 1));
        let strides: BTreeSet<i128> = strides.iter().map(|&one| one.into()).chain(USUAL).collect();
        for (place, number) in numbers.iter().enumerate() {
            for &stride in &strides {
                let factor = |row: &Row| stride.saturating_mul(row.numbers[place]);
                if let Some(added) = added(&extents, &factor) {
                    let bytes = sum(number, stride, added);
                    add(bytes, false, 2 + usize::from(added != 0), &|row| {
                        Some(factor(row).saturating_add(added))
                    });
                }
                for (other, second) in numbers.iter().enumerate().skip(place) {
                    let factor = |row: &Row| factor(row).saturating_mul(row.numbers[other]);
                    let bytes = Expression::Product(vec![constant(stride), number.clone(), second.clone()]);
                    add(bytes, false, 6, &|row| Some(factor(row)));
                }
            }
        }
    }
    found.sort_by_key(|candidate| (candidate.slack, candidate.length));
    found.into_iter().map(|candidate| candidate.size).collect()
}

/// What must be added to a multiple of a number, so that it is enough wherever anything was needed.
fn added(extents: &[(&Row, i128)], factor: &dyn Fn(&Row) -> i128) -> Option<i128> {
    let needed = extents.iter().filter(|(_, extent)| *extent > 0);
    let added = needed.map(|(row, extent)| extent.saturating_sub(factor(row))).max()?;
    (added.saturating_abs() <= MOST_ADDED && i128::from(LARGE) > added).then_some(added)
}

/// A multiple of a number, and something more.
fn sum(number: &Expression, stride: i128, added: i128) -> Expression {
    let multiple = match stride {
        1 => number.clone(),
        _ => Expression::Product(vec![constant(stride), number.clone()]),
    };
    match added {
        0 => multiple,
        _ => Expression::Sum(vec![multiple, constant(added)]),
    }
}
