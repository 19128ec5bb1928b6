//! Real code: C files by the hundred, several at a time, with functions of headers examined once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use loops::LoopName;

/// The `.c` and `.i` files below some paths, in order.
pub fn files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    paths.iter().for_each(|path| collect(path, &mut files));
    files.sort();
    files
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let Ok(entries) = std::fs::read_dir(path) else { return };
        entries.flatten().for_each(|entry| collect(&entry.path(), files));
    } else if matches!(path.extension().and_then(|extension| extension.to_str()), Some("c" | "i")) {
        files.push(path.to_owned());
    }
}

/// What work on each file gives, in the order of the files.
pub fn in_parallel<T: Send>(files: &[PathBuf], jobs: usize, work: impl Fn(&Path) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let all: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(place) else { break };
                    let found = work(file);
                    all.lock().expect("no thread has failed").push((place, found));
                }
            });
        }
    });
    let mut all = all.into_inner().expect("no thread has failed");
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, found)| found).collect()
}

/// A place: file, line and column.
type Spot = (String, u32, u32);

/// Functions that were met, with the place of their first loop.
#[derive(Default)]
pub struct Known(Mutex<BTreeSet<(String, Option<Spot>)>>);

impl Known {
    /// Whether no file before has had this function: those in headers are in many.
    pub fn is_new(&self, function: &str, first: Option<&LoopName>) -> bool {
        let place = first.map(|name| {
            let file = name.file.rsplit('/').next().unwrap_or_default().to_owned();
            (file, name.location.line, name.location.column)
        });
        self.0.lock().expect("no thread has failed").insert((function.to_owned(), place))
    }
}
