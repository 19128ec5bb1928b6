//! Measures summaries on real code: every function of C files modularly, with arbitrary arguments.
//!
//! ```text
//! cargo run --release -p loopscope-engines --example corpus -- FOLDER [--limit SECONDS] [--most FUNCTIONS]
//! ```
//!
//! Reads every `.c` and `.i` file below the folder. A function may take so many seconds (5). Prints how long a loop
//! takes, how many invariants it gets, and why functions are left out. Calls are followed in place, so that a loop
//! counts once for every way to it.
//!
//! A pointer that is passed points to one of a few objects, which hold pointers to each other: read as a number, such a
//! pointer is any number. Without that, most functions would end at their first access.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Budget, Index, Location};
use certify::abstraction::Effort;
use common::{abstraction, milliseconds, read, timed};
use program::builder::BodyBuilder;
use program::{
    Callee, Definition, Function, FunctionId, GlobalObject, Initial, ObjectId, ObjectRef, Origin, Pointer,
    Program, StatementKind, Terminator, Type, Variable,
};

/// How many objects there are for pointers to point to, and how large they are.
const OBJECTS: usize = 3;
const SIZE: u64 = 1024;

#[derive(Default)]
struct Totals {
    functions: usize,
    with_loops: usize,
    loops: usize,
    invariants: usize,
    bare: usize,
    encode: Duration,
    summarise: Duration,
    /// Milliseconds for a loop, by function.
    of_loops: Vec<f64>,
    out_of_time: usize,
    failures: BTreeMap<String, usize>,
    open: BTreeMap<String, usize>,
}

fn main() {
    let (mut folder, mut limit, mut most) = (None, 5u64, usize::MAX);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--limit" => limit = words.next().and_then(|text| text.parse().ok()).unwrap_or(limit),
            "--most" => most = words.next().and_then(|text| text.parse().ok()).unwrap_or(most),
            _ => folder = Some(PathBuf::from(word)),
        }
    }
    let Some(folder) = folder else {
        eprintln!("usage: corpus FOLDER [--limit SECONDS] [--most FUNCTIONS]");
        std::process::exit(2);
    };
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    let mut totals = Totals::default();
    for file in &files {
        let mut program = read(file);
        for function in callers(&mut program) {
            if totals.functions < most {
                totals.function(&program, function, Duration::from_secs(limit));
            }
        }
        eprintln!("{}: {} functions, {} loops so far", file.display(), totals.functions, totals.loops);
    }
    totals.print(files.len());
}

/// Adds a function for each one with a body: it calls that with any arguments.
fn callers(program: &mut Program) -> Vec<FunctionId> {
    let first = program.objects.len();
    for number in 0..OBJECTS {
        let next = ObjectId::new(first + (number + 1) % OBJECTS);
        let pointers = (0..SIZE / 8).map(|word| (8 * word, Pointer::Object(next, 0))).collect();
        program.objects.push(GlobalObject {
            name: format!("argument {number}"),
            size: SIZE,
            alignment: 8,
            writable: true,
            exported: false,
            thread_local: false,
            initial: Initial::Bytes { bytes: Vec::new(), pointers },
            location: Location::unknown(),
            element: None,
            fields: Vec::new(),
        });
    }
    let called: Vec<FunctionId> =
        program.functions.ids().filter(|&function| program.functions[function].body().is_some()).collect();
    called.into_iter().map(|function| caller(program, function, first)).collect()
}

