//! Annotations that people wrote, as contracts and invariants.
//!
//! ```text
//! text ─ clauses.rs ─► clauses ─ reader.rs ─► values ─┬─ contract.rs, pointees.rs ─► contracts of functions
//!                                │ operators.rs      └─ loops.rs ─────────────────► invariants and variants
//!                                │ memory.rs, predicates.rs, types.rs
//!                                │ scope.rs: what names mean
//!                                └ number.rs: ℤ, and what C makes of it
//! declarations ─ attributes.rs ─► what pointers point to, promised or only likely
//! ```
//!
//! The languages are ACSL (Baudin, Filliâtre, Marché, Monate, Moy, Prevosto) and the macros of CBMC's contracts, as far as
//! contracts of evidence can say them. A clause that is not read is told with its place and the reason, and the others go on.
//! A part of a clause is never left out: what is read means what the text means, or asks for more of callers, and that is told
//! as a hypothesis.
//!
//! Known imprecision: macros in comments mean what they mean at the end of the file.

mod attributes;
mod clauses;
mod contract;
mod loops;
mod memory;
pub(crate) mod number;
mod operators;
mod pointees;
mod predicates;
mod reader;
pub(crate) mod scope;
mod types;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use base::Location;
use evidence::{Contract, Expression, Formula, Pointee};
use program::Program;
use program::annotation::{Annotation, Target};

use self::clauses::Clause;
use self::value::Trouble;

/// What is written about a program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Annotated {
    /// Contracts of functions, by their names.
    pub contracts: Vec<Stated>,
    /// Annotations of loops, in the order of the source.
    pub loops: Vec<LoopAnnotation>,
    /// What parameters point to, most likely.
    pub hints: Vec<Hint>,
    /// What is not read.
    pub unread: Vec<Unread>,
}

/// A contract that somebody stated.
#[derive(Clone, PartialEq, Debug)]
pub struct Stated {
    /// The contract.
    pub contract: Contract,
    /// Which variables and objects with names the function may assign.
    pub assigns: Assigns,
    /// What the contract asks of callers that the text does not say.
    pub hypotheses: Vec<Hypothesis>,
    /// When the function returns, if the text says so.
    pub terminates: Option<Formula>,
    /// Numbers that decrease from one call of the function to the next within it, the first one first.
    pub decreases: Vec<Expression>,
    /// Where it begins.
    pub location: Location,
    /// Whether everything is read that callers must see to. If not, the contract asks less of them than the text does.
    pub is_whole: bool,
}

/// What a function may assign besides what parameters point to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Assigns {
    /// Nothing is said.
    Anything,
    /// Only the variables and objects with these names.
    Only(Vec<String>),
}

/// Something that a contract asks of callers, and the text does not: about pointees, by their places in the contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hypothesis {
    /// Two pointees are different objects.
    Separated(usize, usize),
    /// A pointee is no object that the program names, and nothing else leads to it.
    Own(usize),
    /// A pointee that is only read may also be written.
    Writable(usize),
    /// The number of bytes of a pointee fits the type of sizes before C cuts it off.
    Fits(usize),
}

/// What somebody wrote about a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopAnnotation {
    /// The function.
    pub function: String,
    /// Where the keyword of the loop stands.
    pub statement: Location,
    /// Where the annotation begins.
    pub location: Location,
    /// What holds whenever control comes to the head.
    pub invariants: Vec<Formula>,
    /// Numbers that decrease from one iteration to the next and are not negative, the first one first.
    pub variant: Vec<Expression>,
    /// Which variables and objects the loop may assign, or what they point to; nothing if it is not said.
    pub assigns: Option<Vec<String>>,
}

/// What a parameter most likely points to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// The function.
    pub function: String,
    /// What its parameter points to.
    pub pointee: Pointee,
    /// Where that is written.
    pub location: Location,
}

