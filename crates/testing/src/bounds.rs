//! Holds bounds of loops against runs: generated functions are bounded, and then run.
//!
//! ```text
//! seed ─► f(parameters) with loops, and a main that calls it ─► bounds
//!            └─► runs ─► executions of bodies ─► more than the bound says? other than an exact one?
//! ```
//!
//! Types are narrow for the most part, so that numbers wrap. A run counts up to where it stops: one that does something
//! undefined stops there.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use base::Budget;
use certify::ModularFunctions;
use certify::abstraction::{Named, names};
use clients::bounds::Bounds;
use evidence::{Count, Expression, Integer, LoopBound, Moment, Name};
use loops::LoopId;
use program::interpret::{Integers, ObligationSet, Options, Outcome};
use program::{Body, FunctionId, Obligation, VariableId};

use crate::abstraction::invariants::States;
use crate::abstraction::record::{Recording, Visit, record};
use crate::interpretation::{Form, program_of};
use crate::iterations::{Counted, executed, with_counts};
use crate::random::Random;

/// What came of programs, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Loops.
    pub loops: usize,
    /// Loops with a bound.
    pub bounded: usize,
    /// Loops with an exact bound.
    pub exact: usize,
    /// Visits of loops that were held against a bound.
    pub visits: usize,
    /// Visits that made just as many iterations as the bound says.
    pub reached: usize,
    /// Visits that were held against an exact bound.
    pub exact_visits: usize,
    /// Runs whose iterations in all visits were held against a bound.
    pub totals: usize,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: &Tally) {
        self.loops += other.loops;
        self.bounded += other.bounded;
        self.exact += other.exact;
        self.visits += other.visits;
        self.reached += other.reached;
        self.exact_visits += other.exact_visits;
        self.totals += other.totals;
    }
}

/// Examines the program of a seed.
///
/// # Errors
/// A run that makes more iterations than its bound.
pub fn check(folder: &Path, seed: u64) -> Result<Tally, String> {
    check_text(folder, &text(seed), seed)
}

/// Examines a program: the loops of `f`, which `main` calls. `/*body*/` says where the body of a loop begins.
///
/// # Errors
/// A run that makes more iterations than its bound.
pub fn check_text(folder: &Path, text: &str, seed: u64) -> Result<Tally, String> {
    let program = program_of(folder, text, Form::Simplified)?;
    let run = program_of(folder, &with_counts(text), Form::Simplified)?;
    let find = |name: &str| run.function_named(name).ok_or("no main or no f");
    let (main, own) = (find("main")?, find("f")?);
    let function = program.function_named("f").ok_or("no f")?;
    let bounds = Bounds::new(&program, Integers::Machine);
    let loops = bounds.of_function(function, &Budget::unlimited());
    let mut tally = Tally { loops: loops.len(), ..Tally::default() };
    for one in &loops {
        tally.bounded += usize::from(one.bound.is_some());
        tally.exact += usize::from(one.bound.as_ref().is_some_and(|bound| bound.visit.exact));
    }
    let (Some(body), Some(counted)) = (run.functions[own].body(), Counted::of(&run, own, &program, function))
    else {
        return Ok(tally);
    };
    let alone = ModularFunctions::of(&run).function(own);
    let names = alone.as_ref().and_then(|alone| Some(names(alone.program(), alone.body()?)));
    let held = Held { function: own, body, counted, loops, names: names.unwrap_or_default() };
    let checks = ObligationSet::EMPTY.with(Obligation::SignedOverflow);
    let options = Options { checks, memory: 1 << 20, call_depth: 20, ..Options::default() };
    for number in 0..6 {
        let recording = record(&run, main, &options, seed.wrapping_mul(17).wrapping_add(number), 12_000);
        held.run(&recording, &mut tally).map_err(|message| format!("{message}\n{text}"))?;
    }
    Ok(tally)
}

/// A function with its bounds.
struct Held<'p> {
    function: FunctionId,
    body: &'p Body,
    counted: Counted,
    loops: Vec<LoopBound>,
    names: BTreeMap<Name, Named>,
}

/// Control stays in a loop.
struct Stay<'r> {
    id: LoopId,
    entry: &'r Visit,
    /// How often control came to the loop in its body that counts.
    begun: u64,
}

