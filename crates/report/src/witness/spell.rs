//! Formulas as C expressions, for readers that know C and nothing of evidence.
//!
//! The numbers of evidence have no limits, those of C have: an expression is written only if none of its parts can
//! leave its type, with casts to a wider one where that is needed. Whatever C cannot say is not written: moments before
//! the loop, sizes and contents of objects, quantified invariants.
//!
//! ```text
//! i <= n                     fits int
//! (long long)a + b <= 10LL   a sum of two ints, in a type that holds it
//! \at(i, AnyPrev) < i        in a transition invariant: i at an earlier visit of the head
//! ```

use std::collections::BTreeMap;

use evidence::{Aspect, Comparison, Expression, Formula, Integer, Moment, Name, Quantity, Visible};

/// What a name is at a loop.
#[derive(Clone, Copy, Debug)]
pub struct Spelled<'a> {
    /// What C calls it.
    pub spelling: &'a str,
    /// Its least value.
    pub least: i128,
    /// Its greatest value.
    pub greatest: i128,
}

/// How names are written at a loop.
#[derive(Clone, Debug, Default)]
pub struct Spelling<'a> {
    names: BTreeMap<Name, Spelled<'a>>,
    /// Whether integers have no limits: then nothing needs a cast.
    unlimited: bool,
}

/// What an expression speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Speaks {
    /// The state at the head.
    State,
    /// An earlier state at the head (`\at(x, AnyPrev)`, in evidence *now*) and the state (in evidence *next*).
    Transition,
}

/// The type that holds all parts of an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Wide {
    Int,
    Long,
    Huge,
}

/// The values that an expression can have, and the type for that.
#[derive(Clone, Copy)]
struct Range {
    least: i128,
    greatest: i128,
    wide: Wide,
}

impl Range {
    fn of(least: i128, greatest: i128, wide: Wide) -> Self {
        let holds = |limit: i128| least >= -limit - 1 && greatest <= limit;
        let needed = if holds(i32::MAX.into()) {
            Wide::Int
        } else if holds(i64::MAX.into()) {
            Wide::Long
        } else {
            Wide::Huge
        };
        Self { least, greatest, wide: wide.max(needed) }
    }
}

/// Stands for numbers without limits: products of three of them have a range.
const UNLIMITED: i128 = 1 << 40;

/// How tightly a text holds together.
const SUM: u8 = 0;
const PRODUCT: u8 = 1;
const ATOM: u8 = 2;

impl<'a> Spelling<'a> {
    /// The names of some variables; of two with one spelling neither can be written.
    pub fn new(visible: impl Iterator<Item = &'a Visible>, unlimited: bool) -> Self {
        let mut names = BTreeMap::new();
        let mut spellings: BTreeMap<&str, usize> = BTreeMap::new();
        for one in visible {
            *spellings.entry(&one.spelling).or_default() += 1;
            let Visible { spelling, least, greatest, .. } = one;
            names.insert(one.name.clone(), Spelled { spelling, least: *least, greatest: *greatest });
        }
        names.retain(|_, one| spellings[one.spelling] == 1);
        Self { names, unlimited }
    }

    /// What a name of C stands for.
    pub fn name(&self, spelling: &str) -> Option<&Name> {
        self.names.iter().find(|(_, one)| one.spelling == spelling).map(|(name, _)| name)
    }

    /// A formula as a C expression, if C can say it.
    pub fn formula(&self, formula: &Formula, speaks: Speaks) -> Option<String> {
        match formula {
            Formula::True => Some(String::from("1")),
            Formula::False => Some(String::from("0")),
            Formula::Compare { left, comparison, right } => {
                let wide = self.range(left, speaks)?.wide.max(self.range(right, speaks)?.wide);
                // Whether nothing remains does not hang on the sign of the dividend.
                let is_equation = matches!(comparison, Comparison::Equal | Comparison::Differ);
                let divides = is_equation && *right == Expression::Constant(Integer::ZERO);
                let writer = Writer { spelling: self, speaks, wide, divides };
                let (left, right) = (writer.write(left, SUM)?, writer.write(right, SUM)?);
                Some(format!("{left} {} {right}", comparison.symbol()))
            }
            Formula::Not(inner) => Some(format!("!({})", self.formula(inner, speaks)?)),
            Formula::All(parts) => self.list(parts, speaks, " && ", "1"),
            Formula::Any(parts) => self.list(parts, speaks, " || ", "0"),
            Formula::Every { .. } => None,
        }
    }

