//! What the tree of declarations says about annotations: which function or loop each is about, and what attributes promise.

use std::collections::{HashMap, HashSet};

use program::annotation::{Access, AccessMode, Promises};
use rucc_ast::{
    ArraySize, Ast, AttrArg, AttrList, Attribute, BinaryOp, Decl, DeclId, DeclSpecsId, DeclaratorId, Derived,
    Expr, ExprId, Member, Param, Printer, TypeSpec, UnaryOp,
};
use rucc_base::{Interner, Symbol};
use rucc_diag::{BytePos, SourceMap, Span};

use super::{About, Anchor, Macros, Note, Noted};

/// Enumerators whose values nest deeper are not worked out.
const DEEPEST: u32 = 50;

/// What attributes and lengths of arrays say.
#[derive(Default)]
pub(crate) struct Declared {
    /// Of functions, by their names: all declarations of one together.
    pub functions: HashMap<Symbol, Declaration>,
    /// Enumerators outside functions, with their values if they are easy to work out.
    pub enumerators: HashMap<Symbol, Option<i128>>,
    /// Of members of structures, which member counts their elements. A structure is known by its members.
    pub counted: HashMap<Vec<Option<Symbol>>, Vec<(Symbol, Symbol)>>,
}

/// What is declared of a function.
#[derive(Clone, Default)]
pub(crate) struct Declaration {
    /// What attributes promise of it.
    pub promises: Promises,
    /// Its parameters.
    pub parameters: Vec<Promise>,
}

/// What is declared of a parameter besides its type.
#[derive(Clone, Default)]
pub(crate) struct Promise {
    /// Its name.
    pub name: Option<Symbol>,
    /// Whether it is not null.
    pub nonnull: bool,
    /// What happens to what it points to.
    pub access: Option<Access>,
    /// How many elements it points to, where that stands, and whether it is promised.
    pub length: Option<(String, Span, bool)>,
}

impl Noted {
    /// Finds out what the notes are about, and what the declarations of the project's own files say.
    pub fn of(notes: Vec<Note>, macros: Macros, ast: &Ast, names: &Interner, sources: &SourceMap) -> Self {
        let mut declared = Declared::default();
        let mut headers = Vec::new();
        for &decl in ast.top_level() {
            let span = ast.decl_span(decl);
            let (specs, single) = match &ast[decl] {
                Decl::Function { specs, declarator, .. } => {
                    let reader = Reader { ast, names };
                    reader.function(&mut declared, *specs, *declarator, &[ast[*specs].attrs], sources);
                    (*specs, Some(*declarator))
                }
                Decl::Var { specs, declarators } => {
                    let reader = Reader { ast, names };
                    for one in &ast[*declarators] {
                        let attributes = [ast[*specs].attrs, one.attrs];
                        reader.function(&mut declared, *specs, one.declarator, &attributes, sources);
                    }
                    let single = ast[*declarators].first().filter(|_| ast[*declarators].len() == 1);
                    (*specs, single.map(|one| one.declarator))
                }
                _ => continue,
            };
            Reader { ast, names }.counted(&mut declared, specs);
            Reader { ast, names }.enumerators(&mut declared, specs);
            if let Some((name, parameters)) = single.and_then(|declarator| header(ast, declarator)) {
                headers.push((span, name, parameters));
            }
        }
        // What an enumerator of a function hides has two meanings.
        let top: HashSet<DeclId> = ast.top_level().iter().copied().collect();
        let count = if notes.is_empty() { 0 } else { ast.counts().decls };
        let inner = (0..count).map(DeclId::from_usize).filter(|decl| !top.contains(decl));
        for decl in inner {
            if let Decl::Var { specs, .. } = ast[decl]
                && let TypeSpec::Enum { enumerators: Some(enumerators), .. } = ast[specs].ty
            {
                ast[enumerators].iter().for_each(|one| _ = declared.enumerators.insert(one.name, None));
            }
        }
        let about = |anchor| match anchor {
            Anchor::Loop(place) => About::Loop(place),
            Anchor::Nothing(why) => About::Nothing(why),
            Anchor::Next(place) => match headers.iter().find(|(span, ..)| span.lo == place) {
                Some((_, name, parameters)) => About::Function(*name, parameters.clone()),
                // Whether a loop begins there is known when loops are.
                None => About::Loop(place),
            },
            Anchor::Around(place) => {
                match headers.iter().find(|(span, ..)| span.lo <= place && place <= span.hi) {
                    Some((_, name, parameters)) => About::Function(*name, parameters.clone()),
                    None => About::Nothing("no function is declared around it"),
                }
            }
        };
        let mut notes: Vec<(Note, About)> = notes
            .into_iter()
            .map(|note| (note.anchor, note))
            .map(|(anchor, note)| (note, about(anchor)))
            .collect();
        let place = |note: &Note| note.places.first().map_or(0, |(_, place): &(usize, BytePos)| *place);
        notes.sort_by_key(|(note, _)| place(note));
        Self { notes, declared, macros }
    }
}

