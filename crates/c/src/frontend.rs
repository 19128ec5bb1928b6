//! From a C file to a checked typed tree: preprocess, lex, parse and check with the C front end.
//!
//! The headers of the system are preprocessed in process. Where that reports an error, the system compiler is asked
//! to preprocess the file with the same flags; if it can, its output is taken instead, and if it cannot either, the
//! errors of our own preprocessor are reported and the rest of the file is still analysed.

use program::DataModel;
use rucc_lex::Convert;
use rucc_session::Std;
use rucc_target::{TargetInfo, Triple};

use crate::annotations::Noted;
use crate::damage::Damage;
use crate::diagnostic::unreadable;
use crate::guard::guarded;
use crate::preprocess::{Dialect, Preprocessed, preprocess};
use crate::reporter::{self, Reporter};
use crate::source::{Source, Stage};
use crate::{Diagnostic, Input, Options, Severity, expansion, limits, system};

/// How many errors the parser and the checker look for. What they report is limited more strictly; this is so that a
/// file that is no C at all does not take forever.
const MOST_ERRORS: usize = 10_000;

/// One translation unit after type checking.
pub(crate) struct Unit {
    /// The spellings of identifiers.
    pub names: rucc_base::Interner,
    /// The files that were read.
    pub sources: rucc_diag::SourceMap,
    /// The machine, which gives types their widths.
    pub target: TargetInfo,
    /// The typed tree; what did not check is a poisoned node in it.
    pub tast: rucc_sema::Tast,
    /// The types that the tree points to.
    pub types: rucc_types::Types,
    /// What stands in the text besides C.
    pub noted: Noted,
    /// What all phases reported, in order.
    pub diagnostics: Vec<Diagnostic>,
    /// Flags that may change what the text means in a way that is not followed.
    pub unsupported_flags: Vec<String>,
    /// Where the errors are.
    damage: Damage,
}

impl Unit {
    /// The file as `#line` names it, the line and the column where a span begins. A macro expansion is where the user
    /// wrote the macro's name. Line zero: it is not known.
    pub fn locate(&self, span: rucc_diag::Span) -> (&str, u32, u32) {
        match self.sources.presumed(span.lo) {
            Some(place) if !span.is_dummy() => (place.name, place.line, place.column),
            _ => ("", 0, 0),
        }
    }

    /// An error in the text of a function, which is then not what the tree says.
    pub fn error_in(&self, function: rucc_sema::DeclId) -> Option<rucc_diag::Span> {
        let name = self.tast.definition_span(function);
        let body = self.tast[function].body.map_or(name, |body| self.tast.stmt_span(body));
        self.damage.of_function(name, body, &self.sources)
    }
}

/// Reads and checks a file. An error means that there is nothing to analyse.
pub(crate) fn check(input: &Input) -> Result<Unit, Vec<Diagnostic>> {
    let dialect = dialect(&input.options).map_err(|diagnostic| vec![diagnostic])?;
    let source = Source::read(input).map_err(|diagnostic| vec![diagnostic])?;
    let path = source.name.clone();
    let target = target(&input.options);
    let internal = |message: String| {
        let what = format!("internal error of the C front end while reading `{}`", path.display());
        vec![Diagnostic::error(what).help(format!("it stopped with: {message}"))]
    };
    let preprocessed = guarded(|| preprocessed(input, source, dialect, &target)).map_err(internal)?;
    let preprocessed = preprocessed.ok_or_else(|| {
        vec![unreadable(&path, "it is too large when it is preprocessed", "look for macros that grow")]
    })?;
    refuse_infinite(&preprocessed)?;
    let unit = guarded(|| analyse(preprocessed, dialect, target, &input.options)).map_err(internal)?;
    let unsupported_flags = input.options.unsupported.clone();
    let mut diagnostics = unit.diagnostics;
    diagnostics.extend(unsupported_flags.iter().map(|flag| {
        let message = format!("`{}` is compiled with {flag}, which is not supported", path.display());
        Diagnostic::new(Severity::Warning, message).help("nothing is said of the functions of this file")
    }));
    Ok(Unit { unsupported_flags, diagnostics, ..unit })
}

/// The dialect that the options name, `gnu17` if they name none.
fn dialect(options: &Options) -> Result<Dialect, Diagnostic> {
    let Some(name) = &options.standard else { return Ok(Dialect { std: Std::C17, gnu: true }) };
    let known = match name.as_str() {
        "ansi" => Some((Std::C89, false)),
        name => Std::from_flag(name),
    };
    known.map(|(std, gnu)| Dialect { std, gnu }).ok_or_else(|| {
        Diagnostic::error(format!("unknown C standard `{name}`"))
            .help("c89, c99, c11, c17, c23 and the same with gnu are known")
    })
}

