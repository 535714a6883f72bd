//! Trees by hand, walked to their end.

use std::collections::BTreeSet;

use super::super::Rng;
use super::walk::KEPT;
use super::{Advice, Options, Price, Selection, Tree};
use crate::codec::Wire as _;

/// Walks once through a tree whose node after these labels has as many children as `width` says, each
/// but for the first at the given price, until that is 0.
fn walk(tree: &mut Tree, rng: &mut Rng, price: Price, width: &dyn Fn(&[u32]) -> u32) -> Vec<u32> {
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
        assert_eq!((tree.open(), tree.store.used, tree.is_cut()), (0, 0, false));
    }
}

#[test]
fn depth_first_only_one_path_is_kept() {
    let (mut tree, mut rng) = (Tree::new(Selection::First, u32::MAX), Rng::new(5));
    while !tree.is_done() {
        walk(&mut tree, &mut rng, Price::Free, &shape);
    }
    assert!(tree.store.nodes.len() <= 6 && tree.store.branches.len() <= 6);
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
    assert!(tree.store.nodes.len() as u32 <= KEPT + 40);
    assert!(tree.store.used >= KEPT);
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
        assert_eq!(tree.store.used, 0);
    }
}

#[test]
fn what_is_no_tree_is_refused() {
    crate::fuzz::law::<Tree>();
}
