//! From gates to clauses: the part of the network that some literals reach, in a SAT solver.
//!
//! A gate is described only in the direction that is asked for: that it implies what it computes, or that it is implied
//! by it (Plaisted and Greenbaum 1986). The SAT solver's values of gates therefore mean little; those of inputs count.

use super::gates::{Gate, Gates, Literal};
use crate::solver::sat::{Sat, SatLiteral};

/// A SAT solver with a part of the network in it.
pub(crate) struct Clauses<S> {
    pub(crate) sat: S,
    slots: Slots,
    clause: Vec<SatLiteral>,
    /// How many variables the SAT solver has.
    pub(crate) variables: u32,
    needs: Vec<Literal>,
    /// Inputs that came in since somebody last took them, with what they stand for.
    pub(crate) new_inputs: Vec<u32>,
    /// All inputs that are in.
    pub(crate) inputs: Vec<u32>,
}

/// What is known of each gate. It outlives one SAT solver, so that the next need not allocate it again.
#[derive(Default)]
pub(crate) struct Slots {
    slots: Vec<Slot>,
    stamp: u32,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    stamp: u32,
    variable: u32,
    described: u8,
}

/// The gate implies what it computes.
const IMPLIES: u8 = 1;
/// What the gate computes implies it.
const IMPLIED: u8 = 2;

impl<S: Sat> Clauses<S> {
    /// Nothing yet.
    pub(crate) fn new(mut slots: Slots) -> Self {
        slots.stamp += 1;
        let clause = Vec::new();
        Self {
            sat: S::default(),
            variables: 0,
            slots,
            clause,
            needs: Vec::new(),
            new_inputs: Vec::new(),
            inputs: Vec::new(),
        }
    }

    /// Gives back what the next one can use.
    pub(crate) fn into_slots(self) -> Slots {
        self.slots
    }

    /// The value of an input, if it is in, after the SAT solver found a model.
    pub(crate) fn input(&self, gate: usize) -> Option<bool> {
        let slot = self.slots.slots.get(gate).filter(|slot| slot.stamp == self.slots.stamp)?;
        Some(self.sat.value(slot.variable))
    }

    /// Requires that one of these is true.
    pub(crate) fn add(&mut self, gates: &Gates, literals: &[Literal]) {
        if let &[literal] = literals {
            return self.assert(gates, literal);
        }
        let mut leaves = Vec::with_capacity(literals.len());
        for &literal in literals {
            if literal.is_negated() {
                self.leaves(gates, !literal, &mut leaves);
            } else {
                leaves.push(!literal);
            }
        }
        self.emit(None, leaves.iter().map(|leaf| !*leaf));
        self.describe(gates);
    }

    /// Requires that a literal is true.
    pub(crate) fn assert(&mut self, gates: &Gates, literal: Literal) {
        let mut stack = vec![literal];
        while let Some(literal) = stack.pop() {
            match gates.gate(literal.gate()) {
                Gate::And(a, b) if !literal.is_negated() => stack.extend([b, a]),
                Gate::And(..) => {
                    let mut leaves = Vec::new();
                    self.leaves(gates, !literal, &mut leaves);
                    self.emit(None, leaves.iter().map(|leaf| !*leaf));
                }
                _ => self.emit(None, [literal]),
            }
        }
        self.describe(gates);
    }

    /// The literal as one of the SAT solver's, so that it can be assumed.
    pub(crate) fn assumption(&mut self, gates: &Gates, literal: Literal) -> SatLiteral {
        self.needs.push(literal);
        self.describe(gates);
        self.sat_literal(literal)
    }

    /// Brings a literal in, as it is and negated.
    pub(crate) fn bring(&mut self, gates: &Gates, literal: Literal) {
        if literal.known().is_none() {
            self.sat_literal(literal);
            self.needs.extend([literal, !literal]);
            self.describe(gates);
        }
    }

    fn slot(&mut self, gate: usize) -> &mut Slot {
        let Slots { slots, stamp } = &mut self.slots;
        if slots.len() <= gate {
            slots.resize(gate + gate / 2 + 1, Slot::default());
        }
        let slot = &mut slots[gate];
        if slot.stamp != *stamp {
            *slot = Slot { stamp: *stamp, variable: self.sat.new_variable(), described: 0 };
            self.variables += 1;
        }
        slot
    }

