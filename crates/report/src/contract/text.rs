//! Formulas and numbers of contracts, in ACSL and in C.

use evidence::{Aspect, Comparison, Expression, Formula, Integer, Moment, Name, Quantity, RESULT};
use program::IntegerType;

use crate::annotations::number::{Linear, Range};
use crate::annotations::scope::{Scope, Side};

/// A language of contracts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    Acsl,
    Cprover,
}

/// The type to which C casts the numbers of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Wide {
    /// They need no cast.
    Int,
    Long,
    Huge,
}

/// Writes parts of a contract.
pub(super) struct Printer<'a> {
    pub scope: Scope<'a>,
    pub dialect: Dialect,
}

/// How tightly a text holds together.
const SUM: u8 = 0;
const PRODUCT: u8 = 1;
const ATOM: u8 = 2;

impl<'a> Printer<'a> {
    pub const fn new(scope: Scope<'a>, dialect: Dialect) -> Self {
        Self { scope, dialect }
    }

    pub fn is_c(&self) -> bool {
        self.dialect == Dialect::Cprover
    }

    /// A formula, if the language can say it.
    pub fn formula(&mut self, formula: &Formula) -> Option<String> {
        Some(match formula {
            Formula::True => String::from(if self.is_c() { "1" } else { "\\true" }),
            Formula::False => String::from(if self.is_c() { "0" } else { "\\false" }),
            Formula::Compare { left, comparison, right } => self.compare(left, *comparison, right)?,
            Formula::Not(inner) => match &**inner {
                Formula::Every { name, from, to, body } if let Formula::Not(body) = &**body => {
                    self.quantified("exists", name, from, to, body, "&&")?
                }
                inner => format!("!({})", self.formula(inner)?),
            },
            Formula::All(parts) => self.list(parts, " && ")?,
            Formula::Any(parts) => match &parts[..] {
                [Formula::Not(left), right] => {
                    let left = self.formula(left)?;
                    format!("({left}) ==> ({})", self.formula(right)?)
                }
                parts => self.list(parts, " || ")?,
            },
            Formula::Every { name, from, to, body } => {
                self.quantified("forall", name, from, to, body, "==>")?
            }
        })
    }

    fn list(&mut self, parts: &[Formula], between: &str) -> Option<String> {
        if parts.len() < 2 {
            return None;
        }
        let parts: Option<Vec<String>> = parts
            .iter()
            .map(|part| {
                let text = self.formula(part)?;
                Some(if matches!(part, Formula::Compare { .. }) { text } else { format!("({text})") })
            })
            .collect();
        Some(parts?.join(between))
    }

    fn quantified(
        &mut self,
        word: &str,
        name: &Name,
        from: &Expression,
        to: &Expression,
        body: &Formula,
        arrow: &str,
    ) -> Option<String> {
        let last = Linear::of(to.clone()).plus(&Linear::of((-1).into()));
        let range = Range {
            least: self.scope.range(from).least,
            greatest: self.scope.range(&last.expression()).greatest,
        };
        let long = IntegerType { width: 64, signed: true };
        let ty = match self.dialect {
            Dialect::Acsl => "integer",
            Dialect::Cprover if range.within(&Range::of(long)) => "long long",
            Dialect::Cprover if range.is_natural() => "unsigned long",
            Dialect::Cprover => return None,
        };
        let known = match ty {
            "integer" => Range::default(),
            "long long" => Range::of(long),
            _ => Range::of(IntegerType { width: 64, signed: false }),
        };
        if !is_word(name.as_str()) || self.scope.bound.insert(name.clone(), known).is_some() {
            return None;
        }
        let this = Quantity::value(name.as_str()).at(Moment::Now);
        let guards = [from.clone().at_most(this.clone()), this.below(to.clone())];
        let text = (|| {
            let [first, second] = [self.formula(&guards[0])?, self.formula(&guards[1])?];
            let body = self.formula(body)?;
            Some(match self.dialect {
                Dialect::Acsl => format!("(\\{word} integer {name}; {first} && {second} {arrow} ({body}))"),
                Dialect::Cprover => {
                    format!("__CPROVER_{word} {{ {ty} {name}; ({first} && {second}) {arrow} ({body}) }}")
                }
            })
        })();
        self.scope.bound.remove(name);
        text
    }

