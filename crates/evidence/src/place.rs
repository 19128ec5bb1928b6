//! Places in source files that stand on their own: with the file's name instead of its number.

use base::Location;
use program::Program;
use serde::{Deserialize, Serialize};

/// A place in a source file. Lines and columns count from one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The file, as the program names it.
    pub file: String,
    /// The line, from one.
    pub line: u32,
    /// The column, from one.
    pub column: u32,
}

impl Place {
    /// The place that a location of a program means, if it means one.
    pub fn of(program: &Program, location: Location) -> Option<Self> {
        if !location.is_known() {
            return None;
        }
        let file = program.files.get(location.file)?.clone();
        Some(Self { file, line: location.line, column: location.column })
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
