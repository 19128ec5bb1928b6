//! What evaluating an expression may read and write.
//!
//! Objects are known by their declarations where an lvalue names them, and are "memory" where a pointer does. Memory meets
//! every object whose address somebody may hold. An automatic object whose address is never taken is private: no call
//! and no pointer comes to it.

use std::collections::{BTreeSet, HashMap, HashSet};

use rucc_ast::{BinaryOp, UnaryOp};
use rucc_base::Symbol;
use rucc_sema::{Conversion, DeclId, DeclKind, ExprId, ExprKind, Linkage, StorageDuration};
use rucc_types::TypeKind;

use crate::frontend::Unit;

/// Some objects.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Objects {
    /// Those with a name.
    pub(super) named: BTreeSet<DeclId>,
    /// Whatever a pointer may point to.
    pub(super) memory: bool,
    /// Everything that is not private to one function.
    pub(super) all_shared: bool,
}

/// Things besides reads and writes that make it matter who comes first.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Flags(u8);

impl Flags {
    /// It may end the program, or the runs that are examined.
    pub(super) const ENDS: Self = Self(1);
    /// It may go on for ever.
    pub(super) const LOOPS: Self = Self(2);
    /// It may come to an error call or a failing assertion.
    pub(super) const ERROR: Self = Self(4);
    /// It prints, reads files, or has another effect on the world outside.
    pub(super) const OUTSIDE: Self = Self(8);
    /// It may do something undefined: divide by zero, overflow, leave an object.
    pub(super) const FAILS: Self = Self(16);
    /// All of them.
    pub(super) const ALL: Self = Self(31);

    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// These flags without others.
    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether a run can tell who of the two came first.
    fn conflicts(self, other: Self) -> bool {
        let one_way = |a: Self, b: Self| {
            a.has(Self::ENDS) && b.has(Self::LOOPS.with(Self::ERROR).with(Self::OUTSIDE))
                || a.has(Self::ERROR.with(Self::FAILS)) && b.has(Self::LOOPS)
                || a.has(Self::FAILS) && b.has(Self::ENDS)
                || a.has(Self::OUTSIDE) && b.has(Self::OUTSIDE)
        };
        one_way(self, other) || one_way(other, self)
    }
}

/// What is read and what is written.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Accesses {
    pub(super) reads: Objects,
    pub(super) writes: Objects,
}

/// What an evaluation may do: by itself, and in the bodies of functions that it calls.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Effects {
    pub(super) direct: Accesses,
    pub(super) called: Accesses,
    pub(super) flags: Flags,
}

/// The object that an lvalue stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Location {
    /// A declared object, or a part of it.
    Named(DeclId),
    /// Whatever a pointer points to.
    Memory,
    /// A value without an object that others could name, or a string literal.
    Nowhere,
}

impl Objects {
    pub(super) fn is_empty(&self) -> bool {
        self.named.is_empty() && !self.memory && !self.all_shared
    }

    pub(super) fn add(&mut self, location: Location) {
        match location {
            Location::Named(decl) => {
                self.named.insert(decl);
            }
            Location::Memory => self.memory = true,
            Location::Nowhere => {}
        }
    }

    /// Adds other objects, and says whether there was a new one.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let before = (self.named.len(), self.memory, self.all_shared);
        self.named.extend(&other.named);
        self.memory |= other.memory;
        self.all_shared |= other.all_shared;
        before != (self.named.len(), self.memory, self.all_shared)
    }

    fn meets(&self, other: &Self, names: &Names<'_>) -> bool {
        let one_way = |a: &Self, b: &Self| {
            a.memory && (b.memory || b.named.iter().any(|&decl| names.is_exposed(decl)))
                || a.all_shared
                    && (b.memory || b.all_shared || b.named.iter().any(|&decl| !names.is_private(decl)))
        };
        let common = match self.named.len() <= other.named.len() {
            true => self.named.iter().any(|decl| other.named.contains(decl)),
            false => other.named.iter().any(|decl| self.named.contains(decl)),
        };
        common || one_way(self, other) || one_way(other, self)
    }
}

impl Accesses {
    /// Reads and writes of everything that others may come to.
    pub(super) fn all_shared() -> Self {
        let all = Objects { all_shared: true, memory: true, ..Objects::default() };
        Self { reads: all.clone(), writes: all }
    }

    /// Reads and writes through pointers.
    pub(super) fn memory(reads: bool, writes: bool) -> Self {
        let through = |memory| Objects { memory, ..Objects::default() };
        Self { reads: through(reads), writes: through(writes) }
    }

    pub(super) fn join(&mut self, other: &Self) -> bool {
        let reads = self.reads.join(&other.reads);
        self.writes.join(&other.writes) || reads
    }

    /// Whether one writes what the other reads or writes.
    pub(super) fn conflicts(&self, other: &Self, names: &Names<'_>) -> bool {
        self.writes.meets(&other.writes, names)
            || self.writes.meets(&other.reads, names)
            || other.writes.meets(&self.reads, names)
    }
}

