//! The command line of Loopscope.
//!
//! `arguments` says what can be asked, `pipeline` how a program is prepared, and each module of `commands` answers one
//! command. Everything that touches the world is here: files, the terminal, the clock and exit codes.

mod arguments;
mod clock;
mod commands;
mod exit;
mod guard;
mod pipeline;
mod replay;
mod sources;
mod terminal;
mod witness;

use std::io::Write;
use std::process::ExitCode;

use base::Interrupt;
use clap::Parser;

use crate::arguments::{Cli, Color, compiler_style};
use crate::terminal::Terminal;

fn main() -> ExitCode {
    guard::silence_panics();
    let cli = match Cli::try_parse_from(compiler_style(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors; if printing fails, nobody is listening.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { exit::BAD_INPUT } else { exit::DONE });
        }
    };
    let interrupt = Interrupt::default();
    stop_on_interrupt(&interrupt);
    let code = guard::on_deep_stack(move || commands::execute(&cli, &interrupt));
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
