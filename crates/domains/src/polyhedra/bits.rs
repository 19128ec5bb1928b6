//! Rectangles of bits: which rays of a cone lie strictly inside of which inequalities.

/// Rows of bits, all of the same length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitMatrix {
    /// How many words a row takes.
    stride: usize,
    rows: usize,
    words: Vec<u64>,
}

impl BitMatrix {
    /// A number of rows of zeros.
    pub fn new(rows: usize, columns: usize) -> Self {
        let stride = columns.div_ceil(64).max(1);
        Self { stride, rows, words: vec![0; rows * stride] }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The words of a row.
    #[inline]
    pub fn row(&self, at: usize) -> &[u64] {
        &self.words[at * self.stride..][..self.stride]
    }

    /// All rows, one after the other.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Whether a bit is set.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> bool {
        self.words[row * self.stride + column / 64] >> (column % 64) & 1 == 1
    }

    /// Sets a bit.
    #[inline]
    pub fn set(&mut self, row: usize, column: usize) {
        self.words[row * self.stride + column / 64] |= 1 << (column % 64);
    }

    /// Adds a row of as many words as the others have.
    pub fn push(&mut self, row: &[u64]) {
        self.words.extend_from_slice(&row[..self.stride]);
        self.rows += 1;
    }

    /// Adds a row of zeros.
    pub fn push_zeros(&mut self) {
        self.words.resize(self.words.len() + self.stride, 0);
        self.rows += 1;
    }

    /// How many columns there is room for.
    pub fn columns(&self) -> usize {
        self.stride * 64
    }

    /// The number of bits of a row that are set.
    pub fn count(&self, row: usize) -> u32 {
        self.row(row).iter().map(|word| word.count_ones()).sum()
    }

    /// Whether all bits of a row are set in words, too.
    #[inline]
    pub fn is_within(&self, row: usize, words: &[u64]) -> bool {
        self.row(row).iter().zip(words).all(|(part, whole)| part & !whole == 0)
    }

    /// Some rows, in the given order, with room for a number of columns.
    pub fn selected(&self, rows: impl Iterator<Item = usize>, columns: usize) -> Self {
        let mut selected = Self::new(0, columns);
        for at in rows {
            let row = self.row(at);
            let shared = selected.stride.min(self.stride);
            selected.words.extend_from_slice(&row[..shared]);
            selected.words.resize(selected.words.len() + selected.stride - shared, 0);
            selected.rows += 1;
        }
        selected
    }

    /// Rows become columns, and the first columns become rows.
    pub fn transposed(&self, columns: usize) -> Self {
        let mut transposed = Self::new(columns, self.rows);
        for row in 0..self.rows {
            for (at, word) in self.row(row).iter().enumerate() {
                let mut rest = *word;
                while rest != 0 {
                    let column = at * 64 + rest.trailing_zeros() as usize;
                    if column < columns {
                        transposed.set(column, row);
                    }
                    rest &= rest - 1;
                }
            }
        }
        transposed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_where_they_were_set() {
        let mut bits = BitMatrix::new(3, 70);
        bits.set(1, 69);
        bits.set(1, 3);
        bits.set(2, 3);
        assert!(bits.get(1, 69) && !bits.get(0, 69));
        assert!(bits.is_within(2, bits.row(1)) && !bits.is_within(1, bits.row(2)));
        assert_eq!(bits.count(1), 2);
        let turned = bits.transposed(70);
        assert!(turned.get(69, 1) && turned.get(3, 1) && turned.get(3, 2) && !turned.get(69, 2));
        assert_eq!(bits.transposed(4).rows(), 4);
        let wide = bits.selected([2, 1].into_iter(), 200);
        assert!(wide.get(1, 69) && wide.get(0, 3) && wide.rows() == 2);
    }
}
