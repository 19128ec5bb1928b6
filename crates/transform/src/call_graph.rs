//! Who calls whom by name, of the functions with bodies.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use program::{Body, Callee, FunctionId, Program, Statement, StatementKind};

/// For every function with a body those with bodies that it calls, and the circle that it is in.
#[derive(Clone, Debug)]
pub struct CallGraph {
    called: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
    /// A number for each circle. A function that is in none has one of its own.
    circle: BTreeMap<FunctionId, usize>,
}

impl CallGraph {
    /// The calls of a program.
    pub fn of(program: &Program) -> Self {
        let body = |function: FunctionId| program.functions[function].body();
        let own = |(id, _)| {
            let called = callees(body(id)?).into_iter().filter(|&other| body(other).is_some());
            Some((id, called.collect()))
        };
        let called: BTreeMap<FunctionId, BTreeSet<FunctionId>> =
            program.functions.iter().filter_map(own).collect();
        Self::of_calls(called)
    }

    /// Calls that somebody knows of: for every function those that it calls.
    pub fn of_calls(called: BTreeMap<FunctionId, BTreeSet<FunctionId>>) -> Self {
        let circle = circles(&called);
        Self { called, circle }
    }

    /// All functions by the circles that they are in: callees come before their callers.
    pub fn callees_first(&self) -> Vec<Vec<FunctionId>> {
        let mut groups: BTreeMap<usize, Vec<FunctionId>> = BTreeMap::new();
        for (&function, &circle) in &self.circle {
            groups.entry(circle).or_default().push(function);
        }
        // Circles are numbered from those that no other one calls.
        groups.into_values().rev().collect()
    }

    /// The functions that a function calls.
    pub fn called(&self, function: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
        self.called.get(&function).into_iter().flatten().copied()
    }

    /// The functions that calls lead to from a function: itself only if it is called again.
    pub fn behind(&self, function: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
        behind(&self.called, function).into_iter()
    }

    /// Whether calls lead from a function to another.
    pub fn lead(&self, from: FunctionId, to: FunctionId) -> bool {
        self.behind(from).any(|one| one == to)
    }

    /// Whether a function can be called while it is active.
    pub fn in_circle(&self, function: FunctionId) -> bool {
        let is_with = |other: &FunctionId| self.circle.get(other) == self.circle.get(&function);
        self.called.get(&function).is_some_and(|called| called.iter().any(is_with))
    }

    /// Functions by the circles that they are in, each in order; one that is in none is alone.
    pub fn groups(&self, functions: impl IntoIterator<Item = FunctionId>) -> Vec<Vec<FunctionId>> {
        let mut groups: Vec<Vec<FunctionId>> = Vec::new();
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        for function in functions {
            match self.circle.get(&function).map(|&circle| *places.entry(circle).or_insert(groups.len())) {
                Some(place) if place < groups.len() => groups[place].push(function),
                _ => groups.push(vec![function]),
            }
        }
        groups
    }

    /// The circles of calls, each as its functions in order.
    pub fn circles(&self) -> Vec<Vec<FunctionId>> {
        self.groups(self.called.keys().copied().filter(|&function| self.in_circle(function)))
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
        left.extend(next.filter(|&other| found.insert(other)));
    }
    found
}

/// The circles, that is, the strongly connected components of the graph: a function that is left last by a search along
/// the calls is reached, against the calls, only from those in its own circle (S. R. Kosaraju, M. Sharir).
fn circles(called: &BTreeMap<FunctionId, BTreeSet<FunctionId>>) -> BTreeMap<FunctionId, usize> {
    let mut callers: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
    for (&caller, callees) in called {
        for &callee in callees {
            callers.entry(callee).or_default().insert(caller);
        }
    }
    let mut entered = BTreeSet::new();
    let mut left_in_order = Vec::new();
    for &start in called.keys() {
        // A function stands on the stack to be entered, and again to be left.
        let mut stack = vec![(start, false)];
        while let Some((function, is_done)) = stack.pop() {
            if is_done {
                left_in_order.push(function);
            } else if entered.insert(function) {
                stack.push((function, true));
                stack.extend(called[&function].iter().map(|&next| (next, false)));
            }
        }
    }
    let mut circle = BTreeMap::new();
    for (number, start) in left_in_order.into_iter().rev().enumerate() {
        let mut stack = vec![start];
        while let Some(function) = stack.pop() {
            if let Entry::Vacant(place) = circle.entry(function) {
                place.insert(number);
                stack.extend(callers.get(&function).into_iter().flatten());
            }
        }
    }
    circle
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

    /// Every way to tell circles apart gives the same ones.
    #[test]
    fn circles_are_what_calls_lead_around() {
        for seed in 0..200u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut next = |below: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 20) % below
            };
            let count = 1 + next(9);
            let bodies: String = (0..count)
                .map(|one| {
                    let calls: String = (0..next(4)).map(|_| format!("call f{}() ", next(count))).collect();
                    format!("function f{one}() {{ b0: {calls} return }}\n")
                })
                .collect();
            let program = parser::parse(&format!("data_model LP64\n{bodies}")).expect("it parses");
            let graph = CallGraph::of(&program);
            let all: Vec<FunctionId> = program.functions.ids().collect();
            let groups = graph.groups(all.iter().copied());
            let order = graph.callees_first();
            for &one in &all {
                assert_eq!(graph.in_circle(one), graph.lead(one, one), "{bodies}");
                for next in graph.called(one).filter(|&next| !graph.lead(next, one)) {
                    let place = |one| order.iter().position(|group: &Vec<_>| group.contains(&one));
                    assert!(place(next) < place(one), "{bodies}");
                }
                for &other in &all {
                    let together = groups.iter().any(|group| group.contains(&one) && group.contains(&other));
                    let around = one == other || graph.lead(one, other) && graph.lead(other, one);
                    assert_eq!(together, around, "{bodies}");
                }
            }
        }
    }
}
