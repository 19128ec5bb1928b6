//! Several functions as one: where one calls another, control goes on in the other, and does not come back.
//!
//! ```text
//! station:  switch (which) { 0: a's variables := any, a's parameters := slots, a's body; 1: b's …; … }
//! in a body, a call b(x, y) becomes
//!           slots of b := x, y; which := b; goto the station of b
//! ```
//!
//! Functions that call each other in a circle share a station, so that the circle is a loop with one head. A slot holds
//! what is given to the parameters of one position and one type, whosever they are at that station, so that one number can
//! get less all the way around. What a slot holds that the called function does not have is of no interest to it.

use std::collections::BTreeMap;

use base::{Index, Location};
use program::passes::with_operands;
use program::{
    Block, BlockId, Body, Callee, Case, Check, Expr, ExprId, ExprKind, FunctionId, IntegerType, LoopKind,
    LoopStatement, ObjectRef, Origin, Program, Statement, StatementKind, Terminator, Type, Variable,
    VariableId,
};

use super::self_call::choice;
use crate::pieces::{any, assign, block, variable};

/// The type of the number that says which function is called.
const WHICH: Type = Type::Integer(IntegerType { width: 32, signed: true });

/// What becomes of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cut {
    /// It is followed, or it returns and gives any value.
    Choice,
    /// It is followed. What comes after it is of no interest.
    Follow,
}

/// Where calls lead, and what they pass on.
pub(super) struct Plan {
    /// The functions of each station.
    stations: Vec<Vec<FunctionId>>,
    /// The name and the type of each slot.
    slots: Vec<(String, Type)>,
    /// For each function the slots of its parameters, in order.
    of_function: BTreeMap<FunctionId, Vec<usize>>,
    /// For each station the slot that says which function is called.
    which: Vec<usize>,
    /// Where the first function of each station stands.
    locations: Vec<Location>,
}

impl Plan {
    /// A plan for functions at stations. Nothing if one of them takes more arguments than it names.
    pub(super) fn new(program: &Program, stations: Vec<Vec<FunctionId>>) -> Option<Self> {
        let location = |station: &Vec<FunctionId>| Some(program.functions[*station.first()?].location);
        let mut plan = Self {
            locations: stations.iter().map(location).collect::<Option<_>>()?,
            stations,
            slots: Vec::new(),
            of_function: BTreeMap::new(),
            which: Vec::new(),
        };
        for station in &plan.stations {
            let mut keys: BTreeMap<(usize, Type), usize> = BTreeMap::new();
            for &function in station {
                if program.functions[function].variadic {
                    return None;
                }
                let body = program.functions[function].body()?;
                let mut own = Vec::new();
                for (position, &parameter) in body.parameters.iter().enumerate() {
                    let Variable { name, ty, .. } = &body.variables[parameter];
                    let slot = keys.entry((position, *ty)).or_insert_with(|| {
                        plan.slots.push((name.clone(), *ty));
                        plan.slots.len() - 1
                    });
                    own.push(*slot);
                }
                plan.of_function.insert(function, own);
            }
            plan.which.push(plan.slots.len());
            plan.slots.push((String::from("which"), WHICH));
        }
        Some(plan)
    }

    /// The station of a function, and its place there.
    fn place(&self, function: FunctionId) -> Option<(usize, usize)> {
        self.stations.iter().enumerate().find_map(|(station, functions)| {
            Some((station, functions.iter().position(|one| *one == function)?))
        })
    }

    /// Makes calls of functions of the plan lead to their stations.
    pub(super) fn cut_calls(&self, body: &mut Body, cut: Cut) -> Option<Part> {
        // A temporary moves no pointer: that is assumed of the caller's variables, not of what it passes on.
        let origin = Origin::Temporary;
        let new =
            |(name, ty): &(String, Type)| variable(body, name.clone(), *ty, origin, Location::unknown());
        let slots = self.slots.iter().map(new).collect();
        let mut part = Part { enters: Vec::new(), slots };
        let mut left: Vec<BlockId> = body.blocks.ids().collect();
        while let Some(block) = left.pop() {
            let statements = body.blocks[block].statements.iter();
            let Some((place, callee)) =
                statements.enumerate().find_map(|(place, one)| Some((place, self.called(one)?)))
            else {
                continue;
            };
            let enter = self.enter(body, &part, block, place, callee)?;
            let (station, _) = self.place(callee)?;
            let enter = match cut {
                Cut::Choice => {
                    let (enter, after) = choice(body, block, place, enter, Terminator::Unreachable)?;
                    left.push(after);
                    enter
                }
                Cut::Follow => {
                    let block_now = &mut body.blocks[block];
                    block_now.statements.truncate(place);
                    block_now.statements.extend(enter);
                    block_now.terminator = Terminator::Unreachable;
                    block
                }
            };
            part.enters.push((enter, station));
        }
        Some(part)
    }

