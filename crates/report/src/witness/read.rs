//! Reads witnesses: what we have written, and those of others as far as they speak of loops and of what calls return.

use std::collections::BTreeMap;

use evidence::Statement;
use serde::Deserialize;
use serde_saphyr::Spanned;

use super::own::{self, OwnClaim, OwnProof, OwnRun};
use super::{EntryKind, Problem, Sites, graphml, parse, ranks};
use crate::inputs::{Inputs, Value, Values};

/// A witness as it was read.
#[derive(Clone, PartialEq, Debug)]
pub struct Witness {
    /// The digests of the files that it is for, as far as they are known.
    pub digests: Vec<String>,
    /// The property, in the language of the competition.
    pub specification: Option<String>,
    /// How wide pointers are, if it says.
    pub bits: Option<u32>,
    /// What it shows.
    pub content: Content,
}

/// What a witness shows.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// A proof.
    Proof {
        /// Invariants as the exchange format has them.
        invariants: Vec<Invariant>,
        /// Our own part, with the line of the file on which it starts.
        own: Option<(OwnProof, usize)>,
    },
    /// A violating run.
    Run(OwnRun),
}

/// An invariant of the exchange format.
#[derive(Clone, PartialEq, Debug)]
pub struct Invariant {
    /// What kind it is.
    pub kind: String,
    /// The function, if it is told.
    pub function: Option<String>,
    /// The line in the source.
    pub line: u32,
    /// The column in the source, if it is told.
    pub column: Option<u32>,
    /// The expression.
    pub value: String,
    /// The line in the witness.
    pub at: usize,
}

/// A claim of a witness, with its line.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    /// What it is about: a loop, by its place among the points, or an abstract loop, by its place among the abstract
    /// loops.
    pub about: About,
    /// What is claimed.
    pub what: Statement,
    /// The line in the witness.
    pub line: usize,
}

/// What a claim is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// A loop.
    Point(usize),
    /// An abstract loop.
    AbstractLoop(usize),
}

/// Reads a witness.
///
/// # Errors
/// If it is none.
pub fn read(text: &str) -> Result<Witness, Problem> {
    if text.trim_start().starts_with('<') {
        return read_graphml(text);
    }
    let documents: Vec<Document> = serde_saphyr::from_str(text).map_err(|error| {
        let line = error.location().map_or(1, |location| location.line() as usize);
        Problem { line, text: format!("this is no witness: {}", error.without_snippet()) }
    })?;
    let wanted = |document: &&Document| {
        matches!(document.entry_type.value.as_str(), "invariant_set" | "violation_sequence")
    };
    let document = documents.iter().find(wanted).ok_or_else(|| Problem {
        line: documents.first().map_or(1, |document| line(&document.entry_type)),
        text: String::from("expected an entry of type `invariant_set` or `violation_sequence`"),
    })?;
    let task = document.metadata.task.as_ref();
    let description = document.metadata.producer.as_ref().and_then(|producer| producer.description.as_ref());
    let own =
        description.filter(|text| own::is_ours(&text.value)).map(|text| (text.value.as_str(), line(text)));
    Ok(Witness {
        digests: task.map(|task| task.input_file_hashes.values().cloned().collect()).unwrap_or_default(),
        specification: task.and_then(|task| task.specification.clone()),
        bits: task.and_then(|task| task.data_model.as_deref()).and_then(bits),
        content: content(document, own)?,
    })
}

fn bits(model: &str) -> Option<u32> {
    match model {
        "ILP32" | "32bit" => Some(32),
        "LP64" | "64bit" => Some(64),
        _ => None,
    }
}

fn content(document: &Document, own: Option<(&str, usize)>) -> Result<Content, Problem> {
    let shifted = |start: usize| move |problem: Problem| Problem { line: start + problem.line, ..problem };
    if document.entry_type.value == "violation_sequence" {
        return Ok(Content::Run(match own {
            Some((text, start)) => own::read_run(text).map_err(shifted(start))?,
            None => OwnRun { inputs: returned(document)?, recurrence: None },
        }));
    }
    let own = match own {
        Some((text, start)) => Some((own::read_proof(text).map_err(shifted(start))?, start)),
        None => None,
    };
    let mut invariants = Vec::new();
    for element in &document.content {
        let Some(one) = &element.invariant else { continue };
        invariants.push(Invariant {
            kind: one.kind.clone(),
            function: one.location.function.clone(),
            line: one.location.line,
            column: one.location.column,
            value: one.value.value.clone(),
            at: line(&one.value),
        });
    }
    Ok(Content::Proof { invariants, own })
}

