//! Slices: the statements and branches of a loop that some variables depend on (Xie, Chen, Liu, Le, Li, *Proteus:
//! computing disjunctive loop summary via path dependency analysis*, FSE 2016, section 4.1).
//!
//! As there, a statement matters if a variable of interest depends on it through data or control, step by step:
//! - an assignment to a variable that matters matters, and so do all variables that it reads;
//! - a branch that decides whether a statement that matters is executed matters, and so do the variables of its
//!   condition. Control dependence is Ferrante, Ottenstein and Warren's (TOPLAS 9(3), 1987), by post-dominators;
//! - memory is one thing: a load that matters makes everything matter that may write memory. A call may change memory
//!   and all global variables, and may read both.
//!
//! Deviations and known imprecision: data dependence is by variable, not by reaching definition, so an assignment
//! that is always overwritten before it is read stays. An `assume` matters if it reads a variable that matters; one
//! that does not could be dropped without losing runs. Checks change nothing and are never in a slice. An inner loop on
//! which nothing of interest depends is dropped even if it does not terminate.

use std::collections::{BTreeMap, BTreeSet};

use base::Index;
use program::{BlockId, Body, ExprId, ExprKind, StatementKind, VariableId};

use crate::dominators::PostDominators;
use crate::forest::{LoopForest, LoopId};

/// What a slice is made for.
#[derive(Clone, Copy, Debug)]
pub enum Criterion<'a> {
    /// The values of variables.
    Variables(&'a [VariableId]),
    /// When the loop is left: the conditions of all branches out of it.
    Exits,
    /// Both: what the loop does to variables includes whether it ends.
    Effects(&'a [VariableId]),
}

/// The part of a loop that matters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Slice {
    /// The variables that matter.
    pub variables: BTreeSet<VariableId>,
    /// The statements that matter: block, and place in the block.
    pub statements: BTreeSet<(BlockId, usize)>,
    /// The blocks whose branches matter.
    pub branches: BTreeSet<BlockId>,
    /// Whether what memory holds matters.
    pub memory: bool,
}

impl Slice {
    /// Slices a loop.
    pub fn of(
        body: &Body,
        forest: &LoopForest,
        post_dominators: &PostDominators,
        id: LoopId,
        criterion: Criterion<'_>,
    ) -> Self {
        let mut slicer = Slicer::new(body, forest, post_dominators, id);
        if let Criterion::Variables(variables) | Criterion::Effects(variables) = criterion {
            variables.iter().for_each(|&variable| slicer.need_variable(variable));
        }
        if let Criterion::Exits | Criterion::Effects(_) = criterion {
            forest.exit_edges(id).into_iter().for_each(|edge| slicer.need_branch(edge.from));
        }
        slicer.run();
        slicer.slice
    }
}

/// A statement, by its block and its place there.
type Place = (BlockId, usize);

struct Slicer<'a> {
    body: &'a Body,
    /// The statements that assign each variable.
    assignments: BTreeMap<VariableId, Vec<Place>>,
    /// The assumptions that read each variable.
    assumptions: BTreeMap<VariableId, Vec<Place>>,
    /// The statements that may write memory, and those that may change global variables.
    writers: Vec<Place>,
    callers: Vec<Place>,
    globals: Vec<VariableId>,
    /// The branches of the loop that decide whether a block is executed.
    controllers: BTreeMap<BlockId, Vec<BlockId>>,
    slice: Slice,
    fresh_statements: Vec<Place>,
    fresh_variables: Vec<VariableId>,
    active: BTreeSet<BlockId>,
}

impl<'a> Slicer<'a> {
    fn new(body: &'a Body, forest: &LoopForest, post_dominators: &PostDominators, id: LoopId) -> Self {
        let mut slicer = Self {
            body,
            assignments: BTreeMap::new(),
            assumptions: BTreeMap::new(),
            writers: Vec::new(),
            callers: Vec::new(),
            globals: Vec::new(),
            controllers: controllers(forest, post_dominators, id),
            slice: Slice::default(),
            fresh_statements: Vec::new(),
            fresh_variables: Vec::new(),
            active: BTreeSet::new(),
        };
        for &block in forest.blocks(id) {
            for (position, statement) in body.blocks[block].statements.iter().enumerate() {
                slicer.index((block, position), &statement.kind);
            }
        }
        slicer
    }

