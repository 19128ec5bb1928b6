//! Work on many functions, several at a time.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use base::guard::{STACK_BYTES, guarded};
use program::{ExprKind, FunctionId, Program};
use transform::callees;

/// What is being examined, for whoever waits.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// A modular function: its name, its number and how many there are.
    Function(&'a str, usize, usize),
    /// The run of a program without inputs.
    OnlyRun,
    /// Runs that start in a function.
    Runs(&'a str),
}

/// Who is told what is being examined.
pub type Watch<'a> = &'a (dyn Fn(Progress<'_>) + Sync);

/// Those functions among some that a user wants: all, or the one with this name.
pub(crate) fn wanted(program: &Program, mut all: Vec<FunctionId>, name: Option<&str>) -> Vec<FunctionId> {
    all.retain(|function| name.is_none_or(|name| *name == program.functions[*function].name));
    all
}

/// The functions that a function can call, and those that they can call, itself included. A function whose address is
/// taken by any of them is taken to be called.
pub(crate) fn reached(program: &Program, entry: FunctionId) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::from([entry]);
    let mut left = vec![entry];
    while let Some(function) = left.pop() {
        let Some(body) = program.functions[function].body() else { continue };
        let named = body.expressions.values().filter_map(|expression| match expression.kind {
            ExprKind::Function(function) => Some(function),
            _ => None,
        });
        left.extend(callees(body).into_iter().chain(named).filter(|&other| found.insert(other)));
    }
    found
}

/// The only function with a definition that no other one calls, if there is just one.
pub fn root(program: &Program) -> Option<&str> {
    let bodies = program.functions.iter().filter_map(|(id, function)| Some((id, function.body()?)));
    let called: BTreeSet<FunctionId> = bodies
        .flat_map(|(caller, body)| callees(body).into_iter().filter(move |callee| *callee != caller))
        .collect();
    let mut roots =
        program.functions.iter().filter(|(id, function)| function.is_defined() && !called.contains(id));
    match (roots.next(), roots.next()) {
        (Some((_, root)), None) => Some(&root.name),
        _ => None,
    }
}

/// What is found out about each of some functions, in their order. A bug of ours costs the function in which it shows:
/// `failed` gets its message.
pub(crate) fn for_each_function<T: Send>(
    program: &Program,
    functions: &[FunctionId],
    watch: Watch<'_>,
    work: impl Fn(FunctionId) -> T + Sync,
    failed: impl Fn(FunctionId, &str) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    let all = |is_first: bool| {
        while let place = next.fetch_add(1, Ordering::Relaxed)
            && let Some(&function) = functions.get(place)
        {
            if is_first {
                watch(Progress::Function(&program.functions[function].name, place + 1, functions.len()));
            }
            let outcome = guarded(|| work(function))
                .unwrap_or_else(|problem| failed(function, &format!("internal error: {problem}")));
            if let Ok(mut found) = found.lock() {
                found.push((place, outcome));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(functions.len());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // A thread less is only slower.
            _ = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || all(false));
        }
        all(true);
    });
    let mut found = found.into_inner().unwrap_or_default();
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, outcome)| outcome).collect()
}
