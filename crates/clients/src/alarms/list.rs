//! The obligations that stand in a program.

use base::Location;
use program::interpret::ObligationSet;
use program::{BlockId, FunctionId, Obligation, Program, Statement, StatementKind};

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

/// The statements of a function, each with its block and its place there.
fn statements(program: &Program, function: FunctionId) -> impl Iterator<Item = (BlockId, usize, &Statement)> {
    let blocks = program.functions[function].body().into_iter().flat_map(|body| body.blocks.iter());
    blocks.flat_map(|(id, block)| {
        block.statements.iter().enumerate().map(move |(place, statement)| (id, place, statement))
    })
}

/// The checks of a function, as far as they are of these kinds.
pub(super) fn checks(program: &Program, function: FunctionId, kinds: ObligationSet) -> Vec<Standing> {
    let mut found = Vec::new();
    for (block, place, statement) in statements(program, function) {
        let StatementKind::Check(check) = &statement.kind else { continue };
        for &obligation in check.obligations().iter().filter(|&&obligation| kinds.contains(obligation)) {
            let key = (function, statement.location, obligation);
            found.push(Standing { key, block, statement: place });
        }
    }
    found
}

/// The statements that an obligation belongs to: its checks, or else what stands at its place, a call as a rule.
pub(super) fn statements_of(program: &Program, (function, location, kind): Key) -> Vec<(BlockId, usize)> {
    let (mut checks, mut others) = (Vec::new(), Vec::new());
    let here = statements(program, function).filter(|(.., statement)| statement.location == location);
    for (block, place, statement) in here {
        match &statement.kind {
            StatementKind::Check(check) if check.obligations().contains(&kind) => checks.push((block, place)),
            _ => others.push((block, place)),
        }
    }
    if checks.is_empty() { others } else { checks }
}
