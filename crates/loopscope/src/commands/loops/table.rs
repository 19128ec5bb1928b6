//! Tables of loops for people: a row for each loop, under the heading of its function.

use std::fmt::Write;

use report::phrasing::counted;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::summary::{FunctionSummary, LoopSummary, Status};

const GAP: &str = "  ";

/// What stands in a row and a column.
#[derive(Clone, Debug)]
pub enum Cell {
    /// A text, whose end is cut where there is no room for it.
    Text(String),
    /// Names with commas between them; the last ones make room for a count.
    Names(Vec<String>),
}

/// A row of a table. The last two columns may be cut.
type Row = [Cell; 6];

impl Cell {
    fn width(&self) -> usize {
        match self {
            Cell::Text(text) => text.width(),
            Cell::Names(names) => {
                let separators = names.len().saturating_sub(1) * 2;
                (names.iter().map(|name| name.width()).sum::<usize>() + separators).max(1)
            }
        }
    }

    /// What is shown in so many columns.
    fn fitted(&self, width: usize) -> String {
        match self {
            Cell::Text(text) => cut(text, width),
            Cell::Names(names) if names.is_empty() => String::from("-"),
            Cell::Names(names) if self.width() <= width => names.join(", "),
            Cell::Names(names) => some(names, width),
        }
    }
}

/// The loops of these functions as a table that is no wider than so many columns, if that is possible at all. The
/// columns after place and kind have these titles, and in each row these cells; the last two get no narrower than
/// `narrowest`. Functions without loops are not listed.
pub fn render(
    functions: &[FunctionSummary],
    titles: [&str; 4],
    narrowest: usize,
    width: usize,
    cells: impl Fn(&LoopSummary) -> [Cell; 4],
) -> String {
    let row = |one: &LoopSummary| {
        let place = format!("{}{}", "  ".repeat(one.depth.min(20)), one.short_place());
        row(place, one.kind.clone(), cells(one))
    };
    let rows: Vec<Row> = functions.iter().flat_map(|function| function.loops.iter().map(row)).collect();
    let mut text = String::new();
    if !rows.is_empty() {
        let titles = titles.map(|title| Cell::Text(title.to_owned()));
        let header = self::row(String::from("LOOP"), String::from("KIND"), titles);
        let widths = widths(&rows, &header, narrowest, width);
        write_row(&mut text, &header, &widths);
        let mut rows = rows.iter();
        for function in functions.iter().filter(|function| !function.loops.is_empty()) {
            _ = writeln!(text, "{}", function.title());
            rows.by_ref().take(function.loops.len()).for_each(|row| write_row(&mut text, row, &widths));
        }
        text.push('\n');
    }
    text.push_str(&totals(functions));
    text
}

fn row(place: String, kind: String, [a, b, c, d]: [Cell; 4]) -> Row {
    [Cell::Text(place), Cell::Text(kind), a, b, c, d]
}

fn widths(rows: &[Row], header: &Row, narrowest: usize, width: usize) -> [usize; 6] {
    let all = || rows.iter().chain(std::iter::once(header));
    let mut widths =
        [0, 1, 2, 3, 4, 5].map(|column: usize| all().map(|row| row[column].width()).max().unwrap_or(0));
    let fixed: usize = widths[..4].iter().sum::<usize>() + 5 * GAP.len();
    let free = width.saturating_sub(fixed).max(2 * narrowest);
    // Each of the last two has half of the room; what one does not need the other may have.
    let half = free / 2;
    let (first, second) = (widths[4], widths[5]);
    widths[4] = if first <= half { first } else { first.min(free - second.min(half)) };
    widths[5] = second.min(free - widths[4]);
    widths
}

fn write_row(text: &mut String, row: &Row, widths: &[usize; 6]) {
    let mut line = String::new();
    for (cell, &width) in row.iter().zip(widths) {
        let cell = cell.fitted(width);
        line.push_str(&cell);
        line.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.width())));
        line.push_str(GAP);
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

/// A text that is no wider than so many columns.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        if short.width() + letter.width().unwrap_or(0) + 1 > width {
            break;
        }
        short.push(letter);
    }
    short + "…"
}

/// Some of many names, and how many more there are.
fn some(names: &[String], width: usize) -> String {
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
fn totals(functions: &[FunctionSummary]) -> String {
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
            _ = writeln!(text, "not analysed: {}: {reason}{place}", function.name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 4), "abc…");
    }
}
