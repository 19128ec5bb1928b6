//! The declarations of a unit: which functions and objects it has, what they are called, what objects start with.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use base::Location;
use program::{Definition, Function, FunctionId, GlobalObject, Initial, ObjectId, Pointer, ScopeId, Type};
use rucc_diag::{BytePos, Span};
use rucc_sema::{
    Address, Base, Const, DeclFlags, DeclId, DeclKind, Definition as State, Eval, ExprId, ExprKind, InitList,
    LabelId, Linkage, StorageDuration, StrId,
};
use rucc_types::{ArrayLen, TypeId, TypeKind};

use super::body::BodyLowering;
use super::link::{Linker, Strength, Weight};
use super::order::UnitEffects;
use super::symbols::Entity;
use super::{Lowered, Unsupported, unsupported};
use crate::frontend::Unit;

/// Contents beyond this many bytes are not represented: a designator can ask for a table of any size.
const MOST_INITIAL_BYTES: u64 = 1 << 28;

/// A unit while it is lowered into the linker's program.
pub(super) struct UnitLowering<'a> {
    pub(super) unit: &'a Unit,
    pub(super) linker: &'a mut Linker,
    pub(super) functions: HashMap<DeclId, FunctionId>,
    /// The loop statements by their keywords: the function and the innermost scope around each.
    pub(super) loops: HashMap<BytePos, (FunctionId, ScopeId)>,
    /// The function that is being lowered.
    pub(super) defining: Option<FunctionId>,
    objects: HashMap<DeclId, ObjectId>,
    labels: HashMap<LabelId, i128>,
    /// Why no function of the unit can be represented, if so.
    pub(super) refusal: Option<Unsupported>,
    effects: Option<Rc<UnitEffects<'a>>>,
}

impl Linker {
    /// Adds a unit to the program: all its functions, and the objects that they name.
    pub(crate) fn add(&mut self, unit: &Unit) {
        let mut lowering = UnitLowering {
            unit,
            linker: self,
            functions: HashMap::new(),
            loops: HashMap::new(),
            defining: None,
            objects: HashMap::new(),
            labels: HashMap::new(),
            refusal: None,
            effects: None,
        };
        lowering.refusal = lowering.refused();
        for &decl in unit.tast.top_level() {
            match unit.tast[decl].kind {
                DeclKind::Function if unit.tast[decl].body.is_some() => lowering.define(decl),
                // An object that is only declared is added when something names it, unless it is another name.
                DeclKind::Object
                    if unit.tast[decl].state != State::Declared || unit.tast[decl].alias.is_some() =>
                {
                    lowering.object(decl, "");
                }
                _ => {}
            }
        }
        lowering.declare_special();
        lowering.annotate();
    }
}

impl<'a> UnitLowering<'a> {
    /// The place in the source where a span begins.
    pub(super) fn location(&mut self, span: Span) -> Location {
        let (file, line, column) = self.unit.locate(span);
        match line {
            0 => Location::unknown(),
            _ => Location::new(self.linker.file(file), line, column),
        }
    }

