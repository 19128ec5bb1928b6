//! The order in which the parts of an expression are evaluated, where C leaves it open.
//!
//! C puts the operands of most operators, the arguments of a call and the elements of an initialiser in no order. For nearly
//! all expressions nobody can tell. Where somebody can, the lowering says so:
//!
//! ```text
//! effects.rs   what an evaluation may read and write        library.rs  the same for functions of the C library
//! fails.rs     which operators and accesses may go wrong
//! walk.rs      the effects of expressions and functions     gather.rs   the evaluations without an order
//! plan.rs      which of them meet, and what follows: no meaning, all orders, or an unknown
//! ```
//!
//! An order that is open is an input, `order of evaluation`: each value evaluates the parts that meet in another order, into
//! temporaries, and the expression is then lowered once with those. Its zero is the order that GCC takes.

mod effects;
mod fails;
mod gather;
mod library;
mod plan;
mod walk;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use program::{
    BinaryOp, Case, ExprId as Value, Obligation, Origin, StatementKind, Terminator, Type, Variable,
    VariableId,
};
use rucc_sema::{ExprId, ExprKind, InitEntry};

use super::Lowered;
use super::body::BodyLowering;
use gather::Gathering;
use plan::Plan;
pub(super) use walk::UnitEffects;

/// So many times the parts of expressions in one function are lowered for an order of their own.
const MOST_ORDERS: usize = 64;

/// What is known about the order of the expressions of a function.
#[derive(Default)]
pub(super) struct Orders {
    /// The expressions that were examined, and what those ask for that were examined as a whole.
    plans: HashMap<ExprId, Option<Rc<Plan>>>,
    /// The expressions whose parts have been put in order.
    settled: HashSet<ExprId>,
    /// How many orders there are so far.
    count: usize,
    /// What must not overlap an lvalue that is assigned: where it is, and how many bytes it has.
    stepped: HashMap<ExprId, Vec<(VariableId, u64)>>,
}

impl BodyLowering<'_, '_> {
    /// What must happen before an expression is evaluated, if something must.
    pub(super) fn order_of(&mut self, expression: ExprId, is_place: bool) -> Option<Rc<Plan>> {
        if let Some(plan) = self.orders.plans.get(&expression) {
            return plan.clone().filter(|_| !self.orders.settled.contains(&expression));
        }
        let effects = self.owner.effects();
        let mut gathering = Gathering::new(&effects);
        match is_place {
            true => gathering.place(expression, None),
            false => gathering.value(expression, None),
        }
        let plan = plan::plan(&mut gathering).map(Rc::new);
        self.orders.plans.extend(gathering.nodes.into_iter().map(|node| (node, None)));
        self.orders.plans.insert(expression, plan.clone());
        plan
    }

    /// Lowers an expression whose parts have been put in order.
    pub(super) fn in_order<T>(
        &mut self,
        expression: ExprId,
        plan: &Plan,
        lower: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        self.settle(expression, plan)?;
        self.orders.settled.insert(expression);
        let result = lower(self);
        self.orders.settled.remove(&expression);
        self.unsettle(plan);
        result
    }

    /// Evaluates the elements of an initialiser whose order matters.
    pub(super) fn settle_elements(&mut self, entries: &[InitEntry]) -> Lowered<Option<Plan>> {
        let [first, _, ..] = entries else { return Ok(None) };
        let effects = self.owner.effects();
        let mut gathering = Gathering::new(&effects);
        for (element, entry) in entries.iter().enumerate() {
            gathering.element = element;
            gathering.value(entry.value, None);
        }
        let plan = plan::plan(&mut gathering);
        self.orders.plans.extend(gathering.nodes.into_iter().map(|node| (node, None)));
        if let Some(plan) = &plan {
            self.settle(first.value, plan)?;
        }
        Ok(plan)
    }

    /// Forgets the values of parts that were put in order.
    pub(super) fn unsettle(&mut self, plan: &Plan) {
        for node in plan.orders.iter().flatten() {
            self.known.remove(node);
        }
    }

