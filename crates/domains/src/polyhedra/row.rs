//! Integer vectors up to a positive factor: the rows of both descriptions of a polyhedron.
//!
//! A row is divided by the greatest common divisor of its entries. Nearly all rows consist of small numbers; they are
//! words, small enough that the scalar product of two of them fits into two words. A row with one larger number is made
//! of exact integers as a whole. The form of a row is unique.

use std::borrow::Cow;
use std::cmp::Ordering;

use logic::numbers::Compact;
use logic::numbers::compact::gcd_words;
use smallvec::{SmallVec, smallvec};

/// The words of a row are at most this far from zero. Products have at most 112 bits then, and a sum of as many of
/// them as a row has entries (less than 2^15) fits into 128 bits.
const LARGEST: u64 = 1 << 56;

/// An integer vector without a common divisor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row(Form);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Form {
    Words(Small),
    Large(Box<[Compact]>),
}

use Form::{Large, Words};

/// Rows of a few numbers need no memory of their own.
type Small = SmallVec<[i64; 8]>;

impl Row {
    /// A row that points in the direction of a vector.
    pub fn new(mut entries: Vec<Compact>) -> Self {
        let mut divisor = Compact::ZERO;
        for entry in &entries {
            divisor = divisor.gcd(entry);
            if divisor.is_one() {
                break;
            }
        }
        if !divisor.is_zero() && !divisor.is_one() {
            entries.iter_mut().for_each(|entry| *entry = entry.divided_exactly(&divisor));
        }
        let small = |entry: &Compact| entry.as_word().filter(|word| word.unsigned_abs() <= LARGEST);
        match entries.iter().map(small).collect() {
            Some(words) => Row(Words(words)),
            None => Row(Large(entries.into_boxed_slice())),
        }
    }

    /// A row that points in the direction of a vector of words.
    pub fn from_words(words: impl Into<Small>) -> Self {
        let words = words.into();
        if words.iter().all(|word| word.unsigned_abs() <= LARGEST) {
            Self::reduced(words)
        } else {
            Self::new(words.into_iter().map(Compact::from).collect())
        }
    }

    /// The row that is one at a place, and zero elsewhere.
    pub fn unit(width: usize, at: usize) -> Self {
        let mut words: Small = smallvec![0; width];
        words[at] = 1;
        Row(Words(words))
    }

    /// The number of entries.
    pub fn width(&self) -> usize {
        match &self.0 {
            Words(words) => words.len(),
            Large(numbers) => numbers.len(),
        }
    }

    /// An entry.
    pub fn get(&self, at: usize) -> Compact {
        match &self.0 {
            Words(words) => Compact::from(words[at]),
            Large(numbers) => numbers[at].clone(),
        }
    }

    /// Whether there are numbers in it that make computations slow.
    pub fn is_large(&self) -> bool {
        matches!(self.0, Large(_))
    }

    /// All entries.
    pub fn entries(&self) -> Vec<Compact> {
        (0..self.width()).map(|at| self.get(at)).collect()
    }

    /// Whether an entry is less than, equal to or greater than zero.
    #[inline]
    pub fn sign(&self, at: usize) -> Ordering {
        match &self.0 {
            Words(words) => words[at].cmp(&0),
            Large(numbers) => numbers[at].sign(),
        }
    }

    /// Whether an entry is zero.
    #[inline]
    pub fn is_zero_at(&self, at: usize) -> bool {
        self.sign(at) == Ordering::Equal
    }

    /// The last place that is not zero.
    pub fn last(&self) -> Option<usize> {
        (0..self.width()).rev().find(|at| !self.is_zero_at(*at))
    }

    /// The opposite direction.
    pub fn negated(&self) -> Self {
        match &self.0 {
            Words(words) => Row(Words(words.iter().map(|word| -word).collect())),
            Large(numbers) => Row(Large(numbers.iter().map(Compact::negated).collect())),
        }
    }

    /// The scalar product.
    #[inline]
    pub fn dot(&self, other: &Self) -> Compact {
        if let (Words(left), Words(right)) = (&self.0, &other.0) {
            let products = left.iter().zip(right.iter()).map(|(a, b)| i128::from(*a) * i128::from(*b));
            return Compact::from(products.sum::<i128>());
        }
        let mut sum = Compact::ZERO;
        for at in (0..self.width()).filter(|at| !self.is_zero_at(*at) && !other.is_zero_at(*at)) {
            sum = sum.eliminated(&Compact::ONE, &self.entry(at), &other.entry(at));
        }
        sum.negated()
    }

    /// The sign of the scalar product.
    #[inline]
    pub fn side(&self, other: &Self) -> Ordering {
        if let (Words(left), Words(right)) = (&self.0, &other.0) {
            let products = left.iter().zip(right.iter()).map(|(a, b)| i128::from(*a) * i128::from(*b));
            return products.sum::<i128>().cmp(&0);
        }
        self.dot(other).sign()
    }

    /// `self * by - other * times`, divided by what the entries have in common.
    pub fn eliminated(&self, by: &Compact, other: &Self, times: &Compact) -> Self {
        let common = by.gcd(times);
        let reduced = |factor: &Compact| {
            if common.is_one() || common.is_zero() { factor.clone() } else { factor.divided_exactly(&common) }
        };
        let (by, times) = (reduced(by), reduced(times));
        if let (Words(left), Words(right), Some(a), Some(b)) =
            (&self.0, &other.0, by.as_word(), times.as_word())
            && let Some(words) = eliminated_words(left, a, right, b)
        {
            return Self::from_words(words);
        }
        let entries = (0..self.width()).map(|at| self.entry(at).eliminated(&by, &other.entry(at), &times));
        Self::new(entries.collect())
    }

