//! What control may come to after a place where the encoding ends: nothing can be said of it.
//!
//! Method: from the place on along the control-flow graph, in the function and in all that have called it, and into every
//! function that is called there. What is not understood may call back whatever function somebody has the address of.

use std::collections::BTreeMap;

use base::{Index, Location};
use encoding::{IncompletePath, Incompleteness};
use program::{
    BlockId, Body, Callee, Definition, ExprKind, FunctionId, Initial, Pointer, Program, Statement,
    StatementKind, Value,
};

/// The statements that control may come to after something: of each block the first one, by its place in the block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct After {
    first: BTreeMap<(FunctionId, BlockId), usize>,
}

impl After {
    /// What may come after an end of the encoding.
    pub fn end(program: &Program, end: &IncompletePath) -> Self {
        let mut walk = Walk::after_stack(program, &end.stack);
        if matches!(end.reason, Incompleteness::Unsupported(_)) {
            walk.called_by_address();
        }
        walk.run()
    }

    /// What may come after a place, given the active calls and where each of them is.
    pub fn place(program: &Program, stack: &[(FunctionId, Location)]) -> Self {
        Walk::after_stack(program, stack).run()
    }

    /// What may come after one of some functions is entered.
    pub fn entries(program: &Program, functions: impl IntoIterator<Item = FunctionId>) -> Self {
        let mut walk = Walk::new(program);
        functions.into_iter().for_each(|function| walk.enter(function));
        walk.run()
    }

    /// Whether control may come to a statement.
    pub fn contains(&self, function: FunctionId, block: BlockId, statement: usize) -> bool {
        self.first.get(&(function, block)).is_some_and(|&first| statement >= first)
    }

    /// Whether control may come to a function, or back to it.
    pub fn touches(&self, function: FunctionId) -> bool {
        let from_first_block = self.first.range((function, Index::new(0))..);
        from_first_block.map(|(&(other, _), _)| other).next() == Some(function)
    }
}

struct Walk<'p> {
    program: &'p Program,
    after: After,
    fresh: Vec<(FunctionId, BlockId)>,
    /// Whether functions that somebody has the address of are in already.
    by_address: bool,
    /// Whether all functions are in already.
    everything: bool,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program) -> Self {
        Self { program, after: After::default(), fresh: Vec::new(), by_address: false, everything: false }
    }

    fn body(&self, function: FunctionId) -> Option<&'p Body> {
        self.program.functions[function].body()
    }

    fn after_stack(program: &'p Program, stack: &[(FunctionId, Location)]) -> Self {
        let mut walk = Self::new(program);
        if stack.is_empty() {
            program.functions.ids().for_each(|function| walk.all_of(function));
        }
        for &(function, location) in stack {
            walk.from(function, location);
        }
        if let Some(&(function, location)) = stack.last() {
            walk.calls_at(function, location);
        }
        walk
    }

    /// Into the functions that are called at a place: a path may end at a call that is not followed.
    fn calls_at(&mut self, function: FunctionId, location: Location) {
        let Some(body) = self.body(function) else { return };
        let statements = body.blocks.values().flat_map(|block| &block.statements);
        for statement in statements.filter(|statement| statement.location == location) {
            self.call(&statement.kind);
        }
    }

    fn call(&mut self, statement: &StatementKind) {
        match statement {
            StatementKind::Call { callee: Callee::Function(callee), .. } => self.enter(*callee),
            StatementKind::Call { callee: Callee::Pointer(_), .. } => self.called_by_address(),
            _ => {}
        }
    }

    /// From the statements of a function on that stand at a place in the source. Paths do not end at a check that has
    /// a statement of its own behind it.
    fn from(&mut self, function: FunctionId, location: Location) {
        let Some(body) = self.body(function) else { return };
        let at = |statement: &Statement| statement.location == location;
        let acts =
            |statement: &Statement| at(statement) && !matches!(statement.kind, StatementKind::Check(_));
        let mut found = false;
        for (id, block) in body.blocks.iter() {
            let statements = &block.statements;
            let statement = statements.iter().position(acts).or_else(|| statements.iter().position(at));
            let statement = statement.map(|place| place + 1);
            let head = (block.location == location).then_some(0);
            if let Some(first) = head.or(statement) {
                self.add(function, id, first);
                found = true;
            }
        }
        if !found {
            self.all_of(function);
        }
    }

    fn all_of(&mut self, function: FunctionId) {
        let Some(body) = self.body(function) else { return };
        body.blocks.iter().for_each(|(block, _)| self.add(function, block, 0));
    }

    fn enter(&mut self, function: FunctionId) {
        match &self.program.functions[function].definition {
            Definition::Body(body) => self.add(function, body.entry(), 0),
            Definition::External => self.called_by_address(),
            // It is not known what it calls.
            Definition::Unsupported { .. } => {
                if !std::mem::replace(&mut self.everything, true) {
                    self.program.functions.iter().for_each(|(function, _)| self.enter(function));
                }
            }
        }
    }

    fn called_by_address(&mut self) {
        if !std::mem::replace(&mut self.by_address, true) {
            with_address(self.program).into_iter().for_each(|function| self.enter(function));
        }
    }

    fn add(&mut self, function: FunctionId, block: BlockId, first: usize) {
        let known = self.after.first.entry((function, block)).or_insert(usize::MAX);
        if first < *known {
            *known = first;
            self.fresh.push((function, block));
        }
    }

    fn run(mut self) -> After {
        while let Some((function, block)) = self.fresh.pop() {
            let Some(body) = self.body(function) else { continue };
            let first = self.after.first[&(function, block)];
            for statement in body.blocks[block].statements.iter().skip(first) {
                self.call(&statement.kind);
            }
            for next in body.blocks[block].terminator.successors() {
                self.add(function, next, 0);
            }
        }
        self.after
    }
}

