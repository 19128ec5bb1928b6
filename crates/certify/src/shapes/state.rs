//! Symbolic states: active calls with the values of variables, segments of cells, and what is known of numbers.
//!
//! A state stands for all states of runs in which the locations can be given different live cells such that the variables,
//! the segments and the conditions are as it says. Of all other memory nothing is said, and nothing in it is ever used.

use std::collections::{BTreeMap, BTreeSet};

use base::Index;
use evidence::{ShapeHeap, ShapeHome, ShapeTarget, ShapeVariable};
use logic::{Binary, Term, Terms};
use program::{BlockId, Body, FunctionId, LocalId, ObjectId, Program, VariableId};

/// What a variable or an expression holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// A number of ℤ: that of an integer of any type.
    Number(Term),
    /// A truth value.
    Truth(Term),
    /// A pointer.
    Pointer(Pointer),
    /// Something that is not followed.
    Other,
}

/// What is known of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pointer {
    /// It is null.
    Null,
    /// It points so many bytes behind the start of the first cell of a segment.
    Cell(usize, i128),
    /// It points so many bytes behind the start of an object with a name.
    Object(Home, i128),
    /// Nothing.
    Unknown,
}

/// An object with a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Home {
    /// It lives as long as the program.
    Program(ObjectId),
    /// It is one of an active call, by the place of that.
    Call(usize, LocalId),
}

/// A chain of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Segment {
    /// How many cells it has: at least one.
    pub length: Term,
    /// What the link of the last cell holds: null, the start of a cell, or something unknown.
    pub end: Pointer,
}

/// An active call.
#[derive(Clone, Debug)]
pub(super) struct Frame<'p> {
    pub function: FunctionId,
    pub body: &'p Body,
    pub block: BlockId,
    /// The next statement.
    pub at: usize,
    /// Those variables of which something is known.
    pub variables: BTreeMap<VariableId, Value>,
    /// The blocks that this path has come by.
    pub visited: BTreeSet<BlockId>,
}

/// A symbolic state.
#[derive(Clone, Debug)]
pub(super) struct State<'p> {
    /// The active calls, the outermost first.
    pub frames: Vec<Frame<'p>>,
    /// The program's own variables of which something is known.
    pub globals: BTreeMap<VariableId, Value>,
    /// The segments, by their locations.
    pub cells: BTreeMap<usize, Segment>,
    /// The objects of active calls that live.
    pub alive: BTreeSet<Home>,
    /// The pointers that objects hold, by their offsets, as far as anything is known of them.
    pub held: BTreeMap<(Home, i128), Pointer>,
    /// What holds on this path.
    pub conditions: Vec<Term>,
    /// The next location that was never used.
    next: usize,
}

impl<'p> State<'p> {
    /// A state of which nothing is known.
    pub fn new(frames: Vec<Frame<'p>>) -> Self {
        Self {
            frames,
            globals: BTreeMap::new(),
            cells: BTreeMap::new(),
            alive: BTreeSet::new(),
            held: BTreeMap::new(),
            conditions: Vec::new(),
            next: 0,
        }
    }

