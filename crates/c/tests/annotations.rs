//! What the source says besides C: it is found, it is about the right thing, and the program is the same without it.

mod support;

use std::sync::Arc;

use loopscope_c::{Input, translate};
use program::annotation::{AccessMode, Annotation, Language, Target, Word};
use program::{Annotations, Program};

/// The program of a text.
fn program(text: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.c");
    std::fs::write(&path, text).unwrap();
    let translation = translate(&[Input::new(path)]);
    assert!(translation.diagnostics.is_empty(), "{:?}", translation.diagnostics);
    translation.program
}

/// What each annotation is about, and its text in one line.
fn told(program: &Program) -> Vec<String> {
    let tell = |note: &Annotation| {
        let text: Vec<&str> = note.text.split_whitespace().collect();
        let target = match &note.target {
            Target::Function { name, parameters } => format!("{name}({})", parameters.join(", ")),
            Target::Loop { function, statement, .. } => {
                format!("{function}:{}:{}", statement.line, statement.column)
            }
            Target::Nothing(why) => format!("({why})"),
        };
        format!("{target} {}", text.join(" "))
    };
    program.annotations.notes.iter().map(tell).collect()
}

const ACSL: &str = "#define LIMIT 10
/*@ requires n < LIMIT;
  @ ensures \\result >= 0;
  @*/
static int f(int n);

//@ requires a > 0;
//@ assigns \\nothing;
static int f(int a)
{
    int i = 0;
    /*@ loop invariant 0 <= i;
        loop variant a - i; */
    while (i < a)
        i++;
    //@ loop assigns i;
    for (i = 0; i < a; i++) {
    }
    //@ assert i == a;
    return i;
}

#if 0
/*@ requires skipped; */
int g(void);
#endif

int main(void) { return f(3); }
";

#[test]
fn comments_are_about_functions_and_loops() {
    let program = program(ACSL);
    assert_eq!(
        told(&program),
        [
            "f(n) requires n < LIMIT; ensures \\result >= 0;",
            "f(a) requires a > 0; assigns \\nothing;",
            "f:14:5 loop invariant 0 <= i; loop variant a - i;",
            "f:17:5 loop assigns i;",
            "(no function or loop follows it) assert i == a;",
        ]
    );
    let note = &program.annotations.notes[0];
    assert_eq!(note.language, Language::Acsl);
    assert_eq!(note.vocabulary.words["LIMIT"], Word::Macro(String::from("10")));
    let place = note.location(note.text.find("\\result").unwrap());
    assert_eq!((place.line, place.column), (3, 13));
}

#[test]
fn macros_of_cbmc_are_cut_out() {
    let program = program(
        "enum { FIRST = 4, LAST };
         typedef unsigned long size;
         int f(int *p, size n)
           __CPROVER_requires(__CPROVER_is_fresh(p, n * sizeof(size)) && n < LAST)
           __CPROVER_assigns(*p)
         {
             while (n > 0)
               __CPROVER_loop_invariant(n <= LAST)
               n--;
             do __CPROVER_decreases(n) { n = 0; } while (n > 0);
             return *p;
         }
         int main(void) { int x = 3; return f(&x, 1); }",
    );
    assert_eq!(
        told(&program),
        [
            "f(p, n) __CPROVER_requires ( __CPROVER_is_fresh ( p , n * sizeof ( size ) ) && n < LAST )",
            "f(p, n) __CPROVER_assigns ( * p )",
            "f:7:14 __CPROVER_loop_invariant ( n <= LAST )",
            "f:10:14 __CPROVER_decreases ( n )",
        ]
    );
    let note = &program.annotations.notes[0];
    let place = note.location(note.text.find("LAST").unwrap());
    assert_eq!((place.line, place.column), (4, 78));
    assert_eq!(note.vocabulary.words["LAST"], Word::Number(5));
    let Word::Type(size) = &note.vocabulary.words["size"] else { panic!("it is a type") };
    assert_eq!((size.text.as_str(), size.size), ("unsigned long", Some(8)));
}

