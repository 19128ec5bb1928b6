//! The loops of a program as a table for people.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use super::summary::{FunctionSummary, LoopSummary, Status};

/// The narrowest that a column of names gets.
const NARROWEST: usize = 12;
const GAP: &str = "  ";

/// The loops of these functions as a table that is no wider than so many columns, if that is possible at all.
/// Functions without loops are not listed.
pub fn render(functions: &[FunctionSummary], width: usize) -> String {
    let rows: Vec<Row> = functions.iter().flat_map(|function| function.loops.iter().map(Row::of)).collect();
    let mut text = String::new();
    if !rows.is_empty() {
        let widths = Widths::of(&rows, width);
        widths.line(&mut text, &Row::header());
        let mut rows = rows.iter();
        for function in functions.iter().filter(|function| !function.loops.is_empty()) {
            let _ = writeln!(text, "{}", function.title());
            rows.by_ref().take(function.loops.len()).for_each(|row| widths.line(&mut text, row));
        }
        text.push('\n');
    }
    text.push_str(&totals(functions));
    text
}

/// One row: fixed cells, and two lists that may be cut.
struct Row {
    place: String,
    kind: String,
    depth: String,
    exits: String,
    changes: Vec<String>,
    calls: Vec<String>,
}

impl Row {
    fn of(summary: &LoopSummary) -> Self {
        Self {
            place: format!("{}{}", "  ".repeat(summary.depth.min(20)), summary.short_place()),
            kind: summary.kind.clone(),
            depth: summary.depth.to_string(),
            exits: if summary.exits == 0 { String::from("none") } else { summary.exits.to_string() },
            changes: summary.changes.clone(),
            calls: summary.calls.clone(),
        }
    }

    fn header() -> Self {
        let one = |text: &str| vec![text.to_owned()];
        Self {
            place: String::from("LOOP"),
            kind: String::from("KIND"),
            depth: String::from("DEPTH"),
            exits: String::from("EXITS"),
            changes: one("CHANGES"),
            calls: one("CALLS"),
        }
    }
}

struct Widths {
    place: usize,
    kind: usize,
    depth: usize,
    exits: usize,
    changes: usize,
    calls: usize,
}

impl Widths {
    fn of(rows: &[Row], width: usize) -> Self {
        let header = Row::header();
        let all = || rows.iter().chain(std::iter::once(&header));
        let widest = |cell: fn(&Row) -> usize| all().map(cell).max().unwrap_or(0);
        let place = widest(|row| row.place.width());
        let kind = widest(|row| row.kind.width());
        let depth = widest(|row| row.depth.width());
        let exits = widest(|row| row.exits.width());
        let changes = widest(|row| joined_width(&row.changes));
        let calls = widest(|row| joined_width(&row.calls));
        let free = width.saturating_sub(place + kind + depth + exits + 5 * GAP.len()).max(2 * NARROWEST);
        // Each list has half of the room; what one does not need the other may have.
        let half = free / 2;
        let (changes, calls) = match (changes <= half, calls <= half) {
            (true, _) => (changes, calls.min(free - changes)),
            (false, true) => (changes.min(free - calls), calls),
            (false, false) => (free - half, half),
        };
        Self { place, kind, depth, exits, changes, calls }
    }

    fn line(&self, text: &mut String, row: &Row) {
        let cells = [
            (row.place.clone(), self.place),
            (row.kind.clone(), self.kind),
            (row.depth.clone(), self.depth),
            (row.exits.clone(), self.exits),
            (joined(&row.changes, self.changes), self.changes),
            (joined(&row.calls, self.calls), self.calls),
        ];
        let mut line = String::new();
        for (cell, width) in cells {
            line.push_str(&cell);
            let padding = width.saturating_sub(cell.width());
            line.extend(std::iter::repeat_n(' ', padding));
            line.push_str(GAP);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

fn joined_width(names: &[String]) -> usize {
    let separators = names.len().saturating_sub(1) * 2;
    (names.iter().map(|name| name.width()).sum::<usize>() + separators).max(1)
}

/// Names with commas; the last ones make room for a count where the width does not suffice.
fn joined(names: &[String], width: usize) -> String {
    if names.is_empty() {
        return String::from("-");
    }
    if joined_width(names) <= width {
        return names.join(", ");
    }
    let mut shown = names.len() - 1;
    loop {
        let rest = format!("+{} more", names.len() - shown);
        if shown == 0 {
            return if rest.width() <= width { rest } else { format!("{}", names.len()) };
        }
        let text = format!("{}, {rest}", names[..shown].join(", "));
        if text.width() <= width {
            return text;
        }
        // A list of thousands must not be joined thousands of times.
        shown = if shown > 2 * width { 2 * width } else { shown - 1 };
    }
}

/// What there is altogether, and what could not be examined.
pub fn totals(functions: &[FunctionSummary]) -> String {
    let loops: usize = functions.iter().map(|function| function.loops.len()).sum();
    let with_loops = functions.iter().filter(|function| !function.loops.is_empty()).count();
    let mut text = match loops {
        0 if functions.is_empty() => String::from("no functions\n"),
        0 => String::from("no loops\n"),
        // How many functions there are without loops is not said: headers bring dozens of small ones.
        _ => format!("{} in {}\n", counted(loops, "loop"), counted(with_loops, "function")),
    };
    for function in functions {
        if let Status::Unsupported { reason, place } = &function.status {
            let place = place.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
            let _ = writeln!(text, "not analysed: {}: {reason}{place}", function.name);
        }
    }
    text
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::Place;

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
