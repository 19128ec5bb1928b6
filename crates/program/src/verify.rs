//! Checks the invariants of the representation. Everything behind the front end relies on them.
//!
//! Program
//! 1. No two functions have one name, no two objects, and no two global variables.
//! 2. A place names a file of the program, or is unknown.
//! 3. An integer type has 1 to 128 bits.
//! 4. The alignment of an object is a power of two, and its named fields lie inside it.
//! 5. What an object holds at the start fits into it: bytes, and pointers at rising offsets, one after another, to
//!    objects and functions that exist.
//! 6. The value of a global variable at the start has the variable's type; the variable has no scope.
//!
//! Function
//!
//! 7. The parameters of a body are distinct variables of it, as many as the function declares, of the declared types.
//! 8. A scope stands after the one around it, only the first has none around it, and variables and objects are in
//!    scopes that exist.
//!
//! Expressions
//!
//! 9. An operand stands before its user, and the variables, objects and functions that an expression names exist.
//! 10. A constant is in the normal form of its type, an address is a pointer, and reading a variable has its type.
//! 11. An operation on one operand has an operand and a result of the type that it works on.
//! 12. An operation on two operands has two of one type that it works on (the right side of a shift: of any integer
//!     type); comparisons give `bool`, all others the type of the left operand.
//! 13. The query for overflow is about integers of one type (shifts: as above), and answered by `bool`.
//! 14. A conversion is between types that have one: all but float and pointer, and `bool` to pointer.
//! 15. A reinterpretation is between integers and floats of the same number of bits.
//! 16. A pointer is moved by, and two pointers differ by, a number of the data model's offset type.
//! 17. A selection asks a `bool`, and both values have the type of the result.
//!
//! Statements
//!
//! 18. The expressions, variables, objects, functions and blocks that statements and ends of blocks name exist.
//! 19. An assignment has the type of its variable.
//! 20. Loads and stores go through a pointer, and what they move is not a `bool`.
//! 21. Copies, fills, allocations and checks of memory take pointers, sizes of the data model's size type, and a `u8` as
//!     the byte to fill with.
//! 22. The begin of an object's life has a size, of the data model's size type, exactly if the object has none.
//! 23. What is assumed, checked or branched on is a `bool`.
//! 24. A direct call passes as many arguments as the function has parameters, or more if it is variadic, with the types
//!     of the parameters, and its target has the type of the result. An indirect call goes through a pointer.
//! 25. Lists of variable arguments are given by pointers.
//! 26. A switch is on an integer; its ranges are in normal form, in order inside, and do not overlap.
//! 27. A returned value has the function's result type. Returning none is always allowed: C lets control fall off the
//!     end of a function.
//!
//! Flow
//!
//! 28. There is an entry block, and no edge leads to it.
//! 29. Control can reach every block.

mod expressions;
mod flow;
mod objects;
mod statements;

use base::{Index, Location};

use crate::expression::{ExprId, VariableId};
use crate::function::{BlockId, Body, Definition, Function, LocalId, ScopeId};
use crate::program::{FunctionId, ObjectId, Program};
use crate::text::Printer;
use crate::types::Type;

/// A broken invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Defect {
    /// The function in which it is, if it is in one.
    pub function: Option<FunctionId>,
    /// What breaks it.
    pub place: Place,
    /// The number of the invariant in this module's list.
    pub invariant: u8,
    /// What is wrong.
    pub message: String,
}

/// What breaks an invariant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// An object of the program.
    Object(ObjectId),
    /// A variable, of the function or of the program.
    Variable(VariableId),
    /// The head of the function.
    Head,
    /// A scope.
    Scope(ScopeId),
    /// A local object.
    Local(LocalId),
    /// An expression.
    Expression(ExprId),
    /// A block as a whole.
    Block(BlockId),
    /// The statement with this number in a block.
    Statement(BlockId, usize),
    /// The end of a block.
    Terminator(BlockId),
}

/// Checks all invariants, and lists what breaks them.
pub fn verify(program: &Program) -> Result<(), Vec<Defect>> {
    let mut verifier = Verifier { program, defects: Vec::new(), function: None };
    verifier.names();
    for (id, object) in program.objects.iter() {
        verifier.object(id, object);
    }
    for (index, global) in program.globals.iter().enumerate() {
        verifier.global(VariableId::global(index), global);
    }
    for (id, function) in program.functions.iter() {
        verifier.function = Some(id);
        verifier.function(function);
    }
    if verifier.defects.is_empty() { Ok(()) } else { Err(verifier.defects) }
}

