//! Random programs in the style of the front end, which keeps every variable in memory: they must run alike before and
//! after the passes.

use base::{Budget, FileId, Index, Location};

use loopscope_program::interpret::{
    Arguments, CollectedOutput, FixedInputs, InputValue, Inputs, Options, Outcome, Request, Run, run,
};
use loopscope_program::passes::simplify;
use loopscope_program::text::print;
use loopscope_program::verify::verify;
use loopscope_program::{
    BinaryOp, BlockId, Body, BodyBuilder, Callee, Check, DataModel, Definition, ExprId, Function, FunctionId,
    GlobalObject, Initial, LocalObject, LoopKind, LoopStatement, ObjectId, ObjectRef, Obligation, Origin,
    OverflowOp, Program, StatementKind, Terminator, Type, UnaryOp, Variable, VariableId,
};

const INT: Type = Type::signed(32);
const MODEL: DataModel = DataModel::Lp64;
const PUTCHAR: usize = 0;
const POKE: usize = 1;
const HELPER: usize = 2;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

/// Two `int`s in memory that the generated code may use, and whether they start without a value.
#[derive(Clone, Copy)]
struct Pair {
    object: ObjectRef,
    starts_empty: bool,
}

struct Generator<'a> {
    random: &'a mut Random,
    builder: BodyBuilder,
    pairs: Vec<Pair>,
    labels: Vec<BlockId>,
    fuel: ObjectRef,
    line: u32,
    calls: bool,
}

