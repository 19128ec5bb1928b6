//! Values of gates from values of inputs, in 64 cases at once.
//!
//! Before a query goes to the SAT solver, it is tried on numbers that often matter and on the last models: most queries
//! that have an answer like an earlier one are answered so.

use super::gates::{Gate, Gates, Literal};

/// Values of gates; each is computed once per round.
#[derive(Default)]
pub(crate) struct Simulation {
    words: Vec<u64>,
    stamps: Vec<u32>,
    stamp: u32,
    stack: Vec<u32>,
}

impl Simulation {
    /// Forgets all values.
    pub(crate) fn clear(&mut self) {
        self.stamp += 1;
    }

    /// The values of a literal, given those of the inputs by their gates.
    pub(crate) fn value(
        &mut self,
        gates: &Gates,
        literal: Literal,
        input: &mut impl FnMut(usize) -> u64,
    ) -> u64 {
        if self.words.len() < gates.len() {
            self.words.resize(gates.len(), 0);
            self.stamps.resize(gates.len(), 0);
        }
        self.stack.push(literal.gate() as u32);
        while let Some(&gate) = self.stack.last() {
            let gate = gate as usize;
            if self.stamps[gate] == self.stamp {
                self.stack.pop();
                continue;
            }
            let kind = gates.gate(gate);
            let before = self.stack.len();
            for operand in kind.operands() {
                if self.stamps[operand.gate()] != self.stamp {
                    self.stack.push(operand.gate() as u32);
                }
            }
            if self.stack.len() == before {
                let free = if let Gate::Input(_) = kind { input(gate) } else { 0 };
                self.words[gate] = kind.evaluate(free, |literal| self.word(literal));
                self.stamps[gate] = self.stamp;
                self.stack.pop();
            }
        }
        self.word(literal)
    }

    fn word(&self, literal: Literal) -> u64 {
        let word = self.words[literal.gate()];
        if literal.is_negated() { !word } else { word }
    }
}

/// Values of inputs to try: 64 cases.
#[derive(Default)]
pub(crate) struct Cases {
    words: Vec<u64>,
    next: u32,
}

/// The first cases stay; the others are taken by models.
const FIXED: u32 = 32;

impl Cases {
    /// The values of an input: bit number `index` of a vector of `width` bits.
    pub(crate) fn set_up(&mut self, gate: usize, index: usize, width: usize) {
        if self.words.len() <= gate {
            self.words.resize(gate + 1, 0);
        }
        // All zeros, all ones, one, the least and the greatest number in two's complement, two.
        let corners = [false, true, index == 0, index + 1 == width, index + 1 != width, index == 1];
        let mut word = corners.iter().enumerate().map(|(case, bit)| u64::from(*bit) << case).sum::<u64>();
        // Small numbers, small negative numbers, numbers of a byte, any number.
        let random = scramble(gate as u64);
        word |= (if index < 4 { random } else { 0 }) & 0x0000_ffc0;
        word |= (if index < 4 { random } else { u64::MAX }) & 0x00ff_0000;
        word |= (if index < 8 { random } else { 0 }) & 0xff00_0000;
        word |= random & 0xffff_ffff_0000_0000;
        self.words[gate] = word;
    }

    /// The values of an input.
    pub(crate) fn get(&self, gate: usize) -> u64 {
        self.words.get(gate).copied().unwrap_or(0)
    }

    /// Makes room for one more model: where it goes.
    pub(crate) fn next_model(&mut self) -> u32 {
        self.next = (self.next + 1) % (u64::BITS - FIXED);
        FIXED + self.next
    }

    /// Takes note of the value of an input in a model.
    pub(crate) fn set(&mut self, case: u32, gate: usize, value: bool) {
        if let Some(word) = self.words.get_mut(gate) {
            *word = *word & !(1 << case) | u64::from(value) << case;
        }
    }
}

/// Bits that look random (the finaliser of SplitMix64).
fn scramble(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
