//! A function that calls another one in every way that its contract allows.
//!
//! ```text
//! parameters := any
//! pointees   := new objects of the sizes that the contract names, of any contents
//! assume requires
//! t := f(parameters)
//! check ensures; check that pointees which f does not change are as they were
//! ```

use std::collections::{BTreeMap, BTreeSet};

use base::{Index, Location};
use evidence::expression::constant;
use evidence::names::local_names;
use evidence::{Contract, Element, Expression, Moment, Part, Pointee};
use program::interpret::Integers;
use program::library::{NONDET_MEMORY, OBJECT};
use program::outside::entered_anytime;
use program::{
    BinaryOp, BlockId, Body, Callee, Case, Check, Definition, ExprId, ExprKind, Function, FunctionId, Origin,
    Program, Statement, StatementKind, Terminator, Type, VariableId,
};

use crate::clauses::{Numbers, Scope, element_type};
use crate::contracts::{At, Contracts, Values, check};
use crate::pieces::{any, assign, assume, block, variable};
use crate::slice::Slices;

const BYTE: Type = Type::unsigned(8);
const CHOICE: Type = Type::unsigned(32);

/// What the callers that a contract allows are called: no function of C has such a name.
const CALLER: &str = "caller of ";

/// What the inputs are called that say how large a string is with what follows it, and where its end is: before the name of
/// the pointee.
pub const SIZE: &str = "size of ";
/// See [`SIZE`].
pub const END: &str = "end of ";

/// What the inputs are called that parameters are: before the name of the parameter.
pub const PARAMETER: &str = "parameter ";

/// Makes functions that call other ones in every way that their contracts allow.
#[derive(Debug)]
pub struct Callers<'p> {
    program: &'p Program,
    slices: Slices,
}

/// A program that starts in a function which calls another one.
#[derive(Debug)]
pub struct Caller {
    /// What the calls can come to of the program that they are in, with the same numbers, and the new function.
    pub program: Program,
    /// The new function.
    pub function: FunctionId,
    /// Its variables that hold what parameters, and variables of the program, are at the call.
    pub before: BTreeMap<VariableId, VariableId>,
    /// The variable that holds the result.
    pub result: Option<VariableId>,
}

impl<'p> Callers<'p> {
    /// Finds out once what all functions need to know of the program.
    pub fn of(program: &'p Program) -> Self {
        Self { program, slices: Slices::of(entered_anytime(program)) }
    }

    /// The program that the calls are in.
    pub const fn program(&self) -> &'p Program {
        self.program
    }

    /// Whether what a function can come to has objects that can be written.
    pub fn writable_objects(&self, function: FunctionId) -> bool {
        self.slices.has_writable_objects(function)
    }

    /// A program that starts in a new function, which calls a function in every way that a contract allows.
    ///
    /// **Theorem.** Let a call of the function meet its contract, in any state of any program that holds this one, and let
    /// its run do what an obligation forbids, or break what the contract ensures. Then the new program has a run from the
    /// new function that does so. For: let the new function make objects that are as large as the contract says, and give
    /// them the bytes that there are at the call. Then the run is the same step by step, with every address in a pointee
    /// taken for that in the new object, up to the first access outside of what the contract names. There the new run
    /// violates an obligation. Addresses that are in no pointee, and pointers that stand in one, are unknown to the new
    /// run: it follows none. What the program itself holds is anything that somebody can have written.
    ///
    /// **Lost:** calls that break the contract, and what the call does not come to.
    ///
    /// Nothing if the contract speaks of what cannot be written, or the function has more arguments than parameters.
    pub fn with_caller(&self, contract: &Contract, integers: Integers) -> Option<Caller> {
        self.caller(contract, integers, Sizes::OfContract)
    }

    /// The same with objects of any size, each an input ([`SIZE`]): for runs that show which sizes there must be.
    pub fn with_objects(&self, contract: &Contract, integers: Integers) -> Option<Caller> {
        self.caller(contract, integers, Sizes::Any)
    }

    fn caller(&self, contract: &Contract, integers: Integers, sizes: Sizes) -> Option<Caller> {
        let function = self.program.function_named(&contract.function)?;
        let called = &self.program.functions[function];
        let callee = called.body().filter(|_| !called.variadic)?;
        let contracts = Contracts::new(self.program, integers, BTreeMap::from([(function, contract)]));
        let mut program = self.slices.behind(function);
        let nondet_memory = nondet_memory(&mut program)?;
        let names = local_names(callee).into_iter();
        let mut writer = Writer {
            program: self.program,
            function,
            callee,
            contract,
            sizes,
            bits: integers == Integers::Machine,
            nondet_memory,
            location: called.location,
            body: Body::default(),
            statements: Vec::new(),
            values: Values::default(),
            names: names.filter(|(_, variable)| callee.parameters.contains(variable)).collect(),
        };
        writer.write(&contracts)?;
        let Writer { body, values, location, .. } = writer;
        let function = program.functions.push(Function {
            name: format!("{CALLER}{}", contract.function),
            location,
            parameters: Vec::new(),
            aggregates: BTreeMap::new(),
            result: None,
            variadic: false,
            no_return: false,
            definition: Definition::Body(Box::new(body)),
        });
        Some(Caller { program, function, before: values.before, result: values.result })
    }
}

