//! Holds answers about termination against runs: loops on narrow numbers are generated. A loop that is called
//! non-terminating is run for long, and a program that is called terminating is run with all its inputs.
//!
//! The numbers have eight bits for the most part, so that a run that never ends comes back to a state soon: then it is
//! certain. Where the set of states is what never ends, the run is made with the inputs that are chosen, and must still be
//! running after many steps. A program that asks for at most two inputs of eight bits is run with all of them, another one
//! with inputs by chance.

use std::path::Path;
use std::time::Duration;

use base::Budget;
use clients::Verdict;
use clients::refute::{Query, options};
use clients::{Property, verify};
use evidence::{Counterexample, Failure};
use program::interpret::{
    Arguments, DiscardedOutput, FixedInputs, InputValue, Inputs, Integers, Machine, Options, Outcome, Request,
};
use program::{Obligation, Program};

use crate::interpretation::{Form, program_of};
use crate::random::Random;

/// How many steps an infinite run must last, and one that ends may take.
const STEPS: u64 = 400_000;

/// How many steps all runs of a program that ends may take.
const ENDING: u64 = 4_000_000;

/// How much was examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Programs that were asked about.
    pub programs: usize,
    /// Those of which every run ends.
    pub proved: usize,
    /// Those of which every run ends, and was made.
    pub exhausted: usize,
    /// Runs of programs of which every run ends.
    pub ended: usize,
    /// Runs of those that were given up: numbers of more bits may take long.
    pub given_up: usize,
    /// Those with a state that comes back.
    pub repeated: usize,
    /// Those with a set that need not be left.
    pub recurrent: usize,
    /// Those of them whose inputs come in no simple order, so that they are not run.
    pub without_order: usize,
}

/// Asks about the program of a seed, and runs it: as the answer says that it never ends, or with its inputs if every run is
/// said to end. An answer may take this long.
///
/// # Errors
/// If the runs do something else.
pub fn check(folder: &Path, seed: u64, time: Duration, counts: &mut Counts) -> Result<(), String> {
    let text = text(seed);
    let program =
        program_of(folder, &text, Form::Simplified).map_err(|problem| format!("{problem}\n{text}"))?;
    for integers in [Integers::Machine, Integers::Mathematical] {
        let query = Query { property: Property::Termination, function: String::from("main"), integers };
        let budget = Budget::steps(1_500_000).within(time);
        counts.programs += 1;
        match verify(&program, &query, &budget, &mut |_| {}) {
            Verdict::Proved(_) => {
                counts.proved += 1;
                ends(&program, &query, seed, counts)
                    .map_err(|message| format!("{integers:?}: {message}\n{text}"))?;
            }
            Verdict::Refuted { counterexample } => match &counterexample.failure {
                Failure::Recurrence { choices, .. } => {
                    counts.recurrent += 1;
                    // Inputs that are chosen in no simple order are known for the first iterations only.
                    if counterexample.cycle.is_some() || choices.is_empty() {
                        goes_on(&program, &query, &counterexample)
                            .map_err(|message| format!("{integers:?}: {message}\n{text}"))?;
                    } else {
                        counts.without_order += 1;
                    }
                }
                _ => {
                    counts.repeated += 1;
                    goes_on(&program, &query, &counterexample)
                        .map_err(|message| format!("{integers:?}: {message}\n{text}"))?;
                }
            },
            Verdict::Unknown { .. } => {}
        }
    }
    Ok(())
}

/// Runs a program that is said to end, with all its inputs or with many.
fn ends(program: &Program, query: &Query, seed: u64, counts: &mut Counts) -> Result<(), String> {
    let main = program.function_named("main").ok_or("no main")?;
    // What ends, ends on a machine whose numbers wrap as well.
    let options = wrapping(Options { detect_repetition: true, ..options(query) });
    let machine = Machine::new(program, &options);
    let arguments = Arguments::CommandLine(vec![b"program".to_vec()]);
    let mut left = ENDING;
    let mut inputs = Listed::new(seed);
    loop {
        let mut budget = Budget::steps(left.min(STEPS));
        let made = machine.run(main, &arguments, &mut inputs, &mut DiscardedOutput, &mut budget);
        left = left.saturating_sub(made.steps);
        match made.outcome {
            Outcome::Repeats(_) => {
                return Err(format!("it ends, but not with inputs {:?}", made.inputs));
            }
            Outcome::Stopped(_) | Outcome::Unsupported { .. } => counts.given_up += 1,
            _ => counts.ended += 1,
        }
        if !inputs.advance() {
            counts.exhausted += usize::from(inputs.in_all_ways());
            return Ok(());
        }
        if left == 0 {
            return Ok(());
        }
    }
}

/// One list of inputs after the other: all of them, if a run asks for few, and otherwise some by chance.
struct Listed {
    /// What is answered, and how many answers there are to that query.
    answers: Vec<(usize, usize)>,
    next: usize,
    random: Random,
    /// How many lists there are still to be made by chance, if they are made so.
    by_chance: Option<usize>,
}

impl Listed {
    /// So many queries are answered in all ways.
    const ALL_WAYS: usize = 2;

    /// So many lists are made by chance.
    const BY_CHANCE: usize = 300;

    fn new(seed: u64) -> Self {
        Self { answers: Vec::new(), next: 0, random: Random::new(!seed), by_chance: None }
    }

    /// Whether queries are answered in all ways.
    fn in_all_ways(&self) -> bool {
        self.by_chance.is_none()
    }

