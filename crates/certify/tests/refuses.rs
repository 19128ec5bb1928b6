//! Wrong claims, made by hand: nearly right, and each wrong for a reason. The kernel accepts none of them.
//!
//! A claim is also wrong here if it is true but its evidence does not show it: the kernel knows only the evidence.

mod support;

use evidence::Quantity;
use logic::{Sort, Terms};
use loopscope_certify::{Component, Kind, Refusal, Relation};
use support::{LoopText, check, check_relation, claim};

/// A loop and what is not so.
struct Refused {
    of: LoopText,
    claims: &'static [(&'static str, &'static str)],
}

const fn of(
    variables: &'static str,
    initially: &'static str,
    guard: &'static str,
    updates: &'static str,
    claims: &'static [(&'static str, &'static str)],
) -> Refused {
    Refused { of: LoopText { variables, initially, guard, updates }, claims }
}

const TABLE: &[Refused] = &[
    // Never left: the counter has no limit, however many bits it has in the kernel.
    of(
        "x:u8",
        "true",
        "true",
        "x = x",
        &[
            ("unlimited", "always: #passes <= 262143"),
            ("unlimited", "always: #passes <= 262144"),
            ("unlimited", "always: #passes < 340282366920938463463374607431768211456"),
            ("true, but cannot be counted", "always: #passes >= 0"),
            ("never ends", "ranking: 0"),
            (
                "never ends",
                "bound: 340282366920938463463374607431768211456 by 340282366920938463463374607431768211456",
            ),
            ("never ends", "cases: true => #passes <= 262144 => x = entry(x) => true => 5 exactly"),
            ("never ends", "cases: true => true => x = entry(x) => true => 262143 exactly"),
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
            ("the counter starts at zero", "always: i == #passes + 1"),
            ("the counter goes by ones", "always: i == 2 * #passes"),
            ("not at entry", "always: i > entry(i)"),
            ("a wrong constant", "preserved: i + n <= 100"),
            ("off by one", "preserved: n >= i + 1"),
            ("true, but not inductive", "always: #passes <= 5 || i > 5"),
            ("the fact is weaker at exit", "at exit: i == n"),
            ("the fact is of the head", "at exit: i < n"),
            ("the next state has no meaning here", "always: i' > i"),
            ("no such variable", "always: j >= 0"),
            ("not a pass", "transition: i' > i + 1"),
            ("one pass only", "transition: i' == i + 1"),
            ("one pass only", "transition: i' <= i + 1"),
            ("two passes at most", "transition: i' == i + 1; i' == i + 2"),
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
            ("the rank does not decrease", "terminates: i' > i && i < n by rank n - i"),
            ("one argument is missing", "terminates: i' > i && i < n && n' == n by rank i"),
            (
                "one bad disjunct",
                "terminates: i' > i && n' == n && i < n by rank n - i; i' < i by rank n - i",
            ),
            ("n may be negative", "bound: entry(n) by n - i"),
            ("off by one", "bound: max(0, entry(n)) - 1 by n - i"),
            ("off by one", "bound: max(0, entry(n) - 1) by n - i - 1"),
            ("too small at entry", "bound: 1000 by n - i"),
            ("the rank does not decrease", "bound: max(0, entry(n)) by n"),
            ("the rank gets negative", "bound: max(0, entry(n)) by 0 - i"),
            ("the bound may speak about entry alone", "bound: max(0, n) by n - i"),
            ("off by one", "closed: true -> i = entry(i) + #passes + 1"),
            ("off by one", "closed: true -> i = entry(i) + #passes - 1"),
            ("a wrong factor", "closed: true -> i = entry(i) + 2 * #passes"),
            ("n stays", "closed: true -> i = entry(i) + #passes; n = entry(n) + #passes"),
            ("twice the same", "closed: true -> i = entry(i) + #passes; i = entry(i) + #passes"),
            ("rounding", "closed: true -> i = entry(i) + #passes * #passes / 2"),
            ("not at entry", "closed: true -> i = #passes"),
            ("the state now has no meaning here", "closed: true -> i = i + #passes"),
            (
                "zero passes are missing",
                "cases: entry(n) > 0 => i <= n && n == entry(n) => i = entry(n) => true => entry(n)",
            ),
            (
                "the wrong state without a pass",
                "cases: true => (i <= n || i == 0) && n == entry(n) => i = entry(n) => true => ?",
            ),
            (
                "the end is off by one",
                "cases: entry(n) <= 0 => i == 0 && #passes == 0 => i = 0 => true => 0 \
                 else entry(n) > 0 => i <= n && n == entry(n) => i = entry(n) - 1 => true => ?",
            ),
            (
                "the passes are off by one",
                "cases: true => i == #passes && n == entry(n) && i <= max(n, 0) => i = max(entry(n), 0) => true \
                 => max(entry(n), 0) + 1",
            ),
            (
                "not inductive",
                "cases: entry(n) <= 0 => i == 0 && #passes == 0 => i = 0 => true => 0 \
                 else entry(n) > 0 => i == n => i = entry(n) => true => ?",
            ),
            (
                "exact without the number of passes",
                "cases: true => i == #passes && n == entry(n) && i <= max(n, 0) => i = max(entry(n), 0); n = entry(n) \
                 => true => ? exactly",
            ),
            (
                "exact without n",
                "cases: true => i == #passes && n == entry(n) && i <= max(n, 0) => i = max(entry(n), 0) \
                 => true => max(entry(n), 0) exactly",
            ),
            (
                "a gap between the cases",
                "cases: entry(n) < 0 => i == 0 => i = 0 => true => ? \
                 else entry(n) > 0 => i <= n && n == entry(n) => i = entry(n) => true => ?",
            ),
            ("no case at all", "cases: false => true => i = 0 => true => ?"),
            ("a guard over the state now", "cases: i <= n || i > n => true => n = entry(n) => true => ?"),
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
            ("wraps", "closed: true -> x = entry(x) + #passes"),
            ("the limit is off by one", "closed: x <= 255 -> x = entry(x) + #passes"),
            ("wraps later", "closed: true -> x = entry(x) + #passes up to 255"),
            ("modulo the wrong number", "closed: true -> x = (entry(x) + #passes) % 255 up to 300"),
            ("no limit for the counter", "closed: true -> x = (entry(x) + #passes) % 256"),
            ("zero is reached", "recurrent: x != 0 at x = 1"),
            ("wraps", "recurrent: x > 0 at x = 1"),
            ("off by one", "bound: 255 - entry(x) by 255 - x"),
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
            ("wraps when they differ", "closed: true -> x = entry(x) + #passes; y = entry(y) + #passes"),
            ("wraps when they differ", "transition: x' > x && y' > y"),
            ("the sum wraps", "always: x + y == 2 * #passes - 1"),
        ],
    ),
    of(
        "x:u8 y:u8",
        "true",
        "y != 0",
        "x = x + 3; y = y - 1",
        &[
            ("wraps", "closed: true -> x = entry(x) + 3 * #passes; y = entry(y) - #passes"),
            ("off by one", "closed: x <= 253 -> x = entry(x) + 3 * #passes; y = entry(y) - #passes"),
            ("x cannot be counted", "bound: entry(x) by y"),
            ("y is never negative, x is not", "lexicographic: x; y + 1"),
            ("y's wrap", "preserved: y <= entry(y) && x >= entry(x)"),
        ],
    ),
    of(
        "x:u16",
        "x == 1",
        "x < 40000",
        "x = x * 2",
        &[
            ("wraps in the last pass", "closed: true -> x = entry(x) * 2 ** #passes"),
            ("wraps in the last pass", "closed: true -> x = entry(x) * 2 ** #passes up to 17"),
            ("a wrong base", "closed: x < 100 -> x = entry(x) * 3 ** #passes up to 5"),
            ("off by one", "closed: x < 100 -> x = entry(x) * 2 ** (#passes + 1) up to 5"),
            ("zero doubles to zero", "ranking: 65536 - x"),
            ("wraps", "preserved: x >= 1"),
        ],
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
            ("no square", "closed: true -> y = entry(y) - #passes; x = entry(x) + entry(y) * #passes"),
            (
                "off by one in the sum",
                "closed: true -> y = entry(y) - #passes; \
                 x = entry(x) + entry(y) * #passes - #passes * (#passes + 1) / 2",
            ),
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
            ("a may be zero", "transition: x' > x"),
            ("a may be nine", "preserved: x <= 200"),
            ("not a function of the state", "closed: true -> x = entry(x) + #passes"),
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
            ("x wraps", "bound: entry(x) by x"),
            ("one pass more", "bound: max(0, entry(x) - 3) by max(0, x - 3)"),
            ("ends", "recurrent: b == 1 at b = 1; x = 15"),
            ("two is no boolean", "recurrent: b == 1 at b = 2; x = 15"),
        ],
    ),
];

