//! Bounds of loops as text and JSON.
//!
//! The JSON form is one object: `schema` and `loops`. A loop has `function`, `loop` (its name), `place`, `depth`, `around`
//! (the loop around it, by its place in the list, or null), `bound` or null, and `missing`: why there is none. A bound has
//! `visit`, `parts`, `start`, `total`, `nest` (see [`evidence::IterationBound`]), `by_type` and `evidence`. A count has
//! `iterations` (a formula), `exact` and `text`. A field is added, never renamed.

use std::fmt::Write;

use evidence::{Aspect, BoundsReport, Count, Expression, Formula, Integer, IterationBound, LoopBound};
use report::phrasing::{Notation, counted};
use serde_json::{Value, json};

/// What the JSON form has.
pub fn json(report: &BoundsReport) -> Value {
    let mut answer = serde_json::to_value(report).unwrap_or_default();
    for (place, one) in report.loops.iter().enumerate() {
        let Some(bound) = &one.bound else { continue };
        let counts = [
            ("visit", Some(&bound.visit)),
            ("start", bound.start.as_ref()),
            ("total", bound.total.as_ref()),
            ("nest", bound.nest.as_ref()),
        ];
        for (name, count) in counts {
            if let (Some(count), Some(Value::Object(fields))) =
                (count, answer.pointer_mut(&format!("/loops/{place}/bound/{name}")))
            {
                fields.insert(String::from("text"), json!(number(&count.iterations)));
            }
        }
    }
    answer
}

/// Bounds as text.
pub fn render(report: &BoundsReport) -> String {
    let mut text = String::new();
    for one in &report.loops {
        write_loop(&mut text, one);
    }
    let bounded = report.loops.iter().filter_map(|one| one.bound.as_ref());
    let (count, exact) =
        bounded.fold((0, 0), |(count, exact), bound| (count + 1, exact + usize::from(bound.visit.exact)));
    let loops = counted(report.loops.len(), "loop");
    _ = writeln!(text, "{loops}: {count} with a bound, {exact} of them exact");
    text
}

fn write_loop(text: &mut String, one: &LoopBound) {
    let indent = "  ".repeat(one.depth.saturating_sub(1) as usize);
    _ = write!(text, "{indent}{} in {}: ", one.name, one.function);
    match (&one.bound, &one.missing) {
        (Some(bound), _) => write_bound(text, &indent, bound, one.depth > 1),
        (None, Some(why)) => _ = writeln!(text, "no bound: {why}"),
        (None, None) => text.push_str("no bound\n"),
    }
}

fn write_bound(text: &mut String, indent: &str, bound: &IterationBound, is_inner: bool) {
    let note = if bound.by_type { "  (only the range of a type ends it)" } else { "" };
    _ = writeln!(text, "{}{note}", count(&bound.visit));
    let mut line = |title: &str, what: String| _ = writeln!(text, "{indent}    {title:<11} {what}");
    if bound.parts.len() > 1 {
        let parts: Vec<String> = bound.parts.iter().map(number).collect();
        line("by parts", parts.join("  +  "));
    }
    if let Some(start) = &bound.start {
        line("at start", count(start));
    }
    if is_inner {
        if let Some(total) = &bound.total {
            line("all visits", count(total));
        } else if let Some(nest) = &bound.nest {
            line(
                "all visits",
                format!("{} for each visit of the outermost loop, over its entry", count(nest)),
            );
        }
    }
}

/// A number of iterations in words.
pub fn count(count: &Count) -> String {
    let how = if count.exact { "exactly" } else { "at most" };
    format!("{how} {}", number(&count.iterations))
}

/// A number as people write it, with the names of the source.
pub fn number(expression: &Expression) -> String {
    NOTATION.number(expression)
}

const NOTATION: Notation = Notation { times: "*", modulo: "mod", constant, other };

fn other(expression: &Expression) -> String {
    match expression {
        Expression::Quantity { quantity, .. } => match quantity.aspect {
            Aspect::Value | Aspect::Offset => quantity.variable.to_string(),
            _ => quantity.to_string(),
        },
        Expression::Select { condition, then, otherwise } => {
            format!("({} ? {} : {})", formula(condition), number(then), number(otherwise))
        }
        other => other.to_string(),
    }
}

fn formula(formula: &Formula) -> String {
    match formula {
        Formula::Compare { left, comparison, right } => {
            format!("{} {} {}", number(left), comparison.symbol(), number(right))
        }
        Formula::All(parts) => parts.iter().map(self::formula).collect::<Vec<_>>().join(" && "),
        other => other.to_string(),
    }
}

/// Large numbers are near powers of two, as a rule.
fn constant(known: &Integer) -> String {
    let magnitude = if *known < Integer::ZERO { -known } else { known.clone() };
    if magnitude < Integer::from((1i64 << 31) - 16) {
        return known.to_string();
    }
    let sign = if *known < Integer::ZERO { "-" } else { "" };
    for power in 31..=128usize {
        let rest = &magnitude - (Integer::ONE << power);
        if rest == Integer::ZERO {
            return format!("{sign}2^{power}");
        }
        if rest < Integer::from(16) && rest > Integer::from(-16) {
            let (op, rest) = if rest < Integer::ZERO { ("-", -rest) } else { ("+", rest) };
            return format!("{sign}(2^{power} {op} {rest})");
        }
    }
    known.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(expression: &str) -> String {
        number(&expression.parse().unwrap_or_else(|error| panic!("{expression}: {error:?}")))
    }

    #[test]
    fn numbers_read_like_mathematics() {
        assert_eq!(text("max(entry(n) - entry(i), 0)"), "max(n - i, 0)");
        assert_eq!(text("2 * start(n) * start(m) - start(x)"), "2*n*m - x");
        assert_eq!(text("(entry(offset(end)) - entry(offset(p)) + 3) / 4"), "(end - p + 3) / 4");
        assert_eq!(text("9223372036854775808 + entry(n)"), "2^63 + n");
        assert_eq!(text("if(entry(n) >= 1, entry(n), 2147483647)"), "(n >= 1 ? n : (2^31 - 1))");
    }
}
