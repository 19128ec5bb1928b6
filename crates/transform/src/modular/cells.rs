//! Numbers in memory as variables: what a loop leaves alone, and counters that it keeps there.
//!
//! For a place in memory (a pointer that is computed from variables, and a type) a *cell* is a variable that holds what
//! is there. A store of that type to that place gives the cell the value. It becomes anything whenever something else
//! may have changed: at the start, when a variable in the pointer is assigned, and when something is written to memory
//! or done elsewhere, unless it is written beside it. A load from the place reads the cell. So two loads with nothing in
//! between give the same number. Places get a cell only if some loop reads them, and changes them in no other way than by
//! stores to the very place.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base::Location;
use program::order::{Element, order};
use program::passes::with_operands;
use program::{
    BlockId, Body, Expr, ExprId, ExprKind, ObjectRef, Origin, Program, Statement, StatementKind, Type,
    VariableId,
};

use crate::frames::CallFrames;
use crate::pieces::variable;

/// A function has no more cells.
const MOST: usize = 12;

/// The cells of a function.
#[derive(Default)]
pub(super) struct Cells {
    cells: Vec<Cell>,
    /// For each expression the first that is equal to it.
    equal: BTreeMap<ExprId, ExprId>,
    /// The pointer variables of which it is known where they come from.
    origins: BTreeMap<VariableId, From>,
}

/// Where a pointer comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// It is the address of this object.
    Object(ObjectRef),
    /// The caller gave it: it is no object of this call.
    Caller,
}

impl From {
    /// Whether two pointers go to different objects.
    fn is_apart_from(self, other: Self) -> bool {
        match (self, other) {
            (Self::Object(one), Self::Object(other)) => one != other,
            (Self::Object(object), Self::Caller) | (Self::Caller, Self::Object(object)) => {
                matches!(object, ObjectRef::Local(_))
            }
            (Self::Caller, Self::Caller) => false,
        }
    }
}

struct Cell {
    pointer: ExprId,
    ty: Type,
    depends: BTreeSet<VariableId>,
    variable: VariableId,
}

impl Cells {
    /// Chooses the cells of a function, in which variables hold the addresses of objects.
    pub fn of(
        program: &Program,
        frames: &CallFrames<'_>,
        body: &mut Body,
        objects: impl Iterator<Item = (ObjectRef, VariableId)>,
    ) -> Self {
        let assigned: BTreeSet<VariableId> = body.statements().filter_map(|one| one.kind.target()).collect();
        let given = body.parameters.iter().filter(|parameter| !assigned.contains(parameter));
        let origins = given.map(|&parameter| (parameter, From::Caller));
        let origins =
            origins.chain(objects.map(|(object, address)| (address, From::Object(object)))).collect();
        let mut cells = Self { cells: Vec::new(), equal: equal(body), origins };
        let mut wanted: Vec<(ExprId, Type)> = Vec::new();
        for blocks in loops(body) {
            cells.read_in(program, frames, body, &blocks, &mut wanted);
        }
        for (pointer, ty) in wanted.into_iter().take(MOST) {
            let name = place_name(program, body, pointer);
            let variable = variable(body, name, ty, Origin::Source, Location::unknown());
            let depends = variables(body, pointer);
            cells.cells.push(Cell { pointer, ty, depends, variable });
        }
        cells
    }

    /// The places that a loop reads, and leaves alone or changes by stores to them only.
    fn read_in(
        &self,
        program: &Program,
        frames: &CallFrames<'_>,
        body: &Body,
        blocks: &[BlockId],
        wanted: &mut Vec<(ExprId, Type)>,
    ) {
        let statements = || blocks.iter().flat_map(|&block| &body.blocks[block].statements);
        let assigned: BTreeSet<VariableId> =
            statements().filter_map(|statement| statement.kind.target()).collect();
        for statement in statements() {
            let StatementKind::Load { target, pointer, .. } = statement.kind else { continue };
            let (pointer, ty) = (self.equal[&pointer], program.variable(body, target).ty);
            let fixed = variables(body, pointer).is_disjoint(&assigned);
            let is_stored = |other: &Statement| self.stored(body, other) == Some((pointer, ty));
            let kept = !statements().any(|other| {
                !is_stored(other) && self.may_write(program, frames, body, other, (pointer, ty))
            });
            if fixed && kept && !matches!(ty, Type::Float(_)) && !wanted.contains(&(pointer, ty)) {
                wanted.push((pointer, ty));
            }
        }
    }

    /// The cell of a place.
    pub fn at(&self, pointer: ExprId, ty: Type) -> Option<VariableId> {
        let pointer = self.equal.get(&pointer)?;
        self.cells.iter().find(|cell| cell.pointer == *pointer && cell.ty == ty).map(|cell| cell.variable)
    }

    /// All cells.
    pub fn all(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.cells.iter().map(|cell| cell.variable)
    }

    /// The place to which a statement stores, and the type of what it stores there.
    fn stored(&self, body: &Body, statement: &Statement) -> Option<(ExprId, Type)> {
        let StatementKind::Store { pointer, value } = statement.kind else { return None };
        Some((self.equal.get(&pointer).copied()?, body.expressions[value].ty))
    }

    /// The cell that a statement stores to, and the value that it has then.
    pub fn stored_by(&self, body: &Body, statement: &Statement) -> Option<(VariableId, ExprId)> {
        let StatementKind::Store { value, .. } = statement.kind else { return None };
        let place = self.stored(body, statement)?;
        let cell = self.cells.iter().find(|cell| (cell.pointer, cell.ty) == place)?;
        Some((cell.variable, value))
    }

