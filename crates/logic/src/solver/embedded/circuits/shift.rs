//! Shifts by an unknown distance: one row of choices for each bit of the distance.

use super::{Bits, Gates, Literal};

/// Where bits move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Towards the highest bit.
    Left,
    /// Towards the lowest bit.
    Right,
}

/// The bits moved by a distance, with a filling that comes in from the other end.
pub(crate) fn shift(
    gates: &mut Gates,
    bits: &[Literal],
    distance: &[Literal],
    direction: Direction,
    filling: Literal,
) -> Bits {
    let width = bits.len();
    let mut result = bits.to_vec();
    let mut beyond = Literal::FALSE;
    for (index, &bit) in distance.iter().enumerate() {
        let by = 1usize.checked_shl(index as u32).filter(|by| *by < width);
        let Some(by) = by else {
            beyond = gates.or(beyond, bit);
            continue;
        };
        let moved = |position: usize| {
            let from = match direction {
                Direction::Left => position.checked_sub(by),
                Direction::Right => Some(position + by),
            };
            from.and_then(|from| result.get(from).copied()).unwrap_or(filling)
        };
        result = (0..width).map(|position| gates.ite(bit, moved(position), result[position])).collect();
    }
    result.iter().map(|bit| gates.ite(beyond, filling, *bit)).collect()
}
