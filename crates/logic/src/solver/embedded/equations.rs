//! What is asserted, level by level, with equations used up.
//!
//! An asserted `symbol = term` says what the symbol is, wherever else it stands: the symbol is exchanged for the term,
//! and its value comes from the term's when there is a model. So do an asserted boolean symbol and its negation. This
//! undoes what encodings of programs do when they name every intermediate value.

use rustc_hash::FxHashMap;

use crate::evaluate::Evaluation;
use crate::model::Model;
use crate::node::{Binary, Node, Unary};
use crate::sort::Sort;
use crate::substitute::Substitution;
use crate::terms::{Term, Terms};

/// All that is asserted.
pub(crate) struct Assertions {
    levels: Vec<Level>,
}

/// What was asserted between two pushes.
#[derive(Default)]
struct Level {
    asserted: Vec<Term>,
    /// How many of them the rest is made from.
    used: usize,
    passes: Vec<Pass>,
    /// What is left to be required, after the passes of this level.
    rest: Vec<Term>,
}

/// Symbols exchanged for terms, all at once.
#[derive(Default)]
struct Pass {
    /// Symbols, and what they are; none of these symbols stands in what they are.
    definitions: Vec<(Term, Term)>,
    exchange: Substitution,
}

/// So many times, using up equations may bring up new ones.
const PASSES: usize = 4;

impl Assertions {
    pub(crate) fn new() -> Self {
        Self { levels: vec![Level::default()] }
    }

    pub(crate) fn push(&mut self) {
        self.levels.push(Level::default());
    }

    pub(crate) fn pop(&mut self) {
        if self.levels.len() > 1 {
            self.levels.pop();
        }
    }

    pub(crate) fn assert(&mut self, term: Term) {
        if let Some(level) = self.levels.last_mut() {
            level.asserted.push(term);
        }
    }

    /// All that is asserted, as it was asserted.
    pub(crate) fn asserted(&self) -> impl Iterator<Item = Term> {
        self.levels.iter().flat_map(|level| level.asserted.iter().copied())
    }

    /// What is left to be required.
    pub(crate) fn rest(&mut self, terms: &mut Terms) -> Vec<Term> {
        for index in 0..self.levels.len() {
            if self.levels[index].used != self.levels[index].asserted.len() {
                self.use_up(terms, index);
            }
        }
        let mut rest = Vec::new();
        for index in 0..self.levels.len() {
            for position in 0..self.levels[index].rest.len() {
                let term = self.levels[index].rest[position];
                rest.push(self.exchange_from(terms, index + 1, term));
            }
        }
        rest
    }

    /// A term with all definitions used.
    pub(crate) fn exchange(&mut self, terms: &mut Terms, term: Term) -> Term {
        self.exchange_from(terms, 0, term)
    }

    fn exchange_from(&mut self, terms: &mut Terms, level: usize, term: Term) -> Term {
        let passes = self.levels[level..].iter_mut().flat_map(|level| &mut level.passes);
        passes.fold(term, |term, pass| pass.exchange(terms, term))
    }

    fn use_up(&mut self, terms: &mut Terms, index: usize) {
        let (below, this) = self.levels.split_at_mut(index);
        let level = &mut this[0];
        let mut conjuncts: Vec<Term> = level.asserted.clone();
        for term in &mut conjuncts {
            let passes = below.iter_mut().flat_map(|level| &mut level.passes);
            *term = passes.fold(*term, |term, pass| pass.exchange(terms, term));
        }
        level.used = level.asserted.len();
        level.passes.clear();
        level.rest = split(terms, &conjuncts);
        for _ in 0..PASSES {
            let Some((pass, rest)) = Pass::over(terms, &level.rest) else { break };
            level.passes.push(pass);
            level.rest = split(terms, &rest);
        }
    }

    /// Gives the symbols that were used up the values that follow from the others.
    pub(crate) fn extend(&self, terms: &Terms, model: &mut Model) {
        let passes = self.levels.iter().flat_map(|level| &level.passes);
        for pass in passes.collect::<Vec<_>>().into_iter().rev() {
            let mut evaluation = Evaluation::new(terms, model);
            let values: Vec<_> =
                pass.definitions.iter().map(|(_, term)| evaluation.value(*term).clone()).collect();
            for ((symbol, _), value) in pass.definitions.iter().zip(values) {
                if let Some(symbol) = terms.as_symbol(*symbol) {
                    model.set(symbol, value);
                }
            }
        }
    }
}

