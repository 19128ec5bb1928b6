//! Arguments why loops are left as transition invariants, and back.
//!
//! A ranking function *r* becomes the relation `r' < r && r >= 0` between a state and all later ones; several of them a
//! disjunction with what those before do. All of these are transitive, so that they are transition invariants, and the ranks
//! are read off them. Nested ranks are no such relation.

use evidence::{Comparison, Expression, Formula, Ranking, Termination, TransitionInvariant, WellFounded};

/// The relation between a state (*now*) and a later one (*next*) that an argument shows.
pub fn relation(argument: &Termination) -> Option<Formula> {
    match argument {
        Termination::Ranking(Ranking::Linear(rank)) => Some(Formula::All(decreases(rank)?)),
        Termination::Ranking(Ranking::Lexicographic(ranks)) => by_index(ranks, Comparison::LessEqual),
        Termination::Ranking(Ranking::Multiphase(ranks)) => by_index(ranks, Comparison::Less),
        Termination::Ranking(Ranking::Nested(_)) => None,
        Termination::Disjunctive { invariant, .. } => Some(match &invariant.disjuncts[..] {
            [only] => only.clone(),
            several => Formula::Any(several.to_vec()),
        }),
    }
}

/// The argument that a relation suggests.
pub fn argument(relation: &Formula) -> Termination {
    let disjuncts = match relation {
        Formula::Any(parts) => parts.clone(),
        one => vec![one.clone()],
    };
    let ranks: Vec<Option<Expression>> = disjuncts.iter().map(rank).collect();
    if let Some(ranks) = ranks.iter().cloned().collect::<Option<Vec<Expression>>>() {
        let written = relation.to_string();
        let candidates = match &ranks[..] {
            [rank] => vec![Ranking::Linear(rank.clone())],
            _ => vec![Ranking::Lexicographic(ranks.clone()), Ranking::Multiphase(ranks.clone())],
        };
        for ranking in candidates {
            let argument = Termination::Ranking(ranking);
            if self::relation(&argument).is_some_and(|relation| relation.to_string() == written) {
                return argument;
            }
        }
    }
    let arguments = ranks.into_iter().map(|rank| match rank {
        Some(rank) => WellFounded::Ranking(rank),
        None => WellFounded::FiniteOrder,
    });
    let arguments = arguments.collect();
    Termination::Disjunctive { invariant: TransitionInvariant { disjuncts }, arguments }
}

fn decreases(rank: &Expression) -> Option<Vec<Formula>> {
    Some(vec![rank.at_next()?.below(rank.clone()), rank.clone().at_least(0)])
}

fn by_index(ranks: &[Expression], others: Comparison) -> Option<Formula> {
    let mut choices = Vec::new();
    for (at, rank) in ranks.iter().enumerate() {
        let mut all = decreases(rank)?;
        for before in &ranks[..at] {
            all.push(before.at_next()?.compare(others, before.clone()));
        }
        choices.push(Formula::All(all));
    }
    Some(if choices.len() == 1 { choices.remove(0) } else { Formula::Any(choices) })
}

/// The number that a disjunct makes less and keeps from being negative.
fn rank(disjunct: &Formula) -> Option<Expression> {
    let parts = match disjunct {
        Formula::All(parts) => &parts[..],
        one => std::slice::from_ref(one),
    };
    // Differences that are written out are compared as text, since nesting has no meaning.
    let is_next = |next: &Expression, rank: &Expression| {
        rank.at_next().is_some_and(|expected| expected.to_string() == next.to_string())
    };
    let is_bounded = |rank: &Expression| {
        parts.iter().any(|part| match part {
            Formula::Compare { left, comparison: Comparison::GreaterEqual, right } => {
                left.to_string() == rank.to_string() && right.to_string() == "0"
            }
            _ => false,
        })
    };
    parts.iter().find_map(|part| match part {
        Formula::Compare { left, comparison: Comparison::Less, right } => {
            (is_next(left, right) && is_bounded(right)).then(|| right.clone())
        }
        Formula::Compare { left, comparison: Comparison::Greater, right } => {
            (is_next(right, left) && is_bounded(left)).then(|| left.clone())
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_read_off_relations() {
        let ranks =
            |texts: &[&str]| -> Vec<Expression> { texts.iter().map(|text| text.parse().unwrap()).collect() };
        for argument in [
            Termination::Ranking(Ranking::Linear("n - i".parse().unwrap())),
            Termination::Ranking(Ranking::Lexicographic(ranks(&["a", "b + 3", "c"]))),
            Termination::Ranking(Ranking::Multiphase(ranks(&["a", "b - a"]))),
            Termination::Disjunctive {
                invariant: TransitionInvariant {
                    disjuncts: vec![
                        "x' < x && x >= 0 && y' == y".parse().unwrap(),
                        "y' > y".parse().unwrap(),
                    ],
                },
                arguments: vec![WellFounded::Ranking("x".parse().unwrap()), WellFounded::FiniteOrder],
            },
        ] {
            let relation = relation(&argument).unwrap();
            let read: Formula = relation.to_string().parse().unwrap();
            let back = super::argument(&read);
            assert_eq!(back, argument, "{relation}");
        }
        assert_eq!(relation(&Termination::Ranking(Ranking::Nested(ranks(&["a"])))), None);
    }
}
