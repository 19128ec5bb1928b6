//! What happened in a run, as lines that a person can follow: calls indented, one line of text for each line of the
//! source, and the iterations of long loops folded.
//!
//! ```text
//! steps ──► outline: calls and iterations of loops, one inside the other ──► lines ──► text
//!           (trace/outline)                                  folded, if there are too many
//! ```

mod outline;

use evidence::{Counterexample, Place};
use outline::{Item, Iteration, Line, Loop, Outline};

/// So many lines are shown, if not all are wanted.
const LINES: usize = 60;
/// Of more lines than that, so many are from the start.
const START: usize = 18;
/// How many iterations of a loop are shown at its start and at its end, from the best to the shortest form.
const FOLDS: [usize; 3] = [3, 2, 1];
/// An iteration that fits in so many characters stands on one line.
const ONE_LINE: usize = 90;
/// So deep calls and loops are indented.
const DEEPEST: usize = 12;

/// How much of a run is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Detail {
    /// At most some dozen lines.
    #[default]
    Short,
    /// Everything that was kept of it.
    Full,
}

/// What happened in a run, one line of text after the other.
pub fn lines(counterexample: &Counterexample, detail: Detail) -> Vec<String> {
    let outline = Outline::of(counterexample);
    if detail == Detail::Full {
        return Printer::print(&outline, usize::MAX).text();
    }
    let folded = FOLDS.iter().map(|&shown| Printer::print(&outline, shown));
    let fits = folded.reduce(|best, shorter| if best.lines.len() <= LINES { best } else { shorter });
    let mut text = fits.map(Printer::text).unwrap_or_default();
    if text.len() > LINES {
        let hidden = text.len() - LINES + 1;
        let note = format!("  … {hidden} lines left out; --full-trace shows them …");
        text.splice(START..START + hidden, [note]);
    }
    text
}

/// A line before it is laid out: where it belongs, how deep it stands, and what it says.
struct Printed {
    place: String,
    depth: usize,
    text: String,
}

struct Printer {
    lines: Vec<Printed>,
    /// How many iterations of a loop are shown at its start and at its end.
    shown: usize,
}

impl Printer {
    fn print(outline: &Outline, shown: usize) -> Self {
        let mut printer = Self { lines: Vec::new(), shown };
        printer.items(&outline.items, 0);
        printer
    }

    fn text(self) -> Vec<String> {
        let width = self.lines.iter().map(|line| line.place.chars().count()).max().unwrap_or(0);
        let lines = self.lines.into_iter().map(|Printed { place, depth, text }| {
            format!("  {place:width$}  {:indent$}{text}", "", indent = 2 * depth.min(DEEPEST))
        });
        lines.map(|line| line.trim_end().to_owned()).collect()
    }

    fn push(&mut self, place: Option<&Place>, depth: usize, text: impl Into<String>) {
        self.lines.push(Printed {
            place: place.map(Place::short).unwrap_or_default(),
            depth,
            text: text.into(),
        });
    }

    fn items(&mut self, items: &[Item], depth: usize) {
        for item in items {
            match item {
                Item::Line(line) => self.push(line.place.as_ref(), depth, line.text()),
                // That the run starts is no news, nor with what: the inputs and the command line are listed.
                Item::Call { head, items } if head.place.is_none() => {
                    self.items(items, depth);
                }
                Item::Call { head, items } => {
                    self.push(head.place.as_ref(), depth, head.text());
                    self.items(items, depth + 1);
                }
                Item::Loop(repeated) => self.repeated(repeated, depth),
                Item::Gap(count) => self.push(None, depth, format!("… {count} steps that were not kept …")),
            }
        }
    }

