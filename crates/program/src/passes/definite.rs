//! Definite assignment: removes the checks that ask whether a variable has a value where all paths give it one.
//!
//! A forward data flow over the variables that are asked about. A variable loses its value where the object that it
//! was made of is begun anew (a declaration in a loop body); a plain copy `x := y` gives `x` a value only if `y` has
//! one; after a check the variable has one, because no run goes on without. Parameters and globals always have one.
//!
//! The representation cannot say that a variable loses its value. Where that matters for a check that stays (the
//! variable may hold the value of an earlier iteration, or the copy of nothing), a variable of its own, `x.defined`,
//! says whether there is a value, and the check asks it:
//!
//! ```text
//! begin x                  x.defined := false
//! x := 1             ─►    x := 1; x.defined := true
//! check defined x          check uninitialised x.defined
//! ```
//!
//! Variables are watched in groups, so that the bit sets stay small in the largest functions. A copy from a variable
//! of another group counts as a copy of nothing, which keeps a check that could go.

use std::collections::{BTreeMap, BTreeSet};

use base::{Arena, Index, Location};

use super::promote::PromotedLocals;
use crate::expression::{Expr, ExprId, ExprKind, VariableId};
use crate::function::{BlockId, Body, Origin, Variable};
use crate::statement::{Check, Obligation, Statement, StatementKind};
use crate::types::Type;

/// How many variables are watched at once.
const GROUP: usize = 1024;

/// Removes the checks that cannot fail, and the `begin` statements of promoted objects.
pub fn discharge(body: &mut Body, promoted: &PromotedLocals) {
    let watched = watched_variables(body);
    let mut found = Found::default();
    if !watched.is_empty() {
        let order = body.reverse_post_order();
        let watched: Vec<VariableId> = watched.into_iter().collect();
        for group in watched.chunks(GROUP) {
            let events = Events::of(body, promoted, group);
            found.look(body, &order, &events);
        }
    }
    let flagged = found.flagged();
    rewrite(body, promoted, &found.discharged, &flagged);
}

/// The variables that checks ask about, and those that they are copies of.
fn watched_variables(body: &Body) -> BTreeSet<VariableId> {
    let mut sources: BTreeMap<VariableId, Vec<VariableId>> = BTreeMap::new();
    let mut fresh = Vec::new();
    for statement in body.blocks.values().flat_map(|block| &block.statements) {
        match statement.kind {
            StatementKind::Check(Check::Defined { variable }) => fresh.push(variable),
            StatementKind::Assign { target, value } => {
                if let Some(source) = copied_variable(body, value) {
                    sources.entry(target).or_default().push(source);
                }
            }
            _ => {}
        }
    }
    let mut watched = BTreeSet::new();
    while let Some(variable) = fresh.pop() {
        if watched.insert(variable) {
            fresh.extend(sources.get(&variable).into_iter().flatten());
        }
    }
    watched
}

/// The variable of the source that the expression is, and nothing else.
fn copied_variable(body: &Body, value: ExprId) -> Option<VariableId> {
    match body.expressions[value].kind {
        ExprKind::Variable(source) if !source.is_global() => {
            (body.variables[source].origin == Origin::Source).then_some(source)
        }
        _ => None,
    }
}

/// What happens to a watched variable, which is given by its place in the group.
#[derive(Clone, Copy)]
enum Event {
    /// It gets a value.
    Assign(usize),
    /// It gets the value of another variable, if that has one; nothing stands for a variable of another group.
    Copy(usize, VariableId, Option<usize>),
    /// It has no value any more.
    Forget(usize),
    /// The statement at this position asks for its value.
    Ask(usize, usize),
}

/// The events of one group of variables.
struct Events<'a> {
    group: &'a [VariableId],
    blocks: Arena<BlockId, Vec<Event>>,
    /// Those that have a value when the function starts.
    at_entry: Vec<u64>,
}

impl<'a> Events<'a> {
    fn of(body: &Body, promoted: &PromotedLocals, group: &'a [VariableId]) -> Self {
        let place = |variable: VariableId| group.binary_search(&variable).ok();
        let in_block = |statements: &[Statement]| {
            let mut events = Vec::new();
            for (position, statement) in statements.iter().enumerate() {
                match statement.kind {
                    StatementKind::Check(Check::Defined { variable }) => {
                        events.extend(place(variable).map(|place| Event::Ask(place, position)));
                    }
                    StatementKind::Begin { object, .. } => {
                        let variables = promoted.get(&object).into_iter().flatten();
                        events.extend(variables.filter_map(|&variable| place(variable)).map(Event::Forget));
                    }
                    StatementKind::Assign { target, value } => {
                        events.extend(place(target).map(|target| match copied_variable(body, value) {
                            Some(source) => Event::Copy(target, source, place(source)),
                            None => Event::Assign(target),
                        }));
                    }
                    _ => events.extend(statement.kind.target().and_then(place).map(Event::Assign)),
                }
            }
            events
        };
        let blocks = body.blocks.values().map(|block| in_block(&block.statements)).collect();
        let mut at_entry = vec![0u64; group.len().div_ceil(64)];
        for (place, variable) in group.iter().enumerate() {
            if variable.is_global() || body.parameters.contains(variable) {
                set(&mut at_entry, place, true);
            }
        }
        Self { group, blocks, at_entry }
    }

