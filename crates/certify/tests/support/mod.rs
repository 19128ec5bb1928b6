//! Loops and claims as short text, for the tests of the kernel: the loops become programs, and the claims are put to the
//! rules that ship.
#![allow(dead_code)] // Each test uses its part.

pub mod claims;
pub mod kernel;
pub mod meaning;

use evidence::{Comparison, Expression, Formula};
use program::Program;

/// A loop `while (guard) { if (breaks) break; updates }` with all updates at once.
#[derive(Clone, Debug)]
pub struct LoopText {
    /// `i:s4 n:u8 x:z b:bool`, inputs with a question mark before: `?a:s4`.
    pub variables: &'static str,
    /// What holds at entry.
    pub initially: &'static str,
    /// When the body is entered.
    pub guard: &'static str,
    /// When it is left at once.
    pub breaks: &'static str,
    /// `i = i + 1; x = a`: numbers of ℤ that are cut to the variable's type.
    pub updates: &'static str,
}

/// What values a variable has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Machine { width: u32, signed: bool },
    Mathematical,
    Boolean,
}

/// A variable of a loop.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub kind: Kind,
    pub input: bool,
}

/// What comes after the loop.
#[derive(Clone, Debug)]
pub enum After<'a> {
    Nothing,
    /// A check.
    Assertion(&'a Formula),
    /// A mark where this holds.
    Mark(&'a Formula),
}

impl LoopText {
    pub fn variables(&self) -> Vec<Variable> {
        let variable = |text: &str| {
            let (name, kind) = text.split_once(':').expect("a variable is name:kind");
            let kind = match kind.split_at(1) {
                ("z", "") => Kind::Mathematical,
                ("b", "ool") => Kind::Boolean,
                ("s", width) => Kind::Machine { width: width.parse().expect("a width"), signed: true },
                ("u", width) => Kind::Machine { width: width.parse().expect("a width"), signed: false },
                other => panic!("no kind: {other:?}"),
            };
            let input = name.starts_with('?');
            Variable { name: name.trim_start_matches('?').to_owned(), kind, input }
        };
        self.variables.split_whitespace().map(variable).collect()
    }

    pub fn updates(&self) -> Vec<(String, Expression)> {
        list(self.updates).map(|(name, value)| (name.to_owned(), read(value))).collect()
    }

    pub fn is_mathematical(&self) -> bool {
        self.variables().iter().any(|variable| variable.kind == Kind::Mathematical)
    }

    /// The program that the kernel gets. Its only loop has the head `b1`.
    pub fn program(&self, after: &After<'_>) -> Program {
        let text = self.text(after);
        let program = parser::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        program::verify::verify(&program).unwrap_or_else(|defects| panic!("{defects:?}\n{text}"));
        program
    }

    fn text(&self, after: &After<'_>) -> String {
        let variables = self.variables();
        let code = Code::of(&variables);
        let (mut declared, mut asked, mut chosen) = (String::new(), String::new(), String::new());
        for variable in &variables {
            declared += &format!("variable %{}: {}\n", variable.name, type_of(variable.kind));
            let input = format!("%{} := input nondet\n", variable.name);
            if variable.input { chosen += &input } else { asked += &input }
        }
        let (mut computed, mut stored) = (String::new(), String::new());
        for (name, value) in self.updates() {
            let kind = variables.iter().find(|variable| variable.name == name).expect("a variable").kind;
            declared += &format!("temporary %{name}_next: {}\n", type_of(kind));
            computed += &format!("%{name}_next := {}\n", code.cut(&value, kind));
            stored += &format!("%{name} := %{name}_next\n");
        }
        let [initially, guard, breaks] =
            [self.initially, self.guard, self.breaks].map(|text| code.formula(&read(text)));
        let body = match self.breaks {
            "false" => String::from("goto b4"),
            _ => format!("if {breaks} goto b3 else b4"),
        };
        let end = match after {
            After::Nothing => String::from("return"),
            After::Assertion(formula) => format!("check assertion {} return", code.formula(formula)),
            After::Mark(formula) => format!("if {} goto b5 else b6", code.formula(formula)),
        };
        let marked = match after {
            After::Mark(_) => "b5: mark 0 return",
            _ => "",
        };
        format!(
            "data_model LP64 function main() {{\n{declared}
             b0:\n{asked} if {initially} goto b1 else b6
             b1: loop while\n{chosen} if {guard} goto b2 else b3
             b2: {body}
             b3: {end}
             b4:\n{computed}{stored} goto b1
             {marked}
             b6: return }}"
        )
    }
}

fn type_of(kind: Kind) -> String {
    match kind {
        Kind::Machine { width, signed } => format!("{}{width}", if signed { 'i' } else { 'u' }),
        Kind::Mathematical => String::from("i64"),
        Kind::Boolean => String::from("bool"),
    }
}

