//! What can be reached in a program, and the marks that tell.
//!
//! A branch is an edge of the control-flow graph that a condition of the source decides: each side of every `if`, loop,
//! `?:`, `&&` and `||`, every case of a `switch` and its default. A condition that is a constant decides nothing, and code in
//! functions that nothing refers to on the way from the entry is left out. The marks are put into the program as it is
//! lowered, before clean-up passes could join branches: an `if` with nothing in it has two branches all the same.
//!
//! A line is reached when control comes to the first statement of it, in whichever block.
//!
//! Known imprecision: a line that has nothing but a `break` or the like may be taken for one without code.

use std::collections::{BTreeMap, BTreeSet};

use base::{Index, Location};
use evidence::Goal;
use program::{
    Block, BlockId, Body, ExprId, ExprKind, FunctionId, Initial, MarkId, ORDER_OF_EVALUATION,
    ORDER_OF_FAILURES, Pointer, Program, Statement, StatementKind, Terminator,
};

/// What is to be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Every branch that the entry's code can come to.
    Branches,
    /// One line of a file.
    Line {
        /// The file, as the program names it, or the end of that name after a `/`.
        file: String,
        /// The line, from one.
        line: u32,
    },
}

/// A place that is to be reached. Its mark is its number in the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Spot {
    pub function: FunctionId,
    pub location: Location,
    pub goal: Goal,
    /// The edges: each a block, and which of the edges out of it.
    edges: Vec<(BlockId, usize)>,
    /// The statements of a line: function, block, and how many statements come before.
    statements: Vec<(FunctionId, BlockId, usize)>,
}

/// The places that are wanted.
pub(super) fn spots(program: &Program, entry: FunctionId, wanted: &Wanted) -> Vec<Spot> {
    match wanted {
        Wanted::Branches => {
            let mut spots: Vec<Spot> = referred(program, entry)
                .into_iter()
                .filter_map(|function| Some((function, program.functions[function].body()?)))
                .flat_map(|(function, body)| branches(function, body))
                .collect();
            spots.sort_by_key(|spot| (spot.location, spot.function));
            spots
        }
        Wanted::Line { file, line } => line_spot(program, file, *line).into_iter().collect(),
    }
}

/// The lines of a file that have code, to help people who asked for another one.
pub(super) fn lines(program: &Program, file: &str) -> BTreeSet<u32> {
    let mut lines = BTreeSet::new();
    for function in program.functions.values() {
        let Some(body) = function.body() else { continue };
        let places = places(body, function.name == "main").into_iter().map(|(_, _, place)| place);
        lines.extend(places.filter(|place| is_in(program, *place, file)).map(|place| place.line));
    }
    lines
}

/// The program with a mark at each of some places.
pub(super) fn marked(program: &Program, spots: &[Spot], wanted: impl Fn(usize) -> bool) -> Program {
    let mut program = program.clone();
    for (place, spot) in spots.iter().enumerate().filter(|(place, _)| wanted(*place)) {
        let mark = Statement { kind: StatementKind::Mark(MarkId::new(place)), location: spot.location };
        if let Some(body) = program.functions[spot.function].body_mut() {
            spot.edges.iter().for_each(|&edge| mark_edge(body, edge, &mark));
        }
        for &(function, block, before) in &spot.statements {
            if let Some(body) = program.functions[function].body_mut() {
                body.blocks[block].statements.insert(before, mark.clone());
            }
        }
    }
    program
}

/// Puts a block with the mark on an edge.
fn mark_edge(body: &mut Body, (block, edge): (BlockId, usize), mark: &Statement) {
    let fresh = BlockId::new(body.blocks.len());
    let mut goal = None;
    let mut number = 0;
    body.blocks[block].terminator.for_each_target(|target| {
        if number == edge {
            goal = Some(std::mem::replace(target, fresh));
        }
        number += 1;
    });
    if let Some(goal) = goal {
        body.blocks.push(Block {
            statements: vec![mark.clone()],
            terminator: Terminator::Goto(goal),
            location: mark.location,
            loop_statement: None,
            body_of: None,
        });
    }
}

