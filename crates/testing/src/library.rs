//! Programs that call library functions, for a comparison of the models in the encoding with those of the interpreter.
//!
//! A program is a few calls from a table, on buffers of random sizes with random contents; limits are inputs, so that the
//! encoding has to work with numbers that it does not know. All results and some bytes of all buffers go into the status
//! with which the program ends. Many calls go wrong on purpose: then the violation is what is compared.

use std::path::Path;

use base::Budget;
use encoding::{Encoder, Options};
use logic::solver::Embedded;
use logic::{Answer, Solver, Term};
use program::interpret::{Integers, ObligationSet};
use program::{Obligation, Program};

use crate::encoded::{Agreement, compare_program};
use crate::interpretation::{Form, prepare, translate};
use crate::random::Random;

/// What every program starts with.
const DECLARATIONS: &str = r"
typedef unsigned long size_t;
typedef struct _IO_FILE FILE;
extern FILE *stdin, *stdout, *stderr;
extern int __VERIFIER_nondet_int(void);
extern void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t);
extern void free(void *);
extern size_t strlen(const char *), strnlen(const char *, size_t);
extern char *strcpy(char *, const char *), *stpcpy(char *, const char *), *strncpy(char *, const char *, size_t);
extern char *strcat(char *, const char *), *strncat(char *, const char *, size_t);
extern size_t strlcpy(char *, const char *, size_t), strlcat(char *, const char *, size_t);
extern int strcmp(const char *, const char *), strncmp(const char *, const char *, size_t);
extern int strcasecmp(const char *, const char *), strncasecmp(const char *, const char *, size_t);
extern char *strchr(const char *, int), *strrchr(const char *, int), *strchrnul(const char *, int);
extern char *strstr(const char *, const char *), *strcasestr(const char *, const char *);
extern size_t strspn(const char *, const char *), strcspn(const char *, const char *);
extern char *strpbrk(const char *, const char *), *strdup(const char *), *strndup(const char *, size_t);
extern char *strtok(char *, const char *), *strtok_r(char *, const char *, char **), *strsep(char **, const char *);
extern void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t);
extern void *mempcpy(void *, const void *, size_t), *memset(void *, int, size_t);
extern int memcmp(const void *, const void *, size_t);
extern void *memchr(const void *, int, size_t), *memrchr(const void *, int, size_t), *rawmemchr(const void *, int);
extern void bzero(void *, size_t), bcopy(const void *, void *, size_t);
extern int isalpha(int), isdigit(int), isalnum(int), isxdigit(int), isupper(int), islower(int), isspace(int);
extern int isblank(int), ispunct(int), isprint(int), isgraph(int), iscntrl(int), tolower(int), toupper(int);
extern const unsigned short **__ctype_b_loc(void);
extern const int **__ctype_toupper_loc(void);
extern int *__errno_location(void);
extern int abs(int), atoi(const char *), posix_memalign(void **, size_t, size_t);
extern long labs(long), strtol(const char *, char **, int);
extern int printf(const char *, ...), sprintf(char *, const char *, ...), puts(const char *);
extern int snprintf(char *, size_t, const char *, ...), asprintf(char **, const char *, ...);
extern int fputs(const char *, FILE *), putchar(int), getchar(void), feof(FILE *);
extern char *fgets(char *, int, FILE *);
extern size_t fread(void *, size_t, size_t, FILE *), fwrite(const void *, size_t, size_t, FILE *);
extern int sscanf(const char *, const char *, ...), scanf(const char *, ...), fscanf(FILE *, const char *, ...);
extern FILE *fopen(const char *, const char *);
extern int fclose(FILE *), getc(FILE *), ungetc(int, FILE *), putc(int, FILE *), fprintf(FILE *, const char *, ...);
extern int fseek(FILE *, long, int), ferror(FILE *), fflush(FILE *);
extern long ftell(FILE *), getline(char **, size_t *, FILE *);
extern void rewind(FILE *);
extern char *getenv(const char *);
struct pair { char *first; int second; };
static unsigned hash;
static void mix(unsigned value) { hash = hash * 31u + value; }
";

