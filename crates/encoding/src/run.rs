//! Functions: their blocks in order, their loops iteration by iteration, their calls inlined.

use std::collections::BTreeMap;
use std::rc::Rc;

use base::{Index, Location, Stop};
use logic::{Binary, Term};
use program::{
    BlockId, Body, Callee, Definition, ExprId, FunctionId, Obligation, Terminator, Type, Variable, VariableId,
};

use crate::access::Target;
use crate::encoder::{Encoder, Event, Incompleteness};
use crate::guard::Guard;
use crate::memory::Kind;
use crate::state::{State, merge_values, no_object};
use crate::value::{OFFSET_WIDTH, Pointer, Value, anything};
use program::order::{Component, Element, order};

/// What a function left behind: the state after it, and its result. Nothing if it never returns.
pub type Returned = Option<(State, Option<Value>)>;

/// A call that is being encoded.
pub(crate) struct Frame<'p> {
    pub(crate) function: FunctionId,
    pub(crate) body: &'p Body,
    /// States in which control is about to enter a block.
    pub(crate) pending: BTreeMap<BlockId, Vec<State>>,
    /// States in which the function returns.
    pub(crate) returns: Vec<(State, Option<Value>)>,
    /// When the bodies of loops that are abstracted begin, by the places of their statements.
    pub(crate) begun: Vec<(Location, Guard)>,
    /// Whether the variables are of interest after a return.
    keep: bool,
}

impl<'p> Frame<'p> {
    /// A call in which control is about to enter a block.
    fn new(function: FunctionId, body: &'p Body, block: BlockId, state: State, keep: bool) -> Self {
        let pending = BTreeMap::from([(block, vec![state])]);
        Self { function, body, pending, returns: Vec::new(), begun: Vec::new(), keep }
    }

    /// Whether control is about to enter a block of a loop.
    fn is_in(&self, component: &Component) -> bool {
        component.blocks.iter().any(|block| self.pending.contains_key(block))
    }
}

/// One iteration of a loop.
#[derive(Clone, Debug)]
pub struct Iteration {
    /// The state when control is at the head again; nothing if it never is.
    pub again: Option<State>,
    /// The states when control has left the loop: the block outside that it goes to, or nothing for a return.
    pub exits: Vec<(Option<BlockId>, State)>,
}

impl<'p> Encoder<'p> {
    /// Encodes a whole run that starts in a function, and gives the state in which it ends and what it returns. Its
    /// parameters are inputs, and those of `main` a command line.
    pub fn run(&mut self, function: FunctionId) -> Result<Returned, Stop> {
        let mut state = self.initial_state();
        if !program::outside::starts_fresh(self.program, function) {
            self.enter_anytime(&mut state);
        }
        let signature = &self.program.functions[function];
        self.entered = signature.location;
        let Some(body) = signature.body() else {
            self.give_up(&mut state, Incompleteness::Unsupported(String::from("no body")));
            return Ok(None);
        };
        let arguments = self.first_arguments(&mut state, signature, body);
        let mut returned = self.inline(state, function, body, &arguments)?;
        if let Some((state, _)) = &mut returned {
            self.end_program(state);
        }
        Ok(returned)
    }

    /// Other functions may have been called before: what somebody can have changed is anything.
    fn enter_anytime(&mut self, state: &mut State) {
        let changeable = program::outside::Changeable::of(self.program);
        for variable in changeable.globals {
            let Variable { name, ty, .. } = &self.program.globals[variable.index()].variable;
            let value = self.arbitrary(&format!("initial {name}"), *ty);
            state.set_variable(variable, value);
        }
        for id in changeable.objects {
            let number = self.global_number(id);
            let contents = self.unknown_contents(number, &self.program.objects[id]);
            state.set_contents(number, contents);
        }
    }

