//! A guess at how much the macros of a file expand to, before they are expanded.
//!
//! The front end bounds what one invocation of a macro may make, but not all of them together. Here the definitions
//! of the file itself are read without regard to conditions, and the size of the result is bounded from above: a
//! macro is as large as the macros in its body together, and what stands in its arguments counts as often as it can
//! be copied. Macros of headers count as nothing, so a bomb in a header goes unnoticed.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How many tokens may come out of a file.
const MOST_TOKENS: u64 = 50_000_000;

/// Chains of macros that are longer than this are taken for infinite.
const LONGEST_CHAIN: u32 = 300;

/// Whether the macros that a text defines could make too much of it.
pub(crate) fn is_too_large(text: &[u8]) -> bool {
    let mut macros = Macros::default();
    let mut used = Vec::new();
    let mut definition: Option<Definition> = None;
    let mut continues = false;
    for line in text.split(|&byte| byte == b'\n') {
        if !continues {
            macros.add(definition.take());
            definition = defined(line).map(Definition::read);
        } else if let Some(definition) = &mut definition {
            definition.body.extend(pieces(line).filter_map(Piece::word));
        }
        if definition.is_none() {
            used.extend(pieces(line));
        }
        continues = line.ends_with(b"\\");
    }
    macros.add(definition);
    !macros.definitions.is_empty() && macros.total(&used) > MOST_TOKENS
}

/// The rest of a line that defines a macro.
fn defined(line: &[u8]) -> Option<&[u8]> {
    let directive = line.trim_ascii_start().strip_prefix(b"#")?;
    directive.trim_ascii_start().strip_prefix(b"define")
}

/// What matters of a text: its words and its parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    Word(&'a [u8]),
    Open,
    Close,
}

impl<'a> Piece<'a> {
    fn word(self) -> Option<&'a [u8]> {
        match self {
            Piece::Word(word) => Some(word),
            _ => None,
        }
    }
}

fn pieces(text: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.chunk_by(move |&left, &right| is_part(left) && is_part(right)).filter_map(move |chunk| match chunk {
        b"(" => Some(Piece::Open),
        b")" => Some(Piece::Close),
        [first, ..] if is_part(*first) && !first.is_ascii_digit() => Some(Piece::Word(chunk)),
        _ => None,
    })
}

/// One definition of a macro, by its words.
#[derive(Default)]
struct Definition<'a> {
    name: &'a [u8],
    parameters: HashSet<&'a [u8]>,
    body: Vec<&'a [u8]>,
}

impl<'a> Definition<'a> {
    /// Reads what follows `#define`.
    fn read(text: &'a [u8]) -> Self {
        let text = text.trim_ascii_start();
        let Some(Piece::Word(name)) = pieces(text).next() else { return Self::default() };
        let rest = text.get(name.len()..).unwrap_or_default();
        // A list of parameters touches the name.
        let close = rest.iter().position(|&byte| byte == b')').filter(|_| rest.starts_with(b"("));
        let (parameters, body) = rest.split_at(close.unwrap_or(0));
        let words = |text| pieces(text).filter_map(Piece::word);
        Self { name, parameters: words(parameters).collect(), body: words(body).collect() }
    }
}

/// The macros that a text defines, each perhaps more than once, and what is known about each so far.
#[derive(Default)]
struct Macros<'a> {
    definitions: HashMap<&'a [u8], Vec<Rc<Definition<'a>>>>,
    measures: HashMap<&'a [u8], Measure>,
}

/// How large a macro is, and how often it may copy an argument.
#[derive(Clone, Copy)]
struct Measure {
    size: u64,
    copies: u64,
}

