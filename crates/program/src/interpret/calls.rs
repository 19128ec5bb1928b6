//! Calls: frames for functions of the program, models for those of the library, and variable argument lists.
//!
//! A variable argument list in memory holds a number: the place of its arguments in a table.

use base::Index;

use super::code::{CallSite, CallTarget, Register};
use super::library::{Resolved, only_prints};
use super::machine::{ArgumentList, Execution, Frame, Step};
use super::memory::Kind;
use super::value::{Handle, Slot};
use crate::function::{Body, Definition};
use crate::program::FunctionId;
use crate::statement::Obligation;
use crate::types::Type;

/// What the number of an argument list is counted from: an uninitialised list is rarely taken for another one.
const FIRST_LIST: u64 = 0x6c69_7300;

/// How many library functions that call back may be active at once.
const NESTING: usize = 50;

impl<'m> Execution<'m> {
    /// Calls, and says whether another frame is the innermost now.
    pub fn call(&mut self, site: &CallSite) -> Step<bool> {
        let function = match site.callee {
            CallTarget::Function(function) => function,
            CallTarget::Pointer(pointer) => self.pointed_function(self.register(pointer))?,
        };
        if let Some(body) = self.program.functions[function].body() {
            self.check_arity(function, site.arguments.len())?;
            self.push_frame(function, body, site)?;
            return Ok(true);
        }
        let arguments: Vec<(Type, Slot)> =
            site.arguments.iter().map(|&(ty, register)| (ty, self.register(register))).collect();
        let result = self.call_external(function, &arguments, site.target.map(|(ty, _)| ty))?;
        if let Some((ty, register)) = site.target {
            let value = match result {
                Some((from, value)) => self.iteration(from, ty, value)?,
                None => self.ask(&format!("return of {}", self.program.functions[function].name), ty),
            };
            self.set_register(register, value);
        }
        Ok(false)
    }

    /// The function that a pointer points to.
    pub fn pointed_function(&mut self, pointer: Slot) -> Step<FunctionId> {
        match self.memory.object(pointer.handle()).map(|object| object.kind) {
            Some(Kind::Function(function)) if pointer.offset() == 0 => Ok(function),
            None if pointer.is_null() => {
                self.fail_hard(Obligation::Null, String::from("call through a null pointer"))
            }
            _ => {
                let text = self.value_text(Type::Pointer, pointer);
                self.fail_hard(Obligation::OutOfBounds, format!("call of {text}, which is no function"))
            }
        }
    }

    fn check_arity(&self, function: FunctionId, count: usize) -> Step<()> {
        let signature = &self.program.functions[function];
        let expected = signature.parameters.len();
        if count == expected || (count > expected && signature.variadic) {
            return Ok(());
        }
        self.unsupported(format!("call of {} with {count} arguments instead of {expected}", signature.name))
    }

    fn push_frame(&mut self, function: FunctionId, body: &'m Body, site: &CallSite) -> Step<()> {
        let base = self.open_frame(function, body, site.target)?;
        let last = self.frames.len() - 1;
        let first = self.frames[last].code.first_variable as usize;
        let caller = self.frames.get(last.wrapping_sub(1)).map_or(0, |frame| frame.base);
        let signature = &self.program.functions[function];
        for (number, &(ty, register)) in site.arguments.iter().enumerate() {
            let mut value = self.stack[caller + register as usize];
            match (body.parameters.get(number), signature.parameters.get(number)) {
                (Some(variable), Some(&parameter)) => {
                    if ty != parameter {
                        value = self.iteration(ty, parameter, value)?;
                    }
                    self.stack[base + first + variable.index()] = value;
                }
                _ => self.frames[last].variadic.push((ty, value)),
            }
        }
        Ok(())
    }

    /// Calls a function of the program with values.
    pub fn enter(
        &mut self,
        function: FunctionId,
        arguments: &[(Type, Slot)],
        target: Option<(Type, Register)>,
    ) -> Step<()> {
        self.check_arity(function, arguments.len())?;
        let Some(body) = self.program.functions[function].body() else {
            return self.no_body(function);
        };
        let base = self.open_frame(function, body, target)?;
        let last = self.frames.len() - 1;
        let first = self.frames[last].code.first_variable as usize;
        for (number, &(ty, value)) in arguments.iter().enumerate() {
            match (body.parameters.get(number), self.program.functions[function].parameters.get(number)) {
                (Some(variable), Some(&parameter)) => {
                    let value = self.iteration(ty, parameter, value)?;
                    self.stack[base + first + variable.index()] = value;
                }
                _ => self.frames[last].variadic.push((ty, value)),
            }
        }
        Ok(())
    }

