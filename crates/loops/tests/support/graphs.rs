//! What the tests of this crate share: graphs from edges, random graphs, and programs from texts.

use base::Index;
use program::{BlockId, Body, BodyBuilder, Case, Program, Terminator, Type};

use crate::graph::Graph;

/// A body with these edges and nothing else. The blocks are numbered as given; the first is the entry.
pub fn body_from_edges(count: usize, edges: &[(usize, usize)]) -> Body {
    let mut builder = BodyBuilder::new();
    (1..count).for_each(|_| {
        builder.new_block();
    });
    let mut successors = vec![Vec::new(); count];
    edges.iter().for_each(|&(from, to)| successors[from].push(BlockId::new(to)));
    let condition = builder.body.boolean(true);
    let value = builder.body.integer(Type::signed(32), 0);
    for (from, targets) in successors.into_iter().enumerate() {
        let terminator = match targets[..] {
            [] => Terminator::Return(None),
            [target] => Terminator::Goto(target),
            [then, otherwise] => Terminator::Branch { condition, then, otherwise },
            [ref rest @ .., default] => {
                let case = |(number, &target)| Case { low: number as i128, high: number as i128, target };
                Terminator::Switch { value, cases: rest.iter().enumerate().map(case).collect(), default }
            }
        };
        builder.body.blocks[BlockId::new(from)].terminator = terminator;
    }
    builder.body
}

/// A graph with these edges.
pub fn graph_from_edges(count: usize, edges: &[(usize, usize)]) -> Graph {
    Graph::of(&body_from_edges(count, edges))
}

/// A small random graph, of which no edge leads to the entry.
pub fn random_edges(seed: u64) -> (usize, Vec<(usize, usize)>) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % bound
    };
    let count = 2 + next(9);
    let edges = (0..next(count * 2 + 2)).map(|_| (next(count), 1 + next(count - 1))).collect();
    (count, edges)
}

/// The program of a text, and the body of its function `f`.
pub fn parse(text: &str) -> Program {
    let program = parser::parse(text).unwrap();
    assert_eq!(program::verify::verify(&program), Ok(()));
    program
}

/// The body of a function.
pub fn body<'a>(program: &'a Program, name: &str) -> &'a Body {
    let function = program.function_named(name).unwrap();
    program.functions[function].body().unwrap()
}
