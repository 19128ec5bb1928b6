//! Numbers in texts, and the language of `scanf`.

use rustc_apfloat::{Float, Round};

use super::ctype::is_space;
use super::format::Length;
use super::stdio::Origin;
use super::{Call, Model, Reply, Values, listed, passed, stdio};
use crate::float::with_format;
use crate::interpret::machine::Step;
use crate::interpret::value::Slot;
use crate::types::{FloatFormat, Type};

pub(super) const MODELS: &[(&str, Model)] = &[
    ("scanf", |call| scan(call, |_| Ok(Source::Input(Origin::Standard)), 0, passed)),
    ("fscanf", |call| scan(call, stream, 1, passed)),
    ("sscanf", |call| scan(call, text, 1, passed)),
    ("vscanf", |call| scan(call, |_| Ok(Source::Input(Origin::Standard)), 0, listed)),
    ("vfscanf", |call| scan(call, stream, 1, listed)),
    ("vsscanf", |call| scan(call, text, 1, listed)),
];

/// The integer at the start of a text: whether it is negative, its magnitude, and how many bytes it takes.
/// Base zero means that the number says its base itself. A magnitude beyond 100 bits is cut there.
pub(super) fn parse_integer(text: &[u8], base: u32) -> Option<(bool, i128, usize)> {
    let spaces = text.iter().take_while(|&&byte| is_space(byte)).count();
    let mut place = spaces;
    let negative = text.get(place) == Some(&b'-');
    place += usize::from(matches!(text.get(place), Some(b'-' | b'+')));
    let is_hexadecimal =
        matches!(text.get(place..), Some([b'0', b'x' | b'X', digit, ..]) if digit.is_ascii_hexdigit());
    let base = match base {
        0 | 16 if is_hexadecimal => {
            place += 2;
            16
        }
        0 if text.get(place) == Some(&b'0') => 8,
        0 => 10,
        base => base,
    };
    let mut magnitude: i128 = 0;
    let first = place;
    while let Some(digit) =
        text.get(place).and_then(|&byte| char::from(byte).to_digit(36)).filter(|&digit| digit < base)
    {
        magnitude = (magnitude * i128::from(base) + i128::from(digit)).min(1 << 100);
        place += 1;
    }
    (place > first).then_some((negative, magnitude, place))
}

/// The floating point number at the start of a text: its bits, how many bytes it takes (zero if there is none),
/// and whether the format can hold it.
pub(super) fn parse_float(text: &[u8], format: FloatFormat) -> (u128, usize, bool) {
    let spaces = text.iter().take_while(|&&byte| is_space(byte)).count();
    let length = float_length(&text[spaces..]);
    let word = String::from_utf8_lossy(&text[spaces..spaces + length]).to_ascii_lowercase();
    if word.is_empty() {
        return (0, 0, true);
    }
    let unsigned = word.trim_start_matches(['+', '-']);
    let negative = word.starts_with('-');
    let named = unsigned.starts_with('i') || unsigned.starts_with('n');
    let number = if unsigned.starts_with("0x") && !unsigned.contains('p') {
        format!("{unsigned}p0")
    } else {
        unsigned.to_owned()
    };
    let bits = match (unsigned.as_bytes().first(), format) {
        (Some(b'i'), _) => with_format!(format, F => F::INFINITY.to_bits()),
        (Some(b'n'), _) => with_format!(format, F => F::NAN.to_bits()),
        (_, FloatFormat::Double) if !number.starts_with("0x") => {
            u128::from(number.parse::<f64>().unwrap_or(0.0).to_bits())
        }
        (_, FloatFormat::Single) if !number.starts_with("0x") => {
            u128::from(number.parse::<f32>().unwrap_or(0.0).to_bits())
        }
        _ => with_format!(format, F => {
            F::from_str_r(&number, Round::NearestTiesToEven).map_or(0, |result| result.value.to_bits())
        }),
    };
    let (infinite, zero) =
        with_format!(format, F => (F::from_bits(bits).is_infinite(), F::from_bits(bits).is_zero()));
    let digits = unsigned.split(['e', 'p']).next().unwrap_or_default();
    let is_zero_text = digits.bytes().all(|byte| !(b'1'..=b'9').contains(&byte));
    let in_range = named || !(infinite || (zero && !is_zero_text));
    let sign = if negative { 1 << (format.bits() - 1) } else { 0 };
    (bits | sign, spaces + length, in_range)
}