    /// The function of the plan that a statement calls.
    pub(super) fn called(&self, statement: &Statement) -> Option<FunctionId> {
        match statement.kind {
            StatementKind::Call { callee: Callee::Function(callee), .. } => {
                self.of_function.contains_key(&callee).then_some(callee)
            }
            _ => None,
        }
    }

    /// What a call passes on.
    fn enter(
        &self,
        body: &mut Body,
        part: &Part,
        block: BlockId,
        place: usize,
        callee: FunctionId,
    ) -> Option<Vec<Statement>> {
        let statement = &body.blocks[block].statements[place];
        let StatementKind::Call { arguments, .. } = &statement.kind else { return None };
        let (arguments, location) = (arguments.clone(), statement.location);
        let own = &self.of_function[&callee];
        if arguments.len() != own.len() {
            return None;
        }
        let mut enter = Vec::new();
        for (&slot, &value) in own.iter().zip(&arguments) {
            if body.expressions[value].ty != self.slots[slot].1 {
                return None;
            }
            enter.push(assign(part.slots[slot], value, location));
        }
        let (station, number) = self.place(callee)?;
        let value = body.integer(WHICH, i128::try_from(number).ok()?);
        enter.push(assign(part.slots[self.which[station]], value, location));
        Some(enter)
    }
}

/// What was put into a function: the blocks that lead to stations, and the variables that stand for the slots.
pub(super) struct Part {
    enters: Vec<(BlockId, usize)>,
    slots: Vec<VariableId>,
}

/// The function that is made of all.
pub(super) struct Joined<'p> {
    plan: &'p Plan,
    /// The function, as far as it is made.
    pub(super) body: Body,
    /// The variables that are the slots.
    pub(super) slots: Vec<VariableId>,
    /// The blocks that lead to stations.
    enters: Vec<(BlockId, usize)>,
    /// Where the functions begin.
    starts: BTreeMap<FunctionId, BlockId>,
}

impl<'p> Joined<'p> {
    /// Begins with a body that may have objects, but neither variables nor blocks.
    pub(super) fn new(plan: &'p Plan, mut body: Body, location: Location) -> Self {
        let new =
            |(name, ty): &(String, Type)| variable(&mut body, name.clone(), *ty, Origin::Parameter, location);
        let slots = plan.slots.iter().map(new).collect();
        Self { plan, body, slots, enters: Vec::new(), starts: BTreeMap::new() }
    }

    /// Adds a block that leads to a station.
    pub(super) fn add_entry(&mut self, statements: Vec<Statement>, station: usize, location: Location) {
        let entry = self.body.blocks.push(block(statements, Terminator::Unreachable, location));
        self.enters.push((entry, station));
    }

    /// Adds the body of a function that is not called, with what its variables are called. Its objects are those of the
    /// body that this began with.
    pub(super) fn add_first(&mut self, body: &Body, part: &Part) -> Option<Vec<VariableId>> {
        Some(self.add(body, part, true)?.variables)
    }

    /// Adds a function, of whose variables nothing is known at the start but of its parameters. A variable for which this
    /// is not asked is known to be written before it is read.
    pub(super) fn add_function(
        &mut self,
        function: FunctionId,
        body: &Body,
        part: &Part,
        is_any: impl Fn(Type) -> bool,
        location: Location,
    ) -> Option<()> {
        let names = self.add(body, part, false)?;
        let is_own = |id: &VariableId| !part.slots.contains(id) && !body.parameters.contains(id);
        let locals = body.variables.iter().filter(|(id, variable)| is_own(id) && is_any(variable.ty));
        let mut statements: Vec<Statement> =
            locals.map(|(id, _)| any(names.variable(id), "another call", location)).collect();
        for (&parameter, &slot) in body.parameters.iter().zip(&self.plan.of_function[&function]) {
            let (target, value) = (names.variable(parameter), self.body.read(self.slots[slot]));
            statements.push(assign(target, value, location));
        }
        let terminator = Terminator::Goto(names.block(body.entry()));
        let start = self.body.blocks.push(block(statements, terminator, location));
        self.starts.insert(function, start);
        Some(())
    }