/// The inputs of a run whose witness is not ours: what calls return, in order.
fn returned(document: &Document) -> Result<Inputs, Problem> {
    let mut once = Vec::new();
    let waypoints = document.content.iter().flat_map(|element| &element.segment);
    for waypoint in waypoints.map(|one| &one.waypoint).filter(|one| one.kind == "function_return") {
        let Some(constraint) = &waypoint.constraint else { continue };
        let value = &constraint.value;
        let number = value.value.split_once("==").filter(|(left, _)| left.trim() == "\\result");
        let number = number.and_then(|(_, number)| crate::inputs::read_value(number.trim()).ok());
        once.push(number.unwrap_or(Value::Null));
        if number.is_none() {
            let text = format!("expected `\\result == NUMBER`, not `{}`", value.value);
            return Err(Problem { line: line(value), text });
        }
    }
    Ok(Inputs { values: Values { once, ..Values::default() }, ..Inputs::default() })
}

fn read_graphml(text: &str) -> Result<Witness, Problem> {
    let (own, start, is_proof) = graphml::own_part(text)?;
    let shifted = |problem: Problem| Problem { line: start + problem.line, ..problem };
    let content = if is_proof {
        let own = own::read_proof(&own).map_err(shifted)?;
        Content::Proof { invariants: Vec::new(), own: Some((own, start)) }
    } else {
        Content::Run(own::read_run(&own).map_err(shifted)?)
    };
    Ok(Witness {
        digests: graphml::digest(text).map(str::to_owned).into_iter().collect(),
        specification: graphml::specification(text),
        bits: None,
        content,
    })
}

/// What a proof claims of the loops of a program, and the entries that cannot be used.
pub fn claims(
    invariants: &[Invariant],
    own: Option<&(OwnProof, usize)>,
    sites: &Sites,
) -> (Vec<Claim>, Vec<Problem>) {
    let (mut claims, mut unused) = (Vec::new(), Vec::new());
    for invariant in invariants {
        match claim(invariant, sites) {
            Ok(claim) => claims.push(claim),
            Err(text) => unused.push(Problem { line: invariant.at, text }),
        }
    }
    if let Some((own, start)) = own {
        for OwnClaim { abstract_loop, what, line } in &own.claims {
            claims.push(Claim {
                about: About::AbstractLoop(*abstract_loop),
                what: what.clone(),
                line: start + line,
            });
        }
    }
    (claims, unused)
}

fn claim(invariant: &Invariant, sites: &Sites) -> Result<Claim, String> {
    let kinds = [EntryKind::LoopInvariant, EntryKind::LocationInvariant, EntryKind::LoopTransitionInvariant];
    let kind = kinds.into_iter().find(|kind| kind.name() == invariant.kind);
    let kind = kind.ok_or_else(|| format!("entries of type `{}` are not used", invariant.kind))?;
    let is_here = |point: &usize| {
        let Some((there, place)) = sites.position(*point) else { return false };
        let wanted = if kind == EntryKind::LoopTransitionInvariant { EntryKind::LoopInvariant } else { kind };
        there == wanted
            && place.line == invariant.line
            && invariant.column.is_none_or(|column| column == place.column)
            && invariant.function.as_ref().is_none_or(|name| *name == sites.points[*point].function)
    };
    let point = (0..sites.points.len()).find(is_here).ok_or_else(|| {
        let column = invariant.column.map_or_else(String::new, |column| format!(":{column}"));
        format!("no loop stands at {}{column} of the source to which the entry could belong", invariant.line)
    })?;
    let formula = parse::formula(&invariant.value, &sites.spelling(point), kind.speaks());
    let formula = formula.map_err(|error| format!("{error} `{}`", invariant.value))?;
    let what = match kind {
        EntryKind::LoopTransitionInvariant => Statement::Left(ranks::argument(&formula)),
        _ => Statement::LoopInvariant(formula),
    };
    Ok(Claim { about: About::Point(point), what, line: invariant.at })
}

fn line<T>(value: &Spanned<T>) -> usize {
    value.referenced.line() as usize
}

#[derive(Deserialize)]
struct Document {
    entry_type: Spanned<String>,
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    content: Vec<Element>,
}

#[derive(Deserialize, Default)]
struct Metadata {
    producer: Option<Producer>,
    task: Option<TaskText>,
}

#[derive(Deserialize)]
struct Producer {
    description: Option<Spanned<String>>,
}

#[derive(Deserialize)]
struct TaskText {
    #[serde(default)]
    input_file_hashes: BTreeMap<String, String>,
    specification: Option<String>,
    data_model: Option<String>,
}

#[derive(Deserialize)]
struct Element {
    invariant: Option<InvariantText>,
    #[serde(default)]
    segment: Vec<SegmentText>,
}

#[derive(Deserialize)]
struct InvariantText {
    #[serde(rename = "type")]
    kind: String,
    location: LocationText,
    value: Spanned<String>,
}

#[derive(Deserialize)]
struct LocationText {
    line: u32,
    column: Option<u32>,
    function: Option<String>,
}

#[derive(Deserialize)]
struct SegmentText {
    waypoint: WaypointText,
}

#[derive(Deserialize)]
struct WaypointText {
    #[serde(rename = "type")]
    kind: String,
    constraint: Option<ConstraintText>,
}

#[derive(Deserialize)]
struct ConstraintText {
    value: Spanned<String>,
}
