//! Contracts of functions, from the clauses that people wrote.
//!
//! A contract says of each pointer that it points to an object of its own. ACSL does not: two valid pointers may go to one
//! object. So what a contract asks beyond the text is told as hypotheses, as Frama-C's plug-in WP does with its memory model.

use std::collections::BTreeMap;

use base::Location;
use evidence::{Comparison, Contract, Expression, Formula, Moment, Pointee, Quantity};
use program::Program;
use program::annotation::{Annotation, Promises};

use super::clauses::{Assigned, Clause, clauses};
use super::number::Range;
use super::pointees::Marks;
use super::reader::{Reader, all, implies};
use super::scope::{Scope, Side};
use super::value::Trouble;
use super::{Assigns, Stated, Unread};

/// A contract while it is read.
pub(super) struct Builder<'a> {
    pub(super) program: &'a Program,
    pub(super) notes: &'a [&'a Annotation],
    pub(super) stated: Stated,
    pub(super) marks: Marks,
    pub(super) assigned: Option<Vec<(Location, Assigned)>>,
    /// Whether some of what may be assigned is not known.
    pub(super) assigns_anything: bool,
    limits: BTreeMap<Quantity, Range>,
    pub(super) unread: Vec<Unread>,
}

/// The behaviour that clauses belong to.
#[derive(Clone)]
enum Behaviour {
    /// All calls.
    Always,
    /// Calls in which this holds.
    If(Formula),
    /// It is not known which calls.
    Unknown,
}

impl<'a> Builder<'a> {
    /// A contract without clauses.
    pub fn new(program: &'a Program, function: &str, notes: &'a [&'a Annotation]) -> Self {
        let location = notes.first().map_or_else(Location::unknown, |note| note.location(first(&note.text)));
        let contract = Contract {
            function: function.to_owned(),
            objects: Vec::new(),
            requires: Vec::new(),
            ensures: Vec::new(),
        };
        Self {
            program,
            notes,
            stated: Stated {
                contract,
                assigns: Assigns::Anything,
                hypotheses: Vec::new(),
                terminates: None,
                decreases: Vec::new(),
                location,
                is_whole: true,
            },
            marks: Marks::default(),
            assigned: None,
            assigns_anything: false,
            limits: BTreeMap::new(),
            unread: Vec::new(),
        }
    }

    /// Reads all clauses. Promises are what attributes say of pointers.
    pub fn finish(mut self, promised: &[Pointee], promises: Option<&Promises>) -> (Stated, Vec<Unread>) {
        self.find_limits();
        for pointee in promised {
            let place = self.add(pointee.clone());
            match &pointee.bytes {
                Expression::Constant(_) => self.marks.not_null.insert(place),
                _ => self.marks.empty.insert(place),
            };
        }
        for note in self.notes {
            self.note(note);
        }
        self.frame(promises);
        self.recognise();
        self.tell_hypotheses();
        self.tell_separated();
        (self.stated, self.unread)
    }

    /// Finds limits of parameters among the plain comparisons that are required.
    fn find_limits(&mut self) {
        let mut found = Vec::new();
        for note in self.notes {
            let Some(scope) = Scope::of(self.program, note, Side::Before) else { continue };
            for clause in clauses(note, false) {
                match clause.keyword.as_str() {
                    "requires" => {
                        let read = Reader::new(clause.text, &scope, note.language).whole();
                        // A clause that also speaks of pointers may be refused later.
                        found.extend(
                            read.ok().filter(|truth| truth.facts.is_empty()).map(|truth| truth.formula),
                        );
                    }
                    "behavior" => break,
                    _ => {}
                }
            }
        }
        for formula in found {
            let parts = match formula {
                Formula::All(parts) => parts,
                other => vec![other],
            };
            for part in parts {
                if let Some((quantity, range)) = limit(&part) {
                    let known = self.limits.entry(quantity).or_default();
                    *known = known.meet(&range);
                }
            }
        }
    }

    fn note(&mut self, note: &'a Annotation) {
        let sides = [Side::Before, Side::After].map(|side| Scope::of(self.program, note, side));
        let [Some(mut before), Some(mut after)] = sides else {
            let trouble = Trouble::new(0, "the function is declared otherwise elsewhere");
            let all = clauses(note, false);
            return all.iter().for_each(|clause| self.lose(note, clause, &trouble, is_required(clause)));
        };
        before.limits.clone_from(&self.limits);
        after.limits.clone_from(&self.limits);
        let mut behaviour = Behaviour::Always;
        for clause in clauses(note, false) {
            match clause.keyword.as_str() {
                "behavior" => behaviour = Behaviour::If(Formula::True),
                "assumes" => {
                    match Reader::new(clause.text, &before, note.language).whole().and_then(|one| one.only())
                    {
                        Ok(formula) => behaviour = behaviour.and(formula),
                        Err(trouble) => {
                            behaviour = Behaviour::Unknown;
                            self.lose(note, &clause, &trouble, false);
                        }
                    }
                }
                _ => {
                    let scope = if clause.keyword == "ensures" { &after } else { &before };
                    if let Err(trouble) = self.clause(note, &clause, scope, &behaviour) {
                        self.lose(note, &clause, &trouble, is_required(&clause));
                    }
                }
            }
        }
    }

    fn clause(
        &mut self,
        note: &Annotation,
        clause: &Clause<'_>,
        scope: &Scope<'_>,
        behaviour: &Behaviour,
    ) -> Result<(), Trouble> {
        let mut reader = Reader::new(clause.text, scope, note.language);
        if matches!(behaviour, Behaviour::Unknown) {
            return Err(Trouble::new(0, "what its behavior assumes is not read"));
        }
        match clause.keyword.as_str() {
            "requires" => {
                let truth = reader.whole()?;
                if let Behaviour::Always = behaviour {
                    self.facts(truth.facts, scope, &|at| note.location(clause.at + at))?;
                    self.require(truth.formula);
                } else {
                    let formula = truth.only()?;
                    self.require(behaviour.given(formula));
                }
            }
            "ensures" => {
                let truth = reader.whole()?;
                if let Some((at, _)) = truth.facts.first() {
                    return Err(Trouble::new(*at, "what a function leaves valid is not supported"));
                }
                self.stated.contract.ensures.extend(parts(behaviour.given(truth.formula)));
            }
            "assigns" => {
                let place = note.location(clause.at + first(clause.text));
                self.assigns(&mut reader, behaviour, place)?;
            }
            "terminates" => {
                let formula = reader.whole()?.only()?;
                let formula = behaviour.given(formula);
                let known = self.stated.terminates.take();
                self.stated.terminates = Some(known.map_or(formula.clone(), |known| known.and(formula)));
            }
            "decreases" if matches!(behaviour, Behaviour::Always) => {
                self.stated.decreases = reader.variant()?;
            }
            other => return Err(unsupported(other)),
        }
        Ok(())
    }

    fn require(&mut self, formula: Formula) {
        self.stated.contract.requires.extend(parts(formula));
    }

    fn assigns(
        &mut self,
        reader: &mut Reader<'_>,
        behaviour: &Behaviour,
        place: Location,
    ) -> Result<(), Trouble> {
        if !matches!(behaviour, Behaviour::Always) {
            self.assigns_anything = true;
            return Err(Trouble::new(0, "what a single behavior assigns is not supported"));
        }
        let found = reader.assigned().inspect_err(|_| self.assigns_anything = true)?;
        self.assigned.get_or_insert_default().extend(found.into_iter().map(|one| (place, one)));
        Ok(())
    }

    fn lose(&mut self, note: &Annotation, clause: &Clause<'_>, trouble: &Trouble, is_required: bool) {
        self.stated.is_whole &= !is_required;
        let function = Some(self.stated.contract.function.clone());
        self.unread.push(Unread::of(note, clause, trouble, function, is_required));
    }
}

impl Behaviour {
    fn and(&self, formula: Formula) -> Self {
        match self {
            Behaviour::If(known) => Behaviour::If(all(vec![known.clone(), formula])),
            _ => Behaviour::Unknown,
        }
    }

