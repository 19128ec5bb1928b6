//! Every rule against evaluation: random nodes over small pools of raw terms, so that the shapes that rules look for come
//! up often, under random models. A rule that never applies fails the test: then it is wrong, useless, or the pools are.

mod examples;
mod pattern;

use std::collections::BTreeMap;

use super::{STEPS, rules_for};
use crate::Model;
use crate::evaluate::{Evaluation, evaluate};
use crate::node::{Binary, Node, Unary};
use crate::random::{Generator, Random, Shape, remake};
use crate::sort::{Scalar, Sort};
use crate::terms::{Term, Terms};
use crate::value::Value;

const MODELS: usize = 12;

/// Operations on two terms of bits of one width that give such bits.
const OPERATIONS: [Binary; 13] = {
    use Binary::*;
    [
        BitAnd,
        BitOr,
        BitXor,
        BitAdd,
        BitSubtract,
        BitMultiply,
        UnsignedDivide,
        UnsignedRemainder,
        SignedDivide,
        SignedRemainder,
        ShiftLeft,
        ShiftRight,
        ShiftRightSigned,
    ]
};

/// Comparisons of bits.
const COMPARISONS: [Binary; 4] =
    [Binary::UnsignedLess, Binary::UnsignedLessEqual, Binary::SignedLess, Binary::SignedLessEqual];

/// A store of raw terms that grows by random nodes.
struct Pool {
    terms: Terms,
    random: Random,
    values: Generator,
    models: Vec<Model>,
    /// The terms of each sort, symbols and constants first.
    by_sort: BTreeMap<Sort, Vec<Term>>,
    /// Operations that this pool prefers, so that they meet each other.
    theme: Vec<Binary>,
    comparison: Binary,
    /// The sort of every second node.
    focus: Sort,
    /// The arrays of bits that have symbols.
    arrays: Sort,
}

impl Pool {
    fn new(seed: u64, widths: &[u32]) -> Self {
        let mut pool = Self {
            terms: Terms::new(),
            random: Random::new(seed),
            values: Generator::new(seed),
            models: vec![Model::new(); MODELS],
            by_sort: BTreeMap::new(),
            theme: Vec::new(),
            comparison: Binary::Equal,
            focus: Sort::BitVector(widths[0]),
            arrays: Sort::Array(Scalar::BitVector(widths[0]), Scalar::BitVector(widths[0])),
        };
        pool.theme = (0..2).map(|_| pool.random.pick(&OPERATIONS)).collect();
        pool.comparison = pool.random.pick(&COMPARISONS);
        let scalar = Scalar::BitVector(widths[0]);
        let mut sorts = vec![
            Sort::Bool,
            Sort::Integer,
            Sort::Array(scalar, scalar),
            Sort::Array(Scalar::Integer, Scalar::Bool),
        ];
        sorts.extend(widths.iter().map(|width| Sort::BitVector(*width)));
        for sort in sorts {
            for _ in 0..2 {
                pool.symbol(sort);
            }
            if !matches!(sort, Sort::Array(..)) {
                for _ in 0..4 {
                    pool.constant(sort);
                }
            }
        }
        pool
    }

    /// A new symbol, with values in all models.
    fn symbol(&mut self, sort: Sort) -> Term {
        let symbol = self.terms.fresh("x", sort);
        self.add(symbol);
        for model in &mut self.models {
            let value = self.values.value(sort);
            model.set(self.terms.as_symbol(symbol).expect("a symbol"), value);
        }
        symbol
    }

    fn add(&mut self, term: Term) {
        let terms = self.by_sort.entry(self.terms.sort(term)).or_default();
        if !terms.contains(&term) {
            terms.push(term);
        }
    }

    fn constant(&mut self, sort: Sort) -> Term {
        let value = self.values.value(sort);
        let term = self.terms.value(&value);
        self.add(term);
        term
    }

    /// A term of a sort: mostly one of the latest, which have the most structure.
    fn pick(&mut self, sort: Sort) -> Term {
        let Some(terms) = self.by_sort.get(&sort) else {
            return match sort {
                Sort::Array(index, element) => {
                    let element = self.pick(element.into());
                    self.terms.intern(Node::ConstantArray(index, element))
                }
                _ => self.constant(sort),
            };
        };
        let among = if self.random.percent(60) { terms.len().min(6) } else { terms.len() };
        terms[terms.len() - 1 - self.random.below(among as u64) as usize]
    }

