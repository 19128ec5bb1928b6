//! Models of library functions, through calls.

use loopscope_program::Obligation;
use loopscope_program::interpret::Outcome;

use super::{Setup, checked, message, violated};

/// An object with a string, as a declaration in text form.
fn string(name: &str, value: &str) -> String {
    let bytes: String = value.bytes().chain([0]).map(|byte| format!("{byte:02x}")).collect();
    format!("object ${name}: {} align 1 = x\"{bytes}\"\n", value.len() + 1)
}

/// What `printf` of a format and arguments writes.
fn printed(format: &str, arguments: &str) -> String {
    let text = format!(
        "external printf(ptr, ...) -> i32 {} {}
         function main() -> i32 {{ variable %r: i32 b0: %r := call printf(&$format{arguments}) return %r }}",
        string("format", format),
        string("word", "hello")
    );
    assert!(parser::parse(&text).is_ok(), "{text}");
    let (run, output) = Setup::default().run(&text);
    assert_eq!(run.outcome, Outcome::Exit(output.output.len() as i32 & 0xff), "{format}: {:?}", run.outcome);
    String::from_utf8_lossy(&output.output).into_owned()
}

#[test]
fn printf_writes_what_glibc_writes() {
    for (format, arguments, expected) in [
        (
            "%d|%5d|%-5d|%05d|%+d|% d",
            ", -1:i32, 42:i32, 42:i32, 42:i32, 42:i32, 42:i32",
            "-1|   42|42   |00042|+42| 42",
        ),
        (
            "%u %x %X %#x %o %#o",
            ", -1:i32, 255:i32, 255:i32, 255:i32, 8:i32, 8:i32",
            "4294967295 ff FF 0xff 10 010",
        ),
        (
            "%hhd %hd %ld %lu %zu",
            ", 300:i32, 65536:i32, -1:i64, -1:i64, 7:u64",
            "44 0 -1 18446744073709551615 7",
        ),
        ("%.3d|%8.3d|%-8.3d|%.0d|", ", 5:i32, 5:i32, 5:i32, 0:i32", "005|     005|005     ||"),
        ("%s|%8s|%-8s|%.2s|", ", &$word, &$word, &$word, &$word", "hello|   hello|hello   |he|"),
        ("%*d|%-*d|%.*s", ", 5:i32, 1:i32, 3:i32, 2:i32, 1:i32, &$word", "    1|2  |h"),
        ("%c%c%%", ", 65:i32, 10:i32", "A\n%"),
        (
            "%f %.2f %10.3f|%-10.1f|%010.2f",
            ", 1.5:f64, 2.675:f64, 3.14159:f64, 2.0:f64, -1.5:f64",
            "1.500000 2.67      3.142|2.0       |-000001.50",
        ),
        (
            "%e %.0e %E %g %g %g %G",
            ", 12345.678:f64, 5.0:f64, 1e-10:f64, 100000.0:f64, 1e6:f64, 0.0001:f64, 1e-5:f64",
            "1.234568e+04 5e+00 1.000000E-10 100000 1e+06 0.0001 1E-05",
        ),
        ("%a %A", ", 1.0:f64, 0.1:f64", "0x1p+0 0X1.999999999999AP-4"),
        (
            "%f %F %5.1f",
            ", 0x7ff0000000000000:f64, 0xfff0000000000000:f64, 0x7ff8000000000000:f64",
            "inf -INF   nan",
        ),
        ("%.20f", ", 0.1:f64", "0.10000000000000000555"),
        ("%Lf %Lg", ", 0x3fff8000000000000000:f80, 0x4000c000000000000000:f80", "1.000000 3"),
        ("%s %p", ", null, null", "(null) (nil)"),
        ("%lld %llx", ", -9223372036854775808:i64, -1:i64", "-9223372036854775808 ffffffffffffffff"),
        ("%5c|%-5c|", ", 120:i32, 121:i32", "    x|y    |"),
        ("%#.3g %#g", ", 1.0:f64, 2.0:f64", "1.00 2.00000"),
    ] {
        assert_eq!(printed(format, arguments), expected, "{format}");
    }
}

