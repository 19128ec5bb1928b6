//! Bounds over earlier values: those when the function was entered, or when an outer loop was.
//!
//! What a loop finds at entry is a term of the encoding. Read along a model it is a sum of unknowns; if each of these is a
//! quantity of the earlier state, the sum of the quantities is what the kernel is asked about.

use std::collections::BTreeMap;

use base::Budget;
use certify::abstraction::{Abstraction, Effort, Named, Reference, Restated};
use encoding::State;
use evidence::{Aspect, Expression, Formula, Moment, Quantity, Restatement};
use logic::numbers::Linear;
use logic::{Model, Term};
use program::Type;

use super::Found;
use crate::linear::{InEvidence, written};
use crate::ranking::implicant::Reader;

/// A bound restated over the values of a reference, if that can be shown.
pub fn restate(
    abstraction: &mut Abstraction<'_>,
    found: &Found,
    reference: Reference,
    effort: Effort,
    budget: &mut Budget,
) -> Option<Restated> {
    let abstract_loop = found.bounded.abstract_loop();
    let none = Model::default();
    let mut earlier = Earlier {
        abstract_loop,
        entry: abstraction.abstract_loops()[abstract_loop].entries.first()?.clone(),
        known: quantities(abstraction, abstract_loop, reference),
        model: found.model.as_ref().unwrap_or(&none),
        abstraction,
    };
    let mut restatement = Restatement { potentials: Vec::new(), raises: Vec::new() };
    for spent in &found.bounded.evidence().components {
        restatement.potentials.push(earlier.rewritten(&spent.rank)?);
        let raises = spent.raised.iter().map(|raise| earlier.rewritten(&raise.most));
        restatement.raises.push(raises.collect::<Option<_>>()?);
    }
    abstraction.restate(&found.bounded, &restatement, reference, effort, budget)
}

/// The quantities of the earlier state by their terms.
fn quantities(
    abstraction: &mut Abstraction<'_>,
    abstract_loop: usize,
    reference: Reference,
) -> BTreeMap<Term, Expression> {
    let program = abstraction.program();
    let function = abstraction.abstract_loops()[abstract_loop].function;
    let (state, moment, of): (Option<State>, Moment, usize) = match reference {
        Reference::Start => {
            (abstraction.encoder().start.clone().map(|(_, state)| state), Moment::Start, abstract_loop)
        }
        Reference::Entry(outer) => {
            (abstraction.abstract_loops()[outer].entries.first().cloned(), Moment::Entry, outer)
        }
    };
    let (Some(state), Some(body)) = (state, program.functions[function].body()) else {
        return BTreeMap::new();
    };
    let names = abstraction.names(function);
    let mut found = BTreeMap::new();
    for (name, named) in names.iter() {
        let Named::Variable(variable) = *named else { continue };
        let aspect = match program.variable(body, variable).ty {
            Type::Integer(_) | Type::Bool => Aspect::Value,
            Type::Pointer => Aspect::Offset,
            Type::Float(_) => continue,
        };
        let now = Quantity { variable: name.clone(), aspect }.at(Moment::Now);
        if let Some(term) = abstraction.number(of, &now, &state) {
            let expression = now.with_moments(&|_| Some(moment)).unwrap_or(now);
            found.entry(term).or_insert(expression);
        }
    }
    found
}

/// What is known of the earlier state, and an iteration along which terms are read.
struct Earlier<'a, 'p> {
    abstraction: &'a mut Abstraction<'p>,
    abstract_loop: usize,
    entry: State,
    known: BTreeMap<Term, Expression>,
    model: &'a Model,
}

impl Earlier<'_, '_> {
    /// A number of the state at entry in terms of earlier quantities.
    fn rewritten(&mut self, number: &Expression) -> Option<Expression> {
        let mut all =
            |parts: &[Expression]| parts.iter().map(|part| self.rewritten(part)).collect::<Option<_>>();
        Some(match number {
            Expression::Constant(_) => number.clone(),
            Expression::Maximum(parts) => Expression::Maximum(all(parts)?),
            Expression::Minimum(parts) => Expression::Minimum(all(parts)?),
            Expression::Select { condition, then, otherwise } => {
                let condition = self.condition(condition)?;
                Expression::select(condition, self.rewritten(then)?, self.rewritten(otherwise)?)
            }
            Expression::Remainder { dividend, divisor } => {
                self.rewritten(dividend)?.remainder(divisor.clone())
            }
            other => self.sum(other)?,
        })
    }

    fn condition(&mut self, formula: &Formula) -> Option<Formula> {
        Some(match formula {
            Formula::Compare { left, comparison, right } => {
                self.rewritten(left)?.compare(*comparison, self.rewritten(right)?)
            }
            Formula::All(parts) => {
                Formula::All(parts.iter().map(|part| self.condition(part)).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }

    /// A sum of quantities as one of earlier ones: what cancels need not have been there.
    fn sum(&mut self, number: &Expression) -> Option<Expression> {
        let parts: Linear<Expression> = InEvidence::parse(number)?;
        let mut terms = Vec::new();
        for (part, factor) in parts.terms() {
            terms.push((self.abstraction.number(self.abstract_loop, part, &self.entry)?, factor.clone()));
        }
        let mut reader = Reader::new(&self.abstraction.encoder().terms, self.model);
        let mut unknowns: BTreeMap<Term, &Expression> = BTreeMap::new();
        for (&earlier, expression) in &self.known {
            let alone = reader.number(earlier, true);
            if let [(unknown, _)] = alone.terms()
                && alone == Linear::variable(*unknown)
            {
                unknowns.entry(*unknown).or_insert(expression);
            }
        }
        let mut sum = Linear::constant(parts.constant_part().clone());
        for (term, factor) in terms {
            let number = reader.number(term, true);
            sum = sum.plus_scaled(&factor, &number);
        }
        let mut result = Vec::new();
        for (unknown, coefficient) in sum.terms() {
            result.push(((*unknowns.get(unknown)?).clone(), coefficient.clone()));
        }
        let is_whole =
            sum.constant_part().is_integer() && result.iter().all(|(_, factor)| factor.is_integer());
        is_whole.then(|| written(result, sum.constant_part()))
    }
}
