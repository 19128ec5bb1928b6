//! A network of gates over inputs: what terms of bits become before they become clauses.
//!
//! Equal gates are one gate, constants are propagated, and negation costs nothing: a literal is a gate or its negation.
//! A gate's number is above those of the gates it reads. The network only grows; each query uses the part of it that
//! its literals reach.

use rustc_hash::FxHashMap;

/// A gate or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Literal(u32);

impl Literal {
    /// The literal that is always true.
    pub(crate) const TRUE: Self = Self(0);
    /// The literal that is never true.
    pub(crate) const FALSE: Self = Self(1);

    /// A truth that is known.
    pub(crate) const fn constant(truth: bool) -> Self {
        if truth { Self::TRUE } else { Self::FALSE }
    }

    /// The number of the gate.
    pub(crate) const fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the negation of the gate.
    pub(crate) const fn is_negated(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether it is known, and what.
    pub(crate) fn known(self) -> Option<bool> {
        (self.gate() == 0).then_some(self == Self::TRUE)
    }

    /// The literal, negated if asked for.
    pub(crate) const fn negate_if(self, negate: bool) -> Self {
        Self(self.0 ^ negate as u32)
    }
}

impl std::ops::Not for Literal {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

impl std::fmt::Debug for Literal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}g{}", if self.is_negated() { "!" } else { "" }, self.gate())
    }
}

/// What computes one truth.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Gate {
    /// Always true; gate zero alone.
    True,
    /// Free; the number says what it stands for, and belongs to whoever made it.
    Input(u32),
    /// Both.
    And(Literal, Literal),
    /// Exactly one.
    Xor(Literal, Literal),
    /// The second if the first, else the third.
    Ite(Literal, Literal, Literal),
    /// An odd number of the three: the sum of a full adder.
    Odd(Literal, Literal, Literal),
    /// At least two of the three: the carry of a full adder.
    Majority(Literal, Literal, Literal),
}

/// The network.
pub(crate) struct Gates {
    gates: Vec<Gate>,
    ids: FxHashMap<Gate, u32>,
    /// How many gates read each gate, up to two.
    readers: Vec<u8>,
}

impl Gates {
    pub(crate) fn new() -> Self {
        Self { gates: vec![Gate::True], ids: FxHashMap::default(), readers: vec![0] }
    }

    /// How many gates there are.
    pub(crate) fn len(&self) -> usize {
        self.gates.len()
    }

    /// What a gate is.
    pub(crate) fn gate(&self, gate: usize) -> Gate {
        self.gates[gate]
    }

    /// Whether several gates read a gate.
    pub(crate) fn is_shared(&self, gate: usize) -> bool {
        self.readers[gate] > 1
    }

    /// A free literal that stands for something.
    pub(crate) fn input(&mut self, origin: u32) -> Literal {
        self.gates.push(Gate::Input(origin));
        self.readers.push(0);
        Self::literal(self.gates.len() - 1)
    }

    fn literal(gate: usize) -> Literal {
        Literal(u32::try_from(gate).ok().filter(|gate| *gate < 1 << 31).expect("fewer than 2^31 gates") << 1)
    }

    fn intern(&mut self, gate: Gate) -> Literal {
        if let Some(&id) = self.ids.get(&gate) {
            return Self::literal(id as usize);
        }
        let literal = Self::literal(self.gates.len());
        self.gates.push(gate);
        self.readers.push(0);
        for operand in gate.operands() {
            let readers = &mut self.readers[operand.gate()];
            *readers = (*readers + 1).min(2);
        }
        self.ids.insert(gate, literal.gate() as u32);
        literal
    }

