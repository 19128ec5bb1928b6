//! Whether a program with linked lists ends: symbolic heaps at cutpoints, with ranks over the lengths of segments.
//!
//! ```text
//! the start, or a symbolic heap at a cutpoint ─► every path to the next cutpoints ─► each ends in a symbolic heap there,
//!                                                                                 and round a circle the rank is less
//! ```
//!
//! Symbolic heaps with lengths are those of Berdine, Cook, Distefano and O'Hearn (CAV 2006; section 6 of *Variance analyses
//! from invariance analyses*). The check shares no code with the domain that finds them.
//!
//! # Proof rule
//!
//! A symbolic heap holds in a state if its segments can be given different live cells of at least the claimed size such that
//! pointers, links and lengths are as it says; of the rest of the memory nothing is said. The paths from the start of the
//! program, and from each symbolic heap that such a path ends in, are executed symbolically up to the next cutpoints:
//!
//! 1. *Paths are finite and all are examined.* A path that comes to a block again before it comes to a cutpoint is
//!    refused. A branch gives a case for each way, and a segment whose first cell is examined a case for each of its
//!    two forms.
//! 2. *A path ends in a symbolic heap* of the cutpoint that it comes to: with lengths that are terms over those at its start.
//! 3. *Ranks.* The symbolic heaps are the nodes of a graph with an edge for each path. On a path within a strongly connected
//!    part one of the ranks is not negative and gets less, and none before it gets greater.
//! 4. *Nothing undefined.* Every access is to a live cell or object and in bounds, `free` gets null or the start of a live heap
//!    object, no divisor is zero. After that a program could do anything.
//!
//! By 2, a run that comes to infinitely many cutpoints is an infinite chain of paths with numbers that satisfy all their
//! conditions, the lengths at the end of one being those at the start of the next. From some point on it stays in one strongly
//! connected part. Of the ranks that decrease infinitely often take the first: from some point on those before it do not
//! decrease any more, so that it never grows, and it is not negative whenever it decreases. So there is no such chain, and by 1
//! every run ends.
//!
//! A store through a known pointer changes a cell that is a segment of its own, since segments are unfolded first. No other
//! store can change a link: a store through an unknown pointer is refused by 4, as are all calls but those of functions that
//! are followed and of the few that are known here. What `malloc` gives is none of the live cells; allocation succeeds, as
//! everywhere here. A pointer to a freed cell is one of which nothing is known. Variables have no address.
//!
//! Invariants about numbers are candidates: those that a path does not establish are left out, and all paths are
//! examined again.
//!
//! A pointer that stands in an object of the program or of an active function is followed as well: every write to the object
//! is seen, since it is through its name or a pointer that is known to point to it.
//!
//! Known imprecision: one link field, one least size of cells; numbers in memory, and pointers in cells besides the links, are
//! not followed; no recursion.

mod numbers;
mod state;
mod steps;

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Index, Location};
use evidence::{
    Evidence, ProofMode, Property, ShapeHeap, ShapeNumber, ShapeSum, ShapeTarget, Shapes, ShapesAt,
};
use logic::solver::Embedded;
use logic::{Answer, Binary, Solver, Sort, Term, Terms};
use program::interpret::Integers;
use program::{
    BlockId, Callee, FunctionId, Initial, Program, StatementKind, Type, Value as Constant, VariableId,
};

use self::state::{Frame, Home, Pointer, State, Value};
use crate::answer::{Certificate, Checked, Refusal};
use crate::subject::Claim;

/// Steps of the solver that one query may take.
const QUERY: u64 = 200_000;

/// In larger objects pointers are not looked for when the program starts.
const SMALL: u64 = 64;

/// No claim has more symbolic heaps.
const HEAPS: usize = 2_000;