    fn no_body<T>(&self, function: FunctionId) -> Step<T> {
        let function = &self.program.functions[function];
        match &function.definition {
            Definition::Unsupported { reason, .. } => {
                self.unsupported(format!("{}: {reason}", function.name))
            }
            _ => self.unsupported(format!("{} has no body", function.name)),
        }
    }

    /// Makes a frame the innermost one and says where its registers are.
    fn open_frame(
        &mut self,
        function: FunctionId,
        body: &'m Body,
        target: Option<(Type, Register)>,
    ) -> Step<usize> {
        if self.frames.len() >= self.machine.options.call_depth {
            return self.unsupported("call depth");
        }
        let Some(code) = self.machine.code(function) else { return self.no_body(function) };
        let locals = self.local_objects(function, body)?;
        if let Some(caller) = self.frames.last_mut() {
            caller.pc = self.pc;
        }
        let base = self.stack.len();
        self.stack.extend_from_slice(&code.constants);
        self.stack.resize(base + code.frame_size, Slot::NULL);
        self.calls += 1;
        self.frames.push(Frame {
            code,
            activation: self.calls,
            pc: 0,
            base,
            target,
            locals,
            variadic: Vec::new(),
            allocated: Vec::new(),
        });
        self.pc = 0;
        Ok(base)
    }

    /// The local objects of a new call: those of a call that has returned, or new ones.
    fn local_objects(&mut self, function: FunctionId, body: &Body) -> Step<Vec<Handle>> {
        if body.locals.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(objects) = self.pools[function.index()].pop() {
            return Ok(objects);
        }
        let mut objects = Vec::with_capacity(body.locals.len());
        for (id, local) in body.locals.iter() {
            objects.push(match local.size {
                Some(size) => {
                    let reserved = self.memory.reserve(Kind::Local(function, id), size, local.alignment);
                    self.room(reserved)?
                }
                None => Handle::NONE,
            });
        }
        Ok(objects)
    }

    /// Returns from the innermost frame.
    pub fn leave(&mut self, value: Option<Slot>) -> Step<()> {
        let depth = self.frames.len();
        let Some(mut frame) = self.frames.pop() else { return Ok(()) };
        for &handle in &frame.locals {
            self.memory.end(handle);
        }
        if !frame.locals.is_empty() {
            self.pools[frame.code.function.index()].push(std::mem::take(&mut frame.locals));
        }
        for &handle in &frame.allocated {
            self.memory.release(handle);
        }
        if !self.lists.is_empty() {
            self.lists
                .iter_mut()
                .filter(|list| list.as_ref().is_some_and(|list| list.depth >= depth))
                .for_each(|list| *list = None);
        }
        self.stack.truncate(frame.base);
        let signature = &self.program.functions[frame.code.function];
        let result = signature.result.zip(value);
        match (frame.target, self.frames.last()) {
            (Some((ty, register)), Some(caller)) => {
                self.pc = caller.pc;
                let value = match result {
                    Some((from, value)) => self.iteration(from, ty, value)?,
                    None => {
                        self.guess(|| {
                            format!("the value of a call of {}, which returned none", signature.name)
                        });
                        self.ask(&format!("return of {}", signature.name), ty)
                    }
                };
                self.set_register(register, value);
            }
            (_, caller) => {
                self.pc = caller.map_or(self.pc, |caller| caller.pc);
                self.returned = result;
            }
        }
        self.pc += 1;
        Ok(())
    }

    /// Calls a function without a body. The result is one of its own type, or nothing.
    pub fn call_external(
        &mut self,
        function: FunctionId,
        arguments: &[(Type, Slot)],
        wanted: Option<Type>,
    ) -> Step<Option<(Type, Slot)>> {
        let signature = &self.program.functions[function];
        if matches!(signature.definition, Definition::Unsupported { .. }) {
            return self.no_body(function);
        }
        let result = signature.result.or(wanted);
        match self.machine.external(function) {
            Resolved::Model(model) => self.call_model(model, function, arguments, result),
            Resolved::Input => Ok(result.map(|ty| (ty, self.ask(&signature.name, ty)))),
            Resolved::Refused => self.unsupported(format!("call of {}", signature.name)),
            Resolved::Unknown if only_prints(signature) && self.can_change_nothing(arguments) => Ok(None),
            Resolved::Unknown => {
                let through = arguments.iter().any(|&(ty, value)| ty == Type::Pointer && !value.is_null());
                let effect = if through { " may change memory through its arguments" } else { "" };
                self.guess(|| format!("external function {}{effect}", signature.name));
                if signature.no_return {
                    return self.unsupported(format!("call of {}, which does not return", signature.name));
                }
                Ok(result.map(|ty| (ty, self.ask(&format!("return of {}", signature.name), ty))))
            }
        }
    }

