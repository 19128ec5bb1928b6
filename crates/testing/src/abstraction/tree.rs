//! A C program as a tree of statements, so that parts can be left out.

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// A line.
    Line(String),
    /// Blocks with a line before each, and one at the end: `if (c) {` … `} else {` … `}`.
    Group {
        /// The lines before the blocks, and the blocks.
        parts: Vec<(String, Vec<Node>)>,
        /// The line at the end.
        tail: String,
    },
}

impl Node {
    /// A block with a line before and after it.
    pub fn block(head: impl Into<String>, body: Vec<Node>, tail: impl Into<String>) -> Self {
        Node::Group { parts: vec![(head.into(), body)], tail: tail.into() }
    }
}

/// The text of a program.
pub fn text(nodes: &[Node]) -> String {
    let mut text = String::new();
    print(nodes, 0, &mut text);
    text
}

fn print(nodes: &[Node], indent: usize, text: &mut String) {
    let line = |text: &mut String, line: &str| {
        text.push_str(&"    ".repeat(indent));
        text.push_str(line);
        text.push('\n');
    };
    for node in nodes {
        match node {
            Node::Line(words) => line(text, words),
            Node::Group { parts, tail } => {
                for (head, body) in parts {
                    line(text, head);
                    print(body, indent + 1, text);
                }
                line(text, tail);
            }
        }
    }
}

/// The smallest program that still fails: parts are left out as long as that is so, at most so many times tried.
pub fn shrink(program: &[Node], mut tries: usize, fails: &mut dyn FnMut(&[Node]) -> bool) -> Vec<Node> {
    let mut program = program.to_vec();
    loop {
        let mut smaller = None;
        for change in 0.. {
            let mut number = change;
            let Some(candidate) = changed(&program, &mut number) else { break };
            if tries == 0 {
                return program;
            }
            tries -= 1;
            if fails(&candidate) {
                smaller = Some(candidate);
                break;
            }
        }
        match smaller {
            Some(candidate) => program = candidate,
            None => return program,
        }
    }
}

/// The program after the change with a number: changes of large parts come first. The number is counted down.
fn changed(nodes: &[Node], number: &mut usize) -> Option<Vec<Node>> {
    for (place, node) in nodes.iter().enumerate() {
        let replaced = |with: &[Node]| [&nodes[..place], with, &nodes[place + 1..]].concat();
        if take(number) {
            return Some(replaced(&[]));
        }
        let Node::Group { parts, tail } = node else { continue };
        for (part, (_, body)) in parts.iter().enumerate() {
            if take(number) {
                return Some(replaced(body));
            }
            if parts.len() > 1 && part > 0 && take(number) {
                let mut fewer = parts.clone();
                fewer.remove(part);
                return Some(replaced(&[Node::Group { parts: fewer, tail: tail.clone() }]));
            }
        }
    }
    for (place, node) in nodes.iter().enumerate() {
        let Node::Group { parts, tail } = node else { continue };
        for (part, (head, body)) in parts.iter().enumerate() {
            if let Some(body) = changed(body, number) {
                let mut other = parts.clone();
                other[part] = (head.clone(), body);
                let mut nodes = nodes.to_vec();
                nodes[place] = Node::Group { parts: other, tail: tail.clone() };
                return Some(nodes);
            }
        }
    }
    None
}

fn take(number: &mut usize) -> bool {
    let now = *number == 0;
    *number = number.wrapping_sub(1);
    now
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_needed_goes() {
        let line = |text: &str| Node::Line(text.to_owned());
        let inner = Node::block("while (b) {", vec![line("x;"), line("bad;"), line("y;")], "}");
        let program = [line("a;"), Node::block("for (;;) {", vec![inner, line("z;")], "}")];
        let small = shrink(&program, 1000, &mut |program| text(program).contains("bad"));
        assert_eq!(text(&small), "bad;\n");
        let small = shrink(&program, 1000, &mut |program| {
            let text = text(program);
            text.contains("bad") && text.contains("while")
        });
        assert_eq!(text(&small), "while (b) {\n    bad;\n}\n");
    }
}
