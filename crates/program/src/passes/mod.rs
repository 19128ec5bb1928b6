//! Clean-up passes: from a program in which every variable of the source is a memory object to one in which
//! scalars are variables and expressions read as they were written.
//!
//! Every pass keeps what a program does: its runs, the obligations that fail on them, and their places. A check
//! that cannot fail may be dropped; an assertion of the user never is. All passes are linear in the size of the
//! program, but for the data flow that tells which variables have a value (`flow`), whose bit sets cost another factor
//! of (variables that are asked about) / 64.
//!
//! | pass | does |
//! |---|---|
//! | `blocks` | tidies the control-flow graph |
//! | `unused` | removes objects and declarations that nothing refers to |
//! | `promote` | turns memory objects into variables |
//! | `definite` | removes checks of variables that surely have a value |
//! | `propagate` | puts values in place of temporaries |
//! | `dead` | removes what no run can notice |
//! | `joins` | lets both arms of a conditional assign its target |
//! | `targets` | lets calls and loads assign the variable that is meant |

mod blocks;
mod dead;
mod definite;
mod expressions;
mod joins;
mod promote;
mod propagate;
mod targets;
mod unused;

use crate::program::Program;

pub use self::expressions::with_operands;
pub use self::propagate::show_addresses;

/// Cleans a program up.
pub fn simplify(program: &mut Program) {
    program.bodies_mut().for_each(blocks::tidy);
    // First what nobody uses: it must not count as a use of an object's address.
    unused::remove(program);
    let promoted = promote::promote(program);
    for (function, objects) in promoted {
        if let Some(body) = program.functions[function].body_mut() {
            definite::discharge(body, &objects);
            propagate::propagate(body);
            dead::remove(body);
            blocks::tidy(body);
            joins::coalesce(body);
            targets::shorten(body);
            dead::remove(body);
        }
    }
    unused::remove(program);
}