/// Checks that every run that starts in a function ends, and does nothing undefined (but for overflows, whatever they
/// give). Invariants that are not shown to hold are left out; the certificate has those that are.
///
/// # Errors
/// If a condition of the proof rule is not shown, or the program has something that is not understood.
pub fn check_shapes(
    program: &Program,
    function: FunctionId,
    integers: Integers,
    claim: &Shapes,
    budget: &mut Budget,
) -> Checked<Certificate> {
    let width = program.data_model.pointer_bytes();
    let heaps: usize = claim.cutpoints.iter().map(|place| place.heaps.len()).sum();
    if heaps > HEAPS || claim.link.checked_add(width).is_none_or(|end| end > claim.size) {
        return Err(Refusal::unsupported("cells without a link, or too many symbolic heaps"));
    }
    let place = |at: &ShapesAt| (at.calls.clone(), at.block);
    let places: Places = claim.cutpoints.iter().map(place).zip(0..).collect();
    let mut claim = claim.clone();
    // Each time round there are fewer invariants.
    loop {
        let mut walk = Walk {
            program,
            integers,
            claim: &claim,
            places: &places,
            terms: &mut Terms::new(),
            solver: Embedded::new(),
            budget,
            location: Location::unknown(),
            ends: Vec::new(),
            not_shown: BTreeSet::new(),
            on_the_stack: false,
            frees: false,
        };
        let paths = walk.all_paths(function)?;
        if walk.not_shown.is_empty() {
            walk.ranked(&paths)?;
            let proved = Claim { function, property: Property::Termination, integers };
            return Ok(Certificate::new(proved, ProofMode::default(), Evidence::Shapes(claim)));
        }
        let not_shown = std::mem::take(&mut walk.not_shown);
        for ((place, heap), part) in not_shown.into_iter().rev() {
            let heap = &mut claim.cutpoints[place].heaps[heap];
            match part {
                Part::LoopInvariant(invariant) => _ = heap.invariants.remove(invariant),
                Part::Object(object) => _ = heap.objects.remove(object),
            }
        }
    }
}

/// The cutpoints by the statements of the active calls and the block.
type Places = BTreeMap<(Vec<(usize, usize)>, usize), usize>;

/// A symbolic heap of the claim: a cutpoint and a place in its list.
type Node = (usize, usize);

/// A part of a symbolic heap that can be left out, by its place in the list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    LoopInvariant(usize),
    Object(usize),
}

/// A path between two symbolic heaps.
struct Path {
    from: Node,
    to: Node,
    conditions: Vec<Term>,
    before: Vec<Term>,
    after: Vec<Term>,
}

/// The check at work.
struct Walk<'p, 'a> {
    program: &'p Program,
    integers: Integers,
    claim: &'a Shapes,
    /// The cutpoints by the calls and the block.
    places: &'a Places,
    terms: &'a mut Terms,
    solver: Embedded,
    budget: &'a mut Budget,
    /// Where the statement stands, or the end of a block, that is executed.
    location: Location,
    /// The states in which paths have come to cutpoints.
    ends: Vec<(State<'p>, usize)>,
    /// What is not shown to hold: nothing is proved with it.
    not_shown: BTreeSet<(Node, Part)>,
    /// Whether a function has allocated something for itself, and whether anything was freed: a cell is not known to be
    /// of one or the other kind.
    on_the_stack: bool,
    frees: bool,
}

impl<'p> Walk<'p, '_> {
    /// The paths between all symbolic heaps that runs come to.
    fn all_paths(&mut self, function: FunctionId) -> Checked<Vec<Path>> {
        let mut paths: Vec<Path> = Vec::new();
        let mut seen: BTreeSet<Node> = BTreeSet::new();
        let mut left: Vec<Node> = Vec::new();
        let start = self.start(function)?;
        for (state, place) in self.run(start)? {
            left.push((place, self.arrived(state, place)?.0));
        }
        while let Some(node) = left.pop() {
            if !seen.insert(node) {
                continue;
            }
            let claim = self.claim;
            let heap = &claim.cutpoints[node.0].heaps[node.1];
            let (state, before) = self.instance(function, &claim.cutpoints[node.0], heap)?;
            for (state, place) in self.run(state)? {
                let conditions = state.conditions.clone();
                let (heap, after) = self.arrived(state, place)?;
                left.push((place, heap));
                paths.push(Path { from: node, to: (place, heap), conditions, before: before.clone(), after });
            }
        }
        if self.on_the_stack && self.frees {
            return Err(Refusal::unsupported("cells on the stack in a program that frees cells"));
        }
        Ok(paths)
    }

    /// Follows all paths from a state to the next cutpoints.
    fn run(&mut self, state: State<'p>) -> Checked<Vec<(State<'p>, usize)>> {
        let mut left = vec![state];
        while let Some(state) = left.pop() {
            self.budget
                .spend(1)
                .map_err(|_| Refusal::unsupported("a check of shapes that takes too long"))?;
            left.extend(self.step(state)?);
        }
        Ok(std::mem::take(&mut self.ends))
    }

