//! Types and literals in annotations: casts, `sizeof`, what quantifiers bind.

use std::sync::Arc;

use evidence::Integer;
use program::annotation::{CType, Shape, Word};
use program::{DataModel, IntegerType};

use super::number::{INT, Number, Range};
use super::reader::Reader;
use super::value::{Read, Trouble, Value};

/// The type of ACSL that holds all whole numbers.
pub(super) const INTEGER: &str = "integer";

/// The words of which C makes its own types.
const WORDS: [&str; 14] = [
    "float", "double", "char", "short", "int", "long", "signed", "unsigned", "_Bool", "bool", "__int128",
    "const", "volatile", "void",
];

/// Reads a type in parentheses, if one comes next.
pub(super) fn cast(reader: &mut Reader<'_>) -> Read<Option<Arc<CType>>> {
    let before = reader.cursor.clone();
    reader.need("(")?;
    let ty = named(reader)?;
    if ty.is_none() || !reader.cursor.eat(")") {
        reader.cursor = before;
        return Ok(None);
    }
    Ok(ty)
}

/// Reads the name of a type, if one comes next.
pub(super) fn named(reader: &mut Reader<'_>) -> Read<Option<Arc<CType>>> {
    let before = reader.cursor.clone();
    let mut words = Vec::new();
    while let Some(word) = reader.cursor.peek().filter(|word| WORDS.contains(word)) {
        reader.cursor.word();
        words.push(word);
    }
    let is_constant = words.contains(&"const");
    words.retain(|word| !["const", "volatile"].contains(word));
    let ty = match words.is_empty() {
        false => match (&words[..], reader.scope.word("char")) {
            // Whether it has a sign is the machine's choice.
            (["char"], Some(Word::Type(ty))) => Some(Arc::clone(ty)),
            _ => own(&words, reader.scope.program.data_model),
        },
        true => match reader.cursor.word() {
            Some(keyword @ ("struct" | "union" | "enum")) => {
                let Some(tag) = reader.cursor.word() else {
                    return reader.trouble("expected the name of a type");
                };
                let name = format!("{keyword} {tag}");
                match reader.scope.word(&name) {
                    Some(Word::Type(ty)) => Some(Arc::clone(ty)),
                    _ => return reader.trouble(format!("`{name}` is not known here")),
                }
            }
            Some(INTEGER) => Some(Arc::new(CType::other(INTEGER))),
            Some(word) => match reader.scope.word(word) {
                Some(Word::Type(ty)) => Some(Arc::clone(ty)),
                _ => None,
            },
            None => None,
        },
    };
    let Some(mut ty) = ty else {
        reader.cursor = before;
        return Ok(None);
    };
    if is_constant {
        ty = Arc::new(CType { constant: true, ..(*ty).clone() });
    }
    loop {
        if reader.cursor.peek().is_some_and(|word| ["const", "volatile", "restrict"].contains(&word)) {
            reader.cursor.word();
        } else if reader.cursor.eat("*") {
            let (text, size) = (format!("{} *", ty.text), reader.scope.program.data_model.pointer_bytes());
            ty = Arc::new(CType { text, size: Some(size), constant: false, shape: Shape::Pointer(ty) });
        } else {
            return Ok(Some(ty));
        }
    }
}

/// A type of C's own words.
fn own(words: &[&str], model: DataModel) -> Option<Arc<CType>> {
    let has = |word: &str| words.contains(&word);
    let longs = words.iter().filter(|word| **word == "long").count();
    let pointer = u8::try_from(model.pointer_bytes() * 8).ok()?;
    if has("float") || has("double") {
        let size = if has("float") { 4 } else { 8 };
        return Some(Arc::new(CType {
            size: Some(size).filter(|_| longs == 0),
            ..CType::other(words.join(" "))
        }));
    }
    let width = match () {
        () if has("void") => {
            return Some(Arc::new(CType { size: Some(1), ..CType::other("void") }));
        }
        () if has("char") || has("_Bool") || has("bool") => 8,
        () if has("short") => 16,
        () if has("__int128") => 128,
        () if longs > 1 => 64,
        () if longs == 1 => pointer,
        () => 32,
    };
    let signed = !has("unsigned") && !has("_Bool") && !has("bool");
    let text = words.join(" ");
    let shape = Shape::Integer(IntegerType { width, signed });
    Some(Arc::new(CType { text, size: Some(u64::from(width / 8)), constant: false, shape }))
}

/// What follows `sizeof`.
pub(super) fn size(reader: &mut Reader<'_>, at: usize) -> Read<Value> {
    let ty = match reader.cursor.rest().starts_with('(') {
        true => cast(reader)?,
        false => None,
    };
    let ty = match ty {
        Some(ty) => ty,
        None => {
            let place = reader.here();
            match reader.tight()? {
                Value::Place(place) => place.ty,
                Value::Pointer(pointer) if pointer.count.is_none() => {
                    let size = reader.scope.program.data_model.pointer_bytes();
                    Arc::new(CType { size: Some(size), ..CType::other("pointer") })
                }
                _ => return Err(Trouble::new(place, "the size of this is not known")),
            }
        }
    };
    let Some(size) = ty.size else {
        return Err(Trouble::new(at, format!("the size of `{}` is not known", ty.text)));
    };
    let width = u8::try_from(reader.scope.program.data_model.pointer_bytes() * 8).unwrap_or(64);
    let ty = Some(IntegerType { width, signed: false }).filter(|_| reader.is_c());
    Ok(Value::Number(Number { ty, ..Number::known(Integer::from(size)) }))
}

/// A literal of C, as it is written from a place on.
pub(super) fn literal(number: Integer, suffix: &str, text: &str, is_c: bool) -> Number {
    let suffix = suffix.to_ascii_lowercase();
    let (is_unsigned, is_long) = (suffix.contains('u'), suffix.contains('l'));
    let is_decimal = !text.starts_with('0');
    let all = [(32, true), (32, false), (64, true), (64, false), (128, true)];
    let allowed = all.into_iter().map(|(width, signed)| IntegerType { width, signed }).find(|ty| {
        let may_be_signed = !is_unsigned || !ty.signed;
        let may_be_unsigned = is_unsigned || !is_decimal || ty.signed;
        let is_wide = !is_long || ty.width > 32;
        may_be_signed && may_be_unsigned && is_wide && Range::only(&number).within(&Range::of(*ty))
    });
    Number { ty: allowed.filter(|_| is_c), ..Number::known(number) }
}

/// A character.
pub(super) fn character(reader: &mut Reader<'_>) -> Read<Value> {
    let at = reader.here();
    let rest = reader.cursor.rest();
    let mut inside = rest[1..].chars();
    let (value, length) = match (inside.next(), inside.next()) {
        (Some('\\'), Some(escaped)) => {
            let value = match escaped {
                'n' => 10,
                't' => 9,
                'r' => 13,
                '0' => 0,
                '\\' | '\'' | '"' => escaped as u32,
                _ => return reader.trouble("this character is not supported"),
            };
            (value, 4)
        }
        (Some(plain), _) if plain.is_ascii() && plain != '\'' => (plain as u32, 3),
        _ => return reader.trouble("this character is not supported"),
    };
    if !rest.get(..length).is_some_and(|text| text.ends_with('\'')) {
        return Err(Trouble::new(at, "this character is not supported"));
    }
    reader.cursor.at += length;
    Ok(Value::Number(Number {
        ty: Some(INT).filter(|_| reader.is_c()),
        ..Number::known(Integer::from(value))
    }))
}
