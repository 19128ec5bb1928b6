//! What the edges of a numeric program do to pointers and cells of lists.
//!
//! A cell is what `malloc` or `alloca` gives; its `next` is the pointer at one offset, the one that most pointers are loaded
//! from. The edges are those of [`Numeric`], which says what code each of them stands for. Pointers that small objects hold
//! are followed as long as the object is known by name, or by a parameter that always points to it. Other pointers into
//! objects and to other offsets are unknown, and a write through an unknown pointer makes all cells unknown. Pointers that
//! are not needed any more are forgotten, so that there are fewer shapes.

use std::collections::{BTreeMap, BTreeSet};

use base::Index;
use domains::order::Edge;
use domains::shape::{Action, Operand, Pointer};
use program::library::effects_of;
use program::{
    BinaryOp, Body, Callee, ExprId, ExprKind, FieldName, FunctionId, ObjectRef, Program, Statement,
    StatementKind, Terminator, Type, UnaryOp, Value, VariableId,
};

use super::super::numeric::{Code, End, Numeric};

/// An object: of a copy of a function, or of the program; and its number there.
pub(super) type Home = (Option<usize>, usize);

/// A pointer that is followed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Key {
    /// A variable, in a copy of a function or of the program.
    Variable(Option<usize>, VariableId),
    /// What an object holds at an offset.
    Held(Home, i128),
}

/// What every edge does.
pub(super) struct Actions {
    /// For each edge.
    pub edges: Vec<Vec<Action>>,
    /// The variables, by the numbers of pointers.
    pub pointers: Vec<Key>,
    /// Where the pointer to the next cell stands.
    pub link: i128,
    /// Parameters that always point to one object, with the offset.
    pub bound: BTreeMap<(usize, VariableId), (Home, i128)>,
}

/// Of an object so many pointers are followed.
const FIELDS: usize = 4;

impl Actions {
    /// What the edges of a program do. Nothing if it has no pointer to a next cell.
    pub fn of(program: &Program, numeric: &Numeric) -> Option<Self> {
        let bodies = numeric.frames.iter().map(|frame| program.functions[frame.function].body());
        let bodies: Vec<&Body> = bodies.collect::<Option<_>>()?;
        let mut walk = Walk {
            program,
            numeric,
            next: next_offset(program, numeric)?,
            numbers: BTreeMap::new(),
            pointers: Vec::new(),
            results: vec![None; numeric.frames.len()],
            bound: BTreeMap::new(),
            live: bodies.iter().map(|body| live(body)).collect(),
            bodies,
        };
        walk.variables();
        // A caller's copy comes before those of its callees, so that addresses that are passed on are known.
        for callee in 1..numeric.frames.len() {
            walk.enter(callee)?;
        }
        let edges = numeric.graph.edges().map(|edge| walk.edge(edge)).collect();
        Some(Self { edges, pointers: walk.pointers, link: walk.next, bound: walk.bound })
    }
}

/// Where the pointer to the next cell stands.
fn next_offset(program: &Program, numeric: &Numeric) -> Option<i128> {
    let mut counts: BTreeMap<i128, usize> = BTreeMap::new();
    let addresses = addresses(program, numeric);
    for function in numeric.frames.iter().map(|frame| frame.function).collect::<BTreeSet<_>>() {
        let body = program.functions[function].body()?;
        for statement in body.blocks.iter().flat_map(|(_, block)| &block.statements) {
            if let StatementKind::Load { target, pointer, .. } = statement.kind
                && program.variable(body, target).ty == Type::Pointer
                && let (Base::Variable(base), Some(offset)) = address(body, pointer)
                && !addresses.contains(&(function, base))
            {
                *counts.entry(offset).or_default() += 1;
            }
        }
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(offset, _)| offset)
}

