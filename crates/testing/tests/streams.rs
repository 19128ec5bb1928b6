//! Files as the interpreter has them: the same as in the compiled program, and with contents that are inputs.

use std::process::Command;
use std::time::Duration;

use base::Budget;
use loopscope_testing::interpretation::translate;
use loopscope_testing::system::{Compiler, Scratch, run};
use program::interpret::{
    Arguments, CollectedOutput, FILE_BYTE, FixedInputs, InputValue, Options, Outcome, Run,
};

/// Runs the `main` of a text on inputs.
fn interpreted(text: &str, values: Vec<InputValue>) -> (Run, CollectedOutput) {
    let scratch = Scratch::new("streams").unwrap();
    let source = scratch.path().join("main.c");
    std::fs::write(&source, text).unwrap();
    let program = translate(&source, &[]).unwrap();
    let main = program.function_named("main").unwrap();
    let mut output = CollectedOutput::default();
    let run = program::interpret::run(
        &program,
        main,
        &Arguments::CommandLine(vec![b"program".to_vec()]),
        &Options::default(),
        &mut FixedInputs::new(values, Vec::new()),
        &mut output,
        &mut Budget::steps(10_000_000),
    );
    (run, output)
}

fn numbers(values: &[i128]) -> Vec<InputValue> {
    values.iter().map(|&value| InputValue::Integer(value)).collect()
}

#[test]
fn what_a_file_holds_is_an_input() {
    let text = r#"#include <stdio.h>
        int main(void) {
            char line[4];
            FILE *f = fopen("x", "r");
            if (!f) return 1;
            while (fgets(line, 4, f)) printf("<%s>", line);
            printf("%d", feof(f) != 0);
            fclose(f);
            f = fopen("x", "r");
            if (!f) return 2;
            printf("%c", getc(f));
            return 0;
        }"#;
    let (run, output) = interpreted(text, numbers(&[1, 97, 98, 10, 99, -1, 1]));
    assert_eq!((run.outcome, output.output.as_slice()), (Outcome::Exit(0), &b"<ab\n><c>1a"[..]));
    let names: Vec<&str> = run.inputs.iter().map(|input| input.name.as_str()).collect();
    let byte = format!("{FILE_BYTE}1");
    assert_eq!(names, ["fopen", &byte, &byte, &byte, &byte, &byte, "fopen"]);
    assert_eq!(interpreted(text, Vec::new()).0.outcome, Outcome::Exit(1));
}

/// Does most of what can be done with a file, and prints what comes of it.
const ALL: &str = r#"#include <stdio.h>
    #include <string.h>
    #include <stdlib.h>
    int main(void) {
        char b[40] = {0}; int n; char *line = 0; size_t size = 0;
        FILE *f = fopen("scratch", "w");
        if (!f) return 1;
        printf("%d ", fputs("hello world\n12 xyz\n", f) >= 0);
        printf("%d ", fprintf(f, "%d-%s", 42, "end"));
        printf("%d ", (int)fwrite("abc", 1, 3, f));
        printf("%d ", putc('!', f)); printf("%d ", getc(f));
        printf("%d ", ferror(f) != 0);
        printf("%ld ", ftell(f));
        printf("%d\n", fclose(f));
        f = fopen("scratch", "r");
        if (!f) return 2;
        printf("%s", fgets(b, 6, f)); printf("|%d|", fgetc(f)); printf("%d ", ungetc('W', f));
        printf("%ld ", ftell(f)); printf("%s", fgets(b, 40, f));
        n = 0;
        printf("%d ", fscanf(f, "%d %3s", &n, b)); printf("%d %s ", n, b);
        printf("%d ", fputs("no", f)); printf("%d ", ferror(f) != 0); clearerr(f);
        printf("%d ", (int)fread(b, 2, 15, f)); printf("%d\n", feof(f) != 0);
        printf("%d ", fseek(f, -4, SEEK_END)); printf("%d ", getc(f)); printf("%ld ", ftell(f));
        printf("%d ", fseek(f, 2, SEEK_CUR)); printf("%d ", getc(f)); printf("%d ", getc(f)); printf("%d\n", feof(f) != 0);
        printf("%d ", fseek(f, -1, SEEK_SET)); rewind(f);
        printf("%d ", (int)getline(&line, &size, f)); printf("%s", line); free(line);
        fclose(f);
        f = fopen("scratch", "a+");
        if (!f) return 3;
        fputs("more", f); fseek(f, 0, SEEK_SET); printf("%c ", getc(f)); fclose(f);
        f = fopen("scratch", "r+");
        if (!f) return 4;
        fseek(f, 50, SEEK_SET); putc('z', f); fseek(f, 38, SEEK_SET);
        for (n = 0; n < 14; n++) printf("%d ", getc(f));
        fclose(f);
        printf("\n%d\n", fopen("scratch", "q") == 0);
        return 0;
    }"#;

#[test]
fn files_are_as_in_the_compiled_program() {
    let (run_here, output) = interpreted(ALL, numbers(&[1, 1, 1, 1, 1]));
    assert_eq!(run_here.outcome, Outcome::Exit(0), "{}", String::from_utf8_lossy(&output.output));
    let Some(compiler) = ["gcc", "clang", "cc"].into_iter().find_map(Compiler::named) else {
        println!("skipped: no compiler");
        return;
    };
    let scratch = Scratch::new("compiled-streams").unwrap();
    let (source, executable) = (scratch.path().join("main.c"), scratch.path().join("program"));
    std::fs::write(&source, ALL).unwrap();
    compiler.compile(&source, &executable, &["-w"]).unwrap();
    let ended =
        run(Command::new(&executable).current_dir(scratch.path()), scratch.path(), Duration::from_secs(20))
            .unwrap();
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert_eq!(String::from_utf8_lossy(&ended.output), String::from_utf8_lossy(&output.output));
}
