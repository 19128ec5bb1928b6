//! The language of `printf`: directives, and the text of arguments, byte for byte as glibc writes it.

use super::Call;
use super::decimal::{Class, Decimal, Parts, fixed, general, hexadecimal, scientific};
use super::string::error_text;
use crate::arithmetic;
use crate::float;
use crate::interpret::machine::Step;
use crate::interpret::value::Slot;
use crate::types::{FloatFormat, IntegerType, Type};

/// A directive.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Directive {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    length: Length,
    conversion: u8,
}

/// How wide the argument of a directive is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Length {
    Char,
    Short,
    #[default]
    Int,
    Long,
    LongLong,
    LongDouble,
}

/// No directive is taken wider than this: nobody wants gigabytes of spaces.
const WIDEST: i128 = 1 << 20;

impl Length {
    /// Reads the length modifier at the start of a text, and says how long it is.
    pub fn parse(text: &[u8], long_width: u8) -> (Self, usize) {
        match text {
            [b'h', b'h', ..] => (Length::Char, 2),
            [b'h', ..] => (Length::Short, 1),
            [b'l', b'l', ..] => (Length::LongLong, 2),
            [b'l', ..] => (Length::Long, 1),
            [b'q' | b'j', ..] => (Length::LongLong, 1),
            [b'z' | b't' | b'Z', ..] if long_width == 64 => (Length::Long, 1),
            [b'z' | b't' | b'Z', ..] => (Length::Int, 1),
            [b'L', ..] => (Length::LongDouble, 1),
            _ => (Length::Int, 0),
        }
    }

    /// The width of an integer of this length.
    pub fn bits(self, long_width: u8) -> u8 {
        match self {
            Length::Char => 8,
            Length::Short => 16,
            Length::Int => 32,
            Length::Long => long_width,
            Length::LongLong | Length::LongDouble => 64,
        }
    }
}

/// The text that a format and its arguments make.
pub(super) fn format(call: &mut Call<'_, '_>, format: &[u8], arguments: &[(Type, Slot)]) -> Step<Vec<u8>> {
    let mut writer = Writer { arguments, next: 0, text: Vec::new() };
    let mut rest = format;
    while let Some(percent) = rest.iter().position(|&byte| byte == b'%') {
        writer.text.extend_from_slice(&rest[..percent]);
        rest = writer.directive(call, &rest[percent + 1..])?;
    }
    writer.text.extend_from_slice(rest);
    Ok(writer.text)
}

struct Writer<'a> {
    arguments: &'a [(Type, Slot)],
    next: usize,
    text: Vec<u8>,
}