/// The functions that somebody has the address of.
fn with_address(program: &Program) -> Vec<FunctionId> {
    let mut found = Vec::new();
    for body in program.functions.values().filter_map(|function| function.body()) {
        found.extend(body.expressions.values().filter_map(|expression| match expression.kind {
            ExprKind::Function(function) => Some(function),
            _ => None,
        }));
    }
    for object in program.objects.values() {
        if let Initial::Bytes { pointers, .. } = &object.initial {
            found.extend(pointers.iter().filter_map(|&(_, pointer)| match pointer {
                Pointer::Function(function) => Some(function),
                Pointer::Object(..) => None,
            }));
        }
    }
    for global in &program.globals {
        if let Value::Pointer(Pointer::Function(function)) = global.initial {
            found.push(function);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use logic::Terms;

    use super::*;

    const TEXT: &str = "data_model LP64
        external unknown_thing() -> i32
        function helper(%x: i32) -> i32 {
        b0:
          check assertion %x == 1:i32 @0:2:1
          return %x @0:2:2
        }
        function main() -> i32 {
          variable %a: i32
        b0:
          %a := 0:i32 @0:10:1
          %a := call unknown_thing() @0:11:1
          %a := 1:i32 @0:12:1
          goto b1 @0:12:2
        b1:
          %a := call helper(%a) @0:13:1
          return 0:i32 @0:14:1
        b2:
          return 1:i32 @0:15:1
        }";

    #[test]
    fn what_follows_a_call_is_found_and_what_comes_before_is_not() {
        let program = parser::parse(&format!("file 0 \"a.c\"\n{TEXT}"))
            .or_else(|_| parser::parse(TEXT))
            .expect("the test's program parses");
        let (main, helper) =
            (program.function_named("main").unwrap(), program.function_named("helper").unwrap());
        let location = Location::new(Index::new(0), 11, 1);
        let end = IncompletePath {
            reached: Terms::new().bool(true),
            reason: Incompleteness::Unsupported(String::from("call of unknown_thing")),
            location,
            stack: Rc::new(vec![(main, location)]),
        };
        let after = After::end(&program, &end);
        let block = |number: usize| BlockId::new(number);
        assert!(!after.contains(main, block(0), 0) && !after.contains(main, block(0), 1));
        assert!(after.contains(main, block(0), 2) && after.contains(main, block(1), 0));
        assert!(!after.contains(main, block(2), 0));
        assert!(after.touches(helper) && after.contains(helper, block(0), 0));
        assert!(
            After::entries(&program, [main]).touches(helper)
                && !After::entries(&program, [helper]).touches(main)
        );
    }
}
