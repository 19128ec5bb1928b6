//! Statements, obligations and the ends of blocks.

use base::{Location, index_type};

use crate::expression::{ExprId, VariableId};
use crate::function::{BlockId, LocalId};
use crate::program::FunctionId;

index_type!(
    /// Something about which a client wants to know whether control comes by. Several places can have the same mark.
    MarkId,
    "mark"
);

/// The name of the input that says in which order C's operands are evaluated, where that is open and matters.
pub const ORDER_OF_EVALUATION: &str = "order of evaluation";

/// The name of variables that hold what the compiler chooses, each set by a [`StatementKind::Volatile`].
pub const CHOSEN_BY_COMPILER: &str = "compiler's choice";

/// The name of the variable that says whether the run stops after an evaluation that need not come first and does: of a
/// [`StatementKind::Volatile`] that only matters for what goes wrong or does not end.
pub const ORDER_OF_FAILURES: &str = "order of failures";

/// A statement and the place it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands in the source.
    pub location: Location,
}

/// What a statement does.
#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    /// Gives a variable the value of an expression of its type.
    Assign {
        /// The variable.
        target: VariableId,
        /// Its new value.
        value: ExprId,
    },
    /// Reads a value of the variable's type from memory.
    Load {
        /// The variable.
        target: VariableId,
        /// Where to read.
        pointer: ExprId,
        /// Whether the bytes may have been written as a value of another type: it is a member of a union, say.
        overlaid: bool,
    },
    /// Writes a value to memory, as many bytes as its type has.
    Store {
        /// Where to write.
        pointer: ExprId,
        /// What to write.
        value: ExprId,
    },
    /// Copies bytes; the two ranges may overlap.
    Copy {
        /// The first byte to write.
        destination: ExprId,
        /// The first byte to read.
        source: ExprId,
        /// How many bytes, of the data model's size type.
        size: ExprId,
    },
    /// Sets bytes to one value.
    Fill {
        /// The first byte to write.
        destination: ExprId,
        /// The value, a `u8`.
        byte: ExprId,
        /// How many bytes, of the data model's size type.
        size: ExprId,
    },
    /// The life of a local object starts, with uninitialised bytes.
    Begin {
        /// The object.
        object: LocalId,
        /// Its size in bytes if the object has none of its own: a variable length array.
        size: Option<ExprId>,
    },
    /// The life of a local object ends. Without it, it ends with the function.
    End {
        /// The object.
        object: LocalId,
    },
    /// The bytes of a living local object become indeterminate, as if they were never written: control reaches its
    /// declaration again, or leaves its scope, while a jump may still enter the scope behind the declaration.
    Forget {
        /// The object.
        object: LocalId,
    },
    /// A new object that lives until the function returns: `alloca`.
    Allocate {
        /// The pointer to it.
        target: VariableId,
        /// Its size in bytes, of the data model's size type.
        size: ExprId,
    },
    /// Calls a function.
    Call {
        /// Where the result goes, if it is wanted.
        target: Option<VariableId>,
        /// What is called.
        callee: Callee,
        /// The values of the parameters, then those of a variable argument list.
        arguments: Vec<ExprId>,
    },
    /// Works on a variable argument list, an object that only these operations look into.
    Variadic {
        /// What is done.
        operation: VariadicOp,
        /// A pointer to the list.
        list: ExprId,
    },
    /// Gives a variable an arbitrary value from outside: `__VERIFIER_nondet_int()` and its kin.
    Input {
        /// The variable.
        target: VariableId,
        /// Who asks, as the source names it: `__VERIFIER_nondet_int`.
        name: String,
    },
    /// Gives a variable what was read from a volatile object. The world outside may have changed it since it was written:
    /// a run takes the value, a proof takes any value.
    Volatile {
        /// The variable.
        target: VariableId,
        /// What the object holds if nobody outside has changed it.
        value: ExprId,
    },
    /// Runs on which the condition does not hold are not examined.
    Assume {
        /// The condition, a `bool`.
        condition: ExprId,
    },
    /// An obligation: it must hold whenever a run comes by.
    Check(Check),
    /// Something that Loopscope does not understand happens here: it may change any memory and the target.
    Unknown {
        /// What it is, for the reason in a verdict: `inline assembler`.
        what: String,
        /// A variable that gets an arbitrary value.
        target: Option<VariableId>,
    },
    /// Does nothing: a client put it there to learn whether control comes by. A run lists the marks that it passed, and
    /// the encoding says when control is there.
    Mark(MarkId),
}

/// What a call calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A function known by name.
    Function(FunctionId),
    /// The function that a pointer points to.
    Pointer(ExprId),
}

