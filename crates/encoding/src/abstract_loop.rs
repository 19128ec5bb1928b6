//! Abstract loops: any iteration of a loop, in place of all of them (havoc abstraction).
//!
//! ```text
//! entry ─► [ what the loop changes becomes anything, as far as invariants hold ] ─► one iteration ─┬─► exits: the code goes on
//!                                                                                        └─► again: ends here
//! ```
//!
//! LoopFrog, section 3.3 and Algorithm 1: whatever a loop does, each iteration starts in some state that differs from
//! the one at entry in what the loop changes alone. Invariants about that state come later: the guard of the iteration
//! holds a symbol that stands for them ([`AbstractLoop::holds`]), and [`crate::Axioms`] says what follows from it.
//! Somebody else makes sure that the invariants are true at entry and remain true from an iteration to the next; the
//! states for that are in the abstract loop.
//!
//! What a loop changes is found by encoding an iteration and examining what is different afterwards, until nothing new
//! comes up. Two additions to the paper: the first iterations may be encoded one by one before the abstract loop, and
//! the abstract loop may take several iterations of which only the last is examined (k-induction); and a loop whose
//! iterations are all decided (a constant number of them) needs no abstract loop.
//!
//! Known imprecision: objects that are made in an iteration and live on after it end the path.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::{Index, Location, Stop};
use logic::{Sort, Term, Terms};
use program::{BlockId, Body, FunctionId, Type, VariableId};

use crate::cell_array::{CellArray, Cells};
use crate::encoder::Encoder;
use crate::guard::Guard;
use crate::memory::{Contents, Object};
use crate::run::Frame;
use crate::state::State;
use crate::value::{OBJECT_WIDTH, OFFSET_WIDTH, Pointer, Value, anything};
use program::order::Component;

/// How loops are abstracted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoopAbstraction {
    /// How many iterations an abstract loop takes: the verification conditions of all but the last are taken to be
    /// fulfilled. More than one needs as many iterations but one before the abstract loop.
    pub steps: u64,
    /// Loops that are decided iteration by iteration are encoded so, up to this many iterations.
    pub decided: u64,
}

/// An abstract loop.
#[derive(Clone, Debug)]
pub struct AbstractLoop {
    /// The function.
    pub function: FunctionId,
    /// The loop's head.
    pub head: BlockId,
    /// All blocks of the loop, sorted.
    pub blocks: Rc<[BlockId]>,
    /// Where the loop stands.
    pub location: Location,
    /// The active calls, the outermost first.
    pub stack: Rc<Vec<(FunctionId, Location)>>,
    /// The abstract loop around this one, by its place in the list of abstract loops.
    pub outer: Option<usize>,
    /// The states at the head in the iterations that were encoded before the abstract loop, and the one in which it
    /// starts: the first is the state at the loop's entry.
    pub entries: Vec<State>,
    /// The states at the head in the iterations of the abstract loop. The first one is any.
    pub starts: Vec<Start>,
    /// The state at the head after the last of them.
    pub again: Option<State>,
    /// When an iteration begins in the last of them: control enters the body of a `for` or a `while`, or it is at the
    /// head of any other loop. Every iteration has just one beginning.
    pub inside: Vec<Guard>,
    /// The states in which the last of them leaves the loop, or the function.
    pub exits: Vec<State>,
    /// What the loop changes.
    pub changed: Changed,
    /// How many events came before.
    pub events: usize,
}

/// A state at the head of a loop in any iteration.
#[derive(Clone, Debug)]
pub struct Start {
    /// The state.
    pub state: State,
    /// The symbol that stands for the invariants that hold in it.
    pub holds: Term,
}

/// The iterations of an abstract loop: the states at the head before each and after the last, and where control goes in
/// the last.
#[derive(Default)]
struct Iterations {
    starts: Vec<Start>,
    again: Option<State>,
    inside: Vec<Guard>,
    exits: Vec<State>,
}

