//! Variance analyses on the programs of the paper (Berdine and others, POPL 2007), written from its text.

mod paper;

use base::Budget;
use engines::variance::{self, DomainName, Names, Numeric, Scope, Variance};
use loopscope_engines as engines;
use paper::{APPROACH, AROUND, BUBBLE_SORT, HEAP_SORT, SIGNS, THREE, figure_2};
use program::Program;
use program::interpret::Integers;

/// What a variance analysis found.
struct Found {
    program: Program,
    numeric: Numeric,
    variances: Vec<Variance>,
}

fn program(text: &str) -> Program {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("loopscope-variance-{}-{number}.c", std::process::id()));
    std::fs::write(&path, text).expect("the folder for temporary files can be written");
    let mut program = c::translate(&[c::Input::new(&path)]).program;
    let _ = std::fs::remove_file(&path);
    program::passes::simplify(&mut program);
    program
}

/// Analyses a program at the heads of its loops, or at a line.
fn analyse(text: &str, domain: DomainName, integers: Integers, line: Option<u32>) -> Found {
    let program = program(&format!("extern int nondet(void); {text}"));
    let function = program.function_named("main").expect("there is a main");
    let numeric = Numeric::of(&program, function, integers, &Scope { line, ..Scope::default() })
        .expect("main has a body");
    let forests = variance::forests(&program, &numeric);
    let places = match line {
        Some(line) => variance::at_line(&program, &numeric, &forests, line),
        None => variance::heads(&program, &numeric, &forests),
    };
    let is_named = |dimension| variance::is_of_source(&program, &numeric, dimension);
    let mut budget = Budget::steps(5_000_000);
    let variances = variance::analyse_with(domain, &numeric, &forests, &places, &is_named, &mut budget)
        .expect("the programs are small");
    Found { program, numeric, variances }
}

impl Found {
    fn print(&self) {
        for variance in &self.variances {
            let names = Names::of(&self.program, &self.numeric, variance.cutpoint.frame);
            println!(
                "line {} (body {}): {}",
                variance.cutpoint.loop_location.line, variance.cutpoint.body_location.line, variance.holds
            );
            for invariant in names.invariants(variance) {
                println!("  invariant {invariant}");
            }
            for assertion in &variance.assertions {
                let shown: Vec<_> = assertion.shown.iter().filter_map(|one| names.text(one)).collect();
                let rank = names.ranking(assertion);
                println!("  {}  [{rank:?}]", shown.join(", "));
            }
        }
    }

    /// The lines at which the bodies of loops start, and whether their local termination predicates hold.
    fn lines(&self) -> Vec<(u32, bool)> {
        let line = |one: &Variance| (one.cutpoint.body_location.line, one.holds);
        self.variances.iter().map(line).collect()
    }
}

/// Whether all local termination predicates are shown, on machine integers and on mathematical ones.
fn terminates(text: &str, domain: DomainName) -> bool {
    let both = [Integers::Machine, Integers::Mathematical].map(|integers| {
        let found = analyse(text, domain, integers, None);
        found.print();
        found.variances.iter().all(|one| one.holds)
    });
    assert_eq!(both[0], both[1], "{text}");
    both[0]
}

const BOTH: [DomainName; 2] = [DomainName::Octagon, DomainName::Polyhedra];

#[test]
fn figure_2_is_proved_but_for_its_outer_loop() {
    for domain in BOTH {
        let found = analyse(&figure_2("x > 10"), domain, Integers::Mathematical, None);
        found.print();
        assert_eq!(found.lines(), [(4, false), (5, true), (7, true)]);
    }
}

#[test]
fn figure_2_with_an_inner_loop_that_may_not_end_is_still_proved_around_it() {
    for domain in BOTH {
        let found = analyse(&figure_2("nondet()"), domain, Integers::Mathematical, None);
        found.print();
        assert_eq!(found.lines(), [(4, false), (5, true), (7, false)]);
    }
    // An inner loop that counts down for ever would overflow, which is undefined.
    let found = analyse(&figure_2("nondet()"), DomainName::Octagon, Integers::Machine, None);
    assert_eq!(found.lines(), [(4, false), (5, true), (7, true)]);
}

