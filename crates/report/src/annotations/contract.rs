//! Contracts of functions, from the clauses that people wrote.
//!
//! A contract says of each pointer that it points to an object of its own. ACSL does not: two valid pointers may go to one
//! object. So what a contract asks beyond the text is told as hypotheses, as Frama-C's plug-in WP does with its memory model.

use std::collections::BTreeSet;

use base::Location;
use evidence::{Comparison, Contract, Expression, Formula, Moment, Name, Pointee, Quantity};
use program::Program;
use program::annotation::{Annotation, Language, Promises};

use super::clauses::{Assigned, Clause, clauses};
use super::number::{Linear, Range};
use super::reader::{Reader, all, implies};
use super::scope::{Scope, Side};
use super::value::{Area, Fact, Root, Trouble};
use super::{Assigns, Hypothesis, Stated, Unread};
use crate::contract::place::{says_terminated, says_unchanged};
use crate::contract::string_bytes;

/// A contract while it is read.
pub(super) struct Builder<'a> {
    program: &'a Program,
    notes: &'a [&'a Annotation],
    stated: Stated,
    marks: Marks,
    assigned: Option<Vec<(Location, Assigned)>>,
    /// Whether some of what may be assigned is not known.
    assigns_anything: bool,
    limits: std::collections::BTreeMap<Quantity, Range>,
    unread: Vec<Unread>,
}

