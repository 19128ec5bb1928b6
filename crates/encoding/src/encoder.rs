//! The encoder: what it is asked, what it gives back, and the objects that it knows.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::{Budget, Index, Location, Stop};
use logic::{Node, Term, Terms};
use program::interpret::{Integers, ObligationSet};
use program::{
    BlockId, Body, FunctionId, Initial, MarkId, ObjectId, Obligation, OverflowOp, Program, StatementKind,
    Type, Value as Known, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::abstract_loop::{AbstractLoop, Changed, LoopAbstraction};
use crate::axioms::Axioms;
use crate::guard::Guard;
use crate::memory::{self, Contents, Kind, Object, Start};
use crate::state::State;
use crate::value::{OBJECT_WIDTH, OFFSET_WIDTH, Pointer, Value, known};
use program::order::Element;

/// No more iterations of all loops together are encoded because they are decided.
const DECIDED: u64 = 3000;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Options {
    /// What integers are.
    pub integers: Integers,
    /// The obligations whose violations are looked for. A path ends where one of them is violated.
    pub checks: ObligationSet,
    /// The obligations that are not asked for and must hold: nothing is known of what follows their violation. A
    /// path ends there, too. Those of [`ALWAYS_NEEDED`] are needed whether they are listed or not.
    pub needed: ObligationSet,
    /// How many iterations of a loop are unwound, each time that control comes to it.
    pub iterations: u64,
    /// Whether to abstract what is left of a loop after these iterations. Otherwise the encoding ends there.
    pub abstract_loops: Option<LoopAbstraction>,
    /// How many calls may be active at once.
    pub call_depth: usize,
    /// How many calls of one function may be active at once.
    pub recursion: usize,
    /// Whether a signed operation that overflows gives any number, in the place of one that wraps: what is proved then is
    /// true whatever an overflow gives.
    pub any_overflow: bool,
    /// Whether an undefined function is taken to return. Otherwise a path ends where one is called that does more than
    /// print.
    pub outside_returns: bool,
    /// Whether a pointer that is moved and kept must stay in its object, or just behind it. C leaves undefined what comes
    /// otherwise: a run must not need it.
    pub kept_pointers: bool,
    /// Whether to take note of assignments, for a trace.
    pub trace: bool,
}

/// An obligation on the paths that come by.
#[derive(Clone, Debug)]
pub struct VerificationCondition {
    /// Its kind.
    pub obligation: Obligation,
    /// Where it stands.
    pub location: Location,
    /// The active calls, the outermost first.
    pub stack: Rc<Vec<(FunctionId, Location)>>,
    /// When it is violated, the path's condition included.
    pub violated: Term,
    /// What is required.
    pub condition: Term,
    /// When control comes there.
    pub guard: Guard,
    /// The abstract loop in whose iteration it stands, by its place in the list of abstract loops.
    pub abstract_loop: Option<usize>,
    /// How many events came before.
    pub events: usize,
    /// The access that it is about, if it is about one: where, and how many bytes.
    pub access: Option<(Pointer, Term)>,
    /// The operation that must not overflow, if it is about one, and its operands.
    pub operation: Option<(OverflowOp, Type, [Value; 2])>,
    /// What its check says of it.
    pub note: Option<Rc<str>>,
    /// The mark that it is, if it is one: it is violated whenever control comes by, and the encoding goes on after it.
    pub mark: Option<MarkId>,
    /// Whether it is one of those that are asked for. The others are what the encoding needs: after such a violation a
    /// program may do anything, and the encoding does not go on.
    pub asked: bool,
}

/// Paths that the encoding does not follow to their end.
#[derive(Clone, Debug)]
pub struct IncompletePath {
    /// When control comes there.
    pub reached: Term,
    /// Why it ends there.
    pub reason: Incompleteness,
    /// Where.
    pub location: Location,
    /// The active calls, the outermost first, and where each of them is.
    pub stack: Rc<Vec<(FunctionId, Location)>>,
}

/// Why the encoding does not follow a path to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Incompleteness {
    /// A loop goes on after as many iterations as are unwound.
    Loop,
    /// Calls are nested too deeply.
    Recursion,
    /// Something has no encoding.
    Unsupported(String),
}

