//! Claims that are none: of the wrong form, about other numbers than they seem to be, or on grounds that are not
//! checked.

mod source;

use std::collections::BTreeSet;

use base::{Budget, Index};
use evidence::{
    AbstractionMode, Amortised, Comparison, Expression, Formula, Integer, Moment, Overflow, ProofMode,
    Property, Quantity, Raise, Ranking, Restatement, Spent, Termination, TransitionInvariant, WellFounded,
};
use logic::{Sort, Terms};
use loopscope_certify::abstraction::{
    Abstraction, ArgumentCheck, Bounded, Bounding, Count, Edge, Effort, Finding, Obstacle, Reference,
};
use loopscope_certify::wide;
use loopscope_certify::{Candidate, Component, Kind, ModularFunctions, Relation};
use program::interpret::{Integers, ObligationSet};
use program::{MarkId, Obligation, Program};
use transform::modular;

const EFFORT: Effort = Effort {
    batch: loopscope_certify::abstraction::Batch::All,
    steps: 20_000,
    time: std::time::Duration::from_secs(9),
};

fn abstraction<'p>(program: &'p Program, function: &str, steps: u64) -> Abstraction<'p> {
    claiming(
        Property::Obligations(ObligationSet::EMPTY.with(Obligation::ReachError)),
        program,
        function,
        steps,
    )
}

fn claiming<'p>(property: Property, program: &'p Program, function: &str, steps: u64) -> Abstraction<'p> {
    let abstract_loops = Some(AbstractionMode { iterations: steps, decided: 0 });
    let mode = ProofMode {
        iterations: steps - 1,
        calls: 20,
        abstract_loops,
        ..ProofMode::modular(Overflow::Excluded)
    };
    source::opened(program, function, property, Integers::Machine, mode)
}

/// Whether the kernel certifies that the first loop is left.
fn is_left(abstraction: &mut Abstraction<'_>) -> bool {
    let one = &abstraction.abstract_loops()[0];
    let (function, head) = (one.function, BTreeSet::from([one.head]));
    abstraction.stops(function, &head, EFFORT, &mut Budget::unlimited()).is_some()
}

