//! The flags of compilers, as compilation databases have them.
//!
//! Every flag is one of three: it says how the C text is to be read, and becomes an option; it is known to leave the
//! meaning of the program alone; or it is neither, and then nothing may be said of what was compiled with it. A flag that
//! nobody has heard of is of the last kind.

use std::path::Path;

use program::DataModel;
use rucc_target::Choices;

use crate::{Macro, Options};

/// The macro of a compiler whose code exceptions may unwind through.
const EXCEPTIONS: &str = "__EXCEPTIONS=1";

/// How often a file of flags may name another one.
const MOST_FILES: usize = 16;

/// Flags that change no program and have their value in the next argument.
const HARMLESS_WITH_VALUE: &[&str] =
    &["-o", "-MF", "-MT", "-MQ", "-Xassembler", "-L", "-l", "-u", "-z", "--param", "-aux-info", "-dumpbase"];

/// Flags that change what is meant in ways that are not followed, with their value in the next argument.
const UNSUPPORTED_WITH_VALUE: &[&str] = &[
    "-T",
    "-Xclang",
    "-isysroot",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-arch",
    "-wrapper",
    "-B",
];

/// Flags that change no program, as they are.
const HARMLESS: &[&str] = &[
    "-c",
    "-S",
    "-E",
    "-pipe",
    "-v",
    "-w",
    "-s",
    "-p",
    "-pg",
    "-C",
    "-CC",
    "-P",
    "-H",
    "-static",
    "-shared",
    "-rdynamic",
    "-pie",
    "-no-pie",
    "-static-pie",
    "-nostdlib",
    "-nodefaultlibs",
    "-nolibc",
    "-static-libgcc",
    "-shared-libgcc",
    "--coverage",
    "-pedantic",
    "-pedantic-errors",
    "-mno-red-zone",
    "-mred-zone",
    "-mstackrealign",
    "-mfentry",
    "-mrecord-mcount",
    "-mskip-rax-setup",
    "-maccumulate-outgoing-args",
    "-mlong-double-80",
    "-mfpmath=sse",
    "-mcmodel=small",
    "-march=x86-64",
    "-mabi=sysv",
    "-fhosted",
    "-fasm",
    "-fstrict-overflow",
    "-ffp-contract=off",
    "-fsigned-bitfields",
];

/// How flags begin that change no program: warnings, debugging, dependencies, linking, code generation.
const HARMLESS_BEGINNINGS: &[&str] = &[
    "-W",
    "-g",
    "-M",
    "-L",
    "-l",
    "-Q",
    "-d",
    "-save-temps",
    "--param=",
    "-mtune=",
    "-mindirect-branch",
    "-mfunction-return=",
    "-mharden-sls",
    "-mpreferred-stack-boundary=",
    "-mincoming-stack-boundary=",
    "-mstack-protector-guard",
    "-mregparm=",
];

/// How flags go on after `-f` or `-fno-` that change no program either way: how code is made, and what is shown.
const HARMLESS_CODE: &[&str] = &[
    "PIC",
    "pic",
    "PIE",
    "pie",
    "plt",
    "visibility",
    "function-sections",
    "data-sections",
    "section-anchors",
    "omit-frame-pointer",
    "optimize-sibling-calls",
    "stack-protector",
    "stack-clash-protection",
    "stack-check",
    "stack-usage",
    "cf-protection",
    "asynchronous-unwind-tables",
    "unwind-tables",
    "diagnostics-",
    "message-length=",
    "max-errors=",
    "error-limit=",
    "color-diagnostics",
    "ansi-escape-codes",
    "caret-diagnostics",
    "show-column",
    "tabstop=",
    "lto",
    "fat-lto-objects",
    "use-linker-plugin",
    "use-ld=",
    "profile-",
    "test-coverage",
    "inline",
    "early-inlining",
    "indirect-inlining",
    "partial-inlining",
    "unroll-",
    "peel-loops",
    "split-",
    "tree-",
    "ipa-",
    "gcse",
    "cse-",
    "reorder-",
    "align-",
    "sched",
    "schedule-",
    "ira-",
    "if-conversion",
    "ivopts",
    "jump-tables",
    "thread-jumps",
    "crossjumping",
    "caller-saves",
    "conserve-stack",
    "combine-stack-adjustments",
    "code-hoisting",
    "expensive-optimizations",
    "guess-branch-probability",
    "hoist-adjacent-loads",
    "move-loop-invariants",
    "peephole",
    "prefetch-loop-arrays",
    "predictive-commoning",
    "rename-registers",
    "rerun-cse-after-loop",
    "selective-scheduling",
    "toplevel-reorder",
    "vect-cost-model",
    "web",
    "strict-aliasing",
    "delete-null-pointer-checks",
    "builtin",
    "common",
    "semantic-interposition",
    "verbose-asm",
    "ident",
    "debug-",
    "file-prefix-map=",
    "macro-prefix-map=",
    "patchable-function-entry",
    "keep-inline-functions",
    "keep-static-functions",
    "record-gcc-switches",
    "dollars-in-identifiers",
    "whole-program",
    "zero-initialized-in-bss",
    "var-tracking",
    "eliminate-unused-debug",
];

