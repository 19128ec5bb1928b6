//! Numbers from their text.

use program::{FloatFormat, Type};

/// The integer that a number token with its sign means.
pub fn parse_integer(ty: Option<Type>, negative: bool, digits: &str) -> Option<i128> {
    let magnitude = parse_magnitude(digits)?;
    if negative {
        return 0i128.checked_sub_unsigned(magnitude);
    }
    if ty == Some(Type::unsigned(128)) { Some(magnitude as i128) } else { i128::try_from(magnitude).ok() }
}

/// The bits that a number token with its sign means.
pub fn parse_float(format: FloatFormat, negative: bool, digits: &str) -> Option<u128> {
    if digits.starts_with("0x") {
        return parse_magnitude(digits).filter(|_| !negative);
    }
    let text = format!("{}{digits}", if negative { "-" } else { "" });
    match format {
        FloatFormat::Single => {
            text.parse::<f32>().ok().filter(|x| x.is_finite()).map(|x| u128::from(x.to_bits()))
        }
        FloatFormat::Double => {
            text.parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| u128::from(x.to_bits()))
        }
        _ => None,
    }
}

fn parse_magnitude(digits: &str) -> Option<u128> {
    match digits.strip_prefix("0x") {
        Some(hexadecimal) => u128::from_str_radix(hexadecimal, 16).ok(),
        None => digits.parse().ok(),
    }
}
