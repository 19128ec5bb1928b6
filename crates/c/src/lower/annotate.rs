//! What the source says besides C, as data of the program: annotations with what they are about, and prototypes.
//!
//! All of it is added when the functions of a unit are lowered, and changes none of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use program::annotation::{
    Annotation, CType, Length, Member, Parameter, Prototype, Shape, Target, Vocabulary, Word,
};
use program::{FunctionId, Type};
use rucc_base::Symbol;
use rucc_sema::{DeclId, DeclKind};
use rucc_types::{ArrayLen, IntKind, Qualifiers, RecordId, RecordKind, TypeId, TypeKind};

use super::unit::UnitLowering;
use crate::annotations::macros::words;
use crate::annotations::{About, Declaration};
use crate::frontend::Unit;

/// So many pointers are followed from a type.
const LEVELS: u8 = 3;

/// What stands in front of a tag.
const KEYWORDS: [&str; 3] = ["struct", "union", "enum"];

impl UnitLowering<'_> {
    /// Adds what is said about the functions and loops of the unit.
    pub(super) fn annotate(&mut self) {
        let unit = self.unit;
        let mut types = Types { unit, known: HashMap::new() };
        let vocabulary = Arc::new(self.vocabulary(&mut types));
        self.prototypes(&mut types, &vocabulary);
        for (note, about) in &unit.noted.notes {
            let target = self.target(about);
            let places = note.places.iter();
            let places = places.map(|&(from, place)| (from, self.location(rucc_diag::Span::empty_at(place))));
            let places: Vec<_> = places.collect();
            let (language, text) = (note.language, note.text.clone());
            let annotation =
                Annotation { language, text, places, target, vocabulary: Arc::clone(&vocabulary) };
            // Units that include the same header say the same.
            let is_same = |other: &Annotation| {
                (&other.places, &other.target) == (&annotation.places, &annotation.target)
            };
            let notes = &mut Arc::make_mut(&mut self.linker.program.annotations).notes;
            if !notes.iter().any(is_same) {
                notes.push(annotation);
            }
        }
    }

    fn target(&mut self, about: &About) -> Target {
        let name = |name: Symbol| self.unit.names.resolve(name).to_owned();
        match about {
            About::Nothing(why) => Target::Nothing(why),
            About::Function(function, parameters) => {
                let known =
                    self.functions.iter().find(|(decl, _)| self.unit.tast[**decl].name == Some(*function));
                let known = known.map(|(_, id)| self.linker.program.functions[*id].name.clone());
                let parameters = parameters.iter().map(|one| one.map_or_else(String::new, name)).collect();
                Target::Function { name: known.unwrap_or_else(|| name(*function)), parameters }
            }
            About::Loop(place) => match self.loops.get(place) {
                Some(&(function, scope)) => Target::Loop {
                    function: self.linker.program.functions[function].name.clone(),
                    statement: self.location(rucc_diag::Span::empty_at(*place)),
                    scope,
                },
                None => Target::Nothing("no function or loop follows it"),
            },
        }
    }

    fn prototypes(&mut self, types: &mut Types<'_>, vocabulary: &Arc<Vocabulary>) {
        let mut functions: Vec<(FunctionId, DeclId)> =
            self.functions.iter().map(|(&decl, &id)| (id, decl)).collect();
        functions.sort_unstable_by_key(|(id, _)| *id);
        for (id, decl) in functions {
            let name = self.linker.program.functions[id].name.clone();
            let is_defined = self.unit.tast[decl].body.is_some();
            let is_known = self.linker.program.annotations.prototypes.contains_key(&name);
            if is_known && !is_defined || self.unit.sources.is_system(self.unit.tast.decl_span(decl).lo) {
                continue;
            }
            if let Some(prototype) = self.prototype(decl, types, vocabulary) {
                Arc::make_mut(&mut self.linker.program.annotations).prototypes.insert(name, prototype);
            }
        }
    }

    fn prototype(
        &mut self,
        decl: DeclId,
        types: &mut Types<'_>,
        vocabulary: &Arc<Vocabulary>,
    ) -> Option<Prototype> {
        let unit = self.unit;
        let declared = &unit.tast[decl];
        let TypeKind::Function(signature) = unit.kind(declared.ty) else { return None };
        let signature = unit.types.signature(signature);
        let defined = &unit.tast[declared.params];
        let given: Vec<TypeId> = match signature.prototyped {
            true => signature.params.to_vec(),
            false => defined.iter().map(|&parameter| unit.tast[parameter].ty).collect(),
        };
        let none = Declaration::default();
        let promised =
            declared.name.and_then(|name| unit.noted.declared.functions.get(&name)).unwrap_or(&none);
        let parameters = given.iter().enumerate().map(|(place, &ty)| {
            let promise = promised.parameters.get(place).cloned().unwrap_or_default();
            let own = defined.get(place).and_then(|&parameter| unit.tast[parameter].name);
            let length = promise.length.map(|(text, span, is_promised)| Length {
                text,
                location: self.location(span),
                is_promised,
            });
            let name = own.or(promise.name).map_or("", |name| unit.names.resolve(name)).to_owned();
            Parameter {
                name,
                ty: types.of(ty, LEVELS),
                length,
                nonnull: promise.nonnull,
                access: promise.access,
            }
        });
        Some(Prototype {
            parameters: parameters.collect(),
            result: types.of(signature.ret, LEVELS),
            promises: promised.promises.clone(),
            vocabulary: Arc::clone(vocabulary),
        })
    }

    /// What words of the annotations mean.
    fn vocabulary(&mut self, types: &mut Types<'_>) -> Vocabulary {
        let unit = self.unit;
        let texts = unit.noted.notes.iter().map(|(note, _)| note.text.as_str());
        let macros = unit.noted.macros.values().map(String::as_str);
        let lengths = unit.noted.declared.functions.values().flat_map(|declaration| &declaration.parameters);
        let lengths =
            lengths.filter_map(|parameter| parameter.length.as_ref().map(|(text, ..)| text.as_str()));
        let wanted: BTreeSet<Symbol> = texts
            .chain(macros)
            .chain(lengths)
            .flat_map(words)
            .filter_map(|word| unit.names.find(word))
            .collect();
        let mut vocabulary = Vocabulary::default();
        if wanted.is_empty() {
            return vocabulary;
        }
        vocabulary.words = types.words(&wanted);
        if unit.names.find("char").is_some_and(|char| wanted.contains(&char)) {
            let plain = types.of(unit.types.int(IntKind::Char), LEVELS);
            vocabulary.words.insert(String::from("char"), Word::Type(plain));
        }
        let macros = unit.noted.macros.iter();
        vocabulary.words.extend(macros.map(|(name, body)| (name.clone(), Word::Macro(body.clone()))));
        for decl in unit.decls() {
            let declared = &unit.tast[decl];
            if let (DeclKind::Object, Some(name)) = (declared.kind, declared.name)
                && wanted.contains(&name)
            {
                let place = self.location(unit.tast.decl_span(decl));
                let key = (unit.names.resolve(name).to_owned(), place);
                vocabulary.variables.insert(key, types.of(declared.ty, LEVELS));
            }
        }
        vocabulary
    }
}