/// What a loop changes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Changed {
    /// Variables.
    pub variables: BTreeSet<VariableId>,
    /// Objects, by number.
    pub objects: BTreeMap<u32, ObjectChange>,
    /// Where changed pointers can point besides where they point at entry.
    targets: BTreeMap<VariableId, BTreeSet<u32>>,
    /// Pointers that may have another offset than at entry, whichever object they point to.
    moved: BTreeSet<VariableId>,
    /// Variables that may be uninitialised.
    unwritten: BTreeSet<VariableId>,
}

/// What a loop changes about an object.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ObjectChange {
    /// Whether it may begin or end to live.
    pub alive: bool,
    /// Which cells it may write.
    pub bits: Cells,
    owners: Cells,
    written: Cells,
}

impl Changed {
    /// Leaves out the objects with a number and above: what was found where the loop stood before has others.
    fn forget_objects(&mut self, first: u32) {
        self.objects.split_off(&first);
        self.targets.values_mut().for_each(|targets| drop(targets.split_off(&first)));
    }
}

/// How much was found at some time, so that what comes later can be taken back.
pub(crate) struct Mark {
    vcs: usize,
    incomplete: usize,
    inputs: usize,
    events: usize,
    abstract_loops: usize,
    objects: usize,
    returns: usize,
    pending: BTreeMap<BlockId, Vec<State>>,
}

impl<'p> Encoder<'p> {
    pub(crate) fn mark(&self, frame: &Frame<'p>) -> Mark {
        let findings = &self.findings;
        Mark {
            vcs: findings.vcs.len(),
            incomplete: findings.incomplete.len(),
            inputs: findings.inputs.len(),
            events: findings.events.len(),
            abstract_loops: findings.abstract_loops.len(),
            objects: self.objects.len(),
            returns: frame.returns.len(),
            pending: frame.pending.clone(),
        }
    }

    /// Takes back everything since a mark.
    pub(crate) fn take_back(&mut self, frame: &mut Frame<'p>, mark: &Mark) {
        self.findings.inputs.truncate(mark.inputs);
        self.findings.events.truncate(mark.events);
        self.objects.truncate(mark.objects);
        let made = mark.objects as u32;
        for object in &mut self.objects {
            _ = object.targets.split_off(&made);
        }
        self.take_back_obligations(frame, mark);
    }

    /// Takes back what was required since a mark, and the paths that left: but not what was made.
    fn take_back_obligations(&mut self, frame: &mut Frame<'p>, mark: &Mark) {
        self.findings.vcs.truncate(mark.vcs);
        self.findings.incomplete.truncate(mark.incomplete);
        self.findings.abstract_loops.truncate(mark.abstract_loops);
        frame.returns.truncate(mark.returns);
        frame.pending = mark.pending.clone();
    }

    /// Gives values to uninitialised variables of the source that a loop reads or assigns, so that invariants can speak
    /// of the values that they have at entry: all iterations read the same one.
    pub(crate) fn settle_unset(&mut self, frame: &mut Frame<'p>, component: &Component) {
        let body = frame.body;
        let mut variables = assigned(body, &component.blocks).variables;
        for &block in &component.blocks {
            let block = &body.blocks[block];
            let mut note = |expression| {
                body.for_each_variable(expression, &mut |variable| _ = variables.insert(variable));
            };
            block.statements.iter().for_each(|statement| statement.kind.visit_operands(&mut note));
            block.terminator.operand().into_iter().for_each(&mut note);
        }
        variables
            .retain(|variable| self.program.variable(body, *variable).origin != program::Origin::Temporary);
        for block in &component.blocks {
            let Some(mut states) = frame.pending.remove(block) else { continue };
            for state in &mut states {
                for &variable in &variables {
                    self.read_variable(body, state, variable);
                }
            }
            frame.pending.insert(*block, states);
        }
    }

