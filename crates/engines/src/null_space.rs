//! Equations that rows of numbers have in common, with exact numbers.

use logic::numbers::{Linear, Rational};

/// Coefficients beyond this are no plausible equation.
const LARGEST: i128 = 1 << 40;

/// A basis of the vectors `v` with `row · v = 0` for all rows, in whole numbers without a common divisor. Each vector has
/// a column of its own that no other one has, the later columns by preference. Vectors with large coefficients are left
/// out.
pub fn null_space<'a>(rows: impl IntoIterator<Item = &'a [i128]>, columns: usize) -> Vec<Vec<i128>> {
    // Rows in echelon form, each with the place of its first number that is not zero, which is one.
    let mut echelon: Vec<(usize, Vec<Rational>)> = Vec::new();
    for row in rows {
        let mut row: Vec<Rational> = row.iter().map(|&number| Rational::new(number, 1)).collect();
        for (pivot, other) in &echelon {
            subtract(&mut row, other, *pivot);
        }
        let Some(pivot) = row.iter().position(|number| !number.is_zero()) else { continue };
        let scale = row[pivot].reciprocal();
        row.iter_mut().for_each(|number| *number = &*number * &scale);
        for (_, other) in &mut echelon {
            subtract(other, &row, pivot);
        }
        echelon.push((pivot, row));
        if echelon.len() == columns {
            return Vec::new();
        }
    }
    let free = (0..columns).filter(|column| echelon.iter().all(|(pivot, _)| pivot != column));
    free.filter_map(|column| {
        let mut vector = vec![Rational::from(0); columns];
        vector[column] = Rational::from(1);
        for (pivot, row) in &echelon {
            vector[*pivot] = -row[column].clone();
        }
        whole(&vector)
    })
    .collect()
}

/// Takes a multiple of another row away so that nothing is left in a column.
fn subtract(row: &mut [Rational], other: &[Rational], column: usize) {
    let factor = row[column].clone();
    if factor.is_zero() {
        return;
    }
    let factor = -factor;
    for (number, other) in row.iter_mut().zip(other) {
        number.add_product(&factor, other);
    }
}

/// The vector times the least number that makes it whole.
fn whole(vector: &[Rational]) -> Option<Vec<i128>> {
    let factor = Linear::new(vector.iter().cloned().enumerate(), 0).primitive_factor();
    let scaled = |number: &Rational| (number * &factor).to_i128().filter(|whole| whole.abs() <= LARGEST);
    vector.iter().map(scaled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equations(rows: &[Vec<i128>]) -> Vec<Vec<i128>> {
        null_space(rows.iter().map(Vec::as_slice), rows[0].len())
    }

    #[test]
    fn lines_and_parabolas_are_found() {
        // x, y, 1 with y = 2x + 3.
        let line: Vec<Vec<i128>> = (0..5).map(|x| vec![x, 2 * x + 3, 1]).collect();
        assert_eq!(equations(&line), [[2, -1, 3]]);
        // s, i * i, i, 1 with 2s = i * (i - 1).
        let parabola: Vec<Vec<i128>> = (0..6).map(|i| vec![i * (i - 1) / 2, i * i, i, 1]).collect();
        assert_eq!(equations(&parabola), [[2, -1, 1, 0]]);
    }

    #[test]
    fn rows_without_equations_have_none() {
        let rows = vec![vec![1, 0], vec![1, 1]];
        assert!(equations(&rows).is_empty());
        assert_eq!(equations(&[vec![0, 0]]), [[1, 0], [0, 1]]);
    }
}
