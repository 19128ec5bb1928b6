//! A generator of small C programs that are mostly loops: the same seed gives the same program.
//!
//! Unlike the programs of [`crate::generator`], these need not be well-defined nor end: what a run does until it goes
//! wrong or its time is over is what counts. Inputs at the start of `main` come from `__VERIFIER_nondet_int`; inputs
//! anywhere else come from `unknown_int`, so that they can be told apart. The last loop of `main` changes nothing: at
//! its head all variables can be examined.

use super::tree::Node;
use crate::random::Random;

/// The program of a seed.
pub fn program(seed: u64) -> Vec<Node> {
    let mut writer = Writer {
        random: Random::new(seed ^ 0x6c65_6170),
        names: Vec::new(),
        counter: 0,
        loops: 0,
        functions: 0,
        in_loop: false,
        labels: Vec::new(),
    };
    writer.whole()
}

/// The integer types.
const TYPES: [&str; 9] =
    ["int", "int", "unsigned", "char", "unsigned char", "short", "unsigned short", "long", "unsigned long"];

/// No program has more loops.
const MOST_LOOPS: usize = 6;

/// Something with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Thing {
    name: String,
    kind: Kind,
    /// Whether a pointer may be made to it that is compared with others.
    lasting: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A number that may be changed.
    Number,
    /// An array of numbers, with its length.
    Ints(usize),
    /// An array of characters, with its length.
    Chars(usize),
    /// A pointer to `int`.
    IntPointer,
    /// A pointer to `char`.
    CharPointer,
    /// A `struct pair`.
    Pair,
}

struct Writer {
    random: Random,
    names: Vec<Thing>,
    counter: usize,
    loops: usize,
    functions: usize,
    in_loop: bool,
    /// Labels that may be jumped to from here.
    labels: Vec<String>,
}

impl Writer {
    fn fresh(&mut self, prefix: &str) -> String {
        self.counter += 1;
        format!("{prefix}{}", self.counter)
    }

    fn whole(&mut self) -> Vec<Node> {
        let mut program: Vec<Node> = [
            "extern int __VERIFIER_nondet_int(void);",
            "extern int unknown_int(void);",
            "extern void reach_error(void);",
            "extern void *malloc(unsigned long);",
            "extern void free(void *);",
            "extern void *memset(void *, int, unsigned long);",
            "struct pair { int a; char b; int c[3]; int *p; };",
        ]
        .map(|line| Node::Line(line.to_owned()))
        .into();
        for _ in 0..1 + self.random.below(4) {
            let line = self.declaration(true);
            program.push(Node::Line(line));
        }
        for _ in 0..self.random.below(3) {
            program.push(self.function());
        }
        program.push(self.main());
        program
    }

