//! Numbers and names as text.

use std::fmt::Write;

use base::Location;

use super::symbols::is_plain;
use crate::types::{FloatFormat, Type};

/// An integer or boolean with its type: `-1:i32`, `true`.
pub fn typed_integer(ty: Type, value: i128) -> String {
    match (ty, value) {
        (Type::Bool, 0) => String::from("false"),
        (Type::Bool, 1) => String::from("true"),
        _ => format!("{}:{ty}", integer(ty, value)),
    }
}

/// An integer without its type. The widest unsigned type keeps its numbers as bit patterns.
pub fn integer(ty: Type, value: i128) -> String {
    if ty == Type::unsigned(128) { (value as u128).to_string() } else { value.to_string() }
}

/// A float with its type: as a decimal number where that has the very same bits, else by its bits.
pub fn typed_float(ty: Type, bits: u128) -> String {
    let decimal = match ty {
        Type::Float(FloatFormat::Single) => {
            u32::try_from(bits).ok().map(f32::from_bits).filter(|x| x.is_finite()).map(|x| format!("{x:?}"))
        }
        Type::Float(FloatFormat::Double) => {
            u64::try_from(bits).ok().map(f64::from_bits).filter(|x| x.is_finite()).map(|x| format!("{x:?}"))
        }
        _ => None,
    };
    format!("{}:{ty}", decimal.unwrap_or_else(|| format!("{bits:#x}")))
}

/// A name, in quotes if it needs them, with its number if it needs one.
pub fn name(text: &str, number: Option<usize>) -> String {
    let mut out = if is_plain(text) { text.to_owned() } else { quoted(text) };
    if let Some(number) = number {
        let _ = write!(out, "#{number}");
    }
    out
}

/// A text in quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Bytes: as a text if they look like one, else as hexadecimal digits.
pub fn bytes(bytes: &[u8]) -> String {
    let without_end = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    let is_text = |byte: &u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
    if !without_end.is_empty() && without_end.iter().all(is_text) {
        let mut out = quoted(&String::from_utf8_lossy(without_end));
        if without_end.len() < bytes.len() {
            out.truncate(out.len() - 1);
            out.push_str("\\x00\"");
        }
        return out;
    }
    let mut out = String::with_capacity(2 * bytes.len() + 3);
    out.push_str("x\"");
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out.push('"');
    out
}

/// A place behind a blank, or nothing if it is unknown.
pub fn place(location: Location) -> String {
    if location == Location::unknown() {
        return String::new();
    }
    format!(" @{}:{}:{}", base::Index::index(location.file), location.line, location.column)
}
