//! The paths of a loop between its cutpoints: from its head, or from the head of a loop in it, to such a head or out of
//! it (Definition 2; nested loops as in section 2.2).
//!
//! A path has its weakest condition and what it does to the variables, both over the state at its head. An inequality
//! is two paths, one for each side, as in section 2.1. Deviations: what is read from memory, got from outside or
//! computed by a call can be anything, and conditions on it are left out (section 6, input-dependent conditions): the
//! path is marked. Pointers are examined as offsets, as if all that are compared pointed into one object.

use evidence::Integer;
use loops::{LoopForest, LoopId, Slice};
use program::{
    BinaryOp, BlockId, Body, Callee, Case, Check, ExprId, ExprKind, Obligation, Program, StatementKind,
    Terminator, Type, UnaryOp, VariableId,
};

use super::number::{Atom, Definitions, Polynomial, Symbol, Values};

/// A loop with more paths is not examined.
pub const MOST: usize = 48;

/// Along all paths together no more blocks are examined.
const BLOCKS: usize = 3_000;

/// A value that depends on more cases can be anything.
const CASES: usize = 8;

/// Where a path ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tail {
    /// At a head.
    Head(BlockId),
    /// Outside of the loop.
    Exit(BlockId),
    /// The function returns, or the program ends.
    End,
}

/// A path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The head at which it starts.
    pub head: BlockId,
    /// Where it ends.
    pub tail: Tail,
    /// The blocks that it passes.
    pub blocks: Vec<BlockId>,
    /// Whether it is in an iteration of the loop when it ends: it has entered the body, or came from there.
    pub begun: bool,
    /// Its condition.
    pub conditions: Vec<Atom>,
    /// What it does to the variables.
    pub updates: Values,
    /// Whether conditions were left out.
    pub partial: bool,
    /// Those, which are on inputs and on what is not understood.
    pub left_out: Vec<Atom>,
}

impl Path {
    /// Whether it can be taken again right after itself.
    pub fn is_iterative(&self) -> bool {
        self.tail == Tail::Head(self.head)
    }
}

/// The paths of a loop, if there are not too many. Only what is in the slice is examined.
pub fn paths(
    program: &Program,
    body: &Body,
    forest: &LoopForest,
    id: LoopId,
    slice: &Slice,
    definitions: &mut Definitions,
) -> Option<Vec<Path>> {
    let matters = |block: &&BlockId| {
        slice.branches.contains(block) || slice.statements.iter().any(|(place, _)| place == *block)
    };
    let heads: Vec<BlockId> = forest
        .iter()
        .filter(|(inner, one)| {
            let inside = *inner == id || forest.ancestors(*inner).any(|outer| outer == id);
            inside
                && (one.head == forest[id].head || forest.blocks(*inner).iter().any(|block| matters(&block)))
        })
        .map(|(_, one)| one.head)
        .collect();
    let mut walk = Walk { program, body, forest, id, slice, definitions, fuel: BLOCKS };
    let mut paths: Vec<Path> = Vec::new();
    for &head in &heads {
        let start = Path {
            head,
            tail: Tail::End,
            blocks: Vec::new(),
            begun: head != forest[id].head,
            conditions: Vec::new(),
            updates: Values::new(),
            partial: false,
            left_out: Vec::new(),
        };
        let mut open = vec![(head, start)];
        while let Some((block, path)) = open.pop() {
            walk.fuel = walk.fuel.checked_sub(1)?;
            for (next, mut path) in walk.iteration(block, path)? {
                match next {
                    Some(next) if !heads.contains(&next) && walk.is_inside(next) => open.push((next, path)),
                    _ => {
                        path.tail = match next {
                            None => Tail::End,
                            Some(head) if heads.contains(&head) => Tail::Head(head),
                            Some(exit) => Tail::Exit(exit),
                        };
                        add(&mut paths, path);
                    }
                }
                if paths.len() + open.len() > MOST {
                    return None;
                }
            }
        }
    }
    Some(paths)
}

struct Walk<'a> {
    program: &'a Program,
    body: &'a Body,
    forest: &'a LoopForest,
    id: LoopId,
    slice: &'a Slice,
    definitions: &'a mut Definitions,
    fuel: usize,
}

