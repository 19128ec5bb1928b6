//! The figures and examples of the Proteus paper (Xie and others, TSE 2019), written from its text: how many paths and
//! transitions, the type, the cases. Integers are those of mathematics here, as in the paper.
//!
//! Numbers of states differ by one: the paper counts the way into the loop as a path (its state 0), we do not. Figures that
//! the paper describes in words only are programs of which these words are true.

mod common;

use base::Budget;
use common::{Analysis, analyse, analyse_for, analyse_from, cases, cases_from};
use loopscope_engines as engines;

const FIGURE_1: &str = "void f(int x, int z, int n) { while (x < n) { if (z > x) x++; else z++; } }";
const FIGURE_2: &str =
    "void f(int n, int i, int j, int m) { for (; i < n; i++) { j = 0; while (j < i) { m += i - j; j++; } } }";

/// How many paths and transitions there are, and the type.
fn shape(analysis: &Analysis) -> (usize, usize, u8) {
    let Analysis { automaton, traces, .. } = analysis;
    (automaton.paths.len(), automaton.transitions.len(), automaton.classify(traces))
}

#[test]
fn figure_1_is_the_automaton_of_examples_2_and_7() {
    let analysis = analyse(FIGURE_1);
    // The paper's q1 to q3 with (q1, q2), (q2, q1) and (q1, q3).
    assert_eq!(shape(&analysis), (3, 3, 1));
    let automaton = &analysis.automaton;
    let exit = automaton.paths.iter().position(|path| !path.is_iterative()).expect("the loop is left");
    let into = |place: usize| automaton.transitions.iter().filter(|one| one.to == place).count();
    assert_eq!((into(exit), automaton.transitions.iter().filter(|one| one.from == exit).count()), (1, 0));
    // Example 7: all state counters are solved for.
    assert!(automaton.transitions.iter().all(|transition| transition.counter.is_some()));
    assert!(analysis.traces.complete && !analysis.traces.irregular);
    assert!(analysis.traces.traces.iter().any(engines::automaton::Trace::is_cyclic));
}

#[test]
fn figure_2_is_the_automaton_of_examples_1_and_3() {
    let analysis = analyse(FIGURE_2);
    // The paper's q1 to q4, of which q2 alone is iterative: (1, 2), (1, 3), (2, 3), (3, 1), (3, 4).
    assert_eq!(shape(&analysis), (4, 5, 1));
    assert_eq!(analysis.automaton.paths.iter().filter(|path| path.is_iterative()).count(), 1);
}

#[test]
fn in_figure_2_the_cycle_without_the_inner_loop_comes_first_or_never() {
    // Example 10: from i = 1 the connected cycle (q1, q3) is never taken, else it can only come before the other one.
    let (_, some) = cases_from(FIGURE_2, &[("i", 1), ("m", 1)]);
    assert_eq!(some.len(), 2, "{some:#?}");
    let (_, all) = cases(FIGURE_2);
    assert_eq!(all.len(), 4, "{all:#?}");
    // Example 9, footnote 4: with n iterations of the cycle from i = 1 and m = 1, m is 1 + n * (n + 1) * (n + 2) / 6.
    let sum = "m = (entry(n) * entry(n) * entry(n) + 6 * entry(m) + entry(i) - entry(i) * entry(i) * entry(i) - entry(n)) / 6";
    assert!(some[1].contains(sum) && some[1].ends_with("[entry(n) - entry(i)]"), "{some:#?}");
}

#[test]
fn figure_3_has_a_loop_of_each_other_type() {
    // (a): conditions on induction variables, four paths that alternate, and not periodically.
    let analysis = analyse(
        "void f(int i, int j, int a, int b, int n) {
            while (i < n) { if (a < b) a += 3; else b += 2; if (i < j) i += 2; else j += 5; }
        }",
    );
    assert_eq!((shape(&analysis).0, shape(&analysis).2), (5, 2));
    assert!(analysis.found.is_empty());
    // (b): first the if branch, then the else branch; by how much i grows is for random() to say.
    let analysis = analyse(
        "int random(void);
        void f(int i, int x, int n) { while (x < n) { if (i < 10) i += random(); else x++; } }",
    );
    assert_eq!(shape(&analysis), (3, 2, 3));
    // (c): what is in the array decides.
    let analysis = analyse(
        "void f(char *s, int i, int a, int b) { while (s[i]) { if (s[i] == 32) a++; else b++; i++; } }",
    );
    assert_eq!(shape(&analysis), (3, 4, 4));
}

#[test]
fn figure_5_is_sliced_to_figure_1() {
    // Example 6: x is of interest, and what hangs on y is not.
    let text = "void f(int x, int y, int z, int n) {
        while (x < n) { if (y > 100) y += 2; else y--; if (z > x) x++; else z++; }
    }";
    let whole = analyse(text);
    assert_eq!(whole.automaton.paths.len(), 5);
    let sliced = analyse_for(text, &[], Some(&["x"]));
    assert_eq!(shape(&sliced), shape(&analyse(FIGURE_1)));
    assert_eq!(sliced.found.len(), 3);
}

