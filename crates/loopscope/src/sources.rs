//! From arguments to the list of C files to read, each with its flags; and the lines of these files, to be shown.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use evidence::Place;
use program::DataModel;
use report::message::Message;
use report::not_analysed::NotAnalysed;

use crate::arguments::{DataModelArgument, SourceArguments};
use crate::pipeline::messages_of;

/// The files of a command line or of a compilation database.
#[derive(Debug, Default)]
pub struct Files {
    /// Those to read.
    pub read: Vec<c::Input>,
    /// Those that are a part of the program but no C.
    pub skipped: Vec<NotAnalysed>,
}

/// The C files to read. Files and a compilation database together mean these files of the database.
pub fn inputs(files: &[PathBuf], source: &SourceArguments) -> Result<Files, Vec<Message>> {
    let only = |read: Vec<c::Input>| Files { read, skipped: Vec::new() };
    let Some(database) = &source.compile_commands else {
        if files.is_empty() {
            let help = "name at least one C file, or a compilation database with -p; see `loopscope --help`";
            return Err(vec![Message::error("no input files").help(help)]);
        }
        return Ok(only(files.iter().map(|file| with_flags(c::Input::new(file), source)).collect()));
    };
    let (listed, others) = c::compile_commands(database).map_err(|diagnostic| messages_of(&[diagnostic]))?;
    if files.is_empty() {
        let read = listed.into_iter().map(|input| with_flags(input, source)).collect();
        return Ok(Files { read, skipped: others.iter().map(|path| skipped(path)).collect() });
    }
    let mut chosen = Vec::new();
    let mut missing = Vec::new();
    for file in files {
        match listed.iter().find(|input| same_file(input, file)) {
            Some(input) => chosen.push(with_flags(input.clone(), source)),
            None => missing.push(
                Message::error(format!("`{}` is not in `{}`", file.display(), database.display()))
                    .help("leave -p out to read the file without its flags"),
            ),
        }
    }
    if missing.is_empty() { Ok(only(chosen)) } else { Err(missing) }
}

/// Lines of source files, read when they are asked for. A file that is not there has none.
#[derive(Debug, Default)]
pub struct Lines(RefCell<BTreeMap<String, Vec<String>>>);

impl Lines {
    /// The line at a place.
    pub fn at(&self, place: &Place) -> Option<String> {
        let mut files = self.0.borrow_mut();
        let lines = files.entry(place.file.clone()).or_insert_with(|| {
            let text = std::fs::read(&place.file).unwrap_or_default();
            String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
        });
        lines.get(place.line.checked_sub(1)? as usize).cloned()
    }
}

/// A file of a compilation database that is no C.
fn skipped(path: &Path) -> NotAnalysed {
    NotAnalysed {
        function: None,
        file: Some(path.display().to_string()),
        reason: String::from("the compilation database has it, and it is no C file"),
        place: None,
    }
}

/// The input with the flags of the command line after its own.
fn with_flags(mut input: c::Input, source: &SourceArguments) -> c::Input {
    let options = &mut input.options;
    options.include.extend(absolute(&source.include, input.directory.as_deref()));
    options.system_include.extend(absolute(&source.isystem, input.directory.as_deref()));
    options.quote_include.extend(absolute(&source.iquote, input.directory.as_deref()));
    options.preinclude.extend(absolute(&source.preinclude, input.directory.as_deref()));
    options.macros.extend(source.macros.0.iter().cloned());
    if let Some(standard) = &source.std {
        options.standard = Some(standard.clone());
    }
    if let Some(model) = source.data_model {
        options.data_model = match model {
            DataModelArgument::Lp64 => DataModel::Lp64,
            DataModelArgument::Ilp32 => DataModel::Ilp32,
        };
    }
    input
}

/// Paths of our command line as the file sees them: an input of a database has a directory of its own.
fn absolute(paths: &[PathBuf], directory: Option<&Path>) -> Vec<PathBuf> {
    let resolve = |path: &PathBuf| match directory {
        Some(_) => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
        None => path.clone(),
    };
    paths.iter().map(resolve).collect()
}

fn same_file(input: &c::Input, file: &Path) -> bool {
    let listed = match &input.directory {
        Some(directory) => directory.join(&input.path),
        None => input.path.clone(),
    };
    match (listed.canonicalize(), file.canonicalize()) {
        (Ok(listed), Ok(file)) => listed == file,
        _ => input.path == file,
    }
}
