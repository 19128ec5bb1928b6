//! What `loopscope tests` can be asked.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::arguments::{OutputArguments, SourceArguments, seconds};

/// Make tests that reach every branch of a program, or one line, also behind loops of millions of iterations
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// Reach this line of the first file, or of the file that is named with it
    #[arg(long, value_name = "[FILE:]LINE", conflicts_with = "cover")]
    pub target: Option<String>,
    /// What to reach otherwise: branches, that is, both sides of every condition and every case
    #[arg(long, value_enum, default_value_t, value_name = "WHAT", hide_possible_values = true)]
    pub cover: CoverArgument,
    /// Write the tests to this directory, which is made if it is not there
    #[arg(short, long, value_name = "DIR")]
    pub output_directory: Option<PathBuf>,
    /// Start in this function, instead of `main` or, without one, the only function that no other calls; every function but
    /// `main` gets arbitrary arguments
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Stop after so many seconds, with what was found until then
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
Each target is one of
  test N        reached by this test; it was run in the interpreter before it is reported
  unreachable   no run comes to it: proved, for signed arithmetic that wraps where it overflows
  not reached   with the reason

The directory gets a suite as the competition on software testing (Test-Comp) exchanges them,
metadata.xml and testcase-N.xml, and for each test
  testcase-N.inputs  all that the run gets from outside, for `loopscope run --inputs`
  testcase-N.c       a driver that gives it to the compiled program:
                     cc program.c DIR/testcase-1.c -o test && ./test

A suite of Loopscope that was in the directory before is replaced. Ctrl-C ends the search, and what
was found is kept.

Exit codes: 0 every target is reached or unreachable, 2 wrong usage or errors in the source,
3 otherwise.";

/// What tests are to reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum CoverArgument {
    /// Both sides of every condition, and every case
    #[default]
    Branches,
}
