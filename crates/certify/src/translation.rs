//! A loop of a program as a [`Relation`]: what one pass through its body does on machine semantics.
//!
//! The state is every variable of the function and of the program, the contents of the program's objects and of the
//! function's own, and which of the function's own are alive. A pointer is two parts: its offset, which evidence can
//! speak about, and the number of its object, which it cannot. Whatever the encoding does not know exactly is an input
//! of the pass, and the relation says that it is approximate.
//!
//! A pass in which something is violated that ends the encoding (an access out of bounds, a division by zero) is no pass
//! of the relation: [`Translation::demands`] lists these, and whoever uses the relation for all runs must show that they
//! are never violated. Loops inside and memory that the loop allocates have no place in the state: such a loop is
//! refused.

use std::collections::BTreeMap;
use std::rc::Rc;

use base::{Budget, Index};
use encoding::guard::Guard;
use encoding::lane::Lane;
use encoding::memory::{Contents, Kind as ObjectKind, Start, index_width};
use encoding::value::{OBJECT_WIDTH, OFFSET_WIDTH};
use encoding::{Demand, Encoder, LooseEnd, Options, Pointer, State, Value};
use evidence::{Aspect, Name, Quantity};
use logic::{Scalar, Sort, Term, Terms};
use program::interpret::{Integers, ObligationSet};
use program::{BlockId, Body, FunctionId, Program, Type, VariableId};

use crate::answer::Refusal;
use crate::relation::{Component, Kind, Relation};

/// A loop as terms.
pub struct Translation {
    /// The terms.
    pub terms: Terms,
    /// The loop.
    pub relation: Relation,
    /// What must hold in a pass, each with the condition under which it is violated, over the state before and the
    /// inputs.
    pub demands: Vec<Demand>,
}

/// The relation of the loop with this head. `name` is what certificates call it.
///
/// # Errors
/// If the block is no head of a loop, or the loop does something that has no place in a relation.
pub fn translate(
    program: &Program,
    function: FunctionId,
    head: BlockId,
    name: &str,
    integers: Integers,
    budget: &Budget,
) -> Result<Translation, Refusal> {
    let body = program.functions[function].body();
    let body = body.ok_or_else(|| Refusal::unsupported("a function without a body"))?;
    let options = Options {
        integers,
        checks: ObligationSet::EMPTY,
        needed: ObligationSet::EMPTY,
        passes: 0,
        leaps: None,
        call_depth: 20,
        recursion: 0,
        any_overflow: false,
        outside_returns: true,
        kept_pointers: false,
        trace: false,
    };
    let encoder = Encoder::new(program, options, budget.clone());
    let mut layout = Layout { encoder, program, body, parts: Vec::new(), own: Vec::new() };
    layout.variables(integers);
    layout.objects(function);
    let components: Vec<Component> = layout.parts.iter().map(|part| part.component.clone()).collect();
    let mut relation = Relation::new(&mut layout.encoder.terms, name, components)?;
    let state = layout.state(relation.before());
    let passed = layout.encoder.pass(function, head, state);
    let pass = passed.map_err(|stop| Refusal::unsupported(format!("translating the loop: {stop}")))?;
    let pass = pass.ok_or_else(|| Refusal::unsupported("a block that is no head of a loop"))?;
    if let Some(end) = layout.encoder.findings.loose.first() {
        return Err(Refusal::unsupported(match &end.reason {
            LooseEnd::Loop => String::from("a loop inside"),
            LooseEnd::Recursion => String::from("a recursion inside"),
            LooseEnd::Unsupported(what) => what.clone(),
        }));
    }
    let never = layout.encoder.terms.bool(false);
    let (continues, after) = match &pass.again {
        Some(state) => (state.guard.term(), layout.values(state)?),
        None => (never, relation.before().to_vec()),
    };
    let mut exits = Vec::new();
    for (_, state) in &pass.exits {
        exits.push((state.guard.term(), layout.values(state)?));
    }
    let mut encoder = layout.encoder;
    let demands = std::mem::take(&mut encoder.findings.demands);
    add_inputs(&encoder, &mut relation, continues, &after, &exits, &demands);
    relation.set_pass(&encoder.terms, continues, after)?;
    for (condition, state) in exits {
        relation.add_exit(&encoder.terms, condition, state)?;
    }
    Ok(Translation { terms: encoder.terms, relation, demands })
}

