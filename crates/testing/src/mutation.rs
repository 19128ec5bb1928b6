//! Broken C: small random changes to a text, as typing errors and damaged files make them.

use crate::random::Random;

/// Pieces of C that are put in where they do not belong.
const FRAGMENTS: [&str; 40] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "*",
    "&",
    "->",
    "...",
    "#",
    "\"",
    "'",
    "\\\n",
    "/*",
    "//",
    "0x",
    "1e999",
    "__int128",
    "struct",
    "union",
    "enum",
    "static",
    "extern",
    "inline",
    "switch",
    "case 1:",
    "goto x;",
    "sizeof",
    "_Generic",
    "typedef",
    "__attribute__((",
    "asm(",
    "#define x x\n",
    "#include <stdio.h>\n",
    "#if 0\n",
    "\u{0}",
    "?:",
];

/// The text with a few random changes: bytes changed, removed, doubled and swapped, and fragments put in.
pub fn mutate(text: &[u8], seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut bytes = text.to_vec();
    for _ in 0..1 + random.below(4) {
        if bytes.is_empty() {
            break;
        }
        let (at, other) = (random.below(bytes.len()), random.below(bytes.len()));
        let (start, end) = (at.min(other), at.max(other).min(at.min(other) + 40));
        match random.below(8) {
            0 => bytes[at] = random.next() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(start..end)),
            3 => {
                let piece = bytes[start..end].to_vec();
                bytes.splice(start..start, piece);
            }
            4 => bytes.truncate(at),
            5 => swap_words(&mut bytes, at, other),
            _ => {
                let fragment = random.pick(&FRAGMENTS).as_bytes();
                let repeat = if random.chance(5) { 300 } else { 1 };
                bytes.splice(at..at, fragment.repeat(repeat));
            }
        }
    }
    bytes
}

/// Swaps the word at one place with the word at another.
fn swap_words(bytes: &mut Vec<u8>, first: usize, second: usize) {
    let (one, two) = (word_at(bytes, first.min(second)), word_at(bytes, first.max(second)));
    if one.end <= two.start {
        let (left, right) = (bytes[one.clone()].to_vec(), bytes[two.clone()].to_vec());
        bytes.splice(two, left);
        bytes.splice(one, right);
    }
}

fn word_at(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let start = bytes[..at].iter().rposition(|byte| !is_word(byte)).map_or(0, |position| position + 1);
    let end = bytes[at..].iter().position(|byte| !is_word(byte)).map_or(bytes.len(), |length| at + length);
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_repeat_and_cover_any_text() {
        let text = b"int main(void) { return 0; }\n";
        assert_eq!(mutate(text, 3), mutate(text, 3));
        assert!((0..50).any(|seed| mutate(text, seed) != text));
        (0..500).for_each(|seed| drop(mutate(b"x", seed)));
        assert!(mutate(b"", 1).is_empty());
    }
}
