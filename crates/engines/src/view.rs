//! What a proposer sees of a loop: the code, and the variables and objects by the names that invariants use.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base::{Index, Location};
use certify::abstraction::{Abstraction, Named};
use encoding::{AbstractLoop, Encoder, State, Value};
use evidence::{Expression, Integer, Name};
use program::{BlockId, Body, FunctionId, ObjectRef, Origin, Program, Type, VariableId};

use crate::code::{Code, mentioned};
use crate::iteration::Iteration;
use crate::samples::{Seen, accelerate};
use crate::shared::Shared;

/// How many of the loops in a loop are examined along with it.
const MOST_WITHIN: usize = 4;

/// A loop as a proposer sees it.
pub struct View<'a> {
    /// The program.
    pub program: &'a Program,
    /// What all loops of the program share.
    pub shared: &'a Shared<'a>,
    /// The active calls, the outermost first.
    pub stack: &'a [(FunctionId, Location)],
    /// The function.
    pub function: FunctionId,
    /// Its body.
    pub body: &'a Body,
    /// The loop's head.
    pub head: BlockId,
    /// All blocks of the loop.
    pub blocks: &'a [BlockId],
    /// Variables that hold numbers, and have a value at the head.
    pub numbers: Vec<NumberView>,
    /// Variables that hold pointers, and have a value at the head.
    pub pointers: Vec<PointerView>,
    /// Objects that can be spoken of.
    pub buffers: Vec<BufferView>,
    /// The heads of the loops around it, the innermost first.
    pub outer: Vec<BlockId>,
    /// The views of these loops, each without those around it.
    pub around: Vec<View<'a>>,
    /// The views of the loops in it, each without those in it.
    pub within: Vec<View<'a>>,
    /// What an iteration does.
    pub iteration: Iteration,
    /// The loops in it: their heads, and all their blocks.
    pub inner: Vec<(BlockId, &'a [BlockId])>,
    /// What the code in and after the loop says.
    pub code: Code,
    /// What runs have shown of the loop.
    pub seen: Option<Cow<'a, Seen>>,
}

/// A variable that holds a number.
#[derive(Clone, PartialEq, Debug)]
pub struct NumberView {
    /// Its name in invariants.
    pub name: Name,
    /// The variable.
    pub variable: VariableId,
    /// Its type: an integer type or `bool`.
    pub ty: Type,
    /// Whether the loop changes it.
    pub changed: bool,
    /// Its value at entry, if that is known.
    pub entry: Option<Integer>,
    /// Another variable that the loop does not change and that holds its value at entry.
    pub twin: Option<Name>,
    /// Whether the source names it.
    pub source: bool,
}

/// A variable that holds a pointer.
#[derive(Clone, PartialEq, Debug)]
pub struct PointerView {
    /// Its name in invariants.
    pub name: Name,
    /// The variable.
    pub variable: VariableId,
    /// Whether the loop changes it.
    pub changed: bool,
    /// Whether it points to one and the same object, or to none. Invariants may use its name as that of the object
    /// then.
    pub certain: bool,
    /// The size of that object, if it is known.
    pub size: Option<u64>,
    /// Its offset at entry, if that is known.
    pub entry: Option<Integer>,
    /// Whether the source names it.
    pub source: bool,
    /// The number of the object that it points to, if that is certain: equal numbers, equal objects.
    pub object: Option<u32>,
}

/// An object that can be spoken of.
#[derive(Clone, PartialEq, Debug)]
pub struct BufferView {
    /// Its name in invariants, or the name of a pointer that surely points to it.
    pub name: Name,
    /// Its number.
    pub object: u32,
    /// Its size, if it is known.
    pub size: Option<u64>,
    /// Whether the loop changes its bytes.
    pub changed: bool,
    /// How many bytes an element of it seems to have.
    pub cell: u64,
    /// How expressions name it, if they can.
    pub reference: Option<ObjectRef>,
}

/// What a view is read off: a loop, its state at entry, and at its head.
struct Source<'a, 'p> {
    encoder: &'a Encoder<'p>,
    abstract_loop: &'a AbstractLoop,
    entry: &'a State,
    start: &'a State,
}

