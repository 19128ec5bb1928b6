//! The loops of a program as a table for people.

use super::summary::{FunctionSummary, LoopSummary};
use super::table::{self, Cell};

/// The narrowest that a column of names gets.
const NARROWEST: usize = 12;

/// The loops of these functions as a table that is no wider than so many columns, if that is possible at all.
pub fn render(functions: &[FunctionSummary], width: usize) -> String {
    let cells = |one: &LoopSummary| {
        let exits = if one.exits == 0 { String::from("none") } else { one.exits.to_string() };
        [
            Cell::Text(one.depth.to_string()),
            Cell::Text(exits),
            Cell::Names(one.changes.clone()),
            Cell::Names(one.calls.clone()),
        ]
    };
    table::render(functions, ["DEPTH", "EXITS", "CHANGES", "CALLS"], NARROWEST, width, cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::loops::summary::Status;
    use evidence::Place;
    use unicode_width::UnicodeWidthStr;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn sample() -> Vec<FunctionSummary> {
        let place = |line| Some(Place { file: String::from("dir/sort.c"), line, column: 5 });
        let a_loop = |line, depth, changes: &[&str], calls: &[&str]| LoopSummary {
            name: format!("sort.c:{line} for"),
            place: place(line),
            kind: String::from("for"),
            depth,
            exits: depth,
            irreducible: false,
            changes: names(changes),
            calls: names(calls),
        };
        vec![
            FunctionSummary {
                name: String::from("sort"),
                place: place(3),
                status: Status::Analysed,
                loops: vec![
                    a_loop(4, 1, &["i", "j", "key", "*a"], &[]),
                    a_loop(6, 2, &["j", "*a"], &["less"]),
                ],
            },
            FunctionSummary {
                name: String::from("main"),
                place: place(20),
                status: Status::Analysed,
                loops: Vec::new(),
            },
            FunctionSummary {
                name: String::from("odd"),
                place: place(30),
                status: Status::Unsupported { reason: String::from("nested function"), place: place(31) },
                loops: Vec::new(),
            },
        ]
    }

    #[test]
    fn a_table_is_aligned() {
        assert_eq!(
            render(&sample(), 100),
            "\
LOOP          KIND  DEPTH  EXITS  CHANGES        CALLS
sort (dir/sort.c:3)
  sort.c:4    for   1      1      i, j, key, *a  -
    sort.c:6  for   2      2      j, *a          less

2 loops in 1 function
not analysed: odd: nested function at dir/sort.c:31:5
"
        );
    }

    #[test]
    fn long_lists_are_cut_to_the_width() {
        let mut functions = sample();
        functions[0].loops[0].changes = (0..5000).map(|at| format!("variable{at}")).collect();
        functions[0].loops[0].calls = names(&["a", "b", "a_very_long_name_of_a_function_indeed"]);
        for width in [10, 80, 120] {
            let text = render(&functions, width);
            let row = text.lines().nth(2).unwrap();
            assert!(row.contains(" more"), "{row}");
            assert!(row.width() <= width.max(70), "{row}");
        }
    }

    #[test]
    fn nothing_is_said_clearly() {
        assert_eq!(render(&[], 80), "no functions\n");
        assert_eq!(render(&sample()[1..2], 80), "no loops\n");
    }
}
