//! What concrete runs show of loops: the numbers of variables whenever control was at a head.
//!
//! A program is run a few times on guessed inputs, with few steps. The states serve twice: proposers read equations and
//! limits off them, and a candidate that one of them breaks is thrown out before the kernel sees it ([`Seen::allows`]).
//! Nothing hangs on them but time: too few states let wrong candidates through, and the kernel refuses those.
//!
//! States are told apart by the calls that lead to a loop, as abstract loops are. Known imprecision: an uninitialised
//! variable holds zero or what the stack held before.

mod accelerate;
mod evaluate;
mod inputs;
mod record;

use std::collections::BTreeMap;
use std::rc::Rc;

use base::{Budget, Location};
use evidence::{Formula, Name};
use program::interpret::{Arguments, Integers, Machine, ObligationSet, Options};
use program::{FunctionId, Obligation, Program, VariableId};

pub(crate) use self::accelerate::accelerate;
use self::inputs::Guesses;
use self::record::Recorder;

/// How often a program is run.
const RUNS: u64 = 160;

/// How many steps all runs have together, and one of them.
const STEPS: u64 = 600_000;
const STEPS_OF_RUN: u64 = 12_000;

/// How many bytes a run may use.
const MEMORY: u64 = 8 << 20;

/// A loop as runs tell it apart: the calls that lead to its function, the function, and the head.
type Key = (Vec<(FunctionId, Location)>, FunctionId, program::BlockId);

/// What runs of a program have shown.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    loops: BTreeMap<Key, Seen>,
}

/// What runs have shown of a loop.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Seen {
    /// The states in which the loop was entered.
    pub entries: Vec<Numbers>,
    /// The states at its head, each with the place of the state in which the loop was entered before it.
    pub states: Vec<(usize, Numbers)>,
    /// Where the numbers of variables stand in a state.
    slots: Rc<BTreeMap<VariableId, usize>>,
}

/// The numbers of a state. That of a pointer is its offset.
pub type Numbers = Box<[Option<i128>]>;

impl Samples {
    /// Runs a program from a function.
    pub fn of(program: &Program, function: FunctionId, integers: Integers, budget: &Budget) -> Self {
        let ignored = ObligationSet::EMPTY.with(Obligation::Uninitialised);
        let checks =
            ObligationSet::ALL.without(Obligation::SignedOverflow).without(Obligation::Uninitialised);
        let options = Options {
            integers,
            checks,
            ignored: ignored.with(Obligation::SignedOverflow),
            memory: MEMORY,
            call_depth: 200,
            ..Options::default()
        };
        let machine = Machine::observed(program, &options);
        let mut recorder = Recorder::new(program);
        let arguments = match program.functions[function].name.as_str() {
            "main" => Arguments::CommandLine(vec![b"program".to_vec()]),
            _ => Arguments::FromInputs,
        };
        let mut left = STEPS;
        for number in 0..RUNS {
            if left == 0 || budget.remaining_time().is_some_and(|time| time.is_zero()) {
                break;
            }
            let mut part = budget.part(left.min(STEPS_OF_RUN));
            let mut inputs = Guesses::new(number, program);
            let run = machine.observe(function, &arguments, &mut inputs, &mut recorder, &mut part);
            recorder.end_run();
            left = left.saturating_sub(run.steps.max(500));
            if run.inputs.is_empty() && !inputs.asked() {
                // The next run would be the same.
                break;
            }
        }
        Self { loops: recorder.finish() }
    }

    /// What was seen of a loop: the stack of calls has the loop's own function last.
    pub fn seen(&self, stack: &[(FunctionId, Location)], head: program::BlockId) -> Option<&Seen> {
        let ((function, _), callers) = stack.split_last()?;
        self.loops.get(&(callers.to_vec(), *function, head))
    }
}

impl Seen {
    /// Where the number of a variable stands in a state.
    pub fn slot(&self, variable: VariableId) -> Option<usize> {
        self.slots.get(&variable).copied()
    }

    /// Whether no state breaks a formula. What cannot be told from numbers of variables is allowed.
    pub fn allows(&self, variables: &BTreeMap<Name, VariableId>, formula: &Formula) -> bool {
        let compiled = evaluate::Compiled::new(self, variables, formula);
        compiled.is_none_or(|compiled| {
            self.states.iter().all(|(entry, now)| compiled.holds(&self.entries[*entry], now) != Some(false))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_show_states() {
        let path = std::env::temp_dir().join(format!("loopscope-samples-{}.c", std::process::id()));
        let text = "extern int nondet_int(void);
             static int count(int n) { int i = 0; while (i < n) i++; return i; }
             int main(void) { return count(3) + count(nondet_int() & 15); }";
        std::fs::write(&path, text).expect("the folder for temporary files can be written");
        let mut program = c::translate(&[c::Input::new(&path)]).program;
        let _ = std::fs::remove_file(&path);
        program::passes::simplify(&mut program);
        let main = program.function_named("main").expect("there is a main");
        let samples = Samples::of(&program, main, Integers::Machine, &Budget::unlimited());
        let calls: Vec<usize> = samples.loops.values().map(|seen| seen.entries.len()).collect();
        // The two calls are told apart; one is always the same.
        assert_eq!(calls.len(), 2);
        assert_eq!(calls[0], 1);
        assert!(calls[1] > 5);
    }
}
