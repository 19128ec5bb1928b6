//! What is in scope, and the scalars that can be reached from it: variables, elements, members, what pointers point to.

use super::Generator;
use super::expressions::Value;
use super::types::Scalar;

/// Something with a name.
#[derive(Clone, Debug)]
pub(super) struct Entity {
    pub name: String,
    pub shape: Shape,
    /// Whether statements may change it.
    pub writable: bool,
    /// Whether its address may be taken.
    pub addressable: bool,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Scalar(Scalar),
    /// The counter of a loop, which stays between two numbers.
    Counter(Scalar, i128, i128),
    Array(Scalar, Vec<usize>),
    Struct(usize),
    StructArray(usize, usize),
    /// A pointer to a live scalar.
    Pointer(Scalar),
    /// A pointer to a live struct.
    StructPointer(usize),
}

/// A struct type of the program.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    pub name: String,
    pub fields: Vec<Field>,
    pub packed: bool,
}

/// A member that has a name.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: String,
    pub shape: FieldShape,
}

/// What a member is.
#[derive(Clone, Debug)]
pub(super) enum FieldShape {
    Scalar(Scalar),
    Bits(Scalar, u32),
    Array(Scalar, Vec<usize>),
    Struct(usize),
}

/// A scalar that can be read, and perhaps written.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub text: String,
    pub ty: Scalar,
    pub low: i128,
    pub high: i128,
    pub addressable: bool,
    /// Its width, if it is a bit-field.
    pub bits: Option<u32>,
}

impl Place {
    fn new(text: String, ty: Scalar, addressable: bool) -> Self {
        let (low, high) = if ty.is_float() { (0, 0) } else { ty.range() };
        Self { text, ty, low, high, addressable, bits: None }
    }

    fn bit_field(text: String, ty: Scalar, bits: u32) -> Self {
        let (low, high) = if ty.is_signed() {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        };
        Self { text, ty, low, high, addressable: false, bits: Some(bits) }
    }

    /// Its value. Compilers disagree on the type of a bit-field that is wider than `int`, so that one is cast.
    pub fn value(&self) -> Value {
        match self.bits {
            Some(_) if self.ty.bits() > 32 => {
                let text = format!("(({}){})", self.ty.name(), self.text);
                Value { text, ty: self.ty, low: self.low, high: self.high }
            }
            Some(bits) if bits < 32 => {
                Value { text: self.text.clone(), ty: Scalar::Int, low: self.low, high: self.high }
            }
            _ => Value { text: self.text.clone(), ty: self.ty, low: self.low, high: self.high },
        }
    }
}

impl Generator {
    /// A scalar in scope; one that may be written if that is asked.
    pub(super) fn place(&mut self, write: bool) -> Option<Place> {
        for _ in 0..8 {
            if self.scope.is_empty() {
                return None;
            }
            // Later names are nearer: prefer them a little.
            let last = self.scope.len();
            let index = self.random.below(last).max(self.random.below(last));
            let entity = self.scope[index].clone();
            if write && !entity.writable {
                continue;
            }
            return Some(self.descend(&entity));
        }
        None
    }

    fn descend(&mut self, entity: &Entity) -> Place {
        let name = &entity.name;
        match &entity.shape {
            Shape::Scalar(ty) => Place::new(name.clone(), *ty, entity.addressable),
            Shape::Counter(ty, low, high) => {
                Place { low: *low, high: *high, ..Place::new(name.clone(), *ty, false) }
            }
            Shape::Array(ty, lengths) => {
                let text = self.element(name, lengths);
                Place::new(text, *ty, entity.addressable)
            }
            Shape::Struct(index) => self.member(name, ".", *index, entity.addressable),
            Shape::StructArray(index, length) => {
                let element = format!("{name}[{}]", self.index(*length));
                self.member(&element, ".", *index, entity.addressable)
            }
            Shape::Pointer(ty) => Place::new(format!("(*{name})"), *ty, false),
            Shape::StructPointer(index) => self.member(name, "->", *index, false),
        }
    }

    fn element(&mut self, name: &str, lengths: &[usize]) -> String {
        let mut text = name.to_string();
        for length in lengths {
            let index = self.index(*length);
            // `a[i]`, `*(a + i)` and `i[a]` are the same.
            text = match self.random.below(12) {
                0 if lengths.len() == 1 => format!("(*({text} + ({index})))"),
                1 if lengths.len() == 1 && text == name => format!("({index})[{text}]"),
                _ => format!("{text}[{index}]"),
            };
        }
        text
    }

    fn member(&mut self, base: &str, arrow: &str, structure: usize, addressable: bool) -> Place {
        let structure = self.structures[structure].clone();
        let field = self.random.pick(&structure.fields).clone();
        let text = format!("{base}{arrow}{}", field.name);
        let addressable = addressable && !structure.packed;
        match field.shape {
            FieldShape::Scalar(ty) => Place::new(text, ty, addressable),
            FieldShape::Bits(ty, bits) => Place::bit_field(text, ty, bits),
            FieldShape::Array(ty, lengths) => {
                let text = self.element(&text, &lengths);
                Place::new(text, ty, addressable)
            }
            FieldShape::Struct(inner) => self.member(&text, ".", inner, addressable),
        }
    }

    /// A loop counter that is a valid index into an array of this length.
    pub(super) fn counter_below(&mut self, length: usize) -> Option<String> {
        let counters: Vec<String> = self
            .scope
            .iter()
            .filter(|entity| {
                matches!(entity.shape, Shape::Counter(_, low, high) if low >= 0 && high < length as i128)
            })
            .map(|entity| entity.name.clone())
            .collect();
        if counters.is_empty() { None } else { Some(self.random.pick(&counters).clone()) }
    }

    /// The address of a scalar of this type that lives at least as long as the first `limit` names in scope.
    pub(super) fn address_of(&mut self, ty: Scalar, limit: usize) -> Option<String> {
        for _ in 0..6 {
            let index = self.random.below(limit);
            let Some(entity) = self.scope.get(index).cloned() else { continue };
            if !entity.writable || !entity.addressable {
                continue;
            }
            let place = self.descend(&entity);
            if place.addressable && place.bits.is_none() && place.ty == ty {
                return Some(format!("&{}", place.text));
            }
        }
        let matching: Vec<String> = self.scope[..limit]
            .iter()
            .filter(|entity| {
                entity.writable
                    && entity.addressable
                    && matches!(entity.shape, Shape::Scalar(own) if own == ty)
            })
            .map(|entity| format!("&{}", entity.name))
            .collect();
        if matching.is_empty() { None } else { Some(self.random.pick(&matching).clone()) }
    }

    /// The structs of this type among the first `limit` names in scope; only those that a pointer may point to if
    /// that is asked.
    pub(super) fn structs_of(&mut self, structure: usize, limit: usize, addressable: bool) -> Vec<String> {
        let mut found = Vec::new();
        for position in 0..limit.min(self.scope.len()) {
            let entity = self.scope[position].clone();
            if !entity.writable || addressable && !entity.addressable {
                continue;
            }
            match entity.shape {
                Shape::Struct(own) if own == structure => found.push(entity.name),
                Shape::StructArray(own, length) if own == structure => {
                    found.push(format!("{}[{}]", entity.name, self.index(length)));
                }
                _ => {}
            }
        }
        found
    }
}
