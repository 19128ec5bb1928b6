//! Contracts of functions as people write them: comments of ACSL and macros of CBMC.
//!
//! ```c
//! /*@ requires \valid(a + (0 .. n - 1));
//!     requires 0 < n;
//!     assigns \nothing;
//!     ensures \result >= 0;
//! */
//! ```
//!
//! [`crate::annotations`] reads back what is written here, and gets the same contract, if its sums are in that module's one
//! form. ACSL computes over ℤ, as evidence does. In C all numbers of a comparison are cast to a type that holds them.
//! What a function ensures and C cannot say is left out. If it cannot say what callers must see to, there is no text: what the
//! function ensures would not be true.

pub(crate) mod place;
mod text;

use evidence::{Contract, Pointee};
use program::Program;

use crate::annotations::Assigns;
use crate::annotations::scope::{Scope, Side};

use self::text::{Dialect, Printer};

/// A contract as a comment of ACSL. Nothing if ACSL cannot say what callers must see to.
pub fn acsl(contract: &Contract, assigns: &Assigns, program: &Program) -> Option<String> {
    let clauses = Clauses::of(contract, assigns, program, Dialect::Acsl)?;
    let mut lines: Vec<String> = Vec::new();
    let list = |word: &str, clauses: &[String]| -> Vec<String> {
        clauses.iter().map(|clause| format!("{word} {clause};")).collect()
    };
    lines.extend(list("requires", &clauses.requires));
    lines.extend(clauses.assigns.map(|places| match places.is_empty() {
        true => String::from("assigns \\nothing;"),
        false => format!("assigns {};", places.join(", ")),
    }));
    lines.extend(list("ensures", &clauses.ensures));
    if lines.is_empty() {
        lines.push(String::from("requires \\true;"));
    }
    Some(format!("/*@ {}\n*/\n", lines.join("\n    ")))
}

/// A contract as macros of CBMC, which stand between a declarator and its body. Nothing if they cannot say what callers must
/// see to.
///
/// CBMC takes it that a function assigns only what it names. If it is not known what else is assigned, there is no text either.
pub fn cbmc(contract: &Contract, assigns: &Assigns, program: &Program) -> Option<String> {
    let clauses = Clauses::of(contract, assigns, program, Dialect::Cprover)?;
    let places = clauses.assigns?;
    let mut text = String::new();
    let mut add = |name: &str, clause: &str| text.push_str(&format!("__CPROVER_{name}({clause})\n"));
    clauses.requires.iter().for_each(|clause| add("requires", clause));
    add("assigns", &places.join(", "));
    clauses.ensures.iter().for_each(|clause| add("ensures", clause));
    Some(text)
}

/// The clauses of a contract in one of the languages.
struct Clauses {
    requires: Vec<String>,
    ensures: Vec<String>,
    /// What is assigned; nothing if that is not known.
    assigns: Option<Vec<String>>,
}

impl Clauses {
    fn of(contract: &Contract, assigns: &Assigns, program: &Program, dialect: Dialect) -> Option<Self> {
        let prototype = program.annotations.prototypes.get(&contract.function)?;
        let printer = |side: Side| {
            let scope = Scope::of_function(program, &contract.function, &prototype.vocabulary, side)?;
            Some(Printer::new(scope, dialect))
        };
        let (mut before, mut after) = (printer(Side::Before)?, printer(Side::After)?);
        let mut requires = Vec::new();
        // What a parameter points to comes before what stands in there.
        let (nested, direct): (Vec<&Pointee>, Vec<&Pointee>) =
            contract.objects.iter().partition(|object| object.field.is_some());
        let objects: Vec<&Pointee> = direct.into_iter().chain(nested).collect();
        for object in &objects {
            requires.extend(before.valid(object)?);
        }
        requires.extend(before.separated(&objects)?);
        for clause in &contract.requires {
            requires.push(before.formula(clause)?);
        }
        let mut ensures: Vec<String> =
            contract.ensures.iter().filter_map(|clause| after.formula(clause)).collect();
        let assigns = match assigns {
            Assigns::Only(names) if names.iter().all(|name| text::is_word(name)) => {
                let changed = objects.iter().filter(|object| object.changed);
                let places: Option<Vec<String>> = changed.map(|object| before.changed(object)).collect();
                Some(places?.into_iter().chain(names.iter().cloned()).collect())
            }
            _ => {
                let kept = objects.iter().filter(|object| !object.changed);
                ensures.extend(kept.filter_map(|object| after.unchanged(object)));
                None
            }
        };
        Some(Self { requires, ensures, assigns })
    }
}
