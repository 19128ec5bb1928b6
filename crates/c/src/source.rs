//! Reading the text of a translation unit, and telling what kind of text it is.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::diagnostic::unreadable;
use crate::{Diagnostic, Input, limits};

/// The largest file that is read.
const LARGEST_FILE: u64 = 1 << 30;

/// How much of a file is examined to see whether it is text.
const SNIFFED_BYTES: usize = 64 << 10;

/// What users call standard input, and what diagnostics do.
const STANDARD_INPUT: &str = "-";
const STANDARD_INPUT_NAME: &str = "<stdin>";

/// Whether a text still has its directives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// A text to preprocess.
    Source,
    /// A text that is preprocessed already.
    Preprocessed,
}

/// The text of a translation unit.
pub(crate) struct Source {
    /// The file, as this process can open it.
    pub name: PathBuf,
    /// What it holds.
    pub text: Vec<u8>,
    /// Whether it is still to be preprocessed.
    pub stage: Stage,
}

impl Source {
    /// Reads the file of an input.
    pub fn read(input: &Input) -> Result<Self, Diagnostic> {
        let (name, text) = if input.path == Path::new(STANDARD_INPUT) {
            (PathBuf::from(STANDARD_INPUT_NAME), contents(std::io::stdin()))
        } else {
            let name = input.resolve(&input.path);
            if name.is_dir() {
                let help = "name the C files in it, or use -p for a directory with compile_commands.json";
                return Err(unreadable(&name, "it is a directory", help));
            }
            let text = std::fs::File::open(&name).and_then(contents);
            (name, text)
        };
        let text = text.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                unreadable(&name, "there is no such file", "check the name and the working directory")
            }
            _ => unreadable(&name, &error.to_string(), "check that you may read it"),
        })?;
        if text.len() as u64 > LARGEST_FILE {
            return Err(unreadable(&name, "it is larger than 1 GiB", "split it into several files"));
        }
        if is_binary(&text) {
            let help = "C files (.c) and preprocessed C files (.i) can be read";
            return Err(unreadable(&name, "it is not a text file", help));
        }
        if limits::has_long_directive(&text) {
            return Err(unreadable(&name, "a condition in it is too long", "use its preprocessed text (.i)"));
        }
        let stage = stage(&name, &text);
        Ok(Self { name, text, stage })
    }

    /// Whether the text can be read only once.
    pub fn is_standard_input(&self) -> bool {
        self.name == Path::new(STANDARD_INPUT_NAME)
    }
}

/// What a stream holds, and one byte more than it may hold if that is too much.
fn contents(stream: impl Read) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    stream.take(LARGEST_FILE + 1).read_to_end(&mut text)?;
    Ok(text)
}

/// Whether bytes are no text: more than one in ten is a control character that no source has. A stray one is only
/// warned about by compilers.
fn is_binary(text: &[u8]) -> bool {
    let is_odd = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t'..=b'\r' | 0x1a | 0x1b);
    let looked_at = &text[..text.len().min(SNIFFED_BYTES)];
    looked_at.iter().filter(is_odd).count() * 10 > looked_at.len()
}

/// Whether a file is still to be preprocessed, by its name, or else by its text.
fn stage(name: &Path, text: &[u8]) -> Stage {
    match name.extension().and_then(|extension| extension.to_str()) {
        Some("i") => Stage::Preprocessed,
        Some("c") => Stage::Source,
        _ if looks_preprocessed(text) => Stage::Preprocessed,
        _ => Stage::Source,
    }
}

/// Whether a text looks as if a preprocessor wrote it: its first line that is not empty is a line marker.
fn looks_preprocessed(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
    first.strip_prefix(b"# ").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_stage_and_texts_tell_where_names_do_not() {
        let stage = |name: &str, text: &str| stage(Path::new(name), text.as_bytes());
        assert_eq!(stage("a.c", "# 1 \"a.c\"\n"), Stage::Source);
        assert_eq!(stage("a.i", "int x;\n"), Stage::Preprocessed);
        assert_eq!(stage("a", "\n# 1 \"a.c\"\n"), Stage::Preprocessed);
        assert_eq!(stage("<stdin>", "#include <stdio.h>\n"), Stage::Source);
    }

    #[test]
    fn odd_bytes_make_a_file_binary_but_one_does_not() {
        assert!(is_binary(b"\x7fELF\x02\x01\x01\0\0\0\0\0"));
        assert!(!is_binary(b"int x;\0\n\tint y; // \xff\xfe\n"));
        assert!(!is_binary(b""));
    }
}
