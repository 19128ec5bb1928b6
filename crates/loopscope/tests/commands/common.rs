//! Runs the command line for the tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// What a call of the command line gave.
#[derive(Debug)]
pub struct Answer {
    pub code: Option<i32>,
    pub output: String,
    pub error: String,
}

impl Answer {
    /// The last line of standard output.
    pub fn last_line(&self) -> &str {
        self.output.lines().last().unwrap_or_default()
    }

    /// That a line has all these pieces.
    pub fn says(&self, pieces: &[&str]) {
        let found = self.output.lines().any(|line| pieces.iter().all(|piece| line.contains(piece)));
        assert!(found, "{pieces:?} is not in\n{}{}", self.output, self.error);
    }
}

/// Calls a command with a source, which is called `a.c`.
pub fn command_on(command: &str, source: &str, more: &[&str]) -> Answer {
    let folder = Folder::with("a.c", source);
    folder.run(&[&[command], more, &["a.c"]].concat())
}

/// Calls `loopscope` in a directory.
pub fn loopscope_in(directory: &Path, arguments: &[&str], input: &[u8]) -> Answer {
    let mut child = Command::new(env!("CARGO_BIN_EXE_loopscope"))
        .args(arguments)
        .current_dir(directory)
        .env_remove("COLUMNS")
        .env_remove("LOOPSCOPE_DEBUG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // A program that does not read its input may close it.
    let _ = child.stdin.take().expect("standard input is a pipe").write_all(input);
    let output = child.wait_with_output().expect("the binary ends");
    Answer {
        code: output.status.code(),
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
        error: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A folder of its own for one test, removed at its end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("loopscope-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("the folder can be made");
        Self(path)
    }

    /// With one file in it.
    pub fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        Self::new().and(name, content)
    }

    /// With another file in it.
    pub fn and(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.0.join(name), content).expect("the file can be written");
        self
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Calls `loopscope` in this folder.
    pub fn run(&self, arguments: &[&str]) -> Answer {
        loopscope_in(&self.0, arguments, b"")
    }

    /// Calls `loopscope` in this folder with something to read.
    pub fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Answer {
        loopscope_in(&self.0, arguments, input)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A program with a loop in a loop.
pub const NESTED: &str = "\
void use(int);
int total;
int sum(int n) {
  for (int i = 0; i < n; i++) {
    int j = i;
    while (j > 0) {
      if (j == 7)
        return total;
      total += j--;
      use(total);
    }
  }
  return total;
}
int none(int n) { return n; }
";

/// The folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