/// The function of the C library of verifiers that gives bytes any contents. Nothing if the program defines it.
fn nondet_memory(program: &mut Program) -> Option<FunctionId> {
    if let Some(known) = program.function_named(NONDET_MEMORY) {
        return matches!(program.functions[known].definition, Definition::External).then_some(known);
    }
    Some(program.functions.push(Function {
        name: String::from(NONDET_MEMORY),
        location: Location::unknown(),
        parameters: vec![Type::Pointer, program.data_model.size_type()],
        aggregates: BTreeMap::new(),
        result: None,
        variadic: false,
        no_return: false,
        definition: Definition::External,
    }))
}

/// How large objects are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sizes {
    /// As the contract says.
    OfContract,
    /// Of any size.
    Any,
}

/// The new function, while it is written.
struct Writer<'a> {
    program: &'a Program,
    function: FunctionId,
    callee: &'a Body,
    contract: &'a Contract,
    sizes: Sizes,
    /// Whether numbers have bits.
    bits: bool,
    nondet_memory: FunctionId,
    location: Location,
    body: Body,
    statements: Vec<Statement>,
    values: Values,
    /// What the parameters of the callee are called.
    names: BTreeMap<String, VariableId>,
}

/// An object that was made for a pointer.
struct Made<'a> {
    object: &'a Pointee,
    pointer: VariableId,
    size: VariableId,
}

impl<'a> Writer<'a> {
    /// Writes the whole body.
    fn write(&mut self, contracts: &Contracts<'_>) -> Option<()> {
        let (function, location) = (self.function, self.location);
        self.parameters();
        self.globals();
        let made = self.pointees()?;
        let required = contracts.written(function, At::Call, &mut self.body, &self.values)?;
        self.statements.extend(required.into_iter().map(|(_, condition)| assume(condition, location)));
        self.call(&made, |writer| {
            writer.elements(Moment::Now)?;
            let ensured = contracts.written(function, At::Return, &mut writer.body, &writer.values)?;
            let checks = ensured.into_iter().map(|(note, condition)| check(condition, note, location));
            writer.statements.extend(checks);
            Some(())
        })?;
        let statements = std::mem::take(&mut self.statements);
        self.body.blocks.push(block(statements, Terminator::Return(None), location));
        Some(())
    }

    fn push(&mut self, kind: StatementKind) {
        self.statements.push(Statement { kind, location: self.location });
    }

    fn new_variable(&mut self, name: &str, ty: Type) -> VariableId {
        variable(&mut self.body, String::from(name), ty, Origin::Temporary, self.location)
    }

