//! The parameterised variance analysis, once for all domains.
//!
//! Berdine, Chawdhary, Cook, Distefano and O'Hearn, *Variance analyses from invariance analyses*, POPL 2007, Fig. 1:
//!
//! ```text
//! IAs := INVARIANCEANALYSIS(P)
//! for each cutpoint l:                       O := ISOLATE(P, l)
//!   for each disjunct q of IAs at l:         VAs := INVARIANCEANALYSIS(O, STEP(O, SEED(q)))
//!     for each r of VAs at l:                WELLFOUNDED(r), or the local termination predicate of l is not shown
//! ```
//!
//! The paper notes that without disjunction results are poor. Ours come from trace partitioning: states of the second
//! run are kept apart by the set of branches that were taken since the cutpoint, so that an iteration of each kind, and
//! their mixtures, have assertions of their own; and from a few disjuncts for each such set. Little is tried first: the
//! stages are a list.
//!
//! Theorem 1 makes what is found here true for the numeric program; the kernel checks it for the real one.

use base::{Budget, Index};
use domains::fixpoint::{Failure, Solution, solve};
use domains::order::{Edge, Graph, Node};
use domains::{Constraint, Dimension, Disjunction, Domain, Lattice};
use logic::numbers::Linear;
use loops::LoopForest;

use super::command::apply;
use super::cutpoints::{Cutpoint, Forests};
use super::isolate::{Isolated, Related, Spoken, conditions, is_small};
use super::numeric::Numeric;
use crate::ranking::synthesis::{Ranks, Step, synthesise};

/// What was found at a cutpoint.
#[derive(Clone, Debug)]
pub struct Variance {
    /// The place.
    pub cutpoint: Cutpoint,
    /// The invariance assertion: one of these holds. None if no run comes here.
    pub invariants: Vec<Vec<Constraint>>,
    /// The variance assertion: one of these holds between a visit and every later one in the same isolated run. None if
    /// no visit comes after another.
    pub assertions: Vec<Assertion>,
    /// What holds between a visit and itself or any later one.
    pub reflexive: Vec<Related>,
    /// Whether the local termination predicate was shown.
    pub holds: bool,
}

/// A disjunct of a variance assertion.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// What holds.
    pub constraints: Vec<Related>,
    /// The same about variables that the source names.
    pub shown: Vec<Related>,
    /// Why it is well-founded, if that was found.
    pub ranks: Option<Ranks>,
    /// What the coefficients of the ranks belong to.
    pub quantities: Vec<Dimension>,
}

/// Why there is no answer at all.
pub type Stopped = Failure;

/// How much is tried at a cutpoint, one after the other until the local termination predicate is shown.
struct Stage {
    /// How many branches are kept apart.
    branches: usize,
    /// Whether each set of branches has several disjuncts.
    several: bool,
}

const STAGES: [Stage; 4] = [
    Stage { branches: 0, several: false },
    Stage { branches: 1, several: false },
    Stage { branches: 2, several: false },
    Stage { branches: 4, several: true },
];

/// How many disjuncts there are at most, where there are several.
const SEVERAL: usize = 3;

/// Steps of the fixpoint engine that one run may take.
const STEPS: u64 = 60_000;

/// The variance analysis that the domain induces, at some cutpoints.
///
/// # Errors
/// If the budget ends before the invariance analysis does.
pub fn analyse<D: Domain>(
    numeric: &Numeric,
    forests: &Forests,
    cutpoints: &[Cutpoint],
    is_named: &dyn Fn(Dimension) -> bool,
    budget: &mut Budget,
) -> Result<Vec<Variance>, Stopped> {
    let single = invariance::<Disjunction<D, u64, 1>>(numeric, budget)?;
    let mut several: Option<Solution<Disjunction<D, u64, SEVERAL>>> = None;
    let mut found = Vec::new();
    for cutpoint in cutpoints {
        let analysis = Analysis { numeric, forests, is_named, cutpoint };
        let isolated = Isolated::of(numeric, forests, cutpoint);
        let mut best: Option<Variance> = None;
        let mut last = 0;
        for stage in &STAGES {
            let branches = analysis.branches(&isolated, stage.branches);
            let is_same = stage.branches > 0 && branches.iter().filter(|bit| **bit != 0).count() == last;
            if is_same && !stage.several {
                continue;
            }
            last = branches.iter().filter(|bit| **bit != 0).count();
            let outcome = if stage.several {
                if several.is_none() {
                    several = invariance(numeric, budget).ok();
                }
                let Some(several) = &several else { break };
                analysis.at(&isolated, &several[cutpoint.node.index()], &branches, budget)
            } else {
                analysis.at(&isolated, &single[cutpoint.node.index()], &branches, budget)
            };
            // Another stage may get by with less; if the budget is spent, none does anything.
            let Ok(variance) = outcome else { continue };
            let is_done = variance.holds;
            best = Some(variance);
            if is_done {
                break;
            }
        }
        found.push(best.unwrap_or_else(|| analysis.nothing(&single[cutpoint.node.index()])));
    }
    Ok(found)
}

