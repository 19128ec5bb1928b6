//! Marks: which ones a run came by.

use base::Index;

use super::Setup;

fn marks(statements: &str) -> Vec<usize> {
    let text = format!(
        "data_model LP64
        external elsewhere() -> i32
        function main() -> i32 {{
          variable %x: i32
        b0:
          %x := 1:i32
          mark 4
          {statements}
          mark 2
          if %x == 1:i32 goto b1 else b2
        b1:
          mark 0
          return 0:i32
        b2:
          mark 1
          return 0:i32
        }}"
    );
    Setup::default().run(&text).0.marks.iter().map(|mark| mark.index()).collect()
}

#[test]
fn a_run_lists_the_marks_that_it_came_by() {
    assert_eq!(marks("mark 4"), [0, 2, 4]);
}

#[test]
fn what_comes_after_a_failure_or_a_guess_does_not_count() {
    assert_eq!(marks("check assertion false"), [4]);
    assert_eq!(marks("%x := call elsewhere()"), [4]);
}
