//! Clean-up passes: from a program in which every variable of the source is a memory object to one in which
//! scalars are variables and expressions read as they were written.
//!
//! Every pass keeps what a program does: its runs, the obligations that fail on them, and their places. A check
//! that cannot fail may be dropped; an assertion of the user never is. All passes are linear in the size of the
//! program, but for [`definite`], whose bit sets cost another factor of (variables to watch) / 64.

mod blocks;
mod dead;
mod definite;
mod expressions;
mod joins;
mod promote;
mod propagate;
mod unused;

#[cfg(test)]
mod tests;

use crate::function::Body;
use crate::program::Program;

/// Cleans a program up.
pub fn simplify(program: &mut Program) {
    for_each_body(program, blocks::tidy);
    // First what nobody uses: it must not count as a use of an object's address.
    unused::remove(program);
    let promoted = promote::promote(program);
    for (function, objects) in promoted {
        if let Some(body) = program.functions[function].body_mut() {
            definite::discharge(body, &objects);
            propagate::propagate(body);
            dead::remove(body);
            blocks::tidy(body);
            if joins::coalesce(body) {
                dead::remove(body);
            }
        }
    }
    unused::remove(program);
}

fn for_each_body(program: &mut Program, mut pass: impl FnMut(&mut Body)) {
    for (_, function) in program.functions.iter_mut() {
        if let Some(body) = function.body_mut() {
            pass(body);
        }
    }
}
