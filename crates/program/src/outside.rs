//! The world outside a program: what it can reach, and what it may have changed.
//!
//! A program is *closed* if its `main` is here, everything that it calls is defined or has a model, and no address comes
//! from outside. Every other program is *open*: other units may hold the addresses of what it exports, and change it
//! whenever control leaves the program.
//!
//! Whoever enters a function that is not where the program starts may have called other functions before. So its
//! variables and objects hold anything then that somebody can have written to them ([`Changeable`]).

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::expression::{ExprId, ExprKind, ObjectRef, VariableId};
use crate::function::{Body, Definition};
use crate::interpret::{is_library_function, is_library_object};
use crate::program::{FunctionId, Initial, ObjectId, Pointer, Program, Value};
use crate::statement::{CHOSEN_BY_COMPILER, Callee, Check, ORDER_OF_FAILURES, StatementKind};
use crate::types::Type;

/// How a program is connected with the world outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct World {
    /// Code or addresses from outside may reach what the program exports.
    pub open: bool,
    /// The program or its surroundings may change the direction in which floating point numbers are rounded.
    pub rounding: bool,
    /// Allocation may fail whatever its size is.
    pub failing_allocation: bool,
    /// The program may be started with no words at all, not even its name.
    pub empty_command_line: bool,
    /// Somebody says that there is no code outside: the program counts as closed.
    pub closed_by_user: bool,
    /// Volatile objects count as ordinary memory.
    pub ordinary_volatile: bool,
}

impl World {
    /// The words of the text form, and what they say.
    pub fn words(&mut self) -> [(&'static str, &mut bool); 6] {
        [
            ("open", &mut self.open),
            ("rounding", &mut self.rounding),
            ("failing_allocation", &mut self.failing_allocation),
            ("empty_command_line", &mut self.empty_command_line),
            ("closed_by_user", &mut self.closed_by_user),
            ("ordinary_volatile", &mut self.ordinary_volatile),
        ]
    }
}

/// What other code may have written to before a function is entered, or while it does not look.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Changeable {
    /// Variables that live as long as the program.
    pub globals: BTreeSet<VariableId>,
    /// Objects that live as long as the program.
    pub objects: BTreeSet<ObjectId>,
}

/// The function that C programs start in.
pub const START: &str = "main";

/// Whether a program starts in a function.
pub fn is_start(program: &Program, function: FunctionId) -> bool {
    program.functions[function].name == START
}

/// Whether nobody has changed anything before a function is entered: a closed program starts there. Constructors of other
/// files run before the `main` of an open one.
pub fn starts_fresh(program: &Program, function: FunctionId) -> bool {
    is_start(program, function) && !program.world.open
}

/// Whether the world outside can reach what a program exports.
pub fn is_open(program: &Program) -> bool {
    let is_started =
        program.function_named(START).is_some_and(|main| program.functions[main].body().is_some());
    !is_started || program.bodies().any(|body| leads_outside(program, body))
}

/// Whether a body calls or names what is not here, or makes addresses of numbers.
fn leads_outside(program: &Program, body: &Body) -> bool {
    let is_outside = |function: FunctionId| {
        let function = &program.functions[function];
        match function.definition {
            Definition::Body(_) => false,
            Definition::Unsupported { .. } => true,
            Definition::External => !function.no_return && !is_library_function(&function.name),
        }
    };
    let names_outside = body.expressions.values().any(|expression| match expression.kind {
        ExprKind::Function(function) => is_outside(function),
        ExprKind::Object(ObjectRef::Global(object)) => {
            let object = &program.objects[object];
            object.initial == Initial::Unknown && object.exported && !is_library_object(&object.name)
        }
        // A constant address is a device's, not that of a variable.
        ExprKind::Convert(number) => {
            expression.ty == Type::Pointer
                && matches!(body.type_of(number), Type::Integer(_))
                && body.constant(number).is_none()
        }
        _ => false,
    });
    let does_outside = |kind: &StatementKind| match kind {
        StatementKind::Call { callee: Callee::Function(function), .. } => is_outside(*function),
        StatementKind::Input { target, .. } => program.variable(body, *target).ty == Type::Pointer,
        StatementKind::Unknown { .. } => true,
        _ => false,
    };
    names_outside || body.statements().any(|statement| does_outside(&statement.kind))
}