    fn compare(&mut self, left: &Expression, comparison: Comparison, right: &Expression) -> Option<String> {
        if let (Expression::Quantity { quantity, moment }, Expression::Constant(zero)) = (left, right)
            && quantity.aspect == Aspect::Object
            && *zero == Integer::ZERO
            && matches!(comparison, Comparison::Equal | Comparison::Differ)
        {
            let pointer = self.variable(&quantity.variable, *moment)?;
            let null = if self.is_c() { "0" } else { "\\null" };
            return Some(format!("{pointer} {} {null}", comparison.symbol()));
        }
        let wide = self.wide(left)?.max(self.wide(right)?);
        Some(format!(
            "{} {} {}",
            self.part(left, SUM, wide)?,
            comparison.symbol(),
            self.part(right, SUM, wide)?
        ))
    }

    /// A number on its own.
    pub fn number(&mut self, number: &Expression) -> Option<String> {
        let wide = self.wide(number)?;
        self.part(number, SUM, wide)
    }

    /// The type that holds an expression and all its parts. ACSL needs none.
    fn wide(&self, expression: &Expression) -> Option<Wide> {
        if !self.is_c() {
            return Some(Wide::Int);
        }
        let all = |parts: &[Expression]| {
            parts.iter().try_fold(Wide::Int, |wide, part| Some(wide.max(self.wide(part)?)))
        };
        let inner = match expression {
            Expression::Sum(parts) => {
                let mut wide = all(parts)?;
                let mut sum = Range::only(&Integer::ZERO);
                for part in parts {
                    sum = sum.plus(&self.scope.range(part));
                    wide = wide.max(wide_of(&sum)?);
                }
                wide
            }
            Expression::Product(parts) => all(parts)?,
            Expression::Quotient { dividend, divisor } => {
                self.wide(dividend)?.max(wide_of(&Range::only(divisor))?)
            }
            Expression::Remainder { dividend, divisor } => {
                self.wide(dividend)?.max(wide_of(&Range::only(&(divisor * Integer::from(2))))?)
            }
            Expression::Constant(_) | Expression::Quantity { .. } | Expression::Element(_) => Wide::Int,
            _ => return None,
        };
        Some(inner.max(wide_of(&self.scope.range(expression))?))
    }

    /// An expression as a part of something that needs this tightness.
    fn part(&mut self, expression: &Expression, needed: u8, wide: Wide) -> Option<String> {
        let (text, tightness) = self.plain(expression, wide)?;
        Some(if tightness < needed { format!("({text})") } else { text })
    }

    fn plain(&mut self, expression: &Expression, wide: Wide) -> Option<(String, u8)> {
        Some(match expression {
            Expression::Constant(number) => {
                if self.is_c() && i64::try_from(number).map_or(true, |number| number == i64::MIN) {
                    return None;
                }
                let suffix = if self.is_c() && wide != Wide::Int { "LL" } else { "" };
                (format!("{number}{suffix}"), if *number < Integer::ZERO { SUM } else { ATOM })
            }
            Expression::Quantity { quantity, moment } => {
                (self.cast(self.quantity(quantity, *moment)?, wide), ATOM)
            }
            Expression::Element(element) => {
                let text = self.element(element)?;
                (self.cast(text, wide), ATOM)
            }
            Expression::Sum(parts) => {
                let (first, rest) = parts.split_first()?;
                let mut text = self.part(first, SUM, wide)?;
                for part in rest {
                    let (sign, part) = match negated(part) {
                        Some(part) => (" - ", part),
                        None => (" + ", part.clone()),
                    };
                    text.push_str(sign);
                    text.push_str(&self.part(&part, PRODUCT, wide)?);
                }
                (text, SUM)
            }
            Expression::Product(parts) => {
                let (first, rest) = parts.split_first()?;
                let mut text = self.part(first, PRODUCT, wide)?;
                for part in rest {
                    text.push_str(" * ");
                    text.push_str(&self.part(part, ATOM, wide)?);
                }
                (text, PRODUCT)
            }
            Expression::Quotient { dividend, divisor } => {
                if !self.scope.range(dividend).is_natural() {
                    return None;
                }
                (format!("{} / {divisor}", self.part(dividend, ATOM, wide)?), PRODUCT)
            }
            Expression::Remainder { dividend, divisor } => {
                let text = self.part(dividend, ATOM, wide)?;
                match self.scope.range(dividend).is_natural() {
                    true => (format!("{text} % {divisor}"), PRODUCT),
                    false => (format!("({text} % {divisor} + {divisor}) % {divisor}"), PRODUCT),
                }
            }
            Expression::Minimum(parts) => (self.extreme("\\min", parts)?, ATOM),
            Expression::Maximum(parts) => (self.extreme("\\max", parts)?, ATOM),
            Expression::Select { condition, then, otherwise } if !self.is_c() => {
                let condition = self.formula(condition)?;
                let (then, otherwise) = (self.part(then, ATOM, wide)?, self.part(otherwise, ATOM, wide)?);
                (format!("(({condition}) ? {then} : {otherwise})"), ATOM)
            }
            _ => return None,
        })
    }

