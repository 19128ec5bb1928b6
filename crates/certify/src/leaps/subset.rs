//! Which candidates are facts: those that hold at entry and are kept by a pass, for all loops of a nest together.
//!
//! Method: Houdini (Flanagan and Leino); LoopFrog, Algorithm 1. All candidates that are left are assumed at the heads;
//! one question asks for a pass, or an entry, that breaks any of them; the model shows which ones, they are dropped, and
//! the question is asked again. What is left in the end is the greatest subset that holds.
//!
//! Those candidates come first that hold together whatever memory contains (`blind.rs`): they are facts from there on. Models
//! that break something are found quickly; that there is none can be hard to see of many candidates at once. So the
//! questions about all of the others get little time at first. Those that need no others then come one by one, and are facts
//! from there on, too. Only what is left needs the long questions.

use std::collections::BTreeMap;
use std::time::Duration;

use base::Budget;
use evidence::Formula;
use logic::evaluate::Evaluation;
use logic::solver::Embedded;
use logic::{Answer, Solver, Sort, Term};

use super::{Candidate, Leaping};
use crate::wide::Use;

/// How candidates are put to the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Batch {
    /// All at once.
    All,
    /// One after the other, as in the paper. Slower; there to be compared with.
    Single,
}

/// How much may be spent on a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// How candidates are put to the solver.
    pub batch: Batch,
    /// Steps of the solver for a question about one candidate.
    pub steps: u64,
    /// Time for a question.
    pub time: Duration,
}

impl Default for Effort {
    fn default() -> Self {
        Self { batch: Batch::All, steps: 20_000, time: Duration::from_secs(2) }
    }
}

/// The first questions about all candidates get this part of the steps, and those about a single one that needs no others.
const QUICK: u64 = 250;
const ALONE: u64 = 4;

/// A question about a single candidate and what is close by gets no more time.
const NEAR: Duration = Duration::from_millis(100);

/// The first questions about all candidates get this part of the time, and so do those without memory.
const TOGETHER_SHARE: f64 = 3.0;

/// Single candidates get this part of the time together: in a large nest each of them takes long.
const ALONE_SHARE: f64 = 3.0;

/// What a question knows of the paths on which a candidate may be broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// What is close by.
    Near,
    /// Everything but what memory contains.
    Blind,
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
    /// An entry or a pass breaks it.
    broken: Term,
    /// The same, of which only the conditions close by are known: if that cannot be, the candidate is kept.
    near: Term,
    /// What is assumed at the heads.
    at_heads: Vec<(Term, Term)>,
}