/// A value that comes from outside.
#[derive(Clone, Debug)]
pub struct Input {
    /// When it is asked for.
    pub asked: Term,
    /// Who asks.
    pub name: String,
    /// Where.
    pub location: Location,
    /// Its type.
    pub ty: Type,
    /// The value.
    pub value: Value,
}

/// A step of a trace: a variable of the source gets a value.
#[derive(Clone, Debug)]
pub struct Event {
    /// When it happens.
    pub happens: Term,
    /// In which function.
    pub function: FunctionId,
    /// Which variable.
    pub variable: VariableId,
    /// What it becomes.
    pub value: Value,
    /// Where.
    pub location: Location,
}

/// What an encoding has found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// All obligations that are not trivially fulfilled, in the order of execution.
    pub vcs: Vec<VerificationCondition>,
    /// The paths that are not followed to their end.
    pub incomplete: Vec<IncompletePath>,
    /// The inputs, in the order of execution.
    pub inputs: Vec<Input>,
    /// The assignments, in the order of execution, if they were asked for.
    pub events: Vec<Event>,
    /// The abstract loops, an outer one before those in it.
    pub abstract_loops: Vec<AbstractLoop>,
}

/// Encodes a program into terms.
pub struct Encoder<'p> {
    /// The program.
    pub program: &'p Program,
    /// The terms.
    pub terms: Terms,
    /// What is asked.
    pub options: Options,
    /// What was found so far.
    pub findings: Findings,
    /// What is known of symbols that the encoding made up.
    pub axioms: Axioms,
    /// What may still be spent.
    pub budget: Budget,
    /// How many statements of a block control may come to, its end included. Blocks that it cannot come to are missing. It
    /// only grows: what is encoded and taken back stays in.
    pub reached: FxHashMap<(FunctionId, BlockId), usize>,
    /// What was required: in which function, where, what, and whether it was trivially fulfilled at least once. It only
    /// grows, too.
    pub required: FxHashMap<(FunctionId, Location, Obligation), bool>,
    /// The access that is being required.
    pub(crate) access: Option<(Pointer, Term)>,
    /// The operation of which it is being required that it does not overflow.
    pub(crate) operation: Option<(OverflowOp, Type, [Value; 2])>,
    /// What the check says that is encoded now.
    pub(crate) note: Option<Rc<str>>,
    pub(crate) objects: Vec<Object>,
    /// The objects that a term can be the number of, where the term itself does not show it.
    pub(crate) possible: FxHashMap<Term, Rc<[u32]>>,
    /// Symbols for the number of an object that is never none.
    pub(crate) never_none: FxHashSet<Term>,
    /// Objects that functions outside the program were given.
    pub(crate) escaped: BTreeSet<u32>,
    /// Whether undefined functions were called: the objects that they may give are none of these here.
    pub(crate) calls_outside: bool,
    /// The accesses that were found possible since the block, or the last call, began.
    pub(crate) checked: Vec<(Pointer, Term)>,
    /// Symbols that stand for what is uninitialised.
    pub(crate) unwritten: FxHashSet<Term>,
    /// The words of the command line that were asked for, by their offsets in the table of words.
    pub(crate) words: FxHashMap<Term, crate::arguments::Word>,
    /// For each object that is a word the offset for which it was made.
    pub(crate) word_places: FxHashMap<u32, Term>,
    /// The strings that somebody has asked for.
    pub(crate) ghosts: crate::strings::Ghosts,
    /// What loops were found to change.
    pub(crate) changes: FxHashMap<(FunctionId, BlockId), Changed>,
    /// Loops whose iterations are not decided.
    pub(crate) undecided: FxHashSet<(FunctionId, BlockId)>,
    /// How many iterations may still be encoded because they are decided.
    pub(crate) decided: u64,
    /// The abstract loops that are being encoded, by their place in the findings, the outermost first.
    pub(crate) open_abstract_loops: Vec<usize>,
    /// The function in which the run starts, and the state when it was entered.
    pub start: Option<(FunctionId, State)>,
    /// The function whose calls of itself are taken note of.
    pub(crate) reentered: Option<FunctionId>,
    /// The states in which it calls itself.
    pub(crate) reentries: Vec<State>,
    pub(crate) orders: BTreeMap<FunctionId, Rc<Vec<Element>>>,
    /// The active calls, the outermost first, and where each of them is.
    pub(crate) stack: Vec<(FunctionId, Location)>,
    /// Where the function stands in which the run starts.
    pub(crate) entered: Location,
    pub(crate) shared_stack: Option<Rc<Vec<(FunctionId, Location)>>>,
    /// The cell width for heap objects.
    heap_cell: u64,
}

