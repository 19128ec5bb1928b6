//! Terms written as text, with holes: the shapes that random terms rarely have.
//!
//! `x`, `y`, `z` are symbols of bits of one width, `p`, `q`, `r` of booleans, `i`, `j` of numbers, `a` of arrays. `c`, `d`
//! are random constants and `0`, `1`, `-1`, `8` known ones (`8` is any power of two), of the sort that the place needs.
//! Each operation is written in front of its operands, in parentheses. The operations in `$` vary: `$less` is any
//! comparison of bits, and extensions and extractions choose their own amounts.

use std::collections::BTreeMap;

use super::{COMPARISONS, Pool};
use crate::node::{Binary, Node, Unary};
use crate::sort::Sort;
use crate::terms::Term;
use crate::value::Value;
use crate::{BitVector, Integer};

/// What an operand is: a term, or a constant whose sort the others will tell.
#[derive(Clone, Copy)]
enum Part<'a> {
    Term(Term),
    Constant(&'a str),
}

/// One reading of a pattern.
pub struct Reading<'a, 'p> {
    pool: &'p mut Pool,
    tokens: std::iter::Peekable<std::vec::IntoIter<&'a str>>,
    constants: BTreeMap<(&'a str, Sort), Term>,
    symbols: BTreeMap<&'a str, Term>,
    less: Binary,
}

/// The node that a pattern describes, with all its holes filled at random, if the widths happen to fit.
pub fn instance(pool: &mut Pool, pattern: &str) -> Option<Node> {
    let spaced = pattern.replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let less = pool.random.pick(&COMPARISONS);
    let mut reading = Reading {
        pool,
        tokens: tokens.into_iter().peekable(),
        constants: BTreeMap::new(),
        symbols: BTreeMap::new(),
        less,
    };
    let Part::Term(term) = reading.part()? else { panic!("{pattern} is no term") };
    let node = reading.pool.terms.node(term);
    assert!(reading.tokens.next().is_none(), "{pattern} ends early");
    Some(node)
}

impl<'a> Reading<'a, '_> {
    fn part(&mut self) -> Option<Part<'a>> {
        Some(match self.tokens.next().expect("a pattern is complete") {
            "(" => {
                let op = self.tokens.next().expect("an operation");
                let mut parts = Vec::new();
                while *self.tokens.peek().expect("a closing parenthesis") != ")" {
                    parts.push(self.part()?);
                }
                self.tokens.next();
                let node = self.node(op, &parts);
                let sort = |term: Term| self.pool.terms.sort(term);
                match node {
                    Node::Binary(op, a, b) if op.sort(sort(a), sort(b)).is_none() => return None,
                    Node::Ite(_, a, b) if sort(a) != sort(b) => return None,
                    _ => {}
                }
                Part::Term(self.pool.terms.intern(node))
            }
            name @ ("c" | "d" | "0" | "1" | "-1" | "8") => Part::Constant(name),
            name => Part::Term(self.symbol(name)),
        })
    }

    fn symbol(&mut self, name: &'a str) -> Term {
        if let Some(term) = self.symbols.get(name) {
            return *term;
        }
        let sort = match name {
            "x" | "y" | "z" => self.pool.focus,
            "p" | "q" | "r" => Sort::Bool,
            "i" | "j" => Sort::Integer,
            "a" | "b" => self.pool.arrays,
            _ => panic!("{name} is no symbol"),
        };
        let symbol = self.pool.symbol(sort);
        self.symbols.insert(name, symbol);
        symbol
    }

    fn constant(&mut self, name: &'a str, sort: Sort) -> Term {
        if let Some(term) = self.constants.get(&(name, sort)) {
            return *term;
        }
        let value = match (name, sort) {
            ("c" | "d", _) => self.pool.values.value(sort),
            ("8", Sort::BitVector(width)) => {
                Value::bits(width, 1 << self.pool.random.below(width.min(100).into()))
            }
            (_, Sort::BitVector(width)) => {
                Value::BitVector(BitVector::from_signed(width, name.parse().expect("a number")))
            }
            (_, Sort::Integer) => Value::Integer(name.parse::<i128>().map(Integer::from).expect("a number")),
            _ => panic!("no {name} of this sort"),
        };
        let term = self.pool.terms.value(&value);
        self.constants.insert((name, sort), term);
        term
    }

    /// The operand as a term of this sort if it is a constant.
    fn of(&mut self, part: Part<'a>, sort: Sort) -> Term {
        match part {
            Part::Term(term) => term,
            Part::Constant(name) => self.constant(name, sort),
        }
    }

    fn node(&mut self, op: &str, parts: &[Part<'a>]) -> Node {
        let common = parts.iter().rev().find_map(|part| match part {
            Part::Term(term) => Some(self.pool.terms.sort(*term)),
            Part::Constant(_) => None,
        });
        let common = common.expect("an operand that is no constant");
        match (op, parts) {
            ("store", [array, index, element]) => {
                let array = self.of(*array, common);
                let Sort::Array(of, to) = self.pool.terms.sort(array) else { panic!("an array") };
                Node::Store(array, self.of(*index, of.into()), self.of(*element, to.into()))
            }
            ("select", [array, index]) => {
                let array = self.of(*array, common);
                let Sort::Array(of, _) = self.pool.terms.sort(array) else { panic!("an array") };
                Node::Binary(Binary::Select, array, self.of(*index, of.into()))
            }
            ("everywhere", [element]) => {
                let Sort::Array(of, _) = self.pool.arrays else { panic!("an array") };
                Node::ConstantArray(of, self.of(*element, common))
            }
            ("ite", [condition, then, otherwise]) => {
                let branches = [*then, *otherwise].into_iter().find_map(|part| match part {
                    Part::Term(term) => Some(self.pool.terms.sort(term)),
                    Part::Constant(_) => None,
                });
                let sort = branches.unwrap_or(self.pool.focus);
                let condition = self.of(*condition, Sort::Bool);
                Node::Ite(condition, self.of(*then, sort), self.of(*otherwise, sort))
            }
            (_, [a]) => {
                let a = self.of(*a, common);
                Node::Unary(self.unary(op, a), a)
            }
            (_, [a, b]) => {
                let (a, b) = (self.of(*a, common), self.of(*b, common));
                Node::Binary(self.binary(op), a, b)
            }
            _ => panic!("{op} has other operands"),
        }
    }

    fn unary(&mut self, op: &str, a: Term) -> Unary {
        let random = &mut self.pool.random;
        let width = self.pool.terms.sort(a).width().unwrap_or(1);
        match op {
            "!" => Unary::Not,
            "~" => Unary::BitNot,
            "neg" => Unary::BitNegate,
            "-" => Unary::Negate,
            "zext" => Unary::ZeroExtend(random.below(4) as u32),
            "sext" => Unary::SignExtend(random.below(4) as u32),
            "zext2" => Unary::ZeroExtend(2),
            "sext2" => Unary::SignExtend(2),
            "sign" => Unary::Extract { high: width - 1, low: width - 1 },
            "low" => Unary::Extract { high: random.below(width.into()) as u32, low: 0 },
            "extract" => {
                let low = random.below(width.into()) as u32;
                Unary::Extract { high: low + random.below((width - low).into()) as u32, low }
            }
            "unsigned" => Unary::UnsignedToInteger,
            "signed" => Unary::SignedToInteger,
            "bits" => Unary::IntegerToBits(random.below(8) as u32 + 1),
            _ => panic!("{op} is no operation on one term"),
        }
    }

    fn binary(&mut self, op: &str) -> Binary {
        use Binary::*;
        match op {
            "&&" => And,
            "||" => Or,
            "==" => Equal,
            "&" => BitAnd,
            "|" => BitOr,
            "^" => BitXor,
            "+" => BitAdd,
            "-" => BitSubtract,
            "*" => BitMultiply,
            "/u" => UnsignedDivide,
            "%u" => UnsignedRemainder,
            "/s" => SignedDivide,
            "%s" => SignedRemainder,
            "<<" => ShiftLeft,
            ">>" => ShiftRight,
            ">>s" => ShiftRightSigned,
            "++" => Concat,
            "$less" => self.less,
            "<u" => UnsignedLess,
            "<=u" => UnsignedLessEqual,
            "<s" => SignedLess,
            "<=s" => SignedLessEqual,
            "*so" => SignedMultiplyOverflows,
            "*uo" => UnsignedMultiplyOverflows,
            "plus" => Add,
            "times" => Multiply,
            "div" => Divide,
            "mod" => Modulo,
            "<=" => LessEqual,
            "<" => Less,
            _ => panic!("{op} is no operation on two terms"),
        }
    }
}

