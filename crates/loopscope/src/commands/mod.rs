//! The commands of the command line: each is a folder, with a line in [`COMMANDS`] and one in `tests/commands/main.rs`.
//!
//! A folder has the arguments, how the answer is printed, and the tests.

mod alarms;
mod bounds;
mod certify;
mod completions;
mod contracts;
mod dump;
mod loops;
mod overview;
mod run;
mod shared;
mod summarize;
mod terminates;
mod tests;
mod variance;
mod verify;

use base::Interrupt;
use clap::{ArgMatches, Args};
use report::message::Message;

use crate::exit;
use crate::terminal::Terminal;

/// All commands, in the order of the help.
const COMMANDS: &[Entry] = &[
    Entry::of::<loops::Arguments>(),
    Entry::of::<verify::Arguments>(),
    Entry::of::<certify::Arguments>(),
    Entry::of::<alarms::Arguments>(),
    Entry::of::<variance::Arguments>(),
    Entry::of::<terminates::Arguments>(),
    Entry::of::<bounds::Arguments>(),
    Entry::of::<summarize::Arguments>(),
    Entry::of::<contracts::Arguments>(),
    Entry::of::<tests::Arguments>(),
    Entry::of::<run::Arguments>(),
    Entry::of::<dump::Arguments>(),
    Entry::of::<completions::Arguments>(),
];

/// What is done without a command.
const OVERVIEW: Entry = Entry::of::<overview::Arguments>();

/// An exit code, or what stands in the way of doing anything at all.
pub type ExitStatus = Result<u8, Vec<Message>>;

/// A command: arguments, whose doc comment is its description, and what is done with them.
pub trait Command: Args {
    /// What the user calls it.
    const NAME: &'static str;

    /// Does it. `--color` and `--quiet`, where a command has them, are up to the terminal.
    fn run(&self, terminal: &Terminal, interrupt: &Interrupt) -> ExitStatus;
}

/// A command in the table.
struct Entry {
    name: &'static str,
    arguments: fn(clap::Command) -> clap::Command,
    run: fn(&ArgMatches, &Terminal, &Interrupt) -> ExitStatus,
}

impl Entry {
    const fn of<C: Command>() -> Self {
        Self {
            name: C::NAME,
            arguments: C::augment_args,
            run: |matches, terminal, interrupt| match C::from_arg_matches(matches) {
                Ok(command) => command.run(terminal, interrupt),
                Err(error) => Err(vec![Message::error(error.to_string())]),
            },
        }
    }

    fn command(&self) -> clap::Command {
        (self.arguments)(clap::Command::new(self.name))
    }
}

/// The command line as a whole.
pub fn command_line() -> clap::Command {
    let all = OVERVIEW.command().version(env!("CARGO_PKG_VERSION")).max_term_width(100);
    let all = all.args_conflicts_with_subcommands(true).disable_help_subcommand(true);
    all.subcommands(COMMANDS.iter().map(Entry::command))
}

/// Does what the command line asks for, and says how the process ends.
pub fn execute(matches: &ArgMatches, interrupt: &Interrupt) -> u8 {
    let asked = matches.subcommand().and_then(|(name, matches)| {
        COMMANDS.iter().find(|command| command.name == name).map(|command| (command, matches))
    });
    let (command, matches) = asked.unwrap_or((&OVERVIEW, matches));
    let terminal = Terminal::wanted(matches);
    (command.run)(matches, &terminal, interrupt).unwrap_or_else(|messages| {
        terminal.messages(&messages);
        exit::BAD_INPUT
    })
}

#[cfg(test)]
mod parsing {
    use super::*;
    use crate::arguments::{DataModelArgument, compiler_style};
    use clap::FromArgMatches;
    use std::path::PathBuf;

    fn parse(words: &[&str]) -> ArgMatches {
        let words = std::iter::once("loopscope").chain(words.iter().copied()).map(Into::into);
        command_line().get_matches_from(compiler_style(words))
    }

    #[test]
    fn the_definition_is_sound() {
        command_line().debug_assert();
    }

    #[test]
    fn flags_of_c_compilers_are_understood() {
        let matches = parse(&[
            "-Ia", "-I", "b", "-DX=1", "-UX", "-D", "Y", "-include", "f.h", "-isystem", "s", "-std=c99",
            "-m32", "a.c", "b.c",
        ]);
        let loops = overview::Arguments::from_arg_matches(&matches).unwrap().loops;
        let source = loops.source;
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
        assert_eq!(loops.files.len(), 2);
    }

    #[test]
    fn the_arguments_of_a_program_are_left_alone() {
        let matches = parse(&["run", "a.c", "-m64", "--inputs", "-1,2", "--", "-m32", "-x"]);
        let matches = matches.subcommand_matches("run").unwrap();
        let run = run::Arguments::from_arg_matches(matches).unwrap();
        assert_eq!(run.arguments, ["-m32", "-x"]);
        assert_eq!(run.inputs.as_deref(), Some("-1,2"));
        assert_eq!(run.source.data_model, Some(DataModelArgument::Lp64));
    }
}