/// The invariance analysis of the whole program.
pub(super) fn invariance<D: Domain>(numeric: &Numeric, budget: &mut Budget) -> Result<Solution<D>, Stopped> {
    let start = D::top(numeric.dimensions());
    let mut limits = Vec::new();
    numeric.commands.iter().for_each(|commands| conditions(commands, &mut limits));
    run(&numeric.graph, start, &limits, budget, |edge, element| {
        let mut next = element.clone();
        apply(&numeric.commands[edge.index()], &mut next);
        next
    })
}

/// What an element says of the numbers that a copy of a function can speak of.
pub(super) fn visible<D: Domain>(numeric: &Numeric, frame: usize, element: &D) -> Vec<Constraint> {
    let mut rest = element.clone();
    for dimension in (0..rest.dimensions()).map(|at| Dimension(at as u32)) {
        if !numeric.is_visible(frame, dimension) {
            rest.forget(dimension);
        }
    }
    rest.constraints()
}

/// Runs the fixpoint engine from the first node of a graph.
pub(super) fn run<D: Lattice>(
    graph: &Graph,
    start: D,
    limits: &[Constraint],
    budget: &mut Budget,
    transfer: impl FnMut(Edge, &D) -> D,
) -> Result<Solution<D>, Stopped> {
    let mut part = budget.part(STEPS);
    let before = part.remaining_steps();
    let solution = solve(graph, &[(Node::new(0), start)], transfer, limits, &mut part);
    budget.spend(before - part.remaining_steps()).map_err(Failure::Stopped)?;
    solution
}

/// Ranks of what holds between a visit and a later one.
pub(super) fn ranks(
    constraints: &[Related],
    quantities: &[(Dimension, Spoken, Spoken)],
    budget: &mut Budget,
) -> Option<Ranks> {
    let step = |constraints: Vec<Related>| Step {
        constraints,
        before: quantities.iter().map(|(_, before, _)| Linear::variable(*before)).collect(),
        after: quantities.iter().map(|(_, _, now)| Linear::variable(*now)).collect(),
    };
    let all: Vec<Related> = constraints.iter().map(Related::tightened).collect();
    let small: Vec<Related> = all.iter().filter(|one| is_small(one)).cloned().collect();
    // Ranks that do not hang on the limits of machine types are the ones that people would write.
    let is_less = small.len() < all.len();
    let ranks = synthesise(&[step(small)], &[], budget);
    if ranks.is_none() && is_less { synthesise(&[step(all)], &[], budget) } else { ranks }
}

/// The analysis at one cutpoint.
struct Analysis<'a> {
    numeric: &'a Numeric,
    forests: &'a Forests,
    is_named: &'a dyn Fn(Dimension) -> bool,
    cutpoint: &'a Cutpoint,
}