#[test]
fn no_wrong_claim_is_certified() {
    let mut accepted = Vec::new();
    let mut count = 0;
    for refused in TABLE {
        for (why, text) in refused.claims {
            count += 1;
            match check(&refused.of, &claim(text)) {
                Ok(_) => accepted.push(format!("{:?}\n  {text} ({why})", refused.of)),
                // Shown by `--nocapture`: a reader can compare the reasons.
                Err(refusal) => println!("{text}\n  expected: {why}\n  {refusal}"),
            }
        }
    }
    assert!(accepted.is_empty(), "{}", accepted.join("\n"));
    assert!(count >= 130, "{count}");
}

#[test]
fn what_needs_too_many_bits_is_refused_by_name() {
    let text = LoopText { variables: "x:u32", initially: "true", guard: "x > 0", updates: "x = x - 1" };
    let product = vec!["x"; 40].join(" * ");
    for (claimed, expected) in [
        (format!("preserved: {product} >= 0"), "a number of the evidence needs"),
        (String::from("preserved: 2 ** x > 0"), "a power by a number up to 4294967295"),
        (String::from("preserved: 2 ** (x - 1) > 0"), "a power by a number that may be negative"),
        (String::from("preserved: x % 0 == 0"), "a division by 0"),
        (String::from("preserved: y == 0"), "y is not in the state of the loop"),
        (String::from("preserved: x' == 0"), "x' has no meaning in this place"),
        (String::from("preserved: offset(x) == 0"), "offset(x) is not in the state"),
        (String::from("ranking: #passes"), "the number of passes has no meaning"),
    ] {
        match check(&text, &claim(&claimed)) {
            Err(Refusal::Unsupported { what }) if what.contains(expected) => {}
            other => panic!("{claimed}: {other:?}"),
        }
    }
}

