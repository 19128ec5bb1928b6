//! The half of a difference-bound matrix over the values and the negated values of the coordinates, and its closures.
//!
//! Node `2k` stands for the coordinate `x_k` and node `2k + 1` for `-x_k`; the entry at `(i, j)` is an upper limit of
//! `v_i - v_j`. Since `v_i - v_j = v_(j^1) - v_(i^1)`, half of the entries say everything: the others are read in a mirror.
//!
//! ```text
//!          x0 -x0  x1 -x1
//!     x0 [  .   .         ]      row i has the columns 0 to i|1; the last dimension is at the end,
//!    -x0 [  .   .         ]      so that adding and removing dimensions moves nothing
//!     x1 [  .   .   .   . ]
//!    -x1 [  .   .   .   . ]
//! ```
//!
//! Shortest paths by Floyd and Warshall, two nodes at a time (Miné, The octagon abstract domain, 2006, section 3.4); then
//! tightening on integers and strengthening once at the end (Bagnara, Hill, Zaffanella, An improved tight closure algorithm
//! for integer octagonal constraints, 2008, section 4). Rows and columns without limits are skipped, so that the closure
//! costs no more than the parts that are related to each other.

use super::bound::Bound;

/// Limits of the differences of all pairs of nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Matrix {
    dimensions: usize,
    entries: Vec<Bound>,
}

/// There is no point that satisfies all limits.
pub(super) struct Empty;

fn length(dimensions: usize) -> usize {
    2 * dimensions * (dimensions + 1)
}

fn start(row: usize) -> usize {
    (row + 1) * (row + 1) / 2
}

fn place(i: usize, j: usize) -> usize {
    if j <= (i | 1) { start(i) + j } else { start(j ^ 1) + (i ^ 1) }
}

impl Matrix {
    /// No limits.
    pub fn top(dimensions: usize) -> Self {
        let mut matrix = Self { dimensions: 0, entries: Vec::with_capacity(length(dimensions)) };
        matrix.resize(dimensions);
        matrix
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub fn nodes(&self) -> usize {
        2 * self.dimensions
    }

    #[inline]
    pub fn at(&self, i: usize, j: usize) -> Bound {
        self.entries[place(i, j)]
    }

    #[inline]
    pub fn set(&mut self, i: usize, j: usize, bound: Bound) {
        self.entries[place(i, j)] = bound;
    }

    /// Twice the greatest value of a node is here.
    #[inline]
    pub fn unary(&self, node: usize) -> Bound {
        self.entries[start(node) + (node ^ 1)]
    }

    /// The greatest value of a node.
    #[inline]
    pub fn greatest(&self, node: usize) -> Bound {
        self.unary(node).half()
    }

    /// All entries that are stored, with their nodes.
    pub fn stored(&self) -> impl Iterator<Item = (usize, usize, Bound)> + '_ {
        (0..self.nodes())
            .flat_map(move |i| self.row(i).iter().enumerate().map(move |(j, bound)| (i, j, *bound)))
    }

    /// A row, as far as it is stored.
    pub fn row(&self, i: usize) -> &[Bound] {
        &self.entries[start(i)..start(i) + (i | 1) + 1]
    }