/// Flags that change what is meant, and that a compiler does not have unless it is told so.
const OFF: &[&str] = &[
    "wrapv",
    "trapv",
    "fast-math",
    "short-enums",
    "short-wchar",
    "openmp",
    "openacc",
    "gnu89-inline",
    "pack-struct",
    "unsafe-math-optimizations",
    "finite-math-only",
    "rounding-math",
    "associative-math",
    "exceptions",
    "ms-extensions",
    "plan9-extensions",
    "sanitize",
];

/// Words in flags of the linker that change which function a name means, or where the program starts.
const LINKER_WORDS: &[&str] = &["wrap", "defsym", "-init", "-fini", "-e,", "--entry", "-T", "-r,"];

/// What the arguments of a compiler say about reading C, for a compilation in this directory.
pub(crate) fn options(arguments: &[String], directory: &Path) -> Options {
    let mut reading = Reading { options: Options::default(), level: None, late: Vec::new() };
    reading.all(&expanded(arguments, directory, MOST_FILES));
    let late = std::mem::take(&mut reading.late);
    reading.all(&late);
    reading.finish()
}

/// The arguments with those of the files that they name as `@file`. A file that cannot be read stays as it is named.
fn expanded(arguments: &[String], directory: &Path, depth: usize) -> Vec<String> {
    let mut all = Vec::new();
    for argument in arguments {
        let file = argument.strip_prefix('@').filter(|_| depth > 0);
        let text = file.and_then(|file| std::fs::read_to_string(directory.join(file)).ok());
        match text.and_then(|text| shlex::split(&text)) {
            Some(inner) => all.extend(expanded(&inner, directory, depth - 1)),
            None => all.push(argument.clone()),
        }
    }
    all
}

/// The flags while they are read.
struct Reading {
    options: Options,
    /// The last `-O`, without these two letters.
    level: Option<String>,
    /// What is handed on to the preprocessor: GCC does that after all other flags.
    late: Vec<String>,
}

