//! What was found in words: text for people, and formulas for the kernel.
//!
//! In text, `x` is the number now and `x@before` the one at the earlier visit. For the kernel the earlier visit is
//! *now* and the later one *next*; for an invariant of a loop the earlier visit is the loop's *entry*.

use std::collections::BTreeMap;

use domains::{Constraint, Dimension};
use evidence::{
    Aspect, Comparison, Expression, Formula, Moment, Quantity, Ranking, Termination, TransitionInvariant,
    WellFounded,
};
use logic::numbers::Rational;
use logic::numbers::linear::Relation;
use program::interpret::Integers;
use program::{Origin, Program, Type};

use super::analysis::{Assertion, Variance};
use super::isolate::{Related, Spoken, is_small, text};
use super::numeric::Numeric;
use super::translate::limits;
use crate::linear::written;
use crate::unique;

/// The names of the numbers that a copy of a function can speak of.
pub struct Names {
    quantities: BTreeMap<Dimension, (Quantity, Type)>,
    machine: bool,
}

impl Names {
    /// The names in a copy of a function.
    pub fn of(program: &Program, numeric: &Numeric, frame: usize) -> Self {
        let mut quantities = BTreeMap::new();
        if let Some(body) = program.functions[numeric.frames[frame].function].body() {
            for (name, named) in certify::abstraction::names(program, body) {
                let certify::abstraction::Named::Variable(variable) = named else { continue };
                let is_it = |meaning: &super::Meaning| {
                    meaning.variable == variable && meaning.frame.is_none_or(|other| other == frame)
                };
                let at = numeric.meanings.iter().position(|meaning| meaning.as_ref().is_some_and(is_it));
                let Some((at, meaning)) = at.and_then(|at| Some((at, numeric.meanings[at]?))) else {
                    continue;
                };
                let aspect = if meaning.ty == Type::Pointer { Aspect::Offset } else { Aspect::Value };
                let quantity = Quantity { variable: name, aspect };
                quantities.insert(Dimension(at as u32), (quantity, meaning.ty));
            }
        }
        Self { quantities, machine: numeric.integers == Integers::Machine }
    }

    /// A constraint as text. Nothing if it speaks of what has no name, or says little more than what the types say.
    pub fn text(&self, constraint: &Related) -> Option<String> {
        if self.is_of_type(constraint) {
            return None;
        }
        let tight = constraint.tightened();
        if tight.expression.terms().len() > 1 && !is_small(&tight) {
            return None;
        }
        text(&tight, |spoken| self.name(spoken))
    }

    /// What an invariance assertion says of what has a name.
    pub fn invariant(&self, constraints: &[Constraint]) -> Vec<String> {
        constraints.iter().filter_map(|constraint| self.text(&constraint.renamed(Spoken::Now))).collect()
    }

    fn name(&self, spoken: Spoken) -> Option<String> {
        let (dimension, suffix) = match spoken {
            Spoken::Now(dimension) => (dimension, ""),
            Spoken::Before(dimension) => (dimension, "@before"),
        };
        let (quantity, _) = self.quantities.get(&dimension)?;
        Some(match quantity.aspect {
            Aspect::Offset => format!("offset({}){suffix}", quantity.variable),
            _ => format!("{}{suffix}", quantity.variable),
        })
    }

    /// Whether a constraint only says what the types of its variables say.
    fn is_of_type(&self, constraint: &Related) -> bool {
        let mut most = constraint.expression.constant_part().clone();
        for (spoken, coefficient) in constraint.expression.terms() {
            let (Spoken::Now(dimension) | Spoken::Before(dimension)) = spoken;
            let Some((_, ty)) = self.quantities.get(dimension) else { return false };
            let Some(limits) = limits(*ty, self.machine) else { return false };
            let limit = if coefficient.is_positive() { &limits.greatest } else { &limits.least };
            most.add_product(coefficient, limit);
        }
        constraint.relation == Relation::AtMost && !most.is_positive()
    }