    /// Solves a data flow: the bits at the start of each block, from those that its predecessors end with.
    fn solve(
        &self,
        body: &Body,
        order: &[BlockId],
        meet: Meet,
        step: fn(&mut [u64], Event),
    ) -> Arena<BlockId, Vec<u64>> {
        let top = match meet {
            Meet::All => u64::MAX,
            Meet::Any => 0,
        };
        let words = self.at_entry.len();
        let mut starts: Arena<BlockId, Vec<u64>> = body.blocks.ids().map(|_| vec![top; words]).collect();
        if meet == Meet::All {
            starts[body.entry()].clone_from(&self.at_entry);
        }
        let mut changed: Arena<BlockId, bool> = body.blocks.ids().map(|_| true).collect();
        let mut again = true;
        while std::mem::take(&mut again) {
            for &block in order {
                if !std::mem::take(&mut changed[block]) {
                    continue;
                }
                let mut state = starts[block].clone();
                self.blocks[block].iter().for_each(|&event| step(&mut state, event));
                for next in body.blocks[block].terminator.successors() {
                    for (old, new) in starts[next].iter_mut().zip(&state) {
                        let met = match meet {
                            Meet::All => *old & new,
                            Meet::Any => *old | new,
                        };
                        if met != *old {
                            *old = met;
                            (changed[next], again) = (true, true);
                        }
                    }
                }
            }
        }
        starts
    }
}

/// How the ends of several blocks meet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meet {
    /// A bit is set if all have it set.
    All,
    /// A bit is set if any has it set.
    Any,
}

fn has(bits: &[u64], place: usize) -> bool {
    bits[place / 64] >> (place % 64) & 1 == 1
}

fn set(bits: &mut [u64], place: usize, value: bool) {
    let bit = 1 << (place % 64);
    if value { bits[place / 64] |= bit } else { bits[place / 64] &= !bit }
}

/// The variable surely has a value.
fn step_defined(state: &mut [u64], event: Event) {
    match event {
        Event::Assign(place) | Event::Ask(place, _) => set(state, place, true),
        Event::Forget(place) => set(state, place, false),
        Event::Copy(place, _, source) => {
            let defined = source.is_some_and(|source| has(state, source));
            set(state, place, defined);
        }
    }
}

/// The variable may hold a value since it was last forgotten.
fn step_assigned(state: &mut [u64], event: Event) {
    match event {
        Event::Assign(place) | Event::Copy(place, ..) => set(state, place, true),
        Event::Forget(place) => set(state, place, false),
        Event::Ask(..) => {}
    }
}

/// What the data flow found.
#[derive(Default)]
struct Found {
    /// Checks that cannot fail.
    discharged: BTreeSet<(BlockId, usize)>,
    /// Variables with a check that may fail.
    asked: BTreeSet<VariableId>,
    /// Variables that may be forgotten while they hold a value.
    forgotten: BTreeSet<VariableId>,
    /// Copies of a variable that may have no value: to it, from it.
    copies: BTreeSet<(VariableId, VariableId)>,
}

impl Found {
    fn look(&mut self, body: &Body, order: &[BlockId], events: &Events<'_>) {
        let defined = events.solve(body, order, Meet::All, step_defined);
        let asked_before = self.asked.len();
        for &block in order {
            let mut state = defined[block].clone();
            for &event in &events.blocks[block] {
                match event {
                    Event::Ask(place, position) if has(&state, place) => {
                        self.discharged.insert((block, position));
                    }
                    Event::Ask(place, _) => {
                        self.asked.insert(events.group[place]);
                    }
                    Event::Copy(place, source, at) if !at.is_some_and(|at| has(&state, at)) => {
                        self.copies.insert((events.group[place], source));
                    }
                    _ => {}
                }
                step_defined(&mut state, event);
            }
        }
        if self.asked.len() == asked_before && self.copies.is_empty() {
            return;
        }
        let assigned = events.solve(body, order, Meet::Any, step_assigned);
        for &block in order {
            let mut state = assigned[block].clone();
            for &event in &events.blocks[block] {
                if let Event::Forget(place) = event
                    && has(&state, place)
                {
                    self.forgotten.insert(events.group[place]);
                }
                step_assigned(&mut state, event);
            }
        }
    }

