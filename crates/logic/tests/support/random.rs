//! Random terms, values and models: what tests ask the simplifier and the solvers about.
//!
//! All is a function of the seed, so that a number reproduces a failure. Terms are made from the top down to a given
//! depth, are always well-sorted, use earlier subterms again now and then, and lean towards the corners: zero, one, all
//! ones, the least and the greatest number, powers of two, and neighbours of these.

use loopscope_logic::node::{Binary, Node, Unary};
use loopscope_logic::sort::{Scalar, Sort};
use loopscope_logic::terms::{Term, Terms};
use loopscope_logic::value::{ArrayValue, Value};
use loopscope_logic::{BitVector, Integer, Model};

/// A source of numbers (SplitMix64, Steele, Lea and Flood 2014, figure 16).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A source that is determined by the seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub const fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below the bound, which is not zero.
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.number() as u128 * bound as u128) >> 64) as u64
    }

    /// A number between the two, both included.
    pub const fn between(&mut self, low: i64, high: i64) -> i64 {
        low.wrapping_add(self.below(high.wrapping_sub(low) as u64 + 1) as i64)
    }

    /// A number at most this far from zero.
    pub const fn within(&mut self, size: i64) -> i64 {
        self.between(-size, size)
    }

    /// True in so many of a hundred cases.
    pub const fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of the items, of which there is at least one.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}

/// What the terms look like.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The widths of bit-vectors that have symbols; other widths come about by cutting and joining.
    pub widths: Vec<u32>,
    /// Whether there are integers.
    pub integers: bool,
    /// The arrays that have symbols: index and element.
    pub arrays: Vec<(Scalar, Scalar)>,
    /// How many symbols each sort has.
    pub symbols: usize,
    /// How deep terms are at most.
    pub depth: u32,
    /// Whether terms are made as they are written, or simplified.
    pub raw: bool,
    /// Whether integers are multiplied with, and divided by, anything but constants.
    pub nonlinear: bool,
    /// The widest bits that are multiplied with, and divided by, anything but constants.
    pub widest_product: u32,
}

impl Shape {
    /// Bits of these widths, and booleans.
    pub fn bits(widths: &[u32]) -> Self {
        Self {
            widths: widths.to_vec(),
            integers: false,
            arrays: Vec::new(),
            symbols: 2,
            depth: 4,
            raw: true,
            nonlinear: false,
            widest_product: 16,
        }
    }

    /// Integers, and booleans.
    pub fn integers() -> Self {
        Self { integers: true, ..Self::bits(&[]) }
    }

    /// Arrays of bits, of these widths.
    pub fn arrays(index: u32, element: u32) -> Self {
        let arrays = vec![(Scalar::BitVector(index), Scalar::BitVector(element))];
        Self { arrays, ..Self::bits(&[index, element]) }
    }

    /// Bits of these widths, integers, and arrays of both.
    pub fn mixed(widths: &[u32]) -> Self {
        let first = Scalar::BitVector(widths[0]);
        let arrays = vec![
            (first, first),
            (Scalar::Integer, Scalar::Integer),
            (first, Scalar::Bool),
            (Scalar::Bool, Scalar::Integer),
        ];
        Self { integers: true, arrays, symbols: 1, ..Self::bits(widths) }
    }

    /// The same with terms that are simplified when they are made.
    pub fn simplified(self) -> Self {
        Self { raw: false, ..self }
    }

    /// The same with so many symbols of each sort, and terms of this depth.
    pub fn sized(self, symbols: usize, depth: u32) -> Self {
        Self { symbols, depth, ..self }
    }

    /// The sorts that have symbols.
    fn sorts(&self) -> Vec<Sort> {
        let mut sorts: Vec<Sort> = self.widths.iter().map(|&width| Sort::BitVector(width)).collect();
        sorts.extend(self.integers.then_some(Sort::Integer));
        sorts.extend(self.arrays.iter().map(|&(index, element)| Sort::Array(index, element)));
        sorts.push(Sort::Bool);
        sorts.sort_unstable();
        sorts.dedup();
        sorts
    }
}

/// A source of terms of one store.
#[derive(Clone, Debug)]
pub struct Generator {
    /// The numbers behind it.
    pub random: Random,
    shape: Shape,
    symbols: Vec<Term>,
    made: Vec<Term>,
}