fn caller(program: &mut Program, function: FunctionId, objects: usize) -> FunctionId {
    let (name, parameters) =
        (program.functions[function].name.clone(), program.functions[function].parameters.clone());
    let mut builder = BodyBuilder::new();
    let mut arguments = Vec::new();
    for (number, ty) in parameters.into_iter().enumerate() {
        if ty == Type::Pointer {
            let object = ObjectId::new(objects + number % OBJECTS);
            arguments.push(builder.body.address(ObjectRef::Global(object)));
            continue;
        }
        let target = builder.new_variable(Variable {
            name: format!("any {number}"),
            ty,
            origin: Origin::Source,
            scope: None,
            location: Location::unknown(),
        });
        builder.push(StatementKind::Input { target, name: String::from("argument") });
        arguments.push(builder.body.read(target));
    }
    builder.push(StatementKind::Call { target: None, callee: Callee::Function(function), arguments });
    builder.end(Terminator::Return(None));
    program.functions.push(Function {
        name: format!("call of {name}"),
        location: Location::unknown(),
        parameters: Vec::new(),
        result: None,
        variadic: false,
        no_return: false,
        aggregates: Default::default(),
        definition: Definition::Body(Box::new(builder.finish())),
    })
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => collect(&path, files),
            Some("c" | "i") => files.push(path),
            _ => {}
        }
    }
}

impl Totals {
    fn function(&mut self, program: &Program, function: FunctionId, limit: Duration) {
        self.functions += 1;
        let mut budget = Budget::unlimited().within(limit);
        let encoded = timed(|| {
            // One broken function must not end the measurement.
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                abstraction(program, function, &mut budget)
            }))
        });
        let (encode, mut abstraction) = match encoded {
            (time, Ok(Some(abstraction))) => (time, abstraction),
            (_, Ok(None)) => return self.fail("not encoded in time"),
            (_, Err(_)) => return self.fail("panic while encoding"),
        };
        let loops = abstraction.abstract_loops().len();
        if loops == 0 {
            return;
        }
        let (summarise, result) = timed(|| {
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let effort = Effort::default();
                loopscope_engines::summarise(program, &mut abstraction, effort, &mut budget, &mut |_| {})
            }))
        });
        if result.is_err() {
            return self.fail("panic while summarising");
        }
        self.with_loops += 1;
        self.loops += loops;
        self.encode += encode;
        self.summarise += summarise;
        self.of_loops.push(milliseconds(encode + summarise) / loops as f64);
        self.out_of_time += usize::from(budget.remaining_time().is_some_and(|time| time.is_zero()));
        for abstract_loop in 0..loops {
            let invariants = abstraction.invariants(abstract_loop).len();
            self.invariants += invariants;
            self.bare += usize::from(invariants == 0);
        }
        for end in abstraction.incomplete_paths() {
            let reason = format!("{:?}", end.reason);
            let reason = reason.split(['`', '(']).next().unwrap_or_default().to_owned();
            *self.open.entry(reason).or_default() += 1;
        }
    }

    fn fail(&mut self, why: &str) {
        *self.failures.entry(why.to_owned()).or_default() += 1;
    }

    fn print(&mut self, files: usize) {
        self.of_loops.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (self.of_loops.len() as f64 * share) as usize;
            self.of_loops.get(place.min(self.of_loops.len().saturating_sub(1))).copied().unwrap_or_default()
        };
        let loops = self.loops.max(1) as f64;
        println!("{files} files, {} functions, {} of them with loops", self.functions, self.with_loops);
        println!(
            "{} loops, {} invariants ({:.1} a loop), {} loops without one",
            self.loops,
            self.invariants,
            self.invariants as f64 / loops,
            self.bare
        );
        println!(
            "{:.1} ms a loop: {:.1} to encode, {:.1} to find invariants",
            milliseconds(self.encode + self.summarise) / loops,
            milliseconds(self.encode) / loops,
            milliseconds(self.summarise) / loops
        );
        println!(
            "by function: median {:.1} ms a loop, 90 % below {:.1} ms, at most {:.1} ms",
            at(0.5),
            at(0.9),
            at(1.0)
        );
        println!("{} functions ran out of time", self.out_of_time);
        for (why, count) in &self.failures {
            println!("{count} functions: {why}");
        }
        for (why, count) in &self.open {
            println!("{count} paths end early: {why}");
        }
    }
}
