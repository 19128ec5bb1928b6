//! The known gaps of the C front end, and what is done about each. Nothing else in the crate works around it.

mod intrinsics;
mod nesting;

pub(crate) use intrinsics::opening;

use std::borrow::Cow;
use std::path::Path;

use rucc_base::{Interner, Symbol};
use rucc_diag::SourceMap;
use rucc_lex::{PpToken, PpTokenKind, Punct};

/// How many tokens a type definition of a floating type has at most: `typedef`, a type of some words, a name, `;`.
const LONGEST_TYPEDEF: usize = 10;

/// How far a declaration is searched for its register.
const LONGEST_DECLARATION: usize = 32;

/// The front end's code for a header that is not found.
const MISSING_HEADER: &str = "E0341";

/// The front end's code for a directive that it does not know.
const UNKNOWN_DIRECTIVE: &str = "E0332";

/// The front end's code for brackets that nest more deeply than it can follow. Compilers can, so its complaint is
/// reported; what it says after it is about the brackets that it lost count of, and is not.
pub(crate) const DEEP_BRACKETS: &str = "E0402";

/// The front end's code for a macro that expands to too much. What it makes of the rest of the file is worth nothing.
pub(crate) const INFINITE_EXPANSION: &str = "E0310";

/// The front end's code for a header that is included within itself too often.
pub(crate) const DEEP_INCLUDE: &str = "E0342";

/// All changes to the tokens of a unit that the front end needs.
pub(crate) fn adapt(tokens: Vec<PpToken>, names: &Interner) -> Vec<PpToken> {
    let tokens = drop_global_registers(drop_float_typedefs(tokens, names), names);
    nesting::flatten(intrinsics::declare(tokens, names), names)
}

/// Drops `typedef float _Float32;` and its like.
///
/// The front end has the `_FloatN` types as keywords. Headers of the C library define them as other types for
/// compilers that have not, and those definitions stand in files that such a compiler has preprocessed.
fn drop_float_typedefs(mut tokens: Vec<PpToken>, names: &Interner) -> Vec<PpToken> {
    let spellings = ["_Float16", "_Float32", "_Float64", "_Float128", "_Float32x", "_Float64x", "_Float128x"];
    let floats: Vec<Symbol> = spellings.iter().filter_map(|name| names.find(name)).collect();
    let Some(typedef) = names.find("typedef") else { return tokens };
    let dropped = |rest: &[PpToken]| {
        let window = &rest[..rest.len().min(LONGEST_TYPEDEF)];
        let end = window.iter().position(|token| token.punct() == Some(Punct::Semi))?;
        let plain = window[..end].iter().all(|token| token.kind == PpTokenKind::Ident);
        let name = window[..end].last().and_then(|token| token.value)?;
        (plain && end >= 3 && floats.contains(&name)).then_some(end + 1)
    };
    remove(&mut tokens, |rest| if is_word(&rest[0], typedef) { dropped(rest).unwrap_or(0) } else { 0 });
    tokens
}

/// Drops the `register` of `register int r asm("r12");` outside functions, which the front end refuses. What is left
/// is a variable that lives as long as the program, and that is what such a register is to an analysis.
fn drop_global_registers(mut tokens: Vec<PpToken>, names: &Interner) -> Vec<PpToken> {
    let Some(register) = names.find("register") else { return tokens };
    let asm: Vec<Symbol> = ["asm", "__asm", "__asm__"].iter().filter_map(|name| names.find(name)).collect();
    let is_asm = |token: &PpToken| asm.iter().any(|&name| is_word(token, name));
    let mut depth = 0usize;
    remove(&mut tokens, |rest| {
        match rest[0].punct() {
            Some(Punct::LBrace) => depth += 1,
            Some(Punct::RBrace) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > 0 || !is_word(&rest[0], register) {
            return 0;
        }
        let ends = |token: &PpToken| matches!(token.punct(), Some(Punct::Semi | Punct::LBrace));
        let declaration = rest.iter().take(LONGEST_DECLARATION).take_while(|token| !ends(token));
        usize::from(declaration.into_iter().any(is_asm))
    });
    tokens
}

/// A header that this system does not have although its other headers include it, as it must look.
///
/// `gnu/stubs.h` of the GNU C library includes one list of stubs for every word size, and only the package for that
/// word size has it. The list only names functions that do nothing.
pub(crate) fn missing_header(path: &Path) -> Option<&'static [u8]> {
    let stubs = ["gnu/stubs-32.h", "gnu/stubs-64.h"];
    stubs.iter().any(|name| path.ends_with(name)).then_some(b"")
}

/// Whether a header belongs to one compiler, and is written against the builtin functions of that compiler.
///
/// The front end has its own versions, but a file that another compiler has preprocessed holds the bodies of its
/// intrinsics. Errors there say nothing to the user; the functions around them are poisoned all the same.
pub(crate) fn belongs_to_a_compiler(header: &str) -> bool {
    header.contains("/lib/gcc/") || header.contains("/lib/clang/")
}

