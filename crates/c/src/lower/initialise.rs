//! Initialisers of local objects and compound literals.

use program::{ExprId, GlobalObject, Initial, LocalId, ObjectRef, StatementKind, Type};
use rucc_diag::Span;
use rucc_sema::{DeclId, InitEntry, InitList};
use rucc_types::{TypeId, TypeKind};

use super::body::BodyLowering;
use super::place::Place;
use super::{Lowered, unsupported};

/// From so many constant values on, an object is copied from a table instead of being filled value by value.
const TABLE_FROM: usize = 16;

impl BodyLowering<'_, '_> {
    /// Fills a local object as its declaration says.
    pub(super) fn initialise(&mut self, local: LocalId, ty: TypeId, init: InitList) -> Lowered<()> {
        let address = self.builder.body.address(ObjectRef::Local(local));
        self.initialise_at(address, ty, init)
    }

    /// Fills the object at an address: zeros where the initialiser says nothing, then its values in order.
    fn initialise_at(&mut self, address: ExprId, ty: TypeId, init: InitList) -> Lowered<()> {
        let unit = self.unit;
        let entries = &unit.tast[init];
        if let [InitEntry { offset: 0, value, bit_width: 0, .. }] = *entries {
            if unit.scalar(ty).is_some() {
                let value = self.simple_value(value)?;
                self.builder.push(StatementKind::Store { pointer: address, value });
                return Ok(());
            }
            let whole = unit.size(unit.tast[value].ty) == unit.size(ty);
            if unit.is_aggregate(unit.tast[value].ty) && whole && !self.is_string(value) {
                return self.copy_to(address, value);
            }
        }
        let span = entries.first().map_or(Span::DUMMY, |entry| unit.tast.expr_span(entry.value));
        if entries.len() >= TABLE_FROM
            && let Ok(initial) = self.owner.initial(init)
        {
            return self.initialise_from_table(address, ty, initial, span);
        }
        let plan = self.settle_elements(entries)?;
        self.zero(address, ty, entries)?;
        for entry in entries {
            self.initialise_entry(address, *entry)?;
        }
        if let Some(plan) = plan {
            self.unsettle(&plan);
        }
        Ok(())
    }

    fn is_string(&self, value: rucc_sema::ExprId) -> bool {
        matches!(self.unit.tast[value].kind, rucc_sema::ExprKind::Str(_))
    }

    fn initialise_entry(&mut self, address: ExprId, entry: InitEntry) -> Lowered<()> {
        let unit = self.unit;
        let (ty, span) = (unit.tast[entry.value].ty, unit.tast.expr_span(entry.value));
        if entry.reverse {
            return unsupported("reversed storage order", span);
        }
        if entry.is_bit_field() {
            let place = self.bit_field_at(address, entry, ty, span)?;
            let value = self.value(entry.value)?;
            self.write(place, value, span)?;
            return Ok(());
        }
        let pointer = self.displace(address, entry.offset);
        if unit.scalar(ty).is_some() {
            let value = self.value(entry.value)?;
            self.write(Place { pointer, ty, bits: None, overlaid: false }, value, span)?;
            return Ok(());
        }
        self.copy_to(pointer, entry.value)
    }

    fn bit_field_at(&mut self, address: ExprId, entry: InitEntry, ty: TypeId, span: Span) -> Lowered<Place> {
        let start = entry.offset * 8 + u64::from(entry.bit_offset);
        let pointer = self.displace(address, start / 8);
        match self.unit.scalar(ty) {
            Some(Type::Integer(integer)) => Ok(Place {
                pointer,
                ty,
                bits: Some(super::place::Bits::new((start % 8) as u32, entry.bit_width, integer.signed)),
                overlaid: true,
            }),
            _ => unsupported("a bit-field of this type", span),
        }
    }

    /// Zeros the object where the entries do not cover it.
    fn zero(&mut self, address: ExprId, ty: TypeId, entries: &[InitEntry]) -> Lowered<()> {
        let unit = self.unit;
        let Some(size) = unit.size(ty) else {
            return unsupported("an initialiser of variable size", Span::DUMMY);
        };
        let covered: u64 = entries
            .iter()
            .filter(|entry| !entry.is_bit_field() && !self.is_string(entry.value))
            .filter_map(|entry| unit.size(unit.tast[entry.value].ty))
            .sum();
        if covered < size && size > 0 {
            let byte = self.builder.body.integer(Type::unsigned(8), 0);
            let size = self.bytes(size);
            self.builder.push(StatementKind::Fill { destination: address, byte, size });
        }
        Ok(())
    }

    fn initialise_from_table(
        &mut self,
        address: ExprId,
        ty: TypeId,
        initial: Initial,
        span: Span,
    ) -> Lowered<()> {
        let Some(size) = self.unit.size(ty) else {
            return unsupported("an initialiser of variable size", span);
        };
        let table = self.owner.linker.new_object(GlobalObject {
            name: String::from("initialiser"),
            size,
            alignment: self.unit.alignment(ty),
            writable: false,
            exported: false,
            thread_local: false,
            initial,
            location: self.builder.location,
            element: self.unit.element(ty),
            fields: self.unit.fields(ty),
        });
        let source = self.builder.body.address(ObjectRef::Global(table));
        let size = self.bytes(size);
        self.builder.push(StatementKind::Copy { destination: address, source, size });
        Ok(())
    }

    /// The object of a compound literal, filled anew whenever control comes by.
    pub(super) fn compound_literal(&mut self, decl: DeclId, span: Span) -> Lowered<ExprId> {
        if self.is_static(decl) {
            return self.object_address(decl, span);
        }
        let local = self.declare_local(decl)?;
        let ty = self.unit.tast[decl].ty;
        match self.unit.tast[decl].init {
            Some(init) => {
                self.initialise(local, ty, init)?;
                self.mark_filled(decl, local);
            }
            None if matches!(self.unit.kind(ty), TypeKind::Void) => return self.no_scalar(ty, span),
            None => {}
        }
        Ok(self.builder.body.address(ObjectRef::Local(local)))
    }
}
