//! What Loopscope says about a program: the properties, the reasons for not knowing, runs that go wrong, and what is claimed
//! of its loops.
//!
//! Data only: nothing in here finds or checks anything. Everything is serialisable, and the JSON form is
//! part of what users build on: within a version of the schema, fields are added and never renamed.

mod alarm;
mod automaton;
mod bounds;
mod contract;
mod cost;
pub mod counterexample;
mod decimal;
pub mod expression;
mod forms;
mod name;
pub mod names;
mod place;
mod point;
mod proof;
mod proof_mode;
mod property;
mod reason;
mod shapes;
mod stopping;
mod suite;
mod text;
mod variance;

pub use alarm::{Access, Alarm, AlarmStep, Change, MissingInvariant};
pub use automaton::{
    AutomatonReport, CaseReport, LoopReport, SkippedFunction, StateReport, SummaryReport, TransitionReport,
};
pub use bounds::{BoundsReport, Count, IterationBound, LoopBound};
pub use contract::{Contract, Pointee, RESULT, Side};
pub use cost::{CallCost, Complexity, FunctionCost, MissingCost};
pub use counterexample::{
    Argument, Choice, Counterexample, Failure, InputCycle, InputValue, Integers, Trace, TraceEvent, TraceStep,
};
pub use expression::{
    Aspect, Comparison, Element, Expression, Formula, Integer, Moment, Part, Quantity, STORED,
};
pub use forms::{
    Amortised, Bound, Case, Evidence, Held, InvariantPlace, LoopInvariant, Raise, Ranking, RecurrentSet,
    Restatement, Spent, Summary, Termination, TransitionInvariant, Unrolling, Update, WellFounded,
};
pub use name::Name;
pub use place::Place;
pub use point::{Point, Visible};
pub use proof::{Claimed, Of, Proof, Statement};
pub use proof_mode::{AbstractionMode, Chains, Overflow, ProofMode};
pub use property::{MemorySafety, Property, PropertyError};
pub use reason::Reason;
pub use shapes::{
    ShapeHeap, ShapeHome, ShapeNumber, ShapeObject, ShapePart, ShapeSum, ShapeTarget, ShapeVariable, Shapes,
    ShapesAt,
};
pub use stopping::{Argued, CycleKind};
pub use suite::{Goal, Reach, Suite, Target, Test, TestOutcome};
pub use text::TextError;
pub use variance::{CutpointReport, GapReport, Strength, VarianceAssertion, VarianceReport};