/// Calls. `$s` is a string, `$d` a place to write, `$n` a small number, `$c` a character, `$l` a string literal.
const CALLS: &[&str] = &[
    "mix(strlen($s));",
    "mix(strnlen($s, $n));",
    "strcpy($d, $s);",
    "q = $d; p = stpcpy(q, $s); mix(p - q);",
    "strncpy($d, $s, $n);",
    "strcat($d, $s);",
    "strncat($d, $s, $n);",
    "mix(strlcpy($d, $s, $n));",
    "mix(strlcat($d, $s, $n));",
    "mix(strcmp($s, $s));",
    "mix(strncmp($s, $s, $n));",
    "mix(strcasecmp($s, $s));",
    "mix(strncasecmp($s, $s, $n));",
    "q = (char *)$s; p = strchr(q, $c); mix(p ? p - q : 99);",
    "q = (char *)$s; p = strrchr(q, $c); mix(p ? p - q : 99);",
    "q = (char *)$s; p = strchrnul(q, $c); mix(p - q);",
    "q = (char *)$s; p = strstr(q, $l); mix(p ? p - q : 99);",
    "q = (char *)$s; p = strstr(q, $s); mix(p ? p - q : 99);",
    "q = (char *)$s; p = strcasestr(q, $l); mix(p ? p - q : 99);",
    "mix(strspn($s, $l));",
    "mix(strcspn($s, $l));",
    "mix(strspn($s, $s));",
    "q = (char *)$s; p = strpbrk(q, $l); mix(p ? p - q : 99);",
    "p = strdup($s); mix(strlen(p)); free(p);",
    "p = strndup($s, $n); mix(strlen(p)); mix(p[0]); free(p);",
    "q = $d; p = strtok(q, $l); mix(p ? p - q : 99); p = strtok(0, $l); mix(p ? p - q : 99);",
    "q = $d; p = strtok_r(q, $l, &t); mix(p ? p - q : 99); p = strtok_r(0, $l, &t); mix(p ? strlen(p) : 99);",
    "t = $d; q = t; p = strsep(&t, $l); mix(p - q); mix(t ? t - q : 99);",
    "memcpy($d, $s, $n);",
    "memmove($d, $s, $n);",
    "q = $d; p = mempcpy(q, $s, $n); mix(p - q);",
    "bcopy($s, $d, $n);",
    "memset($d, $c, $n);",
    "bzero($d, $n);",
    "mix(memcmp($s, $s, $n));",
    "q = (char *)$s; p = memchr(q, $c, $n); mix(p ? p - q : 99);",
    "q = (char *)$s; p = memrchr(q, $c, $n); mix(p ? p - q : 99);",
    "q = (char *)$s; p = rawmemchr(q, $c); mix(p - q);",
    "mix(isalpha($n) + isdigit($n) + isalnum($n) + isxdigit($n));",
    "mix(isupper($x) + islower($x) + isspace($x) + isblank($x) + ispunct($x));",
    "mix(isprint($x) + isgraph($x) + iscntrl($x)); mix(tolower($x)); mix(toupper($x));",
    "mix((*__ctype_b_loc())[$x & 127]); mix((*__ctype_toupper_loc())[$x & 127]);",
    "mix(abs($x)); mix(labs($x));",
    "mix(atoi($l));",
    "mix(atoi($s));",
    "mix(strtol($s, &t, 10)); mix(*t);",
    "*__errno_location() = $n; mix(*__errno_location());",
    "p = malloc($n); memset(p, $c, $n); p = realloc(p, $n); if (p) mix(p[$n]); free(p);",
    "p = calloc($n, 2); mix(p[$n]); free(p);",
    "p = malloc($n + 1); p[0] = $c; p = realloc(p, $n + 40); mix(p[0]); free(p);",
    "v = malloc(3 * sizeof(int)); v[0] = $n; v[1] = $x; v = realloc(v, 20 * sizeof(int)); mix(v[1]); free(v);",
    "mix(sprintf($d, \"%d\", $x)); ",
    "mix(sprintf($d, \"<%s>\", $s)); ",
    "mix(sprintf($d, \"%s\", $s)); ",
    "mix(sprintf($d, \"%5d|%-4s|%c\", $n, $l, $c)); ",
    "mix(snprintf($d, $n, \"%s\", $s)); ",
    "mix(snprintf($d, $n, \"%d%%%x\", $x, $n)); ",
    "mix(snprintf($d, 8, \"%.*s\", $n, $s)); ",
    "asprintf(&p, \"%s-%u\", $s, $n); mix(strlen(p)); free(p);",
    "printf(\"%s %d\\n\", $s, $n); puts($s); fputs($s, stdout); putchar($c);",
    "fwrite($s, 1, $n, stdout);",
    "r = getchar(); mix(r == -1 ? 99 : 1);",
    "p = fgets($d, $n, stdin); if (p) mix(p[0] == 0);",
    "p = fgets($d, 8, stdin); if (p) { mix(strlen(p) < 8); }",
    "z = fread($d, 1, $n, stdin); mix(z <= $n);",
    "r = sscanf($s, \"%d\", &k); if (r == 1) mix(k > -1);",
    "r = sscanf($s, \"%3s\", $d); mix(r);",
    "r = sscanf($s, \"%s %d\", $d, &k); mix(r);",
    "r = scanf(\"%d\", &k); mix(r);",
    "r = scanf(\"%4s\", $d); mix(r);",
    "f = fopen($l, \"r\"); mix(f != 0); if (f) { r = getc(f); mix(r == -1 ? 99 : 1); fclose(f); }",
    "f = fopen(\"x\", \"r\"); p = fgets($d, $n, f); if (p) mix(p[0] == 0); fclose(f);",
    "f = fopen(\"x\", \"r\"); if (f) { z = fread($d, 1, $n, f); mix(z <= 12); mix(feof(f) != 0); fclose(f); }",
    "f = fopen(\"x\", \"r\"); if (f) { fclose(f); mix(getc(f) == -1); }",
    "f = fopen(\"x\", \"r\"); if (f) fclose(f); if ($n) fclose(f);",
    "f = fopen(\"x\", \"w\"); if (f) { fputs($s, f); fwrite($s, 1, $n, f); putc($c, f); mix(fclose(f)); }",
    "f = fopen(\"x\", \"w\"); if (f) { r = fprintf(f, \"%s %d\", $s, $n); mix(r > 0); mix(getc(f)); }",
    "f = fopen(\"x\", \"r\"); if (f) { r = fscanf(f, \"%4s\", $d); mix(r); mix(ferror(f)); rewind(f); }",
    "f = fopen(\"x\", \"r\"); if (f) { r = getc(f); ungetc(r, f); mix(getc(f) == r); mix(fflush(f)); }",
    "f = fopen(\"x\", \"r\"); if (f) { mix(fseek(f, $n, 0)); mix(ftell(f) >= 0); mix(getc(f) > 9); }",
    "f = fopen(\"x\", \"r\"); if (f) { p = 0; z = 0; r = getline(&p, &z, f); if (r > 0) mix(p[r]); free(p); }",
    "f = $n ? fopen(\"x\", \"r\") : stdin; if (f) { p = fgets($d, 8, f); if (p) mix(strlen(p) < 8); }",
    "p = 0; z = 0; r = getline(&p, &z, stdin); mix(r); if (r > 2) p[2] = $c; free(p);",
    "if ($n < argc) mix(strlen(argv[$n]));",
    "q = argv[$n]; mix(q != 0); if (q) mix(q[0]);",
    "mix(argc); mix(argv[argc] == 0); strncpy($d, argv[0], $n);",
    "q = getenv($l); if (q) mix(strlen(q));",
    "x.first = $d; x.second = $n; memcpy(&y, &x, sizeof x); y.first[0] = $c; mix(y.second);",
    "x.first = $d; memcpy(&y, &x, sizeof x); mix(y.second);",
    "memcpy(table, $s, $n); mix(table[1]);",
    "w[1] = $d; memmove(w + 2, w, $n * sizeof *w); mix(w[3] == w[1]); if ($n == 2) w[3][0] = $c;",
    "($d)[$n] = 0;",
    "($d)[$n] = $c;",
];

