//! Guesses at what stays true from iteration to iteration, read off the states that iterations lead through.

use std::collections::BTreeSet;

use certify::Kind;
use certify::recurrence::Iteration;
use evidence::{Expression, Formula, Integer, Moment};

use super::states::{Places, modulo};

/// Pairs of numbers are compared if there are no more parts.
const PAIRED: usize = 9;

/// No more candidates are made.
const MOST: usize = 400;

/// Moduli that are tried besides powers of two.
const MODULI: [u32; 4] = [3, 5, 6, 10];

/// Formulas that hold in all states: what is tested, or its opposite, and relations of one and two numbers.
pub(super) fn candidates(
    iteration: &Iteration<'_>,
    tested: &[Formula],
    states: &[Vec<Integer>],
) -> Vec<Formula> {
    let places = Places::of(iteration);
    let mut list = List { found: Vec::new(), seen: BTreeSet::new() };
    let everywhere =
        |formula: &Formula| states.iter().all(|state| places.holds(state, formula) == Some(true));
    for test in tested {
        for formula in [test.clone(), Formula::Not(Box::new(test.clone()))] {
            if everywhere(&formula) {
                list.add(formula);
            }
        }
    }
    let relevant = relevant(iteration);
    for &part in &relevant {
        let numbers: Vec<Integer> = states.iter().map(|state| state[part].clone()).collect();
        list.bounds(&now(iteration, part), &numbers);
        list.residues(&now(iteration, part), &numbers);
    }
    if relevant.len() <= PAIRED {
        for (at, &one) in relevant.iter().enumerate() {
            for &other in &relevant[at + 1..] {
                list.pair(iteration, states, one, other);
            }
        }
    }
    list.found.truncate(MOST);
    list.found
}

/// The parts of the state that iterations change and that matter for whether they go well.
pub(super) fn relevant(iteration: &Iteration<'_>) -> Vec<usize> {
    let (terms, relation) = (iteration.terms(), iteration.relation());
    let mut roots = vec![relation.continues()];
    roots.extend(iteration.dangers());
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    loop {
        let symbols = terms.free_symbols(&roots);
        let before = chosen.len();
        for (place, symbol) in relation.before().iter().enumerate() {
            let occurs =
                terms.as_symbol(*symbol).is_some_and(|symbol| symbols.binary_search(&symbol).is_ok());
            if occurs && iteration.parts()[place].changes && chosen.insert(place) {
                roots.push(relation.after()[place]);
            }
        }
        if chosen.len() == before {
            return chosen.into_iter().collect();
        }
    }
}

/// A part of the state as an expression.
pub(super) fn now(iteration: &Iteration<'_>, part: usize) -> Expression {
    iteration.parts()[part].component.quantity.at(Moment::Now)
}

struct List {
    found: Vec<Formula>,
    seen: BTreeSet<String>,
}

impl List {
    fn add(&mut self, formula: Formula) {
        if self.seen.insert(formula.to_string()) {
            self.found.push(formula);
        }
    }

    /// Where a number lies, and on which side of zero.
    fn bounds(&mut self, expression: &Expression, numbers: &[Integer]) {
        let (Some(least), Some(most)) = (numbers.iter().min(), numbers.iter().max()) else { return };
        let at_least = |limit: &Integer| expression.clone().at_least(Expression::Constant(limit.clone()));
        let at_most = |limit: &Integer| expression.clone().at_most(Expression::Constant(limit.clone()));
        if least == most {
            return self.add(expression.clone().equals(Expression::Constant(least.clone())));
        }
        for limit in [Integer::ONE, Integer::ZERO, -Integer::ONE] {
            if *least >= limit {
                self.add(at_least(&limit));
            }
            if *most <= limit {
                self.add(at_most(&limit));
            }
        }
        self.add(at_least(least));
        self.add(at_most(most));
    }

    /// What remains of divisions, if it is always the same.
    fn residues(&mut self, expression: &Expression, numbers: &[Integer]) {
        let powers = (1..=6).map(|power| 1u32 << power);
        for modulus in powers.chain(MODULI) {
            let divisor = Integer::from(modulus);
            let first = modulo(&numbers[0], &divisor);
            if numbers.iter().all(|number| modulo(number, &divisor) == first) {
                let remainder = expression.clone().remainder(divisor);
                self.add(remainder.equals(Expression::Constant(first)));
            }
        }
    }

    fn pair(&mut self, iteration: &Iteration<'_>, states: &[Vec<Integer>], one: usize, other: usize) {
        let is_number = |part: usize| iteration.parts()[part].component.kind != Kind::Boolean;
        if !is_number(one) || !is_number(other) {
            return;
        }
        let (x, y) = (now(iteration, one), now(iteration, other));
        let of = |combine: &dyn Fn(&Integer, &Integer) -> Integer| -> Vec<Integer> {
            states.iter().map(|state| combine(&state[one], &state[other])).collect()
        };
        self.bounds(&(x.clone() - y.clone()), &of(&|x, y| x - y));
        self.bounds(&(x.clone() + y.clone()), &of(&|x, y| x + y));
    }
}
