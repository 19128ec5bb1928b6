//! Keeping what goes wrong in the front end away from the rest: panics become values, and deep inputs get a deep
//! stack.

use std::cell::Cell;
use std::sync::{Mutex, Once};

use base::guard::message;

/// How much stack a translation unit gets, or else has to do with. It is only reserved: what is not used costs
/// nothing. [`crate::limits::too_deep`] bounds what is used.
const STACK_BYTES: [usize; 3] = [1 << 30, 256 << 20, 64 << 20];

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` and turns a panic into its message, without the message that a panic prints.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    silence_guarded_panics();
    let before = GUARDED.replace(true);
    let result = base::guard::guarded(work);
    GUARDED.set(before);
    result
}

/// Runs `work` on a thread with a deep stack. Trees of expressions are as deep as the user writes them.
pub(crate) fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    let work = Mutex::new(Some(work));
    let run = || match work.lock().ok().and_then(|mut work| work.take()) {
        Some(work) => guarded(work),
        None => Err(String::from("its work was done already")),
    };
    std::thread::scope(|scope| {
        let thread =
            |bytes| std::thread::Builder::new().name(String::from("translation unit")).stack_size(bytes);
        let started = STACK_BYTES.iter().find_map(|&bytes| thread(bytes).spawn_scoped(scope, run).ok());
        let handle = started.ok_or_else(|| String::from("there is no memory for its stack"))?;
        handle.join().unwrap_or_else(|payload| Err(message(payload.as_ref())))
    })
}

/// Panics in guarded code are reported by whoever guards it; all others print as before.
fn silence_guarded_panics() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |information| {
            if !GUARDED.get() {
                previous(information);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(guarded(|| 1), Ok(1));
        assert_eq!(guarded(|| -> i32 { panic!("broken {}", 2) }), Err(String::from("broken 2")));
    }

    #[test]
    fn a_deep_stack_is_deep_and_guarded() {
        fn depth(levels: u64) -> u64 {
            let frame = std::hint::black_box([levels; 64]);
            if levels == 0 { 0 } else { 1 + depth(frame[1] - 1) }
        }
        assert_eq!(on_deep_stack(|| depth(100_000)), Ok(100_000));
        assert_eq!(on_deep_stack(|| -> i32 { panic!("deep") }), Err(String::from("deep")));
    }
}
