//! What contracts say of pointers: what they point to, what may be assigned, and what is asked beyond the text.

use std::collections::BTreeSet;

use base::Location;
use evidence::{Contract, Expression, Name, Pointee};
use program::annotation::{Language, Promises};

use super::clauses::Assigned;
use super::contract::Builder;
use super::number::Linear;
use super::scope::{Scope, Side};
use super::value::{Area, Fact, Root, Trouble};
use super::{Assigns, Hypothesis, Unread};
use crate::contract::place::{says_terminated, says_unchanged};

/// What the text says of pointees, by their places.
#[derive(Clone, Default)]
pub(super) struct Marks {
    /// They are objects of their own.
    pub fresh: BTreeSet<usize>,
    /// They may have no bytes.
    pub empty: BTreeSet<usize>,
    /// Their pointers are not null all the same.
    pub not_null: BTreeSet<usize>,
    /// They may not be written.
    pub read_only: BTreeSet<usize>,
    /// C cuts the number of their bytes off.
    pub cut: BTreeSet<usize>,
    /// Areas that have no byte in common, and where that is said.
    pub separated: Vec<(Location, Vec<Area>)>,
}

impl Builder<'_> {
    /// Adds facts: all of them or none.
    pub(super) fn facts(
        &mut self,
        facts: Vec<(usize, Fact)>,
        scope: &Scope<'_>,
        location: &dyn Fn(usize) -> Location,
    ) -> Result<(), Trouble> {
        if facts.is_empty() {
            return Ok(());
        }
        let (objects, marks) = (self.stated.contract.objects.clone(), self.marks.clone());
        for (at, fact) in facts {
            if let Err(trouble) = self.fact(at, fact, scope, location(at)) {
                (self.stated.contract.objects, self.marks) = (objects, marks);
                return Err(trouble);
            }
        }
        Ok(())
    }

    /// Adds a fact.
    pub(super) fn fact(
        &mut self,
        at: usize,
        fact: Fact,
        scope: &Scope<'_>,
        location: Location,
    ) -> Result<(), Trouble> {
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
                // Another clause may let a part of them be written.
                if !written {
                    self.marks.read_only.insert(place);
                }
            }
            Fact::NotNull(pointer) => {
                let place = self.pointee(at, &pointer.root, &pointer.offset, 0.into(), scope)?;
                self.marks.not_null.insert(place);
            }
            Fact::Separated(areas) => self.marks.separated.push((location, areas)),
            Fact::String { pointer, written } => {
                let Root::Behind { pointer: name, field: None, .. } = &pointer.root else {
                    return Err(Trouble::new(at, "only strings that parameters point to are supported"));
                };
                let is_known = |one: &Pointee| one.parameter == *name && one.field.is_none();
                if self.stated.contract.objects.iter().any(is_known) {
                    return Err(Trouble::new(at, "a string in an object of a given size is not supported"));
                }
                let bytes = Pointee::string_bytes(name);
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
    pub(super) fn pointee(
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
        let pointee = Pointee {
            parameter: pointer.clone(),
            field: *field,
            bytes,
            terminated: false,
            changed: false,
            not_null: false,
        };
        Ok(self.add(pointee))
    }

    /// Adds a pointee, or makes one larger that is there.
    pub(super) fn add(&mut self, pointee: Pointee) -> usize {
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

    /// Says what may be changed.
    pub(super) fn frame(&mut self, promises: Option<&Promises>) {
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

    /// What evidence calls the parameters.
    pub(super) fn parameters(&self) -> BTreeSet<Name> {
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
    pub(super) fn recognise(&mut self) {
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

    /// Tells which areas must be apart that the contract does not speak of. Pointees are different objects anyhow.
    pub(super) fn tell_separated(&mut self) {
        for (location, areas) in std::mem::take(&mut self.marks.separated) {
            let is_known = |area: &Area| {
                let Root::Behind { pointer, field, .. } = &area.root else { return false };
                let objects = &self.stated.contract.objects;
                objects.iter().any(|object| object.parameter == *pointer && object.field == *field)
            };
            let is_other =
                |(place, area): (usize, &Area)| areas[..place].iter().all(|one| one.root != area.root);
            if !areas.iter().all(is_known) || !areas.iter().enumerate().all(is_other) {
                self.stated.is_whole = false;
                self.unread.push(Unread {
                    function: Some(self.stated.contract.function.clone()),
                    location,
                    text: String::from("requires \\separated"),
                    reason: String::from(
                        "this is only supported of different pointers that are required to be valid",
                    ),
                    is_required: true,
                });
            }
        }
    }

    /// Tells what the contract asks beyond the text.
    pub(super) fn tell_hypotheses(&mut self) {
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
            if self.marks.cut.contains(&one) {
                hypotheses.push(Hypothesis::Fits(one));
            }
            if self.marks.read_only.contains(&one) {
                hypotheses.push(Hypothesis::Writable(one));
            }
            for other in one + 1..objects.len() {
                let is_said = self.marks.separated.iter().any(|(_, areas)| {
                    areas.iter().any(|area| is_area(one, area))
                        && areas.iter().any(|area| is_area(other, area))
                });
                if !is_said && !self.marks.fresh.contains(&one) && !self.marks.fresh.contains(&other) {
                    hypotheses.push(Hypothesis::Separated(one, other));
                }
            }
        }
        self.stated.hypotheses = hypotheses;
        for (place, object) in self.stated.contract.objects.iter_mut().enumerate() {
            object.not_null = self.marks.fresh.contains(&place) || self.marks.not_null.contains(&place);
        }
    }
}
