//! What words and symbols of the text mean.

use program::{FloatFormat, IntegerType, LoopKind, Type};

/// The kinds of loop statements.
pub const LOOPS: [(LoopKind, &str); 4] = [
    (LoopKind::For, LoopKind::For.name()),
    (LoopKind::While, LoopKind::While.name()),
    (LoopKind::Do, LoopKind::Do.name()),
    (LoopKind::Goto, LoopKind::Goto.name()),
];

/// The item of a table that has this name.
pub fn item<T: Copy>(table: &[(T, &'static str)], name: &str) -> Option<T> {
    table.iter().find(|(_, candidate)| *candidate == name).map(|(item, _)| *item)
}

/// The type with this name.
pub fn type_named(name: &str) -> Option<Type> {
    const FLOATS: [FloatFormat; 5] = [
        FloatFormat::Half,
        FloatFormat::Single,
        FloatFormat::Double,
        FloatFormat::Extended,
        FloatFormat::Quad,
    ];
    match name {
        "bool" => return Some(Type::Bool),
        "ptr" => return Some(Type::Pointer),
        _ => {}
    }
    if let Some(format) = FLOATS.into_iter().find(|format| format.to_string() == name) {
        return Some(Type::Float(format));
    }
    let (signed, digits) = match name.split_at_checked(1)? {
        ("i", digits) => (true, digits),
        ("u", digits) => (false, digits),
        _ => return None,
    };
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let width = digits.parse().ok().filter(|width| is_number && (1..=128).contains(width))?;
    Some(Type::Integer(IntegerType { width, signed }))
}
