//! Statements as changes of a state.

use base::{Location, Stop};
use logic::{Binary, Term};
use program::{
    Body, Check, ExprKind, FunctionId, Obligation, Origin, OverflowOp, Statement, StatementKind, Type,
    UnaryOp, VariableId,
};

use crate::access::{Access, Target};
use crate::encoder::{Encoder, Event, LooseEnd};
use crate::memory::{Contents, Kind, Range, Start};
use crate::state::State;
use crate::value::{OFFSET_WIDTH, Pointer, Value};

/// Ranges of up to this many bytes are copied and filled cell by cell.
const LONG: u64 = 4096;

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
        let location = statement.location;
        match &statement.kind {
            StatementKind::Assign { target, value } => {
                let value = self.expression(body, state, *value);
                self.assign(function, body, state, *target, value, location);
            }
            StatementKind::Load { target, pointer } => {
                let pointer = self.pointer(body, state, *pointer);
                let ty = self.program.variable(body, *target).ty;
                self.ensure_access(state, pointer, ty, Access::Touch, location);
                let value = self.load(state, pointer, ty);
                self.assign(function, body, state, *target, value, location);
            }
            StatementKind::Store { pointer, value } => {
                let ty = body.expressions[*value].ty;
                let pointer = self.pointer(body, state, *pointer);
                let value = self.expression(body, state, *value);
                self.ensure_access(state, pointer, ty, Access::Write, location);
                self.store(state, pointer, value, ty, location);
            }
            StatementKind::Copy { destination, source, size } => {
                let destination = self.pointer(body, state, *destination);
                let source = self.pointer(body, state, *source);
                let size = self.size(body, state, *size);
                self.copy(state, destination, source, size);
            }
            StatementKind::Fill { destination, byte, size } => {
                let destination = self.pointer(body, state, *destination);
                let byte = self.scalar(body, state, *byte);
                let size = self.size(body, state, *size);
                self.fill(state, destination, byte, size);
            }
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
            StatementKind::End { object } => {
                self.checked.clear();
                self.end_object(state, state.objects[base::Index::index(*object)]);
            }
            StatementKind::Allocate { target, size } => {
                let size = self.size(body, state, *size);
                let number = self.create(state, Kind::Alloca(location), "alloca", size, 16, Start::Unwritten);
                let value = Value::Pointer(Pointer::to(&mut self.terms, number, 0));
                self.assign(function, body, state, *target, value, location);
            }
            StatementKind::Call { target, callee, arguments } => {
                self.call(function, body, state, *target, *callee, arguments, location)?;
                // What was there before the call may be gone.
                self.checked.clear();
            }
            StatementKind::Variadic { .. } => {
                let what = String::from("variable argument lists");
                self.give_up(state, LooseEnd::Unsupported(what), location);
            }
            StatementKind::Input { target, name } => {
                let ty = self.program.variable(body, *target).ty;
                let value = self.input(state, name, ty, location);
                self.assign(function, body, state, *target, value, location);
            }
            StatementKind::Assume { condition } => {
                let condition = self.scalar(body, state, *condition);
                state.assume(&mut self.terms, condition);
            }
            StatementKind::Check(check) => self.check(body, state, check, location),
            StatementKind::Unknown { what, .. } => {
                self.give_up(state, LooseEnd::Unsupported(what.clone()), location);
            }
        }
        Ok(())
    }

    pub(crate) fn assign(
        &mut self,
        function: FunctionId,
        body: &Body,
        state: &mut State,
        target: VariableId,
        value: Value,
        location: Location,
    ) {
        state.set_variable(target, value);
        if self.options.trace && self.program.variable(body, target).origin != Origin::Temporary {
            let happens = state.guard.term();
            self.findings.events.push(Event { happens, function, variable: target, value, location });
        }
    }

    fn check(&mut self, body: &Body, state: &mut State, check: &Check, location: Location) {
        match *check {
            Check::Holds { obligation, condition, .. } => {
                let bits_lost = is_lost_bits(body, condition);
                let condition = self.scalar(body, state, condition);
                if obligation == Obligation::Shift && bits_lost && !self.options.checks.contains(obligation) {
                    // A left shift that loses bits has a value, as an overflow has: it matters where overflows do.
                    let overflow = Obligation::SignedOverflow;
                    if self.options.checks.contains(overflow) || self.options.needed.contains(overflow) {
                        self.require(state, obligation, condition, location);
                    }
                } else {
                    self.demand(state, obligation, condition, location);
                }
            }
            Check::Readable { pointer, size } => {
                self.check_access(body, state, pointer, size, Access::Read, location);
            }
            Check::Writable { pointer, size } => {
                self.check_access(body, state, pointer, size, Access::Write, location);
            }
            Check::Accessible { pointer, size } => {
                self.check_access(body, state, pointer, size, Access::Touch, location);
            }
            Check::Defined { variable } => {
                if self.options.checks.contains(Obligation::Uninitialised) {
                    let value = state.variable(variable);
                    let defined = match value {
                        Value::Unset => self.terms.bool(false),
                        _ if self.is_surely_written(value) => self.terms.bool(true),
                        _ => self.terms.fresh("defined", logic::Sort::Bool),
                    };
                    self.demand(state, Obligation::Uninitialised, defined, location);
                }
            }
            Check::Terminated { pointer } => {
                let pointer = self.pointer(body, state, pointer);
                let terminated = self.is_terminated(state, pointer);
                self.demand(state, Obligation::StringTermination, terminated, location);
            }
            Check::Freeable { pointer } => {
                let pointer = self.pointer(body, state, pointer);
                let freeable = self.is_freeable(state, pointer);
                self.demand(state, Obligation::InvalidFree, freeable, location);
            }
        }
    }

    fn check_access(
        &mut self,
        body: &Body,
        state: &mut State,
        pointer: program::ExprId,
        size: program::ExprId,
        access: Access,
        location: Location,
    ) {
        let pointer = self.pointer(body, state, pointer);
        let size = self.size(body, state, size);
        self.demand_access(state, pointer, size, access, location);
    }

    /// Whether a zero byte follows in the object: exact for objects of few bytes, else nobody knows.
    fn is_terminated(&mut self, state: &mut State, pointer: Pointer) -> Term {
        let mut terminated = Vec::new();
        for Target { number, here, offset: start } in self.targets(state, pointer) {
            let object = &self.objects[number as usize];
            let cell = object.cell;
            let Some(contents) = state.contents(number) else { continue };
            let mut contents = contents.clone();
            let bytes = contents.bits.count().map(|count| count * cell).filter(|&bytes| bytes <= LONG);
            let Some(bytes) = bytes else {
                terminated.push(self.terms.fresh("terminated", logic::Sort::Bool));
                continue;
            };
            let mut places = Vec::new();
            for place in 0..bytes {
                let offset = self.terms.bits(OFFSET_WIDTH, place.into());
                let after = self.terms.binary(Binary::UnsignedLessEqual, start, offset);
                if self.terms.is_false(after) {
                    continue;
                }
                let byte = Range { offset, size: 1, cell }.read_bits(&mut self.terms, &mut contents);
                let zero = self.terms.bits(8, 0);
                let zero = self.terms.equal(byte, zero);
                places.push(self.terms.and(after, zero));
            }
            let some = self.terms.any(&places);
            terminated.push(self.terms.and(here, some));
        }
        self.terms.any(&terminated)
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

    /// Ends the life of the object with this number, whichever it is.
    pub(crate) fn end_object(&mut self, state: &mut State, object: Term) {
        for number in self.candidates(object) {
            let Some(contents) = state.contents(number) else { continue };
            let term = self.number_term(number);
            let other = self.terms.differ(object, term);
            let alive = self.terms.and(contents.alive, other);
            if self.terms.is_false(alive) {
                // Nobody can look into it any more.
                std::rc::Rc::make_mut(&mut state.memory)[number as usize] = None;
            } else {
                let contents = Contents { alive, ..contents.clone() };
                state.set_contents(number, contents);
            }
        }
    }

    /// Sets bytes to one value.
    pub(crate) fn fill(&mut self, state: &mut State, destination: Pointer, byte: Term, size: Term) {
        let byte = match self.terms.sort(byte) {
            logic::Sort::Integer => self.terms.unary(logic::Unary::IntegerToBits(8), byte),
            _ => byte,
        };
        let known = self.terms.known_bits(size).and_then(|bits| bits.to_u128()).map(|bits| bits as u64);
        match known {
            Some(0) => {}
            Some(size) if size <= LONG => {
                self.update(state, destination, |encoder, Target { number, offset: start, .. }, contents| {
                    let cell = encoder.objects[number as usize].cell;
                    let terms = &mut encoder.terms;
                    let mut done = 0;
                    while done < size {
                        let at = terms.bits(OFFSET_WIDTH, done.into());
                        let offset = terms.binary(Binary::BitAdd, start, at);
                        let step = chunk(terms, offset, cell, size - done);
                        let mut value = byte;
                        for _ in 1..step {
                            value = terms.binary(Binary::Concat, value, byte);
                        }
                        Range { offset, size: step, cell }.write_bits(terms, contents, value);
                        done += step;
                    }
                })
            }
            _ => self.scramble(state, destination),
        }
    }

    /// Copies bytes.
    pub(crate) fn copy(&mut self, state: &mut State, destination: Pointer, source: Pointer, size: Term) {
        let known = self.terms.known_bits(size).and_then(|bits| bits.to_u128()).map(|bits| bits as u64);
        match known {
            Some(0) => {}
            Some(size) if size <= LONG => {
                let pieces = self.read_pieces(state, source, size);
                for (at, value, ty) in pieces {
                    let at = self.terms.bits(OFFSET_WIDTH, at.into());
                    let offset = self.terms.binary(Binary::BitAdd, destination.offset, at);
                    let place = Pointer { offset, ..destination };
                    self.store(state, place, value, ty, Location::unknown());
                }
            }
            _ => self.scramble(state, destination),
        }
    }

    /// Reads a range of bytes in pieces that keep pointers whole.
    fn read_pieces(&mut self, state: &mut State, source: Pointer, size: u64) -> Vec<(u64, Value, Type)> {
        let targets = self.targets(state, source);
        let cell = targets.iter().map(|target| self.objects[target.number as usize].cell).min().unwrap_or(1);
        let holds_pointers = targets
            .iter()
            .any(|target| state.contents(target.number).is_some_and(|contents| contents.owners.is_some()));
        let mut pieces = Vec::new();
        let mut done = 0;
        while done < size {
            let at = self.terms.bits(OFFSET_WIDTH, done.into());
            let offset = self.terms.binary(Binary::BitAdd, source.offset, at);
            let step = chunk(&self.terms, offset, cell, size - done);
            let whole = step == self.program.data_model.pointer_bytes();
            let ty = if holds_pointers && whole { Type::Pointer } else { Type::unsigned(8 * step as u8) };
            let place = Pointer { offset, ..source };
            let value = self.load(state, place, ty);
            pieces.push((done, value, ty));
            done += step;
        }
        pieces
    }
}

/// How many bytes to take at once, at most so many: a cell where the place is at its start, else a byte.
fn chunk(terms: &logic::Terms, offset: Term, cell: u64, left: u64) -> u64 {
    let aligned = match terms.known_bits(offset).and_then(|bits| bits.to_u128()) {
        Some(offset) => offset % u128::from(cell) == 0,
        None => terms.trailing_zeros(offset) >= cell.trailing_zeros(),
    };
    if aligned && cell <= left { cell } else { 1 }
}

/// Whether a condition says that a left shift loses no bits.
fn is_lost_bits(body: &Body, condition: program::ExprId) -> bool {
    match body.expressions[condition].kind {
        ExprKind::Unary(UnaryOp::Not, inner) => {
            matches!(body.expressions[inner].kind, ExprKind::Overflows(OverflowOp::ShiftLeft, ..))
        }
        _ => false,
    }
}
