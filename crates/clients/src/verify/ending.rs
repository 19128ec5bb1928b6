//! Proves that every run ends: each loop gets an argument why it is left, supported by facts.

use base::Budget;
use certify::leaps::{Effort, Leaping};
use encoding::LooseEnd;
use evidence::{Place, Reason, Verdict};
use program::Program;

use super::Progress;
use super::leap::encode;
use crate::refute::{Question, entry};

/// Proves that every run ends, or gives the reasons why it does not. A leap takes so many passes.
pub(super) fn endings(
    program: &Program,
    question: &Question,
    steps: u64,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    let function = entry(program, &question.function).map_err(|reason| vec![reason])?;
    let mut budget = budget.clone();
    let mut leaping = encode(program, question, function, steps, &mut budget).map_err(|_| Vec::new())?;
    let effort = Effort::default();
    // Many loops need no facts.
    let open = rank_all(program, &mut leaping, effort, &mut budget);
    if open.is_empty()
        && let Some(certificate) = leaping.prove_termination(effort, &mut budget)
    {
        return Ok(Verdict::Proved { evidence: Box::new(certificate.into_evidence()) });
    }
    engines::summarise(program, &mut leaping, effort, &mut budget, &mut |now| {
        progress(Progress::Summarising(now.done, now.all));
    });
    let open = rank_all(program, &mut leaping, effort, &mut budget);
    if let Some(certificate) = leaping.prove_termination(effort, &mut budget) {
        return Ok(Verdict::Proved { evidence: Box::new(certificate.into_evidence()) });
    }
    Err(reasons(program, &mut leaping, &open, effort, &mut budget))
}

/// Looks for a rank of every loop. Gives those loops that have none.
fn rank_all(program: &Program, leaping: &mut Leaping<'_>, effort: Effort, budget: &mut Budget) -> Vec<usize> {
    let all = 0..leaping.leaps().len();
    all.filter(|&leap| !engines::ranking::rank(program, leaping, leap, effort, budget)).collect()
}

fn reasons(
    program: &Program,
    leaping: &mut Leaping<'_>,
    open: &[usize],
    effort: Effort,
    budget: &mut Budget,
) -> Vec<Reason> {
    let place = |location| Place::of(program, location);
    let mut reasons: Vec<Reason> = Vec::new();
    for &leap in open {
        let location = leaping.leaps()[leap].location;
        let reason = Reason::Unfinished { what: String::from("a loop"), passes: 0, place: place(location) };
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    if let Ok(Some((end, location, _))) = leaping.open_end(effort, budget) {
        reasons.push(match end {
            LooseEnd::Unsupported(construct) => Reason::Unsupported { construct, place: place(location) },
            LooseEnd::Loop => {
                Reason::Unfinished { what: String::from("a loop"), passes: 0, place: place(location) }
            }
            LooseEnd::Recursion => {
                Reason::Unfinished { what: String::from("a recursion"), passes: 2, place: place(location) }
            }
        });
    }
    let demands: Vec<usize> = (0..leaping.demands().len()).collect();
    if let Ok(violated) = leaping.violated(&demands, effort, budget)
        && let Some(&demand) = violated.first()
    {
        let demand = &leaping.demands()[demand];
        reasons.push(Reason::Undefined { obligation: demand.obligation, place: place(demand.location) });
    }
    reasons
}