    /// A constraint as a formula, with the moments that now and before stand for.
    pub fn formula(&self, constraint: &Related, now: Moment, before: Moment) -> Option<Formula> {
        if self.is_of_type(constraint) {
            return None;
        }
        let tight = constraint.tightened();
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (spoken, coefficient) in tight.expression.terms() {
            let (dimension, moment) = match spoken {
                Spoken::Now(dimension) => (dimension, now),
                Spoken::Before(dimension) => (dimension, before),
            };
            let quantity = self.quantities.get(dimension)?.0.at(moment);
            let side = if coefficient.is_positive() { &mut left } else { &mut right };
            side.push((quantity, coefficient.absolute()));
        }
        let number = tight.expression.constant_part();
        let (more, less) =
            if number.is_positive() { (number.clone(), Rational::ZERO) } else { (Rational::ZERO, -number) };
        let (left, right) = (written(left, &more), written(right, &less));
        // `i >= 0` rather than `0 <= i`, as everybody else writes it.
        let turned = matches!(left, Expression::Constant(_));
        Some(match (tight.relation == Relation::Equal, turned) {
            (true, true) => right.equals(left),
            (true, false) => left.equals(right),
            (false, true) => right.compare(Comparison::GreaterEqual, left),
            (false, false) => left.at_most(right),
        })
    }

    /// Invariants at the head of a loop: what holds there, also compared with the loop's entry.
    pub fn invariants(&self, variance: &Variance) -> Vec<Formula> {
        let mut invariants = Vec::new();
        let invariant = |constraint: &Constraint| {
            self.formula(&constraint.renamed(Spoken::Now), Moment::Now, Moment::Entry)
        };
        if let [only] = &variance.invariants[..] {
            invariants.extend(only.iter().filter_map(invariant));
        } else if !variance.invariants.is_empty() {
            let ways = variance.invariants.iter();
            let way = |way: &Vec<Constraint>| Formula::All(way.iter().filter_map(invariant).collect());
            invariants.push(Formula::Any(ways.map(way).collect()));
        }
        let reflexive = variance.reflexive.iter();
        invariants.extend(reflexive.filter_map(|one| self.formula(one, Moment::Now, Moment::Entry)));
        unique(invariants)
    }

    /// Arguments that a loop is left, the simplest first. None if the analysis has none.
    pub fn arguments(&self, variance: &Variance) -> Vec<Termination> {
        let ranked: Option<Vec<(&Assertion, Ranking)>> =
            variance.assertions.iter().map(|assertion| Some((assertion, self.ranking(assertion)?))).collect();
        let Some(ranked) = ranked.filter(|ranked| !ranked.is_empty() && variance.holds) else {
            return Vec::new();
        };
        let distinct: Vec<&Ranking> = unique(ranked.iter().map(|(_, ranking)| ranking));
        let single = distinct.iter().map(|ranking| Termination::Ranking((*ranking).clone()));
        let mut arguments: Vec<Termination> = single.collect();
        let linear: Option<Vec<Expression>> = distinct
            .iter()
            .map(|ranking| if let Ranking::Linear(rank) = ranking { Some(rank.clone()) } else { None })
            .collect();
        if let Some(mut linear) = linear.filter(|linear| linear.len() > 1) {
            arguments.push(Termination::Ranking(Ranking::Lexicographic(linear.clone())));
            linear.reverse();
            arguments.push(Termination::Ranking(Ranking::Lexicographic(linear)));
        }
        arguments.extend(self.disjunctive(&ranked));
        arguments
    }

    fn disjunctive(&self, ranked: &[(&Assertion, Ranking)]) -> Option<Termination> {
        let (mut disjuncts, mut arguments) = (Vec::new(), Vec::new());
        for (assertion, ranking) in ranked {
            let Ranking::Linear(rank) = ranking else { return None };
            let constraints = assertion.constraints.iter();
            let formulas = constraints.filter_map(|one| self.formula(one, Moment::Next, Moment::Now));
            disjuncts.push(Formula::All(formulas.collect()));
            arguments.push(WellFounded::Ranking(rank.clone()));
        }
        Some(Termination::Disjunctive { invariant: TransitionInvariant { disjuncts }, arguments })
    }

    /// The ranks of an assertion in the words of evidence.
    pub fn ranking(&self, assertion: &Assertion) -> Option<Ranking> {
        let quantity = |at: usize| Some(self.quantities.get(&assertion.quantities[at])?.0.at(Moment::Now));
        assertion.ranks.as_ref()?.ranking(&quantity)
    }
}

/// Whether a dimension is a variable of the source.
pub fn is_of_source(program: &Program, numeric: &Numeric, dimension: Dimension) -> bool {
    numeric.meanings[dimension.index()].is_some_and(|meaning| {
        let Some(frame) = meaning.frame else { return true };
        let body = program.functions[numeric.frames[frame].function].body();
        body.is_some_and(|body| program.variable(body, meaning.variable).origin != Origin::Temporary)
    })
}
