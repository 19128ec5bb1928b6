//! Contracts mean what they say: random expressions, read and evaluated, against what the system compiler makes of them.
//!
//! Those of CBMC are C. Those of ACSL are written once more in C with numbers that are wide enough.

mod support;

use std::fmt::Write as _;
use std::process::Command;

use evidence::{Formula, Integer};
use loopscope_report::annotations::contracts;
use support::{Dice, State, holds, program};

const EXPRESSIONS: usize = 600;

/// The variables, with values that no signed operation of a short expression overflows on.
const VARIABLES: [(&str, &str, [&str; 6]); 6] = [
    ("n", "int", ["-1000", "-7", "-1", "0", "3", "999"]),
    ("u", "unsigned", ["0", "1", "7", "255", "4294967290U", "4294967295U"]),
    ("s", "unsigned long", ["0", "1", "9", "255", "4294967296UL", "18446744073709551615UL"]),
    ("c", "unsigned char", ["0", "1", "2", "127", "128", "255"]),
    ("h", "short", ["-32768", "-3", "0", "1", "100", "32767"]),
    ("k", "long", ["-4294967296L", "-1L", "0", "2", "65536L", "1000000L"]),
];

fn number(dice: &mut Dice, depth: u32) -> String {
    match dice.roll(if depth == 0 { 3 } else { 12 }) {
        0 => ["0", "1", "3", "10", "100u", "7L", "2UL", "0xff", "'a'", "4294967295"][dice.roll(10) as usize]
            .to_owned(),
        1 | 2 => VARIABLES[dice.roll(6) as usize].0.to_owned(),
        3 | 4 => format!("({} + {})", number(dice, depth - 1), number(dice, depth - 1)),
        5 => format!("({} - {})", number(dice, depth - 1), number(dice, depth - 1)),
        6 => format!("({} * {})", number(dice, depth - 1), dice.roll(9)),
        7 => format!("({} / {})", number(dice, depth - 1), dice.roll(9) + 1),
        8 => format!("({} % {})", number(dice, depth - 1), dice.roll(9) + 1),
        9 => format!("(-{})", number(dice, depth - 1)),
        10 => {
            let types = [
                "int",
                "unsigned",
                "unsigned char",
                "long",
                "unsigned long",
                "signed char",
                "_Bool",
                "short",
            ];
            format!("(({}){})", types[dice.roll(8) as usize], number(dice, depth - 1))
        }
        _ => format!(
            "({} ? {} : {})",
            formula(dice, depth - 1),
            number(dice, depth - 1),
            number(dice, depth - 1)
        ),
    }
}

fn formula(dice: &mut Dice, depth: u32) -> String {
    let comparison = ["<", "<=", "==", "!=", ">", ">="][dice.roll(6) as usize];
    match dice.roll(if depth == 0 { 2 } else { 6 }) {
        0 | 1 => format!("({} {comparison} {})", number(dice, depth), number(dice, depth)),
        2 => format!("(!{})", formula(dice, depth - 1)),
        3 => format!("({} && {})", formula(dice, depth - 1), formula(dice, depth - 1)),
        4 => format!("({} || {})", formula(dice, depth - 1), number(dice, depth - 1)),
        _ => format!("({} == {})", formula(dice, depth - 1), formula(dice, depth - 1)),
    }
}

fn parameters() -> String {
    VARIABLES.iter().map(|(name, ty, _)| format!("{ty} {name}")).collect::<Vec<_>>().join(", ")
}

/// What the compiled program says of each expression in each state.
fn compiled(expressions: &[String], states: &[Vec<usize>]) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("#include <stdio.h>\n");
    for (place, expression) in expressions.iter().enumerate() {
        writeln!(text, "static int f{place}({}) {{ return !!{expression}; }}", parameters()).unwrap();
    }
    text.push_str("int main(void) {\n");
    for state in states {
        let values: Vec<&str> = state.iter().zip(VARIABLES).map(|(&at, (_, _, values))| values[at]).collect();
        for place in 0..expressions.len() {
            writeln!(text, "  putchar('0' + f{place}({}));", values.join(", ")).unwrap();
        }
        text.push_str("  putchar('\\n');\n");
    }
    text.push_str("  return 0;\n}\n");
    let (source, binary) = (folder.path().join("a.c"), folder.path().join("a"));
    std::fs::write(&source, text).unwrap();
    let built = Command::new("cc").args(["-w", "-O0", "-o"]).arg(&binary).arg(&source).status().ok()?;
    assert!(built.success());
    let output = Command::new(&binary).output().ok()?;
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

/// A number in ACSL, and in C with 128 bits.
fn integer(dice: &mut Dice, depth: u32) -> (String, String) {
    let two = |dice: &mut Dice| (integer(dice, depth - 1), integer(dice, depth - 1));
    match dice.roll(if depth == 0 { 3 } else { 11 }) {
        0 => {
            let number = ["0", "1", "3", "10", "255", "4294967296"][dice.roll(6) as usize];
            (number.to_owned(), format!("((__int128){number})"))
        }
        1 | 2 => {
            let name = VARIABLES[dice.roll(6) as usize].0;
            (name.to_owned(), format!("((__int128){name})"))
        }
        3 | 4 => {
            let ((a, c), (b, d)) = two(dice);
            (format!("({a} + {b})"), format!("({c} + {d})"))
        }
        5 => {
            let ((a, c), (b, d)) = two(dice);
            (format!("({a} - {b})"), format!("({c} - {d})"))
        }
        6 | 7 => {
            let ((a, c), sign) = (integer(dice, depth - 1), ["*", "/", "%"][dice.roll(3) as usize]);
            let by = dice.roll(9) + 1;
            (format!("({a} {sign} {by})"), format!("({c} {sign} {by})"))
        }
        8 => {
            let types = ["int", "unsigned", "unsigned char", "long", "unsigned long", "signed char", "short"];
            let ((a, c), ty) = (integer(dice, depth - 1), types[dice.roll(7) as usize]);
            (format!("(({ty}){a})"), format!("((__int128)({ty}){c})"))
        }
        9 => {
            let ((a, c), (b, d)) = two(dice);
            (format!("\\min({a}, {b})"), format!("({c} < {d} ? {c} : {d})"))
        }
        _ => {
            let ((a, c), (b, d)) = two(dice);
            let (e, f) = predicate(dice, depth - 1);
            (format!("({e} ? {a} : {b})"), format!("({f} ? {c} : {d})"))
        }
    }
}

