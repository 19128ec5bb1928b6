//! What people write about a program besides C: contracts, annotations of loops, attributes.
//!
//! ```text
//! text ─ comments.rs ─► comments that begin with @ ─┐
//!   │                                               ├─ declared.rs ─► the function or loop that each is about
//! tokens ─ clauses.rs ─► macros of CBMC, cut out ───┘
//!   │
//! tree ── declared.rs ─► attributes, lengths of arrays
//! ```
//!
//! The parser sees none of this: a program is the same with annotations and without. `lower/annotate.rs` puts what was found
//! into the program. The texts are not read here.

mod clauses;
mod comments;
mod declared;
pub(crate) mod macros;

pub(crate) use clauses::cut;
pub(crate) use comments::find;
pub(crate) use declared::{Declaration, Declared};

use program::annotation::Language;
use rucc_base::Symbol;
use rucc_diag::BytePos;

pub(crate) use macros::Macros;

/// A text, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    /// Whose language it is.
    pub language: Language,
    /// The text.
    pub text: String,
    /// Where parts of it stand, by the offset in the text.
    pub places: Vec<(usize, BytePos)>,
    /// How to find what it is about.
    pub anchor: Anchor,
}

/// Where what an annotation is about stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchor {
    /// It begins at this token.
    Next(BytePos),
    /// It is the declaration around this place.
    Around(BytePos),
    /// It is the loop with its keyword here.
    Loop(BytePos),
    /// There is nothing, and why.
    Nothing(&'static str),
}

/// What an annotation is about.
#[derive(Clone, Debug)]
pub(crate) enum About {
    /// A function, with the names of its parameters.
    Function(Symbol, Vec<Option<Symbol>>),
    /// The loop with its keyword here.
    Loop(BytePos),
    /// Nothing, and why.
    Nothing(&'static str),
}

/// All annotations of a unit.
#[derive(Default)]
pub(crate) struct Noted {
    /// The texts, in the order of the source.
    pub notes: Vec<(Note, About)>,
    /// What is declared of functions and structures.
    pub declared: Declared,
    /// What macros stand for that texts mention.
    pub macros: Macros,
}
