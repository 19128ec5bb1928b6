//! The tableau of the simplex method: equations between variables that have bounds.
//!
//! The method is the general simplex of Dutertre and de Moura (A Fast Linear-Arithmetic Solver for DPLL(T), 2006). Every
//! row is an equation whose sum is zero; one of its variables is *basic* and occurs in no other row. Variables that are
//! not basic are always within their bounds, and [`Tableau::check`] exchanges variables until the basic ones are, too.
//! Taking bounds back therefore costs nothing else.
//!
//! Rows have integer coefficients without a common divisor, not rational ones as in the paper: one greatest common
//! divisor a row instead of several an entry. Rows are sparse and sorted; every column knows its rows.
//!
//! The variable that leaves the basis is the one furthest out of its bounds, and the one that enters is in the fewest
//! rows; after a while both are chosen by least index (Bland's rule), which ends always.

use std::cmp::Ordering;

use base::{Budget, Stop};

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

/// A bound with a positive factor, in a sum of bounds that proves something.
#[derive(Clone, Debug)]
pub struct Part {
    /// Why the bound holds.
    pub reason: u32,
    /// On which side.
    pub side: Side,
    /// How often it is added.
    pub factor: Rational,
}

/// Bounds that cannot hold together: their sum, with these factors, says that zero is less than itself.
pub type Conflict = Vec<Part>;

/// What [`Tableau::maximize`] finds.
#[derive(Clone, Debug)]
pub enum Maximum {
    /// No value is greater than this sum of bounds.
    Bounded(Vec<Part>),
    /// It grows without end in this direction: how fast every variable changes, zeros left out.
    Unbounded(Vec<(Variable, Rational)>),
}

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

/// Building a tableau and looking at it.
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

    /// Demands a bound. Nothing changes if it conflicts with the opposite one, or if a stronger one is there.
    pub fn demand(&mut self, variable: Variable, side: Side, limit: V, reason: u32) -> Result<(), Conflict> {
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
            let part = |reason, side| Part { reason, side, factor: Rational::ONE };
            return Err(vec![part(reason, side), part(other.reason, side.opposite())]);
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

    /// Takes a bound away for good, before any `push`.
    pub fn relax(&mut self, variable: Variable, side: Side) {
        debug_assert!(self.levels.is_empty(), "a pop would bring the bound back");
        self.columns[variable as usize].bounds[side as usize] = None;
    }
}

/// The exchange of variables.
impl<V: Quantity> Tableau<V> {
    /// Finds values within all bounds, or a conflict. The budget pays for every row that changes.
    pub fn check(&mut self, budget: &mut Budget) -> Result<Result<(), Conflict>, Stop> {
        let patience = 200 + 8 * self.rows.len();
        for exchanges in 0.. {
            let careful = exchanges > patience;
            let Some((leaving, side)) = self.most_out_of_bounds(careful) else { return Ok(Ok(())) };
            let Some(entering) = self.entering(leaving, side, careful) else {
                self.suspect(leaving);
                return Ok(Err(self.conflict(leaving, side)));
            };
            budget.spend(1 + self.columns[entering as usize].rows.len() as u64).inspect_err(|_| {
                self.suspect(leaving);
            })?;
            let Some(bound) = self.bound(leaving, side) else { continue };
            let change = bound.limit.minus(&self.columns[leaving as usize].value);
            self.exchange_by(leaving, entering, &change);
        }
        Ok(Ok(()))
    }

    /// Makes the sum that a basic variable without bounds is as great as it can be. All variables must be within
    /// their bounds, and stay there.
    pub fn maximize(&mut self, objective: Variable, budget: &mut Budget) -> Result<Maximum, Stop> {
        let mut idle = 0;
        loop {
            let careful = idle > 20 + self.rows.len();
            let Some((entering, up)) = self.improving(objective, careful) else {
                return Ok(Maximum::Bounded(self.proof_of_maximum(objective)));
            };
            budget.spend(1 + self.columns[entering as usize].rows.len() as u64)?;
            let Some((distance, leaving)) = self.room(entering, up) else {
                return Ok(Maximum::Unbounded(self.ray(entering, up)));
            };
            idle = if distance == V::zero() { idle + 1 } else { 0 };
            let change = if up { distance } else { distance.scaled(&Rational::MINUS_ONE) };
            self.shift(entering, &change);
            if leaving != entering {
                self.exchange(leaving, entering);
            }
        }
    }

    fn suspect(&mut self, variable: Variable) {
        let column = &mut self.columns[variable as usize];
        if !column.is_suspect {
            column.is_suspect = true;
            self.suspects.push(variable);
        }
    }

    /// By how much a variable is outside its bounds, and on which side.
    fn distance_out(&self, variable: Variable) -> Option<(V, Side)> {
        let column = &self.columns[variable as usize];
        if let Some(lower) = &column.bounds[0]
            && column.value < lower.limit
        {
            return Some((lower.limit.minus(&column.value), Lower));
        }
        if let Some(upper) = &column.bounds[1]
            && column.value > upper.limit
        {
            return Some((column.value.minus(&upper.limit), Upper));
        }
        None
    }

