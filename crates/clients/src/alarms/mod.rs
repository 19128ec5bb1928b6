//! Every obligation of a program, function by function: proved, refuted, unreachable, or unknown with an abstract
//! counterexample.
//!
//! Runs start in `main`, or in the function that is asked for. Functions that control does not come to from there are
//! analysed as if the program started in them, with arbitrary arguments; callers come before those they call. What may
//! come after something that is not followed to its end, be it in another function, is never proved.
//!
//! ```text
//! Alarms::new ─► next: a function to start in ─► examine ─► add ─► next … ─► finish: the list
//! ```
//!
//! Every check of every function with a body is in the list (of those that runs may come to, if a function is asked for).
//! What is not proved or refuted is unknown.
//!
//! Known imprecision: checks of one kind at one place of a function are one obligation, and the worst instance counts. A
//! check that is trivially true is called proved even where only the solver could tell that control never comes there.

mod abstract_trace;
mod examine;
mod matter;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Index};
use certify::abstraction::after::After;
use certify::abstraction::obligations::{ObligationKey as Key, checks};
use certify::{ListedFunction, ListedObligation, Listing, Status};
use evidence::{Place, Reason};
use program::interpret::{Integers, ObligationSet};
use program::outside::is_start;
use program::{Definition, FunctionId, Obligation, Program};
use transform::callees;

use crate::Property;
use crate::contracts::{Inference, REPAIRS, excludes};
use crate::refute::{Query, entry};

pub(crate) use self::abstract_trace::alarm;
pub use self::examine::Examined;
pub(crate) use self::examine::examine_subject;

use self::examine::{Statuses, add, hide, hiding};

/// The kinds that are listed if nobody says otherwise: assertions, and whatever C leaves undefined.
pub const USUAL: ObligationSet = ALL.without(Obligation::Uninitialised).without(Obligation::Leak);

/// All kinds.
pub const ALL: ObligationSet = {
    let mut all = ObligationSet::EMPTY;
    let mut place = 0;
    while place < Obligation::ALL.len() {
        all = all.with(Obligation::ALL[place]);
        place += 1;
    }
    all
};

/// The share of the time of a function in which it is found out what it requires.
const INFERRING: f64 = 0.3;

/// The share of the time that is left in which the calls are examined that meet what is required so far.
const ROUND: f64 = 0.6;

/// What is to be listed.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// The kinds of obligations.
    pub kinds: ObligationSet,
    /// The function to start in. If none is named it is `main`, and functions that are not reached are listed, too.
    pub function: Option<String>,
    /// What integers are.
    pub integers: Integers,
}

/// How far the work on a function has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Invariants were found for so many of so many nests of loops.
    Summarising(usize, usize),
    /// So many of so many instances of obligations are known to hold.
    Examining(usize, usize),
}

/// The work of listing all obligations of a program.
pub struct Alarms<'p> {
    program: &'p Program,
    request: Request,
    /// The functions that call each function.
    callers: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
    /// The functions that are known, and where runs that come to them start.
    known: BTreeMap<FunctionId, FunctionId>,
    examined: Vec<(FunctionId, Examined)>,
    /// Functions that are still to be examined, as far as they are not met before.
    left: BTreeSet<FunctionId>,
    first: Option<FunctionId>,
    inference: OnceCell<Inference<'p>>,
}

impl<'p> Alarms<'p> {
    /// Starts the work.
    ///
    /// # Errors
    /// If the function to start in is not there, or cannot be represented.
    pub fn new(program: &'p Program, request: &Request) -> Result<Self, Reason> {
        let first = match &request.function {
            Some(name) => Some(entry(program, name)?),
            None => entry(program, "main").ok(),
        };
        let mut alarms = Self {
            program,
            request: request.clone(),
            callers: BTreeMap::new(),
            known: BTreeMap::new(),
            examined: Vec::new(),
            left: BTreeSet::new(),
            first,
            inference: OnceCell::new(),
        };
        for (id, function) in program.functions.iter() {
            for callee in function.body().into_iter().flat_map(callees) {
                alarms.callers.entry(callee).or_default().insert(id);
            }
        }
        if request.function.is_none() {
            alarms.left = alarms.with_obligations();
        }
        alarms.left.extend(first);
        Ok(alarms)
    }

