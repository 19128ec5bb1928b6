//! `loopscope dump`: the program as Loopscope sees it.

mod arguments;
mod graphs;

use program::{FunctionId, Program};

pub use self::arguments::Arguments;
use self::graphs::{control_flow, loop_forest, loop_forest_text};
use super::shared::*;
use crate::arguments::Format;

/// What a picture shows.
const FUNCTIONS: Drawn = Drawn {
    one: "a picture shows one function, and the program has",
    help: "choose one with --function NAME",
};

impl Command for Arguments {
    const NAME: &'static str = "dump";

    fn run(&self, terminal: &Terminal, _: &Interrupt) -> ExitStatus {
        let form = if self.raw { Form::Raw } else { Form::Clean };
        let prepared = prepared(&self.files, &self.source, form)?;
        terminal.messages(&prepared.messages);
        let mut text = guarded(|| show(&prepared.program, self))
            .unwrap_or_else(|problem| Err(vec![internal_error("showing the program", &problem)]))?;
        let left_out = not_analysed(&prepared, self.function.as_deref());
        if self.what.loops && self.format == Format::Text {
            text.push_str(&lines(&left_out));
        }
        match &self.output {
            None => terminal.print(&text),
            Some(file) => std::fs::write(file, text).map_err(|error| {
                vec![Message::error(format!("cannot write `{}`: {error}", file.display()))]
            })?,
        }
        Ok(prepared.code(exit::DONE))
    }
}

fn show(program: &Program, arguments: &Arguments) -> Result<String, Vec<Message>> {
    let functions = functions(program, arguments.function.as_deref())?;
    if arguments.what.program {
        if arguments.format != Format::Text {
            return Err(vec![
                Message::error("a program has no picture").help("use --cfg for the control-flow graph"),
            ]);
        }
        return Ok(match &arguments.function {
            None => program::text::print(program),
            Some(_) => functions.iter().map(|&id| program::text::print_function(program, id)).collect(),
        });
    }
    if arguments.format == Format::Text {
        // Of a whole program only the functions with loops are of interest.
        let all = arguments.function.is_some();
        let texts = functions.iter().filter_map(|&id| match arguments.what.loops {
            true => loop_forest_text(program, id).filter(|text| all || text.lines().nth(1).is_some()),
            false => Some(program::text::print_function(program, id)),
        });
        return Ok(texts.collect());
    }
    let graphs = functions.iter().filter_map(|&id| match arguments.what.loops {
        true => loop_forest(program, id),
        false => control_flow(program, id),
    });
    draw(&graphs.collect::<Vec<_>>(), arguments.format, FUNCTIONS)
}

/// The functions with a body that are asked for.
fn functions(program: &Program, wanted: Option<&str>) -> Result<Vec<FunctionId>, Vec<Message>> {
    let all = program.functions.iter().filter(|(_, function)| function.body().is_some());
    let chosen: Vec<FunctionId> = all
        .filter(|(_, function)| wanted.is_none_or(|wanted| function.name == wanted))
        .map(|(id, _)| id)
        .collect();
    match wanted {
        Some(wanted) if chosen.is_empty() => {
            let help = "`loopscope FILES` lists the functions with loops";
            Err(vec![
                Message::error(format!("the program has no function `{wanted}` with a body")).help(help),
            ])
        }
        _ => Ok(chosen),
    }
}