    /// Abstracts a loop. `entries` are the states at its head in the iterations before.
    pub(crate) fn abstract_loop(
        &mut self,
        frame: &mut Frame<'p>,
        component: &Component,
        mut entries: Vec<State>,
        abstract_loops: LoopAbstraction,
    ) -> Result<(), Stop> {
        let Some(entry) = self.joined(frame, component.head)? else { return Ok(()) };
        entries.push(entry.clone());
        let key = (frame.function, component.head);
        let mut changed =
            self.changes.get(&key).cloned().unwrap_or_else(|| assigned(frame.body, &component.blocks));
        let location = frame.body.blocks[component.head].location;
        self.come_to(location);
        let stack = self.current_stack();
        let made = self.objects.len() as u32;
        changed.forget_objects(made);
        // An abstract loop may start in any iteration, those before it included: what differs between them is not the
        // same in all.
        for earlier in &entries[..entries.len() - 1] {
            let mut comparison = Comparison { encoder: self, made, grown: false };
            comparison.changes(&mut changed, &entry, &entry, earlier);
        }
        loop {
            let mark = self.mark(frame);
            let place = self.findings.abstract_loops.len();
            let outer = self.open_abstract_loops.last().copied();
            self.findings.abstract_loops.push(AbstractLoop {
                function: frame.function,
                head: component.head,
                blocks: component.blocks.clone().into(),
                location,
                stack: stack.clone(),
                outer,
                entries: entries.clone(),
                starts: Vec::new(),
                again: None,
                inside: Vec::new(),
                exits: Vec::new(),
                changed: changed.clone(),
                events: self.findings.events.len(),
            });
            let targets = self.count_targets(mark.objects);
            let start = self.any_iteration(frame.body, &entry, &changed);
            let first = start.clone();
            self.open_abstract_loops.push(place);
            let passed = self.iterations(frame, component, start, abstract_loops.steps.max(1), place);
            self.open_abstract_loops.pop();
            let Iterations { starts, mut again, inside, exits } = passed?;
            let grown = again.as_ref().is_some_and(|again| {
                let mut comparison = Comparison { encoder: self, made: mark.objects as u32, grown: false };
                comparison.changes(&mut changed, &entry, &first.state, again);
                comparison.grown
            });
            if !grown && self.count_targets(mark.objects) == targets {
                if let Some(again) = &mut again {
                    self.come_to(location);
                    self.end_survivors(again, mark.objects as u32);
                }
                let abstract_loop = &mut self.findings.abstract_loops[place];
                (abstract_loop.starts, abstract_loop.again) = (starts, again);
                (abstract_loop.inside, abstract_loop.exits) = (inside, exits);
                abstract_loop.changed = changed.clone();
                break;
            }
            self.take_back(frame, &mark);
        }
        self.changes.insert(key, changed);
        Ok(())
    }

    /// Encodes iterations of which only the last one counts.
    fn iterations(
        &mut self,
        frame: &mut Frame<'p>,
        component: &Component,
        start: Start,
        steps: u64,
        place: usize,
    ) -> Result<Iterations, Stop> {
        let mut starts = vec![start.clone()];
        let mut state = start.state;
        for step in 1..=steps {
            let mark = self.mark(frame);
            let (begun, at_head) = (frame.begun.len(), state.guard.clone());
            frame.pending.insert(component.head, vec![state]);
            self.block(frame, component.head)?;
            let beginning = Beginning::of(frame, component);
            self.elements(frame, &component.rest)?;
            let begun = frame.begun.split_off(begun);
            let inside = match beginning {
                Beginning::Head => vec![at_head],
                Beginning::Body(place) => {
                    begun.into_iter().filter(|(own, _)| *own == place).map(|(_, guard)| guard).collect()
                }
                Beginning::AfterHead(guards) => guards,
            };
            let again = self.joined(frame, component.head)?;
            if step == steps {
                let exits = left_since(frame, &mark);
                return Ok(Iterations { starts, again, inside, exits });
            }
            self.take_back_obligations(frame, &mark);
            debug_assert!(self.findings.abstract_loops.len() > place);
            let Some(mut again) = again else {
                return Ok(Iterations { starts, inside, ..Iterations::default() });
            };
            let holds = self.terms.fresh("invariants", Sort::Bool);
            again.assume(&mut self.terms, holds);
            starts.push(Start { state: again.clone(), holds });
            state = again;
        }
        Ok(Iterations { starts, ..Iterations::default() })
    }

