//! The programs that claims speak of: [`transform`] makes them as evidence says.
//!
//! [`assuming`] reads a condition on the values at function entry, and [`chains`] says what chains of calls keep of
//! memory; [`contracted`] reads the clauses of contracts. The condition of an assumption speaks of the values at function entry ([`Moment::Start`]) of integer
//! parameters and of integer variables outside functions, and what a contract ensures also of their values at the return
//! ([`Moment::Now`]) and of the result; anything else is refused. Its numbers do not wrap: they are
//! computed wide enough from numbers of at most 64 bits, with few and small coefficients. The remainder of a sum by a power
//! of two can be compared with a number, unless integers are mathematical.

use std::collections::BTreeMap;

use evidence::{Aspect, Chains, Comparison, Contract, Expression, Formula, Integer, Moment, RESULT, Side};
use program::interpret::Integers;
use program::{
    BinaryOp, Body, ExprId, ExprKind, FunctionId, IntegerType, Program, Type, UnaryOp, VariableId,
};
use transform::contracts::{At, Clauses, Values, by_contracts};
use transform::{ChainMemory, assume_at_entry, call_chains};

use crate::names::{local_names, variable_names};
use crate::subject::Claim;

/// The widest numbers that sums are made of, the largest coefficients, and how many summands there are at most: a sum
/// needs no more than 64 + 31 + 5 bits and a sign, and a constant no more than 96.
const WIDEST: u8 = 64;
const COEFFICIENT: i128 = 1 << 31;
const SUMMANDS: usize = 32;

/// The program in which a function is entered only with values that fulfil a condition. Nothing if the condition speaks of
/// something else, or the function has no body.
pub fn assuming(program: &Program, function: FunctionId, condition: &Formula) -> Option<Program> {
    let mut program = program.clone();
    let body = program.functions[function].body()?;
    let variables: Variables = variable_names(&program, body)
        .into_iter()
        .filter(|(_, variable)| variable.is_global() || body.parameters.contains(variable))
        .filter_map(|(name, variable)| {
            let ty = integer(program.variable(body, variable).ty)?;
            Some(((Moment::Start, name), (variable, ty)))
        })
        .collect();
    let body = program.functions[function].body_mut()?;
    let condition = Scope { variables: &variables, bits: false, body }.formula(condition)?;
    assume_at_entry(&mut program, function, condition)?;
    Some(program)
}

/// The program in which the body of a function follows chains of calls ([`call_chains`]).
pub fn chains(program: &Program, entry: FunctionId, kept: Chains) -> Option<Program> {
    let memory = match kept {
        Chains::WithMemory => ChainMemory::Kept,
        Chains::WithoutMemory => ChainMemory::Dropped,
    };
    call_chains(program, entry, memory)
}

/// The program in which calls of functions are what their contracts say, and in which the contracts are checked
/// ([`by_contracts`]). Nothing if a contract is about something else than numbers, or its function about more than them.
pub fn contracted(program: &Program, claim: Claim, contracts: &[Contract]) -> Option<Program> {
    let named = |contract: &Contract| program.function_named(&contract.function);
    let functions: Vec<FunctionId> = contracts.iter().map(named).collect::<Option<_>>()?;
    let contracts = functions.iter().copied().zip(contracts).collect();
    let clauses = ContractClauses { program, integers: claim.integers, contracts };
    // A function has one contract.
    if clauses.contracts.len() < functions.len() {
        return None;
    }
    by_contracts(program, claim.function, &functions, &clauses)
}

/// Contracts as conditions.
pub(crate) struct ContractClauses<'a> {
    pub program: &'a Program,
    pub integers: Integers,
    pub contracts: BTreeMap<FunctionId, &'a Contract>,
}

impl Clauses for ContractClauses<'_> {
    fn has(&self, function: FunctionId) -> bool {
        self.contracts.contains_key(&function)
    }

    fn written(
        &self,
        function: FunctionId,
        at: At,
        body: &mut Body,
        values: &Values,
    ) -> Option<Vec<(String, ExprId)>> {
        let callee = self.program.functions[function].body()?;
        let mut variables = Variables::new();
        // Names of variables of the program are not needed as a rule, and there may be many.
        let names = match values.before.keys().any(|variable| variable.is_global()) {
            true => variable_names(self.program, callee),
            false => local_names(callee),
        };
        for (name, variable) in names {
            if name == RESULT {
                return None;
            }
            let Some(&before) = values.before.get(&variable) else { continue };
            let Some(ty) = integer(body.variables[before].ty) else { continue };
            if variable.is_global() && at == At::Return {
                variables.insert((Moment::Now, name.clone()), (variable, ty));
            }
            variables.insert((Moment::Start, name), (before, ty));
        }
        if let Some(result) = values.result
            && let Some(ty) = integer(body.variables[result].ty)
        {
            variables.insert((Moment::Now, RESULT.to_owned()), (result, ty));
        }
        let side = if at == At::Call { Side::Requires } else { Side::Ensures };
        let contract = self.contracts.get(&function)?;
        let mut scope = Scope { variables: &variables, bits: self.integers == Integers::Machine, body };
        let clauses = contract.clauses(side).iter().enumerate();
        clauses.map(|(place, clause)| Some((contract.note(side, place), scope.formula(clause)?))).collect()
    }
}

