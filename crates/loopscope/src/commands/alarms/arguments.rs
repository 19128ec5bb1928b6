//! What `loopscope alarms` can be asked.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{IntegersArgument, OutputArguments, SourceArguments, seconds};

/// List every obligation of a program as proved, refuted, unreachable or unknown
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// Start in this function, and list only what it reaches
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Only the obligations of this property: unreach-call, memsafety, no-overflow, a part of memsafety, or an SV-COMP
    /// property file
    #[arg(long, value_name = "NAME|FILE.prp", conflicts_with = "all")]
    pub property: Option<String>,
    /// All kinds of obligations: uninitialised values and lost memory, too
    #[arg(long)]
    pub all: bool,
    /// What integers are: machine (with the widths of their types) or mathematical (without bounds)
    #[arg(long, value_enum, default_value_t, value_name = "KIND", hide_possible_values = true)]
    pub integers: IntegersArgument,
    /// Stop after so many seconds; what is not known by then is unknown
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, value_parser = seconds, allow_hyphen_values = true)]
    pub time_limit: f64,
    /// How to read the files.
    #[command(flatten)]
    pub source: SourceArguments,
    /// How to show the result.
    #[command(flatten)]
    pub output: OutputArguments,
}

const HELP: &str = "\
Every place where C leaves behaviour undefined, every assertion and every error call is an obligation. Each is one of
  proved        it holds whenever a run comes to it
  proved under contract   it holds whenever a call that keeps to the contract of its function comes to it
  unreachable   no run comes to it
  refuted       it fails in a run that was repeated; the inputs are shown
  unknown       with the reason: often an abstract counterexample, in which each loop is abstracted to one step. It need
                not be a run: what is known of the loop may allow more than its iterations do
`proved` and `unreachable` mean: unless an earlier obligation fails.

Runs start in `main`. A function that is not reached from there is analysed for callers that see to what it requires: its
`requires` lines. What fails all the same is an alarm of the function. What may come after something that is not followed to
its end is unknown.

Exit codes: 0 all are proved, perhaps under contracts, or unreachable, 1 one is refuted, 2 wrong usage or errors in the source, 3 otherwise.";