    /// The program ends: what is alive on the heap now is taken to be lost.
    pub(crate) fn end_program(&mut self, state: &mut State) {
        if !self.options.checks.contains(Obligation::Leak) {
            return;
        }
        let mut freed = Vec::new();
        for number in 0..state.memory.len() as u32 {
            if let Some(contents) = state.contents(number)
                && matches!(self.objects[number as usize].kind, Kind::Heap(_))
            {
                freed.push(self.terms.not(contents.alive));
            }
        }
        let freed = self.terms.all(&freed);
        self.check_condition(state, Obligation::Leak, freed);
    }

    /// Encodes a call.
    pub(crate) fn call(
        &mut self,
        body: &'p Body,
        state: &mut State,
        target: Option<VariableId>,
        callee: Callee,
        arguments: &[ExprId],
    ) -> Result<(), Stop> {
        let values: Vec<(Type, Value)> = arguments
            .iter()
            .map(|&argument| (body.expressions[argument].ty, self.expression(body, state, argument)))
            .collect();
        let wanted = target.map(|target| self.program.variable(body, target).ty);
        let before = state.clone();
        let result = match callee {
            Callee::Function(callee) => self.call_function(before, callee, &values, wanted)?,
            Callee::Pointer(pointer) => {
                let pointer = self.pointer(body, state, pointer);
                self.call_pointer(before, pointer, &values, wanted)?
            }
        };
        let Some((mut after, result)) = result else {
            let never = self.terms.bool(false);
            state.assume(&mut self.terms, never);
            return Ok(());
        };
        // The callee cannot see the caller's variables.
        after.locals = state.locals.clone();
        after.objects = state.objects.clone();
        *state = after;
        if let (Some(target), Some(ty)) = (target, wanted) {
            let value = match result {
                Some(value) => value,
                None => self.input(state, "return value", ty, self.location()),
            };
            self.assign(body, state, target, value);
        }
        Ok(())
    }

    /// Calls a function; the result has the wanted type.
    fn call_function(
        &mut self,
        state: State,
        callee: FunctionId,
        arguments: &[(Type, Value)],
        wanted: Option<Type>,
    ) -> Result<Returned, Stop> {
        let signature = &self.program.functions[callee];
        match &signature.definition {
            Definition::Body(body) => {
                let returned = self.inline(state, callee, body, arguments)?;
                Ok(returned.map(|(state, value)| {
                    let value = match (value, signature.result, wanted) {
                        (Some(value), Some(from), Some(to)) if is_passable(from, to) => {
                            Some(self.convert(from, to, value))
                        }
                        // What is not returned, or returned as something else, can be anything.
                        _ => None,
                    };
                    (state, value)
                }))
            }
            Definition::External => self.library(state, callee, arguments, wanted),
            Definition::Unsupported { reason, location } => {
                let mut state = state;
                let what = format!("{}: {reason}", signature.name);
                let called_at = self.location();
                self.come_to(*location);
                self.give_up(&mut state, Incompleteness::Unsupported(what));
                self.come_to(called_at);
                Ok(None)
            }
        }
    }

    /// Calls whatever function a pointer points to.
    fn call_pointer(
        &mut self,
        mut state: State,
        pointer: Pointer,
        arguments: &[(Type, Value)],
        wanted: Option<Type>,
    ) -> Result<Returned, Stop> {
        let null = pointer.is_null(&mut self.terms);
        let not_null = self.terms.not(null);
        self.check_condition(&mut state, Obligation::Null, not_null);
        // A function of the world outside may be called.
        let (no_object, low) = self.place(pointer);
        let never = self.terms.bool(false);
        self.end_unknown(&state, [no_object, low, never]);
        let zero = self.terms.bits(OFFSET_WIDTH, 0);
        let start = self.terms.equal(pointer.offset, zero);
        let mut callees: Vec<(FunctionId, Term)> = Vec::new();
        for Target { number, here, .. } in self.targets(&state, pointer) {
            if let Kind::Function(function) = self.objects[number as usize].kind {
                let here = self.terms.and(here, start);
                callees.push((function, here));
            }
        }
        let conditions: Vec<Term> = callees.iter().map(|&(_, here)| here).collect();
        let some = self.terms.any(&conditions);
        self.check_condition(&mut state, Obligation::OutOfBounds, some);
        let mut all = Vec::new();
        for (function, here) in callees {
            let mut case = state.clone();
            case.assume(&mut self.terms, here);
            if !case.is_impossible(&self.terms)
                && let Some((after, value)) = self.call_function(case, function, arguments, wanted)?
            {
                all.push((after, value));
            }
        }
        Ok(self.merge_returns(all, wanted))
    }

