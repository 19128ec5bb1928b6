//! Graphs to be drawn: boxes with lines of text, and arrows. Here they become DOT; `layout` and `svg` draw them.

use std::fmt::Write;

/// A graph to be drawn from top to bottom.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Graph {
    /// Its title.
    pub title: String,
    /// Its boxes. The first ones are drawn highest.
    pub nodes: Vec<Node>,
    /// Its arrows.
    pub edges: Vec<Edge>,
}

/// A box.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Node {
    /// A short name, unique in the graph.
    pub name: String,
    /// The lines of text in it.
    pub lines: Vec<String>,
    /// How it is painted.
    pub paint: Paint,
}

/// An arrow between two boxes, given by their positions in the graph's list.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Edge {
    /// Where it starts.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// A word beside it; may be empty.
    pub label: String,
    /// Whether it leads back to the head of a loop.
    pub back: bool,
}

/// How a box is painted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Paint {
    /// Nothing special.
    #[default]
    Plain,
    /// The head of a loop.
    Head,
    /// Inside a loop; deeper is darker.
    Inside(u8),
}

impl Paint {
    /// The colour of the box's background.
    pub const fn colour(self) -> &'static str {
        match self {
            Paint::Plain => "#ffffff",
            Paint::Head => "#ffd98a",
            Paint::Inside(0 | 1) => "#eef4fb",
            Paint::Inside(2) => "#d9e8f6",
            Paint::Inside(_) => "#c2d9ee",
        }
    }
}

impl Graph {
    /// The graph in Graphviz's language.
    pub fn to_dot(&self) -> String {
        let mut dot = format!("digraph {} {{\n", quoted(&self.title));
        dot.push_str("  node [shape=box, style=filled, fontname=monospace, fontsize=10];\n");
        dot.push_str("  edge [fontname=monospace, fontsize=9];\n");
        for node in &self.nodes {
            // Graphviz sets lines that end in \l flush left.
            let label: String = node.lines.iter().map(|line| escaped(line) + "\\l").collect();
            let (name, colour) = (quoted(&node.name), node.paint.colour());
            let _ = writeln!(dot, "  {name} [label=\"{label}\", fillcolor=\"{colour}\"];");
        }
        for edge in &self.edges {
            let (Some(from), Some(to)) = (self.nodes.get(edge.from), self.nodes.get(edge.to)) else {
                continue;
            };
            let mut attributes = Vec::new();
            if !edge.label.is_empty() {
                attributes.push(format!("label={}", quoted(&edge.label)));
            }
            if edge.back {
                attributes.push(String::from("color=\"#c0392b\", constraint=false"));
            }
            let attributes =
                if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
            let _ = writeln!(dot, "  {} -> {}{attributes};", quoted(&from.name), quoted(&to.name));
        }
        dot.push_str("}\n");
        dot
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_do_not_break_the_language() {
        let node = |name: &str, line: &str| Node {
            name: name.to_owned(),
            lines: vec![line.to_owned()],
            paint: Paint::Plain,
        };
        let graph = Graph {
            title: String::from("main"),
            nodes: vec![node("b0", "s := \"a\\n\""), node("b1", "return")],
            edges: vec![Edge { from: 0, to: 1, label: String::from("yes"), back: false }],
        };
        let dot = graph.to_dot();
        assert!(dot.contains(r#""b0" [label="s := \"a\\n\"\l""#), "{dot}");
        assert!(dot.contains(r#""b0" -> "b1" [label="yes"];"#), "{dot}");
    }
}