/// Makes the null bytes of a text spaces, as compilers read them; those in literals stay.
pub(crate) fn without_null_bytes(text: Vec<u8>) -> Vec<u8> {
    if !text.contains(&0) {
        return text;
    }
    let mut quote = None;
    let mut escaped = false;
    let replace = |byte: u8| {
        match (quote, byte) {
            (_, b'\n') => quote = None,
            (Some(open), _) if byte == open && !escaped => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
        if byte == 0 && quote.is_none() { b' ' } else { byte }
    };
    text.into_iter().map(replace).collect()
}

/// Whether the preprocessor complains about a directive that every compiler skips: `#ident` and `#sccs`, with which
/// old systems put a version into an object file.
pub(crate) fn is_harmless(diagnostic: &rucc_diag::Diagnostic, sources: &SourceMap) -> bool {
    let text = sources.lookup_file(diagnostic.span.lo).and_then(|id| {
        let file = sources.file(id);
        let at = |position: u32| position.saturating_sub(file.start) as usize;
        file.bytes().get(at(diagnostic.span.lo)..at(diagnostic.span.hi))
    });
    diagnostic.code == Some(UNKNOWN_DIRECTIVE) && matches!(text, Some(b"ident" | b"sccs"))
}

/// A message of the front end, said as compilers say it.
pub(crate) fn message<'a>(code: Option<&str>, text: &'a str) -> Cow<'a, str> {
    match code {
        // The text of `#error` alone reads as if the front end had made it up.
        Some("E0338") => Cow::Owned(format!("#error {text}")),
        // The directory of the file itself has no name if the file was named without one.
        None if text.starts_with("searched: , ") => Cow::Owned(text.replacen(": ,", ": .,", 1)),
        _ => Cow::Borrowed(text),
    }
}

/// What the user can do about a message of the front end that does not say it.
pub(crate) fn help(code: Option<&str>) -> Option<&'static str> {
    match code {
        Some(MISSING_HEADER) => Some("name the directory of the header with -I"),
        _ => None,
    }
}

fn is_word(token: &PpToken, word: Symbol) -> bool {
    token.kind == PpTokenKind::Ident && token.value == Some(word)
}

/// Removes so many tokens as `count` says of each rest of the stream.
fn remove(tokens: &mut Vec<PpToken>, mut count: impl FnMut(&[PpToken]) -> usize) {
    let (mut read, mut written) = (0, 0);
    while read < tokens.len() {
        let dropped = count(&tokens[read..]);
        if dropped == 0 {
            tokens[written] = tokens[read];
            written += 1;
            read += 1;
        } else {
            read += dropped;
        }
    }
    tokens.truncate(written);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapted(text: &str) -> String {
        let mut names = Interner::new();
        let (tokens, _) = rucc_lex::tokenize(text.as_bytes(), 0, rucc_lex::Options::new(), &mut names);
        let spell = |token: &PpToken| match token.punct() {
            Some(punct) => punct.as_str().to_owned(),
            None => token.value.map_or("", |name| names.resolve(name)).to_owned(),
        };
        let words: Vec<_> = adapt(tokens, &names).iter().map(spell).collect();
        words.join(" ").trim_end().to_owned()
    }

    #[test]
    fn other_compilers_definitions_of_float_types_are_dropped() {
        let text =
            "typedef float _Float32; typedef long double _Float64x; typedef _Float32 mine; _Float32 x;";
        assert_eq!(adapted(text), "typedef _Float32 mine ; _Float32 x ;");
        assert_eq!(adapted("typedef struct { _Float32 a; } _Float32x_pair;").matches("typedef").count(), 1);
    }

    #[test]
    fn registers_outside_functions_are_variables() {
        assert_eq!(adapted("register long r asm(\"r12\");"), "long r asm ( \"r12\" ) ;");
        let kept = "int f ( void ) { register int x asm ( \"r12\" ) ; }";
        assert_eq!(adapted(kept), kept);
        let kept = "int f ( a ) register int a ; { return a ; }";
        assert_eq!(adapted(kept), kept);
    }

    #[test]
    fn lists_of_stubs_may_be_missing() {
        assert!(missing_header(Path::new("/usr/include/gnu/stubs-32.h")).is_some());
        assert!(missing_header(Path::new("/usr/include/gnu/stdio.h")).is_none());
    }

    #[test]
    fn headers_of_compilers_are_known_by_their_place() {
        assert!(belongs_to_a_compiler("/usr/lib/gcc/x86_64-linux-gnu/12/include/mmintrin.h"));
        assert!(belongs_to_a_compiler("/usr/lib/llvm-14/lib/clang/14.0.6/include/tgmath.h"));
        assert!(!belongs_to_a_compiler("/usr/include/stdio.h"));
    }

    #[test]
    fn messages_say_where_they_come_from() {
        assert_eq!(message(Some("E0338"), "no"), "#error no");
        assert_eq!(message(Some("E0100"), "no"), "no");
        assert_eq!(message(None, "searched: , /usr/include"), "searched: ., /usr/include");
        assert!(help(Some(MISSING_HEADER)).is_some());
    }

    #[test]
    fn null_bytes_are_spaces_outside_literals() {
        let text = b"int\0x; char *s = \"a\\\"\0b\";\0\n'\n\0".to_vec();
        assert_eq!(without_null_bytes(text), b"int x; char *s = \"a\\\"\0b\"; \n'\n ");
    }
}
