//! Which evaluations of an expression meet, and what that means.
//!
//! Two evaluations meet if one writes what the other reads or writes. C knows three cases:
//!
//! ```text
//! one needs the other's value            x = x + 1      in order: a value is there before who needs it
//! neither does, no call has a part       i = i++, f(i, i++)   undefined if the objects are the same (C11, 6.5p2)
//! neither does, a call has a part        g + f()        in some order: the plan holds all of them
//! ```
//!
//! The value of a side effect is there before its object changes, so that a side effect also meets the ones that need its
//! value, unless a call stands between them. The elements of an initialiser are in some order, whatever they do.
//!
//! Objects are taken to have the types that they are accessed with: members of structures do not overlap, and nobody changes
//! the bytes of a pointer while it is stepped (`*(*p)++ = c`).
//!
//! What may go wrong in one operand (an overflow, say) meets what may not come back in another (a call that ends the program).
//! Each may come first: then it is enough to see what it does before anything else, and to stop there.

use std::collections::BTreeSet;

use rucc_ast::{BinaryOp, UnaryOp};
use rucc_sema::{Const, Conversion, DeclId, ExprId, ExprKind};
use rucc_types::{RecordId, RecordKind, TypeKind};

use super::effects::{Effects, Objects};
use super::gather::{Evaluation, Gathering, Kind};

/// So many evaluations whose order matters are put in every order.
const MOST_EVALUATIONS: usize = 6;

/// So many pairs are examined: expressions that people write have far fewer.
const MOST_PAIRS: usize = 100_000;

/// So many orders are examined.
const MOST_ORDERS: usize = 8;

/// What must happen before an expression is evaluated.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::lower) struct Plan {
    /// The expression has no meaning: the object that two evaluations meet at.
    pub(super) undefined: Option<ExprId>,
    /// The expression has no meaning if two of these lvalues are one object.
    pub(super) apart: Vec<(ExprId, ExprId)>,
    /// The expression has no meaning if an lvalue that is assigned overlaps another one that is stepped to work it out:
    /// `s->text[s->end++] = c`.
    pub(super) stepped: Vec<(ExprId, ExprId)>,
    /// It is not known in how many ways it can go.
    pub(super) unknown: Option<&'static str>,
    /// Evaluations that others may keep from happening, or that may keep others from it, depending on the order.
    pub(super) alone: Vec<ExprId>,
    /// Evaluations in all orders that matter; the first is GCC's.
    pub(super) orders: Vec<Vec<ExprId>>,
}

/// Objects of so many bytes are told apart byte by byte.
const MOST_BYTES: u64 = 8;

/// Why an order stays unknown.
const TOO_MANY: &str = "the order of evaluation of many operands";
const INSIDE: &str = "an order of evaluation that matters";

/// What the evaluations of an expression ask for; nothing for nearly all.
pub(super) fn plan(gathering: &mut Gathering<'_, '_>) -> Option<Plan> {
    if gathering.evaluations.len() < 2 {
        return None;
    }
    gathering.look_inside();
    let mut planning = Planning { gathering, plan: Plan::default(), pairs: Vec::new(), failing: Vec::new() };
    planning.meet();
    planning.put_failing_first();
    planning.put_in_order();
    (planning.plan != Plan::default()).then_some(planning.plan)
}

struct Planning<'p, 'g, 'a> {
    gathering: &'p Gathering<'g, 'a>,
    plan: Plan,
    /// Pairs of evaluations whose order matters and is open.
    pairs: Vec<(usize, usize)>,
    /// Pairs of which the order matters because one may go wrong and the other may not come back.
    failing: Vec<(usize, usize)>,
}

