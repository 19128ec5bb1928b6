//! Holds the encoding of a program against a run: with the values that the run had put in, the encoding must allow it.
//!
//! A run passes a loop as often as it likes; the encoding leaps to the last pass. So of every loop that a run has come
//! through, the visit to its head counts that came last, and of the loops inside, those of that pass. The states of the
//! encoding are pinned to these visits: wherever control is there, variables and memory are what they were in the run.

use std::collections::BTreeMap;

use base::{Budget, Index, Location};
use certify::Leaping;
use encoding::memory::Kind;
use encoding::{Demand, Knowledge, Leap, Loose, State, Value};
use logic::solver::Embedded;
use logic::substitute::Substitution;
use logic::{Answer, Binary, Solver, Sort, Term, Terms};
use program::interpret::{InputRecord, InputValue, ObjectKind, Pointed};
use program::order::{Element, order};
use program::{BlockId, FunctionId, Program, StatementKind, VariableId};

use super::record::{Memory, Recording, Visit};

/// How a comparison went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// The encoding allows what the run does.
    Allows,
    /// The encoding does not follow the run so far, or the solver does not know.
    Skipped,
    /// The encoding sees a violation before, which the run does not have.
    Lost,
    /// The encoding says that what the run does cannot be: the conditions that fail together.
    Contradicts(String),
}

/// Where control arrives: the active calls, the function and the head of the loop.
type Visited = (Vec<(FunctionId, Location)>, FunctionId, BlockId);

/// An encoding, to be held against runs.
pub struct Encoded<'a> {
    leaps: &'a [Leap],
    demands: &'a [Demand],
    loose: &'a [Loose],
    inputs: &'a [encoding::Input],
    knowledge: &'a Knowledge,
    kinds: Vec<Kind>,
    terms: Terms,
    /// Leaps by the calls that lead to a loop and its head.
    places: BTreeMap<Visited, Vec<usize>>,
    /// Of each leap whether all loops around it are leapt over.
    apart: Vec<bool>,
    passes: usize,
    steps: usize,
}

/// The visits of one arrival at a loop, by their places in the recording.
pub type Arrival = Vec<usize>;

/// The loops that a run has come through: the visits of each that count.
#[derive(Clone, Debug, Default)]
pub struct History(BTreeMap<usize, Arrival>);

/// What is known of a run, as terms.
struct Pins {
    pairs: BTreeMap<Term, Term>,
    conditions: Vec<Term>,
    /// What the conditions say: that a term is a number.
    meanings: BTreeMap<Term, (Term, i128)>,
}

impl<'a> Encoded<'a> {
    /// The encoding behind summarised leaps that were made with so many passes before each leap and in it.
    pub fn new(program: &Program, leaping: &'a Leaping<'_>, passes: usize, steps: usize) -> Self {
        let encoder = leaping.encoder();
        let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (place, leap) in leaping.leaps().iter().enumerate() {
            let callers = leap.stack[..leap.stack.len() - 1].to_vec();
            places.entry((callers, leap.function, leap.head)).or_default().push(place);
        }
        Self {
            leaps: leaping.leaps(),
            demands: leaping.demands(),
            loose: leaping.loose_ends(),
            inputs: &encoder.findings.inputs,
            knowledge: &encoder.knowledge,
            kinds: (0..encoder.object_count()).map(|number| encoder.object(number).kind).collect(),
            terms: encoder.terms.clone(),
            places,
            apart: leaping.leaps().iter().map(|leap| is_apart(program, leaping.leaps(), leap)).collect(),
            passes,
            steps,
        }
    }

    /// The leap whose loop a visit belongs to, if there is just one.
    pub fn leap_of(&self, visit: &Visit) -> Option<usize> {
        let key = (visit.callers.clone(), visit.function, visit.head);
        match self.places.get(&key)?[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Goes on with the next visit of a run.
    pub fn advance(&self, history: &mut History, recording: &Recording, visit: usize) {
        let now = &recording.visits[visit];
        // What happened in the loops inside is over. A call that is over has left its loops.
        let inside = |place: usize| {
            let mut next = self.leaps[place].outer;
            while let Some(outer) = next {
                if self.is_loop_of(outer, now) {
                    return true;
                }
                next = self.leaps[outer].outer;
            }
            false
        };
        history.0.retain(|&place, _| !inside(place));
        if let Some(leap) = self.leap_of(now).filter(|&leap| self.is_leapt_to(history, leap)) {
            let arrival = history.0.entry(leap).or_default();
            let same =
                arrival.last().is_some_and(|&last| recording.visits[last].activation == now.activation);
            if !same {
                arrival.clear();
            }
            arrival.push(visit);
        }
    }

    /// Whether control is in a pass that the encoding leaps to, of all loops around a leap: the passes before are another
    /// piece of the encoding.
    fn is_leapt_to(&self, history: &History, leap: usize) -> bool {
        let mut next = self.leaps[leap].outer;
        while let Some(outer) = next {
            if history.0.get(&outer).is_none_or(|arrival| arrival.len() <= self.passes) {
                return false;
            }
            next = self.leaps[outer].outer;
        }
        self.apart[leap]
    }

    fn is_loop_of(&self, leap: usize, visit: &Visit) -> bool {
        let leap = &self.leaps[leap];
        leap.function == visit.function
            && leap.head == visit.head
            && leap.stack[..leap.stack.len() - 1] == visit.callers[..]
    }

    /// The visits of a loop that count.
    pub fn arrival<'h>(&self, history: &'h History, leap: usize) -> Option<&'h Arrival> {
        history.0.get(&leap)
    }

