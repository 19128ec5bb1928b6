//! From the bytes of a file to preprocessing tokens.
//!
//! A `.c` file is preprocessed in process against the headers of the system (see `system`). A `.i` file goes through
//! the same code with no macro defined, so that only its line markers mean something.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rucc_base::Interner;
use rucc_diag::{SourceBytes, SourceMap};
use rucc_lex::{Keywords, PpToken};
use rucc_pp::{Context, Predef, Preprocessor};
use rucc_session::{FileSystem, Preinclude, SearchPath, Std, runtime};
use rucc_target::TargetInfo;

use crate::annotations::{self, Macros, Note};
use crate::source::{Source, Stage};
use crate::{Input, Macro, gaps, limits, system};

/// How many bytes of headers one file may include. The deepest real files read some megabytes; a header that
/// includes itself twice reads without end.
const HEADER_BYTES: u64 = 512 << 20;

/// How many headers one file may include.
const HEADER_FILES: u64 = 20_000;

/// The dialect of C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dialect {
    /// The standard.
    pub std: Std,
    /// Whether GNU's extensions are on.
    pub gnu: bool,
}

/// A preprocessed translation unit.
pub(crate) struct Preprocessed {
    pub names: Interner,
    pub keywords: Keywords,
    pub sources: SourceMap,
    pub tokens: Vec<PpToken>,
    /// What stands in the text besides C, and the macros that it mentions.
    pub notes: Vec<Note>,
    pub macros: Macros,
    pub diagnostics: Vec<rucc_diag::Diagnostic>,
}

impl Preprocessed {
    /// Whether a macro expands to more than anybody wants.
    pub fn is_infinite(&self) -> bool {
        self.has(gaps::INFINITE_EXPANSION)
    }

    /// Whether another preprocessor would have the same trouble, and for longer.
    pub fn is_hopeless(&self) -> bool {
        self.is_infinite() || self.has(gaps::DEEP_INCLUDE)
    }

    fn has(&self, code: &str) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.code == Some(code))
    }
}

/// Preprocesses a text. Nothing, if four gigabytes are not enough for it.
pub(crate) fn preprocess(
    input: &Input,
    source: Source,
    dialect: Dialect,
    target: &TargetInfo,
) -> Option<Preprocessed> {
    let Source { name, text, stage } = source;
    // The keywords have to be the first names that the interner sees.
    let mut names = Interner::new();
    let keywords = Keywords::new(&mut names, dialect.std, dialect.gnu).x86(dialect.gnu);
    let mut sources = SourceMap::new();
    let mut preprocessor = Preprocessor::new();
    let disk = Disk::default();
    let search = match stage {
        Stage::Source => search_path(input),
        Stage::Preprocessed => SearchPath::new(),
    };
    let mut tokens = Vec::new();
    let mut context = Context::new(&mut names, &mut sources, &disk, &search);
    context.lex = rucc_lex::Options::for_dialect(dialect.std, dialect.gnu, false);
    if stage == Stage::Source {
        preprocessor.predefine(target, &predefined(input, dialect), &mut context).ok()?;
        preprocessor.preinclude(&preincluded(input), &mut tokens, &mut context).ok()?;
    }
    let file = context.sources.add(name.to_string_lossy(), gaps::without_null_bytes(text)).ok()?;
    tokens.append(&mut preprocessor.run(file, &mut context));
    let tokens: Vec<PpToken> = tokens.into_iter().map(|token| token.to_pp()).collect();
    let mut notes = annotations::find(&sources, &tokens);
    let (tokens, clauses) = annotations::cut(tokens, &names);
    let macros = annotations::macros::mentioned(&notes, &preprocessor, &names, &sources);
    notes.extend(clauses);
    let tokens = gaps::adapt(tokens, &names);
    let mut diagnostics = preprocessor.take_diagnostics();
    diagnostics.retain(|diagnostic| !gaps::is_harmless(diagnostic, &sources));
    Some(Preprocessed { names, keywords, sources, tokens, notes, macros, diagnostics })
}

fn search_path(input: &Input) -> SearchPath {
    let options = &input.options;
    let mut search = SearchPath::new();
    for path in &options.quote_include {
        search.push_quote(input.resolve(path));
    }
    for path in &options.include {
        search.push_bracket(input.resolve(path));
    }
    for path in &options.system_include {
        search.push_system(input.resolve(path));
    }
    if !options.no_system_include {
        search.push_system(runtime::DIR);
        for path in system::include_directories(options.data_model) {
            search.push_system(path);
        }
    }
    for path in &options.after_include {
        search.push_after(input.resolve(path));
    }
    search.remove_duplicates();
    search
}

fn predefined(input: &Input, dialect: Dialect) -> Predef {
    let macros = &input.options.macros;
    let mut predefined = Predef::new();
    predefined.std = dialect.std;
    predefined.gnu_extensions = dialect.gnu;
    predefined.gnu89_inline = input.options.gnu89_inline;
    predefined.isa = input.options.instruction_set();
    // The front end takes undefinitions after all definitions, so only the last word on each name may reach it.
    for (at, entry) in macros.iter().enumerate() {
        if macros[at + 1..].iter().any(|later| later.name() == entry.name()) {
            continue;
        }
        match entry {
            Macro::Define(text) => predefined.defines.push(text.clone()),
            Macro::Undefine(name) => predefined.undefines.push(name.clone()),
        }
    }
    predefined
}

fn preincluded(input: &Input) -> Vec<Preinclude> {
    let name = |path: &PathBuf| {
        let here = input.resolve(path);
        let found = if here.is_file() { &here } else { path };
        found.to_string_lossy().into_owned()
    };
    let files = |paths: &[PathBuf], macros_only: bool| -> Vec<Preinclude> {
        paths.iter().map(|path| Preinclude { name: name(path), macros_only }).collect()
    };
    // Compilers read all files of macros first.
    [files(&input.options.macro_files, true), files(&input.options.preinclude, false)].concat()
}

/// The files of this machine, as far as one translation unit may read them.
#[derive(Default)]
struct Disk {
    bytes: AtomicU64,
    files: AtomicU64,
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Disk")
    }
}

impl FileSystem for Disk {
    fn read(&self, path: &Path) -> io::Result<SourceBytes> {
        // A device or a pipe could be infinite.
        let readable = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
        if !readable {
            let substitute = gaps::missing_header(path).ok_or(io::ErrorKind::NotFound)?;
            return Ok(SourceBytes::new(substitute));
        }
        let text = std::fs::read(path)?;
        let bytes = self.bytes.fetch_add(text.len() as u64, Ordering::Relaxed);
        let files = self.files.fetch_add(1, Ordering::Relaxed);
        if bytes > HEADER_BYTES || files > HEADER_FILES || limits::has_long_directive(&text) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(SourceBytes::new(text))
    }

    fn identity(&self, path: &Path) -> PathBuf {
        std::fs::canonicalize(path).unwrap_or_else(|_| rucc_session::path_key(path))
    }
}
