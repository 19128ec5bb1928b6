//! Random healthy programs, for properties that must hold for all programs.
//!
//! The same seed gives the same program. Sizes are small: defects show in small programs too, and more often.

use base::{FileId, Index, Location};
use loopscope_program::{
    BinaryOp, Block, BlockId, Body, BodyBuilder, Callee, Case, Check, Definition, ExprId, ExprKind,
    FieldName, FloatFormat, Function, FunctionId, GlobalObject, GlobalVariable, Initial, LocalId,
    LocalObject, LoopKind, LoopStatement, ObjectId, ObjectRef, Obligation, Origin, OverflowOp, Pointer,
    Program, Scope, ScopeId, StatementKind, Terminator, Type, UnaryOp, Value, Variable, VariableId,
    VariadicOp,
};

/// The program for a seed.
pub fn program(seed: u64) -> Program {
    let mut generator = Generator { state: seed, program: Program::default() };
    generator.heads();
    generator.bodies();
    generator.program
}

struct Generator {
    state: u64,
    program: Program,
}

const TYPES: [Type; 16] = [
    Type::Bool,
    Type::Pointer,
    Type::signed(8),
    Type::unsigned(8),
    Type::signed(32),
    Type::signed(32),
    Type::unsigned(32),
    Type::signed(64),
    Type::unsigned(64),
    Type::signed(128),
    Type::unsigned(128),
    Type::signed(3),
    Type::Float(FloatFormat::Single),
    Type::Float(FloatFormat::Double),
    Type::Float(FloatFormat::Extended),
    Type::Float(FloatFormat::Half),
];

const NAMES: [&str; 12] =
    ["i", "n", "i", "point.x", "a[0]", "", "ünï", "\"quoted\"\n", "\u{1}\\", "b0", "9lives", "return"];