    /// Whether both are true.
    pub(crate) fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b || a == Literal::TRUE {
            return b;
        }
        if a == Literal::FALSE || a == !b {
            return Literal::FALSE;
        }
        // The other operand is an `and` itself: what it shares with this one decides or falls away.
        for (this, that) in [(a, b), (b, a)] {
            if let Gate::And(x, y) = self.gates[that.gate()] {
                match (that.is_negated(), this == x || this == y, this == !x || this == !y) {
                    (false, true, _) => return that,
                    (false, _, true) => return Literal::FALSE,
                    (true, _, true) => return this,
                    (true, true, _) => return self.and(this, if this == x { !y } else { !x }),
                    _ => {}
                }
            }
        }
        self.intern(Gate::And(a, b))
    }

    /// Whether one is true.
    pub(crate) fn or(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and(!a, !b)
    }

    /// Whether exactly one is true.
    pub(crate) fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let negate = a.is_negated() ^ b.is_negated();
        let (a, b) = (a.negate_if(a.is_negated()), b.negate_if(b.is_negated()));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let result = if a == b {
            Literal::FALSE
        } else if a == Literal::TRUE {
            !b
        } else {
            match (self.gates[a.gate()], self.gates[b.gate()]) {
                (_, Gate::Xor(x, y)) if a == x => y,
                (_, Gate::Xor(x, y)) if a == y => x,
                _ => self.intern(Gate::Xor(a, b)),
            }
        };
        result.negate_if(negate)
    }

    /// Whether both have the same truth.
    pub(crate) fn same(&mut self, a: Literal, b: Literal) -> Literal {
        !self.xor(a, b)
    }

    /// The second if the first, else the third.
    pub(crate) fn ite(&mut self, condition: Literal, then: Literal, otherwise: Literal) -> Literal {
        if condition.is_negated() {
            return self.ite(!condition, otherwise, then);
        }
        if condition == Literal::TRUE || then == otherwise {
            return then;
        }
        if then == !otherwise {
            return self.same(condition, then);
        }
        match (then.known(), otherwise.known()) {
            (Some(true), _) => return self.or(condition, otherwise),
            (Some(false), _) => return self.and(!condition, otherwise),
            (_, Some(true)) => return self.or(!condition, then),
            (_, Some(false)) => return self.and(condition, then),
            _ => {}
        }
        if then.gate() == condition.gate() {
            return self.ite(condition, Literal::constant(!then.is_negated()), otherwise);
        }
        if otherwise.gate() == condition.gate() {
            return self.ite(condition, then, Literal::constant(otherwise.is_negated()));
        }
        if then.is_negated() {
            return !self.intern(Gate::Ite(condition, !then, !otherwise));
        }
        self.intern(Gate::Ite(condition, then, otherwise))
    }

    /// Whether an odd number of the three is true.
    pub(crate) fn odd(&mut self, a: Literal, b: Literal, c: Literal) -> Literal {
        let negate = a.is_negated() ^ b.is_negated() ^ c.is_negated();
        let [a, b, c] = sorted([a, b, c].map(|literal| literal.negate_if(literal.is_negated())));
        let result = if a == b {
            c
        } else if b == c {
            a
        } else if a == Literal::TRUE {
            !self.xor(b, c)
        } else {
            self.intern(Gate::Odd(a, b, c))
        };
        result.negate_if(negate)
    }

    /// Whether at least two of the three are true.
    pub(crate) fn majority(&mut self, a: Literal, b: Literal, c: Literal) -> Literal {
        let [a, b, c] = sorted([a, b, c]);
        // Sorting puts a literal beside its negation.
        if a.gate() == b.gate() {
            return if a == b { a } else { c };
        }
        if b.gate() == c.gate() {
            return if b == c { b } else { a };
        }
        match a.known() {
            Some(true) => return self.or(b, c),
            Some(false) => return self.and(b, c),
            None => {}
        }
        let negated = [a, b, c].iter().filter(|literal| literal.is_negated()).count() >= 2;
        let [a, b, c] = [a, b, c].map(|literal| literal.negate_if(negated));
        self.intern(Gate::Majority(a, b, c)).negate_if(negated)
    }

    /// Whether all are true.
    pub(crate) fn all(&mut self, literals: impl IntoIterator<Item = Literal>) -> Literal {
        literals.into_iter().fold(Literal::TRUE, |all, literal| self.and(all, literal))
    }

    /// Whether one is true.
    pub(crate) fn any(&mut self, literals: impl IntoIterator<Item = Literal>) -> Literal {
        !self.all(literals.into_iter().map(|literal| !literal))
    }
}