/// The type of a number that conditions can speak of.
fn integer(ty: Type) -> Option<IntegerType> {
    match ty {
        Type::Integer(ty) if ty.width <= WIDEST => Some(ty),
        _ => None,
    }
}

/// What is added up: a coefficient, and the variable that it belongs to, if any.
type Summand<'f> = (i128, Option<(Moment, &'f str)>);

/// What the names of a condition stand for at a moment.
type Variables = BTreeMap<(Moment, String), (VariableId, IntegerType)>;

struct Scope<'a> {
    variables: &'a Variables,
    /// Whether numbers have bits.
    bits: bool,
    body: &'a mut Body,
}

impl Scope<'_> {
    fn formula(&mut self, formula: &Formula) -> Option<ExprId> {
        Some(match formula {
            Formula::True => self.body.boolean(true),
            Formula::False => self.body.boolean(false),
            Formula::Not(inner) => {
                let inner = self.formula(inner)?;
                self.body.unary(UnaryOp::Not, inner)
            }
            Formula::All(parts) => self.joined(parts, BinaryOp::And, true)?,
            Formula::Any(parts) => self.joined(parts, BinaryOp::Or, false)?,
            Formula::Compare { left, comparison, right } => self.compare(left, *comparison, right)?,
            Formula::Every { .. } => return None,
        })
    }

    fn joined(&mut self, parts: &[Formula], op: BinaryOp, neutral: bool) -> Option<ExprId> {
        let parts: Vec<ExprId> = parts.iter().map(|part| self.formula(part)).collect::<Option<_>>()?;
        let joined = parts.into_iter().reduce(|all, part| self.body.binary(op, all, part));
        Some(joined.unwrap_or_else(|| self.body.boolean(neutral)))
    }

    fn compare(&mut self, left: &Expression, comparison: Comparison, right: &Expression) -> Option<ExprId> {
        let (left, right) = match (left, right) {
            (Expression::Remainder { dividend, divisor }, Expression::Constant(number)) => {
                self.remainder(dividend, divisor, number)?
            }
            _ => {
                let (left, right) = (summands_of(left)?, summands_of(right)?);
                let ty = match self.own_type(&left, &right) {
                    Some(ty) => ty,
                    None => self.wide(left.iter().chain(&right))?,
                };
                (self.sum(&left, ty)?, self.sum(&right, ty)?)
            }
        };
        Some(match comparison {
            Comparison::Equal => self.body.binary(BinaryOp::Equal, left, right),
            Comparison::Differ => self.body.binary(BinaryOp::NotEqual, left, right),
            Comparison::Less => self.body.binary(BinaryOp::Less, left, right),
            Comparison::LessEqual => self.body.binary(BinaryOp::LessEqual, left, right),
            Comparison::Greater => self.body.binary(BinaryOp::Less, right, left),
            Comparison::GreaterEqual => self.body.binary(BinaryOp::LessEqual, right, left),
        })
    }

    /// A type in which these summands can be added and subtracted in any order.
    fn wide<'f>(&self, summands: impl Iterator<Item = &'f Summand<'f>>) -> Option<IntegerType> {
        let mut most: u128 = 0;
        for &(coefficient, variable) in summands {
            let width = variable.map_or(Some(0), |variable| Some(self.variable(variable)?.1.width))?;
            most = most.checked_add(coefficient.unsigned_abs().checked_mul(1 << width)?)?;
        }
        // A sign, and room for the difference of both sides.
        let width = 128 - most.leading_zeros() + 2;
        Some(IntegerType { width: u8::try_from(width.min(128)).ok()?, signed: true })
    }

    /// The remainder of a sum by a power of two, and a number to compare it with.
    fn remainder(
        &mut self,
        dividend: &Expression,
        divisor: &Integer,
        number: &Integer,
    ) -> Option<(ExprId, ExprId)> {
        let divisor = u128::try_from(divisor).ok().filter(|divisor| divisor.is_power_of_two())?;
        let number = i128::try_from(number).ok().filter(|number| (0..1 << 64).contains(number))?;
        let width =
            u8::try_from(divisor.trailing_zeros()).ok().filter(|width| (1..=WIDEST).contains(width))?;
        if !self.bits || number.unsigned_abs() >= divisor {
            return None;
        }
        let summands = summands_of(dividend)?;
        let ty = self.wide(summands.iter())?;
        let sum = self.sum(&summands, IntegerType { width: ty.width.max(width), ..ty })?;
        let ty = Type::Integer(IntegerType { width, signed: false });
        Some((self.body.convert(ty, sum), self.body.integer(ty, number)))
    }

    fn variable(&self, (moment, name): (Moment, &str)) -> Option<(VariableId, IntegerType)> {
        self.variables.get(&(moment, name.to_owned())).copied()
    }

    /// The type of the variables, if each side is one variable of it or a constant that it has: then nothing is
    /// computed, and the comparison is a small query.
    fn own_type(&self, left: &[Summand<'_>], right: &[Summand<'_>]) -> Option<IntegerType> {
        let mut own = None;
        for side in [left, right] {
            if let [(1, Some(name))] = *side {
                let (_, ty) = self.variable(name)?;
                if *own.get_or_insert(ty) != ty {
                    return None;
                }
            }
        }
        let own = own?;
        let fits = |side: &[Summand<'_>]| match *side {
            [] | [(1, Some(_))] => true,
            [(number, None)] => program::arithmetic::wrap(own, number) == number,
            _ => false,
        };
        (fits(left) && fits(right)).then_some(own)
    }

    fn sum(&mut self, summands: &[Summand<'_>], ty: IntegerType) -> Option<ExprId> {
        let ty = Type::Integer(ty);
        let mut parts = Vec::new();
        for &(coefficient, variable) in summands {
            let factor = self.body.integer(ty, coefficient);
            let Some(name) = variable else {
                parts.push(factor);
                continue;
            };
            let (variable, own) = self.variable(name)?;
            let value = self.body.expression(ExprKind::Variable(variable), Type::Integer(own));
            let value = self.body.convert(ty, value);
            let is_one = coefficient == 1;
            parts.push(if is_one { value } else { self.body.binary(BinaryOp::Multiply, factor, value) });
        }
        let sum = parts.into_iter().reduce(|sum, part| self.body.binary(BinaryOp::Add, sum, part));
        Some(sum.unwrap_or_else(|| self.body.integer(ty, 0)))
    }
}

