//! What `loopscope dump` can be asked.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{Color, Format, SourceArguments};

/// Show the program as Loopscope sees it: its text form, its loops or its control-flow graph
#[derive(Args, Debug)]
pub struct Arguments {
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// What to show.
    #[command(flatten)]
    pub what: DumpWhat,
    /// Only this function; a picture shows one function
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// How to show it: text, dot or svg
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    pub format: Format,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Show the program as it is lowered, before the clean-up passes
    #[arg(long)]
    pub raw: bool,
    /// How to read the files.
    #[command(flatten)]
    pub source: SourceArguments,
    /// When there are colours: auto, always or never
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", hide_possible_values = true)]
    pub color: Color,
}

/// What `dump` shows.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub struct DumpWhat {
    /// The program in its text form
    #[arg(long)]
    pub program: bool,
    /// The loop forest
    #[arg(long)]
    pub loops: bool,
    /// The control-flow graph
    #[arg(long)]
    pub cfg: bool,
}
