//! What was proved of loops in words that are easy to read: `x at entry` for `entry(x)`, `a[k]` for `a.s4[k]`, `s is
//! terminated` for `terminated(s) == 1`. Nobody reads these words back: the exact form is in the JSON.

use evidence::{Aspect, Comparison, Element, Expression, Formula, Integer, Moment, Quantity};

/// A fact in words.
pub fn fact(formula: &Formula) -> String {
    match formula {
        Formula::True => String::from("always"),
        Formula::False => String::from("never"),
        Formula::Compare { left, comparison, right } => compare(left, *comparison, right),
        Formula::Not(inner) => format!("not ({})", fact(inner)),
        Formula::All(parts) => joined(parts, " and "),
        Formula::Any(parts) => joined(parts, " or "),
        Formula::Every { name, from, to, body } => {
            format!("{} for all {name} from {} up to and without {}", fact(body), number(from), number(to))
        }
    }
}

/// How much a fact says to a reader, the most telling ones first: what strings and arrays hold, then how variables
/// relate, then the ranges of single ones.
pub fn rank(formula: &Formula) -> u8 {
    let mut found = Mentioned::default();
    found.formula(formula);
    match (found.contents, found.names.len()) {
        (true, _) => 0,
        (_, 2..) => 1,
        (_, 1) if !found.entry => 2,
        (_, 1) => 3,
        _ => 4,
    }
}

