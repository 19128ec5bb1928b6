//! From one description of a cone to the other: the algorithm of Chernikova with the improvements of Le Verge.
//!
//! A cone is described by constraints (equations and inequalities with zero) and by generators (lines and rays). The two
//! are alike: the constraints generate the dual cone. So one procedure serves both ways. It takes new members of the
//! *source* one by one, and keeps the *target* the set of extreme rays (H. Le Verge, *A note on Chernikova's algorithm*,
//! 1992, section 3):
//!
//! ```text
//! a line that crosses the new plane      becomes a ray, and pulls all others into the plane
//! otherwise rays are inside (+), in the plane (0) or outside (-); outside ones go away,
//! and each pair of adjacent rays (+, -) gives a new one in the plane
//! ```
//!
//! Two rays are adjacent if no third one saturates all source members that both saturate. Bits say which do *not*, so that
//! the common ones are a union and the test is inclusion.

use std::cmp::Ordering;

use logic::numbers::Compact;

use super::bits::BitMatrix;
use super::minimise;
use super::row::Row;

/// One description of a cone: equations and inequalities, or lines and rays.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Side {
    /// Equations, or lines.
    pub lines: Vec<Row>,
    /// Inequalities, or rays.
    pub rays: Vec<Row>,
}

impl Side {
    /// All rows, and whether each is a line.
    pub fn rows(&self) -> impl Iterator<Item = (&Row, bool)> {
        let lines = self.lines.iter().map(|row| (row, true));
        lines.chain(self.rays.iter().map(|row| (row, false)))
    }
}

/// A row of large numbers counts for so many more rows, since that is what its arithmetic costs.
const LARGE_ROWS: usize = 8;

/// A description would become larger than it is allowed to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// Both descriptions of a cone. The bits have a row for each ray of the target and a column for each ray of the source,
/// and are set where the one does not saturate the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The description that grows.
    pub source: Side,
    /// The description that follows.
    pub target: Side,
    /// Which rays of the target do not saturate which rays of the source.
    pub bits: BitMatrix,
}

impl Pair {
    /// Adds lines and rays to the source. Both descriptions are minimal and in normal form afterwards. `None` if nothing
    /// changes.
    pub fn extended(&self, lines: &[Row], rays: &[Row], limit: usize) -> Result<Option<Self>, TooLarge> {
        extended((&self.source, &self.target, &self.bits), lines, rays, limit)
    }

    /// Adds lines and rays to the target, as [`Pair::extended`] does to the source.
    pub fn extended_target(
        &self,
        lines: &[Row],
        rays: &[Row],
        limit: usize,
    ) -> Result<Option<Self>, TooLarge> {
        let bits = self.bits.transposed(self.source.rays.len());
        let extended = extended((&self.target, &self.source, &bits), lines, rays, limit)?;
        Ok(extended.map(|Self { source, target, bits }| {
            let bits = bits.transposed(source.rays.len());
            Self { source: target, target: source, bits }
        }))
    }
}

fn extended(
    (source, target, bits): (&Side, &Side, &BitMatrix),
    lines: &[Row],
    rays: &[Row],
    limit: usize,
) -> Result<Option<Pair>, TooLarge> {
    let mut conversion = Conversion {
        lines: target.lines.clone(),
        rays: target.rays.clone(),
        bits: bits.selected(0..target.rays.len(), source.rays.len() + rays.len()),
        equations: source.lines.len(),
        used: source.rays.len(),
        limit,
    };
    let mut grown: Option<Side> = None;
    for (row, is_line) in lines.iter().map(|row| (row, true)).chain(rays.iter().map(|row| (row, false))) {
        if conversion.cut(row, is_line)? {
            let grown = grown.get_or_insert_with(|| source.clone());
            if is_line { &mut grown.lines } else { &mut grown.rays }.push(row.clone());
        }
    }
    Ok(grown.map(|source| {
        let Conversion { lines, rays, bits, .. } = conversion;
        let mut pair = Pair { source, target: Side { lines, rays }, bits };
        minimise::drop_redundant(&mut pair);
        minimise::normalise(&mut pair);
        pair
    }))
}

/// The target while the source grows.
struct Conversion {
    lines: Vec<Row>,
    rays: Vec<Row>,
    bits: BitMatrix,
    /// How many lines the source has.
    equations: usize,
    /// How many rays the source has.
    used: usize,
    /// How many rays the target may have.
    limit: usize,
}

impl Conversion {
    /// Cuts the target with one row of the source, and says whether that changed anything.
    fn cut(&mut self, row: &Row, is_equation: bool) -> Result<bool, TooLarge> {
        let is_new = match self.lines.iter().position(|line| line.side(row) != Ordering::Equal) {
            Some(at) => {
                self.cut_line(at, row, is_equation);
                true
            }
            None => self.cut_rays(row, is_equation)?,
        };
        if is_new {
            self.equations += usize::from(is_equation);
            self.used += usize::from(!is_equation);
        }
        Ok(is_new)
    }