impl Generator<'_> {
    fn push(&mut self, kind: StatementKind) {
        self.line += 1;
        self.builder.location = Location::new(FileId::new(0), self.line, 1);
        self.builder.push(kind);
    }

    fn check(&mut self, check: Check) {
        self.push(StatementKind::Check(check));
    }

    fn number(&mut self, value: i128) -> ExprId {
        self.builder.body.integer(INT, value)
    }

    fn temporary(&mut self, ty: Type) -> VariableId {
        let name = format!("t{}", self.builder.body.variables.len());
        let location = self.builder.location;
        self.builder.new_variable(Variable { name, ty, origin: Origin::Temporary, scope: None, location })
    }

    fn local(&mut self, starts_empty: bool) -> Pair {
        let name = format!("x{}", self.builder.body.locals.len());
        let location = self.builder.location;
        let object =
            LocalObject { name, size: Some(8), alignment: 4, scope: None, location, fields: Vec::new() };
        let local = self.builder.body.locals.push(object);
        self.push(StatementKind::Begin { object: local, size: None });
        Pair { object: ObjectRef::Local(local), starts_empty }
    }

    /// A local that most likely gets a value at once: a run that ends early shows little.
    fn filled_local(&mut self) -> Pair {
        let pair = self.local(true);
        for second in [false, true] {
            if !self.random.chance(12) {
                let (pointer, value) = (self.pointer(pair.object, second), self.number(1));
                self.push(StatementKind::Store { pointer, value });
            }
        }
        pair
    }

    fn pointer(&mut self, object: ObjectRef, second: bool) -> ExprId {
        let start = self.builder.body.address(object);
        let offset = self.builder.body.integer(MODEL.offset_type(), if second { 4 } else { 0 });
        self.builder.body.offset(start, offset)
    }

    fn size(&mut self, bytes: i128) -> ExprId {
        self.builder.body.integer(MODEL.size_type(), bytes)
    }

    fn pair(&mut self) -> Pair {
        self.pairs[self.random.below(self.pairs.len())]
    }

    /// Reads a random variable, with the check that the front end emits.
    fn load(&mut self) -> ExprId {
        // Now and then both parts at once, which keeps the object in memory.
        let both = self.random.chance(60);
        let (pair, second) = (self.pair(), !both && self.random.chance(2));
        let pointer = self.pointer(pair.object, second);
        if pair.starts_empty {
            let size = self.size(if both { 8 } else { 4 });
            self.check(Check::Readable { pointer, size });
        }
        // Now and then through the other sign of the type.
        let ty = match self.random.below(8) {
            _ if both => Type::signed(64),
            0 => Type::unsigned(32),
            _ => INT,
        };
        let target = self.temporary(ty);
        self.push(StatementKind::Load { target, pointer, overlaid: false });
        let value = self.builder.body.read(target);
        self.builder.body.convert(INT, value)
    }

    fn value(&mut self, depth: usize) -> ExprId {
        if depth == 0 || self.random.chance(3) {
            return if self.random.chance(3) {
                let value = self.random.below(7) as i128 - 2;
                self.number(value)
            } else {
                self.load()
            };
        }
        let (left, right) = (self.value(depth - 1), self.value(depth - 1));
        match self.random.below(5) {
            0 => self.builder.body.binary(BinaryOp::Xor, left, right),
            1 => {
                let overflow = self.builder.body.overflows(OverflowOp::Multiply, left, right);
                let condition = self.builder.body.unary(UnaryOp::Not, overflow);
                self.check(Check::Holds { obligation: Obligation::SignedOverflow, condition, note: None });
                self.builder.body.binary(BinaryOp::Multiply, left, right)
            }
            2 => {
                let condition = self.builder.body.binary(BinaryOp::Less, left, right);
                self.builder.body.convert(INT, condition)
            }
            _ => self.builder.body.binary(BinaryOp::Add, left, right),
        }
    }

    fn condition(&mut self) -> ExprId {
        let (left, right) = (self.value(1), self.value(1));
        let op =
            [BinaryOp::Less, BinaryOp::Equal, BinaryOp::NotEqual, BinaryOp::LessEqual][self.random.below(4)];
        let condition = self.builder.body.binary(op, left, right);
        if self.random.chance(3) {
            let wide = self.builder.body.convert(INT, condition);
            let zero = self.number(0);
            return self.builder.body.binary(BinaryOp::NotEqual, wide, zero);
        }
        condition
    }

    fn store(&mut self, value: ExprId) {
        let (pair, second) = (self.pair(), self.random.chance(2));
        let pointer = self.pointer(pair.object, second);
        self.push(StatementKind::Store { pointer, value });
    }

    fn in_arms(&mut self, depth: usize, arm: &mut dyn FnMut(&mut Self, usize)) {
        let condition = self.condition();
        let (yes, no, next) = (self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        self.builder.branch(condition, yes, no);
        for block in [yes, no] {
            self.builder.switch_to(block);
            arm(self, depth);
            self.builder.goto(next);
        }
        self.builder.switch_to(next);
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(4) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth > 0 { 17 } else { 11 }) {
            8 if !self.random.chance(5) => {}
            0..=2 => {
                let value = self.value(2);
                self.store(value);
            }
            3 => self.post_increment(),
            4 => {
                let target = self.temporary(INT);
                self.push(StatementKind::Input { target, name: String::from("nondet_int") });
                let value = self.builder.body.read(target);
                self.store(value);
            }
            5 => self.call(),
            6 => {
                let (to, from) = (self.pair(), self.pair());
                let (destination, source) =
                    (self.pointer(to.object, false), self.pointer(from.object, false));
                let size = self.size(8);
                self.push(StatementKind::Copy { destination, source, size });
            }
            7 => {
                let (pair, second) = (self.pair(), self.random.chance(2));
                let destination = self.pointer(pair.object, second);
                let byte = self.builder.body.integer(Type::unsigned(8), 0);
                let bytes = if second || self.random.chance(2) { 4 } else { 8 };
                let size = self.size(bytes);
                self.push(StatementKind::Fill { destination, byte, size });
            }
            8 => {
                let (left, right) = (self.value(1), self.number(3));
                let condition = self.builder.body.binary(BinaryOp::NotEqual, left, right);
                let obligation = Obligation::Assertion;
                self.check(Check::Holds { obligation, condition, note: None });
            }
            9 => {
                let target = self.temporary(INT);
                self.in_arms(0, &mut |this, _| {
                    let value = this.value(1);
                    this.push(StatementKind::Assign { target, value });
                });
                let value = self.builder.body.read(target);
                self.store(value);
            }
            10 => self.jump(),
            11 | 12 => self.in_arms(depth - 1, &mut |this, depth| this.block(depth)),
            13 => self.short_lived(depth - 1),
            14 => {
                // A value that is worked out before and used after something else happens.
                let value = self.value(1);
                self.statement(depth - 1);
                self.store(value);
            }
            _ => self.counting_loop(depth - 1),
        }
    }

    fn post_increment(&mut self) {
        let (pair, second) = (self.pair(), self.random.chance(2));
        let pointer = self.pointer(pair.object, second);
        if pair.starts_empty {
            let size = self.size(4);
            self.check(Check::Readable { pointer, size });
        }
        let target = self.temporary(INT);
        self.push(StatementKind::Load { target, pointer, overlaid: false });
        let (old, one) = (self.builder.body.read(target), self.number(1));
        let value = self.builder.body.binary(BinaryOp::Add, old, one);
        self.push(StatementKind::Store { pointer, value });
        self.store(old);
    }

    fn call(&mut self) {
        let (callee, arguments, result) = match self.random.below(4) {
            0 if self.calls => (HELPER, vec![self.value(1), self.value(0)], true),
            1 => {
                let (pair, second) = (self.pairs[0], self.random.chance(2));
                (POKE, vec![self.pointer(pair.object, second)], false)
            }
            _ => (PUTCHAR, vec![self.value(1)], true),
        };
        let target = result.then(|| self.temporary(INT));
        let callee = Callee::Function(FunctionId::new(callee));
        self.push(StatementKind::Call { target, callee, arguments });
        if let Some(target) = target.filter(|_| self.random.chance(2)) {
            let value = self.builder.body.read(target);
            self.store(value);
        }
    }

    /// A jump to one of the function's labels, as long as there is fuel.
    fn jump(&mut self) {
        let label = self.labels[self.random.below(self.labels.len())];
        let pointer = self.pointer(self.fuel, false);
        let target = self.temporary(INT);
        self.push(StatementKind::Load { target, pointer, overlaid: false });
        let (left, zero, one) = (self.builder.body.read(target), self.number(0), self.number(1));
        let condition = self.builder.body.binary(BinaryOp::Less, zero, left);
        let (yes, next) = (self.builder.new_block(), self.builder.new_block());
        self.builder.branch(condition, yes, next);
        self.builder.switch_to(yes);
        let value = self.builder.body.binary(BinaryOp::Subtract, left, one);
        self.push(StatementKind::Store { pointer, value });
        self.builder.goto(label);
        self.builder.switch_to(next);
    }

    /// An object that lives in a block of its own, perhaps without a value.
    fn short_lived(&mut self, depth: usize) {
        let pair = self.filled_local();
        self.pairs.push(pair);
        self.block(depth);
        self.pairs.pop();
        if let ObjectRef::Local(object) = pair.object {
            self.push(StatementKind::End { object });
        }
    }

    fn counting_loop(&mut self, depth: usize) {
        let counter = self.local(false);
        let (pointer, zero) = (self.pointer(counter.object, false), self.number(0));
        self.push(StatementKind::Store { pointer, value: zero });
        let (head, inside, next) =
            (self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        self.builder.goto(head);
        self.builder.switch_to(head);
        let kind = LoopKind::For;
        let statement = LoopStatement { kind, location: self.builder.location };
        self.builder.body.blocks[head].loop_statement = Some(statement);
        let target = self.temporary(INT);
        self.push(StatementKind::Load { target, pointer, overlaid: false });
        let bound = 1 + self.random.below(3) as i128;
        let (count, bound, one) = (self.builder.body.read(target), self.number(bound), self.number(1));
        let condition = self.builder.body.binary(BinaryOp::Less, count, bound);
        self.builder.branch(condition, inside, next);
        self.builder.switch_to(inside);
        let value = self.builder.body.binary(BinaryOp::Add, count, one);
        self.push(StatementKind::Store { pointer, value });
        if self.random.chance(2) {
            self.short_lived(depth);
        } else {
            self.block(depth);
        }
        self.builder.goto(head);
        self.builder.switch_to(next);
    }

    /// The whole body of a function: its parameters go to objects of their own.
    fn body(mut self, parameters: usize) -> Body {
        for number in 0..parameters {
            let name = format!("a{number}");
            let location = self.builder.location;
            let parameter = Variable { name, ty: INT, origin: Origin::Parameter, scope: None, location };
            let parameter = self.builder.new_variable(parameter);
            self.builder.body.parameters.push(parameter);
            let home = self.local(true);
            let (pointer, value) = (self.pointer(home.object, false), self.builder.body.read(parameter));
            self.push(StatementKind::Store { pointer, value });
            self.pairs.push(home);
        }
        for _ in 0..3 {
            let pair = self.filled_local();
            self.pairs.push(pair);
        }
        for _ in 0..2 {
            let label = self.builder.new_block();
            self.labels.push(label);
        }
        for label in self.labels.clone() {
            self.block(2);
            self.builder.goto(label);
            self.builder.switch_to(label);
            self.block(2);
        }
        let result = self.value(2);
        self.builder.end(Terminator::Return(Some(result)));
        self.builder.finish()
    }
}