#[test]
fn the_first_line_of_the_body_has_the_assertions_of_the_paper() {
    let found = analyse(&figure_2("x > 10"), DomainName::Octagon, Integers::Mathematical, Some(5));
    let [variance] = &found.variances[..] else { panic!("line 83 is one place") };
    assert!(variance.holds && !variance.cutpoint.is_head);
    let names = Names::of(&found.program, &found.numeric, variance.cutpoint.frame);
    let [invariant] = &variance.invariants[..] else { panic!("one disjunct is enough") };
    assert_eq!(names.invariant(invariant), ["x >= a + 1", "y >= b + 1"]);
    let texts: Vec<Vec<String>> = variance
        .assertions
        .iter()
        .map(|assertion| assertion.shown.iter().filter_map(|one| names.text(one)).collect())
        .collect();
    let has = |parts: &[&str]| {
        texts.iter().any(|text| parts.iter().all(|part| text.iter().any(|other| other == part)))
    };
    // VA^A, VA^B and VA^C; where only one branch was taken the other number is the same.
    assert!(has(&["x >= a + 1", "y >= b + 1", "x <= x@before - 1", "y == y@before"]), "{texts:?}");
    assert!(has(&["x >= a + 1", "y >= b + 1", "y <= y@before - 1", "x == x@before"]), "{texts:?}");
    assert!(has(&["y >= b + 1", "x <= x@before - 1", "y <= y@before - 1"]), "{texts:?}");
}

#[test]
fn a_line_can_be_the_head_of_a_loop_and_the_body_of_another() {
    let found = analyse(&figure_2("x > 10"), DomainName::Octagon, Integers::Mathematical, Some(4));
    assert_eq!(found.lines(), [(4, false), (5, true)]);
    assert!(found.variances.iter().all(|variance| variance.cutpoint.is_head));
}

#[test]
fn a_loop_around_one_that_may_not_end_is_left() {
    let found = analyse(AROUND, DomainName::Octagon, Integers::Mathematical, None);
    let holds: Vec<bool> = found.variances.iter().map(|variance| variance.holds).collect();
    assert_eq!(holds, [true, false]);
}

#[test]
fn signs_are_enough_for_a_loop_that_runs_once() {
    for domain in BOTH {
        assert!(terminates(SIGNS, domain), "{domain:?}");
    }
    // Without relations the seed knows what held at the place, and nothing else: in the body that is enough.
    let signs = |text, line| analyse(text, DomainName::Interval, Integers::Mathematical, line);
    assert!(signs(SIGNS, Some(3)).variances[0].holds && !signs(SIGNS, None).variances[0].holds);
    assert!(!signs(APPROACH, None).variances[0].holds);
}

#[test]
fn a_counter_that_approaches_a_fixed_number_is_well_founded() {
    let text = APPROACH;
    for domain in BOTH {
        assert!(terminates(text, domain));
    }
}

#[test]
fn three_numbers_need_polyhedra() {
    let holds = |domain| {
        let found = analyse(THREE, domain, Integers::Mathematical, None);
        found.print();
        found.variances[0].holds
    };
    assert!(holds(DomainName::Polyhedra));
    assert!(!holds(DomainName::Octagon));
}

#[test]
fn sorting_ends() {
    for domain in BOTH {
        assert!(terminates(BUBBLE_SORT, domain), "bubble sort, {domain:?}");
    }
    assert!(terminates(HEAP_SORT, DomainName::Octagon));
    // On integers without limits the widening of polyhedra loses `l >= 1`, on which the inner loop hangs.
    let found = analyse(HEAP_SORT, DomainName::Polyhedra, Integers::Machine, None);
    assert!(found.variances.iter().all(|variance| variance.holds));
}

#[test]
fn a_number_that_is_reset_while_another_one_falls_is_no_harm() {
    let text = "int main(void) { int x = nondet(), y = nondet();
        while (x > 0 && y > 0) { if (nondet()) { x = x - 1; y = nondet(); } else { y = y - 1; } }
        return 0; }";
    for domain in BOTH {
        assert!(terminates(text, domain));
    }
}

#[test]
fn unsigned_numbers_wrap_unless_a_test_keeps_them_from_it() {
    let ends = "int main(void) { unsigned x = nondet(); while (x != 0) x = x - 1; return 0; }";
    let wraps = "int main(void) { unsigned x = nondet(); while (x >= 0) x = x - 1; return 0; }";
    let holds = |text| analyse(text, DomainName::Octagon, Integers::Machine, None).variances[0].holds;
    assert!(holds(ends));
    assert!(!holds(wraps));
}

#[test]
fn called_functions_are_part_of_the_loop() {
    let text = "static int g; static int less(int v) { g = g + 1; return v - 1; }
        static void wait(void) { int k = 0; while (k < 5) k = k + 1; }
        int main(void) { int x = nondet(); while (x > 0) { x = less(x); wait(); } return g; }";
    let found = analyse(text, DomainName::Octagon, Integers::Machine, None);
    found.print();
    assert_eq!(found.variances.len(), 2);
    assert!(found.variances.iter().all(|variance| variance.holds) && found.numeric.gaps.is_empty());
    let text = "int f(int n) { return n > 0 ? f(n - 1) : 0; } int main(void) { return f(nondet()); }";
    assert_eq!(analyse(text, DomainName::Octagon, Integers::Machine, None).numeric.gaps.len(), 1);
}
