//! A program as a graph of linear commands over the numbers of its variables.
//!
//! ```text
//! block ─ statements ─► edge of commands ─► block        call ─► the callee's own copy of its graph ─► after the call
//! ```
//!
//! Calls of functions with a body are copied in place, up to a limit; recursion, calls through pointers and what is too
//! large becomes "the result and the program's variables are anything", and is noted as a gap. Memory is not followed: what
//! is loaded is anything of its type. A dimension is a variable in one copy of its function, or a scratch number.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use base::{Index, Location};
use domains::order::{Edge, Graph, Node};
use domains::{Constraint, Dimension, Expression};
use logic::Integer;
use logic::numbers::Rational;
use program::interpret::{Integers, ObligationSet, is_library_function};
use program::outside::Changeable;
use program::{
    BlockId, Body, Callee, ExprId, FunctionId, Program, Statement, StatementKind, Terminator, Type, Value,
    VariableId,
};

use super::command::Command;
use super::relevant::relevant;
use super::translate::{Scratch, Translator, anything};

/// No call is followed deeper.
const CALLS: usize = 12;

/// No program is larger.
const NODES: usize = 3_000;

/// So many variables are followed; the others are anything.
const DIMENSIONS: usize = 64;

/// A program as a graph of commands.
#[derive(Debug)]
pub struct Numeric {
    /// The nodes and edges. Runs start at the first node.
    pub graph: Graph,
    /// What each edge does.
    pub commands: Vec<Vec<Command>>,
    /// The code that each edge stands for.
    pub code: Vec<Code>,
    /// Where each node stands.
    pub spots: Vec<Spot>,
    /// The copies of functions; the first is the one that runs start in.
    pub frames: Vec<Frame>,
    /// What each dimension stands for; scratch numbers stand for nothing.
    pub meanings: Vec<Option<Meaning>>,
    /// What is not followed.
    pub gaps: Vec<Gap>,
    /// What integers are.
    pub integers: Integers,
}

/// What of a program is followed.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// A node is made wherever code of this line starts.
    pub line: Option<u32>,
    /// Checks of these kinds make the variables matter that they speak of.
    pub checks: ObligationSet,
    /// If given: only these variables are followed, and no calls.
    pub only: Option<BTreeSet<VariableId>>,
}

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The copy of a function, by its place in the list.
    pub frame: usize,
    /// The block.
    pub block: BlockId,
    /// Whether it is the start of the block.
    pub is_start: bool,
    /// The source of what comes next.
    pub location: Location,
}

/// The code of an edge: statements of a block, and what comes after them.
#[derive(Clone, Debug)]
pub struct Code {
    /// The copy of a function.
    pub frame: usize,
    /// The block.
    pub block: BlockId,
    /// The statements, by their places.
    pub statements: Range<usize>,
    /// What comes after them.
    pub end: End,
}

/// What comes after the statements of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The function that runs start in.
    Start,
    /// Code of the wanted line.
    Line,
    /// A call that leads into this copy of a function.
    Call(usize),
    /// A successor of the block, by its place.
    Branch(usize),
    /// The caller.
    Return,
}

/// A copy of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The function.
    pub function: FunctionId,
    /// The copy that calls it, and the block of the call.
    pub caller: Option<(usize, BlockId)>,
    /// The active calls, the outermost first, each with where it has come to.
    pub stack: Vec<(FunctionId, Location)>,
}

impl Frame {
    /// Whether it is a call of a function from these active calls.
    pub fn is_call(&self, function: FunctionId, stack: &[(FunctionId, Location)]) -> bool {
        let callers = |stack: &[(FunctionId, Location)]| stack[..stack.len().saturating_sub(1)].to_vec();
        self.function == function && callers(&self.stack) == callers(stack)
    }
}

/// What a dimension stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meaning {
    /// The copy of a function, or nothing for a variable of the program.
    pub frame: Option<usize>,
    /// The variable: a pointer stands for its offset.
    pub variable: VariableId,
    /// Its type.
    pub ty: Type,
}