fn object(name: &str, writable: bool, bytes: &[u8]) -> GlobalObject {
    GlobalObject {
        name: name.to_owned(),
        size: 8,
        alignment: 4,
        writable,
        exported: false,
        thread_local: false,
        initial: Initial::Bytes { bytes: bytes.to_vec(), pointers: Vec::new() },
        location: Location::unknown(),
        element: None,
        fields: Vec::new(),
    }
}

fn function(name: &str, parameters: &[Type], result: Option<Type>, definition: Definition) -> Function {
    Function {
        name: name.to_owned(),
        location: Location::unknown(),
        parameters: parameters.to_vec(),
        result,
        variadic: false,
        no_return: false,
        aggregates: Default::default(),
        definition,
    }
}

/// A function that writes through its parameter.
fn poke() -> Body {
    let mut builder = BodyBuilder::new();
    let (name, location) = (String::from("p"), Location::unknown());
    let parameter = Variable { name, ty: Type::Pointer, origin: Origin::Parameter, scope: None, location };
    let parameter = builder.new_variable(parameter);
    builder.body.parameters.push(parameter);
    let (pointer, value) = (builder.body.read(parameter), builder.body.integer(INT, 5));
    let size = builder.body.integer(MODEL.size_type(), 4);
    builder.push(StatementKind::Check(Check::Writable { pointer, size }));
    builder.push(StatementKind::Store { pointer, value });
    builder.end(Terminator::Return(None));
    builder.finish()
}

