//! Strings: where the first zero byte is, as numbers that belong to an object and a place in it.
//!
//! After LoopFrog, section 4.1, and Dor, Rodeh and Sagiv (2003): of every buffer it matters whether a zero byte follows
//! a place (z), where the first one is (l), and how large the buffer is (b). Instead of an instrumentation that keeps these
//! numbers up to date, they are defined where somebody asks, by the bytes that are there then:
//!
//! ```text
//! first = the least k with start ≤ k < size and contents[k] = 0, or size if there is none
//!
//! first ≤ size        first < size → start ≤ first ∧ contents[first] = 0        ∀k: start ≤ k < first → contents[k] ≠ 0
//! ```
//!
//! The definition is total, so the axioms hold in every run and need no condition. Where the bytes are known, or few,
//! the number is a term over the bytes; else it is a symbol with these axioms as [`crate::Axioms`]. Searches for other
//! bytes (`strchr`, `strcmp`, `strspn`) are of the same form: [`Encoder::first_offset`] and [`Encoder::last_offset`].
//!
//! Known imprecision: quantified axioms are used at the indices that a query speaks of, and cells wider than a byte
//! hide most of these.

use logic::{Binary, Sort, Term};
use program::Obligation;
use rustc_hash::FxHashMap;

use crate::access::{Access, Target};
use crate::axioms::Universal;
use crate::encoder::Encoder;
use crate::memory::{Contents, Range};
use crate::state::State;
use crate::value::{OFFSET_WIDTH, Pointer, known};

/// No search becomes a choice between more places that are not decided.
const UNDECIDED: usize = 32;

/// No search examines more places for a decided one.
const DECIDED: u64 = 4096;

/// A search in an object of up to so many bytes whose cells are wider is told of each of them.
const PLACES: u64 = 256;

/// So many bytes at the end of an object are examined for one that surely ends a search.
const LAST: u64 = 8;

/// What a string is, by numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ghost {
    /// Whether a zero byte lies at the start or after it, inside the object.
    pub terminated: Term,
    /// The offset of the first one; the size of the object if there is none.
    pub first: Term,
}

/// What a string depends on: the cells, those that are pointers, the width of a cell, the size of the object, and the
/// start.
type Key = (Term, Option<Term>, u64, Term, Term);

/// The strings that somebody has asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ghosts(FxHashMap<Key, Term>);

/// Whether what is searched for is at an offset.
pub(crate) type Holds<'a, 'p> = &'a mut dyn FnMut(&mut Encoder<'p>, Term) -> Term;

/// Where to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'a> {
    /// What to call the result.
    pub name: &'a str,
    /// The first offset to examine.
    pub start: Term,
    /// The first offset not to examine.
    pub limit: Term,
    /// A number that the limit does not exceed.
    pub most: Option<u64>,
    /// What to add to an offset for the place that corresponds to it in something else that is searched along with it.
    pub shifts: &'a [Term],
    /// Whether cells are wider than a byte.
    pub wide: bool,
}

impl<'p> Encoder<'p> {
    /// The string that starts at an offset in an object with these contents.
    pub fn string_ghost(&mut self, number: u32, contents: &Contents, start: Term) -> Ghost {
        let object = &self.objects[number as usize];
        let (size, cell, name) = (object.size, object.cell, format!("end of {}", object.name));
        let (mut bits, owners) = (contents.bits.clone(), contents.owners.clone());
        let array = bits.flatten(&mut self.terms);
        let owners = owners.map(|mut owners| owners.flatten(&mut self.terms));
        let key = (array, owners, cell, size, start);
        let first = match self.ghosts.0.get(&key) {
            Some(&first) => first,
            None => {
                let mut contents = contents.clone();
                let most = known(&self.terms, size);
                let stretch = Stretch { name: &name, start, limit: size, most, shifts: &[], wide: cell > 1 };
                let first = self.first_offset(stretch, &mut |encoder, offset| {
                    let range = Range { offset, size: 1, cell };
                    let byte = range.read_bits(&mut encoder.terms, &mut contents);
                    encoder.is_byte(byte, 0)
                });
                self.ghosts.0.insert(key, first);
                first
            }
        };
        Ghost { terminated: self.terms.binary(Binary::UnsignedLess, first, size), first }
    }

