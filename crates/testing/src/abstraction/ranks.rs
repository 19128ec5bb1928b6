//! Whether an iteration of a run decreases the ranks that the kernel accepted.
//!
//! The rules are those of `certify::ranking`, written once more on numbers.

use evidence::{Expression, Integer, Ranking};

use super::invariants::States;

/// Whether an iteration from a state to the next one is as a ranking function says, if that can be told.
pub fn decreases(ranking: &Ranking, before: &States<'_>, after: &States<'_>) -> Option<bool> {
    let ranks = match ranking {
        Ranking::Linear(rank) => std::slice::from_ref(rank),
        Ranking::Lexicographic(ranks) | Ranking::Multiphase(ranks) | Ranking::Nested(ranks) => ranks,
    };
    let values = |states: &States<'_>| -> Option<Vec<Integer>> {
        ranks.iter().map(|rank: &Expression| states.value(rank)).collect()
    };
    let (now, next) = (values(before)?, values(after)?);
    let settles = |at: usize| now[at] >= Integer::ZERO && next[at] < now[at];
    let mut places = 0..ranks.len();
    Some(match ranking {
        Ranking::Linear(_) | Ranking::Lexicographic(_) => {
            places.any(|at| settles(at) && (0..at).all(|other| next[other] <= now[other]))
        }
        Ranking::Multiphase(_) => {
            places.any(|at| settles(at) && (0..at).all(|other| next[other] < now[other]))
        }
        Ranking::Nested(_) => {
            let is_less = |at: usize| {
                let before = at.checked_sub(1).map_or(Integer::ZERO, |other| now[other].clone());
                next[at] < &now[at] + before
            };
            now.last().is_some_and(|last| *last >= Integer::ZERO) && places.all(is_less)
        }
    })
}
