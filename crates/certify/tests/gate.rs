//! The gate: proofs that it lets through, and what it must refuse whatever the evidence says.

mod source;

use std::collections::BTreeSet;

use base::Budget;
use evidence::{
    Argued, Chains, Claimed, Of, Overflow, Proof, ProofMode, Property, Ranking, Statement, Termination,
};
use loopscope_certify::LoopCertificate;
use loopscope_certify::abstraction::{Abstraction, Effort};
use loopscope_certify::gate::check_parts;
use loopscope_certify::{Certificate, Claim, ModularFunctions, Refusal, Subject, check};
use program::Program;
use program::interpret::Integers;

use self::source::program;

fn claim(program: &Program, property: Property) -> Claim {
    let function = program.function_named("main").expect("there is a main");
    Claim { function, property, integers: Integers::Machine }
}

fn rank(text: &str) -> Claimed {
    let rank = text.parse().expect("an expression");
    Claimed { of: Of::AbstractLoop(0), what: Statement::Left(Termination::Ranking(Ranking::Linear(rank))) }
}

fn invariant(text: &str) -> Claimed {
    Claimed { of: Of::AbstractLoop(0), what: Statement::LoopInvariant(text.parse().expect("a formula")) }
}

fn checked(
    text: &str,
    property: Property,
    mode: ProofMode,
    claims: Vec<Claimed>,
) -> Result<Certificate, Refusal> {
    let program = program(text);
    let proof = Proof { mode, claims, ..Proof::default() };
    check(&program, claim(&program, property), &proof, Effort::default(), &Budget::unlimited())
}

const COUNTS: &str = "int main(void) { int n = nondet(), i = 0; while (i < n) i++; return 0; }";

#[test]
fn a_certificate_says_what_was_proved() {
    let mode = ProofMode::abstraction(1, Overflow::Excluded);
    let certificate = checked(COUNTS, Property::Termination, mode, vec![rank("n - i")]).expect("it holds");
    assert_eq!(certificate.claim().property, Property::Termination);
    assert_eq!(certificate.mode().overflow, Overflow::Excluded);
}

#[test]
fn an_argument_is_needed_for_every_loop() {
    let mode = ProofMode::abstraction(1, Overflow::Excluded);
    for claims in [Vec::new(), vec![rank("i")], vec![rank("0")]] {
        assert!(checked(COUNTS, Property::Termination, mode, claims).is_err());
    }
}

#[test]
fn a_loop_that_ends_only_because_a_number_wraps_is_refused_in_every_reading() {
    let text = "int main(void) { int i = nondet(); while (i > 0) i++; return 0; }";
    for overflow in [Overflow::Excluded, Overflow::Any, Overflow::Wraps] {
        let mode = ProofMode::abstraction(1, overflow);
        let claims = vec![rank("2147483647 - i")];
        assert!(checked(text, Property::Termination, mode, claims).is_err(), "{overflow:?}");
    }
}

#[test]
fn an_overflow_that_does_not_matter_is_read_in_both_ways() {
    let text = "int main(void) { int n = nondet(), i = 0, s = 0; while (i < n) { i++; s += i; } return s; }";
    let proof = || vec![invariant("i >= 0"), rank("n - i")];
    for (overflow, holds) in [(Overflow::Excluded, false), (Overflow::Any, true), (Overflow::Wraps, true)] {
        let answer = checked(text, Property::Termination, ProofMode::abstraction(1, overflow), proof());
        assert_eq!(answer.is_ok(), holds, "{overflow:?}: {answer:?}");
    }
}

#[test]
fn chains_of_calls_say_nothing_of_other_properties_or_without_overflow() {
    let text =
        "int f(int n) { if (n <= 0) return 0; return f(n - 1); } int main(void) { return f(nondet()); }";
    for (property, overflow) in
        [(Property::NoOverflow, Overflow::Any), (Property::Termination, Overflow::Wraps)]
    {
        let mode = ProofMode { chains: Some(Chains::WithoutMemory), ..ProofMode::abstraction(1, overflow) };
        assert!(checked(text, property, mode, vec![rank("n")]).is_err(), "{property:?}, {overflow:?}");
    }
}

#[test]
fn what_is_asked_must_hold() {
    let text =
        "int main(void) { int n = nondet(), i = 0; while (i < n) i++; if (i > 5) reach_error(); return 0; }";
    let mode = ProofMode::abstraction(1, Overflow::Wraps);
    assert!(checked(text, Property::UnreachCall, mode, vec![invariant("i >= 0")]).is_err());
    let text =
        "int main(void) { int n = nondet(), i = 0; while (i < n) i++; if (i < 0) reach_error(); return 0; }";
    assert!(checked(text, Property::UnreachCall, mode, vec![invariant("i >= 0")]).is_ok());
    assert!(checked(text, Property::UnreachCall, mode, Vec::new()).is_err());
    let unrolled = ProofMode::unrolled(8, Overflow::Wraps);
    assert!(checked(text, Property::UnreachCall, unrolled, Vec::new()).is_err(), "longer runs are left out");
}

