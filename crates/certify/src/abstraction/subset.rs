//! Which candidates are invariants: those that hold at entry and are preserved by an iteration, for all loops of a nest
//! together.
//!
//! Method: Houdini (Flanagan and Leino); LoopFrog, Algorithm 1. All candidates that are left are assumed at the heads;
//! one query asks for an iteration, or an entry, that breaks any of them; the model shows which ones, they are dropped,
//! and the query is asked again. What is left in the end is the greatest subset that holds.
//!
//! Those candidates come first that hold together whatever memory contains (`array_abstraction.rs`): they are
//! invariants from there on. Models that break something are found quickly; that there is none can be hard to see of
//! many candidates at once. So the queries about all of the others get little time at first. Those that need no others
//! then come one by one, and are invariants from there on, too. Only what is left needs the long queries.

use std::collections::BTreeMap;
use std::time::Duration;

use base::Budget;
use evidence::Formula;
use logic::evaluate::Evaluation;
use logic::solver::Embedded;
use logic::{Answer, Solver, Sort, Term, Terms};

use super::{Abstraction, Candidate};
use crate::wide::Use;

/// How candidates are put to the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Batch {
    /// All at once.
    All,
    /// One after the other, as in the paper. Slower; there to be compared with.
    Single,
}

/// How much may be spent on a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// How candidates are put to the solver.
    pub batch: Batch,
    /// Steps of the solver for a query about one candidate.
    pub steps: u64,
    /// Time for a query.
    pub time: Duration,
}

impl Default for Effort {
    fn default() -> Self {
        Self { batch: Batch::All, steps: 20_000, time: Duration::from_secs(2) }
    }
}

impl Effort {
    /// What a solver says under some assumptions, if it may spend so much.
    pub(super) fn ask(
        self,
        solver: &mut Embedded,
        terms: &mut Terms,
        assumptions: &[Term],
        budget: &mut Budget,
    ) -> Answer {
        let mut part = budget.part(self.steps).within(self.time);
        let before = part.remaining_steps();
        let answer = solver.check(terms, assumptions, &mut part);
        _ = budget.spend(before - part.remaining_steps());
        answer
    }
}

/// The first queries about all candidates get this part of the steps, and those about a single one that needs no
/// others.
const QUICK: u64 = 250;
const ALONE: u64 = 4;

/// A query about a single candidate and what is close by gets no more time.
const NEAR: Duration = Duration::from_millis(100);

/// The first queries about all candidates get this part of the time, and so do those without memory.
const TOGETHER_SHARE: f64 = 1.0 / 3.0;

/// Single candidates get this part of the time together: in a large nest each of them takes long.
const ALONE_SHARE: f64 = 1.0 / 3.0;

/// What a query knows of the paths on which a candidate may be broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// What is close by.
    Near,
    /// Everything but what memory contains.
    ArrayFree,
    /// Everything.
    Whole,
}

/// A candidate as terms.
#[derive(Clone)]
struct Asked {
    /// Its place in the list of candidates.
    place: usize,
    /// Stands for the candidate being assumed at the heads.
    assumed: Term,
    /// Stands for the candidate being asked for.
    wanted: Term,
    unwanted: Term,
    /// An entry or an iteration breaks it.
    broken: Term,
    /// The same, of which only the conditions close by are known: if that cannot be, the candidate is kept.
    near: Term,
    /// What is assumed at the heads.
    at_heads: Vec<(Term, Term)>,
}

