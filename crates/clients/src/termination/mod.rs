//! The termination prover: one search for arguments why loops are left, for every client.
//!
//! ```text
//! plan (a table of techniques) ─► each open loop, or all together ─► the kernel accepts arguments ─► certificate
//! ```
//!
//! [`whole`] proves that every run of a program ends; [`loops`] asks of each loop whether it is left. Both open an
//! abstraction of the program, run a plan on its open loops, and let the kernel conclude.

pub(crate) mod loops;
pub(crate) mod whole;

use std::time::Duration;

use base::Budget;
use certify::abstraction::{Abstraction, Batch, Effort};
use certify::{Certificate, Runs};
use engines::ranking::{self, Target};
use engines::{bounding, nothing_is_left, summarise_until};
use program::{FunctionId, Program};

use crate::variance::{self, Domain};
use crate::verify::Progress;

/// What a query may cost if there are many of them and each is small.
pub(crate) const SMALL: Effort = Effort { batch: Batch::All, steps: 1_000, time: Duration::from_secs(1) };

/// What a query about a template may cost: there are few of them, and they are about what no ranking function explains.
const HARDER: Effort = Effort { batch: Batch::All, steps: 20_000, time: Duration::from_secs(1) };

/// A way to find arguments.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Technique {
    /// Ranking functions from the paths that the kernel shows, loop by loop.
    Rank,
    /// Templates of ranking functions and transition invariants, loop by loop.
    Template,
    /// Orders of floating point numbers, loop by loop.
    Floats,
    /// A few invariants that limit what a loop counts, and then a ranking function, loop by loop.
    Support,
    /// Variance analyses of the whole program, in these domains.
    Variance(&'static [Domain]),
    /// Invariants from all proposers, round by round, and ranking functions after every round.
    Invariants,
    /// The kernel is asked whether all that was found is a proof of the claim.
    Conclude,
}

/// A technique, and the share that it may take of the time that is left; of the time of a loop, if it goes loop by loop.
pub(crate) type Step = (Technique, f64);

/// The search for arguments in an abstraction of a program.
pub(crate) struct Prover<'p, 'a> {
    pub program: &'p Program,
    /// Where variance analyses start.
    pub function: FunctionId,
    pub abstraction: Abstraction<'p>,
    /// Whether ranking functions are to be plain, for people.
    pub plain: bool,
    pub effort: Effort,
    /// What a template may cost.
    pub template_effort: Effort,
    /// The time of a loop, if there is one.
    pub loop_time: Option<Duration>,
    pub progress: &'a mut dyn FnMut(Progress),
}

impl Prover<'_, '_> {
    /// Runs a plan on some loops. Gives the certificate if the plan concludes with one.
    pub fn run(&mut self, plan: &[Step], loops: &[usize], budget: &mut Budget) -> Option<Certificate> {
        for &(technique, share) in plan {
            let open: Vec<usize> = loops
                .iter()
                .copied()
                .filter(|&abstract_loop| !self.abstraction.is_argued(abstract_loop))
                .collect();
            if technique == Technique::Conclude {
                if open.is_empty()
                    && let Some(certificate) = self.abstraction.conclude(self.effort, budget)
                {
                    return Some(certificate);
                }
                continue;
            }
            self.apply(technique, share, &open, budget);
        }
        None
    }

    fn apply(&mut self, technique: Technique, share: f64, open: &[usize], budget: &mut Budget) {
        let Self { program, function, effort, .. } = *self;
        let abstraction = &mut self.abstraction;
        match technique {
            Technique::Rank | Technique::Template | Technique::Floats | Technique::Support => {
                for &abstract_loop in open {
                    let mut part = match self.loop_time {
                        Some(time) => budget.clone().within(time.mul_f64(share)),
                        None => budget.share(share),
                    };
                    self.one(technique, abstract_loop, &mut part);
                }
            }
            Technique::Variance(domains) => {
                let part = &mut budget.share(share);
                variance::argue(program, function, abstraction, domains, effort, part);
            }
            Technique::Invariants => {
                let (plain, progress) = (self.plain, &mut self.progress);
                let is_claimed = abstraction.subject().runs() == Runs::OfProgram;
                // All are tried, whichever fails.
                let mut rank_open = |abstraction: &mut Abstraction<'_>, budget: &mut Budget| {
                    let failed = |abstract_loop: &&usize| {
                        let target = &mut Target { abstraction, abstract_loop: **abstract_loop, effort };
                        !ranking::rank(target, plain, budget)
                    };
                    let ranked = open.iter().filter(failed).count() == 0;
                    ranked && (!is_claimed || nothing_is_left(abstraction, effort, budget))
                };
                let mut part = budget.share(share);
                let mut note = |now: engines::Progress| progress(Progress::Summarising(now.done, now.all));
                summarise_until(program, abstraction, effort, &mut part, &mut note, &mut rank_open);
                rank_open(abstraction, budget);
            }
            Technique::Conclude => {}
        }
    }

    /// Applies a technique to one loop that may have got an argument meanwhile.
    fn one(&mut self, technique: Technique, abstract_loop: usize, budget: &mut Budget) {
        let effort = match technique {
            Technique::Template | Technique::Floats => self.template_effort,
            _ => self.effort,
        };
        let target = &mut Target { abstraction: &mut self.abstraction, abstract_loop, effort };
        // What a technique measures first takes long in a large function, and is not counted.
        if target.abstraction.is_argued(abstract_loop) || budget.spend(0).is_err() {
            return;
        }
        match technique {
            Technique::Template => _ = ranking::templates::fit(target, budget),
            Technique::Floats => _ = ranking::floats::fit(target, budget),
            Technique::Support if !bounding::support(target, budget) => {}
            _ => _ = ranking::rank(target, self.plain, budget),
        }
    }
}
