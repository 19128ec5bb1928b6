//! The typed tree of a translation unit becomes functions and objects of a program.
//!
//! The lowering is naive on purpose: every C variable is an object in memory, every read of it a load, and every
//! operation that C leaves undefined for some operands has a check in front. `program::passes` then turns what
//! needs no memory into variables. What cannot be represented makes its function unsupported, with the construct
//! and its place; the rest of the unit goes on.
//!
//! ```text
//! unit.rs         declarations of a unit: functions, objects, their names and initial contents
//! link.rs         several units become one program
//! special.rs      declarations that mean more than C says
//! symbols.rs      assembler names, aliases, weak symbols   startup.rs  constructors and destructors
//! recognise.rs    calls that mean something to a verifier: inputs, assumptions, assertions, ends of the program
//! body.rs         one function body: its state while it is lowered, temporaries, checks
//! statement.rs    statements            value.rs      expressions that give scalars
//! place.rs        lvalues and objects   condition.rs  branches and short circuits
//! call.rs         calls, variadics      arithmetic.rs checked operations and conversions
//! scope.rs        scopes and jumps      object.rs     automatic objects and their sizes
//! initialise.rs   local initialisers    builtin.rs    GNU builtins
//! atomic.rs       atomic accesses       assembler.rs  inline assembler
//! vector.rs       GNU vectors           complex.rs    complex numbers
//! layout.rs       types, sizes and field names
//! annotate.rs     what the source says besides C
//! order/          the order of evaluation, where C leaves it open
//! ```

mod annotate;
mod arithmetic;
mod assembler;
mod atomic;
mod body;
mod builtin;
mod call;
mod complex;
mod condition;
mod initialise;
mod layout;
mod link;
mod object;
mod order;
mod place;
mod recognise;
mod scope;
mod special;
mod startup;
mod statement;
mod symbols;
mod unit;
mod value;
mod vector;

pub(crate) use link::Linker;

use rucc_diag::Span;

/// Why a function could not be lowered: the construct, and where it stands.
#[derive(Clone, Debug)]
struct Unsupported {
    reason: String,
    span: Span,
}

/// What a step of the lowering gives.
type Lowered<T> = Result<T, Unsupported>;

/// Ends the lowering of a function.
fn unsupported<T>(reason: impl Into<String>, span: Span) -> Lowered<T> {
    Err(Unsupported { reason: reason.into(), span })
}
