//! Messages to the user, with the source line they are about.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;

/// A message to the user.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// One line.
    pub text: String,
    /// The source text that it is about.
    pub source: Option<SourceLine>,
    /// What the user can do about it.
    pub help: Option<String>,
    /// Further messages that belong to it.
    pub notes: Vec<Message>,
}

/// How bad a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Something that belongs to another message.
    Note,
    /// Something to know.
    Warning,
    /// Something that is wrong.
    Error,
}

/// A stretch of a source line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SourceLine {
    /// The file.
    pub path: String,
    /// The line, from one.
    pub line: u32,
    /// The column, from one, in characters.
    pub column: u32,
    /// How many characters the stretch has; zero for a point.
    pub length: u32,
    /// The text of the line; empty if it is not known.
    pub text: String,
}

/// How messages look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether there are colours.
    pub colour: bool,
    /// How wide the terminal is.
    pub width: usize,
}

impl Message {
    /// A message with nothing but a text.
    pub fn new(severity: Severity, text: impl Into<String>) -> Self {
        Self { severity, text: text.into(), source: None, help: None, notes: Vec::new() }
    }

    /// An error.
    pub fn error(text: impl Into<String>) -> Self {
        Self::new(Severity::Error, text)
    }

    /// A warning.
    pub fn warning(text: impl Into<String>) -> Self {
        Self::new(Severity::Warning, text)
    }

    /// With what the user can do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With the source that it is about.
    #[must_use]
    pub fn at(mut self, source: SourceLine) -> Self {
        self.source = Some(source);
        self
    }

    /// The message as text, ending in a line break.
    pub fn render(&self, style: Style) -> String {
        let mut groups = vec![self.group(true)];
        // A note with a place of its own starts a new group: it has its own snippet.
        groups.extend(self.notes.iter().filter(|note| note.source.is_some()).map(|note| note.group(false)));
        let renderer = if style.colour { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(style.width.max(40));
        let mut text = renderer.render(&groups);
        text.push('\n');
        text
    }

    fn group(&self, primary: bool) -> Group<'_> {
        let level = level(self.severity);
        let title = if primary { level.primary_title(&self.text) } else { level.secondary_title(&self.text) };
        let mut group = Group::with_title(title);
        if let Some(source) = &self.source {
            if source.text.is_empty() {
                let origin = annotate_snippets::Origin::path(&source.path).line(source.line as usize);
                group = group.element(origin.char_column(source.column as usize));
            } else {
                let snippet = Snippet::source(source.text.as_str()).line_start(source.line as usize);
                let annotation = AnnotationKind::Primary.span(source.span());
                group = group.element(snippet.path(source.path.as_str()).annotation(annotation));
            }
        }
        for note in self.notes.iter().filter(|note| note.source.is_none()) {
            group = group.element(self::level(note.severity).message(&note.text));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help));
        }
        group
    }
}

impl SourceLine {
    /// The bytes of the text that the stretch covers: always inside the text and on character boundaries.
    fn span(&self) -> std::ops::Range<usize> {
        let first = self.column.saturating_sub(1) as usize;
        let byte_of =
            |character: usize| self.text.char_indices().nth(character).map_or(self.text.len(), |(at, _)| at);
        let start = byte_of(first);
        let end = byte_of(first.saturating_add(self.length.max(1) as usize));
        start..end.max(start)
    }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Note => Level::NOTE,
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style { colour: false, width: 100 };

    fn source(text: &str, column: u32, length: u32) -> SourceLine {
        SourceLine { path: String::from("a.c"), line: 12, column, length, text: text.to_owned() }
    }

    #[test]
    fn a_message_shows_its_line() {
        let message = Message::error("expected `;`").at(source("  int x", 7, 1)).help("add `;`");
        assert_eq!(
            message.render(PLAIN),
            "error: expected `;`\n  --> a.c:12:7\n   |\n12 |   int x\n   |       ^\n   |\n   = help: add `;`\n"
        );
        assert!(message.render(Style { colour: true, width: 80 }).contains("\u{1b}["));
    }

    #[test]
    fn strange_places_do_no_harm() {
        for (text, column, length) in [
            ("", 1, 1),
            ("x", 0, 0),
            ("x", 99, 99),
            ("äöü", 2, 1),
            ("\t\u{0}x\u{200b}", 3, 5),
            ("x", u32::MAX, u32::MAX),
        ] {
            let rendered = Message::warning("w").at(source(text, column, length)).render(PLAIN);
            assert!(rendered.starts_with("warning: w\n"), "{rendered}");
        }
        let long = "x".repeat(100_000);
        assert!(Message::error("e").at(source(&long, 50_000, 3)).render(PLAIN).len() < 2000);
    }

    #[test]
    fn notes_follow() {
        let mut message = Message::error("e").at(source("int f;", 5, 1));
        message.notes.push(Message::new(Severity::Note, "declared here").at(source("int g;", 5, 1)));
        message.notes.push(Message::new(Severity::Note, "an invariant"));
        let text = message.render(PLAIN);
        assert!(text.contains("note: declared here") && text.contains("= note: an invariant"), "{text}");
    }
}
