//! Writing terms as SMT-LIB 2.
//!
//! A subterm that is used more than once, or is long, becomes a definition (`define-fun` without parameters) before the
//! term that uses it. Names: a symbol keeps its own with its number behind a dot, a definition is `$` and the term's
//! number. Operations that SMT-LIB lacks, or leaves open (division of integers by zero), are written out.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use loopscope_logic::node::{Binary, Node, Unary};
use loopscope_logic::sort::Sort;
use loopscope_logic::terms::{SymbolId, Term, Terms};
use loopscope_logic::value::Value;
use loopscope_logic::{Integer, Natural};

/// Longer texts become definitions.
const LONG: usize = 160;

/// Writes terms of one store. What it has declared and defined once it takes for known later.
#[derive(Clone, Debug, Default)]
pub struct Printer {
    texts: FxHashMap<Term, String>,
    /// The terms that have a text, in the order in which they got it.
    written: Vec<Term>,
    shared: FxHashSet<Term>,
    symbols: FxHashMap<String, SymbolId>,
}

impl Printer {
    /// A printer that has said nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text of a term. Declarations and definitions that it needs, and that were not made before, are added to
    /// `out`, a line each.
    pub fn term(&mut self, terms: &Terms, term: Term, out: &mut String) -> String {
        self.plan(terms, &[term]);
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.texts.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(terms.node(top).operands().filter(|operand| !self.texts.contains_key(operand)));
            if stack.len() == before {
                let text = self.write(terms, top, out);
                self.texts.insert(top, text);
                self.written.push(top);
                stack.pop();
            }
        }
        self.texts[&term].clone()
    }

    /// Takes note of what these terms share, so that it is defined and not repeated. Only terms that were not written
    /// before are examined.
    pub fn plan(&mut self, terms: &Terms, roots: &[Term]) {
        let mut met = FxHashSet::default();
        let mut stack: Vec<Term> = roots.to_vec();
        while let Some(term) = stack.pop() {
            if self.texts.contains_key(&term) {
                continue;
            }
            if !met.insert(term) {
                self.shared.insert(term);
                continue;
            }
            let node = terms.node(term);
            self.shared.extend(repeated(terms, node));
            stack.extend(node.operands());
        }
    }

    /// How much has been said, for [`Printer::forget`].
    pub fn mark(&self) -> usize {
        self.written.len()
    }

    /// Takes back what was said since a mark: whoever listens has forgotten it, and it will be said again.
    pub fn forget(&mut self, mark: usize) {
        for term in self.written.drain(mark..) {
            self.texts.remove(&term);
        }
    }

    /// The symbol behind a name that was declared, without the bars around it.
    pub fn symbol(&self, name: &str) -> Option<SymbolId> {
        self.symbols.get(name).copied()
    }

    /// The name under which a symbol is declared.
    pub fn name(terms: &Terms, symbol: SymbolId) -> String {
        let name = bare_name(terms, symbol);
        let simple = |c: char| c.is_ascii_alphanumeric() || "_.$!@%^&*+=<>?/~-".contains(c);
        if name.chars().all(simple) && !name.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
        {
            name
        } else {
            format!("|{name}|")
        }
    }

    /// The text of a term whose operands have theirs, or the name of its definition.
    fn write(&mut self, terms: &Terms, term: Term, out: &mut String) -> String {
        let node = terms.node(term);
        let text = match node {
            Node::Symbol(symbol) => {
                let name = Self::name(terms, symbol);
                let _ = writeln!(out, "(declare-const {name} {})", sort_text(terms.sort(term)));
                self.symbols.insert(bare_name(terms, symbol), symbol);
                return name;
            }
            Node::Constant(constant) => return value_text(terms.constant(constant)),
            _ => self.operation(terms, term, node),
        };
        if text.len() <= LONG && !self.shared.contains(&term) {
            return text;
        }
        let name = format!("${}", base::Index::index(term));
        let _ = writeln!(out, "(define-fun {name} () {} {text})", sort_text(terms.sort(term)));
        name
    }

    fn operation(&self, terms: &Terms, term: Term, node: Node) -> String {
        let text = |operand: Term| self.texts[&operand].as_str();
        match node {
            Node::Symbol(_) | Node::Constant(_) => unreachable!("{term} is written by the caller"),
            Node::Unary(op, a) => self.unary(terms, op, a),
            Node::Binary(op, a, b) => self.binary(terms, op, a, b),
            Node::Ite(a, b, c) => format!("(ite {} {} {})", text(a), text(b), text(c)),
            Node::Store(a, b, c) => format!("(store {} {} {})", text(a), text(b), text(c)),
            Node::ConstantArray(_, a) => format!("((as const {}) {})", sort_text(terms.sort(term)), text(a)),
        }
    }

    fn unary(&self, terms: &Terms, op: Unary, operand: Term) -> String {
        let a = &self.texts[&operand];
        match op {
            Unary::Not => format!("(not {a})"),
            Unary::BitNot => format!("(bvnot {a})"),
            Unary::BitNegate => format!("(bvneg {a})"),
            Unary::Extract { high, low } => format!("((_ extract {high} {low}) {a})"),
            Unary::ZeroExtend(by) => format!("((_ zero_extend {by}) {a})"),
            Unary::SignExtend(by) => format!("((_ sign_extend {by}) {a})"),
            Unary::UnsignedToInteger => format!("(bv2nat {a})"),
            Unary::SignedToInteger => {
                let width = terms.width(operand);
                let modulus = Natural::ONE << width as usize;
                format!("(ite (bvslt {a} (_ bv0 {width})) (- (bv2nat {a}) {modulus}) (bv2nat {a}))")
            }
            Unary::IntegerToBits(width) => format!("((_ int2bv {width}) {a})"),
            Unary::Negate => format!("(- {a})"),
        }
    }

    fn binary(&self, terms: &Terms, op: Binary, left: Term, right: Term) -> String {
        let (a, b) = (&self.texts[&left], &self.texts[&right]);
        match op {
            Binary::SignedMultiplyOverflows => {
                let width = terms.width(left);
                let top = width - 1;
                let wide = |text: &str| format!("((_ sign_extend {width}) {text})");
                format!(
                    "(let (($p (bvmul {} {}))) (not (= $p {})))",
                    wide(a),
                    wide(b),
                    wide(&format!("((_ extract {top} 0) $p)"))
                )
            }
            Binary::UnsignedMultiplyOverflows => {
                let width = terms.width(left);
                let top = 2 * width - 1;
                let wide = |text: &str| format!("((_ zero_extend {width}) {text})");
                let product = format!("(bvmul {} {})", wide(a), wide(b));
                format!("(not (= ((_ extract {top} {width}) {product}) (_ bv0 {width})))")
            }
            Binary::Divide if !is_not_zero(terms, right) => format!("(ite (= {b} 0) 0 (div {a} {b}))"),
            Binary::Modulo if !is_not_zero(terms, right) => format!("(ite (= {b} 0) {a} (mod {a} {b}))"),
            _ => format!("({} {a} {b})", operator(op)),
        }
    }
}