/// The branches of a function. Edges have the order of [`Terminator::for_each_target`].
fn branches(function: FunctionId, body: &Body) -> Vec<Spot> {
    let mut spots = Vec::new();
    for block in body.reverse_post_order() {
        let location = body.blocks[block].location;
        if chooses_order(body, block) {
            continue;
        }
        let mut add = |goal: Goal, edge: usize| {
            spots.push(Spot { function, location, goal, edges: vec![(block, edge)], statements: Vec::new() });
        };
        match &body.blocks[block].terminator {
            Terminator::Branch { condition, then, otherwise }
                if then != otherwise && !is_constant(body, *condition) =>
            {
                add(Goal::Condition { holds: true }, 0);
                add(Goal::Condition { holds: false }, 1);
            }
            Terminator::Switch { value, cases, .. } if !is_constant(body, *value) => {
                for (edge, case) in cases.iter().enumerate() {
                    add(Goal::Case { low: case.low.to_string(), high: case.high.to_string() }, edge);
                }
                add(Goal::Default, cases.len());
            }
            _ => {}
        }
    }
    spots
}

/// Whether the block ends with a choice that C leaves to the compiler: no condition of the source.
fn chooses_order(body: &Body, block: BlockId) -> bool {
    let (Terminator::Branch { condition: choice, .. } | Terminator::Switch { value: choice, .. }) =
        &body.blocks[block].terminator
    else {
        return false;
    };
    let ExprKind::Variable(chosen) = body.expressions[*choice].kind else { return false };
    body.blocks[block].statements.iter().any(|statement| match &statement.kind {
        StatementKind::Input { target, name } => *target == chosen && name == ORDER_OF_EVALUATION,
        StatementKind::Volatile { target, .. } => {
            *target == chosen && !target.is_global() && body.variables[*target].name == ORDER_OF_FAILURES
        }
        _ => false,
    })
}

fn is_constant(body: &Body, expression: ExprId) -> bool {
    matches!(body.expressions[expression].kind, ExprKind::Integer(_))
}

fn is_in(program: &Program, location: Location, file: &str) -> bool {
    let name = program.files.get(location.file).filter(|_| location.is_known());
    name.is_some_and(|name| {
        name == file || name.strip_suffix(file).is_some_and(|folder| folder.ends_with('/'))
    })
}

/// A line: the first place of it in every block.
fn line_spot(program: &Program, file: &str, line: u32) -> Option<Spot> {
    let mut statements = Vec::new();
    let mut first: Option<(Location, FunctionId)> = None;
    for (function, definition) in program.functions.iter() {
        let Some(body) = definition.body() else { continue };
        let mut last = None;
        for (block, before, location) in places(body, definition.name == "main") {
            let is_there = location.line == line && is_in(program, location, file);
            if is_there && last.replace(block) != Some(block) {
                statements.push((function, block, before));
                first = Some(first.map_or((location, function), |known| known.min((location, function))));
            }
        }
    }
    let (location, function) = first?;
    Some(Spot { function, location, goal: Goal::Line, edges: Vec::new(), statements })
}

/// Where control is known to be at a place of the source: each a block, how many statements come before, and the place.
///
/// What the lowering adds without a place of its own (the way back to a loop's head, the end of a function or of an
/// object's life) carries that of the statement before it, which control need not have come by. It looks like a `break` or
/// a `return`, and counts only if nothing in another block carries the same place.
fn places(body: &Body, is_main: bool) -> Vec<(BlockId, usize, Location)> {
    let mut all = Vec::new();
    let mut blocks: BTreeMap<Location, BTreeSet<BlockId>> = BTreeMap::new();
    for block in body.reverse_post_order() {
        let Block { statements, terminator, location, .. } = &body.blocks[block];
        let zero = |value: ExprId| matches!(body.expressions[value].kind, ExprKind::Integer(0));
        let certain = match terminator {
            Terminator::Branch { .. } | Terminator::Switch { .. } => true,
            Terminator::Return(Some(value)) => !is_main || !zero(*value),
            Terminator::Goto(_) | Terminator::Return(None) | Terminator::Unreachable => false,
        };
        let is_certain = |statement: &Statement| !matches!(statement.kind, StatementKind::End { .. });
        let inner = statements.iter().map(|statement| (is_certain(statement), statement.location));
        for (before, (certain, location)) in inner.chain([(certain, *location)]).enumerate() {
            blocks.entry(location).or_default().insert(block);
            all.push((certain, (block, before, location)));
        }
    }
    let is_alone = |location: &Location| blocks.get(location).is_some_and(|blocks| blocks.len() == 1);
    let counts = |(certain, place): (bool, (BlockId, usize, Location))| {
        (certain || is_alone(&place.2)).then_some(place)
    };
    all.into_iter().filter_map(counts).collect()
}