impl Generator {
    /// A source of small terms over all sorts.
    pub fn new(seed: u64) -> Self {
        Self::with_shape(seed, Shape::mixed(&[8, 4, 1]))
    }

    /// A source of terms of this shape.
    pub fn with_shape(seed: u64, shape: Shape) -> Self {
        Self { random: Random::new(seed), shape, symbols: Vec::new(), made: Vec::new() }
    }

    /// The symbols, after the first term was made.
    pub fn symbols(&self) -> &[Term] {
        &self.symbols
    }

    /// A boolean term.
    pub fn formula(&mut self, terms: &mut Terms) -> Term {
        self.term(terms, Sort::Bool)
    }

    /// A term of this sort.
    pub fn term(&mut self, terms: &mut Terms, sort: Sort) -> Term {
        self.declare(terms);
        let depth = self.shape.depth;
        self.deep(terms, sort, depth)
    }

    /// A sort that has symbols.
    pub fn sort(&mut self) -> Sort {
        let sorts = self.shape.sorts();
        self.random.pick(&sorts)
    }

    /// Values for all symbols.
    pub fn model(&mut self, terms: &Terms) -> Model {
        let mut model = Model::new();
        for term in self.symbols.clone() {
            if let Some(symbol) = terms.as_symbol(term) {
                model.set(symbol, self.value(terms.sort(term)));
            }
        }
        model
    }

    /// A value of this sort.
    pub fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.random.percent(50)),
            Sort::BitVector(width) => Value::BitVector(self.bits(width)),
            Sort::Integer => Value::Integer(self.integer()),
            Sort::Array(index, element) => {
                let default = self.value(element.into());
                let mut array = ArrayValue { index, default, entries: Default::default() };
                for _ in 0..self.random.below(4) {
                    let (index, element) = (self.value(index.into()), self.value(element.into()));
                    array.set(index, element);
                }
                Value::Array(Box::new(array))
            }
        }
    }

    /// Bits: a corner, a neighbour of one, a small number, or any.
    pub fn bits(&mut self, width: u32) -> BitVector {
        let corner = match self.random.below(8) {
            0 => BitVector::zero(width),
            1 => BitVector::ones(width),
            2 => BitVector::minimum(width),
            3 => BitVector::minimum(width).not(),
            4 => {
                let power = self.random.below(width.into());
                BitVector::new(width, 1).shift_left(&BitVector::new(width.max(32), power.into()))
            }
            5 => BitVector::from_signed(width, self.random.between(-8, 8).into()),
            _ => {
                let low = u128::from(self.random.number()) << 64 | u128::from(self.random.number());
                let top = self.random.number();
                return BitVector::wrapping(width, &((Integer::from(top) << 128) + Integer::from(low)));
            }
        };
        if self.random.percent(70) {
            return corner;
        }
        corner.add(&BitVector::from_signed(width, self.random.between(-2, 2).into()))
    }

    /// A number: mostly near zero, sometimes around a power of two, now and then beyond machine words.
    pub fn integer(&mut self) -> Integer {
        match self.random.below(16) {
            0 => {
                let power = Integer::ONE << self.random.below(70) as usize;
                let near = power + self.random.between(-1, 1);
                if self.random.percent(50) { near } else { -near }
            }
            1..=3 => self.random.between(-300, 300).into(),
            _ => self.random.between(-8, 8).into(),
        }
    }
}

/// Making terms.
impl Generator {
    fn declare(&mut self, terms: &mut Terms) {
        if !self.symbols.is_empty() {
            return;
        }
        for sort in self.shape.sorts() {
            for number in 0..self.shape.symbols {
                let letter = match sort {
                    Sort::Bool => "p".to_owned(),
                    Sort::BitVector(width) => format!("x{width}_"),
                    Sort::Integer => "i".to_owned(),
                    Sort::Array(..) => format!("a{}_", self.symbols.len()),
                };
                self.symbols.push(terms.fresh(format!("{letter}{number}"), sort));
            }
        }
    }

    fn put(&mut self, terms: &mut Terms, node: Node) -> Term {
        if self.shape.raw { terms.intern(node) } else { terms.make(node) }
    }

