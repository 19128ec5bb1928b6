//! The numbers of a loop's state that a rank may speak of: variables, offsets of pointers, numbers in small objects and
//! those in large ones at places that stay the same in an iteration; and, where no bound is computed from it, the place
//! of a floating point number in the order of its type.

use std::collections::BTreeSet;

use base::{Index, Location};
use certify::abstraction::{Abstraction, Named};
use encoding::{AbstractLoop, State, Value};
use evidence::expression::constant;
use evidence::{Aspect, Element, Expression, Moment, Name, Quantity};
use logic::{BitVector, SymbolId, Term};
use program::{Body, Origin, StatementKind, Type};

use super::Target;

/// No rank speaks of more quantities.
const MOST: usize = 24;

/// Objects of up to so many numbers are looked into.
const ELEMENTS: u64 = 4;

/// So many numbers at places of larger objects are examined.
const PLACES: usize = 12;

/// A number of the state at the head.
pub(crate) struct Measured {
    pub expression: Expression,
    /// Whether it is a number of the source.
    pub is_of_the_source: bool,
    /// It before an iteration.
    pub before: Term,
    /// It after the iteration.
    pub after: Term,
}

/// What a number is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One of the source.
    Source,
    /// One in the middle of an expression.
    Temporary,
    /// One that was added to the program.
    Ghost,
}

/// The numbers of a loop's state that its iterations can depend on, the ones that change first.
pub(crate) fn measured(target: &mut Target<'_, '_>) -> Vec<Measured> {
    let is_place = |one: &Measured| matches!(&one.expression, Expression::Quantity { quantity, .. } if quantity.aspect == Aspect::Place);
    let mut all = with_places(target);
    all.retain(|one| !is_place(one));
    all
}

/// The same, with the places of floating point numbers.
pub(crate) fn with_places(target: &mut Target<'_, '_>) -> Vec<Measured> {
    let (abstraction, abstract_loop) = (&mut *target.abstraction, target.abstract_loop);
    let one = abstraction.abstract_loops()[abstract_loop].clone();
    let (Some(again), Some(start)) = (&one.again, one.starts.last()) else { return Vec::new() };
    let mut named = variables(abstraction, &one, &start.state);
    named.extend(elements(abstraction, &one, &start.state));
    named.extend(places(abstraction, &one, &start.state, again));
    let conditions = abstraction.iteration(abstract_loop);
    let symbols = abstraction.encoder().terms.free_symbols(&conditions);
    let relevant: BTreeSet<SymbolId> = symbols.into_iter().collect();
    let mut found = Vec::new();
    for (kind, expression) in named {
        let before = abstraction.number(abstract_loop, &expression, &start.state);
        let after = abstraction.number(abstract_loop, &expression, again);
        let (Some(before), Some(after)) = (before, after) else { continue };
        let symbols = abstraction.encoder().terms.free_symbols(&[before]);
        let is_changed = before != after;
        if symbols.iter().any(|symbol| relevant.contains(symbol)) && (is_changed || kind != Kind::Temporary) {
            let is_of_the_source = kind != Kind::Ghost;
            let measured = Measured { expression, is_of_the_source, before, after };
            found.push((kind == Kind::Temporary, !is_changed, measured));
        }
    }
    found.sort_by_key(|(is_temporary, is_unchanged, _)| (*is_temporary, *is_unchanged));
    found.truncate(MOST);
    found.into_iter().map(|(_, _, measured)| measured).collect()
}

/// Variables that hold numbers and offsets of those that hold pointers.
fn variables(
    abstraction: &mut Abstraction<'_>,
    abstract_loop: &AbstractLoop,
    state: &State,
) -> Vec<(Kind, Expression)> {
    let (program, names) = (abstraction.program(), abstraction.names(abstract_loop.function));
    let Some(body) = program.functions[abstract_loop.function].body() else { return Vec::new() };
    let mut found = Vec::new();
    for (name, named) in names.iter() {
        let Named::Variable(variable) = *named else { continue };
        let description = program.variable(body, variable);
        let aspect = match (description.ty, state.variable(variable)) {
            (Type::Integer(_) | Type::Bool, Value::Scalar(_)) => Aspect::Value,
            (Type::Pointer, Value::Pointer(_)) => Aspect::Offset,
            (Type::Float(_), Value::Scalar(_)) => Aspect::Place,
            _ => continue,
        };
        let expression = Quantity { variable: name.clone(), aspect }.at(Moment::Now);
        let kind = match description.origin {
            Origin::Temporary => Kind::Temporary,
            _ if description.location == Location::unknown() => Kind::Ghost,
            _ => Kind::Source,
        };
        found.push((kind, expression));
    }
    found
}