fn sorted(mut literals: [Literal; 3]) -> [Literal; 3] {
    literals.sort_unstable();
    literals
}

impl Gate {
    /// The literals it reads.
    pub(crate) fn operands(self) -> impl Iterator<Item = Literal> {
        let operands = match self {
            Gate::True | Gate::Input(_) => [None; 3],
            Gate::And(a, b) | Gate::Xor(a, b) => [Some(a), Some(b), None],
            Gate::Ite(a, b, c) | Gate::Odd(a, b, c) | Gate::Majority(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        operands.into_iter().flatten()
    }

    /// Its truth in 64 cases at once, from those of what it reads.
    pub(crate) fn evaluate(self, input: u64, value: impl Fn(Literal) -> u64) -> u64 {
        match self {
            Gate::True => u64::MAX,
            Gate::Input(_) => input,
            Gate::And(a, b) => value(a) & value(b),
            Gate::Xor(a, b) => value(a) ^ value(b),
            Gate::Ite(c, a, b) => {
                let c = value(c);
                c & value(a) | !c & value(b)
            }
            Gate::Odd(a, b, c) => value(a) ^ value(b) ^ value(c),
            Gate::Majority(a, b, c) => {
                let (a, b, c) = (value(a), value(b), value(c));
                a & b | c & (a | b)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The truths of a literal over three inputs, one per bit, of all eight cases.
    fn truths(gates: &Gates, literal: Literal) -> u8 {
        let inputs = [0u64, 0b1010_1010, 0b1100_1100, 0b1111_0000];
        let mut values: Vec<u64> = Vec::new();
        for gate in 0..gates.len() {
            let value = |l: Literal| if l.is_negated() { !values[l.gate()] } else { values[l.gate()] };
            let result = gates.gate(gate).evaluate(inputs.get(gate).copied().unwrap_or(0), value);
            values.push(result);
        }
        let value = values[literal.gate()];
        (if literal.is_negated() { !value } else { value }) as u8
    }

    #[test]
    fn gates_of_gates_compute_what_they_say() {
        let mut gates = Gates::new();
        let mut literals = vec![Literal::TRUE];
        literals.extend((0..3).map(|_| gates.input(0)));
        // All functions of functions of the inputs, so that every rule is met.
        for _ in 0..2 {
            let mut signed: Vec<Literal> = literals.iter().flat_map(|&literal| [literal, !literal]).collect();
            signed.truncate(24);
            for &a in &signed {
                for &b in &signed {
                    let (and, xor) = (gates.and(a, b), gates.xor(a, b));
                    assert_eq!(truths(&gates, and), truths(&gates, a) & truths(&gates, b));
                    assert_eq!(truths(&gates, xor), truths(&gates, a) ^ truths(&gates, b));
                    literals.extend([and, xor]);
                    for &c in signed.iter().step_by(3) {
                        let [x, y, z] = [a, b, c].map(|literal| truths(&gates, literal));
                        let (ite, odd) = (gates.ite(a, b, c), gates.odd(a, b, c));
                        let majority = gates.majority(a, b, c);
                        assert_eq!(truths(&gates, ite), x & y | !x & z);
                        assert_eq!(truths(&gates, odd), x ^ y ^ z);
                        assert_eq!(truths(&gates, majority), x & y | x & z | y & z);
                    }
                }
            }
            literals.sort_unstable();
            literals.dedup();
        }
    }
}