impl Generator {
    /// The next random number (splitmix64), below a bound.
    fn below(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn bits(&mut self) -> u128 {
        (0..4).fold(0, |bits, _| bits << 32 | self.below(1 << 32) as u128)
    }

    fn ty(&mut self) -> Type {
        self.pick(&TYPES)
    }

    fn memory_type(&mut self) -> Type {
        match self.ty() {
            Type::Bool => Type::unsigned(8),
            ty => ty,
        }
    }

    fn location(&mut self) -> Location {
        if self.chance(2) {
            return Location::unknown();
        }
        let file = self.below(self.program.files.len());
        Location::new(FileId::new(file), self.below(100) as u32, self.below(100) as u32)
    }

    fn heads(&mut self) {
        if self.chance(2) {
            self.program.data_model = loopscope_program::DataModel::Ilp32;
        }
        let files = std::sync::Arc::make_mut(&mut self.program.files);
        files.push(String::from("main.c"));
        files.push(String::from("dir/with \"quotes\"/a.h"));
        for index in 0..self.below(4) {
            let name = format!("{}{index}", self.pick(&NAMES));
            let parameters = (0..self.below(4)).map(|_| self.ty()).collect();
            let result = if self.chance(3) { None } else { Some(self.ty()) };
            let location = self.location();
            let definition = match self.below(2) {
                0 => Definition::External,
                _ => Definition::Unsupported {
                    reason: String::from("computed \"goto\""),
                    location: self.location(),
                },
            };
            let (variadic, no_return) = (self.chance(3), self.chance(4));
            let function = Function {
                name,
                location,
                parameters,
                aggregates: Default::default(),
                result,
                variadic,
                no_return,
                definition,
            };
            self.program.functions.push(function);
        }
        for index in 0..self.below(4) {
            let object = self.object(index);
            self.program.objects.push(object);
        }
        for index in 0..self.below(4) {
            let variable =
                Variable { name: format!("{}{index}", self.pick(&NAMES)), scope: None, ..self.variable() };
            let initial = self.value(variable.ty);
            let exported = self.chance(3);
            self.program.globals.push(GlobalVariable { variable, exported, initial });
        }
    }

    fn object(&mut self, index: usize) -> GlobalObject {
        let (size, pointer_bytes) = (32, self.program.data_model.pointer_bytes());
        let texts = [Vec::new(), b"hello\n\0".to_vec(), vec![0, 0], vec![255, 0, 1], b"\"\\".to_vec()];
        let bytes = texts[self.below(texts.len())].clone();
        let offsets = (0..self.below(4) as u64).map(|index| index * pointer_bytes);
        let pointers = offsets.map(|offset| (offset, self.pointer(index))).collect();
        let fields = (0..self.below(3) as u64)
            .map(|index| FieldName {
                offset: 4 * index,
                ty: Type::signed(32),
                name: self.pick(&NAMES).to_owned(),
            })
            .collect();
        GlobalObject {
            name: format!("{}{index}", self.pick(&NAMES)),
            size,
            alignment: 1 << self.below(5),
            writable: self.chance(2),
            exported: self.chance(3),
            thread_local: self.chance(4),
            initial: if self.chance(4) { Initial::Unknown } else { Initial::Bytes { bytes, pointers } },
            location: self.location(),
            element: self.chance(2).then(|| Type::signed(32)),
            fields,
        }
    }

    /// A pointer to one of the objects up to this one.
    fn pointer(&mut self, last: usize) -> Pointer {
        if self.chance(3) && !self.program.functions.is_empty() {
            return Pointer::Function(FunctionId::new(self.below(self.program.functions.len())));
        }
        let offset = self.pick(&[0, 4, -8, i64::MAX, i64::MIN]);
        Pointer::Object(ObjectId::new(self.below(last + 1)), offset)
    }

    fn value(&mut self, ty: Type) -> Value {
        match ty {
            _ if self.chance(5) => Value::Unknown,
            Type::Bool => Value::Integer(self.below(2) as i128),
            Type::Integer(integer) => {
                Value::Integer(loopscope_program::arithmetic::wrap(integer, self.bits() as i128))
            }
            Type::Float(format) => Value::Float(self.bits() >> (128 - format.bits())),
            Type::Pointer if self.program.objects.is_empty() => Value::Null,
            Type::Pointer => Value::Pointer(self.pointer(self.program.objects.len() - 1)),
        }
    }

    fn variable(&mut self) -> Variable {
        Variable {
            name: self.pick(&NAMES).to_owned(),
            ty: self.ty(),
            origin: self.pick(&[Origin::Source, Origin::Parameter, Origin::Temporary]),
            scope: if self.chance(2) { None } else { Some(ScopeId::new(self.below(2))) },
            location: self.location(),
        }
    }

    fn bodies(&mut self) {
        for index in 0..1 + self.below(3) {
            let name = format!("{}body{index}", self.pick(&NAMES));
            let result = if self.chance(3) { None } else { Some(self.ty()) };
            let location = self.location();
            let body = Writer { generator: self, builder: BodyBuilder::new() }.body(result);
            let parameters = body.parameters.iter().map(|parameter| body.variables[*parameter].ty).collect();
            let definition = Definition::Body(Box::new(body));
            let variadic = self.chance(4);
            let function = Function {
                name,
                location,
                parameters,
                aggregates: Default::default(),
                result,
                variadic,
                no_return: false,
                definition,
            };
            self.program.functions.push(function);
        }
    }
}

/// Writes one body.
struct Writer<'a> {
    generator: &'a mut Generator,
    builder: BodyBuilder,
}