    /// The states after several calls, or several returns, as one.
    fn merge_returns(&mut self, mut all: Vec<(State, Option<Value>)>, ty: Option<Type>) -> Returned {
        all.retain(|(state, _)| !state.is_impossible(&self.terms));
        let (mut state, mut result) = all.pop()?;
        while let Some((other, value)) = all.pop() {
            let both = match (value, result) {
                (Some(value), Some(result)) => Some((value, result)),
                (None, None) => None,
                // A path without a result gives any.
                (value, result) => ty.map(|ty| {
                    let unknown = self.arbitrary("no return value", ty);
                    (value.unwrap_or(unknown), result.unwrap_or(unknown))
                }),
            };
            result = both.map(|(value, result)| {
                let (_, choice) = Guard::or(&mut self.terms, &other.guard, &state.guard);
                merge_values(&mut self.terms, choice, value, result)
            });
            state = self.merge(None, other, state);
        }
        Some((state, result))
    }

    /// Two states as one. Without a body no variables are in play.
    fn merge(&mut self, body: Option<&Body>, first: State, second: State) -> State {
        let program = self.program;
        let integers = self.options.integers;
        let mut made = Vec::new();
        let state = State::merge(&mut self.terms, first, second, &mut |terms, variable| {
            // Only one of the two paths has written it: on the other it is anything.
            let Some(body) = body else { return Value::Unset };
            let value = anything(terms, "uninitialised", program.variable(body, variable).ty, integers);
            made.push(value);
            value
        });
        made.into_iter().for_each(|value| self.note_unwritten(value));
        state
    }

    /// Encodes the body of a function in place of a call.
    fn inline(
        &mut self,
        mut state: State,
        function: FunctionId,
        body: &'p Body,
        arguments: &[(Type, Value)],
    ) -> Result<Returned, Stop> {
        self.step()?;
        let signature = &self.program.functions[function];
        let expected = signature.parameters.len();
        if arguments.len() != expected {
            let count = arguments.len();
            let what = format!("call of {} with {count} arguments instead of {expected}", signature.name);
            self.give_up(&mut state, Incompleteness::Unsupported(what));
            return Ok(None);
        }
        let passed = signature.parameters.iter().zip(arguments);
        if let Some((ty, (from, _))) = passed.clone().find(|(ty, (from, _))| !is_passable(*from, **ty)) {
            let what = format!("a value passed as {from} and taken as {ty}");
            self.give_up(&mut state, Incompleteness::Unsupported(what));
            return Ok(None);
        }
        let active = self.stack.iter().filter(|(active, _)| *active == function).count();
        if active > 0 && self.reentered == Some(function) {
            self.enter(&mut state, body, &signature.parameters, arguments);
            self.reentries.push(state);
            return Ok(None);
        }
        if self.stack.len() >= self.options.call_depth || active > self.options.recursion {
            self.give_up(&mut state, Incompleteness::Recursion);
            return Ok(None);
        }
        self.enter(&mut state, body, &signature.parameters, arguments);
        if self.options.trace {
            let (happens, location) = (state.guard.term(), self.location());
            for &variable in &body.parameters {
                let value = state.variable(variable);
                self.findings.events.push(Event { happens, function, variable, value, location });
            }
        }
        if self.stack.is_empty() && self.start.is_none() {
            self.start = Some((function, state.clone()));
        }
        self.stack.push((function, signature.location));
        let allocated = self.objects.len() as u32;
        let mut frame = Frame::new(function, body, body.entry(), state, false);
        let elements = self.order_of(function, body);
        self.elements(&mut frame, &elements)?;
        self.stack.pop();
        let returned = self.merge_returns(frame.returns, signature.result);
        let Some((mut state, value)) = returned else { return Ok(None) };
        self.end_locals(&mut state, allocated);
        Ok(Some((state, value)))
    }

