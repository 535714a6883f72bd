//! The nodes and branches of the tree, in lists that are used again.

use super::options::Price;
use crate::codec::wire_struct;

/// No node, or no branch.
pub(super) const NONE: u32 = u32::MAX;

/// The nodes and branches, by number.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) nodes: Vec<Node>,
    pub(super) branches: Vec<Branch>,
    /// Where the lists of unused nodes and branches begin.
    free_node: u32,
    free_branch: u32,
    /// How many nodes are in use.
    pub(super) used: u32,
}

/// A choice point, or a choice of a value, after a given prefix of decisions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The fingerprint of the point.
    pub(super) looks: u32,
    /// How many alternatives there are, how many the bound allows, and how many were taken.
    pub(super) width: u32,
    pub(super) allowed: u32,
    pub(super) taken: u32,
    /// The list of its branches; in the free list, the next free node.
    pub(super) first: u32,
    /// The cost of the way here.
    pub(super) cost: u32,
    pub(super) price: Price,
    /// The bound leaves out alternatives here or below.
    pub(super) cut: bool,
    /// Its own share and that of what is below, as its parent sees it.
    pub(super) size: Size,
    /// The sum of what is expected below the alternatives taken.
    pub(super) expected: f64,
    /// The weight of the alternatives taken, as a part of that of all.
    pub(super) share: f64,
}

/// A subtree in numbers.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Size {
    /// Alternatives known and allowed that nobody has taken: the *value* of a node.
    pub(super) open: u64,
    /// Schedules made.
    pub(super) leaves: u64,
    /// Schedules that there will have been, as far as one can tell.
    pub(super) expected: f64,
}

/// An alternative that was taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    /// A worker's number, or a value.
    pub(super) label: u32,
    pub(super) next: u32,
    /// The node below; none if all below is explored.
    pub(super) node: u32,
}

impl Store {
    pub(super) const EMPTY: Store = Store {
        nodes: Vec::new(),
        branches: Vec::new(),
        free_node: NONE,
        free_branch: NONE,
        used: 0,
    };

    /// Lets go of everything, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.branches.clear();
        (self.free_node, self.free_branch) = (NONE, NONE);
        self.used = 0;
    }

    pub(super) fn branches_of(&self, node: &Node) -> impl Iterator<Item = u32> + '_ {
        let first = (node.first != NONE).then_some(node.first);
        std::iter::successors(first, |&branch| {
            let next = self.branches[branch as usize].next;
            (next != NONE).then_some(next)
        })
    }

    /// The branches below which something is open.
    pub(super) fn open_branches_of(&self, node: &Node) -> impl Iterator<Item = u32> + '_ {
        self.branches_of(node).filter(|&branch| {
            let node = self.branches[branch as usize].node;
            node != NONE && self.nodes[node as usize].size.open > 0
        })
    }

    pub(super) fn add_node(&mut self, node: Node) -> u32 {
        self.used += 1;
        if self.free_node == NONE {
            self.nodes.push(node);
            return self.nodes.len() as u32 - 1;
        }
        let index = self.free_node;
        self.free_node = self.nodes[index as usize].first;
        self.nodes[index as usize] = node;
        index
    }

    pub(super) fn add_branch(&mut self, branch: Branch) -> u32 {
        if self.free_branch == NONE {
            self.branches.push(branch);
            return self.branches.len() as u32 - 1;
        }
        let index = self.free_branch;
        self.free_branch = self.branches[index as usize].next;
        self.branches[index as usize] = branch;
        index
    }

    /// Takes a branch that is explored out of its node's list: in rank order nobody asks for it again.
    pub(super) fn remove_branch(&mut self, node: u32, branch: u32) {
        let next = self.branches[branch as usize].next;
        let node = &mut self.nodes[node as usize];
        if node.first == branch {
            node.first = next;
        } else {
            let mut before = node.first;
            while self.branches[before as usize].next != branch {
                before = self.branches[before as usize].next;
            }
            self.branches[before as usize].next = next;
        }
        self.branches[branch as usize].next = self.free_branch;
        self.free_branch = branch;
    }

    /// Lets go of a node and of all below it.
    pub(super) fn discard(&mut self, index: u32) {
        let mut heap = vec![index];
        while let Some(index) = heap.pop() {
            let mut branch = self.nodes[index as usize].first;
            while branch != NONE {
                let Branch { next, node, .. } = self.branches[branch as usize];
                if node != NONE {
                    heap.push(node);
                }
                self.branches[branch as usize].next = self.free_branch;
                self.free_branch = branch;
                branch = next;
            }
            self.nodes[index as usize].first = self.free_node;
            self.free_node = index;
            self.used -= 1;
        }
    }
}

impl Node {
    /// The expected count below the alternatives that were not taken: they are like the others, by weight. So
    /// are those that the bound leaves out.
    pub(super) fn expected_untaken(&self) -> f64 {
        if self.taken == self.allowed {
            return 0.0;
        }
        // Weights are learned, and need not have been the same each time.
        let untaken = (1.0 - self.share).max(self.share * 1e-3);
        let allowed = f64::from(self.allowed - self.taken) / f64::from(self.width - self.taken);
        self.expected * untaken / self.share * allowed
    }
}

wire_struct!(Store {
    nodes,
    branches,
    free_node,
    free_branch,
    used
});
wire_struct!(Node {
    share,
    looks,
    width,
    allowed,
    taken,
    first,
    cost,
    price,
    cut,
    size,
    expected
});
wire_struct!(Size {
    open,
    leaves,
    expected
});
wire_struct!(Branch { label, next, node });