impl Writer<'_> {
    fn argument(&mut self, call: &mut Call<'_, '_>) -> Step<(Type, Slot)> {
        let argument = self.arguments.get(self.next).copied();
        self.next += 1;
        match argument {
            Some(argument) => Ok(argument),
            None => call.execution.unsupported(format!(
                "undefined behaviour: {} has fewer arguments than its format asks for",
                call.name
            )),
        }
    }

    fn number(&mut self, call: &mut Call<'_, '_>, bits: u8, signed: bool) -> Step<i128> {
        let (ty, value) = self.argument(call)?;
        let number = match ty {
            Type::Integer(_) | Type::Bool => call.execution.form.number(ty, value),
            Type::Pointer => {
                if !value.is_null() {
                    call.execution.guess(|| String::from("an address is printed"));
                }
                i128::from(call.execution.memory.address(value))
            }
            Type::Float(_) => {
                return call.execution.unsupported("undefined behaviour: a float is printed as an integer");
            }
        };
        if call.execution.form.mathematical {
            return Ok(number);
        }
        Ok(arithmetic::wrap(IntegerType { width: bits, signed }, number))
    }

    /// Writes the argument of the directive after a percent sign, and gives back what follows it.
    fn directive<'t>(&mut self, call: &mut Call<'_, '_>, text: &'t [u8]) -> Step<&'t [u8]> {
        let mut directive = Directive::default();
        let mut rest = text;
        while let Some((&flag, after)) = rest.split_first() {
            match flag {
                b'-' => directive.left = true,
                b'+' => directive.plus = true,
                b' ' => directive.space = true,
                b'#' => directive.alternate = true,
                b'0' => directive.zero = true,
                b'\'' => {}
                _ => break,
            }
            rest = after;
        }
        let (width, after) = self.measure(call, rest)?;
        rest = after;
        directive.left |= width < 0;
        directive.width = width.unsigned_abs() as usize;
        if let [b'.', after @ ..] = rest {
            let (precision, after) = self.measure(call, after)?;
            directive.precision = usize::try_from(precision).ok();
            rest = after;
        }
        let (length, used) = Length::parse(rest, call.long_width());
        directive.length = length;
        let Some((&conversion, rest)) = rest[used..].split_first() else {
            return call.execution.unsupported(format!("the format of {} ends in a directive", call.name));
        };
        directive.conversion = conversion;
        self.convert(call, &directive)?;
        Ok(rest)
    }

    /// A width or precision: digits, or a star for an argument.
    fn measure<'t>(&mut self, call: &mut Call<'_, '_>, text: &'t [u8]) -> Step<(i128, &'t [u8])> {
        if let [b'*', rest @ ..] = text {
            let value = self.number(call, 32, true)?;
            return Ok((value.clamp(-WIDEST, WIDEST), rest));
        }
        let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let value = text[..count]
            .iter()
            .fold(0, |value: i128, digit| (value * 10 + i128::from(digit - b'0')).min(WIDEST));
        Ok((value, &text[count..]))
    }

    fn convert(&mut self, call: &mut Call<'_, '_>, directive: &Directive) -> Step<()> {
        let bits = directive.length.bits(call.long_width());
        match directive.conversion {
            b'%' => self.text.push(b'%'),
            b'd' | b'i' => {
                let value = self.number(call, bits, true)?;
                let sign = directive.sign(value < 0);
                self.integer(directive, sign, value.unsigned_abs().to_string());
            }
            b'u' => {
                let value = self.number(call, bits, false)? as u128;
                self.integer(directive, "", value.to_string());
            }
            b'o' => {
                let value = self.number(call, bits, false)? as u128;
                let mut digits = format!("{value:o}");
                if directive.alternate && directive.precision.unwrap_or(0) <= digits.len() && value != 0 {
                    digits.insert(0, '0');
                }
                if directive.alternate && value == 0 && directive.precision == Some(0) {
                    return self.pad_text(directive, b"0");
                }
                self.integer(directive, "", digits);
            }
            b'x' | b'X' => {
                let value = self.number(call, bits, false)? as u128;
                let upper = directive.conversion == b'X';
                let digits = if upper { format!("{value:X}") } else { format!("{value:x}") };
                let prefix = match (directive.alternate && value != 0, upper) {
                    (true, true) => "0X",
                    (true, false) => "0x",
                    (false, _) => "",
                };
                self.integer(directive, prefix, digits);
            }
            b'c' if directive.length != Length::Long => {
                let byte = self.number(call, 8, false)? as u8;
                return self.pad_text(directive, &[byte]);
            }
            b's' if directive.length != Length::Long => return self.string(call, directive),
            b'p' => {
                let (ty, value) = self.argument(call)?;
                let value = call.execution.iteration(ty, Type::Pointer, value)?;
                if value.is_null() {
                    return self.pad_text(directive, b"(nil)");
                }
                call.execution.guess(|| String::from("an address is printed"));
                let digits = format!("{:x}", call.execution.memory.address(value));
                self.integer(directive, "0x", digits);
            }
            b'n' => {
                let (ty, value) = self.argument(call)?;
                let pointer = call.execution.iteration(ty, Type::Pointer, value)?;
                let count = (self.text.len() as u64).to_le_bytes();
                let argument = call.arguments.len().saturating_sub(1);
                call.write(argument, pointer, &count[..usize::from(bits / 8)])?;
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => return self.float(call, directive),
            b'm' => {
                let pointer = call.error_number()?;
                let number = call.execution.memory.read_small(pointer, 4).unwrap_or(0) as i32;
                return self.pad_text(directive, error_text(number).as_bytes());
            }
            other => {
                let name = call.name;
                return call
                    .execution
                    .unsupported(format!("{name} with the directive %{}", char::from(other)));
            }
        }
        Ok(())
    }

    /// Writes a text with the width of a directive.
    fn pad_text(&mut self, directive: &Directive, text: &[u8]) -> Step<()> {
        let padding = directive.width.saturating_sub(text.len());
        let spaces = std::iter::repeat_n(b' ', padding);
        if directive.left {
            self.text.extend_from_slice(text);
            self.text.extend(spaces);
        } else {
            self.text.extend(spaces);
            self.text.extend_from_slice(text);
        }
        Ok(())
    }

    fn integer(&mut self, directive: &Directive, prefix: &str, digits: String) {
        let digits = if directive.precision == Some(0) && digits == "0" { String::new() } else { digits };
        let zeros = match directive.precision {
            Some(precision) => precision.saturating_sub(digits.len()),
            None if directive.zero && !directive.left => {
                directive.width.saturating_sub(prefix.len() + digits.len())
            }
            None => 0,
        };
        let text = [prefix, &"0".repeat(zeros), &digits].concat();
        let _ = self.pad_text(directive, text.as_bytes());
    }

    fn string(&mut self, call: &mut Call<'_, '_>, directive: &Directive) -> Step<()> {
        let argument = self.next.min(call.arguments.len().saturating_sub(1));
        let (ty, value) = self.argument(call)?;
        let pointer = call.execution.iteration(ty, Type::Pointer, value)?;
        if pointer.is_null() {
            let text: &[u8] =
                if directive.precision.is_none_or(|precision| precision >= 6) { b"(null)" } else { b"" };
            return self.pad_text(directive, text);
        }
        let limit = directive.precision.map_or(u64::MAX, |precision| precision as u64);
        let text = call.bytes_until(argument, pointer, limit)?;
        self.pad_text(directive, &text)
    }

    fn float(&mut self, call: &mut Call<'_, '_>, directive: &Directive) -> Step<()> {
        let (ty, value) = self.argument(call)?;
        let Type::Float(given) = ty else {
            return call.execution.unsupported("undefined behaviour: an integer is printed as a float");
        };
        // A `float` was promoted to `double` before it was passed.
        let shown = match given {
            FloatFormat::Half | FloatFormat::Single => FloatFormat::Double,
            other => other,
        };
        let bits = float::convert(given, shown, value.bits());
        let parts = Parts::of(shown, bits);
        let sign = directive.sign(parts.negative);
        let upper = directive.conversion.is_ascii_uppercase();
        let (digits, is_number) = match parts.class {
            Class::NotANumber => (String::from("nan"), false),
            Class::Infinite => (String::from("inf"), false),
            Class::Finite { mantissa, exponent } => (float_text(directive, shown, mantissa, exponent), true),
        };
        let digits = if upper { digits.to_ascii_uppercase() } else { digits };
        let zeros = if directive.zero && !directive.left && is_number {
            directive.width.saturating_sub(sign.len() + digits.len())
        } else {
            0
        };
        // Zeros go after the prefix of a hexadecimal number.
        let (prefix, digits) = match digits.get(..2) {
            Some("0x" | "0X") => digits.split_at(2),
            _ => ("", digits.as_str()),
        };
        let text = [sign, prefix, &"0".repeat(zeros), digits].concat();
        self.pad_text(directive, text.as_bytes())
    }
}

fn float_text(directive: &Directive, format: FloatFormat, mantissa: u128, exponent: i32) -> String {
    let alternate = directive.alternate;
    let precision = directive.precision.unwrap_or(6);
    let exact = || Decimal::exact(mantissa, exponent);
    match directive.conversion.to_ascii_lowercase() {
        b'f' => fixed(&exact(), precision, alternate),
        b'e' => scientific(&exact(), precision, alternate),
        b'g' => general(&exact(), precision, alternate),
        _ => hexadecimal(format, mantissa, exponent, directive.precision, alternate),
    }
}

impl Directive {
    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, _, _) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }
}
