//! Proposes contracts of functions that compute numbers.
//!
//! ```text
//! runs of the function ─► rows (arguments, result) ─► equations and limits, on all rows and on either side of a test
//! numbers that the program tests with ─► limits of the arguments
//! ```
//!
//! What a function ensures is read off sample runs, as invariants of loops are (LoopFrog, section 4.1). What it requires is
//! guessed from the numbers in the program. The kernel then drops clause after clause until the rest hold
//! (Houdini; Flanagan and Leino). So a wrong guess costs time.

use std::collections::BTreeSet;

use base::{Budget, Index, Location};
use evidence::expression::constant;
use evidence::{Contract, Formula, Integer, Moment, Quantity, RESULT};
use program::interpret::Integers;
use program::{
    Block, Body, Callee, Definition, ExprKind, Function, FunctionId, Origin, Program, Statement,
    StatementKind, Terminator, Type, Variable, VariableId,
};

use transform::Caller;

use crate::linear::{Condition, InEvidence, Linear};
use crate::null_space::null_space;
use crate::samples::{Samples, Seen};
use crate::unique;

/// A contract has no more clauses on either side.
const MOST: usize = 60;

/// A limit that fewer rows come to is one of the rows, and not of the function.
const OFTEN: usize = 3;

/// So many different constants are taken from the program, and none beyond the largest.
const CONSTANTS: usize = 10;
const LARGEST: i128 = 1 << 31;

/// Limits of results beyond this are no plausible ones, unless the program names them.
const PLAUSIBLE: i128 = 1000;

/// Rows with larger numbers may have wrapped.
const SMALL: u128 = 1 << 24;

/// Results are compared with so many parameters.
const FEW: usize = 4;

/// Functions with more numbers are too hard to guess about.
const WIDEST: usize = 6;

/// Contracts that functions may have. Their clauses are guesses.
pub fn propose(
    program: &Program,
    functions: &[FunctionId],
    integers: Integers,
    budget: &Budget,
) -> Vec<Contract> {
    let constants = constants(program);
    functions
        .iter()
        .filter_map(|&function| {
            let numbers = Numbers::of(program, function)?;
            let requires = numbers.requires(&constants);
            let seen = numbers.runs(program, function, integers, budget);
            let mut ensures = Vec::new();
            if let Some(rows) = seen {
                if integers == Integers::Machine {
                    ensures.extend(numbers.remainders(&rows));
                }
                ensures.extend(numbers.ensures(&rows, &constants));
            }
            let function = program.functions[function].name.clone();
            Some(Contract { function, objects: Vec::new(), requires, ensures })
        })
        .collect()
}

/// What a function may ensure of its result, whoever calls it: limits by numbers in its body and by what it is given.
pub fn results(program: &Program, function: FunctionId) -> Vec<Formula> {
    let Some(body) = program.functions[function].body() else { return Vec::new() };
    let result = Linear::variable(Quantity::value(RESULT).at(Moment::Now));
    let mut numbers: BTreeSet<i128> = BTreeSet::from([-1, 0, 1]);
    numbers.extend(body.expressions.values().filter_map(|expression| match expression.kind {
        ExprKind::Integer(value) if value.abs() < LARGEST => Some(value),
        _ => None,
    }));
    let mut numbers: Vec<i128> = numbers.into_iter().collect();
    numbers.sort_by_key(|value| (value.abs(), *value));
    numbers.truncate(CONSTANTS);
    let mut found = Vec::new();
    for number in numbers {
        found.push(Condition::AtMostZero(result.shifted(-number)));
        found.push(Condition::AtMostZero(minus(&result).shifted(number)));
    }
    let is_integer = |variable: &VariableId| matches!(body.variables[*variable].ty, Type::Integer(_));
    let names = evidence::names::local_names(body);
    let given =
        names.iter().filter(|(_, variable)| body.parameters.contains(variable) && is_integer(variable));
    for (name, _) in given.take(FEW) {
        let given = Linear::variable(Quantity::value(name.as_str()).at(Moment::Start));
        for number in [-1, 0, 1] {
            found.push(Condition::AtMostZero((&result - &given).shifted(number)));
            found.push(Condition::AtMostZero((&given - &result).shifted(number)));
        }
    }
    formulas(found)
}

