//! The tableau of the simplex method: equations between variables that have bounds.
//!
//! The method is the general simplex of Dutertre and de Moura (A Fast Linear-Arithmetic Solver for DPLL(T), 2006). Every
//! row is an equation whose sum is zero; one of its variables is *basic* and occurs in no other row. Variables that are
//! not basic are always within their bounds, and [`Tableau::check`] exchanges variables until the basic ones are, too.
//! Taking bounds back therefore costs nothing else.
//!
//! Rows have integer coefficients without a common divisor, not rational ones as in the paper: one greatest common
//! divisor a row instead of several an entry. Rows are sparse and sorted; every column knows its rows.

mod exchange;
mod maximum;

use std::cmp::Ordering;

use super::compact::Compact;
use super::quantity::Quantity;
use super::rational::Rational;

/// The number of a variable of a tableau.
pub type Variable = u32;

/// Which of the two bounds of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The least value.
    Lower,
    /// The greatest value.
    Upper,
}

use Side::{Lower, Upper};

impl Side {
    /// The other side.
    pub const fn opposite(self) -> Self {
        match self {
            Lower => Upper,
            Upper => Lower,
        }
    }
}

/// A bound, and a number that means to the caller why it holds.
#[derive(Clone, Debug)]
pub struct Bound<V> {
    /// The least or greatest value.
    pub limit: V,
    /// Why.
    pub reason: u32,
}

/// Why bounds hold that cannot hold together.
pub type Conflict = Vec<u32>;

#[derive(Clone, Debug)]
struct Column<V> {
    value: V,
    /// The lower and the upper bound.
    bounds: [Option<Bound<V>>; 2],
    /// The row in which the variable is basic.
    basic_in: Option<u32>,
    /// All rows that have the variable, in no order.
    rows: Vec<u32>,
    /// Whether the variable is in the list of those that may be out of bounds.
    is_suspect: bool,
}

/// An equation: the sum of all entries is zero. Entries are sorted by variable; the basic one is positive.
#[derive(Clone, Debug)]
struct Row {
    basic: Variable,
    entries: Vec<(Variable, Compact)>,
}

/// Equations between variables with bounds, and values that satisfy the equations.
#[derive(Clone, Debug)]
pub struct Tableau<V> {
    columns: Vec<Column<V>>,
    rows: Vec<Row>,
    /// Bounds as they were, to go back to.
    trail: Vec<(Variable, Side, Option<Bound<V>>)>,
    levels: Vec<usize>,
    suspects: Vec<Variable>,
    /// Space for the next row, to allocate less.
    scratch: Vec<(Variable, Compact)>,
}

impl<V> Default for Tableau<V> {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            rows: Vec::new(),
            trail: Vec::new(),
            levels: Vec::new(),
            suspects: Vec::new(),
            scratch: Vec::new(),
        }
    }
}

/// Building a tableau and examining it.
impl<V: Quantity> Tableau<V> {
    /// A variable without bounds, in no equation.
    pub fn new_variable(&mut self) -> Variable {
        let variable = Variable::try_from(self.columns.len()).expect("fewer than 2^32 variables");
        let (bounds, rows) = ([None, None], Vec::new());
        self.columns.push(Column { value: V::zero(), bounds, basic_in: None, rows, is_suspect: false });
        variable
    }

    /// A variable that is a sum of others. No variable may come twice; no coefficient may be zero.
    pub fn new_sum(&mut self, sum: &[(Variable, Compact)]) -> Variable {
        let variable = self.new_variable();
        let mut value = V::zero();
        for (part, coefficient) in sum {
            value.add_scaled(&Rational::from(coefficient), &self.columns[*part as usize].value);
        }
        self.columns[variable as usize].value = value;
        let mut entries: Vec<(Variable, Compact)> =
            sum.iter().map(|(part, coefficient)| (*part, coefficient.negated())).collect();
        entries.sort_unstable_by_key(|(part, _)| *part);
        entries.push((variable, Compact::ONE));
        let row = self.rows.len() as u32;
        for (part, _) in &entries {
            self.columns[*part as usize].rows.push(row);
        }
        self.rows.push(Row { basic: variable, entries });
        self.columns[variable as usize].basic_in = Some(row);
        for (part, _) in sum {
            if let Some(source) = self.columns[*part as usize].basic_in {
                self.eliminate(row, source, *part);
            }
        }
        variable
    }