impl Reading {
    fn all(&mut self, arguments: &[String]) {
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            self.one(argument, &mut rest);
        }
    }

    fn one(&mut self, argument: &str, rest: &mut std::slice::Iter<'_, String>) {
        if !argument.starts_with(['-', '@']) || argument == "-" {
            return;
        }
        if self.takes_value(argument, rest) || self.is_read(argument) || is_harmless(argument) {
            return;
        }
        let mut flag = argument.to_owned();
        if UNSUPPORTED_WITH_VALUE.contains(&argument) {
            flag.extend(rest.next().map(|value| format!(" {value}")));
        }
        self.options.unsupported.push(flag);
    }

    /// Flags whose value is glued to them or is the next argument.
    fn takes_value(&mut self, argument: &str, rest: &mut std::slice::Iter<'_, String>) -> bool {
        let options = &mut self.options;
        let mut value = |flag: &str| -> Option<String> {
            match argument.strip_prefix(flag)? {
                "" => rest.next().cloned(),
                glued => Some(glued.to_owned()),
            }
        };
        if argument == "-I-" {
            return false;
        } else if let Some(path) = value("-isystem") {
            options.system_include.push(path.into());
        } else if let Some(path) = value("-iquote") {
            options.quote_include.push(path.into());
        } else if let Some(path) = value("-idirafter") {
            options.after_include.push(path.into());
        } else if let Some(path) = value("-include") {
            options.preinclude.push(path.into());
        } else if let Some(path) = value("-imacros") {
            options.macro_files.push(path.into());
        } else if let Some(path) = value("-I") {
            options.include.push(path.into());
        } else if let Some(definition) = value("-D") {
            options.macros.push(Macro::Define(definition));
        } else if let Some(name) = value("-U") {
            options.macros.push(Macro::Undefine(name));
        } else if let Some(triple) = value("-target").or_else(|| value("--target=")) {
            self.target(&triple);
        } else if let Some(language) = value("-x") {
            if !["c", "cpp-output", "none"].contains(&language.as_str()) {
                self.options.unsupported.push(format!("-x {language}"));
            }
        } else if argument == "-Xpreprocessor" {
            self.late.extend(rest.next().cloned());
        } else if argument == "-Xlinker" {
            let value = rest.next().map_or("", String::as_str);
            self.linker(&format!("{value},"), &format!("-Xlinker {value}"));
        } else if HARMLESS_WITH_VALUE.contains(&argument) {
            rest.next();
        } else {
            return false;
        }
        true
    }

    /// Flags without a value of their own that become options.
    fn is_read(&mut self, argument: &str) -> bool {
        let options = &mut self.options;
        match argument {
            "-ansi" => options.standard = Some(String::from("c89")),
            "-m32" => options.data_model = DataModel::Ilp32,
            "-m64" => options.data_model = DataModel::Lp64,
            "-funsigned-char" | "-fno-signed-char" => options.unsigned_char = true,
            "-fsigned-char" | "-fno-unsigned-char" => options.unsigned_char = false,
            "-fshort-enums" | "-fno-short-enums" => options.short_enums = argument == "-fshort-enums",
            "-fgnu89-inline" | "-fno-gnu89-inline" => options.gnu89_inline = argument == "-fgnu89-inline",
            "-nostdinc" => options.no_system_include = true,
            "-pthread" | "-pthreads" => self.predefine("_REENTRANT=1"),
            "-fexceptions" => self.predefine(EXCEPTIONS),
            "-fno-exceptions" => options.macros.retain(|one| *one != Macro::Define(String::from(EXCEPTIONS))),
            _ => return self.is_read_by_its_beginning(argument),
        }
        true
    }

    fn is_read_by_its_beginning(&mut self, argument: &str) -> bool {
        let standard = argument.strip_prefix("-std=").or_else(|| argument.strip_prefix("--std="));
        if let Some(standard) = standard {
            self.options.standard = Some(standard.to_owned());
        } else if let Some(level) = argument.strip_prefix("-O") {
            if !["", "0", "1", "2", "3", "4", "s", "z", "g"].contains(&level) {
                return false;
            }
            self.level = Some(level.to_owned());
        } else if let Some(words) = argument.strip_prefix("-Wp,") {
            self.preprocessor(words);
        } else if let Some(words) = argument.strip_prefix("-Wl,") {
            self.linker(&format!("{words},"), argument);
        } else if let Some(set) = charset(argument) {
            return set.eq_ignore_ascii_case("utf-8") || set.eq_ignore_ascii_case("utf8");
        } else if let Some(extension) = argument.strip_prefix("-m") {
            // An extension of the machine shows in predefined macros and in what headers declare.
            if Choices::new().read(extension).is_err() {
                return false;
            }
            self.options.extensions.push(extension.to_owned());
        } else {
            return false;
        }
        true
    }

    /// `-Wp,-DX,-MD,file`: what the preprocessor is given; its `-MD` takes a file.
    fn preprocessor(&mut self, words: &str) {
        let mut words = words.split(',');
        while let Some(word) = words.next() {
            match word {
                "-MD" | "-MMD" => _ = words.next(),
                _ => self.late.push(word.to_owned()),
            }
        }
    }

    fn linker(&mut self, words: &str, flag: &str) {
        if LINKER_WORDS.iter().any(|word| words.contains(word)) {
            self.options.unsupported.push(flag.to_owned());
        }
    }

    /// The machine that code is made for: only two are known.
    fn target(&mut self, triple: &str) {
        let (arch, rest) = triple.split_once('-').unwrap_or((triple, ""));
        let model = match arch {
            "x86_64" | "amd64" => Some(DataModel::Lp64),
            "i386" | "i486" | "i586" | "i686" => Some(DataModel::Ilp32),
            _ => None,
        };
        match model.filter(|_| rest.contains("linux") && !rest.ends_with("x32")) {
            Some(model) => self.options.data_model = model,
            None => self.options.unsupported.push(format!("--target={triple}")),
        }
    }

    /// A macro that the compiler defines itself: what the flags say of it comes later.
    fn predefine(&mut self, definition: &str) {
        self.options.macros.insert(0, Macro::Define(definition.to_owned()));
    }

    fn finish(mut self) -> Options {
        let level = self.level.take();
        if level.as_deref().is_some_and(|level| level != "0") {
            if matches!(level.as_deref(), Some("s" | "z")) {
                self.predefine("__OPTIMIZE_SIZE__=1");
            }
            self.predefine("__OPTIMIZE__=1");
            self.options.macros.insert(0, Macro::Undefine(String::from("__NO_INLINE__")));
        }
        self.options
    }
}

fn charset(argument: &str) -> Option<&str> {
    let flags = ["-finput-charset=", "-fexec-charset="];
    flags.into_iter().find_map(|flag| argument.strip_prefix(flag))
}

