//! Correct evidence with random mistakes: what the kernel still accepts must be true, as running every loop from every
//! state of four bits shows. The meaning of claims and loops is written here a second time, on plain numbers.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use evidence::expression::constant;
use evidence::{
    Comparison, Expression, Formula, Integer, Moment, Quantity, Ranking, Termination, WellFounded,
};
use program::interpret::Integers;
use support::claims::{Claim, Form, claim};
use support::kernel::{Certified, arrivals, check};
use support::meaning::Meaning;
use support::{After, Kind, LoopText, read};

type State = Vec<i128>;

/// A loop that is run instead of proved about.
struct Machine {
    names: Vec<String>,
    kinds: Vec<Kind>,
    input_names: Vec<String>,
    inputs: Vec<State>,
    guard: Formula,
    breaks: Formula,
    initially: Formula,
    updates: Vec<Option<Expression>>,
    states: Vec<State>,
    /// The next states of each state, whatever the inputs, and with which iterations on top the loop can be left there.
    graph: BTreeMap<State, (BTreeSet<State>, BTreeSet<i128>)>,
}

fn values(kind: Kind) -> std::ops::RangeInclusive<i128> {
    match kind {
        Kind::Machine { width, signed: true } => -(1 << (width - 1))..=(1 << (width - 1)) - 1,
        Kind::Machine { width, signed: false } => 0..=(1 << width) - 1,
        other => panic!("no small kind: {other:?}"),
    }
}

fn wrap(kind: Kind, number: i128) -> i128 {
    let range = values(kind);
    let size = range.end() - range.start() + 1;
    (number - range.start()).rem_euclid(size) + range.start()
}

fn product(kinds: &[Kind]) -> Vec<State> {
    kinds.iter().fold(vec![Vec::new()], |states, kind| {
        let longer = |state: &State| {
            let state = state.clone();
            values(*kind).map(move |value| state.iter().copied().chain([value]).collect())
        };
        states.iter().flat_map(longer).collect()
    })
}

impl Machine {
    fn new(text: &LoopText) -> Self {
        let (inputs, parts): (Vec<_>, Vec<_>) =
            text.variables().into_iter().partition(|variable| variable.input);
        let kinds: Vec<Kind> = parts.iter().map(|part| part.kind).collect();
        let given = text.updates();
        let update =
            |name: &String| given.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let names: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
        let mut machine = Self {
            updates: names.iter().map(update).collect(),
            states: product(&kinds),
            names,
            kinds,
            input_names: inputs.iter().map(|input| input.name.clone()).collect(),
            inputs: product(&inputs.iter().map(|input| input.kind).collect::<Vec<_>>()),
            guard: read(text.guard),
            breaks: read(text.breaks),
            initially: read(text.initially),
            graph: BTreeMap::new(),
        };
        for state in &machine.states {
            let steps: Vec<Result<State, i128>> =
                machine.inputs.iter().map(|input| machine.step(state, input)).collect();
            let leaves = steps.iter().filter_map(|step| step.as_ref().err().copied()).collect();
            machine.graph.insert(state.clone(), (steps.into_iter().flatten().collect(), leaves));
        }
        machine
    }

    /// The state after a complete iteration, or the iterations that the last visit of the head begins.
    fn step(&self, state: &[i128], input: &[i128]) -> Result<State, i128> {
        let names: Vec<String> = self.names.iter().chain(&self.input_names).cloned().collect();
        let now: State = state.iter().chain(input).copied().collect();
        let meaning = Meaning { names: &names, entry: &[], now: &now, next: &[], iterations: 0 };
        if !meaning.holds(&self.guard) {
            return Err(0);
        }
        if meaning.holds(&self.breaks) {
            return Err(1);
        }
        let part = |at: usize| {
            self.updates[at].as_ref().map_or(state[at], |update| wrap(self.kinds[at], meaning.number(update)))
        };
        Ok((0..state.len()).map(part).collect())
    }

