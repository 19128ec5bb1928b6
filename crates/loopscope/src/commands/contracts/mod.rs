//! `loopscope contracts`: what functions require and ensure.

mod arguments;
pub mod text;

use clients::contracts::{FunctionContract, Inference, USUAL, functions};
use evidence::Reason;
use program::{FunctionId, Program};

pub use self::arguments::Arguments;
use super::shared::*;

impl Command for Arguments {
    const NAME: &'static str = "contracts";

    fn run(&self, terminal: &Terminal, interrupt: &Interrupt) -> ExitStatus {
        let start = Instant::now();
        let prepared = read(&self.files, &self.source, Form::Clean, terminal)?;
        let program = &prepared.program;
        require_function(program, self.function.as_deref())?;
        let wanted = |function: &FunctionId| {
            self.function.as_ref().is_none_or(|name| program.functions[*function].name == *name)
        };
        let functions: Vec<FunctionId> = functions(program).into_iter().filter(wanted).collect();
        let budget = time_left(self.time_limit, start, interrupt);
        let mut found = self.infer(program, &functions, &budget, terminal);
        terminal.progress("");
        found.sort_by_key(|one| one.function);
        let left_out = not_analysed(&prepared, self.function.as_deref());
        let answer = text::json(program, &found);
        show(terminal, self.output.json, &answer, || text::render(program, &found), &left_out);
        let code = exit::with_parts_left_out(code(&found), left_out.len());
        Ok(prepared.code(code))
    }
}

impl Arguments {
    /// One function after the other; a bug of ours costs the one in which it shows.
    fn infer(
        &self,
        program: &Program,
        functions: &[FunctionId],
        budget: &Budget,
        terminal: &Terminal,
    ) -> Vec<FunctionContract> {
        let inference = Inference::new(program, USUAL, self.integers.into());
        let mut found = Vec::new();
        for (place, &function) in functions.iter().enumerate() {
            let name = &program.functions[function].name;
            terminal.progress(&format!("{name}: function {} of {}", place + 1, functions.len()));
            let left = functions.len() - place;
            let reason = match budget.clone().spend(0) {
                Err(stop) => Reason::Budget { stop },
                Ok(()) => match guarded(|| inference.infer(function, &budget.share(1.0 / left as f64))) {
                    Ok(contract) => {
                        found.push(contract);
                        continue;
                    }
                    Err(message) => Reason::Internal { at: format!("the contract of {name}"), message },
                },
            };
            found.push(inference.unknown(function, reason));
        }
        found
    }
}

/// The code for contracts.
fn code(found: &[FunctionContract]) -> u8 {
    if found.iter().all(FunctionContract::is_safe) { exit::DONE } else { exit::UNKNOWN }
}
