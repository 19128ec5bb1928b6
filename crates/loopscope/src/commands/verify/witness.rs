//! Files that say why an answer is so: witnesses.

use std::path::Path;
use std::time::Duration;

use base::{Budget, guarded};
use clients::Verdict;
use clients::confirm::shorter;
use clients::points::points;
use clients::refute::Query;
use evidence::{Integers, Point};
use program::Program;
use report::message::Message;
use report::witness::source::Source;
use report::witness::{Share, Sites, Task, acsl, divided, graphml, yaml};

use super::Arguments;
use crate::clock;
use crate::replay::save;

/// The forms that a witness can have.
enum Form {
    Yaml,
    GraphMl,
    Annotated,
}

impl Form {
    fn of(path: &Path) -> Self {
        match path.extension().and_then(|status| status.to_str()) {
            Some("graphml") => Form::GraphMl,
            Some("c" | "acsl") => Form::Annotated,
            _ => Form::Yaml,
        }
    }
}

/// Writes the witness of a verdict. The answer is what there is to say about it; an error is a file that cannot be
/// written.
pub fn write(
    path: &Path,
    arguments: &Arguments,
    program: &Program,
    query: &Query,
    verdict: &Verdict,
    budget: &Budget,
) -> Result<Vec<Message>, Vec<Message>> {
    let not_written = |why: &str| {
        let text = format!("`{}` is not written: {why}", path.display());
        Ok(vec![Message::warning(text)])
    };
    let files: Vec<String> = arguments.files.iter().map(|file| file.display().to_string()).collect();
    let integers = query.integers.into();
    let sites = sites(points(program).into_iter().map(|(_, _, point)| point).collect(), &files, integers);
    let task = Task {
        files: files.iter().map(|file| (file.clone(), digest(file))).collect(),
        specification: query.property.specification(&query.function),
        bits: 8 * program.data_model.pointer_bytes() as u32,
        integers,
        entry: query.function.clone(),
        time: clock::now(),
    };
    let shorter = match verdict {
        Verdict::Proved(certificate) => {
            let budget = budget.clone().within(SHORTENING);
            guarded(|| shorter(program, certificate, &budget)).ok().flatten().map(Verdict::Proved)
        }
        _ => None,
    };
    let verdict = shorter.as_ref().unwrap_or(verdict);
    let text = match (verdict, Form::of(path)) {
        (Verdict::Unknown { .. }, _) => return not_written("there is no answer"),
        (Verdict::Proved(certificate), Form::Annotated) => {
            let Some(file) = files.first() else { return not_written("there is no file to annotate") };
            if arguments.files.iter().any(|file| same(file, path)) {
                return not_written("it is the source itself");
            }
            acsl::annotated(file, &text_of(file), &sites, certificate.evidence())
        }
        (Verdict::Proved(certificate), form) => {
            let (evidence, mode) = (certificate.evidence(), certificate.mode());
            match form {
                Form::GraphMl => {
                    graphml::proof(&task, &sites, &divided(&task, &sites, evidence, mode, Share::All))
                }
                _ => yaml::proof(&task, &sites, &divided(&task, &sites, evidence, mode, Share::Rest)),
            }
        }
        (Verdict::Refuted { .. }, Form::Annotated) => {
            return not_written("ACSL comments say why something holds, and it does not");
        }
        (Verdict::Refuted { counterexample }, Form::GraphMl) => {
            graphml::violation(&task, &sites, counterexample)
        }
        (Verdict::Refuted { counterexample }, Form::Yaml) => yaml::violation(&task, &sites, counterexample),
    };
    save(path, &text).map_or_else(|| Ok(Vec::new()), |problem| Err(vec![problem]))
}

/// So much of the time that is left may be spent on leaving out what a proof does not need.
const SHORTENING: Duration = Duration::from_secs(2);

/// The loops of a program with the text of its files.
pub fn sites(points: Vec<Point>, files: &[String], integers: Integers) -> Sites {
    let sources = files.iter().map(|file| Source::new(file, &text_of(file))).collect();
    Sites::new(points, sources, integers)
}

/// The digest of a file.
pub fn digest(file: &str) -> String {
    report::digest::sha256(&std::fs::read(file).unwrap_or_default())
}

fn text_of(file: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned()
}

fn same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