    fn settle(&mut self, expression: ExprId, plan: &Plan) -> Lowered<()> {
        self.at(self.unit.tast.expr_span(expression));
        if let Some(lvalue) = plan.undefined {
            let never = self.builder.body.boolean(false);
            let name = match self.unit.tast[lvalue].kind {
                ExprKind::Decl(decl) => self.unit.tast[decl].name.map(|name| self.unit.names.resolve(name)),
                _ => None,
            };
            self.holds(Obligation::Sequence, never, name);
        }
        self.keep_apart(plan)?;
        self.keep_stepped(plan)?;
        self.orders.count += plan.orders.len();
        let unknown = match plan.unknown {
            None if self.orders.count > MOST_ORDERS && !plan.orders.is_empty() => {
                Some("the order of evaluation in a function with many orders")
            }
            unknown => unknown,
        };
        if let Some(what) = unknown {
            self.unknown(what, None);
            return Ok(());
        }
        self.evaluate_alone(plan)?;
        self.choose(plan)
    }

    /// Evaluates nothing but one of some parts, or goes on.
    fn evaluate_alone(&mut self, plan: &Plan) -> Lowered<()> {
        if plan.alone.is_empty() {
            return Ok(());
        }
        self.orders.count += plan.alone.len();
        let parts = if self.orders.count > MOST_ORDERS { &[] } else { &plan.alone[..] };
        let mut arms: Vec<_> = (0..=parts.len().max(1)).map(|_| self.builder.new_block()).collect();
        let never = self.builder.body.boolean(false);
        let value = match arms.len() {
            2 => never,
            _ => self.builder.body.integer(Type::unsigned(8), 0),
        };
        let ty = self.builder.body.type_of(value);
        let target = self.order_variable(program::ORDER_OF_FAILURES, ty);
        self.builder.push(StatementKind::Volatile { target, value });
        self.branch_by(target, &arms);
        let next = arms.remove(0);
        for (place, arm) in arms.into_iter().enumerate() {
            self.builder.switch_to(arm);
            match parts.get(place) {
                Some(&node) => {
                    let result = self.result_of(node);
                    self.evaluate_into(node, result)?;
                }
                None => {
                    self.unknown("the order of evaluation in a function with many orders", None);
                }
            }
            self.builder.push(StatementKind::Assume { condition: never });
            self.builder.goto(next);
        }
        self.builder.switch_to(next);
        Ok(())
    }

    /// Says that lvalues are different objects.
    fn keep_apart(&mut self, plan: &Plan) -> Lowered<()> {
        for &(one, other) in &plan.apart {
            let span = self.unit.tast.expr_span(one);
            let (one, other) = (self.place(one)?, self.place(other)?);
            self.at(span);
            if one.bits.is_some() || other.bits.is_some() {
                self.unknown("an order of evaluation that matters", None);
                continue;
            }
            let differ = self.builder.body.binary(BinaryOp::NotEqual, one.pointer, other.pointer);
            self.holds(Obligation::Sequence, differ, None);
        }
        Ok(())
    }

    /// Notes where the objects are that are stepped while it is worked out what is assigned.
    fn keep_stepped(&mut self, plan: &Plan) -> Lowered<()> {
        plan.stepped.iter().for_each(|(assigned, _)| drop(self.orders.stepped.remove(assigned)));
        for &(assigned, stepped) in &plan.stepped {
            let size = self.unit.size(self.unit.tast[stepped].ty).unwrap_or_default();
            let pointer = self.place(stepped)?.pointer;
            let kept = self.temporary(Type::Pointer);
            self.builder.push(StatementKind::Assign { target: kept, value: pointer });
            self.orders.stepped.entry(assigned).or_default().push((kept, size));
        }
        Ok(())
    }

    /// Whether something is stepped to work out what is assigned.
    pub(super) fn is_stepped(&self, assigned: ExprId) -> bool {
        self.orders.stepped.contains_key(&assigned)
    }