impl Writer<'_> {
    fn body(mut self, result: Option<Type>) -> Body {
        self.declarations();
        let mut blocks = vec![self.builder.current()];
        blocks.extend((0..self.generator.below(6)).map(|_| self.builder.new_block()));
        for block in &blocks {
            self.builder.switch_to(*block);
            for _ in 0..self.generator.below(5) {
                self.builder.location = self.generator.location();
                let statement = self.statement();
                self.builder.push(statement);
            }
            self.builder.location = self.generator.location();
            let terminator = self.terminator(&blocks[1..], result);
            self.builder.end(terminator);
        }
        let mut body = self.builder.finish();
        for (_, block) in body.blocks.iter_mut() {
            self.generator.loop_statement(block);
        }
        body
    }

    fn declarations(&mut self) {
        let location = self.generator.location();
        self.builder.body.scopes.push(Scope { parent: None, location });
        self.builder.body.scopes.push(Scope { parent: Some(ScopeId::new(0)), location: Location::unknown() });
        let plain = self.generator.chance(2);
        for index in 0..self.generator.below(4) {
            let mut variable = self.generator.variable();
            if plain {
                let (origin, scope, location) = (Origin::Parameter, None, Location::unknown());
                variable = Variable { name: format!("p{index}"), ty: variable.ty, origin, scope, location };
            }
            let id = self.builder.new_variable(variable);
            self.builder.body.parameters.push(id);
        }
        // Parameters need be neither the first variables nor in order.
        if !plain {
            self.builder.body.parameters.reverse();
        }
        for _ in 0..2 + self.generator.below(6) {
            let variable = self.generator.variable();
            self.builder.new_variable(variable);
        }
        for _ in 0..self.generator.below(3) {
            let fields = vec![FieldName { offset: 4, ty: Type::Pointer, name: String::from("next") }];
            let local = LocalObject {
                name: self.generator.pick(&NAMES).to_owned(),
                size: if self.generator.chance(2) { None } else { Some(16) },
                alignment: 8,
                scope: Some(ScopeId::new(1)),
                location: self.generator.location(),
                fields: if self.generator.chance(2) { Vec::new() } else { fields },
            };
            self.builder.body.locals.push(local);
        }
    }

    /// A variable of the body or of the program, and its type.
    fn any_variable(&mut self) -> (VariableId, Type) {
        let globals = self.generator.program.globals.len();
        if globals > 0 && self.generator.chance(4) {
            let index = self.generator.below(globals);
            return (VariableId::global(index), self.generator.program.globals[index].variable.ty);
        }
        let id = VariableId::new(self.generator.below(self.builder.body.variables.len()));
        (id, self.builder.body.variables[id].ty)
    }

    /// A variable of a type, made if there is none.
    fn variable_of(&mut self, ty: Type) -> VariableId {
        let found =
            self.builder.body.variables.iter().find(|(_, variable)| variable.ty == ty).map(|(id, _)| id);
        found.unwrap_or_else(|| {
            let variable = Variable { ty, ..self.generator.variable() };
            self.builder.new_variable(variable)
        })
    }

    fn statement(&mut self) -> StatementKind {
        let size = self.generator.program.data_model.size_type();
        let (target, ty) = self.any_variable();
        let locals = self.builder.body.locals.len();
        match self.generator.below(13) {
            0 if ty != Type::Bool => StatementKind::Load {
                target,
                pointer: self.expression(Type::Pointer),
                overlaid: self.generator.chance(2),
            },
            1 => {
                let moved = self.generator.memory_type();
                StatementKind::Store {
                    pointer: self.expression(Type::Pointer),
                    value: self.expression(moved),
                }
            }
            2 => StatementKind::Copy {
                destination: self.expression(Type::Pointer),
                source: self.expression(Type::Pointer),
                size: self.expression(size),
            },
            3 => StatementKind::Fill {
                destination: self.expression(Type::Pointer),
                byte: self.expression(Type::unsigned(8)),
                size: self.expression(size),
            },
            4 if locals > 0 => {
                let object = LocalId::new(self.generator.below(locals));
                match self.builder.body.locals[object].size {
                    _ if self.generator.chance(3) => StatementKind::End { object },
                    Some(_) => StatementKind::Begin { object, size: None },
                    None => StatementKind::Begin { object, size: Some(self.expression(size)) },
                }
            }
            5 => StatementKind::Allocate {
                target: self.variable_of(Type::Pointer),
                size: self.expression(size),
            },
            6 => self.call(),
            7 => {
                let operation = match self.generator.below(4) {
                    0 => VariadicOp::Start,
                    1 => VariadicOp::Next(target),
                    2 => VariadicOp::CopyFrom(self.expression(Type::Pointer)),
                    _ => VariadicOp::End,
                };
                StatementKind::Variadic { operation, list: self.expression(Type::Pointer) }
            }
            8 => StatementKind::Input { target, name: self.generator.pick(&NAMES).to_owned() },
            9 => StatementKind::Assume { condition: self.expression(Type::Bool) },
            10 => StatementKind::Check(self.check(target, size)),
            11 => {
                let target = if self.generator.chance(2) { None } else { Some(target) };
                StatementKind::Unknown { what: String::from("inline \"assembler\""), target }
            }
            12 => StatementKind::Mark(Index::new(self.generator.below(5))),
            _ => StatementKind::Assign { target, value: self.expression(ty) },
        }
    }

    fn call(&mut self) -> StatementKind {
        let functions = self.generator.program.functions.len();
        if functions == 0 || self.generator.chance(4) {
            let callee = Callee::Pointer(self.expression(Type::Pointer));
            let arguments = vec![self.expression(Type::Pointer)];
            return StatementKind::Call { target: None, callee, arguments };
        }
        let id = FunctionId::new(self.generator.below(functions));
        let function = &self.generator.program.functions[id];
        let (mut types, result, variadic) = (function.parameters.clone(), function.result, function.variadic);
        if variadic {
            types.extend((0..self.generator.below(3)).map(|_| self.generator.ty()));
        }
        let arguments = types.into_iter().map(|ty| self.expression(ty)).collect();
        let target = result.map(|ty| self.variable_of(ty));
        StatementKind::Call { target, callee: Callee::Function(id), arguments }
    }

    fn check(&mut self, variable: VariableId, size: Type) -> Check {
        let pointer = self.expression(Type::Pointer);
        match self.generator.below(6) {
            0 => Check::Readable { pointer, size: self.expression(size) },
            1 => Check::Writable { pointer, size: self.expression(size) },
            2 => Check::Defined { variable },
            3 => Check::Terminated { pointer },
            4 => Check::Freeable { pointer },
            _ => Check::Holds {
                obligation: self.generator.pick(&Obligation::ALL),
                condition: self.expression(Type::Bool),
                note: if self.generator.chance(2) { None } else { Some("i < n && \"x\"".into()) },
            },
        }
    }

    fn terminator(&mut self, targets: &[BlockId], result: Option<Type>) -> Terminator {
        if targets.is_empty() || self.generator.chance(4) {
            return match (result, self.generator.below(5)) {
                (_, 0) => Terminator::Unreachable,
                (Some(ty), 1..=3) => Terminator::Return(Some(self.expression(ty))),
                _ => Terminator::Return(None),
            };
        }
        let (first, second) = (self.generator.pick(targets), self.generator.pick(targets));
        match self.generator.below(3) {
            0 => Terminator::Goto(first),
            1 => {
                Terminator::Branch { condition: self.expression(Type::Bool), then: first, otherwise: second }
            }
            _ => {
                let ty = self.generator.pick(&[Type::signed(8), Type::unsigned(128), Type::signed(64)]);
                let top = Case { low: -1, high: -1, target: second };
                let cases = [(0, 0), (5, 9), (2, 3)];
                let cases =
                    cases.into_iter().map(|(low, high)| Case { low, high, target: first }).chain([top]);
                Terminator::Switch { value: self.expression(ty), cases: cases.collect(), default: second }
            }
        }
    }

    fn expression(&mut self, ty: Type) -> ExprId {
        let depth = self.generator.below(5);
        self.tree(ty, depth)
    }

    /// An expression of a type, sometimes one that exists already, so that trees share their parts.
    fn tree(&mut self, ty: Type, depth: usize) -> ExprId {
        if self.generator.chance(6) {
            let existing =
                self.builder.body.expressions.iter().filter(|(_, expr)| expr.ty == ty).map(|(id, _)| id);
            let existing: Vec<ExprId> = existing.collect();
            if !existing.is_empty() {
                return self.generator.pick(&existing);
            }
        }
        if depth == 0 {
            return self.leaf(ty);
        }
        let below = depth - 1;
        match (self.generator.below(6), ty) {
            (0, _) => {
                let condition = self.tree(Type::Bool, below);
                let (then, otherwise) = (self.tree(ty, below), self.tree(ty, below));
                self.builder.body.select(condition, then, otherwise)
            }
            (1, _) => self.conversion(ty, below),
            (_, Type::Bool) => self.condition(below),
            (_, Type::Pointer) => {
                let pointer = self.tree(ty, below);
                let bytes = self.tree(self.generator.program.data_model.offset_type(), below);
                self.builder.body.offset(pointer, bytes)
            }
            (_, Type::Float(_)) => {
                let operators = [BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply, BinaryOp::Divide];
                let operator = self.generator.pick(&operators);
                let (left, right) = (self.tree(ty, below), self.tree(ty, below));
                self.builder.body.binary(operator, left, right)
            }
            (_, Type::Integer(_)) => self.arithmetic(ty, below),
        }
    }

    fn conversion(&mut self, ty: Type, depth: usize) -> ExprId {
        let from = match (self.generator.ty(), ty) {
            (Type::Float(_) | Type::Bool, Type::Pointer) | (Type::Pointer, Type::Float(_)) => {
                Type::signed(32)
            }
            (from, _) => from,
        };
        let operand = self.tree(from, depth);
        let bits = |ty| match ty {
            Type::Float(format) => format.bits(),
            Type::Integer(integer) => u32::from(integer.width),
            Type::Bool | Type::Pointer => 0,
        };
        if bits(from) == bits(ty) && bits(ty) != 0 {
            return self.builder.body.reinterpret(ty, operand);
        }
        self.builder.body.convert(ty, operand)
    }

    fn condition(&mut self, depth: usize) -> ExprId {
        match self.generator.below(4) {
            0 => {
                let operand = self.tree(Type::Bool, depth);
                self.builder.body.unary(UnaryOp::Not, operand)
            }
            1 => {
                let ty = self.generator.pick(&[Type::signed(32), Type::unsigned(64)]);
                let (left, right) = (self.tree(ty, depth), self.tree(ty, depth));
                let operators =
                    [OverflowOp::Add, OverflowOp::Subtract, OverflowOp::Multiply, OverflowOp::Divide];
                let operator = self.generator.pick(&operators);
                self.builder.body.overflows(operator, left, right)
            }
            _ => {
                let ty = self.generator.memory_type();
                let operators = [BinaryOp::Equal, BinaryOp::NotEqual, BinaryOp::Less, BinaryOp::LessEqual];
                let operator = self.generator.pick(&operators);
                let (left, right) = (self.tree(ty, depth), self.tree(ty, depth));
                self.builder.body.binary(operator, left, right)
            }
        }
    }

    fn arithmetic(&mut self, ty: Type, depth: usize) -> ExprId {
        let model = self.generator.program.data_model;
        match self.generator.below(5) {
            0 if ty == model.offset_type() => {
                let (left, right) = (self.tree(Type::Pointer, depth), self.tree(Type::Pointer, depth));
                self.builder.body.difference(model, left, right)
            }
            1 => {
                let operand = self.tree(ty, depth);
                let operators = [UnaryOp::Negate, UnaryOp::Complement, UnaryOp::LeadingZeros];
                let operator = self.generator.pick(&operators);
                // Not folded, so that a sign can stand before a number.
                self.builder.body.expression(ExprKind::Unary(operator, operand), ty)
            }
            2 => {
                let operand = self.tree(Type::unsigned(64), depth);
                self.builder.body.expression(ExprKind::Unary(UnaryOp::CountOnes, operand), ty)
            }
            3 => {
                let (left, right) = (self.tree(ty, depth), self.tree(Type::unsigned(8), depth));
                let operator = self.generator.pick(&[BinaryOp::ShiftLeft, BinaryOp::ShiftRight]);
                self.builder.body.binary(operator, left, right)
            }
            _ => {
                let (left, right) = (self.tree(ty, depth), self.tree(ty, depth));
                let operators =
                    [BinaryOp::Add, BinaryOp::Remainder, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor];
                let operator = self.generator.pick(&operators);
                self.builder.body.binary(operator, left, right)
            }
        }
    }

    fn leaf(&mut self, ty: Type) -> ExprId {
        let (variable, variable_type) = self.any_variable();
        if variable_type == ty {
            return self.builder.body.expression(ExprKind::Variable(variable), ty);
        }
        let (objects, functions) =
            (self.generator.program.objects.len(), self.generator.program.functions.len());
        let locals = self.builder.body.locals.len();
        match (ty, self.generator.below(4)) {
            (Type::Bool, _) => {
                let value = self.generator.chance(2);
                self.builder.body.boolean(value)
            }
            (Type::Integer(_), _) => {
                let shift = self.generator.below(128);
                let value = (self.generator.bits() as i128) >> shift;
                self.builder.body.integer(ty, value)
            }
            (Type::Float(format), 0..=1) => {
                let bits = self.generator.bits() >> (128 - format.bits());
                self.builder.body.expression(ExprKind::Float(bits), ty)
            }
            (Type::Float(_), _) => self.builder.body.expression(ExprKind::Float(0), ty),
            (Type::Pointer, 0) if objects > 0 => {
                let object = ObjectId::new(self.generator.below(objects));
                self.builder.body.address(ObjectRef::Global(object))
            }
            (Type::Pointer, 1) if locals > 0 => {
                let local = LocalId::new(self.generator.below(locals));
                self.builder.body.address(ObjectRef::Local(local))
            }
            (Type::Pointer, 2) if functions > 0 => {
                let function = FunctionId::new(self.generator.below(functions));
                self.builder.body.function_address(function)
            }
            (Type::Pointer, _) => self.builder.body.null(),
        }
    }
}

impl Generator {
    fn loop_statement(&mut self, block: &mut Block) {
        if self.chance(3) {
            let kind = self.pick(&[LoopKind::For, LoopKind::While, LoopKind::Do, LoopKind::Goto]);
            block.loop_statement = Some(LoopStatement { kind, location: self.location() });
        }
    }
}
