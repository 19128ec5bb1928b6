//! The arguments of `main`: at least one word, any number of them, each a string of any length, and a null pointer after
//! the last.
//!
//! The table of words is an object as long as the number of words says. What is read from it is a word of its own for
//! each place that is asked for: the same place gives the same word, but two places that cannot be told apart give two
//! words, each of them anything. That is sound because words are never changed: a write to a word or to the table ends
//! the path, pointers to two words may or may not be equal, and a word goes away where an iteration of a loop ends.
//!
//! Known imprecision: a word that a loop keeps from one iteration to the next is a pointer of which nothing is known,
//! and so is whatever is read from the environment that `main` gets as its third argument.

use base::Location;
use logic::{Binary, Sort, Term};
use program::{Body, Function, IntegerType, Type};

use crate::access::Target;
use crate::encoder::Encoder;
use crate::memory::{Contents, Kind, Start};
use crate::state::State;
use crate::value::{OFFSET_WIDTH, Pointer, Value};

/// What the table of words is called.
pub(crate) const COMMAND_LINE: &str = "argv";

/// What a word is called.
pub(crate) const WORD: &str = "word of the command line";

/// What a text is called that the environment gives.
pub(crate) const TEXT: &str = "text";

/// No text from outside has more bytes.
pub(crate) const LONGEST: u64 = 1 << 40;

/// So many bytes of a word are listed as inputs.
const LISTED: u64 = 64;

/// A word that was made for a place in the table.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    number: u32,
    contents: Contents,
}