    fn list(&self, parts: &[Formula], speaks: Speaks, between: &str, none: &str) -> Option<String> {
        if parts.is_empty() {
            return Some(none.to_owned());
        }
        let part = |part: &Formula| {
            let text = self.formula(part, speaks)?;
            let is_list = matches!(part, Formula::All(inner) | Formula::Any(inner) if inner.len() > 1);
            Some(if is_list && parts.len() > 1 { format!("({text})") } else { text })
        };
        let parts: Option<Vec<String>> = parts.iter().map(part).collect();
        Some(parts?.join(between))
    }

    /// The values of an expression: none if it cannot be written in C.
    fn range(&self, expression: &Expression, speaks: Speaks) -> Option<Range> {
        let range = self.values(expression, speaks)?;
        Some(if self.unlimited { Range { wide: Wide::Int, ..range } } else { range })
    }

    fn values(&self, expression: &Expression, speaks: Speaks) -> Option<Range> {
        let all = |parts: &[Expression]| -> Option<Vec<Range>> {
            parts.iter().map(|part| self.values(part, speaks)).collect()
        };
        match expression {
            Expression::Constant(number) => {
                let number = i64::try_from(number).ok().filter(|number| *number != i64::MIN)?;
                Some(Range::of(number.into(), number.into(), Wide::Int))
            }
            Expression::Quantity { quantity, moment } => self.leaf(quantity, *moment, speaks),
            Expression::Sum(parts) => self.fold(&all(parts)?, 0, |a, b| {
                Some((a.least.checked_add(b.least)?, a.greatest.checked_add(b.greatest)?))
            }),
            Expression::Product(parts) => self.fold(&all(parts)?, 1, |a, b| {
                let mut corners = Vec::new();
                for x in [a.least, a.greatest] {
                    for y in [b.least, b.greatest] {
                        corners.push(x.checked_mul(y)?);
                    }
                }
                Some((*corners.iter().min()?, *corners.iter().max()?))
            }),
            Expression::Quotient { dividend, divisor } => {
                let (range, divisor) = (self.values(dividend, speaks)?, small(divisor)?);
                // C rounds towards zero, evidence rounds down.
                (range.least >= 0)
                    .then(|| Range::of(range.least / divisor, range.greatest / divisor, range.wide))
            }
            Expression::Remainder { dividend, divisor } => {
                let (range, divisor) = (self.values(dividend, speaks)?, small(divisor)?);
                let wide = Range::of(1 - divisor, 2 * divisor, range.wide).wide;
                Some(Range { least: 0, greatest: divisor - 1, wide })
            }
            Expression::Minimum(parts) | Expression::Maximum(parts) => self.either(&all(parts)?),
            Expression::Select { condition, then, otherwise } => {
                self.formula(condition, speaks)?;
                self.either(&[self.values(then, speaks)?, self.values(otherwise, speaks)?])
            }
            Expression::Counter | Expression::Power { .. } | Expression::Element(_) => None,
        }
    }

    fn leaf(&self, quantity: &Quantity, moment: Moment, speaks: Speaks) -> Option<Range> {
        let known = match speaks {
            Speaks::State => moment == Moment::Now,
            Speaks::Transition => matches!(moment, Moment::Now | Moment::Next),
        };
        let one = self.names.get(&quantity.variable).filter(|_| known && quantity.aspect == Aspect::Value)?;
        if self.unlimited {
            return Some(Range { least: -UNLIMITED, greatest: UNLIMITED, wide: Wide::Int });
        }
        Some(Range::of(one.least, one.greatest, Wide::Int))
    }

    fn fold(
        &self,
        parts: &[Range],
        none: i128,
        join: impl Fn(Range, Range) -> Option<(i128, i128)>,
    ) -> Option<Range> {
        let Some((first, rest)) = parts.split_first() else { return Some(Range::of(none, none, Wide::Int)) };
        rest.iter().try_fold(*first, |sum, part| {
            let (least, greatest) = join(sum, *part)?;
            Some(Range::of(least, greatest, sum.wide.max(part.wide)))
        })
    }

    fn either(&self, parts: &[Range]) -> Option<Range> {
        let least = parts.iter().map(|part| part.least).min()?;
        let greatest = parts.iter().map(|part| part.greatest).max()?;
        Some(Range::of(least, greatest, parts.iter().map(|part| part.wide).max()?))
    }
}

