//! The scheduling graph: a tree of all beginnings of schedules from which new ones still lead off.
//!
//! A node stands for a choice point, or for a choice of a value, after a given prefix of decisions. It
//! knows how many alternatives it has, which of them were taken, and how many below it are still open.
//! A subtree that is explored to its end is folded into a count. The alternatives themselves are not kept:
//! the execution shows them again whenever it comes by. Nothing in here knows workers or programs.

use super::Rng;
use crate::codec::{Wire, wire_enum, wire_struct};

/// No node, or no branch.
const NONE: u32 = u32::MAX;

/// How many nodes are kept for later at most: about 40 MB with their branches. The longest schedule comes
/// on top.
const KEPT: u32 = 1 << 19;

/// Which of the alternatives that are still open comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Selection {
    /// The first: depth first, so that only one path has to be kept.
    First,
    /// Each with the same probability.
    Random,
    /// Each with a probability in proportion to the number of unexplored schedules that is expected below.
    Weighted,
}

/// The costs of a node's alternatives, by their rank; a schedule costs the sum of its decisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Price {
    /// Nothing.
    Free,
    /// The first one nothing, the others 1.
    Preemption,
    /// As much as its rank, from 0.
    Delay,
}

/// The alternatives at a point, in an order that follows from the prefix: the *rank* is the place in it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Options<'a> {
    /// Numbers of workers, and how large what is below each is to be expected, in proportion.
    Workers(&'a [u32], &'a [u32]),
    /// The values below a bound.
    Values(u32),
}

/// The tree's answer at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Advice {
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
pub(super) struct Tree {
    nodes: Vec<Node>,
    branches: Vec<Branch>,
    /// Where the lists of unused nodes and branches begin.
    free_node: u32,
    free_branch: u32,
    used: u32,
    root: u32,
    selection: Selection,
    /// The most that a schedule may cost.
    bound: u32,
    /// Schedules made.
    leaves: u64,
    /// Alternatives over the bound were forgotten for want of room.
    forgot: bool,
    /// Executions that left the tree.
    astray: u64,

    /// The decisions of the iteration under way.
    path: Vec<Hop>,
    cursor: Cursor,
    /// The cost of the decisions so far.
    cost: u32,
    /// Labels of one node, to look for one that is not among them.
    taken: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// The fingerprint of the point.
    looks: u32,
    /// How many alternatives there are, how many the bound allows, and how many were taken.
    width: u32,
    allowed: u32,
    taken: u32,
    /// The list of its branches; in the free list, the next free node.
    first: u32,
    /// The cost of the way here.
    cost: u32,
    price: Price,
    /// The bound leaves out alternatives here or below.
    cut: bool,
    /// Its own share and that of what is below, as its parent sees it.
    size: Size,
    /// The sum of what is expected below the alternatives taken.
    expected: f64,
    /// The weight of the alternatives taken, as a part of that of all.
    share: f64,
}

/// A subtree in numbers.
#[derive(Clone, Copy, Default, Debug)]
struct Size {
    /// Alternatives known and allowed that nobody has taken: the *value* of a node.
    open: u64,
    /// Schedules made.
    leaves: u64,
    /// Schedules that there will have been, as far as one can tell.
    expected: f64,
}