fn number(text: &str) -> Expression {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn formula(text: &str) -> Formula {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn spent(rank: &str, raised: &[(usize, &str, bool)]) -> Spent {
    let raise = |&(by, most, afresh): &(usize, &str, bool)| Raise { by, most: number(most), afresh };
    Spent { rank: number(rank), stride: Integer::ONE, raised: raised.iter().map(raise).collect() }
}

fn bounded(
    abstraction: &mut Abstraction<'_>,
    abstract_loop: usize,
    components: Vec<Spent>,
) -> Option<Bounded> {
    match abstraction.bound(abstract_loop, &Amortised { components }, EFFORT, &mut Budget::unlimited()) {
        Bounding::Bounded(bounded) => Some(*bounded),
        _ => None,
    }
}

const COUNTER: &str = "void f(int n) { int i = 0; while (i < n) { i++; nondet(); } }";

/// An abstract loop over two iterations tells of every second one alone.
#[test]
fn iterations_are_not_counted_by_twos() {
    let program = modular(&source::program(COUNTER));
    let mut two = abstraction(&program, "f", 2);
    let last = two.abstract_loops().len() - 1;
    for abstract_loop in 0..=last {
        assert!(bounded(&mut two, abstract_loop, vec![spent("n - i", &[])]).is_none());
        let budget = &mut Budget::unlimited();
        let exit = formula("i >= n");
        assert_ne!(
            two.holds_at(abstract_loop, Edge::Exit, &exit, EFFORT, budget),
            Ok(true),
            "exits of one iteration are missing"
        );
        let (made, total) = (number("i"), number("max(entry(n), 0)"));
        let count = Count { guard: &Formula::True, made: &made, total: &total };
        assert_ne!(two.counts(abstract_loop, &count, EFFORT, budget), Ok(true));
    }
}

#[test]
fn raises_are_by_earlier_components_once_each() {
    let text =
        "void f(int n, int m) { int i = 0, j = 0; while (i < n) { if (j < m) j++; else { j = 0; i++; } } }";
    let program = modular(&source::program(text));
    let mut abstraction = abstraction(&program, "f", 1);
    let mut takes = |raised: &[(usize, &str, bool)]| {
        bounded(&mut abstraction, 0, vec![spent("n - i", &[]), spent("m - j", raised)]).is_some()
    };
    assert!(takes(&[(0, "entry(m)", false)]));
    assert!(!takes(&[(0, "entry(m)", false), (0, "0", false)]));
    assert!(!takes(&[(0, "0", false), (0, "entry(m)", false)]));
    assert!(!takes(&[(1, "entry(m)", false)]));
    assert!(!takes(&[(7, "entry(m)", false)]));
    let choice = "if(n - i >= 1, m - j, 0)";
    let mut afresh = |components: Vec<Spent>| bounded(&mut abstraction, 0, components).is_some();
    assert!(afresh(vec![spent("n - i", &[]), spent(choice, &[(0, "entry(m)", true)])]));
    let third = spent("0", &[]);
    // Afresh by two, and afresh by one that is raised itself.
    let two = spent(choice, &[(0, "entry(m)", true), (1, "entry(m)", true)]);
    assert!(!afresh(vec![spent("n - i", &[]), third.clone(), two]));
    let raised = spent("n - i", &[(0, "5", false)]);
    assert!(!afresh(vec![third, raised, spent(choice, &[(1, "entry(m)", true)])]));
}

/// A bound that does not hold from the first iteration on.
#[test]
fn what_is_raised_afresh_is_small_at_entry() {
    let text = "void f(int n, int m, int k) { int i = 0, j = k; while (i < n) { if (j < m) j++; else { j = 0; i++; } } }";
    let program = modular(&source::program(text));
    let mut abstraction = abstraction(&program, "f", 1);
    let second = spent("if(n - i >= 1, m - j, 0)", &[(0, "entry(m)", true)]);
    assert!(
        bounded(&mut abstraction, 0, vec![spent("n - i", &[]), second]).is_none(),
        "j may be negative at entry"
    );
}

/// What is raised afresh must be spent when the component that raises it is: the last raise would not be counted.
#[test]
fn what_is_raised_afresh_is_small_at_the_end() {
    let text = "void f(unsigned short n, int m) { int i = 0, j = 0; while (i < n) { if (j < m) j++; else { j = 0; i++; } } }";
    let program = modular(&source::program(text));
    let mut abstraction = abstraction(&program, "f", 1);
    let mut takes = |rank: &str| {
        let second = spent(rank, &[(0, "entry(m)", true)]);
        bounded(&mut abstraction, 0, vec![spent("n - i", &[]), second]).is_some()
    };
    assert!(takes("if(n - i >= 1, m - j, 0)"));
    assert!(!takes("m - j"), "it is m when i is n");
}

#[test]
fn bounds_are_multiplied_from_the_outside_in() {
    let text = "void f(int n, int m) { for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) nondet();
        for (int k = 0; k < m; k++) nondet(); } }";
    let program = modular(&source::program(text));
    let mut abstraction = abstraction(&program, "f", 1);
    let own: Vec<Bounded> = ["n - i", "m - j", "m - k"]
        .iter()
        .enumerate()
        .map(|(abstract_loop, rank)| {
            bounded(&mut abstraction, abstract_loop, vec![spent(rank, &[])]).expect("it has a bound")
        })
        .collect();
    let restatement = |text: &str| Restatement { potentials: vec![number(text)], raises: vec![Vec::new()] };
    let mut restate = |abstract_loop: usize, text: &str, reference| {
        abstraction.restate(
            &own[abstract_loop],
            &restatement(text),
            reference,
            EFFORT,
            &mut Budget::unlimited(),
        )
    };
    let outer = restate(0, "start(n)", Reference::Start).expect("i is zero at entry");
    let inner = restate(1, "start(m)", Reference::Start).expect("j is zero at entry");
    let other = restate(2, "start(m)", Reference::Start).expect("k is zero at entry");
    let within = restate(1, "entry(m)", Reference::Entry(0)).expect("j is zero at entry");
    assert!(restate(1, "entry(m)", Reference::Entry(2)).is_none(), "a loop beside it is none around it");
    assert!(restate(0, "entry(n)", Reference::Entry(1)).is_none());
    assert!(restate(1, "m", Reference::Entry(0)).is_none(), "the values now are not those at entry");
    let wrong = Restatement { potentials: vec![number("start(m)"); 2], raises: vec![Vec::new()] };
    assert!(
        abstraction.restate(&own[1], &wrong, Reference::Start, EFFORT, &mut Budget::unlimited()).is_none()
    );
    let wrong = Restatement { potentials: vec![], raises: vec![] };
    assert!(
        abstraction.restate(&own[1], &wrong, Reference::Start, EFFORT, &mut Budget::unlimited()).is_none()
    );
    assert!(abstraction.multiplied(&[outer.clone(), inner.clone()]).is_some());
    assert_eq!(abstraction.multiplied(&[inner.clone(), outer.clone()]), None);
    assert_eq!(abstraction.multiplied(&[outer.clone(), inner, other]), None);
    assert_eq!(abstraction.multiplied(&[outer.clone(), outer.clone()]), None);
    assert_eq!(abstraction.multiplied(&[outer, within]), None, "they are over values at different places");
    assert_eq!(abstraction.multiplied(&[]), None);
}

