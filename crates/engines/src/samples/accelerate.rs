//! States far down a loop, without running it: as long as one way through the loop is taken whose steps are constants,
//! many iterations are one multiplication.
//!
//! A loop that counts to ten million and does something else from five million on shows in runs of few steps only its
//! beginning. Ways that test what is not known, or assign it, end this: then runs must do.

use evidence::{Expression, Moment};
use program::VariableId;

use super::{Numbers, Seen};
use crate::code::Code;
use crate::linear::{Condition, Linear};
use crate::paths::GuardedPath;

/// How many entries are followed, and how many changes of the way.
const ENTRIES: usize = 8;
const ABSTRACTION: usize = 24;

/// Numbers beyond this may have left their type.
const LARGEST: i128 = 1 << 31;

/// Gives what was seen with states far down the loop, if there are any.
pub(crate) fn accelerate(
    seen: &Seen,
    code: &Code,
    variable: &dyn Fn(&Expression) -> Option<VariableId>,
) -> Option<Seen> {
    let plain =
        |path: &GuardedPath| path.exact && path.updates.values().all(|value| value.number().is_some());
    if !code.complete || code.iterations.is_empty() || !code.iterations.iter().all(plain) {
        return None;
    }
    let mut longer = seen.clone();
    for (place, entry) in seen.entries.iter().enumerate().take(ENTRIES) {
        let mut walk = Walk { seen, code, variable, state: entry.clone(), states: Vec::new() };
        for _ in 0..ABSTRACTION {
            if walk.abstract_loop().is_none() {
                break;
            }
        }
        let new = walk.states.into_iter().map(|state| (place, state));
        longer.states.extend(new);
    }
    (longer.states.len() > seen.states.len()).then_some(longer)
}

struct Walk<'a> {
    seen: &'a Seen,
    code: &'a Code,
    variable: &'a dyn Fn(&Expression) -> Option<VariableId>,
    state: Numbers,
    states: Vec<Numbers>,
}

impl Walk<'_> {
    /// Takes one way as often as its tests allow.
    fn abstract_loop(&mut self) -> Option<()> {
        let holds = |iteration: &&GuardedPath| {
            iteration.conditions.iter().all(|condition| self.holds(condition) == Some(true))
        };
        let iteration = self.code.iterations.iter().find(holds)?;
        let first = self.after(iteration, &self.state)?;
        let second = self.after(iteration, &first)?;
        let times =
            if self.is_steady(&self.state, &first, &second) { self.times(iteration, &first)? } else { 1 };
        let step = |count: i128| -> Option<Numbers> {
            let number = |(now, next): (&Option<i128>, &Option<i128>)| match (now, next) {
                (Some(now), Some(next)) => {
                    let value = now.checked_add(next.checked_sub(*now)?.checked_mul(count)?)?;
                    (value.abs() <= LARGEST).then_some(Some(value))
                }
                _ => Some(*next),
            };
            self.state.iter().zip(&first).map(number).collect()
        };
        let mut states = Vec::new();
        for count in [1, times / 3, times / 2, times - 2, times - 1, times] {
            if (1..=times).contains(&count) {
                states.push(step(count)?);
            }
        }
        self.state = states.last()?.clone();
        self.states.extend(states);
        Some(())
    }

    fn value(&self, number: &Linear, state: &Numbers) -> Option<i128> {
        number.terms().iter().try_fold(number.constant_part().to_i128()?, |sum, (part, factor)| {
            let Expression::Quantity { moment: Moment::Now, .. } = part else { return None };
            let slot = self.seen.slot((self.variable)(part)?)?;
            sum.checked_add(state[slot]?.checked_mul(factor.to_i128()?)?)
        })
    }

    fn holds(&self, condition: &Condition) -> Option<bool> {
        let all =
            |parts: &[Condition]| parts.iter().map(|part| self.holds(part)).collect::<Option<Vec<bool>>>();
        Some(match condition {
            Condition::AtMostZero(number) => self.value(number, &self.state)? <= 0,
            Condition::Zero(number) => self.value(number, &self.state)? == 0,
            Condition::NotZero(number) => self.value(number, &self.state)? != 0,
            Condition::All(parts) => all(parts)?.into_iter().all(|holds| holds),
            Condition::Any(parts) => all(parts)?.into_iter().any(|holds| holds),
        })
    }

    /// The state after an iteration.
    fn after(&self, iteration: &GuardedPath, state: &Numbers) -> Option<Numbers> {
        let mut next = state.clone();
        for (variable, after) in &iteration.updates {
            if let Some(slot) = self.seen.slot(*variable) {
                next[slot] = after.number().and_then(|after| self.value(&after, state));
            }
        }
        Some(next)
    }

    /// Whether the second iteration changes as much as the first.
    fn is_steady(&self, now: &Numbers, first: &Numbers, second: &Numbers) -> bool {
        now.iter().zip(first).zip(second).all(|((now, first), second)| match (now, first, second) {
            (Some(now), Some(first), Some(second)) => first - now == second - first,
            (_, first, second) => first == second,
        })
    }

    /// How often a way is taken in a row from here on, if its steps stay the same.
    fn times(&self, iteration: &GuardedPath, first: &Numbers) -> Option<i128> {
        let mut times = LARGEST;
        for atom in iteration.conditions.iter().flat_map(Condition::atoms) {
            let Some(number) = atom.number() else { continue };
            let now = self.value(number, &self.state)?;
            let step = self.value(number, first)?.checked_sub(now)?;
            // After so many iterations the number has crossed zero, or come to it.
            if now != 0 && step != 0 && (now < 0) == (step > 0) {
                let reached = matches!(atom, Condition::AtMostZero(_)) && now < 0;
                times = times.min(now.abs() / step.abs() + i128::from(reached));
            } else if now == 0 && step != 0 {
                times = 1;
            }
        }
        (times < LARGEST).then_some(times.max(1))
    }
}