    /// Gives a call its own variables, with the arguments in its parameters, and objects that have not begun.
    fn enter(&mut self, state: &mut State, body: &Body, types: &[Type], arguments: &[(Type, Value)]) {
        let mut locals = vec![Value::Unset; body.variables.len()];
        for ((&parameter, &ty), &(from, value)) in body.parameters.iter().zip(types).zip(arguments) {
            locals[parameter.index()] = self.convert(from, ty, value);
        }
        state.locals = Rc::new(locals);
        let none = no_object(&mut self.terms);
        state.objects = Rc::new(vec![none; body.locals.len()]);
    }

    /// Encodes the body of a function from a state at its entry up to where it calls itself: the states there, as one.
    /// Nothing if it does not.
    pub fn descent(&mut self, function: FunctionId, state: State) -> Result<Option<State>, Stop> {
        let Some(body) = self.program.functions[function].body() else { return Ok(None) };
        let before = self.reentered.replace(function);
        self.stack.push((function, self.program.functions[function].location));
        let mut frame = Frame::new(function, body, body.entry(), state, true);
        let elements = self.order_of(function, body);
        self.elements(&mut frame, &elements)?;
        self.stack.pop();
        self.reentered = before;
        let states = std::mem::take(&mut self.reentries);
        self.merged(body, states)
    }

    fn order_of(&mut self, function: FunctionId, body: &Body) -> Rc<Vec<Element>> {
        self.orders.entry(function).or_insert_with(|| Rc::new(order(body))).clone()
    }

    /// Encodes one iteration of the loop with this head, from a state at the head. Loops inside are unrolled as the
    /// options say. Nothing if the block is not the head of a loop.
    pub fn iteration(
        &mut self,
        function: FunctionId,
        head: BlockId,
        state: State,
    ) -> Result<Option<Iteration>, Stop> {
        let Some(body) = self.program.functions[function].body() else { return Ok(None) };
        let elements = self.order_of(function, body);
        let Some(component) = find(&elements, head) else { return Ok(None) };
        self.stack.push((function, body.blocks[head].location));
        let mut frame = Frame::new(function, body, head, state, true);
        self.block(&mut frame, head)?;
        self.elements(&mut frame, &component.rest)?;
        self.stack.pop();
        let again = self.joined(&mut frame, head)?;
        let outside: Vec<BlockId> = frame.pending.keys().copied().collect();
        let mut exits = Vec::new();
        for block in outside {
            let state = self.joined(&mut frame, block)?;
            exits.extend(state.map(|state| (Some(block), state)));
        }
        exits.extend(frame.returns.into_iter().map(|(state, _)| (None, state)));
        Ok(Some(Iteration { again, exits }))
    }

    /// The states in which control is about to enter a block, as one.
    pub(crate) fn joined(&mut self, frame: &mut Frame<'p>, block: BlockId) -> Result<Option<State>, Stop> {
        let states = frame.pending.remove(&block).unwrap_or_default();
        self.merged(frame.body, states)
    }

    fn merged(&mut self, body: &Body, mut states: Vec<State>) -> Result<Option<State>, Stop> {
        let Some(mut state) = states.pop() else { return Ok(None) };
        while let Some(other) = states.pop() {
            // Exits of a loop that is unrolled far are many, and have long guards.
            self.budget.spend(0)?;
            state = self.merge(Some(body), other, state);
        }
        Ok(Some(state))
    }