    /// Goes on to the next list. Gives whether there is one.
    fn advance(&mut self) -> bool {
        self.answers.truncate(self.next);
        self.next = 0;
        if self.answers.len() > Self::ALL_WAYS {
            self.by_chance.get_or_insert(Self::BY_CHANCE);
        }
        if let Some(more) = &mut self.by_chance {
            self.answers.clear();
            *more = more.saturating_sub(1);
            return *more > 0;
        }
        while let Some((answer, all)) = self.answers.pop() {
            if answer + 1 < all {
                self.answers.push((answer + 1, all));
                return true;
            }
        }
        false
    }
}

impl Inputs for Listed {
    fn value(&mut self, request: &Request<'_>) -> InputValue {
        // The generator compares an `int` from outside with small constants only: two numbers stand for all.
        let (first, step, all) = if request.name.ends_with("uchar") { (0, 1, 256) } else { (-100, 200, 2) };
        if self.next == self.answers.len() {
            self.answers.push((if self.in_all_ways() { 0 } else { self.random.below(all) }, all));
        }
        let (answer, _) = self.answers[self.next];
        self.next += 1;
        InputValue::Integer(first + step * answer as i128)
    }

    fn byte(&mut self) -> Option<u8> {
        None
    }
}

/// The same run, on a machine whose signed numbers wrap.
fn wrapping(options: Options) -> Options {
    let overflow = Obligation::SignedOverflow;
    Options { checks: options.checks.without(overflow), ignored: options.ignored.with(overflow), ..options }
}

/// Runs a program as a counterexample says: with its inputs, and with those of its cycle again and again.
fn goes_on(program: &Program, query: &Query, run: &Counterexample) -> Result<(), String> {
    let main = program.function_named("main").ok_or("no main")?;
    let values = run.inputs.iter().map(|input| input.value.parse().map(InputValue::Integer).ok());
    let values: Vec<InputValue> = values.collect::<Option<_>>().ok_or("an input that is no number")?;
    let arguments = Arguments::CommandLine(vec![b"program".to_vec()]);
    let (once, cycle) = match &run.cycle {
        Some(cycle) => {
            let growing = values[cycle.places()].iter().copied().zip(cycle.growth.iter().copied());
            (values[..cycle.first].to_vec(), growing.collect())
        }
        None => (values.clone(), Vec::new()),
    };
    let mut inputs = FixedInputs::new(once, Vec::new()).with_cycle(cycle);
    // A repeated state is what is claimed, so that it proves nothing: the run itself must go on.
    let mut options = Options { detect_repetition: false, ..options(query) };
    if matches!(run.failure, Failure::Recurrence { any_overflow: true, .. }) {
        options = wrapping(options);
    }
    let machine = Machine::new(program, &options);
    let mut budget = Budget::steps(STEPS);
    let made = machine.run(main, &arguments, &mut inputs, &mut DiscardedOutput, &mut budget);
    match made.outcome {
        Outcome::Stopped(_) => Ok(()),
        // Numbers without limits leave what the interpreter can hold.
        Outcome::Unsupported { .. } if query.integers == Integers::Mathematical => Ok(()),
        other => Err(format!("{:?}, but the run ends: {other:?}", run.failure)),
    }
}

/// The program of a seed: a loop, perhaps with another one inside, on a few narrow numbers.
fn text(seed: u64) -> String {
    let mut random = Random::new(seed);
    let types = ["unsigned char", "signed char", "unsigned char", "int"];
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\nint main(void) {\n",
    );
    for name in NAMES {
        let ty = random.pick(&types);
        let first = match random.below(3) {
            0 => String::from("__VERIFIER_nondet_uchar()"),
            _ => random.range(-3, 9).to_string(),
        };
        text += &format!("  {ty} {name} = {first};\n");
    }
    text += &format!("  while ({}) {{\n", condition(&mut random));
    for _ in 0..1 + random.below(3) {
        statement(&mut random, &mut text, 2);
    }
    text += "  }\n  return 0;\n}\n";
    text
}

const NAMES: [&str; 3] = ["a", "b", "c"];

fn statement(random: &mut Random, text: &mut String, depth: usize) {
    let indent = "  ".repeat(depth);
    let target = *random.pick(&NAMES);
    match random.below(8) {
        0 | 1 if depth < 4 => {
            let test = match random.below(3) {
                0 => format!("__VERIFIER_nondet_int() > {}", random.range(-2, 3)),
                _ => condition(random),
            };
            *text += &format!("{indent}if ({test}) {{\n");
            statement(random, text, depth + 1);
            *text += &format!("{indent}}} else {{\n");
            statement(random, text, depth + 1);
            *text += &format!("{indent}}}\n");
        }
        2 if depth < 3 => {
            *text +=
                &format!("{indent}for (int i = 0; i < {}; i++) {{\n", random.pick(&["2", "3", "a", "c"]));
            statement(random, text, depth + 2);
            *text += &format!("{indent}}}\n");
        }
        3 => *text += &format!("{indent}{target} = __VERIFIER_nondet_uchar();\n"),
        _ => {
            let value = match random.below(6) {
                0 => random.range(-4, 10).to_string(),
                1 => format!("{} + {}", random.pick(&NAMES), random.pick(&NAMES)),
                2 => format!("{} * {}", random.pick(&NAMES), random.range(-2, 4)),
                3 => format!("{} - {}", random.pick(&NAMES), random.pick(&NAMES)),
                _ => format!("{target} + {}", random.pick(&["1", "2", "3", "-1", "-2", "5", "16"])),
            };
            *text += &format!("{indent}{target} = {value};\n");
        }
    }
}

fn condition(random: &mut Random) -> String {
    let left = *random.pick(&NAMES);
    let comparison = *random.pick(&["<", ">", "!=", "!=", "<=", ">="]);
    match random.below(3) {
        0 => format!("{left} {comparison} {}", random.pick(&NAMES)),
        _ => format!("{left} {comparison} {}", random.range(-5, 100)),
    }
}