    /// Says that what is assigned overlaps nothing that was stepped to work it out.
    pub(super) fn check_stepped(&mut self, assigned: ExprId, pointer: Value) {
        let size = self.unit.size(self.unit.tast[assigned].ty).unwrap_or_default() as i128;
        let ty = self.model.offset_type();
        for (kept, bytes) in self.orders.stepped.get(&assigned).cloned().unwrap_or_default() {
            let body = &mut self.builder.body;
            let differ: Vec<Value> = (1 - size..bytes as i128)
                .map(|distance| {
                    let (kept, distance) = (body.read(kept), body.integer(ty, distance));
                    let other = body.offset(kept, distance);
                    body.binary(BinaryOp::NotEqual, pointer, other)
                })
                .collect();
            let differ = differ.into_iter().reduce(|all, one| body.binary(BinaryOp::And, all, one));
            if let Some(differ) = differ {
                self.holds(Obligation::Sequence, differ, None);
            }
        }
    }

    /// Evaluates parts in one of several orders. Their values are known from here on.
    fn choose(&mut self, plan: &Plan) -> Lowered<()> {
        let Some(first) = plan.orders.first() else { return Ok(()) };
        let results: Vec<(ExprId, VariableId)> =
            first.iter().map(|&node| (node, self.result_of(node))).collect();
        let arms: Vec<_> = plan.orders.iter().map(|_| self.builder.new_block()).collect();
        let next = self.builder.new_block();
        self.branch_by_order(&arms);
        for (order, &arm) in plan.orders.iter().zip(&arms) {
            self.builder.switch_to(arm);
            self.unsettle(plan);
            for node in order {
                let Some(&(_, result)) = results.iter().find(|(at, _)| at == node) else { continue };
                self.evaluate_into(*node, result)?;
                self.known.insert(*node, result);
            }
            self.builder.goto(next);
        }
        self.builder.switch_to(next);
        Ok(())
    }

    /// Asks for an order, and goes to its block: the first for zero.
    fn branch_by_order(&mut self, arms: &[program::BlockId]) {
        let name = String::from(program::ORDER_OF_EVALUATION);
        let ty = if arms.len() == 2 { Type::Bool } else { Type::unsigned(8) };
        let target = self.order_variable("order", ty);
        self.builder.push(StatementKind::Input { target, name });
        self.branch_by(target, arms);
    }

    /// A value that the compiler chooses: a run takes this one, a proof any.
    pub(super) fn unspecified(&mut self, value: program::ExprId) -> program::ExprId {
        let target = self.order_variable(program::CHOSEN_BY_COMPILER, self.builder.body.type_of(value));
        self.builder.push(StatementKind::Volatile { target, value });
        self.builder.body.read(target)
    }

    fn order_variable(&mut self, name: &str, ty: Type) -> VariableId {
        let location = self.builder.location;
        let (name, origin) = (String::from(name), Origin::Temporary);
        self.builder.new_variable(Variable { name, ty, origin, scope: None, location })
    }

    /// Goes to the block with the number that a variable holds: the first for zero.
    fn branch_by(&mut self, target: VariableId, arms: &[program::BlockId]) {
        let value = self.builder.body.read(target);
        if let &[zero, one] = arms {
            return self.builder.branch(value, one, zero);
        }
        let case = |(number, &target): (usize, &program::BlockId)| {
            let number = number as i128;
            Case { low: number, high: number, target }
        };
        let cases = arms.iter().enumerate().skip(1).map(case).collect();
        self.builder.end(Terminator::Switch { value, cases, default: arms[0] });
    }

    /// A variable for the value of a part, or for the pointer to it. What has no value gets one that nobody reads.
    fn result_of(&mut self, node: ExprId) -> VariableId {
        let unit = self.unit;
        let ty = unit.tast[node].ty;
        let held = if unit.is_aggregate(ty) { Some(Type::Pointer) } else { unit.scalar(ty) };
        self.temporary(held.unwrap_or(Type::Bool))
    }

    fn evaluate_into(&mut self, node: ExprId, result: VariableId) -> Lowered<()> {
        let unit = self.unit;
        let (ty, span) = (unit.tast[node].ty, unit.tast.expr_span(node));
        let value: Value = if unit.scalar(ty).is_some() {
            self.value(node)?
        } else if unit.is_aggregate(ty) {
            // What is read now may be written before it is used.
            let copy = self.scratch(ty, span)?;
            self.copy_to(copy, node)?;
            copy
        } else {
            self.discard(node)?;
            self.builder.body.boolean(true)
        };
        self.builder.push(StatementKind::Assign { target: result, value });
        Ok(())
    }
}
