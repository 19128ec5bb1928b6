//! A folder of files that lives as long as a test.

use std::path::{Path, PathBuf};

use loopscope_c::{Diagnostic, Input, Translation, translate};
use program::Definition;

/// A folder with files.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// A folder with these files; names may have directories.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("there is a place for temporary files"));
        for (name, text) in files {
            folder.write(name, text.as_bytes());
        }
        folder
    }

    /// Writes one more file.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder can be made");
        std::fs::write(path, bytes).expect("a file can be written");
    }

    /// Where a file is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The folder itself.
    #[allow(dead_code, reason = "not every test uses it")]
    pub fn root(&self) -> &Path {
        self.0.path()
    }

    /// A file as an input with no flags.
    pub fn input(&self, name: &str) -> Input {
        Input::new(self.path(name))
    }

    /// What becomes of one file with no flags.
    pub fn translate(&self, name: &str) -> Translation {
        translate(&[self.input(name)])
    }
}

/// What becomes of one file with this text.
#[allow(dead_code, reason = "not every test uses it")]
pub fn translate_text(text: &str) -> Translation {
    Folder::new(&[("a.c", text)]).translate("a.c")
}

/// The names of the functions with a body, in order.
#[allow(dead_code, reason = "not every test uses it")]
pub fn defined(translation: &Translation) -> Vec<&str> {
    let functions = translation.program.functions.iter().map(|(_, function)| function);
    let with_body = functions.filter(|function| matches!(function.definition, Definition::Body(_)));
    with_body.map(|function| function.name.as_str()).collect()
}

/// The messages of the errors among some diagnostics.
#[allow(dead_code, reason = "not every test uses it")]
pub fn errors(diagnostics: &[Diagnostic]) -> Vec<&str> {
    diagnostics.iter().filter(|found| found.is_error()).map(|found| found.message.as_str()).collect()
}