    fn extreme(&mut self, function: &str, parts: &[Expression]) -> Option<String> {
        let (first, rest) = parts.split_first()?;
        if self.is_c() || rest.is_empty() {
            return None;
        }
        let mut text = self.number(first)?;
        for part in rest {
            text = format!("{function}({text}, {})", self.number(part)?);
        }
        Some(text)
    }

    /// A leaf, with a cast if C needs one.
    fn cast(&self, text: String, wide: Wide) -> String {
        match wide {
            _ if !self.is_c() => text,
            Wide::Int => text,
            Wide::Long => format!("(long long){text}"),
            Wide::Huge => format!("(__int128){text}"),
        }
    }

    fn quantity(&self, quantity: &Quantity, moment: Moment) -> Option<String> {
        let name = &quantity.variable;
        let call = |acsl: &str, c: &str| {
            let function = if self.is_c() { c } else { acsl };
            Some(format!("{function}({})", self.variable(name, self.scope.moment(name))?))
        };
        match quantity.aspect {
            Aspect::Value => self.variable(name, moment),
            // The language examines what a pointer holds at the call.
            Aspect::Offset if moment == self.scope.moment(name) => {
                call("\\offset", "__CPROVER_POINTER_OFFSET")
            }
            Aspect::Size if moment == self.scope.moment(name) => {
                call("\\block_length", "__CPROVER_OBJECT_SIZE")
            }
            Aspect::Length => {
                let text = call("strlen", "strlen")?;
                Some(self.then(text, moment == self.memory(), moment)?)
            }
            _ => None,
        }
    }

    /// When memory is examined if nothing else is said.
    pub fn memory(&self) -> Moment {
        if self.scope.side == Side::Before { Moment::Start } else { Moment::Now }
    }

    /// A text about another time, if it is another one.
    pub fn then(&self, text: String, is_now: bool, moment: Moment) -> Option<String> {
        match (is_now, moment, self.dialect) {
            (true, ..) => Some(text),
            (false, Moment::Start, Dialect::Acsl) => Some(format!("\\old({text})")),
            (false, Moment::Start, Dialect::Cprover) => Some(format!("__CPROVER_old({text})")),
            _ => None,
        }
    }

    /// A variable at a moment.
    pub fn variable(&self, name: &Name, moment: Moment) -> Option<String> {
        if self.scope.bound.contains_key(name) && moment == Moment::Now {
            return Some(name.to_string());
        }
        if name.as_str() == RESULT {
            let text = if self.is_c() { "__CPROVER_return_value" } else { "\\result" };
            return (moment == Moment::Now && self.scope.side == Side::After).then(|| String::from(text));
        }
        let spelled = self.scope.spelled(name)?;
        self.then(spelled, moment == self.scope.moment(name), moment)
    }
}

/// The type that holds a range.
fn wide_of(range: &Range) -> Option<Wide> {
    let holds = |width: u8| range.within(&Range::of(IntegerType { width, signed: true }));
    match () {
        () if holds(32) => Some(Wide::Int),
        () if holds(64) => Some(Wide::Long),
        () if holds(127) => Some(Wide::Huge),
        () => None,
    }
}

/// The number with the other sign, if its sign is in front.
fn negated(expression: &Expression) -> Option<Expression> {
    match expression {
        Expression::Constant(number) if *number < Integer::ZERO => Some(Expression::Constant(-number)),
        Expression::Product(parts) => match &parts[..] {
            [Expression::Constant(factor), rest] if *factor < Integer::ZERO => {
                Some(Linear::of(rest.clone()).times(&-factor).expression())
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether C can have a name.
pub(super) fn is_word(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit())
}
