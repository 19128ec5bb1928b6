//! Floating point numbers as exact decimal numbers, and their text as `printf` writes it.
//!
//! Every binary floating point number has a finite decimal expansion: it is computed in full and rounded once, to
//! nearest with ties to even, as glibc does.

use dashu_int::UBig;
use rustc_apfloat::{Category, Float};

use crate::float::with_format;
use crate::types::FloatFormat;

/// A floating point number taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Parts {
    pub negative: bool,
    pub class: Class,
}

/// What a floating point number is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    NotANumber,
    Infinite,
    /// The number `mantissa * 2^exponent`.
    Finite {
        mantissa: u128,
        exponent: i32,
    },
}

/// A decimal number: `digits[0].digits[1]digits[2]... * 10^exponent`; zero has no digits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Decimal {
    pub digits: Vec<u8>,
    pub exponent: i32,
}

impl Parts {
    /// Takes the bits of a number apart.
    pub fn of(format: FloatFormat, bits: u128) -> Self {
        let negative = bits >> (format.bits() - 1) & 1 != 0;
        let category = with_format!(format, F => F::from_bits(bits).category());
        let class = match category {
            Category::NaN => Class::NotANumber,
            Category::Infinity => Class::Infinite,
            Category::Zero => Class::Finite { mantissa: 0, exponent: 0 },
            Category::Normal => finite(format, bits),
        };
        Self { negative, class }
    }
}

fn finite(format: FloatFormat, bits: u128) -> Class {
    let fraction = format.fraction_bits() as i32;
    let width = format.bits() as i32 - 1 - fraction;
    let explicit = format == FloatFormat::Extended;
    let stored = (bits >> fraction & ((1 << width) - 1)) as i32;
    let mantissa = bits & ((1 << fraction) - 1);
    let bias = (1 << (width - 1)) - 1;
    let mantissa = if !explicit && stored != 0 { mantissa | 1 << fraction } else { mantissa };
    let shown = if explicit { fraction - 1 } else { fraction };
    Class::Finite { mantissa, exponent: stored.max(1) - bias - shown }
}

impl Decimal {
    /// The exact value of `mantissa * 2^exponent`.
    pub fn exact(mantissa: u128, exponent: i32) -> Self {
        if mantissa == 0 {
            return Self { digits: Vec::new(), exponent: 0 };
        }
        let zeros = mantissa.trailing_zeros();
        let (mantissa, exponent) = (mantissa >> zeros, exponent + zeros as i32);
        // A fraction m / 2^k is m * 5^k / 10^k.
        let factor = UBig::from(if exponent >= 0 { 2u8 } else { 5 });
        let text = (UBig::from(mantissa) * factor.pow(exponent.unsigned_abs() as usize)).to_string();
        let length = text.len() as i32;
        let digits = text.bytes().map(|digit| digit - b'0').collect();
        Self { digits, exponent: length - 1 + exponent.min(0) }
    }

    /// The number rounded to so many digits; a count that is not positive leaves zero or one digit.
    pub fn rounded(mut self, count: i32) -> Self {
        if count >= self.digits.len() as i32 || self.digits.is_empty() {
            return self;
        }
        let Ok(kept) = usize::try_from(count) else { return Self { digits: Vec::new(), exponent: 0 } };
        let rest = &self.digits[kept..];
        let above_half = rest[0] > 5 || (rest[0] == 5 && rest[1..].iter().any(|&digit| digit != 0));
        let tie = rest[0] == 5 && !above_half;
        let odd = kept > 0 && self.digits[kept - 1] % 2 == 1;
        let up = above_half || (tie && odd);
        self.digits.truncate(kept);
        if up {
            match self.digits.iter().rposition(|&digit| digit != 9) {
                Some(place) => {
                    self.digits[place] += 1;
                    self.digits[place + 1..].fill(0);
                }
                None => {
                    self.digits.fill(0);
                    self.digits.insert(0, 1);
                    self.exponent += 1;
                }
            }
        } else if kept == 0 {
            self.exponent = 0;
        }
        self
    }

