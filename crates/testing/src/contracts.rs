//! Holds proofs by contracts against runs: programs with recursion over numbers are generated, with one input of eight
//! bits. What is proved is run with all inputs, and so is what the contracts of the proof say of each call.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use base::Budget;
use clients::refute::{Query, options};
use clients::{Property, Verdict, verify};
use program::Program;
use program::interpret::{
    Arguments, DiscardedOutput, FixedInputs, InputValue, Integers, Machine, Options, Outcome,
};

use crate::interpretation::{Form, program_of};
use crate::random::Random;

/// How many steps a run may take.
const STEPS: u64 = 400_000;

/// How much was examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Queries.
    pub queries: usize,
    /// Those that were proved.
    pub proved: usize,
    /// Those that were proved by contracts.
    pub by_contracts: usize,
    /// Runs of programs of which something was proved.
    pub runs: usize,
}

/// Asks about the program of a seed, and runs it with all inputs if something is proved. An answer may take this long.
///
/// # Errors
/// If a run violates what was proved.
pub fn check(folder: &Path, seed: u64, time: Duration, counts: &mut Counts) -> Result<(), String> {
    let text = text(seed);
    let program =
        program_of(folder, &text, Form::Simplified).map_err(|problem| format!("{problem}\n{text}"))?;
    for property in [Property::UnreachCall, Property::NoOverflow] {
        let query = Query { property, function: String::from("main"), integers: Integers::Machine };
        counts.queries += 1;
        let verdict = verify(&program, &query, &Budget::steps(3_000_000).within(time), &mut |_| {});
        if let Verdict::Proved(certificate) = verdict {
            counts.proved += 1;
            let contracts = certificate.evidence().contracts();
            counts.by_contracts += usize::from(!contracts.is_empty());
            keeps(&program, &query, counts)
                .map_err(|message| format!("{property:?}: {message}\n{contracts:?}\n{text}"))?;
        }
    }
    Ok(())
}

/// Runs a program with all its inputs.
fn keeps(program: &Program, query: &Query, counts: &mut Counts) -> Result<(), String> {
    let main = program.function_named("main").ok_or("no main")?;
    let machine = Machine::new(program, &Options { call_depth: 5_000, ..options(query) });
    let arguments = Arguments::CommandLine(vec![b"program".to_vec()]);
    for input in 0..=255 {
        let mut inputs = FixedInputs::new(vec![InputValue::Integer(input)], Vec::new());
        let mut budget = Budget::steps(STEPS);
        let run = machine.run(main, &arguments, &mut inputs, &mut DiscardedOutput, &mut budget);
        counts.runs += 1;
        if let Outcome::Violation(violation) = run.outcome
            && run.undefined.is_none()
        {
            return Err(format!("with {input}: {}", violation.message));
        }
    }
    Ok(())
}

/// The program of a seed.
pub fn text(seed: u64) -> String {
    let mut writer = Writer { random: Random::new(seed ^ 0x636f_6e74), text: String::new(), functions: 1 };
    writer.program();
    writer.text
}

const TYPES: [&str; 6] = ["int", "int", "unsigned", "short", "unsigned char", "long"];

struct Writer {
    random: Random,
    text: String,
    functions: usize,
}

impl Writer {
    fn program(&mut self) {
        self.text.push_str(
            "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void reach_error(void);\nint g = 1, still = 3;\n",
        );
        self.functions = 1 + self.random.below(2);
        let ty = *self.random.pick(&TYPES);
        for number in 0..self.functions {
            _ = writeln!(self.text, "{ty} f{number}({ty} n, {ty} a);");
        }
        for number in 0..self.functions {
            let (base, result, least) = (self.value(), self.result(number), self.random.range(0, 2));
            let effect = self.effect();
            let other = match self.random.below(3) {
                0 => format!(" if (a == {}) return {};", self.random.range(0, 4), self.value()),
                1 => format!(" if (n == {}) return {};", self.random.range(1, 5), self.value()),
                _ => String::new(),
            };
            _ = writeln!(
                self.text,
                "{ty} f{number}({ty} n, {ty} a) {{ if (n <= {least}) return {base};{other} {effect}return {result}; }}"
            );
        }
        let mask = *self.random.pick(&[7, 15, 31, 255]);
        let (claim, before) = (self.claim(), self.random.range(0, 5));
        _ = writeln!(
            self.text,
            "int main(void) {{ unsigned char v = __VERIFIER_nondet_uchar() & {mask}; {ty} a = {before};\n  \
             {ty} r = f0(v, a); if (!({claim})) reach_error(); return 0; }}"
        );
    }

    fn value(&mut self) -> String {
        match self.random.below(7) {
            0 => String::from("n"),
            1 | 2 => String::from("a"),
            3 => String::from("a + n"),
            4 => String::from("still"),
            _ => self.random.range(0, 4).to_string(),
        }
    }

    fn effect(&mut self) -> String {
        match self.random.below(5) {
            0 => String::from("g++; "),
            1 => format!("g = {}; ", self.value()),
            2 => String::from("{ int own[2] = { g, 1 }; g = own[1]; } "),
            _ => String::new(),
        }
    }

    /// A call with a smaller number.
    fn call(&mut self, number: usize) -> String {
        let callee = match self.random.below(3) {
            0 => self.random.below(self.functions),
            _ => number,
        };
        let less = self.random.range(1, 2);
        let given = match self.random.below(6) {
            0 => String::from("a + 1"),
            1 => String::from("a - 1"),
            2 => self.value(),
            3 => String::from("n"),
            _ => String::from("a"),
        };
        format!("f{callee}(n - {less}, {given})")
    }

    fn result(&mut self, number: usize) -> String {
        let (call, constant) = (self.call(number), self.random.range(0, 4));
        match self.random.below(9) {
            0 => format!("{call} + {constant}"),
            1 => format!("{call} - {constant}"),
            2 => format!("{call} + a"),
            3 => format!("{constant} - {call}"),
            4 => format!("2 * {call}"),
            5 => format!("f{number}({call} > n ? n - 1 : 0, a)"),
            6 => format!("({call} & 3) + g"),
            _ => call,
        }
    }

    fn claim(&mut self) -> String {
        let constant = self.random.range(-3, 12);
        match self.random.below(10) {
            0 => format!("r <= {}", constant * 4),
            1 => format!("r >= {}", -constant),
            2 => format!("r == v + {constant}"),
            3 => format!("r <= v + {constant}"),
            4 => format!("r >= v - {constant}"),
            5 => format!("v < 2 || r >= {constant}"),
            6 => format!("r != {constant}"),
            7 => String::from("still == 3"),
            8 => format!("g <= {constant}"),
            _ => String::from("(r & 1) == (v & 1)"),
        }
    }
}
