//! The frame of every JSON form: its version, and what it does not speak of.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::not_analysed::NotAnalysed;

/// The version of all JSON forms, which every one of them has as its `schema`. To add a field needs no new version, to
/// rename or to drop one does.
pub const SCHEMA: u32 = 2;

/// An answer, which serialises as an object, in its JSON form.
pub fn document(answer: &impl Serialize, left_out: &[NotAnalysed]) -> String {
    document_of(serde_json::to_value(answer).unwrap_or_default(), left_out)
}

/// The same of an answer that is an object already.
pub fn document_of(mut answer: Value, left_out: &[NotAnalysed]) -> String {
    if let Value::Object(fields) = &mut answer {
        fields.insert(String::from("schema"), json!(SCHEMA));
        fields.insert(String::from("not_analysed"), json!(left_out));
    }
    let mut text = serde_json::to_string_pretty(&answer).unwrap_or_default();
    text.push('\n');
    // The process is about to end. To take a large answer apart would take as long as to make it.
    std::mem::forget(answer);
    text
}

/// The name of a variant in JSON.
pub(crate) fn word(variant: &impl Serialize) -> String {
    let value = serde_json::to_value(variant).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// The variant with this name in JSON.
pub(crate) fn of_word<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_value(Value::from(text)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_its_version_and_what_is_left_out() {
        let reason = String::from("a nested function");
        let part = NotAnalysed { function: Some(String::from("odd")), file: None, reason, place: None };
        let text = document(&json!({"loops": []}), &[part]);
        let report: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!((&report["schema"], &report["loops"]), (&json!(SCHEMA), &json!([])));
        assert_eq!(report["not_analysed"][0]["function"], "odd");
    }
}
