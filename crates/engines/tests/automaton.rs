//! Path dependency automata of the programs of the paper (Xie and others, TSE 2019), written from its text.

mod common;

use std::collections::BTreeMap;

use base::Budget;
use common::{Analysis, analyse, cases};
use engines::automaton::{Automaton, Definition, Polynomial, Symbol, Tail};
use evidence::{Comparison, Expression, Formula, Integer, Moment};
use logic::numbers::Rational;
use loopscope_engines as engines;
use program::VariableId;

/// The value of a number in a state.
fn value(automaton: &Automaton, number: &Polynomial, state: &BTreeMap<VariableId, i128>) -> Option<i128> {
    let value = number.evaluate(|symbol| {
        let known = match symbol {
            Symbol::Held(variable) => state.get(&variable).copied(),
            Symbol::Defined(place) => match automaton.definitions.of(place) {
                Definition::Quotient(inner, divisor) => value(automaton, inner, state)
                    .map(|inner| inner.div_euclid(i128::try_from(divisor).expect("it is small"))),
                Definition::Remainder(inner, divisor) => value(automaton, inner, state)
                    .map(|inner| inner.rem_euclid(i128::try_from(divisor).expect("it is small"))),
                Definition::Any => None,
            },
            _ => None,
        };
        Rational::from(Integer::from(known.expect("the test has no such number")))
    });
    value.to_integer().and_then(|value| i128::try_from(value).ok())
}

/// A number of evidence, with a state at entry and one now.
fn number(expression: &Expression, states: &[&BTreeMap<String, i128>; 2]) -> i128 {
    let all = |parts: &[Expression]| parts.iter().map(|part| number(part, states)).collect::<Vec<_>>();
    match expression {
        Expression::Constant(number) => i128::try_from(number).expect("it is small"),
        Expression::Quantity { quantity, moment } => {
            states[usize::from(*moment != Moment::Entry)][quantity.variable.as_str()]
        }
        Expression::Sum(parts) => all(parts).iter().sum(),
        Expression::Product(parts) => all(parts).iter().product(),
        Expression::Quotient { dividend, divisor } => {
            number(dividend, states).div_euclid(i128::try_from(divisor).expect("it is small"))
        }
        Expression::Remainder { dividend, divisor } => {
            number(dividend, states).rem_euclid(i128::try_from(divisor).expect("it is small"))
        }
        Expression::Select { condition, then, otherwise } => {
            number(if holds(condition, states) { then } else { otherwise }, states)
        }
        other => panic!("{other}"),
    }
}

fn holds(formula: &Formula, states: &[&BTreeMap<String, i128>; 2]) -> bool {
    match formula {
        Formula::True => true,
        Formula::False => false,
        Formula::Compare { left, comparison, right } => {
            let (left, right) = (number(left, states), number(right, states));
            match comparison {
                Comparison::Equal => left == right,
                Comparison::Differ => left != right,
                Comparison::Less => left < right,
                Comparison::LessEqual => left <= right,
                Comparison::Greater => left > right,
                Comparison::GreaterEqual => left >= right,
            }
        }
        Formula::Not(inner) => !holds(inner, states),
        Formula::All(parts) => parts.iter().all(|part| holds(part, states)),
        Formula::Any(parts) => parts.iter().any(|part| holds(part, states)),
        Formula::Every { .. } => panic!("{formula}"),
    }
}

/// From so many states at entry paths are followed.
const ENTRIES: usize = 300;