    fn main(&mut self) -> Node {
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let (name, ty) = (self.fresh("n"), *self.random.pick(&TYPES));
            let bound = match self.random.below(4) {
                0 => " & 7",
                1 => " % 5",
                _ => "",
            };
            body.push(Node::Line(format!("{ty} {name} = __VERIFIER_nondet_int(){bound};")));
            self.add(name, Kind::Number, true);
        }
        for _ in 0..1 + self.random.below(4) {
            body.push(Node::Line(self.declaration(false)));
        }
        let count = 2 + self.random.below(3);
        body.extend(self.statements(3, count));
        while self.loops == 0 {
            body.extend(self.repetition(2));
        }
        body.push(Node::block("while (unknown_int()) {", Vec::new(), "}"));
        body.push(Node::Line(String::from("return 0;")));
        Node::block("int main(void) {", body, "}")
    }

    fn function(&mut self) -> Node {
        self.functions += 1;
        let name = format!("f{}", self.functions);
        let names = self.names.len();
        let before = std::mem::take(&mut self.labels);
        let head = format!("static int {name}(int x, int *q) {{");
        self.add("x", Kind::Number, false);
        self.add("q", Kind::IntPointer, false);
        let count = 1 + self.random.below(3);
        let functions = std::mem::replace(&mut self.functions, 0);
        let mut body = self.statements(2, count);
        self.functions = functions;
        let result = self.number(1);
        body.push(Node::Line(format!("return {result};")));
        self.names.truncate(names);
        self.labels = before;
        Node::block(head, body, "}")
    }

    fn add(&mut self, name: impl Into<String>, kind: Kind, lasting: bool) {
        self.names.push(Thing { name: name.into(), kind, lasting });
    }

    /// A declaration of something; now and then without a value.
    fn declaration(&mut self, global: bool) -> String {
        let lasting = !self.in_loop;
        let empty = !global && self.random.chance(8);
        match self.random.below(9) {
            0 => {
                let (name, length) = (self.fresh("a"), *self.random.pick(&[1, 3, 4, 6, 40]));
                let start = if empty { "" } else { " = {0}" };
                self.add(&name, Kind::Ints(length), lasting);
                format!("int {name}[{length}]{start};")
            }
            1 => {
                let (name, length) = (self.fresh("s"), *self.random.pick(&[2, 5, 8, 50]));
                let start = if empty { "" } else { " = {0}" };
                self.add(&name, Kind::Chars(length), lasting);
                format!("char {name}[{length}]{start};")
            }
            2 => {
                let (name, target) = (self.fresh("p"), self.address(false, lasting));
                self.add(&name, Kind::IntPointer, lasting);
                format!("int *{name} = {};", if global { "0" } else { &target })
            }
            3 => {
                let (name, target) = (self.fresh("r"), self.address(true, lasting));
                self.add(&name, Kind::CharPointer, lasting);
                format!("char *{name} = {};", if global { "0" } else { &target })
            }
            4 => {
                let name = self.fresh("t");
                self.add(&name, Kind::Pair, lasting);
                format!("struct pair {name}{};", if empty { "" } else { " = {0}" })
            }
            _ => {
                let (name, ty) = (self.fresh(if global { "g" } else { "v" }), *self.random.pick(&TYPES));
                let value = self.random.range(-1, 6).to_string();
                self.add(&name, Kind::Number, lasting);
                if empty { format!("{ty} {name};") } else { format!("{ty} {name} = {value};") }
            }
        }
    }

    fn of_kind(&mut self, wanted: impl Fn(Kind) -> bool) -> Option<Thing> {
        let found: Vec<&Thing> = self.names.iter().filter(|thing| wanted(thing.kind)).collect();
        if found.is_empty() { None } else { Some((*self.random.pick(&found)).clone()) }
    }

    /// Where a pointer may point. One that lasts must not point to what does not.
    fn address(&mut self, chars: bool, lasting: bool) -> String {
        let fits: Vec<Thing> = self
            .names
            .iter()
            .filter(|thing| thing.lasting || !lasting)
            .filter(|thing| match thing.kind {
                Kind::Ints(_) | Kind::Pair | Kind::IntPointer => !chars,
                Kind::Chars(_) | Kind::CharPointer => chars,
                Kind::Number => false,
            })
            .cloned()
            .collect();
        if fits.is_empty() || self.random.chance(12) {
            return String::from("0");
        }
        let thing = self.random.pick(&fits).clone();
        match thing.kind {
            Kind::Ints(length) | Kind::Chars(length) => {
                format!("&{}[{}]", thing.name, self.random.below(length.min(5)))
            }
            Kind::Pair => (*self.random.pick(&["&NAME.a", "NAME.c", "&NAME.c[1]", "NAME.p"]))
                .replace("NAME", &thing.name),
            _ => thing.name,
        }
    }

    /// Something that can be assigned a number, and a condition under which that is fine.
    fn place(&mut self) -> (String, Option<String>) {
        let wanted = self.random.below(8);
        let thing = match wanted {
            0..=3 => self.of_kind(|kind| kind == Kind::Number),
            4 | 5 => self.of_kind(|kind| matches!(kind, Kind::Ints(_) | Kind::Chars(_))),
            6 => self.of_kind(|kind| matches!(kind, Kind::IntPointer | Kind::CharPointer)),
            _ => self.of_kind(|kind| kind == Kind::Pair),
        };
        let Some(Thing { name, kind, .. }) = thing.or_else(|| self.of_kind(|kind| kind == Kind::Number))
        else {
            return (String::from("*(int *)0"), None);
        };
        let careless = self.random.chance(4);
        match kind {
            Kind::Number => (name, None),
            Kind::Ints(length) | Kind::Chars(length) => {
                let index = self.number(1);
                match self.random.below(3) {
                    _ if careless => (format!("{name}[{index}]"), None),
                    0 => (format!("{name}[(unsigned)({index}) % {length}]"), None),
                    1 => (format!("{name}[{}]", self.random.below(length)), None),
                    _ => {
                        let index =
                            self.of_kind(|kind| kind == Kind::Number).map_or(String::from("0"), |t| t.name);
                        let fine = format!("{index} >= 0 && {index} < {length}");
                        (format!("{name}[{index}]"), Some(fine))
                    }
                }
            }
            Kind::IntPointer | Kind::CharPointer if careless => (format!("*{name}"), None),
            Kind::IntPointer | Kind::CharPointer => (format!("*{name}"), Some(name)),
            Kind::Pair => match self.random.below(4) {
                0 => (format!("{name}.a"), None),
                1 => (format!("{name}.b"), None),
                _ => {
                    let index = self.number(1);
                    (format!("{name}.c[({index}) & 1]"), None)
                }
            },
        }
    }

    /// An expression for a number.
    fn number(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(45) {
            return match self.random.below(10) {
                0..=3 => self.random.range(-2, 9).to_string(),
                4..=8 => {
                    self.of_kind(|kind| kind == Kind::Number).map_or(String::from("1"), |thing| thing.name)
                }
                _ => match self.place() {
                    (text, None) => text,
                    (text, Some(condition)) => format!("({condition} ? {text} : 0)"),
                },
            };
        }
        let (left, right) = (self.number(depth - 1), self.number(depth - 1));
        match self.random.below(14) {
            0..=4 => format!("({left} + {right})"),
            5..=7 => format!("({left} - {right})"),
            8 => format!("({left} * {right})"),
            9 => format!("({left} & {right})"),
            10 => format!("({left} ^ {right})"),
            11 => format!("({left} / {})", *self.random.pick(&[2, 3, 4])),
            12 => format!("((unsigned)({left}) >> {})", self.random.range(0, 5)),
            _ => format!("({left} % {})", *self.random.pick(&[2, 3, 10])),
        }
    }

    fn condition(&mut self) -> String {
        let (left, right) = (self.number(1), self.number(1));
        match self.random.below(12) {
            0..=3 => format!("{left} < {right}"),
            4 => format!("{left} <= {right}"),
            5 => format!("{left} != {right}"),
            6 => format!("{left} == {right}"),
            7 => format!("{left} > {right} && {right} >= 0"),
            8 => match self.of_kind(|kind| matches!(kind, Kind::IntPointer | Kind::CharPointer)) {
                Some(pointer) => pointer.name,
                None => left,
            },
            9 => String::from("unknown_int()"),
            10 => format!("{left} & 1"),
            _ => format!("{left} || {right}"),
        }
    }

    fn statements(&mut self, depth: usize, count: usize) -> Vec<Node> {
        let names = self.names.len();
        let labels = self.labels.len();
        let nodes = (0..count).flat_map(|_| self.statement(depth)).collect();
        self.names.truncate(names);
        self.labels.truncate(labels);
        nodes
    }

    fn statement(&mut self, depth: usize) -> Vec<Node> {
        match self.random.below(if depth == 0 { 24 } else { 36 }) {
            0..=9 => vec![self.assignment()],
            10 | 11 => vec![self.pointer_change()],
            12 => vec![Node::Line(self.declaration(false))],
            13 => vec![self.escape()],
            14 => vec![self.assertion()],
            15 | 16 => vec![self.call()],
            17 => vec![self.structure()],
            18 => {
                let Some(variable) = self.of_kind(|kind| kind == Kind::Number) else { return Vec::new() };
                vec![Node::Line(format!("{} = unknown_int();", variable.name))]
            }
            19 => vec![self.filling()],
            20 => self.heap(),
            21..=23 => vec![self.assignment()],
            24..=26 => vec![self.branch(depth)],
            27 => vec![self.switch(depth)],
            28 => self.jump(depth),
            _ => self.repetition(depth),
        }
    }

    fn assignment(&mut self) -> Node {
        let (place, condition) = self.place();
        let value = self.number(2);
        let text = match self.random.below(8) {
            0 | 1 => format!("{place}++;"),
            2 => format!("{place}--;"),
            3 => format!("{place} += {value};"),
            4 => format!("{place} -= {value};"),
            _ => format!("{place} = {value};"),
        };
        match condition {
            None => Node::Line(text),
            Some(condition) => Node::block(format!("if ({condition}) {{"), vec![Node::Line(text)], "}"),
        }
    }

    fn pointer_change(&mut self) -> Node {
        let pointer = self.of_kind(|kind| matches!(kind, Kind::IntPointer | Kind::CharPointer));
        let Some(pointer) = pointer else { return self.assignment() };
        let (name, chars) = (pointer.name, pointer.kind == Kind::CharPointer);
        match self.random.below(5) {
            0 => Node::block(format!("if ({name}) {{"), vec![Node::Line(format!("{name}++;"))], "}"),
            1 => Node::block(format!("if ({name}) {{"), vec![Node::Line(format!("{name}--;"))], "}"),
            _ => {
                let target = self.address(chars, pointer.lasting);
                Node::Line(format!("{name} = {target};"))
            }
        }
    }

    fn escape(&mut self) -> Node {
        let mut words = Vec::new();
        if self.in_loop {
            words.extend([String::from("break"), String::from("continue"), String::from("break")]);
        }
        words.extend(self.labels.iter().map(|label| format!("goto {label}")));
        if self.random.chance(15) {
            words.push(String::from("return 0"));
        }
        if words.is_empty() {
            return self.assignment();
        }
        let (word, condition) = (self.random.pick(&words).clone(), self.condition());
        Node::Line(format!("if ({condition}) {word};"))
    }

    fn assertion(&mut self) -> Node {
        let condition = self.condition();
        Node::Line(format!("if ({condition}) reach_error();"))
    }

    fn call(&mut self) -> Node {
        if self.functions == 0 {
            return self.assignment();
        }
        let name = format!("f{}", 1 + self.random.below(self.functions));
        let (value, pointer) = (self.number(1), self.address(false, false));
        match self.of_kind(|kind| kind == Kind::Number) {
            Some(target) if self.random.chance(60) => {
                Node::Line(format!("{} = {name}({value}, {pointer});", target.name))
            }
            _ => Node::Line(format!("{name}({value}, {pointer});")),
        }
    }

    fn structure(&mut self) -> Node {
        let (Some(one), Some(two)) =
            (self.of_kind(|kind| kind == Kind::Pair), self.of_kind(|kind| kind == Kind::Pair))
        else {
            return self.assignment();
        };
        match self.random.below(3) {
            0 => Node::Line(format!("{} = {};", one.name, two.name)),
            1 => {
                let target = self.address(false, one.lasting);
                Node::Line(format!("{}.p = {target};", one.name))
            }
            _ => {
                let value = self.number(1);
                let line = Node::Line(format!("*{}.p = {value};", one.name));
                Node::block(format!("if ({}.p) {{", one.name), vec![line], "}")
            }
        }
    }

    fn filling(&mut self) -> Node {
        let Some(array) = self.of_kind(|kind| matches!(kind, Kind::Ints(_) | Kind::Chars(_))) else {
            return self.assignment();
        };
        let value = self.number(1);
        let size = match self.random.below(3) {
            0 => format!("sizeof {}", array.name),
            1 => String::from("1"),
            _ => format!("(unsigned)({}) % sizeof {}", self.number(1), array.name),
        };
        Node::Line(format!("memset({}, {value}, {size});", array.name))
    }

    fn heap(&mut self) -> Vec<Node> {
        let (name, number) = (self.fresh("h"), self.fresh("u"));
        let names = self.names.len();
        self.add(&number, Kind::Number, false);
        self.add(&name, Kind::IntPointer, false);
        let mut body = vec![Node::Line(format!("*{name} = 1;")), Node::Line(format!("int {number} = 0;"))];
        let in_loop = std::mem::replace(&mut self.in_loop, false);
        let labels = std::mem::take(&mut self.labels);
        let count = 1 + self.random.below(2);
        body.extend((0..count).map(|_| self.assignment()));
        self.in_loop = in_loop;
        self.labels = labels;
        body.push(Node::Line(format!("free({name});")));
        self.names.truncate(names);
        vec![Node::block(
            "{",
            vec![
                Node::Line(format!("int *{name} = malloc(sizeof(int));")),
                Node::block(format!("if ({name}) {{"), body, "}"),
            ],
            "}",
        )]
    }

    fn branch(&mut self, depth: usize) -> Node {
        let condition = self.condition();
        let count = 1 + self.random.below(2);
        let mut parts = vec![(format!("if ({condition}) {{"), self.statements(depth - 1, count))];
        if self.random.chance(50) {
            parts.push((String::from("} else {"), self.statements(depth - 1, 1)));
        }
        Node::Group { parts, tail: String::from("}") }
    }

    fn switch(&mut self, depth: usize) -> Node {
        let value = self.number(1);
        let in_loop = std::mem::replace(&mut self.in_loop, false);
        let mut body = Vec::new();
        for case in 0..1 + self.random.below(3) {
            body.push(Node::Line(format!("case {case}: ;")));
            let inner = self.statements(depth - 1, 1);
            body.push(Node::block("{", inner, "}"));
            if self.random.chance(60) {
                body.push(Node::Line(String::from("break;")));
            }
        }
        if self.random.chance(50) {
            body.push(Node::Line(String::from("default: ;")));
            let inner = self.statements(depth - 1, 1);
            body.push(Node::block("{", inner, "}"));
        }
        self.in_loop = in_loop;
        Node::block(format!("switch ({value}) {{"), body, "}")
    }

    /// A jump forward, over statements or into the middle of a loop.
    fn jump(&mut self, depth: usize) -> Vec<Node> {
        let (label, condition) = (self.fresh("skip"), self.condition());
        let mut nodes = vec![Node::Line(format!("if ({condition}) goto {label};"))];
        let target = Node::Line(format!("{label}: ;"));
        if self.random.chance(50) || self.loops >= MOST_LOOPS {
            nodes.extend(self.statements(depth - 1, 2));
            nodes.push(target);
            return nodes;
        }
        let mut loops = self.repetition(depth);
        if let Some(Node::Group { parts, .. }) =
            loops.iter_mut().find(|node| matches!(node, Node::Group { .. }))
        {
            let body = &mut parts[0].1;
            let at = self.random.below(body.len() + 1);
            body.insert(at, target);
        } else {
            loops.push(target);
        }
        nodes.extend(loops);
        nodes
    }

    /// A loop.
    fn repetition(&mut self, depth: usize) -> Vec<Node> {
        if self.loops >= MOST_LOOPS {
            return vec![self.assignment()];
        }
        self.loops += 1;
        let depth = depth.saturating_sub(1);
        let in_loop = std::mem::replace(&mut self.in_loop, true);
        let names = self.names.len();
        let nodes = match self.random.below(10) {
            0..=3 => vec![self.counting(depth)],
            4 | 5 => {
                let condition = self.condition();
                let body = self.body(depth);
                vec![Node::block(format!("while ({condition}) {{"), body, "}")]
            }
            6 => {
                let body = self.body(depth);
                let condition = self.condition();
                vec![Node::block("do {", body, format!("}} while ({condition});"))]
            }
            7 => self.scanning(depth),
            8 => {
                let (label, condition) = (self.fresh("again"), self.condition());
                self.in_loop = in_loop;
                self.labels.push(label.clone());
                let body = self.body(depth);
                self.labels.pop();
                vec![
                    Node::block(format!("{label}: {{"), body, "}"),
                    Node::Line(format!("if ({condition}) goto {label};")),
                ]
            }
            _ => {
                let mut body = self.body(depth);
                let condition = self.condition();
                let at = self.random.below(body.len() + 1);
                body.insert(at, Node::Line(format!("if ({condition}) break;")));
                vec![Node::block("for (;;) {", body, "}")]
            }
        };
        self.in_loop = in_loop;
        self.names.truncate(names);
        nodes
    }

    fn body(&mut self, depth: usize) -> Vec<Node> {
        let count = 1 + self.random.below(3);
        self.statements(depth, count)
    }

    /// A loop with a counter of some width, which the body may change.
    fn counting(&mut self, depth: usize) -> Node {
        let (name, ty) = (self.fresh("i"), *self.random.pick(&TYPES));
        let limit = match self.random.below(4) {
            0 => self.random.range(1, 12).to_string(),
            1 => self.number(1),
            _ => self.of_kind(|kind| kind == Kind::Number).map_or(String::from("4"), |thing| thing.name),
        };
        if self.random.chance(60) {
            self.add(&name, Kind::Number, false);
        }
        let head = match self.random.below(6) {
            0 => format!("for ({ty} {name} = {limit}; {name} > 0; {name}--) {{"),
            1 => format!("for ({ty} {name} = {limit}; {name}--;) {{"),
            2 => {
                format!("for ({ty} {name} = 0; {name} != {limit}; {name} += {}) {{", self.random.range(1, 3))
            }
            3 => {
                format!("for ({ty} {name} = 0; {name} <= {limit}; {name} += {}) {{", self.random.range(1, 40))
            }
            _ => format!("for ({ty} {name} = {}; {name} < {limit}; {name}++) {{", self.random.range(-1, 2)),
        };
        let body = self.body(depth);
        Node::block(head, body, "}")
    }

    /// A loop that moves a pointer through an array, or fills one.
    fn scanning(&mut self, depth: usize) -> Vec<Node> {
        let Some(array) = self.of_kind(|kind| matches!(kind, Kind::Ints(_) | Kind::Chars(_))) else {
            return vec![self.counting(depth)];
        };
        let (ty, length) = match array.kind {
            Kind::Ints(length) => ("int", length),
            Kind::Chars(length) => ("char", length),
            _ => return Vec::new(),
        };
        let (name, array) = (self.fresh("w"), array.name);
        let value = self.number(1);
        let mut body = self.body(depth);
        let (first, head) = match self.random.below(5) {
            0 => {
                body.insert(0, Node::Line(format!("*{name} = {value};")));
                (
                    String::new(),
                    format!("for ({ty} *{name} = {array}; {name} < {array} + {length}; {name}++) {{"),
                )
            }
            1 => {
                body.push(Node::Line(format!("{name}++;")));
                (format!("{ty} *{name} = {array};"), format!("while (*{name}) {{"))
            }
            2 => {
                body.insert(0, Node::Line(format!("{array}[{name}] = {value};")));
                (String::new(), format!("for (int {name} = 0; {name} < {length}; {name}++) {{"))
            }
            3 => {
                body.insert(0, Node::Line(format!("{array}[{name}] = {value};")));
                (String::new(), format!("for (int {name} = {length} - 1; {name} >= 0; {name}--) {{"))
            }
            _ => {
                body.insert(0, Node::Line(format!("*--{name} = {value};")));
                (String::new(), format!("for ({ty} *{name} = {array} + {length}; {name} != {array};) {{"))
            }
        };
        let mut nodes = Vec::new();
        if !first.is_empty() {
            nodes.push(Node::Line(first));
        }
        nodes.push(Node::block(head, body, "}"));
        nodes
    }
}
