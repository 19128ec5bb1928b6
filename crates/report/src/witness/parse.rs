//! C expressions as formulas: the inverse of [`super::spell`], and what others write about integers.
//!
//! An expression is read over numbers without limits: casts are skipped, and division rounds down. Where that is not what C
//! computes, the formula is another one than its author meant. No harm comes of it: the kernel accepts only what it proves
//! of the formula that was read.
//!
//! What is not understood is an error that says where: assignments, calls, pointers, arrays and operations on bits.

use evidence::{Comparison, Expression, Formula, Integer, Moment, Quantity, expression::constant};

use super::spell::{Speaks, Spelling};
use crate::cursor::Cursor;

/// What is wrong with an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpressionError {
    /// At which character, from one.
    pub column: usize,
    /// What is wrong there.
    pub problem: String,
}

impl std::fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at character {} of the expression", self.problem, self.column)
    }
}

/// The formula that an expression means at a loop.
///
/// # Errors
/// If it means none.
pub fn formula(text: &str, spelling: &Spelling<'_>, speaks: Speaks) -> Result<Formula, ExpressionError> {
    let mut reader = Reader { cursor: Cursor::new(text), spelling, speaks };
    let value = reader.choice()?;
    if !reader.cursor.rest().is_empty() {
        return Err(reader.error("expected an operator or the end"));
    }
    Ok(value.truth())
}

/// A value of C: a number, or what a comparison gives.
enum Value {
    Number(Expression),
    Truth(Formula),
}

impl Value {
    fn number(self) -> Expression {
        match self {
            Value::Number(number) => number,
            Value::Truth(formula) => Expression::Select {
                condition: Box::new(formula),
                then: Box::new(constant(1)),
                otherwise: Box::new(constant(0)),
            },
        }
    }

    fn truth(self) -> Formula {
        match self {
            Value::Truth(formula) => formula,
            Value::Number(Expression::Constant(number)) if number == Integer::ZERO => Formula::False,
            Value::Number(Expression::Constant(_)) => Formula::True,
            Value::Number(number) => number.compare(Comparison::Differ, 0),
        }
    }
}

/// The words that make a type.
const TYPE_WORDS: [&str; 13] = [
    "int", "long", "short", "char", "signed", "unsigned", "_Bool", "__int128", "const", "size_t", "ssize_t",
    "bool", "volatile",
];

struct Reader<'a> {
    cursor: Cursor<'a>,
    spelling: &'a Spelling<'a>,
    speaks: Speaks,
}

type Read<T> = Result<T, ExpressionError>;

impl<'a> Reader<'a> {
    fn error(&self, problem: &str) -> ExpressionError {
        let column = self.cursor.text[..self.cursor.at].chars().count() + 1;
        ExpressionError { column, problem: problem.to_owned() }
    }

    fn need(&mut self, token: &str) -> Read<()> {
        if self.cursor.eat(token) { Ok(()) } else { Err(self.error(&format!("expected `{token}`"))) }
    }

    fn choice(&mut self) -> Read<Value> {
        if !self.cursor.deeper() {
            return Err(self.error("expected less nesting"));
        }
        let value = self.disjunction()?;
        let value = if self.cursor.eat("?") {
            let then = Box::new(self.choice()?.number());
            self.need(":")?;
            let otherwise = Box::new(self.choice()?.number());
            Value::Number(Expression::Select { condition: Box::new(value.truth()), then, otherwise })
        } else {
            value
        };
        self.cursor.back();
        Ok(value)
    }

    fn disjunction(&mut self) -> Read<Value> {
        self.list("||", Self::conjunction, Formula::Any)
    }

    fn conjunction(&mut self) -> Read<Value> {
        self.list("&&", Self::equality, Formula::All)
    }

    /// Parts between which a sign stands.
    fn list(
        &mut self,
        sign: &str,
        part: fn(&mut Self) -> Read<Value>,
        all: fn(Vec<Formula>) -> Formula,
    ) -> Read<Value> {
        let first = part(self)?;
        if !self.cursor.rest().starts_with(sign) {
            return Ok(first);
        }
        let mut parts = vec![first.truth()];
        while self.cursor.eat(sign) {
            parts.push(part(self)?.truth());
        }
        Ok(Value::Truth(all(parts)))
    }

