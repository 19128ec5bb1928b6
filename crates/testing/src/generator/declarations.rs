//! Declarations: struct types with their helper functions, globals, locals, and their initialisers.

use super::Generator;
use super::places::{Entity, Field, FieldShape, Shape, Structure};
use super::types::{INTEGERS, Scalar};

impl Generator {
    /// A struct type, and functions that make, change and print its values.
    pub(super) fn structure(&mut self) {
        let name = format!("S{}", self.structures.len());
        let packed = self.random.chance(10);
        let mut fields = Vec::new();
        self.line(&format!("struct {name} {{"));
        for number in 0..2 + self.random.below(5) {
            let field = self.field(format!("f{number}"));
            let text = match &field.shape {
                FieldShape::Scalar(ty) => format!("{} {}", ty.name(), field.name),
                FieldShape::Bits(ty, bits) => format!("{} {} : {bits}", bit_field_type(*ty), field.name),
                FieldShape::Array(ty, lengths) => {
                    format!("{} {}{}", ty.name(), field.name, brackets(lengths))
                }
                FieldShape::Struct(index) => {
                    format!("struct {} {}", self.structures[*index].name, field.name)
                }
            };
            self.line(&format!("    {text};"));
            if matches!(field.shape, FieldShape::Bits(..)) && self.random.chance(15) {
                self.line(self.unnamed_field());
            }
            fields.push(field);
        }
        self.line(if packed { "} __attribute__((packed));" } else { "};" });
        self.structures.push(Structure { name, fields, packed });
        self.structure_functions(self.structures.len() - 1);
    }

