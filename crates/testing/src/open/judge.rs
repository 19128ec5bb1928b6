//! Whether a run of the whole program contradicts what was claimed.

use evidence::{Aspect, Count, Expression, Integer, Moment};

use super::claims::What;
use super::whole::{Ending, Observed, Opinion, Visit};

/// Whether sanitizers judge a claim, and not the run alone.
pub fn needs_sanitizers(what: &What) -> bool {
    matches!(what, What::GoodAccesses | What::NoOverflow)
}

/// What in a run contradicts a claim.
pub fn contradiction(what: &What, observed: &Observed) -> Option<String> {
    let ending = observed.ending;
    match what {
        What::Stops(number) if ending == Ending::Endless(*number) => {
            Some(format!("the run goes on for ever in loop {number}"))
        }
        What::Ends if matches!(ending, Ending::Endless(_)) => Some(format!("the run goes on for ever: {ending:?}")),
        What::NoError(line) => match ending {
            Ending::Error(reached) if line.is_none_or(|line| line == reached) => {
                Some(format!("the run calls the error function on line {reached}"))
            }
            _ => None,
        },
        What::AtMost(number, count) => {
            let visits = observed.visits.iter().filter(|visit| visit.number == *number);
            let endless = (ending == Ending::Endless(*number)).then(|| String::from("the run goes on for ever"));
            visits.filter_map(|visit| too_many(count, visit)).next().or(endless)
        }
        What::Error => match ending {
            Ending::Returned | Ending::Endless(_) => Some(format!("the only run does not: {ending:?}")),
            _ => None,
        },
        What::Endless if ending == Ending::Returned => Some(String::from("the only run returns")),
        _ => None,
    }
}

/// What a sanitizer says against a claim.
pub fn complaint(what: &What, opinion: &Opinion) -> Option<String> {
    let Opinion::Part(text) = opinion else { return None };
    let is_overflow = text.contains("signed integer overflow");
    let is_access = ["AddressSanitizer", "out of bounds", "null pointer"].iter().any(|sign| text.contains(sign));
    match what {
        What::GoodAccesses if is_access => Some(text.clone()),
        What::NoOverflow if is_overflow => Some(text.clone()),
        _ => None,
    }
}

fn too_many(count: &Count, visit: &Visit) -> Option<String> {
    let most = value(&count.iterations, visit)?;
    let made = Integer::from(visit.iterations);
    let is_wrong = made > most || count.exact && visit.left && made != most;
    is_wrong.then(|| format!("{made} iterations, and the number is {most}: {visit:?}"))
}

/// A number over what the parameters were when the function was entered.
fn value(expression: &Expression, visit: &Visit) -> Option<Integer> {
    let all = |parts: &[Expression]| parts.iter().map(|part| value(part, visit)).collect::<Option<Vec<_>>>();
    Some(match expression {
        Expression::Constant(number) => number.clone(),
        Expression::Quantity { quantity, moment: Moment::Start } if quantity.aspect == Aspect::Value => {
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
