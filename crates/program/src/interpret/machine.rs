//! The machine: a program made ready to run, and the state of one run.

use std::sync::OnceLock;

use base::{Budget, Index, Location};

use super::api::{Arguments, Integers, Options, Outcome, Run, Violation};
use super::code::{Code, Register};
use super::compile::{self, CompileOptions};
use super::inputs::{InputRecord, InputValue, Inputs, Request};
use super::library::{self, Library, Resolved};
use super::memory::{Memory, NoRoom};
use super::observe::Observer;
use super::output::{DiscardedOutput, Output};
use super::repetition::Detector;
use super::trace::Tracer;
use super::value::{Handle, IntegerForm, Slot};
use crate::arithmetic;
use crate::float;
use crate::program::{FunctionId, Program};
use crate::statement::Obligation;
use crate::types::Type;

/// A program made ready to run. Bodies are compiled when they are first called, and kept for later runs.
#[derive(Debug)]
pub struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) options: Options,
    /// Whether somebody looks on at the heads of loops.
    observed: bool,
    /// Whether uninitialised variables become inputs at the heads of loops.
    early_inputs: bool,
    codes: Vec<OnceLock<Option<Code>>>,
    externals: Vec<OnceLock<Resolved>>,
}

impl<'p> Machine<'p> {
    /// Makes a program ready.
    pub fn new(program: &'p Program, options: &Options) -> Self {
        let count = program.functions.len();
        Self {
            program,
            options: options.clone(),
            observed: false,
            early_inputs: false,
            codes: std::iter::repeat_with(OnceLock::new).take(count).collect(),
            externals: std::iter::repeat_with(OnceLock::new).take(count).collect(),
        }
    }

    /// Makes a program ready for runs that somebody looks on.
    pub fn observed(program: &'p Program, options: &Options) -> Self {
        Self { observed: true, early_inputs: true, ..Self::new(program, options) }
    }

    /// The same for runs that must not differ from those of [`Machine::new`]: an uninitialised variable is an input
    /// when it is read, and not as soon as a loop is entered. The entries of functions that may call themselves are
    /// heads, too.
    pub fn watched(program: &'p Program, options: &Options) -> Self {
        Self { observed: true, ..Self::new(program, options) }
    }

    /// Runs one function while an observer looks on. Only a machine that was made for it shows anything.
    pub fn observe(
        &self,
        function: FunctionId,
        arguments: &Arguments,
        inputs: &mut dyn Inputs,
        observer: &mut dyn Observer,
        budget: &mut Budget,
    ) -> Run {
        let mut output = DiscardedOutput;
        let mut execution = Execution::new(self, inputs, &mut output, budget);
        execution.observer = Some(observer);
        execution.into_run(function, arguments)
    }

    /// Runs one function.
    pub fn run(
        &self,
        function: FunctionId,
        arguments: &Arguments,
        inputs: &mut dyn Inputs,
        output: &mut dyn Output,
        budget: &mut Budget,
    ) -> Run {
        Execution::new(self, inputs, output, budget).into_run(function, arguments)
    }

    /// The compiled body of a function, if it has one.
    pub(super) fn code(&self, function: FunctionId) -> Option<&Code> {
        let compiled = self.codes[function.index()].get_or_init(|| {
            let body = self.program.functions[function].body()?;
            let options = CompileOptions {
                form: self.form(),
                mark_heads: self.options.detect_repetition || self.observed,
                mark_entry: self.observed && !self.early_inputs,
                // What is asked for early is no longer seen to be unwritten.
                early_inputs: self.early_inputs && !self.options.checks.contains(Obligation::Uninitialised),
                trace: self.options.trace,
                assertions: self.options.checks.contains(Obligation::Assertion),
                errors: self.options.checks.contains(Obligation::ReachError),
            };
            Some(compile::compile(self.program, function, body, options))
        });
        compiled.as_ref()
    }

    /// What a function without a body is.
    pub(super) fn external(&self, function: FunctionId) -> Resolved {
        *self.externals[function.index()]
            .get_or_init(|| library::resolve(&self.program.functions[function].name))
    }

    pub(super) fn form(&self) -> IntegerForm {
        IntegerForm { mathematical: self.options.integers == Integers::Mathematical }
    }
}

