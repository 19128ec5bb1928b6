//! Sets that runs of C programs need not leave: which the kernel takes, and which it must refuse.

mod source;

use base::Budget;
use evidence::{Expression, Formula};
use logic::solver::Embedded;
use loopscope_certify::recurrence::{IterationMode, Reached, encode};
use loopscope_certify::{Condition, Refusal};
use program::Program;
use program::interpret::{Arguments, FixedInputs, Head, InputValue, Integers, Machine, Observer, Options};

use self::source::program;

/// Keeps the state at one arrival at the head of a loop.
struct Arrival<'p> {
    program: &'p Program,
    left: u32,
    state: Option<Reached>,
}

impl Observer for Arrival<'_> {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        if self.left == 1 {
            self.state = Reached::of(self.program, head);
        }
        self.left = self.left.saturating_sub(1);
    }
}

/// The state in which a run with these inputs comes to a head for the nth time.
fn reached(program: &Program, integers: Integers, inputs: &[i128], arrival: u32) -> Reached {
    let machine = Machine::watched(program, &Options { integers, ..Options::default() });
    let mut watcher = Arrival { program, left: arrival, state: None };
    let values = inputs.iter().map(|&number| InputValue::Integer(number)).collect();
    let main = program.function_named("main").expect("there is a main");
    let mut given = FixedInputs::new(values, Vec::new());
    machine.observe(main, &Arguments::FromInputs, &mut given, &mut watcher, &mut Budget::steps(2000));
    watcher.state.expect("a run comes to the loop")
}

struct Asked<'a> {
    text: &'a str,
    integers: Integers,
    inputs: &'a [i128],
    period: u32,
    set: &'a str,
    choices: &'a [&'a str],
}

const PLAIN: Asked<'static> =
    Asked { text: "", integers: Integers::Machine, inputs: &[], period: 1, set: "true", choices: &[] };

fn check(asked: &Asked<'_>) -> Result<(), Refusal> {
    let program = program(asked.text);
    let state = reached(&program, asked.integers, asked.inputs, 1);
    let mode =
        IterationMode { integers: asked.integers, period: asked.period, inner: 8, any_overflow: false };
    let mut budget = Budget::steps(20_000_000);
    let mut iteration = encode(&program, &state, mode, &mut budget)?;
    let set: Formula = asked.set.parse().expect("the set is a formula");
    let number = |text: &&str| text.parse().expect("the choice is a number");
    let choices: Vec<Expression> = asked.choices.iter().map(number).collect();
    let mut solver: Embedded = Embedded::new();
    iteration.is_closed(&set, &choices, &mut solver, &mut budget).map(drop)
}

#[track_caller]
fn accepted(asked: &Asked<'_>) {
    assert_eq!(check(asked), Ok(()), "{}", asked.text);
}

#[track_caller]
fn fails(asked: &Asked<'_>, condition: Condition) {
    match check(asked) {
        Err(Refusal::Fails { condition: found, .. }) => assert_eq!(found, condition),
        other => panic!("{other:?}"),
    }
}

const GROWS: &str = "int main(void) { int x = nondet(); while (x > 0) x = x + 1; return 0; }";

#[test]
fn a_number_that_grows_away_from_the_exit() {
    let asked = Asked { text: GROWS, integers: Integers::Mathematical, inputs: &[3], set: "x >= 1", ..PLAIN };
    accepted(&asked);
    // A set that iterations leave, one that the state is not in, and one that is too large.
    fails(&Asked { set: "x >= 1 && x <= 9", ..asked }, Condition::Recurs);
    fails(&Asked { set: "x >= 4", ..asked }, Condition::StateInSet);
    fails(&Asked { set: "x >= 0", ..asked }, Condition::Recurs);
}

#[test]
fn an_overflow_on_the_way_proves_nothing() {
    fails(&Asked { text: GROWS, inputs: &[3], set: "x >= 1", ..PLAIN }, Condition::Recurs);
}

#[test]
fn steps_of_two_miss_an_odd_distance_and_wrap() {
    let text =
        "int main(void) { unsigned i = 1, n = 0; while (i != 100) { i += 2; n = n * 5 + i; } return 0; }";
    accepted(&Asked { text, set: "i % 2 == 1", ..PLAIN });
    fails(&Asked { text, set: "i >= 1", ..PLAIN }, Condition::Recurs);
    let text =
        "int main(void) { unsigned i = 1, n = 0; while (i != 101) { i += 2; n = n * 5 + i; } return 0; }";
    fails(&Asked { text, set: "i % 2 == 1", ..PLAIN }, Condition::Recurs);
}

