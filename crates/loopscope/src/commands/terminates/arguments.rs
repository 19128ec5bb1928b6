//! What `loopscope terminates` can be asked.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{IntegersArgument, OutputArguments, SourceArguments, seconds};

/// Say of each loop and recursion whether it stops, and why, or how it runs for ever
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// Only the loops of this function
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// What integers are: machine (with the widths of their types) or mathematical (without bounds)
    #[arg(long, value_enum, default_value_t, value_name = "KIND", hide_possible_values = true)]
    pub integers: IntegersArgument,
    /// Make it an error (exit code 1) if some loop or recursion has no argument why it stops
    #[arg(long)]
    pub require_termination: bool,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds, allow_hyphen_values = true)]
    pub time_limit: f64,
    /// How to read the files.
    #[command(flatten)]
    pub source: SourceArguments,
    /// How to show the result.
    #[command(flatten)]
    pub output: OutputArguments,
}

const HELP: &str = "\
For every loop, and for every recursion (functions that call each other by name), it prints one of
  stops             and why: a number that every iteration makes less, or a relation between the states at its head
  may run for ever  and the inputs of a run that does, with the state that comes back or the states that it need not leave
  unknown           and the reason, with the place in the source

Each function is analysed modularly first, with any arguments and in any memory. What is open then is examined
in runs of `main`, if there is one that leads there: `in runs of main` says so. What is still open may have a run that
never ends; such a run starts in `main`, or in a function that no run of `main` leads to.

A loop that stops is left whenever control is in it, whatever number a signed overflow gives (or unless one
overflows, where that is said), on runs that do nothing else undefined. Unsigned numbers wrap. Whether inner loops and
called functions stop is said on their own lines. The kernel has checked each argument on the program itself.

Exit codes: 0 every loop and recursion stops, 1 one of them may run for ever (with --require-termination: one of
them has no argument), 2 wrong usage or errors in the source, 3 otherwise.";