/// The operands that the text of a node mentions more than once.
fn repeated(terms: &Terms, node: Node) -> Vec<Term> {
    match node {
        Node::Unary(Unary::SignedToInteger, a) => vec![a],
        Node::Binary(Binary::Divide | Binary::Modulo, a, b) if !is_not_zero(terms, b) => vec![a, b],
        _ => Vec::new(),
    }
}

fn is_not_zero(terms: &Terms, term: Term) -> bool {
    terms.known_integer(term).is_some_and(|number| !number.is_zero())
}

fn bare_name(terms: &Terms, symbol: SymbolId) -> String {
    let name: String = terms
        .symbol(symbol)
        .name
        .chars()
        .map(|c| if c == '|' || c == '\\' || c.is_control() || !c.is_ascii() { '_' } else { c })
        .collect();
    format!("{name}.{}", base::Index::index(symbol))
}

/// A sort as SMT-LIB writes it.
fn sort_text(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_owned(),
        Sort::BitVector(width) => format!("(_ BitVec {width})"),
        Sort::Integer => "Int".to_owned(),
        Sort::Array(index, element) => {
            format!("(Array {} {})", sort_text(index.into()), sort_text(element.into()))
        }
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Bool(truth) => truth.to_string(),
        Value::BitVector(bits) if bits.width() % 4 == 0 => {
            format!("#x{:0>digits$}", format!("{:x}", bits.unsigned()), digits = bits.width() as usize / 4)
        }
        Value::BitVector(bits) => {
            format!("#b{:0>digits$}", format!("{:b}", bits.unsigned()), digits = bits.width() as usize)
        }
        Value::Integer(number) if *number < Integer::ZERO => format!("(- {})", -number),
        Value::Integer(number) => number.to_string(),
        Value::Array(_) => unreachable!("constants are scalars"),
    }
}

