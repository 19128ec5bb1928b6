//! The state of a program at a place: everything that differs between two visits.

use std::rc::Rc;

use base::Index;
use logic::{Term, Terms};
use program::{LocalId, VariableId};

use crate::guard::Guard;
use crate::memory::Contents;
use crate::value::{OBJECT_WIDTH, Pointer, Value};

/// A state. Parts that two states have in common are shared.
#[derive(Clone, Debug)]
pub struct State {
    /// When control is here.
    pub guard: Guard,
    /// The variables of the innermost call.
    pub locals: Rc<Vec<Value>>,
    /// The numbers of the local objects of the innermost call, as terms; zero before they begin.
    pub objects: Rc<Vec<Term>>,
    /// The global variables.
    pub globals: Rc<Vec<Value>>,
    /// The contents of all objects, by number; nothing for those that this path does not know.
    pub memory: Rc<Vec<Option<Rc<Contents>>>>,
}

impl State {
    /// The value of a variable.
    pub fn variable(&self, variable: VariableId) -> Value {
        let values = if variable.is_global() { &self.globals } else { &self.locals };
        values[variable.index()]
    }

    /// Changes a variable.
    pub fn set_variable(&mut self, variable: VariableId, value: Value) {
        let values = if variable.is_global() { &mut self.globals } else { &mut self.locals };
        Rc::make_mut(values)[variable.index()] = value;
    }

    /// Changes which object a local name stands for.
    pub fn set_object(&mut self, local: LocalId, object: Term) {
        Rc::make_mut(&mut self.objects)[local.index()] = object;
    }

    /// The contents of an object, if this path knows it.
    pub fn contents(&self, object: u32) -> Option<&Contents> {
        self.memory.get(object as usize)?.as_deref()
    }

    /// The contents of an object to change, if this path knows it.
    pub fn contents_mut(&mut self, object: u32) -> Option<&mut Contents> {
        self.contents(object)?;
        Rc::make_mut(&mut self.memory)[object as usize].as_mut().map(Rc::make_mut)
    }

    /// Changes the contents of an object.
    pub fn set_contents(&mut self, object: u32, contents: Contents) {
        let memory = Rc::make_mut(&mut self.memory);
        let place = object as usize;
        if memory.len() <= place {
            memory.resize(place + 1, None);
        }
        memory[place] = Some(Rc::new(contents));
    }

    /// Adds a condition to the guard.
    pub fn assume(&mut self, terms: &mut Terms, condition: Term) {
        self.guard = self.guard.and(terms, condition);
    }

    /// Whether control surely never comes here.
    pub fn is_impossible(&self, terms: &Terms) -> bool {
        terms.is_false(self.guard.term())
    }

    /// Two states in which control is at the same place, as one. They exclude each other.
    ///
    /// `unset` gives the value of an uninitialised variable on one of the paths.
    pub fn merge(
        terms: &mut Terms,
        first: Self,
        second: Self,
        unset: &mut dyn FnMut(&mut Terms, VariableId) -> Value,
    ) -> Self {
        if first.is_impossible(terms) {
            return second;
        }
        if second.is_impossible(terms) {
            return first;
        }
        let (guard, choice) = Guard::or(terms, &first.guard, &second.guard);
        let mut values = |terms: &mut Terms, a: Rc<Vec<Value>>, b: Rc<Vec<Value>>, global: bool| {
            if Rc::ptr_eq(&a, &b) {
                return a;
            }
            let mut merged = a;
            for place in 0..merged.len() {
                if merged[place] != b[place] {
                    let variable =
                        if global { VariableId::global(place) } else { <VariableId as Index>::new(place) };
                    let mut known =
                        |value| if value == Value::Unset { unset(terms, variable) } else { value };
                    let (x, y) = (known(merged[place]), known(b[place]));
                    Rc::make_mut(&mut merged)[place] = merge_values(terms, choice, x, y);
                }
            }
            merged
        };
        let locals = values(terms, first.locals, second.locals, false);
        let globals = values(terms, first.globals, second.globals, true);
        let mut objects = first.objects;
        if !Rc::ptr_eq(&objects, &second.objects) {
            for (place, &other) in second.objects.iter().enumerate() {
                if objects[place] != other {
                    let object = terms.ite(choice, objects[place], other);
                    Rc::make_mut(&mut objects)[place] = object;
                }
            }
        }
        let memory = merge_memory(terms, choice, first.memory, &second.memory);
        Self { guard, locals, objects, globals, memory }
    }
}

/// One of two values of one type.
pub fn merge_values(terms: &mut Terms, condition: Term, then: Value, otherwise: Value) -> Value {
    match (then, otherwise) {
        (Value::Scalar(a), Value::Scalar(b)) => Value::Scalar(terms.ite(condition, a, b)),
        (Value::Pointer(a), Value::Pointer(b)) => Value::Pointer(Pointer::choose(terms, condition, a, b)),
        // Types are the same on all paths; an uninitialised value can be taken to be the other one.
        (Value::Unset, value) | (value, _) => value,
    }
}

type Memory = Rc<Vec<Option<Rc<Contents>>>>;

fn merge_memory(terms: &mut Terms, choice: Term, first: Memory, second: &Memory) -> Memory {
    if Rc::ptr_eq(&first, second) {
        return first;
    }
    let mut memory = first;
    let length = memory.len().max(second.len());
    for place in 0..length {
        let a = memory.get(place).cloned().flatten();
        let b = second.get(place).cloned().flatten();
        let merged = match (&a, &b) {
            (Some(a), Some(b)) if Rc::ptr_eq(a, b) || a == b => continue,
            (None, None) => continue,
            (Some(a), Some(b)) => Contents::merge(terms, choice, a, b),
            // On the other path the object was never made: it is alive on this one alone.
            (Some(a), None) => {
                let no = terms.bool(false);
                Contents { alive: terms.ite(choice, a.alive, no), ..(**a).clone() }
            }
            (None, Some(b)) => {
                let no = terms.bool(false);
                Contents { alive: terms.ite(choice, no, b.alive), ..(**b).clone() }
            }
        };
        let all = Rc::make_mut(&mut memory);
        if all.len() <= place {
            all.resize(place + 1, None);
        }
        all[place] = Some(Rc::new(merged));
    }
    memory
}

/// The number of no object, for local names before they begin.
pub fn no_object(terms: &mut Terms) -> Term {
    terms.bits(OBJECT_WIDTH, 0)
}
