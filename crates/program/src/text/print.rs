//! Prints programs and functions, and knows how everything in them is called.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::rc::Rc;

use base::{Index, Location};

use super::expression::large_expressions;
use super::literal::{self, place};
use super::symbols::{self, ORIGINS};
use crate::expression::{ExprId, VariableId};
use crate::function::{Body, Definition, FieldName, Function, LocalId, Origin, ScopeId, Variable};
use crate::program::{FunctionId, GlobalObject, GlobalVariable, Initial, ObjectId, Pointer, Program, Value};

/// The text of a program.
pub fn print(program: &Program) -> String {
    let names = Rc::new(GlobalNames::new(program));
    let mut out = format!("data_model {}\n", program.data_model);
    let mut world = program.world;
    for (word, is_so) in world.words() {
        if *is_so {
            let _ = writeln!(out, "world {word}");
        }
    }
    for (id, file) in program.files.iter() {
        let _ = writeln!(out, "file {} {}", id.index(), literal::quoted(file));
    }
    for (id, object) in program.objects.iter() {
        global_object(&mut out, program, &names, id, object);
    }
    for (index, global) in program.globals.iter().enumerate() {
        global_variable(&mut out, program, &names, index, global);
    }
    for (id, function) in program.functions.iter() {
        one_function(&mut out, program, &names, id, function);
    }
    out
}

/// The text of one function.
pub fn print_function(program: &Program, id: FunctionId) -> String {
    let mut out = String::new();
    if let Some(function) = program.functions.get(id) {
        one_function(&mut out, program, &Rc::new(GlobalNames::new(program)), id, function);
    }
    out
}

/// Prints parts of one body: expressions, statements, names.
#[derive(Debug)]
pub struct Printer<'a> {
    pub(super) program: &'a Program,
    pub(super) body: &'a Body,
    globals: Rc<GlobalNames<'a>>,
    repeated_variables: HashSet<&'a str>,
    repeated_locals: HashSet<&'a str>,
    large: Vec<bool>,
    /// The large expressions that have got their names.
    pub(super) labels: HashMap<ExprId, usize>,
}

/// The names of the program that are not the only ones of their kind.
#[derive(Debug)]
struct GlobalNames<'a> {
    functions: HashSet<&'a str>,
    objects: HashSet<&'a str>,
    variables: HashSet<&'a str>,
}

impl<'a> GlobalNames<'a> {
    fn new(program: &'a Program) -> Self {
        Self {
            functions: repeated(program.functions.values().map(|function| function.name.as_str())),
            objects: repeated(program.objects.values().map(|object| object.name.as_str())),
            variables: repeated(program.globals.iter().map(|global| global.variable.name.as_str())),
        }
    }

    fn function(&self, program: &Program, id: FunctionId) -> String {
        match program.functions.get(id) {
            Some(function) => named(&self.functions, &function.name, id.index()),
            None => format!("<{id}>"),
        }
    }

    fn object(&self, program: &Program, id: ObjectId) -> String {
        match program.objects.get(id) {
            Some(object) => named(&self.objects, &object.name, id.index()),
            None => format!("<{id}>"),
        }
    }

    fn pointer(&self, program: &Program, pointer: Pointer) -> String {
        match pointer {
            Pointer::Function(function) => format!("function({})", self.function(program, function)),
            Pointer::Object(object, offset) => {
                let sign = if offset < 0 { '-' } else { '+' };
                let object = self.object(program, object);
                if offset == 0 {
                    format!("&${object}")
                } else {
                    format!("&${object} {sign} {}", offset.unsigned_abs())
                }
            }
        }
    }
}

fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> HashSet<&'a str> {
    let mut seen = HashSet::new();
    names.filter(|name| !seen.insert(*name)).collect()
}

fn named(repeated: &HashSet<&str>, name: &str, index: usize) -> String {
    literal::name(name, repeated.contains(name).then_some(index))
}

impl<'a> Printer<'a> {
    /// A printer for a body of a program.
    pub fn new(program: &'a Program, body: &'a Body) -> Self {
        Self::with(program, body, Rc::new(GlobalNames::new(program)))
    }

    fn with(program: &'a Program, body: &'a Body, globals: Rc<GlobalNames<'a>>) -> Self {
        Self {
            program,
            body,
            globals,
            repeated_variables: repeated(body.variables.values().map(|variable| variable.name.as_str())),
            repeated_locals: repeated(body.locals.values().map(|local| local.name.as_str())),
            large: large_expressions(body),
            labels: HashMap::new(),
        }
    }

