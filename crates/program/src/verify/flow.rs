//! The control-flow graph: invariants 28 and 29.

use base::Index;

use super::{Place, Verifier};
use crate::function::Body;

impl Verifier<'_> {
    /// What holds for the graph. It is examined only if all its edges lead to blocks.
    pub(super) fn flow(&mut self, body: &Body) {
        if body.blocks.is_empty() {
            return self.require(false, 28, Place::Head, || String::from("there is no entry block"));
        }
        let edges_exist = body
            .blocks
            .values()
            .all(|block| block.terminator.successors().all(|target| body.blocks.get(target).is_some()));
        if edges_exist {
            self.entry(body);
            self.reachability(body);
        }
    }

    /// Invariant 28.
    fn entry(&mut self, body: &Body) {
        for (id, block) in body.blocks.iter() {
            let leads_back = block.terminator.successors().any(|target| target == body.entry());
            self.require(!leads_back, 28, Place::Terminator(id), || {
                String::from("an edge leads to the entry block")
            });
        }
    }

    /// Invariant 29.
    fn reachability(&mut self, body: &Body) {
        let mut reached = vec![false; body.blocks.len()];
        for block in body.reverse_post_order() {
            reached[block.index()] = true;
        }
        for id in body.blocks.ids() {
            self.require(reached[id.index()], 29, Place::Block(id), || {
                String::from("control cannot reach it")
            });
        }
    }
}
