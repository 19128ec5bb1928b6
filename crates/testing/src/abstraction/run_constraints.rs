//! Holds the encoding of a program against a run: with the values that the run had put in, the encoding must allow it.
//!
//! A run passes a loop as often as it likes; the encoding goes to the last iteration. So of every loop that a run has
//! come through, the visit to its head counts that came last, and of the loops inside, those of that iteration. The
//! states of the encoding are constrained to these visits: wherever control is there, variables and memory are what
//! they were in the run.

use std::collections::BTreeMap;

use base::{Budget, Index, Location};
use certify::Abstraction;
use encoding::memory::Kind;
use encoding::{AbstractLoop, Axioms, IncompletePath, State, Value, VerificationCondition};
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
    abstract_loops: &'a [AbstractLoop],
    vcs: &'a [VerificationCondition],
    incomplete: &'a [IncompletePath],
    inputs: &'a [encoding::Input],
    axioms: &'a Axioms,
    kinds: Vec<Kind>,
    terms: Terms,
    /// Abstract loops by the calls that lead to a loop and its head.
    places: BTreeMap<Visited, Vec<usize>>,
    /// Of each abstract loop whether all loops around it are abstracted.
    apart: Vec<bool>,
    iterations: usize,
    steps: usize,
}

/// The visits of one arrival at a loop, by their places in the recording.
pub type Arrival = Vec<usize>;

/// The loops that a run has come through: the visits of each that count.
#[derive(Clone, Debug, Default)]
pub struct History(BTreeMap<usize, Arrival>);

/// What is known of a run, as terms.
struct RunConstraints {
    pairs: BTreeMap<Term, Term>,
    conditions: Vec<Term>,
    /// What the conditions say: that a term is a number.
    meanings: BTreeMap<Term, (Term, i128)>,
}

impl<'a> Encoded<'a> {
    /// The encoding behind summarised abstract loops that were made with so many iterations before each abstract loop
    /// and in it.
    pub fn new(program: &Program, abstraction: &'a Abstraction<'_>, iterations: usize, steps: usize) -> Self {
        let encoder = abstraction.encoder();
        let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (place, abstract_loop) in abstraction.abstract_loops().iter().enumerate() {
            let callers = abstract_loop.stack[..abstract_loop.stack.len() - 1].to_vec();
            places.entry((callers, abstract_loop.function, abstract_loop.head)).or_default().push(place);
        }
        Self {
            abstract_loops: abstraction.abstract_loops(),
            vcs: abstraction.vcs(),
            incomplete: abstraction.incomplete_paths(),
            inputs: &encoder.findings.inputs,
            axioms: &encoder.axioms,
            kinds: (0..encoder.object_count()).map(|number| encoder.object(number).kind).collect(),
            terms: encoder.terms.clone(),
            places,
            apart: abstraction
                .abstract_loops()
                .iter()
                .map(|abstract_loop| is_apart(program, abstraction.abstract_loops(), abstract_loop))
                .collect(),
            iterations,
            steps,
        }
    }