/// Something that is not followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    /// What it is.
    pub what: String,
    /// Where it stands.
    pub location: Location,
}

impl Numeric {
    /// The graph of a program whose runs start in a function.
    pub fn of<'p>(
        program: &'p Program,
        function: FunctionId,
        integers: Integers,
        scope: &'p Scope,
    ) -> Option<Self> {
        let body = program.functions[function].body()?;
        let mut builder = Builder {
            program,
            machine: integers == Integers::Machine,
            scope,
            globals: BTreeMap::new(),
            scratch: Scratch::default(),
            relevant: BTreeMap::new(),
            edges: Vec::new(),
            made: Numeric {
                graph: Graph::new(0),
                commands: Vec::new(),
                code: Vec::new(),
                spots: Vec::new(),
                frames: Vec::new(),
                meanings: Vec::new(),
                gaps: Vec::new(),
                integers,
            },
        };
        let start = builder.spot(Spot {
            frame: 0,
            block: body.entry(),
            is_start: false,
            location: program.functions[function].location,
        });
        let mut initial = builder.initial(function);
        let (entry, parameters) = builder.copy(function, None, &[], None)?;
        for (dimension, ty) in parameters.into_iter().flatten() {
            anything(dimension, ty, builder.machine, &mut initial);
        }
        let code = Code { frame: 0, block: body.entry(), statements: 0..0, end: End::Start };
        builder.connect(Open { from: start, code, commands: initial }, entry, End::Start);
        Some(builder.finish())
    }

    /// How many dimensions there are.
    pub fn dimensions(&self) -> usize {
        self.meanings.len()
    }

    /// Whether a copy of a function can speak of a dimension.
    pub fn is_visible(&self, frame: usize, dimension: Dimension) -> bool {
        let meaning = self.meanings[dimension.index()];
        meaning.is_some_and(|meaning| meaning.frame.is_none_or(|other| other == frame))
    }

    /// Whether a node is in some blocks of a copy of a function, or in a copy that is called from there.
    pub fn is_within(&self, node: Node, frame: usize, contains: impl Fn(BlockId) -> bool) -> bool {
        let spot = &self.spots[node.index()];
        let (mut place, mut block) = (spot.frame, spot.block);
        loop {
            if place == frame {
                return contains(block);
            }
            match self.frames[place].caller {
                Some((caller, at)) => (place, block) = (caller, at),
                None => return false,
            }
        }
    }

    /// The code that ends with the call of a copy of a function, which is the statement after it.
    pub fn call_of(&self, frame: usize) -> Option<&Code> {
        self.code.iter().find(|code| code.end == End::Call(frame))
    }

    /// The node at the start of a block.
    pub fn node_of(&self, frame: usize, block: BlockId) -> Option<Node> {
        let is_it = |spot: &Spot| spot.frame == frame && spot.block == block && spot.is_start;
        self.spots.iter().position(is_it).map(Node::new)
    }
}

/// An edge on its way.
#[derive(Clone)]
struct Open {
    from: Node,
    code: Code,
    commands: Vec<Command>,
}

/// What a copied function's parameters are.
type Parameters = Vec<Option<(Dimension, Type)>>;

/// Where a call's result goes, and the node after it.
#[derive(Clone, Copy)]
struct Back {
    node: Node,
    target: Option<(Dimension, Type)>,
}

struct Builder<'p> {
    program: &'p Program,
    machine: bool,
    scope: &'p Scope,
    globals: BTreeMap<VariableId, Dimension>,
    scratch: Scratch,
    relevant: BTreeMap<FunctionId, Vec<VariableId>>,
    edges: Vec<(Node, Node)>,
    /// What is made, still without its graph.
    made: Numeric,
}

