//! The models of library functions in the encoding allow what those of the interpreter do.

use loopscope_testing::encoded::Agreement;
use loopscope_testing::interpretation::Form;
use loopscope_testing::library::{compare, open_obligations, program_text};
use program::Obligation;

#[test]
fn models_in_the_encoding_allow_what_the_interpreter_does() {
    let many = std::env::var("LIBRARY_PROGRAMS").ok().and_then(|number| number.parse().ok());
    let last = many.unwrap_or(200);
    let (mut allowed, mut exact, mut alarms, mut skipped) = (0, 0, 0, 0);
    for seed in 1..=last {
        let form = if seed % 2 == 0 { Form::Plain } else { Form::Simplified };
        let all = compare(&std::env::temp_dir(), seed, form, 3).unwrap_or_else(|problem| panic!("{problem}"));
        for (number, one) in all.into_iter().enumerate() {
            match one {
                Agreement::Allows { exactly } => (allowed, exact) = (allowed + 1, exact + u64::from(exactly)),
                Agreement::Alarms => alarms += 1,
                Agreement::Skipped => skipped += 1,
                Agreement::Contradicts(what) => {
                    panic!("seed {seed} ({form}), run {number}: {what}\n{}", program_text(seed))
                }
            }
        }
    }
    let counts =
        format!("{allowed} runs allowed, {exact} of them exactly, {alarms} with alarms, {skipped} skipped");
    println!("{counts}");
    assert!(allowed >= 2 * last && exact >= last * 3 / 4 && alarms <= last / 2, "{counts}");
}

/// A string of up to 49 unspecified bytes.
const SOME_STRING: &str = "char a[50]; if (fread(a, 1, 50, stdin) < 50) return 0; a[49] = 0;";

