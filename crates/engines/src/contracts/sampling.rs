//! Runs of a function with objects that are made for the pointers that it is given.
//!
//! A run that ends well with large objects is repeated with smaller ones, until it fails: so it is seen how far each pointer
//! was followed. All inputs are numbers that depend on the run and on who asks, and not on what was asked before.

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Index, Location};
use evidence::{Contract, Expression};
use program::interpret::{
    Arguments, Head, InputValue, Inputs, Integers, Machine, ObligationSet, Observer, Options, Outcome,
    Request,
};
use program::library::{NONDET_BYTES, NONDET_MEMORY, OBJECT};
use program::{
    Block, BlockId, ExprKind, FunctionId, Obligation, Origin, Program, Statement, StatementKind, Terminator,
    Type, Variable, VariableId, arithmetic,
};
use transform::Caller;
use transform::caller::{PARAMETER, SIZE};

use super::memory::element_value;

/// The size of an object that is large enough for numbers as small as those that are given.
pub(super) const LARGE: u64 = 4096;

/// Constants of the function are numbers to try up to here.
const LARGEST: i128 = 64;

/// Parameters are numbers from the smallest up to here, as a rule.
const SMALLEST: i128 = -3;
const SMALL: u64 = 20;

/// How many runs there are, and how many steps one may have.
const RUNS: u64 = 64;
const STEPS: u64 = 6_000;
const ALL_STEPS: u64 = 1_500_000;

/// How many bytes a run may use.
const MEMORY: u64 = 4 << 20;

/// What a run has shown.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The numbers that a contract may speak of.
    pub numbers: Vec<i128>,
    /// For each object that was made, where the first zero byte stands in it, if it is near.
    pub ends: Vec<Option<u64>>,
    /// How far each was followed. Nothing if the run fails even though they are large.
    pub extents: Option<Vec<u64>>,
    /// The run may fail because numbers are larger than the objects: it tells nothing.
    pub is_too_large: bool,
    /// The numbers after the call that were asked for.
    pub after: Option<Vec<i128>>,
}

/// What is to be sampled.
pub(super) struct Sampled<'a> {
    /// The program with the caller, whose objects are of any size.
    pub caller: &'a Caller,
    /// The function that it calls.
    pub callee: FunctionId,
    /// The contract that the caller was made from.
    pub contract: &'a Contract,
    /// The numbers that a contract may speak of: parameters, and elements at known places.
    pub numbers: &'a [Expression],
    /// The variables of the caller and of the program whose numbers after the call are asked for.
    pub after: &'a [(VariableId, Type)],
    /// What integers are.
    pub integers: Integers,
}

/// What runs show.
pub(super) fn rows(sampled: &Sampled<'_>, budget: &Budget) -> Vec<Row> {
    let mut program = sampled.caller.program.clone();
    let function = sampled.caller.function;
    let Some(head) = add_head(&mut program, function) else { return Vec::new() };
    let options = Options {
        integers: sampled.integers,
        checks: ObligationSet::ALL.without(Obligation::Uninitialised).without(Obligation::Leak),
        ignored: ObligationSet::EMPTY.with(Obligation::Uninitialised),
        memory: MEMORY,
        call_depth: 200,
        ..Options::default()
    };
    let machine = Machine::observed(&program, &options);
    let constants = constants(&program, sampled.callee);
    let mut runner = Runner { sampled, machine: &machine, function, head, steps: ALL_STEPS, budget };
    let mut rows = Vec::new();
    for number in 0..RUNS {
        if runner.steps == 0 || budget.remaining_time().is_some_and(|time| time.is_zero()) {
            break;
        }
        rows.extend(runner.row(&Given { number, constants: &constants }));
    }
    rows
}

/// Makes runs.
struct Runner<'a, 'm> {
    sampled: &'a Sampled<'a>,
    machine: &'a Machine<'m>,
    function: FunctionId,
    head: BlockId,
    /// The steps that are left.
    steps: u64,
    budget: &'a Budget,
}

