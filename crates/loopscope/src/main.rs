//! The command line of Loopscope.
//!
//! `pipeline` says how a program is prepared, and each folder of `commands` is one command. Everything that touches the
//! world is here: files, the terminal, the clock and exit codes.

mod arguments;
mod clock;
mod commands;
mod exit;
mod pipeline;
mod replay;
mod sources;
mod terminal;

use std::io::Write;
use std::process::ExitCode;

use base::{Interrupt, guard};

use crate::arguments::{Color, compiler_style};
use crate::terminal::Terminal;

fn main() -> ExitCode {
    silence_panics();
    let words = compiler_style(std::env::args_os());
    let matches = match commands::command_line().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version are no errors; if printing fails, nobody is listening.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { exit::BAD_INPUT } else { exit::DONE });
        }
    };
    let interrupt = Interrupt::default();
    stop_on_interrupt(&interrupt);
    let code = guard::on_deep_stack(move || commands::execute(&matches, &interrupt));
    let code = code.unwrap_or_else(|problem| {
        Terminal::new(Color::Auto, false).messages(&[pipeline::internal_error("the top", &problem)]);
        exit::UNKNOWN
    });
    let _ = std::io::stdout().flush();
    ExitCode::from(code)
}

/// The first Ctrl-C asks for the end, so that what was found is still printed; the second one ends the process.
fn stop_on_interrupt(interrupt: &Interrupt) {
    let interrupt = interrupt.clone();
    // Without the handler Ctrl-C ends the process at once, which is no harm.
    let _ = ctrlc::set_handler(move || {
        if interrupt.is_raised() {
            std::process::exit(i32::from(exit::STOPPED));
        }
        interrupt.raise();
    });
}

/// Panics print nothing, unless `LOOPSCOPE_DEBUG` is set.
fn silence_panics() {
    if std::env::var_os("LOOPSCOPE_DEBUG").is_none_or(|value| value.is_empty() || value == "0") {
        std::panic::set_hook(Box::new(|_| {}));
    }
}
