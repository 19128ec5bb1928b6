//! `loopscope tests`: inputs that reach every branch of a program, or one line of it.

mod arguments;
mod text;

use std::path::Path;

use clients::tests::{Method, Progress, Refusal, Request, Wanted, tests};
use evidence::Suite;
use program::Program;
use report::digest::sha256;

pub use self::arguments::Arguments;
use super::shared::*;
use crate::replay::save;
use crate::sources::Lines;

impl Command for Arguments {
    const NAME: &'static str = "tests";

    fn run(&self, terminal: &Terminal, interrupt: &Interrupt) -> ExitStatus {
        let start = Instant::now();
        let wanted = wanted(self)?;
        if let Some(directory) = &self.output_directory {
            // Whoever cannot write need not search.
            std::fs::create_dir_all(directory).map_err(|error| {
                vec![Message::error(format!("cannot make the directory `{}`: {error}", directory.display()))]
            })?;
        }
        // Branches are those of the source: clean-up passes come after they are marked.
        let prepared = read(&self.files, &self.source, Form::Raw, terminal)?;
        if prepared.errors().next().is_some() {
            return Ok(exit::BAD_INPUT);
        }
        let budget = time_left(self.time_limit, start, interrupt);
        let function = entry(&prepared.program, self.function.as_deref(), terminal);
        if let Some(code) = unsupported_entry(&prepared, &function, self.output.json, terminal) {
            return Ok(code);
        }
        let request = Request { function, wanted, method: Method::All };
        let left_out = not_analysed(&prepared, None);
        let suite = match search(&prepared.program, &request, &budget, terminal) {
            // The line may be one of what is not analysed.
            Err(messages) if self.target.is_some() && !left_out.is_empty() => {
                terminal.messages(&messages);
                terminal.print(&lines(&left_out));
                return Ok(exit::UNKNOWN);
            }
            outcome => outcome?,
        };
        if let Some(directory) = &self.output_directory {
            let problems = write(directory, self, &prepared.program, &suite);
            if !problems.is_empty() {
                return Err(problems);
            }
        }
        if self.output.json {
            terminal.print(&document(&suite, &left_out));
        } else {
            let source = Lines::default();
            let report = text::render(&suite, &|place| source.at(place));
            terminal.print(&(report + &lines(&left_out)));
        }
        Ok(exit::with_parts_left_out(code(&suite), left_out.len()))
    }
}

/// What the user wants to reach.
fn wanted(arguments: &Arguments) -> Result<Wanted, Vec<Message>> {
    let Some(target) = &arguments.target else { return Ok(Wanted::Branches) };
    let (file, line) = match target.rsplit_once(':') {
        Some((file, line)) => (Some(file.to_owned()), line),
        None => (arguments.files.first().map(|file| file.display().to_string()), target.as_str()),
    };
    match (file, line.parse()) {
        (Some(file), Ok(line)) if line > 0 => Ok(Wanted::Line { file, line }),
        (None, Ok(_)) => Err(vec![
            Message::error(format!("--target {target}: no file is named on the command line"))
                .help("give FILE:LINE"),
        ]),
        _ => {
            Err(vec![Message::error(format!("--target {target}: not a line")).help("give LINE or FILE:LINE")])
        }
    }
}

fn search(
    program: &Program,
    request: &Request,
    budget: &Budget,
    terminal: &Terminal,
) -> Result<Suite, Vec<Message>> {
    let mut progress = |progress: Progress| {
        terminal.progress(&match progress {
            Progress::Runs(runs) => format!("{runs} runs tried"),
            Progress::Summarising(done, all) => format!("{done} of {all} nests of loops summarised"),
            Progress::Unrolling(iterations) => format!("examining all runs of up to {iterations} iterations"),
            Progress::Settled(done, all) => format!("{done} of {all} targets settled"),
        });
    };
    let suite = guarded(|| tests(program, request, budget, &mut progress));
    terminal.progress("");
    match suite {
        Ok(Ok(suite)) => Ok(suite),
        Ok(Err(refusal)) => Err(vec![refused(request, refusal)]),
        Err(problem) => Err(vec![internal_error("the search for tests", &problem)]),
    }
}

fn refused(request: &Request, refusal: Refusal) -> Message {
    match (refusal, &request.wanted) {
        (Refusal::Entry(reason), _) => Message::error(reason.to_string()),
        (Refusal::NoCode { next, known }, Wanted::Line { file, line }) => {
            let message = Message::error(format!("there is no code at {file}:{line}"));
            match next {
                Some(next) => message.help(format!("the next line with code is {next}")),
                None if known => message.help("no line after it has any"),
                None => message.help(format!("no function of the program is in `{file}`")),
            }
        }
        (Refusal::NoCode { .. }, Wanted::Branches) => Message::error("there is no code"),
    }
}

/// Writes all files. Gives what cannot be written.
fn write(directory: &Path, arguments: &Arguments, program: &Program, suite: &Suite) -> Vec<Message> {
    let file = arguments.files.first().map_or_else(String::new, |file| file.display().to_string());
    let hash = sha256(&std::fs::read(&file).unwrap_or_default());
    let specification = match arguments.target {
        None => "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )",
        Some(_) => "COVER( init(main()), FQL(COVER EDGES(@BASICBLOCKENTRY)) )",
    };
    let metadata = text::Metadata {
        file: &file,
        hash: &hash,
        entry: &suite.entry,
        bits: 8 * program.data_model.pointer_bytes() as u32,
        specification,
        time: &crate::clock::now(),
    };
    let mut problems = clear(directory);
    problems.extend(save(&directory.join("metadata.xml"), &text::metadata_xml(&metadata)));
    let sources: Vec<String> = arguments.files.iter().map(|file| file.display().to_string()).collect();
    // The driver of a test that starts elsewhere has a `main` of its own.
    let has_main = suite.entry != "main" && program.function_named("main").is_some();
    let rename = if has_main { "-Dmain=program_main " } else { "" };
    for (number, test) in suite.tests.iter().enumerate() {
        let name = |suffix: &str| directory.join(format!("testcase-{}.{suffix}", number + 1));
        let driver = name("c");
        let compile = format!("cc {rename}{} {} -o test && ./test", sources.join(" "), driver.display());
        problems.extend(save(&name("xml"), &text::test_xml(test)));
        problems.extend(save(&name("inputs"), &report::inputs::write_test(&suite.entry, test)));
        let text = report::replay::test_driver(program, suite, test, &compile);
        problems.extend(save(&driver, &text));
    }
    problems
}

/// Removes the tests of an earlier suite of ours: they would be taken for tests of this one. Gives what cannot be removed.
fn clear(directory: &Path) -> Vec<Message> {
    let metadata = std::fs::read_to_string(directory.join("metadata.xml")).unwrap_or_default();
    if !metadata.contains("<producer>loopscope ") {
        return Vec::new();
    }
    let is_test = |name: &str| {
        let number = name.strip_prefix("testcase-").and_then(|rest| rest.split_once('.'));
        number.is_some_and(|(number, suffix)| {
            number.bytes().all(|digit| digit.is_ascii_digit()) && ["xml", "c", "inputs"].contains(&suffix)
        })
    };
    let mut problems = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if is_test(&entry.file_name().to_string_lossy())
            && let Err(error) = std::fs::remove_file(&path)
        {
            problems.push(Message::error(format!("cannot remove the old `{}`: {error}", path.display())));
        }
    }
    problems
}

/// The code for a test suite.
fn code(suite: &Suite) -> u8 {
    if suite.counts().2 == 0 { exit::DONE } else { exit::UNKNOWN }
}
