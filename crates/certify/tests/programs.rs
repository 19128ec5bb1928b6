//! Loops of programs, translated into relations, and claims about them: the kernel sees what the machine does.

use base::{Budget, Index};
use evidence::expression::{constant, now};
use evidence::{Bound, Formula, Invariant, Ranking};
use logic::Binary;
use logic::solver::Embedded;
use loopscope_certify as certify;
use loopscope_certify::{Refusal, Translation};
use program::interpret::Integers;
use program::{BlockId, FunctionId};

/// The loop with head `b1` of the only function.
fn translated(body: &str, integers: Integers) -> Result<Translation, Refusal> {
    let text = format!("data_model LP64 {body}");
    let program = program::text::parse(&text).expect("the test's program parses");
    program::verify::verify(&program).expect("the test's program is well formed");
    let (function, head) = (FunctionId::new(0), BlockId::new(1));
    certify::translate(&program, function, head, "loop", integers, &Budget::unlimited())
}

fn holds(translation: &mut Translation, formula: Formula) -> bool {
    let invariant = Invariant { formula, established: false };
    let (mut solver, mut budget): (Embedded, _) = (Embedded::new(), Budget::steps(10_000_000));
    let Translation { terms, relation, .. } = translation;
    certify::check_invariant(terms, relation, &invariant, &mut solver, &mut budget).is_ok()
}

fn ends(translation: &mut Translation, ranking: Ranking) -> bool {
    let (mut solver, mut budget): (Embedded, _) = (Embedded::new(), Budget::steps(10_000_000));
    let Translation { terms, relation, .. } = translation;
    certify::check_ranking(terms, relation, &ranking, &mut solver, &mut budget).is_ok()
}

fn bounded(translation: &mut Translation, bound: &Bound) -> bool {
    let (mut solver, mut budget): (Embedded, _) = (Embedded::new(), Budget::steps(10_000_000));
    let Translation { terms, relation, .. } = translation;
    certify::check_bound(terms, relation, bound, &mut solver, &mut budget).is_ok()
}

/// `for (; i < n; i++)` over integers of this type.
fn counting(ty: &str) -> String {
    format!(
        "function f(%i: {ty}, %n: {ty}) {{
         b0: goto b1
         b1: loop for  if %i < %n goto b2 else b3
         b2: %i := %i + 1:{ty}  goto b1
         b3: return }}"
    )
}

#[test]
fn a_counter_stays_below_its_limit_and_ends() {
    for ty in ["i8", "u32", "i64"] {
        let mut translation = translated(&counting(ty), Integers::Machine).expect("a loop");
        assert!(translation.relation.is_exact());
        assert!(holds(&mut translation, now("i").at_most(now("n"))), "{ty}");
        assert!(!holds(&mut translation, now("i").below(now("n"))), "{ty}");
        assert!(ends(&mut translation, Ranking::Linear(now("n") - now("i"))), "{ty}");
        assert!(!ends(&mut translation, Ranking::Linear(now("i") - now("n"))), "{ty}");
        let (from, to) = (evidence::expression::entry("i"), evidence::expression::entry("n"));
        let bound = Bound { bound: to - from, rank: now("n") - now("i") };
        // From a state in which the loop is not entered the number would be negative.
        assert!(!bounded(&mut translation, &bound), "{ty}");
        let Translation { terms, relation, .. } = &mut translation;
        let op = if ty == "u32" { Binary::UnsignedLessEqual } else { Binary::SignedLessEqual };
        let enters = terms.binary(op, relation.variable("i"), relation.variable("n"));
        relation.set_initially(terms, enters).expect("a condition on the state");
        assert!(bounded(&mut translation, &bound), "{ty}");
    }
}

#[test]
fn a_counter_that_wraps_is_not_taken_for_one_that_grows() {
    let body = "function f(%i: u8) {
        b0: goto b1
        b1: loop while  if %i != 0:u8 goto b2 else b3
        b2: %i := %i + 1:u8  goto b1
        b3: return }";
    let mut machine = translated(body, Integers::Machine).expect("a loop");
    assert!(!holds(&mut machine, now("i").above(constant(0))));
    // It ends because it wraps to zero: 256 - i gets less with every pass, also with the last one, but for that.
    assert!(!ends(&mut machine, Ranking::Linear(constant(256) - now("i"))));
    assert!(!ends(&mut machine, Ranking::Linear(now("i"))));
    let mut mathematical = translated(body, Integers::Mathematical).expect("a loop");
    assert!(holds(&mut mathematical, now("i").above(constant(0))));
}

#[test]
fn memory_is_part_of_the_state() {
    let body = "function f(%i: i64) {
          object a: 40 align 4
          temporary %t: i32
        b0: begin a  goto b1
        b1: loop while  if %i < 10:i64 goto b2 else b3
        b2: check writable &a + (%i * 4:i64), 4:u64
            store &a + (%i * 4:i64) := 7:i32
            %t := load &a + (%i * 4:i64)
            %i := %i + 1:i64
            goto b1
        b3: return }";
    let mut translation = translated(body, Integers::Machine).expect("a loop");
    assert!(!translation.demands.is_empty(), "the write may be out of bounds");
    assert!(holds(&mut translation, now("t").equals(constant(7))));
    assert!(!holds(&mut translation, now("t").equals(constant(8))));
    // Only passes that stay in bounds are passes: an index below zero makes none.
    assert!(holds(&mut translation, now("i").below(constant(0))));
}

#[test]
fn what_has_no_place_in_a_relation_is_refused() {
    let nested = "function f(%c: bool) {
        b0: goto b1
        b1: loop while  if %c goto b2 else b4
        b2: loop while  if %c goto b3 else b1
        b3: goto b2
        b4: return }";
    let Err(refusal) = translated(nested, Integers::Machine) else { panic!("a loop inside is refused") };
    assert!(refusal.to_string().contains("a loop inside"), "{refusal}");
    let straight = "function f() { b0: goto b1 b1: return }";
    assert!(translated(straight, Integers::Machine).is_err());
}
