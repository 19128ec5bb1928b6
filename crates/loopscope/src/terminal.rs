//! What goes to the user's terminal: standard output, standard error, colours and progress.

use std::io::{IsTerminal, Write};

use clap::ArgMatches;
use report::message::{Message, Style};

use crate::arguments::Color;

/// How wide a table is where nobody says how wide the terminal is.
const DEFAULT_WIDTH: usize = 120;

/// Where messages and results go.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    color: Color,
    quiet: bool,
}

impl Terminal {
    /// A terminal with these wishes.
    pub const fn new(color: Color, quiet: bool) -> Self {
        Self { color, quiet }
    }

    /// The terminal that the arguments of a command ask for.
    pub fn wanted(matches: &ArgMatches) -> Self {
        let color = matches.try_get_one("color").ok().flatten().copied();
        let quiet = matches.try_get_one("quiet").ok().flatten().copied();
        Self::new(color.unwrap_or_default(), quiet.unwrap_or_default())
    }

    /// How wide standard output is.
    pub fn width(&self) -> usize {
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let size = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        columns.or_else(size).unwrap_or(DEFAULT_WIDTH)
    }

    /// Prints messages on standard error. Warnings are left out if the user wants it quiet.
    pub fn messages(&self, messages: &[Message]) {
        let style = Style { colour: self.colours(std::io::stderr().is_terminal()), width: self.width() };
        let mut text = String::new();
        for message in messages {
            if !self.quiet || message.severity == report::message::Severity::Error {
                text.push_str(&message.render(style));
                text.push('\n');
            }
        }
        // Nobody is left to hear of an error on standard error.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    /// Prints text on standard output. That the reader has gone (`| head`) is not an error.
    pub fn print(&self, text: &str) {
        let mut output = std::io::stdout().lock();
        let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    }

    /// Prints the last line of a verdict, in its colour.
    pub fn verdict(&self, line: &str) {
        let colour = match line.as_bytes().first() {
            Some(b'T') => "32",
            Some(b'F') => "31",
            _ => "33",
        };
        if self.colours(std::io::stdout().is_terminal()) {
            self.print(&format!("\u{1b}[1;{colour}m{line}\u{1b}[0m\n"));
        } else {
            self.print(&format!("{line}\n"));
        }
    }

    /// Shows what is going on, in one line that the next one overwrites; only to a person who watches.
    pub fn progress(&self, text: &str) {
        if !self.quiet && std::io::stderr().is_terminal() {
            let _ = write!(std::io::stderr(), "\r\u{1b}[K{text}");
        }
    }

    fn colours(&self, is_terminal: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                is_terminal && !unwanted && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}
