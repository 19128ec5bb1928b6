//! Holds costs of calls against runs: generated functions that call each other are given costs, and then run.
//!
//! ```text
//! seed ─► g, h, f with loops and calls, and a main that calls f ─► cost of f
//!            └─► runs that count ─► more was counted than the cost says?
//! ```
//!
//! The text says `/*body*/` where the body of a loop begins, and `/*again*/` where a function is entered that calls itself. What
//! is run counts there. A run is examined wherever it comes to the head of a loop, and when `f` has returned; so what
//! is undefined in the end changes nothing of what was counted before.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use base::Budget;
use certify::abstraction::Named;
use evidence::{Expression, FunctionCost, Integer, Moment, Name};
use program::interpret::{
    Arguments, Head, InputValue, Inputs, Integers, Machine, ObligationSet, Observer, Options, Request,
};
use program::{Obligation, Program, VariableId};

use crate::abstraction::invariants::States;
use crate::abstraction::record::Visit;
use crate::interpretation::{Form, program_of};
use crate::random::Random;

/// What came of programs, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Functions.
    pub functions: usize,
    /// Those with a cost.
    pub known: usize,
    /// Those with a cost that is no constant.
    pub formulas: usize,
    /// Moments of runs that were held against a cost.
    pub moments: usize,
    /// Moments at which just as much was counted as the cost says, and not nothing.
    pub reached: usize,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: &Tally) {
        self.functions += other.functions;
        self.known += other.known;
        self.formulas += other.formulas;
        self.moments += other.moments;
        self.reached += other.reached;
    }
}

/// Examines the program of a seed.
///
/// # Errors
/// A run that counts more than the cost says.
pub fn check(folder: &Path, seed: u64) -> Result<Tally, String> {
    check_text(folder, &text(seed), seed)
}

/// Examines the functions `f(a, b, c)` and those that it calls, where the body of `main` is made here.
///
/// # Errors
/// A run of `f` that counts more than its cost says.
pub fn check_text(folder: &Path, text: &str, seed: u64) -> Result<Tally, String> {
    let program = program_of(folder, &format!("{DECLARED}{text}\n{MAIN}"), Form::Simplified)?;
    let counting = text.replace("/*body*/", "counted++;").replace("/*again*/", "counted++;");
    let run = program_of(folder, &format!("{DECLARED}{counting}\n{MAIN}"), Form::Simplified)?;
    let function = program.function_named("f").ok_or("no f")?;
    let all: Vec<_> = ["f", "g", "h"].iter().filter_map(|name| program.function_named(name)).collect();
    let costs = clients::cost::of(&program, Integers::Machine, &all, &Budget::unlimited(), &|_| {});
    let mut tally = Tally { functions: costs.len(), ..Tally::default() };
    tally.known += costs.iter().filter(|one| one.cost.is_some()).count();
    let Some(own) = costs.iter().find(|one| one.function == program.functions[function].name) else {
        return Err(String::from("no cost of f, and no reason"));
    };
    let Some(most) = own.cost.as_ref().map(|cost| &cost.iterations) else { return Ok(tally) };
    tally.formulas += usize::from(!matches!(most, Expression::Constant(_)));
    let main = run.function_named("main").ok_or("no main")?;
    for number in 0..6 {
        let checks = ObligationSet::EMPTY.with(Obligation::SignedOverflow);
        let options = Options { checks, memory: 1 << 20, call_depth: 60, ..Options::default() };
        let mut watched = Watched::new(&run).ok_or("no counter")?;
        let mut inputs = Guesses(Random::new(seed.wrapping_mul(17).wrapping_add(number)));
        let arguments = Arguments::CommandLine(vec![b"program".to_vec()]);
        let machine = Machine::observed(&run, &options);
        machine.observe(main, &arguments, &mut inputs, &mut watched, &mut Budget::steps(20_000));
        for moment in &watched.moments {
            held(own, most, moment, &mut tally).map_err(|message| format!("{message}\n{text}"))?;
        }
    }
    Ok(tally)
}

fn held(own: &FunctionCost, most: &Expression, moment: &[i128], tally: &mut Tally) -> Result<(), String> {
    let [counted, given @ ..] = moment else { return Ok(()) };
    let names: BTreeMap<Name, Named> = ["a", "b", "c", "shared"]
        .iter()
        .enumerate()
        .map(|(place, name)| (Name::from(*name), Named::Variable(VariableId::global(place))))
        .collect();
    let numbers =
        given.iter().enumerate().map(|(place, &number)| (VariableId::global(place), number)).collect();
    let visit = Visit::of_numbers(numbers);
    let number = most.with_moments(&|_| Some(Moment::Entry));
    let value = number.and_then(|number| States { names: &names, entry: &visit, now: &visit }.value(&number));
    let most = value.ok_or_else(|| format!("{}: {most} has no value", own.function))?;
    tally.moments += 1;
    let counted = Integer::from(*counted);
    tally.reached += usize::from(counted == most && counted > Integer::ZERO);
    if counted > most {
        let cost = own.cost.as_ref().map(|cost| cost.iterations.to_string()).unwrap_or_default();
        return Err(format!(
            "{}: {counted} counted for {given:?}, but the cost is {cost} = {most}",
            own.function
        ));
    }
    Ok(())
}

/// The counter, and what `f` was given, at each head.
struct Watched {
    variables: Vec<(VariableId, program::Type)>,
    moments: Vec<Vec<i128>>,
}

impl Watched {
    fn new(program: &Program) -> Option<Self> {
        let find = |name: &str| {
            let place = program.globals.iter().position(|global| global.variable.name == name)?;
            Some((VariableId::global(place), program.globals[place].variable.ty))
        };
        let names = ["counted", "given_a", "given_b", "given_c", "given_shared"];
        Some(Self { variables: names.into_iter().map(find).collect::<Option<_>>()?, moments: Vec::new() })
    }
}