    /// A line crosses the plane: everything else moves along it into the plane.
    fn cut_line(&mut self, at: usize, row: &Row, is_equation: bool) {
        let mut line = self.lines.remove(at);
        let mut slope = line.dot(row);
        if slope.is_negative() {
            (line, slope) = (line.negated(), slope.negated());
        }
        for other in self.lines[at..].iter_mut().chain(&mut self.rays) {
            let product = other.dot(row);
            if !product.is_zero() {
                *other = other.eliminated(&slope, &line, &product);
            }
        }
        if !is_equation {
            self.rays.push(line);
            self.bits.push_zeros();
            self.bits.set(self.rays.len() - 1, self.used);
        }
    }

    /// No line crosses the plane: rays outside are replaced by those where edges meet the plane.
    fn cut_rays(&mut self, row: &Row, is_equation: bool) -> Result<bool, TooLarge> {
        let products: Vec<Compact> = self.rays.iter().map(|ray| ray.dot(row)).collect();
        let at_side = |side: Ordering| -> Vec<usize> {
            (0..products.len()).filter(|at| products[*at].sign() == side).collect()
        };
        let (inside, outside) = (at_side(Ordering::Greater), at_side(Ordering::Less));
        if outside.is_empty() && (!is_equation || inside.is_empty()) {
            return Ok(false);
        }
        let keeps = |at: &usize| match products[*at].sign() {
            Ordering::Less => false,
            Ordering::Equal => true,
            Ordering::Greater => !is_equation,
        };
        let kept: Vec<usize> = (0..products.len()).filter(keeps).collect();
        let room = self.limit.checked_sub(kept.len()).ok_or(TooLarge)?;
        let pairs = self.adjacent_pairs(&inside, &outside, room)?;

        let mut bits = self.bits.selected(kept.iter().copied(), self.bits.columns());
        for (at, old) in kept.iter().enumerate() {
            if products[*old].sign() == Ordering::Greater {
                bits.set(at, self.used);
            }
        }
        let mut fresh = Vec::with_capacity(pairs.len());
        let mut union = vec![0; self.bits.row(0).len()];
        for (plus, minus) in pairs {
            fresh.push(self.rays[plus].eliminated(
                &products[minus].negated(),
                &self.rays[minus],
                &products[plus].negated(),
            ));
            self.unite(plus, minus, &mut union);
            bits.push(&union);
        }
        let mut at = 0;
        self.rays.retain(|_| {
            at += 1;
            keeps(&(at - 1))
        });
        self.rays.append(&mut fresh);
        self.bits = bits;
        let large = self.rays.iter().filter(|ray| ray.is_large()).count();
        if self.rays.len() + large * LARGE_ROWS > self.limit { Err(TooLarge) } else { Ok(true) }
    }

    /// The pairs of an inside and an outside ray that span a face of two dimensions.
    fn adjacent_pairs(
        &self,
        inside: &[usize],
        outside: &[usize],
        room: usize,
    ) -> Result<Vec<(usize, usize)>, TooLarge> {
        let mut pairs = Vec::new();
        let Some(first) = self.rays.first() else { return Ok(pairs) };
        // A face of two dimensions saturates so many independent members of the source.
        let needed = (first.width() - self.lines.len()).saturating_sub(2 + self.equations);
        let most = self.used.saturating_sub(needed) as u32;
        let mut union = vec![0; self.bits.row(0).len()];
        for plus in inside {
            for minus in outside {
                self.unite(*plus, *minus, &mut union);
                let size: u32 = union.iter().map(|word| word.count_ones()).sum();
                if size <= most && self.are_alone(&union) {
                    pairs.push((*plus, *minus));
                    if pairs.len() > room {
                        return Err(TooLarge);
                    }
                }
            }
        }
        Ok(pairs)
    }

    /// Whether only two rays, the ones that the union was made of, are within it.
    fn are_alone(&self, union: &[u64]) -> bool {
        let words = self.bits.words();
        let mut within = 0;
        if let [union] = union {
            for chunk in words.chunks(32) {
                within += chunk.iter().map(|word| usize::from(word & !union == 0)).sum::<usize>();
                if within > 2 {
                    return false;
                }
            }
            return true;
        }
        for row in words.chunks_exact(union.len()) {
            within += usize::from(row.iter().zip(union).all(|(part, whole)| part & !whole == 0));
            if within > 2 {
                return false;
            }
        }
        true
    }

    fn unite(&self, left: usize, right: usize, union: &mut [u64]) {
        for ((word, a), b) in union.iter_mut().zip(self.bits.row(left)).zip(self.bits.row(right)) {
            *word = a | b;
        }
    }
}