/// Follows the paths from many states at entry, and compares with the cases. Gives how many states had one.
fn simulate(text: &str) -> usize {
    let Analysis { automaton, found, vocabulary, .. } = analyse(text);
    let mut known = 0;
    let variables: Vec<VariableId> = vocabulary.keys().copied().collect();
    let named = |state: &BTreeMap<VariableId, i128>| -> BTreeMap<String, i128> {
        vocabulary
            .iter()
            .map(|(variable, quantity)| (quantity.variable.to_string(), state[variable]))
            .collect()
    };
    let mut random = 88_172_645_463_325_252_u64;
    for _ in 0..ENTRIES {
        let mut state: BTreeMap<VariableId, i128> = BTreeMap::new();
        for &variable in &variables {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            state.insert(variable, i128::from(random % 17) - 6);
        }
        let entry = named(&state);
        let case: Vec<_> = found.iter().filter(|found| holds(&found.case.guard, &[&entry, &entry])).collect();
        assert!(case.len() <= 1, "{text}: {entry:?} has {} cases", case.len());
        let Some(case) = case.first() else { continue };
        known += 1;
        let (mut head, mut back_edges, mut iterations) = (automaton.head, 0, 0);
        for _ in 0..2_000 {
            if head == automaton.head {
                let now = named(&state);
                assert!(
                    holds(&case.case.invariant, &[&entry, &now]),
                    "{text}: from {entry:?} to {now:?}\n{}",
                    case.case.invariant
                );
                if let Some(made) = &case.made {
                    assert_eq!(
                        number(made, &[&entry, &now]),
                        back_edges,
                        "{text}: iterations from {entry:?} to {now:?}"
                    );
                }
            }
            let path = automaton.paths.iter().find(|path| {
                path.head == head
                    && path.conditions.iter().all(|atom| {
                        let value = value(&automaton, &atom.number, &state).expect("it is whole");
                        if atom.zero { value == 0 } else { value >= 0 }
                    })
            });
            let path = path.expect("some path is taken");
            let old = state.clone();
            for (variable, number) in &path.updates {
                if let Some(value) = value(&automaton, number, &old) {
                    state.insert(*variable, value);
                }
            }
            match path.tail {
                Tail::Head(next) => {
                    back_edges += i128::from(next == automaton.head);
                    head = next;
                }
                _ => {
                    iterations = back_edges + i128::from(path.begun);
                    break;
                }
            }
        }
        if case.never {
            continue;
        }
        let now = named(&state);
        for update in &case.case.effect {
            let (held, claimed) =
                (now[update.quantity.variable.as_str()], number(&update.value, &[&entry, &now]));
            assert_eq!(held, claimed, "{text}: {} from {entry:?}", update.quantity);
        }
        if let Some(total) = &case.case.iterations {
            assert_eq!(number(total, &[&entry, &now]), iterations, "{text}: iterations from {entry:?}");
        }
    }
    known
}

#[test]
fn cases_are_what_the_paths_do() {
    for text in [
        "void f(int x, int z, int n) { while (x < n) { if (z > x) x++; else z++; } }",
        "void f(int n, int i, int j, int m) { for (; i < n; i++) { j = 0; while (j < i) { m += i - j; j++; } } }",
        "void f(int n, int m, int i, int j) { while (i < n) { if (j < m) j++; else { j = 0; i++; } } }",
        "void f(int i, int n) { while (i < n) i += 2; }",
        "void f(int x, int y, int n) { while (x < n) { if (x < 5) y++; x++; } }",
        "void f(int x, int y, int n) { while (x != n && y > 0) { x++; y -= 3; } }",
        "void f(int w, int x, int y, int n) { while (x < n) { if (w % 2 == 0) y++; else y += 2; w++; x++; } }",
        "void f(int i, int j, int k, int n) { for (; i < n; i++) for (j = 0; j < n; j++) k += j; }",
        "void f(int x, int y) { do { x--; if (y < x) y += 3; } while (x > 0); }",
        "void f(int b, int x, int n) { while (x < n) { if (b) { b = 0; x += 3; } else { b = 1; x--; } } }",
        "void f(int x, int y, int n) { while (x < n) { y = x; x = x + 1; } }",
        "void f(int x, int s, int n) { while (x < n) { s = s + x * x; x = x + 1; } }",
        "void f(int x, int y, int i) { for (; i < 9; i++) { int t = x; x = y; y = t; } }",
        "void f(int s, int k, int n) { for (; k < n; k++) s = 7 - s; }",
        "void f(int x, int y, int z, int n) { while (n > 0) { int t = x; x = y; y = z; z = t; n--; } }",
    ] {
        assert_eq!(simulate(text), ENTRIES, "{text}");
    }
}

#[test]
fn loops_whose_paths_alternate_irregularly_have_no_cases() {
    for text in [
        "void f(int x, int y, int n) { while (x < n) { if (x > 3) { if (y > 2) y -= 2; else y++; } x++; } }",
        "void f(int a, int b, int n) { while (a < n) { b = a; while (b < n) { b += 2; a++; } a++; } }",
    ] {
        assert_eq!(simulate(text), 0, "{text}");
    }
}

#[test]
fn paths_in_any_order_move_variables_against_each_other() {
    // Fig. 12(a), with inputs that choose the path.
    let text = "int nondet(void);
        void f(int x, int y, int z) {
            while (x > 0 && y > 0 && z > 0) { if (nondet()) x--; else if (nondet()) { y--; x++; } else z--; }
        }";
    let Analysis { automaton, found, vocabulary, .. } = analyse(text);
    assert!(found.is_empty());
    let counted = automaton.counted(&vocabulary, &mut Budget::steps(100_000));
    let described = |formulas: &[Formula]| formulas.iter().map(ToString::to_string).collect::<Vec<_>>();
    let effect: Vec<String> = counted.effect.iter().map(ToString::to_string).collect();
    assert_eq!(effect.len(), 3, "{effect:?}");
    let invariants = described(&counted.invariants);
    for invariant in ["entry(y) >= y", "entry(z) >= z", "entry(x) + entry(y) >= x + y"] {
        assert!(invariants.contains(&String::from(invariant)), "{invariants:#?}");
    }
    let last = "(x == entry(x) && y == entry(y) && z == entry(z)) || ";
    assert!(invariants.iter().any(|invariant| invariant.starts_with(last)), "{invariants:#?}");
    assert_eq!(
        counted.left.map(|left| left.to_string()).as_deref(),
        Some("0 >= x || (x >= 1 && 0 >= y) || (x >= 1 && y >= 1 && 0 >= z)")
    );
}

