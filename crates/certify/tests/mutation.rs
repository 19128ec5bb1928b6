//! Correct evidence with random mistakes: what the kernel still accepts must be true, as running every loop from every
//! state of four bits shows. The meaning of claims and loops is written here a second time, on plain numbers.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use evidence::expression::constant;
use evidence::{
    Comparison, Expression, Formula, Integer, Moment, Quantity, Ranking, Termination, WellFounded,
};
use loopscope_certify::Kind;
use support::meaning::Meaning;
use support::{Claim, LoopText, check, claim, read};

type State = Vec<i128>;

/// A loop that is run instead of proved about.
struct Machine {
    names: Vec<String>,
    kinds: Vec<Kind>,
    input_names: Vec<String>,
    inputs: Vec<State>,
    guard: Formula,
    initially: Formula,
    updates: Vec<Option<Expression>>,
    states: Vec<State>,
    /// The next states of each state, whatever the inputs, and whether the loop can be left there.
    graph: BTreeMap<State, (BTreeSet<State>, bool)>,
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
            initially: read(text.initially),
            graph: BTreeMap::new(),
        };
        for state in &machine.states {
            let steps: Vec<Option<State>> =
                machine.inputs.iter().map(|input| machine.step(state, input)).collect();
            let leaves = steps.iter().any(Option::is_none);
            machine.graph.insert(state.clone(), (steps.into_iter().flatten().collect(), leaves));
        }
        machine
    }

    fn step(&self, state: &[i128], input: &[i128]) -> Option<State> {
        let names: Vec<String> = self.names.iter().chain(&self.input_names).cloned().collect();
        let now: State = state.iter().chain(input).copied().collect();
        let meaning = Meaning { names: &names, entry: &[], now: &now, next: &[], passes: 0 };
        if !meaning.holds(&self.guard) {
            return None;
        }
        let part = |at: usize| {
            self.updates[at].as_ref().map_or(state[at], |update| wrap(self.kinds[at], meaning.number(update)))
        };
        Some((0..state.len()).map(part).collect())
    }

    fn meaning<'a>(&'a self, entry: &'a [i128], now: &'a [i128], passes: i128) -> Meaning<'a> {
        Meaning { names: &self.names, entry, now, next: now, passes }
    }

    fn nexts(&self, state: &State) -> &BTreeSet<State> {
        &self.graph[state].0
    }

    fn can_leave(&self, state: &State) -> bool {
        self.graph[state].1
    }

    fn entries(&self) -> impl Iterator<Item = &State> {
        self.states.iter().filter(|state| self.meaning(state, state, 0).holds(&self.initially))
    }

    /// Calls back for the states that are reached, with the number of passes, as long as there are new pairs of both up
    /// to more passes than there are states.
    fn reached(&self, entry: &State, visit: &mut dyn FnMut(&State, i128) -> bool) -> bool {
        let mut now = BTreeSet::from([entry.clone()]);
        for passes in 0..=self.states.len() as i128 + 5 {
            if !now.iter().all(|state| visit(state, passes)) {
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

    /// The most passes from each state, if there are no cycles.
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

    /// Whether a claim is true.
    fn is_true(&self, claim: &Claim) -> bool {
        match claim {
            Claim::Invariant(invariant) if invariant.established => self.entries().all(|entry| {
                self.reached(entry, &mut |state, passes| {
                    self.meaning(entry, state, passes).holds(&invariant.formula)
                })
            }),
            Claim::Invariant(invariant) => self.entries().all(|entry| {
                self.states.iter().all(|state| {
                    !self.meaning(entry, state, 0).holds(&invariant.formula)
                        || self
                            .nexts(state)
                            .iter()
                            .all(|next| self.meaning(entry, next, 0).holds(&invariant.formula))
                })
            }),
            Claim::Transition(invariant) => {
                // What is said of the entry must hold for any.
                let speaks = invariant.disjuncts.iter().any(|part| part.to_string().contains("entry("));
                let entries = if speaks { &self.states[..] } else { &self.states[..1] };
                let related = |entry: &State, first: &State, last: &State| {
                    let meaning = Meaning { names: &self.names, entry, now: first, next: last, passes: 0 };
                    invariant.disjuncts.iter().any(|disjunct| meaning.holds(disjunct))
                };
                self.states.iter().all(|first| {
                    self.reached(first, &mut |last, passes| {
                        passes == 0 || entries.iter().all(|entry| related(entry, first, last))
                    })
                })
            }
            Claim::Termination(_) => self.terminates(),
            Claim::Bound(bound) => {
                let Some(longest) = self.longest() else { return false };
                self.entries()
                    .all(|entry| longest[entry] <= self.meaning(entry, entry, 0).number(&bound.bound))
            }
            Claim::Closed(form) => self.states.iter().all(|start| {
                // Along the path only.
                let mut now = BTreeSet::from([start.clone()]);
                let limit =
                    form.passes.as_ref().map_or(300, |passes| i128::try_from(passes).expect("a small limit"));
                for passes in 0..=limit {
                    let right = now.iter().all(|state| {
                        form.updates.iter().all(|update| {
                            let held = self.meaning(&[], state, 0).number(&update.quantity.at(Moment::Now));
                            held == self.meaning(start, &[], passes).number(&update.value)
                        })
                    });
                    if !right {
                        return false;
                    }
                    let on_path = now.iter().filter(|state| self.meaning(&[], state, 0).holds(&form.path));
                    now = on_path.flat_map(|state| self.nexts(state)).cloned().collect();
                    if now.is_empty() {
                        break;
                    }
                }
                true
            }),
            Claim::Cases(cases) => self.entries().all(|entry| {
                let at_entry = self.meaning(entry, &[], 0);
                let applying: Vec<_> = cases.iter().filter(|case| at_entry.holds(&case.guard)).collect();
                let covered = !applying.is_empty();
                covered
                    && applying.into_iter().all(|case| {
                        let leaves_well = self.reached(entry, &mut |state, passes| {
                            !self.can_leave(state)
                                || case.effect.iter().all(|update| {
                                    let held =
                                        self.meaning(&[], state, 0).number(&update.quantity.at(Moment::Now));
                                    held == at_entry.number(&update.value)
                                }) && self.meaning(entry, state, 0).holds(&case.relation)
                                    && case
                                        .iterations
                                        .as_ref()
                                        .is_none_or(|many| at_entry.number(many) == passes)
                        });
                        let most = self.states.len() as i128;
                        leaves_well && (!case.exact || self.reached(entry, &mut |_, passes| passes <= most))
                    })
            }),
            Claim::Recurrent(recurrent) => {
                let held = |name: &String| {
                    let held = recurrent.state.iter().find(|held| held.quantity.to_string() == *name)?;
                    i128::try_from(&held.number).ok()
                };
                let Some(mut state) = self.names.iter().map(held).collect::<Option<State>>() else {
                    return false;
                };
                // More passes than there are states: a state came back, and the choice depends on the state alone.
                for _ in 0..=self.states.len() {
                    let meaning = self.meaning(&[], &state, 0);
                    let kinds = values(Kind::Machine { width: 4, signed: true });
                    let chosen: State =
                        recurrent.choices.iter().map(|choice| meaning.number(choice)).collect();
                    // The inputs of these loops are all of four bits with a sign.
                    let chosen: State = chosen
                        .into_iter()
                        .map(|number| (number - kinds.start()).rem_euclid(16) + kinds.start())
                        .collect();
                    match self.step(&state, &chosen) {
                        Some(next) => state = next,
                        None => return false,
                    }
                }
                true
            }
            Claim::Fact(fact) => self.entries().all(|entry| {
                self.reached(entry, &mut |state, _| {
                    !self.can_leave(state) || self.meaning(entry, state, 0).holds(&fact.formula)
                })
            }),
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

    fn claim(&mut self, claim: &mut Claim) {
        match claim {
            Claim::Invariant(invariant) => self.formula(&mut invariant.formula),
            Claim::Fact(fact) => self.formula(&mut fact.formula),
            Claim::Transition(invariant) => {
                invariant.disjuncts.iter_mut().for_each(|part| self.formula(part))
            }
            Claim::Termination(Termination::Ranking(ranking)) => match ranking {
                Ranking::Linear(rank) => self.expression(rank),
                Ranking::Lexicographic(ranks) | Ranking::Multiphase(ranks) | Ranking::Nested(ranks) => {
                    if self.here() && ranks.len() > 1 {
                        ranks.swap_remove(0);
                    }
                    ranks.iter_mut().for_each(|rank| self.expression(rank));
                }
            },
            Claim::Termination(Termination::Disjunctive { invariant, arguments }) => {
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
            Claim::Bound(bound) => {
                self.expression(&mut bound.bound);
                self.expression(&mut bound.rank);
            }
            Claim::Closed(form) => {
                self.formula(&mut form.path);
                if self.here()
                    && let Some(passes) = &mut form.passes
                {
                    *passes += Integer::from(3);
                }
                form.updates.iter_mut().for_each(|update| self.expression(&mut update.value));
            }
            Claim::Cases(cases) => {
                if self.here() && cases.len() > 1 {
                    cases.swap_remove(0);
                }
                for case in cases {
                    self.formula(&mut case.guard);
                    self.formula(&mut case.invariant);
                    self.formula(&mut case.relation);
                    case.iterations.iter_mut().for_each(|many| self.expression(many));
                    case.effect.iter_mut().for_each(|update| self.expression(&mut update.value));
                    if self.here() {
                        case.exact = !case.exact;
                    }
                }
            }
            Claim::Recurrent(recurrent) => {
                self.formula(&mut recurrent.set);
                recurrent.choices.iter_mut().for_each(|choice| self.expression(choice));
                for held in &mut recurrent.state {
                    if self.here() {
                        self.number(&mut held.number);
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
    (LoopText { variables, initially, guard, updates }, claims)
}

const TABLE: &[(LoopText, &[&str])] = &[
    of(
        "i:s4 n:s4",
        "i == 0",
        "i < n",
        "i = i + 1",
        &[
            "always: (i <= n || i == 0) && i >= 0",
            "always: i == #passes && i <= max(n, 0) && n == entry(n)",
            "ranking: n - i - 1",
            "transition: i' > i && n' == n",
            "terminates: i' > i && i < n && n' == n by rank n - i",
            "bound: max(0, entry(n)) by n - i",
            "closed: true -> i = entry(i) + #passes; n = entry(n)",
            "cases: entry(n) <= 0 => i == 0 && #passes == 0 && n == entry(n) => i = 0; n = entry(n) => true => 0 exactly \
             else entry(n) > 0 => i == #passes && i <= n && n == entry(n) => i = entry(n); n = entry(n) => i == n \
             => entry(n) exactly",
        ],
    ),
    of(
        "x:u4",
        "true",
        "x != 0",
        "x = x - 1",
        &[
            "ranking: x",
            "bound: entry(x) by x",
            "closed: true -> x = entry(x) - #passes",
            "at exit: x == 0",
            "cases: true => x == entry(x) - #passes && #passes <= entry(x) => x = 0 => true => entry(x) exactly",
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
            "closed: x < 15 -> x = entry(x) + #passes",
            "preserved: x >= 10 || x == 0",
            "bound: if(entry(x) >= 10, 16 - entry(x), 0) by if(x >= 10, 16 - x, 0)",
        ],
    ),
    of(
        "x:u4 y:u4",
        "true",
        "y != 0",
        "x = x + 3; y = y - 1",
        &[
            "closed: true -> x = (entry(x) + 3 * #passes) % 16; y = entry(y) - #passes",
            "closed: x <= 12 -> x = entry(x) + 3 * #passes; y = entry(y) - #passes",
            "lexicographic: y; x",
            "always: y <= entry(y)",
        ],
    ),
    of(
        "x:u4",
        "x == 1",
        "x < 8",
        "x = x * 2",
        &["closed: true -> x = entry(x) * 2 ** #passes up to 3", "always: x >= 1 && x <= 14"],
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
        &[
            "always: x == y",
            "always: x == y && x == #passes && x <= 7",
            "at exit: x >= 7",
            "transition: x' > x",
        ],
    ),
    of(
        "x:s4 y:s4",
        "true",
        "x >= 0 && y < 7 && x < 4 && y > -4",
        "x = x + y; y = y - 1",
        &["multiphase: y + 4; x + 1", "nested: y + 4; x + y * 0 + 1", "lexicographic: y + 4"],
    ),
    of(
        "i:u4 s:s8",
        "i == 0 && s == 0",
        "i < 12",
        "s = s + i; i = i + 1",
        &[
            "closed: s <= 100 -> i = entry(i) + #passes; \
             s = entry(s) + entry(i) * #passes + #passes * (#passes - 1) / 2",
            "bound: 12 by 12 - i",
        ],
    ),
    of(
        "x:u4 y:u4",
        "true",
        "x != y",
        "x = if(x > y, x - y, x); y = if(x > y, y, y - x)",
        &[
            "preserved: x > 0 && y > 0",
            "transition: x' <= x && y' <= y",
            "preserved: x <= y || x > 0 && x <= 15",
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

#[test]
fn what_is_accepted_is_true() {
    let mut random = fastrand::Rng::with_seed(7);
    let rounds: usize = std::env::var("MUTANTS").ok().and_then(|text| text.parse().ok()).unwrap_or(30);
    let (mut tried, mut accepted, mut were_false) = (0, 0, 0);
    for (text, claims) in TABLE {
        let machine = Machine::new(text);
        for written in *claims {
            let right = claim(written);
            assert!(machine.is_true(&right), "{text:?}\n{written} is not true");
            if let Err(refusal) = check(text, &right) {
                panic!("{text:?}\n{written}\n{refusal}");
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
                let is_certified = check(&other, &mutant).is_ok();
                // Some mutants have no meaning at all: those are not run.
                let is_true = is_certified && Machine::new(&other).is_true(&mutant);
                assert!(is_true || !is_certified, "{other:?}\n{written}\naccepted: {mutant:?}");
                accepted += usize::from(is_certified);
                were_false += usize::from(!is_certified);
            }
        }
    }
    println!("{tried} mutants, {accepted} accepted and true, {were_false} refused");
    assert!(accepted * 10 > tried && were_false * 10 > tried, "the mutants show nothing");
}
