//! From the front end's diagnostics to ours: no duplicates, a limit on errors, and only the warnings that matter.
//!
//! A warning matters here if it says that the program may not mean what its author thinks, so that verdicts about
//! it surprise: an undeclared function, and a pointer that is made from an integer.

use std::collections::HashSet;

use rucc_diag::{SourceMap, Span};

use crate::{Diagnostic, Place, Severity, gaps};

/// How many errors of one translation unit are reported.
const ERROR_LIMIT: usize = 20;

/// The front end's codes of warnings that are passed on.
const IMPORTANT_WARNINGS: [&str; 2] = ["E0521", "E0513"];

/// The longest line that is shown.
const LONGEST_LINE: usize = 2000;

/// Collects the diagnostics of one translation unit.
#[derive(Default)]
pub(crate) struct Reporter {
    diagnostics: Vec<Diagnostic>,
    seen: HashSet<(Severity, String, Option<Place>)>,
    errors: usize,
    /// Whether the front end has lost its way, and what else it says means nothing.
    lost: bool,
}

impl Reporter {
    /// Adds what one phase of the front end reported.
    pub fn add(&mut self, found: &[rucc_diag::Diagnostic], sources: &SourceMap) {
        for diagnostic in found {
            if self.errors > ERROR_LIMIT || self.lost {
                return;
            }
            self.lost = diagnostic.code == Some(gaps::DEEP_BRACKETS);
            let place = place(diagnostic.span, sources);
            if is_wanted(diagnostic, place.as_ref(), sources) {
                self.push(convert(diagnostic, place, sources));
            }
        }
    }

    /// Adds a diagnostic, unless it is there already or the limit is reached.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let key = (diagnostic.severity, diagnostic.message.clone(), diagnostic.place.clone());
        if !self.seen.insert(key) {
            return;
        }
        if diagnostic.is_error() {
            self.errors += 1;
            if self.errors == ERROR_LIMIT + 1 {
                self.diagnostics.push(Diagnostic::note("further errors in this file are not shown"));
            }
        }
        if self.errors <= ERROR_LIMIT {
            self.diagnostics.push(diagnostic);
        }
    }

    /// What was collected, in order.
    pub fn finish(self) -> Vec<Diagnostic> {
        self.diagnostics
    }
}

/// The stretch of source text that a span covers on its first line.
pub(crate) fn place(span: Span, sources: &SourceMap) -> Option<Place> {
    if span.is_dummy() {
        return None;
    }
    let (file, presumed, line) = sources.presumed_line(span.lo)?;
    let file = sources.file(file);
    let text = &file.bytes()[(line.lo - file.start) as usize..(line.hi - file.start) as usize];
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    // Positions are in bytes, and the text may have bytes that are not UTF-8: count what is shown for them.
    let start = ((span.lo - line.lo) as usize).min(text.len());
    let end = ((span.hi.max(span.lo) - line.lo) as usize).clamp(start, text.len());
    let characters = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().count() as u32;
    Some(Place {
        path: presumed.name.to_owned(),
        line: presumed.line,
        column: characters(&text[..start]) + 1,
        length: characters(&text[start..end]),
        text: if text.len() <= LONGEST_LINE {
            printable(&String::from_utf8_lossy(text))
        } else {
            String::new()
        },
    })
}

fn is_wanted(diagnostic: &rucc_diag::Diagnostic, place: Option<&Place>, sources: &SourceMap) -> bool {
    let header = place.map_or("", |place| place.path.as_str());
    match diagnostic.severity {
        rucc_diag::Severity::Error | rucc_diag::Severity::Ice => !gaps::belongs_to_a_compiler(header),
        rucc_diag::Severity::Warning => {
            let important = diagnostic.code.is_some_and(|code| IMPORTANT_WARNINGS.contains(&code));
            let system = sources.is_system(diagnostic.span.lo) || header.starts_with("/usr/");
            // Verification tasks call these functions without declaring them, and everybody knows what they mean.
            important && !system && !diagnostic.message.contains("'__VERIFIER_")
        }
        rucc_diag::Severity::Note | rucc_diag::Severity::Help => false,
    }
}

fn convert(diagnostic: &rucc_diag::Diagnostic, place: Option<Place>, sources: &SourceMap) -> Diagnostic {
    let severity = match diagnostic.severity {
        rucc_diag::Severity::Note | rucc_diag::Severity::Help => Severity::Note,
        rucc_diag::Severity::Warning => Severity::Warning,
        rucc_diag::Severity::Error | rucc_diag::Severity::Ice => Severity::Error,
    };
    let mut converted =
        Diagnostic::new(severity, printable(&gaps::message(diagnostic.code, &diagnostic.message)));
    converted.help = gaps::help(diagnostic.code).map(str::to_owned);
    for child in &diagnostic.children {
        if child.severity == rucc_diag::Severity::Help && converted.help.is_none() {
            converted.help = Some(printable(&child.message));
        } else {
            // A note at the place of its diagnostic need not show it again.
            let elsewhere =
                (child.span != diagnostic.span).then(|| self::place(child.span, sources)).flatten();
            converted.notes.push(convert(child, elsewhere, sources));
        }
    }
    converted.place = place;
    converted
}

/// A text without the control characters that a terminal would obey.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(text: &[u8]) -> SourceMap {
        let mut sources = SourceMap::new();
        sources.add("a.c", text.to_vec()).expect("it is small");
        sources
    }

    #[test]
    fn a_place_counts_characters() {
        let sources = sources("int ä = é;\r\nint b;\n".as_bytes());
        let place = place(Span::new(9, 11), &sources).expect("it is in the file");
        assert_eq!((place.line, place.column, place.length), (1, 9, 1));
        assert_eq!(place.text, "int ä = é;");
    }

    #[test]
    fn a_place_survives_bytes_that_are_not_text() {
        let sources = sources(b"\xff\xfe x\n");
        let place = place(Span::new(3, 4), &sources).expect("it is in the file");
        assert_eq!((place.column, place.length), (4, 1));
    }

    #[test]
    fn errors_are_limited_and_said_once() {
        let mut reporter = Reporter::default();
        for number in 0..100 {
            reporter.push(Diagnostic::error(format!("error {}", number / 2)));
        }
        let found = reporter.finish();
        assert_eq!(found.len(), ERROR_LIMIT + 1);
        assert_eq!(found[1].message, "error 1");
        assert_eq!(found[ERROR_LIMIT].severity, Severity::Note);
    }

    #[test]
    fn unimportant_warnings_are_dropped() {
        let sources = sources(b"f();\n");
        let mut reporter = Reporter::default();
        let at = Span::new(0, 1);
        let implicit = |name: &str| {
            let message = format!("implicit declaration of function '{name}'");
            rucc_diag::Diagnostic::warning(message, at).with_code("E0521")
        };
        let other = rucc_diag::Diagnostic::warning("format", at).with_code("E0999");
        reporter.add(&[implicit("f"), implicit("__VERIFIER_nondet_int"), other], &sources);
        let messages: Vec<_> = reporter.finish().into_iter().map(|found| found.message).collect();
        assert_eq!(messages, ["implicit declaration of function 'f'"]);
    }
}
