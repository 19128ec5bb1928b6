//! What `loopscope certify` can be asked.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{IntegersArgument, OutputArguments, SourceArguments, seconds};

/// Check a witness that `verify --witness` or another tool has written, without looking for anything
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// The witness: YAML 2.x of any tool, or GraphML that Loopscope has written
    pub witness: PathBuf,
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// What to ask, as for `verify`: a name or a property file; what the witness says if this is missing
    #[arg(long, value_name = "NAME|FILE.prp")]
    pub property: Option<String>,
    /// What integers are: machine (with the widths of their types) or mathematical (without bounds)
    #[arg(long, value_enum, default_value_t, value_name = "KIND", hide_possible_values = true)]
    pub integers: IntegersArgument,
    /// Start in this function, instead of `main` or, without one, the only function that no other calls; every function but
    /// `main` gets arbitrary arguments
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds, allow_hyphen_values = true)]
    pub time_limit: f64,
    /// Say TRUE only if it needs no assumption that would be named; otherwise name the first one
    #[arg(long)]
    pub no_assumptions: bool,
    /// How to read the files.
    #[command(flatten)]
    pub source: SourceArguments,
    /// How to show the result.
    #[command(flatten)]
    pub output: OutputArguments,
}

const HELP: &str = "\
A proof is checked from what the witness says of the loops and from nothing else: invariants, transition
invariants, and what Loopscope writes where C has no words for it. A violation is run again.

The last line of the output is the verdict: TRUE, FALSE (kind) or UNKNOWN (reason). What the witness says
and that was not confirmed is listed with its line.

Exit codes: 0 proved, 1 refuted, 2 wrong usage or errors in the source or the witness, 3 unknown.";
