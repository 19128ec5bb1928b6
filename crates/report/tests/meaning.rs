//! Contracts of CBMC mean what C means: random expressions, read and evaluated, against what the system compiler makes of them.

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

#[test]
fn expressions_mean_what_the_compiler_makes_of_them() {
    let mut dice = Dice(5);
    let mut expressions: Vec<String> = (0..EXPRESSIONS).map(|_| formula(&mut dice, 2)).collect();
    let mut text = String::new();
    for (place, expression) in expressions.iter().enumerate() {
        let list = parameters();
        writeln!(
            text,
            "int f{place}({list}) __CPROVER_requires({expression}) {{ return n != u + s + c + h + k; }}"
        )
        .unwrap();
    }
    text.push_str("int main(void) { return 0; }\n");
    let found = contracts(&program(&text));
    let read = |place: usize| -> Option<Vec<Formula>> {
        let stated = found.contracts.iter().find(|stated| stated.contract.function == format!("f{place}"))?;
        stated.is_whole.then(|| stated.contract.requires.clone())
    };
    let formulas: Vec<Option<Vec<Formula>>> = (0..EXPRESSIONS).map(read).collect();
    let refused = formulas.iter().filter(|formula| formula.is_none()).count();
    assert!(refused * 10 < EXPRESSIONS, "{refused} are refused: {:?}", found.unread.first());
    let states: Vec<Vec<usize>> =
        (0..60).map(|_| VARIABLES.iter().map(|_| dice.roll(6) as usize).collect()).collect();
    let Some(lines) = compiled(&expressions, &states) else { return };
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
            assert_eq!(
                actual,
                said == b'1',
                "{}\n{formulas:?}\n{values:?}",
                std::mem::take(&mut expressions[place])
            );
        }
    }
}