/// Runs statements that end in assertions.
fn holds(declarations: &str, statements: &str) {
    let text = format!(
        "{HEAD} {declarations}
         function main() -> i32 {{
           object b: 16 align 8 variable %p: ptr variable %q: ptr variable %n: u64 variable %i: i32 variable %l: i64
           variable %d: f64 variable %c: u8
         b0: begin b {statements} return 0:i32 }}"
    );
    let run = checked(&text);
    assert_eq!(run.outcome, Outcome::Exit(0), "{statements}");
}

const HEAD: &str = "external strlen(ptr) -> u64 external strcpy(ptr, ptr) -> ptr external strncpy(ptr, ptr, u64) -> ptr
    external strcat(ptr, ptr) -> ptr external strcmp(ptr, ptr) -> i32 external strncmp(ptr, ptr, u64) -> i32
    external strchr(ptr, i32) -> ptr external strrchr(ptr, i32) -> ptr external strstr(ptr, ptr) -> ptr
    external strspn(ptr, ptr) -> u64 external strcspn(ptr, ptr) -> u64 external strtok(ptr, ptr) -> ptr
    external memcpy(ptr, ptr, u64) -> ptr external memset(ptr, i32, u64) -> ptr external memcmp(ptr, ptr, u64) -> i32
    external memchr(ptr, i32, u64) -> ptr external strdup(ptr) -> ptr external free(ptr)
    external atoi(ptr) -> i32 external strtol(ptr, ptr, i32) -> i64 external strtod(ptr, ptr) -> f64
    external isdigit(i32) -> i32 external toupper(i32) -> i32 external __ctype_b_loc() -> ptr
    external abs(i32) -> i32 external sprintf(ptr, ptr, ...) -> i32 external sscanf(ptr, ptr, ...) -> i32
    external realloc(ptr, u64) -> ptr external calloc(u64, u64) -> ptr external sqrt(f64) -> f64
    external floor(f64) -> f64 external pow(f64, f64) -> f64 external __errno_location() -> ptr
    external __builtin___strcpy_chk(ptr, ptr, u64) -> ptr external __isoc99_sscanf(ptr, ptr, ...) -> i32
    external strnlen(ptr, u64) -> u64 external __builtin_strlen(ptr) -> u64 external __memcpy_chk(ptr, ptr, u64, u64) -> ptr
    external stpcpy(ptr, ptr) -> ptr external strncat(ptr, ptr, u64) -> ptr external strlcpy(ptr, ptr, u64) -> u64 ";

#[test]
fn strings() {
    let texts = string("abc", "abc") + &string("long", "one two,three");
    for statements in [
        "%n := call strlen(&$abc) check assertion %n == 3:u64 %n := call __builtin_strlen(&$abc) check assertion %n == 3:u64",
        "%n := call strnlen(&$long, 5:u64) check assertion %n == 5:u64",
        "%p := call strcpy(&b, &$abc) check assertion %p == &b %i := call strcmp(&b, &$abc) check assertion %i == 0:i32",
        "%p := call __builtin___strcpy_chk(&b, &$abc, 16:u64) %p := call strcat(&b, &$abc) %n := call strlen(&b) \
         check assertion %n == 6:u64",
        "%p := call strncpy(&b, &$abc, 16:u64) %c := load &b + 15:i64 check assertion %c == 0:u8",
        "%p := call stpcpy(&b, &$abc) check assertion %p == (&b + 3:i64) %p := call strncat(&b, &$long, 2:u64) \
         %n := call strlen(&b) check assertion %n == 5:u64",
        "%n := call strlcpy(&b, &$long, 4:u64) check assertion %n == 13:u64 %n := call strlen(&b) check assertion %n == 3:u64",
        "%i := call strcmp(&$abc, &$long) check assertion %i < 0:i32 %i := call strncmp(&$abc, &$long, 0:u64) \
         check assertion %i == 0:i32",
        "%p := call strchr(&$abc, 99:i32) check assertion %p == (&$abc + 2:i64) %p := call strchr(&$abc, 0:i32) \
         check assertion %p == (&$abc + 3:i64) %p := call strchr(&$abc, 120:i32) check assertion %p == null",
        "%p := call strrchr(&$long, 101:i32) check assertion %p == (&$long + 12:i64)",
        "%p := call strstr(&$abc, &$abc + 1:i64) check assertion %p == (&$abc + 1:i64)",
        "%n := call strcspn(&$long, &$abc) check assertion %n == 13:u64 %n := call strspn(&$abc, &$abc) check assertion %n == 3:u64",
        "%p := call memset(&b, 97:i32, 16:u64) %p := call memchr(&b, 97:i32, 16:u64) check assertion %p == &b",
        "%p := call memcpy(&b, &$abc, 4:u64) %i := call memcmp(&b, &$abc, 4:u64) check assertion %i == 0:i32",
        "%p := call __memcpy_chk(&b, &$abc, 4:u64, 16:u64) %p := call strdup(&b) %i := call strcmp(%p, &$abc) \
         check assertion %i == 0:i32 call free(%p)",
    ] {
        holds(&texts, statements);
    }
}

