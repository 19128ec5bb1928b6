//! Every modular function: called by anybody, with any arguments, in any memory.
//!
//! The program that is made here has no memory and no calls. What a function reads from memory is an input, what it
//! writes is forgotten, what it calls returns and gives any value and changes what its frame names ([`crate::frames`]).
//! A variable of a function has no address, so that nothing else can change it. So whatever a run of the function does to
//! its variables, in whatever program, the function that is made here can do.
//!
//! Addresses are numbers: a pointer is an offset from the null address. The address of an object is one that is not
//! null; nothing else is known of it. C leaves pointer arithmetic outside an object undefined, and no object lies across
//! the end of the address space or in its upper half: so where an assignment or a branch moves a pointer, neither the
//! pointer nor the result is negative, and the multiple by which it moves does not overflow. Both are assumed.
//!
//! Where a pointer walks through memory, every access is in the object in which it began ([`object_bounds`]). A number
//! that is read from memory is what was written there or read there last, where nothing else can have been written in
//! between, as far as [`cells`] tells. Variables that others can name may be where any pointer leads, if the program is
//! open. Left out: control that comes back through `longjmp`; a function that calls `setjmp` or its kin is one that is
//! not supported.

mod alone;
mod cells;
mod functions;
mod object_bounds;

use std::collections::BTreeMap;

use base::Location;
use program::passes::show_addresses;
use program::{
    BinaryOp, BlockId, Body, Callee, Check, Definition, Expr, ExprId, ExprKind, Function, FunctionId,
    ObjectRef, Origin, Program, Statement, StatementKind, Type, Variable, VariableId, VariadicOp,
};

use self::cells::Cells;
pub use self::functions::{ModularFunctions, Observed};
use self::object_bounds::ObjectBounds;
use crate::frames::{CallFrames, Frame};
use crate::pieces::{any, assign, assume, variable};

/// Functions that return more than once.
const RETURN_TWICE: [&str; 9] = [
    "setjmp",
    "_setjmp",
    "__sigsetjmp",
    "sigsetjmp",
    "savectx",
    "vfork",
    "getcontext",
    "__builtin_setjmp",
    "swapcontext",
];

/// The modular program: every function stands on its own. [`ModularFunctions`] makes one function at a time.
///
/// **Theorem.** Take a run of a function in the old program, whoever calls it, with any arguments and in any memory, on which
/// nothing undefined happens. The new program has a run of the function that takes the same blocks with the same numbers
/// in its variables, except that pointers are numbers; it is infinite if the old one spends infinitely many steps in the
/// function itself.
///
/// **Lost:** what memory and calls do, and whether calls return. Accesses and their obligations are not checked. Runs after
/// something undefined, and control that comes back through `longjmp`.
pub fn modular(program: &Program) -> Program {
    modular_where(program, Moves::Defined)
}

/// What is assumed of pointers that are moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Moves {
    /// They stay where C says what they are.
    Defined,
    /// Nothing: addresses wrap. Only what is accessed is in an object.
    Any,
}

pub(crate) fn modular_where(program: &Program, moves: Moves) -> Program {
    let functions = ModularFunctions::of(program);
    let observed = functions.all_observed();
    let mut result = Program {
        data_model: program.data_model,
        world: program.world,
        files: program.files.clone(),
        annotations: program.annotations.clone(),
        functions: program.functions.clone(),
        objects: base::Arena::new(),
        globals: (0..program.globals.len())
            .map(|place| functions.global(VariableId::global(place)))
            .collect(),
    };
    for (_, function) in result.functions.iter_mut() {
        if let Some(body) = function.body_mut() {
            functions.rewrite_where(body, &observed, moves);
        }
    }
    result
}

/// What has an address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Addressed {
    Object(ObjectRef),
    Function(FunctionId),
}

/// A function on its way to become modular.
struct ModularFunction<'a> {
    program: &'a Program,
    observed: &'a Observed,
    frames: CallFrames<'a>,
    body: &'a mut Body,
    /// The variables that hold addresses.
    addresses: BTreeMap<Addressed, VariableId>,
    cells: Cells,
    bounds: ObjectBounds,
    moves: Moves,
}

