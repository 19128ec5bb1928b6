//! Guarded paths: what a piece of code does along one path, as a guess, in numbers over the state where the path starts.
//!
//! Integers are those of ℤ here, and conversions change nothing. There is one translation of the program's expressions
//! ([`evaluate`]); who follows paths decides where they start and end. Nothing that is made of them is trusted.

mod rewrite;
mod translate;

use std::collections::BTreeMap;

use evidence::{Element, Expression, Formula, Integer, Moment, Name, Quantity};
use program::{
    BlockId, Body, Callee, ExprId, ObjectRef, Program, StatementKind, Terminator, Type, VariableId,
};

pub use self::rewrite::{Places, rewrite, rewrite_formula, speaks_of_entry, spoken, spoken_in};
pub use self::translate::evaluate;
use crate::linear::{Condition, InEvidence, Linear};

/// How the names start that stand for numbers on a path that are not known where it starts, like inputs.
const UNNAMED: char = '?';

/// No more numbers of a copy are examined.
const COPIED: usize = 8;

/// No more cases of a switch are examined.
const CASES: usize = 24;

/// The state where paths start.
pub struct Start<'a> {
    /// The program.
    pub program: &'a Program,
    /// The function.
    pub body: &'a Body,
    /// What variables hold, as far as that is known.
    pub variables: BTreeMap<VariableId, Value>,
    /// The names of objects.
    pub objects: BTreeMap<ObjectRef, Name>,
    /// How many bytes a number in an object seems to have, if a copy may be taken for some numbers.
    pub cells: BTreeMap<Name, u64>,
    /// Whether calls change nothing but their result, what is stored at one place does not change what is read at a place
    /// that is written differently, and a number that is not known gets a name of its own.
    pub is_idealised: bool,
}

impl Start<'_> {
    /// What a variable holds.
    pub fn variable(&self, variable: VariableId) -> Value {
        self.variables.get(&variable).cloned().unwrap_or(Value::Unknown)
    }

    /// The address of an object.
    fn object(&self, object: ObjectRef) -> Value {
        let Some(name) = self.objects.get(&object) else { return Value::Unknown };
        Value::Pointer(Position { base: Base::Buffer(name.clone()), offset: Linear::zero() })
    }
}

/// A path with what it asks and does.
#[derive(Clone, Debug)]
pub struct GuardedPath {
    /// Whether it comes back to where it started.
    pub back: bool,
    /// What holds when it is taken.
    pub conditions: Vec<Condition>,
    /// Whether the conditions are all that is tested.
    pub exact: bool,
    /// The variables that it assigns, with their last values.
    pub updates: BTreeMap<VariableId, Value>,
    /// The accesses to memory, in order.
    pub accesses: Vec<Access>,
    /// Whether memory may have changed in ways that the accesses do not tell.
    pub stored: bool,
    /// How many numbers of it are no expression over the state where it starts.
    pub unnamed: usize,
}

/// A value as an expression over the state where a path starts.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A number.
    Number(Linear),
    /// True or false.
    Truth(Condition),
    /// A place in memory.
    Pointer(Position),
    /// Not one of these.
    Unknown,
}

/// A place in memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Position {
    /// The object.
    pub base: Base,
    /// How many bytes after its start.
    pub offset: Linear,
}

/// An object.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Base {
    /// The one with this name.
    Buffer(Name),
    /// The one that a pointer with this name points to where the path starts.
    Target(Name),
}

/// A read or a write of a number.
#[derive(Clone, PartialEq, Debug)]
pub struct Access {
    /// Where.
    pub position: Position,
    /// How many bytes.
    pub bytes: u8,
    /// Whether the number can be negative.
    pub signed: bool,
    /// What was written, if it is a write.
    pub stored: Option<Value>,
}

impl Value {
    /// The number that it is.
    pub fn number(&self) -> Option<Linear> {
        match self {
            Value::Number(number) => Some(number.clone()),
            Value::Truth(condition) => {
                Some(translate::select(condition, &Linear::constant(1), &Linear::zero()))
            }
            Value::Pointer(_) | Value::Unknown => None,
        }
    }

