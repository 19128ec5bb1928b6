//! Z3 as a process that is spoken to in SMT-LIB 2: for cross-checks.
//!
//! The program is the one that the environment variable `LOOPSCOPE_Z3` names, else `z3` on the path. It runs from the
//! first query until the solver is dropped; when a budget ends in the middle of a query, the process is killed, and the
//! next query starts another and tells it all that is asserted.
//!
//! A step of the budget is one unit of Z3's own resource count, so that the same version of Z3 stops at the same place
//! everywhere. Assumptions are stood for by fresh booleans, which is what Z3 wants. A model has no value for an array
//! that Z3 describes in a form that [`smtlib::Reader`] does not know; such arrays read as zero.

#[cfg(feature = "z3")]
mod library;
mod process;
#[cfg(feature = "z3")]
mod translate;

use std::path::PathBuf;

#[cfg(feature = "z3")]
pub use library::Library;

use base::{Budget, Index, Stop};
use process::{Failure, Process};
use rustc_hash::FxHashSet;

use super::smtlib::{Expressions, Printer, Reader};
use loopscope_logic::model::Model;
use loopscope_logic::terms::{Term, Terms};
use loopscope_logic::{Answer, Ignorance, Solver};

/// Answers come without abbreviations.
const OPTIONS: &str = "\
(set-option :produce-unsat-assumptions true)
(set-option :pp.min_alias_size 1000000000)
(set-option :pp.max_depth 1000000000)
";

/// The program that is run.
fn path() -> PathBuf {
    std::env::var_os("LOOPSCOPE_Z3").map_or_else(|| PathBuf::from("z3"), PathBuf::from)
}

/// Z3 as a solver.
pub struct Z3 {
    process: Option<Process>,
    printer: Printer,
    /// What is asserted, by scope; the first scope is never left.
    scopes: Vec<Scope>,
    /// Commands that Z3 has not seen.
    pending: String,
    /// Whether the first scope is one of Z3's too, so that it can be left without a reset of Z3, which is slow.
    /// Without, the first query can be treated by procedures that know no scopes and are stronger.
    floor: bool,
    /// The resource limit that Z3 knows of, and how much it had spent when last asked.
    limit: u64,
    spent: u64,
    last: Last,
}

#[derive(Clone, Default)]
struct Scope {
    /// What the printer had said before.
    mark: usize,
    asserted: Vec<Term>,
    /// The assumptions that a boolean stands for here.
    assumed: Vec<Term>,
}

/// What the last query left behind.
enum Last {
    Nothing,
    Satisfiable(Vec<Term>),
    Core(Vec<Term>),
}

impl Default for Z3 {
    fn default() -> Self {
        Self::new()
    }
}

impl Z3 {
    /// A solver without assertions. The process starts with the first query.
    pub fn new() -> Self {
        Self {
            process: None,
            printer: Printer::new(),
            scopes: vec![Scope::default()],
            pending: String::new(),
            floor: false,
            limit: 0,
            spent: 0,
            last: Last::Nothing,
        }
    }

    /// Whether there is a Z3 that can be started.
    pub fn available() -> bool {
        Process::start().is_ok_and(|mut process| process.ask("", || Ok(())).is_ok())
    }

    /// Forgets all that is asserted, and all scopes, but keeps the process. The terms that follow may come from
    /// another store.
    pub fn reset(&mut self) {
        self.printer = Printer::new();
        if self.floor {
            self.pending.push_str(&format!("(pop {})\n(push)\n", self.scopes.len()));
        } else {
            self.pending = format!("(reset)\n{OPTIONS}(push)\n");
            self.limit = 0;
        }
        self.floor = true;
        self.scopes = vec![Scope::default()];
        self.last = Last::Nothing;
    }

    /// Forgets all like [`Z3::reset`], and tells Z3 the logic of what follows (`QF_BV`). Z3 then has its strongest
    /// procedures for single queries, but takes some milliseconds to begin, and gives no cores.
    pub fn reset_to_logic(&mut self, logic: &str) {
        self.printer = Printer::new();
        self.pending = format!("(reset)\n(set-logic {logic})\n");
        self.limit = 0;
        self.floor = false;
        self.scopes = vec![Scope::default()];
        self.last = Last::Nothing;
    }

