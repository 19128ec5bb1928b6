//! What the words of evidence stand for in the states of an encoding.
//!
//! A name is a variable of the function or of the program, or an object of one of them. A pointer stands for its object
//! where an object is meant, if it can only be one.

use std::collections::BTreeMap;

use base::Index;
use encoding::memory::{Contents, Range};
use encoding::value::{OBJECT_WIDTH, OFFSET_WIDTH};
use encoding::{Encoder, Pointer, State, Universal, Value};
use evidence::{Aspect, Element, Moment, Name, Quantity, STORED};
use logic::{Sort, Term, Terms};
use program::{Body, LocalId, ObjectId, Program, Type, VariableId};

use crate::answer::{Checked, Refusal};
use crate::relation::Kind;
use crate::wide::{Number, Vocabulary};
use evidence::names::variable_names;

/// Objects of up to this many numbers are examined one by one.
const FEW: u64 = 32;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// A variable.
    Variable(VariableId),
    /// An object of the function.
    Local(LocalId),
    /// An object of the program.
    Global(ObjectId),
}

/// The names of a function's variables and objects, and of the program's. A name that is taken gets a number.
pub fn names(program: &Program, body: &Body) -> BTreeMap<Name, Named> {
    let mut names = BTreeMap::new();
    for (name, variable) in variable_names(program, body) {
        names.insert(Name::from(name.as_str()), Named::Variable(variable));
    }
    let locals = body.locals.iter().map(|(id, local)| (&local.name, Named::Local(id)));
    let globals = program.objects.iter().map(|(id, object)| (&object.name, Named::Global(id)));
    for (name, named) in locals.chain(globals) {
        let mut unique = name.clone();
        let mut count = 1;
        while names.contains_key(&Name::from(unique.as_str())) {
            count += 1;
            unique = format!("{name}#{count}");
        }
        names.insert(Name::from(unique.as_str()), named);
    }
    names
}

/// The states that evidence speaks of.
pub(super) struct StateInterpretation<'a, 'p> {
    pub encoder: &'a mut Encoder<'p>,
    pub body: &'p Body,
    pub names: &'a BTreeMap<Name, Named>,
    pub any_numbers: &'a mut Vec<Term>,
    /// The state when the function was entered, if it is the one that a run starts in.
    pub start: Option<&'a State>,
    pub entry: &'a State,
    pub now: &'a State,
    pub next: Option<&'a State>,
}

impl StateInterpretation<'_, '_> {
    fn state(&self, moment: Moment) -> Checked<&State> {
        match moment {
            Moment::Entry => Ok(self.entry),
            Moment::Now => Ok(self.now),
            Moment::Next => self.next.ok_or_else(|| Refusal::unsupported("the state after an iteration")),
            Moment::Start => self.start.ok_or_else(|| Refusal::unsupported("the state at the start")),
        }
    }

    fn named(&self, name: &Name) -> Checked<Named> {
        let named = self.names.get(name).copied();
        named.ok_or_else(|| Refusal::unsupported(format!("{name} is no name of the function")))
    }

    fn pointer(&mut self, name: &Name, moment: Moment) -> Checked<Pointer> {
        if let Some(holder) = name.as_str().strip_suffix(STORED) {
            return self.stored(&Name::from(holder), moment);
        }
        match self.named(name)? {
            Named::Variable(variable) => match self.state(moment)?.variable(variable) {
                Value::Pointer(pointer) => self.lasting(name, moment, pointer),
                _ => Err(Refusal::unsupported(format!("{name} is no pointer"))),
            },
            _ => Err(Refusal::unsupported(format!("{name} is no variable"))),
        }
    }

    /// The pointer in memory that stands at the start of an object with a name, or where a pointer with a name points.
    fn stored(&mut self, holder: &Name, moment: Moment) -> Checked<Pointer> {
        let number = self.object(holder, moment)?;
        let offset = match self.named(holder)? {
            Named::Variable(_) => self.pointer(holder, moment)?.offset,
            _ => self.encoder.terms.bits(OFFSET_WIDTH, 0),
        };
        let mut contents = self.contents(number, moment)?;
        let (size, cell) =
            (self.encoder.program.data_model.pointer_bytes(), self.encoder.object(number).cell);
        if self.state(moment)?.memory.len() > self.entry.memory.len() {
            return Err(Refusal::unsupported("a pointer in memory where objects were made"));
        }
        Ok(Range { offset, size, cell }.read_pointer(&mut self.encoder.terms, &mut contents))
    }

    /// A pointer, unless it may point to what the loop itself has made. Such an object is not there in the next
    /// iteration: the pointer points to nothing then, and what was so of it before need not be so any more.
    fn lasting(&self, name: &Name, moment: Moment, pointer: Pointer) -> Checked<Pointer> {
        let there = self.entry.memory.len() as u32;
        let made = moment != Moment::Entry
            && self.encoder.candidates(pointer.object).into_iter().any(|number| number >= there);
        if made {
            return Err(Refusal::unsupported(format!("{name} may point to what the loop has made")));
        }
        Ok(pointer)
    }

    /// The object that a name stands for, or that the pointer with this name points to.
    fn object(&mut self, name: &Name, moment: Moment) -> Checked<u32> {
        let object = match self.named(name)? {
            Named::Variable(_) => self.pointer(name, moment)?.object,
            Named::Local(local) => self.state(moment)?.objects[local.index()],
            Named::Global(object) => return Ok(self.encoder.global_number(object)),
        };
        match self.encoder.candidates(object)[..] {
            [only] => Ok(only),
            _ => Err(Refusal::unsupported(format!("{name} is not one object"))),
        }
    }