    /// What the functions of the unit may read and write.
    pub(super) fn effects(&mut self) -> Rc<UnitEffects<'a>> {
        let unit = self.unit;
        Rc::clone(self.effects.get_or_insert_with(|| Rc::new(UnitEffects::new(unit))))
    }

    pub(super) fn name(&self, decl: DeclId) -> String {
        self.unit.tast[decl].name.map_or_else(String::new, |name| self.unit.names.resolve(name).to_owned())
    }

    /// Lowers a function definition, and says whether it could be.
    fn define(&mut self, decl: DeclId) {
        let id = self.function(decl);
        self.defining = Some(id);
        let mut function = self.signature(decl);
        // A defect of ours in one function must not take the others with it.
        let obstacle = self.obstacle(decl);
        let lower = || match obstacle {
            Some(obstacle) => Err(obstacle),
            None => BodyLowering::lower(self, decl),
        };
        let lowered = catch_unwind(AssertUnwindSafe(lower)).unwrap_or_else(|_| {
            unsupported("an internal error of the lowering; please report it", self.unit.tast.decl_span(decl))
        });
        function.definition = match lowered {
            Ok(body) => Definition::Body(Box::new(body)),
            Err(Unsupported { reason, span }) => {
                Definition::Unsupported { reason, location: self.location(span) }
            }
        };
        let declared = &self.unit.tast[decl];
        let weight = match declared.flags.contains(DeclFlags::WEAK) {
            true => Weight::Weak,
            false if declared.linkage == Linkage::External && !declared.inline.emits() => Weight::Inline,
            false => Weight::Strong,
        };
        self.linker.define_function(id, function, weight);
    }

    /// The function of a declaration.
    pub(super) fn function(&mut self, decl: DeclId) -> FunctionId {
        if let Some(&id) = self.functions.get(&decl) {
            return id;
        }
        let function = self.signature(decl);
        let id = match self.unit.tast[decl].linkage {
            Linkage::Internal | Linkage::None => self.linker.new_function(function),
            Linkage::External => self.linker.external_function(function),
        };
        self.functions.insert(decl, id);
        self.note_symbol(decl, Entity::Function(id));
        id
    }

    /// A function of the C library without parameters that the lowering itself calls.
    pub(super) fn library(&mut self, name: &str) -> FunctionId {
        self.linker.external_function(Function {
            name: name.to_owned(),
            location: Location::unknown(),
            parameters: Vec::new(),
            result: None,
            variadic: false,
            no_return: true,
            aggregates: Default::default(),
            definition: Definition::External,
        })
    }

    /// A function as it is declared. A parameter without a scalar type is a pointer to the aggregate.
    fn signature(&mut self, decl: DeclId) -> Function {
        let unit = self.unit;
        let declared = &unit.tast[decl];
        let name = self.symbol(decl);
        let mut function = Function {
            name,
            location: self.location(unit.tast.definition_span(decl)),
            parameters: Vec::new(),
            result: None,
            variadic: false,
            no_return: declared.flags.contains(DeclFlags::NORETURN),
            aggregates: Default::default(),
            definition: Definition::External,
        };
        if let TypeKind::Function(signature) = unit.kind(declared.ty) {
            let signature = unit.types.signature(signature);
            if unit.scalar(signature.ret).is_none() && !matches!(unit.kind(signature.ret), TypeKind::Void) {
                unit.add_parameter(&mut function, signature.ret, |scalar| scalar);
            }
            function.result = unit.scalar(signature.ret);
            if signature.prototyped {
                signature
                    .params
                    .iter()
                    .for_each(|&ty| unit.add_parameter(&mut function, ty, |scalar| scalar));
                function.variadic = signature.variadic;
            } else if declared.body.is_some() {
                for &parameter in &unit.tast[declared.params] {
                    unit.add_parameter(&mut function, unit.tast[parameter].ty, default_promotion);
                }
            } else {
                function.variadic = true;
            }
        }
        function
    }

    /// The object of a declaration with static storage. The owner is the function of a static local.
    pub(super) fn object(&mut self, decl: DeclId, owner: &str) -> ObjectId {
        if let Some(&id) = self.objects.get(&decl) {
            return id;
        }
        let unit = self.unit;
        let declared = &unit.tast[decl];
        let name = match (self.symbol(decl), owner) {
            (name, _) if name.is_empty() => String::from("compound literal"),
            (name, "") => name,
            (name, owner) => format!("{owner}.{name}"),
        };
        let size = unit.size(declared.ty).unwrap_or(0).max(unit.tast.extent(decl));
        let object = GlobalObject {
            name,
            size,
            alignment: u64::from(declared.alignment.unwrap_or(0)).max(unit.alignment(declared.ty)),
            writable: !is_read_only(unit, declared.ty),
            exported: declared.linkage == Linkage::External,
            thread_local: declared.duration == StorageDuration::Thread,
            initial: Initial::Unknown,
            location: self.location(unit.tast.decl_span(decl)),
            element: unit.element(declared.ty),
            fields: unit.fields(declared.ty),
        };
        let strength = match declared.state {
            State::Declared => Strength::Declared,
            State::Tentative | State::Defined if declared.flags.contains(DeclFlags::WEAK) => Strength::Weak,
            State::Tentative => Strength::Tentative,
            State::Defined => Strength::Defined,
        };
        let (id, gives_contents) = match declared.linkage {
            Linkage::External => self.linker.external_object(object, strength),
            Linkage::Internal | Linkage::None => (self.linker.new_object(object), true),
        };
        // Known before its initialiser is examined, because that may name the object itself.
        self.objects.insert(decl, id);
        self.note_symbol(decl, Entity::Object(id));
        if strength > Strength::Declared && gives_contents {
            self.linker.program.objects[id].initial = match declared.init {
                _ if self.refusal.is_some() => Initial::Unknown,
                _ if declared.flags.contains(DeclFlags::NOINIT) => Initial::Unknown,
                Some(init) => self.initial(init).unwrap_or(Initial::Unknown),
                None => Initial::zero(),
            };
        }
        id
    }

    /// The object of a string literal.
    pub(super) fn string(&mut self, string: StrId) -> ObjectId {
        let unit = self.unit;
        let literal = &unit.tast[string];
        let alignment = u64::from(literal.encoding.element_width(&unit.target) / 8).max(1);
        self.linker.literal(literal.bytes(&unit.target), alignment)
    }

    /// A number that stands for the address of a label: different for every label of the unit, and never zero.
    pub(super) fn label(&mut self, label: LabelId) -> i128 {
        let next = self.labels.len() as i128 + 1;
        *self.labels.entry(label).or_insert(next)
    }

    /// The bytes that an initialiser of constants stands for.
    pub(super) fn initial(&mut self, init: InitList) -> Lowered<Initial> {
        let unit = self.unit;
        let mut image = Image::default();
        for entry in &unit.tast[init] {
            if entry.offset > MOST_INITIAL_BYTES {
                return unsupported("a very large initialiser", unit.tast.expr_span(entry.value));
            }
            if entry.reverse {
                return unsupported("reversed storage order", unit.tast.expr_span(entry.value));
            }
            if entry.is_bit_field() {
                let Const::Int(value) = self.constant(entry.value)? else {
                    return unsupported("a bit-field that is not a number", unit.tast.expr_span(entry.value));
                };
                image.bits(entry.offset * 8 + u64::from(entry.bit_offset), entry.bit_width, value);
            } else {
                self.initial_value(&mut image, entry.offset, entry.value)?;
            }
        }
        Ok(Initial::Bytes { bytes: image.bytes, pointers: image.pointers.into_iter().collect() })
    }

    fn initial_value(&mut self, image: &mut Image, offset: u64, value: ExprId) -> Lowered<()> {
        let unit = self.unit;
        let span = unit.tast.expr_span(value);
        let ty = unit.tast[value].ty;
        match unit.tast[value].kind {
            ExprKind::Str(string) if unit.is_aggregate(ty) => {
                let mut bytes = unit.tast[string].bytes(&unit.target);
                bytes.resize(unit.size(ty).unwrap_or(bytes.len() as u64) as usize, 0);
                image.write(offset, &bytes);
                return Ok(());
            }
            ExprKind::CompoundLiteral(decl) if unit.is_aggregate(ty) => {
                let Some(init) = unit.tast[decl].init else { return Ok(()) };
                return self.initial_inner(image, offset, init);
            }
            ExprKind::Convert { operand, .. } | ExprKind::Cast(operand) if unit.is_aggregate(ty) => {
                return self.initial_value(image, offset, operand);
            }
            _ => {}
        }
        if let TypeKind::Complex(part) = unit.kind(ty) {
            let size = unit.size(part).unwrap_or(0) as usize;
            return self.initial_complex(image, offset, value, size);
        }
        let Some(scalar) = unit.scalar(ty) else { return unsupported("an initialiser of this type", span) };
        let size = scalar.bytes(self.linker.program.data_model) as usize;
        match self.constant(value)? {
            Const::Int(value) => image.write(offset, &value.to_le_bytes()[..size]),
            Const::Float(value) => {
                let mut bytes = value.to_bits().to_le_bytes().to_vec();
                bytes.resize(size, 0);
                image.write(offset, &bytes);
            }
            Const::Address(address) => return self.initial_address(image, offset, address, size, span),
            Const::Apart { to, from } => {
                let value = self.label(to) - self.label(from);
                image.write(offset, &value.to_le_bytes()[..size]);
            }
            Const::Complex { .. } | Const::ComplexInt { .. } => {
                return unsupported("a complex number in a real one", span);
            }
        }
        Ok(())
    }

    fn initial_complex(&mut self, image: &mut Image, offset: u64, value: ExprId, size: usize) -> Lowered<()> {
        let halves = match self.constant(value)? {
            Const::Complex { real, imag } => [real.to_bits(), imag.to_bits()],
            Const::ComplexInt { real, imag } => [real as u128, imag as u128],
            Const::Float(real) => [real.to_bits(), 0],
            Const::Int(real) => [real as u128, 0],
            _ => return unsupported("an initialiser of this type", self.unit.tast.expr_span(value)),
        };
        for (half, number) in halves.into_iter().enumerate() {
            let mut bytes = number.to_le_bytes().to_vec();
            bytes.resize(size, 0);
            image.write(offset + (half * size) as u64, &bytes);
        }
        Ok(())
    }

    fn initial_address(
        &mut self,
        image: &mut Image,
        offset: u64,
        address: Address,
        size: usize,
        span: Span,
    ) -> Lowered<()> {
        let tast = &self.unit.tast;
        let displacement = i64::try_from(address.offset).unwrap_or(i64::MAX);
        let pointer = match address.base {
            Base::Decl(decl) if tast[decl].kind == DeclKind::Function => {
                Pointer::Function(self.function(decl))
            }
            Base::Decl(decl) if tast[decl].duration == StorageDuration::Automatic => {
                return unsupported("the address of an automatic object", span);
            }
            Base::Decl(decl) => Pointer::Object(self.object(decl, ""), displacement),
            Base::Str(string) => Pointer::Object(self.string(string), displacement),
            Base::Label(label) => {
                let value = self.label(label) + address.offset;
                image.write(offset, &value.to_le_bytes()[..size]);
                return Ok(());
            }
            Base::Absolute => {
                image.write(offset, &address.offset.to_le_bytes()[..size]);
                return Ok(());
            }
        };
        if size as u64 != self.linker.program.data_model.pointer_bytes() {
            return unsupported("an address in a narrower integer", span);
        }
        image.write(offset, &vec![0; size]);
        image.pointers.insert(offset, pointer);
        Ok(())
    }

    fn initial_inner(&mut self, image: &mut Image, offset: u64, init: InitList) -> Lowered<()> {
        let Initial::Bytes { bytes, pointers } = self.initial(init)? else { return Ok(()) };
        image.write(offset, &bytes);
        image.pointers.extend(pointers.into_iter().map(|(at, pointer)| (offset + at, pointer)));
        Ok(())
    }

    /// The value of a constant expression.
    pub(super) fn constant(&self, value: ExprId) -> Lowered<Const> {
        let unit = self.unit;
        if let ExprKind::Const(id) = unit.tast[value].kind {
            return Ok(unit.tast[id]);
        }
        Eval::new(&unit.tast, &unit.types, &unit.target, &unit.names).initializer(value).map_err(|stop| {
            Unsupported {
                reason: String::from("an initialiser that is not constant"),
                span: unit.tast.expr_span(stop.at),
            }
        })
    }
}

