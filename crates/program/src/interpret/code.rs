//! What a body is compiled to: one array of small operations on registers.
//!
//! A register is a slot of the frame. The frame of a call holds, in this order, the constants of the body, its
//! variables, one flag for each variable that may be read before it is assigned, and scratch registers for values
//! in the middle of expressions, which nobody reads after their statement.
//!
//! Integers of at most 64 bits are computed in 64 bits and then brought back to the normal form of their type by
//! shifting left and right by `shift`, the number of unused bits; `S` and `U` stand for signed and unsigned.

use super::value::Slot;
use crate::expression::{BinaryOp, OverflowOp, UnaryOp, VariableId};
use crate::function::BlockId;
use crate::program::FunctionId;
use crate::types::Type;

/// A register: a place in the frame.
pub(super) type Register = u32;

/// An operation.
#[derive(Clone, Copy, Debug)]
#[rustfmt::skip] // One operation a line.
pub(super) enum Op {
    Move { to: Register, from: Register },
    MoveIf { to: Register, condition: Register, from: Register },
    GetGlobal { to: Register, global: u32 },
    /// A global variable that is defined elsewhere: its value is an input.
    GetUnknownGlobal { to: Register, global: u32 },
    SetGlobal { global: u32, from: Register },
    /// Asks for the value of a variable that was never assigned.
    Ensure { variable: u32, flag: Register },
    /// Notes that a variable was assigned.
    Mark { flag: Register },

    AddS { shift: u8, to: Register, left: Register, right: Register },
    AddU { shift: u8, to: Register, left: Register, right: Register },
    SubtractS { shift: u8, to: Register, left: Register, right: Register },
    SubtractU { shift: u8, to: Register, left: Register, right: Register },
    MultiplyS { shift: u8, to: Register, left: Register, right: Register },
    MultiplyU { shift: u8, to: Register, left: Register, right: Register },
    DivideS { shift: u8, to: Register, left: Register, right: Register },
    DivideU { to: Register, left: Register, right: Register },
    RemainderS { to: Register, left: Register, right: Register },
    RemainderU { to: Register, left: Register, right: Register },
    ShiftLeftS { shift: u8, to: Register, left: Register, right: Register },
    ShiftLeftU { shift: u8, to: Register, left: Register, right: Register },
    ShiftRightS { shift: u8, to: Register, left: Register, right: Register },
    ShiftRightU { shift: u8, to: Register, left: Register, right: Register },
    And { to: Register, left: Register, right: Register },
    Or { to: Register, left: Register, right: Register },
    Xor { to: Register, left: Register, right: Register },
    Equal { to: Register, left: Register, right: Register },
    NotEqual { to: Register, left: Register, right: Register },
    LessS { to: Register, left: Register, right: Register },
    LessU { to: Register, left: Register, right: Register },
    LessEqualS { to: Register, left: Register, right: Register },
    LessEqualU { to: Register, left: Register, right: Register },
    OverflowsAdd { shift: u8, to: Register, left: Register, right: Register },
    OverflowsSubtract { shift: u8, to: Register, left: Register, right: Register },
    OverflowsMultiply { shift: u8, to: Register, left: Register, right: Register },
    WrapS { shift: u8, to: Register, from: Register },
    WrapU { shift: u8, to: Register, from: Register },
    Not { to: Register, from: Register },
    IsNotZero { to: Register, from: Register },
    /// An operation on two `double`s.
    Double { op: BinaryOp, to: Register, left: Register, right: Register },
    Offset { to: Register, pointer: Register, by: Register },
    PointerEqual { to: Register, left: Register, right: Register },
    PointerNotEqual { to: Register, left: Register, right: Register },
    LocalObject { to: Register, local: u32 },
    /// Any other expression, in the table of them.
    General { to: Register, general: u32 },