    fn repeated(&mut self, repeated: &Loop, depth: usize) {
        // The last visit of a head often only finds that the loop is over.
        let ends = repeated.left.is_some()
            && repeated.iterations.last().is_some_and(|iteration| iteration.items.is_empty());
        let iterations = &repeated.iterations[..repeated.iterations.len() - usize::from(ends)];
        let folded = iterations.len().saturating_sub(self.shown.saturating_mul(2));
        // A note of its own instead of one iteration saves nothing.
        let folded = if folded > 1 { folded } else { 0 };
        for (number, iteration) in iterations.iter().enumerate() {
            if folded > 0 && number == self.shown {
                self.fold(repeated, &iterations[number..number + folded], depth);
            }
            if folded == 0 || !(self.shown..self.shown + folded).contains(&number) {
                self.iteration(repeated, iteration, depth);
            }
        }
        if let Some(total) = repeated.left.filter(|_| ends || folded > 0) {
            let total = total - u64::from(ends);
            let text = match total {
                0 => format!("the {} loop is not entered", repeated.statement),
                1 => format!("the {} loop ends after 1 iteration", repeated.statement),
                _ => format!("the {} loop ends after {total} iterations", repeated.statement),
            };
            self.push(repeated.place.as_ref(), depth, text);
        }
    }

    fn iteration(&mut self, repeated: &Loop, iteration: &Iteration, depth: usize) {
        let head = format!("{} loop, iteration {}", repeated.statement, iteration.number);
        let place = repeated.place.as_ref();
        let texts: Option<Vec<String>> =
            iteration.items.iter().map(Item::line).map(|l| l.map(Line::text)).collect();
        match texts.map(|texts| texts.join("; ")) {
            Some(text) if text.is_empty() => self.push(place, depth, head),
            Some(text) if text.chars().count() <= ONE_LINE => {
                self.push(place, depth, format!("{head}: {text}"));
            }
            _ => {
                self.push(place, depth, format!("{head}:"));
                self.items(&iteration.items, depth + 1);
            }
        }
    }

    fn fold(&mut self, repeated: &Loop, iterations: &[Iteration], depth: usize) {
        let numbers: Vec<u32> =
            iterations.iter().flat_map(|iteration| &iteration.items).flat_map(Item::numbers).collect();
        let head = repeated.place.iter().map(|place| place.line);
        let (first, last) =
            (numbers.iter().copied().chain(head.clone()).min(), numbers.iter().copied().chain(head).max());
        let range = match (first, last) {
            (Some(first), Some(last)) if first < last => format!("lines {first} to {last} repeat"),
            (Some(line), _) => format!("line {line} repeats"),
            _ => String::from("this repeats"),
        };
        let (from, to) = (
            iterations.first().map_or(0, |iteration| iteration.number),
            iterations.last().map_or(0, |iteration| iteration.number),
        );
        self.push(None, depth, format!("… {range} {} times: iterations {from} to {to} …", iterations.len()));
    }
}

#[cfg(test)]
mod tests {
    use evidence::{Argument, Failure, InputValue, Integers, Trace, TraceEvent, TraceStep};

    use super::*;

    /// A run that is told by these steps: how many calls are active, the line, and what happens.
    fn described(steps: Vec<(usize, u32, TraceEvent)>, omitted: u64, omitted_after: usize) -> Counterexample {
        let steps = steps.into_iter().map(|(depth, line, event)| TraceStep {
            function: String::from(if depth == 1 { "main" } else { "f" }),
            depth,
            place: (line > 0).then(|| Place { file: String::from("src/a.c"), line, column: 1 }),
            event,
        });
        let input = InputValue {
            name: String::from("nondet"),
            ty: String::from("i32"),
            value: String::new(),
            place: None,
        };
        Counterexample {
            property: String::from("memsafety"),
            entry: String::from("main"),
            arguments: Vec::new(),
            integers: Integers::Machine,
            inputs: vec![input; 9],
            standard_input: Vec::new(),
            failure: Failure::Repetition { function: String::new(), place: None, first_step: 0, period: 0 },
            cycle: None,
            steps: 0,
            trace: Trace { steps: steps.collect(), omitted, omitted_after },
        }
    }

    fn assign(name: &str, value: u32) -> TraceEvent {
        TraceEvent::Assign { name: name.to_owned(), value: value.to_string() }
    }

    fn iteration(number: u64) -> TraceEvent {
        TraceEvent::Iteration { statement: String::from("while"), number }
    }

    fn leave(iterations: u64) -> TraceEvent {
        TraceEvent::Leave { statement: String::from("while"), iterations }
    }

    fn enter(name: &str, value: u32) -> TraceEvent {
        TraceEvent::Enter { arguments: vec![Argument { name: name.to_owned(), value: value.to_string() }] }
    }