impl Abstraction<'_> {
    /// Takes those candidates about the loops of a nest as invariants that hold together, and says which ones.
    pub fn accept(
        &mut self,
        nest: &[usize],
        candidates: &[Candidate],
        effort: Effort,
        budget: &mut Budget,
    ) -> Vec<bool> {
        let accepted = vec![false; candidates.len()];
        if self.supposed {
            return accepted;
        }
        Selection { abstraction: self, nest, candidates, accepted, budget }.accepted(effort)
    }

    /// Takes unchecked candidate invariants, for whoever looks for inputs that are tried as runs anyway. From then on
    /// nothing is proved and no candidate accepted.
    pub fn suppose(&mut self, candidates: &[Candidate]) {
        self.supposed = true;
        for (place, candidate) in candidates.iter().enumerate() {
            if let Some(asked) = self.asked(place, candidate, &[candidate.abstract_loop]) {
                self.assume_at_heads(asked);
            }
        }
    }

    fn assume_at_heads(&mut self, asked: Asked) {
        for (holds, invariant) in asked.at_heads {
            let invariant = self.encoder.terms.implies(holds, invariant);
            self.encoder.axioms.add(holds, invariant);
        }
    }

    /// A candidate of which the queries do not look into memory.
    fn array_free(&mut self, asked: &Asked) -> Asked {
        let (terms, array_abstraction) = (&mut self.encoder.terms, &mut self.array_abstraction);
        let at_heads = asked
            .at_heads
            .iter()
            .map(|&(holds, invariant)| (holds, array_abstraction.term(terms, invariant)));
        let at_heads = at_heads.collect();
        Asked { broken: array_abstraction.term(terms, asked.broken), at_heads, ..*asked }
    }

    /// A candidate as terms, or nothing if it cannot be one.
    fn asked(&mut self, place: usize, candidate: &Candidate, nest: &[usize]) -> Option<Asked> {
        let abstract_loop = self.abstract_loops()[candidate.abstract_loop].clone();
        let context = self.abstract_loops()[*nest.first()?].entries.first()?.guard.clone();
        let (mut broken, mut near) = (Vec::new(), Vec::new());
        let last = abstract_loop.again.as_ref();
        for state in abstract_loop.entries.iter().chain(last) {
            let invariant = self.translate(candidate.abstract_loop, &candidate.formula, Use::Shown, state)?;
            let mut path = state.guard.since(&context);
            let not = self.encoder.terms.not(invariant);
            near.push(self.near(&path, not));
            path.push(not);
            broken.push(self.encoder.terms.all(&path));
        }
        let mut at_heads = Vec::new();
        for start in &abstract_loop.starts {
            let invariant =
                self.translate(candidate.abstract_loop, &candidate.formula, Use::Known, &start.state)?;
            at_heads.push((start.holds, invariant));
        }
        let terms = &mut self.encoder.terms;
        let (broken, near) = (terms.any(&broken), terms.any(&near));
        let (assumed, wanted) = (terms.fresh("assumed", Sort::Bool), terms.fresh("wanted", Sort::Bool));
        let unwanted = terms.not(wanted);
        Some(Asked { place, assumed, wanted, unwanted, broken, near, at_heads })
    }

    /// That a path is taken and something is not so, as far as conditions tell that are short and speak of it, and the
    /// invariants at the heads on the way.
    fn near(&mut self, path: &[Term], not: Term) -> Term {
        let (terms, axioms) = (&self.encoder.terms, &self.encoder.axioms);
        let mut part = self.symbols.within(1, terms, axioms, &[not], path);
        part.retain(|&condition| self.symbols.is_short(terms, condition));
        let abstract_loops = self.encoder.findings.abstract_loops.iter();
        let heads: Vec<Term> = abstract_loops
            .flat_map(|abstract_loop| abstract_loop.starts.iter().map(|start| start.holds))
            .collect();
        part.extend(path.iter().filter(|condition| heads.contains(condition)));
        part.push(not);
        self.encoder.terms.all(&part)
    }
}

/// Which candidates are taken.
struct Selection<'a, 'p> {
    abstraction: &'a mut Abstraction<'p>,
    nest: &'a [usize],
    candidates: &'a [Candidate],
    accepted: Vec<bool>,
    budget: &'a mut Budget,
}

impl Selection<'_, '_> {
    fn accepted(mut self, effort: Effort) -> Vec<bool> {
        let mut left: Vec<Asked> = Vec::new();
        for (place, candidate) in self.candidates.iter().enumerate() {
            if !self.abstraction.invariants[candidate.abstract_loop].contains(&candidate.formula) {
                left.extend(self.abstraction.asked(place, candidate, self.nest));
            }
        }
        if effort.batch == Batch::All {
            left = self.without_memory(left, effort);
            let quick = Effort { steps: effort.steps / QUICK, ..effort };
            if self.in_part(|part| part.narrow(&mut left, Known::Whole, quick)).is_err() {
                left = self.alone(left, Effort { steps: effort.steps / ALONE, ..effort });
                if self.narrow(&mut left, Known::Whole, effort).is_err() {
                    self.narrow_singly(&mut left, effort);
                }
            }
        } else {
            self.narrow_singly(&mut left, effort);
        }
        left.into_iter().for_each(|asked| self.take(asked));
        self.accepted
    }

