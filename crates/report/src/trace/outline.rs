//! The steps of a run as an outline: what happens inside a call or in one iteration of a loop stands inside it.
//!
//! A trace whose middle is missing may end calls and loops that it never began, and go on in loops that began before:
//! the outline takes such steps as they come.

use evidence::{Argument, Counterexample, Place, TraceEvent, TraceStep};

/// A value is shown so far.
const LONGEST: usize = 60;

/// The outline of a run.
pub(super) struct Outline {
    pub items: Vec<Item>,
}

/// A part of an outline.
pub(super) enum Item {
    Line(Line),
    Call {
        head: Line,
        items: Vec<Item>,
    },
    Loop(Loop),
    /// So many steps were not kept.
    Gap(u64),
}

/// What happens on one line of the source, in one go.
#[derive(Default)]
pub(super) struct Line {
    pub place: Option<Place>,
    words: Vec<String>,
    /// The value and the number of the input that came last, until it is assigned.
    input: Option<(String, usize)>,
}

/// The iterations of a loop.
pub(super) struct Loop {
    pub place: Option<Place>,
    /// Its keyword.
    pub statement: String,
    pub iterations: Vec<Iteration>,
    /// How many visits of its head there were, if it was left.
    pub left: Option<u64>,
    depth: usize,
}

/// One iteration of a loop.
pub(super) struct Iteration {
    pub number: u64,
    pub items: Vec<Item>,
}

impl Outline {
    /// The outline of what happened in a run.
    pub fn of(counterexample: &Counterexample) -> Self {
        let trace = &counterexample.trace;
        let (first, last) = trace.steps.split_at(trace.omitted_after.min(trace.steps.len()));
        let is_input = |step: &&TraceStep| matches!(step.event, TraceEvent::Input { .. });
        let parameters =
            counterexample.inputs.iter().take_while(|input| input.name.starts_with("parameter ")).count();
        let last_inputs = last.iter().filter(is_input).count();
        if trace.omitted == 0 {
            return Self { items: Builder::build(trace.steps.iter(), parameters) };
        }
        let mut items = Builder::build(first.iter(), parameters);
        items.push(Item::Gap(trace.omitted));
        items.extend(Builder::build(last.iter(), counterexample.inputs.len().saturating_sub(last_inputs)));
        Self { items }
    }
}

impl Item {
    /// The line that it is, if it is only one.
    pub fn line(&self) -> Option<&Line> {
        match self {
            Item::Line(line) => Some(line),
            _ => None,
        }
    }

    /// The lines of the source that it stands for, without those of calls.
    pub fn numbers(&self) -> Vec<u32> {
        match self {
            Item::Line(line) | Item::Call { head: line, .. } => {
                line.place.iter().map(|place| place.line).collect()
            }
            Item::Loop(repeated) => {
                let inside =
                    repeated.iterations.iter().flat_map(|iteration| &iteration.items).flat_map(Item::numbers);
                repeated.place.iter().map(|place| place.line).chain(inside).collect()
            }
            Item::Gap(_) => Vec::new(),
        }
    }
}

impl Line {
    /// What it says.
    pub fn text(&self) -> String {
        self.words.join(", ")
    }

    fn new(place: Option<Place>, text: String) -> Self {
        Self { place, words: vec![text], input: None }
    }

    /// Adds a change of a value; an input that was just read is part of it.
    fn change(&mut self, name: &str, value: &str) {
        let from_input =
            self.input.take().filter(|(input, _)| input == value.split(" '").next().unwrap_or(value));
        if let Some((_, number)) = from_input {
            self.words.pop();
            self.words.push(format!("{name} = {} (input {number})", cut(value)));
        } else {
            self.words.push(format!("{name} = {}", cut(value)));
        }
    }
}

/// Something that is open while an outline is built.
enum Open {
    Call { depth: usize, head: Line, items: Vec<Item> },
    Loop(Loop),
}

#[derive(Default)]
struct Builder {
    items: Vec<Item>,
    open: Vec<Open>,
    /// How many inputs there were.
    inputs: usize,
}

