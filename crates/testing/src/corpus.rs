//! The annotated C programs of the repository. `corpus/README.md` describes the annotations.

use std::path::{Path, PathBuf};
use std::{fs, io};

use clients::Property;
use program::Obligation;

/// What a test may ask of an analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// The opposite answer is a bug.
    Soundness,
    /// The opposite answer is a bug, and not to know is one, too.
    Precision,
}

/// What is true of a program, or of one of its loops.
#[derive(Clone, PartialEq, Debug)]
pub enum Claim {
    /// The number of its loops.
    Loops(usize),
    /// No run violates the property.
    Holds(Property, Mark),
    /// Some run violates the property.
    Fails(Property, Mark),
    /// Every run leaves the loop.
    Terminates(Mark),
    /// Some run never leaves the loop.
    Diverges(Mark),
    /// How often the body is entered at most.
    Bound(String, Mark),
}

/// A claim, and the line of the code that follows it.
#[derive(Clone, PartialEq, Debug)]
pub struct Annotation {
    /// What is true.
    pub claim: Claim,
    /// The next line that is no annotation, from one.
    pub line: u32,
}

/// What a run of a program from the obligation matrix does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expectation {
    /// It ends without a violation, and returns zero.
    Clean,
    /// It violates an obligation.
    Trips {
        /// Its kind.
        obligation: Obligation,
        /// Where, if that is certain.
        line: Option<u32>,
    },
}

/// The folder of the corpus.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// The C files in a folder, in the order of their names.
pub fn programs(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

impl Claim {
    /// Whether the claim is about a loop, not about the whole program.
    pub fn is_about_a_loop(&self) -> bool {
        matches!(self, Claim::Terminates(_) | Claim::Diverges(_) | Claim::Bound(..))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let problem = || format!("not an annotation: `{text}`");
        if let Some(count) = text.strip_prefix("loops:") {
            return count.trim().parse().map(Claim::Loops).map_err(|_| problem());
        }
        let (text, mark) = match (text.strip_suffix("(soundness)"), text.strip_suffix("(precision)")) {
            (Some(rest), _) => (rest.trim(), Mark::Soundness),
            (_, Some(rest)) => (rest.trim(), Mark::Precision),
            _ => return Err(format!("no mark: `{text}`")),
        };
        let property = |name: &str| Property::from_name(name.trim()).map_err(|error| error.to_string());
        match text.split_once(':') {
            Some(("holds", name)) => Ok(Claim::Holds(property(name)?, mark)),
            Some(("fails", name)) => Ok(Claim::Fails(property(name)?, mark)),
            Some(("bound", expression)) => Ok(Claim::Bound(expression.trim().to_string(), mark)),
            None if text == "terminates" => Ok(Claim::Terminates(mark)),
            None if text == "diverges" => Ok(Claim::Diverges(mark)),
            _ => Err(problem()),
        }
    }
}

/// All annotations of a program.
pub fn annotations(source: &str) -> Result<Vec<Annotation>, String> {
    let mut found: Vec<Annotation> = Vec::new();
    let mut waiting = 0;
    for (number, line) in (1..).zip(source.lines()) {
        match line.trim().strip_prefix("//@") {
            Some(text) => {
                let claim =
                    Claim::parse(text.trim()).map_err(|problem| format!("line {number}: {problem}"))?;
                found.push(Annotation { claim, line: 0 });
            }
            None => {
                found[waiting..].iter_mut().for_each(|annotation| annotation.line = number);
                waiting = found.len();
            }
        }
    }
    if found.is_empty() { Err(String::from("the program has no annotation")) } else { Ok(found) }
}

/// What the first line of a program of the obligation matrix says.
pub fn expectation(source: &str) -> Result<Expectation, String> {
    let first = source.lines().next().unwrap_or_default();
    let problem = || format!("not an expectation: `{first}`");
    if first == "// clean" {
        return Ok(Expectation::Clean);
    }
    let rest = first.strip_prefix("// trips: ").ok_or_else(problem)?;
    let (kind, line) = match rest.split_once(" at line ") {
        Some((kind, line)) => (kind, Some(line.parse().map_err(|_| problem())?)),
        None => (rest, None),
    };
    let obligation = Obligation::from_name(kind).ok_or_else(problem)?;
    Ok(Expectation::Trips { obligation, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_belong_to_the_next_line_of_code() {
        let source =
            "//@ loops: 1\nint n;\n//@ terminates (precision)\n//@ bound: n + 1 (soundness)\nwhile (1)\n";
        let found = annotations(source).unwrap();
        assert_eq!(found[0], Annotation { claim: Claim::Loops(1), line: 2 });
        assert_eq!(found[1], Annotation { claim: Claim::Terminates(Mark::Precision), line: 5 });
        assert_eq!(
            found[2],
            Annotation { claim: Claim::Bound(String::from("n + 1"), Mark::Soundness), line: 5 }
        );
    }

    #[test]
    fn what_is_no_annotation_is_refused() {
        assert!(annotations("//@ terminates\n").unwrap_err().contains("no mark"));
        assert!(annotations("//@ holds: peace (precision)\n").unwrap_err().contains("peace"));
        assert!(annotations("//@ explodes (soundness)\n").unwrap_err().contains("explodes"));
        assert!(annotations("int x;\n").is_err());
    }

    #[test]
    fn expectations_are_understood() {
        assert_eq!(expectation("// clean\n"), Ok(Expectation::Clean));
        let trips = Expectation::Trips { obligation: Obligation::Null, line: Some(9) };
        assert_eq!(expectation("// trips: null at line 9\n"), Ok(trips));
        assert!(expectation("// trips: boredom\n").is_err());
    }
}