fn random_program(seed: u64) -> Program {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut program = Program { data_model: MODEL, ..Program::default() };
    std::sync::Arc::make_mut(&mut program.files).push(String::from("random.c"));
    program.objects.push(object("poked", true, &[1]));
    program.objects.push(object("global", true, &[2, 0, 0, 0, 3]));
    program.objects.push(object("fuel", true, &[6]));
    program.functions.push(function("putchar", &[INT], Some(INT), Definition::External));
    program.functions.push(function("poke", &[Type::Pointer], None, Definition::Body(Box::new(poke()))));
    for (number, (name, parameters)) in [("helper", 2), ("main", 0)].into_iter().enumerate() {
        let pair =
            |index: usize| Pair { object: ObjectRef::Global(ObjectId::new(index)), starts_empty: false };
        let generator = Generator {
            random: &mut random,
            builder: BodyBuilder::new(),
            pairs: vec![pair(0), pair(1)],
            labels: Vec::new(),
            fuel: pair(2).object,
            line: 10_000 * number as u32,
            calls: number == 1,
        };
        let body = generator.body(parameters);
        program.functions.push(function(
            name,
            &vec![INT; parameters],
            Some(INT),
            Definition::Body(Box::new(body)),
        ));
    }
    program
}

/// Zero for a variable without a value, which simplified programs ask for where it is declared and others where it is
/// read, if at all; fixed values for all else.
struct Patient(FixedInputs);

impl Inputs for Patient {
    fn value(&mut self, request: &Request<'_>) -> InputValue {
        if request.name.starts_with("uninitialised") { InputValue::Null } else { self.0.value(request) }
    }

    fn byte(&mut self) -> Option<u8> {
        self.0.byte()
    }
}

fn interpret(program: &Program, seed: u64, steps: u64) -> (Run, CollectedOutput) {
    let main = program.function_named("main").unwrap();
    let mut random = Random(seed | 1);
    let values = (0..64).map(|_| InputValue::Integer(random.below(9) as i128 - 3)).collect();
    let (mut inputs, mut output) =
        (Patient(FixedInputs::new(values, Vec::new())), CollectedOutput::default());
    let arguments = Arguments::CommandLine(Vec::new());
    let options = Options::default();
    let run = run(program, main, &arguments, &options, &mut inputs, &mut output, &mut Budget::steps(steps));
    (run, output)
}

/// What must not change: how the run ends and where, and what it has read and written until then.
fn essence(run: &Run, output: &CollectedOutput) -> String {
    let outcome = match &run.outcome {
        Outcome::Violation(violation) => format!("{} at {:?}", violation.obligation, violation.location),
        other => format!("{other:?}"),
    };
    let written = run.inputs.iter().filter(|input| !input.name.starts_with("uninitialised"));
    let inputs: Vec<_> = written.map(|input| (&input.value, input.location)).collect();
    format!("{outcome}, {inputs:?}, {:?}, {:?}", output.output, run.undefined.is_some())
}

#[test]
fn random_programs_run_alike_before_and_after() {
    let (mut exits, mut violations) = (0, 0);
    for seed in 0..600 {
        let plain = random_program(seed);
        assert_eq!(verify(&plain), Ok(()), "seed {seed}");
        let mut simplified = plain.clone();
        simplify(&mut simplified);
        let verified = verify(&simplified);
        assert_eq!(verified, Ok(()), "seed {seed}:\n{}", print(&simplified));
        for inputs in 0..3 {
            let (before, output_before) = interpret(&plain, inputs, 20_000);
            if matches!(before.outcome, Outcome::Stopped(_)) {
                continue;
            }
            let (after, output_after) = interpret(&simplified, inputs, 100_000);
            let (before, after) = (essence(&before, &output_before), essence(&after, &output_after));
            let texts = || format!("{}\n{}", print(&plain), print(&simplified));
            assert_eq!(before, after, "seed {seed} inputs {inputs}\n{}", texts());
            *if before.starts_with("Exit") { &mut exits } else { &mut violations } += 1;
        }
    }
    assert!(exits > 100 && violations > 100, "{exits} runs to the end, {violations} violations");
}
