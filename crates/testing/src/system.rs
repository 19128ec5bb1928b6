//! What the tests use of the machine they run on: a C compiler, its sanitizers, time-limited processes, and scratch
//! folders.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A folder for the files of one test, removed at the end unless somebody wants to look into it.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    keep: bool,
}

impl Scratch {
    /// A new folder whose name starts with this word.
    pub fn new(name: &str) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("loopscope-{name}-{}-{number}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self { path, keep: false })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets the folder stay when the test is over.
    pub fn keep(&mut self) {
        self.keep = true;
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.keep {
            // A folder that stays behind in the temporary directory does no harm.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// How a process ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ended {
    /// Its exit status, unless a signal or the time limit ended it.
    pub status: Option<i32>,
    /// Whether the time limit ended it.
    pub timed_out: bool,
    /// What it wrote to standard output.
    pub output: Vec<u8>,
    /// What it wrote to standard error.
    pub error: String,
}

/// Runs a process that may take so long. Its output goes through files in the folder, so that no pipe fills up.
pub fn run(command: &mut Command, folder: &Path, limit: Duration) -> io::Result<Ended> {
    let (output, error) = (folder.join("stdout"), folder.join("stderr"));
    let mut child =
        command.stdin(Stdio::null()).stdout(File::create(&output)?).stderr(File::create(&error)?).spawn()?;
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    let (status, timed_out) = loop {
        if let Some(status) = child.try_wait()? {
            break (status.code(), false);
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break (None, true);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let error = String::from_utf8_lossy(&fs::read(&error)?).into_owned();
    Ok(Ended { status, timed_out, output: fs::read(&output)?, error })
}

/// A C compiler of the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiler {
    command: String,
}

impl Compiler {
    /// The compiler that the system calls its own, if it has one.
    pub fn system() -> Option<Self> {
        ["cc", "gcc", "clang"].into_iter().find_map(Self::named)
    }

    /// The compiler with this name, if it is there.
    pub fn named(command: &str) -> Option<Self> {
        let found = Command::new(command).arg("--version").stdin(Stdio::null()).output().ok()?;
        found.status.success().then(|| Self { command: command.to_string() })
    }

    /// Its command.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Makes an executable from a C file, or says what the compiler says.
    pub fn compile(&self, source: &Path, executable: &Path, flags: &[&str]) -> Result<(), String> {
        let output = Command::new(&self.command)
            .args(["-w", "-std=gnu11"])
            .args(flags)
            .arg(source)
            .arg("-o")
            .arg(executable)
            .arg("-lm")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    /// Whether an executable made with these flags can be started here.
    pub fn supports(&self, flags: &[&str]) -> bool {
        let Ok(scratch) = Scratch::new("probe") else { return false };
        let (source, executable) = (scratch.path().join("probe.c"), scratch.path().join("probe"));
        fs::write(&source, "int main(void) { return 7; }\n").is_ok()
            && self.compile(&source, &executable, flags).is_ok()
            && run(&mut Command::new(&executable), scratch.path(), Duration::from_secs(10))
                .is_ok_and(|ended| ended.status == Some(7))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_stopped_at_its_limit() {
        let scratch = Scratch::new("limit").unwrap();
        let limit = Duration::from_millis(30);
        let ended = run(Command::new("sleep").arg("5"), scratch.path(), limit).unwrap();
        assert!(ended.timed_out && ended.status.is_none());
        let ended = run(Command::new("echo").arg("hello"), scratch.path(), Duration::from_secs(5)).unwrap();
        assert_eq!((ended.status, ended.output.as_slice()), (Some(0), b"hello\n".as_slice()));
    }
}