/// Names every symbol of the pass that is not of the state as an input. Only those that the program itself asks for
/// keep the relation exact.
fn add_inputs(
    encoder: &Encoder<'_>,
    relation: &mut Relation,
    continues: Term,
    after: &[Term],
    exits: &[(Term, Vec<Term>)],
    demands: &[Demand],
) {
    let mut roots = vec![continues];
    roots.extend(after);
    exits.iter().for_each(|(condition, state)| {
        roots.push(*condition);
        roots.extend(state);
    });
    roots.extend(demands.iter().map(|demand| demand.violated));
    let asked = encoder.findings.inputs.iter().filter_map(|input| match input.value {
        Value::Scalar(term) => Some(term),
        _ => None,
    });
    let asked: Vec<Term> = asked.collect();
    let before = relation.before().to_vec();
    for term in encoder.terms.reachable(&roots) {
        if encoder.terms.as_symbol(term).is_some() && !before.contains(&term) {
            if !asked.contains(&term) {
                relation.set_approximate();
            }
            relation.add_input(term);
        }
    }
}

/// What a part of the state stands for.
#[derive(Clone, Copy)]
enum Place {
    Scalar(VariableId),
    Offset(VariableId),
    ObjectOf(VariableId),
    /// The cells of an object, by its number.
    Cells(u32),
    Owners(u32),
    Alive(u32),
}

struct Part {
    component: Component,
    place: Place,
}

struct Layout<'p> {
    encoder: Encoder<'p>,
    program: &'p Program,
    body: &'p Body,
    parts: Vec<Part>,
    /// The numbers of the function's own objects.
    own: Vec<u32>,
}

