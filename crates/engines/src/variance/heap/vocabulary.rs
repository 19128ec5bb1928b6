//! Shapes and lengths in words: `list(x to y)`, `length(x to null)`.

use std::collections::BTreeMap;

use base::Index;
use domains::Dimension;
use domains::shape::{Shape, Target};
use evidence::{Moment, Quantity, Ranking};
use program::{LocalId, ObjectId, Origin, Program};

use super::super::isolate::{Related, Spoken, is_small, text};
use super::super::numeric::Numeric;
use super::actions::{Home, Key};
use crate::ranking::synthesis::Ranks;

/// The names of pointers and numbers in a copy of a function.
pub(super) struct Vocabulary {
    /// For each pointer its name, and whether it is one of the source that the function of the cutpoint can speak of.
    pointers: Vec<Option<(String, bool)>>,
    numbers: BTreeMap<Dimension, String>,
}

/// The name of an object, and whether the function of the cutpoint can speak of it.
fn held(program: &Program, numeric: &Numeric, (of, object): Home, frame: usize) -> Option<(String, bool)> {
    let Some(of) = of else {
        return Some((program.objects[ObjectId::new(object)].name.clone(), true));
    };
    let function = &program.functions[numeric.frames[of].function];
    let name = &function.body()?.locals[LocalId::new(object)].name;
    if of == frame {
        Some((name.clone(), true))
    } else {
        Some((format!("{name} of {}", function.name), false))
    }
}

impl Vocabulary {
    pub fn of(program: &Program, numeric: &Numeric, pointers: &[Key], frame: usize) -> Self {
        let body = program.functions[numeric.frames[frame].function].body();
        let variable = |of: Option<usize>, id| {
            let body = body.filter(|_| of.is_none_or(|of| of == frame))?;
            Some(program.variable(body, id))
        };
        let pointers = pointers
            .iter()
            .map(|key| {
                let (of, id) = match key {
                    Key::Variable(of, id) => (of, id),
                    Key::Held(home, _) => return held(program, numeric, *home, frame),
                };
                if let Some(variable) = variable(*of, *id) {
                    return Some((variable.name.clone(), variable.origin != Origin::Temporary));
                }
                let function = &program.functions[numeric.frames[(*of)?].function];
                let variable = program.variable(function.body()?, *id);
                Some((format!("{} of {}", variable.name, function.name), false))
            })
            .collect();
        let numbers = numeric.meanings.iter().enumerate().filter_map(|(at, meaning)| {
            let meaning = meaning.as_ref()?;
            let variable = variable(meaning.frame, meaning.variable)?;
            (variable.origin != Origin::Temporary).then(|| (Dimension(at as u32), variable.name.clone()))
        });
        Self { pointers, numbers: numbers.collect() }
    }

    /// A shape: what is null, what is equal, which lists there are.
    pub fn shape(&self, shape: &Shape) -> Vec<String> {
        let mut vocabulary = Vec::new();
        let mut first: BTreeMap<Target, &str> = BTreeMap::new();
        for (pointer, target) in self.pointers.iter().zip(&shape.variables) {
            let Some((name, true)) = pointer else { continue };
            match target {
                Target::Null => vocabulary.push(format!("{name} == null")),
                Target::Unknown => {}
                Target::Location(_) => match first.get(target) {
                    Some(other) => vocabulary.push(format!("{name} == {other}")),
                    None => _ = first.insert(*target, name),
                },
            }
        }
        let lists = 0..shape.segments.len();
        vocabulary.extend(lists.map(|location| format!("list({})", self.segment(shape, location))));
        if vocabulary.is_empty() {
            vocabulary.push(String::from("no list is known"));
        }
        vocabulary
    }

    fn segment(&self, shape: &Shape, location: usize) -> String {
        let [from, to] = [Target::Location(location), shape.segments[location]];
        format!("{} to {}", self.target(shape, from), self.target(shape, to))
    }

    fn target(&self, shape: &Shape, target: Target) -> String {
        let Target::Location(location) = target else {
            return String::from(if target == Target::Null { "null" } else { "unknown" });
        };
        let named = self.pointers.iter().zip(&shape.variables).filter(|(_, other)| **other == target);
        let names: Vec<&(String, bool)> = named.filter_map(|(pointer, _)| pointer.as_ref()).collect();
        let name = names.iter().find(|(_, is_source)| *is_source).or_else(|| names.first());
        name.map_or_else(|| format!("cell {location}"), |(name, _)| name.clone())
    }

    fn name(&self, spoken: Spoken, before: &Shape, now: &Shape, lengths: usize) -> Option<String> {
        let (dimension, shape, suffix) = match spoken {
            Spoken::Now(dimension) => (dimension, now, ""),
            Spoken::Before(dimension) => (dimension, before, "@before"),
        };
        let name = match dimension.index().checked_sub(lengths) {
            Some(location) => format!("length({})", self.segment(shape, location)),
            None => self.numbers.get(&dimension)?.clone(),
        };
        Some(name + suffix)
    }

    /// A constraint as text. Nothing if it speaks of what has no name, or is about the limits of types.
    pub fn text(&self, constraint: &Related, before: &Shape, now: &Shape, lengths: usize) -> Option<String> {
        let tight = constraint.tightened();
        is_small(&tight).then(|| text(&tight, |spoken| self.name(spoken, before, now, lengths)))?
    }

    /// Ranks in the words of evidence.
    pub fn ranking(
        &self,
        ranks: &Ranks,
        quantities: &[Dimension],
        shape: &Shape,
        lengths: usize,
    ) -> Option<Ranking> {
        ranks.ranking(&|at| {
            let name = self.name(Spoken::Now(quantities[at]), shape, shape, lengths);
            let name = name.unwrap_or_else(|| format!("number {}", quantities[at].0));
            Some(Quantity::value(name.as_str()).at(Moment::Now))
        })
    }
}
