//! Compilation databases: `compile_commands.json`, as build tools write it.
//!
//! Each entry has the command of one compilation, as a list of arguments or as a line for a shell. The flags that say
//! how the C text is to be read are taken; all others are about code, warnings and files, and are ignored.

use std::path::{Path, PathBuf};

use program::DataModel;
use serde_json::{Map, Value};

use crate::{Diagnostic, Input, Macro, Options, Place};

/// The name of the file in a build directory.
const FILE_NAME: &str = "compile_commands.json";

/// Flags that take the next argument as their value, so that it is not taken for something else.
const FLAGS_WITH_VALUE: [&str; 21] = [
    "-o",
    "-x",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-L",
    "-l",
    "-u",
    "-T",
    "-z",
    "-arch",
    "-target",
    "--param",
    "-isysroot",
    "-iprefix",
    "-aux-info",
    "-dumpbase",
];

/// The C files of a compilation database, each with its flags. The path is the file or the directory with it.
pub fn compile_commands(path: &Path) -> Result<Vec<Input>, Diagnostic> {
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
    let mut inputs = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let entry =
            entry.as_object().ok_or_else(|| wrong(&format!("expected an object as entry {}", number + 1)))?;
        let input = input(entry, base.as_deref().unwrap_or(Path::new(".")));
        let input = input.map_err(|what| wrong(&format!("{what} in entry {}", number + 1)))?;
        inputs.extend(input);
    }
    Ok(inputs)
}

/// One entry, or nothing if it does not compile C.
fn input(entry: &Map<String, Value>, base: &Path) -> Result<Option<Input>, String> {
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
    let is_c = path.extension().is_some_and(|extension| extension == "c" || extension == "i");
    Ok(is_c.then(|| Input {
        path,
        directory: Some(directory),
        options: options(arguments.get(1..).unwrap_or(&[])),
    }))
}

/// What the arguments of a compiler say about reading C.
fn options(arguments: &[String]) -> Options {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        // The value of a flag is glued to it or is the next argument.
        let mut value = |flag: &str| -> Option<String> {
            match argument.strip_prefix(flag)? {
                "" => rest.next().cloned(),
                glued => Some(glued.to_owned()),
            }
        };
        if let Some(path) = value("-isystem") {
            options.system_include.push(PathBuf::from(path));
        } else if let Some(path) = value("-iquote") {
            options.quote_include.push(PathBuf::from(path));
        } else if let Some(path) = value("-include") {
            options.preinclude.push(PathBuf::from(path));
        } else if let Some(path) = value("-I") {
            options.include.push(PathBuf::from(path));
        } else if let Some(definition) = value("-D") {
            options.macros.push(Macro::Define(definition));
        } else if let Some(name) = value("-U") {
            options.macros.push(Macro::Undefine(name));
        } else if let Some(standard) =
            argument.strip_prefix("-std=").or_else(|| argument.strip_prefix("--std="))
        {
            options.standard = Some(standard.to_owned());
        } else if argument == "-ansi" {
            options.standard = Some(String::from("c89"));
        } else if argument == "-m32" {
            options.data_model = DataModel::Ilp32;
        } else if argument == "-m64" {
            options.data_model = DataModel::Lp64;
        } else if FLAGS_WITH_VALUE.contains(&argument.as_str()) {
            rest.next();
        }
    }
    options
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

    fn read(line: &str) -> Options {
        options(&shlex::split(line).expect("it is a line for a shell"))
    }

    #[test]
    fn flags_are_read_glued_and_apart() {
        let options =
            read("-Ia -I b -isystem s -isystemt -iquote q -include p.h -DN=1 -D M -UX -std=gnu99 -m32");
        assert_eq!(options.include, [Path::new("a"), Path::new("b")]);
        assert_eq!(options.system_include, [Path::new("s"), Path::new("t")]);
        assert_eq!(options.quote_include, [Path::new("q")]);
        assert_eq!(options.preinclude, [Path::new("p.h")]);
        let define = |text: &str| Macro::Define(String::from(text));
        assert_eq!(options.macros, [define("N=1"), define("M"), Macro::Undefine(String::from("X"))]);
        assert_eq!(options.standard.as_deref(), Some("gnu99"));
        assert_eq!(options.data_model, DataModel::Ilp32);
    }

    #[test]
    fn other_flags_are_ignored_with_their_values() {
        assert_eq!(read("-O2 -Wall -c -o -Ix.o -MD -MF -Dx.d -fPIC a.c"), Options::default());
    }

    #[test]
    fn quotes_of_a_shell_are_taken_off() {
        let options = read(r#"-DS='"a b"' -I"with space" -DE=\"x\""#);
        assert_eq!(options.macros[0], Macro::Define(String::from("S=\"a b\"")));
        assert_eq!(options.macros[1], Macro::Define(String::from("E=\"x\"")));
        assert_eq!(options.include, [Path::new("with space")]);
    }
}
