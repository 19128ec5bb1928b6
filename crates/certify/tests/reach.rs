//! Marks: when the kernel says that no run comes by, and that it says nothing once something was supposed.

mod source;

use base::{Budget, Index};
use evidence::{AbstractionMode, Overflow, ProofMode, Property};
use loopscope_certify::Candidate;
use loopscope_certify::abstraction::{Abstraction, Effort, Finding, Obstacle};
use program::interpret::{Integers, ObligationSet};
use program::{MarkId, Program};

use self::source::opened;

/// Counts to an input. Mark 0 is after the loop, mark 1 where the counter is above the input, mark 2 where it is at the input.
const COUNTS: &str = "data_model LP64
    function main() -> i32 {
      variable %i: u32
      variable %n: u32
    b0:
      %n := input nondet
      %i := 0:u32
      goto b1
    b1: loop while
      if %i < %n goto b2 else b3
    b2:
      %i := %i + 1:u32
      goto b1
    b3:
      mark 0
      if %n < %i goto b4 else b5
    b4:
      mark 1
      return 1:i32
    b5:
      mark 2
      return 0:i32
    }";

fn program() -> Program {
    parser::parse(COUNTS).expect("the test's program parses")
}

fn abstraction(program: &Program) -> Abstraction<'_> {
    let abstract_loops = Some(AbstractionMode { iterations: 1, decided: 0 });
    let mode = ProofMode { calls: 50, abstract_loops, ..ProofMode::abstraction(1, Overflow::Wraps) };
    opened(program, "main", NOTHING, Integers::Machine, mode)
}

/// Nothing but marks is of interest.
const NOTHING: Property = Property::Obligations(ObligationSet::EMPTY);

fn never(abstraction: &mut Abstraction<'_>, mark: usize) -> Result<(), Obstacle> {
    let marks = [MarkId::new(mark)];
    abstraction.prove_never_passed(&marks, Effort::default(), &mut Budget::unlimited()).map(|_| ())
}

fn candidate(text: &str) -> Candidate {
    Candidate { abstract_loop: 0, formula: text.parse().expect("the test's formula parses") }
}

#[test]
fn an_invariant_shows_that_a_mark_is_never_passed() {
    let program = program();
    let mut abstraction = abstraction(&program);
    assert_eq!(never(&mut abstraction, 1), Err(Obstacle::Passed));
    let invariant = [candidate("i <= n")];
    assert_eq!(abstraction.accept(&[0], &invariant, Effort::default(), &mut Budget::unlimited()), [true]);
    assert_eq!(never(&mut abstraction, 1), Ok(()));
    // The path goes on after a mark: what comes later is passed, too.
    assert_eq!(never(&mut abstraction, 0), Err(Obstacle::Passed));
    assert_eq!(never(&mut abstraction, 2), Err(Obstacle::Passed));
}

#[test]
fn nothing_is_proved_after_a_supposition() {
    let program = program();
    let mut abstraction = abstraction(&program);
    let budget = &mut Budget::unlimited();
    abstraction.suppose(&[candidate("i <= n"), candidate("i == n + 1")]);
    assert_eq!(never(&mut abstraction, 1), Err(Obstacle::Passed));
    for mark in 0..3 {
        for vc in abstraction.iterations(MarkId::new(mark)) {
            assert!(!matches!(abstraction.examine(vc, Effort::default(), budget), Finding::Holds));
        }
    }
    assert!(abstraction.conclude(Effort::default(), budget).is_none());
    assert_eq!(abstraction.accept(&[0], &[candidate("i >= 0")], Effort::default(), budget), [false]);
}

#[test]
fn unrolling_ends_where_the_loop_goes_on() {
    let program = program();
    let mode = ProofMode { recursion: 2, calls: 50, ..ProofMode::unrolled(3, Overflow::Wraps) };
    let mut abstraction = opened(&program, "main", NOTHING, Integers::Machine, mode);
    assert_eq!(never(&mut abstraction, 1), Err(Obstacle::OpenEnd));
    assert_eq!(never(&mut abstraction, 2), Err(Obstacle::Passed));
}
