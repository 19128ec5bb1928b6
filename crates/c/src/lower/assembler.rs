//! Inline assembler: a named unknown.

use program::{Check, StatementKind, Terminator, Type};
use rucc_diag::Span;
use rucc_sema as sema;

use super::Lowered;
use super::body::BodyLowering;

impl BodyLowering<'_, '_> {
    /// Inline assembler: an empty template that only binds operands does nothing; any other is unknown, and its
    /// outputs get arbitrary values.
    pub(super) fn inline_assembler(&mut self, asm: sema::AsmId, span: Span) -> Lowered<()> {
        let unit = self.unit;
        let asm = &unit.tast[asm];
        let template =
            unit.tast[asm.template].elements.iter().all(|&unit| unit == 32 || unit == 9 || unit == 10);
        let outputs = &unit.tast[asm.outputs];
        let reads_its_outputs = |operand: &sema::AsmOperand| {
            unit.tast[operand.constraint].elements.first() == Some(&u32::from(b'+'))
        };
        if template && asm.labels.is_empty() && outputs.iter().all(reads_its_outputs) {
            return Ok(());
        }
        self.at(span);
        for input in &unit.tast[asm.inputs] {
            self.give_away(input)?;
        }
        self.unknown("inline assembler", None);
        for output in outputs {
            let place = self.place(output.value)?;
            match unit.scalar(unit.tast[output.value].ty) {
                Some(ty) => {
                    if let Some(value) = self.unknown("inline assembler", Some(ty)) {
                        self.write(place, value, span)?;
                    }
                }
                None => {
                    let size = self.size_of(unit.tast[output.value].ty, span)?;
                    let pointer = self.simple(place.pointer);
                    self.builder.push(StatementKind::Check(Check::Writable { pointer, size }));
                }
            }
        }
        if !asm.labels.is_empty() {
            let labels: Vec<_> = unit.tast[asm.labels].to_vec();
            let next = self.builder.new_block();
            let choice = self.unknown("inline assembler", Some(Type::signed(32)));
            let mut cases = Vec::new();
            for (index, label) in labels.into_iter().enumerate() {
                let target = self.label(label);
                cases.push(program::Case { low: index as i128 + 1, high: index as i128 + 1, target });
            }
            if let Some(value) = choice {
                self.builder.end(Terminator::Switch { value, cases, default: next });
            }
            self.builder.switch_to(next);
        }
        Ok(())
    }

    /// Evaluates an input of an assembler statement. An address that it gets may come out of it again, so that it is kept
    /// where it counts as known to others.
    fn give_away(&mut self, input: &sema::AsmOperand) -> Lowered<()> {
        let unit = self.unit;
        let constraint = &unit.tast[input.constraint].elements;
        let is_memory = !constraint.is_empty() && constraint.iter().all(|&letter| letter == u32::from(b'm'));
        let value = match unit.scalar(unit.tast[input.value].ty) {
            Some(_) if !is_memory => self.value(input.value)?,
            _ => self.place(input.value)?.pointer,
        };
        if self.builder.body.type_of(value) == Type::Pointer {
            let width = self.model.pointer_bytes();
            let home = self.unnamed(width, width, Vec::new());
            self.builder.push(StatementKind::Store { pointer: home, value });
        }
        Ok(())
    }
}
