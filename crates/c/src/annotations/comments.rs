//! Comments that begin with `@`.
//!
//! Preprocessing drops comments, so they are looked for in the texts of the files. A comment is about the token that comes
//! next. If that token did not come through the preprocessor, the comment stands in a part that was skipped, and is dropped,
//! too. Comments that follow each other are one text.
//!
//! Known imprecision: if directives stand between a comment and the next token, it is not known here whether the comment was
//! skipped. It is about nothing then.

use std::ops::Range;

use program::annotation::Language;
use rucc_diag::{BytePos, SourceFile, SourceMap};
use rucc_lex::PpToken;

use super::{Anchor, Note};

/// The comments of a text, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Comments {
    all: Vec<Comment>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Comment {
    range: Range<usize>,
    is_annotation: bool,
}

/// The annotations of all files that are the project's own.
pub(crate) fn find(sources: &SourceMap, tokens: &[PpToken]) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut starts: Option<Vec<BytePos>> = None;
    for file in sources.files() {
        if sources.is_system(file.start) || !may_hold_annotations(file.bytes()) {
            continue;
        }
        let starts = starts.get_or_insert_with(|| {
            let mut starts: Vec<BytePos> =
                tokens.iter().filter(|token| !token.is_eof()).map(|token| token.span.lo).collect();
            starts.sort_unstable();
            starts
        });
        notes.extend(Comments::of(file.bytes()).notes(file, starts));
    }
    notes
}

fn may_hold_annotations(text: &[u8]) -> bool {
    text.windows(3).any(|three| three == b"/*@" || three == b"//@")
}

impl Comments {
    /// The comments of a text. What looks like one in a string is none.
    fn of(text: &[u8]) -> Self {
        let mut all = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let length = match rest {
                [b'/', b'*', ..] => 2 + find_bytes(&rest[2..], b"*/").map_or(rest.len() - 2, |end| end + 2),
                [b'/', b'/', ..] => line_length(rest),
                [quote @ (b'"' | b'\''), ..] => {
                    at += literal_length(rest, *quote);
                    continue;
                }
                _ => {
                    at += 1;
                    continue;
                }
            };
            all.push(Comment { range: at..at + length, is_annotation: rest.get(2) == Some(&b'@') });
            at += length;
        }
        Self { all }
    }

    fn notes(&self, file: &SourceFile, starts: &[BytePos]) -> Vec<Note> {
        let text = file.bytes();
        let mut notes = Vec::new();
        let mut place = 0;
        while place < self.all.len() {
            // Comments with nothing but space in between are about the same.
            let first = place;
            place += 1;
            while let Some(next) = self.all.get(place) {
                if !is_blank(&text[self.all[place - 1].range.end..next.range.start]) {
                    break;
                }
                place += 1;
            }
            let together = &self.all[first..place];
            let is_told =
                |comment: &Comment| comment.is_annotation && !in_directive(text, comment.range.start);
            if !together.iter().any(is_told) {
                continue;
            }
            let Some(anchor) = anchor(file, self.all[place - 1].range.end, starts) else { continue };
            let is_line = |comment: &Comment| text[comment.range.start..].starts_with(b"//");
            // Lines that follow each other are one text, a block is one of its own.
            for group in together.chunk_by(|one, other| is_line(one) && is_line(other)) {
                let from = group.iter().position(is_told);
                notes.extend(from.and_then(|from| note(file, &group[from..], anchor)));
            }
        }
        notes
    }
}

/// What the next token after a place is about. Nothing if there is text in between that did not come through.
fn anchor(file: &SourceFile, end: usize, starts: &[BytePos]) -> Option<Anchor> {
    let from = file.start + end as BytePos;
    let next = starts.get(starts.partition_point(|&start| start < from));
    let next = next.copied().filter(|&next| next < file.end);
    let between = &file.bytes()[end..next.map_or(file.bytes().len(), |next| (next - file.start) as usize)];
    if is_blank(between) {
        return Some(next.map_or(Anchor::Nothing("nothing follows it"), Anchor::Next));
    }
    let lines = between.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let are_directives = lines.into_iter().all(|line| line.starts_with(b"#") || line.starts_with(b"/"));
    are_directives.then_some(Anchor::Nothing("directives of the preprocessor follow it"))
}

/// The text of some comments, without their signs.
fn note(file: &SourceFile, comments: &[Comment], anchor: Anchor) -> Option<Note> {
    let range = comments.first()?.range.start..comments.last()?.range.end;
    let mut bytes = file.bytes()[range.clone()].to_vec();
    for comment in comments {
        let place = comment.range.start - range.start..comment.range.end - range.start;
        let part = &mut bytes[place];
        if comment.is_annotation {
            uncover(part);
        } else {
            blank(part);
        }
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        error.into_bytes().into_iter().map(|byte| if byte.is_ascii() { byte as char } else { '?' }).collect()
    });
    // Other tools have comments like `/*@null@*/`.
    if !text.contains(';') {
        return None;
    }
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let places = starts.map(|at| (at, file.start + (range.start + at) as BytePos)).collect();
    Some(Note { language: Language::Acsl, text, places, anchor })
}

