//! Which pointers a function follows that it is given: its parameters, and pointers that stand in what these point to.

use std::collections::{BTreeMap, BTreeSet};

use evidence::{Element, Expression, Moment, expression::constant};
use program::{Body, Check, ExprId, ExprKind, IntegerType, Program, StatementKind, Type, VariableId};

/// No more pointers, and no more numbers behind them, are taken into account.
const MOST: usize = 6;

/// Multiples that are no larger may be sizes of elements.
const LARGEST_ELEMENT: i128 = 512;

/// A pointer that a function is given: a parameter, or what stands so many bytes behind where it points to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Root {
    /// The parameter.
    pub parameter: VariableId,
    /// Where the pointer stands, if it is not the parameter itself.
    pub field: Option<u64>,
}

/// What a function does with the pointers that it is given.
#[derive(Debug, Default)]
pub(super) struct Pointers {
    /// Those that it follows, or hands on.
    pub followed: BTreeSet<Root>,
    /// The numbers that it reads at known places behind its parameters: parameter, offset, type.
    pub numbers: BTreeSet<(VariableId, u64, IntegerType)>,
    /// What may be the sizes of elements.
    pub strides: BTreeSet<u64>,
}

impl Pointers {
    /// Reads it off a body.
    pub fn of(program: &Program, body: &Body) -> Self {
        let mut finder = Finder::new(body);
        while finder.spread() {}
        let mut found = Self::default();
        for statement in body.statements() {
            finder.add(program, &statement.kind, &mut found);
        }
        for expression in body.expressions.values() {
            if let ExprKind::Binary(program::BinaryOp::Multiply, left, right) = expression.kind {
                let factors = [left, right].into_iter().filter_map(|factor| body.constant(factor));
                let sizes = factors.filter(|factor| (2..=LARGEST_ELEMENT).contains(factor));
                found.strides.extend(sizes.map(|factor| factor as u64));
            }
        }
        // What holds a pointer that is followed is followed.
        let holders: Vec<Root> = found.followed.iter().map(|root| Root { field: None, ..*root }).collect();
        found.followed.extend(holders);
        found.followed = found.followed.into_iter().take(MOST).collect();
        found.numbers = found.numbers.into_iter().take(MOST).collect();
        found
    }
}

/// A number behind a parameter, at the call.
pub(super) fn element(name: &str, offset: u64, ty: IntegerType) -> Option<Expression> {
    let bytes = Some(ty.width.div_ceil(8)).filter(|bytes| matches!(bytes, 1 | 2 | 4 | 8))?;
    let index = offset.checked_div(u64::from(bytes)).filter(|index| index * u64::from(bytes) == offset)?;
    Some(Expression::Element(Element {
        buffer: name.into(),
        index: Box::new(constant(index)),
        bytes,
        signed: ty.signed,
        moment: Moment::Start,
    }))
}

struct Finder<'a> {
    body: &'a Body,
    /// How often each variable is assigned.
    assigned: BTreeMap<VariableId, usize>,
    /// What variables were computed from.
    roots: BTreeMap<VariableId, Root>,
    /// Where variables that are assigned once point to: so many bytes behind where a parameter does.
    places: BTreeMap<VariableId, (VariableId, u64)>,
}

impl<'a> Finder<'a> {
    fn new(body: &'a Body) -> Self {
        let mut assigned = BTreeMap::new();
        for target in body.statements().filter_map(|statement| statement.kind.target()) {
            *assigned.entry(target).or_insert(0) += 1;
        }
        let pointers = body.parameters.iter().filter(|&&one| body.variables[one].ty == Type::Pointer);
        let roots = pointers.clone().map(|&parameter| (parameter, Root { parameter, field: None }));
        let constant = pointers.filter(|parameter| !assigned.contains_key(parameter));
        let places = constant.map(|&parameter| (parameter, (parameter, 0)));
        Self { body, roots: roots.collect(), places: places.collect(), assigned }
    }

    /// Follows assignments once. Whether something new was found.
    fn spread(&mut self) -> bool {
        let before = (self.roots.len(), self.places.len());
        for statement in self.body.statements() {
            let (target, root, place) = match statement.kind {
                StatementKind::Assign { target, value } => (target, self.root(value), self.place(value)),
                StatementKind::Load { target, pointer, .. } => {
                    let stored = |(parameter, offset)| Root { parameter, field: Some(offset) };
                    (target, self.place(pointer).map(stored), None)
                }
                _ => continue,
            };
            if self.body.variables.get(target).is_none_or(|variable| variable.ty != Type::Pointer) {
                continue;
            }
            if let Some(root) = root {
                self.roots.entry(target).or_insert(root);
            }
            if let Some(place) = place.filter(|_| self.assigned.get(&target) == Some(&1)) {
                self.places.entry(target).or_insert(place);
            }
        }
        before != (self.roots.len(), self.places.len())
    }

    fn root(&self, value: ExprId) -> Option<Root> {
        match self.body.expressions[value].kind {
            ExprKind::Variable(variable) => self.roots.get(&variable).copied(),
            ExprKind::Offset(base, _) => self.root(base),
            ExprKind::Select(_, then, otherwise) => self.root(then).or_else(|| self.root(otherwise)),
            _ => None,
        }
    }

    fn place(&self, value: ExprId) -> Option<(VariableId, u64)> {
        match self.body.expressions[value].kind {
            ExprKind::Variable(variable) => self.places.get(&variable).copied(),
            ExprKind::Offset(base, bytes) => {
                let (parameter, offset) = self.place(base)?;
                let bytes = self.body.constant(bytes)?;
                let offset = u64::try_from(i128::from(offset) + bytes).ok().filter(|sum| *sum < 1 << 16)?;
                Some((parameter, offset))
            }
            _ => None,
        }
    }

    fn add(&self, program: &Program, statement: &StatementKind, found: &mut Pointers) {
        match *statement {
            StatementKind::Load { target, pointer, .. } => {
                let ty = program.variable(self.body, target).ty;
                found.strides.extend(self.root(pointer).map(|_| ty.bytes(program.data_model)));
                if let (Type::Integer(ty), Some((parameter, offset))) = (ty, self.place(pointer)) {
                    found.numbers.insert((parameter, offset, ty));
                }
                found.followed.extend(self.root(pointer));
            }
            StatementKind::Store { pointer, value } => {
                let ty = self.body.type_of(value);
                found.strides.extend(self.root(pointer).map(|_| ty.bytes(program.data_model)));
                found.followed.extend(self.root(pointer));
            }
            StatementKind::Copy { destination, source, .. } => {
                found.followed.extend([destination, source].into_iter().filter_map(|one| self.root(one)));
            }
            StatementKind::Fill { destination, .. } => found.followed.extend(self.root(destination)),
            StatementKind::Check(
                Check::Readable { pointer, .. }
                | Check::Writable { pointer, .. }
                | Check::Accessible { pointer, .. },
            ) => found.followed.extend(self.root(pointer)),
            StatementKind::Call { ref arguments, .. } => {
                found.followed.extend(arguments.iter().filter_map(|&argument| self.root(argument)));
            }
            _ => {}
        }
    }
}
