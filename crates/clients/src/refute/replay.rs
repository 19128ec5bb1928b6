//! A run that somebody else suggests: does it violate the property?

use base::Budget;
use certify::unrolling::SuspectInput;
use evidence::{Counterexample, Reason};
use program::interpret::{Arguments, DiscardedOutput, FILE_BYTE, InputValue, Inputs, Machine, Request, Run};
use program::{FunctionId, Program, Type};

use super::guess::Guess;
use super::judge::LONGEST_WORD;
use super::record::{options, violation};
use super::{Query, Tried};

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
    let followed = follow(program, &machine, query, function, suggested, &mut budget.part(STEPS));
    violation(&machine, program, query, function, followed.tried())
}

/// A run on suggested inputs.
pub(crate) struct Followed {
    run: Run,
    arguments: Arguments,
    /// The words of the command line; none if the function takes none.
    words: Vec<Vec<u8>>,
    /// What was read from standard input.
    bytes: Vec<u8>,
}

impl Followed {
    /// The run with what is needed to make it again.
    pub fn tried(&self) -> Tried<'_> {
        let Self { run, arguments, words, bytes } = self;
        Tried { run, arguments, words, standard_input: bytes }
    }
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
    let arguments = query.arguments(&words);
    let mut inputs =
        Suggested { left: suggested.iter().map(Some).collect(), given: Vec::new(), bytes: Vec::new() };
    let run = machine.run(function, &arguments, &mut inputs, &mut DiscardedOutput, budget);
    Followed { run, arguments, words, bytes: inputs.bytes }
}

/// What a run is given that takes suggested inputs, as a guess.
pub(super) fn guess(
    program: &Program,
    query: &Query,
    function: FunctionId,
    suggested: &[SuspectInput],
) -> Guess {
    let machine = Machine::new(program, &options(query));
    let mut budget = Budget::steps(SHORT);
    let Followed { run, words, bytes, .. } =
        follow(program, &machine, query, function, suggested, &mut budget);
    let prefix = run.inputs.iter().map(|input| input.value).collect();
    Guess { prefix, standard_input: bytes, arguments: words, ..Guess::zeros() }
}

/// The command line with as many words as the first argument of `main` says, as far as anything is said of the words.
/// None if the function takes none.
fn words(program: &Program, query: &Query, function: FunctionId, suggested: &[SuspectInput]) -> Vec<Vec<u8>> {
    if !query.takes_words(program, function) {
        return Vec::new();
    }
    let count = match suggested.first() {
        Some(SuspectInput { value: InputValue::Integer(count), ty: Type::Integer(_), .. }) => *count,
        _ => 1,
    };
    let rest = (1..count.clamp(1, MOST_WORDS)).map(|place| word(suggested, place));
    std::iter::once(b"program".to_vec()).chain(rest).collect()
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