    /// The next function that runs start in, if one is left.
    pub fn next_function(&mut self) -> Option<FunctionId> {
        let known = &self.known;
        self.left.retain(|function| !known.contains_key(function));
        if let Some(first) = self.first.take() {
            self.left.remove(&first);
            return Some(first);
        }
        let waits = |function: &FunctionId| {
            let callers = self.callers.get(function);
            callers.is_some_and(|callers| {
                callers.iter().any(|caller| caller != function && self.left.contains(caller))
            })
        };
        let next = self.left.iter().copied().find(|function| !waits(function));
        let next = next.or_else(|| self.left.first().copied())?;
        self.left.remove(&next);
        Some(next)
    }

    /// How many functions are left that runs may have to start in.
    pub fn left(&self) -> usize {
        self.left.len()
    }

    /// Examines the obligations on the runs that start in a function.
    pub fn examine(
        &self,
        function: FunctionId,
        budget: &Budget,
        progress: &mut dyn FnMut(Progress),
    ) -> Examined {
        // Others want to be examined, too; but where the program starts most of it is met.
        let share = match self.examined.is_empty() {
            true if self.meets_all(function) => 0.9,
            true => 0.7,
            false => 1.0 / (self.left.len() + 1) as f64,
        };
        let share = if self.left.is_empty() { 1.0 } else { share };
        let budget = budget.share(share);
        let examined = match is_start(self.program, function) {
            true => None,
            false => self.examine_calls(function, &budget, progress),
        };
        if let Some(examined) = examined {
            return examined;
        }
        examine::examine(self.program, &self.query(function), function, &budget, progress)
    }

    /// Examines the calls of a function that see to what it requires. Nothing if it requires nothing.
    fn examine_calls(
        &self,
        function: FunctionId,
        budget: &Budget,
        progress: &mut dyn FnMut(Progress),
    ) -> Option<Examined> {
        let inference = self.inference();
        let mut proposed = inference.propose(function, &budget.share(INFERRING))?;
        let mut rounds = REPAIRS;
        loop {
            let (contract, subject) = inference.required(&mut proposed, &budget.share(INFERRING))?;
            let part = budget.share(if rounds > 1 { ROUND } else { 1.0 });
            let examined = examine::examine_calls(contract, &subject, self.request.kinds, &part, progress);
            rounds -= 1;
            let runs = examined.statuses.values().filter_map(|(status, _)| match status {
                Status::Refuted { counterexample } => Some(counterexample),
                _ => None,
            });
            // Only what no requirement repairs is an alarm of the function.
            let excluded = runs.filter(|run| excludes(&mut proposed, run)).count();
            if rounds == 0 || excluded == 0 || budget.clone().spend(0).is_err() {
                return Some(examined);
            }
        }
    }

