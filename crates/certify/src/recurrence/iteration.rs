//! One iteration (or a few) of a loop from a state that a run has reached, as terms.
//!
//! ```text
//! reached state ─► constants, and symbols for what the iterations change ─► encoding ─► state at the head again
//!                            ▲                                                           │
//!                            └──────────── what was found to change becomes symbols ◄────┘
//! ```
//!
//! What the iterations leave alone keeps the value that it has in the reached state: so products with it are linear,
//! and branches on it are decided. What is changed but has no number of its own (where a pointer points, an object that
//! is written at places that are not known, a floating point number) is anything before each iteration.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::Budget;
use encoding::cell_array::{CellArray, Cells};
use encoding::guard::Guard;
use encoding::memory::{Contents, Kind as ObjectKind, Range, Start};
use encoding::value::{OBJECT_WIDTH, OFFSET_WIDTH, anything};
use encoding::{Encoder, Incompleteness, Input, Options, Pointer, State, Value};
use evidence::{Aspect, Integer, Name, Quantity};
use logic::{Sort, Term};
use program::interpret::{Integers, ObligationSet};
use program::{Body, ExprKind, Obligation, OverflowOp, Program, Type, VariableId};

use super::reached::{Reached, Spot, Stored};
use crate::answer::{Checked, Refusal};
use crate::relation::{Component, Kind, Relation};
use evidence::names::variable_names;

/// How often what changes is looked for again.
const ROUNDS: usize = 24;

/// How iterations are encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IterationMode {
    /// What integers are.
    pub integers: Integers,
    /// How many iterations lie between a state of the set and the next one.
    pub period: u32,
    /// How many iterations of a loop inside are unwound. That it makes no more is part of what is proved.
    pub inner: u64,
    /// Whether signed numbers may overflow, and then be any; otherwise that they do not is part of what is proved.
    pub any_overflow: bool,
}

/// Iterations from the head of a loop back to it.
pub struct Iteration<'p> {
    pub(super) encoder: Encoder<'p>,
    pub(super) relation: Relation,
    pub(super) parts: Vec<Part>,
    /// The parts of the state before the iterations: symbols for those that change, and constants.
    pub(super) now: Vec<Term>,
    /// What must not happen on the way: verification conditions that are violated, and paths that are not followed to
    /// their end.
    pub(super) dangers: Vec<Term>,
    /// The inputs that the environment of the program chooses, in the order in which they are asked for.
    pub(super) inputs: Vec<Input>,
    pub(super) integers: Integers,
}

/// A part of the state that is a number.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is called, and which numbers it can be.
    pub component: Component,
    /// Its number in the reached state.
    pub start: Integer,
    /// Whether the iterations change it.
    pub changes: bool,
    place: Place,
}

/// What a part of the state, or something that is no number, is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    /// An integer variable.
    Number(VariableId),
    /// How far a pointer points behind the start of its object.
    Offset(VariableId),
    /// Where a pointer points.
    Pointer(VariableId),
    /// A cell of an object, by the object's place in the reached state.
    Cell(usize, u64),
    /// All of an object.
    Object(usize),
}

/// Encodes the iterations from a reached state.
///
/// # Errors
/// If the loop does something that this cannot speak about, or never comes back.
pub fn encode<'p>(
    program: &'p Program,
    reached: &Reached,
    mode: IterationMode,
    budget: &mut Budget,
) -> Checked<Iteration<'p>> {
    let mut changing = BTreeSet::new();
    for _ in 0..ROUNDS {
        let mut layout = Layout::new(program, reached, mode, &changing, budget)?;
        let passed = layout.iterations();
        *budget = layout.encoder.budget.clone();
        let after = passed?;
        let grown = layout.grown(&after)?;
        if grown.iter().all(|place| changing.contains(place)) {
            return layout.finish(&after);
        }
        drop(layout);
        changing.extend(grown);
    }
    Err(Refusal::unsupported("a loop that changes too much"))
}

struct Layout<'p, 'r> {
    encoder: Encoder<'p>,
    program: &'p Program,
    body: &'p Body,
    reached: &'r Reached,
    mode: IterationMode,
    changing: &'r BTreeSet<Place>,
    /// The numbers of the reached objects.
    numbers: Vec<u32>,
    parts: Vec<Part>,
    relation: Relation,
    now: Vec<Term>,
    start: State,
}

