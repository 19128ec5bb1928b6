//! The contents of an object: cells of one width, at rising indices.
//!
//! Cells that were written at known places are kept apart from the rest, so that reading them back costs nothing and
//! needs no array. A place that is not known goes through an array term, or, in an object of few cells, through a choice
//! between all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use logic::{Sort, Term, Terms};

use crate::value::known;

/// Objects of up to this many cells never need arrays.
const FEW: u64 = 32;

/// The cells of an object.
#[derive(Clone, PartialEq, Debug)]
pub struct CellArray {
    rest: Rest,
    /// Cells that differ from the rest, by their index.
    cells: Rc<BTreeMap<u64, Term>>,
    /// How wide an index is.
    index_width: u32,
    /// How many cells there are, if that is known.
    count: Option<u64>,
}

/// What the cells hold that were not written at known places.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Rest {
    /// The same everywhere.
    Same(Term),
    /// The elements of an array.
    Array(Term),
}

/// Some of the cells of a cell array.
#[derive(Clone, PartialEq, Debug)]
pub enum Cells {
    /// These.
    Some(BTreeSet<u64>),
    /// All of them, or it is not known which.
    All,
}

impl Default for Cells {
    fn default() -> Self {
        Cells::Some(BTreeSet::new())
    }
}

impl Cells {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        matches!(self, Cells::Some(cells) if cells.is_empty())
    }

    /// Adds more cells.
    pub fn join(&mut self, other: Cells) {
        match (&mut *self, other) {
            (Cells::Some(cells), Cells::Some(more)) => cells.extend(more),
            _ => *self = Cells::All,
        }
    }
}

impl CellArray {
    /// Cells that all hold the same.
    pub fn same(value: Term, index_width: u32, count: Option<u64>) -> Self {
        Self { rest: Rest::Same(value), cells: Rc::default(), index_width, count }
    }

    /// Cells that hold anything.
    pub fn unknown(terms: &mut Terms, name: &str, element: Sort, width: u32, count: Option<u64>) -> Self {
        let element = element.scalar().unwrap_or(logic::Scalar::Bool);
        let array = terms.fresh(name, Sort::Array(logic::Scalar::BitVector(width), element));
        Self::of_array(array, width, count)
    }

    /// The elements of an array.
    pub fn of_array(array: Term, index_width: u32, count: Option<u64>) -> Self {
        Self { rest: Rest::Array(array), cells: Rc::default(), index_width, count }
    }

    /// As many cells, which all hold the same.
    pub fn like(&self, value: Term) -> Self {
        Self::same(value, self.index_width, self.count)
    }

    /// How wide an index is.
    pub fn index_width(&self) -> u32 {
        self.index_width
    }

    /// How many cells there are, if that is known.
    pub fn count(&self) -> Option<u64> {
        self.count
    }

    /// The cell at a known place.
    pub fn get(&self, terms: &mut Terms, index: u64) -> Term {
        match (self.cells.get(&index), self.rest) {
            (Some(&cell), _) => cell,
            (None, Rest::Same(value)) => value,
            (None, Rest::Array(array)) => {
                let index = terms.bits(self.index_width, index.into());
                terms.select(array, index)
            }
        }
    }

    /// Changes the cell at a known place.
    pub fn set(&mut self, index: u64, value: Term) {
        Rc::make_mut(&mut self.cells).insert(index, value);
    }

    /// The cell at any place.
    pub fn read(&mut self, terms: &mut Terms, index: Term) -> Term {
        if let Some(index) = known(terms, index) {
            return self.get(terms, index);
        }
        if let (true, Rest::Same(value)) = (self.cells.is_empty(), self.rest) {
            return value;
        }
        match self.count {
            // There is nothing to read: whoever asks has made sure that it does not matter.
            Some(0) => self.get(terms, 0),
            Some(count) if count <= FEW => self.choose(terms, index, count),
            _ => {
                let array = self.flatten(terms);
                terms.select(array, index)
            }
        }
    }

    /// Changes the cell at any place.
    pub fn write(&mut self, terms: &mut Terms, index: Term, value: Term) {
        if let Some(index) = known(terms, index) {
            return self.set(index, value);
        }
        match self.count {
            Some(count) if count <= FEW => {
                for place in 0..count {
                    let here = terms.bits(self.index_width, place.into());
                    let here = terms.equal(index, here);
                    if !terms.is_false(here) {
                        let old = self.get(terms, place);
                        let new = terms.ite(here, value, old);
                        self.set(place, new);
                    }
                }
            }
            _ => {
                let array = self.flatten(terms);
                self.rest = Rest::Array(terms.store(array, index, value));
            }
        }
    }

    /// The cells of one of two cell arrays of the same shape.
    pub fn merge(terms: &mut Terms, condition: Term, mut then: Self, mut otherwise: Self) -> Self {
        if then == otherwise {
            return then;
        }
        if then.rest != otherwise.rest {
            let (a, b) = (then.flatten(terms), otherwise.flatten(terms));
            then.rest = Rest::Array(terms.ite(condition, a, b));
            return then;
        }
        if Rc::ptr_eq(&then.cells, &otherwise.cells) {
            return then;
        }
        let mut cells = BTreeMap::new();
        let places: BTreeSet<u64> = then.cells.keys().chain(otherwise.cells.keys()).copied().collect();
        for place in places {
            let (a, b) = (then.get(terms, place), otherwise.get(terms, place));
            cells.insert(place, terms.ite(condition, a, b));
        }
        then.cells = Rc::new(cells);
        then
    }

