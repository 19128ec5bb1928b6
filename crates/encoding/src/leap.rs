//! Loops as leaps: any pass through a loop, in place of all of them.
//!
//! ```text
//! entry ─► [ what the loop changes becomes anything, as far as facts hold ] ─► one pass ─┬─► exits: the code goes on
//!                                                                                        └─► again: ends here
//! ```
//!
//! LoopFrog, section 3.3 and Algorithm 1: whatever a loop does, each pass starts in some state that differs from the one
//! at entry in what the loop changes alone. Facts about that state come later: the guard of the pass holds a symbol that
//! stands for them ([`Leap::holds`]), and [`crate::Knowledge`] says what follows from it. Somebody else makes sure
//! that the facts are true at entry and remain true from a pass to the next; the states for that are in the leap.
//!
//! What a loop changes is found by encoding a pass and looking at what is different afterwards, until nothing new
//! comes up. Two additions to the paper: the first passes may be encoded one by one before the leap, and the leap may
//! take several passes of which only the last is looked at (k-induction); and a loop whose passes are all decided (a
//! constant number of them) needs no leap.
//!
//! Known imprecision: objects that are made in a pass and live on after it end the path.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::{Index, Location, Stop};
use logic::{Sort, Term, Terms};
use program::{BlockId, Body, FunctionId, Type, VariableId};

use crate::encoder::{Encoder, LooseEnd};
use crate::guard::Guard;
use crate::lane::{Cells, Lane};
use crate::memory::Contents;
use crate::run::Frame;
use crate::state::State;
use crate::value::{OBJECT_WIDTH, OFFSET_WIDTH, Pointer, Value, anything};
use program::order::Component;

/// How loops are leapt over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaps {
    /// How many passes a leap takes: the demands of all but the last are taken to be fulfilled. More than one needs as
    /// many passes but one before the leap.
    pub steps: u64,
    /// Loops that are decided pass by pass are encoded so, up to this many passes.
    pub decided: u64,
    /// Whether a signed operation that overflows gives any number, in the place of one that wraps: what is proved then is
    /// true whatever an overflow gives.
    pub any_overflow: bool,
}

/// A leap over a loop.
#[derive(Clone, Debug)]
pub struct Leap {
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
    /// The leap around this one, by its place in the list of leaps.
    pub outer: Option<usize>,
    /// The states at the head in the passes that were encoded before the leap, and the one in which it starts: the first
    /// is the state at the loop's entry.
    pub entries: Vec<State>,
    /// The states at the head in the passes of the leap. The first one is any.
    pub starts: Vec<Start>,
    /// The state at the head after the last of them.
    pub again: Option<State>,
    /// When an iteration begins in the last of them: control enters the body of a `for` or a `while`, or it is at the head
    /// of any other loop. Every pass has just one beginning.
    pub inside: Vec<Guard>,
    /// The states in which the last of them leaves the loop, or the function.
    pub exits: Vec<State>,
    /// What the loop changes.
    pub changed: Changed,
    /// How many events came before.
    pub events: usize,
}

/// A state at the head of a loop in any pass.
#[derive(Clone, Debug)]
pub struct Start {
    /// The state.
    pub state: State,
    /// The symbol that stands for the facts that hold in it.
    pub holds: Term,
}

/// The passes of a leap: the states at the head before each and after the last, and where control goes in the last.
#[derive(Default)]
struct Passes {
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
    /// Variables that may hold what nobody has written.
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
    demands: usize,
    loose: usize,
    inputs: usize,
    events: usize,
    leaps: usize,
    objects: usize,
    returns: usize,
    pending: BTreeMap<BlockId, Vec<State>>,
}

