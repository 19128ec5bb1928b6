//! The text form of expressions and formulas: C-like, and read back as it is written.
//!
//! ```text
//! i <= n && entry(x) + 2 * #iterations == x  a condition; `entry(x)` is x at loop entry
//! x' >= x || offset(p)' < size(p)           `x'` is x after one iteration more
//! min(a, b) / 2, a % 8, 2 ** #iterations, if(a < b, a, b)
//! every(k, 0, i, a.s4[k] == 0)              for all k from 0 to i - 1; signed elements of four bytes of a
//! terminated(s) == 1 && i <= length(s)      a zero byte in s, and the offset of the first one
//! ```
//!
//! Division rounds down, unlike C's. Reading a sum gives back a sum of the same parts, nested or not.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use crate::expression::{
    Aspect, Comparison, Element, Expression, Formula, Integer, Moment, Quantity, constant,
};

impl Display for Quantity {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.aspect {
            Aspect::Value => self.variable.fmt(f),
            aspect => write!(f, "{}({})", aspect.word(), self.variable),
        }
    }
}

impl Aspect {
    /// All aspects that are written as a word before the variable.
    const WORDS: [Aspect; 6] =
        [Aspect::Offset, Aspect::Size, Aspect::Object, Aspect::Terminated, Aspect::Length, Aspect::Place];

    const fn word(self) -> &'static str {
        match self {
            Aspect::Value => "value",
            Aspect::Offset => "offset",
            Aspect::Size => "size",
            Aspect::Object => "object",
            Aspect::Terminated => "terminated",
            Aspect::Length => "length",
            Aspect::Place => "place",
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|aspect| aspect.word() == word)
    }
}

impl Moment {
    /// Writes something at this moment.
    fn write(self, f: &mut Formatter<'_>, what: &dyn Display) -> fmt::Result {
        match self {
            Moment::Entry => write!(f, "entry({what})"),
            Moment::Start => write!(f, "start({what})"),
            Moment::Now => what.fmt(f),
            Moment::Next => write!(f, "{what}'"),
        }
    }
}

impl Display for Element {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.signed { 's' } else { 'u' };
        self.moment.write(f, &format_args!("{}.{sign}{}[{}]", self.buffer, self.bytes, self.index))
    }
}

/// How tightly an expression holds together: a part that is looser than its surroundings needs parentheses.
const SUM: u8 = 0;
const PRODUCT: u8 = 1;
const ATOM: u8 = 2;

impl Expression {
    fn tightness(&self) -> u8 {
        match self {
            Expression::Sum(parts) if parts.len() > 1 => SUM,
            Expression::Product(parts) if parts.len() > 1 => PRODUCT,
            Expression::Sum(parts) | Expression::Product(parts) => {
                parts.first().map_or(ATOM, Self::tightness)
            }
            Expression::Quotient { .. } | Expression::Remainder { .. } | Expression::Power { .. } => PRODUCT,
            Expression::Constant(number) if *number < Integer::ZERO => PRODUCT,
            _ => ATOM,
        }
    }

    /// Writes it as a part of something that needs this tightness.
    fn write(&self, f: &mut Formatter<'_>, needed: u8) -> fmt::Result {
        if self.tightness() < needed { write!(f, "({self})") } else { self.fmt(f) }
    }