    fn index(&mut self, place: Place, kind: &StatementKind) {
        if let Some(target) = kind.target() {
            self.assignments.entry(target).or_default().push(place);
            if target.is_global() {
                self.globals.push(target);
            }
        }
        match kind {
            StatementKind::Call { .. } | StatementKind::Unknown { .. } => {
                self.writers.push(place);
                self.callers.push(place);
            }
            StatementKind::Store { .. }
            | StatementKind::Copy { .. }
            | StatementKind::Fill { .. }
            | StatementKind::Variadic { .. }
            | StatementKind::Begin { .. }
            | StatementKind::End { .. }
            | StatementKind::Forget { .. } => self.writers.push(place),
            StatementKind::Assume { condition } => {
                for variable in variables_of(self.body, [*condition]) {
                    self.assumptions.entry(variable).or_default().push(place);
                }
            }
            _ => {}
        }
    }

    fn run(&mut self) {
        loop {
            if let Some(variable) = self.fresh_variables.pop() {
                let assigned = self.assignments.remove(&variable).unwrap_or_default();
                let assumed = self.assumptions.remove(&variable).unwrap_or_default();
                assigned.into_iter().chain(assumed).for_each(|place| self.need_statement(place));
                if variable.is_global() {
                    std::mem::take(&mut self.callers)
                        .into_iter()
                        .for_each(|place| self.need_statement(place));
                }
            } else if let Some(place) = self.fresh_statements.pop() {
                self.follow(place);
            } else {
                return;
            }
        }
    }

    /// Everything that a statement depends on is needed.
    fn follow(&mut self, (block, position): Place) {
        let kind = &self.body.blocks[block].statements[position].kind;
        self.need_operands(kind.operands());
        match kind {
            StatementKind::Load { .. } | StatementKind::Copy { .. } | StatementKind::Variadic { .. } => {
                self.need_memory();
            }
            StatementKind::Call { .. } | StatementKind::Unknown { .. } => {
                self.need_memory();
                std::mem::take(&mut self.globals)
                    .into_iter()
                    .for_each(|variable| self.need_variable(variable));
            }
            _ => {}
        }
        self.need_block(block);
    }

    fn need_operands(&mut self, operands: impl IntoIterator<Item = ExprId>) {
        variables_of(self.body, operands).into_iter().for_each(|variable| self.need_variable(variable));
    }

    fn need_variable(&mut self, variable: VariableId) {
        if self.slice.variables.insert(variable) {
            self.fresh_variables.push(variable);
        }
    }

    fn need_statement(&mut self, place: Place) {
        if self.slice.statements.insert(place) {
            self.fresh_statements.push(place);
        }
    }

    fn need_memory(&mut self) {
        if !std::mem::replace(&mut self.slice.memory, true) {
            std::mem::take(&mut self.writers).into_iter().for_each(|place| self.need_statement(place));
        }
    }

    /// What decides whether a block is executed is needed.
    fn need_block(&mut self, block: BlockId) {
        let mut fresh = vec![block];
        while let Some(block) = fresh.pop() {
            if self.active.insert(block) {
                for controller in self.controllers.remove(&block).unwrap_or_default() {
                    self.need_condition(controller);
                    fresh.push(controller);
                }
            }
        }
    }

    fn need_branch(&mut self, block: BlockId) {
        self.need_condition(block);
        self.need_block(block);
    }

    fn need_condition(&mut self, block: BlockId) {
        if self.slice.branches.insert(block) {
            self.need_operands(self.body.blocks[block].terminator.operand());
        }
    }
}

/// For each block of a loop the branches of the loop that it is control dependent on.
fn controllers(
    forest: &LoopForest,
    post_dominators: &PostDominators,
    id: LoopId,
) -> BTreeMap<BlockId, Vec<BlockId>> {
    let mut controllers: BTreeMap<BlockId, Vec<BlockId>> = BTreeMap::new();
    for &branch in forest.blocks(id) {
        let targets: BTreeSet<BlockId> = forest.graph().successors(branch).iter().copied().collect();
        if targets.len() < 2 {
            continue;
        }
        let end = post_dominators.immediate(branch);
        let mut reached = BTreeSet::new();
        for target in targets {
            let mut next = Some(target).filter(|_| Some(target) != end);
            while let Some(block) = next.filter(|&block| reached.insert(block)) {
                if forest.contains(id, block) {
                    controllers.entry(block).or_default().push(branch);
                }
                next = post_dominators.immediate(block).filter(|&above| Some(above) != end);
            }
        }
    }
    controllers
}