/// Makes the signs of a comment spaces, and each `@` that begins a line.
fn uncover(comment: &mut [u8]) {
    let is_block = comment.starts_with(b"/*");
    comment[..3].fill(b' ');
    if is_block && comment.ends_with(b"*/") {
        let end = comment.len() - 2;
        comment[end..].fill(b' ');
        if let Some(last) = comment[..end].last_mut().filter(|last| **last == b'@') {
            *last = b' ';
        }
    }
    let mut begins = false;
    for byte in comment {
        match *byte {
            b'\n' => begins = true,
            b'@' if begins => (*byte, begins) = (b' ', false),
            b' ' | b'\t' | b'\r' => {}
            _ => begins = false,
        }
    }
}

fn blank(comment: &mut [u8]) {
    comment.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

fn is_blank(text: &[u8]) -> bool {
    text.trim_ascii().is_empty()
}

/// Whether a place is in a line that begins with `#`, or in one that continues it.
fn in_directive(text: &[u8], place: usize) -> bool {
    let before = &text[..place];
    let mut end = before.len();
    loop {
        let start = before[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        if before[start..end].trim_ascii_start().starts_with(b"#") {
            return true;
        }
        if start == 0 || !before[..start - 1].trim_ascii_end().ends_with(b"\\") {
            return false;
        }
        end = start - 1;
    }
}

fn find_bytes(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

/// How long a line is, with those that a backslash joins to it.
fn line_length(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(end) = text[at..].iter().position(|&byte| byte == b'\n') {
        if !text[at..at + end].trim_ascii_end().ends_with(b"\\") {
            return at + end;
        }
        at += end + 1;
    }
    text.len()
}

/// How long a string or character is; a line ends it at the latest.
fn literal_length(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rucc_base::Interner;

    /// The text and the next word of each annotation.
    fn notes(text: &str) -> Vec<(String, String)> {
        let mut sources = SourceMap::new();
        let file = sources.add("a.c", text.as_bytes().to_vec()).expect("it is small");
        let start = sources.file(file).start;
        let mut names = Interner::new();
        let (tokens, _) = rucc_lex::tokenize(text.as_bytes(), start, rucc_lex::Options::new(), &mut names);
        let word = |anchor| match anchor {
            Anchor::Next(place) => {
                let rest = &text[(place - start) as usize..];
                rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
            }
            Anchor::Nothing(why) => why.to_owned(),
            _ => unreachable!("comments have other anchors"),
        };
        let spaces = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        find(&sources, &tokens).into_iter().map(|note| (spaces(&note.text), word(note.anchor))).collect()
    }

    fn pair(text: &str, next: &str) -> (String, String) {
        (text.to_owned(), next.to_owned())
    }

    #[test]
    fn annotations_are_about_what_follows() {
        assert_eq!(
            notes("/*@ requires x;\n  @ ensures y;\n  @*/\nint f;"),
            [pair("requires x; ensures y;", "int")]
        );
        assert_eq!(
            notes("//@ requires x > \n//@ 0;\n// plain\n//@ ensures y;\nint f;"),
            [pair("requires x > 0; ensures y;", "int")]
        );
        assert_eq!(
            notes("/*@ requires x; */ /* plain */\n/*@ ensures y; */ int f;"),
            [pair("requires x;", "int"), pair("ensures y;", "int")]
        );
        assert_eq!(notes("/*@ assigns x;*/"), [pair("assigns x;", "nothing follows it")]);
    }

    #[test]
    fn what_only_looks_like_an_annotation_is_none() {
        assert!(
            notes("char *s = \"/*@ a; */\"; char c = '\"'; // /*@ b; */\n/* /*@ c; */ int x;").is_empty()
        );
        assert!(notes("int *f(/*@null@*/ char *p);").is_empty());
        assert!(notes("#define X /*@ a; */ \\\n /*@ b; */ 3\nint x;").is_empty());
    }

    #[test]
    fn a_column_of_the_text_is_one_of_the_file() {
        let mut sources = SourceMap::new();
        let text = "int a;\n  /*@ requires é;\n    @ ensures b;\n  */ int f(void);\n";
        let file = sources.add("a.c", text.as_bytes().to_vec()).expect("it is small");
        let start = sources.file(file).start;
        let (tokens, _) =
            rucc_lex::tokenize(text.as_bytes(), start, rucc_lex::Options::new(), &mut Interner::new());
        let note = &find(&sources, &tokens)[0];
        let offset = note.text.find("ensures").expect("it is there");
        let (from, place) =
            note.places.iter().rev().find(|(from, _)| *from <= offset).expect("it has a place");
        assert_eq!((place - start) as usize + offset - from, text.find("ensures").expect("it is there"));
    }
}
