//! Statements as changes of a state.

use std::rc::Rc;

use base::Stop;
use logic::Term;
use program::{
    Body, Check, ExprKind, FunctionId, Obligation, Origin, OverflowOp, Statement, StatementKind, UnaryOp,
    VariableId,
};

use crate::access::{Access, Target};
use crate::encoder::{Encoder, Event, Incompleteness};
use crate::memory::{Contents, Kind, Start};
use crate::state::State;
use crate::value::{OFFSET_WIDTH, Pointer, Value, known};

impl<'p> Encoder<'p> {
    /// What a statement of a function makes of a state.
    pub(crate) fn statement(
        &mut self,
        function: FunctionId,
        body: &'p Body,
        state: &mut State,
        statement: &'p Statement,
    ) -> Result<(), Stop> {
        self.step()?;
        self.come_to(statement.location);
        match &statement.kind {
            StatementKind::Assign { target, value } => {
                let is_moved = matches!(body.expressions[*value].kind, ExprKind::Offset(..));
                let is_kept = self.program.variable(body, *target).origin != Origin::Temporary;
                let value = self.expression(body, state, *value);
                if self.options.kept_pointers && is_moved && is_kept {
                    self.keep(state, value);
                }
                self.assign(body, state, *target, value);
            }
            StatementKind::Load { target, pointer, .. } => {
                let pointer = self.pointer(body, state, *pointer);
                let ty = self.program.variable(body, *target).ty;
                self.ensure_access(state, pointer, ty, Access::Touch);
                let value = self.load(state, pointer, ty);
                self.assign(body, state, *target, value);
            }
            StatementKind::Store { pointer, value } => {
                let ty = body.expressions[*value].ty;
                let pointer = self.pointer(body, state, *pointer);
                let value = self.expression(body, state, *value);
                self.ensure_access(state, pointer, ty, Access::Write);
                self.store(state, pointer, value, ty);
            }
            StatementKind::Copy { destination, source, size } => {
                let [destination, source] = [destination, source].map(|it| self.pointer(body, state, *it));
                let size = self.size(body, state, *size);
                self.copy(state, destination, source, size);
            }
            StatementKind::Fill { destination, byte, size } => {
                let destination = self.pointer(body, state, *destination);
                let byte = self.scalar(body, state, *byte);
                let size = self.size(body, state, *size);
                self.fill(state, destination, byte, size);
            }
            StatementKind::Begin { .. }
            | StatementKind::Forget { .. }
            | StatementKind::End { .. }
            | StatementKind::Allocate { .. } => self.lifetime(function, body, state, statement),
            StatementKind::Call { target, callee, arguments } => {
                self.call(body, state, *target, *callee, arguments)?;
                // What was there before the call may be gone.
                self.checked.clear();
            }
            StatementKind::Variadic { .. } => {
                self.give_up(state, Incompleteness::Unsupported("variable argument lists".into()));
            }
            StatementKind::Input { target, name } => {
                let ty = self.program.variable(body, *target).ty;
                let value = self.input(state, name, ty, statement.location);
                self.assign(body, state, *target, value);
            }
            StatementKind::Volatile { target, value } => {
                // What is read is evaluated for what it notes of the state; its value is not used.
                self.expression(body, state, *value);
                let variable = self.program.variable(body, *target);
                let value = self.arbitrary(&variable.name, variable.ty);
                self.assign(body, state, *target, value);
            }
            StatementKind::Assume { condition } => {
                let condition = self.scalar(body, state, *condition);
                state.assume(&mut self.terms, condition);
            }
            StatementKind::Check(check) => self.check(body, state, check),
            StatementKind::Unknown { what, .. } => {
                self.give_up(state, Incompleteness::Unsupported(what.clone()));
            }
            StatementKind::Mark(mark) => self.come_by(state, *mark),
        }
        Ok(())
    }

    /// What the beginning or the end of an object's life makes of a state.
    fn lifetime(&mut self, function: FunctionId, body: &Body, state: &mut State, statement: &Statement) {
        match &statement.kind {
            StatementKind::Begin { object, size } => {
                let local = &body.locals[*object];
                let size = match (size, local.size) {
                    (Some(size), _) => self.size(body, state, *size),
                    (None, Some(size)) => self.terms.bits(OFFSET_WIDTH, size.into()),
                    (None, None) => self.terms.bits(OFFSET_WIDTH, 0),
                };
                let kind = Kind::Local(function, *object);
                self.end_object(state, state.objects[base::Index::index(*object)]);
                let number = self.create(state, kind, &local.name, size, local.alignment, Start::Unwritten);
                let number = self.number_term(number);
                state.set_object(*object, number);
            }
            StatementKind::Forget { object } => {
                self.forget_object(state, state.objects[base::Index::index(*object)]);
            }
            StatementKind::End { object } => {
                self.checked.clear();
                self.end_object(state, state.objects[base::Index::index(*object)]);
            }
            StatementKind::Allocate { target, size } => {
                let size = self.size(body, state, *size);
                let number = self.create(
                    state,
                    Kind::Alloca(statement.location),
                    "alloca",
                    size,
                    16,
                    Start::Unwritten,
                );
                let value = Value::Pointer(Pointer::to(&mut self.terms, number, 0));
                self.assign(body, state, *target, value);
            }
            _ => {}
        }
    }

    /// Requires that a pointer is in its object, or just behind it.
    fn keep(&mut self, state: &mut State, value: Value) {
        let Value::Pointer(pointer) = value else { return };
        let none = self.number_term(0);
        let mut inside = vec![self.terms.equal(pointer.object, none)];
        for Target { number, here, offset } in self.targets(state, pointer) {
            let size = self.objects[number as usize].size;
            let zero = self.terms.bits(OFFSET_WIDTH, 0);
            let fits = self.fits(offset, zero, size);
            inside.push(self.terms.and(here, fits));
        }
        let inside = self.terms.any(&inside);
        self.check_condition(state, Obligation::OutOfBounds, inside);
    }

