//! Compilation databases: `compile_commands.json`, as build tools write it.
//!
//! Each entry has the command of one compilation, as a list of arguments or as a line for a shell. `flags` reads it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::{Diagnostic, Input, Place, flags};

/// The name of the file in a build directory.
const FILE_NAME: &str = "compile_commands.json";

/// The C files of a compilation database, each with its flags, and its other files. The path is the file or the directory
/// with it.
pub fn compile_commands(path: &Path) -> Result<(Vec<Input>, Vec<PathBuf>), Diagnostic> {
    let file = if path.is_dir() { path.join(FILE_NAME) } else { path.to_path_buf() };
    let text = std::fs::read_to_string(&file).map_err(|error| {
        Diagnostic::error(format!("cannot read the compilation database `{}`: {error}", file.display())).help(
            "let the build tool write it, for example with cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON or bear",
        )
    })?;
    let database: Value = serde_json::from_str(&text).map_err(|error| malformed(&file, &text, &error))?;
    let wrong = |what: &str| {
        Diagnostic::error(format!("`{}` is no compilation database: {what}", file.display()))
            .help("it must be a list of objects with `directory`, `file`, and `command` or `arguments`")
    };
    let entries = database.as_array().ok_or_else(|| wrong("expected a list"))?;
    let base = std::path::absolute(&file).ok().and_then(|file| file.parent().map(Path::to_path_buf));
    let (mut inputs, mut others) = (Vec::new(), Vec::new());
    for (number, entry) in entries.iter().enumerate() {
        let entry =
            entry.as_object().ok_or_else(|| wrong(&format!("expected an object as entry {}", number + 1)))?;
        let input = input(entry, base.as_deref().unwrap_or(Path::new(".")));
        let input = input.map_err(|what| wrong(&format!("{what} in entry {}", number + 1)))?;
        match input {
            Ok(input) => inputs.push(input),
            Err(path) => others.push(path),
        }
    }
    Ok((inputs, others))
}

/// One entry, or the file alone if it does not compile C.
fn input(entry: &Map<String, Value>, base: &Path) -> Result<Result<Input, PathBuf>, String> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let path = PathBuf::from(text("file").ok_or("expected a `file`")?);
    // A relative directory is relative to the database.
    let directory = text("directory").map_or_else(|| base.to_path_buf(), |directory| base.join(directory));
    let arguments = match (entry.get("arguments").and_then(Value::as_array), text("command")) {
        (Some(list), _) => list
            .iter()
            .map(|argument| argument.as_str().map(str::to_owned).ok_or("expected strings in `arguments`"))
            .collect::<Result<Vec<_>, _>>()?,
        (None, Some(command)) => shlex::split(command).ok_or("expected a `command` with matching quotes")?,
        (None, None) => return Err(String::from("expected a `command` or `arguments`")),
    };
    let is_named_c = path.extension().is_some_and(|extension| extension == "c" || extension == "i");
    let is_called_c = arguments.windows(2).any(|pair| pair[0] == "-x" && pair[1] == "c");
    if !is_named_c && !is_called_c && !arguments.iter().any(|argument| argument == "-xc") {
        return Ok(Err(path));
    }
    let mut options = flags::options(arguments.get(1..).unwrap_or(&[]), &directory);
    options.unsupported.extend(foreign_compiler(&arguments));
    Ok(Ok(Input { path, directory: Some(directory), options }))
}

/// The compiler of a command, if it compiles another language or for another machine than flags alone say.
fn foreign_compiler(arguments: &[String]) -> Option<String> {
    // Words in front of the compiler, as `ccache` is one, are no flags either.
    let words = arguments.iter().take_while(|argument| !argument.starts_with('-'));
    let names = words.map(|word| word.rsplit('/').next().unwrap_or(word));
    let is_foreign = |name: &str| {
        let compiler = ["gcc", "clang", "cc"].into_iter().find_map(|end| name.find(&format!("-{end}")));
        let machine = compiler.map(|end| &name[..end]);
        let is_ours = |machine: &str| machine.starts_with("x86_64") && machine.contains("linux");
        name.ends_with("++") || machine.is_some_and(|machine| machine.contains('-') && !is_ours(machine))
    };
    names.into_iter().find(|name| is_foreign(name)).map(str::to_owned)
}

/// The place of a mistake in the text of a database.
fn malformed(file: &Path, text: &str, error: &serde_json::Error) -> Diagnostic {
    let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
    let full = error.to_string();
    let what = full.split(" at line ").next().unwrap_or(&full);
    let source = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    Diagnostic::error(format!("malformed compilation database: {what}"))
        .at(Place {
            path: file.display().to_string(),
            line,
            column: u32::try_from(error.column()).unwrap_or(u32::MAX).max(1),
            length: 1,
            text: source.to_owned(),
        })
        .help("it must be a JSON list of objects with `directory`, `file`, and `command` or `arguments`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_for_other_machines_are_known_by_their_names() {
        let foreign = |line: &str| foreign_compiler(&shlex::split(line).expect("it is a line for a shell"));
        assert_eq!(foreign("/usr/bin/cc -c a.c"), None);
        assert_eq!(foreign("ccache gcc-12 -c my-gcc.c"), None);
        assert_eq!(foreign("x86_64-linux-gnu-gcc -c a.c"), None);
        assert_eq!(foreign("arm-none-eabi-gcc -c a.c").as_deref(), Some("arm-none-eabi-gcc"));
        assert_eq!(foreign("ccache clang++ -c a.c").as_deref(), Some("clang++"));
    }
}