impl Planning<'_, '_, '_> {
    fn at(&self, index: usize) -> &Evaluation {
        &self.gathering.evaluations[index]
    }

    /// Examines all pairs of which one does something.
    fn meet(&mut self) {
        let count = self.gathering.evaluations.len();
        let silent: Vec<bool> = (0..count).map(|index| self.at(index).effects.is_silent()).collect();
        let active: Vec<usize> = (0..count).filter(|&index| !silent[index]).collect();
        if active.len().saturating_mul(count) > MOST_PAIRS {
            self.plan.unknown = Some(TOO_MANY);
            return;
        }
        for first in active {
            // Each pair of two that do something is examined once.
            for second in (0..count).filter(|&second| second > first || silent[second]) {
                self.pair(first, second);
            }
        }
    }

    fn pair(&mut self, first: usize, second: usize) {
        let names = &self.gathering.unit.names;
        let (one, other) = (self.at(first), self.at(second));
        if self.needs(first, second) {
            return self.nested(first, second);
        }
        if self.needs(second, first) {
            return self.nested(second, first);
        }
        let direct = one.effects.direct.conflicts(&other.effects.direct, names);
        let (by_call, apart) =
            (one.effects.conflicts_by_call(&other.effects, names), one.element != other.element);
        if one.effects.conflicts_by_failure_alone(&other.effects, names) {
            self.failing.push((first, second));
        } else if by_call || direct && apart {
            self.pairs.push((first, second));
        }
        if direct && !apart {
            self.unsequenced(first, second, false);
        }
    }

    /// Whether an evaluation needs the value of another one.
    fn needs(&self, outer: usize, inner: usize) -> bool {
        outer < inner && inner < self.at(outer).end
    }

    /// One evaluation needs the value of another: that value is there, but its side effect may be to come.
    fn nested(&mut self, outer: usize, inner: usize) {
        let names = &self.gathering.unit.names;
        if self.at(inner).call.is_some_and(|call| call >= outer) {
            return;
        }
        let late = match self.at(inner).kind {
            Kind::Step { .. } => self.at(inner).effects.direct.writes.clone(),
            Kind::Ordered => self.late(self.at(inner).node),
            _ => return,
        };
        let mut effects = Effects::default();
        effects.direct.writes = late;
        if effects.direct.conflicts(&self.at(outer).effects.direct, names) {
            self.unsequenced(outer, inner, self.is_chain(outer, inner));
        }
    }

    /// What an expression with an order of its own may still write when its value is there.
    fn late(&self, expression: ExprId) -> Objects {
        let unit = self.gathering.unit;
        let mut late = Objects::default();
        match unit.names.unit.tast[expression].kind {
            ExprKind::StmtExpr(_) | ExprKind::CompoundLiteral(_) => {}
            ExprKind::Comma { rhs, .. }
            | ExprKind::Binary { op: BinaryOp::LogAnd | BinaryOp::LogOr, rhs, .. } => late = self.late(rhs),
            ExprKind::Cond { then, otherwise, .. } => {
                late = self.late(then);
                late.join(&self.late(otherwise));
            }
            ExprKind::Convert { operand, .. } | ExprKind::Cast(operand) => late = self.late(operand),
            _ => late = unit.expression(expression).direct.writes,
        }
        late
    }

    /// Whether both evaluations assign one value: `a = b = c`.
    fn is_chain(&self, outer: usize, inner: usize) -> bool {
        let tast = &self.gathering.unit.names.unit.tast;
        let assigned = |expression: ExprId| {
            let ExprKind::Assign { op: None, rhs, .. } = tast[expression].kind else { return None };
            let mut value = rhs;
            while let ExprKind::Convert { operand, .. } | ExprKind::Cast(operand) = tast[value].kind {
                value = operand;
            }
            matches!(tast[value].kind, ExprKind::Assign { .. }).then_some(value)
        };
        let inner = self.at(inner).node;
        std::iter::successors(assigned(self.at(outer).node), |&value| assigned(value))
            .any(|value| value == inner)
    }

    /// Two evaluations without an order, at objects that may be the same.
    fn unsequenced(&mut self, first: usize, second: usize, same_value: bool) {
        let lvalue = |index: usize| match self.at(index).kind {
            Kind::Read { lvalue } | Kind::Start { lvalue } | Kind::Step { lvalue } => Some(lvalue),
            Kind::Call | Kind::Ordered | Kind::Operator => None,
        };
        let (Some(one), Some(other)) = (lvalue(first), lvalue(second)) else {
            self.plan.unknown = Some(INSIDE);
            return;
        };
        match self.same(one, other) {
            Some(true) => self.plan.undefined = Some(one),
            Some(false) => {}
            None if same_value => {}
            None if self.is_pure(one) && self.is_pure(other) => self.plan.apart.push((one, other)),
            None if self.is_stepped(first, second) => self.plan.stepped.push((one, other)),
            None => self.plan.unknown = Some(INSIDE),
        }
    }

    /// Whether a plain assignment needs a step, and both are small.
    fn is_stepped(&self, outer: usize, inner: usize) -> bool {
        let unit = self.gathering.unit.names.unit;
        let kinds = (self.at(outer).kind, self.at(inner).kind);
        let (Kind::Step { lvalue: assigned }, Kind::Step { lvalue: stepped }) = kinds else { return false };
        let is_plain = matches!(unit.tast[self.at(outer).node].kind, ExprKind::Assign { op: None, .. });
        let is_small = |lvalue: ExprId| {
            let ty = unit.tast[lvalue].ty;
            unit.scalar(ty).is_some() && unit.size(ty).is_some_and(|size| size <= MOST_BYTES)
        };
        is_plain
            && self.needs(outer, inner)
            && self.is_pure(stepped)
            && [assigned, stepped].into_iter().all(|lvalue| is_small(lvalue) && !self.is_bit_field(lvalue))
    }

    fn is_bit_field(&self, lvalue: ExprId) -> bool {
        let unit = self.gathering.unit.names.unit;
        let ExprKind::Member { base, field } = unit.tast[lvalue].kind else { return false };
        let TypeKind::Record(record) = unit.kind(unit.tast[base].ty) else { return true };
        unit.types.record_info(record).fields.get(field as usize).is_none_or(|field| field.is_bit_field())
    }

    /// Whether two lvalues are one object, if their forms tell.
    fn same(&self, one: ExprId, other: ExprId) -> Option<bool> {
        let unit = self.gathering.unit.names.unit;
        let (a, b) = (&unit.tast[one], &unit.tast[other]);
        match (a.kind, b.kind) {
            (ExprKind::Decl(a), ExprKind::Decl(b)) => {
                return Some(self.gathering.unit.names.one(a) == self.gathering.unit.names.one(b));
            }
            (ExprKind::Member { base: one, field: a }, ExprKind::Member { base: other, field: b })
                if a == b =>
            {
                if let same @ Some(true) = self.same(one, other) {
                    return same;
                }
            }
            (ExprKind::Subscript { .. }, ExprKind::Subscript { .. }) => {
                if let (Some(a), Some(b)) = (self.element(one), self.element(other))
                    && a.0 == b.0
                {
                    return Some(a.1 == b.1);
                }
            }
            _ => {}
        }
        // Members of one structure do not overlap, and an object has the type that it is accessed with.
        let apart = matches!((self.member(one), self.member(other)), (Some(a), Some(b)) if a != b);
        let is_pointer = |ty| unit.scalar(ty) == Some(program::Type::Pointer);
        let is_byte = |ty| unit.size(ty) == Some(1);
        let are_scalars = unit.scalar(a.ty).is_some() && unit.scalar(b.ty).is_some();
        let other_sizes = unit.size(a.ty) != unit.size(b.ty) && !is_byte(a.ty) && !is_byte(b.ty);
        let other_types = are_scalars && (other_sizes || is_pointer(a.ty) != is_pointer(b.ty));
        (apart || other_types).then_some(false)
    }

    /// The array and the index, where a constant element of a named array is meant.
    fn element(&self, lvalue: ExprId) -> Option<(DeclId, i128)> {
        let tast = &self.gathering.unit.names.unit.tast;
        let ExprKind::Subscript { base, index } = tast[lvalue].kind else { return None };
        let ExprKind::Convert { kind: Conversion::ArrayDecay, operand } = tast[base].kind else {
            return None;
        };
        let mut index = index;
        while let ExprKind::Convert { kind: Conversion::Arithmetic, operand } = tast[index].kind {
            index = operand;
        }
        match (tast[operand].kind, tast[index].kind) {
            (ExprKind::Decl(array), ExprKind::Const(index)) => match tast[index] {
                Const::Int(index) => Some((self.gathering.unit.names.one(array), index)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The structure and the member that an lvalue is in, unless a union stands around it.
    fn member(&self, lvalue: ExprId) -> Option<(RecordId, u32)> {
        let unit = self.gathering.unit.names.unit;
        let mut found = None;
        let mut inside = lvalue;
        loop {
            inside = match unit.tast[inside].kind {
                ExprKind::Member { base, field } => {
                    let TypeKind::Record(record) = unit.kind(unit.tast[base].ty) else { return None };
                    let info = unit.types.record_info(record);
                    let is_bits = info.fields.get(field as usize).is_none_or(|field| field.is_bit_field());
                    if info.kind == RecordKind::Union || is_bits {
                        return None;
                    }
                    found = found.or(Some((record, field)));
                    base
                }
                ExprKind::Subscript { base: operand, .. }
                | ExprKind::Convert { kind: Conversion::ArrayDecay, operand } => operand,
                _ => return found,
            };
        }
    }

    /// Whether a place can be worked out one time more: that does nothing.
    fn is_pure(&self, lvalue: ExprId) -> bool {
        let tast = &self.gathering.unit.names.unit.tast;
        let mut inside = Gathering::new(self.gathering.unit);
        inside.place(lvalue, None);
        !matches!(tast[lvalue].kind, ExprKind::Unary { op: UnaryOp::Real | UnaryOp::Imag, .. })
            && inside.evaluations.iter().all(|inner| matches!(inner.kind, Kind::Read { .. } | Kind::Operator))
    }

    /// Lets what may go wrong, and what may not come back, happen before the others and alone, unless it meets more than that.
    fn put_failing_first(&mut self) {
        let involved: BTreeSet<usize> = self.pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        let meets_others = |this: &Self, index: usize| {
            let mut inside = index..this.at(index).end;
            let is_stable = match this.at(index).kind {
                Kind::Start { lvalue } => this.is_pure(lvalue),
                _ => true,
            };
            !is_stable || inside.any(|inner| involved.contains(&inner))
        };
        let mut alone = BTreeSet::new();
        for (first, second) in std::mem::take(&mut self.failing) {
            if meets_others(self, first) || meets_others(self, second) {
                self.pairs.push((first, second));
            } else {
                alone.extend([first, second]);
            }
        }
        // What comes first in the usual order does so anyway.
        let later = self.gathering.usual.iter().filter(|index| alone.contains(index)).skip(1);
        self.plan.alone = later.map(|&index| self.at(index).node).collect();
    }

    /// Puts evaluations in all orders in which C allows them.
    fn put_in_order(&mut self) {
        let involved: BTreeSet<usize> = self.pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        if involved.is_empty() {
            return;
        }
        let usual: Vec<usize> =
            self.gathering.usual.iter().copied().filter(|index| involved.contains(index)).collect();
        if usual.len() > MOST_EVALUATIONS {
            self.plan.unknown = Some(TOO_MANY);
        } else if !usual.iter().all(|&index| self.can_move(index, &involved)) {
            self.plan.unknown = Some(INSIDE);
        } else {
            let mut orders = Orders { planning: self, seen: BTreeSet::new(), found: Vec::new() };
            orders.extend(&mut Vec::new(), &usual);
            let found = orders.found;
            if found.len() > MOST_ORDERS {
                self.plan.unknown = Some(TOO_MANY);
            } else if found.len() > 1 {
                self.plan.orders = found;
            }
        }
        // What has no order is not put in one.
        if self.plan.unknown.is_some() || !self.plan.apart.is_empty() {
            self.plan.unknown.get_or_insert(INSIDE);
            self.plan.orders.clear();
            self.plan.alone.clear();
        }
    }

    /// Whether an evaluation is one step for all others, and can be lowered several times.
    fn can_move(&self, index: usize, involved: &BTreeSet<usize>) -> bool {
        let evaluation = self.at(index);
        let below = |inner: &usize| self.needs(index, *inner);
        let is_late = |inner: &usize| matches!(self.at(*inner).kind, Kind::Step { .. } | Kind::Ordered);
        if !self.gathering.unit.can_repeat(evaluation.node) {
            return false;
        }
        match evaluation.kind {
            Kind::Call => true,
            // Its object may change after the value was used.
            Kind::Step { .. } | Kind::Read { .. } | Kind::Operator => {
                !involved.iter().any(|inner| below(inner) && is_late(inner))
            }
            Kind::Start { lvalue } => self.is_pure(lvalue),
            Kind::Ordered => {
                let partners = self.pairs.iter().filter_map(|&(a, b)| match index {
                    index if index == a => Some(b),
                    index if index == b => Some(a),
                    _ => None,
                });
                let mut partners = partners.map(|partner| self.at(partner));
                partners.all(|partner| self.steps_that_meet(evaluation.node, partner) <= 1)
            }
        }
    }

    /// How many evaluations inside an expression, one after the other, meet another one.
    fn steps_that_meet(&self, expression: ExprId, partner: &Evaluation) -> usize {
        let tast = &self.gathering.unit.names.unit.tast;
        let count = |inner: ExprId| self.steps_that_meet(inner, partner);
        match tast[expression].kind {
            ExprKind::Binary { op: BinaryOp::LogAnd | BinaryOp::LogOr, lhs, rhs }
            | ExprKind::Comma { lhs, rhs } => count(lhs) + count(rhs),
            ExprKind::Cond { cond, then, otherwise } => count(cond) + count(then).max(count(otherwise)),
            _ => {
                let mut inside = Gathering::new(self.gathering.unit);
                inside.value(expression, None);
                let is_ordered =
                    |inner: &&Evaluation| inner.kind == Kind::Ordered && inner.node != expression;
                let ordered = inside.evaluations.iter().filter(is_ordered);
                let within: usize = ordered.map(|inner| count(inner.node)).sum();
                let names = &self.gathering.unit.names;
                let meets = |inner: &&Evaluation| {
                    inner.effects.direct.conflicts(&partner.effects.direct, names)
                        || inner.effects.conflicts_by_call(&partner.effects, names)
                };
                within + inside.evaluations.iter().filter(meets).count()
            }
        }
    }
}

/// All orders of some evaluations, as far as they differ in an open pair.
struct Orders<'o, 'p, 'g, 'a> {
    planning: &'o Planning<'p, 'g, 'a>,
    /// Which of two came first, for each open pair.
    seen: BTreeSet<Vec<bool>>,
    found: Vec<Vec<ExprId>>,
}

impl Orders<'_, '_, '_, '_> {
    fn extend(&mut self, before: &mut Vec<usize>, rest: &[usize]) {
        if self.found.len() > MOST_ORDERS {
            return;
        }
        if rest.is_empty() {
            let place = |index: usize| before.iter().position(|&at| at == index);
            let first = |&(a, b): &(usize, usize)| place(a) < place(b);
            if self.seen.insert(self.planning.pairs.iter().map(first).collect()) {
                self.found.push(before.iter().map(|&index| self.planning.at(index).node).collect());
            }
            return;
        }
        for &next in rest {
            if rest.iter().any(|&other| self.planning.needs(next, other)) {
                continue;
            }
            let others: Vec<usize> = rest.iter().copied().filter(|&other| other != next).collect();
            before.push(next);
            self.extend(before, &others);
            before.pop();
        }
    }
}
