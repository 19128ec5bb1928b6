//! Contracts that are printed and read back: the same contract comes out, and the same meaning.

mod support;

use evidence::{Contract, Formula, Integer, Name, Pointee};
use loopscope_report::annotations::{Assigns, Stated, contracts};
use loopscope_report::contract::{acsl, cbmc};
use program::Program;
use support::{Dice, State, holds, program};

const HEAD: &str = "
typedef unsigned long size;
struct part { short x; unsigned char y[3]; };
struct list { int used; struct part parts[2]; size length; int *items; };
int g, h;
";
const DECLARATOR: &str =
    "int f(int n, unsigned u, size s, unsigned char c, int *a, const char *t, struct list *l, void *v)";
const BODY: &str = "
{ g += h; return n + (int)u + (int)s + c + a[0] + t[0] + l->used + l->items[0] + (v != 0); }
int main(void) { return f(0, 0, 0, 0, 0, 0, 0, 0); }
";

/// What is read of a contract in front of the body, or before the declarator.
fn read(before: &str, behind: &str) -> Stated {
    let text = format!("{HEAD}{before}{DECLARATOR}\n{behind}{BODY}");
    let mut found = contracts(&program(&text));
    assert!(found.unread.is_empty(), "{text}\n{:?}", found.unread);
    assert_eq!(found.contracts.len(), 1, "{text}");
    found.contracts.remove(0)
}

fn plain() -> Program {
    program(&format!("{HEAD}{DECLARATOR}{BODY}"))
}

fn contract(objects: Vec<Pointee>, requires: &[&str], ensures: &[&str]) -> Contract {
    let formulas = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
    Contract {
        function: String::from("f"),
        objects,
        requires: formulas(requires),
        ensures: formulas(ensures),
    }
}

fn object(parameter: &str, field: Option<u64>, bytes: &str) -> Pointee {
    // An expression is read as a side of a comparison.
    let formula: Formula = format!("{bytes} == 0").parse().unwrap();
    let Formula::Compare { left: bytes, .. } = formula else { unreachable!("it is a comparison") };
    Pointee {
        parameter: Name::from(parameter),
        field,
        bytes,
        terminated: false,
        changed: false,
        not_null: false,
    }
}

fn only(names: &[&str]) -> Assigns {
    Assigns::Only(names.iter().map(|name| (*name).to_owned()).collect())
}

#[test]
fn a_contract_is_read_back() {
    let changed = |object: Pointee| Pointee { changed: true, ..object };
    let terminated = |object: Pointee| Pointee { terminated: true, ..object };
    let list = || vec![object("l", None, "32"), changed(object("l", Some(24), "4 * start(l.s4[0])"))];
    let all = [
        (
            contract(
                Vec::new(),
                &["start(n) > 0", "start(n) < start(u)"],
                &["$result == g - start(g) + start(n)"],
            ),
            only(&["g"]),
        ),
        (
            contract(
                vec![changed(object("a", None, "4 * start(n)"))],
                &[],
                &["a.s4[0] == start(a.s4[start(n) + -1])"],
            ),
            only(&[]),
        ),
        (
            contract(
                vec![object("a", None, "4"), changed(object("v", None, "start(u)"))],
                &["start(a.s4[0]) == 3"],
                &[],
            ),
            only(&["g", "h"]),
        ),
        (
            contract(
                list(),
                &["start(l.s4[0]) >= 0", "start(l.s2[2]) == 1 || start(l.u1[13]) == 7"],
                &["l.u8[2] == start(l.u8[2])"],
            ),
            only(&[]),
        ),
        (contract(vec![terminated(object("t", None, "start(n) + 1"))], &["start(n) >= 0"], &[]), only(&[])),
        (
            contract(
                vec![object("a", None, "3"), Pointee { not_null: true, ..object("v", None, "0") }],
                &["start(a.s2[0]) == 1"],
                &[],
            ),
            only(&[]),
        ),
        (
            contract(
                Vec::new(),
                &["(start(n) + 5) % 8 == 3", "start(u) / 3 == 1"],
                &["!(start(n) > 0) || $result == 1"],
            ),
            only(&["h"]),
        ),
        (
            contract(
                vec![changed(object("a", None, "4 * start(n)"))],
                &["every(k, 0, start(n), start(a.s4[k]) >= 0)"],
                &["!(every(k, 0, start(n), !(a.s4[k] == start(a.s4[k]))))"],
            ),
            only(&[]),
        ),
    ];
    let plain = plain();
    for (contract, assigns) in all {
        let text = acsl(&contract, &assigns, &plain).unwrap();
        let back = read(&text, "");
        assert_eq!((&back.contract, &back.assigns), (&contract, &assigns), "{text}");
        assert!(back.is_whole);
        let text = cbmc(&contract, &assigns, &plain).unwrap();
        let mut back = read("", &text);
        // What is fresh is not null.
        assert!(back.contract.objects.iter().all(|object| object.not_null), "{text}");
        for (read, object) in back.contract.objects.iter_mut().zip(&contract.objects) {
            read.not_null = object.not_null;
        }
        assert_eq!((&back.contract, &back.assigns), (&contract, &assigns), "{text}");
        let is_own = |one: &loopscope_report::annotations::Hypothesis| format!("{one:?}").starts_with("Own");
        assert!(!back.hypotheses.iter().any(is_own), "{text}");
    }
}

