//! Loops and claims as short text, for the tests of the kernel.
#![allow(dead_code)] // Each test uses its part.

pub mod meaning;

use base::Budget;
use evidence::{
    Bound, Case, ClosedForm, Expression, Fact, FactPlace, Formula, Held, Integer, Invariant, Quantity,
    Ranking, RecurrentSet, Termination, TransitionInvariant, Update, WellFounded,
};
use logic::solver::Embedded;
use logic::{Solver, Term, Terms};
use loopscope_certify as certify;
use loopscope_certify::wide::{self, Scope};
use loopscope_certify::{Certificate, Component, Kind, Refusal, Relation};

/// A loop `while (guard) updates` with all updates at once; the state is unchanged when it is left.
#[derive(Clone, Debug)]
pub struct LoopText {
    /// `i:s4 n:u8 x:z b:bool`, inputs with a question mark before: `?a:s4`.
    pub variables: &'static str,
    /// What holds at entry.
    pub initially: &'static str,
    /// When a pass is made.
    pub guard: &'static str,
    /// `i = i + 1; x = a`: numbers of ℤ that are cut to the variable's type.
    pub updates: &'static str,
}

/// A variable of a loop.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub kind: Kind,
    pub input: bool,
}

impl LoopText {
    pub fn variables(&self) -> Vec<Variable> {
        let variable = |text: &str| {
            let (name, kind) = text.split_once(':').expect("a variable is name:kind");
            let kind = match kind.split_at(1) {
                ("z", "") => Kind::Mathematical,
                ("b", "ool") => Kind::Boolean,
                ("s", width) => Kind::Machine { width: width.parse().expect("a width"), signed: true },
                ("u", width) => Kind::Machine { width: width.parse().expect("a width"), signed: false },
                other => panic!("no kind: {other:?}"),
            };
            let input = name.starts_with('?');
            Variable { name: name.trim_start_matches('?').to_owned(), kind, input }
        };
        self.variables.split_whitespace().map(variable).collect()
    }

    pub fn updates(&self) -> Vec<(String, Expression)> {
        list(self.updates).map(|(name, value)| (name.to_owned(), read(value))).collect()
    }

    /// The relation that the kernel gets.
    pub fn relation(&self, terms: &mut Terms) -> Relation {
        let variables = self.variables();
        let component = |variable: &Variable| Component {
            quantity: Quantity::value(variable.name.as_str()),
            kind: variable.kind,
        };
        let state: Vec<Component> =
            variables.iter().filter(|variable| !variable.input).map(component).collect();
        let all: Vec<Component> = variables.iter().map(component).collect();
        let mut relation = Relation::new(terms, "the loop", state.clone()).expect("the names differ");
        // Inputs are named in the text like variables: a scope with both reads it.
        let wider = Relation::new(terms, "state and inputs", all).expect("the names differ");
        let mut values = Vec::new();
        for variable in &variables {
            values.push(match variable.input {
                true => relation.input(terms, &variable.name, variable.kind.sort()),
                false => relation.variable(&variable.name),
            });
        }
        let scope = Scope { entry: None, ..Scope::head(&wider).with_now(&values) };
        let continues = wide::formula(terms, &scope, &read(self.guard)).expect("the guard is a formula");
        let initially = wide::formula(terms, &scope, &read(self.initially)).expect("a formula");
        let updates = self.updates();
        let mut after = Vec::new();
        for component in &state {
            let update = updates.iter().find(|(name, _)| *name == component.quantity.to_string());
            after.push(match update {
                None => relation.variable(component.quantity.variable.as_str()),
                Some((_, value)) => cut(terms, &scope, value, component.kind),
            });
        }
        let stops = terms.not(continues);
        let outside = relation.before().to_vec();
        relation.set_pass(terms, continues, after).expect("the pass is over the state and the inputs");
        relation.add_exit(terms, stops, outside).expect("the exit is over the state and the inputs");
        relation.set_initially(terms, initially).expect("the entry is over the state");
        relation
    }
}

fn cut(terms: &mut Terms, scope: &Scope<'_>, value: &Expression, kind: Kind) -> Term {
    let number = wide::expression(terms, scope, value).expect("the update is an expression");
    match kind {
        Kind::Machine { width, .. } => number.low_bits(terms, width),
        Kind::Mathematical => number.integer(terms),
        Kind::Boolean => {
            let bit = number.low_bits(terms, 1);
            let one = terms.bits(1, 1);
            terms.equal(bit, one)
        }
        Kind::Opaque(_) => panic!("no update of what is no number"),
    }
}

/// A claim about a loop.
#[derive(Clone, Debug)]
pub enum Claim {
    Invariant(Invariant),
    Transition(TransitionInvariant),
    Termination(Termination),
    Closed(ClosedForm),
    Cases(Vec<Case>),
    Bound(Bound),
    Recurrent(RecurrentSet),
    Fact(Fact),
}