    /// The cells in which two cell arrays of the same shape differ.
    pub fn difference(&self, terms: &mut Terms, other: &Self) -> Cells {
        if self.rest == other.rest {
            let places: BTreeSet<u64> = self.cells.keys().chain(other.cells.keys()).copied().collect();
            let differ =
                places.into_iter().filter(|&place| self.get(terms, place) != other.get(terms, place));
            return Cells::Some(differ.collect());
        }
        // Reading brings a cell array into another form.
        let (mut one, mut two) = (self.clone(), other.clone());
        if one.flatten(terms) == two.flatten(terms) { Cells::default() } else { Cells::All }
    }

    /// Lets some cells be anything.
    pub fn forget(&mut self, terms: &mut Terms, cells: &Cells, name: &str) {
        let cell = self.get(terms, 0);
        let sort = terms.sort(cell);
        match cells {
            Cells::Some(cells) => {
                for &place in cells {
                    let cell = terms.fresh(format!("{name}[{place}]"), sort);
                    self.set(place, cell);
                }
            }
            Cells::All => *self = Self::unknown(terms, name, sort, self.index_width, self.count),
        }
    }

    /// The cell at a place among few, by the bits of the index.
    fn choose(&self, terms: &mut Terms, index: Term, count: u64) -> Term {
        let mut level: Vec<Term> = (0..count).map(|place| self.get(terms, place)).collect();
        for bit in 0..self.index_width {
            if level.len() == 1 {
                break;
            }
            let bit = terms.extract(bit, bit, index);
            let one = terms.bits(1, 1);
            let set = terms.equal(bit, one);
            let pairs: Vec<(Term, Term)> =
                level.chunks(2).map(|pair| (pair[0], *pair.last().unwrap_or(&pair[0]))).collect();
            level = pairs.into_iter().map(|(low, high)| terms.ite(set, high, low)).collect();
        }
        level[0]
    }

    /// All cells as one array.
    pub fn flatten(&mut self, terms: &mut Terms) -> Term {
        let mut array = match self.rest {
            Rest::Same(value) => terms.constant_array(logic::Scalar::BitVector(self.index_width), value),
            Rest::Array(array) => array,
        };
        for (&index, &value) in self.cells.iter() {
            let index = terms.bits(self.index_width, index.into());
            array = terms.store(array, index, value);
        }
        self.rest = Rest::Array(array);
        self.cells = Rc::default();
        array
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Model, evaluate::evaluate};

    #[test]
    fn what_is_written_is_read_back_whatever_the_size() {
        for count in [8, 200] {
            let mut terms = Terms::new();
            let zero = terms.bits(8, 0);
            let mut cell_array = CellArray::same(zero, 8, Some(count));
            let index = terms.fresh("i", Sort::BitVector(8));
            let (five, seven) = (terms.bits(8, 5), terms.bits(8, 7));
            cell_array.set(3, five);
            cell_array.write(&mut terms, index, seven);
            let at = cell_array.get(&mut terms, 3);
            let back = cell_array.read(&mut terms, index);
            let mut model = Model::new();
            for place in 0..8 {
                model.set(terms.as_symbol(index).unwrap(), logic::Value::bits(8, place));
                let expected = if place == 3 { 7 } else { 5 };
                assert_eq!(evaluate(&terms, &model, at), logic::Value::bits(8, expected));
                assert_eq!(evaluate(&terms, &model, back), logic::Value::bits(8, 7));
            }
        }
    }

    #[test]
    fn an_object_without_cells_can_be_asked() {
        let mut terms = Terms::new();
        let mut cell_array = CellArray::unknown(&mut terms, "nothing", Sort::BitVector(8), 1, Some(0));
        let (index, value) = (terms.fresh("i", Sort::BitVector(1)), terms.bits(8, 1));
        cell_array.write(&mut terms, index, value);
        let read = cell_array.read(&mut terms, index);
        assert_eq!(terms.sort(read), Sort::BitVector(8));
    }

    #[test]
    fn a_merge_has_the_cells_of_one_side() {
        let mut terms = Terms::new();
        let condition = terms.fresh("c", Sort::Bool);
        let mut left = CellArray::unknown(&mut terms, "a", Sort::BitVector(8), 8, Some(200));
        let mut right = left.clone();
        let (five, index) = (terms.bits(8, 5), terms.fresh("i", Sort::BitVector(8)));
        left.set(3, five);
        let merged = CellArray::merge(&mut terms, condition, left.clone(), right.clone()).get(&mut terms, 3);
        right.write(&mut terms, index, five);
        let arrays = CellArray::merge(&mut terms, condition, left, right).get(&mut terms, 3);
        let mut model = Model::new();
        model.set(terms.as_symbol(condition).unwrap(), logic::Value::Bool(true));
        model.set(terms.as_symbol(index).unwrap(), logic::Value::bits(8, 9));
        assert_eq!(evaluate(&terms, &model, merged), logic::Value::bits(8, 5));
        assert_eq!(evaluate(&terms, &model, arrays), logic::Value::bits(8, 5));
        model.set(terms.as_symbol(condition).unwrap(), logic::Value::Bool(false));
        assert_eq!(evaluate(&terms, &model, merged), logic::Value::bits(8, 0));
        assert_eq!(evaluate(&terms, &model, arrays), logic::Value::bits(8, 0));
    }
}