    fn equality(&mut self) -> Read<Value> {
        self.compared(&[Comparison::Equal, Comparison::Differ], Self::relation)
    }

    fn relation(&mut self) -> Read<Value> {
        // The longer signs first.
        let comparisons =
            [Comparison::LessEqual, Comparison::GreaterEqual, Comparison::Less, Comparison::Greater];
        self.compared(&comparisons, Self::sum)
    }

    /// Numbers between which some comparisons stand, as C reads several of them: from the left.
    fn compared(&mut self, comparisons: &[Comparison], part: fn(&mut Self) -> Read<Value>) -> Read<Value> {
        let mut value = part(self)?;
        loop {
            if self.cursor.rest().starts_with("<<") || self.cursor.rest().starts_with(">>") {
                return Err(self.error("shifts are not understood: expected a comparison"));
            }
            let found = comparisons.iter().find(|comparison| self.cursor.eat(comparison.symbol()));
            let Some(&comparison) = found else { return Ok(value) };
            let right = part(self)?.number();
            value = Value::Truth(value.number().compare(comparison, right));
        }
    }

    fn sum(&mut self) -> Read<Value> {
        let first = self.product()?;
        if !self.cursor.rest().starts_with(['+', '-']) {
            return Ok(first);
        }
        let mut parts = vec![first.number()];
        loop {
            if self.cursor.eat("+") {
                parts.push(self.product()?.number());
            } else if self.cursor.eat("-") {
                parts.push(-self.product()?.number());
            } else {
                return Ok(Value::Number(Expression::Sum(parts)));
            }
        }
    }

    fn product(&mut self) -> Read<Value> {
        let first = self.unary()?;
        if !self.cursor.rest().starts_with(['*', '/', '%']) {
            return Ok(first);
        }
        let mut parts = vec![first.number()];
        loop {
            if self.cursor.eat("*") {
                parts.push(self.unary()?.number());
                continue;
            }
            let is_quotient = self.cursor.eat("/");
            if !is_quotient && !self.cursor.eat("%") {
                return Ok(Value::Number(whole(parts)));
            }
            let at = self.cursor.at;
            let divisor = match self.unary()?.number() {
                Expression::Constant(number) if number > Integer::ZERO => number,
                _ => {
                    self.cursor.at = at;
                    return Err(self.error("expected a positive number to divide by"));
                }
            };
            let dividend = whole(std::mem::take(&mut parts));
            parts.push(if is_quotient { dividend.quotient(divisor) } else { dividend.remainder(divisor) });
        }
    }

    fn unary(&mut self) -> Read<Value> {
        if !self.cursor.deeper() {
            return Err(self.error("expected less nesting"));
        }
        let value = self.prefixed();
        self.cursor.back();
        value
    }