    /// A term of a depth; the recursion goes no deeper than that, so it needs no stack of its own.
    fn deep(&mut self, terms: &mut Terms, sort: Sort, depth: u32) -> Term {
        if self.random.percent(10)
            && let Some(term) = self.again(terms, sort)
        {
            return term;
        }
        if depth == 0 || self.random.percent(8) {
            return self.leaf(terms, sort);
        }
        let node = match sort {
            Sort::Bool => self.bool_node(terms, depth - 1),
            Sort::BitVector(width) => self.bits_node(terms, width, depth - 1),
            Sort::Integer => self.integer_node(terms, depth - 1),
            Sort::Array(index, element) => self.array_node(terms, index, element, depth - 1),
        };
        let term = self.put(terms, node);
        self.made.push(term);
        term
    }

    /// A term of this sort that was made before.
    fn again(&mut self, terms: &Terms, sort: Sort) -> Option<Term> {
        let recent = self.made.len().saturating_sub(64);
        let fitting: Vec<Term> =
            self.made[recent..].iter().copied().filter(|&term| terms.sort(term) == sort).collect();
        (!fitting.is_empty()).then(|| self.random.pick(&fitting))
    }

    fn constant(&mut self, terms: &mut Terms, sort: Sort) -> Term {
        let value = self.value(sort);
        terms.value(&value)
    }

    /// A constant, or a symbol, if need be brought to the width.
    fn leaf(&mut self, terms: &mut Terms, sort: Sort) -> Term {
        let fitting: Vec<Term> =
            self.symbols.iter().copied().filter(|&symbol| terms.sort(symbol) == sort).collect();
        match sort {
            Sort::Array(index, element) if fitting.is_empty() || self.random.percent(10) => {
                let default = self.constant(terms, element.into());
                self.put(terms, Node::ConstantArray(index, default))
            }
            Sort::BitVector(width) if fitting.is_empty() && self.random.percent(60) => {
                self.cut(terms, width).unwrap_or_else(|| self.constant(terms, sort))
            }
            Sort::Array(..) => self.random.pick(&fitting),
            _ if fitting.is_empty() || self.random.percent(30) => self.constant(terms, sort),
            _ => self.random.pick(&fitting),
        }
    }

    /// A symbol of bits, cut or extended to the width.
    fn cut(&mut self, terms: &mut Terms, width: u32) -> Option<Term> {
        let bits: Vec<(Term, u32)> = self
            .symbols
            .iter()
            .filter_map(|&symbol| terms.sort(symbol).width().map(|width| (symbol, width)))
            .collect();
        if bits.is_empty() {
            return None;
        }
        let (symbol, has) = self.random.pick(&bits);
        let op = match width.cmp(&has) {
            std::cmp::Ordering::Equal => return Some(symbol),
            std::cmp::Ordering::Less => {
                let low = self.random.below(u64::from(has - width) + 1) as u32;
                Unary::Extract { high: low + width - 1, low }
            }
            std::cmp::Ordering::Greater if self.random.percent(50) => Unary::ZeroExtend(width - has),
            std::cmp::Ordering::Greater => Unary::SignExtend(width - has),
        };
        Some(self.put(terms, Node::Unary(op, symbol)))
    }

    fn bool_node(&mut self, terms: &mut Terms, depth: u32) -> Node {
        use Binary::*;
        if self.random.percent(35) {
            return match self.random.below(6) {
                0 => Node::Unary(Unary::Not, self.deep(terms, Sort::Bool, depth)),
                1 => self.ite(terms, Sort::Bool, depth),
                2 => self.both(terms, Equal, Sort::Bool, depth),
                3 => self.both(terms, Or, Sort::Bool, depth),
                _ => self.both(terms, And, Sort::Bool, depth),
            };
        }
        let sort = self.sort();
        if self.random.percent(15)
            && let Some(select) = self.select(terms, Scalar::Bool, depth)
        {
            return select;
        }
        match sort {
            Sort::BitVector(width) => {
                let comparisons = [
                    Equal,
                    Equal,
                    UnsignedLess,
                    UnsignedLessEqual,
                    SignedLess,
                    SignedLessEqual,
                    SignedMultiplyOverflows,
                    UnsignedMultiplyOverflows,
                ];
                let op = self.random.pick(&comparisons);
                let product = matches!(op, SignedMultiplyOverflows | UnsignedMultiplyOverflows);
                self.product(terms, op, sort, depth, !product || width <= self.shape.widest_product)
            }
            Sort::Integer => {
                let op = self.random.pick(&[Equal, LessEqual, Less]);
                self.both(terms, op, sort, depth)
            }
            Sort::Bool | Sort::Array(..) => self.both(terms, Equal, sort, depth),
        }
    }