    /// A variable of the body or of the program: `%i`, `$count`.
    pub fn variable(&self, id: VariableId) -> String {
        let index = id.index();
        if id.is_global() {
            return match self.program.globals.get(index) {
                Some(global) => format!("${}", named(&self.globals.variables, &global.variable.name, index)),
                None => format!("<{id:?}>"),
            };
        }
        match self.body.variables.get(id) {
            Some(variable) => format!("%{}", named(&self.repeated_variables, &variable.name, index)),
            None => format!("<{id:?}>"),
        }
    }

    /// A local object of the body.
    pub fn local(&self, id: LocalId) -> String {
        match self.body.locals.get(id) {
            Some(local) => named(&self.repeated_locals, &local.name, id.index()),
            None => format!("<{id}>"),
        }
    }

    /// An object of the program.
    pub fn object(&self, id: ObjectId) -> String {
        self.globals.object(self.program, id)
    }

    /// A function of the program.
    pub fn function(&self, id: FunctionId) -> String {
        self.globals.function(self.program, id)
    }

    pub(super) fn is_large(&self, id: ExprId) -> bool {
        self.large.get(id.index()).copied().unwrap_or(false)
    }

    fn body(&mut self, out: &mut String, declares_parameters: bool) {
        self.declarations(out, declares_parameters);
        let body = self.body;
        for (id, block) in body.blocks.iter() {
            let _ = write!(out, "{id}:");
            if let Some(statement) = block.loop_statement {
                let _ = write!(out, " loop {}{}", statement.kind, place(statement.location));
            }
            if let Some(location) = block.body_of {
                let _ = write!(out, " body{}", place(location));
            }
            out.push('\n');
            for statement in &block.statements {
                for operand in statement.kind.operands() {
                    self.definitions(out, operand);
                }
                let _ = writeln!(out, "  {}{}", self.statement(statement), place(statement.location));
            }
            if let Some(operand) = block.terminator.operand() {
                self.definitions(out, operand);
            }
            let _ = writeln!(out, "  {}{}", self.terminator(&block.terminator), place(block.location));
        }
    }

    fn declarations(&self, out: &mut String, declares_parameters: bool) {
        for (id, scope) in self.body.scopes.iter() {
            let _ = writeln!(out, "  scope s{}{}{}", id.index(), within(scope.parent), place(scope.location));
        }
        let skipped = if declares_parameters { 0 } else { self.body.parameters.len() };
        for (id, variable) in self.body.variables.iter().skip(skipped) {
            let _ = writeln!(out, "  {}", declaration(variable, &self.variable(id), ""));
        }
        for (id, object) in self.body.locals.iter() {
            let size = object.size.map_or_else(|| String::from("unsized"), |size| size.to_string());
            let _ = write!(out, "  object {}: {size} align {}", self.local(id), object.alignment);
            let (fields, within, place) =
                (fields(&object.fields), within(object.scope), place(object.location));
            let _ = writeln!(out, "{fields}{within}{place}");
        }
    }

    /// Writes the definitions of the large expressions that this one needs and that have no name yet, innermost first.
    fn definitions(&mut self, out: &mut String, root: ExprId) {
        let mut stack = Vec::new();
        if self.is_large(root) {
            stack.push((root, false));
        } else {
            self.large_below(root, |below| stack.push((below, false)));
            stack.reverse();
        }
        while let Some((id, operands_are_done)) = stack.pop() {
            if self.labels.contains_key(&id) {
                continue;
            }
            if operands_are_done {
                let label = self.labels.len();
                let _ = writeln!(out, "  let #{label} = {}", self.expression(id));
                self.labels.insert(id, label);
                continue;
            }
            stack.push((id, true));
            let first = stack.len();
            self.large_below(id, |below| stack.push((below, false)));
            stack[first..].reverse();
        }
    }

    /// The nearest large expressions under this one, from left to right.
    fn large_below(&self, root: ExprId, mut found: impl FnMut(ExprId)) {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if id != root && self.is_large(id) {
                found(id);
                continue;
            }
            let first = stack.len();
            let operands = self.body.expressions.get(id).into_iter().flat_map(|expr| expr.operands());
            stack.extend(operands.filter(|operand| *operand < id));
            stack[first..].reverse();
        }
    }
}