/// A function that is being copied.
struct Copy<'p> {
    frame: usize,
    body: &'p Body,
    dimensions: BTreeMap<VariableId, Dimension>,
    own: Vec<Dimension>,
    nodes: Vec<Option<Node>>,
    back: Option<Back>,
}

impl<'p> Builder<'p> {
    fn finish(self) -> Numeric {
        let mut graph = Graph::new(self.made.spots.len());
        for (from, to) in &self.edges {
            graph.connect(*from, *to);
        }
        Numeric { graph, ..self.made }
    }

    fn spot(&mut self, spot: Spot) -> Node {
        self.made.spots.push(spot);
        Node::new(self.made.spots.len() - 1)
    }

    fn connect(&mut self, open: Open, to: Node, end: End) {
        self.edges.push((open.from, to));
        self.made.commands.push(open.commands);
        self.made.code.push(Code { end, ..open.code });
    }

    /// Ends an edge before the next statement, and goes on with another one after it or with it.
    fn split(&mut self, open: &mut Open, to: Node, end: End, node: Node) {
        let place = open.code.statements.end;
        let next = place + usize::from(matches!(end, End::Call(_)));
        let code = Code { statements: next..next, ..open.code.clone() };
        let before = std::mem::replace(open, Open { from: node, code, commands: Vec::new() });
        self.connect(before, to, end);
    }

    fn dimension(&mut self, meaning: Meaning) -> Dimension {
        let dimension = Dimension(self.made.meanings.len() as u32);
        self.made.meanings.push(Some(meaning));
        self.scratch.next = self.made.meanings.len() as u32;
        dimension
    }

    fn relevant(&mut self, function: FunctionId, body: &Body) -> Vec<VariableId> {
        let (program, scope) = (self.program, self.scope);
        let find = || match &scope.only {
            Some(only) => only.iter().copied().collect(),
            None => relevant(program, body, scope.checks).into_iter().collect(),
        };
        self.relevant.entry(function).or_insert_with(find).clone()
    }

    /// The program's variables get their first values.
    fn initial(&mut self, function: FunctionId) -> Vec<Command> {
        let mut commands = Vec::new();
        let is_start = program::outside::starts_fresh(self.program, function);
        let changed = if is_start { Default::default() } else { Changeable::of(self.program).globals };
        for (index, global) in self.program.globals.iter().enumerate().take(DIMENSIONS / 2) {
            let ty = global.variable.ty;
            if !matches!(ty, Type::Bool | Type::Integer(_) | Type::Pointer) {
                continue;
            }
            let variable = VariableId::global(index);
            if self.scope.only.as_ref().is_some_and(|only| !only.contains(&variable)) {
                continue;
            }
            let dimension = self.dimension(Meaning { frame: None, variable, ty });
            self.globals.insert(variable, dimension);
            match global.initial {
                Value::Integer(value) if !changed.contains(&variable) => {
                    let value = Expression::constant(Rational::from(Integer::from(value)));
                    commands.push(Command::Assign(dimension, value));
                }
                Value::Null if !changed.contains(&variable) => {
                    commands.push(Command::Assign(dimension, Expression::zero()))
                }
                _ => anything(dimension, ty, self.machine, &mut commands),
            }
        }
        commands
    }