/// The name and the parameters of a function that a declarator declares.
fn header(ast: &Ast, declarator: DeclaratorId) -> Option<(Symbol, Vec<Option<Symbol>>)> {
    let name = ast[declarator].name?;
    let parameters = parameters(ast, declarator)?;
    Some((name, parameters.iter().map(|parameter| ast[parameter.declarator].name).collect()))
}

fn parameters(ast: &Ast, declarator: DeclaratorId) -> Option<&[Param]> {
    match ast[ast[declarator].derived].first()? {
        Derived::Function { params, .. } => Some(&ast[*params]),
        _ => None,
    }
}

struct Reader<'a> {
    ast: &'a Ast,
    names: &'a Interner,
}

impl Reader<'_> {
    /// Adds what a declaration of a function says.
    fn function(
        &self,
        declared: &mut Declared,
        specs: DeclSpecsId,
        declarator: DeclaratorId,
        attributes: &[AttrList],
        sources: &SourceMap,
    ) {
        let ast = self.ast;
        let is_typedef = matches!(ast[specs].storage, Some(rucc_ast::StorageClass::Typedef));
        let (Some(name), Some(parameters)) = (ast[declarator].name, parameters(ast, declarator)) else {
            return;
        };
        if is_typedef || sources.is_system(ast[declarator].name_span.lo) {
            return;
        }
        let declaration = declared.functions.entry(name).or_default();
        if declaration.parameters.len() < parameters.len() {
            declaration.parameters.resize_with(parameters.len(), Promise::default);
        }
        for (promise, parameter) in declaration.parameters.iter_mut().zip(parameters) {
            self.parameter(promise, parameter);
        }
        for attribute in attributes.iter().flat_map(|&list| &ast[list]) {
            self.attribute(declaration, attribute);
        }
    }

    fn parameter(&self, promise: &mut Promise, parameter: &Param) {
        let declarator = &self.ast[parameter.declarator];
        promise.name = declarator.name.or(promise.name);
        if let Some(Derived::Array { size: ArraySize::Expr(size), has_static, .. }) =
            self.ast[declarator.derived].first()
            && !promise.length.as_ref().is_some_and(|(.., is_promised)| *is_promised && !has_static)
        {
            let mut printer = Printer::new(self.ast, self.names);
            printer.expr(*size);
            promise.length = Some((printer.finish(), self.ast.expr_span(*size), *has_static));
        }
        let specs = parameter.specs.map(|specs| self.ast[specs].attrs);
        for attribute in [Some(parameter.attrs), specs].into_iter().flatten().flat_map(|list| &self.ast[list])
        {
            promise.nonnull |= self.names.resolve(attribute.name) == "nonnull";
        }
    }

    fn attribute(&self, declaration: &mut Declaration, attribute: &Attribute) {
        let arguments = &self.ast[attribute.args];
        let numbers: Vec<Option<usize>> = arguments.iter().map(|argument| self.place(argument)).collect();
        let promises = &mut declaration.promises;
        match self.names.resolve(attribute.name) {
            "pure" => promises.pure = true,
            "const" => promises.constant = true,
            "malloc" => promises.malloc = true,
            "noreturn" => promises.noreturn = true,
            "returns_nonnull" => promises.returns_nonnull = true,
            "alloc_size" => {
                promises.alloc_size = numbers.iter().copied().collect::<Option<_>>().unwrap_or_default();
            }
            "nonnull" => {
                for (place, parameter) in declaration.parameters.iter_mut().enumerate() {
                    parameter.nonnull |= numbers.is_empty() || numbers.contains(&Some(place));
                }
            }
            "access" => {
                let [AttrArg::Ident(mode), rest @ ..] = arguments else { return };
                let mode = match self.names.resolve(*mode).trim_matches('_') {
                    "read_only" => AccessMode::ReadOnly,
                    "read_write" => AccessMode::ReadWrite,
                    "write_only" => AccessMode::WriteOnly,
                    "none" => AccessMode::None,
                    _ => return,
                };
                let mut places = rest.iter().map(|argument| self.place(argument));
                let (place, count) = (places.next().flatten(), places.next().flatten());
                if let Some(parameter) = place.and_then(|place| declaration.parameters.get_mut(place)) {
                    parameter.access = Some(Access { mode, count });
                }
            }
            _ => {}
        }
    }

    /// The place of a parameter, from zero, that an attribute counts from one.
    fn place(&self, argument: &AttrArg) -> Option<usize> {
        let AttrArg::Expr(expression) = argument else { return None };
        match self.ast[*expression] {
            Expr::Int(number) => usize::try_from(self.ast[number].value).ok()?.checked_sub(1),
            _ => None,
        }
    }

    /// Adds the members of structures that others count.
    fn counted(&self, declared: &mut Declared, specs: DeclSpecsId) {
        let ast = self.ast;
        let TypeSpec::Record { fields: Some(members), .. } = ast[specs].ty else { return };
        let (mut names, mut counted) = (Vec::new(), Vec::new());
        for member in &ast[members] {
            let Member::Field(field) = member else { continue };
            let name = field.declarator.and_then(|declarator| ast[declarator].name);
            names.push(name);
            self.counted(declared, field.specs);
            for attribute in [field.attrs, ast[field.specs].attrs].into_iter().flat_map(|list| &ast[list]) {
                if let (Some(name), "counted_by", [AttrArg::Ident(count)]) =
                    (name, self.names.resolve(attribute.name), &ast[attribute.args])
                {
                    counted.push((name, *count));
                }
            }
        }
        if !counted.is_empty() {
            declared.counted.insert(names, counted);
        }
    }

    /// Adds the values of enumerators.
    fn enumerators(&self, declared: &mut Declared, specs: DeclSpecsId) {
        let TypeSpec::Enum { enumerators: Some(enumerators), .. } = self.ast[specs].ty else { return };
        let mut next = Some(0);
        for one in &self.ast[enumerators] {
            if let Some(value) = one.value {
                next = self.value(value, &declared.enumerators, 0);
            }
            declared.enumerators.insert(one.name, next);
            next = next.and_then(|value: i128| value.checked_add(1));
        }
    }

    /// The value of a simple expression of enumerators. Numbers beyond `int` are no simple ones.
    fn value(&self, id: ExprId, known: &HashMap<Symbol, Option<i128>>, depth: u32) -> Option<i128> {
        if depth > DEEPEST {
            return None;
        }
        let part = |id| self.value(id, known, depth + 1);
        let value = match self.ast[id] {
            Expr::Int(number) => i128::try_from(self.ast[number].value).ok()?,
            Expr::Name(name) => known.get(&name).copied().flatten()?,
            Expr::Unary { op: UnaryOp::Minus, operand } => -part(operand)?,
            Expr::Binary { op: BinaryOp::Add, lhs, rhs } => part(lhs)? + part(rhs)?,
            Expr::Binary { op: BinaryOp::Sub, lhs, rhs } => part(lhs)? - part(rhs)?,
            Expr::Binary { op: BinaryOp::Mul, lhs, rhs } => part(lhs)? * part(rhs)?,
            Expr::Binary { op: BinaryOp::BitOr, lhs, rhs } => part(lhs)? | part(rhs)?,
            Expr::Binary { op: BinaryOp::Shl, lhs, rhs } => {
                part(lhs)? << u32::try_from(part(rhs)?).ok().filter(|&by| by < 31)?
            }
            _ => return None,
        };
        i32::try_from(value).ok().map(i128::from)
    }
}
