//! Automata and traces in words, for people to look at.

use evidence::{AutomatonReport, Expression, Formula, Moment, StateReport, TransitionReport, Update};

use super::Automaton;
use super::number::{Atom, Polynomial, Symbol};
use super::path::Tail;
use super::trace::{End, Step, Trace};
use super::vocabulary::Vocabulary;
use crate::unique;

impl Automaton {
    /// The automaton in words.
    pub fn report(&self, vocabulary: &Vocabulary) -> AutomatonReport {
        let states = self.paths.iter().enumerate().map(|(place, path)| StateReport {
            name: name(place),
            first: path.head == self.head,
            iterative: path.is_iterative(),
            accepting: !matches!(path.tail, Tail::Head(_)),
            conditions: path.conditions.iter().filter_map(|atom| self.condition(atom, vocabulary)).collect(),
            // A condition on what has no word is one that is not told.
            partial: path.partial
                || path.conditions.iter().any(|atom| self.condition(atom, vocabulary).is_none()),
            updates: path
                .updates
                .iter()
                .filter_map(|(variable, number)| {
                    let value = self.number(number, vocabulary).unwrap_or_else(unknown);
                    Some(Update { quantity: vocabulary.get(variable)?.clone(), value })
                })
                .collect(),
        });
        let transitions = self.transitions.iter().map(|transition| {
            let guard = transition.guard.iter().filter(|atom| atom.known().is_none());
            let guard = unique(guard.filter_map(|atom| self.condition(atom, vocabulary)));
            let counter = transition.counter.as_ref().and_then(|counter| self.number(counter, vocabulary));
            TransitionReport { from: transition.from, to: transition.to, counter, guard }
        });
        AutomatonReport { states: states.collect(), transitions: transitions.collect() }
    }

    /// A trace as the paper writes it: `q1^(z - x) (q2 q1)^(n - z) q3`.
    pub fn describe(&self, trace: &Trace, vocabulary: &Vocabulary) -> String {
        let mut parts: Vec<String> =
            trace.steps.iter().map(|step| self.describe_step(step, vocabulary)).collect();
        match trace.end {
            End::Left(path) => parts.push(name(path)),
            End::Never => {
                if let Some(last) = parts.pop() {
                    parts.push(format!("{} for ever", last.split('^').next().unwrap_or_default()));
                }
            }
        }
        parts.join(" ")
    }

    fn describe_step(&self, step: &Step, vocabulary: &Vocabulary) -> String {
        match step {
            Step::Once { path } => name(*path),
            Step::Repeat { path, iterations, .. } => power(&name(*path), self.number(iterations, vocabulary)),
            Step::Cycle { steps, iterations, .. } => {
                let inner: Vec<String> = steps
                    .iter()
                    .map(|step| match step {
                        // How often a path of a cycle is taken is over the state at the start of the cycle.
                        Step::Repeat { path, iterations, .. } if iterations.as_constant().is_none() => {
                            format!("{}^*", name(*path))
                        }
                        other => self.describe_step(other, vocabulary),
                    })
                    .collect();
                power(&format!("({})", inner.join(" ")), self.number(iterations, vocabulary))
            }
        }
    }

    fn condition(&self, atom: &Atom, vocabulary: &Vocabulary) -> Option<Formula> {
        self.definitions.formula(atom, &|symbol| now(symbol, vocabulary))
    }

    fn number(&self, number: &Polynomial, vocabulary: &Vocabulary) -> Option<Expression> {
        self.definitions.expression(number, &|symbol| now(symbol, vocabulary))
    }
}

fn now(symbol: Symbol, vocabulary: &Vocabulary) -> Option<Expression> {
    match symbol {
        Symbol::Held(variable) => Some(vocabulary.get(&variable)?.at(Moment::Now)),
        _ => None,
    }
}

fn name(path: usize) -> String {
    format!("q{path}")
}

fn power(what: &str, iterations: Option<Expression>) -> String {
    match iterations {
        Some(Expression::Constant(number)) if number == evidence::Integer::ONE => what.to_owned(),
        Some(iterations @ (Expression::Constant(_) | Expression::Quantity { .. })) => {
            format!("{what}^{iterations}")
        }
        Some(iterations) => format!("{what}^({iterations})"),
        None => format!("{what}^*"),
    }
}

/// What can be anything.
fn unknown() -> Expression {
    evidence::Quantity::value("?").at(Moment::Now)
}