#[test]
fn inputs_are_chosen_and_results_of_others_are_not() {
    let text = "int main(void) { int x = 5; while (x > 0) { if (nondet() < 3) x--; } return 0; }";
    accepted(&Asked { text, set: "x >= 1", choices: &["3"], ..PLAIN });
    accepted(&Asked { text, set: "x >= 1", choices: &["x + 3"], ..PLAIN });
    fails(&Asked { text, set: "x >= 1", choices: &["2"], ..PLAIN }, Condition::Recurs);
    // Another number of choices than of inputs.
    assert!(check(&Asked { text, set: "x >= 1", ..PLAIN }).is_err());
    let text = "extern int other(void); int main(void) { int x = 5; while (x > 0) { if (other() < 3) x--; } return 0; }";
    assert!(check(&Asked { text, set: "x >= 1", choices: &["3"], ..PLAIN }).is_err());
    assert!(check(&Asked { text, set: "x >= 1", ..PLAIN }).is_err());
    let text = "int getchar(void); int main(void) { int x = 5; while (x > 0) { if (getchar() < 3) x--; } return 0; }";
    assert!(check(&Asked { text, set: "x >= 1", choices: &["3"], ..PLAIN }).is_err());
    assert!(check(&Asked { text, set: "x >= 1", ..PLAIN }).is_err());
}

#[test]
fn inputs_of_a_type_are_what_it_allows() {
    // No choice of an unsigned number is negative, also where numbers have no limits.
    let text = "extern unsigned nondet_unsigned(void);
        int main(void) { int x = 5; while (x > 0) { if (nondet_unsigned() < 3) x = 0; } return 0; }";
    let asked = Asked { text, integers: Integers::Mathematical, set: "x >= 1", ..PLAIN };
    accepted(&Asked { choices: &["7"], ..asked });
    let text = "extern unsigned nondet_unsigned(void);
        int main(void) { int x = 5; while (x > 0) { unsigned u = nondet_unsigned(); if (0 <= u) x = 0; } return 0; }";
    let asked = Asked { text, ..asked };
    fails(&Asked { choices: &["-7"], ..asked }, Condition::Recurs);
}

#[test]
fn what_goes_wrong_in_an_iteration_is_no_iteration() {
    for body in
        ["x = x / (x - x);", "a[x] = 1;", "x = x << 40;", "assert_it(x > 9);", "*p = 1;", "if (x) exit(1);"]
    {
        let text = format!(
            "extern void exit(int); extern void __assert_fail(void);
            void assert_it(int c) {{ if (!c) __assert_fail(); }}
            int main(void) {{ int a[4] = {{0}}; int *p = 0; int x = 5; while (1) {{ {body} }} return a[0]; }}"
        );
        assert!(check(&Asked { text: &text, set: "x >= 1", ..PLAIN }).is_err(), "{body}");
    }
}

#[test]
fn loops_inside_must_end() {
    let inner = |condition: &str| {
        format!(
            "int main(void) {{ int x = 5, i = 0, n = nondet(); while (x > 0) {{ for (i = 0; {condition}; i++) ; x = 6; }} return 0; }}"
        )
    };
    accepted(&Asked { text: &inner("i < 3"), set: "x >= 1", ..PLAIN });
    accepted(&Asked { text: &inner("i < n"), inputs: &[4], set: "x >= 1", ..PLAIN });
    assert!(check(&Asked { text: &inner("i < n"), inputs: &[400], set: "x >= 1", ..PLAIN }).is_err());
}

#[test]
fn several_iterations_at_a_time() {
    let text = "int main(void) { unsigned n = 0; int up = 1, x = 3; while (x > 1) { if (up) x++; else x--; up = !up; n = 3 * n + 1; } return 0; }";
    accepted(&Asked { text, period: 2, set: "up == 1 && x == 3", ..PLAIN });
    fails(&Asked { text, set: "up == 1 && x == 3", ..PLAIN }, Condition::Recurs);
}