impl<'p, 'r> Layout<'p, 'r> {
    fn new(
        program: &'p Program,
        reached: &'r Reached,
        mode: IterationMode,
        changing: &'r BTreeSet<Place>,
        budget: &Budget,
    ) -> Checked<Self> {
        let body = program.functions[reached.function].body();
        let body = body.ok_or_else(|| Refusal::unsupported("a function without a body"))?;
        let mut needed = ObligationSet::ALL.without(Obligation::Leak).without(Obligation::Uninitialised);
        if mode.any_overflow {
            // Most machines stop where a quotient overflows.
            let divides = |kind: ExprKind| matches!(kind, ExprKind::Overflows(OverflowOp::Divide, ..));
            let mut bodies = program.functions.values().filter_map(|function| function.body());
            if bodies.any(|body| body.expressions.values().any(|expression| divides(expression.kind))) {
                return Err(Refusal::unsupported("a quotient that may overflow"));
            }
            needed = needed.without(Obligation::SignedOverflow);
        }
        let options = Options {
            integers: mode.integers,
            checks: ObligationSet::EMPTY,
            needed,
            iterations: mode.inner,
            abstract_loops: None,
            call_depth: 20,
            recursion: 0,
            any_overflow: mode.any_overflow,
            outside_returns: false,
            kept_pointers: true,
            trace: false,
        };
        let mut encoder = Encoder::new(program, options, budget.clone());
        let mut start = encoder.initial_state();
        // What the program's objects held at the start is of no interest; what the library provides is not known.
        start.memory = Rc::new(vec![None; start.memory.len()]);
        let relation = Relation::new(&mut encoder.terms, Vec::new())?;
        let mut layout = Self {
            encoder,
            program,
            body,
            reached,
            mode,
            changing,
            numbers: Vec::new(),
            parts: Vec::new(),
            relation,
            now: Vec::new(),
            start,
        };
        layout.declare_objects();
        layout.list_parts();
        layout.name_parts()?;
        layout.set_variables();
        layout.set_objects();
        Ok(layout)
    }

    /// Whether the head is the entry of a function that calls itself, and the iterations are calls.
    fn is_call(&self) -> bool {
        self.reached.is_call(self.body)
    }

    /// Whether a variable has a value at the head: at a function's entry only parameters and those of the program do.
    fn is_live(&self, variable: VariableId) -> bool {
        !self.is_call() || variable.is_global() || self.body.parameters.contains(&variable)
    }

