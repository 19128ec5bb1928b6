//! What the functions of the C library and of verifiers may do, where their names tell.

use rucc_sema::Effects as Promise;

use super::effects::{Accesses, Effects, Flags};
use crate::lower::recognise::is_nondeterministic;

/// The effects of a function that the unit does not define.
pub(super) fn effects_of(name: &str, takes_pointers: bool, promise: Promise) -> Effects {
    let (reads, writes, flags) = match name {
        "malloc" | "calloc" | "valloc" | "memalign" | "aligned_alloc" | "alloca" | "abs" | "labs"
        | "llabs" | "imaxabs" => (false, false, Flags::default()),
        "isalnum" | "isalpha" | "isascii" | "isblank" | "iscntrl" | "isdigit" | "isgraph" | "islower"
        | "isprint" | "ispunct" | "isspace" | "isupper" | "isxdigit" | "toascii" | "tolower" | "toupper" => {
            (false, false, Flags::default())
        }
        _ if is_nondeterministic(name) && !takes_pointers => (false, false, Flags::default()),
        _ if is_mathematics(name) => (false, false, Flags::default()),
        "strlen" | "strnlen" | "strcmp" | "strncmp" | "strcasecmp" | "strncasecmp" | "memcmp" | "memchr"
        | "strchr" | "strrchr" | "strstr" | "strspn" | "strcspn" | "strpbrk" | "atoi" | "atol" | "atoll"
        | "atof" => (true, false, Flags::default()),
        "memcpy" | "memmove" | "memset" | "strcpy" | "strncpy" | "strcat" | "strncat" | "stpcpy"
        | "strtol" | "strtoul" | "strtoll" | "strtoull" | "strtod" | "strtof" | "free" | "realloc"
        | "sprintf" | "snprintf" | "strdup" | "strndup" => (true, true, Flags::default()),
        // What `%n` writes is memory.
        "printf" | "fprintf" | "puts" | "fputs" | "putchar" | "putc" | "fputc" | "perror" | "fflush"
        | "getchar" | "getc" | "fgetc" | "gets" | "fgets" | "scanf" | "fscanf" | "fopen" | "fclose"
        | "fread" | "fwrite" | "rand" | "srand" | "time" | "clock" => (true, true, Flags::OUTSIDE),
        "__VERIFIER_assume" | "__CPROVER_assume" | "__ESBMC_assume" | "assume" => (false, false, Flags::ENDS),
        "__VERIFIER_assert" | "__CPROVER_assert" | "__ESBMC_assert" | "assert" | "__assert_fail"
        | "__assert" | "__VERIFIER_error" | "reach_error" => (false, false, Flags::ENDS.with(Flags::ERROR)),
        "abort" | "_exit" | "_Exit" | "__builtin_trap" => (false, false, Flags::ENDS),
        _ => {
            return match promise {
                Promise::Const => Effects::default(),
                Promise::Pure => {
                    let called = Accesses { writes: Default::default(), ..Accesses::all_shared() };
                    Effects { called, ..Effects::default() }
                }
                Promise::Any => anything(),
            };
        }
    };
    Effects { called: Accesses::memory(reads, writes), flags, ..Effects::default() }.failing(reads || writes)
}

/// What a function does of which nothing is known.
pub(super) fn anything() -> Effects {
    Effects { called: Accesses::all_shared(), flags: Flags::ALL, ..Effects::default() }
}

fn is_mathematics(name: &str) -> bool {
    const NAMES: [&str; 36] = [
        "acos",
        "asin",
        "atan",
        "atan2",
        "cbrt",
        "ceil",
        "copysign",
        "cos",
        "cosh",
        "erf",
        "exp",
        "exp2",
        "expm1",
        "fabs",
        "fdim",
        "floor",
        "fma",
        "fmax",
        "fmin",
        "fmod",
        "hypot",
        "log",
        "log10",
        "log1p",
        "log2",
        "nearbyint",
        "pow",
        "remainder",
        "rint",
        "round",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
        "trunc",
    ];
    let is_listed = |name: &str| NAMES.binary_search(&name).is_ok();
    is_listed(name) || name.strip_suffix(['f', 'l']).is_some_and(is_listed)
}
