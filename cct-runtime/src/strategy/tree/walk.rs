//! The way of an iteration through the tree, and what is known when it has ended.

use super::super::Rng;
use super::draw::Selection;
use super::options::{Options, Price};
use super::store::{Branch, NONE, Node, Size, Store};
use crate::codec::wire_struct;

/// How many nodes are kept for later at most: about 40 MB with their branches. The longest schedule comes
/// on top.
pub(super) const KEPT: u32 = 1 << 19;

/// The tree's answer at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy) enum Advice {
    /// Take this alternative, which was taken before: there is more to explore below.
    Follow(u32),
    /// Take one that has not been taken yet: [`Tree::branch`] says which.
    Branch,
    /// Nobody has been here yet: [`Tree::grow`], then [`Tree::branch`].
    Grow,
    /// The execution has left the tree: take what you like.
    Astray,
}

/// All beginnings of schedules from which new ones lead off.
///
/// Its memory: at most [`KEPT`] nodes, and those of the longest schedule. When that many are kept, open
/// subtrees are explored depth first until there is room again.
#[derive(Debug)]
pub(in crate::strategy) struct Tree {
    pub(super) store: Store,
    pub(super) root: u32,
    pub(super) selection: Selection,
    /// The most that a schedule may cost.
    pub(super) bound: u32,
    /// Schedules made.
    leaves: u64,
    /// Alternatives over the bound were forgotten for want of room.
    pub(super) forgot: bool,
    /// Executions that left the tree.
    astray: u64,

    /// The decisions of the iteration under way.
    path: Vec<Hop>,
    cursor: Cursor,
    /// The cost of the decisions so far.
    cost: u32,
    /// Labels of one node, to look for one that is not among them.
    pub(super) taken: Vec<u32>,
}

/// A decision of the iteration under way.
#[derive(Clone, Copy, Debug)]
struct Hop {
    node: u32,
    branch: u32,
    /// The count below the branch before.
    before: Size,
}

/// Where the iteration under way is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Cursor {
    /// About to come to this node.
    Node(u32),
    /// Below a branch that is taken for the first time.
    #[default]
    Fresh,
    /// Outside the tree.
    Astray,
}

impl Tree {
    /// An empty tree; a schedule may cost `bound`.
    pub(in crate::strategy) fn new(selection: Selection, bound: u32) -> Tree {
        Tree {
            store: Store::EMPTY,
            root: NONE,
            selection,
            bound,
            leaves: 0,
            forgot: false,
            astray: 0,
            path: Vec::new(),
            cursor: Cursor::Fresh,
            cost: 0,
            taken: Vec::new(),
        }
    }

    /// Forgets everything but how often it was left.
    pub(in crate::strategy) fn restart(&mut self, selection: Selection, bound: u32) {
        self.store.clear();
        self.root = NONE;
        (self.selection, self.bound) = (selection, bound);
        (self.leaves, self.forgot) = (0, false);
    }

    /// An iteration begins.
    pub(in crate::strategy) fn begin(&mut self) {
        self.path.clear();
        self.cost = 0;
        self.cursor = match self.root {
            NONE => Cursor::Fresh,
            root => Cursor::Node(root),
        };
    }

    /// The iteration is at a point that looks like this.
    pub(in crate::strategy) fn arrive(&mut self, looks: u32, rng: &mut Rng) -> Advice {
        let index = match self.cursor {
            Cursor::Node(index) => index,
            Cursor::Fresh => return Advice::Grow,
            Cursor::Astray => return Advice::Astray,
        };
        let node = &self.store.nodes[index as usize];
        if node.looks != looks || node.size.open == 0 {
            self.go_astray();
            return Advice::Astray;
        }
        self.cost = node.cost;
        let Some(branch) = self.select(index, rng) else {
            return Advice::Branch;
        };
        let Branch { label, node, .. } = self.store.branches[branch as usize];
        let below = &self.store.nodes[node as usize];
        self.path.push(Hop {
            node: index,
            branch,
            before: below.size,
        });
        self.cursor = Cursor::Node(node);
        Advice::Follow(label)
    }

    /// A point that nobody has been at yet has these alternatives.
    pub(in crate::strategy) fn grow(&mut self, looks: u32, options: Options<'_>, price: Price) {
        let width = options.len();
        let allowed = price.allowed(width, self.bound - self.cost);
        let node = Node {
            looks,
            width,
            allowed,
            taken: 0,
            first: NONE,
            cost: self.cost,
            price,
            cut: allowed < width,
            size: Size {
                open: u64::from(allowed),
                leaves: 0,
                expected: 1.0,
            },
            expected: 0.0,
            share: 0.0,
        };
        let index = self.store.add_node(node);
        match self.path.last() {
            Some(hop) => self.store.branches[hop.branch as usize].node = index,
            None => self.root = index,
        }
        self.cursor = Cursor::Node(index);
    }