/// Runs one function of a program once. To run it often, keep a [`Machine`].
pub fn run(
    program: &Program,
    function: FunctionId,
    arguments: &Arguments,
    options: &Options,
    inputs: &mut dyn Inputs,
    output: &mut dyn Output,
    budget: &mut Budget,
) -> Run {
    Machine::new(program, options).run(function, arguments, inputs, output, budget)
}

/// How many inputs a run may have: each is recorded.
const MOST_INPUTS: usize = 1 << 21;

/// A result, or how the run ends.
pub(super) type Step<T> = Result<T, Box<Outcome>>;

/// An active call.
#[derive(Clone, Debug)]
pub(super) struct Frame<'m> {
    pub code: &'m Code,
    /// While another call is active: the operation that called it.
    pub pc: usize,
    /// The first slot of its registers.
    pub base: usize,
    /// Where its caller wants the result, and as which type.
    pub target: Option<(Type, Register)>,
    /// Its local objects.
    pub locals: Vec<Handle>,
    /// The arguments after its parameters.
    pub variadic: Vec<(Type, Slot)>,
    /// Objects that end with it.
    pub allocated: Vec<Handle>,
    /// Which call of the run it is.
    pub activation: u64,
}

/// A variable argument list that was started.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ArgumentList {
    pub arguments: Vec<(Type, Slot)>,
    pub position: usize,
    /// The number of active calls when it was started: it ends with that call.
    pub depth: usize,
}

/// The state of a run.
pub(super) struct Execution<'m> {
    pub machine: &'m Machine<'m>,
    pub program: &'m Program,
    pub form: IntegerForm,
    pub memory: Memory,
    /// The registers of all frames, one after the other.
    pub stack: Vec<Slot>,
    pub frames: Vec<Frame<'m>>,
    /// The current operation of the innermost frame.
    pub pc: usize,
    pub globals: Vec<Slot>,
    /// Of each global variable whether its value is known.
    pub global_known: Vec<bool>,
    pub inputs: &'m mut dyn Inputs,
    pub output: &'m mut dyn Output,
    budget: &'m mut Budget,
    /// Steps until the budget is asked again.
    pub fuel: i64,
    quantum: i64,
    spent: u64,
    records: Vec<InputRecord>,
    pub undefined: Option<Violation>,
    pub imprecise: Option<(String, Location)>,
    pub stray: Option<Location>,
    /// For each function the local objects of calls that have returned, to use again.
    pub pools: Vec<Vec<Vec<Handle>>>,
    pub lists: Vec<Option<ArgumentList>>,
    pub library: Library,
    pub detector: Option<Box<Detector>>,
    pub tracer: Option<Box<Tracer>>,
    pub observer: Option<&'m mut dyn Observer>,
    /// Of each mark whether control came by.
    pub passed: Vec<bool>,
    /// How many calls there were.
    pub calls: u64,
    /// The result of the call that ended last without a target.
    pub returned: Option<(Type, Slot)>,
    /// How many library functions that call back are active.
    pub nesting: usize,
    /// How often a library function has called back.
    pub callbacks: u64,
}

impl<'m> Execution<'m> {
    fn new(
        machine: &'m Machine<'m>,
        inputs: &'m mut dyn Inputs,
        output: &'m mut dyn Output,
        budget: &'m mut Budget,
    ) -> Self {
        let program = machine.program;
        Self {
            machine,
            program,
            form: machine.form(),
            memory: Memory::new(program.data_model, machine.options.memory),
            stack: Vec::new(),
            frames: Vec::new(),
            pc: 0,
            globals: Vec::new(),
            global_known: Vec::new(),
            inputs,
            output,
            budget,
            fuel: 0,
            quantum: 0,
            spent: 0,
            records: Vec::new(),
            undefined: None,
            imprecise: None,
            stray: None,
            pools: vec![Vec::new(); program.functions.len()],
            lists: Vec::new(),
            library: Library::default(),
            detector: machine.options.detect_repetition.then(Box::default),
            tracer: machine.options.trace.then(Box::default),
            observer: None,
            passed: Vec::new(),
            calls: 0,
            returned: None,
            nesting: 0,
            callbacks: 0,
        }
    }