impl Effects {
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let direct = self.direct.join(&other.direct);
        let called = self.called.join(&other.called);
        let flags = self.flags;
        self.flags = self.flags.with(other.flags);
        direct || called || flags != self.flags
    }

    /// Whether nobody can tell that it was evaluated, if nothing goes wrong in it.
    pub(super) fn is_silent(&self) -> bool {
        self.direct.writes.is_empty()
            && self.called.writes.is_empty()
            && self.flags.without(Flags::FAILS) == Flags::default()
    }

    /// The same effects of something that may do something undefined.
    pub(super) fn failing(mut self, may_fail: bool) -> Self {
        if may_fail {
            self.flags = self.flags.with(Flags::FAILS);
        }
        self
    }

    /// Whether the order of two evaluations matters only because one may go wrong and the other may not come back.
    pub(super) fn conflicts_by_failure_alone(&self, other: &Self, names: &Names<'_>) -> bool {
        let sound = |effects: &Self| Self { flags: effects.flags.without(Flags::FAILS), ..effects.clone() };
        let (one, another) = (sound(self), sound(other));
        self.flags.conflicts(other.flags)
            && !one.conflicts_by_call(&another, names)
            && !self.direct.conflicts(&other.direct, names)
    }

    /// Whether the order of two evaluations matters and a call has a part in that.
    pub(super) fn conflicts_by_call(&self, other: &Self, names: &Names<'_>) -> bool {
        self.flags.conflicts(other.flags)
            || self.called.conflicts(&other.called, names)
            || self.called.conflicts(&other.direct, names)
            || self.direct.conflicts(&other.called, names)
    }
}

/// The names of a unit: who may hold a pointer to which object.
pub(super) struct Names<'a> {
    pub(super) unit: &'a Unit,
    /// Objects whose address is taken somewhere.
    pub(super) taken: HashSet<DeclId>,
    /// One declaration for each name with linkage: a function can declare it again.
    first: HashMap<Symbol, DeclId>,
}

impl<'a> Names<'a> {
    pub(super) fn new(unit: &'a Unit) -> Self {
        Self { unit, taken: HashSet::new(), first: HashMap::new() }
    }

    /// The declaration that stands for all of its object or function.
    pub(super) fn enter(&mut self, decl: DeclId) -> DeclId {
        match (self.unit.tast[decl].linkage, self.unit.tast[decl].name) {
            (Linkage::None, _) | (_, None) => decl,
            (_, Some(name)) => *self.first.entry(name).or_insert(decl),
        }
    }

    /// The same once all names are known.
    pub(super) fn one(&self, decl: DeclId) -> DeclId {
        let name = self.unit.tast[decl].name.filter(|_| self.unit.tast[decl].linkage != Linkage::None);
        name.and_then(|name| self.first.get(&name).copied()).unwrap_or(decl)
    }

    fn is_private(&self, decl: DeclId) -> bool {
        self.unit.tast[decl].duration == StorageDuration::Automatic && !self.taken.contains(&decl)
    }

    fn is_exposed(&self, decl: DeclId) -> bool {
        let declared = &self.unit.tast[decl];
        self.taken.contains(&decl) || declared.linkage == Linkage::External || declared.alias.is_some()
    }

    /// The object that an lvalue is, or is a part of.
    pub(super) fn location(&self, lvalue: ExprId) -> Location {
        let tast = &self.unit.tast;
        match tast[lvalue].kind {
            ExprKind::Decl(decl) if tast[decl].kind == DeclKind::Function => Location::Nowhere,
            ExprKind::Decl(decl) if tast[decl].alias.is_some() => Location::Memory,
            ExprKind::Decl(decl) | ExprKind::CompoundLiteral(decl) => Location::Named(self.one(decl)),
            ExprKind::Str(_) | ExprKind::Const(_) | ExprKind::Call { .. } | ExprKind::Complex { .. } => {
                Location::Nowhere
            }
            ExprKind::Member { base, .. } => self.location(base),
            ExprKind::Subscript { base, .. } => self.pointee(base),
            ExprKind::Unary { op: UnaryOp::Deref, operand } => self.pointee(operand),
            ExprKind::Unary { op: UnaryOp::Real | UnaryOp::Imag, operand } => self.location(operand),
            ExprKind::Convert { kind: Conversion::Lvalue, operand } => self.location(operand),
            _ => Location::Memory,
        }
    }

    /// The object that a pointer goes into, as far as its form tells.
    pub(super) fn pointee(&self, pointer: ExprId) -> Location {
        let tast = &self.unit.tast;
        match tast[pointer].kind {
            ExprKind::Convert { kind: Conversion::ArrayDecay, operand }
            | ExprKind::Unary { op: UnaryOp::AddrOf, operand } => self.location(operand),
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs } => {
                let is_pointer = |side: ExprId| matches!(self.unit.kind(tast[side].ty), TypeKind::Pointer(_));
                self.pointee(if is_pointer(lhs) { lhs } else { rhs })
            }
            _ if matches!(self.unit.kind(tast[pointer].ty), TypeKind::Vector { .. }) => {
                self.location(pointer)
            }
            _ => Location::Memory,
        }
    }
}
