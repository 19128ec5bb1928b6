//! `loopscope certify`: checks a witness, without looking for anything.

mod arguments;

use clients::Property;
use clients::confirm::confirm;
use clients::points::points;
use clients::refute::{self, Given, Query, Recurrence};
use clients::{Claimed, Of, Proof, Statement, Verdict};
use evidence::{Integers, Overflow, ProofMode, Reason};
use program::Program;
use report::trace::Detail;
use report::witness::own::{OwnProof, OwnRun};
use report::witness::read::{About, Claim, Content, Invariant, Witness, claims, read as read_witness};

pub use self::arguments::Arguments;
use super::shared::*;
use super::verify::witness::{digest, sites};
use super::verify::{assumed, missing_part, property, show_verdict, source_errors, without_assumptions};
use crate::replay::{self, Recorded};

/// How a program is examined if a witness does not say. For termination, overflow is to be excluded; where values are asked
/// for, it wraps.
const fn usual(property: Property) -> ProofMode {
    match property {
        Property::Termination => ProofMode::abstraction(1, Overflow::Excluded),
        _ => ProofMode::abstraction(1, Overflow::Wraps),
    }
}

impl Command for Arguments {
    const NAME: &'static str = "certify";

    fn run(&self, terminal: &Terminal, interrupt: &Interrupt) -> ExitStatus {
        let start = Instant::now();
        let witness = replay::read(&self.witness, "the witness", read_witness)?;
        let property = asked(self, &witness).map_err(error)?;
        let prepared = read(&self.files, &self.source, Form::Clean, terminal)?;
        let query = Query {
            property,
            function: entry(&prepared.program, self.function.as_deref(), terminal),
            integers: self.integers.into(),
        };
        if let Some(reason) = source_errors(&prepared) {
            terminal.verdict(&Verdict::unknown(reason).to_string());
            return Ok(exit::BAD_INPUT);
        }
        if let Some(reason) = missing_part(&prepared) {
            terminal.verdict(&Verdict::unknown(reason).to_string());
            return Ok(exit::UNKNOWN);
        }
        let work = WitnessCheck { arguments: self, terminal, program: &prepared.program, query: &query };
        work.same_query(&witness)?;
        let budget = time_left(self.time_limit, start, interrupt);
        let mut verdict = guarded(|| work.answer(&witness, &budget)).unwrap_or_else(|message| {
            Verdict::unknown(Reason::Internal { at: String::from("the check of the witness"), message })
        });
        if self.no_assumptions {
            verdict = without_assumptions(&prepared.program, &query, verdict);
        }
        let assumed = assumed(&prepared.program, &query, &verdict);
        show_verdict(terminal, self.output.json, property, &verdict, Detail::Short, &assumed);
        Ok(exit::of_verdict(&verdict))
    }
}

/// The property that is asked for: by the command line, or by the witness.
fn asked(arguments: &Arguments, witness: &Witness) -> Result<Property, String> {
    if let Some(text) = &arguments.property {
        return property(text);
    }
    let by_name = match &witness.content {
        Content::Run(run) => run.inputs.property.as_deref(),
        Content::Proof { .. } => None,
    };
    match (&witness.specification, by_name) {
        (Some(text), _) if !text.trim().is_empty() => Property::from_property_file(text)
            .map_err(|error| format!("in `{}`: {error}", arguments.witness.display())),
        (_, Some(name)) => Property::from_name(name).map_err(|error| error.to_string()),
        _ => {
            Err(format!("`{}` does not say for which property: use --property", arguments.witness.display()))
        }
    }
}

struct WitnessCheck<'a> {
    arguments: &'a Arguments,
    terminal: &'a Terminal,
    program: &'a Program,
    query: &'a Query,
}

