//! Translates C files one by one, and prints those with errors and their first error.
//!
//! ```text
//! cargo run --release --example check -- [-m32] [-jTHREADS] FILE...
//! find DIRECTORY -name '*.i' | cargo run --release --example check -- -j2 -
//! ```
//!
//! A line of standard input may end in a tab and `ILP32` or `LP64`.

use std::io::BufRead;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use loopscope_c::{Input, translate};
use program::DataModel;

fn main() {
    let (inputs, threads) = inputs();
    let start = Instant::now();
    let next = AtomicUsize::new(0);
    let refused = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(input) = inputs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(error) = first_error(input) {
                        refused.lock().expect("no thread panics").push((input.path.clone(), error));
                    }
                }
            });
        }
    });
    let mut refused = refused.into_inner().expect("no thread panics");
    refused.sort();
    for (path, error) in &refused {
        println!("{}\t{error}", path.display());
    }
    let bytes: u64 = inputs.iter().filter_map(|input| Some(input.path.metadata().ok()?.len())).sum();
    let seconds = start.elapsed().as_secs_f64();
    let megabytes = bytes as f64 / 1e6;
    let rate = megabytes / seconds;
    eprintln!(
        "{} files, {} with errors, {megabytes:.1} MB in {seconds:.2} s: {rate:.1} MB/s",
        inputs.len(),
        refused.len()
    );
}

fn inputs() -> (Vec<Input>, usize) {
    let (mut inputs, mut threads, mut model) = (Vec::new(), 1, DataModel::Lp64);
    for argument in std::env::args().skip(1) {
        if argument == "-m32" {
            model = DataModel::Ilp32;
        } else if let Some(count) = argument.strip_prefix("-j") {
            threads = count.parse().unwrap_or(1);
        } else if argument == "-" {
            inputs.extend(
                std::io::stdin().lock().lines().map_while(Result::ok).map(|line| listed(&line, model)),
            );
        } else {
            inputs.push(listed(&argument, model));
        }
    }
    (inputs, threads)
}

fn listed(line: &str, default: DataModel) -> Input {
    let (path, model) = line.split_once('\t').unwrap_or((line, ""));
    let mut input = Input::new(path);
    input.options.data_model = match model {
        "ILP32" => DataModel::Ilp32,
        "LP64" => DataModel::Lp64,
        _ => default,
    };
    input
}

fn first_error(input: &Input) -> Option<String> {
    let error = translate(std::slice::from_ref(input))
        .diagnostics
        .into_iter()
        .find(|diagnostic| diagnostic.is_error())?;
    let place = error.place.map(|place| format!("{}:{}:{}: ", place.path, place.line, place.column));
    Some(place.unwrap_or_default() + &error.message)
}