/// The small numbers of a program, the closest to zero first, and the limits of narrow types that it converts.
fn constants(program: &Program) -> Vec<i128> {
    let all = || program.bodies().flat_map(|body| body.expressions.values().map(move |one| (body, one)));
    let mut limits: BTreeSet<i128> = BTreeSet::new();
    for (body, expression) in all() {
        if let ExprKind::Convert(inner) = expression.kind
            && let (Type::Integer(from), Type::Integer(to)) = (body.type_of(inner), expression.ty)
            && from.width < to.width
        {
            limits.extend([from.minimum(), from.maximum()].into_iter().filter(|limit| limit.abs() < LARGEST));
        }
    }
    let found: BTreeSet<i128> = all()
        .map(|(_, expression)| expression)
        .filter_map(|expression| match expression.kind {
            ExprKind::Integer(value) if value.abs() < LARGEST => Some(value),
            _ => None,
        })
        .collect();
    let mut all: Vec<i128> = found.into_iter().chain([0, 1]).collect();
    all.sort_by_key(|value| (value.abs(), *value));
    all.dedup();
    all.truncate(CONSTANTS);
    all.extend(limits);
    unique(all)
}

/// The numbers that a contract speaks of.
pub(super) struct Numbers {
    /// Parameters, with their names.
    given: Vec<(VariableId, String)>,
    /// Integer variables of the program that the function mentions, with their names.
    globals: Vec<(VariableId, String)>,
    has_result: bool,
    /// The width of the result, if it wraps.
    wraps: Option<u8>,
}

/// What is known of each number in a run: those given, the variables of the program before and after, the result.
type Row = Vec<i128>;

impl Numbers {
    /// The variables of a caller and of the program that hold a row when the call has returned.
    pub(super) fn asked(&self, program: &Program, caller: &Caller) -> Option<Vec<(VariableId, Type)>> {
        let body = caller.program.functions[caller.function].body()?;
        let typed = |variable: VariableId| (variable, program.variable(body, variable).ty);
        let before = self.given.iter().chain(&self.globals).map(|(one, _)| caller.before.get(one).copied());
        let after = self.globals.iter().map(|(global, _)| Some(*global));
        let result = self.has_result.then_some(caller.result);
        before.chain(after).chain(result).map(|variable| variable.map(typed)).collect()
    }

    /// What rows have in common.
    pub(super) fn ensured(&self, program: &Program, rows: &[Row]) -> Vec<Formula> {
        let rows: Vec<Row> = rows.iter().filter(|row| is_small(row)).cloned().collect();
        self.ensures(&rows, &constants(program))
    }

    pub(super) fn of(program: &Program, function: FunctionId) -> Option<Self> {
        let body = program.functions[function].body()?;
        let is_integer =
            |variable: VariableId| matches!(program.variable(body, variable).ty, Type::Integer(_));
        let mut mentioned: BTreeSet<VariableId> = BTreeSet::new();
        for expression in body.expressions.values() {
            if let ExprKind::Variable(variable) = expression.kind {
                mentioned.insert(variable);
            }
        }
        mentioned.extend(body.statements().filter_map(|statement| statement.kind.target()));
        let names = evidence::names::variable_names(program, body);
        let of = |wanted: &dyn Fn(VariableId) -> bool| -> Vec<(VariableId, String)> {
            let all = names.iter().filter(|(_, variable)| wanted(*variable) && is_integer(*variable));
            all.map(|(name, variable)| (*variable, name.clone())).collect()
        };
        let given = of(&|variable| body.parameters.contains(&variable));
        let globals = of(&|variable| variable.is_global() && mentioned.contains(&variable));
        let has_result = matches!(program.functions[function].result, Some(Type::Integer(_)));
        let numbers = given.len() + 2 * globals.len() + usize::from(has_result);
        let wraps = match program.functions[function].result {
            Some(Type::Integer(ty)) if !ty.signed && ty.width <= 64 => Some(ty.width),
            _ => None,
        };
        (numbers <= WIDEST).then_some(Self { given, globals, has_result, wraps })
    }

    /// The numbers of a row as they are spoken of: those before the call, then those after it.
    fn columns(&self) -> (Vec<Linear>, Vec<Linear>) {
        let number = |name: &str, moment| Linear::variable(Quantity::value(name).at(moment));
        let at = |numbers: &[(VariableId, String)], moment| -> Vec<Linear> {
            numbers.iter().map(|(_, name)| number(name, moment)).collect()
        };
        let mut before = at(&self.given, Moment::Start);
        before.extend(at(&self.globals, Moment::Start));
        let mut after = at(&self.globals, Moment::Now);
        if self.has_result {
            after.push(number(RESULT, Moment::Now));
        }
        (before, after)
    }

    /// Limits of what is given.
    fn requires(&self, constants: &[i128]) -> Vec<Formula> {
        let (before, _) = self.columns();
        let mut found = Vec::new();
        for &constant in constants {
            for one in &before {
                found.push(Condition::AtMostZero(one.shifted(-constant)));
                found.push(Condition::AtMostZero(minus(one).shifted(constant)));
            }
        }
        for (place, one) in before.iter().enumerate() {
            for other in &before[..place] {
                found.push(Condition::AtMostZero(one - other));
                found.push(Condition::AtMostZero(other - one));
                for &constant in constants.iter().filter(|constant| **constant > 0) {
                    found.push(Condition::AtMostZero((one + other).shifted(-2 * constant)));
                }
            }
        }
        formulas(found)
    }

