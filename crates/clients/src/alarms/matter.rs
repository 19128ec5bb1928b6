//! Which variables matter to an obligation: those that its condition, or whether control comes to it, may depend on.
//!
//! Method: a slice over the functions that the encoding comes to, backwards. The condition's variables matter, and those of the exits of all loops
//! around it; what is assigned to a variable that matters matters, and so do the exits of the loops in which that
//! happens; arguments matter where parameters do, results where calls' targets do.
//!
//! Known imprecision: memory is not followed, and neither are branches outside loops. It only decides what an abstract
//! counterexample tells.

use std::collections::{BTreeMap, BTreeSet};

use base::Location;
use loops::LoopForest;
use program::{BlockId, Body, Callee, ExprId, FunctionId, Program, StatementKind, Terminator, VariableId};

/// The variables that matter to what stands at a place in a function, as far as some functions tell. Global variables
/// belong to each of them.
pub(super) fn matters(
    program: &Program,
    functions: &BTreeSet<FunctionId>,
    function: FunctionId,
    location: Location,
) -> BTreeSet<(FunctionId, VariableId)> {
    let (found, fresh, forests) = (BTreeSet::new(), Vec::new(), BTreeMap::new());
    let mut slice = Slice { program, functions, found, fresh, forests };
    slice.start(function, location);
    slice.run();
    slice.found
}

struct Slice<'p> {
    program: &'p Program,
    functions: &'p BTreeSet<FunctionId>,
    found: BTreeSet<(FunctionId, VariableId)>,
    fresh: Vec<(FunctionId, VariableId)>,
    forests: BTreeMap<FunctionId, LoopForest>,
}

impl<'p> Slice<'p> {
    fn body(&self, function: FunctionId) -> Option<&'p Body> {
        self.program.functions[function].body()
    }

    fn start(&mut self, function: FunctionId, location: Location) {
        let Some(body) = self.body(function) else { return };
        for (id, block) in body.blocks.iter() {
            for statement in block.statements.iter().filter(|statement| statement.location == location) {
                self.operands(function, body, &statement.kind.operands());
                self.loops_around(function, body, id);
            }
        }
    }

    fn operands(&mut self, function: FunctionId, body: &Body, operands: &[ExprId]) {
        for &operand in operands {
            body.for_each_variable(operand, &mut |variable| {
                if self.found.insert((function, variable)) {
                    self.fresh.push((function, variable));
                }
            });
        }
    }

    /// When the loops around a block are left matters.
    fn loops_around(&mut self, function: FunctionId, body: &Body, block: BlockId) {
        let forest = self.forests.entry(function).or_insert_with(|| LoopForest::of(body));
        let Some(innermost) = forest.innermost(block) else { return };
        let around: Vec<_> = std::iter::once(innermost).chain(forest.ancestors(innermost)).collect();
        let exits: BTreeSet<BlockId> =
            around.into_iter().flat_map(|id| forest.exit_edges(id)).map(|edge| edge.from).collect();
        for exit in exits {
            let condition = match body.blocks[exit].terminator {
                Terminator::Branch { condition, .. } => condition,
                Terminator::Switch { value, .. } => value,
                _ => continue,
            };
            self.operands(function, body, &[condition]);
        }
    }

    fn run(&mut self) {
        while let Some((function, variable)) = self.fresh.pop() {
            if variable.is_global() {
                for &other in self.functions {
                    self.found.insert((other, variable));
                    self.assignments(other, variable);
                }
                continue;
            }
            self.assignments(function, variable);
            let Some(body) = self.body(function) else { continue };
            if let Some(place) = body.parameters.iter().position(|&parameter| parameter == variable) {
                self.arguments(function, place);
            }
        }
    }

    fn assignments(&mut self, function: FunctionId, variable: VariableId) {
        let Some(body) = self.body(function) else { return };
        for (id, block) in body.blocks.iter() {
            for statement in &block.statements {
                if statement.kind.target() != Some(variable) {
                    continue;
                }
                match &statement.kind {
                    StatementKind::Call { callee: Callee::Function(callee), .. } => self.results(*callee),
                    kind => self.operands(function, body, &kind.operands()),
                }
                self.loops_around(function, body, id);
            }
        }
    }

    /// What a function returns matters.
    fn results(&mut self, function: FunctionId) {
        let Some(body) = self.body(function) else { return };
        for block in body.blocks.values() {
            if let Terminator::Return(Some(value)) = block.terminator {
                self.operands(function, body, &[value]);
            }
        }
    }

    /// What is passed as a parameter matters.
    fn arguments(&mut self, function: FunctionId, place: usize) {
        for &caller in self.functions {
            let Some(body) = self.body(caller) else { continue };
            for statement in body.blocks.values().flat_map(|block| &block.statements) {
                if let StatementKind::Call { callee: Callee::Function(callee), arguments, .. } =
                    &statement.kind
                    && *callee == function
                    && let Some(&argument) = arguments.get(place)
                {
                    self.operands(caller, body, &[argument]);
                }
            }
        }
    }
}
