//! The obligations that stand in a program.

use base::Location;
use program::interpret::ObligationSet;
use program::{BlockId, FunctionId, Obligation, Program, StatementKind};

/// What makes two obligations one in the list: the function, the place in the source, and the kind.
pub(super) type Key = (FunctionId, Location, Obligation);

/// Where an obligation stands in the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Standing {
    /// Which one.
    pub key: Key,
    /// Its block.
    pub block: BlockId,
    /// Its place in the block.
    pub statement: usize,
}

/// The checks of a function, as far as they are of these kinds.
pub(super) fn checks(program: &Program, function: FunctionId, kinds: ObligationSet) -> Vec<Standing> {
    let mut found = Vec::new();
    let Some(body) = program.functions[function].body() else { return found };
    for (block, contents) in body.blocks.iter() {
        for (place, statement) in contents.statements.iter().enumerate() {
            let StatementKind::Check(check) = &statement.kind else { continue };
            for &obligation in check.obligations() {
                if kinds.contains(obligation) {
                    let key = (function, statement.location, obligation);
                    found.push(Standing { key, block, statement: place });
                }
            }
        }
    }
    found
}

/// The statements of a function at a place in the source: those that an obligation can belong to that is no check.
pub(super) fn statements_at(
    program: &Program,
    function: FunctionId,
    location: Location,
) -> Vec<(BlockId, usize)> {
    let Some(body) = program.functions[function].body() else { return Vec::new() };
    let mut found = Vec::new();
    for (block, contents) in body.blocks.iter() {
        let here = contents.statements.iter().enumerate();
        let here = here.filter(|(_, statement)| statement.location == location);
        found.extend(here.map(|(place, _)| (block, place)));
    }
    found
}

/// The functions that each function calls by name, in order and once each, and whether it calls others by pointer.
pub(super) fn callees(program: &Program, function: FunctionId) -> Vec<FunctionId> {
    let mut found = Vec::new();
    let Some(body) = program.functions[function].body() else { return found };
    for statement in body.blocks.values().flat_map(|block| &block.statements) {
        if let StatementKind::Call { callee: program::Callee::Function(callee), .. } = statement.kind {
            found.push(callee);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
