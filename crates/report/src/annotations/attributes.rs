//! What attributes and lengths of arrays say of pointers.
//!
//! `nonnull`, `access` with a size and `[static n]` are promises of callers: breaking them is undefined, or nearly so. A plain
//! `[n]` means nothing in C, and `counted_by` is about all structures of a type, valid or not. They are hints.

use std::sync::Arc;

use evidence::{Element, Expression, Moment, Name, Pointee, Quantity};
use program::Program;
use program::annotation::{AccessMode, CType, Language, Member, Parameter, Prototype, Shape};

use super::number::{Linear, Number};
use super::reader::Reader;
use super::scope::{Scope, Side};
use super::value::Trouble;
use super::{Hint, Unread};

/// What the declaration of a function says of pointers: what is promised, and what is only likely.
pub(super) fn read(
    program: &Program,
    function: &str,
    prototype: &Prototype,
    unread: &mut Vec<Unread>,
) -> (Vec<Pointee>, Vec<Hint>) {
    let (mut promised, mut hints) = (Vec::new(), Vec::new());
    let says_something = |parameter: &Parameter| {
        let is_counted = |member: &Member| member.counted_by.is_some();
        let counted = parameter.ty.pointee().is_some_and(|to| to.members().iter().any(is_counted));
        parameter.nonnull || parameter.access.is_some() || parameter.length.is_some() || counted
    };
    if !prototype.parameters.iter().any(says_something) {
        return (promised, hints);
    }
    let Some(scope) = Scope::of_function(program, function, &prototype.vocabulary, Side::Before) else {
        return (promised, hints);
    };
    for (place, parameter) in prototype.parameters.iter().enumerate() {
        let Some((_, name, _)) = scope.parameter(place) else { continue };
        let Some(to) = parameter.ty.pointee().filter(|_| !name.as_str().is_empty()) else { continue };
        let is_changed = !to.constant && !parameter.access.is_some_and(|access| reads_only(access.mode));
        let pointee = |bytes: Linear| Pointee {
            parameter: name.clone(),
            field: None,
            bytes: bytes.expression(),
            terminated: false,
            changed: is_changed,
            not_null: false,
        };
        if parameter.nonnull {
            promised.push(pointee(Linear::default()));
        }
        if let Some(count) = parameter.access.and_then(|access| counted(&scope, access.count?))
            && let Some(size) = to.size
            && parameter.access.is_some_and(|access| access.mode != AccessMode::None)
        {
            promised.push(pointee(count.times(&size.into())));
        }
        if let Some(length) = &parameter.length {
            match elements(&scope, parameter, to, &length.text) {
                Ok(bytes) if length.is_promised => promised.push(pointee(bytes)),
                Ok(bytes) => {
                    hints.push(Hint {
                        function: function.to_owned(),
                        pointee: pointee(bytes),
                        location: length.location,
                    });
                }
                Err(Trouble { reason, .. }) => unread.push(Unread {
                    function: Some(function.to_owned()),
                    location: length.location,
                    text: length.text.clone(),
                    reason,
                    is_required: false,
                }),
            }
        }
        for member in to.members() {
            if let Some(pointee) = of_member(name, to, member, is_changed) {
                let location =
                    program.functions.values().find(|one| one.name == function).map(|one| one.location);
                hints.extend(location.map(|location| Hint {
                    function: function.to_owned(),
                    pointee,
                    location,
                }));
            }
        }
    }
    (promised, hints)
}

const fn reads_only(mode: AccessMode) -> bool {
    matches!(mode, AccessMode::ReadOnly | AccessMode::None)
}

/// The number that a parameter is.
fn counted(scope: &Scope<'_>, place: usize) -> Option<Linear> {
    let (_, name, ty) = scope.parameter(place)?;
    let is_number = matches!(ty.shape, Shape::Integer(_));
    is_number.then(|| Linear::of(Quantity::value(name.as_str()).at(Moment::Start)))
}

/// The bytes of an array of so many elements.
fn elements(scope: &Scope<'_>, parameter: &Parameter, to: &CType, text: &str) -> Result<Linear, Trouble> {
    let mut reader = Reader::new(text, scope, Language::Cprover);
    let value = reader.expression()?;
    let Number { linear, .. } = reader.number(0, value)?;
    reader.end()?;
    let size = to
        .size
        .ok_or_else(|| Trouble::new(0, format!("the size of `{}` is not known", parameter.ty.text)))?;
    Ok(linear.times(&size.into()))
}

/// What a member with the attribute `counted_by` points to, or the whole structure that it ends.
fn of_member(name: &Name, structure: &Arc<CType>, member: &Member, is_changed: bool) -> Option<Pointee> {
    let count = structure.members().iter().find(|one| Some(&one.name) == member.counted_by.as_ref())?;
    let Shape::Integer(integer) = count.ty.shape else { return None };
    let bytes = integer.width / 8;
    if ![1, 2, 4, 8].contains(&bytes) || count.offset % u64::from(bytes) != 0 {
        return None;
    }
    let element = Expression::Element(Element {
        buffer: name.clone(),
        index: Box::new(Expression::Constant((count.offset / u64::from(bytes)).into())),
        bytes,
        signed: integer.signed,
        moment: Moment::Start,
    });
    let whole = Linear::of(element).times(&member.ty.pointee()?.size?.into());
    let (field, bytes) = match member.ty.shape {
        Shape::Array(_) => (None, whole.plus(&Linear::of(Expression::Constant(member.offset.into())))),
        _ => (Some(member.offset), whole),
    };
    Some(Pointee {
        parameter: name.clone(),
        field,
        bytes: bytes.expression(),
        terminated: false,
        changed: is_changed,
        not_null: false,
    })
}
