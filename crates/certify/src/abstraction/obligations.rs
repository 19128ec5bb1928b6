//! Whether single obligations hold, though others may fail.
//!
//! Proof rule: an obligation holds on all runs on which no earlier one fails if control comes to it on no path after
//! the end of an incomplete path ([`After`]) or after an access that may be to an object outside the program, the
//! encoding has examined it wherever control comes to it, and each of its verification conditions was shown to hold.
//! If the encoding does not come to any of its statements, or if control comes to none of its verification conditions,
//! it is unreachable. A verification condition is examined on paths on which all earlier ones are fulfilled, since a path
//! ends where one is violated. What was not examined, or not shown, is unknown.

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Location};
use program::interpret::ObligationSet;
use program::{BlockId, FunctionId, Obligation, Program, Statement, StatementKind};

use crate::answer::ObligationCertificate;
use crate::subject::Runs;

use super::after::After;
use super::{Abstraction, Effort};

/// An obligation: in which function it stands, where, and what it is.
pub type ObligationKey = (FunctionId, Location, Obligation);

/// A statement: its block, and its place there.
pub type Standing = (BlockId, usize);

/// The statements of a function, each with its block and its place there.
fn statements(program: &Program, function: FunctionId) -> impl Iterator<Item = (Standing, &Statement)> {
    let blocks = program.functions[function].body().into_iter().flat_map(|body| body.blocks.iter());
    blocks.flat_map(|(id, block)| {
        block.statements.iter().enumerate().map(move |(place, statement)| ((id, place), statement))
    })
}

/// The checks of a function, as far as they are of these kinds.
pub fn checks(
    program: &Program,
    function: FunctionId,
    kinds: ObligationSet,
) -> Vec<(ObligationKey, Standing)> {
    let mut found = Vec::new();
    for (standing, statement) in statements(program, function) {
        let StatementKind::Check(check) = &statement.kind else { continue };
        let wanted = check.obligations().iter().filter(|&&obligation| kinds.contains(obligation));
        found.extend(wanted.map(|&obligation| ((function, statement.location, obligation), standing)));
    }
    found
}

/// The statements that an obligation belongs to: its checks, or else what stands at its place, a call as a rule.
pub fn statements_of(program: &Program, (function, location, kind): ObligationKey) -> Vec<Standing> {
    let (mut checks, mut others) = (Vec::new(), Vec::new());
    for (standing, statement) in statements(program, function).filter(|(_, one)| one.location == location) {
        match &statement.kind {
            StatementKind::Check(check) if check.obligations().contains(&kind) => checks.push(standing),
            _ => others.push(standing),
        }
    }
    if checks.is_empty() { others } else { checks }
}

