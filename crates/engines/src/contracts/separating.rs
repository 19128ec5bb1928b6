//! Conditions that hold of the runs on which nothing goes wrong, and not of the others.

use evidence::Comparison;
use evidence::Expression;
use evidence::Formula;
use evidence::expression::constant;

/// So many conditions at most.
const MOST: usize = 6;

/// A condition on the numbers of rows.
#[derive(Clone, PartialEq, Debug)]
struct Condition {
    left: usize,
    comparison: Comparison,
    right: Right,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Right {
    Constant(i128),
    Number(usize),
}

impl Condition {
    fn holds(&self, row: &[i128]) -> bool {
        let right = match self.right {
            Right::Constant(number) => number,
            Right::Number(place) => row[place],
        };
        self.comparison.holds(&row[self.left], &right)
    }

    fn formula(&self, numbers: &[Expression]) -> Formula {
        let right = match self.right {
            Right::Constant(number) => constant(number),
            Right::Number(place) => numbers[place].clone(),
        };
        numbers[self.left].clone().compare(self.comparison, right)
    }
}

/// Conditions that hold of all good rows, and each of the bad ones breaks one of them. Nothing is said of bad rows that no
/// condition tells from good ones; the simplest conditions that exclude the most come first.
pub(super) fn separating(
    numbers: &[Expression],
    good: &[Vec<i128>],
    bad: &[Vec<i128>],
    constants: &[i128],
) -> Vec<Formula> {
    let mut left: Vec<&Vec<i128>> = bad.iter().filter(|row| !good.contains(row)).collect();
    let candidates: Vec<Condition> = candidates(numbers.len(), constants)
        .into_iter()
        .filter(|condition| good.iter().all(|row| condition.holds(row)))
        .collect();
    let mut found = Vec::new();
    while !left.is_empty() && found.len() < MOST {
        let excluded = |condition: &Condition| left.iter().filter(|row| !condition.holds(row)).count();
        // The first of those that exclude the most: they are in the order of their simplicity.
        let best = candidates.iter().rev().max_by_key(|condition| excluded(condition));
        let Some(best) = best.filter(|condition| excluded(condition) > 0) else { break };
        left.retain(|row| best.holds(row));
        found.push(best.formula(numbers));
    }
    found
}

/// The conditions that are tried, the simplest first.
fn candidates(numbers: usize, constants: &[i128]) -> Vec<Condition> {
    let mut found = Vec::new();
    let mut add = |left, comparison, right| found.push(Condition { left, comparison, right });
    for left in 0..numbers {
        add(left, Comparison::GreaterEqual, Right::Constant(0));
        add(left, Comparison::Differ, Right::Constant(0));
        add(left, Comparison::Greater, Right::Constant(0));
    }
    for left in 0..numbers {
        for right in 0..numbers {
            if left != right {
                add(left, Comparison::Less, Right::Number(right));
                add(left, Comparison::LessEqual, Right::Number(right));
                add(left, Comparison::Differ, Right::Number(right));
            }
        }
        for &constant in constants {
            let comparisons =
                [Comparison::LessEqual, Comparison::Less, Comparison::GreaterEqual, Comparison::Differ];
            comparisons.into_iter().for_each(|comparison| add(left, comparison, Right::Constant(constant)));
        }
    }
    found
}