impl Layout<'_> {
    fn add(&mut self, name: &str, aspect: Aspect, kind: Kind, place: Place) {
        let quantity = Quantity { variable: Name::from(name), aspect };
        self.parts.push(Part { component: Component { quantity, kind }, place });
    }

    fn variables(&mut self, integers: Integers) {
        for (name, variable) in variable_names(self.program, self.body) {
            let ty = self.program.variable(self.body, variable).ty;
            let kind = match ty {
                Type::Bool => Kind::Boolean,
                Type::Integer(_) if integers == Integers::Mathematical => Kind::Mathematical,
                Type::Integer(ty) => Kind::Machine { width: ty.width.into(), signed: ty.signed },
                Type::Float(format) => Kind::Opaque(Sort::BitVector(format.bits())),
                Type::Pointer => {
                    let offset = Kind::Machine { width: OFFSET_WIDTH, signed: true };
                    self.add(&name, Aspect::Offset, offset, Place::Offset(variable));
                    let object = Kind::Opaque(Sort::BitVector(OBJECT_WIDTH));
                    self.add(&format!("object of {name}"), Aspect::Value, object, Place::ObjectOf(variable));
                    continue;
                }
            };
            self.add(&name, Aspect::Value, kind, Place::Scalar(variable));
        }
    }

    fn objects(&mut self, function: FunctionId) {
        self.own = self.encoder.declare_locals(function, self.body);
        let globals = (0..self.program.objects.len() as u32).map(|number| number + 1);
        let numbers: Vec<u32> = globals.chain(self.own.iter().copied()).collect();
        for number in numbers {
            let object = self.encoder.object(number).clone();
            let size = self.encoder.terms.known_bits(object.size).and_then(|bits| bits.to_u128());
            let index = Scalar::BitVector(index_width(size.map(|size| size as u64), object.cell));
            let cells = Sort::Array(index, Scalar::BitVector(8 * object.cell as u32));
            let name = format!("object {} {number}", object.name);
            self.add(&name, Aspect::Value, Kind::Opaque(cells), Place::Cells(number));
            if object.cell == self.program.data_model.pointer_bytes() {
                let owners = Sort::Array(index, Scalar::BitVector(OBJECT_WIDTH));
                let name = format!("{name} points to");
                self.add(&name, Aspect::Value, Kind::Opaque(owners), Place::Owners(number));
            }
            if matches!(object.kind, ObjectKind::Local(..)) {
                let name = format!("{name} is alive");
                self.add(&name, Aspect::Value, Kind::Opaque(Sort::Bool), Place::Alive(number));
            }
        }
    }

    /// A state with these symbols for its parts.
    fn state(&mut self, symbols: &[Term]) -> State {
        let mut state = self.encoder.initial_state();
        let always = self.encoder.terms.bool(true);
        state.guard = Guard::new(always);
        let mut locals = vec![Value::Unset; self.body.variables.len()];
        let mut globals = state.globals.to_vec();
        let mut offsets: BTreeMap<VariableId, Term> = BTreeMap::new();
        let all: Vec<u32> = (1..self.encoder.object_count()).collect();
        let own = self.own.clone();
        for number in own {
            let object = self.encoder.object(number).clone();
            let size = self.encoder.terms.known_bits(object.size).and_then(|bits| bits.to_u128());
            let terms = &mut self.encoder.terms;
            let contents = Contents::new(terms, &object, size.map(|size| size as u64), Start::Unknown, false);
            state.set_contents(number, contents);
        }
        for (part, &symbol) in self.parts.iter().zip(symbols) {
            match part.place {
                Place::Scalar(variable) => {
                    let values = if variable.is_global() { &mut globals } else { &mut locals };
                    values[variable.index()] = Value::Scalar(symbol);
                }
                Place::Offset(variable) => _ = offsets.insert(variable, symbol),
                Place::ObjectOf(variable) => {
                    self.encoder.declare_possible(symbol, &all);
                    let values = if variable.is_global() { &mut globals } else { &mut locals };
                    let pointer = Pointer { object: symbol, offset: offsets[&variable] };
                    values[variable.index()] = Value::Pointer(pointer);
                }
                Place::Cells(number) | Place::Owners(number) | Place::Alive(number) => {
                    let Some(contents) = state.contents(number) else { continue };
                    let mut contents = contents.clone();
                    let (width, count) = (contents.bits.index_width(), contents.bits.count());
                    match part.place {
                        Place::Cells(_) => contents.bits = Lane::of_array(symbol, width, count),
                        Place::Owners(_) => {
                            contents.owners = Some(Lane::of_array(symbol, width, count));
                            self.encoder.declare_targets(number, &all);
                        }
                        _ => contents.alive = symbol,
                    }
                    state.set_contents(number, contents);
                }
            }
        }
        state.locals = Rc::new(locals);
        state.globals = Rc::new(globals);
        let numbers: Vec<Term> =
            self.own.iter().map(|&own| self.encoder.terms.bits(OBJECT_WIDTH, own.into())).collect();
        state.objects = Rc::new(numbers);
        state
    }

    /// The parts of a state, in order.
    fn values(&mut self, state: &State) -> Result<Vec<Term>, Refusal> {
        let objects =
            state.memory.iter().enumerate().skip(self.own.last().map_or(0, |&own| own as usize + 1));
        let made = objects.filter(|(number, contents)| {
            contents.is_some() && *number > self.program.objects.len() + self.program.functions.len()
        });
        if made.count() > 0 {
            return Err(Refusal::unsupported("a loop that makes objects"));
        }
        let mut values = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let terms = &mut self.encoder.terms;
            let contents = |number: u32| {
                state.contents(number).cloned().ok_or_else(|| Refusal::unsupported("an object that ends"))
            };
            values.push(match part.place {
                Place::Scalar(variable) => match state.variable(variable) {
                    Value::Scalar(term) => term,
                    _ => return Err(Refusal::unsupported("a variable without a value")),
                },
                Place::Offset(variable) | Place::ObjectOf(variable) => match state.variable(variable) {
                    Value::Pointer(pointer) if matches!(part.place, Place::Offset(_)) => pointer.offset,
                    Value::Pointer(pointer) => pointer.object,
                    _ => return Err(Refusal::unsupported("a variable without a value")),
                },
                Place::Cells(number) => contents(number)?.bits.flatten(terms),
                Place::Owners(number) => match contents(number)?.owners {
                    Some(mut owners) => owners.flatten(terms),
                    None => return Err(Refusal::unsupported("an object without pointers")),
                },
                Place::Alive(number) => contents(number)?.alive,
            });
        }
        Ok(values)
    }
}

/// The variables that a body can name, each under a name of its own: the second `i` is `i#2`.
pub fn variable_names(program: &Program, body: &Body) -> Vec<(String, VariableId)> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let globals = (0..program.globals.len()).map(VariableId::global);
    let mut names = Vec::new();
    for variable in body.variables.ids().chain(globals) {
        let name = program.variable(body, variable).name.as_str();
        let count = seen.entry(name).or_default();
        *count += 1;
        names.push((if *count == 1 { name.to_owned() } else { format!("{name}#{count}") }, variable));
    }
    names
}