/// The summands of a linear expression, if it is a small one.
fn summands_of(expression: &Expression) -> Option<Vec<Summand<'_>>> {
    let mut found = Vec::new();
    collect(expression, 1, &mut found)?;
    let is_small = |&(coefficient, variable): &Summand<'_>| {
        let most = if variable.is_some() { COEFFICIENT } else { 1 << 95 };
        (-most..=most).contains(&coefficient)
    };
    (found.len() <= SUMMANDS && found.iter().all(is_small)).then_some(found)
}

fn collect<'f>(expression: &'f Expression, factor: i128, found: &mut Vec<Summand<'f>>) -> Option<()> {
    match expression {
        Expression::Constant(number) => {
            found.push((i128::try_from(number).ok()?.checked_mul(factor)?, None));
        }
        Expression::Quantity { quantity, moment } if quantity.aspect == Aspect::Value => {
            found.push((factor, Some((*moment, quantity.variable.as_str()))));
        }
        Expression::Sum(parts) => {
            for part in parts {
                collect(part, factor, found)?;
            }
        }
        Expression::Product(parts) => {
            let (mut factor, mut rest) = (factor, None);
            for part in parts {
                match part {
                    Expression::Constant(number) => {
                        factor = factor.checked_mul(i128::try_from(number).ok()?)?;
                    }
                    other if rest.is_none() => rest = Some(other),
                    _ => return None,
                }
            }
            match rest {
                Some(rest) => collect(rest, factor, found)?,
                None => found.push((factor, None)),
            }
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use program::StatementKind;

    use super::*;

    fn assumed(condition: &str) -> Option<String> {
        let text = "data_model LP64
            variable $limit: u8 = 0:u8
            function f(%n: i32, %d: i64, %p: ptr) { variable %k: i32 b0: %k := 1:i32 goto b1 b1: return }";
        let program = parser::parse(text).map_err(|error| error.to_string()).expect("it parses");
        let function = program.function_named("f").expect("it is there");
        let changed = assuming(&program, function, &condition.parse().expect("a formula"))?;
        let body = changed.functions[function].body()?;
        let entry = &body.blocks[body.entry()];
        assert!(matches!(entry.statements[0].kind, StatementKind::Assume { .. }));
        assert_eq!(entry.statements.len(), 2);
        let text = program::text::print(&changed);
        let line = text.lines().find(|line| line.trim_start().starts_with("assume"))?;
        Some(line.trim().to_owned())
    }

    #[test]
    fn conditions_speak_of_values_at_entry() {
        assert!(assumed("start(n) >= 0").is_some_and(|line| line.contains("0:i32 <= %n")));
        assert!(assumed("start(n) < start(d)").is_some());
        assert!(assumed("start(limit) != 255 && !(start(d) + 2 * start(n) > 7)").is_some());
    }

    #[test]
    fn what_it_does_not_understand_it_refuses() {
        for refused in ["n >= 0", "start(k) >= 0", "start(p) > 0", "start(n) * start(d) > 0", "start(m) == 1"]
        {
            assert_eq!(assumed(refused), None, "{refused}");
        }
        assert_eq!(assumed("99999999999 * start(n) > start(d)"), None);
    }
}