    fn bits_node(&mut self, terms: &mut Terms, width: u32, depth: u32) -> Node {
        use Binary::*;
        let sort = Sort::BitVector(width);
        match self.random.below(100) {
            0..=9 => self.ite(terms, sort, depth),
            10..=17 => {
                let op = self.random.pick(&[Unary::BitNot, Unary::BitNegate]);
                Node::Unary(op, self.deep(terms, sort, depth))
            }
            18..=32 => self.resized(terms, width, depth),
            33..=40 if self.shape.integers => {
                Node::Unary(Unary::IntegerToBits(width), self.deep(terms, Sort::Integer, depth))
            }
            41..=55 if !self.shape.arrays.is_empty() => self
                .select(terms, Scalar::BitVector(width), depth)
                .unwrap_or_else(|| Node::Unary(Unary::BitNot, self.leaf(terms, sort))),
            56..=70 => {
                let products = [
                    BitMultiply,
                    BitMultiply,
                    UnsignedDivide,
                    UnsignedRemainder,
                    SignedDivide,
                    SignedRemainder,
                ];
                let op = self.random.pick(&products);
                self.product(terms, op, sort, depth, width <= self.shape.widest_product)
            }
            71..=80 => {
                let op = self.random.pick(&[ShiftLeft, ShiftRight, ShiftRightSigned]);
                self.shift(terms, op, width, depth)
            }
            _ => {
                let op = self.random.pick(&[BitAdd, BitAdd, BitSubtract, BitAnd, BitOr, BitXor]);
                self.both(terms, op, sort, depth)
            }
        }
    }

    fn integer_node(&mut self, terms: &mut Terms, depth: u32) -> Node {
        match self.random.below(100) {
            0..=11 => self.ite(terms, Sort::Integer, depth),
            12..=20 => Node::Unary(Unary::Negate, self.deep(terms, Sort::Integer, depth)),
            21..=40 if !self.shape.widths.is_empty() => {
                let op = self.random.pick(&[Unary::UnsignedToInteger, Unary::SignedToInteger]);
                let width = self.random.pick(&self.shape.widths);
                Node::Unary(op, self.deep(terms, Sort::BitVector(width), depth))
            }
            41..=50 if !self.shape.arrays.is_empty() => self
                .select(terms, Scalar::Integer, depth)
                .unwrap_or_else(|| Node::Unary(Unary::Negate, self.leaf(terms, Sort::Integer))),
            51..=68 => {
                let op =
                    self.random.pick(&[Binary::Multiply, Binary::Multiply, Binary::Divide, Binary::Modulo]);
                self.product(terms, op, Sort::Integer, depth, self.shape.nonlinear)
            }
            _ => self.both(terms, Binary::Add, Sort::Integer, depth),
        }
    }

    fn array_node(&mut self, terms: &mut Terms, index: Scalar, element: Scalar, depth: u32) -> Node {
        match self.random.below(10) {
            0 | 1 => self.ite(terms, Sort::Array(index, element), depth),
            2 => Node::ConstantArray(index, self.deep(terms, element.into(), depth)),
            _ => {
                let array = self.deep(terms, Sort::Array(index, element), depth);
                let at = self.deep(terms, index.into(), depth / 2);
                Node::Store(array, at, self.deep(terms, element.into(), depth / 2))
            }
        }
    }

    fn ite(&mut self, terms: &mut Terms, sort: Sort, depth: u32) -> Node {
        let condition = self.deep(terms, Sort::Bool, depth);
        let then = self.deep(terms, sort, depth);
        Node::Ite(condition, then, self.deep(terms, sort, depth))
    }

    fn both(&mut self, terms: &mut Terms, op: Binary, sort: Sort, depth: u32) -> Node {
        let left = self.deep(terms, sort, depth);
        Node::Binary(op, left, self.deep(terms, sort, depth))
    }

    /// An operation whose second operand is a constant, unless any will do.
    fn product(&mut self, terms: &mut Terms, op: Binary, sort: Sort, depth: u32, any: bool) -> Node {
        if any && self.random.percent(70) {
            return self.both(terms, op, sort, depth);
        }
        let term = self.deep(terms, sort, depth);
        let constant = self.constant(terms, sort);
        let swap = op.commutes() && self.random.percent(30);
        if swap { Node::Binary(op, constant, term) } else { Node::Binary(op, term, constant) }
    }