    /// The state in which runs start.
    fn start(&mut self, function: FunctionId) -> Checked<State<'p>> {
        let missing = || Refusal::unsupported("a function without a body");
        let body = self.program.functions[function].body().ok_or_else(missing)?;
        let (block, visited, variables) = (body.entry(), Default::default(), Default::default());
        let mut state = State::new(vec![Frame { function, body, block, at: 0, variables, visited }]);
        let is_start = program::outside::starts_fresh(self.program, function);
        let program = if is_start { None } else { Some(program::outside::entered_anytime(self.program)) };
        let program = program.as_ref().unwrap_or(self.program);
        for (at, global) in program.globals.iter().enumerate() {
            let value = match (global.initial, global.variable.ty) {
                (Constant::Integer(number), Type::Integer(ty)) if ty.width < 128 => {
                    Value::Number(self.terms.integer(number))
                }
                (Constant::Null, _) => Value::Pointer(Pointer::Null),
                _ => continue,
            };
            state.set(VariableId::global(at), value);
        }
        let width = program.data_model.pointer_bytes();
        for (id, object) in program.objects.iter().filter(|(_, object)| object.size <= SMALL) {
            let Initial::Bytes { bytes, pointers } = &object.initial else { continue };
            if pointers.is_empty() && bytes.iter().all(|byte| *byte == 0) {
                let places = (0..object.size / width).map(|at| i128::from(at * width));
                state.held.extend(places.map(|offset| ((Home::Program(id), offset), Pointer::Null)));
            }
        }
        Ok(state)
    }

    /// Any state in which a symbolic heap holds, and its ranks.
    fn instance(
        &mut self,
        function: FunctionId,
        place: &ShapesAt,
        heap: &ShapeHeap,
    ) -> Checked<(State<'p>, Vec<Term>)> {
        let mut state = State::new(self.frames(function, place)?);
        let one = self.terms.integer(1);
        let mut lengths = Vec::new();
        for _ in &heap.segments {
            let length = self.terms.fresh("length", Sort::Integer);
            let positive = self.terms.binary(Binary::LessEqual, one, length);
            state.conditions.push(positive);
            lengths.push(length);
            state.add(length, Pointer::Unknown);
        }
        let (empty, program) = (State::new(state.frames.clone()), self.program);
        let target = |target: &ShapeTarget| match target {
            ShapeTarget::Null => Some(Pointer::Null),
            ShapeTarget::Segment(at) => (*at < lengths.len()).then_some(Pointer::Cell(*at, 0)),
            ShapeTarget::Object(home, offset) => {
                Some(Pointer::Object(empty.home(*home, program)?, i128::from(*offset)))
            }
            ShapeTarget::Unknown => Some(Pointer::Unknown),
        };
        let wrong = || Refusal::unsupported("a symbolic heap that speaks of what is not there");
        for (at, end) in heap.segments.iter().enumerate() {
            let end = target(end).filter(|end| !matches!(end, Pointer::Object(..))).ok_or_else(wrong)?;
            state.cells.get_mut(&at).ok_or_else(wrong)?.end = end;
        }
        for (name, pointer) in &heap.pointers {
            let value = Value::Pointer(target(pointer).ok_or_else(wrong)?);
            let is_pointer = self.type_named(&state, *name) == Some(Type::Pointer);
            let (variables, id) = state.named(*name).filter(|_| is_pointer).ok_or_else(wrong)?;
            variables.insert(id, value);
        }
        for object in &heap.objects {
            let home = empty.home(object.home, program).ok_or_else(wrong)?;
            state.alive.insert(home);
            for (offset, pointer) in &object.pointers {
                let pointer = target(pointer).ok_or_else(wrong)?;
                state.held.insert((home, i128::from(*offset)), pointer);
            }
        }
        for invariant in &heap.invariants {
            let invariant = self.not_negative(&mut state, &lengths, invariant)?;
            state.conditions.push(invariant);
        }
        let ranks = self.ranks(&mut state, &lengths, heap)?;
        Ok((state, ranks))
    }

    fn ranks(&mut self, state: &mut State<'p>, lengths: &[Term], heap: &ShapeHeap) -> Checked<Vec<Term>> {
        heap.ranks.iter().map(|rank| self.sum(state, lengths, rank)).collect()
    }

    /// The active calls of a cutpoint.
    fn frames(&self, function: FunctionId, place: &ShapesAt) -> Checked<Vec<Frame<'p>>> {
        let wrong = || Refusal::unsupported("a cutpoint that is not there");
        let (mut frames, mut function) = (Vec::new(), function);
        let last = (place.block, 0);
        for (depth, (block, at)) in place.calls.iter().chain([&last]).copied().enumerate() {
            let body = self.program.functions[function].body().ok_or_else(wrong)?;
            if block >= body.blocks.len() {
                return Err(wrong());
            }
            let block = BlockId::new(block);
            let mut frame = Frame {
                function,
                body,
                block,
                at,
                variables: BTreeMap::new(),
                visited: BTreeSet::from([block]),
            };
            if depth < place.calls.len() {
                let call = body.blocks[block].statements.get(at).map(|statement| &statement.kind);
                let Some(StatementKind::Call { callee: Callee::Function(callee), .. }) = call else {
                    return Err(wrong());
                };
                function = *callee;
                frame.at = at + 1;
                frame.visited.clear();
            }
            frames.push(frame);
        }
        Ok(frames)
    }

    /// The symbolic heap that a state at a cutpoint is one of, and its ranks there.
    fn arrived(&mut self, mut state: State<'p>, place: usize) -> Checked<(usize, Vec<Term>)> {
        let claim = self.claim;
        let mut first = None;
        for (at, heap) in claim.cutpoints[place].heaps.iter().enumerate() {
            let Some(lengths) = state.lengths(heap, self.program, self.terms) else { continue };
            let mut invariants = Vec::new();
            for invariant in &heap.invariants {
                invariants.push(self.not_negative(&mut state, &lengths, invariant)?);
            }
            let all = self.terms.all(&invariants);
            if self.follows(&state, all) {
                self.alive(&state, (place, at), heap);
                return Ok((at, self.ranks(&mut state, &lengths, heap)?));
            }
            first = first.or(Some((at, heap, lengths, invariants)));
        }
        if let Some((at, heap, lengths, invariants)) = first {
            self.alive(&state, (place, at), heap);
            for (invariant, term) in invariants.into_iter().enumerate() {
                if !self.follows(&state, term) {
                    self.not_shown.insert(((place, at), Part::LoopInvariant(invariant)));
                }
            }
            return Ok((at, self.ranks(&mut state, &lengths, heap)?));
        }
        let frame = state.frames.last();
        let location = frame.map_or(Location::unknown(), |frame| frame.body.blocks[frame.block].location);
        let name = self.program.describe(location);
        Err(Refusal::unsupported(format!("a state at {name} in which no claimed shape is shown to hold")))
    }

    /// Takes note of objects of a symbolic heap that may not live.
    fn alive(&mut self, state: &State<'p>, node: Node, heap: &ShapeHeap) {
        for (at, object) in heap.objects.iter().enumerate() {
            if !state.home(object.home, self.program).is_some_and(|home| state.lives(home)) {
                self.not_shown.insert((node, Part::Object(at)));
            }
        }
    }

    fn type_named(&self, state: &State<'p>, name: evidence::ShapeVariable) -> Option<Type> {
        match name.frame {
            None => self.program.globals.get(name.variable).map(|global| global.variable.ty),
            Some(frame) => {
                let body = state.frames.get(frame)?.body;
                (name.variable < body.variables.len())
                    .then(|| body.variables[VariableId::new(name.variable)].ty)
            }
        }
    }

    fn not_negative(&mut self, state: &mut State<'p>, lengths: &[Term], sum: &ShapeSum) -> Checked<Term> {
        let (zero, sum) = (self.terms.integer(0), self.sum(state, lengths, sum)?);
        Ok(self.terms.binary(Binary::LessEqual, zero, sum))
    }

    /// A sum of a symbolic heap with these lengths, in a state.
    fn sum(&mut self, state: &mut State<'p>, lengths: &[Term], sum: &ShapeSum) -> Checked<Term> {
        let wrong = || Refusal::unsupported("a sum of what is no number");
        let mut total = self.terms.integer(sum.constant.clone());
        for part in &sum.parts {
            let number = match part.number {
                ShapeNumber::Length(at) => *lengths.get(at).ok_or_else(wrong)?,
                ShapeNumber::Variable(name) => {
                    let ty = self.type_named(state, name).ok_or_else(wrong)?;
                    let known = state.named(name).and_then(|(all, id)| all.get(&id).copied());
                    let value = match known {
                        Some(value) => value,
                        None => {
                            let value = self.anything(state, ty);
                            let (all, id) = state.named(name).ok_or_else(wrong)?;
                            all.insert(id, value);
                            value
                        }
                    };
                    match value {
                        Value::Number(number) => number,
                        Value::Truth(truth) => {
                            let (one, zero) = (self.terms.integer(1), self.terms.integer(0));
                            self.terms.ite(truth, one, zero)
                        }
                        _ => return Err(wrong()),
                    }
                }
            };
            let factor = self.terms.integer(part.factor.clone());
            let product = self.terms.binary(Binary::Multiply, factor, number);
            total = self.terms.binary(Binary::Add, total, product);
        }
        Ok(total)
    }

    /// Checks that on every path within a strongly connected part the ranks decrease.
    fn ranked(&mut self, paths: &[Path]) -> Checked<()> {
        let mut reached: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
        for path in paths {
            if reached.contains_key(&path.to) {
                continue;
            }
            let (mut found, mut left) = (BTreeSet::new(), vec![path.to]);
            while let Some(node) = left.pop() {
                let next = paths.iter().filter(|path| path.from == node).map(|path| path.to);
                left.extend(next.filter(|next| found.insert(*next)));
            }
            reached.insert(path.to, found);
        }
        for path in paths {
            let comes_back = path.from == path.to || reached[&path.to].contains(&path.from);
            if comes_back && !self.decreases(path) {
                let cutpoint = &self.claim.cutpoints[path.from.0];
                let what = format!("a way round block {} on which no rank gets less", cutpoint.block);
                return Err(Refusal::unsupported(what));
            }
        }
        Ok(())
    }

    fn decreases(&mut self, path: &Path) -> bool {
        let (mut kept, mut choices) = (self.terms.bool(true), Vec::new());
        let zero = self.terms.integer(0);
        for (before, after) in path.before.iter().zip(&path.after) {
            let positive = self.terms.binary(Binary::LessEqual, zero, *before);
            let less = self.terms.binary(Binary::Less, *after, *before);
            choices.push(self.terms.all(&[kept, positive, less]));
            let not_more = self.terms.binary(Binary::LessEqual, *after, *before);
            kept = self.terms.and(kept, not_more);
        }
        let some = self.terms.any(&choices);
        self.holds(&path.conditions, some)
    }

    /// Whether a condition holds on a path.
    fn follows(&mut self, state: &State<'p>, condition: Term) -> bool {
        self.holds(&state.conditions, condition)
    }

    /// Whether a run may take a path. What the solver does not know, it may.
    fn is_possible(&mut self, state: &State<'p>) -> bool {
        let never = self.terms.bool(false);
        !self.holds(&state.conditions, never)
    }

    /// The state, if a run may be in it.
    fn possible(&mut self, state: State<'p>) -> Vec<State<'p>> {
        let last = state.conditions.last().copied();
        match last {
            Some(last) if self.terms.is_true(last) => vec![state],
            Some(last) if self.terms.is_false(last) => Vec::new(),
            _ if self.is_possible(&state) => vec![state],
            _ => Vec::new(),
        }
    }

    /// Whether a condition follows from others.
    fn holds(&mut self, conditions: &[Term], condition: Term) -> bool {
        let not = self.terms.not(condition);
        if self.terms.is_false(not) || conditions.iter().any(|term| self.terms.is_false(*term)) {
            return true;
        }
        self.solver.push();
        for term in conditions.iter().chain([&not]) {
            self.solver.assert(self.terms, *term);
        }
        let mut part = self.budget.part(QUERY);
        let before = part.remaining_steps();
        let answer = self.solver.check(self.terms, &[], &mut part);
        self.solver.pop();
        let _ = self.budget.spend(before.saturating_sub(part.remaining_steps()));
        answer == Answer::Unsatisfiable
    }
}
