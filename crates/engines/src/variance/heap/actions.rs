//! What the edges of a numeric program do to pointers and cells of lists.
//!
//! A cell is what `malloc` or `alloca` gives; its `next` is the pointer at one offset, the one that most pointers are loaded
//! from. The edges are those of [`Numeric`], which is walked once more in the order in which it was made. Pointers that
//! small objects hold are followed as long as the object is known by name, or by a parameter that always points to it. Other
//! pointers into objects and to other offsets are unknown, and a write through an unknown pointer makes all cells unknown.
//! Pointers that are not needed any more are forgotten, so that there are fewer shapes.

use std::collections::{BTreeMap, BTreeSet};

use base::{Index, Location};
use domains::order::{Edge, Node};
use domains::shape::{Action, Operand, Pointer};
use program::library::effects_of;
use program::{
    BinaryOp, BlockId, Body, Callee, ExprId, ExprKind, FieldName, FunctionId, ObjectRef, Program, Statement,
    StatementKind, Terminator, Type, UnaryOp, Value, VariableId,
};

use super::super::numeric::Numeric;

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
    /// Walks over a program. Nothing if it is not made as expected.
    pub fn of(program: &Program, numeric: &Numeric, line: Option<u32>) -> Option<Self> {
        let mut walk = Walk {
            program,
            numeric,
            line,
            next: next_offset(program, numeric)?,
            numbers: BTreeMap::new(),
            pointers: Vec::new(),
            results: vec![None; numeric.frames.len()],
            bound: BTreeMap::new(),
            edges: vec![None; numeric.commands.len()],
        };
        walk.variables();
        let first = *numeric.graph.outgoing(Node::new(0)).first()?;
        walk.edges[first.index()] = Some(walk.initial());
        for frame in 0..numeric.frames.len() {
            let body = program.functions[numeric.frames[frame].function].body()?;
            let live = live(body);
            for block in body.reverse_post_order() {
                walk.block(frame, body, &live, block)?;
            }
        }
        let edges = walk.edges.into_iter().collect::<Option<_>>()?;
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
                    Base::Object => true,
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
    Object,
    Unknown,
}

