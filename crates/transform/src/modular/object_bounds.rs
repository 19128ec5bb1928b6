//! Where the objects lie in which pointers walk.
//!
//! Pointer arithmetic stays in one object, and so does every access through its result: C leaves all else undefined. So a
//! pointer that walks has two variables beside it, the addresses where its object begins and ends. They become anything
//! when the pointer is set to something new, go along when it is copied or moved, and every access through it lies
//! between them. No object lies across the end of the address space or in its upper half. A walk up to some byte then
//! makes no more iterations than there are bytes left in the object.

use std::collections::{BTreeMap, BTreeSet};

use base::Location;
use program::{
    BinaryOp, Body, ExprId, ExprKind, Origin, Program, Statement, StatementKind, Type, VariableId,
};

use crate::pieces::variable;

/// No more pointers of a function are looked after.
const MOST: usize = 16;

/// The pointers of a function that walk, each with the variables for the beginning and the end of its object.
#[derive(Default)]
pub(super) struct ObjectBounds(BTreeMap<VariableId, [VariableId; 2]>);

impl ObjectBounds {
    /// Finds the pointers of a function that walk, and those that are copied from them.
    pub fn of(program: &Program, body: &mut Body) -> Self {
        let mut moves: BTreeSet<(VariableId, VariableId)> = BTreeSet::new();
        for (_, block) in body.blocks.iter() {
            for statement in &block.statements {
                if let StatementKind::Assign { target, value } = statement.kind
                    && let Some(from) = origin(body, value)
                    && !target.is_global()
                    && body.variables[target].ty == Type::Pointer
                {
                    moves.insert((target, from));
                }
            }
        }
        let walking = walking(&moves);
        let copied = moves.iter().filter(|(_, from)| walking.contains(from)).map(|(target, _)| *target);
        let all: BTreeSet<VariableId> = walking.iter().copied().chain(copied).collect();
        let mut ends = BTreeMap::new();
        for pointer in all.into_iter().take(MOST) {
            let name = program.variable(body, pointer).name.clone();
            let make = |what| {
                variable(body, format!("{what}({name})"), Type::Pointer, Origin::Source, Location::unknown())
            };
            ends.insert(pointer, ["begin", "end"].map(make));
        }
        Self(ends)
    }

    /// All variables for beginnings and ends.
    pub fn all(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.0.values().flatten().copied()
    }

    /// What holds of the beginnings and ends that are given any value: as conditions.
    pub fn placed(&self, body: &mut Body, given: &[VariableId]) -> Vec<ExprId> {
        let mut conditions = Vec::new();
        for [begin, end] in self.0.values().filter(|[begin, _]| given.contains(begin)) {
            let (null, begin, end) = (body.null(), body.read(*begin), body.read(*end));
            conditions.push(body.binary(BinaryOp::LessEqual, null, begin));
            conditions.push(body.binary(BinaryOp::LessEqual, begin, end));
        }
        conditions
    }

    /// What must hold before a statement, if it accesses memory: as conditions.
    pub fn accessed(&self, program: &Program, body: &mut Body, statement: &Statement) -> Vec<ExprId> {
        let (pointer, ty) = match statement.kind {
            StatementKind::Load { target, pointer, .. } => (pointer, program.variable(body, target).ty),
            StatementKind::Store { pointer, value } => (pointer, body.expressions[value].ty),
            _ => return Vec::new(),
        };
        let Some([begin, end]) = origin(body, pointer).and_then(|from| self.0.get(&from)).copied() else {
            return Vec::new();
        };
        let bytes = i128::from(ty.bytes(program.data_model));
        let bytes = body.integer(program.data_model.offset_type(), bytes);
        let after = body.offset(pointer, bytes);
        let (begin, end) = (body.read(begin), body.read(end));
        let after_begin = body.binary(BinaryOp::LessEqual, begin, pointer);
        let before_end = body.binary(BinaryOp::LessEqual, after, end);
        let in_order = body.binary(BinaryOp::LessEqual, pointer, after);
        vec![after_begin, before_end, in_order]
    }

    /// What becomes of the beginnings and ends when a statement is done: each variable with its new value, if it has one.
    pub fn changed_by(&self, body: &mut Body, statement: &Statement) -> Vec<(VariableId, Option<ExprId>)> {
        let Some(target) = statement.kind.target() else { return Vec::new() };
        let Some(own) = self.0.get(&target) else { return Vec::new() };
        let from = match statement.kind {
            StatementKind::Assign { value, .. } => origin(body, value),
            _ => None,
        };
        match from.and_then(|from| self.0.get(&from)) {
            Some(others) if others == own => Vec::new(),
            Some(others) => {
                own.iter().zip(others).map(|(&one, &other)| (one, Some(body.read(other)))).collect()
            }
            None => own.iter().map(|&one| (one, None)).collect(),
        }
    }
}

/// The local pointer variable from which a pointer is computed.
fn origin(body: &Body, mut pointer: ExprId) -> Option<VariableId> {
    loop {
        match body.expressions[pointer].kind {
            ExprKind::Offset(base, _) => pointer = base,
            ExprKind::Variable(variable) if !variable.is_global() => return Some(variable),
            _ => return None,
        }
    }
}

/// The variables that are computed from themselves, one after the other.
fn walking(moves: &BTreeSet<(VariableId, VariableId)>) -> BTreeSet<VariableId> {
    let reaches = |start: VariableId| {
        let mut seen = BTreeSet::new();
        let mut left = vec![start];
        while let Some(one) = left.pop() {
            for (_, from) in moves.iter().filter(|(to, _)| *to == one) {
                if *from == start {
                    return true;
                }
                if seen.insert(*from) {
                    left.push(*from);
                }
            }
        }
        false
    };
    moves.iter().map(|(target, _)| *target).filter(|&target| reaches(target)).collect()
}