impl Runner<'_, '_> {
    fn row(&mut self, given: &Given<'_>) -> Option<Row> {
        let objects = &self.sampled.contract.objects;
        let numbers: Vec<i128> =
            self.sampled.numbers.iter().map(|number| given.value(number)).collect::<Option<_>>()?;
        let ends = objects.iter().map(|object| given.end(&object.place())).collect();
        let large: Vec<u64> = vec![LARGE; objects.len()];
        let after = match self.run(given, &large)? {
            Ok(after) => after,
            Err(obligation) => {
                let is_large = |number: &i128| number.unsigned_abs() > u128::from(LARGE / 8);
                let is_too_large = obligation == Obligation::OutOfBounds && numbers.iter().any(is_large);
                return Some(Row { numbers, ends, extents: None, is_too_large, after: None });
            }
        };
        let mut extents = Vec::new();
        for place in 0..objects.len() {
            let (mut low, mut high) = (0, LARGE);
            while low < high {
                let mut sizes = large.clone();
                sizes[place] = low.midpoint(high);
                match self.run(given, &sizes)? {
                    Ok(_) => high = sizes[place],
                    Err(_) => low = sizes[place] + 1,
                }
            }
            extents.push(high);
        }
        Some(Row { numbers, ends, extents: Some(extents), is_too_large: false, after: Some(after) })
    }

    /// The numbers after the call, or what fails. Nothing if the run does not end or is not to be.
    fn run(&mut self, given: &Given<'_>, sizes: &[u64]) -> Option<Result<Vec<i128>, Obligation>> {
        let objects = self.sampled.contract.objects.iter();
        let sizes =
            objects.zip(sizes).map(|(object, &size)| (format!("{SIZE}{}", object.place()), size)).collect();
        let mut inputs = Chosen { given, sizes, object: String::new(), asked: 0 };
        let mut seen =
            Seen { function: self.function, head: self.head, after: self.sampled.after, numbers: None };
        let mut budget = self.budget.part(self.steps.min(STEPS));
        let arguments = Arguments::FromInputs;
        let run = self.machine.observe(self.function, &arguments, &mut inputs, &mut seen, &mut budget);
        self.steps = self.steps.saturating_sub(run.steps.max(200));
        match run.outcome {
            Outcome::Exit(_) | Outcome::Aborted => Some(Ok(seen.numbers.unwrap_or_default())),
            Outcome::Violation(violation) => Some(Err(violation.obligation)),
            _ => None,
        }
    }
}

/// The inputs of a row: they depend on its number, and on who asks.
#[derive(Clone, Copy)]
struct Given<'a> {
    number: u64,
    constants: &'a [i128],
}

impl Given<'_> {
    /// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014), from who asks for which time.
    fn random(&self, name: &str, time: u64, limit: u64) -> u64 {
        let seed = (self.number << 32) ^ time;
        let state = name
            .bytes()
            .fold(seed, |state, byte| state.rotate_left(7) ^ u64::from(byte).wrapping_mul(0x100_0193));
        let mixed = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x7361_6d70_6c65);
        let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % limit.max(1)
    }

    /// A number that a parameter or another input is.
    fn integer(&self, name: &str, time: u64) -> i128 {
        let small = i128::from(self.random(name, time, SMALL));
        match self.number % 4 {
            0 => small,
            1 | 2 if self.constants.is_empty() || self.random(name, !time, 3) > 0 => small + SMALLEST,
            // Numbers that are close to each other.
            3 => i128::from(self.random("", 0, SMALL)) + i128::from(self.random(name, time, 3)) - 1,
            _ => {
                let place = self.random(name, time, self.constants.len() as u64) as usize;
                self.constants[place] + i128::from(self.random(name, !time, 3)) - 1
            }
        }
    }

    /// A byte of an object: of a string, or of small numbers.
    fn byte(&self, object: &str, place: u64) -> u8 {
        let end = self.text(object);
        match end {
            Some(end) if place < end => 32 + self.random(object, place, 95) as u8,
            Some(_) => 0,
            None => {
                let width = if self.number.is_multiple_of(2) { 4 } else { 8 };
                let number = self.integer(object, place / width) as i64;
                number.to_le_bytes()[(place % width) as usize]
            }
        }
    }

    /// How long the string is that an object holds, if it holds one.
    fn text(&self, object: &str) -> Option<u64> {
        (self.number / 4 % 3 != 2).then(|| self.random(object, u64::MAX, 30))
    }

    fn end(&self, object: &str) -> Option<u64> {
        (0..NONDET_BYTES as u64).find(|&place| self.byte(object, place) == 0)
    }

    /// What a number is that a contract may speak of.
    fn value(&self, number: &Expression) -> Option<i128> {
        match number {
            Expression::Quantity { quantity, .. } => {
                Some(self.integer(&format!("{PARAMETER}{}", quantity.variable), 0))
            }
            Expression::Element(element) => {
                let Expression::Constant(index) = &*element.index else { return None };
                let (first, bytes) =
                    (u64::try_from(index).ok()? * u64::from(element.bytes), u64::from(element.bytes));
                let bytes = (first..first + bytes).map(|place| self.byte(element.buffer.as_str(), place));
                let bytes: Vec<u8> = bytes.collect();
                (first + bytes.len() as u64 <= NONDET_BYTES as u64).then(|| element_value(element, &bytes))
            }
            _ => None,
        }
    }
}