fn small(number: &Integer) -> Option<i128> {
    i32::try_from(number).ok().filter(|number| *number > 0).map(i128::from)
}

struct Writer<'s, 'a> {
    spelling: &'s Spelling<'a>,
    speaks: Speaks,
    wide: Wide,
    /// Whether an outermost remainder is only asked whether it is zero.
    divides: bool,
}

impl Writer<'_, '_> {
    /// Writes an expression as a part of something that needs this tightness.
    fn write(&self, expression: &Expression, needed: u8) -> Option<String> {
        let (text, tightness) = self.plain(expression)?;
        Some(if tightness < needed { format!("({text})") } else { text })
    }

    fn plain(&self, expression: &Expression) -> Option<(String, u8)> {
        Some(match expression {
            Expression::Constant(number) => {
                let suffix = if self.wide == Wide::Int { "" } else { "LL" };
                let tightness = if *number < Integer::ZERO { PRODUCT } else { ATOM };
                (format!("{number}{suffix}"), tightness)
            }
            Expression::Quantity { quantity, moment } => (self.leaf(quantity, *moment)?, ATOM),
            Expression::Sum(parts) => return Writer { divides: false, ..*self }.sum(parts),
            Expression::Product(parts) => {
                let inner = Writer { divides: false, ..*self };
                let Some((first, rest)) = parts.split_first() else { return Some((String::from("1"), ATOM)) };
                let mut text = inner.write(first, if rest.is_empty() { SUM } else { PRODUCT })?;
                for part in rest {
                    text.push_str(" * ");
                    text.push_str(&inner.write(part, ATOM)?);
                }
                (text, if rest.is_empty() { SUM } else { PRODUCT })
            }
            Expression::Quotient { dividend, divisor } => {
                let inner = Writer { divides: false, ..*self };
                (format!("{} / {divisor}", inner.write(dividend, ATOM)?), PRODUCT)
            }
            Expression::Remainder { dividend, divisor } => {
                let inner = Writer { divides: false, ..*self };
                let text = inner.write(dividend, ATOM)?;
                let range = self.spelling.values(dividend, self.speaks)?;
                if range.least >= 0 || self.divides {
                    (format!("{text} % {divisor}"), PRODUCT)
                } else {
                    // C's remainder has the sign of the dividend.
                    (format!("({text} % {divisor} + {divisor}) % {divisor}"), PRODUCT)
                }
            }
            Expression::Minimum(parts) => (self.extreme(parts, "<=")?, ATOM),
            Expression::Maximum(parts) => (self.extreme(parts, ">=")?, ATOM),
            Expression::Select { condition, then, otherwise } => {
                let condition = self.spelling.formula(condition, self.speaks)?;
                (
                    format!("({condition} ? {} : {})", self.write(then, SUM)?, self.write(otherwise, SUM)?),
                    ATOM,
                )
            }
            Expression::Counter | Expression::Power { .. } | Expression::Element(_) => return None,
        })
    }

    fn leaf(&self, quantity: &Quantity, moment: Moment) -> Option<String> {
        let name = self.spelling.names.get(&quantity.variable)?.spelling;
        let text = match (self.speaks, moment) {
            (Speaks::State, Moment::Now) | (Speaks::Transition, Moment::Next) => name.to_owned(),
            (Speaks::Transition, Moment::Now) => format!("\\at({name}, AnyPrev)"),
            _ => return None,
        };
        Some(match self.wide {
            Wide::Int => text,
            Wide::Long => format!("(long long){text}"),
            Wide::Huge => format!("(__int128){text}"),
        })
    }

    fn sum(&self, parts: &[Expression]) -> Option<(String, u8)> {
        let Some((first, rest)) = parts.split_first() else { return Some((String::from("0"), ATOM)) };
        let mut text = self.write(first, SUM)?;
        for part in rest {
            let (sign, part) = match part.negated() {
                Some(part) => (" - ", part),
                None => (" + ", part.clone()),
            };
            text.push_str(sign);
            text.push_str(&self.write(&part, PRODUCT)?);
        }
        Some((text, SUM))
    }

    /// The least or greatest of some numbers, as choices.
    fn extreme(&self, parts: &[Expression], symbol: &str) -> Option<String> {
        let (first, rest) = parts.split_first()?;
        let first = self.write(first, SUM)?;
        if rest.is_empty() {
            return Some(format!("({first})"));
        }
        let others = self.extreme(rest, symbol)?;
        Some(format!("({first} {symbol} {others} ? {first} : {others})"))
    }
}