/// Reads a claim. The forms:
///
/// ```text
/// always: I                       holds whenever the head is reached
/// preserved: I                    passes preserve it
/// at exit: F
/// transition: T; T                ranking: f      lexicographic: f; g     multiphase: f; g     nested: f; g
/// terminates: T by rank f; T by order
/// bound: B by f
/// closed: path -> x = f; y = g [up to 5]
/// cases: guard => invariant => x = f; y = g => relation => passes [exactly] else …     `?` for no passes
/// recurrent: G choosing a; b at x = 1; y = 2
/// ```
pub fn claim(text: &str) -> Claim {
    let (form, text) = text.split_once(": ").unwrap_or_else(|| panic!("no form in {text:?}"));
    let parts = || text.split(';').map(str::trim).filter(|part| !part.is_empty());
    let expressions = || -> Vec<Expression> { parts().map(read).collect() };
    match form {
        "always" => Claim::Invariant(Invariant { formula: read(text), established: true }),
        "preserved" => Claim::Invariant(Invariant { formula: read(text), established: false }),
        "at exit" => Claim::Fact(Fact { formula: read(text), at: FactPlace::Exit }),
        "transition" => Claim::Transition(TransitionInvariant { disjuncts: parts().map(read).collect() }),
        "ranking" => Claim::Termination(Termination::Ranking(Ranking::Linear(read(text)))),
        "lexicographic" => Claim::Termination(Termination::Ranking(Ranking::Lexicographic(expressions()))),
        "multiphase" => Claim::Termination(Termination::Ranking(Ranking::Multiphase(expressions()))),
        "nested" => Claim::Termination(Termination::Ranking(Ranking::Nested(expressions()))),
        "terminates" => {
            let (disjuncts, arguments) = parts().map(disjunct).unzip();
            Claim::Termination(Termination::Disjunctive {
                invariant: TransitionInvariant { disjuncts },
                arguments,
            })
        }
        "bound" => {
            let (bound, rank) = text.split_once(" by ").expect("bound: B by f");
            Claim::Bound(Bound { bound: read(bound), rank: read(rank) })
        }
        "closed" => Claim::Closed(closed(text)),
        "cases" => Claim::Cases(text.split(" else ").map(case).collect()),
        "recurrent" => Claim::Recurrent(recurrent(text)),
        _ => panic!("no form of claims: {form}"),
    }
}

fn disjunct(text: &str) -> (Formula, WellFounded) {
    let (relation, argument) = text.split_once(" by ").expect("T by rank f, or T by order");
    let argument = match argument.strip_prefix("rank ") {
        Some(rank) => WellFounded::Ranking(read(rank)),
        None => WellFounded::FiniteOrder,
    };
    (read(relation), argument)
}

fn closed(text: &str) -> ClosedForm {
    let (path, forms) = text.split_once("->").expect("closed: path -> forms");
    let (forms, passes) = match forms.split_once(" up to ") {
        Some((forms, passes)) => (forms, Some(passes.trim().parse().expect("a number of passes"))),
        None => (forms, None),
    };
    ClosedForm { path: read(path), updates: updates(forms), passes }
}

fn case(text: &str) -> Case {
    let parts: Vec<&str> = text.split("=>").map(str::trim).collect();
    let [guard, invariant, effect, relation, passes] = parts[..] else { panic!("five parts: {text:?}") };
    let (passes, exact) = match passes.strip_suffix(" exactly") {
        Some(passes) => (passes, true),
        None => (passes, false),
    };
    let iterations = (passes != "?").then(|| read(passes));
    Case {
        guard: read(guard),
        invariant: read(invariant),
        effect: updates(effect),
        relation: read(relation),
        iterations,
        exact,
    }
}

fn recurrent(text: &str) -> RecurrentSet {
    let (set, state) = text.split_once(" at ").expect("recurrent: G [choosing …] at …");
    let (set, choices) = match set.split_once(" choosing ") {
        Some((set, choices)) => (set, choices.split(';').map(|choice| read(choice.trim())).collect()),
        None => (set, Vec::new()),
    };
    let held = |(name, number): (&str, &str)| Held {
        quantity: Quantity::value(name),
        number: number.parse::<Integer>().expect("a number"),
    };
    RecurrentSet { set: read(set), choices, state: list(state).map(held).collect() }
}

fn updates(text: &str) -> Vec<Update> {
    list(text).map(|(name, value)| Update { quantity: Quantity::value(name), value: read(value) }).collect()
}

fn list(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| {
        let (name, value) = part.split_once('=').expect("name = value");
        (name.trim(), value.trim())
    })
}

pub fn read<T: std::str::FromStr<Err = evidence::TextError>>(text: &str) -> T {
    text.trim().parse().unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// Asks the kernel.
pub fn check(loop_text: &LoopText, claim: &Claim) -> Result<Certificate, Refusal> {
    let mut terms = Terms::new();
    let relation = loop_text.relation(&mut terms);
    check_relation(&mut terms, &relation, claim)
}

/// Asks the kernel about a relation.
pub fn check_relation(terms: &mut Terms, relation: &Relation, claim: &Claim) -> Result<Certificate, Refusal> {
    let mut solver: Box<dyn Solver> = Box::new(Embedded::new());
    let solver = &mut *solver;
    let budget = &mut Budget::steps(20_000_000).within(std::time::Duration::from_secs(10));
    match claim {
        Claim::Invariant(invariant) => certify::check_invariant(terms, relation, invariant, solver, budget),
        Claim::Transition(invariant) => {
            certify::check_transition_invariant(terms, relation, invariant, solver, budget)
        }
        Claim::Termination(termination) => {
            certify::check_termination(terms, relation, termination, solver, budget)
        }
        Claim::Closed(form) => certify::check_closed_form(terms, relation, form, solver, budget),
        Claim::Cases(cases) => certify::check_cases(terms, relation, cases, solver, budget),
        Claim::Bound(bound) => certify::check_bound(terms, relation, bound, solver, budget),
        Claim::Recurrent(set) => certify::check_recurrent_set(terms, relation, set, solver, budget),
        Claim::Fact(fact) => certify::check_fact(terms, relation, fact, solver, budget),
    }
}