impl<'a> View<'a> {
    /// The view of an abstract loop.
    pub fn of(
        shared: &'a Shared<'a>,
        abstraction: &'a Abstraction<'_>,
        names: &BTreeMap<Name, Named>,
        abstract_loop: usize,
    ) -> Option<Self> {
        let abstract_loops = abstraction.abstract_loops();
        let this = &abstract_loops[abstract_loop];
        let code = Code::of(shared.vocabulary(this.function)?, this.head, &this.blocks);
        let mut view = Self::alone(shared, abstraction, names, code, abstract_loop)?;
        let seen = shared.samples.seen(&this.stack, this.head);
        let variables = view.variables();
        let variable = |expression: &Expression| match expression {
            Expression::Quantity { quantity, .. } => variables.get(&quantity.variable).copied(),
            _ => None,
        };
        view.seen = seen.map(|seen| match accelerate(seen, &view.code, &variable) {
            Some(longer) => Cow::Owned(longer),
            None => Cow::Borrowed(seen),
        });
        for place in outer(abstract_loops, this) {
            view.outer.push(abstract_loops[place].head);
            view.around.extend(Self::alone(shared, abstraction, names, Code::default(), place));
        }
        for place in inner(abstract_loops, abstract_loop).into_iter().take(MOST_WITHIN) {
            view.within.extend(Self::alone(shared, abstraction, names, Code::default(), place));
        }
        Some(view)
    }

    /// The view without those of the loops around it.
    fn alone(
        shared: &'a Shared<'a>,
        abstraction: &'a Abstraction<'_>,
        names: &BTreeMap<Name, Named>,
        code: Code,
        abstract_loop: usize,
    ) -> Option<Self> {
        let abstract_loops = abstraction.abstract_loops();
        let this = &abstract_loops[abstract_loop];
        let program = shared.program;
        let body = program.functions[this.function].body()?;
        let mut view = Self {
            program,
            shared,
            stack: &this.stack,
            function: this.function,
            body,
            head: this.head,
            blocks: &this.blocks,
            numbers: Vec::new(),
            pointers: Vec::new(),
            buffers: Vec::new(),
            outer: Vec::new(),
            around: Vec::new(),
            within: Vec::new(),
            iteration: Iteration::default(),
            inner: inner(abstract_loops, abstract_loop)
                .iter()
                .map(|&place| (abstract_loops[place].head, &*abstract_loops[place].blocks))
                .collect(),
            code,
            seen: None,
        };
        let (entry, start) = (this.entries.first()?, &this.starts.first()?.state);
        let encoder = abstraction.encoder();
        let source = Source { encoder, abstract_loop: this, entry, start };
        for (name, named) in names {
            match *named {
                Named::Variable(variable) => view.variable(&source, name, variable),
                Named::Local(local) => {
                    if let [only] = encoder.candidates(start.objects[local.index()])[..] {
                        view.buffer(&source, name, only, Some(ObjectRef::Local(local)));
                    }
                }
                Named::Global(object) => {
                    let number = encoder.global_number(object);
                    view.buffer(&source, name, number, Some(ObjectRef::Global(object)));
                }
            }
        }
        view.keep_mentioned();
        view.find_twins(entry);
        view.unnamed_buffers(&source);
        view.iteration = Iteration::of(&view);
        Some(view)
    }

    /// Drops what the loop neither changes nor speaks of: invariants about it are invariants already.
    fn keep_mentioned(&mut self) {
        let mentioned = mentioned(self.body, self.blocks);
        let tested = &self.code.mentioned;
        self.numbers.retain(|number| {
            number.changed || mentioned.contains(&number.variable) || tested.contains(&number.name)
        });
        self.pointers.retain(|pointer| pointer.changed || mentioned.contains(&pointer.variable));
    }

    /// An object without a name in this function is spoken of by a pointer to it, if possible one that stays.
    fn unnamed_buffers(&mut self, source: &Source<'_, '_>) {
        let mut named: Vec<(bool, Name, u32)> = self
            .pointers
            .iter()
            .filter_map(|pointer| Some((pointer.changed, pointer.name.clone(), pointer.object?)))
            .collect();
        named.sort_by_key(|(changed, ..)| *changed);
        for (_, name, object) in named {
            self.buffer(source, &name, object, None);
        }
    }

    /// Finds variables that still hold what others held at entry: invariants are simpler if they speak of those.
    fn find_twins(&mut self, entry: &State) {
        let fixed: Vec<(Value, Type, Name)> = self
            .numbers
            .iter()
            .filter(|number| !number.changed && number.source)
            .map(|number| (entry.variable(number.variable), number.ty, number.name.clone()))
            .collect();
        for number in self.numbers.iter_mut().filter(|number| number.changed) {
            let value = entry.variable(number.variable);
            let twin = fixed.iter().find(|(other, ty, _)| *other == value && *ty == number.ty);
            number.twin = twin.map(|(_, _, name)| name.clone());
        }
    }