    fn declare_objects(&mut self) {
        for (place, object) in self.reached.objects.iter().enumerate() {
            let size = object.bytes.len() as u64;
            let (encoder, start) = (&mut self.encoder, &mut self.start);
            let local = match object.kind {
                ObjectKind::Local(function, local) => {
                    self.program.functions[function].body().map(|body| &body.locals[local])
                }
                _ => None,
            };
            let number = match (object.kind, local) {
                (ObjectKind::Global(id), _) => {
                    let number = encoder.global_number(id);
                    let described = encoder.object(number).clone();
                    let contents =
                        Contents::new(&mut encoder.terms, &described, Some(size), Start::Unknown, false);
                    start.set_contents(number, contents);
                    number
                }
                (kind, Some(local)) => {
                    encoder.declare_object(start, kind, &local.name, size, local.alignment)
                }
                (kind, None) => encoder.declare_object(start, kind, &format!("object {place}"), size, 1),
            };
            self.numbers.push(number);
        }
        let none = self.encoder.terms.bits(OBJECT_WIDTH, 0);
        let number = |place: &Option<usize>, encoder: &mut Encoder<'_>| match place {
            Some(place) => encoder.terms.bits(OBJECT_WIDTH, self.numbers[*place].into()),
            None => none,
        };
        let locals = self.reached.locals.iter().map(|place| number(place, &mut self.encoder)).collect();
        self.start.objects = Rc::new(locals);
    }

    fn list_parts(&mut self) {
        for (name, variable) in variable_names(self.program, self.body) {
            if !self.is_live(variable) {
                continue;
            }
            let quantity = |aspect| Quantity { variable: Name::from(name.as_str()), aspect };
            if let Some(&number) = self.reached.numbers.get(&variable) {
                let ty = self.program.variable(self.body, variable).ty;
                let Some(kind) = Kind::of(ty, self.mode.integers) else { continue };
                self.part(quantity(Aspect::Value), kind, Place::Number(variable), Integer::from(number));
            } else if let Some(Spot::In(_, offset)) = self.reached.pointers.get(&variable) {
                let kind = Kind::Machine { width: OFFSET_WIDTH, signed: true };
                self.part(quantity(Aspect::Offset), kind, Place::Offset(variable), Integer::from(*offset));
            }
        }
        for &place in self.changing {
            let Place::Cell(object, index) = place else { continue };
            if self.changing.contains(&Place::Object(object)) {
                continue;
            }
            let stored = &self.reached.objects[object];
            let cell = self.encoder.object(self.numbers[object]).cell;
            let Some(bits) = known_cell(stored, cell, index) else { continue };
            let kind = Kind::Machine { width: 8 * cell as u32, signed: true };
            let number = logic::BitVector::new(8 * cell as u32, bits).signed();
            let name = self.cell_name(object, index);
            self.part(Quantity::value(name.as_str()), kind, place, number);
        }
    }

    fn part(&mut self, quantity: Quantity, kind: Kind, place: Place, start: Integer) {
        let changes = self.changing.contains(&place);
        // What a pointer that moves to other objects is has no number.
        if let Place::Offset(variable) = place
            && self.changing.contains(&Place::Pointer(variable))
        {
            return;
        }
        self.parts.push(Part { component: Component { quantity, kind }, start, changes, place });
    }

    /// What a cell is called: by a pointer to its object, or by the object.
    fn cell_name(&self, object: usize, index: u64) -> String {
        let points = |variable: &VariableId| matches!(self.reached.pointers.get(variable), Some(Spot::In(place, 0)) if *place == object);
        let names = variable_names(self.program, self.body);
        let pointer = names.into_iter().find(|(_, variable)| points(variable)).map(|(name, _)| name);
        let name = pointer.unwrap_or_else(|| self.encoder.object(self.numbers[object]).name.clone());
        format!("{name}[{index}]")
    }

    fn name_parts(&mut self) -> Checked<()> {
        let mut seen: BTreeMap<Quantity, usize> = BTreeMap::new();
        for part in &mut self.parts {
            let count = seen.entry(part.component.quantity.clone()).or_default();
            *count += 1;
            if *count > 1 {
                let name = format!("{}@{count}", part.component.quantity.variable);
                part.component.quantity.variable = Name::from(name.as_str());
            }
        }
        let components = self.parts.iter().map(|part| part.component.clone()).collect();
        self.relation = Relation::new(&mut self.encoder.terms, components)?;
        for (place, part) in self.parts.iter().enumerate() {
            self.now.push(match part.changes {
                true => self.relation.before()[place],
                false => self.encoder.terms.value(&value_of(part.component.kind, &part.start)),
            });
        }
        Ok(())
    }

    fn term_of(&self, place: Place) -> Option<Term> {
        let at = self.parts.iter().position(|part| part.place == place)?;
        Some(self.now[at])
    }

    fn set_variables(&mut self) {
        self.start.locals = Rc::new(vec![Value::Unset; self.body.variables.len()]);
        let objects: Vec<u32> = self.numbers.clone();
        for (name, variable) in variable_names(self.program, self.body) {
            if !self.is_live(variable) {
                continue;
            }
            let ty = self.program.variable(self.body, variable).ty;
            let value = match (ty, self.term_of(Place::Number(variable))) {
                (Type::Pointer, _) => self.pointer(&name, variable, &objects),
                (_, Some(term)) => Value::Scalar(term),
                (_, None) => anything(&mut self.encoder.terms, &name, ty, self.mode.integers),
            };
            self.start.set_variable(variable, value);
        }
    }

    fn pointer(&mut self, name: &str, variable: VariableId, objects: &[u32]) -> Value {
        let offset = self.term_of(Place::Offset(variable));
        let terms = &mut self.encoder.terms;
        let moves = self.changing.contains(&Place::Pointer(variable));
        let pointer = match (self.reached.pointers.get(&variable), offset) {
            (Some(Spot::Null), _) if !moves => Pointer::null(terms),
            (Some(Spot::In(object, _)), Some(offset)) if !moves => {
                Pointer { object: terms.bits(OBJECT_WIDTH, self.numbers[*object].into()), offset }
            }
            _ => {
                let object = terms.fresh(format!("object of {name}"), Sort::BitVector(OBJECT_WIDTH));
                let offset = terms.fresh(name, Sort::BitVector(OFFSET_WIDTH));
                self.encoder.note_possible(object, objects);
                Pointer { object, offset }
            }
        };
        Value::Pointer(pointer)
    }

    fn set_objects(&mut self) {
        let width = self.program.data_model.pointer_bytes();
        for (place, stored) in self.reached.objects.iter().enumerate() {
            let number = self.numbers[place];
            let Some(contents) = self.start.contents(number) else { continue };
            let mut contents = contents.clone();
            if self.changing.contains(&Place::Object(place)) {
                // A pointer in it can point anywhere.
                if stored.bytes.len() as u64 >= width {
                    self.encoder.declare_targets(number, &self.numbers);
                    let (index, count) = (contents.bits.index_width(), contents.bits.count());
                    let (terms, owners) = (&mut self.encoder.terms, Sort::BitVector(OBJECT_WIDTH));
                    contents.owners = Some(CellArray::unknown(terms, "points to", owners, index, count));
                }
                self.start.set_contents(number, contents);
                continue;
            }
            let cell = self.encoder.object(number).cell;
            for index in 0..stored.bytes.len() as u64 / cell {
                if let Some(symbol) = self.term_of(Place::Cell(place, index)) {
                    contents.bits.set(index, symbol);
                } else if let Some(bits) = known_cell(stored, cell, index) {
                    let term = self.encoder.terms.bits(8 * cell as u32, bits);
                    contents.bits.set(index, term);
                }
            }
            if cell == width {
                self.set_pointers(number, stored, &mut contents);
            }
            self.start.set_contents(number, contents);
        }
    }

    /// Puts the pointers of an object into their cells.
    fn set_pointers(&mut self, number: u32, stored: &Stored, contents: &mut Contents) {
        let width = self.program.data_model.pointer_bytes();
        for (&offset, spot) in &stored.pointers {
            let Some(Spot::In(object, inside)) = *spot else { continue };
            self.encoder.declare_targets(number, &[self.numbers[object]]);
            let terms = &mut self.encoder.terms;
            let pointer = Pointer::to(terms, self.numbers[object], inside);
            let offset = terms.bits(OFFSET_WIDTH, offset.into());
            Range { offset, size: width, cell: width }.write_pointer(terms, contents, pointer);
        }
    }

    /// Encodes as many iterations as the period has.
    fn iterations(&mut self) -> Checked<State> {
        let always = self.encoder.terms.bool(true);
        let mut state = self.start.clone();
        state.guard = Guard::new(always);
        for _ in 0..self.mode.period {
            let stopped = |stop| Refusal::unsupported(format!("translating the loop: {stop}"));
            let (function, head) = (self.reached.function, self.reached.head);
            let again = if self.is_call() {
                self.encoder.descent(function, state).map_err(stopped)?
            } else {
                let iteration = self.encoder.iteration(function, head, state).map_err(stopped)?;
                iteration.ok_or_else(|| Refusal::unsupported("a block that is no head of a loop"))?.again
            };
            state = match (again, self.encoder.findings.incomplete.first()) {
                (Some(state), _) => state,
                (None, Some(end)) => return Err(Refusal::unsupported(unfollowed(&end.reason))),
                (None, None) => return Err(Refusal::unsupported("a loop that is left")),
            };
        }
        Ok(state)
    }

    /// What differs between the start and the state afterwards and is not known to change.
    fn grown(&mut self, after: &State) -> Checked<Vec<Place>> {
        let mut grown = Vec::new();
        let known = |variable: &VariableId| {
            self.is_live(*variable)
                && (self.reached.numbers.contains_key(variable)
                    || self.reached.pointers.contains_key(variable))
        };
        let globals = (0..self.program.globals.len()).map(VariableId::global);
        for variable in self.body.variables.ids().chain(globals).filter(known) {
            match (self.start.variable(variable), after.variable(variable)) {
                (before, now) if before == now => {}
                (Value::Pointer(before), Value::Pointer(now)) => {
                    let same = before.object == now.object && self.term_of(Place::Offset(variable)).is_some();
                    grown.push(if same { Place::Offset(variable) } else { Place::Pointer(variable) });
                }
                _ => grown.push(Place::Number(variable)),
            }
        }
        for place in 0..self.reached.objects.len() {
            self.grown_object(place, after, &mut grown)?;
        }
        let first =
            self.numbers.iter().max().map_or(0, |last| *last as usize + 1).max(self.start.memory.len());
        if after.memory.iter().skip(first).any(Option::is_some) {
            return Err(Refusal::unsupported("a loop that makes objects"));
        }
        for (local, place) in self.reached.locals.iter().enumerate() {
            // A local object that lives in an iteration alone is another one in each.
            if place.is_some() && self.start.objects[local] != after.objects[local] {
                return Err(Refusal::unsupported("a loop that makes its local objects anew"));
            }
        }
        Ok(grown)
    }

    fn grown_object(&mut self, place: usize, after: &State, grown: &mut Vec<Place>) -> Checked<()> {
        let number = self.numbers[place];
        let (Some(before), Some(now)) = (self.start.contents(number), after.contents(number)) else {
            return Err(Refusal::unsupported("an object that ends"));
        };
        if before.alive != now.alive {
            return Err(Refusal::unsupported("an object that ends"));
        }
        if before == now || self.changing.contains(&Place::Object(place)) {
            return Ok(());
        }
        let stored = &self.reached.objects[place];
        let cell = self.encoder.object(number).cell;
        let cells = stored.bytes.len() as u64 / cell;
        let terms = &mut self.encoder.terms;
        let owners_differ = match (&before.owners, &now.owners) {
            (None, None) => false,
            (Some(before), Some(now)) => !before.difference(terms, now).is_empty(),
            _ => true,
        };
        let (before, now) = (&before.bits, &now.bits);
        let places: Vec<u64> = match before.difference(terms, now) {
            Cells::Some(indices) => indices.into_iter().collect(),
            Cells::All => {
                (0..cells).filter(|&index| before.get(terms, index) != now.get(terms, index)).collect()
            }
        };
        let numbered = |index: &u64| known_cell(stored, cell, *index).is_some();
        if owners_differ || cells > MOST_CELLS || !places.iter().all(numbered) {
            grown.push(Place::Object(place));
        } else {
            grown.extend(places.into_iter().map(|index| Place::Cell(place, index)));
        }
        Ok(())
    }

    fn finish(mut self, after: &State) -> Checked<Iteration<'p>> {
        let mut terms_after = Vec::new();
        for (part, &now) in self.parts.iter().zip(&self.now) {
            let changed = match part.place {
                _ if !part.changes => now,
                Place::Number(variable) => match after.variable(variable) {
                    Value::Scalar(term) => term,
                    _ => return Err(Refusal::unsupported("a variable without a value")),
                },
                Place::Offset(variable) => match after.variable(variable) {
                    Value::Pointer(pointer) => pointer.offset,
                    _ => return Err(Refusal::unsupported("a variable without a value")),
                },
                Place::Cell(object, index) => {
                    let contents = after.contents(self.numbers[object]);
                    let contents = contents.ok_or_else(|| Refusal::unsupported("an object that ends"))?;
                    contents.bits.get(&mut self.encoder.terms, index)
                }
                Place::Pointer(_) | Place::Object(_) => now,
            };
            terms_after.push(changed);
        }
        let continues = after.guard.term();
        let findings = &mut self.encoder.findings;
        let mut dangers: Vec<Term> = findings.vcs.iter().map(|vc| vc.violated).collect();
        dangers.extend(findings.incomplete.iter().map(|incomplete| incomplete.reached));
        let inputs: Vec<Input> = std::mem::take(&mut findings.inputs).into_iter().filter(is_chosen).collect();
        self.relation.set_iteration(&self.encoder.terms, continues, terms_after)?;
        Ok(Iteration {
            encoder: self.encoder,
            relation: self.relation,
            parts: self.parts,
            now: self.now,
            dangers,
            inputs,
            integers: self.mode.integers,
        })
    }
}