impl WitnessCheck<'_> {
    /// Makes sure that the witness answers the query that is asked. Another file is worth a warning only: what is
    /// checked is the program that was given.
    fn same_query(&self, witness: &Witness) -> Result<(), Vec<Message>> {
        let path = self.arguments.witness.display();
        let refused = |text: String, help: &str| Err(vec![Message::error(text).help(help)]);
        let (described, entry) = match &witness.content {
            Content::Proof { own: Some((own, _)), .. } => (own.integers, Some(&own.entry)),
            Content::Proof { own: None, .. } => (Integers::Machine, None),
            Content::Run(run) => (run.inputs.integers, run.inputs.function.as_ref()),
        };
        if described != self.query.integers.into() {
            let (name, text) = match described {
                Integers::Machine => ("machine", "integers of the machine"),
                Integers::Mathematical => ("mathematical", "integers without bounds"),
            };
            return refused(format!("`{path}` is about {text}"), &format!("ask with --integers {name}"));
        }
        if let Some(entry) = entry.filter(|entry| **entry != self.query.function) {
            return refused(
                format!("`{path}` is about runs from `{entry}`"),
                &format!("ask with --function {entry}"),
            );
        }
        let bits = 8 * self.program.data_model.pointer_bytes() as u32;
        if let Some(other) = witness.bits.filter(|other| *other != bits) {
            return refused(
                format!("`{path}` is about a machine whose pointers have {other} bits"),
                &format!("ask with -m{other}"),
            );
        }
        for file in &self.arguments.files {
            if !witness.digests.is_empty() && !witness.digests.contains(&digest(&file.display().to_string()))
            {
                let text = format!("`{path}` was made for another version of `{}`", file.display());
                self.terminal.messages(&[Message::warning(text)]);
            }
        }
        Ok(())
    }

    fn answer(&self, witness: &Witness, budget: &Budget) -> Verdict {
        match &witness.content {
            Content::Run(run) => self.run(run, budget),
            Content::Proof { invariants, own } => self.proof(invariants, own.as_ref(), budget),
        }
    }

    fn run(&self, run: &OwnRun, budget: &Budget) -> Verdict {
        let recurrence = run.recurrence.as_ref().map(|one| Recurrence {
            step: one.step,
            iterations: one.iterations,
            set: one.set.clone(),
            choices: one.choices.iter().map(|choice| choice.number.clone()).collect(),
        });
        let standard_input = run.inputs.standard_input.clone();
        let mut values = Recorded::new(run.inputs.values.clone(), standard_input.clone());
        let given = Given { arguments: run.inputs.arguments.clone(), inputs: &mut values, standard_input };
        match refute::confirm(self.program, self.query, given, recurrence.as_ref(), budget) {
            Ok(counterexample) => Verdict::Refuted { counterexample: Box::new(counterexample) },
            Err(reason) => Verdict::unknown(reason),
        }
    }

    fn proof(&self, invariants: &[Invariant], own: Option<&(OwnProof, usize)>, budget: &Budget) -> Verdict {
        let (ids, points): (Vec<_>, Vec<_>) =
            points(self.program).into_iter().map(|(function, head, point)| ((function, head), point)).unzip();
        let files: Vec<String> = self.arguments.files.iter().map(|file| file.display().to_string()).collect();
        let sites = sites(points, &files, self.query.integers.into());
        let (claims, unused) = claims(invariants, own, &sites);
        for problem in unused {
            self.warn(problem.line, &problem.text);
        }
        let claimed = claims.iter().map(|claim| Claimed {
            of: match claim.about {
                About::Point(point) => Of::Loop(ids[point].0, ids[point].1),
                About::AbstractLoop(abstract_loop) => Of::AbstractLoop(abstract_loop),
            },
            what: claim.what.clone(),
        });
        let mode = own.map_or(usual(self.query.property), |(own, _)| own.mode);
        let shapes = own.and_then(|(own, _)| own.shapes.clone());
        let contracts = own.map(|(own, _)| own.contracts.clone()).unwrap_or_default();
        let proof = Proof { mode, claims: claimed.collect(), contracts, shapes };
        let confirmation = confirm(self.program, self.query, &proof, budget);
        for place in confirmation.refused {
            self.warn(claims[place].line, &format!("not confirmed: {}", described(&claims[place])));
        }
        confirmation.verdict
    }

    fn warn(&self, line: usize, text: &str) {
        let path = self.arguments.witness.display();
        self.terminal.messages(&[Message::warning(format!("{path}:{line}: {text}"))]);
    }
}

fn described(claim: &Claim) -> String {
    match &claim.what {
        Statement::LoopInvariant(formula) => formula.to_string(),
        Statement::Left(argument) => match report::witness::ranks::relation(argument) {
            Some(relation) => relation.to_string(),
            None => String::from("the argument why the loop is left"),
        },
    }
}