/// Bodies of `main` after some string is read, none of which can go wrong.
const SAFE: &[(&str, &str)] = &[
    ("length", "size_t z = strlen(a); __VERIFIER_assert(z < 50); a[z] = 'x';"),
    ("line", "char b[100]; if (fgets(b, 100, stdin)) { size_t z = strlen(b); __VERIFIER_assert(z < 100); }"),
    ("copy", "char b[50]; strcpy(b, a); __VERIFIER_assert(strlen(a) == strlen(b));"),
    ("equal", "char b[50]; strcpy(b, a); __VERIFIER_assert(strcmp(a, b) == 0);"),
    ("find", "char *p = strchr(a, '/'); if (p) { __VERIFIER_assert(*p == '/'); *p = 0; }"),
    ("cut", "char *p = strchr(a, '/'); if (p) { *p = 0; __VERIFIER_assert(strlen(a) == p - a); }"),
    ("find_last", "char *p = strrchr(a, '/'); if (p) __VERIFIER_assert(!strchr(p + 1, '/'));"),
    ("duplicate", "char *p = malloc(strlen(a) + 1); strcpy(p, a); __VERIFIER_assert(strlen(p) == strlen(a));"),
    ("strdup", "char *p = strdup(a); __VERIFIER_assert(strlen(p) < 50);"),
    ("print", "char b[20]; snprintf(b, 20, \"%s\", a); __VERIFIER_assert(strlen(b) < 20);"),
    ("print_number", "char b[12]; sprintf(b, \"%d\", __VERIFIER_nondet_int());"),
    ("limited", "char b[20]; strncpy(b, a, 20); b[19] = 0; __VERIFIER_assert(strlen(b) < 20);"),
    ("append", "char b[60] = \"12345678\"; strcat(b, a); __VERIFIER_assert(strlen(b) == 8 + strlen(a));"),
    (
        "move",
        "char b[50]; int n = __VERIFIER_nondet_int(), i = __VERIFIER_nondet_int(); if (n < 0 || n > 50) return 0;
         memcpy(b, a, n); if (i >= 0 && i < n) __VERIFIER_assert(b[i] == a[i]);",
    ),
    (
        "set",
        "char b[50]; int n = __VERIFIER_nondet_int(), i = __VERIFIER_nondet_int(); if (n < 0 || n > 50) return 0;
         memset(b, 'x', n); if (i >= 0 && i < n) __VERIFIER_assert(b[i] == 'x');",
    ),
    ("span", "size_t z = strspn(a, \" /\"); __VERIFIER_assert(a[z] != ' ');"),
    ("scan", "char b[4]; int k = 0; if (sscanf(a, \"%3s %d\", b, &k) == 2) __VERIFIER_assert(strlen(b) < 4);"),
    ("file", "FILE *f = fopen(a, \"r\"); char b[9]; if (f && fgets(b, 9, f)) __VERIFIER_assert(strlen(b) < 9);"),
    ("write", "FILE *f = fopen(a, \"w\"); if (!f) return 0; fputs(a, f); putc('x', f); fclose(f);"),
    (
        "file_or_input",
        "FILE *f = argc > 1 ? fopen(argv[1], \"r\") : stdin; if (!f) return 0; if (getc(f) == 'x') ungetc('x', f);
         if (f != stdin) fclose(f);",
    ),
    (
        "long_line",
        "char *p = 0; size_t z = 0; long n = getline(&p, &z, stdin);
         if (n > 0) { __VERIFIER_assert(p[n] == 0 && n < z); p[n - 1] = 'x'; } free(p);",
    ),
    ("word", "char b[20]; if (argc > 1 && strlen(argv[1]) < 20) strcpy(b, argv[1]);"),
    (
        "any_word",
        "char b[20]; int i = __VERIFIER_nondet_int();
         if (i >= 0 && i < argc && strlen(argv[i]) < 20) strcpy(b, argv[i]);",
    ),
    ("last_word", "__VERIFIER_assert(argv[argc] == 0); __VERIFIER_assert(argc > 0 && argv[argc - 1] != 0);"),
    ("environment", "char *p = getenv(\"X\"); if (p && *p) __VERIFIER_assert(strlen(p) > 0);"),
    ("case", "int c = getchar(); __VERIFIER_assert(!isdigit(c) || (c >= 48 && c < 58));"),
    (
        "option",
        "extern char *optarg; extern int getopt(int, char *const *, const char *); char *w[3] = {a, a, 0};
         int c = getopt(2, w, \"x:y\"); if (c == 'x') __VERIFIER_assert(strlen(optarg) < 50);",
    ),
    (
        "address",
        "struct address { unsigned number; } x = {1}; extern char *inet_ntoa(struct address);
         char b[16]; strcpy(b, inet_ntoa(x)); __VERIFIER_assert(strlen(b) > 6);",
    ),
];

#[test]
fn models_are_precise_enough_for_proofs() {
    for (name, body) in SAFE {
        let open = open_obligations(&std::env::temp_dir(), name, &format!("{SOME_STRING} {body} return 0;"));
        assert_eq!(open, Ok(Vec::new()), "{name}: {body}");
    }
}

/// Bodies of `main` that can go wrong, and how.
const UNSAFE: &[(&str, &str, Obligation)] = &[
    ("short_copy", "char b[49]; strcpy(b, a);", Obligation::OutOfBounds),
    ("no_end", "a[49] = 'x'; return strlen(a);", Obligation::StringTermination),
    ("unwritten", "char b[50]; int n = strlen(a); memcpy(b, a, n); return b[n];", Obligation::Uninitialised),
    ("wrong_length", "char b[50]; strcpy(b, a); __VERIFIER_assert(strlen(b) < 49);", Obligation::Assertion),
    ("narrow", "char b[11]; sprintf(b, \"%d\", __VERIFIER_nondet_int());", Obligation::OutOfBounds),
    ("not_found", "char *p = strchr(a, '/'); return *p;", Obligation::Null),
    ("word", "char b[4]; scanf(\"%s\", b);", Obligation::OutOfBounds),
    ("not_opened", "FILE *f = fopen(a, \"r\"); return getc(f);", Obligation::Null),
    ("closed", "FILE *f = fopen(a, \"r\"); if (f) { fclose(f); getc(f); }", Obligation::Dangling),
    ("closed_twice", "FILE *f = fopen(a, \"r\"); if (f) { fclose(f); fclose(f); }", Obligation::Dangling),
    ("other_line", "FILE *f = fopen(a, \"r\"); char b[9]; if (f) fgets(b, 10, f);", Obligation::OutOfBounds),
    ("long_word", "char b[20]; if (argc > 1) strcpy(b, argv[1]);", Obligation::OutOfBounds),
    ("beyond_words", "return argv[argc + 1] == 0;", Obligation::OutOfBounds),
    ("no_word", "return argv[argc][0];", Obligation::Null),
    (
        "same_word",
        "int i = __VERIFIER_nondet_int(); if (argc > 1 && i > 0 && i < argc) __VERIFIER_assert(argv[1] != argv[i]);",
        Obligation::Assertion,
    ),
    (
        "other_words",
        "if (argc > 2) __VERIFIER_assert(strlen(argv[1]) == strlen(argv[2]));",
        Obligation::Assertion,
    ),
    ("environment", "char b[70000]; char *p = getenv(\"X\"); if (p) strcpy(b, p);", Obligation::OutOfBounds),
    (
        "option_alone",
        "extern char *optarg; extern int getopt(int, char *const *, const char *); char *w[3] = {a, a, 0};
         if (getopt(2, w, \"x:y\") == 'y') return *optarg;",
        Obligation::Null,
    ),
    (
        "longer_option",
        "extern char *optarg; extern int getopt(int, char *const *, const char *); char *w[3] = {a, a, 0};
         char b[40]; if (getopt(2, w, \"x:y\") == 'x') strcpy(b, optarg);",
        Obligation::OutOfBounds,
    ),
    (
        "longer_address",
        "struct address { unsigned number; } x = {1}; extern char *inet_ntoa(struct address);
         char b[15]; strcpy(b, inet_ntoa(x));",
        Obligation::OutOfBounds,
    ),
    (
        "error_number",
        "extern int *__errno_location(void); extern void elsewhere(void); *__errno_location() = 0; elsewhere();
         __VERIFIER_assert(*__errno_location() == 0);",
        Obligation::Assertion,
    ),
];

/// Bodies of `main` that write to what is shared with pointers that it is not known of.
const SHARED: &[(&str, &str)] = &[
    ("word", "if (argc > 1 && argv[1][0]) argv[1][0] = 'x';"),
    ("table", "argv[0] = a;"),
    ("environment", "char *p = getenv(\"X\"); if (p && p[0]) p[0] = 'x';"),
    ("token", "if (argc > 1) strtok(argv[1], \":\");"),
];

#[test]
fn what_is_shared_with_others_ends_the_path() {
    for (name, body) in SHARED {
        let open = open_obligations(&std::env::temp_dir(), name, &format!("{SOME_STRING} {body} return 0;"));
        assert!(open.as_ref().is_err_and(|problem| problem.contains("a write to")), "{name}: {open:?}");
    }
}

#[test]
fn models_see_what_goes_wrong() {
    for (name, body, obligation) in UNSAFE {
        let open = open_obligations(&std::env::temp_dir(), name, &format!("{SOME_STRING} {body} return 0;"));
        assert!(open.as_ref().is_ok_and(|open| open.contains(obligation)), "{name}: {open:?}");
    }
}
