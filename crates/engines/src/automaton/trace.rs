//! Traces through the automaton, from loop entry to where the loop is left (Algorithms 2 to 4).
//!
//! A trace is a sequence of steps: a path once, a path again and again, or a cycle of paths again and again. Everything
//! along it is expressed over the state at loop entry. When a path comes up that was taken before, the steps since then
//! are a cycle; if it is periodic it is made one step (Algorithm 3), and the trace goes on after it, with what is left
//! of the cycle as further steps (the remaining chain). A cycle that comes up again after it was left is an irregular
//! execution, and the traces are not all of them then. Iterations that turn numbers around (swaps, `x = -x`) are a
//! cycle of as many of them as bring the numbers back. A trace is only followed where the numbers of unsigned and
//! narrow types do not wrap; where they do there is no trace (the paper has no such numbers).

use std::collections::BTreeSet;

use base::{Budget, Stop};
use program::{BlockId, VariableId};

use super::Automaton;
use super::closed_form::ClosedForm;
use super::number::{Atom, Definitions, Polynomial, Values};
use super::path::{Path, Tail};
use super::segment::{Context, Ends, Leave, Leaves, Segment};

/// Longer traces are not followed.
const LONGEST: usize = 14;

/// So many queries are asked for all traces together.
const QUERIES: usize = 400;

/// With more traces a summary is of no use.
const MOST: usize = 24;

/// Numbers that are turned around more often until they are where they were are not understood.
const TURNS: usize = 4;

/// A step of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A path is taken once.
    Once {
        /// The path, by its place.
        path: usize,
    },
    /// A path is taken again and again.
    Repeat {
        /// The path.
        path: usize,
        /// What ends it.
        ends: Ends,
        /// How often.
        iterations: Polynomial,
        /// Whether closed forms count from the state after the first iteration on.
        delayed: bool,
    },
    /// A cycle is taken again and again.
    Cycle {
        /// Its steps, over the state at its start.
        steps: Vec<Step>,
        /// The values at the start of each, over the state at its start.
        starts: Vec<Values>,
        /// As one segment.
        segment: Box<Segment>,
        /// What ends it.
        ends: Ends,
        /// How often.
        iterations: Polynomial,
        /// Whether closed forms count from the state after the first iteration on.
        delayed: bool,
    },
}

/// How a trace ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The loop is left along this path.
    Left(usize),
    /// The last step never ends.
    Never,
}

/// A trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// On which states at entry it is taken.
    pub conditions: Vec<Atom>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The values at the start of each step, over the state at entry; the last ones are those before the path that
    /// leaves the loop.
    pub starts: Vec<Values>,
    /// What variables hold at the end.
    pub after: Values,
    /// How it ends.
    pub end: End,
    /// Whether every run from such a state takes it, and no condition was left out.
    pub exact: bool,
}

impl Trace {
    /// Whether it goes round in circles.
    pub fn is_cyclic(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Cycle { .. }))
    }
}

/// All traces.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Traces {
    /// The traces.
    pub traces: Vec<Trace>,
    /// Whether these are all; else the loop is irregular, or too large.
    pub complete: bool,
    /// Whether a cycle is not periodic: how often its paths are taken hangs on more than the state at its start.
    pub irregular: bool,
}

/// A trace on its way.
#[derive(Clone, Default)]
struct Open {
    conditions: Vec<Atom>,
    values: Values,
    steps: Vec<Step>,
    starts: Vec<Values>,
    /// The first step that may be part of a cycle.
    since: usize,
    /// The cycles that were made one step, or that cannot be completed.
    done: Vec<Vec<(usize, Option<Ends>)>>,
    partial: bool,
}

/// The traversal.
pub struct Traversal<'a> {
    paths: &'a [Path],
    segments: &'a [Option<Segment>],
    wrapping: &'a BTreeSet<VariableId>,
    definitions: &'a mut Definitions,
    budget: &'a mut Budget,
    queries: usize,
    found: Traces,
}