#[test]
fn every_disjunct_needs_its_argument() {
    let program =
        modular(&source::program("void f(int n, int k) { while (n > 0) { if (k) n--; else k = 1; } }"));
    let mut abstraction = abstraction(&program, "f", 1);
    let mut takes = |disjuncts: &[&str], ranks: &[&str]| {
        let invariant =
            TransitionInvariant { disjuncts: disjuncts.iter().map(|text| formula(text)).collect() };
        let arguments = ranks.iter().map(|rank| WellFounded::Ranking(number(rank))).collect();
        let argument = Termination::Disjunctive { invariant, arguments };
        matches!(abstraction.ends(0, &argument, EFFORT, &mut Budget::unlimited()), ArgumentCheck::Left)
    };
    let (less, set) = ("n' < n && n > 0 && (k' == k || k' == 1)", "n' == n && k == 0 && k' == 1");
    assert!(takes(&[less, set], &["n", "1 - k * k"]));
    assert!(!takes(&[less, set], &["n"]));
    assert!(!takes(&[less, "true"], &["n"]));
    assert!(!takes(&["true"], &[]));
    assert!(!takes(&[], &[]));
    assert!(!takes(&[less, set], &["n", "n"]));
}

/// What was supposed is no ground for anything, whoever asks.
#[test]
fn suppositions_prove_nothing() {
    let text = "int a[4]; int main(void) { int i = 0, n = nondet(); while (i < n) { i++; a[i & 3] = 1; }
        if (i > 5) reach_error(); return a[0]; }";
    let program = source::program(text);
    let mut abstraction = abstraction(&program, "main", 1);
    abstraction.suppose(&[Candidate { abstract_loop: 0, formula: formula("i > n && i < 5") }]);
    let budget = &mut Budget::unlimited();
    assert!(abstraction.conclude(EFFORT, budget).is_none());
    let rank = Termination::Ranking(Ranking::Linear(number("0")));
    abstraction.ends(0, &rank, EFFORT, budget);
    assert!(!is_left(&mut abstraction));
    let mut ends = claiming(Property::Termination, &program, "main", 1);
    ends.suppose(&[Candidate { abstract_loop: 0, formula: formula("i > n && i < 5") }]);
    ends.ends(0, &rank, EFFORT, budget);
    assert!(ends.conclude(EFFORT, budget).is_none() && !is_left(&mut ends));
    for vc in 0..abstraction.vcs().len() {
        assert!(!abstraction.hold_without_memory(&[vc], EFFORT, budget));
        assert!(!abstraction.hold_closely(&[vc], 3, EFFORT, budget));
        assert!(!matches!(abstraction.examine(vc, EFFORT, budget), Finding::Holds));
    }
    let never = abstraction.prove_never_passed(&[MarkId::new(0)], EFFORT, budget);
    assert_eq!(never.map(drop), Err(Obstacle::Passed));
    assert_ne!(abstraction.holds_at(0, Edge::Exit, &formula("i < 5"), EFFORT, budget), Ok(true));
    assert!(bounded(&mut abstraction, 0, vec![spent("0", &[])]).is_none());
}

#[test]
fn a_loop_without_a_proof_is_not_left() {
    let program =
        source::program("int main(void) { unsigned i = nondet(); while (i != 5) i += 2; return 0; }");
    let mut abstraction = claiming(Property::Termination, &program, "main", 1);
    let budget = &mut Budget::unlimited();
    assert!(!is_left(&mut abstraction));
    assert!(abstraction.conclude(EFFORT, budget).is_none());
    for wrong in ["i", "5 - i", "0 - i", "4294967295 - i"] {
        let rank = Termination::Ranking(Ranking::Linear(number(wrong)));
        assert!(!matches!(abstraction.ends(0, &rank, EFFORT, budget), ArgumentCheck::Left), "{wrong}");
        assert!(!is_left(&mut abstraction), "{wrong}");
        assert!(abstraction.conclude(EFFORT, budget).is_none(), "{wrong}");
    }
}

