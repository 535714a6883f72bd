//! Which of the open alternatives of a node comes next.

use super::super::Rng;
use super::options::Options;
use super::store::Node;
use super::walk::{KEPT, Tree};
use crate::codec::wire_enum;

/// Which of the alternatives that are still open comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy) enum Selection {
    /// The first: depth first, so that only one path has to be kept.
    First,
    /// Each with the same probability.
    Random,
    /// Each with a probability in proportion to the number of unexplored schedules that is expected below.
    Weighted,
}

wire_enum!(Selection { 0 First, 1 Random, 2 Weighted });

impl Tree {
    /// The branch to follow from this node; none to take an alternative that is untaken.
    pub(super) fn select(&self, index: u32, rng: &mut Rng) -> Option<u32> {
        let node = &self.store.nodes[index as usize];
        let mut open = self.store.open_branches_of(node);
        let untaken = node.allowed - node.taken;
        if self.selection == Selection::First || self.store.used >= KEPT {
            return open.next();
        }
        if self.selection == Selection::Random {
            let rank = rng.below(open.count() as u32 + untaken);
            let mut open = self.store.open_branches_of(node);
            return open.nth(rank as usize);
        }
        let left = |branch: u32| {
            let size = self.store.nodes[self.store.branches[branch as usize].node as usize].size;
            (size.expected - size.leaves as f64).max(1.0)
        };
        let sum = open.map(left).sum::<f64>() + node.expected_untaken();
        let mut draw = sum * ((rng.bits() >> 11) as f64 / (1_u64 << 53) as f64);
        let open = self.store.open_branches_of(node);
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
    pub(super) fn untaken(
        &mut self,
        node: &Node,
        options: Options<'_>,
        rng: &mut Rng,
    ) -> (u32, u32) {
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
            self.store
                .branches_of(node)
                .map(|branch| self.store.branches[branch as usize].label),
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