#[test]
fn what_only_acsl_can_say_is_read_back() {
    let plain = plain();
    let mut string = object("t", None, "start(length(t)) + 1");
    string.terminated = true;
    let all = [
        contract(vec![string], &["start(length(t)) < 10"], &["$result == length(t)"]),
        contract(
            vec![object("a", None, "4 * start(s)")],
            &["min(start(n), start(u), 5) > 2"],
            &["$result == if(start(n) > 0, 1, start(u))"],
        ),
    ];
    for contract in all {
        let text = acsl(&contract, &Assigns::Anything, &plain).unwrap();
        let back = read(&text, "");
        assert_eq!(back.contract, contract, "{text}");
        assert_eq!(back.assigns, Assigns::Anything);
        assert_eq!(cbmc(&contract, &Assigns::Anything, &plain), None);
    }
}

#[test]
fn what_cannot_be_said_is_left_out_or_refused() {
    let plain = plain();
    let unsaid = contract(Vec::new(), &["start(n) > 0"], &["#iterations == 3", "$result == 1"]);
    let text = acsl(&unsaid, &only(&[]), &plain).unwrap();
    assert_eq!(text, "/*@ requires n > 0;\n    assigns \\nothing;\n    ensures \\result == 1;\n*/\n");
    let text = cbmc(&unsaid, &only(&["g"]), &plain).unwrap();
    assert_eq!(
        text,
        "__CPROVER_requires(n > 0)\n__CPROVER_assigns(g)\n__CPROVER_ensures(__CPROVER_return_value == 1)\n"
    );
    let needed = contract(Vec::new(), &["#iterations == 3"], &["$result == 1"]);
    assert_eq!(acsl(&needed, &only(&[]), &plain), None);
    assert_eq!(cbmc(&needed, &only(&[]), &plain), None);
}

/// Numbers from here on mark where a clause ends.
const MARK: usize = 77_000_000;

/// Random clauses.
struct Clauses(Dice);

