//! Calls of a compiler's own vector builtins, in files that another compiler has preprocessed.
//!
//! The bodies of GCC's intrinsics call builtins that no header declares and the front end does not know: it would
//! take them for functions that give an `int`, and refuse the cast to a vector. They are all written the same way,
//!
//! ```text
//! return (__m128i) __builtin_ia32_paddd128 ((__v4si) a, (__v4si) b);
//! ```
//!
//! so the cast tells the type, and where `return` stands in place of a cast, the result of the function does. The call becomes one of a function that gives that type, declared in front of the
//! unit, and nothing else is assumed about it:
//!
//! ```text
//! int __builtin_ia32_paddd128 ();
//! return ((__m128i (*) ()) __builtin_ia32_paddd128) ((__v4si) a, (__v4si) b);
//! ```

use std::collections::HashMap;

use rucc_base::{Interner, Symbol};
use rucc_gnu::{Kind, lookup};
use rucc_lex::{PpToken, PpTokenKind, Punct};

/// What the names of the machine's builtins begin with.
const PREFIX: &str = "__builtin_ia32_";

/// Rewrites the calls, and declares what they call.
pub(super) fn declare(tokens: Vec<PpToken>, names: &Interner) -> Vec<PpToken> {
    let Some(int) = names.find("int") else { return tokens };
    let mut foreign = Foreign { names, known: HashMap::new() };
    if !tokens.iter().any(|&token| foreign.is_foreign(token)) {
        return tokens;
    }
    let mut rewritten: Vec<PpToken> = Vec::with_capacity(tokens.len());
    let mut declared: Vec<PpToken> = Vec::new();
    let mut depth = 0usize;
    let mut vector_result = None;
    for (index, &token) in tokens.iter().enumerate() {
        match token.punct() {
            Some(Punct::LBrace) => {
                if depth == 0 {
                    vector_result = vector_result_before(&tokens[..index], names);
                }
                depth += 1;
            }
            Some(Punct::RBrace) => depth = depth.saturating_sub(1),
            _ => {}
        }
        let called = tokens.get(index + 1).is_some_and(|next| next.punct() == Some(Punct::LParen));
        if !(called && foreign.is_foreign(token)) {
            rewritten.push(token);
            continue;
        }
        if declared.iter().all(|known| known.value != token.value) {
            declared.push(token);
        }
        let punct = |punct| PpToken { kind: PpTokenKind::Punct(punct), value: None, ..token };
        let ty = match (cast_before(&rewritten), vector_result) {
            (Some(cast), _) => {
                let written = rewritten.split_off(cast);
                written[1..written.len() - 1].to_vec()
            }
            (None, Some(result))
                if rewritten.last().is_some_and(|last| last.value == names.find("return")) =>
            {
                vec![result]
            }
            _ => {
                rewritten.push(token);
                continue;
            }
        };
        rewritten.extend([Punct::LParen, Punct::LParen].map(punct));
        rewritten.extend(ty);
        let pointer =
            [Punct::LParen, Punct::Star, Punct::RParen, Punct::LParen, Punct::RParen, Punct::RParen];
        rewritten.extend(pointer.map(punct));
        rewritten.push(token);
        rewritten.push(punct(Punct::RParen));
    }
    let mut unit = Vec::with_capacity(rewritten.len() + 5 * declared.len());
    for name in declared {
        let punct = |punct| PpToken { kind: PpTokenKind::Punct(punct), value: None, ..name };
        unit.push(PpToken { value: Some(int), ..name });
        unit.push(name);
        unit.extend([Punct::LParen, Punct::RParen, Punct::Semi].map(punct));
    }
    unit.extend(rewritten);
    unit
}

/// Which names are builtins that the front end does not know.
struct Foreign<'n> {
    names: &'n Interner,
    known: HashMap<Symbol, bool>,
}

impl Foreign<'_> {
    fn is_foreign(&mut self, token: PpToken) -> bool {
        let (PpTokenKind::Ident, Some(name)) = (token.kind, token.value) else { return false };
        let names = self.names;
        *self.known.entry(name).or_insert_with(|| {
            let spelled = names.resolve(name);
            spelled.starts_with(PREFIX) && lookup(Kind::Builtin, spelled).is_none()
        })
    }
}

/// The type of the result in the head of a function that the tokens end with, if it is a name for a vector:
/// `__m128i __attribute__ ((…)) name (…)`.
fn vector_result_before(tokens: &[PpToken], names: &Interner) -> Option<PpToken> {
    let attribute = names.find("__attribute__");
    let name = opening(tokens)?.checked_sub(1)?;
    let mut end = name;
    while let Some(open) = opening(&tokens[..end]) {
        let word = open.checked_sub(1)?;
        if tokens[word].value != attribute {
            return None;
        }
        end = word;
    }
    let ty = *tokens[..end].last()?;
    let is_vector = ty.kind == PpTokenKind::Ident && names.resolve(ty.value?).starts_with("__m");
    is_vector.then_some(ty)
}

/// Where the parenthesis that the tokens end with opens.
pub(crate) fn opening(tokens: &[PpToken]) -> Option<usize> {
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate().rev() {
        match token.punct() {
            Some(Punct::RParen) => depth += 1,
            Some(Punct::LParen) => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (token.punct() == Some(Punct::LParen)).then_some(index);
        }
    }
    None
}

/// Where a cast that the tokens end with begins: `( words )`.
fn cast_before(tokens: &[PpToken]) -> Option<usize> {
    let (last, rest) = tokens.split_last()?;
    if last.punct() != Some(Punct::RParen) {
        return None;
    }
    let open = rest
        .iter()
        .rposition(|token| token.kind != PpTokenKind::Ident && token.punct() != Some(Punct::Star))?;
    let is_cast = rest[open].punct() == Some(Punct::LParen) && open + 1 < rest.len();
    // `f (x) __builtin` is no cast, but no C either; `sizeof (x) __builtin` neither.
    is_cast.then_some(open)
}

#[cfg(test)]
mod tests {
    use rucc_lex::{Options, tokenize};

    use super::*;

    fn rewritten(text: &str) -> String {
        let mut names = Interner::new();
        names.intern("int");
        names.intern("return");
        let (tokens, _) = tokenize(text.as_bytes(), 0, Options::new(), &mut names);
        let spell = |token: &PpToken| match token.punct() {
            Some(punct) => Some(punct.as_str().to_owned()),
            None => token.value.map(|value| names.resolve(value).to_owned()),
        };
        declare(tokens, &names).iter().filter_map(spell).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_cast_tells_what_a_builtin_gives() {
        assert_eq!(
            rewritten("v4 f(v4 a) { return (v4) __builtin_ia32_made_up (a); }"),
            "int __builtin_ia32_made_up ( ) ; v4 f ( v4 a ) { return \
             ( ( v4 ( * ) ( ) ) __builtin_ia32_made_up ) ( a ) ; }"
        );
    }

    #[test]
    fn without_a_cast_the_function_tells() {
        let text = "__m64 __attribute__ ((inline)) f(__m64 a) { return __builtin_ia32_made_up (a); }";
        assert!(
            rewritten(text).ends_with("{ return ( ( __m64 ( * ) ( ) ) __builtin_ia32_made_up ) ( a ) ; }")
        );
    }

    #[test]
    fn other_calls_stay_as_they_are() {
        let text = "int f ( int a ) { return ( int ) g ( a ) ; }";
        assert_eq!(rewritten(text), text);
    }
}