/// Whoever lists what may happen leaves nothing out because a query had no answer.
#[test]
fn what_is_not_known_may_be() {
    let text =
        "extern int *given(void); int main(void) { unsigned m = nondet(); int n = nondet(), *p = given(); n = 7 / n;
        if (m * m * m == 5 * m + 8) reach_error(); *p = n; return *p; }";
    let program = source::program(text);
    let property = Property::Obligations(ObligationSet::ALL.without(Obligation::Leak));
    let mode = ProofMode { recursion: 1, calls: 20, ..ProofMode::unrolled(0, Overflow::Wraps) };
    let mut abstraction = source::opened(&program, "main", property, Integers::Machine, mode);
    let none = Effort { steps: 0, ..EFFORT };
    let vcs: Vec<usize> = (0..abstraction.vcs().len()).collect();
    let divides =
        |abstraction: &Abstraction<'_>, vc: usize| abstraction.vcs()[vc].obligation == Obligation::Division;
    let ends =
        |abstraction: &Abstraction<'_>, vc: usize| abstraction.vcs()[vc].obligation == Obligation::ReachError;
    let mut outside = 0;
    for (effort, mut budget) in
        [(EFFORT, Budget::unlimited()), (none, Budget::unlimited()), (EFFORT, Budget::steps(0))]
    {
        assert_eq!(abstraction.reachable(&vcs, effort, &mut budget).len(), vcs.len());
        for &vc in &vcs {
            assert!(!abstraction.reachable(&[vc], effort, &mut budget).is_empty());
            if divides(&abstraction, vc) {
                assert!(abstraction.goes_on(vc, effort, &mut budget), "not every number is zero");
            } else if ends(&abstraction, vc) {
                assert!(!abstraction.goes_on(vc, effort, &mut budget), "an error is the end");
            }
            outside += usize::from(abstraction.may_be_outside(vc, effort, &mut budget));
        }
    }
    assert!(outside >= 3 && outside.is_multiple_of(3), "the pointer is given from outside: {outside}");
    assert!(vcs.iter().any(|&vc| divides(&abstraction, vc)));
    assert!(vcs.iter().any(|&vc| ends(&abstraction, vc)));
    // A loop that is not followed to its end, behind a hard condition.
    let text = "int main(void) { unsigned m = nondet(), i = 0; if (m * m * m == 5 * m + 8) while (i < m) i++; return 0; }";
    let program = source::program(text);
    let mut abstraction = source::opened(&program, "main", property, Integers::Machine, mode);
    assert!(!abstraction.incomplete_paths().is_empty());
    for mut budget in [Budget::unlimited(), Budget::steps(0)] {
        assert!(!abstraction.open_ends(none, &mut budget).is_empty());
        assert!(abstraction.conclude(none, &mut budget).is_none());
        assert_eq!(abstraction.prove_never_passed(&[], none, &mut budget).map(drop), Err(Obstacle::OpenEnd));
    }
}

#[test]
fn an_assumption_compares_whole_numbers() {
    let takes = |text: &str, condition: &str| {
        let whole = source::program(text);
        let function = whole.function_named("f").expect("it is there");
        let alone = ModularFunctions::of(&whole).function(function).expect("it has a body");
        let assumed = alone.assuming(&formula(condition)).expect("the condition is on parameters");
        let mut abstraction = abstraction(assumed.program(), "f", 1);
        let rank = Termination::Ranking(Ranking::Linear(number("0")));
        let answer = abstraction.ends(0, &rank, EFFORT, &mut Budget::unlimited());
        matches!(answer, ArgumentCheck::Left)
    };
    // The loop is entered only where the condition, cut to fewer bits, does not hold.
    let text = "void f(int x, long d) { while (x >= (int)d) nondet(); }";
    assert!(!takes(text, "start(x) < start(d)"), "the low bits of d may be zero");
    assert!(takes("void f(int x, long d) { while (x >= d) nondet(); }", "start(x) < start(d)"));
    let text = "void f(unsigned char x) { while ((unsigned char)(2 * x) > 100) nondet(); }";
    assert!(!takes(text, "2 * start(x) > 300"), "twice x does not wrap");
    assert!(takes("void f(unsigned char x) { while (2 * x <= 300) nondet(); }", "2 * start(x) > 300"));
    let text = "void f(unsigned char x) { while (x != 4) nondet(); }";
    assert!(!takes(text, "start(x) != 260"), "no byte is so large, so that it says nothing");
    let text = "void f(int x, unsigned y) { while ((unsigned)x >= y) nondet(); }";
    assert!(!takes(text, "start(x) < start(y)"), "a negative number is below all others");
    let text = "void f(int x, int y) { while (x - y >= 0) nondet(); }";
    assert!(!takes(text, "start(x) - start(y) < 5 - 4 * 1 && start(x) >= start(x)"));
}