/// The inputs of a run.
struct Chosen<'a> {
    given: &'a Given<'a>,
    /// How large the objects are, by who asks for it.
    sizes: BTreeMap<String, u64>,
    /// The object whose bytes are asked for.
    object: String,
    /// How many inputs there were since then.
    asked: u64,
}

impl Inputs for Chosen<'_> {
    fn value(&mut self, request: &Request<'_>) -> InputValue {
        if let Some(&size) = self.sizes.get(request.name) {
            return InputValue::Integer(size.into());
        }
        if let Some(object) = request.name.strip_prefix(OBJECT) {
            (self.object, self.asked) = (object.to_owned(), 0);
            return InputValue::Integer(0);
        }
        let time = self.asked;
        if request.name == NONDET_MEMORY {
            self.asked += 1;
            return InputValue::Integer(self.given.byte(&self.object, time).into());
        }
        let is_parameter = request.name.starts_with(PARAMETER);
        self.asked += u64::from(!is_parameter);
        let value = self.given.integer(request.name, if is_parameter { 0 } else { time });
        match request.ty {
            Type::Bool => InputValue::Integer(value & 1),
            Type::Integer(ty) => InputValue::Integer(arithmetic::wrap(ty, value)),
            Type::Float(_) => InputValue::Integer(value),
            Type::Pointer => InputValue::Null,
        }
    }

    fn byte(&mut self) -> Option<u8> {
        self.asked += 1;
        (!self.asked.is_multiple_of(16)).then(|| 32 + self.given.random("", self.asked, 95) as u8)
    }
}

/// Sees the numbers after the call.
struct Seen<'a> {
    function: FunctionId,
    head: BlockId,
    after: &'a [(VariableId, Type)],
    numbers: Option<Vec<i128>>,
}

impl Observer for Seen<'_> {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        if head.function() == self.function && head.block() == self.head {
            self.numbers = self.after.iter().map(|&(variable, ty)| head.number(variable, ty)).collect();
        }
    }
}

/// Makes the end of a function the head of a loop, where somebody can look on.
fn add_head(program: &mut Program, function: FunctionId) -> Option<BlockId> {
    let body = program.functions[function].body_mut()?;
    let location = Location::unknown();
    let name = String::from("again");
    let never = Variable { name, ty: Type::Bool, origin: Origin::Temporary, scope: None, location };
    let never = body.variables.push(never);
    let (no, condition) = (body.boolean(false), body.read(never));
    let head = BlockId::new(body.blocks.len());
    let end = BlockId::new(body.blocks.len() + 1);
    for (_, block) in body.blocks.iter_mut() {
        if matches!(block.terminator, Terminator::Return(_)) {
            block
                .statements
                .push(Statement { kind: StatementKind::Assign { target: never, value: no }, location });
            block.terminator = Terminator::Goto(head);
        }
    }
    let block = |terminator| Block {
        statements: Vec::new(),
        terminator,
        location,
        loop_statement: None,
        body_of: None,
    };
    body.blocks.push(block(Terminator::Branch { condition, then: head, otherwise: end }));
    body.blocks.push(block(Terminator::Return(None)));
    Some(head)
}

/// The small numbers of a function.
pub(super) fn constants(program: &Program, function: FunctionId) -> Vec<i128> {
    let Some(body) = program.functions[function].body() else { return Vec::new() };
    let numbers = body.expressions.values().filter_map(|expression| match (expression.kind, expression.ty) {
        (ExprKind::Integer(value), Type::Integer(_)) if value.abs() < LARGEST => Some(value),
        _ => None,
    });
    let found: BTreeSet<i128> = numbers.collect();
    found.into_iter().collect()
}