    pub(crate) fn assign(&mut self, body: &Body, state: &mut State, target: VariableId, value: Value) {
        state.set_variable(target, value);
        if self.options.trace
            && self.program.variable(body, target).origin != Origin::Temporary
            && let Some(&(function, location)) = self.stack.last()
        {
            let happens = state.guard.term();
            self.findings.events.push(Event { happens, function, variable: target, value, location });
        }
    }

    fn check(&mut self, body: &Body, state: &mut State, check: &Check) {
        match *check {
            Check::Holds { obligation, condition, ref note } => {
                self.note = note.as_deref().map(Rc::from);
                let bits_lost = is_lost_bits(body, condition);
                self.operation = self.overflowing(body, state, condition);
                let condition = self.scalar(body, state, condition);
                if obligation == Obligation::Shift && bits_lost && !self.options.checks.contains(obligation) {
                    // A left shift that loses bits has a value, as an overflow has: it matters where overflows do.
                    let overflow = Obligation::SignedOverflow;
                    if self.options.checks.contains(overflow) || self.options.needed.contains(overflow) {
                        self.require(state, obligation, condition);
                    }
                } else {
                    self.check_condition(state, obligation, condition);
                }
                (self.operation, self.note) = (None, None);
            }
            Check::Readable { pointer, size }
            | Check::Writable { pointer, size }
            | Check::Accessible { pointer, size } => {
                let access = match check {
                    Check::Readable { .. } => Access::Read,
                    Check::Writable { .. } => Access::Write,
                    _ => Access::Touch,
                };
                let pointer = self.pointer(body, state, pointer);
                let size = self.size(body, state, size);
                self.require_access(state, pointer, size, access);
            }
            Check::Defined { variable } => {
                if self.options.checks.contains(Obligation::Uninitialised) {
                    let value = state.variable(variable);
                    let defined = match value {
                        Value::Unset => self.terms.bool(false),
                        _ if self.is_surely_written(value) => self.terms.bool(true),
                        _ => self.terms.fresh("defined", logic::Sort::Bool),
                    };
                    self.check_condition(state, Obligation::Uninitialised, defined);
                }
            }
            Check::Terminated { pointer } => {
                let pointer = self.pointer(body, state, pointer);
                let terminated = self.is_terminated(state, pointer);
                self.require_termination(state, terminated);
            }
            Check::Freeable { pointer } => {
                let pointer = self.pointer(body, state, pointer);
                let freeable = self.is_freeable(state, pointer);
                self.check_condition(state, Obligation::InvalidFree, freeable);
            }
        }
    }

    /// The operation that a condition says does not overflow, for abstract counterexamples.
    fn overflowing(
        &mut self,
        body: &Body,
        state: &mut State,
        condition: program::ExprId,
    ) -> Option<(OverflowOp, program::Type, [Value; 2])> {
        let ExprKind::Unary(UnaryOp::Not, inner) = body.expressions[condition].kind else { return None };
        let ExprKind::Overflows(op, left, right) = body.expressions[inner].kind else { return None };
        if !self.options.trace {
            return None;
        }
        let ty = body.expressions[left].ty;
        let (left, right) = (self.expression(body, state, left), self.expression(body, state, right));
        Some((op, ty, [left, right]))
    }

    /// Whether a pointer is null or the start of a live heap object.
    pub(crate) fn is_freeable(&mut self, state: &State, pointer: Pointer) -> Term {
        let mut conditions = vec![pointer.is_null(&mut self.terms)];
        let zero = self.terms.bits(OFFSET_WIDTH, 0);
        for Target { number, here, offset } in self.targets(state, pointer) {
            let start = self.terms.equal(offset, zero);
            if matches!(self.objects[number as usize].kind, Kind::Heap(_))
                && let Some(contents) = state.contents(number)
            {
                let alive = contents.alive;
                conditions.push(self.terms.all(&[here, alive, start]));
            }
        }
        self.terms.any(&conditions)
    }

    /// What the object with this number holds becomes uninitialised, whichever it is.
    fn forget_object(&mut self, state: &mut State, object: Term) {
        let track = self.options.checks.contains(Obligation::Uninitialised);
        for number in self.candidates(object) {
            let Some(contents) = state.contents_mut(number) else { continue };
            let description = &self.objects[number as usize];
            let known = known(&self.terms, description.size);
            let fresh = Contents::new(&mut self.terms, description, known, Start::Unwritten, track);
            // An object that is perhaps another one forgets too: that allows more, never less.
            *contents = Contents { alive: contents.alive, ..fresh };
        }
    }

    /// Ends the life of the object with this number, whichever it is.
    pub(crate) fn end_object(&mut self, state: &mut State, object: Term) {
        for number in self.candidates(object) {
            let Some(contents) = state.contents(number) else { continue };
            let term = self.number_term(number);
            let other = self.terms.differ(object, term);
            let alive = self.terms.and(contents.alive, other);
            if self.terms.is_false(alive) {
                // Nobody can look into it any more.
                Rc::make_mut(&mut state.memory)[number as usize] = None;
            } else if let Some(contents) = state.contents_mut(number) {
                contents.alive = alive;
            }
        }
    }
}

/// Whether a condition says that a left shift loses no bits.
pub fn is_lost_bits(body: &Body, condition: program::ExprId) -> bool {
    match body.expressions[condition].kind {
        ExprKind::Unary(UnaryOp::Not, inner) => {
            matches!(body.expressions[inner].kind, ExprKind::Overflows(OverflowOp::ShiftLeft, ..))
        }
        _ => false,
    }
}