impl Callee {
    /// The function, if it is known by name.
    pub const fn function(self) -> Option<FunctionId> {
        match self {
            Self::Function(function) => Some(function),
            Self::Pointer(_) => None,
        }
    }
}

/// What is done with a variable argument list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariadicOp {
    /// Sets it to the first argument after the parameters.
    Start,
    /// Reads the next argument into the variable, by the variable's type. An aggregate is a pointer to a copy of it.
    Next(VariableId),
    /// Makes the list stand where another one (given by a pointer to it) stands.
    CopyFrom(ExprId),
    /// Ends its use.
    End,
}

/// What must hold at a place. One check can stand for several obligations.
#[derive(Clone, PartialEq, Debug)]
pub enum Check {
    /// A condition holds.
    Holds {
        /// What it means if it does not.
        obligation: Obligation,
        /// The condition, a `bool`.
        condition: ExprId,
        /// The text of the assertion, if the source has one.
        note: Option<Box<str>>,
    },
    /// So many bytes can be read: not null, alive, in bounds, written before.
    Readable {
        /// The first byte.
        pointer: ExprId,
        /// How many, of the data model's size type. Nothing is asked of the pointer for zero bytes.
        size: ExprId,
    },
    /// So many bytes can be written: not null, alive, in bounds.
    Writable {
        /// The first byte.
        pointer: ExprId,
        /// How many, of the data model's size type. Nothing is asked of the pointer for zero bytes.
        size: ExprId,
    },
    /// So many bytes are there, written or not: not null, alive, in bounds. An aggregate may be copied before all of
    /// it is written.
    Accessible {
        /// The first byte.
        pointer: ExprId,
        /// How many, of the data model's size type. Nothing is asked of the pointer for zero bytes.
        size: ExprId,
    },
    /// A variable has been given a value.
    Defined {
        /// The variable.
        variable: VariableId,
    },
    /// The pointer points to a string: a zero byte follows in the same object.
    Terminated {
        /// The first byte.
        pointer: ExprId,
    },
    /// The pointer is null or the start of a live heap object.
    Freeable {
        /// The pointer.
        pointer: ExprId,
    },
}

/// What kind of wrong a check guards against.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Obligation {
    /// An `assert` of the program fails.
    Assertion,
    /// `reach_error` or `__VERIFIER_error` is called.
    ReachError,
    /// An access outside its object.
    OutOfBounds,
    /// An access through a null pointer.
    Null,
    /// An access to an object whose life has ended.
    Dangling,
    /// An uninitialised value is used.
    Uninitialised,
    /// Signed arithmetic leaves the range of its type.
    SignedOverflow,
    /// A division by zero.
    Division,
    /// A shift by a negative number, or by the width or more.
    Shift,
    /// A string function meets bytes without a terminator.
    StringTermination,
    /// The program said that control cannot come here.
    Unreachable,
    /// A side effect on an object, and another evaluation of it, without an order between them.
    Sequence,
    /// `free` or `realloc` of something that is not a live heap object's start.
    InvalidFree,
    /// Heap memory is lost: the program ends, or forgets the last pointer to it, without freeing it.
    Leak,
    /// A clause of a contract, on the side that has to see to it: the caller, or the function.
    Contract,
}

/// How a block ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Terminator {
    /// Goes on at another block.
    Goto(BlockId),
    /// Goes on at one of two blocks.
    Branch {
        /// The condition, a `bool`.
        condition: ExprId,
        /// Where to go if it holds.
        then: BlockId,
        /// Where to go if not.
        otherwise: BlockId,
    },
    /// Goes on at the block whose range holds the value.
    Switch {
        /// An integer.
        value: ExprId,
        /// The ranges, which do not overlap.
        cases: Vec<Case>,
        /// Where to go if no range holds it.
        default: BlockId,
    },
    /// Leaves the function.
    Return(Option<ExprId>),
    /// Control does not come here: after a call that does not return, or by the program's word.
    Unreachable,
}

/// One range of a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// The lowest value.
    pub low: i128,
    /// The highest value.
    pub high: i128,
    /// Where to go.
    pub target: BlockId,
}

impl Obligation {
    /// All kinds.
    pub const ALL: [Obligation; 15] = [
        Obligation::Assertion,
        Obligation::ReachError,
        Obligation::OutOfBounds,
        Obligation::Null,
        Obligation::Dangling,
        Obligation::Uninitialised,
        Obligation::SignedOverflow,
        Obligation::Division,
        Obligation::Shift,
        Obligation::StringTermination,
        Obligation::Unreachable,
        Obligation::Sequence,
        Obligation::InvalidFree,
        Obligation::Leak,
        Obligation::Contract,
    ];

