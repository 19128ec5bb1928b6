//! What `loopscope` can be asked without a command, and the help that explains all of it.

use clap::Args;

use crate::arguments::seconds;
use crate::commands::loops;

/// Sees through the loops of C programs: without a command it prints a table of every loop of the given C files
/// (its type, whether it stops, how many iterations it makes, what it computes)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[group(id = "overview")]
pub struct Arguments {
    /// Where the program comes from.
    #[command(flatten)]
    pub loops: loops::Arguments,

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