    /// Whether some bits are this byte.
    pub(crate) fn is_byte(&mut self, bits: Term, byte: u8) -> Term {
        let byte = self.terms.bits(8, byte.into());
        self.terms.equal(bits, byte)
    }

    /// The first offset in a stretch with a property, or the limit.
    pub(crate) fn first_offset(&mut self, stretch: Stretch<'_>, property: Holds<'_, 'p>) -> Term {
        if let Some(first) = self.chosen_offset(stretch, property) {
            return first;
        }
        let Stretch { start, limit, most, .. } = stretch;
        let first = self.terms.fresh(stretch.name, Sort::BitVector(OFFSET_WIDTH));
        let within = self.terms.binary(Binary::UnsignedLessEqual, first, limit);
        let found = self.terms.binary(Binary::UnsignedLess, first, limit);
        let after = self.terms.binary(Binary::UnsignedLessEqual, start, first);
        let holds = property(self, first);
        let then = self.terms.and(after, holds);
        let then = self.terms.implies(found, then);
        self.axioms.add(first, within);
        self.axioms.add(first, then);
        if let Some(last) = most.and_then(|most| self.surely_last(most, property)) {
            let last = self.terms.bits(OFFSET_WIDTH, last.into());
            let inside = self.is_between(start, last, limit);
            let before = self.terms.binary(Binary::UnsignedLessEqual, first, last);
            let invariant = self.terms.implies(inside, before);
            self.axioms.add(first, invariant);
        }
        self.for_all(stretch, first, start, first, property);
        first
    }

    /// The offset after the last one in a stretch with a property, or the start.
    pub(crate) fn last_offset(&mut self, stretch: Stretch<'_>, property: Holds<'_, 'p>) -> Term {
        let Stretch { start, limit, most, .. } = stretch;
        if let Some(most) = most.filter(|&most| most <= UNDECIDED as u64) {
            return (0..most).fold(start, |before, place| {
                let offset = self.terms.bits(OFFSET_WIDTH, place.into());
                let (inside, holds) = (self.is_between(start, offset, limit), property(self, offset));
                let found = self.terms.and(inside, holds);
                let after = self.terms.bits(OFFSET_WIDTH, u128::from(place) + 1);
                self.terms.ite(found, after, before)
            });
        }
        let after = self.terms.fresh(stretch.name, Sort::BitVector(OFFSET_WIDTH));
        let from = self.terms.binary(Binary::UnsignedLessEqual, start, after);
        let to = self.terms.binary(Binary::UnsignedLessEqual, after, limit);
        let one = self.terms.bits(OFFSET_WIDTH, 1);
        let last = self.terms.binary(Binary::BitSubtract, after, one);
        let holds = property(self, last);
        let none = self.terms.equal(after, start);
        let inside = self.terms.and(to, holds);
        let inside = self.terms.and(from, inside);
        let invariant = self.terms.or(none, inside);
        self.axioms.add(after, invariant);
        self.for_all(stretch, after, after, limit, property);
        after
    }

    /// Says that no offset of a stretch in a range has a property.
    fn for_all(&mut self, stretch: Stretch<'_>, symbol: Term, from: Term, to: Term, property: Holds<'_, 'p>) {
        let zero = self.terms.bits(OFFSET_WIDTH, 0);
        let places = stretch.most.filter(|&most| stretch.wide && most <= PLACES).unwrap_or(0);
        for &shift in std::iter::once(&zero).chain(stretch.shifts) {
            let bound = self.terms.fresh("k", Sort::BitVector(OFFSET_WIDTH));
            let offset = self.terms.binary(Binary::BitSubtract, bound, shift);
            let inside = self.is_between(from, offset, to);
            let holds = property(self, offset);
            let not = self.terms.not(holds);
            let body = self.terms.implies(inside, not);
            self.axioms.add_universal(symbol, Universal { bound, body, places });
        }
    }

