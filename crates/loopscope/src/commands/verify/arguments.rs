//! What `loopscope verify` can be asked.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{IntegersArgument, OutputArguments, SourceArguments, seconds};

/// Ask whether a program has a property: the last line is TRUE, FALSE (kind) or UNKNOWN (reason)
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// What to ask: unreach-call, memsafety, no-overflow, termination, a part of memsafety (valid-deref, valid-free,
    /// valid-memtrack), or an SV-COMP property file
    #[arg(long, value_name = "NAME|FILE.prp")]
    pub property: String,
    /// What integers are: machine (with the widths of their types) or mathematical (without bounds)
    #[arg(long, value_enum, default_value_t, value_name = "KIND", hide_possible_values = true)]
    pub integers: IntegersArgument,
    /// Start in this function, instead of `main` or, without one, the only function that no other calls; every function but
    /// `main` gets arbitrary arguments
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 9.0, value_parser = seconds, allow_hyphen_values = true)]
    pub time_limit: f64,
    /// If the property is violated, write the inputs of the run to this file, for `run --inputs` and for --driver
    #[arg(long, value_name = "FILE")]
    pub inputs: Option<PathBuf>,
    /// If the property is violated, write a C file that gives those inputs to the compiled program
    #[arg(long, value_name = "FILE.c")]
    pub driver: Option<PathBuf>,
    /// Write why: a witness in the format of the competition on software verification (YAML 2.1; GraphML 1.0 if the
    /// name ends in .graphml), or the source with ACSL comments if it ends in .c or .acsl
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Say TRUE only if it needs no assumption that would be named; otherwise name the first one
    #[arg(long)]
    pub no_assumptions: bool,
    /// Show all that is known of a violating run, not only some dozen lines
    #[arg(long)]
    pub full_trace: bool,
    /// How to read the files.
    #[command(flatten)]
    pub source: SourceArguments,
    /// How to show the result.
    #[command(flatten)]
    pub output: OutputArguments,
}

const HELP: &str = "\
Properties:
  unreach-call    no assertion fails, and reach_error and __VERIFIER_error are never called
  memsafety       every access is inside a live object, and heap objects are freed once and not lost
  no-overflow     no signed arithmetic leaves the range of its type
  termination     every run ends

The last line of the output is the verdict: TRUE, FALSE (kind) or UNKNOWN (reason).
A FALSE comes with the run that shows it, and that run was repeated before it is reported.
With --json the answer is one JSON object instead, with the verdict as its `line`.

To see a violation in the compiled program:
  loopscope verify --property memsafety --inputs run.inputs --driver driver.c program.c
  cc -g -fsanitize=address,undefined -fno-sanitize-recover=all program.c driver.c -o replay
  LOOPSCOPE_INPUTS=run.inputs ./replay

To have an answer checked by another process, or another tool:
  loopscope verify --property termination --witness why.yml program.c
  loopscope certify why.yml program.c

Exit codes: 0 proved, 1 refuted, 2 wrong usage or errors in the source, 3 unknown.";