/// A part of an annotation that is not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread {
    /// The function that it is about, if it is about one.
    pub function: Option<String>,
    /// Where it stands: what is not understood itself.
    pub location: Location,
    /// The clause.
    pub text: String,
    /// Why it is not read.
    pub reason: String,
    /// Whether callers must see to it: without it the function may not be provable.
    pub is_required: bool,
}

impl Stated {
    /// Whether nothing is stated, and nothing is missing that callers must see to.
    fn is_empty(&self) -> bool {
        let Contract { objects, requires, ensures, .. } = &self.contract;
        let is_empty = objects.is_empty() && requires.is_empty() && ensures.is_empty();
        let is_free =
            self.assigns == Assigns::Anything && self.terminates.is_none() && self.decreases.is_empty();
        is_empty && is_free && self.is_whole
    }
}

/// Clauses longer than this are cut when they are shown.
const SHOWN: usize = 200;

/// Reads what is written about a program.
pub fn contracts(program: &Program) -> Annotated {
    let mut found = Annotated::default();
    let mut functions: BTreeMap<&str, Vec<&Annotation>> = BTreeMap::new();
    for note in &program.annotations.notes {
        match &note.target {
            Target::Function { name, .. } => functions.entry(name).or_default().push(note),
            Target::Loop { .. } => loops::read(program, note, &mut found.loops, &mut found.unread),
            Target::Nothing(why) => found.unread.extend(lost(note, why)),
        }
    }
    let known: BTreeSet<&str> = program.functions.values().map(|function| function.name.as_str()).collect();
    for (name, prototype) in &program.annotations.prototypes {
        if !known.contains(name.as_str()) {
            continue;
        }
        let (promised, hints) = attributes::read(program, name, prototype, &mut found.unread);
        found.hints.extend(hints);
        let notes = functions.remove(name.as_str()).unwrap_or_default();
        if notes.is_empty() && promised.is_empty() {
            continue;
        }
        let builder = contract::Builder::new(program, name, &notes);
        let (stated, unread) = builder.finish(&promised, Some(&prototype.promises));
        if !stated.is_empty() {
            found.contracts.push(stated);
        }
        found.unread.extend(unread);
    }
    // What is not in the program is not told: it is not analysed either.
    let undeclared = functions.into_iter().filter(|(name, _)| known.contains(name));
    for note in undeclared.flat_map(|(_, notes)| notes) {
        found.unread.extend(lost(note, "only a header of the system declares the function"));
    }
    found.unread.sort_by_key(|one| one.location);
    found
}

/// The clauses of an annotation that is about nothing.
fn lost(note: &Annotation, why: &str) -> Vec<Unread> {
    let tell = |clause: Clause<'_>| {
        let trouble = match clause.keyword.as_str() {
            "requires" | "ensures" | "assigns" | "behavior" | "assumes" | "loop invariant"
            | "loop variant" | "loop assigns" => Trouble::new(0, why),
            other => contract::unsupported(other),
        };
        Unread::of(note, &clause, &trouble, None, contract::is_required(&clause))
    };
    clauses::clauses(note, false).into_iter().map(tell).collect()
}

impl Unread {
    fn of(
        note: &Annotation,
        clause: &Clause<'_>,
        trouble: &Trouble,
        function: Option<String>,
        is_required: bool,
    ) -> Self {
        let words: Vec<&str> = clause.text.split_whitespace().collect();
        let mut text = format!("{} {}", clause.keyword, words.join(" ")).trim().to_owned();
        if text.len() > SHOWN {
            let cut = (0..=SHOWN).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default();
            text.truncate(cut);
            text.push('…');
        }
        // What stands at the start of a clause is the clause as a whole.
        let leading = contract::first(clause.text);
        let offset = if trouble.at <= leading { clause.start } else { clause.at + trouble.at };
        Self { function, location: note.location(offset), text, reason: trouble.reason.clone(), is_required }
    }
}