    fn sat_literal(&mut self, literal: Literal) -> SatLiteral {
        SatLiteral::new(self.slot(literal.gate()).variable, literal.is_negated())
    }

    /// What an `and` requires, through those `and`s below it that nothing else reads.
    fn leaves(&self, gates: &Gates, literal: Literal, leaves: &mut Vec<Literal>) {
        let mut stack = vec![literal];
        let mut first = true;
        while let Some(literal) = stack.pop() {
            match gates.gate(literal.gate()) {
                Gate::And(a, b) if !literal.is_negated() && (first || !gates.is_shared(literal.gate())) => {
                    stack.extend([b, a]);
                }
                _ => leaves.push(literal),
            }
            first = false;
        }
    }

    /// Adds a clause: the output of a gate, if any, and others, which must be described.
    fn emit(&mut self, output: Option<SatLiteral>, literals: impl IntoIterator<Item = Literal>) {
        let mut clause = std::mem::take(&mut self.clause);
        clause.clear();
        clause.extend(output);
        let needs = self.needs.len();
        let mut satisfied = false;
        for literal in literals {
            match literal.known() {
                Some(true) => satisfied = true,
                Some(false) => {}
                None => {
                    self.needs.push(literal);
                    clause.push(self.sat_literal(literal));
                }
            }
        }
        if satisfied {
            self.needs.truncate(needs);
        } else {
            self.sat.add_clause(&clause);
        }
        self.clause = clause;
    }

    /// Describes all gates that are needed and not yet described.
    fn describe(&mut self, gates: &Gates) {
        let mut leaves = Vec::new();
        while let Some(literal) = self.needs.pop() {
            let direction = if literal.is_negated() { IMPLIED } else { IMPLIES };
            let gate = gates.gate(literal.gate());
            let slot = self.slot(literal.gate());
            if slot.described & direction != 0 {
                continue;
            }
            let first = slot.described == 0;
            slot.described |= direction;
            match gate {
                Gate::Input(_) if first => {
                    self.new_inputs.push(literal.gate() as u32);
                    self.inputs.push(literal.gate() as u32);
                }
                Gate::Input(_) => {}
                Gate::True => {
                    let truth = self.sat_literal(Literal::TRUE);
                    self.sat.add_clause(&[truth]);
                }
                Gate::And(..) => {
                    leaves.clear();
                    self.leaves(gates, literal.negate_if(literal.is_negated()), &mut leaves);
                    let output = Some(!self.sat_literal(literal));
                    if literal.is_negated() {
                        self.emit(output, leaves.iter().map(|leaf| !*leaf));
                    } else {
                        for &leaf in &leaves {
                            self.emit(output, [leaf]);
                        }
                    }
                }
                Gate::Xor(a, b) => self.xor(literal, a, b),
                Gate::Ite(c, a, b) => self.ite(literal, c, a, b),
                Gate::Odd(a, b, c) => self.odd(literal, a, b, c),
                Gate::Majority(a, b, c) => {
                    let negate = literal.is_negated();
                    let output = Some(!self.sat_literal(literal));
                    let [a, b, c] = [a, b, c].map(|operand| operand.negate_if(negate));
                    for pair in [[a, b], [a, c], [b, c]] {
                        self.emit(output, pair);
                    }
                }
            }
        }
    }

    fn xor(&mut self, literal: Literal, a: Literal, b: Literal) {
        let output = Some(!self.sat_literal(literal));
        let a = a.negate_if(literal.is_negated());
        self.emit(output, [a, b]);
        self.emit(output, [!a, !b]);
    }

    fn ite(&mut self, literal: Literal, c: Literal, a: Literal, b: Literal) {
        let output = Some(!self.sat_literal(literal));
        let (a, b) = (a.negate_if(literal.is_negated()), b.negate_if(literal.is_negated()));
        self.emit(output, [!c, a]);
        self.emit(output, [c, b]);
        self.emit(output, [a, b]);
    }

    fn odd(&mut self, literal: Literal, a: Literal, b: Literal, c: Literal) {
        let output = Some(!self.sat_literal(literal));
        let a = a.negate_if(literal.is_negated());
        self.emit(output, [a, b, c]);
        self.emit(output, [a, !b, !c]);
        self.emit(output, [!a, b, !c]);
        self.emit(output, [!a, !b, c]);
    }
}