    /// A constant now and then, or an operand of another term that is in use, so that terms recur.
    fn operand(&mut self, sort: Sort, near: Option<Term>) -> Term {
        if let Some(near) = near
            && self.random.percent(50)
        {
            let mut within: Vec<Term> = vec![near];
            within.extend(self.terms.node(near).operands());
            for operand in self.terms.node(near).operands() {
                within.extend(self.terms.node(operand).operands());
            }
            within.retain(|term| self.terms.sort(*term) == sort);
            if !within.is_empty() {
                return self.random.pick(&within);
            }
        }
        if self.random.percent(20) && !matches!(sort, Sort::Array(..)) {
            return self.constant(sort);
        }
        self.pick(sort)
    }

    /// A small term over the first few terms of its sort: what two-level patterns need.
    fn tree(&mut self, sort: Sort, depth: u32) -> Term {
        if depth == 0 || self.random.percent(30) {
            let Some(terms) = self.by_sort.get(&sort) else { return self.pick(sort) };
            let terms = &terms[..terms.len().min(4)];
            return self.random.pick(terms);
        }
        let node = match sort {
            Sort::Bool => match self.random.below(6) {
                0 => Node::Unary(Unary::Not, self.tree(sort, depth - 1)),
                1..=3 => {
                    let op = self.random.pick(&[Binary::And, Binary::Or]);
                    Node::Binary(op, self.tree(sort, depth - 1), self.tree(sort, depth - 1))
                }
                _ => {
                    let op = self.random.pick(&[Binary::Equal, self.comparison]);
                    Node::Binary(op, self.tree(self.focus, 0), self.tree(self.focus, 0))
                }
            },
            Sort::Integer => match self.random.below(4) {
                0 => Node::Unary(Unary::Negate, self.tree(sort, depth - 1)),
                1 => Node::Binary(Binary::Multiply, self.tree(sort, depth - 1), self.constant(sort)),
                _ => Node::Binary(Binary::Add, self.tree(sort, depth - 1), self.tree(sort, depth - 1)),
            },
            Sort::BitVector(_) => match self.random.below(8) {
                0 => Node::Unary(Unary::BitNot, self.tree(sort, depth - 1)),
                1 => Node::Unary(Unary::BitNegate, self.tree(sort, depth - 1)),
                2 => Node::Ite(self.tree(Sort::Bool, 0), self.tree(sort, depth - 1), self.tree(sort, 0)),
                _ => {
                    let op = self.random.pick(&self.theme);
                    Node::Binary(op, self.tree(sort, depth - 1), self.tree(sort, depth - 1))
                }
            },
            Sort::Array(index, element) => Node::Store(
                self.tree(sort, depth - 1),
                self.tree(index.into(), 0),
                self.tree(element.into(), 1),
            ),
        };
        self.terms.intern(node)
    }

    fn any_sort(&mut self) -> Sort {
        if self.random.percent(50) {
            return self.focus;
        }
        let sorts: Vec<Sort> = self.by_sort.keys().copied().collect();
        self.random.pick(&sorts)
    }

    /// A node of any kind.
    fn node(&mut self) -> Node {
        let sort = self.any_sort();
        let trees = self.random.percent(50);
        let a = if trees { self.tree(sort, 2) } else { self.operand(sort, None) };
        let b = if trees { self.tree(sort, 2) } else { self.operand(sort, Some(a)) };
        match (self.random.below(10), sort) {
            (0, _) => {
                let condition = self.operand(Sort::Bool, Some(a));
                Node::Ite(condition, a, b)
            }
            (1, _) => Node::Binary(Binary::Equal, a, b),
            (_, Sort::Bool) => match self.random.below(5) {
                0 => Node::Unary(Unary::Not, a),
                _ => Node::Binary(self.random.pick(&[Binary::And, Binary::Or]), a, b),
            },
            (_, Sort::Integer) => self.integer_node(a, b),
            (_, Sort::Array(index, element)) => {
                let at = self.operand(index.into(), Some(a));
                match self.random.below(2) {
                    0 => Node::Binary(Binary::Select, a, at),
                    _ => Node::Store(a, at, self.operand(element.into(), Some(b))),
                }
            }
            (_, Sort::BitVector(width)) => self.bits_node(width, a, b),
        }
    }