impl<'a> Macros<'a> {
    /// How many words the pieces become.
    fn total(&mut self, used: &[Piece<'a>]) -> u64 {
        let mut total = 0u64;
        let mut weight = 1u64;
        let mut outside = Vec::new();
        for (at, piece) in used.iter().enumerate() {
            match piece {
                Piece::Word(name) => {
                    let size = self.measure(name, 0).size;
                    total = total.saturating_add(size.saturating_mul(weight));
                }
                Piece::Open => {
                    outside.push(weight);
                    let name = at.checked_sub(1).and_then(|before| used[before].word());
                    let copies = name.map_or(1, |name| self.measure(name, 0).copies);
                    weight = weight.saturating_mul(copies.max(1));
                }
                Piece::Close => weight = outside.pop().unwrap_or(1),
            }
        }
        total
    }

    fn add(&mut self, definition: Option<Definition<'a>>) {
        if let Some(definition) = definition {
            self.definitions.entry(definition.name).or_default().push(Rc::new(definition));
        }
    }

    /// The larger of what the definitions of a name make.
    fn measure(&mut self, name: &'a [u8], depth: u32) -> Measure {
        if let Some(&known) = self.measures.get(name) {
            return known;
        }
        let Some(definitions) = self.definitions.get(name).cloned() else {
            return Measure { size: 1, copies: 1 };
        };
        if depth > LONGEST_CHAIN {
            return Measure { size: u64::MAX, copies: u64::MAX };
        }
        // A macro is not expanded within itself.
        self.measures.insert(name, Measure { size: 1, copies: 1 });
        let mut largest = Measure { size: 1, copies: 1 };
        for definition in definitions {
            let measure = self.measure_definition(&definition, depth);
            largest.size = largest.size.max(measure.size);
            largest.copies = largest.copies.max(measure.copies);
        }
        self.measures.insert(name, largest);
        largest
    }

    fn measure_definition(&mut self, definition: &Definition<'a>, depth: u32) -> Measure {
        let mut copied: HashMap<&[u8], u64> = HashMap::new();
        let (mut size, mut deeper) = (1u64, 1u64);
        for word in &definition.body {
            if definition.parameters.contains(word) {
                *copied.entry(word).or_default() += 1;
            } else {
                let inner = self.measure(word, depth + 1);
                size = size.saturating_add(inner.size);
                deeper = deeper.max(inner.copies);
            }
        }
        let most = copied.into_values().max().unwrap_or(1);
        Measure { size, copies: most.saturating_mul(deeper) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(levels: usize, line: impl Fn(usize) -> String) -> String {
        (1..levels).map(line).collect()
    }

    #[test]
    fn macros_that_double_are_too_large() {
        let doubling = |levels: usize| {
            let lines = chain(levels, |level| format!("#define A{level} A{} A{}\n", level - 1, level - 1));
            format!("#define A0 x x\n{lines}int A{};\n", levels - 1)
        };
        assert!(!is_too_large(doubling(10).as_bytes()));
        assert!(is_too_large(doubling(60).as_bytes()));
        assert!(is_too_large(doubling(1000).as_bytes()));
    }

    #[test]
    fn arguments_that_double_are_too_large() {
        let nested = |levels: usize| {
            format!("#define F(x) x x\nint f = {}y{};\n", "F(".repeat(levels), ")".repeat(levels))
        };
        assert!(!is_too_large(nested(10).as_bytes()));
        assert!(is_too_large(nested(40).as_bytes()));
        let lines = chain(60, |level| format!("#define F{level}(x) F{}(x) F{}(x)\n", level - 1, level - 1));
        assert!(is_too_large(format!("#define F0(x) x x\n{lines}F59(y)\n").as_bytes()));
    }

    #[test]
    fn ordinary_macros_are_not_too_large() {
        assert!(!is_too_large(b"#define A B\n#define B A\n#define C C \\\n C\nA B C\n"));
        let maximum =
            "#define MAX(a, b) ((a) > (b) ? (a) : (b))\nint m = MAX(MAX(x, y), MAX(MAX(u, v), w));\n";
        assert!(!is_too_large(maximum.repeat(1000).as_bytes()));
        assert!(!is_too_large(b"#define\n#define (\n# define F(\n#define G()\nF(G(\n"));
    }
}