    /// Its name in text forms and verdicts.
    pub const fn name(self) -> &'static str {
        match self {
            Obligation::Assertion => "assertion",
            Obligation::ReachError => "reach-error",
            Obligation::OutOfBounds => "out-of-bounds",
            Obligation::Null => "null",
            Obligation::Dangling => "dangling",
            Obligation::Uninitialised => "uninitialised",
            Obligation::SignedOverflow => "signed-overflow",
            Obligation::Division => "division-by-zero",
            Obligation::Shift => "shift",
            Obligation::StringTermination => "string-termination",
            Obligation::Unreachable => "unreachable",
            Obligation::Sequence => "unsequenced",
            Obligation::InvalidFree => "invalid-free",
            Obligation::Leak => "leak",
            Obligation::Contract => "contract",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|obligation| obligation.name() == name)
    }
}

impl std::fmt::Display for Obligation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Check {
    /// The obligations that this check stands for.
    pub fn obligations(&self) -> &[Obligation] {
        use Obligation::*;
        match self {
            Check::Holds { obligation, .. } => std::slice::from_ref(obligation),
            Check::Readable { .. } => &[Null, Dangling, OutOfBounds, Uninitialised],
            Check::Writable { .. } | Check::Accessible { .. } => &[Null, Dangling, OutOfBounds],
            Check::Defined { .. } => &[Uninitialised],
            Check::Terminated { .. } => &[StringTermination],
            Check::Freeable { .. } => &[InvalidFree],
        }
    }
}

impl StatementKind {
    /// The function that is called by its name.
    pub fn called(&self) -> Option<FunctionId> {
        match self {
            StatementKind::Call { callee: Callee::Function(function), .. } => Some(*function),
            _ => None,
        }
    }

    /// The variable that gets a new value.
    pub fn target(&self) -> Option<VariableId> {
        match self {
            StatementKind::Assign { target, .. }
            | StatementKind::Load { target, .. }
            | StatementKind::Allocate { target, .. }
            | StatementKind::Input { target, .. }
            | StatementKind::Volatile { target, .. }
            | StatementKind::Variadic { operation: VariadicOp::Next(target), .. } => Some(*target),
            StatementKind::Call { target, .. } | StatementKind::Unknown { target, .. } => *target,
            _ => None,
        }
    }

    /// The variable that gets a new value, to change.
    pub fn target_mut(&mut self) -> Option<&mut VariableId> {
        match self {
            StatementKind::Assign { target, .. }
            | StatementKind::Load { target, .. }
            | StatementKind::Allocate { target, .. }
            | StatementKind::Input { target, .. }
            | StatementKind::Volatile { target, .. }
            | StatementKind::Variadic { operation: VariadicOp::Next(target), .. } => Some(target),
            StatementKind::Call { target, .. } | StatementKind::Unknown { target, .. } => target.as_mut(),
            _ => None,
        }
    }

    /// Calls the function on every expression the statement evaluates, in order; it may replace them.
    pub fn for_each_operand(&mut self, mut visit: impl FnMut(&mut ExprId)) {
        match self {
            StatementKind::Assign { value, .. } | StatementKind::Volatile { value, .. } => visit(value),
            StatementKind::Load { pointer, .. } => visit(pointer),
            StatementKind::Store { pointer, value } => {
                visit(pointer);
                visit(value);
            }
            StatementKind::Copy { destination, source, size } => {
                visit(destination);
                visit(source);
                visit(size);
            }
            StatementKind::Fill { destination, byte, size } => {
                visit(destination);
                visit(byte);
                visit(size);
            }
            StatementKind::Begin { size, .. } => size.iter_mut().for_each(visit),
            StatementKind::Allocate { size, .. } => visit(size),
            StatementKind::Call { callee, arguments, .. } => {
                if let Callee::Pointer(pointer) = callee {
                    visit(pointer);
                }
                arguments.iter_mut().for_each(visit);
            }
            StatementKind::Variadic { operation, list } => {
                visit(list);
                if let VariadicOp::CopyFrom(source) = operation {
                    visit(source);
                }
            }
            StatementKind::Assume { condition } => visit(condition),
            StatementKind::Check(check) => check.for_each_operand(visit),
            StatementKind::End { .. }
            | StatementKind::Forget { .. }
            | StatementKind::Input { .. }
            | StatementKind::Unknown { .. }
            | StatementKind::Mark(_) => {}
        }
    }