impl Held<'_> {
    fn run(&self, recording: &Recording, tally: &mut Tally) -> Result<(), String> {
        let mut stays: Vec<Stay<'_>> = Vec::new();
        let mut totals: BTreeMap<LoopId, u64> = BTreeMap::new();
        let mut activation = None;
        for visit in recording.visits.iter().filter(|visit| visit.function == self.function) {
            if activation.replace(visit.activation).is_some_and(|old| old != visit.activation) {
                self.leave_all(&mut stays, tally)?;
                totals.clear();
            }
            let forest = &self.counted.forest;
            let Some(id) = forest.with_head(visit.head) else { continue };
            while let Some(stay) = stays.pop_if(|stay| !forest.contains(stay.id, visit.head)) {
                self.left(&stay, true, tally)?;
            }
            if self.counted.bodies.contains(&id) {
                if let Some(stay) = stays.last_mut().filter(|stay| forest[id].parent == Some(stay.id)) {
                    stay.begun += 1;
                    let begins = stay.begun % 2 == 1;
                    *totals.entry(stay.id).or_default() += u64::from(begins);
                    self.total(stay.id, visit, totals[&stay.id], tally)?;
                }
                continue;
            }
            if stays.last().is_none_or(|stay| stay.id != id) {
                stays.push(Stay { id, entry: visit, begun: 0 });
            }
        }
        if matches!(recording.run.outcome, Outcome::Exit(_)) && !recording.more {
            return self.leave_all(&mut stays, tally);
        }
        stays.iter().try_for_each(|stay| self.left(stay, false, tally))
    }

    fn leave_all(&self, stays: &mut Vec<Stay<'_>>, tally: &mut Tally) -> Result<(), String> {
        while let Some(stay) = stays.pop() {
            self.left(&stay, true, tally)?;
        }
        Ok(())
    }

    /// A number over the values in which a loop was entered, and over those of parameters that never change.
    fn value(&self, entry: &Visit, count: &Count) -> Option<Integer> {
        let is_fixed = |name: &Name| match self.names.get(name) {
            Some(Named::Variable(variable)) => self.is_fixed(*variable),
            _ => false,
        };
        let mut fixed = true;
        visit_start(&count.iterations, &mut |name| fixed &= is_fixed(name));
        let number = count.iterations.with_moments(&|_| Some(Moment::Entry)).filter(|_| fixed)?;
        States { names: &self.names, entry, now: entry }.value(&number)
    }

    fn is_fixed(&self, variable: VariableId) -> bool {
        let mut statements = self.body.blocks.iter().flat_map(|(_, block)| &block.statements);
        self.body.parameters.contains(&variable)
            && !statements.any(|statement| statement.kind.target() == Some(variable))
    }

    fn bound_of(&self, id: LoopId) -> Option<&LoopBound> {
        let analysed = self.counted.analysed.get(&id).filter(|_| self.counted.is_counted(id))?;
        self.loops.get(base::Index::index(*analysed))
    }

    /// A stay in a loop is over, or the run is.
    fn left(&self, stay: &Stay<'_>, is_left: bool, tally: &mut Tally) -> Result<(), String> {
        let Some(one) = self.bound_of(stay.id) else { return Ok(()) };
        let Some(bound) = &one.bound else { return Ok(()) };
        let made = Integer::from(executed(stay.begun));
        for count in [Some(&bound.visit), bound.start.as_ref()].into_iter().flatten() {
            let Some(most) = self.value(stay.entry, count) else { continue };
            tally.visits += 1;
            tally.reached += usize::from(made == most);
            if made > most {
                return Err(format!(
                    "{}: {made} iterations, but the bound is {} = {most}",
                    one.name, count.iterations
                ));
            }
            if is_left && count.exact {
                tally.exact_visits += 1;
                if most != made {
                    let number = &count.iterations;
                    return Err(format!(
                        "{}: {made} iterations, but there are exactly {number} = {most}",
                        one.name
                    ));
                }
            }
        }
        Ok(())
    }

    /// All visits of a loop so far.
    fn total(&self, id: LoopId, visit: &Visit, made: u64, tally: &mut Tally) -> Result<(), String> {
        let Some(one) = self.bound_of(id) else { return Ok(()) };
        let total = one.bound.as_ref().and_then(|bound| bound.total.as_ref());
        let Some(most) = total.and_then(|total| self.value(visit, total)) else { return Ok(()) };
        tally.totals += 1;
        if Integer::from(made) > most {
            return Err(format!("{}: {made} iterations in all visits, but the bound is {most}", one.name));
        }
        Ok(())
    }
}

fn visit_start(expression: &Expression, visit: &mut dyn FnMut(&Name)) {
    // Whatever is examined another time is not of interest.
    let names = std::cell::RefCell::new(Vec::new());
    collect(expression, &mut |name| names.borrow_mut().push(name.clone()));
    names.into_inner().iter().for_each(visit);
}

fn collect(expression: &Expression, note: &mut dyn FnMut(&Name)) {
    match expression {
        Expression::Quantity { quantity, moment: Moment::Start } => note(&quantity.variable),
        Expression::Sum(parts)
        | Expression::Product(parts)
        | Expression::Minimum(parts)
        | Expression::Maximum(parts) => parts.iter().for_each(|part| collect(part, note)),
        Expression::Quotient { dividend, .. } | Expression::Remainder { dividend, .. } => {
            collect(dividend, note)
        }
        Expression::Select { condition, then, otherwise } => {
            collect_in(condition, note);
            collect(then, note);
            collect(otherwise, note);
        }
        _ => {}
    }
}

fn collect_in(formula: &evidence::Formula, note: &mut dyn FnMut(&Name)) {
    match formula {
        evidence::Formula::Compare { left, right, .. } => {
            collect(left, note);
            collect(right, note);
        }
        evidence::Formula::All(parts) | evidence::Formula::Any(parts) => {
            parts.iter().for_each(|part| collect_in(part, note));
        }
        _ => {}
    }
}