    /// Whether a number is at least one and less than another.
    pub(crate) fn is_between(&mut self, low: Term, number: Term, high: Term) -> Term {
        let from = self.terms.binary(Binary::UnsignedLessEqual, low, number);
        let to = self.terms.binary(Binary::UnsignedLess, number, high);
        self.terms.and(from, to)
    }

    /// The first offset with a property as a choice, if few places are not decided.
    fn chosen_offset(&mut self, stretch: Stretch<'_>, property: Holds<'_, 'p>) -> Option<Term> {
        let Stretch { start, limit, most, .. } = stretch;
        let first = known(&self.terms, start);
        if first.is_none() && most.is_none_or(|most| most > UNDECIDED as u64) {
            return None;
        }
        let mut undecided: Vec<(Term, Term)> = Vec::new();
        let mut result = limit;
        let from = first.unwrap_or(0);
        for place in from..=from.saturating_add(DECIDED) {
            if most.is_some_and(|most| place >= most) {
                break;
            }
            if undecided.len() > UNDECIDED || place == from + DECIDED {
                return None;
            }
            let offset = self.terms.bits(OFFSET_WIDTH, place.into());
            let inside = self.is_between(start, offset, limit);
            if self.terms.is_false(inside) && first.is_some() {
                break;
            }
            let holds = property(self, offset);
            let found = self.terms.and(inside, holds);
            if self.terms.is_true(found) {
                result = offset;
                break;
            }
            if !self.terms.is_false(found) {
                undecided.push((offset, found));
            }
        }
        undecided.reverse();
        Some(undecided.into_iter().fold(result, |rest, (offset, found)| self.terms.ite(found, offset, rest)))
    }

    /// A place near the end of an object that surely has a property.
    fn surely_last(&mut self, most: u64, property: Holds<'_, 'p>) -> Option<u64> {
        (most.saturating_sub(LAST)..most).rev().find(|&place| {
            let offset = self.terms.bits(OFFSET_WIDTH, place.into());
            let holds = property(self, offset);
            self.terms.is_true(holds)
        })
    }
}