/// Parameters that get the address of a variable or object: what is loaded through them is no link of a cell.
fn addresses(program: &Program, numeric: &Numeric) -> BTreeSet<(FunctionId, VariableId)> {
    let mut found = BTreeSet::new();
    // A caller's copy comes before those of its callees, so that addresses that are passed on are seen.
    for function in numeric.frames.iter().map(|frame| frame.function) {
        let Some(body) = program.functions[function].body() else { continue };
        for statement in body.blocks.values().flat_map(|block| &block.statements) {
            let StatementKind::Call { callee: Callee::Function(callee), arguments, .. } = &statement.kind
            else {
                continue;
            };
            let Some(called) = program.functions[*callee].body() else { continue };
            for (parameter, argument) in called.parameters.iter().zip(arguments) {
                let is_address = match address(body, *argument).0 {
                    Base::Object(_) => true,
                    Base::Variable(variable) => found.contains(&(function, variable)),
                    Base::Unknown => false,
                };
                if is_address {
                    found.insert((*callee, *parameter));
                }
            }
        }
    }
    found
}

/// Whether nothing is assigned to a variable.
fn is_constant(body: &Body, variable: VariableId) -> bool {
    let mut statements = body.blocks.values().flat_map(|block| &block.statements);
    !statements.any(|statement| statement.kind.target() == Some(variable))
}

/// What an address starts from.
enum Base {
    Variable(VariableId),
    /// An object that is no cell.
    Object(ObjectRef),
    Unknown,
}

/// An address as a base and an offset, if that is known.
fn address(body: &Body, expression: ExprId) -> (Base, Option<i128>) {
    match body.expressions[expression].kind {
        ExprKind::Variable(variable) => (Base::Variable(variable), Some(0)),
        ExprKind::Object(object) => (Base::Object(object), Some(0)),
        ExprKind::Offset(base, bytes) => {
            let (base, offset) = address(body, base);
            let bytes = match body.expressions[bytes].kind {
                ExprKind::Integer(bytes) => Some(bytes),
                _ => None,
            };
            (base, offset.zip(bytes).and_then(|(offset, bytes)| offset.checked_add(bytes)))
        }
        _ => (Base::Unknown, None),
    }
}

/// The variables that are needed at the start of each block.
fn live(body: &Body) -> Vec<BTreeSet<VariableId>> {
    let mut live = vec![BTreeSet::new(); body.blocks.len()];
    let order = body.reverse_post_order();
    loop {
        let mut is_changed = false;
        for block in order.iter().rev() {
            let content = &body.blocks[*block];
            let mut now: BTreeSet<VariableId> = content
                .terminator
                .successors()
                .flat_map(|successor| live[successor.index()].iter().copied())
                .collect();
            let need = |expression: ExprId, now: &mut BTreeSet<VariableId>| {
                body.for_each_variable(expression, &mut |variable| _ = now.insert(variable));
            };
            content.terminator.operand().into_iter().for_each(|operand| need(operand, &mut now));
            for statement in content.statements.iter().rev() {
                if let Some(target) = statement.kind.target() {
                    now.remove(&target);
                }
                statement.kind.visit_operands(|operand| need(operand, &mut now));
            }
            if now != live[block.index()] {
                live[block.index()] = now;
                is_changed = true;
            }
        }
        if !is_changed {
            return live;
        }
    }
}

/// A copy of a function.
#[derive(Clone, Copy)]
struct Place<'a> {
    frame: usize,
    body: &'a Body,
}

struct Walk<'a> {
    program: &'a Program,
    numeric: &'a Numeric,
    /// The bodies of the copies of functions, and the variables that are needed at the start of each block.
    bodies: Vec<&'a Body>,
    live: Vec<Vec<BTreeSet<VariableId>>>,
    next: i128,
    numbers: BTreeMap<Key, Pointer>,
    pointers: Vec<Key>,
    /// Where the result of each copy of a function goes.
    results: Vec<Option<Pointer>>,
    bound: BTreeMap<(usize, VariableId), (Home, i128)>,
}