    /// The entries of two matrices side by side.
    pub fn pairs<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (Bound, Bound)> + 'a {
        debug_assert_eq!(self.dimensions, other.dimensions, "elements have the same dimensions");
        self.entries.iter().copied().zip(other.entries.iter().copied())
    }

    /// Entries made of the entries of two matrices.
    pub fn zipped(&self, other: &Self, mut entry: impl FnMut(Bound, Bound) -> Bound) -> Self {
        let entries = self.pairs(other).map(|(a, b)| entry(a, b)).collect();
        Self { dimensions: self.dimensions, entries }
    }

    /// Whether no limit is greater than that of the other matrix.
    pub fn is_within(&self, other: &Self) -> bool {
        self.pairs(other).all(|(a, b)| a <= b)
    }

    pub fn resize(&mut self, dimensions: usize) {
        let old = self.nodes();
        self.dimensions = dimensions;
        self.entries.resize(length(dimensions), Bound::INFINITE);
        for node in old..self.nodes() {
            self.set(node, node, Bound::ZERO);
        }
    }

    /// Takes away all limits of a coordinate: the columns of its nodes are their rows, in the mirror. A closed matrix stays
    /// closed.
    pub fn forget(&mut self, dimension: usize) {
        for node in [2 * dimension, 2 * dimension + 1] {
            for other in 0..self.nodes() {
                self.set(node, other, Bound::INFINITE);
            }
        }
        for node in [2 * dimension, 2 * dimension + 1] {
            self.set(node, node, Bound::ZERO);
        }
    }

    /// Limits a value without limits from above, and its negation. A closed matrix stays closed.
    pub fn bound_value(&mut self, dimension: usize, greatest: Bound, opposite: Bound) {
        for (node, most) in [(2 * dimension, greatest), (2 * dimension + 1, opposite)] {
            for other in (0..self.nodes()).filter(|other| other / 2 != dimension) {
                let limit = most.plus(self.greatest(other ^ 1));
                self.set(node, other, limit);
            }
            self.set(node, node ^ 1, most.double());
        }
    }

    /// Makes a coordinate without limits equal to the value of a node plus a number, or adds a number to the coordinate if
    /// the node is its own. A closed matrix stays closed.
    pub fn copy(&mut self, dimension: usize, from: usize, shift: Bound) {
        for (node, source, shift) in
            [(2 * dimension, from, shift), (2 * dimension + 1, from ^ 1, shift.opposite())]
        {
            for other in (0..self.nodes()).filter(|other| other / 2 != dimension) {
                let limit = self.at(source, other).plus(shift);
                self.set(node, other, limit);
            }
            let limit = self.unary(source).plus(shift.double());
            self.set(node, node ^ 1, limit);
        }
    }

    /// Changes the sign of a coordinate. A closed matrix stays closed.
    pub fn negate(&mut self, dimension: usize) {
        let node = 2 * dimension;
        for other in (0..self.nodes()).filter(|other| other / 2 != dimension) {
            let (positive, negative) = (self.at(node, other), self.at(node ^ 1, other));
            self.set(node, other, negative);
            self.set(node ^ 1, other, positive);
        }
        let (positive, negative) = (self.unary(node), self.unary(node ^ 1));
        self.set(node, node ^ 1, negative);
        self.set(node ^ 1, node, positive);
    }

    /// Adds the limit `v_i - v_j <= bound` to a closed matrix, which is closed again: a shortest path takes the new edge and
    /// its mirror at most once each.
    pub fn add(&mut self, i: usize, j: usize, bound: Bound) -> Result<(), Empty> {
        if bound >= self.at(i, j) {
            return Ok(());
        }
        let mut paths = Paths::default();
        paths.lead_over(self, i, j, bound);
        self.relax(&paths);
        self.finish()
    }

    /// Gives a coordinate without limits those of `v_i - v_j` for its two nodes `i` and all nodes `j`; where `j` is a node of
    /// the coordinate itself, the limit is that of twice the value of `i`. A closed matrix is closed again: the ways
    /// between the other nodes are the shortest ones, and only those through the new nodes are to be found.
    pub fn attach(&mut self, dimension: usize, limits: &[Vec<Bound>; 2]) -> Result<(), Empty> {
        for (node, limits) in [2 * dimension, 2 * dimension + 1].into_iter().zip(limits) {
            let mut row = limits.clone();
            for (k, way) in limits.iter().enumerate().filter(|(k, way)| k / 2 != dimension && way.is_finite())
            {
                for (j, entry) in row.iter_mut().enumerate() {
                    *entry = (*entry).min(way.plus(self.at(k, j)));
                }
            }
            let twice = (0..row.len()).filter(|k| k / 2 != dimension).map(|k| row[k].plus(row[k ^ 1]));
            let twice = twice.chain([limits[node ^ 1]]).min().unwrap_or(Bound::INFINITE);
            for j in (0..row.len()).filter(|j| j / 2 != dimension) {
                self.set(node, j, row[j]);
            }
            self.set(node, node ^ 1, twice);
        }
        let mut paths = Paths::default();
        paths.lead_over(self, 2 * dimension, 2 * dimension, Bound::ZERO);
        self.relax(&paths);
        self.finish()
    }

    /// The least limits that follow from all of them on the integers.
    pub fn close(&mut self) -> Result<(), Empty> {
        let mut paths = Paths::default();
        for dimension in 0..self.dimensions {
            paths.lead_over(self, 2 * dimension, 2 * dimension, Bound::ZERO);
            self.relax(&paths);
        }
        self.finish()
    }

    /// Shortens all distances by paths that go from `sources` to `targets` or from `back` to `mirrored`.
    fn relax(&mut self, paths: &Paths) {
        for i in 0..self.nodes() {
            let (first, second) = (paths.sources[i], paths.back[i]);
            if !first.is_finite() && !second.is_finite() {
                continue;
            }
            let row = &mut self.entries[start(i)..start(i) + (i | 1) + 1];
            if paths.columns.len() * 2 < paths.targets.len() {
                let length = row.len();
                for j in paths.columns.iter().copied().take_while(|j| *j < length) {
                    let shorter = first.plus(paths.targets[j]).min(second.plus(paths.mirrored[j]));
                    row[j] = row[j].min(shorter);
                }
            } else {
                for ((entry, target), mirrored) in row.iter_mut().zip(&paths.targets).zip(&paths.mirrored) {
                    *entry = (*entry).min(first.plus(*target)).min(second.plus(*mirrored));
                }
            }
        }
    }

    /// From shortest paths to the closure on the integers: the values are rounded down, and two values limit their
    /// difference. The difference of a value and its opposite is twice the value, and is rounded by this, too.
    fn finish(&mut self) -> Result<(), Empty> {
        if (0..self.nodes()).any(|node| self.at(node, node).is_negative()) {
            return Err(Empty);
        }
        let greatest: Vec<Bound> = (0..self.nodes()).map(|node| self.greatest(node)).collect();
        for (i, most) in greatest.iter().enumerate().filter(|(_, most)| most.is_finite()) {
            if most.plus(greatest[i ^ 1]).is_negative() {
                return Err(Empty);
            }
            let row = &mut self.entries[start(i)..start(i) + (i | 1) + 1];
            for (j, entry) in row.iter_mut().enumerate() {
                *entry = (*entry).min(most.plus(greatest[j ^ 1]));
            }
        }
        Ok(())
    }
}

