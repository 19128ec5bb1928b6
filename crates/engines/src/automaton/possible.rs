//! Whether conditions can hold together, over the integers of mathematics.

use std::collections::BTreeMap;
use std::time::Duration;

use base::{Budget, Index};
use evidence::Integer;
use logic::solver::Embedded;
use logic::{Answer, Binary, Solver, Sort, Term, Terms};
use program::VariableId;

use super::number::{Atom, Definition, Definitions, Polynomial, Symbol};

/// What one query may cost.
const STEPS: u64 = 20_000;
const TIME: Duration = Duration::from_millis(50);

/// An answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Possible {
    /// They hold together for some numbers.
    Yes,
    /// They never do.
    No,
    /// The solver does not know.
    NotKnown,
}

/// The least and the greatest numbers that variables can hold.
pub type Ranges = BTreeMap<VariableId, (Integer, Integer)>;

/// Whether conditions can hold together.
pub fn possible(
    definitions: &Definitions,
    ranges: &Ranges,
    conditions: &[Atom],
    budget: &mut Budget,
) -> Possible {
    if conditions.iter().any(|atom| atom.known() == Some(false)) {
        return Possible::No;
    }
    if budget.remaining_time().is_some_and(|time| time.is_zero()) {
        return Possible::NotKnown;
    }
    let mut query = Query { definitions, terms: Terms::new(), symbols: BTreeMap::new() };
    let mut solver: Embedded = Embedded::new();
    for atom in conditions {
        let term = query.atom(atom);
        solver.assert(&mut query.terms, term);
    }
    let held: Vec<(VariableId, Term)> = query
        .symbols
        .iter()
        .filter_map(|(symbol, term)| match symbol {
            Symbol::Held(variable) => Some((*variable, *term)),
            _ => None,
        })
        .collect();
    for (variable, term) in held {
        if let Some((low, high)) = ranges.get(&variable) {
            let (low, high) = (query.terms.integer(low.clone()), query.terms.integer(high.clone()));
            let above = query.terms.binary(Binary::LessEqual, low, term);
            let below = query.terms.binary(Binary::LessEqual, term, high);
            solver.assert(&mut query.terms, above);
            solver.assert(&mut query.terms, below);
        }
    }
    let mut part = budget.part(STEPS).within(TIME);
    let before = part.remaining_steps();
    let answer = solver.check(&mut query.terms, &[], &mut part);
    if budget.spend(before - part.remaining_steps() + 10).is_err() {
        return Possible::NotKnown;
    }
    match answer {
        Answer::Unsatisfiable => Possible::No,
        Answer::Satisfiable => Possible::Yes,
        Answer::Unknown(_) => Possible::NotKnown,
    }
}

struct Query<'a> {
    definitions: &'a Definitions,
    terms: Terms,
    symbols: BTreeMap<Symbol, Term>,
}

impl Query<'_> {
    fn atom(&mut self, atom: &Atom) -> Term {
        let number = self.number(&atom.number);
        let zero = self.terms.integer(0);
        if atom.zero {
            self.terms.equal(number, zero)
        } else {
            self.terms.binary(Binary::LessEqual, zero, number)
        }
    }

    /// A number, times a positive one.
    fn number(&mut self, number: &Polynomial) -> Term {
        let mut found = BTreeMap::new();
        for symbol in number.variables() {
            let term = self.symbol(symbol);
            found.insert(symbol, term);
        }
        let mapped = number.mapped(|symbol| logic::numbers::Polynomial::variable(found[&symbol]));
        mapped.to_term(&mut self.terms).0
    }

    fn symbol(&mut self, symbol: Symbol) -> Term {
        if let Some(term) = self.symbols.get(&symbol) {
            return *term;
        }
        let term = match symbol {
            Symbol::Defined(place) => match self.definitions.of(place).clone() {
                Definition::Any => self.terms.fresh("any", Sort::Integer),
                Definition::Quotient(inner, divisor) => self.division(Binary::Divide, &inner, divisor),
                Definition::Remainder(inner, divisor) => self.division(Binary::Modulo, &inner, divisor),
            },
            Symbol::Held(variable) => self.terms.fresh(format!("v{}", variable.index()), Sort::Integer),
            Symbol::Iterations | Symbol::Inner | Symbol::Now(_) => {
                self.terms.fresh("iterations", Sort::Integer)
            }
        };
        self.symbols.insert(symbol, term);
        term
    }

    fn division(&mut self, operation: Binary, inner: &Polynomial, divisor: Integer) -> Term {
        // The number may be scaled: then the division is as well, which keeps quotients and scales remainders; to be
        // exact, only whole numbers are divided, others can be anything.
        if inner.monomials().any(|(_, factor)| !factor.is_integer()) {
            return self.terms.fresh("division", Sort::Integer);
        }
        let dividend = self.number(inner);
        let divisor = self.terms.integer(divisor);
        self.terms.binary(operation, dividend, divisor)
    }
}
