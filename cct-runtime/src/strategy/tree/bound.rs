//! The bound on what a schedule may cost, raised step by step.

use super::store::NONE;
use super::walk::Tree;

impl Tree {
    /// The most that a schedule may cost.
    pub(in crate::strategy) fn bound(&self) -> u32 {
        self.bound
    }

    /// True if the bound left schedules out.
    pub(in crate::strategy) fn is_cut(&self) -> bool {
        self.forgot || (self.root != NONE && self.store.nodes[self.root as usize].cut)
    }

    /// Lets schedules cost more. No schedule is made again, unless there were so many that they had to be
    /// forgotten.
    pub(in crate::strategy) fn raise(&mut self, bound: u32) {
        if self.forgot {
            return self.restart(self.selection, bound);
        }
        self.bound = bound;
        if self.root == NONE {
            return;
        }
        let mut order = vec![self.root];
        let mut at = 0;
        while at < order.len() {
            let node = self.store.nodes[order[at] as usize];
            let below = self
                .store
                .branches_of(&node)
                .map(|branch| self.store.branches[branch as usize].node);
            order.extend(below.filter(|&node| node != NONE));
            at += 1;
        }
        for &index in order.iter().rev() {
            let mut node = self.store.nodes[index as usize];
            node.allowed = node.price.allowed(node.width, bound - node.cost);
            node.cut = node.allowed < node.width;
            node.size.open = u64::from(node.allowed - node.taken);
            for branch in self.store.branches_of(&node) {
                if let Some(below) = self
                    .store
                    .nodes
                    .get(self.store.branches[branch as usize].node as usize)
                {
                    node.size.open += below.size.open;
                    node.cut |= below.cut;
                }
            }
            self.store.nodes[index as usize] = node;
        }
    }
}
