//! What the code in and after a loop says about the values that variables have at its head.
//!
//! Method: paths are followed from the head, each with the value of every variable in terms of those at the head (a
//! backwards substitution done forwards, as in weakest preconditions). What is checked on a path is a path obligation.
//! Loops on the way forget what they assign.

mod paths;
mod vocabulary;

use std::collections::BTreeSet;

use evidence::Name;
use program::{BlockId, Body, VariableId};

pub use self::vocabulary::Vocabulary;
use crate::linear::{Condition, InEvidence, Linear};
use crate::paths::GuardedPath;

/// What the code says.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Ways from the head back to it.
    pub iterations: Vec<GuardedPath>,
    /// Whether the iterations are all there are.
    pub complete: bool,
    /// What must hold in the loop and after it.
    pub path_obligations: Vec<PathObligation>,
    /// What is tested anywhere in the function, as if it were tested at the head.
    pub tests: Vec<Condition>,
    /// What is tested on the paths from the head, in terms of the values there.
    pub met: Vec<Condition>,
    /// Under what the loop is left: the conditions on a path to an exit that are about values at the head.
    pub exits: Vec<Vec<Condition>>,
    /// Variables that the loop or a test mentions.
    pub mentioned: BTreeSet<Name>,
    /// Variables that meet in a test or in an assignment.
    pub related: BTreeSet<(Name, Name)>,
}

/// Something that must hold on a path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PathObligation {
    /// What is tested before.
    pub conditions: Vec<Condition>,
    /// What must hold.
    pub must: Condition,
    /// Whether the path has left the loop.
    pub outside: bool,
    /// Whether it is about a number leaving the range of its type.
    pub overflow: bool,
}

impl Code {
    /// What the code says about a loop.
    pub fn of(vocabulary: &Vocabulary<'_>, head: BlockId, blocks: &[BlockId]) -> Self {
        let mut code = paths::follow(vocabulary, head, blocks);
        code.tests = paths::tests(vocabulary, blocks);
        code.relate(vocabulary, blocks);
        code
    }

    /// The numbers that tests compare with zero.
    pub fn tested(&self) -> impl Iterator<Item = &Linear> {
        self.tests.iter().chain(&self.met).flat_map(Condition::atoms).filter_map(Condition::number)
    }

    /// Whether two variables meet in an expression.
    pub fn are_related(&self, one: &Name, other: &Name) -> bool {
        let pair = if one <= other { (one, other) } else { (other, one) };
        self.related.contains(&(pair.0.clone(), pair.1.clone()))
    }

    /// The number that is added to a variable in each iteration, if it is always a known one: for every iteration its
    /// own.
    pub fn steps(&self, variable: VariableId, now: &Linear) -> Option<Vec<i128>> {
        if !self.complete || self.iterations.is_empty() {
            return None;
        }
        let step = |iteration: &GuardedPath| match iteration.updates.get(&variable) {
            None => Some(0),
            Some(after) => (&after.number()? - now).known(),
        };
        self.iterations.iter().map(step).collect()
    }

    fn relate(&mut self, vocabulary: &Vocabulary<'_>, blocks: &[BlockId]) {
        let name = |variable: &VariableId| vocabulary.name(*variable);
        self.mentioned = mentioned(vocabulary.start.body, blocks).iter().filter_map(name).collect();
        let mut groups: Vec<BTreeSet<Name>> = Vec::new();
        let musts = self.path_obligations.iter().map(|path_obligation| &path_obligation.must);
        for condition in self.tests.iter().chain(&self.met).chain(musts) {
            groups.extend(condition.atoms().iter().filter_map(|atom| Some(atom.number()?.names())));
        }
        for iteration in &self.iterations {
            for (variable, after) in &iteration.updates {
                if let (Some(after), Some(name)) = (after.number(), vocabulary.name(*variable)) {
                    let mut group = after.names();
                    group.insert(name);
                    groups.push(group);
                }
            }
        }
        for group in groups {
            self.mentioned.extend(group.iter().cloned());
            let group: Vec<Name> = group.into_iter().collect();
            for (place, one) in group.iter().enumerate() {
                self.related.extend(group[place + 1..].iter().map(|other| (one.clone(), other.clone())));
            }
        }
    }
}

/// The variables that blocks mention.
pub fn mentioned(body: &Body, blocks: &[BlockId]) -> BTreeSet<VariableId> {
    let mut variables = BTreeSet::new();
    for &block in blocks {
        let block = &body.blocks[block];
        let mut note = |expression| {
            body.for_each_variable(expression, &mut |variable| _ = variables.insert(variable));
        };
        block.statements.iter().for_each(|statement| statement.kind.visit_operands(&mut note));
        block.terminator.operand().into_iter().for_each(&mut note);
        variables.extend(block.statements.iter().filter_map(|statement| statement.kind.target()));
    }
    variables
}
