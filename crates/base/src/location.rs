//! Places in source files, as a reader of the source counts them: after `#line`, outside macros.

use crate::index_type;

index_type!(
    /// One source file of a program, as `#line` names it.
    FileId,
    "file"
);

/// A place in a source file. Lines and columns count from one; line zero means that it is not known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// The file.
    pub file: FileId,
    /// The line, from one.
    pub line: u32,
    /// The column, from one.
    pub column: u32,
}

impl Location {
    /// A place in a file.
    pub const fn new(file: FileId, line: u32, column: u32) -> Self {
        Self { file, line, column }
    }

    /// The place of what no source text stands for.
    pub fn unknown() -> Self {
        Self { file: crate::Index::new(0), line: 0, column: 0 }
    }

    /// Whether this is a place in a source text.
    pub fn is_known(self) -> bool {
        self.line != 0
    }
}