    fn integer_node(&mut self, a: Term, b: Term) -> Node {
        use Binary::*;
        match self.random.below(10) {
            0 | 2 => Node::Unary(Unary::Negate, a),
            1 => Node::Unary(Unary::IntegerToBits(self.random.pick(&[1, 2, 3, 5])), a),
            _ => {
                let op = self.random.pick(&[Add, Add, Add, Multiply, Divide, Modulo, LessEqual, Less]);
                Node::Binary(op, a, b)
            }
        }
    }

    fn bits_node(&mut self, width: u32, a: Term, b: Term) -> Node {
        use Binary::*;
        let narrow = width <= 12;
        match self.random.below(20) {
            0 | 15 => Node::Unary(Unary::BitNot, a),
            1 => Node::Unary(Unary::BitNegate, a),
            2..=4 => {
                let low = self.random.below(width.into()) as u32;
                let low = if self.random.percent(50) { 0 } else { low };
                let high = low + self.random.below((width - low).into()) as u32;
                Node::Unary(Unary::Extract { high, low }, a)
            }
            5 | 6 if narrow => {
                let by = self.random.below(4) as u32;
                Node::Unary(self.random.pick(&[Unary::ZeroExtend(by), Unary::SignExtend(by)]), a)
            }
            7 | 8 if narrow => {
                let other = self.random.below(3) as u32 + 1;
                let high = self.operand(Sort::BitVector(other), Some(b));
                let parts = if self.random.percent(50) { (high, a) } else { (a, high) };
                Node::Binary(Concat, parts.0, parts.1)
            }
            9 => Node::Unary(self.random.pick(&[Unary::UnsignedToInteger, Unary::SignedToInteger]), a),
            10..=13 => {
                let op = self.random.pick(&COMPARISONS);
                Node::Binary(op, a, b)
            }
            14 => Node::Binary(self.random.pick(&[SignedMultiplyOverflows, UnsignedMultiplyOverflows]), a, b),
            _ => {
                let theme = self.random.percent(70);
                let op = if theme { self.random.pick(&self.theme) } else { self.random.pick(&OPERATIONS) };
                Node::Binary(op, a, b)
            }
        }
    }

    /// Tries every rule on a node, and keeps the node as a term.
    fn check(&mut self, node: Node, hits: &mut BTreeMap<&'static str, u32>) {
        let raw = self.terms.intern(node);
        for rule in rules_for(&node).into_iter().flatten() {
            let hits = hits.entry(rule.name).or_default();
            let Some(result) = rule.apply(&mut self.terms, node) else { continue };
            *hits += 1;
            assert_eq!(self.terms.sort(raw), self.terms.sort(result), "{}: {node:?}", rule.name);
            self.assert_equal(raw, result, rule.name);
        }
        self.assert_abstract_value(raw);
        let simplified = self.terms.make(node);
        self.assert_equal(raw, simplified, "simplify");
        self.assert_abstract_value(simplified);
        if self.random.percent(70) {
            self.add(raw);
        } else {
            self.add(simplified);
        }
    }

    fn assert_equal(&self, raw: Term, simplified: Term, rule: &str) {
        for model in &self.models {
            let expected = evaluate(&self.terms, model, raw);
            let found = evaluate(&self.terms, model, simplified);
            let equal = crate::evaluate::binary(Binary::Equal, &expected, &found) == Value::Bool(true);
            assert!(equal, "{rule}: {expected:?} is not {found:?}\n{}", self.describe(raw, simplified));
        }
    }

    fn describe(&self, raw: Term, simplified: Term) -> String {
        let parts = self.terms.reachable(&[raw, simplified]);
        let line = |term: &Term| match self.terms.known(*term) {
            Some(value) => format!("{term} = {value:?}\n"),
            None => format!("{term} = {:?} : {}\n", self.terms.node(*term), self.terms.sort(*term)),
        };
        format!("{raw} became {simplified}\n{}", parts.iter().map(line).collect::<String>())
    }