impl Encoder<'_> {
    /// The arguments of the function that a run starts in: inputs, and for `main` a command line.
    pub(crate) fn first_arguments(
        &mut self,
        state: &mut State,
        function: &Function,
        body: &Body,
    ) -> Vec<(Type, Value)> {
        let mut arguments = Vec::new();
        for (number, (&ty, &parameter)) in function.parameters.iter().zip(&body.parameters).enumerate() {
            if let Some(&size) = function.aggregates.get(&number) {
                let name = &body.variables[parameter].name;
                arguments.push((ty, self.aggregate(state, name, size)));
                continue;
            }
            let value = match (function.name.as_str(), arguments.as_slice(), ty) {
                ("main", &[(Type::Integer(count), Value::Scalar(words))], Type::Pointer) => {
                    self.command_line(state, count, words)
                }
                _ => {
                    let name = format!("parameter {}", body.variables[parameter].name);
                    self.input(state, &name, ty, function.location)
                }
            };
            if function.name == "main"
                && arguments.is_empty()
                && let (Type::Integer(count), Value::Scalar(words)) = (ty, value)
            {
                self.at_least_one(state, count, words);
            }
            arguments.push((ty, value));
        }
        arguments
    }

    /// An aggregate that somebody passes by value.
    fn aggregate(&mut self, state: &mut State, name: &str, size: u64) -> Value {
        let alignment = if size.is_multiple_of(8) { 8 } else { 1 << size.trailing_zeros().min(3) };
        let size = self.terms.bits(OFFSET_WIDTH, size.into());
        let number = self.create(state, Kind::Provided("an argument"), name, size, alignment, Start::Unknown);
        Value::Pointer(Pointer::to(&mut self.terms, number, 0))
    }

    /// A program is started with at least its name.
    fn at_least_one(&mut self, state: &mut State, ty: IntegerType, words: Term) {
        let op = if self.is_mathematical() { Binary::LessEqual } else { Binary::SignedLessEqual };
        let least = if self.program.world.empty_command_line { 0 } else { 1 };
        let (one, most) = (self.constant(ty, least), self.constant(ty, i32::MAX.into()));
        let (above, below) = (self.terms.binary(op, one, words), self.terms.binary(op, words, most));
        state.assume(&mut self.terms, above);
        state.assume(&mut self.terms, below);
    }

    fn command_line(&mut self, state: &mut State, ty: IntegerType, words: Term) -> Value {
        let width = self.program.data_model.pointer_bytes();
        let words = self.as_offset(words, ty.signed);
        let (one, bytes) = (self.terms.bits(OFFSET_WIDTH, 1), self.terms.bits(OFFSET_WIDTH, width.into()));
        let places = self.terms.binary(Binary::BitAdd, words, one);
        let size = self.terms.binary(Binary::BitMultiply, places, bytes);
        let kind = Kind::Provided(COMMAND_LINE);
        let number = self.create(state, kind, COMMAND_LINE, size, width, Start::Unknown);
        self.objects[number as usize].writable = false;
        Value::Pointer(Pointer::to(&mut self.terms, number, 0))
    }

    /// Whether a pointer that is read from this object is a word.
    pub(crate) fn holds_words(&self, number: u32) -> bool {
        self.objects[number as usize].kind == Kind::Provided(COMMAND_LINE)
    }

    /// The word at an offset of the table, which is inside it.
    pub(crate) fn word(&mut self, state: &mut State, table: u32, offset: Term) -> Value {
        let width = self.program.data_model.pointer_bytes();
        let bytes = self.terms.bits(OFFSET_WIDTH, width.into());
        let size = self.objects[table as usize].size;
        let last = self.terms.binary(Binary::BitSubtract, size, bytes);
        let is_last = self.terms.equal(offset, last);
        let number = self.word_object(state, offset, width);
        let (null, word) = (Pointer::null(&mut self.terms), Pointer::to(&mut self.terms, number, 0));
        let pointer = Pointer::choose(&mut self.terms, is_last, null, word);
        let mask = self.terms.bits(OFFSET_WIDTH, u128::from(width - 1));
        let within = self.terms.binary(Binary::BitAnd, offset, mask);
        let zero = self.terms.bits(OFFSET_WIDTH, 0);
        let aligned = self.terms.equal(within, zero);
        if self.terms.is_true(aligned) {
            return Value::Pointer(pointer);
        }
        let unknown = self.arbitrary("between two words", Type::Pointer);
        let unknown = self.as_pointer(unknown);
        Value::Pointer(Pointer::choose(&mut self.terms, aligned, pointer, unknown))
    }

    /// The object of the word at an offset of the table.
    fn word_object(&mut self, state: &mut State, offset: Term, width: u64) -> u32 {
        let known = self.words.get(&offset).cloned();
        // An iteration that was taken back has taken its words along.
        let known = known.filter(|word| {
            let object = self.objects.get(word.number as usize);
            object.is_some_and(|object| object.kind == Kind::Provided(WORD))
                && self.word_places.get(&word.number) == Some(&offset)
        });
        let word = match known {
            Some(word) => word,
            None => self.new_word(state, offset, width),
        };
        let number = word.number;
        state.set_contents(number, word.contents);
        let end = self.last_byte(number);
        let place = Pointer::to(&mut self.terms, number, 0);
        self.assume_end(state, place, end);
        number
    }

    fn new_word(&mut self, state: &mut State, offset: Term, width: u64) -> Word {
        let place = self.terms.known_bits(offset).and_then(|bits| bits.to_u128());
        let name = place.map_or_else(String::new, |place| (place / u128::from(width)).to_string());
        let name = format!("{COMMAND_LINE}[{name}]");
        let number = self.outside_string(state, Kind::Provided(WORD), &name);
        let contents = state.contents(number).cloned();
        let always = self.terms.bool(true);
        let object = &self.objects[number as usize];
        let contents =
            contents.unwrap_or_else(|| Contents::new(&mut self.terms, object, None, Start::Unknown, false));
        let word = Word { number, contents: Contents { alive: always, ..contents } };
        self.words.insert(offset, word.clone());
        self.word_places.insert(number, offset);
        self.list_word(state, number, &name);
        word
    }

    /// An object with a string of any length that nobody may write. Where it ends is for the caller to assume.
    pub(crate) fn outside_string(&mut self, state: &mut State, kind: Kind, name: &str) -> u32 {
        let size = self.terms.fresh(format!("size of {name}"), Sort::BitVector(OFFSET_WIDTH));
        let (one, most) = (self.terms.bits(OFFSET_WIDTH, 1), self.terms.bits(OFFSET_WIDTH, LONGEST.into()));
        let invariant = self.within(Binary::UnsignedLessEqual, one, size, most);
        self.axioms.add(size, invariant);
        let number = self.create(state, kind, name, size, 1, Start::Unknown);
        self.objects[number as usize].writable = false;
        number
    }

    /// The offset of the last byte of an object.
    pub(crate) fn last_byte(&mut self, number: u32) -> Term {
        let one = self.terms.bits(OFFSET_WIDTH, 1);
        let size = self.objects[number as usize].size;
        self.terms.binary(Binary::BitSubtract, size, one)
    }

    /// Lists the first bytes of a word as inputs, so that a run can be made with it: its length, then each byte.
    fn list_word(&mut self, state: &State, number: u32, name: &str) {
        let mut view = state.clone();
        let (asked, location) = (self.terms.bool(true), Location::unknown());
        let length = self.last_byte(number);
        let length = (Type::unsigned(OFFSET_WIDTH as u8), Value::Scalar(length));
        self.note_input(asked, &format!("length of {name}"), location, length);
        for place in 0..LISTED {
            let place = Pointer::to(&mut self.terms, number, place as i64);
            let byte = Value::Scalar(self.read_bytes(&mut view, place, 1));
            self.note_input(asked, name, location, (Type::unsigned(8), byte));
        }
    }

    /// Ends the paths that write to what several pointers share without our knowing: words and texts from outside.
    pub(crate) fn end_shared(&mut self, state: &mut State, targets: &[Target]) {
        for &Target { number, here, .. } in targets {
            let Kind::Provided(name @ (COMMAND_LINE | WORD | TEXT)) = self.objects[number as usize].kind
            else {
                continue;
            };
            let elsewhere = self.terms.not(here);
            self.give_up_unless(state, elsewhere, format!("a write to a {name} from outside"));
        }
    }

    /// Whether an object need not be kept from one iteration of a loop to the next.
    pub(crate) fn is_passing(&self, number: u32) -> bool {
        use crate::library::STREAM;
        matches!(self.objects[number as usize].kind, Kind::Provided(WORD | TEXT | STREAM))
    }
}
