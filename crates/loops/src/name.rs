//! Stable names for loops: `file.c:12 for`, the same as long as nobody moves the loop.
//!
//! The name comes from the loop statement of the source whose head the loop's head is. The head of a loop that jumps
//! have made (or made irreducible) may be another block; then the nearest block that starts an iteration of a loop
//! statement gives the name, and if there is none the loop is a `goto` loop at the first known place of its head.
//! Loops that would have one name, because a macro or a single line holds several, are told apart by a number.

use std::collections::{HashMap, VecDeque};
use std::fmt;

use base::{Index, Location};
use program::{Block, BlockId, Body, FunctionId, LoopKind, LoopStatement, Program};

use crate::forest::{LoopForest, LoopId};

/// What people call a loop. Its text is unique in the program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LoopName {
    /// The source file, as `#line` names it.
    pub file: String,
    /// Where the loop statement stands.
    pub location: Location,
    /// Its keyword, or a jump.
    pub kind: LoopKind,
    /// The function that the loop is in.
    pub function: String,
    /// How many loops it is in, itself included.
    pub depth: u32,
    /// Its number among the loops of this place and kind, from one.
    pub number: u32,
}

impl fmt::Display for LoopName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.location.is_known() {
            write!(f, "{}:{} {}", self.file, self.location.line, self.kind)?;
        } else {
            // Without a place the function is the next best.
            write!(f, "{} {}", self.function, self.kind)?;
        }
        if self.number > 1 { write!(f, " #{}", self.number) } else { Ok(()) }
    }
}

/// The names of the loops of a program, given one function after another.
#[derive(Clone, Debug, Default)]
pub struct LoopNames {
    used: HashMap<String, u32>,
}

impl LoopNames {
    /// No names yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The names of the loops of a function, by the loops' numbers. Naming functions in another order may number
    /// loops of the same place otherwise, and nothing else.
    pub fn of_function(
        &mut self,
        program: &Program,
        function: FunctionId,
        forest: &LoopForest,
    ) -> Vec<LoopName> {
        let description = &program.functions[function];
        let Some(body) = description.body() else { return Vec::new() };
        let mut names: Vec<LoopName> = forest
            .iter()
            .map(|(id, item)| {
                let LoopStatement { kind, location } = statement_of(body, forest, id);
                let file = if location.is_known() { program.files.get(location.file).cloned() } else { None };
                let file = file.unwrap_or_else(|| String::from("<unknown>"));
                LoopName {
                    file,
                    location,
                    kind,
                    function: description.name.clone(),
                    depth: item.depth,
                    number: 1,
                }
            })
            .collect();
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|&index| (names[index].location, index));
        for index in order {
            let count = self.used.entry(names[index].to_string()).or_default();
            *count += 1;
            names[index].number = *count;
        }
        names
    }
}

/// The loop statement of the source that a loop comes from.
pub fn statement_of(body: &Body, forest: &LoopForest, id: LoopId) -> LoopStatement {
    let head = forest[id].head;
    let of_block = |block: BlockId| body.blocks[block].loop_statement;
    let at_entries = || forest[id].entries.iter().find_map(|&entry| of_block(entry));
    of_block(head).or_else(at_entries).or_else(|| nearest(body, forest, id)).unwrap_or_else(|| {
        LoopStatement { kind: LoopKind::Goto, location: first_location(&body.blocks[head]) }
    })
}

/// The loop statement that is closest behind the head, among the blocks that are in no inner loop. A `do … while (0)`
/// is no loop: its block has one predecessor and is passed over.
fn nearest(body: &Body, forest: &LoopForest, id: LoopId) -> Option<LoopStatement> {
    let graph = forest.graph();
    let mut seen = vec![false; graph.block_count()];
    let mut queue = VecDeque::from([forest[id].head]);
    while let Some(block) = queue.pop_front() {
        if let Some(statement) = body.blocks[block].loop_statement
            && (statement.kind != LoopKind::Do || graph.predecessors(block).len() > 1)
        {
            return Some(statement);
        }
        for &next in graph.successors(block) {
            if forest.innermost(next) == Some(id) && !std::mem::replace(&mut seen[next.index()], true) {
                queue.push_back(next);
            }
        }
    }
    None
}

/// The first known place in a block.
fn first_location(block: &Block) -> Location {
    let mut locations = block.statements.iter().map(|statement| statement.location);
    locations.find(|location| location.is_known()).unwrap_or(block.location)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphs::parse;

    fn names(text: &str) -> Vec<String> {
        let program = parse(text);
        let mut names = LoopNames::new();
        let mut all = Vec::new();
        for (id, function) in program.functions.iter() {
            if let Some(body) = function.body() {
                let forest = LoopForest::of(body);
                all.extend(names.of_function(&program, id, &forest).iter().map(LoopName::to_string));
            }
        }
        all
    }

    #[test]
    fn loops_of_one_line_are_numbered_by_column() {
        let text = r#"
            data_model LP64
            file 0 "a.c"
            function f(%c: i32) {
            b0:
              goto b1
            b1: loop for @0:12:3
              if %c == 0:i32 goto b2 else b4
            b2: loop for @0:12:30
              if %c == 1:i32 goto b2 else b3
            b3: loop while @0:12:50
              if %c == 2:i32 goto b3 else b1
            b4:
              return
            }
            function g(%c: i32) {
            b0:
              goto b1
            b1: loop for @0:12:9
              if %c == 0:i32 goto b1 else b2
            b2:
              return
            }
        "#;
        assert_eq!(names(text), ["a.c:12 for", "a.c:12 for #2", "a.c:12 while", "a.c:12 for #3"]);
    }

    #[test]
    fn jumps_make_loops_without_a_statement() {
        let text = r#"
            data_model LP64
            file 0 "a.c"
            function f(%c: i32) {
              variable %x: i32
            b0:
              goto b1
            b1:
              %x := 1:i32 @0:5:1
              goto b2
            b2: loop do @0:6:1
              if %c == 0:i32 goto b1 else b3
            b3:
              return
            }
        "#;
        assert_eq!(names(text), ["a.c:5 goto"]);
    }

    #[test]
    fn a_loop_that_is_entered_in_the_middle_keeps_its_name() {
        let text = r#"
            data_model LP64
            file 0 "a.c"
            function f(%c: i32) {
            b0:
              if %c == 0:i32 goto b1 else b2
            b1: loop while @0:5:1
              if %c == 1:i32 goto b2 else b3
            b2:
              goto b1
            b3:
              return
            }
        "#;
        assert_eq!(names(text), ["a.c:5 while"]);
    }
}