    /// The abstract loop whose loop a visit belongs to, if there is just one.
    pub fn abstract_loop_of(&self, visit: &Visit) -> Option<usize> {
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
            let mut next = self.abstract_loops[place].outer;
            while let Some(outer) = next {
                if self.is_loop_of(outer, now) {
                    return true;
                }
                next = self.abstract_loops[outer].outer;
            }
            false
        };
        history.0.retain(|&place, _| !inside(place));
        if let Some(abstract_loop) =
            self.abstract_loop_of(now).filter(|&abstract_loop| self.is_abstracted(history, abstract_loop))
        {
            let arrival = history.0.entry(abstract_loop).or_default();
            let same =
                arrival.last().is_some_and(|&last| recording.visits[last].activation == now.activation);
            if !same {
                arrival.clear();
            }
            arrival.push(visit);
        }
    }

    /// Whether control is in an iteration that the encoding goes to, of all loops around an abstract loop: the
    /// iterations before are another piece of the encoding.
    fn is_abstracted(&self, history: &History, abstract_loop: usize) -> bool {
        let mut next = self.abstract_loops[abstract_loop].outer;
        while let Some(outer) = next {
            if history.0.get(&outer).is_none_or(|arrival| arrival.len() <= self.iterations) {
                return false;
            }
            next = self.abstract_loops[outer].outer;
        }
        self.apart[abstract_loop]
    }

    fn is_loop_of(&self, abstract_loop: usize, visit: &Visit) -> bool {
        let abstract_loop = &self.abstract_loops[abstract_loop];
        abstract_loop.function == visit.function
            && abstract_loop.head == visit.head
            && abstract_loop.stack[..abstract_loop.stack.len() - 1] == visit.callers[..]
    }

    /// The visits of a loop that count.
    pub fn arrival<'h>(&self, history: &'h History, abstract_loop: usize) -> Option<&'h Arrival> {
        history.0.get(&abstract_loop)
    }

    /// Whether the encoding allows control to be where the history ends, at the head of this loop.
    pub fn allows_visit(
        &mut self,
        history: &History,
        recording: &Recording,
        abstract_loop: usize,
    ) -> Agreement {
        let Some(arrival) = history.0.get(&abstract_loop) else { return Agreement::Skipped };
        let abstract_loops = self.abstract_loops;
        let state = if arrival.len() <= self.iterations {
            abstract_loops[abstract_loop].entries.get(arrival.len() - 1)
        } else {
            abstract_loops[abstract_loop].starts.last().map(|start| &start.state)
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
            .vcs
            .iter()
            .filter(|vc| vc.obligation == violation.obligation)
            .filter(|vc| leak || vc.location == violation.location)
            .map(|vc| vc.violated)
            .collect();
        let some = self.terms.any(&same);
        self.allows(history, recording, some)
    }

    fn allows(&mut self, history: &History, recording: &Recording, query: Term) -> Agreement {
        let run_constraints = self.run_constraints(history, recording);
        match self.ask(&run_constraints, query) {
            Answer::Satisfiable => return Agreement::Allows,
            Answer::Unknown(_) => return Agreement::Skipped,
            Answer::Unsatisfiable => {}
        }
        let incomplete: Vec<Term> = self.incomplete.iter().map(|end| end.reached).collect();
        let incomplete = self.terms.any(&incomplete);
        if self.ask(&run_constraints, incomplete) != Answer::Unsatisfiable {
            return Agreement::Skipped;
        }
        let vcs: Vec<Term> = self.vcs.iter().map(|vc| vc.violated).collect();
        let vcs = self.terms.any(&vcs);
        if self.ask(&run_constraints, vcs) != Answer::Unsatisfiable {
            return Agreement::Lost;
        }
        Agreement::Contradicts(self.explain(&run_constraints, query))
    }

    fn ask(&mut self, run_constraints: &RunConstraints, query: Term) -> Answer {
        let asserted: Vec<Term> =
            self.asserted(run_constraints, query).into_iter().map(|(_, term)| term).collect();
        self.solve(&asserted)
    }

    /// Everything that is known together with a query: as it is, and with the values of the run put in.
    fn asserted(&mut self, run_constraints: &RunConstraints, query: Term) -> Vec<(Term, Term)> {
        let terms = &mut self.terms;
        let mut all = run_constraints.conditions.clone();
        all.push(query);
        let known = self.axioms.about(terms, &all);
        let mut substitution = Substitution::new(run_constraints.pairs.iter().map(|(from, to)| (*from, *to)));
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
    fn explain(&mut self, run_constraints: &RunConstraints, query: Term) -> String {
        let mut core = self.asserted(run_constraints, query);
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
            let meaning = match run_constraints.meanings.get(term) {
                Some((term, number)) => format!(", the constraint {} == {number}", text(*term)),
                None => String::new(),
            };
            format!("\n    {}\n        becomes {}{meaning}", text(*term), text(*now))
        });
        shown.collect()
    }

    fn run_constraints(&mut self, history: &History, recording: &Recording) -> RunConstraints {
        let mut run_constraints =
            RunConstraints { pairs: BTreeMap::new(), conditions: Vec::new(), meanings: BTreeMap::new() };
        self.constrain_inputs(&mut run_constraints, &recording.run.inputs);
        let abstract_loops = self.abstract_loops;
        for (&place, arrival) in &history.0 {
            let abstract_loop = &abstract_loops[place];
            let visits = |number: usize| &recording.visits[arrival[number]];
            for (number, entry) in abstract_loop.entries.iter().enumerate().take(arrival.len()) {
                self.constrain_state(&mut run_constraints, entry, visits(number));
            }
            if arrival.len() > self.iterations {
                for (step, start) in abstract_loop.starts.iter().enumerate() {
                    if let Some(number) = (arrival.len() + step).checked_sub(self.steps) {
                        self.constrain_state(&mut run_constraints, &start.state, visits(number));
                    }
                }
            }
        }
        run_constraints
    }

    /// The inputs that `main` starts with.
    fn constrain_inputs(&mut self, run_constraints: &mut RunConstraints, records: &[InputRecord]) {
        for input in self.inputs.iter().filter(|input| input.name.contains("VERIFIER")) {
            let record = records.iter().find(|r| r.name == input.name && r.location == input.location);
            let (Some(record), Value::Scalar(symbol)) = (record, input.value) else { continue };
            let number = match record.value {
                InputValue::Integer(number) => number,
                _ => 0,
            };
            if let Some(value) = self.constant(symbol, number) {
                run_constraints.pairs.insert(symbol, value);
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

    fn constrain(&mut self, run_constraints: &mut RunConstraints, guard: Term, term: Term, number: i128) {
        let Some(value) = self.constant(term, number) else { return };
        if self.terms.as_symbol(term).is_some() && !run_constraints.pairs.contains_key(&term) {
            run_constraints.pairs.insert(term, value);
            return;
        }
        let equal = self.terms.equal(term, value);
        let condition = self.terms.implies(guard, equal);
        run_constraints.conditions.push(condition);
        run_constraints.meanings.insert(condition, (term, number));
    }

    /// Wherever control is in this state of the encoding, everything is as in a visit.
    fn constrain_state(&mut self, run_constraints: &mut RunConstraints, state: &State, visit: &Visit) {
        let guard = state.guard.term();
        let objects = self.mapped(state, visit);
        for (&variable, &number) in &visit.numbers {
            if let Some(Value::Scalar(term)) = value(state, variable) {
                self.constrain(run_constraints, guard, term, number);
            }
        }
        for (&variable, &pointed) in &visit.pointers {
            if let Some(Value::Pointer(pointer)) = value(state, variable) {
                self.constrain_pointer(
                    run_constraints,
                    guard,
                    &objects,
                    (pointer.object, pointer.offset),
                    pointed,
                );
            }
        }
        for (&number, memory) in &visit.objects {
            if let Some(&place) = objects.get(&number) {
                self.constrain_memory(run_constraints, state, &objects, place, memory);
            }
        }
    }

    fn constrain_pointer(
        &mut self,
        run_constraints: &mut RunConstraints,
        guard: Term,
        objects: &BTreeMap<u64, u32>,
        (object, offset): (Term, Term),
        pointed: Pointed,
    ) {
        match pointed {
            Pointed::Address(0) => {
                self.constrain(run_constraints, guard, object, 0);
                self.constrain(run_constraints, guard, offset, 0);
            }
            Pointed::Address(_) => self.constrain(run_constraints, guard, object, 0),
            Pointed::Object(number, bytes) => {
                let Some(&place) = objects.get(&number) else { return };
                let lost = self.is_any_address(object, offset);
                let known = self.terms.not(lost);
                let guard = self.terms.and(guard, known);
                self.constrain(run_constraints, guard, object, place.into());
                self.constrain(run_constraints, guard, offset, bytes.into());
            }
        }
    }

    /// Whether a pointer is an unspecified address, as after a write that may have touched it: this is allowed wherever
    /// it points in a run. No object stands where null pointers are.
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

    fn constrain_memory(
        &mut self,
        run_constraints: &mut RunConstraints,
        state: &State,
        objects: &BTreeMap<u64, u32>,
        place: u32,
        memory: &Memory,
    ) {
        let Some(contents) = state.contents(place) else { return };
        let guard = state.guard.term();
        self.constrain(run_constraints, guard, contents.alive, 1);
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
                    self.constrain_pointer(run_constraints, guard, objects, (owner, bits), pointed);
                }
                (None, owners) => {
                    let Some(bytes) = bytes.iter().copied().collect::<Option<Vec<u8>>>() else { continue };
                    let number =
                        bytes.iter().rev().fold(0i128, |number, &byte| number << 8 | i128::from(byte));
                    self.constrain(run_constraints, guard, bits, number);
                    if let Some(owners) = owners {
                        let owner = owners.get(&mut self.terms, index as u64);
                        self.constrain(run_constraints, guard, owner, 0);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether as many abstract loops are around an abstract loop as there are loops around its loop: none of them is
/// encoded iteration by iteration.
fn is_apart(program: &Program, abstract_loops: &[AbstractLoop], abstract_loop: &AbstractLoop) -> bool {
    let mut around = 0;
    let mut next = abstract_loop.outer;
    while let Some(outer) = next {
        around += 1;
        next = abstract_loops[outer].outer;
    }
    let callers = &abstract_loop.stack[..abstract_loop.stack.len() - 1];
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
    let Some(body) = program.functions[abstract_loop.function].body() else { return false };
    loops + depth(&order(body), abstract_loop.head) == around + 1
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