/// How many bytes the floating point number at the start of a text takes.
fn float_length(text: &[u8]) -> usize {
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let rest = text[sign..].to_ascii_lowercase();
    for word in ["infinity", "inf", "nan"] {
        if rest.starts_with(word.as_bytes()) {
            return sign + word.len();
        }
    }
    let hexadecimal = rest.starts_with(b"0x");
    let prefix = if hexadecimal { 2 } else { 0 };
    let is_digit = |byte: &&u8| if hexadecimal { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    let whole = rest[prefix..].iter().take_while(is_digit).count();
    let mut place = prefix + whole;
    let mut digits = whole;
    if rest.get(place) == Some(&b'.') {
        let fraction = rest[place + 1..].iter().take_while(is_digit).count();
        if whole + fraction > 0 {
            place += 1 + fraction;
            digits += fraction;
        }
    }
    if digits == 0 {
        // "0x" without a digit is the number zero before an x.
        return if hexadecimal { sign + 1 } else { 0 };
    }
    let marker = if hexadecimal { b'p' } else { b'e' };
    if rest.get(place) == Some(&marker) {
        let sign = usize::from(matches!(rest.get(place + 1), Some(b'-' | b'+')));
        let exponent = rest[place + 1 + sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if exponent > 0 {
            place += 1 + sign + exponent;
        }
    }
    sign + place
}

/// Where `scanf` reads.
enum Source {
    Input(Origin),
    Text(Vec<u8>, usize),
}

struct Scanner<'a> {
    source: Source,
    taken: u64,
    arguments: &'a [(Type, Slot)],
    next: usize,
}

/// Why a scan ends before its format does.
enum Failure {
    /// The input is at its end.
    Input,
    /// The input is something else.
    Matching,
}

fn stream(call: &mut Call<'_, '_>) -> Step<Source> {
    stdio::readable(call, 0).map(Source::Input)
}

fn text(call: &mut Call<'_, '_>) -> Step<Source> {
    Ok(Source::Text(call.string(0)?, 0))
}

fn scan(
    call: &mut Call<'_, '_>,
    source: fn(&mut Call<'_, '_>) -> Step<Source>,
    format: usize,
    values: Values,
) -> Step<Reply> {
    let source = source(call)?;
    let arguments = &values(call, format + 1)?;
    let format = call.string(format)?;
    let mut scanner = Scanner { source, taken: 0, arguments, next: 0 };
    let mut assigned = 0;
    let mut converted = false;
    let mut rest = format.as_slice();
    while let Some((&byte, after)) = rest.split_first() {
        if is_space(byte) {
            scanner.skip_spaces(call);
            rest = after;
            continue;
        }
        let (result, after) = if byte == b'%' && after.first() != Some(&b'%') {
            scanner.directive(call, after)?
        } else {
            let after = if byte == b'%' { &after[1..] } else { after };
            if byte == b'%' {
                scanner.skip_spaces(call);
            }
            (scanner.literal(call, byte), after)
        };
        rest = after;
        match result {
            Ok(stored) => {
                assigned += i128::from(stored);
                converted |= stored;
            }
            Err(Failure::Input) if !converted => return Ok(Reply::Integer(-1)),
            Err(_) => break,
        }
    }
    Ok(Reply::Integer(assigned))
}

impl Scanner<'_> {
    fn take(&mut self, call: &mut Call<'_, '_>) -> Option<u8> {
        let byte = match &mut self.source {
            Source::Input(origin) => stdio::get(call, *origin),
            Source::Text(text, place) => {
                let byte = text.get(*place).copied();
                *place += usize::from(byte.is_some());
                byte
            }
        };
        self.taken += u64::from(byte.is_some());
        byte
    }

    fn give_back(&mut self, call: &mut Call<'_, '_>, byte: Option<u8>) {
        let Some(byte) = byte else { return };
        self.taken -= 1;
        match &mut self.source {
            Source::Input(origin) => stdio::give_back(call, *origin, byte),
            Source::Text(_, place) => *place -= 1,
        }
    }

    fn skip_spaces(&mut self, call: &mut Call<'_, '_>) {
        loop {
            let byte = self.take(call);
            if !byte.is_some_and(is_space) {
                self.give_back(call, byte);
                return;
            }
        }
    }

    fn literal(&mut self, call: &mut Call<'_, '_>, wanted: u8) -> Result<bool, Failure> {
        match self.take(call) {
            Some(byte) if byte == wanted => Ok(false),
            Some(byte) => {
                self.give_back(call, Some(byte));
                Err(Failure::Matching)
            }
            None => Err(Failure::Input),
        }
    }

    /// Takes bytes while the text they make can go on with the next one.
    fn take_while(
        &mut self,
        call: &mut Call<'_, '_>,
        limit: usize,
        mut goes_on: impl FnMut(&[u8], u8) -> bool,
    ) -> Vec<u8> {
        let limit = limit.min(call.most_bytes());
        let mut text = Vec::new();
        while text.len() < limit {
            match self.take(call) {
                Some(byte) if goes_on(&text, byte) => text.push(byte),
                byte => {
                    self.give_back(call, byte);
                    break;
                }
            }
        }
        text
    }

    /// Reads what the directive after a percent sign wants; says whether it was stored.
    fn directive<'t>(
        &mut self,
        call: &mut Call<'_, '_>,
        text: &'t [u8],
    ) -> Step<(Result<bool, Failure>, &'t [u8])> {
        let suppressed = text.first() == Some(&b'*');
        let rest = &text[usize::from(suppressed)..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let width = rest[..digits]
            .iter()
            .fold(0usize, |all, digit| (all * 10 + usize::from(digit - b'0')).min(1 << 30));
        let width = if digits == 0 { None } else { Some(width.max(1)) };
        let rest = &rest[digits..];
        let (length, used) = Length::parse(rest, call.long_width());
        let Some((&conversion, mut rest)) = rest[used..].split_first() else {
            return call.execution.unsupported(format!("the format of {} ends in a directive", call.name));
        };
        let set = if conversion == b'[' {
            let (set, after) = byte_set(rest);
            rest = after;
            set
        } else {
            [false; 256]
        };
        if !matches!(conversion, b'c' | b'[' | b'n') {
            self.skip_spaces(call);
        }
        if conversion != b'n' {
            let byte = self.take(call);
            if byte.is_none() {
                return Ok((Err(Failure::Input), rest));
            }
            self.give_back(call, byte);
        }
        let value = match conversion {
            b'n' => {
                Some(self.taken.to_le_bytes()[..usize::from(length.bits(call.long_width()) / 8)].to_vec())
            }
            b'd' | b'u' => self.integer(call, width, 10, length),
            b'i' => self.integer(call, width, 0, length),
            b'o' => self.integer(call, width, 8, length),
            b'x' | b'X' => self.integer(call, width, 16, length),
            b'p' => self.integer(call, width, 16, Length::Long),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => self.float(call, width, length),
            b'c' => {
                // glibc is content with fewer bytes if the input ends.
                let text = self.take_while(call, width.unwrap_or(1), |_, _| true);
                (!text.is_empty()).then_some(text)
            }
            b's' => Some(terminated(
                self.take_while(call, width.unwrap_or(usize::MAX), |_, byte| !is_space(byte)),
            )),
            b'[' => {
                let text =
                    self.take_while(call, width.unwrap_or(usize::MAX), |_, byte| set[usize::from(byte)]);
                (!text.is_empty()).then(|| terminated(text))
            }
            other => {
                let name = call.name;
                return call
                    .execution
                    .unsupported(format!("{name} with the directive %{}", char::from(other)));
            }
        };
        let Some(value) = value else { return Ok((Err(Failure::Matching), rest)) };
        if suppressed {
            return Ok((Ok(false), rest));
        }
        self.store(call, &value)?;
        Ok((Ok(conversion != b'n'), rest))
    }

    fn store(&mut self, call: &mut Call<'_, '_>, value: &[u8]) -> Step<()> {
        let Some(&(ty, pointer)) = self.arguments.get(self.next) else {
            return call.execution.unsupported(format!(
                "undefined behaviour: {} has fewer arguments than its format asks for",
                call.name
            ));
        };
        self.next += 1;
        let pointer = call.execution.iteration(ty, Type::Pointer, pointer)?;
        let argument = call.arguments.len() - self.arguments.len().min(call.arguments.len()) + self.next - 1;
        call.write(argument, pointer, value)
    }

    fn integer(
        &mut self,
        call: &mut Call<'_, '_>,
        width: Option<usize>,
        base: u32,
        length: Length,
    ) -> Option<Vec<u8>> {
        let text = self.take_while(call, width.unwrap_or(usize::MAX), |text, byte| {
            let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
            let prefixed = digits.len() > 1 && matches!(digits[1], b'x' | b'X');
            match byte {
                b'-' | b'+' => text.is_empty(),
                b'x' | b'X' if digits == b"0" => matches!(base, 0 | 16),
                _ => {
                    let base = match base {
                        0 if prefixed => 16,
                        0 if digits.first() == Some(&b'0') => 8,
                        0 => 10,
                        base => base,
                    };
                    char::from(byte).to_digit(36).is_some_and(|digit| digit < base)
                }
            }
        });
        let (negative, magnitude, _) = parse_integer(&text, base)?;
        let value = if negative { -magnitude } else { magnitude };
        let bytes = usize::from(length.bits(call.long_width()) / 8);
        Some(value.to_le_bytes()[..bytes].to_vec())
    }

    fn float(&mut self, call: &mut Call<'_, '_>, width: Option<usize>, length: Length) -> Option<Vec<u8>> {
        let text = self.take_while(call, width.unwrap_or(usize::MAX), |text, byte| {
            let lower = text.to_ascii_lowercase();
            let unsigned = lower.strip_prefix(b"-").or(lower.strip_prefix(b"+")).unwrap_or(&lower);
            let hexadecimal = unsigned.starts_with(b"0x");
            let marker = if hexadecimal { b'p' } else { b'e' };
            let in_exponent = unsigned.contains(&marker);
            match byte.to_ascii_lowercase() {
                b'-' | b'+' => text.is_empty() || unsigned.last() == Some(&marker),
                b'.' => !in_exponent && !unsigned.contains(&b'.'),
                b'x' => unsigned == b"0",
                b'0'..=b'9' => true,
                byte if byte == marker => !in_exponent && !unsigned.is_empty() && unsigned != b"0x",
                byte if hexadecimal => byte.is_ascii_hexdigit() && !in_exponent,
                byte => {
                    let mut longer = unsigned.to_vec();
                    longer.push(byte);
                    b"infinity".starts_with(&longer) || b"nan".starts_with(&longer)
                }
            }
        });
        let format = match length {
            Length::LongDouble => FloatFormat::Extended,
            Length::Long => FloatFormat::Double,
            _ => FloatFormat::Single,
        };
        let (bits, used, _) = parse_float(&text, format);
        let size = format.bytes(call.execution.program.data_model) as usize;
        (used > 0 && used == text.len()).then(|| bits.to_le_bytes()[..size].to_vec())
    }
}

