//! What names of C stand for where an annotation stands.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::Location;
use evidence::names::variable_names;
use evidence::{Aspect, Expression, Integer, Moment, Name, Quantity};
use program::annotation::{Annotation, CType, Shape, Target, Vocabulary, Word};
use program::{Body, IntegerType, Program, ScopeId, Type, VariableId};

use super::number::{Linear, Range};
use super::value::{Place, Root};

/// What an annotation says something about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// The state at a call.
    Before,
    /// The state at the return of a call.
    After,
    /// A state at the head of a loop.
    Loop,
}

/// The names that can be seen from an annotation.
pub(crate) struct Scope<'a> {
    pub program: &'a Program,
    pub vocabulary: &'a Vocabulary,
    pub side: Side,
    /// The parameters of the function by what they are called here.
    parameters: Vec<(String, Name, Arc<CType>)>,
    /// The type of the result, if the function gives one.
    pub result: Option<Arc<CType>>,
    /// What is known of numbers at the call besides their types.
    pub limits: BTreeMap<Quantity, Range>,
    /// The numbers that quantifiers bind, for those who write them.
    pub bound: BTreeMap<Name, Range>,
    body: Option<&'a Body>,
    /// What evidence calls the variables and objects, once somebody asks.
    variables: OnceCell<Vec<(String, VariableId)>>,
    objects: OnceCell<Vec<(String, String, Location)>>,
    /// The loop, and the innermost scope around it.
    stands: Option<(Location, ScopeId)>,
    location: Location,
}

/// What kernel and engines call the objects of a function and of the program: a name that is taken gets a number.
fn object_names(program: &Program, body: Option<&Body>) -> Vec<(String, String, Location)> {
    let Some(body) = body else {
        let all = program.objects.values();
        return all.map(|object| (object.name.clone(), object.name.clone(), object.location)).collect();
    };
    let mut taken: BTreeSet<String> =
        variable_names(program, body).into_iter().map(|(name, _)| name).collect();
    let locals = body.locals.values().map(|local| (&local.name, local.location));
    let globals = program.objects.values().map(|object| (&object.name, object.location));
    let mut found = Vec::new();
    for (name, location) in locals.chain(globals) {
        let mut unique = name.clone();
        let mut count = 1;
        while taken.contains(&unique) {
            count += 1;
            unique = format!("{name}#{count}");
        }
        taken.insert(unique.clone());
        found.push((name.clone(), unique, location));
    }
    found
}

impl<'a> Scope<'a> {
    /// The names that an annotation can use. Nothing if its function is not in the program.
    pub fn of(program: &'a Program, note: &'a Annotation, side: Side) -> Option<Self> {
        let (function, spelled, stands) = match &note.target {
            Target::Function { name, parameters } => (name, Some(parameters), None),
            Target::Loop { function, statement, scope } => (function, None, Some((*statement, *scope))),
            Target::Nothing(_) => return None,
        };
        let mut scope = Self::of_function(program, function, &note.vocabulary, side)?;
        for (place, name) in spelled.into_iter().flatten().enumerate() {
            if let Some(parameter) = scope.parameters.get_mut(place) {
                parameter.0.clone_from(name);
            }
        }
        scope.stands = stands;
        scope.location = note.location(0);
        Some(scope)
    }

    /// The names that the declaration of a function can use.
    pub fn of_function(
        program: &'a Program,
        function: &str,
        vocabulary: &'a Vocabulary,
        side: Side,
    ) -> Option<Self> {
        let prototype = program.annotations.prototypes.get(function)?;
        let function = &program.functions[program.function_named(function)?];
        let body = function.body();
        // The place for an aggregate result comes first.
        let shift = function.parameters.len().checked_sub(prototype.parameters.len())?;
        let gives_aggregate = function.result.is_none() && prototype.result.text != "void";
        if shift > usize::from(gives_aggregate) {
            return None;
        }
        let names: BTreeMap<VariableId, String> = body
            .map(|body| variable_names(program, body).into_iter().map(|(name, id)| (id, name)).collect())
            .unwrap_or_default();
        let parameters = prototype.parameters.iter().enumerate().map(|(place, parameter)| {
            let variable = body.and_then(|body| names.get(body.parameters.get(place + shift)?));
            let name = variable.unwrap_or(&parameter.name);
            (parameter.name.clone(), Name::from(name.as_str()), Arc::clone(&parameter.ty))
        });
        Some(Self {
            program,
            vocabulary,
            side,
            parameters: parameters.collect(),
            result: function.result.map(|_| Arc::clone(&prototype.result)),
            limits: BTreeMap::new(),
            bound: BTreeMap::new(),
            body,
            variables: OnceCell::new(),
            objects: OnceCell::new(),
            stands: None,
            location: Location::unknown(),
        })
    }