    /// The variables whose numbers invariants can speak of, by name.
    pub fn variables(&self) -> BTreeMap<Name, VariableId> {
        let numbers = self.numbers.iter().map(|number| (number.name.clone(), number.variable));
        let pointers = self.pointers.iter().map(|pointer| (pointer.name.clone(), pointer.variable));
        numbers.chain(pointers).collect()
    }

    fn variable(&mut self, from: &Source<'_, '_>, name: &Name, variable: VariableId) {
        let Source { encoder, abstract_loop, entry, start } = *from;
        let description = self.program.variable(self.body, variable);
        let source = description.origin != Origin::Temporary;
        let changed = abstract_loop.changed.variables.contains(&variable);
        match (start.variable(variable), entry.variable(variable)) {
            (Value::Scalar(_), first) if matches!(description.ty, Type::Integer(_) | Type::Bool) => {
                let entry = match first {
                    Value::Scalar(term) => known(encoder, term, description.ty),
                    _ => None,
                };
                let (name, ty) = (name.clone(), description.ty);
                self.numbers.push(NumberView { name, variable, ty, changed, entry, twin: None, source });
            }
            (Value::Pointer(pointer), first) => {
                let object = match encoder.candidates(pointer.object)[..] {
                    [only] => Some(only),
                    _ => None,
                };
                let entry = match first {
                    Value::Pointer(first) => known(encoder, first.offset, Type::signed(64)),
                    _ => None,
                };
                let size = object.and_then(|object| size(encoder, object));
                self.pointers.push(PointerView {
                    name: name.clone(),
                    variable,
                    changed,
                    certain: object.is_some(),
                    size,
                    entry,
                    source,
                    object,
                });
            }
            _ => {}
        }
    }

    fn buffer(&mut self, from: &Source<'_, '_>, name: &Name, object: u32, reference: Option<ObjectRef>) {
        let Source { encoder, abstract_loop, start, .. } = *from;
        if start.contents(object).is_none() || self.buffers.iter().any(|buffer| buffer.object == object) {
            return;
        }
        let changed =
            abstract_loop.changed.objects.get(&object).is_some_and(|change| !change.bits.is_empty());
        let (size, cell) = (size(encoder, object), encoder.object(object).cell);
        self.buffers.push(BufferView { name: name.clone(), object, size, changed, cell, reference });
    }
}

/// The abstract loops around an abstract loop in the same function, the innermost first.
fn outer(abstract_loops: &[AbstractLoop], abstract_loop: &AbstractLoop) -> Vec<usize> {
    let mut places = Vec::new();
    let mut next = abstract_loop.outer;
    while let Some(place) = next {
        if abstract_loops[place].function != abstract_loop.function {
            break;
        }
        places.push(place);
        next = abstract_loops[place].outer;
    }
    places
}

/// The abstract loops in a loop, in the same call.
fn inner(abstract_loops: &[AbstractLoop], abstract_loop: usize) -> Vec<usize> {
    let this = &abstract_loops[abstract_loop];
    let mut open = vec![abstract_loop];
    let mut places = Vec::new();
    for (place, other) in abstract_loops.iter().enumerate().skip(abstract_loop + 1) {
        if !other.outer.is_some_and(|outer| open.contains(&outer)) {
            break;
        }
        open.push(place);
        if other.function == this.function && this.blocks.contains(&other.head) {
            places.push(place);
        }
    }
    places
}

fn size(encoder: &Encoder<'_>, object: u32) -> Option<u64> {
    let bits = encoder.terms.known_bits(encoder.object(object).size)?;
    bits.to_u128().and_then(|size| size.try_into().ok())
}

/// The number that a term is known to be.
fn known(encoder: &Encoder<'_>, term: logic::Term, ty: Type) -> Option<Integer> {
    match encoder.terms.known(term)? {
        logic::Value::Bool(truth) => Some(Integer::from(u8::from(*truth))),
        logic::Value::Integer(number) => Some(number.clone()),
        logic::Value::BitVector(bits) => Some(match ty {
            Type::Integer(ty) if !ty.signed => bits.unsigned().into(),
            _ => bits.signed(),
        }),
        logic::Value::Array(_) => None,
    }
}