/// The functions that the entry refers to, and those that they refer to, and so on.
fn referred(program: &Program, entry: FunctionId) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    let mut fresh = vec![entry];
    // Whoever holds a pointer to a function may call it, and who reads which object is not examined.
    for object in program.objects.values() {
        if let Initial::Bytes { pointers, .. } = &object.initial {
            fresh.extend(pointers.iter().filter_map(|(_, pointer)| match pointer {
                Pointer::Function(function) => Some(*function),
                Pointer::Object(..) => None,
            }));
        }
    }
    while let Some(function) = fresh.pop() {
        let Some(body) = program.functions[function].body().filter(|_| found.insert(function)) else {
            continue;
        };
        for expression in body.expressions.values() {
            if let ExprKind::Function(function) = expression.kind {
                fresh.push(function);
            }
        }
        for statement in body.blocks.values().flat_map(|block| &block.statements) {
            if let StatementKind::Call { callee: program::Callee::Function(callee), .. } = statement.kind {
                fresh.push(callee);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "data_model LP64
        file 0 \"a.c\"
        function unused(%x: i32) -> i32 {
        b0:
          if %x == 0:i32 goto b1 else b2 @0:1:5
        b1:
          return 1:i32 @0:1:9
        b2:
          return 2:i32 @0:1:19
        }
        function main() -> i32 {
          variable %x: i32
        b0:
          %x := input nondet @0:3:5
          if %x == 0:i32 goto b1 else b1 @0:3:5
        b1:
          switch %x { 1: b2, 2..5: b2, default: b3 } @0:4:5
        b2:
          if %x < 3:i32 goto b3 else b4 @0:5:5
        b3:
          return 0:i32 @0:6:5
        b4:
          return 1:i32 @0:7:5
        }";

    fn program() -> Program {
        parser::parse(TEXT).expect("the test's program parses")
    }

    #[test]
    fn conditions_and_cases_of_code_that_is_referred_to_are_branches() {
        let program = program();
        let main = program.function_named("main").expect("it is there");
        let spots = spots(&program, main, &Wanted::Branches);
        let goals: Vec<String> =
            spots.iter().map(|spot| format!("{} {}", spot.location.line, spot.goal)).collect();
        assert_eq!(goals, ["4 case 1", "4 case 2 ... 5", "4 default", "5 true", "5 false"]);
        let marked = marked(&program, &spots, |_| true);
        program::verify::verify(&marked).expect("the marked program is well formed");
        let text = program::text::print(&marked);
        assert!((0..5).all(|mark| text.contains(&format!("mark {mark}"))), "{text}");
    }

    #[test]
    fn an_order_of_evaluation_is_no_branch() {
        let text = TEXT
            .replace("input nondet", "input \"order of evaluation\"")
            .replace("if %x == 0:i32 goto b1 else b1 @0:3:5", "switch %x { 1: b1, default: b2 } @0:3:5");
        let program = parser::parse(&text).expect("the test's program parses");
        let main = program.function_named("main").expect("it is there");
        let spots = spots(&program, main, &Wanted::Branches);
        assert!(spots.iter().all(|spot| spot.location.line != 3), "{spots:?}");
        assert_eq!(spots.len(), 5);
    }

    #[test]
    fn a_line_is_marked_in_every_block() {
        let program = program();
        let main = program.function_named("main").expect("it is there");
        let line = |line| spots(&program, main, &Wanted::Line { file: String::from("a.c"), line });
        assert_eq!(line(2), []);
        assert_eq!(line(1)[0].statements.len(), 3);
        assert_eq!(line(6)[0].statements.len(), 1);
        assert_eq!(lines(&program, "a.c"), BTreeSet::from([1, 3, 4, 5, 6, 7]));
    }

    #[test]
    fn what_carries_the_place_of_another_statement_does_not_count() {
        let text = "data_model LP64
            file 0 \"a.c\"
            external g()
            function f(%x: i32) {
            b0:
              if %x == 0:i32 goto b1 else b2 @0:1:5
            b1:
              call g() @0:2:5
              goto b2 @0:2:5
            b2:
              return @0:2:5
            }
            function main() -> i32 {
              variable %x: i32
            b0:
              %x := input nondet @0:3:5
              if %x == 0:i32 goto b1 else b2 @0:3:5
            b1:
              return 7:i32 @0:4:5
            b2:
              return 0:i32 @0:4:5
            }";
        let program = parser::parse(text).expect("the test's program parses");
        let main = program.function_named("main").expect("it is there");
        let line = |line| spots(&program, main, &Wanted::Line { file: String::from("a.c"), line });
        let places = |line_number| -> Vec<(usize, usize)> {
            line(line_number)[0]
                .statements
                .iter()
                .map(|(_, block, before)| (block.index(), *before))
                .collect()
        };
        assert_eq!(places(2), [(1, 0)]);
        assert_eq!(places(4), [(1, 0)]);
        assert!(lines(&program, "b.c").is_empty());
    }
}
