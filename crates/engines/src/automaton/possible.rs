//! Whether conditions can hold together, over the integers of mathematics.

use std::collections::BTreeMap;
use std::slice;
use std::time::Duration;

use base::{Budget, Index};
use evidence::Integer;
use logic::solver::Embedded;
use logic::{Answer, Binary, Solver, Sort, Term, Terms};

use super::number::{Atom, Definition, Definitions, Polynomial, Symbol};

/// What one query may cost.
const STEPS: u64 = 20_000;
const TIME: Duration = Duration::from_millis(50);

impl Definitions {
    /// Whether conditions never hold together, as far as the solver knows.
    pub fn never(&self, conditions: &[&[Atom]], budget: &mut Budget) -> bool {
        let conditions = conditions.iter().copied().flatten();
        if conditions.clone().any(|atom| atom.known() == Some(false)) {
            return true;
        }
        if budget.remaining_time().is_some_and(|time| time.is_zero()) {
            return false;
        }
        let mut query = Query { definitions: self, terms: Terms::new(), symbols: BTreeMap::new() };
        let mut solver: Embedded = Embedded::new();
        for atom in conditions {
            let term = query.atom(atom);
            solver.assert(&mut query.terms, term);
        }
        for (symbol, &term) in &query.symbols {
            let Symbol::Held(variable) = symbol else { continue };
            let Some((low, high)) = self.ranges.get(variable) else { continue };
            let (low, high) = (query.terms.integer(low.clone()), query.terms.integer(high.clone()));
            let above = query.terms.binary(Binary::LessEqual, low, term);
            let below = query.terms.binary(Binary::LessEqual, term, high);
            solver.assert(&mut query.terms, above);
            solver.assert(&mut query.terms, below);
        }
        let mut part = budget.part(STEPS).within(TIME);
        let before = part.remaining_steps();
        let answer = solver.check(&mut query.terms, &[], &mut part);
        budget.spend(before - part.remaining_steps() + 10).is_ok() && answer == Answer::Unsatisfiable
    }

    /// Whether a condition holds wherever others do.
    pub fn follows(&self, known: &[&[Atom]], atom: &Atom, budget: &mut Budget) -> bool {
        atom.negated()
            .iter()
            .all(|negated| self.never(&[known, &[slice::from_ref(negated)]].concat(), budget))
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
