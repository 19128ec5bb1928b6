//! Witnesses: why a program has a property or has it not, as files that other tools read, and that we read back.
//!
//! | file | what it is |
//! |---|---|
//! | `.yml`, `.yaml`, and all others | the exchange format of the competition on software verification, version 2.1 ([`yaml`]) |
//! | `.graphml` | the older exchange format, version 1.0 ([`graphml`]) |
//! | `.c`, `.acsl` | the source with invariants and variants as ACSL comments, for people and for Frama-C ([`acsl`]) |
//!
//! A proof is written twice. What C can say stands where every reader of the format looks for it: invariants of loops and
//! transition invariants ([`spell`], [`ranks`]). What C cannot say stands in a part of our own ([`own`]). Nothing stands in
//! both: a formula that can be read back from its C form is not repeated.

pub mod acsl;
pub mod graphml;
pub mod own;
pub mod parse;
pub mod ranks;
pub mod read;
pub mod source;
pub mod spell;
pub mod yaml;

use evidence::{
    Counterexample, Evidence, Formula, Integers, Place, Point, ProofMode, Statement, Summary, Termination,
};

pub use crate::inputs::Problem;

use self::source::Source;
use self::spell::{Speaks, Spelling};

/// The query that a witness answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The C files, each with the digest of its contents.
    pub files: Vec<(String, String)>,
    /// The property in the language of the competition: a line for each `CHECK`.
    pub specification: String,
    /// How wide pointers are, in bits.
    pub bits: u32,
    /// What integers are.
    pub integers: Integers,
    /// The function that runs start in.
    pub entry: String,
    /// When the witness was made, as `2026-01-31T12:00:00Z`.
    pub time: String,
}

/// What the source says about loops: those of the program, each with the names that can be seen from it.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    /// The loops; variables that cannot be seen are left out.
    pub points: Vec<Point>,
    /// The text of the files.
    pub sources: Vec<Source>,
    /// Whether integers have no limits.
    pub unlimited: bool,
}

/// An invariant or transition invariant that C can say.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The loop, by its place among the points.
    pub point: usize,
    /// What kind of entry it is.
    pub kind: EntryKind,
    /// The expression.
    pub value: String,
}

/// What an entry says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// It holds whenever the condition of the loop is tested.
    LoopInvariant,
    /// It holds whenever control comes to the first statement of the body of a `do`.
    LocationInvariant,
    /// It relates every two visits of the head.
    LoopTransitionInvariant,
}

impl EntryKind {
    /// Its name in the exchange format.
    pub const fn name(self) -> &'static str {
        match self {
            EntryKind::LoopInvariant => "loop_invariant",
            EntryKind::LocationInvariant => "location_invariant",
            EntryKind::LoopTransitionInvariant => "loop_transition_invariant",
        }
    }

    const fn speaks(self) -> Speaks {
        match self {
            EntryKind::LoopTransitionInvariant => Speaks::Transition,
            EntryKind::LoopInvariant | EntryKind::LocationInvariant => Speaks::State,
        }
    }
}

impl Sites {
    /// The loops of a program with the texts of its files. Of each loop the variables are kept that it sees.
    pub fn new(points: Vec<Point>, sources: Vec<Source>, integers: Integers) -> Self {
        let unlimited = integers == Integers::Mathematical;
        let mut sites = Self { points, sources, unlimited };
        let mut points = std::mem::take(&mut sites.points);
        for point in &mut points {
            let mut variables = std::mem::take(&mut point.variables);
            match sites.source(&point.place) {
                Some(source) => variables.retain(|variable| source.sees(point, variable)),
                None => variables.clear(),
            }
            point.variables = variables;
        }
        sites.points = points;
        sites
    }

    /// The file that a place is in.
    pub fn source(&self, place: &Place) -> Option<&Source> {
        self.sources.iter().find(|source| source.physical(place).is_some())
    }

    /// A place in one of the files themselves; the same where none has it.
    pub fn physical(&self, place: &Place) -> Place {
        self.sources.iter().find_map(|source| source.physical(place)).unwrap_or_else(|| place.clone())
    }

    /// The names that can be used at a loop.
    pub fn spelling(&self, point: usize) -> Spelling<'_> {
        Spelling::new(self.points[point].variables.iter(), self.unlimited)
    }

    /// The place that stands for the states at the head of a loop, and what holds there is called.
    pub fn position(&self, point: usize) -> Option<(EntryKind, Place)> {
        let one = &self.points[point];
        let source = self.source(&one.place)?;
        Some(match one.keyword {
            // What holds where the condition of a `do` is tested is something else.
            "do" => (EntryKind::LocationInvariant, source.body(one)?),
            _ => (EntryKind::LoopInvariant, source.physical(&one.place)?),
        })
    }
}

/// A proof, divided into what C can say and what is left.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DividedProof {
    /// What C can say.
    pub entries: Vec<Entry>,
    /// Our own part.
    pub own: String,
}

/// What stands in our own part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// What cannot be read back from what C says.
    Rest,
    /// Everything, for formats of which we read our own part alone.
    All,
}