impl<'a> Walk<'a> {
    /// Numbers the pointer variables.
    fn variables(&mut self) {
        let globals = self.program.globals.iter().enumerate();
        let globals = globals.filter(|(_, global)| global.variable.ty == Type::Pointer);
        let mut all: Vec<Key> = globals.map(|(at, _)| Key::Variable(None, VariableId::global(at))).collect();
        for (id, object) in self.program.objects.iter() {
            let holds = self.holds(object.size, &object.fields);
            all.extend(holds.into_iter().map(|offset| Key::Held((None, id.index()), offset)));
        }
        for (frame, body) in self.bodies.iter().enumerate() {
            let own = body.variables.iter().filter(|(_, variable)| variable.ty == Type::Pointer);
            all.extend(own.map(|(id, _)| Key::Variable(Some(frame), id)));
            for (id, object) in body.locals.iter() {
                let holds = self.holds(object.size.unwrap_or(0), &object.fields);
                all.extend(holds.into_iter().map(|offset| Key::Held((Some(frame), id.index()), offset)));
            }
        }
        self.numbers = all.iter().enumerate().map(|(at, key)| (*key, Pointer(at as u32))).collect();
        self.pointers = all;
    }

    /// Where small objects hold pointers.
    fn holds(&self, size: u64, fields: &[FieldName]) -> Vec<i128> {
        if fields.is_empty() && size == self.program.data_model.pointer_bytes() {
            return vec![0];
        }
        let pointers = fields.iter().filter(|field| field.ty == Type::Pointer);
        pointers.map(|field| i128::from(field.offset)).take(FIELDS).collect()
    }

    /// The object that an address is one of, and the offset if that is known.
    fn home(&self, at: Place<'_>, expression: ExprId) -> Option<(Home, Option<i128>)> {
        let (base, offset) = address(at.body, expression);
        match base {
            Base::Object(ObjectRef::Global(object)) => Some(((None, object.index()), offset)),
            Base::Object(ObjectRef::Local(object)) => Some(((Some(at.frame), object.index()), offset)),
            Base::Variable(variable) => {
                let (home, start) = self.bound.get(&(at.frame, variable))?;
                Some((*home, offset.and_then(|offset| start.checked_add(offset))))
            }
            Base::Unknown => None,
        }
    }

    /// Some bytes of an object become anything.
    fn overwritten(&self, home: Home, offset: Option<i128>, bytes: Option<i128>, actions: &mut Vec<Action>) {
        let width = i128::from(self.program.data_model.pointer_bytes());
        for (key, pointer) in &self.numbers {
            if let Key::Held(holder, at) = key
                && *holder == home
                && offset.is_none_or(|offset| {
                    *at + width > offset && bytes.is_none_or(|bytes| offset + bytes > *at)
                })
            {
                actions.push(Action::Assign(*pointer, Operand::Unknown));
            }
        }
    }

    /// The program's variables get their first values.
    fn initial(&self) -> Vec<Action> {
        let globals = self.program.globals.iter().enumerate();
        let null = globals.filter(|(_, global)| global.initial == Value::Null);
        null.filter_map(|(at, _)| self.pointer(0, VariableId::global(at)))
            .chain(self.numbers.iter().filter_map(|(key, pointer)| match key {
                Key::Held((None, object), _) if self.is_zero(*object) => Some(*pointer),
                _ => None,
            }))
            .map(|pointer| Action::Assign(pointer, Operand::Null))
            .collect()
    }

    fn is_zero(&self, object: usize) -> bool {
        let object = &self.program.objects[program::ObjectId::new(object)];
        matches!(&object.initial, program::Initial::Bytes { bytes, pointers }
            if pointers.is_empty() && bytes.iter().all(|byte| *byte == 0))
    }

    fn pointer(&self, frame: usize, variable: VariableId) -> Option<Pointer> {
        let frame = if variable.is_global() { None } else { Some(frame) };
        self.numbers.get(&Key::Variable(frame, variable)).copied()
    }