    /// The row with another number at one place, divided by what the entries have in common.
    pub fn with_entry(&self, at: usize, entry: Compact) -> Self {
        if let (Words(words), Some(entry)) = (&self.0, entry.as_word()) {
            let mut words = words.clone();
            words[at] = entry;
            return Self::from_words(words);
        }
        let mut entries = self.entries();
        entries[at] = entry;
        Self::new(entries)
    }

    /// The places in the given order, where `None` is zero.
    pub fn rearranged(&self, places: &[Option<usize>]) -> Self {
        match &self.0 {
            Words(words) => {
                Self::reduced(places.iter().map(|place| place.map_or(0, |place| words[place])).collect())
            }
            Large(_) => {
                let entry = |place: &Option<usize>| place.map_or(Compact::ZERO, |place| self.get(place));
                Self::new(places.iter().map(entry).collect())
            }
        }
    }

    /// The greatest common divisor of all entries but the first.
    pub fn content(&self) -> Compact {
        match &self.0 {
            Words(words) => Compact::from(i128::from(divisor(&words[1..]))),
            Large(numbers) => numbers[1..].iter().fold(Compact::ZERO, |divisor, entry| divisor.gcd(entry)),
        }
    }

    /// `self * by - other * times` with another number at one place, divided by what the entries have in common.
    pub fn eliminated_with(
        &self,
        by: &Compact,
        other: &Self,
        times: &Compact,
        at: usize,
        entry: Compact,
    ) -> Self {
        if let (Words(left), Words(right), Some(a), Some(b), Some(entry)) =
            (&self.0, &other.0, by.as_word(), times.as_word(), entry.as_word())
            && let Some(mut words) = eliminated_words(left, a, right, b)
        {
            words[at] = entry;
            return Self::from_words(words);
        }
        let entries = (0..self.width()).map(|at| self.entry(at).eliminated(by, &other.entry(at), times));
        let mut entries: Vec<Compact> = entries.collect();
        entries[at] = entry;
        Self::new(entries)
    }

    fn entry(&self, at: usize) -> Cow<'_, Compact> {
        match &self.0 {
            Words(words) => Cow::Owned(Compact::from(words[at])),
            Large(numbers) => Cow::Borrowed(&numbers[at]),
        }
    }

    /// The row of small words, divided by what they have in common.
    fn reduced(mut words: Small) -> Self {
        let divisor = divisor(&words);
        if divisor > 1 {
            let divisor = divisor as i64;
            words.iter_mut().filter(|word| **word != 0).for_each(|word| *word /= divisor);
        }
        Row(Words(words))
    }
}

/// `left * by - right * times`, if no entry needs more than a word.
fn eliminated_words(left: &[i64], by: i64, right: &[i64], times: i64) -> Option<Small> {
    let (by, times) = (i128::from(by), i128::from(times));
    let mut words = Small::with_capacity(left.len());
    let mut is_short = true;
    for (a, b) in left.iter().zip(right) {
        let entry = i128::from(*a) * by - i128::from(*b) * times;
        is_short &= i128::from(entry as i64) == entry;
        words.push(entry as i64);
    }
    is_short.then_some(words)
}

/// The greatest common divisor of words.
fn divisor(words: &[i64]) -> u64 {
    let mut divisor = 0;
    for word in words {
        if *word != 0 {
            divisor = gcd_words(divisor, word.unsigned_abs());
            if divisor == 1 {
                break;
            }
        }
    }
    divisor
}

impl PartialOrd for Row {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By the entries, the first one first.
impl Ord for Row {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (Words(left), Words(right)) = (&self.0, &other.0) {
            return left.cmp(right);
        }
        self.entries().cmp(&other.entries())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_no_common_divisor() {
        assert_eq!(Row::from_words(vec![4, -6, 0]), Row::from_words(vec![2, -3, 0]));
        let large = Compact::from(1i128 << 90);
        let twice = Compact::from(1i128 << 91);
        assert_eq!(Row::new(vec![large, twice]), Row::from_words(vec![1, 2]));
        assert_eq!(Row::from_words(vec![6, 4, -10]).content(), Compact::from(1i64));
        assert_eq!(Row::from_words(vec![3, 4, -10]).content(), Compact::from(2i64));
    }

    #[test]
    fn words_and_large_numbers_agree() {
        let scale = Compact::from(1i128 << 70);
        let small = Row::from_words(vec![1, -2, 3]);
        let other = Row::from_words(vec![0, 5, 7]);
        let large = small.eliminated(&scale, &other, &Compact::ONE);
        assert_eq!(large.get(1), Compact::from(-(2i128 << 70) - 5));
        let back = large.eliminated(&Compact::ONE, &other, &Compact::ONE.negated());
        assert_eq!(back, small);
        assert_eq!(large.dot(&small), Compact::from((14i128 << 70) - 11));
        assert_eq!(large.side(&small), Ordering::Greater);
        assert!(large > small && small > small.negated());
    }

    #[test]
    fn places_can_be_rearranged() {
        let row = Row::from_words(vec![6, 3, 4]);
        assert_eq!(row.rearranged(&[Some(0), None, Some(1)]), Row::from_words(vec![2, 0, 1]));
        assert_eq!(row.last(), Some(2));
    }
}