impl<'a> Traversal<'a> {
    /// The traces from a head, under a condition on the state at entry. If they turn out not to be all, no more of them are
    /// looked for, since none is of use then.
    pub fn traces(automaton: &'a mut Automaton, precondition: &[Atom], budget: &'a mut Budget) -> Traces {
        let head = automaton.head;
        let mut traversal = Self {
            paths: &automaton.paths,
            segments: &automaton.segments,
            wrapping: &automaton.wrapping,
            definitions: &mut automaton.definitions,
            budget,
            queries: 0,
            found: Traces { complete: true, ..Traces::default() },
        };
        let start = Open { conditions: precondition.to_vec(), ..Open::default() };
        traversal.found.complete &= traversal.explore(head, &start).is_ok();
        if !traversal.found.complete {
            traversal.found.traces.clear();
        }
        for place in 0..traversal.found.traces.len() {
            let conditions = std::mem::take(&mut traversal.found.traces[place].conditions);
            let kept = traversal.without_needless(precondition, &conditions[precondition.len()..]);
            let definitions = &mut *traversal.definitions;
            let mut simpler =
                |atom: &Atom| Atom { number: definitions.with_remainders(&atom.number), ..*atom };
            let conditions: Vec<Atom> = kept.iter().map(&mut simpler).collect();
            let trace = &mut traversal.found.traces[place];
            for number in trace.after.values_mut() {
                *number = definitions.decided(number, &conditions);
            }
            trace.conditions = conditions;
        }
        traversal.found
    }

    /// Conditions without those that follow from the others.
    fn without_needless(&mut self, known: &[Atom], conditions: &[Atom]) -> Vec<Atom> {
        let mut kept: Vec<Atom> = Vec::new();
        for atom in conditions {
            if atom.known() != Some(true) && !kept.contains(atom) {
                kept.push(atom.clone());
            }
        }
        let mut place = kept.len();
        while place > 0 {
            place -= 1;
            let (before, after) = (&kept[..place], &kept[place + 1..]);
            if self.definitions.follows(&[known, before, after], &kept[place], self.budget) {
                kept.remove(place);
            }
        }
        kept
    }

    fn ask(&mut self, open: &Open, more: &[Atom]) -> Result<bool, Stop> {
        if self.budget.remaining_time().is_some_and(|time| time.is_zero()) {
            return Err(Stop::Time);
        }
        self.queries += 1;
        if self.queries > QUERIES {
            return Err(Stop::Steps);
        }
        Ok(!self.definitions.never(&[&open.conditions, more], self.budget))
    }

    fn explore(&mut self, head: BlockId, open: &Open) -> Result<(), Stop> {
        if open.steps.len() > LONGEST || self.found.traces.len() > MOST {
            self.found.complete = false;
            return Ok(());
        }
        for (place, path) in self.paths.iter().enumerate() {
            if !self.found.complete {
                break;
            }
            let ended = matches!(open.steps.last(), Some(Step::Repeat { path, .. }) if *path == place);
            if path.head != head || ended {
                continue;
            }
            let conditions = self.definitions.moved(&path.conditions, &open.values);
            if !self.ask(open, &conditions)? {
                continue;
            }
            let mut here = open.clone();
            here.conditions.extend(conditions);
            here.partial |= path.partial;
            match path.tail {
                Tail::Head(tail) => self.go_on(place, tail, here)?,
                _ => self.finish(place, here),
            }
        }
        Ok(())
    }

    fn finish(&mut self, path: usize, mut open: Open) {
        open.starts.push(open.values.clone());
        let after = self.definitions.follow(&open.values, &self.paths[path].updates);
        for values in open.starts.iter().chain([&after]) {
            open.conditions.extend(self.fitting(values));
        }
        self.close(open, after, End::Left(path));
    }

    fn close(&mut self, open: Open, after: Values, end: End) {
        let Open { conditions, steps, starts, partial, .. } = open;
        self.found.traces.push(Trace { conditions, steps, starts, after, end, exact: !partial });
    }