/// Divides a proof.
pub fn divided(
    task: &Task,
    sites: &Sites,
    evidence: &Evidence,
    mode: &ProofMode,
    share: Share,
) -> DividedProof {
    if let Evidence::Shapes(shapes) = evidence {
        let own = own::write_shapes(task.integers, &task.entry, shapes);
        return DividedProof { entries: Vec::new(), own };
    }
    let summaries = evidence.loops();
    let mut entries = Vec::new();
    let mut rest: Vec<Vec<Statement>> = summaries.iter().map(claims).collect();
    for point in 0..sites.points.len() {
        let one = &sites.points[point];
        let is_of = |summary: &Summary| summary.name == one.function && summary.place == one.head;
        let abstract_loops: Vec<usize> =
            (0..summaries.len()).filter(|&abstract_loop| is_of(&summaries[abstract_loop])).collect();
        let Some(&first) = abstract_loops.first() else { continue };
        for claim in rest[first].clone() {
            // An entry is about the loop, from wherever it is called.
            if !abstract_loops.iter().all(|&abstract_loop| rest[abstract_loop].contains(&claim)) {
                continue;
            }
            let Some((entry, is_exact)) = entry(sites, point, &claim) else { continue };
            entries.push(entry);
            if is_exact && share == Share::Rest {
                abstract_loops
                    .iter()
                    .for_each(|&abstract_loop| rest[abstract_loop].retain(|other| *other != claim));
            }
        }
    }
    let heading = |summary: &Summary| match &summary.place {
        Some(place) => format!("{} {place}", summary.name),
        None => summary.name.clone(),
    };
    let abstract_loops: Vec<(usize, String, Vec<Statement>)> = rest
        .into_iter()
        .enumerate()
        .filter(|(_, claims)| !claims.is_empty())
        .map(|(abstract_loop, claims)| (abstract_loop, heading(&summaries[abstract_loop]), claims))
        .collect();
    DividedProof {
        entries,
        own: own::write_proof(task.integers, &task.entry, mode, evidence.contracts(), &abstract_loops),
    }
}

fn claims(summary: &Summary) -> Vec<Statement> {
    let invariants = summary.invariants.iter().map(|one| Statement::LoopInvariant(one.formula.clone()));
    invariants.chain(summary.termination.clone().map(Statement::Left)).collect()
}

/// A claim as an entry, and whether it can be read back from it.
fn entry(sites: &Sites, point: usize, claim: &Statement) -> Option<(Entry, bool)> {
    let spelling = sites.spelling(point);
    let (kind, formula) = match claim {
        Statement::LoopInvariant(formula) => (sites.position(point)?.0, formula.clone()),
        // The transition invariant of a `do` is about its condition, too.
        Statement::Left(_) if sites.points[point].keyword == "do" => return None,
        Statement::Left(argument) => (EntryKind::LoopTransitionInvariant, ranks::relation(argument)?),
    };
    let value = spelling.formula(&formula, kind.speaks())?;
    let back = parse::formula(&value, &spelling, kind.speaks()).ok()?;
    let is_exact = match claim {
        Statement::LoopInvariant(formula) => is_same(&back, formula),
        Statement::Left(argument) => same_argument(&ranks::argument(&back), argument),
    };
    Some((Entry { point, kind, value }, is_exact))
}

fn is_same(one: &Formula, other: &Formula) -> bool {
    one.to_string() == other.to_string()
}

/// Whether two arguments are written in the same way.
fn same_argument(one: &Termination, other: &Termination) -> bool {
    let text = |argument: &Termination| {
        let claims = vec![Statement::Left(argument.clone())];
        own::write_proof(Integers::Machine, "", &ProofMode::default(), &[], &[(0, String::new(), claims)])
    };
    text(one) == text(other)
}

/// A number that stands for a text: the same text has the same number, in the form of a UUID (RFC 9562, version 8).
pub(crate) fn uuid(text: &str) -> String {
    let digest = crate::digest::sha256(text.as_bytes());
    let variant = match digest.as_bytes()[16] {
        b'0'..=b'3' => '8',
        b'4'..=b'7' => '9',
        b'8' | b'9' | b'a' | b'b' => 'a',
        _ => 'b',
    };
    format!(
        "{}-{}-8{}-{variant}{}-{}",
        &digest[0..8],
        &digest[8..12],
        &digest[13..16],
        &digest[17..20],
        &digest[20..32]
    )
}

/// An input of a run that is what a call returns.
pub(crate) struct Returned<'a> {
    /// The function that is called.
    pub name: &'a str,
    /// The value.
    pub value: &'a str,
    /// Where the call ends.
    pub place: Place,
}

/// So many returned values are listed.
const LISTED: usize = 1000;

/// The inputs of a run that calls return, as far as the source shows where.
pub(crate) fn returned<'a>(sites: &Sites, run: &'a Counterexample) -> Vec<Returned<'a>> {
    let mut all = Vec::new();
    for input in run.inputs.iter().take(LISTED) {
        let is_name = input.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let (Some(place), true) = (&input.place, is_name && input.value.parse::<i128>().is_ok()) else {
            continue;
        };
        let end = sites.source(place).and_then(|source| source.end_of_call(place));
        all.extend(end.map(|place| Returned { name: &input.name, value: &input.value, place }));
    }
    all
}
