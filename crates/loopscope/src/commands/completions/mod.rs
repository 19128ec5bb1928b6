//! `loopscope completions`: what a shell needs to complete our command line.

use clap::Args;

use super::command_line;
use super::shared::*;

/// Print a completion script for a shell
#[derive(Args, Debug)]
pub struct Arguments {
    /// The shell
    shell: clap_complete::Shell,
}

impl Command for Arguments {
    const NAME: &'static str = "completions";

    fn run(&self, _: &Terminal, _: &Interrupt) -> ExitStatus {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command_line(), "loopscope", &mut script);
        // That the reader has gone is not an error.
        let _ = std::io::Write::write_all(&mut std::io::stdout(), &script);
        Ok(exit::DONE)
    }
}