    /// A shift, mostly by a constant below the width.
    fn shift(&mut self, terms: &mut Terms, op: Binary, width: u32, depth: u32) -> Node {
        let term = self.deep(terms, Sort::BitVector(width), depth);
        let by = if self.random.percent(60) {
            let by = self.random.below(u64::from(width) + 1);
            terms.bits(width, by.into())
        } else {
            self.deep(terms, Sort::BitVector(width), depth / 2)
        };
        Node::Binary(op, term, by)
    }

    /// Bits of another width brought to this one, or two joined.
    fn resized(&mut self, terms: &mut Terms, width: u32, depth: u32) -> Node {
        let wider = width + 1 + self.random.below(u64::from(width)) as u32;
        if width == 1 || self.random.percent(40) {
            let low = self.random.below(u64::from(wider - width) + 1) as u32;
            let term = self.deep(terms, Sort::BitVector(wider), depth / 2);
            return Node::Unary(Unary::Extract { high: low + width - 1, low }, term);
        }
        let low = 1 + self.random.below(u64::from(width) - 1) as u32;
        let term = self.deep(terms, Sort::BitVector(low), depth);
        match self.random.below(3) {
            0 => Node::Unary(Unary::ZeroExtend(width - low), term),
            1 => Node::Unary(Unary::SignExtend(width - low), term),
            _ => Node::Binary(Binary::Concat, self.deep(terms, Sort::BitVector(width - low), depth), term),
        }
    }

    /// An element of an array that has such elements.
    fn select(&mut self, terms: &mut Terms, element: Scalar, depth: u32) -> Option<Node> {
        let indices: Vec<Scalar> =
            self.shape.arrays.iter().filter(|(_, of)| *of == element).map(|(index, _)| *index).collect();
        if indices.is_empty() {
            return None;
        }
        let index = self.random.pick(&indices);
        let array = self.deep(terms, Sort::Array(index, element), depth);
        Some(Node::Binary(Binary::Select, array, self.deep(terms, index.into(), depth / 2)))
    }
}

/// The same term made anew from its symbols and constants upwards, and so simplified.
pub fn remake(terms: &mut Terms, term: Term) -> Term {
    let mut remade = rustc_hash::FxHashMap::default();
    for part in terms.reachable(&[term]) {
        let node = terms.node(part).with_operands(|operand| remade[&operand]);
        let new = if matches!(node, Node::Symbol(_) | Node::Constant(_)) { part } else { terms.make(node) };
        remade.insert(part, new);
    }
    remade[&term]
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopscope_logic::evaluate::evaluate;

    #[test]
    fn a_seed_determines_the_terms_and_they_are_well_sorted() {
        let make = |seed| {
            let mut terms = Terms::new();
            let mut generator = Generator::new(seed);
            let formulas: Vec<Term> = (0..50).map(|_| generator.formula(&mut terms)).collect();
            (formulas, terms.len())
        };
        for seed in 0..20 {
            assert_eq!(make(seed), make(seed));
        }
        assert_ne!(make(1), make(2));
    }

    #[test]
    fn every_shape_is_evaluated_and_keeps_its_value_when_remade() {
        let shapes = [
            Shape::bits(&[1, 3, 8, 32, 64, 65, 130]),
            Shape::integers(),
            Shape::arrays(2, 8),
            Shape::mixed(&[4, 13]),
            Shape { nonlinear: true, widest_product: 200, ..Shape::mixed(&[8, 128]) },
        ];
        let mut both = [0u32; 2];
        for (seed, shape) in shapes.into_iter().enumerate() {
            let mut terms = Terms::new();
            let mut generator = Generator::with_shape(seed as u64, shape);
            for _ in 0..100 {
                let formula = generator.formula(&mut terms);
                let remade = remake(&mut terms, formula);
                let model = generator.model(&terms);
                let truth = evaluate(&terms, &model, formula);
                assert_eq!(truth, evaluate(&terms, &model, remade));
                both[usize::from(truth.as_bool().unwrap())] += 1;
            }
        }
        assert!(both[0] > 100 && both[1] > 100, "{both:?}");
    }
}