    fn operand(&self, at: Place<'_>, expression: ExprId) -> Operand {
        match at.body.expressions[expression].kind {
            ExprKind::Null => Operand::Null,
            ExprKind::Variable(variable) => {
                self.pointer(at.frame, variable).map_or(Operand::Unknown, Operand::Variable)
            }
            _ => Operand::Unknown,
        }
    }

    fn copy(&self, frame: usize) -> Place<'a> {
        Place { frame, body: self.bodies[frame] }
    }

    /// The call that leads into a copy of a function: where it stands, its result and its arguments.
    fn call_of(&self, callee: usize) -> Option<(Place<'a>, Option<VariableId>, &'a [ExprId])> {
        let code = self.numeric.call_of(callee)?;
        let at = self.copy(code.frame);
        match &at.body.blocks[code.block].statements.get(code.statements.end)?.kind {
            StatementKind::Call { target, arguments, .. } => Some((at, *target, arguments)),
            _ => None,
        }
    }

    /// Takes note of where the result of a copy of a function goes, and of parameters that point to one object.
    fn enter(&mut self, callee: usize) -> Option<()> {
        let (at, target, arguments) = self.call_of(callee)?;
        self.results[callee] = target.and_then(|target| self.pointer(at.frame, target));
        let body = self.bodies[callee];
        for (parameter, argument) in body.parameters.iter().zip(arguments) {
            if let Some((home, Some(offset))) = self.home(at, *argument)
                && is_constant(body, *parameter)
            {
                self.bound.insert((callee, *parameter), (home, offset));
            }
        }
        Some(())
    }

    fn edge(&self, edge: Edge) -> Vec<Action> {
        let code = &self.numeric.code[edge.index()];
        let at = self.copy(code.frame);
        let mut actions = Vec::new();
        for statement in &at.body.blocks[code.block].statements[code.statements.clone()] {
            self.statement(at, statement, &mut actions);
        }
        match code.end {
            End::Start => return self.initial(),
            End::Line => {}
            End::Call(callee) => self.parameters(callee, &mut actions),
            End::Branch(place) => {
                let successor = self.numeric.spots[self.numeric.graph.target(edge).index()].block;
                if let Terminator::Branch { condition, .. } = at.body.blocks[code.block].terminator {
                    actions.extend(self.condition(at, condition, place == 0));
                }
                let live = &self.live[at.frame][successor.index()];
                self.forget(at.frame, |variable| !live.contains(&variable), &mut actions);
            }
            End::Return => self.leave(at, code, &mut actions),
        }
        actions
    }

    /// The parameters of a copy of a function get their values.
    fn parameters(&self, callee: usize, actions: &mut Vec<Action>) {
        let Some((at, _, arguments)) = self.call_of(callee) else { return };
        for (parameter, argument) in self.bodies[callee].parameters.iter().zip(arguments) {
            if let Some(pointer) = self.pointer(callee, *parameter) {
                actions.push(Action::Assign(pointer, self.operand(at, *argument)));
            }
        }
    }

    fn statement(&self, at: Place<'_>, statement: &Statement, actions: &mut Vec<Action>) {
        let target = statement.kind.target().and_then(|target| self.pointer(at.frame, target));
        match &statement.kind {
            StatementKind::Assign { value, .. } => {
                if let Some(target) = target {
                    actions.push(Action::Assign(target, self.operand(at, *value)));
                }
            }
            StatementKind::Load { pointer, .. } => self.load(at, target, *pointer, actions),
            StatementKind::Store { pointer, value } => self.store(at, *pointer, *value, actions),
            StatementKind::Copy { destination, .. } | StatementKind::Fill { destination, .. }
                if let Some((home, _)) = self.home(at, *destination) =>
            {
                self.overwritten(home, None, None, actions);
            }
            StatementKind::Begin { object, .. }
            | StatementKind::End { object }
            | StatementKind::Forget { object } => {
                self.overwritten((Some(at.frame), object.index()), None, None, actions);
            }
            StatementKind::Copy { destination, .. } | StatementKind::Fill { destination, .. } => {
                match address(at.body, *destination).0 {
                    Base::Object(_) => {}
                    Base::Variable(variable) => actions.push(
                        self.pointer(at.frame, variable)
                            .map_or(Action::Havoc, |to| Action::Store(to, Operand::Unknown)),
                    ),
                    Base::Unknown => actions.push(Action::Havoc),
                }
            }
            StatementKind::Allocate { .. } => {
                if let Some(target) = target {
                    actions.push(Action::Allocate(target, Operand::Unknown));
                    actions.push(Action::Different(Operand::Variable(target), Operand::Null));
                }
            }
            StatementKind::Call { callee, arguments, .. } => {
                self.call(at, target, *callee, arguments, actions);
            }
            StatementKind::Assume { condition } => {
                actions.extend(self.condition(at, *condition, true));
            }
            other => {
                if matches!(other, StatementKind::Unknown { .. }) {
                    actions.push(Action::Havoc);
                }
                actions.extend(target.map(|target| Action::Assign(target, Operand::Unknown)));
            }
        }
    }

    fn load(&self, at: Place<'_>, target: Option<Pointer>, pointer: ExprId, actions: &mut Vec<Action>) {
        if let Some((home, offset)) = self.home(at, pointer) {
            let held = offset.and_then(|offset| self.numbers.get(&Key::Held(home, offset)));
            let value = held.map_or(Operand::Unknown, |held| Operand::Variable(*held));
            return actions.extend(target.map(|target| Action::Assign(target, value)));
        }
        let (base, offset) = address(at.body, pointer);
        let from = match base {
            Base::Variable(variable) => self.pointer(at.frame, variable),
            _ => None,
        };
        match (target, from) {
            (Some(target), Some(from)) if offset == Some(self.next) => {
                actions.push(Action::Load(target, from));
                return;
            }
            (_, Some(from)) => actions.push(Action::Different(Operand::Variable(from), Operand::Null)),
            _ => {}
        }
        actions.extend(target.map(|target| Action::Assign(target, Operand::Unknown)));
    }

    fn store(&self, at: Place<'_>, pointer: ExprId, value: ExprId, actions: &mut Vec<Action>) {
        let model = self.program.data_model;
        let ty = at.body.expressions[value].ty;
        let (size, width) = (i128::from(ty.bytes(model)), i128::from(Type::Pointer.bytes(model)));
        if let Some((home, offset)) = self.home(at, pointer) {
            let value = self.operand(at, value);
            self.overwritten(home, offset, Some(size), actions);
            if let Some(held) = offset.and_then(|offset| self.numbers.get(&Key::Held(home, offset)))
                && ty == Type::Pointer
            {
                actions.push(Action::Assign(*held, value));
            }
            return;
        }
        let (base, offset) = address(at.body, pointer);
        let variable = match base {
            Base::Object(_) => return,
            Base::Variable(variable) => self.pointer(at.frame, variable),
            Base::Unknown => None,
        };
        let Some(to) = variable else { return actions.push(Action::Havoc) };
        actions.push(match offset {
            Some(offset) if offset == self.next && ty == Type::Pointer => {
                Action::Store(to, self.operand(at, value))
            }
            Some(offset) if offset + size <= self.next || self.next + width <= offset => Action::Touch(to),
            _ => Action::Store(to, Operand::Unknown),
        });
    }

    fn call(
        &self,
        at: Place<'_>,
        target: Option<Pointer>,
        callee: Callee,
        arguments: &[ExprId],
        actions: &mut Vec<Action>,
    ) {
        let function = match callee {
            Callee::Function(function) => Some(&self.program.functions[function]),
            Callee::Pointer(_) => None,
        };
        let has_body = function.is_none_or(|function| function.body().is_some());
        let name = function.filter(|_| !has_body).map_or("", |function| function.name.as_str());
        match (name, target) {
            ("malloc", Some(target)) => return actions.push(Action::Allocate(target, Operand::Unknown)),
            ("calloc", Some(target)) => return actions.push(Action::Allocate(target, Operand::Null)),
            ("free", _) => {
                let freed = arguments.first().map_or(Operand::Unknown, |freed| self.operand(at, *freed));
                actions.push(Action::Free(freed));
            }
            _ => {
                let is_pointer = |argument: &ExprId| at.body.expressions[*argument].ty == Type::Pointer;
                if has_body || !effects_of(name).only_reads && arguments.iter().any(is_pointer) {
                    actions.push(Action::Havoc);
                    // A pointer can be one to a function that is called.
                    let globals =
                        self.numbers.iter().filter(|(key, _)| !matches!(key, Key::Variable(Some(_), _)));
                    actions.extend(globals.map(|(_, global)| Action::Assign(*global, Operand::Unknown)));
                }
            }
        }
        actions.extend(target.map(|target| Action::Assign(target, Operand::Unknown)));
    }

    /// That a condition holds, or that it does not: what it says of pointers.
    fn condition(&self, at: Place<'_>, condition: ExprId, holds: bool) -> Vec<Action> {
        match at.body.expressions[condition].kind {
            ExprKind::Unary(UnaryOp::Not, operand) => self.condition(at, operand, !holds),
            ExprKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right)
                if at.body.expressions[left].ty == Type::Pointer =>
            {
                let (left, right) = (self.operand(at, left), self.operand(at, right));
                let is_same = (op == BinaryOp::Equal) == holds;
                vec![if is_same { Action::Same(left, right) } else { Action::Different(left, right) }]
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right)
                if at.body.expressions[left].ty == Type::Bool =>
            {
                let mut one = self.condition(at, left, holds);
                let two = self.condition(at, right, holds);
                if (op == BinaryOp::And) == holds {
                    one.extend(two);
                    return one;
                }
                if one.is_empty() || two.is_empty() {
                    Vec::new()
                } else {
                    vec![Action::Either(vec![one, two])]
                }
            }
            ExprKind::Convert(operand)
                if at.body.expressions[operand].ty == Type::Pointer
                    && at.body.expressions[condition].ty == Type::Bool =>
            {
                let operand = self.operand(at, operand);
                let make = if holds { Action::Different } else { Action::Same };
                vec![make(operand, Operand::Null)]
            }
            _ => Vec::new(),
        }
    }

    /// Goes back to the caller.
    fn leave(&self, at: Place<'_>, code: &Code, actions: &mut Vec<Action>) {
        if let (Terminator::Return(value), Some(result)) =
            (&at.body.blocks[code.block].terminator, self.results[at.frame])
        {
            let value = value.map_or(Operand::Unknown, |value| self.operand(at, value));
            actions.push(Action::Assign(result, value));
        }
        let mut statements = at.body.blocks.iter().flat_map(|(_, block)| &block.statements);
        // What the function allocated for itself goes with it, and its addresses can come back.
        if statements.any(|statement| matches!(statement.kind, StatementKind::Allocate { .. })) {
            actions.push(Action::Havoc);
        }
        self.forget(at.frame, |_| true, actions);
        for object in 0..at.body.locals.len() {
            self.overwritten((Some(at.frame), object), None, None, actions);
        }
    }

    /// Forgets variables of a copy of a function.
    fn forget(&self, frame: usize, is_idle: impl Fn(VariableId) -> bool, actions: &mut Vec<Action>) {
        let idle = self.numbers.iter().filter(|(key, _)| match key {
            Key::Variable(of, variable) => *of == Some(frame) && is_idle(*variable),
            Key::Held(..) => false,
        });
        actions.extend(idle.map(|(_, pointer)| Action::Assign(*pointer, Operand::Unknown)));
    }
}