impl Builder {
    fn build<'a>(steps: impl Iterator<Item = &'a TraceStep>, inputs: usize) -> Vec<Item> {
        let mut builder = Self { inputs, ..Self::default() };
        steps.for_each(|step| builder.step(step));
        while builder.close() {}
        builder.items
    }

    fn step(&mut self, step: &TraceStep) {
        let inside = |open: &Open| match open {
            Open::Call { depth, .. } => *depth <= step.depth && !(is_enter(step) && *depth == step.depth),
            Open::Loop(repeated) => repeated.depth <= step.depth,
        };
        while self.open.last().is_some_and(|open| !inside(open)) {
            self.close();
        }
        match &step.event {
            TraceEvent::Enter { arguments } => {
                let head = Line::new(step.place.clone(), call(&step.function, arguments));
                self.open.push(Open::Call { depth: step.depth, head, items: Vec::new() });
            }
            TraceEvent::Return { value } => {
                let text = value.as_ref().map(|value| format!("{} returns {}", step.function, cut(value)));
                if let Some(text) = text {
                    self.on_line(step, |line| line.words.push(text));
                }
                while let Some(open) = self.open.last() {
                    let ends = matches!(open, Open::Call { depth, .. } if *depth == step.depth);
                    self.close();
                    if ends {
                        break;
                    }
                }
            }
            TraceEvent::Assign { name, value } | TraceEvent::Store { name, value } => {
                self.on_line(step, |line| line.change(name, value));
            }
            TraceEvent::Input { name, value } => {
                self.inputs += 1;
                let number = self.inputs;
                self.on_line(step, |line| {
                    line.words.push(format!("{name} = {} (input {number})", cut(value)));
                    line.input = Some((value.clone(), number));
                });
            }
            TraceEvent::Call { name, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|argument| cut(argument)).collect();
                let text = format!("{name}({})", arguments.join(", "));
                self.on_line(step, |line| line.words.push(text));
            }
            TraceEvent::Iteration { statement, number } => self.iteration(step, statement, *number),
            TraceEvent::Leave { iterations, .. } => {
                if self.close_to_loop(step) {
                    if let Some(Open::Loop(repeated)) = self.open.last_mut() {
                        repeated.left = Some(*iterations);
                    }
                    self.close();
                }
            }
        }
    }

    fn iteration(&mut self, step: &TraceStep, statement: &str, number: u64) {
        if number > 1 && self.close_to_loop(step) {
            if let Some(Open::Loop(repeated)) = self.open.last_mut() {
                repeated.iterations.push(Iteration { number, items: Vec::new() });
            }
            return;
        }
        self.open.push(Open::Loop(Loop {
            place: step.place.clone(),
            statement: statement.to_owned(),
            iterations: vec![Iteration { number, items: Vec::new() }],
            left: None,
            depth: step.depth,
        }));
    }

    /// Closes what is inside the loop of the step, if that loop is open.
    fn close_to_loop(&mut self, step: &TraceStep) -> bool {
        let is_it = |open: &Open| match open {
            Open::Loop(repeated) => repeated.depth == step.depth && repeated.place == step.place,
            Open::Call { .. } => false,
        };
        let Some(position) = self.open.iter().rposition(is_it) else { return false };
        while self.open.len() > position + 1 {
            self.close();
        }
        true
    }

    /// Closes what was opened last, and says whether there was anything.
    fn close(&mut self) -> bool {
        let Some(open) = self.open.pop() else { return false };
        let item = match open {
            Open::Call { head, items, .. } => Item::Call { head, items },
            Open::Loop(repeated) => Item::Loop(repeated),
        };
        self.current().push(item);
        true
    }

    /// Where the next item goes.
    fn current(&mut self) -> &mut Vec<Item> {
        match self.open.last_mut() {
            Some(Open::Call { items, .. }) => items,
            Some(Open::Loop(repeated)) => match repeated.iterations.last_mut() {
                Some(iteration) => &mut iteration.items,
                None => &mut self.items,
            },
            None => &mut self.items,
        }
    }

    /// Changes the line that a step belongs to: the last one, if it is of the same line of the source.
    fn on_line(&mut self, step: &TraceStep, change: impl FnOnce(&mut Line)) {
        let items = self.current();
        match items.last_mut() {
            Some(Item::Line(line)) if same_line(line.place.as_ref(), step.place.as_ref()) => change(line),
            _ => {
                let mut line = Line { place: step.place.clone(), ..Line::default() };
                change(&mut line);
                items.push(Item::Line(line));
            }
        }
    }
}

fn same_line(one: Option<&Place>, other: Option<&Place>) -> bool {
    let key = |place: &Place| (place.line, place.file.clone());
    one.map(key) == other.map(key)
}

fn is_enter(step: &TraceStep) -> bool {
    matches!(step.event, TraceEvent::Enter { .. })
}

fn call(function: &str, arguments: &[Argument]) -> String {
    let arguments: Vec<String> =
        arguments.iter().map(|argument| format!("{} = {}", argument.name, cut(&argument.value))).collect();
    format!("call of {function}({})", arguments.join(", "))
}

/// A text, cut where it gets long.
fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
