//! What was proved of loops in words that are easy to read: `x at entry` for `entry(x)`, `a[k]` for `a.s4[k]`, `s is
//! terminated` for `terminated(s) == 1`. Nobody reads these words back: the exact form is in the JSON.

use evidence::{
    Aspect, Comparison, Element, Expression, Formula, Integer, Moment, Part, Quantity, Ranking, Termination,
    WellFounded,
};

/// So many of something that has a plural in `s`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// An invariant in words.
pub fn formula_text(formula: &Formula) -> String {
    match formula {
        Formula::True => String::from("always"),
        Formula::False => String::from("never"),
        Formula::Compare { left, comparison, right } => compare(left, *comparison, right),
        Formula::Not(inner) => format!("not ({})", formula_text(inner)),
        Formula::All(parts) => joined(parts, " and "),
        Formula::Any(parts) => joined(parts, " or "),
        Formula::Every { name, from, to, body } => {
            format!(
                "{} for all {name} from {} up to and without {}",
                formula_text(body),
                number(from),
                number(to)
            )
        }
    }
}

/// A condition on the values with which a function is entered, in words.
pub fn at_entry(condition: &Formula) -> String {
    let plain = condition.with_moments(&|moment| (moment == Moment::Start).then_some(Moment::Now));
    formula_text(plain.as_ref().unwrap_or(condition))
}

/// Invariants for a reader: what says most comes first, and what follows from an invariant with a tighter bound is left
/// out.
pub fn telling(invariants: &[&Formula]) -> Vec<String> {
    let mut tightest: Vec<(Bound, usize)> = Vec::new();
    let mut weaker = vec![false; invariants.len()];
    for (place, formula) in invariants.iter().enumerate() {
        weaker[place] = is_about_nothing(formula);
        let Some(bound) = Bound::of(formula) else { continue };
        match tightest.iter_mut().find(|(known, _)| known.is_like(&bound)) {
            Some((known, _)) if !bound.is_tighter(known) => weaker[place] = true,
            Some(known) => {
                weaker[known.1] = true;
                *known = (bound, place);
            }
            None => tightest.push((bound, place)),
        }
    }
    let mut kept: Vec<&Formula> = Vec::new();
    kept.extend(invariants.iter().zip(&weaker).filter(|(_, weaker)| !**weaker).map(|(formula, _)| *formula));
    kept.sort_by_key(|formula| weight(formula));
    let mut words: Vec<String> = kept.into_iter().map(formula_text).collect();
    let mut seen = std::collections::BTreeSet::new();
    words.retain(|formula_text| seen.insert(formula_text.clone()));
    words
}

/// A comparison with a bound that is some number more than something: `i <= n + 2`.
struct Bound {
    left: String,
    /// Whether the bound is above.
    above: bool,
    base: Vec<Expression>,
    number: Integer,
}

