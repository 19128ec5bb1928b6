//! Takes down what a run does at the heads of loops: variables and memory.

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Index, Location};
use program::interpret::{
    Arguments, Head, InputValue, Inputs, Machine, ObjectKind, Observer, Options, Pointed, Request, Run,
};
use program::{BlockId, Body, FunctionId, LocalId, Program, Type, VariableId};

use crate::random::Random;

/// No more visits of a run are kept.
const MOST: usize = 120;

/// A run and its visits to heads of loops.
pub struct Recording {
    /// How it went.
    pub run: Run,
    /// The visits, in order.
    pub visits: Vec<Visit>,
    /// Whether there were more.
    pub more: bool,
}

/// Control is at the head of a loop.
pub struct Visit {
    /// The function.
    pub function: FunctionId,
    /// The head.
    pub head: BlockId,
    /// Which call of the function it is.
    pub activation: u64,
    /// The calls that wait for it, the outermost first.
    pub callers: Vec<(FunctionId, Location)>,
    /// What integer variables hold, if somebody surely has written them.
    pub numbers: BTreeMap<VariableId, i128>,
    /// Where pointer variables point, if somebody surely has written them.
    pub pointers: BTreeMap<VariableId, Pointed>,
    /// The numbers of the function's objects.
    pub locals: BTreeMap<LocalId, u64>,
    /// The objects that are alive, by their numbers.
    pub objects: BTreeMap<u64, Memory>,
}

/// What an object holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory {
    /// What it is.
    pub kind: ObjectKind,
    /// Its bytes; nothing where none was written.
    pub bytes: Vec<Option<u8>>,
    /// The words of eight bytes that are addresses in objects: where they point.
    pub pointers: BTreeMap<usize, Pointed>,
}

impl Visit {
    /// One of which only numbers are known.
    pub fn of_numbers(numbers: BTreeMap<VariableId, i128>) -> Self {
        Self {
            function: Index::new(0),
            head: Index::new(0),
            activation: 0,
            callers: Vec::new(),
            numbers,
            pointers: BTreeMap::new(),
            locals: BTreeMap::new(),
            objects: BTreeMap::new(),
        }
    }
}

struct Recorder<'p> {
    program: &'p Program,
    visits: Vec<Visit>,
    more: bool,
    assigned: BTreeMap<FunctionId, BTreeMap<BlockId, BTreeSet<VariableId>>>,
}

/// Runs `main` with the inputs of a seed.
pub fn record(program: &Program, main: FunctionId, options: &Options, seed: u64, steps: u64) -> Recording {
    let machine = Machine::observed(program, options);
    let mut recorder = Recorder { program, visits: Vec::new(), more: false, assigned: BTreeMap::new() };
    let mut inputs = Guesses { random: Random::new(seed), large: seed % 4 == 3, more: 2 + seed % 5 };
    let arguments = Arguments::CommandLine(vec![b"program".to_vec()]);
    let run = machine.observe(main, &arguments, &mut inputs, &mut recorder, &mut Budget::steps(steps));
    Recording { run, visits: recorder.visits, more: recorder.more }
}

impl Observer for Recorder<'_> {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        if self.visits.len() >= MOST {
            self.more = true;
            return;
        }
        let Some(body) = self.program.functions[head.function()].body() else { return };
        let mut visit = Visit {
            function: head.function(),
            head: head.block(),
            activation: head.activation(),
            callers: head.callers(),
            numbers: BTreeMap::new(),
            pointers: BTreeMap::new(),
            locals: body.locals.ids().filter_map(|id| Some((id, head.local(id)?))).collect(),
            objects: BTreeMap::new(),
        };
        let globals = (0..self.program.globals.len()).map(VariableId::global);
        let assigned = self.assigned.entry(head.function()).or_insert_with(|| assigned_on_entry(body));
        let locals = assigned.get(&head.block()).into_iter().flatten().copied();
        for variable in locals.chain(globals) {
            let ty = self.program.variable(body, variable).ty;
            if ty == Type::Pointer {
                visit.pointers.extend(head.pointer(variable).map(|pointed| (variable, pointed)));
            } else {
                visit.numbers.extend(head.number(variable, ty).map(|number| (variable, number)));
            }
        }
        for object in
            head.objects().filter(|object| !matches!(object.kind, ObjectKind::Other | ObjectKind::Alloca(_)))
        {
            let byte = |(offset, &byte)| object.is_written(offset).then_some(byte);
            let bytes: Vec<Option<u8>> = object.bytes.iter().enumerate().map(byte).collect();
            let mut pointers = BTreeMap::new();
            for (word, chunk) in object.bytes.chunks_exact(8).enumerate() {
                let address = chunk.iter().rev().fold(0, |address, &byte| address << 8 | u64::from(byte));
                if let pointed @ Pointed::Object(..) = head.at_address(address) {
                    pointers.insert(8 * word, pointed);
                }
            }
            visit.objects.insert(object.number, Memory { kind: object.kind, bytes, pointers });
        }
        self.visits.push(visit);
    }
}

/// The variables of a body that are assigned on all ways to a block. Others hold what is left of earlier times.
fn assigned_on_entry(body: &Body) -> BTreeMap<BlockId, BTreeSet<VariableId>> {
    let mut known: BTreeMap<BlockId, BTreeSet<VariableId>> = BTreeMap::new();
    known.insert(body.entry(), body.parameters.iter().copied().collect());
    let mut left = vec![body.entry()];
    while let Some(block) = left.pop() {
        let mut assigned = known[&block].clone();
        let targets = body.blocks[block].statements.iter().filter_map(|statement| statement.kind.target());
        assigned.extend(targets.filter(|target| !target.is_global()));
        for next in body.blocks[block].terminator.successors() {
            let changed = match known.get_mut(&next) {
                None => {
                    known.insert(next, assigned.clone());
                    true
                }
                Some(old) => {
                    let count = old.len();
                    old.retain(|variable| assigned.contains(variable));
                    old.len() < count
                }
            };
            if changed {
                left.push(next);
            }
        }
    }
    known
}

/// Small numbers for the most part. What `unknown_int` gives becomes zero in the end, so that loops end.
struct Guesses {
    random: Random,
    large: bool,
    more: u64,
}

impl Inputs for Guesses {
    fn value(&mut self, request: &Request<'_>) -> InputValue {
        if request.name.contains("unknown") {
            if self.random.below(3) == 0 {
                self.more = self.more.saturating_sub(1);
            }
            if self.more == 0 {
                return InputValue::Null;
            }
        }
        let number = match self.random.below(8) {
            0 => 0,
            1 if self.large => {
                *self.random.pick(&[i64::from(i32::MAX), i64::from(i32::MIN), 255, 256, -129, 65535])
            }
            2 if self.large => self.random.next() as i64 >> self.random.below(63),
            3 => self.random.range(-20, 40),
            _ => self.random.range(-1, 7),
        };
        InputValue::Integer(number.into())
    }

    fn byte(&mut self) -> Option<u8> {
        None
    }
}
