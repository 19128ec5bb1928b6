//! Guards around work: our own bugs become values, which cost what the work was about to find.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How much stack the analysis gets. It is only reserved: what is not used costs nothing.
pub const STACK_BYTES: usize = 512 << 20;

/// Runs the work and turns a panic into its message.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| message(payload.as_ref()))
}

/// Runs the work on a thread with a deep stack, and turns a panic into its message.
pub fn on_deep_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let thread = std::thread::Builder::new().name(String::from("analysis")).stack_size(STACK_BYTES);
    let handle = thread.spawn(work).map_err(|error| format!("cannot start a thread: {error}"))?;
    handle.join().map_err(|payload| message(payload.as_ref()))
}

/// The message of a panic.
pub fn message(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => String::from("no message"),
    }
}
