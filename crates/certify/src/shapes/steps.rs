//! What statements and the ends of blocks make of a symbolic state.
//!
//! Every access must be to a live cell or to an object of the program, in bounds: what C leaves undefined must not happen
//! on any path. What is not understood is refused by name.

use base::Index;
use encoding::is_lost_bits;
use logic::Term;
use program::library::effects_of;
use program::{
    BinaryOp, BlockId, Callee, Check, ExprId, ExprKind, FunctionId, LocalId, Obligation, Statement,
    StatementKind, Terminator, Type, UnaryOp, VariableId,
};

use super::Walk;
use super::state::{Frame, Home, Pointer, State, Value};
use crate::answer::{Checked, Refusal};

/// What becomes of a state: the states that go on.
type Next<'p> = Checked<Vec<State<'p>>>;

/// Larger objects are not cells: a machine may have no room for them.
const LARGEST: i128 = 1 << 20;

/// No more calls are active at once.
const CALLS: usize = 60;

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl<'p> Walk<'p, '_> {
    /// Takes one step: a statement, or the end of a block.
    pub(super) fn step(&mut self, mut state: State<'p>) -> Next<'p> {
        let Some(frame) = state.top() else { return Ok(Vec::new()) };
        let block = &frame.body.blocks[frame.block];
        match block.statements.get(frame.at) {
            Some(statement) => {
                frame.at += 1;
                self.location = statement.location;
                self.statement(state, statement)
            }
            None => {
                self.location = block.location;
                self.leave(state, &block.terminator)
            }
        }
    }

    fn statement(&mut self, mut state: State<'p>, statement: &'p Statement) -> Next<'p> {
        match &statement.kind {
            StatementKind::Assign { target, value } => {
                let value = self.value(&mut state, *value);
                state.set(*target, value);
                Ok(vec![state])
            }
            StatementKind::Load { target, pointer, .. } => self.load(state, *target, *pointer),
            StatementKind::Store { pointer, value } => self.store(state, *pointer, *value),
            StatementKind::Fill { destination, byte, size } => {
                let byte = self.value(&mut state, *byte);
                let link = match byte {
                    Value::Number(byte) if self.constant(byte) == Some(0) => Pointer::Null,
                    _ => Pointer::Unknown,
                };
                let size = self.known(&mut state, *size, "a range of unknown size")?;
                self.overwrite(state, *destination, size, link)
            }
            StatementKind::Copy { destination, source, size } => {
                let size = self.known(&mut state, *size, "a range of unknown size")?;
                let source = self.pointer(&mut state, *source);
                self.accessible(&mut state, source, size, Access::Read)?;
                self.overwrite(state, *destination, size, Pointer::Unknown)
            }
            StatementKind::Allocate { target, size } => {
                let size = self.known(&mut state, *size, "an allocation of unknown size")?;
                // What a function allocates for itself lives as long as the program only if that is the first one.
                self.on_the_stack = true;
                let is_lasting = state.frames.len() == 1;
                let pointer = if is_lasting {
                    self.allocated(&mut state, size, Pointer::Unknown)
                } else {
                    Pointer::Unknown
                };
                state.set(*target, Value::Pointer(pointer));
                Ok(vec![state])
            }
            StatementKind::Call { target, callee, arguments } => {
                self.call(state, *target, *callee, arguments)
            }
            StatementKind::Input { target, .. } | StatementKind::Volatile { target, .. } => {
                let ty = self.type_of(&state, *target);
                let value = self.anything(&mut state, ty);
                state.set(*target, value);
                Ok(vec![state])
            }
            StatementKind::Assume { condition } => {
                self.assume(&mut state, *condition, true);
                Ok(self.possible(state))
            }
            StatementKind::Check(check) => self.check(state, check),
            // A forgotten object lives on, but what is known of it is lost as if it had ended and begun.
            StatementKind::Begin { object, .. }
            | StatementKind::Forget { object }
            | StatementKind::End { object } => {
                let home = Home::Call(state.frames.len() - 1, *object);
                state.end_object(home);
                if matches!(
                    statement.kind,
                    StatementKind::Begin { size: None, .. } | StatementKind::Forget { .. }
                ) {
                    state.alive.insert(home);
                }
                Ok(vec![state])
            }
            StatementKind::Mark(_) => Ok(vec![state]),
            StatementKind::Variadic { .. } => self.refuse(&state, "a variable argument list"),
            StatementKind::Unknown { what, .. } => self.refuse(&state, what),
        }
    }

    fn type_of(&self, state: &State<'p>, variable: VariableId) -> Type {
        match state.frames.last() {
            Some(frame) => self.program.variable(frame.body, variable).ty,
            None => Type::Pointer,
        }
    }

    fn pointer(&mut self, state: &mut State<'p>, expression: ExprId) -> Pointer {
        match self.value(state, expression) {
            Value::Pointer(pointer) => pointer,
            _ => Pointer::Unknown,
        }
    }

    fn known(&mut self, state: &mut State<'p>, expression: ExprId, otherwise: &str) -> Checked<i128> {
        match self.value(state, expression) {
            Value::Number(number) if let Some(number) = self.constant(number) => Ok(number),
            _ => Err(self.refusal(otherwise)),
        }
    }

    /// That bytes are those of a live object, or that no run comes here.
    fn accessible(
        &mut self,
        state: &mut State<'p>,
        pointer: Pointer,
        bytes: i128,
        access: Access,
    ) -> Checked<()> {
        let fits = |offset: i128, size: u64| {
            offset >= 0 && bytes >= 0 && offset.checked_add(bytes).is_some_and(|end| end <= i128::from(size))
        };
        let what = match pointer {
            Pointer::Cell(location, offset)
                if fits(offset, self.claim.size) && state.cells.contains_key(&location) =>
            {
                return Ok(());
            }
            Pointer::Object(home, offset) => {
                let is_writable = match home {
                    Home::Program(object) => self.program.objects[object].writable,
                    Home::Call(..) => true,
                };
                if fits(offset, self.size_of(state, home))
                    && state.lives(home)
                    && (is_writable || access == Access::Read)
                {
                    return Ok(());
                }
                "an access out of bounds, or to an object that may not live"
            }
            Pointer::Cell(..) => "an access out of bounds of a cell",
            Pointer::Null => "an access through null",
            Pointer::Unknown => "an access through a pointer of which nothing is known",
        };
        self.refuse(state, what).map(drop)
    }

    /// Whether some bytes of a cell are just those of the link, or overlap with them.
    fn touches_link(&self, offset: i128, bytes: i128) -> (bool, bool) {
        let link = i128::from(self.claim.link);
        let width = i128::from(self.program.data_model.pointer_bytes());
        (offset <= link && link + width <= offset + bytes, offset < link + width && link < offset + bytes)
    }

    fn load(&mut self, mut state: State<'p>, target: VariableId, pointer: ExprId) -> Next<'p> {
        let ty = self.type_of(&state, target);
        let bytes = i128::from(ty.bytes(self.program.data_model));
        let pointer = self.pointer(&mut state, pointer);
        self.accessible(&mut state, pointer, bytes, Access::Read)?;
        if let Pointer::Cell(cell, offset) = pointer
            && ty == Type::Pointer
            && offset == i128::from(self.claim.link)
        {
            return Ok(self.unfolded(state, cell, |case| {
                let end = case.cells.get(&cell).map_or(Pointer::Unknown, |segment| segment.end);
                case.set(target, Value::Pointer(end));
            }));
        }
        let value = match pointer {
            Pointer::Object(home, offset) if ty == Type::Pointer => {
                Value::Pointer(state.held.get(&(home, offset)).copied().unwrap_or(Pointer::Unknown))
            }
            _ => self.anything(&mut state, ty),
        };
        state.set(target, value);
        Ok(vec![state])
    }

    /// How many bytes an object has: none if that is not known.
    pub(super) fn size_of(&self, state: &State<'p>, home: Home) -> u64 {
        match home {
            Home::Program(object) => self.program.objects[object].size,
            Home::Call(frame, object) => {
                state.frames.get(frame).and_then(|frame| frame.body.locals[object].size).unwrap_or(0)
            }
        }
    }

    fn store(&mut self, mut state: State<'p>, pointer: ExprId, value: ExprId) -> Next<'p> {
        let ty = state.frames.last().map_or(Type::Pointer, |frame| frame.body.expressions[value].ty);
        let bytes = i128::from(ty.bytes(self.program.data_model));
        let value = self.value(&mut state, value);
        let written = match value {
            Value::Pointer(pointer) => pointer,
            _ => Pointer::Unknown,
        };
        self.overwrite(state, pointer, bytes, written)
    }

    /// Writes some bytes. A pointer that they are, or consist of, is this; one that they touch is unknown.
    fn overwrite(
        &mut self,
        mut state: State<'p>,
        destination: ExprId,
        bytes: i128,
        written: Pointer,
    ) -> Next<'p> {
        let pointer = self.pointer(&mut state, destination);
        self.accessible(&mut state, pointer, bytes, Access::Write)?;
        let width = i128::from(self.program.data_model.pointer_bytes());
        let (cell, offset) = match pointer {
            Pointer::Cell(cell, offset) => (cell, offset),
            Pointer::Object(home, offset) => {
                state.overwritten(home, offset, bytes, width);
                if bytes == width && written != Pointer::Unknown {
                    state.held.insert((home, offset), written);
                }
                return Ok(vec![state]);
            }
            _ => return Ok(vec![state]),
        };
        let (covers, touches) = self.touches_link(offset, bytes);
        if !touches {
            return Ok(vec![state]);
        }
        let link = match written {
            Pointer::Null | Pointer::Cell(_, 0) if covers => written,
            _ => Pointer::Unknown,
        };
        Ok(self.unfolded(state, cell, |case| {
            if let Some(segment) = case.cells.get_mut(&cell) {
                segment.end = link;
            }
        }))
    }

    /// The cases in which a location is one cell, in each of which something is done to it.
    fn unfolded(&mut self, state: State<'p>, cell: usize, act: impl Fn(&mut State<'p>)) -> Vec<State<'p>> {
        let mut cases = state.unfold(cell, self.terms);
        cases.iter_mut().for_each(act);
        cases.into_iter().flat_map(|case| self.possible(case)).collect()
    }

    /// A new cell, if the object is one.
    fn allocated(&mut self, state: &mut State<'p>, size: i128, link: Pointer) -> Pointer {
        if !(i128::from(self.claim.size)..=LARGEST).contains(&size) {
            return Pointer::Unknown;
        }
        let one = self.terms.integer(1);
        Pointer::Cell(state.add(one, link), 0)
    }

    fn call(
        &mut self,
        mut state: State<'p>,
        target: Option<VariableId>,
        callee: Callee,
        arguments: &[ExprId],
    ) -> Next<'p> {
        let Callee::Function(function) = callee else {
            return self.refuse(&state, "a call through a pointer");
        };
        let values: Vec<Value> = arguments.iter().map(|argument| self.value(&mut state, *argument)).collect();
        if self.program.functions[function].body().is_some() {
            return self.enter(state, function, &values);
        }
        let name = self.program.functions[function].name.as_str();
        let number = |at: usize| match values.get(at) {
            Some(Value::Number(number)) => self.constant(*number),
            _ => None,
        };
        let result = match name {
            "malloc" => match number(0) {
                Some(size) => Value::Pointer(self.allocated(&mut state, size, Pointer::Unknown)),
                None => Value::Pointer(Pointer::Unknown),
            },
            "calloc" => match number(0).zip(number(1)).and_then(|(count, size)| count.checked_mul(size)) {
                Some(size) => Value::Pointer(self.allocated(&mut state, size, Pointer::Null)),
                None => Value::Pointer(Pointer::Unknown),
            },
            "free" => return self.free(state, values.first()),
            _ if effects_of(name).ends => return Ok(Vec::new()),
            _ if effects_of(name).standard_output
                && !values.iter().skip(1).any(|value| matches!(value, Value::Pointer(_))) =>
            {
                let ty = target.map_or(Type::Bool, |target| self.type_of(&state, target));
                self.anything(&mut state, ty)
            }
            _ => return self.refuse(&state, &format!("a call of {name}")),
        };
        if let Some(target) = target {
            state.set(target, result);
        }
        Ok(vec![state])
    }

    fn free(&mut self, state: State<'p>, freed: Option<&Value>) -> Next<'p> {
        self.frees = true;
        match freed {
            Some(Value::Pointer(Pointer::Null)) => Ok(vec![state]),
            Some(Value::Pointer(Pointer::Cell(cell, 0))) if state.cells.contains_key(cell) => {
                Ok(self.unfolded(state, *cell, |case| case.end_cell(*cell)))
            }
            _ => self.refuse(&state, "freeing what may be no live heap object"),
        }
    }

    /// Goes into a function.
    fn enter(&mut self, mut state: State<'p>, function: FunctionId, values: &[Value]) -> Next<'p> {
        if state.frames.iter().any(|frame| frame.function == function) {
            return self.refuse(&state, "a recursion");
        }
        let Some(body) = self.program.functions[function].body() else { return Ok(Vec::new()) };
        if state.frames.len() >= CALLS || values.len() != body.parameters.len() {
            return self.refuse(&state, "a call that is too deep or has other arguments");
        }
        let variables = body.parameters.iter().copied().zip(values.iter().copied()).collect();
        let (block, visited) = (body.entry(), Default::default());
        state.frames.push(Frame { function, body, block, at: 0, variables, visited });
        self.arrive(state, block)
    }

    fn check(&mut self, mut state: State<'p>, check: &Check) -> Next<'p> {
        let Check::Holds { obligation, condition, .. } = check else {
            return match check {
                Check::Terminated { .. } => self.refuse(&state, "a string"),
                // Accesses and frees are examined where they happen.
                _ => Ok(vec![state]),
            };
        };
        // An overflow gives any number here, and a failed assertion goes on like any other.
        let is_needed = !matches!(
            obligation,
            Obligation::Assertion
                | Obligation::ReachError
                | Obligation::SignedOverflow
                | Obligation::Uninitialised
                | Obligation::Leak
        );
        let loses_bits = state.frames.last().is_some_and(|frame| is_lost_bits(frame.body, *condition));
        if !is_needed || *obligation == Obligation::Shift && loses_bits {
            return Ok(vec![state]);
        }
        let condition = self.truth(&mut state, *condition);
        if self.follows(&state, condition) {
            return Ok(vec![state]);
        }
        self.refuse(&state, &format!("{obligation}, which may happen"))
    }

    /// Takes a condition for true, or for false.
    fn assume(&mut self, state: &mut State<'p>, condition: ExprId, holds: bool) {
        let Some(body) = state.frames.last().map(|frame| frame.body) else { return };
        match body.expressions[condition].kind {
            ExprKind::Unary(UnaryOp::Not, operand) => return self.assume(state, operand, !holds),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right)
                if body.expressions[left].ty == Type::Bool && (op == BinaryOp::And) == holds =>
            {
                self.assume(state, left, holds);
                return self.assume(state, right, holds);
            }
            ExprKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right)
                if body.expressions[left].ty == Type::Pointer && (op == BinaryOp::Equal) == holds =>
            {
                self.learn_null(state, left, right);
                self.learn_null(state, right, left);
            }
            ExprKind::Convert(operand) if body.expressions[operand].ty == Type::Pointer && !holds => {
                if let ExprKind::Variable(variable) = body.expressions[operand].kind
                    && self.pointer(state, operand) == Pointer::Unknown
                {
                    state.set(variable, Value::Pointer(Pointer::Null));
                }
            }
            _ => {}
        }
        let truth = self.truth(state, condition);
        let condition = if holds { truth } else { self.terms.not(truth) };
        state.conditions.push(condition);
    }

    /// A variable of which nothing was known equals something that is null.
    fn learn_null(&mut self, state: &mut State<'p>, variable: ExprId, other: ExprId) {
        let Some(body) = state.frames.last().map(|frame| frame.body) else { return };
        if let ExprKind::Variable(id) = body.expressions[variable].kind
            && self.pointer(state, variable) == Pointer::Unknown
            && self.pointer(state, other) == Pointer::Null
        {
            state.set(id, Value::Pointer(Pointer::Null));
        }
    }

    fn leave(&mut self, mut state: State<'p>, terminator: &Terminator) -> Next<'p> {
        match terminator {
            Terminator::Goto(target) => self.arrive(state, *target),
            Terminator::Branch { condition, then, otherwise } => {
                let mut next = Vec::new();
                for (target, holds) in [(*then, true), (*otherwise, false)] {
                    let mut case = state.clone();
                    self.assume(&mut case, *condition, holds);
                    for case in self.possible(case) {
                        next.extend(self.arrive(case, target)?);
                    }
                }
                Ok(next)
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.value(&mut state, *value);
                let (mut next, mut others) = (Vec::new(), state.clone());
                for case in cases {
                    let inside = match value {
                        Value::Number(number) => self.between(number, case.low, case.high),
                        _ => self.terms.fresh("case", logic::Sort::Bool),
                    };
                    let mut taken = state.clone();
                    taken.conditions.push(inside);
                    let outside = self.terms.not(inside);
                    others.conditions.push(outside);
                    for taken in self.possible(taken) {
                        next.extend(self.arrive(taken, case.target)?);
                    }
                }
                for others in self.possible(others) {
                    next.extend(self.arrive(others, *default)?);
                }
                Ok(next)
            }
            Terminator::Return(value) => {
                let value = value.map(|value| self.value(&mut state, value));
                self.end_call(&mut state);
                let is_gone = |home: Home| matches!(home, Home::Call(call, _) if call >= state.frames.len());
                let value = match value {
                    Some(Value::Pointer(Pointer::Object(home, _))) if is_gone(home) => {
                        Some(Value::Pointer(Pointer::Unknown))
                    }
                    value => value,
                };
                self.come_back(state, value)
            }
            Terminator::Unreachable => self.refuse(&state, "a place that control is said not to come to"),
        }
    }

    pub(super) fn between(&mut self, number: Term, first: i128, last: i128) -> Term {
        let (first, last) = (self.terms.integer(first), self.terms.integer(last));
        let above = self.terms.binary(logic::Binary::LessEqual, first, number);
        let below = self.terms.binary(logic::Binary::LessEqual, number, last);
        self.terms.and(above, below)
    }

    /// The objects of the running function go with it.
    fn end_call(&self, state: &mut State<'p>) {
        if let Some(frame) = state.frames.pop() {
            let call = state.frames.len();
            for object in 0..frame.body.locals.len() {
                state.end_object(Home::Call(call, LocalId::new(object)));
            }
        }
    }

    /// Gives the caller its result.
    fn come_back(&mut self, mut state: State<'p>, value: Option<Value>) -> Next<'p> {
        // The run ends with the first function.
        let Some(frame) = state.top() else { return Ok(Vec::new()) };
        let call = frame.at.checked_sub(1).and_then(|at| frame.body.blocks[frame.block].statements.get(at));
        if let Some(StatementKind::Call { target: Some(target), .. }) = call.map(|call| &call.kind) {
            let ty = self.type_of(&state, *target);
            let value = match value {
                Some(value) => value,
                None => self.anything(&mut state, ty),
            };
            state.set(*target, value);
        }
        Ok(vec![state])
    }

    /// Refuses what is not understood, unless no run comes to it.
    fn refuse(&mut self, state: &State<'p>, what: &str) -> Next<'p> {
        match self.is_possible(state) {
            true => Err(self.refusal(what)),
            false => Ok(Vec::new()),
        }
    }

    fn refusal(&self, what: &str) -> Refusal {
        Refusal::unsupported(format!("{what} at {}", self.program.describe(self.location)))
    }

    /// Comes to the start of a block of the running function: a path ends at a cutpoint.
    fn arrive(&mut self, mut state: State<'p>, block: BlockId) -> Next<'p> {
        let Some(frame) = state.top() else { return Ok(Vec::new()) };
        (frame.block, frame.at) = (block, 0);
        let is_new = frame.visited.insert(block);
        let calls = state.frames.len().saturating_sub(1);
        let calls: Vec<(usize, usize)> = state
            .frames
            .iter()
            .take(calls)
            .map(|frame| (frame.block.index(), frame.at.saturating_sub(1)))
            .collect();
        if let Some(place) = self.places.get(&(calls, block.index())).copied() {
            self.ends.push((state, place));
            return Ok(Vec::new());
        }
        if is_new { Ok(vec![state]) } else { self.refuse(&state, "a loop without a cutpoint") }
    }
}
