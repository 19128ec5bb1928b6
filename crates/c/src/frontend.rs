//! From a C file to a checked typed tree: preprocess, lex, parse and check with the C front end.
//!
//! The headers of the system are preprocessed in process. Where that reports an error, the system compiler is asked
//! to preprocess the file with the same flags; if it can, its output is taken instead, and if it cannot either, the
//! errors of our own preprocessor are reported and the rest of the file is still analysed.

use std::io::Read;
use std::path::{Path, PathBuf};

use program::DataModel;
use rucc_lex::Convert;
use rucc_session::Std;
use rucc_target::{TargetInfo, Triple};

use crate::diagnostic::unreadable;
use crate::guard::guarded;
use crate::preprocess::{Dialect, Preprocessed, Stage, looks_preprocessed, preprocess};
use crate::reporter::{self, Reporter};
use crate::{Diagnostic, Input, Options, expansion, limits, system};

/// The largest file that is read.
const LARGEST_FILE: u64 = 1 << 30;

/// How many errors the parser and the checker look for. What they report is limited more strictly; this is so that a
/// file that is no C at all does not take forever.
const MOST_ERRORS: usize = 10_000;

/// How much of a file is looked at to see whether it is text.
const SNIFFED_BYTES: usize = 64 << 10;

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
    /// What all phases reported, in order.
    pub diagnostics: Vec<Diagnostic>,
    /// The file.
    pub path: PathBuf,
    /// How many bytes the file has, without what it includes.
    pub source_bytes: u64,
}

impl Unit {
    /// The file as `#line` names it, the line and the column where a span begins. A macro expansion is where the
    /// user wrote the macro's name. Line zero: nobody knows.
    pub fn locate(&self, span: rucc_diag::Span) -> (&str, u32, u32) {
        match self.sources.presumed(span.lo) {
            Some(place) if !span.is_dummy() => (place.name, place.line, place.column),
            _ => ("", 0, 0),
        }
    }
}

/// Reads and checks a file. An error means that there is nothing to analyse.
pub(crate) fn check(input: &Input) -> Result<Unit, Vec<Diagnostic>> {
    let single = |diagnostic| vec![diagnostic];
    let dialect = dialect(&input.options).map_err(single)?;
    let name = input.resolve(&input.path);
    let text = read(&name).map_err(single)?;
    let source_bytes = text.len() as u64;
    let target = target(input.options.data_model);
    let internal = |phase: &str, message: String| {
        let help = format!("the front end stopped {phase} with: {message}");
        single(
            Diagnostic::error(format!(
                "internal error of the C front end while reading `{}`",
                name.display()
            ))
            .help(help),
        )
    };
    let stage = stage(&name, &text);
    if limits::has_long_directive(&text) {
        return Err(single(unreadable(
            &name,
            "its directives are too large",
            "use its preprocessed text (.i)",
        )));
    }
    let preprocessed = guarded(|| preprocessed(input, &name, text, stage, dialect, &target))
        .map_err(|message| internal("preprocessing", message))?
        .ok_or_else(|| {
            single(unreadable(&name, "it is too large when it is preprocessed", "look for macros that grow"))
        })?;
    refuse_the_endless(&preprocessed)?;
    let mut unit = guarded(|| analyse(preprocessed, dialect, target))
        .map_err(|message| internal("checking", message))?;
    unit.path = name;
    unit.source_bytes = source_bytes;
    Ok(unit)
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

fn target(model: DataModel) -> TargetInfo {
    use rucc_target::{Arch, Env, Os};
    let arch = match model {
        DataModel::Lp64 => Arch::X86_64,
        DataModel::Ilp32 => Arch::X86,
    };
    TargetInfo::new(Triple::new(arch, Os::Linux, Env::Gnu))
}

/// The bytes of a text file.
fn read(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let mut text = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().take(LARGEST_FILE + 1).read_to_end(&mut text)
    } else if path.is_dir() {
        return Err(unreadable(
            path,
            "it is a directory",
            "name the C files in it, or use -p for compile_commands.json",
        ));
    } else {
        std::fs::File::open(path).and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut text))
    };
    match read {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(unreadable(path, "there is no such file", "check the name and the working directory"))
        }
        Err(error) => Err(unreadable(path, &error.to_string(), "check that you may read it")),
        Ok(_) if text.len() as u64 > LARGEST_FILE => {
            Err(unreadable(path, "it is larger than 1 GiB", "split it into several translation units"))
        }
        Ok(_) if is_binary(&text) => Err(unreadable(
            path,
            "it is not a text file",
            "C files (.c) and preprocessed C files (.i) can be read",
        )),
        Ok(_) => Ok(text),
    }
}