    /// That values fit the types of their variables, where they would wrap.
    fn fitting(&self, values: &Values) -> Vec<Atom> {
        let mut conditions = Vec::new();
        for (variable, number) in values {
            if self.wrapping.contains(variable)
                && let Some((low, high)) = self.definitions.ranges.get(variable)
                && !self.definitions.is_open(number)
            {
                conditions.push(Atom::at_least(number, &Polynomial::constant(low.clone())));
                conditions.push(Atom::at_least(&Polynomial::constant(high.clone()), number));
            }
        }
        conditions
    }

    fn never(&mut self, mut open: Open, step: Step, conditions: &[Atom]) {
        open.conditions.extend(conditions.iter().cloned());
        open.starts.push(open.values.clone());
        open.steps.push(step);
        self.close(open, Values::new(), End::Never);
    }

    /// Takes a path that stays in the loop.
    fn go_on(&mut self, path: usize, tail: BlockId, mut open: Open) -> Result<(), Stop> {
        let earlier = open.steps[open.since..].iter().rposition(|step| path_of(step) == Some(path));
        let Some(earlier) = earlier.map(|place| place + open.since) else {
            return self.take(path, tail, open);
        };
        let signature = signature(&open.steps[earlier..]);
        if open.done.contains(&signature) {
            // What is left of iterations that turn numbers around.
            let count = open.steps[open.since..].iter().filter(|step| path_of(step) == Some(path)).count();
            let turns = self.paths[path].is_iterative() && self.segments[path].is_none();
            if turns && count <= TURNS {
                return self.take(path, tail, open);
            }
            self.found.complete = false;
            return Ok(());
        }
        let steps = open.steps[earlier..].to_vec();
        let Some((steps, starts, segment)) = self.whole_cycle(&steps)? else {
            self.found.complete = false;
            return Ok(());
        };
        open.done.push(signature);
        // The cycle once more as a whole, again and again ...
        let conditions = self.definitions.moved(&segment.conditions, &open.values);
        if self.ask(&open, &conditions)? {
            let mut around = open.clone();
            around.conditions.extend(conditions.iter().cloned());
            let head = self.paths[path].head;
            self.repeat(head, around, &segment, |ends, iterations, delayed| Step::Cycle {
                steps: steps.clone(),
                starts: starts.clone(),
                segment: Box::new(segment.clone()),
                ends,
                iterations,
                delayed,
            })?;
        }
        // ... or not as a whole: the condition that fails first tells the cases apart.
        for (place, atom) in conditions.iter().enumerate() {
            for negated in atom.negated() {
                let more = [conditions[..place].to_vec(), vec![negated]].concat();
                if self.ask(&open, &more)? {
                    let mut part = open.clone();
                    part.conditions.extend(more);
                    self.take(path, tail, part)?;
                }
            }
        }
        Ok(())
    }

    /// Takes a path once, or again and again.
    fn take(&mut self, path: usize, tail: BlockId, mut open: Open) -> Result<(), Stop> {
        match &self.segments[path] {
            Some(segment) => {
                let segment = segment.clone();
                self.repeat(tail, open, &segment, |ends, iterations, delayed| Step::Repeat {
                    path,
                    ends,
                    iterations,
                    delayed,
                })
            }
            None => {
                open.starts.push(open.values.clone());
                open.steps.push(Step::Once { path });
                open.values = self.definitions.follow(&open.values, &self.paths[path].updates);
                self.explore(tail, &open)
            }
        }
    }

    fn repeat(
        &mut self,
        head: BlockId,
        open: Open,
        segment: &Segment,
        step: impl Fn(Ends, Polynomial, bool) -> Step,
    ) -> Result<(), Stop> {
        let leaves = self.leaves(&open, segment);
        if let Some(conditions) = leaves.never
            && self.ask(&open, &conditions)?
        {
            let ends = Ends { condition: None, at_once: false };
            self.never(open.clone(), step(ends, Polynomial::zero(), leaves.delayed), &conditions);
        }
        for Leave { ends, conditions, iterations, after } in leaves.ways {
            if !self.ask(&open, &conditions)? {
                continue;
            }
            let mut next = open.clone();
            next.conditions.extend(conditions);
            next.starts.push(next.values.clone());
            next.steps.push(step(ends, iterations, leaves.delayed));
            next.values = after;
            next.partial |= ends.condition.is_none();
            if matches!(next.steps.last(), Some(Step::Cycle { .. })) {
                next.since = next.steps.len();
            }
            self.explore(head, &next)?;
        }
        Ok(())
    }