/// Shapes that rules look for, beyond what random terms have often enough.
pub const PATTERNS: &[&str] = &[
    // Sums, differences, products.
    "(+ (- x y) y)",
    "(+ (- x y) (- y z))",
    "(+ x (~ x))",
    "(+ (+ x c) d)",
    "(+ (- c x) d)",
    "(+ (~ x) c)",
    "(+ (+ x c) y)",
    "(+ (- c x) y)",
    "(+ x (neg y))",
    "(+ (* x c) (* x d))",
    "(+ (* x c) x)",
    "(- x (neg y))",
    "(- (neg x) y)",
    "(- c (+ x d))",
    "(- c (- x y))",
    "(- (+ x c) y)",
    "(- x (+ y c))",
    "(- (- c x) y)",
    "(- x (- c y))",
    "(- (+ x y) y)",
    "(- x (+ x y))",
    "(- (- x y) x)",
    "(- x (- x y))",
    "(- (+ x y) (+ z x))",
    "(- (- x y) (- x z))",
    "(- (- x y) (- z y))",
    "(- (* x c) x)",
    "(neg (* x c))",
    "(neg (+ x c))",
    "(neg (- x y))",
    "(neg (~ x))",
    "(* (* x c) d)",
    "(* (* x c) y)",
    "(* (+ x c) d)",
    "(* (- c x) d)",
    "(* (neg x) c)",
    "(* (neg x) y)",
    "(* (ite p 1 0) x)",
    "(* (ite p 0 1) x)",
    // Bit by bit.
    "(~ (^ x c))",
    "(~ (& (~ x) (~ y)))",
    "(~ (| (~ x) (~ y)))",
    "(~ (- c x))",
    "(~ (+ x c))",
    "(& (& x c) d)",
    "(| (| x c) d)",
    "(^ (^ x c) d)",
    "(^ x (^ x y))",
    "(^ x (^ y x))",
    "(^ (~ x) c)",
    "(& x (| x y))",
    "(| x (& y x))",
    "(& (zext2 x) c)",
    "(| (zext2 x) c)",
    "(^ (zext2 x) (zext2 y))",
    "(& (ite p -1 0) x)",
    "(& (ite p 0 -1) x)",
    "(| (zext2 x) (++ y 0))",
    "(| (zext2 x) (<< (zext2 y) c))",
    "(| (zext2 x) (* (zext2 y) 8))",
    "(^ (zext2 x) (* (zext2 y) 8))",
    "(& (%u x 8) c)",
    "(| (| x c) c)",
    "(& x 8)",
    // Quotients and remainders.
    "(/u x 8)",
    "(%u x 8)",
    "(%u (%u x c) d)",
    "(/u (%u x c) d)",
    "(/s (zext2 x) (zext2 y))",
    "(%s (zext2 x) c)",
    "(/s x -1)",
    "(%s x -1)",
    "(%s x c)",
    // Shifts.
    "(<< x 1)",
    "(>> x 1)",
    "(>>s x 1)",
    "(>>s (zext2 x) (zext2 y))",
    // Parts.
    "(extract (extract x))",
    "(extract (zext x))",
    "(extract (sext x))",
    "(extract (++ x y))",
    "(extract (* x 8))",
    "(extract (ite p (zext2 x) c))",
    "(extract (ite p (++ x y) (++ y x)))",
    "(extract (& (++ x y) c))",
    "(extract (~ (zext2 x)))",
    "(low (+ (sext2 x) (sext2 y)))",
    "(low (* (zext2 x) c))",
    "(low (- (+ (zext2 x) (zext2 y)) c))",
    "(low (neg (zext2 x)))",
    "(zext (zext x))",
    "(sext (sext x))",
    "(sext (zext x))",
    "(sext (& x c))",
    "(++ (sign x) x)",
    "(++ (sext (sign x)) x)",
    "(++ (sext (sign x)) (sext x))",
    "(++ (sext (extract x)) (extract x))",
    "(++ (extract x) (extract x))",
    "(++ (extract x) (++ (extract x) y))",
    "(++ (++ y (extract x)) (extract x))",
    "(++ (zext x) y)",
    "(++ c (zext x))",
    "(++ c (++ d x))",
    "(++ (ite p (extract x) c) (ite p (extract x) (extract y)))",
    "(++ (ite p c y) (ite p d z))",
    "(++ (ite p x c) (ite p (extract y) d))",
    // Comparisons.
    "($less c x)",
    "($less x c)",
    "($less (zext2 x) c)",
    "($less c (zext2 x))",
    "($less (zext2 x) (zext y))",
    "($less (zext2 x) (zext2 y))",
    "($less (sext2 x) (sext2 y))",
    "($less (sext2 x) c)",
    "($less c (sext2 x))",
    "($less (sext x) (sext y))",
    "($less (~ x) (~ y))",
    "($less (~ x) c)",
    "($less (+ (zext2 x) c) d)",
    "($less c (+ (sext2 x) d))",
    "($less (+ (sext2 x) 1) d)",
    "($less (+ (zext2 x) -1) d)",
    "($less (+ (zext2 x) c) (+ (zext2 y) c))",
    "($less (+ (sext2 x) c) (sext2 x))",
    "($less (zext2 x) (+ (zext2 x) c))",
    "($less (+ x c) (+ y c))",
    "($less (+ (zext2 x) (zext2 y)) (+ (zext2 z) (zext2 x)))",
    "($less (+ (sext2 x) (sext2 y)) (sext2 x))",
    "($less (sext2 x) (+ (sext2 y) (sext2 x)))",
    "($less (+ (sext2 x) (sext2 y)) (+ (sext2 x) (sext2 z)))",
    "($less (- (sext2 x) (sext2 y)) 0)",
    "($less (- (sext2 x) (sext2 y)) -1)",
    "($less 0 (- (sext2 x) (sext2 y)))",
    "($less 1 (- (zext2 x) (zext2 y)))",
    "($less (* (sext2 x) c) d)",
    "($less (* (zext2 x) c) d)",
    "($less c (* (zext2 x) d))",
    "($less c (* (sext2 x) d))",
    "($less (* (sext2 x) c) (* (sext2 y) c))",
    "($less (ite p c x) d)",
    "($less c (ite p x d))",
    "($less (ite p c x) c)",
    "($less (ite p x y) y)",
    "($less x (ite p x (+ x 1)))",
    "(<= (ite p i j) j)",
    "(< i (ite p i (plus i 1)))",
    "(*so x c)",
    "(*so x -1)",
    "(*so (sext2 x) c)",
    "(*uo x c)",
    "(*uo (zext2 x) c)",
    // Equalities.
    "(== (+ x c) d)",
    "(== (- c x) d)",
    "(== (~ x) c)",
    "(== (neg x) c)",
    "(== (~ x) (~ y))",
    "(== (^ x c) d)",
    "(== (^ x y) 0)",
    "(== (+ x c) (+ y d))",
    "(== (+ x y) (+ z x))",
    "(== (+ x y) y)",
    "(== (- x y) 0)",
    "(== (- x y) x)",
    "(== (* x c) d)",
    "(== (* x 8) c)",
    "(== (* x 8) 0)",
    "(== (zext2 x) c)",
    "(== (sext2 x) c)",
    "(== (zext x) (zext y))",
    "(== (zext2 x) (zext2 y))",
    "(== (sext2 x) (sext2 y))",
    "(== (++ x y) c)",
    "(== (++ x y) (++ y z))",
    "(== (++ x y) (zext y))",
    "(== (sign x) 1)",
    "(== (sign x) 0)",
    "(== (%s x 8) 0)",
    "(== (ite p c x) d)",
    "(== (ite p x y) x)",
    "(== (ite p x y) y)",
    "(== (ite p c d) d)",
    "(== (+ x c) x)",
    // Booleans.
    "(! (&& (! p) q))",
    "(! (&& (! p) (! q)))",
    "(! (|| (! p) (<u x y)))",
    "(! (&& (<=s x y) (! p)))",
    "(&& p (&& q p))",
    "(&& p (&& q (! p)))",
    "(|| p (|| (|| q p) r))",
    "(|| p (|| (|| q (! p)) r))",
    "(&& p (|| q p))",
    "(|| p (&& (! p) q))",
    "(&& (<u x y) (|| (<=u y x) p))",
    "(&& (&& p q) (&& r p))",
    "(|| (|| p q) (|| (! p) r))",
    "(|| (&& p q) (&& p (! q)))",
    "(&& (|| p q) (|| r p))",
    "(|| (&& (&& p q) r) (&& p (! q)))",
    "(|| (&& p q) (&& r (&& q p)))",
    "(&& (&& p (! q)) (|| (! p) q))",
    "(&& (<=u x c) (<=u d x))",
    "(|| (<=s x c) (<=s d x))",
    "(&& (<=s x c) (<=s x d))",
    "(|| (== x c) (<=u x d))",
    "(&& (! (== x c)) (<=u x d))",
    "(|| (! (== x c)) (<=s d x))",
    "(&& (== x c) (== x d))",
    "(|| (! (== x c)) (! (== x d)))",
    "(&& ($less x y) ($less y x))",
    "(|| ($less x y) (== y x))",
    "(&& ($less x y) (! (== x y)))",
    "(&& ($less x c) (&& p ($less x d)))",
    "(|| (|| ($less c x) p) ($less d x))",
    "(&& (<= i c) (<= d i))",
    "(|| (== i c) (<= i d))",
    "(&& (< i j) (&& (<= j i) p))",
    // Choices.
    "(ite (== x y) x y)",
    "(ite (== x y) y x)",
    "(ite (== x c) c x)",
    "(ite p (ite p x y) z)",
    "(ite (<u x y) x (ite (<=u y x) y z))",
    "(ite p x (ite q x y))",
    "(ite p x (ite q y x))",
    "(ite p (ite q x y) x)",
    "(ite p (ite q x y) y)",
    "(ite p (zext2 x) c)",
    "(ite p c (sext2 x))",
    "(ite p (zext2 x) (zext2 y))",
    "(ite p (~ x) (~ y))",
    "(ite p (! q) (! r))",
    "(ite p q (! q))",
    "(ite p p q)",
    "(ite p q p)",
    "(ite p (! p) q)",
    "(ite p q (! p))",
    "(ite p (store a x y) a)",
    "(ite p (store a x y) (store a z x))",
    "(ite p (store (store a x y) z y) (store a x z))",
    "(ite p a (store (store a c y) d z))",
    // Arrays.
    "(select (store a x y) (+ x c))",
    "(select (store (store a c x) d y) c)",
    "(select (ite p (everywhere x) (everywhere y)) z)",
    "(select (ite p (store a x y) a) x)",
    "(select (ite p b (store a x y)) x)",
    "(store a x (select a x))",
    "(store (store a c x) d (select a d))",
    "(store (store (store a c x) d y) c z)",
    "(store (store (store a x x) (+ x 1) y) x z)",
    "(store (store (store a x x) y z) x z)",
    "(store (everywhere x) y x)",
    "(== (everywhere x) (everywhere y))",
    "(== (store a x y) (store a x z))",
    "(== (store a x y) a)",
    // Numbers.
    "(plus (plus i c) d)",
    "(plus (plus i c) j)",
    "(plus (plus i (- j)) j)",
    "(plus (plus i j) (- j))",
    "(plus (times i c) i)",
    "(plus (times i c) (- i))",
    "(plus i 0)",
    "(times i 0)",
    "(times i 1)",
    "(times i -1)",
    "(times (times i c) d)",
    "(times (- i) j)",
    "(times (plus i c) d)",
    "(- (- i))",
    "(- (times i c))",
    "(- (plus i c))",
    "(- (plus i (- j)))",
    "(div i 0)",
    "(div i 1)",
    "(mod i 0)",
    "(mod i 1)",
    "(div (times i c) c)",
    "(mod (times i c) c)",
    "(div (unsigned x) c)",
    "(mod (unsigned x) c)",
    "(mod (mod i c) d)",
    "(< i c)",
    "(< c i)",
    "(<= (plus i c) d)",
    "(<= c (plus i d))",
    "(<= (plus i c) (plus j d))",
    "(< i (plus j c))",
    "(< (plus i c) i)",
    "(<= (plus i (- j)) c)",
    "(<= c (plus (- i) j))",
    "(<= (times i c) d)",
    "(<= c (times i d))",
    "(<= (- i) c)",
    "(<= (times i c) (times j c))",
    "(<= (unsigned x) c)",
    "(< c (signed x))",
    "(< (unsigned x) (signed y))",
    "(<= (signed x) (unsigned (zext x)))",
    "(<= (unsigned x) (unsigned y))",
    "(<= (signed x) (signed (sext y)))",
    "(<= (ite p c i) d)",
    "(< c (ite p i d))",
    "(== (unsigned x) c)",
    "(== (signed x) c)",
    "(== (signed x) (unsigned y))",
    "(== (plus i c) d)",
    "(== (plus i c) (plus j d))",
    "(== (plus i (- j)) c)",
    "(== (times i c) d)",
    "(== (times i c) (times j c))",
    "(signed (sext x))",
    "(unsigned (zext x))",
    "(signed (zext x))",
    "(signed (%u x 8))",
    "(bits (unsigned x))",
    "(bits (signed x))",
    "(bits (mod i c))",
];
