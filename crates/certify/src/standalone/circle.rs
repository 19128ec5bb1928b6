//! Functions that call each other, as one loop: each pass is a call in a call.
//!
//! ```text
//! b0: goto head    head: switch (which) { 0: a's variables := any, parameters := slots, a's body; 1: b's …; … }
//!                  in a body, each call b(x, y) of one of them becomes
//!                    either   slots of b := x, y; which := b; goto head
//!                    or       the call returns, and gives any value
//! ```
//!
//! As for a function that calls itself ([`super::nested`]): a chain of calls, each made while the one before is active,
//! is a run of this program that goes to the head at each of them, whichever of the functions it begins in. A slot holds
//! what is given to the parameters of one position and one type, whosever they are, so that one number can get less
//! all the way around. What a slot holds that the called function does not have is of no interest to it.
//!
//! The functions are put together when each stands on its own: then they have no memory and few kinds of statements.
//! What is not one of those is refused.

use base::{Arena, Index, Location};
use program::{
    Block, BlockId, Body, Callee, Case, Check, Definition, Expr, ExprId, ExprKind, FunctionId, IntegerType,
    LoopKind, LoopStatement, Origin, Program, Statement, StatementKind, Terminator, Type, Variable,
    VariableId,
};

use super::nested::{Nested, choice};
use super::{any, standalone};

/// The type of the number that says which function is called.
const WHICH: Type = Type::Integer(IntegerType { width: 32, signed: true });

/// The program in which the calls of some functions by each other are a loop of the first of them, which stands on its own.
/// Its parameters are those of the first function. Nothing if one of the functions is not called as it is defined.
pub fn circle_of_calls(program: &Program, circle: &[FunctionId]) -> Option<Nested> {
    let first = *circle.first()?;
    let slots = Slots::of(program, circle)?;
    let mut cut = program.clone();
    let mut parts = Vec::new();
    for &function in circle {
        parts.push(cut_calls(cut.functions[function].body_mut()?, circle, &slots)?);
    }
    let mut alone = standalone(&cut);
    let location = program.functions[first].location;
    let mut merged = Merged::new(&slots, alone.functions[first].parameters.len(), location);
    for (place, (&function, part)) in circle.iter().zip(&parts).enumerate() {
        let start = merged.add(alone.functions[function].body()?, part, &slots.of_function[place])?;
        merged.starts.push(start);
    }
    let (body, head) = merged.finish()?;
    alone.functions[first].definition = Definition::Body(Box::new(body));
    Some(Nested { program: alone, head })
}

/// What calls pass on.
struct Slots {
    /// The name and the type of each.
    all: Vec<(String, Type)>,
    /// For each function the slots of its parameters, in order.
    of_function: Vec<Vec<usize>>,
}

impl Slots {
    fn of(program: &Program, circle: &[FunctionId]) -> Option<Self> {
        let mut keys: Vec<(usize, Type)> = Vec::new();
        let (mut all, mut of_function) = (Vec::new(), Vec::new());
        for &function in circle {
            if program.functions[function].variadic {
                return None;
            }
            let body = program.functions[function].body()?;
            let mut own = Vec::new();
            for (position, &parameter) in body.parameters.iter().enumerate() {
                let Variable { name, ty, .. } = &body.variables[parameter];
                let known = keys.iter().position(|key| *key == (position, *ty));
                own.push(known.unwrap_or_else(|| {
                    keys.push((position, *ty));
                    all.push((name.clone(), *ty));
                    keys.len() - 1
                }));
            }
            of_function.push(own);
        }
        Some(Self { all, of_function })
    }
}

/// What was put into a function: the blocks that lead into a nested call, the variables that stand for the slots, and the
/// one for the called function.
struct Part {
    enters: Vec<BlockId>,
    slots: Vec<VariableId>,
    which: VariableId,
}

/// Makes a choice of each call of one of the functions.
fn cut_calls(body: &mut Body, circle: &[FunctionId], slots: &Slots) -> Option<Part> {
    let slot_variables = slots.all.iter().map(|(name, ty)| new_variable(body, name.clone(), *ty)).collect();
    let which = new_variable(body, String::from("which"), WHICH);
    let mut part = Part { enters: Vec::new(), slots: slot_variables, which };
    let called = |statement: &Statement| match statement.kind {
        StatementKind::Call { callee: Callee::Function(callee), .. } => {
            circle.iter().position(|one| *one == callee)
        }
        _ => None,
    };
    let mut left: Vec<BlockId> = body.blocks.ids().collect();
    while let Some(block) = left.pop() {
        let statements = body.blocks[block].statements.iter();
        let Some((place, callee)) =
            statements.enumerate().find_map(|(place, one)| Some((place, called(one)?)))
        else {
            continue;
        };
        let statement = &body.blocks[block].statements[place];
        let StatementKind::Call { arguments, .. } = &statement.kind else { return None };
        let (arguments, location) = (arguments.clone(), statement.location);
        let own = &slots.of_function[callee];
        if arguments.len() != own.len() {
            return None;
        }
        let mut enter = Vec::new();
        for (&slot, &value) in own.iter().zip(&arguments) {
            if body.expressions[value].ty != slots.all[slot].1 {
                return None;
            }
            let kind = StatementKind::Assign { target: part.slots[slot], value };
            enter.push(Statement { kind, location });
        }
        let value = body.integer(WHICH, i128::try_from(callee).ok()?);
        enter.push(Statement { kind: StatementKind::Assign { target: which, value }, location });
        let (enter, after) = choice(body, block, place, enter, Terminator::Unreachable)?;
        part.enters.push(enter);
        left.push(after);
    }
    Some(part)
}

