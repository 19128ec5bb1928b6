//! C types as the program sees them: the scalar type of a value, sizes, and the names of a record's scalar parts.

use program::{FieldName, FloatFormat, IntegerType, Type};
use rucc_base::float::Format;
use rucc_types::{ArrayLen, FloatKind, RecordKind, TypeId, TypeKind};

use crate::frontend::Unit;

/// How many scalar parts of an object get names: enough for structures, not for tables.
const MOST_FIELDS: usize = 64;

impl Unit {
    /// What a type is, without typedef names and `_Atomic`.
    pub(super) fn kind(&self, ty: TypeId) -> TypeKind {
        match self.types.kind(self.types.canonical(ty)) {
            TypeKind::Atomic(inner) => self.types.kind(self.types.canonical(inner)),
            kind => kind,
        }
    }

    /// The type of the values of a scalar C type, and nothing for aggregates, functions and `void`.
    pub(super) fn scalar(&self, ty: TypeId) -> Option<Type> {
        match self.kind(ty) {
            TypeKind::Bool => Some(Type::unsigned(8)),
            TypeKind::Pointer(_) => Some(Type::Pointer),
            TypeKind::Float(kind) => self.float_format(kind).map(Type::Float),
            TypeKind::Int(_) | TypeKind::BitInt { .. } | TypeKind::Enum(_) => {
                let info = rucc_types::integer_info(&self.types, ty, &self.target)?;
                let width = u8::try_from(info.width).ok().filter(|&width| width <= 128)?;
                Some(Type::Integer(IntegerType { width, signed: info.signed }))
            }
            _ => None,
        }
    }

    fn float_format(&self, kind: FloatKind) -> Option<FloatFormat> {
        match rucc_types::float_format(kind, &self.target) {
            Format::Half => Some(FloatFormat::Half),
            Format::Single => Some(FloatFormat::Single),
            Format::Double => Some(FloatFormat::Double),
            Format::X87Extended => Some(FloatFormat::Extended),
            Format::Quad => Some(FloatFormat::Quad),
            _ => None,
        }
    }

    /// Whether the type is `_Bool`, whose conversions compare with zero.
    pub(super) fn is_bool(&self, ty: TypeId) -> bool {
        matches!(self.kind(ty), TypeKind::Bool)
    }

    /// Whether values of the type are objects in memory.
    pub(super) fn is_aggregate(&self, ty: TypeId) -> bool {
        matches!(
            self.kind(ty),
            TypeKind::Record(_) | TypeKind::Array { .. } | TypeKind::Vector { .. } | TypeKind::Complex(_)
        )
    }

    /// The size of a type, if it has one that is known now. GNU's `sizeof(void)` and of functions is one.
    pub(super) fn size(&self, ty: TypeId) -> Option<u64> {
        match self.kind(ty) {
            TypeKind::Void | TypeKind::Function(_) => Some(1),
            _ => rucc_types::layout(&self.types, ty, &self.target).ok().map(|layout| layout.size),
        }
    }

    /// The alignment of a type; one if it has none.
    pub(super) fn alignment(&self, ty: TypeId) -> u64 {
        rucc_types::align(&self.types, ty, &self.target).unwrap_or(1).max(1)
    }

    /// The type of the scalars of an array of any dimensions, or of a scalar itself.
    pub(super) fn element(&self, ty: TypeId) -> Option<Type> {
        match self.kind(ty) {
            TypeKind::Array { elem, .. } => self.element(elem),
            _ => self.scalar(ty),
        }
    }

    /// The names of the scalar parts of a structure, so that each can become a variable of its own.
    pub(super) fn fields(&self, ty: TypeId) -> Vec<FieldName> {
        let mut fields = Vec::new();
        if matches!(self.kind(ty), TypeKind::Record(_)) {
            self.collect_fields(ty, 0, String::new(), &mut fields);
        }
        if fields.len() > MOST_FIELDS {
            fields.clear();
        }
        fields
    }

    fn collect_fields(&self, ty: TypeId, offset: u64, path: String, fields: &mut Vec<FieldName>) {
        if fields.len() > MOST_FIELDS {
            return;
        }
        match self.kind(ty) {
            TypeKind::Record(record) => {
                let info = self.types.record_info(record);
                if info.kind == RecordKind::Union || info.variable.is_some() {
                    return;
                }
                for field in info.fields.iter().filter(|field| !field.is_bit_field()) {
                    let name = field.name.map_or("", |name| self.names.resolve(name));
                    let path = match (path.is_empty(), name.is_empty()) {
                        (true, _) => name.to_owned(),
                        (false, true) => path.clone(),
                        (false, false) => format!("{path}.{name}"),
                    };
                    self.collect_fields(field.ty, offset + field.offset, path, fields);
                }
            }
            TypeKind::Array { elem, len: ArrayLen::Fixed(count) } => {
                let Some(size) = self.size(elem) else { return };
                for index in 0..count.min(MOST_FIELDS as u64 + 1) {
                    self.collect_fields(elem, offset + index * size, format!("{path}[{index}]"), fields);
                }
            }
            _ => {
                if let Some(ty) = self.scalar(ty) {
                    fields.push(FieldName { offset, ty, name: path });
                }
            }
        }
    }
}