impl<'p> Encoder<'p> {
    /// An encoder for a program.
    pub fn new(program: &'p Program, options: Options, budget: Budget) -> Self {
        let mut encoder = Self {
            program,
            terms: Terms::new(),
            options,
            findings: Findings::default(),
            axioms: Axioms::default(),
            budget,
            reached: FxHashMap::default(),
            required: FxHashMap::default(),
            access: None,
            operation: None,
            note: None,
            objects: Vec::new(),
            possible: FxHashMap::default(),
            never_none: FxHashSet::default(),
            escaped: BTreeSet::new(),
            calls_outside: false,
            checked: Vec::new(),
            unwritten: FxHashSet::default(),
            words: FxHashMap::default(),
            word_places: FxHashMap::default(),
            ghosts: Default::default(),
            changes: FxHashMap::default(),
            undecided: FxHashSet::default(),
            decided: DECIDED,
            open_abstract_loops: Vec::new(),
            start: None,
            reentered: None,
            reentries: Vec::new(),
            orders: BTreeMap::new(),
            stack: Vec::new(),
            entered: Location::unknown(),
            shared_stack: None,
            heap_cell: heap_cell(program),
        };
        encoder.lay_out();
        encoder
    }

    /// Gives numbers to the objects of the program and to its functions.
    fn lay_out(&mut self) {
        let zero = self.terms.bits(OFFSET_WIDTH, 0);
        let none = Object {
            kind: Kind::None,
            name: String::from("nothing"),
            size: zero,
            writable: false,
            cell: 1,
            targets: Default::default(),
        };
        self.objects.push(none.clone());
        for (id, object) in self.program.objects.iter() {
            let unknown = object.size == 0 && object.initial == Initial::Unknown;
            let size = if unknown {
                self.terms.fresh(format!("size of {}", object.name), logic::Sort::BitVector(OFFSET_WIDTH))
            } else {
                self.terms.bits(OFFSET_WIDTH, object.size.into())
            };
            self.objects.push(Object {
                kind: Kind::Global(id),
                name: object.name.clone(),
                size,
                writable: object.writable,
                cell: memory::cell_width(object.alignment, (!unknown).then_some(object.size)),
                targets: Default::default(),
            });
        }
        for (id, function) in self.program.functions.iter() {
            let object = Object { kind: Kind::Function(id), name: function.name.clone(), ..none.clone() };
            self.objects.push(object);
        }
    }

    /// The number of an object of the program.
    pub fn global_number(&self, object: ObjectId) -> u32 {
        1 + object.index() as u32
    }

    pub(crate) fn function_number(&self, function: FunctionId) -> u32 {
        (1 + self.program.objects.len() + function.index()) as u32
    }

    /// The state in which the program starts.
    pub fn initial_state(&mut self) -> State {
        let always = self.terms.bool(true);
        let mut state = State {
            guard: Guard::new(always),
            locals: Rc::default(),
            objects: Rc::default(),
            globals: Rc::default(),
            memory: Rc::new(vec![None; 1 + self.program.objects.len()]),
        };
        for (id, object) in self.program.objects.iter() {
            let number = self.global_number(id);
            let contents = self.initial_contents(number, object);
            state.set_contents(number, contents);
        }
        let globals = self.program.globals.iter().map(|global| {
            let known = self.known_value(global.variable.ty, global.initial);
            let name = || format!("initial {}", global.variable.name);
            known.unwrap_or_else(|| self.arbitrary(&name(), global.variable.ty))
        });
        state.globals = Rc::new(globals.collect());
        self.provide(&mut state);
        state
    }

    fn known_value(&mut self, ty: Type, value: Known) -> Option<Value> {
        Some(match (value, ty) {
            (Known::Integer(number), Type::Integer(integer)) => Value::Scalar(self.constant(integer, number)),
            (Known::Integer(number), _) => Value::Scalar(self.terms.bool(number != 0)),
            (Known::Float(bits), Type::Float(format)) => Value::Scalar(self.terms.bits(format.bits(), bits)),
            (Known::Float(_), _) | (Known::Unknown, _) => return None,
            (Known::Null, _) => Value::Pointer(Pointer::null(&mut self.terms)),
            (Known::Pointer(pointer), _) => Value::Pointer(self.known_pointer(pointer)),
        })
    }