    /// Starts a process if there is none.
    fn start(&mut self, terms: &Terms) -> Result<(), Ignorance> {
        if self.process.is_none() {
            self.process = Some(Process::start().map_err(Ignorance::Failed)?);
            self.retell(terms);
        }
        Ok(())
    }

    /// Sends what is pending and these commands.
    fn ask(&mut self, commands: &str, budget: &mut Budget) -> Result<String, Ignorance> {
        let message = std::mem::take(&mut self.pending) + commands;
        let answered = match &mut self.process {
            Some(process) => process.ask(&message, || budget.spend(0)),
            None => Err(Failure::Broken("no process".to_owned())),
        };
        answered.map_err(|failure| {
            self.process = None;
            ignorance(failure)
        })
    }

    /// Makes everything pending: for a new process.
    fn retell(&mut self, terms: &Terms) {
        self.printer = Printer::new();
        self.limit = 0;
        self.spent = 0;
        self.pending = OPTIONS.to_owned();
        let mut scopes = std::mem::take(&mut self.scopes);
        for (depth, scope) in scopes.iter_mut().enumerate() {
            if depth > 0 || self.floor {
                self.pending.push_str("(push)\n");
            }
            scope.mark = self.printer.mark();
            for &term in &scope.asserted {
                self.tell(terms, term);
            }
            for &term in &scope.assumed {
                self.stand_for(terms, term);
            }
        }
        self.scopes = scopes;
    }

    fn tell(&mut self, terms: &Terms, term: Term) {
        let text = self.printer.term(terms, term, &mut self.pending);
        self.pending.push_str(&format!("(assert {text})\n"));
    }

    /// Lets a boolean imply the term.
    fn stand_for(&mut self, terms: &Terms, term: Term) {
        let text = self.printer.term(terms, term, &mut self.pending);
        let name = assumption_name(term);
        self.pending.push_str(&format!("(declare-const {name} Bool)\n(assert (=> {name} {text}))\n"));
    }

    fn assume(&mut self, terms: &Terms, assumptions: &[Term]) {
        for &term in assumptions {
            if !self.scopes.iter().any(|scope| scope.assumed.contains(&term)) {
                self.stand_for(terms, term);
                if let Some(scope) = self.scopes.last_mut() {
                    scope.assumed.push(term);
                }
            }
        }
    }

    /// The commands of a query.
    fn query(&mut self, assumptions: &[Term], budget: &Budget) -> String {
        let mut commands = String::new();
        // Z3 counts in 32 bits, and takes zero for no limit.
        let steps = budget.remaining_steps();
        let limit = if steps > u64::from(u32::MAX) { 0 } else { steps.max(1) };
        if limit != self.limit {
            commands.push_str(&format!("(set-option :rlimit {limit})\n"));
        }
        self.limit = limit;
        if assumptions.is_empty() {
            commands.push_str("(check-sat)\n");
        } else {
            let names: Vec<String> = assumptions.iter().map(|&term| assumption_name(term)).collect();
            commands.push_str(&format!("(check-sat-assuming ({}))\n", names.join(" ")));
        }
        if limit != 0 {
            commands.push_str("(get-info :rlimit)\n");
        }
        commands
    }

    /// Takes what Z3 says that it has spent off the budget.
    fn account(&mut self, answer: &str, budget: &mut Budget) {
        let spent = answer.lines().find_map(|line| {
            line.trim().strip_prefix("(:rlimit ")?.strip_suffix(')')?.trim().parse::<u64>().ok()
        });
        if let Some(spent) = spent {
            // That the budget is spent shows in the next query.
            let _ = budget.spend(spent.saturating_sub(self.spent).min(budget.remaining_steps()));
            self.spent = spent;
        }
    }