    fn run(&mut self, function: FunctionId, arguments: &Arguments) -> Step<Outcome> {
        self.refuel()?;
        self.start_memory()?;
        let signature = &self.program.functions[function];
        let values = match arguments {
            Arguments::CommandLine(words) => self.command_line(&signature.parameters, words)?,
            Arguments::FromInputs => self.parameters_from_inputs(function)?,
        };
        self.enter(function, &values, None)?;
        self.execute(0)?;
        let is_main = signature.name == "main";
        let status = match self.returned {
            Some((Type::Integer(ty), value)) if is_main => self.form.read(ty, value) as i32,
            _ => 0,
        };
        if is_main { self.end_program(status) } else { Ok(Outcome::Exit(status)) }
    }

    /// The inputs so far.
    pub fn records(&self) -> &[InputRecord] {
        &self.records
    }

    fn into_run(mut self, function: FunctionId, arguments: &Arguments) -> Run {
        let outcome = self.run(function, arguments).unwrap_or_else(|outcome| *outcome);
        let statement = self.origin_statement();
        let trace = self.finished_trace();
        let passed = self.passed.iter().enumerate().filter(|(_, passed)| **passed);
        Run {
            outcome,
            marks: passed.map(|(mark, _)| Index::new(mark)).collect(),
            steps: self.steps() + statement,
            inputs: self.records,
            undefined: self.undefined,
            imprecise: self.imprecise,
            stray: self.stray,
            trace,
        }
    }

    /// Notes that control came by a mark, unless nobody can be sure of that.
    #[cold]
    pub fn come_by(&mut self, mark: usize) {
        if self.imprecise.is_some() || self.undefined.is_some() {
            return;
        }
        if self.passed.len() <= mark {
            self.passed.resize(mark + 1, false);
        }
        self.passed[mark] = true;
    }

    /// How many statements of the current block were executed: the end of the block will count them.
    fn origin_statement(&self) -> u64 {
        let statement = |frame: &Frame<'_>, pc: usize| u64::from(frame.code.origins[pc].statement);
        let callers = self.frames.len().saturating_sub(1);
        let suspended: u64 = self.frames[..callers].iter().map(|frame| statement(frame, frame.pc)).sum();
        suspended + self.frames.last().map_or(0, |frame| statement(frame, self.pc))
    }

    /// How many steps were executed.
    pub fn steps(&self) -> u64 {
        self.spent + (self.quantum - self.fuel).max(0) as u64
    }

    /// Takes the steps since the last time off the budget.
    #[cold]
    pub fn refuel(&mut self) -> Step<()> {
        let used = (self.quantum - self.fuel).max(0) as u64;
        self.spent += used;
        let result = self.budget.spend(used);
        self.quantum = self.budget.remaining_steps().clamp(1, 4096) as i64;
        self.fuel = self.quantum;
        if let Err(stop) = result {
            self.quantum = 0;
            self.fuel = 0;
            return Err(Box::new(Outcome::Stopped(stop)));
        }
        if self.records.len() > MOST_INPUTS {
            return self.unsupported("more inputs than can be recorded");
        }
        Ok(())
    }

    /// Where the current operation stands.
    pub fn location(&self) -> Location {
        self.frames.last().map_or_else(Location::unknown, |frame| self.location_in(frame, self.pc))
    }

    pub fn location_in(&self, frame: &Frame<'_>, pc: usize) -> Location {
        let origin = frame.code.origins[pc];
        let Some(body) = self.program.functions[frame.code.function].body() else {
            return Location::unknown();
        };
        let block = &body.blocks[Index::new(origin.block as usize)];
        block.statements.get(origin.statement as usize).map_or(block.location, |statement| statement.location)
    }

    /// An obligation failed here.
    pub fn violation(&self, obligation: Obligation, message: String) -> Violation {
        let last = self.frames.len().saturating_sub(1);
        let stack = self.frames.iter().enumerate().map(|(number, frame)| {
            let pc = if number == last { self.pc } else { frame.pc };
            (frame.code.function, self.location_in(frame, pc))
        });
        Violation { obligation, location: self.location(), message, stack: stack.collect() }
    }

