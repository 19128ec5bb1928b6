//! What `loopscope summarize` can be asked.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{Format, IntegersArgument, OutputArguments, SourceArguments, seconds};

/// Say what loops compute, by cases: when, what, and after how many iterations
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// Only the loops of this function
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Only loops that stand on this line
    #[arg(long = "loop", value_name = "LINE")]
    pub at: Option<u32>,
    /// Only what happens to these variables: x,y
    #[arg(long = "vars", value_name = "LIST", value_delimiter = ',')]
    pub variables: Vec<String>,
    /// How to show it: text, or the path dependency automaton as dot or svg
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    pub format: Format,
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
For every loop it prints the paths through it (q0, q1, ...), its type (1: all conditions are on numbers that move
regularly and the paths alternate regularly; 2: the latter is not so; 3: the former is not so; 4: both are not), and
the cases: `x` is the number before the loop, `x'` the one after it. In brackets stands which paths are taken, how often.

Each function is analysed by itself, with any arguments, on runs on which nothing undefined happens: signed integers
do not overflow, unsigned ones may wrap. What the kernel could not confirm is marked.

Exit codes: 0 all loops have cases and all are confirmed, 2 wrong usage or errors in the source, 3 otherwise.";
