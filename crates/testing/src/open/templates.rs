//! Blocks of text with placeholders: `//// name` begins one, `key: text` is a line of it, and a line that begins with spaces
//! goes on with the line before.

/// A block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its name.
    pub name: &'static str,
    lines: Vec<(&'static str, String)>,
}

impl Block {
    /// The lines with a key, in order.
    pub fn all<'b>(&'b self, key: &'b str) -> impl Iterator<Item = &'b str> {
        self.lines.iter().filter(move |(other, _)| *other == key).map(|(_, text)| text.as_str())
    }

    /// Whether there is a line with a key.
    pub fn has(&self, key: &str) -> bool {
        self.all(key).next().is_some()
    }
}

/// The blocks of a text. What stands before the first one is for readers.
pub fn blocks(text: &'static str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("//// ") {
            found.push(Block { name, lines: Vec::new() });
        } else if let Some(block) = found.last_mut() {
            match (line.strip_prefix("  "), block.lines.last_mut(), line.split_once(':')) {
                (Some(more), Some((_, last)), _) => *last = format!("{last} {more}"),
                (None, _, Some((key, text))) => block.lines.push((key, text.trim().to_owned())),
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_lines_with_keys() {
        let found =
            blocks("a: no block\n//// one\npart: int x;\n  int y;\nplace:\n\n//// two\nuse: f(a ? b : c);\n");
        assert_eq!(found.iter().map(|block| block.name).collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(found[0].all("part").collect::<Vec<_>>(), ["int x; int y;"]);
        assert!(found[0].has("place") && !found[1].has("place"));
        assert_eq!(found[1].all("use").collect::<Vec<_>>(), ["f(a ? b : c);"]);
    }
}