    /// The call that is executed. There always is one while a path goes on.
    pub fn top(&mut self) -> Option<&mut Frame<'p>> {
        self.frames.last_mut()
    }

    /// A variable as the running function names it.
    pub fn variable(&self, id: VariableId) -> Option<Value> {
        let variables = if id.is_global() { &self.globals } else { &self.frames.last()?.variables };
        variables.get(&id).copied()
    }

    /// Sets a variable that the running function names.
    pub fn set(&mut self, id: VariableId, value: Value) {
        if id.is_global() {
            self.globals.insert(id, value);
        } else if let Some(frame) = self.frames.last_mut() {
            frame.variables.insert(id, value);
        }
    }

    /// The variables among which evidence names one, and its name there. Nothing if there is no such variable.
    pub fn named(&mut self, name: ShapeVariable) -> Option<(&mut BTreeMap<VariableId, Value>, VariableId)> {
        match name.frame {
            None => Some((&mut self.globals, VariableId::global(name.variable))),
            Some(frame) => {
                let frame = self.frames.get_mut(frame)?;
                let exists = name.variable < frame.body.variables.len();
                exists.then(|| (&mut frame.variables, VariableId::new(name.variable)))
            }
        }
    }

    /// What is known of a variable that evidence names.
    fn value_of(&self, name: ShapeVariable) -> Option<Value> {
        match name.frame {
            None => self.globals.get(&VariableId::global(name.variable)).copied(),
            Some(frame) => self.frames.get(frame)?.variables.get(&VariableId::new(name.variable)).copied(),
        }
    }

    /// An object that evidence names. Nothing if there is no such object.
    pub fn home(&self, name: ShapeHome, program: &Program) -> Option<Home> {
        match name.frame {
            None => (name.object < program.objects.len()).then(|| Home::Program(ObjectId::new(name.object))),
            Some(frame) => (name.object < self.frames.get(frame)?.body.locals.len())
                .then(|| Home::Call(frame, LocalId::new(name.object))),
        }
    }

    /// Whether an object surely lives.
    pub fn lives(&self, home: Home) -> bool {
        matches!(home, Home::Program(_)) || self.alive.contains(&home)
    }

    /// A new segment.
    pub fn add(&mut self, length: Term, end: Pointer) -> usize {
        let location = self.next;
        self.next += 1;
        self.cells.insert(location, Segment { length, end });
        location
    }

    /// The cases in which the segment of a location is its one cell.
    ///
    /// It has one cell; or it has more, and the link of the first leads to another cell, which is none of the known ones
    /// since no two segments share a cell, and from which the rest of the segment goes.
    pub fn unfold(self, location: usize, terms: &mut Terms) -> Vec<Self> {
        let Some(segment) = self.cells.get(&location).copied() else { return Vec::new() };
        let one = terms.integer(1);
        let (is_one, is_more) =
            (terms.equal(segment.length, one), terms.binary(Binary::Less, one, segment.length));
        let mut cases = Vec::new();
        if !terms.is_false(is_more) {
            let mut more = self.clone();
            let minus = terms.integer(-1);
            let rest = terms.binary(Binary::Add, segment.length, minus);
            let rest = more.add(rest, segment.end);
            more.cells.insert(location, Segment { length: one, end: Pointer::Cell(rest, 0) });
            more.conditions.push(is_more);
            cases.push(more);
        }
        if !terms.is_false(is_one) {
            let mut last = self;
            last.cells.insert(location, Segment { length: one, end: segment.end });
            last.conditions.push(is_one);
            cases.push(last);
        }
        cases
    }

    /// A cell of its own dies: its address may come back as that of another, so that nothing is known to who has it.
    pub fn end_cell(&mut self, location: usize) {
        self.cells.remove(&location);
        self.forget(|pointer| matches!(pointer, Pointer::Cell(of, _) if *of == location));
    }

    /// The life of an object ends.
    pub fn end_object(&mut self, home: Home) {
        self.alive.remove(&home);
        self.held.retain(|(holder, _), _| *holder != home);
        self.forget(|pointer| matches!(pointer, Pointer::Object(of, _) if *of == home));
    }

    /// Bytes of an object are written: nothing is known of pointers there.
    pub fn overwritten(&mut self, home: Home, offset: i128, bytes: i128, width: i128) {
        self.held.retain(|(holder, at), _| *holder != home || *at + width <= offset || offset + bytes <= *at);
    }

    /// Nothing is known any more of some pointers.
    fn forget(&mut self, is_it: impl Fn(&Pointer) -> bool) {
        let variables = self.frames.iter_mut().flat_map(|frame| frame.variables.values_mut());
        for value in variables.chain(self.globals.values_mut()) {
            if let Value::Pointer(pointer) = value
                && is_it(pointer)
            {
                *pointer = Pointer::Unknown;
            }
        }
        self.held.retain(|_, pointer| !is_it(pointer));
        for segment in self.cells.values_mut().filter(|segment| is_it(&segment.end)) {
            segment.end = Pointer::Unknown;
        }
    }

    /// The lengths of the segments of a symbolic heap in this state, if its pointers and segments are as that says.
    ///
    /// Every segment of the heap is a chain of segments of the state. Each of these is used at most once, so that no two
    /// segments of the heap share a cell. Where the end of a segment is not said, or is not known yet, a chain goes on to
    /// the first cell that a variable or a second segment leads to.
    pub fn lengths(&self, heap: &ShapeHeap, program: &Program, terms: &mut Terms) -> Option<Vec<Term>> {
        let mut starts: Vec<Option<usize>> = vec![None; heap.segments.len()];
        let mut claimed: Vec<(ShapeTarget, Pointer)> = Vec::new();
        for (name, target) in &heap.pointers {
            let pointer = match self.value_of(*name) {
                Some(Value::Pointer(pointer)) => pointer,
                _ => Pointer::Unknown,
            };
            claimed.push((*target, pointer));
        }
        for object in &heap.objects {
            let home = self.home(object.home, program)?;
            for (offset, target) in &object.pointers {
                let pointer = self.held.get(&(home, i128::from(*offset))).copied();
                claimed.push((*target, pointer.unwrap_or(Pointer::Unknown)));
            }
        }
        for (target, pointer) in claimed {
            match (target, pointer) {
                (ShapeTarget::Unknown, _) | (ShapeTarget::Null, Pointer::Null) => {}
                (ShapeTarget::Segment(segment), Pointer::Cell(location, 0)) => {
                    meet(starts.get_mut(segment)?, location)?;
                }
                (ShapeTarget::Object(name, offset), Pointer::Object(home, at))
                    if self.home(name, program) == Some(home) && i128::from(offset) == at => {}
                _ => return None,
            }
        }
        let anchors: BTreeSet<usize> = starts.iter().copied().flatten().collect();
        let shared = self.shared(&anchors);
        let (mut used, mut lengths) = (BTreeSet::new(), vec![None; heap.segments.len()]);
        // A segment without a variable is found from one that leads to it.
        while let Some(segment) = (0..starts.len()).find(|at| starts[*at].is_some() && lengths[*at].is_none())
        {
            let mut location = starts[segment]?;
            let mut length = terms.integer(0);
            loop {
                let part = self.cells.get(&location)?;
                if !used.insert(location) {
                    return None;
                }
                length = terms.binary(Binary::Add, length, part.length);
                match (heap.segments[segment], part.end) {
                    (ShapeTarget::Null, Pointer::Null) => break,
                    (ShapeTarget::Segment(end), Pointer::Cell(next, 0))
                        if starts.get(end).copied()? == Some(next) || shared.contains(&next) =>
                    {
                        meet(&mut starts[end], next)?;
                        break;
                    }
                    (_, Pointer::Cell(next, 0)) if !shared.contains(&next) => location = next,
                    (ShapeTarget::Unknown, _) => break,
                    _ => return None,
                }
            }
            lengths[segment] = Some(length);
        }
        let all_differ = starts.iter().collect::<BTreeSet<_>>().len() == starts.len();
        lengths.into_iter().collect::<Option<Vec<Term>>>().filter(|_| all_differ)
    }

    /// The locations among those that some lead to that are one of these, or that two segments end in.
    fn shared(&self, anchors: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut shared = anchors.clone();
        let (mut reached, mut seen) = (BTreeSet::new(), BTreeSet::new());
        for anchor in anchors {
            let mut location = *anchor;
            while reached.insert(location)
                && let Some(Segment { end: Pointer::Cell(next, 0), .. }) = self.cells.get(&location)
            {
                if !seen.insert(*next) {
                    shared.insert(*next);
                }
                location = *next;
            }
        }
        shared
    }
}

/// A segment starts at a location, and nowhere else.
fn meet(start: &mut Option<usize>, location: usize) -> Option<()> {
    (*start.get_or_insert(location) == location).then_some(())
}