impl Clauses {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0.roll(sides)
    }

    fn number(&mut self, depth: u32) -> String {
        let leaves = ["start(n)", "start(u)", "start(s)", "start(c)", "g", "start(h)", "$result", "a.s4[2]"];
        match self.roll(if depth == 0 { 3 } else { 8 }) {
            0 => format!("{}", self.roll(2000) as i64 - 1000),
            1 | 2 => leaves[self.roll(8) as usize].to_owned(),
            3 | 4 => format!("({} + {})", self.number(depth - 1), self.number(depth - 1)),
            5 => format!("{} * ({})", self.roll(9) as i64 - 4, self.number(depth - 1)),
            6 => format!("({}) % {}", self.number(depth - 1), self.roll(9) + 1),
            _ => format!("({}) / {}", self.number(depth - 1), self.roll(9) + 1),
        }
    }

    fn formula(&mut self, depth: u32) -> String {
        let comparison = ["<", "<=", "==", "!=", ">", ">="][self.roll(6) as usize];
        match self.roll(if depth == 0 { 1 } else { 5 }) {
            0 | 1 => format!("({}) {comparison} ({})", self.number(depth), self.number(depth)),
            2 => format!("!({})", self.formula(depth - 1)),
            3 => format!("({}) && ({})", self.formula(depth - 1), self.formula(depth - 1)),
            _ => format!("({}) || ({})", self.formula(depth - 1), self.formula(depth - 1)),
        }
    }
}

/// Values at the ends of types, and between.
fn state(dice: &mut Dice) -> State {
    let int = [i32::MIN, -7, -1, 0, 1, 3, 100, i32::MAX];
    let unsigned = [0, 1, 2, 200, i64::from(u32::MAX)];
    let mut state = State::new();
    for name in ["start(n)", "g", "start(h)", "$result", "a.s4[2]"] {
        state.insert(name.to_owned(), Integer::from(int[dice.roll(8) as usize]));
    }
    state.insert(String::from("start(u)"), Integer::from(unsigned[dice.roll(5) as usize]));
    state.insert(String::from("start(c)"), Integer::from([0, 1, 8, 255][dice.roll(4) as usize]));
    state.insert(
        String::from("start(s)"),
        Integer::from([0, 1, 77, u64::MAX, u64::MAX / 3][dice.roll(5) as usize]),
    );
    state
}

#[test]
fn random_clauses_keep_their_meaning() {
    let plain = plain();
    let mut random = Clauses(Dice(11));
    let texts: Vec<String> = (0..400).map(|_| random.formula(2)).collect();
    let mut dice = Dice(12);
    let formulas: Vec<Formula> = texts.iter().map(|text| text.parse().unwrap()).collect();
    for is_acsl in [true, false] {
        let mut pairs = Vec::new();
        // Each clause is printed alone, and all are read together.
        let mut clauses = String::new();
        for (number, formula) in formulas.iter().enumerate() {
            let mark: Formula = format!("$result == {}", MARK + number).parse().unwrap();
            let contract =
                Contract { ensures: vec![formula.clone(), mark], ..contract(Vec::new(), &[], &[]) };
            let text = match is_acsl {
                true => acsl(&contract, &Assigns::Anything, &plain).unwrap(),
                false => cbmc(&contract, &only(&[]), &plain).unwrap().replace("__CPROVER_assigns()\n", ""),
            };
            if text.matches("ensures").count() == 2 {
                pairs.push((formula.clone(), text.clone()));
                clauses.push_str(&text);
            }
        }
        assert!(pairs.len() > 150, "{}", pairs.len());
        let back = if is_acsl { read(&clauses, "") } else { read("", &clauses) };
        // What is known may have become nothing, and a conjunction several clauses.
        let mut read_back = back.contract.ensures.into_iter();
        for (formula, text) in pairs {
            let is_mark =
                |part: &Formula| part.to_string().starts_with(&format!("$result == {}", MARK / 1000));
            let found: Vec<Formula> = read_back.by_ref().take_while(|part| !is_mark(part)).collect();
            for _ in 0..40 {
                let state = state(&mut dice);
                let expected = holds(&formula, &state);
                let actual = found.iter().all(|part| holds(part, &state));
                assert_eq!(expected, actual, "{formula}\n{text}\n{found:?}\n{state:?}");
            }
        }
    }
}