    /// Whether a function outside the program that gets these arguments can reach nothing that it could change.
    fn can_change_nothing(&self, arguments: &[(Type, Slot)]) -> bool {
        let has_variables =
            !self.program.globals.is_empty() || self.program.objects.values().any(|object| object.writable);
        if has_variables {
            return false;
        }
        let is_constant = |pointer: Slot| {
            let place = self.memory.locate(pointer, 1);
            place.is_ok_and(|(object, _)| !self.memory.objects[object].writable)
        };
        arguments.iter().all(|&(ty, value)| ty != Type::Pointer || is_constant(value))
    }

    /// Calls a function of the program, or of the library, from a library function.
    pub fn call_back(&mut self, pointer: Slot, arguments: &[(Type, Slot)]) -> Step<Option<(Type, Slot)>> {
        let function = self.pointed_function(pointer)?;
        if self.program.functions[function].body().is_none() {
            return self.call_external(function, arguments, None);
        }
        if self.nesting >= NESTING {
            return self.unsupported("library functions that call back, too deep");
        }
        let (floor, pc) = (self.frames.len(), self.pc);
        self.nesting += 1;
        self.callbacks += 1;
        self.enter(function, arguments, None)?;
        self.execute(floor)?;
        self.nesting -= 1;
        self.callbacks += 1;
        self.pc = pc;
        Ok(self.returned)
    }
}

/// Variable argument lists.
impl Execution<'_> {
    /// Lets a list stand at the first argument after the parameters.
    pub fn start_list(&mut self, list: Slot) -> Step<()> {
        let arguments = self.frames.last().map_or_else(Vec::new, |frame| frame.variadic.clone());
        self.write_list(list, arguments, 0)
    }

    /// Lets a list stand where another one stands.
    pub fn copy_list(&mut self, list: Slot, source: Slot) -> Step<()> {
        let number = self.list_number(source)?;
        let (arguments, position) = match &self.lists[number] {
            Some(source) => (source.arguments.clone(), source.position),
            None => (Vec::new(), 0),
        };
        self.write_list(list, arguments, position)
    }

    fn write_list(&mut self, list: Slot, arguments: Vec<(Type, Slot)>, position: usize) -> Step<()> {
        let free = self.lists.iter().position(Option::is_none);
        let number = free.unwrap_or_else(|| {
            self.lists.push(None);
            self.lists.len() - 1
        });
        self.lists[number] = Some(ArgumentList { arguments, position, depth: self.frames.len() });
        self.store(list, Slot::small(FIRST_LIST + number as u64), Type::Pointer)
    }

    /// The place of a list in the table. The list is in memory, or is itself the number where it is passed by value.
    fn list_number(&mut self, list: Slot) -> Step<usize> {
        let value = if list.handle().is_none() { list } else { self.load(list, Type::Pointer)? };
        let number = value.low.checked_sub(FIRST_LIST).map(|number| number as usize);
        match number.filter(|&number| value.high == 0 && self.lists.get(number).is_some_and(Option::is_some))
        {
            Some(number) => Ok(number),
            None => {
                self.unsupported("undefined behaviour: use of a variable argument list that was not started")
            }
        }
    }

    /// The next argument of a list.
    pub fn next_argument(&mut self, list: Slot, ty: Type) -> Step<Slot> {
        let number = self.list_number(list)?;
        let next = self.lists[number].as_mut().and_then(|list| {
            list.position += 1;
            list.arguments.get(list.position - 1).copied()
        });
        match next {
            Some((from, value)) => self.iteration(from, ty, value),
            None => self.unsupported("undefined behaviour: more arguments are read than were passed"),
        }
    }

    /// Ends the use of a list.
    pub fn end_list(&mut self, list: Slot) -> Step<()> {
        let number = self.list_number(list)?;
        self.lists[number] = None;
        Ok(())
    }

    /// The arguments that a list has left, for the library.
    pub fn rest_of_list(&mut self, list: Slot) -> Step<Vec<(Type, Slot)>> {
        let number = self.list_number(list)?;
        let rest = self.lists[number].as_ref().and_then(|list| list.arguments.get(list.position..));
        Ok(rest.unwrap_or_default().to_vec())
    }
}
