//! Correct claims of every form, which the kernel accepts: on machine integers with their wrap, and without limits.

mod support;

use base::Budget;
use evidence::{Evidence, Fact, FactPlace, Formula, Quantity, Summary};
use logic::solver::Embedded;
use logic::{Sort, Terms};
use loopscope_certify::{Component, Kind, Refusal, Relation, check_summary, inductive_subset};
use support::{Claim, LoopText, check, check_relation, claim, read};

/// A loop and what is true of it.
struct Accepted {
    of: LoopText,
    claims: &'static [&'static str],
}

const fn of(
    variables: &'static str,
    initially: &'static str,
    guard: &'static str,
    updates: &'static str,
    claims: &'static [&'static str],
) -> Accepted {
    Accepted { of: LoopText { variables, initially, guard, updates }, claims }
}

const TABLE: &[Accepted] = &[
    of(
        "i:s32 n:s32",
        "i == 0 && n >= 0",
        "i < n",
        "i = i + 1",
        &[
            "always: 0 <= i && i <= n",
            "preserved: i >= 0",
            "always: i == entry(i) + #passes && i <= n",
            "at exit: i >= n",
            "transition: i' > i",
            "terminates: i' > i && n' == n && i < n by rank n - i",
            "terminates: i' > i by order",
            "ranking: n - i - 1",
            "bound: entry(n) by n - i",
            "bound: entry(n) - entry(i) by n - i",
            "bound: max(0, entry(n)) + 7 by n - i + 7",
            "closed: true -> i = entry(i) + #passes; n = entry(n)",
            "cases: true => i == #passes && i <= n && n == entry(n) => i = entry(n); n = entry(n) => true => entry(n) exactly",
            "cases: entry(n) == 0 => i == 0 && n == 0 && #passes == 0 => i = 0 => true => 0 \
             else entry(n) > 0 => i <= n && n == entry(n) => i = entry(n) => i == n => ?",
        ],
    ),
    // An unsigned counter that goes down to zero.
    of(
        "x:u8",
        "true",
        "x != 0",
        "x = x - 1",
        &[
            "ranking: x - 1",
            "ranking: x",
            "bound: entry(x) by x",
            "closed: true -> x = entry(x) - #passes",
            "at exit: x == 0",
            "cases: true => x == entry(x) - #passes && #passes <= entry(x) => x = 0 => true => entry(x) exactly",
        ],
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
            "closed: x < 255 -> x = entry(x) + #passes",
            "preserved: x >= 10 || x == 0",
        ],
    ),
    // Wrapping is no mistake when it is said.
    of(
        "x:u8 y:u8",
        "true",
        "y != 0",
        "x = x + 3; y = y - 1",
        &[
            "closed: true -> x = (entry(x) + 3 * #passes) % 256; y = entry(y) - #passes",
            "closed: x <= 252 -> x = entry(x) + 3 * #passes; y = entry(y) - #passes",
            "bound: entry(y) by y",
        ],
    ),
    // Sums of products.
    of(
        "i:s32 s:s64",
        "i == 0 && s == 0",
        "i < 1000",
        "s = s + i; i = i + 1",
        &[
            "closed: s < 1000000 && i >= 0 -> i = entry(i) + #passes; \
             s = entry(s) + entry(i) * #passes + #passes * (#passes - 1) / 2",
            "bound: 1000 by 1000 - i",
        ],
    ),
    of(
        "x:u16",
        "x == 1",
        "x < 1000",
        "x = x * 2",
        &[
            "closed: true -> x = entry(x) * 2 ** #passes",
            "closed: true -> x = entry(x) * 2 ** #passes up to 12",
            "always: x >= 1 && x < 2000",
        ],
    ),
    // The path decides between the branches; what is extended keeps its number.
    of(
        "c:s8 u:u8 s:s32",
        "true",
        "c != 0",
        "c = if(c < 100, c + 1, c - 5); s = if(c < 100, s + c - 3 * u, s * s); u = u",
        &[
            "closed: c < 100 && s > -1000000 && s < 1000000 -> c = entry(c) + #passes; u = entry(u); \
             s = entry(s) + entry(c) * #passes + #passes * (#passes - 1) / 2 - 3 * entry(u) * #passes",
            "closed: c >= 100 -> c = entry(c) - 5 * #passes",
            "always: c >= -128 && u == entry(u)",
        ],
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
        "x > 0",
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
];