/// A number in one of several cases, each with its conditions.
type Cases = Vec<(Vec<Atom>, Polynomial)>;

impl Walk<'_> {
    /// Whether an iteration of the loop begins in a block.
    fn begins(&self, block: BlockId) -> bool {
        let head = self.forest[self.id].head;
        match self.body.blocks[head].loop_statement.filter(|one| one.kind.tests_first()) {
            Some(statement) => self.body.blocks[block].body_of == Some(statement.location),
            None => block == head,
        }
    }

    fn is_inside(&self, block: BlockId) -> bool {
        self.forest.contains(self.id, block)
    }

    /// Takes a path through a block: the ways on, none of which is one out of the function.
    fn iteration(&mut self, block: BlockId, mut path: Path) -> Option<Vec<(Option<BlockId>, Path)>> {
        if path.blocks.contains(&block) {
            // A cycle without a head that matters: nothing in it matters either.
            return Some(Vec::new());
        }
        path.begun |= self.begins(block);
        path.blocks.push(block);
        let mut paths = vec![path];
        let body = self.body;
        for (place, statement) in body.blocks[block].statements.iter().enumerate() {
            if self.slice.statements.contains(&(block, place)) {
                paths = paths.into_iter().flat_map(|path| self.statement(path, &statement.kind)).collect();
            }
            if paths.len() > MOST {
                return None;
            }
        }
        Some(paths.into_iter().flat_map(|path| self.leave(block, path)).collect())
    }

    fn leave(&mut self, block: BlockId, path: Path) -> Vec<(Option<BlockId>, Path)> {
        let body = self.body;
        match &body.blocks[block].terminator {
            Terminator::Goto(next) => vec![(Some(*next), path)],
            Terminator::Return(_) | Terminator::Unreachable => vec![(None, path)],
            Terminator::Branch { then, otherwise, .. } if !self.slice.branches.contains(&block) => {
                let next = self.way_on(block, &[*otherwise, *then]);
                vec![(Some(next), path)]
            }
            Terminator::Branch { condition, then, otherwise } => {
                let mut ways = Vec::new();
                for (next, wanted) in [(*then, true), (*otherwise, false)] {
                    let conditions = self.condition(&path.updates, *condition, wanted);
                    ways.extend(
                        restricted(self.definitions, &path, conditions).map(|path| (Some(next), path)),
                    );
                }
                ways
            }
            Terminator::Switch { cases, default, .. } if !self.slice.branches.contains(&block) => {
                let mut targets: Vec<BlockId> = cases.iter().map(|case| case.target).collect();
                targets.push(*default);
                vec![(Some(self.way_on(block, &targets)), path)]
            }
            Terminator::Switch { value, cases, default } => {
                let mut ways = Vec::new();
                for (conditions, number) in self.number(&path.updates, *value) {
                    for (target, atoms) in sides(cases, *default, &number) {
                        let here = vec![[conditions.clone(), atoms].concat()];
                        ways.extend(
                            restricted(self.definitions, &path, here).map(|path| (Some(target), path)),
                        );
                    }
                }
                ways
            }
        }
    }

    /// Where to go on at a branch that does not matter: out of an inner loop rather than around it again.
    fn way_on(&self, block: BlockId, targets: &[BlockId]) -> BlockId {
        let innermost = self.forest.innermost(block);
        let outside = |target: &&BlockId| {
            innermost.is_some_and(|id| !self.forest.contains(id, **target)) && self.is_inside(**target)
        };
        let inside = |target: &&BlockId| self.is_inside(**target);
        *targets.iter().find(outside).or_else(|| targets.iter().find(inside)).unwrap_or(&targets[0])
    }

    fn statement(&mut self, mut path: Path, statement: &StatementKind) -> Vec<Path> {
        match statement {
            StatementKind::Assign { target, value } => {
                let mut after = Vec::new();
                for (conditions, number) in self.assigned(&path.updates, *target, *value) {
                    for mut path in restricted(self.definitions, &path, vec![conditions]) {
                        set(&mut path.updates, *target, number.clone());
                        after.push(path);
                    }
                }
                return after;
            }
            StatementKind::Assume { condition }
            | StatementKind::Check(Check::Holds { obligation: Obligation::Unreachable, condition, .. }) => {
                let conditions = self.condition(&path.updates, *condition, true);
                return restricted(self.definitions, &path, conditions).collect();
            }
            other => {
                if let Some(target) = other.target() {
                    let any = self.definitions.any();
                    set(&mut path.updates, target, any);
                }
                if let StatementKind::Call { callee, .. } = other {
                    self.call(&mut path, *callee);
                }
            }
        }
        vec![path]
    }

    /// A function with a body may change what the program shares.
    fn call(&mut self, path: &mut Path, callee: Callee) {
        let harmless =
            matches!(callee, Callee::Function(function) if self.program.functions[function].body().is_none());
        if !harmless {
            for global in (0..self.program.globals.len()).map(VariableId::global) {
                let any = self.definitions.any();
                set(&mut path.updates, global, any);
            }
        }
    }

    fn assigned(&mut self, values: &Values, target: VariableId, value: ExprId) -> Cases {
        match self.program.variable(self.body, target).ty {
            Type::Float(_) => vec![(Vec::new(), self.definitions.any())],
            _ => self.number(values, value),
        }
    }

    /// The number that an expression is, by cases.
    fn number(&mut self, values: &Values, expression: ExprId) -> Cases {
        let cases = self.cases(values, expression);
        if (1..=CASES).contains(&cases.len()) { cases } else { vec![(Vec::new(), self.definitions.any())] }
    }

    fn cases(&mut self, values: &Values, id: ExprId) -> Cases {
        let expression = &self.body.expressions[id];
        let always = |number: Polynomial| vec![(Vec::new(), number)];
        match expression.kind {
            ExprKind::Integer(known) => always(Polynomial::constant(Integer::from(known))),
            ExprKind::Null | ExprKind::Object(_) => always(Polynomial::zero()),
            ExprKind::Variable(variable) => always(match values.get(&variable) {
                Some(number) => number.clone(),
                None => Polynomial::variable(Symbol::Held(variable)),
            }),
            ExprKind::Unary(UnaryOp::Negate, operand) => {
                let cases = self.number(values, operand);
                cases.into_iter().map(|(conditions, number)| (conditions, -&number)).collect()
            }
            ExprKind::Convert(operand) if self.body.expressions[operand].ty == Type::Bool => {
                self.truth(values, operand)
            }
            ExprKind::Unary(UnaryOp::Not, _) => self.truth(values, id),
            ExprKind::Binary(operation, ..) if expression.ty == Type::Bool && is_test(operation) => {
                self.truth(values, id)
            }
            ExprKind::Convert(_) if expression.ty == Type::Bool => self.truth(values, id),
            ExprKind::Convert(operand) if matches!(self.body.expressions[operand].ty, Type::Integer(_)) => {
                self.number(values, operand)
            }
            ExprKind::Binary(operation, left, right) => self.binary(values, operation, left, right),
            ExprKind::Offset(pointer, by) => self.binary(values, BinaryOp::Add, pointer, by),
            ExprKind::Difference(left, right) => self.binary(values, BinaryOp::Subtract, left, right),
            ExprKind::Select(condition, then, otherwise) => {
                let mut all = Vec::new();
                for (operand, wanted) in [(then, true), (otherwise, false)] {
                    for conditions in self.condition(values, condition, wanted) {
                        for (more, number) in self.number(values, operand) {
                            all.push(([conditions.clone(), more].concat(), number));
                        }
                    }
                }
                all
            }
            _ => always(self.definitions.any()),
        }
    }

    /// One where a condition holds, else zero.
    fn truth(&mut self, values: &Values, condition: ExprId) -> Cases {
        let mut all = Vec::new();
        for (wanted, number) in [(true, 1), (false, 0)] {
            let conditions = self.condition(values, condition, wanted);
            all.extend(conditions.into_iter().map(|conditions| (conditions, Polynomial::constant(number))));
        }
        all
    }

    fn binary(&mut self, values: &Values, operation: BinaryOp, left: ExprId, right: ExprId) -> Cases {
        let cases = self.both(values, left, right).into_iter();
        let cases =
            cases.map(|(conditions, [left, right])| (conditions, self.arithmetic(operation, &left, &right)));
        cases.collect()
    }

    /// Two numbers, by cases of both.
    fn both(&mut self, values: &Values, left: ExprId, right: ExprId) -> Vec<(Vec<Atom>, [Polynomial; 2])> {
        let (left, right) = (self.number(values, left), self.number(values, right));
        let mut all = Vec::new();
        for (some, left) in &left {
            for (more, right) in &right {
                all.push(([some.clone(), more.clone()].concat(), [left.clone(), right.clone()]));
            }
        }
        all
    }

    fn arithmetic(&mut self, operation: BinaryOp, left: &Polynomial, right: &Polynomial) -> Polynomial {
        let known = right.as_constant().and_then(|known| known.to_integer());
        let positive = known.filter(|known| *known > Integer::ZERO);
        let bits = positive.as_ref().and_then(|bits| usize::try_from(bits).ok());
        let power = bits.filter(|bits| *bits < 64).map(|bits| Integer::ONE << bits);
        match (operation, positive, power) {
            (BinaryOp::Add, ..) => left + right,
            (BinaryOp::Subtract, ..) => left - right,
            (BinaryOp::Multiply, ..) if left.degree() + right.degree() <= 4 => left * right,
            (BinaryOp::ShiftLeft, _, Some(power)) => left * &Polynomial::constant(power),
            (BinaryOp::Divide, Some(divisor), _) | (BinaryOp::ShiftRight, _, Some(divisor)) => {
                self.definitions.quotient(left, &divisor)
            }
            (BinaryOp::Remainder, Some(divisor), _) => self.definitions.remainder(left, &divisor),
            (BinaryOp::And, Some(mask), _) if (&mask & (&mask + Integer::ONE)) == Integer::ZERO => {
                self.definitions.remainder(left, &(mask + Integer::ONE))
            }
            (BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::Or | BinaryOp::Xor, ..)
                if right.is_zero() =>
            {
                left.clone()
            }
            _ => self.definitions.any(),
        }
    }

    /// The ways in which a condition is so or not, of which one at most is so.
    fn condition(&mut self, values: &Values, id: ExprId, wanted: bool) -> Vec<Vec<Atom>> {
        let expression = &self.body.expressions[id];
        match expression.kind {
            ExprKind::Unary(UnaryOp::Not, operand) => self.condition(values, operand, !wanted),
            ExprKind::Binary(operation @ (BinaryOp::And | BinaryOp::Or), left, right)
                if expression.ty == Type::Bool =>
            {
                // Both are so, or the first is, or the first is not and the second is.
                let both = (operation == BinaryOp::And) == wanted;
                let mut first = self.condition(values, left, wanted);
                let second = self.condition(values, right, wanted);
                if both {
                    return pairs(&first, &second);
                }
                first.extend(pairs(&self.condition(values, left, !wanted), &second));
                first
            }
            ExprKind::Binary(operation, left, right) if is_test(operation) => {
                let mut all = Vec::new();
                for (conditions, [left, right]) in self.both(values, left, right) {
                    for atom in compared(operation, &left, &right, wanted) {
                        all.push([conditions.clone(), vec![atom]].concat());
                    }
                }
                all
            }
            ExprKind::Convert(operand)
                if expression.ty == Type::Bool && self.body.expressions[operand].ty == Type::Bool =>
            {
                self.condition(values, operand, wanted)
            }
            ExprKind::Overflows(..) if wanted => Vec::new(),
            ExprKind::Overflows(..) => vec![Vec::new()],
            _ => {
                let operand = match expression.kind {
                    ExprKind::Convert(operand) if expression.ty == Type::Bool => operand,
                    _ => id,
                };
                let is_truth = self.body.expressions[operand].ty == Type::Bool;
                let zero = Polynomial::zero();
                let mut all = Vec::new();
                for (conditions, number) in self.number(values, operand) {
                    let atoms = match (wanted, is_truth) {
                        (true, true) => vec![Atom::above(&number, &zero)],
                        (true, false) => compared(BinaryOp::NotEqual, &number, &zero, true),
                        (false, _) => vec![Atom::equal(&number, &zero)],
                    };
                    all.extend(atoms.into_iter().map(|atom| [conditions.clone(), vec![atom]].concat()));
                }
                all
            }
        }
    }
}

