//! Who calls whom by name, of the functions with bodies.

use std::collections::{BTreeMap, BTreeSet};

use program::{Body, Callee, FunctionId, Program, Statement, StatementKind};

/// For every function with a body those that calls lead to.
#[derive(Clone, Debug)]
pub struct CallGraph(BTreeMap<FunctionId, BTreeSet<FunctionId>>);

impl CallGraph {
    /// The calls of a program.
    pub fn of(program: &Program) -> Self {
        let with_body = program.functions.iter().filter_map(|(id, function)| Some((id, function.body()?)));
        let called: BTreeMap<FunctionId, BTreeSet<FunctionId>> =
            with_body.map(|(id, body)| (id, callees(body))).collect();
        Self(called.keys().map(|&function| (function, behind(&called, function))).collect())
    }

    /// The functions that calls lead to from a function: itself only if it is called again.
    pub fn behind(&self, function: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
        self.0.get(&function).into_iter().flatten().copied()
    }

    /// Whether calls lead from a function to another.
    pub fn lead(&self, from: FunctionId, to: FunctionId) -> bool {
        self.0.get(&from).is_some_and(|behind| behind.contains(&to))
    }

    /// Whether a function can be called while it is active.
    pub fn in_circle(&self, function: FunctionId) -> bool {
        self.lead(function, function)
    }

    /// Functions by the circles that they are in, each in order; one that is in none is alone.
    pub fn groups(&self, functions: impl IntoIterator<Item = FunctionId>) -> Vec<Vec<FunctionId>> {
        let mut groups: Vec<Vec<FunctionId>> = Vec::new();
        for function in functions {
            let is_with = |group: &&mut Vec<FunctionId>| {
                group.first().is_some_and(|&first| self.lead(first, function) && self.lead(function, first))
            };
            match groups.iter_mut().find(is_with) {
                Some(group) => group.push(function),
                None => groups.push(vec![function]),
            }
        }
        groups
    }

    /// The circles of calls, each as its functions in order.
    pub fn circles(&self) -> Vec<Vec<FunctionId>> {
        self.groups(self.0.keys().copied().filter(|&function| self.in_circle(function)))
    }
}

/// The functions that a body calls by name.
pub fn callees(body: &Body) -> BTreeSet<FunctionId> {
    let statements = body.blocks.iter().flat_map(|(_, block)| &block.statements);
    let callee = |statement: &Statement| match statement.kind {
        StatementKind::Call { callee: Callee::Function(callee), .. } => Some(callee),
        _ => None,
    };
    statements.filter_map(callee).collect()
}

fn behind(called: &BTreeMap<FunctionId, BTreeSet<FunctionId>>, function: FunctionId) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    let mut left = vec![function];
    while let Some(one) = left.pop() {
        let next = called.get(&one).into_iter().flatten().copied();
        left.extend(next.filter(|other| called.contains_key(other)).filter(|&other| found.insert(other)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found_once() {
        let text = "data_model LP64
            function a() { b0: call b() return }
            function b() { b0: call c() return }
            function c() { b0: call b() call d() return }
            function d() { b0: call d() return }";
        let program = parser::parse(text).expect("the test's program parses");
        let names: Vec<Vec<&str>> = CallGraph::of(&program)
            .circles()
            .iter()
            .map(|circle| circle.iter().map(|&one| program.functions[one].name.as_str()).collect())
            .collect();
        assert_eq!(names, [vec!["b", "c"], vec!["d"]]);
    }
}