impl Defect {
    /// The defect with the names of the program, for people to read.
    pub fn describe(&self, program: &Program) -> String {
        let function = self.function.and_then(|id| program.functions.get(id));
        let name = function.map_or_else(String::new, |function| format!("{}: ", function.name));
        let text = match self.place {
            Place::Object(id) => program.objects.get(id).map(|object| object.name.clone()),
            Place::Variable(id) if id.is_global() => {
                program.globals.get(id.index()).map(|global| global.variable.name.clone())
            }
            place => function.and_then(Function::body).and_then(|body| place.text(program, body)),
        };
        let text = text.map_or_else(String::new, |text| format!(" `{text}`"));
        format!("{name}{}{text}: {} (invariant {})", self.place, self.message, self.invariant)
    }
}

impl Place {
    /// What stands there.
    fn text(self, program: &Program, body: &Body) -> Option<String> {
        let printer = Printer::new(program, body);
        Some(match self {
            Place::Expression(id) => printer.expression(id),
            Place::Statement(block, index) => {
                printer.statement(body.blocks.get(block)?.statements.get(index)?)
            }
            Place::Terminator(block) => printer.terminator(&body.blocks.get(block)?.terminator),
            Place::Variable(id) => printer.variable(id),
            Place::Local(id) => printer.local(id),
            _ => return None,
        })
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Object(id) => write!(f, "{id}"),
            Place::Variable(id) => write!(f, "{id:?}"),
            Place::Head => f.write_str("head"),
            Place::Scope(id) => write!(f, "{id}"),
            Place::Local(id) => write!(f, "{id}"),
            Place::Expression(id) => write!(f, "{id}"),
            Place::Block(id) => write!(f, "{id}"),
            Place::Statement(block, index) => write!(f, "{block}, statement {index}"),
            Place::Terminator(block) => write!(f, "{block}, end"),
        }
    }
}

impl std::fmt::Display for Defect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(function) = self.function {
            write!(f, "{function}, ")?;
        }
        write!(f, "{}: {} (invariant {})", self.place, self.message, self.invariant)
    }
}

/// What is checked, and what has been found.
struct Verifier<'a> {
    program: &'a Program,
    defects: Vec<Defect>,
    function: Option<FunctionId>,
}

/// A body and its function.
#[derive(Clone, Copy)]
struct Context<'a> {
    program: &'a Program,
    function: &'a Function,
    body: &'a Body,
}

impl<'a> Context<'a> {
    /// The type of an expression, if it exists.
    fn type_of(&self, id: ExprId) -> Option<Type> {
        self.body.expressions.get(id).map(|expr| expr.ty)
    }

    /// The type of a variable, if it exists.
    fn variable(&self, id: VariableId) -> Option<Type> {
        if id.is_global() {
            self.program.globals.get(id.index()).map(|global| global.variable.ty)
        } else {
            self.body.variables.get(id).map(|variable| variable.ty)
        }
    }
}

impl<'a> Verifier<'a> {
    /// Notes a defect unless the condition holds.
    fn require(&mut self, holds: bool, invariant: u8, place: Place, message: impl FnOnce() -> String) {
        if !holds {
            self.defects.push(Defect { function: self.function, place, invariant, message: message() });
        }
    }

    /// Invariant 2.
    fn location(&mut self, place: Place, location: Location) {
        let holds = location == Location::unknown() || self.program.files.get(location.file).is_some();
        self.require(holds, 2, place, || format!("there is no {}", location.file));
    }

    /// Invariant 3.
    fn type_exists(&mut self, place: Place, ty: Type) {
        let holds = ty.integer().is_none_or(|integer| (1..=128).contains(&integer.width));
        self.require(holds, 3, place, || format!("{ty} is no type"));
    }

    fn function(&mut self, function: &'a Function) {
        self.location(Place::Head, function.location);
        for ty in function.parameters.iter().copied().chain(function.result) {
            self.type_exists(Place::Head, ty);
        }
        match &function.definition {
            Definition::External => {}
            Definition::Unsupported { location, .. } => self.location(Place::Head, *location),
            Definition::Body(body) => self.body(Context { program: self.program, function, body }),
        }
    }

    fn body(&mut self, context: Context<'a>) {
        self.parameters(context);
        self.scopes(context.body);
        for (id, variable) in context.body.variables.iter() {
            self.type_exists(Place::Variable(id), variable.ty);
            self.location(Place::Variable(id), variable.location);
        }
        for (id, local) in context.body.locals.iter() {
            self.local(id, local);
        }
        for (id, expr) in context.body.expressions.iter() {
            self.expression(context, id, expr);
        }
        for (id, block) in context.body.blocks.iter() {
            self.location(Place::Block(id), block.location);
            for (index, statement) in block.statements.iter().enumerate() {
                let place = Place::Statement(id, index);
                self.location(place, statement.location);
                self.statement(context, place, &statement.kind);
            }
            self.terminator(context, Place::Terminator(id), &block.terminator);
            if let Some(statement) = block.loop_statement {
                self.location(Place::Block(id), statement.location);
            }
            if let Some(location) = block.body_of {
                self.location(Place::Block(id), location);
            }
        }
        self.flow(context.body);
    }
}