    fn meaning<'a>(&'a self, entry: &'a [i128], now: &'a [i128], iterations: i128) -> Meaning<'a> {
        Meaning { names: &self.names, entry, now, next: now, iterations }
    }

    fn nexts(&self, state: &State) -> &BTreeSet<State> {
        &self.graph[state].0
    }

    fn can_leave(&self, state: &State) -> bool {
        !self.graph[state].1.is_empty()
    }

    /// Whether the number of iterations is right wherever the loop can be left, and no run makes more of them.
    fn makes(&self, entry: &State, total: i128, exact: bool) -> bool {
        self.reached(entry, &mut |state, iterations| {
            let ends = &self.graph[state].1;
            iterations <= total
                && ends
                    .iter()
                    .all(|last| iterations + last <= total && (!exact || iterations + last == total))
        })
    }

    /// Whether a formula holds wherever the loop is left.
    fn at_exit(&self, formula: &Formula) -> bool {
        self.entries().all(|entry| {
            self.reached(entry, &mut |state, _| {
                !self.can_leave(state) || self.meaning(entry, state, 0).holds(formula)
            })
        })
    }

    fn entries(&self) -> impl Iterator<Item = &State> {
        self.states.iter().filter(|state| self.meaning(state, state, 0).holds(&self.initially))
    }

    /// Calls back for the states that are reached, with the number of complete iterations, as long as there are new
    /// pairs of both up to more complete iterations than there are states.
    fn reached(&self, entry: &State, visit: &mut dyn FnMut(&State, i128) -> bool) -> bool {
        let mut now = BTreeSet::from([entry.clone()]);
        for iterations in 0..=self.states.len() as i128 + 5 {
            if !now.iter().all(|state| visit(state, iterations)) {
                return false;
            }
            now = now.iter().flat_map(|state| self.nexts(state)).cloned().collect();
            if now.is_empty() {
                break;
            }
        }
        true
    }

    /// Whether no state can be reached from itself.
    fn terminates(&self) -> bool {
        self.longest().is_some()
    }

    /// The most complete iterations from each state, if there are no cycles.
    fn longest(&self) -> Option<BTreeMap<State, i128>> {
        let mut longest: BTreeMap<State, i128> = BTreeMap::new();
        let mut left: Vec<&State> = self.states.iter().collect();
        while !left.is_empty() {
            let before = left.len();
            left.retain(|state| {
                let nexts = self.nexts(state);
                let known: Option<Vec<i128>> = nexts.iter().map(|next| longest.get(next).copied()).collect();
                let Some(known) = known else { return true };
                longest.insert((*state).clone(), known.into_iter().max().map_or(0, |most| most + 1));
                false
            });
            if left.len() == before {
                return None;
            }
        }
        Some(longest)
    }

    /// Whether a claim is true that the kernel has certified.
    fn is_true(&self, claim: &Claim, certified: &Certified) -> bool {
        match &claim.form {
            Form::Always(formula) => self.entries().all(|entry| {
                self.reached(entry, &mut |state, _| self.meaning(entry, state, 0).holds(formula))
            }),
            Form::Preserved(formula) => self.entries().all(|entry| {
                !self.meaning(entry, entry, 0).holds(formula)
                    || self.reached(entry, &mut |state, _| self.meaning(entry, state, 0).holds(formula))
            }),
            Form::Transition(disjuncts) => self.entries().all(|first| {
                self.reached(first, &mut |last, _| {
                    let meaning =
                        Meaning { names: &self.names, entry: &[], now: first, next: last, iterations: 0 };
                    first == last || disjuncts.iter().any(|disjunct| meaning.holds(disjunct))
                })
            }),
            Form::Entry(formula) => self.entries().all(|entry| self.meaning(entry, entry, 0).holds(formula)),
            Form::Exit(formula) | Form::Asserts(formula) => self.at_exit(formula),
            Form::Never(formula) => self.at_exit(&!formula.clone()),
            Form::Ends(_) => self.terminates(),
            Form::Bound { .. } => {
                let (total, exact) = certified.total.as_ref().expect("a bound has a total");
                self.entries()
                    .all(|entry| self.makes(entry, self.meaning(entry, entry, 0).number(total), *exact))
            }
            Form::Cases(cases) => self.entries().all(|entry| {
                let at_entry = self.meaning(entry, entry, 0);
                let applying: Vec<_> = cases.iter().filter(|(case, _)| at_entry.holds(&case.guard)).collect();
                !applying.is_empty()
                    && applying.into_iter().all(|(case, made)| {
                        let leaves_well = self.reached(entry, &mut |state, _| {
                            let has = |update: &evidence::Update| {
                                let held =
                                    self.meaning(&[], state, 0).number(&update.quantity.at(Moment::Now));
                                held == self.meaning(entry, state, 0).number(&update.value)
                            };
                            !self.can_leave(state)
                                || case.effect.iter().all(has)
                                    && self.meaning(entry, state, 0).holds(&case.relation)
                        });
                        let total = case.iterations.as_ref().filter(|_| made.is_some());
                        leaves_well
                            && total.is_none_or(|total| self.makes(entry, at_entry.number(total), true))
                    })
            }),
            Form::Recurrent { choices, state, .. } => {
                let held = |name: &String| state.iter().find(|(known, _)| known == name).map(|held| held.1);
                let Some(mut state) = self.names.iter().map(held).collect::<Option<State>>() else {
                    return false;
                };
                state = state.iter().zip(&self.kinds).map(|(&number, &kind)| wrap(kind, number)).collect();
                // More complete iterations than there are states: a state came back, and the choice depends on the
                // state alone.
                for _ in 0..=self.states.len() {
                    let meaning = self.meaning(&[], &state, 0);
                    // The inputs of these loops are all of four bits with a sign.
                    let kind = Kind::Machine { width: 4, signed: true };
                    let chosen: State =
                        choices.iter().map(|choice| wrap(kind, meaning.number(choice))).collect();
                    match self.step(&state, &chosen) {
                        Ok(next) => state = next,
                        Err(_) => return false,
                    }
                }
                true
            }
        }
    }
}

