//! Whether a run of the whole program contradicts what was claimed.

use evidence::{Aspect, CaseReport, Comparison, Count, Expression, Formula, Integer, Moment, Strength};

use super::claims::What;
use super::whole::{Observed, Opinion, RunOutcome, Visit};

/// Whether sanitizers judge a claim, and not the run alone.
pub fn needs_sanitizers(what: &What) -> bool {
    matches!(what, What::GoodAccesses | What::NoOverflow | What::Error)
}

/// What in a run contradicts a claim.
pub fn contradiction(what: &What, observed: &Observed) -> Option<String> {
    let outcome = observed.outcome;
    match what {
        What::Stops(number) if outcome == RunOutcome::Nontermination(*number) => {
            Some(format!("the run goes on for ever in loop {number}"))
        }
        What::Ends if matches!(outcome, RunOutcome::Nontermination(_)) => {
            Some(format!("the run goes on for ever: {outcome:?}"))
        }
        What::NoError(line) => match outcome {
            RunOutcome::Error(reached) if line.is_none_or(|line| line == reached) => {
                Some(format!("the run calls the error function on line {reached}"))
            }
            _ => None,
        },
        What::AtMost(number, count) => {
            let visits = observed.visits.iter().filter(|visit| visit.number == *number);
            let infinite = (outcome == RunOutcome::Nontermination(*number))
                .then(|| String::from("the run goes on for ever"));
            visits.filter_map(|visit| too_many(count, visit)).next().or(infinite)
        }
        What::Case(number, case) => {
            let visits = observed.visits.iter().filter(|visit| visit.number == *number && visit.left);
            visits.filter_map(|visit| other_case(case, visit)).next()
        }
        What::Error => match outcome {
            RunOutcome::Returned | RunOutcome::Nontermination(_) => {
                Some(format!("the only run does not: {outcome:?}"))
            }
            _ => None,
        },
        What::Nontermination if outcome == RunOutcome::Returned => Some(String::from("the only run returns")),
        _ => None,
    }
}

/// What a sanitizer says against a claim.
pub fn complaint(what: &What, opinion: &Opinion) -> Option<String> {
    let Opinion::Part(text) = opinion else { return None };
    let is_overflow = text.contains("signed integer overflow");
    let is_access =
        ["AddressSanitizer", "out of bounds", "null pointer"].iter().any(|sign| text.contains(sign));
    match what {
        What::GoodAccesses if is_access => Some(text.clone()),
        What::NoOverflow if is_overflow => Some(text.clone()),
        // The sanitized run would have ended with the error.
        What::Error => Some(format!("the run does something undefined before: {text}")),
        _ => None,
    }
}

fn too_many(count: &Count, visit: &Visit) -> Option<String> {
    let most = value(&count.iterations, visit)?;
    let made = Integer::from(visit.iterations);
    // A condition of several blocks begins an iteration that may end before the body.
    let is_wrong = made > most || count.exact && visit.left && made != most && &made + 1 != most;
    is_wrong.then(|| format!("{made} iterations, and the number is {most}: {visit:?}"))
}

/// What a visit does against a case that applies to it.
fn other_case(report: &CaseReport, visit: &Visit) -> Option<String> {
    if !holds(&report.case.guard, visit)? {
        return None;
    }
    if report.never && report.strength == Strength::Confirmed {
        return Some(format!("the loop is left: {visit:?}"));
    }
    let iterations = value(report.case.iterations.as_ref()?, visit)?;
    let made = Integer::from(visit.iterations);
    // The last iteration of a loop that tests at its end does not come back.
    let is_wrong = report.counted == Strength::Confirmed && iterations != made && &iterations + 1 != made;
    is_wrong.then(|| format!("{made} iterations, and not {iterations} complete iterations: {visit:?}"))
}

/// Whether a condition on parameters holds.
fn holds(formula: &Formula, visit: &Visit) -> Option<bool> {
    Some(match formula {
        Formula::True => true,
        Formula::False => false,
        Formula::Compare { left, comparison, right } => {
            let (left, right) = (value(left, visit)?, value(right, visit)?);
            match comparison {
                Comparison::Equal => left == right,
                Comparison::Differ => left != right,
                Comparison::Less => left < right,
                Comparison::LessEqual => left <= right,
                Comparison::Greater => left > right,
                Comparison::GreaterEqual => left >= right,
            }
        }
        Formula::Not(inner) => !holds(inner, visit)?,
        Formula::All(parts) => {
            parts.iter().map(|part| holds(part, visit)).collect::<Option<Vec<_>>>()?.iter().all(|part| *part)
        }
        Formula::Any(parts) => {
            parts.iter().map(|part| holds(part, visit)).collect::<Option<Vec<_>>>()?.contains(&true)
        }
        Formula::Every { .. } => return None,
    })
}

/// A number over the parameters, which nobody assigns.
fn value(expression: &Expression, visit: &Visit) -> Option<Integer> {
    let all = |parts: &[Expression]| parts.iter().map(|part| value(part, visit)).collect::<Option<Vec<_>>>();
    Some(match expression {
        Expression::Constant(number) => number.clone(),
        Expression::Quantity { quantity, moment: Moment::Start | Moment::Entry }
            if quantity.aspect == Aspect::Value =>
        {
            let place = ["n", "m"].iter().position(|name| quantity.variable.to_string() == *name)?;
            Integer::from(visit.parameters[place])
        }
        Expression::Sum(parts) => all(parts)?.into_iter().sum(),
        Expression::Product(parts) => all(parts)?.into_iter().product(),
        Expression::Minimum(parts) => all(parts)?.into_iter().min()?,
        Expression::Maximum(parts) => all(parts)?.into_iter().max()?,
        Expression::Quotient { dividend, divisor } => {
            let dividend = value(dividend, visit)?;
            let rounded = &dividend / divisor;
            if dividend < Integer::ZERO && &rounded * divisor != dividend { rounded - 1 } else { rounded }
        }
        _ => return None,
    })
}
