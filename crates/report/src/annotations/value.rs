//! What parts of annotations are: numbers, statements, pointers and places in memory.

use std::sync::Arc;

use evidence::{Formula, Moment, Name};
use program::annotation::CType;

use super::number::{Linear, Number};

/// Why a part of an annotation is not read, and where that part begins in its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Trouble {
    pub at: usize,
    pub reason: String,
}

/// What reading gives.
pub(crate) type Read<T> = Result<T, Trouble>;

/// What an expression is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Number(Number),
    Truth(Truth),
    Pointer(Pointer),
    Place(Place),
    /// Numbers from one on, and how many.
    Range(Number, Number),
}

/// A statement, and what it says of pointers besides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Truth {
    pub formula: Formula,
    /// Each with its place in the text. All of them hold if the statement does.
    pub facts: Vec<(usize, Fact)>,
}

/// What is said of pointers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    /// An area may be accessed.
    Valid {
        area: Area,
        /// Whether it may be written.
        written: bool,
        /// Whether it is an object of its own.
        fresh: bool,
    },
    /// Areas have no byte in common.
    Separated(Vec<Area>),
    /// A pointer points to a string.
    String { pointer: Pointer, written: bool },
    /// A pointer is not null.
    NotNull(Pointer),
}

/// Where something is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Root {
    /// In a variable without an address.
    Variable(Name),
    /// In an object with a name.
    Object(Name),
    /// Where a pointer points that a variable holds at a moment, or a pointer behind that one.
    Behind {
        pointer: Name,
        moment: Moment,
        /// That pointer stands so many bytes behind where the variable points to.
        field: Option<u64>,
    },
    /// Nowhere: the null pointer.
    Null,
}

/// A place in memory, or several side by side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub root: Root,
    /// How many bytes behind the root.
    pub offset: Linear,
    pub ty: Arc<CType>,
    /// How many of them, if it is a range.
    pub count: Option<Number>,
}

/// A pointer, or several side by side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pointer {
    pub root: Root,
    pub offset: Linear,
    /// What it points to.
    pub to: Arc<CType>,
    /// How many of them, if it is a range.
    pub count: Option<Number>,
}

/// Some bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Area {
    pub root: Root,
    pub offset: Linear,
    pub bytes: Linear,
    /// Whether there may be none of them, as the numbers stand.
    pub may_be_empty: bool,
    /// Whether C cuts their number off, and it is taken as it was before.
    pub is_cut: bool,
}

impl Trouble {
    /// Something is wrong at a place.
    pub fn new(at: usize, reason: impl Into<String>) -> Self {
        Self { at, reason: reason.into() }
    }
}

impl Truth {
    /// A statement without facts.
    pub const fn plain(formula: Formula) -> Self {
        Self { formula, facts: Vec::new() }
    }

    /// A fact.
    pub fn fact(at: usize, fact: Fact) -> Self {
        Self { formula: Formula::True, facts: vec![(at, fact)] }
    }

    /// The statement alone, which is all only if there are no facts.
    pub fn only(self) -> Read<Formula> {
        match self.facts.first() {
            None => Ok(self.formula),
            Some((at, _)) => Err(Trouble::new(
                *at,
                "what is said of pointers is only supported where it holds in every case",
            )),
        }
    }
}

impl Place {
    /// A pointer to it.
    pub fn address(self) -> Pointer {
        let Place { root, offset, ty, count } = self;
        Pointer { root, offset, to: ty, count }
    }
}

impl Pointer {
    /// What it points to.
    pub fn target(self) -> Place {
        let Pointer { root, offset, to, count } = self;
        Place { root, offset, ty: to, count }
    }

    /// The bytes that it points to. Nothing if it is not known how many.
    pub fn area(&self) -> Option<Area> {
        let size = self.to.size.filter(|&size| size > 0)?;
        let (bytes, may_be_empty) = match &self.count {
            None => (Number::known(size.into()).linear, false),
            Some(count) => {
                let is_positive = count.range.least.as_ref().is_some_and(|least| *least > 0.into());
                (count.linear.times(&size.into()), !is_positive)
            }
        };
        Some(Area {
            root: self.root.clone(),
            offset: self.offset.clone(),
            bytes,
            may_be_empty,
            is_cut: false,
        })
    }
}
