//! Iterations along one path, or through one cycle of paths, again and again: how often, and what comes out.
//!
//! The conditions hold before each iteration. Those whose number falls evenly with every iteration say how many
//! iterations there are; which of them fails first makes different cases. (Algorithm 1, line 9, with the state counter
//! solved for.)

use base::Budget;
use evidence::Integer;

use super::closed_form::ClosedForm;
use super::number::{Atom, Definitions, Polynomial, Values};

/// Something that is passed again and again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// What holds before each iteration.
    pub conditions: Vec<Atom>,
    /// What an iteration does.
    pub updates: Values,
    /// What many iterations do.
    pub form: ClosedForm,
    /// Whether iterations may end for reasons that are not among the conditions.
    pub partial: bool,
}

/// Which condition ends the iterations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ends {
    /// The condition that fails first, by its place; none if it is something else.
    pub condition: Option<usize>,
    /// Whether that is after the first iteration, as it must be.
    pub at_once: bool,
}

/// How iterations come to an end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leave {
    /// Which condition fails.
    pub ends: Ends,
    /// When this is so, besides the conditions before the first iteration.
    pub conditions: Vec<Atom>,
    /// How many iterations there are.
    pub iterations: Polynomial,
    /// What variables hold then.
    pub after: Values,
}

/// All ways in which iterations end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Leaves {
    /// The ways.
    pub ways: Vec<Leave>,
    /// Under these conditions they never end.
    pub never: Option<Vec<Atom>>,
    /// Whether the first iteration was examined by itself.
    pub delayed: bool,
}

/// What is known where iterations start.
pub struct Context<'a> {
    /// What numbers are made of.
    pub definitions: &'a mut Definitions,
    /// What holds.
    pub known: &'a [Atom],
    /// What may be spent on finding out more.
    pub budget: &'a mut Budget,
}

impl Context<'_> {
    /// Whether conditions never hold together with what is known.
    fn never(&mut self, conditions: &[Atom]) -> bool {
        self.definitions.never(&[self.known, conditions], self.budget)
    }
}

/// What a condition does while iterations are made.
enum Course {
    /// It remains.
    Stays,
    /// Its number falls: the number at the start, and by how much.
    Falls(Polynomial, Integer),
    /// Its number changes by one that the iterations do not change, of which it is not known whether it is negative.
    Changes(Polynomial, Polynomial),
    /// It fails after the first iteration.
    FailsAtOnce,
    /// It is not known.
    Unclear,
}

impl Segment {
    /// The segment of a step.
    pub fn new(definitions: &Definitions, conditions: Vec<Atom>, updates: Values, partial: bool) -> Self {
        let form = ClosedForm::of(definitions, &updates);
        Self { conditions, updates, form, partial }
    }

    /// How iterations end that start with these values, on which the conditions hold.
    pub fn leave(&self, context: &mut Context<'_>, start: &Values) -> Leaves {
        let mut leaves = Leaves::default();
        let first = context.definitions.follow(start, &self.updates);
        let mut known: Vec<Atom> = Vec::new();
        let mut base = start.clone();
        let mut before = Polynomial::zero();
        if self.is_delayed(context, &first) {
            // The first iteration is examined by itself.
            leaves.delayed = true;
            for (place, atom) in self.conditions.iter().enumerate() {
                let here = atom.of(context.definitions, &first);
                for negated in here.negated() {
                    let conditions = [known.clone(), vec![negated]].concat();
                    if !context.never(&conditions) {
                        leaves.ways.push(Leave {
                            ends: Ends { condition: Some(place), at_once: true },
                            conditions,
                            iterations: Polynomial::constant(1),
                            after: first.clone(),
                        });
                    }
                }
                known.push(here);
            }
            if context.never(&known) {
                return leaves;
            }
            base = first;
            before = Polynomial::constant(1);
        }
        let next = context.definitions.follow(&base, &self.updates);
        let courses = self.conditions.iter().map(|atom| self.course(context, atom, &base, &next, &known));
        let courses: Vec<Course> = courses.collect();
        self.later(context.definitions, &base, &before, &known, &courses, &mut leaves);
        leaves
    }

    /// Whether the first iteration has to be examined by itself: closed forms are not right there, and a condition
    /// depends on it.
    fn is_delayed(&self, context: &mut Context<'_>, first: &Values) -> bool {
        self.form.delayed
            || self.conditions.iter().any(|atom| {
                let here = atom.of(context.definitions, first);
                self.is_late(context.definitions, &atom.number)
                    && !context.definitions.follows(&[context.known], &here, context.budget)
            })
    }

    /// Whether a number depends on variables that follow others one iteration behind.
    pub fn is_late(&self, definitions: &Definitions, number: &Polynomial) -> bool {
        definitions.variables(number).iter().any(|variable| self.form.late.contains(variable))
    }

