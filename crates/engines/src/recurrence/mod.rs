//! Finds sets of states that the iterations of a loop lead back into for ever.
//!
//! ```text
//! state that a run reached ─► iterations as terms ─► choices of inputs ─► states that they lead through
//!                                    set, checked by the kernel ◄── what is kept ◄── candidates ┘
//! ```
//!
//! Method: from a state that a run has reached, iterations are computed with inputs chosen in some simple way. If they
//! go on for a while, what holds in all states on the way (conditions that are tested in this iteration and the next
//! ones, signs, limits, remainders, differences and sums) is a candidate for the set; the kernel throws out what an
//! iteration does not keep (Houdini), and then is asked whether an iteration always goes on from what is left. What the
//! tests of the next iterations say of the state now is the weakest precondition of the tests of this one, so that sets
//! that only become closed after a few steps back are found. Loops that go through phases are taken several iterations
//! at a time.
//!
//! Known imprecision: sets are conjunctions of comparisons of at most two numbers besides what the program itself tests; of
//! memory, single cells at known places take part.

mod candidates;
mod choices;
mod conditions;
mod states;

use base::Budget;
use certify::RecurrenceCertificate;
use certify::recurrence::{Iteration, IterationMode, Reached, check, encode};
use evidence::{Expression, Formula, Integer, RecurrentSet};
use logic::solver::Embedded;
use program::interpret::Integers;
use program::{Program, Type, arithmetic};

use self::states::Places;

/// How many iterations are followed before a set is looked for.
const FOLLOWED: usize = 40;

/// So many iterations must go on before the solver is asked.
const LONG: usize = 300;

/// The numbers of iterations that are taken at a time.
const PERIODS: [u32; 3] = [1, 2, 3];

/// How many iterations of inner loops are unwound.
const INNER: [u64; 2] = [6, 40];

/// Sets of more formulas are not made smaller one by one.
const SMALL: usize = 48;

/// Why a run from a reached state can go on for ever.
#[derive(Clone, PartialEq, Debug)]
pub struct Nontermination {
    /// The set, checked by the kernel.
    pub certificate: RecurrenceCertificate,
    /// The inputs for which the set has choices: who asks, and for which type.
    pub inputs: Vec<(String, Type)>,
    /// The inputs of the first iterations after the reached state, in the order in which the program asks for them.
    pub following: Vec<Integer>,
    /// The states at the head after each of the first periods: the numbers of changing parts, in the order of the set's
    /// state.
    pub states: Vec<Vec<Integer>>,
}

/// Looks for a reason why a run from a reached state can go on for ever.
pub fn nontermination(
    program: &Program,
    reached: &Reached,
    integers: Integers,
    budget: &mut Budget,
) -> Option<Nontermination> {
    match nontermination_if(program, reached, integers, false, budget) {
        Search::Found(found) => Some(found),
        // Whether the run goes on whatever number an overflow gives is worth a query only if it goes on for long.
        Search::GoesOn if integers == Integers::Machine => {
            match nontermination_if(program, reached, integers, true, budget) {
                Search::Found(found) => Some(found),
                Search::GoesOn | Search::Ends => None,
            }
        }
        Search::GoesOn | Search::Ends => None,
    }
}

/// The same where signed numbers do not overflow, or where an overflow gives any number.
fn nontermination_if(
    program: &Program,
    reached: &Reached,
    integers: Integers,
    any_overflow: bool,
    budget: &mut Budget,
) -> Search<Nontermination> {
    let mut ever_goes_on = false;
    for period in PERIODS {
        let mut goes_on = false;
        for inner in INNER {
            if budget.spend(1).is_err() {
                return Search::Ends;
            }
            let mode = IterationMode { integers, period, inner, any_overflow };
            let Ok(mut iteration) = encode(program, reached, mode, budget) else { break };
            let mut tested = conditions::tested(&iteration);
            if let Ok(next) = encode(program, reached, IterationMode { period: 2 * period, ..mode }, budget) {
                tested.extend(conditions::tested(&next));
            }
            match search(&mut iteration, &tested, budget) {
                Search::Found(set) => {
                    let certificate = check(program, reached, mode, &set.set, &set.choices, budget);
                    let found =
                        certificate.ok().and_then(|certificate| nontermination_from(&iteration, certificate));
                    return found.map_or(Search::Ends, Search::Found);
                }
                Search::GoesOn => goes_on = true,
                Search::Ends => {}
            }
            if !iteration.is_cut() {
                break;
            }
        }
        ever_goes_on |= goes_on;
        if !goes_on {
            break;
        }
    }
    if ever_goes_on { Search::GoesOn } else { Search::Ends }
}