fn target(options: &Options) -> TargetInfo {
    use rucc_target::{Arch, Env, Os};
    let arch = match options.data_model {
        DataModel::Lp64 => Arch::X86_64,
        DataModel::Ilp32 => Arch::X86,
    };
    let mut target = TargetInfo::new(Triple::new(arch, Os::Linux, Env::Gnu));
    target.char_is_signed = !options.unsigned_char;
    target
}

/// The tokens of a file, with the system's preprocessor as the second opinion. Nothing, if they are too many.
fn preprocessed(
    input: &Input,
    source: Source,
    dialect: Dialect,
    target: &TargetInfo,
) -> Option<Preprocessed> {
    let name = source.name.clone();
    let second = || {
        let text = system::preprocess(input)?;
        preprocess(input, Source { name, text, stage: Stage::Preprocessed }, dialect, target)
    };
    let can_be_read_again = source.stage == Stage::Source && !source.is_standard_input();
    if source.stage == Stage::Source && expansion::is_too_large(&source.text) {
        // The system's preprocessor runs in a process that can be ended.
        return if can_be_read_again { second() } else { None };
    }
    let first = preprocess(input, source, dialect, target)?;
    let failed = first.diagnostics.iter().any(|diagnostic| diagnostic.severity.is_fatal());
    if failed && can_be_read_again && !first.is_hopeless() { second().or(Some(first)) } else { Some(first) }
}

/// Refuses a unit whose macros expand without end, or whose trees would be too deep to walk.
fn refuse_infinite(source: &Preprocessed) -> Result<(), Vec<Diagnostic>> {
    let mut reporter = Reporter::default();
    if source.is_infinite() {
        reporter.add(&source.diagnostics, &source.sources);
        return Err(reporter.finish());
    }
    let Some(span) = limits::too_deep(&source.tokens, &source.keywords, &source.names) else { return Ok(()) };
    let mut diagnostic = Diagnostic::error("expressions or statements are nested too deeply here")
        .help("split the expression or the chain of statements");
    diagnostic.place = reporter::place(span, &source.sources);
    Err(vec![diagnostic])
}

/// Lexes, parses and checks a preprocessed unit.
fn analyse(source: Preprocessed, dialect: Dialect, target: TargetInfo, options: &Options) -> Unit {
    let Preprocessed { names, keywords, sources, tokens, notes, macros, diagnostics } = source;
    let Dialect { std, gnu } = dialect;

    let convert =
        Convert { keywords: &keywords, interner: &names, target: &target, std, gnu, pedantic: false };
    let (converted, constants) = rucc_lex::convert(&tokens, &convert);
    drop(tokens);

    let type_names: Vec<_> = target.type_names().iter().filter_map(|(name, _)| names.find(name)).collect();
    let mut context = rucc_parse::Context::new(&names, std);
    context.gnu = gnu;
    context.error_limit = MOST_ERRORS;
    context.type_names = &type_names;
    let parsed = rucc_parse::parse(&converted, context);
    drop(converted);

    let mut context = rucc_sema::Context::new(&names, &target, std);
    context.gnu = gnu;
    context.permissive = true;
    context.gnu89_inline = options.gnu89_inline;
    context.short_enums = options.short_enums;
    if !options.extensions.is_empty() {
        context.isa = options.instruction_set();
    }
    context.error_limit = MOST_ERRORS;
    let mut checker = rucc_sema::Checker::new(&parsed.ast, context);
    checker.check_unit();
    for pragma in &parsed.weak_pragmas {
        checker.pragma_weak(pragma.name, pragma.target, pragma.span);
    }
    for pragma in &parsed.extname_pragmas {
        checker.pragma_extname(pragma.old, pragma.new, pragma.span);
    }
    let checked = checker.finish();
    let noted = Noted::of(notes, macros, &parsed.ast, &names, &sources);

    let phases: [&[_]; 4] = [&diagnostics, &constants, &parsed.diagnostics, &checked.diagnostics];
    let damage = Damage::new(&phases, MOST_ERRORS, &sources);
    let mut reporter = Reporter::default();
    for phase in phases {
        reporter.add(phase, &sources);
    }
    let diagnostics = reporter.finish();
    let (tast, types) = (checked.tast, checked.types);
    Unit { names, sources, target, tast, types, noted, diagnostics, unsupported_flags: Vec::new(), damage }
}