#[test]
fn inputs_may_not_be_assumed_away() {
    // The choice breaks what is assumed of the input: the assumption must not make it vacuously right.
    let text = LoopText { variables: "x:s8 ?a:s8", initially: "true", guard: "x != 0", updates: "x = a" };
    let mut terms = Terms::new();
    let mut relation = text.relation(&mut terms);
    let (input, zero) = (relation.inputs()[0], terms.bits(8, 0));
    let only_zero = terms.equal(input, zero);
    let claimed = claim("recurrent: x == 1 choosing 1 at x = 1");
    check_relation(&mut terms, &relation, &claimed).unwrap();
    relation.assume(&terms, only_zero).unwrap();
    assert!(check_relation(&mut terms, &relation, &claimed).is_err());
}

#[test]
fn approximations_show_no_runs() {
    let text = LoopText { variables: "x:s8", initially: "true", guard: "x == 0", updates: "x = x" };
    let mut terms = Terms::new();
    let mut relation = text.relation(&mut terms);
    let stays = claim("recurrent: x == 0 at x = 0");
    let exact = claim(
        "cases: entry(x) != 0 => x == entry(x) && #passes == 0 => x = entry(x) => true => 0 exactly \
                       else entry(x) == 0 => x == 0 => x = 0 => true => ?",
    );
    check_relation(&mut terms, &relation, &stays).unwrap();
    check_relation(&mut terms, &relation, &exact).unwrap();
    relation.set_approximate();
    assert!(check_relation(&mut terms, &relation, &stays).is_err());
    assert!(check_relation(&mut terms, &relation, &exact).is_err());
}

#[test]
fn a_run_that_gets_stuck_leaves_by_no_case() {
    // A pass is made below five, the loop is left above: at five the run ends in another way.
    let mut terms = Terms::new();
    let kind = Kind::Machine { width: 8, signed: false };
    let state = vec![Component { quantity: Quantity::value("x"), kind }];
    let mut relation = Relation::new(&mut terms, "the loop", state).unwrap();
    let (x, five, one) = (relation.variable("x"), terms.bits(8, 5), terms.bits(8, 1));
    let (below, above) = (
        terms.binary(logic::Binary::UnsignedLess, x, five),
        terms.binary(logic::Binary::UnsignedLess, five, x),
    );
    let next = terms.binary(logic::Binary::BitAdd, x, one);
    relation.set_pass(&terms, below, vec![next]).unwrap();
    relation.add_exit(&terms, above, vec![x]).unwrap();
    let case = "cases: entry(x) <= 5 => x == entry(x) + #passes && x <= 5 => x = 6 => true => 5 - entry(x) EXACT \
                else entry(x) > 5 => x == entry(x) && #passes == 0 => x = entry(x) => true => 0 exactly";
    let stuck = claim(&case.replace("EXACT", "exactly"));
    let vacuous = claim(&case.replace(" EXACT", ""));
    check_relation(&mut terms, &relation, &vacuous).unwrap();
    assert!(check_relation(&mut terms, &relation, &stuck).is_err());
}

#[test]
fn relations_are_over_their_own_symbols() {
    let mut terms = Terms::new();
    let kind = Kind::Machine { width: 8, signed: false };
    let part = |name: &str| Component { quantity: Quantity::value(name), kind };
    assert!(Relation::new(&mut terms, "the loop", vec![part("x"), part("x")]).is_err());
    let mut relation = Relation::new(&mut terms, "the loop", vec![part("x")]).unwrap();
    let (stranger, narrow, yes) =
        (terms.fresh("stranger", Sort::BitVector(8)), terms.bits(7, 0), terms.bool(true));
    let x = relation.variable("x");
    assert!(relation.set_pass(&terms, yes, vec![stranger]).is_err());
    assert!(relation.set_pass(&terms, yes, vec![narrow]).is_err());
    assert!(relation.set_pass(&terms, yes, vec![]).is_err());
    assert!(relation.set_pass(&terms, x, vec![x]).is_err());
    let input = relation.input(&mut terms, "a", Sort::BitVector(8));
    relation.set_pass(&terms, yes, vec![input]).unwrap();
    let about_input = terms.equal(input, x);
    assert!(relation.set_initially(&terms, about_input).is_err());
    assert!(relation.add_exit(&terms, about_input, vec![stranger]).is_err());
}
