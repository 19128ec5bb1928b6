//! Measures the way from C text to a verified program over a whole folder.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{fmt, fs, io};

use c::Severity;
use program::Definition;

use crate::interpretation::{Form, describe, prepare};

/// What became of all files of a folder.
#[derive(Clone, Debug, Default)]
pub struct Measurement {
    /// How many files there are, and how many bytes they have.
    pub files: usize,
    /// How many bytes they have.
    pub bytes: u64,
    /// How many functions they define.
    pub functions: usize,
    /// How many of them were lowered.
    pub lowered: usize,
    /// Why functions were not lowered, and how many.
    pub reasons: BTreeMap<String, usize>,
    /// Files with errors, with the first error of each.
    pub refused: Vec<(PathBuf, String)>,
    /// Files on which something panicked or a program was not well-formed, with the message.
    pub broken: Vec<(PathBuf, String)>,
    /// How long it took.
    pub time: Duration,
}

/// What becomes of each file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// It is translated.
    Translate,
    /// It is translated, cleaned up and verified.
    Simplify,
}

/// All `.c` and `.i` files below a folder, or the file itself, in the order of their names.
pub fn sources(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![path.to_path_buf()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                waiting.push(entry?.path());
            }
        } else if path.extension().is_some_and(|extension| extension == "c" || extension == "i") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Translates every file on its own, in so many threads.
pub fn measure(files: &[PathBuf], threads: usize, depth: Depth) -> Measurement {
    let start = Instant::now();
    let (next, total) = (AtomicUsize::new(0), Mutex::new(Measurement::default()));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let single =
                        catch_unwind(AssertUnwindSafe(|| measure_one(path, depth))).unwrap_or_else(|_| {
                            let broken = vec![(path.clone(), String::from("panic"))];
                            Measurement { files: 1, broken, ..Measurement::default() }
                        });
                    total.lock().expect("nothing panics while it counts").add(single);
                }
            });
        }
    });
    let mut total = total.into_inner().expect("nothing panics while it counts");
    total.refused.sort();
    total.broken.sort();
    total.time = start.elapsed();
    total
}

/// The most memory that this process has had at once, in bytes, where the system tells.
pub fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|size| size * 1024)
}

fn measure_one(path: &Path, depth: Depth) -> Measurement {
    let mut translation = c::translate(&[c::Input::new(path)]);
    let mut result = Measurement { files: 1, ..Measurement::default() };
    result.bytes = fs::metadata(path).map_or(0, |metadata| metadata.len());
    result.lowered = translation.program.bodies().count();
    result.functions =
        translation.program.functions.values().filter(|function| function.is_defined()).count();
    for function in translation.program.functions.values() {
        if let Definition::Unsupported { reason, .. } = &function.definition {
            *result.reasons.entry(reason.clone()).or_default() += 1;
        }
    }
    let mut errors =
        translation.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    if let Some(error) = errors.next() {
        let text = describe(error);
        let list = if text.contains("internal error") { &mut result.broken } else { &mut result.refused };
        list.push((path.to_path_buf(), text));
    }
    if depth == Depth::Simplify
        && let Err(problem) = prepare(&mut translation.program, Form::Simplified)
    {
        result.broken.push((path.to_path_buf(), problem));
    }
    result
}

impl Measurement {
    fn add(&mut self, other: Measurement) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.functions += other.functions;
        self.lowered += other.lowered;
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
        self.refused.extend(other.refused);
        self.broken.extend(other.broken);
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs_f64().max(1e-9);
        let megabytes = self.bytes as f64 / 1e6;
        let share = 100.0 * self.lowered as f64 / self.functions.max(1) as f64;
        writeln!(f, "files       {}", self.files)?;
        writeln!(f, "size        {megabytes:.1} MB")?;
        writeln!(f, "time        {seconds:.2} s")?;
        writeln!(
            f,
            "throughput  {:.1} MB/s, {:.0} functions/s",
            megabytes / seconds,
            self.functions as f64 / seconds
        )?;
        writeln!(f, "functions   {} defined, {} lowered ({share:.2} %)", self.functions, self.lowered)?;
        if let Some(peak) = peak_memory() {
            writeln!(f, "memory      {:.0} MiB at most", peak as f64 / f64::from(1 << 20))?;
        }
        writeln!(f, "refused     {} files", self.refused.len())?;
        writeln!(f, "broken      {} files", self.broken.len())?;
        let mut reasons: Vec<(&String, &usize)> = self.reasons.iter().collect();
        reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), *reason));
        for (reason, count) in reasons.into_iter().take(20) {
            writeln!(f, "unsupported {count:>5}  {reason}")?;
        }
        for (path, error) in &self.refused {
            writeln!(f, "refused: {}: {error}", path.display())?;
        }
        for (path, problem) in &self.broken {
            writeln!(f, "broken: {}: {problem}", path.display())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corpus_can_be_measured() {
        let files = sources(&crate::corpus::folder()).unwrap();
        let result = measure(&files, 2, Depth::Simplify);
        assert_eq!(result.files, files.len());
        assert!(result.refused.is_empty() && result.broken.is_empty(), "{result}");
        // A few programs of the corpus have functions that are refused.
        let is_most = result.lowered * 50 >= result.functions * 49;
        assert!(result.functions >= files.len() && is_most, "{result}");
    }
}
