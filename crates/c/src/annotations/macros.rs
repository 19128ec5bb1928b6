//! Macros that annotations mention. Comments are not preprocessed, but people write names of macros in them all the same.

use std::collections::{BTreeMap, BTreeSet};

use rucc_base::Interner;
use rucc_diag::SourceMap;
use rucc_lex::PpToken;
use rucc_pp::Preprocessor;

use super::Note;

/// Macros without parameters, as they are at the end of the unit.
pub(crate) type Macros = BTreeMap<String, String>;

/// A macro has no more tokens.
const LONGEST: usize = 64;

/// The macros that texts mention, and those that these mention.
///
/// One that is defined behind a text may have been another one there, so it is left out.
pub(crate) fn mentioned(
    notes: &[Note],
    preprocessor: &Preprocessor,
    names: &Interner,
    sources: &SourceMap,
) -> Macros {
    let (mut found, mut changed) = (Macros::new(), BTreeSet::new());
    for note in notes {
        let place = note.places.first().map_or(0, |(_, place)| *place);
        let mut open: Vec<String> = words(&note.text).map(str::to_owned).collect();
        let mut seen = BTreeSet::new();
        while let Some(word) = open.pop() {
            let definition = names.find(&word).and_then(|name| preprocessor.macros().lookup(name));
            let Some(definition) = definition.filter(|one| !one.function_like && one.builtin.is_none())
            else {
                continue;
            };
            if definition.body.len() > LONGEST || !seen.insert(word.clone()) {
                continue;
            }
            let body = spelled(&definition.body, names);
            open.extend(words(&body).map(str::to_owned));
            if sources.reading_order(definition.span.lo) > sources.reading_order(place) {
                changed.insert(word.clone());
            }
            found.insert(word, body);
        }
    }
    found.retain(|word, _| !changed.contains(word));
    found
}

/// The words of a text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let all = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    all.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

fn spelled(tokens: &[PpToken], names: &Interner) -> String {
    let spell = |token: &PpToken| match token.punct() {
        Some(punct) => punct.as_str(),
        None => token.value.map_or("", |value| names.resolve(value)),
    };
    tokens.iter().map(spell).collect::<Vec<_>>().join(" ")
}