/// What the text says of pointees, by their places.
#[derive(Clone, Default)]
struct Marks {
    /// They are objects of their own.
    fresh: BTreeSet<usize>,
    /// They may have no bytes.
    empty: BTreeSet<usize>,
    /// Their pointers are not null all the same.
    not_null: BTreeSet<usize>,
    /// They may not be written.
    read_only: BTreeSet<usize>,
    /// C cuts the number of their bytes off.
    cut: BTreeSet<usize>,
    /// Areas that have no byte in common.
    separated: Vec<Vec<Area>>,
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
            limits: std::collections::BTreeMap::new(),
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
        let [Some(mut before), Some(mut after)] = sides else { return };
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
                    let is_required = clause.keyword == "requires";
                    if let Err(trouble) = self.clause(note, &clause, scope, &behaviour) {
                        self.lose(note, &clause, &trouble, is_required);
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
                    self.facts(truth.facts, scope)?;
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

    /// Adds facts: all of them or none.
    fn facts(&mut self, facts: Vec<(usize, Fact)>, scope: &Scope<'_>) -> Result<(), Trouble> {
        if facts.is_empty() {
            return Ok(());
        }
        let (objects, marks) = (self.stated.contract.objects.clone(), self.marks.clone());
        for (at, fact) in facts {
            if let Err(trouble) = self.fact(at, fact, scope) {
                (self.stated.contract.objects, self.marks) = (objects, marks);
                return Err(trouble);
            }
        }
        Ok(())
    }

    fn fact(&mut self, at: usize, fact: Fact, scope: &Scope<'_>) -> Result<(), Trouble> {
        match fact {
            Fact::Valid { area, written, fresh } => {
                let bytes = area.bytes.expression();
                let place = self.pointee(at, &area.root, &area.offset, bytes, scope)?;
                if fresh {
                    self.marks.fresh.insert(place);
                } else if area.may_be_empty {
                    self.marks.empty.insert(place);
                }
                if area.is_cut {
                    self.marks.cut.insert(place);
                }
                if written {
                    _ = self.marks.read_only.remove(&place)
                } else {
                    _ = self.marks.read_only.insert(place)
                }
            }
            Fact::NotNull(pointer) => {
                _ = self.pointee(at, &pointer.root, &pointer.offset, 0.into(), scope)?
            }
            Fact::Separated(areas) => self.marks.separated.push(areas),
            Fact::String { pointer, written } => {
                let Root::Behind { pointer: name, field: None, .. } = &pointer.root else {
                    return Err(Trouble::new(at, "only strings that parameters point to are supported"));
                };
                let is_known = |one: &Pointee| one.parameter == *name && one.field.is_none();
                if self.stated.contract.objects.iter().any(is_known) {
                    return Err(Trouble::new(at, "a string in an object of a given size is not supported"));
                }
                let bytes = string_bytes(name).expression();
                let place = self.pointee(at, &pointer.root, &pointer.offset, bytes, scope)?;
                self.stated.contract.objects[place].terminated = true;
                if !written {
                    self.marks.read_only.insert(place);
                }
            }
        }
        Ok(())
    }

    /// Adds what a pointer points to, and gives its place.
    fn pointee(
        &mut self,
        at: usize,
        root: &Root,
        offset: &Linear,
        bytes: Expression,
        scope: &Scope<'_>,
    ) -> Result<usize, Trouble> {
        let refuse = |reason: &str| Err(Trouble::new(at, reason));
        let Root::Behind { pointer, field, .. } = root else {
            return refuse("only what parameters point to is supported");
        };
        if !scope.is_parameter(pointer) {
            return refuse("only what parameters point to is supported");
        }
        if offset.small() != Some(0) {
            return refuse("only memory from the pointer on is supported");
        }
        let is_holder = |one: &Pointee| one.parameter == *pointer && one.field.is_none();
        if field.is_some() && !self.stated.contract.objects.iter().any(is_holder) {
            return refuse("the structure that holds this pointer is not required to be valid before");
        }
        let pointee =
            Pointee { parameter: pointer.clone(), field: *field, bytes, terminated: false, changed: false };
        Ok(self.add(pointee))
    }

    /// Adds a pointee, or makes one larger that is there.
    fn add(&mut self, pointee: Pointee) -> usize {
        let objects = &mut self.stated.contract.objects;
        let same = |one: &Pointee| one.parameter == pointee.parameter && one.field == pointee.field;
        let Some(place) = objects.iter().position(same) else {
            objects.push(pointee);
            return objects.len() - 1;
        };
        let known = &mut objects[place];
        known.changed |= pointee.changed;
        known.terminated |= pointee.terminated;
        known.bytes = match (&known.bytes, &pointee.bytes) {
            (one, other) if one == other => pointee.bytes,
            (Expression::Constant(one), Expression::Constant(other)) => {
                Expression::Constant(one.max(other).clone())
            }
            // No bytes are asked for where only null is excluded.
            (Expression::Constant(zero), _) if *zero == 0.into() => pointee.bytes,
            (_, Expression::Constant(zero)) if *zero == 0.into() => known.bytes.clone(),
            (one, other) => Expression::Maximum(vec![one.clone(), other.clone()]),
        };
        place
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

    /// Says what may be changed.
    fn frame(&mut self, promises: Option<&Promises>) {
        // CBMC and the attributes say that nothing is assigned but what is named, ACSL only if something is.
        let is_cbmc =
            !self.notes.is_empty() && self.notes.iter().all(|note| note.language == Language::Cprover);
        let is_pure = promises.is_some_and(|promises| promises.pure || promises.constant);
        let assigned = self.assigned.take().or_else(|| (is_cbmc || is_pure).then(Vec::new));
        let Some(assigned) = assigned.filter(|_| !self.assigns_anything) else {
            // Attributes alone say of each pointee whether it is changed.
            if !self.notes.is_empty() {
                self.stated.contract.objects.iter_mut().for_each(|object| object.changed = true);
            }
            return;
        };
        let parameters: BTreeSet<Name> = self.parameters();
        let mut names = Vec::new();
        for object in &mut self.stated.contract.objects {
            object.changed = false;
        }
        for (location, one) in assigned {
            match one {
                Assigned::Named(name) if !parameters.contains(&name) => names.push(name.to_string()),
                Assigned::Named(_) | Assigned::Result => {}
                Assigned::Behind { pointer, field, area } => {
                    let objects = &mut self.stated.contract.objects;
                    let object =
                        objects.iter_mut().find(|one| one.parameter == pointer && one.field == field);
                    match object {
                        Some(object) => {
                            object.changed = true;
                            let whole = Linear::of(object.bytes.clone());
                            if area.is_none_or(|area| area.offset.small() != Some(0) || area.bytes != whole) {
                                let text = format!("assigns of what `{pointer}` points to");
                                self.unread.push(Unread {
                                    function: Some(self.stated.contract.function.clone()),
                                    location,
                                    text,
                                    reason: String::from("only that some of it changes is kept"),
                                    is_required: false,
                                });
                            }
                        }
                        // What else is changed has no name.
                        None => {
                            self.stated.assigns = Assigns::Anything;
                            self.stated.contract.objects.iter_mut().for_each(|object| object.changed = true);
                            return;
                        }
                    }
                }
            }
        }
        names.sort();
        names.dedup();
        self.stated.assigns = Assigns::Only(names);
    }

    fn parameters(&self) -> BTreeSet<Name> {
        let note = self.notes.first().and_then(|note| Scope::of(self.program, note, Side::Before));
        let mut names = BTreeSet::new();
        while let Some((_, name, _)) = note.as_ref().and_then(|scope| scope.parameter(names.len())) {
            if !names.insert(name.clone()) {
                break;
            }
        }
        names
    }

    /// Takes out what formulas say that a pointee has words for: that there is a zero byte, and that nothing changes.
    fn recognise(&mut self) {
        let Contract { objects, requires, ensures, .. } = &mut self.stated.contract;
        let mut find = |said: Option<(&Name, &Expression)>, mark: &dyn Fn(&mut Pointee)| {
            let Some((name, bytes)) = said else { return true };
            let is_whole =
                |one: &&mut Pointee| one.parameter == *name && one.field.is_none() && one.bytes == *bytes;
            match objects.iter_mut().find(is_whole) {
                Some(object) => mark(object),
                None => return true,
            }
            false
        };
        requires.retain(|formula| find(says_terminated(formula), &|object| object.terminated = true));
        ensures.retain(|formula| find(says_unchanged(formula), &|object| object.changed = false));
    }

    /// Tells what the contract asks beyond the text.
    fn tell_hypotheses(&mut self) {
        let objects = &self.stated.contract.objects;
        let is_area = |place: usize, area: &Area| {
            let object: &Pointee = &objects[place];
            let Root::Behind { pointer, field, .. } = &area.root else { return false };
            *pointer == object.parameter
                && *field == object.field
                && area.offset.small() == Some(0)
                && area.bytes == Linear::of(object.bytes.clone())
        };
        let mut hypotheses = Vec::new();
        for one in 0..objects.len() {
            if !self.marks.fresh.contains(&one) {
                hypotheses.push(Hypothesis::Own(one));
            }
            let is_not_null = self.marks.fresh.contains(&one) || self.marks.not_null.contains(&one);
            if self.marks.empty.contains(&one) && !is_not_null {
                hypotheses.push(Hypothesis::NotNull(one));
            }
            if self.marks.cut.contains(&one) {
                hypotheses.push(Hypothesis::Fits(one));
            }
            if self.marks.read_only.contains(&one) {
                hypotheses.push(Hypothesis::Writable(one));
            }
            for other in one + 1..objects.len() {
                let is_said = self.marks.separated.iter().any(|areas| {
                    areas.iter().any(|area| is_area(one, area))
                        && areas.iter().any(|area| is_area(other, area))
                });
                if !is_said && !self.marks.fresh.contains(&one) && !self.marks.fresh.contains(&other) {
                    hypotheses.push(Hypothesis::Separated(one, other));
                }
            }
        }
        self.stated.hypotheses = hypotheses;
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

/// Why a clause is not read that nobody knows here.
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