    /// Whether it is true: a number is if it is not zero.
    pub fn truth(&self) -> Option<Condition> {
        match self {
            Value::Truth(condition) => Some(condition.clone()),
            Value::Number(number) => Some(Condition::equal(number, &Linear::zero()).negated()),
            Value::Pointer(_) | Value::Unknown => None,
        }
    }
}

impl Access {
    /// The number in memory, by its index, if the object has a name.
    pub fn element(&self) -> Option<Element> {
        let Base::Buffer(buffer) = &self.position.base else { return None };
        let index = self.position.offset.quotient(&Integer::from(self.bytes));
        let (bytes, signed) = (self.bytes, self.signed);
        Some(Element { buffer: buffer.clone(), index: Box::new(index), bytes, signed, moment: Moment::Now })
    }
}

/// Whether an expression is a number on a path that is not known where it starts.
pub fn is_unnamed(expression: &Expression) -> bool {
    matches!(expression, Expression::Quantity { quantity, .. } if quantity.variable.as_str().starts_with(UNNAMED))
}

impl Default for GuardedPath {
    fn default() -> Self {
        Self {
            back: false,
            conditions: Vec::new(),
            exact: true,
            updates: BTreeMap::new(),
            accesses: Vec::new(),
            stored: false,
            unnamed: 0,
        }
    }
}

impl GuardedPath {
    /// Its conditions as formulas.
    pub fn formulas(&self) -> impl Iterator<Item = Formula> {
        self.conditions.iter().map(Condition::formula)
    }

    /// The value of an expression on the path.
    pub fn value(&self, start: &Start<'_>, expression: ExprId) -> Value {
        evaluate(start, &self.updates, expression)
    }

    /// Adds a condition; one that is not understood makes the path inexact. Tells whether the path can be taken.
    pub fn restrict(&mut self, condition: Option<Condition>) -> bool {
        self.exact &= condition.is_some();
        let condition = condition.unwrap_or(Condition::TRUE);
        if condition == Condition::FALSE {
            return false;
        }
        if condition != Condition::TRUE {
            self.conditions.push(condition);
        }
        true
    }

    /// What is tested where a block ends: where control goes, and when, if that is understood.
    pub fn branches(&self, start: &Start<'_>, block: BlockId) -> Vec<(BlockId, Option<Condition>)> {
        match &start.body.blocks[block].terminator {
            Terminator::Goto(target) => vec![(*target, Some(Condition::TRUE))],
            Terminator::Branch { condition, then, otherwise } => {
                let condition = self.value(start, *condition).truth();
                let opposite = condition.as_ref().map(Condition::negated);
                vec![(*then, condition), (*otherwise, opposite)]
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.value(start, *value).number();
                let range = |low: i128, high: i128| {
                    let (value, low, high) = (value.as_ref()?, Linear::constant(low), Linear::constant(high));
                    Some(if low == high {
                        Condition::equal(value, &low)
                    } else {
                        Condition::all(vec![
                            Condition::at_most(&low, value),
                            Condition::at_most(value, &high),
                        ])
                    })
                };
                let cases = cases.iter().take(CASES).map(|case| (case.target, range(case.low, case.high)));
                cases.chain([(*default, None)]).collect()
            }
            Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
        }
    }