fn one_function<'a>(
    out: &mut String,
    program: &'a Program,
    names: &Rc<GlobalNames<'a>>,
    id: FunctionId,
    function: &'a Function,
) {
    let name = names.function(program, id);
    let (keyword, body) = match &function.definition {
        Definition::Body(body) => ("function", Some(Printer::with(program, body, Rc::clone(names)))),
        Definition::External => ("external", None),
        Definition::Unsupported { .. } => ("unsupported", None),
    };
    let mut parameters: Vec<String> = function.parameters.iter().map(ToString::to_string).collect();
    if let Some(printer) = &body {
        for (text, variable) in parameters.iter_mut().zip(&printer.body.parameters) {
            *text = format!("{}: {text}", printer.variable(*variable));
        }
    }
    for (&place, size) in &function.aggregates {
        if let Some(parameter) = parameters.get_mut(place) {
            let _ = write!(parameter, " by_value {size}");
        }
    }
    if function.variadic {
        parameters.push(String::from("..."));
    }
    let _ = write!(out, "{keyword} {name}({})", parameters.join(", "));
    if let Some(result) = function.result {
        let _ = write!(out, " -> {result}");
    }
    if function.no_return {
        out.push_str(" noreturn");
    }
    out.push_str(&place(function.location));
    if let Definition::Unsupported { reason, location } = &function.definition {
        let _ = write!(out, " because {}{}", literal::quoted(reason), place(*location));
    }
    if let Some(mut printer) = body {
        out.push_str(" {\n");
        let declares_parameters = !head_declares_parameters(function, printer.body);
        printer.body(out, declares_parameters);
        out.push('}');
    }
    out.push('\n');
}

/// Whether the function's head says all there is to say about its parameters.
fn head_declares_parameters(function: &Function, body: &Body) -> bool {
    let is_plain = |(index, id): (usize, &VariableId)| {
        *id == VariableId::new(index)
            && body.variables.get(*id).is_some_and(|variable| {
                variable.origin == Origin::Parameter
                    && variable.scope.is_none()
                    && variable.location == Location::unknown()
                    && function.parameters.get(index) == Some(&variable.ty)
            })
    };
    body.parameters.iter().enumerate().all(is_plain)
}

fn within(scope: Option<ScopeId>) -> String {
    scope.map_or_else(String::new, |scope| format!(" in s{}", scope.index()))
}

fn fields(fields: &[FieldName]) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let field =
        |field: &FieldName| format!("{}: {} at {}", literal::name(&field.name, None), field.ty, field.offset);
    format!(" fields {{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
}

fn declaration(variable: &Variable, name: &str, initial: &str) -> String {
    let keyword = symbols::name(&ORIGINS, variable.origin).unwrap_or("?");
    let (within, place) = (within(variable.scope), place(variable.location));
    format!("{keyword} {name}: {}{initial}{within}{place}", variable.ty)
}

fn global_object(
    out: &mut String,
    program: &Program,
    names: &GlobalNames<'_>,
    id: ObjectId,
    object: &GlobalObject,
) {
    let _ = write!(out, "object ${}: {} align {}", names.object(program, id), object.size, object.alignment);
    if !object.writable {
        out.push_str(" readonly");
    }
    if object.exported {
        out.push_str(" exported");
    }
    if object.thread_local {
        out.push_str(" thread_local");
    }
    if let Some(element) = object.element {
        let _ = write!(out, " of {element}");
    }
    match &object.initial {
        Initial::Unknown => out.push_str(" = unknown"),
        Initial::Bytes { bytes, pointers } => {
            if !bytes.is_empty() {
                let _ = write!(out, " = {}", literal::bytes(bytes));
            }
            if !pointers.is_empty() {
                let entry = |(offset, pointer): &(u64, Pointer)| {
                    format!("{offset}: {}", names.pointer(program, *pointer))
                };
                let entries: Vec<String> = pointers.iter().map(entry).collect();
                let _ = write!(out, " pointers {{ {} }}", entries.join(", "));
            }
        }
    }
    let _ = writeln!(out, "{}{}", fields(&object.fields), place(object.location));
}

fn global_variable(
    out: &mut String,
    program: &Program,
    names: &GlobalNames<'_>,
    index: usize,
    global: &GlobalVariable,
) {
    let variable = &global.variable;
    let value = match global.initial {
        Value::Integer(value) => literal::typed_integer(variable.ty, value),
        Value::Float(bits) => literal::typed_float(variable.ty, bits),
        Value::Null => String::from("null"),
        Value::Pointer(pointer) => names.pointer(program, pointer),
        Value::Unknown => String::from("unknown"),
    };
    let exported = if global.exported { " exported" } else { "" };
    let name = format!("${}", named(&names.variables, &variable.name, index));
    let _ = writeln!(out, "{}", declaration(variable, &name, &format!(" = {value}{exported}")));
}
