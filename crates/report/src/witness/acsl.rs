//! The source with what is known of its loops as ACSL comments, for people and for Frama-C.
//!
//! ```c
//! /*@ loop invariant 0 <= i <= n;
//!     loop variant n - i; */
//! while (i < n)
//! ```
//!
//! The numbers of ACSL have no limits, like those of evidence, so that no casts are needed; loop entry is
//! `\at(x, LoopEntry)`. An argument that is no single variant is told in a comment. Invariants about pointers and
//! memory are left out.

use std::collections::BTreeMap;
use std::fmt::Write;

use evidence::{
    Aspect, Evidence, Expression, Formula, Moment, Name, Quantity, Ranking, Summary, Termination,
};

use super::{Sites, ranks};

/// A file with the loops annotated that stand in it.
pub fn annotated(file: &str, text: &str, sites: &Sites, evidence: &Evidence) -> String {
    let summaries = evidence.loops();
    let mut notes: BTreeMap<(u32, u32), Vec<String>> = BTreeMap::new();
    for (place, point) in sites.points.iter().enumerate() {
        let is_of = |summary: &&Summary| summary.name == point.function && summary.place == point.head;
        let abstract_loops: Vec<&Summary> = summaries.iter().filter(is_of).collect();
        let source = sites.source(&point.place).filter(|_| !abstract_loops.is_empty());
        let here = source.and_then(|source| source.physical(&point.place));
        let Some(here) = here.filter(|here| here.file == file) else { continue };
        let writer = Writer { sites, point: place };
        notes.insert((here.line, here.column), writer.notes(&abstract_loops));
    }
    let mut result = String::new();
    for (number, line) in text.lines().enumerate() {
        let here = (number as u32 + 1, 0)..(number as u32 + 2, 0);
        let mut at = 0;
        for ((_, column), notes) in notes.range(here) {
            let column = (*column as usize).saturating_sub(1).clamp(at, line.len());
            if !line.is_char_boundary(column) || notes.is_empty() {
                continue;
            }
            result.push_str(&line[at..column]);
            let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
            let is_first = line[..column].trim().is_empty();
            if is_first {
                let between = format!("\n{indent}    ");
                let _ = write!(result, "/*@ {} */\n{indent}", notes.join(&between));
            } else {
                let _ = write!(result, "/*@ {} */ ", notes.join(" "));
            }
            at = column;
        }
        result.push_str(&line[at..]);
        result.push('\n');
    }
    result
}

struct Writer<'a> {
    sites: &'a Sites,
    point: usize,
}

impl Writer<'_> {
    /// The clauses about a loop: what holds in all of its abstract loops.
    fn notes(&self, abstract_loops: &[&Summary]) -> Vec<String> {
        let Some((first, others)) = abstract_loops.split_first() else { return Vec::new() };
        let mut notes = Vec::new();
        for loop_invariant in &first.invariants {
            if others.iter().all(|abstract_loop| abstract_loop.invariants.contains(loop_invariant))
                && let Some(text) = self.formula(&loop_invariant.formula)
            {
                notes.push(format!("loop invariant {text};"));
            }
        }
        if let Some(argument) = &first.termination
            && others.iter().all(|abstract_loop| abstract_loop.termination.as_ref() == Some(argument))
        {
            match argument {
                Termination::Ranking(Ranking::Linear(rank)) => {
                    notes.extend(self.expression(rank).map(|rank| format!("loop variant {rank};")));
                }
                other => {
                    let relation = ranks::relation(other).map(|relation| relation.to_string());
                    notes.extend(relation.map(|relation| format!("// an iteration or several: {relation}")));
                }
            }
        }
        notes
    }

    fn name(&self, name: &Name) -> Option<&str> {
        let point = &self.sites.points[self.point];
        point.variables.iter().find(|one| one.name == *name).map(|one| one.spelling.as_str())
    }

    fn formula(&self, formula: &Formula) -> Option<String> {
        let list = |parts: &[Formula], between: &str, none: &str| -> Option<String> {
            if parts.is_empty() {
                return Some(none.to_owned());
            }
            let parts: Option<Vec<String>> =
                parts.iter().map(|part| self.formula(part).map(|text| format!("({text})"))).collect();
            Some(parts?.join(between))
        };
        Some(match formula {
            Formula::True => String::from("\\true"),
            Formula::False => String::from("\\false"),
            Formula::Compare { left, comparison, right } => {
                format!("{} {} {}", self.expression(left)?, comparison.symbol(), self.expression(right)?)
            }
            Formula::Not(inner) => format!("!({})", self.formula(inner)?),
            Formula::All(parts) => list(parts, " && ", "\\true")?,
            Formula::Any(parts) => list(parts, " || ", "\\false")?,
            Formula::Every { .. } => return None,
        })
    }

    fn expression(&self, expression: &Expression) -> Option<String> {
        Some(match expression {
            Expression::Quantity { quantity, moment } => self.quantity(quantity, *moment)?,
            Expression::Constant(number) => number.to_string(),
            Expression::Sum(parts) => self.join(parts, " + ", "0")?,
            Expression::Product(parts) => self.join(parts, " * ", "1")?,
            Expression::Minimum(parts) => self.call("\\min", parts)?,
            Expression::Maximum(parts) => self.call("\\max", parts)?,
            Expression::Select { condition, then, otherwise } => format!(
                "({} ? {} : {})",
                self.formula(condition)?,
                self.expression(then)?,
                self.expression(otherwise)?
            ),
            // ACSL rounds towards zero, evidence rounds down.
            Expression::Remainder { dividend, divisor } => {
                format!("(({} % {divisor} + {divisor}) % {divisor})", self.atom(dividend)?)
            }
            Expression::Quotient { .. }
            | Expression::Counter
            | Expression::Power { .. }
            | Expression::Element(_) => return None,
        })
    }

    fn atom(&self, expression: &Expression) -> Option<String> {
        let text = self.expression(expression)?;
        let is_plain = matches!(expression, Expression::Quantity { .. })
            || matches!(expression, Expression::Constant(number) if *number >= 0.into());
        Some(if is_plain { text } else { format!("({text})") })
    }

    fn join(&self, parts: &[Expression], between: &str, none: &str) -> Option<String> {
        let Some((first, rest)) = parts.split_first() else { return Some(none.to_owned()) };
        let mut text = self.atom(first)?;
        for part in rest {
            match part.negated().filter(|_| between == " + ") {
                Some(part) => _ = write!(text, " - {}", self.atom(&part)?),
                None => _ = write!(text, "{between}{}", self.atom(part)?),
            }
        }
        Some(text)
    }

    fn call(&self, function: &str, parts: &[Expression]) -> Option<String> {
        let (first, rest) = parts.split_first()?;
        let mut text = self.expression(first)?;
        for part in rest {
            text = format!("{function}({text}, {})", self.expression(part)?);
        }
        Some(text)
    }

    fn quantity(&self, quantity: &Quantity, moment: Moment) -> Option<String> {
        let name = self.name(&quantity.variable).filter(|_| quantity.aspect == Aspect::Value)?;
        match moment {
            Moment::Now => Some(name.to_owned()),
            Moment::Entry => Some(format!("\\at({name}, LoopEntry)")),
            Moment::Start => Some(format!("\\at({name}, Pre)")),
            Moment::Next => None,
        }
    }
}