    /// What the rows have in common.
    fn ensures(&self, rows: &[Row], constants: &[i128]) -> Vec<Formula> {
        let (before, after) = self.columns();
        let mut columns = before.clone();
        columns.extend(after.iter().cloned());
        let mut found: Vec<Formula> = Vec::new();
        let mut common: Vec<Condition> = Vec::new();
        let all: Vec<&Row> = rows.iter().collect();
        shared(&columns, before.len(), &all, constants, &mut common);
        found.extend(formulas(common.clone()));
        for (place, one) in before.iter().enumerate() {
            for &constant in constants {
                let rows = |wanted: &dyn Fn(i128) -> bool| -> Vec<&Row> {
                    all.iter().copied().filter(|row| wanted(row[place])).collect()
                };
                let here = rows(&|number| number == constant);
                let (low, high) = (rows(&|number| number <= constant), rows(&|number| number > constant));
                let over = Condition::AtMostZero(minus(one).shifted(constant + 1));
                let under = Condition::AtMostZero(one.shifted(-constant));
                let elsewhere = Condition::NotZero(one.shifted(-constant));
                for (rows, otherwise) in [(low, over), (high, under), (here, elsewhere)] {
                    let mut here = Vec::new();
                    shared(&columns, before.len(), &rows, constants, &mut here);
                    // An equation says more than limits.
                    if here.iter().any(|condition| matches!(condition, Condition::Zero(_))) {
                        here.retain(|condition| matches!(condition, Condition::Zero(_)));
                    }
                    here.retain(|condition| !common.contains(condition));
                    let guarded = here.into_iter().map(|one| Condition::Any(vec![otherwise.clone(), one]));
                    found.extend(formulas(guarded.collect()));
                }
            }
        }
        let mut found = unique(found);
        found.truncate(MOST);
        found
    }

    /// Sums that always leave the same remainder by two, and equations of sums that wrap.
    fn remainders(&self, rows: &[Row]) -> Vec<Formula> {
        let (before, after) = self.columns();
        let mut columns = before.clone();
        columns.extend(after);
        let mut found = Vec::new();
        for place in before.len()..columns.len() {
            let others = (0..before.len()).map(Some).chain([None]);
            for other in others {
                let value = |row: &Row| (row[place] + other.map_or(0, |other| row[other])).rem_euclid(2);
                if let Some(remainder) = rows.first().map(value)
                    && rows.iter().all(|row| value(row) == remainder)
                {
                    let sum = other.map_or(columns[place].clone(), |other| &columns[place] + &columns[other]);
                    found.push(sum.expression().remainder(2).equals(constant(remainder)));
                }
            }
        }
        let mut equations = Vec::new();
        shared(&columns, before.len(), &rows.iter().collect::<Vec<_>>(), &[], &mut equations);
        for equation in equations {
            if let (Condition::Zero(sum), Some(width)) = (equation, self.wraps) {
                found.push(sum.expression().remainder(Integer::from(1u128 << width)).equals(constant(0)));
            }
        }
        found
    }

    /// Rows of sample runs. Nothing if there are hardly any.
    fn runs(
        &self,
        program: &Program,
        function: FunctionId,
        integers: Integers,
        budget: &Budget,
    ) -> Option<Vec<Row>> {
        let mut sampled = program.clone();
        let caller = self.caller(program, function);
        let (head, variables) = (caller.1, caller.2);
        let caller = sampled.functions.push(caller.0);
        let samples = Samples::of(&sampled, caller, integers, budget);
        let seen = samples.seen(&[(caller, Location::unknown())], head)?;
        let slots: Vec<usize> =
            variables.iter().map(|&variable| seen.slot(variable)).collect::<Option<_>>()?;
        let row = |numbers: &[Option<i128>]| slots.iter().map(|&slot| numbers[slot]).collect::<Option<Row>>();
        let Seen { states, .. } = seen;
        let rows: BTreeSet<Row> =
            states.iter().filter_map(|(_, numbers)| row(numbers)).filter(|row| is_small(row)).collect();
        (rows.len() > slots.len()).then(|| rows.into_iter().collect())
    }