    /// Does something in a part of the time that is left.
    fn in_part<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let part = self.budget.share(TOGETHER_SHARE);
        let before = part.remaining_steps();
        let whole = std::mem::replace(self.budget, part);
        let result = act(self);
        let part = std::mem::replace(self.budget, whole);
        _ = self.budget.spend(before - part.remaining_steps());
        result
    }

    /// Takes a candidate as an invariant.
    fn take(&mut self, asked: Asked) {
        self.accepted[asked.place] = true;
        let candidate = &self.candidates[asked.place];
        self.abstraction.invariants[candidate.abstract_loop].push(candidate.formula.clone());
        self.abstraction.assume_at_heads(asked);
    }

    /// Takes the candidates that hold together whatever memory contains. Gives those that are left.
    fn without_memory(&mut self, left: Vec<Asked>, effort: Effort) -> Vec<Asked> {
        let mut array_free: Vec<Asked> =
            left.iter().map(|asked| self.abstraction.array_free(asked)).collect();
        if array_free.iter().zip(&left).all(|(array_free, asked)| array_free.broken == asked.broken) {
            return left;
        }
        let quick = Effort { steps: effort.steps / ALONE, ..effort };
        if self.in_part(|part| part.narrow(&mut array_free, Known::ArrayFree, quick)).is_err() {
            return left;
        }
        let (hold, left): (Vec<Asked>, Vec<Asked>) =
            left.into_iter().partition(|asked| array_free.iter().any(|kept| kept.place == asked.place));
        hold.into_iter().for_each(|asked| self.take(asked));
        left
    }

    /// Takes the candidates that need no others but those that say the same of another loop of the nest. Gives those that
    /// are left.
    fn alone(&mut self, mut left: Vec<Asked>, effort: Effort) -> Vec<Asked> {
        let quick = Effort { steps: effort.steps / ALONE, time: NEAR, ..effort };
        let mut limit = self.budget.share(ALONE_SHARE);
        for (known, effort) in [(Known::Near, quick), (Known::Whole, effort)] {
            let mut others = Vec::new();
            for group in same_formulas(left, self.candidates) {
                let mut kept = |asked: &[Asked]| {
                    (known == Known::Near || limit.spend(0).is_ok())
                        && self.are_inductive(asked, known, effort)
                };
                // A loop and the loops in it often keep the same, and need each other for it.
                let all = group.len() > 1 && kept(&group);
                let flags: Vec<bool> =
                    group.iter().map(|asked| all || kept(std::slice::from_ref(asked))).collect();
                for (asked, kept) in group.into_iter().zip(flags) {
                    match kept {
                        true => self.take(asked),
                        false => others.push(asked),
                    }
                }
            }
            left = others;
        }
        left
    }

    /// Whether no entry and no iteration breaks one of some candidates, if nothing but themselves and the invariants is
    /// assumed.
    fn are_inductive(&mut self, group: &[Asked], known: Known, effort: Effort) -> bool {
        let terms = &mut self.abstraction.encoder.terms;
        let at_heads = group.iter().flat_map(|asked| &asked.at_heads);
        let mut hypotheses: Vec<Term> =
            at_heads.map(|&(holds, invariant)| terms.implies(holds, invariant)).collect();
        let some = group.iter().map(|asked| if known == Known::Near { asked.near } else { asked.broken });
        let some: Vec<Term> = some.collect();
        let broken = terms.any(&some);
        if known != Known::Near {
            self.context(&mut hypotheses, broken);
        }
        hypotheses.push(broken);
        let mut solver = self.asserting(hypotheses, known);
        let terms = &mut self.abstraction.encoder.terms;
        effort.ask(&mut solver, terms, &[], self.budget) == Answer::Unsatisfiable
    }

    /// Drops candidates until no entry and no iteration breaks one that is left: all of them in one query.
    ///
    /// # Errors
    /// If the solver does not know. Those that are left need not hold then.
    fn narrow(&mut self, left: &mut Vec<Asked>, known: Known, effort: Effort) -> Result<(), ()> {
        let mut solver = self.solver(left, known);
        let mut dropped: Vec<Term> = Vec::new();
        while !left.is_empty() {
            let all: Vec<usize> = (0..left.len()).collect();
            let broken = self.broken(left, &dropped, &all, &mut solver, effort)?;
            if broken.is_empty() {
                break;
            }
            drop_all(left, &mut dropped, &broken);
        }
        Ok(())
    }

    /// Drops candidates until no entry and no iteration breaks one that is left: a query for each.
    fn narrow_singly(&mut self, left: &mut Vec<Asked>, effort: Effort) {
        let mut solver = self.solver(left, Known::Whole);
        let mut dropped: Vec<Term> = Vec::new();
        loop {
            let count = left.len();
            let mut place = 0;
            while place < left.len() {
                match self.broken(left, &dropped, &[place], &mut solver, effort) {
                    Ok(broken) if broken.is_empty() => place += 1,
                    Ok(broken) if effort.batch == Batch::All => drop_all(left, &mut dropped, &broken),
                    Ok(_) | Err(()) => drop_all(left, &mut dropped, &[place]),
                }
            }
            if left.len() == count {
                // Each one is preserved by all of them.
                return;
            }
        }
    }

    /// A solver that can be asked about some candidates.
    fn solver(&mut self, left: &[Asked], known: Known) -> Embedded {
        let mut hypotheses = Vec::new();
        let mut wanted = Vec::new();
        for asked in left {
            let terms = &mut self.abstraction.encoder.terms;
            wanted.push(terms.and(asked.wanted, asked.broken));
            for &(holds, invariant) in &asked.at_heads {
                let both = terms.and(asked.assumed, holds);
                hypotheses.push(terms.implies(both, invariant));
            }
        }
        let some = self.abstraction.encoder.terms.any(&wanted);
        self.context(&mut hypotheses, some);
        hypotheses.push(some);
        self.asserting(hypotheses, known)
    }

    /// A solver to which some terms are asserted, with what is known of their symbols.
    fn asserting(&mut self, hypotheses: Vec<Term>, known: Known) -> Embedded {
        let (terms, axioms) = (&mut self.abstraction.encoder.terms, &self.abstraction.encoder.axioms);
        let all = match known {
            Known::ArrayFree => self.abstraction.array_abstraction.with_axioms(terms, axioms, &hypotheses),
            _ => [axioms.about(terms, &hypotheses), hypotheses].concat(),
        };
        let mut solver: Embedded = Embedded::new();
        for term in all {
            solver.assert(terms, term);
        }
        solver
    }

    /// What is known where the nest is entered.
    fn context(&mut self, hypotheses: &mut Vec<Term>, query: Term) {
        let Some(entry) =
            self.nest.first().and_then(|&outer| self.abstraction.abstract_loops()[outer].entries.first())
        else {
            return;
        };
        let conditions = entry.guard.conditions();
        let mut roots = hypotheses.clone();
        roots.push(query);
        let (terms, axioms) = (&self.abstraction.encoder.terms, &self.abstraction.encoder.axioms);
        hypotheses.extend(self.abstraction.symbols.relevant(terms, axioms, &roots, &conditions));
    }

    /// Which of the candidates that are left a model breaks that breaks one of the chosen ones.
    fn broken(
        &mut self,
        left: &[Asked],
        dropped: &[Term],
        chosen: &[usize],
        solver: &mut Embedded,
        effort: Effort,
    ) -> Result<Vec<usize>, ()> {
        let terms = &mut self.abstraction.encoder.terms;
        let mut assumptions: Vec<Term> = left.iter().map(|asked| asked.assumed).collect();
        assumptions.extend(dropped);
        if chosen.len() < left.len() {
            let others = (0..left.len()).filter(|place| !chosen.contains(place));
            assumptions.extend(others.map(|place| left[place].unwanted));
        }
        let steps = effort.steps.saturating_mul(chosen.len().min(20) as u64);
        match (Effort { steps, ..effort }).ask(solver, terms, &assumptions, self.budget) {
            Answer::Unsatisfiable => Ok(Vec::new()),
            Answer::Unknown(_) => Err(()),
            Answer::Satisfiable => {
                let model = solver.model(terms);
                let mut values = Evaluation::new(terms, &model);
                let broken: Vec<usize> =
                    (0..left.len()).filter(|&place| values.is_true(left[place].broken)).collect();
                if broken.is_empty() { Err(()) } else { Ok(broken) }
            }
        }
    }
}

/// Candidates with the same formula together, in the order of the first of each.
fn same_formulas(left: Vec<Asked>, candidates: &[Candidate]) -> Vec<Vec<Asked>> {
    let mut groups: Vec<Vec<Asked>> = Vec::new();
    let mut places: BTreeMap<&Formula, usize> = BTreeMap::new();
    for asked in left {
        let place = *places.entry(&candidates[asked.place].formula).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(asked),
            None => groups.push(vec![asked]),
        }
    }
    groups
}

/// Drops some of the candidates that are left. They are no longer asked for.
fn drop_all(left: &mut Vec<Asked>, dropped: &mut Vec<Term>, places: &[usize]) {
    let mut place = 0;
    left.retain(|asked| {
        place += 1;
        let keep = !places.contains(&(place - 1));
        dropped.extend((!keep).then_some(asked.unwanted));
        keep
    });
}