    /// The number of which this is the negation, if it is written as one.
    pub fn negated(&self) -> Option<Expression> {
        match self {
            Expression::Constant(number) if *number < Integer::ZERO => Some(Expression::Constant(-number)),
            Expression::Product(parts) => match parts.split_first()? {
                (Expression::Constant(first), [only]) if *first == Integer::NEG_ONE => Some(only.clone()),
                (Expression::Constant(first), rest) if *first < Integer::ZERO && !rest.is_empty() => {
                    let mut parts = rest.to_vec();
                    if *first != Integer::NEG_ONE {
                        parts.insert(0, Expression::Constant(-first));
                    }
                    Some(Expression::Product(parts))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

fn call(f: &mut Formatter<'_>, name: &str, parts: &[Expression]) -> fmt::Result {
    write!(f, "{name}(")?;
    for (index, part) in parts.iter().enumerate() {
        write!(f, "{}{part}", if index > 0 { ", " } else { "" })?;
    }
    f.write_str(")")
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Constant(number) => number.fmt(f),
            Expression::Quantity { quantity, moment } => moment.write(f, quantity),
            Expression::Counter => f.write_str("#iterations"),
            Expression::Sum(parts) => {
                let Some((first, rest)) = parts.split_first() else { return f.write_str("0") };
                first.write(f, SUM)?;
                for part in rest {
                    match part.negated() {
                        Some(part) => {
                            f.write_str(" - ")?;
                            part.write(f, PRODUCT)?;
                        }
                        None => {
                            f.write_str(" + ")?;
                            part.write(f, PRODUCT)?;
                        }
                    }
                }
                Ok(())
            }
            Expression::Product(parts) => {
                let Some((first, rest)) = parts.split_first() else { return f.write_str("1") };
                first.write(f, PRODUCT)?;
                for part in rest {
                    f.write_str(" * ")?;
                    part.write(f, ATOM)?;
                }
                Ok(())
            }
            Expression::Quotient { dividend, divisor } => {
                dividend.write(f, ATOM)?;
                write!(f, " / {divisor}")
            }
            Expression::Remainder { dividend, divisor } => {
                dividend.write(f, ATOM)?;
                write!(f, " % {divisor}")
            }
            Expression::Minimum(parts) => call(f, "min", parts),
            Expression::Maximum(parts) => call(f, "max", parts),
            Expression::Power { base, exponent } => {
                write!(f, "{base} ** ")?;
                exponent.write(f, ATOM)
            }
            Expression::Select { condition, then, otherwise } => {
                write!(f, "if({condition}, {then}, {otherwise})")
            }
            Expression::Element(element) => element.fmt(f),
        }
    }
}

impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let list = |f: &mut Formatter<'_>, parts: &[Formula], between: &str, empty: &str| {
            if parts.is_empty() {
                return f.write_str(empty);
            }
            for (index, part) in parts.iter().enumerate() {
                f.write_str(if index > 0 { between } else { "" })?;
                // A list of one part reads like that part.
                let mut read = part;
                while let Formula::All(inner) | Formula::Any(inner) = read
                    && let [only] = &inner[..]
                {
                    read = only;
                }
                match read {
                    Formula::All(inner) | Formula::Any(inner) if inner.len() > 1 && parts.len() > 1 => {
                        write!(f, "({part})")?;
                    }
                    _ => part.fmt(f)?,
                }
            }
            Ok(())
        };
        match self {
            Formula::True => f.write_str("true"),
            Formula::False => f.write_str("false"),
            Formula::Compare { left, comparison, right } => {
                write!(f, "{left} {} {right}", comparison.symbol())
            }
            Formula::Not(inner) => write!(f, "!({inner})"),
            Formula::All(parts) => list(f, parts, " && ", "true"),
            Formula::Any(parts) => list(f, parts, " || ", "false"),
            Formula::Every { name, from, to, body } => write!(f, "every({name}, {from}, {to}, {body})"),
        }
    }
}

/// Why a text is no expression or formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// What was expected.
    pub expected: &'static str,
    /// At which byte of the text.
    pub at: usize,
}

impl Display for TextError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.at)
    }
}

impl std::error::Error for TextError {}

impl FromStr for Expression {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        Reader::whole(text, Reader::expression)
    }
}

impl FromStr for Formula {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        Reader::whole(text, Reader::formula)
    }
}

/// Nesting that the reader follows.
const DEEPEST: u32 = 100;

#[derive(Clone)]
struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

impl<'a> Reader<'a> {
    /// Reads all of a text.
    fn whole<T>(text: &'a str, read: fn(&mut Self) -> Result<T, TextError>) -> Result<T, TextError> {
        let mut reader = Reader { text, at: 0, depth: 0 };
        let found = read(&mut reader)?;
        reader.end()?;
        Ok(found)
    }

    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn need(&mut self, token: &'static str) -> Result<(), TextError> {
        if self.eat(token) { Ok(()) } else { Err(self.error(token)) }
    }

    fn error(&self, expected: &'static str) -> TextError {
        TextError { expected, at: self.at }
    }