    /// Copies a function. Gives where it is entered and what its parameters are; nothing if that is too much.
    fn copy(
        &mut self,
        function: FunctionId,
        caller: Option<(usize, BlockId)>,
        stack: &[(FunctionId, Location)],
        back: Option<Back>,
    ) -> Option<(Node, Parameters)> {
        let body = self.program.functions[function].body()?;
        let is_active = stack.iter().any(|(active, _)| *active == function);
        let calls = if self.scope.only.is_some() { 1 } else { CALLS };
        if is_active || stack.len() >= calls || self.made.spots.len() + body.blocks.len() > NODES {
            return None;
        }
        let frame = self.made.frames.len();
        let mut stack = stack.to_vec();
        stack.push((function, self.program.functions[function].location));
        self.made.frames.push(Frame { function, caller, stack });
        let mut copy = Copy {
            frame,
            body,
            dimensions: self.globals.clone(),
            own: Vec::new(),
            nodes: vec![None; body.blocks.len()],
            back,
        };
        for variable in self.relevant(function, body) {
            if !variable.is_global() && self.made.meanings.len() < DIMENSIONS {
                let ty = body.variables[variable].ty;
                let dimension = self.dimension(Meaning { frame: Some(frame), variable, ty });
                copy.dimensions.insert(variable, dimension);
                copy.own.push(dimension);
            }
        }
        for block in body.reverse_post_order() {
            let content = &body.blocks[block];
            let location = content.statements.first().map_or(content.location, |first| first.location);
            copy.nodes[block.index()] = Some(self.spot(Spot { frame, block, is_start: true, location }));
        }
        for block in body.reverse_post_order() {
            self.block(&copy, block);
        }
        let parameter = |variable: &VariableId| {
            let dimension = *copy.dimensions.get(variable)?;
            Some((dimension, body.variables[*variable].ty))
        };
        let parameters = body.parameters.iter().map(parameter).collect();
        Some((copy.nodes[body.entry().index()]?, parameters))
    }

    fn block(&mut self, copy: &Copy<'p>, block: BlockId) {
        let Some(from) = copy.nodes[block.index()] else { return };
        let content = &copy.body.blocks[block];
        let code = Code { frame: copy.frame, block, statements: 0..0, end: End::Line };
        let mut open = Open { from, code, commands: Vec::new() };
        let mut last = None;
        let ends = std::iter::once(content.location);
        let lines = content.statements.iter().map(|statement| statement.location).chain(ends);
        for (place, location) in lines.enumerate() {
            open.code.statements.end = place;
            if place > 0 && self.scope.line == Some(location.line) && last != self.scope.line {
                let next = self.spot(Spot { frame: copy.frame, block, is_start: false, location });
                self.split(&mut open, next, End::Line, next);
            }
            last = Some(location.line);
            match content.statements.get(place) {
                Some(statement) => self.statement(copy, statement, &mut open),
                None => self.terminator(copy, &content.terminator, &open),
            }
        }
    }

