//! Making terms and values of the text that solvers write.
//!
//! Everything that [`super::Printer`] writes can be read, and what solvers make of it in models. An array
//! given as a function (`lambda`) is read if it has few indices, or the function only compares its argument with
//! constants; other functions, and operations that have no counterpart here, are errors with a message.

use rustc_hash::FxHashMap;

use super::Expression;
use loopscope_logic::evaluate::{Evaluation, evaluate};
use loopscope_logic::node::{Binary, Node, Unary};
use loopscope_logic::sort::{Scalar, Sort};
use loopscope_logic::terms::{Term, Terms};
use loopscope_logic::value::{ArrayValue, Value};
use loopscope_logic::{BitVector, Integer, Model, Natural};

/// Makes terms in a store.
pub struct Reader<'a> {
    terms: &'a mut Terms,
    /// What names mean, the innermost meaning last.
    names: FxHashMap<String, Vec<Term>>,
}

/// What is left to do, last first.
enum Work<'e, 't> {
    Read(Expression<'e, 't>),
    Apply(Expression<'e, 't>, usize),
    ConstantArray(Scalar),
    Bind(Vec<&'t str>),
    Unbind(Vec<&'t str>),
    Tabulate(&'t str, Term),
}

impl<'a> Reader<'a> {
    /// A reader that knows no names.
    pub fn new(terms: &'a mut Terms) -> Self {
        Self { terms, names: FxHashMap::default() }
    }

    /// Gives a name, without bars, a meaning.
    pub fn define(&mut self, name: impl Into<String>, term: Term) {
        self.names.entry(name.into()).or_default().push(term);
    }

    /// The term of an expression.
    pub fn term(&mut self, expression: Expression) -> Result<Term, String> {
        let mut work = vec![Work::Read(expression)];
        let mut done: Vec<Term> = Vec::new();
        while let Some(next) = work.pop() {
            match next {
                Work::Read(expression) => match expression.atom() {
                    Some(word) => done.push(self.word(word)?),
                    None => self.open(expression, &mut work, &mut done)?,
                },
                Work::Apply(head, count) => {
                    let operands = done.split_off(done.len() - count);
                    done.push(self.apply(head, &operands)?);
                }
                Work::ConstantArray(index) => {
                    let element = done.pop().ok_or("a constant array without an element")?;
                    done.push(self.make(Node::ConstantArray(index, element))?);
                }
                Work::Bind(names) => {
                    for name in names.into_iter().rev() {
                        let term = done.pop().ok_or("a binding without a term")?;
                        self.define(name, term);
                    }
                }
                Work::Unbind(names) => names.into_iter().for_each(|name| self.forget(name)),
                Work::Tabulate(name, argument) => {
                    let body = done.pop().ok_or("a function without a body")?;
                    self.forget(name);
                    let table = tabulate(self.terms, argument, body)?;
                    done.push(self.terms.value(&table));
                }
            }
        }
        done.pop().ok_or_else(|| "no term".to_owned())
    }

    /// The value of an expression without unknowns.
    pub fn value(&mut self, expression: Expression) -> Result<Value, String> {
        let term = self.term(expression)?;
        if !self.terms.free_symbols(&[term]).is_empty() {
            return Err(format!("{expression} is no value"));
        }
        Ok(evaluate(self.terms, &Model::new(), term))
    }

    fn forget(&mut self, name: &str) {
        if let Some(meanings) = self.names.get_mut(name) {
            meanings.pop();
        }
    }

    fn word(&mut self, word: &str) -> Result<Term, String> {
        if let Some(&term) = self.names.get(word).and_then(|meanings| meanings.last()) {
            return Ok(term);
        }
        let value = match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => match (word.strip_prefix("#b"), word.strip_prefix("#x")) {
                (Some(digits), _) => bits(digits, 2, digits.len())?,
                (_, Some(digits)) => bits(digits, 16, 4 * digits.len())?,
                _ => Value::Integer(word.parse().map_err(|_| format!("unknown name {word}"))?),
            },
        };
        Ok(self.terms.value(&value))
    }

    /// Begins a list: its parts are read first, then what is made of them.
    fn open<'e, 't>(
        &mut self,
        expression: Expression<'e, 't>,
        work: &mut Vec<Work<'e, 't>>,
        done: &mut Vec<Term>,
    ) -> Result<(), String> {
        let items = expression.items();
        let Some((&head, operands)) = items.split_first() else {
            return Err("an empty list is no term".to_owned());
        };
        match (head.atom(), operands) {
            (Some("_"), [name, width]) if name.atom().is_some_and(|name| name.starts_with("bv")) => {
                let digits = &name.atom().unwrap_or_default()[2..];
                let width = number(*width)? as usize;
                let value = bits(digits, 10, width)?;
                done.push(self.terms.value(&value));
            }
            (Some("let"), [bindings, body]) => {
                let pairs: Vec<Vec<Expression>> =
                    bindings.items().into_iter().map(Expression::items).collect();
                let names: Option<Vec<&str>> = pairs.iter().map(|pair| pair.first()?.atom()).collect();
                let names = names.ok_or("a binding without a name")?;
                work.push(Work::Unbind(names.clone()));
                work.push(Work::Read(*body));
                work.push(Work::Bind(names));
                work.extend(
                    pairs.iter().filter_map(|pair| pair.get(1)).rev().map(|bound| Work::Read(*bound)),
                );
            }
            (Some("lambda"), [parameters, body]) => {
                let parameters = parameters.items();
                let parameter = match parameters.as_slice() {
                    [parameter] => parameter.items(),
                    _ => return Err(format!("a function of {} arguments is no array", parameters.len())),
                };
                let [name, sort] = parameter.as_slice() else {
                    return Err("a parameter without a sort".to_owned());
                };
                let name = name.atom().ok_or("a parameter without a name")?;
                let argument = self.terms.fresh(name, read_sort(*sort)?);
                self.define(name, argument);
                work.push(Work::Tabulate(name, argument));
                work.push(Work::Read(*body));
            }
            (Some("!"), [term, ..]) => work.push(Work::Read(*term)),
            (None, [element]) if head.items().first().and_then(|e| e.atom()) == Some("as") => {
                let Some(Sort::Array(index, _)) =
                    head.items().get(2).map(|sort| read_sort(*sort)).transpose()?
                else {
                    return Err(format!("{head} is no array"));
                };
                work.push(Work::ConstantArray(index));
                work.push(Work::Read(*element));
            }
            _ => {
                work.push(Work::Apply(head, operands.len()));
                work.extend(operands.iter().rev().map(|operand| Work::Read(*operand)));
            }
        }
        Ok(())
    }

    /// The term of a node, or a message if it is not well-sorted.
    fn make(&mut self, node: Node) -> Result<Term, String> {
        let sort = |term: Term| self.terms.sort(term);
        let sorted = match node {
            Node::Symbol(_) | Node::Constant(_) => true,
            Node::Unary(op, a) => op.sort(sort(a)).is_some(),
            Node::Binary(op, a, b) => op.sort(sort(a), sort(b)).is_some(),
            Node::Ite(a, b, c) => sort(a) == Sort::Bool && sort(b) == sort(c),
            Node::Store(a, b, c) => sort(b)
                .scalar()
                .zip(sort(c).scalar())
                .is_some_and(|(index, element)| sort(a) == Sort::Array(index, element)),
            Node::ConstantArray(_, a) => sort(a).scalar().is_some(),
        };
        if sorted {
            Ok(self.terms.make(node))
        } else {
            Err(format!("an operation on terms of wrong sorts: {node:?}"))
        }
    }

    fn apply(&mut self, head: Expression, operands: &[Term]) -> Result<Term, String> {
        let Some(name) = head.atom() else { return self.indexed(head, operands) };
        match (name, operands) {
            ("not", &[a]) => self.make(Node::Unary(Unary::Not, a)),
            ("bvnot", &[a]) => self.make(Node::Unary(Unary::BitNot, a)),
            ("bvneg", &[a]) => self.make(Node::Unary(Unary::BitNegate, a)),
            ("bv2nat" | "ubv_to_int", &[a]) => self.make(Node::Unary(Unary::UnsignedToInteger, a)),
            ("sbv_to_int", &[a]) => self.make(Node::Unary(Unary::SignedToInteger, a)),
            ("-", &[a]) => self.make(Node::Unary(Unary::Negate, a)),
            ("-", _) => self.fold(operands, |reader, a, b| {
                let negated = reader.make(Node::Unary(Unary::Negate, b))?;
                reader.make(Node::Binary(Binary::Add, a, negated))
            }),
            ("ite", &[a, b, c]) => self.make(Node::Ite(a, b, c)),
            ("store", &[a, b, c]) => self.make(Node::Store(a, b, c)),
            ("=>", &[a, b]) => {
                let not = self.make(Node::Unary(Unary::Not, a))?;
                self.make(Node::Binary(Binary::Or, not, b))
            }
            ("distinct" | "xor", &[a, b]) => {
                let equal = self.make(Node::Binary(Binary::Equal, a, b))?;
                self.make(Node::Unary(Unary::Not, equal))
            }
            ("div" | "mod", &[_, b])
                if self.terms.known_integer(b).is_none_or(|divisor| divisor.is_zero()) =>
            {
                Err("division by what may be zero".to_owned())
            }
            _ => match comparison(name) {
                Some((op, swap)) => self.chain(op, swap, operands),
                None => {
                    let op = operator(name).ok_or_else(|| format!("unknown operation {name}"))?;
                    self.fold(operands, |reader, a, b| reader.make(Node::Binary(op, a, b)))
                }
            },
        }
    }

    /// An operation with indices, such as `(_ extract 3 0)`.
    fn indexed(&mut self, head: Expression, operands: &[Term]) -> Result<Term, String> {
        let items = head.items();
        let indices: Vec<u32> = items.iter().skip(2).map(|index| number(*index)).collect::<Result<_, _>>()?;
        let op = match (items.get(1).and_then(|name| name.atom()), indices.as_slice()) {
            (Some("extract"), &[high, low]) => Unary::Extract { high, low },
            (Some("zero_extend"), &[by]) => Unary::ZeroExtend(by),
            (Some("sign_extend"), &[by]) => Unary::SignExtend(by),
            (Some("int2bv" | "int_to_bv"), &[width]) => Unary::IntegerToBits(width),
            (Some("divisible"), &[by]) if by > 0 => return self.divisible(by, operands),
            _ => return Err(format!("unknown operation {head}")),
        };
        match operands {
            &[a] => self.make(Node::Unary(op, a)),
            _ => Err(format!("{head} of {} terms", operands.len())),
        }
    }

    fn divisible(&mut self, by: u32, operands: &[Term]) -> Result<Term, String> {
        let &[term] = operands else { return Err("divisibility of several terms".to_owned()) };
        let (by, zero) = (self.terms.integer(by), self.terms.integer(0));
        let rest = self.make(Node::Binary(Binary::Modulo, term, by))?;
        self.make(Node::Binary(Binary::Equal, rest, zero))
    }

    fn fold(
        &mut self,
        operands: &[Term],
        mut join: impl FnMut(&mut Self, Term, Term) -> Result<Term, String>,
    ) -> Result<Term, String> {
        let (&first, rest) = operands.split_first().ok_or("an operation on nothing")?;
        rest.iter().try_fold(first, |joined, &next| join(self, joined, next))
    }

    /// A comparison of each with the next.
    fn chain(&mut self, op: Binary, swap: bool, operands: &[Term]) -> Result<Term, String> {
        let mut all = self.terms.bool(true);
        for pair in operands.windows(2) {
            let (a, b) = if swap { (pair[1], pair[0]) } else { (pair[0], pair[1]) };
            let holds = self.make(Node::Binary(op, a, b))?;
            all = if self.terms.is_true(all) {
                holds
            } else {
                self.make(Node::Binary(Binary::And, all, holds))?
            };
        }
        Ok(all)
    }
}

/// The array whose elements a function gives.
fn tabulate(terms: &mut Terms, argument: Term, body: Term) -> Result<Value, String> {
    let symbol = terms.as_symbol(argument).ok_or("a parameter is a symbol")?;
    let sort = terms.sort(argument);
    let index = sort.scalar().ok_or("an array has no arrays as indices")?;
    if terms.free_symbols(&[body]).into_iter().any(|free| free != symbol) {
        return Err("a function over unknowns is no value".to_owned());
    }
    let mentioned = match index {
        Scalar::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Scalar::BitVector(width) if width <= 8 => {
            (0..1 << width).map(|bits| Value::bits(width, bits)).collect()
        }
        _ => compared(terms, argument, body)?,
    };
    let at = |value: Value| {
        let mut model = Model::new();
        model.set(symbol, value);
        Evaluation::new(terms, &model).value(body).clone()
    };
    let default = at(another(sort, &mentioned));
    let mut array = ArrayValue { index, default, entries: Default::default() };
    for value in mentioned {
        let element = at(value.clone());
        array.set(value, element);
    }
    Ok(Value::Array(Box::new(array)))
}

/// The constants that a function compares its argument with, if it does nothing else to it.
fn compared(terms: &Terms, argument: Term, body: Term) -> Result<Vec<Value>, String> {
    let mut constants = Vec::new();
    for term in terms.reachable(&[body]) {
        let node = terms.node(term);
        if term == body && term == argument || node.operands().any(|operand| operand == argument) {
            let constant = match node {
                Node::Binary(Binary::Equal, a, b) => terms.known(if a == argument { b } else { a }),
                _ => None,
            };
            constants.push(constant.ok_or("a function that does more than compare its argument")?.clone());
        }
    }
    Ok(constants)
}

/// A value that is not among these, if there is one.
fn another(sort: Sort, among: &[Value]) -> Value {
    let candidates = (0..=among.len() as u64).map(|number| match sort {
        Sort::BitVector(width) => Value::bits(width, number.into()),
        Sort::Integer => Value::Integer(number.into()),
        _ => Value::Bool(number == 0),
    });
    candidates.into_iter().find(|value| !among.contains(value)).unwrap_or_else(|| Value::zero(sort))
}

fn bits(digits: &str, radix: u32, width: usize) -> Result<Value, String> {
    let number = Natural::from_str_radix(digits, radix).map_err(|_| format!("{digits} is no number"))?;
    let width = u32::try_from(width).ok().filter(|&width| width > 0).ok_or("bits of no width")?;
    Ok(Value::BitVector(BitVector::wrapping(width, &Integer::from(number))))
}

fn number(expression: Expression) -> Result<u32, String> {
    expression.atom().and_then(|word| word.parse().ok()).ok_or_else(|| format!("{expression} is no index"))
}

fn read_sort(expression: Expression) -> Result<Sort, String> {
    let unknown = || format!("unknown sort {expression}");
    match expression.atom() {
        Some("Bool") => return Ok(Sort::Bool),
        Some("Int") => return Ok(Sort::Integer),
        Some(_) => return Err(unknown()),
        None => {}
    }
    let items = expression.items();
    match (items.first().and_then(|head| head.atom()), items.get(1..)) {
        (Some("_"), Some([_, width])) => Ok(Sort::BitVector(number(*width)?)),
        (Some("Array"), Some([index, element])) => {
            let scalar = |of: &Expression| match of.words() {
                // Arrays of arrays do not exist here.
                Some(words) if words.first() == Some(&"Array") => Err(unknown()),
                _ => read_sort(*of)?.scalar().ok_or_else(unknown),
            };
            Ok(Sort::Array(scalar(index)?, scalar(element)?))
        }
        _ => Err(unknown()),
    }
}

/// The comparison of a name, and whether its operands change places.
fn comparison(name: &str) -> Option<(Binary, bool)> {
    use Binary::*;
    Some(match name {
        "=" => (Equal, false),
        "<=" => (LessEqual, false),
        "<" => (Less, false),
        ">=" => (LessEqual, true),
        ">" => (Less, true),
        "bvult" => (UnsignedLess, false),
        "bvule" => (UnsignedLessEqual, false),
        "bvslt" => (SignedLess, false),
        "bvsle" => (SignedLessEqual, false),
        "bvugt" => (UnsignedLess, true),
        "bvuge" => (UnsignedLessEqual, true),
        "bvsgt" => (SignedLess, true),
        "bvsge" => (SignedLessEqual, true),
        _ => return None,
    })
}

fn operator(name: &str) -> Option<Binary> {
    use Binary::*;
    Some(match name {
        "and" => And,
        "or" => Or,
        "bvand" => BitAnd,
        "bvor" => BitOr,
        "bvxor" => BitXor,
        "bvadd" => BitAdd,
        "bvsub" => BitSubtract,
        "bvmul" => BitMultiply,
        "bvudiv" => UnsignedDivide,
        "bvurem" => UnsignedRemainder,
        "bvsdiv" => SignedDivide,
        "bvsrem" => SignedRemainder,
        "bvshl" => ShiftLeft,
        "bvlshr" => ShiftRight,
        "bvashr" => ShiftRightSigned,
        "concat" => Concat,
        "+" => Add,
        "*" => Multiply,
        "div" => Divide,
        "mod" => Modulo,
        "select" => Select,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::random::{Generator, Shape};
    use super::super::{Expressions, Printer};
    use super::*;

    fn value(text: &str) -> Result<Value, String> {
        let expressions = Expressions::new(text).unwrap();
        Reader::new(&mut Terms::new()).value(expressions.first().unwrap())
    }

    #[test]
    fn values_are_read() {
        assert_eq!(value("#b101"), Ok(Value::bits(3, 5)));
        assert_eq!(value("#xfd"), Ok(Value::bits(8, 0xfd)));
        assert_eq!(value("(_ bv7 9)"), Ok(Value::bits(9, 7)));
        assert_eq!(
            value("(- 12345678901234567890123)"),
            Ok(Value::Integer(-Integer::from(12345678901234567890123u128)))
        );
        assert_eq!(value("true"), Ok(Value::Bool(true)));
        assert!(value("(f 1)").is_err());
        assert!(value("()").is_err());
        assert!(value("(bvadd #b1 #b10)").is_err());
    }

    #[test]
    fn arrays_are_read_in_all_their_forms() {
        let stores = "(store (store ((as const (Array (_ BitVec 8) Int)) 3) #x01 4) #x02 (- 5))";
        let function =
            "(lambda ((x!1 (_ BitVec 8))) (let ((a!1 (ite (= x!1 #x02) (- 5) 3))) (ite (= #x01 x!1) 4 a!1)))";
        assert_eq!(value(stores), value(function));
        let Ok(Value::Array(array)) = value(stores) else { panic!("no array") };
        assert_eq!(array.get(&Value::bits(8, 2)), &Value::Integer((-5).into()));
        assert_eq!(array.get(&Value::bits(8, 3)), &Value::Integer(3.into()));
        let Ok(Value::Array(array)) = value("(lambda ((x Bool)) (ite x 1 2))") else { panic!("no array") };
        assert_eq!(array.get(&Value::Bool(true)), &Value::Integer(1.into()));
        let Ok(Value::Array(array)) = value("(lambda ((x (_ BitVec 3))) (bvneg x))") else {
            panic!("no array")
        };
        assert_eq!(array.get(&Value::bits(3, 3)), &Value::bits(3, 5));
        assert!(value("(lambda ((x Int)) (+ x 1))").is_err());
        assert!(value("(lambda ((x Int)) x)").is_err());
    }

    #[test]
    fn what_is_printed_is_read_back_with_the_same_meaning() {
        for (seed, shape) in [Shape::bits(&[1, 8, 65]), Shape::arrays(2, 8)].into_iter().enumerate() {
            let mut generator = Generator::with_shape(seed as u64, shape);
            let mut terms = Terms::without_simplification();
            for _ in 0..50 {
                let formula = generator.formula(&mut terms);
                let mut lines = String::new();
                let text = Printer::new().term(&terms, formula, &mut lines);
                let again = read_back(&mut terms, &lines, &text);
                let model = generator.model(&terms);
                assert_eq!(
                    evaluate(&terms, &model, formula),
                    evaluate(&terms, &model, again),
                    "{lines}{text}"
                );
            }
        }
    }

    fn read_back(terms: &mut Terms, lines: &str, text: &str) -> Term {
        let symbols: Vec<Term> = (0..terms.len()).map(base::Index::new).collect();
        let symbols: Vec<Term> =
            symbols.into_iter().filter(|&term| terms.as_symbol(term).is_some()).collect();
        let named: Vec<(String, Term)> = symbols
            .into_iter()
            .map(|term| (Printer::name(terms, terms.as_symbol(term).unwrap()), term))
            .collect();
        let mut reader = Reader::new(terms);
        named.into_iter().for_each(|(name, term)| reader.define(name, term));
        let expressions = Expressions::new(lines).unwrap();
        for line in expressions.iter() {
            if let [kind, name, _, _, body] = line.items().as_slice() {
                assert_eq!(kind.atom(), Some("define-fun"));
                let term = reader.term(*body).unwrap();
                reader.define(name.atom().unwrap(), term);
            }
        }
        let expressions = Expressions::new(text).unwrap();
        reader.term(expressions.first().unwrap()).unwrap()
    }
}
