//! `loopscope contracts`: what functions require and ensure, and what their calls cost.

mod arguments;
pub mod text;

use std::collections::BTreeMap;

use clients::contracts::{FunctionContract, Inference, USUAL, functions};
use clients::cost;
use evidence::{Place, Reason};
use program::{FunctionId, Program};
use report::annotations::{Annotated, Assigns, Stated};

pub use self::arguments::Arguments;
use self::text::Described;
use super::shared::*;

/// The share of the time in which contracts are found; the rest is for costs.
const CONTRACTS: f64 = 0.75;

impl Command for Arguments {
    const NAME: &'static str = "contracts";

    fn run(&self, terminal: &Terminal, interrupt: &Interrupt) -> ExitStatus {
        let start = Instant::now();
        let prepared = read(&self.files, &self.source, Form::Clean, terminal)?;
        let program = &prepared.program;
        require_function(program, self.function.as_deref())?;
        let stated = report::annotations::contracts(program);
        terminal.messages(&unread(program, &stated));
        let wanted = |function: &FunctionId| {
            self.function.as_ref().is_none_or(|name| program.functions[*function].name == *name)
        };
        let functions: Vec<FunctionId> = functions(program).into_iter().filter(wanted).collect();
        let budget = time_left(self.time_limit, start, interrupt);
        let mut found = self.contracts(program, &functions, &stated, &budget.share(CONTRACTS), terminal);
        let mut costs =
            analysed(terminal, |watch| cost::of(program, self.integers.into(), &functions, &budget, watch))?;
        for one in found.iter_mut().rev() {
            one.cost = costs.pop();
        }
        found.sort_by_key(|one| one.contract.function);
        let left_out = not_analysed(&prepared, self.function.as_deref());
        let answer = text::json(program, &found);
        show(terminal, self.output.json, &answer, || text::render(program, &found, self.format), &left_out);
        let code = exit::with_parts_left_out(code(&found), left_out.len());
        Ok(prepared.code(code))
    }
}

impl Arguments {
    /// One function after the other; a bug of ours costs the one in which it shows.
    fn contracts<'a>(
        &self,
        program: &Program,
        functions: &[FunctionId],
        stated: &'a Annotated,
        budget: &Budget,
        terminal: &Terminal,
    ) -> Vec<Described<'a>> {
        let inference = Inference::new(program, USUAL, self.integers.into());
        let stated: BTreeMap<&str, &Stated> =
            stated.contracts.iter().map(|one| (one.contract.function.as_str(), one)).collect();
        let mut found = Vec::new();
        for (place, &function) in functions.iter().enumerate() {
            let name = program.functions[function].name.as_str();
            terminal.progress(&format!("{name}: function {} of {}", place + 1, functions.len()));
            let part = budget.share(1.0 / (functions.len() - place) as f64);
            let stated = stated.get(name).copied();
            let contract = match budget.clone().spend(0) {
                Err(stop) => inference.unknown(function, Reason::Budget { stop }),
                Ok(()) => {
                    guarded(|| contract(&inference, function, stated, &part)).unwrap_or_else(|message| {
                        let reason = Reason::Internal { at: format!("the contract of {name}"), message };
                        inference.unknown(function, reason)
                    })
                }
            };
            // What is not proved leaves nothing as it is, as far as is known.
            let found_out = || match contract.is_safe() {
                true => inference.assigned(function).map_or(Assigns::Anything, Assigns::Only),
                false => Assigns::Anything,
            };
            let assigns = stated.map_or_else(found_out, |stated| stated.assigns.clone());
            found.push(Described { contract, assigns, stated, cost: None });
        }
        terminal.progress("");
        found
    }
}

/// Checks what is stated of a function, or finds out what it requires.
fn contract(
    inference: &Inference<'_>,
    function: FunctionId,
    stated: Option<&Stated>,
    budget: &Budget,
) -> FunctionContract {
    let Some(stated) = stated else { return inference.infer(function, budget) };
    let assigned = match &stated.assigns {
        Assigns::Anything => None,
        Assigns::Only(names) => Some(names.as_slice()),
    };
    inference.check(function, &stated.contract, assigned, budget)
}

/// What is written about functions and is not read.
fn unread(program: &Program, stated: &Annotated) -> Vec<Message> {
    let message = |one: &report::annotations::Unread| {
        let place = Place::of(program, one.location).map(|place| format!("{place}: ")).unwrap_or_default();
        let effect = if one.is_required { "; without it the function may not be provable" } else { "" };
        Message::warning(format!("{place}`{}` is not read: {}{effect}", one.text, one.reason))
    };
    stated.unread.iter().map(message).collect()
}

/// The code for contracts.
fn code(found: &[Described<'_>]) -> u8 {
    let is_refuted =
        |one: &&Described<'_>| one.stated.is_some_and(|stated| stated.is_whole) && one.is_refuted();
    match (found.iter().find(is_refuted), found.iter().all(|one| one.contract.is_safe())) {
        (Some(_), _) => exit::REFUTED,
        (None, true) => exit::DONE,
        (None, false) => exit::UNKNOWN,
    }
}