/// A statement in ACSL, and in C.
fn predicate(dice: &mut Dice, depth: u32) -> (String, String) {
    let order = ["<", "<=", "=="];
    let comparison = ["<", "<=", "==", "!=", ">", ">="][dice.roll(6) as usize];
    match dice.roll(if depth == 0 { 3 } else { 8 }) {
        0 | 1 => {
            let ((a, c), (b, d)) = (integer(dice, depth), integer(dice, depth));
            (format!("({a} {comparison} {b})"), format!("({c} {comparison} {d})"))
        }
        2 => {
            let [(a, d), (b, e), (c, f)] = [integer(dice, 0), integer(dice, depth), integer(dice, 0)];
            let (one, other) = (order[dice.roll(3) as usize], order[dice.roll(3) as usize]);
            (format!("({a} {one} {b} {other} {c})"), format!("({d} {one} {e} && {e} {other} {f})"))
        }
        3 => {
            let (a, b) = predicate(dice, depth - 1);
            (format!("!{a}"), format!("(!{b})"))
        }
        sign => {
            let ((a, c), (b, d)) = (predicate(dice, depth - 1), predicate(dice, depth - 1));
            match sign {
                4 => (format!("({a} && {b})"), format!("({c} && {d})")),
                5 => (format!("({a} || {b})"), format!("({c} || {d})")),
                6 => (format!("({a} ==> {b})"), format!("(!{c} || {d})")),
                _ => (format!("({a} <==> {b})"), format!("({c} == {d})")),
            }
        }
    }
}

/// Reads the contracts of functions `f0`, `f1` and so on, and compares them with what expressions of C give.
fn compare(text: &str, expressions: &[String], dice: &mut Dice) {
    let found = contracts(&program(text));
    let read = |place: usize| -> Option<Vec<Formula>> {
        let name = format!("f{place}");
        let is_told = found.unread.iter().any(|one| one.function.as_deref() == Some(name.as_str()));
        let stated = found.contracts.iter().find(|stated| stated.contract.function == name);
        // What always holds is no clause, and a contract without clauses is none.
        (!is_told).then(|| stated.map_or_else(Vec::new, |stated| stated.contract.requires.clone()))
    };
    let formulas: Vec<Option<Vec<Formula>>> = (0..expressions.len()).map(read).collect();
    let refused = formulas.iter().filter(|formula| formula.is_none()).count();
    assert!(refused * 10 < expressions.len(), "{refused} are refused: {:?}", found.unread.first());
    let states: Vec<Vec<usize>> =
        (0..60).map(|_| VARIABLES.iter().map(|_| dice.roll(6) as usize).collect()).collect();
    let Some(lines) = compiled(expressions, &states) else { return };
    for (state, line) in states.iter().zip(lines) {
        let value = |text: &str| text.trim_end_matches(['U', 'L']).parse::<Integer>().unwrap();
        let values: State = VARIABLES
            .iter()
            .zip(state)
            .map(|((name, _, values), &at)| (format!("start({name})"), value(values[at])))
            .collect();
        for (place, said) in line.bytes().enumerate() {
            let Some(formulas) = &formulas[place] else { continue };
            let actual = formulas.iter().all(|formula| holds(formula, &values));
            assert_eq!(actual, said == b'1', "{}\n{formulas:?}\n{values:?}", expressions[place]);
        }
    }
}

#[test]
fn clauses_of_cbmc_mean_what_c_means() {
    let mut dice = Dice(5);
    let limits = ["u < 8", "s <= 9", "n >= 0", "k > -1 && k < 65536", "9 > s && 0 <= n", "c == 2", "1"];
    let (mut text, mut expressions) = (String::new(), Vec::new());
    for place in 0..EXPRESSIONS {
        let (list, expression) = (parameters(), formula(&mut dice, 2));
        // What one clause says of a number may be used to read another one.
        let limit = limits[dice.roll(7) as usize];
        writeln!(
            text,
            "int f{place}({list}) __CPROVER_requires({expression}) __CPROVER_requires({limit}) \
             {{ return n != u + s + c + h + k; }}"
        )
        .unwrap();
        expressions.push(format!("(({limit}) && {expression})"));
    }
    text.push_str("int main(void) { return 0; }\n");
    compare(&text, &expressions, &mut dice);
}

#[test]
fn clauses_of_acsl_mean_what_numbers_mean() {
    let mut dice = Dice(6);
    let (clauses, expressions): (Vec<String>, Vec<String>) =
        (0..EXPRESSIONS).map(|_| predicate(&mut dice, 2)).unzip();
    let mut text = String::new();
    for (place, clause) in clauses.iter().enumerate() {
        let list = parameters();
        writeln!(text, "//@ requires {clause};\nint f{place}({list}) {{ return n != u + s + c + h + k; }}")
            .unwrap();
    }
    text.push_str("int main(void) { return 0; }\n");
    compare(&text, &expressions, &mut dice);
}
