//! Candidates for conditions on the values with which a function is entered.
//!
//! They are made from what the exits of the loop depend on: signs of parameters, comparisons of parameters with each
//! other and with the constants of the program, the largest number of an unsigned type (which a counter may never
//! iteration), and the negations of the parts of a recurrent set. Weak ones come before strong ones, one comparison
//! before two.

use std::collections::BTreeSet;

use certify::Stopping;
use evidence::expression::constant;
use evidence::names::variable_names;
use evidence::{Comparison, Counterexample, Expression, Failure, Formula, Integer, Moment, Quantity};
use loops::{Criterion, LoopForest, LoopId, PostDominators, Slice};
use program::interpret::Integers;
use program::{BinaryOp, Body, ExprId, ExprKind, Program, StatementKind, Terminator, Type, VariableId};

/// No more variables, and no more constants, are spoken of.
const VARIABLES: usize = 4;
const CONSTANTS: usize = 4;

/// A number at function entry.
pub(super) struct Variable {
    name: String,
    /// Whether it can be negative.
    signed: bool,
    /// The largest number of its type, where numbers wrap there.
    largest: Option<i128>,
}

impl Variable {
    fn number(&self) -> Expression {
        Quantity::value(self.name.as_str()).at(Moment::Start)
    }

    fn is(&self, comparison: Comparison, number: i128) -> Formula {
        self.number().compare(comparison, constant(Integer::from(number)))
    }
}

/// The numbers at function entry on which it may depend whether a loop is left: those that are computed with first.
pub(super) fn relevant(
    program: &Program,
    body: &Body,
    forest: &LoopForest,
    id: LoopId,
    integers: Integers,
) -> Vec<Variable> {
    let slice = Slice::of(body, forest, &PostDominators::of(forest.graph()), id, Criterion::Exits);
    let computed = computed_from(body, slice.variables);
    let mut decided = BTreeSet::new();
    for (_, block) in body.blocks.iter() {
        if let Terminator::Branch { condition, .. } = block.terminator {
            body.for_each_variable(condition, &mut |variable| _ = decided.insert(variable));
        }
    }
    let decided = computed_from(body, decided);
    let at_entry = |variable: &VariableId| variable.is_global() || body.parameters.contains(variable);
    let names = variable_names(program, body);
    let describe = |(name, variable): &(String, VariableId)| {
        let Type::Integer(ty) = program.variable(body, *variable).ty else { return None };
        let is_machine = integers == Integers::Machine;
        let largest = (is_machine && ty.width <= 64 && (!ty.signed || ty.width < 32))
            .then(|| (1i128 << (ty.width - u8::from(ty.signed))) - 1);
        Some(Variable { name: name.clone(), signed: ty.signed || !is_machine, largest })
    };
    let chosen = |of: &dyn Fn(&VariableId) -> bool| -> Vec<Variable> {
        names.iter().filter(|(_, one)| at_entry(one) && of(one)).filter_map(describe).collect()
    };
    let mut all = chosen(&|one| computed.contains(one));
    all.extend(chosen(&|one| decided.contains(one) && !computed.contains(one)));
    all.truncate(VARIABLES);
    all
}

