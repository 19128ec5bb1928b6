//! Correct claims of every form, which the kernel accepts: on machine integers with their wrap, and without limits.

mod support;

use support::LoopText;
use support::claims::claim;
use support::kernel::check;

const fn of(
    variables: &'static str,
    initially: &'static str,
    guard: &'static str,
    updates: &'static str,
    claims: &'static [&'static str],
) -> (LoopText, &'static [&'static str]) {
    (LoopText { variables, initially, guard, breaks: "false", updates }, claims)
}

const TABLE: &[(LoopText, &[&str])] = &[
    of(
        "i:s32 n:s32",
        "i == 0 && n >= 0",
        "i < n",
        "i = i + 1",
        &[
            "always: 0 <= i && i <= n",
            "preserved: i >= 0",
            "at exit: i >= n",
            "transition: i' > i",
            "terminates: i' > i && n' == n && i < n by rank n - i",
            "terminates: i' > i by order",
            "ranking: n - i - 1",
            "bound: n - i within entry(n)",
            "bound: n - i within entry(n) - entry(i)",
            "bound: n - i + 7 within max(0, entry(n)) + 7",
        ],
    ),
    // An unsigned counter that goes down to zero.
    of(
        "x:u8",
        "true",
        "x != 0",
        "x = x - 1",
        &["ranking: x - 1", "ranking: x", "bound: x within entry(x)", "at exit: x == 0"],
    ),
    // Without the guard against the wrap nothing but the type ends it.
    of(
        "x:u8",
        "true",
        "x >= 10",
        "x = x + 1",
        &[
            "ranking: if(x >= 10, 256 - x, 0)",
            "terminates: x' > x && x >= 10 by order; x' < 10 && x >= 10 by rank x - 10",
            "preserved: x >= 10 || x == 0",
        ],
    ),
    // Wrapping is no mistake when it is said.
    of("x:u8 y:u8", "true", "y != 0", "x = x + 3; y = y - 1", &["bound: y within entry(y)"]),
    // Sums of products.
    of(
        "i:s32 s:s64",
        "i == 0 && s == 0",
        "i < 1000",
        "s = s + i; i = i + 1",
        &["bound: 1000 - i within 1000"],
    ),
    of("x:u16", "x == 1", "x < 1000", "x = x * 2", &["always: x >= 1 && x < 2000"]),
    // The path decides between the branches; what is extended keeps its number.
    of(
        "c:s8 u:u8 s:s32",
        "true",
        "c != 0",
        "c = if(c < 100, c + 1, c - 5); s = if(c < 100, s + c - 3 * u, s * s); u = u",
        &["always: c >= -128 && u == entry(u)"],
    ),
    // Two phases: y goes down until it is negative, from then on x does.
    of(
        "x:z y:z",
        "true",
        "x >= 0",
        "x = x + y; y = y - 1",
        &["multiphase: y + 1; x + 1", "nested: y + 1; x + 1", "lexicographic: y; x", "transition: y' < y"],
    ),
    of(
        "x:s8 y:s8 ?a:s8",
        "true",
        "x > 0 && y > 0 && a >= 0",
        "x = if(a == 0, x - 1, x); y = if(a == 0, a + 100, y - 1)",
        &[
            "lexicographic: x; y",
            "terminates: x' < x && x > 0 by rank x; x' <= x && y' < y && y > 0 by rank y",
        ],
    ),
    of(
        "x:z ?a:z",
        "x != 0",
        "x != 0",
        "x = x + a",
        &["recurrent: x >= 1 choosing 1 at x = 1", "recurrent: x != 0 choosing if(x == -1, -1, 1) at x = -5"],
    ),
    of(
        "x:u8 ?a:u8",
        "true",
        "x < 200 && a < 10",
        "x = x + a",
        &["recurrent: x < 200 choosing 0 at x = 7", "recurrent: x == 3 choosing 256 at x = 3"],
    ),
    of(
        "x:s8",
        "true",
        "x > 0",
        "x = x + 1 - 2 * (x % 2)",
        &["recurrent: x >= 2 && x <= 101 at x = 4", "preserved: x >= 2 || x == 0"],
    ),
    of(
        "b:bool x:u4",
        "true",
        "b == 1",
        "b = if(x > 3, 1, 0); x = x - 1",
        &[
            "terminates: b == 1 && x' < x && x > 3 by rank x; b' == 0 && b == 1 by order",
            "lexicographic: b; x",
            "always: b >= 0 && b <= 1",
        ],
    ),
    // The rules with a part each that needs the others: invariants, exits, cases, marks, assertions.
    of(
        "i:s8 n:s8",
        "i == 0",
        "i < n",
        "i = i + 1",
        &[
            "at entry: i == 0 && entry(i) == i",
            "at exit: i == n || n < 0 given i <= n || i == 0",
            "asserts: i >= n",
            "asserts: i <= max(n, 0) given i <= n || i == 0",
            "never: i < n",
            "never: i > n && n >= 0 given i <= n || i == 0",
            "bound: n - i",
            "bound: 2 * (n - i) per 2",
            "cases: entry(n) <= 0 => i == 0 && n == entry(n) => i = 0 => true => 0 of 0 \
             else entry(n) > 0 => i >= 0 && i <= n && n == entry(n) => i = entry(n) => i == n => i of entry(n)",
        ],
    ),
    // A closed form with its wrap-around: k counts the iterations.
    of(
        "x:u8 y:u8 k:u16",
        "k == 0",
        "y != 0",
        "x = x + 3; y = y - 1; k = k + 1",
        &[
            "always: y == entry(y) - k && x == (entry(x) + 3 * k) % 256 && k <= entry(y)",
            "cases: true => y == entry(y) - k && k <= entry(y) => y = 0; k = entry(y) => true => k of entry(y)",
        ],
    ),
    of(
        "x:s8 y:s8 ?a:s8",
        "true",
        "x > 0 && y > 0",
        "x = if(a == 0, x - 1, x); y = if(a == 0, 7, y - 1)",
        &["bound: x; y plus 7 by 0"],
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
            "at exit: i == n given i <= n",
            "bound: n - i within entry(n)",
            "cases: true => i >= 0 && i <= n && n == entry(n) => i = entry(n) => true => i of entry(n) + 1",
        ],
    ),
];

#[test]
fn true_claims_are_certified() {
    let mut refused = Vec::new();
    for (text, claims) in TABLE {
        for written in *claims {
            if let Err(why) = check(text, &claim(written)) {
                refused.push(format!("{text:?}\n  {written}\n  {why}"));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
