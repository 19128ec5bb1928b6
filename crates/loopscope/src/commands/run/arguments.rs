//! What `loopscope run` can be asked.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::arguments::{Color, IntegersArgument, SourceArguments};

/// Run a program in the interpreter, with every check switched on
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// The arguments of the program, after `--`
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<std::ffi::OsString>,
    /// Run this function instead of `main`; every function but `main` gets its arguments from --inputs
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// The values that the program asks for (__VERIFIER_nondet_int and its kin, arguments), then zeros: 3,-1,0.5 or a
    /// file that `verify --inputs` has written
    #[arg(long, value_name = "VALUES|FILE", allow_hyphen_values = true)]
    pub inputs: Option<String>,
    /// What to check: all, none, or names such as out-of-bounds,signed-overflow
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = checks_parser(), hide_possible_values = true)]
    pub checks: Vec<String>,
    /// What integers are: machine (with the widths of their types, the default) or mathematical (without bounds)
    #[arg(long, value_enum, value_name = "KIND", hide_possible_values = true)]
    pub integers: Option<IntegersArgument>,
    /// Stop after so many steps
    #[arg(long, value_name = "STEPS")]
    pub step_limit: Option<u64>,
    /// How to read the files.
    #[command(flatten)]
    pub source: SourceArguments,
    /// When there are colours: auto, always or never
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", hide_possible_values = true)]
    pub color: Color,
}

const HELP: &str = "\
All obligations are checked but `leak`, unless --checks says otherwise. Their names: assertion, reach-error,
out-of-bounds, null, dangling, uninitialised, signed-overflow, division-by-zero, shift, string-termination,
unreachable, unsequenced, invalid-free, leak.

A file of inputs also says where the run starts, with which command line, what it reads from standard input, what
integers are and what is checked; the options of the command line come before what the file says.

Exit codes: that of the program; 134 if it aborts; 121 if an obligation fails (the message is on standard
error); 122 if it was stopped (--step-limit, Ctrl-C); 123 if the interpreter cannot go on; 124 if an assumption
does not hold; 2 for wrong usage or errors in the source.";

fn checks_parser() -> PossibleValuesParser {
    let names = program::Obligation::ALL.map(program::Obligation::name);
    PossibleValuesParser::new(["all", "none"].into_iter().chain(names))
}