    fn leaves(&mut self, open: &Open, segment: &Segment) -> Leaves {
        let mut context =
            Context { definitions: self.definitions, known: &open.conditions, budget: self.budget };
        segment.leave(&mut context, &open.values)
    }

    /// Steps as one segment; several times, if that turns numbers around until they move evenly.
    fn whole_cycle(&mut self, steps: &[Step]) -> Result<Option<Cycle>, Stop> {
        let Some(once) = self.cycle(steps)? else { return Ok(None) };
        let (_, _, segment) = &once;
        match turn(self.definitions, &segment.updates) {
            Some(times) if !segment.form.is_even() => {
                let all = steps.iter().cycle().take(times * steps.len());
                self.cycle(&all.cloned().collect::<Vec<_>>())
            }
            _ => Ok(Some(once)),
        }
    }

    /// Steps as one segment, over the state at their start (Algorithm 3, line 3).
    fn cycle(&mut self, steps: &[Step]) -> Result<Option<Cycle>, Stop> {
        let mut open = Open::default();
        for step in steps {
            let Some(path) = path_of(step) else { return Ok(None) };
            let one = &self.paths[path];
            open.conditions.extend(self.definitions.moved(&one.conditions, &open.values));
            open.partial |= one.partial;
            open.starts.push(open.values.clone());
            match step {
                Step::Repeat { ends, .. } => {
                    let Some(segment) = self.segments[path].clone() else { return Ok(None) };
                    let leaves = self.leaves(&open, &segment);
                    let Some(way) = leaves.ways.into_iter().find(|way| way.ends == *ends) else {
                        return Ok(None);
                    };
                    open.conditions.extend(way.conditions);
                    open.values = way.after;
                    open.partial |= way.ends.condition.is_none();
                    open.steps.push(Step::Repeat {
                        path,
                        ends: *ends,
                        iterations: way.iterations,
                        delayed: leaves.delayed,
                    });
                }
                _ => {
                    open.values = self.definitions.follow(&open.values, &self.paths[path].updates);
                    open.steps.push(Step::Once { path });
                }
            }
        }
        let mut conditions: Vec<Atom> = Vec::new();
        for atom in open.conditions {
            if atom.known().is_none() && !conditions.contains(&atom) {
                conditions.push(atom);
            }
        }
        self.found.irregular |= open.partial;
        let segment = Segment::new(self.definitions, conditions, open.values, open.partial);
        Ok(Some((open.steps, open.starts, segment)))
    }
}

/// The steps of a cycle, the values at the start of each, and all of it as one segment.
type Cycle = (Vec<Step>, Vec<Values>, Segment);

/// How often something must be done until numbers move evenly, if more than once helps.
pub(super) fn turn(definitions: &mut Definitions, updates: &Values) -> Option<usize> {
    let mut several = updates.clone();
    (2..=TURNS).find(|_| {
        several = definitions.follow(&several, updates);
        ClosedForm::of(definitions, &several).is_even()
    })
}

/// The path of a step that is not a cycle.
fn path_of(step: &Step) -> Option<usize> {
    match step {
        Step::Once { path } | Step::Repeat { path, .. } => Some(*path),
        Step::Cycle { .. } => None,
    }
}

fn signature(steps: &[Step]) -> Vec<(usize, Option<Ends>)> {
    let one = |step: &Step| match step {
        Step::Once { path } => Some((*path, None)),
        Step::Repeat { path, ends, .. } => Some((*path, Some(*ends))),
        Step::Cycle { .. } => None,
    };
    steps.iter().filter_map(one).collect()
}