    /// A basic variable out of bounds: the furthest, or the first if there is a need to be careful. It is no suspect
    /// any more, and neither are those that turn out to be within their bounds.
    fn most_out_of_bounds(&mut self, careful: bool) -> Option<(Variable, Side)> {
        let mut best: Option<(V, Side, Variable, usize)> = None;
        let mut at = 0;
        while let Some(&variable) = self.suspects.get(at) {
            let Some((distance, side)) = self.distance_out(variable).filter(|_| self.is_basic(variable))
            else {
                self.columns[variable as usize].is_suspect = false;
                self.suspects.swap_remove(at);
                continue;
            };
            let is_better = best.as_ref().is_none_or(|(far, _, first, _)| match distance.cmp(far) {
                _ if careful => variable < *first,
                Ordering::Equal => variable < *first,
                order => order == Ordering::Greater,
            });
            if is_better {
                best = Some((distance, side, variable, at));
            }
            at += 1;
        }
        let (_, side, variable, at) = best?;
        self.columns[variable as usize].is_suspect = false;
        self.suspects.swap_remove(at);
        Some((variable, side))
    }

    /// Whether a variable that is not basic can become greater, or less.
    fn can_move(&self, variable: Variable, up: bool) -> bool {
        let column = &self.columns[variable as usize];
        column.bounds[usize::from(up)].as_ref().is_none_or(|bound| bound.limit != column.value)
    }

    /// The variable to exchange with a basic one that is out of bounds on a side.
    fn entering(&self, leaving: Variable, side: Side, careful: bool) -> Option<Variable> {
        let row = &self.rows[self.columns[leaving as usize].basic_in? as usize];
        let useful = row.entries.iter().filter(|(other, coefficient)| {
            // The basic variable grows if one with a negative coefficient does.
            *other != leaving && self.can_move(*other, coefficient.is_negative() == (side == Lower))
        });
        let mut useful = useful.map(|(other, _)| *other);
        if careful {
            useful.next()
        } else {
            useful.min_by_key(|other| self.columns[*other as usize].rows.len())
        }
    }

    /// Why a basic variable cannot come back from a side.
    fn conflict(&self, variable: Variable, side: Side) -> Conflict {
        let Some(row) = self.columns[variable as usize].basic_in else { return Vec::new() };
        let entries = &self.rows[row as usize].entries;
        let parts = entries.iter().filter_map(|(other, coefficient)| {
            let towards = if coefficient.is_negative() { side.opposite() } else { side };
            let bound = self.bound(*other, towards)?;
            let factor = Rational::from(&coefficient.absolute());
            Some(Part { reason: bound.reason, side: towards, factor })
        });
        let parts: Conflict = parts.collect();
        debug_assert_eq!(parts.len(), entries.len(), "every variable of the row is held by a bound");
        parts
    }

    /// A variable that is not basic and whose change makes the objective greater, and whether it must grow.
    fn improving(&self, objective: Variable, careful: bool) -> Option<(Variable, bool)> {
        let row = &self.rows[self.columns[objective as usize].basic_in? as usize];
        let mut useful = row.entries.iter().filter(|(other, coefficient)| {
            *other != objective && self.can_move(*other, coefficient.is_negative())
        });
        let (variable, coefficient) = if careful {
            useful.next()
        } else {
            useful.max_by(|(a, left), (b, right)| left.absolute().cmp(&right.absolute()).then(b.cmp(a)))
        }?;
        Some((*variable, coefficient.is_negative()))
    }

    /// How far a variable that is not basic can move until it or a basic one meets a bound, and which one does.
    fn room(&self, entering: Variable, up: bool) -> Option<(V, Variable)> {
        let column = &self.columns[entering as usize];
        let mut nearest: Option<(V, Variable)> = column.bounds[usize::from(up)].as_ref().map(|bound| {
            let (high, low) = if up { (&bound.limit, &column.value) } else { (&column.value, &bound.limit) };
            (high.minus(low), entering)
        });
        for row in &column.rows {
            let row = &self.rows[*row as usize];
            let coefficient = row.coefficient(entering);
            let grows = coefficient.is_negative() == up;
            let basic = &self.columns[row.basic as usize];
            let Some(bound) = &basic.bounds[usize::from(grows)] else { continue };
            let (high, low) = if grows { (&bound.limit, &basic.value) } else { (&basic.value, &bound.limit) };
            let slowness = Rational::quotient(row.coefficient(row.basic), &coefficient.absolute());
            let distance = high.minus(low).scaled(&slowness);
            let is_nearer = nearest.as_ref().is_none_or(|(nearest, first)| match distance.cmp(nearest) {
                Ordering::Equal => row.basic < *first,
                order => order == Ordering::Less,
            });
            if is_nearer {
                nearest = Some((distance, row.basic));
            }
        }
        nearest
    }

