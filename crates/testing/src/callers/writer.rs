//! Writes small functions that work on what they are given.

use std::fmt::Write;

use crate::random::Random;

/// The functions of a seed.
pub(super) fn text(seed: u64) -> String {
    let mut writer = Writer { random: Random::new(seed ^ 0x6361_6c6c), text: String::new() };
    writer.text.push_str(
        "struct box { int *items; int size; int used; char tag; };\nint seen = 2;\n\
         static int small(int n) { return n & 15; }\nunsigned long strlen(const char *);\n\
         void *memcpy(void *, const void *, unsigned long);\n",
    );
    for number in 0..3 {
        writer.function(number);
    }
    writer.text
}

struct Writer {
    random: Random,
    text: String,
}

const ELEMENTS: [&str; 5] = ["int", "char", "unsigned char", "short", "long"];
const RESULTS: [&str; 3] = ["int", "long", "unsigned"];
const NUMBERS: [&str; 5] = ["int", "unsigned", "short", "unsigned char", "long"];

impl Writer {
    fn function(&mut self, number: usize) {
        let (element, result) = (*self.random.pick(&ELEMENTS), *self.random.pick(&RESULTS));
        let (count, index) = (*self.random.pick(&NUMBERS), *self.random.pick(&NUMBERS));
        let (a_const, b_const) = (self.qualifier(), self.qualifier());
        let box_or_string = if self.random.chance(50) { "struct box *p" } else { "char *s" };
        let has_box = box_or_string.starts_with("struct");
        _ = write!(
            self.text,
            "{result} f{number}({a_const}{element} *a, {b_const}int *b, {count} n, {index} i, {box_or_string}) {{\n    \
             {result} r = {};\n",
            self.random.range(-1, 3)
        );
        for _ in 0..=self.random.below(3) {
            let statement = self.statement(number, has_box, a_const.is_empty(), b_const.is_empty());
            _ = writeln!(self.text, "    {statement}");
        }
        _ = writeln!(self.text, "    return {};\n}}", if self.random.chance(70) { "r" } else { "n" });
    }

    fn qualifier(&mut self) -> &'static str {
        if self.random.chance(40) { "const " } else { "" }
    }

    fn index(&mut self) -> String {
        let constant = self.random.range(0, 5);
        match self.random.below(9) {
            0 => constant.to_string(),
            1 => String::from("n - 1"),
            2 => String::from("small(i)"),
            3 => format!("i + {constant}"),
            4 => String::from("n"),
            5 => format!("2 * i + {constant}"),
            6 => format!("i & {constant}"),
            _ => String::from("i"),
        }
    }

    fn value(&mut self, index: &str) -> String {
        match self.random.below(6) {
            0 => format!("a[{index}] & 7"),
            1 => format!("b[{index}] / 4"),
            2 => String::from("n"),
            3 => String::from("i"),
            4 => String::from("seen"),
            _ => self.random.range(-2, 9).to_string(),
        }
    }

    fn condition(&mut self) -> String {
        let constant = self.random.range(-1, 6);
        match self.random.below(6) {
            0 => format!("n > {constant}"),
            1 => String::from("i < n"),
            2 => format!("i >= {constant}"),
            3 => String::from("i >= 0 && i < n"),
            4 => format!("r != {constant}"),
            _ => String::from("n > 0"),
        }
    }

    fn statement(&mut self, number: usize, has_box: bool, writes_a: bool, writes_b: bool) -> String {
        let index = self.index();
        let value = self.value(&index);
        let store = match (writes_a, writes_b) {
            (true, _) => format!("a[{index}] = {value};"),
            (_, true) => format!("b[{index}] = {value};"),
            _ => format!("r = a[{index}] & 31;"),
        };
        let last = if writes_a { "a[k] = 0;" } else { "r = a[k] == 1 ? k : r;" };
        match self.random.below(11) {
            0 => format!("for (int k = 0; k < n; k++) {{ {last} }}"),
            1 => format!("for (int k = {}; k <= i; k++) {{ {last} }}", self.random.range(0, 2)),
            2 => format!("if ({}) {{ {store} }}", self.condition()),
            3 if has_box => String::from("if (i >= 0 && i < p->size) r = p->items[i] & 3;"),
            3 => String::from("while (s[r & 1] && r < 3) r++;"),
            4 if has_box => String::from("if (p->used < p->size) { p->used++; r = p->tag; }"),
            4 => String::from("r = strlen(s) > 3;"),
            5 if has_box => String::from("for (int k = 0; k < p->used; k++) p->items[k] = n & 1;"),
            5 => String::from("for (char *c = s; *c; c++) if (*c == 'a') *c = 'b';"),
            6 => format!("if ({}) return {};", self.condition(), self.random.range(-1, 2)),
            7 if number > 0 && has_box => String::from("r = small(r);"),
            8 => format!("seen = {};", self.random.range(0, 9)),
            9 if writes_a => String::from("if (n >= 0) memcpy(a, b, n);"),
            10 => String::from("r = i / n;"),
            _ => store,
        }
    }
}
