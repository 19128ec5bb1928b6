//! Numbers in the JSON form: as decimal text, because numbers in JSON are not wide enough.

use serde::{Deserialize, Deserializer, Serializer};

use crate::expression::Integer;

pub fn serialize<S: Serializer>(number: &Integer, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Integer, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

/// The same for a number that may be missing.
pub mod optional {
    use super::*;

    pub fn serialize<S: Serializer>(number: &Option<Integer>, serializer: S) -> Result<S::Ok, S::Error> {
        match number {
            Some(number) => serializer.serialize_some(&number.to_string()),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Integer>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(serde::de::Error::custom)).transpose()
    }
}