impl Leaping<'_> {
    /// Takes those candidates about the loops of a nest as facts that hold together, and says which ones.
    pub fn accept(
        &mut self,
        nest: &[usize],
        candidates: &[Candidate],
        effort: Effort,
        budget: &mut Budget,
    ) -> Vec<bool> {
        if self.supposed {
            return vec![false; candidates.len()];
        }
        let mut left: Vec<Asked> = Vec::new();
        for (place, candidate) in candidates.iter().enumerate() {
            if !self.facts[candidate.leap].contains(&candidate.formula) {
                left.extend(self.asked(place, candidate, nest));
            }
        }
        let mut accepted = vec![false; candidates.len()];
        if effort.batch == Batch::All {
            left = self.without_memory(nest, left, candidates, &mut accepted, effort, budget);
            let quick = Effort { steps: effort.steps / QUICK, ..effort };
            let mut part = share(budget, TOGETHER_SHARE);
            let before = part.remaining_steps();
            let narrowed = self.narrow(nest, &mut left, Known::Whole, quick, &mut part);
            _ = budget.spend(before - part.remaining_steps());
            if narrowed.is_err() {
                let alone = Effort { steps: effort.steps / ALONE, ..effort };
                left = self.alone(nest, left, candidates, &mut accepted, alone, budget);
                if self.narrow(nest, &mut left, Known::Whole, effort, budget).is_err() {
                    self.narrow_singly(nest, &mut left, effort, budget);
                }
            }
        } else {
            self.narrow_singly(nest, &mut left, effort, budget);
        }
        for asked in left {
            self.take(asked, candidates, &mut accepted);
        }
        accepted
    }

    /// Takes candidates for facts that nobody has checked, for whoever looks for inputs that are tried as runs anyway. From
    /// then on nothing is proved and no candidate accepted.
    pub fn suppose(&mut self, candidates: &[Candidate]) {
        self.supposed = true;
        for (place, candidate) in candidates.iter().enumerate() {
            let Some(asked) = self.asked(place, candidate, &[candidate.leap]) else { continue };
            for (holds, fact) in asked.at_heads {
                let fact = self.encoder.terms.implies(holds, fact);
                self.encoder.knowledge.add(holds, fact);
            }
        }
    }

    /// Takes a candidate as a fact.
    fn take(&mut self, asked: Asked, candidates: &[Candidate], accepted: &mut [bool]) {
        accepted[asked.place] = true;
        let candidate = &candidates[asked.place];
        self.facts[candidate.leap].push(candidate.formula.clone());
        for (holds, fact) in asked.at_heads {
            let fact = self.encoder.terms.implies(holds, fact);
            self.encoder.knowledge.add(holds, fact);
        }
    }

    /// Takes the candidates that hold together whatever memory contains. Gives those that are left.
    fn without_memory(
        &mut self,
        nest: &[usize],
        left: Vec<Asked>,
        candidates: &[Candidate],
        accepted: &mut [bool],
        effort: Effort,
        budget: &mut Budget,
    ) -> Vec<Asked> {
        let mut blind: Vec<Asked> = left.iter().map(|asked| self.blinded(asked)).collect();
        if blind.iter().zip(&left).all(|(blind, asked)| blind.broken == asked.broken) {
            return left;
        }
        let mut part = share(budget, TOGETHER_SHARE);
        let before = part.remaining_steps();
        let quick = Effort { steps: effort.steps / ALONE, ..effort };
        let narrowed = self.narrow(nest, &mut blind, Known::Blind, quick, &mut part);
        _ = budget.spend(before - part.remaining_steps());
        if narrowed.is_err() {
            return left;
        }
        let (hold, left): (Vec<Asked>, Vec<Asked>) =
            left.into_iter().partition(|asked| blind.iter().any(|kept| kept.place == asked.place));
        hold.into_iter().for_each(|asked| self.take(asked, candidates, accepted));
        left
    }

    /// A candidate of which the questions do not look into memory.
    fn blinded(&mut self, asked: &Asked) -> Asked {
        let (terms, blindness) = (&mut self.encoder.terms, &mut self.blindness);
        let at_heads = asked.at_heads.iter().map(|&(holds, fact)| (holds, blindness.term(terms, fact)));
        let at_heads = at_heads.collect();
        Asked { broken: blindness.term(terms, asked.broken), at_heads, ..*asked }
    }

    /// Takes the candidates that need no others but those that say the same of another loop of the nest. Gives those that
    /// are left.
    fn alone(
        &mut self,
        nest: &[usize],
        mut left: Vec<Asked>,
        candidates: &[Candidate],
        accepted: &mut [bool],
        effort: Effort,
        budget: &mut Budget,
    ) -> Vec<Asked> {
        let quick = Effort { steps: effort.steps / ALONE, time: NEAR, ..effort };
        let mut limit = share(budget, ALONE_SHARE);
        for (known, effort) in [(Known::Near, quick), (Known::Whole, effort)] {
            let mut others = Vec::new();
            for group in same_formulas(left, candidates) {
                let mut kept = |asked: &[Asked]| {
                    (known == Known::Near || limit.spend(0).is_ok())
                        && self.are_kept(nest, asked, known, effort, budget)
                };
                // A loop and the loops in it often keep the same, and need each other for it.
                let all = group.len() > 1 && kept(&group);
                let flags: Vec<bool> =
                    group.iter().map(|asked| all || kept(std::slice::from_ref(asked))).collect();
                for (asked, kept) in group.into_iter().zip(flags) {
                    match kept {
                        true => self.take(asked, candidates, accepted),
                        false => others.push(asked),
                    }
                }
            }
            left = others;
        }
        left
    }

    /// Whether no entry and no pass breaks one of some candidates, if nothing but themselves and the facts is assumed.
    fn are_kept(
        &mut self,
        nest: &[usize],
        group: &[Asked],
        known: Known,
        effort: Effort,
        budget: &mut Budget,
    ) -> bool {
        let terms = &mut self.encoder.terms;
        let at_heads = group.iter().flat_map(|asked| &asked.at_heads);
        let mut hypotheses: Vec<Term> = at_heads.map(|&(holds, fact)| terms.implies(holds, fact)).collect();
        let some = group.iter().map(|asked| if known == Known::Near { asked.near } else { asked.broken });
        let some: Vec<Term> = some.collect();
        let broken = terms.any(&some);
        if known != Known::Near {
            self.context(nest, &mut hypotheses, broken);
        }
        hypotheses.push(broken);
        let mut solver = self.asserting(hypotheses, known);
        let mut part = budget.part(effort.steps).within(effort.time);
        let before = part.remaining_steps();
        let answer = solver.check(&mut self.encoder.terms, &[], &mut part);
        _ = budget.spend(before - part.remaining_steps());
        answer == Answer::Unsatisfiable
    }

    /// Drops candidates until no entry and no pass breaks one that is left: all of them in one question.
    ///
    /// # Errors
    /// If the solver does not know. Those that are left need not hold then.
    fn narrow(
        &mut self,
        nest: &[usize],
        left: &mut Vec<Asked>,
        known: Known,
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<(), ()> {
        let mut solver = self.solver(nest, left, known);
        let mut dropped: Vec<Term> = Vec::new();
        while !left.is_empty() {
            let all: Vec<usize> = (0..left.len()).collect();
            let broken = self.broken(left, &dropped, &all, &mut solver, effort, budget)?;
            if broken.is_empty() {
                break;
            }
            drop_all(left, &mut dropped, &broken);
        }
        Ok(())
    }

    /// Drops candidates until no entry and no pass breaks one that is left: a question for each.
    fn narrow_singly(&mut self, nest: &[usize], left: &mut Vec<Asked>, effort: Effort, budget: &mut Budget) {
        let mut solver = self.solver(nest, left, Known::Whole);
        let mut dropped: Vec<Term> = Vec::new();
        loop {
            let count = left.len();
            let mut place = 0;
            while place < left.len() {
                match self.broken(left, &dropped, &[place], &mut solver, effort, budget) {
                    Ok(broken) if broken.is_empty() => place += 1,
                    Ok(broken) if effort.batch == Batch::All => drop_all(left, &mut dropped, &broken),
                    Ok(_) | Err(()) => drop_all(left, &mut dropped, &[place]),
                }
            }
            if left.len() == count {
                // Each one is kept by all of them.
                return;
            }
        }
    }

    /// A solver that can be asked about some candidates.
    fn solver(&mut self, nest: &[usize], left: &[Asked], known: Known) -> Embedded {
        let mut hypotheses = Vec::new();
        let mut wanted = Vec::new();
        for asked in left {
            let terms = &mut self.encoder.terms;
            wanted.push(terms.and(asked.wanted, asked.broken));
            for &(holds, fact) in &asked.at_heads {
                let both = terms.and(asked.assumed, holds);
                hypotheses.push(terms.implies(both, fact));
            }
        }
        let some = self.encoder.terms.any(&wanted);
        self.context(nest, &mut hypotheses, some);
        hypotheses.push(some);
        self.asserting(hypotheses, known)
    }

    /// A solver to which some terms are asserted, with what is known of their symbols.
    fn asserting(&mut self, hypotheses: Vec<Term>, known: Known) -> Embedded {
        let (terms, knowledge) = (&mut self.encoder.terms, &self.encoder.knowledge);
        let all = match known {
            Known::Blind => self.blindness.with_facts(terms, knowledge, &hypotheses),
            _ => [knowledge.about(terms, &hypotheses), hypotheses].concat(),
        };
        let mut solver: Embedded = Embedded::new();
        for term in all {
            solver.assert(terms, term);
        }
        solver
    }

    /// What is known where the nest is entered.
    fn context(&mut self, nest: &[usize], hypotheses: &mut Vec<Term>, question: Term) {
        let Some(entry) = nest.first().and_then(|&outer| self.leaps()[outer].entries.first()) else { return };
        let conditions = entry.guard.conditions();
        let mut roots = hypotheses.clone();
        roots.push(question);
        let (terms, knowledge) = (&self.encoder.terms, &self.encoder.knowledge);
        hypotheses.extend(self.symbols.relevant(terms, knowledge, &roots, &conditions));
    }

    /// A candidate as terms, or nothing if it cannot be one.
    fn asked(&mut self, place: usize, candidate: &Candidate, nest: &[usize]) -> Option<Asked> {
        let leap = self.leaps()[candidate.leap].clone();
        let context = self.leaps()[*nest.first()?].entries.first()?.guard.clone();
        let (mut broken, mut near) = (Vec::new(), Vec::new());
        let last = leap.again.as_ref();
        for state in leap.entries.iter().chain(last) {
            let fact = self.translate(candidate.leap, &candidate.formula, Use::Shown, state)?;
            let mut path = state.guard.since(&context);
            let not = self.encoder.terms.not(fact);
            near.push(self.near(&path, not));
            path.push(not);
            broken.push(self.encoder.terms.all(&path));
        }
        let mut at_heads = Vec::new();
        for start in &leap.starts {
            let fact = self.translate(candidate.leap, &candidate.formula, Use::Known, &start.state)?;
            at_heads.push((start.holds, fact));
        }
        let terms = &mut self.encoder.terms;
        let (broken, near) = (terms.any(&broken), terms.any(&near));
        let (assumed, wanted) = (terms.fresh("assumed", Sort::Bool), terms.fresh("wanted", Sort::Bool));
        let unwanted = terms.not(wanted);
        Some(Asked { place, assumed, wanted, unwanted, broken, near, at_heads })
    }

    /// That a path is taken and something is not so, as far as conditions tell that are short and speak of it, and the facts
    /// at the heads on the way.
    fn near(&mut self, path: &[Term], not: Term) -> Term {
        let (terms, knowledge) = (&self.encoder.terms, &self.encoder.knowledge);
        let mut part = self.symbols.within(1, terms, knowledge, &[not], path);
        part.retain(|&condition| self.symbols.is_short(terms, condition));
        let leaps = self.encoder.findings.leaps.iter();
        let heads: Vec<Term> = leaps.flat_map(|leap| leap.starts.iter().map(|start| start.holds)).collect();
        part.extend(path.iter().filter(|condition| heads.contains(condition)));
        part.push(not);
        self.encoder.terms.all(&part)
    }

    /// Which of the candidates that are left a model breaks that breaks one of the chosen ones.
    fn broken(
        &mut self,
        left: &[Asked],
        dropped: &[Term],
        chosen: &[usize],
        solver: &mut Embedded,
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<Vec<usize>, ()> {
        let terms = &mut self.encoder.terms;
        let mut assumptions: Vec<Term> = left.iter().map(|asked| asked.assumed).collect();
        assumptions.extend(dropped);
        if chosen.len() < left.len() {
            let others = (0..left.len()).filter(|place| !chosen.contains(place));
            assumptions.extend(others.map(|place| left[place].unwanted));
        }
        let steps = effort.steps.saturating_mul(chosen.len().min(20) as u64);

        let mut part = budget.part(steps).within(effort.time);
        let before = part.remaining_steps();
        let answer = solver.check(terms, &assumptions, &mut part);
        _ = budget.spend(before - part.remaining_steps());
        match answer {
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

/// A budget for this part of the time that is left.
fn share(budget: &Budget, part: f64) -> Budget {
    let time = budget.remaining_time().map_or(Duration::MAX, |time| time.div_f64(part));
    budget.clone().within(time)
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
        if !keep {
            dropped.push(asked.unwanted);
        }
        keep
    });
}
