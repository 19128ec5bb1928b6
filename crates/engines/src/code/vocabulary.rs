//! What the variables and objects of a function are called in invariants.

use std::collections::{BTreeMap, BTreeSet};

use certify::abstraction::Named;
use evidence::{Moment, Name, Quantity};
use loops::LoopForest;
use program::{BlockId, Body, ObjectRef, Program, StatementKind, Type, VariableId};

use crate::linear::Linear;
use crate::paths::{Start, Value, calls_code};

/// What the parts of a function's expressions are called. It serves all loops of the function.
pub struct Vocabulary<'a> {
    /// A loop's head, where paths start.
    pub(super) start: Start<'a>,
    variables: BTreeMap<VariableId, Name>,
    /// Whether it matters that numbers stay in the ranges of their types.
    pub(super) overflow: bool,
    /// What each loop assigns, by its head.
    pub(super) assigned: BTreeMap<BlockId, BTreeSet<VariableId>>,
}

impl<'a> Vocabulary<'a> {
    /// The words of a function. Invariants call its variables and objects by these names.
    pub fn new(program: &'a Program, body: &'a Body, names: &BTreeMap<Name, Named>, overflow: bool) -> Self {
        let (mut variables, mut values, mut objects) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (name, named) in names {
            match *named {
                Named::Variable(variable) => {
                    if let Type::Integer(_) | Type::Bool = program.variable(body, variable).ty {
                        let value = Linear::variable(Quantity::value(name.clone()).at(Moment::Now));
                        values.insert(variable, Value::Number(value));
                    }
                    variables.insert(variable, name.clone());
                }
                Named::Local(local) => _ = objects.insert(ObjectRef::Local(local), name.clone()),
                Named::Global(object) => _ = objects.insert(ObjectRef::Global(object), name.clone()),
            }
        }
        let (cells, forest) = (BTreeMap::new(), LoopForest::of(body));
        let start = Start { program, body, variables: values, objects, cells, is_idealised: false };
        let assigned = forest.iter().map(|(id, around)| (around.head, assigned(&start, forest.blocks(id))));
        let assigned = assigned.collect();
        Self { start, variables, overflow, assigned }
    }

    /// The name of a variable.
    pub(super) fn name(&self, variable: VariableId) -> Option<Name> {
        self.variables.get(&variable).cloned()
    }
}

/// The variables that some blocks assign.
fn assigned(start: &Start<'_>, blocks: &[BlockId]) -> BTreeSet<VariableId> {
    let mut variables = BTreeSet::new();
    for statement in blocks.iter().flat_map(|&block| &start.body.blocks[block].statements) {
        variables.extend(statement.kind.target());
        if let StatementKind::Call { callee, .. } = statement.kind
            && calls_code(start.program, callee)
        {
            variables.extend((0..start.program.globals.len()).map(VariableId::global));
        }
    }
    variables
}
