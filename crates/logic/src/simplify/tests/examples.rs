//! What becomes of terms like those that programs give, and that size is no problem.

use crate::node::{Binary, Unary};
use crate::print::text;
use crate::sort::{Scalar, Sort};
use crate::terms::{Term, Terms};

struct Example {
    terms: Terms,
}

impl Example {
    fn new() -> Self {
        Self { terms: Terms::new() }
    }

    fn word(&mut self, name: &str) -> Term {
        self.terms.fresh(name, Sort::BitVector(32))
    }

    fn truth(&mut self, name: &str) -> Term {
        self.terms.fresh(name, Sort::Bool)
    }

    fn binary(&mut self, op: Binary, a: Term, b: Term) -> Term {
        self.terms.binary(op, a, b)
    }

    /// The address of a byte of a word at an index, as C computes it.
    fn address(&mut self, index: Term, byte: u32) -> Term {
        let index = self.terms.resize(index, 64, true);
        let four = self.terms.bits(64, 4);
        let offset = self.terms.binary(Binary::BitMultiply, index, four);
        let byte = self.terms.bits(64, byte.into());
        self.terms.binary(Binary::BitAdd, offset, byte)
    }

    fn write(&mut self, mut memory: Term, index: Term, word: Term) -> Term {
        for byte in 0..4 {
            let address = self.address(index, byte);
            let part = self.terms.extract(8 * byte + 7, 8 * byte, word);
            memory = self.terms.store(memory, address, part);
        }
        memory
    }

    fn read(&mut self, memory: Term, index: Term) -> Term {
        let parts: Vec<Term> = (0..4)
            .map(|byte| {
                let address = self.address(index, byte);
                self.terms.select(memory, address)
            })
            .collect();
        parts
            .into_iter()
            .reduce(|low, high| self.terms.binary(Binary::Concat, high, low))
            .expect("four bytes")
    }

    fn assert(&self, term: Term, expected: &str) {
        assert_eq!(text(&self.terms, term), expected);
    }
}

#[test]
fn overflow_checks_become_comparisons_of_the_variable() {
    let mut example = Example::new();
    let i = example.word("i");
    let wide = example.terms.resize(i, 64, true);
    let one = example.terms.bits(64, 1);
    let sum = example.binary(Binary::BitAdd, wide, one);
    let most = example.terms.bits(64, i32::MAX as u128);
    let fits = example.binary(Binary::SignedLessEqual, sum, most);
    example.assert(fits, "i != 2147483647");
    let least = example.terms.signed_bits(64, i32::MIN.into());
    let fits = example.binary(Binary::SignedLessEqual, least, sum);
    example.assert(fits, "true");
    let back = example.terms.resize(sum, 32, true);
    example.assert(back, "i + 1");
}

#[test]
fn paths_that_meet_again_are_the_path_before() {
    let mut example = Example::new();
    let (p, c, d) = (example.truth("p"), example.truth("c"), example.truth("d"));
    let (x, y) = (example.word("x"), example.word("y"));
    let less = example.binary(Binary::SignedLess, x, y);
    let not = example.terms.not(less);
    let (then, otherwise) = (example.terms.and(p, less), example.terms.and(p, not));
    let met = example.terms.or(then, otherwise);
    assert_eq!(met, p);
    // One of three ways returns early.
    let (inner, outside) = (example.terms.and(p, c), example.terms.not(c));
    let kept = example.terms.and(inner, d);
    let outside = example.terms.and(p, outside);
    let met = example.terms.or(kept, outside);
    example.assert(met, "p && (d || !c)");
}

#[test]
fn characters_are_added_as_characters() {
    let mut example = Example::new();
    let c = example.terms.fresh("c", Sort::BitVector(8));
    let d = example.terms.fresh("d", Sort::BitVector(8));
    let (wide, other) = (example.terms.resize(c, 32, true), example.terms.resize(d, 32, false));
    let sum = example.binary(Binary::BitAdd, wide, other);
    let one = example.terms.bits(32, 1);
    let sum = example.binary(Binary::BitSubtract, sum, one);
    let stored = example.terms.resize(sum, 8, true);
    example.assert(stored, "c + d - 1");
    let digit = example.terms.bits(32, 48);
    let is_digit = example.binary(Binary::SignedLessEqual, digit, other);
    example.assert(is_digit, "d >=u 48");
}

#[test]
fn words_in_memory_are_read_as_they_were_written() {
    let mut example = Example::new();
    let memory = example.terms.fresh("memory", Sort::Array(Scalar::BitVector(64), Scalar::BitVector(8)));
    let (i, x, y) = (example.word("i"), example.word("x"), example.word("y"));
    let written = example.write(memory, i, x);
    assert_eq!(example.read(written, i), x);
    let again = example.write(written, i, y);
    assert_eq!(again, example.write(memory, i, y), "the first write is forgotten");
    let (first, second) = (example.terms.bits(32, 7), example.terms.bits(32, 8));
    let written = example.write(memory, first, x);
    let written = example.write(written, second, y);
    assert_eq!(example.read(written, first), x);
    // A write under a condition is a write of a choice.
    let c = example.truth("c");
    let changed = example.write(memory, i, x);
    let merged = example.terms.ite(c, changed, memory);
    let old = example.read(memory, i);
    let read = example.read(merged, i);
    let expected = example.terms.ite(c, x, old);
    assert_eq!(read, expected);
}

#[test]
fn truths_made_numbers_and_back_are_truths() {
    let mut example = Example::new();
    let (x, y) = (example.word("x"), example.word("y"));
    let less = example.binary(Binary::SignedLess, x, y);
    let (one, zero) = (example.terms.bits(32, 1), example.terms.bits(32, 0));
    let number = example.terms.ite(less, one, zero);
    let again = example.terms.differ(number, zero);
    assert_eq!(again, less);
    let wide = example.terms.unary(Unary::SignExtend(32), number);
    let zero = example.terms.bits(64, 0);
    let not = example.terms.equal(wide, zero);
    example.assert(not, "y <= x");
}

#[test]
fn depth_and_length_are_no_problem() {
    let mut example = Example::new();
    let x = example.word("x");
    let seven = example.terms.bits(32, 7);
    let memory = example.terms.fresh("memory", Sort::Array(Scalar::BitVector(32), Scalar::BitVector(32)));
    let (mut choice, mut sum, mut path, mut stores) = (x, x, example.terms.bool(true), memory);
    for number in 0..50_000u32 {
        let condition = example.truth("c");
        let constant = example.terms.bits(32, (number % 1000).into());
        choice = example.terms.ite(condition, constant, choice);
        let other = example.word("y");
        sum = example.binary(Binary::BitAdd, sum, other);
        let less = example.binary(Binary::SignedLess, sum, other);
        path = example.terms.and(path, less);
        let index = example.terms.bits(32, number.into());
        stores = example.terms.store(stores, index, other);
    }
    let equal = example.terms.equal(choice, seven);
    let low = example.terms.extract(7, 0, choice);
    let low_of_sum = example.terms.extract(7, 0, sum);
    let not = example.terms.not(path);
    let element = example.terms.select(stores, seven);
    let condition = example.truth("c");
    let merged = example.terms.ite(condition, stores, memory);
    for term in [equal, low, low_of_sum, not, element, merged] {
        assert!(example.terms.reachable(&[term]).len() > 1);
    }
}