    fn known_pointer(&mut self, pointer: program::Pointer) -> Pointer {
        let (number, offset) = match pointer {
            program::Pointer::Object(object, offset) => (self.global_number(object), offset),
            program::Pointer::Function(function) => (self.function_number(function), 0),
        };
        Pointer::to(&mut self.terms, number, offset)
    }

    /// What is not known here of an object that lives as long as the program.
    pub(crate) fn unknown_contents(&mut self, number: u32, global: &program::GlobalObject) -> Contents {
        let size = (global.size != 0).then_some(global.size);
        Contents::new(&mut self.terms, &self.objects[number as usize], size, Start::Unknown, false)
    }

    fn initial_contents(&mut self, number: u32, global: &program::GlobalObject) -> Contents {
        let Initial::Bytes { bytes, pointers } = &global.initial else {
            return self.unknown_contents(number, global);
        };
        let object = self.objects[number as usize].clone();
        let mut contents = Contents::new(&mut self.terms, &object, Some(global.size), Start::Zero, false);
        let cell = object.cell as usize;
        for (index, chunk) in bytes.chunks(cell).enumerate() {
            let mut buffer = [0; 16];
            buffer[..chunk.len()].copy_from_slice(chunk);
            let number = u128::from_le_bytes(buffer);
            if number != 0 {
                let term = self.terms.bits(8 * cell as u32, number);
                contents.bits.set(index as u64, term);
            }
        }
        for &(offset, pointer) in pointers {
            let pointer = self.known_pointer(pointer);
            self.note_targets(number, pointer.object);
            let range = memory::Range {
                offset: self.terms.bits(OFFSET_WIDTH, offset.into()),
                size: self.program.data_model.pointer_bytes(),
                cell: object.cell,
            };
            range.write_pointer(&mut self.terms, &mut contents, pointer);
        }
        contents
    }

    /// Makes an object that is alive. The number is new.
    pub(crate) fn create(
        &mut self,
        state: &mut State,
        kind: Kind,
        name: &str,
        size: Term,
        alignment: u64,
        start: Start,
    ) -> u32 {
        let known = known(&self.terms, size);
        let cell = match kind {
            Kind::Heap(_) | Kind::Alloca(_) => {
                let multiple = 1 << self.terms.trailing_zeros(size).min(3);
                memory::cell_width(if known == Some(0) { 1 } else { self.heap_cell.min(multiple) }, known)
            }
            _ => memory::cell_width(alignment, known),
        };
        let object =
            Object { kind, name: name.to_owned(), size, writable: true, cell, targets: Default::default() };
        let track = self.options.checks.contains(Obligation::Uninitialised);
        let contents = Contents::new(&mut self.terms, &object, known, start, track);
        let number = self.objects.len() as u32;
        self.objects.push(object);
        state.set_contents(number, contents);
        number
    }

    /// Takes note that a pointer to one of these objects is stored in an object.
    pub(crate) fn note_targets(&mut self, number: u32, object: Term) {
        let candidates = self.candidates(object);
        self.objects[number as usize].targets.extend(candidates);
    }

    /// The numbers of the objects that a term can be, without zero.
    pub fn candidates(&self, object: Term) -> Vec<u32> {
        let mut found = BTreeSet::new();
        for leaf in self.leaves(object) {
            match (self.known_number(leaf), self.possible.get(&leaf)) {
                (Some(number), _) => _ = found.insert(number),
                (None, Some(possible)) => found.extend(possible.iter().copied()),
                // Nobody has said what it can be.
                (None, None) => found.extend(1..self.objects.len() as u32),
            }
        }
        found.remove(&0);
        // An iteration that was taken back has made objects that are no more.
        found.split_off(&(self.objects.len() as u32));
        found.into_iter().collect()
    }