/// Objects of more cells that are written are anything before each iteration.
const MOST_CELLS: u64 = 64;

/// Whether an input is one that the environment of the program chooses.
fn is_chosen(input: &Input) -> bool {
    const NAMES: [&str; 4] = ["__VERIFIER_nondet", "nondet", "unknown", "uninitialised "];
    matches!(input.value, Value::Scalar(_))
        && matches!(input.ty, Type::Bool | Type::Integer(_))
        && NAMES.iter().any(|name| input.name.starts_with(name))
}

/// The bits of a cell of which all bytes are known and no pointer's.
fn known_cell(stored: &Stored, cell: u64, index: u64) -> Option<u128> {
    let first = index * cell;
    let reach = 8;
    let near = stored.pointers.range(first.saturating_sub(reach - 1)..first + cell);
    if near.count() > 0 {
        return None;
    }
    let bytes = stored.bytes.get(first as usize..(first + cell) as usize)?;
    bytes.iter().rev().try_fold(0, |bits: u128, byte| Some(bits << 8 | u128::from((*byte)?)))
}

/// A number as a value of a kind.
pub(super) fn value_of(kind: Kind, number: &Integer) -> logic::Value {
    match kind {
        Kind::Machine { width, .. } => logic::Value::BitVector(logic::BitVector::wrapping(width, number)),
        Kind::Boolean => logic::Value::Bool(*number != Integer::ZERO),
        Kind::Mathematical => logic::Value::Integer(number.clone()),
    }
}

fn unfollowed(reason: &Incompleteness) -> String {
    match reason {
        Incompleteness::Loop => String::from("a loop inside"),
        Incompleteness::Recursion => String::from("a recursion inside"),
        Incompleteness::Unsupported(what) => what.clone(),
    }
}