/// Makes a mistake somewhere in a claim.
struct Mutation<'a> {
    random: &'a mut fastrand::Rng,
    names: &'a [String],
    /// The place at which the mistake is made, counted down.
    left: usize,
    /// Whether there is more than one moment to speak of.
    moments: bool,
}

impl Mutation<'_> {
    fn here(&mut self) -> bool {
        let here = self.left == 0;
        self.left = self.left.wrapping_sub(1);
        here
    }

    fn number(&mut self, number: &mut Integer) {
        let change = [1, -1, 2, -2, 8, -8, 16][self.random.usize(0..7)];
        *number = match self.random.u8(0..4) {
            0 => -number.clone(),
            _ => number.clone() + change,
        };
    }

    fn expression(&mut self, expression: &mut Expression) {
        if self.here() {
            return self.change(expression);
        }
        match expression {
            Expression::Sum(parts)
            | Expression::Product(parts)
            | Expression::Minimum(parts)
            | Expression::Maximum(parts) => parts.iter_mut().for_each(|part| self.expression(part)),
            Expression::Quotient { dividend, .. } | Expression::Remainder { dividend, .. } => {
                self.expression(dividend)
            }
            Expression::Select { condition, then, otherwise } => {
                self.formula(condition);
                self.expression(then);
                self.expression(otherwise);
            }
            _ => {}
        }
    }

    fn change(&mut self, expression: &mut Expression) {
        let name = &self.names[self.random.usize(0..self.names.len())];
        match expression {
            Expression::Constant(number) => self.number(number),
            Expression::Quantity { quantity, moment } => match self.random.u8(0..3) {
                0 => *quantity = Quantity::value(name.as_str()),
                1 if self.moments => {
                    *moment = [Moment::Entry, Moment::Now, Moment::Next][self.random.usize(0..3)]
                }
                _ => *expression = expression.clone() + [1, -1][self.random.usize(0..2)],
            },
            Expression::Sum(parts) if self.random.bool() => *expression = Expression::Product(parts.clone()),
            Expression::Product(parts) if self.random.bool() => *expression = Expression::Sum(parts.clone()),
            Expression::Minimum(parts) => *expression = Expression::Maximum(parts.clone()),
            Expression::Maximum(parts) => *expression = Expression::Minimum(parts.clone()),
            Expression::Quotient { divisor, .. } | Expression::Remainder { divisor, .. } => {
                *divisor += Integer::ONE
            }
            Expression::Select { then, otherwise, .. } => std::mem::swap(then, otherwise),
            other => *other = other.clone() + constant([1, -1, 2][self.random.usize(0..3)]),
        }
    }

    fn formula(&mut self, formula: &mut Formula) {
        if self.here() {
            *formula = match std::mem::replace(formula, Formula::True) {
                Formula::All(mut parts) if parts.len() > 1 && self.random.bool() => {
                    parts.remove(self.random.usize(0..parts.len()));
                    Formula::All(parts)
                }
                Formula::All(parts) => Formula::Any(parts),
                Formula::Any(mut parts) if parts.len() > 1 && self.random.bool() => {
                    parts.remove(self.random.usize(0..parts.len()));
                    Formula::Any(parts)
                }
                Formula::Any(parts) => Formula::All(parts),
                Formula::Compare { left, right, .. } => {
                    left.compare(Comparison::ALL[self.random.usize(0..6)], right)
                }
                Formula::True => Formula::False,
                other => !other,
            };
            return;
        }
        match formula {
            Formula::Compare { left, right, .. } => {
                self.expression(left);
                self.expression(right);
            }
            Formula::Not(inner) => self.formula(inner),
            Formula::All(parts) | Formula::Any(parts) => parts.iter_mut().for_each(|part| self.formula(part)),
            Formula::Every { body, .. } => self.formula(body),
            Formula::True | Formula::False => {}
        }
    }

    fn termination_argument(&mut self, argument: &mut Termination) {
        match argument {
            Termination::Ranking(Ranking::Linear(rank)) => self.expression(rank),
            Termination::Ranking(
                Ranking::Lexicographic(ranks) | Ranking::Multiphase(ranks) | Ranking::Nested(ranks),
            ) => {
                if self.here() && ranks.len() > 1 {
                    ranks.swap_remove(0);
                }
                ranks.iter_mut().for_each(|rank| self.expression(rank));
            }
            Termination::Disjunctive { invariant, arguments } => {
                if self.here() {
                    arguments.reverse();
                }
                invariant.disjuncts.iter_mut().for_each(|part| self.formula(part));
                for argument in arguments {
                    if let WellFounded::Ranking(rank) = argument {
                        self.expression(rank);
                    }
                }
            }
        }
    }

    fn claim(&mut self, claim: &mut Claim) {
        if self.here() {
            claim.given.pop();
        }
        match &mut claim.form {
            Form::Always(formula)
            | Form::Preserved(formula)
            | Form::Entry(formula)
            | Form::Exit(formula)
            | Form::Asserts(formula)
            | Form::Never(formula) => self.formula(formula),
            Form::Transition(disjuncts) => disjuncts.iter_mut().for_each(|part| self.formula(part)),
            Form::Ends(argument) => self.termination_argument(argument),
            Form::Bound { evidence, within } => {
                for spent in &mut evidence.components {
                    self.expression(&mut spent.rank);
                    if self.here() {
                        self.number(&mut spent.stride);
                    }
                    for raise in &mut spent.raised {
                        self.expression(&mut raise.most);
                        if self.here() {
                            raise.afresh = !raise.afresh;
                        }
                    }
                }
                within.iter_mut().flatten().for_each(|bound| self.expression(bound));
            }
            Form::Cases(cases) => {
                if self.here() && cases.len() > 1 {
                    cases.swap_remove(0);
                }
                for (case, made) in cases {
                    self.formula(&mut case.guard);
                    self.formula(&mut case.invariant);
                    self.formula(&mut case.relation);
                    case.iterations.iter_mut().for_each(|many| self.expression(many));
                    made.iter_mut().for_each(|many| self.expression(many));
                    case.effect.iter_mut().for_each(|update| self.expression(&mut update.value));
                }
            }
            Form::Recurrent { set, choices, state } => {
                self.formula(set);
                choices.iter_mut().for_each(|choice| self.expression(choice));
                for (_, number) in state {
                    if self.here() {
                        *number += [1, -1, 2, -2][self.random.usize(0..4)];
                    }
                }
            }
        }
    }
}