/// Where a switch goes, and when: to its cases, and to the default between, below and above them. No two are so at once.
fn sides(cases: &[Case], default: BlockId, number: &Polynomial) -> Vec<(BlockId, Vec<Atom>)> {
    let constant = |number: i128| Polynomial::constant(Integer::from(number));
    let mut sorted: Vec<&Case> = cases.iter().collect();
    sorted.sort_by_key(|case| case.low);
    let mut sides = Vec::new();
    let mut above = Vec::new();
    let mut free = None;
    for case in sorted {
        if free != Some(case.low) {
            let below = Atom::above(&constant(case.low), number);
            sides.push((default, [above.clone(), vec![below]].concat()));
        }
        let (low, high) = (constant(case.low), constant(case.high));
        sides.push(match case.low == case.high {
            true => (case.target, vec![Atom::equal(number, &low)]),
            false => (case.target, vec![Atom::at_least(number, &low), Atom::at_least(&high, number)]),
        });
        above = vec![Atom::above(number, &high)];
        free = case.high.checked_add(1);
    }
    sides.push((default, above));
    sides
}

const fn is_test(operation: BinaryOp) -> bool {
    matches!(operation, BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Less | BinaryOp::LessEqual)
}

fn compared(operation: BinaryOp, left: &Polynomial, right: &Polynomial, wanted: bool) -> Vec<Atom> {
    match (operation, wanted) {
        (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) => vec![Atom::equal(left, right)],
        (BinaryOp::Equal, false) | (BinaryOp::NotEqual, true) => {
            vec![Atom::above(right, left), Atom::above(left, right)]
        }
        (BinaryOp::Less, true) => vec![Atom::above(right, left)],
        (BinaryOp::Less, false) => vec![Atom::at_least(left, right)],
        (_, true) => vec![Atom::at_least(right, left)],
        (_, false) => vec![Atom::above(left, right)],
    }
}