/// The variables that expressions read.
fn variables_of(body: &Body, expressions: impl IntoIterator<Item = ExprId>) -> BTreeSet<VariableId> {
    // Expressions share operands: each is examined once.
    let mut seen = BTreeSet::new();
    let mut stack: Vec<ExprId> = expressions.into_iter().collect();
    let mut variables = BTreeSet::new();
    while let Some(expression) = stack.pop() {
        if !seen.insert(expression.index()) {
            continue;
        }
        let expr = &body.expressions[expression];
        if let ExprKind::Variable(variable) = expr.kind {
            variables.insert(variable);
        }
        stack.extend(expr.operands());
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphs::{body, parse};
    use program::Program;

    /// The shape of the loop in Proteus' Fig. 5: `z` decides about `x`, and `y` and `w` about nothing.
    const EXAMPLE: &str = r#"
        data_model LP64
        variable $g: i32 = 0:i32
        external tick()
        function f(%n: i32, %p: ptr) {
          variable %x: i32
          variable %y: i32
          variable %z: i32
          variable %w: i32
        b0:
          %x := 0:i32
          goto b1
        b1: loop while
          if %x < %n goto b2 else b9
        b2:
          if %z < %x goto b3 else b4
        b3:
          %x := %x + 1:i32
          goto b5
        b4:
          %z := %z + %n
          goto b5
        b5:
          if %y == 0:i32 goto b6 else b7
        b6:
          %y := %y + %x
          goto b8
        b7:
          %w := load %p
          goto b8
        b8:
          store %p := %y
          goto b1
        b9:
          return
        }
    "#;

    fn slice(text: &str, names: &[&str]) -> (Program, Slice) {
        let program = parse(text);
        let body = body(&program, "f");
        let forest = LoopForest::of(body);
        let (id, _) = forest.iter().next().unwrap();
        let post_dominators = PostDominators::of(forest.graph());
        let locals = body.variables.iter().map(|(id, variable)| (id, &variable.name));
        let globals = program.globals.iter().enumerate();
        let globals = globals.map(|(index, global)| (VariableId::global(index), &global.variable.name));
        let wanted: Vec<VariableId> = locals
            .chain(globals)
            .filter(|(_, name)| names.contains(&name.as_str()))
            .map(|(id, _)| id)
            .collect();
        let criterion = if names.is_empty() { Criterion::Exits } else { Criterion::Variables(&wanted) };
        let slice = Slice::of(body, &forest, &post_dominators, id, criterion);
        (program, slice)
    }

    fn names(program: &Program, slice: &Slice) -> Vec<String> {
        let body = body(program, "f");
        slice.variables.iter().map(|&variable| program.variable(body, variable).name.clone()).collect()
    }

    #[test]
    fn only_what_decides_about_the_variable_is_kept() {
        for criterion in [&["x"][..], &[]] {
            let (program, slice) = slice(EXAMPLE, criterion);
            assert_eq!(names(&program, &slice), ["n", "x", "z"]);
            let branches: Vec<String> = slice.branches.iter().map(|block| block.to_string()).collect();
            assert_eq!(branches, ["b1", "b2"]);
            let blocks: Vec<String> = slice.statements.iter().map(|(block, _)| block.to_string()).collect();
            assert_eq!(blocks, ["b3", "b4"]);
            assert!(!slice.memory);
        }
    }

    #[test]
    fn a_load_depends_on_every_store() {
        let (program, slice) = slice(EXAMPLE, &["w"]);
        assert!(slice.memory);
        assert_eq!(names(&program, &slice), ["n", "p", "x", "y", "z", "w"]);
        assert_eq!(slice.statements.len(), 5);
    }

    #[test]
    fn a_global_depends_on_every_call() {
        let text = EXAMPLE.replace("%w := load %p", "call tick()");
        let (program, slice) = slice(&text, &["g"]);
        assert!(slice.memory);
        assert!(names(&program, &slice).contains(&String::from("g")));
        assert!(slice.statements.iter().any(|(block, _)| block.to_string() == "b7"));
    }
}
