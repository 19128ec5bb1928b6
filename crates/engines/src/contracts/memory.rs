//! A contract as sample runs suggest it, and how it changes when a run breaks it.

use std::collections::BTreeSet;

use base::Budget;
use evidence::expression::constant;
use evidence::{Contract, Element, Expression, Moment, Pointee, Quantity};
use program::interpret::Integers;
use program::library::{NONDET_MEMORY, OBJECT};
use program::{FunctionId, IntegerType, Program, Type, VariableId, arithmetic};
use transform::Callers;
use transform::caller::PARAMETER;

use super::numbers::Numbers;
use super::pointers::{Pointers, element};
use super::sampling::{Row, Sampled, rows};
use super::separating::separating;
use super::sizes::sizes;

/// A contract that a function may have, and what it was read off.
#[derive(Clone, Debug)]
pub struct Proposed {
    /// The contract.
    pub contract: Contract,
    /// The numbers that requirements speak of.
    numbers: Vec<Expression>,
    /// Those numbers in runs on which nothing goes wrong, and in others.
    good: Vec<Vec<i128>>,
    bad: Vec<Vec<i128>>,
    constants: Vec<i128>,
}

impl Proposed {
    /// What runs of a function suggest. Nothing if it cannot be called.
    pub fn of(
        callers: &Callers<'_>,
        function: FunctionId,
        integers: Integers,
        budget: &Budget,
    ) -> Option<Self> {
        let program = callers.program();
        let body = program.functions[function].body()?;
        let name = program.functions[function].name.clone();
        let names = evidence::names::local_names(body);
        let name_of =
            |wanted: VariableId| names.iter().find(|(_, variable)| *variable == wanted).map(|(name, _)| name);
        let pointers = Pointers::of(program, body);
        let followed = pointers.followed.iter().filter_map(|root| {
            let parameter = name_of(root.parameter)?.as_str().into();
            Some(Pointee {
                parameter,
                field: root.field,
                bytes: constant(0),
                terminated: false,
                changed: true,
                not_null: true,
            })
        });
        let mut contract = Contract { objects: followed.collect(), ..Contract::ensuring(name, Vec::new()) };
        let integer = |variable: &&VariableId| matches!(body.variables[**variable].ty, Type::Integer(_));
        let given = body.parameters.iter().filter(integer).filter_map(|&one| name_of(one));
        let given = given.map(|name| Quantity::value(name.as_str()).at(Moment::Start));
        let stored =
            pointers.numbers.iter().filter_map(|&(one, offset, ty)| element(name_of(one)?, offset, ty));
        let numbers: Vec<Expression> = given.chain(stored).collect();
        let caller = callers.with_objects(&contract, integers)?;
        let known = Numbers::of(program, function);
        let after = known.as_ref().and_then(|numbers| numbers.asked(program, &caller));
        let sampled = Sampled {
            caller: &caller,
            callee: function,
            contract: &contract,
            numbers: &numbers,
            after: after.as_deref().unwrap_or_default(),
            integers,
        };
        let rows = rows(&sampled, budget);
        for place in 0..contract.objects.len() {
            if let Some(size) = sizes(&numbers, &rows, place, &pointers.strides).into_iter().next() {
                let object = &mut contract.objects[place];
                let is_string = size.terminated && object.field.is_none();
                (object.bytes, object.terminated) = (size.bytes, size.terminated);
                if is_string {
                    object.bytes = Pointee::string_bytes(&object.parameter);
                }
            }
            (contract.objects[place].changed, contract.objects[place].not_null) = (false, false);
        }
        if let Some(numbers) = known.filter(|_| after.is_some()) {
            let seen: BTreeSet<Vec<i128>> = rows.iter().filter_map(|row| row.after.clone()).collect();
            contract.ensures = numbers.ensured(program, &seen.into_iter().collect::<Vec<_>>());
        }
        let constants = constants(program, function);
        let told = rows.into_iter().filter(|row| !row.is_too_large);
        let (good, bad): (Vec<Row>, Vec<Row>) = told.partition(|row| row.extents.is_some());
        let only_numbers = |rows: Vec<Row>| rows.into_iter().map(|row| row.numbers).collect();
        let mut proposed =
            Self { contract, numbers, good: only_numbers(good), bad: only_numbers(bad), constants };
        proposed.require();
        Some(proposed)
    }

    /// Takes a run into account that meets the contract and goes wrong: its inputs, and who asked for them. Whether the
    /// contract excludes it now.
    pub fn exclude(&mut self, inputs: &[(&str, i128)]) -> bool {
        let row = self.numbers.iter().map(|number| value(number, inputs));
        let Some(row) = row.collect::<Option<Vec<i128>>>() else { return false };
        if self.good.contains(&row) || self.bad.contains(&row) {
            return false;
        }
        self.bad.push(row);
        let before = self.contract.requires.clone();
        self.require();
        self.contract.requires != before
    }

    fn require(&mut self) {
        self.contract.requires = separating(&self.numbers, &self.good, &self.bad, &self.constants);
    }
}

/// What a number was in a run.
fn value(number: &Expression, inputs: &[(&str, i128)]) -> Option<i128> {
    match number {
        Expression::Quantity { quantity, .. } => {
            let name = format!("{PARAMETER}{}", quantity.variable);
            inputs.iter().find(|(asked, _)| *asked == name).map(|(_, value)| *value)
        }
        Expression::Element(element) => {
            let Expression::Constant(index) = &*element.index else { return None };
            let first = usize::try_from(index).ok()? * usize::from(element.bytes);
            let mark = format!("{OBJECT}{}", element.buffer);
            let start = inputs.iter().position(|(asked, _)| *asked == mark)? + 1;
            let bytes = inputs[start..].iter().take_while(|(asked, _)| *asked == NONDET_MEMORY);
            let bytes: Vec<u8> =
                bytes.skip(first).take(element.bytes.into()).map(|(_, byte)| *byte as u8).collect();
            (bytes.len() == usize::from(element.bytes)).then(|| element_value(element, &bytes))
        }
        _ => None,
    }
}

/// The number that some bytes are, the lowest first.
pub(super) fn element_value(element: &Element, bytes: &[u8]) -> i128 {
    let number = bytes.iter().rev().fold(0, |number, &byte| number << 8 | i128::from(byte));
    arithmetic::wrap(IntegerType { width: element.bytes * 8, signed: element.signed }, number)
}

/// The small numbers of a function.
fn constants(program: &Program, function: FunctionId) -> Vec<i128> {
    let found = super::sampling::constants(program, function);
    found.into_iter().filter(|number| *number != 0).collect()
}
