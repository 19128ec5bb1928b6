//! Definite assignment: removes the checks that ask whether a variable has a value where all paths give it one.
//!
//! A variable loses its value where the object that it was made of is begun anew (a declaration in a loop body). After a
//! check it has one, because no run goes on without. Parameters and globals always have one.
//!
//! The representation cannot say that a variable loses its value. Where that matters for a check that stays, because
//! the variable may hold the value of an earlier iteration, it becomes an input instead (any value may be there), and a
//! variable of its own, `x.defined`, says whether there is a value that somebody wrote; the check asks it:
//!
//! ```text
//! begin x                  x := input "uninitialised x"; x.defined := false
//! x := 1             ─►    x := 1; x.defined := true
//! check defined x          check uninitialised x.defined
//! ```

use std::collections::{BTreeMap, BTreeSet};

use base::{Index, Location};

use super::promote::PromotedLocals;
use crate::expression::VariableId;
use crate::flow::{Event, Events, Flow, Query};
use crate::function::{BlockId, Body, Origin, Variable};
use crate::statement::{Check, Obligation, Statement, StatementKind};
use crate::types::Type;

/// Removes the checks that cannot fail, and the `begin` statements of promoted objects.
pub fn discharge(body: &mut Body, promoted: &PromotedLocals) {
    let watched = asked_variables(body);
    let mut discharged = BTreeSet::new();
    let mut flagged = Vec::new();
    if !watched.is_empty() {
        let events = events(body, promoted, &watched);
        let mut flow = Flow::new(body);
        let mut asked = vec![false; watched.len()];
        let mut forgotten = vec![false; watched.len()];
        for group in events.groups() {
            let mut is_certain = true;
            flow.answer(group, Query::Surely, |block, event, has_value| match event {
                Event::Ask(_, position) if has_value => {
                    discharged.insert((block, position));
                }
                Event::Ask(variable, _) => (asked[variable], is_certain) = (true, false),
                _ => {}
            });
            if !is_certain {
                flow.answer(group, Query::Perhaps, |_, event, has_value| {
                    if let Event::Forget(variable) = event {
                        forgotten[variable] |= has_value;
                    }
                });
            }
        }
        let both = |&at: &usize| asked[at] && forgotten[at];
        flagged.extend((0..watched.len()).filter(both).map(|at| watched[at]));
    }
    rewrite(body, promoted, &discharged, &flagged);
}

/// The variables that checks ask about, in order.
fn asked_variables(body: &Body) -> Vec<VariableId> {
    let asked: BTreeSet<VariableId> = body
        .statements()
        .filter_map(|statement| match statement.kind {
            StatementKind::Check(Check::Defined { variable }) => Some(variable),
            _ => None,
        })
        .collect();
    asked.into_iter().collect()
}

/// What happens to the watched variables, which go by their places in the list.
fn events(body: &Body, promoted: &PromotedLocals, watched: &[VariableId]) -> Events {
    let is_defined = |variable: VariableId| variable.is_global() || body.parameters.contains(&variable);
    let mut events = Events::new(watched.len(), |at| is_defined(watched[at]));
    let place = |variable: VariableId| watched.binary_search(&variable).ok();
    for block in body.blocks.values() {
        for (position, statement) in block.statements.iter().enumerate() {
            match statement.kind {
                StatementKind::Check(Check::Defined { variable }) => {
                    place(variable).into_iter().for_each(|at| events.push(Event::Ask(at, position)));
                }
                StatementKind::Begin { object, .. } | StatementKind::Forget { object } => {
                    let forgotten = promoted.get(&object).into_iter().flatten();
                    forgotten
                        .filter_map(|&variable| place(variable))
                        .for_each(|at| events.push(Event::Forget(at)));
                }
                _ => {
                    let target = statement.kind.target().and_then(place);
                    target.into_iter().for_each(|at| events.push(Event::Assign(at)));
                }
            }
        }
        events.end_block();
    }
    events
}

/// Drops discharged checks and the births of promoted objects; keeps the flags of flagged variables.
fn rewrite(
    body: &mut Body,
    promoted: &PromotedLocals,
    discharged: &BTreeSet<(BlockId, usize)>,
    flagged: &[VariableId],
) {
    let flags = Flags::new(body, flagged);
    let mut blocks = std::mem::take(&mut body.blocks);
    for (id, block) in blocks.iter_mut() {
        let old = std::mem::take(&mut block.statements);
        let mut new = Vec::with_capacity(old.len());
        if id.index() == 0 {
            for &variable in flagged {
                let location = body.variables[variable].location;
                let is_parameter = body.parameters.contains(&variable);
                new.extend(flags.assign(body, variable, is_parameter, location));
            }
        }
        for (position, statement) in old.into_iter().enumerate() {
            match statement.kind {
                StatementKind::Check(Check::Defined { variable })
                    if variable.is_global() || discharged.contains(&(id, position)) => {}
                StatementKind::Begin { object, .. } | StatementKind::Forget { object }
                    if promoted.contains_key(&object) =>
                {
                    for &variable in &promoted[&object] {
                        new.extend(flags.forget(body, variable, statement.location));
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
struct Flags(BTreeMap<VariableId, VariableId>);

impl Flags {
    fn new(body: &mut Body, flagged: &[VariableId]) -> Self {
        let flag = |&variable: &VariableId| {
            let Variable { name, scope, location, .. } = &body.variables[variable];
            let (name, scope, location) = (format!("{name}.defined"), *scope, *location);
            let flag = Variable { name, ty: Type::Bool, origin: Origin::Temporary, scope, location };
            (variable, body.variables.push(flag))
        };
        Self(flagged.iter().map(flag).collect())
    }

    /// Sets the flag of a variable that has one.
    fn assign(
        &self,
        body: &mut Body,
        variable: VariableId,
        defined: bool,
        location: Location,
    ) -> Option<Statement> {
        let &target = self.0.get(&variable)?;
        let value = body.boolean(defined);
        Some(Statement { kind: StatementKind::Assign { target, value }, location })
    }

    /// Lets a variable that has a flag lose its value.
    fn forget(&self, body: &mut Body, variable: VariableId, location: Location) -> Vec<Statement> {
        let Some(flag) = self.assign(body, variable, false, location) else { return Vec::new() };
        let name = format!("uninitialised {}", body.variables[variable].name);
        vec![Statement { kind: StatementKind::Input { target: variable, name }, location }, flag]
    }

    /// Adds a statement, with what keeps the flags up to date.
    fn statement(&self, body: &mut Body, mut statement: Statement, out: &mut Vec<Statement>) {
        if let StatementKind::Check(Check::Defined { variable }) = statement.kind
            && let Some(&flag) = self.0.get(&variable)
        {
            let condition = body.read(flag);
            let obligation = Obligation::Uninitialised;
            statement.kind = StatementKind::Check(Check::Holds { obligation, condition, note: None });
        }
        let target = statement.kind.target();
        let follow = target.and_then(|target| self.assign(body, target, true, statement.location));
        out.push(statement);
        out.extend(follow);
    }
}