    /// What a term can be, by the choices in it.
    pub(crate) fn leaves(&self, object: Term) -> Vec<Term> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![object];
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.terms.node(term) {
                Node::Ite(_, then, otherwise) => stack.extend([then, otherwise]),
                _ => found.push(term),
            }
        }
        found
    }

    /// The number that a term is known to be.
    pub(crate) fn known_number(&self, object: Term) -> Option<u32> {
        known(&self.terms, object).and_then(|number| number.try_into().ok())
    }

    /// Takes note of what a number that was read from an object can be.
    pub fn note_possible(&mut self, object: Term, targets: &[u32]) {
        for leaf in self.leaves(object) {
            if self.known_number(leaf).is_none() {
                let old = self.possible.get(&leaf).cloned().unwrap_or_default();
                let all: BTreeSet<u32> = old.iter().chain(targets).copied().collect();
                self.possible.insert(leaf, all.into_iter().collect());
            }
        }
    }

    /// The value of a variable; one that was never written becomes an input.
    pub(crate) fn read_variable(&mut self, body: &Body, state: &mut State, variable: VariableId) -> Value {
        let value = state.variable(variable);
        if value != Value::Unset {
            return value;
        }
        let description = self.program.variable(body, variable);
        let name = format!("uninitialised {}", description.name);
        let (ty, location) = (description.ty, description.location);
        let value = self.input(state, &name, ty, location);
        self.note_unwritten(value);
        state.set_variable(variable, value);
        value
    }

    /// Takes note of an uninitialised value.
    pub(crate) fn note_unwritten(&mut self, value: Value) {
        self.unwritten.extend(value.term());
    }

    /// Whether a value surely comes from what somebody has written.
    pub(crate) fn is_surely_written(&self, value: Value) -> bool {
        let Some(root) = value.term() else { return false };
        self.unwritten.is_empty()
            || !self.terms.reachable(&[root]).iter().any(|term| self.unwritten.contains(term))
    }

    /// A value from outside.
    pub(crate) fn input(&mut self, state: &State, name: &str, ty: Type, location: Location) -> Value {
        let value = self.arbitrary(name, ty);
        self.note_input(state.guard.term(), name, location, (ty, value));
        value
    }

    /// Takes note of a value from outside that is asked for under a condition.
    pub(crate) fn note_input(&mut self, asked: Term, name: &str, location: Location, value: (Type, Value)) {
        let (ty, value) = value;
        self.findings.inputs.push(Input { asked, name: name.to_owned(), location, ty, value });
    }

    /// Requires that a condition holds, and goes on as if it did, or as if nobody had asked.
    pub(crate) fn check_condition(&mut self, state: &mut State, obligation: Obligation, condition: Term) {
        let asked = self.options.checks.contains(obligation);
        if asked || self.options.needed.contains(obligation) || ALWAYS_NEEDED.contains(obligation) {
            self.require(state, obligation, condition);
        }
    }

    /// Requires that a condition holds, asked for or not, and goes on as if it did.
    pub(crate) fn require(&mut self, state: &mut State, obligation: Obligation, condition: Term) {
        let trivial = self.terms.is_true(condition);
        self.note_required(obligation, trivial);
        if trivial {
            return;
        }
        let vc = self.vc(&state.guard, obligation, condition);
        state.assume(&mut self.terms, condition);
        self.findings.vcs.extend(vc);
    }

    /// Takes note of when control comes by a mark.
    pub(crate) fn come_by(&mut self, state: &State, mark: MarkId) {
        let never = self.terms.bool(false);
        let vc = self.vc(&state.guard, Obligation::ReachError, never);
        let vc = vc.map(|vc| VerificationCondition { mark: Some(mark), asked: true, ..vc });
        self.findings.vcs.extend(vc);
    }

    /// That a condition holds on the paths that come by. Nothing if it surely does.
    fn vc(
        &mut self,
        guard: &Guard,
        obligation: Obligation,
        condition: Term,
    ) -> Option<VerificationCondition> {
        let not = self.terms.not(condition);
        let violated = self.terms.and(guard.term(), not);
        if self.terms.is_false(violated) {
            return None;
        }
        Some(VerificationCondition {
            obligation,
            location: self.location(),
            stack: self.current_stack(),
            violated,
            condition,
            guard: guard.clone(),
            abstract_loop: self.open_abstract_loops.last().copied(),
            events: self.findings.events.len(),
            access: self.access,
            operation: self.operation,
            note: self.note.clone(),
            mark: None,
            asked: self.options.checks.contains(obligation),
        })
    }

    /// Takes note that something was required.
    pub(crate) fn note_required(&mut self, obligation: Obligation, trivial: bool) {
        if let Some(&(function, location)) = self.stack.last() {
            *self.required.entry((function, location, obligation)).or_default() |= trivial;
        }
    }

    /// Comes to a place in the running function.
    pub(crate) fn come_to(&mut self, location: Location) {
        if let Some(last) = self.stack.last_mut() {
            last.1 = location;
        }
    }

    /// Where the running function is.
    pub(crate) fn location(&self) -> Location {
        self.stack.last().map_or(self.entered, |&(_, location)| location)
    }

    pub(crate) fn current_stack(&mut self) -> Rc<Vec<(FunctionId, Location)>> {
        match &self.shared_stack {
            Some(stack) if **stack == self.stack => stack.clone(),
            _ => {
                let stack = Rc::new(self.stack.clone());
                self.shared_stack = Some(stack.clone());
                stack
            }
        }
    }

    /// Gives up on a path.
    pub(crate) fn give_up(&mut self, state: &mut State, reason: Incompleteness) {
        let reached = state.guard.term();
        if !self.terms.is_false(reached) {
            let (location, stack) = (self.location(), self.current_stack());
            self.findings.incomplete.push(IncompletePath { reached, reason, location, stack });
        }
        let never = self.terms.bool(false);
        state.assume(&mut self.terms, never);
    }

    /// Gives up on a path unless a condition holds, and goes on as if it did.
    pub(crate) fn give_up_unless(&mut self, state: &mut State, condition: Term, what: String) {
        let mut lost = state.clone();
        let not = self.terms.not(condition);
        lost.assume(&mut self.terms, not);
        self.give_up(&mut lost, Incompleteness::Unsupported(what));
        state.assume(&mut self.terms, condition);
    }

    /// Takes a step off the budget now and then.
    pub(crate) fn step(&mut self) -> Result<(), Stop> {
        self.budget.spend(1)
    }

    /// Gives a number to an object that is alive in a state that starts in the middle of a run. Its bytes can be anything.
    pub fn declare_object(
        &mut self,
        state: &mut State,
        kind: Kind,
        name: &str,
        size: u64,
        alignment: u64,
    ) -> u32 {
        let size = self.terms.bits(OFFSET_WIDTH, size.into());
        self.create(state, kind, name, size, alignment, Start::Unwritten)
    }

    /// Says where pointers in an object can point.
    pub fn declare_targets(&mut self, number: u32, objects: &[u32]) {
        self.objects[number as usize].targets.extend(objects);
    }

    /// How many objects there are, the one that is none included.
    pub fn object_count(&self) -> u32 {
        self.objects.len() as u32
    }

    /// The object that a number stands for.
    pub fn object(&self, number: u32) -> &Object {
        &self.objects[number as usize]
    }

    pub(crate) fn number_term(&mut self, number: u32) -> Term {
        self.terms.bits(OBJECT_WIDTH, number.into())
    }
}

/// The obligations without which an encoding cannot go on: there is no value or no memory that what follows could use.
pub const ALWAYS_NEEDED: ObligationSet = ObligationSet::EMPTY
    .with(Obligation::OutOfBounds)
    .with(Obligation::Null)
    .with(Obligation::Dangling)
    .with(Obligation::Division)
    .with(Obligation::Shift)
    .with(Obligation::StringTermination)
    .with(Obligation::Unreachable)
    .with(Obligation::Sequence)
    .with(Obligation::InvalidFree)
    .with(Obligation::Contract);

/// A cell width for heap objects: the widest access through a pointer whose object nobody names.
fn heap_cell(program: &Program) -> u64 {
    let mut widest = 1;
    for body in program.functions.values().filter_map(|function| function.body()) {
        for statement in body.blocks.values().flat_map(|block| &block.statements) {
            let ty = match statement.kind {
                StatementKind::Load { target, .. } => program.variable(body, target).ty,
                StatementKind::Store { value, .. } => body.expressions[value].ty,
                _ => continue,
            };
            widest = widest.max(ty.bytes(program.data_model).min(8));
        }
    }
    if widest.is_power_of_two() { widest } else { 8 }
}