    /// Gives each parameter a value: any, or a pointer to an object of any contents if it is an aggregate.
    fn parameters(&mut self) {
        let called = &self.program.functions[self.function];
        for (place, &parameter) in self.callee.parameters.iter().enumerate() {
            let original = &self.callee.variables[parameter];
            let given = self.new_variable(&original.name, original.ty);
            self.values.before.insert(parameter, given);
            match called.aggregates.get(&place) {
                Some(&bytes) => {
                    let ty = self.program.data_model.size_type();
                    let size = self.body.integer(ty, bytes.into());
                    self.allocate(given, size);
                }
                None => {
                    self.statements.push(any(given, &format!("{PARAMETER}{}", original.name), self.location))
                }
            }
        }
    }

    /// A new object of any contents.
    fn allocate(&mut self, pointer: VariableId, size: ExprId) {
        self.push(StatementKind::Allocate { target: pointer, size });
        let arguments = vec![self.body.read(pointer), size];
        let callee = Callee::Function(self.nondet_memory);
        self.push(StatementKind::Call { target: None, callee, arguments });
    }

    /// Saves the variables of the program that the callee mentions.
    fn globals(&mut self) {
        let mentioned = self.callee.expressions.values().filter_map(|expression| match expression.kind {
            ExprKind::Variable(variable) if variable.is_global() => Some(variable),
            _ => None,
        });
        let assigned = self.callee.statements().filter_map(|statement| statement.kind.target());
        let globals: BTreeSet<VariableId> =
            mentioned.chain(assigned).filter(|variable| variable.is_global()).collect();
        for global in globals {
            let original = &self.program.globals[global.index()].variable;
            let saved = self.new_variable(&format!("$before_{}", original.name), original.ty);
            let value = self.body.expression(ExprKind::Variable(global), original.ty);
            self.statements.push(assign(saved, value, self.location));
            self.values.before.insert(global, saved);
        }
    }

