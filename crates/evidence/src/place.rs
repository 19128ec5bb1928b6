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

impl Place {
    /// Its line, without the folder of its file.
    pub fn short(&self) -> String {
        format!("{}:{}", self.file.rsplit('/').next().unwrap_or_default(), self.line)
    }

    /// A place in words, also if it is not known.
    pub fn described(place: Option<&Self>) -> String {
        place.map_or_else(|| String::from("an unknown place"), Self::to_string)
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
