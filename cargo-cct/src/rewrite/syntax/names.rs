//! The meanings, in a file, of the names of functions that are given futures.

use cct::known::{DRIVE, MAY_DRIVE, SPAWN};

use super::by_hand::PolledByHand;
use super::declared::Declared;
use super::tree::Tree;

/// The meanings of such names in a file.
#[derive(Debug)]
pub(in crate::rewrite) struct Names {
    /// The names of functions that spawn nothing.
    pub by_hand: PolledByHand,
    /// The functions of the file that have such names.
    pub declared: Declared,
}

impl Names {
    /// Looks through all of it.
    ///
    /// `named` are functions that settings name.
    pub(in crate::rewrite) fn find(trees: &[Tree], named: &[&str]) -> Names {
        Names {
            by_hand: PolledByHand::find(trees),
            declared: Declared::find(trees, &[&SPAWN, &DRIVE, &MAY_DRIVE, named]),
        }
    }
}
