//! The control-flow graph and the loop forest of a function, as graphs to be drawn and as text.

use std::collections::BTreeSet;
use std::fmt::Write;

use base::Index;
use evidence::Place;
use loops::{LoopForest, LoopName, LoopNames};
use program::text::Printer;
use program::{BlockId, Body, FunctionId, Program, Terminator};
use report::graph::{Edge, Graph, Node, Paint};

/// A box shows at most so many statements, each at most so long.
const MOST_LINES: usize = 24;
const LONGEST_LINE: usize = 72;

/// The control-flow graph of a function, with its loops in colour. Nothing if the function has no body.
pub fn control_flow(program: &Program, function: FunctionId) -> Option<Graph> {
    let function = program.functions.get(function)?;
    let body = function.body()?;
    let forest = LoopForest::of(body);
    let order = forest.graph().reverse_post_order();
    let mut positions = vec![0; body.blocks.len()];
    for (at, &block) in order.iter().enumerate() {
        positions[block.index()] = at;
    }
    let back: BTreeSet<(BlockId, BlockId)> =
        forest.iter().flat_map(|(_, item)| item.back_edges.iter().map(|edge| (edge.from, edge.to))).collect();
    let printer = Printer::new(program, body);
    let mut graph = Graph { title: function.name.clone(), ..Graph::default() };
    for &block in order {
        graph.nodes.push(Node {
            name: block.to_string(),
            lines: lines(program, body, block, &printer),
            paint: paint(&forest, block),
        });
        for (to, label) in targets(body, block) {
            let is_back = back.contains(&(block, to));
            graph.edges.push(Edge {
                from: positions[block.index()],
                to: positions[to.index()],
                label,
                back: is_back,
            });
        }
    }
    Some(graph)
}

/// The loop forest of a function as a graph: an arrow leads from a loop to the loops directly inside it.
pub fn loop_forest(program: &Program, function: FunctionId) -> Option<Graph> {
    let (forest, names) = loops_of(program, function)?;
    let name = &program.functions[function].name;
    let mut graph = Graph { title: format!("loops of {name}"), ..Graph::default() };
    let root = Node { name: name.clone(), lines: vec![name.clone()], paint: Paint::Plain };
    graph.nodes.push(root);
    for (id, item) in forest.iter() {
        let lines = vec![
            names[id.index()].to_string(),
            format!("head {}, {} blocks", item.head, forest.blocks(id).len()),
            format!("{} exits", forest.exit_edges(id).len()),
        ];
        graph.nodes.push(Node {
            name: id.to_string(),
            lines,
            paint: Paint::Inside(item.depth.min(255) as u8),
        });
        let from = item.parent.map_or(0, |parent| parent.index() + 1);
        graph.edges.push(Edge { from, to: id.index() + 1, ..Edge::default() });
    }
    Some(graph)
}

/// The loop forest of a function as indented text.
pub fn loop_forest_text(program: &Program, function: FunctionId) -> Option<String> {
    let (forest, names) = loops_of(program, function)?;
    let mut text = format!("{}\n", program.functions[function].name);
    for (id, item) in forest.iter() {
        let indent = "  ".repeat(item.depth.min(40) as usize);
        let blocks: Vec<String> = forest.blocks(id).iter().map(BlockId::to_string).collect();
        let edges = |edges: &[loops::Edge]| {
            let edges: Vec<String> =
                edges.iter().map(|edge| format!("{} -> {}", edge.from, edge.to)).collect();
            if edges.is_empty() { String::from("none") } else { edges.join(", ") }
        };
        let kind = if item.reducible { "" } else { " (irreducible)" };
        let _ = writeln!(text, "{indent}{}{kind}", names[id.index()]);
        let _ = writeln!(text, "{indent}  head {}, blocks {}", item.head, blocks.join(" "));
        let _ = writeln!(text, "{indent}  back {}", edges(&item.back_edges));
        let _ = writeln!(text, "{indent}  exits {}", edges(&forest.exit_edges(id)));
    }
    Some(text)
}

fn loops_of(program: &Program, function: FunctionId) -> Option<(LoopForest, Vec<LoopName>)> {
    let forest = LoopForest::of(program.functions.get(function)?.body()?);
    let names = LoopNames::new().of_function(program, function, &forest);
    Some((forest, names))
}