    fn machine(&mut self, term: Term, width: u32, signed: bool) -> Number {
        Number::of_kind(&mut self.encoder.terms, term, Kind::Machine { width, signed })
    }

    /// What an object holds.
    fn contents(&self, number: u32, moment: Moment) -> Checked<Contents> {
        let contents = self.state(moment)?.contents(number).cloned();
        contents.ok_or_else(|| Refusal::unsupported("an object that ended"))
    }

    /// The place of a floating point number in the order of its type.
    fn place(&mut self, name: &Name, moment: Moment) -> Checked<Number> {
        let no_float = || Refusal::unsupported(format!("{name} is no floating point number"));
        let Named::Variable(variable) = self.named(name)? else { return Err(no_float()) };
        let Type::Float(format) = self.encoder.program.variable(self.body, variable).ty else {
            return Err(no_float());
        };
        let Value::Scalar(term) = self.state(moment)?.variable(variable) else { return Err(no_float()) };
        let place = encoding::floats::place(&mut self.encoder.terms, format, term).ok_or_else(no_float)?;
        Ok(self.machine(place, format.bits(), true))
    }

    fn value(&mut self, name: &Name, moment: Moment) -> Checked<Number> {
        let Named::Variable(variable) = self.named(name)? else {
            return Err(Refusal::unsupported(format!("{name} is no variable")));
        };
        let Value::Scalar(term) = self.state(moment)?.variable(variable) else {
            return Err(Refusal::unsupported(format!("{name} has no value")));
        };
        let ty = self.encoder.program.variable(self.body, variable).ty;
        let kind = Kind::of(ty, self.encoder.options.integers)
            .ok_or_else(|| Refusal::unsupported(format!("{name} is no number")))?;
        Ok(Number::of_kind(&mut self.encoder.terms, term, kind))
    }
}

impl Vocabulary for StateInterpretation<'_, '_> {
    fn terms(&mut self) -> &mut Terms {
        &mut self.encoder.terms
    }

    fn quantity(&mut self, quantity: &Quantity, moment: Moment) -> Checked<Number> {
        let name = &quantity.variable;
        Ok(match quantity.aspect {
            Aspect::Value => self.value(name, moment)?,
            Aspect::Place => self.place(name, moment)?,
            Aspect::Offset => {
                let pointer = self.pointer(name, moment)?;
                self.machine(pointer.offset, OFFSET_WIDTH, true)
            }
            Aspect::Object => {
                let stored = name.as_str().ends_with(STORED);
                let object = match self.named(name) {
                    Ok(Named::Variable(_)) => self.pointer(name, moment)?.object,
                    _ if stored => self.pointer(name, moment)?.object,
                    _ => {
                        let number = self.object(name, moment)?;
                        self.encoder.terms.bits(OBJECT_WIDTH, number.into())
                    }
                };
                self.machine(object, OBJECT_WIDTH, false)
            }
            Aspect::Size => {
                let number = self.object(name, moment)?;
                let size = self.encoder.object(number).size;
                self.machine(size, OFFSET_WIDTH, false)
            }
            Aspect::Terminated | Aspect::Length => {
                let number = self.object(name, moment)?;
                let contents = self.contents(number, moment)?;
                let start = self.encoder.terms.bits(OFFSET_WIDTH, 0);
                let ghost = self.encoder.string_ghost(number, &contents, start);
                match quantity.aspect {
                    Aspect::Length => self.machine(ghost.first, OFFSET_WIDTH, false),
                    _ => Number::of_kind(&mut self.encoder.terms, ghost.terminated, Kind::Boolean),
                }
            }
            _ => return Err(Refusal::unsupported(format!("{quantity} is not in the state of the loop"))),
        })
    }

    fn element(&mut self, element: &Element, index: &Number) -> Checked<(Number, u64)> {
        let number = self.object(&element.buffer, element.moment)?;
        let mut contents = self.contents(number, element.moment)?;
        let (bytes, cell) = (u64::from(element.bytes), self.encoder.object(number).cell);
        let terms = &mut self.encoder.terms;
        let term = if bytes == cell && contents.owners.is_none() {
            let place = index.low_bits(terms, contents.bits.index_width());
            contents.bits.read(terms, place)
        } else {
            let index = index.low_bits(terms, OFFSET_WIDTH);
            let unit = terms.bits(OFFSET_WIDTH, bytes.into());
            let offset = terms.binary(logic::Binary::BitMultiply, index, unit);
            Range { offset, size: bytes, cell }.read_bits(terms, &mut contents)
        };
        let count = contents.bits.count().map(|count| count * cell / bytes);
        let few = count.filter(|&count| count <= FEW).unwrap_or(0);
        Ok((self.machine(term, 8 * u32::from(element.bytes), element.signed), few))
    }

    fn any_number(&mut self, place: usize, name: &Name) -> Term {
        while self.any_numbers.len() <= place {
            let number = self.encoder.terms.fresh(name.as_str(), Sort::BitVector(OFFSET_WIDTH));
            self.any_numbers.push(number);
        }
        self.any_numbers[place]
    }

    fn note_every(&mut self, symbol: Term, bound: Term, body: Term, places: u64) -> Checked<()> {
        let universal = Universal { bound, body, places };
        self.encoder.axioms.add_universal(symbol, universal);
        Ok(())
    }
}