impl Bound {
    fn of(formula: &Formula) -> Option<Self> {
        let Formula::Compare { left, comparison, right } = formula else { return None };
        let above = match comparison {
            Comparison::LessEqual | Comparison::Less => true,
            Comparison::GreaterEqual | Comparison::Greater => false,
            Comparison::Equal | Comparison::Differ => return None,
        };
        let parts = match right {
            Expression::Sum(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        let (mut base, mut number) = (Vec::new(), Integer::ZERO);
        for part in parts {
            match part {
                Expression::Constant(more) => number += more,
                other => base.push(other),
            }
        }
        match comparison {
            Comparison::Less => number -= 1,
            Comparison::Greater => number += 1,
            _ => {}
        }
        Some(Self { left: left.to_string(), above, base, number })
    }

    fn is_like(&self, other: &Self) -> bool {
        self.above == other.above && self.left == other.left && self.base == other.base
    }

    fn is_tighter(&self, other: &Self) -> bool {
        if self.above { self.number < other.number } else { self.number > other.number }
    }
}

/// Why a loop is left, a line for each part.
pub fn termination_argument(termination: &Termination) -> Vec<String> {
    let listed = |ranks: &[Expression]| ranks.iter().map(number).collect::<Vec<_>>();
    match termination {
        Termination::Ranking(Ranking::Linear(Expression::Constant(_))) => {
            vec![String::from("no iteration leads to another one")]
        }
        Termination::Ranking(Ranking::Linear(rank)) => {
            vec![format!("each iteration decreases {}, which is not negative before it", number(rank))]
        }
        Termination::Ranking(Ranking::Lexicographic(ranks)) => vec![
            format!("each iteration decreases the first that it changes of: {}", listed(ranks).join("; ")),
            String::from("which is not negative before it"),
        ],
        Termination::Ranking(Ranking::Multiphase(ranks) | Ranking::Nested(ranks)) => {
            vec![format!("these become negative one after the other: {}", listed(ranks).join("; "))]
        }
        Termination::Disjunctive { invariant, arguments } if *arguments == [WellFounded::FiniteOrder] => {
            let moved: Vec<String> = invariant.disjuncts.iter().map(formula_text).collect();
            vec![format!("every iteration has {}, an order of finitely many values", moved.join(" or "))]
        }
        Termination::Disjunctive { invariant, arguments } => {
            let mut lines =
                vec![String::from("each state at its head and any later one are related by one of")];
            for (disjunct, argument) in invariant.disjuncts.iter().zip(arguments) {
                let why = match argument {
                    WellFounded::Ranking(rank) => format!("decreases {}", number(rank)),
                    WellFounded::FiniteOrder => String::from("an order of finitely many values"),
                };
                lines.push(format!("  {} ({why})", formula_text(disjunct)));
            }
            lines
        }
    }
}

/// Whether an invariant is about no element at all.
fn is_about_nothing(formula: &Formula) -> bool {
    matches!(formula, Formula::Every { from: Expression::Constant(from), to: Expression::Constant(to), .. } if from >= to)
}

/// How hard an invariant is to read: the easiest ones say most. It grows with what the invariant speaks of.
fn weight(formula: &Formula) -> usize {
    let mut weight = 0;
    Part::Formula(formula).walk(&mut |part| {
        weight += match part {
            Part::Formula(Formula::All(_) | Formula::Any(_)) => 6,
            Part::Formula(_) => 0,
            // A large number is a limit of a type as a rule, and says little.
            Part::Number(Expression::Constant(number)) if number.to_string().len() > 6 => 8,
            Part::Number(Expression::Quantity { moment, .. }) if *moment != Moment::Now => 3,
            Part::Number(Expression::Element(element)) => 2 * usize::from(element.moment != Moment::Now),
            Part::Number(Expression::Minimum(_) | Expression::Maximum(_) | Expression::Select { .. }) => 6,
            Part::Number(_) => 1,
        };
    });
    weight
}

fn joined(parts: &[Formula], word: &str) -> String {
    let part = |part: &Formula| match part {
        Formula::All(_) | Formula::Any(_) | Formula::Every { .. } => format!("({})", formula_text(part)),
        _ => formula_text(part),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(word)
}

fn compare(left: &Expression, comparison: Comparison, right: &Expression) -> String {
    special(left, comparison, right)
        .or_else(|| special(right, comparison.turned(), left))
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

/// How numbers are written for people, as far as two ways to do so differ.
pub struct Notation {
    /// Between two factors.
    pub times: &'static str,
    /// Between a number and what it is divided by, for what remains.
    pub modulo: &'static str,
    /// A known number.
    pub constant: fn(&Integer) -> String,
    /// What is no known number and no sum, product, quotient, remainder or extreme of others.
    pub other: fn(&Expression) -> String,
}

impl Notation {
    /// A number.
    pub fn number(&self, expression: &Expression) -> String {
        match expression {
            Expression::Constant(number) => (self.constant)(number),
            Expression::Sum(parts) => self.sum(parts),
            Expression::Product(parts) => match parts.split_first() {
                Some((Expression::Constant(first), rest))
                    if !rest.is_empty() && *first == Integer::NEG_ONE =>
                {
                    format!("-{}", self.product(rest))
                }
                _ => self.product(parts),
            },
            Expression::Quotient { dividend, divisor } => format!("{} / {divisor}", self.tight(dividend)),
            Expression::Remainder { dividend, divisor } => {
                format!("{} {} {divisor}", self.tight(dividend), self.modulo)
            }
            Expression::Minimum(parts) => format!("min({})", self.listed(parts)),
            Expression::Maximum(parts) => format!("max({})", self.listed(parts)),
            other => (self.other)(other),
        }
    }

    fn sum(&self, parts: &[Expression]) -> String {
        let mut text = String::new();
        for part in parts {
            let part = self.number(part);
            match (text.is_empty(), part.strip_prefix('-')) {
                (true, _) => text.push_str(&part),
                (false, Some(positive)) => text.push_str(&format!(" - {positive}")),
                (false, None) => text.push_str(&format!(" + {part}")),
            }
        }
        if text.is_empty() { String::from("0") } else { text }
    }

    fn product(&self, parts: &[Expression]) -> String {
        if parts.is_empty() {
            return String::from("1");
        }
        parts.iter().map(|part| self.tight(part)).collect::<Vec<_>>().join(self.times)
    }

    /// A number as a part of a product.
    fn tight(&self, expression: &Expression) -> String {
        match expression {
            Expression::Sum(parts) if parts.len() > 1 => format!("({})", self.number(expression)),
            Expression::Quotient { .. } | Expression::Remainder { .. } => {
                format!("({})", self.number(expression))
            }
            _ => self.number(expression),
        }
    }

    fn listed(&self, parts: &[Expression]) -> String {
        parts.iter().map(|part| self.number(part)).collect::<Vec<_>>().join(", ")
    }
}

const WORDS: Notation = Notation { times: " * ", modulo: "%", constant: Integer::to_string, other: in_words };

/// A number in words.
fn number(expression: &Expression) -> String {
    WORDS.number(expression)
}

fn in_words(expression: &Expression) -> String {
    match expression {
        Expression::Quantity { quantity, moment } => at(quantity_name(quantity), *moment),
        Expression::Counter => String::from("iterations so far"),
        Expression::Power { base, exponent } => format!("{base} ** {}", WORDS.tight(exponent)),
        Expression::Select { condition, then, otherwise } => {
            format!("({} if {}, else {})", number(then), formula_text(condition), number(otherwise))
        }
        Expression::Element(Element { buffer, index, moment, .. }) => {
            at(format!("{buffer}[{}]", number(index)), *moment)
        }
        other => other.to_string(),
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
        Aspect::Place => format!("place of {name} in its type"),
        // Whatever comes later has its exact form.
        _ => quantity.to_string(),
    }
}

fn at(name: String, moment: Moment) -> String {
    match moment {
        Moment::Entry => format!("{name} at entry"),
        Moment::Start => format!("{name} at the start"),
        Moment::Now => name,
        Moment::Next => format!("{name} after the iteration"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        formula_text(&text.parse().unwrap_or_else(|problem| panic!("{text}: {problem}")))
    }

    #[test]
    fn invariants_read_well() {
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
    fn what_says_most_comes_first_and_weaker_bounds_are_left_out() {
        let invariants = [
            "i >= -2147483648",
            "i - n <= max(entry(i) - entry(n), 1)",
            "i <= n + 2",
            "i <= n",
            "i < n + 2",
            "every(k, 0, 0, a.s4[k] == 1)",
            "i <= 65",
            "i <= 64",
            "every(k, 0, i, a.s4[k] == 0)",
            "i <= n",
        ];
        let invariants: Vec<Formula> =
            invariants.iter().map(|formula_text| formula_text.parse().unwrap()).collect();
        assert_eq!(
            telling(&invariants.iter().collect::<Vec<_>>()),
            [
                "i <= n",
                "i <= 64",
                "a[k] == 0 for all k from 0 up to and without i",
                "i >= -2147483648",
                "i - n <= max(i at entry - n at entry, 1)",
            ]
        );
    }
}