const fn of(
    variables: &'static str,
    initially: &'static str,
    guard: &'static str,
    updates: &'static str,
    claims: &'static [&'static str],
) -> (LoopText, &'static [&'static str]) {
    (LoopText { variables, initially, guard, breaks: "false", updates }, claims)
}

const TABLE: &[(LoopText, &[&str])] = &[
    of(
        "i:s4 n:s4",
        "i == 0",
        "i < n",
        "i = i + 1",
        &[
            "always: (i <= n || i == 0) && i >= 0",
            "ranking: n - i - 1",
            "transition: i' > i && n' == n",
            "terminates: i' > i && i < n && n' == n by rank n - i",
            "bound: n - i within max(0, entry(n))",
            "bound: n - i",
            "at exit: i == n || n < 0 given i <= n || i == 0",
            "asserts: i >= 0 given i >= 0",
            "never: i > n && n >= 0 given i <= n || i == 0",
            "cases: entry(n) <= 0 => i == 0 && n == entry(n) => i = 0; n = entry(n) => true => 0 of 0 \
             else entry(n) > 0 => i >= 0 && i <= n && n == entry(n) => i = entry(n); n = entry(n) => i == n \
             => i of entry(n)",
        ],
    ),
    of(
        "x:u4",
        "true",
        "x != 0",
        "x = x - 1",
        &[
            "ranking: x",
            "bound: x within entry(x)",
            "at exit: x == 0",
            "asserts: x == 0",
            "never: x != 0",
            "cases: true => x <= entry(x) => x = 0 => true => entry(x) - x of entry(x)",
            "terminates: x' < x by order",
        ],
    ),
    of(
        "x:u4",
        "true",
        "x >= 10",
        "x = x + 1",
        &[
            "ranking: if(x >= 10, 16 - x, 0)",
            "terminates: x' > x && x >= 10 by order; x' < 10 && x >= 10 by rank x - 10",
            "preserved: x >= 10 || x == 0",
            "bound: if(x >= 10, 16 - x, 0) within if(entry(x) >= 10, 16 - entry(x), 0)",
        ],
    ),
    // A closed form as a loop invariant: k counts the complete iterations.
    of(
        "x:u4 y:u4 k:u8",
        "k == 0",
        "y != 0",
        "x = x + 3; y = y - 1; k = k + 1",
        &[
            "always: y == entry(y) - k && x == (entry(x) + 3 * k) % 16 && k <= entry(y)",
            "at exit: k == entry(y) given y == entry(y) - k",
            "lexicographic: y; x",
            "always: y <= entry(y)",
            "bound: y",
        ],
    ),
    of(
        "x:u4",
        "x == 1",
        "x < 8",
        "x = x * 2",
        &["always: x >= 1 && x <= 14", "at entry: x == 1 && entry(x) == x"],
    ),
    of(
        "x:s4 y:s4 ?a:s4",
        "true",
        "x > 0 && y > 0 && a >= 0",
        "x = if(a == 0, x - 1, x); y = if(a == 0, a + 7, y - 1)",
        &[
            "lexicographic: x; y",
            "terminates: x' < x && x > 0 by rank x; x' <= x && y' < y && y > 0 by rank y",
            "transition: x' < x || y' < y && x' == x",
            "bound: x; y plus 7 by 0",
        ],
    ),
    of(
        "x:s4 ?a:s4",
        "true",
        "x < 5 && a < 4",
        "x = x + a",
        &["recurrent: x < 5 choosing 0 at x = 3", "recurrent: x == 2 || x == 1 choosing 3 - 2 * x at x = 1"],
    ),
    of(
        "x:s4",
        "true",
        "x > 0",
        "x = x + 1 - 2 * (x % 2)",
        &["recurrent: x >= 2 && x <= 7 at x = 4", "preserved: x >= 2 || x == 0"],
    ),
    of(
        "x:s4 y:s4",
        "x == 0 && y == 0",
        "x < 7",
        "x = x + 1; y = y + 1",
        &["always: x == y", "always: x == y && x <= 7", "at exit: x >= 7", "bound: 7 - x"],
    ),
    of(
        "x:s4 y:s4",
        "true",
        "x >= 0 && y < 7 && x < 4 && y > -4",
        "x = x + y; y = y - 1",
        &["multiphase: y + 4; x + 1", "nested: y + 4; x + y * 0 + 1", "lexicographic: y + 4"],
    ),
    of(
        "x:u4 y:u4",
        "true",
        "x != y",
        "x = if(x > y, x - y, x); y = if(x > y, y, y - x)",
        &["preserved: x > 0 && y > 0", "transition: x' <= x && y' <= y"],
    ),
    // Left from within the body: one iteration more than there are complete ones.
    (
        LoopText {
            variables: "i:s4 n:s4",
            initially: "i == 0 && n >= 0",
            guard: "i <= n",
            breaks: "i == n",
            updates: "i = i + 1",
        },
        &[
            "at exit: i == n given i <= n",
            "bound: n - i + 1",
            "bound: n - i within entry(n)",
            "cases: true => i >= 0 && i <= n && n == entry(n) => i = entry(n) => true => i of entry(n) + 1",
        ],
    ),
];