/// The text of a box: the block's name and place, its statements and its end.
fn lines(program: &Program, body: &Body, block: BlockId, printer: &Printer<'_>) -> Vec<String> {
    let content = &body.blocks[block];
    let first = content.statements.first().map_or(content.location, |statement| statement.location);
    let place = Place::of(program, first).map(|place| format!("  line {}", place.line)).unwrap_or_default();
    let mut lines = vec![format!("{block}{place}")];
    for statement in content.statements.iter().take(MOST_LINES) {
        lines.push(cut(printer.statement(statement)));
    }
    if let Some(hidden @ 1..) = content.statements.len().checked_sub(MOST_LINES) {
        lines.push(format!("… {hidden} more statements"));
    }
    // Where a jump leads is an arrow.
    match &content.terminator {
        Terminator::Goto(_) => {}
        Terminator::Branch { condition, .. } => {
            lines.push(cut(format!("if {}", printer.expression(*condition))))
        }
        Terminator::Switch { value, .. } => lines.push(cut(format!("switch {}", printer.expression(*value)))),
        end @ (Terminator::Return(_) | Terminator::Unreachable) => lines.push(cut(printer.terminator(end))),
    }
    lines
}

fn cut(mut line: String) -> String {
    if let Some((at, _)) = line.char_indices().nth(LONGEST_LINE) {
        line.truncate(at);
        line.push('…');
    }
    line
}

fn paint(forest: &LoopForest, block: BlockId) -> Paint {
    match forest.innermost(block) {
        None => Paint::Plain,
        Some(id) if forest[id].head == block => Paint::Head,
        Some(id) => Paint::Inside(forest[id].depth.min(255) as u8),
    }
}

/// Where control can go from a block, each target once, with the words for the arrow.
fn targets(body: &Body, block: BlockId) -> Vec<(BlockId, String)> {
    match &body.blocks[block].terminator {
        Terminator::Goto(target) => vec![(*target, String::new())],
        Terminator::Branch { then, otherwise, .. } => {
            vec![(*then, String::from("yes")), (*otherwise, String::from("no"))]
        }
        Terminator::Switch { cases, default, .. } => {
            let mut targets: Vec<(BlockId, String)> = Vec::new();
            for case in cases {
                let label = if case.low == case.high {
                    case.low.to_string()
                } else {
                    format!("{}..{}", case.low, case.high)
                };
                match targets.iter_mut().find(|(target, _)| *target == case.target) {
                    Some((_, labels)) if labels.len() < LONGEST_LINE / 2 => {
                        *labels = format!("{labels}, {label}")
                    }
                    Some((_, labels)) if !labels.ends_with('…') => labels.push('…'),
                    Some(_) => {}
                    None => targets.push((case.target, label)),
                }
            }
            targets.push((*default, String::from("default")));
            targets
        }
        Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = r#"
        data_model LP64
        file 0 "a.c"
        function f(%n: i32) -> i32 @0:1:5 {
          variable %i: i32
        b0:
          %i := 0:i32 @0:2:3
          goto b1
        b1: loop while @0:3:3
          if %i < %n goto b2 else b3
        b2:
          %i := %i + 1:i32 @0:4:5
          goto b1
        b3:
          return %i
        }
    "#;

    #[test]
    fn a_loop_is_drawn() {
        let program = parser::parse(PROGRAM).unwrap();
        let function = program.function_named("f").unwrap();
        let graph = control_flow(&program, function).unwrap();
        assert_eq!(graph.nodes.len(), 4);
        assert_eq!(graph.nodes.iter().filter(|node| node.paint == Paint::Head).count(), 1);
        assert_eq!(graph.edges.iter().filter(|edge| edge.back).count(), 1);
        assert!(graph.edges.iter().any(|edge| edge.label == "yes"));
        assert!(graph.nodes[0].lines.iter().any(|line| line.contains("%i := 0")), "{:?}", graph.nodes[0]);
        let forest = loop_forest(&program, function).unwrap();
        assert_eq!(forest.nodes[1].lines[0], "a.c:3 while");
        assert_eq!((forest.edges[0].from, forest.edges[0].to), (0, 1));
        let text = loop_forest_text(&program, function).unwrap();
        assert!(text.starts_with("f\n  a.c:3 while\n    head b1, blocks b1 b2\n"), "{text}");
    }
}
