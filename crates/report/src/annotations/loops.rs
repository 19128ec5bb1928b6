//! Annotations of loops, from the clauses that people wrote.

use evidence::{Formula, Quantity};
use program::Program;
use program::annotation::{Annotation, Target};

use super::clauses::{Assigned, Clause, clauses};
use super::contract::{first, parts, unsupported};
use super::number::Linear;
use super::reader::{Reader, all};
use super::scope::{Scope, Side};
use super::value::{Area, Fact, Read, Root, Trouble, Truth};
use super::{LoopAnnotation, Unread};

/// Adds what an annotation says of its loop.
pub(super) fn read(
    program: &Program,
    note: &Annotation,
    loops: &mut Vec<LoopAnnotation>,
    unread: &mut Vec<Unread>,
) {
    let Target::Loop { function, statement, .. } = &note.target else { return };
    // What is not represented has no loops.
    let is_represented =
        program.function_named(function).is_some_and(|id| program.functions[id].body().is_some());
    let Some(scope) = Scope::of(program, note, Side::Loop).filter(|_| is_represented) else { return };
    let known = loops.iter().position(|one| one.function == *function && one.statement == *statement);
    let place = known.unwrap_or_else(|| {
        loops.push(LoopAnnotation {
            function: function.clone(),
            statement: *statement,
            location: note.location(first(&note.text)),
            invariants: Vec::new(),
            variant: Vec::new(),
            assigns: None,
        });
        loops.len() - 1
    });
    for clause in clauses(note, true) {
        if let Err(trouble) = read_clause(&mut loops[place], note, &clause, &scope) {
            unread.push(Unread::of(note, &clause, &trouble, Some(function.clone()), false));
        }
    }
}

fn read_clause(
    found: &mut LoopAnnotation,
    note: &Annotation,
    clause: &Clause<'_>,
    scope: &Scope<'_>,
) -> Result<(), Trouble> {
    let mut reader = Reader::new(clause.text, scope, note.language);
    match clause.keyword.as_str() {
        "loop invariant" => found.invariants.extend(parts(invariant(reader.whole()?)?)),
        "loop variant" => found.variant = reader.variant()?,
        "loop assigns" => {
            let mut names = Vec::new();
            for one in reader.assigned()? {
                match one {
                    Assigned::Named(name) | Assigned::Behind { pointer: name, .. } => {
                        names.push(name.to_string())
                    }
                    Assigned::Result => {}
                }
            }
            found.assigns.get_or_insert_default().extend(names);
        }
        other => return Err(unsupported(other)),
    }
    Ok(())
}

/// A statement as one about offsets and sizes.
fn invariant(truth: Truth) -> Read<Formula> {
    let mut all_parts = vec![truth.formula];
    for (at, fact) in truth.facts {
        match fact {
            Fact::Valid { area, fresh: false, .. } => all_parts.push(inside(at, &area)?),
            _ => return Err(Trouble::new(at, "this is not supported in what is said of a loop")),
        }
    }
    Ok(all(all_parts))
}

/// An area lies in the object that its pointer points to.
fn inside(at: usize, area: &Area) -> Read<Formula> {
    let Root::Behind { pointer, moment, field: None } = &area.root else {
        return Err(Trouble::new(at, "only what variables point to is supported here"));
    };
    let start = Linear::of(Quantity::offset(pointer.as_str()).at(*moment)).plus(&area.offset);
    let end = start.plus(&area.bytes).expression();
    let size = Quantity::size(pointer.as_str()).at(*moment);
    let lies = start.expression().at_least(0).and(end.at_most(size));
    Ok(match area.may_be_empty {
        true => area.bytes.expression().at_most(0).or(lies),
        false => lies,
    })
}

impl Reader<'_> {
    /// Numbers of which one decreases, the first one first.
    pub fn variant(&mut self) -> Read<Vec<evidence::Expression>> {
        let mut found = Vec::new();
        loop {
            let at = self.here();
            let value = self.expression()?;
            found.push(self.number(at, value)?.expression());
            if self.cursor.rest().is_empty() {
                return Ok(found);
            }
            if self.cursor.peek() == Some("for") {
                return self.trouble("variants for other orders than that of numbers are not supported");
            }
            self.need(",")?;
        }
    }
}