    /// Ends the lives of what a call made on the stack: objects with these numbers and above.
    fn end_locals(&mut self, state: &mut State, first: u32) {
        for number in first..state.memory.len() as u32 {
            if matches!(self.objects[number as usize].kind, Kind::Local(..) | Kind::Alloca(_))
                && state.contents(number).is_some()
            {
                Rc::make_mut(&mut state.memory)[number as usize] = None;
            }
        }
    }

    pub(crate) fn elements(&mut self, frame: &mut Frame<'p>, elements: &[Element]) -> Result<(), Stop> {
        for element in elements {
            match element {
                Element::Block(block) => self.block(frame, *block)?,
                Element::Component(component) => self.component(frame, component)?,
            }
        }
        Ok(())
    }

    /// Encodes the iterations of a loop.
    fn component(&mut self, frame: &mut Frame<'p>, component: &Component) -> Result<(), Stop> {
        let abstract_loops = self.options.abstract_loops;
        if let Some(abstract_loops) = abstract_loops
            && self.decided_iterations(frame, component, abstract_loops.decided)?
        {
            return Ok(());
        }
        // Control may come into the middle of the loop: then it goes on to the head from there. That is no iteration:
        // the iterations before an abstract loop count from the head.
        if abstract_loops.is_some() && frame.pending.keys().any(|&block| is_inside(component, block)) {
            self.elements(frame, &component.rest)?;
        }
        if abstract_loops.is_some() {
            self.settle_unset(frame, component);
        }
        let mut entries = Vec::new();
        let mut iterations = 0;
        while frame.is_in(component) {
            if iterations >= self.options.iterations {
                return match abstract_loops {
                    Some(abstract_loops) => self.abstract_loop(frame, component, entries, abstract_loops),
                    None => {
                        self.give_up_loop(frame, component);
                        Ok(())
                    }
                };
            }
            iterations += 1;
            if abstract_loops.is_some()
                && let Some(state) = self.joined(frame, component.head)?
            {
                entries.push(state.clone());
                frame.pending.insert(component.head, vec![state]);
            }
            self.block(frame, component.head)?;
            self.elements(frame, &component.rest)?;
        }
        Ok(())
    }

    fn give_up_loop(&mut self, frame: &mut Frame<'p>, component: &Component) {
        self.come_to(frame.body.blocks[component.head].location);
        for block in &component.blocks {
            for mut state in frame.pending.remove(block).unwrap_or_default() {
                self.give_up(&mut state, Incompleteness::Loop);
            }
        }
    }