    /// Whether the encoding allows control to be where the history ends, at the head of this loop.
    pub fn allows_visit(&mut self, history: &History, recording: &Recording, leap: usize) -> Agreement {
        let Some(arrival) = history.0.get(&leap) else { return Agreement::Skipped };
        let leaps = self.leaps;
        let state = if arrival.len() <= self.passes {
            leaps[leap].entries.get(arrival.len() - 1)
        } else {
            leaps[leap].starts.last().map(|start| &start.state)
        };
        let Some(state) = state else { return Agreement::Contradicts(String::from(" no such state")) };
        self.allows(history, recording, state.guard.term())
    }

    /// Whether the encoding allows the violation with which a run ends.
    pub fn allows_violation(&mut self, history: &History, recording: &Recording) -> Agreement {
        let program::interpret::Outcome::Violation(violation) = &recording.run.outcome else {
            return Agreement::Skipped;
        };
        let leak = violation.obligation == program::Obligation::Leak;
        let same: Vec<Term> = self
            .demands
            .iter()
            .filter(|demand| demand.obligation == violation.obligation)
            .filter(|demand| leak || demand.location == violation.location)
            .map(|demand| demand.violated)
            .collect();
        let some = self.terms.any(&same);
        self.allows(history, recording, some)
    }

    fn allows(&mut self, history: &History, recording: &Recording, question: Term) -> Agreement {
        let pins = self.pins(history, recording);
        match self.ask(&pins, question) {
            Answer::Satisfiable => return Agreement::Allows,
            Answer::Unknown(_) => return Agreement::Skipped,
            Answer::Unsatisfiable => {}
        }
        let loose: Vec<Term> = self.loose.iter().map(|end| end.reached).collect();
        let loose = self.terms.any(&loose);
        if self.ask(&pins, loose) != Answer::Unsatisfiable {
            return Agreement::Skipped;
        }
        let demands: Vec<Term> = self.demands.iter().map(|demand| demand.violated).collect();
        let demands = self.terms.any(&demands);
        if self.ask(&pins, demands) != Answer::Unsatisfiable {
            return Agreement::Lost;
        }
        Agreement::Contradicts(self.explain(&pins, question))
    }

    fn ask(&mut self, pins: &Pins, question: Term) -> Answer {
        let asserted: Vec<Term> = self.asserted(pins, question).into_iter().map(|(_, term)| term).collect();
        self.solve(&asserted)
    }

    /// Everything that is known together with a question: as it is, and with the values of the run put in.
    fn asserted(&mut self, pins: &Pins, question: Term) -> Vec<(Term, Term)> {
        let terms = &mut self.terms;
        let mut all = pins.conditions.clone();
        all.push(question);
        let known = self.knowledge.about(terms, &all);
        let mut substitution = Substitution::new(pins.pairs.iter().map(|(from, to)| (*from, *to)));
        known.into_iter().chain(all).map(|term| (term, substitution.apply(terms, term))).collect()
    }

    fn solve(&mut self, asserted: &[Term]) -> Answer {
        let terms = &mut self.terms;
        let mut solver: Embedded = Embedded::new();
        for &term in asserted {
            if terms.is_false(term) {
                return Answer::Unsatisfiable;
            }
            solver.assert(terms, term);
        }
        solver.check(terms, &[], &mut Budget::steps(200_000))
    }

