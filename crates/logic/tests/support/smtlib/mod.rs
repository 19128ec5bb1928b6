//! Terms as SMT-LIB 2 text, and the answers of solvers read back.
//!
//! - [`Printer`] writes terms so that the text is linear in the number of distinct subterms.
//! - [`Expressions`] takes answers apart, [`Reader`] makes terms and values of them.

mod expressions;
mod printer;
mod reader;

pub use expressions::{Expression, Expressions};
pub use printer::Printer;
pub use reader::Reader;

use loopscope_logic::terms::{Term, Terms};

/// A script that asks whether some boolean terms can be true together.
pub fn script(terms: &Terms, assertions: &[Term]) -> String {
    let mut printer = Printer::new();
    let mut text = String::from("(set-logic ALL)\n");
    printer.plan(terms, assertions);
    for &assertion in assertions {
        let truth = printer.term(terms, assertion, &mut text);
        text.push_str(&format!("(assert {truth})\n"));
    }
    text.push_str("(check-sat)\n");
    text
}
