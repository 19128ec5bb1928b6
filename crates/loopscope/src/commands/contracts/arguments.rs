//! What `loopscope contracts` can be asked.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{IntegersArgument, OutputArguments, SourceArguments, seconds};

/// Show what each function requires of its callers, and what it sees to then
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// Only this function
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
For every function it prints
  requires     what callers must see to: objects that pointers lead to, and conditions of numbers
  ensures      what holds when a call returns
  changes      the objects behind pointers that a call may change
`proved` means: no call that meets the contract does anything that C leaves undefined, in the function or in what it calls,
and what is ensured holds when it returns. If that is not so, or not known, the obligations that may fail are listed.
Objects that a contract names are apart from each other, and from what the program names.

Contracts are found by sample runs and proved by the kernel. Callers of this program may break them.

Exit codes: 0 all contracts are proved, 2 wrong usage or errors in the source, 3 otherwise.";