/// Types of C as data of the program.
struct Types<'a> {
    unit: &'a Unit,
    known: HashMap<(TypeId, u8), Arc<CType>>,
}

impl Types<'_> {
    /// A type, with what it leads to through so many pointers.
    fn of(&mut self, ty: TypeId, levels: u8) -> Arc<CType> {
        if let Some(known) = self.known.get(&(ty, levels)) {
            return Arc::clone(known);
        }
        let unit = self.unit;
        let shape = match unit.kind(ty) {
            TypeKind::Pointer(to) if levels > 0 => Shape::Pointer(self.of(to, levels - 1)),
            TypeKind::Pointer(to) => Shape::Pointer(Arc::new(CType::other(self.text(to)))),
            TypeKind::Array { elem, len: ArrayLen::Fixed(_) | ArrayLen::Unknown } => {
                Shape::Array(self.of(elem, levels))
            }
            TypeKind::Record(record) if levels > 0 => Shape::Record(self.members(record, levels)),
            _ => match unit.scalar(ty) {
                Some(Type::Integer(integer)) => Shape::Integer(integer),
                _ => Shape::Other,
            },
        };
        let size = match unit.kind(ty) {
            TypeKind::Function(_) | TypeKind::Array { len: ArrayLen::Unknown, .. } => None,
            _ => unit.size(ty),
        };
        let constant = unit.types.object_quals(ty).has(Qualifiers::CONST);
        let found = Arc::new(CType { text: self.text(ty), size, constant, shape });
        self.known.insert((ty, levels), Arc::clone(&found));
        found
    }

    fn text(&self, ty: TypeId) -> String {
        rucc_types::spell(&self.unit.types, &self.unit.names, ty)
    }

    fn members(&mut self, record: RecordId, levels: u8) -> Vec<Member> {
        let unit = self.unit;
        let info = unit.types.record_info(record);
        let names: Vec<Option<Symbol>> = info.fields.iter().map(|field| field.name).collect();
        let counted = unit.noted.declared.counted.get(&names);
        let mut members = Vec::new();
        if info.variable.is_some() {
            return members;
        }
        for field in info.fields.iter().filter(|field| !field.is_bit_field()) {
            let Some(name) = field.name else {
                if let TypeKind::Record(inner) = unit.kind(field.ty) {
                    let inner = self.members(inner, levels).into_iter();
                    members.extend(
                        inner.map(|member| Member { offset: member.offset + field.offset, ..member }),
                    );
                }
                continue;
            };
            let count = counted.and_then(|pairs| pairs.iter().find(|(member, _)| *member == name));
            members.push(Member {
                name: unit.names.resolve(name).to_owned(),
                offset: field.offset,
                ty: self.of(field.ty, levels),
                counted_by: count.map(|(_, count)| unit.names.resolve(*count).to_owned()),
            });
        }
        members
    }

    /// Names of types and enumerators. Names with two meanings in the unit are left out.
    fn words(&mut self, wanted: &BTreeSet<Symbol>) -> BTreeMap<String, Word> {
        let unit = self.unit;
        let mut found: BTreeMap<String, Vec<Word>> = BTreeMap::new();
        let mut add = |name: String, word: Word| {
            let meanings = found.entry(name).or_default();
            if !meanings.contains(&word) {
                meanings.push(word);
            }
        };
        let spelled = |name: Symbol| unit.names.resolve(name).to_owned();
        for alias in unit.types.aliases().iter().filter(|alias| wanted.contains(&alias.name)) {
            add(spelled(alias.name), Word::Type(self.of(alias.of, LEVELS)));
        }
        for (&name, &value) in
            unit.noted.declared.enumerators.iter().filter(|(name, _)| wanted.contains(name))
        {
            if let Some(value) = value {
                add(spelled(name), Word::Number(value));
            }
        }
        if KEYWORDS.iter().filter_map(|word| unit.names.find(word)).any(|word| wanted.contains(&word)) {
            for decl in unit.decls() {
                self.tags(unit.tast[decl].ty, wanted, &mut add);
            }
        }
        found
            .into_iter()
            .filter_map(|(name, mut meanings)| Some((name, meanings.pop().filter(|_| meanings.is_empty())?)))
            .collect()
    }

    /// The tag of a type, or of what it points to.
    fn tags(&mut self, ty: TypeId, wanted: &BTreeSet<Symbol>, add: &mut impl FnMut(String, Word)) {
        let unit = self.unit;
        let (keyword, tag) = match unit.kind(ty) {
            TypeKind::Pointer(to) => return self.tags(to, wanted, add),
            TypeKind::Array { elem, .. } => return self.tags(elem, wanted, add),
            TypeKind::Function(signature) => {
                let signature = unit.types.signature(signature);
                let all = signature.params.iter().chain([&signature.ret]);
                return all.for_each(|&one| self.tags(one, wanted, add));
            }
            TypeKind::Record(record) => {
                let info = unit.types.record_info(record);
                (if info.kind == RecordKind::Union { "union" } else { "struct" }, info.tag)
            }
            TypeKind::Enum(number) => ("enum", unit.types.enum_info(number).tag),
            _ => return,
        };
        if let Some(tag) = tag.filter(|tag| wanted.contains(tag)) {
            let plain = unit.types.canonical(ty);
            if unit.types.quals(plain).is_none() {
                add(format!("{keyword} {}", unit.names.resolve(tag)), Word::Type(self.of(plain, LEVELS)));
            }
        }
    }
}