fn joined(parts: &[Formula], word: &str) -> String {
    let part = |part: &Formula| match part {
        Formula::All(_) | Formula::Any(_) | Formula::Every { .. } => format!("({})", fact(part)),
        _ => fact(part),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(word)
}

fn compare(left: &Expression, comparison: Comparison, right: &Expression) -> String {
    special(left, comparison, right)
        .or_else(|| special(right, turned(comparison), left))
        .unwrap_or_else(|| format!("{} {} {}", number(left), comparison.symbol(), number(right)))
}

/// Comparisons that have words of their own.
fn special(left: &Expression, comparison: Comparison, right: &Expression) -> Option<String> {
    let Expression::Quantity { quantity, moment: Moment::Now } = left else { return None };
    let name = &quantity.variable;
    let is = |number: i64| matches!(right, Expression::Constant(right) if *right == Integer::from(number));
    let equal = match comparison {
        Comparison::Equal => true,
        Comparison::Differ => false,
        _ => return None,
    };
    match quantity.aspect {
        Aspect::Terminated if is(1) || is(0) => {
            Some(format!("{name} is {}terminated", if is(1) == equal { "" } else { "not " }))
        }
        Aspect::Object if is(0) => {
            Some(format!("{name} points to {}", if equal { "no object" } else { "an object" }))
        }
        Aspect::Object => match right {
            Expression::Quantity { quantity: other, moment: Moment::Entry } if equal && other == quantity => {
                Some(format!("{name} stays in its object"))
            }
            Expression::Quantity { quantity: other, moment: Moment::Now }
                if equal && other.aspect == Aspect::Object =>
            {
                Some(format!("{name} and {} point into one object", other.variable))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The comparison with its sides exchanged.
const fn turned(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Equal | Comparison::Differ => comparison,
        Comparison::Less => Comparison::Greater,
        Comparison::LessEqual => Comparison::GreaterEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterEqual => Comparison::LessEqual,
    }
}

/// A number in words.
fn number(expression: &Expression) -> String {
    match expression {
        Expression::Constant(number) => number.to_string(),
        Expression::Quantity { quantity, moment } => at(quantity_name(quantity), *moment),
        Expression::Counter => String::from("passes so far"),
        Expression::Sum(parts) => sum(parts),
        Expression::Product(parts) => match parts.split_first() {
            Some((Expression::Constant(first), rest)) if !rest.is_empty() && *first == Integer::NEG_ONE => {
                format!("-{}", product(rest))
            }
            _ => product(parts),
        },
        Expression::Quotient { dividend, divisor } => format!("{} / {divisor}", tight(dividend)),
        Expression::Remainder { dividend, divisor } => format!("{} % {divisor}", tight(dividend)),
        Expression::Minimum(parts) => format!("min({})", listed(parts)),
        Expression::Maximum(parts) => format!("max({})", listed(parts)),
        Expression::Power { base, exponent } => format!("{base} ** {}", tight(exponent)),
        Expression::Select { condition, then, otherwise } => {
            format!("({} if {}, else {})", number(then), fact(condition), number(otherwise))
        }
        Expression::Element(Element { buffer, index, moment, .. }) => {
            at(format!("{buffer}[{}]", number(index)), *moment)
        }
    }
}

fn quantity_name(quantity: &Quantity) -> String {
    let name = &quantity.variable;
    match quantity.aspect {
        Aspect::Value => name.to_string(),
        Aspect::Offset => format!("offset of {name}"),
        Aspect::Size => format!("size of *{name}"),
        Aspect::Object => format!("object of {name}"),
        Aspect::Terminated => format!("terminated({name})"),
        Aspect::Length => format!("length of {name}"),
        // Whatever comes later has its exact form.
        _ => quantity.to_string(),
    }
}

fn at(name: String, moment: Moment) -> String {
    match moment {
        Moment::Entry => format!("{name} at entry"),
        Moment::Now => name,
        Moment::Next => format!("{name} after the pass"),
    }
}

fn sum(parts: &[Expression]) -> String {
    let mut text = String::new();
    for part in parts {
        let part = number(part);
        match (text.is_empty(), part.strip_prefix('-')) {
            (true, _) => text.push_str(&part),
            (false, Some(positive)) => text.push_str(&format!(" - {positive}")),
            (false, None) => text.push_str(&format!(" + {part}")),
        }
    }
    if text.is_empty() { String::from("0") } else { text }
}

fn product(parts: &[Expression]) -> String {
    parts.iter().map(tight).collect::<Vec<_>>().join(" * ")
}

/// A number as a part of a product.
fn tight(expression: &Expression) -> String {
    match expression {
        Expression::Sum(parts) if parts.len() > 1 => format!("({})", number(expression)),
        Expression::Quotient { .. } | Expression::Remainder { .. } => format!("({})", number(expression)),
        _ => number(expression),
    }
}

fn listed(parts: &[Expression]) -> String {
    parts.iter().map(number).collect::<Vec<_>>().join(", ")
}

/// What a fact speaks of.
#[derive(Default)]
struct Mentioned {
    names: std::collections::BTreeSet<String>,
    contents: bool,
    entry: bool,
}

impl Mentioned {
    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::True | Formula::False => {}
            Formula::Compare { left, right, .. } => {
                self.expression(left);
                self.expression(right);
            }
            Formula::Not(inner) => self.formula(inner),
            Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|part| self.formula(part)),
            Formula::Every { body, from, to, .. } => {
                self.formula(body);
                self.expression(from);
                self.expression(to);
            }
        }
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Constant(_) | Expression::Counter => {}
            Expression::Quantity { quantity, moment } => {
                self.contents |= matches!(quantity.aspect, Aspect::Terminated | Aspect::Length);
                self.entry |= *moment == Moment::Entry;
                self.names.insert(quantity.variable.to_string());
            }
            Expression::Sum(parts)
            | Expression::Product(parts)
            | Expression::Minimum(parts)
            | Expression::Maximum(parts) => parts.iter().for_each(|part| self.expression(part)),
            Expression::Quotient { dividend: inner, .. }
            | Expression::Remainder { dividend: inner, .. }
            | Expression::Power { exponent: inner, .. } => self.expression(inner),
            Expression::Select { condition, then, otherwise } => {
                self.formula(condition);
                self.expression(then);
                self.expression(otherwise);
            }
            Expression::Element(element) => {
                self.contents = true;
                self.expression(&element.index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        fact(&text.parse().unwrap_or_else(|problem| panic!("{text}: {problem}")))
    }

    #[test]
    fn facts_read_well() {
        assert_eq!(words("i <= n"), "i <= n");
        assert_eq!(words("entry(x) + 2 * i == x"), "x at entry + 2 * i == x");
        assert_eq!(words("x - y >= -1"), "x - y >= -1");
        assert_eq!(words("terminated(s) == 1"), "s is terminated");
        assert_eq!(words("1 == terminated(s)"), "s is terminated");
        assert_eq!(words("terminated(s) != 1"), "s is not terminated");
        assert_eq!(words("length(s) < offset(p)"), "length of s < offset of p");
        assert_eq!(words("object(p) == entry(object(p))"), "p stays in its object");
        assert_eq!(words("object(p) == object(q)"), "p and q point into one object");
        assert_eq!(words("object(p) != 0"), "p points to an object");
        assert_eq!(words("every(k, 0, i, a.s4[k] == 0)"), "a[k] == 0 for all k from 0 up to and without i");
        assert_eq!(words("i % 2 == 0 && (i + 1) * 3 > 2"), "i % 2 == 0 and (i + 1) * 3 > 2");
    }

    #[test]
    fn what_says_most_comes_first() {
        let rank = |text: &str| rank(&text.parse().unwrap());
        assert!(rank("terminated(s) == 1") < rank("i <= n"));
        assert!(rank("i <= n") < rank("i >= 0"));
        assert!(rank("i >= 0") < rank("i >= entry(i)"));
    }
}
