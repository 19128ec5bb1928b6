//! New programs, made ready for replays: what is meant by their variables.

use std::collections::HashMap;

use base::Index;
use program::interpret::{Machine, Options};
use program::{ExprKind, FunctionId, Program, StatementKind, VariableId};

use super::probes::{Seen, Visible, known_floats, seen, visible};
use super::record::Old;

/// How a new program is compared with the old one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pointers {
    /// Pointers are numbers. There is no memory.
    Numbers,
    /// Pointers lead to objects, each to the one that the old run's object has become.
    Objects,
}

/// What is meant by a variable of the new function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A variable of a function of the old program.
    Old(FunctionId, usize),
    /// What is given to a call.
    Slot,
    /// The number of the called function, at a station.
    Which,
    /// What is at a place in memory.
    Cell,
    /// Where the object of a variable begins, or ends.
    Room(FunctionId, usize, bool),
    /// The address of something that has this name.
    Address(String),
    /// Anything else.
    Other,
}

/// A new program, made ready for replays of one of its functions.
pub struct NewProgram<'o> {
    pub old: &'o Old,
    pub visible: Visible,
    /// The function that runs.
    pub entry: FunctionId,
    pub pointers: Pointers,
    pub meanings: Vec<Meaning>,
    /// The variables of the function by what they mean; of two the first belongs to the first call of a path.
    by_meaning: HashMap<(FunctionId, usize), Vec<VariableId>>,
    /// The cells that loads read, by the probes before them.
    pub cells: HashMap<usize, Vec<VariableId>>,
    /// What the slot for the number of the called function holds at the start.
    pub which: i128,
}

impl<'o> NewProgram<'o> {
    /// Makes a program ready.
    pub fn new(old: &'o Old, mut program: Program, entry: FunctionId, pointers: Pointers) -> Option<Self> {
        let globals = known_floats(&old.program);
        let body = program.functions[entry].body_mut()?;
        let names: Vec<String> = body.variables.values().map(|variable| variable.name.clone()).collect();
        let slots = names.iter().rposition(|name| name == "which").map_or(0, |last| last + 1);
        let meanings: Vec<Meaning> =
            names.iter().enumerate().map(|(place, name)| meaning(name, place < slots)).collect();
        let mut by_meaning: HashMap<_, Vec<VariableId>> = HashMap::new();
        for (place, meaning) in meanings.iter().enumerate() {
            if let Meaning::Old(function, variable) = meaning {
                by_meaning.entry((*function, *variable)).or_default().push(Index::new(place));
            }
        }
        let mut cells: HashMap<usize, Vec<VariableId>> = HashMap::new();
        for (_, block) in body.blocks.iter_mut() {
            let mut probe = None;
            for statement in &mut block.statements {
                if let Some(Seen::Probe(number)) = seen(statement) {
                    probe = Some(number);
                }
                match &mut statement.kind {
                    StatementKind::Input { target, name } => *name = asked_name(*target),
                    StatementKind::Assign { value, .. } => {
                        if let ExprKind::Variable(from) = body.expressions[*value].kind
                            && !from.is_global()
                            && meanings[from.index()] == Meaning::Cell
                        {
                            cells.entry(probe?).or_default().push(from);
                        }
                    }
                    _ => {}
                }
            }
        }
        if pointers == Pointers::Numbers {
            program.functions[entry].aggregates.clear();
        }
        let visible = visible(program, &globals);
        Some(Self { old, visible, entry, pointers, meanings, by_meaning, cells, which: 0 })
    }

    /// A machine that runs it.
    pub fn machine(&self, options: &Options) -> Machine<'_> {
        Machine::watched(&self.visible.program, options)
    }

    /// The variable of the new program that an old one has become.
    pub fn variable(
        &self,
        function: FunctionId,
        variable: usize,
        running: FunctionId,
        is_first: bool,
    ) -> Option<VariableId> {
        if running != self.entry {
            return Some(Index::new(variable));
        }
        let all = self.by_meaning.get(&(function, variable))?;
        if is_first { all.first().copied() } else { all.last().copied() }
    }
}

fn asked_name(target: VariableId) -> String {
    if target.is_global() { format!("?g{}", target.index()) } else { format!("?{}", target.index()) }
}

/// The function and the variable that a name means.
pub fn old_name(name: &str) -> Option<(FunctionId, usize)> {
    let (function, variable) = name.strip_prefix('v')?.split_once('.')?;
    Some((Index::new(function.parse().ok()?), variable.parse().ok()?))
}

fn meaning(name: &str, is_slot: bool) -> Meaning {
    let inner = |prefix: &str| name.strip_prefix(prefix)?.strip_suffix(')').and_then(old_name);
    if is_slot {
        return if name == "which" { Meaning::Which } else { Meaning::Slot };
    }
    if let Some((function, variable)) = old_name(name) {
        return Meaning::Old(function, variable);
    }
    if let Some((function, variable)) = inner("begin(") {
        return Meaning::Room(function, variable, true);
    }
    if let Some((function, variable)) = inner("end(") {
        return Meaning::Room(function, variable, false);
    }
    match name {
        _ if name.starts_with('*') => Meaning::Cell,
        _ if name.strip_prefix("call").is_some_and(|rest| rest.parse::<usize>().is_ok()) => Meaning::Other,
        _ => Meaning::Address(name.to_owned()),
    }
}