    /// An obligation failed: that ends the run if it is checked, and is noted if not, unless it is ignored.
    #[cold]
    pub fn fail(&mut self, obligation: Obligation, message: String) -> Step<()> {
        let options = &self.machine.options;
        if options.ignored.contains(obligation) && !options.checks.contains(obligation) {
            return Ok(());
        }
        let violation = self.violation(obligation, message);
        if self.machine.options.checks.contains(obligation) {
            return Err(Box::new(Outcome::Violation(violation)));
        }
        self.undefined.get_or_insert(violation);
        Ok(())
    }

    /// An obligation failed after which nothing sensible can follow.
    #[cold]
    pub fn fail_hard<T>(&mut self, obligation: Obligation, message: String) -> Step<T> {
        let reason = format!("undefined behaviour: {message}");
        self.fail(obligation, message)?;
        self.unsupported(reason)
    }

    /// The interpreter cannot go on.
    #[cold]
    pub fn unsupported<T>(&self, reason: impl Into<String>) -> Step<T> {
        Err(Box::new(Outcome::Unsupported { reason: reason.into(), location: self.location() }))
    }

    /// There is no room for an object.
    pub fn room<T>(&self, result: Result<T, NoRoom>) -> Step<T> {
        result.or_else(|no_room| {
            self.unsupported(match no_room {
                NoRoom::MemoryLimit => "memory limit",
                NoRoom::AddressSpace => "the address space is full",
            })
        })
    }

    /// The run goes on with a guess.
    #[cold]
    pub fn guess(&mut self, what: impl FnOnce() -> String) {
        if self.imprecise.is_none() {
            self.imprecise = Some((what(), self.location()));
        }
    }

    /// Asks for a value and notes what came.
    pub fn ask(&mut self, name: &str, ty: Type) -> Slot {
        let location = self.location();
        let (slot, value) = self.ask_quietly(name, ty, location);
        self.note_input(name, ty, location, value);
        slot
    }

    fn note_input(&mut self, name: &str, ty: Type, location: Location, value: InputValue) {
        if self.tracer.is_some() {
            self.trace_input(name, ty, value);
        }
        self.records.push(InputRecord { name: name.to_owned(), location, value, ty });
    }

    /// Asks for a byte, or nothing for the end, and notes what came: an `int` as `getc` returns it.
    pub fn ask_byte(&mut self, name: &str) -> Option<u8> {
        let (location, ty) = (self.location(), Type::signed(32));
        let byte = match self.inputs.value(&Request { name, ty, location }) {
            InputValue::Integer(number) if number >= 0 => Some(number as u8),
            _ => None,
        };
        self.note_input(name, ty, location, InputValue::Integer(byte.map_or(-1, i128::from)));
        byte
    }

    fn ask_quietly(&mut self, name: &str, ty: Type, location: Location) -> (Slot, InputValue) {
        let value = self.inputs.value(&Request { name, ty, location });
        match ty {
            Type::Bool => {
                let truth =
                    !matches!(value, InputValue::Integer(0) | InputValue::Float(0) | InputValue::Null);
                (Slot::truth(truth), InputValue::Integer(i128::from(truth)))
            }
            Type::Integer(integer) => {
                let number = match value {
                    InputValue::Integer(number) => number,
                    InputValue::Float(bits) => bits as i128,
                    InputValue::Null => 0,
                };
                let number = arithmetic::wrap(integer, number);
                (self.form.write(integer, number), InputValue::Integer(number))
            }
            Type::Float(format) => {
                let bits = match value {
                    InputValue::Float(bits) => bits & u128::MAX >> (128 - format.bits()),
                    InputValue::Integer(number) => {
                        float::from_integer(format, crate::IntegerType { width: 128, signed: true }, number)
                    }
                    InputValue::Null => 0,
                };
                (Slot::wide(bits), InputValue::Float(bits))
            }
            Type::Pointer => match value {
                InputValue::Integer(address) if address != 0 => {
                    (self.memory.resolve(address as u64), InputValue::Integer(i128::from(address as u64)))
                }
                _ => (Slot::NULL, InputValue::Null),
            },
        }
    }
}
