//! Claims as short text.

use evidence::{
    Amortised, Case, Expression, Formula, Integer, Quantity, Raise, Ranking, Spent, Termination,
    TransitionInvariant, Update, WellFounded,
};

use super::{list, read};

/// A claim about a loop, with the loop invariants that it needs.
#[derive(Clone, Debug)]
pub struct Claim {
    pub form: Form,
    pub given: Vec<Formula>,
}

/// What is claimed.
#[derive(Clone, Debug)]
pub enum Form {
    /// Holds whenever control is at the head.
    Always(Formula),
    /// The same of runs on which it holds at entry.
    Preserved(Formula),
    /// Relates every state at the head with every later one.
    Transition(Vec<Formula>),
    Entry(Formula),
    Exit(Formula),
    /// Is checked after the loop, and never fails.
    Asserts(Formula),
    /// Is never so after the loop.
    Never(Formula),
    Ends(Termination),
    Bound {
        evidence: Amortised,
        within: Option<Vec<Expression>>,
    },
    Cases(Vec<(Case, Option<Expression>)>),
    Recurrent {
        set: Formula,
        choices: Vec<Expression>,
        state: Vec<(String, i128)>,
    },
}

/// Reads a claim. The forms, each perhaps with ` given I; I` behind it:
///
/// ```text
/// always: I       preserved: I     transition: T; T     at entry: F     at exit: F      asserts: F     never: F
/// ranking: f      lexicographic: f; g     multiphase: f; g     nested: f; g
/// terminates: T by rank f; T by order
/// bound: f [per 2] [plus m by 0 | afresh m by 0]; g … [within B; C]
/// cases: guard => invariant => x = f; y = g => relation => made of total   else …     `?` for no number of iterations
/// recurrent: G [choosing a; b] at x = 1; y = 2
/// ```
pub fn claim(text: &str) -> Claim {
    let (text, given) = text.split_once(" given ").unwrap_or((text, ""));
    let given = parts(given).map(read).collect();
    let (form, text) = text.split_once(": ").unwrap_or_else(|| panic!("no form in {text:?}"));
    let expressions = || -> Vec<Expression> { parts(text).map(read).collect() };
    let ranking = |ranking| Form::Ends(Termination::Ranking(ranking));
    let form = match form {
        "always" => Form::Always(read(text)),
        "preserved" => Form::Preserved(read(text)),
        "transition" => Form::Transition(parts(text).map(read).collect()),
        "at entry" => Form::Entry(read(text)),
        "at exit" => Form::Exit(read(text)),
        "asserts" => Form::Asserts(read(text)),
        "never" => Form::Never(read(text)),
        "ranking" => ranking(Ranking::Linear(read(text))),
        "lexicographic" => ranking(Ranking::Lexicographic(expressions())),
        "multiphase" => ranking(Ranking::Multiphase(expressions())),
        "nested" => ranking(Ranking::Nested(expressions())),
        "terminates" => {
            let (disjuncts, arguments) = parts(text).map(disjunct).unzip();
            Form::Ends(Termination::Disjunctive { invariant: TransitionInvariant { disjuncts }, arguments })
        }
        "bound" => {
            let (components, within) = match text.split_once(" within ") {
                Some((components, within)) => (components, Some(parts(within).map(read).collect())),
                None => (text, None),
            };
            let components = parts(components).map(component).collect();
            Form::Bound { evidence: Amortised { components }, within }
        }
        "cases" => Form::Cases(text.split(" else ").map(case).collect()),
        "recurrent" => recurrent(text),
        _ => panic!("no form of claims: {form}"),
    };
    Claim { form, given }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|part| !part.is_empty())
}

fn disjunct(text: &str) -> (Formula, WellFounded) {
    let (relation, argument) = text.split_once(" by ").expect("T by rank f, or T by order");
    let argument = match argument.strip_prefix("rank ") {
        Some(rank) => WellFounded::Ranking(read(rank)),
        None => WellFounded::FiniteOrder,
    };
    (read(relation), argument)
}

fn component(text: &str) -> Spent {
    let raise = |text: &str, afresh: bool| {
        let (most, by) = text.split_once(" by ").expect("plus m by 0, or afresh m by 0");
        vec![Raise { by: by.trim().parse().expect("a component"), most: read(most), afresh }]
    };
    let (text, raised) = match (text.split_once(" plus "), text.split_once(" afresh ")) {
        (Some((text, raised)), _) => (text, raise(raised, false)),
        (_, Some((text, raised))) => (text, raise(raised, true)),
        _ => (text, Vec::new()),
    };
    let (rank, stride) = text.split_once(" per ").unwrap_or((text, "1"));
    Spent { rank: read(rank), stride: stride.trim().parse::<Integer>().expect("a stride"), raised }
}

fn case(text: &str) -> (Case, Option<Expression>) {
    let parts: Vec<&str> = text.split("=>").map(str::trim).collect();
    let [guard, invariant, effect, relation, iterations] = parts[..] else { panic!("five parts: {text:?}") };
    let counted = iterations.split_once(" of ").map(|(made, total)| (read(made), read(total)));
    let (made, iterations) = counted.unzip();
    let effect =
        list(effect).map(|(name, value)| Update { quantity: Quantity::value(name), value: read(value) });
    let (guard, invariant, relation) = (read(guard), read(invariant), read(relation));
    (Case { guard, invariant, effect: effect.collect(), relation, iterations, exact: false }, made)
}

fn recurrent(text: &str) -> Form {
    let (set, state) = text.split_once(" at ").expect("recurrent: G [choosing …] at …");
    let (set, choices) = match set.split_once(" choosing ") {
        Some((set, choices)) => (set, parts(choices).map(read).collect()),
        None => (set, Vec::new()),
    };
    let state = list(state).map(|(name, number)| (name.to_owned(), number.parse().expect("a number")));
    Form::Recurrent { set: read(set), choices, state: state.collect() }
}