/// Strings at pointers.
impl Encoder<'_> {
    /// The string at a pointer, whichever object it points to.
    pub(crate) fn text(&mut self, state: &State, pointer: Pointer) -> Ghost {
        let mut result: Option<Ghost> = None;
        for Target { number, here, offset } in self.targets(state, pointer) {
            let Some(contents) = state.contents(number) else { continue };
            let contents = contents.clone();
            let Ghost { terminated, first } = self.string_ghost(number, &contents, offset);
            result = Some(match result {
                None => Ghost { terminated: self.terms.and(here, terminated), first },
                Some(other) => Ghost {
                    terminated: self.terms.ite(here, terminated, other.terminated),
                    first: self.terms.ite(here, first, other.first),
                },
            });
        }
        // What points to no object is no string, and its use is a violation.
        result.unwrap_or_else(|| {
            let first = self.terms.fresh("string of no object", Sort::BitVector(OFFSET_WIDTH));
            Ghost { terminated: self.terms.bool(false), first }
        })
    }

    /// Whether a zero byte follows in the object that a pointer points to.
    pub(crate) fn is_terminated(&mut self, state: &State, pointer: Pointer) -> Term {
        self.text(state, pointer).terminated
    }

    /// Requires that a string has an end: an access outside it follows, if nobody asks for termination itself.
    pub(crate) fn require_termination(&mut self, state: &mut State, terminated: Term) {
        let checks = self.options.checks;
        let outside =
            !checks.contains(Obligation::StringTermination) && checks.contains(Obligation::OutOfBounds);
        let obligation = if outside { Obligation::OutOfBounds } else { Obligation::StringTermination };
        self.check_condition(state, obligation, terminated);
    }

    /// Requires that a pointer points to a string, and gives the offset of its end.
    pub(crate) fn require_string(&mut self, state: &mut State, pointer: Pointer) -> Term {
        let one = self.terms.bits(OFFSET_WIDTH, 1);
        self.require_access(state, pointer, one, Access::Touch);
        let text = self.text(state, pointer);
        let length = self.terms.binary(Binary::BitSubtract, text.first, pointer.offset);
        let looked_at = self.terms.binary(Binary::BitAdd, length, one);
        let looked_at = self.terms.ite(text.terminated, looked_at, length);
        self.require_written(state, pointer, looked_at);
        self.require_termination(state, text.terminated);
        text.first
    }

    /// Requires that bytes can be read up to a terminator or a limit, and gives their number without the terminator.
    pub(crate) fn require_bounded(&mut self, state: &mut State, pointer: Pointer, limit: Term) -> Term {
        let (zero, one) = (self.terms.bits(OFFSET_WIDTH, 0), self.terms.bits(OFFSET_WIDTH, 1));
        let nothing = self.terms.equal(limit, zero);
        let first = self.terms.ite(nothing, zero, one);
        self.require_access(state, pointer, first, Access::Touch);
        let text = self.text(state, pointer);
        let available = self.terms.binary(Binary::BitSubtract, text.first, pointer.offset);
        let ends = self.terms.binary(Binary::UnsignedLess, available, limit);
        let length = self.terms.ite(ends, available, limit);
        let with_end = self.terms.binary(Binary::BitAdd, available, one);
        let terminator = self.terms.and(ends, text.terminated);
        let looked_at = self.terms.ite(terminator, with_end, length);
        self.require_written(state, pointer, looked_at);
        let enough = self.terms.not(ends);
        let possible = self.terms.any(&[nothing, enough, text.terminated]);
        self.require_termination(state, possible);
        self.terms.ite(nothing, zero, length)
    }

    /// Takes note that the string at a pointer now ends at an offset.
    pub(crate) fn assume_end(&mut self, state: &mut State, pointer: Pointer, end: Term) {
        let always = self.terms.bool(true);
        self.assume_end_if(state, pointer, end, always);
    }

    /// Takes note that the string at a pointer now ends at an offset, if a condition holds.
    pub(crate) fn assume_end_if(&mut self, state: &mut State, pointer: Pointer, end: Term, condition: Term) {
        for Target { number, here, offset } in self.targets(state, pointer) {
            let Some(contents) = state.contents(number) else { continue };
            let contents = contents.clone();
            let ghost = self.string_ghost(number, &contents, offset);
            let same = self.terms.equal(ghost.first, end);
            let here = self.terms.and(here, condition);
            let invariant = self.terms.implies(here, same);
            state.assume(&mut self.terms, invariant);
        }
    }

    /// How many bytes an object has after a pointer.
    pub(crate) fn room(&mut self, state: &State, pointer: Pointer) -> Term {
        let mut room = self.terms.bits(OFFSET_WIDTH, 0);
        for Target { number, here, offset } in self.targets(state, pointer) {
            let size = self.objects[number as usize].size;
            let left = self.terms.binary(Binary::BitSubtract, size, offset);
            let inside = self.terms.binary(Binary::UnsignedLessEqual, offset, size);
            let here = self.terms.and(here, inside);
            room = self.terms.ite(here, left, room);
        }
        room
    }

    /// The size of the largest object that a pointer can point to, if all sizes are known, and whether one of them has
    /// cells wider than a byte.
    pub(crate) fn extent(&mut self, state: &State, pointer: Pointer) -> (Option<u64>, bool) {
        let mut most = Some(0);
        let mut wide = false;
        for Target { number, .. } in self.targets(state, pointer) {
            let object = &self.objects[number as usize];
            most = most.zip(known(&self.terms, object.size)).map(|(a, b)| a.max(b));
            wide |= object.cell > 1;
        }
        (most, wide)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoder::Options;
    use crate::memory::{Kind, Start};
    use base::Budget;
    use logic::solver::Embedded;
    use logic::{Answer, Solver};
    use program::Program;
    use program::interpret::{Integers, ObligationSet};

    fn empty_program() -> Program {
        parser::parse("data_model LP64 function main() { b0: return }").expect("the program parses")
    }

    fn encoder(program: &Program) -> Encoder<'_> {
        let options = Options {
            integers: Integers::Machine,
            checks: ObligationSet::ALL,
            needed: ObligationSet::EMPTY,
            iterations: 0,
            abstract_loops: None,
            call_depth: 1,
            recursion: 1,
            any_overflow: false,
            outside_returns: true,
            kept_pointers: false,
            trace: false,
        };
        Encoder::new(program, options, Budget::unlimited())
    }

    fn object(encoder: &mut Encoder<'_>, state: &mut State, size: u64, start: Start) -> u32 {
        let kind = Kind::Alloca(base::Location::unknown());
        let size = encoder.terms.bits(OFFSET_WIDTH, size.into());
        encoder.create(state, kind, "buffer", size, 1, start)
    }

    fn is_possible(encoder: &mut Encoder<'_>, condition: Term) -> bool {
        let terms = &mut encoder.terms;
        let mut asked = encoder.axioms.about(terms, &[condition]);
        asked.push(condition);
        let mut solver: Embedded = Embedded::new();
        solver.check(terms, &asked, &mut Budget::unlimited()) == Answer::Satisfiable
    }

    #[test]
    fn the_end_of_known_bytes_is_known() {
        let program = empty_program();
        let mut encoder = encoder(&program);
        let mut state = encoder.initial_state();
        let number = object(&mut encoder, &mut state, 1000, Start::Zero);
        let mut contents = state.contents(number).expect("the object is there").clone();
        for place in 0..5 {
            let byte = encoder.terms.bits(8, u128::from(b'a'));
            contents.bits.set(place, byte);
        }
        for (start, end) in [(0, 5), (3, 5), (5, 5), (7, 7)] {
            let start = encoder.terms.bits(OFFSET_WIDTH, start);
            let ghost = encoder.string_ghost(number, &contents, start);
            assert_eq!(known(&encoder.terms, ghost.first), Some(end));
            assert!(encoder.terms.is_true(ghost.terminated));
        }
    }

    #[test]
    fn a_zero_byte_bounds_the_end_of_an_unknown_string() {
        for size in [10, 100] {
            let program = empty_program();
            let mut encoder = encoder(&program);
            let mut state = encoder.initial_state();
            let number = object(&mut encoder, &mut state, size, Start::Unknown);
            let mut contents = state.contents(number).expect("the object is there").clone();
            let place = encoder.terms.fresh("i", Sort::BitVector(OFFSET_WIDTH));
            let limit = encoder.terms.bits(OFFSET_WIDTH, size.into());
            let inside = encoder.terms.binary(Binary::UnsignedLess, place, limit);
            let (zero, byte) = (encoder.terms.bits(OFFSET_WIDTH, 0), encoder.terms.bits(8, 0));
            let before = encoder.string_ghost(number, &contents, zero);
            let open = encoder.terms.not(before.terminated);
            assert!(is_possible(&mut encoder, open) && is_possible(&mut encoder, before.terminated));
            Range { offset: place, size: 1, cell: 1 }.write_bits(&mut encoder.terms, &mut contents, byte);
            let ghost = encoder.string_ghost(number, &contents, zero);
            assert_eq!(encoder.string_ghost(number, &contents, zero), ghost);
            let after = encoder.terms.binary(Binary::UnsignedLess, place, ghost.first);
            let after = encoder.terms.and(inside, after);
            assert!(!is_possible(&mut encoder, after), "the end is not behind a zero byte");
            let open = encoder.terms.not(ghost.terminated);
            let open = encoder.terms.and(inside, open);
            assert!(!is_possible(&mut encoder, open), "there is an end");
            let earlier = encoder.terms.binary(Binary::UnsignedLess, ghost.first, place);
            let earlier = encoder.terms.and(inside, earlier);
            assert!(is_possible(&mut encoder, earlier), "the end may be earlier");
        }
    }
}