impl<'p> Encoder<'p> {
    pub(crate) fn mark(&self, frame: &Frame<'p>) -> Mark {
        let findings = &self.findings;
        Mark {
            demands: findings.demands.len(),
            loose: findings.loose.len(),
            inputs: findings.inputs.len(),
            events: findings.events.len(),
            leaps: findings.leaps.len(),
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
        self.take_back_duties(frame, mark);
    }

    /// Takes back what was demanded since a mark, and the paths that left: but not what was made.
    fn take_back_duties(&mut self, frame: &mut Frame<'p>, mark: &Mark) {
        self.findings.demands.truncate(mark.demands);
        self.findings.loose.truncate(mark.loose);
        self.findings.leaps.truncate(mark.leaps);
        frame.returns.truncate(mark.returns);
        frame.pending = mark.pending.clone();
    }

    /// Gives values to variables of the source that nobody has written and that a loop reads or assigns, so that facts
    /// can speak of the values that they have at entry: all passes read the same one.
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

    /// Leaps over a loop. `entries` are the states at its head in the passes before.
    pub(crate) fn leap(
        &mut self,
        frame: &mut Frame<'p>,
        component: &Component,
        mut entries: Vec<State>,
        leaps: Leaps,
    ) -> Result<(), Stop> {
        let Some(entry) = self.joined(frame, component.head)? else { return Ok(()) };
        entries.push(entry.clone());
        let key = (frame.function, component.head);
        let mut changed =
            self.changes.get(&key).cloned().unwrap_or_else(|| assigned(frame.body, &component.blocks));
        let location = frame.body.blocks[component.head].location;
        let stack = self.current_stack(location);
        let made = self.objects.len() as u32;
        changed.forget_objects(made);
        // A leap may start in any pass, those before it included: what differs between them is not the same in all.
        for earlier in &entries[..entries.len() - 1] {
            let mut comparison = Comparison { encoder: self, made, grown: false };
            comparison.changes(&mut changed, &entry, &entry, earlier);
        }
        loop {
            let mark = self.mark(frame);
            let place = self.findings.leaps.len();
            let outer = self.open_leaps.last().copied();
            self.findings.leaps.push(Leap {
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
            let start = self.any_pass(frame.body, &entry, &changed);
            let first = start.clone();
            self.open_leaps.push(place);
            let passed = self.passes(frame, component, start, leaps.steps.max(1), place);
            self.open_leaps.pop();
            let Passes { starts, mut again, inside, exits } = passed?;
            let grown = again.as_ref().is_some_and(|again| {
                let mut comparison = Comparison { encoder: self, made: mark.objects as u32, grown: false };
                comparison.changes(&mut changed, &entry, &first.state, again);
                comparison.grown
            });
            if !grown && self.count_targets(mark.objects) == targets {
                if let Some(again) = &mut again {
                    self.end_survivors(again, mark.objects as u32, location);
                }
                let leap = &mut self.findings.leaps[place];
                (leap.starts, leap.again) = (starts, again);
                (leap.inside, leap.exits) = (inside, exits);
                leap.changed = changed.clone();
                break;
            }
            self.take_back(frame, &mark);
        }
        self.changes.insert(key, changed);
        Ok(())
    }

    /// Encodes passes of which only the last one counts.
    fn passes(
        &mut self,
        frame: &mut Frame<'p>,
        component: &Component,
        start: Start,
        steps: u64,
        place: usize,
    ) -> Result<Passes, Stop> {
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
                return Ok(Passes { starts, again, inside, exits });
            }
            self.take_back_duties(frame, &mark);
            debug_assert!(self.findings.leaps.len() > place);
            let Some(mut again) = again else { return Ok(Passes { starts, inside, ..Passes::default() }) };
            let holds = self.terms.fresh("facts", Sort::Bool);
            again.assume(&mut self.terms, holds);
            starts.push(Start { state: again.clone(), holds });
            state = again;
        }
        Ok(Passes { starts, ..Passes::default() })
    }

    /// Another state at the head of a loop in any pass, of which no facts are known.
    pub fn another_pass(&mut self, body: &Body, leap: &Leap) -> Option<State> {
        let entry = leap.entries.last()?.clone();
        Some(self.any_pass(body, &entry, &leap.changed).state)
    }

    /// A state at the head in any pass.
    fn any_pass(&mut self, body: &Body, entry: &State, changed: &Changed) -> Start {
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
            let Some(contents) = state.contents(number) else { continue };
            let mut contents = contents.clone();
            let name = self.objects[number as usize].name.clone();
            let terms = &mut self.terms;
            if change.alive {
                contents.alive = terms.fresh(format!("{name} lives"), Sort::Bool);
            }
            contents.bits.forget(terms, &change.bits, &name);
            let shape = contents.bits.clone();
            forget_lane(terms, &mut contents.owners, &change.owners, &shape, OBJECT_WIDTH, &name);
            let cell = self.objects[number as usize].cell as u32;
            forget_lane(terms, &mut contents.written, &change.written, &shape, cell, &name);
            state.set_contents(number, contents);
        }
        let holds = self.terms.fresh("facts", Sort::Bool);
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
        self.knowledge.add(object, one);
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

    /// How many targets are known of the objects that were there before a pass, and how many of these were given away.
    fn count_targets(&self, objects: usize) -> usize {
        let targets = |object: &crate::memory::Object| object.targets.range(..objects as u32).count();
        let escaped = self.escaped.range(..objects as u32).count();
        self.objects[..objects].iter().map(targets).sum::<usize>() + escaped
    }

    /// Ends the paths on which objects that a pass has made live on.
    fn end_survivors(&mut self, again: &mut State, made: u32, location: Location) {
        for number in made..again.memory.len() as u32 {
            let Some(contents) = again.contents(number) else { continue };
            let alive = contents.alive;
            if self.terms.is_false(alive) || self.is_passing(number) {
                continue;
            }
            let mut lost = again.clone();
            lost.assume(&mut self.terms, alive);
            let what = String::from("memory that a loop allocates and keeps");
            self.give_up(&mut lost, LooseEnd::Unsupported(what), location);
            let dead = self.terms.not(alive);
            again.assume(&mut self.terms, dead);
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

/// Lets cells of a lane that need not be there be anything.
fn forget_lane(
    terms: &mut Terms,
    lane: &mut Option<Lane>,
    cells: &Cells,
    shape: &Lane,
    width: u32,
    name: &str,
) {
    match lane {
        _ if cells.is_empty() => {}
        Some(lane) => lane.forget(terms, cells, name),
        None => {
            let (index, count) = (shape.index_width(), shape.count());
            *lane = Some(Lane::unknown(terms, name, Sort::BitVector(width), index, count));
        }
    }
}

/// Looks for what a pass has changed.
struct Comparison<'a, 'p> {
    encoder: &'a mut Encoder<'p>,
    /// The first number of the objects that the pass has made.
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

    /// Takes note of where a changed pointer points after a pass.
    fn pointer(&mut self, changed: &mut Changed, variable: VariableId, entry: &State, after: Value) {
        let Value::Pointer(after) = after else {
            if let Value::Pointer(_) = entry.variable(variable) {
                // Nobody has written it there: it may point to nothing.
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
        // What the pass has made is not there in the next one: a pointer to it points to nothing.
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
        let mut lane = |change: &mut Cells, before: &Option<Lane>, after: &Option<Lane>| match (before, after)
        {
            (None, None) => {}
            (Some(before), Some(after)) => change.join(before.difference(terms, after)),
            _ => *change = Cells::All,
        };
        lane(&mut change.owners, &before.owners, &after.owners);
        lane(&mut change.written, &before.written, &after.written);
    }
}
