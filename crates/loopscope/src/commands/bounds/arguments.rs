//! What `loopscope bounds` can be asked.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{IntegersArgument, OutputArguments, SourceArguments, seconds};

/// Show how many iterations each loop makes at most, as a formula over the values before it
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
For every loop it prints how many iterations it makes at most
  at entry     in one visit of the loop, over the values that variables have when control comes to it
  by parts     if several numbers are counted down in turn: how often each of them is
  at start     in one visit, over the values that variables had when the function was entered
  all visits   for a loop in others: all iterations while the function runs, the bounds of the loops multiplied
`exactly` means that the loop makes just as many iterations whenever control leaves it. An iteration is one execution of the
loop's body, also if it is left in the middle; of a loop made by `goto` one visit to its head. A pointer stands for its address in bytes. Division rounds down.

Each function is analysed modularly, with any arguments and in any memory; what it calls returns. Runs do nothing
undefined: a signed overflow ends a run, unsigned numbers wrap. The kernel has checked each bound on the program itself.

Exit codes: 0 every loop has a bound, 2 wrong usage or errors in the source, 3 otherwise.";