    /// Adds the translation of expressions of one statement.
    fn translate(
        &mut self,
        copy: &Copy<'p>,
        commands: &mut Vec<Command>,
        add: impl FnOnce(&mut Translator<'_>),
    ) {
        let mut translator = Translator {
            body: copy.body,
            dimensions: &copy.dimensions,
            machine: self.machine,
            scratch: &mut self.scratch,
            commands: std::mem::take(commands),
        };
        add(&mut translator);
        *commands = translator.finish();
        self.made.meanings.resize(self.scratch.next as usize, None);
    }

    /// Adds what a statement does.
    fn statement(&mut self, copy: &Copy<'p>, statement: &Statement, open: &mut Open) {
        let target = statement.kind.target();
        let target = target.and_then(|target| {
            Some((*copy.dimensions.get(&target)?, self.program.variable(copy.body, target).ty))
        });
        match &statement.kind {
            StatementKind::Assign { value, .. } => {
                if let Some((dimension, ty)) = target {
                    self.translate(copy, &mut open.commands, |to| to.assign(dimension, ty, *value));
                }
            }
            StatementKind::Assume { condition } => {
                self.translate(copy, &mut open.commands, |to| to.condition(*condition, true));
            }
            StatementKind::Allocate { .. } => {
                if let Some((dimension, _)) = target {
                    open.commands.push(Command::Assign(dimension, Expression::zero()));
                }
            }
            StatementKind::Call { callee, arguments, .. } => {
                let call = Call { location: statement.location, arguments, target };
                self.call(copy, *callee, &call, open);
            }
            StatementKind::Store { .. } | StatementKind::Copy { .. } | StatementKind::Fill { .. } => {
                self.outside(&mut open.commands);
            }
            _ => {
                if let Some((dimension, ty)) = target {
                    anything(dimension, ty, self.machine, &mut open.commands);
                }
            }
        }
    }

    /// In an open program, a write to memory and a call of what is not here may change the variables that it exports.
    fn outside(&self, commands: &mut Vec<Command>) {
        let exported = self.globals.iter().filter(|(variable, _)| {
            self.program.world.open && self.program.globals[variable.index()].exported
        });
        for (variable, dimension) in exported {
            let ty = self.program.globals[variable.index()].variable.ty;
            anything(*dimension, ty, self.machine, commands);
        }
    }

    /// A call: of a copy of the function, or of something that can change all that it reaches.
    fn call(&mut self, copy: &Copy<'p>, callee: Callee, call: &Call<'_>, open: &mut Open) {
        let runs_code = match callee {
            Callee::Function(function) => {
                let function = &self.program.functions[function];
                function.body().is_some() || !(function.no_return || is_library_function(&function.name))
            }
            Callee::Pointer(_) => true,
        };
        if runs_code {
            if let Callee::Function(function) = callee
                && self.follow(copy, function, call, open).is_some()
            {
                return;
            }
            let what = match callee {
                Callee::Function(function) => {
                    format!("a call of `{}` that is not followed", self.program.functions[function].name)
                }
                Callee::Pointer(_) => String::from("a call through a pointer"),
            };
            self.made.gaps.push(Gap { what, location: call.location });
            for (variable, dimension) in self.globals.clone() {
                let ty = self.program.variable(copy.body, variable).ty;
                anything(dimension, ty, self.machine, &mut open.commands);
            }
        }
        if let Some((dimension, ty)) = call.target {
            anything(dimension, ty, self.machine, &mut open.commands);
        }
    }

    /// Copies a called function in place, if that is not too much.
    fn follow(
        &mut self,
        copy: &Copy<'p>,
        function: FunctionId,
        call: &Call<'_>,
        open: &mut Open,
    ) -> Option<()> {
        let (block, location) = (open.code.block, call.location);
        let after = self.spot(Spot { frame: copy.frame, block, is_start: false, location });
        let mut stack = self.made.frames[copy.frame].stack.clone();
        if let Some(caller) = stack.last_mut() {
            caller.1 = call.location;
        }
        let (back, frame) = (Back { node: after, target: call.target }, self.made.frames.len());
        let entered = self.copy(function, Some((copy.frame, block)), &stack, Some(back));
        let Some((entry, parameters)) = entered else {
            // The node is the last one, and nothing leads to it.
            self.made.spots.pop();
            return None;
        };
        self.translate(copy, &mut open.commands, |to| {
            for (argument, parameter) in call.arguments.iter().zip(parameters) {
                if let Some((dimension, ty)) = parameter {
                    to.assign(dimension, ty, *argument);
                }
            }
        });
        self.split(open, entry, End::Call(frame), after);
        Some(())
    }

    fn terminator(&mut self, copy: &Copy<'p>, terminator: &Terminator, open: &Open) {
        match terminator {
            Terminator::Goto(target) => self.go(copy, open.clone(), (0, *target)),
            Terminator::Branch { condition, then, otherwise } => {
                for (place, target) in [*then, *otherwise].into_iter().enumerate() {
                    let mut open = open.clone();
                    self.translate(copy, &mut open.commands, |to| to.condition(*condition, place == 0));
                    self.go(copy, open, (place, target));
                }
            }
            Terminator::Switch { value, cases, default } => {
                for (place, case) in cases.iter().enumerate() {
                    let ways = vec![(Some(case.low), Some(case.high))];
                    self.switch(copy, *value, &ways, open.clone(), (place, case.target));
                }
                let mut sorted: Vec<(i128, i128)> = cases.iter().map(|case| (case.low, case.high)).collect();
                sorted.sort_unstable();
                let mut gaps = Vec::new();
                let mut from = None;
                for (low, high) in sorted {
                    gaps.push((from, low.checked_sub(1)));
                    from = high.checked_add(1);
                }
                gaps.push((from, None));
                self.switch(copy, *value, &gaps, open.clone(), (cases.len(), *default));
            }
            Terminator::Return(value) => self.leave(copy, *value, open.clone()),
            Terminator::Unreachable => {}
        }
    }

    /// Goes on where a number is in one of some ranges.
    fn switch(
        &mut self,
        copy: &Copy<'p>,
        value: ExprId,
        ranges: &[(Option<i128>, Option<i128>)],
        mut open: Open,
        successor: (usize, BlockId),
    ) {
        self.translate(copy, &mut open.commands, |to| {
            let Some(number) = to.value(value) else { return };
            let limit = |limit: i128| Expression::constant(Rational::from(Integer::from(limit)));
            let way = |(low, high): &(Option<i128>, Option<i128>)| {
                let low = low.map(|low| Constraint::at_most(&limit(low), &number));
                let high = high.map(|high| Constraint::at_most(&number, &limit(high)));
                low.into_iter().chain(high).map(Command::Assume).collect::<Vec<_>>()
            };
            let mut ways: Vec<Vec<Command>> = ranges.iter().map(way).collect();
            match ways.len() {
                1 => to.commands.append(&mut ways[0]),
                _ => to.commands.push(Command::Either(ways)),
            }
        });
        self.go(copy, open, successor);
    }

    fn go(&mut self, copy: &Copy<'p>, open: Open, (place, target): (usize, BlockId)) {
        if let Some(next) = copy.nodes[target.index()] {
            self.connect(open, next, End::Branch(place));
        }
    }

    /// Goes back to the caller with a result; the callee's variables are gone.
    fn leave(&mut self, copy: &Copy<'p>, value: Option<ExprId>, mut open: Open) {
        let Some(back) = copy.back else { return };
        self.translate(copy, &mut open.commands, |to| match (back.target, value) {
            (Some((dimension, ty)), Some(value)) => to.assign(dimension, ty, value),
            (Some((dimension, ty)), None) => anything(dimension, ty, to.machine, &mut to.commands),
            (None, _) => {}
        });
        open.commands.extend(copy.own.iter().map(|dimension| Command::Forget(*dimension)));
        self.connect(open, back.node, End::Return);
    }
}

/// A call statement.
struct Call<'a> {
    location: Location,
    arguments: &'a [ExprId],
    target: Option<(Dimension, Type)>,
}

