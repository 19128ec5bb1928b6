//! What the functions give that a loop calls: guessed, and proved before the loop is examined.
//!
//! Callees come before their callers, as deep as loops are likely to need it. A callee gets little time: what is not shown
//! in it is not known.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use base::Budget;
use certify::abstraction::{Abstraction, Batch, Effort};
use certify::{ModularFunctions, ModularProgram, Subject};
use evidence::{Formula, Overflow, ProofMode, Side};
use loops::LoopForest;
use program::interpret::Integers;
use program::{Callee, FunctionId, Program, Statement, StatementKind, Type};

use crate::verify::failing;

/// So deep are the calls followed.
const DEEPEST: usize = 3;

/// How long a function may take.
const TIME: Duration = Duration::from_millis(100);

/// What a query may cost.
const EFFORT: Effort = Effort { batch: Batch::All, steps: 500, time: Duration::from_millis(50) };

/// What is known of the results of a program's functions, and which of them were examined.
#[derive(Debug, Default)]
pub(crate) struct Results {
    examined: Mutex<BTreeSet<FunctionId>>,
}

impl Results {
    /// The modular form of a function that knows what the functions give that its loops call. It is about runs without
    /// overflow of signed numbers. Nothing if nothing is known.
    pub fn function(
        &self,
        program: &Program,
        functions: &ModularFunctions<'_>,
        function: FunctionId,
        budget: &Budget,
    ) -> Option<ModularProgram> {
        let body = program.functions[function].body()?;
        let forest = LoopForest::of(body);
        let blocks = forest.iter().flat_map(|(id, _)| forest.blocks(id).iter().copied());
        let in_loops: BTreeSet<_> = blocks.collect();
        let statements = in_loops.into_iter().flat_map(|block| &body.blocks[block].statements);
        let callees = wanted(program, statements);
        // One at a time: what is known then does not depend on who comes first.
        if let Ok(mut examined) = self.examined.lock() {
            for &callee in &callees {
                learn(program, functions, callee, DEEPEST, budget, &mut examined);
            }
        }
        let is_any = callees.iter().any(|&callee| functions.results().of(callee).is_some());
        is_any.then(|| functions.with_results(function)).flatten()
    }
}

/// The functions that are called for an integer.
fn wanted<'b>(program: &Program, statements: impl Iterator<Item = &'b Statement>) -> BTreeSet<FunctionId> {
    let callee = |statement: &Statement| match statement.kind {
        StatementKind::Call { target: Some(_), callee: Callee::Function(callee), .. } => Some(callee),
        _ => None,
    };
    let is_wanted = |callee: &FunctionId| {
        let callee = &program.functions[*callee];
        callee.body().is_some() && matches!(callee.result, Some(Type::Integer(_)))
    };
    statements.filter_map(callee).filter(is_wanted).collect()
}

/// Proves what a function gives, if that was not tried before.
fn learn(
    program: &Program,
    functions: &ModularFunctions<'_>,
    function: FunctionId,
    depth: usize,
    budget: &Budget,
    examined: &mut BTreeSet<FunctionId>,
) {
    let Some(body) = program.functions[function].body() else { return };
    if depth == 0 || examined.contains(&function) {
        return;
    }
    for callee in wanted(program, body.statements()) {
        learn(program, functions, callee, depth - 1, budget, examined);
    }
    prove(program, functions, function, &mut budget.clone().within(TIME));
    // What the time of a short turn did not suffice for comes again.
    if budget.clone().spend(0).is_ok() {
        examined.insert(function);
    }
}

/// Guesses what a function gives, and proves what of that holds.
fn prove(program: &Program, functions: &ModularFunctions<'_>, function: FunctionId, budget: &mut Budget) {
    let mut clauses = engines::contracts::results(program, function);
    while !clauses.is_empty() && budget.spend(0).is_ok() {
        let Some(guess) = functions.guess(function, &clauses) else { return };
        let subject = Subject::modular(&guess, Integers::Machine);
        let mode = ProofMode::modular(Overflow::Excluded);
        let Ok(mut abstraction) = Abstraction::new(&subject, mode, budget) else { return };
        if !abstraction.abstract_loops().is_empty() {
            let mut part = budget.share(0.5);
            engines::summarise(subject.program(), &mut abstraction, EFFORT, &mut part, &mut |_| {});
        }
        let failing = failing(&mut abstraction, EFFORT, budget);
        if failing.is_empty() {
            if let Some(results) = abstraction.results(EFFORT, budget) {
                functions.results().learn(&results);
            }
            return;
        }
        let name = program.functions[function].name.clone();
        let contract = evidence::Contract::ensuring(name, clauses);
        let holds = |place: &usize| !failing.contains(&contract.note(Side::Ensures, *place));
        let kept: Vec<Formula> =
            (0..contract.ensures.len()).filter(holds).map(|place| contract.ensures[place].clone()).collect();
        if kept.len() == contract.ensures.len() {
            return;
        }
        clauses = kept;
    }
}
