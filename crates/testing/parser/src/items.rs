//! Parses programs: first the names of everything at the top, which may be used before they stand, then the rest.

use std::collections::HashMap;

use base::Index;
use program::text::symbols::ORIGINS;
use program::{
    DataModel, Definition, Function, FunctionId, GlobalObject, GlobalVariable, Initial, ObjectId, Origin,
    Pointer, Program, Type, Value, Variable, VariableId,
};

use crate::body::BodyParser;
use crate::cursor::{Constant, Cursor};
use crate::lex::{Name, Token};
use crate::{TextError, words};

/// The program that a text describes.
pub fn program(text: &str) -> Result<Program, TextError> {
    let mut cursor = Cursor::new(text)?;
    let globals = Globals::collect(&mut cursor)?;
    cursor.reset(0);
    let mut program = Program::default();
    while *cursor.peek() != Token::End {
        item(&mut cursor, &globals, &mut program)?;
    }
    Ok(program)
}

/// The names of everything at the top of a program, with the types of its variables.
#[derive(Default)]
pub struct Globals {
    /// Functions by name.
    pub functions: HashMap<Name, FunctionId>,
    /// Objects by name.
    pub objects: HashMap<Name, ObjectId>,
    /// Variables by name.
    pub variables: HashMap<Name, (VariableId, Type)>,
}

impl Globals {
    /// Reads only the starts of declarations: a keyword and a name outside all braces.
    fn collect(cursor: &mut Cursor) -> Result<Self, TextError> {
        let mut globals = Self::default();
        let mut depth = 0usize;
        while *cursor.peek() != Token::End {
            let keyword = cursor.next();
            match &keyword {
                Token::Symbol("{") => depth += 1,
                Token::Symbol("}") => depth = depth.saturating_sub(1),
                Token::Word(word) if depth == 0 => globals.declare(cursor, &word.text)?,
                _ => {}
            }
        }
        Ok(globals)
    }

    fn declare(&mut self, cursor: &mut Cursor, keyword: &str) -> Result<(), TextError> {
        let is_new = match (keyword, cursor.peek().clone()) {
            ("object", Token::Global(name)) => {
                let id = ObjectId::new(self.objects.len());
                self.objects.insert(name, id).is_none()
            }
            ("function" | "external" | "unsupported", Token::Word(_) | Token::Text(..)) => {
                let before = cursor.position();
                let name = cursor.name()?;
                cursor.reset(before);
                let id = FunctionId::new(self.functions.len());
                self.functions.insert(name, id).is_none()
            }
            (_, Token::Global(name)) if words::item(&ORIGINS, keyword).is_some() => {
                let before = cursor.position();
                cursor.next();
                cursor.expect(":")?;
                let ty = cursor.ty()?;
                cursor.reset(before);
                let id = VariableId::global(self.variables.len());
                self.variables.insert(name, (id, ty)).is_none()
            }
            _ => true,
        };
        if is_new { Ok(()) } else { Err(cursor.expected("a new name")) }
    }
}

fn item(cursor: &mut Cursor, globals: &Globals, program: &mut Program) -> Result<(), TextError> {
    if cursor.accept_word("data_model") {
        let models = [DataModel::Lp64, DataModel::Ilp32];
        let model = models.into_iter().find(|model| cursor.accept_word(&model.to_string()));
        program.data_model = model.ok_or_else(|| cursor.expected("LP64 or ILP32"))?;
    } else if cursor.accept_word("world") {
        let mut words = program.world.words();
        let said = words.iter_mut().find(|(word, _)| cursor.accept_word(word));
        let (_, is_so) = said.ok_or_else(|| cursor.expected("a word about the world"))?;
        **is_so = true;
    } else if cursor.accept_word("file") {
        let number = program.files.len();
        if cursor.peek() != &Token::Number(number.to_string()) {
            return Err(cursor.expected(&format!("file number {number}")));
        }
        cursor.next();
        let file = cursor.text()?;
        std::sync::Arc::make_mut(&mut program.files).push(file);
    } else if cursor.accept_word("object") {
        let object = global_object(cursor, globals)?;
        program.objects.push(object);
    } else if let Some(origin) = cursor.accept_item(&ORIGINS) {
        let variable = global_variable(cursor, globals, origin)?;
        program.globals.push(variable);
    } else {
        let keyword =
            ["function", "external", "unsupported"].into_iter().find(|word| cursor.accept_word(word));
        let keyword = keyword.ok_or_else(|| cursor.expected("a declaration"))?;
        let function = function(cursor, globals, program.data_model, keyword)?;
        program.functions.push(function);
    }
    Ok(())
}

