//! Why loops of C programs are left: which arguments the kernel takes, and which ones it must refuse.

mod source;

use base::Budget;
use evidence::{
    AbstractionMode, Expression, Formula, Overflow, ProofMode, Property, Ranking, Termination,
    TransitionInvariant, WellFounded,
};
use loopscope_certify::abstraction::{Abstraction, ArgumentCheck, Effort};
use program::Program;
use program::interpret::Integers;

use self::source::{opened, program};

fn abstraction(program: &Program, integers: Integers, overflow: Overflow) -> Abstraction<'_> {
    let abstract_loops = Some(AbstractionMode { iterations: 1, decided: 0 });
    let mode = ProofMode { calls: 50, abstract_loops, ..ProofMode::abstraction(1, overflow) };
    opened(program, "main", Property::Termination, integers, mode)
}

fn number(text: &str) -> Expression {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn text_formula(text: &str) -> Formula {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn linear(text: &str) -> Termination {
    Termination::Ranking(Ranking::Linear(number(text)))
}

fn disjunctive(disjuncts: &[(&str, Option<&str>)]) -> Termination {
    let argument = |rank: &Option<&str>| match rank {
        Some(rank) => WellFounded::Ranking(number(rank)),
        None => WellFounded::FiniteOrder,
    };
    Termination::Disjunctive {
        invariant: TransitionInvariant {
            disjuncts: disjuncts.iter().map(|(text, _)| text_formula(text)).collect(),
        },
        arguments: disjuncts.iter().map(|(_, rank)| argument(rank)).collect(),
    }
}

/// Whether the kernel takes an argument for a loop: they are numbered in the order of their heads.
fn takes(abstraction: &mut Abstraction<'_>, number: usize, argument: &Termination) -> bool {
    let mut abstract_loops: Vec<usize> = (0..abstraction.abstract_loops().len()).collect();
    abstract_loops.sort_by_key(|&abstract_loop| abstraction.abstract_loops()[abstract_loop].location);
    let termination_argument =
        abstraction.ends(abstract_loops[number], argument, Effort::default(), &mut Budget::unlimited());
    match termination_argument {
        ArgumentCheck::Left => true,
        ArgumentCheck::Iteration(_) => false,
        ArgumentCheck::NotKnown(_) | ArgumentCheck::Refused(_) => false,
    }
}

#[test]
fn a_rank_must_decrease_and_be_bounded() {
    let program = program("int main(void) { int n = nondet(); int i = 0; while (i < n) i++; return i; }");
    let mut abstraction = abstraction(&program, Integers::Machine, Overflow::Excluded);
    for wrong in ["i", "i - n", "0", "-i", "n", "n - i - 2"] {
        assert!(!takes(&mut abstraction, 0, &linear(wrong)), "{wrong}");
        assert!(abstraction.termination_argument(0).is_none());
    }
    assert!(takes(&mut abstraction, 0, &linear("n - i")));
    assert!(abstraction.conclude(Effort::default(), &mut Budget::unlimited()).is_some());
}

#[test]
fn nothing_is_proved_while_a_loop_has_no_argument() {
    let text = "int main(void) { int i = nondet(); while (i > 0) i--; while (nondet()) i++; return 0; }";
    let program = program(text);
    let mut abstraction = abstraction(&program, Integers::Mathematical, Overflow::Excluded);
    assert!(takes(&mut abstraction, 0, &linear("i")));
    assert!(!takes(&mut abstraction, 1, &linear("i")));
    assert!(abstraction.conclude(Effort::default(), &mut Budget::unlimited()).is_none());
}

#[test]
fn numbers_that_wrap_are_seen() {
    let text = "int main(void) { unsigned i = nondet(), n = nondet(); while (i != n) i += 2; return 0; }";
    let program = program(text);
    let mut machine = abstraction(&program, Integers::Machine, Overflow::Excluded);
    assert!(!takes(&mut machine, 0, &linear("n - i")));
    assert!(!takes(&mut machine, 0, &linear("4294967295 - i")));
}

#[test]
fn what_an_overflow_gives_is_not_relied_upon() {
    let text = "int main(void) { int i = nondet(); while (i > 0) i++; return 0; }";
    let program = program(text);
    // If nothing overflows the loop is left: but that is to be proved.
    let mut defined = abstraction(&program, Integers::Machine, Overflow::Excluded);
    assert!(takes(&mut defined, 0, &linear("2147483647 - i")));
    assert!(defined.conclude(Effort::default(), &mut Budget::unlimited()).is_none());
    let mut any = abstraction(&program, Integers::Machine, Overflow::Any);
    assert!(!takes(&mut any, 0, &linear("2147483647 - i")));
}

#[test]
fn components_may_take_turns() {
    let text = "int main(void) { int x = nondet(), y = nondet();
        while (x > 0 && y > 0) { if (nondet()) { x--; y = nondet(); } else y--; } return 0; }";
    let program = program(text);
    let mut abstraction = abstraction(&program, Integers::Mathematical, Overflow::Excluded);
    let pair =
        |first, second| Termination::Ranking(Ranking::Lexicographic(vec![number(first), number(second)]));
    assert!(!takes(&mut abstraction, 0, &pair("y", "x")));
    assert!(!takes(&mut abstraction, 0, &linear("x + y")));
    assert!(takes(&mut abstraction, 0, &pair("x", "y")));
}

#[test]
fn phases_follow_each_other() {
    let text = "int main(void) { int x = nondet(), y = nondet(); while (x > 0) { x += y; y--; } return 0; }";
    let program = program(text);
    let mut abstraction = abstraction(&program, Integers::Mathematical, Overflow::Excluded);
    let nested = |first, second| Termination::Ranking(Ranking::Nested(vec![number(first), number(second)]));
    assert!(!takes(&mut abstraction, 0, &nested("x", "y")));
    assert!(takes(&mut abstraction, 0, &nested("y + 1", "x")));
}

#[test]
fn disjuncts_must_cover_all_later_states_and_have_no_infinite_chain() {
    let text = "int main(void) { int x = nondet(), y = nondet();
        while (x != y) { if (x > y) y++; else x++; } return 0; }";
    let program = program(text);
    let mut abstraction = abstraction(&program, Integers::Mathematical, Overflow::Excluded);
    let up = "x > y && y' > y && x' == x && y' <= x'";
    let down = "x < y && x' > x && y' == y && x' <= y'";
    // One case is missing, a rank is wrong, a relation is no order of finitely many values.
    assert!(!takes(&mut abstraction, 0, &disjunctive(&[(up, Some("x - y"))])));
    assert!(!takes(&mut abstraction, 0, &disjunctive(&[(up, Some("y - x")), (down, Some("y - x"))])));
    assert!(!takes(&mut abstraction, 0, &disjunctive(&[(up, None), (down, None)])));
    assert!(takes(&mut abstraction, 0, &disjunctive(&[(up, Some("x - y")), (down, Some("y - x"))])));
}

#[test]
fn an_order_of_finitely_many_values_is_enough_on_a_machine() {
    let text = "int main(void) { unsigned char i = nondet(); while (i) i = i >> 1; return 0; }";
    let program = program(text);
    let mut abstraction = abstraction(&program, Integers::Machine, Overflow::Excluded);
    assert!(!takes(&mut abstraction, 0, &disjunctive(&[("i' <= i", None)])));
    assert!(takes(&mut abstraction, 0, &disjunctive(&[("i' < i", None)])));
}
