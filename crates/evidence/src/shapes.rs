//! Why a program with linked lists ends: at every cutpoint the shapes that its lists can have, each with ranks over the
//! lengths of their segments and the program's numbers.
//!
//! ```text
//!   head ─► (0) ──length 0──► null        a segment is a chain of so many cells, at least one, that ends in the first cell
//!   last ─► (1) ──length 1──► (0)         of another segment (or of itself: a ring), in null, or at an unknown place
//! ```
//!
//! Blocks, statements and variables are named by their numbers in the program as the front end makes it, so that this speaks
//! of one version of one program. What is claimed, and how it is checked, is written at the check in the crate `certify`.

use serde::{Deserialize, Serialize};

use crate::decimal;
use crate::expression::Integer;

/// The shapes of a program's lists.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Shapes {
    /// Where in a cell the pointer to the next cell stands, in bytes.
    pub link: u64,
    /// How many bytes each cell has at least.
    pub size: u64,
    /// The places: every cycle of the program comes by one of them.
    pub cutpoints: Vec<ShapesAt>,
}

/// The shapes at one place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShapesAt {
    /// The calls that are active, the outermost first: the block of each and its place among the statements.
    pub calls: Vec<(usize, usize)>,
    /// The block at whose start the place is.
    pub block: usize,
    /// One of these holds whenever control comes there.
    pub heaps: Vec<ShapeHeap>,
}

/// A symbolic heap: what is true of the pointers, lists and numbers of a state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShapeHeap {
    /// What some pointer variables are; nothing is said about others.
    pub pointers: Vec<(ShapeVariable, ShapeTarget)>,
    /// Where each segment ends. No two of them share a cell.
    pub segments: Vec<ShapeTarget>,
    /// Objects that live there, with pointers that they hold.
    #[serde(default)]
    pub objects: Vec<ShapeObject>,
    /// Sums that are not negative.
    pub invariants: Vec<ShapeSum>,
    /// Numbers that the way back to this place makes less, in the order of their importance.
    pub ranks: Vec<ShapeSum>,
}

/// What a pointer is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShapeTarget {
    /// The null pointer.
    Null,
    /// The first cell of a segment, by its place in the list.
    Segment(usize),
    /// A byte of an object, so many behind its start.
    Object(ShapeHome, i64),
    /// Anything.
    Unknown,
}

/// An object of one of the active functions, or of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct ShapeHome {
    /// The active call, the outermost being zero; nothing for an object of the program.
    pub frame: Option<usize>,
    /// Its number.
    pub object: usize,
}

/// An object with pointers in it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShapeObject {
    /// Which one.
    pub home: ShapeHome,
    /// What some of its pointers are, by their offsets.
    pub pointers: Vec<(i64, ShapeTarget)>,
}

/// A variable of one of the active functions, or of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct ShapeVariable {
    /// The active call, the outermost being zero; nothing for a variable of the program.
    pub frame: Option<usize>,
    /// Its number.
    pub variable: usize,
}

/// A number of a symbolic heap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShapeNumber {
    /// How many cells a segment has.
    Length(usize),
    /// The value of a variable.
    Variable(ShapeVariable),
}

/// A sum of multiples and a constant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShapeSum {
    /// The multiples.
    pub parts: Vec<ShapePart>,
    /// The constant.
    #[serde(with = "decimal")]
    pub constant: Integer,
}

/// A multiple of a number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShapePart {
    /// How often it is taken.
    #[serde(with = "decimal")]
    pub factor: Integer,
    /// The number.
    pub number: ShapeNumber,
}
