//! Work on many functions, several at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use program::{FunctionId, Program};

use crate::guard::{STACK_BYTES, guarded};
use crate::terminal::Terminal;

/// What is found out about each of some functions, in their order. A bug of ours costs the function in which it shows:
/// `failed` gets its message.
pub fn for_each_function<T: Send>(
    program: &Program,
    functions: &[FunctionId],
    terminal: &Terminal,
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
                let name = &program.functions[function].name;
                terminal.progress(&format!("{name}: function {} of {}", place + 1, functions.len()));
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