    /// What a condition does in iterations from a base on, with what is known there, and the values after the first.
    fn course(
        &self,
        context: &mut Context<'_>,
        atom: &Atom,
        base: &Values,
        next: &Values,
        known: &[Atom],
    ) -> Course {
        let definitions = &mut *context.definitions;
        let steps = self.form.sequence(definitions, &atom.number).and_then(|sequence| sequence.steps());
        let steps = steps
            .map(|(first, step)| (definitions.substitute(&first, base), definitions.substitute(&step, base)));
        if let Some((first, step)) = &steps {
            match step.as_constant() {
                _ if step.is_zero() => return Course::Stays,
                Some(_) if atom.zero => return Course::FailsAtOnce,
                Some(step) if !step.is_negative() => return Course::Stays,
                Some(step) if step.is_integer() => return Course::Falls(first.clone(), (-step).numerator()),
                _ => {}
            }
        }
        let after = atom.of(definitions, next);
        if context.never(&[known, &[after]].concat()) {
            return Course::FailsAtOnce;
        }
        let (Some((first, step)), false) = (steps, atom.zero) else { return Course::Unclear };
        let falls = Atom::above(&Polynomial::zero(), &step);
        if context.never(&[known, &[falls]].concat()) { Course::Stays } else { Course::Changes(first, step) }
    }

    /// The ways to end after the state at the base.
    fn later(
        &self,
        definitions: &mut Definitions,
        base: &Values,
        before: &Polynomial,
        known: &[Atom],
        courses: &[Course],
        leaves: &mut Leaves,
    ) {
        let one = Polynomial::constant(1);
        if let Some(place) = courses.iter().position(|course| matches!(course, Course::FailsAtOnce)) {
            // Others may fail along with it: all that matters is that there is one iteration.
            let after = definitions.follow(base, &self.updates);
            let ends = Ends { condition: Some(place), at_once: true };
            leaves.ways.push(Leave { ends, conditions: known.to_vec(), iterations: before + &one, after });
            return;
        }
        let (mut falling, mut changing, mut partial) = (Vec::new(), Vec::new(), self.partial);
        for (place, course) in courses.iter().enumerate() {
            match course {
                Course::Falls(first, step) => falling.push((place, first, step)),
                Course::Changes(first, step) => changing.push((first, step)),
                Course::Unclear => partial = true,
                Course::Stays | Course::FailsAtOnce => {}
            }
        }
        if falling.is_empty() && !partial {
            let stay = changing.iter().map(|(_, step)| Atom { number: (*step).clone(), zero: false });
            leaves.never = Some(known.iter().cloned().chain(stay).collect());
            if changing.is_empty() {
                return;
            }
        }
        partial |= !changing.is_empty();
        let number = |first: &Polynomial, step: &Integer, iterations: &Polynomial| {
            first - &iterations.scaled(&logic::numbers::Rational::from(step))
        };
        if partial {
            let iterations = definitions.any();
            let mut conditions = known.to_vec();
            conditions.push(Atom::at_least(&iterations, &one));
            for (_, first, step) in &falling {
                conditions.push(Atom { number: number(first, step, &(&iterations - &one)), zero: false });
            }
            for (first, step) in &changing {
                let until = &(*first + &(*step * &iterations)) - step;
                conditions.push(Atom { number: until, zero: false });
            }
            if let ([(first, step)], [], false) = (&changing[..], &falling[..], self.partial) {
                // It is this condition that ends the iterations.
                conditions.push(Atom::above(&Polynomial::zero(), step));
                conditions.push(Atom::above(&Polynomial::zero(), &(*first + &(*step * &iterations))));
            }
            let after = self.after(definitions, base, &iterations);
            let ends = Ends { condition: None, at_once: false };
            leaves.ways.push(Leave { ends, conditions, iterations: before + &iterations, after });
            return;
        }
        for (place, first, step) in &falling {
            let iterations = &definitions.quotient(first, step) + &one;
            let mut conditions = known.to_vec();
            for (other, first, step) in &falling {
                let until = if other < place { iterations.clone() } else { &iterations - &one };
                if other != place {
                    conditions.push(Atom { number: number(first, step, &until), zero: false });
                }
            }
            let after = self.after(definitions, base, &iterations);
            let ends = Ends { condition: Some(*place), at_once: false };
            leaves.ways.push(Leave { ends, conditions, iterations: before + &iterations, after });
        }
    }

    /// What variables hold after iterations that start where the closed form is right; what is not understood can be
    /// anything.
    pub fn after(&self, definitions: &mut Definitions, base: &Values, iterations: &Polynomial) -> Values {
        let mut after = base.clone();
        for (variable, sequence) in &self.form.sequences {
            let number = sequence.at(definitions, base, iterations).unwrap_or_else(|| definitions.any());
            after.insert(*variable, number);
        }
        for (variable, turning) in &self.form.turning {
            after.insert(*variable, turning.at(definitions, *variable, base, iterations));
        }
        for variable in &self.form.unknown {
            after.insert(*variable, definitions.any());
        }
        after
    }
}
