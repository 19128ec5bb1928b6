//! The loops of a program as the source has them, with the variables that evidence can speak of there: what witnesses
//! need to translate between names of the kernel and those of C.

use crate::name::Name;
use crate::place::Place;

/// A loop statement of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// The function.
    pub function: String,
    /// Where the loop's keyword stands.
    pub place: Place,
    /// What evidence calls the place of the loop.
    pub head: Option<Place>,
    /// The keyword: `for`, `while` or `do`.
    pub keyword: &'static str,
    /// The variables of the function and of the program that hold integers and have a name in C.
    pub variables: Vec<Visible>,
}

/// A variable that may be visible at a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visible {
    /// What evidence calls it.
    pub name: Name,
    /// What C calls it.
    pub spelling: String,
    /// Its least value.
    pub least: i128,
    /// Its greatest value.
    pub greatest: i128,
    /// Where the scope begins in which it is declared: none if it can be seen in the whole function.
    pub scope: Option<Place>,
    /// Where it is declared.
    pub declared: Option<Place>,
}