/// Whether an edge changes a dimension.
pub(super) fn changes(commands: &[Command], note: &mut impl FnMut(Dimension)) {
    for command in commands {
        match command {
            Command::Assign(target, _) | Command::Forget(target) | Command::Wrap(target, _) => note(*target),
            Command::Either(ways) => ways.iter().for_each(|way| changes(way, note)),
            Command::Assume(_) | Command::Fit(..) => {}
        }
    }
}

/// The dimensions that commands speak of.
pub(super) fn mentions(commands: &[Command], note: &mut impl FnMut(Dimension)) {
    let terms = |expression: &Expression, note: &mut dyn FnMut(Dimension)| {
        expression.terms().iter().for_each(|(dimension, _)| note(*dimension));
    };
    for command in commands {
        match command {
            Command::Assign(target, value) => {
                note(*target);
                terms(value, note);
            }
            Command::Forget(target) | Command::Wrap(target, _) => note(*target),
            Command::Assume(constraint) => terms(&constraint.expression, note),
            Command::Fit(expression, _) => terms(expression, note),
            Command::Either(ways) => ways.iter().for_each(|way| mentions(way, note)),
        }
    }
}

/// All edges of a graph that lead from nodes of a set to nodes of it.
pub(super) fn inner_edges(graph: &Graph, is_in: impl Fn(Node) -> bool) -> Vec<Edge> {
    graph.edges().filter(|edge| is_in(graph.source(*edge)) && is_in(graph.target(*edge))).collect()
}