/// The numbers in objects that variables point to, at places that no iteration changes: where the pointer points, and
/// so many numbers behind the start as another variable says.
fn places(
    abstraction: &mut Abstraction<'_>,
    abstract_loop: &AbstractLoop,
    state: &State,
    again: &State,
) -> Vec<(Kind, Expression)> {
    let (program, names) = (abstraction.program(), abstraction.names(abstract_loop.function));
    let Some(body) = program.functions[abstract_loop.function].body() else { return Vec::new() };
    let widths = loaded(body);
    let (mut pointers, mut indices) = (Vec::new(), Vec::new());
    for (name, named) in names.iter() {
        let Named::Variable(variable) = *named else { continue };
        let value = state.variable(variable);
        let description = program.variable(body, variable);
        if value != again.variable(variable) || description.origin == Origin::Temporary {
            continue;
        }
        match (description.ty, value) {
            (Type::Pointer, Value::Pointer(pointer)) => pointers.push((name.clone(), pointer)),
            (Type::Integer(_), Value::Scalar(_)) => {
                indices.push(Quantity { variable: name.clone(), aspect: Aspect::Value }.at(Moment::Now));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (buffer, pointer) in pointers {
        if abstraction.encoder().candidates(pointer.object).len() != 1 {
            continue;
        }
        for &(bytes, signed) in &widths {
            let offset = Quantity { variable: buffer.clone(), aspect: Aspect::Offset }.at(Moment::Now);
            let start = Expression::Quotient { dividend: Box::new(offset), divisor: bytes.into() };
            let is_start =
                abstraction.encoder().terms.known_bits(pointer.offset).is_some_and(BitVector::is_zero);
            let own = std::iter::once(start.clone());
            let behind = indices.iter().map(|index| {
                if is_start { index.clone() } else { Expression::Sum(vec![start.clone(), index.clone()]) }
            });
            for index in own.chain(behind) {
                let (buffer, index) = (buffer.clone(), Box::new(index));
                let element = Element { buffer, index, bytes, signed, moment: Moment::Now };
                found.push((Kind::Source, Expression::Element(element)));
            }
        }
    }
    found.truncate(PLACES);
    found
}

/// How wide the integers are that a body reads from memory, and whether they can be negative.
fn loaded(body: &Body) -> BTreeSet<(u8, bool)> {
    let mut widths = BTreeSet::new();
    for statement in body.blocks.values().flat_map(|block| &block.statements) {
        if let StatementKind::Load { target, .. } = statement.kind
            && !target.is_global()
            && let Type::Integer(ty) = body.variables[target].ty
            && matches!(ty.width, 8 | 16 | 32 | 64)
        {
            widths.insert((ty.width / 8, ty.signed));
        }
    }
    widths
}

/// The numbers in small objects, each object under one name.
fn elements(
    abstraction: &mut Abstraction<'_>,
    abstract_loop: &AbstractLoop,
    state: &State,
) -> Vec<(Kind, Expression)> {
    let names = abstraction.names(abstract_loop.function);
    let encoder = abstraction.encoder();
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    let mut found = Vec::new();
    for (name, named) in names.iter() {
        let candidates = match *named {
            Named::Variable(variable) => match state.variable(variable) {
                Value::Pointer(pointer) => encoder.candidates(pointer.object),
                _ => continue,
            },
            Named::Local(local) => encoder.candidates(state.objects[local.index()]),
            Named::Global(object) => vec![encoder.global_number(object)],
        };
        if let [only] = candidates[..] {
            found.extend(in_object(encoder, name, only, &mut seen));
        }
    }
    found
}

fn in_object(
    encoder: &encoding::Encoder<'_>,
    name: &Name,
    number: u32,
    seen: &mut BTreeSet<u32>,
) -> Vec<(Kind, Expression)> {
    let object = encoder.object(number);
    let size = encoder.terms.known_bits(object.size).and_then(|size| u64::try_from(size.unsigned()).ok());
    let (Some(size), Ok(bytes)) = (size, u8::try_from(object.cell)) else { return Vec::new() };
    if bytes == 0 || bytes > 8 || size / u64::from(bytes) > ELEMENTS || !seen.insert(number) {
        return Vec::new();
    }
    let element = |index: u64| {
        let index = Box::new(constant(index));
        Expression::Element(Element { buffer: name.clone(), index, bytes, signed: true, moment: Moment::Now })
    };
    (0..size / u64::from(bytes)).map(|index| (Kind::Source, element(index))).collect()
}
