//! Any text is read, or told: it is never a panic, and never takes long.

mod support;

use std::time::{Duration, Instant};

use loopscope_report::annotations::{Annotated, contracts};
use support::{Dice, program};

fn read(contract: &str) -> Annotated {
    let text = format!(
        "#define A (B * B)\n#define B (C + C)\n#define C (D - D)\n#define D (E * E)\n#define E (F + F)\n\
         #define F (n + n)\n#define LOOP (LOOP + 1)\n#define WIDE (1\n\
         struct s {{ int x; char *p; struct s *next; _BitInt(5) odd; int a[3]; }};\nint g; double d; int table[4];\n\
         /*@ {contract} */\nint f(int n, unsigned u, int *p, struct s *q, char *t, double x) {{\n\
         /*@ loop invariant {contract} */\nwhile (n > 0) {{ n--; p[0] = table[n & 3]; g++; }}\n\
         return n + q->x + t[0] + (int)(x + d); }}\nint main(void) {{ return f(1, 1, 0, 0, 0, 0); }}\n"
    );
    contracts(&program(&text))
}

/// Words that annotations are made of, and some that they are not.
const WORDS: &[&str] = &[
    "requires",
    "ensures",
    "assigns",
    "behavior b:",
    "assumes",
    "loop variant",
    ";",
    ";",
    "n",
    "u",
    "p",
    "q",
    "t",
    "x",
    "g",
    "d",
    "table",
    "->x",
    "->p",
    "->next",
    "->odd",
    "->a",
    "[0]",
    "[n]",
    "[0 .. n]",
    "(",
    ")",
    "+",
    "-",
    "*",
    "&",
    "/ 3",
    "% 4",
    "<",
    "<=",
    "==",
    "!=",
    "&&",
    "||",
    "==>",
    "<==>",
    "!",
    "?",
    ":",
    "\\valid(",
    "\\old(",
    "\\result",
    "\\at(n, Pre)",
    "\\forall integer i; 0 <= i < n ==>",
    "\\exists int j;",
    "i",
    "j",
    "\\null",
    "\\separated(",
    ",",
    "(int)",
    "(char *)",
    "(struct s *)",
    "sizeof(struct s)",
    "sizeof *p",
    "A",
    "LOOP",
    "WIDE",
    "E",
    "'a'",
    "0x1f",
    "12",
    "99999999999999999999",
    "<< 3",
    ">> 1",
    "\\nothing",
    "valid_string(",
    "strlen(",
    "\\min(",
    "..",
    "é",
    "\"",
    "1.5",
    "}",
    "{",
    "@",
    "\\true",
];

#[test]
fn random_words_are_read_or_told() {
    let mut dice = Dice(3);
    for _ in 0..400 {
        let length = 3 + dice.roll(30);
        let text: Vec<&str> = (0..length).map(|_| WORDS[dice.roll(WORDS.len() as u64) as usize]).collect();
        read(&format!("requires {};", text.join(" ")));
    }
}

#[test]
fn texts_that_would_become_huge_are_told() {
    let repeated = |part: &str, count: usize| part.repeat(count);
    for text in [
        format!("requires n{};", repeated(" % 3", 60)),
        format!("requires n{};", repeated(" <==> n", 60)),
        format!("requires {}n{};", repeated("(", 60), repeated(" <==> u)", 60)),
        format!("requires {}n{};", repeated("(0 < ", 60), repeated(" < 2)", 60)),
        format!("requires {}n;", repeated("(", 100_000)),
        format!("requires {}n;", repeated("!", 100_000)),
        format!("requires {}n;", repeated("-", 100_000)),
        format!("requires {}n;", repeated("*", 100_000)),
        format!("requires {}n;", repeated("n ==> ", 50_000)),
        format!("requires {}n;", repeated("n && ", 50_000)),
        format!("requires {}n == 3;", repeated("n * ", 5_000)),
        format!("requires 1{} == n;", repeated(" << 63", 2_000)),
        String::from("requires A == LOOP;"),
        format!("requires {} == 0;", repeated("A + ", 50) + "A"),
        repeated("requires n > 0;", 5_000),
        repeated("\\forall integer i;", 5_000),
    ] {
        let start = Instant::now();
        read(&text);
        assert!(start.elapsed() < Duration::from_secs(20), "{}", &text[..40]);
    }
}