fn new_variable(body: &mut Body, name: String, ty: Type) -> VariableId {
    // A temporary moves no pointer: that is assumed of the caller's variables, not of what it passes on.
    let (origin, location) = (Origin::Temporary, Location::unknown());
    body.variables.push(Variable { name, ty, origin, scope: None, location })
}

/// The function that is made of all.
struct Merged {
    body: Body,
    slots: Vec<VariableId>,
    which: VariableId,
    head: BlockId,
    location: Location,
    /// Where each of the functions begins.
    starts: Vec<BlockId>,
}

impl Merged {
    fn new(slots: &Slots, parameters: usize, location: Location) -> Self {
        let mut body = Body {
            parameters: Vec::new(),
            variables: Arena::new(),
            locals: Arena::new(),
            scopes: Arena::new(),
            expressions: Arena::new(),
            blocks: Arena::new(),
        };
        let make = |body: &mut Body, name: &str, ty: Type, origin: Origin| {
            body.variables.push(Variable { name: name.to_owned(), ty, origin, scope: None, location })
        };
        let all = slots.all.iter();
        let own: Vec<VariableId> =
            all.map(|(name, ty)| make(&mut body, name, *ty, Origin::Parameter)).collect();
        let which = make(&mut body, "which", WHICH, Origin::Source);
        // The slots of the first function are the first ones, in its order.
        body.parameters = own[..parameters.min(own.len())].to_vec();
        let mut set: Vec<Statement> =
            own[body.parameters.len()..].iter().map(|&slot| any(slot, "a call", location)).collect();
        set.push(any(which, "a call", location));
        let loop_statement = Some(LoopStatement { kind: LoopKind::Do, location });
        let block = |statements: Vec<Statement>, loop_statement| Block {
            statements,
            terminator: Terminator::Unreachable,
            location,
            loop_statement,
        };
        let entry = body.blocks.push(block(set, None));
        let head = body.blocks.push(block(Vec::new(), loop_statement));
        body.blocks[entry].terminator = Terminator::Goto(head);
        Self { body, slots: own, which, head, location, starts: Vec::new() }
    }

    /// Adds a function, and gives the block in which a call of it begins.
    fn add(&mut self, body: &Body, part: &Part, own: &[usize]) -> Option<BlockId> {
        let variables: Vec<VariableId> = body
            .variables
            .iter()
            .map(|(id, variable)| match part.slots.iter().position(|slot| *slot == id) {
                Some(slot) => self.slots[slot],
                None if id == part.which => self.which,
                None => self.body.variables.push(Variable { scope: None, ..variable.clone() }),
            })
            .collect();
        let names =
            Names { variables, expressions: self.body.expressions.len(), blocks: self.body.blocks.len() };
        for (_, expression) in body.expressions.iter() {
            let kind = names.expression(expression.kind)?;
            self.body.expressions.push(Expr { kind, ty: expression.ty });
        }
        for (id, block) in body.blocks.iter() {
            let statements: Option<Vec<Statement>> =
                block.statements.iter().map(|one| names.statement(one)).collect();
            let terminator = match part.enters.contains(&id) {
                true => Terminator::Goto(self.head),
                false => names.terminator(&block.terminator),
            };
            self.body.blocks.push(Block { statements: statements?, terminator, ..block.clone() });
        }
        Some(self.start(body, &names, part, own))
    }

    /// The block that makes a call: nothing is known of the variables but of the parameters.
    fn start(&mut self, body: &Body, names: &Names, part: &Part, own: &[usize]) -> BlockId {
        let location = self.location;
        let is_shared = |id: &VariableId| part.slots.contains(id) || *id == part.which;
        let locals = body.variables.ids().filter(|id| !is_shared(id) && !body.parameters.contains(id));
        let mut statements: Vec<Statement> =
            locals.map(|id| any(names.variables[id.index()], "another call", location)).collect();
        for (&parameter, &slot) in body.parameters.iter().zip(own) {
            let (target, value) = (names.variables[parameter.index()], self.body.read(self.slots[slot]));
            statements.push(Statement { kind: StatementKind::Assign { target, value }, location });
        }
        let terminator = Terminator::Goto(names.block(body.entry()));
        self.body.blocks.push(Block { statements, terminator, location, loop_statement: None })
    }