    /// The digit that stands for `10^place`.
    pub fn digit(&self, place: i32) -> u8 {
        let index = self.exponent - place;
        usize::try_from(index).ok().and_then(|index| self.digits.get(index).copied()).unwrap_or(0)
    }
}

/// The number with a fixed number of decimals, without its sign: `%f`.
pub(super) fn fixed(exact: &Decimal, precision: usize, alternate: bool) -> String {
    let rounded = exact.clone().rounded(exact.exponent.saturating_add(1).saturating_add(precision as i32));
    let mut text = String::new();
    for place in (0..=rounded.exponent.max(0)).rev() {
        text.push(char::from(b'0' + rounded.digit(place)));
    }
    if precision > 0 || alternate {
        text.push('.');
    }
    text.extend((1..=precision as i32).map(|place| char::from(b'0' + rounded.digit(-place))));
    text
}

/// The number with an exponent, without its sign: `%e`.
pub(super) fn scientific(exact: &Decimal, precision: usize, alternate: bool) -> String {
    let rounded = exact.clone().rounded(precision as i32 + 1);
    let exponent = if rounded.digits.is_empty() { 0 } else { rounded.exponent };
    let mut text = String::new();
    for place in 0..=precision as i32 {
        text.push(char::from(b'0' + rounded.digit(exponent - place)));
        if place == 0 && (precision > 0 || alternate) {
            text.push('.');
        }
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    text + &format!("e{sign}{:02}", exponent.abs())
}

/// The shorter of the two, without zeros at the end unless they are asked for: `%g`.
pub(super) fn general(exact: &Decimal, precision: usize, alternate: bool) -> String {
    let precision = precision.max(1) as i32;
    let rounded = exact.clone().rounded(precision);
    let exponent = if rounded.digits.is_empty() { 0 } else { rounded.exponent };
    let text = if exponent < -4 || exponent >= precision {
        scientific(exact, precision as usize - 1, alternate)
    } else {
        fixed(exact, (precision - 1 - exponent) as usize, alternate)
    };
    if alternate || !text.contains('.') {
        return text;
    }
    let (number, exponent) =
        text.split_once('e').map_or((text.as_str(), None), |(number, e)| (number, Some(e)));
    let number = number.trim_end_matches('0').trim_end_matches('.');
    exponent.map_or_else(|| number.to_owned(), |exponent| format!("{number}e{exponent}"))
}

/// The number in hexadecimal, without its sign: `%a`.
pub(super) fn hexadecimal(
    format: FloatFormat,
    mantissa: u128,
    exponent: i32,
    precision: Option<usize>,
    alternate: bool,
) -> String {
    // How many bits the digit before the point has, and those after it.
    let (lead, behind) = match format {
        FloatFormat::Extended => (4, 60),
        _ => (1, format.fraction_bits()),
    };
    // `float` has 23 bits after the point, `_Float16` ten: they are brought to full digits.
    let places = behind.div_ceil(4);
    let mut mantissa = mantissa << (4 * places - behind);
    let mut exponent = exponent + behind as i32;
    if mantissa == 0 {
        exponent = 0;
    }
    let mut digits = places as usize;
    if let Some(precision) = precision.filter(|&precision| precision < digits) {
        let dropped = 4 * (digits - precision) as u32;
        let (kept, rest) = (mantissa >> dropped, mantissa & ((1 << dropped) - 1));
        let half = 1 << (dropped - 1);
        let up = rest > half || (rest == half && kept & 1 == 1);
        mantissa = kept + u128::from(up);
        digits = precision;
        if mantissa >> (4 * digits as u32 + lead) != 0 && lead == 4 {
            mantissa >>= 4;
            exponent += 4;
        }
    }
    let lead_digit = mantissa >> (4 * digits as u32);
    let rest = mantissa & ((1u128 << (4 * digits as u32)) - 1);
    let mut fraction = if digits == 0 { String::new() } else { format!("{rest:0digits$x}") };
    match precision {
        Some(precision) => fraction.extend(std::iter::repeat_n('0', precision.saturating_sub(digits))),
        None => fraction.truncate(fraction.trim_end_matches('0').len()),
    }
    let point = if !fraction.is_empty() || alternate { "." } else { "" };
    format!("0x{lead_digit:x}{point}{fraction}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(value: f64) -> Decimal {
        match Parts::of(FloatFormat::Double, u128::from(value.to_bits())).class {
            Class::Finite { mantissa, exponent } => Decimal::exact(mantissa, exponent),
            _ => panic!("a finite number"),
        }
    }

    fn hex(value: f64, precision: Option<usize>) -> String {
        match Parts::of(FloatFormat::Double, u128::from(value.to_bits())).class {
            Class::Finite { mantissa, exponent } => {
                hexadecimal(FloatFormat::Double, mantissa, exponent, precision, false)
            }
            _ => panic!("a finite number"),
        }
    }

    #[test]
    fn fixed_notation_rounds_the_exact_value() {
        assert_eq!(fixed(&exact(0.5), 0, false), "0");
        assert_eq!(fixed(&exact(1.5), 0, false), "2");
        assert_eq!(fixed(&exact(2.5), 0, false), "2");
        assert_eq!(fixed(&exact(0.125), 2, false), "0.12");
        assert_eq!(fixed(&exact(0.1), 20, false), "0.10000000000000000555");
        assert_eq!(fixed(&exact(999.999), 2, false), "1000.00");
        assert_eq!(fixed(&exact(0.0), 3, false), "0.000");
        assert_eq!(fixed(&exact(0.06), 1, false), "0.1");
        assert_eq!(fixed(&exact(0.004), 1, false), "0.0");
        assert_eq!(fixed(&exact(1e22), 1, false), "10000000000000000000000.0");
        assert_eq!(fixed(&exact(3.0), 0, true), "3.");
        assert!(fixed(&exact(5e-324), 1074, false).ends_with("5625"));
    }

    #[test]
    fn scientific_and_general_notation() {
        assert_eq!(scientific(&exact(12345.678), 3, false), "1.235e+04");
        assert_eq!(scientific(&exact(9.9999), 2, false), "1.00e+01");
        assert_eq!(scientific(&exact(0.0), 2, false), "0.00e+00");
        assert_eq!(scientific(&exact(1e-100), 0, false), "1e-100");
        assert_eq!(general(&exact(100000.0), 6, false), "100000");
        assert_eq!(general(&exact(1000000.0), 6, false), "1e+06");
        assert_eq!(general(&exact(0.0001), 6, false), "0.0001");
        assert_eq!(general(&exact(0.00001234), 6, false), "1.234e-05");
        assert_eq!(general(&exact(0.0), 6, false), "0");
        assert_eq!(general(&exact(3.0), 6, true), "3.00000");
        assert_eq!(general(&exact(999999.5), 6, false), "1e+06");
    }

    #[test]
    fn hexadecimal_notation() {
        assert_eq!(hex(1.0, None), "0x1p+0");
        assert_eq!(hex(0.1, None), "0x1.999999999999ap-4");
        assert_eq!(hex(-0.0, None), "0x0p+0");
        assert_eq!(hex(5e-324, None), "0x0.0000000000001p-1022");
        assert_eq!(hex(1.999, Some(1)), "0x2.0p+0");
        assert_eq!(hex(1.0, Some(3)), "0x1.000p+0");
        let one = Parts::of(FloatFormat::Extended, 0x3fff_8000_0000_0000_0000);
        let Class::Finite { mantissa, exponent } = one.class else { panic!("a finite number") };
        assert_eq!(hexadecimal(FloatFormat::Extended, mantissa, exponent, None, false), "0x8p-3");
        assert_eq!(fixed(&Decimal::exact(mantissa, exponent), 2, false), "1.00");
    }
}