    fn end(&mut self) -> Result<(), TextError> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.error("the end")) }
    }

    fn deeper(&mut self) -> Result<(), TextError> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(self.error("less nesting")) } else { Ok(()) }
    }

    fn word(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        if !(first.is_alphabetic() || first == '_' || first == '$') {
            return None;
        }
        let end_of_name = |text: &str| {
            text.find(|c: char| !(c.is_alphanumeric() || "_$#.".contains(c))).unwrap_or(text.len())
        };
        let mut end = end_of_name(rest);
        // `begin(p)` and `end(p)` are names: of where the object lies through which a pointer walks.
        if matches!(&rest[..end], "begin" | "end")
            && let Some(inner) = rest[end..].strip_prefix('(')
            && let Some(after) = inner[end_of_name(inner)..].strip_prefix(')')
        {
            end = rest.len() - after.len() + end_of_name(after);
        }
        self.at += end;
        Some(&rest[..end])
    }

    fn number(&mut self) -> Option<Integer> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..end].parse().ok()?;
        self.at += end;
        Some(number)
    }

    fn formula(&mut self) -> Result<Formula, TextError> {
        self.deeper()?;
        let mut parts = vec![self.conjunction()?];
        while self.eat("||") {
            parts.push(self.conjunction()?);
        }
        self.depth -= 1;
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::Any(parts) })
    }

    fn conjunction(&mut self) -> Result<Formula, TextError> {
        let mut parts = vec![self.literal()?];
        while self.eat("&&") {
            parts.push(self.literal()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::All(parts) })
    }

    fn literal(&mut self) -> Result<Formula, TextError> {
        if self.rest().starts_with('!') {
            self.need("!")?;
            self.need("(")?;
            let inner = self.formula()?;
            self.need(")")?;
            return Ok(!inner);
        }
        let mut ahead = self.clone();
        match ahead.word() {
            Some("true") => return Ok(self.take(ahead, Formula::True)),
            Some("false") => return Ok(self.take(ahead, Formula::False)),
            Some("every") if ahead.eat("(") => {
                *self = ahead;
                return self.every();
            }
            _ => {}
        }
        // A parenthesis opens an expression or a formula: what follows tells.
        let mut ahead = self.clone();
        match ahead.comparison() {
            Ok(formula) => Ok(self.take(ahead, formula)),
            Err(error) if self.rest().starts_with('(') => {
                self.need("(")?;
                let inner = self.formula().map_err(|_| error)?;
                self.need(")")?;
                Ok(inner)
            }
            Err(error) => Err(error),
        }
    }

    fn every(&mut self) -> Result<Formula, TextError> {
        let name = self.word().ok_or_else(|| self.error("a name"))?;
        self.need(",")?;
        let from = self.expression()?;
        self.need(",")?;
        let to = self.expression()?;
        self.need(",")?;
        let body = self.formula()?;
        self.need(")")?;
        Ok(Formula::every(name, from, to, body))
    }

    fn take<T>(&mut self, ahead: Self, value: T) -> T {
        *self = ahead;
        value
    }

    fn comparison(&mut self) -> Result<Formula, TextError> {
        let left = self.expression()?;
        // The longer symbols first.
        let found = [0, 1, 3, 5, 2, 4].into_iter().map(|index| Comparison::ALL[index]);
        for comparison in found {
            if self.eat(comparison.symbol()) {
                return Ok(left.compare(comparison, self.expression()?));
            }
        }
        Err(self.error("a comparison"))
    }

    fn expression(&mut self) -> Result<Expression, TextError> {
        self.deeper()?;
        let mut parts = vec![self.product()?];
        loop {
            if self.eat("+") {
                parts.push(self.product()?);
            } else if self.eat("-") {
                parts.push(-self.product()?);
            } else {
                break;
            }
        }
        self.depth -= 1;
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Sum(parts) })
    }

    fn product(&mut self) -> Result<Expression, TextError> {
        let mut parts = vec![self.atom()?];
        loop {
            let whole = |parts: &mut Vec<Expression>| match parts.len() {
                1 => parts.remove(0),
                _ => Expression::Product(std::mem::take(parts)),
            };
            if self.rest().starts_with("**") {
                return Err(self.error("a number before `**`"));
            } else if self.eat("*") {
                parts.push(self.atom()?);
            } else if self.eat("/") {
                let divisor = self.number().ok_or_else(|| self.error("a number"))?;
                parts = vec![whole(&mut parts).quotient(divisor)];
            } else if self.eat("%") {
                let divisor = self.number().ok_or_else(|| self.error("a number"))?;
                parts = vec![whole(&mut parts).remainder(divisor)];
            } else {
                return Ok(whole(&mut parts));
            }
        }
    }

    fn atom(&mut self) -> Result<Expression, TextError> {
        if self.eat("#iterations") {
            return Ok(Expression::Counter);
        }
        if self.eat("-") {
            self.deeper()?;
            let atom = self.atom()?;
            self.depth -= 1;
            return Ok(match atom {
                Expression::Power { base, exponent } => Expression::Power { base: -base, exponent },
                atom => -atom,
            });
        }
        if let Some(number) = self.number() {
            return if self.eat("**") { Ok(self.atom()?.power_of(number)) } else { Ok(constant(number)) };
        }
        if self.eat("(") {
            let inner = self.expression()?;
            self.need(")")?;
            return Ok(inner);
        }
        let Some(word) = self.word() else { return Err(self.error("an expression")) };
        if self.eat("[") {
            let element = self.element(word)?;
            let moment = self.now_or_next();
            return Ok(Expression::Element(Element { moment, ..element }));
        }
        if !self.rest().starts_with('(') {
            return Ok(self.moment(Quantity::value(word)));
        }
        self.need("(")?;
        let result = match word {
            "min" => Expression::Minimum(self.list()?),
            "max" => Expression::Maximum(self.list()?),
            "if" => {
                let condition = Box::new(self.formula()?);
                self.need(",")?;
                let then = Box::new(self.expression()?);
                self.need(",")?;
                Expression::Select { condition, then, otherwise: Box::new(self.expression()?) }
            }
            "entry" => self.before(Moment::Entry)?,
            "start" => self.before(Moment::Start)?,
            _ => {
                let Some(aspect) = Aspect::of_word(word) else {
                    return Err(
                        self.error("min, max, if, entry, start, offset, size, object, terminated or length")
                    );
                };
                let variable = self.word().ok_or_else(|| self.error("a variable"))?;
                self.need(")")?;
                return Ok(self.moment(Quantity { variable: variable.into(), aspect }));
            }
        };
        self.need(")")?;
        Ok(result)
    }

    fn now_or_next(&mut self) -> Moment {
        if self.eat("'") { Moment::Next } else { Moment::Now }
    }

    fn moment(&mut self, quantity: Quantity) -> Expression {
        let moment = self.now_or_next();
        quantity.at(moment)
    }

    /// What follows `entry(`.
    fn before(&mut self, moment: Moment) -> Result<Expression, TextError> {
        let word = self.word().ok_or_else(|| self.error("a variable"))?;
        if self.eat("[") {
            let element = self.element(word)?;
            return Ok(Expression::Element(Element { moment, ..element }));
        }
        let quantity = match Aspect::of_word(word) {
            Some(aspect) if self.eat("(") => {
                let variable = self.word().ok_or_else(|| self.error("a variable"))?;
                self.need(")")?;
                Quantity { variable: variable.into(), aspect }
            }
            _ => Quantity::value(word),
        };
        Ok(quantity.at(moment))
    }

    /// What follows `name.s4[`.
    fn element(&mut self, word: &str) -> Result<Element, TextError> {
        let parts = word.rsplit_once('.').and_then(|(buffer, kind)| {
            let signed = kind.starts_with('s');
            let bytes = kind.strip_prefix(if signed { 's' } else { 'u' })?.parse().ok()?;
            Some((buffer, signed, bytes)).filter(|_| matches!(bytes, 1 | 2 | 4 | 8))
        });
        let Some((buffer, signed, bytes)) = parts else {
            return Err(self.error("elements of a kind, like `a.s4[k]`"));
        };
        let index = Box::new(self.expression()?);
        self.need("]")?;
        Ok(Element { buffer: buffer.into(), index, bytes, signed, moment: Moment::Now })
    }

    fn list(&mut self) -> Result<Vec<Expression>, TextError> {
        let mut parts = vec![self.expression()?];
        while self.eat(",") {
            parts.push(self.expression()?);
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for text in [
            "i <= n && entry(x) + 2 * #iterations == x",
            "x' >= x || offset(p)' < size(p)",
            "!(x == 0) && (a < b || a > b)",
            "entry(offset(p)) - (x - 1) >= min(a, b, -3)",
            "2 ** #iterations * x == (a + b) / 2 - a % 8",
            "if(a < b && true, a, max(b, 1)) != i#2",
            "(x - y) * (x + y) > -5 * x",
            "2 ** (#iterations + 1) - 1 <= x - 2 * y",
            "every(k, 0, i, a.s4[k] == 0 || a.s4[k] > entry(a.s4[k + 1]))",
            "offset(p#2) < offset(end(p)) && offset(begin(p)#2) <= offset(q)",
            "terminated(s) == 1 && i <= length(s) && object(p) == entry(object(q))",
        ] {
            let formula: Formula = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(formula.to_string(), text);
        }
    }

    #[test]
    fn nonsense_is_refused_with_a_place() {
        for text in [
            "",
            "x",
            "x <",
            "x < (",
            "x ** 2 < 1",
            "f(x) < 1",
            "x / y < 2",
            "x < 1 )",
            "a[1] == 0",
            "a.s3[1] == 0",
        ] {
            assert!(text.parse::<Formula>().is_err(), "{text}");
        }
        assert!("(".repeat(100_000).parse::<Formula>().is_err());
        assert!("-".repeat(100_000).parse::<Expression>().is_err());
        let error = "x < 1 &&".parse::<Formula>().unwrap_err();
        assert_eq!(error.to_string(), "expected an expression at byte 8");
    }
}