impl Analysis<'_> {
    fn is_visible(&self, dimension: Dimension) -> bool {
        self.numeric.is_visible(self.cutpoint.frame, dimension)
    }

    /// The branches to keep apart: for each edge of the isolated part the bit that it sets.
    fn branches(&self, isolated: &Isolated, count: usize) -> Vec<u64> {
        let graph = &isolated.graph;
        let forest = &self.forests[&self.numeric.frames[self.cutpoint.frame].function];
        let mut nodes: Vec<(bool, Node)> = (1..graph.nodes())
            .map(Node::new)
            .filter(|node| graph.outgoing(*node).len() > 1)
            .map(|node| (self.is_deeper(isolated, node, forest), node))
            .collect();
        nodes.sort();
        nodes.truncate(count);
        if nodes.is_empty() {
            return Vec::new();
        }
        let mut bits = vec![0; isolated.commands.len()];
        let mut next = 0;
        for (_, node) in nodes {
            for edge in graph.outgoing(node) {
                // The edges of the start are copies of those of the cutpoint.
                let origin = isolated.origins[edge.index()];
                let same = |other: &Edge| isolated.origins[other.index()] == origin;
                graph.edges().filter(same).for_each(|other| bits[other.index()] = 1 << (next % 64));
                next += 1;
            }
        }
        bits
    }

    /// Whether a node is in a loop inside of the isolated one, or in a called function.
    fn is_deeper(&self, isolated: &Isolated, node: Node, forest: &LoopForest) -> bool {
        let Some(edge) = isolated.graph.outgoing(node).iter().find_map(|edge| isolated.origins[edge.index()])
        else {
            return true;
        };
        let spot = &self.numeric.spots[self.numeric.graph.source(edge).index()];
        spot.frame != self.cutpoint.frame || forest.innermost(spot.block) != Some(self.cutpoint.within)
    }

    /// Lines 5 to 13 of Fig. 1.
    fn at<D: Domain, const LIMIT: usize>(
        &self,
        isolated: &Isolated,
        invariant: &Option<Disjunction<D, u64, LIMIT>>,
        branches: &[u64],
        budget: &mut Budget,
    ) -> Result<Variance, Stopped> {
        let disjuncts = invariant.as_ref().map_or(&[][..], Disjunction::disjuncts);
        let mut variance = self.nothing(invariant);
        let mut reflexive: Option<D> = None;
        for (_, q) in disjuncts {
            let seed = isolated.seed(q);
            let grown: Option<Disjunction<D, u64, LIMIT>> =
                self.variance(isolated, &seed, branches, budget)?;
            let grown = grown.as_ref().map_or(&[][..], Disjunction::disjuncts);
            let all = grown.iter().fold(seed, |all, (_, r)| all.join(r));
            reflexive = Some(reflexive.map_or_else(|| all.clone(), |other| other.join(&all)));
            for (_, r) in grown {
                variance.assertions.push(self.assertion(isolated, r, budget));
            }
        }
        variance.holds = variance.assertions.iter().all(|assertion| assertion.ranks.is_some());
        variance.reflexive = reflexive
            .map(|all| isolated.spoken(&all, |dimension| !self.is_visible(dimension)))
            .unwrap_or_default();
        Ok(variance)
    }

    /// The second run: what comes to the cutpoint again from a seed.
    fn variance<D: Domain, const LIMIT: usize>(
        &self,
        isolated: &Isolated,
        seed: &D,
        branches: &[u64],
        budget: &mut Budget,
    ) -> Result<Option<Disjunction<D, u64, LIMIT>>, Stopped> {
        let start: Disjunction<D, u64, LIMIT> = Disjunction::new(0, seed.clone());
        let transfer = |edge: Edge, element: &Disjunction<D, u64, LIMIT>| {
            let mut next = element.clone();
            apply(&isolated.commands[edge.index()], &mut next);
            if let Some(&bit) = branches.get(edge.index()).filter(|bit| **bit != 0) {
                next.rekey(|key| key | bit);
            }
            next
        };
        let mut solution = run(&isolated.graph, start, &isolated.conditions, budget, transfer)?;
        Ok(solution[isolated.root.index()].take())
    }

    /// A disjunct with the reason why it is well-founded, if there is one (WELLFOUNDED).
    fn assertion<D: Domain>(&self, isolated: &Isolated, element: &D, budget: &mut Budget) -> Assertion {
        let constraints = isolated.spoken(element, |dimension| !self.is_visible(dimension));
        let shown =
            isolated.spoken(element, |dimension| !self.is_visible(dimension) || !(self.is_named)(dimension));
        let quantities = isolated.quantities(|dimension| self.is_visible(dimension));
        let ranks = ranks(&constraints, &quantities, budget);
        let quantities = quantities.into_iter().map(|(dimension, ..)| dimension).collect();
        Assertion { constraints, shown, ranks, quantities }
    }

    /// A result that says nothing but the invariance assertion.
    fn nothing<D: Domain, const LIMIT: usize>(
        &self,
        invariant: &Option<Disjunction<D, u64, LIMIT>>,
    ) -> Variance {
        let disjuncts = invariant.as_ref().map_or(&[][..], Disjunction::disjuncts);
        let shown = |(_, q): &(u64, D)| visible(self.numeric, self.cutpoint.frame, q);
        Variance {
            cutpoint: self.cutpoint.clone(),
            invariants: disjuncts.iter().map(shown).collect(),
            assertions: Vec::new(),
            reflexive: Vec::new(),
            holds: false,
        }
    }
}
