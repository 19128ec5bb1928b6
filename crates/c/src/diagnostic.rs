//! What the crate has to say about its input: plain data, which another crate renders with source snippets.

use std::path::Path;

/// How bad a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Context of another diagnostic.
    Note,
    /// The input is accepted, and the user should know how it was read.
    Warning,
    /// The input is wrong here; the function around it is not analysed.
    Error,
}

/// A message about the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// One line, in lower case, without a full stop.
    pub message: String,
    /// The source text that it is about.
    pub place: Option<Place>,
    /// What the user can do about it.
    pub help: Option<String>,
    /// Further places and invariants that belong to it.
    pub notes: Vec<Diagnostic>,
}

/// A stretch of a source line.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The file, as `#line` names it.
    pub path: String,
    /// The line, from one, as `#line` counts it.
    pub line: u32,
    /// The column, from one, in characters of `text`.
    pub column: u32,
    /// How many characters it covers on this line; zero for a point.
    pub length: u32,
    /// The text of the line, with what cannot be shown replaced; nothing if the line is too long to show.
    pub text: String,
}

impl Diagnostic {
    /// A diagnostic with nothing but a message.
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self { severity, message: message.into(), place: None, help: None, notes: Vec::new() }
    }

    /// An error.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    /// A warning.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// A note.
    pub fn note(message: impl Into<String>) -> Self {
        Self::new(Severity::Note, message)
    }

    /// With the source text that it is about.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// With what the user can do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// An error about a whole file that cannot be read as the user meant it.
pub(crate) fn unreadable(path: &Path, problem: &str, help: &str) -> Diagnostic {
    Diagnostic::error(format!("cannot read `{}`: {problem}", path.display())).help(help)
}