    /// How all variables change if one that is not basic does.
    fn ray(&self, entering: Variable, up: bool) -> Vec<(Variable, Rational)> {
        let speed = if up { Rational::ONE } else { Rational::MINUS_ONE };
        let column = &self.columns[entering as usize];
        let changes = column.rows.iter().map(|row| {
            let row = &self.rows[*row as usize];
            (row.basic, row.rate(entering) * &speed)
        });
        let mut ray: Vec<(Variable, Rational)> = changes.collect();
        ray.push((entering, speed.clone()));
        ray.sort_unstable_by_key(|(variable, _)| *variable);
        ray
    }

    /// The bounds that hold a basic variable where it is.
    fn proof_of_maximum(&self, objective: Variable) -> Vec<Part> {
        let Some((divisor, others)) = self.equation(objective) else { return Vec::new() };
        let parts = others.filter_map(|(variable, coefficient)| {
            let side = if coefficient.is_negative() { Upper } else { Lower };
            let bound = self.bound(*variable, side)?;
            let factor = Rational::quotient(&coefficient.absolute(), divisor);
            Some(Part { reason: bound.reason, side, factor })
        });
        parts.collect()
    }

    /// Changes a variable that is not basic, and the basic ones with it.
    fn shift(&mut self, variable: Variable, change: &V) {
        let rows = std::mem::take(&mut self.columns[variable as usize].rows);
        for row in &rows {
            let row = &self.rows[*row as usize];
            let (basic, rate) = (row.basic, row.rate(variable));
            let column = &mut self.columns[basic as usize];
            column.value.add_scaled(&rate, change);
            if !column.is_suspect && column.bounds.iter().any(Option::is_some) {
                column.is_suspect = true;
                self.suspects.push(basic);
            }
        }
        let column = &mut self.columns[variable as usize];
        column.rows = rows;
        column.value.add_scaled(&Rational::ONE, change);
    }

    /// Changes a basic variable by changing one that is not, and exchanges the two.
    fn exchange_by(&mut self, leaving: Variable, entering: Variable, change: &V) {
        let Some(row) = self.columns[leaving as usize].basic_in else { return };
        let rate = self.rows[row as usize].rate(entering);
        let change = change.scaled(&rate.reciprocal());
        self.shift(entering, &change);
        self.suspect(entering);
        self.exchange(leaving, entering);
    }

    /// Makes one variable of a row basic instead of another.
    fn exchange(&mut self, leaving: Variable, entering: Variable) {
        let Some(row) = self.columns[leaving as usize].basic_in.take() else { return };
        let equation = &mut self.rows[row as usize];
        equation.basic = entering;
        if equation.coefficient(entering).is_negative() {
            equation.entries.iter_mut().for_each(|(_, coefficient)| *coefficient = coefficient.negated());
        }
        self.columns[entering as usize].basic_in = Some(row);
        for other in std::mem::replace(&mut self.columns[entering as usize].rows, vec![row]) {
            if other != row {
                self.eliminate(other, row, entering);
            }
        }
    }

    /// Adds a multiple of one row to another so that a variable vanishes there.
    fn eliminate(&mut self, target: u32, source: u32, variable: Variable) {
        let mut entries = std::mem::take(&mut self.scratch);
        let from = &self.rows[source as usize];
        let to = &self.rows[target as usize];
        let (mut by, mut times) = (from.coefficient(variable).clone(), to.coefficient(variable).clone());
        let gcd = by.gcd(&times);
        if !gcd.is_one() {
            (by, times) = (by.divided_exactly(&gcd), times.divided_exactly(&gcd));
        }
        if by.is_negative() {
            (by, times) = (by.negated(), times.negated());
        }
        let mut left = to.entries.iter().peekable();
        let mut right = from.entries.iter().peekable();
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let (zero, none) = (Compact::ZERO, (0, Compact::ZERO));
            match order {
                Ordering::Less => {
                    let (at, coefficient) = left.next().unwrap_or(&none);
                    let same = if by.is_one() { coefficient.clone() } else { coefficient.times(&by) };
                    entries.push((*at, same));
                }
                Ordering::Greater => {
                    let (at, coefficient) = right.next().unwrap_or(&none);
                    entries.push((*at, zero.eliminated(&by, coefficient, &times)));
                    self.columns[*at as usize].rows.push(target);
                }
                Ordering::Equal => {
                    let ((at, old), (_, other)) =
                        (left.next().unwrap_or(&none), right.next().unwrap_or(&none));
                    let new = old.eliminated(&by, other, &times);
                    if new.is_zero() {
                        remove(&mut self.columns[*at as usize].rows, target);
                    } else {
                        entries.push((*at, new));
                    }
                }
            }
        }
        divide_by_common_divisor(&mut entries);
        self.scratch = std::mem::replace(&mut self.rows[target as usize].entries, entries);
        self.scratch.clear();
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

fn divide_by_common_divisor(entries: &mut [(Variable, Compact)]) {
    let mut gcd = Compact::ZERO;
    for (_, coefficient) in entries.iter() {
        gcd = gcd.gcd(coefficient);
        if gcd.is_one() {
            return;
        }
    }
    for (_, coefficient) in entries {
        *coefficient = coefficient.divided_exactly(&gcd);
    }
}