    /// A function that calls the function with any numbers, and comes to a loop head after it; the head, and the variables that
    /// hold a row there.
    fn caller(
        &self,
        program: &Program,
        function: FunctionId,
    ) -> (Function, program::BlockId, Vec<VariableId>) {
        let location = program.functions[function].location;
        let mut body = Body::default();
        let mut statements = Vec::new();
        let mut push = |kind| statements.push(Statement { kind, location });
        let new = |body: &mut Body, ty| {
            let name = format!("v{}", body.variables.len());
            body.variables.push(Variable { name, ty, origin: Origin::Temporary, scope: None, location })
        };
        let mut arguments = Vec::new();
        let mut row = Vec::new();
        for (place, &ty) in program.functions[function].parameters.iter().enumerate() {
            let target = new(&mut body, ty);
            push(StatementKind::Input { target, name: String::from("argument") });
            arguments.push(body.read(target));
            let parameters = program.functions[function].body().map(|body| &body.parameters);
            let parameter = parameters.and_then(|parameters| parameters.get(place));
            if self.given.iter().any(|(one, _)| Some(one) == parameter) {
                row.push(target);
            }
        }
        for &(global, _) in &self.globals {
            push(StatementKind::Input { target: global, name: String::from("before") });
            let ty = program.globals[global.index()].variable.ty;
            let target = new(&mut body, ty);
            let value = body.expression(ExprKind::Variable(global), ty);
            push(StatementKind::Assign { target, value });
            row.push(target);
        }
        let target = program.functions[function].result.map(|ty| new(&mut body, ty));
        push(StatementKind::Call { target, callee: Callee::Function(function), arguments });
        row.extend(self.globals.iter().map(|(global, _)| *global));
        row.extend(target.filter(|_| self.has_result));
        let never = new(&mut body, Type::Bool);
        let no = body.boolean(false);
        push(StatementKind::Assign { target: never, value: no });
        let condition = body.read(never);
        let block = |statements, terminator| Block {
            statements,
            terminator,
            location,
            loop_statement: None,
            body_of: None,
        };
        let head = program::BlockId::new(1);
        body.blocks.push(block(statements, Terminator::Goto(head)));
        let end = program::BlockId::new(2);
        body.blocks.push(block(Vec::new(), Terminator::Branch { condition, then: head, otherwise: end }));
        body.blocks.push(block(Vec::new(), Terminator::Return(None)));
        let caller = Function {
            name: String::from("$samples"),
            location,
            parameters: Vec::new(),
            aggregates: Default::default(),
            result: None,
            variadic: false,
            no_return: false,
            definition: Definition::Body(Box::new(body)),
        };
        (caller, head, row)
    }
}

/// Whether the numbers of a row were computed without wrapping, as it seems.
fn is_small(row: &[i128]) -> bool {
    row.iter().all(|number| number.unsigned_abs() < SMALL)
}

/// Equations and limits that rows share, of numbers after the call: those from a place on.
fn shared(columns: &[Linear], after: usize, rows: &[&Row], constants: &[i128], found: &mut Vec<Condition>) {
    if rows.len() < columns.len() + 2 {
        return;
    }
    let with_one: Vec<Row> = rows.iter().map(|row| row.iter().copied().chain([1]).collect()).collect();
    for vector in null_space(with_one.iter().map(Vec::as_slice), columns.len() + 1) {
        let is_small = vector[..columns.len()].iter().all(|factor| factor.abs() <= PLAUSIBLE);
        if is_small && vector[after..columns.len()].iter().any(|factor| *factor != 0) {
            let zero = Linear::constant(vector[columns.len()]);
            let sum = columns.iter().zip(&vector);
            let sum = sum.fold(zero, |sum, (column, &factor)| sum.plus_scaled(&factor.into(), column));
            found.push(Condition::Zero(sum));
        }
    }
    let is_plausible = |limit: i128| limit.abs() <= PLAUSIBLE || constants.contains(&limit);
    let mut limits = |sum: Linear, value: &dyn Fn(&Row) -> i128| {
        let values = || rows.iter().map(|row| value(row));
        let is_limit =
            |limit: i128| is_plausible(limit) && values().filter(|value| *value == limit).count() >= OFTEN;
        let (Some(least), Some(greatest)) = (values().min(), values().max()) else { return };
        if is_limit(least) {
            found.push(Condition::AtMostZero(minus(&sum).shifted(least)));
        }
        if is_limit(greatest) {
            found.push(Condition::AtMostZero(sum.shifted(-greatest)));
        }
    };
    for (place, column) in columns.iter().enumerate().skip(after) {
        limits(column.clone(), &|row| row[place]);
        for (other, second) in columns[..after].iter().enumerate() {
            limits(column - second, &|row| row[place] - row[other]);
            limits(column + second, &|row| row[place] + row[other]);
        }
    }
}

fn minus(number: &Linear) -> Linear {
    &Linear::zero() - number
}

fn formulas(conditions: Vec<Condition>) -> Vec<Formula> {
    let mut all: Vec<Formula> = unique(conditions).iter().map(Condition::formula).collect();
    all.truncate(MOST);
    all
}