    /// What finds out what functions require. It is made when it is needed: programs with `main` do without.
    fn inference(&self) -> &Inference<'p> {
        self.inference.get_or_init(|| Inference::new(self.program, self.request.kinds, self.request.integers))
    }

    /// Whether calls lead from a function to all that are left.
    fn meets_all(&self, function: FunctionId) -> bool {
        let mut met = BTreeSet::new();
        let mut fresh = vec![function];
        while let Some(next) = fresh.pop() {
            if met.insert(next) {
                fresh.extend(self.program.functions[next].body().into_iter().flat_map(callees));
            }
        }
        self.left.is_subset(&met)
    }

    /// Adds what was found.
    pub fn add(&mut self, function: FunctionId, examined: Examined) {
        for &visited in &examined.visited {
            self.known.entry(visited).or_insert(function);
        }
        self.known.entry(function).or_insert(function);
        self.examined.push((function, examined));
    }

    /// Adds that a function could not be examined.
    pub fn add_failure(&mut self, function: FunctionId, reason: Reason) {
        let examined = Examined::failed(self.program, &self.query(function), function, reason);
        self.add(function, examined);
    }

    /// Adds that the time does not suffice for the functions that are left. Nothing is said of what runs of theirs may
    /// come to.
    pub fn give_up(&mut self, reason: &Reason) {
        let left = std::mem::take(&mut self.left);
        let left: Vec<FunctionId> = left.into_iter().filter(|one| !self.known.contains_key(one)).collect();
        let mut hidden = vec![(reason.clone(), After::entries(self.program, left.iter().copied()))];
        for function in left {
            let hidden = std::mem::take(&mut hidden);
            let failed = Some(reason.clone());
            self.add(function, Examined { hidden, failed, ..Examined::default() });
        }
    }

    /// The list of what was found.
    pub fn finish(mut self) -> Listing {
        self.hide_across();
        let mut functions: BTreeMap<FunctionId, ListedFunction> = BTreeMap::new();
        for ((function, location, obligation), (status, asked)) in self.statuses() {
            let place = Place::of(self.program, location);
            let one = ListedObligation { obligation, place, asked, status };
            self.listed(&mut functions, function).obligations.push(one);
        }
        for (start, examined) in &self.examined {
            let ends: Vec<Reason> = match examined.failed {
                Some(_) => Vec::new(),
                None => examined.hidden.iter().map(|(reason, _)| reason.clone()).collect(),
            };
            if examined.failed.is_some() || !ends.is_empty() || examined.contract.is_some() {
                let listed = self.listed(&mut functions, *start);
                listed.contract = examined.contract.clone();
                listed.not_analysed = examined.failed.clone();
                listed.ends = ends;
                listed.ends.dedup();
            }
        }
        if self.request.function.is_none() {
            self.unsupported(&mut functions);
        }
        let mut functions: Vec<ListedFunction> = functions.into_values().collect();
        functions.sort_by(|a, b| a.place.cmp(&b.place));
        Listing { functions }
    }

    /// What is known of every obligation: what the runs that come to its function tell, and any run that violates it.
    fn statuses(&self) -> Statuses {
        let mut all = Statuses::new();
        for (start, examined) in &self.examined {
            for (&key, (status, asked)) in &examined.statuses {
                if self.known.get(&key.0) == Some(start) || matches!(status, Status::Refuted { .. }) {
                    add(&mut all, key, status.clone(), *asked);
                }
            }
        }
        let ends = self.examined.iter().flat_map(|(_, one)| one.hidden.iter().chain(&one.behind));
        let ends: Vec<&(Reason, After)> = ends.collect();
        for key in self.expected() {
            all.entry(key).or_insert_with(|| {
                let place = Place::of(self.program, key.1);
                let hidden = hiding(self.program, ends.iter().copied(), key);
                let reason = hidden.cloned().unwrap_or(Reason::Undecided { place });
                (Status::Unknown { reason }, true)
            });
        }
        all
    }

    /// The obligations that must be listed: of all functions, or of those that runs of the one that is asked for may come to.
    fn expected(&self) -> Vec<Key> {
        let may_come = |function: &FunctionId| {
            let touches = |(_, one): &(FunctionId, Examined)| {
                one.hidden.iter().chain(&one.behind).any(|(_, after)| after.touches(*function))
                    || one.statuses.keys().any(|key| key.0 == *function)
            };
            self.request.function.is_none()
                || self.known.contains_key(function)
                || self.examined.iter().any(touches)
        };
        let functions = (0..self.program.functions.len()).map(<FunctionId as Index>::new).filter(may_come);
        let all = functions.flat_map(|function| checks(self.program, function, self.request.kinds));
        all.map(|(key, _)| key).collect()
    }

    /// The functions that have obligations, or call such a function.
    fn with_obligations(&self) -> BTreeSet<FunctionId> {
        let mut found = BTreeSet::new();
        let functions = (0..self.program.functions.len()).map(<FunctionId as Index>::new);
        let mut fresh: Vec<FunctionId> = functions
            .filter(|&function| !checks(self.program, function, self.request.kinds).is_empty())
            .collect();
        while let Some(function) = fresh.pop() {
            if found.insert(function) {
                fresh.extend(self.callers.get(&function).into_iter().flatten());
            }
        }
        found
    }

    fn query(&self, function: FunctionId) -> Query {
        let name = self.program.functions[function].name.clone();
        // What a function leaves on the heap when it returns is lost only if the program ends there.
        let is_program = name == "main" || self.request.function.is_some();
        let kinds = self.request.kinds;
        let kinds = if is_program { kinds } else { kinds.without(Obligation::Leak) };
        Query { property: Property::Obligations(kinds), function: name, integers: self.request.integers }
    }

    /// What comes after an end in a function that runs start in is not proved by runs that start elsewhere.
    fn hide_across(&mut self) {
        let ends = self.examined.iter().map(|(start, examined)| (*start, examined.hidden.clone()));
        for (start, ends) in ends.collect::<Vec<_>>() {
            for (_, examined) in self.examined.iter_mut().filter(|(other, _)| *other != start) {
                hide(self.program, &mut examined.statuses, &ends);
            }
        }
    }

    fn listed<'a>(
        &self,
        functions: &'a mut BTreeMap<FunctionId, ListedFunction>,
        function: FunctionId,
    ) -> &'a mut ListedFunction {
        let name = |function: FunctionId| self.program.functions[function].name.clone();
        functions.entry(function).or_insert_with(|| ListedFunction {
            function: name(function),
            place: Place::of(self.program, self.program.functions[function].location),
            entry: name(self.known.get(&function).copied().unwrap_or(function)),
            contract: None,
            not_analysed: None,
            ends: Vec::new(),
            obligations: Vec::new(),
        })
    }

    /// Lists the functions that could not be represented.
    fn unsupported(&self, functions: &mut BTreeMap<FunctionId, ListedFunction>) {
        for (id, function) in self.program.functions.iter() {
            if let Definition::Unsupported { reason, location } = &function.definition {
                let place = Place::of(self.program, *location);
                let reason = Reason::Unsupported { construct: reason.clone(), place };
                self.listed(functions, id).not_analysed = Some(reason);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn list(text: &str, kinds: ObligationSet) -> Listing {
        let program = parser::parse(text).expect("the test's program parses");
        let request = Request { kinds, function: None, integers: Integers::Machine };
        let mut alarms = Alarms::new(&program, &request).expect("there is something to start with");
        let budget = Budget::unlimited().within(Duration::from_secs(20));
        while let Some(function) = alarms.next_function() {
            let examined = alarms.examine(function, &budget, &mut |_| {});
            alarms.add(function, examined);
        }
        alarms.finish()
    }

    /// The functions with what runs start in, and the names of the statuses.
    fn outline(listing: &Listing) -> Vec<(String, String, Vec<&str>)> {
        let line = |function: &ListedFunction| {
            let statuses = function.obligations.iter().map(|one| one.status.name()).collect();
            (function.function.clone(), function.entry.clone(), statuses)
        };
        listing.functions.iter().map(line).collect()
    }

    #[test]
    fn callers_come_first_and_every_function_once() {
        let text = "data_model LP64
            function inner(%x: i32) -> i32 {
            b0:
              check division-by-zero %x != 0:i32
              return %x
            }
            function outer() -> i32 {
              variable %r: i32
            b0:
              %r := call inner(1:i32)
              return %r
            }
            function main() -> i32 {
            b0:
              return 0:i32
            }";
        let listing = list(text, USUAL);
        let expected = (String::from("inner"), String::from("outer"), vec!["proved"]);
        assert_eq!(outline(&listing), [expected]);
        assert!(listing.is_proved() && !listing.is_refuted());
    }

    #[test]
    fn a_failure_of_what_is_not_asked_for_is_listed() {
        let text = "data_model LP64
            function main() -> i32 {
              variable %x: i32
            b0:
              %x := input nondet
              check division-by-zero %x != 0:i32
              check assertion %x == %x
              return 0:i32
            }";
        let listing = list(text, Property::UnreachCall.obligations());
        let all: Vec<_> = listing.obligations().map(|one| (one.obligation, one.asked)).collect();
        assert!(all.contains(&(Obligation::Division, false)), "{all:?}");
        assert!(!listing.is_proved());
        let listing = list(text, USUAL);
        assert!(listing.is_refuted(), "{listing:?}");
    }

    #[test]
    fn kinds_are_sets() {
        assert!(ALL.contains(Obligation::Leak) && !USUAL.contains(Obligation::Leak));
        assert!(USUAL.contains(Obligation::Assertion) && USUAL.contains(Obligation::OutOfBounds));
    }
}