    fn unsatisfiable(&mut self, assumptions: &[Term], budget: &mut Budget) -> Answer {
        let mut core = Vec::new();
        if !assumptions.is_empty() {
            let answer = match self.ask("(get-unsat-assumptions)\n", budget) {
                Ok(answer) => answer,
                Err(ignorance) => return Answer::Unknown(ignorance),
            };
            let names: Vec<String> = match Expressions::new(&answer) {
                Ok(expressions) => expressions
                    .first()
                    .map(|list| list.items().iter().map(|name| name.to_string()).collect())
                    .unwrap_or_default(),
                Err(_) => return failed(&answer),
            };
            let mut seen = FxHashSet::default();
            let named = |term: &Term| names.contains(&assumption_name(*term)) && seen.insert(*term);
            core = assumptions.iter().copied().filter(named).collect();
        }
        self.last = Last::Core(core);
        Answer::Unsatisfiable
    }

    /// Why Z3 does not know.
    fn unknown(&mut self, budget: &mut Budget) -> Answer {
        let reason = match self.ask("(get-info :reason-unknown)\n", budget) {
            Ok(reason) => reason,
            Err(ignorance) => return Answer::Unknown(ignorance),
        };
        let incomplete = reason.contains("incomplete") || reason.contains("quantifiers");
        Answer::Unknown(if self.limit != 0 && !incomplete {
            Ignorance::Stopped(Stop::Steps)
        } else {
            Ignorance::Unsupported(reason.trim().to_owned())
        })
    }
}

impl Solver for Z3 {
    fn push(&mut self) {
        self.scopes.push(Scope { mark: self.printer.mark(), ..Scope::default() });
        self.pending.push_str("(push)\n");
    }

    fn pop(&mut self) {
        if self.scopes.len() > 1
            && let Some(scope) = self.scopes.pop()
        {
            self.printer.forget(scope.mark);
            self.pending.push_str("(pop)\n");
        }
    }

    fn assert(&mut self, terms: &mut Terms, term: Term) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.asserted.push(term);
        }
        // A new process is told everything anyway.
        if self.process.is_some() {
            self.tell(terms, term);
        }
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &mut Budget) -> Answer {
        self.last = Last::Nothing;
        if let Err(stop) = budget.spend(1) {
            return Answer::Unknown(Ignorance::Stopped(stop));
        }
        if let Err(ignorance) = self.start(terms) {
            return Answer::Unknown(ignorance);
        }
        self.assume(terms, assumptions);
        let query = self.query(assumptions, budget);
        let answer = match self.ask(&query, budget) {
            Ok(answer) => answer,
            Err(ignorance) => return Answer::Unknown(ignorance),
        };
        self.account(&answer, budget);
        match answer.lines().find(|line| !line.starts_with("(:rlimit")) {
            Some("sat") => {
                self.last = Last::Satisfiable(assumptions.to_vec());
                Answer::Satisfiable
            }
            Some("unsat") => self.unsatisfiable(assumptions, budget),
            Some("unknown" | "timeout") => self.unknown(budget),
            _ => failed(&answer),
        }
    }

    fn model(&mut self, terms: &Terms) -> Model {
        let mut model = Model::new();
        let Last::Satisfiable(assumptions) = &self.last else { return model };
        let mut roots = assumptions.clone();
        roots.extend(self.scopes.iter().flat_map(|scope| scope.asserted.iter().copied()));
        let names: Vec<String> =
            terms.free_symbols(&roots).into_iter().map(|symbol| Printer::name(terms, symbol)).collect();
        if names.is_empty() {
            return model;
        }
        let commands = format!("(get-value ({}))\n", names.join(" "));
        let Ok(answer) = self.ask(&commands, &mut Budget::unlimited()) else { return model };
        let Ok(expressions) = Expressions::new(&answer) else { return model };
        let Some(pairs) = expressions.first() else { return model };
        let mut scratch = Terms::new();
        let mut reader = Reader::new(&mut scratch);
        for pair in pairs.items() {
            if let [name, value] = pair.items().as_slice()
                && let Some(symbol) = name.atom().and_then(|name| self.printer.symbol(name))
                && let Ok(value) = reader.value(*value)
                && value.sort() == terms.symbol(symbol).sort
            {
                model.set(symbol, value);
            }
        }
        model
    }

    fn core(&self) -> Vec<Term> {
        match &self.last {
            Last::Core(core) => core.clone(),
            _ => Vec::new(),
        }
    }
}