    /// Removes the variable that was made last. It must be a sum, be basic and have no bounds.
    pub fn remove_last_sum(&mut self) {
        let (Some(row), Some(column)) = (self.rows.pop(), self.columns.pop()) else { return };
        assert_eq!(
            column.basic_in,
            Some(self.rows.len() as u32),
            "the last variable is basic in the last row"
        );
        for (variable, _) in &row.entries {
            if let Some(column) = self.columns.get_mut(*variable as usize) {
                remove(&mut column.rows, self.rows.len() as u32);
            }
        }
        let last = self.columns.len() as Variable;
        self.suspects.retain(|suspect| *suspect != last);
    }

    /// How many variables there are.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// The value of a variable.
    pub fn value(&self, variable: Variable) -> &V {
        &self.columns[variable as usize].value
    }

    /// A bound of a variable.
    pub fn bound(&self, variable: Variable, side: Side) -> Option<&Bound<V>> {
        self.columns[variable as usize].bounds[side as usize].as_ref()
    }

    /// Whether a variable is basic.
    pub fn is_basic(&self, variable: Variable) -> bool {
        self.columns[variable as usize].basic_in.is_some()
    }

    /// A basic variable as a sum of others: their coefficients, all to be divided by minus the number that comes first.
    pub fn equation(
        &self,
        variable: Variable,
    ) -> Option<(&Compact, impl Iterator<Item = &(Variable, Compact)>)> {
        let row = &self.rows[self.columns[variable as usize].basic_in? as usize];
        let others = row.entries.iter().filter(move |(other, _)| *other != variable);
        Some((row.coefficient(variable), others))
    }

    /// Remembers the bounds as they are now.
    pub fn push(&mut self) {
        self.levels.push(self.trail.len());
    }

    /// Goes back to the bounds at the last `push` that has not been undone.
    pub fn pop(&mut self) {
        let level = self.levels.pop().unwrap_or(0);
        while self.trail.len() > level {
            if let Some((variable, side, bound)) = self.trail.pop() {
                self.columns[variable as usize].bounds[side as usize] = bound;
            }
        }
    }

    /// Requires a bound. Nothing changes if it conflicts with the opposite one, or if a stronger one is there.
    pub fn require(&mut self, variable: Variable, side: Side, limit: V, reason: u32) -> Result<(), Conflict> {
        let column = &mut self.columns[variable as usize];
        let stronger = match side {
            Lower => Ordering::Greater,
            Upper => Ordering::Less,
        };
        if let Some(now) = &column.bounds[side as usize]
            && limit.cmp(&now.limit) != stronger
        {
            return Ok(());
        }
        if let Some(other) = &column.bounds[side.opposite() as usize]
            && limit.cmp(&other.limit) == stronger
        {
            return Err(vec![reason, other.reason]);
        }
        let is_out = column.value.cmp(&limit) == stronger.reverse();
        let change = if is_out { limit.minus(&column.value) } else { V::zero() };
        let old = column.bounds[side as usize].replace(Bound { limit, reason });
        let is_basic = column.basic_in.is_some();
        if !self.levels.is_empty() {
            self.trail.push((variable, side, old));
        }
        match (is_out, is_basic) {
            (true, true) => self.suspect(variable),
            (true, false) => self.shift(variable, &change),
            (false, _) => {}
        }
        Ok(())
    }
}

impl Row {
    /// The coefficient of a variable that is in the row.
    fn coefficient(&self, variable: Variable) -> &Compact {
        match self.entries.binary_search_by_key(&variable, |(other, _)| *other) {
            Ok(at) => &self.entries[at].1,
            Err(_) => &Compact::ZERO,
        }
    }

    /// By how much the basic variable grows if another one grows by one.
    fn rate(&self, variable: Variable) -> Rational {
        Rational::quotient(&self.coefficient(variable).negated(), self.coefficient(self.basic))
    }
}

fn remove(rows: &mut Vec<u32>, row: u32) {
    if let Some(at) = rows.iter().position(|other| *other == row) {
        rows.swap_remove(at);
    }
}