    /// The variables of which a run must know whether they have a value.
    fn flagged(&self) -> BTreeSet<VariableId> {
        let is_copied: BTreeSet<VariableId> = self.copies.iter().map(|&(to, _)| to).collect();
        let asked = self.asked.iter().copied();
        let mut fresh: Vec<VariableId> =
            asked.filter(|v| self.forgotten.contains(v) || is_copied.contains(v)).collect();
        let mut flagged = BTreeSet::new();
        while let Some(variable) = fresh.pop() {
            if flagged.insert(variable) {
                let from = (variable, VariableId::new(0));
                let sources = self.copies.range(from..).take_while(|&&(to, _)| to == variable);
                fresh.extend(sources.map(|&(_, source)| source));
            }
        }
        flagged
    }
}

/// Drops discharged checks and the births of promoted objects; keeps the flags of flagged variables.
fn rewrite(
    body: &mut Body,
    promoted: &PromotedLocals,
    discharged: &BTreeSet<(BlockId, usize)>,
    flagged: &BTreeSet<VariableId>,
) {
    let mut flags = Flags { flags: BTreeMap::new() };
    for &variable in flagged {
        let Variable { name, scope, location, .. } = body.variables[variable].clone();
        let name = format!("{name}.defined");
        let flag = Variable { name, ty: Type::Bool, origin: Origin::Temporary, scope, location };
        flags.flags.insert(variable, body.variables.push(flag));
    }
    let entry = body.entry();
    let mut blocks = std::mem::take(&mut body.blocks);
    for (id, block) in blocks.iter_mut() {
        let old = std::mem::take(&mut block.statements);
        let mut new = Vec::with_capacity(old.len());
        if id == entry {
            let starts = flagged.iter().map(|&variable| {
                let is_parameter = body.parameters.contains(&variable);
                (variable, is_parameter, body.variables[variable].location)
            });
            for (variable, defined, location) in starts.collect::<Vec<_>>() {
                new.extend(flags.assign(body, variable, defined, location));
            }
        }
        for (position, statement) in old.into_iter().enumerate() {
            match statement.kind {
                StatementKind::Check(Check::Defined { variable })
                    if variable.is_global() || discharged.contains(&(id, position)) => {}
                StatementKind::Begin { object, .. } if promoted.contains_key(&object) => {
                    for &variable in &promoted[&object] {
                        new.extend(flags.assign(body, variable, false, statement.location));
                    }
                }
                _ => flags.statement(body, statement, &mut new),
            }
        }
        block.statements = new;
    }
    body.blocks = blocks;
}

/// The variables that say whether other variables have a value.
struct Flags {
    flags: BTreeMap<VariableId, VariableId>,
}

impl Flags {
    /// Sets the flag of a variable that has one.
    fn assign(
        &self,
        body: &mut Body,
        variable: VariableId,
        defined: bool,
        location: Location,
    ) -> Option<Statement> {
        let &target = self.flags.get(&variable)?;
        let value = body.boolean(defined);
        Some(Statement { kind: StatementKind::Assign { target, value }, location })
    }

    /// Adds a statement, with what keeps the flags up to date.
    fn statement(&self, body: &mut Body, mut statement: Statement, out: &mut Vec<Statement>) {
        let location = statement.location;
        if let StatementKind::Check(Check::Defined { variable }) = statement.kind
            && let Some(&flag) = self.flags.get(&variable)
        {
            let condition = body.read(flag);
            let obligation = Obligation::Uninitialised;
            statement.kind = StatementKind::Check(Check::Holds { obligation, condition, note: None });
        }
        let follow = statement.kind.target().and_then(|target| match statement.kind {
            StatementKind::Assign { value, .. } => {
                let source = copied_variable(body, value).and_then(|source| self.flags.get(&source));
                match (self.flags.get(&target), source) {
                    (Some(&target), Some(&source)) => {
                        let value =
                            body.expressions.push(Expr { kind: ExprKind::Variable(source), ty: Type::Bool });
                        Some(Statement { kind: StatementKind::Assign { target, value }, location })
                    }
                    _ => self.assign(body, target, true, location),
                }
            }
            _ => self.assign(body, target, true, location),
        });
        out.push(statement);
        out.extend(follow);
    }
}
