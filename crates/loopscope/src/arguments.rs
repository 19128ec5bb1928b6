//! What several commands can be asked: how C is read, how results are shown.

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};

/// How C files are read; the flags are those of C compilers.
#[derive(Args, Debug)]
#[command(next_help_heading = "Reading C")]
pub struct SourceArguments {
    /// Look for included files in this directory
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Look for system headers in this directory (also as -isystem DIR)
    #[arg(long, value_name = "DIR")]
    pub isystem: Vec<PathBuf>,
    /// Look for #include "…" in this directory (also as -iquote DIR)
    #[arg(long, value_name = "DIR")]
    pub iquote: Vec<PathBuf>,
    /// Read this file first (also as -include FILE)
    #[arg(long = "include", value_name = "FILE")]
    pub preinclude: Vec<PathBuf>,
    /// `-D` and `-U`.
    #[command(flatten)]
    pub macros: Macros,
    /// The dialect: c99, gnu11 and so on (also as -std=DIALECT)
    #[arg(long, value_name = "DIALECT")]
    pub std: Option<String>,
    /// How wide long and pointers are: LP64 (64 bits, also as -m64) or ILP32 (32 bits, also as -m32)
    #[arg(long, value_enum, ignore_case = true, value_name = "MODEL", hide_possible_values = true)]
    pub data_model: Option<DataModelArgument>,
    /// Take files and flags from compile_commands.json, or from the directory that holds it
    #[arg(short = 'p', value_name = "DIR|FILE")]
    pub compile_commands: Option<PathBuf>,
    /// What is known of the world outside the files.
    #[command(flatten)]
    pub world: WorldArguments,
}

/// What is assumed of the world outside the program; docs/semantics.md explains it.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Assumptions")]
pub struct WorldArguments {
    /// No code outside these files calls, or changes, what they define
    #[arg(long)]
    pub whole_program: bool,
    /// malloc and its kin may give null, whatever the size
    #[arg(long)]
    pub malloc_may_fail: bool,
    /// The program may be started with argc == 0
    #[arg(long)]
    pub argc_may_be_zero: bool,
    /// Only the program itself changes volatile objects
    #[arg(long)]
    pub ordinary_volatile: bool,
}

/// How results are shown.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArguments {
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
    /// No warnings and no progress
    #[arg(short, long)]
    pub quiet: bool,
    /// When there are colours: auto, always or never
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", hide_possible_values = true)]
    pub color: Color,
}

/// The macros of the command line, in their order: a later `-U` undoes an earlier `-D`.
#[derive(Clone, Debug, Default)]
pub struct Macros(pub Vec<c::Macro>);

impl Args for Macros {
    fn augment_args(command: clap::Command) -> clap::Command {
        let define = clap::Arg::new("define").short('D').value_name("NAME[=VALUE]").help("Define a macro");
        let undefine = clap::Arg::new("undefine").short('U').value_name("NAME").help("Undefine a macro");
        let append = clap::ArgAction::Append;
        command.arg(define.action(append.clone())).arg(undefine.action(append))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Macros {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut macros = Self::default();
        macros.update_from_arg_matches(matches)?;
        Ok(macros)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let flags = |name: &str, make: fn(String) -> c::Macro| {
            let values = matches.get_many::<String>(name).unwrap_or_default().cloned().map(make);
            matches.indices_of(name).unwrap_or_default().zip(values).collect::<Vec<_>>()
        };
        let mut all = flags("define", c::Macro::Define);
        all.extend(flags("undefine", c::Macro::Undefine));
        all.sort_by_key(|(position, _)| *position);
        self.0 = all.into_iter().map(|(_, flag)| flag).collect();
        Ok(())
    }
}

/// What integers are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum IntegersArgument {
    /// As on the machine
    #[default]
    Machine,
    /// Without bounds
    Mathematical,
}

/// How wide `long` and pointers are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DataModelArgument {
    /// 64 bits
    #[value(name = "LP64")]
    Lp64,
    /// 32 bits
    #[value(name = "ILP32")]
    Ilp32,
}

/// When there are colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How something is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Format {
    /// Text
    #[default]
    Text,
    /// Graphviz's language
    Dot,
    /// A picture
    Svg,
}

impl From<IntegersArgument> for program::interpret::Integers {
    fn from(integers: IntegersArgument) -> Self {
        match integers {
            IntegersArgument::Machine => Self::Machine,
            IntegersArgument::Mathematical => Self::Mathematical,
        }
    }
}

/// Rewrites the flags that C compilers spell with one dash, so that they can be read as ours: `-include f` becomes
/// `--include f`. Nothing after `--` is touched.
pub fn compiler_style(words: impl Iterator<Item = std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    let mut ours = true;
    words
        .map(|word| {
            ours &= word != "--";
            let Some(text) = word.to_str().filter(|_| ours) else { return word };
            match text {
                "-include" | "-isystem" | "-iquote" | "-std" => format!("-{text}").into(),
                "-m32" => "--data-model=ILP32".into(),
                "-m64" => "--data-model=LP64".into(),
                _ if text.starts_with("-std=") => format!("-{text}").into(),
                _ => word,
            }
        })
        .collect()
}

/// Reads a time limit.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err(String::from("expected a positive number of seconds, such as 10 or 0.5")),
    }
}
