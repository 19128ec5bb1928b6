//! The modular form of one function at a time: what is asked about a function costs what the function costs.
//!
//! What other functions do to a function is found once for the whole program: which variables somebody can have changed,
//! and what each call may change. The form of one function is then made of its body and of that alone. It becomes a
//! program of its own ([`super::alone`]), which holds the function and the variables that it mentions.
//!
//! A variable that the function does not mention may be changed by any call, and nobody in the function would know. So
//! nothing is said of it.

use std::collections::{BTreeMap, BTreeSet};

use base::Index;
use program::outside::Changeable;
use program::{Body, Definition, ExprKind, Function, FunctionId, GlobalVariable, Program, Value, VariableId};

use super::alone::alone;
use super::{Cells, ModularFunction, Moves, ObjectBounds};
use crate::frames::Frames;
use crate::recursion::{RecursionLoop, mutual_calls_as_loop, self_calls_as_loop};

/// The functions of a program, of which each can be made modular by itself.
#[derive(Debug)]
pub struct ModularFunctions<'p> {
    program: &'p Program,
    /// The variables that somebody can have changed when a function is entered.
    changed: BTreeSet<VariableId>,
    frames: Frames,
    /// How many variables before it have the same name, for those where it is not none.
    namesakes: BTreeMap<VariableId, usize>,
}

/// The variables of the program that a function can tell apart from others: those that it mentions.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Those that somebody can have changed.
    pub(super) changed: Vec<VariableId>,
    /// Those that others can name.
    pub(super) exported: Vec<VariableId>,
}

impl<'p> ModularFunctions<'p> {
    /// Finds out once what all functions need to know of the program.
    pub fn of(program: &'p Program) -> Self {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let mut namesakes = BTreeMap::new();
        for (place, global) in program.globals.iter().enumerate() {
            let before = seen.entry(&global.variable.name).or_default();
            if *before > 0 {
                namesakes.insert(VariableId::global(place), *before);
            }
            *before += 1;
        }
        let (changed, frames) = (Changeable::of(program).globals, Frames::of(program));
        Self { program, changed, frames, namesakes }
    }

    /// The program that the functions are those of.
    pub const fn program(&self) -> &'p Program {
        self.program
    }

    /// A program that holds only this function, as it is in the modular program ([`super::modular`]), and the variables
    /// that it mentions. Nothing if the function has no body.
    ///
    /// **Theorem.** The runs of the function are those in the modular program, if one looks at its own variables and at
    /// those that it mentions.
    pub fn function(&self, function: FunctionId) -> Option<Program> {
        self.function_of(function, self.program.functions[function].body()?.clone())
    }

    /// The same with another body, in which every run has a run of the function's own one, up to a check that fails.
    pub fn function_of(&self, function: FunctionId, mut body: Body) -> Option<Program> {
        let description = &self.program.functions[function];
        let observed = self.observed([&body]);
        self.rewrite(&mut body, &observed);
        Some(alone(self, description, body))
    }

    /// A program that holds only the first of some functions that call each other: the nested calls are iterations of
    /// a loop. Nothing if one of them is not called as it is defined.
    ///
    /// **Theorem.** That of [`self_calls_as_loop`] or [`mutual_calls_as_loop`], and that of [`super::modular`].
    pub fn recursion(&self, circle: &[FunctionId]) -> Option<RecursionLoop> {
        let first = *circle.first()?;
        if circle.len() == 1 {
            return self.self_recursion_of(first, self.program.functions[first].body()?.clone());
        }
        let bodies = circle.iter().filter_map(|&function| self.program.functions[function].body());
        let (body, head) = mutual_calls_as_loop(self, circle, &self.observed(bodies))?;
        Some(RecursionLoop { program: alone(self, &self.program.functions[first], body), head })
    }

    /// The same for a function that calls itself, with another body, in which every run has a run of its own one.
    pub fn self_recursion_of(&self, own: FunctionId, body: Body) -> Option<RecursionLoop> {
        let mut function =
            Function { definition: Definition::Body(Box::new(body)), ..self.program.functions[own].clone() };
        let head = self_calls_as_loop(&mut function, own)?;
        let mut body = function.body()?.clone();
        let observed = self.observed([&body]);
        self.rewrite(&mut body, &observed);
        Some(RecursionLoop { program: alone(self, &function, body), head })
    }

    /// What some bodies mention together.
    fn observed<'b>(&self, bodies: impl IntoIterator<Item = &'b Body>) -> Observed {
        self.observed_of(bodies.into_iter().flat_map(mentioned).collect())
    }

    /// All variables of the program, as if every function mentioned them.
    pub fn all_observed(&self) -> Observed {
        self.observed_of((0..self.program.globals.len()).map(VariableId::global).collect())
    }

    fn observed_of(&self, mentioned: BTreeSet<VariableId>) -> Observed {
        let is_exported = |global: &VariableId| self.program.globals[global.index()].exported;
        Observed {
            exported: mentioned.iter().copied().filter(is_exported).collect(),
            changed: mentioned.into_iter().filter(|global| self.changed.contains(global)).collect(),
        }
    }

    /// Makes one body modular. It still speaks of variables by their numbers in the whole program.
    pub fn rewrite(&self, body: &mut Body, observed: &Observed) {
        self.rewrite_where(body, observed, Moves::Defined);
    }

    pub(super) fn rewrite_where(&self, body: &mut Body, observed: &Observed, moves: Moves) {
        let frames = self.frames.in_body(self.program, body);
        let (addresses, cells, bounds) = (BTreeMap::new(), Cells::default(), ObjectBounds::default());
        let program = self.program;
        ModularFunction { program, observed, frames, body, addresses, cells, bounds, moves }.rewrite();
    }

    /// A variable of the program, as it is when a function is entered.
    pub(super) fn global(&self, id: VariableId) -> GlobalVariable {
        let mut global = self.program.globals[id.index()].clone();
        if self.changed.contains(&id) || matches!(global.initial, Value::Pointer(_)) {
            global.initial = Value::Unknown;
        }
        global
    }

    /// How many variables before this one have its name.
    pub(super) fn namesakes(&self, id: VariableId) -> usize {
        self.namesakes.get(&id).copied().unwrap_or_default()
    }
}

/// The variables of the program that a body mentions.
pub(super) fn mentioned(body: &Body) -> BTreeSet<VariableId> {
    let read = body.expressions.values().filter_map(|expression| match expression.kind {
        ExprKind::Variable(variable) => Some(variable),
        _ => None,
    });
    let assigned = body.statements().filter_map(|statement| statement.kind.target());
    read.chain(assigned).filter(|variable| variable.is_global()).collect()
}
