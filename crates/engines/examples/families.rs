//! Measures how the cost of summaries grows: programs with 1 to 1,000 loops one after the other, and nests 1 to 8 deep.
//!
//! ```text
//! cargo run --release -p loopscope-engines --example families -- [MOST_LOOPS]
//! ```
//!
//! Prints the time for a loop: to encode the program, to find invariants, and to prove what is required; and the ratio
//! of the whole to that of the program with ten loops.

mod common;

use std::fmt::Write;
use std::time::Duration;

use base::Budget;
use certify::abstraction::Effort;
use common::{abstraction, milliseconds, program, timed};

/// What a program took.
struct Cost {
    encode: Duration,
    summarise: Duration,
    prove: Duration,
    loops: usize,
    invariants: usize,
    proved: bool,
}

impl Cost {
    fn whole(&self) -> Duration {
        self.encode + self.summarise + self.prove
    }

    fn of_loop(&self) -> f64 {
        milliseconds(self.whole()) / self.loops.max(1) as f64
    }

    fn print(&self, name: &str, base: Option<f64>) {
        let part = |time: Duration| milliseconds(time) / self.loops.max(1) as f64;
        let ratio =
            base.map_or_else(|| String::from("   -"), |base| format!("{:4.2}", self.of_loop() / base));
        println!(
            "{name:>16} {:6} {:8.2} {:10.2} {:8.2} {:9.2} {ratio:>7} {:7} {:>7}",
            self.loops,
            part(self.encode),
            part(self.summarise),
            part(self.prove),
            self.of_loop(),
            self.invariants,
            if self.proved { "yes" } else { "no" },
        );
    }
}

fn main() {
    let most = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1000);
    println!("  times are milliseconds for a loop");
    println!("         program  loops   encode  summarise    prove     whole   ratio   invariants  proved");
    let base = measure(&independent(10));
    for count in [1, 10, 100, 1000].into_iter().filter(|count| *count <= most) {
        measure(&independent(count)).print(&format!("{count} loops"), Some(base.of_loop()));
    }
    let single = measure(&nested(1));
    for depth in 1..=8 {
        measure(&nested(depth)).print(&format!("nest, depth {depth}"), Some(single.of_loop()));
    }
}

fn measure(text: &str) -> Cost {
    let program = program(text);
    let main = program.function_named("main").expect("there is a main");
    let mut budget = Budget::unlimited();
    let (encode, abstraction) = timed(|| abstraction(&program, main, &mut budget));
    let mut abstraction = abstraction.expect("there is no limit");
    let effort = Effort::default();
    let (summarise, _) =
        timed(|| loopscope_engines::summarise(&program, &mut abstraction, effort, &mut budget, &mut |_| {}));
    let (prove, proved) = timed(|| abstraction.conclude(effort, &mut budget).is_some());
    let loops = abstraction.abstract_loops().len();
    let invariants = (0..loops).map(|abstract_loop| abstraction.invariants(abstract_loop).len()).sum();
    Cost { encode, summarise, prove, loops, invariants, proved }
}

/// Loops one after the other, of three kinds, each in a function of its own and with an input of its own.
fn independent(count: usize) -> String {
    let mut text = String::from("extern int __VERIFIER_nondet_int(void);\n");
    let mut main = String::from("int main(void) {\n");
    for number in 0..count {
        let _ = writeln!(text, "static int part{number}(int n) {{ {} }}", one_loop(number));
        let _ = writeln!(main, "    part{number}(__VERIFIER_nondet_int());");
    }
    text + &main + "    return 0;\n}\n"
}

fn one_loop(number: usize) -> String {
    match number % 3 {
        0 => format!(
            "char a[100]; int i; for (i = 0; i < n && i < 99; i++) a[i] = 'x'; a[i] = 0; return {number};"
        ),
        1 => format!(
            "int a[50] = {{0}}, *p = a; while (p < a + 50 && n > {number}) {{ *p++ = n; n--; }} return a[7];"
        ),
        _ => format!(
            "unsigned s = 0, i = n & 63; int a[64]; while (i > 0) {{ i--; a[i] = {number}; s += 2; }} return s;"
        ),
    }
}

/// Loops inside each other, with one array that all of them fill.
fn nested(depth: usize) -> String {
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int a[20] = {0}, s = 0, n = __VERIFIER_nondet_int();\n\
             if (n > 10) n = 10;\n",
    );
    for level in 0..depth {
        let _ =
            writeln!(text, "for (int i{level} = 0; i{level} < n; i{level}++) {{ a[i{level} + {level}] = s;");
    }
    text.push_str("s++;\n");
    text.push_str(&"}\n".repeat(depth));
    text + "    return a[0];\n}\n"
}
