//! What functions of the C library do, in one table: whoever must know asks here.
//!
//! Only functions that the program does not define are meant. A function that is not in the table may do anything.

/// Gives so many bytes any contents: `void __VERIFIER_nondet_memory(void *bytes, size_t size)`.
pub const NONDET_MEMORY: &str = "__VERIFIER_nondet_memory";

/// What the input is called that comes before the first bytes of an object whose contents are inputs: before the name of what
/// points to it. Its value means nothing.
pub const OBJECT: &str = "object of ";

/// So many bytes are inputs of a run at most, each by itself.
pub const NONDET_BYTES: usize = 64;

/// What is known of a function of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LibraryEffects {
    /// The standard says all that it does and gives: two runs that call it with the same values go on in the same way.
    pub defined: bool,
    /// It writes output, and the standard says what; but not what it gives.
    pub output: bool,
    /// It writes to the standard output alone, and leaves all memory of the program as it is.
    pub standard_output: bool,
    /// It ends the run.
    pub ends: bool,
    /// It returns or ends the run, and calls no function of the program.
    pub returns: bool,
    /// It may take pointers, and leaves all that they lead to as it is.
    pub only_reads: bool,
}

/// What is known of a function of this name, if the program does not define it.
pub fn effects_of(name: &str) -> LibraryEffects {
    LibraryEffects {
        defined: DEFINED.contains(&name),
        output: OUTPUT.contains(&name),
        standard_output: STANDARD_OUTPUT.contains(&name),
        ends: ENDS.contains(&name),
        returns: RETURNS.contains(&name),
        only_reads: ONLY_READS.contains(&name),
    }
}

#[rustfmt::skip]
const DEFINED: [&str; 44] = [
    "abort", "abs", "assert", "__assert_fail", "atoi", "atol", "calloc", "ceil", "exit", "fabs", "fabsf", "floor",
    "fmod", "free", "isalnum", "isalpha", "isdigit", "islower", "isspace", "isupper", "isxdigit", "labs", "llabs",
    "malloc", "memchr", "memcmp", "memcpy", "memmove", "memset", "realloc", "sqrt", "strcat", "strchr", "strcmp",
    "strcpy", "strlen", "strncat", "strncmp", "strncpy", "strnlen", "strrchr", "strstr", "tolower", "toupper",
];
const OUTPUT: [&str; 8] = ["fflush", "fprintf", "fputc", "fputs", "printf", "putchar", "puts", "putc"];
const STANDARD_OUTPUT: [&str; 4] = ["fflush", "printf", "putchar", "puts"];
const ENDS: [&str; 6] = ["abort", "exit", "_exit", "_Exit", "__assert_fail", "quick_exit"];
#[rustfmt::skip]
const RETURNS: [&str; 16] = [
    "abort", "abs", "calloc", "exit", "free", "malloc", "memcpy", "memmove", "memset", "printf", "putchar", "puts",
    "rand", "strcmp", "strlen", "strncmp",
];
#[rustfmt::skip]
const ONLY_READS: [&str; 14] = [
    "abort", "assert", "__assert_fail", "exit", "fprintf", "memcmp", "perror", "printf", "putchar", "puts", "strcmp",
    "strlen", "strncmp", "__VERIFIER_assert",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_function_may_do_anything() {
        assert_eq!(effects_of("frobnicate"), LibraryEffects::default());
    }

    #[test]
    fn the_columns_of_the_table_fit_together() {
        for name in STANDARD_OUTPUT {
            assert!(effects_of(name).output && !effects_of(name).defined, "{name}");
        }
        for name in OUTPUT {
            assert!(!effects_of(name).defined && !effects_of(name).ends, "what {name} gives is open");
        }
    }
}