    /// Encodes a loop iteration by iteration if it is decided in each that control goes on, or that it does not.
    fn decided_iterations(
        &mut self,
        frame: &mut Frame<'p>,
        component: &Component,
        most: u64,
    ) -> Result<bool, Stop> {
        let key = (frame.function, component.head);
        if self.undecided.contains(&key) {
            return Ok(false);
        }
        let mark = self.mark(frame);
        let left = |frame: &Frame<'p>| {
            let outside = frame.pending.iter().filter(|(block, _)| !component.blocks.contains(block));
            outside.map(|(_, states)| states.len()).sum::<usize>() + frame.returns.len()
        };
        let before = left(frame);
        for _ in 0..most {
            if self.decided == 0 {
                break;
            }
            self.decided -= 1;
            self.block(frame, component.head)?;
            self.elements(frame, &component.rest)?;
            if !frame.is_in(component) {
                return Ok(true);
            }
            if left(frame) > before {
                break;
            }
        }
        self.take_back(frame, &mark);
        self.undecided.insert(key);
        Ok(false)
    }

    /// Encodes a block, if control can come there.
    pub(crate) fn block(&mut self, frame: &mut Frame<'p>, block: BlockId) -> Result<(), Stop> {
        let Some(mut state) = self.joined(frame, block)? else { return Ok(()) };
        self.checked.clear();
        let key = (frame.function, block);
        let block = &frame.body.blocks[block];
        if let Some(location) = block.body_of.filter(|_| !self.open_abstract_loops.is_empty()) {
            frame.begun.push((location, state.guard.clone()));
        }
        for (place, statement) in block.statements.iter().enumerate() {
            self.statement(frame.function, frame.body, &mut state, statement)?;
            if state.is_impossible(&self.terms) {
                self.note_reached(key, place + 1);
                return Ok(());
            }
        }
        self.note_reached(key, block.statements.len() + 1);
        self.step()?;
        self.come_to(block.location);
        self.terminator(frame, state, &block.terminator);
        Ok(())
    }

    /// Takes note that control may come to so many statements of a block.
    fn note_reached(&mut self, block: (FunctionId, BlockId), statements: usize) {
        let known = self.reached.entry(block).or_default();
        *known = statements.max(*known);
    }

    fn terminator(&mut self, frame: &mut Frame<'p>, mut state: State, terminator: &Terminator) {
        match terminator {
            Terminator::Goto(target) => self.go(frame, *target, state),
            Terminator::Branch { condition, then, otherwise } => {
                let condition = self.scalar(frame.body, &mut state, *condition);
                let not = self.terms.not(condition);
                let mut other = state.clone();
                state.assume(&mut self.terms, condition);
                other.assume(&mut self.terms, not);
                self.go(frame, *then, state);
                self.go(frame, *otherwise, other);
            }
            Terminator::Switch { value, cases, default } => {
                let ty = frame.body.expressions[*value].ty;
                let value = self.scalar(frame.body, &mut state, *value);
                for case in cases {
                    let inside = self.in_range(ty, value, case.low, case.high);
                    let mut taken = state.clone();
                    taken.assume(&mut self.terms, inside);
                    self.go(frame, case.target, taken);
                    let outside = self.terms.not(inside);
                    state.assume(&mut self.terms, outside);
                }
                self.go(frame, *default, state);
            }
            Terminator::Return(value) => {
                let value = value.map(|value| self.expression(frame.body, &mut state, value));
                if !state.is_impossible(&self.terms) {
                    if !frame.keep {
                        // The frame ends here: what it holds need not be merged.
                        state.locals = Rc::default();
                        state.objects = Rc::default();
                    }
                    frame.returns.push((state, value));
                }
            }
            Terminator::Unreachable => {
                let never = self.terms.bool(false);
                self.check_condition(&mut state, Obligation::Unreachable, never);
            }
        }
    }

    fn go(&mut self, frame: &mut Frame<'p>, target: BlockId, state: State) {
        if !state.is_impossible(&self.terms) {
            frame.pending.entry(target).or_default().push(state);
        }
    }

    fn in_range(&mut self, ty: Type, value: Term, low: i128, high: i128) -> Term {
        let Type::Integer(ty) = ty else {
            let truth = self.terms.bool(low != 0);
            return self.terms.equal(value, truth);
        };
        let (least, most) = (self.constant(ty, low), self.constant(ty, high));
        if low == high {
            return self.terms.equal(value, least);
        }
        let op = match (self.is_mathematical(), ty.signed) {
            (true, _) => Binary::LessEqual,
            (false, true) => Binary::SignedLessEqual,
            (false, false) => Binary::UnsignedLessEqual,
        };
        self.within(op, least, value, most)
    }
}

/// Whether a block is in a loop but not its head.
fn is_inside(component: &Component, block: BlockId) -> bool {
    block != component.head && component.blocks.binary_search(&block).is_ok()
}

/// The loop with this head.
fn find(elements: &[Element], head: BlockId) -> Option<Component> {
    elements.iter().find_map(|element| match element {
        Element::Component(component) if component.head == head => Some(component.clone()),
        Element::Component(component) if component.blocks.binary_search(&head).is_ok() => {
            find(&component.rest, head)
        }
        _ => None,
    })
}

/// Whether a value that is passed as one type can be taken as another: machines agree on integers and addresses alone.
fn is_passable(from: Type, to: Type) -> bool {
    let plain = |ty: Type| !matches!(ty, Type::Float(_));
    from == to || (plain(from) && plain(to))
}
