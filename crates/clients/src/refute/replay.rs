//! A run that somebody else suggests: does it violate the property?

use base::Budget;
use certify::unrolling::SuspectInput;
use evidence::{Counterexample, Reason};
use program::interpret::{
    Arguments, DiscardedOutput, FILE_BYTE, FixedInputs, InputValue, Inputs, Machine, Request, Run,
};
use program::{FunctionId, Program, Type};

use super::Query;
use super::guess::Guess;
use super::judge::{Judgement, LONGEST_WORD, judge};
use super::record::{counterexample, options};

/// How many steps a suggested run may take.
const STEPS: u64 = 20_000_000;

/// How many steps are made to find out what a suggested run is given.
const SHORT: u64 = 20_000;

/// How many words a suggested command line has.
const MOST_WORDS: i128 = 64;

/// Runs the program on suggested inputs. The run is the answer if it is clean, violates the property, and can be
/// repeated; otherwise the reason why it is not.
pub(crate) fn replay(
    program: &Program,
    query: &Query,
    function: FunctionId,
    suggested: &[SuspectInput],
    budget: &Budget,
) -> Result<Counterexample, Option<Reason>> {
    let machine = Machine::new(program, &options(query));
    let Followed { run, arguments, words, bytes } =
        follow(program, &machine, query, function, suggested, &mut budget.part(STEPS));
    let failure = match judge(program, &query.property, &run, &words) {
        Judgement::Violates(failure) => failure,
        Judgement::Nothing(reason) => return Err(Some(reason)),
        Judgement::Good => return Err(None),
    };
    let values = run.inputs.iter().map(|input| input.value).collect();
    let mut fixed = FixedInputs::new(values, bytes.clone());
    let mut again = Budget::steps(run.steps.saturating_add(1000));
    let repeated = machine.run(function, &arguments, &mut fixed, &mut DiscardedOutput, &mut again);
    if repeated != run {
        return Err(Some(Reason::NotReplayed { place: failure.place().cloned() }));
    }
    Ok(counterexample(program, query, &words, bytes, &run, failure))
}

/// A run on suggested inputs.
pub(crate) struct Followed {
    pub run: Run,
    pub arguments: Arguments,
    /// The words of the command line; none if the function takes none.
    pub words: Vec<Vec<u8>>,
    /// What was read from standard input.
    pub bytes: Vec<u8>,
}

/// Runs the program on suggested inputs, wherever that leads.
pub(crate) fn follow(
    program: &Program,
    machine: &Machine<'_>,
    query: &Query,
    function: FunctionId,
    suggested: &[SuspectInput],
    budget: &mut Budget,
) -> Followed {
    let words = words(program, query, function, suggested);
    let arguments = match &words {
        Some(words) => Arguments::CommandLine(words.clone()),
        None if query.function == "main" => Arguments::CommandLine(vec![b"program".to_vec()]),
        None => Arguments::FromInputs,
    };
    let mut inputs =
        Suggested { left: suggested.iter().map(Some).collect(), given: Vec::new(), bytes: Vec::new() };
    let run = machine.run(function, &arguments, &mut inputs, &mut DiscardedOutput, budget);
    Followed { run, arguments, words: words.unwrap_or_default(), bytes: inputs.bytes }
}

/// What a run is given that takes suggested inputs, as a guess.
pub(super) fn guess(
    program: &Program,
    query: &Query,
    function: FunctionId,
    suggested: &[SuspectInput],
) -> Guess {
    let machine = Machine::new(program, &options(query));
    let words = words(program, query, function, suggested);
    let command_line = words.unwrap_or_else(|| vec![b"program".to_vec()]);
    let arguments = match query.function.as_str() {
        "main" => Arguments::CommandLine(command_line.clone()),
        _ => Arguments::FromInputs,
    };
    let mut inputs =
        Suggested { left: suggested.iter().map(Some).collect(), given: Vec::new(), bytes: Vec::new() };
    let mut budget = Budget::steps(SHORT);
    let run = machine.run(function, &arguments, &mut inputs, &mut DiscardedOutput, &mut budget);
    let prefix = run.inputs.iter().map(|input| input.value).collect();
    Guess { prefix, standard_input: inputs.bytes, arguments: command_line, ..Guess::zeros() }
}

/// The command line with as many words as the first argument of `main` says, as far as anything is said of the words.
fn words(
    program: &Program,
    query: &Query,
    function: FunctionId,
    suggested: &[SuspectInput],
) -> Option<Vec<Vec<u8>>> {
    if query.function != "main" || program.functions[function].parameters.is_empty() {
        return None;
    }
    let count = match suggested.first() {
        Some(SuspectInput { value: InputValue::Integer(count), ty: Type::Integer(_), .. }) => *count,
        _ => 1,
    };
    let rest = (1..count.clamp(1, MOST_WORDS)).map(|place| word(suggested, place));
    Some(std::iter::once(b"program".to_vec()).chain(rest).collect())
}

/// The word at a place: what is said of it, or of a word at some place, or just any.
fn word(suggested: &[SuspectInput], place: i128) -> Vec<u8> {
    let number = |input: &SuspectInput| match input.value {
        InputValue::Integer(number) => number,
        _ => 0,
    };
    for name in [format!("argv[{place}]"), String::from("argv[]")] {
        let length = suggested.iter().find(|input| input.name.strip_prefix("length of ") == Some(&name));
        let Some(length) = length else { continue };
        let length = number(length).clamp(0, LONGEST_WORD as i128) as usize;
        let bytes = suggested.iter().filter(|input| input.name == name).map(|input| number(input) as u8);
        // A word that is shown must be one that people can type, and has no zero in it.
        let typed = |byte: u8| if (1..0x80).contains(&byte) { byte } else { b'a' };
        let mut word: Vec<u8> = bytes.take(length).map(typed).collect();
        word.resize(length, b'a');
        return word;
    }
    b"a".to_vec()
}

/// Suggested inputs: whoever asks gets the first that is left of those meant for it. Who asks once more gets the last
/// one again: an abstract counterexample that skips iterations of a loop has inputs for one of them only.
struct Suggested<'a> {
    left: Vec<Option<&'a SuspectInput>>,
    given: Vec<&'a SuspectInput>,
    /// The bytes of standard input that were given.
    bytes: Vec<u8>,
}

impl Inputs for Suggested<'_> {
    fn value(&mut self, request: &Request<'_>) -> InputValue {
        // A suggestion does not know which of the files is read.
        let same =
            |name: &str| name == request.name || name == FILE_BYTE && request.name.starts_with(FILE_BYTE);
        let fits = |input: &SuspectInput| input.ty == request.ty && same(&input.name);
        let exact = |input: &SuspectInput| fits(input) && input.location == request.location;
        let found = self
            .left
            .iter()
            .position(|input| input.is_some_and(exact))
            .or_else(|| self.left.iter().position(|input| input.is_some_and(fits)));
        let next = match found.and_then(|at| self.left[at].take()) {
            Some(input) => {
                self.given.push(input);
                Some(input)
            }
            None => self.given.iter().rev().copied().find(|input| exact(input)),
        };
        next.map_or(InputValue::Null, |input| input.value)
    }

    fn byte(&mut self) -> Option<u8> {
        let is_byte = |input: &&SuspectInput| input.name == encoding::STANDARD_INPUT;
        let at = self.left.iter().position(|input| input.as_ref().is_some_and(is_byte))?;
        let input = self.left[at].take()?;
        let InputValue::Integer(byte) = input.value else { return None };
        let byte = u8::try_from(byte).ok()?;
        self.bytes.push(byte);
        Some(byte)
    }
}