    /// The cells that may hold something else after a statement, but for the one that it stores to.
    pub fn changed_by(
        &self,
        program: &Program,
        frames: &CallFrames<'_>,
        body: &Body,
        statement: &Statement,
    ) -> Vec<VariableId> {
        let target = statement.kind.target();
        let stored = self.stored(body, statement);
        // Whatever is written in an open program may be a variable that others know.
        let is_exported = |variable: &VariableId| {
            program.world.open
                && variable.is_global()
                && program.globals[base::Index::index(*variable)].exported
        };
        let is_changed = |cell: &&Cell| {
            target.is_some_and(|target| cell.depends.contains(&target))
                || stored.is_some() && cell.depends.iter().any(is_exported)
                || stored != Some((cell.pointer, cell.ty))
                    && self.may_write(program, frames, body, statement, (cell.pointer, cell.ty))
        };
        self.cells.iter().filter(is_changed).map(|cell| cell.variable).collect()
    }

    /// Whether a statement may change what is at a place, or which place it is.
    fn may_write(
        &self,
        program: &Program,
        frames: &CallFrames<'_>,
        body: &Body,
        statement: &Statement,
        (pointer, ty): (ExprId, Type),
    ) -> bool {
        match &statement.kind {
            StatementKind::Store { pointer: written, value } => {
                let written = self.equal.get(written).copied().unwrap_or(*written);
                !self.is_beside(program, body, (written, body.expressions[*value].ty), (pointer, ty))
            }
            StatementKind::Call { callee, arguments, .. } => {
                let returns = |function| !program.functions[function].no_return;
                let frame = frames.of_call(*callee, arguments);
                callee.function().is_none_or(returns)
                    && (frame.writes_memory()
                        || variables(body, pointer)
                            .iter()
                            .any(|one| one.is_global() && frame.assigns(program, *one)))
            }
            StatementKind::Assign { .. }
            | StatementKind::Load { .. }
            | StatementKind::Input { .. }
            | StatementKind::Volatile { .. }
            | StatementKind::Assume { .. }
            | StatementKind::Check(_) => false,
            _ => true,
        }
    }

    /// Whether two places surely have no byte in common: different objects, or different offsets from one pointer.
    fn is_beside(&self, program: &Program, body: &Body, one: (ExprId, Type), other: (ExprId, Type)) -> bool {
        if let (Some(one), Some(other)) = (self.origin(body, one.0), self.origin(body, other.0))
            && one.is_apart_from(other)
        {
            return true;
        }
        let (base, first) = self.split(body, one.0);
        let (other_base, second) = self.split(body, other.0);
        let bytes = |ty: Type| i128::from(ty.bytes(program.data_model));
        base == other_base && (first + bytes(one.1) <= second || second + bytes(other.1) <= first)
    }

    /// Where a pointer comes from, if that is known.
    fn origin(&self, body: &Body, pointer: ExprId) -> Option<From> {
        match body.expressions[pointer].kind {
            ExprKind::Offset(base, _) => self.origin(body, base),
            ExprKind::Variable(variable) => self.origins.get(&variable).copied(),
            _ => None,
        }
    }

    /// A pointer as another one and a known number of bytes.
    fn split(&self, body: &Body, pointer: ExprId) -> (ExprId, i128) {
        if let ExprKind::Offset(base, bytes) = body.expressions[pointer].kind
            && let Some(known) = body.constant(bytes)
        {
            let (base, before) = self.split(body, self.equal.get(&base).copied().unwrap_or(base));
            return (base, before + known);
        }
        (pointer, 0)
    }
}

/// For each expression the first one that is equal to it.
fn equal(body: &Body) -> BTreeMap<ExprId, ExprId> {
    let mut first: HashMap<Expr, ExprId> = HashMap::new();
    let mut equal: BTreeMap<ExprId, ExprId> = BTreeMap::new();
    for (id, &Expr { kind, ty }) in body.expressions.iter() {
        let kind = with_operands(kind, |operand| equal.get(&operand).copied().unwrap_or(operand));
        equal.insert(id, *first.entry(Expr { kind, ty }).or_insert(id));
    }
    equal
}

fn variables(body: &Body, pointer: ExprId) -> BTreeSet<VariableId> {
    let mut found = BTreeSet::new();
    body.for_each_variable(pointer, &mut |variable| _ = found.insert(variable));
    found
}

/// The blocks of all loops.
fn loops(body: &Body) -> Vec<Vec<BlockId>> {
    let mut found = Vec::new();
    let mut left: Vec<Element> = order(body);
    while let Some(element) = left.pop() {
        if let Element::Component(component) = element {
            found.push(component.blocks.clone());
            left.extend(component.rest.iter().cloned());
        }
    }
    found
}

/// What a place is called.
fn place_name(program: &Program, body: &Body, pointer: ExprId) -> String {
    let mut offset = 0;
    let mut base = pointer;
    while let ExprKind::Offset(inner, bytes) = body.expressions[base].kind
        && let Some(known) = body.constant(bytes)
    {
        offset += known;
        base = inner;
    }
    let name = match body.expressions[base].kind {
        ExprKind::Variable(variable) => program.variable(body, variable).name.clone(),
        _ => String::from("…"),
    };
    if offset == 0 { format!("*{name}") } else { format!("*({name}+{offset})") }
}