/// What a run does that has reached a state of a known set, if the kernel finds once more that it can go on for ever with
/// these choices of inputs. Nothing is looked for.
pub fn known(
    program: &Program,
    reached: &Reached,
    integers: Integers,
    period: u32,
    set: &Formula,
    choices: &[Expression],
    budget: &mut Budget,
) -> Option<Nontermination> {
    for (any_overflow, inner) in [false, true].into_iter().flat_map(|any| INNER.map(|inner| (any, inner))) {
        let mode = IterationMode { integers, period, inner, any_overflow };
        if let Ok(certificate) = check(program, reached, mode, set, choices, budget) {
            return nontermination_from(&encode(program, reached, mode, budget).ok()?, certificate);
        }
    }
    None
}

enum Search<T> {
    /// A set was found.
    Found(T),
    /// Iterations go on for a while, but no set is found.
    GoesOn,
    /// They do not.
    Ends,
}

fn search(iteration: &mut Iteration<'_>, tested: &[Formula], budget: &mut Budget) -> Search<RecurrentSet> {
    let lasting = choices::lasting(iteration, tested, FOLLOWED, budget);
    let goes_on = !lasting.is_empty();
    for (choices, states) in lasting {
        // Most loops that end do so soon: it costs less to see it than to look for a set in vain.
        if !states::follow(iteration, &choices, LONG).1 {
            continue;
        }
        if let Some(set) = closed(iteration, tested, &choices, &states, budget) {
            return Search::Found(set);
        }
    }
    if goes_on { Search::GoesOn } else { Search::Ends }
}

/// A closed set around some states.
fn closed(
    iteration: &mut Iteration<'_>,
    tested: &[Formula],
    choices: &[Expression],
    states: &[Vec<Integer>],
    budget: &mut Budget,
) -> Option<RecurrentSet> {
    let candidates = candidates::candidates(iteration, tested, states);
    let mut solver: Embedded = Embedded::new();
    let kept = iteration.kept(&candidates, choices, &mut solver, budget);
    let mut set: Vec<Formula> =
        candidates.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(formula, _)| formula).collect();
    let mut closed = iteration.is_closed(&Formula::All(set.clone()), choices, &mut solver, budget).ok()?;
    // The last candidates are the least telling ones. Time is left for the kernel to check the set once more.
    let mut part = budget.share(0.5);
    let mut place = if set.len() > SMALL { 0 } else { set.len() };
    while place > 0 {
        place -= 1;
        let mut fewer = set.clone();
        fewer.remove(place);
        if let Ok(better) = iteration.is_closed(&Formula::All(fewer.clone()), choices, &mut solver, &mut part)
        {
            (set, closed) = (fewer, better);
        }
    }
    Some(closed)
}

/// What a run does after the reached state.
fn nontermination_from(
    iteration: &Iteration<'_>,
    certificate: RecurrenceCertificate,
) -> Option<Nontermination> {
    let set = certificate.set();
    let places = Places::of(iteration);
    let mut state: Vec<Integer> = iteration.parts().iter().map(|part| part.start.clone()).collect();
    let (mut following, mut states) = (Vec::new(), Vec::new());
    let inputs = iteration.inputs();
    for _ in 0..FOLLOWED {
        let chosen: Option<Vec<Integer>> =
            set.choices.iter().map(|choice| places.number(&state, choice)).collect();
        let step = iteration.step(&state, &chosen?)?;
        // An interpreter has no inputs that do not fit their types.
        if !states.is_empty() && !step.inputs.iter().all(|(place, number)| fits(inputs[*place].1, number)) {
            break;
        }
        following.extend(step.inputs.into_iter().map(|(_, number)| number));
        state = step.after;
        let changing = iteration.parts().iter().zip(&state).filter(|(part, _)| part.changes);
        states.push(changing.map(|(_, number)| number.clone()).collect());
    }
    Some(Nontermination { certificate, inputs, following, states })
}

fn fits(ty: Type, number: &Integer) -> bool {
    match ty {
        Type::Integer(ty) => i128::try_from(number).is_ok_and(|number| arithmetic::is_normal(ty, number)),
        _ => true,
    }
}