    fn assert_abstract_value(&self, term: Term) {
        for model in &self.models {
            match evaluate(&self.terms, model, term) {
                Value::BitVector(bits) => {
                    let Some(abstract_value) = self.terms.abstract_value(term) else { continue };
                    let (unsigned, signed) = (bits.to_u128().unwrap(), bits.to_i128().unwrap());
                    let holds = abstract_value.low <= unsigned
                        && unsigned <= abstract_value.high
                        && abstract_value.signed_low <= signed
                        && signed <= abstract_value.signed_high
                        && unsigned & abstract_value.zeros == 0
                        && unsigned & abstract_value.ones == abstract_value.ones;
                    assert!(
                        holds,
                        "{abstract_value:?} does not hold of {bits:?}\n{}",
                        self.describe(term, term)
                    );
                }
                Value::Integer(number) => {
                    let bounds = self.terms.bounds(term);
                    let holds = bounds.low.is_none_or(|low| number >= low.into())
                        && bounds.high.is_none_or(|high| number <= high.into());
                    assert!(holds, "{bounds:?} does not hold of {number}\n{}", self.describe(term, term));
                }
                _ => {}
            }
        }
    }
}

#[test]
fn every_rule_keeps_the_value_and_applies_sometimes() {
    let mut hits = BTreeMap::new();
    let mut most_steps = 0;
    let widths: [&[u32]; 6] = [&[2, 1, 3], &[3, 2, 1], &[4, 8], &[8, 4], &[32, 8], &[64, 32]];
    for seed in 0..rounds(60) {
        let mut pool = Pool::new(seed, widths[seed as usize % widths.len()]);
        for _ in 0..150 {
            let node = pool.node();
            pool.check(node, &mut hits);
        }
        most_steps = most_steps.max(pool.terms.abstract_values.most_steps);
    }
    for seed in 0..rounds(60) {
        let mut pool = Pool::new(seed, widths[seed as usize % widths.len()]);
        for pattern in pattern::PATTERNS {
            if let Some(node) = pattern::instance(&mut pool, pattern) {
                pool.check(node, &mut hits);
            }
        }
        most_steps = most_steps.max(pool.terms.abstract_values.most_steps);
    }
    if std::env::var("LOOPSCOPE_HITS").is_ok() {
        println!("most steps {most_steps}\n{hits:#?}");
    }
    let never: Vec<_> = hits.iter().filter(|(_, hits)| **hits < 2).map(|(name, _)| *name).collect();
    assert!(never.is_empty(), "these rules hardly ever applied: {never:?}");
    assert!(most_steps < STEPS, "simplification ran into its bound");
}

#[test]
fn terms_made_with_simplification_have_the_value_of_those_made_without() {
    let shapes = [
        Shape::bits(&[1, 2, 3]).sized(2, 6),
        Shape::bits(&[8, 32, 64, 65, 130]).sized(2, 5),
        Shape::integers().sized(2, 6),
        Shape::arrays(2, 3).sized(2, 6),
        Shape { nonlinear: true, ..Shape::mixed(&[3, 8]).sized(1, 5) },
    ];
    for seed in 0..rounds(60) {
        let shape = shapes[seed as usize % shapes.len()].clone();
        let mut terms = Terms::new();
        let mut generator = Generator::with_shape(seed, shape);
        for _ in 0..20 {
            let sort = generator.sort();
            let raw = generator.term(&mut terms, sort);
            let simplified = remake(&mut terms, raw);
            for _ in 0..4 {
                let model = generator.model(&terms);
                let mut evaluation = Evaluation::new(&terms, &model);
                let (expected, found) = (evaluation.value(raw).clone(), evaluation.value(simplified).clone());
                let equal = crate::evaluate::binary(Binary::Equal, &expected, &found);
                assert_eq!(equal, Value::Bool(true), "seed {seed}: {expected:?} became {found:?}");
            }
        }
        assert!(terms.abstract_values.most_steps < STEPS, "simplification ran into its bound");
    }
}

/// So many rounds of a test, or those that the environment asks for.
fn rounds(default: u64) -> u64 {
    std::env::var("LOOPSCOPE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(default)
}