/// The program of a seed.
pub fn program_text(seed: u64) -> String {
    let mut random = Random::new(seed);
    let sizes = [4, 8, 16, 24, 40, 60];
    let (first, second, third) = (*random.pick(&sizes), *random.pick(&sizes), *random.pick(&sizes));
    let mut text = String::from(DECLARATIONS);
    text.push_str(
        "int main(int argc, char **argv) {\n    char *p, *q, *t; size_t z; int r, k = 0; int *v; FILE *f; struct pair x, y;\n",
    );
    text.push_str("    char *w[40] = {0}; char table[64] = {1, 2, 3};\n");
    let initial = literal(&mut random, first - 1);
    text.push_str(&format!("    char a[{first}] = {initial};\n"));
    text.push_str(&match random.below(4) {
        0 => format!("    char b[{second}];\n"),
        1 => format!("    char b[{second}]; memset(b, 'z', {second});\n"),
        _ => format!("    char b[{second}] = {};\n", literal(&mut random, second - 1)),
    });
    text.push_str(&format!("    char *h = malloc({third}); memset(h, 0, {third});\n"));
    for name in ["n", "m"] {
        let most = random.range(1, 12);
        text.push_str(&format!(
            "    int {name} = __VERIFIER_nondet_int(); if ({name} < 0 || {name} > {most}) {name} = {most};\n"
        ));
    }
    text.push_str("    int o = __VERIFIER_nondet_int(); if (o < -130 || o > 260) o = 65;\n");
    for _ in 0..random.range(1, 4) {
        let call = *random.pick(CALLS);
        text.push_str(&format!("    {}\n", filled(&mut random, call)));
    }
    for (name, size) in [("a", first), ("h", third)] {
        for _ in 0..4 {
            text.push_str(&format!("    mix({name}[{}]);", random.below(size)));
        }
    }
    text.push_str("\n    mix(a[n % 4]); free(h);\n    return (hash ^ hash >> 9 ^ hash >> 20) & 127;\n}\n");
    text
}

