//! Wrong claims, made by hand: nearly right, and each wrong for a reason. The kernel accepts none of them.
//!
//! A claim is also wrong here if it is true but its evidence does not show it: the kernel knows only the evidence.

mod support;

use support::LoopText;
use support::claims::claim;
use support::kernel::check;

const fn of(
    variables: &'static str,
    initially: &'static str,
    guard: &'static str,
    updates: &'static str,
    claims: &'static [(&'static str, &'static str)],
) -> (LoopText, &'static [(&'static str, &'static str)]) {
    (LoopText { variables, initially, guard, breaks: "false", updates }, claims)
}

const TABLE: &[(LoopText, &[(&str, &str)])] = &[
    // Never left: the counter has no limit, however many bits it has in the kernel.
    of(
        "x:u8",
        "true",
        "true",
        "x = x",
        &[
            ("unlimited", "always: #iterations <= 262143"),
            ("unlimited", "always: #iterations <= 262144"),
            ("unlimited", "always: #iterations < 340282366920938463463374607431768211456"),
            ("true, but cannot be counted", "always: #iterations >= 0"),
            ("never ends", "ranking: 0"),
            (
                "never ends",
                "bound: 340282366920938463463374607431768211456 within 340282366920938463463374607431768211456",
            ),
            ("never ends", "cases: true => #iterations <= 262144 => x = entry(x) => true => x of 5"),
            ("never ends", "cases: true => true => x = entry(x) => true => x of 262143"),
        ],
    ),
    of(
        "i:s32 n:s32",
        "i == 0",
        "i < n",
        "i = i + 1",
        &[
            ("n may be negative at entry", "always: i <= n"),
            ("off by one", "preserved: i < n"),
            ("off by one", "always: i <= n - 1 || i == 0 && n <= 0"),
            ("not inductive", "preserved: i <= 10"),
            ("not at entry", "always: i >= 1"),
            ("not preserved", "always: i == 0"),
            ("preserved by nothing", "preserved: i == n - 1"),
            ("the counter starts at zero", "always: i == #iterations + 1"),
            ("the counter goes by ones", "always: i == 2 * #iterations"),
            ("not at entry", "always: i > entry(i)"),
            ("a wrong constant", "preserved: i + n <= 100"),
            ("off by one", "preserved: n >= i + 1"),
            ("true, but not inductive", "always: #iterations <= 5 || i > 5"),
            ("the invariant is weaker at exit", "at exit: i == n"),
            ("the invariant is of the head", "at exit: i < n"),
            ("the next state has no meaning here", "always: i' > i"),
            ("no such variable", "always: j >= 0"),
            ("not an iteration", "transition: i' > i + 1"),
            ("one iteration only", "transition: i' == i + 1"),
            ("one iteration only", "transition: i' <= i + 1"),
            ("two iterations at most", "transition: i' == i + 1; i' == i + 2"),
            ("the wrong way", "transition: i' < i"),
            ("n stays", "transition: i' > i && n' > n"),
            ("no disjunct", "transition: "),
            ("the entry is not now", "transition: i' > entry(i)"),
            ("unbounded below", "ranking: -1 * i"),
            ("off by one at the end", "ranking: n - i - 2"),
            ("increases", "ranking: i - n"),
            ("constant", "ranking: n"),
            ("decreases but is unbounded", "ranking: 5 - i"),
            ("the rank may not name the next state", "ranking: n' - i"),
            ("nothing decreases", "lexicographic: n; i"),
            ("the first increases", "lexicographic: i; n - i"),
            ("no component", "lexicographic: "),
            ("no component", "multiphase: "),
            ("no component", "nested: "),
            ("the first does not decrease", "multiphase: n; n - i"),
            ("the last is not bounded", "nested: n - i; 0 - i"),
            ("no order: reflexive", "terminates: i' >= i by order"),
            ("no order: not transitive", "terminates: i' == i + 1 by order"),
            ("not a transition invariant", "terminates: i' == i + 1 by rank n - i"),
            ("the rank is unbounded on the disjunct", "terminates: i' > i by rank n - i"),
            ("the rank does not decrease", "terminates: i' > i by rank n + i"),
            ("one argument is missing", "terminates: i' > i && i < n && n' == n by rank i"),
            (
                "one bad disjunct",
                "terminates: i' > i && n' == n && i < n by rank n - i; i' < i by rank n - i",
            ),
            ("one less", "bound: n - i within entry(n) - 1"),
            ("off by one", "bound: n - i within max(0, entry(n)) - 1"),
            ("off by one", "bound: n - i - 1 within max(0, entry(n) - 1)"),
            ("too small at entry", "bound: n - i within 1000"),
            ("the rank does not decrease", "bound: n within max(0, entry(n))"),
            ("the rank gets negative", "bound: 0 - i within max(0, entry(n))"),
            ("the bound may speak about entry alone", "bound: n - i within max(0, n)"),
            (
                "zero iterations are missing",
                "cases: entry(n) > 0 => i <= n && n == entry(n) => i = entry(n) => true => i of entry(n)",
            ),
            (
                "the wrong state without an iteration",
                "cases: true => (i <= n || i == 0) && n == entry(n) => i = entry(n) => true => ?",
            ),
            (
                "the end is off by one",
                "cases: entry(n) <= 0 => i == 0 && i == 0 => i = 0 => true => i of 0 else entry(n) > 0 => i <= n && n == entry(n) => i = entry(n) - 1 => true => ?",
            ),
            (
                "the iterations are off by one",
                "cases: true => i == i && n == entry(n) && i <= max(n, 0) => i = max(entry(n), 0) => true => i of max(entry(n), 0) + 1",
            ),
            (
                "not inductive",
                "cases: entry(n) <= 0 => i == 0 && i == 0 => i = 0 => true => i of 0 else entry(n) > 0 => i == n => i = entry(n) => true => ?",
            ),
            (
                "exact without the number of iterations",
                "cases: true => i == i && n == entry(n) && i <= max(n, 0) => i = max(entry(n), 0); n = entry(n) => true => ?",
            ),
            (
                "exact without n",
                "cases: true => i == i && n == entry(n) && i <= max(n, 0) => i = max(entry(n), 0) => true => i of max(entry(n), 0)",
            ),
            (
                "a gap between the cases",
                "cases: entry(n) < 0 => i == 0 => i = 0 => true => ? else entry(n) > 0 => i <= n && n == entry(n) => i = entry(n) => true => ?",
            ),
            ("no case at all", "cases: false => true => i = 0 => true => ?"),
            ("a guard over the state now", "cases: i < n => true => n = entry(n) => true => ?"),
            ("leaves the set", "recurrent: i < n at i = 0; n = 5"),
            ("the state is not in the set", "recurrent: i > n at i = 0; n = 5"),
            ("the guard does not hold", "recurrent: i >= n at i = 5; n = 0"),
            ("the set is empty", "recurrent: false at i = 0; n = 5"),
            ("n is missing", "recurrent: i >= 0 at i = 0"),
            ("no such state", "recurrent: true at i = 2147483648; n = 5"),
            ("a choice too many", "recurrent: i < n choosing 1 at i = 0; n = 5"),
        ],
    ),
    // The type's limit: what is true of ℤ is not true here.
    of(
        "x:u8",
        "x > 0",
        "x != 0",
        "x = x + 1",
        &[
            ("wraps", "always: x > 0"),
            ("wraps", "preserved: x >= 10"),
            ("wraps", "always: x >= entry(x)"),
            ("wraps", "transition: x' > x"),
            ("wraps", "terminates: x' > x by order"),
            ("wraps at the end", "ranking: 255 - x"),
            ("a rank that wraps is none", "ranking: -1 * x"),
            ("zero is reached", "recurrent: x != 0 at x = 1"),
            ("wraps", "recurrent: x > 0 at x = 1"),
            ("off by one", "bound: 255 - x within 255 - entry(x)"),
        ],
    ),
    of(
        "x:s8 y:s8",
        "x == 0 && y == 0",
        "x < 127 || y < 127",
        "x = x + 1; y = y + 1",
        &[
            ("not known of the other", "preserved: x <= 127 && x >= 0"),
            ("wraps when they differ", "ranking: 127 - x"),
            ("wraps when they differ", "transition: x' > x && y' > y"),
            ("the sum wraps", "always: x + y == 2 * #iterations - 1"),
        ],
    ),
    of(
        "x:u8 y:u8",
        "true",
        "y != 0",
        "x = x + 3; y = y - 1",
        &[
            ("x cannot be counted", "bound: y within entry(x)"),
            ("y is never negative, x is not", "lexicographic: x; y + 1"),
            ("y's wrap", "preserved: y <= entry(y) && x >= entry(x)"),
        ],
    ),
    of(
        "x:u16",
        "x == 1",
        "x < 40000",
        "x = x * 2",
        &[("zero doubles to zero", "ranking: 65536 - x"), ("wraps", "preserved: x >= 1")],
    ),
    of(
        "x:z y:z",
        "true",
        "x >= 0",
        "x = x + y; y = y - 1",
        &[
            ("x grows first", "ranking: x"),
            ("x grows first", "lexicographic: x; y"),
            ("y is not bounded", "lexicographic: y; 0"),
            ("the phases in the wrong order", "multiphase: x; y"),
            ("y is not bounded", "terminates: y' < y by rank y"),
            ("infinitely many values", "terminates: y' < y by order"),
            ("a wrong constant", "nested: y; x"),
            ("the last is unbounded", "nested: x + 1; y + 1"),
            ("y gets negative", "recurrent: x >= 0 at x = 0; y = 5"),
        ],
    ),
    of(
        "x:u8 ?a:u8",
        "true",
        "x < 200 && a < 10",
        "x = x + a",
        &[
            ("leaks at the upper end", "recurrent: x < 200 choosing 1 at x = 7"),
            ("the guard refuses the choice", "recurrent: x < 200 choosing 10 at x = 7"),
            ("the choice is an input of its own", "recurrent: x < 200 choosing a at x = 7"),
            ("no choice", "recurrent: x < 200 at x = 7"),
            ("the choice wraps into the guard, and x grows", "recurrent: x < 200 choosing 257 at x = 7"),
            ("a may be zero", "ranking: 200 - x"),
            ("a may be nine", "transition: x' <= x + 9"),
            ("a may be nine", "preserved: x <= 200"),
            ("left at once by the input", "at exit: x >= 200"),
            ("left in two ways", "cases: true => true => x = entry(x) => true => ?"),
        ],
    ),
    of(
        "b:bool x:u4",
        "b == 1",
        "b == 1",
        "b = if(x > 3, 1, 0); x = x - 1",
        &[
            ("x wraps when b goes", "ranking: x"),
            ("b is zero at the end", "always: b == 1"),
            ("b may stay", "transition: b' < b"),
            ("reflexive", "terminates: b' <= b by order"),
            ("x wraps", "bound: x within entry(x)"),
            ("one iteration more", "bound: max(0, x - 3) within max(0, entry(x) - 3)"),
            ("ends", "recurrent: b == 1 at b = 1; x = 15"),
            ("two is no boolean", "recurrent: b == 1 at b = 2; x = 15"),
        ],
    ),
    // Each condition of a rule dropped, on eight bits.
    of(
        "i:s8 n:s8",
        "i == 0",
        "i < n",
        "i = i + 1",
        &[
            ("not so at entry", "at entry: n >= 0"),
            ("the invariant is missing", "at exit: i == n || n < 0"),
            ("n may be negative", "at exit: i == n given i <= n || i == 0"),
            ("what is given is no invariant", "at exit: i == n given i <= n"),
            ("the invariant is missing", "asserts: i <= max(n, 0)"),
            ("n may be negative", "asserts: i == n given i <= n || i == 0"),
            ("passed by all runs", "never: i >= n"),
            ("the invariant is missing", "never: i > n && n >= 0"),
            ("n may be negative", "never: i > n given i <= n || i == 0"),
            ("a stride of two", "bound: n - i per 2"),
            ("no stride", "bound: n - i per 0"),
            ("a negative stride", "bound: n - i per -1"),
            ("no component", "bound: "),
            ("one iteration less", "bound: n - i - 1"),
            ("raised by itself", "bound: n - i plus 1 by 0"),
            ("raised by a later one", "bound: n - i plus 1 by 1; n"),
            ("the raise changes", "bound: n; n - i plus i by 0"),
            ("two within one", "bound: n - i within entry(n); entry(n)"),
            ("within the state now", "bound: n - i within n - i"),
            (
                "the sum of the iteration is not one",
                "cases: true => i >= 0 => n = entry(n) => true => 2 * i of 2 * entry(n)",
            ),
            (
                "does not begin at zero",
                "cases: true => i >= 0 => n = entry(n) => true => i + 1 of entry(n) + 1",
            ),
            (
                "the total is too small",
                "cases: entry(n) > 1 => i >= 0 && i <= n => n = entry(n) => true => i of entry(n) - 1 \
              else entry(n) <= 1 => true => n = entry(n) => true => ?",
            ),
            (
                "the total is too large",
                "cases: entry(n) > 1 => i >= 0 && i <= n => n = entry(n) => true => i of entry(n) + 1 \
              else entry(n) <= 1 => true => n = entry(n) => true => ?",
            ),
            ("the relation does not hold", "cases: true => i >= 0 => n = entry(n) => i == n => ?"),
            ("the number of iterations has no meaning", "always: i == #iterations"),
        ],
    ),
    // The type's limit in each rule.
    of(
        "x:s8",
        "x >= 0",
        "x >= 0",
        "x = x + 1",
        &[
            ("wraps", "always: x >= 0"),
            ("wraps", "always: x >= entry(x)"),
            ("wraps", "transition: x' > x"),
            ("wraps at the end", "ranking: 127 - x given x >= entry(x)"),
            ("wraps", "terminates: x' > x by order"),
            ("wraps", "bound: 127 - x"),
            ("wraps", "at exit: x >= 0"),
            ("wraps", "asserts: x == 128"),
            ("wraps", "recurrent: x >= 0 at x = 0"),
            ("wraps", "cases: true => x >= entry(x) => x = 128 => true => x - entry(x) of 128 - entry(x)"),
        ],
    ),
    of(
        "x:s8 y:s8 ?a:s8",
        "true",
        "x > 0 && y > 0",
        "x = if(a == 0, x - 1, x); y = if(a == 0, 7, y - 1)",
        &[
            ("the raise is missing", "bound: x; y"),
            ("raised by more", "bound: x; y plus 5 by 0"),
            ("not so at entry", "bound: x; y afresh 7 by 0"),
            ("the wrong order", "bound: y; x plus 7 by 0"),
        ],
    ),
    (
        LoopText {
            variables: "i:s8 n:s8",
            initially: "i == 0 && n >= 0",
            guard: "i <= n",
            breaks: "i == n",
            updates: "i = i + 1",
        },
        &[
            (
                "an iteration has begun",
                "cases: true => i >= 0 && i <= n && n == entry(n) => i = entry(n) => true => i of entry(n)",
            ),
            ("the guard is not the exit", "at exit: i > n"),
        ],
    ),
];

#[test]
fn no_wrong_claim_is_certified() {
    let mut accepted = Vec::new();
    let mut count = 0;
    for (text, claims) in TABLE {
        for (reason, written) in *claims {
            count += 1;
            match check(text, &claim(written)) {
                Ok(_) => accepted.push(format!("{text:?}\n  {written} ({reason})")),
                // Shown by `--nocapture`: a reader can compare the reasons.
                Err(why) => println!("{written}\n  expected: {reason}\n  {why}"),
            }
        }
    }
    assert!(accepted.is_empty(), "{}", accepted.join("\n"));
    assert!(count >= 146, "{count}");
}