/// An address as a base and an offset, if that is known.
fn address(body: &Body, expression: ExprId) -> (Base, Option<i128>) {
    match body.expressions[expression].kind {
        ExprKind::Variable(variable) => (Base::Variable(variable), Some(0)),
        ExprKind::Object(_) => (Base::Object, Some(0)),
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

struct Walk<'a> {
    program: &'a Program,
    numeric: &'a Numeric,
    line: Option<u32>,
    next: i128,
    numbers: BTreeMap<Key, Pointer>,
    pointers: Vec<Key>,
    /// Where the result of each copy of a function goes.
    results: Vec<Option<Pointer>>,
    bound: BTreeMap<(usize, VariableId), (Home, i128)>,
    edges: Vec<Option<Vec<Action>>>,
}

impl Walk<'_> {
    /// Numbers the pointer variables.
    fn variables(&mut self) {
        let globals = self.program.globals.iter().enumerate();
        let globals = globals.filter(|(_, global)| global.variable.ty == Type::Pointer);
        let mut all: Vec<Key> = globals.map(|(at, _)| Key::Variable(None, VariableId::global(at))).collect();
        for (id, object) in self.program.objects.iter() {
            let holds = self.holds(object.size, &object.fields);
            all.extend(holds.into_iter().map(|offset| Key::Held((None, id.index()), offset)));
        }
        for (frame, copy) in self.numeric.frames.iter().enumerate() {
            let Some(body) = self.program.functions[copy.function].body() else { continue };
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
    fn place(&self, frame: usize, body: &Body, expression: ExprId) -> Option<(Home, Option<i128>)> {
        match body.expressions[expression].kind {
            ExprKind::Object(ObjectRef::Global(object)) => Some(((None, object.index()), Some(0))),
            ExprKind::Object(ObjectRef::Local(object)) => Some(((Some(frame), object.index()), Some(0))),
            ExprKind::Variable(variable) => {
                self.bound.get(&(frame, variable)).map(|(home, offset)| (*home, Some(*offset)))
            }
            ExprKind::Offset(base, bytes) => {
                let (home, offset) = self.place(frame, body, base)?;
                let bytes = match body.expressions[bytes].kind {
                    ExprKind::Integer(bytes) => Some(bytes),
                    _ => None,
                };
                Some((home, offset.zip(bytes).and_then(|(offset, bytes)| offset.checked_add(bytes))))
            }
            _ => None,
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

    fn operand(&self, frame: usize, body: &Body, expression: ExprId) -> Operand {
        match body.expressions[expression].kind {
            ExprKind::Null => Operand::Null,
            ExprKind::Variable(variable) => {
                self.pointer(frame, variable).map_or(Operand::Unknown, Operand::Variable)
            }
            _ => Operand::Unknown,
        }
    }

    fn put(&mut self, edge: Edge, actions: Vec<Action>) {
        self.edges[edge.index()] = Some(actions);
    }

    fn block(
        &mut self,
        frame: usize,
        body: &Body,
        live: &[BTreeSet<VariableId>],
        block: BlockId,
    ) -> Option<()> {
        let mut node = self.numeric.node_of(frame, block)?;
        let content = &body.blocks[block];
        let (mut actions, mut last) = (Vec::new(), None);
        for statement in &content.statements {
            node = self.split(node, frame, &mut last, statement.location, &mut actions)?;
            if let StatementKind::Call { target, callee: Callee::Function(callee), arguments } =
                &statement.kind
                && let Some((edge, after)) = self.entered(node, (frame, block), *callee, statement.location)
            {
                let entry = self.numeric.graph.target(edge);
                let copy = self.numeric.spots[entry.index()].frame;
                let parameters = self.program.functions[*callee].body()?.parameters.clone();
                for (parameter, argument) in parameters.into_iter().zip(arguments) {
                    if let Some((home, Some(offset))) = self.place(frame, body, *argument)
                        && is_constant(self.program.functions[*callee].body()?, parameter)
                    {
                        self.bound.insert((copy, parameter), (home, offset));
                    }
                    if let Some(pointer) = self.pointer(copy, parameter) {
                        actions.push(Action::Assign(pointer, self.operand(frame, body, *argument)));
                    }
                }
                self.put(edge, std::mem::take(&mut actions));
                self.results[copy] = target.and_then(|target| self.pointer(frame, target));
                node = after;
            } else {
                self.statement(frame, body, statement, &mut actions);
            }
        }
        node = self.split(node, frame, &mut last, content.location, &mut actions)?;
        self.terminator(frame, body, live, &content.terminator, node, actions)
    }

    /// Goes to the next node where the code of the wanted line starts.
    fn split(
        &mut self,
        node: Node,
        frame: usize,
        last: &mut Option<Option<u32>>,
        location: Location,
        actions: &mut Vec<Action>,
    ) -> Option<Node> {
        let is_wanted = self.line == Some(location.line);
        let is_new = last.is_some_and(|last| last != self.line);
        *last = Some(Some(location.line));
        if !(is_wanted && is_new) {
            return Some(node);
        }
        let edge = *self.numeric.graph.outgoing(node).first()?;
        let next = self.numeric.graph.target(edge);
        let spot = self.numeric.spots[next.index()];
        if spot.is_start || spot.frame != frame || spot.location != location {
            return None;
        }
        self.put(edge, std::mem::take(actions));
        Some(next)
    }

    /// The edge into the copy of a function that a call leads to, and the node after the call.
    fn entered(
        &self,
        node: Node,
        (frame, block): (usize, BlockId),
        callee: FunctionId,
        location: Location,
    ) -> Option<(Edge, Node)> {
        let [edge] = self.numeric.graph.outgoing(node) else { return None };
        let entry = self.numeric.graph.target(*edge);
        let copy = &self.numeric.frames[self.numeric.spots[entry.index()].frame];
        let is_called = copy.function == callee && copy.caller == Some((frame, block));
        let [.., (_, from), _] = copy.stack[..] else { return None };
        // The node after a call is made just before those of the copy.
        let after = Node::new(entry.index().checked_sub(1)?);
        let spot = self.numeric.spots[after.index()];
        let is_after = spot.frame == frame && spot.block == block && spot.location == location;
        (is_called && from == location && is_after).then_some((*edge, after))
    }

    fn statement(&self, frame: usize, body: &Body, statement: &Statement, actions: &mut Vec<Action>) {
        let target = statement.kind.target().and_then(|target| self.pointer(frame, target));
        match &statement.kind {
            StatementKind::Assign { value, .. } => {
                if let Some(target) = target {
                    actions.push(Action::Assign(target, self.operand(frame, body, *value)));
                }
            }
            StatementKind::Load { pointer, .. } => self.load(frame, body, target, *pointer, actions),
            StatementKind::Store { pointer, value } => self.store(frame, body, *pointer, *value, actions),
            StatementKind::Copy { destination, .. } | StatementKind::Fill { destination, .. }
                if let Some((home, _)) = self.place(frame, body, *destination) =>
            {
                self.overwritten(home, None, None, actions);
            }
            StatementKind::Begin { object, .. }
            | StatementKind::End { object }
            | StatementKind::Forget { object } => {
                self.overwritten((Some(frame), object.index()), None, None, actions);
            }
            StatementKind::Copy { destination, .. } | StatementKind::Fill { destination, .. } => {
                match address(body, *destination).0 {
                    Base::Object => {}
                    Base::Variable(variable) => actions.push(
                        self.pointer(frame, variable)
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
                self.call(frame, body, target, *callee, arguments, actions);
            }
            StatementKind::Assume { condition } => {
                actions.extend(self.condition(frame, body, *condition, true));
            }
            other => {
                if matches!(other, StatementKind::Unknown { .. }) {
                    actions.push(Action::Havoc);
                }
                actions.extend(target.map(|target| Action::Assign(target, Operand::Unknown)));
            }
        }
    }

    fn load(
        &self,
        frame: usize,
        body: &Body,
        target: Option<Pointer>,
        pointer: ExprId,
        actions: &mut Vec<Action>,
    ) {
        if let Some((home, offset)) = self.place(frame, body, pointer) {
            let held = offset.and_then(|offset| self.numbers.get(&Key::Held(home, offset)));
            let value = held.map_or(Operand::Unknown, |held| Operand::Variable(*held));
            return actions.extend(target.map(|target| Action::Assign(target, value)));
        }
        let (base, offset) = address(body, pointer);
        let from = match base {
            Base::Variable(variable) => self.pointer(frame, variable),
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

    fn store(&self, frame: usize, body: &Body, pointer: ExprId, value: ExprId, actions: &mut Vec<Action>) {
        let model = self.program.data_model;
        let ty = body.expressions[value].ty;
        let (size, width) = (i128::from(ty.bytes(model)), i128::from(Type::Pointer.bytes(model)));
        if let Some((home, offset)) = self.place(frame, body, pointer) {
            let value = self.operand(frame, body, value);
            self.overwritten(home, offset, Some(size), actions);
            if let Some(held) = offset.and_then(|offset| self.numbers.get(&Key::Held(home, offset)))
                && ty == Type::Pointer
            {
                actions.push(Action::Assign(*held, value));
            }
            return;
        }
        let (base, offset) = address(body, pointer);
        let variable = match base {
            Base::Object => return,
            Base::Variable(variable) => self.pointer(frame, variable),
            Base::Unknown => None,
        };
        let Some(to) = variable else { return actions.push(Action::Havoc) };
        actions.push(match offset {
            Some(offset) if offset == self.next && ty == Type::Pointer => {
                Action::Store(to, self.operand(frame, body, value))
            }
            Some(offset) if offset + size <= self.next || self.next + width <= offset => Action::Touch(to),
            _ => Action::Store(to, Operand::Unknown),
        });
    }

    fn call(
        &self,
        frame: usize,
        body: &Body,
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
                let freed =
                    arguments.first().map_or(Operand::Unknown, |freed| self.operand(frame, body, *freed));
                actions.push(Action::Free(freed));
            }
            _ => {
                let is_pointer = |argument: &ExprId| body.expressions[*argument].ty == Type::Pointer;
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
    fn condition(&self, frame: usize, body: &Body, condition: ExprId, holds: bool) -> Vec<Action> {
        match body.expressions[condition].kind {
            ExprKind::Unary(UnaryOp::Not, operand) => self.condition(frame, body, operand, !holds),
            ExprKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right)
                if body.expressions[left].ty == Type::Pointer =>
            {
                let (left, right) = (self.operand(frame, body, left), self.operand(frame, body, right));
                let is_same = (op == BinaryOp::Equal) == holds;
                vec![if is_same { Action::Same(left, right) } else { Action::Different(left, right) }]
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right)
                if body.expressions[left].ty == Type::Bool =>
            {
                let mut one = self.condition(frame, body, left, holds);
                let two = self.condition(frame, body, right, holds);
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
                if body.expressions[operand].ty == Type::Pointer
                    && body.expressions[condition].ty == Type::Bool =>
            {
                let operand = self.operand(frame, body, operand);
                let make = if holds { Action::Different } else { Action::Same };
                vec![make(operand, Operand::Null)]
            }
            _ => Vec::new(),
        }
    }

    fn terminator(
        &mut self,
        frame: usize,
        body: &Body,
        live: &[BTreeSet<VariableId>],
        terminator: &Terminator,
        node: Node,
        actions: Vec<Action>,
    ) -> Option<()> {
        let edges = self.numeric.graph.outgoing(node).to_vec();
        if let Terminator::Return(value) = terminator {
            let Some(edge) = edges.first() else { return Some(()) };
            let mut actions = actions;
            if let Some(result) = self.results[frame] {
                let value = value.map_or(Operand::Unknown, |value| self.operand(frame, body, value));
                actions.push(Action::Assign(result, value));
            }
            let mut statements = body.blocks.iter().flat_map(|(_, block)| &block.statements);
            // What the function allocated for itself goes with it, and its addresses can come back.
            if statements.any(|statement| matches!(statement.kind, StatementKind::Allocate { .. })) {
                actions.push(Action::Havoc);
            }
            self.forget(frame, |_| true, &mut actions);
            for object in 0..body.locals.len() {
                self.overwritten((Some(frame), object), None, None, &mut actions);
            }
            self.put(*edge, actions);
            return Some(());
        }
        let successors: Vec<BlockId> = match terminator {
            Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Terminator::Goto(target) => vec![*target],
            Terminator::Switch { cases, default, .. } => {
                cases.iter().map(|case| case.target).chain([*default]).collect()
            }
            _ => Vec::new(),
        };
        if edges.len() != successors.len() {
            return None;
        }
        for (at, (edge, successor)) in edges.into_iter().zip(successors).enumerate() {
            let to = self.numeric.spots[self.numeric.graph.target(edge).index()];
            if to.frame != frame || to.block != successor {
                return None;
            }
            let mut actions = actions.clone();
            if let Terminator::Branch { condition, .. } = terminator {
                actions.extend(self.condition(frame, body, *condition, at == 0));
            }
            self.forget(frame, |variable| !live[successor.index()].contains(&variable), &mut actions);
            self.put(edge, actions);
        }
        Some(())
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