fn relation(terms: &mut Terms, kinds: &[Kind]) -> Relation {
    let parts = kinds.iter().enumerate().map(|(at, &kind)| {
        let quantity = Quantity::value(["x", "y", "z"][at]);
        Component { quantity, kind }
    });
    Relation::new(terms, parts.collect()).expect("the names differ")
}

#[test]
fn a_relation_is_over_its_state() {
    let mut terms = Terms::new();
    let kind = Kind::Machine { width: 8, signed: true };
    let twice = vec![Component { quantity: Quantity::value("x"), kind }; 2];
    assert!(Relation::new(&mut terms, twice).is_err());
    let mut relation = relation(&mut terms, &[kind, Kind::Boolean]);
    let (x, y) = (relation.before()[0], relation.before()[1]);
    let input = terms.fresh("input", Sort::BitVector(8));
    let (yes, is_x) = (terms.bool(true), terms.equal(x, input));
    assert!(relation.set_iteration(&terms, yes, vec![x]).is_err());
    assert!(relation.set_iteration(&terms, yes, vec![y, x]).is_err());
    assert!(relation.set_iteration(&terms, x, vec![x, y]).is_err());
    assert!(relation.set_iteration(&terms, is_x, vec![input, y]).is_ok());
}

#[test]
fn numbers_without_a_meaning_are_refused() {
    let mut terms = Terms::new();
    let signed = Kind::Machine { width: 8, signed: true };
    let relation = relation(&mut terms, &[signed, Kind::Mathematical]);
    let now = relation.before();
    let (x, y) = (Quantity::value("x").at(Moment::Now), Quantity::value("y").at(Moment::Now));
    let by = |divisor: i64| Integer::from(divisor);
    let boxed = |number: &Expression| Box::new(number.clone());
    for dividend in [&x, &y] {
        for divisor in [0, -1, -3] {
            let quotient = Expression::Quotient { dividend: boxed(dividend), divisor: by(divisor) };
            let remainder = Expression::Remainder { dividend: boxed(dividend), divisor: by(divisor) };
            assert!(wide::expression(&mut terms, &relation, now, &quotient).is_err(), "{divisor}");
            assert!(wide::expression(&mut terms, &relation, now, &remainder).is_err(), "{divisor}");
        }
    }
    for exponent in [x.clone(), y.clone(), number("-1"), number("100000000")] {
        let power = Expression::Power { base: by(2), exponent: Box::new(exponent) };
        assert!(wide::expression(&mut terms, &relation, now, &power).is_err(), "{power:?}");
    }
    for empty in [Expression::Minimum(Vec::new()), Expression::Maximum(Vec::new()), Expression::Counter] {
        assert!(wide::expression(&mut terms, &relation, now, &empty).is_err(), "{empty:?}");
    }
    let every = formula("every(k, 0, 3, k <= x)");
    for wrong in
        [every.clone(), !every.clone(), Formula::All(vec![every.clone()]), Formula::Any(vec![every.clone()])]
    {
        assert!(wide::formula(&mut terms, &relation, now, &wrong).is_err(), "{wrong}");
    }
    let (then, otherwise) = (Box::new(number("1")), Box::new(number("0")));
    let select = Expression::Select { condition: Box::new(every), then, otherwise };
    assert!(wide::expression(&mut terms, &relation, now, &select).is_err());
    let next = Quantity::value("x").at(Moment::Next);
    assert!(wide::expression(&mut terms, &relation, now, &next).is_err(), "there is no next state here");
    let start = Quantity::value("x").at(Moment::Start);
    assert!(wide::expression(&mut terms, &relation, now, &start).is_err(), "there is no start here");
    let mut deep = x.clone();
    for _ in 0..1_000 {
        deep = Expression::Maximum(vec![deep]);
    }
    let refused = wide::formula(
        &mut terms,
        &relation,
        now,
        &Formula::Compare { left: deep, comparison: Comparison::Equal, right: x },
    );
    assert!(refused.is_err(), "it is nested too deeply");
}