#[test]
fn tokens() {
    let texts = string("text", " a,,b") + &string("set", " ,");
    let statements = "%p := call strtok(&$text, &$set) check assertion %p == (&$text + 1:i64)
         %p := call strtok(null, &$set) check assertion %p == (&$text + 4:i64)
         %p := call strtok(null, &$set) check assertion %p == null";
    holds(&texts, statements);
}

#[test]
fn numbers_in_strings() {
    let texts = string("number", " -42x")
        + &string("hex", "0x1F")
        + &string("large", "99999999999999999999")
        + &string("float", "2.5e1");
    for statements in [
        "%i := call atoi(&$number) check assertion %i == -42:i32",
        "%l := call strtol(&$hex, &b, 0:i32) check assertion %l == 31:i64 %p := load &b check assertion %p == (&$hex + 4:i64)",
        "%l := call strtol(&$large, null, 10:i32) check assertion %l == 9223372036854775807:i64 \
         %p := call __errno_location() %i := load %p check assertion %i == 34:i32",
        "%d := call strtod(&$float, null) check assertion %d == 25.0:f64",
    ] {
        holds(&texts, statements);
    }
}

#[test]
fn characters_and_mathematics() {
    for statements in [
        "%i := call isdigit(53:i32) check assertion %i != 0:i32 %i := call isdigit(97:i32) check assertion %i == 0:i32",
        "%i := call toupper(97:i32) check assertion %i == 65:i32",
        "%p := call __ctype_b_loc() %p := load %p %c := load %p + 194:i64 check assertion %c == 8:u8",
        "%d := call sqrt(2.25:f64) check assertion %d == 1.5:f64 %d := call floor(-0.5:f64) check assertion %d == -1.0:f64",
        "%d := call pow(2.0:f64, 10.0:f64) check assertion %d == 1024.0:f64",
        "%i := call abs(-3:i32) check assertion %i == 3:i32",
    ] {
        holds("", statements);
    }
}

#[test]
fn allocation() {
    let statements = "%p := call calloc(4:u64, 4:u64) check readable %p, 16:u64 %i := load %p + 12:i64
         check assertion %i == 0:i32 store %p := 7:i32 %p := call realloc(%p, 100:u64) %i := load %p
         check assertion %i == 7:i32 call free(%p)
         %p := call calloc(4611686018427387904:u64, 8:u64) check assertion %p == null";
    holds("", statements);
}

#[test]
fn scanning() {
    let texts = string("text", " 12 abc 0x1f 2.5 z")
        + &string("format", "%d %3s %i %lf %n%c")
        + &string("short", "7")
        + &string("two", "%d %d");
    let statements = "%p := call calloc(1:u64, 64:u64)
         %i := call sscanf(&$text, &$format, %p, %p + 8:i64, %p + 16:i64, %p + 24:i64, %p + 32:i64, %p + 40:i64)
         check assertion %i == 5:i32
         %i := load %p check assertion %i == 12:i32 %i := load %p + 16:i64 check assertion %i == 31:i32
         %n := call strlen(%p + 8:i64) check assertion %n == 3:u64 %d := load %p + 24:i64 check assertion %d == 2.5:f64
         %i := load %p + 32:i64 check assertion %i == 17:i32 %c := load %p + 40:i64 check assertion %c == 122:u8
         %i := call __isoc99_sscanf(&$short, &$two, %p, %p) check assertion %i == 1:i32
         %i := call sscanf(&$short + 1:i64, &$two, %p, %p) check assertion %i == -1:i32 call free(%p)";
    holds(&texts, statements);
}