/// The lengths of the ways to and from an edge and its mirror.
#[derive(Default)]
struct Paths {
    /// To the end of the edge, which is on the way.
    sources: Vec<Bound>,
    /// To the end of its mirror.
    back: Vec<Bound>,
    /// From the end of the edge.
    targets: Vec<Bound>,
    /// From the end of its mirror.
    mirrored: Vec<Bound>,
    /// The nodes that a path can lead to.
    columns: Vec<usize>,
}

impl Paths {
    /// Finds the ways over an edge from `i` to `j` of a length, over its mirror from `j^1` to `i^1`, and over both of them. An
    /// edge from a node to itself of length zero gives the ways through that node and its mirror.
    fn lead_over(&mut self, matrix: &Matrix, i: usize, j: usize, length: Bound) {
        let nodes = 0..matrix.nodes();
        self.sources.clear();
        self.sources.extend(nodes.clone().map(|p| matrix.at(p, i)));
        self.targets.clear();
        self.targets.extend(nodes.clone().map(|q| matrix.at(j, q)));
        let (sources, targets) = (&mut self.sources, &self.targets);
        self.mirrored.clear();
        self.mirrored.extend(nodes.clone().map(|q| sources[q ^ 1]));
        self.back.clear();
        self.back.extend(nodes.clone().map(|p| targets[p ^ 1].plus(length)));
        let (over, under) = (matrix.at(i ^ 1, i).plus(length), matrix.at(j, j ^ 1).plus(length));
        for (source, back) in sources.iter_mut().zip(&mut self.back) {
            let (one, two) = (source.plus(length), *back);
            *source = one.min(two.plus(over));
            *back = two.min(one.plus(under));
        }
        self.columns.clear();
        self.columns.extend(nodes.filter(|q| targets[*q].is_finite() || self.mirrored[*q].is_finite()));
    }
}
