//! How a program uses its objects: which accesses name them directly, and which objects' addresses go elsewhere.

use base::Index;

use super::Nodes;
use crate::expression::{ExprId, ExprKind, ObjectRef};
use crate::function::Body;
use crate::passes::expressions::close_over_operands;
use crate::program::{FunctionId, Initial, Pointer, Program, Value};
use crate::statement::{Check, StatementKind};
use crate::types::Type;

/// A range of bytes of an object. It may lie outside of the object.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub node: usize,
    pub offset: i128,
    pub size: i128,
}

/// What a program does with its objects.
#[derive(Default)]
pub struct Uses {
    /// Whether the address is used in another way than the ones below, by object.
    pub escapes: Vec<bool>,
    /// Reads and writes of one value.
    pub accesses: Vec<(usize, i128, Type)>,
    /// Ranges that are asked whether they are initialised.
    pub asked: Vec<Range>,
    /// Ranges that are set to zero.
    pub cleared: Vec<Range>,
    /// Ranges that are asked whether they can be written.
    pub writable: Vec<Range>,
    /// Copies from one object into another: destination, and source of the same size.
    pub copies: Vec<(Range, Range)>,
}

/// The object and the offset that a pointer always has, if it is that simple.
pub fn direct(body: &Body, mut pointer: ExprId) -> Option<(ObjectRef, i128)> {
    let mut offset = 0i128;
    loop {
        match body.expressions[pointer].kind {
            ExprKind::Object(object) => return Some((object, offset)),
            ExprKind::Offset(base, by) => {
                offset = offset.checked_add(body.constant(by)?)?;
                pointer = base;
            }
            _ => return None,
        }
    }
}

/// A number of bytes that is known here, or else zero.
pub fn known_size(body: &Body, size: ExprId) -> u64 {
    body.constant(size).and_then(|size| u64::try_from(size).ok()).unwrap_or(0)
}

/// Collects the uses of all objects.
pub fn scan(program: &Program, nodes: &Nodes) -> Uses {
    let mut uses = Uses { escapes: vec![false; nodes.count], ..Uses::default() };
    for (function, definition) in program.functions.iter() {
        if let Some(body) = definition.body() {
            BodyScan { program, nodes, function, body, escaping: vec![false; body.expressions.len()] }
                .run(&mut uses);
        }
    }
    let in_objects = program.objects.values().flat_map(|object| match &object.initial {
        Initial::Bytes { pointers, .. } => pointers.as_slice(),
        Initial::Unknown => &[],
    });
    let in_globals = program.globals.iter().filter_map(|global| match global.initial {
        Value::Pointer(pointer) => Some(pointer),
        _ => None,
    });
    for pointer in in_objects.map(|&(_, pointer)| pointer).chain(in_globals) {
        if let Pointer::Object(object, _) = pointer {
            uses.escapes[object.index()] = true;
        }
    }
    uses
}

struct BodyScan<'a> {
    program: &'a Program,
    nodes: &'a Nodes,
    function: FunctionId,
    body: &'a Body,
    /// Expressions that are evaluated for their value, by number.
    escaping: Vec<bool>,
}

impl BodyScan<'_> {
    fn run(mut self, uses: &mut Uses) {
        for block in self.body.blocks.values() {
            for statement in &block.statements {
                self.statement(&statement.kind, uses);
            }
            block.terminator.operand().into_iter().for_each(|operand| self.escape(operand));
        }
        close_over_operands(self.body, &mut self.escaping);
        for (id, expr) in self.body.expressions.iter() {
            if let ExprKind::Object(object) = expr.kind {
                uses.escapes[self.nodes.number(self.function, object)] |= self.escaping[id.index()];
            }
        }
    }

    fn statement(&mut self, kind: &StatementKind, uses: &mut Uses) {
        match *kind {
            StatementKind::Load { target, pointer, .. } => {
                self.access(pointer, self.program.variable(self.body, target).ty, uses);
            }
            StatementKind::Store { pointer, value } => {
                self.access(pointer, self.body.type_of(value), uses);
                self.escape(value);
            }
            StatementKind::Check(Check::Readable { pointer, size }) => match self.range(pointer, size) {
                Some(range) => uses.asked.push(range),
                None => self.escape(pointer),
            },
            StatementKind::Check(Check::Writable { pointer, size } | Check::Accessible { pointer, size }) => {
                match self.range(pointer, size) {
                    Some(range) => uses.writable.push(range),
                    None => self.escape(pointer),
                }
            }
            StatementKind::Fill { destination, byte, size } => match self.range(destination, size) {
                Some(range) if self.body.constant(byte) == Some(0) => uses.cleared.push(range),
                _ => self.escape(destination),
            },
            StatementKind::Copy { destination, source, size } => {
                match (self.range(destination, size), self.range(source, size)) {
                    (Some(to), Some(from)) if to.node != from.node => uses.copies.push((to, from)),
                    _ => [destination, source].into_iter().for_each(|pointer| self.escape(pointer)),
                }
            }
            _ => kind.visit_operands(|operand| self.escape(operand)),
        }
    }

    fn escape(&mut self, expression: ExprId) {
        self.escaping[expression.index()] = true;
    }

    fn access(&mut self, pointer: ExprId, ty: Type, uses: &mut Uses) {
        match direct(self.body, pointer) {
            // A run is to see that a value is read as one of another type.
            Some((ObjectRef::Global(object), offset))
                if !self.program.objects[object].may_be_read_as(offset, ty) =>
            {
                self.escape(pointer);
            }
            Some((object, offset)) => {
                uses.accesses.push((self.nodes.number(self.function, object), offset, ty))
            }
            None => self.escape(pointer),
        }
    }

    fn range(&self, pointer: ExprId, size: ExprId) -> Option<Range> {
        let (object, offset) = direct(self.body, pointer)?;
        let size = self.body.constant(size)?;
        Some(Range { node: self.nodes.number(self.function, object), offset, size })
    }
}