    /// Another state at the head of a loop in any iteration, of which no invariants are known.
    pub fn another_iteration(&mut self, body: &Body, abstract_loop: &AbstractLoop) -> Option<State> {
        let entry = abstract_loop.entries.last()?.clone();
        Some(self.any_iteration(body, &entry, &abstract_loop.changed).state)
    }

    /// A state at the head in any iteration.
    fn any_iteration(&mut self, body: &Body, entry: &State, changed: &Changed) -> Start {
        let mut state = entry.clone();
        for &variable in &changed.variables {
            let description = self.program.variable(body, variable);
            let name = description.name.clone();
            let old = entry.variable(variable);
            let value = match description.ty {
                Type::Pointer => {
                    let targets = changed.targets.get(&variable);
                    let fixed = self.fixed_offset(old).filter(|_| !changed.moved.contains(&variable));
                    self.any_pointer(&name, old, targets, fixed)
                }
                ty => anything(&mut self.terms, &name, ty, self.options.integers),
            };
            // A value that is passed on as it is does not change and is still not written.
            if changed.unwritten.contains(&variable) || !self.is_surely_written(old) {
                self.note_unwritten(value);
            }
            state.set_variable(variable, value);
        }
        for (&number, change) in &changed.objects {
            let Some(contents) = state.contents_mut(number) else { continue };
            let Object { name, cell, .. } = &self.objects[number as usize];
            let terms = &mut self.terms;
            if change.alive {
                contents.alive = terms.fresh(format!("{name} lives"), Sort::Bool);
            }
            contents.bits.forget(terms, &change.bits, name);
            forget_cells(terms, &mut contents.owners, &change.owners, &contents.bits, OBJECT_WIDTH, name);
            forget_cells(terms, &mut contents.written, &change.written, &contents.bits, *cell as u32, name);
        }
        let holds = self.terms.fresh("invariants", Sort::Bool);
        state.assume(&mut self.terms, holds);
        Start { state, holds }
    }

    /// The offset of a pointer, if it is known.
    fn fixed_offset(&self, value: Value) -> Option<Term> {
        let Value::Pointer(pointer) = value else { return None };
        self.terms.known_bits(pointer.offset).map(|_| pointer.offset)
    }

    /// A pointer of which only the objects are known, and the offset in them if that is fixed.
    fn any_pointer(
        &mut self,
        name: &str,
        entry: Value,
        targets: Option<&BTreeSet<u32>>,
        fixed: Option<Term>,
    ) -> Value {
        let mut numbers: BTreeSet<u32> = targets.cloned().unwrap_or_default();
        match entry {
            Value::Pointer(pointer) => {
                numbers.extend(self.candidates(pointer.object));
                if self.may_be_none(pointer.object) {
                    numbers.insert(0);
                }
            }
            _ => _ = numbers.insert(0),
        }
        let any = self.terms.fresh(format!("offset of {name}"), Sort::BitVector(OFFSET_WIDTH));
        // The offset says nothing where there is no object.
        let none = fixed.is_some() && numbers.remove(&0);
        let offset = fixed.filter(|_| !numbers.is_empty()).unwrap_or(any);
        let pointer = self.one_of(name, numbers, offset);
        if !none || pointer.object == self.number_term(0) {
            return Value::Pointer(pointer);
        }
        let condition = self.terms.fresh(format!("{name} is nowhere"), Sort::Bool);
        let nowhere = Pointer { object: self.number_term(0), offset: any };
        Value::Pointer(Pointer::choose(&mut self.terms, condition, nowhere, pointer))
    }