    /// Calls the function on every expression the statement evaluates, in order.
    pub fn visit_operands(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            StatementKind::Assign { value, .. } | StatementKind::Volatile { value, .. } => visit(*value),
            StatementKind::Load { pointer, .. } => visit(*pointer),
            StatementKind::Store { pointer, value } => [*pointer, *value].into_iter().for_each(visit),
            StatementKind::Copy { destination: first, source: second, size: third }
            | StatementKind::Fill { destination: first, byte: second, size: third } => {
                [*first, *second, *third].into_iter().for_each(visit);
            }
            StatementKind::Begin { size, .. } => size.iter().copied().for_each(visit),
            StatementKind::Allocate { size, .. } => visit(*size),
            StatementKind::Call { callee, arguments, .. } => {
                if let Callee::Pointer(pointer) = callee {
                    visit(*pointer);
                }
                arguments.iter().copied().for_each(visit);
            }
            StatementKind::Variadic { operation, list } => {
                visit(*list);
                if let VariadicOp::CopyFrom(source) = operation {
                    visit(*source);
                }
            }
            StatementKind::Assume { condition } => visit(*condition),
            StatementKind::Check(check) => check.visit_operands(visit),
            StatementKind::End { .. }
            | StatementKind::Forget { .. }
            | StatementKind::Input { .. }
            | StatementKind::Unknown { .. }
            | StatementKind::Mark(_) => {}
        }
    }

    /// The expressions that the statement evaluates, in order.
    pub fn operands(&self) -> Vec<ExprId> {
        let mut operands = Vec::new();
        self.visit_operands(|operand| operands.push(operand));
        operands
    }
}

impl Check {
    /// Calls the function on every expression the check evaluates; it may replace them.
    pub fn for_each_operand(&mut self, mut visit: impl FnMut(&mut ExprId)) {
        match self {
            Check::Holds { condition, .. } => visit(condition),
            Check::Readable { pointer, size }
            | Check::Writable { pointer, size }
            | Check::Accessible { pointer, size } => {
                visit(pointer);
                visit(size);
            }
            Check::Terminated { pointer } | Check::Freeable { pointer } => visit(pointer),
            Check::Defined { .. } => {}
        }
    }

    /// Calls the function on every expression the check evaluates.
    pub fn visit_operands(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            Check::Holds { condition, .. } => visit(*condition),
            Check::Readable { pointer, size }
            | Check::Writable { pointer, size }
            | Check::Accessible { pointer, size } => {
                visit(*pointer);
                visit(*size);
            }
            Check::Terminated { pointer } | Check::Freeable { pointer } => visit(*pointer),
            Check::Defined { .. } => {}
        }
    }
}

impl Terminator {
    /// The blocks that control can go to, in order, each once for every edge.
    pub fn successors(&self) -> impl Iterator<Item = BlockId> + '_ {
        let (fixed, cases): ([Option<BlockId>; 2], &[Case]) = match self {
            Terminator::Goto(target) => ([Some(*target), None], &[]),
            Terminator::Branch { then, otherwise, .. } => ([Some(*then), Some(*otherwise)], &[]),
            Terminator::Switch { cases, default, .. } => ([None, Some(*default)], cases),
            Terminator::Return(_) | Terminator::Unreachable => ([None, None], &[]),
        };
        cases.iter().map(|case| case.target).chain(fixed.into_iter().flatten())
    }

    /// Calls the function on every target block; it may replace them.
    pub fn for_each_target(&mut self, mut visit: impl FnMut(&mut BlockId)) {
        match self {
            Terminator::Goto(target) => visit(target),
            Terminator::Branch { then, otherwise, .. } => {
                visit(then);
                visit(otherwise);
            }
            Terminator::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|case| visit(&mut case.target));
                visit(default);
            }
            Terminator::Return(_) | Terminator::Unreachable => {}
        }
    }

    /// The expression that decides, or that is returned.
    pub fn operand(&self) -> Option<ExprId> {
        match self {
            Terminator::Branch { condition, .. } => Some(*condition),
            Terminator::Switch { value, .. } => Some(*value),
            Terminator::Return(value) => *value,
            Terminator::Goto(_) | Terminator::Unreachable => None,
        }
    }

    /// The expression that decides, or that is returned, to change.
    pub fn operand_mut(&mut self) -> Option<&mut ExprId> {
        match self {
            Terminator::Branch { condition, .. } => Some(condition),
            Terminator::Switch { value, .. } => Some(value),
            Terminator::Return(value) => value.as_mut(),
            Terminator::Goto(_) | Terminator::Unreachable => None,
        }
    }
}
