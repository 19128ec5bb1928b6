//! Bounds on the iterations of loops that are abstracted.
//!
//! ```text
//! guess ─► kernel ─┬─► accepted ─► tighter (tighten) ─► over earlier values (restate)
//!   ▲              └─► an iteration that contradicts it ─► its linear part ─► ranks for all parts so far
//!   └──────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! A ranking function that is not negative before an iteration and less after it bounds the iterations by its value at
//! entry and one. Lexicographic ranks give one component each; by how much an iteration raises a later one is read off
//! the iterations that spend an earlier one ([`raises`]). Proteus (section 7.1) adds state counters along traces in the
//! place of that.
//!
//! If that fails, a few invariants about the numbers that change are offered to the kernel ([`invariants`]), and it
//! starts again.
//!
//! The range of a machine type bounds nearly every loop. So ranks are looked for without these limits first.
//!
//! Known imprecision: nested ranks (phases) give no bound.

mod growth;
mod invariants;
mod limits;
mod raises;
mod restate;
mod tighten;

use base::Budget;
use certify::abstraction::{Bounded, Bounding};
use evidence::{Amortised, Integer, Spent};
use logic::numbers::Linear;
use logic::{Model, Term, Terms};

pub use self::growth::Growths;
pub use self::restate::{Others, restate};
use crate::ranking::limits::{without, without_places};
use crate::ranking::measured::{Measured, measured};
use crate::ranking::synthesis::{Rank, Ranks, Step, synthesise_unnested};
use crate::ranking::{Target, read, splits};

/// How many paths are examined.
const PATHS: usize = 24;

/// A bound that was found is made better in the time that is left, divided by this.
const BETTER: u32 = 5;

/// A bound that was found.
pub struct Found {
    /// The bound.
    pub bounded: Bounded,
    /// An iteration of the loop, if it has one: it tells how numbers at entry come about.
    pub model: Option<Model>,
}

/// Why there is no bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Missing {
    /// No rank was found.
    NoRank,
    /// Ranks were found that bound nothing: it is not known how much some iteration raises them.
    NoRaise,
    /// The solver did not know.
    NotKnown,
    /// The kernel does not take bounds for this loop.
    Refused(String),
}

/// The iterations that were examined.
#[derive(Default)]
struct Seen {
    measured: Vec<Measured>,
    /// The linear parts of iterations.
    steps: Vec<Step<Term>>,
    /// The same without the limits of addresses.
    placeless: Vec<Step<Term>>,
    /// The same without the limits of machine types, either.
    unlimited: Vec<Step<Term>>,
}

/// Which limits ranks may rest on, the fewest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    Unlimited,
    Placeless,
    All,
}

impl Level {
    const fn next(self) -> Option<Self> {
        match self {
            Level::Unlimited => Some(Level::Placeless),
            Level::Placeless => Some(Level::All),
            Level::All => None,
        }
    }
}

/// Looks for a bound of a loop, and has the kernel accept it.
///
/// # Errors
/// If there is none, why.
pub fn bound(target: &mut Target<'_, '_>, budget: &mut Budget) -> Result<Found, Missing> {
    let mut seen = Seen::default();
    match search(target, &mut seen, budget) {
        Err(Missing::NoRank | Missing::NoRaise | Missing::NotKnown)
            if invariants::offer(target, &seen, budget) =>
        {
            search(target, &mut Seen::default(), budget)
        }
        found => found,
    }
}

/// The part of what is left of the time that goes into making a bound better that is there already.
pub fn part_of_time(budget: &Budget) -> Budget {
    match budget.remaining_time() {
        Some(time) => budget.clone().within(time / BETTER),
        None => budget.clone(),
    }
}

/// Offers a few invariants that ranks of a loop often need to the kernel. Gives whether it took any.
pub fn support(target: &mut Target<'_, '_>, budget: &mut Budget) -> bool {
    let seen = Seen { measured: measured(target), ..Seen::default() };
    invariants::offer(target, &seen, budget)
}

