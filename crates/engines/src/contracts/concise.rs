//! Leaves out what follows from the rest, so that a contract can be read.

use std::collections::BTreeMap;

use base::Budget;
use evidence::{Expression, Formula};
use logic::numbers::linear::{Constraint, Relation};
use logic::numbers::simplex::{Problem, Range, VariableId};

use crate::linear::{Condition, Linear};

/// A clause follows only if that shows in so many cases and pivots.
const CASES: usize = 200;
const STEPS: u64 = 20_000;

/// Clauses from which all the others follow, as far as there is time. Short ones stay.
pub fn concise(clauses: &[Formula], budget: &Budget) -> Vec<Formula> {
    let mut order: Vec<&Formula> = clauses.iter().collect();
    order.sort_by_key(|clause| (rank(clause), clause.to_string().len()));
    let conditions: Vec<Option<Condition>> = order.iter().map(|clause| Condition::parse(clause)).collect();
    let mut kept: Vec<bool> = vec![true; order.len()];
    for place in (0..order.len()).rev() {
        let Some(clause) = &conditions[place] else { continue };
        let others = (0..order.len()).filter(|&other| other != place && kept[other]);
        let others = others.filter_map(|other| conditions[other].clone());
        let mut all: Vec<Condition> = others.collect();
        all.push(clause.negated());
        if budget.clone().spend(0).is_err() {
            break;
        }
        kept[place] = !is_contradictory(&all);
    }
    let kept: Vec<&Formula> =
        order.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(one, _)| one).collect();
    clauses.iter().filter(|clause| kept.contains(clause)).cloned().collect()
}

/// What says most comes first: equations, and what holds without conditions.
fn rank(clause: &Formula) -> usize {
    match clause {
        Formula::Compare { comparison: evidence::Comparison::Equal, .. } => 0,
        Formula::Compare { .. } => 1,
        _ => 2,
    }
}

/// Whether conditions have no solution, as far as rationals tell.
fn is_contradictory(conditions: &[Condition]) -> bool {
    let mut cases = CASES;
    let (mut certain, mut choices) = (Vec::new(), Vec::new());
    conditions.iter().for_each(|condition| sort(condition, &mut certain, &mut choices));
    has_no_case(&certain, &choices, &mut cases)
}

/// Divides conditions into comparisons that all must hold, and choices.
fn sort(condition: &Condition, certain: &mut Vec<Condition>, choices: &mut Vec<Vec<Condition>>) {
    match condition {
        Condition::All(parts) => parts.iter().for_each(|part| sort(part, certain, choices)),
        Condition::Any(parts) => choices.push(parts.clone()),
        Condition::NotZero(number) => {
            let below = Condition::AtMostZero(number.shifted(1));
            let above = Condition::AtMostZero((-number).shifted(1));
            choices.push(vec![below, above]);
        }
        comparison => certain.push(comparison.clone()),
    }
}

fn has_no_case(certain: &[Condition], choices: &[Vec<Condition>], cases: &mut usize) -> bool {
    if *cases == 0 {
        return false;
    }
    *cases -= 1;
    if !is_feasible(certain) {
        return true;
    }
    let Some((choice, rest)) = choices.split_last() else { return false };
    choice.iter().all(|part| {
        let (mut certain, mut choices) = (certain.to_vec(), rest.to_vec());
        sort(part, &mut certain, &mut choices);
        has_no_case(&certain, &choices, cases)
    })
}

fn is_feasible(comparisons: &[Condition]) -> bool {
    let mut problem = Problem::new();
    let mut variables: BTreeMap<Expression, VariableId> = BTreeMap::new();
    for comparison in comparisons {
        let (number, relation): (&Linear, Relation) = match comparison {
            Condition::AtMostZero(number) => (number, Relation::AtMost),
            Condition::Zero(number) => (number, Relation::Equal),
            _ => continue,
        };
        let expression = number
            .renamed(|part| *variables.entry(part).or_insert_with(|| problem.new_variable(Range::Free)));
        problem.constrain(&Constraint { expression, relation });
    }
    problem.is_feasible(&mut Budget::steps(STEPS)).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(clauses: &[&str]) -> Vec<String> {
        let clauses: Vec<Formula> = clauses.iter().map(|text| text.parse().expect("a formula")).collect();
        concise(&clauses, &Budget::unlimited()).iter().map(Formula::to_string).collect()
    }

    #[test]
    fn what_follows_is_left_out() {
        assert_eq!(left(&["r >= 0", "r >= -1", "r + n >= 0 || n < 0"]), ["r >= 0"]);
        assert_eq!(left(&["r == n", "r >= n", "r <= n + 1"]), ["r == n"]);
        assert_eq!(left(&["r >= a", "r >= b"]), ["r >= a", "r >= b"]);
        assert_eq!(left(&["a > 0 || r == 0", "a > 5 || r <= 7", "r >= 0"]).len(), 3);
        assert_eq!(left(&["a > 5 || r == 0", "a > 0 || r <= 7", "r >= 0"]).len(), 2);
    }
}
