//! Models: a value for every symbol.

use std::collections::BTreeMap;

use crate::terms::{SymbolId, Terms};
use crate::value::Value;

/// Values of symbols. A symbol that is not listed has the zero of its sort.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    values: BTreeMap<SymbolId, Value>,
}

impl Model {
    /// A model in which all is zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a symbol a value of its sort.
    pub fn set(&mut self, symbol: SymbolId, value: Value) {
        self.values.insert(symbol, value);
    }

    /// The value of a symbol.
    pub fn get(&self, terms: &Terms, symbol: SymbolId) -> Value {
        self.values.get(&symbol).cloned().unwrap_or_else(|| Value::zero(terms.symbol(symbol).sort))
    }

    /// The value that was set for a symbol, if one was.
    pub fn known(&self, symbol: SymbolId) -> Option<&Value> {
        self.values.get(&symbol)
    }

    /// All values that were set, in the order of the symbols.
    pub fn iter(&self) -> impl Iterator<Item = (SymbolId, &Value)> {
        self.values.iter().map(|(symbol, value)| (*symbol, value))
    }
}