    /// The label of an alternative that has not been taken; at the node just arrived at, or grown.
    pub(in crate::strategy) fn branch(&mut self, options: Options<'_>, rng: &mut Rng) -> u32 {
        let Cursor::Node(index) = self.cursor else {
            return options.label(rng.below(options.len()));
        };
        let node = self.store.nodes[index as usize];
        if node.width != options.len() || node.taken >= node.allowed {
            self.go_astray();
            return options.label(rng.below(options.len()));
        }
        let (rank, label) = if self.selection == Selection::First {
            (node.taken, options.label(node.taken))
        } else {
            self.untaken(&node, options, rng)
        };
        self.cost = node.cost + node.price.of(rank);
        let branch = self.store.add_branch(Branch {
            label,
            next: node.first,
            node: NONE,
        });
        let node = &mut self.store.nodes[index as usize];
        node.first = branch;
        node.taken += 1;
        node.share += options.share(rank);
        node.size.open -= 1;
        self.path.push(Hop {
            node: index,
            branch,
            before: Size::default(),
        });
        self.cursor = Cursor::Fresh;
        label
    }

    /// The execution does not look as it did, so what was recorded below here is worth nothing.
    pub(in crate::strategy) fn go_astray(&mut self) {
        if let Cursor::Node(index) = self.cursor {
            match self.path.last() {
                Some(hop) => self.store.branches[hop.branch as usize].node = NONE,
                None => self.root = NONE,
            }
            self.store.discard(index);
        }
        self.astray += 1;
        self.cursor = Cursor::Astray;
    }

    /// The iteration has ended: what is explored to its end is folded into counts.
    pub(in crate::strategy) fn end(&mut self) {
        if let Cursor::Node(_) = self.cursor {
            // It should have come to another point.
            self.go_astray();
        }
        self.leaves += 1;
        while let Some(hop) = self.path.pop() {
            let after = self.fold(hop);
            let node = &mut self.store.nodes[hop.node as usize];
            node.size.open = node.size.open + after.open - hop.before.open;
            node.size.leaves = node.size.leaves + after.leaves - hop.before.leaves;
            node.expected += after.expected - hop.before.expected;
            node.size.expected = node.expected + node.expected_untaken();
            if node.size.open == 0 {
                node.size.expected = node.size.leaves as f64;
            }
        }
        if self.root != NONE && self.is_finished(self.root) {
            self.store.discard(self.root);
            self.root = NONE;
        }
    }

    /// The count below the hop's branch now; lets go of the branch if it is explored.
    fn fold(&mut self, hop: Hop) -> Size {
        let below = self.store.branches[hop.branch as usize].node;
        if below == NONE {
            if self.selection == Selection::First {
                self.store.remove_branch(hop.node, hop.branch);
            }
            let leaves = hop.before.leaves + 1;
            return Size {
                open: 0,
                leaves,
                expected: leaves as f64,
            };
        }
        let Node { size, cut, .. } = self.store.nodes[below as usize];
        self.store.nodes[hop.node as usize].cut |= cut;
        if self.is_finished(below) {
            self.store.discard(below);
            self.store.branches[hop.branch as usize].node = NONE;
            if self.selection == Selection::First {
                self.store.remove_branch(hop.node, hop.branch);
            }
        }
        size
    }

    /// True if nothing below the node has to be kept; notes what is forgotten.
    fn is_finished(&mut self, index: u32) -> bool {
        let Node { size, cut, .. } = self.store.nodes[index as usize];
        if size.open > 0 || (cut && self.store.used < KEPT) {
            return false;
        }
        self.forgot |= cut;
        true
    }

    /// True once every schedule within the bound has been made.
    pub(in crate::strategy) fn is_done(&self) -> bool {
        self.leaves > 0
            && (self.root == NONE || self.store.nodes[self.root as usize].size.open == 0)
    }

    /// Schedules made since the tree was empty.
    pub(in crate::strategy) fn leaves(&self) -> u64 {
        self.leaves
    }

    /// How many alternatives are known and allowed that nobody has taken.
    pub(in crate::strategy) fn open(&self) -> u64 {
        self.store
            .nodes
            .get(self.root as usize)
            .map_or(0, |root| root.size.open)
    }

    /// How many schedules are expected to be left within the bound: no fewer than are open.
    #[expect(
        clippy::cast_sign_loss,
        reason = "what is left is no less than nothing"
    )]
    pub(in crate::strategy) fn expected(&self) -> u64 {
        self.store.nodes.get(self.root as usize).map_or(0, |root| {
            let left = root.size.expected - root.size.leaves as f64;
            (left.max(0.0).round() as u64).max(root.size.open)
        })
    }

    /// How many executions left the tree: the program did not repeat itself.
    pub(in crate::strategy) fn astray(&self) -> u64 {
        self.astray
    }
}

wire_struct!(Tree {
    store,
    root,
    bound,
    leaves,
    astray,
    forgot,
    selection;
    path, cursor, cost, taken
});