    /// The conditions that cannot hold together, for people: what is left if none more can be left out.
    fn explain(&mut self, pins: &Pins, question: Term) -> String {
        let mut core = self.asserted(pins, question);
        let mut place = 0;
        while place < core.len() {
            let rest: Vec<Term> = core
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != place)
                .map(|(_, pair)| pair.1)
                .collect();
            if self.solve(&rest) == Answer::Unsatisfiable {
                core.remove(place);
            } else {
                place += 1;
            }
        }
        let text = |term| logic::print::text(&self.terms, term).chars().take(400).collect::<String>();
        let shown = core.iter().map(|(term, now)| {
            let meaning = match pins.meanings.get(term) {
                Some((term, number)) => format!(", the pin {} == {number}", text(*term)),
                None => String::new(),
            };
            format!("\n    {}\n        becomes {}{meaning}", text(*term), text(*now))
        });
        shown.collect()
    }

    fn pins(&mut self, history: &History, recording: &Recording) -> Pins {
        let mut pins = Pins { pairs: BTreeMap::new(), conditions: Vec::new(), meanings: BTreeMap::new() };
        self.pin_inputs(&mut pins, &recording.run.inputs);
        let leaps = self.leaps;
        for (&place, arrival) in &history.0 {
            let leap = &leaps[place];
            let visits = |number: usize| &recording.visits[arrival[number]];
            for (number, entry) in leap.entries.iter().enumerate().take(arrival.len()) {
                self.pin_state(&mut pins, entry, visits(number));
            }
            if arrival.len() > self.passes {
                for (step, start) in leap.starts.iter().enumerate() {
                    if let Some(number) = (arrival.len() + step).checked_sub(self.steps) {
                        self.pin_state(&mut pins, &start.state, visits(number));
                    }
                }
            }
        }
        pins
    }

    /// The inputs that `main` starts with.
    fn pin_inputs(&mut self, pins: &mut Pins, records: &[InputRecord]) {
        for input in self.inputs.iter().filter(|input| input.name.contains("VERIFIER")) {
            let record = records.iter().find(|r| r.name == input.name && r.location == input.location);
            let (Some(record), Value::Scalar(symbol)) = (record, input.value) else { continue };
            let number = match record.value {
                InputValue::Integer(number) => number,
                _ => 0,
            };
            if let Some(value) = self.constant(symbol, number) {
                pins.pairs.insert(symbol, value);
            }
        }
    }

    /// A number as a term of the sort of another one.
    fn constant(&mut self, like: Term, number: i128) -> Option<Term> {
        match self.terms.sort(like) {
            Sort::Bool => Some(self.terms.bool(number != 0)),
            Sort::BitVector(width) => Some(self.terms.signed_bits(width, number)),
            Sort::Integer => Some(self.terms.integer(number)),
            Sort::Array(..) => None,
        }
    }

    fn pin(&mut self, pins: &mut Pins, guard: Term, term: Term, number: i128) {
        let Some(value) = self.constant(term, number) else { return };
        if self.terms.as_symbol(term).is_some() && !pins.pairs.contains_key(&term) {
            pins.pairs.insert(term, value);
            return;
        }
        let equal = self.terms.equal(term, value);
        let condition = self.terms.implies(guard, equal);
        pins.conditions.push(condition);
        pins.meanings.insert(condition, (term, number));
    }

    /// Wherever control is in this state of the encoding, everything is as in a visit.
    fn pin_state(&mut self, pins: &mut Pins, state: &State, visit: &Visit) {
        let guard = state.guard.term();
        let objects = self.mapped(state, visit);
        for (&variable, &number) in &visit.numbers {
            if let Some(Value::Scalar(term)) = value(state, variable) {
                self.pin(pins, guard, term, number);
            }
        }
        for (&variable, &pointed) in &visit.pointers {
            if let Some(Value::Pointer(pointer)) = value(state, variable) {
                self.pin_pointer(pins, guard, &objects, (pointer.object, pointer.offset), pointed);
            }
        }
        for (&number, memory) in &visit.objects {
            if let Some(&place) = objects.get(&number) {
                self.pin_memory(pins, state, &objects, place, memory);
            }
        }
    }

    fn pin_pointer(
        &mut self,
        pins: &mut Pins,
        guard: Term,
        objects: &BTreeMap<u64, u32>,
        (object, offset): (Term, Term),
        pointed: Pointed,
    ) {
        match pointed {
            Pointed::Address(0) => {
                self.pin(pins, guard, object, 0);
                self.pin(pins, guard, offset, 0);
            }
            Pointed::Address(_) => self.pin(pins, guard, object, 0),
            Pointed::Object(number, bytes) => {
                let Some(&place) = objects.get(&number) else { return };
                let lost = self.is_any_address(object, offset);
                let known = self.terms.not(lost);
                let guard = self.terms.and(guard, known);
                self.pin(pins, guard, object, place.into());
                self.pin(pins, guard, offset, bytes.into());
            }
        }
    }

    /// Whether a pointer is an address that nobody knows, as after a write that may have touched it: this is allowed
    /// wherever it points in a run. No object stands where null pointers are.
    fn is_any_address(&mut self, object: Term, offset: Term) -> Term {
        let terms = &mut self.terms;
        let none = terms.bits(terms.width(object), 0);
        let first = terms.bits(terms.width(offset), 4096);
        let (plain, high) =
            (terms.equal(object, none), terms.binary(Binary::UnsignedLessEqual, first, offset));
        terms.and(plain, high)
    }

    /// The objects of a run that the encoding surely knows, with their numbers there.
    fn mapped(&self, state: &State, visit: &Visit) -> BTreeMap<u64, u32> {
        let mut mapped = BTreeMap::new();
        for (&number, memory) in &visit.objects {
            if visit.objects.values().filter(|other| other.kind == memory.kind).count() > 1 {
                continue;
            }
            let same = |kind: Kind| match (kind, memory.kind) {
                (Kind::Global(a), ObjectKind::Global(b)) => a == b,
                (Kind::Local(f, a), ObjectKind::Local(g, b)) => f == g && a == b,
                (Kind::Heap(a), ObjectKind::Heap(b)) => a == b,
                _ => false,
            };
            let known = (0..state.memory.len() as u32)
                .filter(|&place| state.contents(place).is_some() && same(self.kinds[place as usize]));
            if let [only] = known.collect::<Vec<u32>>()[..] {
                mapped.insert(number, only);
            }
        }
        mapped
    }

    fn pin_memory(
        &mut self,
        pins: &mut Pins,
        state: &State,
        objects: &BTreeMap<u64, u32>,
        place: u32,
        memory: &Memory,
    ) {
        let Some(contents) = state.contents(place) else { return };
        let guard = state.guard.term();
        self.pin(pins, guard, contents.alive, 1);
        let sample = contents.bits.get(&mut self.terms, 0);
        let cell = self.terms.width(sample) as usize / 8;
        for (index, bytes) in memory.bytes.chunks_exact(cell).enumerate() {
            let first = index * cell;
            let bits = contents.bits.get(&mut self.terms, index as u64);
            let near = memory.pointers.range(first.saturating_sub(7)..first + cell).next();
            match (near, &contents.owners) {
                // What points outside is perhaps no pointer but a number that looks like one.
                (Some((_, Pointed::Object(_, ..0))), _) => {}
                (Some((&at, &pointed)), Some(owners)) if at == first && cell == 8 => {
                    let owner = owners.get(&mut self.terms, index as u64);
                    self.pin_pointer(pins, guard, objects, (owner, bits), pointed);
                }
                (None, owners) => {
                    let Some(bytes) = bytes.iter().copied().collect::<Option<Vec<u8>>>() else { continue };
                    let number =
                        bytes.iter().rev().fold(0i128, |number, &byte| number << 8 | i128::from(byte));
                    self.pin(pins, guard, bits, number);
                    if let Some(owners) = owners {
                        let owner = owners.get(&mut self.terms, index as u64);
                        self.pin(pins, guard, owner, 0);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether as many leaps are around a leap as there are loops around its loop: none of them is encoded pass by pass.
fn is_apart(program: &Program, leaps: &[Leap], leap: &Leap) -> bool {
    let mut around = 0;
    let mut next = leap.outer;
    while let Some(outer) = next {
        around += 1;
        next = leaps[outer].outer;
    }
    let callers = &leap.stack[..leap.stack.len() - 1];
    let mut loops = 0;
    for &(function, location) in callers {
        let Some(body) = program.functions[function].body() else { return false };
        let calls = |block: BlockId| {
            body.blocks[block].statements.iter().any(|statement| {
                statement.location == location && matches!(statement.kind, StatementKind::Call { .. })
            })
        };
        let blocks: Vec<BlockId> = body.blocks.ids().filter(|&block| calls(block)).collect();
        let [block] = blocks[..] else { return false };
        loops += depth(&order(body), block);
    }
    let Some(body) = program.functions[leap.function].body() else { return false };
    loops + depth(&order(body), leap.head) == around + 1
}

/// How many loops a block is in.
fn depth(elements: &[Element], block: BlockId) -> usize {
    elements
        .iter()
        .find_map(|element| match element {
            Element::Component(component) if component.blocks.contains(&block) => {
                Some(1 + depth(&component.rest, block))
            }
            _ => None,
        })
        .unwrap_or(0)
}

/// The value of a variable in a state, if the state has it.
fn value(state: &State, variable: VariableId) -> Option<Value> {
    let values = if variable.is_global() { &state.globals } else { &state.locals };
    values.get(variable.index()).copied()
}
