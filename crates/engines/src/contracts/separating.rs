//! Conditions that hold of the runs on which nothing goes wrong, and not of the others.

use evidence::Comparison;
use evidence::Expression;
use evidence::Formula;
use evidence::expression::constant;

/// So many conditions at most.
const MOST: usize = 6;

/// So many conditions are joined with each other.
const MOST_PAIRED: usize = 60;

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
/// condition tells from good ones; the simplest conditions that exclude the most come first, and then one or another of two.
pub(super) fn separating(
    numbers: &[Expression],
    good: &[Vec<i128>],
    bad: &[Vec<i128>],
    constants: &[i128],
) -> Vec<Formula> {
    // A row that is good shows that not too much is required: without one, anything would be.
    if good.is_empty() {
        return Vec::new();
    }
    let mut left: Vec<&Vec<i128>> = bad.iter().filter(|row| !good.contains(row)).collect();
    let simple = candidates(numbers.len(), constants);
    let mut found = Vec::new();
    let is_so = |clause: &&[Condition]| good.iter().all(|row| holds(clause, row));
    let single = simple.iter().map(std::slice::from_ref).filter(is_so).map(<[Condition]>::to_vec);
    exclude(&single.collect::<Vec<_>>(), &mut left, &mut found);
    if !left.is_empty() {
        // A condition is of use if it excludes something by itself.
        let of_use = |one: &&Condition| left.iter().any(|row| !one.holds(row));
        let of_use: Vec<&Condition> = simple.iter().filter(of_use).take(MOST_PAIRED).collect();
        let pairs = of_use.iter().enumerate().flat_map(|(place, &one)| {
            of_use[..place].iter().map(move |&other| vec![other.clone(), one.clone()])
        });
        let pairs: Vec<Vec<Condition>> = pairs.filter(|pair| is_so(&&pair[..])).collect();
        exclude(&pairs, &mut left, &mut found);
    }
    let formula = |clause: &Vec<Condition>| {
        let parts: Vec<Formula> = clause.iter().map(|part| part.formula(numbers)).collect();
        if let [part] = &parts[..] { part.clone() } else { Formula::Any(parts) }
    };
    found.iter().map(formula).collect()
}

fn holds(clause: &[Condition], row: &[i128]) -> bool {
    clause.iter().any(|part| part.holds(row))
}

/// Takes the clauses that exclude the most until no more rows can be excluded.
fn exclude(clauses: &[Vec<Condition>], left: &mut Vec<&Vec<i128>>, found: &mut Vec<Vec<Condition>>) {
    while !left.is_empty() && found.len() < MOST {
        let excluded = |clause: &Vec<Condition>| left.iter().filter(|row| !holds(clause, row)).count();
        // The first of those that exclude the most: they are in the order of their simplicity.
        let best = clauses.iter().rev().max_by_key(|clause| excluded(clause));
        let Some(best) = best.filter(|clause| excluded(clause) > 0) else { break };
        left.retain(|row| holds(best, row));
        found.push(best.clone());
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{Moment, Quantity};

    fn told_apart(good: &[[i128; 2]], bad: &[[i128; 2]]) -> Vec<String> {
        let numbers = ["n", "i"].map(|name| Quantity::value(name).at(Moment::Now));
        let rows = |rows: &[[i128; 2]]| rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>();
        let found = separating(&numbers, &rows(good), &rows(bad), &[4]);
        found.iter().map(Formula::to_string).collect()
    }

    #[test]
    fn the_simplest_condition_is_found() {
        assert_eq!(told_apart(&[[1, 0], [5, 3]], &[[1, -1], [5, -2]]), ["i >= 0"]);
        assert_eq!(told_apart(&[[1, 0], [5, 3], [0, -2]], &[[3, 3], [1, 9]]), ["i < n"]);
        assert_eq!(told_apart(&[[1, 0]], &[[0, 0]]), ["n != 0"]);
        assert!(told_apart(&[[1, 0]], &[[1, 0]]).is_empty());
        assert!(told_apart(&[], &[[1, 0], [3, 4]]).is_empty());
    }

    #[test]
    fn one_of_two_conditions_may_do() {
        let good = [[3, 0], [3, 2], [-1, -1], [-5, -2], [2, 7], [9, 5]];
        assert_eq!(told_apart(&good, &[[3, -1], [9, -2], [1, -3]]), ["i >= 0 || n <= i"]);
    }
}