    /// Reads 1, 2, 4 or 8 bytes that were written as a kind of value.
    LoadS { bytes: u8, kind: u8, to: Register, pointer: Register },
    LoadU { bytes: u8, kind: u8, to: Register, pointer: Register },
    LoadGeneral { kind: u8, to: Register, pointer: Register, ty: Type },
    /// Writes 1, 2, 4 or 8 bytes as a kind of value.
    Store { bytes: u8, kind: u8, pointer: Register, value: Register },
    StoreGeneral { pointer: Register, value: Register, ty: Type },
    Copy { destination: Register, source: Register, size: Register },
    Fill { destination: Register, byte: Register, size: Register },
    Begin { local: u32, size: Option<Register> },
    End { local: u32 },
    Forget { local: u32 },
    /// A pointer that was moved is kept.
    Moved { pointer: Register },
    Allocate { to: Register, size: Register },
    Call { site: u32 },
    VariadicStart { list: Register },
    VariadicNext { to: Register, list: Register, ty: Type },
    VariadicCopy { list: Register, source: Register },
    VariadicEnd { list: Register },
    Input { to: Register, ty: Type },
    Unknown { to: Option<Register> },
    /// Notes what happened, in the table of such points.
    Trace { point: u32 },
    Assume { condition: Register },

    CheckHolds { expected: bool, condition: Register },
    CheckReadable { pointer: Register, size: Register },
    CheckWritable { pointer: Register, size: Register },
    CheckAccessible { pointer: Register, size: Register },
    CheckDefined { variable: u32, flag: Register },
    CheckTerminated { pointer: Register },
    CheckFreeable { pointer: Register },

    /// Control comes by a mark of a client.
    Iteration { mark: u32 },
    /// The head of a loop.
    Head,
    /// So many statements were executed; the ends of blocks count theirs themselves.
    Steps { count: u32 },
    Goto { steps: u16, target: u32 },
    Branch { steps: u16, condition: Register, then: u32, otherwise: u32 },
    Switch { steps: u16, value: Register, table: u32 },
    Return { steps: u16, value: Option<Register> },
    Unreachable { steps: u16 },
}

// The speed of the interpreter hangs on how many operations fit in a cache line.
const _: () = assert!(size_of::<Op>() == 16);

/// An expression that has no operation of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct General {
    pub kind: GeneralKind,
    /// The type of the result.
    pub ty: Type,
    /// The type of the left or only operand.
    pub from: Type,
    /// The type of the right operand.
    pub right_type: Type,
    pub left: Register,
    pub right: Register,
}

/// What such an expression computes.
#[derive(Clone, Copy, Debug)]
pub(super) enum GeneralKind {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Overflows(OverflowOp),
    Convert,
    Reinterpret,
    Offset,
    Difference,
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct CallSite {
    pub callee: CallTarget,
    pub arguments: Vec<(Type, Register)>,
    /// Where the result goes, and its type there.
    pub target: Option<(Type, Register)>,
}

/// What is called.
#[derive(Clone, Copy, Debug)]
pub(super) enum CallTarget {
    Function(FunctionId),
    Pointer(Register),
}

/// A switch: ranges in rising order, and where to go.
#[derive(Clone, Debug)]
pub(super) struct SwitchTable {
    pub ty: Type,
    pub cases: Vec<(i128, i128, u32)>,
    pub default: u32,
}

/// Where an operation comes from: a block, and a statement or (past the last one) the block's end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub block: u32,
    pub statement: u32,
}

/// A compiled body.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub function: FunctionId,
    pub ops: Vec<Op>,
    /// For each operation where it comes from.
    pub origins: Vec<Origin>,
    pub constants: Vec<Slot>,
    /// The register of the first variable; the others follow.
    pub first_variable: Register,
    /// For each variable the register of its flag, if it has one: whether it has been assigned.
    pub flags: Vec<Option<Register>>,
    /// The first register after the variables and their flags.
    pub first_scratch: Register,
    /// How many registers a frame has.
    pub frame_size: usize,
    pub general: Vec<General>,
    pub calls: Vec<CallSite>,
    pub switches: Vec<SwitchTable>,
    /// What the trace notes.
    pub points: Vec<TracePoint>,
}

/// What the trace of a run notes after a statement, at the start of a block, or before a call or a return.
#[derive(Clone, Copy, Debug)]
pub(super) enum TracePoint {
    Enter,
    Return {
        value: Option<Register>,
    },
    Assign {
        variable: VariableId,
        from: Register,
    },
    /// A value was written; through a pointer of the source, at a distance from it that is always the same or not.
    Store {
        pointer: Register,
        through: Option<VariableId>,
        fixed: bool,
        value: Register,
        ty: Type,
    },
    Copy {
        destination: Register,
        source: Register,
        size: Register,
    },
    Fill {
        destination: Register,
        byte: Register,
        size: Register,
    },
    Call {
        site: u32,
    },
    Iteration {
        head: BlockId,
    },
    Leave {
        head: BlockId,
    },
}
