//! What `loopscope contracts` can be asked.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

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
    /// How contracts are written: text, acsl (comments to paste, for Frama-C) or cbmc (macros)
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "FORM",
        hide_possible_values = true,
        conflicts_with = "json"
    )]
    pub format: ContractFormat,
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

/// How contracts are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ContractFormat {
    /// For people
    #[default]
    Text,
    /// Comments of ACSL
    Acsl,
    /// Macros of CBMC
    Cbmc,
}

const HELP: &str = "\
For every function it prints
  requires     what callers must see to: objects that pointers lead to, and conditions of numbers
  ensures      what holds when a call returns
  assigns      what a call may change; everything else stays as it is
  cost         how many iterations a call makes at most, in its own loops and in what it calls, and how that grows
`proved` means: no call that meets the contract does anything that C leaves undefined, in the function or in what it calls,
and what is ensured holds when it returns. If that is not so, or not known, the obligations that may fail are listed.
Objects that a contract names are apart from each other, and from what the program names.

Contracts are found by sample runs and proved by the kernel. A contract that the source states, as a comment of ACSL or by
macros of CBMC, is not looked for but checked: a wrong one is shown with a run.

Exit codes: 0 all contracts are proved, 1 a stated contract is refuted, 2 wrong usage or errors in the source, 3 otherwise.";
