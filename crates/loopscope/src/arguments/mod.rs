//! The command line: what can be asked, and the help that explains it.

mod alarms;
mod bounds;
mod certify;
mod run;
mod summarize;
mod terminates;
mod tests;
mod variance;
mod verify;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Args, FromArgMatches, Parser, Subcommand, ValueEnum};

pub use self::alarms::AlarmsArguments;
pub use self::bounds::BoundsArguments;
pub use self::certify::CertifyArguments;
pub use self::run::RunArguments;
pub use self::summarize::{SummarizeArguments, SummaryFormat};
pub use self::terminates::TerminatesArguments;
pub use self::tests::TestsArguments;
pub use self::variance::VarianceArguments;
pub use self::verify::VerifyArguments;

/// Sees through the loops of C programs: without a command it prints a table of every loop of the given C files
/// (its type, whether it stops, how many iterations it makes, what it computes)
#[derive(Parser, Debug)]
#[command(name = "loopscope", version, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
#[command(disable_help_subcommand = true, max_term_width = 100)]
pub struct Cli {
    /// What to do instead of printing the table of loops.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Where the program comes from.
    #[command(flatten)]
    pub loops: LoopsArguments,

    /// Look no longer than so many seconds at the loops
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds, allow_hyphen_values = true)]
    pub time_limit: f64,
}

const EXAMPLES: &str = "\
Examples:
  loopscope sort.c                               a table of all loops of sort.c, and what is known of them
  loopscope loops sort.c                         the same as they are written, without looking into them
  loopscope -Iinclude -DNDEBUG src/*.c           the same for several files of one program
  loopscope -p build                             the same for build/compile_commands.json
  loopscope verify --property memsafety sort.c   is there a run that uses memory wrongly?
  loopscope certify sort.yml sort.c              check the witness of an earlier answer
  loopscope alarms sort.c                        what can go wrong, and where: every obligation of sort.c
  loopscope variance sort.c                      how loops change their numbers, and why they are left
  loopscope terminates sort.c                    does each loop stop, and why?
  loopscope bounds sort.c                        how many iterations each loop makes at most
  loopscope summarize sort.c                     what loops compute, by cases
  loopscope tests -o suite sort.c                tests that reach every branch, as XML and as C
  loopscope run sort.c -- 3 1 2                  run the program, and check everything it does
  loopscope dump --program sort.c                the program as Loopscope sees it
  loopscope dump --cfg --function main --format svg -o main.svg sort.c
                                                 draw the control-flow graph of main

Exit codes:
  0  done; for `verify` and `certify`: the property is proved; for `alarms`: every obligation is proved or unreachable;
     for `variance`: every local termination predicate is confirmed; for `summarize`: every loop has cases
     that are confirmed; for `tests`: every target is reached or unreachable;
     for `bounds`: every loop has a bound; for `terminates`: every loop and recursion stops
  1  for `verify` and `certify`: the property is refuted; for `alarms`: an obligation is refuted; for `terminates`:
     a loop may run for ever, or with --require-termination has no argument why it stops
  2  wrong usage, or errors in the source (functions without errors are still shown)
  3  for `verify`, `certify`, `alarms`, `variance`, `bounds`, `terminates`, `summarize` and `tests`: unknown;
     for these and the tables of loops: a function or file could not be analysed
  `run` exits as the program does; see `loopscope run --help`.

Set LOOPSCOPE_DEBUG=1 to see the details of an internal error.";

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Print a table of all loops as they are written: depth, exits, what they change and call
    Loops(LoopsArguments),
    /// Ask whether a program has a property: the last line is TRUE, FALSE (kind) or UNKNOWN (reason)
    Verify(VerifyArguments),
    /// Check a witness that `verify --witness` or another tool has written, without looking for anything
    Certify(CertifyArguments),
    /// List every obligation of a program as proved, refuted, unreachable or unknown
    Alarms(AlarmsArguments),
    /// Show how loops change their numbers from visit to visit, and why they are left: a variance analysis
    Variance(VarianceArguments),
    /// Say of each loop and recursion whether it stops, and why, or how it runs for ever
    Terminates(TerminatesArguments),
    /// Show how many iterations each loop makes at most, as a formula over the values before it
    Bounds(BoundsArguments),
    /// Say what loops compute, by cases: when, what, and after how many iterations
    Summarize(SummarizeArguments),
    /// Make tests that reach every branch of a program, or one line, also behind loops of millions of passes
    Tests(TestsArguments),
    /// Run a program in the interpreter, with every check switched on
    Run(RunArguments),
    /// Show the program as Loopscope sees it: its text form, its loops or its control-flow graph
    Dump(DumpArguments),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Arguments of the table of loops.
#[derive(Args, Debug)]
pub struct LoopsArguments {
    /// The C files, which together make one program. `.i` files are preprocessed already; `-` is standard input
    pub files: Vec<PathBuf>,
    /// Only this function
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// How to read the files.
    #[command(flatten)]
    pub source: SourceArguments,
    /// How to show the result.
    #[command(flatten)]
    pub output: OutputArguments,
}

/// Arguments of `dump`.
#[derive(Args, Debug)]
pub struct DumpArguments {
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

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err(String::from("expected a positive number of seconds, such as 10 or 0.5")),
    }
}

fn checks_parser() -> PossibleValuesParser {
    let names = program::Obligation::ALL.map(program::Obligation::name);
    PossibleValuesParser::new(["all", "none"].into_iter().chain(names))
}

#[cfg(test)]
mod parsing {
    use super::*;
    use clap::CommandFactory;

    fn parse(words: &[&str]) -> Cli {
        let words = std::iter::once("loopscope").chain(words.iter().copied()).map(Into::into);
        Cli::try_parse_from(compiler_style(words)).unwrap()
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_of_c_compilers_are_understood() {
        let cli = parse(&[
            "-Ia", "-I", "b", "-DX=1", "-UX", "-D", "Y", "-include", "f.h", "-isystem", "s", "-std=c99",
            "-m32", "a.c", "b.c",
        ]);
        let source = cli.loops.source;
        assert_eq!(source.include, [PathBuf::from("a"), PathBuf::from("b")]);
        assert_eq!(
            source.macros.0,
            [
                c::Macro::Define(String::from("X=1")),
                c::Macro::Undefine(String::from("X")),
                c::Macro::Define(String::from("Y"))
            ]
        );
        assert_eq!(source.preinclude, [PathBuf::from("f.h")]);
        assert_eq!(source.isystem, [PathBuf::from("s")]);
        assert_eq!(source.std.as_deref(), Some("c99"));
        assert_eq!(source.data_model, Some(DataModelArgument::Ilp32));
        assert_eq!(cli.loops.files.len(), 2);
    }

    #[test]
    fn the_arguments_of_a_program_are_left_alone() {
        let cli = parse(&["run", "a.c", "-m64", "--inputs", "-1,2", "--", "-m32", "-x"]);
        let Some(Command::Run(run)) = cli.command else { panic!("`run` was asked for") };
        assert_eq!(run.arguments, ["-m32", "-x"]);
        assert_eq!(run.inputs.as_deref(), Some("-1,2"));
        assert_eq!(run.source.data_model, Some(DataModelArgument::Lp64));
    }
}
