//! Marks: when the kernel says that no run comes by, and that it says nothing once something was supposed.

mod source;

use base::{Budget, Index};
use evidence::{Leapt, Manner, Overflow, Property};
use loopscope_certify::Candidate;
use loopscope_certify::leaps::{Effort, Finding, Leaping, Obstacle};
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
    program::text::parse(COUNTS).expect("the test's program parses")
}

fn leaping(program: &Program) -> Leaping<'_> {
    let leaps = Some(Leapt { passes: 1, decided: 0 });
    let manner = Manner { calls: 50, leaps, ..Manner::leaping(1, Overflow::Wraps) };
    opened(program, "main", NOTHING, Integers::Machine, manner)
}

/// Nothing but marks is of interest.
const NOTHING: Property = Property::Obligations(ObligationSet::EMPTY);

fn never(leaping: &mut Leaping<'_>, mark: usize) -> Result<(), Obstacle> {
    let marks = [MarkId::new(mark)];
    leaping.prove_never_passed(&marks, Effort::default(), &mut Budget::unlimited()).map(|_| ())
}

fn candidate(text: &str) -> Candidate {
    Candidate { leap: 0, formula: text.parse().expect("the test's formula parses") }
}

#[test]
fn a_fact_shows_that_a_mark_is_never_passed() {
    let program = program();
    let mut leaping = leaping(&program);
    assert_eq!(never(&mut leaping, 1), Err(Obstacle::Passed));
    let fact = [candidate("i <= n")];
    assert_eq!(leaping.accept(&[0], &fact, Effort::default(), &mut Budget::unlimited()), [true]);
    assert_eq!(never(&mut leaping, 1), Ok(()));
    // The path goes on after a mark: what comes later is passed, too.
    assert_eq!(never(&mut leaping, 0), Err(Obstacle::Passed));
    assert_eq!(never(&mut leaping, 2), Err(Obstacle::Passed));
}

#[test]
fn nothing_is_proved_after_a_supposition() {
    let program = program();
    let mut leaping = leaping(&program);
    let budget = &mut Budget::unlimited();
    leaping.suppose(&[candidate("i <= n"), candidate("i == n + 1")]);
    assert_eq!(never(&mut leaping, 1), Err(Obstacle::Passed));
    for mark in 0..3 {
        for demand in leaping.passes(MarkId::new(mark)) {
            assert!(!matches!(leaping.examine(demand, Effort::default(), budget), Finding::Holds));
        }
    }
    assert!(leaping.conclude(Effort::default(), budget).is_none());
    assert_eq!(leaping.accept(&[0], &[candidate("i >= 0")], Effort::default(), budget), [false]);
}

#[test]
fn unrolling_ends_where_the_loop_goes_on() {
    let program = program();
    let manner = Manner { recursion: 2, calls: 50, ..Manner::unrolled(3, Overflow::Wraps) };
    let mut leaping = opened(&program, "main", NOTHING, Integers::Machine, manner);
    assert_eq!(never(&mut leaping, 1), Err(Obstacle::OpenEnd));
    assert_eq!(never(&mut leaping, 2), Err(Obstacle::Passed));
}