fn is_harmless(argument: &str) -> bool {
    let begins = |text: &str, starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
    let code = argument.strip_prefix("-f").unwrap_or_default();
    let turned_off = code.strip_prefix("no-");
    HARMLESS.contains(&argument)
        || begins(argument, HARMLESS_BEGINNINGS)
        || begins(turned_off.unwrap_or(code), HARMLESS_CODE)
        || turned_off.is_some_and(|code| begins(code, OFF))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Options {
        options(&shlex::split(line).expect("it is a line for a shell"), Path::new("."))
    }

    #[test]
    fn flags_are_read_glued_and_apart() {
        let options =
            read("-Ia -I b -isystem s -isystemt -iquote q -include p.h -DN=1 -D M -UX -std=gnu99 -m32");
        assert_eq!(options.include, [Path::new("a"), Path::new("b")]);
        assert_eq!(options.system_include, [Path::new("s"), Path::new("t")]);
        assert_eq!(options.quote_include, [Path::new("q")]);
        assert_eq!(options.preinclude, [Path::new("p.h")]);
        let define = |text: &str| Macro::Define(String::from(text));
        assert_eq!(options.macros, [define("N=1"), define("M"), Macro::Undefine(String::from("X"))]);
        assert_eq!(options.standard.as_deref(), Some("gnu99"));
        assert_eq!(options.data_model, DataModel::Ilp32);
    }

    #[test]
    fn harmless_flags_are_ignored_with_their_values() {
        let line = "-O0 -Wall -Werror=x -g3 -c -o -Ix.o -MD -MF -Dx.d -fPIC -fno-omit-frame-pointer -pipe -Wa,-x \
                    -Wl,--as-needed -fno-strict-aliasing -mtune=generic -x c -finput-charset=UTF-8 a.c";
        assert_eq!(read(line), Options::default());
    }

    #[test]
    fn quotes_of_a_shell_are_taken_off() {
        let options = read(r#"-DS='"a b"' -I"with space" -DE=\"x\""#);
        assert_eq!(options.macros[0], Macro::Define(String::from("S=\"a b\"")));
        assert_eq!(options.macros[1], Macro::Define(String::from("E=\"x\"")));
        assert_eq!(options.include, [Path::new("with space")]);
    }

    #[test]
    fn flags_that_change_what_is_meant_are_read_or_named() {
        let options =
            read("-funsigned-char -fshort-enums -fgnu89-inline -nostdinc -idirafter d -imacros m.h -mavx2");
        assert!(
            options.unsigned_char && options.short_enums && options.gnu89_inline && options.no_system_include
        );
        assert_eq!(options.after_include, [Path::new("d")]);
        assert_eq!(options.macro_files, [Path::new("m.h")]);
        assert_eq!(options.extensions, ["avx2"]);
        assert_eq!(options.unsupported, [""; 0]);
        let unsupported = [
            "-fpack-struct",
            "-fpack-struct=2",
            "-mlong-double-64",
            "-fshort-wchar",
            "-mx32",
            "-m16",
            "-fwrapv",
            "-ftrapv",
            "-fno-strict-overflow",
            "-fno-math-errno",
            "-fno-trapping-math",
            "-T script",
            "-ffreestanding",
            "-undef",
            "-fexec-charset=IBM1047",
            "-mms-bitfields",
            "-fplan9-extensions",
            "-frounding-math",
            "-ffast-math",
            "-Ofast",
            "-fopenmp",
            "-fsanitize=address",
            "-fnobody-knows-it",
            "-mnobody-knows-it",
            "-Wl,--wrap=malloc",
            "-I-",
            "-x c++",
            "--sysroot=/x",
            "--target=aarch64-linux-gnu",
            "@missing",
        ];
        for flag in unsupported {
            assert_eq!(read(flag).unsupported, [flag], "{flag}");
        }
    }

    #[test]
    fn flags_for_the_preprocessor_and_of_optimisation_define_macros() {
        let define = |text: &str| Macro::Define(String::from(text));
        assert_eq!(read("-Wp,-DA,-MD,-Dfile -Xpreprocessor -DB").macros, [define("A"), define("B")]);
        let late = [Macro::Define(String::from("A")), Macro::Undefine(String::from("A"))];
        assert_eq!(read("-Wp,-U,A -DA").macros, late);
        assert_eq!(read("-pthread -D_REENTRANT=2").macros, [define("_REENTRANT=1"), define("_REENTRANT=2")]);
        let undefined = Macro::Undefine(String::from("__NO_INLINE__"));
        assert_eq!(read("-O0 -O2").macros, [undefined, define("__OPTIMIZE__=1")]);
        assert_eq!(read("-O2 -O0").macros, []);
    }

    #[test]
    fn two_machines_are_known() {
        assert_eq!(read("--target=i686-linux-gnu").data_model, DataModel::Ilp32);
        assert_eq!(read("-target x86_64-unknown-linux-gnu").unsupported, [""; 0]);
    }
}