    fn add(&mut self, body: &Body, part: &Part, has_objects: bool) -> Option<Names> {
        let variables = body
            .variables
            .iter()
            .map(|(id, variable)| match part.slots.iter().position(|slot| *slot == id) {
                Some(slot) => self.slots[slot],
                None => {
                    let scope = variable.scope.filter(|_| has_objects);
                    self.body.variables.push(Variable { scope, ..variable.clone() })
                }
            })
            .collect();
        let (expressions, blocks) = (self.body.expressions.len(), self.body.blocks.len());
        let names = Names { variables, expressions, blocks, has_objects };
        for (_, expression) in body.expressions.iter() {
            let kind = names.expression(expression.kind)?;
            self.body.expressions.push(Expr { kind, ty: expression.ty });
        }
        for (_, block) in body.blocks.iter() {
            let statements: Option<Vec<Statement>> =
                block.statements.iter().map(|one| names.statement(one.clone())).collect();
            let terminator = names.terminator(&block.terminator);
            self.body.blocks.push(Block { statements: statements?, terminator, ..block.clone() });
        }
        self.enters.extend(part.enters.iter().map(|&(block, station)| (names.block(block), station)));
        Some(names)
    }

    /// The function, with the heads of the stations.
    pub(super) fn finish(mut self) -> Option<(Body, Vec<BlockId>)> {
        let mut heads = Vec::new();
        for (station, functions) in self.plan.stations.iter().enumerate() {
            let starts = functions.iter().map(|function| self.starts.get(function).copied());
            let starts = starts.collect::<Option<Vec<BlockId>>>()?;
            let (&default, others) = starts.split_last()?;
            let case = |(&target, number): (&BlockId, i128)| Case { low: number, high: number, target };
            let cases: Vec<Case> = others.iter().zip(0..).map(case).collect();
            let terminator = if others.is_empty() {
                Terminator::Goto(default)
            } else {
                let value = self.body.read(self.slots[self.plan.which[station]]);
                Terminator::Switch { value, cases, default }
            };
            let location = self.plan.locations[station];
            let loop_statement = Some(LoopStatement { kind: LoopKind::Do, location });
            let head = Block { loop_statement, ..block(Vec::new(), terminator, location) };
            heads.push(self.body.blocks.push(head));
        }
        for &(enter, station) in &self.enters {
            self.body.blocks[enter].terminator = Terminator::Goto(heads[station]);
        }
        Some((self.body, heads))
    }
}

/// What the parts of a function are called among all.
struct Names {
    variables: Vec<VariableId>,
    /// How many expressions and blocks came before.
    expressions: usize,
    blocks: usize,
    /// Whether its objects are there.
    has_objects: bool,
}

impl Names {
    fn variable(&self, id: VariableId) -> VariableId {
        if id.is_global() { id } else { self.variables[id.index()] }
    }

    fn id(&self, id: ExprId) -> ExprId {
        Index::new(id.index() + self.expressions)
    }

    fn block(&self, id: BlockId) -> BlockId {
        Index::new(id.index() + self.blocks)
    }

    fn expression(&self, kind: ExprKind) -> Option<ExprKind> {
        match kind {
            ExprKind::Object(ObjectRef::Local(_)) if !self.has_objects => None,
            ExprKind::Variable(variable) => Some(ExprKind::Variable(self.variable(variable))),
            kind => Some(with_operands(kind, |operand| self.id(operand))),
        }
    }

    fn statement(&self, mut statement: Statement) -> Option<Statement> {
        match &mut statement.kind {
            StatementKind::Begin { .. } | StatementKind::End { .. } | StatementKind::Forget { .. }
                if !self.has_objects =>
            {
                return None;
            }
            // Arguments behind the parameters are those of the function that was called first.
            StatementKind::Variadic { .. } => return None,
            StatementKind::Check(Check::Defined { variable }) => *variable = self.variable(*variable),
            _ => {}
        }
        if let Some(target) = statement.kind.target_mut() {
            *target = self.variable(*target);
        }
        statement.kind.for_each_operand(|operand| *operand = self.id(*operand));
        Some(statement)
    }

    fn terminator(&self, terminator: &Terminator) -> Terminator {
        let mut terminator = match terminator {
            // The results of all are of no interest, and may have different types.
            Terminator::Return(_) => Terminator::Return(None),
            other => other.clone(),
        };
        terminator.for_each_target(|target| *target = self.block(*target));
        if let Some(operand) = terminator.operand_mut() {
            *operand = self.id(*operand);
        }
        terminator
    }
}