/// The parts of conjunctions, each once, without those that are true.
fn split(terms: &Terms, conjuncts: &[Term]) -> Vec<Term> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut parts = Vec::new();
    let mut stack: Vec<Term> = conjuncts.iter().rev().copied().collect();
    while let Some(term) = stack.pop() {
        if !seen.insert(term) || terms.is_true(term) {
            continue;
        }
        match terms.node(term) {
            Node::Binary(Binary::And, a, b) => stack.extend([b, a]),
            _ => parts.push(term),
        }
    }
    parts
}

/// What a conjunct says a symbol is.
fn definition(terms: &mut Terms, conjunct: Term) -> Option<(Term, Term)> {
    let is_symbol = |terms: &Terms, term: Term| terms.as_symbol(term).is_some();
    match terms.node(conjunct) {
        Node::Symbol(_) => Some((conjunct, terms.bool(true))),
        Node::Unary(Unary::Not, a) if is_symbol(terms, a) => Some((a, terms.bool(false))),
        Node::Binary(Binary::Equal, a, b) => match (is_symbol(terms, a), is_symbol(terms, b)) {
            // Of two symbols the later one goes: it is more likely a name for the earlier one.
            (true, true) => Some((a.max(b), a.min(b))),
            (true, false) => Some((a, b)),
            (false, true) => Some((b, a)),
            _ => None,
        },
        // `symbol != boolean` is an equation as well.
        Node::Unary(Unary::Not, equation) => match terms.node(equation) {
            Node::Binary(Binary::Equal, a, b) if terms.sort(a) == Sort::Bool => {
                let (symbol, other) = if is_symbol(terms, a) { (a, b) } else { (b, a) };
                is_symbol(terms, symbol).then(|| (symbol, terms.not(other)))
            }
            _ => None,
        },
        _ => None,
    }
}

impl Pass {
    /// Finds definitions in conjuncts and uses them in the conjuncts; nothing if there are none.
    fn over(terms: &mut Terms, conjuncts: &[Term]) -> Option<(Self, Vec<Term>)> {
        let mut found: FxHashMap<Term, (Term, usize)> = FxHashMap::default();
        let mut order = Vec::new();
        for (index, &conjunct) in conjuncts.iter().enumerate() {
            if let Some((symbol, term)) = definition(terms, conjunct)
                && !found.contains_key(&symbol)
            {
                found.insert(symbol, (term, index));
                order.push(symbol);
            }
        }
        if order.is_empty() {
            return None;
        }
        let mut pass = Self::default();
        for &symbol in &order {
            pass.define(terms, &mut found, symbol);
        }
        let mut used = vec![false; conjuncts.len()];
        for &symbol in &order {
            // A definition that ran into itself was taken back: the equation stays.
            if let Some(&(_, index)) = found.get(&symbol) {
                used[index] = true;
                pass.definitions.extend(pass.exchange.known(symbol).map(|term| (symbol, term)));
            }
        }
        if pass.definitions.is_empty() {
            return None;
        }
        let rest = conjuncts.iter().zip(used).filter(|(_, used)| !used).map(|(term, _)| *term);
        let rest = rest.map(|term| pass.exchange(terms, term)).collect();
        Some((pass, rest))
    }

    /// Exchanges everything under a symbol's definition, and under the definitions met there.
    fn define(&mut self, terms: &mut Terms, found: &mut FxHashMap<Term, (Term, usize)>, symbol: Term) {
        let mut open = rustc_hash::FxHashSet::default();
        let mut stack = vec![symbol];
        while let Some(&top) = stack.last() {
            if self.exchange.known(top).is_some() {
                stack.pop();
                continue;
            }
            if terms.as_symbol(top).is_some() {
                let Some(&(term, _)) = found.get(&top) else {
                    self.exchange.insert(top, top);
                    continue;
                };
                if let Some(result) = self.exchange.known(term) {
                    self.exchange.insert(top, result);
                } else if open.insert(top) {
                    stack.push(term);
                } else {
                    // The symbol stands in what it is said to be.
                    found.remove(&top);
                    self.exchange.insert(top, top);
                }
                continue;
            }
            let node = terms.node(top);
            let before = stack.len();
            stack.extend(node.operands().filter(|operand| self.exchange.known(*operand).is_none()));
            if stack.len() == before {
                self.exchange.rebuild(terms, top);
                stack.pop();
            }
        }
    }

    fn exchange(&mut self, terms: &mut Terms, term: Term) -> Term {
        if self.definitions.is_empty() {
            return term;
        }
        self.exchange.apply(terms, term)
    }
}
