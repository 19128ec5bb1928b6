//! Which functions have an error in their text.
//!
//! The front end poisons most of what it could not read, but not all: after some syntax errors it goes on as if a
//! token were there or were not. So a function with an error anywhere in its definition is not what its author
//! wrote, whatever the tree says. Errors in an included file count where it is included.

use rucc_diag::{BytePos, SourceMap, Span};

/// How many lines above its name the definition of a function may begin.
const LINES_ABOVE: usize = 5;

/// The places of all errors of a translation unit.
#[derive(Default)]
pub(crate) struct Damage {
    /// Sorted.
    places: Vec<BytePos>,
    /// Whether errors were left out because there were so many.
    everywhere: bool,
}

impl Damage {
    /// The errors among what the phases reported; `limit` is the number at which a phase stops to report.
    pub fn new(phases: &[&[rucc_diag::Diagnostic]], limit: usize, sources: &SourceMap) -> Self {
        let mut damage = Self::default();
        for phase in phases {
            let errors = phase.iter().filter(|found| found.severity.is_fatal());
            let places: Vec<_> = errors.map(|found| found.span.lo).collect();
            damage.everywhere |= places.len() >= limit;
            for place in places {
                damage.places.push(place);
                damage.places.extend(sources.include_stack(place).iter().map(|include| include.lo));
            }
        }
        damage.places.sort_unstable();
        damage.places.dedup();
        damage
    }

    /// An error in the definition of a function, from the specifiers in front of its name to the end of its body.
    pub fn of_function(&self, name: Span, body: Span, sources: &SourceMap) -> Option<Span> {
        if self.places.is_empty() {
            return None;
        }
        if self.everywhere || name.is_dummy() || body.is_dummy() {
            return Some(name);
        }
        let start = definition_start(name.lo, sources);
        let first = self.places.partition_point(|&place| place < start);
        let place = *self.places.get(first).filter(|&&place| place <= body.hi)?;
        Some(Span::empty_at(place))
    }
}

/// Where the specifiers of a definition begin, looked for in the text above its name.
fn definition_start(name: BytePos, sources: &SourceMap) -> BytePos {
    let Some(file) = sources.lookup_file(name).map(|id| sources.file(id)) else { return name };
    let before = file.bytes().get(..(name - file.start) as usize).unwrap_or_default();
    let mut start = before.len();
    for (number, line) in before.rsplit(|&byte| byte == b'\n').enumerate() {
        let ends_before = line.iter().rposition(|&byte| byte == b';' || byte == b'}');
        let is_directive = line.trim_ascii_start().starts_with(b"#");
        let is_blank = number > 0 && line.trim_ascii().is_empty();
        if number > LINES_ABOVE || is_directive || is_blank {
            break;
        }
        let line_start = start - line.len();
        start = line_start + ends_before.map_or(0, |at| at + 1);
        if ends_before.is_some() || line_start == 0 {
            break;
        }
        start -= 1;
    }
    file.start + start as BytePos
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "int x;\n#if\nstatic foo\nf(int a)\n{ a; }\nint g(void) { } int h(void) { }\n";

    fn damaged(function: &str, error_at: &str) -> bool {
        let mut sources = SourceMap::new();
        sources.add("a.c", TEXT.as_bytes().to_vec()).expect("it is small");
        let at = |text: &str| TEXT.find(text).expect("it is there") as BytePos;
        let error = rucc_diag::Diagnostic::error("wrong", Span::empty_at(at(error_at)));
        let damage = Damage::new(&[&[error]], 10, &sources);
        let name = at(function);
        let body = name + TEXT[name as usize..].find('}').expect("it has a body") as BytePos;
        damage.of_function(Span::new(name, name + 1), Span::new(name + 1, body), &sources).is_some()
    }

    #[test]
    fn an_error_damages_the_function_around_it() {
        assert!(damaged("f(int", "a;") && damaged("f(int", "foo") && damaged("f(int", "int a"));
        assert!(!damaged("f(int", "#if") && !damaged("f(int", "int x") && !damaged("f(int", "int g"));
        assert!(damaged("g(void", "int g") && !damaged("h(void", "g(void") && damaged("h(void", "int h"));
    }

    #[test]
    fn too_many_errors_damage_everything() {
        let sources = SourceMap::new();
        let errors = vec![rucc_diag::Diagnostic::error("wrong", Span::empty_at(1)); 10];
        let damage = Damage::new(&[&errors], 10, &sources);
        assert!(damage.of_function(Span::new(100, 101), Span::new(102, 103), &sources).is_some());
    }
}