    /// A pointer to one of some objects; to none if there is none.
    fn one_of(&mut self, name: &str, numbers: BTreeSet<u32>, offset: Term) -> Pointer {
        if numbers.len() <= 1 {
            let object = self.number_term(numbers.first().copied().unwrap_or(0));
            return Pointer { object, offset };
        }
        let object = self.terms.fresh(format!("object of {name}"), Sort::BitVector(OBJECT_WIDTH));
        let list: Vec<u32> = numbers.into_iter().collect();
        self.note_possible(object, &list);
        if !list.contains(&0) {
            self.never_none.insert(object);
        }
        let cases: Vec<Term> = list
            .iter()
            .map(|&number| {
                let number = self.number_term(number);
                self.terms.equal(object, number)
            })
            .collect();
        let one = self.terms.any(&cases);
        self.axioms.add(object, one);
        Pointer { object, offset }
    }

    /// Whether a pointer with this object may point to none.
    fn may_be_none(&self, object: Term) -> bool {
        self.leaves(object).into_iter().any(|leaf| match self.known_number(leaf) {
            Some(number) => number == 0,
            // What was read from memory can always be null.
            None => !self.never_none.contains(&leaf),
        })
    }

    /// How many targets are known of the objects that were there before an iteration, and how many of these were given
    /// away.
    fn count_targets(&self, objects: usize) -> usize {
        let targets = |object: &Object| object.targets.range(..objects as u32).count();
        let escaped = self.escaped.range(..objects as u32).count();
        self.objects[..objects].iter().map(targets).sum::<usize>() + escaped
    }

    /// Ends the paths on which objects that an iteration has made live on.
    fn end_survivors(&mut self, again: &mut State, made: u32) {
        for number in made..again.memory.len() as u32 {
            let Some(contents) = again.contents(number) else { continue };
            let alive = contents.alive;
            if self.terms.is_false(alive) || self.is_passing(number) {
                continue;
            }
            let dead = self.terms.not(alive);
            let what = String::from("memory that a loop allocates and keeps");
            self.give_up_unless(again, dead, what);
        }
    }
}

/// Where an iteration of a loop begins.
enum Beginning {
    /// At the head.
    Head,
    /// Where the body of the statement at this place does.
    Body(Location),
    /// A loop that tests first and does not say where its body is: wherever control goes on from the head into it.
    AfterHead(Vec<Guard>),
}

impl Beginning {
    /// Of a loop whose head was just passed.
    fn of(frame: &Frame<'_>, component: &Component) -> Self {
        let blocks = &frame.body.blocks;
        let statement = blocks[component.head].loop_statement;
        let Some(place) = statement.filter(|one| one.kind.tests_first()).map(|one| one.location) else {
            return Beginning::Head;
        };
        if component.blocks.iter().any(|&block| blocks[block].body_of == Some(place)) {
            return Beginning::Body(place);
        }
        let inside = frame.pending.iter().filter(|(block, _)| component.blocks.contains(block));
        let guards = inside.flat_map(|(_, states)| states.iter().map(|state| state.guard.clone()));
        Beginning::AfterHead(guards.collect())
    }
}

/// The states in which control has left a loop since a mark: it is about to enter a block outside, or returns.
fn left_since(frame: &Frame<'_>, mark: &Mark) -> Vec<State> {
    let mut left = Vec::new();
    for (block, states) in &frame.pending {
        let before = mark.pending.get(block).map_or(0, Vec::len);
        left.extend(states.iter().skip(before).cloned());
    }
    left.extend(frame.returns.iter().skip(mark.returns).map(|(state, _)| state.clone()));
    left
}

/// The variables that are assigned in some blocks.
fn assigned(body: &Body, blocks: &[BlockId]) -> Changed {
    let statements = blocks.iter().flat_map(|&block| &body.blocks[block].statements);
    let variables = statements.filter_map(|statement| statement.kind.target()).collect();
    Changed { variables, ..Changed::default() }
}

/// Lets cells of a cell array that need not be there be anything.
fn forget_cells(
    terms: &mut Terms,
    cell_array: &mut Option<CellArray>,
    cells: &Cells,
    shape: &CellArray,
    width: u32,
    name: &str,
) {
    match cell_array {
        _ if cells.is_empty() => {}
        Some(cell_array) => cell_array.forget(terms, cells, name),
        None => {
            let (index, count) = (shape.index_width(), shape.count());
            *cell_array = Some(CellArray::unknown(terms, name, Sort::BitVector(width), index, count));
        }
    }
}