#[test]
fn attributes_and_lengths_of_arrays_are_data() {
    let program = program(
        "struct buffer { int used; int size; char *data __attribute__((counted_by(size))); };
         __attribute__((nonnull(1), access(read_only, 2, 3), pure))
         int f(char *p, const char *q, int n, int a[static 4], int b[n], struct buffer *s);
         int f(char *p, const char *q, int count, int a[4], int b[count], struct buffer *s) { return count; }
         void *allocate(long a, long b) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));
         int main(void) { return f(0, 0, 0, 0, 0, 0) + (allocate(1, 2) != 0); }",
    );
    let f = &program.annotations.prototypes["f"];
    assert!(f.promises.pure && !f.promises.malloc);
    let parameters = &f.parameters;
    assert!(parameters[0].nonnull && !parameters[1].nonnull);
    let access = parameters[1].access.unwrap();
    assert_eq!((access.mode, access.count), (AccessMode::ReadOnly, Some(2)));
    assert!(parameters[1].ty.pointee().unwrap().constant);
    let length = |place: usize| parameters[place].length.clone().map(|one| (one.text, one.is_promised));
    assert_eq!(length(3), Some((String::from("4"), true)));
    assert_eq!(length(4), Some((String::from("count"), false)));
    let buffer = parameters[5].ty.pointee().unwrap();
    let members: Vec<_> = buffer.members().iter().map(|one| (one.name.as_str(), one.offset)).collect();
    assert_eq!(members, [("used", 0), ("size", 4), ("data", 8)]);
    assert_eq!(buffer.members()[2].counted_by.as_deref(), Some("size"));
    let allocate = &program.annotations.prototypes["allocate"];
    assert!(allocate.promises.malloc && allocate.promises.returns_nonnull);
    assert_eq!(allocate.promises.alloc_size, [0, 1]);
}

#[test]
fn headers_of_the_project_count_once_and_those_of_the_system_not() {
    let folder = support::Folder::new(&[
        ("own/f.h", "//@ requires n > LEAST;\nint f(int n);\n"),
        ("system/g.h", "//@ requires n > 2;\nint g(int *n) __attribute__((nonnull));\n"),
        (
            "a.c",
            "#define LEAST 1\n#include \"own/f.h\"\n#include <g.h>\nint f(int k) { return g(&k); }\n#undef LEAST\n#define LEAST 2\n",
        ),
        (
            "b.c",
            "#include \"own/f.h\"\n//@ ensures 1;\nstatic int h(void) { return 0; }\nint main(void) { return f(3) + h(); }\n",
        ),
        ("c.c", "//@ ensures 2;\nstatic int h(void) { return 0; }\nint i(void) { return h(); }\n"),
    ]);
    let inputs = ["a.c", "b.c", "c.c"].map(|name| {
        let mut input = folder.input(name);
        input.options.system_include.push(folder.path("system"));
        input
    });
    let program = translate(&inputs).program;
    assert_eq!(told(&program), ["f(n) requires n > LEAST;", "h() ensures 1;", "h.1() ensures 2;"]);
    assert!(!program.annotations.prototypes.contains_key("g"));
    assert_eq!(program.annotations.prototypes["f"].parameters[0].name, "k");
    // What the macro was where the text stands is not known.
    assert_eq!(program.annotations.notes[0].vocabulary.words.get("LEAST"), None);
}

#[test]
fn words_with_two_meanings_have_none() {
    let program = program(
        "#define M 1
         //@ ensures M;
         int f(void);
         #undef M
         #define M 2
         enum { A = 3, B = 4 };
         typedef int number;
         //@ ensures M + A + B + (number)1;
         int f(void) { enum { A = 5 }; typedef long number; return A + (int)(number)1; }
         int main(void) { return f(); }",
    );
    let words = &program.annotations.notes[0].vocabulary.words;
    assert_eq!(words.keys().collect::<Vec<_>>(), ["B"]);
}

#[test]
fn a_program_is_the_same_without_macros_of_cbmc() {
    let text = "int f(int *p, int n)
        __CPROVER_requires(n > 0 &&
            __CPROVER_is_fresh(p, n))
        {
            for (int i = 0; i < n; i++)
        __CPROVER_loop_invariant(i <= n)
                p[i] = 0;
            return 0;
        }
        int main(void) { int x; return f(&x, 1); }";
    let is_clause = |line: &&str| line.trim().starts_with("__CPROVER");
    let blank = |line| if is_clause(&line) { "" } else { line };
    let without: Vec<&str> = text.lines().map(blank).collect();
    let (mut with, mut without) = (program(text), program(&without.join("\n")));
    for program in [&mut with, &mut without] {
        program.annotations = Arc::new(Annotations::default());
        program.files = Arc::default();
    }
    assert_eq!(with, without);
}

#[test]
fn a_program_is_the_same_without_annotations() {
    let blank = |text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        let mut from = 0;
        while let Some(start) = text[from..].find("/*@").map(|at| from + at) {
            let end = start + text[start..].find("*/").unwrap() + 2;
            bytes[start..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            from = end;
        }
        String::from_utf8(bytes).unwrap()
    };
    let (mut with, mut without) = (program(ACSL), program(&blank(ACSL)));
    for program in [&mut with, &mut without] {
        program.annotations = Arc::new(Annotations::default());
        program.files = Arc::default();
    }
    assert_eq!(with, without);
}