impl Unit {
    /// Adds a parameter of a type to a signature, its scalar passed in some way. An aggregate is passed as a pointer.
    fn add_parameter(&self, function: &mut Function, ty: TypeId, passed: fn(Type) -> Type) {
        if self.scalar(ty).is_none() {
            let place = function.parameters.len();
            function.aggregates.extend(self.size(ty).map(|size| (place, size)));
        }
        function.parameters.push(self.scalar(ty).map_or(Type::Pointer, passed));
    }
}

/// What a type becomes when an argument of it is passed without a prototype.
pub(super) fn default_promotion(ty: Type) -> Type {
    match ty {
        Type::Integer(integer) if integer.width < 32 => Type::signed(32),
        Type::Float(program::FloatFormat::Single | program::FloatFormat::Half) => {
            Type::Float(program::FloatFormat::Double)
        }
        _ => ty,
    }
}

/// Whether an object of this type must not be written: a `const` scalar or an array of them.
fn is_read_only(unit: &Unit, ty: TypeId) -> bool {
    match unit.kind(ty) {
        TypeKind::Array { elem, len: ArrayLen::Fixed(_) | ArrayLen::Unknown } => is_read_only(unit, elem),
        _ => {
            let qualifiers = unit.types.object_quals(ty);
            qualifiers.has(rucc_types::Qualifiers::CONST) && !qualifiers.has(rucc_types::Qualifiers::VOLATILE)
        }
    }
}

/// The contents of an object while its initialiser is read.
#[derive(Default)]
struct Image {
    bytes: Vec<u8>,
    pointers: std::collections::BTreeMap<u64, Pointer>,
}

impl Image {
    fn write(&mut self, offset: u64, bytes: &[u8]) {
        let (start, end) = (offset as usize, offset as usize + bytes.len());
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[start..end].copy_from_slice(bytes);
        // A later value replaces a pointer that stood there.
        let covered: Vec<u64> =
            self.pointers.range(offset..offset + bytes.len() as u64).map(|(&at, _)| at).collect();
        for at in covered {
            self.pointers.remove(&at);
        }
    }

    fn bits(&mut self, start: u64, width: u32, value: i128) {
        for bit in 0..u64::from(width) {
            let (byte, mask) = (((start + bit) / 8) as usize, 1u8 << ((start + bit) % 8));
            if self.bytes.len() <= byte {
                self.bytes.resize(byte + 1, 0);
            }
            if value >> bit & 1 != 0 {
                self.bytes[byte] |= mask;
            } else {
                self.bytes[byte] &= !mask;
            }
        }
    }
}