impl ModularFunction<'_> {
    fn rewrite(mut self) {
        show_addresses(self.body);
        self.name_addresses();
        let objects = self.addresses.iter().filter_map(|(what, &address)| match what {
            Addressed::Object(object) => Some((*object, address)),
            Addressed::Function(_) => None,
        });
        self.cells = Cells::of(self.program, &self.frames, self.body, objects);
        self.bounds = ObjectBounds::of(self.program, self.body);
        let blocks: Vec<BlockId> = self.body.blocks.ids().collect();
        for block in blocks {
            let old = std::mem::take(&mut self.body.blocks[block].statements);
            let mut new = Vec::with_capacity(old.len());
            let location = self.body.blocks[block].location;
            if block == self.body.entry() {
                for (_, variable) in self.addresses.clone() {
                    self.any_address(variable, location, &mut new);
                }
                new.extend(self.cells.all().map(|cell| any(cell, "memory", location)));
                let bounds: Vec<VariableId> = self.bounds.all().collect();
                self.any_bounds(&bounds, location, &mut new);
            }
            for statement in old {
                let changed = self.cells.changed_by(self.program, &self.frames, self.body, &statement);
                let stored = self.cells.stored_by(self.body, &statement);
                let location = statement.location;
                let accessed = self.bounds.accessed(self.program, self.body, &statement);
                new.extend(accessed.into_iter().map(|condition| assume(condition, location)));
                let bounds = self.bounds.changed_by(self.body, &statement);
                // Before what the value is made of may change.
                new.extend(stored.map(|(cell, value)| assign(cell, value, location)));
                self.statement(statement, &mut new);
                new.extend(changed.into_iter().map(|cell| any(cell, "memory", location)));
                let (known, unknown): (Vec<_>, Vec<_>) =
                    bounds.into_iter().partition(|(_, value)| value.is_some());
                let known =
                    known.into_iter().filter_map(|(target, value)| Some(assign(target, value?, location)));
                new.extend(known);
                let unknown: Vec<VariableId> = unknown.into_iter().map(|(target, _)| target).collect();
                self.any_bounds(&unknown, location, &mut new);
            }
            if let Some(operand) = self.body.blocks[block].terminator.operand() {
                self.moves(operand, location, &mut new);
            }
            self.body.blocks[block].statements = new;
        }
    }

    /// Pointers point into objects of which nothing is known but that they lie in memory.
    fn any_bounds(&mut self, bounds: &[VariableId], location: Location, new: &mut Vec<Statement>) {
        new.extend(bounds.iter().map(|&end| any(end, "object", location)));
        let placed = self.bounds.placed(self.body, bounds);
        new.extend(placed.into_iter().map(|condition| assume(condition, location)));
    }

    /// Puts variables in the places of addresses.
    fn name_addresses(&mut self) {
        let ids: Vec<ExprId> = self.body.expressions.ids().collect();
        for id in ids {
            let what = match self.body.expressions[id].kind {
                ExprKind::Object(object) => Addressed::Object(object),
                ExprKind::Function(function) => Addressed::Function(function),
                _ => continue,
            };
            let variable = match self.addresses.get(&what) {
                Some(variable) => *variable,
                None => {
                    let variable = self.address_of(what);
                    self.addresses.insert(what, variable);
                    variable
                }
            };
            self.body.expressions[id].kind = ExprKind::Variable(variable);
        }
    }

    fn address_of(&mut self, what: Addressed) -> VariableId {
        let (name, location) = match what {
            Addressed::Object(ObjectRef::Global(object)) => {
                let object = &self.program.objects[object];
                (object.name.clone(), object.location)
            }
            Addressed::Object(ObjectRef::Local(local)) => {
                let local = &self.body.locals[local];
                (local.name.clone(), local.location)
            }
            Addressed::Function(function) => {
                let function = &self.program.functions[function];
                (function.name.clone(), function.location)
            }
        };
        variable(self.body, name, Type::Pointer, Origin::Source, location)
    }

    fn program_variable(&self, variable: VariableId) -> &Variable {
        self.program.variable(self.body, variable)
    }

    fn statement(&mut self, statement: Statement, new: &mut Vec<Statement>) {
        let Statement { kind, location } = statement;
        match kind {
            StatementKind::Assign { target, value } => {
                if self.program_variable(target).origin != Origin::Temporary {
                    self.moves(value, location, new);
                }
                new.push(Statement { kind, location });
            }
            StatementKind::Load { target, pointer, .. }
                if let Some(cell) = self.cells.at(pointer, self.program_variable(target).ty) =>
            {
                new.push(assign(target, self.body.read(cell), location));
            }
            StatementKind::Load { target, .. }
            | StatementKind::Variadic { operation: VariadicOp::Next(target), .. } => {
                new.push(any(target, "memory", location));
            }
            StatementKind::Volatile { target, .. } => new.push(any(target, "volatile", location)),
            StatementKind::Begin { object, .. } => {
                // It may have another address than before.
                if let Some(&variable) = self.addresses.get(&Addressed::Object(ObjectRef::Local(object))) {
                    self.any_address(variable, location, new);
                }
            }
            StatementKind::Allocate { target, .. } => self.any_address(target, location, new),
            StatementKind::Call { target, callee, ref arguments } => {
                let frame = self.frames.of_call(callee, arguments).clone();
                self.call(target, callee, &frame, location, new);
            }
            StatementKind::Unknown { target, .. } => self.outside(&Frame::Everything, target, location, new),
            StatementKind::Input { .. }
            | StatementKind::Assume { .. }
            | StatementKind::Check(Check::Holds { .. }) => new.push(Statement { kind, location }),
            // What is stored is forgotten, unless it may be a variable of the program.
            StatementKind::Store { pointer, .. }
            | StatementKind::Copy { destination: pointer, .. }
            | StatementKind::Fill { destination: pointer, .. } => self.written(pointer, location, new),
            // Whatever is asked of memory may be fulfilled.
            StatementKind::End { .. }
            | StatementKind::Forget { .. }
            | StatementKind::Variadic { .. }
            | StatementKind::Mark(_)
            | StatementKind::Check(_) => {}
        }
    }

    fn call(
        &mut self,
        target: Option<VariableId>,
        callee: Callee,
        frame: &Frame,
        location: Location,
        new: &mut Vec<Statement>,
    ) {
        let callee = callee.function().map(|function| &self.program.functions[function]);
        if callee.is_some_and(|function| function.no_return) {
            new.push(assume(self.body.boolean(false), location));
        } else if let Some(function) = callee
            && returns_twice(function)
        {
            let what = format!("a call of {}, which may return twice", function.name);
            new.push(Statement { kind: StatementKind::Unknown { what, target }, location });
        } else {
            self.outside(frame, target, location, new);
        }
    }

    /// Something is written through a pointer. In an open program others know the addresses of the variables that it
    /// exports, so that every pointer may be one of them that does not start at an object that is named.
    fn written(&mut self, pointer: ExprId, location: Location, new: &mut Vec<Statement>) {
        if !self.program.world.open || self.is_named(pointer) {
            return;
        }
        new.extend(self.observed.exported.iter().map(|&global| any(global, "elsewhere", location)));
    }

    /// Whether a pointer goes to an object that is named where it is used. Names have become variables already.
    fn is_named(&self, pointer: ExprId) -> bool {
        match self.body.expressions[pointer].kind {
            ExprKind::Variable(variable) => self.addresses.values().any(|&address| address == variable),
            ExprKind::Offset(base, _) => self.is_named(base),
            _ => false,
        }
    }

    /// Something happens that the function does not see.
    fn outside(
        &self,
        frame: &Frame,
        target: Option<VariableId>,
        location: Location,
        new: &mut Vec<Statement>,
    ) {
        let changed = self.observed.changed.iter().filter(|&&global| frame.assigns(self.program, global));
        new.extend(changed.map(|&global| any(global, "elsewhere", location)));
        new.extend(target.map(|target| any(target, "elsewhere", location)));
    }

    /// A variable gets the address of an object.
    fn any_address(&mut self, variable: VariableId, location: Location, new: &mut Vec<Statement>) {
        new.push(any(variable, "address", location));
        if !variable.is_global() {
            let (null, address) = (self.body.null(), self.body.read(variable));
            new.push(assume(self.body.binary(BinaryOp::Less, null, address), location));
        }
    }

    /// Assumes what must hold where the pointers in an expression are moved.
    fn moves(&mut self, expression: ExprId, location: Location, new: &mut Vec<Statement>) {
        if self.moves == Moves::Any {
            return;
        }
        let mut found = Vec::new();
        let mut stack = vec![expression];
        while let Some(id) = stack.pop() {
            let Expr { kind, ty } = self.body.expressions[id];
            match kind {
                ExprKind::Offset(pointer, bytes) => {
                    found.push((id, pointer, bytes));
                    stack.extend([pointer, bytes]);
                }
                // What these do not choose is not computed.
                ExprKind::Select(condition, _, _) => stack.push(condition),
                ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, _) if ty == Type::Bool => {
                    stack.push(left)
                }
                _ => stack.extend(self.body.expressions[id].operands()),
            }
        }
        for (moved, pointer, bytes) in found {
            for pointer in [pointer, moved] {
                let null = self.body.null();
                new.push(assume(self.body.binary(BinaryOp::LessEqual, null, pointer), location));
            }
            self.multiple(bytes, location, new);
        }
    }
}

impl ModularFunction<'_> {
    /// Assumes that a number of bytes is the multiple that is written.
    fn multiple(&mut self, bytes: ExprId, location: Location, new: &mut Vec<Statement>) {
        let Expr { kind: ExprKind::Binary(BinaryOp::Multiply, left, right), ty: Type::Integer(integer) } =
            self.body.expressions[bytes]
        else {
            return;
        };
        let factors = (self.body.constant(left), self.body.constant(right));
        let (number, factor) = match factors {
            (None, Some(factor)) => (left, factor),
            (Some(factor), None) => (right, factor),
            _ => return,
        };
        if factor < 1 || !integer.signed || integer.width > 64 {
            return;
        }
        let most = ((1i128 << (integer.width - 1)) - 1) / factor;
        let ty = Type::Integer(integer);
        let (low, high) = (self.body.integer(ty, -most), self.body.integer(ty, most));
        for (less, more) in [(low, number), (number, high)] {
            new.push(assume(self.body.binary(BinaryOp::LessEqual, less, more), location));
        }
    }
}

fn returns_twice(function: &Function) -> bool {
    matches!(function.definition, Definition::External) && RETURN_TWICE.contains(&function.name.as_str())
}