    fn finish(mut self) -> Option<(Body, BlockId)> {
        let (&default, others) = self.starts.split_last()?;
        let case = |(place, &target): (usize, &BlockId)| {
            let number = i128::try_from(place).ok()?;
            Some(Case { low: number, high: number, target })
        };
        let cases: Option<Vec<Case>> = others.iter().enumerate().map(case).collect();
        let value = self.body.read(self.which);
        self.body.blocks[self.head].terminator = Terminator::Switch { value, cases: cases?, default };
        Some((self.body, self.head))
    }
}

/// What the parts of a function are called among all.
struct Names {
    variables: Vec<VariableId>,
    /// How many expressions and blocks came before.
    expressions: usize,
    blocks: usize,
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
        Some(match kind {
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Null => kind,
            ExprKind::Variable(variable) => ExprKind::Variable(self.variable(variable)),
            // Objects and functions are variables when a function stands on its own.
            ExprKind::Object(_) | ExprKind::Function(_) => return None,
            ExprKind::Unary(op, operand) => ExprKind::Unary(op, self.id(operand)),
            ExprKind::Binary(op, left, right) => ExprKind::Binary(op, self.id(left), self.id(right)),
            ExprKind::Overflows(op, left, right) => ExprKind::Overflows(op, self.id(left), self.id(right)),
            ExprKind::Convert(operand) => ExprKind::Convert(self.id(operand)),
            ExprKind::Reinterpret(operand) => ExprKind::Reinterpret(self.id(operand)),
            ExprKind::Offset(pointer, bytes) => ExprKind::Offset(self.id(pointer), self.id(bytes)),
            ExprKind::Difference(left, right) => ExprKind::Difference(self.id(left), self.id(right)),
            ExprKind::Select(condition, then, otherwise) => {
                ExprKind::Select(self.id(condition), self.id(then), self.id(otherwise))
            }
        })
    }

    fn statement(&self, statement: &Statement) -> Option<Statement> {
        let kind = match &statement.kind {
            StatementKind::Assign { target, value } => {
                StatementKind::Assign { target: self.variable(*target), value: self.id(*value) }
            }
            StatementKind::Input { target, name } => {
                StatementKind::Input { target: self.variable(*target), name: name.clone() }
            }
            StatementKind::Assume { condition } => StatementKind::Assume { condition: self.id(*condition) },
            StatementKind::Check(Check::Holds { obligation, condition, note }) => {
                StatementKind::Check(Check::Holds {
                    obligation: *obligation,
                    condition: self.id(*condition),
                    note: note.clone(),
                })
            }
            StatementKind::Unknown { what, target } => StatementKind::Unknown {
                what: what.clone(),
                target: target.map(|target| self.variable(target)),
            },
            _ => return None,
        };
        Some(Statement { kind, location: statement.location })
    }

    fn terminator(&self, terminator: &Terminator) -> Terminator {
        match terminator {
            Terminator::Goto(target) => Terminator::Goto(self.block(*target)),
            Terminator::Branch { condition, then, otherwise } => Terminator::Branch {
                condition: self.id(*condition),
                then: self.block(*then),
                otherwise: self.block(*otherwise),
            },
            Terminator::Switch { value, cases, default } => Terminator::Switch {
                value: self.id(*value),
                cases: cases.iter().map(|case| Case { target: self.block(case.target), ..*case }).collect(),
                default: self.block(*default),
            },
            // The results of all are of no interest, and may have different types.
            Terminator::Return(_) => Terminator::Return(None),
            Terminator::Unreachable => Terminator::Unreachable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(text: &str, names: &[&str]) -> Option<Nested> {
        let program = program::text::parse(text).expect("the test's program parses");
        let circle: Vec<FunctionId> =
            names.iter().map(|name| program.function_named(name).expect("it is there")).collect();
        circle_of_calls(&program, &circle)
    }

    #[test]
    fn calls_lead_to_the_head_by_slots() {
        let text = "data_model LP64
            function even(%n: u32) -> i32 { temporary %t: i32
              b0: if %n == 0:u32 goto b1 else b2
              b1: return 1:i32
              b2: %t := call odd(%n - 1:u32) return %t }
            function odd(%m: u32) -> i32 { temporary %t: i32
              b0: if %m == 0:u32 goto b1 else b2
              b1: return 0:i32
              b2: %t := call even(%m - 1:u32) return %t }";
        let nested = circle(text, &["even", "odd"]).expect("they call each other");
        let first = nested.program.function_named("even").expect("it is there");
        let body = nested.program.functions[first].body().expect("it has a body");
        let back = body.blocks.iter().filter(|(_, block)| block.terminator == Terminator::Goto(nested.head));
        assert_eq!(back.count(), 3, "the entry and two calls");
        let slots = body.variables.iter().filter(|(_, variable)| variable.name == "n").count();
        assert_eq!((body.parameters.len(), slots), (1, 2), "the slot has the name of the first parameter");
    }

    #[test]
    fn calls_that_do_not_fit_are_refused() {
        let text = "data_model LP64
            function a(%n: i32) { b0: call b() return }
            function b(%n: i32) { b0: call a(%n) return }";
        assert!(circle(text, &["a", "b"]).is_none());
    }
}