    fn start() -> (usize, u32, TraceEvent) {
        (1, 0, TraceEvent::Enter { arguments: Vec::new() })
    }

    /// A loop of so many iterations at line 5 that changes `i` on line 6.
    fn repeated(iterations: u32) -> Vec<(usize, u32, TraceEvent)> {
        let mut steps: Vec<_> = (1..=iterations)
            .flat_map(|i| [(1, 5, iteration(u64::from(i))), (1, 6, assign("i", i))])
            .collect();
        steps
            .extend([(1, 5, iteration(u64::from(iterations) + 1)), (1, 5, leave(u64::from(iterations) + 1))]);
        steps
    }

    #[test]
    fn what_happens_on_one_line_stands_on_one_line() {
        let input = TraceEvent::Input { name: String::from("nondet"), value: String::from("7") };
        let unused = TraceEvent::Input { name: String::from("nondet"), value: String::from("8") };
        let steps = vec![
            start(),
            (1, 2, input),
            (1, 2, assign("x", 7)),
            (1, 2, assign("y", 9)),
            (1, 3, unused),
            (2, 4, enter("n", 3)),
            (2, 9, TraceEvent::Return { value: Some(String::from("5")) }),
            (1, 4, assign("x", 5)),
        ];
        assert_eq!(
            lines(&described(steps, 0, 0), Detail::Short),
            [
                "  a.c:2  x = 7 (input 1), y = 9",
                "  a.c:3  nondet = 8 (input 2)",
                "  a.c:4  call of f(n = 3)",
                "  a.c:9    f returns 5",
                "  a.c:4  x = 5",
            ]
        );
    }

    #[test]
    fn long_loops_are_folded_and_short_ones_are_not() {
        let short = lines(&described(repeated(3), 0, 0), Detail::Short);
        assert_eq!(
            short,
            [
                "  a.c:5  while loop, iteration 1: i = 1",
                "  a.c:5  while loop, iteration 2: i = 2",
                "  a.c:5  while loop, iteration 3: i = 3",
                "  a.c:5  the while loop ends after 3 iterations",
            ]
        );
        let long = lines(&described(repeated(100), 0, 0), Detail::Short);
        assert_eq!(long.len(), 8);
        assert_eq!(long[3], "         … lines 5 to 6 repeat 94 times: iterations 4 to 97 …");
        assert_eq!(long[6], "  a.c:5  while loop, iteration 100: i = 100");
        assert_eq!(lines(&described(repeated(100), 0, 0), Detail::Full).len(), 101);
    }

    #[test]
    fn loops_in_loops_stay_readable() {
        let mut steps = vec![start()];
        for outer in 1..=50 {
            steps.push((1, 4, iteration(outer)));
            steps.extend(repeated(20));
        }
        let text = lines(&described(steps, 0, 0), Detail::Short);
        assert!(text.len() <= LINES, "{}", text.join("\n"));
        assert!(text.iter().any(|line| line.contains("iterations 4 to 47")), "{}", text.join("\n"));
    }

    #[test]
    fn what_is_missing_is_said_and_what_follows_is_told() {
        let mut steps = vec![start(), (1, 2, assign("x", 1)), (1, 5, iteration(1))];
        steps.extend([
            (2, 9, assign("z", 2)),
            (1, 5, iteration(700)),
            (1, 6, assign("i", 3)),
            (1, 5, leave(700)),
        ]);
        let text = lines(&described(steps, 5000, 3), Detail::Short);
        assert_eq!(
            text,
            [
                "  a.c:2  x = 1",
                "  a.c:5  while loop, iteration 1",
                "         … 5000 steps that were not kept …",
                "  a.c:9  z = 2",
                "  a.c:5  while loop, iteration 700: i = 3",
            ]
        );
    }

    #[test]
    fn a_run_without_loops_is_cut_in_the_middle() {
        let steps = (1..=300).map(|line| (1, line, assign("x", line))).collect();
        let text = lines(&described(steps, 0, 0), Detail::Short);
        assert_eq!(text.len(), LINES);
        assert!(text[START].contains("241 lines left out; --full-trace"), "{}", text[START]);
        assert_eq!(text.last().map(String::as_str), Some("  a.c:300  x = 300"));
    }
}
