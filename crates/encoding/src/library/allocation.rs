//! Models of allocation. As in the interpreter, it fails only for sizes beyond all machines, unless
//! the world says that it may always fail.

use logic::{Binary, Sort, Term};
use program::{Obligation, Type};

use super::{Call, NOTHING, Reply, Row};
use crate::access::Access;
use crate::encoder::Encoder;
use crate::memory::{Kind, Start};
use crate::state::State;
use crate::value::{OFFSET_WIDTH, Pointer, Value, known};

/// `EINVAL`.
const INVALID_ARGUMENT: i128 = 22;

pub(super) const MODELS: &[Row] = &[
    ("malloc", 1, allocate),
    ("valloc", 1, allocate),
    ("calloc", 2, |encoder, state, call| {
        let (size, lost) = product(encoder, call, 0, 1);
        let pointer = encoder.allocate(state, size, Some(lost), Start::Zero);
        encoder.returns_pointer(pointer)
    }),
    ("realloc", 2, |encoder, state, call| {
        let size = encoder.size_argument(call, 1);
        let fits = encoder.terms.bool(false);
        reallocate(encoder, state, call, size, fits)
    }),
    ("reallocarray", 3, |encoder, state, call| {
        let (size, lost) = product(encoder, call, 1, 2);
        reallocate(encoder, state, call, size, lost)
    }),
    ("aligned_alloc", 2, aligned),
    ("memalign", 2, aligned),
    ("posix_memalign", 3, place_aligned),
    ("free", 1, free),
    ("cfree", 1, free),
];

fn allocate(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let size = encoder.size_argument(call, 0);
    let pointer = encoder.allocate(state, size, None, Start::Unwritten);
    encoder.returns_pointer(pointer)
}

/// The product of two sizes, and whether no `size_t` holds it.
fn product(encoder: &mut Encoder<'_>, call: &Call<'_>, count: usize, size: usize) -> (Term, Term) {
    let (count, size) = (encoder.size_argument(call, count), encoder.size_argument(call, size));
    let lost = encoder.terms.binary(Binary::UnsignedMultiplyOverflows, count, size);
    let product = encoder.terms.binary(Binary::BitMultiply, count, size);
    // Where `size_t` is narrower, the largest block is smaller still: too large a product is refused for its size.
    (product, lost)
}

fn free(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let pointer = encoder.pointer_argument(call, 0);
    let freeable = encoder.is_freeable(state, pointer);
    encoder.check_condition(state, Obligation::InvalidFree, freeable);
    encoder.end_object(state, pointer.object);
    NOTHING
}

fn reallocate(
    encoder: &mut Encoder<'_>,
    state: &mut State,
    call: &Call<'_>,
    size: Term,
    lost: Term,
) -> Reply {
    let old = encoder.pointer_argument(call, 0);
    let freeable = encoder.is_freeable(state, old);
    let freeable = encoder.terms.or(lost, freeable);
    encoder.check_condition(state, Obligation::InvalidFree, freeable);
    let (zero, none) = (encoder.offset(0), encoder.number_term(0));
    let empty = encoder.terms.equal(size, zero);
    let is_null = old.is_null(&mut encoder.terms);
    let something = encoder.terms.not(is_null);
    let freed = encoder.terms.and(empty, something);
    let refused = encoder.is_refused(size, Some(lost));
    let given_up = encoder.terms.or(refused, freed);
    let kept = {
        let room = encoder.room(state, old);
        let kept = encoder.smaller(room, size);
        encoder.terms.ite(given_up, zero, kept)
    };
    let new = encoder.new_block(state, size, given_up, Start::Unwritten);
    encoder.copy(state, new, old, kept);
    let ended = encoder.terms.ite(refused, none, old.object);
    encoder.end_object(state, ended);
    let taken = encoder.terms.not(given_up);
    encoder.returns_pointer_if(taken, new)
}

fn aligned(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let (alignment, size) = (encoder.size_argument(call, 0), encoder.size_argument(call, 1));
    let pointer = match known(&encoder.terms, alignment)?.is_power_of_two() {
        true => encoder.allocate(state, size, None, Start::Unwritten),
        false => Pointer::null(&mut encoder.terms),
    };
    encoder.returns_pointer(pointer)
}

fn place_aligned(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let (alignment, size) = (encoder.size_argument(call, 1), encoder.size_argument(call, 2));
    let width = encoder.program.data_model.pointer_bytes();
    let alignment = known(&encoder.terms, alignment)?;
    if encoder.program.world.failing_allocation {
        // What it gives then tells whether it has failed, which no term says.
        return None;
    }
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(width) {
        return encoder.returns_int(INVALID_ARGUMENT);
    }
    let pointer = encoder.allocate(state, size, None, Start::Unwritten);
    let (place, bytes) = (encoder.pointer_argument(call, 0), encoder.offset(width));
    encoder.require_access(state, place, bytes, Access::Write);
    encoder.store(state, place, Value::Pointer(pointer), Type::Pointer);
    encoder.returns_int(0)
}

impl Encoder<'_> {
    /// Whether no machine gives so much memory.
    fn is_refused(&mut self, size: Term, too_large: Option<Term>) -> Term {
        let bits = 8 * self.program.data_model.pointer_bytes() as u32;
        let largest = self.terms.bits(OFFSET_WIDTH, (1u128 << (bits - 1)) - 1);
        let mut refused = self.less(largest, size);
        if self.program.world.failing_allocation {
            let fails = self.terms.fresh("allocation fails", Sort::Bool);
            refused = self.terms.or(refused, fails);
        }
        match too_large {
            Some(too_large) => self.terms.or(refused, too_large),
            None => refused,
        }
    }

    /// New heap memory; null if the size is beyond all machines.
    pub(super) fn allocate(
        &mut self,
        state: &mut State,
        size: Term,
        too_large: Option<Term>,
        start: Start,
    ) -> Pointer {
        let refused = self.is_refused(size, too_large);
        let new = self.new_block(state, size, refused, start);
        let null = Pointer::null(&mut self.terms);
        Pointer::choose(&mut self.terms, refused, null, new)
    }

    /// New heap memory that is alive unless it is refused.
    fn new_block(&mut self, state: &mut State, size: Term, refused: Term, start: Start) -> Pointer {
        let number = self.create(state, Kind::Heap(self.location()), "heap memory", size, 16, start);
        if let Some(contents) = state.contents_mut(number) {
            contents.alive = self.terms.not(refused);
        }
        Pointer::to(&mut self.terms, number, 0)
    }
}