fn search(target: &mut Target<'_, '_>, seen: &mut Seen, budget: &mut Budget) -> Result<Found, Missing> {
    let mut guess = Amortised { components: Vec::new() };
    let mut first = None;
    let mut level = Level::Unlimited;
    let mut guesses = Guesses(0);
    for _ in 0..PATHS {
        let outcome = target.abstraction.bound(target.abstract_loop, &guess, target.effort, budget);
        if seen.measured.is_empty() && matches!(outcome, Bounding::Iteration(_) | Bounding::NotKnown(_)) {
            seen.measured = measured(target);
        }
        match outcome {
            Bounding::Bounded(bounded) => {
                let part = &mut part_of_time(budget);
                let bounded = limits::split(target, *bounded, seen, part);
                let bounded = tighten::tighten(target, bounded, seen, part);
                let bounded = raises::afresh(target, bounded, part);
                return Ok(Found { bounded, model: first });
            }
            Bounding::Iteration(model) => {
                let step = read(target, &seen.measured, &model);
                first.get_or_insert(*model);
                if !seen.steps.contains(&step) {
                    seen.add(&target.abstraction.encoder().terms, step);
                } else {
                    let none = if guess.components.len() > 1 { Missing::NoRaise } else { Missing::NoRank };
                    level = level.next().ok_or(none)?;
                }
            }
            Bounding::NotKnown(_) if seen.steps.is_empty() => {
                guess = guesses.next(seen).ok_or(Missing::NotKnown)?;
                continue;
            }
            Bounding::NotKnown(_) => level = level.next().ok_or(Missing::NotKnown)?,
            Bounding::Refused(why) => return Err(Missing::Refused(why)),
        }
        guess = loop {
            match next(seen, level, budget) {
                Ok(guess) => break guess,
                Err(missing) => level = level.next().ok_or(missing)?,
            }
        };
    }
    Err(Missing::NoRank)
}

impl Seen {
    fn add(&mut self, terms: &Terms, step: Step<Term>) {
        let placeless = without_places(&self.measured, &step);
        self.unlimited.push(without(terms, &placeless));
        self.placeless.push(placeless);
        self.steps.push(step);
    }

    /// Steps that change nothing but numbers of the source.
    fn of_the_source(&self, steps: &[Step<Term>]) -> Vec<Step<Term>> {
        let mut steps = steps.to_vec();
        for step in &mut steps {
            for (place, _) in self.measured.iter().enumerate().filter(|(_, one)| !one.is_of_the_source) {
                step.before[place] = Linear::zero();
                step.after[place] = Linear::zero();
            }
        }
        steps
    }
}

/// Single quantities that change, one after the other: a query about one is small.
struct Guesses(usize);

impl Guesses {
    fn next(&mut self, seen: &Seen) -> Option<Amortised> {
        let changed = seen.measured.iter().filter(|one| one.before != one.after).nth(self.0)?;
        self.0 += 1;
        let component = Spent { rank: changed.expression.clone(), stride: Integer::ONE, raised: Vec::new() };
        Some(Amortised { components: vec![component] })
    }
}

/// What accounts for all iterations that were seen.
fn next(seen: &Seen, level: Level, budget: &mut Budget) -> Result<Amortised, Missing> {
    let steps = match level {
        Level::Unlimited => &seen.unlimited,
        Level::Placeless => &seen.placeless,
        Level::All => &seen.steps,
    };
    let splits = if level == Level::All { splits(steps, seen.measured.len()) } else { Vec::new() };
    // The source's own numbers say more than those that were added.
    let own = seen.measured.iter().any(|one| !one.is_of_the_source).then(|| seen.of_the_source(steps));
    let ranks = own.and_then(|own| synthesise_unnested(&own, &splits, budget));
    match ranks.or_else(|| synthesise_unnested(steps, &splits, budget)) {
        Some(Ranks::Linear(rank)) => {
            let component = spent(&rank, seen).ok_or(Missing::NoRank)?;
            Ok(Amortised { components: vec![component] })
        }
        Some(Ranks::Lexicographic(ranks)) => raises::guess(&ranks, seen).ok_or(Missing::NoRaise),
        Some(Ranks::Nested(_)) => Err(Missing::NoRaise),
        None => Err(Missing::NoRank),
    }
}

/// A rank that is not negative before an iteration, as a component: it is positive there.
fn spent(rank: &Rank, seen: &Seen) -> Option<Spent> {
    let rank = match rank {
        Rank::Plain(sum) => Rank::Plain(sum.shifted(1)),
        Rank::Split { by, then, otherwise } => {
            Rank::Split { by: by.clone(), then: then.shifted(1), otherwise: otherwise.shifted(1) }
        }
    };
    let rank = rank.expression(&|at| Some(seen.measured[at].expression.clone()))?;
    Some(Spent { rank, stride: Integer::ONE, raised: Vec::new() })
}

/// A bound with other components, if the kernel takes it.
fn accepted(target: &mut Target<'_, '_>, components: Vec<Spent>, budget: &mut Budget) -> Option<Bounded> {
    let evidence = Amortised { components };
    match target.abstraction.bound(target.abstract_loop, &evidence, target.effort, budget) {
        Bounding::Bounded(bounded) => Some(*bounded),
        _ => None,
    }
}
