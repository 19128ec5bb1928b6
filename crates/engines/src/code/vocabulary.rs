//! What the variables and objects of a function are called in invariants.

use std::collections::{BTreeMap, BTreeSet};

use certify::abstraction::Named;
use evidence::{Moment, Name, Quantity};
use loops::LoopForest;
use program::{BlockId, Body, ObjectRef, Program, StatementKind, Type, VariableId};

use crate::linear::Linear;
use crate::paths::{Base, Position, Start, Value, calls_code};

/// What the parts of a function's expressions are called. It serves all loops of the function.
pub struct Vocabulary<'a> {
    pub(super) program: &'a Program,
    pub(super) body: &'a Body,
    variables: BTreeMap<VariableId, Name>,
    objects: BTreeMap<ObjectRef, Name>,
    /// Whether it matters that numbers stay in the ranges of their types.
    pub(super) overflow: bool,
    /// What each loop assigns, by its head.
    pub(super) assigned: BTreeMap<BlockId, BTreeSet<VariableId>>,
}

impl<'a> Vocabulary<'a> {
    /// The words of a function. Invariants call its variables and objects by these names.
    pub fn new(program: &'a Program, body: &'a Body, names: &BTreeMap<Name, Named>, overflow: bool) -> Self {
        let (mut variables, mut objects) = (BTreeMap::new(), BTreeMap::new());
        for (name, named) in names {
            match *named {
                Named::Variable(variable) => _ = variables.insert(variable, name.clone()),
                Named::Local(local) => _ = objects.insert(ObjectRef::Local(local), name.clone()),
                Named::Global(object) => _ = objects.insert(ObjectRef::Global(object), name.clone()),
            }
        }
        let assigned = BTreeMap::new();
        let mut vocabulary = Self { program, body, variables, objects, overflow, assigned };
        let forest = LoopForest::of(body);
        for (id, around) in forest.iter() {
            let assigned = vocabulary.assigned_in(forest.blocks(id));
            vocabulary.assigned.insert(around.head, assigned);
        }
        vocabulary
    }

    /// The variables that some blocks assign.
    fn assigned_in(&self, blocks: &[BlockId]) -> BTreeSet<VariableId> {
        let mut variables = BTreeSet::new();
        for &block in blocks {
            for statement in &self.body.blocks[block].statements {
                variables.extend(statement.kind.target());
                if let StatementKind::Call { callee, .. } = statement.kind
                    && calls_code(self.program, callee)
                {
                    variables.extend((0..self.program.globals.len()).map(VariableId::global));
                }
            }
        }
        variables
    }

    /// The name of a variable.
    pub(super) fn name(&self, variable: VariableId) -> Option<Name> {
        self.variables.get(&variable).cloned()
    }
}

impl Start for Vocabulary<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn body(&self) -> &Body {
        self.body
    }

    fn variable(&self, variable: VariableId) -> Value {
        let is_number =
            matches!(self.program.variable(self.body, variable).ty, Type::Integer(_) | Type::Bool);
        match self.name(variable).filter(|_| is_number) {
            Some(name) => Value::Number(Linear::variable(Quantity::value(name).at(Moment::Now))),
            None => Value::Unknown,
        }
    }

    fn object(&self, object: ObjectRef) -> Value {
        match self.objects.get(&object) {
            Some(name) => {
                Value::Pointer(Position { base: Base::Buffer(name.clone()), offset: Linear::zero() })
            }
            None => Value::Unknown,
        }
    }

    fn cell(&self, _: &Base) -> Option<u64> {
        None
    }

    fn is_idealised(&self) -> bool {
        false
    }
}