fn terminated(mut text: Vec<u8>) -> Vec<u8> {
    text.push(0);
    text
}

/// The set after `%[`, and what follows it.
fn byte_set(text: &[u8]) -> ([bool; 256], &[u8]) {
    let negated = text.first() == Some(&b'^');
    let start = usize::from(negated);
    let mut set = [negated; 256];
    let mut place = start;
    while let Some(&byte) = text.get(place) {
        if byte == b']' && place > start {
            place += 1;
            break;
        }
        match text.get(place + 1..place + 3) {
            Some(&[b'-', last]) if last != b']' => {
                (byte..=last).for_each(|member| set[usize::from(member)] = !negated);
                place += 3;
            }
            _ => {
                set[usize::from(byte)] = !negated;
                place += 1;
            }
        }
    }
    (set, &text[place..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_in_texts() {
        assert_eq!(parse_integer(b"  -12x", 10), Some((true, 12, 5)));
        assert_eq!(parse_integer(b"0x1f", 0), Some((false, 31, 4)));
        assert_eq!(parse_integer(b"0xg", 16), Some((false, 0, 1)));
        assert_eq!(parse_integer(b"017", 0), Some((false, 15, 3)));
        assert_eq!(parse_integer(b"zz", 36), Some((false, 35 * 36 + 35, 2)));
        assert_eq!(parse_integer(b"+", 10), None);
        assert_eq!(parse_integer(b"", 10), None);
    }

    #[test]
    fn floats_in_texts() {
        let double = |text: &str| {
            let (bits, used, in_range) = parse_float(text.as_bytes(), FloatFormat::Double);
            (f64::from_bits(bits as u64), used, in_range)
        };
        assert_eq!(double(" 1.5e3abc"), (1500.0, 6, true));
        assert_eq!(double("1e"), (1.0, 1, true));
        assert_eq!(double(".5."), (0.5, 2, true));
        assert_eq!(double("-0x1.8p1"), (-3.0, 8, true));
        assert_eq!(double("0xg"), (0.0, 1, true));
        assert_eq!(double("inf"), (f64::INFINITY, 3, true));
        assert_eq!(double("1e999"), (f64::INFINITY, 5, false));
        assert_eq!(double("1e-999"), (0.0, 6, false));
        assert_eq!(double("x").1, 0);
        let (bits, _, _) = parse_float(b"1", FloatFormat::Extended);
        assert_eq!(bits, 0x3fff_8000_0000_0000_0000);
    }

    #[test]
    fn sets_have_ranges() {
        let (set, rest) = byte_set(b"a-cx]d");
        assert!(set[usize::from(b'b')] && set[usize::from(b'x')] && !set[usize::from(b'd')]);
        assert_eq!(rest, b"d");
        let (set, _) = byte_set(b"^]\n]");
        assert!(!set[usize::from(b']')] && !set[usize::from(b'\n')] && set[usize::from(b'a')]);
    }
}