#[test]
fn violations_name_function_and_argument() {
    let texts = string("text", "far too long for the buffer");
    let text = format!(
        "{HEAD} {texts} function main() -> i32 {{ object b: 4 align 1 variable %p: ptr b0: begin b
         %p := call strcpy(&b, &$text) return 0:i32 }}"
    );
    let run = checked(&text);
    assert_eq!(violated(&run), Some(Obligation::OutOfBounds));
    assert_eq!(message(&run), "argument 1 of strcpy: write of 28 bytes at index 0 is outside `b` (4 bytes)");
    let text = format!(
        "{HEAD} function main() -> i32 {{ object b: 4 align 1 variable %n: u64 b0: begin b
         %n := call strlen(&b) return 0:i32 }}"
    );
    assert_eq!(violated(&checked(&text)), Some(Obligation::Uninitialised));
    let text = format!(
        "{HEAD} function main() -> i32 {{ variable %n: u64 b0: %n := call strlen(null) return 0:i32 }}"
    );
    assert_eq!(violated(&checked(&text)), Some(Obligation::Null));
}

#[test]
fn sorting_calls_back() {
    let text = "external qsort(ptr, u64, u64, ptr) external bsearch(ptr, ptr, u64, u64, ptr) -> ptr
         object $a: 16 align 4 = x\"04000000010000000300000002000000\"
         object $key: 4 align 4 = x\"03000000\"
         function compare(%p: ptr, %q: ptr) -> i32 { variable %x: i32 variable %y: i32
         b0: %x := load %p %y := load %q return %x - %y }
         function main() -> i32 { variable %x: i32 variable %y: i32 variable %p: ptr
         b0: call qsort(&$a, 4:u64, 4:u64, function(compare)) %x := load &$a %y := load &$a + 12:i64
             %p := call bsearch(&$key, &$a, 4:u64, 4:u64, function(compare))
             check assertion %p == (&$a + 8:i64)
             return (%x * 10:i32) + %y }";
    assert_eq!(checked(text).outcome, Outcome::Exit(14));
}

#[test]
fn streams() {
    let text = "external getchar() -> i32 external putchar(i32) -> i32 external fputc(i32, ptr) -> i32
         external ungetc(i32, ptr) -> i32 external fgets(ptr, i32, ptr) -> ptr external feof(ptr) -> i32
         external fputs(ptr, ptr) -> i32 external atexit(ptr) -> i32
         object $stdin: 8 align 8 = unknown variable $stderr: ptr = unknown variable $stdout: ptr = unknown
         function bye() { variable %r: i32 b0: %r := call putchar(33:i32) return }
         function main() -> i32 { object b: 8 align 1 variable %c: i32 variable %r: i32 variable %in: ptr variable %p: ptr
         b0: begin b %r := call atexit(function(bye)) %in := load &$stdin
             %c := call getchar() %c := call ungetc(%c, %in)
             %p := call fgets(&b, 4:i32, %in) %r := call fputs(&b, $stdout)
             %p := call fgets(&b, 8:i32, %in) %r := call fputs(&b, $stderr)
             %c := call getchar() check assertion %c == -1:i32
             %r := call feof(%in) check assertion %r == 1:i32
             return 0:i32 }";
    let (run, output) = Setup { stdin: b"abcde\n".to_vec(), ..Setup::default() }.run(text);
    assert_eq!(run.outcome, Outcome::Exit(0));
    assert_eq!((output.output.as_slice(), output.error.as_slice()), (b"abc!".as_slice(), b"de\n".as_slice()));
}

#[test]
fn ends_of_programs() {
    let exit = "external exit(i32) noreturn function main() -> i32 { b0: call exit(300:i32) unreachable }";
    assert_eq!(checked(exit).outcome, Outcome::Exit(44));
    let abort = "external abort() noreturn function main() -> i32 { b0: call abort() unreachable }";
    assert_eq!(checked(abort).outcome, Outcome::Aborted);
}