impl Changeable {
    /// What can be changed in a program.
    pub fn of(program: &Program) -> Self {
        // What a function does that could not be represented is not known.
        let is_blind = program
            .functions
            .values()
            .any(|function| matches!(function.definition, Definition::Unsupported { .. }));
        let mut found = Self::default();
        for (place, global) in program.globals.iter().enumerate() {
            if is_blind || global.initial == Value::Unknown || (program.world.open && global.exported) {
                found.globals.insert(VariableId::global(place));
            }
        }
        for (id, object) in program.objects.iter().filter(|(_, object)| object.writable) {
            if is_blind || object.initial == Initial::Unknown || (program.world.open && object.exported) {
                found.objects.insert(id);
            }
            if let Initial::Bytes { pointers, .. } = &object.initial {
                let targets = pointers.iter().filter_map(|(_, pointer)| target(*pointer));
                found.objects.extend(targets.filter(|target| program.objects[*target].writable));
            }
        }
        let values = program.globals.iter().filter_map(|global| match global.initial {
            Value::Pointer(pointer) => target(pointer),
            _ => None,
        });
        found.objects.extend(values.filter(|target| program.objects[*target].writable));
        for body in program.bodies() {
            found.add_written(program, body);
        }
        found
    }

    /// Adds what a body assigns, and the objects whose addresses it uses for more than reading.
    fn add_written(&mut self, program: &Program, body: &Body) {
        let mut written: Vec<ExprId> = Vec::new();
        for statement in body.statements() {
            self.globals.extend(statement.kind.target().filter(|target| target.is_global()));
            match &statement.kind {
                StatementKind::Load { pointer, .. } => written.extend(index(body, *pointer)),
                StatementKind::Copy { destination, source, size } => {
                    written.extend([*destination, *size]);
                    written.extend(index(body, *source));
                }
                StatementKind::Check(
                    Check::Readable { .. } | Check::Accessible { .. } | Check::Terminated { .. },
                ) => {}
                kind => kind.visit_operands(|operand| written.push(operand)),
            }
        }
        written.extend(body.blocks.values().filter_map(|block| block.terminator.operand()));
        let mut seen = BTreeSet::new();
        while let Some(id) = written.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let ExprKind::Object(ObjectRef::Global(object)) = body.expressions[id].kind
                && program.objects[object].writable
            {
                self.objects.insert(object);
            }
            written.extend(body.expressions[id].operands());
        }
    }
}

/// What a pointer is computed from besides the object that it starts in.
fn index(body: &Body, pointer: ExprId) -> Vec<ExprId> {
    match body.expressions[pointer].kind {
        ExprKind::Object(_) => Vec::new(),
        ExprKind::Offset(base, bytes) => {
            let mut rest = index(body, base);
            rest.push(bytes);
            rest
        }
        _ => vec![pointer],
    }
}

fn target(pointer: Pointer) -> Option<ObjectId> {
    match pointer {
        Pointer::Object(object, _) => Some(object),
        Pointer::Function(_) => None,
    }
}

/// Lets only the program itself change volatile objects: what is read from one is what it holds.
pub fn take_volatile_for_memory(program: &mut Program) {
    program.world.ordinary_volatile = true;
    let is_chosen = |name: &str| [ORDER_OF_FAILURES, CHOSEN_BY_COMPILER].contains(&name);
    assign_volatile(program, |name| !name.is_some_and(is_chosen));
}

/// The program in which all that may go wrong does so in the usual order of evaluation. A query about anything else
/// than what goes wrong and what ends has the same answer there.
pub fn in_usual_order(program: &Program) -> Cow<'_, Program> {
    let has_order = |body: &Body| {
        body.statements().any(|statement| match statement.kind {
            StatementKind::Volatile { target, .. } => {
                !target.is_global() && body.variables[target].name == ORDER_OF_FAILURES
            }
            _ => false,
        })
    };
    if !program.bodies().any(has_order) {
        return Cow::Borrowed(program);
    }
    let mut usual = program.clone();
    assign_volatile(&mut usual, |name| name == Some(ORDER_OF_FAILURES));
    Cow::Owned(usual)
}

/// Makes assignments of the volatile reads into variables of some names; a global variable has none here.
fn assign_volatile(program: &mut Program, chosen: impl Fn(Option<&str>) -> bool) {
    for body in program.bodies_mut() {
        for (_, block) in body.blocks.iter_mut() {
            for statement in &mut block.statements {
                let StatementKind::Volatile { target, value } = statement.kind else { continue };
                let name = (!target.is_global()).then(|| body.variables[target].name.as_str());
                if chosen(name) {
                    statement.kind = StatementKind::Assign { target, value };
                }
            }
        }
    }
}

/// The program in which other functions may have been called before runs start.
pub fn entered_anytime(program: &Program) -> Program {
    let changeable = Changeable::of(program);
    let mut entered = program.clone();
    for &variable in &changeable.globals {
        if let Some(global) = entered.globals.get_mut(base::Index::index(variable)) {
            global.initial = Value::Unknown;
        }
    }
    for &object in &changeable.objects {
        entered.objects[object].initial = Initial::Unknown;
    }
    entered
}