fn pairs(left: &[Vec<Atom>], right: &[Vec<Atom>]) -> Vec<Vec<Atom>> {
    let with = |one: &Vec<Atom>| right.iter().map(|other| [&one[..], other].concat()).collect::<Vec<_>>();
    left.iter().flat_map(with).collect()
}

/// A path under one of several conditions, without those that cannot be. Conditions on what can be anything are left
/// out: one path stands for all of them then.
fn restricted(
    definitions: &Definitions,
    path: &Path,
    ways: Vec<Vec<Atom>>,
) -> impl Iterator<Item = Path> + use<> {
    let mut paths: Vec<Path> = Vec::new();
    for atoms in ways {
        let mut path = path.clone();
        let mut possible = true;
        for atom in atoms {
            match atom.known() {
                Some(true) => {}
                Some(false) => possible = false,
                None if definitions.is_open(&atom.number) => {
                    path.partial = true;
                    path.left_out.push(atom);
                }
                None if path.conditions.contains(&atom) => {}
                None => path.conditions.push(atom),
            }
        }
        if possible {
            add(&mut paths, path);
        }
    }
    paths.into_iter()
}

/// Adds a path. One that is like another but for what was left out is that one.
fn add(paths: &mut Vec<Path>, mut path: Path) {
    let left_out = std::mem::take(&mut path.left_out);
    for other in paths.iter_mut() {
        let theirs = std::mem::take(&mut other.left_out);
        let same = *other == path;
        other.left_out = theirs;
        if same {
            other.left_out.retain(|atom| left_out.contains(atom));
            return;
        }
    }
    paths.push(Path { left_out, ..path });
}

fn set(values: &mut Values, variable: VariableId, number: Polynomial) {
    if number == Polynomial::variable(Symbol::Held(variable)) {
        values.remove(&variable);
    } else {
        values.insert(variable, number);
    }
}
