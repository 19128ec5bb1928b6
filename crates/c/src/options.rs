//! What a command line says about C files: macros, include directories, the dialect and the data model.

use std::path::{Path, PathBuf};

use program::DataModel;
use rucc_target::{Choices, Isa};

/// How a C file is to be read, as compiler flags say it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The widths of `long` and pointers: `-m64` or `-m32`.
    pub data_model: DataModel,
    /// `-I`: where `#include` looks.
    pub include: Vec<PathBuf>,
    /// `-isystem`: where `#include` looks after `include`.
    pub system_include: Vec<PathBuf>,
    /// `-iquote`: where only `#include "..."` looks.
    pub quote_include: Vec<PathBuf>,
    /// `-idirafter`: where `#include` looks last.
    pub after_include: Vec<PathBuf>,
    /// `-nostdinc`: that `#include` does not look where the system has its headers.
    pub no_system_include: bool,
    /// `-D` and `-U`, in their order.
    pub macros: Vec<Macro>,
    /// `-include`: files that are read before the source.
    pub preinclude: Vec<PathBuf>,
    /// `-imacros`: files whose macros are read before everything else.
    pub macro_files: Vec<PathBuf>,
    /// `-funsigned-char`: whether `char` has no sign.
    pub unsigned_char: bool,
    /// `-fshort-enums`: whether an enumeration is as narrow as its values allow.
    pub short_enums: bool,
    /// `-fgnu89-inline`: whether `inline` is read as in C89.
    pub gnu89_inline: bool,
    /// Extensions of the machine: `avx2` for `-mavx2`, `no-sse3` for `-mno-sse3`.
    pub extensions: Vec<String>,
    /// Flags that may change what the text means in a way that is not followed: nothing is said of functions of this file.
    pub unsupported: Vec<String>,
    /// `-std`: `c99`, `gnu11` and so on; nothing means `gnu17`, as the system compiler has it.
    pub standard: Option<String>,
}

/// One `-D` or `-U` flag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Macro {
    /// `-D`: a name, or `NAME=VALUE`. A name alone has the value 1.
    Define(String),
    /// `-U`: a name.
    Undefine(String),
}

/// A C file to read, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Input {
    /// The file: `.c` is preprocessed, `.i` already is, everything else is told by its content. `-` is standard input.
    pub path: PathBuf,
    /// What relative paths are relative to; nothing means the working directory.
    pub directory: Option<PathBuf>,
    /// The flags.
    pub options: Options,
}

impl Options {
    /// What the machine can do.
    pub(crate) fn instruction_set(&self) -> Isa {
        let mut choices = Choices::new();
        for extension in &self.extensions {
            // Only what is known becomes an option.
            _ = choices.read(extension);
        }
        choices.over(Isa::baseline())
    }
}

impl Input {
    /// A file with the flags that a compiler has when it is given none.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), directory: None, options: Options::default() }
    }

    /// A path of the command line as this process can open it.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        match &self.directory {
            Some(directory) if path.is_relative() => directory.join(path),
            _ => path.to_path_buf(),
        }
    }
}

impl Macro {
    /// The name that is defined or undefined.
    pub fn name(&self) -> &str {
        let text = match self {
            Macro::Define(text) | Macro::Undefine(text) => text,
        };
        text.split(['=', '(']).next().unwrap_or(text)
    }
}
