//! Termination by ranking functions.
//!
//! Proof rules, for every pass A(X) ∧ R(X, X') (variance analyses, section 4.2, `WELLFOUNDED`; the phases are those of
//! Leike and Heizmann, and of Ben-Amram and Genaim). Ranks are numbers of ℤ.
//!
//! ```text
//! linear          0 ≤ f(X) ∧ f(X') < f(X)
//! lexicographic   some i: 0 ≤ fi(X) ∧ fi(X') < fi(X), and fj(X') ≤ fj(X) for all j < i
//! multiphase      some i: 0 ≤ fi(X), and fj(X') < fj(X) for all j ≤ i
//! nested          f1(X') < f1(X), fj(X') < fj(X) + fj-1(X) for all j > 1, and 0 ≤ fd(X)
//! ```
//!
//! Lexicographic: let i be the least index used infinitely often; from some pass on fi never grows, and gets less
//! infinitely often from a number that is not negative. Multiphase: f1 gets less with every pass, so it is negative from
//! some pass on; from there on every pass decreases f2 too, and so on until no index is left. Nested: when f1 to fj-1
//! have become negative, fj gets less with every pass, and so becomes negative too; but fd never is.

use base::Budget;
use evidence::{Comparison, Evidence, Expression, Ranking, Termination};
use logic::{Solver, Term, Terms};

use crate::answer::{Certificate, Condition, Refusal};
use crate::question::Questions;
use crate::relation::Relation;
use crate::well_founded::not_negative;
use crate::wide::{self, Scope};

/// Checks that a ranking function shows that the passes end.
///
/// # Errors
/// If that is not so, or not known.
pub fn check_ranking(
    terms: &mut Terms,
    relation: &Relation,
    ranking: &Ranking,
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Result<Certificate, Refusal> {
    let mut questions = Questions { terms, relation, solver, budget };
    let scope = Scope::head(relation).with_next(relation.after());
    match ranking {
        Ranking::Linear(rank) => {
            let less = decreases(&mut questions, &scope, rank, true)?;
            questions.prove(Condition::Decreases, &relation.pass(), less)?;
        }
        Ranking::Lexicographic(ranks) => some_index(&mut questions, &scope, ranks, Comparison::LessEqual)?,
        Ranking::Multiphase(ranks) => some_index(&mut questions, &scope, ranks, Comparison::Less)?,
        Ranking::Nested(ranks) => nested(&mut questions, &scope, ranks)?,
    }
    let termination = Termination::Ranking(ranking.clone());
    Ok(Certificate::new(relation.name(), Evidence::Termination(termination)))
}

/// That a rank is less in the next state and, if asked, not negative now.
pub(crate) fn decreases(
    questions: &mut Questions<'_>,
    scope: &Scope<'_>,
    rank: &Expression,
    bounded: bool,
) -> Result<Term, Refusal> {
    let less = changes(questions, scope, rank, Comparison::Less, None)?;
    if !bounded {
        return Ok(less);
    }
    let bounded = questions.formula(&only_now(scope), &not_negative(rank))?;
    Ok(questions.terms.and(bounded, less))
}

/// How a rank in the next state compares with the rank now, plus another one now.
fn changes(
    questions: &mut Questions<'_>,
    scope: &Scope<'_>,
    rank: &Expression,
    comparison: Comparison,
    plus: Option<&Expression>,
) -> Result<Term, Refusal> {
    let now_scope = only_now(scope);
    let mut now = wide::expression(questions.terms, &now_scope, rank)?;
    if let Some(plus) = plus {
        let plus = wide::expression(questions.terms, &now_scope, plus)?;
        now = wide::add(questions.terms, &now, &plus)?;
    }
    let next_scope = Scope { now: scope.next, next: None, ..scope.clone() };
    let next = wide::expression(questions.terms, &next_scope, rank)?;
    wide::compare(questions.terms, &next, comparison, &now)
}

/// A rank speaks about one state: it may not name the next one.
fn only_now<'a>(scope: &Scope<'a>) -> Scope<'a> {
    Scope { next: None, ..scope.clone() }
}

/// Every pass has an index whose rank decreases and is not negative, while all before it compare so.
fn some_index(
    questions: &mut Questions<'_>,
    scope: &Scope<'_>,
    ranks: &[Expression],
    others: Comparison,
) -> Result<(), Refusal> {
    let mut before: Vec<Term> = Vec::new();
    let mut choices = Vec::new();
    for rank in ranks {
        let less = decreases(questions, scope, rank, true)?;
        let mut all = before.clone();
        all.push(less);
        choices.push(questions.terms.all(&all));
        before.push(changes(questions, scope, rank, others, None)?);
    }
    let some = questions.terms.any(&choices);
    questions.prove(Condition::Decreases, &questions.relation.pass(), some)
}

fn nested(questions: &mut Questions<'_>, scope: &Scope<'_>, ranks: &[Expression]) -> Result<(), Refusal> {
    let Some(last) = ranks.last() else {
        return Err(Refusal::unsupported("a ranking function of no components"));
    };
    let pass = questions.relation.pass();
    for (at, rank) in ranks.iter().enumerate() {
        let previous = at.checked_sub(1).map(|at| &ranks[at]);
        let less = changes(questions, scope, rank, Comparison::Less, previous)?;
        questions.prove(Condition::ComponentDecreases(at + 1), &pass, less)?;
    }
    let bounded = questions.formula(&only_now(scope), &not_negative(last))?;
    questions.prove(Condition::Bounded, &pass, bounded)
}