#[test]
fn wrong_statements_are_listed_and_not_used() {
    let program = program(COUNTS);
    let claims = vec![invariant("i == 3"), rank("n - i"), invariant("i >= 0")];
    let proof = Proof { mode: ProofMode::abstraction(1, Overflow::Excluded), claims, ..Proof::default() };
    let claim = claim(&program, Property::Termination);
    let (refused, answer) = check_parts(&program, claim, &proof, Effort::default(), &Budget::unlimited());
    assert_eq!(refused, [0]);
    assert!(answer.is_ok());
}

#[test]
fn a_modular_program_proves_nothing_of_whole_runs() {
    let program = program("int main(void) { return 0; }");
    let function = claim(&program, Property::Termination).function;
    let modular = ModularFunctions::of(&program).function(function).expect("it has a body");
    let subject = Subject::modular(&modular, Integers::Machine);
    let mode = ProofMode::modular(Overflow::Excluded);
    let mut abstraction = Abstraction::new(&subject, mode, &mut Budget::unlimited()).expect("it is small");
    assert!(abstraction.conclude(Effort::default(), &mut Budget::unlimited()).is_none());
}

/// What the kernel says of the only loop of `main`, or of a block that the encoding does not come to.
fn stops(text: &str, mode: ProofMode) -> Option<Argued> {
    certified(text, mode, None).map(|found| found.why().clone())
}

/// The same with a rank of the loop, and the whole certificate.
fn certified(text: &str, mode: ProofMode, rank: Option<&str>) -> Option<LoopCertificate> {
    let program = program(text);
    let subject = Subject::of(&program, claim(&program, Property::Termination));
    let mut abstraction = Abstraction::new(&subject, mode, &mut Budget::unlimited()).expect("it is small");
    let function = abstraction.claim().function;
    let body = program.functions[function].body().expect("main has a body");
    let heads: BTreeSet<_> =
        body.blocks.iter().filter(|(_, block)| block.loop_statement.is_some()).map(|(id, _)| id).collect();
    if let Some(rank) = rank {
        let argument = Termination::Ranking(Ranking::Linear(rank.parse().expect("a number")));
        abstraction.ends(0, &argument, Effort::default(), &mut Budget::unlimited());
    }
    abstraction.stops(function, &heads, Effort::default(), &mut Budget::unlimited())
}

#[test]
fn a_certificate_says_whether_it_hangs_on_overflow() {
    let upwards = "int main(void) { int i = nondet(); while (i != 7) i++; return 0; }";
    let below = "int main(void) { int i = nondet(); while (i < 7) i++; return 0; }";
    let rank = |text: &str, overflow: Overflow, rank: &str| {
        let certificate = certified(text, ProofMode::abstraction(1, overflow), Some(rank));
        certificate.map(|certificate| certificate.stops().is_some_and(|stops| stops.unless_overflow()))
    };
    assert_eq!(rank(upwards, Overflow::Excluded, "2147483647 - i"), Some(true));
    assert_eq!(rank(upwards, Overflow::Any, "2147483647 - i"), None);
    assert_eq!(rank(below, Overflow::Excluded, "7 - i"), Some(false));
    assert_eq!(rank(below, Overflow::Any, "7 - i"), Some(false));
}

#[test]
fn a_loop_without_an_argument_does_not_stop() {
    let mode = ProofMode::abstraction(1, Overflow::Excluded);
    assert_eq!(stops(COUNTS, mode), None);
    let short = "int main(void) { int i = 0; while (i < 5) i++; return i; }";
    assert_eq!(stops(short, mode), Some(Argued::Followed));
    let never = "int main(void) { int n = nondet(); if (n < 3 && n > 4) { while (n) n--; } return 0; }";
    assert!(matches!(stops(never, mode), None | Some(Argued::NotReached)));
}

/// A block in the body of a loop has no abstract loop of its own; that does not mean that control leaves it.
#[test]
fn blocks_that_are_no_loop_are_not_left() {
    let program = program("int main(void) { int n = nondet(); while (n) { if (nondet()) n++; } return n; }");
    let subject = Subject::of(&program, claim(&program, Property::Termination));
    let mode = ProofMode::abstraction(1, Overflow::Any);
    let mut abstraction = Abstraction::new(&subject, mode, &mut Budget::unlimited()).expect("it is small");
    let function = abstraction.claim().function;
    let body = program.functions[function].body().expect("main has a body");
    for block in body.blocks.ids() {
        let found = abstraction.stops(
            function,
            &BTreeSet::from([block]),
            Effort::default(),
            &mut Budget::unlimited(),
        );
        assert_eq!(found, None, "{block:?}");
    }
}

#[test]
fn nothing_is_said_of_loops_where_a_path_is_left_out() {
    let text =
        "int main(void) { int i = 0; __asm__ volatile(\"nop\" : \"+r\"(i)); while (i < 5) i++; return i; }";
    let deep = "int f(int n) { return n <= 0 ? 0 : f(n - 1); }
        int main(void) { int i = f(nondet()); while (i < 5) i++; return i; }";
    for text in [text, deep] {
        let answer = stops(text, ProofMode { recursion: 1, ..ProofMode::abstraction(1, Overflow::Excluded) });
        assert_eq!(answer, None, "{text}");
    }
}