fn assumption_name(term: Term) -> String {
    format!("?{}", term.index())
}

fn ignorance(failure: Failure) -> Ignorance {
    match failure {
        Failure::Stopped(stop) => Ignorance::Stopped(stop),
        Failure::Broken(message) => Ignorance::Failed(message),
    }
}

fn failed(answer: &str) -> Answer {
    Answer::Unknown(Ignorance::Failed(format!("Z3 answered {:?}", answer.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopscope_logic::evaluate::Evaluation;
    use loopscope_logic::node::Binary;
    use loopscope_logic::sort::Sort;

    fn less(terms: &mut Terms, a: Term, b: Term) -> Term {
        terms.binary(Binary::SignedLess, a, b)
    }

    #[test]
    fn scopes_models_and_cores() {
        if !Z3::available() {
            return;
        }
        let (mut terms, mut z3) = (Terms::new(), Z3::new());
        let budget = &mut Budget::unlimited();
        let sort = Sort::BitVector(32);
        let [x, y, z] = ["x", "y", "the z"].map(|name| terms.fresh(name, sort));
        let (xy, yz, zx) = (less(&mut terms, x, y), less(&mut terms, y, z), less(&mut terms, z, x));
        z3.assert(&mut terms, xy);
        z3.push();
        z3.assert(&mut terms, yz);
        assert_eq!(z3.check(&mut terms, &[], budget), Answer::Satisfiable);
        let model = z3.model(&terms);
        let mut evaluation = Evaluation::new(&terms, &model);
        assert!(evaluation.is_true(xy) && evaluation.is_true(yz));
        let other = terms.fresh("p", Sort::Bool);
        assert_eq!(z3.check(&mut terms, &[other, zx], budget), Answer::Unsatisfiable);
        assert_eq!(z3.core(), [zx]);
        z3.pop();
        assert_eq!(z3.check(&mut terms, &[zx, zx], budget), Answer::Satisfiable);
        assert_eq!(z3.check(&mut terms, &[zx, yz], budget), Answer::Unsatisfiable);
        assert_eq!(z3.core(), [zx, yz]);
        assert!(z3.core().len() == 2);
        z3.reset();
        assert_eq!(z3.check(&mut terms, &[zx, yz], budget), Answer::Satisfiable);
    }

    #[test]
    fn budgets_end_queries_and_the_solver_lives_on() {
        if !Z3::available() {
            return;
        }
        let (mut terms, mut z3) = (Terms::new(), Z3::new());
        let sort = Sort::BitVector(64);
        // A factorisation that takes long.
        let (x, y) = (terms.fresh("x", sort), terms.fresh("y", sort));
        let one = terms.bits(64, 1);
        let product = terms.binary(Binary::BitMultiply, x, y);
        let number = terms.bits(64, 0xffff_ffff_ffff_fea9 ^ 0x1234_5678_0000);
        let small = terms.bits(64, 1 << 32);
        let equal = terms.equal(product, number);
        for part in [x, y] {
            let bounded = terms.binary(Binary::UnsignedLess, part, small);
            let above = terms.binary(Binary::UnsignedLess, one, part);
            z3.assert(&mut terms, bounded);
            z3.assert(&mut terms, above);
        }
        let few = &mut Budget::steps(20_000);
        assert_eq!(z3.check(&mut terms, &[equal], few), Answer::Unknown(Ignorance::Stopped(Stop::Steps)));
        let short = &mut Budget::unlimited().within(std::time::Duration::from_millis(200));
        assert_eq!(z3.check(&mut terms, &[equal], short), Answer::Unknown(Ignorance::Stopped(Stop::Time)));
        assert_eq!(z3.check(&mut terms, &[], &mut Budget::unlimited()), Answer::Satisfiable);
        assert!(z3.model(&terms).iter().count() == 2);
    }
}
