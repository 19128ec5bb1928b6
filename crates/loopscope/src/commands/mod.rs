//! The commands: each takes its arguments and gives the exit code.

mod dump;
mod loops;
mod run;
mod verify;

use base::Interrupt;

use crate::arguments::{Cli, Command};
use crate::exit;

/// Does what the command line asks for.
pub fn execute(cli: &Cli, interrupt: &Interrupt) -> u8 {
    match &cli.command {
        None => loops::execute(&cli.loops),
        Some(Command::Loops(arguments)) => loops::execute(arguments),
        Some(Command::Verify(arguments)) => verify::execute(arguments, interrupt),
        Some(Command::Run(arguments)) => run::execute(arguments, interrupt),
        Some(Command::Dump(arguments)) => dump::execute(arguments),
        Some(Command::Completions { shell }) => completions(*shell),
    }
}

fn completions(shell: clap_complete::Shell) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut <Cli as clap::CommandFactory>::command(), "loopscope", &mut script);
    // That the reader has gone is not an error.
    let _ = std::io::Write::write_all(&mut std::io::stdout(), &script);
    exit::DONE
}