impl Abstraction<'_> {
    /// What may come after the ends of incomplete paths that control may come to: nothing is proved there. The paths are given
    /// by their places in the list.
    pub fn after_ends(&mut self, effort: Effort, budget: &mut Budget) -> Vec<(usize, After)> {
        let open = self.open_ends(effort, budget);
        let ends: Vec<(usize, After)> = open
            .into_iter()
            .map(|end| (end, After::end(self.program, &self.incomplete_paths()[end])))
            .collect();
        self.unknown_after = Some(ends.iter().map(|(_, after)| after.clone()).collect());
        ends
    }

    /// Proves those obligations of these kinds that it can, of all that the encoding may come to.
    pub fn obligations(
        &mut self,
        kinds: ObligationSet,
        effort: Effort,
        budget: &mut Budget,
    ) -> BTreeMap<ObligationKey, Option<ObligationCertificate>> {
        let asked = self.standing(kinds);
        let Some(mut unknown) = self.unknown_after.clone().filter(|_| !self.supposed) else {
            return asked.into_keys().map(|key| (key, None)).collect();
        };
        unknown.extend(self.after_outside(effort, budget));
        let open = (0..self.vcs.len()).filter(|vc| !self.held.contains(vc));
        let open: BTreeSet<ObligationKey> = open.map(|vc| self.key(vc)).collect();
        let certify = |(key, statements): (ObligationKey, Vec<Standing>)| {
            (key, self.obligation(key, &statements, &unknown, &open))
        };
        let mut certified = asked.into_iter().map(certify).collect();
        self.unreachable(&mut certified, effort, budget);
        certified
    }

    /// The obligations of these kinds that the encoding may come to, with the statements in which they stand; none if one is
    /// not in the text of the program.
    fn standing(&self, kinds: ObligationSet) -> BTreeMap<ObligationKey, Vec<Standing>> {
        let visited: BTreeSet<FunctionId> =
            self.encoder.reached.keys().map(|&(function, _)| function).collect();
        let mut asked: BTreeMap<ObligationKey, Vec<Standing>> = BTreeMap::new();
        for (key, standing) in visited.iter().flat_map(|&function| checks(self.program, function, kinds)) {
            asked.entry(key).or_default().push(standing);
        }
        for &key in self.encoder.required.keys().filter(|key| kinds.contains(key.2)) {
            asked.entry(key).or_default();
        }
        asked
    }

    /// Says of what holds whether that is so only because control never comes there.
    fn unreachable(
        &mut self,
        certified: &mut BTreeMap<ObligationKey, Option<ObligationCertificate>>,
        effort: Effort,
        budget: &mut Budget,
    ) {
        let held: Vec<usize> = self.held.iter().copied().collect();
        let held: Vec<usize> = held
            .into_iter()
            .filter(|&vc| certified.get(&self.key(vc)).is_some_and(Option::is_some))
            .collect();
        let reachable = self.reachable(&held, effort, budget);
        let reached: BTreeSet<ObligationKey> = reachable.iter().map(|&vc| self.key(vc)).collect();
        for key in held.into_iter().map(|vc| self.key(vc)).filter(|key| !reached.contains(key)) {
            if self.encoder.required.get(&key).is_none_or(|&trivially| trivially) {
                continue;
            }
            // What is trivially true in the same check is unreachable, too.
            let here = statements_of(self.program, key);
            for kind in Obligation::ALL {
                let other = (key.0, key.1, kind);
                if let Some(Some(certificate)) = certified.get_mut(&other)
                    && statements_of(self.program, other).iter().all(|statement| here.contains(statement))
                {
                    certificate.unreachable = true;
                }
            }
        }
    }

    /// What may come after accesses that may be to objects outside the program. The encoding takes those for violations, so
    /// it has lost the runs that go on after them.
    fn after_outside(&mut self, effort: Effort, budget: &mut Budget) -> Vec<After> {
        let mut stacks = BTreeSet::new();
        for vc in 0..self.vcs.len() {
            let is_new = !self.held.contains(&vc) && !stacks.contains(&self.vcs[vc].stack);
            if is_new && self.may_be_outside(vc, effort, budget) {
                stacks.insert(self.vcs[vc].stack.clone());
            }
        }
        stacks.iter().map(|stack| After::place(self.program, stack)).collect()
    }

    fn obligation(
        &self,
        key: ObligationKey,
        statements: &[Standing],
        unknown: &[After],
        open: &BTreeSet<ObligationKey>,
    ) -> Option<ObligationCertificate> {
        let function = key.0;
        let hides = |after: &After| match statements.is_empty() {
            true => after.touches(function),
            false => statements.iter().any(|&(block, at)| after.contains(function, block, at)),
        };
        if unknown.iter().any(hides) {
            return None;
        }
        let is_reached = |&(block, at): &Standing| {
            self.encoder.reached.get(&(function, block)).is_some_and(|&count| at < count)
        };
        if !statements.is_empty() && !statements.iter().any(is_reached) {
            return Some(self.certificate_of_obligation(true));
        }
        let holds = self.encoder.required.contains_key(&key) && !open.contains(&key);
        holds.then(|| self.certificate_of_obligation(false))
    }

    fn certificate_of_obligation(&self, unreachable: bool) -> ObligationCertificate {
        ObligationCertificate { unreachable, under_contract: self.subject.runs() == Runs::OfCallers }
    }

    /// The obligation of a verification condition.
    pub fn key(&self, vc: usize) -> ObligationKey {
        let vc = &self.vcs[vc];
        let function = vc.stack.last().map_or(self.claim.function, |&(function, _)| function);
        (function, vc.location, vc.obligation)
    }
}