/// Writes numbers of ℤ as expressions of a program, in a type that is wide enough for those of the tests.
struct Code<'a> {
    variables: &'a [Variable],
    wide: &'static str,
}

impl<'a> Code<'a> {
    fn of(variables: &'a [Variable]) -> Self {
        let width = |variable: &Variable| match variable.kind {
            Kind::Machine { width, .. } => width,
            Kind::Mathematical => 32,
            Kind::Boolean => 1,
        };
        let wide = match variables.iter().map(width).max().unwrap_or(1) {
            0..=8 => "i32",
            9..=32 => "i64",
            _ => "i128",
        };
        Self { variables, wide }
    }

    fn cut(&self, value: &Expression, kind: Kind) -> String {
        let number = self.number(value);
        match kind {
            Kind::Machine { .. } => format!("{}({number})", type_of(kind)),
            Kind::Mathematical => number,
            Kind::Boolean => format!("(({number}) & 1:{0}) == 1:{0}", self.wide),
        }
    }

    fn number(&self, expression: &Expression) -> String {
        let wide = self.wide;
        let fold = |parts: &[Expression], op: &str, none: &str| {
            let parts = parts.iter().map(|part| self.number(part));
            let all = parts.reduce(|all, part| format!("({all}) {op} ({part})"));
            all.unwrap_or_else(|| format!("{none}:{wide}"))
        };
        let extreme = |parts: &[Expression], first_if: fn(&str, &str) -> String| {
            let parts = parts.iter().map(|part| self.number(part));
            parts.reduce(|a, b| format!("select({}, {a}, {b})", first_if(&a, &b))).expect("a part")
        };
        match expression {
            Expression::Constant(number) => format!("{number}:{wide}"),
            Expression::Quantity { quantity, .. } => {
                let name = quantity.to_string();
                let variable = self.variables.iter().find(|variable| variable.name == name);
                match variable.expect("a variable").kind {
                    Kind::Machine { .. } => format!("{wide}(%{name})"),
                    Kind::Mathematical => format!("%{name}"),
                    Kind::Boolean => format!("select(%{name}, 1:{wide}, 0:{wide})"),
                }
            }
            Expression::Sum(parts) => fold(parts, "+", "0"),
            Expression::Product(parts) => fold(parts, "*", "1"),
            Expression::Minimum(parts) => extreme(parts, |a, b| format!("({a}) <= ({b})")),
            Expression::Maximum(parts) => extreme(parts, |a, b| format!("({b}) <= ({a})")),
            Expression::Remainder { dividend, divisor } => {
                let (number, by) = (self.number(dividend), format!("{divisor}:{wide}"));
                format!("((({number}) % {by}) + {by}) % {by}")
            }
            Expression::Select { condition, then, otherwise } => {
                let condition = self.formula(condition);
                format!("select({condition}, {}, {})", self.number(then), self.number(otherwise))
            }
            other => panic!("{other} is in no program of the tests"),
        }
    }

    fn formula(&self, formula: &Formula) -> String {
        let fold = |parts: &[Formula], write: fn(String, String) -> String, none: &str| {
            let parts = parts.iter().map(|part| self.formula(part));
            parts.reduce(write).unwrap_or_else(|| none.to_owned())
        };
        match formula {
            Formula::True => String::from("true"),
            Formula::False => String::from("false"),
            Formula::Compare { left, comparison, right } => {
                let (left, right) = (self.number(left), self.number(right));
                match comparison {
                    Comparison::Equal => format!("({left}) == ({right})"),
                    Comparison::Differ => format!("({left}) != ({right})"),
                    Comparison::Less => format!("({left}) < ({right})"),
                    Comparison::LessEqual => format!("({left}) <= ({right})"),
                    Comparison::Greater => format!("({right}) < ({left})"),
                    Comparison::GreaterEqual => format!("({right}) <= ({left})"),
                }
            }
            Formula::Not(inner) => format!("!({})", self.formula(inner)),
            Formula::All(parts) => fold(parts, |a, b| format!("select({a}, {b}, false)"), "true"),
            Formula::Any(parts) => fold(parts, |a, b| format!("select({a}, true, {b})"), "false"),
            Formula::Every { .. } => panic!("{formula} is in no program of the tests"),
        }
    }
}

pub fn list(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| {
        let (name, value) = part.split_once('=').expect("name = value");
        (name.trim(), value.trim())
    })
}

pub fn read<T: std::str::FromStr<Err = evidence::TextError>>(text: &str) -> T {
    text.trim().parse().unwrap_or_else(|error| panic!("{text:?}: {error}"))
}