/// The operator of an operation that is written as one.
fn operator(op: Binary) -> &'static str {
    use Binary::*;
    match op {
        And => "and",
        Or => "or",
        Equal => "=",
        BitAnd => "bvand",
        BitOr => "bvor",
        BitXor => "bvxor",
        BitAdd => "bvadd",
        BitSubtract => "bvsub",
        BitMultiply => "bvmul",
        UnsignedDivide => "bvudiv",
        UnsignedRemainder => "bvurem",
        SignedDivide => "bvsdiv",
        SignedRemainder => "bvsrem",
        ShiftLeft => "bvshl",
        ShiftRight => "bvlshr",
        ShiftRightSigned => "bvashr",
        Concat => "concat",
        UnsignedLess => "bvult",
        UnsignedLessEqual => "bvule",
        SignedLess => "bvslt",
        SignedLessEqual => "bvsle",
        Add => "+",
        Multiply => "*",
        Divide => "div",
        Modulo => "mod",
        LessEqual => "<=",
        Less => "<",
        Select => "select",
        SignedMultiplyOverflows | UnsignedMultiplyOverflows => unreachable!("{op:?} is written out"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_parts_are_written_once() {
        let mut terms = Terms::without_simplification();
        let mut sum = terms.fresh("x", Sort::Integer);
        for _ in 0..1000 {
            sum = terms.binary(Binary::Add, sum, sum);
        }
        let (mut printer, mut out) = (Printer::new(), String::new());
        let text = printer.term(&terms, sum, &mut out);
        assert!(out.starts_with("(declare-const x.0 Int)\n(define-fun $1 () Int (+ x.0 x.0))\n"), "{out}");
        assert_eq!(out.lines().count(), 1000);
        assert_eq!(text, "(+ $999 $999)");
        let mut more = String::new();
        assert_eq!(printer.term(&terms, sum, &mut more), text);
        assert!(more.is_empty());
    }

    #[test]
    fn a_million_deep_term_is_written() {
        let mut terms = Terms::without_simplification();
        let x = terms.fresh("x", Sort::BitVector(8));
        let mut sum = x;
        for _ in 0..1_000_000 {
            sum = terms.binary(Binary::BitAdd, sum, x);
        }
        let mut out = String::new();
        Printer::new().term(&terms, sum, &mut out);
        assert!(out.len() < 30_000_000);
    }

    #[test]
    fn names_are_quoted_and_values_padded() {
        let mut terms = Terms::without_simplification();
        let odd = terms.fresh("a[i] |", Sort::BitVector(7));
        let one = terms.bits(7, 1);
        let less = terms.binary(Binary::SignedLess, one, odd);
        let mut out = String::new();
        let text = Printer::new().term(&terms, less, &mut out);
        assert_eq!(out, "(declare-const |a[i] _.0| (_ BitVec 7))\n");
        assert!(text.contains("#b0000001"), "{text}");
        let number = terms.integer(-12);
        assert_eq!(Printer::new().term(&terms, number, &mut out), "(- 12)");
    }
}