    /// Makes what the pointers of the contract point to: first what parameters point to, then what pointers in there do.
    fn pointees(&mut self) -> Option<Vec<Made<'a>>> {
        let contract = self.contract;
        let (nested, direct): (Vec<&Pointee>, Vec<&Pointee>) =
            contract.objects.iter().partition(|object| object.field.is_some());
        let mut made = Vec::new();
        for object in direct {
            made.push(self.make(object)?);
        }
        self.elements(Moment::Start)?;
        for object in nested {
            made.push(self.make(object)?);
        }
        Some(made)
    }

    /// Makes what a pointer points to.
    fn make(&mut self, object: &'a Pointee) -> Option<Made<'a>> {
        let holder = self.given(object.parameter.as_str())?;
        let pointer = match object.field {
            None => holder,
            Some(_) => self.new_variable(&format!("{}#stored", object.parameter), Type::Pointer),
        };
        let is_string = object.terminated && self.sizes == Sizes::OfContract;
        let size = match self.sizes {
            // Where a string ends is not known.
            Sizes::OfContract if object.is_string() => self.size(&constant(0))?,
            Sizes::OfContract => self.size(&object.bytes)?,
            Sizes::Any => self.any_size(object),
        };
        let size = if is_string { self.at_least(object, size) } else { size };
        let value = self.body.read(size);
        let mark = self.new_variable("$object", BYTE);
        self.statements.push(any(mark, &format!("{OBJECT}{}", object.place()), self.location));
        let may_be_anything = !is_string && !object.not_null && !is_some(&object.bytes);
        if self.sizes == Sizes::OfContract && may_be_anything {
            self.allocate_if_some(object, pointer, size);
        } else {
            self.allocate(pointer, value);
        }
        if is_string {
            self.terminate(object, pointer, size);
        }
        if let Some(field) = object.field {
            let place = self.at(holder, field.into());
            let (model, value) = (self.program.data_model, self.body.read(pointer));
            let size = self.body.integer(model.size_type(), model.pointer_bytes().into());
            self.push(StatementKind::Check(Check::Writable { pointer: place, size }));
            self.push(StatementKind::Store { pointer: place, value });
        }
        Some(Made { object, pointer, size })
    }

    /// A new object, unless it would have no bytes: then the pointer is any.
    fn allocate_if_some(&mut self, object: &Pointee, pointer: VariableId, size: VariableId) {
        if object.field.is_some() {
            let name = format!("pointer {}", object.place());
            self.statements.push(any(pointer, &name, self.location));
        }
        let made = self.new_variable("$made", Type::Pointer);
        let value = self.body.read(size);
        self.allocate(made, value);
        let zero = self.body.zero(self.program.data_model.size_type());
        let (value, any, made) = (self.body.read(size), self.body.read(pointer), self.body.read(made));
        let is_none = self.body.binary(BinaryOp::Equal, value, zero);
        let value = self.body.select(is_none, any, made);
        self.statements.push(assign(pointer, value, self.location));
    }

    /// The variable that holds a parameter that is a pointer.
    fn given(&self, name: &str) -> Option<VariableId> {
        let given = *self.values.before.get(self.names.get(name)?)?;
        (self.body.variables[given].ty == Type::Pointer).then_some(given)
    }

    /// A variable that holds a size: no object is larger than a difference of pointers can say.
    fn size(&mut self, bytes: &Expression) -> Option<VariableId> {
        let model = self.program.data_model;
        let (size_type, Type::Integer(most)) = (model.size_type(), model.offset_type()) else { return None };
        let numbers = self.numbers();
        let mut scope = Scope { numbers: &numbers, bits: self.bits, body: &mut self.body };
        let wide = scope.number_of(bytes, 2 * most.width)?;
        let ty = self.body.type_of(wide);
        let (zero, most) = (self.body.zero(ty), self.body.integer(ty, most.maximum()));
        let fits = self.body.binary(BinaryOp::LessEqual, wide, most);
        self.statements.push(assume(fits, self.location));
        let is_none = self.body.binary(BinaryOp::Less, wide, zero);
        let cut = self.body.select(is_none, zero, wide);
        let value = self.body.convert(size_type, cut);
        let size = self.new_variable("$size", size_type);
        self.statements.push(assign(size, value, self.location));
        Some(size)
    }

    /// What sizes can speak of: parameters, and numbers in what they point to.
    fn numbers(&self) -> Numbers {
        let mut numbers = self.values.elements.clone();
        for (name, parameter) in &self.names {
            if let Some(&given) = self.values.before.get(parameter) {
                numbers.add(Moment::Start, name.clone(), given, self.body.variables[given].ty);
            }
        }
        numbers
    }

    fn any_size(&mut self, object: &Pointee) -> VariableId {
        let size = self.new_variable("$whole", self.program.data_model.size_type());
        self.statements.push(any(size, &format!("{SIZE}{}", object.place()), self.location));
        size
    }

    /// Any size that is not less, and not zero: where the zero byte stands is not known.
    fn at_least(&mut self, object: &Pointee, least: VariableId) -> VariableId {
        let (size_type, offset_type) =
            (self.program.data_model.size_type(), self.program.data_model.offset_type());
        let size = self.any_size(object);
        let (value, least, one) =
            (self.body.read(size), self.body.read(least), self.body.integer(size_type, 1));
        let signed = self.body.convert(offset_type, value);
        let no_less = self.body.binary(BinaryOp::LessEqual, least, value);
        let some = self.body.binary(BinaryOp::LessEqual, one, value);
        let zero = self.body.zero(offset_type);
        let fits = self.body.binary(BinaryOp::LessEqual, zero, signed);
        let conditions = [no_less, some, fits].map(|condition| assume(condition, self.location));
        self.statements.extend(conditions);
        size
    }

    /// Some byte of an object is zero. Whatever its contents are with a zero byte, some choice gives them.
    fn terminate(&mut self, object: &Pointee, pointer: VariableId, size: VariableId) {
        let end = self.index_below(&format!("{END}{}", object.place()), size);
        let place = self.body.read(end);
        let place = self.moved(pointer, place);
        let value = self.body.integer(BYTE, 0);
        self.push(StatementKind::Store { pointer: place, value });
    }

    /// A variable that holds any place in an object of this size. There is none if the size is zero.
    fn index_below(&mut self, name: &str, size: VariableId) -> VariableId {
        let index = self.new_variable("$index", self.program.data_model.size_type());
        self.statements.push(any(index, name, self.location));
        let (left, right) = (self.body.read(index), self.body.read(size));
        let is_inside = self.body.binary(BinaryOp::Less, left, right);
        self.statements.push(assume(is_inside, self.location));
        index
    }

    fn moved(&mut self, pointer: VariableId, bytes: ExprId) -> ExprId {
        let pointer = self.body.read(pointer);
        let bytes = self.body.convert(self.program.data_model.offset_type(), bytes);
        self.body.offset(pointer, bytes)
    }

    fn at(&mut self, pointer: VariableId, bytes: i128) -> ExprId {
        let bytes = self.body.integer(self.program.data_model.offset_type(), bytes);
        self.moved(pointer, bytes)
    }

    /// Loads the numbers in memory that the contract speaks of at a moment.
    fn elements(&mut self, moment: Moment) -> Option<()> {
        for element in elements(self.contract, moment) {
            let Expression::Constant(index) = &*element.index else { return None };
            let index = i128::try_from(index).ok().filter(|index| (0..1 << 32).contains(index))?;
            if ![1, 2, 4, 8].contains(&element.bytes) {
                return None;
            }
            let holder = self.given(element.buffer.as_str())?;
            let place = self.at(holder, index * i128::from(element.bytes));
            let size = self.body.integer(self.program.data_model.size_type(), element.bytes.into());
            self.push(StatementKind::Check(Check::Accessible { pointer: place, size }));
            let loaded = self.new_variable("$element", Type::Integer(element_type(&element)));
            self.push(StatementKind::Load { target: loaded, pointer: place, overlaid: true });
            self.values.elements.add_element(&element, loaded);
        }
        Some(())
    }

    /// Calls the function. If it must leave some objects as they are, any byte of one of them is saved before, and examined
    /// after the call: which one, is chosen at the start.
    fn call(&mut self, made: &[Made<'a>], ensured: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let called = &self.program.functions[self.function];
        let kept: Vec<&Made<'a>> = made.iter().filter(|made| !made.object.changed).collect();
        let choice = (!kept.is_empty()).then(|| self.choose());
        let (index, old) = (
            self.new_variable("$place", self.program.data_model.size_type()),
            self.new_variable("$old", BYTE),
        );
        if let Some(choice) = choice {
            self.in_case(choice, &kept, |writer, one| {
                let chosen = writer.index_below("place that is kept", one.size);
                stored(made, one).for_each(|(field, _)| writer.leave_out(chosen, field));
                let value = writer.body.read(chosen);
                writer.statements.push(assign(index, value, writer.location));
                let pointer = writer.moved(one.pointer, value);
                writer.push(StatementKind::Load { target: old, pointer, overlaid: true });
            });
        }
        self.values.result = called.result.map(|ty| self.new_variable("$result", ty));
        let given: Vec<VariableId> =
            self.callee.parameters.iter().map(|one| self.values.before[one]).collect();
        let arguments = given.into_iter().map(|one| self.body.read(one)).collect();
        let callee = Callee::Function(self.function);
        self.push(StatementKind::Call { target: self.values.result, callee, arguments });
        ensured(self)?;
        if let Some(choice) = choice {
            self.in_case(choice, &kept, |writer, one| {
                let note = writer.contract.kept_note(one.object);
                let place = writer.body.read(index);
                let pointer = writer.moved(one.pointer, place);
                let new = writer.load("$new", BYTE, pointer);
                writer.check_same(old, new, &note);
                for (field, pointer) in stored(made, one) {
                    let place = writer.at(one.pointer, field.into());
                    let new = writer.load("$new", Type::Pointer, place);
                    writer.check_same(pointer, new, &note);
                }
            });
        }
        Some(())
    }

    fn load(&mut self, name: &str, ty: Type, pointer: ExprId) -> VariableId {
        let target = self.new_variable(name, ty);
        self.push(StatementKind::Load { target, pointer, overlaid: true });
        target
    }

    /// Checks that two variables hold the same.
    fn check_same(&mut self, left: VariableId, right: VariableId, note: &str) {
        let (left, right) = (self.body.read(left), self.body.read(right));
        let is_same = self.body.binary(BinaryOp::Equal, left, right);
        self.statements.push(check(is_same, note.to_owned(), self.location));
    }

    /// Bytes of a stored pointer are not compared one by one.
    fn leave_out(&mut self, place: VariableId, field: u64) {
        let ty = self.program.data_model.size_type();
        let end = field + self.program.data_model.pointer_bytes();
        let (first, end) = (self.body.integer(ty, field.into()), self.body.integer(ty, end.into()));
        let value = self.body.read(place);
        let (before, after) = (
            self.body.binary(BinaryOp::Less, value, first),
            self.body.binary(BinaryOp::LessEqual, end, value),
        );
        let outside = self.body.binary(BinaryOp::Or, before, after);
        self.statements.push(assume(outside, self.location));
    }

    /// A variable with a number that never changes.
    fn choose(&mut self) -> VariableId {
        let choice = self.new_variable("$choice", CHOICE);
        self.statements.push(any(choice, "object that is kept", self.location));
        choice
    }

    /// Does something for the object of a number, one block for each; then goes on in a block of its own.
    fn in_case(
        &mut self,
        choice: VariableId,
        kept: &[&Made<'a>],
        mut work: impl FnMut(&mut Self, &Made<'a>),
    ) {
        let value = self.body.read(choice);
        let before = std::mem::take(&mut self.statements);
        let first = self.body.blocks.len();
        let place = |number: usize| BlockId::new(first + number);
        let after = place(kept.len() + 1);
        let cases = (1..=kept.len()).map(|number| {
            let low = number as i128;
            Case { low, high: low, target: place(number) }
        });
        let choose = Terminator::Switch { value, cases: cases.collect(), default: after };
        self.body.blocks.push(block(before, choose, self.location));
        for &made in kept {
            work(self, made);
            let statements = std::mem::take(&mut self.statements);
            self.body.blocks.push(block(statements, Terminator::Goto(after), self.location));
        }
    }
}

/// The pointers that stand in an object, and where.
fn stored<'m>(made: &'m [Made<'_>], holder: &'m Made<'_>) -> impl Iterator<Item = (u64, VariableId)> + 'm {
    let is_held =
        |one: &&Made<'_>| holder.object.field.is_none() && one.object.parameter == holder.object.parameter;
    made.iter().filter(is_held).filter_map(|one| Some((one.object.field?, one.pointer)))
}

/// Whether a number of bytes is known not to be zero.
fn is_some(bytes: &Expression) -> bool {
    matches!(bytes, Expression::Constant(bytes) if *bytes > 0.into())
}

/// The elements of a contract at a moment, each once.
fn elements(contract: &Contract, moment: Moment) -> Vec<Element> {
    let mut found: Vec<Element> = Vec::new();
    let mut visit = |part: Part<'_>| {
        if let Part::Number(Expression::Element(element)) = part
            && element.moment == moment
            && !found.contains(element)
        {
            found.push(element.clone());
        }
    };
    contract.objects.iter().for_each(|object| Part::Number(&object.bytes).walk(&mut visit));
    let clauses = contract.requires.iter().chain(&contract.ensures);
    clauses.for_each(|clause| Part::Formula(clause).walk(&mut visit));
    found
}