    /// Does what a statement does. Assumptions and checks change nothing.
    pub fn execute(&mut self, start: &Start<'_>, statement: &StatementKind) {
        match statement {
            StatementKind::Assign { target, value } => {
                let value = self.value(start, *value);
                self.assign(start, *target, value);
            }
            StatementKind::Load { target, pointer, .. } => {
                let ty = start.program.variable(start.body, *target).ty;
                let access = self.access(start, *pointer, ty);
                let value = access.as_ref().map_or(Value::Unknown, |access| self.content(start, access));
                self.accesses.extend(access);
                self.assign(start, *target, value);
            }
            StatementKind::Store { pointer, value } => {
                let access = self.access(start, *pointer, start.body.expressions[*value].ty);
                let stored = Some(self.value(start, *value));
                self.accesses.extend(access.map(|access| Access { stored, ..access }));
                self.stored = true;
            }
            StatementKind::Copy { destination, source, size } => {
                self.copy(start, [*destination, *source, *size]);
                self.stored = true;
            }
            StatementKind::Fill { .. } => self.stored = true,
            other => {
                if let StatementKind::Call { callee, .. } = other {
                    self.call(start, *callee);
                }
                if let Some(target) = other.target() {
                    self.assign(start, target, Value::Unknown);
                }
            }
        }
    }

    /// Code that is called may change what the program shares.
    fn call(&mut self, start: &Start<'_>, callee: Callee) {
        self.stored = true;
        if !start.is_idealised && calls_code(start.program, callee) {
            let globals = (0..start.program.globals.len()).map(VariableId::global);
            self.updates.extend(globals.map(|global| (global, Value::Unknown)));
        }
    }

    /// Gives a variable a value. A number that is not known may get a name of its own, so that it is known again when it is
    /// stored.
    fn assign(&mut self, start: &Start<'_>, target: VariableId, value: Value) {
        let value = match (value, start.program.variable(start.body, target).ty) {
            (Value::Unknown, Type::Integer(_)) if start.is_idealised => {
                self.unnamed += 1;
                let name = format!("{UNNAMED}{}", self.unnamed);
                Value::Number(Linear::variable(Quantity::value(&*name).at(Moment::Now)))
            }
            (value, _) => value,
        };
        self.updates.insert(target, value);
    }

    /// Copies few numbers of the width that their object seems to have.
    fn copy(&mut self, start: &Start<'_>, [destination, source, size]: [ExprId; 3]) {
        let (Value::Pointer(to), Value::Pointer(from), Value::Number(size)) =
            (self.value(start, destination), self.value(start, source), self.value(start, size))
        else {
            return;
        };
        let Base::Buffer(name) = &to.base else { return };
        let (Some(&cell), Some(size)) = (start.cells.get(name), size.known()) else { return };
        let Ok(bytes @ (1 | 2 | 4 | 8)) = u8::try_from(cell) else { return };
        for place in (0..size).step_by(cell as usize).take(COPIED) {
            let moved = |position: &Position| Position {
                base: position.base.clone(),
                offset: position.offset.shifted(place),
            };
            let read = Access { position: moved(&from), bytes, signed: true, stored: None };
            let stored = Some(self.content(start, &read));
            self.accesses.push(read);
            self.accesses.push(Access { position: moved(&to), bytes, signed: true, stored });
        }
    }

    /// What is read.
    fn content(&self, start: &Start<'_>, access: &Access) -> Value {
        let same = |other: &&Access| other.position == access.position && other.bytes == access.bytes;
        let stored = self.accesses.iter().rev().filter(|other| other.stored.is_some()).find(same);
        match (stored, access.element()) {
            _ if self.stored && !start.is_idealised => Value::Unknown,
            (Some(Access { stored: Some(value), .. }), _) => value.clone(),
            (_, Some(element)) => Value::Number(Linear::variable(Expression::Element(element))),
            _ => Value::Unknown,
        }
    }

    /// The access through a pointer to a number of a type.
    fn access(&self, start: &Start<'_>, pointer: ExprId, ty: Type) -> Option<Access> {
        let Value::Pointer(position) = self.value(start, pointer) else { return None };
        let Type::Integer(integer) = ty else { return None };
        let bytes = integer.width.div_ceil(8);
        matches!(bytes, 1 | 2 | 4 | 8).then_some(Access {
            position,
            bytes,
            signed: integer.signed,
            stored: None,
        })
    }
}

/// Whether a call may run code of the program.
pub fn calls_code(program: &Program, callee: Callee) -> bool {
    match callee {
        Callee::Function(function) => program.functions[function].body().is_some(),
        Callee::Pointer(_) => true,
    }
}