impl Observer for Watched {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        let values = self.variables.iter().map(|&(variable, ty)| head.number(variable, ty));
        if let Some(values) = values.collect::<Option<Vec<i128>>>() {
            self.moments.push(values);
        }
    }
}

/// Small numbers, and seldom large ones.
struct Guesses(Random);

impl Inputs for Guesses {
    fn value(&mut self, _: &Request<'_>) -> InputValue {
        let number = match self.0.below(9) {
            0 => 0,
            1 => *self.0.pick(&[i64::from(i32::MAX), i64::from(i32::MIN), 255, 256, -129, 65535]),
            2 => self.0.range(-20, 40),
            _ => self.0.range(-1, 7),
        };
        InputValue::Integer(number.into())
    }

    fn byte(&mut self) -> Option<u8> {
        None
    }
}

const DECLARED: &str = "extern int __VERIFIER_nondet_int(void);\nunsigned long counted;\n\
    long given_a, given_b, given_c, given_shared;\nint shared;\n";

const MAIN: &str = "int main(void) {\n    A a = __VERIFIER_nondet_int();\n    B b = __VERIFIER_nondet_int();\n\
    C c = __VERIFIER_nondet_int();\n    shared = __VERIFIER_nondet_int();\n    given_a = a, given_b = b, given_c = c, given_shared = shared;\n\
    counted = 0;\n    f(a, b, c);\n    for (int probe = 0; probe < 1; probe++) __VERIFIER_nondet_int();\n    return 0;\n}\n";

const TYPES: [&str; 7] = ["int", "unsigned", "int", "unsigned char", "long", "unsigned short", "signed char"];

/// The program of a seed.
pub fn text(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x636f_7374);
    let mut text = String::new();
    for name in ["A", "B", "C"] {
        _ = writeln!(text, "typedef {} {name};", random.pick(&TYPES));
    }
    for (place, name) in ["h", "g", "f"].into_iter().enumerate() {
        let callees = &["h", "g"][..place];
        let again = random.chance(25) && name != "f";
        function(&mut random, &mut text, name, callees, again);
    }
    text
}

fn function(random: &mut Random, text: &mut String, name: &str, callees: &[&str], again: bool) {
    _ = writeln!(
        text,
        "static void {name}(A a, B b, C c) {{\n    int i = {}, j = 0, k = {};",
        number(random),
        number(random)
    );
    if again {
        // The first call is none by itself.
        let (way, step) = (*random.pick(&["a > 0", "a > 2 && b > 0", "a < 9 && a > b"]), random.range(1, 2));
        let other = *random.pick(&["b", "c", "b + 1"]);
        _ = writeln!(text, "    if ({way}) {{ /*again*/ {name}(a - {step}, {other}, c); }}");
    }
    for _ in 0..1 + random.below(3) {
        statement(random, text, callees, 1);
    }
    text.push_str("}\n");
}

fn number(random: &mut Random) -> String {
    match random.below(6) {
        0 => random.range(-2, 9).to_string(),
        1 => String::from("shared"),
        other => ["a", "b", "c", "a"][other - 2].to_owned(),
    }
}

fn operand(random: &mut Random) -> String {
    if random.chance(40) { (*random.pick(&["i", "j", "k"])).to_owned() } else { number(random) }
}

fn statement(random: &mut Random, text: &mut String, callees: &[&str], depth: usize) {
    let indent = "    ".repeat(depth);
    let one = *random.pick(&["i", "j", "k"]);
    match random.below(10) {
        0..=3 if depth < 3 => iteration(random, text, callees, depth),
        4..=6 if !callees.is_empty() => {
            let callee = *random.pick(callees);
            let (first, second, third) = (operand(random), operand(random), operand(random));
            let change = *random.pick(&["", "", " + 1", " - 2"]);
            _ = writeln!(text, "{indent}{callee}({first}{change}, {second}, {third});");
        }
        7 => {
            _ = writeln!(text, "{indent}if ({} < {}) {{", operand(random), operand(random));
            statement(random, text, callees, depth + 1);
            _ = writeln!(text, "{indent}}}");
        }
        8 => _ = writeln!(text, "{indent}{one} = {};", operand(random)),
        _ => _ = writeln!(text, "{indent}{one} += {};", random.range(-2, 3)),
    }
}

fn iteration(random: &mut Random, text: &mut String, callees: &[&str], depth: usize) {
    let indent = "    ".repeat(depth);
    let one = *random.pick(&["i", "j", "k"]);
    let limit = operand(random);
    let step = random.range(1, 3);
    match random.below(5) {
        0 => _ = writeln!(text, "{indent}while ({one} > {limit}) {{ /*body*/ {one} -= {step};"),
        1 => _ = writeln!(text, "{indent}do {{ /*body*/ {one} += {step};"),
        // A condition that does something itself.
        2 => {
            _ = writeln!(
                text,
                "{indent}while (({{ int m = 0; while (m < 2) {{ /*body*/ m++; }} {one} < {limit}; }})) {{ /*body*/ {one} += {step};"
            );
        }
        _ => {
            _ = writeln!(
                text,
                "{indent}for ({one} = {}; {one} < {limit}; {one} += {step}) {{ /*body*/",
                number(random)
            )
        }
    }
    let kind_is_do = text.trim_end().ends_with(&format!("do {{ /*body*/ {one} += {step};"));
    for _ in 0..random.below(3) {
        statement(random, text, callees, depth + 1);
    }
    _ = if kind_is_do {
        writeln!(text, "{indent}}} while ({one} < {limit});")
    } else {
        writeln!(text, "{indent}}}")
    };
}
