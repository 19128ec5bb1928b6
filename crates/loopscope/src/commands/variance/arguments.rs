//! What `loopscope variance` can be asked.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::arguments::{IntegersArgument, OutputArguments, SourceArguments, seconds};

/// Show how loops change their numbers from visit to visit, and why they are left: a variance analysis
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// What the analysis is made from: interval, octagon, congruence (octagons with remainders), polyhedra or shape (lists
    /// with lengths)
    #[arg(long, value_enum, default_value_t, value_name = "NAME", hide_possible_values = true)]
    pub domain: DomainArgument,
    /// Only the code of a loop that starts at this line, and loops that stand there or whose body does
    #[arg(long, value_name = "LINE")]
    pub at: Option<u32>,
    /// What integers are: machine (with the widths of their types) or mathematical (without bounds)
    #[arg(long, value_enum, default_value_t, value_name = "KIND", hide_possible_values = true)]
    pub integers: IntegersArgument,
    /// Start in this function, instead of `main` or, without one, the only function that no other calls; every function but
    /// `main` gets arbitrary arguments
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Stop after so many seconds
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
For every loop (or the places that --at asks for) it prints
  invariance         what holds whenever control is there
  variance           how the numbers there compare with those of any earlier visit in the same stay in the loop: `x` is
                     the number now, `x@before` the earlier one. One of the lines holds; a line is well-founded if a
                     number decreases along it and cannot do so for ever
  local termination  whether the place is visited infinitely often only if the loop is left infinitely often. That
                     can hold for a loop whose inner loops, or the loop around it, go on for ever

Integers of the analysis are numbers with the limits of their types, and signed overflow does not happen. What the
analysis shows is put to the kernel, which checks it on the program itself: `kernel: confirmed`.

Exit codes: 0 all that was asked for is confirmed, 2 wrong usage or errors in the source, 3 otherwise.";

/// What a variance analysis is made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum DomainArgument {
    /// Limits of numbers
    Interval,
    /// Limits of sums and differences of two numbers
    #[default]
    Octagon,
    /// Octagons with remainders
    Congruence,
    /// All linear constraints
    Polyhedra,
    /// Lists with the lengths of their parts, over polyhedra
    Shape,
}

impl From<DomainArgument> for clients::variance::Domain {
    fn from(domain: DomainArgument) -> Self {
        match domain {
            DomainArgument::Interval => Self::Interval,
            DomainArgument::Octagon => Self::Octagon,
            DomainArgument::Congruence => Self::Congruence,
            DomainArgument::Polyhedra => Self::Polyhedra,
            DomainArgument::Shape => Self::Shape,
        }
    }
}
