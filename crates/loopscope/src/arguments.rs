//! The command line: what can be asked, and the help that explains it.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Args, FromArgMatches, Parser, Subcommand, ValueEnum};

/// Sees through the loops of C programs: without a command it prints a table of every loop of the given C files
/// (where it stands, how deep it is nested, how many ways lead out of it, what it changes and calls)
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
}

const EXAMPLES: &str = "\
Examples:
  loopscope sort.c                               a table of all loops of sort.c
  loopscope -Iinclude -DNDEBUG src/*.c           the same for several files of one program
  loopscope -p build                             the same for build/compile_commands.json
  loopscope verify --property memsafety sort.c   is there a run that uses memory wrongly?
  loopscope alarms sort.c                        what can go wrong, and where: every obligation of sort.c
  loopscope variance sort.c                      how loops change their numbers, and why they are left
  loopscope bounds sort.c                        how many iterations each loop makes at most
  loopscope summarize sort.c                     what loops compute, by cases
  loopscope tests -o suite sort.c                tests that reach every branch, as XML and as C
  loopscope run sort.c -- 3 1 2                  run the program, and check everything it does
  loopscope dump --program sort.c                the program as Loopscope sees it
  loopscope dump --cfg --function main --format svg -o main.svg sort.c
                                                 draw the control-flow graph of main

Exit codes:
  0  done; for `verify`: the property is proved; for `alarms`: every obligation is proved or unreachable;
     for `variance`: every local termination predicate is confirmed; for `summarize`: every loop has cases
     that are confirmed; for `tests`: every target is reached or unreachable;
     for `bounds`: every loop has a bound
  1  for `verify`: the property is refuted; for `alarms`: an obligation is refuted
  2  wrong usage, or errors in the source (functions without errors are still shown)
  3  for `verify`, `alarms`, `variance`, `bounds`, `summarize` and `tests`: unknown
  `run` exits as the program does; see `loopscope run --help`.

Set LOOPSCOPE_DEBUG=1 to see the details of an internal error.";

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Print a table of all loops (the default)
    Loops(LoopsArguments),
    /// Ask whether a program has a property: the last line is TRUE, FALSE (kind) or UNKNOWN (reason)
    Verify(VerifyArguments),
    /// List every obligation of a program as proved, refuted, unreachable or unknown
    Alarms(AlarmsArguments),
    /// Show how loops change their numbers from visit to visit, and why they are left: a variance analysis
    Variance(VarianceArguments),
    /// Show how many iterations each loop makes at most, as a formula over the values before it
    Bounds(BoundsArguments),
    /// Say what loops compute, by cases: when, what, and after how many passes
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

/// Arguments of `verify`.
#[derive(Args, Debug)]
#[command(after_help = VERIFY_HELP)]
pub struct VerifyArguments {
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// What to ask: unreach-call, memsafety, no-overflow, termination, a part of memsafety (valid-deref, valid-free,
    /// valid-memtrack), or an SV-COMP property file
    #[arg(long, value_name = "NAME|FILE.prp")]
    pub property: String,
    /// What integers are: machine (with the widths of their types) or mathematical (without bounds)
    #[arg(long, value_enum, default_value_t, value_name = "KIND", hide_possible_values = true)]
    pub integers: IntegersArgument,
    /// Start in this function; every function but `main` gets arbitrary arguments
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub function: String,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 9.0, value_parser = seconds, allow_hyphen_values = true)]
    pub time_limit: f64,
    /// If the property is violated, write the inputs of the run to this file, for `run --inputs` and for --driver
    #[arg(long, value_name = "FILE")]
    pub inputs: Option<PathBuf>,
    /// If the property is violated, write a C file that gives those inputs to the compiled program
    #[arg(long, value_name = "FILE.c")]
    pub driver: Option<PathBuf>,
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

const VERIFY_HELP: &str = "\
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

Exit codes: 0 proved, 1 refuted, 2 wrong usage or errors in the source, 3 unknown.";

/// Arguments of `alarms`.
#[derive(Args, Debug)]
#[command(after_help = ALARMS_HELP)]
pub struct AlarmsArguments {
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// Start in this function, with arbitrary arguments unless it is `main`, and list only what it reaches
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Only the obligations of this property: unreach-call, memsafety, no-overflow, a part of memsafety, or an SV-COMP
    /// property file
    #[arg(long, value_name = "NAME|FILE.prp", conflicts_with = "all")]
    pub property: Option<String>,
    /// All kinds of obligations: values that nobody has written and lost memory, too
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

const ALARMS_HELP: &str = "\
Every place where C leaves behaviour undefined, every assertion and every error call is an obligation. Each is one of
  proved        it holds whenever a run comes to it
  unreachable   no run comes to it
  refuted       it fails in a run that was repeated; the inputs are shown
  unknown       with the reason: often a leaping counterexample, a story in which each loop is one leap. It need
                not be a run: what is known of the loop may allow more than its passes do
`proved` and `unreachable` mean: unless an earlier obligation fails.

Runs start in `main`. Functions that are not reached from there are looked at as if the program started in them, with
arbitrary arguments. What may come after something that is not followed to its end is unknown.

Exit codes: 0 all are proved or unreachable, 1 one is refuted, 2 wrong usage or errors in the source, 3 otherwise.";

/// Arguments of `variance`.
#[derive(Args, Debug)]
#[command(after_help = VARIANCE_HELP)]
pub struct VarianceArguments {
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
    /// Start in this function; every function but `main` gets arbitrary arguments
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub function: String,
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

const VARIANCE_HELP: &str = "\
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

/// Arguments of `bounds`.
#[derive(Args, Debug)]
#[command(after_help = BOUNDS_HELP)]
pub struct BoundsArguments {
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// Only the loops of this function
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// What integers are: machine (with the widths of their types) or mathematical (without bounds)
    #[arg(long, value_enum, default_value_t, value_name = "KIND", hide_possible_values = true)]
    pub integers: IntegersArgument,
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

const BOUNDS_HELP: &str = "\
For every loop it prints how many iterations it makes at most
  at entry     in one visit of the loop, over the values that variables have when control comes to it
  by parts     if several numbers are counted down in turn: how often each of them is
  at start     in one visit, over the values that variables had when the function was entered
  all visits   for a loop in others: all iterations while the function runs, the bounds of the loops multiplied
`exactly` means that the loop makes just as many iterations whenever it is left. An iteration begins when control goes
from the loop's head into the loop. A pointer stands for its address in bytes. Division rounds down.

Each function is looked at on its own, with any arguments and in any memory; what it calls returns. Runs do nothing
undefined: a signed overflow ends a run, unsigned numbers wrap. The kernel has checked each bound on the program itself.

Exit codes: 0 every loop has a bound, 2 wrong usage or errors in the source, 3 otherwise.";

/// Arguments of `summarize`.
#[derive(Args, Debug)]
#[command(after_help = SUMMARIZE_HELP)]
pub struct SummarizeArguments {
    /// The C files, which together make one program
    pub files: Vec<PathBuf>,
    /// Only the loops of this function
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Only loops that stand on this line
    #[arg(long = "loop", value_name = "LINE")]
    pub at: Option<u32>,
    /// Only what happens to these variables: x,y
    #[arg(long = "vars", value_name = "LIST", value_delimiter = ',')]
    pub variables: Vec<String>,
    /// How to show it: text, or the path dependency automaton as dot or svg
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    pub format: SummaryFormat,
    /// What integers are: machine (with the widths of their types) or mathematical (without bounds)
    #[arg(long, value_enum, default_value_t, value_name = "KIND", hide_possible_values = true)]
    pub integers: IntegersArgument,
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

/// Arguments of `tests`.
#[derive(Args, Debug)]
#[command(after_help = TESTS_HELP)]
pub struct TestsArguments {
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
    /// Start in this function; every function but `main` gets arbitrary arguments
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub function: String,
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

/// How summaries are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum SummaryFormat {
    /// Text, or JSON with --json.
    #[default]
    Text,
    /// The automata in Graphviz's language.
    Dot,
    /// A picture of the automaton of one loop.
    Svg,
}

const SUMMARIZE_HELP: &str = "\
For every loop it prints the paths through it (q0, q1, ...), its type (1: all conditions are on numbers that move
regularly and the paths alternate regularly; 2: the latter is not so; 3: the former is not so; 4: both are not), and
the cases: `x` is the number before the loop, `x'` the one after it. In brackets stands which paths are taken, how often.

Each function is looked at by itself, with any arguments, on runs on which nothing undefined happens: signed integers
do not overflow, unsigned ones may wrap. What the kernel could not confirm is marked.

Exit codes: 0 all loops have cases and all are confirmed, 2 wrong usage or errors in the source, 3 otherwise.";

const TESTS_HELP: &str = "\
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

/// Arguments of `run`.
#[derive(Args, Debug)]
#[command(after_help = RUN_HELP)]
pub struct RunArguments {
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

const RUN_HELP: &str = "\
All obligations are checked but `leak`, unless --checks says otherwise. Their names: assertion, reach-error,
out-of-bounds, null, dangling, uninitialised, signed-overflow, division-by-zero, shift, string-termination,
unreachable, invalid-free, leak.

A file of inputs also says where the run starts, with which command line, what it reads from standard input, what
integers are and what is checked; the options of the command line come before what the file says.

Exit codes: that of the program; 134 if it aborts; 121 if an obligation fails (the message is on standard
error); 122 if it was stopped (--step-limit, Ctrl-C); 123 if the interpreter cannot go on; 124 if an assumption
does not hold; 2 for wrong usage or errors in the source.";

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
mod tests {
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