    fn prefixed(&mut self) -> Read<Value> {
        if self.cursor.eat("!") {
            return Ok(Value::Truth(!self.unary()?.truth()));
        }
        if self.cursor.eat("-") {
            return Ok(Value::Number(-self.unary()?.number()));
        }
        if self.cursor.eat("+") {
            return self.unary();
        }
        if self.cast()? {
            return self.unary();
        }
        if self.cursor.eat("(") {
            let inner = self.choice()?;
            self.need(")")?;
            return Ok(inner);
        }
        if self.cursor.eat("\\at") {
            return self.earlier();
        }
        if self.cursor.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return self.literal();
        }
        self.variable(Moment::Next).map(Value::Number)
    }

    /// Skips a cast, if there is one.
    fn cast(&mut self) -> Read<bool> {
        let before = self.cursor.at;
        if !self.cursor.eat("(") {
            return Ok(false);
        }
        let mut is_cast = false;
        while let Some(word) = self.cursor.word() {
            if !TYPE_WORDS.contains(&word) {
                is_cast = false;
                break;
            }
            is_cast = true;
        }
        if is_cast {
            self.need(")")?;
        } else {
            self.cursor.at = before;
        }
        Ok(is_cast)
    }

    /// What follows `\at`.
    fn earlier(&mut self) -> Read<Value> {
        if self.speaks == Speaks::State {
            return Err(self.error("an earlier state has no meaning in an invariant"));
        }
        self.need("(")?;
        let number = self.variable(Moment::Now)?;
        self.need(",")?;
        let at = self.cursor.at;
        if self.cursor.word() != Some("AnyPrev") {
            self.cursor.at = at;
            return Err(self.error("expected `AnyPrev`"));
        }
        self.need(")")?;
        Ok(Value::Number(number))
    }

    fn literal(&mut self) -> Read<Value> {
        let number = self.cursor.literal().ok_or_else(|| self.error("expected an integer"))?;
        Ok(Value::Number(Expression::Constant(number.0)))
    }

    /// A variable; an earlier state has another moment than the state itself.
    fn variable(&mut self, moment: Moment) -> Read<Expression> {
        let start = self.cursor.at
            + (self.cursor.text[self.cursor.at..].len()
                - self.cursor.text[self.cursor.at..].trim_start().len());
        if self.cursor.word().is_none() {
            return Err(self.error("expected a number, a variable or `(`"));
        }
        while self.cursor.eat(".") {
            if self.cursor.word().is_none() {
                return Err(self.error("expected the name of a field"));
            }
        }
        let spelling: String = self.cursor.text[start..self.cursor.at].split_whitespace().collect();
        if let Some(next) = self.cursor.rest().chars().next().filter(|c| "[(".contains(*c)) {
            let what = if next == '[' { "elements of arrays are" } else { "calls are" };
            return Err(self.error(&format!("{what} not understood")));
        }
        let Some(name) = self.spelling.name(&spelling) else {
            self.cursor.at = start;
            return Err(self.error(&format!("`{spelling}` is no integer variable that is known at the loop")));
        };
        let moment = if self.speaks == Speaks::State { Moment::Now } else { moment };
        Ok(Quantity::value(name.as_str()).at(moment))
    }
}