/// Makes a mistake in one of the places that a change visits.
fn mistake(
    random: &mut fastrand::Rng,
    names: &[String],
    moments: bool,
    mut visit: impl FnMut(&mut Mutation<'_>),
) {
    // Counting down from the greatest number makes no mistake, and tells how many places there are.
    let mut count = Mutation { random, names, left: usize::MAX, moments };
    visit(&mut count);
    let places = usize::MAX - count.left;
    let left = random.usize(0..places);
    visit(&mut Mutation { random, names, left, moments });
}

/// Another loop, of which the claims may not be true.
fn other_loop(random: &mut fastrand::Rng, text: &LoopText, names: &[String]) -> LoopText {
    let mut guard: Formula = read(text.guard);
    let mut updates = text.updates();
    mistake(random, names, false, |mutation| {
        mutation.formula(&mut guard);
        updates.iter_mut().for_each(|(_, value)| mutation.expression(value));
    });
    let updates: Vec<String> = updates.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    // A few small texts of a test may stay for ever.
    LoopText { guard: guard.to_string().leak(), updates: updates.join("; ").leak(), ..text.clone() }
}

/// Whether runs of the program go through the states of the machine, from some states at entry.
fn agrees(random: &mut fastrand::Rng, text: &LoopText, machine: &Machine) {
    let program = text.program(&After::Nothing);
    let entries: Vec<&State> = machine.entries().collect();
    for _ in 0..4.min(entries.len()) {
        let entry = entries[random.usize(0..entries.len())];
        let chosen: Vec<&State> =
            (0..6).map(|_| &machine.inputs[random.usize(0..machine.inputs.len())]).collect();
        let inputs: Vec<i128> = entry.iter().chain(chosen.iter().copied().flatten()).copied().collect();
        let run = arrivals(&program, Integers::Machine, &inputs, chosen.len());
        let mut state = Some(entry.clone());
        for (at, reached) in run.iter().enumerate() {
            let held: State = reached.numbers.values().take(entry.len()).copied().collect();
            assert_eq!(Some(&held), state.as_ref(), "{text:?}");
            state = machine.step(&held, chosen[at]).ok();
        }
        assert!(run.len() == chosen.len() || state.is_none(), "{text:?}");
    }
}

#[test]
fn what_is_accepted_is_true() {
    let mut random = fastrand::Rng::with_seed(7);
    let rounds: usize = std::env::var("MUTANTS").ok().and_then(|text| text.parse().ok()).unwrap_or(30);
    let (mut tried, mut accepted, mut refused) = (0, 0, 0);
    for (text, claims) in TABLE {
        let machine = Machine::new(text);
        agrees(&mut random, text, &machine);
        for written in *claims {
            let right = claim(written);
            match check(text, &right) {
                Ok(certified) => {
                    assert!(machine.is_true(&right, &certified), "{text:?}\n{written} is not true");
                }
                Err(why) => panic!("{text:?}\n{written}\n{why}"),
            }
            for _ in 0..rounds {
                let mut mutant = right.clone();
                let in_loop = random.bool();
                let other =
                    if in_loop { other_loop(&mut random, text, &machine.names) } else { text.clone() };
                for _ in usize::from(in_loop)..random.usize(1..3) {
                    mistake(&mut random, &machine.names, true, |mutation| mutation.claim(&mut mutant));
                }
                tried += 1;
                // Some mutants have no meaning at all: those are not run.
                let Ok(certified) = check(&other, &mutant) else {
                    refused += 1;
                    continue;
                };
                let machine = Machine::new(&other);
                agrees(&mut random, &other, &machine);
                let is_true = machine.is_true(&mutant, &certified);
                assert!(is_true, "{other:?}\n{written}\naccepted: {mutant:?}\n{certified:?}");
                accepted += 1;
            }
        }
    }
    println!("{tried} mutants, {accepted} accepted and true, {refused} refused");
    assert!(accepted * 10 > tried && refused * 10 > tried, "the mutants show nothing");
}
