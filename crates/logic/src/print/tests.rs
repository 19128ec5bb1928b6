//! What terms look like.

use super::text;
use crate::node::{Binary, Node, Unary};
use crate::random::{Generator, Shape};
use crate::sort::{Scalar, Sort};
use crate::terms::{Term, Terms};

/// A store that keeps terms as they are, and three symbols of 32 bits.
fn words() -> (Terms, Term, Term, Term) {
    let mut terms = Terms::without_simplification();
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.fresh(name, Sort::BitVector(32)));
    (terms, x, y, z)
}

#[test]
fn parentheses_stand_only_where_precedence_needs_them() {
    use Binary::*;
    let (mut terms, x, y, z) = words();
    let product = terms.binary(BitMultiply, x, y);
    let sum = terms.binary(BitAdd, product, z);
    assert_eq!(text(&terms, sum), "x * y + z");
    let other = terms.binary(BitAdd, x, y);
    let product = terms.binary(BitMultiply, other, z);
    assert_eq!(text(&terms, product), "(x + y) * z");
    let difference = terms.binary(BitSubtract, x, other);
    assert_eq!(text(&terms, difference), "x - (x + y)");
    let one = terms.bits(32, 1);
    let bit = terms.binary(BitAnd, x, one);
    let even = terms.equal(bit, one);
    let odd = terms.not(even);
    assert_eq!(text(&terms, odd), "(x & 1) != 1");
    let less = terms.binary(UnsignedLess, x, y);
    let both = terms.and(less, odd);
    let either = terms.or(both, even);
    assert_eq!(text(&terms, either), "x <u y && (x & 1) != 1 || (x & 1) == 1");
    let neither = terms.not(either);
    assert_eq!(text(&terms, neither), "!(x <u y && (x & 1) != 1 || (x & 1) == 1)");
    let choice = terms.ite(less, x, y);
    let doubled = terms.binary(BitAdd, choice, choice);
    assert_eq!(text(&terms, doubled), "(x <u y ? x : y) + (x <u y ? x : y)");
}

#[test]
fn constants_are_written_as_their_place_reads_them() {
    use Binary::*;
    let (mut terms, x, y, _) = words();
    let minus_one = terms.signed_bits(32, -1);
    let before = terms.binary(BitAdd, x, minus_one);
    assert_eq!(text(&terms, before), "x - 1");
    let signed = terms.binary(SignedLess, minus_one, x);
    assert_eq!(text(&terms, signed), "x > -1");
    let unsigned = terms.binary(UnsignedLessEqual, x, minus_one);
    assert_eq!(text(&terms, unsigned), "x <=u 4294967295");
    let mask = terms.binary(BitAnd, x, minus_one);
    assert_eq!(text(&terms, mask), "x & 0xffffffff");
    let negated = terms.unary(Unary::BitNegate, minus_one);
    let product = terms.binary(BitMultiply, negated, y);
    assert_eq!(text(&terms, product), "-(-1) * y");
}

#[test]
fn bits_arrays_and_numbers_have_their_own_notation() {
    use Binary::*;
    let (mut terms, x, y, _) = words();
    let wide = terms.unary(Unary::SignExtend(32), x);
    assert_eq!(text(&terms, wide), "(s64)x");
    let byte = terms.extract(7, 0, x);
    let upper = terms.extract(15, 8, x);
    let joined = terms.binary(Concat, upper, byte);
    assert_eq!(text(&terms, joined), "x[15:8] ## (u8)x");
    let word = Scalar::BitVector(32);
    let array = terms.fresh("a", Sort::Array(word, word));
    let changed = terms.store(array, x, y);
    let element = terms.select(changed, y);
    assert_eq!(text(&terms, element), "a[x := y][y]");
    let zeros = terms.constant_array(word, x);
    assert_eq!(text(&terms, zeros), "all(x)");
    let (n, m) = (terms.unary(Unary::SignedToInteger, x), terms.unary(Unary::UnsignedToInteger, y));
    let minus = terms.unary(Unary::Negate, m);
    let difference = terms.binary(Add, n, minus);
    let two = terms.integer(2);
    let half = terms.binary(Divide, difference, two);
    assert_eq!(text(&terms, half), "div(signed(x) - unsigned(y), 2)");
    let overflow = terms.binary(SignedMultiplyOverflows, x, y);
    assert_eq!(text(&terms, overflow), "signed_overflow(x * y)");
}

#[test]
fn symbols_of_one_name_are_told_apart() {
    let mut terms = Terms::new();
    let (x, y) = (terms.fresh("x", Sort::Bool), terms.fresh("x", Sort::Bool));
    let both = terms.and(x, y);
    assert_eq!(text(&terms, both), "x#0 && x#1");
    assert_eq!(text(&terms, x), "x");
}

#[test]
fn common_parts_are_named_and_depth_is_no_problem() {
    let (mut terms, x, y, _) = words();
    let mut term = x;
    for _ in 0..200 {
        let sum = terms.binary(Binary::BitAdd, term, y);
        term = terms.binary(Binary::BitMultiply, sum, sum);
    }
    let doubled = text(&terms, term);
    assert!(doubled.len() < 200 * 60, "{doubled}");
    assert!(doubled.starts_with("let _1 = "), "{doubled}");
    let mut deep = x;
    for _ in 0..300_000 {
        deep = terms.intern(Node::Unary(Unary::BitNot, deep));
    }
    assert_eq!(text(&terms, deep).len(), 300_001);
}

#[test]
fn all_terms_have_a_text() {
    let mut terms = Terms::new();
    let mut generator = Generator::with_shape(7, Shape::mixed(&[8, 130]));
    for _ in 0..300 {
        let sort = generator.sort();
        let term = generator.term(&mut terms, sort);
        assert!(!text(&terms, term).is_empty());
    }
}