/// A call with its places filled in.
fn filled(random: &mut Random, call: &str) -> String {
    let mut text = String::new();
    let mut rest = call;
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..at]);
        let kind = rest.as_bytes()[at + 1];
        rest = &rest[at + 2..];
        text.push_str(&match kind {
            b's' => match random.below(6) {
                0 => literal(random, 6),
                1 => format!("(a + {})", random.below(4)),
                2 => String::from("(b + n)"),
                _ => (*random.pick(&["a", "b", "h"])).to_owned(),
            },
            b'd' => match random.below(6) {
                0 => format!("(a + {})", random.below(4)),
                1 => String::from("(h + m)"),
                _ => (*random.pick(&["a", "b", "h", "h"])).to_owned(),
            },
            b'n' => match random.below(4) {
                0 => random.below(10).to_string(),
                _ => (*random.pick(&["n", "m"])).to_owned(),
            },
            b'x' => String::from("o"),
            b'c' => (*random.pick(&["'a'", "'z'", "' '", "'/'", "0", "n"])).to_owned(),
            _ => literal(random, 3),
        });
    }
    text + rest
}

/// A string literal of at most so many bytes.
fn literal(random: &mut Random, most: usize) -> String {
    let length = random.below(most.min(12) + 1);
    let bytes: String = (0..length).map(|_| *random.pick(&['a', 'b', 'z', ' ', '/', 'A', '7'])).collect();
    format!("\"{bytes}\"")
}

/// Compares some runs of the program of a seed with its encoding.
pub fn compare(folder: &Path, seed: u64, form: Form, runs: u64) -> Result<Vec<Agreement>, String> {
    let source = folder.join(format!("library-{}-{seed}.c", std::process::id()));
    let program = translated(&source, &program_text(seed), form)?;
    Ok(compare_program(&program, runs))
}

fn translated(source: &Path, text: &str, form: Form) -> Result<Program, String> {
    std::fs::write(source, text).map_err(|error| error.to_string())?;
    let program = translate(source, &[]);
    let _ = std::fs::remove_file(source);
    let mut program = program?;
    prepare(&mut program, form)?;
    Ok(program)
}

/// The obligations that a `main` with this body, which may use `argc` and `argv`, may violate, by what is known of its encoding.
pub fn open_obligations(folder: &Path, name: &str, body: &str) -> Result<Vec<Obligation>, String> {
    let source = folder.join(format!("library-{}-{name}.c", std::process::id()));
    let text = format!(
        "{DECLARATIONS}extern void __VERIFIER_assert(int);\nint main(int argc, char **argv) {{ {body} }}\n"
    );
    let program = translated(&source, &text, Form::Simplified)?;
    let main = program.function_named("main").ok_or("there is no main")?;
    let checks = ObligationSet::ALL.without(Obligation::Leak);
    let options = Options {
        integers: Integers::Machine,
        checks,
        needed: ObligationSet::EMPTY,
        iterations: 0,
        abstract_loops: None,
        call_depth: 5,
        recursion: 1,
        any_overflow: false,
        outside_returns: true,
        kept_pointers: false,
        trace: false,
    };
    let mut encoder = Encoder::new(&program, options, Budget::steps(100_000));
    encoder.run(main).map_err(|_| "the budget is spent")?;
    for end in std::mem::take(&mut encoder.findings.incomplete) {
        if is_possible(&mut encoder, end.reached) {
            return Err(format!("not encoded: {:?}", end.reason));
        }
    }
    let mut open = Vec::new();
    for vc in std::mem::take(&mut encoder.findings.vcs) {
        if is_possible(&mut encoder, vc.violated) {
            open.push(vc.obligation);
        }
    }
    Ok(open)
}

/// Whether a condition is not known to be impossible.
fn is_possible(encoder: &mut Encoder<'_>, condition: Term) -> bool {
    let terms = &mut encoder.terms;
    let mut asked = encoder.axioms.about(terms, &[condition]);
    asked.push(condition);
    let mut solver: Embedded = Embedded::new();
    solver.check(terms, &asked, &mut Budget::steps(2_000_000)) != Answer::Unsatisfiable
}