    /// A formula, if the behaviour is this one.
    fn given(&self, formula: Formula) -> Formula {
        match self {
            Behaviour::If(Formula::True) | Behaviour::Always | Behaviour::Unknown => formula,
            Behaviour::If(assumed) => implies(assumed.clone(), formula),
        }
    }
}

/// Whether a clause says what callers must see to.
pub(super) fn is_required(clause: &Clause<'_>) -> bool {
    clause.keyword.ends_with("requires")
}

/// Why a clause is not read that is not known here.
pub(super) fn unsupported(keyword: &str) -> Trouble {
    let reason = match keyword {
        "" => String::from("a clause begins with a word"),
        word => format!("`{word}` is not supported"),
    };
    Trouble::new(0, reason)
}

/// The parts of a formula that hold each on its own.
pub(super) fn parts(formula: Formula) -> Vec<Formula> {
    match formula {
        Formula::True => Vec::new(),
        Formula::All(parts) => parts,
        other => vec![other],
    }
}

/// A limit of a number at the call.
fn limit(formula: &Formula) -> Option<(Quantity, Range)> {
    let Formula::Compare { left, comparison, right } = formula else { return None };
    let (quantity, comparison, number) = match (left, right) {
        (Expression::Quantity { quantity, moment: Moment::Start }, Expression::Constant(number)) => {
            (quantity, *comparison, number)
        }
        (Expression::Constant(number), Expression::Quantity { quantity, moment: Moment::Start }) => {
            (quantity, comparison.turned(), number)
        }
        _ => return None,
    };
    let one = evidence::Integer::ONE;
    let (least, greatest) = match comparison {
        Comparison::Equal => (Some(number.clone()), Some(number.clone())),
        Comparison::Less => (None, Some(number - one)),
        Comparison::LessEqual => (None, Some(number.clone())),
        Comparison::Greater => (Some(number + one), None),
        Comparison::GreaterEqual => (Some(number.clone()), None),
        Comparison::Differ => return None,
    };
    Some((quantity.clone(), Range { least, greatest }))
}

/// Where the first word of a text begins.
pub(super) fn first(text: &str) -> usize {
    text.len() - text.trim_start().len()
}