#[test]
fn what_an_iteration_adds_can_have_limits() {
    let text = "int nondet(void);
        void f(int x, int i, int n) { while (i < n) { int c = nondet(); if (c < 1 || c > 5) return; x += c; i++; } }";
    let Analysis { automaton, vocabulary, .. } = analyse(text);
    let counted = automaton.counted(&vocabulary, &mut Budget::steps(100_000));
    let invariants: Vec<String> = counted.invariants.iter().map(ToString::to_string).collect();
    for invariant in ["x + entry(i) >= entry(x) + i", "entry(x) + 5 * i >= x + 5 * entry(i)"] {
        assert!(invariants.contains(&String::from(invariant)), "{invariants:#?}");
    }
}

#[test]
fn figure_1_has_three_cases_and_its_number_of_iterations() {
    let (kind, cases) = cases("void f(int x, int z, int n) { while (x < n) { if (z > x) x++; else z++; } }");
    assert_eq!(kind, 1);
    assert_eq!(cases.len(), 3, "{cases:#?}");
    assert_eq!(cases[0], "entry(x) >= entry(n): x = entry(x), z = entry(z) [0]");
    assert!(
        cases[1].ends_with(": x = entry(n), z = entry(n) [2 * entry(n) - entry(z) - entry(x)]"),
        "{}",
        cases[1]
    );
    assert_eq!(
        cases[2],
        "entry(n) > entry(x) && entry(z) >= entry(n): x = entry(n), z = entry(z) [entry(n) - entry(x)]"
    );
}

#[test]
fn figure_2_is_a_sum_of_sums() {
    let text = "void f(int n, int i, int j, int m) { for (; i < n; i++) { j = 0; while (j < i) { m += i - j; j++; } } }";
    let (kind, cases) = cases(text);
    assert_eq!(kind, 1);
    // From i = 1 and m = 1 this is 1 + (n - 1) * n * (n + 1) / 6.
    let sum = "m = (entry(n) * entry(n) * entry(n) + 6 * entry(m) + entry(i) - entry(i) * entry(i) * entry(i) - entry(n)) / 6";
    assert!(cases.iter().any(|case| case.contains(sum)), "{cases:#?}");
}

#[test]
fn figure_13_makes_n_times_m_and_n_iterations() {
    let text =
        "void f(int n, int m, int i, int j) { while (i < n) { if (j < m) j++; else { j = 0; i++; } } }";
    let (kind, cases) = cases(text);
    assert_eq!(kind, 1);
    let count = "[entry(n) * entry(m) + entry(n) - entry(m) * entry(i) - entry(j) - entry(i)]";
    assert!(cases.iter().any(|case| case.ends_with(count)), "{cases:#?}");
}

#[test]
fn strides_count_by_quotients() {
    let (kind, cases) = cases("void f(int i, int n) { while (i < n) i += 2; }");
    assert_eq!(kind, 1);
    assert!(cases[1].ends_with("[(entry(n) - entry(i) - 1) / 2 + 1]"), "{cases:#?}");
}

#[test]
fn iterations_that_never_end_are_kept_apart() {
    let (_, cases) = cases("void f(int x, int a) { while (x < 0) x = x + a; }");
    assert!(cases.contains(&String::from("0 > entry(x) && 0 >= entry(a): never left [?]")), "{cases:#?}");
}

#[test]
fn the_types_of_table_1() {
    let kind = |text: &str| {
        let Analysis { automaton, traces, .. } = analyse(text);
        automaton.classify(&traces)
    };
    assert_eq!(kind("int f(int *v, int key, int i) { while (i >= 0 && v[i] > key) i--; return i; }"), 3);
    assert_eq!(
        kind("int f(char *s, int i, int n) { while (s[i]) { if (s[i] == 32) n++; i++; } return n; }"),
        4
    );
    assert_eq!(
        kind("int f(int x, int y) { while (x != y) { if (x > y) x -= y; else y -= x; } return x; }"),
        2
    );
}