    fn unnamed_field(&self) -> &'static str {
        if self.counter.is_multiple_of(2) { "    unsigned : 0;" } else { "    int : 3;" }
    }

    fn field(&mut self, name: String) -> Field {
        let shape = match self.random.below(10) {
            0..=3 => FieldShape::Scalar(self.any_type()),
            4..=6 => {
                use Scalar::*;
                let ty = *self.random.pick(&[
                    Int,
                    UnsignedInt,
                    Int,
                    UnsignedInt,
                    Bool,
                    Long,
                    UnsignedLong,
                    UnsignedChar,
                ]);
                let bits = self.random.range(1, ty.bits().min(60) as i64) as u32;
                FieldShape::Bits(ty, bits)
            }
            7..=8 => FieldShape::Array(self.any_type(), self.lengths()),
            _ if self.structures.is_empty() => FieldShape::Scalar(Scalar::Short),
            _ => FieldShape::Struct(self.random.below(self.structures.len())),
        };
        Field { name, shape }
    }

    fn structure_functions(&mut self, index: usize) {
        let structure = self.structures[index].clone();
        let name = &structure.name;
        self.line(&format!("static struct {name} make_{name}(int a, unsigned b) {{"));
        self.line(&format!("    struct {name} s = {{0}};"));
        for (number, field) in structure.fields.iter().enumerate() {
            match &field.shape {
                FieldShape::Scalar(_) | FieldShape::Bits(..) => {
                    let source = if number % 2 == 0 { "(a & 0xfff)" } else { "b" };
                    self.line(&format!("    s.{} = {source};", field.name));
                }
                FieldShape::Array(_, lengths) => {
                    self.line(&format!("    s.{}{} = b % 100;", field.name, "[0]".repeat(lengths.len())));
                }
                FieldShape::Struct(inner) => {
                    let inner = self.structures[*inner].name.clone();
                    self.line(&format!("    s.{} = make_{inner}(b & 0xff, a);", field.name));
                }
            }
        }
        self.line("    return s;");
        self.line("}");
        self.line(&format!("static struct {name} change_{name}(struct {name} s, int a) {{"));
        if let Some(field) = structure.fields.iter().find(|f| matches!(f.shape, FieldShape::Scalar(_))) {
            self.line(&format!("    s.{} = a;", field.name));
        }
        self.line(&format!("    struct {name} t = s, *p = &t;"));
        self.line("    return a & 1 ? *p : s;");
        self.line("}");
        self.line(&format!("static void show_{name}(const struct {name} *s) {{"));
        self.indent += 1;
        self.show_fields("s->", index);
        self.indent -= 1;
        self.line("}");
    }

    /// Feeds every scalar of a struct to the checksum.
    fn show_fields(&mut self, base: &str, index: usize) {
        for field in self.structures[index].clone().fields {
            let text = format!("{base}{}", field.name);
            match field.shape {
                FieldShape::Scalar(ty) => self.show_scalar(&text, ty),
                FieldShape::Bits(ty, _) => self.show_scalar(&text, ty),
                FieldShape::Array(ty, lengths) => self.show_array(&text, ty, &lengths),
                FieldShape::Struct(inner) => self.show_fields(&format!("{text}."), inner),
            }
        }
    }

    fn show_scalar(&mut self, text: &str, ty: Scalar) {
        let function = if ty.is_float() { "mix_double" } else { "mix" };
        self.line(&format!("{function}({text});"));
    }

    fn show_array(&mut self, text: &str, ty: Scalar, lengths: &[usize]) {
        let mut element = text.to_string();
        for (position, length) in lengths.iter().enumerate() {
            self.line(&format!("for (int k{position} = 0; k{position} < {length}; k{position}++)"));
            element.push_str(&format!("[k{position}]"));
        }
        self.show_scalar(&element, ty);
    }

    /// Prints a global, so that the first line that differs names it.
    pub(super) fn show(&mut self, entity: &Entity) {
        let name = &entity.name;
        match &entity.shape {
            Shape::Scalar(ty) if !ty.is_float() => {
                self.line(&format!("printf(\"{name} {}\\n\", {name});", ty.format()));
            }
            Shape::Scalar(ty) => self.show_scalar(name, *ty),
            Shape::Array(ty, lengths) => self.show_array(name, *ty, lengths),
            Shape::Struct(index) => self.line(&format!("show_{}(&{name});", self.structures[*index].name)),
            Shape::StructArray(index, length) => {
                let structure = self.structures[*index].name.clone();
                self.line(&format!("for (int k = 0; k < {length}; k++) show_{structure}({name} + k);"));
            }
            Shape::Pointer(ty) => self.show_scalar(&format!("*{name}"), *ty),
            Shape::StructPointer(_) | Shape::Counter(..) => return,
        }
        self.line(&format!("printf(\"{name}: %llx\\n\", checksum);"));
    }

    pub(super) fn any_type(&mut self) -> Scalar {
        match self.random.below(8) {
            0 => *self.random.pick(&[Scalar::Float, Scalar::Double]),
            _ => *self.random.pick(&INTEGERS),
        }
    }

    fn lengths(&mut self) -> Vec<usize> {
        let count = if self.random.chance(70) { 1 } else { 2 };
        (0..count).map(|_| self.random.range(1, 8) as usize).collect()
    }

    /// A global variable, array, struct or pointer.
    pub(super) fn global(&mut self) {
        let name = self.fresh("g");
        let storage = *self.random.pick(&["static ", "", "", "static volatile ", "_Thread_local "]);
        self.declare(&name, storage, true);
    }

    /// A declaration in a block.
    pub(super) fn declaration(&mut self) {
        let name = self.fresh("v");
        let mut storages = vec!["", "", "", "", "volatile ", "const "];
        if !self.pure {
            storages.push("static ");
        }
        let storage = *self.random.pick(&storages);
        self.declare(&name, storage, storage.starts_with("static"));
    }

    /// Declares something; a constant initialiser is needed for what lives as long as the program.
    fn declare(&mut self, name: &str, storage: &str, lasting: bool) {
        let in_function = self.in_function;
        self.in_function = in_function && !lasting;
        // A pointer to a qualified object would need the qualifier, too.
        let plain = !storage.contains("volatile") && !storage.contains("const");
        let limit = if lasting && in_function { self.global_count } else { self.scope.len() };
        let kinds = if storage.contains("volatile") { 8 } else { 12 };
        let shape = match self.random.below(kinds) {
            6..=7 => {
                let (ty, lengths) = (self.any_type(), self.lengths());
                let values = self.array_values(ty, &lengths, lasting);
                self.line(&format!("{storage}{} {name}{} = {values};", ty.name(), brackets(&lengths)));
                Shape::Array(ty, lengths)
            }
            8 if !self.structures.is_empty() => {
                let index = self.random.below(self.structures.len());
                let values = self.initialiser(index);
                self.line(&format!("{storage}struct {} {name} = {values};", self.structures[index].name));
                Shape::Struct(index)
            }
            9 if !self.structures.is_empty() => {
                let (index, length) =
                    (self.random.below(self.structures.len()), self.random.range(1, 5) as usize);
                let values = self.initialiser(index);
                let position = self.random.below(length);
                let structure = self.structures[index].name.clone();
                self.line(&format!(
                    "{storage}struct {structure} {name}[{length}] = {{[{position}] = {values}}};"
                ));
                Shape::StructArray(index, length)
            }
            10 if plain => {
                let ty = self.any_type();
                match self.address_of(ty, limit) {
                    Some(address) => {
                        self.line(&format!("{storage}{} *{name} = {address};", ty.name()));
                        Shape::Pointer(ty)
                    }
                    None => self.scalar_declaration(name, storage, lasting),
                }
            }
            11 if plain && !self.structures.is_empty() => {
                let index = self.random.below(self.structures.len());
                let found = self.structs_of(index, limit, true);
                if found.is_empty() {
                    self.scalar_declaration(name, storage, lasting)
                } else {
                    let target = self.random.pick(&found).clone();
                    self.line(&format!(
                        "{storage}struct {} *{name} = &{target};",
                        self.structures[index].name
                    ));
                    Shape::StructPointer(index)
                }
            }
            _ => self.scalar_declaration(name, storage, lasting),
        };
        self.in_function = in_function;
        let writable = !storage.contains("const");
        let addressable = plain && !storage.contains("_Thread_local");
        self.scope.push(Entity { name: name.to_string(), shape, writable, addressable });
    }

    fn scalar_declaration(&mut self, name: &str, storage: &str, lasting: bool) -> Shape {
        let ty = self.any_type();
        let value = if lasting { self.constant().text } else { self.argument(ty, 2) };
        self.line(&format!("{storage}{} {name} = {value};", ty.name()));
        Shape::Scalar(ty)
    }

    fn array_values(&mut self, ty: Scalar, lengths: &[usize], lasting: bool) -> String {
        if lengths.len() == 1 && ty.bits() == 8 && lengths[0] > 1 && self.random.chance(40) {
            let letters: String =
                (0..self.random.below(lengths[0])).map(|k| (b'a' + k as u8) as char).collect();
            return format!("\"{letters}\"");
        }
        let mut values = Vec::new();
        for position in 0..lengths[0] {
            if self.random.chance(35) {
                break;
            }
            let designator = if self.random.chance(20) { format!("[{position}] = ") } else { String::new() };
            let value = if lengths.len() > 1 {
                self.array_values(ty, &lengths[1..], lasting)
            } else if lasting {
                self.constant().text
            } else {
                self.argument(ty, 1)
            };
            values.push(format!("{designator}{value}"));
        }
        if values.is_empty() {
            return String::from("{0}");
        }
        format!("{{{}}}", values.join(", "))
    }

    /// A braced initialiser of a struct, positional or with designators.
    pub(super) fn initialiser(&mut self, index: usize) -> String {
        let fields = self.structures[index].fields.clone();
        let designated = self.random.chance(50);
        let mut values = Vec::new();
        for field in &fields {
            if self.random.chance(25) {
                if designated {
                    continue;
                }
                break;
            }
            let value = match &field.shape {
                FieldShape::Scalar(ty) | FieldShape::Bits(ty, _) => {
                    if self.in_function {
                        self.argument(*ty, 1)
                    } else {
                        self.constant().text
                    }
                }
                FieldShape::Array(ty, lengths) => self.array_values(*ty, lengths, !self.in_function),
                FieldShape::Struct(inner) => self.initialiser(*inner),
            };
            values.push(if designated { format!(".{} = {value}", field.name) } else { value });
        }
        if values.is_empty() { String::from("{0}") } else { format!("{{{}}}", values.join(", ")) }
    }
}

/// How a bit-field's type is spelled: whether a plain `int` is signed there is up to the compiler.
fn bit_field_type(ty: Scalar) -> &'static str {
    match ty {
        Scalar::Int => "signed int",
        other => other.name(),
    }
}

fn brackets(lengths: &[usize]) -> String {
    lengths.iter().map(|length| format!("[{length}]")).collect()
}