/// Some variables and all those that they are computed from, anywhere in the function.
fn computed_from(body: &Body, mut found: BTreeSet<VariableId>) -> BTreeSet<VariableId> {
    loop {
        let before = found.len();
        for statement in body.blocks.iter().flat_map(|(_, block)| &block.statements) {
            if let StatementKind::Assign { target, value } = statement.kind
                && found.contains(&target)
            {
                body.for_each_variable(value, &mut |variable| _ = found.insert(variable));
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Conditions to try, in this order.
pub(super) fn candidates(body: &Body, variables: &[Variable], answer: &Stopping) -> Vec<Formula> {
    let constants = constants(body);
    let mut all = Vec::new();
    for variable in variables {
        all.extend(variable.largest.map(|largest| variable.is(Comparison::Differ, largest)));
    }
    all.extend(singles(variables, &[0]));
    all.extend(negated_set(variables, answer));
    all.extend(singles(variables, &constants));
    for variable in variables {
        let Some(largest) = variable.largest else { continue };
        let steps = constants.iter().copied().filter(|number| (1..largest).contains(number));
        all.extend(steps.map(|step| variable.is(Comparison::LessEqual, largest - step)));
    }
    all.extend(pairs(variables));
    all.extend(both(variables));
    for variable in variables {
        all.extend([0].iter().chain(&constants).map(|&number| variable.is(Comparison::Equal, number)));
    }
    let mut seen = BTreeSet::new();
    all.retain(|one| seen.insert(one.to_string()));
    all
}

/// Comparisons with some numbers, the weak ones first.
fn singles(variables: &[Variable], numbers: &[i128]) -> Vec<Formula> {
    use Comparison::*;
    let mut all = Vec::new();
    for comparison in [Differ, GreaterEqual, LessEqual, Greater, Less] {
        for variable in variables {
            let is_described = |number: &&i128| variable.signed || **number > 0 || comparison == Differ;
            all.extend(numbers.iter().filter(is_described).map(|&number| variable.is(comparison, number)));
        }
    }
    all
}

/// Comparisons of two numbers.
fn pairs(variables: &[Variable]) -> Vec<Formula> {
    use Comparison::*;
    let mut all = Vec::new();
    for comparison in [Differ, LessEqual, GreaterEqual, Less, Greater] {
        for (place, one) in variables.iter().enumerate() {
            all.extend(
                variables[place + 1..].iter().map(|other| one.number().compare(comparison, other.number())),
            );
        }
    }
    all
}

/// Two signs, or a sign and a comparison of two numbers.
fn both(variables: &[Variable]) -> Vec<Formula> {
    use Comparison::*;
    let signs = |variable: &Variable| -> Vec<Formula> {
        let described: &[Comparison] = match variable.signed {
            true => &[Differ, GreaterEqual, Greater, LessEqual, Less],
            false => &[Differ],
        };
        described.iter().map(|&comparison| variable.is(comparison, 0)).collect()
    };
    let mut all = Vec::new();
    for (place, one) in variables.iter().enumerate() {
        for other in &variables[place + 1..] {
            for left in signs(one) {
                all.extend(signs(other).into_iter().map(|right| left.clone().and(right)));
            }
        }
    }
    for one in variables {
        for sign in signs(one) {
            all.extend(pairs(variables).into_iter().map(|pair| sign.clone().and(pair)));
        }
    }
    all
}

/// The numbers that the program compares with, or adds, small ones first.
fn constants(body: &Body) -> Vec<i128> {
    let mut found: Vec<i128> = Vec::new();
    let mut add = |id: ExprId| {
        let plain = match body.expressions[id].kind {
            ExprKind::Convert(inner) => inner,
            _ => id,
        };
        if let Some(number) = body.constant(plain)
            && number != 0
            && !found.contains(&number)
        {
            found.push(number);
        }
    };
    for (_, expression) in body.expressions.iter() {
        if let ExprKind::Binary(op, left, right) = expression.kind
            && (op.is_comparison() || matches!(op, BinaryOp::Add | BinaryOp::Subtract))
            && matches!(body.expressions[left].ty, Type::Integer(_))
        {
            add(left);
            add(right);
        }
    }
    found.sort_by_key(|number| (number.unsigned_abs(), *number < 0));
    found.truncate(CONSTANTS);
    found
}

/// The negations of what holds in states that a run need not leave, read as conditions at entry.
fn negated_set(variables: &[Variable], answer: &Stopping) -> Vec<Formula> {
    let Stopping::MayRunForEver { counterexample } = answer else { return Vec::new() };
    let Counterexample { failure: Failure::Recurrence { set, .. }, .. } = &**counterexample else {
        return Vec::new();
    };
    let mut parts = Vec::new();
    let mut left = vec![set];
    while let Some(one) = left.pop() {
        match one {
            Formula::All(inner) => left.extend(inner.iter().rev()),
            Formula::Compare { left, comparison, right } => {
                use Comparison::*;
                let negated = match comparison {
                    Equal => Differ,
                    Differ => Equal,
                    Less => GreaterEqual,
                    LessEqual => Greater,
                    Greater => LessEqual,
                    GreaterEqual => Less,
                };
                parts.push(left.clone().compare(negated, right.clone()));
            }
            _ => {}
        }
    }
    let at_entry = |part: &Formula| part.with_moments(&|_| Some(Moment::Start));
    let is_known = |part: &Formula| {
        let Formula::Compare { left, right, .. } = part else { return false };
        [left, right].iter().all(|side| speaks_of(side, variables))
    };
    parts.iter().filter_map(at_entry).filter(is_known).collect()
}

fn speaks_of(expression: &Expression, variables: &[Variable]) -> bool {
    match expression {
        Expression::Constant(_) => true,
        Expression::Quantity { quantity, .. } => {
            variables.iter().any(|variable| Quantity::value(variable.name.as_str()) == *quantity)
        }
        Expression::Sum(parts) | Expression::Product(parts) => {
            parts.iter().all(|part| speaks_of(part, variables))
        }
        _ => false,
    }
}
