//! Tests that may disturb each other: those that share what one of them changes.

mod pairs;

pub(crate) use pairs::{Pair, Share, pairs};