/// An alternative that was taken.
#[derive(Clone, Copy, Debug)]
struct Branch {
    /// A worker's number, or a value.
    label: u32,
    next: u32,
    /// The node below; none if all below is explored.
    node: u32,
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cursor {
    /// About to come to this node.
    Node(u32),
    /// Below a branch that is taken for the first time.
    Fresh,
    /// Outside the tree.
    Astray,
}

impl Tree {
    /// An empty tree; a schedule may cost `bound`.
    pub(super) fn new(selection: Selection, bound: u32) -> Tree {
        Tree {
            nodes: Vec::new(),
            branches: Vec::new(),
            free_node: NONE,
            free_branch: NONE,
            used: 0,
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
    pub(super) fn restart(&mut self, selection: Selection, bound: u32) {
        self.nodes.clear();
        self.branches.clear();
        (self.free_node, self.free_branch) = (NONE, NONE);
        (self.used, self.root) = (0, NONE);
        (self.selection, self.bound) = (selection, bound);
        (self.leaves, self.forgot) = (0, false);
    }

    /// An iteration begins.
    pub(super) fn begin(&mut self) {
        self.path.clear();
        self.cost = 0;
        self.cursor = match self.root {
            NONE => Cursor::Fresh,
            root => Cursor::Node(root),
        };
    }

    /// The iteration is at a point that looks like this.
    pub(super) fn arrive(&mut self, looks: u32, rng: &mut Rng) -> Advice {
        let index = match self.cursor {
            Cursor::Node(index) => index,
            Cursor::Fresh => return Advice::Grow,
            Cursor::Astray => return Advice::Astray,
        };
        let node = &self.nodes[index as usize];
        if node.looks != looks || node.size.open == 0 {
            self.go_astray();
            return Advice::Astray;
        }
        self.cost = node.cost;
        let Some(branch) = self.select(index, rng) else {
            return Advice::Branch;
        };
        let Branch { label, node, .. } = self.branches[branch as usize];
        let below = &self.nodes[node as usize];
        self.path.push(Hop {
            node: index,
            branch,
            before: below.size,
        });
        self.cursor = Cursor::Node(node);
        Advice::Follow(label)
    }

    /// A point that nobody has been at yet has these alternatives.
    pub(super) fn grow(&mut self, looks: u32, options: Options<'_>, price: Price) {
        let width = options.len();
        let allowed = allowed(price, width, self.bound - self.cost);
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
        let index = self.add_node(node);
        match self.path.last() {
            Some(hop) => self.branches[hop.branch as usize].node = index,
            None => self.root = index,
        }
        self.cursor = Cursor::Node(index);
    }

    /// The label of an alternative that has not been taken; at the node just arrived at, or grown.
    pub(super) fn branch(&mut self, options: Options<'_>, rng: &mut Rng) -> u32 {
        let Cursor::Node(index) = self.cursor else {
            return options.label(rng.below(options.len()));
        };
        let node = self.nodes[index as usize];
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
        let branch = self.add_branch(Branch {
            label,
            next: node.first,
            node: NONE,
        });
        let node = &mut self.nodes[index as usize];
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
    pub(super) fn go_astray(&mut self) {
        if let Cursor::Node(index) = self.cursor {
            match self.path.last() {
                Some(hop) => self.branches[hop.branch as usize].node = NONE,
                None => self.root = NONE,
            }
            self.discard(index);
        }
        self.astray += 1;
        self.cursor = Cursor::Astray;
    }

    /// The iteration has ended: what is explored to its end is folded into counts.
    pub(super) fn end(&mut self) {
        if let Cursor::Node(_) = self.cursor {
            // It should have come to another point.
            self.go_astray();
        }
        self.leaves += 1;
        while let Some(hop) = self.path.pop() {
            let after = self.fold(hop);
            let node = &mut self.nodes[hop.node as usize];
            node.size.open = node.size.open + after.open - hop.before.open;
            node.size.leaves = node.size.leaves + after.leaves - hop.before.leaves;
            node.expected += after.expected - hop.before.expected;
            node.size.expected = node.expected + node.expected_untaken();
            if node.size.open == 0 {
                node.size.expected = node.size.leaves as f64;
            }
        }
        if self.root != NONE && self.is_finished(self.root) {
            self.discard(self.root);
            self.root = NONE;
        }
    }

    /// The count below the hop's branch now; lets go of the branch if it is explored.
    fn fold(&mut self, hop: Hop) -> Size {
        let below = self.branches[hop.branch as usize].node;
        if below == NONE {
            if self.selection == Selection::First {
                self.remove_branch(hop);
            }
            let leaves = hop.before.leaves + 1;
            return Size {
                open: 0,
                leaves,
                expected: leaves as f64,
            };
        }
        let Node { size, cut, .. } = self.nodes[below as usize];
        self.nodes[hop.node as usize].cut |= cut;
        if self.is_finished(below) {
            self.discard(below);
            self.branches[hop.branch as usize].node = NONE;
            if self.selection == Selection::First {
                self.remove_branch(hop);
            }
        }
        size
    }

    /// True if nothing below the node has to be kept; notes what is forgotten.
    fn is_finished(&mut self, index: u32) -> bool {
        let Node { size, cut, .. } = self.nodes[index as usize];
        if size.open > 0 || (cut && self.used < KEPT) {
            return false;
        }
        self.forgot |= cut;
        true
    }

    /// The branch to follow from this node; none to take an alternative that is untaken.
    fn select(&self, index: u32, rng: &mut Rng) -> Option<u32> {
        let node = &self.nodes[index as usize];
        let mut open = self
            .branches_of(node)
            .filter(|&branch| self.is_open(branch));
        let untaken = node.allowed - node.taken;
        if self.selection == Selection::First || self.used >= KEPT {
            return open.next();
        }
        if self.selection == Selection::Random {
            let rank = rng.below(open.count() as u32 + untaken);
            let mut open = self
                .branches_of(node)
                .filter(|&branch| self.is_open(branch));
            return open.nth(rank as usize);
        }
        let left = |branch: u32| {
            let size = self.nodes[self.branches[branch as usize].node as usize].size;
            (size.expected - size.leaves as f64).max(1.0)
        };
        let sum = open.map(left).sum::<f64>() + node.expected_untaken();
        let mut draw = sum * ((rng.bits() >> 11) as f64 / (1_u64 << 53) as f64);
        let open = self
            .branches_of(node)
            .filter(|&branch| self.is_open(branch));
        let mut last = None;
        for branch in open {
            draw -= left(branch);
            if draw < 0.0 {
                return Some(branch);
            }
            last = Some(branch);
        }
        // Rounding must not lead to an alternative that is not there.
        if untaken > 0 { None } else { last }
    }

    /// Rank and label of one of the alternatives that were not taken, drawn as the selection says.
    fn untaken(&mut self, node: &Node, options: Options<'_>, rng: &mut Rng) -> (u32, u32) {
        if node.taken == 0 {
            let rank = match options {
                Options::Workers(_, weights) if self.selection == Selection::Weighted => {
                    draw_by_weight(weights, rng)
                }
                _ => rng.below(options.len()),
            };
            return (rank, options.label(rank));
        }
        let mut taken = std::mem::take(&mut self.taken);
        taken.clear();
        taken.extend(
            self.branches_of(node)
                .map(|branch| self.branches[branch as usize].label),
        );
        taken.sort_unstable();
        let rank = match options {
            Options::Workers(workers, weights) => {
                let is_untaken = |&rank: &u32| taken.binary_search(&options.label(rank)).is_err();
                let by_weight = self.selection == Selection::Weighted;
                let weight = |rank: u32| if by_weight { weights[rank as usize] } else { 1 };
                let ranks = || (0..workers.len() as u32).filter(is_untaken);
                let mut skip = rng.below(ranks().map(weight).sum());
                ranks().find(|&rank| {
                    let is_here = skip < weight(rank);
                    skip = skip.saturating_sub(weight(rank));
                    is_here
                })
            }
            Options::Values(count) => {
                let mut skip = rng.below(count - node.taken);
                for &value in &taken {
                    skip += u32::from(value <= skip);
                }
                Some(skip)
            }
        };
        self.taken = taken;
        let rank = rank.unwrap_or(0);
        (rank, options.label(rank))
    }

    fn branches_of(&self, node: &Node) -> impl Iterator<Item = u32> + '_ {
        let first = (node.first != NONE).then_some(node.first);
        std::iter::successors(first, |&branch| {
            let next = self.branches[branch as usize].next;
            (next != NONE).then_some(next)
        })
    }

    fn is_open(&self, branch: u32) -> bool {
        let node = self.branches[branch as usize].node;
        node != NONE && self.nodes[node as usize].size.open > 0
    }

    fn add_node(&mut self, node: Node) -> u32 {
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

    fn add_branch(&mut self, branch: Branch) -> u32 {
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
    fn remove_branch(&mut self, hop: Hop) {
        let next = self.branches[hop.branch as usize].next;
        let node = &mut self.nodes[hop.node as usize];
        if node.first == hop.branch {
            node.first = next;
        } else {
            let mut before = node.first;
            while self.branches[before as usize].next != hop.branch {
                before = self.branches[before as usize].next;
            }
            self.branches[before as usize].next = next;
        }
        self.branches[hop.branch as usize].next = self.free_branch;
        self.free_branch = hop.branch;
    }

    /// Lets go of a node and of all below it.
    fn discard(&mut self, index: u32) {
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

    /// True once every schedule within the bound has been made.
    pub(super) fn is_done(&self) -> bool {
        self.leaves > 0 && (self.root == NONE || self.nodes[self.root as usize].size.open == 0)
    }

    /// True if the bound left schedules out.
    pub(super) fn is_cut(&self) -> bool {
        self.forgot || (self.root != NONE && self.nodes[self.root as usize].cut)
    }

    /// Lets schedules cost more. No schedule is made again, unless there were so many that they had to be
    /// forgotten.
    pub(super) fn raise(&mut self, bound: u32) {
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
            let node = self.nodes[order[at] as usize];
            let below = self
                .branches_of(&node)
                .map(|branch| self.branches[branch as usize].node);
            order.extend(below.filter(|&node| node != NONE));
            at += 1;
        }
        for &index in order.iter().rev() {
            let mut node = self.nodes[index as usize];
            node.allowed = allowed(node.price, node.width, bound - node.cost);
            node.cut = node.allowed < node.width;
            node.size.open = u64::from(node.allowed - node.taken);
            for branch in self.branches_of(&node) {
                if let Some(below) = self.nodes.get(self.branches[branch as usize].node as usize) {
                    node.size.open += below.size.open;
                    node.cut |= below.cut;
                }
            }
            self.nodes[index as usize] = node;
        }
    }

    /// The most that a schedule may cost.
    pub(super) fn bound(&self) -> u32 {
        self.bound
    }

    /// Schedules made since the tree was empty.
    pub(super) fn leaves(&self) -> u64 {
        self.leaves
    }

    /// How many alternatives are known and allowed that nobody has taken.
    pub(super) fn open(&self) -> u64 {
        self.nodes
            .get(self.root as usize)
            .map_or(0, |root| root.size.open)
    }

    /// How many schedules are expected to be left within the bound: no fewer than are open.
    #[expect(
        clippy::cast_sign_loss,
        reason = "what is left is no less than nothing"
    )]
    pub(super) fn expected(&self) -> u64 {
        self.nodes.get(self.root as usize).map_or(0, |root| {
            let left = root.size.expected - root.size.leaves as f64;
            (left.max(0.0).round() as u64).max(root.size.open)
        })
    }

    /// How many executions left the tree: the program did not repeat itself.
    pub(super) fn astray(&self) -> u64 {
        self.astray
    }
}

impl Wire for Tree {
    fn put(&self, out: &mut Vec<u8>) {
        self.nodes.put(out);
        self.branches.put(out);
        for number in [
            self.free_node,
            self.free_branch,
            self.used,
            self.root,
            self.bound,
        ] {
            number.put(out);
        }
        self.leaves.put(out);
        self.astray.put(out);
        self.forgot.put(out);
        self.selection.put(out);
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let nodes = Vec::take(input)?;
        let branches = Vec::take(input)?;
        let mut number = || u32::take(input);
        let (free_node, free_branch) = (number()?, number()?);
        let (used, root, bound) = (number()?, number()?, number()?);
        let (leaves, astray) = (u64::take(input)?, u64::take(input)?);
        let forgot = bool::take(input)?;
        Some(Tree {
            nodes,
            branches,
            free_node,
            free_branch,
            used,
            root,
            leaves,
            forgot,
            astray,
            ..Tree::new(Selection::take(input)?, bound)
        })
    }
}

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
wire_enum!(Selection { 0 First, 1 Random, 2 Weighted });
wire_enum!(Price { 0 Free, 1 Preemption, 2 Delay });

/// How many alternatives cost no more than `budget`.
fn allowed(price: Price, width: u32, budget: u32) -> u32 {
    match price {
        Price::Free => width,
        Price::Preemption if budget > 0 => width,
        Price::Preemption => 1,
        Price::Delay => width.min(budget.saturating_add(1)),
    }
}

impl Node {
    /// The expected count below the alternatives that were not taken: they are like the others, by weight. So
    /// are those that the bound leaves out.
    fn expected_untaken(&self) -> f64 {
        if self.taken == self.allowed {
            return 0.0;
        }
        // Weights are learned, and need not have been the same each time.
        let untaken = (1.0 - self.share).max(self.share * 1e-3);
        let allowed = f64::from(self.allowed - self.taken) / f64::from(self.width - self.taken);
        self.expected * untaken / self.share * allowed
    }
}

impl Price {
    /// The cost of the alternative of this rank.
    fn of(self, rank: u32) -> u32 {
        match self {
            Price::Free => 0,
            Price::Preemption => rank.min(1),
            Price::Delay => rank,
        }
    }
}

/// A place, with a probability in proportion to its weight.
fn draw_by_weight(weights: &[u32], rng: &mut Rng) -> u32 {
    let mut skip = rng.below(weights.iter().sum());
    let mut places = (0..).zip(weights);
    let found = places.find(|&(_, &weight)| {
        let is_here = skip < weight;
        skip = skip.saturating_sub(weight);
        is_here
    });
    found.map_or(0, |(place, _)| place)
}

impl Options<'_> {
    /// How many there are.
    pub(super) fn len(self) -> u32 {
        match self {
            Options::Workers(workers, _) => workers.len() as u32,
            Options::Values(count) => count,
        }
    }

    /// The weight of the alternative of this rank, as a part of that of all.
    fn share(self, rank: u32) -> f64 {
        match self {
            Options::Workers(_, weights) => {
                let all: u32 = weights.iter().sum();
                f64::from(weights[rank as usize]) / f64::from(all)
            }
            Options::Values(count) => 1.0 / f64::from(count),
        }
    }

    /// The worker or value of this rank.
    pub(super) fn label(self, rank: u32) -> u32 {
        match self {
            Options::Workers(workers, _) => workers[rank as usize],
            Options::Values(_) => rank,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Walks once through a tree whose node after these labels has as many children as `width` says, each
    /// but for the first at the given price, until that is 0.
    fn walk(
        tree: &mut Tree,
        rng: &mut Rng,
        price: Price,
        width: &dyn Fn(&[u32]) -> u32,
    ) -> Vec<u32> {
        let mut labels = Vec::new();
        tree.begin();
        loop {
            let count = width(&labels);
            if count == 0 {
                break;
            }
            let label = match tree.arrive(count, rng) {
                Advice::Follow(label) => label,
                advice => {
                    if advice == Advice::Grow {
                        tree.grow(count, Options::Values(count), price);
                    }
                    tree.branch(Options::Values(count), rng)
                }
            };
            labels.push(label);
        }
        tree.end();
        labels
    }

    /// A tree of depth 6 at most whose shape follows from its labels; 0, 2 or 3 children.
    fn shape(labels: &[u32]) -> u32 {
        let sum: u32 = labels
            .iter()
            .zip(1..)
            .map(|(label, place)| label * place)
            .sum();
        match labels.len() {
            6 => 0,
            2.. if sum % 5 == 4 => 0,
            _ => 2 + sum % 2,
        }
    }

    fn count(labels: &mut Vec<u32>) -> u64 {
        let mut leaves = 0;
        for label in 0..shape(labels) {
            labels.push(label);
            leaves += count(labels);
            labels.pop();
        }
        leaves.max(1)
    }

    #[test]
    fn each_leaf_is_visited_once_and_then_nothing_is_kept() {
        for selection in [Selection::First, Selection::Random, Selection::Weighted] {
            let (mut tree, mut rng) = (Tree::new(selection, u32::MAX), Rng::new(5));
            let mut seen = BTreeSet::new();
            while !tree.is_done() {
                assert!(seen.insert(walk(&mut tree, &mut rng, Price::Free, &shape)));
                assert_eq!(tree.leaves(), seen.len() as u64);
            }
            assert_eq!(tree.leaves(), count(&mut Vec::new()));
            assert_eq!((tree.open(), tree.used, tree.is_cut()), (0, 0, false));
        }
    }

    #[test]
    fn depth_first_only_one_path_is_kept() {
        let (mut tree, mut rng) = (Tree::new(Selection::First, u32::MAX), Rng::new(5));
        while !tree.is_done() {
            walk(&mut tree, &mut rng, Price::Free, &shape);
        }
        assert!(tree.nodes.len() <= 6 && tree.branches.len() <= 6);
    }

    /// The open count is the exact number of alternatives beside the paths that were taken.
    #[test]
    fn alternatives_that_are_open_are_counted() {
        let (mut tree, mut rng) = (Tree::new(Selection::Random, u32::MAX), Rng::new(5));
        let mut beside = BTreeSet::new();
        let mut taken = BTreeSet::new();
        for _ in 0..40 {
            let labels = walk(&mut tree, &mut rng, Price::Free, &shape);
            for length in 0..labels.len() {
                let prefix = &labels[..length];
                beside.extend((0..shape(prefix)).map(|label| [prefix, &[label]].concat()));
                taken.insert(labels[..=length].to_vec());
            }
            assert_eq!(tree.open(), beside.difference(&taken).count() as u64);
        }
    }

    /// With 2^40 leaves a search in random order would keep everything.
    #[test]
    fn what_is_kept_is_bounded() {
        let binary = |labels: &[u32]| if labels.len() < 40 { 2 } else { 0 };
        let (mut tree, mut rng) = (Tree::new(Selection::Random, u32::MAX), Rng::new(5));
        let mut seen = BTreeSet::new();
        for _ in 0..40_000 {
            assert!(seen.insert(walk(&mut tree, &mut rng, Price::Free, &binary)));
        }
        assert!(tree.nodes.len() as u32 <= KEPT + 40);
        assert!(tree.used >= KEPT);
    }

    /// The estimate is that of Knuth: without bias over random walks, and exact in the end. The mean of
    /// the first walk's is within 5 standard errors of the truth.
    #[test]
    fn what_is_expected_is_near_the_truth() {
        let truth = count(&mut Vec::new()) as f64;
        let walks = 4000;
        let estimates = (0..walks).map(|seed| {
            let (mut tree, mut rng) = (Tree::new(Selection::Random, u32::MAX), Rng::new(seed));
            walk(&mut tree, &mut rng, Price::Free, &shape);
            tree.expected() as f64 + 1.0
        });
        let estimates: Vec<f64> = estimates.collect();
        let mean = estimates.iter().sum::<f64>() / walks as f64;
        let squares = estimates.iter().map(|estimate| (estimate - mean).powi(2));
        let error = (squares.sum::<f64>() / walks as f64 / walks as f64).sqrt();
        assert!(
            (mean - truth).abs() < 5.0 * error,
            "{mean} and {truth}, {error}"
        );
    }

    #[test]
    fn bounds_are_reached_one_after_the_other() {
        for price in [Price::Preemption, Price::Delay] {
            let (mut tree, mut rng) = (Tree::new(Selection::First, 0), Rng::new(5));
            let cost = |labels: &[u32]| labels.iter().map(|&label| price.of(label)).sum::<u32>();
            let mut seen = BTreeSet::new();
            loop {
                while !tree.is_done() {
                    let labels = walk(&mut tree, &mut rng, price, &shape);
                    assert_eq!(cost(&labels), tree.bound());
                    assert!(seen.insert(labels));
                }
                if !tree.is_cut() {
                    break;
                }
                tree.raise(tree.bound() + 1);
            }
            assert_eq!(seen.len() as u64, count(&mut Vec::new()));
        }
    }

    #[test]
    fn a_tree_is_read_back_and_goes_on_as_it_would_have() {
        for selection in [Selection::First, Selection::Random, Selection::Weighted] {
            let (mut tree, mut rng) = (Tree::new(selection, u32::MAX), Rng::new(5));
            for _ in 0..50 {
                walk(&mut tree, &mut rng, Price::Free, &shape);
            }
            let mut again = Tree::from_bytes(&tree.to_bytes()).expect("readable");
            let mut other = rng.clone();
            while !tree.is_done() {
                assert_eq!(
                    walk(&mut tree, &mut rng, Price::Free, &shape),
                    walk(&mut again, &mut other, Price::Free, &shape)
                );
            }
            assert!(again.is_done());
        }
    }

    /// A program that does something else each time: what does not fit is dropped, and the search ends.
    #[test]
    fn who_does_not_repeat_itself_is_noticed() {
        for selection in [Selection::First, Selection::Random] {
            let (mut tree, mut rng) = (Tree::new(selection, u32::MAX), Rng::new(5));
            let mut times = 0;
            while !tree.is_done() {
                times += 1;
                let changing = |labels: &[u32]| {
                    let surplus = u32::from(labels.len() == 3 && times % 3 == 0);
                    shape(labels) + surplus
                };
                walk(&mut tree, &mut rng, Price::Free, &changing);
                assert!(times < 2000);
            }
            assert!(tree.astray() > 0);
            assert_eq!(tree.used, 0);
        }
    }
}