#[test]
fn true_claims_are_certified() {
    let mut refused = Vec::new();
    for accepted in TABLE {
        for text in accepted.claims {
            if let Err(refusal) = check(&accepted.of, &claim(text)) {
                refused.push(format!("{:?}\n  {text}\n  {refusal}", accepted.of));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

const COUNT: LoopText =
    LoopText { variables: "i:s32 n:s32 m:s32", initially: "i == 0", guard: "i < n", updates: "i = i + 1" };

#[test]
fn a_refusal_shows_a_state() {
    let refusal = check(&COUNT, &claim("preserved: i <= 5")).unwrap_err();
    let Refusal::Fails { state, .. } = &refusal else { panic!("{refusal}") };
    let value = |name: &str| state.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!((value("i"), value("i'")), (Some("5"), Some("6")), "{refusal}");
    assert!(refusal.to_string().starts_with("not so: a pass preserves the invariant; with "), "{refusal}");
}

#[test]
fn candidates_are_checked_together() {
    let mut terms = Terms::new();
    let relation = COUNT.relation(&mut terms);
    let texts = [
        "i >= 0",
        "i <= n",           // Not at entry: n may be negative.
        "i <= n || i == 0", // Needs nothing else.
        "m == entry(m)",
        "i + m >= entry(m)", // Needs the first and the fourth.
        "i <= 100",
        "i' > i", // Has no meaning for one state.
        "n == entry(n)",
    ];
    let candidates: Vec<Formula> = texts.iter().map(|text| read(text)).collect();
    let (solver, budget) = (&mut Embedded::new(), &mut Budget::steps(10_000_000));
    let kept = inductive_subset(&mut terms, &relation, &candidates, true, solver, budget);
    assert_eq!(kept, [true, false, true, true, true, false, false, true]);
    let kept = inductive_subset(&mut terms, &relation, &candidates, false, solver, budget);
    assert_eq!(kept, [true, true, true, true, true, false, false, true]);
    let mut nothing = Budget::steps(0);
    let kept = inductive_subset(&mut terms, &relation, &candidates, true, solver, &mut nothing);
    let proved_without_solver = kept.iter().filter(|kept| **kept).count();
    assert!(proved_without_solver <= 2, "nothing is kept that was not proved");
}

#[test]
fn summaries_use_their_own_facts() {
    let text = LoopText {
        variables: "i:s32 j:s32",
        initially: "i == 0 && j == 0",
        guard: "i < 10",
        updates: "i = i + 1; j = j + 2",
    };
    let mut terms = Terms::new();
    let relation = text.relation(&mut terms);
    let Claim::Cases(cases) = claim("cases: true => true => j = 20; i = 10 => true => ?") else {
        panic!("cases")
    };
    let fact = |text: &str, at| Fact { formula: read(text), at };
    let mut summary = Summary {
        name: String::from("the loop"),
        place: None,
        facts: vec![
            fact("j == 2 * i", FactPlace::Head),
            fact("i >= 0 && i <= 10", FactPlace::Head),
            fact("j == 20", FactPlace::Exit),
        ],
        cases,
        termination: None,
        bound: None,
    };
    let (solver, budget) = (&mut Embedded::new(), &mut Budget::steps(10_000_000));
    let certificate = check_summary(&mut terms, &relation, &summary, solver, budget).unwrap();
    assert_eq!(certificate.subject(), "the loop");
    assert_eq!(certificate.into_evidence(), Evidence::Loops(vec![summary.clone()]));
    summary.facts.remove(1);
    assert!(check_summary(&mut terms, &relation, &summary, solver, budget).is_err());
}

#[test]
fn assumptions_are_used_and_memory_is_carried_along() {
    let mut terms = Terms::new();
    let memory = Sort::Array(logic::Scalar::BitVector(32), logic::Scalar::BitVector(8));
    let state = vec![
        Component { quantity: Quantity::offset("p"), kind: Kind::Machine { width: 32, signed: false } },
        Component { quantity: Quantity::size("p"), kind: Kind::Machine { width: 32, signed: false } },
        Component { quantity: Quantity::value("memory"), kind: Kind::Opaque(memory) },
    ];
    let mut relation = Relation::new(&mut terms, "the loop", state).unwrap();
    let [offset, size, bytes] = relation.before() else { panic!("three parts") };
    let (offset, size, bytes) = (*offset, *size, *bytes);
    // while (*p) { *p = 1; p++; }, in an object with a zero at its end.
    let (one, zero) = (terms.bits(32, 1), terms.bits(8, 0));
    let byte = terms.select(bytes, offset);
    let continues = terms.differ(byte, zero);
    let next = terms.binary(logic::Binary::BitAdd, offset, one);
    let written = terms.bits(8, 1);
    let memory = terms.store(bytes, offset, written);
    relation.set_pass(&terms, continues, vec![next, size, memory]).unwrap();
    let last = terms.binary(logic::Binary::BitSubtract, size, one);
    let end = terms.select(bytes, last);
    let terminated = terms.equal(end, zero);
    let claim = claim("preserved: offset(p) < size(p)");
    assert!(check_relation(&mut terms, &relation, &claim).is_err());
    relation.assume(&terms, terminated).unwrap();
    check_relation(&mut terms, &relation, &claim).unwrap();
    let stranger = terms.fresh("stranger", Sort::Bool);
    assert!(relation.assume(&terms, stranger).is_err());
    let about_memory = support::claim("preserved: memory == 0");
    assert!(matches!(check_relation(&mut terms, &relation, &about_memory), Err(Refusal::Unsupported { .. })));
}
