//! What people write about a program besides C, and what its declarations promise: data that is not understood yet.
//!
//! The texts are those of the source. Nothing in here changes what a program does: a program without it has the same runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Location;

use crate::function::ScopeId;
use crate::types::IntegerType;

/// What stands in the source besides C.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Annotations {
    /// Contracts and annotations of loops, in the order of the source.
    pub notes: Vec<Annotation>,
    /// What is declared of functions, by their names in the program: of those that it defines or calls, unless the system's
    /// headers declare them.
    pub prototypes: BTreeMap<String, Prototype>,
}

/// A piece of text about a function or a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// Whose language it is.
    pub language: Language,
    /// The text, without signs of comments, each of which is as many spaces.
    pub text: String,
    /// Where parts of the text stand: from an offset on, each character one column further than the one before.
    pub places: Vec<(usize, Location)>,
    /// What it is about.
    pub target: Target,
    /// What words of the text mean in C.
    pub vocabulary: Arc<Vocabulary>,
}

/// Languages of annotations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Comments that begin with `@`: the ANSI/ISO C Specification Language.
    Acsl,
    /// A macro of CBMC, `__CPROVER_requires(…)`, after all macros are expanded.
    Cprover,
}

/// What an annotation is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A function, by its name in the program.
    Function {
        /// The function.
        name: String,
        /// What its parameters are called here; empty if one has no name.
        parameters: Vec<String>,
    },
    /// A loop statement.
    Loop {
        /// The function that it stands in.
        function: String,
        /// Where its keyword stands.
        statement: Location,
        /// The innermost scope around it.
        scope: ScopeId,
    },
    /// Neither, and why.
    Nothing(&'static str),
}

/// What words mean in C.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vocabulary {
    /// Enumerators, names of types (`size_t`, `struct list`) and macros.
    pub words: BTreeMap<String, Word>,
    /// Variables, by where they are declared.
    pub variables: BTreeMap<(String, Location), Arc<CType>>,
}

/// What a word means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word {
    /// A number.
    Number(i128),
    /// A type.
    Type(Arc<CType>),
    /// What a macro without parameters stands for.
    Macro(String),
}

/// A type of C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CType {
    /// As C writes it.
    pub text: String,
    /// How many bytes its values have, if that is known.
    pub size: Option<u64>,
    /// Whether its values may not be written.
    pub constant: bool,
    /// What it is.
    pub shape: Shape,
}

/// What a type of C is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Integers.
    Integer(IntegerType),
    /// Pointers to values of a type.
    Pointer(Arc<CType>),
    /// An array.
    Array(Arc<CType>),
    /// A structure or union, with its members that have names and whole bytes. Members of members without a name count as its
    /// own.
    Record(Vec<Member>),
    /// Something else, or too far away.
    Other,
}

/// A member of a structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Its type.
    pub ty: Arc<CType>,
    /// The member that says how many elements it has: the attribute `counted_by`.
    pub counted_by: Option<String>,
}

/// What is declared of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prototype {
    /// The type of its result.
    pub result: Arc<CType>,
    /// Its parameters, as C counts them.
    pub parameters: Vec<Parameter>,
    /// What attributes promise.
    pub promises: Promises,
    /// What words in the lengths of its parameters mean.
    pub vocabulary: Arc<Vocabulary>,
}

/// A parameter, as it is declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its type; a pointer if it is written as an array.
    pub ty: Arc<CType>,
    /// What stands in the brackets, if it is written as an array.
    pub length: Option<Length>,
    /// Whether the attribute `nonnull` names it.
    pub nonnull: bool,
    /// The attribute `access`.
    pub access: Option<Access>,
}

/// The length of a parameter that is written as an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Length {
    /// How many elements, in C.
    pub text: String,
    /// Where it is written.
    pub location: Location,
    /// Whether `static` is written: there are at least so many.
    pub is_promised: bool,
}

/// What a function does with what a parameter points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// What it does.
    pub mode: AccessMode,
    /// Which parameter, from zero, says how many elements there are.
    pub count: Option<usize>,
}

/// What a function does with what a pointer points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessMode {
    /// It only reads.
    ReadOnly,
    /// It reads and writes.
    ReadWrite,
    /// It only writes.
    WriteOnly,
    /// It does neither.
    None,
}

/// What attributes promise of a function as a whole.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Promises {
    /// `pure`: it changes nothing.
    pub pure: bool,
    /// `const`: it changes nothing, and reads nothing but its parameters.
    pub constant: bool,
    /// `malloc`: its result points to a new object.
    pub malloc: bool,
    /// `noreturn`: it does not return.
    pub noreturn: bool,
    /// `returns_nonnull`: its result is not null.
    pub returns_nonnull: bool,
    /// `alloc_size`: the product of these parameters, from zero, is the size of the object that its result points to.
    pub alloc_size: Vec<usize>,
}

impl Annotation {
    /// Where a character of the text stands.
    pub fn location(&self, offset: usize) -> Location {
        let found = self.places.iter().rev().find(|(from, _)| *from <= offset);
        let Some((from, location)) = found.or(self.places.first()) else { return Location::unknown() };
        let columns = self.text.get(*from..offset).map_or(0, str::len);
        let column = location.column.saturating_add(u32::try_from(columns).unwrap_or_default());
        Location { column, ..*location }
    }
}

impl CType {
    /// A type of which nothing is known but how C writes it.
    pub fn other(text: impl Into<String>) -> Self {
        Self { text: text.into(), size: None, constant: false, shape: Shape::Other }
    }

    /// What values of it point to, if they are pointers or arrays.
    pub fn pointee(&self) -> Option<&Arc<CType>> {
        match &self.shape {
            Shape::Pointer(to) | Shape::Array(to) => Some(to),
            _ => None,
        }
    }

    /// The members, if it is a structure or a union.
    pub fn members(&self) -> &[Member] {
        match &self.shape {
            Shape::Record(members) => members,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_a_text_have_places() {
        let at = |line, column| Location::new(base::Index::new(0), line, column);
        let note = Annotation {
            language: Language::Acsl,
            text: String::from("   requires x;\n   ensures y;"),
            places: vec![(0, at(3, 1)), (15, at(4, 1))],
            target: Target::Nothing(""),
            vocabulary: Arc::default(),
        };
        assert_eq!(note.location(12), at(3, 13));
        assert_eq!(note.location(26), at(4, 12));
        assert_eq!(note.location(1000), at(4, 1));
    }
}