const TYPES: [&str; 8] =
    ["unsigned char", "signed char", "short", "unsigned short", "int", "unsigned", "unsigned char", "long"];

/// The program of a seed.
pub fn text(seed: u64) -> String {
    generated(seed, "")
}

/// The same with a loop after each of the outermost ones, whose head shows the state there.
pub fn text_with_probes(seed: u64) -> String {
    generated(seed, "    for (int probe = 0; probe < 1; probe++) nondet();\n")
}

fn generated(seed: u64, after: &str) -> String {
    let mut random = Random::new(seed ^ 0x626f_756e);
    let mut text = String::from("extern int nondet(void);\nextern int unknown_int(void);\nvoid f(");
    let parameters = ["a", "b", "c"];
    for (place, name) in parameters.iter().enumerate() {
        _ = write!(text, "{}{} {name}", if place > 0 { ", " } else { "" }, random.pick(&TYPES));
    }
    text.push_str(") {\n");
    for name in ["i", "j", "k"] {
        let ty = *random.pick(&TYPES);
        let value = if random.chance(60) { random.range(0, 3).to_string() } else { operand(&mut random) };
        _ = writeln!(text, "    {ty} {name} = {value};");
    }
    for _ in 0..1 + random.below(2) {
        iteration(&mut random, &mut text, 1);
        text.push_str(after);
    }
    text.push_str("}\nint main(void) {\n    f(nondet(), nondet(), nondet());\n    return 0;\n}\n");
    text
}

fn operand(random: &mut Random) -> String {
    match random.below(5) {
        0 => random.range(-3, 12).to_string(),
        1 => (*random.pick(&["100", "200", "255", "127", "1000"])).to_owned(),
        _ => (*random.pick(&["a", "b", "c"])).to_owned(),
    }
}

fn variable(random: &mut Random) -> &'static str {
    ["i", "j", "k"][random.below(3)]
}

fn condition(random: &mut Random) -> String {
    let first = variable(random);
    let second = if random.chance(70) { operand(random) } else { variable(random).to_owned() };
    let plain = format!("{first} {} {second}", random.pick(&["<", "<=", ">", ">=", "!=", "<"]));
    let other = format!("{} > {}", variable(random), random.range(0, 3));
    match random.below(10) {
        0 => format!("{plain} && {other}"),
        1 => format!("{plain} && unknown_int()"),
        2 => format!("{plain} || {other}"),
        3 => format!("{other} ? {plain} : {} < {}", variable(random), operand(random)),
        4 => format!("{other} && {plain} || {} < {}", variable(random), operand(random)),
        _ => plain,
    }
}

fn iteration(random: &mut Random, text: &mut String, depth: usize) {
    let indent = "    ".repeat(depth);
    let (name, condition) = (variable(random), condition(random));
    let step = random.range(1, 3);
    let sign = if random.chance(65) { "+" } else { "-" };
    let kind = random.below(4);
    match kind {
        0 => _ = writeln!(text, "{indent}for (; {condition}; {name} {sign}= {step}) {{"),
        1 => _ = writeln!(text, "{indent}while ({condition}) {{"),
        2 => _ = writeln!(text, "{indent}do {{"),
        _ => _ = writeln!(text, "{indent}for (;;) {{"),
    }
    _ = writeln!(text, "{indent}    /*body*/");
    if kind > 0 && random.chance(70) {
        _ = writeln!(text, "{indent}    {name} {sign}= {step};");
    }
    for _ in 0..random.below(3) {
        statement(random, text, depth + 1);
    }
    if depth < 2 && random.chance(35) {
        if random.chance(50) {
            _ = writeln!(text, "{indent}    {} = {};", variable(random), random.range(0, 2));
        }
        iteration(random, text, depth + 1);
    }
    if kind == 3 {
        _ = writeln!(text, "{indent}    if (!({condition})) break;");
        statement(random, text, depth + 1);
    }
    match kind {
        0 | 1 | 3 => _ = writeln!(text, "{indent}}}"),
        _ => _ = writeln!(text, "{indent}}} while ({condition});"),
    }
}

fn statement(random: &mut Random, text: &mut String, depth: usize) {
    let indent = "    ".repeat(depth);
    let (one, other) = (variable(random), variable(random));
    let step = random.range(1, 3);
    _ = match random.below(8) {
        0 => writeln!(text, "{indent}if ({}) {one}++; else {other}--;", condition(random)),
        1 => writeln!(text, "{indent}if ({}) {{ {one} = 0; {other}++; }} else {one}++;", condition(random)),
        2 => writeln!(text, "{indent}if (unknown_int()) break;"),
        3 => writeln!(text, "{indent}{one} = {other} + {step};"),
        4 => writeln!(text, "{indent}{one} -= {step};"),
        5 => writeln!(text, "{indent}if (unknown_int()) {one} += {step};"),
        6 => writeln!(text, "{indent}if ({}) continue;", condition(random)),
        _ => writeln!(text, "{indent}{one}++;"),
    };
}