fn function(
    cursor: &mut Cursor,
    globals: &Globals,
    model: DataModel,
    keyword: &str,
) -> Result<Function, TextError> {
    let name = cursor.name()?.text;
    let mut variadic = false;
    let (mut parameters, mut parameter_names) = (Vec::new(), Vec::new());
    let mut aggregates = std::collections::BTreeMap::new();
    cursor.expect("(")?;
    cursor.list(")", |cursor| {
        if cursor.accept("...") {
            variadic = true;
            return Ok(());
        }
        if keyword == "function" {
            parameter_names.push(cursor.local_name()?);
            cursor.expect(":")?;
        }
        parameters.push(cursor.ty()?);
        if cursor.accept_word("by_value") {
            aggregates.insert(parameters.len() - 1, cursor.number()?);
        }
        Ok(())
    })?;
    let result = if cursor.accept("->") { Some(cursor.ty()?) } else { None };
    let no_return = cursor.accept_word("noreturn");
    let location = cursor.place();
    let definition = match keyword {
        "external" => Definition::External,
        "unsupported" => {
            cursor.expect_word("because")?;
            let reason = cursor.text()?;
            Definition::Unsupported { reason, location: cursor.place() }
        }
        _ => {
            let named: Vec<(Name, Type)> =
                parameter_names.into_iter().zip(parameters.iter().copied()).collect();
            Definition::Body(Box::new(BodyParser::new(cursor, globals, model).body(named)?))
        }
    };
    Ok(Function { name, location, parameters, aggregates, result, variadic, no_return, definition })
}

fn global_object(cursor: &mut Cursor, globals: &Globals) -> Result<GlobalObject, TextError> {
    let Token::Global(name) = cursor.peek().clone() else { return Err(cursor.expected("a name like $x")) };
    cursor.next();
    cursor.expect(":")?;
    let size = cursor.number()?;
    cursor.expect_word("align")?;
    let alignment = cursor.number()?;
    let writable = !cursor.accept_word("readonly");
    let exported = cursor.accept_word("exported");
    let thread_local = cursor.accept_word("thread_local");
    let element = if cursor.accept_word("of") { Some(cursor.ty()?) } else { None };
    let mut initial = Initial::zero();
    if cursor.accept("=") {
        initial = initial_bytes(cursor)?;
    }
    if cursor.accept_word("pointers") {
        let mut found = Vec::new();
        cursor.expect("{")?;
        cursor.list("}", |cursor| {
            let offset = cursor.number()?;
            cursor.expect(":")?;
            found.push((offset, pointer(cursor, globals)?));
            Ok(())
        })?;
        if let Initial::Bytes { pointers, .. } = &mut initial {
            *pointers = found;
        }
    }
    let fields = cursor.fields()?;
    let location = cursor.place();
    let name = name.text;
    Ok(GlobalObject {
        name,
        size,
        alignment,
        writable,
        exported,
        thread_local,
        initial,
        location,
        element,
        fields,
    })
}

fn initial_bytes(cursor: &mut Cursor) -> Result<Initial, TextError> {
    let bytes = match cursor.peek().clone() {
        Token::Text(bytes, None) | Token::Bytes(bytes) => bytes,
        Token::Word(word) if word.text == "unknown" => {
            cursor.next();
            return Ok(Initial::Unknown);
        }
        _ => return Err(cursor.expected("bytes or \"unknown\"")),
    };
    cursor.next();
    Ok(Initial::Bytes { bytes, pointers: Vec::new() })
}

fn pointer(cursor: &mut Cursor, globals: &Globals) -> Result<Pointer, TextError> {
    if cursor.accept_word("function") {
        return Ok(Pointer::Function(cursor.function_in_parentheses(globals)?));
    }
    let object = cursor.global_object(globals)?;
    let negative = *cursor.peek() == Token::Symbol("-");
    if !negative && *cursor.peek() != Token::Symbol("+") {
        return Ok(Pointer::Object(object, 0));
    }
    cursor.next();
    let magnitude: u64 = cursor.number()?;
    let offset = if negative { 0i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() };
    Ok(Pointer::Object(object, offset.ok_or_else(|| cursor.error("expected an offset of 64 bits"))?))
}

fn global_variable(
    cursor: &mut Cursor,
    globals: &Globals,
    origin: Origin,
) -> Result<GlobalVariable, TextError> {
    let Token::Global(name) = cursor.peek().clone() else { return Err(cursor.expected("a name like $x")) };
    cursor.next();
    cursor.expect(":")?;
    let ty = cursor.ty()?;
    cursor.expect("=")?;
    let initial = match cursor.peek() {
        Token::Word(word) if word.text == "unknown" => {
            cursor.next();
            Value::Unknown
        }
        Token::Word(word) if word.text == "null" => {
            cursor.next();
            Value::Null
        }
        Token::Word(word) if word.text == "function" => Value::Pointer(pointer(cursor, globals)?),
        Token::GlobalAddress(_) => Value::Pointer(pointer(cursor, globals)?),
        _ => match cursor.constant()? {
            (Constant::Integer(value), _) => Value::Integer(value),
            (Constant::Float(bits), _) => Value::Float(bits),
        },
    };
    let exported = cursor.accept_word("exported");
    let scope = cursor.scope()?;
    let location = cursor.place();
    let variable = Variable { name: name.text, ty, origin, scope, location };
    Ok(GlobalVariable { variable, exported, initial })
}
