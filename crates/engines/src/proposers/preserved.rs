//! Limits that are only kept: a number is within a limit that the code tests, or not farther beyond it than at entry
//! (design, section 2: invariants that compare the state with the one at entry).

use evidence::{Expression, Formula};

use super::guards::changing;
use super::numbers::seen_range;
use crate::linear::{InEvidence, Linear};
use crate::view::View;

/// So many limits are examined.
const MOST: usize = 16;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let mut known: Vec<Linear> = Vec::new();
    for number in view.code.tested() {
        for number in [number.clone(), -number] {
            let changing = changing(view, &number);
            let unknown = changing.iter().any(|variable| variable.entry.is_none());
            // What all runs keep is a plain limit.
            let plain = seen_range(view, &number).is_some_and(|(_, high)| high <= 0);
            if unknown && !plain && known.len() < MOST && !known.contains(&number) {
                candidates.extend(within_or_as_at_entry(&number));
                known.push(number);
            }
        }
    }
}

/// At most the limit, or what it was at entry.
fn within_or_as_at_entry(number: &Linear) -> Vec<Formula> {
    let Some(entry) = number.at_entry() else { return Vec::new() };
    let kept = |limit: i64| {
        let limit = Expression::Maximum(vec![entry.expression(), limit.into()]);
        number.expression().at_most(limit)
    };
    vec![kept(0), kept(1)]
}