fn whole(mut parts: Vec<Expression>) -> Expression {
    if parts.len() == 1 { parts.remove(0) } else { Expression::Product(parts) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::Visible;

    fn visible() -> Vec<Visible> {
        let one = |name: &str, least: i128, greatest: i128| Visible {
            name: name.into(),
            spelling: name.to_owned(),
            least,
            greatest,
            scope: None,
            declared: None,
        };
        vec![
            one("a", i32::MIN.into(), i32::MAX.into()),
            one("b", i32::MIN.into(), i32::MAX.into()),
            one("u", 0, u32::MAX.into()),
            one("l", i64::MIN.into(), i64::MAX.into()),
            one("c", 0, 255),
        ]
    }

    #[test]
    fn what_is_written_in_c_is_read_back() {
        let visible = visible();
        let spelling = Spelling::new(visible.iter(), false);
        for (formula, expected) in [
            ("a <= b", "a <= b"),
            ("a + b <= 10", "(long long)a + (long long)b <= 10LL"),
            ("u >= 1 && (a < 0 || c == 3)", "(long long)u >= 1LL && (a < 0 || c == 3)"),
            ("a - 2 * c > -5", "(long long)a - 2LL * (long long)c > -5LL"),
            ("l + 1 > a", "(__int128)l + 1LL > (__int128)a"),
            ("c % 4 == 1", "c % 4 == 1"),
            ("c / 4 == 1", "c / 4 == 1"),
            ("a % 4 == 0", "a % 4 == 0"),
            ("(a + b) % 4 != 0", "((long long)a + (long long)b) % 4 != 0LL"),
            ("!(a == b)", "!(a == b)"),
            ("if(a < b, a, b) != 7", "(a < b ? a : b) != 7"),
        ] {
            let formula: Formula = formula.parse().unwrap();
            let text = spelling.formula(&formula, Speaks::State).unwrap();
            assert_eq!(text, expected);
            let back = super::formula(&text, &spelling, Speaks::State).unwrap();
            assert_eq!(back.to_string(), formula.to_string());
        }
    }

    /// Numbers that look random.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % sides
        }

        fn number(&mut self, depth: u32, speaks: Speaks) -> Expression {
            let moment = match speaks {
                Speaks::Transition if self.roll(2) == 0 => Moment::Next,
                _ => Moment::Now,
            };
            match self.roll(if depth == 0 { 3 } else { 8 }) {
                0 => constant(self.roll(2000) as i64 - 1000),
                1 | 2 => Quantity::value(["a", "b", "u", "c"][self.roll(4) as usize]).at(moment),
                3 | 4 => self.number(depth - 1, speaks) + self.number(depth - 1, speaks),
                5 => self.number(depth - 1, speaks) - self.number(depth - 1, speaks),
                6 => constant(self.roll(9) as i64 - 4) * self.number(depth - 1, speaks),
                _ => Expression::Select {
                    condition: Box::new(self.formula(depth - 1, speaks)),
                    then: Box::new(self.number(depth - 1, speaks)),
                    otherwise: Box::new(self.number(depth - 1, speaks)),
                },
            }
        }

        fn formula(&mut self, depth: u32, speaks: Speaks) -> Formula {
            let comparison = Comparison::ALL[self.roll(6) as usize];
            match self.roll(if depth == 0 { 1 } else { 5 }) {
                0 | 1 => self.number(depth, speaks).compare(comparison, self.number(depth, speaks)),
                2 => !self.formula(depth - 1, speaks),
                3 => self.formula(depth - 1, speaks).and(self.formula(depth - 1, speaks)),
                _ => self.formula(depth - 1, speaks).or(self.formula(depth - 1, speaks)),
            }
        }
    }

    #[test]
    fn random_formulas_are_read_back() {
        let visible = visible();
        let spelling = Spelling::new(visible.iter(), false);
        let mut dice = Dice(7);
        let mut count = 0;
        for round in 0..5000 {
            let speaks = if round % 2 == 0 { Speaks::State } else { Speaks::Transition };
            let formula = dice.formula(3, speaks);
            let Some(text) = spelling.formula(&formula, speaks) else { continue };
            count += 1;
            let back =
                super::formula(&text, &spelling, speaks).unwrap_or_else(|error| panic!("{text}: {error}"));
            // Nesting of sums has no meaning and is not kept.
            let expected: Formula = formula.to_string().parse().unwrap();
            assert_eq!(back.to_string(), expected.to_string(), "{text}");
        }
        assert!(count > 4000, "{count}");
    }

    #[test]
    fn transition_invariants_speak_of_two_states() {
        let visible = visible();
        let spelling = Spelling::new(visible.iter(), false);
        let formula: Formula = "a' < a && a >= 0".parse().unwrap();
        let text = spelling.formula(&formula, Speaks::Transition).unwrap();
        assert_eq!(text, "a < \\at(a, AnyPrev) && \\at(a, AnyPrev) >= 0");
        assert_eq!(super::formula(&text, &spelling, Speaks::Transition).unwrap(), formula);
        assert!(super::formula(&text, &spelling, Speaks::State).is_err());
    }

    #[test]
    fn what_c_cannot_say_is_not_written() {
        let visible = visible();
        let spelling = Spelling::new(visible.iter(), false);
        for text in [
            "a == entry(a)",
            "size(a) > 3",
            "every(k, 0, a, b.s4[k] == 0)",
            "a / 2 == 3",
            "l * l * l == 0",
            "x < 1",
            "a' > a",
        ] {
            let formula: Formula = text.parse().unwrap();
            assert_eq!(spelling.formula(&formula, Speaks::State), None, "{text}");
        }
    }

    #[test]
    fn what_others_write_is_understood_or_refused_with_a_place() {
        let visible = visible();
        let spelling = Spelling::new(visible.iter(), false);
        let read = |text: &str| formula(text, &spelling, Speaks::State);
        assert_eq!(read("( a >= 0x10u ) && !b").unwrap().to_string(), "a >= 16 && !(b != 0)");
        assert_eq!(read("1").unwrap(), Formula::True);
        assert_eq!(read("(unsigned int )a % 8 == 010").unwrap().to_string(), "a % 8 == 8");
        for (text, problem) in [
            ("a <", "expected a number, a variable or `(` at character 4 of the expression"),
            (
                "a + zz > 1",
                "`zz` is no integer variable that is known at the loop at character 5 of the expression",
            ),
            ("a[0] == 1", "elements of arrays are not understood at character 2 of the expression"),
            ("a == 1 b", "expected an operator or the end at character 8 of the expression"),
            ("a / b == 1", "expected a positive number to divide by at character 4 of the expression"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), problem);
        }
        assert!(read(&"(".repeat(100_000)).is_err());
        assert!(read(&"-".repeat(100_000)).is_err());
        assert!(read(&"!".repeat(100_000)).is_err());
    }
}