/// Looks for what an iteration has changed.
struct Comparison<'a, 'p> {
    encoder: &'a mut Encoder<'p>,
    /// The first number of the objects that the iteration has made.
    made: u32,
    grown: bool,
}

impl Comparison<'_, '_> {
    fn changes(&mut self, changed: &mut Changed, entry: &State, start: &State, again: &State) {
        let locals = (0..start.locals.len()).map(<VariableId as Index>::new);
        let globals = (0..start.globals.len()).map(VariableId::global);
        for variable in locals.chain(globals) {
            let (before, after) = (start.variable(variable), again.variable(variable));
            if before != after {
                self.grown |= changed.variables.insert(variable);
                self.pointer(changed, variable, entry, after);
                let written = self.encoder.is_surely_written(after)
                    && self.encoder.is_surely_written(entry.variable(variable));
                if !written {
                    self.grown |= changed.unwritten.insert(variable);
                }
            }
        }
        for number in 0..self.made {
            self.object(changed, number, start, again);
        }
    }

    /// Takes note of where a changed pointer points after an iteration.
    fn pointer(&mut self, changed: &mut Changed, variable: VariableId, entry: &State, after: Value) {
        let Value::Pointer(after) = after else {
            if let Value::Pointer(_) = entry.variable(variable) {
                // It was never written there: it may point to nothing.
                self.grown |= changed.targets.entry(variable).or_default().insert(0);
            }
            return;
        };
        let mut numbers: BTreeSet<u32> = self.encoder.candidates(after.object).into_iter().collect();
        if let Some(fixed) = self.encoder.fixed_offset(entry.variable(variable)) {
            let moves = |number: &u32| self.encoder.offset_in(after, *number).is_some_and(|at| at != fixed);
            let moved = numbers.iter().any(moves);
            self.grown |= moved && changed.moved.insert(variable);
        }
        let made = numbers.split_off(&self.made);
        // What the iteration has made is not there in the next one: a pointer to it points to nothing.
        if !made.is_empty() || self.encoder.may_be_none(after.object) {
            numbers.insert(0);
        }
        if let Value::Pointer(entry) = entry.variable(variable) {
            for number in self.encoder.candidates(entry.object) {
                numbers.remove(&number);
            }
            if self.encoder.may_be_none(entry.object) {
                numbers.remove(&0);
            }
        }
        let known = changed.targets.entry(variable).or_default();
        let count = known.len();
        known.extend(numbers);
        self.grown |= known.len() > count;
    }

    fn object(&mut self, changed: &mut Changed, number: u32, start: &State, again: &State) {
        let Some(before) = start.contents(number) else { return };
        let old = changed.objects.get(&number).cloned().unwrap_or_default();
        let mut change = old.clone();
        match again.contents(number) {
            // Nobody can look into it any more.
            None => change.alive = true,
            Some(after) if std::ptr::eq(before, after) || before == after => return,
            Some(after) => self.contents(&mut change, before, after),
        }
        if change != old {
            changed.objects.insert(number, change);
            self.grown = true;
        }
    }

    fn contents(&mut self, change: &mut ObjectChange, before: &Contents, after: &Contents) {
        let terms = &mut self.encoder.terms;
        change.alive |= before.alive != after.alive;
        change.bits.join(before.bits.difference(terms, &after.bits));
        let mut cell_array =
            |change: &mut Cells, before: &Option<CellArray>, after: &Option<CellArray>| match (before, after)
            {
                (None, None) => {}
                (Some(before), Some(after)) => change.join(before.difference(terms, after)),
                _ => *change = Cells::All,
            };
        cell_array(&mut change.owners, &before.owners, &after.owners);
        cell_array(&mut change.written, &before.written, &after.written);
    }
}