#[test]
fn example_8_has_the_traces_without_a_cycle() {
    let (_, cases) = cases(FIGURE_1);
    for case in [
        "entry(x) >= entry(n): x = entry(x), z = entry(z) [0]",
        "entry(n) > entry(x) && entry(z) >= entry(n): x = entry(n), z = entry(z) [entry(n) - entry(x)]",
    ] {
        assert!(cases.contains(&String::from(case)), "{cases:#?}");
    }
}

#[test]
fn figure_11_takes_its_paths_in_turn() {
    // Example 12: of the four paths that stay two are taken from these values, each once at a time.
    let text = "void f(int w, int z, int x, int y, int n) {
        while (x < n) { if (w % 2 == 1) x++; if (z % 2 == 0) y++; w++; z++; }
    }";
    let entry = [("w", 1), ("z", 0), ("x", 0), ("y", 0)];
    let analysis = analyse_from(text, &entry);
    assert_eq!((shape(&analysis).0, shape(&analysis).2), (5, 3));
    let taken = analysis.traces.traces.iter().flat_map(|trace| &trace.steps);
    let mut once: Vec<usize> = taken
        .filter_map(|step| match step {
            engines::automaton::Step::Once { path } | engines::automaton::Step::Repeat { path, .. } => {
                Some(*path)
            }
            engines::automaton::Step::Cycle { .. } => None,
        })
        .collect();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), 2, "{once:?}");
    // The property x == y: both are moved by the same number.
    for found in &analysis.found {
        let end = |name: &str| {
            let update = found.case.effect.iter().find(|update| update.quantity.variable.as_str() == name);
            update.map(|update| {
                update
                    .value
                    .to_string()
                    .replace("entry(x)", "0")
                    .replace("entry(y)", "0")
                    .replace(" + 0 - 0", "")
            })
        };
        assert_eq!(end("x"), end("y"));
    }
    assert_eq!(analysis.found.len(), 2);
}

#[test]
fn example_13_is_left_in_two_ways() {
    let text = "void f(int *v, int i, int key) { while (i >= 0 && v[i] > key) i--; }";
    let analysis = analyse(text);
    assert_eq!(shape(&analysis), (3, 2, 3));
    assert!(analysis.traces.complete);
    // At once or after iterations, for the number or for what is in the array.
    assert_eq!(analysis.traces.traces.len(), 4);
    let exact = analysis.traces.traces.iter().filter(|trace| trace.exact).count();
    assert_eq!(exact, 1, "only i < 0 at the start decides alone");
}

#[test]
fn figure_12_counts_its_paths() {
    // Example 14: three paths in any order; at the end one of the three numbers is zero.
    let text = "int nondet(void);
        void f(int x, int y, int z) {
            while (x > 0 && y > 0 && z > 0) { if (nondet()) x--; else if (nondet()) y--; else z--; }
        }";
    let analysis = analyse(text);
    assert_eq!(shape(&analysis).2, 4, "the paper leaves open what chooses the path");
    let counted = analysis.automaton.counted(&analysis.vocabulary, &mut Budget::steps(100_000));
    let effect: Vec<String> = counted.effect.iter().map(ToString::to_string).collect();
    assert_eq!(effect.len(), 3, "{effect:?}");
    assert_eq!(
        counted.left.map(|left| left.to_string()).as_deref(),
        Some("0 >= x || (x >= 1 && 0 >= y) || (x >= 1 && y >= 1 && 0 >= z)")
    );
    // The numbers get less, each on its own.
    let invariants: Vec<String> = counted.invariants.iter().map(ToString::to_string).collect();
    for invariant in ["entry(x) >= x", "entry(y) >= y", "entry(z) >= z"] {
        assert!(invariants.contains(&String::from(invariant)), "{invariants:#?}");
    }
}

#[test]
fn figure_13_a_counts_from_zero() {
    let text =
        "void f(int n, int m, int i, int j) { while (i < n) { if (j < m) j++; else { j = 0; i++; } } }";
    let (kind, cases) = cases_from(text, &[("i", 0), ("j", 0)]);
    assert_eq!((kind, cases.len()), (1, 3));
    // n * m + n from zero, and not n * m.
    let count = "[entry(n) * entry(m) + entry(n) - entry(m) * entry(i) - entry(j) - entry(i)]";
    assert!(cases.iter().any(|case| case.ends_with(count)), "{cases:#?}");
}

#[test]
fn figure_13_b_searches() {
    let analysis = analyse("void f(int *a, int q, int j, int n) { while (j < n && a[j] != q) j++; }");
    assert_eq!(shape(&analysis), (3, 2, 3));
}

#[test]
fn loops_of_section_7() {
    let kind = |text: &str| shape(&analyse(text)).2;
    assert_eq!(
        kind("struct s { int index; }; void f(int i, struct s *n) { while (i < 100 && n->index > 0) i++; }"),
        3
    );
    assert_eq!(
        kind("void f(int *a, int i, int n) { while (i < n) { if (a[i] == 0) i++; else i -= 2; } }"),
        4
    );
    // Once, since the path forbids itself.
    let (_, cases) =
        cases("void f(int b, int x, int n) { while (x < n) { if (b == 1) { b = 0; x++; } else x += 2; } }");
    assert_eq!(cases.len(), 3, "{cases:#?}");
}