/// Whether bytes are no text: more than one in ten is a control character that no source has. A stray one is only
/// warned about by compilers.
fn is_binary(text: &[u8]) -> bool {
    let looked_at = &text[..text.len().min(SNIFFED_BYTES)];
    let odd =
        looked_at.iter().filter(|&&byte| byte < 0x20 && !matches!(byte, b'\t'..=b'\r' | 0x1a | 0x1b)).count();
    odd * 10 > looked_at.len()
}

/// Whether a file is still to be preprocessed, by its name, or else by its text.
fn stage(name: &Path, text: &[u8]) -> Stage {
    match name.extension().and_then(|extension| extension.to_str()) {
        Some("i") => Stage::Preprocessed,
        Some("c") => Stage::Source,
        _ if looks_preprocessed(text) => Stage::Preprocessed,
        _ => Stage::Source,
    }
}

/// The tokens of a file, with the system's preprocessor as the second opinion.
fn preprocessed(
    input: &Input,
    name: &Path,
    text: Vec<u8>,
    stage: Stage,
    dialect: Dialect,
    target: &TargetInfo,
) -> Option<Preprocessed> {
    if stage == Stage::Source && expansion::is_too_large(&text) {
        // The system's preprocessor runs in a process that can be ended.
        let text = system::preprocess(input)?;
        return preprocess(input, name, text, Stage::Preprocessed, dialect, target);
    }
    let first = preprocess(input, name, text, stage, dialect, target)?;
    let failed = first.diagnostics.iter().any(|diagnostic| diagnostic.severity.is_fatal());
    if stage == Stage::Preprocessed || !failed || first.is_hopeless() || name == Path::new("-") {
        return Some(first);
    }
    match system::preprocess(input) {
        Some(text) => preprocess(input, name, text, Stage::Preprocessed, dialect, target),
        None => Some(first),
    }
}

/// Refuses a unit whose macros expand without end, or whose trees would be too deep to walk.
fn refuse_the_endless(source: &Preprocessed) -> Result<(), Vec<Diagnostic>> {
    let mut reporter = Reporter::default();
    if source.is_endless() {
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
fn analyse(source: Preprocessed, dialect: Dialect, target: TargetInfo) -> Unit {
    let Preprocessed { names, keywords, sources, tokens, diagnostics } = source;
    let Dialect { std, gnu } = dialect;
    let mut reporter = Reporter::default();
    reporter.add(&diagnostics, &sources);

    let convert =
        Convert { keywords: &keywords, interner: &names, target: &target, std, gnu, pedantic: false };
    let (converted, diagnostics) = rucc_lex::convert(&tokens, &convert);
    drop(tokens);
    reporter.add(&diagnostics, &sources);

    let type_names: Vec<_> = target.type_names().iter().filter_map(|(name, _)| names.find(name)).collect();
    let mut context = rucc_parse::Context::new(&names, std);
    context.gnu = gnu;
    context.error_limit = MOST_ERRORS;
    context.type_names = &type_names;
    let parsed = rucc_parse::parse(&converted, context);
    drop(converted);
    reporter.add(&parsed.diagnostics, &sources);

    let mut context = rucc_sema::Context::new(&names, &target, std);
    context.gnu = gnu;
    context.permissive = true;
    context.error_limit = MOST_ERRORS;
    let mut checker = rucc_sema::Checker::new(&parsed.ast, context);
    checker.check_unit();
    let checked = checker.finish();
    reporter.add(&checked.diagnostics, &sources);

    let diagnostics = reporter.finish();
    let (tast, types) = (checked.tast, checked.types);
    Unit { names, sources, target, tast, types, diagnostics, path: PathBuf::new(), source_bytes: 0 }
}