    fn variables(&self) -> &[(String, VariableId)] {
        let names = || self.body.map(|body| variable_names(self.program, body)).unwrap_or_default();
        self.variables.get_or_init(names)
    }

    fn objects(&self) -> &[(String, String, Location)] {
        self.objects.get_or_init(|| object_names(self.program, self.body))
    }

    /// What a word means that is no variable.
    pub fn word(&self, word: &str) -> Option<&'a Word> {
        self.vocabulary.words.get(word)
    }

    /// A parameter by its place.
    pub fn parameter(&self, place: usize) -> Option<&(String, Name, Arc<CType>)> {
        self.parameters.get(place)
    }

    /// A parameter by what evidence calls it.
    pub fn named(&self, name: &Name) -> Option<&(String, Name, Arc<CType>)> {
        self.parameters.iter().find(|(_, known, _)| known == name)
    }

    /// What C calls a variable here, if that name means it.
    pub fn spelled(&self, name: &Name) -> Option<String> {
        if let Some((spelled, ..)) = self.named(name) {
            return (!spelled.is_empty()).then(|| spelled.clone());
        }
        let spelled = name.as_str().split('#').next()?;
        match self.place(spelled).ok()??.root {
            Root::Variable(found) | Root::Object(found) if found == *name => Some(spelled.to_owned()),
            _ => None,
        }
    }

    /// Whether a name is that of a parameter.
    pub fn is_parameter(&self, name: &Name) -> bool {
        self.parameters.iter().any(|(_, parameter, _)| parameter == name)
    }

    /// When a variable is examined if nothing else is said.
    pub fn moment(&self, name: &Name) -> Moment {
        match self.side {
            Side::Before => Moment::Start,
            // ACSL and CBMC speak of parameters as they were given.
            Side::After if self.is_parameter(name) => Moment::Start,
            Side::After | Side::Loop => Moment::Now,
        }
    }

    /// Whether no variable has a name.
    pub fn is_free(&self, name: &str) -> bool {
        !self.variables().iter().any(|(taken, _)| taken == name)
            && !self.parameters.iter().any(|(_, parameter, _)| parameter.as_str() == name)
    }

    /// The values that an expression may have, by the types of variables alone.
    pub fn range(&self, expression: &Expression) -> Range {
        match expression {
            Expression::Constant(number) => Range::only(number),
            Expression::Quantity { quantity, .. } if self.bound.contains_key(&quantity.variable) => {
                self.bound[&quantity.variable].clone()
            }
            Expression::Quantity { quantity, .. } if quantity.aspect == Aspect::Value => {
                self.integer(quantity.variable.as_str()).map(Range::of).unwrap_or_default()
            }
            Expression::Element(element) => Range::of(IntegerType {
                width: element.bytes.saturating_mul(8).max(1),
                signed: element.signed,
            }),
            Expression::Sum(parts) => {
                parts.iter().fold(Range::only(&Integer::ZERO), |sum, part| sum.plus(&self.range(part)))
            }
            Expression::Product(parts) => parts
                .iter()
                .fold(Range::only(&Integer::ONE), |product, part| product.times(&self.range(part))),
            Expression::Quotient { dividend, divisor } => {
                let inner = self.range(dividend);
                match inner.is_natural() {
                    true => Range {
                        least: Some(Integer::ZERO),
                        greatest: inner.greatest.map(|most| most / divisor),
                    },
                    false => Range::default(),
                }
            }
            Expression::Quantity { quantity, .. } if quantity.aspect != Aspect::Offset => {
                Range::of(IntegerType { width: 63, signed: false })
            }
            Expression::Remainder { divisor, .. } => {
                Range { least: Some(Integer::ZERO), greatest: Some(divisor - Integer::ONE) }
            }
            _ => Range::default(),
        }
    }

    /// The type of a variable that evidence names.
    fn integer(&self, name: &str) -> Option<IntegerType> {
        let of = |ty: Type| match ty {
            Type::Integer(integer) => Some(integer),
            _ => None,
        };
        if name == evidence::RESULT {
            return match self.result.as_ref()?.shape {
                Shape::Integer(integer) => Some(integer),
                _ => None,
            };
        }
        match self.body {
            Some(body) => {
                let (_, id) = self.variables().iter().find(|(known, _)| known == name)?;
                of(self.program.variable(body, *id).ty)
            }
            None => match self.parameters.iter().find(|(_, known, _)| known.as_str() == name)?.2.shape {
                Shape::Integer(integer) => Some(integer),
                _ => None,
            },
        }
    }

    /// Where the variable is that a word names.
    ///
    /// # Errors
    /// If it is not known which one is meant.
    pub fn place(&self, word: &str) -> Result<Option<Place>, String> {
        let found = self.local(word).or_else(|| self.divided(word));
        if self.is_lost(word, found.as_ref().map(|(location, _)| *location)) {
            return Err(format!("`{word}` may be a variable that the program does not need"));
        }
        if let Some((_, place)) = found {
            return Ok(Some(place));
        }
        if let Some((_, name, ty)) = self.parameters.iter().find(|(spelled, ..)| spelled == word) {
            return Ok(Some(variable(name.clone(), Arc::clone(ty))));
        }
        self.global(word)
    }

    /// A structure of the function around the loop that has become a variable for each part: its parts have its name in front.
    fn divided(&self, word: &str) -> Option<(Location, Place)> {
        self.stands?;
        let body = self.body?;
        let is_part = |name: &str| name.strip_prefix(word).is_some_and(|rest| rest.starts_with('.'));
        let part = body.variables.values().find(|variable| is_part(&variable.name))?;
        let ty = self.declared(word, part.location)?;
        Some((part.location, variable(Name::from(word), ty)))
    }

    /// The innermost variable or object of the function around the loop.
    fn local(&self, word: &str) -> Option<(Location, Place)> {
        let (statement, scope) = self.stands?;
        let body = self.body?;
        let mut found: Option<(usize, Location, Place)> = None;
        let mut add = |depth: usize, location: Location, place: Place| {
            if found.as_ref().is_none_or(|(known, at, _)| depth < *known || depth == *known && location > *at)
            {
                found = Some((depth, location, place));
            }
        };
        let depth = |declared: Option<ScopeId>, location: Location| {
            let is_before = location.file != statement.file
                || (location.line, location.column) <= (statement.line, statement.column)
                || declared.is_some_and(|declared| body.scopes[declared].location == statement);
            let mut depth = 0;
            let mut at = Some(scope);
            while let Some(one) = at.filter(|_| is_before) {
                if declared == Some(one) {
                    return Some(depth);
                }
                depth += 1;
                at = body.scopes[one].parent;
            }
            None
        };
        for &(ref name, id) in self.variables() {
            if id.is_global() || body.variables[id].name != word || body.parameters.contains(&id) {
                continue;
            }
            let local = &body.variables[id];
            if let Some(depth) = depth(local.scope, local.location) {
                let ty = self.ty(word, local.location, local.ty);
                add(depth, local.location, variable(Name::from(name.as_str()), ty));
            }
        }
        let locals = body.locals.values().zip(self.objects()).filter(|(local, _)| local.name == word);
        for (local, &(_, ref name, location)) in locals {
            if let Some(depth) = depth(local.scope, location) {
                add(depth, location, object(name, self.declared(word, location).unwrap_or_else(unknown)));
            }
        }
        found.map(|(_, location, place)| (location, place))
    }

    /// The variable or object of the program.
    fn global(&self, word: &str) -> Result<Option<Place>, String> {
        let is_named = |name: &str| {
            let rest = name.strip_prefix(word);
            rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.').is_some_and(is_number))
        };
        let mut found: Vec<(Location, Place)> = Vec::new();
        let names = self.variables();
        for (place, global) in self.program.globals.iter().enumerate() {
            let own = &global.variable;
            if !is_named(&own.name) {
                continue;
            }
            let id = VariableId::global(place);
            let name = names.iter().find(|(_, known)| *known == id).map_or(&own.name, |(name, _)| name);
            let ty = self.ty(word, own.location, own.ty);
            found.push((own.location, variable(Name::from(name.as_str()), ty)));
        }
        let skipped = self.body.map_or(0, |body| body.locals.len());
        for &(ref name, ref unique, location) in self.objects().iter().skip(skipped) {
            if is_named(name) {
                let ty = self.declared(word, location).or_else(|| self.any_declared(word));
                found.push((location, object(unique, ty.unwrap_or_else(unknown))));
            }
        }
        if found.len() > 1 {
            let here = |(location, _): &(Location, Place)| {
                self.vocabulary.variables.contains_key(&(word.to_owned(), *location))
                    && location.file == self.location.file
            };
            found.retain(here);
            if found.len() != 1 {
                return Err(format!("several variables of the program are called `{word}`"));
            }
        }
        Ok(found.pop().map(|(_, place)| place))
    }

    fn declared(&self, word: &str, location: Location) -> Option<Arc<CType>> {
        self.vocabulary.variables.get(&(word.to_owned(), location)).cloned()
    }

    /// The type of a variable that is declared elsewhere, if all declarations here agree.
    fn any_declared(&self, word: &str) -> Option<Arc<CType>> {
        let mut all =
            self.vocabulary.variables.iter().filter(|((name, _), _)| name == word).map(|(_, ty)| ty);
        let first = all.next()?;
        all.all(|other| other == first).then(|| Arc::clone(first))
    }

    /// The type of a variable without an address.
    fn ty(&self, word: &str, location: Location, ty: Type) -> Arc<CType> {
        let declared = self.declared(word, location).or_else(|| self.any_declared(word));
        declared.unwrap_or_else(|| match ty {
            Type::Integer(integer) => Arc::new(CType {
                text: String::from("int"),
                size: Some(u64::from(integer.width / 8)),
                constant: false,
                shape: Shape::Integer(integer),
            }),
            _ => unknown(),
        })
    }

    /// Whether a word may name a variable of the function around the loop that passes have taken out: one that is declared
    /// behind another place.
    fn is_lost(&self, word: &str, behind: Option<Location>) -> bool {
        let (Some((statement, _)), Some(body)) = (self.stands, self.body) else { return false };
        let start = body.scopes.values().next().map_or(statement, |scope| scope.location);
        let start = behind.filter(|behind| behind.file == statement.file).unwrap_or(start);
        // What the program has elsewhere cannot be seen from here.
        let is_kept = |location: Location| {
            body.variables.values().any(|variable| variable.location == location)
                || body.locals.values().any(|local| local.location == location)
        };
        let mut declared = self.vocabulary.variables.keys().filter(|(name, _)| name == word);
        declared.any(|&(_, location)| {
            let is_inside = location.file == statement.file
                && (start.line, start.column) <= (location.line, location.column)
                && (location.line, location.column) <= (statement.line, statement.column);
            is_inside && !is_kept(location)
        })
    }
}

fn unknown() -> Arc<CType> {
    Arc::new(CType::other("?"))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn variable(name: Name, ty: Arc<CType>) -> Place {
    Place { root: Root::Variable(name), offset: Linear::default(), ty, count: None }
}

fn object(name: &str, ty: Arc<CType>) -> Place {
    Place { root: Root::Object(Name::from(name)), offset: Linear::default(), ty, count: None }
}
