//! What functions give, whoever calls them: limits of results, and relations with what the function was given.
//!
//! Proof rule (Hoare, 1971): let Q(a, t) be what is guessed of the results t of a function that was given a. In the modular
//! function, Q is assumed after each call of the function by itself, and what was proved of other functions after calls of
//! those. If every return meets Q then, every call that returns does, by induction on the calls in it. It is a statement
//! about runs on which nothing undefined happens, no overflow of signed numbers included.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use evidence::{Contract, Formula};
use program::interpret::Integers;
use program::{Body, FunctionId, Program, Type};
use transform::contracts::{Contracts, assume_results, check_results};

/// What is guessed of the results of a function.
#[derive(Clone, Debug)]
pub(crate) struct Guess {
    function: FunctionId,
    contract: Contract,
    /// Tells the program that it is about from others.
    of: Arc<()>,
}

/// A proof of what a function gives. Only the kernel makes one.
#[derive(Clone, Debug)]
pub struct Results(pub(crate) Arc<Guess>);

/// What was proved of the results of a program's functions.
#[derive(Debug, Default)]
pub struct Known {
    contracts: Mutex<BTreeMap<FunctionId, Contract>>,
    of: Arc<()>,
}

impl Known {
    /// Takes in a proof. Whether it is about the same program.
    pub fn learn(&self, results: &Results) -> bool {
        let guess = &*results.0;
        let is_own = Arc::ptr_eq(&guess.of, &self.of);
        if is_own && let Ok(mut contracts) = self.contracts.lock() {
            contracts.insert(guess.function, guess.contract.clone());
        }
        is_own
    }

    /// What is known of a function.
    pub fn of(&self, function: FunctionId) -> Option<Contract> {
        self.contracts.lock().ok()?.get(&function).cloned()
    }

    pub(crate) fn guess(&self, program: &Program, function: FunctionId, clauses: &[Formula]) -> Guess {
        let name = program.functions[function].name.clone();
        let contract = Contract::ensuring(name, clauses.to_vec());
        Guess { function, contract, of: self.of.clone() }
    }

    /// Assumes what is known of the functions that a body calls, and what is guessed of one.
    pub(crate) fn assume(&self, program: &Program, body: &mut Body, guess: Option<&Guess>) {
        let Ok(known) = self.contracts.lock() else { return };
        let mut contracts: BTreeMap<FunctionId, &Contract> =
            known.iter().map(|(&function, contract)| (function, contract)).collect();
        contracts.extend(guess.map(|guess| (guess.function, &guess.contract)));
        let contracts = Contracts::new(program, Integers::Machine, contracts);
        assume_results(program, body, &contracts);
    }
}

impl Guess {
    /// Lets a body of the function check at each return what is guessed.
    pub(crate) fn check(&self, program: &Program, body: &mut Body) -> Option<()> {
        let ty = program.functions[self.function].result.filter(|ty| matches!(ty, Type::Integer(_)))?;
        let contracts = BTreeMap::from([(self.function, &self.contract)]);
        let contracts = Contracts::new(program, Integers::Machine, contracts);
        check_results(self.function, body, ty, &contracts)
    }
}
